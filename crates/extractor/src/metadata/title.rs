//! The page's title, without the site's name.
//!
//! Nearly every page has a `<title>`, and nearly every `<title>` has the site's name in it. `<h1>` is
//! the title that readers see, unless it is the logo or one of many. So the sources are compared: a
//! heading that `<title>` repeats is the title, and of two the one nearer to the content; otherwise the title for
//! sharing; otherwise `<title>` without the site's name. The author's name is no title where another heading is. A field for
//! the title alone, as Chinese authorities must declare it, is taken as it is.

use std::cmp::Ordering;

use url::Url;

use crate::flat_dom::FlatDom;
use crate::structured::Structured;
use crate::survey::Survey;

use super::chapter;
use super::heading::{Heading, headings, of_two, without_authors};
use super::without_site::{Parts, SEPARATORS, without_site, words};
use super::{short, unescaped, untitled};

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
        .or(sources.of_two.as_deref())
        .or_else(|| sources.nearer_heading())
        .or_else(|| sources.leading_heading())
        .or_else(|| sources.agreed_heading())
        .or_else(|| sources.only_heading())
        .or_else(|| sources.said_part(survey, main))
        .or(sources.shared.as_deref())
        .map(|title| sources.with_chapter(title).to_owned());
    let Sources {
        clean,
        headline,
        headings,
        ..
    } = sources;
    chosen
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
    /// Those that are not the author's name.
    headings: Vec<Heading>,
    /// The title in two headings that together are `<title>`.
    of_two: Option<String>,
    /// Whether `<title>` begins with a sign that parts it from nothing: no site's name is in it.
    is_after_sign: bool,
    /// The site's name, or what its logo says.
    site_name: Option<String>,
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
        let mut whole = short(&flat.title);
        let author = flat.meta(&["dc.creator", "dcterms.creator", "author"]);
        let author = author.or(structured.author.as_deref()).map(letters);
        let headings = headings(flat, survey, main, &whole, author.as_deref(), url);
        let is_after_sign = untitled::behind_sign(&whole).is_some();
        whole = untitled::without_sign(whole, flat, survey, &headings, site_name, url);
        let home = headings.iter().find(|heading| heading.is_home);
        let logo = home.map(|heading| heading.text.clone());
        let site_name = site_name.map(str::to_owned).or(logo);
        let shared = flat.meta(&["og:title", "twitter:title", "dc.title"]);
        let shared = shared.map(short);
        let goes_on = |title: &String| {
            let rest = whole.strip_prefix(title.as_str());
            title.contains(crate::char_counts::is_cjk)
                && rest.is_some_and(|rest| rest.starts_with(|c: char| !c.is_alphanumeric()))
        };
        // In Chinese, Japanese and Korean a title that begins with that for sharing has the site behind it.
        let site = site_name.as_deref();
        let mut parts = Parts::Unknown;
        let mut clean = without_site(&whole, parts, site, url);
        let is_chapter = |title: &String| {
            let behind = clean.strip_prefix(title.as_str());
            behind.is_some_and(chapter::is_one)
        };
        let mut whole_shared = shared.iter().filter(|title| goes_on(title));
        if let Some(title) = whole_shared.find(|title| !is_chapter(title)) {
            parts = Parts::Shared;
            clean = without_site(title, parts, site, url);
        }
        let shared = shared
            .as_ref()
            .map(|title| without_site(title, parts, site, url));
        let titles: Vec<&str> = [Some(&whole), Some(&clean), shared.as_ref()]
            .into_iter()
            .flatten()
            .map(String::as_str)
            .collect();
        let of_two = of_two(&headings, &titles, site);
        let headings = without_authors(headings, &whole);
        let headline = structured.headline.as_deref();
        let headline = headline.map(|title| short(&unescaped(title)));
        Sources {
            clean,
            shared: shared.filter(|title| !title.is_empty()),
            headline: headline.filter(|title| !title.is_empty()),
            headings,
            of_two,
            is_after_sign: is_after_sign && !whole.is_empty(),
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

    /// A title with the part of a work behind it that `<title>` has: all parts of a work have its name over them.
    fn with_chapter<'t>(&'t self, title: &'t str) -> &'t str {
        let behind = self.clean.strip_prefix(title).unwrap_or_default();
        let is_apart = behind.starts_with(|c: char| !c.is_alphanumeric());
        match is_apart && chapter::is_one(behind) {
            true => &self.clean,
            false => title,
        }
    }

    /// Where one heading repeats the beginning of `<title>` and another one the rest: the first, if it is nearer to the
    /// content. The other one is the site's name, though it often stands at a higher level. Behind the title a section
    /// may be named ("The eel fisher - Reviews"), so the rest is the title only where the first stands in a menu.
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
                    Ordering::Less => Some(head),
                    Ordering::Greater => Some(tail).filter(|_| head.is_in_menu),
                    Ordering::Equal => None,
                };
                let nearer = nearer.filter(|nearer| !self.is_site(nearer))?;
                Some(nearer.text.as_str())
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
            let is_own = heading.level == 1 || heading.letters == shared;
            (is_whole || self.is_name_first(heading))
                && !self.is_site(heading)
                && (is_own || !self.is_amid_words(heading))
        };
        let agreeing = self.headings.iter().filter(agrees);
        agreeing
            .max_by_key(|heading| heading.letters.chars().count())
            .map(|heading| heading.text.as_str())
    }

    /// Whether a heading stands in `<title>` behind other words of the same part: "In core::ops" over a menu, in
    /// "Sub in core::ops - Rust".
    fn is_amid_words(&self, heading: &Heading) -> bool {
        let whole = self.whole.to_lowercase();
        let at = whole.find(&heading.text.to_lowercase());
        let before = at.map_or("", |at| whole[..at].trim_end());
        before.ends_with(char::is_alphanumeric)
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
            // Where a heading has the other end in it, that one is not the site's.
            let rest = letters(is_last.or(is_first).unwrap_or_default());
            let has_rest = |heading: &Heading| !heading.is_home && heading.letters.contains(&rest);
            let is_other = rest.chars().count() >= 4 && self.headings.iter().any(has_rest);
            is_end && !is_other && count >= half.max(4) && self.site_name.as_deref() != Some(text)
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
        if self.is_after_sign {
            return None;
        }
        let is_headline =
            || self.headline.as_deref().map(letters).as_deref() == Some(&only.letters);
        let is_title = words(&only.text) >= 4
            && (shares_words(&only.text, &self.whole) || is_headline())
            || is_name_of_page(&self.clean) && words(&only.text) >= 2;
        is_title.then_some(only.text.as_str())
    }
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

/// Letters and digits in lower case.
pub(crate) fn letters(text: &str) -> String {
    text.chars()
        .filter(|c| c.is_alphanumeric())
        .flat_map(char::to_lowercase)
        .collect()
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

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
    pub(in crate::metadata) fn check_page(head: &str, body: &str, expected: &str) {
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
        // A section over the text is named behind the title.
        let meta = "<p>By the marsh<p>Read by many";
        for above in [
            format!("<div class=hero><h1>The eel fisher</h1></div>{meta}"),
            format!("<main><h1>The eel fisher</h1>{meta}"),
        ] {
            let page = format!("{above}<h2>Reviews</h2>{}", text.repeat(5));
            check_page(
                "<title>The eel fisher - Reviews</title>",
                &page,
                "The eel fisher",
            );
        }
    }

    #[test]
    fn what_stands_over_a_menu_or_a_page_is_no_title_beside_the_heading() {
        let menu = "<nav><h2>In marsh::eels</h2><ul><li><a href=a>catch</a></ul></nav>";
        check_page(
            "<title>catch_all in marsh::eels - Walks</title>",
            &format!("{menu}<h1>Function marsh::eels::catch_all</h1>"),
            "catch_all in marsh::eels - Walks",
        );
        check_page(
            "<title>catch_all - The Marsh Server Version 2.4</title>",
            "<p>The Marsh Server Version 2.4</p><h1>Module catch_all</h1>",
            "Module catch_all",
        );
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
    fn a_title_in_two_headings_that_name_no_author_is_both_together() {
        for (first, second) in [
            ("<h2>Summer in</h2>", "<h1>Barcelona</h1>"),
            ("<h1>The Great</h1>", "<h2>Gatsby</h2>"),
            ("<h1>Getting started</h1>", "<h2>Installation guide</h2>"),
            (
                "<h1>春天里的江南水乡之行</h1>",
                "<h2>第一场雨落在老石桥上</h2>",
            ),
        ] {
            let body = format!("{first}{second}");
            let text = |heading: &str| heading[4..heading.len() - 5].to_owned();
            let title = format!("{} {}", text(first), text(second));
            check_page(&format!("<title>{title}</title>"), &body, &title);
            let head = format!("<title>{title} | Daily walks</title>");
            check_page(&head, &body, &title);
        }
        let author = "<h1>The eel fisher</h1><h2 class=author>Ann Lane</h2>";
        check_page(
            "<title>Ann Lane The eel fisher</title>",
            author,
            "The eel fisher",
        );
    }

    #[test]
    fn a_work_over_its_parts_is_not_the_title_of_all() {
        for title in ["我在乡下开书店的故事-第三章", "The long way home - Part 2"] {
            let work = title.split('-').next().unwrap().trim();
            let head = format!("<title>{title}</title>");
            check_page(&head, &format!("<h1>{work}</h1>"), title);
            let shared = format!("{head}<meta property=og:title content='{work}'>");
            check_page(&shared, "", title);
        }
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
    fn of_the_author_and_the_title_in_two_headings_the_title_is_chosen() {
        let title = "<title>北村透 川辺の家</title>";
        check_page(title, "<h1>川辺の家</h1><h2>北村透</h2>", "川辺の家");
        check_page(title, "<h2>川辺の家</h2><h2>北村透</h2>", "川辺の家");
        check_page(
            title,
            "<h1 class=author>北村透</h1><h2 class=title>川辺の家</h2>",
            "川辺の家",
        );
        let declared = format!(
            "{title}<meta name=DC.Title content=川辺の家><meta name=DC.Creator content=北村透>"
        );
        check_page(
            &declared,
            "<h2>北村透</h2><p>小説</p><h1>川辺の家</h1>",
            "川辺の家",
        );
        check_page(
            "<title>北村透 - 川辺の家</title>",
            "<h1>川辺の家</h1><h2 class=author>北村透</h2>",
            "川辺の家",
        );
        // The page of an author has the name as its title.
        check_page(
            "<title>北村透 作品一覧</title>",
            "<h1 class=author>北村透</h1>",
            "北村透",
        );
    }

    #[test]
    fn what_the_title_for_sharing_says_and_the_title_begins_with_is_the_title() {
        let title = "观察｜小城书店如何活下来";
        for site in [" - 某红书", "｜さとう", "_某某新闻", " | 某站"] {
            let head =
                format!("<title>{title}{site}</title><meta property=og:title content='{title}'>");
            check_page(&head, "", title);
        }
        let head = "<title>小城书店如何活下来 | 江畔周报 - 新闻</title><meta property=og:site_name content=江畔周报>\
            <meta property=og:title content='小城书店如何活下来 | 江畔周报'>";
        check_page(head, "", "小城书店如何活下来");
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
}
