//! What a ledger costs: many clients open, close and follow groups at once, on tables of their
//! own.
//!
//! A page here offers twelve URLs of which eight are new, finishes one, and is kept in nine cases
//! of twenty, with rows of the usual size. What is measured are the costs of the ledger alone;
//! nothing is fetched.

use std::sync::Barrier;
use std::time::{Duration, Instant};

use crate::keys::{Fence, Part, UrlKey, global_page};
use crate::ledger::{Ledger, LedgerError};
use crate::messages::{
    Closed, Closing, Finish, KeptOp, KeptRow, Marks, NodeCard, Offer, Pulse, WaitingUrl,
};
use crate::postgres::{PostgresLedger, Settings};

/// URLs that a page offers, and how many of them were offered before.
const OFFERS: u64 = 12;
const KNOWN: u64 = 4;
/// Of twenty pages so many are kept.
const KEPT_OF_TWENTY: u64 = 9;

/// How much is done.
#[derive(Debug, Clone, Copy)]
pub struct Load {
    /// Clients at once.
    pub clients: u16,
    /// Groups that each closes.
    pub groups: u64,
    /// Pages of a group.
    pub pages: u64,
}

impl Load {
    /// Pages of all clients.
    pub fn pages_in_all(&self) -> u64 {
        u64::from(self.clients) * self.groups * self.pages
    }
}

/// How long one kind of call took.
#[derive(Debug, Clone, Default)]
pub struct Times(Vec<Duration>);

impl Times {
    /// The mean.
    pub fn mean(&self) -> Duration {
        self.0.iter().sum::<Duration>() / (self.0.len().max(1) as u32)
    }

    /// The time that so many of a hundred calls were done within.
    pub fn percentile(&self, percent: usize) -> Duration {
        let mut sorted = self.0.clone();
        sorted.sort_unstable();
        let at = (sorted.len() * percent / 100).min(sorted.len().saturating_sub(1));
        sorted.get(at).copied().unwrap_or_default()
    }

    fn add(&mut self, other: Times) {
        self.0.extend(other.0);
    }
}

/// What a run took.
#[derive(Debug, Clone, Default)]
pub struct Costs {
    /// Calls of `follow`.
    pub follow: Times,
    /// Calls of `open`.
    pub open: Times,
    /// Calls of `close`, with those that ended near.
    pub close: Times,
    /// Groups that were judged twice.
    pub near: u64,
    /// The whole run.
    pub wall: Duration,
    /// CPU time of all of PostgreSQL's processes on this machine; none if the server is elsewhere.
    pub cpu: Option<Duration>,
    /// Bytes of the server's log.
    pub log_bytes: u64,
}

/// Runs a load on tables that hold nothing else.
///
/// # Errors
/// When the ledger fails.
pub fn run(settings: &Settings, load: Load) -> Result<Costs, LedgerError> {
    let mut clients = (1..=load.clients)
        .map(|client| Client::join(settings, client))
        .collect::<Result<Vec<_>, _>>()?;
    clients.iter_mut().try_for_each(Client::take_parts)?;
    let mut watcher = PostgresLedger::connect(settings.clone())?;
    let is_here = settings.url.is_here();
    let log_before = watcher.server()?.log_bytes;
    let cpu_before = server_cpu().filter(|_| is_here);
    let began = Instant::now();
    let start = Barrier::new(clients.len());
    let results: Vec<Result<Costs, LedgerError>> = std::thread::scope(|scope| {
        let threads: Vec<_> = clients
            .iter_mut()
            .map(|client| {
                let start = &start;
                scope.spawn(move || {
                    start.wait();
                    client.work(load)
                })
            })
            .collect();
        threads
            .into_iter()
            .map(|thread| thread.join().expect("a client does not panic"))
            .collect()
    });
    let mut costs = Costs {
        wall: began.elapsed(),
        ..Costs::default()
    };
    for result in results {
        let one = result?;
        costs.follow.add(one.follow);
        costs.open.add(one.open);
        costs.close.add(one.close);
        costs.near += one.near;
    }
    let cpu_after = server_cpu().filter(|_| is_here);
    costs.cpu = cpu_before
        .zip(cpu_after)
        .map(|(before, after)| after.saturating_sub(before));
    costs.log_bytes = watcher.server()?.log_bytes.saturating_sub(log_before);
    Ok(costs)
}

struct Client {
    ledger: PostgresLedger,
    me: Fence,
    parts: Vec<Part>,
    marks: Marks,
    /// Numbers that look random, the same in each run.
    state: u64,
    page: u64,
}

impl Client {
    fn join(settings: &Settings, client: u16) -> Result<Client, LedgerError> {
        let mut ledger = PostgresLedger::connect(settings.clone())?;
        let joined = ledger.join(&NodeCard {
            name: format!("client {client}"),
            scheme: "bench".into(),
            config: Vec::new(),
            ttl: Duration::from_secs(15),
            pages_max: None,
        })?;
        let now = ledger.follow(&Marks::default(), &[])?.marks;
        Ok(Client {
            ledger,
            me: joined.fence,
            parts: Vec::new(),
            marks: now,
            state: u64::from(client) << 32,
            page: joined.journal,
        })
    }

    /// Takes its share of the parts, once all have joined.
    fn take_parts(&mut self) -> Result<(), LedgerError> {
        let mut pulse = Pulse::of(self.me);
        pulse.wants_parts = true;
        self.parts = self.ledger.beat(&pulse)?.parts;
        Ok(())
    }

    fn work(&mut self, load: Load) -> Result<Costs, LedgerError> {
        let mut costs = Costs::default();
        for _ in 0..load.groups {
            let began = Instant::now();
            self.marks = self.ledger.follow(&self.marks, &self.parts)?.marks;
            costs.follow.0.push(began.elapsed());
            let (offers, mut closing) = self.group(load.pages);
            let began = Instant::now();
            self.ledger.open(self.me, &offers, &[])?;
            costs.open.0.push(began.elapsed());
            let began = Instant::now();
            while let Closed::Near(rows) = self.ledger.close(&closing)? {
                costs.near += 1;
                closing.seen = rows.last().map_or(closing.seen, |row| row.position);
            }
            costs.close.0.push(began.elapsed());
        }
        Ok(costs)
    }

    /// The next number of a sequence (splitmix64).
    fn random(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.state;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    fn group(&mut self, pages: u64) -> (Vec<Offer>, Closing) {
        let mut offers = Vec::new();
        let mut closing = Closing {
            me: self.me,
            finished: Vec::new(),
            seen: self.marks.kept,
            radius: 8,
            asked: Vec::new(),
            asked_bands: Vec::new(),
            kept: Vec::new(),
            cites: Vec::new(),
            pages: pages as u32,
            journal: self.page + pages,
        };
        for _ in 0..pages {
            self.page += 1;
            let page = global_page(self.me.node, self.page);
            for place in 0..OFFERS {
                // A known URL is one of the page before's.
                let (of, place) = match place < KNOWN {
                    true => (self.page - 1, place + KNOWN),
                    false => (self.page, place),
                };
                offers.push(self.offer(page, of, place));
            }
            let own = offers.last().expect("a page has offers");
            closing.finished.push(Finish {
                part: own.part,
                key: own.key,
                generation: 0,
                page,
                duplicate_of: None,
                outcome: 1,
            });
            if self.page % 20 < KEPT_OF_TWENTY {
                let row = self.text(page);
                closing.asked.push(row.fingerprint);
                closing.kept.push(row);
            }
        }
        (offers, closing)
    }

    fn offer(&mut self, page: u64, of: u64, place: u64) -> Offer {
        // A page's links lead to few hosts, mostly the node's own.
        let own = self.parts.get((of % 64) as usize % self.parts.len().max(1));
        let other = Part::of_domain(&format!("domain{}.example", of % 640));
        let part = match place {
            11 => other,
            _ => own.copied().unwrap_or(other),
        };
        let host = format!("www.domain{}.example", part.number());
        let url = format!(
            "https://{host}/news/2024/05/{}-{of}-{place}.html",
            self.me.node
        );
        Offer {
            part,
            key: UrlKey::of(&host, &url),
            url: WaitingUrl {
                page,
                depth: 3,
                seed: 1,
                kind: 0,
                priority: 0.5,
                url,
                context: vec![0; 40],
            },
        }
    }

    fn text(&mut self, page: u64) -> KeptRow {
        let fingerprint = self.random();
        let print: Vec<u8> = (0..20).flat_map(|_| self.random().to_be_bytes()).collect();
        KeptRow {
            position: 0,
            op: KeptOp::Keep,
            page,
            replaces: None,
            fingerprint,
            bands: Vec::new(),
            print,
            layout: self.random(),
            url: format!("https://www.domain{}.example/news/{page}.html", page % 640),
            published: Some("2024-05-01".into()),
            canonical: None,
        }
    }
}

/// CPU time of all processes on this machine that are PostgreSQL's, as the kernel counts it; none
/// where it does not say.
fn server_cpu() -> Option<Duration> {
    /// The kernel's unit, the same on all that Linux runs on.
    const TICKS_PER_SECOND: u64 = 100;
    let entries = std::fs::read_dir("/proc").ok()?;
    let ticks: Vec<u64> = entries
        .filter_map(|entry| {
            let stat = std::fs::read_to_string(entry.ok()?.path().join("stat")).ok()?;
            let (name, rest) = stat.split_once('(')?.1.rsplit_once(')')?;
            let fields: Vec<&str> = rest.split_whitespace().collect();
            // utime, stime, and those of children that have ended.
            let times = fields.get(11..15)?.iter();
            (name == "postgres").then(|| times.filter_map(|field| field.parse::<u64>().ok()).sum())
        })
        .collect();
    let sum: u64 = ticks.iter().sum();
    (!ticks.is_empty()).then(|| Duration::from_millis(sum * 1_000 / TICKS_PER_SECOND))
}
