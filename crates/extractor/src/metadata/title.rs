//! The page's title, without the site's name.
//!
//! `<title>` is nearly always there and nearly always carries the site's name; `<h1>` is the title
//! as readers see it, where there is just one and it is not the logo. So the sources check one
//! another: an `h1` that `<title>` repeats is the title; else what the publisher wrote for
//! sharing; else `<title>` with the site's name cut off.

use url::Url;

use crate::features::Survey;
use crate::flat_dom::FlatDom;
use crate::structured::Structured;
use crate::tag::Tag;

use super::{element_text, meta, short};

pub(super) fn find(
    flat: &FlatDom<'_>,
    survey: &Survey,
    structured: &Structured,
    main: &[bool],
    site_name: Option<&str>,
    url: &Url,
) -> Option<String> {
    let whole = short(&flat.title);
    let clean = without_site(&whole, site_name, url);
    let shared = meta(flat, &["og:title", "twitter:title", "dc.title"])
        .map(|title| without_site(&short(title), site_name, url))
        .filter(|title| !title.is_empty());
    let headline = structured
        .headline
        .as_deref()
        .map(|title| short(&unescaped(title)))
        .filter(|title| !title.is_empty());
    let headings = headings(flat, survey, main);

    // A heading that `<title>` or the shared title repeats, and that is most of it: a logo's words
    // stand in the title too, but at its end.
    let reference = shared.as_deref().unwrap_or(&clean);
    let most = letters(&clean)
        .chars()
        .count()
        .min(letters(reference).chars().count())
        / 2;
    let first_part = letters(first_segment(&whole));
    let whole_letters = letters(&whole);
    let shared_letters = letters(reference);
    let is_site = |heading: &str| site_name.is_some_and(|site| letters(site) == heading);
    // What `<title>` begins with, if a heading says just that: the rest is for search engines. If
    // another heading or the shared title says the rest, the beginning is the site's name.
    let leads = headings.iter().find(|(heading, level)| {
        let heading = letters(heading);
        *level == 1
            && !heading.is_empty()
            && !is_site(&heading)
            && first_parts(&whole).any(|(part, rest)| {
                letters(part) == heading
                    && shared_letters != letters(rest)
                    && !headings
                        .iter()
                        .any(|(other, _)| letters(other) == letters(rest))
            })
    });
    let agreed = headings
        .iter()
        .filter(|(heading, _)| {
            let heading = letters(heading);
            let count = heading.chars().count();
            count >= 4
                && (count >= most || heading == first_part)
                && (whole_letters.contains(&heading) || shared_letters.contains(&heading))
                && !is_site(&heading)
        })
        .max_by_key(|(heading, _)| letters(heading).chars().count())
        .map(|(heading, _)| heading.clone());
    // The only first-level heading, just above the text, in several words: what readers see.
    let seen = match headings
        .iter()
        .filter(|(_, level)| *level == 1)
        .collect::<Vec<_>>()[..]
    {
        // A slogan over a landing page shares no word with the title.
        [(heading, _)]
            if words(heading) >= 4
                && (shares_words(heading, &whole)
                    || headline.as_deref().map(letters) == Some(letters(heading))) =>
        {
            Some(heading.clone())
        }
        _ => None,
    };
    leads
        .map(|(heading, _)| heading.clone())
        .or(agreed)
        .or(seen)
        .or(shared)
        .or(headline)
        .or_else(|| Some(clean).filter(|title| !title.is_empty()))
        .or_else(|| headings.into_iter().next().map(|(heading, _)| heading))
        .or_else(|| Some(whole).filter(|title| !title.is_empty()))
}

/// The first-level headings, and the second-level ones just before the content, with their level.
fn headings(flat: &FlatDom<'_>, survey: &Survey, main: &[bool]) -> Vec<(String, u8)> {
    let first = main.iter().position(|&kept| kept).unwrap_or(0);
    let mut out = Vec::new();
    for (index, element) in flat.elements.iter().enumerate() {
        let near = (element.first_run as usize).abs_diff(first) < 12;
        let level = match element.tag {
            Tag::H1 => 1,
            Tag::H2 if near => 2,
            _ => continue,
        };
        if element.counts.chars > 0 && out.len() < 12 {
            let text = element_text(flat, survey, index as u32);
            if !text.is_empty() && text.chars().count() < 300 {
                out.push((text.trim_end_matches(['¶', '#', ' ']).to_owned(), level));
            }
        }
    }
    out
}

/// A title up to its first separator that is never part of one.
fn first_segment(title: &str) -> &str {
    title
        .split(['|', '｜'])
        .next()
        .and_then(|head| head.split(" - ").next())
        .unwrap_or(title)
        .trim()
}

/// A title cut in two at each kind of sign that may end its first part.
fn first_parts(title: &str) -> impl Iterator<Item = (&str, &str)> {
    ["|", "｜", " - ", " – ", " — ", " :: ", " · ", ": "]
        .into_iter()
        .filter_map(|separator| title.split_once(separator))
        .map(|(head, rest)| (head.trim(), rest.trim()))
}

/// Whether half of a heading's words of four letters or more are words of the title; scripts
/// without blanks always agree.
fn shares_words(heading: &str, title: &str) -> bool {
    let words = |text: &str| -> Vec<String> {
        text.to_lowercase()
            .split(|c: char| !c.is_alphanumeric())
            .filter(|word| word.chars().count() >= 4)
            .map(str::to_owned)
            .collect()
    };
    let title = words(title);
    let own = words(heading);
    let common = own.iter().filter(|word| title.contains(word)).count();
    heading.chars().any(crate::char_counts::is_cjk) || (common > 0 && common * 2 >= own.len())
}

/// Cuts the site's name off a title: by its known name, by the host's, or as the shorter end.
fn without_site(title: &str, site_name: Option<&str>, url: &Url) -> String {
    const SEPARATORS: [&str; 14] = [
        " | ", " - ", " – ", " — ", " :: ", " » ", " « ", " · ", " • ", "_", "｜", " / ", "|", "--",
    ];
    let host = url.host_str().unwrap_or("");
    let label = host
        .trim_start_matches("www.")
        .split('.')
        .next()
        .map(letters)
        .unwrap_or_default();
    let is_site = |part: &str| {
        let part = letters(part);
        !part.is_empty()
            && (site_name.is_some_and(|site| {
                let site = letters(site);
                !site.is_empty() && (part == site || part.contains(&site) || site.contains(&part))
            }) || (label.len() >= 3
                && (part.contains(&label) || label.contains(&part))
                && part.len() >= 3))
    };
    let is_front = url.path() == "/" && url.query().is_none();
    let mut rest = title.trim();
    // At most a few parts are cut: section, site, slogan.
    for _ in 0..4 {
        let Some((at, separator)) = SEPARATORS
            .iter()
            .filter_map(|separator| rest.rfind(separator).map(|at| (at, *separator)))
            .max_by_key(|(at, _)| *at)
        else {
            break;
        };
        let (head, tail) = (&rest[..at], &rest[at + separator.len()..]);
        let (head, tail) = (head.trim(), tail.trim());
        if is_site(tail) && !head.is_empty() {
            rest = head;
            continue;
        }
        let Some((first_at, first)) = SEPARATORS
            .iter()
            .filter_map(|separator| rest.find(separator).map(|at| (at, *separator)))
            .min_by_key(|(at, _)| *at)
        else {
            break;
        };
        let before = rest[..first_at].trim();
        let after = rest[first_at + first.len()..].trim();
        // On a site's front page its name is the title.
        if is_site(before) && after.chars().count() >= 4 && !is_front {
            rest = after;
            continue;
        }
        // A bar is not a part of titles: what stands behind it is a section or a slogan.
        if matches!(separator.trim(), "|" | "｜") && words(head) >= 2 {
            rest = head;
            continue;
        }
        // Unknown names: a short end after a long head, set off by blanks.
        let long = words(head) >= 4 && words(head) > 2 * words(tail);
        if long && (separator.len() > 1 || separator == "_") {
            rest = head;
            continue;
        }
        break;
    }
    rest.to_owned()
}

/// Words, or the half of the characters in scripts without blanks.
fn words(text: &str) -> usize {
    crate::char_counts::CharCounts::of(text).words as usize
}

/// Letters and digits in lower case.
fn letters(text: &str) -> String {
    text.chars()
        .filter(|c| c.is_alphanumeric())
        .flat_map(char::to_lowercase)
        .collect()
}

/// The few references that publishers leave in JSON.
fn unescaped(text: &str) -> String {
    if !text.contains('&') {
        return text.to_owned();
    }
    text.replace("&amp;", "&")
        .replace("&quot;", "\"")
        .replace("&#039;", "'")
        .replace("&#39;", "'")
        .replace("&#8217;", "’")
        .replace("&rsquo;", "’")
        .replace("&nbsp;", " ")
        .replace("&lt;", "<")
        .replace("&gt;", ">")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(title: &str, site: Option<&str>, expected: &str) {
        let url = Url::parse("https://www.dailyplanet.example/a/b").unwrap();
        assert_eq!(without_site(title, site, &url), expected);
    }

    #[test]
    fn the_sites_name_is_cut_off_either_end() {
        check(
            "Flood takes bridge | Daily Planet",
            None,
            "Flood takes bridge",
        );
        check(
            "Daily Planet - Flood takes bridge",
            None,
            "Flood takes bridge",
        );
        check(
            "洪水冲垮大桥_社会_某新闻网",
            Some("某新闻网"),
            "洪水冲垮大桥",
        );
        check("Flood - and then fire", None, "Flood - and then fire");
        check(
            "What the river took from us last night | Opinion",
            None,
            "What the river took from us last night",
        );
    }
    #[test]
    fn a_front_page_bears_the_sites_name() {
        let url = Url::parse("https://www.countypets.example/").unwrap();
        let title = "County Pets | Veterinary Public Health";
        assert_eq!(without_site(title, None, &url), "County Pets");
    }

    #[test]
    fn a_heading_agrees_by_whole_words() {
        assert!(shares_words("What the river took", "The River took it all"));
        assert!(!shares_words(
            "Space to figure things out",
            "Talkspace - therapy"
        ));
        assert!(!shares_words(
            "Family plans for health care",
            "Health insurance"
        ));
    }
}
