//! `tamis cluster check`: what the ledger has, beside what the journals of the nodes have.

use std::path::PathBuf;

use ledger::{PostgresLedger, Settings};
use pipeline::audit::{Audit, Kind};
use pipeline::{CrawlDir, audit, config_file};

use super::{CHECK_PATIENCE, Place, crawl_failed, failed};
use crate::command::crawl_error;
use crate::exit::{Exit, usage};
use crate::output::Output;

pub(super) fn check(place: &Place, dirs: &[PathBuf], output: &Output) -> anyhow::Result<Exit> {
    let dirs: Vec<CrawlDir> = dirs
        .iter()
        .map(|dir| CrawlDir::existing(dir).map_err(crawl_error))
        .collect::<Result<_, _>>()?;
    let config = match (&place.config, dirs.first()) {
        (None, Some(first)) => {
            config_file::kept(&first.config()).map_err(|problem| usage(problem.to_string()))?
        }
        (Some(_), _) | (None, None) => place.read()?,
    };
    let settings = Settings {
        patience: CHECK_PATIENCE,
        ..place.settings(&config)?
    };
    let mut ledger =
        PostgresLedger::connect(settings.clone()).map_err(|error| failed(error, &settings))?;
    let audit =
        audit::compare(&dirs, &mut ledger).map_err(|error| crawl_failed(error, &settings))?;
    if output.json {
        output.value(&audit)?;
    } else {
        for line in audit_lines(&audit) {
            output.line(line)?;
        }
    }
    Ok(match audit.is_clean() {
        true => Exit::Done,
        false => Exit::Problem,
    })
}

fn audit_lines(audit: &Audit) -> Vec<String> {
    let mut lines: Vec<String> = (audit.nodes.iter())
        .map(|node| {
            let cut = match node.unacknowledged {
                0 => String::new(),
                1 => "; 1 record behind that is cut at the next start".to_owned(),
                more => format!("; {more} records behind that are cut at the next start"),
            };
            format!(
                "node {} ({}): {} URLs finished, {} texts kept{cut}",
                node.node, node.dir, node.finished, node.kept
            )
        })
        .collect();
    if !audit.absent.is_empty() {
        let names = audit.absent.join(", ");
        lines.push(format!("not compared, for want of their --dir: {names}"));
    }
    lines.extend((audit.differences.iter()).map(|found| {
        let what = match found.kind {
            Kind::FinishedTwice => "finished twice",
            Kind::MissingFromJournal => "acknowledged and missing from the journal",
            Kind::MissingFromLedger => "in the journal and not in the ledger",
            Kind::Differs => "different in journal and ledger",
            Kind::Total => "a total does not close",
        };
        format!("{what}: {}", found.text)
    }));
    if audit.differences_more > 0 {
        lines.push(format!("and {} differences more", audit.differences_more));
    }
    lines.push(match audit.is_clean() {
        true => "journals and ledger agree".to_owned(),
        false => "journals and ledger do not agree: a directory whose journal has less than was acknowledged is \
                  given up with `tamis cluster forget`; `tamis check-dir` tells of damage"
            .to_owned(),
    });
    lines
}
