//! The figures of a crawl as the tally has them at a record.

use outcome::{JunkReason, Refusal, RobotsAnswer};

use super::Tally;
use crate::breadth::BreadthFirst;
use crate::fates::State;
use crate::figures::{CrawlDelay, CrawlReport, Reasons, RobotsFigures};
use crate::found::Found;
use crate::harvest::Harvest;
use crate::hosts::SeedRow;
use crate::why_slow::why_slow;
use crate::words;

/// Items in the report's short lists.
const LIST_MAX: usize = 50;

impl Tally {
    /// The report on everything counted so far; `name` is the crawl's.
    pub fn report(&self, name: &str) -> CrawlReport {
        let duration_s = self.clock.duration_s();
        let (stop_reason, stop_detail) = match &self.clock.stop {
            Some((reason, detail)) => (Some(reason.clone()), detail.clone()),
            None => (None, None),
        };
        let mut fetches = self.fetches.clone();
        if duration_s > 0.0 {
            fetches.per_second = (fetches.pages as f64 / duration_s * 100.0).round() / 100.0;
        }
        let reasons = self.reasons.report();
        let dropped = |reason: JunkReason| reasons.junk.get(reason.name()).copied().unwrap_or(0);
        let (near, exact) = (JunkReason::NearDuplicate, JunkReason::ExactDuplicate);
        let duplicates = self.clusters.report(dropped(near), dropped(exact));
        let (started_at, ended_at) = match self.clock.span_ms() {
            Some((first, last)) => (words::instant(first), words::instant(last)),
            None => (String::new(), String::new()),
        };
        CrawlReport {
            name: name.to_owned(),
            started_at,
            ended_at,
            starts: self.clock.starts,
            duration_s,
            stop_reason,
            stop_detail,
            totals: self.totals,
            hosts: self.hosts.report(&self.delays),
            seeds: self.seed_rows(),
            fetches,
            statuses: self
                .statuses
                .iter()
                .map(|(s, n)| (s.to_string(), *n))
                .collect(),
            content_types: self.content_types.clone(),
            sizes: self.sizes.distribution(),
            response_times: self.ms.distribution(),
            languages: self.languages.report(),
            duplicates,
            harvest: self.harvest(),
            links: self.links.clone(),
            traps: self.traps.clone(),
            walls: self.walls.report(),
            learnt: self.learnt.report(),
            errors: self.errors.report(),
            dead_forms: self.dead_forms.report(),
            robots: self.robots_figures(&reasons),
            why_slow: why_slow(&self.hosts.rows, &self.delays, duration_s),
            retried: self.retried,
            rounds: self.rounds.counts().to_vec(),
            reasons,
            rights: self.rights.clone().with_hosts(self.host_usage.values()),
            found: self.found(),
            broken: None,
            audit: None,
            copies: None,
            settings: self.settings.clone(),
        }
    }

    fn found(&self) -> Found {
        let names: Vec<&str> = self
            .hosts
            .rows
            .iter()
            .map(|row| row.name.as_str())
            .collect();
        let stands_for = |page| self.clusters.stands_for(page).map(|(_, url)| url);
        let state = |slot| self.fates.get(slot).state;
        self.found.report(state, stands_for, &names)
    }

    fn harvest(&self) -> Harvest {
        Harvest {
            breadth_first: self.breadth_first(),
            ..self
                .harvest
                .harvest(self.topic.then_some(as_written(self.threshold)))
        }
    }

    fn breadth_first(&self) -> Option<BreadthFirst> {
        let links = self.followed.as_ref().filter(|links| !links.is_empty())?;
        // Left in the queue, or thought not worth a request.
        let is_unread = |slot| {
            let url = self.fates.get(slot);
            match url.state {
                State::Pending => true,
                State::Refused => self.reasons.get(url.reason).is_learnt_refusal,
                State::Indexed
                | State::Junk
                | State::Failed
                | State::Redirected
                | State::NotModified => false,
            }
        };
        Some(links.walk(self.fates.len(), is_unread, self.harvest.pages()))
    }

    fn seed_rows(&self) -> Vec<SeedRow> {
        let used = |row: &&SeedRow| !row.url.is_empty() || row.counts.admitted > 0;
        self.seeds.iter().filter(used).cloned().collect()
    }

    fn robots_figures(&self, reasons: &Reasons) -> RobotsFigures {
        let unasked = RobotsAnswer::default();
        let asked = self.hosts.rows.iter().filter(|row| row.robots != unasked);
        let mut figures = RobotsFigures {
            refused: reasons.refused.get(Refusal::ROBOTS).copied().unwrap_or(0),
            ..RobotsFigures::default()
        };
        for row in asked {
            figures.hosts += 1;
            *figures.rules.entry(row.robots.to_string()).or_default() += 1;
            if row.robots == RobotsAnswer::DisallowAll && figures.closed.len() < LIST_MAX {
                figures.closed.push(row.name.clone());
            }
            figures
                .crawl_delays
                .extend(row.crawl_delay_s.map(|delay_s| CrawlDelay {
                    host: row.name.clone(),
                    delay_s,
                }));
        }
        figures
            .crawl_delays
            .sort_by(|a, b| b.delay_s.total_cmp(&a.delay_s));
        figures.crawl_delays.truncate(LIST_MAX);
        figures
    }
}

/// A number that was written in single precision, with the digits that it was written with.
fn as_written(number: f64) -> f64 {
    (number as f32).to_string().parse().unwrap_or(number)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_threshold_is_told_with_the_digits_that_were_written() {
        assert_eq!(as_written(f64::from(0.99_f32)).to_string(), "0.99");
        assert_eq!(as_written(0.5), 0.5);
    }
}
