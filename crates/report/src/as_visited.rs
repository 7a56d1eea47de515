//! Pages of which a visit found another version are told as they are now: in their story, in rows, in
//! the figures and in clusters.

use archive::{
    AgainRecord, Event, LinkRecord, NeighbourRecord, PageRecord, PageSummary, Record, VisitRecord,
};
use outcome::{Change, JunkReason, LinkFate, NeighbourDecision, Outcome, Verdict};

use crate::journal::{Journal, fetch, host};
use crate::{Explainer, Format, Look, Tally, What, explain, export};

const KEPT: &str = "http://a.test/kept";
const COPY: &str = "http://a.test/copy";
const NEW: &str = "http://a.test/new";

fn page(url: &str, words: u32, lang: &str) -> PageRecord {
    PageRecord {
        url: url.into(),
        host: host(url),
        depth: 1,
        outcome: Outcome::Judged(Verdict::Index),
        fetch: Some(fetch(200, 1_000, 20)),
        page: Some(PageSummary {
            words,
            lang: lang.into(),
            ..PageSummary::default()
        }),
        ..PageRecord::default()
    }
}

fn copy_of(kept: u64) -> PageRecord {
    PageRecord {
        outcome: Outcome::Judged(Verdict::Junk(JunkReason::NearDuplicate)),
        nearest: Some(NeighbourRecord {
            page: kept,
            url: KEPT.into(),
            distance: 2,
            decision: NeighbourDecision::Duplicate,
            ..NeighbourRecord::default()
        }),
        ..page(COPY, 10, "en")
    }
}

fn visit(url: &str, of: u64, was: Outcome, change: Change, version: Option<PageRecord>) -> Event {
    Event::Visit(Box::new(VisitRecord {
        url: url.into(),
        host: host(url),
        round: 1,
        of,
        was,
        change,
        fetch: Some(fetch(200, 900, 10)),
        page: version.map(Box::new),
        ..VisitRecord::default()
    }))
}

const INDEXED: Outcome = Outcome::Judged(Verdict::Index);

/// A page and its copy, and a round.
fn begun() -> (Journal, u64) {
    let mut journal = Journal::default();
    journal.start();
    journal.seed(0, KEPT);
    let kept = journal.page(page(KEPT, 10, "en"));
    journal.page(copy_of(kept));
    journal.event(Event::Again(AgainRecord {
        round: 1,
        ..AgainRecord::default()
    }));
    (journal, kept)
}

fn rows(what: What, records: &[Record]) -> Vec<serde_json::Value> {
    let mut out = Vec::new();
    let all = || records.iter().cloned();
    export(what, Format::Jsonl, all, &|_| None, &mut out).expect("memory");
    let text = String::from_utf8(out).expect("UTF-8");
    let rows = text.lines().map(serde_json::from_str);
    rows.collect::<Result<_, _>>().expect("rows are JSON")
}

fn story(records: &[Record], url: &str) -> explain::Story {
    let mut explainer = Explainer::new(url);
    records.iter().for_each(|record| explainer.add(record));
    explainer.finish()
}

#[test]
fn a_page_that_changed_is_told_with_the_figures_of_its_last_version() {
    let (mut journal, kept) = begun();
    let now = PageRecord {
        links: vec![LinkRecord {
            url: NEW.into(),
            fate: LinkFate::New,
            ..LinkRecord::default()
        }],
        ..page(KEPT, 77, "zh")
    };
    journal.event(visit(KEPT, kept, INDEXED, Change::Changed, Some(now)));
    let records = &journal.records;
    for what in [What::Pages, What::Indexed] {
        let rows = rows(what, records);
        let rows: Vec<_> = rows.iter().filter(|row| row["url"] == KEPT).collect();
        assert_eq!(
            (rows.len(), &rows[0]["lang"]),
            (1, &"zh".into()),
            "{what:?}"
        );
    }
    let story_of = story(records, KEPT);
    let last = story_of.decisions.last().expect("a decision");
    assert_eq!(last.measured.as_ref().map(|page| page.words), Some(77));
    assert_eq!(story_of.state.name(), "indexed");
    assert!(explain::render(&story_of, Look::plain(), &|_| None).contains("77"));
    // What the visit found has been found.
    let found = story(records, NEW).found;
    assert_eq!(found[0].from, KEPT);
    let mut tally = Tally::new();
    records.iter().for_each(|record| tally.add(record));
    let languages = tally.report("").languages;
    assert_eq!((languages["zh"].indexed, languages["en"].indexed), (1, 0));
}

#[test]
fn a_cluster_outlives_a_new_record_of_its_page_and_a_copy_that_is_one_no_longer_leaves_it() {
    let (mut journal, kept) = begun();
    // The same text, recorded for its new links.
    let same = page(KEPT, 10, "en");
    journal.event(visit(KEPT, kept, INDEXED, Change::Unchanged, Some(same)));
    let clusters = rows(What::Clusters, &journal.records);
    assert_eq!(clusters.len(), 1);
    assert_eq!(clusters[0]["representative"], KEPT);
    assert_eq!(clusters[0]["members"][0]["url"], COPY);
    let report = |records: &[Record]| {
        let mut tally = Tally::new();
        records.iter().for_each(|record| tally.add(record));
        let report = tally.report("");
        (report.duplicates.clusters, report.duplicates.by_kind.len())
    };
    assert_eq!(report(&journal.records), (1, 1));
    assert_eq!(story(&journal.records, KEPT).duplicates_count, 1);
    let was = Outcome::Judged(Verdict::Junk(JunkReason::NearDuplicate));
    let own = page(COPY, 30, "en");
    journal.event(visit(COPY, kept + 1, was, Change::Changed, Some(own)));
    assert!(rows(What::Clusters, &journal.records).is_empty());
    assert_eq!(report(&journal.records), (0, 0));
    assert_eq!(story(&journal.records, KEPT).duplicates_count, 0);
}
