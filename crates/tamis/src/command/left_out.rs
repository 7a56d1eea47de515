//! Why a URL was never admitted: which rule, pattern or budget left it out.

use archive::Event;
use frontier::{CanonicalUrl, Scope, ScopeRefusal};
use pipeline::{CrawlConfig, CrawlDir, setup};
use report::words::{name, plural};

use crate::command::journal;
use crate::exit::usage;

/// Seeds' hosts named one by one.
const HOSTS_SHOWN: usize = 5;

/// The rules of a crawl as its last start had them.
pub struct LeftOut<'c> {
    config: &'c CrawlConfig,
    scope: Scope,
    seeds: u32,
    hosts: Vec<String>,
}

impl<'c> LeftOut<'c> {
    /// Reads the seeds, and what redirecting seeds brought into scope.
    pub fn read(dir: &CrawlDir, config: &'c CrawlConfig) -> anyhow::Result<Self> {
        let scope =
            Scope::new(&setup::scope_config(config)).map_err(|error| usage(error.to_string()))?;
        let mut rules = Self {
            config,
            scope,
            seeds: 0,
            hosts: Vec::new(),
        };
        for record in journal::records(dir)? {
            match &record.event {
                Event::Seed(seed) => {
                    rules.seeds += 1;
                    if seed.example.is_some() {
                        rules.scope.add_example();
                        continue;
                    }
                    let seed = setup::seed_url(seed).map_err(|error| usage(error.to_string()))?;
                    rules.scope.add_seed(&seed);
                    rules.note(&seed.url);
                }
                Event::Page(page) if page.outcome == "redirected" && page.depth == 0 => {
                    for target in page
                        .links
                        .iter()
                        .flat_map(|link| CanonicalUrl::parse(&link.url))
                    {
                        rules.scope.extend(page.seed, &target);
                        rules.note(&target);
                    }
                }
                _ => {}
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

    /// What the rules say to a URL that no page linked to.
    pub fn never_found(&self, url: &CanonicalUrl) -> String {
        match self.refusal(url) {
            Some(refusal) => format!(
                "It would be left out: it {}.",
                self.words(refusal.name(), url)
            ),
            None => {
                "It is in scope, but no page or sitemap that was read so far links to it.".into()
            }
        }
    }

    /// Why links to a URL were not followed, by the fates they met.
    pub fn left_out<'f>(&self, url: &CanonicalUrl, fates: impl Iterator<Item = &'f str>) -> String {
        let mut told: Vec<String> = fates.map(|fate| self.words(fate, url)).collect();
        told.sort();
        told.dedup();
        format!("It {}.", told.join("; it "))
    }

    /// The refusal that every seed's scope has for a URL.
    fn refusal(&self, url: &CanonicalUrl) -> Option<ScopeRefusal> {
        let mut refusals = (0..self.seeds.max(1)).map(|seed| self.scope.check(url, 0, seed));
        let first = refusals.next()?.err()?;
        refusals.all(|refusal| refusal.is_err()).then_some(first)
    }

    /// A fate in words that follow "it".
    fn words(&self, fate: &str, url: &CanonicalUrl) -> String {
        let limits = &self.config.limits;
        match fate {
            "scope" => format!(
                "is out of scope: [scope] mode = {:?}, with seeds on {}",
                setup::scope_config(self.config).mode.name(),
                self.seed_hosts(),
            ),
            "excluded" => match self.refusal(url) {
                Some(ScopeRefusal::Excluded(pattern)) => {
                    format!("matches the [scope] exclude pattern {pattern:?}")
                }
                _ => "matched an exclude pattern of an earlier start".into(),
            },
            "not_included" => format!(
                "matches none of the [scope] include patterns: {}",
                self.config.scope.include.join(" ")
            ),
            "depth" => format!(
                "is too far from its seed: [crawl] max_depth = {}, unless the seed has a depth= of its own",
                self.config.crawl.max_depth
            ),
            "budget_seed" => "came when the budget of its seed (pages=) was used up".into(),
            "budget_host" => format!(
                "came when the budget of its host was used up ({}[limits] urls_per_host = {})",
                self.host_budget(url),
                limits.urls_per_host
            ),
            "budget_hosts" => "is on a host more than the crawl can hold".into(),
            "trap_host_pool" => format!(
                "is on a host more than one domain may bring in: [limits] hosts_per_domain = {}",
                limits.hosts_per_domain
            ),
            "nofollow" => {
                "is linked with nofollow only, or from pages that say so ([scope] follow_nofollow)"
                    .into()
            }
            "duplicate" => "is linked from duplicates only ([dedup] links_of_duplicates)".into(),
            trap if trap.starts_with("trap") => format!("looks like a trap: {}", name(trap)),
            other => format!("was left out: {}", name(other)),
        }
    }

    fn host_budget(&self, url: &CanonicalUrl) -> String {
        let host = url.host().to_string();
        let own = self.config.host.get(&host).and_then(|own| own.max_pages);
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
