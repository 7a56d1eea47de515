//! The primary dies under load: no acknowledged group is lost, and none is there twice.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

use ledger::{Closed, CrawlName, Ledger, LedgerError, PostgresLedger};

use crate::cards::{closing, finish, join, keep, kept, offer};
use crate::server::{Cluster, Server, settings};

const CLIENTS: usize = 4;

/// Closes groups at the primary until it dies after so many, and goes on at the standby.
fn loses_nothing(groups_before: usize, groups_after: usize) {
    let Some(cluster) = Cluster::start(true) else {
        return;
    };
    let crawl = cluster.crawl(None);
    let standby = cluster.standby.as_ref().unwrap();
    let ports = [cluster.primary.port, standby.port];
    let acknowledged = AtomicUsize::new(0);
    let promoted = AtomicBool::new(false);
    let lists: Vec<Vec<u64>> = std::thread::scope(|scope| {
        let clients: Vec<_> = (0..CLIENTS)
            .map(|client| {
                let mut settings = settings("tamis_node", &ports, &crawl);
                settings.patience = Duration::from_secs(3);
                let (acknowledged, promoted) = (&acknowledged, &promoted);
                scope.spawn(move || {
                    let mut groups = Groups::new(settings, client);
                    while acknowledged.load(Ordering::Relaxed) < groups_before {
                        if groups.close_one() {
                            acknowledged.fetch_add(1, Ordering::Relaxed);
                        } else if promoted.load(Ordering::Relaxed) {
                            break;
                        }
                    }
                    for _ in 0..groups_after {
                        while !groups.close_one() {}
                    }
                    groups.acknowledged
                })
            })
            .collect();
        let killer = scope.spawn(|| {
            while acknowledged.load(Ordering::Relaxed) < groups_before / 2 {
                standby.sql("postgres", "select pg_sleep(0.05)");
            }
            cluster.primary.kill();
            standby.promote();
            promoted.store(true, Ordering::Relaxed);
        });
        killer.join().unwrap();
        clients
            .into_iter()
            .map(|client| client.join().unwrap())
            .collect()
    });
    let told = lists.concat();
    assert!(
        told.len() >= groups_before + CLIENTS * groups_after,
        "{}",
        told.len()
    );
    check(standby, &crawl, told);
}

/// Whether all that was acknowledged is there, and everything there agrees.
fn check(standby: &Server, crawl: &CrawlName, mut told: Vec<u64>) {
    let schema = crawl.schema();
    let there = standby.sql(
        "postgres",
        &format!("select page from {schema}.kept order by page"),
    );
    let there: Vec<u64> = there.lines().map(|line| line.parse().unwrap()).collect();
    told.sort_unstable();
    let missing: Vec<&u64> = told
        .iter()
        .filter(|page| there.binary_search(page).is_err())
        .collect();
    assert!(
        missing.is_empty(),
        "{} acknowledged groups are lost: {missing:?}",
        missing.len()
    );
    let gaps = standby.sql(
        "postgres",
        &format!(
            "select (select count(*) from {schema}.kept) = (select pos from {schema}.last_kept) and \
             (select max(pos) from {schema}.kept) = (select pos from {schema}.last_kept) and \
             (select sum(finished) from {schema}.node) = (select count(*) from {schema}.finished)"
        ),
    );
    assert_eq!(gaps, "t", "positions and counters agree with the rows");
    println!(
        "{} groups acknowledged, {} there, 0 lost",
        told.len(),
        there.len()
    );
}

/// A client that closes groups of one page each.
struct Groups {
    settings: ledger::Settings,
    ledger: Option<PostgresLedger>,
    name: String,
    me: ledger::Fence,
    client: u64,
    next: u64,
    acknowledged: Vec<u64>,
}

impl Groups {
    fn new(settings: ledger::Settings, client: usize) -> Groups {
        let mut ledger = PostgresLedger::connect(settings.clone()).unwrap();
        let name = format!("n{client}");
        let me = join(&mut ledger, &name);
        Groups {
            settings,
            ledger: Some(ledger),
            name,
            me,
            client: client as u64 + 1,
            next: 0,
            acknowledged: Vec::new(),
        }
    }

    /// Closes a group; whether it was acknowledged. One whose end is not known has its number
    /// behind it and is counted by neither.
    fn close_one(&mut self) -> bool {
        self.next += 1;
        let closed = self.try_one();
        match closed {
            Ok(Closed::Committed { .. }) => {
                self.acknowledged.push(self.client << 40 | self.next);
                true
            }
            Ok(Closed::Unknown) | Err(LedgerError::Away(_)) => {
                self.ledger = PostgresLedger::connect(self.settings.clone()).ok();
                false
            }
            Err(LedgerError::Fenced) => {
                self.me = join(self.ledger.as_mut().unwrap(), &self.name);
                false
            }
            Ok(Closed::Near(rows)) => panic!("nothing is near: {rows:?}"),
            Err(error) => panic!("{error}"),
        }
    }

    fn try_one(&mut self) -> Result<Closed, LedgerError> {
        if self.ledger.is_none() {
            self.ledger = Some(PostgresLedger::connect(self.settings.clone())?);
        }
        let ledger = self.ledger.as_mut().unwrap();
        let page = self.client << 40 | self.next;
        let url = offer(self.client as u16, self.next);
        ledger.open(self.me, std::slice::from_ref(&url), &[])?;
        // Far from every other by construction of the test, so the order is not asked.
        let mut group = keep(closing(self.me, self.next), 0, vec![kept(page, page)]);
        group.asked = Vec::new();
        group.seen = 0;
        group.finished = vec![finish(&url, page)];
        ledger.close(&group)
    }
}

#[test]
fn some_hundred_acknowledged_groups_outlive_their_primary() {
    loses_nothing(400, 20);
}

#[test]
#[ignore = "some minutes: the same with 5,000 groups"]
fn five_thousand_acknowledged_groups_outlive_their_primary() {
    loses_nothing(5_000, 100);
}
