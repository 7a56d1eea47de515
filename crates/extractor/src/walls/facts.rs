//! What a page has that speaks for or against a wall.

use ego_tree::NodeRef;
use html5ever::{LocalName, local_name};
use outcome::WallKind;
use scraper::{Html, Node, node::Element};
use url::Url;

use super::marks::{self, Mark};
use super::phrases::{self, Points, Said};
use crate::bounded::byte_prefix;
use crate::char_counts::CharCounts;
use crate::dom::Attributes;
use crate::flat_dom::FlatDom;
use crate::host_templates;
use crate::own_text;
use crate::prefix_sums::is_prose;

/// A page with no more visible characters may be a wall without a word.
pub(super) const EMPTY_MAX: usize = 300;
/// Nodes that are looked at. Walls have some hundred.
const NODES_MAX: usize = 20_000;
/// Bytes of one script, and of all scripts and attributes together, that are looked at.
const SCRIPT_BYTES_MAX: usize = 64 << 10;
const BYTES_MAX: usize = 512 << 10;

/// What is known of a page when it is asked whether it is a wall.
#[derive(Debug)]
pub(super) struct Facts {
    /// Visible characters.
    pub visible: usize,
    /// Links that lead somewhere.
    pub links: u32,
    /// Weight of sentences that say nothing that walls say.
    pub other_prose: u32,
    /// Weight of whole sentences that neither say what walls say nor speak to the reader.
    pub own_sentences: u32,
    /// Weight of the words in the content's other lines (rows of tables, items, verses) that neither say what
    /// walls say nor speak to the reader.
    pub own_lines: u32,
    /// Weight of all text beside the phrases.
    pub other_text: u32,
    /// Weight of all text that does not speak of cookies and consent.
    pub chars_beside_consent: u32,
    /// It has a form to be filled in: a text area, or two fields.
    pub is_form: bool,
    pub has_password: bool,
    /// Its address is that of a page to sign in on.
    pub is_login_url: bool,
    /// Its title or address says that it is a policy or terms.
    pub is_policy: bool,
    /// Keys of the lines that say what walls say.
    pub said_in: Vec<Vec<u32>>,
    marks: Vec<&'static Mark>,
    points: Points,
}

impl Facts {
    /// Gathers what is known; `None` for a page that has text and says nothing of what walls say, or
    /// has more to say than any wall. The rest of such a page is not looked at.
    pub(super) fn gather(
        html: &Html,
        flat: &FlatDom<'_>,
        (texts, main): (&[String], &[bool]),
        visible: usize,
        url: &Url,
        is_told: bool,
    ) -> Option<Facts> {
        let mut points = Points::default();
        let title = segment::fold(&flat.title);
        points.add_title(&title);
        let mut said_in = Vec::new();
        if points.say_something() {
            said_in.push(host_templates::keys_of_title(&flat.title));
        }
        let (mut other_prose, mut other_text, mut chars_beside_consent) = (0, 0, 0);
        for (run, text) in flat.runs.iter().zip(texts) {
            let folded = segment::fold(text);
            let is_link = run.link_weight * 2 > run.counts.weight;
            let found = match is_link {
                true => points.add_link(&folded),
                false => points.add_text(&folded),
            };
            if found.any && !is_link {
                said_in.push(own_text::keys_of_line(text));
            }
            other_text += ((1.0 - found.share).max(0.0) * run.counts.weight as f32) as u32;
            if is_prose(run) {
                other_prose += beside_phrases(run.counts.weight, &found);
            }
            if !found.consent {
                chars_beside_consent += run.counts.weight;
            }
            let is_page = other_prose > super::PROSE_MAX
                && other_text > super::TEXT_MAX
                && chars_beside_consent > super::BESIDE_CONSENT_MAX;
            if is_page && visible > EMPTY_MAX && !is_told {
                return None;
            }
        }
        points.count_links();
        if visible > EMPTY_MAX && !points.say_something() && !is_told {
            return None;
        }
        let markup = Markup::gather(html);
        let path = url.path().to_ascii_lowercase();
        Some(Facts {
            visible,
            links: markup.links,
            other_prose,
            own_sentences: own_sentences(flat, texts),
            own_lines: own_lines(flat, texts, main),
            other_text,
            chars_beside_consent,
            is_form: markup.text_areas > 0 || markup.fields >= 2,
            has_password: markup.passwords > 0,
            is_login_url: phrases::is_login_path(&path),
            is_policy: phrases::is_policy(&title, &path),
            said_in,
            marks: marks::of_markup(&markup.names),
            points,
        })
    }

    /// A mark that only walls have.
    pub(super) fn sure_mark(&self) -> Option<&'static Mark> {
        self.marks.iter().find(|mark| mark.is_sure).copied()
    }

    /// A mark of this kind that other pages have as well.
    pub(super) fn doubtful_mark_of(&self, kind: &WallKind) -> Option<&'static Mark> {
        let fits = |mark: &&&Mark| mark.kind == *kind || turns_away(&mark.kind) && turns_away(kind);
        self.marks.iter().find(fits).copied()
    }

    /// The points of this kind's words, if one of them says it outright or a mark is there.
    pub(super) fn points_of(&self, kind: &WallKind) -> u32 {
        let counts = self.points.outright(kind) || self.doubtful_mark_of(kind).is_some();
        if counts { self.points.of(kind) } else { 0 }
    }

    /// Whether the title begins with words of this kind.
    pub(super) fn is_entitled(&self, kind: &WallKind) -> bool {
        self.points.in_title(kind)
    }

    /// The points of all words that turn a visitor away: bot walls, checks for people, rate limits.
    /// They borrow each other's sentences.
    pub(super) fn turned_away(&self) -> u32 {
        let outright = TURN_AWAY.iter().any(|kind| self.points_of(kind) > 0);
        let points = TURN_AWAY.iter().map(|kind| self.points.of(kind));
        points.filter(|_| outright).sum()
    }

    /// The one of those kinds that most words speak for.
    pub(super) fn turned_away_kind(&self) -> WallKind {
        let by_points = TURN_AWAY.iter().rev();
        let most = by_points.max_by_key(|kind| self.points.of(kind));
        most.cloned().unwrap_or_default()
    }

    /// The kind of a wall with this mark: what its words say, if the mark's vendor has several.
    pub(super) fn kind_of(&self, mark: &Mark) -> WallKind {
        match turns_away(&mark.kind) && self.turned_away() >= 2 {
            true => self.turned_away_kind(),
            false => mark.kind.clone(),
        }
    }

    pub(super) fn vendor_of(&self, kind: &WallKind) -> Option<&'static str> {
        let sure = self.sure_mark().or_else(|| self.doubtful_mark_of(kind));
        sure.map(|mark| mark.vendor)
            .or_else(|| self.points.vendor())
            .filter(|vendor| !vendor.is_empty())
    }

    /// The marks and words that speak for this kind.
    pub(super) fn because(&self, kind: &WallKind) -> impl Iterator<Item = String> {
        let mark = self.sure_mark().or_else(|| self.doubtful_mark_of(kind));
        let fits = |of: &WallKind| of == kind || turns_away(of) && turns_away(kind);
        let words = self.points.words().filter(move |(of, _)| fits(of));
        let words = words.map(|(_, text)| format!("{text:?}"));
        let mark = mark.map(|mark| mark.text.to_owned());
        mark.into_iter()
            .chain(words)
            .collect::<Vec<_>>()
            .into_iter()
    }
}

/// The weight of a paragraph without what a wall says in it. A wall's sentences are told by a part of
/// their words, so as much again as the phrases goes with them, and half a line.
fn beside_phrases(weight: u32, said: &Said) -> u32 {
    if !said.any {
        return weight;
    }
    let rest = (1.0 - 2.0 * said.share).max(0.0) * weight as f32;
    (rest as u32).saturating_sub(120)
}

/// The weight of whole sentences that no wall would say.
fn own_sentences(flat: &FlatDom<'_>, texts: &[String]) -> u32 {
    let prose = flat.runs.iter().zip(texts);
    let prose = prose.filter(|(run, _)| is_prose(run));
    prose
        .map(|(_, text)| weight_of_own(&segment::fold(text)))
        .sum()
}

/// The weight of other lines of the content that no wall would say; links are of other pages.
fn own_lines(flat: &FlatDom<'_>, texts: &[String], main: &[bool]) -> u32 {
    let lines = flat.runs.iter().zip(texts).zip(main);
    let lines = lines.filter(|((run, _), main)| {
        **main && !is_prose(run) && run.link_weight * 2 <= run.counts.weight
    });
    lines
        .map(|((_, text), _)| weight_of_line(&segment::fold(text)))
        .sum()
}

/// The weight of the sentences of a paragraph that no wall would say.
fn weight_of_own(paragraph: &str) -> u32 {
    let ends = ['.', '!', '?', '。'];
    let own = paragraph
        .split_inclusive(ends)
        .filter(|sentence| sentence.ends_with(ends) && !phrases::is_of_wall(sentence));
    own.map(|sentence| CharCounts::of(sentence).weight).sum()
}

/// The weight of a line's words that no wall would say: numbers, addresses and ids are the visitor's or the
/// request's.
fn weight_of_line(line: &str) -> u32 {
    if phrases::is_of_wall(line) {
        return 0;
    }
    let is_id = |word: &&str| word.contains(|c: char| c.is_ascii_digit() || c == '/' || c == '@');
    let words = line.split_whitespace().filter(|word| !is_id(word));
    words.map(|word| CharCounts::of(word).weight).sum()
}

/// The kinds that turn a visitor away for what it is or does, the most usual first.
const TURN_AWAY: [WallKind; 3] = [WallKind::Bot, WallKind::Human, WallKind::RateLimit];

fn turns_away(kind: &WallKind) -> bool {
    TURN_AWAY.contains(kind)
}

/// What the markup has: names that may be marks, links and fields.
#[derive(Default)]
struct Markup {
    names: String,
    links: u32,
    fields: u32,
    passwords: u32,
    text_areas: u32,
}

impl Markup {
    fn gather(html: &Html) -> Markup {
        let mut found = Markup::default();
        for node in html.tree.nodes().take(NODES_MAX) {
            match node.value() {
                Node::Element(element) => found.element(node, element),
                // Some walls say whose they are in a comment.
                Node::Comment(comment) => found.name(byte_prefix(comment, 400)),
                _ => {}
            }
        }
        found
    }

    fn element(&mut self, node: NodeRef<'_, Node>, element: &Element) {
        for (key, value) in &element.attrs {
            if matches!(
                key.local,
                local_name!("id")
                    | local_name!("class")
                    | local_name!("src")
                    | local_name!("href")
                    | local_name!("action")
                    | local_name!("name")
                    | local_name!("content")
            ) {
                self.name(byte_prefix(value, 400));
            }
        }
        match element.name.local {
            local_name!("a") if leads_somewhere(element) => self.links += 1,
            local_name!("script") | local_name!("style") => {
                if let Some(child) = node.first_child()
                    && let Node::Text(text) = child.value()
                {
                    self.name(byte_prefix(text, SCRIPT_BYTES_MAX));
                }
            }
            local_name!("textarea") if !is_hidden_field(element) => self.text_areas += 1,
            local_name!("select") => self.fields += 1,
            local_name!("input") => self.input(element),
            _ => {}
        }
    }

    fn input(&mut self, element: &Element) {
        let kind = element.attribute(&local_name!("type")).unwrap_or("text");
        match kind.trim().to_ascii_lowercase().as_str() {
            "password" => self.passwords += 1,
            "text" | "email" | "tel" | "url" | "number" | "date" if !is_hidden_field(element) => {
                self.fields += 1;
            }
            _ => {}
        }
    }

    fn name(&mut self, name: &str) {
        if self.names.len() < BYTES_MAX {
            self.names.push_str(name);
            self.names.push('\n');
        }
    }
}

fn leads_somewhere(element: &Element) -> bool {
    let href = element.attribute(&local_name!("href"));
    href.is_some_and(|href| {
        let href = href.trim();
        !href.is_empty() && !href.starts_with('#') && !href.starts_with("javascript:")
    })
}

/// Fields that scripts fill in, such as the answer of a captcha.
fn is_hidden_field(element: &Element) -> bool {
    let has = |name: &LocalName, word: &str| {
        let value = element.attribute(name);
        value.is_some_and(|value| value.to_ascii_lowercase().contains(word))
    };
    has(&local_name!("name"), "captcha")
        || has(&local_name!("id"), "captcha")
        || has(&local_name!("style"), "display:none")
        || has(&local_name!("style"), "display: none")
        || has(&local_name!("class"), "captcha")
}
