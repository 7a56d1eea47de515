//! Two crawls side by side: what became more, what less, and page by page what is another.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use serde::{Deserialize, Serialize};

use crate::difference::Piece;
use crate::figures::CrawlReport;
use crate::look::{BOLD, DIM, Look, Tongue};
use crate::table::{Align, Table, wrap};
use crate::words;

mod pages;

pub use pages::{PageComparison, PageDifference, PageFates, PageList};

/// Hosts listed at most.
const HOSTS_MAX: usize = 20;

/// Characters of a page's differences that a terminal is shown.
const SHOWN_CHARS: usize = 400;

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
    /// Page by page, where the crawls themselves were read.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pages: Option<PageComparison>,
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
            pages: None,
        }
    }

    /// The same with what differs page by page.
    pub fn with_pages(self, pages: PageComparison) -> Comparison {
        Comparison {
            pages: Some(pages),
            ..self
        }
    }

    /// The comparison as JSON, one line without its end.
    pub fn to_json(&self) -> String {
        serde_json::to_string(self).expect("a comparison is plain data")
    }

    /// The comparison for a terminal; figures that are zero in both are left out.
    pub fn render(&self, look: Look) -> String {
        let say = |text: &str| look.tongue.say(text);
        let mut out = format!("{}\n\n", look.paint(BOLD, &self.title(look.tongue)));
        let mut table = Table::new(&[
            (say("figure").as_str(), Align::Left),
            (self.first.as_str(), Align::Right),
            (self.second.as_str(), Align::Right),
            (say("change").as_str(), Align::Right),
            ("", Align::Right),
        ]);
        for delta in self.shown() {
            let [figure, numbers @ ..] = delta.cells();
            table.row(std::iter::once(say(&figure)).chain(numbers));
        }
        let columns = look.columns();
        for line in table.lines(columns) {
            let _ = writeln!(out, "{line}");
        }
        if !self.hosts.is_empty() {
            self.render_hosts(look, &mut out);
        }
        if let Some(pages) = &self.pages {
            render_pages(pages, look, &mut out);
        }
        out
    }

    /// Both names: `a and b`.
    pub(crate) fn title(&self, tongue: Tongue) -> String {
        let and = match tongue {
            Tongue::English => "and",
            Tongue::Chinese => "与",
        };
        format!("{} {and} {}", self.first, self.second)
    }

    fn render_hosts(&self, look: Look, out: &mut String) {
        let say = |text: &str| look.tongue.say(text);
        let mut table = Table::new(&[
            (say("host").as_str(), Align::Left),
            (say("finished").as_str(), Align::Right),
            ("→", Align::Right),
            (say("indexed").as_str(), Align::Right),
            ("→", Align::Right),
        ]);
        for host in &self.hosts {
            table.row(host.cells());
        }
        let _ = write!(out, "\n{}\n", look.paint(BOLD, &say("Hosts that differ")));
        for line in table.lines(look.columns()) {
            let _ = writeln!(out, "{line}");
        }
    }

    /// The figures that people are shown: those that are not zero in both.
    pub(crate) fn shown(&self) -> impl Iterator<Item = &Delta> {
        let all = self.figures.iter();
        all.filter(|delta| delta.first != 0.0 || delta.second != 0.0)
    }
}

/// Page by page, as a terminal shows it: what is not in both is marked `[-so-]` and `[+so+]`.
fn render_pages(pages: &PageComparison, look: Look, out: &mut String) {
    let say = |text: &str| look.tongue.say(text);
    let _ = write!(out, "\n{}\n", look.paint(BOLD, &say("Pages")));
    for line in wrap(&say(&pages.line()), look.columns()) {
        let _ = writeln!(out, "{line}");
    }
    for (name, list) in pages.lists() {
        if list.total == 0 {
            continue;
        }
        let heading = say(&format!("{name} ({})", words::count(list.total)));
        let _ = write!(out, "\n{}\n", look.paint(BOLD, &heading));
        let shown = list.pages.len().min(look.rows_max);
        for page in &list.pages[..shown] {
            let why = [page.before.as_str(), page.after.as_str()];
            let why = why.into_iter().filter(|why| !why.is_empty()).map(say);
            let why = why.collect::<Vec<_>>().join(look.tongue.semicolon());
            let colon = if why.is_empty() {
                ""
            } else {
                look.tongue.colon()
            };
            let _ = writeln!(out, "  {}{colon}{why}", page.url);
            for line in marked(&page.difference).lines() {
                let _ = writeln!(out, "      {line}");
            }
        }
        let left = list.total - shown as u64;
        if left > 0 {
            let note = format!(
                "… and {} more; --format json has the first 500",
                words::count(left)
            );
            let _ = writeln!(out, "  {}", look.paint(DIM, &say(&note)));
        }
    }
}

/// Pieces of a text with marks for what is not in both.
fn marked(pieces: &[Piece]) -> String {
    let mut text = String::new();
    for piece in pieces {
        match piece {
            Piece::Same(same) => text.push_str(same),
            Piece::Removed(gone) => {
                let _ = write!(text, "[-{gone}-]");
            }
            Piece::Added(come) => {
                let _ = write!(text, "[+{come}+]");
            }
            Piece::Skipped(_) => text.push_str(" … "),
        }
    }
    match text.char_indices().nth(SHOWN_CHARS) {
        Some((end, _)) => format!("{} …", &text[..end]),
        None => text,
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
            figure_name(Tongue::English, &self.figure),
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

/// A figure's place in the report, `reasons.junk.thin`, as people read it.
pub fn figure_name(tongue: Tongue, figure: &str) -> String {
    match figure {
        "duration_s" => tongue.say("duration in seconds"),
        "response_times.median" => tongue.say("response times › median in ms"),
        "response_times.p95" => tongue.say("response times › 95th percentile in ms"),
        _ => tongue.say(&words::name(figure).replace('.', " › ")),
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_that_differ_are_listed_with_marks_and_those_beyond_are_counted() {
        let page = |at: usize| PageDifference {
            url: format!("http://a.example/{at}"),
            after: "answered 404".into(),
            ..PageDifference::default()
        };
        let pages = PageComparison {
            changed: PageList {
                total: 1,
                pages: vec![PageDifference {
                    difference: vec![
                        Piece::Same("the ".into()),
                        Piece::Removed("旧".into()),
                        Piece::Added("新".into()),
                        Piece::Skipped(90),
                    ],
                    after: String::new(),
                    ..page(7)
                }],
            },
            gone: PageList {
                total: 900,
                pages: (0..500).map(page).collect(),
            },
            ..PageComparison::default()
        };
        let look = Look {
            rows_max: 2,
            ..Look::default()
        };
        let told = Comparison::default().with_pages(pages).render(look);
        for part in [
            "0 new; 1 changed; 900 gone;",
            "Changed (1)\n  http://a.example/7\n      the [-旧-][+新+] … ",
            "Gone (900)\n  http://a.example/0: answered 404",
            "… and 898 more",
        ] {
            assert!(told.contains(part), "{part:?}: {told}");
        }
        assert!(!told.contains("Moved ("), "{told}");
    }

    /// A report of which every figure that is compared is there.
    fn with_all_figures(name: &str, indexed: u64) -> CrawlReport {
        let mut report = CrawlReport {
            name: name.into(),
            duration_s: 1.5 * indexed as f64,
            ..CrawlReport::default()
        };
        report.totals.admitted = 2 * indexed;
        report.totals.indexed = indexed;
        report.reasons.junk.insert("near_duplicate".into(), indexed);
        report.reasons.refused.insert("robots".into(), indexed);
        report.reasons.failed.insert("timeout".into(), indexed);
        report.statuses.insert("404".into(), indexed);
        report.duplicates.count = indexed;
        report.duplicates.clusters = indexed;
        report.harvest.pages = indexed;
        report.harvest.relevant = indexed;
        report.harvest.relevant_and_new = indexed;
        report.fetches.pages = indexed;
        report.fetches.attempts_repeated = indexed;
        report.fetches.bytes = indexed;
        report.fetches.per_second = indexed as f64;
        report.response_times.median = indexed;
        report.response_times.p95 = indexed;
        report.hosts.push(crate::hosts::HostRow {
            host: "a.test".into(),
            ..crate::hosts::HostRow::default()
        });
        report.hosts[0].counts.finished = indexed;
        report
    }

    /// The texts and labels of a page.
    fn seen_on(html: &str) -> String {
        let body = html
            .split("<body>")
            .nth(1)
            .and_then(|rest| rest.split("<script>").next());
        let mut seen = String::new();
        for part in body.expect("a body").split('<') {
            seen.push_str(part.split_once('>').map_or(part, |(_, text)| text));
            if let Some((_, label)) = part.split_once("aria-label=\"") {
                seen.push_str(label.split('"').next().unwrap_or_default());
            }
        }
        seen
    }

    #[test]
    fn in_chinese_all_but_names_addresses_and_texts_is_chinese() {
        let list = |after: &str| PageList {
            total: 1_234,
            pages: vec![PageDifference {
                url: "http://a.test/".into(),
                before: "dropped: thin (3 words, at least 50 wanted)".into(),
                after: after.into(),
                difference: vec![Piece::Same("§".into()), Piece::Skipped(7)],
            }],
        };
        let pages = PageComparison {
            unchanged: 3,
            not_compared: 2,
            new: list(""),
            changed: list(""),
            gone: list("answered 404"),
            moved: list("to http://a.test/"),
            dropped_now: list("near duplicate of http://a.test/"),
            kept_now: list("moved to http://a.test/"),
            not_read: list("the second crawl did not come to it"),
            ..PageComparison::default()
        };
        let both = Comparison::of(&with_all_figures("№1", 4), &with_all_figures("№2", 9));
        let both = both.with_pages(pages);
        let look = Look {
            tongue: Tongue::Chinese,
            ..Look::default()
        };
        let (text, html) = (
            both.render(look),
            crate::html::render_comparison(look.tongue, &both),
        );
        for part in [
            "№1 与 №2",
            "总计 › 进入队列",
            "丢弃原因 › 近似重复",
            "状态码 › 404",
        ] {
            assert!(
                text.contains(part) && html.contains(part),
                "{part}: {text}\n{html}"
            );
        }
        assert!(
            text.contains(
                "http://a.test/：丢弃：内容太少（3 个词，至少要 50 个）；移到 http://a.test/"
            ),
            "{text}"
        );
        // What is left in Latin letters when addresses and known terms are taken out is a text without a row.
        for told in [text, seen_on(&html)] {
            let left = [
                "http://a.test/",
                "a.test",
                "robots.txt",
                "--format json",
                "tamis report --compare",
            ]
            .iter()
            .fold(told.clone(), |told, known| told.replace(known, ""));
            assert!(!left.contains(|c: char| c.is_ascii_alphabetic()), "{left}");
        }
    }
}
