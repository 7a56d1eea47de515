//! The DOM as flat arrays, filled in one walk over the tree.
//!
//! All candidates need the same facts about an element: how much text it contains, how much of that
//! is in links, what its class names hint at, where it ends. In a tree each of these takes a walk;
//! in the arrays it is a look-up. Elements are in document order, so a subtree is a range and a child
//! comes after its parent. Sums over all subtrees take one backward pass.
//!
//! Text is cut into **runs**. A run is the longest stretch of text without the boundary of a block or
//! an empty line in it, which a reader sees as one line or paragraph. The classifier keeps or drops
//! whole runs.
//!
//! Cost: one walk; about 60 bytes for each element. No text is copied.

mod flattener;

use ego_tree::NodeId;
use scraper::{Html, node::Element};

use crate::char_counts::CharCounts;
use crate::class_hints::Hints;
use crate::tag::Tag;

use flattener::Flattener;

/// The number of an element in [`FlatDom::elements`].
pub(crate) type ElementIndex = u32;

/// The index that stands for no element, such as the parent of the root.
pub(crate) const NO_ELEMENT: ElementIndex = u32::MAX;

/// The most elements of a page; further ones are ignored. The largest real pages have a tenth.
const ELEMENTS_MAX: usize = 400_000;

/// The most runs of a page; further ones are ignored. Each takes some 900 bytes while its features
/// are computed. The longest of 454 sample pages has 1,300.
const RUNS_MAX: usize = 65_536;

/// Weight of the longest text that is left out because it is not seen inside a line: letters, or a third
/// of it in Chinese. What is longer is the rest of a paragraph behind "read more".
const UNSEEN_WEIGHT_MAX: u32 = 120;

/// An element.
pub(crate) struct FlatElement<'a> {
    pub tag: Tag,
    pub hints: Hints,
    pub traits: Traits,
    pub parent: ElementIndex,
    /// One past the last element inside this one.
    pub end: ElementIndex,
    pub depth: u16,
    pub element: &'a Element,
    pub id: NodeId,
    /// The first run that starts at or after this element.
    pub first_run: u32,
    /// One past the last run with text inside this element.
    pub end_run: u32,
    /// A hash of its tag and first class. Siblings with the same hash are alike.
    pub shape: u32,
    /// Counts over the text inside it.
    pub counts: CharCounts,
    /// Weight of the text inside it that is in links.
    pub link_weight: u32,
}

/// What is known of an element by its attributes, and of what it holds, one bit each.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Traits(pub u16);

impl Traits {
    /// It is not shown: `hidden`, `display:none`, `aria-hidden`.
    pub const HIDDEN: Traits = Traits(1);
    /// It is a link with a target.
    pub const LINK: Traits = Traits(2);
    /// It is marked as content: `role=main`, `role=article`, `itemprop=articleBody` or the like.
    pub const CONTENT_ROLE: Traits = Traits(4);
    /// It is marked as boilerplate by an ARIA role: navigation, complementary, banner, contentinfo,
    /// search, dialog or the like.
    pub const LANDMARK_ROLE: Traits = Traits(8);
    /// It is shown to screen readers only: class `sr-only` or the like.
    pub const SCREEN_READER: Traits = Traits(16);
    /// It stands for a formula, with all that is in it.
    pub const FORMULA: Traits = Traits(32);
    /// It is a part of a line and not shown; its text is left out of the run. Sites hide letters between
    /// the words so that copies differ. Hidden blocks keep their runs, for scripts unfold blocks, and so
    /// do formulas, which are hidden beside their pictures.
    pub const UNSEEN: Traits = Traits(64);
    /// Its own letters have no size; elements in it may have one of their own.
    pub const SIZELESS: Traits = Traits(128);
    /// It is the label of a radio button or a checkbox.
    pub const CHOICE: Traits = Traits(256);
    /// It is a form with a field to fill in.
    pub const ASKS: Traits = Traits(512);
    /// It is the main part of the page, or holds it.
    pub const HOLDS_MAIN: Traits = Traits(1024);
    /// It is a heading of the first level, or holds one.
    pub const HOLDS_TITLE: Traits = Traits(2048);
    /// It is a table, a listing or a quotation, or holds one beside its captions.
    pub const HOLDS_EXHIBIT: Traits = Traits(4096);
    /// What the elements around one hold as well.
    const HELD: Traits =
        Traits(Traits::HOLDS_MAIN.0 | Traits::HOLDS_TITLE.0 | Traits::HOLDS_EXHIBIT.0);
    const HIDDEN_AND_UNSEEN: Traits = Traits(Traits::HIDDEN.0 | Traits::UNSEEN.0);

    pub(crate) fn has(self, other: Traits) -> bool {
        self.0 & other.0 != 0
    }

    fn add(&mut self, other: Traits) {
        self.0 |= other.0;
    }

    fn remove(&mut self, other: Traits) {
        self.0 &= !other.0;
    }

    /// What a style attribute says; of a very long one its first declarations.
    fn of_style(style: &str) -> Traits {
        let style = &style.as_bytes()[..style.len().min(300)];
        let mut compact = [0u8; 300];
        let mut len = 0;
        for &byte in style {
            if !byte.is_ascii_whitespace() {
                compact[len] = byte.to_ascii_lowercase();
                len += 1;
            }
        }
        let compact = std::str::from_utf8(&compact[..len]).unwrap_or("");
        let mut traits = Traits::default();
        if compact.contains("display:none") || compact.contains("visibility:hidden") {
            traits.add(Traits::HIDDEN_AND_UNSEEN);
        }
        if let Some((_, size)) = compact.split_once("font-size:0") {
            // "0", "0px", "0.0em", but not "0.8em".
            let end = size.find([';', '!']).unwrap_or(size.len());
            if !size[..end].contains(|c: char| matches!(c, '1'..='9')) {
                traits.add(Traits::SIZELESS);
            }
        }
        traits
    }
}

/// What an element is for the elements around it.
fn held_by_tag(tag: Tag) -> Traits {
    match tag {
        Tag::Main => Traits::HOLDS_MAIN,
        Tag::H1 => Traits::HOLDS_TITLE,
        Tag::Table | Tag::Pre | Tag::Blockquote => Traits::HOLDS_EXHIBIT,
        _ => Traits::default(),
    }
}

/// A piece of a run: a text node, or a line break, whose text is empty.
pub(crate) struct Piece<'a> {
    pub text: &'a str,
    /// The element it stands in.
    pub element: ElementIndex,
}

/// A stretch of text that a reader sees as one line or paragraph.
#[derive(Debug, Clone)]
pub(crate) struct Run {
    /// Its pieces in [`FlatDom::pieces`].
    pub pieces: std::ops::Range<u32>,
    /// The nearest block element around it.
    pub owner: ElementIndex,
    pub counts: CharCounts,
    pub link_weight: u32,
    /// Line breaks inside it.
    pub breaks: u16,
}

/// The page as arrays.
pub(crate) struct FlatDom<'a> {
    pub elements: Vec<FlatElement<'a>>,
    pub pieces: Vec<Piece<'a>>,
    pub runs: Vec<Run>,
    /// `<title>` with whitespace collapsed, as far as a field has it.
    pub title: String,
    /// `<meta>`: the name, property or itemprop as written, and the content.
    pub metas: Vec<(&'a str, &'a str)>,
    /// The texts of `<script type="application/ld+json">`.
    pub json_ld: Vec<&'a str>,
    /// The page's other scripts.
    pub scripts: Vec<&'a str>,
    /// `<link rel href>` of the kinds metadata reads.
    pub head_links: Vec<(&'a str, &'a str)>,
    /// `href` of the first `<base>` that has one.
    pub base: Option<&'a str>,
    /// `lang` of `<html>`.
    pub lang: Option<&'a str>,
    /// The bound that was met, so that the rest of the page is missing: `elements` or `runs`.
    pub cut: Option<&'static str>,
}

impl<'a> FlatDom<'a> {
    /// Flattens a parsed page.
    pub(crate) fn of(html: &'a Html) -> FlatDom<'a> {
        let mut walk = Flattener {
            flat: FlatDom {
                elements: Vec::with_capacity(1024),
                pieces: Vec::with_capacity(512),
                runs: Vec::with_capacity(256),
                title: String::new(),
                metas: Vec::new(),
                json_ld: Vec::new(),
                scripts: Vec::new(),
                head_links: Vec::new(),
                base: None,
                lang: None,
                cut: None,
            },
            current: NO_ELEMENT,
            block: NO_ELEMENT,
            open: None,
            breaks: 0,
            links: 0,
        };
        let root = html.tree.root();
        let mut node = root;
        loop {
            if walk.enter(node)
                && let Some(child) = node.first_child()
            {
                node = child;
                continue;
            }
            loop {
                if node.id() == root.id() {
                    walk.flush();
                    let mut flat = walk.flat;
                    flat.sum();
                    return flat;
                }
                walk.leave(node);
                if let Some(next) = node.next_sibling() {
                    node = next;
                    break;
                }
                node = node.parent().unwrap_or(root);
            }
        }
    }

    /// The elements directly in another.
    pub(crate) fn children(
        &self,
        parent: ElementIndex,
    ) -> impl Iterator<Item = ElementIndex> + use<'_, 'a> {
        let end = self.elements.get(parent as usize).map_or(0, |at| at.end);
        let mut next = parent.saturating_add(1);
        std::iter::from_fn(move || {
            let child = (next < end).then_some(next)?;
            next = self.elements.get(child as usize)?.end;
            Some(child)
        })
    }

    /// The elements from `index` up to the root, itself first; at most 64, so that the cost is bounded
    /// on any page.
    pub(crate) fn ancestors(
        &self,
        index: ElementIndex,
    ) -> impl Iterator<Item = ElementIndex> + use<'_, 'a> {
        let mut next = index;
        std::iter::from_fn(move || {
            let this = self.elements.get(next as usize)?;
            let index = next;
            next = this.parent;
            Some(index)
        })
        .take(64)
    }

    /// Whether `inner` is `outer` or inside it.
    pub(crate) fn contains(&self, outer: ElementIndex, inner: ElementIndex) -> bool {
        inner >= outer && inner < self.elements[outer as usize].end
    }

    /// The content of the first `<meta>` with one of these names, in the order of the names.
    pub(crate) fn meta(&self, names: &[&str]) -> Option<&'a str> {
        names.iter().find_map(|wanted| {
            self.metas
                .iter()
                .find(|(name, content)| {
                    name.eq_ignore_ascii_case(wanted) && !content.trim().is_empty()
                })
                .map(|(_, content)| content.trim())
        })
    }

    /// The run's text with whitespace collapsed; a line break is a line feed.
    pub(crate) fn run_text(&self, run: &Run) -> String {
        let pieces = &self.pieces[run.pieces.start as usize..run.pieces.end as usize];
        // What is collapsed may be longer by far than the text.
        let bytes: usize = pieces.iter().map(|piece| piece.text.len() + 1).sum();
        let mut out = String::with_capacity(bytes.min(512));
        self.run_text_into(run, &mut out);
        out
    }

    /// As [`FlatDom::run_text`], into a buffer that is cleared first.
    pub(crate) fn run_text_into(&self, run: &Run, out: &mut String) {
        out.clear();
        for piece in &self.pieces[run.pieces.start as usize..run.pieces.end as usize] {
            if piece.text.is_empty() {
                out.truncate(out.trim_end_matches(' ').len());
                if !out.is_empty() && !out.ends_with('\n') {
                    out.push('\n');
                }
            } else {
                crate::whitespace::push_collapsed(out, piece.text);
            }
        }
        out.truncate(out.trim_end().len());
    }

    /// Whether an element stands around the page's text, so that its name is that of the page: it holds the main
    /// part, or the title and half of what is on the page ("content-sidebar-wrap", "has-sidebar").
    pub(crate) fn is_frame(&self, at: ElementIndex) -> bool {
        let element = &self.elements[at as usize];
        let page = self.elements[0].counts.weight;
        matches!(element.tag, Tag::Html | Tag::Body)
            || element.traits.has(Traits::HOLDS_MAIN)
            || element.traits.has(Traits::HOLDS_TITLE) && element.counts.weight >= page / 2
    }

    /// Adds the counts of each element to those of its parent, and tells the parent what it holds.
    fn sum(&mut self) {
        for index in (1..self.elements.len()).rev() {
            let (counts, link_weight, held, parent) = {
                let this = &mut self.elements[index];
                if this.traits.has(Traits::LINK) {
                    this.link_weight = this.counts.weight;
                }
                this.traits.add(held_by_tag(this.tag));
                let mut held = Traits(this.traits.0 & Traits::HELD.0);
                if this.tag == Tag::Figcaption || this.counts.weight == 0 {
                    held.remove(Traits::HOLDS_EXHIBIT);
                }
                (this.counts, this.link_weight, held, this.parent)
            };
            if let Some(parent) = self.elements.get_mut(parent as usize) {
                parent.counts.add(counts);
                parent.link_weight += link_weight;
                parent.traits.add(held);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(html: &str) -> Vec<String> {
        let html = Html::parse_document(html);
        let flat = FlatDom::of(&html);
        flat.runs.iter().map(|run| flat.run_text(run)).collect()
    }

    #[test]
    fn a_run_ends_where_a_block_or_an_empty_line_does() {
        assert_eq!(
            lines("<p>One <b>two</b> three<div>four<br>five<br><br>six</div>seven"),
            ["One two three", "four\nfive", "six", "seven"]
        );
    }

    #[test]
    fn a_link_that_calls_or_writes_to_somebody_is_text() {
        for (href, is_link) in [
            ("mailto:a@a.example", false),
            (" TEL:+47", false),
            ("/tel:1", true),
            ("telephones.html", true),
        ] {
            let page = format!("<p><a href='{href}'>Ann</a>");
            let html = Html::parse_document(&page);
            let weight = FlatDom::of(&html).elements[0].link_weight;
            assert_eq!(weight > 0, is_link, "{href}");
        }
    }

    #[test]
    fn a_picture_that_a_font_draws_makes_no_run() {
        let icon = "<span class=icon>\u{e03a}</span>";
        assert_eq!(
            lines(&format!("<div>{icon}</div><h4>One</h4><p>two")),
            ["One", "two"]
        );
        assert_eq!(lines(&format!("<p>{icon} One")), ["\u{e03a} One"]);
        assert_eq!(lines(&format!("<p>One {icon}")), ["One \u{e03a}"]);
    }

    #[test]
    fn a_frame_holds_the_main_part_or_the_title_and_half_of_the_page() {
        let is_frame = |html: &str, name: &str| {
            let html = Html::parse_document(html);
            let flat = FlatDom::of(&html);
            let at = flat
                .elements
                .iter()
                .position(|element| element.element.attr("id") == Some(name));
            flat.is_frame(at.unwrap() as ElementIndex)
        };
        for (html, expected) in [
            ("<div id=a><main>x</main></div><p>much more beside it", true),
            (
                "<div id=a><div role=main>x</div></div><p>much more beside it",
                true,
            ),
            ("<div id=a><h1>One</h1><p>two three</div><p>four", true),
            ("<div id=a><h1>One</h1></div><p>two three", false),
            ("<h1>One</h1><div id=a><p>two three</div>", false),
            ("<body id=a><p>x", true),
        ] {
            assert_eq!(is_frame(html, "a"), expected, "{html}");
        }
    }

    #[test]
    fn a_title_is_bounded() {
        // It was compared with each heading and copied for each row of a state.
        let html = format!("<title>  The \n lock{}</title>", " x".repeat(100_000));
        let html = Html::parse_document(&html);
        let title = FlatDom::of(&html).title;
        assert!(title.starts_with("The lock x"));
        assert_eq!(title.chars().count(), 500);
    }

    #[test]
    fn text_without_a_visible_character_makes_no_run_for_the_elements_around_it() {
        for html in [
            "<p>One<p><b>\0</b>",
            "<p>One<p><b>\u{1}\u{2}</b>",
            "<b>\u{1}</b>",
        ] {
            let html = Html::parse_document(html);
            let flat = FlatDom::of(&html);
            let count = flat.runs.len() as u32;
            assert!(flat.elements.iter().all(|element| element.end_run <= count));
        }
    }

    #[test]
    fn the_insides_of_scripts_and_form_fields_are_no_text() {
        assert_eq!(
            lines("<script>x</script><select><option>a</select><p>b<style>c</style>"),
            ["b"]
        );
    }

    #[test]
    fn markup_in_a_picture_is_text_and_the_names_in_it_are_none() {
        let picture =
            |inside: &str| format!("<p>one<svg><text>axis</text><title>t</title>{inside}</svg>two");
        let foreign =
            "<g><foreignObject><div><p>A box.</p><p>Another.</p></div></foreignObject></g>";
        assert_eq!(
            lines(&picture(foreign)),
            ["one", "A box.", "Another.", "two"]
        );
        assert_eq!(lines(&picture("")), ["onetwo"]);
    }

    #[test]
    fn the_gutter_of_a_code_listing_is_no_text() {
        let code = "<td class=code><pre>let a = 1;\nlet b = 2;</pre>";
        for gutter in [
            "<td class=gutter><pre><span class=line>1</span><br><span>2</span></pre>",
            "<td class=lntd><pre><span class=lnt>1\n</span><span class=lnt>2\n</span></pre>",
            "<td class='blob line-numbers'>1 2",
        ] {
            let page = format!("<table><tr>{gutter}{code}</table>");
            assert_eq!(lines(&page), ["let a = 1; let b = 2;"], "{gutter}");
        }
        let named = "<pre class=line-numbers>let a = 1;</pre><b class=number>2</b>";
        assert_eq!(lines(named), ["let a = 1;", "2"]);
    }

    #[test]
    fn runs_beyond_the_bound_are_left_out_and_reported() {
        let page = |runs: usize| Html::parse_document(&"<p>word".repeat(runs));
        let (most, more) = (page(RUNS_MAX), page(RUNS_MAX + 1));
        let flat = FlatDom::of(&most);
        assert_eq!((flat.runs.len(), flat.cut), (RUNS_MAX, None));
        let flat = FlatDom::of(&more);
        assert_eq!((flat.runs.len(), flat.cut), (RUNS_MAX, Some("runs")));
        assert_eq!(flat.elements[0].counts.words as usize, RUNS_MAX);
    }

    #[test]
    fn sums_reach_the_root() {
        let html = Html::parse_document("<div><p>abc <a href=/x>de</a></p><p>f</p></div>");
        let flat = FlatDom::of(&html);
        assert_eq!(flat.elements[0].counts.chars, 6);
        assert_eq!(flat.elements[0].link_weight, 2);
        assert_eq!(flat.elements[0].end as usize, flat.elements.len());
    }

    #[test]
    fn text_hidden_inside_a_line_is_no_part_of_its_run() {
        for hidden in [
            "<span style='display: none'>x</span>",
            "<font class=jammer>x</font>",
            "<i style='Font-Size : 0PX;color:#FFF'>x</i>",
            "<span style='visibility:hidden'><b>x</b></span>",
            "<span hidden>x</span>",
        ] {
            assert_eq!(
                lines(&format!("<p>One{hidden} two")),
                ["One two"],
                "{hidden}"
            );
        }
        for seen in [
            "<i style='font-size:0.8em'>x</i>",
            "<i aria-hidden=true>x</i>",
            "<span style='font-size:0'><b style='font-size:9px'>x</b></span>",
            "<span style='display:none'><math><mi>x</mi></math></span>",
        ] {
            assert_eq!(lines(&format!("<p>One{seen} two")), ["Onex two"], "{seen}");
        }
        let block = "<span hidden>One<div>two</div></span>";
        assert_eq!(lines(block), ["two"]);
        let rest = "and more ".repeat(20);
        let unfolded = format!("<p>One<span style='display:none'> {rest}</span>");
        assert_eq!(lines(&unfolded), [format!("One {}", rest.trim())]);
    }

    #[test]
    fn an_element_hidden_by_its_style_is_marked() {
        let html = Html::parse_document("<div style='Display : NONE'>a</div>");
        let flat = FlatDom::of(&html);
        let div = flat
            .elements
            .iter()
            .find(|element| element.tag == Tag::Div)
            .unwrap();
        assert!(div.traits.has(Traits::HIDDEN));
    }
}
