//! What is not worth a request: duplicates foreseen, and what has yielded nothing.
//!
//! The gate asks before a URL is fetched. A URL that a rule learnt from confirmed pairs calls
//! another name of a page is refused once that page has been read, and held back until then: so
//! however wrong a rule may be about what is not there, no page is lost to it. In a crawl with a
//! topic, hosts and parts of hosts that have yielded next to nothing for it are refused as well. In
//! both cases one URL in twenty is fetched all the same, so that the rule can be found wrong.
//!
//! URLs are compared by their plain spelling, without the parameters that the frontier has found to
//! change nothing: copies on a mirror often differ in a session id as well.
//!
//! When a rule is found wrong and no longer believed, what was refused for it is put back into the
//! queue: a `retry` record in the journal says so.
//!
//! A view over the journal: it follows from page records alone, in their order.

use std::collections::{HashMap, HashSet};

use archive::{Foreseen, PageRecord, RetryRecord};
use focus::{UrlDedupConfig, UrlDedupRules};
use frontier::{CanonicalUrl, HostKey, Permission, Spelling};
use xxhash_rust::xxh3::xxh3_64;

use crate::convert::original_of;
use crate::read_urls::ReadUrls;

/// Begins the words of a refusal of a duplicate foreseen.
pub(crate) const FORESEEN: &str = "duplicate_foreseen";

/// Begins the words of a refusal of what yields nothing.
pub(crate) const BARREN: &str = "barren";

/// Rules for which URLs are put back in one start: each takes a reading of the journal.
const REPAIRS_MAX: usize = 100;

/// Hosts that are stopped at most.
const STOPPED_MAX: usize = 100_000;

/// One URL in so many of a stopped host is fetched all the same.
const PROBE_EACH: u64 = 20;

/// What the pages so far say of URLs not fetched yet.
#[derive(Debug)]
pub struct Foresight {
    redundancy: UrlDedupRules,
    has_topic: bool,
    /// URLs that the user gave: they are fetched.
    given: HashSet<u64>,
    /// What was read.
    read: ReadUrls,
    /// Hosts that yield nothing, and why that is said.
    stopped: HashMap<String, String>,
    /// Rules for which URLs were refused that were not put back since.
    refused: HashSet<String>,
    /// Rules no longer believed whose URLs were not put back yet.
    lifted: Vec<String>,
    /// Rules whose URLs were put back in this start.
    repairs: usize,
}

impl Foresight {
    /// Knows nothing yet. Without a topic only duplicates are foreseen.
    pub fn new(seed: u64, has_topic: bool) -> Self {
        Self {
            redundancy: UrlDedupRules::new(&UrlDedupConfig {
                seed,
                // Without a topic every page is wanted: one unique page ends a rule.
                strict: !has_topic,
                ..UrlDedupConfig::default()
            }),
            has_topic,
            given: HashSet::new(),
            read: ReadUrls::default(),
            stopped: HashMap::new(),
            refused: HashSet::new(),
            lifted: Vec::new(),
            repairs: 0,
        }
    }

    /// The rules found wrong since this was last asked, for which URLs were refused.
    pub(crate) fn take_lifted(&mut self) -> Vec<String> {
        let mut lifted = std::mem::take(&mut self.lifted);
        lifted.retain(|rule| self.refused.remove(rule));
        lifted.truncate(REPAIRS_MAX - self.repairs);
        self.repairs += lifted.len();
        lifted
    }

    /// Takes in that URLs were put back.
    pub(crate) fn on_put_back(&mut self, retry: &RetryRecord) {
        if let Some(rule) = retry.wrong_rule() {
            self.refused.remove(rule);
            self.lifted.retain(|lifted| lifted != rule);
        }
    }

    /// Takes in a seed: it is fetched whatever the rules say, and its host is no mirror of one that
    /// comes later.
    pub fn on_seed(&mut self, url: &str) {
        self.given.insert(xxh3_64(url.as_bytes()));
        self.redundancy.note_host(url);
    }

    /// The original of a URL, if it is foreseen to be a duplicate of a page that was read.
    pub fn original_of(&self, url: &CanonicalUrl, spelling: &Spelling<'_>) -> Option<String> {
        let prediction = self.redundancy.predict(&spelling.plain(url))?;
        self.read
            .contains(&prediction.kept_url, spelling)
            .then_some(prediction.kept_url)
    }

    /// May this URL be fetched now?
    pub fn check(&self, host: &HostKey, url: &CanonicalUrl, spelling: &Spelling<'_>) -> Permission {
        let hash = xxh3_64(url.as_str().as_bytes());
        if self.given.contains(&hash) {
            return Permission::Allowed;
        }
        if self.has_topic {
            if let Some(why) = self.stopped.get(host.as_str())
                && !hash.is_multiple_of(PROBE_EACH)
            {
                return Permission::Refused(format!("{BARREN}: {host}: {why}"));
            }
            if self.redundancy.yield_of(url.as_str()) <= 0.0 {
                return Permission::Refused(format!(
                    "{BARREN}: nearly all URLs of its form were thin or duplicates"
                ));
            }
        }
        let plain = spelling.plain(url);
        if self.read.contains(&plain, spelling) {
            return foreseen(Foreseen::Parameters { read: &plain });
        }
        match self.redundancy.predict(&plain) {
            Some(prediction) if !prediction.probe => {
                if !self.read.contains(&prediction.kept_url, spelling) {
                    return Permission::Later;
                }
                foreseen(Foreseen::Rules {
                    read: &prediction.kept_url,
                    rules: &prediction.rule,
                    percent: (100.0 * prediction.confidence).round() as u32,
                })
            }
            Some(_) | None => Permission::Allowed,
        }
    }

    /// Learns from a finished URL.
    pub fn on_page(&mut self, record: &PageRecord, spelling: &Spelling<'_>) {
        let Ok(url) = CanonicalUrl::parse(&record.url) else {
            return;
        };
        for rule in rules_of(record) {
            if !self.refused.contains(rule) {
                self.refused.insert(rule.to_owned());
            }
            // It was on its way here while the rule was found wrong.
            if self.redundancy.predict(&spelling.plain(&url)).is_none() {
                self.lifted.push(rule.to_owned());
            }
        }
        let status = record.fetch.as_ref().map_or(0, |fetch| fetch.status);
        let is_whole = record.page.is_some() && (200..300).contains(&status);
        let reason = record.reason.as_deref().unwrap_or("");
        if is_whole && reason != "soft_404" {
            self.read.note(&url, spelling);
        }
        let canonical = canonical_of(record).map(|canonical| spelling.plain(&canonical));
        if let Some(canonical) = &canonical {
            let plain = spelling.plain(&url);
            self.redundancy
                .observe_declared_canonical(&plain, canonical);
        }
        match (original_of(record), reason) {
            (Some(original), _) => {
                let Some((copy, original)) = pair(&url, &original, spelling) else {
                    return;
                };
                let led_to = || {
                    let new = record.links.iter().filter(|link| link.fate == "new");
                    new.map(|link| link.url.as_str())
                };
                self.redundancy.observe_pair(&copy, &original, led_to());
                if canonical.as_deref() == Some(original.as_str()) {
                    self.redundancy
                        .observe_canonical_pair(&copy, &original, led_to());
                }
            }
            (None, reason) if is_whole && !matches!(reason, "thin" | "soft_404" | "error_page") => {
                let read = &self.read;
                let was_read = |url: &str| read.contains(url, spelling);
                self.redundancy
                    .observe_unique(&spelling.plain(&url), was_read);
            }
            (_, "near_duplicate" | "exact_duplicate" | "thin" | "soft_404" | "error_page") => {
                self.redundancy.observe_low_yield(&record.url);
            }
            _ => {}
        }
        // What is refused once a rule is believed again is refused for good reason, though nobody
        // has asked by then, as on a replay.
        let lifted = self.redundancy.take_lifted().into_iter();
        self.lifted
            .extend(lifted.filter(|rule| self.refused.contains(rule)));
    }

    /// Notes that a host yields nothing for the topic, or again something.
    pub fn set_stopped(&mut self, host: &str, why: Option<String>) {
        match why {
            Some(why) if self.stopped.len() < STOPPED_MAX => {
                self.stopped.insert(host.to_string(), why);
            }
            Some(_) => {}
            None => {
                self.stopped.remove(host);
            }
        }
    }
}

fn foreseen(words: Foreseen<'_>) -> Permission {
    Permission::Refused(format!("{FORESEEN}: {words}"))
}

/// The rules for which a URL was refused, in words.
fn rules_of(record: &PageRecord) -> impl Iterator<Item = &str> {
    let is_foreseen = record.reason.as_deref() == Some(FORESEEN);
    let detail = record.detail.as_deref().filter(|_| is_foreseen);
    let words = detail.and_then(Foreseen::read);
    words.into_iter().flat_map(|words| words.rules())
}

/// Whether a URL was refused for this rule.
pub(crate) fn was_refused_for(record: &PageRecord, rule: &str) -> bool {
    rules_of(record).any(|known| known == rule)
}

/// What the record says that puts back the URLs refused for a rule.
pub(crate) fn words_of_lift(rule: &str) -> String {
    format!("{}{rule}", RetryRecord::WRONG_RULE)
}

/// The URL that a page names as canonical.
fn canonical_of(record: &PageRecord) -> Option<CanonicalUrl> {
    CanonicalUrl::parse(record.page.as_ref()?.canonical.as_deref()?).ok()
}

/// The plain URLs of a copy and its original. What changes nothing on one of two hosts changes
/// nothing on the other, which may not have been found out yet: then that one's spelling counts. So
/// it is with a parameter that alone keeps them apart.
fn pair(
    copy: &CanonicalUrl,
    original: &CanonicalUrl,
    spelling: &Spelling<'_>,
) -> Option<(String, String)> {
    let (mut plain_copy, mut plain_original) = (spelling.plain(copy), spelling.plain(original));
    if copy.host() != original.host() {
        let twin = |url, other, plain: &str| {
            on_host_of(url, other).is_some_and(|twin| spelling.plain(&twin) == plain)
        };
        if twin(copy, original, &plain_original) || copy.differs_in(original).is_some() {
            plain_copy = rehosted(&plain_original, copy)?;
        } else if twin(original, copy, &plain_copy) {
            plain_original = rehosted(&plain_copy, original)?;
        }
    }
    Some((plain_copy, plain_original))
}

/// The URL as it would be on the other one's host.
fn on_host_of(url: &CanonicalUrl, other: &CanonicalUrl) -> Option<CanonicalUrl> {
    CanonicalUrl::parse(&rehosted(url.as_str(), other)?).ok()
}

fn rehosted(url: &str, other: &CanonicalUrl) -> Option<String> {
    let mut url = url::Url::parse(url).ok()?;
    let other = other.to_url();
    url.set_host(other.host_str()).ok()?;
    url.set_port(other.port()).ok()?;
    Some(url.into())
}

#[cfg(test)]
mod tests {
    use archive::{FetchRecord, NeighbourRecord, PageSummary};
    use proptest::strategy::Strategy as _;

    use super::*;

    fn page(url: &str, original: Option<&str>) -> PageRecord {
        PageRecord {
            url: url.into(),
            outcome: "judged".into(),
            fetch: Some(FetchRecord {
                status: 200,
                ..FetchRecord::default()
            }),
            page: Some(PageSummary::default()),
            verdict: Some(
                if original.is_some() {
                    "junk"
                } else {
                    "indexed"
                }
                .into(),
            ),
            reason: original.map(|_| "exact_duplicate".into()),
            nearest: original.map(|url| NeighbourRecord {
                url: url.into(),
                decision: "duplicate".into(),
                kind: Some("full_layout".into()),
                ..NeighbourRecord::default()
            }),
            ..PageRecord::default()
        }
    }

    /// A frontier that has found nothing out about parameters yet.
    fn frontier() -> (tempfile::TempDir, frontier::Frontier) {
        let dir = tempfile::tempdir().unwrap();
        let now = std::time::Instant::now();
        let config = frontier::FrontierConfig::default();
        let (frontier, _) = frontier::Frontier::open(dir.path(), config, now).unwrap();
        (dir, frontier)
    }

    thread_local! {
        static NEW: (tempfile::TempDir, frontier::Frontier) = frontier();
    }

    fn observe(foresight: &mut Foresight, url: &str, original: Option<&str>) {
        NEW.with(|(_, frontier)| foresight.on_page(&page(url, original), &frontier.spelling()));
    }

    fn mirrored() -> Foresight {
        mirrored_in(Foresight::new(0, false))
    }

    fn mirrored_in(mut foresight: Foresight) -> Foresight {
        foresight.on_seed("http://a.example/");
        foresight.on_seed("http://m.example/");
        observe_copies(&mut foresight, 0..12);
        foresight
    }

    fn observe_copies(foresight: &mut Foresight, numbers: std::ops::Range<u32>) {
        for number in numbers {
            let original = format!("http://a.example/{number}");
            observe(foresight, &original, None);
            let copy = format!("http://m.example/{number}");
            observe(foresight, &copy, Some(&original));
        }
    }

    fn check(foresight: &Foresight, url: &str) -> Permission {
        let url = CanonicalUrl::parse(url).unwrap();
        NEW.with(|(_, frontier)| foresight.check(&url.host(), &url, &frontier.spelling()))
    }

    /// A path of the mirror that is no probe.
    fn skipped(foresight: &Foresight) -> String {
        (0..)
            .map(|number| format!("page/{number}"))
            .find(|path| {
                check(foresight, &format!("http://m.example/{path}")) != Permission::Allowed
            })
            .unwrap()
    }

    #[test]
    fn a_copy_waits_for_its_original_and_is_refused_once_that_was_read() {
        let mut foresight = mirrored();
        let path = skipped(&foresight);
        let (copy, original) = (
            format!("http://m.example/{path}"),
            format!("http://a.example/{path}"),
        );
        assert_eq!(check(&foresight, &copy), Permission::Later);
        assert_eq!(check(&foresight, &original), Permission::Allowed);
        observe(&mut foresight, &original, None);
        let Permission::Refused(words) = check(&foresight, &copy) else {
            panic!("it was read");
        };
        assert!(
            words.starts_with(FORESEEN) && words.contains(&original),
            "{words}"
        );
    }

    /// A copy on the mirror that is refused once its original was read.
    fn refused(foresight: &mut Foresight) -> PageRecord {
        let path = skipped(foresight);
        observe(foresight, &format!("http://a.example/{path}"), None);
        let copy = format!("http://m.example/{path}");
        let Permission::Refused(words) = check(foresight, &copy) else {
            panic!("its original was read");
        };
        PageRecord {
            url: copy,
            outcome: "refused".into(),
            reason: Some(FORESEEN.into()),
            detail: words.split_once(": ").map(|(_, detail)| detail.into()),
            ..PageRecord::default()
        }
    }

    /// The mirror has a page of its own.
    fn find_wrong(foresight: &mut Foresight) {
        observe(foresight, "http://a.example/twin", None);
        observe(foresight, "http://m.example/twin", None);
    }

    const MIRROR: &str = "m.example mirrors a.example";

    #[test]
    fn a_rule_found_wrong_is_told_once_and_only_if_urls_were_refused_for_it() {
        let mut foresight = mirrored();
        find_wrong(&mut foresight);
        assert!(foresight.take_lifted().is_empty());
        let mut foresight = mirrored();
        let refused = refused(&mut foresight);
        take_in(&mut foresight, &refused);
        find_wrong(&mut foresight);
        let lifted = foresight.take_lifted();
        assert_eq!(lifted, [MIRROR]);
        assert!(was_refused_for(&refused, &lifted[0]));
        assert!(foresight.take_lifted().is_empty());
    }

    #[test]
    fn a_replay_puts_nothing_back_that_was_put_back_or_was_refused_since() {
        for is_refused_before in [true, false] {
            let mut foresight = mirrored_in(Foresight::new(0, true));
            let refused = refused(&mut foresight);
            if is_refused_before {
                take_in(&mut foresight, &refused);
            }
            find_wrong(&mut foresight);
            if is_refused_before {
                foresight.on_put_back(&RetryRecord {
                    filter: words_of_lift(MIRROR),
                    ..RetryRecord::default()
                });
            }
            observe_copies(&mut foresight, 12..32);
            // It is believed again, and refuses more.
            take_in(&mut foresight, &refused);
            assert!(foresight.take_lifted().is_empty(), "{is_refused_before}");
        }
    }

    #[test]
    fn what_was_refused_just_before_its_rule_was_found_wrong_is_put_back_too() {
        let mut foresight = mirrored();
        let refused = refused(&mut foresight);
        find_wrong(&mut foresight);
        assert!(foresight.take_lifted().is_empty());
        take_in(&mut foresight, &refused);
        assert_eq!(foresight.take_lifted(), [MIRROR]);
    }

    /// Both hosts under one session each, so that no page of either is read under two spellings.
    #[test]
    fn a_mirror_with_session_ids_of_its_own_is_found_out() {
        let (_dir, mut frontier) = frontier();
        let mut foresight = Foresight::new(0, false);
        foresight.on_seed("http://a.example/");
        foresight.on_seed("http://m.example/");
        let mut read = |frontier: &mut frontier::Frontier, record: &PageRecord| {
            let url = CanonicalUrl::parse(&record.url).unwrap();
            let gave = crate::convert::gave(record).unwrap();
            frontier.observe(&url, 0, gave, original_of(record).as_ref());
            foresight.on_page(record, &frontier.spelling());
        };
        for number in 0..40 {
            let original = format!("http://a.example/{number}?sid=a");
            read(&mut frontier, &page(&original, None));
            if number < 25 {
                let copy = format!("http://m.example/{number}?sid=m");
                read(&mut frontier, &page(&copy, Some(&original)));
            }
        }
        let permission = |path: &str| {
            let copy = CanonicalUrl::parse(&format!("http://m.example/{path}?sid=m")).unwrap();
            foresight.check(&copy.host(), &copy, &frontier.spelling())
        };
        let refused =
            |number: &u32| matches!(permission(&number.to_string()), Permission::Refused(_));
        assert!((25..40).filter(refused).count() >= 12);
        assert!((40..60).any(|number| permission(&number.to_string()) == Permission::Later));
        assert!(!(40..60).any(|number| refused(&number)));
        let plain = |path: &str| {
            let url = CanonicalUrl::parse(&format!("http://a.example/{path}")).unwrap();
            foresight.check(&url.host(), &url, &frontier.spelling())
        };
        assert!(matches!(plain("7"), Permission::Refused(_)));
        assert_eq!(plain("70"), Permission::Allowed);
    }

    fn naming(canonical: &str, record: PageRecord) -> PageRecord {
        PageRecord {
            page: Some(PageSummary {
                canonical: Some(canonical.into()),
                ..PageSummary::default()
            }),
            ..record
        }
    }

    fn take_in(foresight: &mut Foresight, record: &PageRecord) {
        NEW.with(|(_, frontier)| foresight.on_page(record, &frontier.spelling()));
    }

    #[test]
    fn copies_that_name_their_original_are_left_alone_once_it_was_read() {
        let mut foresight = Foresight::new(0, false);
        let forms = |number: u32| {
            (
                format!("http://a.example/garden/item-{number}"),
                format!("http://a.example/products/item-{number}"),
            )
        };
        for number in 0..12 {
            let (copy, original) = forms(number);
            take_in(&mut foresight, &naming(&original, page(&original, None)));
            take_in(
                &mut foresight,
                &naming(&original, page(&copy, Some(&original))),
            );
        }
        for number in 20..40 {
            observe(&mut foresight, &forms(number).1, None);
        }
        let refused = (20..40)
            .filter(|&number| matches!(check(&foresight, &forms(number).0), Permission::Refused(_)))
            .count();
        assert!(refused >= 16, "{refused}");
        let waits = |number: &u32| check(&foresight, &forms(*number).0) == Permission::Later;
        assert!((50..60).any(|number| waits(&number)));
        assert!(
            (50..60).all(|number| { check(&foresight, &forms(number).1) == Permission::Allowed })
        );
    }

    proptest::proptest! {
        /// A site whose pages all name its front page, or anything else: that alone costs no page.
        #[test]
        fn a_canonical_that_lies_costs_no_page(
            names in proptest::collection::vec((0u32..40, 0u32..3), 1..60),
            has_topic in proptest::prelude::any::<bool>(),
        ) {
            let mut foresight = Foresight::new(0, has_topic);
            for (number, (target, form)) in names.iter().enumerate() {
                let url = format!("http://a.example/garden/{number}");
                proptest::prop_assert_eq!(check(&foresight, &url), Permission::Allowed);
                let canonical = match form {
                    0 => "http://a.example/".to_owned(),
                    1 => format!("http://a.example/products/{target}"),
                    _ => format!("http://a.example/garden/{target}"),
                };
                take_in(&mut foresight, &naming(&canonical, page(&url, None)));
            }
        }

        /// A site that serves everything in two forms, of which one names the other: whatever the
        /// order in which they are found, every text is read, and what was held back goes in the end.
        #[test]
        fn every_text_is_read_whichever_form_is_found_first(
            order in proptest::sample::subsequence((0u32..160).collect::<Vec<_>>(), 160)
                .prop_shuffle(),
        ) {
            let mut foresight = Foresight::new(0, false);
            let url = |at: u32, form: u32| match form {
                0 => format!("http://a.example/products/{at}"),
                _ => format!("http://a.example/garden/{at}"),
            };
            let mut texts: std::collections::HashMap<u32, String> = std::collections::HashMap::new();
            let mut queue: std::collections::VecDeque<u32> = order.into();
            let mut waited = 0;
            while let Some(next) = queue.pop_front() {
                let (at, form) = (next / 2, next % 2);
                let this = url(at, form);
                match check(&foresight, &this) {
                    Permission::Later if waited <= queue.len() => {
                        waited += 1;
                        queue.push_back(next);
                        continue;
                    }
                    Permission::Refused(_) => continue,
                    Permission::Later | Permission::Allowed | Permission::Unknown => waited = 0,
                }
                let original = texts.get(&at).cloned();
                texts.entry(at).or_insert_with(|| this.clone());
                let record = page(&this, original.as_deref());
                take_in(&mut foresight, &naming(&url(at, 0), record));
            }
            proptest::prop_assert_eq!(texts.len(), 80);
        }
    }

    #[test]
    fn what_the_user_gave_is_fetched() {
        let mut foresight = mirrored();
        let copy = format!("http://m.example/{}", skipped(&foresight));
        foresight.on_seed(&copy);
        assert_eq!(check(&foresight, &copy), Permission::Allowed);
    }

    #[test]
    fn a_stopped_host_is_refused_in_a_crawl_with_a_topic_but_for_probes() {
        for has_topic in [true, false] {
            let mut foresight = Foresight::new(0, has_topic);
            foresight.set_stopped("a.example", Some("nothing there".into()));
            let refused = (0..1_000)
                .filter(|number| {
                    check(&foresight, &format!("http://a.example/{number}")) != Permission::Allowed
                })
                .count();
            if has_topic {
                assert!((900..990).contains(&refused), "{refused}");
            } else {
                assert_eq!(refused, 0);
            }
            foresight.set_stopped("a.example", None);
            assert_eq!(check(&foresight, "http://a.example/x"), Permission::Allowed);
        }
    }
}
