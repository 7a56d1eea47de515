//! Which URLs belong to the crawl: its scope, its seeds, and the hosts they led to.

use std::collections::HashMap;
use std::sync::{Arc, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};

use archive::{PageRecord, SeedRecord, VisitRecord};
use frontier::{
    CanonicalUrl, HostKey, Scope, ScopeConfig, ScopeError, ScopeMode, ScopeRefusal, SeedUrl,
    UrlError,
};
use outcome::{LinkFate, Outcome};
use recent::{RecentMap, RecentSet};
use serde::{Deserialize, Serialize};

use crate::saved::json;

/// Hosts remembered at most, and sitemaps. Of more, those met longest ago are forgotten: no sitemaps are
/// read of such a host until a link leads there again.
const HOSTS_MAX: usize = 1_000_000;

/// Places to which a seed has led, from which on no visit adds one.
const LED_TO_MAX: usize = 10;

/// The scope, which whoever leases asks as well.
pub(crate) type SharedScope = Arc<RwLock<Scope>>;

/// Scope, seeds and hosts.
#[derive(Debug)]
pub struct Reach {
    scope: SharedScope,
    known: Known,
    /// Where each seed has led: places among those that all have led to.
    led_to: HashMap<u32, Vec<usize>>,
}

/// What follows from records.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Known {
    #[serde(with = "json")]
    seeds: Vec<SeedRecord>,
    /// Where seeds redirect: that is in the scope of the seed of this number.
    redirects: Vec<(u32, Box<str>)>,
    seeds_of_hosts: RecentMap<HostKey, u32>,
    sitemaps_of_hosts: RecentMap<HostKey, usize>,
    /// The sitemaps that were counted, by half of their key.
    sitemaps: RecentSet<u64>,
}

impl Known {
    fn with_max(hosts_max: usize) -> Self {
        Self {
            seeds: Vec::new(),
            redirects: Vec::new(),
            seeds_of_hosts: RecentMap::with_max(hosts_max),
            sitemaps_of_hosts: RecentMap::with_max(hosts_max),
            sitemaps: RecentSet::with_max(hosts_max),
        }
    }
}

impl Reach {
    /// The rules without any seed yet.
    ///
    /// # Errors
    /// When a pattern of the scope is no regular expression, or a host is none.
    pub fn new(config: &ScopeConfig) -> Result<Self, ScopeError> {
        Ok(Self {
            scope: Arc::new(RwLock::new(Scope::new(config)?)),
            known: Known::with_max(HOSTS_MAX),
            led_to: HashMap::new(),
        })
    }

    /// What follows from records.
    pub(crate) fn known(&self) -> &Known {
        &self.known
    }

    /// Goes on with what was known before; this knows nothing yet.
    ///
    /// # Errors
    /// When a URL is damaged: then this is of no more use.
    pub(crate) fn resume(&mut self, known: Known) -> Result<(), UrlError> {
        for seed in &known.seeds {
            self.take_into_scope(seed, &seed_url(seed)?);
        }
        self.led_to.clear();
        for (at, (seed, target)) in known.redirects.iter().enumerate() {
            self.change().extend(*seed, &CanonicalUrl::parse(target)?);
            self.led_to.entry(*seed).or_default().push(at);
        }
        self.known = known;
        Ok(())
    }

    /// Takes in a seed, or what else is said of one that is known.
    ///
    /// # Errors
    /// When the record's URL is damaged: then the seed counts for nothing.
    pub fn apply_seed(&mut self, seed: &SeedRecord) -> Result<(), UrlError> {
        let given = seed_url(seed)?;
        let is_it = |known: &&mut SeedRecord| {
            (&known.url, known.sitemap, known.example) == (&seed.url, seed.sitemap, seed.example)
        };
        let known = self.known.seeds.get_mut(seed.seed as usize);
        if let Some(known) = known.filter(is_it) {
            known.clone_from(seed);
            self.change().change_seed(seed.seed, &given);
            return Ok(());
        }
        self.take_into_scope(seed, &given);
        self.note_host(&given.url.host(), seed.seed);
        self.known.seeds.push(seed.clone());
        Ok(())
    }

    fn take_into_scope(&self, seed: &SeedRecord, given: &SeedUrl) {
        match seed.example {
            Some(_) => self.change().add_example(),
            None => self.change().add_seed(given),
        }
    }

    /// Takes in a finished URL: the target of a seed that redirects is in that seed's scope, and sitemaps are counted.
    pub fn apply_page(&mut self, page: &PageRecord) {
        for target in seed_targets(page) {
            self.open(page.seed, &target);
        }
        if page.sitemap {
            let own = CanonicalUrl::parse(&page.url).into_iter();
            let named = page.links.iter().filter(|link| page.names_source(link));
            let named = named.filter(|link| link.fate == LinkFate::New);
            let named = named.filter_map(|link| CanonicalUrl::parse(&link.url).ok());
            own.chain(named).for_each(|url| self.count_sitemap(&url));
        }
    }

    /// Takes in a visit: where a site has moved belongs to its seed.
    pub fn apply_visit(&mut self, visit: &VisitRecord) {
        if let Some((seed, target)) = moved_site(visit) {
            let is_it = |at: &usize| self.known.redirects[*at].1.as_ref() == target.as_str();
            // Each visit says it again, and a seed leads to so many places at most.
            if !self.led_to(seed).iter().any(is_it) {
                self.open(seed, &target);
            }
        }
    }

    fn led_to(&self, seed: u32) -> &[usize] {
        self.led_to.get(&seed).map_or(&[], Vec::as_slice)
    }

    fn open(&mut self, seed: u32, target: &CanonicalUrl) {
        self.change().extend(seed, target);
        let at = self.known.redirects.len();
        self.led_to.entry(seed).or_default().push(at);
        let target = (seed, target.as_str().into());
        self.known.redirects.push(target);
    }

    /// Whether a page that is visited again is a seed, or what one led to, or the front page of a seed's host,
    /// and its seed has not led to too many places yet.
    pub(crate) fn speaks_for_its_site(&self, url: &CanonicalUrl, depth: u32, seed: u32) -> bool {
        let own = self.known.seeds.get(seed as usize);
        let is_of_seed = |seed: &SeedRecord| {
            CanonicalUrl::parse(&seed.url).is_ok_and(|seed| seed.host() == url.host())
        };
        let is_front = || url.path_and_query() == "/" && own.is_some_and(is_of_seed);
        own.is_some_and(|own| own.example.is_none())
            && (depth == 0 || is_front())
            && self.led_to(seed).len() < LED_TO_MAX
    }

    /// Another node recorded that a seed leads here.
    pub(crate) fn extend(&mut self, seed: u32, target: &CanonicalUrl) {
        self.change().extend(seed, target);
    }

    /// Whether a URL found `depth` links from a seed belongs to the crawl.
    ///
    /// # Errors
    /// The rule that refuses it.
    pub fn check(&self, url: &CanonicalUrl, depth: u32, seed: u32) -> Result<(), ScopeRefusal> {
        self.rules().check(url, depth, seed)
    }

    /// The same for a sitemap: see [`Scope::check_sitemap`].
    ///
    /// # Errors
    /// The rule that refuses it.
    pub(crate) fn check_sitemap(&self, url: &CanonicalUrl, seed: u32) -> Result<(), ScopeRefusal> {
        self.rules().check_sitemap(url, seed)
    }

    /// The scope, as it grows.
    pub(crate) fn scope(&self) -> SharedScope {
        Arc::clone(&self.scope)
    }

    fn rules(&self) -> RwLockReadGuard<'_, Scope> {
        self.scope.read().unwrap_or_else(PoisonError::into_inner)
    }

    fn change(&self) -> RwLockWriteGuard<'_, Scope> {
        self.scope.write().unwrap_or_else(PoisonError::into_inner)
    }

    /// The same for where the page of a URL redirects, whatever its host where that `opens` its seed's scope.
    pub(crate) fn check_redirect(
        &self,
        target: &CanonicalUrl,
        depth: u32,
        seed: u32,
        opens: bool,
    ) -> Result<(), ScopeRefusal> {
        match opens {
            true => self.rules().check_beside_host(target, depth, seed),
            false => self.rules().check(target, depth, seed),
        }
    }

    /// The seeds of all starts.
    pub fn seeds(&self) -> &[SeedRecord] {
        &self.known.seeds
    }

    /// The priority of what a seed leads to without a page that links to it: its sitemaps and,
    /// where there is no topic, what they list.
    pub(crate) fn priority_of_seed(&self, seed: u32) -> f32 {
        let seed = self.known.seeds.get(seed as usize);
        seed.map_or(1.0, |seed| seed.priority)
    }

    /// Remembers which seed first led to a host.
    pub(crate) fn note_host(&mut self, host: &HostKey, seed: u32) {
        let hosts = &mut self.known.seeds_of_hosts;
        let first = hosts.get(host).copied().unwrap_or(seed);
        *hosts.entry(host.clone(), |_, _| {}) = first;
    }

    /// The seed that first led to a host.
    pub(crate) fn seed_of_host(&self, host: &HostKey) -> Option<u32> {
        self.known.seeds_of_hosts.get(host).copied()
    }

    /// Sitemaps counted for a host.
    pub(crate) fn sitemaps_of_host(&self, host: &HostKey) -> usize {
        let hosts = &self.known.sitemaps_of_hosts;
        hosts.get(host).copied().unwrap_or(0)
    }

    /// Counts a sitemap for its host, once: each start and each day asks for robots.txt anew, and
    /// it names the same ones again.
    pub(crate) fn count_sitemap(&mut self, url: &CanonicalUrl) {
        if self.known.sitemaps.insert(url.key() as u64) {
            let hosts = &mut self.known.sitemaps_of_hosts;
            *hosts.entry(url.host(), |_, _| {}) += 1;
        }
    }
}

/// Where a seed redirects, if the page is a seed's and does.
pub fn seed_targets(page: &PageRecord) -> impl Iterator<Item = CanonicalUrl> + '_ {
    let is_seed = page.outcome == Outcome::Redirected && page.depth == 0;
    let links = page.links.iter().filter(move |_| is_seed);
    // Where a visit led did not belong to the crawl.
    let links = links.filter(|link| link.fate != LinkFate::Scope);
    links.filter_map(|link| CanonicalUrl::parse(&link.url).ok())
}

/// Where the site of a page has moved by a visit, and the seed to which that belongs from here on.
pub fn moved_site(visit: &VisitRecord) -> Option<(u32, CanonicalUrl)> {
    let page = visit.page.as_ref().filter(|_| visit.opens)?;
    let target = page.links.first()?;
    Some((page.seed, CanonicalUrl::parse(&target.url).ok()?))
}

/// A seed as the frontier wants it, from its record.
///
/// # Errors
/// When the record's URL is damaged.
pub fn seed_url(record: &SeedRecord) -> Result<SeedUrl, UrlError> {
    Ok(SeedUrl {
        url: CanonicalUrl::parse(&record.url)?,
        sitemap: record.sitemap,
        depth: record.depth,
        pages: record.pages,
        scope: record.scope.as_deref().and_then(ScopeMode::from_name),
        priority: record.priority,
        since: record.since.clone(),
        source: record.source.clone(),
    })
}

#[cfg(test)]
mod tests {
    use archive::LinkRecord;

    use super::*;

    fn url(text: &str) -> CanonicalUrl {
        CanonicalUrl::parse(text).expect("a URL")
    }

    fn reach() -> Reach {
        let mut reach = Reach::new(&ScopeConfig {
            depth_max: 5,
            ..ScopeConfig::default()
        })
        .expect("rules");
        let seed = SeedRecord {
            url: "http://a.example/".into(),
            priority: 0.5,
            ..SeedRecord::default()
        };
        reach.apply_seed(&seed).expect("a seed");
        reach
    }

    #[test]
    fn at_the_bound_the_hosts_met_longest_ago_are_forgotten_and_new_ones_are_noted() {
        let mut reach = reach();
        reach.known = Known::with_max(4);
        let host = |number: u32| HostKey::from_record(&format!("h{number}.example"));
        for number in 0..10 {
            reach.note_host(&host(number), number);
            reach.note_host(&host(0), 99);
            reach.count_sitemap(&url(&format!("http://h{number}.example/map.xml")));
            assert_eq!(reach.seed_of_host(&host(number)), Some(number));
            assert_eq!(reach.sitemaps_of_host(&host(number)), 1);
        }
        assert_eq!(reach.seed_of_host(&host(0)), Some(0));
        assert_eq!(reach.seed_of_host(&host(1)), None);
        assert!(reach.known.sitemaps_of_hosts.len() <= 4 && reach.known.sitemaps.len() <= 4);
    }

    #[test]
    fn a_seed_that_redirects_takes_its_target_into_scope_and_other_pages_do_not() {
        let mut reach = reach();
        let target = url("http://www.b.example/");
        assert!(reach.check(&target, 0, 0).is_err());
        assert!(reach.check_redirect(&target, 0, 0, true).is_ok());
        assert!(reach.check_redirect(&target, 0, 0, false).is_err());
        let mut page = PageRecord {
            outcome: Outcome::Redirected,
            depth: 1,
            links: vec![LinkRecord {
                url: target.to_string(),
                ..LinkRecord::default()
            }],
            ..PageRecord::default()
        };
        reach.apply_page(&page);
        assert!(reach.check(&target, 0, 0).is_err());
        page.depth = 0;
        reach.apply_page(&page);
        assert!(reach.check(&target, 0, 0).is_ok());
    }

    fn moved(seed: u32, target: &str) -> VisitRecord {
        VisitRecord {
            opens: true,
            page: Some(Box::new(PageRecord {
                seed,
                links: vec![LinkRecord {
                    url: target.into(),
                    ..LinkRecord::default()
                }],
                ..PageRecord::default()
            })),
            ..VisitRecord::default()
        }
    }

    #[test]
    fn where_visits_have_led_a_seed_counts_once_and_for_that_seed_alone_also_after_a_restart() {
        let mut reach = reach();
        let second = SeedRecord {
            seed: 1,
            url: "http://b.example/".into(),
            ..SeedRecord::default()
        };
        reach.apply_seed(&second).expect("a seed");
        let own = [url("http://a.example/"), url("http://b.example/")];
        for place in 0..LED_TO_MAX {
            assert!(reach.speaks_for_its_site(&own[0], 0, 0), "{place}");
            for _ in 0..3 {
                reach.apply_visit(&moved(0, &format!("http://to{place}.example/")));
                reach.apply_visit(&moved(1, "http://to0.example/"));
            }
            assert_eq!(reach.known.redirects.len(), place + 2);
        }
        let speaks = |reach: &Reach| {
            [0, 1].map(|seed| reach.speaks_for_its_site(&own[seed as usize], 0, seed))
        };
        assert_eq!(speaks(&reach), [false, true]);
        let mut resumed = Reach::new(&ScopeConfig::default()).expect("rules");
        let led_to = reach.led_to.clone();
        resumed.resume(reach.known).expect("sound");
        assert_eq!((speaks(&resumed), resumed.led_to), ([false, true], led_to));
    }

    #[test]
    fn the_seed_that_led_to_a_host_first_counts() {
        let mut reach = reach();
        let host = url("http://a.example/").host();
        reach.note_host(&host, 7);
        assert_eq!(reach.seed_of_host(&host), Some(0));
        assert_eq!(
            (reach.priority_of_seed(0), reach.priority_of_seed(7)),
            (0.5, 1.0)
        );
    }

    #[test]
    fn a_sitemap_that_is_named_again_counts_once() {
        // A few restarts used up the bound of a host whose robots.txt names many sitemaps.
        let mut reach = reach();
        for _ in 0..3 {
            reach.count_sitemap(&url("http://a.example/one.xml"));
            reach.count_sitemap(&url("http://a.example/two.xml"));
        }
        assert_eq!(reach.sitemaps_of_host(&url("http://a.example/").host()), 2);
    }

    #[test]
    fn a_damaged_seed_is_told_and_counts_for_nothing() {
        let mut reach = reach();
        let seed = SeedRecord {
            url: "nowhere".into(),
            ..SeedRecord::default()
        };
        assert!(reach.apply_seed(&seed).is_err());
        assert_eq!(reach.seeds().len(), 1);
    }
}
