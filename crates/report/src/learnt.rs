//! What learnt rules refused unread, folded over the records.

use archive::{PageRecord, RetryRecord};
use outcome::LearntLosses;

use crate::figures::{LearntRefusals, LearntRow};

/// Rules that are named.
const RULES_MAX: usize = 200;

/// What learnt rules refused so far.
#[derive(Debug, Default)]
pub(crate) struct Learnt {
    losses: LearntLosses,
    refused: u64,
    probed: u64,
    unique: u64,
}

impl Learnt {
    /// Counts a finished URL.
    pub(crate) fn page(&mut self, page: &PageRecord) {
        if let Some(refusal) = page.outcome.refusal() {
            let rules = refusal.rules();
            self.losses.refused(&rules, refusal.is_compared());
            self.refused += u64::from(!rules.is_empty());
        }
        if let Some(is_unique) = page.is_probe_unique() {
            let compared = page.foreseen_compared;
            self.losses.probed(&page.foreseen_by, compared, is_unique);
            self.probed += 1;
            self.unique += u64::from(is_unique);
        }
    }

    /// Counts a URL that is put back, by its place in the record.
    pub(crate) fn put_back(&mut self, retry: &RetryRecord, at: usize) {
        let rules = retry
            .origins
            .get(at)
            .map_or(&[][..], |origin| &origin.rules);
        // An older record names the one rule that was found wrong.
        let rules = match (rules, &retry.wrong_rule) {
            ([], Some(wrong)) => std::slice::from_ref(wrong),
            (rules, _) => rules,
        };
        if !rules.is_empty() {
            self.losses.put_back(rules);
            self.refused = self.refused.saturating_sub(1);
        }
    }

    /// The figures so far.
    pub(crate) fn report(&self) -> LearntRefusals {
        let rows = self.losses.rules().map(|(rule, loss)| LearntRow {
            rule: rule.to_owned(),
            loss,
            lost: loss.estimate(),
            lost_at_most: loss.bound(),
        });
        let mut rules: Vec<LearntRow> = rows.collect();
        // A sum of nothing is -0.0.
        let bound = rules.iter().fold(0.0, |sum, row| sum + row.lost_at_most);
        let lost = rules.iter().fold(0.0, |sum, row| sum + row.lost);
        rules.sort_by(|a, b| {
            let by_bound = b.lost_at_most.total_cmp(&a.lost_at_most);
            by_bound.then(b.loss.refused.cmp(&a.loss.refused))
        });
        rules.truncate(RULES_MAX);
        LearntRefusals {
            refused: self.refused,
            probed: self.probed,
            unique: self.unique,
            lost,
            // A rule may be right about every URL and stand for one page, so nothing is rounded down.
            lost_at_most: bound.ceil() as u64,
            rules,
        }
    }
}
