//! `<title>` without the names of its site and section.

use url::Url;

use crate::char_counts::is_cjk;

use super::chapter;
use super::title::letters;

/// What stands between a title and the names of its section and site.
pub(super) const SEPARATORS: [&str; 15] = [
    " | ", " - ", " – ", " — ", " :: ", " » ", " « ", " · ", " • ", "_", "｜", " / ", "|", "--",
    "——",
];

/// What the parts of a title tell.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Parts {
    /// Some may be the names of a section and a site that nothing else tells.
    Unknown,
    /// The title for sharing has all of them, and `<title>` goes on behind it.
    Shared,
}

/// Whether a part is the site's whole name, in which a number may stand, or a label of its host.
fn is_name_of_site(part: &str, site_name: Option<&str>, url: &Url) -> bool {
    let part = letters(part);
    let mut labels = url.host_str().unwrap_or("").split('.');
    site_name.map(letters).as_ref() == Some(&part) || labels.any(|label| letters(label) == part)
}

/// Cuts the site's name off a title: the part that is the site's known name or its host's, or else, of
/// [`Parts::Unknown`], a short last part.
pub(super) fn without_site(
    title: &str,
    parts: Parts,
    site_name: Option<&str>,
    url: &Url,
) -> String {
    let label = label_of(url);
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
    if !is_front {
        rest = without_site_before_colon(rest, site_name);
    }
    if let Some((head, tail)) = in_brackets(rest)
        && is_site(tail)
    {
        rest = head.trim();
    }
    let repeated = repeated_separator(rest, &SEPARATORS);
    // The separator before what was cut off last.
    let mut cut = None;
    // At most four parts are cut: section, site, slogan.
    for _ in 0..4 {
        let Some((at, separator)) = last_separator(rest) else {
            break;
        };
        let (head, tail) = (&rest[..at], &rest[at + separator.len()..]);
        let (head, tail) = (head.trim(), tail.trim());
        let is_chapter = chapter::told(tail).is_some() && !is_name_of_site(tail, site_name, url);
        if is_site(tail) && !head.is_empty() && !is_chapter {
            rest = head;
            cut = Some(separator);
            continue;
        }
        let first = SEPARATORS.map(|separator| places(rest, separator).next());
        let first = first.into_iter().flatten().min_by_key(|(at, _)| *at);
        // On a site's front page its name is the title.
        if let Some((first_at, first)) = first
            && !is_front
            && is_site(rest[..first_at].trim())
            && rest[first_at + first.len()..].trim().chars().count() >= 4
        {
            rest = rest[first_at + first.len()..].trim();
            continue;
        }
        if parts == Parts::Shared || is_chapter {
            break;
        }
        // What follows the last bar is a section or a slogan, and so is what follows the same bar before it. In Chinese,
        // Japanese and Korean another before that may stand within the title. As bars do a `_` in Chinese outside of a name (`get_user`) and the
        // same sign twice.
        let is_repeated = repeated == Some(separator);
        let is_underscore = || separator == "_" && !is_in_name(rest, at);
        let is_bar = matches!(separator.trim(), "|" | "｜") || is_underscore() || is_repeated;
        let goes_on = cut.is_none_or(|cut| cut == separator) || is_repeated;
        if is_bar && (goes_on || !head.contains(is_cjk)) && words(head) >= 2 {
            rest = head;
            cut = Some(separator);
            continue;
        }
        if is_unknown_name((head, tail), separator, cut) {
            rest = head;
            cut = Some(separator);
            continue;
        }
        break;
    }
    rest.to_owned()
}

/// The places of a separator in a title. French quotation marks part nothing, though blanks stand beside them.
pub(super) fn places<'s>(
    title: &str,
    separator: &'s str,
) -> impl Iterator<Item = (usize, &'s str)> {
    let found = title.match_indices(separator).map(|(at, _)| at);
    found
        .filter(|at| !is_quotation(title, *at, separator))
        .map(move |at| (at, separator))
}

/// Whether a « at a place of a title has its » behind it, or a » its « before it.
pub(super) fn is_quotation(title: &str, at: usize, separator: &str) -> bool {
    let (before, behind) = (&title[..at], &title[at + separator.len()..]);
    match separator.trim() {
        "«" => behind.contains('»'),
        "»" => before
            .rfind('«')
            .is_some_and(|open| !before[open..].contains('»')),
        _ => false,
    }
}

/// The last separator of a title.
fn last_separator(title: &str) -> Option<(usize, &'static str)> {
    let last = SEPARATORS.map(|separator| places(title, separator).last());
    let last = last.into_iter().chain([last_hyphen(title)]).flatten();
    last.max_by_key(|(at, _)| *at)
}

/// What stands behind the last separator of a title.
pub(super) fn last_part(title: &str) -> Option<&str> {
    last_separator(title).map(|(at, separator)| title[at + separator.len()..].trim())
}

/// Whether what stands behind a separator is the name of a site though nothing tells it: a short part after a long
/// one, set off by blanks.
fn is_unknown_name((head, tail): (&str, &str), separator: &str, cut: Option<&str>) -> bool {
    let is_further = separator == HYPHEN && cut == Some(HYPHEN);
    let times = if is_further { 1 } else { 2 };
    let is_long = words(head) >= 4 && words(head) > times * words(tail);
    // The dash of Chinese also stands before a subtitle.
    let is_apart = separator.len() > 1 || matches!(separator, "_" | HYPHEN);
    is_long && separator != "——" && is_apart
}

/// The first part of a host's name, which often is the site's.
pub(super) fn label_of(url: &Url) -> String {
    let host = url.host_str().unwrap_or("");
    let label = host.trim_start_matches("www.").split('.').next();
    label.map(letters).unwrap_or_default()
}

/// "Daily Planet: Flood takes bridge", as Blogger writes it, without the site.
fn without_site_before_colon<'t>(title: &'t str, site_name: Option<&str>) -> &'t str {
    let is_site = |head: &str| site_name.is_some_and(|site| letters(site) == letters(head));
    match title.split_once(": ") {
        Some((head, tail)) if is_site(head) => tail.trim(),
        _ => title,
    }
}

/// Parts a title from its site in Chinese, Japanese and Korean, and the two in a name: COVID-19.
const HYPHEN: &str = "-";

/// The last hyphen between characters of these scripts; a title may end in a mark of them.
fn last_hyphen(title: &str) -> Option<(usize, &'static str)> {
    let is_end = |c: char| is_cjk(c) || "？！）》」』】”…".contains(c);
    let mut found = title.rmatch_indices(HYPHEN).filter(|(at, _)| {
        let ends = title[..*at].chars().next_back().is_some_and(is_end);
        ends && title[at + HYPHEN.len()..].starts_with(is_cjk)
    });
    found.next().map(|(at, _)| (at, HYPHEN))
}

/// Whether the `_` at a place stands between letters or digits of ASCII, as in the names of programs.
pub(super) fn is_in_name(text: &str, at: usize) -> bool {
    let is_ascii = |c: Option<char>| c.is_some_and(|c| c.is_ascii_alphanumeric());
    is_ascii(text[..at].chars().next_back()) && is_ascii(text[at + 1..].chars().next())
}

/// The separator between blanks that parts a title in Chinese, Japanese or Korean into three or more: what
/// stands behind the first are sections and the site. In other scripts the first may be a section.
fn repeated_separator<'s>(title: &str, separators: &[&'s str]) -> Option<&'s str> {
    let mut blank = separators
        .iter()
        .filter(|separator| separator.starts_with(' '));
    let first_is_cjk = |separator: &str| {
        let first = title.split(separator).next().unwrap_or_default();
        first.chars().any(is_cjk)
    };
    blank
        .find(|separator| places(title, separator).count() > 1 && first_is_cjk(separator))
        .copied()
}

/// A title and the site's name in square brackets at its end: "The eel fisher [Marsh walks]".
pub(super) fn in_brackets(title: &str) -> Option<(&str, &str)> {
    let (head, site) = title.strip_suffix(']')?.rsplit_once(" [")?;
    Some((head, site))
}

/// The number of words; in Chinese, Japanese and Korean each character counts as one.
pub(super) fn words(text: &str) -> usize {
    crate::char_counts::CharCounts::of(text).words as usize
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(title: &str, site: Option<&str>, expected: &str) {
        let url = Url::parse("https://www.dailyplanet.example/a/b").unwrap();
        assert_eq!(without_site(title, Parts::Unknown, site, &url), expected);
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
        check("海堤修复工程启动_山城新闻_山城网", None, "海堤修复工程启动");
        check("海堤 - 水利工程 - 某百科", None, "海堤");
        check(
            "海堤修复工程启动——山城网",
            Some("山城网"),
            "海堤修复工程启动",
        );
        check("大江大河——记三峡", None, "大江大河——记三峡");
        check("小城书店如何活下来-河畔网", None, "小城书店如何活下来");
        check(
            "海堤修复工程启动-政务公开-某市政府",
            None,
            "海堤修复工程启动",
        );
        check("小城书店如何活下来？-河畔网", None, "小城书店如何活下来？");
        check("从零到一-我的创业路", None, "从零到一-我的创业路");
        check("COVID-19疫情回顾文章", None, "COVID-19疫情回顾文章");
        check("get_user_by_id 的用法", None, "get_user_by_id 的用法");
        check("docs - The river - Stack", None, "docs - The river - Stack");
        check("Flood - and then fire", None, "Flood - and then fire");
        // Quotation marks of French were taken for separators.
        let quoted = "Le retour triomphal de la comédie musicale « Les Misérables » à Paris";
        check(quoted, None, quoted);
        check(&format!("{quoted} « Le Journal"), None, quoted);
        check(&format!("Daily Planet » {quoted}"), None, quoted);
        check(
            "What the river took from us last night | Opinion",
            None,
            "What the river took from us last night",
        );
    }
    #[test]
    fn a_numbered_part_of_a_work_is_no_site() {
        for title in [
            "我在乡下开书店的故事-第三章",
            "从北京到上海的高铁之旅-第三天",
            "我在乡下开书店的故事_第三章",
            "The long way over the marsh to the sea - Part 2",
            "Der lange Weg über das Moor bis ans Meer - 3. Teil",
            "田舎で本屋を開いた私の話 | 後編",
            "시골에서 책방을 연 나의 이야기 - 3화",
        ] {
            check(title, None, title);
            check(&format!("{title} - Marsh 2"), Some("Marsh 2"), title);
            check(&format!("{title} - Daily Planet"), None, title);
        }
        let title = "The long way over the marsh to the sea";
        check(&format!("{title} - Page 2"), None, title);
        for channel in ["Channel 4", "TV 2", "NDR 2", "Canal 13"] {
            check(&format!("{title} - {channel}"), None, title);
        }
        let url = Url::parse("https://nyheder.24.example/a/b").unwrap();
        let of_host = format!("{title} - 24");
        assert_eq!(without_site(&of_host, Parts::Unknown, None, &url), title);
        check(&format!("{title} - 9to5Eels"), None, title);
        check(
            "我在乡下开书店的故事-第一财经",
            None,
            "我在乡下开书店的故事",
        );
    }

    #[test]
    fn a_front_page_bears_the_sites_name() {
        let url = Url::parse("https://www.countypets.example/").unwrap();
        let title = "County Pets | Veterinary Public Health";
        assert_eq!(
            without_site(title, Parts::Unknown, None, &url),
            "County Pets"
        );
    }

    #[test]
    fn a_bar_before_the_last_may_stand_within_a_title() {
        check(
            "三天两晚｜一个人的徽州慢旅行 - 某红书",
            None,
            "三天两晚｜一个人的徽州慢旅行",
        );
        check(
            "三天两晚|一个人的徽州慢旅行_某某新闻",
            None,
            "三天两晚|一个人的徽州慢旅行",
        );
        check("海堤修复工程启动|社会|山城网", None, "海堤修复工程启动");
        check(
            "海堤修复工程启动|Daily Planet - 山城网",
            Some("山城网"),
            "海堤修复工程启动",
        );
        let url = Url::parse("https://www.dailyplanet.example/a/b").unwrap();
        let title = without_site("观察｜小城书店如何活下来", Parts::Shared, None, &url);
        assert_eq!(title, "观察｜小城书店如何活下来");
    }
}
