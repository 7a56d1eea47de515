//! Each recorded verdict, made again from its recorded inputs, in order.

use archive::{ElsewhereRecord, PageRecord, VisitRecord};
use outcome::Outcome;
use sieve::{Keep, Rules};
use simhash::{IndexConfig, TableIndex};
use state::kept::Measured;
use state::{KeptPages, Stored, recorded};

use super::{CheckReport, in_ram};
use crate::config::{CrawlConfig, Recorded};
use crate::error::CrawlError;
use crate::setup;

/// Makes verdicts again from what was recorded, in the way in which they were made.
pub(super) struct Rejudge {
    rules: Rules,
    keep: Keep,
    asked: IndexConfig,
    kept: KeptPages,
}

impl Rejudge {
    pub(super) fn new(config: &CrawlConfig) -> Result<Self, CrawlError> {
        let asked = in_ram(config);
        Ok(Self {
            rules: setup::rules(config),
            keep: config.dedup.keep,
            kept: KeptPages::new(TableIndex::in_memory(&asked)?),
            asked,
        })
    }

    /// The rules in force from here on, as the start recorded them.
    pub(super) fn start(
        &mut self,
        seq: u64,
        config: &serde_json::Value,
        report: &mut CheckReport,
    ) -> Result<(), CrawlError> {
        let Recorded { config, unreadable } = CrawlConfig::recorded(config);
        if !unreadable.is_empty() {
            let what = unreadable.join("; ");
            report.problem(format!(
                "record {seq}: the configuration of this start cannot be read: {what}"
            ));
            return Ok(());
        }
        self.rules = setup::rules(&config);
        self.keep = config.dedup.keep;
        let asked = in_ram(&config);
        if self.asked != asked {
            // The kept pages stay, other neighbours are found among them.
            self.kept.change_tables(TableIndex::in_memory(&asked)?)?;
            self.asked = asked;
        }
        Ok(())
    }

    pub(super) fn elsewhere(
        &mut self,
        seq: u64,
        elsewhere: &ElsewhereRecord,
    ) -> Result<(), CrawlError> {
        self.kept
            .apply_elsewhere(seq, elsewhere, Stored::default())?;
        Ok(())
    }

    pub(super) fn page(
        &mut self,
        seq: u64,
        page: &PageRecord,
        report: &mut CheckReport,
    ) -> Result<(), CrawlError> {
        self.judge(seq, page, None, report)?;
        self.kept.apply(seq, page, Stored::default())?;
        Ok(())
    }

    pub(super) fn visit(
        &mut self,
        seq: u64,
        visit: &VisitRecord,
        report: &mut CheckReport,
    ) -> Result<(), CrawlError> {
        if let Some(page) = visit.version() {
            self.judge(seq, page, Some(visit.of), report)?;
        }
        self.kept.apply_visit(seq, visit, Stored::default())?;
        Ok(())
    }

    /// Judges a page again; `own` is the record of the page as it was read before.
    fn judge(
        &mut self,
        seq: u64,
        page: &PageRecord,
        own: Option<u64>,
        report: &mut CheckReport,
    ) -> Result<(), CrawlError> {
        let Some(summary) = &page.page else {
            return Ok(());
        };
        let Some(print) = recorded::print_of(summary) else {
            report.problem(format!("record {seq}: its fingerprint cannot be read"));
            return Ok(());
        };
        let whole = recorded::whole_of(summary, &print);
        let measured = Measured {
            url: &page.url,
            host: &page.host,
            status: page.status(),
            page: summary,
            print: &print,
            whole: whole.as_ref(),
            own,
            succeeds: page.replaces.filter(|_| page.moved_here),
        };
        let again = self.kept.judge(&measured, &self.rules, self.keep)?;
        report.rejudged += 1;
        let neighbour = again.evidence.neighbour.map(|near| near.page);
        let outcome = Outcome::Judged(again.verdict);
        let replaces = again.takes_place.and(neighbour);
        if outcome != page.outcome || replaces != page.replaces {
            let words = |outcome: &Outcome, replaces: Option<u64>| {
                let verdict = outcome.verdict().unwrap_or("not judged");
                let place = replaces.map(|old| format!("in the place of record {old}"));
                let reason = outcome.reason().map(|reason| reason.into_owned());
                [Some(verdict.to_owned()), reason, place]
                    .into_iter()
                    .flatten()
                    .collect::<Vec<_>>()
                    .join(" ")
            };
            report.doubt(format!(
                "{} (record {seq}) was {}, and is {} when judged again",
                page.url,
                words(&page.outcome, page.replaces),
                words(&outcome, replaces),
            ));
        }
        let recorded = page.nearest.as_ref().map(|near| near.page);
        if neighbour != recorded {
            report.doubt(format!(
                "{} (record {seq}): nearest was record {recorded:?}, and is {neighbour:?} when \
                 asked again",
                page.url
            ));
        }
        Ok(())
    }
}
