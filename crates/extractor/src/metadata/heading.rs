//! Headings that may be a page's title, and which of them is the author's name.

use std::ops::Range;

use html5ever::local_name;
use url::Url;

use crate::char_counts::is_cjk;
use crate::class_hints::Hint;
use crate::dom::Attributes;
use crate::flat_dom::{ElementIndex, FlatDom};
use crate::survey::Survey;
use crate::tag::Tag;

use super::title::letters;
use super::without_site::{in_brackets, label_of};
use super::{element_text, heading_labels};

/// A heading that may be the title.
pub(super) struct Heading {
    pub text: String,
    /// Letters and digits of the text in lower case, for comparison.
    pub letters: String,
    pub level: u8,
    /// It leads to the site's front page, as a logo does.
    pub is_home: bool,
    /// It is the author's name, by its class or as the page declares the author.
    pub is_author: bool,
    /// It stands in a menu or a footer.
    pub is_in_menu: bool,
    /// Its runs.
    pub runs: Range<usize>,
    /// Runs between it and the beginning of the content.
    pub distance: usize,
}

/// A heading without the sign of a link to itself, which the page's title does not have.
fn without_permalink<'t>(heading: &'t str, title: &str) -> &'t str {
    const SIGNS: [char; 3] = ['¶', '#', ' '];
    let bare = heading.trim_end_matches(SIGNS);
    let sharps = heading[bare.len()..]
        .bytes()
        .take_while(|&byte| byte == b'#');
    let whole = &heading[..bare.len() + sharps.count()];
    if title.contains(whole) { whole } else { bare }
}

/// The first-level headings, and near the beginning of the content the second-level ones and those of
/// lower levels that are named as titles.
pub(super) fn headings(
    flat: &FlatDom<'_>,
    survey: &Survey,
    main: &[bool],
    title: &str,
    author: Option<&str>,
    url: &Url,
) -> Vec<Heading> {
    let first = main.iter().position(|&kept| kept).unwrap_or(0);
    let in_brackets = in_brackets(title).map(|(_, site)| letters(site));
    let mut out = Vec::new();
    for (index, element) in flat.elements.iter().enumerate() {
        let distance = (element.first_run as usize).abs_diff(first);
        let near = distance < 12;
        let level = match element.tag {
            Tag::H1 => 1,
            Tag::H2 if near => 2,
            Tag::H3 | Tag::H4 if near && element.hints.has(Hint::Title) => 3,
            _ => continue,
        };
        if element.counts.chars > 0 && out.len() < 12 {
            let text = element_text(flat, survey, index as u32);
            if !text.is_empty() && text.chars().count() < 300 {
                let text = without_permalink(&text, title).to_owned();
                let text = heading_labels::without(flat, index as u32, text, title);
                let letters = letters(&text);
                let is_in_brackets =
                    is_linked(flat, index as u32) && in_brackets.as_deref() == Some(&letters);
                out.push(Heading {
                    is_in_menu: is_in_menu(flat, index as u32),
                    is_author: is_classed_author(flat, index) || author == Some(letters.as_str()),
                    runs: element.first_run as usize..element.end_run as usize,
                    letters,
                    is_home: is_in_brackets || leads_home(flat, index as u32, url),
                    text,
                    level,
                    distance,
                });
            }
        }
    }
    out
}

fn is_in_menu(flat: &FlatDom<'_>, at: ElementIndex) -> bool {
    flat.ancestors(at).any(|up| {
        let element = &flat.elements[up as usize];
        let is_named = [Hint::Nav, Hint::Footer]
            .iter()
            .any(|&hint| element.hints.has(hint));
        matches!(element.tag, Tag::Nav | Tag::Footer) || is_named
    })
}

/// Whether an element is the author's name by its class or in microdata.
fn is_classed_author(flat: &FlatDom<'_>, index: usize) -> bool {
    let element = &flat.elements[index].element;
    let names = [local_name!("class"), local_name!("itemprop")];
    let names = names.iter().filter_map(|name| element.attribute(name));
    let is_author = |name: &str| {
        let names = ["author", "byline", "creator", "writer"];
        names.iter().any(|known| name.eq_ignore_ascii_case(known))
    };
    names.flat_map(str::split_ascii_whitespace).any(is_author)
}

/// The headings but the author's name, which `<title>` may have beside the title that another one says.
pub(super) fn without_authors(mut headings: Vec<Heading>, title: &str) -> Vec<Heading> {
    let title = letters(title);
    let says_title = |heading: &Heading| {
        !heading.is_author
            && !heading.is_home
            && !heading.letters.is_empty()
            && title.contains(&heading.letters)
    };
    if headings.iter().any(says_title) {
        headings.retain(|heading| !heading.is_author);
    }
    headings
}

/// The title in two headings with nothing between, which together are one of `titles` with a blank between. Where one is
/// the author's name, and in Chinese, Japanese and Korean where nothing tells that but one is as short as names
/// are, the title is the other, else the one of the higher level, else the first. Where the second, of a lower level, reads as a
/// person's name and the first as a whole, or one is the name of the host, it is the other one. Elsewhere it is the two together.
pub(super) fn of_two(
    headings: &[Heading],
    titles: &[&str],
    site_name: Option<&str>,
    url: &Url,
) -> Option<String> {
    let label = label_of(url);
    let collapsed = crate::whitespace::collapsed;
    let is_site = |heading: &Heading| {
        heading.is_home || site_name.map(letters).as_ref() == Some(&heading.letters)
    };
    let titles: Vec<String> = titles.iter().map(|title| collapsed(title)).collect();
    headings.windows(2).find_map(|pair| {
        let [one, other] = [&pair[0], &pair[1]].map(|heading| collapsed(&heading.text));
        let (before, behind) = (format!("{one} {other}"), format!("{other} {one}"));
        let is_whole = |title: &&String| **title == before || **title == behind;
        let whole = titles.iter().find(is_whole)?;
        if pair[0].runs.end != pair[1].runs.start || pair.iter().any(is_site) {
            return None;
        }
        let is_host = |heading: &Heading| heading.letters == label;
        let is_author = pair[0].is_author != pair[1].is_author;
        // Names and titles both have capitals in English: "New York" over "Travel guide for families".
        let is_below = |named: usize| named == 1 && pair[1].level > pair[0].level;
        let by_name = [(0, 1), (1, 0)].into_iter().find(|&(named, other)| {
            is_host(&pair[named])
                || is_below(named)
                    && is_name(&pair[named].text)
                    && is_whole_title(&pair[other].text)
        });
        if let Some((_, other)) = by_name.filter(|_| !is_author) {
            return Some(pair[other].text.clone());
        }
        let may_be_author = || {
            pair.iter().all(|heading| heading.letters.contains(is_cjk)) && pair.iter().any(is_short)
        };
        let chosen = pair
            .iter()
            .min_by_key(|heading| (heading.is_author, heading.level))
            .filter(|_| is_author || may_be_author());
        Some(chosen.map_or(whole, |heading| &heading.text).clone())
    })
}

/// Whether a heading is as short as the names of people in Chinese, Japanese and Korean.
fn is_short(heading: &Heading) -> bool {
    const LETTERS_MAX: usize = 7;
    heading.letters.chars().nth(LETTERS_MAX).is_none() || heading.text.contains(['・', '·'])
}

/// Whether a heading reads as a person's name: some words that all begin with a capital, but for those that join them.
fn is_name(text: &str) -> bool {
    const JOINING: [&str; 18] = [
        "de", "da", "do", "dos", "del", "della", "di", "du", "van", "von", "der", "den", "zu",
        "af", "al", "bin", "y", "la",
    ];
    let is_proper = |word: &str| {
        let mut chars = word.chars();
        chars.next().is_some_and(char::is_uppercase)
            && chars.all(|c| {
                c.is_lowercase() || matches!(c, '.' | '-' | '\'' | '’') || c.is_uppercase()
            })
            && !is_opening(word)
            && (word.ends_with('.') || word.chars().any(char::is_lowercase))
    };
    let words = text.split_whitespace();
    let names = words.clone().filter(|word| is_proper(word)).count();
    let others = words.filter(|word| !is_proper(word));
    (2..=4).contains(&names)
        && others.clone().count() <= 2
        && others.into_iter().all(|word| JOINING.contains(&word))
}

/// Words that a title begins with and no person's name.
fn is_opening(word: &str) -> bool {
    const WORDS: [&str; 40] = [
        "the", "a", "an", "my", "our", "how", "what", "why", "when", "in", "on", "of", "to",
        "from", "and", "der", "die", "das", "ein", "eine", "le", "la", "les", "un", "une", "l",
        "el", "los", "las", "il", "lo", "gli", "o", "os", "as", "het", "een", "en", "de", "i",
    ];
    WORDS.contains(&word.to_lowercase().trim_end_matches('.'))
}

/// Whether a heading may be a title alone: it has more words than one, does not end as if it went on, and is no name.
fn is_whole_title(text: &str) -> bool {
    const GO_ON: [&str; 52] = [
        "a", "an", "the", "of", "in", "on", "at", "to", "for", "from", "with", "by", "and", "or",
        "is", "are", "about", "der", "die", "das", "von", "mit", "und", "im", "für", "bei", "zu",
        "de", "du", "le", "la", "avec", "et", "con", "y", "el", "di", "e", "van", "met", "am",
        "beim", "vom", "zum", "zur", "aux", "des", "da", "do", "em", "na", "w",
    ];
    let mut words = text.split_whitespace();
    let last = words.next_back().map(str::to_lowercase);
    let goes_on = |last: &String| {
        GO_ON.contains(&last.as_str()) || last.ends_with([':', ',', '-', '–', '—', '&'])
    };
    words.next().is_some() && last.is_some_and(|last| !goes_on(&last)) && !is_name(text)
}

/// Whether a link of the page says a site's name, in letters and digits, and leads to its front page, as a logo does.
pub(super) fn has_logo(flat: &FlatDom<'_>, survey: &Survey, name: &str, url: &Url) -> bool {
    const LINKS_MAX: usize = 64;
    let links = flat.elements.iter().enumerate();
    let links = links.filter(|(_, element)| element.tag == Tag::A && element.counts.chars > 0);
    links.take(LINKS_MAX).any(|(at, _)| {
        leads_home(flat, at as u32, url) && letters(&element_text(flat, survey, at as u32)) == name
    })
}

/// Whether all of a heading is a link.
fn is_linked(flat: &FlatDom<'_>, heading: ElementIndex) -> bool {
    let element = &flat.elements[heading as usize];
    element.link_weight > 0 && element.link_weight == element.counts.weight
}

/// Whether all of a heading is a link to the front page of its host, on another page of that.
fn leads_home(flat: &FlatDom<'_>, heading: ElementIndex, url: &Url) -> bool {
    let element = &flat.elements[heading as usize];
    let is_front = |url: &Url| url.path() == "/" && url.query().is_none();
    is_linked(flat, heading)
        && !is_front(url)
        && (heading..element.end)
            .filter_map(|at| {
                let href = local_name!("href");
                flat.elements[at as usize].element.attribute(&href)
            })
            .all(|href| {
                let target = weburl::resolve(url, href.trim());
                target.is_some_and(|target| is_front(&target) && target.host() == url.host())
            })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sign_at_the_end_of_a_heading_is_its_own_where_the_page_has_it_in_its_title() {
        for (heading, title, expected) in [
            ("Learn C#", "Learn C# - Docs", "Learn C#"),
            ("从零学 C# ¶", "从零学 C#_博客", "从零学 C#"),
            ("Learn C#", "Learn C - Docs", "Learn C"),
            ("Setup¶", "Setup", "Setup"),
            ("Setup #", "Setup # Docs", "Setup"),
            ("##", "", ""),
        ] {
            assert_eq!(without_permalink(heading, title), expected, "{heading}");
        }
    }
}
