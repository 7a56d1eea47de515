//! Days of events, which are no days of publication: "March 5, 2021 @ 7:00 pm - 9:00 pm", and a date under "When".
//!
//! A text is published at a moment, and an event has a beginning and an end, or a place beside its time.

use std::ops::Range;

use crate::line_markers::Marker;
use crate::survey::Survey;

/// Whether the date in a line is that of an event.
pub(super) fn is_in(survey: &Survey, run: usize) -> bool {
    const LINE_BYTES_MAX: usize = 120;
    let Some(text) = survey
        .texts
        .get(run)
        .filter(|text| text.len() <= LINE_BYTES_MAX)
    else {
        return false;
    };
    has_span(text) || is_labelled(survey, run, text)
}

/// The days of the events that some lines tell of.
pub(super) fn days(
    survey: &Survey,
    runs: Range<usize>,
    day: impl Fn(&str) -> Option<String>,
) -> Vec<String> {
    const EVENTS_MAX: usize = 8;
    let is_dated = |run: &usize| {
        let markers = survey.markers.get(*run);
        markers.is_some_and(|markers| markers.has(Marker::Date))
    };
    let events = runs.filter(|run| is_dated(run) && is_in(survey, *run));
    let days = events
        .take(EVENTS_MAX)
        .filter_map(|run| day(&survey.texts[run]));
    days.collect()
}

/// Whether a line says from when to when: "7:00 pm - 9:00 pm", "7 – 9pm", "19:00-21:00".
fn has_span(text: &str) -> bool {
    let lower = text.to_lowercase();
    let dashes = lower
        .char_indices()
        .filter(|(_, c)| matches!(c, '-' | '–' | '—'));
    let joints = dashes.map(|(at, c)| (at, c.len_utf8()));
    let words = lower
        .match_indices(" to ")
        .map(|(at, word)| (at, word.len()));
    joints.chain(words).any(|(at, length)| {
        let (before, behind) = (lower[..at].trim_end(), lower[at + length..].trim_start());
        ends_in_time(before, is_time_first(behind)) && is_time_first(behind) != Time::None
    })
}

/// How a clock time is written.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Time {
    None,
    /// "21:00"
    Digits,
    /// "9pm", "9:00 p.m."
    Halves,
}

/// The clock time that a text begins with.
fn is_time_first(text: &str) -> Time {
    let is_digit = |c: char| c.is_ascii_digit();
    let behind = text.trim_start_matches(is_digit);
    if !(1..=2).contains(&(text.len() - behind.len())) {
        return Time::None;
    }
    let minutes = behind
        .strip_prefix([':', '.'])
        .filter(|rest| rest.len() - rest.trim_start_matches(is_digit).len() == 2);
    let rest = minutes.map_or(behind, |rest| rest.trim_start_matches(is_digit));
    let half = rest.trim_start();
    let is_half = ["am", "pm", "a.m", "p.m"].iter().any(|end| {
        half.strip_prefix(end)
            .is_some_and(|rest| !rest.starts_with(char::is_alphanumeric))
    });
    match (
        is_half,
        minutes.is_some() && behind.starts_with(':') && !rest.starts_with(':'),
    ) {
        (true, _) => Time::Halves,
        (false, true) => Time::Digits,
        (false, false) => Time::None,
    }
}

/// Whether a text ends in a clock time; before one with halves of the day an hour alone is one.
fn ends_in_time(text: &str, next: Time) -> bool {
    let halves = ["am", "pm", "a.m.", "p.m."];
    let head = halves.iter().find_map(|end| text.strip_suffix(end));
    let bare = head.unwrap_or(text).trim_end();
    let hour = bare.trim_end_matches(|c: char| c.is_ascii_digit());
    let digits = bare.len() - hour.len();
    let has_minutes = digits == 2 && hour.ends_with(':');
    let is_apart = |rest: &str| rest.ends_with([' ', ',', '·', '@', '(']) || rest.is_empty();
    let is_hour = (1..=2).contains(&digits) && is_apart(hour);
    has_minutes || is_hour && (head.is_some() || next == Time::Halves)
}

/// Whether a line is labelled, or the one above it is the label, as the time of something that has a place as well.
fn is_labelled(survey: &Survey, run: usize, text: &str) -> bool {
    const RUNS_NEAR: usize = 6;
    const TIMES: [&str; 7] = [
        "when",
        "date and time",
        "date & time",
        "date/time",
        "time and date",
        "event date",
        "event time",
    ];
    const PLACES: [&str; 5] = ["where", "venue", "location", "event location", "place"];
    let bare = |text: &str| {
        let label = text.trim_matches(|c: char| !c.is_alphanumeric());
        label.to_lowercase()
    };
    let begins = |line: &str, labels: &[&str]| {
        let label = line.split_once(':').map_or(line, |(label, _)| label);
        label.len() <= 20 && labels.contains(&bare(label).as_str())
    };
    let above = run.checked_sub(1).map_or("", |above| &survey.texts[above]);
    let is_time = begins(text, &TIMES) || begins(above, &TIMES);
    let near = run.saturating_sub(RUNS_NEAR)..run + RUNS_NEAR;
    let mut near = near.filter_map(|run| survey.texts.get(run));
    is_time && near.any(|line| begins(line, &PLACES))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_event_has_a_beginning_and_an_end() {
        for line in [
            "March 5, 2021 @ 7:00 pm - 9:00 pm",
            "5 March 2021 · 7 - 9pm GMT",
            "Friday, March 5, 2021, 7pm–9pm",
            "2021-03-05 19:00-21:00",
            "March 5, 2021 from 7:00 p.m. to 9:00 p.m.",
        ] {
            assert!(has_span(line), "{line}");
        }
        for line in [
            "March 5, 2021 7:00 pm",
            "2021-03-05 10:11",
            "2021-03-05 10:11:12",
            "Updated 2021-03-05 - 10:11",
            "March 5, 2021 - 7:00 pm",
            "Published March 5, 2021 at 7:00 pm – 4 min read",
            "03-05 10:11",
            "",
        ] {
            assert!(!has_span(line), "{line}");
        }
    }

    #[track_caller]
    fn check(rows: &str, published: Option<&str>) {
        let text =
            "<p>The river rose again on Thursday night, and took the old stone bridge with it.</p>";
        let html = format!(
            "<title>The eel fair</title><main><h1>The eel fair</h1>{rows}{}</main>",
            text.repeat(4)
        );
        let url = url::Url::parse("https://marsh.example/eel").unwrap();
        let page = crate::extract(&html, &crate::PageContext::new(&url));
        assert_eq!(page.published.as_deref(), published, "{rows}");
    }

    #[test]
    fn the_day_of_an_event_is_no_day_of_publication() {
        check("<p>March 5, 2021 @ 7:00 pm - 9:00 pm</p>", None);
        check(
            "<h2>Date and time</h2><p>March 5, 2021</p><h2>Location</h2><p>Old Town Hall</p>",
            None,
        );
        check(
            "<p><b>When:</b> March 5, 2021, 7pm</p><p><b>Where:</b> Old Town Hall</p>",
            None,
        );
        check(
            "<p>Posted February 1, 2021</p><p>When: March 5, 2021</p><p>Where: Old Town Hall</p>",
            Some("2021-02-01"),
        );
        check("<p>March 5, 2021 7:00 pm</p>", Some("2021-03-05"));
        check("<p>When: March 5, 2021</p>", None);
    }
}
