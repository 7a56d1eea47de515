//! Which URLs belong to the crawl: its scope, its seeds, and the hosts they led to.

use std::collections::{HashMap, HashSet};
use std::sync::{Arc, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};

use archive::{PageRecord, SeedRecord};
use frontier::{
    CanonicalUrl, HostKey, Scope, ScopeConfig, ScopeError, ScopeMode, ScopeRefusal, SeedUrl,
    UrlError,
};
use outcome::Outcome;

/// Hosts remembered at most; a crawl that meets more reads no sitemaps of the rest.
const HOSTS_MAX: usize = 1_000_000;

/// The scope, which whoever leases asks as well.
pub(crate) type SharedScope = Arc<RwLock<Scope>>;

/// Scope, seeds and hosts.
#[derive(Debug)]
pub struct Reach {
    scope: SharedScope,
    seeds: Vec<SeedRecord>,
    seeds_of_hosts: HashMap<HostKey, u32>,
    sitemaps_of_hosts: HashMap<HostKey, usize>,
    /// The sitemaps that were counted.
    sitemaps: HashSet<u128>,
}

impl Reach {
    /// The rules without any seed yet.
    ///
    /// # Errors
    /// When a pattern of the scope is no regular expression, or a host is none.
    pub fn new(config: &ScopeConfig) -> Result<Self, ScopeError> {
        Ok(Self {
            scope: Arc::new(RwLock::new(Scope::new(config)?)),
            seeds: Vec::new(),
            seeds_of_hosts: HashMap::new(),
            sitemaps_of_hosts: HashMap::new(),
            sitemaps: HashSet::new(),
        })
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
        if let Some(known) = self.seeds.get_mut(seed.seed as usize).filter(is_it) {
            known.clone_from(seed);
            self.change().change_seed(seed.seed, &given);
            return Ok(());
        }
        match seed.example {
            Some(_) => self.change().add_example(),
            None => self.change().add_seed(&given),
        }
        self.note_host(&given.url.host(), seed.seed);
        self.seeds.push(seed.clone());
        Ok(())
    }

    /// Takes in a finished URL: the target of a seed that redirects is in that seed's scope.
    pub fn apply_page(&mut self, page: &PageRecord) {
        for target in seed_targets(page) {
            self.change().extend(page.seed, &target);
        }
    }

    /// Whether a URL found `depth` links from a seed belongs to the crawl.
    ///
    /// # Errors
    /// The rule that refuses it.
    pub fn check(&self, url: &CanonicalUrl, depth: u32, seed: u32) -> Result<(), ScopeRefusal> {
        self.rules().check(url, depth, seed)
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

    /// The same for where the page of a URL redirects: a seed takes its target's host into scope.
    pub(crate) fn check_redirect(
        &self,
        target: &CanonicalUrl,
        depth: u32,
        seed: u32,
    ) -> Result<(), ScopeRefusal> {
        match depth {
            0 => self.rules().check_beside_host(target, depth, seed),
            _ => self.rules().check(target, depth, seed),
        }
    }

    /// The seeds of all starts.
    pub fn seeds(&self) -> &[SeedRecord] {
        &self.seeds
    }

    /// The priority of what a seed leads to without a page that links to it: its sitemaps and,
    /// where there is no topic, what they list.
    pub(crate) fn priority_of_seed(&self, seed: u32) -> f32 {
        self.seeds
            .get(seed as usize)
            .map_or(1.0, |seed| seed.priority)
    }

    /// Remembers which seed first led to a host.
    pub(crate) fn note_host(&mut self, host: &HostKey, seed: u32) {
        if self.seeds_of_hosts.len() < HOSTS_MAX && !self.seeds_of_hosts.contains_key(host) {
            self.seeds_of_hosts.insert(host.clone(), seed);
        }
    }

    /// The seed that first led to a host.
    pub(crate) fn seed_of_host(&self, host: &HostKey) -> Option<u32> {
        self.seeds_of_hosts.get(host).copied()
    }

    /// Sitemaps counted for a host; as many as can be for one more host than are remembered.
    pub(crate) fn sitemaps_of_host(&self, host: &HostKey) -> usize {
        match self.sitemaps_of_hosts.get(host) {
            Some(&count) => count,
            None if self.sitemaps_of_hosts.len() >= HOSTS_MAX => usize::MAX,
            None => 0,
        }
    }

    /// Counts a sitemap for its host, once: each start and each day asks for robots.txt anew, and
    /// it names the same ones again.
    pub(crate) fn count_sitemap(&mut self, url: &CanonicalUrl) {
        let host = url.host();
        if self.sitemaps_of_host(&host) < usize::MAX && self.sitemaps.insert(url.key()) {
            *self.sitemaps_of_hosts.entry(host).or_default() += 1;
        }
    }
}

/// Where a seed redirects, if the page is a seed's and does.
pub fn seed_targets(page: &PageRecord) -> impl Iterator<Item = CanonicalUrl> + '_ {
    let is_seed = page.outcome == Outcome::Redirected && page.depth == 0;
    let links = page.links.iter().filter(move |_| is_seed);
    links.filter_map(|link| CanonicalUrl::parse(&link.url).ok())
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
    fn a_seed_that_redirects_takes_its_target_into_scope_and_other_pages_do_not() {
        let mut reach = reach();
        let target = url("http://www.b.example/");
        assert!(reach.check(&target, 0, 0).is_err());
        assert!(reach.check_redirect(&target, 0, 0).is_ok());
        assert!(reach.check_redirect(&target, 1, 0).is_err());
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
