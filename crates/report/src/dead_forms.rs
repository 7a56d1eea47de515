//! Forms of URLs of which most led to no page: old calendars, feeds that are gone, broken templates.
//!
//! A form is a host and a path in which a number, and what looks like the name of a single thing,
//! stand for all of their kind, and of a query the names: `a.example/news/{n}/*.html?id`. A URL is
//! dead when its last request failed, was answered with an error, or with a page that says "not
//! found".

use std::collections::HashMap;

use archive::PageRecord;
use outcome::{JunkReason, Outcome};
use serde::{Deserialize, Serialize};

/// Forms that are counted apart. Beyond, those with the fewest URLs are forgotten.
const FORMS_MAX: usize = 20_000;
/// Forms in the report.
const ROWS_MAX: usize = 50;
/// URLs of a form from which it is told: fewer may be dead by chance.
const ASKED_MIN: u64 = 5;
/// Segments of a path, and names of a query, that a form tells apart.
const PARTS_MAX: usize = 8;
/// The longest segment that is not the name of a single thing.
const WORD_BYTES_MAX: usize = 16;

/// A form of URLs.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct DeadForm {
    /// Host and path; `{n}` is any number, `*` any name.
    pub form: String,
    /// URLs of the form that were asked for.
    pub asked: u64,
    /// Of these, URLs without a page.
    pub dead: u64,
    /// The first of them.
    pub example: String,
}

/// Forms so far.
#[derive(Debug, Default)]
pub(crate) struct DeadForms {
    forms: HashMap<String, Counts>,
}

#[derive(Debug, Default)]
struct Counts {
    asked: u64,
    dead: u64,
    example: String,
}

impl DeadForms {
    /// Counts a finished URL that was asked for.
    pub(crate) fn page(&mut self, page: &PageRecord) {
        if page.fetch.is_none() || page.outcome.refusal().is_some() {
            return;
        }
        let is_dead = match &page.outcome {
            Outcome::Failed(_) => true,
            outcome => matches!(
                outcome.junk(),
                Some(JunkReason::ErrorPage | JunkReason::SoftNotFound)
            ),
        };
        if self.forms.len() >= FORMS_MAX {
            self.forget();
        }
        let counts = self.forms.entry(form(&page.url)).or_default();
        counts.asked += 1;
        counts.dead += u64::from(is_dead);
        if is_dead && counts.example.is_empty() {
            counts.example.clone_from(&page.url);
        }
    }

    /// Half of the room is free again afterwards.
    fn forget(&mut self) {
        let mut least = 1;
        while self.forms.len() > FORMS_MAX / 2 {
            self.forms.retain(|_, counts| counts.asked > least);
            least *= 2;
        }
    }

    /// Those that are mostly dead, with most dead URLs first.
    pub(crate) fn report(&self) -> Vec<DeadForm> {
        let mostly = |counts: &Counts| counts.asked >= ASKED_MIN && 2 * counts.dead > counts.asked;
        let dead = self.forms.iter().filter(|(_, counts)| mostly(counts));
        let mut rows: Vec<DeadForm> = dead
            .map(|(form, counts)| DeadForm {
                form: form.clone(),
                asked: counts.asked,
                dead: counts.dead,
                example: counts.example.clone(),
            })
            .collect();
        rows.sort_by(|a, b| b.dead.cmp(&a.dead).then_with(|| a.form.cmp(&b.form)));
        rows.truncate(ROWS_MAX);
        rows
    }
}

/// The form of a canonical URL.
fn form(url: &str) -> String {
    let rest = weburl::without_scheme(url);
    let (place, query) = rest.split_once('?').unwrap_or((rest, ""));
    let (host, path) = place.split_once('/').unwrap_or((place, ""));
    let mut form = host.to_owned();
    let segments = path.split('/').filter(|segment| !segment.is_empty());
    let mut segments = segments.take(PARTS_MAX).peekable();
    while let Some(segment) = segments.next() {
        form.push('/');
        form.push_str(&part(segment, segments.peek().is_none()));
    }
    if path.is_empty() || path.ends_with('/') {
        form.push('/');
    }
    let names = query.split('&').filter(|pair| !pair.is_empty());
    for (at, pair) in names.take(PARTS_MAX).enumerate() {
        form.push(if at == 0 { '?' } else { '&' });
        let name = pair.split('=').next().unwrap_or_default();
        form.push_str(match name.len() > WORD_BYTES_MAX {
            true => "*",
            false => name,
        });
    }
    form
}

/// What a segment stands for. The last one names a single thing, with the kind of its file.
fn part(segment: &str, is_last: bool) -> String {
    let digits = segment.bytes().filter(u8::is_ascii_digit).count();
    if digits == segment.len() {
        return "{n}".to_owned();
    }
    if is_last {
        return match segment.rsplit_once('.') {
            Some((_, kind)) if (1..=8).contains(&kind.len()) => format!("*.{kind}"),
            Some(_) | None => "*".to_owned(),
        };
    }
    match digits > 0 || segment.len() > WORD_BYTES_MAX {
        true => "*".to_owned(),
        false => segment.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::journal::judged;

    #[test]
    fn a_form_stands_for_urls_that_differ_in_numbers_and_names() {
        for (url, expected) in [
            ("http://a.test/", "a.test/"),
            ("http://a.test/2014/12/a-post/", "a.test/{n}/{n}/*/"),
            ("http://a.test/news/7/story.html", "a.test/news/{n}/*.html"),
            ("http://a.test/news/8", "a.test/news/{n}"),
            ("http://a.test/p19/x?id=7&page=2", "a.test/*/*?id&page"),
            ("http://a.test/a-name-that-is-quite-long/x", "a.test/*/*"),
            ("nonsense", "nonsense/"),
        ] {
            assert_eq!(form(url), expected, "{url}");
        }
    }

    #[test]
    fn forms_are_told_when_most_of_several_are_dead() {
        let mut forms = DeadForms::default();
        let mut add = |path: &str, of: u64, dead: u64, reason: &str| {
            for n in 0..of {
                let reason = if n < dead { reason } else { "" };
                forms.page(&judged(
                    &format!("http://a.test/{path}/{n}"),
                    "t",
                    "en",
                    0.5,
                    reason,
                ));
            }
        };
        add("calendar", 9, 8, "error_page");
        add("gone", 6, 4, "soft_404");
        add("half", 8, 4, "error_page");
        add("few", 4, 4, "error_page");
        add("thin", 9, 9, "thin");
        let found = forms.report();
        let told: Vec<_> = found
            .iter()
            .map(|row| (row.form.as_str(), row.asked, row.dead))
            .collect();
        assert_eq!(
            told,
            [("a.test/calendar/{n}", 9, 8), ("a.test/gone/{n}", 6, 4)]
        );
        assert_eq!(found[0].example, "http://a.test/calendar/0");
    }

    #[test]
    fn memory_is_bounded_and_frequent_forms_stay() {
        let mut forms = DeadForms::default();
        for n in 0..3 * FORMS_MAX {
            let often = judged(
                &format!("http://a.test/old/{n}"),
                "t",
                "en",
                0.5,
                "error_page",
            );
            forms.page(&often);
            forms.page(&judged(&format!("http://h{n}.test/x"), "t", "en", 0.5, ""));
        }
        assert!(forms.forms.len() <= FORMS_MAX);
        assert_eq!(forms.report()[0].dead, 3 * FORMS_MAX as u64);
    }
}
