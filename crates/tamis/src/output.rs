//! Where output goes: data to stdout, talk to stderr; JSON lines or text; colour where it is wanted.

use std::cell::RefCell;
use std::io::{self, BufWriter, IsTerminal, Write};

use serde::Serialize;
use tracing::Level;

use crate::args::{Color, Global, LogFormat};
use crate::exit;

/// The command's way to speak.
pub struct Output {
    /// One JSON value per line was asked for.
    pub json: bool,
    /// Only errors on stderr.
    pub quiet: bool,
    /// Colour on stdout.
    pub color: bool,
    /// Columns for data: of `COLUMNS` or of the terminal; without either, in a pipe or a file,
    /// nothing is cut to fit.
    pub width: usize,
    /// Columns that were asked for, whatever the terminal has.
    given: Option<usize>,
    stdout: RefCell<BufWriter<Stdout>>,
    color_stderr: bool,
}

impl Output {
    /// Reads the global options and looks at the terminal.
    pub fn new(global: &Global) -> Self {
        let wanted = |terminal: bool| match global.color {
            Color::Always => true,
            Color::Never => false,
            Color::Auto => {
                terminal
                    && std::env::var_os("NO_COLOR").is_none_or(|v| v.is_empty())
                    && !is_dumb_terminal()
            }
        };
        let given = std::env::var("COLUMNS").ok().and_then(|c| c.parse().ok());
        Self {
            json: global.json,
            quiet: global.quiet,
            color: wanted(io::stdout().is_terminal()),
            width: columns(given, &console::Term::stdout()).unwrap_or(usize::MAX),
            given,
            stdout: RefCell::new(BufWriter::with_capacity(1 << 16, Stdout(io::stdout()))),
            color_stderr: global.log_format == LogFormat::Text
                && wanted(io::stderr().is_terminal()),
        }
    }

    /// Tells, whenever it is asked, the columns for talk on stderr; 100 where they are not known.
    pub fn talk_columns(&self) -> impl Fn() -> usize + Send + use<> {
        let given = self.given;
        move || columns(given, &console::Term::stderr()).unwrap_or(100)
    }

    /// Writes one JSON value and a line end to stdout.
    pub fn value(&self, value: &impl Serialize) -> io::Result<()> {
        let mut out = self.stdout.borrow_mut();
        serde_json::to_writer(&mut *out, value)?;
        out.write_all(b"\n")
    }

    /// Writes a line of text to stdout.
    pub fn line(&self, text: impl AsRef<str>) -> io::Result<()> {
        let mut out = self.stdout.borrow_mut();
        out.write_all(text.as_ref().as_bytes())?;
        out.write_all(b"\n")
    }

    /// Gives raw access to stdout, for streams.
    pub fn stream(&self) -> std::cell::RefMut<'_, impl Write + use<>> {
        self.stdout.borrow_mut()
    }

    /// Says something on stderr, unless quiet.
    pub fn say(&self, text: impl AsRef<str>) {
        if !self.quiet {
            crate::progress::say(text.as_ref());
        }
    }

    /// Prints an error on stderr.
    pub fn error(&self, text: &str) {
        let label = if self.color_stderr {
            "\x1b[31merror:\x1b[0m"
        } else {
            "error:"
        };
        crate::progress::say_as(Level::ERROR, &format!("{label} {text}"));
    }

    /// Writes what is buffered.
    pub fn flush(&self) -> io::Result<()> {
        self.stdout.borrow_mut().flush()
    }
}

/// Standard output; what is written to it is an error where it was closed when the process began.
struct Stdout(io::Stdout);

impl Write for Stdout {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        exit::check_stdout()?;
        self.0.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}

/// Whether the terminal knows no escape sequences.
pub fn is_dumb_terminal() -> bool {
    std::env::var_os("TERM").is_some_and(|term| term == "dumb")
}

fn columns(given: Option<usize>, terminal: &console::Term) -> Option<usize> {
    let terminal = || terminal.size_checked().map(|(_, columns)| columns.into());
    let columns: Option<usize> = given.or_else(terminal);
    columns.map(|columns| columns.clamp(40, 240))
}
