//! Blocks as HTML: plain markup, escaped, without attributes but those that structure needs.

use crate::blocks::{Block, CellSpan, ListItem, is_web_source};

/// The blocks as HTML, one element for each.
pub fn html(blocks: &[Block]) -> String {
    let mut out = String::new();
    let mut blocks = blocks.iter().peekable();
    while let Some(block) = blocks.next() {
        match block {
            Block::Heading { level, text } => {
                element(&mut out, &format!("h{}", level.clamp(&1, &6)), text)
            }
            Block::Paragraph { text } => element(&mut out, "p", text),
            Block::Quote { text } => {
                out.push_str("<blockquote>");
                element(&mut out, "p", text);
                // The end of a quotation stands after its last paragraph.
                while let Some(Block::Quote { text }) = blocks.peek() {
                    element(&mut out, "p", text);
                    blocks.next();
                }
                out.push_str("</blockquote>\n");
            }
            Block::Caption { text } => element(&mut out, "figcaption", text),
            Block::Image { source, alt } => {
                let source = match is_web_source(source) {
                    true => format!(" src=\"{}\"", escaped(source)),
                    false => String::new(),
                };
                out.push_str(&format!("<img{source} alt=\"{}\">\n", escaped(alt)));
            }
            Block::Formula { tex } => {
                out.push_str(&format!(
                    "<p class=\"math display\">\\[{}\\]</p>\n",
                    escaped(tex)
                ));
            }
            Block::Code { text, language } => {
                let class = match language.is_empty() {
                    true => String::new(),
                    false => format!(" class=\"language-{}\"", escaped(language)),
                };
                out.push_str(&format!(
                    "<pre><code{class}>{}</code></pre>\n",
                    escaped(text)
                ));
            }
            Block::List { items, .. } => list(&mut out, items),
            Block::Table {
                rows,
                head_rows,
                spans,
                ..
            } => table(&mut out, rows, *head_rows, spans),
        }
    }
    out
}

fn element(out: &mut String, name: &str, text: &str) {
    let text = escaped(text).replace('\n', "<br>");
    out.push_str(&format!("<{name}>{text}</{name}>\n"));
}

fn list(out: &mut String, items: &[ListItem]) {
    // The lists that are open, the outermost first.
    let mut open: Vec<&str> = Vec::new();
    for item in items {
        let name = if item.ordered { "ol" } else { "ul" };
        let depth = usize::from(item.depth) + 1;
        while open.len() > depth {
            close(out, &mut open);
        }
        if open.len() == depth {
            if open.last() == Some(&name) {
                out.push_str("</li>");
            } else {
                close(out, &mut open);
            }
        }
        while open.len() < depth {
            out.push_str(&format!("<{name}>"));
            open.push(name);
            if open.len() < depth {
                out.push_str("<li>");
            }
        }
        out.push_str(&format!(
            "<li>{}",
            escaped(&item.text).replace('\n', "<br>")
        ));
    }
    while !open.is_empty() {
        close(out, &mut open);
    }
    out.push('\n');
}

fn close(out: &mut String, open: &mut Vec<&str>) {
    if let Some(name) = open.pop() {
        out.push_str(&format!("</li></{name}>"));
    }
}

fn table(out: &mut String, rows: &[Vec<String>], head_rows: usize, spans: &[CellSpan]) {
    let mut spans = spans.iter().peekable();
    out.push_str("<table>\n");
    for (at, row) in rows.iter().enumerate() {
        let name = if at < head_rows { "th" } else { "td" };
        out.push_str("<tr>");
        for (number, cell) in row.iter().enumerate() {
            let mut attributes = String::new();
            if let Some(span) = spans.next_if(|span| span.row == at && span.cell == number) {
                if span.rows > 1 {
                    attributes.push_str(&format!(" rowspan=\"{}\"", span.rows));
                }
                if span.columns > 1 {
                    attributes.push_str(&format!(" colspan=\"{}\"", span.columns));
                }
            }
            out.push_str(&format!("<{name}{attributes}>{}</{name}>", escaped(cell)));
        }
        out.push_str("</tr>\n");
    }
    out.push_str("</table>\n");
}

fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for char in text.chars() {
        match char {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            char => out.push(char),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_of_a_page_cannot_become_markup() {
        let blocks = [
            Block::Code {
                text: "</code><script>".into(),
                language: "\"><b>".into(),
            },
            Block::Image {
                source: "x\" onerror=\"y".into(),
                alt: "<b>".into(),
            },
            Block::Formula { tex: "a<b".into() },
            Block::Image {
                source: "javascript:alert(1)".into(),
                alt: "seen".into(),
            },
        ];
        let html = html(&blocks);
        assert!(
            !html.contains("<script") && !html.contains("<b>") && !html.contains("onerror=\"y"),
            "{html}"
        );
        assert!(html.contains("<img alt=\"seen\">"), "{html}");
    }

    #[test]
    fn lists_of_two_kinds_nest() {
        let item = |depth, ordered, text: &str| ListItem {
            depth,
            ordered,
            text: text.into(),
        };
        let items = vec![
            item(0, true, "a"),
            item(1, false, "b"),
            item(1, false, "c"),
            item(0, true, "d"),
        ];
        let blocks = [Block::List {
            ordered: true,
            items,
        }];
        assert_eq!(
            html(&blocks),
            "<ol><li>a<ul><li>b</li><li>c</li></ul></li><li>d</li></ol>\n"
        );
    }
}
