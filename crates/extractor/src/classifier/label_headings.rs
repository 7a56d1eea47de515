//! Headings of lists of other pages and of adverts, which stand amid a text as its own headings do.
//!
//! "Recommended dose" over a paragraph is a section, and a heading with nothing kept under it is none. But under the label
//! of an advert the text goes on as if the label were not there. So a heading that is a label and no more needs a
//! witness: another heading of the text that is made as it is. "Werbung" beside "Geschichte" is a section of an article on
//! a firm.
//!
//! Cost: one look at each run for each level of headings.

use rustc_hash::FxHashMap;

use crate::flat_dom::{ElementIndex, FlatDom};
use crate::line_markers::Marker;
use crate::survey::Survey;

use super::boilerplate_rules::{in_caption, is_linked};

/// The weight of the longest heading that may be a label.
const WEIGHT_MAX: u32 = 60;

/// Sets the probability of the headings of lists of other pages and of adverts to 0. `kept` is what is content without
/// rules.
pub(super) fn drop(flat: &FlatDom<'_>, survey: &Survey, kept: &[bool], probability: &mut [f32]) {
    let level = |run: usize| level_of(flat, run);
    let is_marked = |run: usize| {
        let markers = survey.markers[run];
        markers.has(Marker::Related) || markers.has(Marker::Advert)
    };
    let headings = || (0..flat.runs.len()).filter(|&run| level(run).is_some());
    // How the text's own headings are made, and how often each label is met.
    let mut own: Vec<Made> = Vec::new();
    let is_own = |&run: &usize| !is_marked(run) && kept[run] && probability[run] > 0.0;
    for made in headings()
        .filter(is_own)
        .filter_map(|run| Made::of(flat, run))
    {
        if !own.contains(&made) {
            own.push(made);
        }
    }
    let mut counts: FxHashMap<&str, u32> = FxHashMap::default();
    for heading in headings() {
        *counts.entry(&survey.texts[heading]).or_default() += 1;
    }
    // What each part of a text has under it: "Minimum" and "Recommended" for each system.
    let repeated: Vec<(u32, Made)> = headings()
        .filter(is_own)
        .filter_map(|run| Some((counts[survey.texts[run].as_str()], Made::of(flat, run)?)))
        .filter(|(count, _)| *count > 1)
        .collect();
    for heading in headings() {
        if !is_marked(heading) || flat.runs[heading].counts.weight >= WEIGHT_MAX {
            continue;
        }
        let is_label = is_label_alone(survey, heading);
        let is_made_as_others = || {
            let count = counts[survey.texts[heading].as_str()];
            let is_as_often =
                |made: &Made| repeated.iter().any(|of| of.0 == count && of.1 == *made);
            Made::of(flat, heading).is_some_and(|made| match count {
                1 => own.contains(&made),
                _ => is_as_often(&made),
            })
        };
        if is_label && !is_made_as_others() || !is_over_text(flat, heading, kept, probability) {
            probability[heading] = 0.0;
        }
    }
}

/// Drops the links of lists under headings that lead to other pages by their first words, wherever the list closes the
/// part that it stands in: an article may be shorter than what a template puts under it.
pub(super) fn drop_lists(flat: &FlatDom<'_>, survey: &Survey, probability: &mut [f32]) {
    const LINKS_MIN: usize = 2;
    for heading in 0..flat.runs.len() {
        let is_marked = survey.markers[heading].has(Marker::Related)
            && flat.runs[heading].counts.weight < WEIGHT_MAX
            && level_of(flat, heading).is_some();
        if !is_marked || probability[heading] > 0.0 {
            continue;
        }
        let is_alone = |at: &ElementIndex| {
            let element = &flat.elements[*at as usize];
            element.end_run == element.first_run + 1
        };
        let mut around = flat
            .ancestors(flat.runs[heading].owner)
            .skip_while(is_alone);
        let Some(part) = around.next() else { continue };
        let behind = heading + 1..flat.elements[part as usize].end_run as usize;
        let are_links = behind.clone().all(|run| is_linked(&flat.runs[run]));
        if behind.len() >= LINKS_MIN && are_links {
            probability[behind].fill(0.0);
        }
    }
}

fn level_of(flat: &FlatDom<'_>, run: usize) -> Option<u8> {
    flat.elements[flat.runs[run].owner as usize]
        .tag
        .heading_level()
}

/// How a heading is made: its level, and whether it stands in a box of its own.
#[derive(PartialEq, Eq)]
struct Made {
    level: u8,
    is_boxed: bool,
}

impl Made {
    fn of(flat: &FlatDom<'_>, run: usize) -> Option<Made> {
        let level = level_of(flat, run)?;
        let parent = flat.elements[flat.runs[run].owner as usize].parent;
        let parent = flat.elements.get(parent as usize)?;
        let is_boxed = parent.end_run == parent.first_run + 1;
        Some(Made { level, is_boxed })
    }
}

/// Whether a marked heading is a label and no more. A word that is a topic as well tells nothing alone.
fn is_label_alone(survey: &Survey, run: usize) -> bool {
    const TOPICS: [&str; 5] = ["pr", "promotion", "promoted", "ad", "ads"];
    const RELATED: [&str; 44] = [
        "related",
        "related articles",
        "related stories",
        "related posts",
        "related content",
        "related topics",
        "related news",
        "related links",
        "related reading",
        "related pages",
        "recommended",
        "recommended for you",
        "recommended reading",
        "recommended stories",
        "read more",
        "read next",
        "read also",
        "also read",
        "more stories",
        "more news",
        "you may also like",
        "you might also like",
        "don't miss",
        "up next",
        "trending",
        "most read",
        "most popular",
        "editor's picks",
        "相关阅读",
        "相关新闻",
        "相关文章",
        "相关推荐",
        "推荐阅读",
        "延伸阅读",
        "猜你喜欢",
        "関連記事",
        "おすすめ記事",
        "lesen sie auch",
        "lire aussi",
        "à lire aussi",
        "lea también",
        "leia também",
        "читайте также",
        "lees ook",
    ];
    let text = survey.texts[run].to_lowercase();
    let text = text.trim_matches(|c: char| !c.is_alphanumeric());
    survey.markers[run].has(Marker::Advert) && !TOPICS.contains(&text) || RELATED.contains(&text)
}

/// Whether text is kept under a heading.
fn is_over_text(flat: &FlatDom<'_>, heading: usize, kept: &[bool], probability: &[f32]) -> bool {
    let level = |run: usize| level_of(flat, run);
    let own = level(heading);
    // What stands under it, behind the headings of its parts and the captions of its pictures. A heading of
    // its own level or above ends it, so no run is met more often than there are levels.
    let mut under = (heading + 1..flat.runs.len())
        .take_while(|&run| level(run).is_none_or(|level| Some(level) > own));
    let is_passed =
        |run: usize| level(run).is_some() && !is_linked(&flat.runs[run]) || in_caption(flat, run);
    let first = under.find(|&run| !is_passed(run));
    let is_text = |run: usize| kept[run] && probability[run] > 0.0 && !is_linked(&flat.runs[run]);
    first.is_some_and(is_text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_heading_over_kept_text_is_no_label() {
        let kept = |page: &str| {
            let html = scraper::Html::parse_document(page);
            let flat = FlatDom::of(&html);
            let survey = Survey::of(&flat);
            let mut probability = vec![0.9; flat.runs.len()];
            let kept: Vec<bool> = survey.texts.iter().map(|text| text != "Gone").collect();
            drop(&flat, &survey, &kept, &mut probability);
            probability[0] > 0.0
        };
        let link = "<a href=/mill>The mill by the river</a>";
        for (page, is_kept) in [
            ("<h2>Recommended dose</h2><p>Two spoons a day.", true),
            (
                "<h2>Promotion</h2><p>The doctorate takes three years.",
                true,
            ),
            (
                "<h2>Related work</h2><h3>Mills</h3><p>Two were found.",
                true,
            ),
            ("<h2>相关概念</h2><ul><li>磨坊是加工谷物的地方。</ul>", true),
            (
                "<h2>Related work</h2><figure><figcaption>A mill</figcaption></figure><p>Two.",
                true,
            ),
            (&format!("<h2>Related work</h2><ul><li>{link}</ul>"), false),
            (
                &format!("<h2>Related work</h2><h3>{link}</h3><p>It turned."),
                false,
            ),
            ("<h2>Related work</h2><p>Gone</p><p>Two were found.", false),
            (
                "<h2>Related work</h2><h2>Mills</h2><p>Two were found.",
                false,
            ),
            ("<h2>Related work</h2>", false),
            ("<h2>Advertisement</h2><p>Gone", false),
            // The text went on under them, and they stayed in it.
            ("<h6>Advertisement</h6><p>Two were found.", false),
            ("<h4>Anzeige</h4><p>Two were found.", false),
            ("<h2>Publicité</h2><p>Two were found.", false),
            ("<h4>Related</h4><p>Two were found.", false),
            ("<h3>相关阅读</h3><p>Two were found.", false),
            (
                "<div><h2>Anzeige</h2></div><p>Two.</p><h2>Mills</h2><p>Three.",
                false,
            ),
            (
                "<h2>Anzeige</h2><p>Two.</p><h2>Mills</h2><p>Three.</p><h2>Anzeige</h2><p>Four.",
                false,
            ),
            // A section among others.
            (
                "<h2>Werbung</h2><p>Two were made.</p><h2>Geschichte</h2><p>Three.",
                true,
            ),
            (
                "<div><h2>Publicité</h2></div><p>Two.</p><div><h2>Histoire</h2></div><p>Three.",
                true,
            ),
            ("<h2>PR</h2><p>Two were found.", true),
        ] {
            assert_eq!(kept(page), is_kept, "{page}");
        }
    }

    const TEXT: &str = "<p>The game runs on most machines of the last ten years, but it looks better on newer ones, as \
        you might think.</p>";

    fn text(lang: &str, body: &str) -> String {
        let html = format!(
            "<html lang={lang}><title>The lock</title><main><article><h1>The lock</h1>{TEXT}{TEXT}{body}"
        );
        let url = url::Url::parse("https://canal.example/lock").unwrap();
        crate::extract(&html, &crate::PageContext::new(&url)).text
    }

    #[test]
    fn what_each_system_is_recommended_to_have_is_a_section() {
        let system = |name: &str| {
            format!(
                "<h2>{name}</h2><h3>Minimum</h3><ul><li>Memory: 4 GB<li>Disk: 9 GB</ul><h3>Recommended</h3><ul>\
                 <li>Memory: 8 GB<li>Disk: 12 GB</ul>"
            )
        };
        let text = text(
            "en",
            &format!("{}{}{TEXT}", system("Windows"), system("macOS")),
        );
        assert_eq!(text.matches("Recommended").count(), 2, "{text}");
    }

    #[test]
    fn links_under_a_label_are_none_of_a_short_text_in_any_language() {
        for (lang, label) in [
            ("en", "Related articles"),
            ("de", "Ähnliche Artikel"),
            ("th", "ข่าวที่เกี่ยวข้อง"),
            ("km", "អត្ថបទពាក់ព័ន្ធ"),
        ] {
            let links =
                "<li><a href=/a>The mill by the river</a><li><a href=/b>The bridge of stone</a>";
            let list = format!("</article><div class=box><h3>{label}</h3><ul>{links}</ul></div>");
            assert!(!text(lang, &list).contains("The mill"), "{label}");
        }
    }
}
