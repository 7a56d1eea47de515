//! Simulates focused crawls over a web held in a file, to judge the models without a network.
//!
//! ```text
//! simulate_web WEB.jsonl TOPICS.json [--pages 1000] [--out DIR] [--topics a,b] [--no-examples]
//!              [--no-anchor] [--no-tag-path] [--no-learning] [--hub X] [--explore X] [--seed N]
//!              [--examples-ahead] [--lag 4] [--dead X] [--left 0.15]
//!              [--verbose] [--jobs 1] [--json FILE]
//! ```
//!
//! `WEB.jsonl` has a page per line: id, url, title, text, links (to, anchor, context, tag_path,
//! rel, in main or not). `TOPICS.json` has the tasks with their true labels: these are only used
//! to score the finished order, never shown to the models. Examples come one by one, as the pages of a
//! crawl do; with `--examples-ahead` all are known before. `--lag` is the number of pages in flight,
//! `--dead` the dead links beside each link, `--left` the threshold of the stop rule by what is left.
//! Links to pages from a million on are dead too. Of a topic, `cls` names the class whose mean is
//! told, `bfs` is breadth-first's harvest.

mod options;
mod outlooks;
mod score;
mod simulation;
mod web;

use std::collections::HashMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

use segment::{Segmenter, Words};

use options::Options;
use outlooks::StopScore;
use score::{Calibration, Score};
use simulation::Simulation;
use web::{PageLine, Task};

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [web, topics, ..] = &arguments[..] else {
        eprintln!("simulate_web WEB.jsonl TOPICS.json [options]");
        std::process::exit(2);
    };
    let options = Options::read(&arguments);
    let tasks = std::fs::read_to_string(topics).expect("topics file");
    let tasks: Vec<Task> = serde_json::from_str(&tasks).expect("topics");
    let started = Instant::now();
    let web: Vec<PageLine> = std::fs::read_to_string(web)
        .expect("web file")
        .lines()
        .map(|line| serde_json::from_str(line).expect("page"))
        .collect();
    let words: HashMap<u32, Words> = web
        .iter()
        .map(|page| (page.id, Segmenter::shared().words(&page.text)))
        .collect();
    let seconds = started.elapsed().as_secs_f32();
    eprintln!("{} pages in {seconds:.1} s", web.len());
    let tasks: Vec<&Task> = tasks.iter().filter(|task| options.wants(task)).collect();
    let results = run_all(&tasks, &web, &words, &options);
    let (table, stops): (Vec<Score>, Vec<StopScore>) = results.into_iter().unzip();
    if let Some(path) = &options.json {
        let rows = tasks.iter().zip(&table).zip(&stops);
        let rows: Vec<_> = rows
            .map(|((task, score), stop)| score.as_json(task, stop))
            .collect();
        std::fs::write(path, serde_json::to_string_pretty(&rows).expect("JSON")).expect("write");
    }
    let mean =
        |get: fn(&Score) -> f64| table.iter().map(get).sum::<f64>() / table.len().max(1) as f64;
    let mut classes: Vec<&str> = Vec::new();
    for row in &table {
        if !classes.contains(&row.class.as_str()) {
            classes.push(&row.class);
        }
    }
    for class in classes {
        let rows: Vec<&Score> = table.iter().filter(|row| row.class == class).collect();
        tell_class(class, &rows);
    }
    tell_class("all", &table.iter().collect::<Vec<_>>());
    println!(
        "{:24} {:6.3} worst {:.3}  recall/oracle {:.3}  F1 {:.3} until stop {:.3}  us/page judge {:.0} links {:.0}+{:.0}",
        "mean",
        mean(|row| row.score),
        table.iter().map(|row| row.score).fold(9.0, f64::min),
        mean(|row| row.recall),
        mean(|row| row.f1),
        mean(|row| row.stop_f1),
        mean(|row| row.times.judge),
        mean(|row| row.times.links),
        mean(|row| row.times.rescore),
    );
    StopScore::tell(&stops);
}

/// The mean figures of some topics.
fn tell_class(class: &str, rows: &[&Score]) {
    let mean =
        |get: fn(&Score) -> f64| rows.iter().map(|row| get(row)).sum::<f64>() / rows.len() as f64;
    let below: Vec<&str> = rows
        .iter()
        .filter(|row| row.stop_score < row.plain - 0.01)
        .map(|row| row.id.as_str())
        .collect();
    println!(
        "== {class:14} {:3} topics {:.3} until stop {:.3} worst {:.3} F1 {:.3} calibration error {:.3} (all pages {:.3}) \
         under best-first {} {below:?}",
        rows.len(),
        mean(|row| row.score),
        mean(|row| row.stop_score),
        rows.iter().map(|row| row.stop_score).fold(9.0, f64::min),
        mean(|row| row.f1),
        mean(|row| row.calibration.error()),
        Calibration::sum(rows.iter().map(|row| &row.calibration)).error(),
        below.len()
    );
}

/// Runs the crawls of all tasks, as many at once as asked for; gives them in order.
fn run_all(
    tasks: &[&Task],
    web: &[PageLine],
    words: &HashMap<u32, Words>,
    options: &Options,
) -> Vec<(Score, StopScore)> {
    let next = AtomicUsize::new(0);
    let work = || {
        let mut done = Vec::new();
        while let at = next.fetch_add(1, Ordering::Relaxed)
            && let Some(task) = tasks.get(at)
        {
            done.push((at, run(task, web, words, options)));
        }
        done
    };
    let mut all: Vec<_> = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..options.jobs).map(|_| scope.spawn(work)).collect();
        let threads = threads.into_iter();
        threads
            .flat_map(|thread| thread.join().expect("a crawl"))
            .collect()
    });
    all.sort_by_key(|(at, _)| *at);
    all.into_iter().map(|(_, result)| result).collect()
}

fn run(
    task: &Task,
    web: &[PageLine],
    words: &HashMap<u32, Words>,
    options: &Options,
) -> (Score, StopScore) {
    let mut simulation = Simulation::new(task, web, words, options);
    simulation.run();
    if let Some(dir) = &options.out {
        simulation.write(dir);
    }
    simulation.tell_stop();
    let score = simulation.score();
    score.tell(task);
    (score, simulation.stop_score())
}
