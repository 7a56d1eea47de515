//! Plans of rounds, read, saved, followed.

use archive::PageRecord;

use super::*;

/// The records of plans in a directory.
fn plans(dir: &CrawlDir) -> Vec<AgainRecord> {
    let records = archive::replay(&dir.archive(), Position::START).expect("an archive");
    records
        .filter_map(|replayed| match replayed.expect("it is read") {
            Replayed::Record { record, .. } => match record.event {
                Event::Again(again) => Some(again),
                _ => None,
            },
            Replayed::Damage(_) => None,
        })
        .collect()
}

fn pages(dir: &CrawlDir, count: u64, at_ms: u64) {
    drop(dir.lock().expect("the lock"));
    let (mut archive, _) =
        Archive::open(&dir.archive(), ArchiveConfig::default()).expect("an archive");
    for seq in 1..=count {
        let page = PageRecord {
            url: format!("http://a.example/{seq}"),
            host: "a.example".into(),
            outcome: outcome::Outcome::Judged(outcome::Verdict::Index),
            fetch: Some(archive::FetchRecord {
                status: 200,
                ..archive::FetchRecord::default()
            }),
            page: Some(archive::PageSummary::default()),
            ..PageRecord::default()
        };
        let event = Event::Page(Box::new(page));
        let record = Record { seq, at_ms, event };
        archive.append(&Entry::of(&record)).expect("appended");
    }
    archive.sync().expect("synced");
}

#[test]
fn what_holds_of_a_whole_plan_stands_in_its_last_record() {
    // It stood in each: where a crash left the first one alone, copies of pages that had changed
    // were taken for looked for, and the rest of the round was lost.
    let temp = tempfile::tempdir().expect("a directory");
    let dir = CrawlDir::new(temp.path());
    pages(&dir, 450, 1);
    let planned = plan(&dir, &CrawlConfig::default(), Wanted::Round).expect("planned");
    assert_eq!((planned.urls, planned.next_ms), (450, 0));
    let plans = plans(&dir);
    let says: Vec<_> = plans
        .iter()
        .map(|plan| (plan.urls.len(), plan.more, plan.rejudges))
        .collect();
    assert_eq!(
        says,
        [(200, true, false), (200, true, false), (50, false, true)]
    );
    let mut counts = state::Counts::default();
    for (plan, is_open) in plans.iter().zip([true, true, false]) {
        counts.apply(&Record {
            seq: 1,
            at_ms: 1,
            event: Event::Again(plan.clone()),
        });
        assert_eq!(counts.pages_unplanned, is_open);
    }
}

/// Visits to which nothing had changed.
fn visit(dir: &CrawlDir, urls: Vec<archive::DueRecord>) {
    let (mut archive, _) =
        Archive::open(&dir.archive(), ArchiveConfig::default()).expect("an archive");
    for due in urls {
        let visit = archive::VisitRecord {
            url: due.url,
            host: "a.example".into(),
            of: due.of,
            was: due.was,
            change: outcome::Change::Unchanged,
            ..archive::VisitRecord::default()
        };
        let event = Event::Visit(Box::new(visit));
        let (seq, at_ms) = (archive.last_seq() + 1, 2);
        let record = Record { seq, at_ms, event };
        archive.append(&Entry::of(&record)).expect("appended");
    }
    archive.sync().expect("synced");
}

/// The records that were shown.
#[derive(Default)]
struct Shown(Vec<u64>);

impl Beside for Shown {
    fn add(&mut self, record: &Record) {
        self.0.push(record.seq);
    }

    fn save(&self) -> Vec<u8> {
        self.0.iter().flat_map(|seq| seq.to_le_bytes()).collect()
    }

    fn take_up(&mut self, saved: &[u8]) -> bool {
        let (seqs, rest) = saved.as_chunks();
        self.0 = seqs.iter().map(|seq| u64::from_le_bytes(*seq)).collect();
        rest.is_empty()
    }
}

#[test]
fn what_was_read_is_saved_and_read_on_by_another_process() {
    let temp = tempfile::tempdir().expect("a directory");
    let dir = CrawlDir::new(temp.path());
    pages(&dir, 2_000, 1);
    let config = CrawlConfig::default();
    let planned = |planner: &mut Planner, shown: &mut Shown| {
        let planned = planner.plan(&dir, &config, Wanted::Round, shown);
        planned.expect("planned")
    };
    let (mut planner, mut shown) = (Planner::default(), Shown::default());
    assert_eq!(planned(&mut planner, &mut shown).urls, 2_000);
    assert!(dir.visits().is_file());
    let due = plans(&dir).into_iter().flat_map(|plan| plan.urls);
    visit(&dir, due.take(700).collect());
    planner.read_on(&dir, &mut shown).expect("read");
    // Whether the file is there, damaged, of another archive, or not: the history is the same.
    let file = std::fs::read(dir.visits()).expect("a file");
    let half = file[..file.len() / 2].to_vec();
    for content in [Some(file), Some(half), Some(b"x".to_vec()), None] {
        match content {
            Some(bytes) => std::fs::write(dir.visits(), bytes).expect("written"),
            None => std::fs::remove_file(dir.visits()).expect("removed"),
        }
        let (mut other, mut told) = (Planner::default(), Shown::default());
        other.read_on(&dir, &mut told).expect("read");
        assert_eq!(told.0, shown.0);
        assert_eq!((other.read, other.shown), (planner.read, planner.shown));
        assert!(other.history == planner.history);
    }
}

#[test]
fn a_file_that_knows_more_than_the_journal_is_not_taken_up() {
    let temp = tempfile::tempdir().expect("a directory");
    let dir = CrawlDir::new(temp.path());
    pages(&dir, 2_000, 1);
    plan(&dir, &CrawlConfig::default(), Wanted::Round).expect("planned");
    std::fs::remove_dir_all(dir.archive()).expect("removed");
    pages(&dir, 3, 1);
    let mut planner = Planner::default();
    planner.read_on(&dir, &mut ()).expect("read");
    assert_eq!(planner.history.known(), 3);
    // It stayed, and could have been taken up when the journal had grown. Who has no lock leaves it: the journal
    // may have grown since its end was asked for.
    let (file, config) = (
        std::fs::read(dir.visits()).expect("a file"),
        CrawlConfig::default(),
    );
    plan(&dir, &config, Wanted::Round).expect("planned");
    assert!(!dir.visits().exists());
    std::fs::write(dir.visits(), file).expect("written");
    let start = crate::views::open(&dir, &config, &crate::Progress::default(), false);
    drop(start.expect("opens"));
    assert!(!dir.visits().exists());
}

#[test]
fn a_planner_that_follows_the_crawl_knows_what_one_that_reads_the_journal_does() {
    // Of all records some are handed over: the others are read, while the crawl runs or later.
    for (first, last) in [(1, 2_000), (1, 0), (500, 2_000), (1, 700), (300, 1_500)] {
        let temp = tempfile::tempdir().expect("a directory");
        let dir = CrawlDir::new(temp.path());
        let onlooker = crate::Onlooker::default();
        let (mut planner, mut shown) = (Planner::default(), Shown::default());
        planner.follow_while(&dir, &onlooker, &mut shown, || {
            pages(&dir, 2_000, 1);
            let mut begin = Position::START;
            for replayed in archive::replay(&dir.archive(), begin).expect("an archive") {
                let Ok(Replayed::Record { record, position }) = replayed else {
                    panic!("{replayed:?}")
                };
                if (first..=last).contains(&record.seq) {
                    let end = position;
                    onlooker.hand_over(crate::Written { begin, end, record });
                }
                begin = position;
            }
            onlooker.are_synced();
        });
        assert_eq!(planner.shown, last);
        planner.save(&dir, &shown).expect("the lock");
        assert_eq!(dir.visits().is_file(), last > 0);
        planner.read_on(&dir, &mut shown).expect("read");
        assert_eq!(shown.0, (1..=2_000).collect::<Vec<_>>());
        let (mut other, mut told) = (Planner::default(), Shown::default());
        other.read_on(&dir, &mut told).expect("read");
        assert_eq!(told.0, shown.0);
        let mut anew = History::with_dues();
        read_on(&dir, Position::START, None, |record, place| {
            anew.add(record, place);
        })
        .expect("read");
        assert!(planner.history == anew && other.history == anew);
    }
}

#[test]
fn a_crawl_that_grows_too_large_is_followed_no_longer() {
    let temp = tempfile::tempdir().expect("a directory");
    let dir = CrawlDir::new(temp.path());
    let count = 2 * REMEMBERED_MAX;
    pages(&dir, count as u64, 1);
    let onlooker = crate::Onlooker::default();
    let mut planner = Planner::default();
    let mut begin = Position::START;
    for replayed in archive::replay(&dir.archive(), begin).expect("an archive") {
        let Ok(Replayed::Record { record, position }) = replayed else {
            panic!("{replayed:?}")
        };
        let end = position;
        onlooker.hand_over(crate::Written { begin, end, record });
        onlooker.are_synced();
        begin = position;
        let goes_on = planner.follow(&dir, &onlooker, &mut ()).expect("followed");
        assert_eq!(goes_on, planner.history.known() <= REMEMBERED_MAX);
        if !goes_on {
            break;
        }
    }
    assert_eq!(planner.history.known(), REMEMBERED_MAX + 1);
    planner.read_on(&dir, &mut ()).expect("read");
    assert_eq!(planner.history.known(), count);
}

#[test]
fn a_planner_reads_on_where_it_stopped_and_plans_as_one_that_begins_anew() {
    // Once with what it holds of all pages, once without what it lets go of.
    for lets_go in [false, true] {
        let temp = tempfile::tempdir().expect("a directory");
        let dir = CrawlDir::new(temp.path());
        pages(&dir, 30, 1);
        let config = CrawlConfig::default();
        let mut shown = Shown::default();
        let mut planner = Planner::default();
        let mut planned = |planner: &mut Planner| {
            let planned = planner.plan(&dir, &config, Wanted::Round, &mut shown);
            planner.make_room();
            if lets_go {
                planner.history.drop_dues();
            }
            planned.expect("planned")
        };
        let first = planned(&mut planner);
        assert_eq!((first.urls, first.unfinished), (30, 0));
        // Its own plan is read on.
        for planned in [
            planned(&mut planner),
            plan(&dir, &config, Wanted::Round).expect("planned"),
        ] {
            assert_eq!((planned.urls, planned.unfinished), (0, 30));
        }
        visit(
            &dir,
            plans(&dir).into_iter().flat_map(|plan| plan.urls).collect(),
        );
        let again = planned(&mut planner);
        assert_eq!((again.round, again.urls), (2, 30));
        let all = plans(&dir);
        let due = |round: u32| -> Vec<archive::DueRecord> {
            let plans = all.iter().filter(|plan| plan.round == round);
            let mut urls: Vec<_> = plans.flat_map(|plan| plan.urls.clone()).collect();
            urls.sort_by(|a, b| a.url.cmp(&b.url));
            urls
        };
        assert_eq!((due(1).len(), due(2).len()), (30, 30));
        for (one, two) in due(1).iter().zip(due(2)) {
            assert_eq!((&one.url, one.of, &one.was), (&two.url, two.of, &two.was));
        }
        planner = Planner {
            shown: planner.shown,
            ..Planner::default()
        };
        planned(&mut planner);
        // A planner that forgets and begins anew shows nobody what they have seen.
        let last = *shown.0.last().expect("records");
        assert_eq!(shown.0, (1..=last).collect::<Vec<_>>());
    }
}

#[test]
fn a_round_for_which_it_is_too_early_is_recorded_with_when_the_first_page_is_due() {
    let temp = tempfile::tempdir().expect("a directory");
    let dir = CrawlDir::new(temp.path());
    let read_ms = unix_ms();
    pages(&dir, 3, read_ms);
    for _ in 0..2 {
        let planned = plan(&dir, &CrawlConfig::default(), Wanted::Round).expect("planned");
        assert_eq!((planned.round, planned.urls), (1, 0));
        assert_eq!(planned.next_ms, read_ms + 3_600_000);
    }
    let plans = plans(&dir);
    assert_eq!(plans.len(), 2);
    assert!(
        plans
            .iter()
            .all(|plan| plan.next_ms == read_ms + 3_600_000 && !plan.more)
    );
}
