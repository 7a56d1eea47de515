//! Structure is kept: tables, code, lists and formulas of made-up pages, scored against what was put
//! in.
//!
//! The pages are articles; each has a few sentences before and after its piece of structure, so the
//! piece must be found to be content as well. The markup follows that of sites and programs that
//! readers meet: GitHub, Hexo, Sphinx, Rouge, Docusaurus, MediaWiki, WordPress, KaTeX, LaTeXML.

#[path = "structure/pages.rs"]
mod pages;

use std::collections::HashMap;

use extractor::{Block, Page, PageContext, extract};
use url::Url;

fn read(html: &str) -> Page {
    let url = Url::parse("https://www.example.com/docs/bridge").expect("a URL");
    extract(html, &PageContext::new(&url))
}

/// Matches of two lists of things, as precision and recall count them.
#[derive(Debug, Default)]
struct Matches {
    right: usize,
    wanted: usize,
    found: usize,
}

impl Matches {
    fn add<T: std::hash::Hash + Eq>(&mut self, wanted: Vec<T>, found: Vec<T>) {
        let mut left: HashMap<T, usize> = HashMap::new();
        self.wanted += wanted.len();
        self.found += found.len();
        for thing in wanted {
            *left.entry(thing).or_default() += 1;
        }
        for thing in found {
            if let Some(n) = left.get_mut(&thing).filter(|n| **n > 0) {
                *n -= 1;
                self.right += 1;
            }
        }
    }

    fn f1(&self) -> f64 {
        2.0 * self.right as f64 / (self.wanted + self.found).max(1) as f64
    }
}

/// Cells with their row, number and span; that of a table kept elsewhere on the page is not right.
#[test]
fn table_cells_keep_their_places() {
    let mut matches = Matches::default();
    let (mut pages, mut heads) = (0, 0);
    for table in pages::tables() {
        let page = read(&table.html);
        let cells = |rows: &[Vec<String>], span: &dyn Fn(usize, usize) -> (usize, usize)| {
            let mut cells = Vec::new();
            for (row, texts) in rows.iter().enumerate() {
                for (number, text) in texts.iter().enumerate() {
                    cells.push((row, number, span(row, number), text.clone()));
                }
            }
            cells
        };
        let wanted = cells(&table.rows, &|row, cell| {
            let spans = table.spans.iter();
            let mut own = spans.filter(|span| (span.0, span.1) == (row, cell));
            own.next().map_or((1, 1), |span| (span.2, span.3))
        });
        let found = page.blocks.iter().find_map(|block| match block {
            Block::Table {
                rows,
                spans,
                head_rows,
                ..
            } => {
                heads += usize::from(*head_rows == table.head_rows);
                let span_of = |row, cell| {
                    let own = spans
                        .iter()
                        .find(|span| (span.row, span.cell) == (row, cell));
                    own.map_or((1, 1), |span| (span.rows, span.columns))
                };
                Some(cells(rows, &span_of))
            }
            _ => None,
        });
        matches.add(wanted, found.unwrap_or_default());
        pages += 1;
    }
    println!(
        "{pages} tables: cells F1 {:.3}, heads right {heads}; {matches:?}",
        matches.f1()
    );
    assert!(pages >= 200);
    assert!(matches.f1() >= 0.95, "{:.3}", matches.f1());
    assert!(heads * 20 >= pages * 19, "{heads} of {pages}");
}

#[test]
fn code_is_kept_to_the_character_with_its_language() {
    let (mut pages, mut exact, mut languages, mut named) = (0, 0, 0, 0);
    let mut missed = Vec::new();
    for code in pages::codes() {
        let page = read(&code.html);
        let found = page.blocks.iter().find_map(|block| match block {
            Block::Code { text, language } => Some((text.clone(), language.clone())),
            _ => None,
        });
        pages += 1;
        let (text, language) = found.unwrap_or_default();
        match text == code.text {
            true => exact += 1,
            false => missed.push(format!("{}: {text:?} for {:?}", code.style, code.text)),
        }
        if !code.language.is_empty() {
            named += 1;
            languages += usize::from(language == code.language);
        }
    }
    println!("{pages} listings: {exact} exact; language right on {languages} of {named}");
    missed.truncate(3);
    assert!(pages >= 300);
    assert!(exact * 100 >= pages * 98, "{exact} of {pages}: {missed:#?}");
    assert!(languages * 100 >= named * 95, "{languages} of {named}");
}

#[test]
fn list_items_keep_their_depth_and_kind() {
    let mut matches = Matches::default();
    let mut pages = 0;
    for list in pages::lists() {
        let page = read(&list.html);
        let mut found = Vec::new();
        for block in &page.blocks {
            if let Block::List { items, .. } = block {
                let items = items.iter();
                found.extend(items.map(|item| (item.depth, item.ordered, item.text.clone())));
            }
        }
        matches.add(list.items, found);
        pages += 1;
    }
    println!(
        "{pages} lists: items with depth and kind F1 {:.3}; {matches:?}",
        matches.f1()
    );
    assert!(pages >= 100);
    assert!(matches.f1() >= 0.95, "{:.3}", matches.f1());
}

#[test]
fn formulas_keep_their_source() {
    let mut matches = Matches::default();
    let mut pages = 0;
    for formula in pages::formulas() {
        let page = read(&formula.html);
        let bare = |tex: &str| tex.split_whitespace().collect::<String>();
        let found = page.blocks.iter().find_map(|block| match block {
            Block::Formula { tex } => Some(tex.clone()),
            Block::Paragraph { text } => {
                let inside = text.split_once('$')?.1.rsplit_once('$')?.0;
                Some(inside.to_owned())
            }
            _ => None,
        });
        matches.add(
            vec![bare(&formula.tex)],
            found.iter().map(|tex| bare(tex)).collect(),
        );
        pages += 1;
    }
    println!("{pages} formulas: F1 {:.3}; {matches:?}", matches.f1());
    assert!(pages >= 50);
    assert!(matches.f1() >= 0.95, "{:.3}", matches.f1());
}

/// Pictures with their captions, quotations, and the forms that the blocks are written in.
#[test]
fn markdown_and_html_have_the_structure() {
    let page = read(&pages::article(
        "<h2>The arch</h2><figure><img src=/arch.jpg width=800 alt='The arch'><figcaption>The middle arch on \
         Thursday evening, some hours before the flood took it, and the inn.</figcaption></figure><blockquote><p>Nobody was hurt, and that is what \
         counts for the town.</p><p>The rest, said the mayor, can be built again.</p></blockquote>\
         <table><tr><th>Year<th>Water<tr><td rowspan=2>1920<td>4.1 m<tr><td>4.3 m</table>\
         <ol><li>Close the road<ul><li>at the inn</ul><li>Call the engineer</ol>\
         <pre><code class=language-rust>fn arch() {\n\n    gone();\n}</code></pre>",
    ));
    let markdown = page.markdown();
    for part in [
        "## The arch",
        "![The arch](/arch.jpg)",
        "*The middle arch on Thursday evening, some hours before the flood took it, and the inn.*",
        "> Nobody was hurt",
        "| Year | Water |\n| --- | --- |\n| 1920 | 4.1 m |\n|  | 4.3 m |",
        "1. Close the road\n   - at the inn\n2. Call the engineer",
        "```rust\nfn arch() {\n\n    gone();\n}\n```",
    ] {
        assert!(markdown.contains(part), "{part:?} in {markdown}");
    }
    let html = page.html();
    for part in [
        "<h2>The arch</h2>",
        "<img src=\"/arch.jpg\" alt=\"The arch\">",
        "<tr><th>Year</th><th>Water</th></tr>\n<tr><td rowspan=\"2\">1920</td><td>4.1 m</td></tr>",
        "<ol><li>Close the road<ul><li>at the inn</li></ul></li><li>Call the engineer</li></ol>",
        "<pre><code class=\"language-rust\">fn arch() {\n\n    gone();\n}</code></pre>",
    ] {
        assert!(html.contains(part), "{part:?} in {html}");
    }
}
