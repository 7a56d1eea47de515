//! Policies: which page is to be visited next, and how soon.

use super::{
    Evidence, Place, Priors, Random, Rates, Signals, Since, Sitemap, World, marginal_of_rate,
};

/// A policy of coming back.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Policy {
    /// Every page equally often.
    Uniform,
    /// As often as it changes, which is known.
    Proportional,
    /// The rule of StormCrawler's `AdaptiveScheduler`, with its default numbers: the interval grows by a
    /// half after a visit without a change, and goes half way to the least one after a change.
    StormCrawler,
    /// The rule of Nutch's `AdaptiveFetchSchedule`, with its default numbers.
    Nutch,
    /// By marginal value, with rates known.
    Known,
    /// By marginal value, with rates learnt from visits. This is what a crawl does.
    Learnt,
    /// The same, with what sites tell.
    Told(Sitemap),
    /// With good sitemaps, where rates are known, and which share of changes is told, and how many signals are
    /// false: what can be had of signals by this rule.
    ToldKnown,
}

/// What a policy knows.
#[derive(Debug)]
pub struct Schedule<'a> {
    world: &'a World,
    policy: Policy,
    last: Vec<f64>,
    interval: Vec<f64>,
    due: Vec<f64>,
    modified: Vec<f64>,
    places: Vec<Place>,
    /// Of the pages of each host.
    priors: Vec<Rates>,
    evidence: Vec<Evidence>,
    rates: Vec<Rates>,
    signals: Vec<Signals>,
    listed: Vec<bool>,
    told: Vec<u32>,
    told_at: Vec<f64>,
    random: Random,
    learn_at: f64,
}

const STORM_LEAST: f64 = 1.0 / 24.0;
const STORM_MOST: f64 = 14.0;
const NUTCH_LEAST: f64 = 1.0 / 1_440.0;
const NUTCH_MOST: f64 = 365.0;

impl<'a> Schedule<'a> {
    /// Begins: every page was read at the beginning.
    pub fn new(world: &'a World, policy: Policy) -> Self {
        let count = world.pages.len();
        let interval = if policy == Policy::Nutch { 30.0 } else { 1.0 };
        let mut random = Random::new(world.seed ^ 0xa11ce);
        let share = match policy {
            Policy::Told(sitemap) => sitemap.shares().0,
            Policy::ToldKnown => Sitemap::Good.shares().0,
            Policy::Uniform
            | Policy::Proportional
            | Policy::StormCrawler
            | Policy::Nutch
            | Policy::Known
            | Policy::Learnt => 0.0,
        };
        let signals = match policy {
            Policy::ToldKnown => {
                let (_, recall, wrong) = Sitemap::Good.shares();
                Signals::known(recall, wrong)
            }
            Policy::Uniform
            | Policy::Proportional
            | Policy::StormCrawler
            | Policy::Nutch
            | Policy::Known
            | Policy::Learnt
            | Policy::Told(_) => Signals::default(),
        };
        let place = |page: &super::Page| Place {
            host: page.host as u32,
            ..Place::default()
        };
        Self {
            world,
            policy,
            last: vec![0.0; count],
            interval: vec![interval; count],
            due: vec![interval; count],
            modified: vec![0.0; count],
            priors: vec![Rates::of_the_web(); world.host_limits.len()],
            places: world.pages.iter().map(place).collect(),
            evidence: vec![Evidence::default(); count],
            rates: vec![Rates::of_the_web(); count],
            signals: vec![signals; world.host_limits.len()],
            listed: (0..count).map(|_| random.unit() < share).collect(),
            told: vec![0; count],
            told_at: vec![0.0; count],
            random,
            learn_at: 2.0,
        }
    }

    /// Reads the lists of all sites at the beginning of a day.
    pub fn listen(&mut self, day: usize) {
        let sitemap = match self.policy {
            Policy::Told(sitemap) => sitemap,
            Policy::ToldKnown => Sitemap::Good,
            Policy::Uniform
            | Policy::Proportional
            | Policy::StormCrawler
            | Policy::Nutch
            | Policy::Known
            | Policy::Learnt => return,
        };
        let now = day as f64;
        let (_, recall, wrong) = sitemap.shares();
        for page in (0..self.told.len()).filter(|page| self.listed[*page]) {
            let before = self.told[page];
            let changes = self.world.changes_between(page, now - 1.0, now);
            for change in changes {
                // A date before the last visit is no news.
                let is_told = self.random.unit() < recall;
                self.told[page] += u32::from(is_told && *change > self.last[page] && wrong < 1.0);
            }
            self.told[page] += u32::from(self.random.unit() < wrong);
            if before == 0 {
                self.told_at[page] = now;
            }
        }
    }

    /// The pages that can be visited now, with what that is worth.
    pub fn values(&mut self, now: f64) -> Vec<(f64, usize)> {
        if self.learns() && now >= self.learn_at {
            self.learn();
            self.learn_at *= 1.25;
        }
        let mut out = Vec::with_capacity(self.last.len());
        for page in 0..self.last.len() {
            let value = self.value(page, now);
            if value > 0.0 {
                out.push((value, page));
            }
        }
        out
    }

    /// Takes in what a visit finds.
    pub fn visited(&mut self, page: usize, now: f64) {
        let days = now - self.last[page];
        let changed = self.world.next_change(page, self.last[page]) <= now;
        match self.policy {
            Policy::Uniform | Policy::Proportional | Policy::Known | Policy::ToldKnown => {}
            Policy::StormCrawler => self.storm(page, now, changed),
            Policy::Nutch => self.nutch(page, now, changed),
            Policy::Learnt | Policy::Told(_) => self.note(page, days, changed),
        }
        self.last[page] = now;
        self.told[page] = 0;
    }

    fn learns(&self) -> bool {
        matches!(self.policy, Policy::Learnt | Policy::Told(_))
    }

    fn value(&self, page: usize, now: f64) -> f64 {
        let super::Page { rate, weight, host } = self.world.pages[page];
        let days = now - self.last[page];
        match self.policy {
            Policy::Uniform => days,
            Policy::Proportional => days * rate,
            Policy::StormCrawler | Policy::Nutch => now - self.due[page] + 1e-9,
            Policy::Known => weight * marginal_of_rate(rate, days),
            Policy::Learnt => weight * self.rates[page].marginal(days),
            Policy::Told(_) => {
                let since = self.since(page, days);
                weight * self.signals[host].marginal(&self.rates[page], since)
            }
            Policy::ToldKnown => match self.since(page, days).told {
                Some(told) => weight * self.signals[host].marginal_of_rate(rate, days, told),
                None => weight * marginal_of_rate(rate, days),
            },
        }
    }

    fn since(&self, page: usize, days: f64) -> Since {
        let told = self.listed[page].then_some(self.told[page]);
        Since {
            days,
            told,
            told_after: self.told_at[page] - self.last[page],
        }
    }

    fn note(&mut self, page: usize, days: f64, changed: bool) {
        let since = self.since(page, days);
        let signals = &mut self.signals[self.world.pages[page].host];
        signals.see(&self.rates[page], since, changed);
        signals.note(&mut self.evidence[page], since, changed);
        self.rates[page] = self.evidence[page].rates(&self.priors[self.world.pages[page].host]);
    }

    /// Makes the priors of all hosts anew, and what is known of each page with them.
    fn learn(&mut self) {
        let priors = Priors::learn(self.places.iter().zip(&self.evidence));
        for (host, prior) in self.priors.iter_mut().enumerate() {
            let place = Place {
                host: host as u32,
                ..Place::default()
            };
            *prior = priors.of(&place);
        }
        for (page, rates) in self.rates.iter_mut().enumerate() {
            *rates = self.evidence[page].rates(&self.priors[self.world.pages[page].host]);
        }
    }

    fn storm(&mut self, page: usize, now: f64, changed: bool) {
        let interval = &mut self.interval[page];
        *interval = if changed {
            *interval - 0.5 * (*interval - STORM_LEAST)
        } else {
            1.5 * *interval
        };
        *interval = interval.clamp(STORM_LEAST, STORM_MOST);
        self.due[page] = now + *interval;
    }

    fn nutch(&mut self, page: usize, now: f64, changed: bool) {
        let interval = &mut self.interval[page];
        *interval *= if changed { 0.8 } else { 1.2 };
        if changed {
            self.modified[page] = now;
        }
        let delta = now - self.modified[page];
        *interval = interval.max(delta).clamp(NUTCH_LEAST, NUTCH_MOST);
        self.due[page] = now - 0.3 * delta + *interval;
    }
}
