//! What stands on a page then and now, main content or not.

use memchr::memmem::Finder;

use super::words::{Line, lines};

/// Lines that are looked for; further ones are taken for what the main texts have.
const LINES_SOUGHT_MAX: usize = 400;

/// All words of both pages.
#[derive(Debug)]
pub(super) struct Shown {
    before: String,
    after: String,
    left: usize,
}

impl Shown {
    pub(super) fn of((before, after): (&str, &str)) -> Self {
        Self {
            before: stream(before),
            after: stream(after),
            left: LINES_SOUGHT_MAX,
        }
    }

    /// Whether a line of the main text now stood on the page before, as often as it does now.
    pub(super) fn was_there(&mut self, line: &Line<'_>) -> bool {
        let counts = self.counts(line);
        counts.is_some_and(|(before, after)| before >= after.max(1))
    }

    /// Whether a line of the main text before stands on the page now, as often as it did.
    pub(super) fn is_still_there(&mut self, line: &Line<'_>) -> bool {
        let counts = self.counts(line);
        counts.is_some_and(|(before, after)| after >= before.max(1))
    }

    fn counts(&mut self, line: &Line<'_>) -> Option<(usize, usize)> {
        self.left = self.left.checked_sub(1)?;
        let key = format!(" {}", line.key());
        Some((count(&self.before, &key), count(&self.after, &key)))
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
    finder.find_iter(stream.as_bytes()).filter(ends).count()
}
