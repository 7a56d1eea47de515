//! Log lines on stderr: text or JSON, few by default.

use tracing_subscriber::EnvFilter;
use tracing_subscriber::fmt;

use crate::args::{Global, LogFormat};

/// Starts logging for the process. `RUST_LOG` wins over `-v` and `-q`.
pub fn start(global: &Global) {
    let level = match (global.quiet, global.verbose) {
        (true, _) => "error",
        (false, 0) => "warn",
        (false, 1) => "info",
        (false, 2) => "debug",
        (false, _) => "trace",
    };
    let filter = EnvFilter::try_from_default_env()
        .unwrap_or_else(|_| EnvFilter::new(format!("{level},html5ever=error")));
    let log = fmt()
        .with_env_filter(filter)
        .with_writer(std::io::stderr)
        .with_target(false);
    // A second start is refused: the first one stays.
    let _ = match global.log_format {
        LogFormat::Text => log.with_ansi(false).try_init(),
        LogFormat::Json => log.json().try_init(),
    };
}
