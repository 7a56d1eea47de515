//! What a follower knows of journals on disk.

use archive::{
    Archive, ArchiveConfig, Entry, FetchRecord, LinkRecord, PageRecord, RetryRecord, SeedRecord,
};
use outcome::{LinkFate, Outcome, Verdict};
use pipeline::Written;

use super::*;

/// Writes a kept page of each URL.
pub(crate) fn write(dir: &CrawlDir, urls: &[&str]) {
    let kept = urls.iter().map(|url| PageRecord {
        url: (*url).into(),
        host: "a.test".into(),
        outcome: Outcome::Judged(Verdict::Index),
        ..PageRecord::default()
    });
    write_events(dir, kept.map(|page| Event::Page(Box::new(page))));
}

pub(crate) fn write_events(dir: &CrawlDir, events: impl IntoIterator<Item = Event>) {
    let (mut archive, _) =
        Archive::open(&dir.archive(), ArchiveConfig::default()).expect("an archive");
    for event in events {
        let record = Record {
            seq: archive.last_seq() + 1,
            at_ms: 1_700_000_000_000,
            event,
        };
        archive.append(&Entry::of(&record)).expect("appended");
    }
    archive.sync().expect("synced");
}

#[test]
fn the_tail_is_followed_and_a_new_journal_is_noticed() {
    let temp = tempfile::tempdir().expect("a directory");
    let dir = CrawlDir::new(temp.path());
    std::fs::create_dir_all(dir.archive()).expect("made");
    let follower = Follower::new(dir.clone(), None);
    assert!(!follower.is_ready());
    follower.catch_up(Duration::ZERO);
    assert!(follower.is_ready());
    assert_eq!(follower.view().rows.iter().count(), 0);

    write(&dir, &["u:a", "u:b"]);
    assert!(follower.catch_up(Duration::ZERO));
    assert!(!follower.catch_up(Duration::ZERO), "nothing is read twice");
    write(&dir, &["u:c"]);
    follower.catch_up(Duration::ZERO);
    let (_, report) = follower.report_now();
    assert_eq!(report.totals.indexed, 3);
    let row = follower.view().rows.url("u:c").cloned().expect("a row");
    let record = follower.record(row.place, row.page).expect("its record");
    assert!(matches!(record.event, Event::Page(page) if page.url == "u:c"));
    assert_eq!(follower.record(row.place, 77), None);

    std::fs::rename(dir.archive(), temp.path().join("old")).expect("moved");
    std::fs::create_dir_all(dir.archive()).expect("made");
    write(&dir, &["u:d"]);
    follower.catch_up(Duration::ZERO);
    assert_eq!(follower.report_now().1.totals.indexed, 1);
    assert!(follower.view().rows.url("u:a").is_none());
}

/// The records of a journal with their places.
pub(crate) fn written(dir: &CrawlDir) -> Vec<Written> {
    let mut begin = Position::START;
    let replay = archive::replay(&dir.archive(), begin).expect("a journal");
    let records = replay.map(|replayed| match replayed.expect("read") {
        Replayed::Record { position, record } => {
            let begin = std::mem::replace(&mut begin, position);
            let end = position;
            Written { begin, end, record }
        }
        Replayed::Damage(damage) => panic!("{damage:?}"),
    });
    records.collect()
}

#[test]
fn what_is_handed_over_is_not_read_and_what_was_missed_is() {
    let temp = tempfile::tempdir().expect("a directory");
    let dir = CrawlDir::new(temp.path());
    std::fs::create_dir_all(dir.archive()).expect("made");
    write(&dir, &["u:a", "u:b", "u:c", "u:d"]);
    let written = written(&dir);
    let onlooker = Onlooker::default();
    onlooker.arrive(std::thread::current());
    let follower = Follower::new(dir.clone(), Some(onlooker.clone()));
    let give = |at: usize| {
        onlooker.hand_over(written[at].clone());
        onlooker.are_synced();
        follower.keep_up();
    };
    let hidden = temp.path().join("hidden");
    std::fs::rename(dir.archive(), &hidden).expect("moved");
    give(0);
    assert!(
        follower.view().rows.url("u:a").is_some(),
        "there is no journal to read"
    );
    assert_eq!(follower.view().position, written[0].end);
    std::fs::rename(&hidden, dir.archive()).expect("moved back");
    // The second record is never handed over.
    give(2);
    assert!(follower.view().rows.url("u:b").is_some());
    give(3);
    assert!(
        !follower.catch_up(Duration::ZERO),
        "nothing is left to read"
    );
    assert_eq!(follower.view().last_seq, written[3].record.seq);
    assert_eq!(
        follower.report_now().1.totals.indexed,
        4,
        "and none counts twice"
    );
}

/// Pages that link to each other and to redirects, of which some lead in a circle, one is an example, and one
/// leads to an example that is none.
fn redirecting() -> Vec<Event> {
    let url = |path: &str| format!("http://a.test/{path}");
    let page = |path: &str, outcome, status, to: &[&str], rel: &str| {
        let link = |to: &&str| LinkRecord {
            url: url(to),
            anchor: "there".into(),
            rel: rel.into(),
            fate: LinkFate::New,
            ..LinkRecord::default()
        };
        Event::Page(Box::new(PageRecord {
            url: url(path),
            host: "a.test".into(),
            outcome,
            fetch: Some(FetchRecord {
                status,
                ..FetchRecord::default()
            }),
            links: to.iter().map(link).collect(),
            ..PageRecord::default()
        }))
    };
    let kept = || Outcome::Judged(Verdict::Index);
    let redirect = |from: &str, to: &str| page(from, Outcome::Redirected, 302, &[to], "redirect");
    let example = Event::Seed(SeedRecord {
        seed: 1,
        url: url("example"),
        example: Some(true),
        ..SeedRecord::default()
    });
    let retry = Event::Retry(RetryRecord {
        urls: vec![url("2")],
        ..RetryRecord::default()
    });
    vec![
        example,
        page("", kept(), 200, &["1", "into", "fine", "gone"], "nofollow"),
        redirect("into", "1"),
        redirect("1", "2"),
        redirect("2", "1"),
        redirect("fine", ""),
        redirect("example", "gone"),
        page("gone", kept(), 404, &["sitemap.xml"], "sitemap"),
        retry,
        redirect("2", "1"),
    ]
}

#[test]
fn the_report_of_a_journal_that_is_read_is_that_of_its_whole_records() {
    // Relations of links were not read: redirects in a circle, and where an example leads, were not seen.
    let temp = tempfile::tempdir().expect("a directory");
    let dir = CrawlDir::new(temp.path());
    std::fs::create_dir_all(dir.archive()).expect("made");
    write_events(&dir, redirecting());
    let follower = Follower::new(dir.clone(), None);
    follower.catch_up(Duration::ZERO);

    let records = || written(&dir).into_iter().map(|written| written.record);
    let (mut tally, mut urls) = (Tally::new(), BrokenUrls::default());
    records().for_each(|record| {
        tally.add(&record);
        urls.add(&record);
    });
    let figures = BrokenFigures::of(&urls, records, BROKEN_ROWS_MAX);
    assert_eq!((figures.urls, figures.circling), (3, 2), "{figures:?}");
    let whole = CrawlReport {
        broken: Some(figures.clone()),
        ..tally.report(&dir.root().display().to_string())
    };
    assert!(whole.seeds[1].no_example.is_some(), "{:?}", whole.seeds);
    assert_eq!(follower.report_whole().to_json(), whole.to_json());
    let counted = follower.counted_of_links().expect("few links");
    assert_eq!(counted.figures.links, figures.links);
    assert_eq!(counted.figures.circling, figures.circling);
}

#[test]
fn a_journal_that_goes_away_is_a_problem_and_what_was_known_stays() {
    // It was shown as a crawl without pages that had stopped.
    let temp = tempfile::tempdir().expect("a directory");
    let dir = CrawlDir::new(temp.path());
    std::fs::create_dir_all(dir.archive()).expect("made");
    let follower = Follower::new(dir.clone(), None);
    follower.catch_up(Duration::ZERO);
    assert_eq!(follower.problem(), None, "a crawl that has not begun");
    write_events(&dir, redirecting());
    follower.catch_up(Duration::ZERO);
    let broken = follower.report_whole().broken;
    let hidden = temp.path().join("hidden");
    std::fs::rename(dir.archive(), &hidden).expect("moved");
    for _ in 0..2 {
        follower.catch_up(Duration::ZERO);
        follower.keep_up();
        let problem = follower.problem().expect("it is told");
        assert!(problem.contains("is not there any more"), "{problem}");
    }
    assert_eq!(follower.report_now().1.totals.indexed, 2);
    assert_eq!(follower.report_whole().broken, broken);
    // Another crawl may be there when there is one again.
    std::fs::create_dir_all(dir.archive()).expect("made");
    write(&dir, &["u:new"]);
    follower.catch_up(Duration::ZERO);
    assert_eq!(follower.problem(), None);
    assert_eq!(follower.report_now().1.totals.indexed, 1);
}

#[test]
fn pages_kept_since_a_place_are_those_that_the_records_behind_it_keep() {
    let temp = tempfile::tempdir().expect("a directory");
    let dir = CrawlDir::new(temp.path());
    std::fs::create_dir_all(dir.archive()).expect("made");
    write_events(&dir, redirecting());
    write(&dir, &["u:a", "u:b"]);
    write_events(
        &dir,
        [Event::Retry(RetryRecord {
            urls: vec!["u:b".into()],
            ..RetryRecord::default()
        })],
    );
    write(&dir, &["u:c"]);
    let follower = Follower::new(dir.clone(), None);
    follower.catch_up(Duration::ZERO);
    let written = written(&dir);
    let counts = (0..written.len()).map(|at| {
        let mut kept = report::KeptSince::default();
        let behind = &written[at..];
        behind.iter().for_each(|written| kept.add(&written.record));
        let counted = follower.view().rows.kept_since(written[at].begin);
        assert_eq!(counted, kept.count(), "from record {at} on");
        counted
    });
    assert_eq!(counts.max(), Some(4));
}
