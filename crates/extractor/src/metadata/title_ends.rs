//! Whether a page's `<title>` says a title at one of its ends: behind it or before it stand the names of section and site.

use crate::char_counts::is_cjk;

pub(crate) use super::title::letters;
use super::without_site::{SEPARATORS, is_in_name, is_quotation};

/// What stands between a title and the rest as well: a colon, and brackets around the rest.
const OTHERS: [&str; 7] = [": ", "：", " (", " [", "（", "【", "】"];

/// Whether `<title>` is a title, or begins or ends with it where a separator sets it apart from the rest. It may have
/// other signs and capitals in it.
pub(crate) fn repeats(page_title: &str, title: &str) -> bool {
    let title = letters(title);
    let first = || behind(page_title, title.chars()).is_some_and(|at| is_apart(page_title, at));
    let last = || before(page_title, title.chars()).is_some_and(|at| is_apart(page_title, at));
    !title.is_empty() && (first() || last())
}

/// Where a text's beginning ends that has these letters.
fn behind(text: &str, mut letters: impl Iterator<Item = char>) -> Option<usize> {
    let mut next = letters.next()?;
    for (at, char) in text.char_indices().filter(|(_, c)| c.is_alphanumeric()) {
        for low in char.to_lowercase() {
            if low != next {
                return None;
            }
            match letters.next() {
                Some(letter) => next = letter,
                None => return Some(at + char.len_utf8()),
            }
        }
    }
    None
}

/// Where a text's end begins that has these letters.
fn before(text: &str, mut letters: impl DoubleEndedIterator<Item = char>) -> Option<usize> {
    let mut next = letters.next_back()?;
    let chars = text.char_indices().rev();
    for (at, char) in chars.filter(|(_, c)| c.is_alphanumeric()) {
        for low in char.to_lowercase().rev() {
            if low != next {
                return None;
            }
            match letters.next_back() {
                Some(letter) => next = letter,
                None => return Some(at),
            }
        }
    }
    None
}

/// Whether at a place between letters a text is parted, or ends.
fn is_apart(text: &str, at: usize) -> bool {
    let (head, tail) = text.split_at(at);
    let is_letter = |char: char| char.is_alphanumeric();
    let from = head.rfind(is_letter);
    let from = from.map(|at| at + head[at..].chars().next().map_or(0, char::len_utf8));
    let to = tail.find(is_letter).map(|end| at + end);
    let (Some(from), Some(to)) = (from, to) else {
        return true;
    };
    let (gap, ends) = (&text[from..to], (&text[..from], &text[to..]));
    let are_cjk = ends.0.ends_with(is_cjk) && ends.1.starts_with(is_cjk);
    let is_separator = |separator: &str| {
        let found = gap.find(separator);
        found.is_some_and(|at| {
            !is_quotation(text, from + at, separator)
                && (separator != "_" || !is_in_name(text, from + at))
        })
    };
    SEPARATORS.into_iter().chain(OTHERS).any(is_separator)
        // In Chinese, Japanese and Korean a blank and a hyphen part as well.
        || are_cjk && (gap == "-" || gap.chars().all(char::is_whitespace) && !gap.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_title_is_one_end_of_the_pages_title() {
        for (page_title, title) in [
            ("The lock", "The Lock"),
            ("The lock — built again | News", "The lock - built again"),
            ("The lock — built again | News", "The lock"),
            ("The lock — built again | News", "News"),
            ("News of the Day: The lock", "the lock"),
            ("What now? | News", "What now?"),
            ("The lock (News)", "The lock"),
            ("船闸重建_新闻", "船闸重建"),
            ("船闸重建-新闻", "新闻"),
            ("船闸重建 新闻频道", "船闸重建"),
            ("İstanbul | News", "İstanbul"),
        ] {
            assert!(repeats(page_title, title), "{page_title}: {title}");
        }
    }

    #[test]
    fn a_part_that_nothing_sets_apart_is_none() {
        for (page_title, title) in [
            ("The Lock is rebuilt | News", "Lock"),
            ("The Lock is rebuilt | News", "The Lock"),
            ("The Lock is rebuilt | News", "rebuilt"),
            ("The locks | News", "The lock"),
            ("A lock-keeper | News", "A lock"),
            ("get_user | Manual", "get"),
            ("船闸重建_新闻", "船闸"),
            ("The lock's end", "The lock"),
            ("", "The lock"),
            ("The lock", ""),
            ("- | -", "-"),
        ] {
            assert!(!repeats(page_title, title), "{page_title}: {title}");
        }
    }
}
