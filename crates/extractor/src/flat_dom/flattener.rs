//! The walk over the tree that fills the arrays.

use ego_tree::NodeRef;
use html5ever::{local_name, ns};
use scraper::{Node, node::Element};

use crate::char_counts::CharCounts;
use crate::class_hints::{Hint, Hints};
use crate::dom::Attributes;
use crate::formulas;
use crate::line_numbers;
use crate::tag::Tag;

use super::{
    ELEMENTS_MAX, ElementIndex, FlatDom, FlatElement, NO_ELEMENT, Piece, RUNS_MAX, Run, Traits,
    UNSEEN_WEIGHT_MAX,
};

/// The traits of an element, with that of a label of a radio button or a checkbox.
fn with_choice(mut traits: Traits, tag: Tag, node: NodeRef<'_, Node>) -> Traits {
    if tag == Tag::Label && is_of_choice(node) {
        traits.add(Traits::CHOICE);
    }
    traits
}

/// Whether a label holds a radio button or a checkbox, or stands beside one.
fn is_of_choice(label: NodeRef<'_, Node>) -> bool {
    const NODES_MAX: usize = 20;
    let within = label.descendants().take(NODES_MAX);
    let beside = |node: &NodeRef<'_, Node>| node.value().is_element();
    let before = label.prev_siblings().find(beside);
    let behind = label.next_siblings().find(beside);
    within.chain(before).chain(behind).any(|node| {
        let input = node
            .value()
            .as_element()
            .filter(|element| element.name() == "input");
        let kind = input.and_then(|input| input.attribute(&local_name!("type")));
        kind.is_some_and(|kind| {
            ["radio", "checkbox"]
                .iter()
                .any(|choice| kind.trim().eq_ignore_ascii_case(choice))
        })
    })
}

/// Whether a script is the source of a formula that is not on the page in another form. Where a
/// program has written the formula out, that stands right before its source.
fn is_formula_source(node: NodeRef<'_, Node>, element: &Element) -> bool {
    formulas::is_tex_script(element)
        && !node
            .prev_siblings()
            .filter_map(|sibling| sibling.value().as_element())
            .take(1)
            .any(formulas::is_formula)
}

/// Nodes of a picture that are looked at for markup: pictures may stand within pictures.
const PICTURE_NODES_MAX: usize = 20_000;

/// The element of a picture in which markup stands.
const FOREIGN_OBJECT: &str = "foreignObject";

/// An element's tag; markup in a picture is a block of the page.
fn tag_of(node: NodeRef<'_, Node>, element: &Element) -> Tag {
    match element.name() {
        "svg" if holds_markup(node) => Tag::Block,
        FOREIGN_OBJECT => Tag::Block,
        _ => Tag::of(&element.name.local),
    }
}

/// Whether markup stands in a picture, as drawings of layouts and diagrams have it.
fn holds_markup(picture: NodeRef<'_, Node>) -> bool {
    let mut elements = picture
        .descendants()
        .take(PICTURE_NODES_MAX)
        .filter_map(|below| below.value().as_element());
    elements.any(|element| element.name() == FOREIGN_OBJECT)
}

/// Whether a text is a picture's own, such as the names along its axes.
fn is_in_picture(text: NodeRef<'_, Node>) -> bool {
    let around = text.parent().and_then(|parent| parent.value().as_element());
    around.is_some_and(|element| element.name.ns == ns!(svg) && element.name() != FOREIGN_OBJECT)
}

pub(super) struct Flattener<'a> {
    pub(super) flat: FlatDom<'a>,
    /// The element that the walk is in.
    pub(super) current: ElementIndex,
    /// The nearest block element around it.
    pub(super) block: ElementIndex,
    /// The run being filled.
    pub(super) open: Option<Run>,
    /// Line breaks since the last text.
    pub(super) breaks: u32,
    /// How many links are open.
    pub(super) links: u32,
}

impl<'a> Flattener<'a> {
    /// Reads a node; returns whether to walk its children.
    pub(super) fn enter(&mut self, node: NodeRef<'a, Node>) -> bool {
        match node.value() {
            Node::Text(text) => {
                if !is_in_picture(node) {
                    self.text(text);
                }
                false
            }
            Node::Element(element) => self.element(node, element),
            Node::Document | Node::Fragment => true,
            Node::Doctype(_) | Node::Comment(_) | Node::ProcessingInstruction(_) => false,
        }
    }

    fn element(&mut self, node: NodeRef<'a, Node>, element: &'a Element) -> bool {
        let name = element.name();
        let tag = tag_of(node, element);
        if tag == Tag::Skipped && !is_formula_source(node, element) {
            self.skipped(node, element, name);
            return false;
        }
        match element.name.local {
            local_name!("meta") => {
                self.meta(element);
                return false;
            }
            local_name!("base") => {
                let href = element.attribute(&local_name!("href"));
                self.flat.base = self.flat.base.or(href);
            }
            local_name!("link") => {
                if let (Some(rel), Some(href)) = (
                    element.attribute(&local_name!("rel")),
                    element.attribute(&local_name!("href")),
                ) {
                    self.flat.head_links.push((rel, href));
                }
                return false;
            }
            _ => {}
        }
        if tag == Tag::Br {
            self.line_break();
            return false;
        }
        if self.flat.elements.len() >= ELEMENTS_MAX {
            self.flat.cut = Some("elements");
            return false;
        }
        let (hints, traits, shape) = self.attributes(tag, name, element);
        let traits = with_choice(self.inherited(tag, traits), tag, node);
        if tag.is_block() {
            self.flush();
        }
        if line_numbers::are_numbers(node, hints) {
            return false;
        }
        let index = self.flat.elements.len() as ElementIndex;
        let depth = match self.flat.elements.get(self.current as usize) {
            Some(parent) => parent.depth.saturating_add(1),
            None => 0,
        };
        self.flat.elements.push(FlatElement {
            tag,
            hints,
            traits,
            parent: self.current,
            end: index + 1,
            depth,
            element,
            id: node.id(),
            first_run: self.flat.runs.len() as u32,
            end_run: self.flat.runs.len() as u32,
            shape,
            counts: CharCounts::default(),
            link_weight: 0,
        });
        self.current = index;
        if tag.is_block() {
            self.block = index;
        }
        if traits.has(Traits::LINK) {
            self.links += 1;
        }
        true
    }

    /// The traits of an element inside the current one: what is inside something unseen is unseen, too.
    fn inherited(&self, tag: Tag, mut traits: Traits) -> Traits {
        let parent = self.flat.elements.get(self.current as usize);
        if tag.is_block() || traits.has(Traits::FORMULA) {
            traits.remove(Traits::UNSEEN);
        } else if parent.is_some_and(|parent| parent.traits.has(Traits::UNSEEN)) {
            traits.add(Traits::UNSEEN);
        }
        traits
    }

    pub(super) fn leave(&mut self, node: NodeRef<'a, Node>) {
        let Some(current) = self.flat.elements.get(self.current as usize) else {
            return;
        };
        if current.id != node.id() {
            return;
        }
        let (tag, traits, parent) = (current.tag, current.traits, current.parent);
        if tag.is_block() {
            self.flush();
        }
        if traits.has(Traits::LINK) {
            self.links -= 1;
        }
        let end = self.flat.elements.len() as ElementIndex;
        // The run of an inline element is still open when the element ends, so it is counted here;
        // but not a run without a visible character so far, which may be dropped.
        let is_run = |run: &Run| run.counts.chars > 0;
        let end_run =
            self.flat.runs.len() as u32 + u32::from(self.open.as_ref().is_some_and(is_run));
        let current = &mut self.flat.elements[self.current as usize];
        current.end = end;
        current.end_run = end_run;
        self.current = parent;
        if tag.is_block() {
            let mut block = parent;
            while let Some(element) = self.flat.elements.get(block as usize) {
                if element.tag.is_block() {
                    break;
                }
                block = element.parent;
            }
            self.block = block;
        }
    }

    fn text(&mut self, text: &'a str) {
        let Some(around) = self.flat.elements.get(self.current as usize) else {
            return;
        };
        let is_sizeless = around.traits.has(Traits::SIZELESS) && !around.tag.is_block();
        let is_unseen = is_sizeless || around.traits.has(Traits::UNSEEN);
        if is_unseen && CharCounts::of(text).weight <= UNSEEN_WEIGHT_MAX {
            return;
        }
        let blank = text
            .chars()
            .all(|c| c.is_whitespace() || c == '\u{200b}' || c == '\u{feff}');
        if blank && self.open.is_none() {
            return;
        }
        if !blank && self.breaks >= 2 {
            self.flush();
        }
        if self.open.is_none() && self.flat.runs.len() >= RUNS_MAX {
            self.flat.cut = Some("runs");
            return;
        }
        let counts = if blank || is_private(text) {
            CharCounts::default()
        } else {
            CharCounts::of(text)
        };
        let at = self.flat.pieces.len() as u32;
        let owner = if self.block == NO_ELEMENT {
            0
        } else {
            self.block
        };
        let run = self.open.get_or_insert_with(|| Run {
            pieces: at..at,
            owner,
            counts: CharCounts::default(),
            link_weight: 0,
            breaks: 0,
        });
        if !blank {
            if self.breaks == 1 && run.pieces.start < at {
                run.breaks = run.breaks.saturating_add(1);
                self.flat.pieces.push(Piece {
                    text: "",
                    element: self.current,
                });
            }
            self.breaks = 0;
        }
        self.flat.pieces.push(Piece {
            text,
            element: self.current,
        });
        run.pieces.end = self.flat.pieces.len() as u32;
        run.counts.add(counts);
        self.flat.elements[self.current as usize].counts.add(counts);
        if self.links > 0 {
            run.link_weight += counts.weight;
        }
    }

    fn line_break(&mut self) {
        self.breaks += 1;
    }

    pub(super) fn flush(&mut self) {
        self.breaks = 0;
        if let Some(run) = self.open.take()
            && run.counts.chars > 0
        {
            self.flat.runs.push(run);
        }
    }

    /// Reads an element whose text is no content; `<title>` and JSON-LD are remembered.
    fn skipped(&mut self, node: NodeRef<'a, Node>, element: &'a Element, name: &str) {
        let text = |node: NodeRef<'a, Node>| -> Option<&'a str> {
            match node.first_child()?.value() {
                Node::Text(text) => Some(text),
                _ => None,
            }
        };
        match name {
            "title" if self.flat.title.is_empty() => {
                // A `<title>` inside an SVG is the picture's.
                let in_head = node
                    .parent()
                    .and_then(|parent| parent.value().as_element().map(|e| e.name() != "svg"));
                if in_head == Some(true)
                    && let Some(text) = text(node)
                {
                    self.flat.title = crate::metadata::short(text);
                }
            }
            "input" | "select" | "textarea" => self.field(element),
            "script" => {
                let json = element
                    .attribute(&local_name!("type"))
                    .is_some_and(|kind| kind.trim().eq_ignore_ascii_case("application/ld+json"));
                match (text(node), json) {
                    (Some(text), true) => self.flat.json_ld.push(text),
                    (Some(text), false) => self.flat.scripts.push(text),
                    (None, _) => {}
                }
            }
            _ => {}
        }
    }

    /// Remembers that the form around asks for something.
    fn field(&mut self, element: &Element) {
        let kind = element.attribute(&local_name!("type")).unwrap_or("");
        let asks = !["hidden", "submit", "button", "image", "reset"]
            .iter()
            .any(|other| kind.trim().eq_ignore_ascii_case(other));
        let form = self
            .flat
            .ancestors(self.current)
            .find(|&at| self.flat.elements[at as usize].tag == Tag::Form);
        if let Some(form) = form.filter(|_| asks) {
            self.flat.elements[form as usize].traits.add(Traits::ASKS);
        }
    }

    fn meta(&mut self, element: &'a Element) {
        let mut name = None;
        let mut content = None;
        for (key, value) in element.attrs() {
            match key {
                "name" | "property" | "itemprop" => {
                    // RDFa writes `property` where HTML writes `name`; both are accepted.
                    name = Some(value);
                }
                "content" => content = Some(value),
                _ => {}
            }
        }
        if let (Some(name), Some(content)) = (name, content)
            && self.flat.metas.len() < 1000
        {
            self.flat.metas.push((name, content));
        }
    }

    fn attributes(&mut self, tag: Tag, name: &str, element: &'a Element) -> (Hints, Traits, u32) {
        let mut hints = Hints::default();
        let mut traits = Traits::default();
        if tag == Tag::Skipped || formulas::is_formula_name(name) {
            traits.add(Traits::FORMULA);
        }
        let mut shape = fnv(0x811c_9dc5, name.as_bytes());
        for (key, value) in &element.attrs {
            let value = &**value;
            match key.local {
                local_name!("class") => {
                    let named = Hints::of(value);
                    hints.join(named);
                    if named.has(Hint::Formula) {
                        traits.add(Traits::FORMULA);
                    }
                    if let Some(first) = value.split_ascii_whitespace().next() {
                        shape = fnv(shape, first.as_bytes());
                    }
                    if is_anti_copy_class(value) {
                        traits.add(Traits::UNSEEN);
                    }
                    if hints.has(Hint::Hidden) && is_screen_reader_class(value) {
                        traits.add(Traits::SCREEN_READER);
                    }
                }
                local_name!("id") => hints.join(Hints::of(value)),
                local_name!("role") => match value {
                    "main" => traits.add(Traits(Traits::CONTENT_ROLE.0 | Traits::HOLDS_MAIN.0)),
                    "article" => traits.add(Traits::CONTENT_ROLE),
                    "navigation" | "complementary" | "banner" | "contentinfo" | "search"
                    | "dialog" | "alertdialog" | "menu" | "menubar" | "toolbar" => {
                        traits.add(Traits::LANDMARK_ROLE);
                    }
                    _ => {}
                },
                local_name!("itemprop") => {
                    hints.join(Hints::of(value));
                    if matches!(
                        value,
                        "articleBody" | "text" | "description" | "reviewBody" | "mainEntity"
                    ) {
                        traits.add(Traits::CONTENT_ROLE);
                    }
                }
                local_name!("hidden") => traits.add(Traits::HIDDEN_AND_UNSEEN),
                // What is hidden from screen readers alone is seen.
                local_name!("aria-hidden") if value == "true" => traits.add(Traits::HIDDEN),
                local_name!("style") => traits.add(Traits::of_style(value)),
                local_name!("href") if tag == Tag::A && !is_contact(value) => {
                    traits.add(Traits::LINK);
                }
                local_name!("lang") if tag == Tag::Html => self.flat.lang = Some(value),
                _ => {}
            }
        }
        (hints, traits, shape)
    }
}

/// Whether a link leads to no page, but calls or writes to somebody: it is read as text.
fn is_contact(href: &str) -> bool {
    const SCHEMES: [&str; 5] = ["mailto", "tel", "sms", "fax", "callto"];
    let scheme = href.trim_start().split(':').next().unwrap_or_default();
    SCHEMES
        .iter()
        .any(|contact| scheme.eq_ignore_ascii_case(contact))
}

/// Whether a class list has one of the known classes for text that only screen readers see.
fn is_screen_reader_class(classes: &str) -> bool {
    classes.split_ascii_whitespace().any(|class| {
        matches!(
            class,
            "sr-only"
                | "visually-hidden"
                | "visuallyhidden"
                | "screen-reader-text"
                | "screenreader-only"
                | "screen-reader-only"
                | "u-hidden-visually"
                | "a11y-hidden"
                | "a-offscreen"
                | "offscreen"
                | "assistive-text"
                | "element-invisible"
                | "hidden"
                | "d-none"
                | "hide"
        )
    })
}

/// Whether a text is made of characters without a meaning, which a font draws as pictures.
fn is_private(text: &str) -> bool {
    let is_private = |c: char| matches!(c, '\u{e000}'..='\u{f8ff}' | '\u{f0000}'..);
    text.chars().all(|c| c.is_whitespace() || is_private(c))
}

/// Whether a class list has Discuz's class for letters that only copies show.
fn is_anti_copy_class(classes: &str) -> bool {
    classes
        .split_ascii_whitespace()
        .any(|class| class == "jammer")
}

/// One step of FNV-1a. The hashes are compared within one page only.
fn fnv(mut hash: u32, bytes: &[u8]) -> u32 {
    for &byte in bytes {
        hash = (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193);
    }
    hash
}
