//! Sentences that the text and the HTML form share.

use crate::figures::CrawlReport;
use crate::words::{bytes, count, duration, name, plural, share};

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
    let Some(reason) = &report.stop_reason else {
        return match report.starts {
            0 => "not started".to_owned(),
            _ => "not stopped: it is running, or it was killed".to_owned(),
        };
    };
    let in_words = match (reason.as_str(), &report.stop_detail) {
        (_, Some(detail)) => detail.as_str(),
        ("drained", None) => "nothing was left to fetch",
        ("max_pages", None) => "the budget of pages is used up",
        ("max_time", None) => "the time for this start is used up",
        ("interrupted", None) => "it was told to stop, and can go on",
        ("harvest", None) => "little new was found at last",
        ("error", None) => "it could not go on",
        (_, None) => return format!("stopped: {}", name(reason)),
    };
    let since = match (reason.as_str(), report.totals.pending) {
        ("drained", 1..) => format!(
            "; since then {} put back into the queue",
            plural(report.totals.pending, "URL was", "URLs were")
        ),
        _ => String::new(),
    };
    format!("stopped: {} ({in_words}){since}", name(reason))
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

/// How many duplicates were foreseen, if any were.
pub(crate) fn foreseen_line(report: &CrawlReport) -> Option<String> {
    let foreseen = report.duplicates.foreseen;
    (foreseen.saved + foreseen.probes > 0).then(|| {
        format!(
            "{} saved by foreseeing a duplicate; {} fetched all the same, of which {} ({}) were none",
            plural(foreseen.saved, "fetch", "fetches"),
            count(foreseen.probes),
            count(foreseen.probe_errors),
            share(foreseen.probe_errors, foreseen.probes),
        )
    })
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
