//! Whose words a page is: by-lines of articles, and who began a thread.

use extractor::{PageContext, PageType, extract};
use url::Url;

fn author(html: &str) -> Option<String> {
    let url = Url::parse("https://forum.example/t/12").unwrap();
    extract(html, &PageContext::new(&url)).author
}

/// The markup of a post by its author's name and its text.
type Post = fn(&str, &str) -> String;

/// A thread of three posts, each in the markup of some software, below its title.
fn thread(post: impl Fn(&str, &str) -> String) -> String {
    let texts = [
        (
            "walker7",
            "Which boots last longest on granite? Mine are through after one summer of scree and wet grass in the hills, and I walk every week.",
        ),
        (
            "Ann B",
            "Resoled leather has lasted me nine years so far, with wax twice a year and never a day beside a stove, whatever the shop says.",
        ),
        (
            "scree_fan",
            "Light ones wear out, whatever they cost; I buy a pair each spring and give up on repairs, since my feet are happier that way.",
        ),
    ];
    let posts: String = texts.iter().map(|(name, text)| post(name, text)).collect();
    format!(
        "<html><title>Boots for granite - Hill Forum</title><body><nav><a href=/>Home</a> <a href=/members/>Members</a>\
         <a href=/login>Log in</a></nav><h1>Boots for granite</h1><div class=posts>{posts}</div>\
         <footer>Hill Forum</footer></body></html>"
    )
}

#[test]
fn a_threads_author_is_who_began_it() {
    let posts: [(&str, Post); 6] = [
        ("phpBB", |name, text| {
            format!(
                "<div class=post><p class=author>by <strong><a href='./memberlist.php?mode=viewprofile&amp;u=7' class=username>{name}</a></strong> &raquo; Sat Feb 24, 2024</p><div class=content>{text}</div></div>"
            )
        }),
        ("XenForo", |name, text| {
            format!(
                "<article class='message message--post' data-author='{name}'><div class=message-user><a href='/members/x.7/' class=avatar>W</a><h4 class=message-name><a href='/members/x.7/' class=username>{name}</a></h4><h5 class=userTitle>Well-known member</h5></div><div class=message-body><div class=bbWrapper>{text}</div></div></article>"
            )
        }),
        ("Discourse", |name, text| {
            format!(
                "<div class='topic-body crawler-post'><div class=crawler-post-meta><span class=creator itemprop=author itemscope><a itemprop=url href='/u/x'><span itemprop=name>{name}</span></a></span></div><div class=post itemprop=text><p>{text}</p></div></div>"
            )
        }),
        ("MyBB", |name, text| {
            format!(
                "<div class=post><div class=author_information><strong><a href='https://forum.example/user-126.html'>{name}</a></strong> Junior Member</div><div class='post_body scaleimages'>{text}</div></div>"
            )
        }),
        ("SMF", |name, text| {
            format!(
                "<div class=post_wrapper><div class=poster><h4><a href='index.php?action=profile;u=261' title='View the profile of {name}'>{name}</a></h4><ul><li>Newbie</ul></div><div class=post><div class=inner>{text}</div></div></div>"
            )
        }),
        ("Discuz", |name, text| {
            format!(
                "<div id=post_7 class=post><div class=pls><div class=authi><a href='space-uid-126.html' class=xw1>{name}</a></div></div><div class=t_fsz>{text}</div></div>"
            )
        }),
    ];
    for (software, post) in posts {
        let html = thread(post);
        let url = Url::parse("https://forum.example/t/12").unwrap();
        let page = extract(&html, &PageContext::new(&url));
        assert_eq!(page.page_type, PageType::Forum, "{software}");
        assert_eq!(page.author.as_deref(), Some("walker7"), "{software}");
    }
}

#[test]
fn what_stands_around_a_by_line_is_no_name() {
    let article = |by: &str| {
        format!(
            "<title>The mill</title><article><h1>The mill</h1>{by}<p>The mill stopped on a Tuesday, and nobody in the \
             valley noticed until the bread ran out on Friday.</p><p>It had turned for two hundred years, through \
             floods and wars, and it stopped for want of a bearing that nobody makes any more.</p></article>"
        )
    };
    for (by, name) in [
        (
            "<div class=publish-author>Dec. 19, 2025 &middot; Niko Mill</div>",
            Some("Niko Mill"),
        ),
        (
            "<p>Published August 7, 2023 by Nicole Mill</p>",
            Some("Nicole Mill"),
        ),
        ("<p class=byline>Posted</p>", None),
        (
            "<div class=author><a href=/author/x>Read more</a></div>",
            None,
        ),
        ("<p>By Lois Lane Sat, 3 December</p>", Some("Lois Lane")),
        ("<p>作者 | 王小波</p>", Some("王小波")),
        (
            "<script type=application/ld+json>{\"@type\":\"Article\",\"author\":{\"name\":\"Maria &amp; Kat\"}}</script>",
            Some("Maria & Kat"),
        ),
    ] {
        assert_eq!(author(&article(by)).as_deref(), name, "{by}");
    }
}
