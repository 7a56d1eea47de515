//! A crawl on many machines, as one node sees it.

use std::collections::BTreeMap;

use archive::{
    ElsewhereExample, ElsewhereRecord, Event, ExampleTarget, PageRecord, Record, SeedRecord,
};
use frontier::{CanonicalUrl, FrontierError, FrontierUrl};

use crate::examples::is_lesson;
use crate::finding::{Finding, Reading};
use crate::focus_view;
use crate::kept;
use crate::reach;
use crate::state::{State, StoreError};

impl State {
    /// The URLs that a decision about a finding may admit and of which nothing is known here.
    ///
    /// # Errors
    /// When the frontier's store cannot be read.
    pub fn unknown_urls(&self, finding: &Finding) -> Result<Vec<CanonicalUrl>, FrontierError> {
        let mut urls: Vec<CanonicalUrl> = Vec::new();
        let (depth, seed) = match finding {
            Finding::Url(found) => (found.lease.url().depth, Some(found.lease.url().seed)),
            Finding::Robots(found) => (0, self.reach.seed_of_host(&found.host)),
        };
        match finding {
            Finding::Robots(found) => {
                let named = found.robots.sitemaps().iter();
                urls.extend(named.filter_map(|url| CanonicalUrl::parse(url).ok()));
            }
            Finding::Url(found) => match &found.reading {
                Reading::Page(page) => {
                    let targets = page
                        .links
                        .iter()
                        .filter_map(|link| link.target.as_ref().ok());
                    urls.extend(
                        targets
                            .filter(|url| self.may_reach(url, depth, seed))
                            .cloned(),
                    );
                }
                Reading::Sitemap(sitemap) => {
                    urls.extend(sitemap.urls.iter().map(|(url, _)| url.clone()))
                }
                Reading::Redirect(Ok(target)) => urls.push(target.clone()),
                Reading::Redirect(Err(_))
                | Reading::NoPage { .. }
                | Reading::NotModified
                | Reading::Refused(_)
                | Reading::Failed { .. } => {}
            },
        }
        self.unknown(urls)
    }

    fn may_reach(&self, url: &CanonicalUrl, depth: u32, seed: Option<u32>) -> bool {
        let is_example = || self.examples.get(url.as_str()).is_some();
        seed.is_none_or(|seed| self.reach.check(url, depth + 1, seed).is_ok()) || is_example()
    }

    /// The same of seeds.
    ///
    /// # Errors
    /// When the frontier's store cannot be read.
    pub fn unknown_seeds(&self, seeds: &[SeedRecord]) -> Result<Vec<CanonicalUrl>, FrontierError> {
        let urls = seeds.iter().filter_map(|seed| reach::seed_url(seed).ok());
        self.unknown(urls.map(|seed| seed.url).collect())
    }

    fn unknown(&self, urls: Vec<CanonicalUrl>) -> Result<Vec<CanonicalUrl>, FrontierError> {
        let queue = self.queue.lock();
        let mut unknown = Vec::new();
        for url in urls {
            if queue.frontier.is_unknown(&url)? {
                unknown.push(url);
            }
        }
        Ok(unknown)
    }

    /// Writes down which of this node's own pages give their place up.
    pub fn name_replaced(&self, elsewhere: &mut ElsewhereRecord) {
        for page in &mut elsewhere.kept {
            let old = page.replaces.filter(|old| kept::is_own(*old));
            let old = old.and_then(|old| self.kept.get(old));
            page.replaced = old.map(|old| old.url.to_string());
        }
    }

    /// With a topic, what other nodes are told of a page that is an example of it; `text` reads its main text.
    pub fn example_for_others(
        &self,
        record: &Record,
        text: impl FnOnce(&PageRecord) -> Option<String>,
    ) -> Option<ElsewhereExample> {
        let Event::Page(page) = &record.event else {
            return None;
        };
        self.focus.as_ref()?;
        let on_topic = self.examples.teaches(page)?;
        focus_view::as_example(page, on_topic, &text(page).unwrap_or_default())
    }

    /// With a topic, what other nodes are told of an example that redirects.
    pub fn example_led_to(&self, record: &Record) -> Option<ExampleTarget> {
        let Event::Page(page) = &record.event else {
            return None;
        };
        self.focus.as_ref()?;
        let on_topic = self.examples.get(&page.url)?;
        let url = page.redirect_target()?.to_owned();
        Some(ExampleTarget { url, on_topic })
    }

    /// With a topic, its example pages from which it has learnt, whoever has read them: one that was read here
    /// before anybody knew that it is an example stands among those of others.
    pub fn examples_learnt(&self) -> BTreeMap<String, bool> {
        let learnt = self.examples.learnt();
        learnt
            .map(|(url, on_topic)| (url.clone(), on_topic))
            .collect()
    }

    /// With a topic, the pages to which redirects of examples led that were recorded here.
    pub fn examples_led_to(&self) -> BTreeMap<String, bool> {
        let led_to = self.focus.as_ref().map(|_| self.examples.led_to_here());
        led_to.cloned().unwrap_or_default()
    }

    /// What the topic learns from the page of a record as an example, if that is a page.
    pub fn as_example(record: &PageRecord, on_topic: bool, text: &str) -> Option<ElsewhereExample> {
        let example = focus_view::as_example(record, on_topic, text);
        example.filter(|_| is_lesson(record))
    }

    /// Whether the topic learns something from this example that another node has read.
    pub fn is_new_example(&self, example: &ElsewhereExample) -> bool {
        self.focus.is_some() && !self.examples.is_learnt(&example.url)
    }

    /// Whether this page, to which an example leads, is not known here as one.
    pub fn is_new_target(&self, target: &ExampleTarget) -> bool {
        self.focus.is_some() && self.examples.get(&target.url).is_none()
    }

    /// What belongs to the crawl follows from seeds and from where they redirect, on whichever node
    /// that was recorded.
    pub fn note_taken(&mut self, url: &FrontierUrl) {
        self.reach.note_host(&url.url.host(), url.seed);
        if url.depth == 0 && !crate::context::is_sitemap(&url.context) {
            self.reach.extend(url.seed, &url.url);
        }
    }

    /// A part comes, with the URLs that wait in it, and with how many of each host have met their end.
    ///
    /// # Errors
    /// When the frontier's store cannot be read or written.
    pub fn take_part(
        &mut self,
        part: u16,
        waiting: Vec<(FrontierUrl, bool)>,
        ended: impl IntoIterator<Item = (u32, u64)>,
    ) -> Result<(), StoreError> {
        for (url, _) in &waiting {
            self.note_taken(url);
        }
        let frontier = &mut self.queue.lock().frontier;
        Ok(frontier.take_part(part, waiting, ended)?)
    }

    /// The seed that a decision about a finding may bring URLs in for, if it has a budget.
    pub fn seed_with_budget(&self, finding: &Finding) -> Option<u32> {
        let seed = match finding {
            Finding::Url(found) => Some(found.lease.url().seed),
            Finding::Robots(found) => self.reach.seed_of_host(&found.host),
        };
        let frontier = &self.queue.lock().frontier;
        seed.filter(|&seed| frontier.seed_budget(seed).is_some())
    }

    /// URLs of this node's parts were admitted by others.
    ///
    /// # Errors
    /// When the frontier's store cannot be read or written.
    pub fn take_admitted(&mut self, urls: Vec<(FrontierUrl, bool)>) -> Result<(), StoreError> {
        for (url, was_put_back) in urls {
            self.note_taken(&url);
            let frontier = &mut self.queue.lock().frontier;
            frontier.take_admitted(url, was_put_back)?;
        }
        Ok(())
    }
}
