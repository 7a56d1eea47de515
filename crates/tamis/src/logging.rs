//! Log lines on stderr: text or JSON, few by default.

use std::io;

use tracing_subscriber::EnvFilter;
use tracing_subscriber::fmt;

use crate::args::{Global, LogFormat};

/// Stderr, above whatever a crawl shows there. The subscriber writes a line in one piece.
struct AboveProgress;

impl io::Write for AboveProgress {
    fn write(&mut self, line: &[u8]) -> io::Result<usize> {
        crate::progress::above(line).map(|()| line.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// The crates whose lines are shown; of others only when RUST_LOG asks for them by name.
const OURS: [&str; 15] = [
    "tamis",
    "pipeline",
    "state",
    "frontier",
    "fetcher",
    "extractor",
    "archive",
    "offsite",
    "simhash",
    "kv",
    "recent",
    "focus",
    "index",
    "report",
    "serve",
];

/// The filter for a level of ours.
fn ours(level: &str) -> String {
    let crates: Vec<String> = OURS.iter().map(|name| format!("{name}={level}")).collect();
    format!("off,{}", crates.join(","))
}

/// Starts logging for the process. `RUST_LOG` wins over `-v` and `-q`. With JSON all that is said on stderr is
/// a line of the log.
pub fn start(global: &Global) {
    let level = match (global.quiet, global.verbose) {
        (true, _) => "error",
        (false, 0) => "warn",
        (false, 1) => "info",
        (false, 2) => "debug",
        (false, _) => "trace",
    };
    let filter = EnvFilter::try_from_default_env().unwrap_or_else(|_| EnvFilter::new(ours(level)));
    let log = fmt()
        .with_env_filter(filter)
        .with_writer(|| AboveProgress)
        .with_target(false);
    // A second start is refused: the first one stays.
    let _ = match global.log_format {
        LogFormat::Text => log.with_ansi(false).try_init(),
        LogFormat::Json => {
            crate::progress::speak_as_log();
            log.json().try_init()
        }
    };
}
