//! Sentences that the text and the HTML form share.

use std::collections::BTreeMap;

use outcome::Refusal;

use crate::dead_forms::DeadForm;
use crate::figures::CrawlReport;
use crate::harvest::{Harvest, Point};
use crate::words::{bytes, count, duration, instant_short, name, plural, share};

/// Rules of duplicates foreseen that are named.
const RULES_SHOWN: usize = 8;

/// Hosts with walls that are told.
const WALLED_SHOWN: usize = 8;

/// Examples told that taught nothing.
const EXAMPLES_SHOWN: usize = 5;

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

/// What was asked of the network.
pub(crate) fn network_lines(report: &CrawlReport) -> Vec<String> {
    let fetches = &report.fetches;
    let times = &report.response_times;
    let sizes = &report.sizes;
    let mut lines = vec![format!(
        "{} fetches of pages ({} to be repeated), {} of robots.txt, {} of sitemaps; {} received, {} fetches/s",
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
            // Whole milliseconds: what took less than one is under 1.
            count(times.median.max(1)),
            count(times.p95.max(1)),
            count(times.max.max(1)),
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
    let foreseen = &report.duplicates.foreseen;
    let put_back = match foreseen.put_back {
        0 => String::new(),
        urls => format!(
            "; {} put back into the queue when the rule was found wrong",
            plural(urls, "URL was", "URLs were")
        ),
    };
    (foreseen.saved + foreseen.probes + foreseen.put_back > 0).then(|| {
        format!(
            "{} saved by foreseeing a duplicate; {} fetched all the same, of which {} ({}) were none{put_back}",
            plural(foreseen.saved, "fetch", "fetches"),
            count(foreseen.probes),
            count(foreseen.probe_errors),
            share(foreseen.probe_errors, foreseen.probes),
        )
    })
}

/// What learnt rules refused unread and may have lost, if there were any.
pub(crate) fn learnt_lines(report: &CrawlReport) -> Vec<String> {
    let learnt = &report.learnt;
    if learnt.refused + learnt.probed == 0 {
        return Vec::new();
    }
    let mut lines = vec![format!(
        "{} refused unread; {} fetched all the same, {} of them turned out to be pages of their own",
        plural(learnt.refused, "URL", "URLs"),
        count(learnt.probed),
        count(learnt.unique),
    )];
    lines.push(format!(
        "Unique pages lost: some {:.0}, at most {} (the sum of the rules' bounds, each by \
         Clopper and Pearson with a confidence of 95 %)",
        learnt.lost,
        count(learnt.lost_at_most),
    ));
    if learnt.refused > 0 {
        lines.push("To fetch them all the same: tamis retry DIR --status learnt".to_owned());
    }
    lines
}

/// What to do about URLs that the address guard refused, if it refused some.
pub(crate) fn guard_line(report: &CrawlReport) -> Option<String> {
    let refused = report.reasons.refused.get(Refusal::GUARD).copied();
    let refused = refused.filter(|refused| *refused > 0)?;
    Some(format!(
        "The address guard refused {}, on private or loopback addresses. To ask them: \
         tamis retry DIR --status guard, then tamis crawl --dir DIR --allow-private",
        plural(refused, "URL", "URLs"),
    ))
}

/// The columns of the table of forms that are mostly dead, and its rows before the example.
pub(crate) const DEAD_COLUMNS: [&str; 4] = ["form of the URL", "asked", "dead", "for example"];

pub(crate) fn dead_cells(row: &DeadForm) -> [String; 3] {
    let dead = format!("{} ({})", count(row.dead), share(row.dead, row.asked));
    [row.form.clone(), count(row.asked), dead]
}

/// Kinds of walls with their counts, the most frequent first.
fn kinds_of(kinds: &BTreeMap<String, u64>) -> String {
    let mut kinds: Vec<(&String, &u64)> = kinds.iter().collect();
    kinds.sort_by_key(|(_, n)| std::cmp::Reverse(**n));
    let told = kinds
        .iter()
        .map(|(kind, n)| format!("{} {}", count(**n), name(kind)));
    told.collect::<Vec<_>>().join(", ")
}

/// Walls in the place of pages, and what to do about the hosts that have them; empty without any.
pub(crate) fn wall_lines(report: &CrawlReport) -> Vec<String> {
    let walls = &report.walls;
    if walls.pages == 0 {
        return Vec::new();
    }
    let pages = plural(walls.pages, "page was a wall", "pages were walls");
    let mut lines = vec![format!(
        "{pages} and not kept ({}); walls are never gone around",
        kinds_of(&walls.kinds)
    )];
    for host in walls.hosts.iter().take(WALLED_SHOWN) {
        let vendor = host.vendor.as_ref();
        let vendor = vendor.map_or(String::new(), |vendor| format!(" ({vendor})"));
        let kinds = match host.kinds.len() {
            0 | 1 => host.kind.english().to_owned(),
            _ => kinds_of(&host.kinds),
        };
        let mut line = format!(
            "{}: {} of {} since the first, {kinds}{vendor}",
            host.host,
            plural(host.walls, "wall", "walls"),
            plural(host.judged, "page", "pages"),
        );
        if host.rests > 0 {
            line.push_str(&format!(
                "; left to rest {}",
                plural(host.rests, "time", "times")
            ));
        }
        if host.refused > 0 {
            let refused = plural(host.refused, "URL", "URLs");
            line.push_str(&format!(
                "; then asked no more ({refused}: tamis retry DIR --status walled)"
            ));
        }
        lines.push(format!("{line}. What helps: {}", host.mend));
    }
    lines
}

/// The columns of the table of learnt rules, and its rows.
pub(crate) const LEARNT_COLUMNS: [&str; 5] =
    ["rule", "refused", "tested", "of their own", "lost at most"];

pub(crate) fn learnt_rows(report: &CrawlReport) -> impl Iterator<Item = [String; 5]> + '_ {
    let rows = report.learnt.rules.iter();
    rows.map(|row| {
        let loss = &row.loss;
        let bound = format!("{:.1}", row.lost_at_most);
        let counts = [loss.refused, loss.probed, loss.unique].map(count);
        let [refused, probed, unique] = counts;
        [row.rule.clone(), refused, probed, unique, bound]
    })
}

/// The columns of the table of rounds, and its rows, the last round first.
pub(crate) const ROUND_COLUMNS: [&str; 12] = [
    "round",
    "began",
    "visits",
    "no body",
    "unchanged",
    "touched",
    "changed",
    "moved",
    "now gone",
    "back again",
    "unclear",
    "new, kept",
];

pub(crate) fn round_rows(report: &CrawlReport) -> impl Iterator<Item = [String; 12]> + '_ {
    report.rounds.iter().rev().map(|round| {
        [
            round.round.to_string(),
            instant_short(round.began_ms),
            count(round.visited),
            count(round.not_modified),
            count(round.unchanged),
            count(round.touched),
            count(round.changed),
            count(round.moved),
            count(round.gone),
            count(round.back),
            count(round.unclear),
            count(round.new),
        ]
    })
}

/// The rules by which most duplicates were foreseen, with the fetches that each has saved.
pub(crate) fn foreseen_rules(report: &CrawlReport) -> Vec<String> {
    let mut rules: Vec<_> = report.duplicates.foreseen.rules.iter().collect();
    rules.sort_by_key(|(rule, saved)| (std::cmp::Reverse(**saved), (*rule).clone()));
    let shown = rules.iter().take(RULES_SHOWN);
    shown
        .map(|(rule, saved)| format!("{}: {rule}", count(**saved)))
        .collect()
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
            "{} relevant and new: no duplicates, whether kept or not",
            part(harvest.relevant_and_new)
        ));
    }
    lines.push(format!("{} kept", part(harvest.indexed)));
    if !report.rounds.is_empty() {
        lines.push(format!(
            "counted as each page was read first; as they are now, {} of {} are kept",
            count(report.totals.indexed),
            count(report.judged())
        ));
    }
    lines
}

/// The topic's examples that were none; empty where all were read.
pub(crate) fn example_lines(report: &CrawlReport) -> Vec<String> {
    let examples = report.seeds.iter().filter(|seed| seed.example.is_some());
    let lost = examples
        .clone()
        .filter_map(|seed| Some((seed, seed.no_example.as_ref()?)));
    let mut lines: Vec<String> = lost
        .clone()
        .take(EXAMPLES_SHOWN)
        .map(|(seed, why)| format!("no example: {}, {why}", seed.url))
        .collect();
    if !lines.is_empty() {
        let all = plural(examples.count() as u64, "example URL", "example URLs");
        let lost = count(lost.count() as u64);
        lines.insert(0, format!("{lost} of {all} taught the topic nothing"));
    }
    lines
}

/// What breadth-first beside the harvest is, in words; none in a crawl without a topic.
pub(crate) fn breadth_lines(harvest: &Harvest) -> Vec<String> {
    let Some(breadth) = &harvest.breadth_first else {
        return Vec::new();
    };
    if let Some(why) = &breadth.left_out {
        return vec![format!("Breadth-first is left out: {why}")];
    }
    let mut lines = vec![
        "Breadth-first is the same crawl without its topic: the links that it saw, first found, \
         first fetched, and each page as the crawl judged it"
            .to_owned(),
    ];
    lines.push(match breadth.unread {
        0 => "All that it would have fetched by then was read, so nothing is left open".to_owned(),
        unread => format!(
            "Of the first {} that it would fetch, the crawl did not read {}, and nobody knows what \
             is there: left out, which flatters breadth-first, since the topic picked what is left; \
             or counted as pages without use that lead nowhere, which is harsh. Neither is a bound",
            plural(harvest.pages, "page", "pages"),
            count(unread),
        ),
    });
    lines
}

/// The crawl beside breadth-first at one number of pages.
pub(crate) struct BesideBreadth {
    pub crawl: Point,
    /// Without what the crawl did not read; absent where fewer pages are within reach.
    pub mild: Option<Point>,
    /// With it, as pages without use.
    pub harsh: Option<Point>,
}

/// The crawl beside breadth-first at round numbers of pages.
pub(crate) fn beside_breadth(harvest: &Harvest) -> Vec<BesideBreadth> {
    let Some(breadth) = &harvest.breadth_first else {
        return Vec::new();
    };
    if breadth.left_out.is_some() {
        return Vec::new();
    }
    let at = |marks: &[Point], pages| marks.iter().find(|mark| mark.pages == pages).copied();
    let rows = harvest.marks.iter().map(|&crawl| BesideBreadth {
        crawl,
        mild: at(&breadth.marks, crawl.pages),
        harsh: at(&breadth.harsh_marks, crawl.pages),
    });
    rows.collect()
}

/// A count of pages with its share of those read by then; a dash for none.
pub(crate) fn part_of(point: Option<Point>, part: fn(Point) -> u64) -> String {
    point.map_or("–".to_owned(), |point| {
        format!(
            "{} ({})",
            count(part(point)),
            share(part(point), point.pages)
        )
    })
}
