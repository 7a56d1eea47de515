//! What the journal tells of one URL that may be visited again: a page, or a source.

mod leads;
mod source;

use again::clock::passed_ms;
use again::{Evidence, Place, Priors, Signals};
use archive::{DueRecord, FetchRecord, PageRecord, Record, VisitRecord};
use outcome::{LinkFate, Outcome, PageType};
use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::xxh3_64;

use crate::config::AgainSection;
use crate::units::Span;
pub(super) use leads::{Leads, Yield};
pub(super) use source::{Source, Told};

/// More than any visit is worth by its rate.
const OVERDUE: f64 = 1e12;

/// What a page that is new is worth, in days for which our copy of a page is right.
pub(super) const NEW_WORTH: f64 = 20.0;

/// The place of a visit among the URLs that wait, at most; those that are new have 1.0.
const FIRST: f64 = 2.0;

/// New URLs that a visit is expected to find, at most.
const NEW_MAX: f64 = 50.0;

/// New URLs a day that are expected of a page from which on it is a list.
const LIST_LIKE: f32 = 0.2;

/// What had become of a page.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(super) enum Was {
    Kept,
    /// It repeats a kept page.
    Copy,
    Other,
}

impl Was {
    pub(super) fn of(outcome: &Outcome) -> Self {
        match outcome {
            _ if outcome.is_indexed() => Self::Kept,
            _ if outcome.is_duplicate() => Self::Copy,
            _ => Self::Other,
        }
    }
}

/// A page that was read, as far as it matters to when it is visited: there are as many of these as pages
/// were read, in some 150 bytes each. What its visit is compared with is a [`DueRecord`], of which there
/// are as many as a plan has chosen.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct Known {
    /// Hash of its URL.
    pub(super) url: u64,
    /// Number of the record by which it was read first.
    pub(super) first: u64,
    pub(super) place: Place,
    relevance: f32,
    /// Hash of the validators of its last answer; 0 for none.
    pub(super) validators: u32,
    /// Number of the record of the kept page that it repeats; 0 for none.
    pub(super) repeats: u64,
    /// When it was seen last.
    pub(super) last_ms: u64,
    /// When it was asked for last, whatever was answered.
    pub(super) asked_ms: u64,
    pub(super) evidence: Evidence,
    pub(super) leads: Leads,
    pub(super) told: Told,
    pub(super) was: Was,
    /// Number of its seed.
    pub(super) seed: u32,
    /// Links to it on pages that were read after it.
    linked: u16,
    pub(super) is_seed: bool,
    pub(super) is_gone: bool,
    /// Another version of it was recorded since.
    pub(super) is_amended: bool,
    /// It was put back, and is not read any more.
    pub(super) is_void: bool,
}

/// What the visit of a page that was read is compared with; none for a URL without a page.
pub(super) fn due_of(record: &Record, page: &PageRecord) -> Option<DueRecord> {
    let summary = page.page.as_ref()?;
    let is_judged = matches!(page.outcome, Outcome::Judged(_));
    if !is_judged || !(200..300).contains(&page.status()) {
        return None;
    }
    let (etag, last_modified) = validators(page.fetch.as_ref());
    Some(DueRecord {
        url: page.url.clone(),
        of: record.seq,
        was: page.outcome.clone(),
        depth: page.depth,
        seed: page.seed,
        hops: page.hops,
        via: page.via,
        context: page.context.clone(),
        digest: summary.digest.clone(),
        whole: summary.whole.as_ref().map(|whole| whole.digest.clone()),
        fingerprint: summary.fingerprint.clone(),
        words: summary.words,
        title: summary.title.clone(),
        text: page.text.clone(),
        body: page.body.clone(),
        etag,
        last_modified,
        ..DueRecord::default()
    })
}

impl Known {
    /// A URL that was read, on a host of this number; none for one without a page.
    pub(super) fn of(record: &Record, page: &PageRecord, host: u32) -> Option<Self> {
        let summary = page.page.as_ref()?;
        let is_judged = matches!(page.outcome, Outcome::Judged(_));
        if !is_judged || !(200..300).contains(&page.status()) {
            return None;
        }
        let repeats = page
            .nearest
            .as_ref()
            .filter(|_| page.outcome.is_duplicate());
        let (etag, last_modified) = validators(page.fetch.as_ref());
        Some(Self {
            url: hash_of(&page.url),
            first: record.seq,
            place: Place {
                form: hash_of(&form_of(&page.url)),
                host,
                page_type: number_of(&summary.page_type),
            },
            relevance: summary.relevance.unwrap_or(1.0),
            validators: print_of(&etag, &last_modified),
            repeats: repeats.map_or(0, |near| near.page),
            last_ms: record.at_ms,
            asked_ms: record.at_ms,
            evidence: Evidence::default(),
            leads: Leads::of_page(&summary.page_type, new_links(page)),
            told: Told::default(),
            was: Was::of(&page.outcome),
            seed: page.seed,
            linked: 0,
            is_seed: page.depth == 0,
            is_gone: false,
            is_amended: false,
            is_void: false,
        })
    }

    /// Another version of it was found: what was learnt of the URL stays.
    pub(super) fn become_version(&mut self, mut now: Self, visit: &VisitRecord) {
        std::mem::swap(&mut now.evidence, &mut self.evidence);
        (now.leads, now.told, now.first) = (self.leads, self.told, self.first);
        now.linked = self.linked;
        now.is_amended = true;
        now.validators = print_of(&visit.etag, &visit.last_modified);
        *self = now;
    }

    /// Another page links to it.
    pub(super) fn link(&mut self) {
        self.linked = self.linked.saturating_add(1);
    }

    /// What it is worth that our copy of it is right: its relevance; little for what is not kept. More where
    /// its seed has a higher priority, and where other pages link to it: twice as much for nine of them, three
    /// times for 99.
    fn weight(&self, priority: f64) -> f64 {
        let own = match self.was {
            Was::Kept => f64::from(self.relevance).max(0.1),
            Was::Copy | Was::Other => 0.05,
        };
        let of_seed = if self.is_seed { 2.0 } else { 1.0 };
        let by_links = 1.0 + (1.0 + f64::from(self.linked)).log10();
        priority * of_seed * own * by_links
    }

    /// Whether the last visit said nothing of it.
    pub(super) fn is_unanswered(&self) -> bool {
        self.asked_ms > self.last_ms
    }

    /// Whether the least time between two visits is over.
    pub(super) fn may_be_asked(&self, settings: &AgainSection, now_ms: u64) -> bool {
        let asked = passed_ms(self.asked_ms, now_ms);
        asked.is_none_or(|asked| u128::from(asked) >= settings.min.0.as_millis())
    }

    /// Whether it is visited for what it leads to.
    pub(super) fn is_list(&self) -> bool {
        self.is_seed || self.leads.like >= LIST_LIKE
    }

    /// When it may be asked again.
    pub(super) fn due_ms(&self, settings: &AgainSection) -> u64 {
        let pause = settings.min.max(settings.every.min(settings.max));
        after(self.asked_ms, pause.0.as_millis())
    }

    /// Its place among the URLs that are new, which wait in the order of what they promise: expected new or
    /// changed relevant pages for a request. A change counts for as long as our copy would be wrong without
    /// the visit. A URL to which the visit leads costs a request as well.
    pub(super) fn place_among_new(
        &self,
        priority: f64,
        priors: &Priors,
        signals: &Signals,
        reads: &Yield,
        settings: &AgainSection,
        now_ms: u64,
    ) -> f32 {
        if self.is_overdue(settings, now_ms) {
            return FIRST as f32;
        }
        let rates = self.evidence.rates(&priors.of(&self.place));
        let since = self.told.since(self.last_ms, now_ms);
        let own = self.weight(priority) * signals.marginal(&rates, since) / NEW_WORTH;
        let new = self.leads.expected(since.days);
        let among_new = own / reads.of_promise() + new / (1.0 + new);
        among_new.min(FIRST) as f32
    }

    /// Whether it was not asked for longer than the longest time between two visits.
    fn is_overdue(&self, settings: &AgainSection, now_ms: u64) -> bool {
        let asked = passed_ms(self.asked_ms, now_ms);
        asked.is_some_and(|asked| u128::from(asked) >= settings.max.0.as_millis())
    }

    /// What a visit is worth now.
    pub(super) fn value(
        &self,
        priority: f64,
        priors: &Priors,
        signals: &Signals,
        settings: &AgainSection,
        now_ms: u64,
    ) -> f64 {
        let asked = passed_ms(self.asked_ms, now_ms).map(u128::from);
        let passed = |span: Span| asked.is_none_or(|asked| asked >= span.0.as_millis());
        let is_overdue = self.is_overdue(settings, now_ms);
        if !passed(settings.min) || !(passed(settings.every) || is_overdue) {
            return 0.0;
        }
        if is_overdue {
            // Before all others, those first that wait for longest.
            let longest = settings.max.0.as_millis().max(1);
            return OVERDUE * asked.unwrap_or(longest) as f64 / longest as f64;
        }
        let rates = self.evidence.rates(&priors.of(&self.place));
        let since = self.told.since(self.last_ms, now_ms);
        let own = self.weight(priority) * signals.marginal(&rates, since);
        let new = NEW_WORTH * self.leads.expected(since.days);
        // A visit at once after the one before is worth little, but is what was asked for.
        (own + new).max(f64::MIN_POSITIVE)
    }
}

/// Links that brought in URLs.
pub(super) fn new_links(page: &PageRecord) -> usize {
    let links = page.links.iter();
    links.filter(|link| link.fate == LinkFate::New).count()
}

/// The validators of a first answer, as its record has them.
fn validators(fetch: Option<&FetchRecord>) -> (Option<String>, Option<String>) {
    let fetch = fetch.map(|fetch| (fetch.etag.clone(), fetch.last_modified.clone()));
    fetch.unwrap_or_default()
}

/// A number for a type of page.
fn number_of(page_type: &PageType) -> u8 {
    match page_type {
        PageType::Article => 1,
        PageType::Forum => 2,
        PageType::Product => 3,
        PageType::Collection => 4,
        PageType::Listing => 5,
        PageType::Documentation => 6,
        PageType::Service => 7,
        PageType::FrontPage => 8,
        PageType::Other => 9,
        PageType::Wall => 10,
        PageType::Unknown(_) => 0,
    }
}

/// A URL, or the form of one, as a number.
pub(super) fn hash_of(url: &str) -> u64 {
    xxh3_64(url.as_bytes())
}

/// Two validators as a number: 0 where there is none.
pub(super) fn print_of(etag: &Option<String>, last_modified: &Option<String>) -> u32 {
    if etag.is_none() && last_modified.is_none() {
        return 0;
    }
    let both = format!(
        "{}\n{}",
        etag.as_deref().unwrap_or(""),
        last_modified.as_deref().unwrap_or("")
    );
    (xxh3_64(both.as_bytes()) as u32).max(1)
}

/// A time and so many milliseconds more.
fn after(at_ms: u64, pause: u128) -> u64 {
    at_ms.saturating_add(u64::try_from(pause).unwrap_or(u64::MAX))
}

/// The host key of a canonical URL.
pub(super) fn host_of(url: &str) -> String {
    frontier::HostKey::of(url).to_string()
}

/// The form of a URL: its folders, with `#` for numbers, and `*` for the last part of the path.
fn form_of(url: &str) -> String {
    let rest = weburl::without_scheme(url);
    let path = rest.split_once('/').map_or("", |(_, path)| path);
    let path = path.split('?').next().unwrap_or_default();
    let folders = path.rsplit_once('/').map_or("", |(folders, _)| folders);
    let form = |folder: &str| match folder.bytes().any(|byte| byte.is_ascii_digit()) {
        true => "#".to_owned(),
        false => folder.to_owned(),
    };
    let forms: Vec<String> = folders.split('/').take(3).map(form).collect();
    format!("/{}/*", forms.join("/"))
}

#[cfg(test)]
mod tests {
    use outcome::Verdict;

    use super::*;

    #[test]
    fn urls_of_one_form_differ_in_numbers_and_in_their_last_part() {
        assert_eq!(
            form_of("http://a.example/blog/2024/05/x.html?p=1"),
            "/blog/#/#/*"
        );
        assert_eq!(form_of("http://a.example/"), "//*");
        assert_eq!(form_of("http://a.example/about"), "//*");
    }

    #[test]
    fn a_page_that_is_known_is_held_in_few_bytes() {
        assert!(size_of::<Known>() <= 160, "{}", size_of::<Known>());
    }

    #[test]
    fn a_page_is_worth_more_by_its_seed_and_by_the_links_to_it() {
        let page = PageRecord {
            outcome: Outcome::Judged(Verdict::Index),
            depth: 1,
            fetch: Some(FetchRecord {
                status: 200,
                ..FetchRecord::default()
            }),
            page: Some(archive::PageSummary::default()),
            ..PageRecord::default()
        };
        let record = Record {
            seq: 1,
            at_ms: 1,
            event: archive::Event::Page(Box::default()),
        };
        let mut known = Known::of(&record, &page, 0).expect("a page");
        assert_eq!(known.weight(1.0), 2.0 * known.weight(0.5));
        let alone = known.weight(1.0);
        (0..9).for_each(|_| known.link());
        assert_eq!(known.weight(1.0), 2.0 * alone);
    }

    #[test]
    fn what_a_list_leads_to_is_learnt_from_its_visits() {
        let mut list = Leads::of_page(&PageType::Listing, 40);
        let mut article = Leads::of_page(&PageType::Article, 0);
        assert!(list.expected(1.0) > 50.0 * article.expected(1.0));
        for _ in 0..30 {
            list.see(0, 1.0);
            article.see(1, 1.0);
        }
        assert!(article.expected(1.0) > 10.0 * list.expected(1.0));
    }

    #[test]
    fn a_site_that_dates_a_page_again_tells_of_a_change_once() {
        let mut told = Told::default();
        assert_eq!(told.since(5, 100).told, None);
        for date in [3, 5, 7, 7, 6, 9] {
            told.tell(date, 5);
        }
        assert_eq!(told.since(5, 100).told, Some(2));
        told.forget();
        told.tell(9, 8);
        assert_eq!(told.since(8, 100).told, Some(0));
    }
}
