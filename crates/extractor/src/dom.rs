//! Markup to a tree, within bounds: the only place where HTML is parsed.
//!
//! Scripting is off, so the content of `<noscript>` is markup like any other. The tree may be deep:
//! it is stored as a vector of nodes and must be walked without recursion.

use std::borrow::Cow;

use html5ever::tree_builder::{TreeBuilder, TreeBuilderOpts, TreeSink};
use html5ever::{LocalName, ns};
use scraper::Html;
use scraper::node::Element;

use crate::bounded::byte_prefix;
use crate::parse_limits::DomLimits;
use crate::parse_limits::token_gate::TokenGate;
use crate::parse_limits::work_meter::WorkMeter;
use crate::tokenizer::Tokenizer;

/// A page's tree, and which bounds it met.
pub(crate) struct BoundedDom {
    /// The tree.
    pub html: Html,
    /// The bounds that were met, by name: `html_bytes`, `dom_attributes`, `dom_depth`, `dom_nodes`,
    /// `dom_work`. Normal pages meet none.
    pub limits_hit: Vec<&'static str>,
    /// Units of work that parsing took; see [`DomLimits::work_max`].
    #[cfg_attr(not(test), expect(dead_code, reason = "measured by the tests"))]
    pub work: u64,
    /// Nodes that were created.
    #[cfg_attr(not(test), expect(dead_code, reason = "measured by the tests"))]
    pub nodes: u64,
}

/// Parses a page. Takes time linear in its length, whatever it contains; never fails. As the standard has it, but
/// for a comment that goes on to the end of the page, which would swallow the text behind it: it ends at the
/// first `>`.
pub(crate) fn parse(html: &str, limits: &DomLimits) -> BoundedDom {
    parse_as(Syntax::Html, html, limits)
}

/// How a page's markup is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Syntax {
    Html,
    /// XML: a tag that ends with `/>` is a whole element, whatever its name.
    Xhtml,
}

/// As [`parse`], for markup of either syntax. Where XML is broken it is read on as HTML is.
pub(crate) fn parse_as(syntax: Syntax, html: &str, limits: &DomLimits) -> BoundedDom {
    // Where the page is cut its comments may have ended in what is missing.
    let is_whole = !limits.is_part && html.len() <= limits.html_bytes_max;
    parse_by(syntax, html, limits, is_whole)
}

fn parse_by(
    syntax: Syntax,
    html: &str,
    limits: &DomLimits,
    ends_open_comments: bool,
) -> BoundedDom {
    let mut limits_hit = Vec::new();
    // Decoding drops a byte order mark, but a string may come from elsewhere.
    let html = html.strip_prefix('\u{FEFF}').unwrap_or(html);
    let bounded = byte_prefix(html, limits.html_bytes_max);
    if bounded.len() < html.len() {
        limits_hit.push("html_bytes");
    }
    let options = TreeBuilderOpts {
        scripting_enabled: false,
        ..TreeBuilderOpts::default()
    };
    let gate = TokenGate::new(TreeBuilder::new(WorkMeter::new(), options), limits.clone());
    let page = with_line_feeds(bounded);
    let tokenizer = Tokenizer::new(&page, gate, limits).of_syntax(syntax);
    let (gate, cut_tags) = match ends_open_comments {
        true => tokenizer.ending_open_comments().run(),
        false => tokenizer.run(),
    };
    if cut_tags > 0 {
        limits_hit.push("dom_attributes");
    }
    if gate.flattened() {
        limits_hit.push("dom_depth");
    }
    if let Some(limit) = gate.stopped()
        && !limits_hit.contains(&limit)
    {
        limits_hit.push(limit);
    }
    let (html, counts) = gate.builder.sink.finish();
    BoundedDom {
        html,
        limits_hit,
        work: counts.work.get(),
        nodes: counts.nodes.get(),
    }
}

/// Access to an element's attributes that is cheaper than `Element::attr`, which interns the name
/// first. A linear search is enough, since few elements have more than four attributes.
pub(crate) trait Attributes {
    /// The value of an attribute without a namespace.
    fn attribute(&self, name: &LocalName) -> Option<&str>;
}

impl Attributes for Element {
    fn attribute(&self, name: &LocalName) -> Option<&str> {
        let mut attributes = self.attrs.iter();
        let named = attributes.find(|(key, _)| key.local == *name && key.ns == ns!());
        named.map(|(_, value)| &**value)
    }
}

/// The text with every line end as a line feed, as the standard demands before tokenizing.
fn with_line_feeds(html: &str) -> Cow<'_, str> {
    let bytes = html.as_bytes();
    if memchr::memchr(b'\r', bytes).is_none() {
        return Cow::Borrowed(html);
    }
    let mut out = String::with_capacity(html.len());
    let mut from = 0;
    for at in memchr::memchr_iter(b'\r', bytes) {
        out.push_str(&html[from..at]);
        if bytes.get(at + 1) != Some(&b'\n') {
            out.push('\n');
        }
        from = at + 1;
    }
    out.push_str(&html[from..]);
    Cow::Owned(out)
}

#[cfg(test)]
mod tests {
    use html5ever::driver::{ParseOpts, parse_document};
    use html5ever::tendril::TendrilSink;
    use proptest::prelude::*;
    use scraper::{HtmlTreeSink, Node};

    use super::*;

    /// The parser without any of our bounds.
    fn unbounded(html: &str) -> Html {
        let options = ParseOpts {
            tree_builder: TreeBuilderOpts {
                scripting_enabled: false,
                ..TreeBuilderOpts::default()
            },
            ..ParseOpts::default()
        };
        parse_document(HtmlTreeSink::new(Html::new_document()), options).one(html)
    }

    #[track_caller]
    fn check_unchanged(html: &str) {
        let bounded = parse_by(Syntax::Html, html, &DomLimits::default(), false);
        assert_eq!(bounded.limits_hit, Vec::<&str>::new());
        assert_eq!(bounded.html.html(), unbounded(html).html(), "{html:?}");
    }

    /// Parses a hostile page: its work and nodes must stay below the budget, and the named limits
    /// must be reported.
    #[track_caller]
    fn check_bounded(html: &str, limits_hit: &[&str]) -> BoundedDom {
        let limits = DomLimits::default();
        let dom = parse(html, &limits);
        assert_eq!(dom.limits_hit, limits_hit);
        // A single token may overrun the budget by what one step of the tree builder costs.
        assert!(dom.work < limits.work_max + 100_000, "{} units", dom.work);
        assert!(dom.nodes < limits.nodes_max + 2_000, "{} nodes", dom.nodes);
        dom
    }

    fn depth(html: &Html) -> usize {
        html.tree
            .nodes()
            .map(|node| node.ancestors().count())
            .max()
            .unwrap_or(0)
    }

    fn elements<'h>(
        html: &'h Html,
        name: &'h str,
    ) -> impl Iterator<Item = &'h scraper::node::Element> {
        html.tree
            .nodes()
            .filter_map(move |node| match node.value() {
                Node::Element(element) if element.name() == name => Some(element),
                _ => None,
            })
    }

    #[test]
    fn a_normal_page_is_parsed_as_html5ever_parses_it() {
        check_unchanged("");
        check_unchanged("<!doctype html><title>t &amp; <b></title><p>x<p a=1 a=2 b='>'>y</a>z");
        check_unchanged("<table><tr><td>a<table><b>c</table><select><option>o<option>p</select>");
        check_unchanged(
            "<svg><![CDATA[ <p a> ]]><path d=''/><title><p>x</title></svg><![CDATA[ <p> ]]>",
        );
        check_unchanged("<b><p>x</b>y<i><div></i>z<a href=1>p<a href=2>q");
        check_unchanged("<script>a<b c=\"</script><p d>x<!--><p>--><!-- --!><p>");
        check_unchanged("<script><!-- <script> </script> <p> --> </script><p q='1'>x");
        check_unchanged("<plaintext><p></plaintext><!--");
        check_unchanged(
            "<noscript><a href=x>y</a></noscript><textarea></textareax></TEXTAREA ><p>",
        );
    }

    #[test]
    fn a_closed_tag_is_a_whole_element_where_the_page_is_xml() {
        // What stood behind `<script src="x"/>` was the script's text.
        let text = |syntax, html: &str| -> String {
            let dom = parse_as(syntax, html, &DomLimits::default());
            let paragraphs = elements(&dom.html, "p").count();
            let links = elements(&dom.html, "a").count();
            format!("{paragraphs} {links}")
        };
        for closed in [
            "<script src='x'/>",
            "<style/>",
            "<iframe src='x'/>",
            "<textarea/>",
            "<title/>",
            "<noframes/>",
            "<xmp/>",
            "<plaintext/>",
        ] {
            let page = format!("{closed}<p>one</p><p><a href='/x'>two</a></p>");
            assert_eq!(text(Syntax::Xhtml, &page), "2 1", "{closed}");
            assert_eq!(text(Syntax::Html, &page), "0 0", "{closed}");
        }
        let tree = |html: &str| parse_as(Syntax::Xhtml, html, &DomLimits::default());
        for (page, same) in [
            ("<div/><p>one</p>", "<div></div><p>one</p>"),
            (
                "<div><a id='top'/>one</div>",
                "<div><a id='top'></a>one</div>",
            ),
            ("<br/>one<hr/><img src='x'/>", "<br>one<hr><img src='x'>"),
            (
                "<svg><g><g/><path/></g></svg><svg/><p>one</p>",
                "<svg><g><g></g><path></path></g></svg><svg></svg><p>one</p>",
            ),
            (
                "<script>a</script><p>one</p>",
                "<script>a</script><p>one</p>",
            ),
        ] {
            let same = parse(same, &DomLimits::default()).html.html();
            assert_eq!(tree(page).html.html(), same, "{page}");
        }
    }

    #[test]
    fn a_byte_order_mark_is_no_text() {
        check_unchanged("\u{FEFF}<!doctype html><title>t</title>");
    }

    #[test]
    fn noscript_holds_markup() {
        let dom = parse(
            "<body><noscript><a href=x>y</a></noscript>",
            &DomLimits::default(),
        );
        assert_eq!(elements(&dom.html, "a").count(), 1);
    }

    #[test]
    fn thirty_thousand_nested_divs_are_flattened_at_512() {
        let html = "<div>x".repeat(30_000);
        let dom = check_bounded(&html, &["dom_depth", "dom_work"]);
        assert!(depth(&dom.html) <= 520);
        // Each div below the limit looks twice at 512 open elements, for a paragraph to close.
        // Without the bound all of them would take 900 million looks.
        assert!(elements(&dom.html, "div").count() > 20_000);
    }

    #[test]
    fn two_hundred_thousand_attributes_are_cut_to_1024() {
        let mut html = String::from("<p ");
        for number in 0..200_000 {
            html.push_str(&format!("a{number}=1 "));
        }
        html.push_str(">after</p><p id=next>");
        let dom = check_bounded(&html, &["dom_attributes"]);
        let counts: Vec<usize> = elements(&dom.html, "p").map(|p| p.attrs.len()).collect();
        assert_eq!(counts, [1024, 1]);
        assert!(dom.html.html().contains(">after</p>"));
    }

    #[test]
    fn many_tags_of_many_attributes_keep_fewer_once_the_page_has_used_up_its_comparisons() {
        let tag: String = (0..1000).map(|number| format!("a{number} ")).collect();
        let html = format!("<p {tag}>").repeat(100);
        let dom = check_bounded(&html, &["dom_attributes"]);
        let total: usize = elements(&dom.html, "p").map(|p| p.attrs.len()).sum();
        assert!(total < 40_000, "{total}");
    }

    #[test]
    fn parsing_stops_where_a_page_has_too_many_attributes() {
        let limits = DomLimits::default();
        let tag = "<p a b c d e f g h i>";
        let tags = limits.page_attributes_max as usize / 9;
        let most = tag.repeat(tags);
        assert_eq!(check_bounded(&most, &[]).limits_hit, Vec::<&str>::new());
        let more = tag.repeat(2 * tags);
        let dom = check_bounded(&more, &["dom_attributes"]);
        let kept: usize = elements(&dom.html, "p").map(|p| p.attrs.len()).sum();
        assert!(kept as u64 <= limits.page_attributes_max + 9, "{kept}");
    }

    #[test]
    fn repeated_body_tags_do_not_pile_up_attributes() {
        let html: String = (0..100_000)
            .map(|number| format!("<body a{number}>"))
            .collect();
        let dom = check_bounded(&html, &[]);
        assert!(elements(&dom.html, "body").all(|body| body.attrs.len() <= 256));
    }

    #[test]
    fn half_a_megabyte_of_lists_in_lists_stays_within_its_budget() {
        let html = "<ul><li>".repeat(64 * 1024);
        let dom = parse(&html, &DomLimits::default());
        assert_eq!(dom.limits_hit[0], "dom_depth");
        assert!(dom.work < 31_000_000);
    }

    #[test]
    fn formatting_elements_reopened_in_every_paragraph_stay_within_their_budget() {
        let html: String = (0..50_000)
            .map(|number| format!("<p><b id={number}>x"))
            .collect();
        let dom = parse(&html, &DomLimits::default());
        assert!(!dom.limits_hit.is_empty());
        assert!(dom.work < 31_000_000 && dom.nodes < 502_000);
    }

    #[test]
    fn formatting_elements_of_many_attributes_stay_within_their_budget() {
        let attributes: String = (0..100).map(|number| format!("a{number} ")).collect();
        let html: String = (0..60)
            .map(|number| format!("<b x{number} {attributes}>"))
            .collect();
        let dom = parse(&(html + &"<b></b>".repeat(100_000)), &DomLimits::default());
        assert_eq!(dom.limits_hit, ["dom_work"]);
        assert!(dom.work < 31_000_000);
    }

    #[test]
    fn end_tags_that_match_nothing_stay_within_their_budget() {
        let html = "<span>".repeat(600) + &"</i></q>".repeat(500_000);
        let dom = parse(&html, &DomLimits::default());
        assert!(dom.limits_hit.contains(&"dom_work"));
        assert!(dom.work < 31_000_000);
    }

    #[test]
    fn tables_in_tables_and_foreign_elements_are_flattened_too() {
        for bomb in [
            "<table><tr><td>",
            "<svg><g>",
            "<math><mi>",
            "<a><table>",
            "<select><option>",
            "<template>",
            "<b><table>",
            "<button><p>",
            "<dl><dd>",
            "<object><b c>",
        ] {
            let html = bomb.repeat(5_000) + "<p>end";
            let dom = parse(&html, &DomLimits::default());
            assert!(depth(&dom.html) < 1_600, "{bomb} {}", depth(&dom.html));
            assert!(dom.work < 31_000_000, "{bomb}");
        }
    }

    #[test]
    fn void_and_self_closing_elements_are_no_depth() {
        check_unchanged(&"<br><img src=x><input>".repeat(2_000));
        check_unchanged(&format!("<svg>{}</svg>", "<path/>".repeat(12_000)));
    }

    #[test]
    fn a_link_below_the_depth_limit_keeps_its_address() {
        let html = "<div>".repeat(600) + "<a href=/x>text</a>";
        let dom = parse(&html, &DomLimits::default());
        let hrefs: Vec<_> = elements(&dom.html, "a").map(|a| a.attr("href")).collect();
        assert_eq!(hrefs, [Some("/x")]);
    }

    #[test]
    fn a_comment_without_an_end_does_not_swallow_the_page() {
        let text = |html: &str| -> String {
            let dom = parse(html, &DomLimits::default());
            dom.html.root_element().text().collect()
        };
        assert_eq!(
            text("<p>one<!-- a note ><p>two<!-- b ><p>three"),
            "onetwothree"
        );
        assert_eq!(text("<p>one<!-- a > note --><p>two<!-- b"), "onetwo");
        // What ends is a comment to its end.
        assert_eq!(text("<p>one<!-- a <p>two --!><p>three"), "onethree");
        // What is missing of a page that is cut may have ended it.
        let limits = DomLimits {
            html_bytes_max: 16,
            ..DomLimits::default()
        };
        let dom = parse("<p>one<!-- a ><p>two -->", &limits);
        assert_eq!(dom.html.root_element().text().collect::<String>(), "one");
        // Many of them take no longer than one.
        check_bounded(&"<!-- -- x".repeat(100_000), &[]);
    }

    #[test]
    fn a_page_beyond_the_byte_limit_is_cut_at_a_character() {
        let limits = DomLimits {
            html_bytes_max: 10,
            ..DomLimits::default()
        };
        let dom = parse("<p>网页去重", &limits);
        assert_eq!(dom.limits_hit, ["html_bytes"]);
        assert!(dom.html.html().contains("网页<"));
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(1000))]

        /// Where no limit is met the tree is that of html5ever's own tokenizer, and with a limit of
        /// three no tag keeps four attributes.
        #[test]
        fn tag_soup_is_parsed_as_html5ever_parses_it_and_its_attributes_are_capped(
            pieces in proptest::collection::vec(proptest::sample::select(&[
                "<p ", "a=1 ", "b='", "c=\"", "'", "\"", ">", "/>", "</p ", "<script", "</script",
                "<!--", "-->", "--!>", "<!-->", "-", "<style>", "</style>", "<title ", "</title>",
                "<svg>", "</svg>", "<![CDATA[", "]]>", "<textarea>", "</textarea ", "<!doctype ",
                "<?x ", "</ ", "<", "=", " d", " e", " f=g", "\n", "网", "<b q>", "</b>", "<table>",
                "<plaintext", "<xmp>", "</xmp/", "<math><mtext>", "<iframe>", "</iframe>",
                "<noscript>", "<select>", "<template>", "</template>", "&amp", "\0", "<script>",
                "<pre>", "\r\n", "\r", "&#13;", "&lt;", "&notit", "&#38", "&#xg", "x", "!", "<!", "?", "P", "K=1 ",
                "<td>", "<frameset>", "<b A>", "</table>", "<tr>", "</xmp>", "<!doctype html PUBLIC \"a\">",
            ][..]), 0..40)
        ) {
            let html = pieces.concat();
            let dom = parse_by(Syntax::Html, &html, &DomLimits::default(), false);
            prop_assert_eq!(dom.html.html(), unbounded(&html).html());
            let few = DomLimits { attributes_max: 3, ..DomLimits::default() };
            let dom = parse(&html, &few);
            for node in dom.html.tree.nodes() {
                if let Node::Element(element) = node.value() {
                    // Repeated <html> and <body> tags add theirs; none are in these pieces.
                    prop_assert!(element.attrs.len() <= 3);
                }
            }
        }
    }
}
