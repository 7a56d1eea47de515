//! The report for a terminal.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use crate::figures::CrawlReport;
use crate::hosts::HostRow;
use crate::table::{Align, Table, fit};
use crate::words::{bytes, count, duration, name, plural, share};

use Align::{Left, Right};

/// How a text is to look.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Look {
    /// Columns of the screen; 0 means as wide as needed.
    pub columns: usize,
    /// Whether ANSI colours are wanted.
    pub colour: bool,
    /// Rows of the long tables at most.
    pub rows_max: usize,
}

impl Default for Look {
    fn default() -> Look {
        Look {
            columns: 100,
            colour: false,
            rows_max: 15,
        }
    }
}

impl Look {
    /// Everything, without colour and without a width: for a file or a pipe.
    pub fn plain() -> Look {
        Look {
            columns: 0,
            colour: false,
            rows_max: usize::MAX,
        }
    }

    pub(crate) fn columns(self) -> usize {
        if self.columns == 0 {
            usize::MAX
        } else {
            self.columns
        }
    }

    pub(crate) fn paint(self, style: &str, text: &str) -> String {
        match self.colour {
            true => format!("\u{1b}[{style}m{text}\u{1b}[0m"),
            false => text.to_owned(),
        }
    }
}

/// Bold.
pub(crate) const BOLD: &str = "1";
/// Secondary.
pub(crate) const DIM: &str = "2";
/// Taken out.
pub(crate) const RED: &str = "31";
/// Put in.
pub(crate) const GREEN: &str = "32";

/// The whole report.
pub fn render(report: &CrawlReport, look: Look) -> String {
    let mut page = Page {
        out: String::new(),
        look,
    };
    page.opening(report);
    page.totals(report);
    page.reasons(report);
    page.hosts(report);
    page.seeds(report);
    page.network(report);
    page.languages(report);
    page.duplicates(report);
    page.harvest(report);
    page.rest(report);
    page.out
}

struct Page {
    out: String,
    look: Look,
}

impl Page {
    fn line(&mut self, text: &str) {
        let line = fit(text, self.look.columns());
        self.out.push_str(line.trim_end());
        self.out.push('\n');
    }

    fn heading(&mut self, text: &str) {
        let text = self.look.paint(BOLD, text);
        let _ = write!(self.out, "\n{text}\n");
    }

    fn table(&mut self, table: &Table) {
        for (at, line) in table
            .lines(self.look.columns().saturating_sub(2))
            .iter()
            .enumerate()
        {
            let line = if at == 0 {
                self.look.paint(DIM, line)
            } else {
                line.clone()
            };
            let _ = writeln!(self.out, "  {line}");
        }
    }

    fn counts(&mut self, what: &str, counts: &BTreeMap<String, u64>, total: u64) {
        let mut sorted: Vec<_> = counts.iter().collect();
        sorted.sort_by_key(|(name, n)| (std::cmp::Reverse(**n), (*name).clone()));
        let mut table = Table::new(&[(what, Left), ("count", Right), ("share", Right)]);
        for (key, n) in sorted.iter().take(self.look.rows_max) {
            table.row([name(key), count(**n), share(**n, total)]);
        }
        let rest: u64 = sorted
            .iter()
            .skip(self.look.rows_max)
            .map(|(_, n)| **n)
            .sum();
        if rest > 0 {
            table.row(["others".to_owned(), count(rest), share(rest, total)]);
        }
        self.table(&table);
    }

    fn opening(&mut self, report: &CrawlReport) {
        let title = format!("Crawl report: {}", report.name);
        let title = self.look.paint(BOLD, &fit(&title, self.look.columns()));
        self.out.push_str(&title);
        self.out.push('\n');
        self.line(&opening_line(report));
        self.line(&stop_line(report));
    }

    fn totals(&mut self, report: &CrawlReport) {
        let totals = &report.totals;
        self.heading("URLs");
        let mut table = Table::new(&[("", Left), ("count", Right), ("share", Right)]);
        let mut row = |what: &str, n: u64| {
            table.row([what.to_owned(), count(n), share(n, totals.admitted)]);
        };
        row("admitted", totals.admitted);
        row("  pending", totals.pending);
        row("  finished", totals.finished);
        for (fate, n) in totals.fates() {
            row(&format!("    {}", name(fate)), n);
        }
        self.table(&table);
    }

    fn reasons(&mut self, report: &CrawlReport) {
        let reasons = &report.reasons;
        let totals = &report.totals;
        for (what, counts, total) in [
            ("Junk, by reason", &reasons.junk, totals.junk),
            ("Refused, by reason", &reasons.refused, totals.refused),
            ("Failed, by reason", &reasons.failed, totals.failed),
        ] {
            if total > 0 {
                self.heading(what);
                self.counts("reason", counts, total);
            }
        }
    }

    fn hosts(&mut self, report: &CrawlReport) {
        if report.hosts.is_empty() {
            return;
        }
        self.heading(&format!("Hosts ({})", count(report.hosts.len() as u64)));
        let mut table = Table::new(&[
            ("host", Left),
            ("finished", Right),
            ("pending", Right),
            ("indexed", Right),
            ("duplicates", Right),
            ("off topic", Right),
            ("errors", Right),
            ("received", Right),
            ("mean", Right),
            ("delay", Right),
            ("state", Left),
        ])
        .spare(&[
            "mean",
            "received",
            "delay",
            "off topic",
            "pending",
            "duplicates",
            "state",
        ]);
        let shown = report.hosts.len().min(self.look.rows_max);
        for host in &report.hosts[..shown] {
            table.row(host_cells(host));
        }
        self.table(&table);
        self.more(report.hosts.len() - shown, "hosts");
    }

    fn seeds(&mut self, report: &CrawlReport) {
        if report.seeds.is_empty() {
            return;
        }
        self.heading(&format!("Seeds ({})", count(report.seeds.len() as u64)));
        let mut table = Table::new(&[
            ("seed", Left),
            ("admitted", Right),
            ("finished", Right),
            ("indexed", Right),
            ("its own page", Left),
        ]);
        let shown = report.seeds.len().min(self.look.rows_max);
        for seed in &report.seeds[..shown] {
            let fate = match &seed.redirected_to {
                Some(to) => format!("redirected to {to}"),
                None => name(&seed.fate),
            };
            let counts = &seed.counts;
            table.row([
                seed.url.clone(),
                count(counts.admitted),
                count(counts.finished),
                count(counts.indexed),
                fate,
            ]);
        }
        self.table(&table);
        self.more(report.seeds.len() - shown, "seeds");
    }

    fn more(&mut self, left: usize, what: &str) {
        if left > 0 {
            let note = format!(
                "  … and {} more {what}; --format json has all",
                count(left as u64)
            );
            let note = self.look.paint(DIM, &note);
            let _ = writeln!(self.out, "{note}");
        }
    }

    fn network(&mut self, report: &CrawlReport) {
        self.heading("Network");
        for line in network_lines(report) {
            self.line(&format!("  {line}"));
        }
        if report.fetches.pages > 0 {
            self.counts("status", &report.statuses, report.fetches.pages);
        }
        if !report.content_types.is_empty() {
            let total = report.content_types.values().sum();
            self.counts("content type", &report.content_types, total);
        }
        if !report.errors.is_empty() {
            self.heading("Errors");
            let mut table = Table::new(&[
                ("error", Left),
                ("fetches", Right),
                ("given up", Right),
                ("hosts", Right),
                ("for example", Left),
            ]);
            for group in report.errors.iter().take(self.look.rows_max) {
                table.row([
                    name(&group.name),
                    count(group.count),
                    count(group.given_up),
                    count(group.hosts),
                    group.url.clone(),
                ]);
            }
            self.table(&table);
        }
    }

    fn languages(&mut self, report: &CrawlReport) {
        if report.languages.is_empty() {
            return;
        }
        self.heading("Languages");
        let mut sorted: Vec<_> = report.languages.iter().collect();
        sorted.sort_by_key(|(name, n)| (std::cmp::Reverse(n.pages), (*name).clone()));
        let columns = [
            ("language", Left),
            ("pages", Right),
            ("share", Right),
            ("indexed", Right),
        ];
        let mut table = Table::new(&columns);
        for (language, n) in sorted.into_iter().take(self.look.rows_max) {
            table.row([
                language.clone(),
                count(n.pages),
                share(n.pages, report.judged()),
                count(n.indexed),
            ]);
        }
        self.table(&table);
    }

    fn duplicates(&mut self, report: &CrawlReport) {
        let duplicates = &report.duplicates;
        if duplicates.count == 0 {
            return;
        }
        self.heading("Duplicates");
        self.line(&format!("  {}", duplicate_line(report)));
        self.counts(
            "kind",
            &duplicates.by_kind,
            duplicates.by_kind.values().sum(),
        );
        let mut table = Table::new(&[
            ("distance", Right),
            ("overlap", Right),
            ("dropped", Left),
            ("repeats", Left),
        ]);
        for sample in duplicates.samples.iter().take(self.look.rows_max.min(8)) {
            table.row([
                sample.distance.to_string(),
                format!("{:.2}", sample.overlap),
                sample.url.clone(),
                sample.dup_of.clone(),
            ]);
        }
        self.table(&table);
    }

    fn harvest(&mut self, report: &CrawlReport) {
        if report.harvest.pages == 0 {
            return;
        }
        self.heading("Harvest");
        for line in harvest_lines(report) {
            self.line(&format!("  {line}"));
        }
    }

    fn rest(&mut self, report: &CrawlReport) {
        let links = &report.links;
        if links.found > 0 {
            self.heading("Links");
            self.line(&format!(
                "  {} found: {} new, {} seen before, {} left out",
                count(links.found),
                count(links.new),
                count(links.seen),
                count(links.refused.values().sum()),
            ));
            if !links.refused.is_empty() {
                self.counts("left out for", &links.refused, links.found);
            }
        }
        if report.traps.count > 0 {
            self.heading("Traps");
            self.line(&format!(
                "  {} left alone",
                plural(report.traps.count, "URL", "URLs")
            ));
            for url in report.traps.samples.iter().take(3) {
                self.line(&format!("  {url}"));
            }
        }
        if !report.why_slow.is_empty() {
            self.heading("What the crawl waited for");
            for wait in &report.why_slow {
                self.line(&format!("  {}", wait.text));
            }
        }
    }
}

fn host_cells(host: &HostRow) -> Vec<String> {
    let counts = &host.counts;
    vec![
        host.host.clone(),
        count(counts.finished),
        count(counts.pending),
        count(counts.indexed),
        count(host.duplicates),
        count(host.off_topic),
        count(host.errors),
        bytes(host.bytes),
        duration(host.avg_ms / 1000.0),
        duration(host.delay_s),
        host.state.clone(),
    ]
}

/// When it ran, and for how long.
pub(crate) fn opening_line(report: &CrawlReport) -> String {
    if report.started_at.is_empty() {
        return "nothing has happened yet".to_owned();
    }
    let short = |iso: &str| iso.get(..19).unwrap_or(iso).replace('T', " ");
    format!(
        "{} to {} UTC; {} of work in {}",
        short(&report.started_at),
        short(&report.ended_at),
        duration(report.duration_s),
        plural(report.starts, "start", "starts"),
    )
}

/// Why it stopped.
pub(crate) fn stop_line(report: &CrawlReport) -> String {
    match (&report.stop_reason, &report.stop_detail) {
        (Some(reason), Some(detail)) => format!("stopped: {} ({detail})", name(reason)),
        (Some(reason), None) => format!("stopped: {}", name(reason)),
        (None, _) if report.starts == 0 => "not started".to_owned(),
        (None, _) => "not stopped: it is running, or it was killed".to_owned(),
    }
}

/// What was asked of the network.
pub(crate) fn network_lines(report: &CrawlReport) -> Vec<String> {
    let fetches = &report.fetches;
    let times = &report.response_times;
    let sizes = &report.sizes;
    let mut lines = vec![format!(
        "{} fetches of pages ({} to be repeated), {} of robots.txt, {} of sitemaps; {} received, {} pages/s",
        count(fetches.pages),
        count(fetches.attempts_repeated),
        count(fetches.robots),
        count(fetches.sitemaps),
        bytes(fetches.bytes),
        fetches.per_second,
    )];
    if times.count > 0 {
        lines.push(format!(
            "response time: half under {} ms, 95 % under {} ms, longest {} ms",
            count(times.median),
            count(times.p95),
            count(times.max),
        ));
        lines.push(format!(
            "body size: half under {}, 95 % under {}, largest {}",
            bytes(sizes.median),
            bytes(sizes.p95),
            bytes(sizes.max),
        ));
    }
    lines
}

/// How many duplicates, around how many pages.
pub(crate) fn duplicate_line(report: &CrawlReport) -> String {
    let duplicates = &report.duplicates;
    format!(
        "{} ({} near, {} exact) around {}; {} kept beside a near one since the texts differ; {} replaced",
        plural(duplicates.count, "page dropped", "pages dropped"),
        count(duplicates.near),
        count(duplicates.exact),
        plural(duplicates.clusters, "kept page", "kept pages"),
        count(duplicates.refuted),
        count(duplicates.replaced),
    )
}

/// What was wanted among what was read.
pub(crate) fn harvest_lines(report: &CrawlReport) -> Vec<String> {
    let harvest = &report.harvest;
    let pages = harvest.pages;
    let part = |n: u64| format!("{} ({})", count(n), share(n, pages));
    let mut lines = vec![format!("{} read", plural(pages, "page", "pages"))];
    if let Some(threshold) = harvest.threshold {
        lines.push(format!(
            "{} relevant, at {threshold} and above",
            part(harvest.relevant)
        ));
        lines.push(format!(
            "{} relevant and new",
            part(harvest.relevant_and_new)
        ));
    }
    lines.push(format!("{} kept", part(harvest.indexed)));
    lines
}
