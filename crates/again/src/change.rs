//! Two texts of one page: the same, nearly the same, or another?
//!
//! The texts are main texts, without menus and margins. Their lines are compared first, then the words of
//! lines that took each other's place; Chinese by character. What differs is weighed in words. Numbers
//! weigh nothing, but for a figure of a sentence; nor do the words of dates and counters in a line with a
//! number: "3 minutes ago", "阅读 128 次". Words that are spelt anew weigh nothing, and a web address is one
//! word. Lines that only changed places weigh nothing either, nor do notices and menus. A page has changed
//! when what is left comes to a phrase; below that it was touched. Some things are a phrase by themselves: an
//! item more or less in a list, another figure in a sentence, another value of a setting, another command.
//!
//! Where main content begins and ends is found anew at each visit, and may be found elsewhere in a page that
//! has not changed. So where whole pages are at hand, a line counts for nothing that stands on the page as
//! often as it did.
//!
//! `words` cuts texts into words, `notices` knows what a site says of a page, `figures` when a number tells,
//! `lists` what an item is, `shown` what stands on a page.

use std::collections::{BTreeMap, BTreeSet};

use outcome::Change;
use similar::{Algorithm, DiffOp, DiffTag, capture_diff_slices};

mod figures;
mod lists;
mod notices;
mod shown;
mod words;

pub use shown::Shown;
use words::{Gap, Line, Word, is_address, is_han, is_number, lines, weight};

/// A phrase: so many words, taken out and put in together. One word in the place of another is two.
const PHRASE_WORDS: f64 = 4.0;

/// A line more or less is a phrase from so many words on: an entry of a list is often no longer.
const LINE_WORDS: f64 = 3.0;

/// What another address of a link weighs.
const ADDRESS_WORDS: f64 = 0.5;

/// Words of a link's name at most, where it stands in the place of its address.
const LINK_WORDS_MAX: usize = 5;

/// In a short text less is a phrase: this share of its words.
const PHRASE_SHARE: f64 = 0.2;

/// Words on each side of two lines that are compared word by word.
const LINE_WORDS_MAX: usize = 1_500;

/// Letters of words whose spelling is compared; a longer one is another word.
const SPELLING_LETTERS_MAX: usize = 64;

/// Passages that are told.
const PASSAGES_MAX: usize = 50;

/// Lines that are looked for in whole pages; further ones are taken for what the main texts have.
const LINES_SOUGHT_MAX: usize = 400;

/// What two texts of one page have of each other.
#[derive(Debug, Clone, PartialEq)]
pub struct Comparison {
    /// `unchanged`, `touched` or `changed`.
    pub change: Change,
    /// The share of words that both have, 0.0 to 1.0.
    pub similarity: f64,
    /// Where they differ, in order; 50 at most.
    pub passages: Vec<Passage>,
}

/// A place where two texts differ.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Passage {
    /// The lines of the first text; empty where they are new.
    pub before: String,
    /// The lines of the second text; empty where they are gone.
    pub after: String,
    /// Nothing but numbers, dates and counters differs.
    pub is_small: bool,
}

/// Compares a page's text with its text at the visit before.
pub fn compare(before: &str, after: &str) -> Comparison {
    compare_by(before, after, None)
}

/// The same where all text of the page is at hand as well, as it was and as it is. What has not changed by its
/// main texts has not by these either: of two lines in each other's place one may stand elsewhere, too.
pub fn compare_on_pages(before: &str, after: &str, shown: &Shown) -> Comparison {
    let by_texts = compare(before, after);
    match by_texts.change {
        Change::Changed => compare_by(before, after, Some(shown)),
        _ => by_texts,
    }
}

fn compare_by(before: &str, after: &str, shown: Option<&Shown>) -> Comparison {
    let (old, new) = (lines(before), lines(after));
    let similarity = similarity(&old, &new);
    let keys = |lines: &[Line]| lines.iter().map(Line::key).collect::<Vec<_>>();
    let (old_keys, new_keys) = (keys(&old), keys(&new));
    if old_keys == new_keys {
        return Comparison {
            change: Change::Unchanged,
            similarity: 1.0,
            passages: Vec::new(),
        };
    }
    let mut moved = moved_lines(&old_keys, &new_keys);
    let (mut weight, mut sought) = (0.0, 0);
    let mut slips = BTreeSet::new();
    let mut passages = Vec::new();
    for op in capture_diff_slices(Algorithm::Patience, &old_keys, &new_keys) {
        if op.tag() == DiffTag::Equal {
            continue;
        }
        let mut removed = left_over(
            &old[op.old_range()],
            &old_keys[op.old_range()],
            &mut moved.0,
        );
        let mut added = left_over(
            &new[op.new_range()],
            &new_keys[op.new_range()],
            &mut moved.1,
        );
        if let Some(shown) = shown
            && sought + removed.len() + added.len() <= LINES_SOUGHT_MAX
        {
            sought += removed.len() + added.len();
            removed.retain(|line| !shown.is_still_there(line));
            added.retain(|line| !shown.was_there(line));
        }
        if removed.is_empty() && added.is_empty() {
            continue;
        }
        let mut own = difference(&removed, &added, &mut slips);
        // A line more or less, and not another one in its place.
        let are_phrases = own >= LINE_WORDS
            || match removed.is_empty() {
                true => lists::are_items(&new, op.new_range()),
                false => lists::are_items(&old, op.old_range()),
            };
        if own > 0.0 && removed.is_empty() != added.is_empty() && are_phrases {
            own = own.max(PHRASE_WORDS);
        }
        weight += own;
        if passages.len() < PASSAGES_MAX {
            passages.push(Passage {
                before: joined(&removed),
                after: joined(&added),
                is_small: own == 0.0,
            });
        }
    }
    let words = |lines: &[Line]| lines.iter().map(|line| line.weight()).sum::<f64>();
    let phrase = PHRASE_WORDS.min(PHRASE_SHARE * words(&old).max(words(&new)));
    Comparison {
        change: match weight > 0.0 && weight >= phrase {
            true => Change::Changed,
            false => Change::Touched,
        },
        similarity,
        passages,
    }
}

/// The share of words that both texts have, each counted as often as it stands.
fn similarity(old: &[Line<'_>], new: &[Line<'_>]) -> f64 {
    let mut counts: BTreeMap<&str, i64> = BTreeMap::new();
    let (mut all, mut differ) = (0.0, 0.0);
    for word in old.iter().flat_map(|line| &line.words) {
        *counts.entry(&word.text).or_default() += 1;
        all += 1.0;
    }
    for word in new.iter().flat_map(|line| &line.words) {
        *counts.entry(&word.text).or_default() -= 1;
        all += 1.0;
    }
    for count in counts.values() {
        differ += count.unsigned_abs() as f64;
    }
    if all == 0.0 { 1.0 } else { 1.0 - differ / all }
}

type Counts<'a> = BTreeMap<&'a str, usize>;

/// How often each line that both texts have in different places may be left out on either side.
fn moved_lines<'a>(old: &'a [String], new: &'a [String]) -> (Counts<'a>, Counts<'a>) {
    let mut out = Vec::new();
    for op in capture_diff_slices(Algorithm::Patience, old, new) {
        if op.tag() != DiffTag::Equal {
            out.push(op);
        }
    }
    let count = |lines: &'a [String], range: fn(&DiffOp) -> std::ops::Range<usize>| {
        let mut counts = Counts::new();
        for line in out.iter().flat_map(|op| &lines[range(op)]) {
            *counts.entry(line.as_str()).or_default() += 1;
        }
        counts
    };
    let (mut gone, mut come) = (count(old, DiffOp::old_range), count(new, DiffOp::new_range));
    gone.retain(|line, count| match come.get_mut(line) {
        Some(other) => {
            *count = (*count).min(*other);
            *other = *count;
            true
        }
        None => false,
    });
    come.retain(|line, _| gone.contains_key(line));
    (gone, come)
}

/// The lines that did not only change places.
fn left_over<'a, 'b>(
    lines: &'b [Line<'a>],
    keys: &[String],
    moved: &mut Counts<'_>,
) -> Vec<&'b Line<'a>> {
    let stays = |(_, key): &(&Line, &String)| match moved.get_mut(key.as_str()) {
        Some(count) if *count > 0 => {
            *count -= 1;
            false
        }
        _ => true,
    };
    lines
        .iter()
        .zip(keys)
        .filter(stays)
        .map(|(line, _)| line)
        .collect()
}

/// What differs between lines that took each other's place, in words.
fn difference(
    removed: &[&Line<'_>],
    added: &[&Line<'_>],
    slips: &mut BTreeSet<(String, String)>,
) -> f64 {
    let all = |lines: &[&Line<'_>]| -> Vec<Word> {
        let lines = lines.iter().filter(|line| !is_aside(&line.words, false));
        lines.flat_map(|line| line.words.iter().cloned()).collect()
    };
    let (old, new) = (all(removed), all(added));
    let texts = |words: &[Word]| {
        words
            .iter()
            .map(|word| word.text.clone())
            .collect::<Vec<_>>()
    };
    let (old_texts, new_texts) = (texts(&old), texts(&new));
    let has_number = old_texts
        .iter()
        .chain(&new_texts)
        .any(|word| is_number(word));
    let weigh = |words: &[Word], is_inside: bool| {
        let told = sentences(words).filter(|words| !is_aside(words, is_inside));
        told.flatten()
            .map(|word| match has_number && is_of_counters(&word.text) {
                true => 0.0,
                false => weight(&word.text),
            })
            .sum::<f64>()
    };
    if old.len() > LINE_WORDS_MAX || new.len() > LINE_WORDS_MAX {
        return weigh(&old, false) + weigh(&new, false);
    }
    let ops = capture_diff_slices(Algorithm::Myers, &old_texts, &new_texts);
    let is_inside = ops.iter().any(|op| op.tag() == DiffTag::Equal);
    let mut sum = 0.0;
    for op in ops.iter().filter(|op| op.tag() != DiffTag::Equal) {
        let (was, is) = (&old_texts[op.old_range()], &new_texts[op.new_range()]);
        if is_respelt(was, is) || is_slip(was, is) && !slips.insert((was[0].clone(), is[0].clone()))
        {
            continue;
        }
        if is_another_address(was, is) {
            sum += ADDRESS_WORDS;
            continue;
        }
        sum += weigh(&old[op.old_range()], is_inside) + weigh(&new[op.new_range()], is_inside);
        if tells_alone(&old, &new, op) {
            sum += PHRASE_WORDS;
        }
    }
    sum
}

/// Whether a difference says something else however short it is.
fn tells_alone(old: &[Word], new: &[Word], op: &DiffOp) -> bool {
    let (before, after) = (op.old_range(), op.new_range());
    if before.is_empty() || after.is_empty() {
        return lists::is_item(old, before) || lists::is_item(new, after);
    }
    let is_one = before.len() == 1 && after.len() == 1;
    let (was, is) = (&old[before.start], &new[after.start]);
    // A figure in the place of another one, in the same sentence.
    let is_figure = || tells(old, before.start) && tells(new, after.start);
    // The value of a setting.
    let is_value = || was.gap == Gap::Equals && is.gap == Gap::Equals;
    // Another command.
    let is_told = |words: &[Word]| {
        words
            .iter()
            .any(|word| word.is_command && weight(&word.text) > 0.0)
    };
    let is_command = || is_told(&old[before.clone()]) && is_told(&new[after.clone()]);
    is_one && (is_figure() || is_value()) || is_command()
}

/// Whether a word is a figure of its line.
fn tells(words: &[Word], at: usize) -> bool {
    let begin = words[..=at].iter().rposition(|word| word.gap == Gap::Stop);
    let begin = begin.unwrap_or(0);
    let end = words[at + 1..]
        .iter()
        .position(|word| word.gap == Gap::Stop);
    let end = end.map_or(words.len(), |end| at + 1 + end);
    figures::is_told(&words[begin..end], at - begin)
}

/// Whether words say something of the page and not on it, or where else to go.
fn is_aside(words: &[Word], is_inside: bool) -> bool {
    notices::is_notice(words) || notices::is_menu(words, is_inside)
}

/// Words as sentences.
fn sentences(words: &[Word]) -> impl Iterator<Item = &[Word]> {
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
fn is_another_address(old: &[String], new: &[String]) -> bool {
    let is_one = |words: &[String]| words.len() == 1 && is_address(&words[0]);
    let is_name = |words: &[String]| words.len() <= LINK_WORDS_MAX && !words.is_empty();
    is_one(old) && is_name(new) || is_one(new) && is_name(old)
}

/// Whether one Chinese character stands for another one. The same slip in many places is one.
fn is_slip(old: &[String], new: &[String]) -> bool {
    let is_one = |words: &[String]| words.len() == 1 && words[0].chars().all(is_han);
    is_one(old) && is_one(new)
}

/// Whether the words are the same but for their spelling: a letter more, less, other or in another
/// place, two in a long word.
fn is_respelt(old: &[String], new: &[String]) -> bool {
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

fn is_of_counters(word: &str) -> bool {
    CALENDAR.contains(&word) || COUNTER_WORDS.contains(&word)
}

/// Words of the calendar and the clock.
const CALENDAR: &[&str] = &[
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

fn joined(lines: &[&Line<'_>]) -> String {
    lines
        .iter()
        .map(|line| line.source)
        .collect::<Vec<_>>()
        .join("\n")
}

#[cfg(test)]
mod tests {
    use super::words::LINES_MAX;
    use super::*;
    use proptest::prelude::*;

    const TEXT: &str = "Vacuum in PostgreSQL\nPosted 12 May 2024, 312 views\n\
        Dead rows stay in the table until vacuum takes them out, and the table grows while they stay.\n\
        A freeze sets old rows to be visible for ever, before their numbers wrap around.\n\
        索引膨胀会让查询变慢，定期重建索引可以解决这个问题。\n阅读 128 次，3 分钟前更新";

    #[track_caller]
    fn check(from: &str, to: &str, change: Change) {
        let after = TEXT.replace(from, to);
        assert_ne!(after, TEXT);
        let comparison = compare(TEXT, &after);
        assert_eq!(comparison.change, change, "{from} -> {to}: {comparison:#?}");
    }

    #[test]
    fn words_spelt_anew_and_another_address_are_no_change() {
        let before = "The expection is that their indicies are pluged in at runtime.\nThe lisense is at \
            https://old.example.org/a/b/c?d=e for all of you.";
        let after = "The expectation is that their indices are plugged in at runtime.\nThe license is at \
            http://new.example.com/x/y/z#top for all of you.";
        assert_eq!(compare(before, after).change, Change::Touched);
        let other = before.replace(
            "that their indicies are pluged",
            "where our arrays were put",
        );
        assert_eq!(compare(before, &other).change, Change::Changed);
    }

    #[test]
    fn notices_and_menus_that_come_or_go_are_no_change() {
        for notice in [
            "Last updated: 12 May 2024",
            "Copyright 2026 The Example Foundation. All rights reserved.",
            "We use cookies to improve your experience. Accept all",
            "Available Languages: en | fr | de",
            "本站原创文章，未经允许不得转载",
        ] {
            let line = format!("{TEXT}\n{notice}");
            assert_eq!(compare(TEXT, &line).change, Change::Touched, "{notice}");
            let inside = TEXT.replace("they stay.", &format!("they stay. {notice}"));
            assert_eq!(compare(TEXT, &inside).change, Change::Touched, "{notice}");
        }
        let inside = TEXT.replace(
            "they stay.",
            "they stay. Módulos | Diretivas | Perguntas | Mapa do Site",
        );
        assert_eq!(compare(TEXT, &inside).change, Change::Touched);
        // A row of a table is none.
        let row = format!("{TEXT}\nautovacuum | on | launches the workers");
        assert_eq!(compare(TEXT, &row).change, Change::Changed);
    }

    #[test]
    fn another_figure_in_a_sentence_changes_a_page() {
        let sentence = |years| {
            format!(
                "{TEXT}\nThe eruption lowered the temperatures of the whole earth by {years} degrees for years."
            )
        };
        assert_eq!(
            compare(&sentence("3.5"), &sentence("8")).change,
            Change::Changed
        );
        assert_eq!(
            compare(&sentence("3.5"), &sentence("3.5")).change,
            Change::Unchanged
        );
        let number = |number| {
            format!(
                "{TEXT}\n{number} The eruption and what it did to the temperatures of the earth"
            )
        };
        assert_eq!(
            compare(&number("4.6"), &number("4.7")).change,
            Change::Touched
        );
    }

    #[test]
    fn an_item_a_value_a_command_or_a_line_is_a_change_by_itself() {
        for (before, after) in [
            (
                "下列指令可以展开：ADD、COPY、ENV、FROM、LABEL。",
                "下列指令可以展开：ADD、COPY、ENV、LABEL。",
            ),
            (
                "Use TOMOYO, AppArmor, Seccomp and SELinux.",
                "Use TOMOYO, AppArmor and SELinux.",
            ),
            (
                "Run make checkstack and make namespacecheck.",
                "Run make checkstack.",
            ),
            (
                "Put hashbrown = \"0.15\" into your manifest.",
                "Put hashbrown = \"0.16\" into your manifest.",
            ),
            (
                "--secret source=password,mode=0400",
                "--secret source=password,mode=0444",
            ),
            ("$ docker ps -a", "$ docker container ls -a"),
            (
                "The memory's number is 2: it is made anew.",
                "The memory's number is 3: it is made anew.",
            ),
            ("Entries", "Entries\nWeek seventeen picks"),
        ] {
            let texts = [before, after].map(|line| format!("{TEXT}\n{line}"));
            assert_eq!(
                compare(&texts[0], &texts[1]).change,
                Change::Changed,
                "{after}"
            );
        }
        for (before, after) in [
            (
                "The planner reads statistics of the table before it chooses.",
                "The planner reads statistics of the table, however, before it chooses.",
            ),
            ("if (version >= (4 << 16))", "if (version >= (4U << 16))"),
            (
                "Write to one@a.example for help.",
                "Write to other@b.example for help.",
            ),
            ("by Some Author", "by Another Writer"),
            ("Entries", "Entries\nHome"),
            (
                "Entries.",
                "Entries. The contents of this site are © 2019 Some Publishing Corp.",
            ),
        ] {
            let texts = [before, after].map(|line| format!("{TEXT}\n{line}"));
            assert_eq!(
                compare(&texts[0], &texts[1]).change,
                Change::Touched,
                "{after}"
            );
        }
    }

    #[test]
    fn a_name_in_the_place_of_an_address_and_one_slip_in_many_places_are_no_change() {
        let before = format!(
            "{TEXT}\nSee Documentation/admin-guide/mm/concepts.rst and http://a.example/x for more."
        );
        let after = format!("{TEXT}\nSee Concepts overview and http://b.example/y for more.");
        assert_eq!(compare(&before, &after).change, Change::Touched);
        let before = format!("{TEXT}\n{}", "应用程序可以运行\n".repeat(6));
        let after = before.replace('应', "运");
        assert_eq!(compare(&before, &after).change, Change::Touched);
    }

    #[test]
    fn words_without_end_are_other_words() {
        let run = |c: char| format!("one two three {}", c.to_string().repeat(1_000_000));
        let texts = (run('a') + " four five six", run('b') + " seven eight nine");
        assert_eq!(compare(&texts.0, &texts.1).change, Change::Changed);
    }

    #[test]
    fn what_changes_far_down_a_long_text_is_seen() {
        let text = |last: &str| {
            let lines: Vec<String> = (0..LINES_MAX + 500).map(|at| format!("row {at}")).collect();
            format!("{}\n{last}\nthe end", lines.join("\n"))
        };
        let before = text("A freeze sets old rows to be visible for ever.");
        let after = text("Old rows are thrown away once nobody has read them for a year.");
        assert_eq!(compare(&before, &before).change, Change::Unchanged);
        assert_eq!(compare(&before, &after).change, Change::Changed);
    }

    #[test]
    fn another_date_or_counter_touches_a_page() {
        check(
            "12 May 2024, 312 views",
            "3 June 2025, 410 views",
            Change::Touched,
        );
        check(
            "阅读 128 次，3 分钟前更新",
            "阅读 2091 次，2 天前更新",
            Change::Touched,
        );
        check("312", "313", Change::Touched);
    }

    #[test]
    fn a_corrected_word_touches_a_page() {
        check("grows while", "bloats while", Change::Touched);
        check("变慢", "变得很慢", Change::Touched);
    }

    #[test]
    fn a_sentence_more_less_or_other_changes_it() {
        check(
            "ever, before",
            "ever. This costs many writes, before",
            Change::Changed,
        );
        check(
            "A freeze sets old rows to be visible for ever, before their numbers wrap around.\n",
            "",
            Change::Changed,
        );
        check(
            "索引膨胀会让查询变慢",
            "表没有统计信息时计划会很差",
            Change::Changed,
        );
        check(
            "\n阅读",
            "\n新增一节：自动清理的参数如何设置才合适。\n阅读",
            Change::Changed,
        );
    }

    #[test]
    fn spaces_case_and_punctuation_are_no_change() {
        check("table until", "table   until", Change::Unchanged);
        check("Dead rows", "dead rows,", Change::Unchanged);
    }

    #[test]
    fn lines_in_another_order_touch_a_page() {
        let mut lines: Vec<&str> = TEXT.lines().collect();
        lines.swap(2, 3);
        let comparison = compare(TEXT, &lines.join("\n"));
        assert_eq!(comparison.change, Change::Touched, "{comparison:#?}");
        assert_eq!(comparison.similarity, 1.0);
    }

    #[test]
    fn a_passage_has_its_lines_before_and_after() {
        let comparison = compare(
            "one\ntwo words\nthree",
            "one\nfour other words of five\nthree",
        );
        let [passage] = comparison.passages.as_slice() else {
            panic!("{comparison:?}")
        };
        assert_eq!(
            (passage.before.as_str(), passage.after.as_str()),
            ("two words", "four other words of five")
        );
        assert!(!passage.is_small);
    }

    #[test]
    fn a_short_text_needs_less_to_change() {
        assert_eq!(
            compare("opening hours nine to five", "opening hours closed").change,
            Change::Changed
        );
        assert_eq!(compare("", "something").change, Change::Changed);
        assert_eq!(compare("", "").change, Change::Unchanged);
    }

    #[test]
    fn what_stands_on_the_page_as_often_as_before_was_not_put_in_or_taken_out() {
        let aside = "Read what the planner knows of your tables, and how to tell it more.";
        let page = format!("Home\nDocs\n{TEXT}\n{aside}\nImprint");
        let more = format!("{TEXT}\n{aside}");
        let on_pages = |before: &str, after: &str, (then, now): (&str, &str)| {
            let change = compare_on_pages(before, after, &Shown::of(then, now)).change;
            assert_eq!(compare(before, after).change, Change::Changed);
            change
        };
        // The main text was taken to end later, or earlier.
        let same = (page.as_str(), page.as_str());
        assert_eq!(on_pages(TEXT, &more, same), Change::Touched);
        assert_eq!(on_pages(&more, TEXT, same), Change::Touched);
        // It is new on the page, or stands there once more; or it is not where a reader sees it.
        let without = page.replace(aside, "");
        let twice = format!("{page}\n{aside}");
        for pages in [
            (without.as_str(), page.as_str()),
            (page.as_str(), twice.as_str()),
            ("", ""),
            (without.as_str(), without.as_str()),
        ] {
            assert_eq!(on_pages(TEXT, &more, pages), Change::Changed);
            let back = (pages.1, pages.0);
            assert_eq!(on_pages(&more, TEXT, back), Change::Changed);
        }
        // Other words of a line are new whatever else stands on the page.
        let other = TEXT.replace("visible for ever", "hidden from every reader of theirs");
        let both = format!("{page}\nhidden from every reader of theirs");
        assert_eq!(on_pages(TEXT, &other, (&page, &both)), Change::Changed);
    }

    #[test]
    fn so_many_lines_are_looked_for_on_pages() {
        let text = |from: usize, count: usize| -> String {
            let lines = (from..from + count).map(|n| format!("line number{n} of a long list\n"));
            lines.collect()
        };
        let page = text(0, 4 * LINES_SOUGHT_MAX);
        let shown = Shown::of(&page, &page);
        // All of them stand on the page then and now.
        for (count, change) in [
            (LINES_SOUGHT_MAX, Change::Touched),
            (LINES_SOUGHT_MAX + 1, Change::Changed),
        ] {
            let after = text(0, 2 + count);
            assert_eq!(compare_on_pages(&text(0, 2), &after, &shown).change, change);
        }
    }

    proptest! {
        #[test]
        fn pages_only_make_a_change_less(before in "[a-c \n]{0,40}", after in "[a-c \n]{0,40}", then in "[a-c \n]{0,40}", now in "[a-c \n]{0,40}") {
            let by_texts = compare(&before, &after);
            let on_pages = compare_on_pages(&before, &after, &Shown::of(&then, &now));
            prop_assert_eq!(on_pages.similarity, by_texts.similarity);
            match by_texts.change {
                Change::Changed => prop_assert!(on_pages.change != Change::Unchanged),
                other => prop_assert_eq!(on_pages.change, other),
            }
        }

        #[test]
        fn a_text_is_unchanged_beside_itself_alone(before in "[a-c 1-2\u{4e00}-\u{4e05}\n]{0,60}", after in "[a-c 1-2\u{4e00}-\u{4e05}\n]{0,60}") {
            prop_assert_eq!(compare(&before, &before).change, Change::Unchanged);
            let (there, back) = (compare(&before, &after), compare(&after, &before));
            prop_assert_eq!(there.similarity, back.similarity);
            prop_assert_eq!(there.change == Change::Unchanged, back.change == Change::Unchanged);
            prop_assert!((0.0..=1.0).contains(&there.similarity));
        }
    }
}
