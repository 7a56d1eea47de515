//! A page with its text, and a URL's story.

use maud::{Markup, html};
use report::words::{count, readable};

use super::layout::{outside, query, relevance, verdict};
use super::words::Words;
use crate::answers::{Explained, Page, PageText};

/// What is known of a page, for the head of a view.
pub(super) fn facts(words: &Words, page: &Page) -> Markup {
    html! {
        p class="facts" {
            (verdict(words, &page.verdict))
            @if !page.reason.is_empty() { span { (words.reason(&page.reason)) } }
            span class="soft" { (page.host) }
            @if !page.lang.is_empty() { span class="soft" { (page.lang) } }
            @if !page.published.is_empty() { span class="soft" { (page.published) } }
            span class="soft" { (words.word_count) (words.colon) (count(u64::from(page.words))) }
            @if page.relevance.is_some() { (relevance(page.relevance)) }
        }
    }
}

/// The title of a page, or its URL.
pub(super) fn title(page: &Page) -> Markup {
    html! { bdi { @if page.title.is_empty() { (readable(&page.url)) } @else { (page.title) } } }
}

/// A page with its text.
pub(super) fn page(words: &Words, id: &str, found: &PageText) -> Markup {
    let page = &found.page;
    let story = query(&[("url", Some(&page.url))]);
    html! {
        article class="card text-view" {
            h1 { (title(page)) }
            p class="u" { (outside(&page.url, &html! { bdi { (readable(&page.url)) } })) }
            (facts(words, page))
            p class="links" {
                a class="button" href={ "/c/" (id) "/explain?" (story) } { (words.its_story) }
                @if let Some(repeats) = &page.repeats {
                    a class="button" href={ "/c/" (id) "/clusters/" (repeats.page) "/" (page.page) } { (words.side_by_side) }
                }
                @if page.verdict != "failed" {
                    @for (mark, text) in [("wrong", words.mark_wrong), ("right", words.mark_right)] {
                        button type="button" data-mark=(mark) data-page=(page.page) disabled[found.mark.as_deref() == Some(mark)] { (text) }
                    }
                }
            }
            p class="soft" id="mark" role="status" {
                @match found.mark.as_deref() {
                    Some("wrong") => { (words.marked_wrong) }
                    Some("right") => { (words.marked_right) }
                    Some(_) | None => {}
                }
            }
            @if let Some(repeats) = &page.repeats {
                p class="soft" { (words.repeats) " " a href={ "/c/" (id) "/pages/" (repeats.page) } { bdi { (readable(&repeats.url)) } } }
            }
            @match &found.text {
                Some(text) => { div class="text" dir="auto" { (text) } }
                None => { p class="soft" { (words.no_text) } }
            }
            @if found.is_cut { p class="soft" { (words.text_cut) } }
        }
    }
}

/// What somebody asked for.
pub(super) struct Typed<'a> {
    /// As it was typed.
    pub(super) url: &'a str,
    /// What is wrong with it.
    pub(super) problem: Option<&'a str>,
}

/// The form that asks for a story, and the story; `page` is the URL's row in the lists.
pub(super) fn explain(
    words: &Words,
    id: &str,
    typed: &Typed<'_>,
    told: Option<&Explained>,
    page: Option<&Page>,
) -> Markup {
    html! {
        h1 { (words.explain) }
        p class="soft" { (words.explain_about) }
        form class="ask" method="get" {
            label class="hidden" for="url" { "URL" }
            input id="url" type="text" inputmode="url" autocapitalize="none" spellcheck="false" name="url" value=(typed.url)
                placeholder=(words.explain_hint) required maxlength="1800" aria-invalid=[typed.problem.map(|_| "true")];
            button type="submit" class="strong" { (words.explain_do) }
        }
        @if let Some(problem) = typed.problem { p role="alert" { (words.problem_of(problem)) } }
        @if let Some(told) = told {
            article class="card" {
                p class="u" { (outside(&told.url, &html! { bdi { (readable(&told.url)) } })) }
                @if let Some(page) = page { (ways_on(words, id, page)) }
                @if words.is_chinese() {
                    pre class="told" tabindex="0" { (told.short.split_once('\n').map_or("", |(_, lines)| lines)) }
                    details { summary { (words.whole_story) } pre class="told" tabindex="0" { (told.told) } }
                } @else {
                    @if told.is_known { p class="say" { (told.summary) } } @else { p { (words.unknown_url) " " (told.summary) } }
                    pre class="told" tabindex="0" { (told.told) }
                }
                p { a href={ "/api/v1/crawls/" (id) "/explain?" (query(&[("url", Some(&told.url))])) } { "JSON" } }
            }
        }
    }
}

/// From a story to the page's text, and to the page that it repeats.
fn ways_on(words: &Words, id: &str, page: &Page) -> Markup {
    html! {
        p class="links" {
            a class="button" href={ "/c/" (id) "/pages/" (page.page) } { (words.its_text) }
            @if let Some(repeats) = &page.repeats {
                a class="button" href={ "/c/" (id) "/clusters/" (repeats.page) "/" (page.page) } { (words.side_by_side) }
                a class="button" href={ "/c/" (id) "/explain?" (query(&[("url", Some(&repeats.url))])) } { (words.of_the_kept) }
            }
        }
    }
}
