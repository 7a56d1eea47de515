//! A page's metadata: title, author, dates, site, language, licence, image.
//!
//! Each field has several sources, tried in order from the most explicit to the least: JSON-LD, meta
//! elements, marked-up elements, and the text near the title. The first plausible value is taken.

mod affiliation;
mod announcements;
mod assigned;
mod author;
mod author_words;
mod byline;
mod byline_zone;
mod chapter;
mod dating;
mod declared_dates;
mod events;
mod heading;
mod heading_labels;
mod labelled;
mod name;
mod named_labels;
mod names;
mod nobody;
mod numbers;
mod office;
mod owner;
mod poster;
mod profile_links;
mod program;
mod publisher;
mod reporter;
mod rows;
mod split_dates;
mod surnames;
mod title;
pub(crate) mod title_ends;
mod titled_times;
mod uncased;
mod unlabelled;
mod untitled;
mod without_site;

use html5ever::local_name;
use url::Url;

use crate::bounded::{byte_prefix, char_prefix};
use crate::classifier::Classified;
use crate::dom::Attributes;
use crate::flat_dom::{ElementIndex, FlatDom, NO_ELEMENT};
use crate::page::{PageContext, PageType};
use crate::structured::Structured;
use crate::survey::Survey;
use crate::tag::Tag;

use byline_zone::BylineZone;
use dating::Dating;
pub(crate) use title::letters;

/// The metadata of a page.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Metadata {
    pub title: Option<String>,
    pub author: Option<String>,
    pub published: Option<String>,
    pub modified: Option<String>,
    pub site_name: Option<String>,
    pub lang: Option<String>,
    pub description: Option<String>,
    pub image: Option<String>,
    pub licence: Option<String>,
}

/// Longer values are cut.
const FIELD_CHARS_MAX: usize = 500;

/// Reads the metadata of a page.
pub(crate) fn read(page: &Classified<'_, '_>, base: &Url, context: &PageContext<'_>) -> Metadata {
    let &Classified {
        flat,
        survey,
        structured,
        main,
        page_type,
        ..
    } = page;
    let site_name = site_name(flat, structured);
    let title = title::find(flat, survey, structured, main, site_name.as_deref(), base);
    let lang = language(flat, structured, survey, main);
    let zone = BylineZone::of(page, title.as_deref(), lang.as_deref());
    let dating = Dating::of(
        flat,
        survey,
        structured,
        &zone,
        context.headers,
        *page_type == PageType::Forum,
    );
    Metadata {
        author: author::find(page, &zone, title.as_deref(), site_name.as_deref(), base),
        published: dating.published(base),
        modified: dating.modified(),
        description: flat
            .meta(&["description", "og:description", "twitter:description"])
            .map(short)
            .filter(|text| !text.is_empty()),
        image: flat
            .meta(&[
                "og:image",
                "og:image:url",
                "twitter:image",
                "twitter:image:src",
            ])
            .map(str::to_owned)
            .or_else(|| structured.image.clone())
            .and_then(|image| weburl::resolve(base, image.trim()))
            .filter(|image| matches!(image.scheme(), "http" | "https"))
            .map(String::from),
        licence: licence(flat, structured, base),
        lang,
        title,
        site_name: site_name.filter(|name| !name.is_empty()),
    }
}

fn site_name(flat: &FlatDom<'_>, structured: &Structured) -> Option<String> {
    flat.meta(&["og:site_name", "application-name", "SiteName"])
        .map(str::to_owned)
        .or_else(|| structured.site_name.clone())
        .map(|name| short(&name))
}

/// The title of a page of which `main` is the content so far.
pub(crate) fn title_of(
    flat: &FlatDom<'_>,
    survey: &Survey,
    structured: &Structured,
    main: &[bool],
    url: &Url,
) -> Option<String> {
    let site_name = site_name(flat, structured);
    title::find(flat, survey, structured, main, site_name.as_deref(), url)
}

/// The elements beside each other that are looked at.
const SIBLINGS_MAX: usize = 2000;

/// A value with whitespace collapsed, cut to [`FIELD_CHARS_MAX`].
pub(crate) fn short(text: &str) -> String {
    let mut text = crate::whitespace::collapsed(text);
    text.truncate(char_prefix(&text, FIELD_CHARS_MAX).len());
    text
}

/// Resolves the few character references that publishers leave in JSON.
pub(crate) fn unescaped(text: &str) -> String {
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

/// What addresses of Creative Commons licences have in common.
const CREATIVE_COMMONS: &str = "creativecommons.org/";

fn licence(flat: &FlatDom<'_>, structured: &Structured, base: &Url) -> Option<String> {
    let absolute = |href: &str| {
        weburl::resolve(base, href.trim())
            .filter(|url| matches!(url.scheme(), "http" | "https"))
            .map(String::from)
    };
    let has_rel = |rel: &str| {
        rel.split_ascii_whitespace().any(|word| {
            word.eq_ignore_ascii_case("license") || word.eq_ignore_ascii_case("licence")
        })
    };
    if let Some(found) = flat
        .head_links
        .iter()
        .find(|(rel, _)| has_rel(rel))
        .and_then(|(_, href)| absolute(href))
    {
        return Some(found);
    }
    let mut creative_commons = None;
    for element in flat.elements.iter().filter(|element| element.tag == Tag::A) {
        let Some(href) = element.element.attribute(&local_name!("href")) else {
            continue;
        };
        if element
            .element
            .attribute(&local_name!("rel"))
            .is_some_and(has_rel)
        {
            return absolute(href);
        }
        if creative_commons.is_none()
            && href.len() > CREATIVE_COMMONS.len()
            && href.contains(CREATIVE_COMMONS)
            && (href.contains("creativecommons.org/licenses/")
                || href.contains("creativecommons.org/publicdomain/"))
        {
            creative_commons = absolute(href);
        }
    }
    creative_commons.or_else(|| structured.licence.as_deref().and_then(absolute))
}

/// The declared language if the content does not contradict it, else the detected one.
fn language(
    flat: &FlatDom<'_>,
    structured: &Structured,
    survey: &Survey,
    main: &[bool],
) -> Option<String> {
    const BEGINNING_BYTES: usize = 1000;
    const MIXED_BYTES: usize = 8000;
    let declared = flat
        .lang
        .or_else(|| flat.meta(&["og:locale", "content-language", "dc.language", "language"]))
        .or(structured.language.as_deref())
        .map(primary)
        .filter(|code| (2..=3).contains(&code.len()));
    let kept = |run: &usize| main.get(*run) == Some(&true);
    let is_code = |run: usize| {
        let mut around = flat.ancestors(flat.runs[run].owner);
        around.any(|at| flat.elements[at as usize].tag == Tag::Pre)
    };
    let sample = |bytes: usize| {
        let kept = || (0..main.len()).filter(kept);
        let prose = language_sample(survey, kept().filter(|&run| !is_code(run)), bytes);
        // Code is in no language; it has to do only where there is nothing else, or no more than a heading over
        // a text that is written as code is.
        let is_told = segment::language(&prose, declared.as_deref()).is_some();
        match is_told && prose.contains(char::is_alphabetic) {
            true => prose,
            false => language_sample(survey, kept(), bytes),
        }
    };
    let beginning = sample(BEGINNING_BYTES);
    let mut found = segment::language(&beginning, declared.as_deref());
    let is_han = |c: char| matches!(c, '\u{4e00}'..='\u{9fff}');
    let is_of_han = |code: &str| matches!(code, "zh" | "ja" | "yue" | "wuu");
    // An article in Chinese may begin with more letters than characters: names and commands.
    if beginning.contains(is_han) && !found.is_some_and(|found| is_of_han(found.as_str())) {
        found = segment::language(&sample(MIXED_BYTES), declared.as_deref());
    }
    found
        .map(|language| language.as_str().to_owned())
        .or(declared)
}

/// So many bytes of some runs' text from the beginning on, by which the language is told.
fn language_sample(survey: &Survey, runs: impl Iterator<Item = usize>, bytes: usize) -> String {
    let mut sample = String::new();
    for run in runs {
        sample.push_str(&survey.texts[run]);
        sample.push('\n');
        if sample.len() > bytes {
            break;
        }
    }
    sample
}

/// "zh-Hans-CN" and "zh_CN" to "zh".
fn primary(code: &str) -> String {
    code.trim()
        .split(['-', '_', ',', ' '])
        .next()
        .unwrap_or("")
        .to_ascii_lowercase()
}

/// The text of an element's runs in one line, at most [`FIELD_CHARS_MAX`] characters.
pub(crate) fn element_text(flat: &FlatDom<'_>, survey: &Survey, at: ElementIndex) -> String {
    const BYTES_MAX: usize = 4 * FIELD_CHARS_MAX;
    if at == NO_ELEMENT {
        return String::new();
    }
    let element = &flat.elements[at as usize];
    let mut out = String::new();
    for index in element.first_run..element.end_run {
        let Some(text) = survey.texts.get(index as usize) else {
            break;
        };
        if !out.is_empty() {
            out.push(' ');
        }
        out.push_str(byte_prefix(text, BYTES_MAX));
        if out.len() > BYTES_MAX {
            break;
        }
    }
    short(&out)
}

#[cfg(test)]
mod tests {
    use crate::page::PageContext;

    #[test]
    fn an_article_that_begins_with_names_is_in_the_language_of_its_text() {
        let names =
            "PostgreSQL logical replication publication subscription wal sender receiver slot "
                .repeat(6);
        let prose =
            "这一节说明发布端与订阅端怎样配置，以及初始数据怎样复制，出错时又该查看哪些视图。"
                .repeat(30);
        let language = |text: &str| {
            let html = format!("<main><h1>配置</h1><p>{names}</p>{text}</main>");
            let url = url::Url::parse("http://a.example/").unwrap();
            crate::extract(&html, &PageContext::new(&url)).lang
        };
        assert_eq!(language(&format!("<p>{prose}</p>")).as_deref(), Some("zh"));
        assert_ne!(language(&format!("<p>{names}</p>")).as_deref(), Some("zh"));
    }

    #[test]
    fn a_text_written_as_code_is_in_its_language_whatever_stands_over_it() {
        for (text, expected) in [
            (
                "The command prints the names of all files that were changed since it last ran.\n",
                "en",
            ),
            (
                "这个命令打印上次运行以后改变过的所有文件的名字，一行一个。\n",
                "zh",
            ),
        ] {
            let html = format!(
                "<title>ls(1)</title><h1>ls(1)</h1><pre>{}</pre><hr><p><a href=/z>cp(1)</a></p>",
                text.repeat(8)
            );
            let url = url::Url::parse("http://a.example/").unwrap();
            let page = crate::extract(&html, &PageContext::new(&url));
            assert_eq!(page.lang.as_deref(), Some(expected));
        }
    }

    #[test]
    fn code_has_no_say_in_the_language_of_a_page() {
        // By their letters these articles were Spanish, German, Latin and French.
        for line in [
            "sudo apt-get install -y nginx && systemctl restart nginx",
            "static int fn(struct node *n) { if (!n) return -EINVAL; return n->val; }",
            "public static void main(String[] args) { System.out.println(args[0]); }",
            "fn main() { let table = query.index(server, page); }",
        ] {
            let code = format!("{line}\n").repeat(40);
            for (lang, prose, expected) in [
                (
                    "",
                    "交响乐团决定推迟老礼堂的音乐会，因为木材的价格上涨了。",
                    "zh",
                ),
                (
                    " lang=zh",
                    "交响乐团决定推迟老礼堂的音乐会，因为木材的价格上涨了。",
                    "zh",
                ),
                (
                    "",
                    "The orchestra has postponed the concert in the hall because timber is dear.",
                    "en",
                ),
            ] {
                let html = format!(
                    "<html{lang}><article><p>{prose}</p><pre><code>{code}</code></pre><p>{prose}</p></article>"
                );
                let url = url::Url::parse("http://a.example/").unwrap();
                let page = crate::extract(&html, &PageContext::new(&url));
                assert!(page.text.contains(line), "{}", page.text);
                assert_eq!(page.lang.as_deref(), Some(expected), "{lang} {line}");
            }
        }
    }
}
