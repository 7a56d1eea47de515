//! The ledger in memory: the plain model. It says what a store must do; each store is tested
//! against it with the same sequences of operations.
//!
//! A handle is a connection. Handles of one ledger share a book under a lock; a group that is
//! open holds the book's writing for itself, as the strictest of stores would.

mod book;
mod sharing;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Condvar, Mutex, MutexGuard};
use std::time::{Duration, Instant};

use crate::bounds::{self, ANSWER_MAX, KEPT_BEHIND_MAX};
use crate::keys::{Fence, Part, UrlKey};
use crate::ledger::{Ledger, LedgerError, Refused};
use crate::memory::book::{Book, NodeRow};
use crate::messages::{
    Admitted, Begun, Closed, Closing, EndedOfHost, Fact, Joined, KeptOp, Manners, Marks, News,
    NodeCard, NodeState, Offer, Overview, Pulse, SeedBudget, Standing, Tidings, Told,
};

/// A group that is not closed for so long is given up for its node.
const GROUP_PATIENCE: Duration = Duration::from_secs(10);
/// A connection to a ledger in memory.
#[derive(Debug)]
pub struct MemoryLedger {
    shared: Arc<Shared>,
    group: Option<Group>,
}

/// What an open group holds.
#[derive(Debug, Clone, Default)]
struct Group {
    /// Its URLs that are new.
    added: Vec<Offer>,
    /// Finished URLs that wait again.
    reopened: Vec<Offer>,
    /// URLs that count for the budgets of their seeds.
    spent: BTreeMap<u32, u64>,
}

#[derive(Debug)]
struct Shared {
    book: Mutex<Book>,
    group_ended: Condvar,
}

impl MemoryLedger {
    /// An empty ledger.
    pub fn new(pages_max: Option<u64>) -> MemoryLedger {
        MemoryLedger {
            shared: Arc::new(Shared {
                book: Mutex::new(Book::new(pages_max)),
                group_ended: Condvar::new(),
            }),
            group: None,
        }
    }

    /// Another connection to the same ledger.
    pub fn connect(&self) -> MemoryLedger {
        MemoryLedger {
            shared: Arc::clone(&self.shared),
            group: None,
        }
    }

    fn book(&self) -> MutexGuard<'_, Book> {
        self.shared.book.lock().expect("no holder panics")
    }

    fn end_group(&mut self, book: &mut Book) {
        self.group = None;
        book.group_open = false;
        self.shared.group_ended.notify_one();
    }
}

impl Shared {
    /// The book, once no other group is open.
    fn turn(&self) -> Result<MutexGuard<'_, Book>, LedgerError> {
        let book = self.book.lock().expect("no holder panics");
        let (book, waited) = self
            .group_ended
            .wait_timeout_while(book, GROUP_PATIENCE, |book| book.group_open)
            .expect("no holder panics");
        match waited.timed_out() {
            true => Err(LedgerError::Away("another group is open".into())),
            false => Ok(book),
        }
    }
}

impl Drop for MemoryLedger {
    fn drop(&mut self) {
        self.abandon();
    }
}

impl Ledger for MemoryLedger {
    fn join(&mut self, card: &NodeCard) -> Result<Joined, LedgerError> {
        bounds::card(card)?;
        self.abandon();
        let mut book = self.book();
        let (scheme, config) = book
            .terms
            .get_or_insert_with(|| (card.scheme.clone(), card.config.clone()));
        if *config != card.config {
            let theirs = config.clone();
            return Err(Refused::OtherConfig { theirs }.into());
        }
        if *scheme != card.scheme {
            let theirs = scheme.clone();
            return Err(Refused::OtherScheme { theirs }.into());
        }
        let number = book.number_of(&card.name).ok_or(Refused::Full)?;
        let node = book
            .nodes
            .entry(number)
            .or_insert_with(|| NodeRow::new(&card.name));
        node.epoch += 1;
        node.beat += u64::from(node.epoch > 1);
        node.state = NodeState::Live;
        let (epoch, journal) = (node.epoch, node.journal);
        let (ttl, pages_before) = book.agree(number, card);
        Ok(Joined {
            fence: Fence {
                node: number,
                epoch,
            },
            crawl: [0; 16],
            journal,
            parts: book.parts_of(number),
            admitted: book.next_transaction,
            ttl,
            pages_max: (pages_before, book.pages_max),
        })
    }

    fn follow(&mut self, marks: &Marks, parts: &[Part]) -> Result<News, LedgerError> {
        self.abandon();
        let book = self.book();
        let facts: Vec<Told> = (book.facts.iter().skip(marks.facts as usize))
            .take(ANSWER_MAX)
            .cloned()
            .collect();
        let kept: Vec<_> = (book.kept.iter().skip(marks.kept as usize))
            .take(ANSWER_MAX)
            .cloned()
            .collect();
        let admitted = book
            .admitted
            .iter()
            .filter(|((part, _), row)| {
                parts.contains(part) && row.transaction.is_some_and(|x| x >= marks.admitted)
            })
            .filter(|((part, key), _)| {
                let ends = (*part, *key, 0)..=(*part, *key, u16::MAX);
                book.finished.range(ends).next().is_none()
            })
            .map(|(&key, row)| Book::admitted(key, row))
            .collect();
        Ok(News {
            marks: Marks {
                facts: marks.facts + facts.len() as u64,
                kept: marks.kept + kept.len() as u64,
                admitted: book.next_transaction,
            },
            facts,
            admitted,
            kept,
        })
    }

    fn standing(&mut self, parts: &[Part]) -> Result<Option<Standing>, LedgerError> {
        let mut standing = Standing::default();
        let parts: BTreeSet<Part> = parts.iter().copied().collect();
        for part in parts {
            standing.roots.append(&mut self.roots(part)?);
            standing.waiting.append(&mut self.pending(part, None)?);
            let ended = self.ended(part)?.into_iter();
            standing.ended.extend(ended.map(|of| (part, of)));
            standing.manners.extend(self.manners(part)?);
        }
        let most = standing.roots.len().max(standing.waiting.len());
        Ok((most < ANSWER_MAX).then_some(standing))
    }

    fn pending(&mut self, part: Part, after: Option<UrlKey>) -> Result<Vec<Admitted>, LedgerError> {
        self.abandon();
        let book = self.book();
        let rows = book.admitted.iter().filter(|((in_part, key), _)| {
            *in_part == part
                && after.is_none_or(|after| *key > after)
                && !book
                    .finished
                    .contains_key(&(part, *key, book.generation(part, *key)))
        });
        Ok(rows
            .take(ANSWER_MAX)
            .map(|(&key, row)| book.waiting(key, row))
            .collect())
    }

    fn roots(&mut self, part: Part) -> Result<Vec<Admitted>, LedgerError> {
        self.abandon();
        let book = self.book();
        let rows = book.admitted.iter();
        let roots = rows.filter(|((of, _), row)| *of == part && row.url.depth == 0);
        Ok(roots
            .take(ANSWER_MAX)
            .map(|(&key, row)| Book::admitted(key, row))
            .collect())
    }

    fn ended(&mut self, part: Part) -> Result<Vec<EndedOfHost>, LedgerError> {
        self.abandon();
        let book = self.book();
        let mut hosts: BTreeMap<u32, u64> = BTreeMap::new();
        let firsts = book.finished.iter();
        let firsts = firsts.filter(|((of, _, end), _)| *of == part && *end == 0);
        for ((_, key, _), _) in firsts.filter(|(_, finish)| finish.outcome > 0) {
            *hosts.entry(key.host()).or_default() += 1;
        }
        let hosts = hosts.into_iter();
        Ok(hosts
            .map(|(host, urls)| EndedOfHost { host, urls })
            .collect())
    }

    fn manners(&mut self, part: Part) -> Result<Option<Manners>, LedgerError> {
        self.abandon();
        let book = self.book();
        let said = book.manners.get(&part);
        Ok(said.map(|(node, at, number, data)| Manners {
            part,
            number: *number,
            node: *node,
            age: at.elapsed(),
            data: data.clone(),
        }))
    }

    fn hand_over(&mut self, me: Fence, owed: &[(Part, Vec<u8>)]) -> Result<(), LedgerError> {
        bounds::owed(owed)?;
        self.abandon();
        let mut book = self.book();
        book.check(me)?;
        for (part, data) in owed {
            let is_mine = book.parts[usize::from(part.number())].node == Some(me.node);
            let before = book.manners.get(part).map(|said| said.2);
            if is_mine && (before.is_some() || !data.is_empty()) {
                let said = (
                    me.node,
                    Instant::now(),
                    before.unwrap_or(0) + 1,
                    data.clone(),
                );
                book.manners.insert(*part, said);
            }
        }
        Ok(())
    }

    /// As when the connection is lost.
    fn abandon(&mut self) {
        if self.group.is_some() {
            let shared = Arc::clone(&self.shared);
            self.end_group(&mut shared.book.lock().expect("no holder panics"));
        }
    }

    fn begin(
        &mut self,
        me: Fence,
        seen: u64,
        urls: &[(Part, UrlKey)],
        seeds: &[u32],
    ) -> Result<Begun, LedgerError> {
        bounds::urls(urls.len())?;
        bounds::seeds(seeds.len())?;
        self.abandon();
        let shared = Arc::clone(&self.shared);
        let mut book = shared.turn()?;
        book.check(me)?;
        let position = book.kept.len() as u64;
        let Some(by) = position.checked_sub(seen) else {
            return Err(LedgerError::Ahead { position, seen });
        };
        if by > ANSWER_MAX as u64 {
            return Err(LedgerError::Behind { by });
        }
        book.group_open = true;
        self.group = Some(Group::default());
        Ok(Begun {
            kept: book.kept[seen as usize..].to_vec(),
            known: urls
                .iter()
                .map(|url| book.admitted.contains_key(url))
                .collect(),
            spent: seeds.iter().map(|&seed| book.spent_of(seed)).collect(),
        })
    }

    fn open(
        &mut self,
        me: Fence,
        offers: &[Offer],
        budgets: &[SeedBudget],
    ) -> Result<Vec<bool>, LedgerError> {
        bounds::offers(offers)?;
        bounds::seeds(budgets.len())?;
        let shared = Arc::clone(&self.shared);
        let mut book = match self.group.is_some() {
            true => shared.book.lock().expect("no holder panics"),
            false => shared.turn()?,
        };
        if let Err(error) = book.check(me) {
            if self.group.is_some() {
                self.end_group(&mut book);
            }
            return Err(error);
        }
        let mut group = self.group.take().unwrap_or_default();
        let added = &mut group.added;
        let mut here: std::collections::HashSet<_> =
            added.iter().map(|offer| (offer.part, offer.key)).collect();
        let news = offers.iter().map(|offer| {
            let key = (offer.part, offer.key);
            let is_new = !book.admitted.contains_key(&key) && here.insert(key);
            if is_new {
                added.push(offer.clone());
            }
            is_new
        });
        let news: Vec<bool> = news.collect();
        let mut is_over = false;
        for budget in budgets {
            let new = offers.iter().zip(&news).filter(|(_, is_new)| **is_new);
            let count = new
                .filter(|(offer, _)| offer.url.seed == budget.seed && offer.url.kind == 0)
                .count() as u64;
            let spent = group.spent.entry(budget.seed).or_default();
            *spent += count;
            is_over |= count > 0 && book.spent_of(budget.seed) + *spent > budget.urls_max;
        }
        book.group_open = true;
        self.group = Some(group);
        match is_over {
            true => {
                self.end_group(&mut book);
                Err(LedgerError::OverBudget)
            }
            false => Ok(news),
        }
    }

    fn reopen(&mut self, me: Fence, urls: &[Offer]) -> Result<(), LedgerError> {
        bounds::offers(urls)?;
        let shared = Arc::clone(&self.shared);
        let mut book = shared.book.lock().expect("no holder panics");
        let Some(group) = &mut self.group else {
            return Err(LedgerError::NoGroup);
        };
        group.reopened.extend_from_slice(urls);
        let checked = book.check(me);
        if checked.is_err() {
            self.end_group(&mut book);
        }
        checked
    }

    fn close(&mut self, closing: &Closing) -> Result<Closed, LedgerError> {
        let shared = Arc::clone(&self.shared);
        let mut book = shared.book.lock().expect("no holder panics");
        let Some(group) = self.group.clone() else {
            return Err(LedgerError::NoGroup);
        };
        let closed = bounds::closing(closing).and_then(|()| book.close(closing, group));
        if !matches!(closed, Ok(Closed::Near(_))) {
            self.end_group(&mut book);
        }
        closed
    }

    fn beat(&mut self, pulse: &Pulse) -> Result<Tidings, LedgerError> {
        bounds::pulse(pulse)?;
        self.abandon();
        let mut book = self.book();
        book.check(pulse.me)?;
        Ok(book.beat(pulse))
    }

    fn tell(&mut self, me: Fence, fact: &Fact) -> Result<u64, LedgerError> {
        bounds::fact(fact)?;
        self.abandon();
        let mut book = self.book();
        book.check(me)?;
        let number = book.facts.len() as u64 + 1;
        book.facts.push(Told {
            number,
            node: me.node,
            fact: fact.clone(),
        });
        Ok(number)
    }

    fn overview(&mut self) -> Result<Overview, LedgerError> {
        self.abandon();
        Ok(self.book().overview())
    }
}

impl Book {
    /// Commits a group, or says why not.
    fn close(&mut self, closing: &Closing, group: Group) -> Result<Closed, LedgerError> {
        self.check(closing.me)?;
        let position = self.kept.len() as u64;
        if closing.seen > position {
            let seen = closing.seen;
            return Err(LedgerError::Ahead { position, seen });
        }
        let by = position - closing.seen;
        let cited: Vec<u64> = (closing.cites.iter().copied())
            .chain(closing.kept.iter().filter_map(|row| row.replaces))
            .collect();
        if !closing.kept.is_empty() || !cited.is_empty() {
            if by > KEPT_BEHIND_MAX {
                return Err(LedgerError::Behind { by });
            }
            let since = &self.kept[closing.seen as usize..];
            if since
                .iter()
                .any(|row| stands_in_the_way(row, closing, &cited))
            {
                return Ok(Closed::Near(since.to_vec()));
            }
        }
        self.commit(closing, group, position)
    }
}

/// Whether a text that was appended meanwhile could change a verdict of the group. It says yes
/// too often, never too seldom.
fn stands_in_the_way(row: &crate::KeptRow, closing: &Closing, cited: &[u64]) -> bool {
    let near = |asked: &u64| (asked ^ row.fingerprint).count_ones() <= u32::from(closing.radius);
    let is_near = row.op == KeptOp::Keep
        && (closing.asked.iter().any(near)
            || row
                .bands
                .iter()
                .any(|band| closing.asked_bands.contains(band)));
    let is_withdrawn = row.op == KeptOp::Withdraw && cited.contains(&row.page);
    is_near || is_withdrawn || row.replaces.is_some_and(|page| cited.contains(&page))
}
