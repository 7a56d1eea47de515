//! Items of lists: within a sentence, `ADD、COPY、ENV、FROM`, or "AppArmor, Seccomp and SELinux"; and short lines
//! one below the other.
//!
//! One more or less is a change, though it is one word. An item stands between two marks that part items, and
//! its neighbours are as short; a list has three. So a word between the commas of a sentence is none. What
//! is joined on with "and" or "or" is an item as well.

use std::ops::Range;

use super::words::{Gap, Line, Word, is_number, weight};

/// Words of an item at most.
const ITEM_WORDS_MAX: usize = 3;

/// The same where each has a line of its own, Chinese characters as parts of words.
const LINE_WORDS_MAX: f64 = 5.0;

/// Items of a list at least, the one in question included.
const ITEMS_MIN: usize = 3;

/// Words that join an item on, and the words of both at most.
const JOINS: &[&str] = &["and", "or", "和", "或", "与", "及"];
const JOINED_WORDS_MAX: usize = 6;

/// Whether words that one of two texts has alone are an item of a list.
pub(super) fn is_item(words: &[Word], range: Range<usize>) -> bool {
    if is_joined(&words[range.clone()]) {
        return true;
    }
    if range.is_empty() || range.len() > ITEM_WORDS_MAX {
        return false;
    }
    let weighs = words[range.clone()]
        .iter()
        .any(|word| weight(&word.text) > 0.0);
    let parts = |at: usize| {
        let word = words.get(at);
        word.is_none_or(|word| word.gap != Gap::Plain || JOINS.contains(&word.text.as_str()))
    };
    let is_bounded = parts(range.start) && parts(range.end);
    let is_parted = words[range.start].gap == Gap::Comma
        || words
            .get(range.end)
            .is_some_and(|word| word.gap == Gap::Comma);
    weighs && is_bounded && is_parted && items_around(words, &range) >= ITEMS_MIN
}

/// Whether lines that one of two texts has alone are items of a list: they are short, and stand in a row of
/// short ones. One with a number is more often a date, a counter or a price.
pub(super) fn are_items(lines: &[Line<'_>], range: Range<usize>) -> bool {
    let is_short = |line: &&Line<'_>| {
        let weight = line.weight();
        weight > 0.0 && weight <= LINE_WORDS_MAX
    };
    let own = &lines[range.clone()];
    let before = lines[..range.start].iter().rev().take_while(is_short);
    let after = lines[range.end..].iter().take_while(is_short);
    let around = before.take(ITEMS_MIN).count() + after.take(ITEMS_MIN).count();
    let has_number = |line: &Line<'_>| line.words.iter().any(|word| is_number(&word.text));
    let are_short = own.iter().all(|line| is_short(&line) && !has_number(line));
    are_short && own.len() + around >= ITEMS_MIN && around > 0
}

/// Whether the words are an item with the word that joins it on, before or behind it.
fn is_joined(words: &[Word]) -> bool {
    let joins = |word: &Word| JOINS.contains(&word.text.as_str());
    let item = match words {
        [first, item @ ..] if joins(first) => item,
        [item @ .., last] if joins(last) => item,
        _ => return false,
    };
    let own: f64 = item.iter().map(|word| weight(&word.text)).sum();
    words.len() <= JOINED_WORDS_MAX && own >= 1.0
}

/// Short items in a row, to both sides of one.
fn items_around(words: &[Word], range: &Range<usize>) -> usize {
    let mut count = 1;
    let (mut begin, mut end) = (range.start, range.end);
    while begin > 0 && words[begin].gap == Gap::Comma {
        let before = (0..begin).rfind(|at| words[*at].gap != Gap::Plain);
        let before = before.unwrap_or(0);
        if begin - before > ITEM_WORDS_MAX {
            break;
        }
        (begin, count) = (before, count + 1);
    }
    while words.get(end).is_some_and(|word| word.gap == Gap::Comma) {
        let after = (end + 1..words.len()).find(|at| words[*at].gap != Gap::Plain);
        let after = after.unwrap_or(words.len());
        if after - end > ITEM_WORDS_MAX {
            break;
        }
        (end, count) = (after, count + 1);
    }
    count
}

#[cfg(test)]
mod tests {
    use super::super::words::words;
    use super::*;

    #[track_caller]
    fn check(line: &str, item: &str, is_one: bool) {
        let (line, item) = (words(line), words(item));
        let begin = (0..line.len())
            .find(|at| line[*at..].iter().zip(&item).all(|(a, b)| a.text == b.text))
            .expect("it stands there");
        assert_eq!(is_item(&line, begin..begin + item.len()), is_one);
    }

    #[test]
    fn an_item_stands_between_short_ones() {
        let line = "下列指令可以展开：ADD、COPY、ENV、EXPOSE、FROM、LABEL。";
        check(line, "FROM", true);
        check(line, "LABEL", true);
        check(
            "Use TOMOYO, AppArmor, Seccomp, SELinux and GRSEC.",
            "Seccomp",
            true,
        );
        check(
            "The planner, however, reads the statistics of the table before it chooses.",
            "however",
            false,
        );
        check(
            "Dead rows stay in the table, and it grows, slowly",
            "slowly",
            false,
        );
        check("a, 5, b, c", "5", false);
        check(
            "Run make checkstack and make namespacecheck",
            "and make namespacecheck",
            true,
        );
        check("范围或主机预算被收窄", "或主机预算", true);
        check("It grows and grows", "and", false);
    }

    #[test]
    fn short_lines_in_a_row_are_items() {
        let text = "What it knows of memory and of those who ask for it\nHuge pages\nFrontswap\n内存均衡\n12 345\nOvercommit\n\
            A sentence that is longer than an item of a list.";
        let lines = super::super::words::lines(text);
        let are_items = |range: Range<usize>| are_items(&lines, range);
        assert!(are_items(1..2) && are_items(2..3) && are_items(3..4) && are_items(1..3));
        // A number is none, nor what stands between one and a sentence.
        assert!(!are_items(4..5) && !are_items(5..6) && !are_items(6..7) && !are_items(3..5));
    }
}
