//! Values that lead nowhere: `/login?next=…` with another page in it on each page of a site.
//!
//! One path has as many URLs as it is given values. Where the first of them were all the same page, or
//! no page of worth, so are the others, most likely. A place is a path with all else in its query
//! ([`frontier::inner_values`]), and what was read there is counted:
//!
//! - *led on*: it brought in a URL elsewhere that has not the same value, or one more page was kept, or redirected to, than
//!   one. One such answer, and the values of the place are never idle again; but the first one read brings in what all
//!   of them link to, such as the form in another language, and says nothing by that;
//! - *same*: it repeats a page that is kept, or redirects to what is known;
//! - *nothing*: it is thin, a list, a wall, an error, a dead link;
//! - *unwanted*: off the topic, or in another language. That is nothing where the values are URLs of the
//!   site, else a page of its own;
//! - *closed*: it asks neither to be indexed nor that its links be followed, as forms to edit a page of a wiki do.
//!
//! ```text
//! values                          read    what becomes of further ones
//! URLs of the site, by their form   12    refused but for sparse probes
//! others, but small numbers         60    as for parameters that change nothing
//! any, if all were closed           12    refused but for sparse probes
//! ```
//!
//! Of 60 answers without a page of worth less than one in twenty is one, with a confidence of 95 %; of 12 less
//! than 22 %, but where to lead back to says nothing of what is shown, and the probes go on: one value in
//! twenty, and no more than the square root of those refused. One of worth among them, and all that was
//! refused is put back. Small numbers count pages or name things: they are left alone.
//!
//! All of it follows from records alone, in their order. Places not read for longest are forgotten.

use archive::PageRecord;
use frontier::{CanonicalUrl, InnerValue, inner_values};
use outcome::{JunkKind, Outcome, Verdict};
use recent::RecentMap;
use serde::{Deserialize, Serialize};

use crate::recorded::original_of;

/// Answers after which values are idle that are URLs of the site, or of which all were closed.
const SURE_MIN: u32 = 12;
/// The same for other values.
const OTHERS_MIN: u32 = 60;
/// Where a page was kept, so many others must repeat it for each that had nothing.
const SAME_PER_NOTHING: u32 = 20;
/// Places that are remembered, each with a URL: some 150 bytes, with the longest URLs 2 kB.
const PLACES_MAX: usize = 100_000;

/// What values gave, by their place.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct IdleValues {
    places: RecentMap<u64, Place>,
}

/// What the values in one place gave.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
struct Place {
    /// The URL that was read first, or the one that was kept.
    url: Box<str>,
    kept: u32,
    same: u32,
    nothing: u32,
    unwanted: u32,
    closed: u32,
    led_on: bool,
    /// Some value is a small number.
    counts: bool,
}

/// Values that are idle.
#[derive(Debug, PartialEq)]
pub(crate) struct Idle {
    /// A page that was read in this place.
    pub(crate) original: String,
    /// The rule in words.
    pub(crate) rule: String,
    /// They are URLs of the site, or what they led to asks not to be read: sparse probes are enough.
    pub(crate) is_sure: bool,
    /// Those that were read since the rule was found.
    pub(crate) probes: u64,
}

/// What an answer was worth.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Worth {
    Kept,
    Same,
    Nothing,
    Unwanted,
    Closed,
}

impl Default for IdleValues {
    fn default() -> Self {
        Self {
            places: RecentMap::with_max(PLACES_MAX),
        }
    }
}

impl IdleValues {
    /// Takes in a finished URL. Gives the rules that held before and do not hold any longer.
    pub(crate) fn observe(&mut self, url: &CanonicalUrl, record: &PageRecord) -> Vec<String> {
        let mut lifted = Vec::new();
        for value in inner_values(url) {
            let Some((worth, leads_on)) = worth_of(record, &value) else {
                continue;
            };
            let place = self.places.entry(value.place, |_, _| {});
            let was_idle = place.is_idle(&value);
            place.led_on |= leads_on && place.read() > 0;
            place.count(worth, &value, &record.url);
            if was_idle && !place.is_idle(&value) {
                lifted.push(rule_of(url, &value));
            }
        }
        lifted
    }

    /// Whether a URL has a value in a place where values are idle; what is sure goes first.
    pub(crate) fn find(&self, url: &CanonicalUrl) -> Option<Idle> {
        if self.places.is_empty() {
            return None;
        }
        let values = inner_values(url);
        let idle = values.iter().filter_map(|value| {
            let place = self.places.get(&value.place)?;
            place.is_idle(value).then(|| Idle {
                original: place.url.to_string(),
                rule: rule_of(url, value),
                is_sure: place.is_sure(value),
                probes: u64::from(place.read().saturating_sub(place.answers_min(value))),
            })
        });
        let mut idle: Vec<Idle> = idle.collect();
        idle.sort_by_key(|idle| !idle.is_sure);
        idle.into_iter().next()
    }
}

impl Place {
    fn count(&mut self, worth: Worth, value: &InnerValue<'_>, url: &str) {
        if self.url.is_empty() || worth == Worth::Kept {
            self.url = url.into();
        }
        self.counts |= is_small_number(value.value);
        match worth {
            Worth::Kept => self.kept = self.kept.saturating_add(1),
            Worth::Same => self.same = self.same.saturating_add(1),
            Worth::Nothing => self.nothing = self.nothing.saturating_add(1),
            Worth::Unwanted => self.unwanted = self.unwanted.saturating_add(1),
            Worth::Closed => self.closed = self.closed.saturating_add(1),
        }
    }

    fn read(&self) -> u32 {
        let pages = [
            self.kept,
            self.same,
            self.nothing,
            self.unwanted,
            self.closed,
        ];
        pages.into_iter().fold(0, u32::saturating_add)
    }

    /// Whether all that was read asks not to be.
    fn is_closed(&self) -> bool {
        self.closed > 0 && self.closed == self.read()
    }

    fn is_sure(&self, value: &InnerValue<'_>) -> bool {
        value.is_of_site || self.is_closed()
    }

    fn answers_min(&self, value: &InnerValue<'_>) -> u32 {
        match self.is_sure(value) {
            true => SURE_MIN,
            false => OTHERS_MIN,
        }
    }

    fn is_idle(&self, value: &InnerValue<'_>) -> bool {
        let nothing = self.nothing.saturating_add(self.closed);
        let (of_own, nothing) = match value.is_of_site {
            true => (self.kept, nothing.saturating_add(self.unwanted)),
            false => (self.kept.saturating_add(self.unwanted), nothing),
        };
        let is_one_page = match of_own {
            0 => true,
            1 => nothing.saturating_mul(SAME_PER_NOTHING) <= self.same,
            _ => false,
        };
        let may_name = !self.is_sure(value) && (self.counts || is_small_number(value.value));
        self.read() >= self.answers_min(value) && is_one_page && !self.led_on && !may_name
    }
}

fn is_small_number(value: &str) -> bool {
    value.len() <= frontier::COUNTER_DIGITS_MAX && value.bytes().all(|byte| byte.is_ascii_digit())
}

/// The rule in words: where values lead nowhere.
fn rule_of(url: &CanonicalUrl, value: &InnerValue<'_>) -> String {
    let host = url.host();
    match value.is_in_path {
        true => format!("{host}{}… leads nowhere new", value.name),
        false if value.name.is_empty() => format!("{host}{}?… leads nowhere new", url.path()),
        false => format!("{host}{}?{}=… leads nowhere new", url.path(), value.name),
    }
}

/// Whether a page brought in a URL elsewhere that has not the same value.
fn leads_on(record: &PageRecord, value: &InnerValue<'_>) -> bool {
    let mut new = record.new_elsewhere();
    new.any(|url| {
        !value.is_of_site
            || CanonicalUrl::parse(url).map_or(true, |url| {
                inner_values(&url)
                    .iter()
                    .all(|other| other.value != value.value)
            })
    })
}

/// What an answer was worth, and whether it led on; none where it does not tell: there was none, or it was not wanted.
fn worth_of(record: &PageRecord, value: &InnerValue<'_>) -> Option<(Worth, bool)> {
    let leads_on = leads_on(record, value);
    let worth = match &record.outcome {
        // The page that all of them redirect to comes in by one of them.
        Outcome::Redirected if leads_on => return Some((Worth::Kept, false)),
        Outcome::Redirected => Worth::Same,
        Outcome::Judged(Verdict::Index) if original_of(record).is_some() => Worth::Same,
        Outcome::Judged(Verdict::Index) => Worth::Kept,
        Outcome::Judged(Verdict::Junk(reason)) => match reason.kind() {
            JunkKind::Duplicate => Worth::Same,
            JunkKind::Empty | JunkKind::Error | JunkKind::Wall | JunkKind::NoPage => Worth::Nothing,
            // A list may lead to pages behind the same script.
            JunkKind::LinkList => return leads_on.then_some((Worth::Nothing, true)),
            // What may not be kept is no verdict, unless its links are not to be followed either.
            JunkKind::Withheld => {
                let page = record.page.as_ref();
                match page.is_some_and(|page| !page.may_index && !page.may_follow) {
                    true => Worth::Closed,
                    false => return leads_on.then_some((Worth::Nothing, true)),
                }
            }
            JunkKind::Unwanted => Worth::Unwanted,
        },
        Outcome::NotModified | Outcome::Refused(_) | Outcome::Failed(_) | Outcome::Unknown(_) => {
            return leads_on.then_some((Worth::Nothing, true));
        }
    };
    Some((worth, leads_on))
}

#[cfg(test)]
mod tests {
    use archive::{LinkRecord, NeighbourRecord, PageSummary};
    use outcome::{JunkReason, LinkFate};

    use super::*;

    fn url(text: &str) -> CanonicalUrl {
        CanonicalUrl::parse(text).expect("a URL")
    }

    fn record(at: &str, outcome: Outcome) -> PageRecord {
        PageRecord {
            url: url(at).as_str().into(),
            outcome,
            ..PageRecord::default()
        }
    }

    fn junk(reason: JunkReason) -> Outcome {
        Outcome::Judged(Verdict::Junk(reason))
    }

    /// Takes pages in whose URLs differ in a value.
    fn read(form: &str, outcomes: impl IntoIterator<Item = Outcome>) -> IdleValues {
        let mut values = IdleValues::default();
        for (number, outcome) in outcomes.into_iter().enumerate() {
            let at = form.replace('N', &number.to_string());
            assert!(values.observe(&url(&at), &record(&at, outcome)).is_empty());
        }
        values
    }

    #[track_caller]
    fn check(form: &str, outcomes: &[Outcome], is_idle: bool) {
        let values = read(form, outcomes.iter().cloned());
        let next = url(&form.replace('N', "999"));
        assert_eq!(values.find(&next).is_some(), is_idle, "{form}");
    }

    const LOGIN: &str = "http://a.example/login?next=%2Fa%2FN";
    const SHARE: &str = "http://a.example/share?text=a-N";

    #[test]
    fn a_dozen_values_that_are_urls_of_the_site_and_lead_nowhere_are_enough() {
        let nothings = [
            junk(JunkReason::Thin),
            junk(JunkReason::NearDuplicate),
            junk(JunkReason::Blocked),
            junk(JunkReason::ErrorPage),
            Outcome::Redirected,
        ];
        for nothing in nothings {
            check(LOGIN, &vec![nothing.clone(); 12], true);
            check(LOGIN, &vec![nothing.clone(); 11], false);
            check(
                "http://a.example/login/next/%2Fa%2FN",
                &vec![nothing.clone(); 12],
                true,
            );
            check(SHARE, &vec![nothing.clone(); 59], false);
            check(SHARE, &vec![nothing.clone(); 60], true);
            // Small numbers count pages or name things.
            check("http://a.example/item?id=N", &vec![nothing; 200], false);
        }
    }

    #[test]
    fn the_page_itself_may_be_kept_once_where_the_others_repeat_it() {
        let kept = Outcome::Judged(Verdict::Index);
        let copies = vec![junk(JunkReason::NearDuplicate); 11];
        check(LOGIN, &[vec![kept.clone()], copies.clone()].concat(), true);
        check(LOGIN, &[vec![kept.clone(); 2], copies].concat(), false);
        let dead = vec![junk(JunkReason::ErrorPage); 100];
        check(LOGIN, &[vec![kept], dead].concat(), false);
    }

    #[test]
    fn pages_that_are_not_wanted_are_pages_of_their_own_where_values_are_no_urls() {
        let unwanted = vec![junk(JunkReason::OffTopic); 60];
        check(LOGIN, &unwanted, true);
        check(SHARE, &unwanted, false);
    }

    #[test]
    fn pages_that_ask_not_to_be_read_are_believed_whatever_their_values() {
        let form = "http://a.example/index.php?title=N&action=edit";
        let asks = |number: u32, may_follow: bool| PageRecord {
            page: Some(PageSummary {
                may_index: false,
                may_follow,
                ..PageSummary::default()
            }),
            ..record(
                &form.replace('N', &number.to_string()),
                junk(JunkReason::NoIndex),
            )
        };
        let reads = |pages: u32, may_follow: bool| {
            let mut values = IdleValues::default();
            for number in 0..pages {
                let page = asks(number, may_follow);
                values.observe(&url(&page.url), &page);
            }
            values
        };
        let next = url(&form.replace('N', "999"));
        let idle = reads(12, false).find(&next).expect("it is closed");
        assert!(idle.is_sure && idle.probes == 0);
        assert_eq!(reads(11, false).find(&next), None);
        // Its links may be followed.
        assert_eq!(reads(100, true).find(&next), None);
        // One of them is a page after all.
        let mut values = reads(50, false);
        let kept = record(&form.replace('N', "77"), Outcome::Judged(Verdict::Index));
        assert_eq!(values.observe(&url(&kept.url), &kept).len(), 1);
        assert_eq!(values.find(&next), None);
    }

    #[test]
    fn a_network_that_fails_and_what_was_refused_say_nothing() {
        let failed = Outcome::Failed(outcome::FailureKind::from("timeout"));
        check(LOGIN, &vec![failed; 100], false);
    }

    #[test]
    fn a_page_that_leads_elsewhere_ends_the_rule_and_one_that_leads_to_another_value_does_not() {
        let mut values = read(LOGIN, vec![junk(JunkReason::Thin); 12]);
        let at = LOGIN.replace('N', "100");
        let mut page = record(&at, junk(JunkReason::Thin));
        let link = |to: &str| LinkRecord {
            url: to.into(),
            fate: LinkFate::New,
            ..LinkRecord::default()
        };
        page.links = vec![link("http://a.example/login?next=%2Fb")];
        assert!(values.observe(&url(&at), &page).is_empty());
        assert!(values.find(&url(LOGIN)).is_some());
        page.links = vec![link("http://a.example/b")];
        let lifted = values.observe(&url(&at), &page);
        assert_eq!(lifted, ["a.example/login?next=… leads nowhere new"]);
        assert!(values.find(&url(LOGIN)).is_none());
        // And for good.
        for number in 0..100 {
            let at = LOGIN.replace('N', &number.to_string());
            values.observe(&url(&at), &record(&at, junk(JunkReason::Thin)));
        }
        assert!(values.find(&url(LOGIN)).is_none());
    }

    #[test]
    fn what_the_first_page_of_a_place_links_to_and_links_with_the_same_value_lead_nowhere() {
        let link = |to: &str| LinkRecord {
            url: to.into(),
            fate: LinkFate::New,
            ..LinkRecord::default()
        };
        let with_links = |from: u32, until: u32, to: &dyn Fn(u32) -> String| {
            let mut values = IdleValues::default();
            for number in 0..40 {
                let at = LOGIN.replace('N', &number.to_string());
                let mut page = record(&at, junk(JunkReason::Thin));
                if (from..until).contains(&number) {
                    page.links = vec![link(&to(number))];
                }
                values.observe(&url(&at), &page);
            }
            values.find(&url(LOGIN)).is_some()
        };
        let register = |_| "http://a.example/register".to_owned();
        assert!(with_links(0, 1, &register) && !with_links(1, 2, &register));
        let in_english = |number: u32| format!("http://a.example/en/login?next=%2Fa%2F{number}");
        assert!(with_links(0, 40, &in_english));
        let of_another = |number: u32| format!("http://a.example/en/login?next=%2Fb%2F{number}");
        assert!(!with_links(0, 40, &of_another));
    }

    #[test]
    fn a_second_page_that_is_kept_ends_the_rule_and_a_better_copy_of_the_first_does_not() {
        let kept = Outcome::Judged(Verdict::Index);
        let copies = vec![junk(JunkReason::NearDuplicate); 11];
        let all = [vec![kept.clone()], copies].concat();
        let mut values = read(LOGIN, all);
        let at = LOGIN.replace('N', "100");
        let mut page = record(&at, kept);
        page.replaces = Some(1);
        page.nearest = Some(NeighbourRecord {
            url: LOGIN.into(),
            ..NeighbourRecord::default()
        });
        assert!(values.observe(&url(&at), &page).is_empty());
        let idle = values.find(&url(LOGIN)).expect("idle");
        assert_eq!((idle.probes, idle.is_sure), (1, true));
        (page.replaces, page.nearest) = (None, None);
        assert_eq!(values.observe(&url(&at), &page).len(), 1);
    }
}
