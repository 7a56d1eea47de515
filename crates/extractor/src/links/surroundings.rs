//! The words in a link and the words around it, cut from the page's text in one stream.

/// Characters of a link's own words.
const ANCHOR_CHARS_MAX: usize = 200;

/// Characters of the text before a link, and of the text after it.
const SIDE_CHARS_MAX: usize = 99;

/// With fewer characters around it in its own block, a link is alone there (a menu, a list of
/// titles), and the neighbouring blocks say more.
const OWN_BLOCK_CHARS_MIN: usize = 20;

/// Bytes of the stream that are looked at for one link's sides or words: four times the
/// characters, the longest that UTF-8 makes them.
const WINDOW_BYTES: usize = 4 * 2 * SIDE_CHARS_MAX;

/// The page's visible text in document order: blanks squeezed, a line break between blocks.
#[derive(Debug, Default)]
pub(super) struct TextStream {
    text: String,
}

impl TextStream {
    pub fn len(&self) -> usize {
        self.text.len()
    }

    /// Adds a run of text, unless it is none that a reader sees.
    pub fn push(&mut self, run: &str, hidden: bool) {
        if hidden {
            return;
        }
        let mut start = 0;
        let mut ascii = true;
        for (at, byte) in run.bytes().enumerate() {
            if matches!(byte, b'\t'..=b'\r' | b' ') {
                self.push_chunk(&run[start..at], ascii);
                self.blank();
                start = at + 1;
                ascii = true;
            }
            ascii &= byte.is_ascii();
        }
        self.push_chunk(&run[start..], ascii);
    }

    /// Adds text without ASCII blanks in it.
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
        if !self.text.is_empty() && !self.text.ends_with([' ', '\n']) {
            self.text.push(' ');
        }
    }

    /// Ends a block.
    pub fn break_block(&mut self) {
        if !self.text.is_empty() && !self.text.ends_with('\n') {
            self.text.push('\n');
        }
    }

    /// The words between two points, on one line and bounded.
    pub fn words(&self, start: usize, end: usize) -> String {
        squeezed(self.slice(start, end.min(start + WINDOW_BYTES)))
    }

    /// The words before and after a link, without its own.
    pub fn around(&self, start: usize, end: usize) -> String {
        let before = self.slice(start.saturating_sub(WINDOW_BYTES), start);
        let after = self.slice(end, end + WINDOW_BYTES);
        let own_before = before.rsplit('\n').next().unwrap_or("");
        let own_after = after.split('\n').next().unwrap_or("");
        let own = own_before.trim().chars().count() + own_after.trim().chars().count();
        if own >= OWN_BLOCK_CHARS_MIN {
            joined(own_before, own_after)
        } else {
            joined(before, after)
        }
    }

    /// A slice whose ends are moved to the nearest characters inside.
    fn slice(&self, start: usize, end: usize) -> &str {
        let mut start = start.min(self.text.len());
        let mut end = end.clamp(start, self.text.len());
        while !self.text.is_char_boundary(start) {
            start += 1;
        }
        while end > start && !self.text.is_char_boundary(end) {
            end -= 1;
        }
        &self.text[start..end.max(start)]
    }
}

/// The end of what is before and the start of what is after.
fn joined(before: &str, after: &str) -> String {
    let mut text = String::with_capacity(before.len().min(128) + after.len().min(128) + 1);
    push_last_words(&mut text, before, SIDE_CHARS_MAX);
    let blank_at = text.len();
    push_words(&mut text, after, SIDE_CHARS_MAX);
    if blank_at > 0 && blank_at < text.len() {
        text.insert(blank_at, ' ');
    }
    text
}

/// A short text on one line, bounded like a link's words.
pub(super) fn squeezed(text: &str) -> String {
    let bounded = crate::dom::head_of(text, 4 * ANCHOR_CHARS_MAX);
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

/// Appends the last characters of a text's words, one blank between words.
fn push_last_words(out: &mut String, text: &str, chars_max: usize) {
    // Each word but the first costs a blank too, so these are enough.
    let mut words = [""; SIDE_CHARS_MAX / 2 + 2];
    let mut count = 0;
    let mut room = chars_max;
    for word in text.split_whitespace().rev() {
        if count > 0 {
            room -= 1;
        }
        let (tail, chars) = last_chars(word, room);
        words[count] = tail;
        count += 1;
        room -= chars;
        if room == 0 {
            break;
        }
    }
    for at in (0..count).rev() {
        out.push_str(words[at]);
        if at > 0 {
            out.push(' ');
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

/// A word's last characters, and how many they are.
fn last_chars(word: &str, max: usize) -> (&str, usize) {
    let chars = word.chars().count();
    if chars <= max {
        return (word, chars);
    }
    let skipped = word.char_indices().nth(chars - max);
    (skipped.map_or("", |(start, _)| &word[start..]), max)
}

/// Elements that begin on a line of their own.
pub(super) fn is_block(name: &str) -> bool {
    matches!(
        name,
        "address"
            | "article"
            | "aside"
            | "blockquote"
            | "body"
            | "br"
            | "button"
            | "caption"
            | "center"
            | "dd"
            | "details"
            | "dialog"
            | "dir"
            | "div"
            | "dl"
            | "dt"
            | "fieldset"
            | "figcaption"
            | "figure"
            | "footer"
            | "form"
            | "h1"
            | "h2"
            | "h3"
            | "h4"
            | "h5"
            | "h6"
            | "header"
            | "hr"
            | "legend"
            | "li"
            | "main"
            | "menu"
            | "nav"
            | "ol"
            | "option"
            | "p"
            | "pre"
            | "section"
            | "select"
            | "summary"
            | "table"
            | "tbody"
            | "td"
            | "tfoot"
            | "th"
            | "thead"
            | "tr"
            | "ul"
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
            prop_assert_eq!(joined(before, after), format!("{tail}{between}{head}"));
            let bounded = crate::dom::head_of(before, 4 * ANCHOR_CHARS_MAX);
            let anchor: String = plain(bounded).chars().take(ANCHOR_CHARS_MAX).collect();
            prop_assert_eq!(squeezed(before), anchor);
            let mut stream = TextStream::default();
            stream.push(before, false);
            prop_assert_eq!(stream.text.trim(), plain(before));
        }
    }
}
