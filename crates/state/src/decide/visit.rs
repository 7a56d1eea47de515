//! A URL is visited again: what does the visit say of the one before?
//!
//! A page is compared with its own text at the visit before, as it was archived; both without the host's
//! template. The page as it is now goes through the same verdict as any page, where its own earlier
//! version is nobody's duplicate. It is recorded, and takes the place of the one before, where its text
//! has changed, where it is to be judged anew, or where it leads to URLs that are new. Else the record
//! says that the URL was visited and what was seen, and nothing else changes.
//!
//! A page that points for good to another one, where it pointed at the visit before, gives its place up.
//! When an answer makes it gone, is in `presence`.

mod compare;
mod presence;

use again::absence::Sign;
use archive::{DueRecord, PageRecord, VisitRecord};
use fetcher::Fetched;
use frontier::{CanonicalUrl, FrontierUrl, Lease, ScopeRefusal};
use outcome::{Change, FailureKind, JunkReason, LinkFate, Outcome, Verdict};
use sieve::Rules;
use xxhash_rust::xxh3::xxh3_64;

use crate::decided::ReadText;
use crate::finding::{Answer, Before, PageReading, Reading};
use crate::state::{State, StoreError};
use crate::{recorded, site_move};
use compare::{compare, is_doubtful, is_new_version, leave_as_it_was, numbers_after};

impl State {
    /// The record of a visit to a URL that was finished before; `before` is the page as it was then.
    pub(super) fn decide_visit(
        &mut self,
        lease: &Lease,
        due: &DueRecord,
        head: PageRecord,
        (reading, before): (Reading, Option<Before>),
        answer: Option<&Answer>,
        now_ms: u64,
    ) -> Result<(VisitRecord, Option<ReadText>), StoreError> {
        let mut visit = head_of(due, &head, answer);
        if due.was.is_indexed() && self.kept.get(due.of).is_none() {
            // Another page has taken its place since the round was planned.
            visit.was = Outcome::Judged(Verdict::Junk(JunkReason::NearDuplicate));
        }
        let rules = &self.policy.rules;
        let is_walled = matches!(&reading, Reading::Page(reading) if is_wall(reading, rules));
        // What the answer says of the page's absence, where it is not what its change says.
        let mut sign = is_walled.then_some(Sign::Nothing);
        let mut read = None;
        match reading {
            Reading::NotModified => {
                visit.change = Change::Unchanged;
                visit.parts = numbers_after(&due.parts, again::Part::stay);
            }
            Reading::Page(reading) if is_walled => {
                visit.detail = reading.page.wall.as_ref().map(ToString::to_string);
                visit.wall = reading.page.wall.as_ref().map(|wall| wall.kind.clone());
                visit.reason = Some(JunkReason::Blocked.name().to_owned());
            }
            // What is missing of it may be all that has changed, or all that has not.
            Reading::Page(reading) if reading.cut.is_some() && head.status() < 300 => {
                visit.detail = reading.cut.map(str::to_owned);
                visit.reason = Some(FailureKind::Truncated.name().into_owned());
            }
            Reading::Page(reading) if is_page(&head, &reading) => {
                let (page, text) = self.decide_page(lease, head, *reading, now_ms)?;
                compare(&mut visit, due, &page, before.as_ref(), &text.text);
                let leads_on = page.links.iter().any(|link| link.fate == LinkFate::New);
                let is_new = is_new_version(&mut visit, due, &page);
                if is_new && is_doubtful(&visit, &page.outcome) && !self.is_settled(due) {
                    sign = Some(Sign::Missing);
                    leave_as_it_was(&mut visit, due, page);
                } else if is_new || leads_on {
                    visit.parts = numbers_after(&visit.parts, again::Part::settle);
                    visit.page = Some(Box::new(page));
                    read = Some(text);
                }
            }
            Reading::Page(reading) if reading.soft_404 && head.status() < 300 => {
                note_soft_404(&mut visit, &mut sign);
            }
            Reading::Redirect(Ok(target)) => {
                let fetched = answer.and_then(|answer| answer.fetched.as_ref().ok());
                self.note_redirect(&mut visit, (lease, due), head, &target, fetched)?;
            }
            other => {
                let type_ = visit.fetch.as_ref();
                let type_ = type_.map_or_else(String::new, |fetch| fetch.content_type.clone());
                let page = self.decide_other(head, other, &type_);
                visit.reason = page.outcome.reason().map(|reason| reason.into_owned());
                visit.detail = page.detail.or_else(|| visit.reason.clone());
            }
        }
        self.note_presence(&mut visit, due, sign, now_ms);
        Ok((visit, read))
    }

    /// Writes down where a page points that was read before.
    fn note_redirect(
        &self,
        visit: &mut VisitRecord,
        (lease, due): (&Lease, &DueRecord),
        head: PageRecord,
        target: &CanonicalUrl,
        answer: Option<&Fetched>,
    ) -> Result<(), StoreError> {
        let opens = self.has_site_moved(lease, due, head.status(), target);
        let head = match opens {
            // It leads on as a seed does.
            true => PageRecord { depth: 0, ..head },
            false => head,
        };
        let page = self.decide_redirect(lease, head, target, answer, opens)?;
        let is_move = page.outcome == Outcome::Redirected && page.returns.is_none();
        let fate = page.links.first().map(|link| &link.fate);
        visit.opens = opens && is_move && fate.is_some_and(LinkFate::is_known);
        visit.detail = Some(match fate {
            _ if visit.opens => format!("it redirects to {target}, where its site has moved"),
            Some(fate) if !fate.is_known() => {
                let fate = fate.name().replace('_', " ");
                format!("it redirects to {target}, which was left out: {fate}")
            }
            Some(_) | None => format!("it redirects to {target}"),
        });
        if is_move {
            visit.change = Change::Moved;
            visit.page = Some(Box::new(page));
            let is_where_it_was = due.moved_to == xxh3_64(target.as_str().as_bytes());
            // Whether it is for good is seen by whoever plans, also of a redirect that says that it is none.
            visit.gives_way = is_where_it_was && visit.was != Outcome::Redirected;
        }
        Ok(())
    }

    /// Whether a redirect of a page that was read before says that its site is elsewhere now, on a host that
    /// does not belong to the crawl yet.
    fn has_site_moved(
        &self,
        lease: &Lease,
        due: &DueRecord,
        status: u16,
        target: &CanonicalUrl,
    ) -> bool {
        let FrontierUrl {
            url, depth, seed, ..
        } = lease.url();
        matches!(status, 301 | 308)
            && site_move::is_move(url, target, due)
            && self.reach.speaks_for_its_site(url, *depth, *seed)
            && self.reach.check(target, 0, *seed) == Err(ScopeRefusal::Host)
    }
}

/// Writes down that the answer reads like an error page.
fn note_soft_404(visit: &mut VisitRecord, sign: &mut Option<Sign>) {
    if visit.was == Outcome::Judged(Verdict::Junk(JunkReason::SoftNotFound)) {
        // There was no page, and is none: it is as it was, and can be neither gone nor back.
        visit.change = Change::Unchanged;
        *sign = Some(Sign::Nothing);
        return;
    }
    let was_page = visit.was.is_indexed() || visit.was.is_duplicate();
    *sign = was_page.then_some(Sign::Missing);
    visit.reason = Some(JunkReason::SoftNotFound.name().to_owned());
    visit.detail = Some("a page that reads like an error page".to_owned());
}

/// What the record of a visit has whatever was found.
pub(super) fn head_of(due: &DueRecord, head: &PageRecord, answer: Option<&Answer>) -> VisitRecord {
    let fetched = answer.and_then(|answer| answer.fetched.as_ref().ok());
    let (etag, last_modified) = answer.map(recorded::validators).unwrap_or_default();
    // An answer of 304 need not repeat them.
    let is_same = fetched.is_some_and(|fetched| fetched.status == 304);
    let kept = |sent: &Option<String>| sent.clone().filter(|_| is_same);
    VisitRecord {
        url: head.url.clone(),
        host: head.host.clone(),
        round: due.round,
        of: due.of,
        was: due.was.clone(),
        change: Change::Unclear,
        fetch: head.fetch.clone(),
        conditional: !due.unconditional && (due.etag.is_some() || due.last_modified.is_some()),
        etag: etag.or_else(|| kept(&due.etag)),
        last_modified: last_modified.or_else(|| kept(&due.last_modified)),
        ..VisitRecord::default()
    }
}

/// Whether there is a page that can be compared: an answer of success that does not read like an error
/// page.
fn is_page(head: &PageRecord, reading: &PageReading) -> bool {
    (200..300).contains(&head.status()) && !reading.soft_404
}

/// Whether a wall stands in the page's place.
fn is_wall(reading: &PageReading, rules: &Rules) -> bool {
    reading.page.wall.is_some() && !rules.keep_walls
}

/// Whether a page is dropped because it asks for that.
fn is_left_out(outcome: &Outcome) -> bool {
    matches!(outcome, Outcome::Judged(Verdict::Junk(JunkReason::NoIndex)))
}

#[cfg(test)]
mod tests;
