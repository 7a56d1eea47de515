//! Asking what would become of URLs, without admitting them.
//!
//! A record names the fate of each of its links before it changes anything. The fate of one link
//! depends on those before it: they are in the queue then, and have used up a part of each budget.
//! [`Offers`] counts them beside the frontier, which stays as it is.

use hashbrown::{HashMap, HashSet};
use outcome::{LinkFate, Trap};

use super::Frontier;
use crate::config::FrontierError;
use crate::host::HostKey;
use crate::hosts::domain_of;
use crate::lease::Admission;
use crate::trap::{JudgedPage, PageWorth};
use crate::url::CanonicalUrl;

/// What the frontier would admit, one URL after the other.
#[derive(Debug)]
pub struct Offers<'f> {
    frontier: &'f Frontier,
    page: JudgedPage,
    urls: HashSet<u128>,
    hosts: HashMap<HostKey, u64>,
    new_hosts: usize,
    new_hosts_of_domains: HashMap<String, usize>,
    seeds: HashMap<u32, u64>,
    /// The budget of a seed that the frontier does not know yet.
    seed_budget: Option<(u32, Option<u64>)>,
}

impl Frontier {
    /// Asks what would become of URLs; of the links of `page`, if they are a page's: one that was
    /// judged, with its worth, and is not told to [`Frontier::observe`] yet.
    pub fn offers(&self, page: Option<(&CanonicalUrl, PageWorth)>) -> Offers<'_> {
        let judged = page.map(|(url, worth)| self.traps.judged(&url.host(), url, worth));
        Offers {
            frontier: self,
            page: judged.unwrap_or_default(),
            urls: HashSet::new(),
            hosts: HashMap::new(),
            new_hosts: 0,
            new_hosts_of_domains: HashMap::new(),
            seeds: HashMap::new(),
            seed_budget: None,
        }
    }
}

impl Offers<'_> {
    /// Sets how many URLs a new seed may bring in; `None` for any number.
    pub fn set_seed_budget(&mut self, seed: u32, urls: Option<u64>) {
        self.seed_budget = Some((seed, urls));
    }

    /// What becomes of a URL in scope, if it is offered after all those before it.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub fn offer(
        &mut self,
        url: &CanonicalUrl,
        depth: u32,
        seed: u32,
    ) -> Result<Admission, FrontierError> {
        let host = url.host();
        if self.was_seen(url)? {
            self.note_seen(url);
            return Ok(Admission::Seen);
        }
        if let Some(refusal) = self.refusal(url, &host, depth, seed) {
            return Ok(Admission::Refused(refusal));
        }
        let traps = &self.frontier.traps;
        traps.judged_link(&mut self.page, &host, url, true);
        *self.seeds.entry(seed).or_default() += 1;
        let before = self.admitted_of(&host);
        self.admit(url, host, before + 1);
        Ok(Admission::New)
    }

    /// Notes a link of the page to a URL that is known, which need not be offered.
    pub fn note_seen(&mut self, url: &CanonicalUrl) {
        let traps = &self.frontier.traps;
        traps.judged_link(&mut self.page, &url.host(), url, false);
    }

    /// The same for a sitemap: it is no page, so it counts for no budget of them.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub fn offer_sitemap(&mut self, url: &CanonicalUrl) -> Result<Admission, FrontierError> {
        let host = url.host();
        if self.was_seen(url)? {
            return Ok(Admission::Seen);
        }
        if let Some(refusal) = self.refusal_of_new_host(&host) {
            return Ok(Admission::Refused(refusal));
        }
        let before = self.admitted_of(&host);
        self.admit(url, host, before);
        Ok(Admission::New)
    }

    fn was_seen(&self, url: &CanonicalUrl) -> Result<bool, FrontierError> {
        let key = url.key();
        Ok(self.frontier.has_seen(key)? || self.urls.contains(&key))
    }

    /// Pages of a host that were admitted here.
    fn admitted_of(&self, host: &HostKey) -> u64 {
        self.hosts.get(host).copied().unwrap_or(0)
    }

    /// A URL is new; of its host so many pages are admitted here with it.
    fn admit(&mut self, url: &CanonicalUrl, host: HostKey, pages: u64) {
        self.urls.insert(url.key());
        if !self.is_known(&host) {
            self.new_hosts += 1;
            let domain = domain_of(&host).to_owned();
            *self.new_hosts_of_domains.entry(domain).or_default() += 1;
        }
        self.hosts.insert(host, pages);
    }

    fn is_known(&self, host: &HostKey) -> bool {
        self.frontier.hosts.find(host).is_some() || self.hosts.contains_key(host)
    }

    fn refusal(
        &self,
        url: &CanonicalUrl,
        host: &HostKey,
        depth: u32,
        seed: u32,
    ) -> Option<LinkFate> {
        let frontier = self.frontier;
        let own = self.seed_budget.filter(|(own, _)| *own == seed);
        let budget = own.map_or_else(|| frontier.budgets.max(seed), |(_, urls)| urls);
        let used = frontier.budgets.used(seed) + self.seeds.get(&seed).unwrap_or(&0);
        if budget.is_some_and(|budget| used >= budget) {
            return Some(LinkFate::BudgetSeed);
        }
        if let Some(refusal) = self.refusal_of_new_host(host) {
            return Some(refusal);
        }
        let known = frontier.hosts.find(host).map(|id| &frontier.hosts[id]);
        let (before, max) = match known {
            Some(known) => (known.admitted, known.admitted_max),
            None => (
                frontier.ended_before(host),
                frontier.config.admitted_max(host),
            ),
        };
        let admitted = before + self.admitted_of(host);
        if admitted > 0 && admitted >= max {
            return Some(LinkFate::BudgetHost);
        }
        // A seed is the user's word: no trap rule applies to it.
        if depth == 0 {
            return None;
        }
        let checked = frontier.traps.check_link(host, url, &self.page);
        checked.err().map(LinkFate::Trap)
    }

    /// Why no URL of a host is admitted that is not known yet.
    fn refusal_of_new_host(&self, host: &HostKey) -> Option<LinkFate> {
        let frontier = self.frontier;
        if self.is_known(host) || frontier.ended_before(host) > 0 {
            return None;
        }
        if frontier.hosts.len() + self.new_hosts >= frontier.config.hosts_max {
            return Some(LinkFate::BudgetHosts);
        }
        let here = self.new_hosts_of_domains.get(domain_of(host));
        let hosts = frontier.hosts.in_domain_of(host) + here.unwrap_or(&0);
        (hosts >= frontier.config.hosts_per_domain).then_some(LinkFate::Trap(Trap::HostPool))
    }
}

#[cfg(test)]
mod tests {
    use std::time::Instant;

    use proptest::prelude::*;

    use crate::{CanonicalUrl, Frontier, FrontierConfig, FrontierUrl, NO_PAGE, PageYield};

    proptest! {
        /// What is said of URLs asked about together is what becomes of them one by one.
        #[test]
        fn offers_come_true(
            links in prop::collection::vec((0u32..6, 0u32..12, prop::bool::weighted(0.2)), 1..60),
            seeds in prop::collection::vec((0u32..6, 0u32..12), 0..20),
            budget in prop::option::of(0u64..12),
        ) {
            let config = FrontierConfig {
                urls_per_host: 5,
                hosts_max: 5,
                hosts_per_domain: 3,
                ..FrontierConfig::default()
            };
            let mut frontier = Frontier::in_memory(config, Instant::now());
            if let Some(budget) = budget {
                frontier.set_seed_budget(1, Some(budget));
            }
            let url = |(host, page, no_page): (u32, u32, bool), seed| FrontierUrl {
                url: CanonicalUrl::parse(&format!("http://h{host}.d{}.org/x/{page}", host % 2)).unwrap(),
                depth: 1,
                seed,
                via: Some(7),
                priority: 1.0,
                context: vec![NO_PAGE * u8::from(no_page)],
            };
            for (host, page) in seeds {
                frontier.admit(url((host, page, false), 1)).unwrap();
            }
            let page = CanonicalUrl::parse("http://h0.d0.org/x/99").unwrap();
            let said: Vec<_> = {
                let mut offers = frontier.offers(Some((&page, PageYield::Nothing.into())));
                let said = links.iter().map(|&link| match link.2 {
                    true => offers.offer_sitemap(&url(link, 1).url).unwrap(),
                    false => offers.offer(&url(link, 1).url, 1, 1).unwrap(),
                });
                said.collect()
            };
            frontier.observe(&page, 7, PageYield::Nothing.into(), None);
            for (&link, said) in links.iter().zip(said) {
                prop_assert_eq!(frontier.admit(url(link, 1)).unwrap(), said);
            }
        }
    }
}
