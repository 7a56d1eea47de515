//! How good a finished crawl was, by the true labels.

use std::collections::HashSet;

use crate::outlooks::StopScore;
use crate::simulation::{Simulation, Times};
use crate::web::Task;

impl Simulation<'_> {
    pub(crate) fn tell_stop(&self) {
        let Some(end) = self.stopped else { return };
        let found: Vec<usize> = (0..end)
            .filter(|&at| self.relevant.contains(&self.fetched[at].0))
            .collect();
        let most = found.get(found.len() * 95 / 100).copied().unwrap_or(0) + 1;
        println!(
            "    stops at {end} with {} found, 95 % of them by {most}: {:.2}; {}",
            found.len(),
            end as f64 / most as f64,
            self.stop_reason
        );
    }

    pub(crate) fn score(&self) -> Score {
        let examples: HashSet<u32> = self.task.examples.iter().copied().collect();
        let verdicts = |pages: &[(u32, f32)]| -> Vec<(bool, f32)> {
            let judged = pages.iter().filter(|(id, _)| !examples.contains(id));
            judged
                .map(|(id, probability)| (self.relevant.contains(id), *probability))
                .collect()
        };
        let all = verdicts(&self.fetched);
        let until_stop = verdicts(&self.fetched[..self.stopped.unwrap_or(self.fetched.len())]);
        let mut found = 0;
        let curve: Vec<usize> = all
            .iter()
            .map(|(is_relevant, _)| {
                found += usize::from(*is_relevant);
                found
            })
            .collect();
        let last = curve.last().copied().unwrap_or(0);
        let depth = 1000.min((self.task.reachable - examples.len()).max(curve.len()));
        let harvest_of = |pages: usize| {
            let found = |at: usize| *curve[..pages].get(at).unwrap_or(&curve[pages - 1]);
            let mean = (0..depth).map(|at| found(at) as f64 / (at + 1) as f64);
            mean.sum::<f64>() / depth as f64
        };
        let harvest = harvest_of(curve.len());
        let at = |n: usize| *curve.get(n - 1).unwrap_or(&last);
        let recall = at(1000) as f64 / self.task.nrel as f64;
        let pages = self.fetched.len().max(1) as f64;
        let (precision, verdict_recall, all_f1) = f1(&all);
        let (stop_precision, stop_recall, stop_f1) = f1(&until_stop);
        Score {
            id: self.task.id.clone(),
            class: self.task.cls.clone(),
            calibration: Calibration::of(&all),
            plain: self.task.bfa / self.task.oracle,
            dead: self.dead_seen,
            score: harvest / self.task.oracle,
            stop_score: harvest_of(until_stop.len()) / self.task.oracle,
            recall: recall / self.task.oracle_recall,
            found: [at(100), at(250), at(500), at(1000)],
            f1: all_f1,
            verdicts: [precision, verdict_recall],
            best: best_f1(all),
            stop_f1,
            stop_verdicts: [stop_precision, stop_recall],
            times: Times {
                judge: self.times.judge / pages,
                links: self.times.links / pages,
                rescore: self.times.rescore / pages,
            },
        }
    }
}

pub(crate) struct Score {
    pub(crate) id: String,
    pub(crate) class: String,
    pub(crate) calibration: Calibration,
    /// That of best-first with anchors.
    pub(crate) plain: f64,
    pub(crate) dead: usize,
    /// Mean harvest against the oracle's.
    pub(crate) score: f64,
    /// The same where nothing that comes after the stop counts as found.
    pub(crate) stop_score: f64,
    pub(crate) recall: f64,
    pub(crate) found: [usize; 4],
    pub(crate) f1: f64,
    /// Precision and recall of the verdicts.
    pub(crate) verdicts: [f64; 2],
    /// The best F1 of any threshold, and that threshold.
    pub(crate) best: (f64, f32),
    pub(crate) stop_f1: f64,
    pub(crate) stop_verdicts: [f64; 2],
    /// For each page.
    pub(crate) times: Times,
}

/// How often pages were on topic beside how often they were said to be, by tenths of probability.
#[derive(Clone, Default)]
pub(crate) struct Calibration {
    /// Pages, the sum of their probabilities, those on topic.
    bins: [[f64; 3]; 10],
}

impl Calibration {
    fn of(verdicts: &[(bool, f32)]) -> Calibration {
        let mut all = Calibration::default();
        for (truth, probability) in verdicts {
            let bin = &mut all.bins[((probability * 10.0) as usize).min(9)];
            bin[0] += 1.0;
            bin[1] += f64::from(*probability);
            bin[2] += f64::from(u8::from(*truth));
        }
        all
    }

    pub(crate) fn sum<'c>(parts: impl Iterator<Item = &'c Calibration>) -> Calibration {
        let mut all = Calibration::default();
        for part in parts {
            for (sum, bin) in all
                .bins
                .iter_mut()
                .flatten()
                .zip(part.bins.iter().flatten())
            {
                *sum += bin;
            }
        }
        all
    }

    /// The expected calibration error.
    pub(crate) fn error(&self) -> f64 {
        let pages: f64 = self.bins.iter().map(|bin| bin[0]).sum();
        let off: f64 = self.bins.iter().map(|bin| (bin[1] - bin[2]).abs()).sum();
        off / pages.max(1.0)
    }
}

impl Score {
    pub(crate) fn as_json(&self, task: &Task, stop: &StopScore) -> serde_json::Value {
        serde_json::json!({
            "id": task.id, "class": self.class, "score": self.score,
            "stop_score": self.stop_score, "best_first": self.plain,
            "f1": self.f1, "precision": self.verdicts[0], "recall": self.verdicts[1],
            "bins": self.calibration.bins, "calibration_error": self.calibration.error(),
            "overrun": stop.overrun, "missed": stop.missed, "held": stop.held, "stopped": stop.stopped,
            "found": self.found, "us": [self.times.judge, self.times.links, self.times.rescore],
        })
    }

    pub(crate) fn tell(&self, task: &Task) {
        let [at_100, at_250, at_500, at_1000] = self.found;
        let ([precision, recall], (best, cut)) = (self.verdicts, self.best);
        let [stop_precision, stop_recall] = self.stop_verdicts;
        println!(
            "{:22} {:6.3} (bfa {:.3} bfs {:.3}) dead {:3} @100 {at_100:3} @250 {at_250:3} @500 {at_500:3} @1000 {at_1000:3} of {:3}  \
             recall/oracle {:.3}  F1 {:.3} (p {precision:.2} r {recall:.2}) best {best:.2} at {cut:.2} \
             stop F1 {:.3} ({stop_precision:.2} {stop_recall:.2}) us {:.0} {:.0}+{:.0}",
            task.id,
            self.score,
            task.bfa / task.oracle,
            task.bfs / task.oracle,
            self.dead,
            task.nrel,
            self.recall,
            self.f1,
            self.stop_f1,
            self.times.judge,
            self.times.links,
            self.times.rescore
        );
    }
}

/// Precision, recall and F1 of verdicts, from pairs of truth and probability.
fn f1(verdicts: &[(bool, f32)]) -> (f64, f64, f64) {
    let count = |which: fn(bool, bool) -> bool| {
        let chosen = verdicts
            .iter()
            .filter(|(truth, p)| which(*truth, *p >= 0.5));
        chosen.count() as f64
    };
    let right = count(|truth, said| truth && said);
    let (truths, said) = (count(|truth, _| truth), count(|_, said| said));
    (
        right / said.max(1.0),
        right / truths.max(1.0),
        2.0 * right / (truths + said).max(1.0),
    )
}

/// The best F1 of any threshold, and that threshold.
fn best_f1(mut verdicts: Vec<(bool, f32)>) -> (f64, f32) {
    verdicts.sort_by(|a, b| b.1.total_cmp(&a.1));
    let truths = verdicts.iter().filter(|(truth, _)| *truth).count() as f64;
    let (mut right, mut best) = (0.0, (0.0, 1.0));
    for (at, (truth, probability)) in verdicts.iter().enumerate() {
        right += f64::from(u8::from(*truth));
        let f1 = 2.0 * right / (at as f64 + 1.0 + truths);
        if f1 > best.0 {
            best = (f1, *probability);
        }
    }
    best
}
