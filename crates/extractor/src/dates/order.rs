//! Whether "3/4/2020" is March 4 or April 3, as a page's other dates tell.
//!
//! A number over 12 is a day. On a page of one program all dates of a form have one order, so one such date
//! decides for all. Where no date decides, the page's language does for slashes. With hyphens days come first,
//! but for a page whose dates would then lie far apart: posts of a thread follow one another.

use crate::bounded::byte_prefix;

use super::{LINE_BYTES_MAX, days_from, forms};

/// Whether the month comes first in dates of two small numbers and a year.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct MonthFirst {
    /// In "3/4/2020".
    slash: bool,
    /// In "3-4-2020".
    hyphen: bool,
}

impl From<bool> for MonthFirst {
    /// As the language has it, which decides for slashes.
    fn from(slash: bool) -> MonthFirst {
        MonthFirst {
            slash,
            hyphen: false,
        }
    }
}

impl MonthFirst {
    pub(super) fn with(self, separator: char) -> bool {
        match separator {
            '/' => self.slash,
            '-' => self.hyphen,
            // "3.4.2020" has the day first everywhere.
            _ => false,
        }
    }

    /// The order on a page with these lines; `by_language` decides for slashes where no date does.
    pub(crate) fn on_page<'t>(
        lines: impl Iterator<Item = &'t str>,
        by_language: bool,
    ) -> MonthFirst {
        let mut slashes = Dates::default();
        let mut hyphens = Dates::default();
        let lines = lines.map(|line| byte_prefix(line, LINE_BYTES_MAX));
        let found = lines
            .filter(|line| forms::has_year(line))
            .filter_map(forms::year_last);
        for found in found.take(DATES_MAX) {
            match found.separator {
                '/' => slashes.add(&found),
                '-' => hyphens.add(&found),
                _ => {}
            }
        }
        MonthFirst {
            slash: slashes.decided().unwrap_or(by_language),
            hyphen: hyphens
                .decided()
                .unwrap_or_else(|| hyphens.are_closer_with_month_first()),
        }
    }
}

/// Dates of a page that are looked at.
const DATES_MAX: usize = 100;

/// The dates of one form on a page: the two numbers before the year, and the year.
#[derive(Default)]
struct Dates {
    numbers: Vec<(u8, u8)>,
    years: Vec<String>,
}

impl Dates {
    fn add(&mut self, found: &forms::Numbers<'_>) {
        if let (Ok(first), Ok(second)) = (found.first.parse(), found.second.parse()) {
            self.numbers.push((first, second));
            self.years.push(found.year.to_owned());
        }
    }

    /// The order that numbers over 12 tell; `None` if there are none or they disagree.
    fn decided(&self) -> Option<bool> {
        let is_day_first = self.numbers.iter().any(|&(first, _)| first > 12);
        let is_month_first = self.numbers.iter().any(|&(_, second)| second > 12);
        (is_day_first != is_month_first).then_some(is_month_first)
    }

    /// Whether the dates lie much closer together if the month comes first.
    fn are_closer_with_month_first(&self) -> bool {
        const TIMES: i32 = 3;
        let span = |month_first: bool| -> Option<i32> {
            let dates = self.numbers.iter().zip(&self.years);
            let mut dates: Vec<String> = dates
                .map(|(&(first, second), year)| match month_first {
                    true => format!("{year}-{first:02}-{second:02}"),
                    false => format!("{year}-{second:02}-{first:02}"),
                })
                .collect();
            dates.sort_unstable();
            days_from(dates.first()?, dates.last()?)
        };
        let [Some(month_first), Some(day_first)] = [true, false].map(span) else {
            return false;
        };
        month_first.saturating_mul(TIMES) < day_first
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(lines: &[&str], slash: bool, hyphen: bool) {
        let found = MonthFirst::on_page(lines.iter().copied(), true);
        assert_eq!(found, MonthFirst { slash, hyphen }, "{lines:?}");
    }

    #[test]
    fn a_number_over_twelve_tells_the_order_of_all_dates_of_its_form() {
        check(&["03-04-2020", "03-14-2020, 10:32 PM"], true, true);
        check(&["03-04-2020", "14-03-2020"], true, false);
        check(&["3/4/2020", "Joined 14/3/2020"], false, false);
        check(&["03-04-2020", "03/14/2020"], true, false);
    }

    #[test]
    fn dates_that_contradict_each_other_tell_nothing() {
        check(&["14/3/2020", "3/14/2020"], true, false);
    }

    #[test]
    fn posts_of_a_thread_follow_one_another() {
        check(&["02-06-2017", "02-09-2017", "02-12-2017"], true, true);
        check(&["06-02-2017", "09-02-2017", "12-02-2017"], true, false);
        check(&["02-06-2017"], true, false);
        check(&["02-06-2017", "03-07-2018"], true, false);
    }
}
