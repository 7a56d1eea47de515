//! Changed or not, beside labels given by a reader.
//!
//! `cargo run -p again --example changes -- PAIRS [LABELS]` reads pairs of texts as
//! `bench/change_pairs.py` prints them. With labels (tab-separated, with the columns `id` and `label`:
//! `changed` or `same`) it prints precision and recall of `changed`, and of a hash of the whole visible
//! text; without, a line for each pair with the passages that differ, to be labelled.

use std::collections::BTreeMap;
use std::error::Error;
use std::io::{BufRead, BufReader};

use again::{Shown, compare, compare_on_pages};
use extractor::DomLimits;
use outcome::Change;
use serde_json::Value;

#[derive(Default)]
struct Count {
    hits: u32,
    false_alarms: u32,
    missed: u32,
}

impl Count {
    fn add(&mut self, said: bool, label: bool) {
        match (said, label) {
            (true, true) => self.hits += 1,
            (true, false) => self.false_alarms += 1,
            (false, true) => self.missed += 1,
            (false, false) => {}
        }
    }

    fn print(&self, name: &str) {
        let share = |of: u32| f64::from(self.hits) / f64::from((self.hits + of).max(1));
        println!(
            "{name:32} precision {:.3}  recall {:.3}  ({} right, {} false, {} missed)",
            share(self.false_alarms),
            share(self.missed),
            self.hits,
            self.false_alarms,
            self.missed
        );
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let pairs = arguments.next().ok_or("usage: changes PAIRS [LABELS]")?;
    let labels = arguments.next().map(labels).transpose()?;
    let (mut ours, mut bytes, mut visible) = (Count::default(), Count::default(), Count::default());
    for line in BufReader::new(std::fs::File::open(&pairs)?).lines() {
        let pair: Value = serde_json::from_str(&line?)?;
        let text = |key: &str| pair[key].as_str().unwrap_or_default();
        // Where the pages are there, they are read as a crawl does that archives them.
        let pages = ["html_before", "html_after"].map(|key| {
            let html = pair[key].as_str()?;
            Some(extractor::all_text(html, &DomLimits::default()))
        });
        let comparison = match &pages {
            [Some(then), Some(now)] => {
                compare_on_pages(text("before"), text("after"), &Shown::of(then, now))
            }
            _ => compare(text("before"), text("after")),
        };
        let is_change = comparison.change == Change::Changed;
        let Some(labels) = &labels else {
            println!("## {}", text("id"));
            for passage in &comparison.passages {
                println!("- {}\n+ {}", passage.before, passage.after);
            }
            continue;
        };
        let Some(&label) = labels.get(text("id")) else {
            eprintln!("no label: {}", text("id"));
            continue;
        };
        ours.add(is_change, label);
        bytes.add(pair["bytes_equal"] == false, label);
        visible.add(pair["visible_equal"] == false, label);
        if is_change != label {
            println!("{:?}, label {label}: {}", comparison.change, text("id"));
        }
    }
    if labels.is_some() {
        ours.print("changed, as a visit says");
        visible.print("hash of the visible text");
        bytes.print("hash of the bytes");
    }
    Ok(())
}

/// Whether the reader calls each pair changed.
fn labels(path: String) -> Result<BTreeMap<String, bool>, Box<dyn Error>> {
    let text = std::fs::read_to_string(path)?;
    Ok(text
        .lines()
        .skip(1)
        .filter_map(|line| {
            let mut columns = line.split('\t');
            Some((columns.next()?.to_owned(), columns.next()? == "changed"))
        })
        .collect())
}
