//! Blocks of main content, and how they are written as plain text.
//!
//! Plain text has one line for each paragraph, list item and table row; fingerprints, search and
//! topics are computed from it. `blocks_markdown` and `blocks_html` keep the structure: heading levels,
//! lists, tables, code.

use serde::Serialize;
use url::{ParseError, Url};

/// A piece of main content.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Block {
    /// A heading.
    Heading {
        /// 1 to 6.
        level: u8,
        /// Its words.
        text: String,
    },
    /// A run of text.
    Paragraph {
        /// Its words; line breaks the page asked for are kept.
        text: String,
    },
    /// A list.
    List {
        /// Whether its items are numbered.
        ordered: bool,
        /// Its items; nested ones are flattened in reading order.
        items: Vec<ListItem>,
    },
    /// A table with data in it; tables used for layout become the blocks inside them.
    Table {
        /// Rows of cells.
        rows: Vec<Vec<String>>,
        /// Whether the first row is a head.
        head: bool,
        /// Rows at the top that are a head.
        head_rows: usize,
        /// Cells that take more than one row or column.
        #[serde(skip_serializing_if = "Vec::is_empty")]
        spans: Vec<CellSpan>,
    },
    /// Preformatted text, verbatim.
    Code {
        /// The text with its line breaks and blanks.
        text: String,
        /// The programming language that the page names; empty without one.
        language: String,
    },
    /// A quotation.
    Quote {
        /// Its words.
        text: String,
    },
    /// A formula on a line of its own. Those inside a line stand in its text, as `$TeX$`.
    Formula {
        /// Its TeX.
        tex: String,
    },
    /// A picture amid the content; its caption follows as a block of its own.
    Image {
        /// Its address as the page writes it.
        source: String,
        /// What stands for it where it cannot be seen.
        alt: String,
    },
    /// The caption of a figure or table.
    Caption {
        /// Its words.
        text: String,
    },
}

/// One item of a list.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ListItem {
    /// How deep it is nested, 0 for the outermost.
    pub depth: u8,
    /// Whether its own list is numbered.
    pub ordered: bool,
    /// Its words.
    pub text: String,
}

/// A cell that takes more than one row or column.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct CellSpan {
    /// Its row in the table, 0 for the first.
    pub row: usize,
    /// Its number among the cells of that row.
    pub cell: usize,
    /// Rows that it takes.
    pub rows: usize,
    /// Columns that it takes.
    pub columns: usize,
}

/// Whether a picture's address may be given on: one of the web or relative to its page. A `javascript:` or
/// `data:` from a stranger's page would be loaded by whoever reads the written page.
pub(crate) fn is_web_source(source: &str) -> bool {
    match Url::parse(source) {
        Ok(url) => matches!(url.scheme(), "http" | "https"),
        Err(error) => error == ParseError::RelativeUrlWithoutBase,
    }
}

/// The blocks as plain text: one line per paragraph, list item and table row; code verbatim.
pub fn plain(blocks: &[Block]) -> String {
    let mut out = String::new();
    for block in blocks {
        match block {
            Block::Heading { text, .. }
            | Block::Paragraph { text }
            | Block::Quote { text }
            | Block::Caption { text }
            | Block::Code { text, .. } => push_line(&mut out, text),
            Block::Formula { tex } => push_line(&mut out, tex),
            Block::Image { .. } => {}
            Block::List { items, .. } => {
                for item in items {
                    push_line(&mut out, &item.text);
                }
            }
            Block::Table { rows, .. } => {
                for row in rows {
                    push_line(&mut out, &row.join(" | "));
                }
            }
        }
    }
    out
}

fn push_line(out: &mut String, text: &str) {
    if text.is_empty() {
        return;
    }
    if !out.is_empty() {
        out.push('\n');
    }
    out.push_str(text);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn paragraph(text: &str) -> Block {
        Block::Paragraph { text: text.into() }
    }

    #[test]
    fn plain_text_has_a_line_for_each_paragraph_item_and_row() {
        let blocks = [
            Block::Heading {
                level: 2,
                text: "Head".into(),
            },
            paragraph("One."),
            Block::List {
                ordered: false,
                items: vec![
                    ListItem {
                        depth: 0,
                        ordered: false,
                        text: "a".into(),
                    },
                    ListItem {
                        depth: 1,
                        ordered: false,
                        text: "b".into(),
                    },
                ],
            },
            Block::Table {
                rows: vec![vec!["x".into(), "1".into()]],
                head: false,
                head_rows: 0,
                spans: Vec::new(),
            },
        ];
        assert_eq!(plain(&blocks), "Head\nOne.\na\nb\nx | 1");
    }
}
