//! How far a run is: documents, bytes and their rate, on a terminal's stderr.

use std::io::IsTerminal;

use documents::batches::{self, Batch};
use indicatif::{HumanBytes, HumanCount, ProgressBar, ProgressStyle};

use crate::output::Output;

/// A line that counts.
pub struct Progress {
    line: Option<ProgressBar>,
    bytes: u64,
}

impl Progress {
    /// Shown on a terminal, unless quiet.
    pub fn new(output: &Output) -> Progress {
        let shown = std::io::stderr().is_terminal() && !output.quiet;
        let line = shown.then(|| {
            let style = ProgressStyle::with_template("{spinner} {msg}");
            let style = style.expect("the template is well formed");
            ProgressBar::new_spinner().with_style(style)
        });
        Progress { line, bytes: 0 }
    }

    /// Counts what was read.
    pub fn read(&mut self, batch: &Batch) {
        let Some(line) = &self.line else { return };
        self.bytes += batch
            .iter()
            .map(|next| batches::bytes(next) as u64)
            .sum::<u64>();
        line.inc(batch.len() as u64);
        let seconds = line.elapsed().as_secs_f64().max(0.001);
        line.set_message(format!(
            "{} documents, {} of text, {}/s",
            HumanCount(line.position()),
            HumanBytes(self.bytes),
            HumanBytes((self.bytes as f64 / seconds) as u64),
        ));
    }

    /// Clears the line.
    pub fn end(&self) {
        if let Some(line) = &self.line {
            line.finish_and_clear();
        }
    }
}
