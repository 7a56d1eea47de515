//! A page's text as text of Markdown: what a parser would take for markup is escaped, and nothing else.
//!
//! The law is that of a round trip: a parser of CommonMark, with GitHub's tables and strikethrough, reads the
//! same words. A sign is escaped only where it could be markup in its place: `<` before what may be a tag,
//! `](` and `]:`, `&` before an entity's name, backticks that have a partner, `*`, `_` and `~` that could open
//! emphasis which is closed later, and at a line's beginning the marks of blocks. So `snake_case_names`,
//! `3 * 4`, `C#` and `[12]` stay as they are.
//!
//! Formulas in a line, `$x_{1}$`, are TeX, in which a backslash means something else. Blanks mean nothing there, so
//! that one behind a `<` does what a backslash does elsewhere. Which they are is known from where the text was
//! assembled: between two dollars there may be paths and prices as well.
//!
//! Cost: linear in the text. A line is looked at as a whole only where it begins.
//!
//! Source: CommonMark 0.31.2, §2.4, §4, §6.2; GitHub Flavored Markdown §4.10, §6.5.

use std::collections::{BTreeMap, HashSet};
use std::ops::Range;

/// Where a text will stand.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Place {
    /// On lines of its own, as paragraphs and quotations do.
    Lines,
    /// On the line of an item.
    Item,
    /// Behind the mark of a heading.
    Heading,
    /// In a cell of a table.
    Cell,
    /// Between the signs of emphasis, `*`.
    Emphasis,
    /// Between brackets.
    Brackets,
}

impl Place {
    /// Whether marks of blocks count at the beginning.
    fn begins_blocks(self) -> bool {
        matches!(self, Self::Lines | Self::Item)
    }
}

/// The TeX of a page's formulas.
pub(crate) type Formulas<'p> = HashSet<&'p str>;

/// The text as Markdown. Its lines stay lines, without the empty ones and without blanks around them, where it
/// has lines of its own; else it is on one line. What stands between two dollars and is one of the formulas stays TeX.
pub(crate) fn escaped(text: &str, place: Place, formulas: &Formulas<'_>) -> String {
    let lines = text
        .split(['\n', '\r'])
        .map(|line| line.trim_matches(BLANKS));
    let lines: Vec<&str> = lines.filter(|line| !line.is_empty()).collect();
    let text = match place {
        Place::Lines => lines.join("\n"),
        Place::Item | Place::Heading | Place::Cell | Place::Brackets => lines.join(" "),
        // No blank of any kind may stand beside the signs of emphasis.
        Place::Emphasis => lines.join(" ").trim().to_owned(),
    };
    // Most texts, of Chinese above all, have nothing that could be markup.
    let is_plain =
        |c: char| !c.is_ascii() || c.is_ascii_alphabetic() || " \n,.;'\"?!()/%".contains(c);
    match text.chars().all(is_plain) {
        true => text,
        false => Escape::new(&text, place, formulas).run(),
    }
}

/// Blanks that Markdown takes from the beginning and the end of a line. The wide ones with which Chinese
/// paragraphs begin are text.
const BLANKS: [char; 4] = [' ', '\t', '\u{b}', '\u{c}'];

/// A formula on lines of its own, within its dollars: in one paragraph, without what could be a block or a tag.
pub(crate) fn display(tex: &str) -> String {
    let mut out = String::from("$$");
    for line in tex
        .split(['\n', '\r'])
        .map(|line| line.trim_matches(BLANKS))
    {
        if line.is_empty() {
            continue;
        }
        // The end of a line is but a blank in TeX.
        let begins_block = line.starts_with('`') || block_mark(line).is_some();
        out.push(if begins_block { ' ' } else { '\n' });
        out.push_str(&spaced(line));
    }
    out.push_str("\n$$");
    out
}

/// TeX with a blank where it could be a tag, an entity or a link.
fn spaced(tex: &str) -> String {
    let mut out = String::with_capacity(tex.len());
    for (at, c) in tex.char_indices() {
        out.push(c);
        let rest = &tex[at + c.len_utf8()..];
        let next = rest.chars().next();
        let is_markup = match c {
            '<' => next.is_some_and(opens_tag),
            '&' => is_entity(rest),
            ']' => matches!(next, Some('(' | ':')),
            _ => false,
        };
        if is_markup {
            out.push(' ');
        }
    }
    out
}

/// Whether `&` before this is an entity, known or not.
pub(crate) fn is_entity(rest: &str) -> bool {
    let name = rest.strip_prefix('#').unwrap_or(rest);
    let end = name.find(|c: char| !c.is_ascii_alphanumeric());
    end.is_some_and(|end| end > 0 && name[end..].starts_with(';'))
}

fn opens_tag(next: char) -> bool {
    next.is_ascii_alphabetic() || matches!(next, '/' | '!' | '?')
}

/// A run of one sign of emphasis.
struct Run {
    sign: char,
    bytes: Range<usize>,
    can_open: bool,
    can_close: bool,
}

struct Escape<'t> {
    text: &'t str,
    place: Place,
    /// Formulas in the line.
    formulas: Vec<Range<usize>>,
    /// Runs that open what is closed later, by where they begin.
    openers: BTreeMap<usize, Range<usize>>,
    last_backtick: usize,
    has_at_sign: bool,
    /// Where the mark of a heading's end could begin.
    closing: Option<usize>,
    /// Some line begins with a bracket, as definitions do.
    may_define: bool,
}

impl<'t> Escape<'t> {
    fn new(text: &'t str, place: Place, known: &Formulas<'_>) -> Self {
        let without_marks = text.trim_end_matches('#');
        let has_mark = without_marks.len() < text.len()
            && (without_marks.is_empty() || without_marks.ends_with([' ', '\t']));
        let may_define = place.begins_blocks() && text.lines().any(|line| line.starts_with('['));
        Self {
            text,
            place,
            formulas: formulas(text, known),
            openers: openers(text, place == Place::Emphasis),
            last_backtick: text.rfind('`').unwrap_or_default(),
            has_at_sign: text.contains('@'),
            closing: (place == Place::Heading && has_mark).then_some(without_marks.len()),
            may_define,
        }
    }

    fn run(&self) -> String {
        let mut out = String::with_capacity(self.text.len() + 16);
        let mut formulas = self.formulas.iter().peekable();
        let mut at = 0;
        while at < self.text.len() {
            if let Some(formula) = formulas.next_if(|formula| formula.start == at) {
                let tex = spaced(&self.text[formula.clone()]);
                out.push_str(&match self.place == Place::Cell {
                    true => tex.replace('|', "\\|"),
                    false => tex,
                });
                at = formula.end;
                continue;
            }
            if let Some(mark) = self.mark(at) {
                out.push_str(&self.text[at..mark.start]);
                for sign in self.text[mark.clone()].chars() {
                    out.extend(['\\', sign]);
                }
                at = mark.end;
                continue;
            }
            let Some(c) = self.text[at..].chars().next() else {
                break;
            };
            if self.is_markup(at, c) {
                out.push('\\');
            }
            out.push(c);
            at += c.len_utf8();
        }
        out
    }

    /// The signs to escape of a mark that begins here: of a block or of emphasis.
    fn mark(&self, at: usize) -> Option<Range<usize>> {
        let of_block = self.begins_line(at).then(|| self.mark_of_block(at));
        of_block
            .flatten()
            .or_else(|| self.openers.get(&at).cloned())
    }

    fn begins_line(&self, at: usize) -> bool {
        at == 0 || self.text[..at].ends_with('\n')
    }

    /// The signs to escape of the mark of a block, or of a task in a list, that a line begins with.
    fn mark_of_block(&self, at: usize) -> Option<Range<usize>> {
        if !self.place.begins_blocks() {
            return None;
        }
        let line = self.text[at..].lines().next().unwrap_or_default();
        if let Some(mark) = block_mark(line) {
            return Some(at + mark.start..at + mark.end);
        }
        let is_task = |task: &&str| line.starts_with(*task);
        let may_be_task = at == 0 && self.place == Place::Item;
        (may_be_task && ["[ ]", "[x]", "[X]"].iter().any(is_task)).then_some(0..1)
    }

    /// Whether a sign is markup where it stands; emphasis and blocks aside.
    fn is_markup(&self, at: usize, sign: char) -> bool {
        let rest = &self.text[at + sign.len_utf8()..];
        let next = rest.chars().next();
        match sign {
            '\\' => next.is_none_or(|next| next.is_ascii_punctuation() || next == '\n'),
            '`' => at < self.last_backtick,
            '<' => next.is_some_and(|next| {
                // An address of mail may begin with nearly any sign.
                opens_tag(next) || self.has_at_sign && !next.is_whitespace()
            }),
            '&' => is_entity(rest),
            '[' if self.place == Place::Brackets => true,
            ']' => match next {
                _ if self.place == Place::Brackets => true,
                Some('(') => true,
                Some(':') => self.may_define,
                _ => false,
            },
            '|' => self.place == Place::Cell,
            '#' => self.closing == Some(at),
            _ => false,
        }
    }
}

/// The signs to escape of what would be the mark of a block at a line's beginning.
fn block_mark(line: &str) -> Option<Range<usize>> {
    let first = line.chars().next()?;
    let run = line.len() - line.trim_start_matches(first).len();
    let ends = |at: usize| line.len() == at || line[at..].starts_with([' ', '\t']);
    let is_only = |signs: &[char]| line.chars().all(|c| signs.contains(&c));
    match first {
        '#' if run <= 6 && ends(run) => Some(0..1),
        '>' => Some(0..1),
        '-' | '+' | '*' if ends(1) => Some(0..1),
        // A rule, the line below a heading, and that below the head of a table.
        '*' | '_' if is_only(&[first, ' ', '\t']) => Some(0..run),
        '=' if is_only(&['=', ' ', '\t']) => Some(0..1),
        '-' | '|' | ':' if is_only(&['-', '|', ':', ' ', '\t']) && line.contains(['-', ':']) => {
            Some(0..1)
        }
        '~' if run >= 3 => Some(0..run),
        '0'..='9' => {
            let digits = line.bytes().take_while(u8::is_ascii_digit).count();
            let is_number = digits <= 9 && line[digits..].starts_with(['.', ')']);
            (is_number && ends(digits + 1)).then_some(digits..digits + 1)
        }
        _ => None,
    }
}

/// Where known formulas stand in a text: between two dollars. One in which code could begin is text.
fn formulas(text: &str, known: &Formulas<'_>) -> Vec<Range<usize>> {
    let mut found: Vec<Range<usize>> = Vec::new();
    if known.is_empty() {
        return found;
    }
    let mut from = 0;
    for (tex, range) in crate::formulas::between_dollars(text) {
        if range.start >= from && known.contains(tex) && !tex.contains(['`', '\n']) {
            from = range.end;
            found.push(range);
        }
    }
    found
}

/// The runs that could open emphasis which a later run closes. Inside of emphasis every run counts that
/// could open or close.
///
/// Where a sign beyond ASCII is neither letter nor digit it may count as punctuation or not, by the parser's
/// version: then a run may do what either would let it do.
fn openers(text: &str, is_inside: bool) -> BTreeMap<usize, Range<usize>> {
    let edge = is_inside.then_some('*');
    let mut runs = Vec::new();
    let mut previous = edge;
    let mut signs = text.char_indices().peekable();
    while let Some((start, sign)) = signs.next() {
        if matches!(sign, '*' | '_' | '~') {
            let mut end = start + 1;
            while signs.next_if(|(_, next)| *next == sign).is_some() {
                end += 1;
            }
            let next = signs.peek().map(|(_, next)| *next).or(edge);
            runs.push(run(sign, start..end, previous, next));
        }
        previous = Some(sign);
    }
    let mut closed: Vec<char> = Vec::new();
    let mut found = BTreeMap::new();
    for run in runs.into_iter().rev() {
        let is_opener = run.can_open && closed.contains(&run.sign);
        let is_end = is_inside && run.sign == '*' && (run.can_open || run.can_close);
        if is_opener || is_end {
            found.insert(run.bytes.start, run.bytes);
        }
        if run.can_close && !closed.contains(&run.sign) {
            closed.push(run.sign);
        }
    }
    found
}

/// What a run may do between its neighbours (CommonMark §6.2).
fn run(sign: char, bytes: Range<usize>, previous: Option<char>, next: Option<char>) -> Run {
    let is_blank = |c: Option<char>| c.is_none_or(char::is_whitespace);
    let is_letter = |c: Option<char>| c.is_some_and(char::is_alphanumeric);
    let is_mark = |c: Option<char>| c.is_some_and(|c| c.is_ascii_punctuation());
    // Whether it leans on the one and not on the other; `_` does nothing within a word, `~~` may do it anywhere.
    let is_anywhere = sign == '~' && bytes.len() > 1;
    let leans = |on: Option<char>, from: Option<char>| {
        !is_blank(on) && (is_anywhere || !(is_letter(from) && (is_mark(on) || sign == '_')))
    };
    Run {
        sign,
        bytes,
        can_open: leans(next, previous),
        can_close: leans(previous, next),
    }
}
