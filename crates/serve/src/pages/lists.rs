//! Pages in a table, and what a search found.

use maud::{Markup, html};
use report::words::{count, readable};

use super::layout::{query, relevance, verdict};
use super::words::Words;
use crate::answers::{Facet, Found, Page, Pages, PagesAsked, Part, SearchAsked};

/// Rows of one page of the table.
const ROWS: usize = 50;

/// Hits of one page.
const HITS: usize = 20;

/// A choice of values with how many pages have each.
pub(super) fn choice(
    words: &Words,
    label: &str,
    name: &str,
    facets: Option<&Vec<Facet>>,
    now: Option<&str>,
    shown: &dyn Fn(&str) -> String,
) -> Markup {
    let facets = facets.map_or(&[][..], Vec::as_slice);
    let now = now.unwrap_or_default();
    let is_listed = facets.iter().any(|facet| facet.value == now);
    html! {
        label { span { (label) }
            select name=(name) {
                option value="" { (words.all) }
                @if !now.is_empty() && !is_listed { option value=(now) selected { (shown(now)) } }
                @for facet in facets {
                    option value=(facet.value) selected[facet.value == now] {
                        (shown(&facet.value)) (words.aside(&count(facet.count)))
                    }
                }
            }
        }
    }
}

/// The table of pages with its filters.
pub(super) fn pages(words: &Words, id: &str, asked: &PagesAsked, found: &Pages) -> Markup {
    let plain = |text: &str| text.to_owned();
    let reason = |text: &str| words.reason(text);
    let page_type = |text: &str| words.page_type(text);
    let facet = |name: &str| found.facets.get(name);
    html! {
        h1 { (words.pages) }
        form class="filters" method="get" data-swap="results" {
            label { span { (words.verdict) }
                select name="verdict" {
                    @for value in ["", "kept", "dropped", "failed"] {
                        option value=(value) selected[asked.verdict.as_deref().unwrap_or_default() == value] {
                            @if value.is_empty() { (words.all) } @else { (words.verdict(value)) }
                        }
                    }
                }
            }
            (choice(words, words.reason, "reason", facet("reason"), asked.reason.as_deref(), &reason))
            (choice(words, words.host, "host", facet("host"), asked.host.as_deref(), &plain))
            (choice(words, words.lang, "lang", facet("lang"), asked.lang.as_deref(), &plain))
            (choice(words, words.kind, "type", facet("type"), asked.page_type.as_deref(), &page_type))
            label { span { (words.since) } input type="date" name="since" value=[asked.since.as_deref()]; }
            label { span { (words.until) } input type="date" name="until" value=[asked.until.as_deref()]; }
            label { span { (words.filter) }
                input type="search" name="q" value=[asked.q.as_deref()] placeholder=(words.filter_hint) maxlength="200";
            }
            @if let Some(sort) = &asked.sort { input type="hidden" name="sort" value=(sort); }
            @if let Some(order) = &asked.order { input type="hidden" name="order" value=(order); }
            button type="submit" { (words.filter) }
        }
        div id="results" aria-live="polite" {
            p class="soft" id="count" { b { (count(found.total)) } " " (words.pages_fit)
                @if found.left_out > 0 { " · " (count(found.left_out)) " " (words.left_out) } }
            (table(words, id, asked, found))
            (turning(words, found.offset, ROWS, found.total, &|offset| link(id, asked, None, Some(offset))))
        }
    }
}

/// The address of the table, with another order or another part of it.
fn link(id: &str, asked: &PagesAsked, sort: Option<(&str, &str)>, offset: Option<usize>) -> String {
    let offset = offset
        .filter(|offset| *offset > 0)
        .map(|offset| offset.to_string());
    let (by, order) = match sort {
        Some((by, order)) => (Some(by), Some(order)),
        None => (asked.sort.as_deref(), asked.order.as_deref()),
    };
    let query = query(&[
        ("verdict", asked.verdict.as_deref()),
        ("reason", asked.reason.as_deref()),
        ("host", asked.host.as_deref()),
        ("lang", asked.lang.as_deref()),
        ("type", asked.page_type.as_deref()),
        ("since", asked.since.as_deref()),
        ("until", asked.until.as_deref()),
        ("q", asked.q.as_deref()),
        ("sort", by),
        ("order", order),
        ("offset", offset.as_deref()),
    ]);
    format!("/c/{id}/pages?{query}")
}

fn table(words: &Words, id: &str, asked: &PagesAsked, found: &Pages) -> Markup {
    let head = |label: &str, by: &'static str, first: &'static str, class: &str| {
        let now = asked.sort.as_deref() == Some(by);
        let order = asked.order.as_deref().unwrap_or(first);
        let next = match (now, order) {
            (true, "asc") => "desc",
            (true, _) => "asc",
            (false, _) => first,
        };
        let aria = match (now, order) {
            (true, "asc") => "ascending",
            (true, _) => "descending",
            (false, _) => "none",
        };
        html! {
            th scope="col" class=(class) aria-sort=(aria) {
                a href=(link(id, asked, Some((by, next)), None)) data-swap="results" { (label) }
            }
        }
    };
    html! {
        div class="scroll" tabindex="0" {
            table class="pages" {
                thead { tr {
                    (head(words.title, "title", "asc", ""))
                    (head(words.host, "host", "asc", "hide"))
                    th scope="col" { (words.verdict) }
                    (head(words.date, "published", "desc", "hide"))
                    (head(words.word_count, "words", "desc", "n hide"))
                    (head(words.relevance, "relevance", "desc", ""))
                } }
                tbody {
                    @for page in &found.pages { (row(words, id, page)) }
                    @if found.pages.is_empty() { tr { td colspan="6" class="soft" { (words.nothing_fits) } } }
                }
            }
        }
    }
}

fn row(words: &Words, id: &str, page: &Page) -> Markup {
    html! {
        tr {
            td class="t" {
                a href={ "/c/" (id) "/pages/" (page.page) } {
                    bdi { @if page.title.is_empty() { (readable(&page.url)) } @else { (page.title) } }
                }
                span class="soft u" { bdi { (readable(&page.url)) } }
            }
            td class="hide" { (page.host) }
            td { (verdict(words, &page.verdict))
                @if !page.reason.is_empty() { span class="soft why" { (words.reason(&page.reason)) } }
            }
            td class="hide d" { (page.published.get(..10).unwrap_or(&page.published)) }
            td class="n hide" { (count(u64::from(page.words))) }
            td { (relevance(page.relevance)) }
        }
    }
}

/// Links to the parts before and after.
pub(super) fn turning(
    words: &Words,
    offset: usize,
    step: usize,
    total: u64,
    to: &dyn Fn(usize) -> String,
) -> Markup {
    let end = (offset + step).min(total as usize);
    html! {
        @if total as usize > step || offset > 0 {
            nav class="turn" aria-label=(words.pages) {
                @if offset > 0 { a href=(to(offset.saturating_sub(step))) data-swap="results" rel="prev" { "← " (words.previous) } }
                span class="soft" { (count(offset as u64 + 1)) "–" (count(end as u64)) " " (words.of) " " (count(total)) }
                @if end < total as usize { a href=(to(offset + step)) data-swap="results" rel="next" { (words.next) " →" } }
            }
        }
    }
}

/// Parts of a text with its matches marked.
fn marked(parts: &[Part]) -> Markup {
    html! {
        bdi { @for part in parts { @if part.is_match { mark { (part.text) } } @else { (part.text) } } }
    }
}

/// The search, and what it found.
pub(super) fn search(
    words: &Words,
    id: &str,
    asked: &SearchAsked,
    found: Option<&Found>,
) -> Markup {
    html! {
        h1 { (words.search) }
        form class="ask" method="get" role="search" {
            label class="hidden" for="q" { (words.search) }
            input id="q" type="search" name="q" value=[asked.q.as_deref()] placeholder=(words.search_hint) autofocus[found.is_none()];
            button type="submit" class="strong" { (words.search_do) }
        }
        @if let Some(found) = found {
            div class="split" {
                aside { (facets(words, id, asked, found)) }
                div id="results" {
                    p class="soft" role="status" { b { (count(found.fitting)) } " " (words.found)
                        @if found.fitting != found.total { " " (words.of) " " (count(found.total)) } }
                    @if found.is_relaxed && found.total > 0 { p { (words.relaxed) } }
                    @for hint in &found.hints { p class="soft" { (words.problem_of(hint)) } }
                    ol class="hits" {
                        @for hit in &found.hits {
                            li {
                                h2 { a href={ "/c/" (id) "/pages/" (hit.page.page) } {
                                    @if hit.title.is_empty() { (readable(&hit.page.url)) } @else { (marked(&hit.title)) } } }
                                p class="soft u" { bdi { (readable(&hit.page.url)) } }
                                p { (marked(&hit.snippet)) }
                                p class="soft meta" { (hit.page.lang)
                                    @if !hit.page.published.is_empty() { " · " (hit.page.published.get(..10).unwrap_or(&hit.page.published)) }
                                    @if !hit.page.page_type.is_empty() { " · " (words.page_type(&hit.page.page_type)) } }
                            }
                        }
                    }
                    (turning(words, asked.offset.unwrap_or(0), HITS, found.fitting, &|offset| hits_link(id, asked, None, offset)))
                }
            }
        }
    }
}

/// The address of a search with another filter or another part of it.
fn hits_link(id: &str, asked: &SearchAsked, facet: Option<(&str, &str)>, offset: usize) -> String {
    let offset = (offset > 0).then(|| offset.to_string());
    let year = facet
        .filter(|(name, _)| *name == "year")
        .map(|(_, year)| year);
    let since = year
        .map(|year| format!("{year}-01-01"))
        .or(asked.since.clone());
    let until = year
        .map(|year| format!("{year}-12-31"))
        .or(asked.until.clone());
    let of = |name: &str, now: &Option<String>| match facet {
        Some((facet, value)) if facet == name => Some(value.to_owned()),
        Some(_) | None => now.clone(),
    };
    let (host, lang) = (of("host", &asked.host), of("lang", &asked.lang));
    let kind = of("type", &asked.page_type);
    let query = query(&[
        ("q", asked.q.as_deref()),
        ("host", host.as_deref()),
        ("lang", lang.as_deref()),
        ("type", kind.as_deref()),
        ("since", since.as_deref()),
        ("until", until.as_deref()),
        ("offset", offset.as_deref()),
    ]);
    format!("/c/{id}/search?{query}")
}

fn facets(words: &Words, id: &str, asked: &SearchAsked, found: &Found) -> Markup {
    let shown = |name: &str, value: &str| match name {
        "type" => words.page_type(value),
        _ => value.to_owned(),
    };
    let groups = [
        (words.host, "host"),
        (words.lang, "lang"),
        (words.kind, "type"),
        (words.year, "year"),
    ];
    let set: Vec<(&str, &String)> = [
        ("host", &asked.host),
        ("lang", &asked.lang),
        ("type", &asked.page_type),
        ("year", &asked.since),
    ]
    .into_iter()
    .filter_map(|(name, value)| Some((name, value.as_ref().filter(|value| !value.is_empty())?)))
    .collect();
    html! {
        @if !set.is_empty() {
            p { @for (name, value) in &set { span class="tag" { (shown(name, value)) } " " }
                a href={ "/c/" (id) "/search?" (query(&[("q", asked.q.as_deref())])) } { (words.all) } }
        }
        @for (label, name) in groups {
            @if let Some(values) = found.facets.get(name).filter(|values| !values.is_empty()) {
                details open {
                    summary { (label) }
                    ul {
                        @for facet in values.iter().take(10) {
                            li { a href=(hits_link(id, asked, Some((name, &facet.value)), 0)) { (shown(name, &facet.value)) }
                                " " span class="soft n" { (count(facet.count)) } }
                        }
                    }
                }
            }
        }
    }
}
