//! Words that turn what a sentence says round, however few they are: *not*, *closed*, *sold out*; and another
//! day of what takes place then.

use super::tells::CALENDAR;
use super::words::{Word, is_number};

/// Whether words that one of two texts has alone deny what the other says.
pub(super) fn is_denial(words: &[Word]) -> bool {
    let is_denied = |word: &Word| DENIALS.contains(&word.text.as_str());
    words.len() <= DENIAL_WORDS_MAX && words.iter().any(is_denied)
}

const DENIALS: &[&str] = &[
    "not", "no", "never", "cannot", "isn", "aren", "doesn", "don", "won", "wasn", "nicht", "kein",
    "keine", "不", "没", "未", "勿", "禁",
];

/// Words beside a denial that come with it: "does not".
const DENIAL_WORDS_MAX: usize = 2;

/// Whether words took the place of others that name another state of the same thing.
pub(super) fn is_another_state(old: &[Word], new: &[Word]) -> bool {
    let text = |words: &[Word]| -> String {
        let words = words.iter().map(|word| format!(" {}", word.text));
        words.collect::<String>() + " "
    };
    let (old, new) = (text(old), text(new));
    let states = |text: &str| -> Vec<usize> {
        // Chinese characters are words of their own.
        let text_without = text.replace(' ', "");
        let stands = |state: &str| match state.is_ascii() {
            true => text.contains(&format!(" {state} ")),
            false => text_without.contains(state),
        };
        (0..STATES.len()).filter(|at| stands(STATES[*at])).collect()
    };
    let (was, is) = (states(&old), states(&new));
    !was.is_empty() && !is.is_empty() && was != is
}

/// States of shops, roads, events and offers.
const STATES: &[&str] = &[
    "open",
    "closed",
    "reopened",
    "available",
    "unavailable",
    "in stock",
    "out of stock",
    "sold out",
    "cancelled",
    "canceled",
    "postponed",
    "suspended",
    "discontinued",
    "safe",
    "unsafe",
    "有货",
    "现货",
    "缺货",
    "无货",
    "售罄",
    "售完",
    "下架",
    "开放",
    "关闭",
    "取消",
    "延期",
    "暂停",
    "停止",
    "停业",
    "营业",
];

/// Whether dates or times took the place of others in a sentence on what takes place then.
pub(super) fn is_another_day(old: &[Word], new: &[Word], sentence: &[Word]) -> bool {
    let is_of_dates = |word: &Word| is_number(&word.text) || CALENDAR.contains(&word.text.as_str());
    if old.is_empty() || !old.iter().chain(new).all(is_of_dates) {
        return false;
    }
    let text: String = sentence
        .iter()
        .map(|word| format!(" {}", word.text))
        .collect::<String>()
        + " ";
    let text_without = text.replace(' ', "");
    EVENTS.iter().any(|event| match event.is_ascii() {
        true => text.contains(&format!(" {event} ")),
        false => text_without.contains(event),
    })
}

/// What is said of events and of terms, beside their days.
const EVENTS: &[&str] = &[
    "takes place",
    "take place",
    "will be held",
    "is held",
    "starts on",
    "begins on",
    "starts at",
    "begins at",
    "opens on",
    "ends on",
    "closes on",
    "open until",
    "closed until",
    "valid until",
    "deadline",
    "due on",
    "apply by",
    "register by",
    "举行",
    "举办",
    "召开",
    "开幕",
    "截止",
    "开始时间",
    "会议时间",
    "活动时间",
    "比赛时间",
    "考试时间",
    "报名时间",
];

#[cfg(test)]
mod tests {
    use super::super::words::words;
    use super::*;

    #[test]
    fn a_denial_is_a_word_or_two() {
        for denial in ["not", "does not", "never", "不", "没有"] {
            assert!(is_denial(&words(denial)), "{denial}");
        }
        for other in ["very", "not as far as anybody knows", "很"] {
            assert!(!is_denial(&words(other)), "{other}");
        }
    }

    #[test]
    fn another_state_is_named_on_both_sides() {
        let is_other = |old, new| is_another_state(&words(old), &words(new));
        assert!(is_other("in stock", "sold out") && is_other("有货", "已售罄"));
        assert!(is_other("open until 1 March", "closed"));
        assert!(!is_other("open", "open to all") && !is_other("closed", "shut"));
    }

    #[test]
    fn another_day_counts_where_something_takes_place() {
        let is_other =
            |sentence: &str| is_another_day(&words("3 May"), &words("9 June"), &words(sentence));
        assert!(is_other(
            "The meeting takes place on 3 May in the town hall."
        ));
        assert!(is_other("会议时间：2026年5月3日"));
        assert!(!is_other("Posted on 3 May by the editors of the meeting."));
        assert!(!is_another_day(
            &words("the hall"),
            &words("a hall"),
            &words("It takes place in the hall.")
        ));
    }
}
