//! The fetch gate: is a URL that may be fetched worth the request?
//!
//! The gate is asked before a URL is fetched. A URL that a rule learnt from confirmed pairs calls
//! another name of a page is refused once that page has been read, and held back until then: so
//! however wrong a rule may be about what is not there, no page is lost to it. In a crawl with a
//! topic, hosts and parts of hosts that have yielded next to nothing for it are refused as well. In
//! both cases one URL in twenty is fetched all the same, so that the rule can be found wrong.
//!
//! URLs are compared by their normalized form, without the parameters that the frontier has found to
//! change nothing: copies on a mirror often differ in a session id as well.
//!
//! When a rule is found wrong and no longer believed, what was refused for it is put back into the
//! queue: a `retry` record in the journal says so.
//!
//! All of it follows from records alone, in their order.

use std::collections::{HashMap, HashSet};

use archive::{PageRecord, RetryRecord};
use focus::{UrlDedupConfig, UrlDedupRules};
use frontier::{CanonicalUrl, HostKey, Permission, Refused, UrlNormalizer};
use outcome::{
    JunkKind, JunkReason, LinkFate, LowYield, PredictedDuplicate, PredictionCause, Refusal,
};
use xxhash_rust::xxh3::xxh3_64;

use crate::read_urls::ReadUrls;
use crate::recorded::original_of;
use crate::refused::{Refused as RefusedFor, RefusedUrls};
use crate::retry;

/// Hosts that are stopped at most.
const STOPPED_MAX: usize = 100_000;

/// One URL in so many of a stopped host is fetched all the same.
const PROBE_EACH: u64 = 20;

/// What the pages so far say of URLs not fetched yet.
#[derive(Debug)]
pub struct FetchGate {
    rules: UrlDedupRules,
    has_topic: bool,
    /// URLs that the user gave: they are fetched.
    given: HashSet<u64>,
    /// What was read.
    read: ReadUrls,
    /// Hosts that yield nothing, and why that is said.
    stopped: HashMap<String, String>,
    /// URLs that were refused for rules and not put back since.
    refused: RefusedUrls,
    /// Rules found wrong whose URLs were not put back yet.
    wrong: Vec<String>,
}

impl FetchGate {
    /// Knows nothing yet. Without a topic only duplicates are predicted.
    pub fn new(seed: u64, has_topic: bool) -> Self {
        Self {
            rules: UrlDedupRules::new(&UrlDedupConfig {
                seed,
                // Without a topic every page is wanted: one unique page ends a rule.
                strict: !has_topic,
                ..UrlDedupConfig::default()
            }),
            has_topic,
            given: HashSet::new(),
            read: ReadUrls::default(),
            stopped: HashMap::new(),
            refused: RefusedUrls::default(),
            wrong: Vec::new(),
        }
    }

    /// The rules found wrong, with the URLs that were refused for them and not put back yet.
    pub(crate) fn wrong_rules(&self) -> impl Iterator<Item = (&str, &RefusedFor)> {
        let rules = self.wrong.iter().map(String::as_str);
        rules.filter_map(|rule| Some((rule, self.refused.of(rule)?)))
    }

    /// Takes in that URLs were put back.
    pub(crate) fn on_put_back(&mut self, retry: &RetryRecord) {
        if let Some(rule) = &retry.wrong_rule {
            self.refused.put_back(rule, &retry.urls);
            if !self.refused.has(rule) {
                self.wrong.retain(|wrong| wrong != rule);
            }
        }
    }

    /// Takes in a seed: it is fetched whatever the rules say, and its host is no mirror of one that
    /// comes later.
    pub fn on_seed(&mut self, url: &str) {
        self.given.insert(xxh3_64(url.as_bytes()));
        self.rules.note_host(url);
    }

    /// The original of a URL, if it is predicted to be a duplicate of a page that was read.
    pub fn original_of(&self, url: &CanonicalUrl, normalizer: &UrlNormalizer) -> Option<String> {
        let prediction = self.rules.predict(&normalizer.normalized(url))?;
        self.read
            .contains(&prediction.kept_url, normalizer)
            .then_some(prediction.kept_url)
    }

    /// Whether the user gave this URL.
    pub(crate) fn is_given(&self, url: &CanonicalUrl) -> bool {
        self.given.contains(&xxh3_64(url.as_str().as_bytes()))
    }

    /// May this URL be fetched now?
    pub fn check(
        &self,
        host: &HostKey,
        url: &CanonicalUrl,
        normalizer: &UrlNormalizer,
    ) -> Permission {
        let hash = xxh3_64(url.as_str().as_bytes());
        if self.given.contains(&hash) {
            return Permission::Allowed;
        }
        if self.has_topic {
            if let Some(why) = self.stopped.get(host.as_str())
                && !hash.is_multiple_of(PROBE_EACH)
            {
                return refuse(Refusal::LowYield(LowYield::Host {
                    host: host.to_string(),
                    why: why.clone(),
                }));
            }
            if self.rules.yield_of(url.as_str()) <= 0.0 {
                return refuse(Refusal::LowYield(LowYield::UrlForm {}));
            }
        }
        let plain = normalizer.normalized(url);
        if self.read.contains(&plain, normalizer) {
            return predicted(plain, PredictionCause::IgnoredParameters {});
        }
        match self.rules.predict(&plain) {
            Some(prediction) if !prediction.probe => {
                if !self.read.contains(&prediction.kept_url, normalizer) {
                    return Permission::Defer;
                }
                let cause = PredictionCause::Rules {
                    rules: prediction
                        .rule
                        .split(RULES_JOINED)
                        .map(str::to_owned)
                        .collect(),
                    percent: (100.0 * prediction.confidence).round() as u32,
                };
                predicted(prediction.kept_url, cause)
            }
            Some(_) | None => Permission::Allowed,
        }
    }

    /// Learns from a finished URL.
    pub fn on_page(&mut self, record: &PageRecord, normalizer: &UrlNormalizer) {
        let Ok(url) = CanonicalUrl::parse(&record.url) else {
            return;
        };
        self.note_refusal(record, &url, normalizer);
        let is_whole = record.page.is_some() && (200..300).contains(&record.status());
        if is_whole && record.junk() != Some(&JunkReason::SoftNotFound) {
            self.read.note(&url, normalizer);
        }
        let canonical = canonical_of(record).map(|canonical| normalizer.normalized(&canonical));
        if let Some(canonical) = &canonical {
            let plain = normalizer.normalized(&url);
            self.rules.observe_declared_canonical(&plain, canonical);
        }
        match original_of(record) {
            Some(original) => self.on_copy(record, &url, &original, canonical, normalizer),
            None => self.on_no_copy(record, &url, is_whole, normalizer),
        }
        // What is refused once a rule is believed again is refused for good reason, though nobody
        // has asked by then, as on a replay.
        let wrong = self.rules.take_lifted().into_iter();
        self.wrong
            .extend(wrong.filter(|rule| self.refused.has(rule)));
    }

    fn note_refusal(
        &mut self,
        record: &PageRecord,
        url: &CanonicalUrl,
        normalizer: &UrlNormalizer,
    ) {
        let rules = record.outcome.refusal().map_or(&[][..], Refusal::rules);
        for rule in rules {
            let candidate = || (record.url.clone(), retry::origin(record));
            self.refused.note(rule, candidate);
            // It was on its way here while the rule was found wrong.
            if self.rules.predict(&normalizer.normalized(url)).is_none() {
                self.wrong.push(rule.clone());
            }
        }
    }

    fn on_copy(
        &mut self,
        record: &PageRecord,
        url: &CanonicalUrl,
        original: &CanonicalUrl,
        canonical: Option<String>,
        normalizer: &UrlNormalizer,
    ) {
        let Some((copy, original)) = pair(url, original, normalizer) else {
            return;
        };
        let led_to = || {
            let new = record
                .links
                .iter()
                .filter(|link| link.fate == LinkFate::New);
            new.map(|link| link.url.as_str())
        };
        self.rules.observe_pair(&copy, &original, led_to());
        if canonical.as_deref() == Some(original.as_str()) {
            self.rules
                .observe_canonical_pair(&copy, &original, led_to());
        }
    }

    fn on_no_copy(
        &mut self,
        record: &PageRecord,
        url: &CanonicalUrl,
        is_whole: bool,
        normalizer: &UrlNormalizer,
    ) {
        let kind = record.junk().map(JunkReason::kind);
        let is_unique = match kind {
            Some(JunkKind::Empty | JunkKind::Error) => false,
            // A copy of a part only, or of a page that cannot be named.
            Some(JunkKind::Duplicate)
            | Some(
                JunkKind::Unwanted | JunkKind::Withheld | JunkKind::LinkList | JunkKind::NoPage,
            )
            | None => true,
        };
        if is_whole && is_unique {
            let read = &self.read;
            let was_read = |url: &str| read.contains(url, normalizer);
            self.rules
                .observe_unique(&normalizer.normalized(url), was_read);
        } else if matches!(
            kind,
            Some(JunkKind::Duplicate | JunkKind::Empty | JunkKind::Error)
        ) {
            self.rules.observe_low_yield(&record.url);
        }
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

/// Between the rules of a prediction, in words.
const RULES_JOINED: &str = "; ";

fn predicted(original: String, cause: PredictionCause) -> Permission {
    let prediction = PredictedDuplicate { original, cause };
    refuse(Refusal::PredictedDuplicate(Box::new(prediction)))
}

fn refuse(refusal: Refusal) -> Permission {
    Permission::Refused(Refused::Refusal(refusal))
}

/// The URL that a page names as canonical.
fn canonical_of(record: &PageRecord) -> Option<CanonicalUrl> {
    CanonicalUrl::parse(record.page.as_ref()?.canonical.as_deref()?).ok()
}

/// The plain URLs of a copy and its original. What changes nothing on one of two hosts changes
/// nothing on the other, which may not have been found out yet: then that one's normalized form counts. So
/// it is with a parameter that alone keeps them apart.
fn pair(
    copy: &CanonicalUrl,
    original: &CanonicalUrl,
    normalizer: &UrlNormalizer,
) -> Option<(String, String)> {
    let (mut plain_copy, mut plain_original) =
        (normalizer.normalized(copy), normalizer.normalized(original));
    if copy.host() != original.host() {
        let twin = |url, other, plain: &str| {
            on_host_of(url, other).is_some_and(|twin| normalizer.normalized(&twin) == plain)
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
    use outcome::{DuplicateKind, NeighbourDecision, Outcome, Verdict};
    use proptest::strategy::Strategy as _;

    use super::*;

    fn page(url: &str, original: Option<&str>) -> PageRecord {
        let verdict = match original {
            Some(_) => Verdict::Junk(JunkReason::ExactDuplicate),
            None => Verdict::Index,
        };
        PageRecord {
            url: url.into(),
            outcome: Outcome::Judged(verdict),
            fetch: Some(FetchRecord {
                status: 200,
                ..FetchRecord::default()
            }),
            page: Some(PageSummary::default()),
            nearest: original.map(|url| NeighbourRecord {
                url: url.into(),
                decision: NeighbourDecision::Duplicate,
                kind: Some(DuplicateKind::FullLayout),
                ..NeighbourRecord::default()
            }),
            ..PageRecord::default()
        }
    }

    /// A frontier that has found nothing out about parameters yet.
    fn frontier() -> frontier::Frontier {
        let config = frontier::FrontierConfig::default();
        frontier::Frontier::in_memory(config, std::time::Instant::now())
    }

    fn observe(gate: &mut FetchGate, url: &str, original: Option<&str>) {
        gate.on_page(&page(url, original), &UrlNormalizer::default());
    }

    fn mirrored() -> FetchGate {
        mirrored_in(FetchGate::new(0, false))
    }

    fn mirrored_in(mut gate: FetchGate) -> FetchGate {
        gate.on_seed("http://a.example/");
        gate.on_seed("http://m.example/");
        observe_copies(&mut gate, 0..12);
        gate
    }

    fn observe_copies(gate: &mut FetchGate, numbers: std::ops::Range<u32>) {
        for number in numbers {
            let original = format!("http://a.example/{number}");
            observe(gate, &original, None);
            let copy = format!("http://m.example/{number}");
            observe(gate, &copy, Some(&original));
        }
    }

    fn check(gate: &FetchGate, url: &str) -> Permission {
        let url = CanonicalUrl::parse(url).unwrap();
        gate.check(&url.host(), &url, &UrlNormalizer::default())
    }

    /// A path of the mirror that is no probe.
    fn skipped(gate: &FetchGate) -> String {
        (0..)
            .map(|number| format!("page/{number}"))
            .find(|path| check(gate, &format!("http://m.example/{path}")) != Permission::Allowed)
            .unwrap()
    }

    #[test]
    fn a_copy_waits_for_its_original_and_is_refused_once_that_was_read() {
        let mut gate = mirrored();
        let path = skipped(&gate);
        let (copy, original) = (
            format!("http://m.example/{path}"),
            format!("http://a.example/{path}"),
        );
        assert_eq!(check(&gate, &copy), Permission::Defer);
        assert_eq!(check(&gate, &original), Permission::Allowed);
        observe(&mut gate, &original, None);
        let Permission::Refused(Refused::Refusal(refusal)) = check(&gate, &copy) else {
            panic!("it was read");
        };
        assert!(matches!(
            refusal,
            Refusal::PredictedDuplicate(prediction) if prediction.original == original
        ));
    }

    /// A copy on the mirror that is refused once its original was read.
    fn refused(gate: &mut FetchGate) -> PageRecord {
        let path = skipped(gate);
        observe(gate, &format!("http://a.example/{path}"), None);
        let copy = format!("http://m.example/{path}");
        let Permission::Refused(Refused::Refusal(refusal)) = check(gate, &copy) else {
            panic!("its original was read");
        };
        PageRecord {
            url: copy,
            outcome: Outcome::Refused(refusal),
            ..PageRecord::default()
        }
    }

    /// The mirror has a page of its own.
    fn find_wrong(gate: &mut FetchGate) {
        observe(gate, "http://a.example/twin", None);
        observe(gate, "http://m.example/twin", None);
    }

    const MIRROR: &str = "m.example mirrors a.example";

    /// The URLs to be put back, by rule.
    fn wrong(gate: &FetchGate) -> Vec<(String, Vec<String>)> {
        let rules = gate.wrong_rules();
        let urls = |refused: &RefusedFor| refused.urls.iter().map(|(url, _)| url.clone()).collect();
        rules
            .map(|(rule, refused)| (rule.to_owned(), urls(refused)))
            .collect()
    }

    fn put_back(gate: &mut FetchGate, refused: &PageRecord) {
        let urls = vec![refused.url.clone()];
        gate.on_put_back(&RetryRecord::for_wrong_rule(MIRROR, urls, Vec::new()));
    }

    #[test]
    fn a_rule_found_wrong_is_told_until_its_urls_are_put_back_and_only_if_it_has_any() {
        let mut gate = mirrored();
        find_wrong(&mut gate);
        assert!(wrong(&gate).is_empty());
        let mut gate = mirrored();
        let refused = refused(&mut gate);
        take_in(&mut gate, &refused);
        find_wrong(&mut gate);
        assert_eq!(
            wrong(&gate),
            [(MIRROR.to_owned(), vec![refused.url.clone()])]
        );
        put_back(&mut gate, &refused);
        assert!(wrong(&gate).is_empty());
    }

    #[test]
    fn what_was_put_back_or_was_refused_since_is_not_put_back_again() {
        for is_refused_before in [true, false] {
            let mut gate = mirrored_in(FetchGate::new(0, true));
            let refused = refused(&mut gate);
            if is_refused_before {
                take_in(&mut gate, &refused);
            }
            find_wrong(&mut gate);
            if is_refused_before {
                put_back(&mut gate, &refused);
            }
            observe_copies(&mut gate, 12..32);
            // It is believed again, and refuses more.
            take_in(&mut gate, &refused);
            assert!(wrong(&gate).is_empty(), "{is_refused_before}");
        }
    }

    #[test]
    fn what_was_refused_just_before_its_rule_was_found_wrong_is_put_back_too() {
        let mut gate = mirrored();
        let refused = refused(&mut gate);
        find_wrong(&mut gate);
        assert!(wrong(&gate).is_empty());
        take_in(&mut gate, &refused);
        assert_eq!(wrong(&gate), [(MIRROR.to_owned(), vec![refused.url])]);
    }

    /// Both hosts under one session each, so that no page of either is read under two spellings.
    #[test]
    fn a_mirror_with_session_ids_of_its_own_is_found_out() {
        let mut frontier = frontier();
        let mut gate = FetchGate::new(0, false);
        gate.on_seed("http://a.example/");
        gate.on_seed("http://m.example/");
        let mut read = |frontier: &mut frontier::Frontier, record: &PageRecord| {
            let url = CanonicalUrl::parse(&record.url).unwrap();
            let page_yield = crate::recorded::page_yield(record).unwrap();
            frontier.observe(&url, 0, page_yield, original_of(record).as_ref());
            gate.on_page(record, &frontier.url_normalizer());
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
            gate.check(&copy.host(), &copy, &frontier.url_normalizer())
        };
        let refused =
            |number: &u32| matches!(permission(&number.to_string()), Permission::Refused(_));
        assert!((25..40).filter(refused).count() >= 12);
        assert!((40..60).any(|number| permission(&number.to_string()) == Permission::Defer));
        assert!(!(40..60).any(|number| refused(&number)));
        let plain = |path: &str| {
            let url = CanonicalUrl::parse(&format!("http://a.example/{path}")).unwrap();
            gate.check(&url.host(), &url, &frontier.url_normalizer())
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

    fn take_in(gate: &mut FetchGate, record: &PageRecord) {
        gate.on_page(record, &UrlNormalizer::default());
    }

    #[test]
    fn copies_that_name_their_original_are_left_alone_once_it_was_read() {
        let mut gate = FetchGate::new(0, false);
        let forms = |number: u32| {
            (
                format!("http://a.example/garden/item-{number}"),
                format!("http://a.example/products/item-{number}"),
            )
        };
        for number in 0..12 {
            let (copy, original) = forms(number);
            take_in(&mut gate, &naming(&original, page(&original, None)));
            take_in(&mut gate, &naming(&original, page(&copy, Some(&original))));
        }
        for number in 20..40 {
            observe(&mut gate, &forms(number).1, None);
        }
        let refused = (20..40)
            .filter(|&number| matches!(check(&gate, &forms(number).0), Permission::Refused(_)))
            .count();
        assert!(refused >= 16, "{refused}");
        let waits = |number: &u32| check(&gate, &forms(*number).0) == Permission::Defer;
        assert!((50..60).any(|number| waits(&number)));
        assert!((50..60).all(|number| { check(&gate, &forms(number).1) == Permission::Allowed }));
    }

    proptest::proptest! {
        /// A site whose pages all name its front page, or anything else: that alone costs no page.
        #[test]
        fn a_canonical_that_lies_costs_no_page(
            names in proptest::collection::vec((0u32..40, 0u32..3), 1..60),
            has_topic in proptest::prelude::any::<bool>(),
        ) {
            let mut gate = FetchGate::new(0, has_topic);
            for (number, (target, form)) in names.iter().enumerate() {
                let url = format!("http://a.example/garden/{number}");
                proptest::prop_assert_eq!(check(&gate, &url), Permission::Allowed);
                let canonical = match form {
                    0 => "http://a.example/".to_owned(),
                    1 => format!("http://a.example/products/{target}"),
                    _ => format!("http://a.example/garden/{target}"),
                };
                take_in(&mut gate, &naming(&canonical, page(&url, None)));
            }
        }

        /// A site that serves everything in two forms, of which one names the other: whatever the
        /// order in which they are found, every text is read, and what was held back goes in the end.
        #[test]
        fn every_text_is_read_whichever_form_is_found_first(
            order in proptest::sample::subsequence((0u32..160).collect::<Vec<_>>(), 160)
                .prop_shuffle(),
        ) {
            let mut gate = FetchGate::new(0, false);
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
                match check(&gate, &this) {
                    Permission::Defer if waited <= queue.len() => {
                        waited += 1;
                        queue.push_back(next);
                        continue;
                    }
                    Permission::Refused(_) => continue,
                    Permission::Defer | Permission::Allowed | Permission::Unknown => waited = 0,
                }
                let original = texts.get(&at).cloned();
                texts.entry(at).or_insert_with(|| this.clone());
                let record = page(&this, original.as_deref());
                take_in(&mut gate, &naming(&url(at, 0), record));
            }
            proptest::prop_assert_eq!(texts.len(), 80);
        }
    }

    #[test]
    fn what_the_user_gave_is_fetched() {
        let mut gate = mirrored();
        let copy = format!("http://m.example/{}", skipped(&gate));
        gate.on_seed(&copy);
        assert_eq!(check(&gate, &copy), Permission::Allowed);
    }

    #[test]
    fn a_stopped_host_is_refused_in_a_crawl_with_a_topic_but_for_probes() {
        for has_topic in [true, false] {
            let mut gate = FetchGate::new(0, has_topic);
            gate.set_stopped("a.example", Some("nothing there".into()));
            let refused = (0..1_000)
                .filter(|number| {
                    check(&gate, &format!("http://a.example/{number}")) != Permission::Allowed
                })
                .count();
            if has_topic {
                assert!((900..990).contains(&refused), "{refused}");
            } else {
                assert_eq!(refused, 0);
            }
            gate.set_stopped("a.example", None);
            assert_eq!(check(&gate, "http://a.example/x"), Permission::Allowed);
        }
    }
}
