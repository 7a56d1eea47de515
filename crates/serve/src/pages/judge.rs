//! What people check: duplicates side by side, two crawls, a random sample.

use maud::{Markup, html};
use report::Comparison;
use report::audit::{Audit, Estimate};
use report::compare::figure_name;
use report::words::{count, readable};

use super::changes::{both_changed, hosts_differ};
use super::layout::query;
use super::texts::{facts, title};
use super::words::Words;
use crate::answers::{ClusterPages, Clusters, Compared, Differing, Page, Sample, SideBySide};

/// Clusters of one page.
const CLUSTERS: usize = 50;

/// Characters of a text in common that are shown before and after what differs.
const AROUND_CHARS: usize = 160;

/// Characters in which a word's end is looked for.
const WORD_CHARS: usize = 24;

/// Figures in the table of a comparison.
const FIGURES_MAX: usize = 60;

/// The clusters.
pub(super) fn clusters(words: &Words, id: &str, offset: usize, found: &Clusters) -> Markup {
    html! {
        h1 { (words.duplicates) }
        p class="soft" { (words.clusters_about) }
        ol class="clusters" start=(offset + 1) {
            @for cluster in &found.clusters {
                li class="card" {
                    h2 { a href={ "/c/" (id) "/clusters/" (cluster.kept.page) } { (title(&cluster.kept)) } }
                    p class="soft u" { bdi { (readable(&cluster.kept.url)) } }
                    p { b { (count(cluster.members)) } " " (words.copies_of(cluster.members)) " · " (words.on_hosts) (count(cluster.hosts)) }
                }
            }
        }
        @if found.clusters.is_empty() { p class="soft" { (words.nothing_yet) } }
        nav class="turn" aria-label=(words.duplicates) {
            @if offset > 0 { a href={ "?" (query(&[("offset", Some(&offset.saturating_sub(CLUSTERS).to_string()))])) } { "← " (words.previous) } }
            @if ((offset + CLUSTERS) as u64) < found.total { a href={ "?" (query(&[("offset", Some(&(offset + CLUSTERS).to_string()))])) } { (words.next) " →" } }
        }
    }
}

/// One cluster: what was kept, and each copy with how near it is.
pub(super) fn cluster(words: &Words, id: &str, found: &ClusterPages) -> Markup {
    html! {
        h1 { (title(&found.kept)) }
        section class="card" {
            (facts(words, &found.kept))
            p class="u" { a href={ "/c/" (id) "/pages/" (found.kept.page) } { bdi { (readable(&found.kept.url)) } } }
        }
        h2 { (count(found.members.len() as u64)) " " (words.copies_of(found.members.len() as u64)) }
        ul class="members" {
            @for page in &found.members {
                li class="card" {
                    h3 { a href={ "/c/" (id) "/clusters/" (found.kept.page) "/" (page.page) } { (title(page)) } }
                    p class="soft u" { bdi { (readable(&page.url)) } }
                    (nearness(words, page))
                }
            }
        }
    }
}

fn nearness(words: &Words, page: &Page) -> Markup {
    html! {
        @if let Some(repeats) = &page.repeats {
            p class="facts" {
                span class="tag" { (words.duplicate_kind(&repeats.kind)) }
                @if let Some(distance) = repeats.distance { span { (distance) " " (words.bits_apart(distance)) } }
                @if let Some(overlap) = repeats.overlap { span { (words.overlap) " " (format!("{:.0} %", overlap * 100.0)) } }
            }
        }
    }
}

/// Two pages side by side with their differences marked.
pub(super) fn pair(words: &Words, id: &str, pair: &SideBySide) -> Markup {
    html! {
        h1 { (words.side_by_side) }
        (nearness(words, &pair.other))
        p class="legend" {
            @if let Some(likeness) = pair.likeness { span { (format!("{:.1} %", likeness * 100.0)) " " (words.likeness) } }
            span { del { (words.only_kept) } } span { ins { (words.only_other) } }
        }
        @if pair.pieces.is_empty() { p class="soft" { (words.no_text) } }
        @else if pair.pieces.iter().all(|piece| piece.is == "same") { p class="soft" { (words.same_text) } }
        div class="pair" {
            @for (label, page, keep) in [(words.the_kept, &pair.kept, "removed"), (words.the_copy, &pair.other, "added")] {
                section class="card" aria-label=(label) {
                    h2 { (label) (words.colon) a href={ "/c/" (id) "/pages/" (page.page) } { (title(page)) } }
                    p class="soft u" { bdi { (readable(&page.url)) } }
                    div class="text" dir="auto" tabindex="0" {
                        // What the other side alone has leaves no trace here but for what is open around it.
                        @for (at, piece) in pair.pieces.iter().enumerate() {
                            @match piece.is.as_str() {
                                "same" => { (in_common(words, &piece.text, at > 0, at + 1 < pair.pieces.len())) }
                                is if is != keep => {}
                                "removed" => { del { (piece.text) } }
                                "added" => { ins { (piece.text) } }
                                _ => { (piece.text) }
                            }
                        }
                    }
                }
            }
        }
    }
}

/// A text that both have. Of a long one only what is next to a difference is open, so that all
/// differences are seen at one look.
fn in_common(words: &Words, text: &str, has_before: bool, has_after: bool) -> Markup {
    let head = if has_before { AROUND_CHARS } else { 0 };
    let tail = if has_after { AROUND_CHARS } else { 0 };
    let characters = text.chars().count();
    // Nothing differs, or too little would be folded.
    if head + tail == 0 || characters < head + tail + AROUND_CHARS {
        return html! { (text) };
    }
    let from = if has_before {
        after_word(text, head)
    } else {
        0
    };
    let to = after_word(text, characters - tail);
    let folded = text[from..to].chars().count();
    html! {
        (text[..from])
        details class="common" {
            summary { "… " (count(folded as u64)) " " (words.in_common) " …" }
            (text[from..to])
        }
        (text[to..])
    }
}

/// Where the character of this number stands, or the end of its word where words have spaces.
fn after_word(text: &str, number: usize) -> usize {
    let at = text.char_indices().nth(number);
    let at = at.map_or(text.len(), |(at, _)| at);
    let mut rest = text[at..].char_indices().take(WORD_CHARS);
    at + rest
        .find(|(_, c)| c.is_whitespace())
        .map_or(0, |(by, _)| by)
}

/// Two crawls.
pub(super) fn compare(
    words: &Words,
    id: &str,
    others: &[String],
    with: Option<&str>,
    compared: Option<&Compared>,
) -> Markup {
    html! {
        h1 { (words.compare) }
        @if others.is_empty() { p class="soft" { (words.one_crawl) } }
        @else {
            form class="ask" method="get" {
                label { span { (words.compare_with) } " "
                    select name="with" { @for other in others { option value=(other) selected[Some(other.as_str()) == with] { (other) } } } }
                button type="submit" class="strong" { (words.compare_do) }
            }
        }
        @if let (Some(compared), Some(with)) = (compared, with) {
            div class="grid three" {
                (differing(words, words.gained, with, &compared.gained))
                (differing(words, words.lost, id, &compared.lost))
                (differing(words, words.otherwise, with, &compared.judged_otherwise))
            }
            @let whole = serde_json::from_value::<Comparison>(compared.figures.clone()).unwrap_or_default();
            @if let Some(changed) = whole.pages.as_ref().map(|pages| &pages.changed).filter(|list| list.total > 0) {
                (both_changed(words, with, changed))
            }
            (figures(words, [id, with], compared))
            @if !whole.hosts.is_empty() { (hosts_differ(words, &whole.hosts)) }
        }
    }
}

fn differing(words: &Words, label: &str, of: &str, list: &Differing) -> Markup {
    html! {
        section class="card" {
            h2 { (label) " " span class="big" { (count(list.total)) } }
            ul class="differ" {
                @for page in list.pages.iter().take(50) {
                    li {
                        a href={ "/c/" (of) "/explain?" (query(&[("url", Some(&page.url))])) } { bdi { @if page.title.is_empty() { (readable(&page.url)) } @else { (page.title) } } }
                        span class="soft u" { bdi { (readable(&page.url)) } }
                        span class="soft" { (told(words, &page.first)) " → " (told(words, &page.second)) }
                    }
                }
            }
            @if list.total == 0 { p class="soft" { "–" } }
        }
    }
}

/// `dropped: thin` in the reader's words.
fn told(words: &Words, side: &str) -> String {
    match side.split_once(": ") {
        Some((verdict, reason)) => {
            [words.verdict(verdict), words.colon, &words.reason(reason)].concat()
        }
        None if side.is_empty() => words.not_seen.to_owned(),
        None => words.verdict(side).to_owned(),
    }
}

fn figures(words: &Words, sides: [&str; 2], compared: &Compared) -> Markup {
    let rows = compared.figures["figures"].as_array();
    let rows = rows.map_or(&[][..], Vec::as_slice).iter();
    let number = |row: &serde_json::Value, key: &str| row[key].as_f64().unwrap_or(0.0);
    let differs = rows
        .filter(|row| number(row, "change") != 0.0)
        .take(FIGURES_MAX);
    html! {
        section class="card full" {
            div class="scroll" tabindex="0" {
                table {
                    thead { tr { th scope="col" { (words.figure) } th scope="col" class="n" { bdi { (sides[0]) } }
                        th scope="col" class="n" { bdi { (sides[1]) } } th scope="col" class="n" { (words.change) } } }
                    tbody {
                        @for row in differs {
                            tr {
                                th scope="row" { (figure_name(words.tongue(), row["figure"].as_str().unwrap_or_default())) }
                                td class="n" { (short(number(row, "first"))) }
                                td class="n" { (short(number(row, "second"))) }
                                td class="n" { (signed(number(row, "change"))) }
                            }
                        }
                    }
                }
            }
        }
    }
}

/// A change with its sign and its thousands told apart.
fn signed(change: f64) -> String {
    let sign = if change < 0.0 { "−" } else { "+" };
    format!("{sign}{}", short(change.abs()))
}

fn round(value: f64) -> f64 {
    (value * 100.0).round() / 100.0
}

fn short(value: f64) -> String {
    match value.fract() == 0.0 && value >= 0.0 {
        true => count(value as u64),
        false => round(value).to_string(),
    }
}

/// The audit: one page after the other, one key for each answer.
pub(super) fn audit(words: &Words, id: &str, drawn: &Sample) -> Markup {
    let first = drawn.pages.first();
    html! {
        h1 { (words.audit) }
        p class="soft" { (words.audit_about) }
        div class="grid" {
            section class="card wide" id="audit" data-crawl=(id) aria-live="polite" {
                @match first {
                    Some(page) => {
                        p class="say" id="audit-was" { @if page.verdict == "kept" { (words.was_kept) } @else { (words.was_dropped) (words.reason(&page.reason)) } }
                        h2 id="audit-title" { a href={ "/c/" (id) "/pages/" (page.page) } { (title(page)) } }
                        p class="soft u" id="audit-url" { bdi { (readable(&page.url)) } }
                    }
                    None => { p { (words.all_marked) } }
                }
                div class="answers" {
                    button type="button" class="right" data-answer="right" aria-keyshortcuts="r" { (words.right) kbd { "R" } }
                    button type="button" class="wrong" data-answer="wrong" aria-keyshortcuts="w" { (words.wrong) kbd { "W" } }
                    button type="button" data-answer="skip" aria-keyshortcuts="s" { (words.skip_mark) kbd { "S" } }
                }
                div class="text" id="audit-text" dir="auto" tabindex="0" {}
            }
            (estimates(words, id, &drawn.audit))
        }
    }
}

fn estimates(words: &Words, id: &str, audit: &Audit) -> Markup {
    html! {
        section class="card" aria-live="polite" {
            @for (key, label, side) in [("dropped", words.right_dropped, &audit.dropped), ("kept", words.right_kept, &audit.kept)] {
                div class="estimate" data-estimate=(key) { (estimate(words, label, side)) }
            }
            div id="marked-wrong" hidden[audit.wrong.is_empty()] {
                h2 { (words.marked_wrong) }
                ul {
                    @for wrong in &audit.wrong {
                        li { a href={ "/c/" (id) "/pages/" (wrong.page) } { bdi { (readable(&wrong.url)) } } " "
                            span class="soft" { @if wrong.reason.is_empty() { (words.kept) } @else { (words.reason(&wrong.reason)) }
                                @if !wrong.sampled { " · " (words.not_in_sample) } } }
                    }
                }
            }
            p class="soft" { (words.in_report) }
        }
    }
}

fn estimate(words: &Words, label: &str, side: &Estimate) -> Markup {
    let percent = |value: Option<f64>| format!("{:.0}", value.unwrap_or(0.0) * 100.0);
    let (low, high) = (
        side.low.unwrap_or(0.0) * 100.0,
        side.high.unwrap_or(1.0) * 100.0,
    );
    let width = side.precision.map_or(0.0, |_| high - low);
    html! {
        p { span class="big" data-part="share" { @if side.precision.is_some() { (percent(side.precision)) " %" } @else { "–" } } " " (label) }
        svg viewBox="0 0 100 10" preserveAspectRatio="none" aria-hidden="true" {
            rect class="track" y="3" width="100" height="4" rx="2" {}
            // Without marks any share may be the true one: that is no result to be drawn.
            rect class="fill" data-part="bar" y="1" x=(format!("{low:.1}")) width=(format!("{width:.1}")) height="8" rx="2" {}
        }
        p class="soft" data-part="words" {
            @if side.precision.is_some() { (words.confidence) (words.colon) (percent(side.low)) "–" (percent(side.high)) " % · n = " (count(side.right + side.wrong)) }
            @else { (words.no_marks) }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_text_in_common_is_folded_between_differences_and_stays_whole() {
        let words = super::super::words::of(&http::HeaderMap::new());
        let text: String = ('一'..).take(1_000).collect();
        let shown = |before, after| in_common(words, &text, before, after).into_string();
        let letters = |shown: &str| {
            let outside = shown.split("<details").next().unwrap_or_default();
            let end = shown.split("</details>").nth(1).unwrap_or_default();
            (outside.chars().count(), end.chars().count())
        };
        assert_eq!(shown(false, false), text);
        assert_eq!(letters(&shown(false, true)), (0, AROUND_CHARS));
        assert_eq!(letters(&shown(true, true)), (AROUND_CHARS, AROUND_CHARS));
        assert_eq!(letters(&shown(true, false)), (AROUND_CHARS, 0));
        let kept = |c: &char| ('一'..='鿿').contains(c);
        assert_eq!(
            shown(true, true).chars().filter(kept).collect::<String>(),
            text
        );
        let words_apart = "compaction ".repeat(100);
        let folded = in_common(words, &words_apart, true, true).into_string();
        assert!(
            folded.starts_with("compaction ") && folded.contains("compaction<details"),
            "{folded}"
        );
        let short: String = text.chars().take(400).collect();
        assert_eq!(in_common(words, &short, true, true).into_string(), short);
    }
}
