//! Policies of coming back over simulated pages: how much of the optimum does each reach?
//!
//! Pages change at random at rates of their own, have an importance (Zipf, times a relevance; or all the
//! same), and stand on hosts each of which may be asked only so often. A policy spends a budget of visits;
//! what counts is the weighted share of time for which the copies are right, in the second half of the time,
//! when each page was visited ten times on average. The optimum is exact: the marginal values of all visits
//! are equal, but for hosts that are at their limit (Karush, Kuhn, Tucker).
//!
//! For a policy that does not listen to signals the time for which a copy is right is taken in
//! expectation, given its visits; with signals it is the time itself, and beside the same policy without
//! them on the same changes.

use crate::evidence::Evidence;
use crate::prior::{Place, Priors};
use crate::random::Random;
use crate::rates::{Rates, marginal_of_rate};
use crate::signals::{Signals, Since};

mod rules;
mod table;
mod world;

pub use rules::{Policy, Schedule};
pub use table::{Row, Table, names, table};
pub use world::{Importance, Page, Shape, Sitemap, World, WorldSize};

/// Steps of a day.
const STEPS: usize = 10;

/// How a policy did.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Freshness {
    /// The weighted share of time for which copies are expected to be right, given the visits.
    pub expected: f64,
    /// The same as it came.
    pub seen: f64,
    /// The share of the budget that was used.
    pub used: f64,
}

/// Runs a policy over a world.
pub fn simulate(world: &World, policy: Policy) -> Freshness {
    let mut schedule = Schedule::new(world, policy);
    let mut run = Run::new(world);
    for step in 0..world.days * STEPS {
        let now = step as f64 / STEPS as f64;
        if step % STEPS == 0 {
            schedule.listen(step / STEPS);
        }
        run.grant();
        let due = schedule.values(now);
        for page in run.take(&due) {
            run.visit(page, now);
            schedule.visited(page, now);
        }
    }
    run.finish()
}

/// The budget, and what is right when.
struct Run<'a> {
    world: &'a World,
    allowed: f64,
    host_allowed: Vec<f64>,
    last: Vec<f64>,
    expected: f64,
    seen: f64,
    visits: usize,
    from: f64,
}

impl<'a> Run<'a> {
    fn new(world: &'a World) -> Self {
        Self {
            world,
            allowed: 0.0,
            host_allowed: vec![0.0; world.host_limits.len()],
            last: vec![0.0; world.pages.len()],
            expected: 0.0,
            seen: 0.0,
            visits: 0,
            from: world.days as f64 / 2.0,
        }
    }

    /// The visits of one more step.
    fn grant(&mut self) {
        let step = 1.0 / STEPS as f64;
        self.allowed = (self.allowed + self.world.budget * step).min(self.world.budget + 1.0);
        for (allowed, limit) in self.host_allowed.iter_mut().zip(&self.world.host_limits) {
            *allowed = (*allowed + limit * step).min(limit + 1.0);
        }
    }

    /// The pages to visit now: the most valuable that the budget and their hosts allow.
    fn take(&mut self, values: &[(f64, usize)]) -> Vec<usize> {
        let is_allowed =
            |(_, page): &&(f64, usize)| self.host_allowed[self.world.pages[*page].host] >= 1.0;
        let mut values: Vec<(f64, usize)> = values.iter().filter(is_allowed).copied().collect();
        let order = |a: &(f64, usize), b: &(f64, usize)| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1));
        // Most often the first few are enough.
        let first = (self.allowed as usize * 4 + 64).min(values.len());
        if first < values.len() {
            values.select_nth_unstable_by(first, order);
        }
        let mut taken = Vec::new();
        let (first, rest) = values.split_at_mut(first);
        for part in [first, rest] {
            if self.allowed < 1.0 {
                break;
            }
            part.sort_unstable_by(order);
            self.take_in_order(part, &mut taken);
        }
        taken
    }

    fn take_in_order(&mut self, values: &[(f64, usize)], taken: &mut Vec<usize>) {
        for (_, page) in values {
            let host = &mut self.host_allowed[self.world.pages[*page].host];
            if self.allowed >= 1.0 && *host >= 1.0 {
                *host -= 1.0;
                self.allowed -= 1.0;
                taken.push(*page);
            }
        }
    }

    fn visit(&mut self, page: usize, now: f64) {
        self.count(page, now);
        self.last[page] = now;
        self.visits += 1;
    }

    /// Counts the time from the last visit of a page to now, as far as it lies in the second half.
    fn count(&mut self, page: usize, now: f64) {
        let Page { rate, weight, .. } = self.world.pages[page];
        let last = self.last[page];
        let from = last.max(self.from);
        if now <= from {
            return;
        }
        let gone = |time: f64| (-rate * (time - last)).exp();
        self.expected += weight * (gone(from) - gone(now)) / rate;
        let until = self.world.next_change(page, last).min(now);
        self.seen += weight * (until - from).max(0.0);
    }

    fn finish(mut self) -> Freshness {
        let end = self.world.days as f64;
        for page in 0..self.world.pages.len() {
            self.count(page, end);
        }
        let weights: f64 = self.world.pages.iter().map(|page| page.weight).sum();
        let whole = weights * (end - self.from);
        Freshness {
            expected: self.expected / whole,
            seen: self.seen / whole,
            used: self.visits as f64 / (self.world.budget * end),
        }
    }
}

/// The weighted freshness that no schedule with this budget and these host limits can exceed, and the
/// number of hosts that are at their limit.
pub fn optimum(world: &World) -> (f64, usize) {
    let mut hosts: Vec<Vec<Page>> = vec![Vec::new(); world.host_limits.len()];
    for page in &world.pages {
        hosts[page.host].push(*page);
    }
    let host_visits = |host: usize, price: f64| {
        let visits: f64 = hosts[host].iter().map(|page| frequency(page, price)).sum();
        visits.min(world.host_limits[host])
    };
    let visits = |price: f64| {
        (0..hosts.len())
            .map(|host| host_visits(host, price))
            .sum::<f64>()
    };
    let price = price_of(visits, world.budget);
    let weights: f64 = world.pages.iter().map(|page| page.weight).sum();
    let (mut sum, mut at_limit) = (0.0, 0);
    for (host, pages) in hosts.iter().enumerate() {
        let free = |price: f64| pages.iter().map(|page| frequency(page, price)).sum::<f64>();
        let is_limited = free(price) > world.host_limits[host];
        at_limit += usize::from(is_limited);
        let price = if is_limited {
            price_of(free, world.host_limits[host])
        } else {
            price
        };
        for page in pages {
            let visits = frequency(page, price);
            if visits > 0.0 {
                let expected = page.rate / visits;
                sum += page.weight * (1.0 - (-expected).exp()) / expected;
            }
        }
    }
    (sum / weights, at_limit)
}

/// Visits a day at which the marginal value of a page's visit is the price.
fn frequency(page: &Page, price: f64) -> f64 {
    if page.weight / page.rate <= price {
        return 0.0;
    }
    let (mut low, mut high) = (1e-9f64, 1e6f64);
    for _ in 0..70 {
        let days = (low * high).sqrt();
        if page.weight * marginal_of_rate(page.rate, days) < price {
            low = days;
        } else {
            high = days;
        }
    }
    1.0 / high
}

/// The price at which so many visits are made.
fn price_of(visits: impl Fn(f64) -> f64, budget: f64) -> f64 {
    let (mut low, mut high) = (1e-15f64, 1e9f64);
    for _ in 0..70 {
        let price = (low * high).sqrt();
        if visits(price) > budget {
            low = price;
        } else {
            high = price;
        }
    }
    high
}

#[cfg(test)]
mod tests {
    use super::*;

    fn small(shape: Shape, every: f64, seed: u64) -> World {
        let size = WorldSize {
            pages: 120,
            hosts: 6,
            every_days: every,
            importance: Importance::Zipf,
        };
        World::new(size, shape, seed)
    }

    #[test]
    fn no_policy_beats_the_optimum_and_known_rates_come_near() {
        for shape in Shape::ALL {
            let world = small(shape, 5.0, 3);
            let (best, _) = optimum(&world);
            for policy in [
                Policy::Uniform,
                Policy::StormCrawler,
                Policy::Nutch,
                Policy::Known,
                Policy::Learnt,
            ] {
                let own = simulate(&world, policy).expected;
                assert!(own < best * 1.005, "{shape:?} {policy:?}: {own} of {best}");
            }
            let known = simulate(&world, Policy::Known).expected;
            assert!(known > 0.98 * best, "{shape:?}: {known} of {best}");
        }
    }

    #[test]
    fn learnt_rates_do_better_than_the_rules_of_others() {
        let world = small(Shape::LogNormal, 5.0, 5);
        let own = simulate(&world, Policy::Learnt).expected;
        for policy in [
            Policy::Uniform,
            Policy::Proportional,
            Policy::StormCrawler,
            Policy::Nutch,
        ] {
            let other = simulate(&world, policy).expected;
            assert!(own > 1.05 * other, "{policy:?}: {other}, learnt {own}");
        }
    }

    #[test]
    fn a_host_is_not_asked_more_often_than_it_allows() {
        let world = small(Shape::News, 10.0, 1);
        let mut run = Run::new(&world);
        let mut asked = vec![0.0; world.host_limits.len()];
        for _ in 0..world.days * STEPS {
            run.grant();
            let all: Vec<(f64, usize)> = (0..world.pages.len()).map(|page| (1.0, page)).collect();
            for page in run.take(&all) {
                asked[world.pages[page].host] += 1.0;
            }
        }
        for (asked, limit) in asked.iter().zip(&world.host_limits) {
            assert!(*asked <= limit * world.days as f64 + 1.0);
        }
    }
}
