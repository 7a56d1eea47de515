//! Kept pages as a folder that data tools load as a data set: Parquet files and a card.
//!
//! The layout is that of the Hugging Face Hub: `data/*.parquet`, and a `README.md` whose front matter
//! says where the files are. The card tells how the rows were made: the crawl's figures, what was done
//! about duplicates, the topic, and what the pages say of their licences and of the use of their
//! texts. Which licence the collection has nobody but its maker can say; the card says so.

use std::collections::{BTreeMap, HashSet};
use std::fs::{self, File};
use std::io::{self, BufWriter};
use std::path::{Path, PathBuf};

use archive::{Event, PageSummary, Record};
use serde_json::Value;

use super::columns::Row;
use super::folder::must_be_empty;
use super::pages::INDEXED;
use super::parquet::ParquetSink;
use crate::words::{count, plural};
use crate::{CrawlReport, Tally};

/// Rows of one file.
const FILE_ROWS: u64 = 250_000;

/// Licences and preferences that are counted apart.
const NAMES_MAX: usize = 200;

/// Lines of the settings in the card.
const SETTINGS_CHARS_MAX: usize = 20_000;

/// A data set that is being written.
pub(super) struct Dataset {
    root: PathBuf,
    sink: Option<ParquetSink<BufWriter<File>>>,
    files: u32,
    rows: u64,
    facts: Facts,
}

/// What the card says of the rows.
#[derive(Debug, Default)]
struct Facts {
    languages: BTreeMap<String, u64>,
    licences: BTreeMap<String, u64>,
    usage: BTreeMap<String, u64>,
    types: BTreeMap<String, u64>,
    words: u64,
    hosts: HashSet<String>,
}

impl Dataset {
    pub(super) fn create(root: &Path) -> io::Result<Dataset> {
        must_be_empty(root)?;
        fs::create_dir_all(root.join("data"))?;
        Ok(Dataset {
            root: root.to_owned(),
            sink: None,
            files: 0,
            rows: 0,
            facts: Facts::default(),
        })
    }

    /// Adds a page.
    pub(super) fn add(&mut self, row: Row, host: &str, page: &PageSummary) -> io::Result<()> {
        let sink = match &mut self.sink {
            Some(sink) => sink,
            None => {
                let name = format!("train-{:05}.parquet", self.files);
                self.files += 1;
                let file = BufWriter::new(File::create(self.root.join("data").join(name))?);
                self.sink.insert(ParquetSink::begin(&INDEXED, file)?)
            }
        };
        sink.row(row)?;
        self.rows += 1;
        self.facts.add(host, page);
        if self.rows.is_multiple_of(FILE_ROWS) {
            self.end_file()?;
        }
        Ok(())
    }

    fn end_file(&mut self) -> io::Result<()> {
        self.sink.take().map_or(Ok(()), |sink| sink.end().map(drop))
    }

    /// Ends the last file and writes the card.
    pub(super) fn end(mut self, crawl: &Crawl, report: &CrawlReport) -> io::Result<u64> {
        if self.files == 0 {
            let file = File::create(self.root.join("data").join("train-00000.parquet"))?;
            ParquetSink::begin(&INDEXED, BufWriter::new(file))?.end()?;
        }
        self.end_file()?;
        let card = card(self.rows, &self.facts, crawl, report);
        fs::write(self.root.join("README.md"), card)?;
        Ok(self.rows)
    }
}

impl Facts {
    fn add(&mut self, host: &str, page: &PageSummary) {
        if !self.hosts.contains(host) {
            self.hosts.insert(host.to_owned());
        }
        self.words += u64::from(page.words);
        count_in(&mut self.languages, &page.lang);
        count_in(&mut self.types, page.page_type.name());
        if let Some(licence) = &page.licence {
            count_in(&mut self.licences, licence);
        }
        for said in &page.usage {
            count_in(&mut self.usage, said);
        }
    }
}

fn count_in(counts: &mut BTreeMap<String, u64>, name: &str) {
    let name = if name.is_empty() { "unknown" } else { name };
    let is_known = counts.contains_key(name) || counts.len() < NAMES_MAX;
    *counts
        .entry(if is_known { name } else { "(others)" }.to_owned())
        .or_default() += 1;
}

/// What the card says of the crawl: its settings and its figures.
#[derive(Debug, Default)]
pub(super) struct Crawl {
    tally: Tally,
    config: Value,
}

impl Crawl {
    pub(super) fn add(&mut self, record: &Record) {
        if let Event::Start(start) = &record.event {
            self.config.clone_from(&start.config);
        }
        self.tally.add(record);
    }

    pub(super) fn report(&self) -> CrawlReport {
        self.tally.report("")
    }
}

fn card(rows: u64, facts: &Facts, crawl: &Crawl, report: &CrawlReport) -> String {
    let mut out = String::from("---\n");
    let languages = facts.languages.keys().filter(|lang| {
        (2..=3).contains(&lang.len()) && lang.bytes().all(|b| b.is_ascii_lowercase())
    });
    let languages: Vec<String> = languages.map(|lang| format!("- {lang}\n")).collect();
    if !languages.is_empty() {
        out += &format!("language:\n{}", languages.concat());
    }
    out += "license: other\n";
    out += &format!("size_categories:\n- {}\n", size_category(rows));
    out += "configs:\n- config_name: default\n  data_files:\n  - split: train\n    path: data/*.parquet\n---\n\n";
    out += "# Pages of a crawl\n\n";
    let totals = &report.totals;
    out += &format!(
        "{} with {} words of main text, from {}, read between {} and {} by \
         Tamis {}. Of {} URLs found, {} were finished: {} kept, {} read and dropped, {} refused, \
         {} failed.\n\n",
        plural(rows, "page", "pages"),
        count(facts.words),
        plural(facts.hosts.len() as u64, "host", "hosts"),
        report.started_at,
        report.ended_at,
        env!("CARGO_PKG_VERSION"),
        count(totals.admitted),
        count(totals.finished),
        count(totals.indexed),
        count(totals.junk),
        count(totals.refused),
        count(totals.failed),
    );
    out += "## Load it\n\n```python\nfrom datasets import load_dataset\npages = load_dataset(\"parquet\", data_files=\"data/*.parquet\", split=\"train\")\n```\n\n";
    out += "```sql\nSELECT host, count(*) FROM 'data/*.parquet' GROUP BY host ORDER BY 2 DESC;\n```\n\n";
    out += "## Rights\n\nEach text belongs to its author. What the pages themselves say is counted here, and stands in \
            the columns `licence` and `usage`; a page that says nothing has granted nothing.\n\n";
    out += &counts("licence that pages link to", &facts.licences);
    out += &counts("preference of use", &facts.usage);
    out += "## What is in it\n\n";
    out += &counts("language", &facts.languages);
    out += &counts("page type", &facts.types);
    out += "## What was dropped\n\n";
    out += &counts("reason", &report.reasons.junk);
    let settings = ["topic", "dedup", "keep", "scope"];
    for section in settings {
        if let Some(value) = crawl.config.get(section).filter(|value| !value.is_null()) {
            let text = serde_json::to_string_pretty(value).unwrap_or_default();
            let text: String = text.chars().take(SETTINGS_CHARS_MAX).collect();
            let text = text.replace("```", "");
            out += &format!("## Settings: `{section}`\n\n```json\n{text}\n```\n\n");
        }
    }
    out += "## Columns\n\n| column | type | what it holds |\n|---|---|---|\n";
    for column in INDEXED.columns {
        let (name, kind, doc) = (column.name, column.kind.name(), column.doc.trim());
        out += &format!("| `{name}` | {kind} | {doc} |\n");
    }
    out
}

/// A table of counts in Markdown, the largest first.
fn counts(what: &str, counts: &BTreeMap<String, u64>) -> String {
    if counts.is_empty() {
        return format!("No {what} was found.\n\n");
    }
    let mut sorted: Vec<(&String, &u64)> = counts.iter().collect();
    sorted.sort_by_key(|(_, n)| std::cmp::Reverse(**n));
    let rows = sorted
        .iter()
        .map(|(name, n)| format!("| `{}` | {n} |\n", cell(name)));
    format!(
        "| {what} | pages |\n|---|---|\n{}\n",
        rows.collect::<String>()
    )
}

/// A text of the web in a cell: nothing in it ends the cell or the code.
fn cell(text: &str) -> String {
    text.chars()
        .map(|c| {
            if matches!(c, '|' | '`' | '\n' | '\r') {
                ' '
            } else {
                c
            }
        })
        .collect()
}

/// The names that the Hub has for sizes.
fn size_category(rows: u64) -> &'static str {
    match rows {
        0..1_000 => "n<1K",
        1_000..10_000 => "1K<n<10K",
        10_000..100_000 => "10K<n<100K",
        100_000..1_000_000 => "100K<n<1M",
        1_000_000..10_000_000 => "1M<n<10M",
        _ => "10M<n<100M",
    }
}
