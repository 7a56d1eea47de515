//! The numbers of lines beside a listing, which no reader takes for text.

use ego_tree::NodeRef;
use html5ever::{LocalName, local_name};
use scraper::Node;

use crate::class_hints::{Hint, Hints};
use crate::dom::Attributes;

/// The elements around one that are looked at.
const AROUND_MAX: usize = 4;

/// Digits of a line's number.
const DIGITS_MAX: usize = 7;

/// Whether an element holds the numbers of lines: the gutter of a listing, or one line's.
pub(crate) fn are_numbers(node: NodeRef<'_, Node>, hints: Hints) -> bool {
    hints.has(Hint::LineNumbers) && has_only_numbers(node) || is_anchor(node)
}

/// Whether the text below a node is numbers and blanks.
pub(crate) fn has_only_numbers(node: NodeRef<'_, Node>) -> bool {
    node.descendants().all(|below| match below.value() {
        Node::Text(text) => text
            .chars()
            .all(|c| c.is_ascii_digit() || c.is_whitespace()),
        Node::Document | Node::Fragment | Node::Element(_) => true,
        Node::Doctype(_) | Node::Comment(_) | Node::ProcessingInstruction(_) => true,
    })
}

/// Whether an element is the number of a line by which others link to that line: an anchor with a number alone at the
/// beginning of its line, whose name is that number in a listing, or that of a line anywhere (`<a name="L12">12</a>`). It is no link
/// (LXR), or one to itself or to the cell around it (gitweb, Trac, OpenGrok). Other numbers that link to themselves are those of
/// sections, verses and years: they stand in headings, paragraphs and items, or, in a listing, are not one more than the
/// number before.
pub(crate) fn is_anchor(node: NodeRef<'_, Node>) -> bool {
    let Some(element) = node.value().as_element() else {
        return false;
    };
    if element.name.local != local_name!("a") {
        return false;
    }
    let around = || {
        let elements = node
            .ancestors()
            .filter_map(|above| above.value().as_element());
        elements.take(AROUND_MAX)
    };
    let name = [local_name!("id"), local_name!("name")]
        .iter()
        .find_map(|name| element.attribute(name))
        .or_else(|| around().next()?.attribute(&local_name!("id")));
    let Some(name) = name.filter(|name| name.ends_with(|last: char| last.is_ascii_digit())) else {
        return false;
    };
    let is_in_listing = || around().any(|above| above.name.local == local_name!("pre"));
    let is_to_itself = match element.attribute(&local_name!("href")) {
        Some(href) => href.strip_prefix('#') == Some(name),
        None => is_in_listing(),
    };
    let is_of_line =
        || is_line(name) || is_in_listing() && name.bytes().all(|b| b.is_ascii_digit());
    let is_in_prose = || around().any(|above| is_prose(&above.name.local));
    is_to_itself
        && is_of_line()
        && is_number(node, name)
        && stands_alone(node)
        && !is_in_prose()
        && (!is_in_listing() || counts_on(node))
}

/// Whether an element is a paragraph, an item or a heading.
fn is_prose(tag: &LocalName) -> bool {
    [
        local_name!("p"),
        local_name!("li"),
        local_name!("dd"),
        local_name!("dt"),
        local_name!("h1"),
        local_name!("h2"),
        local_name!("h3"),
        local_name!("h4"),
        local_name!("h5"),
        local_name!("h6"),
    ]
    .contains(tag)
}

/// Whether a number is one of three or more that follow one another, or the first of all.
fn counts_on(node: NodeRef<'_, Node>) -> bool {
    const RUN_MIN: usize = 3;
    let Some(number) = number_of(node) else {
        return false;
    };
    let run = |is_next: bool| {
        let mut at = node;
        let mut last = number;
        let mut count = 0;
        while count < RUN_MIN - 1
            && let Some((beside, of_it)) = beside(at, is_next)
        {
            let (low, high) = if is_next {
                (last, of_it)
            } else {
                (of_it, last)
            };
            if low.checked_add(1) != Some(high) {
                return (count, true);
            }
            (at, last) = (beside, of_it);
            count += 1;
        }
        (count, false)
    };
    let ((before, breaks_before), (behind, breaks_behind)) = (run(false), run(true));
    let is_short_file = before as u32 + 1 == number && !breaks_before && !breaks_behind;
    before + behind + 1 >= RUN_MIN || is_short_file
}

/// The next number in an anchor beside a node, or the one before it; each may stand in an element of its line.
fn beside<'a>(node: NodeRef<'a, Node>, is_next: bool) -> Option<(NodeRef<'a, Node>, u32)> {
    const SIBLINGS_MAX: usize = 256;
    const WITHIN_MAX: usize = 4;
    let of = |node: NodeRef<'a, Node>| Some((node, number_of(node)?));
    [Some(node), node.parent()]
        .into_iter()
        .flatten()
        .find_map(|from| {
            let siblings =
                std::iter::successors(sibling(from, is_next), |at| sibling(*at, is_next));
            let within = |beside: NodeRef<'a, Node>| beside.descendants().take(WITHIN_MAX);
            siblings.take(SIBLINGS_MAX).flat_map(within).find_map(of)
        })
}

fn sibling(node: NodeRef<'_, Node>, is_next: bool) -> Option<NodeRef<'_, Node>> {
    if is_next {
        node.next_sibling()
    } else {
        node.prev_sibling()
    }
}

/// The number that an anchor holds and nothing else.
fn number_of(node: NodeRef<'_, Node>) -> Option<u32> {
    let element = node.value().as_element()?;
    if element.name.local != local_name!("a") {
        return None;
    }
    node.first_child()?.value().as_text()?.trim().parse().ok()
}

/// Whether a name is that of a line: `L12`, `l012`, `line-12`.
fn is_line(name: &str) -> bool {
    let letters = name.trim_end_matches(|c: char| c.is_ascii_digit());
    let letters = letters.trim_end_matches(['-', '_']);
    ["l", "lc", "line"]
        .iter()
        .any(|line| letters.eq_ignore_ascii_case(line))
}

/// Whether nothing stands before a node in its line, and no mark behind it that makes a sentence or a list of it.
fn stands_alone(node: NodeRef<'_, Node>) -> bool {
    let text = |node: Option<NodeRef<'_, Node>>| {
        let text = node.and_then(|node| Some(node.value().as_text()?.to_string()));
        text.unwrap_or_default()
    };
    let (before, behind) = (text(node.prev_sibling()), text(node.next_sibling()));
    let line = before.rsplit('\n').next().unwrap_or_default();
    line.trim().is_empty() && !behind.starts_with(['.', ',', ';', ':', ']', ')'])
}

/// Whether a node holds nothing but the number that `name` ends in.
fn is_number(node: NodeRef<'_, Node>, name: &str) -> bool {
    let mut texts = node.children().map(|child| child.value().as_text());
    let (Some(Some(text)), None) = (texts.next(), texts.next()) else {
        return false;
    };
    let digits = text.trim();
    let is_short = (1..=DIGITS_MAX).contains(&digits.len());
    is_short && digits.bytes().all(|byte| byte.is_ascii_digit()) && name.ends_with(digits)
}

#[cfg(test)]
mod tests {
    use crate::{PageContext, extract};

    fn text(page: &str) -> String {
        let url = url::Url::parse("https://a.example/blob/f.txt").unwrap();
        extract(page, &PageContext::new(&url)).text
    }

    #[test]
    fn anchors_that_number_lines_are_none_of_the_text() {
        let line = |n: usize| {
            format!(
                "a line of this text, the one that is called by {}",
                "abcdefghijkl".chars().nth(n).unwrap()
            )
        };
        let viewers: [fn(usize, &str) -> String; 4] = [
            |n, line| {
                format!("<div class=pre><a id=l{n} href=#l{n} class=linenr>   {n}</a> {line}</div>")
            },
            |n, line| {
                format!(
                    "<table><tr><th id=L{n}><a href=#L{n}>{n}</a></th><td>{line}</td></tr></table>"
                )
            },
            |n, line| format!("<pre><a class=fline name=L00{n}>00{n}</a> {line}\n</pre>"),
            |n, line| format!("<pre><a class=l name={n} href=#{n}>{n}</a>{line}\n</pre>"),
        ];
        for viewer in viewers {
            let lines: String = (1..10).map(|n| viewer(n, &line(n))).collect();
            let found = text(&format!("<title>f.txt</title><main>{lines}</main>"));
            assert!(
                found.contains(&line(4)) && !found.contains(|c: char| c.is_ascii_digit()),
                "{found}"
            );
        }
    }

    #[test]
    fn other_numbers_stay() {
        let prose = "The mill by the river was sold again, and the miller told nobody. ".repeat(3);
        let page = format!(
            "<main><h2><a id=s7 href=#s7>7</a> The mill</h2><p>{prose}<a id=r5 href=#n5>5</a></p>\
             <p>{prose}<a href=/p/6>6</a> of them.</p></main>"
        );
        let found = text(&page);
        for number in ["7", "5", "6"] {
            assert!(found.contains(number), "{number}: {found}");
        }
        let running: String = (1..6)
            .map(|n| format!("<h3><a id=l{n} href=#l{n}>{n}</a> Lesson</h3><p><a id=L{n}0 href=#L{n}0>{n}0</a> {prose}</p>"))
            .collect();
        let found = text(&format!("<main><h1>The mill</h1>{running}</main>"));
        assert!(
            found.contains("3 Lesson") && found.contains("30 The mill"),
            "{found}"
        );
        for codes in [[1960, 1961, 1975, 1976], [2, 3, 5, 7], [100, 101, 200, 404]] {
            let listing: String = codes
                .iter()
                .map(|n| format!("<a name={n} href=#{n}>{n}</a>  what it is\n"))
                .collect();
            let found = text(&format!(
                "<main><h1>The mill</h1><p>{prose}</p><pre>{listing}</pre></main>"
            ));
            for code in codes {
                assert!(found.contains(&format!("{code}  what")), "{code}: {found}");
            }
        }
        let years = format!(
            "<main><h1>The mill</h1><p>{prose}<ul><li><a id=y1866 href=#y1866>1866</a> {prose}<li>\
             <a id=1871 href=#1871>1871</a> {prose}</ul><pre>\n<a id=section-3 href=#section-3>3</a>.  {prose}\n\
             [<a id=4>4</a>] {prose}</pre></main>"
        );
        let found = text(&years);
        for number in ["1866", "1871", "3.", "[4]"] {
            assert!(found.contains(number), "{number}: {found}");
        }
    }
}
