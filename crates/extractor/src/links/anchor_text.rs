//! Anchor text and context of links: the text in a link and around it, cut from one buffer with the
//! text of the page.

use html5ever::{LocalName, local_name};

/// The most characters of an anchor text.
const ANCHOR_CHARS_MAX: usize = 200;

/// The most characters of the context on each side of a link.
const SIDE_CHARS_MAX: usize = 99;

/// With fewer characters around it in its own block, a link stands alone there (in a menu or a list of
/// titles), and its context is taken from the neighbouring blocks.
const OWN_BLOCK_CHARS_MIN: usize = 20;

/// The bytes of the buffer that are read for one link: enough for the characters at four bytes each,
/// the most that UTF-8 needs.
const WINDOW_BYTES: usize = 4 * 2 * SIDE_CHARS_MAX;

/// The page's visible text in document order: whitespace collapsed, a line break between blocks.
#[derive(Debug, Default)]
pub(super) struct TextStream {
    text: String,
}

impl TextStream {
    pub fn len(&self) -> usize {
        self.text.len()
    }

    /// Adds a text, unless it is hidden.
    pub fn push(&mut self, run: &str, hidden: bool) {
        if hidden || crate::whitespace::push_if_collapsed(&mut self.text, run) {
            return;
        }
        let bytes = run.as_bytes();
        let is_blank = |at: usize| matches!(bytes[at], b'\t'..=b'\r' | b' ');
        let mut at = 0;
        while at < bytes.len() {
            let start = at;
            while at < bytes.len() && is_blank(at) {
                at += 1;
            }
            if at > start {
                self.blank();
            }
            // Words with one blank between them are copied at once.
            let (start, mut ascii) = (at, true);
            while at < bytes.len() {
                let ends = is_blank(at)
                    && (bytes[at] != b' ' || at + 1 == bytes.len() || is_blank(at + 1));
                if ends {
                    break;
                }
                ascii &= bytes[at].is_ascii();
                at += 1;
            }
            self.push_chunk(&run[start..at], ascii);
        }
    }

    /// Adds text without ASCII whitespace in it but for single blanks between words.
    fn push_chunk(&mut self, chunk: &str, ascii: bool) {
        if ascii {
            self.text.push_str(chunk);
            return;
        }
        for (at, part) in chunk.split(char::is_whitespace).enumerate() {
            if at > 0 {
                self.blank();
            }
            self.text.push_str(part);
        }
    }

    fn blank(&mut self) {
        let last = self.text.as_bytes().last();
        if last.is_some_and(|last| !matches!(last, b' ' | b'\n')) {
            self.text.push(' ');
        }
    }

    /// Ends a block.
    pub fn break_block(&mut self) {
        if !self.text.is_empty() && !self.text.ends_with('\n') {
            self.text.push('\n');
        }
    }

    /// The text of a range on one line, at most [`ANCHOR_CHARS_MAX`] characters.
    pub fn words(&self, start: usize, end: usize) -> String {
        let words = self.slice(start, end.min(start + WINDOW_BYTES)).trim();
        let mut line = String::with_capacity(words.len());
        push_line(&mut line, head(words, ANCHOR_CHARS_MAX));
        line
    }

    /// The context of a link: the text before and after it, without its anchor text.
    pub fn around(&self, start: usize, end: usize) -> String {
        let before = self.slice(start.saturating_sub(WINDOW_BYTES), start);
        let after = self.slice(end, end + WINDOW_BYTES);
        let own_before = before.rsplit('\n').next().unwrap_or("");
        let own_after = after.split('\n').next().unwrap_or("");
        let own = own_before.trim().chars().chain(own_after.trim().chars());
        if own.take(OWN_BLOCK_CHARS_MIN).count() == OWN_BLOCK_CHARS_MIN {
            joined(own_before, own_after)
        } else {
            joined(before, after)
        }
    }

    /// A slice of the text; ends within a character are moved inwards.
    fn slice(&self, start: usize, end: usize) -> &str {
        let start = self.text.ceil_char_boundary(start);
        let end = self.text.floor_char_boundary(end);
        &self.text[start..end.max(start)]
    }
}

/// The last characters of the text before a link and the first characters after it.
fn joined(before: &str, after: &str) -> String {
    let (before, after) = (tail(before.trim()), head(after.trim(), SIDE_CHARS_MAX));
    let mut text = String::with_capacity(before.len() + after.len() + 1);
    push_line(&mut text, before);
    if !before.is_empty() && !after.is_empty() {
        text.push(' ');
    }
    push_line(&mut text, after);
    text
}

/// The first characters of a part of the text, at most so many.
fn head(part: &str, chars_max: usize) -> &str {
    let end = match (has_doubled(part), part.is_ascii()) {
        (false, true) => Some(chars_max).filter(|&end| end < part.len()),
        (false, false) => part.char_indices().nth(chars_max).map(|(at, _)| at),
        (true, _) => kept_chars(part).nth(chars_max),
    };
    let (head, rest) = match end {
        Some(end) => part.split_at(end),
        None => (part, ""),
    };
    match head.strip_suffix(' ') {
        Some(words) if rest.starts_with('\n') => words,
        _ => head,
    }
}

/// The last characters of a part of the text, at most [`SIDE_CHARS_MAX`].
fn tail(part: &str) -> &str {
    let start = match (has_doubled(part), part.is_ascii()) {
        (false, true) => part.len().checked_sub(SIDE_CHARS_MAX),
        (false, false) => part
            .char_indices()
            .nth_back(SIDE_CHARS_MAX - 1)
            .map(|(at, _)| at),
        (true, _) => kept_chars(part).nth_back(SIDE_CHARS_MAX - 1),
    };
    &part[start.unwrap_or(0)..]
}

/// Whether a blank stands before a line break somewhere. A fold and not a search, so that the compiler
/// can vectorize it.
fn has_doubled(part: &str) -> bool {
    let bytes = part.as_bytes();
    let after = bytes.get(1..).unwrap_or_default();
    let is_doubled = |known, (&one, &next): (&u8, &u8)| known | ((one == b' ') & (next == b'\n'));
    bytes.iter().zip(after).fold(false, is_doubled)
}

/// The positions of the characters of a part that are kept. Words are one blank apart already, except
/// that a blank may stand before a line break: of the two only the line break is kept.
fn kept_chars(part: &str) -> impl DoubleEndedIterator<Item = usize> {
    let doubled = move |at: usize| part.as_bytes()[at..].starts_with(b" \n");
    let places = part.char_indices().map(|(at, _)| at);
    places.filter(move |&at| !doubled(at))
}

/// Appends a part of the text as one line.
fn push_line(out: &mut String, part: &str) {
    let mut rest = part;
    while let Some((line, after)) = rest.split_once('\n') {
        out.push_str(line.strip_suffix(' ').unwrap_or(line));
        out.push(' ');
        rest = after;
    }
    out.push_str(rest);
}

/// A text with whitespace collapsed, bounded like an anchor text.
pub(super) fn squeezed(text: &str) -> String {
    let bounded = crate::bounded::byte_prefix(text, 4 * ANCHOR_CHARS_MAX);
    let mut out = String::with_capacity(bounded.len());
    push_words(&mut out, bounded, ANCHOR_CHARS_MAX);
    out
}

/// Appends the first characters of a text's words, one blank between words.
fn push_words(out: &mut String, text: &str, chars_max: usize) {
    let mut room = chars_max;
    for word in text.split_whitespace() {
        if room < chars_max {
            out.push(' ');
            room -= 1;
        }
        let (head, chars) = first_chars(word, room);
        out.push_str(head);
        room -= chars;
        if room == 0 {
            return;
        }
    }
}

/// A word's first characters, and how many they are.
fn first_chars(word: &str, max: usize) -> (&str, usize) {
    match word.char_indices().nth(max) {
        Some((end, _)) => (&word[..end], max),
        None => (word, word.chars().count()),
    }
}

/// Whether an element begins on a line of its own.
pub(super) fn is_block(name: &LocalName) -> bool {
    matches!(
        *name,
        local_name!("address")
            | local_name!("article")
            | local_name!("aside")
            | local_name!("blockquote")
            | local_name!("body")
            | local_name!("br")
            | local_name!("button")
            | local_name!("caption")
            | local_name!("center")
            | local_name!("dd")
            | local_name!("details")
            | local_name!("dialog")
            | local_name!("dir")
            | local_name!("div")
            | local_name!("dl")
            | local_name!("dt")
            | local_name!("fieldset")
            | local_name!("figcaption")
            | local_name!("figure")
            | local_name!("footer")
            | local_name!("form")
            | local_name!("h1")
            | local_name!("h2")
            | local_name!("h3")
            | local_name!("h4")
            | local_name!("h5")
            | local_name!("h6")
            | local_name!("header")
            | local_name!("hr")
            | local_name!("legend")
            | local_name!("li")
            | local_name!("main")
            | local_name!("menu")
            | local_name!("nav")
            | local_name!("ol")
            | local_name!("option")
            | local_name!("p")
            | local_name!("pre")
            | local_name!("section")
            | local_name!("select")
            | local_name!("summary")
            | local_name!("table")
            | local_name!("tbody")
            | local_name!("td")
            | local_name!("tfoot")
            | local_name!("th")
            | local_name!("thead")
            | local_name!("tr")
            | local_name!("ul")
    )
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn stream(blocks: &[&str]) -> TextStream {
        let mut stream = TextStream::default();
        for block in blocks {
            stream.push(block, false);
            stream.break_block();
        }
        stream
    }

    #[test]
    fn blanks_are_squeezed_and_blocks_stand_on_lines() {
        let mut stream = stream(&["  a \n b", "c"]);
        stream.push("d", false);
        stream.push(" hidden", true);
        stream.push("\u{3000}e", false);
        assert_eq!(stream.text, "a b\nc\nd e");
    }

    #[test]
    fn a_link_in_a_sentence_is_surrounded_by_it() {
        let stream = stream(&[
            "another block",
            "words that come before LINK and words after it",
            "more",
        ]);
        let start = stream.text.find("LINK").unwrap();
        assert_eq!(
            stream.around(start, start + 4),
            "words that come before and words after it"
        );
    }

    #[test]
    fn a_link_alone_in_its_block_is_surrounded_by_its_neighbours() {
        let stream = stream(&["a heading", "LINK", "its summary"]);
        let start = stream.text.find("LINK").unwrap();
        assert_eq!(stream.around(start, start + 4), "a heading its summary");
    }

    #[test]
    fn surroundings_are_at_most_two_hundred_characters() {
        let long = "网".repeat(1000);
        let text = format!("{long}LINK{long}");
        let stream = stream(&[&text]);
        let start = stream.text.find("LINK").unwrap();
        assert_eq!(stream.around(start, start + 4).chars().count(), 199);
        assert_eq!(stream.words(0, text.len()).chars().count(), 200);
    }

    proptest! {
        #[test]
        fn words_are_squeezed_and_cut(
            before in "[a\u{3000} \n\u{a0}网x]{0,300}",
            after in "\\PC{0,300}",
        ) {
            let plain = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
            let (before, after) = (before.as_str(), after.as_str());
            let skipped = plain(before).chars().count().saturating_sub(SIDE_CHARS_MAX);
            let tail: String = plain(before).chars().skip(skipped).collect();
            let head: String = plain(after).chars().take(SIDE_CHARS_MAX).collect();
            let between = if tail.is_empty() || head.is_empty() { "" } else { " " };
            let mut stream = TextStream::default();
            stream.push(before, false);
            stream.break_block();
            let middle = stream.len();
            stream.push(after, false);
            let around = joined(&stream.text[..middle], &stream.text[middle..]);
            prop_assert_eq!(around, format!("{tail}{between}{head}"));
            let anchor: String = plain(after).chars().take(ANCHOR_CHARS_MAX).collect();
            prop_assert_eq!(stream.words(middle, stream.len()), anchor);
            let bounded = crate::bounded::byte_prefix(before, 4 * ANCHOR_CHARS_MAX);
            let anchor: String = plain(bounded).chars().take(ANCHOR_CHARS_MAX).collect();
            prop_assert_eq!(squeezed(before), anchor);
            let mut stream = TextStream::default();
            stream.push(before, false);
            prop_assert_eq!(stream.text.trim(), plain(before));
        }
    }
}
