//! Blocks of main content, and how they are written as plain text and as Markdown.
//!
//! Plain text has one line for each paragraph, list item and table row; fingerprints, search and
//! topics are computed from it. Markdown keeps the structure: heading levels, lists, tables, code.

use serde::Serialize;

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
    /// Its words.
    pub text: String,
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

/// The blocks as Markdown (CommonMark with pipe tables).
pub fn markdown(blocks: &[Block]) -> String {
    let mut out = String::new();
    for block in blocks {
        let part = match block {
            Block::Heading { level, text } => {
                let marks = "#".repeat(usize::from((*level).clamp(1, 6)));
                format!("{marks} {}", one_line(text))
            }
            Block::Paragraph { text } => text.replace('\n', "  \n"),
            Block::Quote { text } => prefixed("> ", text),
            Block::Caption { text } => format!("*{}*", one_line(text)),
            Block::Code { text, language } => fenced(text, language),
            Block::List { ordered, items } => {
                let mut list = String::new();
                let mut number = 0;
                for item in items {
                    if !list.is_empty() {
                        list.push('\n');
                    }
                    list.push_str(&"  ".repeat(usize::from(item.depth.min(8))));
                    if *ordered && item.depth == 0 {
                        number += 1;
                        list.push_str(&format!("{number}. "));
                    } else {
                        list.push_str("- ");
                    }
                    list.push_str(&one_line(&item.text));
                }
                list
            }
            Block::Table { rows, head } => pipe_table(rows, *head),
        };
        if part.is_empty() {
            continue;
        }
        if !out.is_empty() {
            out.push_str("\n\n");
        }
        out.push_str(&part);
    }
    if !out.is_empty() {
        out.push('\n');
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

fn one_line(text: &str) -> String {
    text.replace('\n', " ")
}

fn prefixed(prefix: &str, text: &str) -> String {
    let lines: Vec<String> = text.lines().map(|line| format!("{prefix}{line}")).collect();
    lines.join("\n")
}

/// A fence longer than any run of backticks inside, so that the code cannot close it.
fn fenced(text: &str, language: &str) -> String {
    let mut longest = 0;
    let mut run = 0;
    for c in text.chars() {
        run = if c == '`' { run + 1 } else { 0 };
        longest = longest.max(run);
    }
    let fence = "`".repeat((longest + 1).max(3));
    format!(
        "{fence}{language}\n{}\n{fence}",
        text.trim_end_matches('\n')
    )
}

fn pipe_table(rows: &[Vec<String>], head: bool) -> String {
    let columns = rows.iter().map(Vec::len).max().unwrap_or(0);
    if columns == 0 {
        return String::new();
    }
    let line = |row: &[String]| {
        let mut out = String::from("|");
        for column in 0..columns {
            let cell = row.get(column).map_or("", String::as_str);
            out.push(' ');
            out.push_str(&one_line(cell).replace('|', "\\|"));
            out.push_str(" |");
        }
        out
    };
    let mut lines = Vec::with_capacity(rows.len() + 2);
    let body = if head {
        lines.push(line(&rows[0]));
        &rows[1..]
    } else {
        lines.push(line(&[]));
        rows
    };
    lines.push(format!("|{}", " --- |".repeat(columns)));
    lines.extend(body.iter().map(|row| line(row)));
    lines.join("\n")
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
                        text: "a".into(),
                    },
                    ListItem {
                        depth: 1,
                        text: "b".into(),
                    },
                ],
            },
            Block::Table {
                rows: vec![vec!["x".into(), "1".into()]],
                head: false,
            },
        ];
        assert_eq!(plain(&blocks), "Head\nOne.\na\nb\nx | 1");
    }

    #[test]
    fn code_cannot_close_its_own_fence() {
        let blocks = [Block::Code {
            text: "```\nx\n```".into(),
            language: "md".into(),
        }];
        assert_eq!(markdown(&blocks), "````md\n```\nx\n```\n````\n");
    }

    #[test]
    fn a_pipe_inside_a_cell_does_not_make_a_column() {
        let blocks = [Block::Table {
            rows: vec![vec!["a".into(), "b".into()], vec!["1|2".into()]],
            head: true,
        }];
        assert_eq!(
            markdown(&blocks),
            "| a | b |\n| --- | --- |\n| 1\\|2 |  |\n"
        );
    }
}
