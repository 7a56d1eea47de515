//! What stands on a page then and now, main content or not.

use memchr::memmem::Finder;

use super::words::{Line, lines};

/// How often a line is found at most: beyond that it is no matter whether it stands there once more.
const FOUND_MAX: usize = 64;

/// All words of a page as it was and as it is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Shown {
    before: String,
    after: String,
}

impl Shown {
    /// Of all text of both, main content or not, a line for each that a reader sees.
    pub fn of(before: &str, after: &str) -> Self {
        Self {
            before: stream(before),
            after: stream(after),
        }
    }

    /// Whether a line of the main text now stood on the page before, as often as it does now.
    pub(super) fn was_there(&self, line: &Line<'_>) -> bool {
        let (before, after) = self.counts(line);
        before >= after.max(1)
    }

    /// Whether a line of the main text before stands on the page now, as often as it did.
    pub(super) fn is_still_there(&self, line: &Line<'_>) -> bool {
        let (before, after) = self.counts(line);
        after >= before.max(1)
    }

    fn counts(&self, line: &Line<'_>) -> (usize, usize) {
        let key = format!(" {}", line.key());
        (count(&self.before, &key), count(&self.after, &key))
    }
}

/// The words of a text, each behind a space.
fn stream(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 2);
    for line in lines(text) {
        out.push(' ');
        out.push_str(&line.key());
    }
    out.push(' ');
    out
}

/// How often words stand in a row.
fn count(stream: &str, words: &str) -> usize {
    let ends = |at: &usize| stream.as_bytes()[at + words.len()] == b' ';
    let finder = Finder::new(words);
    let found = finder.find_iter(stream.as_bytes()).filter(ends);
    found.take(FOUND_MAX).count()
}
