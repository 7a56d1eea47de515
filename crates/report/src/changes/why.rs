//! Changes and their reasons in words.

use again::GoneRule;
use again::absence::Sign;
use archive::{PageRecord, VisitRecord};

use crate::look::Tongue;
use crate::words;

/// The name of a change in the reader's language.
pub fn kind_in(tongue: Tongue, change: &str) -> String {
    let chinese = match change {
        "new" => "新增",
        "unchanged" => "未变",
        "touched" => "微调",
        "changed" => "已变",
        "moved" => "已搬走",
        "gone" => "已消失",
        "back" => "又出现",
        "unclear" => "不明",
        other => other,
    };
    match tongue {
        Tongue::English => change,
        Tongue::Chinese => chinese,
    }
    .to_owned()
}

/// Why a page is not kept: the reason, with its figures or the page that it repeats.
pub(crate) fn why_dropped(page: &PageRecord) -> Option<String> {
    let reason = words::name(page.outcome.junk()?.name());
    let of = page
        .nearest
        .as_ref()
        .filter(|_| page.outcome.is_duplicate());
    Some(match (of, &page.detail) {
        (Some(of), _) => format!("{reason} of {}", of.url),
        (None, Some(detail)) => format!("{reason} ({detail})"),
        (None, None) => reason,
    })
}

/// What a visit could not find out: the rule is that of [`again::absence`].
pub(super) fn why_unclear(visit: &VisitRecord, rule: GoneRule) -> String {
    let told = visit.detail.as_deref().unwrap_or("no answer");
    let status = visit.fetch.as_ref().map_or(0, |fetch| fetch.status);
    let absence = &visit.absence;
    match (Sign::of_status(status), absence.gone) {
        (Sign::Missing, false) if absence.answers > 0 => format!(
            "{told}: not yet gone, which takes {} such answers with time between them, and other pages of the host that \
             answer as themselves; {}",
            rule.answers,
            so_far(visit, rule)
        ),
        (Sign::There, false) if absence.answers > 0 => format!(
            "{told}: a kept page leaves after {} such answers with time between them, while other pages of the host \
             answer as themselves; {}",
            rule.answers,
            so_far(visit, rule)
        ),
        (Sign::Missing | Sign::Nothing | Sign::There, _) => {
            format!("{told}: this says nothing of the page, which is taken to be as it was")
        }
    }
}

/// How many answers without the page there are.
fn so_far(visit: &VisitRecord, rule: GoneRule) -> String {
    let absence = &visit.absence;
    match visit.awaits {
        true => format!(
            "this makes {}, and the next one is the last",
            absence.answers
        ),
        false => format!(
            "this makes {}, and the next counts from {} on",
            absence.answers,
            words::instant_short(absence.last_ms.saturating_add(rule.apart_ms))
        ),
    }
}

/// What was to become of a page by its earlier version, and what by this one, where either was not kept.
pub(super) fn another_fate(visit: &VisitRecord) -> Option<String> {
    let now = visit.version().and_then(why_dropped);
    let before = visit.was.junk().map(|reason| words::name(reason.name()));
    match (before, now, visit.version()) {
        (None, now, _) => now,
        (Some(before), None, Some(_)) => Some(format!("dropped before: {before}")),
        (Some(_), None, None) => None,
        (Some(before), Some(now), _) if now.starts_with(&before) => {
            Some(format!("dropped as before: {now}"))
        }
        (Some(before), Some(now), _) => Some(format!("dropped before: {before}; now: {now}")),
    }
}
