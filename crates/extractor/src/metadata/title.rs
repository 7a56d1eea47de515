//! The page's title, without the site's name.
//!
//! Nearly every page has a `<title>`, and nearly every `<title>` has the site's name in it. `<h1>` is
//! the title that readers see, unless it is the logo or one of many. So the sources are compared: a
//! heading that `<title>` repeats is the title, and of two the one nearer to the content; otherwise the title for
//! sharing; otherwise `<title>` without the site's name. A field for the title alone, as Chinese authorities must declare it, is taken as it is.

use std::cmp::Ordering;

use html5ever::local_name;
use url::Url;

use crate::class_hints::Hint;
use crate::dom::Attributes;
use crate::flat_dom::{ElementIndex, FlatDom};
use crate::structured::Structured;
use crate::survey::Survey;
use crate::tag::Tag;

use super::{element_text, short, unescaped};

/// The title of a page; `main` tells which runs are its content.
pub(super) fn find(
    flat: &FlatDom<'_>,
    survey: &Survey,
    structured: &Structured,
    main: &[bool],
    site_name: Option<&str>,
    url: &Url,
) -> Option<String> {
    let sources = Sources::gather(flat, survey, structured, main, site_name, url);
    let chosen = declared(flat)
        .or_else(|| sources.nearer_heading())
        .or_else(|| sources.leading_heading())
        .or_else(|| sources.agreed_heading())
        .or_else(|| sources.only_heading())
        .or_else(|| sources.said_part(survey, main))
        .map(str::to_owned);
    let Sources {
        clean,
        shared,
        headline,
        headings,
        ..
    } = sources;
    chosen
        .or(shared)
        .or(headline)
        .or_else(|| Some(clean).filter(|title| !title.is_empty()))
        .or_else(|| {
            let mut headings = headings.into_iter();
            let heading = headings.find(|heading| !heading.is_home);
            heading.map(|heading| heading.text)
        })
        .or_else(|| Some(short(&flat.title)).filter(|title| !title.is_empty()))
}

/// The title of the article alone, which China's authorities declare beside the names of the site and the section.
fn declared<'a>(flat: &FlatDom<'a>) -> Option<&'a str> {
    let title = flat.meta(&["ArticleTitle"])?;
    let is_other = ["SiteName", "ColumnName"]
        .iter()
        .any(|name| flat.meta(&[name]) == Some(title));
    (!is_other && title.chars().any(char::is_alphanumeric)).then_some(title)
}

/// Everything that may be the title.
struct Sources {
    /// `<title>`.
    whole: String,
    /// `<title>` without the site's name.
    clean: String,
    /// The title for sharing (Open Graph, Twitter, Dublin Core), without the site's name.
    shared: Option<String>,
    /// The headline of JSON-LD.
    headline: Option<String>,
    headings: Vec<Heading>,
    /// The site's name, or what its logo says.
    site_name: Option<String>,
}

/// A heading that may be the title.
struct Heading {
    text: String,
    /// Letters and digits of the text in lower case, for comparison.
    letters: String,
    level: u8,
    /// It leads to the site's front page, as a logo does.
    is_home: bool,
    /// Runs between it and the beginning of the content.
    distance: usize,
}

impl Sources {
    fn gather(
        flat: &FlatDom<'_>,
        survey: &Survey,
        structured: &Structured,
        main: &[bool],
        site_name: Option<&str>,
        url: &Url,
    ) -> Sources {
        let whole = Some(short(&flat.title)).filter(|title| !is_empty(title));
        let whole = whole.unwrap_or_default();
        let headings = headings(flat, survey, main, &whole, url);
        let home = headings.iter().find(|heading| heading.is_home);
        let logo = home.map(|heading| heading.text.clone());
        let site_name = site_name.map(str::to_owned).or(logo);
        let shared = flat.meta(&["og:title", "twitter:title", "dc.title"]);
        let shared = shared.map(|title| without_site(&short(title), site_name.as_deref(), url));
        let headline = structured.headline.as_deref();
        let headline = headline.map(|title| short(&unescaped(title)));
        Sources {
            clean: without_site(&whole, site_name.as_deref(), url),
            shared: shared.filter(|title| !title.is_empty()),
            headline: headline.filter(|title| !title.is_empty()),
            headings,
            whole,
            site_name,
        }
    }

    /// The shared title, or `<title>` without the site's name where nothing is shared.
    fn reference(&self) -> &str {
        self.shared.as_deref().unwrap_or(&self.clean)
    }

    fn is_site(&self, heading: &Heading) -> bool {
        let site = self.site_name.as_deref().map(letters);
        heading.is_home || site.as_ref() == Some(&heading.letters)
    }

    /// Where one heading repeats an end of `<title>` and another one the rest: that nearer to the content. The other
    /// one is the site's name or a section's, though it often stands at a higher level.
    fn nearer_heading(&self) -> Option<&str> {
        let repeats = |part: &str| {
            let part = letters(part);
            let of_part = move |heading: &&Heading| !part.is_empty() && heading.letters == part;
            let found = self.headings.iter().filter(of_part);
            found.min_by_key(|heading| heading.distance)
        };
        SEPARATORS.into_iter().find_map(|separator| {
            let first = self.whole.split_once(separator);
            let ends = first.into_iter().chain(self.whole.rsplit_once(separator));
            ends.into_iter().find_map(|(head, tail)| {
                let (head, tail) = (repeats(head)?, repeats(tail)?);
                let nearer = match head.distance.cmp(&tail.distance) {
                    Ordering::Less => head,
                    Ordering::Greater => tail,
                    Ordering::Equal => return None,
                };
                (!self.is_site(nearer)).then_some(nearer.text.as_str())
            })
        })
    }

    /// A first-level heading that repeats the first part of `<title>`: the rest of `<title>` is
    /// written for search engines. But if another heading or the shared title repeats the rest, the
    /// first part is the site's name, and what stands below a heading that is the shared title is a part of the page.
    fn leading_heading(&self) -> Option<&str> {
        let shared = letters(self.reference());
        let is_shared = |heading: &Heading| heading.letters == shared;
        let last = self.headings.iter().position(is_shared);
        let leading = last.map_or(&*self.headings, |last| &self.headings[..=last]);
        let is_leading = |heading: &&Heading| {
            heading.level == 1
                && !heading.letters.is_empty()
                && !self.is_site(heading)
                && first_parts(&self.whole).any(|(part, rest)| {
                    let rest = letters(rest);
                    letters(part) == heading.letters
                        && shared != rest
                        && !self.headings.iter().any(|other| other.letters == rest)
                })
        };
        let found = leading.iter().find(is_leading);
        found.map(|heading| heading.text.as_str())
    }

    /// The longest heading that stands in `<title>` or in the shared title and is at least half of
    /// it. The words of a logo stand in `<title>`, too, but are less than half of it.
    fn agreed_heading(&self) -> Option<&str> {
        let shared = letters(self.reference());
        let half = letters(&self.clean)
            .chars()
            .count()
            .min(shared.chars().count())
            / 2;
        let whole = letters(&self.whole);
        let first_part = letters(first_segment(&self.whole));
        let agrees = |heading: &&Heading| {
            let count = heading.letters.chars().count();
            let is_whole = count >= 4
                && (count >= half || heading.letters == first_part)
                && (whole.contains(&heading.letters) || shared.contains(&heading.letters));
            (is_whole || self.is_name_first(heading)) && !self.is_site(heading)
        };
        let agreeing = self.headings.iter().filter(agrees);
        agreeing
            .max_by_key(|heading| heading.letters.chars().count())
            .map(|heading| heading.text.as_str())
    }

    /// Whether a heading right over the content, of two characters or more in Chinese, is the first part of
    /// `<title>`, as the names of people are. If another heading repeats the rest, the first part is the site's name.
    fn is_name_first(&self, heading: &Heading) -> bool {
        const RUNS_MAX: usize = 4;
        let Some(rest) = self.whole.strip_prefix(&heading.text) else {
            return false;
        };
        let others = letters(rest);
        heading.distance <= RUNS_MAX
            && heading.letters.chars().nth(1).is_some()
            && heading.letters.chars().all(crate::char_counts::is_cjk)
            && rest.starts_with(|c: char| !c.is_alphanumeric())
            && !self.headings.iter().any(|other| other.letters == others)
    }

    /// A line near the beginning of the content that is one end of `<title>` and at least half of it, where nothing
    /// else tells which end is the site's.
    fn said_part<'s>(&self, survey: &'s Survey, main: &[bool]) -> Option<&'s str> {
        const RUNS_BEFORE: usize = 12;
        const RUNS_BEHIND: usize = 4;
        if self.shared.is_some() || self.headline.is_some() {
            return None;
        }
        let half = letters(&self.whole).chars().count().div_ceil(2);
        let first = main.iter().position(|&kept| kept).unwrap_or(0);
        let near = first.saturating_sub(RUNS_BEFORE)..first + RUNS_BEHIND;
        let is_apart = |c: Option<char>| c.is_some_and(|c| !c.is_alphanumeric());
        let is_part = |text: &&str| {
            let is_last = self.whole.strip_suffix(text);
            let is_first = self.whole.strip_prefix(text);
            let is_end = is_last.is_some_and(|rest| is_apart(rest.chars().next_back()))
                || is_first.is_some_and(|rest| is_apart(rest.chars().next()));
            let count = letters(text).chars().count();
            is_end && count >= half.max(4) && self.site_name.as_deref() != Some(text)
        };
        let lines = near.filter_map(|run| survey.texts.get(run));
        lines.map(String::as_str).find(is_part)
    }

    /// The page's only first-level heading, if it has several words and shares some with `<title>`
    /// or is the headline of JSON-LD: the slogan over a landing page shares none.
    fn only_heading(&self) -> Option<&str> {
        let mut first_level = self
            .headings
            .iter()
            .filter(|heading| heading.level == 1 && !heading.is_home);
        let (Some(only), None) = (first_level.next(), first_level.next()) else {
            return None;
        };
        let is_headline =
            || self.headline.as_deref().map(letters).as_deref() == Some(&only.letters);
        let is_title = words(&only.text) >= 4
            && (shares_words(&only.text, &self.whole) || is_headline())
            || is_name_of_page(&self.clean) && words(&only.text) >= 2;
        is_title.then_some(only.text.as_str())
    }
}

/// Whether a `<title>` is what a program wrote for want of one: nothing before the site's name, or a word for it.
fn is_empty(title: &str) -> bool {
    let mut apart = SEPARATORS.iter().filter(|one| one.starts_with(' '));
    is_placeholder(title) || apart.any(|one| title.starts_with(one.trim_start()))
}

fn is_placeholder(title: &str) -> bool {
    const PLACEHOLDERS: [&str; 12] = [
        "untitled",
        "untitleddocument",
        "untitledpage",
        "newpage1",
        "notitle",
        "document",
        "index",
        "无标题文档",
        "无标题页",
        "無標題文件",
        "新建网页1",
        "無題ドキュメント",
    ];
    PLACEHOLDERS.contains(&letters(title).as_str())
}

/// Whether a title is a name that a program gives to a page: one word with marks within, "howto:lock_gates".
fn is_name_of_page(title: &str) -> bool {
    let is_mark = |c| matches!(c, ':' | '_' | '/');
    !title.contains(' ')
        && title.is_ascii()
        && title
            .trim_matches(|c: char| !c.is_alphanumeric())
            .contains(is_mark)
}

/// The first-level headings, and near the beginning of the content the second-level ones and those of
/// lower levels that are named as titles.
fn headings(
    flat: &FlatDom<'_>,
    survey: &Survey,
    main: &[bool],
    title: &str,
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
                let text = text.trim_end_matches(['¶', '#', ' ']).to_owned();
                let letters = letters(&text);
                let is_in_brackets =
                    is_linked(flat, index as u32) && in_brackets.as_deref() == Some(&letters);
                out.push(Heading {
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

/// A title and the site's name in square brackets at its end: "The eel fisher [Marsh walks]".
fn in_brackets(title: &str) -> Option<(&str, &str)> {
    let (head, site) = title.strip_suffix(']')?.rsplit_once(" [")?;
    Some((head, site))
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
        && (heading + 1..element.end)
            .filter_map(|at| {
                let href = local_name!("href");
                flat.elements[at as usize].element.attribute(&href)
            })
            .all(|href| {
                let target = weburl::resolve(url, href.trim());
                target.is_some_and(|target| is_front(&target) && target.host() == url.host())
            })
}

/// A title up to the first bar or dash between blanks.
fn first_segment(title: &str) -> &str {
    title
        .split(['|', '｜'])
        .next()
        .and_then(|head| head.split(" - ").next())
        .unwrap_or(title)
        .trim()
}

/// A title split in two at each kind of separator that may end its first part.
fn first_parts(title: &str) -> impl Iterator<Item = (&str, &str)> {
    ["|", "｜", " - ", " – ", " — ", " :: ", " · ", ": "]
        .into_iter()
        .filter_map(|separator| title.split_once(separator))
        .map(|(head, rest)| (head.trim(), rest.trim()))
}

/// Whether half of a heading's words of four letters or more are words of the title. Always true
/// for a heading in Chinese, Japanese or Korean.
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

/// What stands between a title and the names of its section and site.
const SEPARATORS: [&str; 15] = [
    " | ", " - ", " – ", " — ", " :: ", " » ", " « ", " · ", " • ", "_", "｜", " / ", "|", "--",
    "——",
];

/// Cuts the site's name off a title: the part that is the site's known name or its host's, or else a
/// short last part.
fn without_site(title: &str, site_name: Option<&str>, url: &Url) -> String {
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
    // "Daily Planet: Flood takes bridge", as Blogger writes it.
    if let Some((head, tail)) = rest.split_once(": ")
        && !is_front
        && site_name.is_some_and(|site| letters(site) == letters(head))
    {
        rest = tail.trim();
    }
    if let Some((head, tail)) = in_brackets(rest)
        && is_site(tail)
    {
        rest = head.trim();
    }
    let repeated = repeated_separator(rest, &SEPARATORS);
    // At most four parts are cut: section, site, slogan.
    for _ in 0..4 {
        let found = |find: fn(&str, &'static str) -> Option<usize>| {
            SEPARATORS.map(|separator| find(rest, separator).map(|at| (at, separator)))
        };
        let last = found(|rest, separator| rest.rfind(separator));
        let Some((at, separator)) = last.into_iter().flatten().max_by_key(|(at, _)| *at) else {
            break;
        };
        let (head, tail) = (&rest[..at], &rest[at + separator.len()..]);
        let (head, tail) = (head.trim(), tail.trim());
        if is_site(tail) && !head.is_empty() {
            rest = head;
            continue;
        }
        let first = found(|rest, separator| rest.find(separator));
        let Some((first_at, first)) = first.into_iter().flatten().min_by_key(|(at, _)| *at) else {
            break;
        };
        let before = rest[..first_at].trim();
        let after = rest[first_at + first.len()..].trim();
        // On a site's front page its name is the title.
        if is_site(before) && after.chars().count() >= 4 && !is_front {
            rest = after;
            continue;
        }
        // A bar never stands within a title: what follows it is a section or a slogan. Nor does a `_` in Chinese
        // outside of a name (`get_user`), or the same sign twice.
        let is_bar = matches!(separator.trim(), "|" | "｜")
            || separator == "_" && !is_in_name(rest, at)
            || repeated == Some(separator);
        if is_bar && words(head) >= 2 {
            rest = head;
            continue;
        }
        // An unknown name: a short part after a long one, set off by blanks.
        let long = words(head) >= 4 && words(head) > 2 * words(tail);
        // The dash of Chinese also stands before a subtitle.
        if long && separator != "——" && (separator.len() > 1 || separator == "_") {
            rest = head;
            continue;
        }
        break;
    }
    rest.to_owned()
}

/// Whether the `_` at a place stands between letters or digits of ASCII, as in the names of programs.
fn is_in_name(text: &str, at: usize) -> bool {
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
        first.chars().any(crate::char_counts::is_cjk)
    };
    blank
        .find(|separator| title.matches(**separator).count() > 1 && first_is_cjk(separator))
        .copied()
}

/// The number of words; in Chinese, Japanese and Korean each character counts as one.
fn words(text: &str) -> usize {
    crate::char_counts::CharCounts::of(text).words as usize
}

/// Letters and digits in lower case.
pub(super) fn letters(text: &str) -> String {
    text.chars()
        .filter(|c| c.is_alphanumeric())
        .flat_map(char::to_lowercase)
        .collect()
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
        check("海堤修复工程启动_山城新闻_山城网", None, "海堤修复工程启动");
        check("海堤 - 水利工程 - 某百科", None, "海堤");
        check(
            "海堤修复工程启动——山城网",
            Some("山城网"),
            "海堤修复工程启动",
        );
        check("大江大河——记三峡", None, "大江大河——记三峡");
        check("get_user_by_id 的用法", None, "get_user_by_id 的用法");
        check("docs - The river - Stack", None, "docs - The river - Stack");
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

    #[track_caller]
    fn check_page(head: &str, body: &str, expected: &str) {
        let text =
            "<p>The river rose again on Thursday night, and took the old stone bridge with it.</p>"
                .repeat(3);
        let page = format!("<head>{head}</head><body>{body}{text}");
        let url = Url::parse("https://www.marsh.example/2012/03/eel.html").unwrap();
        let page = crate::extract(&page, &crate::PageContext::new(&url));
        assert_eq!(page.title.as_deref(), Some(expected), "{head} {body}");
    }

    #[test]
    fn a_heading_that_leads_to_the_front_page_is_the_sites_name() {
        let logo = "<h1 class=title><a href=/>Marsh walks</a></h1>";
        let title = "<title>Marsh walks: The eel fisher</title>";
        check_page(
            title,
            &format!("{logo}<h3 class=entry-title>The eel fisher</h3>"),
            "The eel fisher",
        );
        check_page(title, logo, "The eel fisher");
        check_page(
            title,
            "<h1>Marsh walks: The eel fisher</h1>",
            "Marsh walks: The eel fisher",
        );
    }

    #[test]
    fn of_two_headings_that_the_title_repeats_that_nearer_to_the_content_is_the_title() {
        let text = "<p>The eels come up with the tide of spring, while the days are short and the wind \
            is still cold, and go down again with the last tide of autumn, when nobody sees them leave.";
        let page = format!("<h2>The eel fisher</h2>{}", text.repeat(5));
        let bar = "<nav><ul><li>Search<li>Print</ul><h1>Marsh walks, the book</h1><a href=/a>Next</a></nav>";
        let footer = "<footer><p>Imprint<p>Contact<h1>Marsh walks, the book</h1></footer>";
        for title in [
            "The eel fisher - Marsh walks, the book",
            "Marsh walks, the book - The eel fisher",
        ] {
            let title = format!("<title>{title}</title>");
            check_page(&title, &format!("{bar}{page}"), "The eel fisher");
            check_page(&title, &format!("{page}{footer}"), "The eel fisher");
        }
    }

    #[test]
    fn a_heading_in_an_answer_is_no_title_though_the_title_begins_with_its_word() {
        let head = "<title>eels - How do I catch them all? - Marsh walks</title>\
            <meta property=og:title content='How do I catch them all?'>";
        let text = "<p>They come up with the tide of spring, and go down with that of autumn.</p>";
        let body = format!("<h1>How do I catch them all?</h1>{text}<h1>Eels</h1>");
        check_page(head, &body, "How do I catch them all?");
    }

    #[test]
    fn nothing_before_the_sites_name_is_no_title() {
        check_page(
            "<title> | Marsh walks</title>",
            "<h1>The eels</h1>",
            "The eels",
        );
        check_page("<title> | Marsh walks</title>", "", "| Marsh walks");
    }

    #[test]
    fn a_linked_heading_in_brackets_at_the_end_of_the_title_is_the_sites_name() {
        let logo = "<h1 class=logo><a href=/doku.php?id=start>Marsh walks</a></h1>";
        for title in [
            "howto:eel_fisher [Marsh walks]",
            "The eel fisher [Marsh walks]",
        ] {
            check_page(
                &format!("<title>{title}</title>"),
                &format!("{logo}<h1>The eel fisher</h1>"),
                "The eel fisher",
            );
        }
        let title = "<title>The eel fisher [Marsh walks]</title>";
        check_page(title, logo, "The eel fisher");
    }

    #[test]
    fn the_title_that_authorities_declare_is_the_title() {
        let head = "<title>某市人民政府 政策文件 海堤修复</title><meta name=SiteName content=某市人民政府>";
        let named = |title: &str| format!("{head}<meta name=ArticleTitle content={title}>");
        check_page(&named("海堤修复"), "<h1>某市人民政府</h1>", "海堤修复");
        check_page(&named("某市人民政府"), "", "某市人民政府 政策文件 海堤修复");
    }

    #[test]
    fn a_short_name_over_the_text_that_the_title_begins_with_is_the_title() {
        let title = "<title>陈涛-某某大学计算机学院</title>";
        check_page(title, "<div><h2>陈涛</h2><p>职称：教授</p></div>", "陈涛");
        let title = "<title>学院-海堤修复工程</title>";
        check_page(title, "<h2>学院</h2><h2>海堤修复工程</h2>", "海堤修复工程");
    }

    #[test]
    fn a_line_that_is_the_longer_end_of_the_title_is_the_title() {
        for (title, line) in [
            (
                "某某学院>>通知公告>>海堤修复工程方案发布",
                "海堤修复工程方案发布",
            ),
            ("某某学院-海堤修复工程", "海堤修复工程"),
            (
                "Marsh :: View topic - What the eel fisher took",
                "What the eel fisher took",
            ),
        ] {
            let head = format!("<title>{title}</title>");
            check_page(&head, &format!("<div>{line}</div>"), line);
        }
    }

    #[test]
    fn what_a_program_writes_for_want_of_a_title_gives_way_to_the_heading() {
        for title in ["无标题文档", "Untitled Document", "Untitled", "New Page 1"] {
            check_page(
                &format!("<title>{title}</title>"),
                "<h2>海堤修复</h2>",
                "海堤修复",
            );
        }
    }
}
