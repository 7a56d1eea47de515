//! The kind of page: article, forum, product, collection, listing, documentation, service or front
//! page, guessed from several kinds of evidence.
//!
//! Each piece of evidence adds points to one or more types. What the publisher declares weighs most,
//! then what the page looks like, then its URL. The type with the most points wins if it has at
//! least two; otherwise the type is [`PageType::Other`]. A page made of posts that have pages of their
//! own (`posts`) is a list, however long they are; one made of posts that are signed each (`threads`) is a
//! thread, whatever its URL.

mod dated;
mod evidence;
mod offers;
mod points;
mod post_numbers;
mod posts;
mod threads;

use outcome::PageType;
use url::Url;

use crate::flat_dom::FlatDom;
use crate::structured::Structured;
use crate::survey::Survey;

use evidence::Evidence;
pub(crate) use threads::Thread;

/// Points below which a page is [`PageType::Other`].
const POINTS_MIN: f32 = 2.0;

/// What kind of page it is.
pub(crate) struct Guess {
    pub page_type: PageType,
    /// Whether it is a list by its content: of links, of posts with pages of their own, of a forum's threads.
    pub leads_on: bool,
    /// The posts that it consists of, if they are signed each.
    pub thread: Option<Thread>,
}

/// Guesses the type of a page; `main` tells which runs are its content.
pub(crate) fn guess(
    flat: &FlatDom<'_>,
    survey: &Survey,
    structured: &Structured,
    main: &[bool],
    url: &Url,
) -> Guess {
    let evidence = Evidence::gather(flat, survey, structured, main, url);
    let mut best = (POINTS_MIN, PageType::Other);
    for (page_type, points) in points::of_each_type(&evidence) {
        if points > best.0 {
            best = (points, page_type);
        }
    }
    let is_list_path = points::has_list_path(&evidence);
    // The posts of a thread and the sections of a manual may be headed by links as well.
    let is_other = best.1 == PageType::Documentation || points::is_in_forum(&evidence);
    let may_be_posts = !best.1.is_link_list() && (is_list_path || !is_other);
    let is_posts = may_be_posts && posts::make_up(flat, survey, main, url, is_list_path);
    let leads_on = is_posts || points::leads_on(&evidence, &best.1);
    Guess {
        page_type: if is_posts { PageType::Listing } else { best.1 },
        leads_on,
        thread: evidence.thread,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::page::PageContext;

    #[track_caller]
    fn check(url: &str, body: &str, is_list: bool) {
        let html = format!("<title>Zeppelins</title><main><h1>Zeppelins</h1>{body}</main>");
        let page = crate::extract(&html, &PageContext::new(&Url::parse(url).unwrap()));
        let found = page.page_type;
        assert_eq!(found.is_link_list(), is_list, "{url} {found:?} {body}");
    }

    fn times(count: u32, item: impl Fn(u32) -> String) -> String {
        (0..count).map(item).collect()
    }

    fn table() -> String {
        let row = |at| format!("<tr><td>LZ {at} Bodensee<td>19{at}<td>{at}6 m</tr>");
        format!("<table>{}</table>", times(20, row))
    }

    fn prose(paragraphs: u32) -> String {
        let paragraph = |at| {
            format!(
                "<p>The council, which met {at} times, postponed the repair of the harbour wall \
                 because the price of timber had risen, and nobody seems to know why.</p>"
            )
        };
        times(paragraphs, paragraph)
    }

    fn links(count: u32) -> String {
        let item = |at| format!("<li><a href=/x{at}>The bridge number {at} is closed</a>");
        format!("<ul>{}</ul>", times(count, item))
    }

    #[test]
    fn a_page_without_links_is_no_list_whatever_its_path_says() {
        // "/new", "/list" and "/archive" were found in these, and a table has no prose.
        for place in [
            "p",
            "news",
            "new-york",
            "newsletter",
            "listen",
            "list_1",
            "archives",
            "search-engine",
            "tag",
            "category",
            "shop",
        ] {
            let url = format!("http://a.example/{place}/7.html");
            check(&url, &table(), false);
            check(
                &url,
                "<p>一二三四五<br>六七八九十<br>东南西北中<br>上下左右前",
                false,
            );
            check(&url, &prose(4), false);
        }
    }

    #[test]
    fn a_list_of_links_is_a_list_whatever_its_path_says() {
        for place in ["news", "p", "list_2.html", "tag/ships"] {
            check(&format!("http://a.example/{place}"), &links(20), true);
        }
    }

    fn post(at: u32, head: &str) -> String {
        format!(
            "<article><h2>{head}</h2><p>5 March 20{at}</p>{}</article>",
            prose(at % 3 + 2)
        )
    }

    #[test]
    fn posts_that_have_pages_of_their_own_make_a_list_however_long_they_are() {
        let linked = |at| post(at, &format!("<a href=/20{at}/lock/>The lock {at}</a>"));
        for url in [
            "http://a.example/page/2/",
            "http://a.example/",
            "http://a.example/tag/x",
        ] {
            check(url, &times(5, |at| linked(at + 10)), true);
            check(url, &times(2, |at| linked(at + 10)), true);
        }
        // One post at the path of a list, of which the beginning is here.
        let more = format!("{}<a href=/2021/lock/>Read more</a>", linked(21));
        check("http://a.example/tag/x", &more, true);
        check("http://a.example/x", &more, false);
    }

    #[test]
    fn an_article_is_none_whatever_headings_stand_around_it() {
        let url = "http://a.example/2021/lock/";
        let other =
            |at| format!("<h3><a href=/20{at}/>The lock {at}</a></h3><p>5 March 20{at}</p>");
        let others = times(5, |at| other(at + 10));
        check(url, &format!("{}{others}", prose(6)), false);
        check(url, &format!("{others}<div>{}</div>", prose(6)), false);
        // Sections of a text, the places on its page, and the page itself.
        let sections = |href: &str| times(5, |at| post(at, &format!("<a href='{href}'>{at}</a>")));
        check(url, &sections("#part"), false);
        check(url, &sections("/2021/lock"), false);
        check(url, &sections("http://other.example/x"), false);
        let headed = times(5, |at| {
            format!("<h2><a href=/b{at}>Lock {at}</a></h2>{}", prose(2))
        });
        check(url, &headed, false);
        // The posts of a thread.
        let thread = times(5, |at| {
            post(at + 10, &format!("<a href=/threads/7/post-{at}>#{at}</a>"))
        });
        check("http://a.example/threads/7", &thread, false);
    }

    #[test]
    fn goods_make_a_collection_and_prices_in_prose_do_not() {
        let url = "http://a.example/c/models";
        let cards = times(12, |at| {
            format!("<div class=card><a href=/m{at}>Model {at}</a><p>${at}.50</div>")
        });
        check(url, &cards, true);
        let told = times(7, |at| {
            format!(
                "<p>The model {at} costs ${at}.00, and its kit $1{at}.50, although few people expected it \
                 to be sold at all in so short a time.</p>"
            )
        });
        check(url, &told, false);
    }

    #[test]
    fn what_the_markup_says_is_a_product_is_one() {
        let page_type = |item: &str| {
            let html = format!(
                "<title>Oak desk</title><div {item}><h1>Oak desk</h1>{}</div>",
                prose(3)
            );
            let url = Url::parse("http://a.example/oak-desk").unwrap();
            crate::extract(&html, &PageContext::new(&url)).page_type
        };
        assert_ne!(page_type(""), PageType::Product);
        for item in [
            "itemscope itemtype=https://schema.org/Product",
            "typeof=Product",
        ] {
            assert_eq!(page_type(item), PageType::Product);
        }
    }

    #[test]
    fn the_one_page_of_a_site_is_no_front_page() {
        // The root of a site was a front page by its URL alone.
        for path in ["", "index.html", "en/", "home"] {
            let url = format!("http://a.example/{path}");
            for paragraphs in [3, 14] {
                check(&url, &prose(paragraphs), false);
                check(&url, &format!("{}{}", prose(paragraphs), links(3)), false);
            }
            check(&url, &links(30), true);
        }
    }

    #[test]
    fn a_page_whose_url_is_not_known_is_no_front_page() {
        // The URL that stands for it has the path of a root.
        let html = format!(
            "<title>The lock</title><h1>The lock</h1><p>5 March 2021</p><article>{}</article>{}",
            prose(4),
            links(40)
        );
        let page_type = |url: &str| {
            let url = Url::parse(url).unwrap();
            crate::extract(&html, &PageContext::new(&url)).page_type
        };
        let known = page_type("http://a.example/2021/lock");
        assert_ne!(page_type("http://a.example/"), known);
        assert_eq!(page_type("http://unknown.invalid/"), known);
    }

    #[test]
    fn a_word_of_a_path_is_a_whole_segment() {
        let body = format!("{}{}", prose(2), links(6));
        let html = format!("<main>{body}</main>");
        let points = |path: &str| {
            let url = Url::parse(&format!("http://a.example/{path}")).unwrap();
            let html = scraper::Html::parse_document(&html);
            let flat = FlatDom::of(&html);
            let survey = Survey::of(&flat);
            let main = vec![true; flat.runs.len()];
            let evidence = Evidence::gather(&flat, &survey, &Structured::default(), &main, &url);
            let found = points::of_each_type(&evidence);
            found
                .iter()
                .find(|found| found.0 == PageType::Listing)
                .unwrap()
                .1
        };
        let plain = points("p/7");
        for path in ["list/7", "a/list_12.html", "new", "archives/7", "s?q=1"] {
            assert!(points(path) > plain, "{path}");
        }
        for path in ["news/7", "new-york", "listen", "a/listing.html", "renew"] {
            assert_eq!(points(path), plain, "{path}");
        }
    }
}
