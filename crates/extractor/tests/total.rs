//! Extraction is a total function: every input gives a page.

use extractor::{PageContext, decode, extract};
use proptest::prelude::*;

fn read(html: &str) -> extractor::Page {
    let url = url::Url::parse("http://a.example/b").unwrap();
    extract(html, &PageContext::new(&url))
}

/// Markup made of the pieces that trip parsers, in any order.
fn markup() -> impl Strategy<Value = String> {
    let piece = prop::sample::select(vec![
        "<p>",
        "</p>",
        "<div class='content'>",
        "</div>",
        "<table>",
        "<tr>",
        "<td>",
        "</table>",
        "<ul><li>",
        "</ul>",
        "<a href='/x'>",
        "</a>",
        "<h1>",
        "</h1>",
        "<pre><code>",
        "</pre>",
        "<br>",
        "<article>",
        "</article>",
        "<script type='application/ld+json'>{\"@type\":[",
        "</script>",
        "<noscript>",
        "<svg>",
        "<math>",
        "<template>",
        "<select><option>",
        "<frameset>",
        "<body>",
        "</html>",
        "<time datetime='2021-13-99'>",
        "<meta property='og:title' content='  '>",
        "<title>",
        "</title>",
        "A sentence, with a comma, that is long enough to count as prose. ",
        "短句，有标点。",
        "&#0;&nbsp;&amp",
        "<!--",
        "-->",
        "<blockquote>",
        "<dl><dt>",
        "<figcaption>",
        "<button>",
        "<p hidden>",
        "<div style='display:none'>",
        "\u{0}\u{feff}\u{200b}",
    ]);
    prop::collection::vec(piece, 0..60).prop_map(|pieces| pieces.concat())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn any_markup_gives_a_page(html in markup()) {
        let page = read(&html);
        prop_assert_eq!(&page.text, &extractor::blocks::plain(&page.blocks));
        prop_assert!((0.0..=1.0).contains(&page.link_density));
        page.markdown();
    }

    #[test]
    fn any_bytes_give_a_page(bytes in prop::collection::vec(any::<u8>(), 0..600)) {
        read(&decode(&bytes, None, None).text);
    }

    #[test]
    fn reading_twice_gives_the_same_page(html in markup()) {
        prop_assert_eq!(read(&html), read(&html));
    }
}

#[test]
fn a_page_of_nothing_is_empty() {
    for html in [
        "",
        "<!doctype html>",
        "<html><head></head><body></body></html>",
    ] {
        let page = read(html);
        assert_eq!(page.text, "");
        assert_eq!(page.link_density, 1.0);
    }
}
