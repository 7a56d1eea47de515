//! From the stages' types to the journal's, in one place.

use std::time::{Duration, SystemTime};

use archive::{ElsewherePage, FetchRecord, NeighbourRecord, PageRecord, PageSummary, WholeText};
use base64::Engine;
use base64::engine::general_purpose::STANDARD_NO_PAD;
use frontier::{CanonicalUrl, Original, PageWorth, PageYield};
use outcome::{
    DuplicateKind, FailureKind, JunkKind, JunkReason, NeighbourDecision, Outcome, Verdict,
};
use sieve::{Evidence, Rules};
use simhash::{Decision, Fingerprint, Neighbour, Sketch, TextPrint};
use time::OffsetDateTime;

use crate::finding::{Answer, PageReading};

/// What the network said, for the journal; `now_ms` is the time since the Unix epoch.
pub fn fetch_record(answer: &Answer, content_type: &str, now_ms: u64) -> FetchRecord {
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
            record.truncated = fetched.truncated.map(|cut| cut.name().into());
            record.http_version = fetched.http_version.into();
            record.ip = fetched.remote.map(|remote| remote.ip().to_string());
            record.retry_after_s = fetched
                .retry_after(SystemTime::UNIX_EPOCH + Duration::from_millis(now_ms))
                .map(|after| after.as_secs_f64());
            record.redirect_to = fetched.location().map(String::from);
        }
        Err(error) => {
            record.error = Some(FailureKind::from(error.name()));
            record.error_text = Some(error.to_string());
        }
    }
    record
}

/// A longer validator is not kept: the URL is asked for without it.
const VALIDATOR_BYTES_MAX: usize = 1_000;

/// `ETag` and `Last-Modified` of an answer.
pub fn validators(answer: &Answer) -> (Option<String>, Option<String>) {
    let fetched = answer.fetched.as_ref().ok();
    let field = |name: &str| {
        let headers = fetched.map(|fetched| &fetched.headers)?;
        let (_, value) = headers.iter().find(|(field, _)| field == name)?;
        let is_short = value.len() <= VALIDATOR_BYTES_MAX;
        String::from_utf8(value.clone()).ok().filter(|_| is_short)
    };
    (field("etag"), field("last-modified"))
}

/// A longer link is not one to a licence.
const LICENCE_BYTES_MAX: usize = 500;

/// What was measured on a page, for the journal.
pub fn page_summary(reading: &PageReading, relevance: Option<f32>, now_ms: u64) -> PageSummary {
    let page = &reading.page;
    let (words, compared) = (reading.words.len() as u32, reading.print.word_count);
    let mut summary = PageSummary {
        title: page.title.clone().unwrap_or_default(),
        lang: reading.language.clone().unwrap_or_default(),
        charset: reading.charset.into(),
        words,
        compared_words: Some(compared).filter(|&compared| compared != words),
        author: page.author.clone(),
        published: page.published.clone(),
        modified: page.modified.clone(),
        canonical: page.canonical.as_ref().map(|url| url.as_str().to_string()),
        source: reading.source.as_ref().map(|url| url.as_str().to_string()),
        page_type: page.page_type.clone(),
        relevance,
        layout: format!("{:016x}", page.layout),
        payload: payload(reading.payload),
        link_density: page.link_density,
        whole: reading.whole.as_ref().map(|(blocks_cut, print)| WholeText {
            blocks_cut: *blocks_cut,
            words: print.word_count,
            fingerprint: print.fingerprint.to_string(),
            digest: format!("{:016x}", print.digest),
        }),
        blocks: String::new(),
        may_index: page.directives.index
            && !has_expired(page.directives.unavailable_after.as_deref(), now_ms),
        may_follow: page.directives.follow,
        soft_404: reading.soft_404,
        text_source: page.source.beside_the_page().map(str::to_owned),
        needs_scripts: page.needs_scripts.clone(),
        licence: page
            .licence
            .clone()
            .filter(|url| url.len() <= LICENCE_BYTES_MAX),
        usage: page.directives.usage.clone(),
        wall: page.wall.clone(),
        limits_hit: reading.limits_hit.clone(),
        ..PageSummary::default()
    };
    write_print(&mut summary, &reading.print);
    summary
}

/// A body's hash as it is recorded.
pub fn payload(hash: u64) -> String {
    format!("{hash:016x}")
}

/// Notes a page's print in what is recorded of it.
pub fn write_print(page: &mut PageSummary, print: &TextPrint) {
    page.fingerprint = print.fingerprint.to_string();
    page.sketch = STANDARD_NO_PAD.encode(print.sketch.to_bytes());
    page.digest = format!("{:016x}", print.digest);
}

/// Whether an `unavailable_after` date is in the past. Dates in a form we do not know are not.
fn has_expired(date: Option<&str>, now_ms: u64) -> bool {
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
    at.is_ok_and(|at| at.unix_timestamp() < (now_ms / 1_000) as i64)
}

/// A page's print from its recorded parts; `None` when they are damaged.
pub fn print_of(page: &PageSummary) -> Option<TextPrint> {
    let words = page.compared_words.unwrap_or(page.words);
    print_from(&page.fingerprint, &page.sketch, words, &page.digest)
}

/// The print of a page that another node kept; none where it cannot be read.
pub fn print_of_elsewhere(page: &ElsewherePage) -> Option<TextPrint> {
    print_from(&page.fingerprint, &page.sketch, page.words, &page.digest)
}

fn print_from(fingerprint: &str, sketch: &str, words: u32, digest: &str) -> Option<TextPrint> {
    let sketch = STANDARD_NO_PAD.decode(sketch).ok()?;
    Some(TextPrint {
        fingerprint: fingerprint.parse::<Fingerprint>().ok()?,
        sketch: Sketch::from_bytes(&sketch)?,
        word_count: words,
        digest: u64::from_str_radix(digest, 16).ok()?,
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
pub fn neighbour_record(
    neighbour: &Neighbour,
    url: &str,
    kind: Option<DuplicateKind>,
) -> NeighbourRecord {
    NeighbourRecord {
        page: neighbour.page,
        url: url.into(),
        distance: neighbour.distance,
        overlap: neighbour.overlap,
        table: neighbour.table,
        kind,
        decision: match neighbour.decision {
            Decision::Duplicate => NeighbourDecision::Duplicate,
            Decision::Refuted => NeighbourDecision::Refuted,
            Decision::Unconfirmed => NeighbourDecision::Unconfirmed,
        },
    }
}

/// What a judged page is worth, for the trap rules. `None` for one that is good but not wanted: it
/// speaks neither for a trap nor against one.
fn page_yield(record: &PageRecord) -> Option<PageYield> {
    let is_duplicate = || {
        let nearest = record.nearest.as_ref();
        nearest.is_some_and(|near| near.decision == NeighbourDecision::Duplicate)
    };
    let Outcome::Judged(Verdict::Junk(reason)) = &record.outcome else {
        return Some(match record.outcome.is_indexed() {
            true => PageYield::Content,
            false => PageYield::Nothing,
        });
    };
    match reason.kind() {
        JunkKind::Unwanted | JunkKind::Wall => None,
        JunkKind::Withheld if !is_duplicate() => Some(PageYield::LinksOnly),
        JunkKind::Withheld
        | JunkKind::Duplicate
        | JunkKind::Empty
        | JunkKind::Error
        | JunkKind::LinkList
        | JunkKind::NoPage => Some(PageYield::Nothing),
    }
}

/// The same with what its text says beside its URL.
pub fn page_worth(record: &PageRecord) -> Option<PageWorth> {
    let page = record.page.as_ref();
    let bare = page.and_then(|page| u64::from_str_radix(page.bare.as_ref()?, 16).ok());
    let page_yield = page_yield(record)?;
    let original = original_of(record).as_ref().map(Original::of);
    Some(PageWorth {
        page_yield,
        bare,
        original,
    })
}

/// The URL of the page that a page repeats as a whole, or whose place it takes as the better copy.
pub fn original_of(record: &PageRecord) -> Option<CanonicalUrl> {
    let replaced = || record.nearest.as_ref().map(|near| near.url.as_str());
    let replaced = record.replaces.and_then(|_| replaced());
    CanonicalUrl::parse(record.whole_original().or(replaced)?).ok()
}

/// The numbers behind a verdict, in words; `content_type` is the answer's.
pub fn detail(
    evidence: &Evidence,
    rules: &Rules,
    verdict: &Verdict,
    content_type: &str,
) -> Option<String> {
    let Verdict::Junk(reason) = verdict else {
        return None;
    };
    match reason {
        JunkReason::ErrorPage => Some(format!("status {}", evidence.status)),
        JunkReason::UnsupportedType => Some(format!("content type {content_type:?}")),
        JunkReason::Thin => {
            let words = if evidence.words == 1 { "word" } else { "words" };
            let (found, wanted) = (evidence.words, rules.words_min);
            Some(format!("{found} {words}, at least {wanted} wanted"))
        }
        JunkReason::OffTopic => Some(format!(
            "relevance {:.2}, at least {:.2} wanted",
            evidence.relevance.unwrap_or(0.0),
            rules.relevance_min.unwrap_or(0.0)
        )),
        JunkReason::Language => evidence
            .language
            .as_ref()
            .map(|found| format!("language {found}, wanted {}", rules.languages.join(", "))),
        JunkReason::ExactDuplicate
        | JunkReason::NearDuplicate
        | JunkReason::SoftNotFound
        | JunkReason::Listing
        | JunkReason::NoIndex
        | JunkReason::Blocked
        | JunkReason::Unknown(_) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(verdict: Verdict, decision: Option<NeighbourDecision>, expected: Option<PageYield>) {
        let record = PageRecord {
            outcome: Outcome::Judged(verdict),
            nearest: decision.map(|decision| NeighbourRecord {
                decision,
                ..NeighbourRecord::default()
            }),
            ..PageRecord::default()
        };
        assert_eq!(page_yield(&record), expected);
    }

    #[test]
    fn a_page_that_asks_not_to_be_indexed_gave_its_links_unless_it_repeats_another() {
        use NeighbourDecision::{Duplicate, Refuted, Unconfirmed};
        let no_index = || Verdict::Junk(JunkReason::NoIndex);
        check(Verdict::Index, Some(Unconfirmed), Some(PageYield::Content));
        check(no_index(), None, Some(PageYield::LinksOnly));
        check(no_index(), Some(Refuted), Some(PageYield::LinksOnly));
        check(no_index(), Some(Duplicate), Some(PageYield::Nothing));
        check(
            Verdict::Junk(JunkReason::Thin),
            None,
            Some(PageYield::Nothing),
        );
        check(Verdict::Junk(JunkReason::OffTopic), None, None);
    }

    #[test]
    fn one_word_is_one() {
        let told = |words| {
            let evidence = Evidence {
                status: 200,
                content: sieve::Content::Page,
                is_wall: false,
                words,
                may_index: true,
                soft_404: false,
                listing: false,
                language: None,
                relevance: None,
                neighbour: None,
                same_layout: false,
            };
            let thin = Verdict::Junk(JunkReason::Thin);
            detail(&evidence, &Rules::default(), &thin, "").expect("numbers")
        };
        assert!(told(1).starts_with("1 word, "), "{}", told(1));
        assert!(told(2).starts_with("2 words, "), "{}", told(2));
    }

    #[test]
    fn a_print_is_read_as_it_was_written() {
        let words = segment::Segmenter::shared().words("a planner, an index and a vacuum");
        let print = simhash::print(&words);
        let mut page = PageSummary {
            words: print.word_count,
            ..PageSummary::default()
        };
        write_print(&mut page, &print);
        assert_eq!(print_of(&page), Some(print));
        page.sketch = "none".into();
        assert_eq!(print_of(&page), None);
    }

    #[test]
    fn a_page_has_expired_once_its_date_has_passed_and_strange_dates_say_nothing() {
        let day_ms = 86_400_000;
        for (date, expired) in [
            (Some("1970-01-02"), true),
            (Some("1970-01-12"), false),
            (Some("some day"), false),
            (None, false),
        ] {
            assert_eq!(has_expired(date, 5 * day_ms), expired, "{date:?}");
        }
    }
}
