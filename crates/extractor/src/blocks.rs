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

/// Lists are indented no deeper.
const LIST_DEPTH_MAX: u8 = 8;
/// Columns of an expanded table.
const COLUMNS_MAX: usize = 1_000;

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
            Block::Formula { tex } => format!("$$\n{tex}\n$$"),
            Block::Image { source, alt } => picture(source, alt),
            Block::List { items, .. } => list(items),
            Block::Table {
                rows, head, spans, ..
            } => pipe_table(&expanded(rows, spans), *head),
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

fn picture(source: &str, alt: &str) -> String {
    let alt = one_line(alt).replace(']', "\\]");
    let is_plain = source
        .bytes()
        .all(|byte| byte.is_ascii_graphic() && !b"()<>".contains(&byte));
    match is_plain {
        true => format!("![{alt}]({source})"),
        false => format!(
            "![{alt}](<{}>)",
            source.replace('>', "%3E").replace('\n', "")
        ),
    }
}

/// A list, its items numbered where their own list is; nested ones are indented below the text of the
/// item above.
fn list(items: &[ListItem]) -> String {
    let mut out = String::new();
    // The number of the last item at each depth, and how wide its mark is.
    let mut open: Vec<(usize, usize)> = Vec::new();
    for item in items {
        let depth = usize::from(item.depth.min(LIST_DEPTH_MAX));
        open.truncate(depth + 1);
        while open.len() <= depth {
            open.push((0, 0));
        }
        let indent: usize = open[..depth].iter().map(|(_, width)| (*width).max(2)).sum();
        let number = open[depth].0 + 1;
        let mark = match item.ordered {
            true => format!("{number}. "),
            false => "- ".to_owned(),
        };
        open[depth] = (number, mark.len());
        if !out.is_empty() {
            out.push('\n');
        }
        out.push_str(&" ".repeat(indent));
        out.push_str(&mark);
        out.push_str(&one_line(&item.text));
    }
    out
}

/// A table whose cells each take one place: where one takes more, the others are empty.
fn expanded(rows: &[Vec<String>], spans: &[CellSpan]) -> Vec<Vec<String>> {
    if spans.is_empty() {
        return rows.to_vec();
    }
    // In the order of the cells.
    let mut spans = spans.iter().peekable();
    // Rows for which each column is still taken by a cell above.
    let mut taken: Vec<usize> = Vec::new();
    let mut out = Vec::with_capacity(rows.len());
    for (at, row) in rows.iter().enumerate() {
        let mut line: Vec<String> = Vec::new();
        let skip = |line: &mut Vec<String>, taken: &mut Vec<usize>| {
            while taken.get(line.len()).is_some_and(|&rows| rows > 0) {
                taken[line.len()] -= 1;
                line.push(String::new());
            }
        };
        for (number, cell) in row.iter().enumerate() {
            skip(&mut line, &mut taken);
            let span = spans.next_if(|span| span.row == at && span.cell == number);
            let (rows, columns) = span.map_or((1, 1), |span| (span.rows, span.columns));
            for column in 0..columns {
                if line.len() >= COLUMNS_MAX {
                    break;
                }
                if taken.len() <= line.len() {
                    taken.resize(line.len() + 1, 0);
                }
                taken[line.len()] = rows - 1;
                line.push(if column == 0 {
                    cell.clone()
                } else {
                    String::new()
                });
            }
        }
        skip(&mut line, &mut taken);
        out.push(line);
    }
    out
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
            head_rows: 1,
            spans: Vec::new(),
        }];
        assert_eq!(
            markdown(&blocks),
            "| a | b |\n| --- | --- |\n| 1\\|2 |  |\n"
        );
    }
}
