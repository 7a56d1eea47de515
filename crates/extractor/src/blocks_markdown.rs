//! Blocks as Markdown: CommonMark with pipe tables. Words of the page stay words: see [`markdown_text`].

use crate::blocks::{Block, CellSpan, ListItem, is_web_source};
use crate::markdown_text::{self, Formulas, Place, escaped};

/// Lists are indented no deeper.
const LIST_DEPTH_MAX: u8 = 8;
/// Columns of an expanded table.
const COLUMNS_MAX: usize = 1_000;

/// The blocks as Markdown; `formulas` is the TeX that stands in their text between dollars.
pub fn markdown(blocks: &[Block], formulas: &[String]) -> String {
    let formulas = &formulas.iter().map(String::as_str).collect();
    let escaped = |text: &str, place: Place| escaped(text, place, formulas);
    let mut out = String::new();
    for block in blocks {
        let part = match block {
            Block::Heading { level, text } => {
                let marks = "#".repeat(usize::from((*level).clamp(1, 6)));
                around(&format!("{marks} "), &escaped(text, Place::Heading), "")
            }
            Block::Paragraph { text } => paragraph(text, formulas),
            Block::Quote { text } => prefixed("> ", &escaped(text, Place::Lines)),
            Block::Caption { text } => around("*", &escaped(text, Place::Emphasis), "*"),
            Block::Code { text, language } => fenced(text, language),
            Block::Formula { tex } => markdown_text::display(tex),
            Block::Image { source, alt } => picture(source, alt),
            Block::List { items, .. } => list(items, formulas),
            Block::Table {
                rows, head, spans, ..
            } => pipe_table(&expanded(rows, spans), *head, formulas),
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

/// The lines are those that the page asked for.
fn paragraph(text: &str, formulas: &Formulas<'_>) -> String {
    escaped(text, Place::Lines, formulas).replace('\n', "  \n")
}

/// The text between two marks; nothing where there is none.
fn around(before: &str, text: &str, after: &str) -> String {
    match text.is_empty() {
        true => String::new(),
        false => format!("{before}{text}{after}"),
    }
}

/// A picture, or only what stands for it where its address is not one of the web.
fn picture(source: &str, alt: &str) -> String {
    if !is_web_source(source) {
        return paragraph(alt, &Formulas::default());
    }
    let alt = escaped(alt, Place::Brackets, &Formulas::default());
    let mut address = String::with_capacity(source.len());
    for (at, c) in source.char_indices() {
        match c {
            '<' => address.push_str("%3C"),
            '>' => address.push_str("%3E"),
            '\\' => address.push_str("\\\\"),
            '&' if markdown_text::is_entity(&source[at + 1..]) => address.push_str("\\&"),
            c if c.is_control() => {}
            c => address.push(c),
        }
    }
    let is_bare = |byte: u8| byte.is_ascii_graphic() && !b"()".contains(&byte);
    match !address.is_empty() && address.bytes().all(is_bare) {
        true => format!("![{alt}]({address})"),
        false => format!("![{alt}](<{address}>)"),
    }
}

/// A list that is open while its items are written.
struct OpenList {
    is_ordered: bool,
    /// The number of its last item.
    number: usize,
    /// Columns of that item's mark.
    columns: usize,
}

/// A list, its items numbered where their own list is; nested ones are indented below the text of the
/// item above.
fn list(items: &[ListItem], formulas: &Formulas<'_>) -> String {
    let mut out = String::new();
    let mut open: Vec<OpenList> = Vec::new();
    for item in items {
        // A list stands in an item of the one around it.
        let depth = usize::from(item.depth.min(LIST_DEPTH_MAX)).min(open.len());
        let indent: usize = open[..depth].iter().map(|list| list.columns).sum();
        let same = open
            .get(depth)
            .filter(|list| list.is_ordered == item.ordered);
        let number = same.map_or(0, |list| list.number) + 1;
        let mark = match item.ordered {
            true => format!("{number}. "),
            false => "- ".to_owned(),
        };
        open.truncate(depth);
        open.push(OpenList {
            is_ordered: item.ordered,
            number,
            columns: mark.len(),
        });
        if !out.is_empty() {
            out.push('\n');
        }
        out.push_str(&" ".repeat(indent));
        out.push_str(&mark);
        out.push_str(&escaped(&item.text, Place::Item, formulas));
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
    // What follows a fence is one word of those that no parser takes apart.
    let is_named = |c: char| c.is_alphanumeric() || "+-#._".contains(c);
    let language = if language.chars().all(is_named) {
        language
    } else {
        ""
    };
    format!(
        "{fence}{language}\n{}\n{fence}",
        text.trim_end_matches('\n')
    )
}

/// A table of more cells, those that rows lack included, is written without them.
const FILLED_MAX: usize = 65_536;

fn pipe_table(rows: &[Vec<String>], head: bool, formulas: &Formulas<'_>) -> String {
    let columns = rows.iter().map(Vec::len).max().unwrap_or(0);
    if columns == 0 {
        return String::new();
    }
    // A row may have fewer cells than the first one (GFM 4.10), which it is written with where they are few.
    let is_filled = rows.len().saturating_mul(columns) <= FILLED_MAX;
    let line = |row: &[String], columns: usize| {
        let mut out = String::from("|");
        for column in 0..columns {
            let cell = row.get(column).map_or("", String::as_str);
            out.push(' ');
            out.push_str(&escaped(cell, Place::Cell, formulas));
            out.push_str(" |");
        }
        out
    };
    let mut lines = Vec::with_capacity(rows.len() + 2);
    let body = if head {
        lines.push(line(&rows[0], columns));
        &rows[1..]
    } else {
        lines.push(line(&[], columns));
        rows
    };
    lines.push(format!("|{}", " --- |".repeat(columns)));
    lines.extend(body.iter().map(|row| {
        let width = if is_filled { columns } else { row.len().max(1) };
        line(row, width)
    }));
    lines.join("\n")
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use pulldown_cmark::{Event, Options, Parser, Tag, TagEnd};

    use super::*;

    fn markdown(blocks: &[Block]) -> String {
        super::markdown(blocks, &[])
    }

    fn paragraph(text: &str) -> Block {
        Block::Paragraph { text: text.into() }
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
    fn one_row_of_many_columns_does_not_widen_all_others() {
        let mut rows = vec![vec!["a".to_owned(); 1_000]];
        rows.extend(vec![vec!["b".to_owned()]; 200]);
        let table = Block::Table {
            rows,
            head: true,
            head_rows: 1,
            spans: Vec::new(),
        };
        let written = markdown(&[table]);
        assert!(written.len() < 20_000, "{}", written.len());
        let parser = Parser::new_ext(&written, Options::ENABLE_TABLES);
        let rows = parser.filter(|event| matches!(event, Event::Start(Tag::TableRow)));
        assert_eq!(rows.count(), 200);
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

    /// What a reader of the Markdown finds: its words, and what kinds of things it has beside paragraphs.
    fn read(markdown: &str) -> (Vec<String>, Vec<&'static str>) {
        let options = Options::ENABLE_TABLES
            | Options::ENABLE_STRIKETHROUGH
            | Options::ENABLE_TASKLISTS
            | Options::ENABLE_FOOTNOTES;
        let mut text = String::new();
        let mut kinds = Vec::new();
        for event in Parser::new_ext(markdown, options) {
            match event {
                Event::Text(part) => text.push_str(&part),
                Event::SoftBreak | Event::HardBreak => text.push('\n'),
                Event::End(end) => match end {
                    TagEnd::Emphasis | TagEnd::Strong | TagEnd::Strikethrough | TagEnd::Link => {}
                    _ => text.push('\n'),
                },
                Event::Start(tag) => {
                    // An item's own text ends where a list within it begins.
                    text.push_str(if matches!(tag, Tag::List(_)) {
                        "\n"
                    } else {
                        ""
                    });
                    kinds.extend(match tag {
                        Tag::Paragraph | Tag::TableHead | Tag::TableRow | Tag::List(_) => None,
                        Tag::Heading { .. } => Some("heading"),
                        Tag::BlockQuote(_) => Some("quote"),
                        Tag::CodeBlock(_) => Some("code"),
                        Tag::Item => Some("item"),
                        Tag::Table(_) => Some("table"),
                        Tag::TableCell => Some("cell"),
                        Tag::Emphasis => Some("emphasis"),
                        Tag::Image { .. } => Some("image"),
                        _ => Some("other markup"),
                    });
                }
                Event::Code(_) | Event::Html(_) | Event::InlineHtml(_) | Event::Rule => {
                    kinds.push("other markup");
                }
                _ => kinds.push("other markup"),
            }
        }
        let words = text.split_whitespace().map(str::to_owned).collect();
        (words, kinds)
    }

    /// Each place in which a text may stand, with the kinds that a reader finds of it.
    fn places(text: &str) -> Vec<(Block, Vec<&'static str>)> {
        let text = || text.to_owned();
        let item = |depth| ListItem {
            depth,
            ordered: depth == 1,
            text: text(),
        };
        let table = Block::Table {
            rows: vec![vec![text(), text()], vec![text(), text()]],
            head: true,
            head_rows: 1,
            spans: Vec::new(),
        };
        let heading = Block::Heading {
            level: 2,
            text: text(),
        };
        let list = Block::List {
            ordered: false,
            items: vec![item(0), item(1), item(3), item(0)],
        };
        vec![
            (paragraph(&text()), vec![]),
            (heading, vec!["heading"]),
            (Block::Quote { text: text() }, vec!["quote"]),
            (Block::Caption { text: text() }, vec!["emphasis"]),
            (list, vec!["item"; 4]),
            (table, vec!["table", "cell", "cell", "cell", "cell"]),
        ]
    }

    #[track_caller]
    fn reads_back(text: &str) {
        for (block, kinds) in places(text) {
            let plain = crate::blocks::plain(std::slice::from_ref(&block));
            let plain = match &block {
                Block::Table { rows, .. } => rows.concat().join(" "),
                _ => plain,
            };
            // A block after it and one before it, that nothing runs into.
            let all = [paragraph("before"), block, paragraph("behind")];
            let written = markdown(&all);
            let words = plain.split_whitespace();
            let words = ["before"].into_iter().chain(words).chain(["behind"]);
            let (found, found_kinds) = read(&written);
            assert_eq!(found, words.collect::<Vec<_>>(), "{text:?} as {written}");
            assert_eq!(found_kinds, kinds, "{text:?} as {written}");
        }
    }

    /// Text that would be markup if it were not escaped.
    const HOSTILE: [&str; 38] = [
        "see\n:|\nand :|",
        "Use the <script>alert(1)</script> tag",
        "a Vec<String> of <div>",
        "<img src=x onerror=alert(1)>",
        "<http://a.example/> and <bob@a.example> and <7@b.example>",
        "[x](javascript:alert(1)) ![y](data:text/html,z)",
        "[ref]: javascript:alert(1)",
        "[a] [ref] [ref][] [^1]\n[^1]: note",
        "<!-- a comment",
        "<!-- a comment --> b <? c ?> <![CDATA[d]]>",
        "&lt;script&gt; &#60; &#x3c; &copy; AT&T",
        "# heading\n###### six\n# ",
        "1. one\n2) two\n1986. A year",
        "- minus\n+ plus\n* star\n-\n+",
        "---\n***\n___\n_ _ _\n- - -",
        "a\n---\nb\n===\n=\n-",
        "> quoted",
        "~~~\ncode\n~~~",
        "```\ncode\n```",
        "a `b` ``c`` `d",
        "*a* **b** ***c*** *d",
        "_a_ __b__ _c __init__",
        "~a~ ~~b~~ 10~20, 30~40 ~c",
        "a | b\n--- | ---\n1 | 2",
        "| a |\n|---|\n:-\n:-: | -",
        "\\ \\\\ \\* \\< \\[ a\\",
        "a\\\nb\\|c|",
        "a #\nb ##\n#",
        "[ ] task [x] done",
        "*price*, “*a*”《*b*》*c*。_d_，",
        "*****\n**\n~~\n__",
        "text  \n    indented\n\n\tcode",
        "*a `b* c` <d *e*>f",
        "[*a](b)* ](c) [[d]](e)",
        "a*b*c a_b_c a~b~c *(d)* (*e*)",
        "cp $src_dir/*.txt:$dst_dir/*.bak and $my_dir/<name>/$file",
        "$_a_$ and $\\[b](c)^$, $x_<d>$ $5 $$_e_$$",
        "a~~`~~` 1~~]:~~b",
    ];

    #[test]
    fn a_long_line_costs_a_look_at_each_of_its_signs() {
        // The line's end was sought from every sign of it: two megabytes took minutes.
        let line = "The river rose again, and took [the] old bridge with it. ";
        let line = line.repeat(1 << 15);
        let written = markdown(&[paragraph(&line)]);
        assert_eq!(written.trim_end(), line.trim_end());
    }

    #[test]
    fn text_of_a_page_is_no_markup() {
        HOSTILE.into_iter().for_each(reads_back);
    }

    /// The backslashes of a paragraph, marked.
    #[track_caller]
    fn stays(text: &str) {
        assert_eq!(markdown(&[paragraph(text)]), format!("{text}\n"));
    }

    #[test]
    fn ordinary_prose_stays_as_it_is() {
        for text in [
            "snake_case_names, __init and 3 * 4, a-b, C# and it was in 2019.",
            "1,5 km - 3 * 4 = 12; a < b > c, 5 <= 6, <3",
            "price* and *note, 100~200, AT&T & Q&A, #tag, C:\\temp, it's [12] “so” 😀",
            "《数据库》（第3版）：10~20元，见[3]。——作者",
            "+49 30 1234, -5 °C, 1.5 or 2.0.1, (a) b, 3.\u{a0}Teil, $5 and $10",
            "foo@a.example, https://a.example/a_b?c=d&e=f#g",
            "fn main() -> Result<(), u8>; a::b; {x: [1, 2]}; one `",
        ] {
            stays(text);
        }
        let written = |text| markdown(&[paragraph(text)]);
        assert_eq!(written("2019. It"), "2019\\. It\n");
        assert_eq!(written("a Vec<String>"), "a Vec\\<String>\n");
        assert_eq!(written("see [x](y) and [z]"), "see [x\\](y) and [z]\n");
        assert_eq!(written("an *apt* word"), "an \\*apt* word\n");
        assert_eq!(written("in __init__.py"), "in \\_\\_init__.py\n");
        assert_eq!(written("`ls` it"), "\\`ls` it\n");
        let caption = Block::Caption {
            text: "A 3*4 *b".into(),
        };
        assert_eq!(markdown(&[caption]), "*A 3\\*4 \\*b*\n");
    }

    #[test]
    fn formulas_stay_tex_and_are_no_tags() {
        let formulas = ["a_{1} \\, \\{b\\}^*", "c^*", "\\a<b>", "_a `b`_"].map(str::to_owned);
        let written = |text: &str| super::markdown(&[paragraph(text)], &formulas);
        let formula = "so $a_{1} \\, \\{b\\}^*$ and $c^*$ hold";
        assert_eq!(written(formula), format!("{formula}\n"));
        assert_eq!(written("it costs $5: $c^*$"), "it costs $5: $c^*$\n");
        assert_eq!(written("$\\a<b>$"), "$\\a< b>$\n");
        // What is none of the page's formulas is text, as is one in which code could begin.
        assert_eq!(
            written("$a_d/*.txt:$b_d/*.bak or $my_dir/<name>/$c"),
            "$a_d/\\*.txt:$b_d/*.bak or $my_dir/\\<name>/$c\n"
        );
        assert_eq!(written("$_a `b`_$"), "$\\_a \\`b`_$\n");
        let tex = "\\frac{a}{b}\n\n- c<d>\n```\n&lt;\n[x]: y";
        assert_eq!(
            markdown(&[Block::Formula { tex: tex.into() }]),
            "$$\n\\frac{a}{b} - c< d> ```\n& lt;\n[x] : y\n$$\n"
        );
    }

    #[test]
    fn a_picture_has_an_address_of_the_web_or_none() {
        let image = |source: &str| {
            markdown(&[Block::Image {
                source: source.into(),
                alt: "an [arch] <b>".into(),
            }])
        };
        for source in [
            "javascript:alert(1)",
            " JavaScript:x",
            "java\nscript:x",
            "data:,x",
            "file:///a",
        ] {
            assert_eq!(image(source), "an [arch] \\<b>\n", "{source}");
        }
        for (source, written) in [
            ("/a.jpg", "/a.jpg"),
            ("//b.example/a.jpg?b=c&d=e", "//b.example/a.jpg?b=c&d=e"),
            ("https://b.example/a(1).jpg", "<https://b.example/a(1).jpg>"),
            ("a b>.jpg", "<a b%3E.jpg>"),
            ("a.jpg?x&copy;\\", "a.jpg?x\\&copy;\\\\"),
        ] {
            let (alt, address) = ("an \\[arch\\] \\<b>", written);
            assert_eq!(image(source), format!("![{alt}]({address})\n"));
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(512))]

        #[test]
        fn any_text_reads_back(text in "a?[-a1 .#>*_~`|\\\\\\[\\]()<!&;:=+x/$^数。\n]{0,24}b?") {
            reads_any(&text);
        }

        #[test]
        fn any_marks_read_back(parts in prop::collection::vec(prop::sample::select(&MARKS[..]), 1..9)) {
            reads_any(&parts.concat());
        }
    }

    const MARKS: [&str; 47] = [
        "*", "**", "_", "__", "~", "~~", "~~~", "`", "```", "<", "</", "<!--", "-->", "<b>", "[",
        "]", "](", "![", "[^1]", "]:", "&lt;", "&#60;", "\\", "|", "\n", "\n", "# ", "> ", "- ",
        "1. ", "2) ", "---", "===", "|-|-|", " ", " ", "a", "b", "1", "数据", "，", "《", "@", ".",
        "$", "$_", "^$",
    ];

    /// As [`reads_back`], of texts that have something to read.
    fn reads_any(text: &str) {
        if !text.trim().is_empty() {
            reads_back(text);
        }
    }
}
