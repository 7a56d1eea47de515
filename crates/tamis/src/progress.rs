//! What a running crawl shows: a live block on a terminal, plain lines in a pipe, JSON on request.
//!
//! Progress is talk: it goes to stderr. On a terminal it is drawn by indicatif; whatever else is
//! said there goes through [`above`], which lifts the block, prints, and draws it again, so log
//! lines never tear it.

pub mod view;

use std::io::{self, IsTerminal, Write};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use clap::ValueEnum;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle as BarStyle};
use pipeline::progress::Snapshot;
use pipeline::{CrawlSummary, Progress};
use serde_json::json;
use tracing::Level;

use report::words::instant;

use crate::clock;
use crate::output::{Output, is_dumb_terminal};

/// How to show progress.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum ProgressStyle {
    /// A live block on a terminal, plain lines elsewhere.
    Auto,
    /// A live block.
    Bar,
    /// A line every few seconds.
    Plain,
    /// A JSON object a second on stderr.
    Json,
    /// Nothing.
    None,
}

/// Between two drawings of the live block.
const BAR_INTERVAL: Duration = Duration::from_millis(200);
/// Between two plain lines.
const PLAIN_INTERVAL: Duration = Duration::from_secs(5);
/// Between two JSON objects.
const JSON_INTERVAL: Duration = Duration::from_secs(1);
/// Hosts shown in the live block.
const HOSTS_SHOWN: usize = 5;

/// The live block that is on screen, if any.
static BLOCK: Mutex<Option<ProgressBar>> = Mutex::new(None);

/// What is said is text, or every line of it is an object: a note among the events of the progress, or a
/// line of the log.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Speech {
    Text,
    Notes,
    Log,
}

static SPEECH: Mutex<Speech> = Mutex::new(Speech::Text);

fn speech() -> Speech {
    *SPEECH.lock().unwrap_or_else(PoisonError::into_inner)
}

fn set_speech(speech: Speech) {
    *SPEECH.lock().unwrap_or_else(PoisonError::into_inner) = speech;
}

/// From now on every line on stderr is an object of the log.
pub fn speak_as_log() {
    set_speech(Speech::Log);
}

/// From now on what is said follows the style of the progress: with JSON, every line is an object.
pub fn speak(style: ProgressStyle) {
    match style {
        ProgressStyle::Json => set_speech(Speech::Notes),
        _ if speech() == Speech::Notes => set_speech(Speech::Text),
        _ => {}
    }
}

/// Lines as JSON objects, but for those that are some already.
fn as_objects(text: &[u8], object: impl Fn(&str) -> serde_json::Value) -> Vec<u8> {
    let text = String::from_utf8_lossy(text);
    let lines = text.lines().filter(|line| !line.trim().is_empty());
    let objects = lines.map(|line| match line.starts_with('{') {
        true => format!("{line}\n"),
        false => format!("{}\n", object(line)),
    });
    objects.collect::<String>().into_bytes()
}

fn note(line: &str) -> serde_json::Value {
    json!({"event": "note", "text": line})
}

/// A line of the log with the fields that the log's own lines have.
fn log_line(level: Level, line: &str) -> serde_json::Value {
    let now_ms = u64::try_from(clock::unix_seconds()).unwrap_or(0) * 1_000;
    json!({"timestamp": instant(now_ms), "level": level.as_str(), "fields": {"message": line}})
}

/// Writes to stderr, above the live block if there is one; in one piece.
pub fn above(text: &[u8]) -> io::Result<()> {
    write(Level::INFO, text)
}

fn write(level: Level, text: &[u8]) -> io::Result<()> {
    match speech() {
        Speech::Text => {}
        Speech::Notes => return io::stderr().write_all(&as_objects(text, note)),
        Speech::Log => {
            return io::stderr().write_all(&as_objects(text, |line| log_line(level, line)));
        }
    }
    let block = BLOCK.lock().unwrap_or_else(PoisonError::into_inner);
    match &*block {
        Some(block) => block.suspend(|| io::stderr().write_all(text)),
        None => io::stderr().write_all(text),
    }
}

/// Says a line on stderr.
pub fn say(text: &str) {
    say_as(Level::INFO, text);
}

/// The same, with how much it matters to who reads it as a log.
pub fn say_as(level: Level, text: &str) {
    // Nobody is left to tell when stderr is closed.
    let _ = write(level, format!("{text}\n").as_bytes());
}

/// Progress that is being shown.
pub struct Shown {
    ended: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl Shown {
    /// Draws the last state and stops.
    pub fn finish(mut self) {
        self.ended.store(true, Ordering::SeqCst);
        if let Some(thread) = self.thread.take() {
            // The thread only draws; if it panicked, the crawl's result still counts.
            let _ = thread.join();
        }
    }
}

/// Begins to show a crawl's progress.
pub fn start(style: ProgressStyle, progress: &Progress, output: &Output) -> Shown {
    let style = match style {
        _ if output.quiet => ProgressStyle::None,
        ProgressStyle::Auto
            if io::stderr().is_terminal() && !is_dumb_terminal() && speech() == Speech::Text =>
        {
            ProgressStyle::Bar
        }
        ProgressStyle::Auto => ProgressStyle::Plain,
        chosen => chosen,
    };
    let ended = Arc::new(AtomicBool::new(false));
    let thread = match style {
        ProgressStyle::None => None,
        ProgressStyle::Auto | ProgressStyle::Bar => Some(spawn(
            &ended,
            progress,
            BAR_INTERVAL,
            bar(output.talk_columns()),
        )),
        ProgressStyle::Plain => Some(spawn(&ended, progress, PLAIN_INTERVAL, plain)),
        ProgressStyle::Json => Some(spawn(&ended, progress, JSON_INTERVAL, events)),
    };
    Shown { ended, thread }
}

fn spawn(
    ended: &Arc<AtomicBool>,
    progress: &Progress,
    interval: Duration,
    mut draw: impl FnMut(&Snapshot, bool) + Send + 'static,
) -> JoinHandle<()> {
    let (ended, progress) = (Arc::clone(ended), progress.clone());
    std::thread::spawn(move || {
        let mut drawn = Instant::now();
        loop {
            let last = ended.load(Ordering::SeqCst);
            if last || drawn.elapsed() >= interval {
                draw(&progress.snapshot(), last);
                drawn = Instant::now();
            }
            if last {
                break;
            }
            std::thread::park_timeout(Duration::from_millis(50));
        }
    })
}

/// The live block.
/// `columns` is asked before each drawing: terminals change their size.
fn bar(
    columns: impl Fn() -> usize + Send + 'static,
) -> impl FnMut(&Snapshot, bool) + Send + 'static {
    let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr());
    if let Ok(style) = BarStyle::with_template("{spinner} {msg}") {
        bar.set_style(style);
    }
    *BLOCK.lock().unwrap_or_else(PoisonError::into_inner) = Some(bar.clone());
    move |shown, last| {
        if last {
            *BLOCK.lock().unwrap_or_else(PoisonError::into_inner) = None;
            bar.finish_and_clear();
            return;
        }
        // The spinner takes two columns of the first line.
        bar.set_message(view::block(shown, columns().saturating_sub(2), HOSTS_SHOWN).join("\n"));
        bar.tick();
    }
}

/// A plain line. The end is told by the summary.
fn plain(shown: &Snapshot, last: bool) {
    if last || shown.state == "starting" {
        return;
    }
    match view::before_first_fetch(shown) {
        Some(line) => say(&line),
        None => say(&format!("{}: {}", shown.state, view::line(shown))),
    }
}

/// A JSON object: `event` is `progress`, or `end` for the last one.
fn events(shown: &Snapshot, last: bool) {
    let Ok(mut object) = serde_json::to_value(shown) else {
        return;
    };
    object["event"] = json!(if last { "end" } else { "progress" });
    say(&object.to_string());
}

/// The last line of a crawl.
pub fn summary_line(summary: &CrawlSummary) -> String {
    format!(
        "{}: {}",
        summary.reason.words(),
        view::line(&summary.snapshot)
    )
}
