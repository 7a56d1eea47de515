//! Two crawls side by side: what became more, what less.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use serde::{Deserialize, Serialize};

use crate::figures::CrawlReport;
use crate::look::{BOLD, Look};
use crate::table::{Align, Table};
use crate::words;

/// Hosts listed at most.
const HOSTS_MAX: usize = 20;

/// The difference of two reports.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Comparison {
    /// Name of the first crawl.
    pub first: String,
    /// Name of the second crawl.
    pub second: String,
    /// Figure by figure, in the order of the report.
    pub figures: Vec<Delta>,
    /// Hosts whose finished or indexed pages differ, most first, at most 20.
    pub hosts: Vec<HostDelta>,
}

/// One figure in both crawls.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Delta {
    /// The figure's place in the JSON report: `totals.indexed`, `reasons.junk.thin`.
    pub figure: String,
    /// In the first.
    pub first: f64,
    /// In the second.
    pub second: f64,
    /// Second less first.
    pub change: f64,
}

/// One host in both crawls.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct HostDelta {
    /// Host.
    pub host: String,
    /// Finished and indexed URLs in the first.
    pub first: (u64, u64),
    /// Finished and indexed URLs in the second.
    pub second: (u64, u64),
}

impl Comparison {
    /// Compares two reports.
    pub fn of(first: &CrawlReport, second: &CrawlReport) -> Comparison {
        let (left, right) = (figures(first), figures(second));
        let mut names: Vec<&String> = left.iter().map(|(name, _)| name).collect();
        let known: BTreeSet<&String> = names.iter().copied().collect();
        names.extend(
            right
                .iter()
                .map(|(name, _)| name)
                .filter(|name| !known.contains(name)),
        );
        let value = |side: &[(String, f64)], name: &str| {
            side.iter()
                .find(|(key, _)| key == name)
                .map_or(0.0, |(_, value)| *value)
        };
        let figures = names.into_iter().map(|name| {
            let (first, second) = (value(&left, name), value(&right, name));
            Delta {
                figure: name.clone(),
                first,
                second,
                change: second - first,
            }
        });
        Comparison {
            first: first.name.clone(),
            second: second.name.clone(),
            figures: figures.collect(),
            hosts: hosts(first, second),
        }
    }

    /// The comparison as JSON, one line without its end.
    pub fn to_json(&self) -> String {
        serde_json::to_string(self).expect("a comparison is plain data")
    }

    /// The comparison for a terminal; figures that are zero in both are left out.
    pub fn render(&self, look: Look) -> String {
        let title = format!("{} and {}", self.first, self.second);
        let mut out = format!("{}\n\n", look.paint(BOLD, &title));
        let mut table = Table::new(&[
            ("figure", Align::Left),
            (self.first.as_str(), Align::Right),
            (self.second.as_str(), Align::Right),
            ("change", Align::Right),
            ("", Align::Right),
        ]);
        for delta in self.shown() {
            table.row(delta.cells());
        }
        let columns = look.columns();
        for line in table.lines(columns) {
            let _ = writeln!(out, "{line}");
        }
        if self.hosts.is_empty() {
            return out;
        }
        let mut table = Table::new(&[
            ("host", Align::Left),
            ("finished", Align::Right),
            ("→", Align::Right),
            ("indexed", Align::Right),
            ("→", Align::Right),
        ]);
        for host in &self.hosts {
            table.row(host.cells());
        }
        let _ = write!(out, "\n{}\n", look.paint(BOLD, "Hosts that differ"));
        for line in table.lines(columns) {
            let _ = writeln!(out, "{line}");
        }
        out
    }

    /// The figures that people are shown: those that are not zero in both.
    pub(crate) fn shown(&self) -> impl Iterator<Item = &Delta> {
        let all = self.figures.iter();
        all.filter(|delta| delta.first != 0.0 || delta.second != 0.0)
    }
}

impl Delta {
    /// Name, first, second, change, and the change as a share of the first where it has one.
    pub(crate) fn cells(&self) -> [String; 5] {
        let percent = match self.first == 0.0 || self.change == 0.0 {
            true => String::new(),
            false => format!("{:+.1} %", 100.0 * self.change / self.first),
        };
        [
            words::name(&self.figure).replace('.', " › "),
            number(self.first),
            number(self.second),
            signed(self.change),
            percent,
        ]
    }
}

impl HostDelta {
    /// Host, finished in both, indexed in both.
    pub(crate) fn cells(&self) -> [String; 5] {
        [
            self.host.clone(),
            words::count(self.first.0),
            words::count(self.second.0),
            words::count(self.first.1),
            words::count(self.second.1),
        ]
    }
}

/// The figures that can be compared, in the report's order, as `path` and value.
fn figures(report: &CrawlReport) -> Vec<(String, f64)> {
    let mut all: Vec<(String, f64)> = Vec::new();
    let totals = &report.totals;
    let mut add = |name: &str, value: f64| all.push((name.to_owned(), value));
    add("totals.admitted", totals.admitted as f64);
    add("totals.pending", totals.pending as f64);
    add("totals.finished", totals.finished as f64);
    for (fate, n) in totals.fates() {
        add(&format!("totals.{fate}"), n as f64);
    }
    let reasons = &report.reasons;
    let groups: [(&str, &BTreeMap<String, u64>); 4] = [
        ("reasons.junk", &reasons.junk),
        ("reasons.refused", &reasons.refused),
        ("reasons.failed", &reasons.failed),
        ("statuses", &report.statuses),
    ];
    for (group, counts) in groups {
        for (name, n) in counts {
            add(&format!("{group}.{name}"), *n as f64);
        }
    }
    add("duplicates.count", report.duplicates.count as f64);
    add("duplicates.clusters", report.duplicates.clusters as f64);
    add("harvest.pages", report.harvest.pages as f64);
    add("harvest.relevant", report.harvest.relevant as f64);
    add(
        "harvest.relevant_and_new",
        report.harvest.relevant_and_new as f64,
    );
    add("hosts", report.hosts.len() as f64);
    add("fetches.pages", report.fetches.pages as f64);
    add(
        "fetches.attempts_repeated",
        report.fetches.attempts_repeated as f64,
    );
    add("fetches.bytes", report.fetches.bytes as f64);
    add("fetches.per_second", report.fetches.per_second);
    add("response_times.median", report.response_times.median as f64);
    add("response_times.p95", report.response_times.p95 as f64);
    add("duration_s", report.duration_s);
    all
}

fn hosts(first: &CrawlReport, second: &CrawlReport) -> Vec<HostDelta> {
    let mut rows: BTreeMap<&str, HostDelta> = BTreeMap::new();
    for (report, is_first) in [(first, true), (second, false)] {
        for host in &report.hosts {
            let row = rows.entry(&host.host).or_insert_with(|| HostDelta {
                host: host.host.clone(),
                ..HostDelta::default()
            });
            let counts = (host.counts.finished, host.counts.indexed);
            *(if is_first {
                &mut row.first
            } else {
                &mut row.second
            }) = counts;
        }
    }
    let mut rows: Vec<HostDelta> = rows.into_values().collect();
    rows.retain(|row| row.first != row.second);
    let size =
        |row: &HostDelta| row.first.0.abs_diff(row.second.0) + row.first.1.abs_diff(row.second.1);
    rows.sort_by_key(|row| std::cmp::Reverse(size(row)));
    rows.truncate(HOSTS_MAX);
    rows
}

fn number(value: f64) -> String {
    match value.fract() == 0.0 && value.abs() < 1e15 {
        true => words::count(value as u64),
        false => format!("{value:.2}"),
    }
}

fn signed(value: f64) -> String {
    match value {
        0.0 => "=".to_owned(),
        value if value > 0.0 => format!("+{}", number(value)),
        value => format!("-{}", number(-value)),
    }
}
