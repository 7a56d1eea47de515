//! The report for a terminal.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use crate::figures::CrawlReport;
use crate::hosts::HostRow;
use crate::lines::{
    DEAD_COLUMNS, LEARNT_COLUMNS, ROUND_COLUMNS, beside_breadth, breadth_lines, dead_cells,
    duplicate_line, example_lines, foreseen_line, foreseen_rules, guard_line, harvest_lines,
    learnt_lines, learnt_rows, network_lines, opening_line, part_of, round_rows, wall_lines,
};
use crate::look::{BOLD, DIM, Look, Tongue};
use crate::story::story;
use crate::table::{Align, Table, fit, wrap};
use crate::words::{bytes, count, duration, name, plural, share};

use Align::{Left, Right};

/// Decisions marked wrong that are listed.
const WRONG_SHOWN: usize = 20;

/// Columns of breadth-first.
const BREADTH: &str = "breadth-first";
const HARSH: &str = "with those not read";

/// Numbers of pages at which the harvest is set beside breadth-first's.
const MARKS_SHOWN: usize = 6;

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
    page.dead_forms(report);
    page.languages(report);
    page.duplicates(report);
    page.harvest(report);
    page.broken(report);
    page.rights(report);
    page.rounds(report);
    page.walls(report);
    page.learnt(report);
    page.rest(report);
    page.audit(report);
    page.copies(report);
    page.out
}

struct Page {
    out: String,
    look: Look,
}

impl Page {
    fn line(&mut self, text: &str) {
        let text = self.look.tongue.say(text);
        for line in wrap(&text, self.look.columns()) {
            self.out.push_str(&line);
            self.out.push('\n');
        }
    }

    fn heading(&mut self, text: &str) {
        let text = self.look.paint(BOLD, &self.look.tongue.say(text));
        let _ = write!(self.out, "\n{text}\n");
    }

    fn table(&mut self, table: &Table) {
        let tongue = self.look.tongue;
        let table = &match tongue {
            Tongue::English => table.clone(),
            Tongue::Chinese => table.clone().with_texts(|text| tongue.say(text)),
        };
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
        let title = self
            .look
            .tongue
            .say(&format!("Crawl report: {}", report.name));
        let title = self.look.paint(BOLD, &fit(&title, self.look.columns()));
        self.out.push_str(&title);
        self.out.push('\n');
        self.line(&opening_line(report));
        for sentence in story(report) {
            self.line(&sentence);
        }
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
        if let Some(line) = guard_line(report) {
            self.line(&format!("  {line}"));
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
        ])
        .spare(&["finished", "admitted"]);
        let shown = report.seeds.len().min(self.look.rows_max);
        for seed in &report.seeds[..shown] {
            let counts = &seed.counts;
            table.row([
                seed.url.clone(),
                count(counts.admitted),
                count(counts.finished),
                count(counts.indexed),
                seed.fate_in_words(),
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
            let note = self.look.paint(DIM, &self.look.tongue.say(&note));
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

    fn dead_forms(&mut self, report: &CrawlReport) {
        if report.dead_forms.is_empty() {
            return;
        }
        self.heading("Forms of URLs that are mostly dead");
        let [form, asked, dead, example] = DEAD_COLUMNS;
        let columns = [(form, Left), (asked, Right), (dead, Right), (example, Left)];
        let mut table = Table::new(&columns).spare(&[example]);
        let shown = report.dead_forms.len().min(self.look.rows_max);
        for row in &report.dead_forms[..shown] {
            let [form, asked, dead] = dead_cells(row);
            table.row([form, asked, dead, row.example.clone()]);
        }
        self.table(&table);
        self.more(report.dead_forms.len() - shown, "forms");
    }

    fn duplicates(&mut self, report: &CrawlReport) {
        let duplicates = &report.duplicates;
        if duplicates.count == 0 {
            return;
        }
        self.heading("Duplicates");
        self.line(&format!("  {}", duplicate_line(report)));
        if let Some(line) = foreseen_line(report) {
            self.line(&format!("  {line}"));
        }
        for rule in foreseen_rules(report) {
            self.line(&format!("    {rule}"));
        }
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
        let shown = duplicates.samples.len().min(self.look.rows_max.min(8));
        for sample in &duplicates.samples[..shown] {
            // Of another pair than the row names nothing is told.
            let is_measured = sample.measured_against().is_none();
            let figure = |text: String| if is_measured { text } else { String::new() };
            table.row([
                figure(sample.distance.to_string()),
                figure(format!("{:.2}", sample.overlap)),
                sample.url.clone(),
                sample.dup_of.clone(),
            ]);
        }
        self.table(&table);
        if (shown as u64) < duplicates.count {
            self.line("  These are samples, unlike each other; export junk has all");
        }
    }

    fn harvest(&mut self, report: &CrawlReport) {
        if report.harvest.pages == 0 {
            return;
        }
        self.heading(match report.rounds.is_empty() {
            true => "Harvest",
            false => "Harvest of first readings",
        });
        for line in harvest_lines(report) {
            self.line(&format!("  {line}"));
        }
        for line in example_lines(report) {
            self.line(&format!("  {line}"));
        }
        self.beside_breadth(report);
        for line in breadth_lines(&report.harvest) {
            self.line(&format!("  {line}"));
        }
    }

    /// The harvest at the last round numbers of pages, beside breadth-first's.
    fn beside_breadth(&mut self, report: &CrawlReport) {
        let rows = beside_breadth(&report.harvest);
        if rows.is_empty() {
            return;
        }
        let mut table = Table::new(&[
            ("pages", Right),
            ("relevant and new", Right),
            (BREADTH, Right),
            (HARSH, Right),
        ])
        .spare(&[HARSH, BREADTH]);
        let new = |point| part_of(point, |point| point.relevant_and_new);
        for row in &rows[rows.len().saturating_sub(MARKS_SHOWN)..] {
            table.row([
                count(row.crawl.pages),
                new(Some(row.crawl)),
                new(row.mild),
                new(row.harsh),
            ]);
        }
        self.table(&table);
    }

    fn broken(&mut self, report: &CrawlReport) {
        let Some(broken) = report.broken.as_ref().filter(|broken| broken.links > 0) else {
            return;
        };
        self.heading("Broken links");
        self.line(&format!("  {}", broken.line()));
        self.line("  All of them: tamis export DIR broken");
    }

    /// How the copies of archive files stand.
    fn copies(&mut self, report: &CrawlReport) {
        let Some(copies) = &report.copies else { return };
        self.heading("Copies");
        self.line(&format!("  {copies}"));
    }

    /// What people said of decisions.
    fn audit(&mut self, report: &CrawlReport) {
        let Some(audit) = &report.audit else { return };
        self.heading("Audit");
        for line in audit.lines() {
            self.line(&format!("  {line}"));
        }
        if audit.wrong.is_empty() {
            return;
        }
        let mut table = Table::new(&[("marked wrong", Left), ("decision", Left)]);
        for wrong in audit.wrong.iter().take(WRONG_SHOWN) {
            table.row([wrong.url.clone(), wrong.decision()]);
        }
        self.table(&table);
    }

    fn rights(&mut self, report: &CrawlReport) {
        let rights = &report.rights;
        if rights.is_silent() {
            return;
        }
        self.heading("What the pages allow");
        for fact in rights.facts() {
            self.line(&format!("  {fact}"));
        }
        for (what, counts) in [
            ("preference of use", &rights.usage),
            ("preference of use in robots.txt", &rights.host_usage),
            ("licence", &rights.licences),
        ] {
            if !counts.is_empty() {
                self.counts(what, counts, counts.values().sum());
            }
        }
    }

    fn walls(&mut self, report: &CrawlReport) {
        let lines = wall_lines(report);
        if lines.is_empty() {
            return;
        }
        self.heading("Walls");
        for line in lines {
            self.line(&format!("  {line}"));
        }
    }

    fn rounds(&mut self, report: &CrawlReport) {
        if report.rounds.is_empty() {
            return;
        }
        self.heading("Rounds");
        let [round, began, ..] = ROUND_COLUMNS;
        let side = |column| {
            if column == began || column == round {
                Left
            } else {
                Right
            }
        };
        let columns = ROUND_COLUMNS.map(|column| (column, side(column)));
        let mut table = Table::new(&columns).spare(&["back", "no body", "moved", "began"]);
        let shown = report.rounds.len().min(self.look.rows_max);
        for row in round_rows(report).take(shown) {
            table.row(row);
        }
        self.table(&table);
        self.more(report.rounds.len() - shown, "rounds");
    }

    fn learnt(&mut self, report: &CrawlReport) {
        let lines = learnt_lines(report);
        if lines.is_empty() {
            return;
        }
        self.heading("Learnt rules");
        for line in lines {
            self.line(&format!("  {line}"));
        }
        let [rule, ..] = LEARNT_COLUMNS;
        let side = |column| if column == rule { Left } else { Right };
        let columns = LEARNT_COLUMNS.map(|column| (column, side(column)));
        let mut table = Table::new(&columns);
        let shown = report.learnt.rules.len().min(self.look.rows_max);
        for row in learnt_rows(report).take(shown) {
            table.row(row);
        }
        self.table(&table);
        self.more(report.learnt.rules.len() - shown, "rules");
    }

    fn rest(&mut self, report: &CrawlReport) {
        let links = &report.links;
        if links.found > 0 {
            self.heading("Links");
            let left_out: u64 = links.refused.values().sum();
            self.line(&format!(
                "  {} found: {} new, {} seen before, {} left out; sitemaps brought {} more",
                count(links.found),
                count(links.new),
                count(links.seen),
                count(left_out),
                plural(links.in_sitemaps, "URL", "URLs"),
            ));
            if !links.refused.is_empty() {
                self.counts("left out for", &links.refused, left_out);
            }
        }
        if report.traps.count > 0 {
            self.heading("Traps");
            self.line(&format!(
                "  {} left alone and not fetched",
                plural(report.traps.count, "URL", "URLs")
            ));
            for (name, left) in &report.traps.kinds {
                let name = name.trim_start_matches("trap_").replace('_', " ");
                self.line(&format!("  {name}: {}", count(*left)));
            }
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
        host.state_in_words(),
    ]
}
