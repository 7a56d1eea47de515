//! Labels within a heading: `<h1><span>原创</span>老石桥没有了</h1>`, "[讨论] 老石桥没有了", "The old bridge #12".
//!
//! `<title>` tells what of the heading is the title. A label has an element of its own within the heading, or brackets.

use crate::flat_dom::{ElementIndex, FlatDom};

use super::title::letters;

/// A heading without the label that it has beside what `<title>` says.
pub(super) fn without(
    flat: &FlatDom<'_>,
    heading: ElementIndex,
    text: String,
    title: &str,
) -> String {
    if letters(title).contains(&letters(&text)) {
        return text;
    }
    let bare = behind_bracket(&text).filter(|rest| says(title, rest));
    let bare = bare.or_else(|| beside_element(flat, heading, &text, title));
    match bare {
        Some(rest) => rest.to_owned(),
        None => text,
    }
}

/// Longer texts are no labels.
const LABEL_CHARS_MAX: usize = 16;

/// What stands behind a bracket at the beginning of a text.
fn behind_bracket(text: &str) -> Option<&str> {
    let close = match text.chars().next()? {
        '[' => ']',
        '【' => '】',
        '［' => '］',
        '〔' => '〕',
        _ => return None,
    };
    let (label, rest) = text.split_once(close)?;
    (label.chars().count() <= LABEL_CHARS_MAX).then_some(rest.trim())
}

/// What stands behind an element at the beginning of a heading, or before a number in one at its end.
fn beside_element<'t>(
    flat: &FlatDom<'_>,
    heading: ElementIndex,
    text: &'t str,
    title: &str,
) -> Option<&'t str> {
    const CHILDREN_MAX: usize = 8;
    let children = flat.children(heading).take(CHILDREN_MAX);
    let children = children.filter(|&at| {
        let chars = flat.elements[at as usize].counts.chars as usize;
        (1..=LABEL_CHARS_MAX).contains(&chars)
    });
    let labels = children.map(|at| said_in(flat, at));
    labels.filter(|label| !label.is_empty()).find_map(|label| {
        let is_number = label
            .strip_prefix('#')
            .is_some_and(|number| !number.is_empty() && number.chars().all(|c| c.is_ascii_digit()));
        let behind = text.strip_prefix(label.as_str());
        let before = text.strip_suffix(label.as_str()).filter(|_| is_number);
        let mut rests = behind.into_iter().chain(before).map(str::trim);
        rests.find(|rest| says(title, rest))
    })
}

/// The text of an inline element.
fn said_in(flat: &FlatDom<'_>, at: ElementIndex) -> String {
    let mut out = String::new();
    let Some(run) = flat.runs.get(run_of(flat, at)) else {
        return out;
    };
    for piece in &flat.pieces[run.pieces.start as usize..run.pieces.end as usize] {
        if flat.contains(at, piece.element) {
            crate::whitespace::push_collapsed(&mut out, piece.text);
        }
    }
    out.trim().to_owned()
}

/// The run that an inline element of a heading stands in: a heading of one line has one.
fn run_of(flat: &FlatDom<'_>, at: ElementIndex) -> usize {
    let up = flat.elements[at as usize].parent;
    flat.elements[up as usize].first_run as usize
}

/// Whether `<title>` has a text as a part of its own.
fn says(title: &str, text: &str) -> bool {
    const LETTERS_MIN: usize = 4;
    let is_apart = |c: Option<char>| c.is_none_or(|c| !c.is_alphanumeric());
    letters(text).chars().nth(LETTERS_MIN - 1).is_some()
        && title.match_indices(text).any(|(at, _)| {
            is_apart(title[..at].chars().next_back())
                && is_apart(title[at + text.len()..].chars().next())
        })
}

#[cfg(test)]
mod tests {
    #[track_caller]
    fn check(title: &str, heading: &str, expected: &str) {
        let text =
            "<p>昨天夜里河水又涨了，冲走了那座有两百年历史的老石桥，镇上的人都到岸边来看。</p>";
        let html = format!(
            "<title>{title}</title><main><h1>{heading}</h1><p>作者：张小三 2021-03-05</p>{}</main>",
            text.repeat(4)
        );
        let url = url::Url::parse("https://river.example/a/1").unwrap();
        let page = crate::extract(&html, &crate::PageContext::new(&url));
        assert_eq!(page.title.as_deref(), Some(expected), "{heading}");
        assert_eq!(page.author.as_deref(), Some("张小三"), "{heading}");
        assert_eq!(page.published.as_deref(), Some("2021-03-05"), "{heading}");
    }

    #[test]
    fn a_label_within_the_heading_is_no_part_of_the_title() {
        let title = "老石桥没有了";
        for whole in [
            "老石桥没有了",
            "老石桥没有了_河边网",
            "河边网 - 老石桥没有了",
        ] {
            check(whole, "<span class=tag>原创</span>老石桥没有了", title);
            check(whole, "[讨论] 老石桥没有了", title);
            check(
                whole,
                "<a href=/c>【讨论】</a> <span>老石桥没有了</span>",
                title,
            );
        }
        check(
            "The old bridge is gone · Issue #12 · marsh/eels",
            "<bdi>The old bridge is gone</bdi> <span>#12</span>",
            "The old bridge is gone",
        );
        check(
            "[2101.00001] The old bridge is gone",
            "<span>Title:</span>The old bridge is gone",
            "The old bridge is gone",
        );
    }

    #[test]
    fn what_title_says_too_is_no_label() {
        check(
            "[讨论] 老石桥没有了",
            "[讨论] 老石桥没有了",
            "[讨论] 老石桥没有了",
        );
        check(
            "走基层老石桥没有了_河边网",
            "<span>走基层</span>老石桥没有了",
            "走基层老石桥没有了",
        );
    }
}
