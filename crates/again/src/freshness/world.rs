//! Simulated pages: how often each changes, what it is worth, where it stands, and what its site tells.

use super::Random;

/// How rates of change are spread over pages.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Shape {
    /// Log-normal: a change in 20 days in the middle, a factor of 4.5 to either side.
    LogNormal,
    /// A tenth are news, with one to four changes a day; the others change in 50 to 300 days.
    News,
    /// Gamma with shape one half: most pages hardly change; a change in 10 days on average.
    Gamma,
}

impl Shape {
    /// All of them.
    pub const ALL: [Shape; 3] = [Shape::LogNormal, Shape::News, Shape::Gamma];

    fn rate(self, random: &mut Random) -> f64 {
        let rate = match self {
            Self::LogNormal => 0.05 * (1.5 * random.normal()).exp(),
            Self::News if random.unit() < 0.1 => 4f64.powf(random.unit()),
            Self::News => 1.0 / (50.0 * 6f64.powf(random.unit())),
            // Half the square of a normal variable is gamma with shape one half and mean one half.
            Self::Gamma => 0.1 * random.normal().powi(2),
        };
        rate.clamp(1.0 / 2_000.0, 10.0)
    }
}

/// What a site's list of pages tells of changes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sitemap {
    /// Of nine pages in ten, of four changes in five, and on one day in a hundred of one that was none.
    Good,
    /// Everything is dated today.
    Today,
    /// Half of the changes, and on one day in twenty of one that was none.
    Half,
    /// It never tells.
    Never,
}

impl Sitemap {
    /// All of them.
    pub const ALL: [Sitemap; 4] = [Sitemap::Good, Sitemap::Today, Sitemap::Half, Sitemap::Never];

    /// Of a hundred: pages that it lists, changes that it tells, days on which it is wrong.
    pub(super) fn shares(self) -> (f64, f64, f64) {
        match self {
            Self::Good => (0.9, 0.8, 0.01),
            Self::Today => (1.0, 1.0, 1.0),
            Self::Half => (1.0, 0.5, 0.05),
            Self::Never => (1.0, 0.0, 0.0),
        }
    }
}

/// How large a world is.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct WorldSize {
    /// Its pages.
    pub pages: usize,
    /// Its hosts.
    pub hosts: usize,
    /// Days after which each page could be visited once, with the whole budget.
    pub every_days: f64,
    /// What its pages are worth.
    pub importance: Importance,
}

/// How importance is spread over pages.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Importance {
    /// One over the page's rank (Zipf), times a relevance.
    Zipf,
    /// All pages are worth the same.
    Equal,
}

/// A page.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Page {
    /// Changes a day.
    pub rate: f64,
    /// Its importance.
    pub weight: f64,
    /// The number of its host.
    pub host: usize,
}

/// Pages with their changes.
#[derive(Debug, Clone)]
pub struct World {
    /// All pages.
    pub pages: Vec<Page>,
    /// Visits a day over all pages.
    pub budget: f64,
    /// Visits a day that each host allows.
    pub host_limits: Vec<f64>,
    /// How long it goes.
    pub days: usize,
    /// Draws what the sites tell.
    pub(super) seed: u64,
    /// When each page changes.
    changes: Vec<Vec<f64>>,
}

impl World {
    /// Draws a world. Each page can be visited twenty times.
    pub fn new(size: WorldSize, shape: Shape, seed: u64) -> Self {
        let mut random = Random::new(seed);
        let days = (20.0 * size.every_days).round() as usize;
        let mut ranks: Vec<usize> = (1..=size.pages).collect();
        for at in (1..ranks.len()).rev() {
            ranks.swap(at, random.below(at + 1));
        }
        let host_shares: Vec<f64> = (1..=size.hosts).map(|rank| 1.0 / rank as f64).collect();
        let pages: Vec<Page> = ranks
            .into_iter()
            .map(|rank| Page {
                rate: shape.rate(&mut random),
                weight: match size.importance {
                    Importance::Zipf => (0.2 + 0.8 * random.unit()) / rank as f64,
                    Importance::Equal => 1.0,
                },
                host: draw(&host_shares, &mut random),
            })
            .collect();
        let budget = size.pages as f64 / size.every_days;
        let mut host_limits = vec![0.0; size.hosts];
        for page in &pages {
            host_limits[page.host] += 1.5 / size.every_days;
        }
        let changes = pages
            .iter()
            .map(|page| changes(page.rate, days as f64, &mut random))
            .collect();
        World {
            pages,
            budget,
            host_limits,
            days,
            seed,
            changes,
        }
    }

    /// When a page changes next; never, if that is after the end.
    pub fn next_change(&self, page: usize, after: f64) -> f64 {
        let changes = &self.changes[page];
        let at = changes.partition_point(|change| *change <= after);
        changes.get(at).copied().unwrap_or(f64::INFINITY)
    }

    /// The changes of a page in this time.
    pub(super) fn changes_between(&self, page: usize, from: f64, until: f64) -> &[f64] {
        let changes = &self.changes[page];
        let at = |time: f64| changes.partition_point(|change| *change <= time);
        &changes[at(from)..at(until)]
    }
}

fn changes(rate: f64, days: f64, random: &mut Random) -> Vec<f64> {
    let mut out = Vec::new();
    let mut at = random.exponential(rate);
    while at < days {
        out.push(at);
        at += random.exponential(rate);
    }
    out
}

/// Draws a place by its share.
fn draw(shares: &[f64], random: &mut Random) -> usize {
    let mut left = random.unit() * shares.iter().sum::<f64>();
    for (at, share) in shares.iter().enumerate() {
        left -= share;
        if left < 0.0 {
            return at;
        }
    }
    shares.len().saturating_sub(1)
}
