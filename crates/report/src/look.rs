//! How a text for a terminal is to look.

use crate::chinese::chinese;

/// How a text is to look.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Look {
    /// Columns of the screen; 0 means as wide as needed.
    pub columns: usize,
    /// Whether ANSI colours are wanted.
    pub colour: bool,
    /// Rows of the long tables at most.
    pub rows_max: usize,
    /// The language of its words.
    pub tongue: Tongue,
}

/// The language of a report's words. What the web says stays as it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Tongue {
    /// English.
    #[default]
    English,
    /// Chinese, in simplified characters.
    Chinese,
}

impl Tongue {
    /// A text of the report in this language.
    pub fn say(self, text: &str) -> String {
        match self {
            Tongue::English => text.to_owned(),
            Tongue::Chinese => chinese(text),
        }
    }

    /// What stands between a thing and what is said of it.
    pub(crate) fn colon(self) -> &'static str {
        match self {
            Tongue::English => ": ",
            Tongue::Chinese => "：",
        }
    }

    /// What stands between the parts of a list.
    pub(crate) fn comma(self) -> &'static str {
        match self {
            Tongue::English => ", ",
            Tongue::Chinese => "，",
        }
    }

    /// What is said by the way.
    pub(crate) fn aside(self, text: &str) -> String {
        match self {
            Tongue::English => format!(" ({text})"),
            Tongue::Chinese => format!("（{text}）"),
        }
    }

    /// What stands between two things that are said.
    pub(crate) fn semicolon(self) -> &'static str {
        match self {
            Tongue::English => "; ",
            Tongue::Chinese => "；",
        }
    }
}

impl Default for Look {
    fn default() -> Look {
        Look {
            columns: 100,
            colour: false,
            rows_max: 15,
            tongue: Tongue::English,
        }
    }
}

impl Look {
    /// Everything, without colour and without a width: for a file or a pipe.
    pub fn plain() -> Look {
        Look {
            columns: 0,
            colour: false,
            rows_max: usize::MAX,
            tongue: Tongue::English,
        }
    }

    pub(crate) fn columns(self) -> usize {
        if self.columns == 0 {
            usize::MAX
        } else {
            self.columns
        }
    }

    pub(crate) fn paint(self, style: &str, text: &str) -> String {
        match self.colour {
            true => format!("\u{1b}[{style}m{text}\u{1b}[0m"),
            false => text.to_owned(),
        }
    }
}

/// Bold.
pub(crate) const BOLD: &str = "1";
/// Secondary.
pub(crate) const DIM: &str = "2";
/// Taken out.
pub(crate) const RED: &str = "31";
/// Put in.
pub(crate) const GREEN: &str = "32";
