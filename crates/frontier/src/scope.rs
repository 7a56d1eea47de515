//! Where to go: which URLs belong to a crawl, and by which rule others do not.
//!
//! What a seed leads to belongs to the crawl where it belongs to that seed, or to another one: a page that
//! only another seed's site links to would be lost otherwise.

use std::collections::{BTreeMap, HashMap, HashSet};

use outcome::LinkFate;
use regex::{Regex, RegexBuilder};
use xxhash_rust::xxh3::xxh3_64_with_seed;

use crate::host::HostKey;
use crate::seeds::SeedUrl;
use crate::url::CanonicalUrl;

/// Compiled size of a pattern at most: hostile patterns must not eat memory.
pub const PATTERN_BYTES_MAX: usize = 1 << 20;

/// Which URLs belong to a seed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ScopeMode {
    /// Those on the seed's host.
    #[default]
    Host,
    /// Those under the seed's registrable domain.
    Domain,
    /// Those that begin with the seed's URL up to its last slash.
    Prefix,
    /// All.
    Any,
}

impl ScopeMode {
    /// The stable name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Host => "host",
            Self::Domain => "domain",
            Self::Prefix => "prefix",
            Self::Any => "any",
        }
    }

    /// The mode of a name.
    pub fn from_name(name: &str) -> Option<Self> {
        [Self::Host, Self::Domain, Self::Prefix, Self::Any]
            .into_iter()
            .find(|mode| mode.name() == name)
    }
}

/// The rules, as given.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ScopeConfig {
    /// Which URLs belong to a seed that has no mode of its own.
    pub mode: ScopeMode,
    /// Further hosts in scope; `*.example.org` for all hosts under one.
    pub hosts: Vec<String>,
    /// Patterns on the canonical URL; where there are any, one must match.
    pub include: Vec<String>,
    /// Patterns on the canonical URL; none may match.
    pub exclude: Vec<String>,
    /// Links from a seed.
    pub depth_max: u32,
}

/// What in the rules cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum ScopeError {
    /// A pattern that is no regular expression.
    #[error("pattern {pattern:?} is no regular expression: {why}")]
    Pattern {
        /// The pattern.
        pattern: String,
        /// What is wrong with it.
        why: String,
    },
    /// A host that is none.
    #[error("{0:?} is no host: write it like example.org, example.org:8080 or *.example.org")]
    Host(String),
}

/// Why a URL is out of scope.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ScopeRefusal {
    /// On no host of the crawl.
    Host,
    /// Further from its seed than allowed.
    Depth(u32),
    /// No include pattern matches.
    NotIncluded,
    /// An exclude pattern matches.
    Excluded(String),
}

impl ScopeRefusal {
    /// The fate of a link that is refused so.
    pub fn fate(&self) -> LinkFate {
        match self {
            Self::Host => LinkFate::Scope,
            Self::Depth(_) => LinkFate::Depth,
            Self::NotIncluded => LinkFate::NotIncluded,
            Self::Excluded(_) => LinkFate::Excluded,
        }
    }
}

impl std::fmt::Display for ScopeRefusal {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Host => write!(
                f,
                "its host is not in scope: see scope.mode and scope.hosts"
            ),
            Self::Depth(limit) => write!(f, "it is more than {limit} links from its seed"),
            Self::NotIncluded => write!(f, "no pattern of scope.include matches"),
            Self::Excluded(pattern) => write!(f, "scope.exclude pattern {pattern:?} matches"),
        }
    }
}

/// Where to go.
#[derive(Debug)]
pub struct Scope {
    mode: ScopeMode,
    depth_max: u32,
    hosts: HashSet<String>,
    /// Parents whose hosts are all in scope, each with a dot before it.
    suffixes: Vec<String>,
    include: Vec<Regex>,
    exclude: Vec<Regex>,
    seeds: Vec<SeedScope>,
    /// How far the seeds of a place let their URLs be, and how many of them.
    places: HashMap<Place, BTreeMap<u32, u32>>,
    /// Seeds to which all belongs, which links of examples follow.
    takers_of_any: usize,
}

/// What belongs to one seed.
#[derive(Debug)]
struct SeedScope {
    mode: ScopeMode,
    depth_max: Option<u32>,
    hosts: Vec<String>,
    domains: Vec<String>,
    prefixes: Vec<String>,
    /// It is an example of the topic: its links belong to the crawl where another seed's do.
    is_example: bool,
}

impl Scope {
    /// The rules without any seed yet.
    ///
    /// # Errors
    /// When a pattern is no regular expression, or a host is none.
    pub fn new(config: &ScopeConfig) -> Result<Self, ScopeError> {
        let (mut hosts, mut suffixes) = (HashSet::new(), Vec::new());
        for host in &config.hosts {
            let wrong = || ScopeError::Host(host.clone());
            match host.trim().strip_prefix("*.") {
                Some(parent) => suffixes.push(format!(".{}", host_of(parent).ok_or_else(wrong)?)),
                None => {
                    hosts.insert(host_of(host).ok_or_else(wrong)?);
                }
            }
        }
        Ok(Self {
            mode: config.mode,
            depth_max: config.depth_max,
            hosts,
            suffixes,
            include: compile(&config.include)?,
            exclude: compile(&config.exclude)?,
            seeds: Vec::new(),
            places: HashMap::new(),
            takers_of_any: 0,
        })
    }

    /// Adds a seed; its number is its order, 0 for the first.
    pub fn add_seed(&mut self, seed: &SeedUrl) {
        let number = self.seeds.len() as u32;
        let mode = seed.scope.unwrap_or(self.mode);
        self.takers_of_any += usize::from(mode == ScopeMode::Any);
        self.seeds.push(SeedScope {
            mode,
            depth_max: seed.depth,
            hosts: Vec::new(),
            domains: Vec::new(),
            prefixes: Vec::new(),
            is_example: false,
        });
        self.extend(number, &seed.url);
    }

    /// Something else is said of a seed now: of its depth or of what belongs to it.
    pub fn change_seed(&mut self, number: u32, seed: &SeedUrl) {
        let mode = seed.scope.unwrap_or(self.mode);
        self.change(number, |scope| {
            (scope.mode, scope.depth_max) = (mode, seed.depth)
        });
    }

    /// Changes what belongs to a seed, and with it what is known of places.
    fn change(&mut self, number: u32, change: impl FnOnce(&mut SeedScope)) {
        let Some(scope) = self.seeds.get_mut(number as usize) else {
            return;
        };
        let told = |scope: &SeedScope| (scope.places(), scope.depth_max.unwrap_or(self.depth_max));
        let (before, depth_before) = told(scope);
        self.takers_of_any -= usize::from(scope.mode == ScopeMode::Any);
        change(scope);
        self.takers_of_any += usize::from(scope.mode == ScopeMode::Any);
        let (after, depth) = told(scope);
        for place in before {
            let Some(depths) = self.places.get_mut(&place) else {
                continue;
            };
            let count = depths.get(&depth_before).copied().unwrap_or(0);
            match count {
                0 | 1 => depths.remove(&depth_before),
                more => depths.insert(depth_before, more - 1),
            };
        }
        for place in after {
            *self
                .places
                .entry(place)
                .or_default()
                .entry(depth)
                .or_default() += 1;
        }
    }

    /// Adds an example of the topic, which takes a number like a seed: it brings no host of its
    /// own into scope.
    pub fn add_example(&mut self) {
        self.seeds.push(SeedScope {
            mode: ScopeMode::Host,
            depth_max: None,
            hosts: Vec::new(),
            domains: Vec::new(),
            prefixes: Vec::new(),
            is_example: true,
        });
    }

    /// Brings the target of a seed's redirect into that seed's scope.
    pub fn extend(&mut self, seed: u32, target: &CanonicalUrl) {
        self.change(seed, |scope| scope.extend(target));
    }

    fn holds(&self, host: &HostKey) -> bool {
        self.hosts.contains(host.as_str())
            || self
                .suffixes
                .iter()
                .any(|suffix| host.as_str().ends_with(suffix.as_str()))
    }

    /// Whether a URL found `depth` links from a seed belongs to the crawl.
    ///
    /// # Errors
    /// The rule that refuses it.
    pub fn check(&self, url: &CanonicalUrl, depth: u32, seed: u32) -> Result<(), ScopeRefusal> {
        let own = self.seeds.get(seed as usize);
        let host = url.host();
        let is_own = |own: &SeedScope| match own.is_example {
            true => self.takers_of_any > 0,
            false => own.holds(url, &host),
        };
        if !self.holds(&host) && !own.is_some_and(is_own) && !self.is_of_a_seed(url, &host, depth) {
            return Err(ScopeRefusal::Host);
        }
        self.check_beside_host(url, depth, seed)
    }

    /// Whether a sitemap is to be read for the pages in it, each of which is asked about by itself: it is on
    /// a seed's host, whichever folder of that the seed is of, and no pattern excludes it.
    ///
    /// # Errors
    /// The rule that refuses it.
    pub fn check_sitemap(&self, url: &CanonicalUrl, seed: u32) -> Result<(), ScopeRefusal> {
        let host = url.host();
        let is_own = |own: &SeedScope| {
            own.holds(url, &host) || own.hosts.iter().any(|own| own == host.as_str())
        };
        let own = self.seeds.get(seed as usize);
        if !self.holds(&host) && !own.is_some_and(is_own) && !self.is_of_a_seed(url, &host, 0) {
            return Err(ScopeRefusal::Host);
        }
        self.check_excluded(url)
    }

    /// Whether a URL belongs to some seed, and is not further from the seed that led to it than that one
    /// lets its own be. Of a seed to which all belongs this is what is on its hosts.
    fn is_of_a_seed(&self, url: &CanonicalUrl, host: &HostKey, depth: u32) -> bool {
        if self.seeds.len() < 2 {
            return false;
        }
        let is_near = |place: Place| {
            let depths = self.places.get(&place).and_then(BTreeMap::last_key_value);
            depths.is_some_and(|(depth_max, _)| depth <= *depth_max)
        };
        let rest = weburl::without_scheme(url.as_str());
        let path = &rest[..rest.find('?').unwrap_or(rest.len())];
        let folders = path.match_indices('/').take(FOLDERS_MAX);
        is_near(place(ScopeMode::Host, host.as_str()))
            || is_near(place(ScopeMode::Domain, domain(host)))
            || folders
                .map(|(at, _)| place(ScopeMode::Prefix, &path[..=at]))
                .any(is_near)
    }

    /// Whether the rules beside the host's let a URL in: for the target of a seed's redirect, whose
    /// host will be in scope with it.
    ///
    /// # Errors
    /// The rule that refuses it.
    pub fn check_beside_host(
        &self,
        url: &CanonicalUrl,
        depth: u32,
        seed: u32,
    ) -> Result<(), ScopeRefusal> {
        let own = self.seeds.get(seed as usize);
        let depth_max = own.and_then(|own| own.depth_max).unwrap_or(self.depth_max);
        if depth > depth_max {
            return Err(ScopeRefusal::Depth(depth_max));
        }
        if !self.include.is_empty()
            && !self
                .include
                .iter()
                .any(|pattern| pattern.is_match(url.as_str()))
        {
            return Err(ScopeRefusal::NotIncluded);
        }
        self.check_excluded(url)
    }

    fn check_excluded(&self, url: &CanonicalUrl) -> Result<(), ScopeRefusal> {
        match self
            .exclude
            .iter()
            .find(|pattern| pattern.is_match(url.as_str()))
        {
            Some(pattern) => Err(ScopeRefusal::Excluded(pattern.as_str().to_owned())),
            None => Ok(()),
        }
    }
}

/// A host as configured: with or without scheme, port and path, in any spelling.
fn host_of(text: &str) -> Option<String> {
    let text = text.trim();
    let url = match text.contains("://") {
        true => CanonicalUrl::parse(text),
        false => CanonicalUrl::parse(&format!("http://{text}")),
    };
    url.ok().map(|url| url.host().as_str().to_owned())
}

fn compile(patterns: &[String]) -> Result<Vec<Regex>, ScopeError> {
    let one = |pattern: &String| {
        let built = RegexBuilder::new(pattern)
            .size_limit(PATTERN_BYTES_MAX)
            .build();
        built.map_err(|error| ScopeError::Pattern {
            pattern: pattern.clone(),
            why: error.to_string(),
        })
    };
    patterns.iter().map(one).collect()
}

impl SeedScope {
    fn extend(&mut self, url: &CanonicalUrl) {
        if self.is_example {
            return;
        }
        let host = url.host();
        // All of them: the mode may be another one later.
        add(&mut self.hosts, host.as_str());
        add(&mut self.domains, domain(&host));
        add(&mut self.prefixes, prefix(url));
    }

    /// Where its URLs are. All belongs to a seed of any scope, and its own host is its place.
    fn places(&self) -> Vec<Place> {
        let (mode, names) = match self.mode {
            ScopeMode::Host | ScopeMode::Any => (ScopeMode::Host, &self.hosts),
            ScopeMode::Domain => (ScopeMode::Domain, &self.domains),
            ScopeMode::Prefix => (ScopeMode::Prefix, &self.prefixes),
        };
        names.iter().map(|name| place(mode, name)).collect()
    }

    fn holds(&self, url: &CanonicalUrl, host: &HostKey) -> bool {
        match self.mode {
            ScopeMode::Host => self.hosts.iter().any(|own| own == host.as_str()),
            ScopeMode::Domain => {
                let domain = domain(host);
                self.domains.iter().any(|own| own == domain)
            }
            ScopeMode::Prefix => {
                let rest = weburl::without_scheme(url.as_str());
                self.prefixes
                    .iter()
                    .any(|own| rest.starts_with(own.as_str()))
            }
            ScopeMode::Any => true,
        }
    }
}

/// A host, a domain or a folder, by the hash of its name.
type Place = u64;

fn place(mode: ScopeMode, name: &str) -> Place {
    xxh3_64_with_seed(name.as_bytes(), mode as u64)
}

fn domain(host: &HostKey) -> &str {
    host.registrable().unwrap_or(host.name())
}

/// Folders of a URL that are looked up, at most.
const FOLDERS_MAX: usize = 64;

/// Targets of redirects that one seed brings into scope, at most.
const EXTENSIONS_MAX: usize = 100;

fn add(names: &mut Vec<String>, name: &str) {
    if names.len() < EXTENSIONS_MAX && !names.iter().any(|known| known == name) {
        names.push(name.to_owned());
    }
}

/// A URL up to its path's last slash, without scheme.
fn prefix(url: &CanonicalUrl) -> &str {
    let rest = weburl::without_scheme(url.as_str());
    let path_end = rest.find('?').unwrap_or(rest.len());
    let slash = rest[..path_end].rfind('/').map_or(path_end, |at| at + 1);
    &rest[..slash]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seed(url: &str, scope: Option<ScopeMode>) -> SeedUrl {
        SeedUrl {
            scope,
            ..SeedUrl::new(CanonicalUrl::parse(url).expect(url))
        }
    }

    fn scope(mode: ScopeMode, seeds: &[SeedUrl]) -> Scope {
        let config = ScopeConfig {
            mode,
            depth_max: 5,
            ..ScopeConfig::default()
        };
        let mut scope = Scope::new(&config).expect("patterns compile");
        seeds.iter().for_each(|seed| scope.add_seed(seed));
        scope
    }

    #[track_caller]
    fn check(scope: &Scope, url: &str, allowed: bool) {
        let url = CanonicalUrl::parse(url).expect(url);
        assert_eq!(scope.check(&url, 1, 0).is_ok(), allowed, "{url}");
    }

    #[test]
    fn host_scope_takes_both_schemes_and_no_other_name() {
        let scope = scope(ScopeMode::Host, &[seed("http://example.org/", None)]);
        check(&scope, "https://example.org/a", true);
        check(&scope, "http://www.example.org/", false);
        check(&scope, "http://example.org:8080/", false);
    }

    #[test]
    fn domain_scope_ends_at_the_public_suffix() {
        let scope = scope(
            ScopeMode::Domain,
            &[seed("http://www.example.co.uk/", None)],
        );
        check(&scope, "http://blog.example.co.uk/", true);
        check(&scope, "http://other.co.uk/", false);
    }

    #[test]
    fn further_hosts_are_read_in_any_spelling() {
        let hosts = [
            "Docs.Example.NET",
            "https://例子.中国/x",
            "b.example:8080",
            "*.c.example",
        ];
        let config = ScopeConfig {
            hosts: hosts.map(String::from).to_vec(),
            depth_max: 5,
            ..ScopeConfig::default()
        };
        let scope = Scope::new(&config).expect("hosts");
        check(&scope, "https://docs.example.net/", true);
        check(&scope, "http://xn--fsqu00a.xn--fiqs8s/y", true);
        check(&scope, "http://b.example:8080/", true);
        check(&scope, "http://b.example/", false);
        check(&scope, "http://x.y.c.example/", true);
        check(&scope, "http://c.example/", false);
        let wrong = ScopeConfig {
            hosts: vec!["no host".into()],
            ..ScopeConfig::default()
        };
        assert!(Scope::new(&wrong).is_err());
    }

    #[test]
    fn a_pattern_that_would_eat_memory_is_refused() {
        let include = vec!["((a{100}){100}){100}".to_owned()];
        assert!(
            Scope::new(&ScopeConfig {
                include,
                ..ScopeConfig::default()
            })
            .is_err()
        );
    }

    #[test]
    fn prefix_scope_ends_at_the_last_slash() {
        let scope = scope(
            ScopeMode::Prefix,
            &[seed("http://example.org/docs/index.html", None)],
        );
        check(&scope, "http://example.org/docs/a/b", true);
        check(&scope, "http://example.org/blog/", false);
    }

    #[test]
    fn a_redirected_seed_brings_its_target_into_scope() {
        let mut scope = scope(ScopeMode::Host, &[seed("http://example.org/", None)]);
        scope.extend(
            0,
            &CanonicalUrl::parse("https://www.example.org/").expect("parses"),
        );
        check(&scope, "https://www.example.org/page", true);
    }

    #[test]
    fn what_belongs_to_another_seed_belongs_to_the_crawl_as_far_from_it_as_that_seed_lets() {
        let seeds = [
            seed("http://a.example/", None),
            SeedUrl {
                depth: Some(2),
                ..seed("http://b.example/", None)
            },
            seed("http://c.example/docs/", Some(ScopeMode::Prefix)),
            seed("http://www.d.example/", Some(ScopeMode::Domain)),
            seed("http://e.example/", Some(ScopeMode::Any)),
        ];
        let scope = scope(ScopeMode::Host, &seeds);
        let at = |url: &str, depth: u32| {
            let url = CanonicalUrl::parse(url).expect(url);
            scope.check(&url, depth, 0).is_ok()
        };
        for (url, allowed) in [
            ("https://b.example/x", true),
            ("http://c.example/docs/x", true),
            ("http://c.example/blog/", false),
            ("http://blog.d.example/", true),
            ("http://e.example/x", true),
            ("http://f.example/", false),
        ] {
            assert_eq!(at(url, 1), allowed, "{url}");
        }
        assert!(at("http://b.example/x", 2) && !at("http://b.example/x", 3));
        assert!(at("http://a.example/x", 5) && !at("http://a.example/x", 6));
    }

    #[test]
    fn a_seed_that_takes_less_than_all_takes_its_examples_with_it() {
        let mut scope = scope(
            ScopeMode::Host,
            &[seed("http://a.example/", Some(ScopeMode::Any))],
        );
        scope.add_example();
        let elsewhere = CanonicalUrl::parse("http://b.example/").expect("parses");
        assert!(scope.check(&elsewhere, 1, 1).is_ok());
        scope.change_seed(0, &seed("http://a.example/", None));
        assert!(scope.check(&elsewhere, 1, 1).is_err());
        assert!(scope.check(&elsewhere, 1, 0).is_err());
    }

    #[test]
    fn where_a_seed_redirects_is_found_from_other_seeds_as_well() {
        let seeds = ["http://a.example/", "http://b.example/"].map(|url| seed(url, None));
        let mut scope = scope(ScopeMode::Host, &seeds);
        let target = CanonicalUrl::parse("https://www.b.example/").expect("parses");
        assert!(scope.check(&target, 1, 0).is_err());
        scope.extend(1, &target);
        assert!(scope.check(&target, 1, 0).is_ok());
    }

    #[test]
    fn the_pattern_that_refuses_is_named() {
        let config = ScopeConfig {
            mode: ScopeMode::Any,
            exclude: vec!["/tags?/".into()],
            depth_max: 5,
            ..ScopeConfig::default()
        };
        let mut scope = Scope::new(&config).expect("compiles");
        scope.add_seed(&seed("http://a.example/", None));
        let url = CanonicalUrl::parse("http://a.example/tag/x").expect("parses");
        assert_eq!(
            scope.check(&url, 1, 0),
            Err(ScopeRefusal::Excluded("/tags?/".into()))
        );
        assert_eq!(
            scope.check(
                &CanonicalUrl::parse("http://a.example/").expect("parses"),
                6,
                0
            ),
            Err(ScopeRefusal::Depth(5))
        );
    }
}
