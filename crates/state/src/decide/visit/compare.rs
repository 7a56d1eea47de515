//! How a page differs from its version at the visit before, and what the record of the visit says of it.

use archive::{DueRecord, PageRecord, PageSummary, VisitRecord};
use outcome::{Change, JunkKind, Outcome, Verdict};
use simhash::Fingerprint;

use super::is_left_out;
use crate::finding::Before;

/// Fingerprints that differ in no more bits are of nearly the same text, where the text itself is not
/// archived.
const TOUCHED_BITS_MAX: u32 = 3;

/// So many words more or less are another date or counter there; three words are a line that came or went, as
/// where texts are compared. Fingerprints alone do not tell: those of texts of few different words are near each
/// other with a third more text.
const TOUCHED_WORDS_MAX: u32 = 2;

/// Whether the page as it is now is a version of its own, beside what its text says.
pub(super) fn is_new_version(visit: &mut VisitRecord, due: &DueRecord, page: &PageRecord) -> bool {
    // A page may ask to be left out, or no longer, whatever its text.
    if is_left_out(&page.outcome) != is_left_out(&visit.was) {
        visit.change = Change::Changed;
    }
    let pointed_away = visit.was == Outcome::Redirected;
    if pointed_away {
        visit.change = Change::Back;
    }
    pointed_away || visit.change == Change::Changed || due.absence.gone || due.rejudge
}

/// Notes that a page was read by which a kept one would leave, and that it does not yet.
pub(super) fn leave_as_it_was(visit: &mut VisitRecord, due: &DueRecord, now: PageRecord) {
    visit.change = Change::Unclear;
    // A later 304 is to speak of the page that is kept.
    visit.etag.clone_from(&due.etag);
    visit.last_modified.clone_from(&due.last_modified);
    visit.parts.clone_from(&due.parts);
    visit.reason = now.outcome.reason().map(|reason| reason.into_owned());
    visit.detail = now.detail.or_else(|| visit.reason.clone());
}

/// Whether a kept page would leave for what its server says today: an empty page, a shell without its
/// scripts, a notice that stands in the place of all pages. What a page asks for itself is no doubt.
pub(super) fn is_doubtful(visit: &VisitRecord, now: &Outcome) -> bool {
    let is_dropped = matches!(now, Outcome::Judged(Verdict::Junk(reason)) if reason.kind() != JunkKind::Withheld);
    visit.was.is_indexed() && is_dropped
}

/// What is known of parts of a page after this was done to each.
pub(super) fn numbers_after(parts: &[[u32; 6]], does: impl Fn(&mut again::Part)) -> Vec<[u32; 6]> {
    let after = |numbers: &[u32; 6]| {
        let mut part = again::Part::from_numbers(*numbers);
        does(&mut part);
        part.to_numbers()
    };
    parts.iter().map(after).collect()
}

/// Writes down how the page's text differs from what it was. Another title is a change as well, as long as
/// more than a number differs.
pub(super) fn compare(
    visit: &mut VisitRecord,
    due: &DueRecord,
    page: &PageRecord,
    before: Option<&Before>,
    after: &str,
) {
    let Some(summary) = &page.page else { return };
    let whole = summary.whole.as_ref().map(|whole| whole.digest.as_str());
    let was_whole = due.whole.as_deref().unwrap_or(&due.digest);
    let is_version = summary.digest == due.digest
        || whole == Some(was_whole)
        || due.whole.as_deref() == Some(summary.digest.as_str());
    let is_as_touched = due.touched.as_ref() == Some(&summary.digest);
    let parts: Vec<again::Part> = due
        .parts
        .iter()
        .map(|numbers| again::Part::from_numbers(*numbers))
        .collect();
    let numbers = |parts: Vec<again::Part>| parts.into_iter().map(again::Part::to_numbers);
    (visit.change, visit.similarity) = match before {
        _ if is_version => {
            visit.parts = numbers(again::parts::after_version(&parts)).collect();
            (Change::Unchanged, Some(1.0))
        }
        // What stays in a part that was made anew is told after a while.
        _ if is_as_touched && parts.is_empty() => (Change::Unchanged, Some(1.0)),
        Some(Before { text, shown }) => {
            let known = again::Known {
                shown: shown.as_ref(),
                parts: &parts,
            };
            let compared = again::compare_knowing(text, after, known);
            visit.parts = numbers(compared.parts).collect();
            match compared.change {
                Change::Touched if is_as_touched => (Change::Unchanged, Some(1.0)),
                change => (change, Some(compared.similarity as f32)),
            }
        }
        None if is_as_touched => (Change::Unchanged, Some(1.0)),
        None => (by_prints(due, summary), None),
    };
    let (was, is) = (&due.title, &summary.title);
    let is_known = !was.is_empty() && !is.is_empty();
    if is_known && again::compare(was, is).change == Change::Changed {
        let had_same_text = visit.change != Change::Changed;
        visit.detail = had_same_text.then(|| format!("another title, before: {was}"));
        visit.change = Change::Changed;
    }
    visit.touched = (visit.change == Change::Touched).then(|| summary.digest.clone());
}

/// The same by fingerprints and numbers of words alone.
fn by_prints(before: &DueRecord, after: &PageSummary) -> Change {
    let read = |print: &str| u64::from_str_radix(print, 16).map(Fingerprint);
    let is_as_long = before.words == 0 || before.words.abs_diff(after.words) <= TOUCHED_WORDS_MAX;
    match (read(&before.fingerprint), read(&after.fingerprint)) {
        (Ok(before), Ok(after))
            if is_as_long && (before.0 ^ after.0).count_ones() <= TOUCHED_BITS_MAX =>
        {
            Change::Touched
        }
        (Ok(_) | Err(_), Ok(_) | Err(_)) => Change::Changed,
    }
}
