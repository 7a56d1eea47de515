//! What the writer does on a node alone: groups that are opened and closed in the ledger, parts that come and go,
//! lessons and the share of the crawl that is this node's.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::sync::mpsc::Receiver;
use std::time::{Duration, Instant};

use archive::{ElsewhereManners, Event, Position};
use frontier::{CanonicalUrl, Frontier, FrontierUrl, Share};
use ledger::{Fact, LedgerError, MANNERS_MAX, Manners, Part, SeedBudget, host_number};
use state::Said;

use super::{Group, Writer};
use crate::clock::unix_ms;
use crate::error::CrawlError;
use crate::failpoint::fail_point;
use crate::messages::{Mail, PartsMove, ToWriter};
use crate::node::lessons::{Lessons, Untold};
use crate::node::{Node, lessons};

/// The same on many machines, where others wait for the order meanwhile.
const SHARED_GROUP_MAX: usize = 64;

/// URLs of one group that the ledger is asked about; the last finding may bring more.
const GROUP_URLS_MAX: usize = 16_384;

/// Parts of which what stands in them is asked for by one message: so many at first and at most, twice as many
/// after each answer that was quick. In a large crawl a part has much to be looked through.
const PARTS_AT_FIRST: usize = 8;
const PARTS_AT_ONCE: usize = 64;
const QUICK_ANSWER: Duration = Duration::from_millis(250);

/// Hosts in one record of what hosts are owed, but for a part that has more.
const OWED_IN_RECORD: usize = 1_000;

impl Writer {
    /// On many machines, tells the others of example pages in the journal of which they were not told.
    pub(super) fn tell_what_is_untold(&mut self) -> Result<(), CrawlError> {
        let mut untold = Untold {
            read: self.state.examples_learnt(),
            led_to: self.state.examples_led_to(),
        };
        if let Some(node) = &mut self.node {
            node.strike_told(&mut untold)?;
            node.tell(untold.facts(&self.dir)?);
        }
        Ok(())
    }

    /// Gathers messages for a while, since each group is a round trip or two, then takes them with
    /// the order of the whole crawl.
    pub(super) fn take_together(
        &mut self,
        first: ToWriter,
        inbox: &Receiver<ToWriter>,
        group: &mut Group,
    ) -> Result<(), CrawlError> {
        let until = Instant::now() + self.node.as_ref().map(Node::pace).unwrap_or_default();
        let (mut unknown, mut rest) = (Vec::new(), Vec::new());
        let mut budgets: BTreeSet<u32> = BTreeSet::new();
        let mut next = Some(first);
        while let Some(message) = next.take() {
            let is_last = matches!(message, ToWriter::Stop(_));
            if let ToWriter::Finding(finding, _) = &message {
                unknown.append(&mut self.state.unknown_urls(finding)?);
                budgets.extend(self.state.seed_with_budget(finding));
            }
            if !matches!(message, ToWriter::Mail) {
                rest.push(message);
            }
            if !is_last && rest.len() < SHARED_GROUP_MAX && unknown.len() < GROUP_URLS_MAX {
                let left = until.saturating_duration_since(Instant::now());
                next = inbox.recv_timeout(left).ok();
            }
        }
        // What comes from the ledger is taken in before the group is begun, on the same connection.
        let (mut put_back, mut lessons) = (Vec::new(), Lessons::default());
        let mut owed = Vec::new();
        for mail in self.mail() {
            put_back.append(&mut match mail {
                Mail::Parts(moved) => {
                    let (put_back, manners) = self.move_parts(&moved)?;
                    owed.extend(manners);
                    put_back
                }
                Mail::Admitted(urls) => self.take_admitted(urls)?,
                Mail::Lessons(told) => {
                    lessons.append(told);
                    continue;
                }
            });
        }
        let (lessons, own) = self.new_lessons(lessons)?;
        let is_nothing = put_back.is_empty() && lessons.is_empty() && owed.is_empty();
        if rest.is_empty() && is_nothing {
            return Ok(());
        }
        let budgets: Vec<u32> = budgets.into_iter().collect();
        self.open_group(&unknown, &budgets, group)?;
        // URLs of parts that have come wait here, and may be asked for when this group has ended.
        for manners in in_records(owed) {
            if let Some(event) = self.node.as_ref().map(|node| node.owes(manners)) {
                self.commit_event(event, group)?;
            }
        }
        if !put_back.is_empty() {
            let again = archive::RetryRecord {
                urls: put_back,
                filter: "what had become of them was lost with a node".into(),
                ..archive::RetryRecord::default()
            };
            self.commit_event(Event::Retry(again), group)?;
        }
        let learns = self.node.as_ref().filter(|_| !lessons.is_empty());
        if let Some(event) = learns.map(|node| node.learns(lessons)) {
            self.commit_event(event, group)?;
            group.lessons.extend(own);
        }
        for message in rest {
            self.take(message, group)?;
        }
        Ok(())
    }

    /// What of this the topic has not learnt here. A page to which an example led may have been read before
    /// anybody knew: then the journal has what is learnt from it, and the others are to be told as well.
    fn new_lessons(&self, told: Lessons) -> Result<(Lessons, Vec<Fact>), CrawlError> {
        let Lessons {
            mut pages,
            mut led_to,
        } = told;
        let mut once = HashSet::new();
        pages.retain(|page| self.state.is_new_example(page) && once.insert(page.url.clone()));
        led_to.retain(|target| self.state.is_new_target(target));
        let mut read = BTreeMap::new();
        for target in &led_to {
            if let Ok(url) = CanonicalUrl::parse(&target.url)
                && self.state.queue().lock().frontier.is_finished(&url)?
            {
                read.insert(target.url.clone(), target.on_topic);
            }
        }
        let read = lessons::read_again(&self.dir, &read)?;
        let own = read.iter().filter_map(lessons::fact_of).collect();
        pages.extend(read);
        Ok((Lessons { pages, led_to }, own))
    }

    fn mail(&self) -> Vec<Mail> {
        let node = self.node.as_ref();
        node.map_or_else(Vec::new, |node| node.shared().mail())
    }

    /// URLs of this node's parts that others admitted; gives those of them that were finished before.
    fn take_admitted(&mut self, urls: Vec<(FrontierUrl, bool)>) -> Result<Vec<String>, CrawlError> {
        let put_back = put_back_of(&urls);
        self.state.take_admitted(urls)?;
        Ok(put_back)
    }

    /// On many machines, takes the order for a group that may admit these URLs, and for these seeds
    /// that have a budget.
    pub(super) fn open_group(
        &mut self,
        urls: &[CanonicalUrl],
        seeds: &[u32],
        group: &mut Group,
    ) -> Result<(), CrawlError> {
        let Some(node) = &mut self.node else {
            return Ok(());
        };
        fail_point!("group:before-begin");
        let begun = node.begin(urls, seeds)?;
        fail_point!("group:after-begin");
        {
            let frontier = &mut self.state.queue().lock().frontier;
            for (url, _) in urls.iter().zip(begun.known).filter(|(_, known)| *known) {
                frontier.note_known(url);
            }
            frontier.note_spent(begun.spent);
        }
        group.is_open = true;
        for mut event in begun.events {
            if let Event::Elsewhere(elsewhere) = &mut event {
                self.state.name_replaced(elsewhere);
            }
            self.commit_event(event, group)?;
        }
        Ok(())
    }

    /// Syncs what was appended and, on many machines, commits it: gives the journal's position then.
    pub(super) fn close_group(&mut self, group: &mut Group) -> Result<Position, CrawlError> {
        if self.node.is_some() && !group.is_open {
            return Ok(self.archive.synced());
        }
        let before = self.archive.synced();
        let position = self.sync()?;
        let Some(node) = &mut self.node else {
            return Ok(position);
        };
        group.is_open = false;
        if position == before {
            node.abandon();
            return Ok(position);
        }
        fail_point!("group:before-close");
        let (offered, budgets) = {
            let frontier = &mut self.state.queue().lock().frontier;
            let offered = frontier.take_offered();
            let budgets = budgets_of(frontier, &offered.0);
            (offered, budgets)
        };
        let account = std::mem::take(&mut group.account);
        node.close(account, offered, &budgets, position)?;
        fail_point!("group:after-close");
        node.tell(std::mem::take(&mut group.lessons));
        Ok(position)
    }

    /// Parts come, with what waits in them, and go; gives those URLs that were finished before, and what the hosts
    /// of the parts that come are owed.
    fn move_parts(
        &mut self,
        moved: &PartsMove,
    ) -> Result<(Vec<String>, Vec<ElsewhereManners>), CrawlError> {
        let (mut put_back, mut said) = (Vec::new(), Vec::new());
        let Some(node) = &mut self.node else {
            return Ok((put_back, Vec::new()));
        };
        let (mut at_once, mut most) = (PARTS_AT_FIRST, PARTS_AT_ONCE);
        let mut left: &[Part] = &moved.take;
        while !left.is_empty() {
            let (parts, rest) = left.split_at(at_once.min(left.len()));
            let asked = Instant::now();
            let Some(coming) = node.standing(parts)? else {
                // Many URLs wait: what an answer has no room for is not asked for again and again.
                (at_once, most) = (1, 1);
                continue;
            };
            left = rest;
            at_once = match asked.elapsed() < QUICK_ANSWER {
                true => (2 * at_once).min(most),
                false => at_once.div_ceil(2),
            };
            for part in coming {
                for (root, _) in &part.roots {
                    self.state.note_taken(root);
                }
                put_back.append(&mut put_back_of(&part.waiting));
                let number = part.part.number();
                self.state.take_part(number, part.waiting, part.ended)?;
                said.extend(part.manners);
            }
        }
        let taken: Vec<u16> = moved.take.iter().map(|part| part.number()).collect();
        let release: Vec<u16> = moved.release.iter().map(|part| part.number()).collect();
        {
            let frontier = &mut self.state.queue().lock().frontier;
            if !taken.is_empty() {
                frontier.count_taken();
                frontier.rest_hosts_of(&taken);
            }
            frontier.release_parts(&release)?;
        }
        Ok((put_back, self.manners_heard(&taken, &said)?))
    }

    /// What the hosts of parts that have come are owed, for the journal.
    fn manners_heard(
        &self,
        taken: &[u16],
        said: &[Manners],
    ) -> Result<Vec<ElsewhereManners>, CrawlError> {
        let Some(node) = self.node.as_ref().filter(|_| !taken.is_empty()) else {
            return Ok(Vec::new());
        };
        let said = said.iter().map(|said| Said {
            part: said.part.number(),
            number: said.number,
            node: said.node,
            age: said.age,
            data: &said.data,
        });
        let said: Vec<Said<'_>> = said.collect();
        let me = (node.fence().node, unix_ms());
        Ok(self.state.manners_heard(taken, &said, me)?)
    }

    /// Gives back what parts that go have left behind, once nothing of them is under way.
    pub(super) fn give_back_parts(&mut self) -> Result<(), CrawlError> {
        if self.node.is_none() {
            return Ok(());
        }
        let idle = {
            let frontier = &mut self.state.queue().lock().frontier;
            frontier.drop_released()?;
            frontier.idle_parts()
        };
        if idle.is_empty() {
            return Ok(());
        }
        match self.say_what_is_owed(&idle) {
            Ok(()) => {}
            // They are given back with a later group.
            Err(LedgerError::Away(_)) => return Ok(()),
            Err(error) => return Err(error.into()),
        }
        let frontier = &mut self.state.queue().lock().frontier;
        frontier.note_given_back(&idle);
        if let Some(node) = &self.node {
            let parts = idle.into_iter().filter_map(Part::new);
            node.shared().give_back(parts.collect());
        }
        Ok(())
    }

    /// Says what the hosts of these parts are owed by whoever has them next.
    fn say_what_is_owed(&mut self, parts: &[u16]) -> Result<(), LedgerError> {
        let Some(node) = &mut self.node else {
            return Ok(());
        };
        let me = (node.fence().node, unix_ms());
        let owed = self.state.manners_of(parts, me, MANNERS_MAX).into_iter();
        let owed = owed.filter_map(|(part, data)| Some((Part::new(part)?, data)));
        node.hand_over(owed.collect())
    }

    /// The same of all that this node has, since it leaves. What cannot be said now is lost: the others wait their
    /// delays.
    pub(super) fn hand_over_all(&mut self) {
        let parts = self.state.queue().lock().frontier.parts_and_going();
        if let Err(error) = self.say_what_is_owed(&parts) {
            tracing::info!("what this node's hosts are owed was not handed over: {error}");
        }
    }

    /// Whether the harvest says to stop, and why: on many machines, that of all nodes together.
    pub(super) fn harvest_stop(&self) -> Option<String> {
        let Some(node) = &self.node else {
            return self.state.harvest_stop();
        };
        let shared = node.shared();
        let (share, why) = self.state.harvest_together(&shared.harvests())?;
        shared.show_harvest(share, why.as_deref());
        why
    }
}

/// What hosts are owed, in pieces of which each is a record.
fn in_records(owed: Vec<ElsewhereManners>) -> Vec<Vec<ElsewhereManners>> {
    let mut records: Vec<Vec<ElsewhereManners>> = Vec::new();
    let mut hosts = usize::MAX;
    for part in owed {
        let count = part.hosts.as_array().map_or(0, Vec::len);
        if hosts.saturating_add(count) > OWED_IN_RECORD {
            records.push(Vec::new());
            hosts = 0;
        }
        hosts += count;
        if let Some(last) = records.last_mut() {
            last.push(part);
        }
    }
    records
}

/// A share of the crawl that has nothing yet.
pub(crate) fn new_share() -> Share {
    Share::new(|domain| Part::of_domain(domain).number(), host_number)
}

/// The budgets of the seeds that brought these URLs in.
fn budgets_of(frontier: &Frontier, urls: &[FrontierUrl]) -> Vec<SeedBudget> {
    let seeds: BTreeSet<u32> = urls.iter().map(|url| url.seed).collect();
    let budget = |seed: u32| {
        let urls_max = frontier.seed_budget(seed)?;
        Some(SeedBudget { seed, urls_max })
    };
    seeds.into_iter().filter_map(budget).collect()
}

/// Those of the URLs that were finished before.
fn put_back_of(urls: &[(FrontierUrl, bool)]) -> Vec<String> {
    let put_back = urls.iter().filter(|(_, put_back)| *put_back);
    put_back.map(|(url, _)| url.url.as_str().into()).collect()
}
