//! What is said to a ledger, counted: messages, rows, bytes and time, by kind.
//!
//! A [`Metered`] ledger is the ledger itself with a count beside it. All connections of a node share
//! one [`Meter`]; a copy of its figures goes out with each sign of life, so that whoever looks at the
//! crawl sees what each node asks of the store and how long it waits for it.
//!
//! Bytes are those of the rows' values as they are sent, without the protocol around them: figures that
//! do not depend on the store, and that a simulation can be held against.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use crate::keys::{Fence, Part, UrlKey};
use crate::ledger::{Ledger, LedgerError};
use crate::messages::{
    Admitted, Begun, Closed, Closing, EndedOfHost, Fact, Joined, KeptRow, Manners, Marks, News,
    NodeCard, Offer, Overview, Pulse, SeedBudget, Standing, Tidings, WaitingUrl,
};

/// Figures of one kind of message.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Figures {
    /// Messages, those that failed among them.
    pub calls: u64,
    /// Messages that failed.
    pub errors: u64,
    /// Rows sent.
    pub rows_out: u64,
    /// Rows that came back.
    pub rows_in: u64,
    /// Bytes of the rows sent.
    pub bytes_out: u64,
    /// Bytes of the rows that came back.
    pub bytes_in: u64,
    /// Time until the answer, in all.
    pub time: Duration,
    /// The longest time until an answer.
    pub time_max: Duration,
}

/// A value and how large it is: rows, bytes.
type Size = (u64, u64);

/// Counts messages; a copy counts into the same figures.
#[derive(Debug, Clone)]
pub struct Meter {
    kinds: Arc<Mutex<BTreeMap<&'static str, Figures>>>,
    began: Instant,
}

impl Default for Meter {
    fn default() -> Self {
        Meter {
            kinds: Arc::default(),
            began: Instant::now(),
        }
    }
}

impl Meter {
    /// The figures so far, by the kind of message.
    pub fn figures(&self) -> BTreeMap<&'static str, Figures> {
        self.kinds().clone()
    }

    fn kinds(&self) -> MutexGuard<'_, BTreeMap<&'static str, Figures>> {
        self.kinds.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// How long it has been counting.
    pub fn age(&self) -> Duration {
        self.began.elapsed()
    }

    fn count<T>(
        &self,
        kind: &'static str,
        (rows_out, bytes_out): Size,
        ask: impl FnOnce() -> Result<T, LedgerError>,
        size: impl FnOnce(&T) -> Size,
    ) -> Result<T, LedgerError> {
        let began = Instant::now();
        let answer = ask();
        let took = began.elapsed();
        let mut kinds = self.kinds();
        let figures = kinds.entry(kind).or_default();
        figures.calls += 1;
        figures.rows_out += rows_out;
        figures.bytes_out += bytes_out;
        figures.time += took;
        figures.time_max = figures.time_max.max(took);
        match &answer {
            Ok(answer) => {
                let (rows, bytes) = size(answer);
                figures.rows_in += rows;
                figures.bytes_in += bytes;
            }
            Err(_) => figures.errors += 1,
        }
        answer
    }
}

/// A ledger whose messages are counted.
pub struct Metered {
    ledger: Box<dyn Ledger>,
    meter: Meter,
    /// Since when it has the order.
    order_since: Option<Instant>,
}

impl Metered {
    /// Counts what is said to this ledger.
    pub fn new(ledger: Box<dyn Ledger>, meter: Meter) -> Metered {
        Metered {
            ledger,
            meter,
            order_since: None,
        }
    }

    /// The order is given back: how long a group had it counts as a message of its own kind.
    fn order_ends(&mut self, rows: u64) {
        if let Some(since) = self.order_since.take() {
            let held = since.elapsed();
            let mut kinds = self.meter.kinds();
            let figures = kinds.entry(HELD).or_default();
            figures.calls += 1;
            figures.rows_out += rows;
            figures.time += held;
            figures.time_max = figures.time_max.max(held);
        }
    }
}

/// How long groups had the order, between the answers to `begin` and `close`: no message, but what bounds
/// how many groups there can be. Its rows are the URLs that ended.
pub const HELD: &str = "held";

impl Ledger for Metered {
    fn join(&mut self, card: &NodeCard) -> Result<Joined, LedgerError> {
        let out = (1, (card.name.len() + card.config.len()) as u64);
        let ledger = &mut self.ledger;
        self.meter
            .count("join", out, || ledger.join(card), |_| (1, 0))
    }

    fn follow(&mut self, marks: &Marks, parts: &[Part]) -> Result<News, LedgerError> {
        let out = (0, 24 + 2 * parts.len() as u64);
        let ledger = &mut self.ledger;
        let size = |news: &News| {
            let rows = news.facts.len() + news.admitted.len() + news.kept.len();
            let facts: u64 = (news.facts.iter())
                .map(|told| told.fact.data.len() as u64)
                .sum();
            (
                rows as u64,
                facts + all_admitted(&news.admitted) + all_kept(&news.kept),
            )
        };
        self.meter
            .count("follow", out, || ledger.follow(marks, parts), size)
    }

    fn standing(&mut self, parts: &[Part]) -> Result<Option<Standing>, LedgerError> {
        let ledger = &mut self.ledger;
        let size = |standing: &Option<Standing>| {
            let Some(Standing {
                roots,
                waiting,
                ended,
                manners,
            }) = standing
            else {
                return (0, 0);
            };
            let rows = roots.len() + waiting.len() + ended.len() + manners.len();
            let urls = all_admitted(roots) + all_admitted(waiting);
            let owed: u64 = manners.iter().map(all_manners).sum();
            (rows as u64, urls + 14 * ended.len() as u64 + owed)
        };
        let out = (0, 2 * parts.len() as u64);
        self.meter
            .count("standing", out, || ledger.standing(parts), size)
    }

    fn pending(&mut self, part: Part, after: Option<UrlKey>) -> Result<Vec<Admitted>, LedgerError> {
        let ledger = &mut self.ledger;
        let size = |rows: &Vec<Admitted>| (rows.len() as u64, all_admitted(rows));
        self.meter
            .count("pending", (0, 18), || ledger.pending(part, after), size)
    }

    fn roots(&mut self, part: Part) -> Result<Vec<Admitted>, LedgerError> {
        let ledger = &mut self.ledger;
        let size = |rows: &Vec<Admitted>| (rows.len() as u64, all_admitted(rows));
        self.meter
            .count("roots", (0, 2), || ledger.roots(part), size)
    }

    fn ended(&mut self, part: Part) -> Result<Vec<EndedOfHost>, LedgerError> {
        let ledger = &mut self.ledger;
        let size = |hosts: &Vec<EndedOfHost>| (hosts.len() as u64, 12 * hosts.len() as u64);
        self.meter
            .count("ended", (0, 2), || ledger.ended(part), size)
    }

    fn manners(&mut self, part: Part) -> Result<Option<Manners>, LedgerError> {
        let ledger = &mut self.ledger;
        let size = |said: &Option<Manners>| {
            let said = said.iter();
            (said.len() as u64, said.map(all_manners).sum())
        };
        self.meter
            .count("manners", (0, 2), || ledger.manners(part), size)
    }

    fn hand_over(&mut self, me: Fence, owed: &[(Part, Vec<u8>)]) -> Result<(), LedgerError> {
        let bytes = owed.iter().map(|(_, data)| 2 + data.len() as u64);
        let out = (owed.len() as u64, bytes.sum());
        let ledger = &mut self.ledger;
        self.meter
            .count("hand_over", out, || ledger.hand_over(me, owed), |()| (0, 0))
    }

    fn abandon(&mut self) {
        self.order_since = None;
        self.ledger.abandon();
    }

    fn begin(
        &mut self,
        me: Fence,
        seen: u64,
        urls: &[(Part, UrlKey)],
        seeds: &[u32],
    ) -> Result<Begun, LedgerError> {
        let urls_len = urls.len() as u64;
        let ledger = &mut self.ledger;
        let size = |begun: &Begun| {
            let kept = begun.kept.len() as u64;
            let known = begun.known.len() as u64;
            let spent = 8 * begun.spent.len() as u64;
            (kept, all_kept(&begun.kept) + known + spent)
        };
        let out = (urls_len, 18 * urls_len + 8 * seeds.len() as u64);
        let begun = self
            .meter
            .count("begin", out, || ledger.begin(me, seen, urls, seeds), size);
        self.order_since = begun.is_ok().then(Instant::now);
        begun
    }

    fn open(
        &mut self,
        me: Fence,
        offers: &[Offer],
        budgets: &[SeedBudget],
    ) -> Result<Vec<bool>, LedgerError> {
        let out = (
            offers.len() as u64,
            all_offers(offers) + 16 * budgets.len() as u64,
        );
        let ledger = &mut self.ledger;
        let size = |news: &Vec<bool>| (0, news.len() as u64);
        self.meter
            .count("open", out, || ledger.open(me, offers, budgets), size)
    }

    fn reopen(&mut self, me: Fence, urls: &[Offer]) -> Result<(), LedgerError> {
        let out = (urls.len() as u64, all_offers(urls));
        let ledger = &mut self.ledger;
        self.meter
            .count("reopen", out, || ledger.reopen(me, urls), |()| (0, 0))
    }

    fn close(&mut self, closing: &Closing) -> Result<Closed, LedgerError> {
        let rows = (closing.finished.len() + closing.kept.len()) as u64;
        let bytes = FINISH * closing.finished.len() as u64 + all_kept(&closing.kept);
        let ledger = &mut self.ledger;
        let size = |closed: &Closed| match closed {
            Closed::Near(kept) => (kept.len() as u64, all_kept(kept)),
            Closed::Committed { .. } | Closed::Unknown => (0, 8),
        };
        let closed = self
            .meter
            .count("close", (rows, bytes), || ledger.close(closing), size);
        self.order_ends(closing.finished.len() as u64);
        closed
    }

    fn beat(&mut self, pulse: &Pulse) -> Result<Tidings, LedgerError> {
        let out = (1, pulse.note.len() as u64 + 2 * pulse.release.len() as u64);
        let ledger = &mut self.ledger;
        let size = |tidings: &Tidings| (tidings.nodes.len() as u64, 2 * tidings.parts.len() as u64);
        self.meter.count("beat", out, || ledger.beat(pulse), size)
    }

    fn tell(&mut self, me: Fence, fact: &Fact) -> Result<u64, LedgerError> {
        let out = (1, fact.data.len() as u64);
        let ledger = &mut self.ledger;
        self.meter
            .count("tell", out, || ledger.tell(me, fact), |_| (0, 8))
    }

    fn overview(&mut self) -> Result<Overview, LedgerError> {
        let ledger = &mut self.ledger;
        let size = |seen: &Overview| (seen.nodes.len() as u64, 0);
        self.meter
            .count("overview", (0, 0), || ledger.overview(), size)
    }
}

/// Bytes of an end: part, key, generation, page, the page it repeats, outcome.
const FINISH: u64 = 2 + 16 + 2 + 8 + 8 + 2;

/// Bytes of a waiting URL without its texts: part, key, page, depth, seed, kind, priority.
const WAITING: u64 = 2 + 16 + 8 + 8 + 8 + 2 + 4;

/// Bytes of a kept text without its texts: position, kind, page, the page it replaces, fingerprint, layout.
const KEPT: u64 = 8 + 2 + 8 + 8 + 8 + 8;

fn waiting(url: &WaitingUrl) -> u64 {
    WAITING + (url.url.len() + url.context.len()) as u64
}

fn all_offers(offers: &[Offer]) -> u64 {
    offers.iter().map(|offer| waiting(&offer.url)).sum()
}

fn all_admitted(rows: &[Admitted]) -> u64 {
    rows.iter().map(|row| waiting(&row.url)).sum()
}

/// Part, number, node, age, and what is said.
fn all_manners(said: &Manners) -> u64 {
    2 + 8 + 2 + 8 + said.data.len() as u64
}

fn all_kept(rows: &[KeptRow]) -> u64 {
    let of = |row: &KeptRow| {
        let text = |text: &Option<String>| text.as_ref().map_or(0, String::len);
        let texts = row.url.len() + text(&row.published) + text(&row.canonical);
        KEPT + (row.print.len() + 4 * row.bands.len() + texts) as u64
    };
    rows.iter().map(of).sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::memory::MemoryLedger;

    fn card(name: &str) -> NodeCard {
        NodeCard {
            name: name.into(),
            scheme: "s".into(),
            config: Vec::new(),
            ttl: Duration::from_secs(15),
            pages_max: None,
        }
    }

    #[test]
    fn messages_are_counted_with_their_rows_and_those_that_failed() {
        let meter = Meter::default();
        let store = MemoryLedger::new(None);
        let mut ledger = Metered::new(Box::new(store), meter.clone());
        let me = ledger.join(&card("one")).expect("joins").fence;
        let urls = vec![(Part::of_domain("a.example"), UrlKey::of("a.example", "x")); 3];
        ledger.begin(me, 0, &urls, &[]).expect("begins");
        ledger.abandon();
        let other = Fence {
            epoch: me.epoch + 1,
            ..me
        };
        ledger
            .begin(other, 0, &[], &[])
            .expect_err("of another epoch");
        let figures = meter.figures();
        assert_eq!(figures["join"].calls, 1);
        let begin = figures["begin"];
        assert_eq!((begin.calls, begin.errors), (2, 1));
        assert_eq!((begin.rows_out, begin.bytes_out), (3, 54));
        assert!(begin.time >= begin.time_max);
    }
}
