//! What robots.txt and sitemaps bring: URLs without a page that links to them.
//!
//! A sitemap is no page: it is not admitted, judged or counted, whatever its answer was. Its one
//! record says what it gave, or why it gave nothing.

use archive::{Event, PageRecord, RobotsRecord, SitemapRecord};
use frontier::{CanonicalUrl, FrontierUrl, HostKey, Lease};

use crate::context::UrlContext;
use crate::convert;
use crate::error::CrawlError;
use crate::read::Reading;
use crate::visit::RobotsVisit;
use crate::write::Writer;

impl Writer {
    /// Records a sitemap that could not be read as one. One that redirects is an index of one
    /// sitemap: so it counts against its host's bound, and no circle of redirects is endless.
    pub(crate) fn commit_no_sitemap(
        &mut self,
        lease: &Lease,
        record: PageRecord,
        reading: Reading,
    ) -> Result<(), CrawlError> {
        let status = record.fetch.as_ref().map_or(0, |fetch| fetch.status);
        let (kind, urls, problem) = match reading {
            Reading::Redirect(Ok(target)) => {
                let problem = format!("redirects to {target}");
                let url = (target, fetcher::SitemapUrl::default());
                ("index", vec![url], problem)
            }
            Reading::Redirect(Err(why)) => ("", Vec::new(), why),
            Reading::Refused { name, detail } => ("", Vec::new(), format!("{name}: {detail}")),
            Reading::Failed { detail, .. } => ("", Vec::new(), detail),
            Reading::Page(_)
            | Reading::NoPage { .. }
            | Reading::Sitemap { .. }
            | Reading::NotModified => ("", Vec::new(), format!("no sitemap: status {status}")),
        };
        self.commit_sitemap(lease, record, kind, urls, Some(problem))
    }

    pub(crate) fn commit_sitemap(
        &mut self,
        lease: &Lease,
        record: PageRecord,
        kind: &str,
        urls: Vec<(CanonicalUrl, fetcher::SitemapUrl)>,
        problem: Option<String>,
    ) -> Result<(), CrawlError> {
        let since = self
            .seeds
            .get(lease.url().seed as usize)
            .and_then(|seed| seed.since.clone());
        let mut admitted = Vec::new();
        for (url, entry) in urls {
            // ISO dates sort as text; an entry without a date is not known to be old.
            let is_old =
                since
                    .as_deref()
                    .zip(entry.lastmod.as_deref())
                    .is_some_and(|(since, at)| {
                        at.get(..since.len().min(at.len())) < since.get(..since.len().min(at.len()))
                    });
            if is_old {
                continue;
            }
            let mut context = UrlContext::page();
            let mut priority = lease.url().priority;
            if kind == "index" {
                context = UrlContext::sitemap();
            } else if let Some(focus) = &mut self.focus {
                (context.features, priority) = focus.promise_of_url(&url);
            }
            let depth = lease.url().depth + u32::from(kind != "index");
            if kind == "index" && !self.may_read_sitemap(&url) {
                continue;
            }
            if self.offer(&url, depth, lease, context, lease.url().via, priority) == "new" {
                admitted.push(url.as_str().to_string());
                if kind == "index" {
                    self.kept.count_sitemap(&url);
                }
            }
        }
        if kind != "index" {
            self.counts.admitted += admitted.len() as u64;
        }
        self.append(Event::Sitemap(SitemapRecord {
            url: record.url,
            host: record.host,
            seed: record.seed,
            fetch: record.fetch.unwrap_or_default(),
            kind: kind.into(),
            problem,
            urls: admitted,
        }))?;
        Ok(())
    }

    pub(crate) fn commit_robots(&mut self, visit: RobotsVisit) -> Result<(), CrawlError> {
        let sitemaps: Vec<String> = visit.robots.sitemaps().to_vec();
        self.append(Event::Robots(RobotsRecord {
            host: visit.host.to_string(),
            fetch: convert::fetch_record(&visit.answer, ""),
            rules: visit.rules.into(),
            crawl_delay_s: visit
                .robots
                .crawl_delay(&self.config.agent.name)
                .map(|delay| delay.as_secs_f64()),
            sitemaps: sitemaps.clone(),
        }))?;
        self.offer_sitemaps(&visit.host, &sitemaps);
        Ok(())
    }

    /// Offers the sitemaps that a host's robots.txt names; as on replay, so that both agree.
    pub(crate) fn offer_sitemaps(&mut self, host: &HostKey, sitemaps: &[String]) {
        if self.config.scope.sitemaps == Some(false) {
            return;
        }
        let Some(seed) = self.kept.seed_of_host(host) else {
            return;
        };
        let priority = convert::priority_of_seed(&self.seeds, seed);
        for sitemap in sitemaps {
            let Ok(url) = CanonicalUrl::parse(sitemap) else {
                continue;
            };
            if !self.may_read_sitemap(&url) || self.scope.check(&url, 0, seed).is_err() {
                continue;
            }
            self.kept.count_sitemap(&url);
            self.lock_frontier().admit(FrontierUrl {
                url,
                depth: 0,
                seed,
                via: None,
                priority,
                context: UrlContext::sitemap().to_bytes(),
            });
        }
    }

    /// Whether one more sitemap of its host is within the bound.
    fn may_read_sitemap(&self, url: &CanonicalUrl) -> bool {
        self.kept.sitemaps_of_host(&url.host()) < self.config.limits.sitemaps_per_host
    }
}
