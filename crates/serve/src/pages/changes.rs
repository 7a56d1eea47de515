//! What the crawl found when it came back, and what differs between two crawls: texts with marks.

use maud::{Markup, html};
use report::compare::{HostDelta, PageList};
use report::words::{count, readable};

use super::layout::query;
use super::lists::{choice, turning};
use super::words::Words;
use crate::answers::{ChangeList, ChangedPage, ChangesAsked, Facet, TextPiece};
use crate::lists::{LIMIT, LIMIT_MAX};

/// Pages of a comparison that are shown.
const COMPARED_MAX: usize = 50;

/// The changes.
pub(super) fn changes(words: &Words, id: &str, asked: &ChangesAsked, found: &ChangeList) -> Markup {
    let kinds = found.counts.iter().map(|(value, count)| Facet {
        value: value.clone(),
        count: *count,
    });
    let kinds: Vec<Facet> = kinds.collect();
    let name = |kind: &str| words.change(kind);
    html! {
        h1 { (words.changes) }
        p class="soft" { (words.changes_about) }
        @if let Some(last) = found.rounds.last() {
            p { (words.tongue().say(&last.line())) }
            form class="filters" method="get" data-swap="results" {
                (choice(words, words.kind, "change", Some(&kinds), asked.change.as_deref(), &name))
                label { span { (words.seen_from) } input type="date" name="since" value=[asked.since.as_deref()]; }
                button type="submit" { (words.filter) }
            }
            p class="soft" { (words.of_last_round) }
        } @else { p { (words.not_back_yet) } }
        div id="results" aria-live="polite" {
            p class="soft" { b { (count(found.total)) } " " (words.pages_fit) }
            ul class="differ" { @for page in &found.changes { (row(words, id, page)) } }
            (turning(words, found.offset, asked.limit.unwrap_or(LIMIT).clamp(1, LIMIT_MAX), found.total, &|offset| link(id, asked, offset)))
        }
    }
}

fn link(id: &str, asked: &ChangesAsked, offset: usize) -> String {
    let offset = (offset > 0).then(|| offset.to_string());
    let limit = asked.limit.map(|limit| limit.to_string());
    let query = query(&[
        ("limit", limit.as_deref()),
        ("change", asked.change.as_deref()),
        ("since", asked.since.as_deref()),
        ("offset", offset.as_deref()),
    ]);
    format!("/c/{id}/changes?{query}")
}

fn row(words: &Words, id: &str, page: &ChangedPage) -> Markup {
    let kept = match (page.was_kept, page.is_kept) {
        (true, false) => Some(words.no_longer_kept),
        (false, true) if page.change != "new" => Some(words.kept_now),
        (false, false) if page.change == "new" => Some(words.not_kept),
        (true, true) | (false, true | false) => None,
    };
    let title = html! { bdi { @if page.title.is_empty() { (readable(&page.url)) } @else { (page.title) } } };
    html! {
        li {
            span class="tag" { (words.change(&page.change)) } " "
            @match page.page {
                Some(number) => { a href={ "/c/" (id) "/pages/" (number) } { (title) } }
                None => { (title) }
            }
            @if let Some(kept) = kept { " " span { (kept) } }
            span class="soft u" { bdi { (readable(&page.url)) } }
            span class="soft" { (page.at.get(..16).unwrap_or(&page.at).replace('T', " ")) " UTC"
                @if let Some(why) = &page.why { " · " (words.tongue().say(why)) } }
            (marked(words, &page.pieces))
        }
    }
}

/// Where two texts differ.
fn marked(words: &Words, pieces: &[TextPiece]) -> Markup {
    html! {
        @if !pieces.is_empty() {
            div class="text short" dir="auto" tabindex="0" {
                @for piece in pieces {
                    @match piece.is.as_str() {
                        "removed" => { del { (piece.text) } }
                        "added" => { ins { (piece.text) } }
                        "skipped" => { span class="soft" { " … " (count(piece.skipped)) " " (words.alike) " … " } }
                        _ => { (piece.text) }
                    }
                }
            }
        }
    }
}

/// Pages that two crawls keep with other texts.
pub(super) fn both_changed(words: &Words, id: &str, list: &PageList) -> Markup {
    let shown = list.pages.iter().take(COMPARED_MAX);
    html! {
        section class="card full" {
            h2 { (words.both_changed) " " span class="big" { (count(list.total)) } }
            ul class="differ" {
                @for page in shown {
                    li {
                        a href={ "/c/" (id) "/explain?" (query(&[("url", Some(&page.url))])) } { bdi { (readable(&page.url)) } }
                        (marked(words, &page.difference.iter().map(crate::asking::piece).collect::<Vec<_>>()))
                    }
                }
            }
            @if list.total > COMPARED_MAX as u64 {
                p class="soft" { (count(list.total - COMPARED_MAX as u64)) " " (words.more_listed) }
            }
        }
    }
}

/// Hosts of which two crawls have finished or kept other numbers of pages.
pub(super) fn hosts_differ(words: &Words, hosts: &[HostDelta]) -> Markup {
    html! {
        section class="card full" {
            h2 { (words.hosts_differ) }
            div class="scroll" tabindex="0" {
                table {
                    thead { tr {
                        th scope="col" { (words.host) }
                        th scope="col" class="n" { (words.finished) }
                        th scope="col" class="n" { (words.kept) }
                    } }
                    tbody {
                        @for host in hosts {
                            tr {
                                th scope="row" { (host.host) }
                                td class="n" { (count(host.first.0)) " → " (count(host.second.0)) }
                                td class="n" { (count(host.first.1)) " → " (count(host.second.1)) }
                            }
                        }
                    }
                }
            }
        }
    }
}
