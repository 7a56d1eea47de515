//! From the stages' types to the journal's, in one place.

use archive::{FetchRecord, NeighbourRecord, PageRecord, PageSummary, SeedRecord, WholeText};
use base64::Engine;
use base64::engine::general_purpose::STANDARD_NO_PAD;
use frontier::{CanonicalUrl, Gave};
use sieve::{Evidence, JunkReason, Rules, Verdict};
use simhash::{Decision, Fingerprint, Neighbour, Sketch, TableIndex, TextPrint};
use time::OffsetDateTime;

use crate::read::PageReading;
use crate::visit::Answer;

/// The priority of what a seed leads to without a page that links to it: its sitemaps and, where
/// there is no topic, what they list.
pub fn priority_of_seed(seeds: &[SeedRecord], seed: u32) -> f32 {
    seeds.get(seed as usize).map_or(1.0, |seed| seed.priority)
}

/// What the network said, for the journal.
pub fn fetch_record(answer: &Answer, content_type: &str) -> FetchRecord {
    let mut record = FetchRecord {
        ms: answer.took.as_millis() as u64,
        started_ms: answer.started_ms,
        content_type: content_type.into(),
        ..FetchRecord::default()
    };
    match &answer.fetched {
        Ok(fetched) => {
            record.status = fetched.status;
            record.bytes = fetched.body.len() as u64;
            record.truncated = fetched.truncated.map(|cut| cut.name().to_string());
            record.http_version = fetched.http_version.into();
            record.ip = fetched.remote.map(|remote| remote.ip().to_string());
            record.retry_after_s = fetched
                .retry_after(std::time::SystemTime::now())
                .map(|after| after.as_secs_f64());
            record.redirect_to = fetched.location().map(String::from);
        }
        Err(error) => {
            record.error = Some(error.name().into());
            record.error_text = Some(error.to_string());
        }
    }
    record
}

/// What was measured on a page, for the journal.
pub fn page_summary(reading: &PageReading, relevance: Option<f32>) -> PageSummary {
    let page = &reading.page;
    PageSummary {
        title: page.title.clone().unwrap_or_default(),
        lang: reading.language.clone().unwrap_or_default(),
        charset: reading.charset.into(),
        words: reading.print.word_count,
        author: page.author.clone(),
        published: page.published.clone(),
        modified: page.modified.clone(),
        canonical: page.canonical.as_ref().map(|url| url.as_str().to_string()),
        source: reading.source.as_ref().map(|url| url.as_str().to_string()),
        page_type: page.page_type.as_str().into(),
        relevance,
        fingerprint: reading.print.fingerprint.to_string(),
        sketch: STANDARD_NO_PAD.encode(reading.print.sketch.to_bytes()),
        digest: format!("{:016x}", reading.print.digest),
        layout: format!("{:016x}", page.layout),
        payload: format!("{:016x}", reading.payload),
        link_density: page.link_density,
        whole: reading.whole.as_ref().map(|(blocks_cut, print)| WholeText {
            blocks_cut: *blocks_cut,
            words: print.word_count,
            fingerprint: print.fingerprint.to_string(),
            digest: format!("{:016x}", print.digest),
        }),
        blocks: String::new(),
        may_index: page.directives.index
            && !has_expired(page.directives.unavailable_after.as_deref()),
        may_follow: page.directives.follow,
        soft_404: reading.soft_404,
        limits_hit: reading.limits_hit.clone(),
    }
}

/// Whether an `unavailable_after` date is in the past. Dates in a form we do not know are not.
fn has_expired(date: Option<&str>) -> bool {
    use time::format_description::well_known::{Iso8601, Rfc2822};
    let Some(date) = date.map(str::trim) else {
        return false;
    };
    let at = OffsetDateTime::parse(date, &Rfc2822)
        .or_else(|_| OffsetDateTime::parse(date, &Iso8601::DEFAULT))
        .or_else(|_| {
            time::Date::parse(date.get(..10).unwrap_or(""), &Iso8601::DEFAULT)
                .map(|day| day.midnight().assume_utc())
        });
    at.is_ok_and(|at| at < OffsetDateTime::now_utc())
}

/// A page's print from its recorded parts; `None` when they are damaged.
pub fn print_of(page: &PageSummary) -> Option<TextPrint> {
    let sketch = STANDARD_NO_PAD.decode(&page.sketch).ok()?;
    Some(TextPrint {
        fingerprint: page.fingerprint.parse::<Fingerprint>().ok()?,
        sketch: Sketch::from_bytes(&sketch)?,
        word_count: page.words,
        digest: u64::from_str_radix(&page.digest, 16).ok()?,
    })
}

/// The nearest kept page: one with the very text that the page had before its host's template was
/// cut, else the nearest to what was left. Pages that were kept before the template was known have
/// it in their prints. Pages of the same host are doubted one by one, so that a copy elsewhere is
/// found behind a sibling that is none.
pub fn nearest(
    tables: &mut TableIndex,
    print: &TextPrint,
    whole: Option<&TextPrint>,
    rules: &Rules,
    is_sibling: impl Fn(u64) -> bool,
) -> Option<Neighbour> {
    whole
        .and_then(|whole| tables.nearest(whole))
        .filter(|near| near.exact)
        .or_else(|| {
            tables.nearest_by(print, |near| match is_sibling(near.page) {
                true => sieve::between_siblings(near, rules),
                false => near,
            })
        })
}

/// What is recorded of a text before it was cut, as far as equal texts are told by it.
pub fn whole_of(page: &PageSummary, print: &TextPrint) -> Option<TextPrint> {
    let whole = page.whole.as_ref()?;
    Some(TextPrint {
        fingerprint: whole.fingerprint.parse().ok()?,
        sketch: print.sketch,
        word_count: whole.words,
        digest: u64::from_str_radix(&whole.digest, 16).ok()?,
    })
}

/// The nearest kept page, for the journal.
pub fn neighbour_record(neighbour: &Neighbour, url: &str, kind: Option<&str>) -> NeighbourRecord {
    NeighbourRecord {
        page: neighbour.page,
        url: url.into(),
        distance: neighbour.distance,
        overlap: neighbour.overlap,
        table: neighbour.table,
        kind: kind.map(str::to_string),
        decision: decision_name(neighbour.decision).into(),
    }
}

/// What a judged page gave, for the trap rules. `None` for one that is good but not wanted: it
/// speaks neither for a trap nor against one.
pub fn gave(record: &PageRecord) -> Option<Gave> {
    let is_duplicate = || {
        let nearest = record.nearest.as_ref();
        nearest.is_some_and(|near| near.decision == decision_name(Decision::Duplicate))
    };
    match (record.verdict.as_deref(), record.reason.as_deref()) {
        (Some("indexed"), _) => Some(Gave::Something),
        (_, Some("off_topic" | "language")) => None,
        (_, Some("noindex")) if !is_duplicate() => Some(Gave::OnlyLinks),
        _ => Some(Gave::Nothing),
    }
}

/// The URL of the page that a page repeats as a whole.
pub fn original_of(record: &PageRecord) -> Option<CanonicalUrl> {
    if !matches!(
        record.reason.as_deref(),
        Some("near_duplicate" | "exact_duplicate")
    ) {
        return None;
    }
    let near = record.nearest.as_ref()?;
    let is_whole = near
        .kind
        .as_deref()
        .is_some_and(|kind| kind.starts_with("full"));
    (is_whole && near.decision == decision_name(Decision::Duplicate))
        .then(|| CanonicalUrl::parse(&near.url).ok())?
}

/// The stable name of a decision about two texts.
pub fn decision_name(decision: Decision) -> &'static str {
    match decision {
        Decision::Duplicate => "duplicate",
        Decision::Refuted => "refuted",
        Decision::Unconfirmed => "unconfirmed",
    }
}

/// The numbers behind a verdict, in words.
pub fn detail(evidence: &Evidence, rules: &Rules, verdict: Verdict) -> Option<String> {
    let Verdict::Junk(reason) = verdict else {
        return None;
    };
    match reason {
        JunkReason::ErrorPage => Some(format!("status {}", evidence.status)),
        JunkReason::Thin => Some(format!(
            "{} words, at least {} wanted",
            evidence.words, rules.words_min
        )),
        JunkReason::OffTopic => Some(format!(
            "relevance {:.2}, at least {:.2} wanted",
            evidence.relevance.unwrap_or(0.0),
            rules.relevance_min.unwrap_or(0.0)
        )),
        JunkReason::Language => evidence
            .language
            .as_ref()
            .map(|found| format!("language {found}, wanted {}", rules.languages.join(", "))),
        JunkReason::ExactDuplicate(_)
        | JunkReason::NearDuplicate(_)
        | JunkReason::SoftNotFound
        | JunkReason::Listing
        | JunkReason::NoIndex
        | JunkReason::UnsupportedType
        | JunkReason::Trap => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(verdict: &str, reason: Option<&str>, decision: Option<&str>, expected: Option<Gave>) {
        let record = PageRecord {
            verdict: Some(verdict.into()),
            reason: reason.map(str::to_owned),
            nearest: decision.map(|decision| NeighbourRecord {
                decision: decision.into(),
                ..NeighbourRecord::default()
            }),
            ..PageRecord::default()
        };
        assert_eq!(gave(&record), expected);
    }

    #[test]
    fn a_page_that_asks_not_to_be_indexed_gave_its_links_unless_it_repeats_another() {
        check("indexed", None, Some("unconfirmed"), Some(Gave::Something));
        check("junk", Some("noindex"), None, Some(Gave::OnlyLinks));
        check(
            "junk",
            Some("noindex"),
            Some("refuted"),
            Some(Gave::OnlyLinks),
        );
        check(
            "junk",
            Some("noindex"),
            Some("duplicate"),
            Some(Gave::Nothing),
        );
        check("junk", Some("thin"), None, Some(Gave::Nothing));
        check("junk", Some("off_topic"), None, None);
    }
}
