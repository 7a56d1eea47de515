//! The author's name.
//!
//! Publishers declare authors in JSON-LD and meta elements, and print them in a by-line below the
//! title. A declared author that is the site itself counts only if the page names nobody else; the URL
//! of a profile does not count.

use html5ever::local_name;
use url::Url;

use crate::bounded::byte_prefix;
use crate::class_hints::Hint;
use crate::classifier::Classified;
use crate::dom::Attributes;
use crate::flat_dom::FlatDom;
use crate::page::PageType;
use crate::survey::Survey;
use crate::tag::Tag;

use super::title::letters;
use super::{BylineZone, byline, element_text, name, short};

pub(super) fn find(
    page: &Classified<'_, '_>,
    zone: &BylineZone,
    site_name: Option<&str>,
    url: &Url,
) -> Option<String> {
    let &Classified {
        flat,
        survey,
        structured,
        page_type,
        ..
    } = page;
    let host = url.host_str().unwrap_or("").trim_start_matches("www.");
    let label = host.split('.').next().unwrap_or("");
    let in_json_ld = structured.author.as_deref().and_then(name::clean);
    let declared = in_json_ld.or_else(|| declared_in_meta(flat));
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
    if *page_type == PageType::Forum
        && let Some(poster) = poster(flat, survey, zone)
    {
        return Some(poster);
    }
    marked(flat, survey, zone, true)
        .or_else(|| byline(survey, zone))
        .or_else(|| profile(flat, zone))
        .or_else(|| marked(flat, survey, zone, false))
        .or(declared)
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
            return Names::of(&all).joined();
        }
    }
    None
}

/// Elements whose text is read in search of a name: reading one takes as long as its line.
const NAMES_READ_MAX: usize = 64;

/// The names of several authors: each once, and none that only says another with more words, as the link
/// to all of somebody's articles does.
#[derive(Default)]
struct Names(Vec<String>);

impl Names {
    fn of(texts: &[&str]) -> Names {
        let mut names = Names::default();
        for text in texts {
            names.add(text);
        }
        names
    }

    fn add(&mut self, text: &str) {
        if let Some(name) = name::clean(text)
            && !self.0.iter().any(|known| says(&name, known))
        {
            self.0.push(name);
        }
    }

    fn joined(self) -> Option<String> {
        (!self.0.is_empty()).then(|| self.0.join(", "))
    }
}

/// Whether a text says a name as words of its own, as the link to all of somebody's articles does.
fn says(text: &str, name: &str) -> bool {
    text == name
        || text.match_indices(name).any(|(at, _)| {
            let is_end = |c: Option<char>| c.is_none_or(|c| c.is_ascii() && !c.is_alphanumeric());
            is_end(text[..at].chars().next_back()) && is_end(text[at + name.len()..].chars().next())
        })
}

/// Who began a thread: the first element between its title and its text that is named after a user or leads to a
/// user's page, the first that is marked as an author, the first named after a user anywhere.
fn poster(flat: &FlatDom<'_>, survey: &Survey, zone: &BylineZone) -> Option<String> {
    let first_behind = |run: usize| {
        flat.elements
            .partition_point(|element| (element.first_run as usize) < run)
    };
    let [title, text] = [zone.range.start, zone.text].map(first_behind);
    let end = flat.elements.len();
    let first = |range: std::ops::Range<usize>, fits: fn(&FlatDom<'_>, usize) -> bool| {
        range
            .filter(|&index| (2..=60).contains(&flat.elements[index].counts.chars))
            .filter(|&index| fits(flat, index))
            .take(NAMES_READ_MAX)
            .find_map(|index| name::clean(&text_of(flat, survey, index)))
    };
    first(title..text, is_user)
        .or_else(|| first(title..end, is_marked))
        .or_else(|| first(text..end, is_user))
}

/// Whether an element is marked as the author, by `rel` or `itemprop`.
fn is_marked(flat: &FlatDom<'_>, index: usize) -> bool {
    let element = &flat.elements[index].element;
    [local_name!("rel"), local_name!("itemprop")]
        .iter()
        .filter_map(|name| element.attribute(name))
        .flat_map(str::split_ascii_whitespace)
        .any(|word| word.eq_ignore_ascii_case("author"))
}

/// Whether an element is a user's name by its class, or a link to a user's page.
fn is_user(flat: &FlatDom<'_>, index: usize) -> bool {
    const CLASSES: [&str; 9] = [
        "username",
        "bigusername",
        "user-name",
        "postuser-name",
        "postauthor",
        "p_author_name",
        "authorname",
        "nickname",
        "creator",
    ];
    let element = &flat.elements[index].element;
    let classes = element.attribute(&local_name!("class")).unwrap_or("");
    let mut classes = classes.split_ascii_whitespace();
    let is_named = classes.any(|class| CLASSES.iter().any(|c| class.eq_ignore_ascii_case(c)));
    let href = element.attribute(&local_name!("href"));
    is_named || (flat.elements[index].tag == Tag::A && href.is_some_and(leads_to_user))
}

/// Whether a link leads to a user's page, by the names that the software of forums gives to it.
fn leads_to_user(href: &str) -> bool {
    const FOLDERS: [&str; 11] = [
        "member", "members", "user", "users", "u", "profile", "profiles", "people", "space",
        "author", "authors",
    ];
    const FILES: [&str; 9] = [
        "member.php",
        "memberlist.php",
        "profile.php",
        "user.php",
        "u.php",
        "space.php",
        "home.php",
        "userinfo.php",
        "user",
    ];
    let (path, query) = href.split_once(['?', '#']).unwrap_or((href, ""));
    let mut folders = path.split('/').peekable();
    while let Some(folder) = folders.next() {
        let is_user =
            |next: &&str| !next.is_empty() && !next.ends_with(".htm") && !next.ends_with(".html");
        if FOLDERS.contains(&folder) && folders.peek().is_some_and(is_user) {
            return true;
        }
    }
    let file = path.rsplit('/').next().unwrap_or("");
    let numbered = |prefix: &str| {
        let rest = file.strip_prefix(prefix);
        rest.is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()))
    };
    let names_one = query.split(['&', ';']).any(|pair| {
        let name = pair.trim_start_matches("amp").split('=').next();
        matches!(name, Some("u" | "uid" | "id" | "un" | "username"))
    });
    numbered("user-")
        || numbered("space-uid-")
        || (names_one && (FILES.contains(&file) || query.contains("action=profile")))
}

/// The text of elements marked as the author: by `rel=author` or `itemprop=author`; if not `strict`,
/// also by their class.
fn marked(flat: &FlatDom<'_>, survey: &Survey, zone: &BylineZone, strict: bool) -> Option<String> {
    let mut names = Names::default();
    let mut read = 0;
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
        let is_classed = || {
            let class = element.element.attribute(&local_name!("class"));
            let class = class.unwrap_or("").to_ascii_lowercase();
            (element.hints.has(Hint::User) || element.hints.has(Hint::Byline))
                && (class.contains("author") || class.contains("byline"))
        };
        if !(is_marked(flat, index) || (!strict && is_classed())) {
            continue;
        }
        read += 1;
        if read > NAMES_READ_MAX {
            break;
        }
        let text = text_of(flat, survey, index);
        if text.chars().count() < 80 {
            names.add(&text);
        }
        if names.0.len() == if strict { 4 } else { 1 } {
            break;
        }
    }
    names.joined()
}

/// The text of links to an author's page: those near the title, or the only one on the page.
fn profile(flat: &FlatDom<'_>, zone: &BylineZone) -> Option<String> {
    let mut close = Names::default();
    let mut all = Names::default();
    let mut read = 0;
    for (index, element) in flat.elements.iter().enumerate() {
        if element.tag != Tag::A || element.counts.chars == 0 || element.counts.chars > 60 {
            continue;
        }
        let href = element.element.attribute(&local_name!("href"));
        let leads_to_author = href.is_some_and(has_author_folder);
        if !leads_to_author && element.element.attribute(&local_name!("rel")) != Some("author") {
            continue;
        }
        read += 1;
        if read > NAMES_READ_MAX {
            break;
        }
        let name = inline_text(flat, index);
        let at = element.first_run as usize;
        let is_close = zone.range.contains(&at) || zone.range.contains(&at.saturating_sub(1));
        if is_close && close.0.len() < 4 {
            close.add(&name);
        }
        all.add(&name);
    }
    if close.0.is_empty() && all.0.len() == 1 {
        return all.joined();
    }
    close.joined()
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

/// The text of an element; that of an inline one is only a part of its run.
fn text_of(flat: &FlatDom<'_>, survey: &Survey, index: usize) -> String {
    if flat.elements[index].tag.is_block() {
        element_text(flat, survey, index as u32)
    } else {
        inline_text(flat, index)
    }
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
            byline::name_in(&head).and_then(name::clean)
        })
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
    fn a_name_within_a_longer_one_is_another() {
        let joined = |names: &[&str]| Names::of(names).joined().unwrap();
        assert_eq!(joined(&["Wei Li", "Wei Lin", "Wei Li"]), "Wei Li, Wei Lin");
        assert_eq!(joined(&["王明", "王明华"]), "王明, 王明华");
        assert_eq!(joined(&["Stefan", "Mehr Artikel von Stefan →"]), "Stefan");
    }

    #[test]
    fn forums_lead_to_their_users_in_many_ways() {
        for href in [
            "/members/ann.81409/",
            "./memberlist.php?mode=viewprofile&u=123344&sid=e18",
            "member.php?s=e3c9&u=224387",
            "https://a.example/index.php?action=profile;u=261870",
            "https://a.example/user-126792.html",
            "space-uid-12.html",
            "home.php?mod=space&uid=12",
            "/u/ann",
            "user?id=ann",
        ] {
            assert!(leads_to_user(href), "{href}");
        }
        for href in [
            "/members/",
            "/useful/x",
            "member.php",
            "/t/12?u=3",
            "user-list.html",
            "",
            "?uid=3",
            "/u/Uranium.htm",
        ] {
            assert!(!leads_to_user(href), "{href}");
        }
    }
}
