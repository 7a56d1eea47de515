//! Deeds: what is done to a page that another URL shows. Reply to it, report it, print it, put it into a basket.
//!
//! A site has a dozen forms of such URLs for each of its pages, and they name the page as the page's own URL does:
//! `/viewtopic.php?t=12` and `/posting.php?mode=reply&t=12`, `/threads/garden.12/` and `/threads/garden.12/reply`. Where
//! the answers to a form were nothing of worth, those to come are no better; but so it looks for a list of which one
//! page in a hundred is left. So only what names a page that is known counts here, and only such URLs are refused:
//!
//! - a *thing* is what a URL names beside its form ([`frontier::UrlForm`]): `t=12`, `/threads/garden.12`;
//! - a thing is *shown* by the forms of pages that are kept, or repeat a kept one. What many kept pages name is no page
//!   but a place, such as a board, a language or a day;
//! - a *deed* is a URL with a thing that another form has shown. Where the thing is in the query, a page that shows it
//!   leads there, or some page has both beside each other (`links`).
//!
//! A deleted topic, an empty day, a number that was never given have no page that shows them, so none of them is
//! evidence, nor refused.
//!
//! ```text
//! answers to the deeds of one form, to twelve things at least             read    further ones
//! all of them walls before that page, redirects to one place, or
//! what asks neither to be indexed nor that its links be followed            12    refused but for sparse probes
//! copies, thin pages, lists, errors, other redirects to what is known       60    as for parameters that change nothing
//! ```
//!
//! A wall says that something is not for us; a thin page or a way back to the thing, that there is nothing: of the
//! reviews of goods one in fifty may be there. Of sixty answers without a page of worth less than one in twenty is
//! one, with a confidence of 95 %, and without a topic nothing is refused for that.
//!
//! An answer that brings in a URL elsewhere says nothing, unless that leads back (`/login?next=…`) or is a deed to the
//! same thing whose form gave nothing so far. A wall before the whole host is no answer. A redirect to a page of its own is
//! not sure: the other name of a page that is kept, or of one that no other redirect led to.
//!
//! One page of worth of the form, be it a deed or not, or one that an answer led to, by links or by redirects: it is refused
//! no more, and what was refused is put back. After a second one that is so for ever. Of one alone those that repeat it tell,
//! or redirect to it: a login page that is not known for one is kept once, before all replies.
//!
//! All of it follows from records alone, in their order. What was not met for longest is forgotten.

use archive::PageRecord;
use frontier::{CanonicalUrl, UrlForm, inner_values};
use outcome::{JunkKind, Outcome, Verdict};
use recent::RecentMap;
use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::xxh3_64;

use crate::idle_values::Idle;
use crate::recorded::original_of;

/// Things to which deeds of a form led nowhere, where the answers say so for sure: of 12 without a page of worth
/// less than 22 % are one, with a confidence of 95 %, but a wall says nothing of what is behind it, and the page
/// itself is known. The same as for values that lead back.
const THINGS_MIN: usize = 12;
/// Answers of any kind, to as many things: less than one in twenty is one.
const OTHERS_MIN: u32 = 60;
/// Kept pages that name one thing. What more of them name is a place.
const PAGES_OF_THING_MAX: u8 = 8;
/// Things that are remembered, some 50 bytes each.
const THINGS_MAX: usize = 400_000;
/// Forms that are remembered, with one or two URLs of some 100 bytes and up to 24 things.
const FORMS_MAX: usize = 50_000;
/// New URLs of an answer that are looked at.
const NEW_SEEN_MAX: usize = 200;

/// What deeds gave, by their form.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Deeds {
    things: RecentMap<u64, Thing>,
    forms: RecentMap<u64, Form>,
}

/// What pages name.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
struct Thing {
    /// Kept ones.
    pages: u8,
    /// The first two forms of those that are kept, or copies of kept ones; 0 for none.
    forms: [u64; 2],
    /// The forms of URLs that name it in their query and were linked on one of its pages, or beside a link to one: a
    /// Bloom filter.
    linked: u64,
}

/// What the deeds of one form gave.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
struct Form {
    /// The URL that was read first.
    url: Box<str>,
    /// The first things whose answers were nothing for sure, and whose answers were nothing.
    sure: Vec<u64>,
    all: Vec<u64>,
    /// Answers that were nothing, and those among them that did not say so for sure.
    nothing: u32,
    doubtful: u32,
    /// The only page of worth of the form, or that an answer led to; empty for none.
    kept: Box<str>,
    /// There were two.
    is_good: bool,
    /// Where the first redirect led, hashed; 0 for none.
    target: u64,
    /// Those that were read since it was found out.
    probes: u32,
}

/// What an answer says.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Answer {
    Good,
    /// It shows a page, though it repeats one.
    Copy,
    Nothing,
    NothingForSure,
}

/// A URL, by what it says.
struct Named {
    form: u64,
    text: String,
    things: Vec<u64>,
    /// How many of them are of the path.
    in_path: usize,
}

impl Named {
    fn of(url: &CanonicalUrl) -> Self {
        let UrlForm {
            text,
            things,
            in_path,
        } = UrlForm::of(url);
        Self {
            // None is 0.
            form: xxh3_64(text.as_bytes()).max(1),
            text,
            things,
            in_path,
        }
    }
}

/// Gives a URL without what changes nothing.
pub(crate) trait Plain: Fn(&CanonicalUrl) -> Option<CanonicalUrl> {}

impl<F: Fn(&CanonicalUrl) -> Option<CanonicalUrl>> Plain for F {}

impl Default for Deeds {
    fn default() -> Self {
        Self {
            things: RecentMap::with_max(THINGS_MAX),
            forms: RecentMap::with_max(FORMS_MAX),
        }
    }
}

impl Deeds {
    /// Takes in a finished URL. Gives the rule that held before and does not hold any longer.
    pub(crate) fn observe(
        &mut self,
        url: &CanonicalUrl,
        record: &PageRecord,
        plain: &impl Plain,
    ) -> Option<String> {
        let url = plain(url)?;
        let named = Named::of(&url);
        let answer = answer_of(record);
        let shows = matches!(answer, Some(Answer::Good | Answer::Copy));
        self.note_links(&url, shows, record, plain);
        let lifted = match answer? {
            Answer::Good => self.find_good(&named, record),
            answer => self.note_nothing(&named, answer, record, plain),
        };
        if shows {
            self.note_shown(&named, record.outcome.is_indexed());
        }
        lifted
    }

    /// Takes in a page at which redirects ended that began at a URL: it is what that one gave. Gives the rule likewise.
    pub(crate) fn observe_end(
        &mut self,
        began: &CanonicalUrl,
        record: &PageRecord,
        plain: &impl Plain,
    ) -> Option<String> {
        // The way back says nothing of what is shown.
        let end = CanonicalUrl::parse(&record.url).ok()?;
        if leads_back(&end) {
            return None;
        }
        match answer_of(record)? {
            Answer::Good => self.redeem(began, record, plain),
            Answer::Copy => {
                let named = Named::of(&plain(began)?);
                // Of that form one page alone was of worth, which this one may repeat.
                let is_known = |form: &Form| !form.kept.is_empty();
                self.forms.get(&named.form).filter(|form| is_known(form))?;
                self.note_nothing(&named, Answer::Copy, record, plain)
            }
            Answer::Nothing | Answer::NothingForSure => None,
        }
    }

    /// Takes in a page of worth that another URL led to, and gives the rule of that one likewise. The first of a form brings in
    /// what all of them link to, and says nothing by that.
    pub(crate) fn redeem(
        &mut self,
        led: &CanonicalUrl,
        record: &PageRecord,
        plain: &impl Plain,
    ) -> Option<String> {
        let named = Named::of(&plain(led)?);
        let form = self.forms.get(&named.form)?;
        match *form.url == *led.as_str() {
            true => None,
            false => self.find_good(&named, record),
        }
    }

    /// Whether a URL, by its normalized form, is a deed of a form that leads nowhere.
    pub(crate) fn find(&self, url: &CanonicalUrl) -> Option<Idle> {
        if self.forms.is_empty() {
            return None;
        }
        let named = Named::of(url);
        let form = self.forms.get(&named.form)?;
        (form.is_idle() && self.shown_elsewhere(&named).is_some()).then(|| Idle {
            original: form.example().to_owned(),
            rule: rule_of(&named.text),
            is_sure: form.is_sure(),
            probes: u64::from(form.probes),
        })
    }

    /// Takes in a page of worth. A second one, and the form is good for ever; of one alone it shows whether others repeat it.
    fn find_good(&mut self, named: &Named, record: &PageRecord) -> Option<String> {
        // Nothing is ever said of a form that names no things.
        if named.things.is_empty() {
            return None;
        }
        let form = self.forms.entry(named.form, |_, _| {});
        let was_idle = form.is_idle();
        let is_same = *form.kept == *record.url;
        let replaces = record.replaces.and(record.nearest.as_ref());
        let takes_its_place = replaces.is_some_and(|near| *near.url == *form.kept);
        if form.is_good || is_same {
            return None;
        }
        if takes_its_place {
            form.kept = record.url.as_str().into();
            return None;
        }
        *form = match form.kept.is_empty() {
            true => Form {
                url: std::mem::take(&mut form.url),
                kept: record.url.as_str().into(),
                ..Form::default()
            },
            false => Form {
                is_good: true,
                ..Form::default()
            },
        };
        was_idle.then(|| rule_of(&named.text))
    }

    /// Takes in an answer that was nothing. Gives the rule if it is not sure any longer.
    fn note_nothing(
        &mut self,
        named: &Named,
        answer: Answer,
        record: &PageRecord,
        plain: &impl Plain,
    ) -> Option<String> {
        if named.things.is_empty() {
            return None;
        }
        let form = self.forms.entry(named.form, |_, _| {});
        if form.is_good {
            return None;
        }
        if form.url.is_empty() {
            form.url = record.url.as_str().into();
        }
        let kept = form.kept.clone();
        let thing = self.shown_elsewhere(named)?;
        let points_at = points_at(record).and_then(|url| plain(&url));
        // Where one page was of worth, what does not repeat it says nothing.
        if !kept.is_empty() && !is_of(&kept, points_at.as_ref()?, plain) {
            return None;
        }
        if self.leads_on(thing, record) {
            return None;
        }
        let target = points_at.filter(|_| record.outcome == Outcome::Redirected);
        let is_alias = target.is_some_and(|target| self.is_alias(named, &target));
        let is_sure = answer == Answer::NothingForSure
            && kept.is_empty()
            && !is_alias
            && !leads_to_things(named, record);
        let form = self.forms.entry(named.form, |_, _| {});
        let was_sure = form.is_sure();
        form.count(thing, is_sure);
        (was_sure && !form.is_sure()).then(|| rule_of(&named.text))
    }

    /// A thing that another form has shown; one in the query, if a page that shows it led there.
    fn shown_elsewhere(&self, named: &Named) -> Option<u64> {
        let things = named.things.iter().enumerate();
        let mut shown = things.filter(|(at, thing)| {
            let thing = self.things.get(*thing);
            let is_linked = |thing: &Thing| *at < named.in_path || thing.is_linked(named.form);
            thing.is_some_and(|thing| thing.is_shown_but_by(named.form) && is_linked(thing))
        });
        shown.next().map(|(_, thing)| *thing)
    }

    fn note_shown(&mut self, named: &Named, is_kept: bool) {
        for thing in &named.things {
            self.things
                .entry(*thing, |_, _| {})
                .note(named.form, is_kept);
        }
        // A page that names nothing stands for itself.
        if named.things.is_empty() && is_kept {
            self.things
                .entry(named.form, |_, _| {})
                .note(named.form, true);
        }
    }

    /// Whether a redirect led to a page of its own: one that is kept, or about another thing than the first redirect of the
    /// form led to.
    fn is_alias(&mut self, named: &Named, target: &CanonicalUrl) -> bool {
        if leads_back(target) {
            return false;
        }
        let key = xxh3_64(target.as_str().as_bytes()).max(1);
        let form = self.forms.entry(named.form, |_, _| {});
        if form.target == 0 {
            form.target = key;
        }
        let is_another = form.target != key;
        let target = Named::of(target);
        let is_kept = |thing: &u64| {
            let thing = self.things.get(thing);
            thing.is_some_and(|thing| thing.is_kept_of(target.form))
        };
        match &target.things[..] {
            [] => is_kept(&target.form),
            things => is_another || things.iter().all(is_kept),
        }
    }

    /// Whether an answer brought in a URL elsewhere that may be of worth.
    fn leads_on(&self, thing: u64, record: &PageRecord) -> bool {
        let leads =
            |url: &str| CanonicalUrl::parse(url).is_ok_and(|url| self.may_lead(thing, &url));
        let mut new = record.new_elsewhere();
        let leads_on = new.by_ref().take(NEW_SEEN_MAX).any(leads);
        leads_on || new.next().is_some()
    }

    fn may_lead(&self, thing: u64, url: &CanonicalUrl) -> bool {
        if leads_back(url) {
            return false;
        }
        let named = Named::of(url);
        let form = self.forms.get(&named.form);
        let gave_nothing = form.is_some_and(|form| !form.is_good && form.kept.is_empty());
        !(gave_nothing && named.things.contains(&thing))
    }
}

impl Thing {
    fn note(&mut self, form: u64, is_kept: bool) {
        if is_kept {
            self.pages = self.pages.saturating_add(1);
        }
        if !self.forms.contains(&form)
            && let Some(free) = self.forms.iter_mut().find(|form| **form == 0)
        {
            *free = form;
        }
    }

    fn is_shown_but_by(&self, form: u64) -> bool {
        let mut forms = self.forms.iter().filter(|known| **known != 0);
        !self.is_place() && forms.any(|known| *known != form)
    }

    fn is_place(&self) -> bool {
        self.pages > PAGES_OF_THING_MAX
    }

    /// Whether a page of the form is kept that names it.
    fn is_kept_of(&self, form: u64) -> bool {
        self.pages > 0 && self.forms.contains(&form)
    }
}

impl Form {
    /// A URL of the form that was read.
    fn example(&self) -> &str {
        match self.kept.is_empty() {
            true => &self.url,
            false => &self.kept,
        }
    }

    fn count(&mut self, thing: u64, is_sure: bool) {
        self.probes = self.probes.saturating_add(u32::from(self.is_idle()));
        self.nothing = self.nothing.saturating_add(1);
        self.doubtful = self.doubtful.saturating_add(u32::from(!is_sure));
        let add = |things: &mut Vec<u64>| {
            if things.len() < THINGS_MIN && !things.contains(&thing) {
                things.push(thing);
            }
        };
        add(&mut self.all);
        if is_sure {
            add(&mut self.sure);
        }
    }

    fn is_sure(&self) -> bool {
        !self.is_good && self.doubtful == 0 && self.sure.len() >= THINGS_MIN
    }

    fn is_idle(&self) -> bool {
        let are_many = self.nothing >= OTHERS_MIN && self.all.len() >= THINGS_MIN;
        self.is_sure() || !self.is_good && are_many
    }
}

/// Whether an answer leads to something that its own URL names: a redirect back to the thing.
fn leads_to_things(named: &Named, record: &PageRecord) -> bool {
    let is_named = |url: &str| {
        let to = CanonicalUrl::parse(url).map(|url| UrlForm::of(&url).things);
        to.is_ok_and(|things| things.iter().any(|thing| named.things.contains(thing)))
    };
    let is_redirect = record.outcome == Outcome::Redirected;
    is_redirect && record.links.iter().any(|link| is_named(&link.url))
}

/// Whether a URL holds another one of the site, to lead back to.
fn leads_back(url: &CanonicalUrl) -> bool {
    inner_values(url).iter().any(|value| value.is_of_site)
}

/// The page that a copy repeats, or to which a redirect leads.
fn points_at(record: &PageRecord) -> Option<CanonicalUrl> {
    let target = || CanonicalUrl::parse(record.redirect_target()?).ok();
    original_of(record).or_else(target)
}

/// Whether a page, by its normalized form, is the one that was kept.
fn is_of(kept: &str, page: &CanonicalUrl, plain: &impl Plain) -> bool {
    let kept = CanonicalUrl::parse(kept).ok().and_then(|kept| plain(&kept));
    kept.is_some_and(|kept| kept == *page)
}

/// The rule in words: the form that leads nowhere.
fn rule_of(form: &str) -> String {
    format!("{form} leads nowhere new")
}

/// What an answer says; none where there was none, or where it is not known.
fn answer_of(record: &PageRecord) -> Option<Answer> {
    match &record.outcome {
        Outcome::Redirected => Some(Answer::NothingForSure),
        Outcome::Judged(Verdict::Index) => Some(Answer::Good),
        Outcome::Judged(Verdict::Junk(reason)) => match reason.kind() {
            // What repeats a part is neither a copy nor a page of its own.
            JunkKind::Duplicate => original_of(record).map(|_| Answer::Copy),
            // A wall before the whole host says nothing of what is asked for.
            JunkKind::Wall => (!record.is_walled_off()).then_some(Answer::NothingForSure),
            JunkKind::Withheld => {
                let page = record.page.as_ref();
                let is_closed = page.is_some_and(|page| !page.may_index && !page.may_follow);
                match is_closed {
                    true => Some(Answer::NothingForSure),
                    false => Some(Answer::Nothing),
                }
            }
            JunkKind::Empty | JunkKind::Error | JunkKind::NoPage | JunkKind::LinkList => {
                Some(Answer::Nothing)
            }
            JunkKind::Unwanted => Some(Answer::Good),
        },
        Outcome::NotModified | Outcome::Refused(_) | Outcome::Failed(_) | Outcome::Unknown(_) => {
            None
        }
    }
}

mod links;

#[cfg(test)]
mod crawls;
#[cfg(test)]
mod tests;
