//! Chosen runs to blocks: headings, paragraphs, lists, tables, code.
//!
//! The classifier chooses runs; their structure follows from the elements around them. Runs are
//! taken in document order. A list or table of which some runs were not chosen is still one list
//! or table.

use crate::blocks::{Block, ListItem};
use crate::dom::Attributes;
use crate::flat_dom::{ElementIndex, FlatDom, NO_ELEMENT};
use crate::tag::Tag;
use html5ever::local_name;

/// The most cells of one table that are kept.
const CELLS_MAX: usize = 20_000;

/// Makes blocks of the chosen runs.
pub(crate) fn blocks(flat: &FlatDom<'_>, texts: &[String], chosen: &[bool]) -> Vec<Block> {
    let mut out = Vec::new();
    let mut index = 0;
    while index < flat.runs.len() {
        if !chosen[index] || texts[index].is_empty() {
            index += 1;
            continue;
        }
        let shape = Shape::of(flat, index);
        index = match shape {
            Shape::Pre(pre) => code(flat, pre, index, chosen, &mut out),
            Shape::Table(grid) => table(flat, texts, grid, index, chosen, &mut out),
            Shape::List(list) => items(flat, texts, list, index, chosen, &mut out),
            Shape::Heading(level) => {
                let text = texts[index].replace('\n', " ");
                out.push(Block::Heading { level, text });
                index + 1
            }
            Shape::Quote => {
                let text = texts[index].clone();
                out.push(Block::Quote { text });
                index + 1
            }
            Shape::Caption => {
                let text = texts[index].clone();
                out.push(Block::Caption { text });
                index + 1
            }
            Shape::Paragraph => {
                let text = texts[index].clone();
                out.push(Block::Paragraph { text });
                index + 1
            }
        };
    }
    out
}

/// The structure that a run is part of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Shape {
    Pre(ElementIndex),
    Table(ElementIndex),
    /// The outermost list.
    List(ElementIndex),
    Heading(u8),
    Quote,
    Caption,
    Paragraph,
}

impl Shape {
    fn of(flat: &FlatDom<'_>, index: usize) -> Shape {
        let mut item = NO_ELEMENT;
        let mut list = NO_ELEMENT;
        let mut quote = false;
        let mut caption = false;
        let mut heading = None;
        for (level, at) in flat.ancestors(flat.runs[index].owner).enumerate() {
            let element = &flat.elements[at as usize];
            match element.tag {
                Tag::Pre => return Shape::Pre(at),
                Tag::Table if item == NO_ELEMENT && is_data(flat, at) => return Shape::Table(at),
                Tag::Li if item == NO_ELEMENT && is_item(flat, at) => item = at,
                Tag::Ul | Tag::Ol if item != NO_ELEMENT => list = at,
                Tag::Blockquote => quote = true,
                Tag::Figcaption | Tag::Caption => caption = true,
                tag => {
                    if heading.is_none() && level < 4 {
                        heading = tag.heading_level();
                    }
                }
            }
        }
        if let Some(level) = heading {
            Shape::Heading(level)
        } else if list != NO_ELEMENT {
            Shape::List(list)
        } else if caption {
            Shape::Caption
        } else if quote {
            Shape::Quote
        } else {
            Shape::Paragraph
        }
    }
}

/// Whether an `<li>` is an item of a list. Pages also put whole articles into `<li>`: those have
/// headings or many runs.
fn is_item(flat: &FlatDom<'_>, at: ElementIndex) -> bool {
    let element = &flat.elements[at as usize];
    let runs = element.end_run.saturating_sub(element.first_run);
    let inner_lists = runs > 0
        && flat.elements[at as usize + 1..element.end as usize]
            .iter()
            .take(200)
            .any(|inner| matches!(inner.tag, Tag::Ul | Tag::Ol));
    let headings = flat.elements[at as usize + 1..element.end as usize]
        .iter()
        .take(200)
        .any(|inner| inner.tag.heading_level().is_some());
    !headings && (runs <= 4 || inner_lists)
}

/// Whether a table holds data and is not used for layout: it has several cells a row, no table
/// inside, and no cell that is a long text.
pub(crate) fn is_data(flat: &FlatDom<'_>, at: ElementIndex) -> bool {
    let element = &flat.elements[at as usize];
    let mut rows = 0;
    let mut cells = 0;
    for inner in flat.elements[at as usize + 1..element.end as usize]
        .iter()
        .take(2000)
    {
        match inner.tag {
            Tag::Table => return false,
            Tag::Tr => rows += 1,
            Tag::Td | Tag::Th => {
                cells += 1;
                let runs = inner.end_run.saturating_sub(inner.first_run);
                if inner.counts.weight > 1200 || runs > 12 {
                    return false;
                }
            }
            _ => {}
        }
    }
    rows >= 2 && cells >= rows * 3 / 2
}

/// All chosen runs of one `<pre>`, verbatim.
fn code(
    flat: &FlatDom<'_>,
    pre: ElementIndex,
    from: usize,
    chosen: &[bool],
    out: &mut Vec<Block>,
) -> usize {
    let mut text = String::new();
    let mut index = from;
    while index < flat.runs.len() && flat.contains(pre, flat.runs[index].owner) {
        if chosen[index] {
            let run = &flat.runs[index];
            if !text.is_empty() && !text.ends_with('\n') {
                text.push('\n');
            }
            for piece in &flat.pieces[run.pieces.start as usize..run.pieces.end as usize] {
                text.push_str(if piece.text.is_empty() {
                    "\n"
                } else {
                    piece.text
                });
            }
        }
        index += 1;
    }
    let text = text.trim_end().trim_start_matches(['\n', '\r']).to_owned();
    let language = language(flat, pre);
    if !text.is_empty() {
        out.push(Block::Code { text, language });
    }
    index.max(from + 1)
}

/// The programming language in the class of a code block, of its first child or of its parent.
fn language(flat: &FlatDom<'_>, pre: ElementIndex) -> String {
    let end = flat.elements[pre as usize].end as usize;
    let candidates = [
        Some(pre as usize),
        Some(pre as usize + 1).filter(|&at| at < end),
    ];
    let parent = flat.elements[pre as usize].parent as usize;
    for at in candidates
        .into_iter()
        .flatten()
        .chain(Some(parent).filter(|&at| at < flat.elements.len()))
    {
        let Some(class) = flat.elements[at].element.attribute(&local_name!("class")) else {
            continue;
        };
        for name in class.split_ascii_whitespace().take(8) {
            for prefix in ["language-", "lang-", "highlight-source-", "brush:"] {
                if let Some(language) = name.strip_prefix(prefix)
                    && !language.is_empty()
                    && language.len() <= 20
                    && language
                        .bytes()
                        .all(|byte| byte.is_ascii_alphanumeric() || b"+-#_".contains(&byte))
                {
                    return language.to_ascii_lowercase();
                }
            }
        }
    }
    String::new()
}

/// All chosen cells of one table.
fn table(
    flat: &FlatDom<'_>,
    texts: &[String],
    grid: ElementIndex,
    from: usize,
    chosen: &[bool],
    out: &mut Vec<Block>,
) -> usize {
    let mut rows: Vec<Vec<String>> = Vec::new();
    let mut head = false;
    let mut last = (NO_ELEMENT, NO_ELEMENT);
    let mut cells = 0;
    let mut index = from;
    while index < flat.runs.len() && flat.contains(grid, flat.runs[index].owner) {
        let at = index;
        index += 1;
        if !chosen[at] || cells >= CELLS_MAX {
            continue;
        }
        let (mut cell, mut row) = (NO_ELEMENT, NO_ELEMENT);
        let mut caption = false;
        for up in flat.ancestors(flat.runs[at].owner) {
            match flat.elements[up as usize].tag {
                Tag::Td | Tag::Th if cell == NO_ELEMENT => cell = up,
                Tag::Tr if row == NO_ELEMENT => row = up,
                Tag::Caption => caption = true,
                _ => {}
            }
            if up == grid {
                break;
            }
        }
        let text = texts[at].replace('\n', " ");
        if caption || row == NO_ELEMENT {
            out.push(Block::Caption { text });
            continue;
        }
        if row != last.1 {
            if rows.is_empty() {
                head = cell != NO_ELEMENT && flat.elements[cell as usize].tag == Tag::Th;
            }
            rows.push(vec![text]);
            cells += 1;
        } else if let Some(cells_of_row) = rows.last_mut() {
            if cell == last.0
                && let Some(open) = cells_of_row.last_mut()
            {
                open.push(' ');
                open.push_str(&text);
            } else {
                cells_of_row.push(text);
                cells += 1;
            }
        }
        last = (cell, row);
    }
    if rows.len() == 1 && rows[0].len() == 1 {
        let text = rows.swap_remove(0).swap_remove(0);
        out.push(Block::Paragraph { text });
    } else if !rows.is_empty() {
        out.push(Block::Table { rows, head });
    }
    index
}

/// The chosen items of one list, up to where something else begins.
fn items(
    flat: &FlatDom<'_>,
    texts: &[String],
    list: ElementIndex,
    from: usize,
    chosen: &[bool],
    out: &mut Vec<Block>,
) -> usize {
    let mut items: Vec<ListItem> = Vec::new();
    let mut last = NO_ELEMENT;
    let mut index = from;
    while index < flat.runs.len() && flat.contains(list, flat.runs[index].owner) {
        if !chosen[index] || texts[index].is_empty() {
            index += 1;
            continue;
        }
        if Shape::of(flat, index) != Shape::List(list) {
            break;
        }
        let mut item = NO_ELEMENT;
        let mut depth: u8 = 0;
        for up in flat.ancestors(flat.runs[index].owner) {
            if up == list {
                break;
            }
            match flat.elements[up as usize].tag {
                Tag::Li if item == NO_ELEMENT => item = up,
                Tag::Ul | Tag::Ol => depth = depth.saturating_add(1),
                _ => {}
            }
        }
        let text = &texts[index];
        if item == last
            && let Some(open) = items.last_mut()
        {
            open.text.push('\n');
            open.text.push_str(text);
        } else {
            items.push(ListItem {
                depth,
                text: text.clone(),
            });
        }
        last = item;
        index += 1;
    }
    if !items.is_empty() {
        out.push(Block::List {
            ordered: flat.elements[list as usize].tag == Tag::Ol,
            items,
        });
    }
    index.max(from + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all(html: &str) -> Vec<Block> {
        let html = scraper::Html::parse_document(html);
        let flat = FlatDom::of(&html);
        let texts: Vec<String> = flat.runs.iter().map(|run| flat.run_text(run)).collect();
        let chosen = vec![true; texts.len()];
        blocks(&flat, &texts, &chosen)
    }

    #[test]
    fn code_keeps_its_blanks() {
        assert_eq!(
            all("<pre><code class='language-rust'>fn a() {\n    b\n}\n</code></pre>"),
            [Block::Code {
                text: "fn a() {\n    b\n}".into(),
                language: "rust".into()
            }]
        );
    }

    #[test]
    fn a_nested_list_is_one_list() {
        let blocks = all("<ul><li>a<ul><li>b</ul><li>c</ul>");
        let [Block::List { ordered, items }] = blocks.as_slice() else {
            panic!("{blocks:?}");
        };
        assert!(!ordered);
        let found: Vec<_> = items
            .iter()
            .map(|item| (item.depth, item.text.as_str()))
            .collect();
        assert_eq!(found, [(0, "a"), (1, "b"), (0, "c")]);
    }

    #[test]
    fn a_table_keeps_rows_and_cells() {
        assert_eq!(
            all("<table><tr><th>k<th>v<tr><td>a<td>1 <p>x</table>"),
            [Block::Table {
                rows: vec![vec!["k".into(), "v".into()], vec!["a".into(), "1 x".into()]],
                head: true
            }]
        );
    }

    #[test]
    fn a_table_for_layout_is_no_table() {
        let blocks = all("<table><tr><td><table><tr><td>a</table><td>b</table>");
        assert!(
            blocks
                .iter()
                .all(|block| matches!(block, Block::Paragraph { .. })),
            "{blocks:?}"
        );
    }
}
