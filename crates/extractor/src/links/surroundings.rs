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
        let mut blank = run.starts_with(char::is_whitespace);
        for word in run.split_whitespace() {
            if blank {
                self.blank();
            }
            self.text.push_str(word);
            blank = true;
        }
        if run.ends_with(char::is_whitespace) {
            self.blank();
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
    let before = on_one_line(before);
    let after = on_one_line(after);
    let skipped = before.chars().count().saturating_sub(SIDE_CHARS_MAX);
    let mut text: String = before.chars().skip(skipped).collect();
    if !text.is_empty() && !after.is_empty() {
        text.push(' ');
    }
    text.extend(after.chars().take(SIDE_CHARS_MAX));
    text
}

/// A short text on one line, bounded like a link's words.
pub(super) fn squeezed(text: &str) -> String {
    let bounded = crate::dom::head_of(text, 4 * ANCHOR_CHARS_MAX);
    on_one_line(bounded)
        .chars()
        .take(ANCHOR_CHARS_MAX)
        .collect()
}

fn on_one_line(text: &str) -> String {
    let words: Vec<&str> = text.split_whitespace().collect();
    words.join(" ")
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
}
