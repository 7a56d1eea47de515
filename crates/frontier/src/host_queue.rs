//! One host: its queue, its politeness, its budget.
//!
//! Slots are served by priority, then depth, then admission order, so a crawl without a topic is
//! breadth-first on each host. URLs to be tried again wait apart until their time, and URLs of an origin
//! that cannot be had stand aside until it is asked again, so that the host's other ones go on; where
//! no other ones are, the whole host waits. When its time has come they come back one by one, as their
//! turn comes, so that a try that fails again moves one of them and not all. When memory has
//! no room for more slots the worse half of a queue is spilled to the store. Some of it comes back,
//! the best slot among it, before a slot would be served that a spilled one may be better than.
//! Pure: the store is the caller's, time is an argument.

mod aside;
mod packed;

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::time::Instant;

use crate::host::HostKey;
use crate::origin::{Origin, UrlsByOrigin};
use crate::politeness::{LookUp, Politeness, WaitReason};
use crate::store::QueueSlot;
use aside::ASIDE_MAX;
use packed::Packed;

/// With so many deferred URLs in memory, a host's other ones stay spilled until some of those are
/// decided.
const DEFERRED_MAX: usize = 50_000;

/// Of a host that is out, one of so many URLs asks whether it is back, then one of the next: some microseconds.
const PROBED_AMONG: usize = 10_000;

/// One host.
#[derive(Debug)]
pub(crate) struct HostQueue {
    pub(crate) host: HostKey,
    pub(crate) politeness: Politeness,
    /// URLs admitted so far, and at most.
    pub(crate) admitted: u64,
    pub(crate) admitted_max: u64,
    /// Requests to be made beside those for its URLs, by the caller's numbers and the origin they go to;
    /// they go first, unless that is held.
    pub(crate) errands: VecDeque<(u64, Origin)>,
    /// Its best URL waits for others to be finished, and nothing is asked for before it.
    pub(crate) waits_for_others: bool,
    /// The URL of this key goes before all others, once it may be asked for; its slot, as far as it has one.
    pub(crate) goes_first: Option<(u128, Option<QueueSlot>)>,
    /// When the host was served last, as a number that only grows.
    pub(crate) turn: u64,
    /// What may be asked for now.
    ready: BTreeSet<Packed>,
    /// What is to be tried again, by its time.
    retries: BTreeSet<(Instant, QueueSlot)>,
    /// How many slots are spilled, none of them better than `spilled_from`.
    spilled: u64,
    spilled_from: Option<QueueSlot>,
    /// Slots of URLs whose origin cannot be had.
    aside: BTreeMap<Origin, BTreeSet<Packed>>,
    aside_count: usize,
    /// How far URLs have asked whether the host is back.
    probed_to: Option<Packed>,
    /// The origins of all other slots.
    pub(crate) origins: UrlsByOrigin,
}

impl HostQueue {
    pub(crate) fn new(host: HostKey, politeness: Politeness, admitted_max: u64) -> Self {
        Self {
            host,
            politeness,
            admitted: 0,
            admitted_max,
            errands: VecDeque::new(),
            waits_for_others: false,
            goes_first: None,
            turn: 0,
            ready: BTreeSet::new(),
            retries: BTreeSet::new(),
            spilled: 0,
            spilled_from: None,
            aside: BTreeMap::new(),
            aside_count: 0,
            probed_to: None,
            origins: UrlsByOrigin::default(),
        }
    }

    /// Takes a slot in.
    pub(crate) fn push(&mut self, slot: QueueSlot, not_before: Option<Instant>) {
        if let Some((key, first)) = &mut self.goes_first
            && *key == slot.key
        {
            *first = Some(slot);
        }
        match not_before {
            Some(at) => {
                self.retries.insert((at, slot));
            }
            None => {
                self.ready.insert(slot.into());
            }
        }
    }

    /// Takes in what was saved of a queue: slots in order, retries, and what is spilled.
    pub(crate) fn take_saved(
        &mut self,
        ready: Vec<QueueSlot>,
        retries: impl Iterator<Item = (Instant, QueueSlot)>,
        spilled: (u64, Option<QueueSlot>),
    ) {
        self.ready = ready.iter().map(Packed::from).collect();
        self.retries = retries.collect();
        (self.spilled, self.spilled_from) = spilled;
        self.origins = UrlsByOrigin::unknown(self.len() as u64);
    }

    /// The slots in memory that may be asked for now, or when their origin is, in order.
    pub(crate) fn ready(&self) -> Vec<QueueSlot> {
        if self.aside.is_empty() {
            return self.ready.iter().map(Packed::slot).collect();
        }
        let aside = self.aside.values().flatten();
        let all: BTreeSet<&Packed> = self.ready.iter().chain(aside).collect();
        all.into_iter().map(Packed::slot).collect()
    }

    /// What is to be tried again, by its time.
    pub(crate) fn retries(&self) -> impl Iterator<Item = &(Instant, QueueSlot)> {
        self.retries.iter()
    }

    /// Whether the budget, lowered since, has been used up by the URLs that were asked for already. Sitemaps
    /// that wait are taken for pages here: until they are read, which is soon, as many pages more may go.
    pub(crate) fn is_over_budget(&self) -> bool {
        self.admitted.saturating_sub(self.len() as u64) >= self.admitted_max
    }

    pub(crate) fn peek(&self) -> Option<QueueSlot> {
        self.ready.first().map(Packed::slot)
    }

    /// The slot whose turn it is: the best one. Of a host that is out or refuses all it is one after another from all over
    /// those that were not tried yet, one of each [`PROBED_AMONG`] in turn: if its best URLs alone are
    /// broken, others are asked for as well.
    pub(crate) fn whose_turn(&mut self) -> Option<QueueSlot> {
        let first = self.goes_first.as_ref().and_then(|(_, slot)| slot.as_ref());
        if let Some(first) = first.filter(|slot| self.ready.contains(&Packed::from(*slot))) {
            return Some(*first);
        }
        let politeness = &self.politeness;
        let Some(errors) = politeness.outage_of_all().or_else(|| politeness.refusals()) else {
            return self.peek();
        };
        let from = self.probed_to.unwrap_or(Packed::FIRST);
        let slots = self.ready.range(from..Packed::DEFERRED);
        let slots: Vec<Packed> = slots.take(PROBED_AMONG).copied().collect();
        let goes_on = slots.len() == PROBED_AMONG;
        self.probed_to = slots.last().copied().filter(|_| goes_on);
        // Multiples of the golden ratio lie evenly between 0 and 1.
        let part = u64::from(errors.wrapping_mul(0x9E37_79B9));
        let at = (part * slots.len() as u64) >> 32;
        let probe = slots.get(at as usize);
        probe.map(Packed::slot).or_else(|| self.peek())
    }

    /// Takes out a slot that may be asked for now; false when there is none.
    pub(crate) fn take(&mut self, slot: &QueueSlot) -> bool {
        self.goes_first.take_if(|(key, _)| *key == slot.key);
        self.ready.remove(&slot.into())
    }

    #[cfg(test)]
    pub(crate) fn pop(&mut self) -> Option<QueueSlot> {
        self.ready.pop_first().map(|slot| slot.slot())
    }

    /// Whether a slot is in memory and may be asked for now, or when its origin is.
    pub(crate) fn is_ready(&self, slot: &QueueSlot) -> bool {
        let slot = slot.into();
        self.ready.contains(&slot) || self.aside.values().any(|aside| aside.contains(&slot))
    }

    /// Removes the slot of a URL of this origin; false when it is not in memory.
    pub(crate) fn remove(&mut self, slot: &QueueSlot, origin: Origin) -> bool {
        if self.remove_aside(slot, origin) {
            return true;
        }
        let is_removed = self.ready.remove(&slot.into()) || self.remove_retry(slot).is_some();
        if is_removed {
            self.origins.remove(origin);
        }
        is_removed
    }

    /// Puts a slot where another one of the same URL was; false when that is not in memory.
    pub(crate) fn replace(&mut self, before: &QueueSlot, after: QueueSlot) -> bool {
        for slots in self.aside.values_mut().chain([&mut self.ready]) {
            if slots.remove(&before.into()) {
                slots.insert(after.into());
                return true;
            }
        }
        match self.remove_retry(before) {
            Some(at) => self.retries.insert((at, after)),
            None => false,
        }
    }

    fn remove_retry(&mut self, slot: &QueueSlot) -> Option<Instant> {
        let mut retries = self.retries.iter();
        let found = retries.find(|(_, retry)| retry.key == slot.key).copied()?;
        self.retries.remove(&found);
        Some(found.0)
    }

    /// Takes the worse half out of memory, which the caller spills; empty for a queue of fewer slots
    /// than `spill_min`, which is not worth the way to the store. Deferred URLs stay.
    pub(crate) fn take_worse_half(&mut self, spill_min: usize) -> Vec<QueueSlot> {
        if self.ready.len() < spill_min {
            return Vec::new();
        }
        let middle = self.ready.iter().nth(self.ready.len() / 2).copied();
        let middle = middle.map(|slot| slot.slot());
        let Some(middle) = middle.filter(|slot| !slot.is_deferred()) else {
            return Vec::new();
        };
        let mut worse = self.ready.split_off(&middle.into());
        if worse.last().is_some_and(Packed::is_deferred) {
            let (deferred, spilled) = worse.into_iter().partition(Packed::is_deferred);
            self.ready.append(&mut { deferred });
            worse = spilled;
        }
        self.spilled += worse.len() as u64;
        self.spilled_from = self.spilled_from.into_iter().chain([middle]).min();
        worse.iter().map(Packed::slot).collect()
    }

    /// Spilled slots came back; none of the rest is better than `rest_from`.
    pub(crate) fn note_returned(&mut self, slots: &[QueueSlot], rest_from: Option<QueueSlot>) {
        self.ready.extend(slots.iter().map(Packed::from));
        self.spilled = self.spilled.saturating_sub(slots.len() as u64);
        self.spilled_from = rest_from;
    }

    /// One spilled slot was forgotten.
    pub(crate) fn note_forgotten(&mut self) {
        self.spilled = self.spilled.saturating_sub(1);
        if self.spilled == 0 {
            self.spilled_from = None;
        }
    }

    /// Whether a spilled slot may be better than the first one in memory. With too many deferred
    /// URLs, those are decided first.
    pub(crate) fn wants_back(&self) -> bool {
        let Some(first) = self.peek() else {
            return self.spilled > 0 && self.aside_count < ASIDE_MAX;
        };
        let may_be_better = self.spilled_from.is_none_or(|from| from < first);
        let waits_for_deferred = first.is_deferred() && self.ready.len() >= DEFERRED_MAX;
        self.spilled > 0 && may_be_better && !waits_for_deferred
    }

    /// The priority of the best slot, as far as it is known; of those aside, where there are no others.
    pub(crate) fn priority(&self) -> f32 {
        let best = self.peek().into_iter().chain(self.spilled_from).min();
        let aside = || self.aside.values().filter_map(BTreeSet::first).min();
        let best = best.or_else(|| aside().map(Packed::slot));
        best.map_or(0.0, |slot| slot.priority)
    }

    pub(crate) fn spilled_from(&self) -> Option<QueueSlot> {
        self.spilled_from
    }

    /// The number of spilled slots.
    pub(crate) fn spilled(&self) -> u64 {
        self.spilled
    }

    /// Whether the origins of all slots are counted.
    #[cfg(test)]
    pub(crate) fn counts_origins(&self) -> bool {
        let aside: usize = self.aside.values().map(BTreeSet::len).sum();
        let counted = self.origins.total() + aside as u64;
        aside == self.aside_count && counted == self.len() as u64
    }

    pub(crate) fn len(&self) -> usize {
        self.ready.len() + self.retries.len() + self.spilled as usize + self.aside_count
    }

    /// How many URLs of an origin wait, at most.
    pub(crate) fn waiting(&self, origin: Origin) -> u64 {
        let aside = self.aside.get(&origin).map_or(0, BTreeSet::len) as u64;
        self.origins.of(origin) + self.origins.of_unknown() + aside
    }

    /// How many URLs are known to wait of origins that are not in trouble.
    pub(crate) fn waiting_beside_trouble(&self) -> u64 {
        let troubled = |origin| self.politeness.in_trouble().any(|(of, _)| of == origin);
        let known = self.known_origins().filter(|origin| !troubled(*origin));
        known
            .map(|origin| self.waiting(origin) - self.origins.of_unknown())
            .sum()
    }

    fn known_origins(&self) -> impl Iterator<Item = Origin> + '_ {
        let aside = self.aside.iter().filter(|(_, slots)| !slots.is_empty());
        let aside = aside.map(|(origin, _)| *origin);
        let only_aside = aside.filter(|origin| self.origins.of(*origin) == 0);
        self.origins.known().chain(only_aside)
    }

    /// Whether all that waits is of origins that are given up.
    pub(crate) fn is_gone(&self) -> bool {
        self.politeness.any_gone()
            && self.origins.of_unknown() == 0
            && self
                .known_origins()
                .all(|origin| self.politeness.gone(origin).is_some())
    }

    /// When the first origin of which URLs wait may be asked, and why not before; none where nothing is
    /// known to hold one of them.
    fn held(&self) -> Option<(Instant, WaitReason)> {
        if self.origins.of_unknown() > 0 {
            return None;
        }
        let mut first: Option<(Instant, WaitReason)> = None;
        for origin in self.known_origins() {
            let held = self.politeness.held(origin)?;
            if first.is_none_or(|(at, _)| held.0 < at) {
                first = Some(held);
            }
        }
        first
    }

    /// Whether there is something to ask the host for, and it may be asked when its time comes.
    pub(crate) fn has_work(&self) -> bool {
        self.may_run_errands() || self.may_ask_for_urls()
    }

    /// When the next request may be made, or the next URL end without one; `None` for at once.
    pub(crate) fn next_at(&self) -> Option<Instant> {
        let errand = self.may_run_errands().then(|| self.next_errand_at());
        let url = self.may_ask_for_urls().then(|| self.next_url_at());
        // What may be done at once comes before what has a time.
        let first = errand.into_iter().chain(url).min();
        first.unwrap_or_else(|| self.next_url_at())
    }

    fn may_run_errands(&self) -> bool {
        let may_ask = !self.politeness.is_full() && self.politeness.look_up != LookUp::UnderWay;
        !self.errands.is_empty() && may_ask
    }

    fn may_ask_for_urls(&self) -> bool {
        let has_one = self.len() > 0 && (self.has_ready() || self.next_later().is_some());
        has_one && !self.politeness.is_busy() || self.len() > 0 && self.is_gone()
    }

    fn next_errand_at(&self) -> Option<Instant> {
        let errands = self.errands.iter();
        let first = errands.map(|(_, origin)| self.held_until(*origin)).min();
        self.politeness.next_at().max(first.flatten())
    }

    fn next_url_at(&self) -> Option<Instant> {
        if self.is_gone() {
            // Its URLs end without a request.
            return None;
        }
        let later = match self.has_ready() {
            true => None,
            false => self.next_later(),
        };
        let held = self.held().map(|(at, _)| at);
        self.politeness.next_at().max(later).max(held)
    }

    /// When the first URL is to be asked for that is to be tried again, or whose origin is, if it goes before
    /// all others then.
    fn next_later(&self) -> Option<Instant> {
        let retry = self.retries.first().map(|(at, _)| *at);
        let goes_first = |(_, slots): &(&Origin, &BTreeSet<Packed>)| self.is_best(slots.first());
        let aside = self.aside.iter().filter(goes_first);
        let aside = aside.filter_map(|(origin, _)| self.held_until(*origin));
        retry.into_iter().chain(aside).min()
    }

    fn is_best(&self, slot: Option<&Packed>) -> bool {
        slot.is_some_and(|slot| self.ready.first().is_none_or(|first| slot < first))
    }

    fn held_until(&self, origin: Origin) -> Option<Instant> {
        self.politeness.held(origin).map(|(at, _)| at)
    }

    /// Whether an errand may go now.
    pub(crate) fn has_errand(&self, now: Instant) -> bool {
        self.may_run_errands() && self.next_errand_at().is_none_or(|at| at <= now)
    }

    /// Takes the first errand that may go now: those to an origin that is held wait by themselves.
    pub(crate) fn take_errand(&mut self, now: Instant) -> Option<(u64, Origin)> {
        if !self.has_errand(now) {
            return None;
        }
        let is_free =
            |(_, origin): &(u64, Origin)| self.held_until(*origin).is_none_or(|at| at <= now);
        let first = self.errands.iter().position(is_free)?;
        self.errands.remove(first)
    }

    /// Why the host waits, for watchers.
    pub(crate) fn why(&self, now: Instant) -> &'static str {
        let has_ready = !self.ready.is_empty() || self.wants_back();
        let nothing_holds_it = if has_ready { "ready" } else { "retry" };
        let held = self.held().filter(|(at, _)| *at > now);
        let held = held.filter(|(at, _)| self.politeness.next_at().is_none_or(|next| *at > next));
        match (self.politeness.is_busy(), held) {
            (false, Some((_, why))) => why.name(),
            (true, _) | (false, None) => self.politeness.why(now).unwrap_or(nothing_holds_it),
        }
    }

    fn has_ready(&self) -> bool {
        let goes = |first: &Packed| !(self.waits_for_others && first.is_deferred());
        self.ready.first().is_some_and(goes) || self.wants_back()
    }

    /// Moves what may be tried again into the queue, and what stands aside for an origin that may be
    /// asked again.
    pub(crate) fn promote(&mut self, now: Instant) {
        if !self.aside.is_empty() {
            self.promote_aside(now);
        }
        let is_gone = !self.retries.is_empty() && self.is_gone();
        if !is_gone && self.politeness.is_unwell() && self.has_ready() {
            // What was not tried yet asks whether the host is back, and says whether it has pages that are not
            // broken.
            return;
        }
        while let Some(&(at, slot)) = self.retries.first() {
            if at > now && !is_gone {
                break;
            }
            self.retries.pop_first();
            self.ready.insert(slot.into());
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::packed::{DEPTH_MAX, ORDER_MAX};
    use super::*;
    use crate::lease::HeldBack;

    fn queue() -> HostQueue {
        let host = HostKey::from_record("a.example");
        HostQueue::new(host, Politeness::new(Duration::ZERO, 1), u64::MAX)
    }

    fn slot(priority: f32, depth: u32, order: u64) -> QueueSlot {
        QueueSlot {
            priority,
            depth,
            order,
            key: u128::from(order),
        }
    }

    #[test]
    fn priority_goes_before_depth_and_depth_before_age() {
        let mut queue = queue();
        for slot in [
            slot(0.5, 0, 3),
            slot(0.9, 7, 2),
            slot(0.5, 1, 0),
            slot(0.5, 0, 1),
        ] {
            queue.push(slot, None);
        }
        let orders: Vec<u64> = std::iter::from_fn(|| queue.pop().map(|slot| slot.order)).collect();
        assert_eq!(orders, [2, 1, 3, 0]);
    }

    #[test]
    fn what_spills_is_the_worse_half_and_comes_back_before_anything_worse_is_served() {
        let mut queue = queue();
        for order in 0..600 {
            queue.push(slot(0.5, 0, order), None);
        }
        assert!(queue.take_worse_half(601).is_empty());
        let spilled = queue.take_worse_half(256);
        assert_eq!(
            (spilled.len(), spilled[0].order, queue.len()),
            (300, 300, 600)
        );
        for (priority, order) in [(0.9, 701), (0.5, 700)] {
            queue.push(slot(priority, 0, order), None);
        }
        let first: Vec<u64> = std::iter::from_fn(|| {
            (!queue.wants_back()).then(|| queue.pop().expect("a slot").order)
        })
        .collect();
        assert!(first.iter().copied().eq([701].into_iter().chain(0..300)));
        // 700 is in memory, and worse than what is spilled.
        queue.note_returned(&spilled[..200], Some(spilled[199]));
        assert_eq!(
            (queue.peek().map(|slot| slot.order), queue.len()),
            (Some(300), 301)
        );
        while !queue.wants_back() {
            queue.pop();
        }
        assert_eq!(queue.peek().map(|slot| slot.order), Some(700));
        queue.note_returned(&spilled[200..], None);
        assert_eq!((queue.len(), queue.spilled()), (101, 0));
        assert_eq!(queue.peek().map(|slot| slot.order), Some(500));
    }

    #[test]
    fn packed_slots_are_the_same_slots_in_the_same_order() {
        let priorities = [1.0, 0.5, 0.25, 0.0, -0.5, -1.0, -1.5, f32::MIN_POSITIVE];
        let mut slots = Vec::new();
        for (n, priority) in (0..).zip(priorities) {
            for depth in [0, 3, DEPTH_MAX] {
                let order = [99 - n, ORDER_MAX - n][n as usize % 2];
                let key = u128::MAX / (u128::from(n) + 1);
                slots.push(QueueSlot {
                    priority,
                    depth,
                    order,
                    key,
                });
            }
        }
        let mut packed: Vec<Packed> = slots.iter().map(Packed::from).collect();
        packed.sort();
        slots.sort();
        let unpacked: Vec<QueueSlot> = packed.iter().map(Packed::slot).collect();
        assert_eq!(unpacked, slots);
        let deferred = |slot: &QueueSlot| Packed::from(slot).is_deferred();
        assert!(
            slots
                .iter()
                .all(|slot| deferred(slot) == slot.is_deferred())
        );
    }

    #[test]
    fn deferred_slots_are_never_spilled() {
        let mut queue = queue();
        for order in 0..10 {
            queue.push(slot(0.5, 0, order), None);
        }
        for order in 0..10 {
            assert!(queue.replace(
                &slot(0.5, 0, order),
                slot(0.5, 0, order).held_back(HeldBack::ToTheLast)
            ));
            queue.push(slot(0.5, 0, 100 + order), None);
            let spilled = queue.take_worse_half(2);
            assert!(spilled.iter().all(|slot| !slot.is_deferred()));
            queue.note_returned(&spilled, None);
        }
        assert_eq!(queue.len(), 20);
    }

    #[test]
    fn a_host_with_too_many_urls_of_a_held_origin_waits_as_a_whole() {
        let mut queue = queue();
        let (held, other) = (Origin::of("https://a.example/"), Origin::default());
        let hour = Instant::now() + Duration::from_secs(3_600);
        queue.politeness.wait_for_robots(held, hour, Duration::ZERO);
        for order in 0..=ASIDE_MAX as u64 {
            queue.push(slot(0.5, 0, order), None);
            queue.origins.add(held, 1);
        }
        // While nothing else waits it waits by itself, and nothing is set aside.
        assert_eq!(queue.next_at(), Some(hour));
        queue.push(slot(0.1, 0, 0), None);
        queue.origins.add(other, 1);
        let first = |queue: &HostQueue| queue.peek().expect("a slot");
        for _ in 0..ASIDE_MAX {
            assert_eq!(queue.next_at(), None);
            queue.set_aside(&first(&queue), held);
        }
        queue.set_aside(&first(&queue), held);
        assert_eq!((queue.next_at(), queue.len()), (Some(hour), ASIDE_MAX + 2));
        assert!(queue.counts_origins());
        // They come back in order, as their turn comes.
        for order in 0..ASIDE_MAX {
            queue.promote(hour);
            assert_eq!(
                (queue.ready.len(), queue.aside_count),
                (3, ASIDE_MAX - 1 - order)
            );
            assert_eq!(queue.pop().map(|slot| slot.order), Some(order as u64));
            queue.origins.remove(held);
        }
        assert_eq!(queue.len(), 2);
        assert!(queue.counts_origins());
    }

    #[test]
    fn of_a_host_that_is_out_urls_ask_from_all_over_a_long_queue() {
        // Those behind the first 10,000 were never asked for: if that many are broken, nobody saw that others are not.
        let mut queue = queue();
        for order in 0..40_000 {
            queue.push(slot(0.5, 1, order), None);
        }
        queue.push(slot(0.5, 1, 50_000).held_back(HeldBack::ToTheLast), None);
        let mut addresses = crate::politeness::Addresses::default();
        let advice = crate::politeness::HostAdvice {
            status: 500,
            ..Default::default()
        };
        let mut probed = Vec::new();
        for at in 0..40 {
            let now = Instant::now();
            queue.politeness.sent(advice.origin, now, &mut addresses);
            let ended = (now, at);
            queue
                .politeness
                .received(ended, &advice, Duration::ZERO, &mut addresses);
            probed.extend(queue.whose_turn().map(|slot| slot.order));
        }
        let of_part = |part: u64| probed.iter().filter(move |at| *at / 10_000 == part).count();
        assert!((0..4).all(|part| of_part(part) > 1), "{probed:?}");
        assert_eq!(of_part(5), 0);
    }

    #[test]
    fn a_slot_keeps_its_time_when_its_priority_changes() {
        let mut queue = queue();
        let now = Instant::now();
        let later = now + Duration::from_secs(5);
        queue.push(slot(0.5, 0, 1), Some(later));
        assert!(queue.replace(&slot(0.5, 0, 1), slot(0.9, 0, 1)));
        assert!(!queue.replace(&slot(0.5, 0, 2), slot(0.9, 0, 2)));
        assert_eq!((queue.peek(), queue.next_at()), (None, Some(later)));
        queue.promote(later);
        assert_eq!(queue.peek(), Some(slot(0.9, 0, 1)));
        assert!(queue.remove(&slot(0.9, 0, 1), Origin::default()) && queue.len() == 0);
    }
}
