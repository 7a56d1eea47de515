//! Why a URL was never admitted: which rule, pattern or budget left it out.

use std::collections::BTreeSet;

use archive::{Event, Record, SeedRecord};
use config::CrawlConfig;
use frontier::{CanonicalUrl, ScopeRefusal};
use outcome::{LinkFate, Trap};
use report::Mention;
use report::words::{name, plural};
use state::Reach;
use state::reach::{moved_site, seed_targets};

use crate::ExplainError;

/// Depths of seeds that are named.
const DEPTHS_MAX: usize = 8;

/// Seeds' hosts named one by one.
const HOSTS_SHOWN: usize = 5;

/// The rules of a crawl as its last start had them.
pub struct LeftOut<'c> {
    config: &'c CrawlConfig,
    reach: Reach,
    hosts: Vec<String>,
    /// The `depth=` of seeds, each once.
    depths: Vec<u32>,
    /// Seeds with a `scope=` of their own, in words.
    scopes: Vec<String>,
}

impl<'c> LeftOut<'c> {
    /// Reads the seeds, and what redirecting seeds brought into scope.
    ///
    /// # Errors
    /// When the scope or a seed is wrong.
    pub fn read(
        records: impl Iterator<Item = Record>,
        config: &'c CrawlConfig,
    ) -> Result<Self, ExplainError> {
        let reach = Reach::new(&config.scope_config())?;
        let mut rules = Self {
            config,
            reach,
            hosts: Vec::new(),
            depths: Vec::new(),
            scopes: Vec::new(),
        };
        for record in records {
            match &record.event {
                Event::Seed(seed) => {
                    let wrong = |error| ExplainError::Seed {
                        url: seed.url.clone(),
                        error,
                    };
                    rules.reach.apply_seed(seed).map_err(wrong)?;
                    let url = CanonicalUrl::parse(&seed.url).map_err(wrong)?;
                    if let Some(depth) = seed.depth
                        && rules.depths.len() < DEPTHS_MAX
                        && !rules.depths.contains(&depth)
                    {
                        rules.depths.push(depth);
                    }
                    if seed.example.is_none() {
                        rules.note(&url);
                        rules.note_scope(seed);
                    }
                }
                Event::Page(page) => {
                    rules.reach.apply_page(page);
                    for target in seed_targets(page) {
                        rules.note(&target);
                    }
                }
                Event::Visit(visit) => {
                    rules.reach.apply_visit(visit);
                    if let Some((_, target)) = moved_site(visit) {
                        rules.note(&target);
                    }
                }
                Event::Start(_)
                | Event::Robots(_)
                | Event::Sitemap(_)
                | Event::Attempt(_)
                | Event::Retry(_)
                | Event::Again(_)
                | Event::Elsewhere(_)
                | Event::Stop(_) => {}
            }
        }
        Ok(rules)
    }

    fn note(&mut self, url: &CanonicalUrl) {
        let host = url.host().to_string();
        if !self.hosts.contains(&host) {
            self.hosts.push(host);
        }
    }

    fn note_scope(&mut self, seed: &SeedRecord) {
        if let Some(mode) = &seed.scope {
            let told = format!("scope={mode} for {}", seed.url);
            if self.scopes.len() < HOSTS_SHOWN && !self.scopes.contains(&told) {
                self.scopes.push(told);
            }
        }
    }

    /// What the rules say to a URL that no page linked to.
    pub fn never_found(&self, url: &CanonicalUrl) -> String {
        match self.refusal(url) {
            Some(refusal) => format!(
                "It would be left out: it {}.",
                self.words(&refusal.fate(), url)
            ),
            None => "It is in scope, but no page that was read so far links to it, and no sitemap brought it \
                     in. A sitemap's URLs are left out where since=, depth= or pages= of its seed or a \
                     budget says so."
                .into(),
        }
    }

    /// Why links to a URL were not followed, by the fates they met.
    pub fn left_out<'f>(
        &self,
        url: &CanonicalUrl,
        found: impl Iterator<Item = &'f Mention>,
    ) -> String {
        let told = found.map(|found| match found.fate {
            LinkFate::Depth if !self.is_too_far(url, (found.depth, found.of_seed)) => {
                "was too far from its seed for the max_depth of an earlier start".to_owned()
            }
            _ => self.words(&found.fate, url),
        });
        let mut told: Vec<String> = told.collect();
        told.sort();
        told.dedup();
        format!("It {}.", told.join("; it "))
    }

    /// Whether a URL is too far from its seed by the rules in force.
    fn is_too_far(&self, url: &CanonicalUrl, (depth, seed): (u32, u32)) -> bool {
        matches!(
            self.reach.check(url, depth, seed),
            Err(ScopeRefusal::Depth(_))
        )
    }

    /// The refusal that every seed's scope has for a URL.
    fn refusal(&self, url: &CanonicalUrl) -> Option<ScopeRefusal> {
        let seeds = self.reach.seeds().len().max(1) as u32;
        let mut refusals = (0..seeds).map(|seed| self.reach.check(url, 0, seed));
        let first = refusals.next()?.err()?;
        refusals.all(|refusal| refusal.is_err()).then_some(first)
    }

    /// A fate in words that follow "it".
    fn words(&self, fate: &LinkFate, url: &CanonicalUrl) -> String {
        let limits = &self.config.limits;
        match fate {
            LinkFate::Scope => {
                let own: String = self.scopes.iter().map(|own| format!(", {own}")).collect();
                format!(
                    "is out of scope: [scope] mode = {:?}, with seeds on {}{own}",
                    self.config.scope_config().mode.name(),
                    self.seed_hosts(),
                )
            }
            LinkFate::Excluded => match self.refusal(url) {
                Some(ScopeRefusal::Excluded(pattern)) => {
                    format!("matches the [scope] exclude pattern {pattern:?}")
                }
                Some(ScopeRefusal::Host | ScopeRefusal::Depth(_) | ScopeRefusal::NotIncluded)
                | None => "matched an exclude pattern of an earlier start".into(),
            },
            LinkFate::NotIncluded => format!(
                "matches none of the [scope] include patterns: {}",
                self.config.scope.include.join(" ")
            ),
            LinkFate::Depth => {
                let own: BTreeSet<u32> = self.depths.iter().copied().collect();
                let own: Vec<String> = own.iter().map(ToString::to_string).collect();
                let max = self.config.crawl.max_depth;
                match own.is_empty() {
                    true => format!("is too far from its seed: [crawl] max_depth = {max}"),
                    false => format!(
                        "is too far from its seed: [crawl] max_depth = {max}, and seeds have a depth= of their own: {}",
                        own.join(", ")
                    ),
                }
            }
            LinkFate::BudgetSeed => "came when the budget of its seed (pages=) was used up".into(),
            LinkFate::BudgetHost => format!(
                "came when the budget of its host was used up ({}[limits] urls_per_host = {})",
                self.host_budget(url),
                limits.urls_per_host
            ),
            LinkFate::BudgetHosts => "is on a host more than the crawl can hold".into(),
            LinkFate::Trap(Trap::HostPool) => format!(
                "is on a host more than one domain may bring in: [limits] hosts_per_domain = {}",
                limits.hosts_per_domain
            ),
            LinkFate::Nofollow => {
                "is linked with nofollow only, or from pages that say so ([scope] follow_nofollow)"
                    .into()
            }
            LinkFate::Duplicate => {
                "is linked from duplicates only ([dedup] links_of_duplicates)".into()
            }
            LinkFate::Wall => "is linked from walls only, whose links are not the site's".into(),
            LinkFate::Trap(trap) => format!("looks like a trap: {}", name(trap.name())),
            other @ (LinkFate::New
            | LinkFate::Seen
            | LinkFate::BadUrl
            | LinkFate::Scheme
            | LinkFate::UserInfo
            | LinkFate::UrlLength
            | LinkFate::Unknown(_)) => format!("was left out: {}", name(other.name())),
        }
    }

    fn host_budget(&self, url: &CanonicalUrl) -> String {
        let host = url.host().to_string();
        let own = self.config.max_pages_of(&host);
        own.map_or_else(String::new, |pages| {
            format!("[host.{host:?}] max_pages = {pages}, ")
        })
    }

    fn seed_hosts(&self) -> String {
        let shown = self
            .hosts
            .iter()
            .take(HOSTS_SHOWN)
            .cloned()
            .collect::<Vec<_>>()
            .join(", ");
        match self.hosts.len().saturating_sub(HOSTS_SHOWN) as u64 {
            0 => shown,
            more => format!("{shown} and {}", plural(more, "more host", "more hosts")),
        }
    }
}
