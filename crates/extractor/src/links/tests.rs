use proptest::prelude::*;

use super::*;

fn read(html: &str) -> PageLinks {
    read_with(html, &[])
}

fn read_with(html: &str, headers: &[(&str, &str)]) -> PageLinks {
    let url = Url::parse("http://example.com/dir/page.html").unwrap();
    let headers: Vec<(String, Vec<u8>)> = headers
        .iter()
        .map(|(name, value)| ((*name).to_owned(), value.as_bytes().to_vec()))
        .collect();
    let context = PageContext {
        headers: &headers,
        ..PageContext::new(&url)
    };
    page_links(html, &context)
}

#[track_caller]
fn check(html: &str, expected: &[(LinkKind, &str, &str)]) {
    let page = read(html);
    let found: Vec<(LinkKind, &str, &str)> = page
        .links
        .iter()
        .map(|link| (link.kind, link.url.as_str(), link.anchor.as_str()))
        .collect();
    assert_eq!(found, expected, "{html}");
}

#[test]
fn links_come_in_document_order_with_their_words() {
    use LinkKind::{A, Area, Frame, Iframe};
    check(
        "<a href=a>one <b>two</b></a><map><area href=b alt=three></map><iframe src=c title=four></iframe>",
        &[
            (A, "http://example.com/dir/a", "one two"),
            (Area, "http://example.com/dir/b", "three"),
            (Iframe, "http://example.com/dir/c", "four"),
        ],
    );
    check(
        "<frameset><frame src=f name=left></frameset>",
        &[(Frame, "http://example.com/dir/f", "left")],
    );
}

#[test]
fn what_one_statement_of_a_script_leads_to_is_a_link() {
    let a = |path, anchor| (LinkKind::A, path, anchor);
    check(
        "<div onclick=\"location.href='/x'\">one</div>\
         <a href='javascript:window.open(&quot;/y&quot;)'>two</a>\
         <a href=z onclick=\"location.href='/w'\">three</a>\
         <select onchange='go(this.value)'><option value=/1>first<option value=2>second</select>\
         <select><option value=/3>third</select>",
        &[
            a("http://example.com/x", "one"),
            a("http://example.com/y", "two"),
            a("http://example.com/dir/z", "three"),
            a("http://example.com/w", ""),
            a("http://example.com/1", "first"),
        ],
    );
    check(
        "<div onclick=\"location.href='/x?id=' + id\">one</div>",
        &[],
    );
    check("<a onclick=\"location.href='ftp://a.test/'\">one</a>", &[]);
    let page = read("<div onclick=\"location.href='/x'\">one</div>");
    assert_eq!(page.links[0].rel, "script");
}

#[test]
fn a_link_by_a_script_has_its_elements_relations() {
    // Such links were followed in spite of their `nofollow`.
    for (html, rel, nofollow) in [
        (
            "<a rel=nofollow href=\"javascript:location.href='/trap/2'\">t</a>",
            "script nofollow",
            true,
        ),
        (
            "<a rel='UGC noopener' onclick=\"location.href='/trap/1'\">t</a>",
            "script ugc noopener",
            true,
        ),
        (
            "<a rel=sponsored onclick=\"location.href='/trap/1'\">t</a>",
            "script sponsored",
            true,
        ),
        (
            "<a rel=noopener onclick=\"location.href='/x'\">t</a>",
            "script noopener",
            false,
        ),
    ] {
        let page = read(html);
        assert_eq!(page.links.len(), 1, "{html}");
        let link = &page.links[0];
        assert_eq!(
            (link.rel.as_str(), link.nofollow),
            (rel, nofollow),
            "{html}"
        );
    }
    check(
        "<button onclick=\"if(confirm('Delete?')) location.href='/delete/5'\">del</button>",
        &[],
    );
}

#[test]
fn a_page_that_only_a_script_leaves_is_left_by_a_refresh() {
    // A crawl ended at such a front page.
    let script = "<script>window.location.href=\"/home\"</script>";
    check(
        script,
        &[(LinkKind::Refresh, "http://example.com/home", "")],
    );
    let refresh = read(script).refresh.expect("a refresh");
    assert_eq!(refresh.delay, 0.0);
    // A function of one script that the handler of the page calls.
    let handled = read(
        "<script>function go(){location='/home'}</script><body onLoad=\"setTimeout('go()',2000)\">",
    );
    let refresh = handled.refresh.expect("a refresh");
    assert_eq!((refresh.delay, refresh.url.path()), (2.0, "/home"));
    let with_link = read(&format!("{script}<a href=/x>x</a>"));
    assert_eq!((with_link.refresh, with_link.links.len()), (None, 1));
    for waits_or_decides in [
        "if (old) window.location.href='/home'",
        "setTimeout(\"location.href='http://far.example/';\", 600000)",
        "top!=self&&(top.location='http://far.example/')",
        "// location.href='http://far.example/';\n",
    ] {
        let page = read(&format!("<script>{waits_or_decides}</script>"));
        assert_eq!((page.refresh, page.links.len()), (None, 0));
    }
    assert_eq!(
        read("<script>location.href='page.html'</script>").refresh,
        None
    );
}

#[test]
fn a_link_without_words_is_named_by_its_picture_or_its_title() {
    check(
        "<a href=a title=t><img src=i alt='a picture'></a><a href=b title=t></a>",
        &[
            (LinkKind::A, "http://example.com/dir/a", "a picture"),
            (LinkKind::A, "http://example.com/dir/b", "t"),
        ],
    );
}

#[test]
fn an_unclosed_link_ends_where_the_next_begins() {
    check(
        "<a href=a>one<a href=b>two",
        &[
            (LinkKind::A, "http://example.com/dir/a", "one"),
            (LinkKind::A, "http://example.com/dir/b", "two"),
        ],
    );
}

#[test]
fn only_the_web_is_linked() {
    check(
        "<a href=mailto:a@b>x</a><a href=' JavaScript:x'>x</a><a href=ftp://a/>x</a><a>x</a><a href='http://['>x</a>",
        &[],
    );
}

#[test]
fn scripts_comments_and_templates_hold_no_links() {
    check(
        "<script>'<a href=a>x</a>'</script><!--<a href=b>x</a>--><template><a href=c>x</a></template>",
        &[],
    );
}

#[test]
fn noscript_and_shadow_roots_hold_links() {
    let page = read(
        "<noscript><a href=a></a></noscript><div><template shadowrootmode=open><a href=b></a></template></div>",
    );
    assert_eq!(page.links.len(), 2);
}

#[test]
fn links_in_drawings_count() {
    check(
        "<svg><a xlink:href=s><text>x</text></a><a href=t /></svg>",
        &[
            (LinkKind::A, "http://example.com/dir/s", "x"),
            (LinkKind::A, "http://example.com/dir/t", ""),
        ],
    );
}

#[test]
fn relations_are_told_and_three_of_them_ask_not_to_follow() {
    let page = read(
        "<a href=a rel=' NoFollow  External '></a><a href=b rel=ugc></a><a href=c rel=me></a>",
    );
    let found: Vec<(&str, bool)> = page
        .links
        .iter()
        .map(|link| (link.rel.as_str(), link.nofollow))
        .collect();
    assert_eq!(
        found,
        [("nofollow external", true), ("ugc", true), ("me", false)]
    );
}

#[test]
fn the_first_base_with_an_address_counts_for_the_whole_page() {
    let page = read("<a href=x></a><base target=_blank><base href=/b/><base href=/c/>");
    assert_eq!(page.base.as_str(), "http://example.com/b/");
    assert_eq!(page.links[0].url.as_str(), "http://example.com/b/x");
    for bad in ["data:,x", "javascript:1", "http://["] {
        let page = read(&format!("<base href='{bad}'><base href=/b/>"));
        assert_eq!(page.base.as_str(), "http://example.com/dir/page.html");
    }
}

#[test]
fn the_first_canonical_counts_and_the_markup_beats_the_header() {
    let header = [("link", "</h>; rel=canonical")];
    let page = read_with(
        "<base href=/b/><link rel='x Canonical' href=c><link rel=canonical href=d>",
        &header,
    );
    assert_eq!(page.canonical.unwrap().as_str(), "http://example.com/b/c");
    let page = read_with("<base href=/b/>", &header);
    assert_eq!(page.canonical.unwrap().as_str(), "http://example.com/h");
    assert_eq!(page.links[0].kind, LinkKind::Canonical);
}

#[test]
fn a_page_that_is_its_own_canonical_does_not_link_itself() {
    let page = read("<link rel=canonical href=page.html>");
    assert!(page.canonical.is_some());
    assert!(page.links.is_empty());
}

#[test]
fn other_forms_and_languages_of_the_page_and_the_next_of_its_series_are_told_apart() {
    check(
        "<link rel=alternate hreflang=de href=de title=Deutsch><link rel=next href=2><link rel=alternate media=handheld href=m><link rel='alternate stylesheet' href=s>",
        &[
            (LinkKind::Language, "http://example.com/dir/de", "Deutsch"),
            (LinkKind::Series, "http://example.com/dir/2", ""),
            (LinkKind::Alternate, "http://example.com/dir/m", ""),
        ],
    );
}

#[test]
fn the_first_refresh_counts_and_the_header_comes_first() {
    let meta =
        "<meta http-equiv=Refresh content='2;url=m'><meta http-equiv=refresh content='3;url=n'>";
    let page = read(meta);
    let refresh = page.refresh.unwrap();
    assert_eq!(
        (refresh.delay, refresh.url.as_str()),
        (2.0, "http://example.com/dir/m")
    );
    assert_eq!(page.links[0].kind, LinkKind::Refresh);
    let page = read_with(meta, &[("refresh", "0;url=/h")]);
    assert_eq!(page.refresh.unwrap().url.as_str(), "http://example.com/h");
    let page = read("<meta http-equiv=refresh content='5;url=javascript:x'>");
    assert_eq!(page.refresh, None);
}

#[test]
fn a_link_knows_its_place_and_its_surroundings() {
    let page = read(
        "<div id=main><p class=intro>Read about <a href=a>near duplicates</a> in this chapter.",
    );
    assert_eq!(page.links[0].tag_path, "html>body>div#main>p.intro>a");
    assert_eq!(page.links[0].context, "Read about in this chapter.");
}

#[test]
fn where_nobody_asks_a_link_has_its_words_only() {
    let url = Url::parse("http://example.com/").unwrap();
    let context = PageContext {
        link_places: false,
        ..PageContext::new(&url)
    };
    let page = page_links(
        "<p>Read about <a href=a>near duplicates</a> here.",
        &context,
    );
    let link = &page.links[0];
    assert_eq!(link.anchor, "near duplicates");
    assert_eq!((link.context.as_str(), link.tag_path.as_str()), ("", ""));
}

#[test]
fn resources_are_listed_once() {
    let page = read(
        "<img src=i.png srcset='i.png 1x, j.png 2x'><script src=s.js></script><link rel=stylesheet href=c.css><video poster=p.jpg><source src=v.mp4></video><img src='data:,x'><link rel=next href=2>",
    );
    let found: Vec<&str> = page.resources.iter().map(|url| url.path()).collect();
    assert_eq!(
        found,
        [
            "/dir/i.png",
            "/dir/j.png",
            "/dir/s.js",
            "/dir/c.css",
            "/dir/p.jpg",
            "/dir/v.mp4"
        ]
    );
}

#[test]
fn ten_thousand_links_are_enough() {
    let page = read(&"<a href=x>y</a>".repeat(LINKS_MAX + 5));
    assert_eq!(page.links.len(), LINKS_MAX);
    assert_eq!(page.limits_hit, ["links"]);
}

#[test]
fn a_long_base_is_not_multiplied_by_many_links() {
    let html =
        format!("<base href='http://a/{}/'>", "b".repeat(1 << 20)) + &"<a href=x></a>".repeat(10);
    let page = read(&html);
    assert_eq!(page.links[0].url.as_str(), "http://example.com/dir/x");
    assert_eq!(page.limits_hit, ["url_bytes"]);
    let page = read(&format!("<a href='{}'></a>", "b".repeat(1 << 20)));
    assert!(page.links.is_empty());
}

proptest! {
    #[test]
    fn any_markup_gives_bounded_links(
        pieces in proptest::collection::vec(proptest::sample::select(&[
            "<a href=x>", "</a>", "<a href='?q=网'>", "<p>", "text ", "网页", "<base href=//h/>",
            "<base href='a:b'>", "<meta http-equiv=refresh content='", "0;url=", "'>", "<svg>",
            "<a xlink:href=y>", "<template>", "</template>", "<table>", "<link rel=canonical href=",
            "c>", "<img srcset='a 1x,", "b'>", "<area href=..//>", "<iframe src=f>", "</iframe>",
        ][..]), 0..30)
    ) {
        let page = read(&pieces.concat());
        for link in &page.links {
            prop_assert!(matches!(link.url.scheme(), "http" | "https"));
            prop_assert!(link.anchor.chars().count() <= 200);
            prop_assert!(link.context.chars().count() <= 200);
        }
    }
}
