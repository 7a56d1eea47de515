//! A text without what the URL of its page says: is there more to it than its date?
//!
//! The days of a calendar without events say one sentence, with another date in each. Of two short texts a
//! number that differs is often the message, so each of them is a page of its own
//! (`docs/near-duplicates.md`). But here the number is known from the URL already: what is left without it is
//! the same on all of them. The draws of a lottery, the weather of a day, and entries of a dictionary have
//! words and numbers that their URLs do not have.
//!
//! ```text
//! /day/2026-11-26   Thursday, 26 November 2026: no events.   →   , # #: no events.
//! /draw/2001        Draw 2001: 5, 12, 31                     →   Draw #: 5, 12, 31
//! ```
//!
//! Where the URL has a date, names of months and days of the week are left out, in the languages that the
//! extractor knows, and its numbers where they stand beside each other or beside such a name: `5` in a menu is
//! no day. So are the numbers of a month's grid, one after the other, wherever they stand.

use frontier::UrlNumbers;
use segment::Words;
use xxhash_rust::xxh3::Xxh3;

/// So many numbers, each one more than that before, are those of a grid.
const GRID_MIN: usize = 7;

/// From here on letters are of Han and of what is written beside it.
const FIRST_OF_HAN: char = '\u{2e80}';

/// Words of dates, as they are folded, in order.
const NAMES: [&str; 50] = [
    "apr",
    "april",
    "aug",
    "august",
    "dec",
    "december",
    "feb",
    "february",
    "fri",
    "friday",
    "jan",
    "january",
    "jul",
    "july",
    "jun",
    "june",
    "mar",
    "march",
    "may",
    "mon",
    "monday",
    "nov",
    "november",
    "oct",
    "october",
    "sat",
    "saturday",
    "sep",
    "sept",
    "september",
    "sun",
    "sunday",
    "thu",
    "thursday",
    "tue",
    "tuesday",
    "wed",
    "wednesday",
    "号",
    "年",
    "日",
    "星期一",
    "星期三",
    "星期二",
    "星期五",
    "星期六",
    "星期四",
    "星期天",
    "星期日",
    "月",
];

/// The digest of a text's words without the numbers of its page's URL, 16 hex digits.
pub(crate) fn digest(numbers: &UrlNumbers, words: &Words) -> String {
    let words: Vec<Word<'_>> = words
        .iter()
        .map(|word| Word::of(word.text, numbers))
        .collect();
    let mut hash = Xxh3::new();
    let mut at = 0;
    while at < words.len() {
        let grid = grid_length(&words[at..]);
        if grid >= GRID_MIN {
            at += grid;
            continue;
        }
        let beside = [at.checked_sub(1), Some(at + 1)];
        let mut beside = beside.into_iter().flatten().filter_map(|at| words.get(at));
        let is_known = !numbers.is_date || beside.any(|word| word.is_name || word.known > 0);
        words[at].write(is_known, numbers, &mut hash);
        at += 1;
    }
    format!("{:016x}", hash.digest())
}

/// Whether a word is the name of a day of the week, or of a month. In languages that bend their names a month is
/// known by its first letters, which other words have as well: those of the URL's month count, and of
/// the ones beside it.
fn is_of_dates(word: &str, numbers: &UrlNumbers) -> bool {
    let is_near = |month: u64| {
        let months = numbers
            .numbers
            .iter()
            .filter(|number| (1..=12).contains(*number));
        let apart = months.map(|number| number.abs_diff(month));
        { apart }.any(|apart| matches!(apart, 0 | 1 | 11))
    };
    // The names in Han are among those above, and most words of their texts are not looked at further.
    let may_be_name =
        || word.starts_with(|first: char| first.is_alphabetic() && first < FIRST_OF_HAN);
    NAMES.binary_search(&word).is_ok()
        || may_be_name()
            && (extractor::is_month(word)
                || extractor::is_weekday(word)
                || !word.is_ascii() && extractor::month_number(word).is_some_and(is_near))
}

/// How many words from the first on are numbers, each one more than that before.
fn grid_length(words: &[Word<'_>]) -> usize {
    let mut next = words.first().and_then(|word| word.number);
    let grid = words.iter().take_while(|word| {
        let is_next = word.number.is_some() && word.number == next;
        next = next.map(|number| number.saturating_add(1));
        is_next
    });
    grid.count()
}

struct Word<'w> {
    text: &'w str,
    /// It is nothing but a number.
    number: Option<u64>,
    /// Numbers of the URL in it.
    known: usize,
    /// The URL has a date, and it is a word of dates.
    is_name: bool,
}

impl<'w> Word<'w> {
    fn of(text: &'w str, numbers: &UrlNumbers) -> Self {
        let runs = text.split(|c: char| !c.is_ascii_digit());
        Self {
            text,
            number: text.parse().ok(),
            known: runs.filter(|digits| is_known(digits, numbers)).count(),
            is_name: numbers.is_date && is_of_dates(text, numbers),
        }
    }

    /// Writes the word, with `#` for numbers of the URL if those here are known from it.
    fn write(&self, are_known: bool, numbers: &UrlNumbers, to: &mut Xxh3) {
        if self.is_name {
            return;
        }
        if self.known == 0 || !are_known && self.known < 2 {
            to.update(self.text.as_bytes());
        } else {
            for (at, digits) in self.text.split(|c: char| !c.is_ascii_digit()).enumerate() {
                let sign: &[u8] = if at > 0 { b"." } else { b"" };
                to.update(sign);
                to.update(if is_known(digits, numbers) {
                    b"#"
                } else {
                    digits.as_bytes()
                });
            }
            let others = self.text.split(|c: char| c.is_ascii_digit());
            others.for_each(|other| to.update(other.as_bytes()));
        }
        to.update(b"\n");
    }
}

fn is_known(digits: &str, numbers: &UrlNumbers) -> bool {
    digits
        .parse()
        .is_ok_and(|number| numbers.numbers.contains(&number))
}

#[cfg(test)]
mod tests {
    use frontier::CanonicalUrl;
    use segment::Segmenter;

    use super::*;

    fn bare(path: &str, text: &str) -> String {
        let url = CanonicalUrl::parse(&format!("http://a.example{path}")).unwrap();
        let words = Segmenter::shared().words(text);
        digest(&UrlNumbers::of(&url).expect("numbers"), &words)
    }

    #[track_caller]
    fn check(one: (&str, &str), other: (&str, &str), are_equal: bool) {
        assert_eq!(
            bare(one.0, one.1) == bare(other.0, other.1),
            are_equal,
            "{one:?} {other:?}"
        );
    }

    #[test]
    fn the_names_are_in_order() {
        assert!(NAMES.is_sorted());
    }

    #[test]
    fn days_that_say_the_same_of_another_date_are_equal() {
        check(
            (
                "/day/2026-11-06",
                "Friday, 6 November 2026: there are no events.",
            ),
            (
                "/day/2026-12-08",
                "Tuesday, 8 December 2026: there are no events.",
            ),
            true,
        );
        check(
            ("/cal/2026/11/26", "Events on 26.11.2026 (2026-11-26): none"),
            ("/cal/2026/11/27", "Events on 27.11.2026 (2026-11-27): none"),
            true,
        );
        check(
            (
                "/cal/2026%E5%B9%B411%E6%9C%8826%E6%97%A5",
                "2026年11月26日，星期四，没有活动",
            ),
            (
                "/cal/2026%E5%B9%B412%E6%9C%887%E6%97%A5",
                "2026年12月7日，星期一，没有活动",
            ),
            true,
        );
    }

    #[test]
    fn the_grid_of_a_month_says_nothing() {
        let grid = |days: u32| (1..=days).map(|day| format!("{day} ")).collect::<String>();
        check(
            (
                "/cal/2026-10",
                &format!("October 2026 {} no events", grid(31)),
            ),
            (
                "/cal/2026-11",
                &format!("November 2026 {} no events", grid(30)),
            ),
            true,
        );
    }

    #[test]
    fn a_number_of_a_menu_is_no_day() {
        let menu = "link 1 link 2 link 3 link 4 link 5 link 6 link 7 link 8";
        let day = |date: &str| format!("Events on {date}: none. {menu}");
        check(
            ("/day/2026-11-05", &day("2026-11-05")),
            ("/day/2026-12-29", &day("2026-12-29")),
            true,
        );
    }

    #[test]
    fn months_are_names_in_many_languages() {
        for (one, other) in [
            ("12 ноября 2026", "3 декабря 2026"),
            ("12 novembre 2026", "3 décembre 2026"),
            ("12. března 2026", "3. května 2026"),
            ("12 नवंबर 2026", "3 दिसंबर 2026"),
        ] {
            let months = match one.contains("března") {
                true => ("/day/2026-03-12", "/day/2026-05-03"),
                false => ("/day/2026-11-12", "/day/2026-12-03"),
            };
            check((months.0, one), (months.1, other), true);
        }
        // A word that begins as a month does far away.
        let market = |text| bare("/day/2026-11-12", text);
        assert_ne!(market("рынок августа"), market("рынок"));
    }

    #[test]
    fn numbers_and_words_that_the_url_has_not_are_the_message() {
        for (one, other) in [
            (
                ("/draw/2001", "Draw 2001: 5, 12, 31"),
                ("/draw/2002", "Draw 2002: 7, 12, 40"),
            ),
            (
                ("/weather/2026-11-26", "26 November: 7 degrees"),
                ("/weather/2026-11-27", "27 November: 9 degrees"),
            ),
            (
                ("/word/7", "Word 7: garden, a place"),
                ("/word/8", "Word 8: harbour, a place"),
            ),
            (("/may/3", "Notes of May"), ("/may/4", "Notes of June")),
        ] {
            check(one, other, false);
        }
    }
}
