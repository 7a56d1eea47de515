//! What a running crawl shows: a live block on a terminal, plain lines in a pipe, JSON on request.
//!
//! Progress is talk: it goes to stderr. On a terminal it is drawn by indicatif, which keeps it
//! below whatever else is printed, so log lines never tear it.

use std::fmt::Write as _;
use std::io::IsTerminal;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use clap::ValueEnum;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle as BarStyle};
use pipeline::progress::Snapshot;
use pipeline::{CrawlSummary, Progress};

use crate::output::Output;

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
const HOSTS_SHOWN: usize = 4;

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
        ProgressStyle::Auto if std::io::stderr().is_terminal() => ProgressStyle::Bar,
        ProgressStyle::Auto => ProgressStyle::Plain,
        chosen => chosen,
    };
    let ended = Arc::new(AtomicBool::new(false));
    let thread = match style {
        ProgressStyle::None => None,
        ProgressStyle::Auto | ProgressStyle::Bar => {
            Some(spawn(&ended, progress, BAR_INTERVAL, bar()))
        }
        ProgressStyle::Plain => Some(spawn(
            &ended,
            progress,
            PLAIN_INTERVAL,
            |shown: &Snapshot, last: bool| {
                if shown.pages > 0 && (last || shown.state == "running") {
                    eprintln!("{}", line(shown));
                }
            },
        )),
        ProgressStyle::Json => Some(spawn(
            &ended,
            progress,
            JSON_INTERVAL,
            |shown: &Snapshot, _| {
                if let Ok(json) = serde_json::to_string(shown) {
                    eprintln!("{json}");
                }
            },
        )),
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
fn bar() -> impl FnMut(&Snapshot, bool) + Send + 'static {
    let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr());
    if let Ok(style) = BarStyle::with_template("{spinner} {msg}") {
        bar.set_style(style);
    }
    move |shown, last| {
        let mut text = line(shown);
        for host in shown.hosts.iter().take(HOSTS_SHOWN) {
            let wait = if host.next_in_s > 0.05 {
                format!(" in {:.1}s", host.next_in_s)
            } else {
                String::new()
            };
            let _ = write!(
                text,
                "\n    {:<32} {:>7} pending  {}{wait}",
                host.host, host.pending, host.why
            );
        }
        bar.set_message(text);
        bar.tick();
        if last {
            bar.finish_and_clear();
        }
    }
}

/// One line about a crawl.
pub fn line(shown: &Snapshot) -> String {
    let budget = if shown.max_pages > 0 {
        format!("/{}", shown.max_pages)
    } else {
        String::new()
    };
    let mut junk: Vec<_> = shown.junk.iter().collect();
    junk.sort_by(|a, b| b.1.cmp(a.1).then(a.0.cmp(b.0)));
    let reasons: Vec<String> = junk
        .iter()
        .take(4)
        .map(|(reason, count)| format!("{reason} {count}"))
        .collect();
    let reasons = if reasons.is_empty() {
        String::new()
    } else {
        format!(" ({})", reasons.join(", "))
    };
    format!(
        "{} pages{budget}, {:.1}/s, {} kept, {} dropped{reasons}, {} failed, {} in queue, {}",
        shown.pages,
        shown.rate,
        shown.indexed,
        shown.dropped(),
        shown.failed,
        shown.pending,
        elapsed(shown.running_ms),
    )
}

/// The last line of a crawl.
pub fn summary_line(summary: &CrawlSummary) -> String {
    let shown = &summary.snapshot;
    format!("{}: {}", summary.reason_in_words(), line(shown))
}

fn elapsed(ms: u64) -> String {
    let seconds = ms / 1_000;
    match seconds {
        0..=59 => format!("{seconds}s"),
        60..=3_599 => format!("{}m{:02}s", seconds / 60, seconds % 60),
        _ => format!("{}h{:02}m", seconds / 3_600, seconds % 3_600 / 60),
    }
}
