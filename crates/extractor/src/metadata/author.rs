//! The author's name.
//!
//! Publishers declare authors in JSON-LD and meta elements, and print them in a by-line below the
//! title. A declared author that is the site itself counts only if the page names nobody else; the URL
//! of a profile does not count.

use html5ever::{LocalName, local_name};
use url::Url;

use crate::bounded::byte_prefix;
use crate::class_hints::Hint;
use crate::dom::Attributes;
use crate::flat_dom::FlatDom;
use crate::structured::Structured;
use crate::survey::Survey;
use crate::tag::Tag;

use super::{BylineZone, byline, element_text, short};

pub(super) fn find(
    flat: &FlatDom<'_>,
    survey: &Survey,
    structured: &Structured,
    zone: &BylineZone,
    site_name: Option<&str>,
    url: &Url,
) -> Option<String> {
    let host = url.host_str().unwrap_or("").trim_start_matches("www.");
    let label = host.split('.').next().unwrap_or("");
    let plausible = |name: String| clean(&name);
    let in_json_ld = structured.author.clone().and_then(plausible);
    let declared = in_json_ld.or_else(|| declared_in_meta(flat).and_then(plausible));
    // Whether the declared author is the site itself: then a person named on the page is preferred.
    let is_site = |name: &str| {
        let name = letters(name);
        let site = site_name.map(letters).unwrap_or_default();
        (!site.is_empty() && (site.contains(&name) || name.contains(&site)))
            || (label.len() >= 3 && name.contains(&letters(label)))
    };
    if declared.as_deref().is_some_and(|name| !is_site(name)) {
        return declared;
    }
    marked(flat, survey, zone, true)
        .and_then(plausible)
        .or_else(|| byline(survey, zone).and_then(plausible))
        .or_else(|| profile(flat, zone).and_then(plausible))
        .or_else(|| marked(flat, survey, zone, false).and_then(plausible))
        .or(declared)
}

/// Letters and digits in lower case.
fn letters(text: &str) -> String {
    text.chars()
        .filter(|c| c.is_alphanumeric())
        .flat_map(char::to_lowercase)
        .collect()
}

/// The authors in the first kind of meta element that has any.
fn declared_in_meta(flat: &FlatDom<'_>) -> Option<String> {
    const NAMES: [&str; 11] = [
        "author",
        "article:author",
        "article:author_name",
        "dc.creator",
        "dcterms.creator",
        "parsely-author",
        "sailthru.author",
        "byl",
        "citation_author",
        "authors",
        "twitter:data1",
    ];
    for name in NAMES {
        if name == "twitter:data1" {
            let labelled = flat
                .meta(&["twitter:label1"])
                .is_some_and(|label| label.to_lowercase().contains("written by"));
            if !labelled {
                continue;
            }
        }
        let all: Vec<&str> = flat
            .metas
            .iter()
            .filter(|(known, content)| {
                known.eq_ignore_ascii_case(name)
                    && !content.trim().is_empty()
                    && !content.contains("://")
            })
            .map(|(_, content)| content.trim())
            .take(5)
            .collect();
        if !all.is_empty() {
            let mut distinct: Vec<&str> = Vec::new();
            for one in all {
                if !distinct.contains(&one) {
                    distinct.push(one);
                }
            }
            return Some(distinct.join(", "));
        }
    }
    None
}

/// The text of elements marked as the author: by `rel=author` or `itemprop=author`; if not `strict`,
/// also by their class.
fn marked(flat: &FlatDom<'_>, survey: &Survey, zone: &BylineZone, strict: bool) -> Option<String> {
    let mut names: Vec<String> = Vec::new();
    for (index, element) in flat.elements.iter().enumerate() {
        let at = element.first_run as usize;
        // A by-line may stand some lines above the title or beside the text.
        let from = zone.range.start.saturating_sub(20);
        if !(from..zone.range.end + 4).contains(&at)
            || element.counts.chars == 0
            || element.counts.chars > 80
        {
            continue;
        }
        let attribute = |name: LocalName, wanted: &str| {
            element.element.attribute(&name).is_some_and(|value| {
                value
                    .split_ascii_whitespace()
                    .any(|word| word.eq_ignore_ascii_case(wanted))
            })
        };
        let is_marked = attribute(local_name!("rel"), "author")
            || attribute(local_name!("itemprop"), "author")
            || (!strict
                && (element.hints.has(Hint::User) || element.hints.has(Hint::Byline))
                && element
                    .element
                    .attribute(&local_name!("class"))
                    .is_some_and(|class| {
                        let class = class.to_ascii_lowercase();
                        class.contains("author") || class.contains("byline")
                    }));
        if !is_marked {
            continue;
        }
        // The text of an inline element is only a part of its run.
        let text = if element.tag.is_block() {
            element_text(flat, survey, index as u32)
        } else {
            inline_text(flat, index)
        };
        if !text.is_empty() && text.chars().count() < 80 && !names.contains(&text) {
            names.push(text);
        }
        if !strict || names.len() == 4 {
            break;
        }
    }
    (!names.is_empty()).then(|| names.join(", "))
}

/// The text of links to an author's page: those near the title, or the only one on the page.
fn profile(flat: &FlatDom<'_>, zone: &BylineZone) -> Option<String> {
    let mut close: Vec<String> = Vec::new();
    let mut all: Vec<String> = Vec::new();
    for (index, element) in flat.elements.iter().enumerate() {
        if element.tag != Tag::A || element.counts.chars == 0 || element.counts.chars > 60 {
            continue;
        }
        let href = element.element.attribute(&local_name!("href"));
        let leads_to_author = href.is_some_and(has_author_folder);
        if !leads_to_author && element.element.attribute(&local_name!("rel")) != Some("author") {
            continue;
        }
        let name = inline_text(flat, index);
        if name.is_empty() || all.len() > 50 {
            continue;
        }
        let at = element.first_run as usize;
        let is_close = zone.range.contains(&at) || zone.range.contains(&at.saturating_sub(1));
        if is_close && !close.contains(&name) && close.len() < 4 {
            close.push(name.clone());
        }
        if !all.contains(&name) {
            all.push(name);
        }
    }
    if close.is_empty() && all.len() == 1 {
        return all.pop();
    }
    (!close.is_empty()).then(|| close.join(", "))
}

/// Whether one of the folders of a path is named after authors.
fn has_author_folder(href: &str) -> bool {
    let mut folders = href.split('/').skip(1).peekable();
    while let Some(folder) = folders.next() {
        let is_named = matches!(
            folder,
            "author" | "authors" | "autor" | "auteur" | "autoren" | "people" | "by"
        );
        if is_named && folders.peek().is_some() {
            return true;
        }
    }
    false
}

/// The text of an inline element: the pieces of runs that it contains.
fn inline_text(flat: &FlatDom<'_>, index: usize) -> String {
    let element = &flat.elements[index];
    let mut out = String::new();
    let from = element.first_run.saturating_sub(1) as usize;
    for run in flat.runs.iter().skip(from).take(3) {
        for piece in &flat.pieces[run.pieces.start as usize..run.pieces.end as usize] {
            if flat.contains(index as u32, piece.element) {
                crate::whitespace::push_collapsed(&mut out, piece.text);
            }
        }
    }
    short(&out)
}

/// Bytes of a line that are searched for a by-line.
const LINE_BYTES_MAX: usize = 240;

/// The name in a by-line, "By A. Writer" or "作者：某某", near the title or at the end of the content.
fn byline(survey: &Survey, zone: &BylineZone) -> Option<String> {
    zone.range
        .clone()
        .chain(zone.tail.clone())
        .find_map(|index| {
            let text = survey.texts.get(index)?;
            let head = byte_prefix(text, LINE_BYTES_MAX).replace('\n', " ");
            byline::name_in(&head).map(str::to_owned)
        })
}

/// A name without a prefix such as "by" and without what follows it; `None` if it is no name.
fn clean(name: &str) -> Option<String> {
    let mut name = short(name);
    for prefix in [
        "by ",
        "written by ",
        "posted by ",
        "von ",
        "por ",
        "作者：",
        "作者:",
        "author: ",
    ] {
        if name.to_lowercase().starts_with(prefix) && name.is_char_boundary(prefix.len()) {
            name = name[prefix.len()..].trim().to_owned();
        }
    }
    let name = name
        .trim_matches([' ', ',', '|', '-', '·', ':', '：', '/', '•'])
        .to_owned();
    let lower = name.to_lowercase();
    // Dates, counts and sections follow a name in the same element.
    let name = match name.find(|c: char| c.is_ascii_digit()) {
        Some(at) if at > 3 => name[..at]
            .trim_end_matches([' ', '|', ',', '(', '-', '·'])
            .to_owned(),
        _ => name,
    };
    let count = name.chars().count();
    let is_placeholder = matches!(
        lower.as_str(),
        "admin"
            | "administrator"
            | "editor"
            | "staff"
            | "author"
            | "user"
            | "guest"
            | "root"
            | "webmaster"
            | "null"
            | "undefined"
            | "unknown"
            | "none"
            | "anonymous"
            | "佚名"
            | "匿名"
    );
    if !(2..=200).contains(&count)
        || is_placeholder
        || lower.contains("://")
        || lower.starts_with('@')
    {
        return None;
    }
    // Labels of buttons and dates that stand where a name could.
    let labels = [
        "follow",
        "publiziert am",
        "published",
        "posted on",
        "share",
        "read more",
    ];
    let has_letter = name.chars().any(char::is_alphabetic);
    if !has_letter || labels.contains(&lower.as_str()) {
        return None;
    }
    Some(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_of_authors_has_something_in_it() {
        for href in ["/author/jane", "https://a.example/en/people/", "../by/jane"] {
            assert!(has_author_folder(href), "{href}");
        }
        for href in ["/author", "author/jane", "/authority/x", "/nearby/x", ""] {
            assert!(!has_author_folder(href), "{href}");
        }
    }

    #[test]
    fn prefixes_are_cut_and_empty_names_refused() {
        assert_eq!(clean("By Lois Lane").as_deref(), Some("Lois Lane"));
        assert_eq!(clean("作者：张三").as_deref(), Some("张三"));
        assert_eq!(clean("admin"), None);
        assert_eq!(clean("https://a.example/u/1"), None);
    }
}
