//! Declared authors that are the publisher.
//!
//! Newspapers declare themselves as the author of all they print (`<meta name=author content="The Harbour Times">`)
//! and name the writer in the by-line. Often neither the site's name nor its host tells: "harbourtimes.example" is the
//! one, "ht.example" the other. The page does, where it says who holds the copyright, where JSON-LD has a
//! publisher, and where the by-line says for whom somebody writes: "By Ann Lane, The Harbour Times".

use crate::char_counts::is_cjk;
use crate::classifier::Classified;
use crate::line_markers::Marker;
use crate::survey::Survey;

use super::title::letters;
use super::without_site::last_part;

/// What a page is called: itself, in `<title>`, and its site, by name and by the first part of its host's name.
pub(super) struct Called<'p> {
    pub whole: &'p str,
    pub title: Option<&'p str>,
    pub site: Option<&'p str>,
    pub label: &'p str,
}

impl Called<'_> {
    /// Whether a declared author is the site itself. A site that is somebody's ("Ann Lane's blog", 张三的博客) names a
    /// person. In Chinese, Japanese and Korean `<title>` may tell alone: there the site is all that stands beside the
    /// page's title, or its last part.
    pub(super) fn is_site(&self, author: &str) -> bool {
        let name = letters(author);
        let is_named = self.site.is_some_and(|site| {
            let known = letters(site);
            !known.is_empty()
                && (name.contains(&known) || known.contains(&name) && !is_owned(site, author))
        });
        let is_beside = || {
            let title = self.title.map(letters).unwrap_or_default();
            let beside = letters(self.whole).replace(&title, "");
            let last = last_part(self.whole).map(letters);
            name.contains(is_cjk)
                && name != title
                && (beside == name || last.as_ref() == Some(&name))
        };
        let is_host = || self.label.len() >= 3 && name.contains(&letters(self.label));
        is_named || is_beside() || is_host()
    }

    /// Whether a text is no more than the site's name: as the page declares it, or an end of `<title>` beside the page's
    /// title.
    pub(super) fn says_site(&self, text: &str) -> bool {
        let text = letters(text);
        let title = self.title.map(letters).unwrap_or_default();
        let is_end = || {
            let whole = letters(self.whole);
            let rest = whole.strip_prefix(&title).or(whole.strip_suffix(&title));
            rest == Some(&text) || last_part(self.whole).map(letters).as_ref() == Some(&text)
        };
        !text.is_empty()
            && text != title
            && (self.site.map(letters).as_ref() == Some(&text) || is_end())
    }
}

/// Whether a site's name says that it is somebody's.
fn is_owned(site: &str, name: &str) -> bool {
    const BEHIND: [&str; 6] = ["的", "の", "의", "'s ", "’s ", "s "];
    const BEFORE: [&str; 7] = [" of ", " by ", " von ", " de ", " d'", " d’", " di "];
    const OF_ONE: [&str; 6] = ["博客", "部落格", "ブログ", "블로그", "专栏", "專欄"];
    let (site, name) = (site.to_lowercase(), name.to_lowercase());
    let Some((before, behind)) = site.split_once(&name) else {
        return false;
    };
    // "Bank of England": one word may be a place.
    let is_of_two = name.trim().contains(' ');
    BEHIND.iter().any(|mark| behind.starts_with(mark))
        || is_of_two && BEFORE.iter().any(|mark| before.ends_with(mark))
        || OF_ONE
            .iter()
            .any(|word| before.contains(word) || behind.contains(word))
}

/// The writer whom a page names beside a declared author that is its publisher.
pub(super) fn gives_way(
    page: &Classified<'_, '_>,
    declared: &str,
    writer: impl FnOnce() -> Option<String>,
) -> Option<String> {
    let name = letters(declared);
    let publisher = page.structured.site_name.as_deref().map(letters);
    let is_publisher = publisher.is_some_and(|publisher| publisher == name);
    let is_holder = || holds_copyright(page.survey, &name);
    let writer = writer().filter(|writer| is_of_person(writer))?;
    let affiliated = writer.strip_suffix(declared);
    if let Some(writer) = affiliated.and_then(|head| head.strip_suffix(", ")) {
        return Some(writer.to_owned());
    }
    (is_publisher || is_holder()).then_some(writer)
}

/// Whether a text is somebody's name: words in capitals, two or more.
fn is_of_person(name: &str) -> bool {
    let first = name.split(',').next().unwrap_or("");
    let words = || first.split(' ').filter(|word| !word.is_empty());
    words().count() >= 2 && words().all(|word| !word.starts_with(char::is_lowercase))
}

/// Whether a line says that the copyright is of that name, before or behind the sign, with the year between.
fn holds_copyright(survey: &Survey, name: &str) -> bool {
    const LINE_BYTES_MAX: usize = 400;
    let mut lines = survey.texts.iter().zip(&survey.markers);
    lines.any(|(line, markers)| {
        let is_copyright = markers.has(Marker::Copyright) && line.len() <= LINE_BYTES_MAX;
        is_copyright && holder_is(line, name)
    })
}

fn holder_is(line: &str, name: &str) -> bool {
    let lower = line.to_lowercase();
    let signs = ["©", "(c)", "copyright"];
    let mut found = signs.iter().flat_map(|sign| lower.match_indices(sign));
    found.any(|(at, sign)| {
        let behind = lower[at + sign.len()..].trim_start_matches(|c: char| !c.is_alphabetic());
        let behind = behind.strip_prefix("by ").unwrap_or(behind);
        let behind = letters(behind);
        let behind = behind
            .strip_prefix("the")
            .filter(|_| !name.starts_with("the"))
            .unwrap_or(&behind);
        behind.starts_with(name) || letters(&lower[..at]).ends_with(name)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_says_who_holds_the_copyright() {
        for line in [
            "Copyright © 2013, The Harbour Times. All rights reserved.",
            "(c) Harbour Times, 2013",
            "Harbour Times © 2013",
            "© 1999-2013 by Harbour Times",
        ] {
            assert!(holder_is(line, "harbourtimes"), "{line}");
        }
        for line in [
            "© 2013 Ann Lane for Harbour Times",
            "Copyright 2013",
            "Harbour Times",
        ] {
            assert!(!holder_is(line, "harbourtimes"), "{line}");
        }
    }

    #[test]
    fn a_site_that_is_somebodys_is_a_person() {
        let is_site = |whole: &str, site: Option<&str>, author: &str| {
            let called = Called {
                whole,
                title: Some("秋夜"),
                site,
                label: "",
            };
            called.is_site(author)
        };
        for site in ["张小三的博客", "张小三的专栏 - 某网", "张小三 - 某网"] {
            assert!(
                !is_site(&format!("秋夜 - {site}"), None, "张小三"),
                "{site}"
            );
        }
        for site in ["某某网", "社会 - 某某网"] {
            assert!(is_site(&format!("秋夜 - {site}"), None, "某某网"), "{site}");
        }
        assert!(is_site("秋夜_社会_某某网", None, "某某网"));
        for (site, author) in [
            ("Ann Lane's blog", "Ann Lane"),
            ("Blog von Anna Müller", "Anna Müller"),
            ("Le carnet d’Anne Dupont", "Anne Dupont"),
            ("Sabine Krügers Tagebuch", "Sabine Krüger"),
            ("張小三部落格", "張小三"),
            ("김하늘의 서재", "김하늘"),
        ] {
            assert!(!is_site("秋夜", Some(site), author), "{site}");
        }
        for (site, place) in [("Bank of England", "England"), ("Diario de Cuyo", "Cuyo")] {
            assert!(is_site("秋夜", Some(site), place), "{site}");
        }
        assert!(is_site("秋夜", Some("The Harbour Times"), "Harbour Times"));
        assert!(is_site(
            "秋夜",
            Some("Harbour Times"),
            "Harbour Times Staff"
        ));
    }

    #[test]
    fn a_book_spoken_of_takes_no_authors_place() {
        let text = "<p>昨天夜里河水又涨了，冲走了那座有两百年历史的老石桥，镇上的人都到岸边来看，直到天亮。</p>";
        let html = format!(
            "<meta name=author content=张小三><title>秋夜读书 - 张小三的博客</title><h1>秋夜读书</h1>\
             <p>《空山集》作者：李白石 出版社：山城书店</p>{}",
            text.repeat(4)
        );
        let url = url::Url::parse("https://ht.example/eel").unwrap();
        let page = crate::extract(&html, &crate::PageContext::new(&url));
        assert_eq!(page.author.as_deref(), Some("张小三"));
    }

    #[track_caller]
    fn check(head: &str, byline: &str, end: &str, author: &str) {
        let text =
            "<p>The river rose again on Thursday night, and took the old stone bridge with it.</p>";
        let html = format!(
            "<title>The eel fisher</title><meta name=author content='Harbour Times'>{head}<main>\
             <h1>The eel fisher</h1>{byline}{}</main>{end}",
            text.repeat(4)
        );
        let url = url::Url::parse("https://ht.example/eel").unwrap();
        let page = crate::extract(&html, &crate::PageContext::new(&url));
        assert_eq!(page.author.as_deref(), Some(author), "{head}{byline}{end}");
    }

    #[test]
    fn a_publisher_gives_way_to_the_writer() {
        let byline = "<p>By Ann Lane</p>";
        let end = "<footer><p>Copyright 2013, Harbour Times</p></footer>";
        let publisher = "<script type='application/ld+json'>{\"@type\": \"NewsArticle\", \"publisher\": \
             {\"@type\": \"Organization\", \"name\": \"Harbour Times\"}}</script>";
        check("", byline, "", "Harbour Times");
        check("", byline, end, "Ann Lane");
        check(publisher, byline, "", "Ann Lane");
        check("", "<p>By Ann Lane, Harbour Times</p>", "", "Ann Lane");
        check("", "", end, "Harbour Times");
    }
}
