//! What the record of a visit says of its page: it moved, it changed, its validators held or lied.

use again::validators::Shown;
use again::{Evidence, Rates};
use archive::{DueRecord, PageRecord, Record, VisitRecord};
use outcome::{Change, JunkReason, LinkFate, Outcome, Verdict};
use state::site_move::moved_with_its_name;

use super::{History, Pointer};
use crate::again::known::{Known, Was, due_of, hash_of, new_links, print_of};

/// Hosts to which pages of one host have moved, at most: those that were seen first.
pub(super) const SITES_MAX: usize = 8;

impl History {
    /// The page whose place another one takes is its duplicate from here on.
    pub(super) fn give_place(&mut self, seq: u64, page: &PageRecord) {
        let Some(old) = page.replaces else { return };
        let Some(known) = self.kept_by(old) else {
            return;
        };
        (known.was, known.repeats) = (Was::Copy, seq);
        let url = known.url;
        self.dues.amend(url, |due| {
            due.was = Outcome::Judged(Verdict::Junk(JunkReason::NearDuplicate));
        });
        self.goes_on(old, seq);
    }

    pub(super) fn visit(&mut self, record: &Record, visit: &VisitRecord) {
        let url = hash_of(&visit.url);
        self.waiting.remove(&url);
        self.copies_wait |= visit.leaves_work();
        self.see_validators(record, visit);
        if let Some(page) = visit.version() {
            self.give_place(record.seq, page);
        }
        self.see_change(record, visit);
        self.see_move(visit);
        self.see_absence(record, visit);
        let Some(at) = self.urls.get(&url).map(|at| *at as usize) else {
            return;
        };
        let known = &mut self.known[at];
        (known.asked_ms, known.is_gone) = (record.at_ms, visit.absence.gone);
        if !visit.ends_version() {
            return;
        }
        if visit.was.is_indexed() {
            match visit.change {
                Change::Changed | Change::Gone | Change::Moved => self.is_lost(visit.of),
                Change::New
                | Change::Unchanged
                | Change::Touched
                | Change::Back
                | Change::Unclear => self.goes_on(visit.of, record.seq),
                // A newer version of this program tells what: its copies are judged anew.
                Change::Unknown(_) => self.is_lost(visit.of),
            }
        }
        self.versions.remove(&visit.of);
        if let Some(outcome) = visit.outcome() {
            self.known[at].was = Was::of(&outcome);
            self.dues.amend(url, |due| due.was = outcome);
        }
        let Some(page) = visit.version() else { return };
        for link in page.links.iter().filter(|link| link.fate == LinkFate::Seen) {
            self.note_link(record.seq, hash_of(&link.url));
        }
        let Some(known) = self.known.get_mut(at) else {
            return;
        };
        let host = known.place.host;
        let Some(now) = Known::of(record, page, host) else {
            return;
        };
        known.become_version(now, visit);
        self.versions.insert(record.seq, at as u32);
        self.hold(url, || {
            due_of(record, page).map(|due| DueRecord {
                etag: visit.etag.clone(),
                last_modified: visit.last_modified.clone(),
                parts: visit.parts.clone(),
                ..due
            })
        });
    }

    /// Notes where a page points for good.
    fn see_move(&mut self, visit: &VisitRecord) {
        let url = hash_of(&visit.url);
        let target = visit.page.as_ref().and_then(|page| page.links.first());
        match target.filter(|_| visit.is_moved_for_good()) {
            Some(target) => {
                if let Some(host) = moved_with_its_name(&visit.url, &target.url) {
                    let own = self.host_number(&visit.host);
                    let hosts = self.sites_at.entry(own).or_default();
                    if hosts.len() < SITES_MAX && !hosts.contains(&host) {
                        hosts.push(host);
                    }
                }
                let mut now = Pointer::new(&target.url, 1);
                if let Some(before) = self.moved.get(&url).filter(|before| before.to == now.to) {
                    now.visits = before.visits.saturating_add(1);
                }
                self.moved.insert(url, now);
            }
            None if visit.change == Change::Unclear => {}
            None => drop(self.moved.remove(&url)),
        }
    }

    /// What a visit says of how often the page changes, of what it leads to, and of what its site told.
    fn see_change(&mut self, record: &Record, visit: &VisitRecord) {
        let url = hash_of(&visit.url);
        let Some(known) = self.urls.get(&url).map(|at| &mut self.known[*at as usize]) else {
            return;
        };
        let has_changed = match &visit.change {
            Change::Unchanged | Change::Touched => false,
            Change::Changed | Change::Back => true,
            Change::New | Change::Moved | Change::Gone | Change::Unclear | Change::Unknown(_) => {
                return;
            }
        };
        let since = known.told.since(known.last_ms, record.at_ms);
        let signals = self.signals.entry(visit.host.clone()).or_default();
        let of_host = self.changes.entry(visit.host.clone()).or_default();
        let rates = known.evidence.rates(&like_those(of_host));
        if visit.conditional && known.validators != 0 {
            let host = self.hosts.entry(visit.host.clone()).or_default();
            let status = visit.fetch.as_ref().map_or(0, |fetch| fetch.status);
            match (has_changed, status) {
                (true, _) => host.change_shown(),
                (false, 304) => {
                    host.not_modified(1.0 - rates.fresh(since.days), since.told > Some(0));
                }
                (false, _) => {}
            }
        }
        match has_changed {
            true => of_host.changed(since.days),
            false => of_host.unchanged(since.days),
        }
        signals.see(&rates, since, has_changed);
        signals.note(&mut known.evidence, since, has_changed);
        let found = visit.page.as_ref().map_or(0, |page| new_links(page));
        known.leads.see(found, since.days);
        known.told.forget();
        known.last_ms = record.at_ms;
        let print = print_of(&visit.etag, &visit.last_modified);
        let has_same = std::mem::replace(&mut known.validators, print) == print;
        self.bodies.remove(&url);
        // Nothing is to be noted of a 304 with the same validators, where no part of the page is watched.
        if has_same
            && visit.parts.is_empty()
            && visit
                .fetch
                .as_ref()
                .is_some_and(|fetch| fetch.status == 304)
        {
            return;
        }
        self.dues.amend(url, |due| {
            if !has_changed && brought_another_body(visit, due) {
                due.body_is_older = true;
            }
            (due.etag, due.last_modified) = (visit.etag.clone(), visit.last_modified.clone());
            if visit.touched.is_some() {
                due.touched.clone_from(&visit.touched);
            }
            due.parts.clone_from(&visit.parts);
        });
    }

    fn see_validators(&mut self, record: &Record, visit: &VisitRecord) {
        let Some(known) = self.known_mut(&visit.url) else {
            return;
        };
        let before = known.validators;
        let is_known = before != 0;
        let status = visit.fetch.as_ref().map_or(0, |fetch| fetch.status);
        let same_validator = before == print_of(&visit.etag, &visit.last_modified);
        let same_text = visit.change == Change::Unchanged;
        // A link of a list may be new though the list is as it was: the scope was widened, a budget raised. So
        // it makes no liar of the host, and it does not show either that the 304s before were true.
        let leads_on = visit.page.as_ref().is_some_and(|page| new_links(page) > 0);
        if let Some(list) = self.lists.get_mut(&hash_of(&visit.url)) {
            match status {
                304 => list.not_modified(),
                200 if visit.change != Change::Unclear => {
                    let says = is_known && same_validator && !(same_text && leads_on);
                    list.see_body(says.then_some(same_text), record.at_ms);
                }
                _ => {}
            }
        }
        let shown = match status {
            304 => Shown::NotModified,
            200 if is_known && visit.change != Change::Unclear => Shown::Page {
                same_validator,
                same_text,
            },
            _ => return,
        };
        let host = self.hosts.entry(visit.host.clone()).or_default();
        host.see(shown);
    }
}

/// What is expected of a page of a host as long as little is known of it: half of what its pages did
/// lately, half of what pages do anywhere.
fn like_those(of_host: &Evidence) -> Rates {
    let web = Rates::of_the_web();
    let lately = of_host.rates(&web);
    let shares = web.shares().zip(lately.shares());
    let shares: Vec<f64> = shares.map(|(one, other)| one + other).collect();
    Rates::normal(shares.into_iter())
}

/// Whether a visit's answer had another body than the one before, as far as its validators tell.
fn brought_another_body(visit: &VisitRecord, due: &DueRecord) -> bool {
    let is_whole = visit
        .fetch
        .as_ref()
        .is_some_and(|fetch| fetch.status == 200);
    is_whole && (visit.conditional || due.etag.is_some() && visit.etag != due.etag)
}
