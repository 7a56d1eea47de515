//! A mistake in a configuration: where it is, what is wrong, and what to do about it.

use std::fmt;

/// Characters of a line that are shown.
const SHOWN_CHARS_MAX: usize = 160;

/// Problems of one file that are told.
pub(crate) const PROBLEMS_MAX: usize = 50;

/// A mistake at a byte of the text.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Mistake {
    pub(crate) at: usize,
    pub(crate) message: String,
    pub(crate) mend: String,
    /// It is a key that this version does not know.
    pub(crate) is_unknown_key: bool,
}

impl Mistake {
    pub(crate) fn new(at: usize, message: String, mend: String) -> Self {
        Self {
            at,
            message,
            mend,
            is_unknown_key: false,
        }
    }
}

/// A mistake as it is shown.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ConfigProblem {
    /// File name as given.
    pub file: String,
    /// Line, from 1; 0 where the problem has no place in the file.
    pub line: usize,
    /// Column in characters, from 1.
    pub column: usize,
    /// The line's text.
    pub text: String,
    /// What is wrong.
    pub message: String,
    /// What to do.
    pub mend: String,
}

impl ConfigProblem {
    /// A problem of a whole file.
    pub(crate) fn of_file(file: &str, message: String, mend: &str) -> Self {
        Self {
            file: file.into(),
            line: 0,
            column: 0,
            text: String::new(),
            message,
            mend: mend.into(),
        }
    }

    /// A problem at a byte of a file's text.
    pub(crate) fn at(file: &str, text: &str, byte: usize, message: String, mend: String) -> Self {
        let byte = text.floor_char_boundary(byte);
        let start = text[..byte].rfind('\n').map_or(0, |at| at + 1);
        let shown = text[start..].lines().next().unwrap_or_default();
        Self {
            file: file.into(),
            line: text[..byte].matches('\n').count() + 1,
            column: text[start..byte].chars().count() + 1,
            text: shown.chars().take(SHOWN_CHARS_MAX).collect(),
            message,
            mend,
        }
    }
}

impl fmt::Display for ConfigProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.line {
            0 => write!(f, "{}: {}", self.file, self.message)?,
            line => {
                write!(f, "{}:{line}:{}: {}", self.file, self.column, self.message)?;
                if !self.text.is_empty() {
                    let pointed = frontier::pointed(line, self.column, &self.text);
                    write!(f, "\n{pointed}")?;
                }
            }
        }
        match self.mend.as_str() {
            "" => Ok(()),
            mend => write!(f, "\n  {mend}"),
        }
    }
}

impl std::error::Error for ConfigProblem {}
