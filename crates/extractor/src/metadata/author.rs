//! The author's name.
//!
//! Publishers declare authors in JSON-LD and meta elements, and print them in a by-line below the
//! title. A declared author that is the site itself counts only if the page names nobody else; the URL
//! of a profile does not count.

use std::ops::Range;

use html5ever::local_name;
use url::Url;

use crate::bounded::byte_prefix;
use crate::class_hints::Hint;
use crate::classifier::Classified;
use crate::dom::Attributes;
use crate::flat_dom::{ElementIndex, FlatDom, Piece};
use crate::page::PageType;
use crate::survey::Survey;
use crate::tag::Tag;

use super::byline_zone::BylineZone;
use super::names::Names;
use super::profile_links::{has_author_folder, leads_to_feed, leads_to_handle};
use super::publisher::Called;
use super::{
    affiliation, author_words, byline, element_text, labelled, name, owner, poster, program,
    publisher, reporter, rows, short, unlabelled,
};

pub(super) fn find(
    page: &Classified<'_, '_>,
    zone: &BylineZone<'_, '_>,
    title: Option<&str>,
    site_name: Option<&str>,
    url: &Url,
) -> Option<String> {
    let host = url.host_str().unwrap_or("").trim_start_matches("www.");
    let called = Called {
        whole: page.flat.title.as_str(),
        title,
        site: site_name,
        label: host.split('.').next().unwrap_or(""),
    };
    let name = found(page, zone, &called, host)?;
    Some(affiliation::without(name, |part| called.says_site(part)))
}

/// The author as the page has it, with the office behind the name.
fn found(
    page: &Classified<'_, '_>,
    zone: &BylineZone<'_, '_>,
    called: &Called<'_>,
    host: &str,
) -> Option<String> {
    let &Classified {
        flat,
        survey,
        structured,
        page_type,
        ..
    } = page;
    let in_json_ld = structured.author.as_deref().and_then(name::declared);
    let declared = in_json_ld
        .or_else(|| declared_in_meta(flat))
        .filter(|name| !program::is_generator(flat, name));
    // A by-line may stand some lines above the title or beside the text.
    let near = zone.range.start.saturating_sub(20)..zone.range.end + 4;
    let marked = |range, strict| marked(page, zone, called, range, strict);
    if let Some(name) = declared.as_deref().filter(|name| !called.is_site(name)) {
        let writer =
            || marked(near.clone(), true).or_else(|| byline(flat, zone, zone.range.clone()));
        return publisher::gives_way(page, name, writer).or(declared);
    }
    if zone.is_of_list() {
        return declared;
    }
    if *page_type == PageType::Forum
        && let Some(poster) = poster::find(flat, survey, zone)
    {
        return Some(poster);
    }
    marked(near.clone(), true)
        .or_else(|| byline(flat, zone, zone.range.clone()))
        .or_else(|| reporter(flat, zone).filter(|_| *page_type == PageType::Article))
        .or_else(|| byline(flat, zone, zone.tail.clone()))
        .or_else(|| profile(flat, zone, called, host))
        .or_else(|| marked(near, false))
        .or_else(|| {
            // Below a text that is no article stand those who review it and who answer.
            let is_article = *page_type == PageType::Article;
            marked(zone.tail.clone(), false).filter(|_| is_article)
        })
        .or_else(|| sender(flat, survey, zone))
        .or_else(|| signed_in_text(flat, zone).filter(|_| *page_type == PageType::Article))
        .or_else(|| in_row(flat, zone, called))
        .or_else(|| {
            let line = |index: usize| line_with_edges(flat, index);
            unlabelled::find(flat, survey, zone, line)
        })
        .or(declared)
        .or_else(|| poster::named_below_title(flat, survey, zone))
        .or_else(|| owner::find(page, called, host).filter(|_| *page_type == PageType::Article))
}

/// The authors in the first kind of meta element that has any.
fn declared_in_meta(flat: &FlatDom<'_>) -> Option<String> {
    const NAMES: [&str; 12] = [
        "author",
        "article:author",
        "article:author_name",
        "og:article:author",
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
pub(super) const NAMES_READ_MAX: usize = 64;

/// Whether an element is marked as the author, by `rel` or `itemprop`.
pub(super) fn is_marked(flat: &FlatDom<'_>, index: usize) -> bool {
    let element = &flat.elements[index].element;
    [local_name!("rel"), local_name!("itemprop")]
        .iter()
        .filter_map(|name| element.attribute(name))
        .flat_map(str::split_ascii_whitespace)
        .any(|word| word.eq_ignore_ascii_case("author"))
}

/// The text of elements marked as the author: by `rel=author` or `itemprop=author`; if not `strict`,
/// also by their class.
fn marked(
    page: &Classified<'_, '_>,
    zone: &BylineZone<'_, '_>,
    called: &Called<'_>,
    range: Range<usize>,
    strict: bool,
) -> Option<String> {
    let &Classified { flat, survey, .. } = page;
    let mut names = Names::default();
    let mut read = 0;
    for (index, element) in flat.elements.iter().enumerate() {
        let at = element.first_run as usize;
        if !range.contains(&at) || element.counts.chars == 0 || element.counts.chars > 80 {
            continue;
        }
        let is_classed = || {
            let class = element.element.attribute(&local_name!("class"));
            let class = class.unwrap_or("");
            let is_foreign = author_words::is_class(class);
            let class = class.to_ascii_lowercase();
            let is_hinted = (element.hints.has(Hint::User) || element.hints.has(Hint::Byline))
                && (class.contains("author") || class.contains("byline"));
            (is_hinted || is_foreign) && !class.contains("comment")
        };
        let is_own = match is_marked(flat, index) {
            true => zone.may_say(at) && !is_logo(flat, zone, called, index),
            false => !strict && is_classed() && zone.may_hold(at),
        };
        if !is_own {
            continue;
        }
        read += 1;
        if read > NAMES_READ_MAX {
            break;
        }
        for text in signed(flat, survey, index) {
            if text.chars().count() < 80 && names.add(&text) {
                break;
            }
        }
        if names.0.len() == if strict { 4 } else { 1 } {
            break;
        }
    }
    names.joined()
}

/// Whether an element above the title is the site's name, which themes mark as the author of all pages.
fn is_logo(
    flat: &FlatDom<'_>,
    zone: &BylineZone<'_, '_>,
    called: &Called<'_>,
    index: usize,
) -> bool {
    let is_above = (flat.elements[index].first_run as usize) < zone.below_title().start;
    is_above && called.says_site(&inline_text(flat, index))
}

/// The text of links to an author's page: those near the title, or the only one on the page.
fn profile(
    flat: &FlatDom<'_>,
    zone: &BylineZone<'_, '_>,
    called: &Called<'_>,
    host: &str,
) -> Option<String> {
    let mut close = Names::default();
    let mut all = Names::default();
    let mut read = 0;
    for (index, element) in flat.elements.iter().enumerate() {
        if element.tag != Tag::A || element.counts.chars == 0 || element.counts.chars > 60 {
            continue;
        }
        let href = element.element.attribute(&local_name!("href"));
        let at = element.first_run as usize;
        let is_close = zone.range.contains(&at) || zone.range.contains(&at.saturating_sub(1));
        let is_handle = |href: &str| is_close && leads_to_handle(href, host);
        let leads_to_author = href.is_some_and(|href| {
            (has_author_folder(href) || is_handle(href)) && !leads_to_feed(href)
        });
        let is_marked = || element.element.attribute(&local_name!("rel")) == Some("author");
        if !(leads_to_author || is_marked()) || !zone.may_hold(at) {
            continue;
        }
        if !leads_to_author && is_logo(flat, zone, called, index) {
            continue;
        }
        read += 1;
        if read > NAMES_READ_MAX {
            break;
        }
        let name = inline_text(flat, index);
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

/// What an element that stands for an author may say as the name, the best first: what microdata marks in it as
/// the name, else its lines. A block may hold an office, a rank and counts below the name.
pub(super) fn signed(flat: &FlatDom<'_>, survey: &Survey, index: usize) -> Vec<String> {
    const LINES_MAX: usize = 4;
    /// Blocks around many empty elements may be nested.
    const DESCENDANTS_MAX: usize = 64;
    let element = &flat.elements[index];
    let is_name = |&at: &usize| {
        let property = flat.elements[at]
            .element
            .attribute(&local_name!("itemprop"));
        let mut properties = property.unwrap_or("").split_ascii_whitespace();
        properties.any(|property| property.eq_ignore_ascii_case("name"))
    };
    let is_scope = element
        .element
        .attribute(&local_name!("itemscope"))
        .is_some();
    if is_scope
        && let Some(named) = (index + 1..element.end as usize)
            .take(DESCENDANTS_MAX)
            .find(is_name)
    {
        return vec![text_of(flat, survey, named)];
    }
    if !element.tag.is_block() {
        return vec![inline_text(flat, index)];
    }
    let runs = element.first_run as usize..element.end_run as usize;
    let lines = runs.filter_map(|run| survey.texts.get(run));
    let lines = lines.flat_map(|text| text.split('\n'));
    // "Article by:", "Insights from": the name stands in the next line.
    let is_label = |line: &String| {
        let last = line.rsplit(' ').next().unwrap_or("");
        line.ends_with([':', '：']) || matches!(last, "by" | "from" | "with" | "about")
    };
    let lines = lines.map(short).filter(|line| !is_label(line));
    lines.take(LINES_MAX).collect()
}

/// The text of an element; that of an inline one is only a part of its run.
pub(super) fn text_of(flat: &FlatDom<'_>, survey: &Survey, index: usize) -> String {
    if flat.elements[index].tag.is_block() {
        element_text(flat, survey, index as u32)
    } else {
        inline_text(flat, index)
    }
}

/// The text of an inline element: the pieces of runs that it contains.
pub(super) fn inline_text(flat: &FlatDom<'_>, index: usize) -> String {
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

/// The name in a by-line, "By A. Writer" or "作者：某某", in one of these lines.
fn byline(flat: &FlatDom<'_>, zone: &BylineZone<'_, '_>, lines: Range<usize>) -> Option<String> {
    lines
        .filter(|&index| zone.may_hold(index))
        .find_map(|index| {
            let mut line = line_with_edges(flat, index)?;
            // "Published by", and the name in a block of its own.
            if byline::is_announcement(&line) {
                line.push(' ');
                line.push_str(&line_with_edges(flat, index + 1)?);
            }
            byline::name_in(&line, zone.lang)
                .as_deref()
                .and_then(name::clean)
        })
}

/// The reporters in a row between the title and the text, or where the text begins.
fn reporter(flat: &FlatDom<'_>, zone: &BylineZone<'_, '_>) -> Option<String> {
    let line = |index: usize| line_with_edges(flat, index).filter(|_| zone.may_hold(index));
    let mut rows = zone.below_title().filter_map(line);
    let in_row = rows.find_map(|line| reporter::in_row(&line));
    let lead = || reporter::in_lead(&line(zone.text)?.replace(labelled::is_edge, ""));
    in_row.or_else(lead)
}

/// The name in a row with the date between the title and the text.
fn in_row(flat: &FlatDom<'_>, zone: &BylineZone<'_, '_>, called: &Called<'_>) -> Option<String> {
    let line = |index: usize| line_with_edges(flat, index).filter(|_| zone.may_hold(index));
    let mut rows = zone.below_title().filter_map(line);
    let mut ends = zone.tail.clone().filter_map(line);
    let name = rows.find_map(|line| name::clean(&rows::writer(&line, called.whole)?));
    name.or_else(|| ends.find_map(|line| name::clean(rows::posted(&line)?)))
}

/// The name in the one line of an article that says no more than who wrote it, wherever sources and notes follow.
fn signed_in_text(flat: &FlatDom<'_>, zone: &BylineZone<'_, '_>) -> Option<String> {
    const LINE_WEIGHT_MAX: u32 = 60;
    let lines = (zone.text..zone.tail.end)
        .filter(|&index| flat.runs[index].counts.weight <= LINE_WEIGHT_MAX && zone.may_hold(index));
    let mut names = lines.filter_map(|index| {
        let line = line_with_edges(flat, index)?;
        byline::writer_of(&line).as_deref().and_then(name::clean)
    });
    let name = names.next()?;
    names.all(|other| other == name).then_some(name)
}

/// Who sent a mail, as archives of mailing lists show it: a name before a link to an address, with the date.
fn sender(flat: &FlatDom<'_>, survey: &Survey, zone: &BylineZone<'_, '_>) -> Option<String> {
    let leads_to_address = |piece: &Piece<'_>| {
        flat.ancestors(piece.element).take(3).any(|at| {
            let href = flat.elements[at as usize]
                .element
                .attribute(&local_name!("href"));
            href.is_some_and(|href| href.starts_with("mailto:"))
        })
    };
    let is_name = |text: &str| {
        let words = || text.split(' ');
        (2..=4).contains(&words().count())
            && words().all(|word| word.starts_with(char::is_uppercase))
    };
    let lines = zone
        .range
        .clone()
        .filter(|&index| survey.has_date(index) && zone.may_hold(index));
    lines
        .filter_map(|index| flat.runs.get(index))
        .find_map(|run| {
            let pieces = &flat.pieces[run.pieces.start as usize..run.pieces.end as usize];
            let address = pieces.iter().position(leads_to_address)?;
            let mut before = String::new();
            for piece in &pieces[..address] {
                crate::whitespace::push_collapsed(&mut before, piece.text);
            }
            Some(before.trim())
                .filter(|name| is_name(name))
                .and_then(name::clean)
        })
}

/// The beginning of a run with marks where inline elements begin and end.
fn line_with_edges(flat: &FlatDom<'_>, index: usize) -> Option<String> {
    const EDGES_MAX: usize = 16;
    let run = flat.runs.get(index)?;
    let mut line = String::new();
    let mut inner = run.owner;
    for piece in &flat.pieces[run.pieces.start as usize..run.pieces.end as usize] {
        let up: Vec<_> = flat
            .ancestors(inner)
            .take_while(|&at| !flat.contains(at, piece.element))
            .take(EDGES_MAX)
            .collect();
        let depth = |at: ElementIndex| flat.elements.get(at as usize).map_or(0, |at| at.depth);
        let common = depth(inner).saturating_sub(up.len() as u16);
        let down = depth(piece.element).saturating_sub(common) as usize;
        line.extend(up.iter().map(|_| labelled::CLOSE));
        line.extend(std::iter::repeat_n(labelled::OPEN, down.min(EDGES_MAX)));
        inner = piece.element;
        match piece.text.is_empty() {
            true => line.push('\n'),
            false => crate::whitespace::push_collapsed(&mut line, piece.text),
        }
        if line.len() > LINE_BYTES_MAX {
            break;
        }
    }
    Some(byte_prefix(line.trim(), LINE_BYTES_MAX).to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(byline: &str, author: Option<&str>) {
        let text =
            "<p>The river rose again on Thursday night, and took the old stone bridge with it.</p>";
        let html = format!(
            "<title>The eel fisher</title><main><h1>The eel fisher</h1>{byline}{}</main>",
            text.repeat(4)
        );
        let url = Url::parse("https://marsh.example/eel").unwrap();
        let page = crate::extract(&html, &crate::PageContext::new(&url));
        assert_eq!(page.author.as_deref(), author, "{byline}");
    }

    #[test]
    fn labels_of_a_by_line_are_told_from_names_by_their_elements() {
        for byline in [
            "<div><span>作者：刘军涛</span><span>时间：2020-03-05</span></div>",
            "<div><span>2020-03-05</span> <span>作者：刘军涛</span> <span>来源：办公室</span></div>",
            "<div><small>作者:</small>刘军涛 <small>点击:</small>2319次</div>",
            "<div class=author>作者：刘军涛　编辑：周敏</div>",
            "<p>作者：刘军涛<br>本文版权归作者和博客楼共有</p>",
            "<div><em>作者：</em><a href=/u/1>刘军涛</a><a href=/f>关注</a></div>",
        ] {
            check(byline, Some("刘军涛"));
        }
    }

    #[test]
    fn who_is_named_by_a_class_below_the_title_is_the_author() {
        check(
            "<div><a class=nickname href=/u/2>老张2015</a> <span>2021-03-05</span></div>",
            Some("老张2015"),
        );
        check(
            "<div class=user-name><a href=/u/2>阿芬</a></div>",
            Some("阿芬"),
        );
        let dated = |name: &str| format!("<div class=user-name>{name}</div><p>2021-03-05</p>");
        check(&dated("阿芬"), Some("阿芬"));
        for label in [
            "登录",
            "Sign in",
            "Welcome, guest",
            "로그인",
            "ログイン",
            "Gast 12",
        ] {
            check(&dated(label), None);
        }
        check("<div class=user-name>Your orders</div>", None);
        check(
            "<div class=user-name><a href=/cart>Your orders</a></div>",
            None,
        );
        check(
            "<div class=user-name>Bo</div><p>By Ann Lane</p>",
            Some("Ann Lane"),
        );
    }

    #[test]
    fn of_an_author_in_microdata_the_name_is_read() {
        for byline in [
            "<div itemprop=author itemscope><a href=/u/1>Ann Lane</a><span itemprop=name>Ann Lane</span></div>",
            "<div itemprop=author itemscope><span itemprop=name>Ann Lane</span><span>Staff writer</span></div>",
        ] {
            check(byline, Some("Ann Lane"));
        }
        let far = format!(
            "<div class=author itemscope><p>Ann Lane</p>{}<p itemprop=name>Bob Reed</p></div>",
            "<i></i>".repeat(64)
        );
        check(&far, Some("Ann Lane"));
        check(&far.replace("<i></i>", ""), Some("Bob Reed"));
        check(
            &far.replace("<i></i>", "").replace(" itemscope", ""),
            Some("Ann Lane"),
        );
    }

    #[test]
    fn of_a_block_named_after_the_author_the_line_with_the_name_is_read() {
        check(
            "<div class=post_author><a href=m?u=1>Ann Lane</a><br><span>Junior Member</span><br>Posts: 12</div>",
            Some("Ann Lane"),
        );
        check(
            "<div class=author><p>Written by</p><p>Ann Lane</p><p>Gardener</p></div>",
            Some("Ann Lane"),
        );
        check(
            "<div class=author-info><p>Insights from</p><p>Ann Lane</p><p>Gardener</p></div>",
            Some("Ann Lane"),
        );
    }

    #[test]
    fn the_sites_name_over_a_page_is_nobody_though_it_is_marked() {
        let text =
            "<p>The river rose again on Thursday night, and took the old stone bridge with it.</p>";
        let read = |above: &str, below: &str| {
            let html = format!(
                "<title>The eel fisher | Harbour House</title>{above}<main><h1>The eel fisher</h1>{below}{}</main>",
                text.repeat(4)
            );
            let url = Url::parse("https://marsh.example/eel").unwrap();
            crate::extract(&html, &crate::PageContext::new(&url)).author
        };
        let logo = "<header><a rel=author href=/>Harbour House</a></header>";
        let named = "<p itemprop=author>Ann Lane</p>";
        assert_eq!(read(logo, named).as_deref(), Some("Ann Lane"));
        assert_eq!(
            read(logo, "<p>By Ann Lane</p>").as_deref(),
            Some("Ann Lane")
        );
        assert_eq!(read(logo, ""), None);
        let profile = "<p><a href=/author/house/>Harbour House</a> May 4, 2021</p>";
        assert_eq!(read(profile, "").as_deref(), Some("Harbour House"));
    }

    #[test]
    fn a_link_to_an_account_beside_the_date_is_the_author() {
        let row = |href: &str, name: &str| {
            format!("<div><a href={href}>{name}</a><span>2021-03-05</span></div>")
        };
        for href in ["/u/8f1", "/c/user/token/x/", "//space.video.example/1"] {
            check(&row(href, "老王的猫"), Some("老王的猫"));
        }
        for href in ["/users/sign_in", "/u/", "/tag/8f1", "/user/list.html"] {
            check(&row(href, "老王的猫"), None);
        }
    }

    #[test]
    fn links_of_a_block_about_the_author_are_no_names() {
        let block = "<div class=head><a href=/author/ann>See more from Ann</a> <a href=/author/ann/rss>RSS</a></div>";
        check(
            &format!("{block}<p><a href=/author/ann>Ann Lane</a></p>"),
            Some("Ann Lane"),
        );
        check(
            "<div class=author><a href=mailto:a@b.example>Email to Author</a></div>",
            None,
        );
        check("<p><a href=/authors/submit>For Authors</a></p>", None);
    }

    #[test]
    fn who_sent_a_mail_stands_before_the_address() {
        let mail = "<b>Ann Lane</b> <a href=mailto:l>ann at l.example</a><br>";
        let date = "<i>Fri Mar  5 10:11:12 UTC 2021</i>";
        check(&format!("<p>{mail}{date}</p>"), Some("Ann Lane"));
        check(&format!("<p>{mail}</p>"), None);
    }

    #[test]
    fn who_wrote_an_article_may_stand_before_its_notes() {
        let lines = |line: &str| -> String {
            (11..23)
                .map(|at| format!("<p>{}</p>", line.replace("12", &at.to_string())))
                .collect()
        };
        let text = lines(
            "The river rose again on May 12, in the night, and took the old stone bridge with it.",
        );
        let notes = lines(
            "Note 12: nothing on this page, in any way, is a substitute for what the keeper says.",
        );
        let read = |lines: &str| {
            let html = format!(
                "<meta property=og:type content=article><title>The eel fisher</title><main><h1>The eel fisher</h1>{text}{lines}{notes}</main>"
            );
            let url = Url::parse("https://marsh.example/2021/eel").unwrap();
            crate::extract(&html, &crate::PageContext::new(&url)).author
        };
        let line = |name: &str| format!("<p>Written by {name}</p>");
        assert_eq!(read(&line("Ann Lane")).as_deref(), Some("Ann Lane"));
        assert_eq!(read(&(line("Ann Lane") + &line("Bo Reed"))), None);
    }

    #[test]
    fn a_link_to_all_of_somebodys_articles_is_no_name() {
        check(
            "<p><a href=/author/ann>View all posts by Ann Lane</a></p>",
            Some("Ann Lane"),
        );
    }
}
