//! Views: forms of URLs that show only what other pages show ([`crate::known_text`]).
//!
//! One page with known text alone may be anything. But of a dozen pages of a form, print views or lists by date, each shows
//! nothing of its own: so will the next one, and it is dropped if all of its own text is known as well. What is
//! dropped was read, and its passages are on kept pages.
//!
//! ```text
//! pages of the form that were read                                              further ones
//! known text: 4, and none had text of its own                                   last in turn, without a topic
//! known text: 12, and with 95 % confidence less than a quarter has its own      dropped if all they say is known; last as well
//! besides, none had text of its own or led to a kept page, and the URL
//! names a thing that a page of another form shows                               refused but for sparse probes
//! ```
//!
//! Pages are counted as follows:
//!
//! - *known*: a view, or a copy of a kept page of another form;
//! - *part*: all of it is known and it may be the article that a list had before. More than two of these for each known
//!   one, and the form is no view;
//! - *own*: it has text of its own. Nine of them, and the form is none for ever. The first two are not counted: what
//!   stands around all views of a form ("print this page") is new on the first.
//!
//! So of a list that shows articles before they are read themselves no article is lost, of a form with a few pages of its own
//! these are kept, and what is put back when a probe has text of its own is all that was refused.
//!
//! All of it follows from records alone, in their order. Forms of which nothing was read for longest are forgotten.

use archive::{PageRecord, Shows};
use frontier::{CanonicalUrl, UrlForm};
use outcome::{JunkKind, LinkFate, Outcome, Verdict, share_bound};
use recent::RecentMap;
use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::xxh3_64;

use crate::idle_values::Idle;
use crate::recorded::original_of;

/// Pages with known text alone, after which a form shows nothing else: of 12 without one of its own less than 22 % have
/// it, with a confidence of 95 %.
const KNOWN_MIN: u32 = 12;
/// The same for a form that goes last: nothing is lost by that.
const KNOWN_LAST: u32 = 4;
/// The bound on the share of pages with text of their own.
const OWN_SHARE_MAX: f64 = 0.25;
/// Pages with text of their own that a form may have.
const OWN_MAX: u32 = 8;
/// The first pages of a form, which show what surrounds all of its views.
const SPARED: u8 = 2;
/// So many parts of one page are no sign against a form, for each page with known text.
const PARTS_FOR_ONE: u32 = 2;
/// Forms that are remembered, each with a URL of some 100 bytes.
const FORMS_MAX: usize = 50_000;
/// Pages with known text that brought in URLs of which it is not known yet whether one is kept.
const WAYS_MAX: usize = 50_000;

/// What forms of URLs show.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Views {
    forms: RecentMap<u64, Form>,
    /// The forms of pages with known text that brought in new URLs, by the numbers of their records.
    ways: RecentMap<u64, u64>,
}

/// What the pages of one form showed.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
struct Form {
    /// The URL that was read first.
    url: Box<str>,
    known: u32,
    part: u32,
    own: u32,
    /// Pages with text of their own that were not counted.
    spared: u8,
    /// A page with known text led to a page that is kept.
    leads_on: bool,
    /// Those that were read since nothing else is expected.
    probes: u32,
}

impl Default for Views {
    fn default() -> Self {
        Self {
            forms: RecentMap::with_max(FORMS_MAX),
            ways: RecentMap::with_max(WAYS_MAX),
        }
    }
}

impl Views {
    /// Whether a URL is of a form that shows known text.
    pub(crate) fn has(&self, url: &CanonicalUrl) -> bool {
        !self.forms.is_empty() && self.forms.get(&key_of(url).0).is_some_and(Form::is_view)
    }

    /// Whether a URL is of a form that has shown known text alone so far.
    pub(crate) fn may_have(&self, url: &CanonicalUrl) -> bool {
        !self.forms.is_empty()
            && self
                .forms
                .get(&key_of(url).0)
                .is_some_and(Form::may_be_view)
    }

    /// The same if further pages of it are refused, where they name a page that is known.
    pub(crate) fn find(&self, url: &CanonicalUrl) -> Option<Idle> {
        if self.forms.is_empty() {
            return None;
        }
        let (key, text) = key_of(url);
        let form = self.forms.get(&key).filter(|form| form.is_idle())?;
        Some(Idle {
            original: form.url.to_string(),
            rule: rule_of(&text),
            is_sure: true,
            probes: u64::from(form.probes),
        })
    }

    /// Takes in a finished URL, the record of that number. Gives the rules that held before and do not hold any longer.
    pub(crate) fn observe(
        &mut self,
        seq: u64,
        url: &CanonicalUrl,
        record: &PageRecord,
    ) -> Vec<String> {
        let mut lifted = Vec::new();
        let shows = shown_by(url, record);
        if record.outcome.is_indexed() && shows != Some(Shows::Known) {
            lifted.extend(self.redeem(record));
        }
        let Some(shows) = shows else {
            return lifted;
        };
        let (key, text) = key_of(url);
        let form = self.forms.entry(key, |_, _| {});
        let was_idle = form.is_idle();
        form.count(shows, url);
        if was_idle && !form.is_idle() {
            lifted.push(rule_of(&text));
        }
        if shows != Shows::Own && record.links.iter().any(|link| link.fate == LinkFate::New) {
            *self.ways.entry(seq, |_, _| {}) = key;
        }
        lifted
    }

    /// Takes in that a page is kept: what led to it leads on.
    fn redeem(&mut self, record: &PageRecord) -> Option<String> {
        let key = self.ways.remove(&record.via?)?;
        let form = self.forms.get_mut(&key)?;
        let was_idle = form.is_idle();
        form.leads_on = true;
        let url = CanonicalUrl::parse(&form.url).ok()?;
        was_idle.then(|| rule_of(&key_of(&url).1))
    }
}

impl Form {
    fn count(&mut self, shows: Shows, url: &CanonicalUrl) {
        if self.url.is_empty() {
            self.url = url.as_str().into();
        }
        self.probes = self.probes.saturating_add(u32::from(self.is_idle()));
        match shows {
            Shows::Own if self.spared < SPARED => self.spared += 1,
            Shows::Own => self.own = self.own.saturating_add(1),
            Shows::Known => self.known = self.known.saturating_add(1),
            Shows::Part => self.part = self.part.saturating_add(1),
            Shows::Unclear => {}
        }
    }

    fn may_be_view(&self) -> bool {
        let seems_so = self.known >= KNOWN_LAST && self.own == 0 && !self.is_of_parts();
        seems_so || self.is_view()
    }

    /// Parts of other pages are more than views are.
    fn is_of_parts(&self) -> bool {
        self.part > self.known.saturating_mul(PARTS_FOR_ONE)
    }

    fn is_view(&self) -> bool {
        let own_share = share_bound(u64::from(self.own), u64::from(self.own + self.known));
        self.known >= KNOWN_MIN
            && self.own <= OWN_MAX
            && !self.is_of_parts()
            && own_share < OWN_SHARE_MAX
    }

    fn is_idle(&self) -> bool {
        self.is_view() && self.own == 0 && !self.leads_on
    }
}

/// What a finished URL showed; none where it was no page, or one that says nothing.
fn shown_by(url: &CanonicalUrl, record: &PageRecord) -> Option<Shows> {
    let page = record.page.as_ref()?;
    let own_or_part = page.shows;
    match &record.outcome {
        // It takes the place of a copy of itself.
        Outcome::Judged(Verdict::Index) if record.replaces.is_some() => None,
        Outcome::Judged(Verdict::Index) => Some(own_or_part),
        Outcome::Judged(Verdict::Junk(reason)) => match reason.kind() {
            JunkKind::Known => Some(own_or_part),
            JunkKind::Duplicate => {
                let original = original_of(record)?;
                (key_of(&original) != key_of(url)).then_some(Shows::Known)
            }
            JunkKind::Unwanted | JunkKind::Withheld | JunkKind::LinkList => Some(own_or_part),
            JunkKind::Empty | JunkKind::Error | JunkKind::NoPage | JunkKind::Wall => None,
        },
        Outcome::Redirected
        | Outcome::NotModified
        | Outcome::Refused(_)
        | Outcome::Failed(_)
        | Outcome::Unknown(_) => None,
    }
}

/// The key of a URL's form, and the form.
fn key_of(url: &CanonicalUrl) -> (u64, String) {
    let text = UrlForm::of(url).text;
    (xxh3_64(text.as_bytes()), text)
}

/// The rule in words.
fn rule_of(form: &str) -> String {
    format!("{form} shows only what other pages show")
}

#[cfg(test)]
mod tests {
    use archive::{LinkRecord, NeighbourRecord, PageSummary};
    use outcome::{DuplicateKind, JunkReason, NeighbourDecision};

    use super::*;

    fn url(text: &str) -> CanonicalUrl {
        CanonicalUrl::parse(&format!("http://a.example{text}")).expect(text)
    }

    fn kept(path: &str, shows: Shows) -> PageRecord {
        PageRecord {
            url: url(path).as_str().into(),
            outcome: Outcome::Judged(Verdict::Index),
            page: Some(PageSummary {
                shows,
                ..PageSummary::default()
            }),
            ..PageRecord::default()
        }
    }

    fn read(views: &mut Views, seq: u64, record: &PageRecord) -> Vec<String> {
        let url = CanonicalUrl::parse(&record.url).expect("a URL");
        views.observe(seq, &url, record)
    }

    fn print(number: u64) -> String {
        format!("/print.php?t={number}")
    }

    /// So many pages of one form, which show this.
    fn views(shown: &[(Shows, u64)]) -> Views {
        let mut views = Views::default();
        let mut seq = 0;
        for (shows, pages) in shown {
            for _ in 0..*pages {
                seq += 1;
                assert!(read(&mut views, seq, &kept(&print(seq), *shows)).is_empty());
            }
        }
        views
    }

    #[track_caller]
    fn check(shown: &[(Shows, u64)], is_view: bool, is_idle: bool) {
        let views = views(shown);
        let next = url(&print(999));
        let found = (views.has(&next), views.find(&next).is_some());
        assert_eq!(found, (is_view, is_idle), "{shown:?}");
        assert!(!views.has(&url("/thread.php?t=999")));
    }

    #[test]
    fn a_dozen_pages_with_known_text_make_a_form_of_views() {
        check(&[(Shows::Known, 12)], true, true);
        check(&[(Shows::Known, 11)], false, false);
        // What surrounds all views is new on the first ones.
        check(&[(Shows::Own, 2), (Shows::Known, 12)], true, true);
        check(&[(Shows::Own, 3), (Shows::Known, 12)], false, false);
        check(&[(Shows::Own, 3), (Shows::Known, 20)], true, false);
        check(&[(Shows::Own, 11), (Shows::Known, 500)], false, false);
        check(&[(Shows::Unclear, 500), (Shows::Known, 12)], true, true);
    }

    #[test]
    fn a_form_goes_last_after_a_few_pages_with_known_text_alone() {
        let next = url(&print(999));
        for (shown, goes_last) in [
            (&[(Shows::Known, 4)][..], true),
            (&[(Shows::Known, 3)], false),
            (&[(Shows::Own, 3), (Shows::Known, 11)], false),
            (&[(Shows::Part, 9), (Shows::Known, 4)], false),
        ] {
            let views = views(shown);
            assert_eq!(
                (views.may_have(&next), views.has(&next)),
                (goes_last, false)
            );
        }
    }

    #[test]
    fn articles_that_stood_on_lists_before_are_no_views() {
        check(&[(Shows::Part, 500)], false, false);
        check(&[(Shows::Part, 25), (Shows::Known, 12)], false, false);
        check(&[(Shows::Part, 24), (Shows::Known, 12)], true, true);
    }

    #[test]
    fn copies_of_pages_of_another_form_count_and_those_of_their_own_do_not() {
        let copy = |number: u64, of: &str| PageRecord {
            outcome: Outcome::Judged(Verdict::Junk(JunkReason::NearDuplicate)),
            nearest: Some(NeighbourRecord {
                url: url(of).as_str().into(),
                decision: NeighbourDecision::Duplicate,
                kind: Some(DuplicateKind::FullContent),
                ..NeighbourRecord::default()
            }),
            ..kept(&print(number), Shows::Own)
        };
        for (of, is_view) in [("/thread.php?t=1", true), ("/print.php?t=1000", false)] {
            let mut views = Views::default();
            for number in 1..13 {
                read(&mut views, number, &copy(number, of));
            }
            assert_eq!(views.has(&url(&print(999))), is_view, "{of}");
        }
    }

    #[test]
    fn text_of_its_own_lifts_the_refusal_and_a_page_that_it_led_to_as_well() {
        let mut known = views(&[(Shows::Known, 12)]);
        let own = kept(&print(50), Shows::Own);
        assert!(read(&mut known, 50, &own).is_empty());
        assert!(read(&mut known, 51, &own).is_empty());
        assert_eq!(read(&mut known, 52, &own).len(), 1);

        let mut known = views(&[(Shows::Known, 12)]);
        let leads = PageRecord {
            links: vec![LinkRecord {
                url: url("/new").as_str().into(),
                fate: LinkFate::New,
                ..LinkRecord::default()
            }],
            ..kept(&print(60), Shows::Known)
        };
        assert!(read(&mut known, 60, &leads).is_empty());
        let of = |shows| PageRecord {
            via: Some(60),
            ..kept("/new", shows)
        };
        // One more view is no page of worth.
        assert!(read(&mut known, 61, &of(Shows::Known)).is_empty());
        assert_eq!(read(&mut known, 62, &of(Shows::Own)).len(), 1);
        let next = url(&print(999));
        assert!(known.has(&next) && known.find(&next).is_none());
    }
}
