//! Chosen runs to blocks: headings, paragraphs, lists, tables, code.
//!
//! The classifier chooses runs; their structure follows from the elements around them. Runs are
//! taken in document order. A list or table of which some runs were not chosen is still one list
//! or table.

use std::borrow::Cow;

use html5ever::{LocalName, local_name};
use rustc_hash::FxHashMap;
use scraper::Html;

use crate::blocks::{Block, CellSpan, ListItem};
use crate::dom::Attributes;
use crate::flat_dom::{ElementIndex, FlatDom, NO_ELEMENT, Traits};
use crate::formulas::{self, Formulas};
use crate::tag::Tag;
use crate::verbatim;

/// The most cells of one table that are kept.
const CELLS_MAX: usize = 20_000;

/// The most pictures that are kept.
const IMAGES_MAX: usize = 500;

/// A page whose chosen runs become blocks.
struct Parts<'p, 'd> {
    html: &'p Html,
    flat: &'p FlatDom<'d>,
    texts: &'p [String],
    chosen: &'p [bool],
    formulas: Formulas,
}

impl Parts<'_, '_> {
    fn is_chosen(&self, run: usize) -> bool {
        self.chosen[run] && !self.texts[run].is_empty()
    }

    /// The text of a run, with the source of each formula in it.
    fn text(&self, run: usize) -> Cow<'_, str> {
        if self.formulas.is_empty() {
            return Cow::Borrowed(&self.texts[run]);
        }
        match self.formulas.text(self.flat, &self.flat.runs[run]) {
            None => Cow::Borrowed(&self.texts[run]),
            Some(Ok(formula)) => Cow::Owned(format!("${}$", formula.tex)),
            Some(Err(text)) => Cow::Owned(text),
        }
    }

    /// The formula that a run is, if it is nothing else.
    fn formula(&self, run: usize) -> Option<String> {
        if self.formulas.is_empty() {
            return None;
        }
        let formula = self.formulas.text(self.flat, &self.flat.runs[run])?.ok()?;
        Some(formula.tex.clone())
    }
}

/// Blocks, and which formulas stand in their text.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Assembled {
    pub blocks: Vec<Block>,
    /// The TeX of each formula that stands in the text as `$TeX$`.
    pub formulas: Vec<String>,
}

impl Assembled {
    /// Adds what follows.
    pub(crate) fn extend(&mut self, more: Assembled) {
        self.blocks.extend(more.blocks);
        self.formulas.extend(more.formulas);
    }
}

/// Makes blocks of the chosen runs.
pub(crate) fn assemble(
    html: &Html,
    flat: &FlatDom<'_>,
    texts: &[String],
    chosen: &[bool],
) -> Assembled {
    let page = Parts {
        html,
        flat,
        texts,
        chosen,
        formulas: Formulas::of(html, flat),
    };
    let blocks = blocks(&page);
    let mut formulas: Vec<String> = page.formulas.into_tex().collect();
    let chosen = texts.iter().zip(chosen).filter(|(_, chosen)| **chosen);
    let mut unset = chosen.flat_map(|(text, _)| formulas::unset(text));
    if let Some(first) = unset.next().filter(|_| formulas::sets_tex(html)) {
        formulas.push(first.to_owned());
        formulas.extend(unset.map(str::to_owned));
    }
    Assembled { blocks, formulas }
}

fn blocks(page: &Parts<'_, '_>) -> Vec<Block> {
    let (flat, chosen) = (page.flat, page.chosen);
    let mut images = Images::of(flat, chosen);
    let mut out = Vec::new();
    let mut index = 0;
    while index < flat.runs.len() {
        if !page.is_chosen(index) {
            index += 1;
            continue;
        }
        images.before(flat, flat.runs[index].owner, &mut out);
        let text = || page.text(index).into_owned();
        let block = match Shape::of(flat, index) {
            Shape::Pre(pre) => {
                index = code(page, pre, index, &mut out);
                continue;
            }
            Shape::Table(grid) => {
                index = table(page, grid, index, &mut out);
                continue;
            }
            Shape::List(list) => {
                index = items(page, list, index, &mut out);
                continue;
            }
            Shape::Heading(level) => Block::Heading {
                level,
                text: text().replace('\n', " "),
            },
            Shape::Quote => Block::Quote { text: text() },
            Shape::Caption => Block::Caption { text: text() },
            Shape::Paragraph => match page.formula(index) {
                Some(tex) => Block::Formula { tex },
                None => Block::Paragraph { text: text() },
            },
        };
        out.push(block);
        index += 1;
    }
    if let Some(last) = (0..flat.runs.len()).rfind(|&run| page.is_chosen(run)) {
        images.behind(flat, last, &mut out);
    }
    out
}

/// The pictures amid the content, in document order.
struct Images {
    /// From the last to the first.
    left: Vec<ElementIndex>,
}

impl Images {
    /// Pictures between the first and the last chosen run, in the innermost element around all of them;
    /// none where that is the whole page.
    fn of(flat: &FlatDom<'_>, chosen: &[bool]) -> Images {
        let none = Images { left: Vec::new() };
        let first = chosen.iter().position(|&chosen| chosen);
        let last = chosen.iter().rposition(|&chosen| chosen);
        let (Some(first), Some(last)) = (first, last) else {
            return none;
        };
        let (first, last) = (flat.runs[first].owner, flat.runs[last].owner);
        let mut around = flat.ancestors(first).filter(|&at| flat.contains(at, last));
        let Some(around) = around.next() else {
            return none;
        };
        let end = match flat.elements[around as usize].tag {
            Tag::Body | Tag::Html => flat.elements[last as usize].end,
            _ => flat.elements[around as usize].end,
        };
        let is_shown = |at: &ElementIndex| {
            let element = &flat.elements[*at as usize];
            element.tag == Tag::Img && source_of(flat, *at).is_some() && !is_small(flat, *at)
        };
        let mut left: Vec<ElementIndex> = (first..end).filter(is_shown).take(IMAGES_MAX).collect();
        left.reverse();
        Images { left }
    }

    /// Writes the pictures that stand before an element. A picture whose neighbourhood was not chosen
    /// stands in a teaser or an advert: it is left out.
    fn before(&mut self, flat: &FlatDom<'_>, element: ElementIndex, out: &mut Vec<Block>) {
        while let Some(&at) = self
            .left
            .last()
            .filter(|&&at| at < element || flat.contains(element, at))
        {
            self.left.pop();
            let parent = flat.elements[at as usize].parent;
            let near: Vec<ElementIndex> = flat.ancestors(parent).take(4).collect();
            if near.iter().any(|&up| flat.contains(up, element)) {
                out.extend(image(flat, at));
            }
        }
    }

    /// Writes the figures right behind the last chosen run, with nothing but their own captions between
    /// them.
    fn behind(&mut self, flat: &FlatDom<'_>, last: usize, out: &mut Vec<Block>) {
        let mut next_run = last as u32 + 1;
        while let Some(at) = self.left.pop() {
            let is_figure = |at: &ElementIndex| flat.elements[*at as usize].tag == Tag::Figure;
            let Some(figure) = flat.ancestors(at).take(4).find(is_figure) else {
                return;
            };
            // A picture that leads elsewhere there is a teaser or an advert.
            let mut inside = flat.ancestors(at).take_while(|&up| up != figure);
            if inside.any(|up| flat.elements[up as usize].traits.has(Traits::LINK)) {
                return;
            }
            let figure = &flat.elements[figure as usize];
            if figure.first_run > next_run {
                return;
            }
            next_run = next_run.max(figure.end_run);
            out.extend(image(flat, at));
        }
    }
}

fn image(flat: &FlatDom<'_>, at: ElementIndex) -> Option<Block> {
    let alt = flat.elements[at as usize]
        .element
        .attribute(&local_name!("alt"));
    Some(Block::Image {
        source: source_of(flat, at)?.to_owned(),
        alt: crate::whitespace::collapsed(alt.unwrap_or("")),
    })
}

/// Where a picture is loaded from, also where a script loads it later.
fn source_of<'d>(flat: &FlatDom<'d>, at: ElementIndex) -> Option<&'d str> {
    let element = flat.elements[at as usize].element;
    let of = |wanted: &str| {
        let found = element.attrs().find(|(name, _)| *name == wanted);
        let value = found.map(|(_, value)| value.trim());
        value.filter(|value| {
            !value.is_empty() && !value.starts_with("data:") && value.len() <= 2_000
        })
    };
    let names = ["data-src", "data-original", "data-lazy-src", "src"];
    names.into_iter().find_map(of)
}

/// Icons, counters and the pictures that stand for formulas.
fn is_small(flat: &FlatDom<'_>, at: ElementIndex) -> bool {
    let element = flat.elements[at as usize].element;
    let below = |name: &LocalName| {
        let value = element.attribute(name);
        let value: Option<u32> = value.and_then(|value| value.trim_end_matches("px").parse().ok());
        value.is_some_and(|pixels| pixels < 40)
    };
    let class = element.attribute(&local_name!("class")).unwrap_or("");
    let is_sign = ["emoji", "icon", "avatar", "mwe-math", "smiley"]
        .iter()
        .any(|name| class.contains(name));
    is_sign || below(&local_name!("width")) || below(&local_name!("height"))
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

/// One `<pre>`, verbatim. A listing is kept as a whole.
fn code(page: &Parts<'_, '_>, pre: ElementIndex, from: usize, out: &mut Vec<Block>) -> usize {
    let flat = page.flat;
    let id = flat.elements[pre as usize].id;
    let text = verbatim::text_of(page.html, id);
    if !text.is_empty() {
        let language = verbatim::language_of(page.html, id);
        out.push(Block::Code { text, language });
    }
    let mut index = from;
    while index < flat.runs.len() && flat.contains(pre, flat.runs[index].owner) {
        index += 1;
    }
    index.max(from + 1)
}

/// The rows of one table with a chosen cell. Cells that are empty or were not chosen keep their places.
fn table(page: &Parts<'_, '_>, grid: ElementIndex, from: usize, out: &mut Vec<Block>) -> usize {
    let flat = page.flat;
    let mut texts: FxHashMap<ElementIndex, String> = FxHashMap::default();
    let mut index = from;
    while index < flat.runs.len() && flat.contains(grid, flat.runs[index].owner) {
        let at = index;
        index += 1;
        if !page.chosen[at] || texts.len() >= CELLS_MAX {
            continue;
        }
        let (mut cell, mut caption) = (NO_ELEMENT, false);
        for up in flat.ancestors(flat.runs[at].owner) {
            match flat.elements[up as usize].tag {
                // What stands in a table inside a cell is text of this cell.
                Tag::Td | Tag::Th => cell = up,
                Tag::Caption => caption = true,
                _ => {}
            }
            if up == grid {
                break;
            }
        }
        let text = page.text(at).replace('\n', " ");
        if caption || cell == NO_ELEMENT {
            out.push(Block::Caption { text });
            continue;
        }
        let open = texts.entry(cell).or_default();
        if !open.is_empty() {
            open.push(' ');
        }
        open.push_str(&text);
    }
    let made = rows(flat, grid, &texts);
    if made.rows.len() == 1 && made.rows[0].len() == 1 {
        let text = made.rows.concat().concat();
        out.push(Block::Paragraph { text });
    } else if !made.rows.is_empty() {
        out.push(Block::Table {
            head: made.head_rows > 0,
            head_rows: made.head_rows,
            rows: made.rows,
            spans: made.spans,
        });
    }
    index.max(from + 1)
}

/// A table's rows as they are built.
#[derive(Default)]
struct Rows {
    rows: Vec<Vec<String>>,
    head_rows: usize,
    spans: Vec<CellSpan>,
}

fn rows(flat: &FlatDom<'_>, grid: ElementIndex, texts: &FxHashMap<ElementIndex, String>) -> Rows {
    let mut made = Rows::default();
    let end = flat.elements[grid as usize].end;
    let mut at = grid + 1;
    while at < end {
        let row = &flat.elements[at as usize];
        if row.tag != Tag::Tr {
            at += 1;
            continue;
        }
        let is_cell = |cell: &ElementIndex| {
            let element = &flat.elements[*cell as usize];
            matches!(element.tag, Tag::Td | Tag::Th) && element.parent == at
        };
        let cells: Vec<ElementIndex> = (at + 1..row.end).filter(is_cell).collect();
        let in_head = flat.elements[row.parent as usize].element.name.local == local_name!("thead");
        at = row.end;
        if !cells.iter().any(|cell| texts.contains_key(cell)) {
            continue;
        }
        let is_head = in_head
            || cells
                .iter()
                .all(|&cell| flat.elements[cell as usize].tag == Tag::Th);
        if is_head && made.head_rows == made.rows.len() {
            made.head_rows += 1;
        }
        for (number, &cell) in cells.iter().enumerate() {
            let span = |name| span_of(flat, cell, name);
            let (rows, columns) = (span(&local_name!("rowspan")), span(&local_name!("colspan")));
            if rows > 1 || columns > 1 {
                made.spans.push(CellSpan {
                    row: made.rows.len(),
                    cell: number,
                    rows,
                    columns,
                });
            }
        }
        let cells = cells
            .iter()
            .map(|cell| texts.get(cell).cloned().unwrap_or_default());
        made.rows.push(cells.collect());
    }
    made
}

/// How many rows or columns a cell takes; a hostile page asks for millions.
fn span_of(flat: &FlatDom<'_>, cell: ElementIndex, name: &LocalName) -> usize {
    const SPAN_MAX: usize = 100;
    let value = flat.elements[cell as usize].element.attribute(name);
    let value = value.and_then(|value| value.trim().parse().ok());
    value.unwrap_or(1).clamp(1, SPAN_MAX)
}

/// The chosen items of one list, up to where something else begins.
fn items(page: &Parts<'_, '_>, list: ElementIndex, from: usize, out: &mut Vec<Block>) -> usize {
    let flat = page.flat;
    let mut items: Vec<ListItem> = Vec::new();
    let mut last = NO_ELEMENT;
    let mut index = from;
    while index < flat.runs.len() && flat.contains(list, flat.runs[index].owner) {
        if !page.is_chosen(index) {
            index += 1;
            continue;
        }
        if Shape::of(flat, index) != Shape::List(list) {
            break;
        }
        let mut item = NO_ELEMENT;
        let mut depth: u8 = 0;
        let mut own = list;
        for up in flat.ancestors(flat.runs[index].owner) {
            if up == list {
                break;
            }
            match flat.elements[up as usize].tag {
                Tag::Li if item == NO_ELEMENT => item = up,
                Tag::Ul | Tag::Ol => {
                    own = if own == list { up } else { own };
                    depth = depth.saturating_add(1);
                }
                _ => {}
            }
        }
        let text = &page.text(index);
        if item == last
            && let Some(open) = items.last_mut()
        {
            open.text.push('\n');
            open.text.push_str(text);
        } else {
            items.push(ListItem {
                depth,
                ordered: flat.elements[own as usize].tag == Tag::Ol,
                text: text.clone().into_owned(),
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
        assemble(&html, &flat, &texts, &chosen).blocks
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
    fn formulas_of_the_text_are_those_that_the_page_marks_or_has_a_program_for() {
        let formulas = |head: &str, text: &str| {
            let html = format!("{head}<p>so {text} holds, and $src_dir/*.txt costs $5 and $6");
            let html = scraper::Html::parse_document(&html);
            let flat = FlatDom::of(&html);
            let texts: Vec<String> = flat.runs.iter().map(|run| flat.run_text(run)).collect();
            assemble(&html, &flat, &texts, &vec![true; texts.len()]).formulas
        };
        let math = "<math><msub><mi>x</mi><mn>1</mn></msub></math>";
        assert_eq!(formulas("", math), ["x_{1}"]);
        assert_eq!(formulas("", "$x_{1}$"), [""; 0]);
        for program in [
            "<script src=https://a.example/mathjax@3/tex-mml-chtml.js></script>",
            "<script>renderMathInElement(document.body)</script>",
            "<script type=module>import set from '/lib/katex/auto.mjs'</script>",
            "<script>load('https://a.example/mathjax@3/tex.js')</script>",
            "<script src=/js/math.min.js></script>",
            "<link rel=stylesheet href=https://a.example/katex.min.css>",
        ] {
            let found = formulas(program, "$x_{1}$");
            assert_eq!(found[0], "x_{1}");
        }
        for other in [
            "<script>x = 1</script>",
            "<script type=application/ld+json>{\"about\": \"KaTeX\"}</script>",
            "<script src=/js/aftermath.js></script>",
        ] {
            assert_eq!(formulas(other, "$x_{1}$"), [""; 0]);
        }
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
                head: true,
                head_rows: 1,
                spans: Vec::new(),
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
