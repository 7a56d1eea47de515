//! Parts of a forum's page beside its thread: the description of the board above it, the rules in its side bar.
//!
//! They are whole sentences, as posts are, and stand before the first of them. But posts are signed, and these parts
//! hold neither a signature nor the thread's title.

use std::ops::Range;

use crate::class_hints::Hint;
use crate::flat_dom::{ElementIndex, FlatDom};
use crate::page_type::Thread;
use crate::survey::Survey;
use crate::tag::Tag;
use crate::titles;

/// A thread's own lines.
pub(super) struct BesideThread {
    /// Its signatures, in the order of the page.
    signatures: Vec<usize>,
    /// Its title above them.
    title: Option<usize>,
}

impl BesideThread {
    pub(super) fn of(flat: &FlatDom<'_>, survey: &Survey, thread: &Thread) -> Option<BesideThread> {
        let mut signatures: Vec<usize> = thread.signatures.iter().flatten().copied().collect();
        signatures.sort_unstable();
        let first = *signatures.first()?;
        let titles = (0..first).filter(|&run| titles::has(flat, &survey.texts[run]));
        let title = titles.max_by_key(|&run| flat.runs[run].counts.weight);
        Some(BesideThread { signatures, title })
    }

    /// Whether a run stands in a header above the thread and its title, or in a side bar.
    pub(super) fn has(&self, flat: &FlatDom<'_>, run: usize) -> bool {
        let mut around = flat.ancestors(flat.runs[run].owner);
        around.any(|at| {
            let element = &flat.elements[at as usize];
            let runs = element.first_run as usize..element.end_run as usize;
            let is_side = element.tag == Tag::Aside || element.hints.has(Hint::Side);
            let is_header = element.tag == Tag::Header || element.hints.has(Hint::Header);
            let is_above = runs.end <= self.signatures[0];
            let holds_title = self.title.is_some_and(|title| runs.contains(&title));
            (is_side || is_header && is_above && !holds_title)
                && self.signed(runs) == 0
                && !self.is_in_post(flat, at)
        })
    }

    /// Whether an element stands in a post, as a quotation does: the element around it with a signature has not all of them,
    /// or one within that is named after posts and texts.
    fn is_in_post(&self, flat: &FlatDom<'_>, at: ElementIndex) -> bool {
        for around in flat.ancestors(at).skip(1) {
            let element = &flat.elements[around as usize];
            let signed = self.signed(element.first_run as usize..element.end_run as usize);
            if signed > 0 {
                return signed < self.signatures.len();
            }
            if [Hint::Post, Hint::Content]
                .iter()
                .any(|&hint| element.hints.has(hint))
            {
                return true;
            }
        }
        false
    }

    /// How many signatures are among some runs.
    fn signed(&self, runs: Range<usize>) -> usize {
        let before = |end: usize| self.signatures.partition_point(|&run| run < end);
        before(runs.end) - before(runs.start)
    }
}

#[cfg(test)]
mod tests {
    use crate::{PageContext, extract};

    #[test]
    fn what_stands_beside_a_thread_is_none_of_it() {
        let post = |name: &str, day: u32| {
            format!(
                "<div class=post><div class=head><a class=username href=/u/{name}>{name}</a> · May {day}, 2020</div>\
                 <div class=text>I had the same trouble with the pump {day} until I found that the plug was loose, \
                 so look there first, before you buy a new one.</div></div>"
            )
        };
        let posts = post("ann", 3) + &post("bo", 4) + &post("cy", 5);
        let told =
            "Here all that is told is about pumps, valves and pipes, and nothing else may be sold.";
        let text = |before: &str, posts: &str, behind: &str| {
            let html = format!(
                "<html lang=en><title>The pump - Pumps</title><body>{before}<h2>The pump</h2>{posts}{behind}"
            );
            let url = url::Url::parse("https://pumps.example/viewtopic.php?t=7").unwrap();
            extract(&html, &PageContext::new(&url)).text
        };
        for part in [
            format!("<div class=page-header><h1>Pumps</h1><p>{told}</p></div>"),
            format!("<div class=side><h3>Rules</h3><p>{told}</p></div>"),
            format!("<aside><p>{told}</p></aside>"),
        ] {
            let side = part.replace("page-header", "side");
            for text in [text(&part, &posts, ""), text("", &posts, &side)] {
                assert!(text.contains("the pump 4"), "{text}");
                assert!(!text.contains("may be sold"), "{part}");
            }
        }
        // A quotation in a post.
        let quotation = format!("<aside><p>{told}</p></aside>so look");
        let posts = posts.replacen("so look", &quotation, 1);
        assert!(text("", &posts, "").contains("may be sold"));
    }
}
