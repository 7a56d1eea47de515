//! What the records of seeds, robots.txt and sitemaps do.

use archive::{RobotsRecord, SeedRecord, SitemapRecord};
use frontier::{CanonicalUrl, FrontierUrl, HostKey, UrlError};
use outcome::SitemapKind;

use super::Stored;
use crate::context::UrlContext;
use crate::robots_book;
use crate::state::{State, StoreError};

impl State {
    pub(super) fn apply_seed(
        &mut self,
        seed: &SeedRecord,
        stored: Stored,
    ) -> Result<Option<String>, StoreError> {
        if !stored.views
            && let Err(error) = self.learn_seed(seed)
        {
            return Ok(Some(format!("seed {}: {error}", seed.url)));
        }
        let Ok(url) = CanonicalUrl::parse(&seed.url) else {
            return Ok(None);
        };
        let context = match seed.sitemap {
            true => UrlContext::sitemap(),
            false => UrlContext::page(),
        };
        if seed.fate.is_none() && !stored.frontier {
            self.queue.lock().frontier.replay_admitted(FrontierUrl {
                url,
                depth: 0,
                seed: seed.seed,
                via: None,
                priority: seed.priority,
                context: context.to_bytes(),
            })?;
        }
        Ok(None)
    }

    fn learn_seed(&mut self, seed: &SeedRecord) -> Result<(), UrlError> {
        self.reach.apply_seed(seed)?;
        if let Some(on_topic) = seed.example {
            self.examples.add(&seed.url, on_topic);
        }
        let mut queue = self.queue.lock();
        queue.gate.on_seed(&seed.url);
        queue.frontier.set_seed_budget(seed.seed, seed.pages);
        Ok(())
    }

    pub(super) fn apply_robots(
        &mut self,
        robots: &RobotsRecord,
        stored: Stored,
    ) -> Result<(), StoreError> {
        let host = HostKey::from_record(&robots.host);
        if !stored.views {
            let mut queue = self.queue.lock();
            let queue = &mut *queue;
            let news = queue.robots.apply(robots);
            let frontier = &mut queue.frontier;
            let url = robots.origin.as_deref().and_then(robots_book::url_of);
            let origin = url.map(|url| url.origin()).unwrap_or_default();
            frontier.robots_known(&host, origin, news.crawl_delay, news.wait);
            queue.robots.make_room(|host| frontier.is_waiting(host));
        }
        let Some(seed) = self.reach.seed_of_host(&host) else {
            return Ok(());
        };
        let priority = self.reach.priority_of_seed(seed);
        let urls = robots.queued.as_ref().unwrap_or(&robots.sitemaps);
        for url in urls.iter().filter_map(|url| CanonicalUrl::parse(url).ok()) {
            if robots.queued.is_none() && !self.was_offered(&url, seed) {
                continue;
            }
            if !stored.views {
                self.reach.count_sitemap(&url);
            }
            if !stored.frontier {
                self.queue.lock().frontier.replay_admitted(FrontierUrl {
                    url,
                    depth: 0,
                    seed,
                    via: None,
                    priority,
                    context: UrlContext::sitemap().to_bytes(),
                })?;
            }
        }
        Ok(())
    }

    /// Whether a sitemap that robots.txt names was offered to the frontier. Records of earlier
    /// versions do not say: it was if it was in scope and within its host's bound.
    fn was_offered(&self, url: &CanonicalUrl, seed: u32) -> bool {
        self.policy.sitemaps
            && self.reach.sitemaps_of_host(&url.host()) < self.policy.sitemaps_per_host
            && self.reach.check(url, 0, seed).is_ok()
    }

    pub(super) fn apply_sitemap(
        &mut self,
        sitemap: &SitemapRecord,
        stored: Stored,
    ) -> Result<(), StoreError> {
        let is_index = sitemap.kind == SitemapKind::Index;
        // Where a redirect leads is named by whatever named what redirects.
        let is_redirect = (300..400).contains(&sitemap.fetch.status);
        let is_listed = sitemap.listed || !is_redirect;
        let of_seed = self.reach.priority_of_seed(sitemap.seed);
        let mut admitted = Vec::with_capacity(sitemap.urls.len());
        for url in &sitemap.urls {
            let Ok(url) = CanonicalUrl::parse(url) else {
                continue;
            };
            if !stored.views {
                self.reach.note_host(&url.host(), sitemap.seed);
            }
            let (mut context, mut priority) = (UrlContext::page(), of_seed);
            if is_index {
                if !stored.views {
                    self.reach.count_sitemap(&url);
                }
                context = match is_listed {
                    true => UrlContext::of_index(),
                    false => UrlContext::sitemap(),
                };
            } else if let Some(focus) = &mut self.focus {
                (context.features, priority) = focus.promise_of_url(&url);
            }
            admitted.push(FrontierUrl {
                url,
                depth: u32::from(!is_index),
                seed: sitemap.seed,
                via: None,
                priority,
                context: context.to_bytes(),
            });
        }
        if stored.frontier {
            return Ok(());
        }
        let frontier = &mut self.queue.lock().frontier;
        for url in admitted {
            frontier.replay_admitted(url)?;
        }
        if let Ok(url) = CanonicalUrl::parse(&sitemap.url) {
            frontier.replay_finished(&url)?;
        }
        Ok(())
    }
}
