//! Simulates focused crawls over a web held in a file, to judge the models without a network.
//!
//! ```text
//! simulate_web WEB.jsonl TOPICS.json [--pages 1000] [--out DIR] [--topics a,b] [--no-examples]
//!              [--no-anchor] [--no-tag-path] [--no-learning] [--hub X] [--explore X] [--seed N]
//!              [--lag 4] [--dead X] [--left 0.15] [--verbose]
//! ```
//!
//! `WEB.jsonl` has a page per line: id, url, title, text, links (to, anchor, context, tag_path,
//! rel, in main or not). `TOPICS.json` has the tasks with their true labels: these are only used
//! to score the finished order, never shown to the models. `--lag` is the number of pages in flight,
//! `--dead` the dead links beside each link, `--left` the threshold of the stop rule by what is left.
//! Links to pages from a million on are dead too. Of a topic, `cls` names the class whose mean is
//! told, `bfs` is breadth-first's harvest.

mod options;
mod outlooks;
mod score;
mod simulation;
mod web;

use std::collections::HashMap;
use std::time::Instant;

use segment::{Segmenter, Words};

use options::Options;
use outlooks::StopScore;
use score::Score;
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
    let tasks = tasks.iter().filter(|task| options.wants(task));
    let (table, stops): (Vec<Score>, Vec<StopScore>) =
        tasks.map(|task| run(task, &web, &words, &options)).unzip();
    let mean =
        |get: fn(&Score) -> f64| table.iter().map(get).sum::<f64>() / table.len().max(1) as f64;
    for class in ["web", "kind", "multilingual", "broad", "narrow", "more"] {
        let rows: Vec<&Score> = table.iter().filter(|row| row.class == class).collect();
        if rows.is_empty() {
            continue;
        }
        let mean = |get: fn(&Score) -> f64| {
            rows.iter().map(|row| get(row)).sum::<f64>() / rows.len() as f64
        };
        let below = rows.iter().filter(|row| row.score < row.plain - 0.01);
        println!(
            "== {class:14} {:.3} worst {:.3} F1 {:.3} under best-first {}",
            mean(|row| row.score),
            rows.iter().map(|row| row.score).fold(9.0, f64::min),
            mean(|row| row.f1),
            below.count()
        );
    }
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
