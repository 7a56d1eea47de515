//! The fetch gate: is a URL that may be fetched worth the request?
//!
//! The gate is asked before a URL is fetched. What it answers follows from rules learnt from pages,
//! and a rule is a guess. How much a guess may decide is the user's choice, for each kind of rule
//! ([`Learnt`]):
//!
//! - *off*: the rule decides nothing;
//! - *hold back*: its URLs wait until all else is done, and are fetched then while the budget lasts.
//!   Four in five, drawn by their URL, are fetched in any case: they are the sample that tells how
//!   often the rule errs. The fifth is refused only if not one of the sample was a page of its own,
//!   and if by its size less than one page is lost with a confidence of 95 % ([`outcome::RuleLoss`]).
//!   A copy of a page that led to new pages is never refused: what a mirror has of its own may be
//!   found through its lists alone. So whatever was found through a page is found through its copy;
//! - *refuse*: its URLs are refused, those of duplicates once the original was read, and one in
//!   twenty is fetched all the same.
//!
//! In whichever way: when a URL that a rule would have refused turns out to be a page of its own, all
//! that was refused for this rule is put back into the queue (a `retry` record in the journal says
//! so), and from then on the rule only holds back.
//!
//! URLs are compared by their normalized form, without the parameters that the frontier has found to
//! change nothing: copies on a mirror often differ in a session id as well. Where such a parameter has
//! opaque values, a page is fetched under two of them; if the texts are equal, its further spellings
//! are refused, whatever becomes of other pages. Else session ids would make a site endless.
//!
//! In a crawl with a topic, hosts and parts of hosts that have yielded next to nothing for it are
//! rules of the same kind.
//!
//! All of it follows from records alone, in their order.

use std::collections::{HashMap, HashSet};

use archive::{PageRecord, RetryRecord};
use focus::{UrlDedupConfig, UrlDedupRules};
use frontier::{CanonicalUrl, HeldBack, HostKey, Permission, Refused, UrlNormalizer};
use outcome::{
    JunkKind, JunkReason, LearntLosses, LinkFate, LowYield, PredictedDuplicate, PredictionCause,
    Refusal, of_compared,
};
use xxhash_rust::xxh3::xxh3_64;

use crate::policy::{Learnt, LearntPolicy};
use crate::read_urls::ReadUrls;
use crate::recorded::original_of;
use crate::refused::{Refused as RefusedFor, RefusedUrls};
use crate::retry;

/// Hosts that are stopped at most.
const STOPPED_MAX: usize = 100_000;

/// Pages that are known to be the same under two values; of further ones each spelling is fetched.
const COMPARED_MAX: usize = 4_000_000;

/// The share of what a rule refuses that is fetched all the same.
const PROBED_SHARE: f32 = 0.05;

/// The share of what is held back that may be refused. At a fifth, a sample without a page of its
/// own bounds the loss at 0.75 pages; at a quarter the bound is one page and nothing is refused. Of
/// one page of its own under a rule, a fifth of all crawls lose it, of two pages one in 25 loses both.
const REFUSABLE_SHARE: f32 = 0.2;

/// The bound on the pages that a rule may lose, below which it refuses what it holds back.
const LOSS_MAX: f64 = 1.0;

/// What the pages so far say of URLs not fetched yet.
#[derive(Debug)]
pub struct FetchGate {
    rules: UrlDedupRules,
    learnt: LearntPolicy,
    /// For the draws.
    seed: u64,
    /// URLs that the user gave or asked for again: they are fetched.
    given: HashSet<u64>,
    /// What was read.
    read: ReadUrls,
    /// The pages among them that led to new URLs.
    leading: ReadUrls,
    /// Pages that were the same under two values of an opaque parameter, by normalized URL.
    compared: HashSet<u64>,
    /// Hosts that yield nothing, and why that is said.
    stopped: HashMap<String, String>,
    /// What rules refused, and what probes found.
    losses: LearntLosses,
    /// URLs that were refused for rules and not put back since.
    refused: RefusedUrls,
    /// Rules found wrong whose URLs were not put back yet.
    wrong: Vec<String>,
}

/// What the rules say of a URL.
#[derive(Debug)]
struct Foreseen {
    refusal: Refusal,
    mode: Learnt,
    /// From 0.0 to below 1.0, drawn for the page that the URL leads to.
    draw: f32,
    /// The same, drawn for the URL.
    own_draw: f32,
    /// Whether the original was read; true where there is none.
    original_is_read: bool,
}

/// By which rules a URL would have been refused.
#[derive(Debug, Default)]
pub(crate) struct ForeseenBy {
    /// The page that it was predicted to repeat.
    pub(crate) original: Option<String>,
    pub(crate) rules: Vec<String>,
    pub(crate) compared: bool,
}

impl FetchGate {
    /// Knows nothing yet.
    pub fn new(seed: u64, learnt: LearntPolicy) -> Self {
        Self {
            rules: UrlDedupRules::new(&UrlDedupConfig {
                seed,
                ..UrlDedupConfig::default()
            }),
            learnt,
            seed,
            given: HashSet::new(),
            read: ReadUrls::default(),
            leading: ReadUrls::default(),
            compared: HashSet::new(),
            stopped: HashMap::new(),
            losses: LearntLosses::default(),
            refused: RefusedUrls::default(),
            wrong: Vec::new(),
        }
    }

    /// The rules found wrong, with the URLs that were refused for them and not put back yet.
    pub(crate) fn wrong_rules(&self) -> impl Iterator<Item = (&str, &RefusedFor)> {
        let rules = self.wrong.iter().map(String::as_str);
        rules.filter_map(|rule| Some((rule, self.refused.of(rule)?)))
    }

    /// What rules refused, and what probes found.
    #[cfg(test)]
    pub(crate) fn losses(&self) -> &LearntLosses {
        &self.losses
    }

    /// Takes in that URLs were put back. Those that a user asked for are fetched whatever the rules
    /// say.
    pub(crate) fn on_put_back(&mut self, retry: &RetryRecord) {
        let mut urls_of: HashMap<&str, Vec<&str>> = HashMap::new();
        for (at, url) in retry.urls.iter().enumerate() {
            let origin = retry.origins.get(at);
            let rules = origin.map_or(&[][..], |origin| &origin.rules);
            // An older record names the one rule that was found wrong.
            let rules = match (rules, &retry.wrong_rule) {
                ([], Some(wrong)) => std::slice::from_ref(wrong),
                (rules, _) => rules,
            };
            self.losses.put_back(rules);
            for rule in rules {
                urls_of.entry(rule).or_default().push(url);
            }
            if retry.wrong_rule.is_none() {
                self.given.insert(xxh3_64(url.as_bytes()));
            }
        }
        for (rule, urls) in urls_of {
            self.refused.put_back(rule, &urls);
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

    /// By which rules a URL that was fetched would have been refused.
    pub(crate) fn foreseen_by(&self, url: &CanonicalUrl, normalizer: &UrlNormalizer) -> ForeseenBy {
        let Some(foreseen) = self.foresee(&url.host(), url, normalizer) else {
            return ForeseenBy::default();
        };
        if !foreseen.original_is_read {
            return ForeseenBy::default();
        }
        ForeseenBy {
            rules: foreseen.refusal.rules(),
            compared: foreseen.refusal.is_compared(),
            original: match foreseen.refusal {
                Refusal::PredictedDuplicate(prediction) => Some(prediction.original),
                Refusal::Robots(_)
                | Refusal::Guard(_)
                | Refusal::Trap(_)
                | Refusal::LowYield(_)
                | Refusal::LeftOut(_)
                | Refusal::HostGone(_)
                | Refusal::Unknown(_) => None,
            },
        }
    }

    /// May this URL be fetched now?
    pub fn check(
        &self,
        host: &HostKey,
        url: &CanonicalUrl,
        normalizer: &UrlNormalizer,
    ) -> Permission {
        if self.given.contains(&xxh3_64(url.as_str().as_bytes())) {
            return Permission::Allowed;
        }
        let Some(foreseen) = self.foresee(host, url, normalizer) else {
            return Permission::Allowed;
        };
        let is_doubtful = self.is_doubtful(&foreseen.refusal);
        match foreseen.mode {
            Learnt::Off => Permission::Allowed,
            _ if foreseen.refusal.is_compared() && !is_doubtful => {
                match self.is_probe_of_compared(&foreseen) {
                    true => Permission::Allowed,
                    false => refuse(foreseen.refusal),
                }
            }
            Learnt::HoldBack => Permission::HoldBack(HeldBack::UntilOthersAreDone),
            Learnt::Refuse if is_doubtful => Permission::HoldBack(HeldBack::UntilOthersAreDone),
            Learnt::Refuse if foreseen.draw < PROBED_SHARE => Permission::Allowed,
            Learnt::Refuse if !foreseen.original_is_read => Permission::Defer,
            Learnt::Refuse => refuse(foreseen.refusal),
        }
    }

    /// The same for a URL that was held back, when nothing is left but URLs held back for as long as
    /// `reached`. `under_way` are the refusals by a rule that are not recorded yet.
    pub fn check_at_last(
        &self,
        host: &HostKey,
        url: &CanonicalUrl,
        normalizer: &UrlNormalizer,
        reached: HeldBack,
        under_way: impl Fn(&str) -> u64,
    ) -> Permission {
        let Some(foreseen) = self.foresee(host, url, normalizer) else {
            return Permission::Allowed;
        };
        let may_refuse = foreseen.mode == Learnt::HoldBack
            && foreseen.draw < REFUSABLE_SHARE
            && foreseen.original_is_read
            && !self.leads_on(&foreseen.refusal, normalizer)
            && !self.is_doubtful(&foreseen.refusal);
        match (may_refuse, reached) {
            (false, _) => Permission::Allowed,
            (true, HeldBack::UntilOthersAreDone) => Permission::HoldBack(HeldBack::ToTheLast),
            (true, HeldBack::ToTheLast) => {
                match self.costs_less_than_a_page(&foreseen.refusal, under_way) {
                    true => refuse(foreseen.refusal),
                    false => Permission::Allowed,
                }
            }
        }
    }

    /// Whether the page that a URL is predicted to repeat led to new URLs, and the URL may lead to
    /// others of its own: its links are not those of the page, but copies of them.
    fn leads_on(&self, refusal: &Refusal, normalizer: &UrlNormalizer) -> bool {
        match refusal {
            Refusal::PredictedDuplicate(prediction) => match &prediction.cause {
                PredictionCause::IgnoredParameters { .. } => false,
                PredictionCause::Rules { .. } => {
                    self.leading.is_full()
                        || self.leading.contains(&prediction.original, normalizer)
                }
            },
            Refusal::Robots(_)
            | Refusal::Guard(_)
            | Refusal::Trap(_)
            | Refusal::LowYield(_)
            | Refusal::LeftOut(_)
            | Refusal::HostGone(_)
            | Refusal::Unknown(_) => false,
        }
    }

    /// Whether a probe of one of the rules was a page of its own.
    fn is_doubtful(&self, refusal: &Refusal) -> bool {
        let rules = refusal.rules();
        rules.iter().any(|rule| self.losses.of(rule).unique > 0)
    }

    fn costs_less_than_a_page(&self, refusal: &Refusal, under_way: impl Fn(&str) -> u64) -> bool {
        let bound = |rule: &String| self.losses.of(rule).with_more(1 + under_way(rule)).bound();
        refusal.rules().iter().all(|rule| bound(rule) < LOSS_MAX)
    }

    /// One spelling in twenty of pages that were compared, and no more than the square root of those
    /// refused: each probe of a site with session ids brings in as many new spellings as it has
    /// links.
    fn is_probe_of_compared(&self, foreseen: &Foreseen) -> bool {
        let has_room = |rule: &String| {
            let loss = self.losses.of(rule);
            loss.probed.saturating_mul(loss.probed) <= loss.refused
        };
        foreseen.own_draw < PROBED_SHARE && foreseen.refusal.rules().iter().all(has_room)
    }

    /// What the rules say of a URL, whoever gave it.
    fn foresee(
        &self,
        host: &HostKey,
        url: &CanonicalUrl,
        normalizer: &UrlNormalizer,
    ) -> Option<Foreseen> {
        let low_yield = self.low_yield(host, url);
        low_yield.or_else(|| self.duplicate(host, url, normalizer))
    }

    fn low_yield(&self, host: &HostKey, url: &CanonicalUrl) -> Option<Foreseen> {
        if self.learnt.low_yield == Learnt::Off {
            return None;
        }
        let low_yield = if let Some(why) = self.stopped.get(host.as_str()) {
            LowYield::Host {
                host: host.to_string(),
                why: why.clone(),
            }
        } else if self.rules.is_low_yield(url.as_str()) {
            LowYield::UrlForm {
                host: host.to_string(),
            }
        } else {
            return None;
        };
        let draw = self.draw(url.as_str());
        Some(Foreseen {
            refusal: Refusal::LowYield(low_yield),
            mode: self.learnt.low_yield,
            draw,
            own_draw: draw,
            original_is_read: true,
        })
    }

    fn duplicate(
        &self,
        host: &HostKey,
        url: &CanonicalUrl,
        normalizer: &UrlNormalizer,
    ) -> Option<Foreseen> {
        let plain = normalizer.normalized(url);
        let mut names = normalizer.ignored_in(url);
        let foreseen = |original: String, cause, mode, draw, original_is_read| {
            let prediction = PredictedDuplicate { original, cause };
            Some(Foreseen {
                refusal: Refusal::PredictedDuplicate(Box::new(prediction)),
                mode,
                draw,
                own_draw: self.draw(url.as_str()),
                original_is_read,
            })
        };
        if let Some(left_out) = self.read.find(&plain, normalizer)
            && !(names.is_empty() && left_out.is_empty())
        {
            names.extend(left_out);
            let is_opaque = names.iter().all(|name| normalizer.is_opaque(host, name));
            let compared = is_opaque && self.compared.contains(&xxh3_64(plain.as_bytes()));
            // All spellings of a page are one page, unless the parameter lets the reader choose.
            let draw = self.draw(if is_opaque { &plain } else { url.as_str() });
            let rules = parameter_rules(host, &names, compared);
            let cause = PredictionCause::IgnoredParameters { rules, compared };
            return foreseen(plain, cause, self.learnt.parameters, draw, true);
        }
        if self.learnt.duplicates == Learnt::Off {
            return None;
        }
        let prediction = self.rules.predict(&plain)?;
        let mut rules = prediction.rules;
        rules.extend(parameter_rules(host, &names, false));
        let mode = match (names.is_empty(), self.learnt.parameters) {
            (false, Learnt::HoldBack) => Learnt::HoldBack,
            _ => self.learnt.duplicates,
        };
        let is_read = self.read.contains(&prediction.kept_url, normalizer);
        let cause = PredictionCause::Rules {
            rules,
            percent: (100.0 * prediction.confidence).round() as u32,
        };
        foreseen(prediction.kept_url, cause, mode, prediction.draw, is_read)
    }

    /// A number from 0.0 to below 1.0 for a text, always the same in one crawl.
    fn draw(&self, text: &str) -> f32 {
        let hash = xxh3_64(&[&self.seed.to_le_bytes(), text.as_bytes()].concat());
        (hash >> 40) as f32 / (1u64 << 24) as f32
    }

    /// Learns from a finished URL.
    pub fn on_page(&mut self, record: &PageRecord, normalizer: &UrlNormalizer) {
        let Ok(url) = CanonicalUrl::parse(&record.url) else {
            return;
        };
        self.note_refusal(record, &url, normalizer);
        self.note_probe(record, &url, normalizer);
        let is_whole = record.page.is_some() && (200..300).contains(&record.status());
        if is_whole && record.junk() != Some(&JunkReason::SoftNotFound) {
            self.read.note(&url, normalizer);
            if record.links.iter().any(|link| link.fate == LinkFate::New) {
                self.leading.note(&url, normalizer);
            }
        }
        let canonical = canonical_of(record).map(|canonical| normalizer.normalized(&canonical));
        if let Some(canonical) = &canonical {
            let plain = normalizer.normalized(&url);
            self.rules.observe_declared_canonical(&plain, canonical);
        }
        let was_low = self.rules.is_low_yield(url.as_str());
        match original_of(record) {
            Some(original) => self.on_copy(record, &url, &original, canonical, normalizer),
            None => self.on_no_copy(record, &url, is_whole, normalizer),
        }
        if was_low && !self.rules.is_low_yield(url.as_str()) {
            let host = url.host().to_string();
            self.find_wrong(&LowYield::UrlForm { host }.rule());
        }
        for rule in self.rules.take_lifted() {
            self.find_wrong(&rule);
        }
    }

    /// Notes that a rule was wrong. What is refused once a rule is believed again is refused for
    /// good reason, though nobody has asked by then, as on a replay: so a rule that has refused
    /// nothing is not noted.
    fn find_wrong(&mut self, rule: &str) {
        if self.refused.has(rule) && !self.wrong.iter().any(|wrong| wrong == rule) {
            self.wrong.push(rule.to_owned());
        }
    }

    fn note_refusal(
        &mut self,
        record: &PageRecord,
        url: &CanonicalUrl,
        normalizer: &UrlNormalizer,
    ) {
        let Some(refusal) = record.outcome.refusal() else {
            return;
        };
        let rules = refusal.rules();
        self.losses.refused(&rules, refusal.is_compared());
        for rule in &rules {
            let candidate = || (record.url.clone(), retry::origin(record));
            self.refused.note(rule, candidate);
        }
        // The rule may have been found wrong while the refusal was on its way here.
        let is_foreseen = self.foresee(&url.host(), url, normalizer).is_some();
        for rule in &rules {
            if !is_foreseen || self.losses.of(rule).unique > 0 {
                self.find_wrong(rule);
            }
        }
    }

    /// Notes what became of a page that was fetched though rules would have refused it.
    fn note_probe(&mut self, record: &PageRecord, url: &CanonicalUrl, normalizer: &UrlNormalizer) {
        let Some(is_unique) = record.is_probe_unique() else {
            return;
        };
        let compared = record.foreseen_compared;
        self.losses.probed(&record.foreseen_by, compared, is_unique);
        let Some(original) = &record.foreseen else {
            // That a host yields a page now and then is no news: it is stopped for yielding few.
            return;
        };
        if is_unique {
            for rule in &record.foreseen_by {
                self.find_wrong(rule);
            }
        } else if self.compared.len() < COMPARED_MAX && normalizer.normalized(url) == *original {
            self.compared.insert(xxh3_64(original.as_bytes()));
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
                if let Some(why) = self.stopped.remove(host) {
                    let host = host.to_owned();
                    self.find_wrong(&LowYield::Host { host, why }.rule());
                }
            }
        }
    }
}

/// The rules of parameters that change nothing, in words.
fn parameter_rules(host: &HostKey, names: &[&str], compared: bool) -> Vec<String> {
    let rules = names
        .iter()
        .map(|name| format!("{name} changes nothing on {host}"));
    match compared {
        true => rules.map(|rule| of_compared(&rule)).collect(),
        false => rules.collect(),
    }
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
    use archive::{FetchRecord, LinkRecord, NeighbourRecord, PageSummary};
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

    /// Reads a page, as a crawl does that has leased its URL.
    fn observe(gate: &mut FetchGate, url: &str, original: Option<&str>) {
        take_in(gate, &page(url, original));
    }

    /// A gate that refuses duplicates.
    fn refusing() -> FetchGate {
        FetchGate::new(0, LearntPolicy::usual(true))
    }

    /// A gate that holds duplicates back.
    fn holding() -> FetchGate {
        FetchGate::new(0, LearntPolicy::usual(false))
    }

    fn mirrored() -> FetchGate {
        mirrored_in(refusing())
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
    fn a_rule_that_was_wrong_once_only_holds_back_from_then_on() {
        let mut gate = mirrored();
        let refused = refused(&mut gate);
        find_wrong(&mut gate);
        observe_copies(&mut gate, 12..200);
        let held = Permission::HoldBack(HeldBack::UntilOthersAreDone);
        assert_eq!(check(&gate, &refused.url), held);
        let url = CanonicalUrl::parse(&refused.url).unwrap();
        let nothing = UrlNormalizer::default();
        for reached in [HeldBack::UntilOthersAreDone, HeldBack::ToTheLast] {
            let last = gate.check_at_last(&url.host(), &url, &nothing, reached, |_| 0);
            assert_eq!(last, Permission::Allowed);
        }
    }

    /// What becomes of the copies of pages on a mirror that all go at last; `own` of them are pages
    /// of their own.
    fn at_last(copies: u32, own: impl Fn(u32) -> bool) -> (u32, u32) {
        let mut gate = mirrored_in(holding());
        let copy = |number| CanonicalUrl::parse(&format!("http://m.example/{number}")).unwrap();
        let (mut held, mut fetched, mut refused) = (Vec::new(), 0, 0);
        for number in 100..100 + copies {
            let original = format!("http://a.example/{number}");
            observe(&mut gate, &original, None);
            let held_back = Permission::HoldBack(HeldBack::UntilOthersAreDone);
            assert_eq!(check(&gate, copy(number).as_str()), held_back);
            held.push(number);
        }
        for reached in [HeldBack::UntilOthersAreDone, HeldBack::ToTheLast] {
            for number in std::mem::take(&mut held) {
                let (url, nothing) = (copy(number), UrlNormalizer::default());
                match gate.check_at_last(&url.host(), &url, &nothing, reached, |_| 0) {
                    Permission::Allowed => {
                        fetched += 1;
                        let original = format!("http://a.example/{number}");
                        let original = Some(original.as_str()).filter(|_| !own(number));
                        observe(&mut gate, url.as_str(), original);
                    }
                    Permission::HoldBack(HeldBack::ToTheLast) => held.push(number),
                    Permission::Refused(Refused::Refusal(refusal)) => {
                        refused += 1;
                        let outcome = Outcome::Refused(refusal);
                        let record = PageRecord {
                            url: url.to_string(),
                            outcome,
                            ..page("", None)
                        };
                        take_in(
                            &mut gate,
                            &PageRecord {
                                fetch: None,
                                page: None,
                                ..record
                            },
                        );
                    }
                    other => panic!("{other:?}"),
                }
            }
        }
        let loss = gate.losses().of(MIRROR);
        assert_eq!(loss.refused, u64::from(refused));
        assert!(loss.bound() < LOSS_MAX, "{loss:?}");
        (fetched, refused)
    }

    #[test]
    fn without_a_topic_a_fifth_of_a_mirror_is_refused_and_nothing_once_one_page_was_its_own() {
        let (fetched, refused) = at_last(1_000, |_| false);
        assert!((150..250).contains(&refused), "{refused}");
        assert_eq!(fetched + refused, 1_000);
        assert_eq!(at_last(1_000, |number| number % 100 == 7), (1_000, 0));
    }

    #[test]
    fn a_copy_of_a_page_that_led_on_is_fetched_and_no_more_is_refused_than_costs_a_page() {
        let mut gate = mirrored_in(holding());
        let copy = |number: u32| format!("http://m.example/{number}");
        for number in 100..300 {
            let original = format!("http://a.example/{number}");
            let links = match number % 2 {
                0 => vec![LinkRecord {
                    fate: LinkFate::New,
                    ..LinkRecord::default()
                }],
                _ => Vec::new(),
            };
            take_in(
                &mut gate,
                &PageRecord {
                    links,
                    ..page(&original, None)
                },
            );
            if number < 150 {
                observe(&mut gate, &copy(number), Some(&original));
            }
        }
        let refused = |under_way: u64| {
            let is_refused = |number: &u32| {
                let (url, nothing) = (copy(*number), UrlNormalizer::default());
                let url = CanonicalUrl::parse(&url).unwrap();
                let last = HeldBack::ToTheLast;
                let said = gate.check_at_last(&url.host(), &url, &nothing, last, |_| under_way);
                matches!(said, Permission::Refused(_))
            };
            (150..300).filter(is_refused).collect::<Vec<u32>>()
        };
        let of_none = refused(0);
        assert!(of_none.len() > 5, "{of_none:?}");
        assert!(of_none.iter().all(|number| number % 2 == 1), "{of_none:?}");
        // Of fifty in the sample, seventeen refusals are one page with a confidence of 95 %.
        assert_eq!(refused(15), of_none);
        assert_eq!(refused(20), [0; 0]);
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
        let mut gate = refusing();
        gate.on_seed("http://a.example/");
        gate.on_seed("http://m.example/");
        let mut read = |frontier: &mut frontier::Frontier, record: &PageRecord| {
            let url = CanonicalUrl::parse(&record.url).unwrap();
            let page_yield = crate::recorded::page_yield(record).unwrap();
            frontier.observe(&url, 0, page_yield, original_of(record).as_ref());
            take_in_with(&mut gate, record, &frontier.url_normalizer());
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
        take_in_with(gate, record, &UrlNormalizer::default());
    }

    fn take_in_with(gate: &mut FetchGate, record: &PageRecord, normalizer: &UrlNormalizer) {
        let mut record = record.clone();
        if record.fetch.is_some() {
            let url = CanonicalUrl::parse(&record.url).unwrap();
            let foreseen = gate.foreseen_by(&url, normalizer);
            record.foreseen = foreseen.original;
            record.foreseen_by = foreseen.rules;
            record.foreseen_compared = foreseen.compared;
        }
        gate.on_page(&record, normalizer);
    }

    #[test]
    fn copies_that_name_their_original_are_left_alone_once_it_was_read() {
        let mut gate = refusing();
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
            let mut gate = FetchGate::new(0, LearntPolicy::usual(has_topic));
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
        /// order in which they are found, every text is read.
        #[test]
        fn every_text_is_read_whichever_form_is_found_first(
            order in proptest::sample::subsequence((0u32..160).collect::<Vec<_>>(), 160)
                .prop_shuffle(),
            has_topic in proptest::prelude::any::<bool>(),
        ) {
            let mut gate = FetchGate::new(0, LearntPolicy::usual(has_topic));
            let url = |at: u32, form: u32| match form {
                0 => format!("http://a.example/products/{at}"),
                _ => format!("http://a.example/garden/{at}"),
            };
            let mut texts: HashMap<u32, String> = HashMap::new();
            let mut queue: std::collections::VecDeque<u32> = order.into();
            let mut waited = 0;
            while let Some(next) = queue.pop_front() {
                let (at, form) = (next / 2, next % 2);
                let this = url(at, form);
                match check(&gate, &this) {
                    Permission::Defer | Permission::HoldBack(_) if waited <= queue.len() => {
                        waited += 1;
                        queue.push_back(next);
                        continue;
                    }
                    Permission::Refused(_) => continue,
                    Permission::HoldBack(_)
                    | Permission::Defer
                    | Permission::Allowed
                    | Permission::Unknown => waited = 0,
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
            let mut gate = FetchGate::new(0, LearntPolicy::usual(has_topic));
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
