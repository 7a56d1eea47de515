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
//! - a *deed* is a URL with a thing that another form has shown.
//!
//! A deleted topic, an empty day, a number that was never given have no page that shows them, so none of them is
//! evidence, nor refused.
//!
//! ```text
//! answers to the deeds of one form, to twelve things at least             read    further ones
//! all of them walls, redirects to what is about another thing,
//! or what asks neither to be indexed nor that its links be followed         12    refused but for sparse probes
//! copies, thin pages, lists, errors, other redirects to what is known       60    as for parameters that change nothing
//! ```
//!
//! A wall says that something is not for us; a thin page or a way back to the thing, that there is nothing: of the
//! reviews of goods one in fifty may be there. Of sixty answers without a page of worth less than one in twenty is
//! one, with a confidence of 95 %, and without a topic nothing is refused for that.
//!
//! An answer that brings in a URL elsewhere says nothing, unless that leads back (`/login?next=…`) or is a deed to the
//! same thing whose form gave nothing so far. One page of worth of the form, be it a deed or not, or one that an
//! answer led to: it is refused no more, and what was refused is put back.
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
/// Things that are remembered, some 40 bytes each.
const THINGS_MAX: usize = 400_000;
/// Forms that are remembered, with a URL of some 100 bytes and up to 24 things.
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
    /// Some page of the form was of worth, or led to one.
    is_good: bool,
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
}

impl Named {
    fn of(url: &CanonicalUrl) -> Self {
        let UrlForm { text, things } = UrlForm::of(url);
        Self {
            // None is 0.
            form: xxh3_64(text.as_bytes()).max(1),
            text,
            things,
        }
    }
}

impl Default for Deeds {
    fn default() -> Self {
        Self {
            things: RecentMap::with_max(THINGS_MAX),
            forms: RecentMap::with_max(FORMS_MAX),
        }
    }
}

impl Deeds {
    /// Takes in a finished URL, by its normalized form. Gives the rule that held before and does not hold any longer.
    pub(crate) fn observe(&mut self, url: &CanonicalUrl, record: &PageRecord) -> Option<String> {
        let answer = answer_of(record)?;
        let named = Named::of(url);
        let lifted = match answer {
            Answer::Good => self.find_good(&named),
            Answer::Copy | Answer::Nothing | Answer::NothingForSure => {
                self.note_nothing(&named, answer, record)
            }
        };
        if matches!(answer, Answer::Good | Answer::Copy) {
            for thing in &named.things {
                let seen = self.things.entry(*thing, |_, _| {});
                seen.note(named.form, record.outcome.is_indexed());
            }
        }
        lifted
    }

    /// Takes in that a page led to one of worth, and gives the rule likewise. The first page of a form brings in what
    /// all of them link to, and says nothing by that.
    pub(crate) fn redeem(&mut self, url: &CanonicalUrl, as_recorded: &str) -> Option<String> {
        let named = Named::of(url);
        let form = self.forms.get(&named.form)?;
        match *form.url == *as_recorded {
            true => None,
            false => self.find_good(&named),
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
            original: form.url.to_string(),
            rule: rule_of(&named.text),
            is_sure: form.is_sure(),
            probes: u64::from(form.probes),
        })
    }

    fn find_good(&mut self, named: &Named) -> Option<String> {
        let form = self.forms.entry(named.form, |_, _| {});
        let was_idle = form.is_idle();
        *form = Form {
            is_good: true,
            ..Form::default()
        };
        was_idle.then(|| rule_of(&named.text))
    }

    /// Takes in an answer that was nothing. Gives the rule if it is not sure any longer.
    fn note_nothing(
        &mut self,
        named: &Named,
        answer: Answer,
        record: &PageRecord,
    ) -> Option<String> {
        let form = self.forms.entry(named.form, |_, _| {});
        if form.is_good {
            return None;
        }
        if form.url.is_empty() {
            form.url = record.url.as_str().into();
        }
        let thing = self.shown_elsewhere(named)?;
        if self.leads_on(thing, record) {
            return None;
        }
        let is_sure = answer == Answer::NothingForSure && !leads_to_things(named, record);
        let form = self.forms.entry(named.form, |_, _| {});
        let was_sure = form.is_sure();
        form.count(thing, is_sure);
        (was_sure && !form.is_sure()).then(|| rule_of(&named.text))
    }

    /// A thing that another form has shown.
    fn shown_elsewhere(&self, named: &Named) -> Option<u64> {
        let things = named.things.iter().copied();
        let is_shown = |thing: &u64| {
            let thing = self.things.get(thing);
            thing.is_some_and(|thing| thing.is_shown_but_by(named.form))
        };
        { things }.find(is_shown)
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
        if inner_values(url).iter().any(|value| value.is_of_site) {
            return false;
        }
        let named = Named::of(url);
        let form = self.forms.get(&named.form);
        let gave_nothing = form.is_some_and(|form| !form.is_good);
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
        self.pages <= PAGES_OF_THING_MAX && forms.any(|known| *known != form)
    }
}

impl Form {
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
            JunkKind::Wall => Some(Answer::NothingForSure),
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

#[cfg(test)]
mod tests;
