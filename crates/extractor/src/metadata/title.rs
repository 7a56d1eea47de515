//! The page's title, without the site's name.
//!
//! Nearly every page has a `<title>`, and nearly every `<title>` has the site's name in it. `<h1>` is
//! the title that readers see, unless it is the logo or one of many. So the sources are compared: a
//! heading that `<title>` repeats is the title, and of two the one nearer to the content; otherwise the title for
//! sharing; otherwise `<title>` without the site's name. The author's name is no title where another heading is. A field for
//! the title alone, as Chinese authorities must declare it, is taken as it is.

use std::cmp::Ordering;

use url::{Position, Url};

use crate::flat_dom::FlatDom;
use crate::structured::Structured;
use crate::survey::Survey;

use super::chapter::{self, Told};
use super::heading::{Heading, headings, of_two, without_authors};
use super::without_site::{Parts, SEPARATORS, places, without_site, words};
use super::{short, surnames, unescaped, untitled};

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
        .or(sources.of_both.as_deref())
        .or_else(|| sources.nearer_heading())
        .or_else(|| sources.leading_heading())
        .or_else(|| sources.agreed_heading(survey))
        .or_else(|| sources.heading_of_address())
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
    /// What the title for sharing and `<title>` both begin with before they go on otherwise.
    of_both: Option<String>,
    /// Whether `<title>` begins with a sign that parts it from nothing: no site's name is in it.
    is_after_sign: bool,
    /// The site's name, or what its logo says.
    site_name: Option<String>,
    /// Letters and digits of the URL's path and query.
    address: String,
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
        let alone = untitled::is_site_alone(&whole, flat, survey, &headings, site_name, url);
        let alone = alone.then(|| letters(&std::mem::take(&mut whole)));
        let home = headings.iter().find(|heading| heading.is_home);
        let logo = home.map(|heading| heading.text.clone());
        let site_name = site_name.map(str::to_owned).or(logo);
        let shared = flat.meta(&["og:title", "twitter:title", "dc.title", "citation_title"]);
        let shared = shared.map(short);
        let shared = shared.filter(|title| alone.as_deref() != Some(&letters(title)));
        let of_both = shared.as_deref().and_then(|title| of_both(title, &whole));
        let of_both = of_both.map(str::to_owned);
        let shared = of_both.clone().or(shared);
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
            behind.and_then(chapter::told).is_some()
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
        let of_two = of_two(&headings, &titles, site, url);
        let headings = without_authors(headings, &whole);
        let headline = structured.headline.as_deref();
        let headline = headline.map(|title| short(&unescaped(title)));
        Sources {
            clean,
            shared: shared.filter(|title| !title.is_empty()),
            headline: headline.filter(|title| !title.is_empty()),
            headings,
            of_two,
            of_both,
            is_after_sign: is_after_sign && !whole.is_empty(),
            whole,
            site_name,
            address: letters(&url[Position::BeforePath..]),
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

    /// A title with the part of a work behind it that `<title>` has: all parts of a work have its name over them. A bare
    /// number may be the site's, so where a heading and the title for sharing agree they have the last word.
    fn with_chapter<'t>(&'t self, title: &'t str) -> &'t str {
        let behind = self.clean.strip_prefix(title).unwrap_or_default();
        let is_apart = behind.starts_with(|c: char| !c.is_alphanumeric());
        let are_agreed = || {
            self.shared.as_deref() == Some(title)
                && self.headings.iter().any(|heading| heading.text == title)
        };
        match chapter::told(behind).filter(|_| is_apart) {
            Some(Told::Counted) => &self.clean,
            Some(Told::Bare) if !are_agreed() => &self.clean,
            Some(Told::Bare) | None => title,
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
            let parted = |(at, _)| (&self.whole[..at], &self.whole[at + separator.len()..]);
            let first = places(&self.whole, separator).next().map(parted);
            let last = places(&self.whole, separator).last().map(parted);
            let ends = first.into_iter().chain(last);
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
    fn agreed_heading(&self, survey: &Survey) -> Option<&str> {
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
            (is_whole && !self.is_section(heading, survey) || self.is_name_first(heading, survey))
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

    /// Whether a heading right over the content is a person's name in Chinese and the first part of `<title>`, as on the
    /// pages of a staff. If another heading repeats the rest, or a line behind it, the first part is a section's name.
    fn is_name_first(&self, heading: &Heading, survey: &Survey) -> bool {
        const RUNS_MAX: usize = 4;
        const NAME_CHARS_MAX: usize = 4;
        let Some(rest) = self.whole.strip_prefix(&heading.text) else {
            return false;
        };
        let others = letters(rest);
        heading.distance <= RUNS_MAX
            && (2..=NAME_CHARS_MAX).contains(&heading.letters.chars().count())
            && (heading.is_author
                || surnames::begins(&heading.letters)
                || !is_section_name(&heading.letters))
            && heading.letters.chars().all(crate::char_counts::is_cjk)
            && rest.starts_with(|c: char| !c.is_alphanumeric())
            && !self.is_over_rest(heading, survey)
            && !self.headings.iter().any(|other| other.letters == others)
    }

    /// Whether a heading is the name of a section in Chinese, with the title below it as a line.
    fn is_section(&self, heading: &Heading, survey: &Survey) -> bool {
        is_section_name(&heading.letters) && self.is_over_rest(heading, survey)
    }

    /// Whether what `<title>` has behind a heading, or the first part of that, is a line right below it.
    fn is_over_rest(&self, heading: &Heading, survey: &Survey) -> bool {
        const RUNS_MAX: usize = 4;
        let rest = self.whole.strip_prefix(&heading.text).unwrap_or_default();
        let first = first_segment(rest.trim_start_matches(|c: char| !c.is_alphanumeric()));
        let rests = [letters(rest), letters(first)];
        let mut lines = survey.texts.iter().skip(heading.runs.end).take(RUNS_MAX);
        !rests[0].is_empty() && lines.any(|line| rests.iter().any(|rest| says(line, rest)))
    }

    /// A line near the beginning of the content that is one end of `<title>` and at least half of it, where nothing
    /// else tells which end is the site's. Where both ends stand there it is the one nearer to the text, below the header.
    fn said_part<'s>(&self, survey: &'s Survey, main: &[bool]) -> Option<&'s str> {
        const RUNS_BEFORE: usize = 12;
        const RUNS_BEHIND: usize = 4;
        if self.shared.is_some() || self.headline.is_some() {
            return None;
        }
        let half = letters(&self.whole).chars().count().div_ceil(2);
        let first = main.iter().position(|&kept| kept).unwrap_or(0);
        let near = first.saturating_sub(RUNS_BEFORE)..first + RUNS_BEHIND;
        let is_part = |text: &str| {
            let rest = self.beside_end(text)?;
            let count = letters(text).chars().count();
            // Where a heading has the other end in it, that one is not the site's.
            let other = letters(rest);
            let has_rest = |heading: &Heading| {
                !heading.is_home
                    && heading.letters.contains(&other)
                    && !(heading.letters == other && is_section_name(&other))
            };
            let is_other = other.chars().count() >= 4 && self.headings.iter().any(has_rest);
            let is_long = count >= half.max(4) && self.site_name.as_deref() != Some(text);
            (!is_other && is_long).then_some(other)
        };
        let lines = near.filter_map(|run| Some((run, survey.texts.get(run)?.as_str())));
        let (at, line, other) = lines
            .clone()
            .find_map(|(run, line)| Some((run, line, is_part(line)?)))?;
        let below = at + 1..=first.max(at + RUNS_BEHIND);
        let mut below = lines.filter(|(run, _)| below.contains(run));
        let nearer = below.find(|(_, line)| !other.is_empty() && says(line, &other));
        Some(nearer.map_or(line, |(_, line)| line))
    }

    /// What stands beside a text that is one end of `<title>`, set apart from the rest.
    fn beside_end(&self, text: &str) -> Option<&str> {
        let is_apart = |c: Option<char>| c.is_some_and(|c| !c.is_alphanumeric());
        let before = self.whole.strip_suffix(text);
        let behind = self.whole.strip_prefix(text);
        let before = before.filter(|rest| is_apart(rest.chars().next_back()));
        before.or(behind.filter(|rest| is_apart(rest.chars().next())))
    }

    /// The page's only first-level heading, where the URL has most of its words and few of those that `<title>` has, and no title for
    /// sharing is declared: `<title>` says something of the site ("The heart of the internet"), and an address is made from a title.
    fn heading_of_address(&self) -> Option<&str> {
        const WORDS_MIN: usize = 4;
        // A title for sharing is the publisher's own choice.
        if self.shared.is_some() {
            return None;
        }
        let first_level = |heading: &&Heading| heading.level == 1 && !heading.is_home;
        let mut first_level = self.headings.iter().filter(first_level);
        let (Some(only), None) = (first_level.next(), first_level.next()) else {
            return None;
        };
        let (of_heading, count) = self.words_of_address(&only.text);
        let (of_title, count_of_title) = self.words_of_address(self.reference());
        let is_of_address = count >= WORDS_MIN && of_heading * 5 >= count * 3;
        (is_of_address && of_title * 3 <= count_of_title).then_some(only.text.as_str())
    }

    /// How many words of four letters or more stand in the URL, and how many there are.
    fn words_of_address(&self, text: &str) -> (usize, usize) {
        let words = text.split(|c: char| !c.is_alphanumeric());
        let long: Vec<String> = words
            .filter(|word| word.chars().count() >= 4)
            .map(letters)
            .collect();
        let found = long.iter().filter(|word| self.address.contains(*word));
        (found.count(), long.len())
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
            || (self.is_name_of_page(only) || self.is_before_bracket(only))
                && words(&only.text) >= 2;
        is_title.then_some(only.text.as_str())
    }

    /// Whether what `<title>` has before a bracket is the end of a heading: "Lock (Canal 2.1 API)" under "Class Lock".
    fn is_before_bracket(&self, heading: &Heading) -> bool {
        let Some((name, rest)) = self.whole.split_once(" (") else {
            return false;
        };
        let before = heading.text.strip_suffix(name);
        rest.ends_with(')') && before.is_some_and(|before| before.ends_with(' '))
    }

    /// Whether `<title>` is the name that a wiki gives to a page, "howto:lock_gates": a path that the URL has as well. A path
    /// with slashes may be a thing's own name ("marsh/eel-tools"), so the heading has a word of its last part.
    fn is_name_of_page(&self, heading: &Heading) -> bool {
        let name = self.clean.trim_matches(|c: char| !c.is_alphanumeric());
        let is_path = !name.contains(' ')
            && name.is_ascii()
            && name.contains([':', '/', '_'])
            && !name.contains("::");
        let says = || {
            let last = name.rsplit('/').next().unwrap_or(name);
            let mut words = last.split(|c: char| !c.is_alphanumeric());
            words.any(|word| word.len() >= 3 && heading.letters.contains(&letters(word)))
        };
        let is_of_url = || {
            name.contains([':', '/'])
                && self.address.contains(&letters(name))
                && (!name.contains('/') || says())
        };
        // "Module catch_all" over the text says the same and more.
        is_path && (heading.letters.contains(&letters(name)) || is_of_url())
    }
}

/// The beginning that the title for sharing and `<title>` have in common, where a sign sets it apart in both and they go on
/// otherwise: "The lock • r/canals" and "The lock : canals".
fn of_both<'t>(shared: &'t str, whole: &str) -> Option<&'t str> {
    const SIGNS: [&str; 6] = [" • ", " | ", " · ", " – ", " — ", " - "];
    let end = SIGNS.iter().filter_map(|sign| shared.rfind(sign)).max()?;
    let is_sign = |rest: &str| {
        let mut chars = rest.chars();
        chars.next() == Some(' ')
            && chars.next().is_some_and(|c| !c.is_alphanumeric())
            && chars.next() == Some(' ')
    };
    let rest = whole.strip_prefix(&shared[..end])?;
    let (own, other) = (letters(&shared[end..]), letters(rest));
    let goes_on_otherwise = !other.starts_with(&own) && !own.starts_with(&other);
    (is_sign(rest) && goes_on_otherwise).then_some(&shared[..end])
}

/// Whether a line has these letters and no others. A line of a text may be long, and is not looked at.
fn says(line: &str, other: &str) -> bool {
    line.len() <= 4 * other.len() && letters(line) == other
}

/// Whether a text is called as sections of sites in Chinese are.
fn is_section_name(text: &str) -> bool {
    const CHARS_MAX: usize = 6;
    const ENDS: [&str; 20] = [
        "新闻", "公告", "动态", "通知", "中心", "资讯", "公示", "要闻", "法规", "政策", "文件",
        "活动", "信息", "问题", "专题", "简报", "快讯", "党建", "风采", "报道",
    ];
    text.chars().all(crate::char_counts::is_cjk)
        && text.chars().nth(CHARS_MAX).is_none()
        && ENDS.iter().any(|end| text.ends_with(end))
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
pub(super) mod tests;
