//! `/metrics`: the figures of all crawls for Prometheus, by its conventions: base units, totals end in
//! `_total`, each family with its help and type. A crawl's counters follow its journal, so they never
//! fall but when a URL is put back; what can fall is a gauge.

use std::fmt::Write as _;
use std::sync::Arc;

use report::CrawlReport;

use crate::crawls::Served;
use crate::live::{BrokenLinks, Status};

/// A value with its labels.
struct Sample<'c> {
    labels: Vec<(&'static str, &'c str)>,
    value: f64,
}

/// Writes one family.
fn family(out: &mut String, name: &str, kind: &str, help: &str, samples: &[Sample<'_>]) {
    let _ = writeln!(out, "# HELP {name} {help}\n# TYPE {name} {kind}");
    for sample in samples {
        let labels: Vec<String> = sample
            .labels
            .iter()
            .map(|(label, value)| format!("{label}=\"{}\"", escaped(value)))
            .collect();
        let _ = writeln!(out, "{name}{{{}}} {}", labels.join(","), sample.value);
    }
}

fn escaped(value: &str) -> String {
    let short: String = value.chars().take(200).collect();
    short
        .replace('\\', "\\\\")
        .replace('"', "\\\"")
        .replace('\n', "\\n")
}

/// A family of one value a crawl: name, type, help, and where the value is from.
type Single = (
    &'static str,
    &'static str,
    &'static str,
    fn(&Status, &CrawlReport) -> f64,
);

/// Whether something holds, as a number.
fn flag(holds: bool) -> f64 {
    f64::from(u8::from(holds))
}

/// Each is told of each crawl.
const SINGLES: &[Single] = &[
    (
        "tamis_up",
        "gauge",
        "Whether a process works on the crawl.",
        |status, _| flag(!matches!(status.state.as_str(), "stopped" | "in_use")),
    ),
    (
        "tamis_paused",
        "gauge",
        "Whether the crawl is paused.",
        |status, _| flag(status.state == "paused"),
    ),
    (
        "tamis_urls_admitted_total",
        "counter",
        "URLs ever admitted to the queue.",
        |_, report| report.totals.admitted as f64,
    ),
    (
        "tamis_urls_pending",
        "gauge",
        "URLs that wait.",
        |_, report| report.totals.pending as f64,
    ),
    (
        "tamis_fetches_total",
        "counter",
        "Fetches of pages, repeated ones included.",
        |_, report| report.fetches.pages as f64,
    ),
    (
        "tamis_fetches_repeated_total",
        "counter",
        "Fetches of pages after which the URL was to be tried again.",
        |_, report| report.fetches.attempts_repeated as f64,
    ),
    (
        "tamis_received_bytes_total",
        "counter",
        "Bytes of all bodies received.",
        |_, report| report.fetches.bytes as f64,
    ),
    (
        "tamis_duplicates",
        "gauge",
        "Dropped pages that repeat a kept one.",
        |_, report| report.duplicates.count as f64,
    ),
    (
        "tamis_hosts",
        "gauge",
        "Hosts that were met.",
        |_, report| report.hosts.len() as f64,
    ),
    (
        "tamis_fetches_in_flight",
        "gauge",
        "Fetches under way.",
        |status, _| status.in_flight as f64,
    ),
    (
        "tamis_pages_per_second",
        "gauge",
        "Pages finished a second, over the last ten seconds.",
        |status, _| status.pages_per_second,
    ),
    (
        "tamis_run_seconds_total",
        "counter",
        "Seconds in which a process worked on the crawl.",
        |_, report| report.duration_s,
    ),
    (
        "tamis_journal_record",
        "gauge",
        "Number of the last record of the journal that these figures hold.",
        |status, _| status.record as f64,
    ),
];

/// The metrics of these crawls, with how many watch the server.
pub(crate) fn metrics(crawls: &[Arc<Served>], watchers: usize) -> String {
    let ready = crawls.iter().filter(|crawl| crawl.follower.is_ready());
    let read: Vec<Read<'_>> = ready
        .map(|crawl| {
            let status = crawl.status();
            (crawl.id.as_str(), status, crawl.follower.report_now().1)
        })
        .collect();
    let mut out = String::new();
    for (name, kind, help, value) in SINGLES {
        let samples: Vec<Sample<'_>> = read
            .iter()
            .map(|(id, status, report)| Sample {
                labels: vec![("crawl", id)],
                value: value(status, report),
            })
            .collect();
        family(&mut out, name, kind, help, &samples);
    }
    finished(&mut out, &read);
    broken(&mut out, &read);
    rights(&mut out, &read);
    reasons(&mut out, &read);
    responses(&mut out, &read);
    let name = "tamis_watchers";
    let _ = writeln!(
        out,
        "# HELP {name} Browsers that follow a crawl.\n# TYPE {name} gauge\n{name} {watchers}"
    );
    out
}

/// A crawl's name, what it does and its figures.
type Read<'c> = (&'c str, Status, Arc<CrawlReport>);

fn finished(out: &mut String, read: &[Read<'_>]) {
    let samples: Vec<Sample<'_>> = read
        .iter()
        .flat_map(|(id, _, report)| {
            report.totals.fates().map(|(fate, count)| Sample {
                labels: vec![("crawl", *id), ("fate", fate)],
                value: count as f64,
            })
        })
        .collect();
    let help = "Finished URLs by what became of them.";
    family(out, "tamis_urls_finished", "gauge", help, &samples);
}

fn broken(out: &mut String, read: &[Read<'_>]) {
    let mut tell = |name: &str, help: &str, of: fn(&BrokenLinks) -> u64| {
        let counted = read
            .iter()
            .filter_map(|(id, status, _)| Some((*id, status.broken.as_ref()?)));
        let samples: Vec<Sample<'_>> = counted
            .map(|(id, broken)| Sample {
                labels: vec![("crawl", id)],
                value: of(broken) as f64,
            })
            .collect();
        family(out, name, "gauge", help, &samples);
    };
    tell(
        "tamis_broken_links",
        "Links to URLs that failed, answered with an error, or redirect in a circle.",
        |broken| broken.links,
    );
    tell(
        "tamis_broken_links_record",
        "Number of the last record of the journal that was looked at for broken links.",
        |broken| broken.record,
    );
}

fn rights(out: &mut String, read: &[Read<'_>]) {
    let samples: Vec<Sample<'_>> = read
        .iter()
        .flat_map(|(id, _, report)| {
            let rights = &report.rights;
            let counts = [
                ("noindex", rights.noindex),
                ("nofollow", rights.nofollow),
                ("usage", rights.with_usage),
                ("licence", rights.with_licence),
            ];
            counts.map(|(says, count)| Sample {
                labels: vec![("crawl", *id), ("says", says)],
                value: count as f64,
            })
        })
        .collect();
    let help = "Pages that say what may be done with them, as often as they were judged.";
    family(out, "tamis_pages_by_preference", "gauge", help, &samples);
    let samples: Vec<Sample<'_>> = read
        .iter()
        .map(|(id, _, report)| Sample {
            labels: vec![("crawl", id)],
            value: report.rights.hosts_with_usage as f64,
        })
        .collect();
    let help = "Hosts whose robots.txt says what their texts may be used for.";
    family(out, "tamis_hosts_with_preference", "gauge", help, &samples);
}

fn reasons(out: &mut String, read: &[Read<'_>]) {
    let mut samples = Vec::new();
    for (id, _, report) in read {
        let groups = [
            ("junk", &report.reasons.junk),
            ("refused", &report.reasons.refused),
            ("failed", &report.reasons.failed),
        ];
        for (fate, reasons) in groups {
            samples.extend(reasons.iter().map(|(reason, count)| Sample {
                labels: vec![("crawl", *id), ("fate", fate), ("reason", reason.as_str())],
                value: *count as f64,
            }));
        }
    }
    let help = "Finished URLs that are not kept, by reason.";
    family(out, "tamis_urls_by_reason", "gauge", help, &samples);
}

fn responses(out: &mut String, read: &[Read<'_>]) {
    let mut samples = Vec::new();
    for (id, _, report) in read {
        samples.extend(report.statuses.iter().map(|(code, count)| Sample {
            labels: vec![("crawl", *id), ("code", code.as_str())],
            value: *count as f64,
        }));
    }
    let help = "Fetches of pages by HTTP status; 0 for no answer.";
    family(out, "tamis_responses_total", "counter", help, &samples);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_follow_the_conventions() {
        for (name, kind, help, _) in SINGLES {
            assert_eq!(name.ends_with("_total"), *kind == "counter", "{name}");
            assert!(name.starts_with("tamis_") && help.ends_with('.'), "{name}");
        }
    }

    /// Words that name a metric.
    fn named(text: &str) -> std::collections::BTreeSet<&str> {
        let is_part = |c: char| c.is_ascii_lowercase() || c == '_';
        let words = text.split(|c: char| !is_part(c));
        words
            .filter(|word| word.starts_with("tamis_") && word.len() > "tamis_".len())
            .collect()
    }

    #[test]
    fn the_page_the_dashboard_and_the_alerts_name_what_there_is() {
        let families = [
            "tamis_urls_finished",
            "tamis_urls_by_reason",
            "tamis_broken_links",
            "tamis_broken_links_record",
            "tamis_pages_by_preference",
            "tamis_hosts_with_preference",
            "tamis_responses_total",
            "tamis_watchers",
        ];
        let known: std::collections::BTreeSet<&str> = SINGLES
            .iter()
            .map(|(name, ..)| *name)
            .chain(families)
            .collect();
        let page = include_str!("../../../docs/serve.md");
        assert_eq!(named(page), known);
        for file in [
            include_str!("../../../packaging/grafana/tamis.json"),
            include_str!("../../../packaging/prometheus/alerts.yml"),
        ] {
            let unknown: Vec<&str> = named(file).difference(&known).copied().collect();
            assert!(unknown.is_empty(), "{unknown:?}");
        }
    }

    #[test]
    fn labels_of_strangers_are_quoted() {
        let mut out = String::new();
        let sample = Sample {
            labels: vec![("reason", "a\"b\\c\nd")],
            value: 1.0,
        };
        family(&mut out, "x", "gauge", "X.", &[sample]);
        assert!(out.ends_with("x{reason=\"a\\\"b\\\\c\\nd\"} 1\n"), "{out}");
    }
}
