//! How good the crawl's estimate of what is left was, and when the stop rules ended it.
//!
//! The estimate is of relevant pages as the crawl judges them, so it is compared with what the crawl
//! went on to judge relevant; the two other figures are by the true labels.

use focus::HarvestOutlook;

use crate::simulation::Simulation;

/// Pages that a crawl has fetched when it is asked for its outlook first.
const PAGES_MIN: usize = 60;

/// What the estimates and the stop of one crawl were worth.
pub(crate) struct StopScore {
    /// The share of its outlooks on half as many pages again that held what came.
    pub(crate) held: Option<f64>,
    /// The same of those on the next 100 fetches.
    held_soon: Option<f64>,
    /// Whether the one at the stop held; if it did not stop, the one at two thirds of its pages.
    held_at_stop: Option<bool>,
    /// Pages at the stop, against those needed for 95 % of what was found until then.
    pub(crate) overrun: f64,
    /// The share of what the budget would have found that was missed.
    pub(crate) missed: f64,
    /// Pages at which the stop rules ended it.
    pub(crate) stopped: Option<usize>,
}

impl Simulation<'_> {
    pub(crate) fn stop_score(&self) -> StopScore {
        let found_up_to = self.found_up_to(|(_, probability)| *probability >= 0.5);
        let came = |at: usize, fetches: u64| {
            let end = at + fetches as usize;
            (end < found_up_to.len()).then(|| (found_up_to[end] - found_up_to[at]) as f32)
        };
        let held = |at: usize, fetches: u64, expected: focus::Expected| {
            let came = came(at, fetches)?;
            Some(expected.low.floor() <= came && came <= expected.high.ceil())
        };
        let ahead = |(at, outlook): &(usize, HarvestOutlook)| {
            held(*at, outlook.ahead_fetches, outlook.ahead)
        };
        let soon =
            |(at, outlook): &(usize, HarvestOutlook)| held(*at, outlook.soon_fetches, outlook.soon);
        let late = self.outlooks.iter().filter(|(at, _)| *at >= PAGES_MIN);
        let stop = self.stopped.unwrap_or(self.fetched.len() * 2 / 3);
        let before_stop = self.outlooks.iter().rfind(|(at, _)| *at <= stop);
        let relevant = self.found_up_to(|(id, _)| self.relevant.contains(id));
        let end = self.stopped.unwrap_or(self.fetched.len());
        let (found, all) = (relevant[end], relevant[relevant.len() - 1]);
        let needed = relevant.partition_point(|&count| (count as f64) < 0.95 * found as f64);
        StopScore {
            held: share(late.clone().filter_map(ahead)),
            held_soon: share(late.filter_map(soon)),
            held_at_stop: before_stop.and_then(ahead),
            stopped: self.stopped,
            overrun: end as f64 / needed.max(1) as f64,
            missed: (all - found) as f64 / all.max(1) as f64,
        }
    }

    /// How many of the first pages are so, for each number of first pages.
    fn found_up_to(&self, is_so: impl Fn(&(u32, f32)) -> bool) -> Vec<usize> {
        let mut found = 0;
        let counts = self.fetched.iter().map(|page| {
            found += usize::from(is_so(page));
            found
        });
        std::iter::once(0).chain(counts).collect()
    }
}

impl StopScore {
    /// One line over many crawls.
    pub(crate) fn tell(all: &[StopScore]) {
        let mean = |of: &dyn Fn(&StopScore) -> Option<f64>| {
            let values: Vec<f64> = all.iter().filter_map(of).collect();
            100.0 * values.iter().sum::<f64>() / values.len().max(1) as f64
        };
        let yes = |is_so: bool| Some(f64::from(u8::from(is_so)));
        println!(
            "{} crawls: the bounds held what half as many pages again brought in {:.0} % of all looks \
             and {:.0} % of those at the stop, what 100 fetches brought in {:.0} %",
            all.len(),
            mean(&|score| score.held),
            mean(&|score| score.held_at_stop.and_then(yes)),
            mean(&|score| score.held_soon)
        );
        println!(
            "{:.0} % ended within 1.5 times the pages for 95 % of their finds; {:.0} % missed at most 5 % of \
             what the budget finds",
            mean(&|score| yes(score.overrun <= 1.5)),
            mean(&|score| yes(score.missed <= 0.05))
        );
    }
}

fn share(held: impl Iterator<Item = bool>) -> Option<f64> {
    let (mut yes, mut all) = (0u32, 0u32);
    for held in held {
        yes += u32::from(held);
        all += 1;
    }
    (all > 0).then(|| f64::from(yes) / f64::from(all))
}
