//! The journal's records: everything that ever happened to a crawl, as plain data.
//!
//! A record is written once, synced, and never changed; frontier, fingerprints, search index and
//! report are folds over the records in their order. So a record holds what a fold needs and
//! nothing that must be computed again: verdicts and scores are written down, not derived.
//!
//! Types here are the on-disk form. The stages have their own types in memory and `pipeline`
//! converts between them in one place. Fates are the types of crate [`outcome`], strings on disk,
//! so an older reader can show a newer crawl; unknown fields are ignored.

use serde::{Deserialize, Serialize};

mod again;
mod elsewhere;
mod fetch;
mod page;
mod retry;
mod start;

pub use again::{AbsenceRecord, AgainRecord, DueRecord, VisitRecord};
pub use elsewhere::{
    ElsewhereExample, ElsewhereManners, ElsewherePage, ElsewhereRecord, ExampleTarget,
};
pub use fetch::{AttemptRecord, FetchRecord, LimitedRecord, RobotsRecord, SitemapRecord};
pub(crate) use page::NAMED_RELS;
pub use page::{
    BodyRef, LinkRecord, NeighbourRecord, PageRecord, PageSummary, ReturnRecord, SOURCE_REL,
    WholeText,
};
pub use retry::{RetryOrigin, RetryRecord};
pub use start::{NodeRecord, SeedRecord, StartRecord, StopRecord};

/// The version of the journal's form. A journal with a larger number is refused: it was written
/// by a newer Tamis.
pub const JOURNAL_VERSION: u32 = 2;

/// One line of the journal.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Record {
    /// The record's number, 1 for the first; without gaps in a healthy archive. A page's number
    /// is its name in the fingerprint tables and in `via`.
    pub seq: u64,
    /// When it was written, milliseconds since the Unix epoch.
    pub at_ms: u64,
    /// What happened.
    #[serde(flatten)]
    pub event: Event,
}

/// What a record tells.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum Event {
    /// A process began to work on the crawl.
    Start(StartRecord),
    /// A seed was given. Its number is its order among seeds, 0 for the first.
    Seed(SeedRecord),
    /// A host's robots.txt was asked for.
    Robots(RobotsRecord),
    /// A sitemap was read; its URLs were offered to the frontier.
    Sitemap(SitemapRecord),
    /// A fetch that did not finish its URL: it will be tried again.
    Attempt(AttemptRecord),
    /// A URL met its fate. Boxed: by far the largest.
    Page(Box<PageRecord>),
    /// Finished URLs were put back into the queue.
    Retry(RetryRecord),
    /// Finished URLs are to be visited again.
    Again(AgainRecord),
    /// A URL was visited again. Boxed: it may hold a page.
    Visit(Box<VisitRecord>),
    /// What other nodes of the crawl kept.
    Elsewhere(ElsewhereRecord),
    /// The process ended in order.
    Stop(StopRecord),
}

impl Event {
    /// What was recorded of a page by this event: the page itself, or its new version at a visit.
    pub fn page(&self) -> Option<&PageRecord> {
        match self {
            Self::Page(page) => Some(page),
            Self::Visit(visit) => visit.page.as_deref(),
            Self::Start(_)
            | Self::Seed(_)
            | Self::Robots(_)
            | Self::Sitemap(_)
            | Self::Attempt(_)
            | Self::Retry(_)
            | Self::Again(_)
            | Self::Elsewhere(_)
            | Self::Stop(_) => None,
        }
    }

    /// The same, to be changed.
    pub fn page_mut(&mut self) -> Option<&mut PageRecord> {
        match self {
            Self::Page(page) => Some(page),
            Self::Visit(visit) => visit.page.as_deref_mut(),
            Self::Start(_)
            | Self::Seed(_)
            | Self::Robots(_)
            | Self::Sitemap(_)
            | Self::Attempt(_)
            | Self::Retry(_)
            | Self::Again(_)
            | Self::Elsewhere(_)
            | Self::Stop(_) => None,
        }
    }
}

fn is_false(value: &bool) -> bool {
    !*value
}

fn is_no_time(value: &u64) -> bool {
    *value == 0
}

fn is_no_count(value: &u32) -> bool {
    *value == 0
}

fn is_zero(value: &u8) -> bool {
    *value == 0
}

fn yes() -> bool {
    true
}

#[cfg(test)]
mod tests {
    use outcome::{FailureKind, JunkReason, Outcome, StopReason, Verdict};

    use super::*;

    #[test]
    fn a_page_record_survives_a_round_trip_through_json() {
        let record = Record {
            seq: 7,
            at_ms: 1_700_000_000_000,
            event: Event::Page(Box::new(PageRecord {
                url: "http://a.example/".into(),
                host: "a.example".into(),
                outcome: Outcome::Judged(Verdict::Index),
                links: vec![LinkRecord {
                    url: "http://a.example/b".into(),
                    ..Default::default()
                }],
                ..Default::default()
            })),
        };
        let json = serde_json::to_string(&record).expect("plain data serialises");
        assert!(json.contains(r#""type":"page""#), "{json}");
        assert_eq!(
            serde_json::from_str::<Record>(&json).expect("reads back"),
            record
        );
    }

    #[test]
    fn unknown_fields_of_a_newer_writer_are_ignored() {
        let json =
            r#"{"seq":1,"at_ms":2,"type":"stop","reason":"drained","ran_ms":5,"new_field":[1]}"#;
        let record: Record = serde_json::from_str(json).expect("reads");
        assert!(matches!(record.event, Event::Stop(stop) if stop.reason == StopReason::Drained));
    }

    /// Every form of a record that stands in archives of earlier versions reads as what it meant.
    #[test]
    fn records_of_earlier_versions_are_read_as_the_fates_they_meant() {
        let page = |fields: &str| -> PageRecord {
            let json = format!(r#"{{"url":"u","host":"h","depth":0,"seed":0,{fields}}}"#);
            serde_json::from_str(&json).expect(fields)
        };
        let kept = page(r#""outcome":"judged","verdict":"indexed""#);
        assert_eq!(kept.outcome, Outcome::Judged(Verdict::Index));
        let thin =
            page(r#""outcome":"judged","verdict":"junk","reason":"thin","detail":"3 words""#);
        assert_eq!(
            thin.outcome,
            Outcome::Judged(Verdict::Junk(JunkReason::Thin))
        );
        let refused = page(
            r#""outcome":"refused","reason":"duplicate_foreseen",
               "detail":"http://a/1, since a mirror; a print version (sure to 91 %)""#,
        );
        let rules = refused.outcome.refusal().expect("a refusal").rules();
        assert_eq!(rules, ["a mirror", "a print version"]);
        let failed = page(r#""outcome":"failed","reason":"http_503""#);
        assert_eq!(failed.outcome, Outcome::Failed(FailureKind::Http(503)));
    }

    #[test]
    fn the_outcome_stands_in_the_fields_that_older_readers_know() {
        let record = PageRecord {
            outcome: Outcome::Judged(Verdict::Junk(JunkReason::NearDuplicate)),
            detail: Some("why".into()),
            ..PageRecord::default()
        };
        let json: serde_json::Value = serde_json::to_value(&record).expect("plain data");
        assert_eq!(json["outcome"], "judged");
        assert_eq!(json["verdict"], "junk");
        assert_eq!(json["reason"], "near_duplicate");
        assert_eq!(json["detail"], "why");
    }

    #[test]
    fn an_outcome_of_a_newer_version_is_written_as_it_was_read() {
        for fields in [
            r#""outcome":"melted""#,
            r#""outcome":"judged","verdict":"limbo","reason":"why""#,
            r#""outcome":"judged","verdict":"junk","reason":"comet""#,
            r#""outcome":"refused","reason":"comet""#,
            r#""outcome":"failed","reason":"http_0503""#,
        ] {
            let json = format!(
                r#"{{"url":"u","host":"h","depth":0,"seed":0,"priority":0.0,"attempt":0,{fields}}}"#
            );
            let record: PageRecord = serde_json::from_str(&json).expect("reads");
            assert_eq!(serde_json::to_string(&record).expect("plain data"), json);
        }
    }

    #[test]
    fn a_rule_found_wrong_is_read_from_the_words_of_earlier_versions() {
        let json = r#"{"urls":["u"],"filter":"a rule was wrong: its mirror"}"#;
        let retry: RetryRecord = serde_json::from_str(json).expect("reads");
        assert_eq!(retry.wrong_rule.as_deref(), Some("its mirror"));
        let asked: RetryRecord =
            serde_json::from_str(r#"{"urls":[],"filter":"all that failed"}"#).expect("reads");
        assert_eq!(asked.wrong_rule, None);
    }
}
