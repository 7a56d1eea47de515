//! Whether a pair of differing words tells a reader something: another number, date or spelling may not.

use std::ops::Range;

use similar::DiffOp;

use super::words::{Gap, Word, is_address, is_han, weight};
use super::{LINK_WORDS_MAX, figures, lists, notices, turns};

/// Letters of words whose spelling is compared; a longer one is another word.
const SPELLING_LETTERS_MAX: usize = 64;

/// Whether a difference says something else however short it is.
pub(super) fn tells_alone(old: &[Word], new: &[Word], op: &DiffOp) -> bool {
    let (before, after) = (op.old_range(), op.new_range());
    if before.is_empty() || after.is_empty() {
        return lists::is_item(old, before.clone())
            || lists::is_item(new, after.clone())
            || turns::is_denial(&old[before])
            || turns::is_denial(&new[after]);
    }
    let is_one = before.len() == 1 && after.len() == 1;
    let (was, is) = (&old[before.start], &new[after.start]);
    // Figures in the place of others, in the same sentence.
    let are_told = |words: &[Word], mut range: Range<usize>| range.all(|at| tells(words, at));
    let is_figure = before.len() == after.len()
        && are_told(old, before.clone())
        && are_told(new, after.clone());
    let turns = || {
        let (was, is) = (&old[before.clone()], &new[after.clone()]);
        turns::is_another_state(was, is)
            || turns::is_another_day(was, is, &old[sentence_around(old, before.start)])
    };
    // The value of a setting.
    let is_value = || was.gap == Gap::Equals && is.gap == Gap::Equals;
    // Another command.
    let is_told = |words: &[Word]| {
        words
            .iter()
            .any(|word| word.is_command && weight(&word.text) > 0.0)
    };
    let is_command = || is_told(&old[before.clone()]) && is_told(&new[after.clone()]);
    is_figure || is_one && is_value() || is_command() || turns()
}

/// Whether a word is a figure of its line.
fn tells(words: &[Word], at: usize) -> bool {
    let sentence = sentence_around(words, at);
    figures::is_told(&words[sentence.clone()], at - sentence.start)
}

/// The sentence that a word stands in.
fn sentence_around(words: &[Word], at: usize) -> Range<usize> {
    let stops = |word: &Word| word.gap == Gap::Stop;
    let begin = words[..=at].iter().rposition(stops);
    let end = words[at + 1..].iter().position(stops);
    begin.unwrap_or(0)..end.map_or(words.len(), |end| at + 1 + end)
}

/// Whether words say something of the page and not on it, or where else to go.
pub(super) fn is_aside(words: &[Word], is_inside: bool) -> bool {
    notices::is_notice(words) || notices::is_menu(words, is_inside)
}

/// Words as sentences.
pub(super) fn sentences(words: &[Word]) -> impl Iterator<Item = &[Word]> {
    let mut rest = words;
    std::iter::from_fn(move || {
        let (_, more) = rest.split_first()?;
        let end = more.iter().position(|word| word.gap == Gap::Stop);
        let (sentence, after) = rest.split_at(end.map_or(rest.len(), |end| end + 1));
        rest = after;
        Some(sentence)
    })
}

/// Whether a link has another address, or a name in the place of its address: it is the same link.
pub(super) fn is_another_address(old: &[String], new: &[String]) -> bool {
    let is_one = |words: &[String]| words.len() == 1 && is_address(&words[0]);
    let is_name = |words: &[String]| words.len() <= LINK_WORDS_MAX && !words.is_empty();
    is_one(old) && is_name(new) || is_one(new) && is_name(old)
}

/// Whether one Chinese character stands for another one. The same slip in many places is one.
pub(super) fn is_slip(old: &[String], new: &[String]) -> bool {
    let is_one = |words: &[String]| words.len() == 1 && words[0].chars().all(is_han);
    is_one(old) && is_one(new)
}

/// Whether the words are the same but for their spelling: a letter more, less, other or in another
/// place, two in a long word.
pub(super) fn is_respelt(old: &[String], new: &[String]) -> bool {
    let is_same = |(a, b): (&String, &String)| {
        let (a_length, b_length) = (a.chars().count(), b.chars().count());
        let letters_off = match a_length.max(b_length) {
            ..4 => 0,
            4..10 => 1,
            10..=SPELLING_LETTERS_MAX => 2,
            _ => return a == b,
        };
        !is_plain_number(a)
            && a_length.abs_diff(b_length) <= letters_off
            && strsim::osa_distance(a, b) <= letters_off
    };
    old.len() == new.len() && old.iter().zip(new).all(is_same)
}

/// Whether a word is nothing but digits: another number is no misspelling.
fn is_plain_number(word: &str) -> bool {
    word.bytes()
        .all(|byte| byte.is_ascii_digit() || b".,".contains(&byte))
}

pub(super) fn is_of_counters(word: &str) -> bool {
    CALENDAR.contains(&word) || COUNTER_WORDS.contains(&word)
}

/// Words of the calendar and the clock.
pub(super) const CALENDAR: &[&str] = &[
    "jan",
    "feb",
    "mar",
    "apr",
    "may",
    "jun",
    "jul",
    "aug",
    "sep",
    "sept",
    "oct",
    "nov",
    "dec",
    "january",
    "february",
    "march",
    "april",
    "june",
    "july",
    "august",
    "september",
    "october",
    "november",
    "december",
    "mon",
    "tue",
    "wed",
    "thu",
    "fri",
    "sat",
    "sun",
    "monday",
    "tuesday",
    "wednesday",
    "thursday",
    "friday",
    "saturday",
    "sunday",
    "am",
    "pm",
    "utc",
    "gmt",
];

/// Other words of dates, times and counters.
const COUNTER_WORDS: &[&str] = &[
    "th",
    "st",
    "nd",
    "rd",
    "second",
    "seconds",
    "minute",
    "minutes",
    "min",
    "mins",
    "hour",
    "hours",
    "day",
    "days",
    "week",
    "weeks",
    "month",
    "months",
    "year",
    "years",
    "ago",
    "yesterday",
    "today",
    "just",
    "now",
    "view",
    "views",
    "read",
    "reads",
    "comment",
    "comments",
    "like",
    "likes",
    "hits",
    "visits",
    "visitors",
    "times",
    "年",
    "月",
    "日",
    "号",
    "時",
    "时",
    "分",
    "秒",
    "钟",
    "小",
    "天",
    "周",
    "星",
    "期",
    "前",
    "昨",
    "今",
    "刚",
    "上",
    "下",
    "午",
    "阅",
    "读",
    "浏",
    "览",
    "量",
    "次",
    "点",
    "击",
    "赞",
    "评",
    "论",
    "访",
    "问",
    "人",
    "条",
    "数",
];
