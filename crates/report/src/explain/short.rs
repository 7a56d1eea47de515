//! The story in a few lines: what became of the URL, and why.
//!
//! One line an answer, twelve at most, whatever happened to the URL. All else is in
//! [`super::render`].

use std::fmt::Write as _;

use archive::PageSummary;
use outcome::{JunkReason, LinkFate, Outcome, RobotsAnswer, UrlState, Verdict};

use super::tell::{fetched, robots_line, visited};
use super::{Decision, Story};
use crate::look::{BOLD, Look, Tongue};
use crate::table::width;
use crate::words::{self, flat};

/// Characters of a title or an anchor at most.
const QUOTED_MAX: usize = 60;

/// Duplicates named.
const COPIES_SHOWN: usize = 2;

/// Columns of the labels, the space after them included.
const LABEL_COLUMNS: usize = 12;

/// The story in at most twelve lines: verdict, reason with its numbers, where the URL was
/// found, how it was answered, and what came later.
pub fn render_short(story: &Story, look: Look) -> String {
    let tongue = look.tongue;
    let mut out = format!(
        "{}\n",
        look.paint(BOLD, &weburl::without_password(&story.url))
    );
    let _ = writeln!(out, "{}", tongue.say(&story.summary));
    for (label, value) in rows(story, tongue) {
        let label = tongue.say(label);
        let gap = LABEL_COLUMNS.saturating_sub(width(&label)).max(1);
        let _ = writeln!(out, "  {label}{:gap$}{value}", "");
    }
    out
}

/// What there is to say, a label and a line each.
fn rows(story: &Story, tongue: Tongue) -> Vec<(&'static str, String)> {
    let last = story.decisions.last();
    let mut rows = Vec::new();
    let mut row = |label, value: Option<String>| rows.extend(value.map(|value| (label, value)));
    row("why", last.and_then(|last| why(story, last, tongue)));
    row("content", last.and_then(|last| page(last, tongue)));
    row("original", original(story, tongue));
    row("copies", copies(story, tongue));
    row("found", Some(found(story, tongue)));
    row("turn", last.map(|last| turn(last, story, tongue)));
    row("robots.txt", robots(story, tongue));
    row("fetched", last_fetch(story, tongue));
    row("visits", visits(story, tongue));
    row("put back", put_back(story, tongue));
    rows
}

/// The numbers behind the verdict, or what went wrong.
fn why(story: &Story, last: &Decision, tongue: Tongue) -> Option<String> {
    if story.replaced_by.is_some() || story.state == UrlState::Refused {
        return None;
    }
    if let Some(nearest) = last
        .nearest
        .as_ref()
        .filter(|_| last.outcome.is_duplicate())
    {
        let figures = format!(
            "distance {} of 64 bits, overlap {:.2}",
            nearest.distance, nearest.overlap
        );
        let kind = nearest.kind.as_ref().map(|kind| words::name(kind.name()));
        let kind = kind.map_or(String::new(), |kind| {
            tongue.semicolon().to_owned() + &tongue.say(&kind)
        });
        return Some(tongue.say(&figures) + &kind);
    }
    let measured = last.measured.as_ref();
    let wall = measured.and_then(|page| page.wall.as_ref());
    let failed = story
        .fetches
        .last()
        .and_then(|fetch| fetch.error_text.clone());
    let failed = failed.filter(|_| story.state == UrlState::Failed);
    let detail = last.detail.as_deref().map(|detail| tongue.say(detail));
    let seen = measured.and_then(|page| seen(last, page));
    let seen = seen.map(|seen| tongue.say(&seen));
    let judged = match (detail, seen) {
        (Some(detail), Some(seen)) => Some(detail + tongue.semicolon() + &seen),
        (detail, seen) => detail.or(seen),
    };
    let wall = wall.map(|wall| {
        let (seen, mend) = (wall.to_string(), wall.kind.mend());
        tongue.say(&seen) + tongue.semicolon() + &tongue.say(mend)
    });
    let failed = failed.map(|text| tongue.say(&text));
    wall.or(failed).or(judged)
}

/// What was seen on a page that was dropped for a reason without a limit to name.
fn seen(last: &Decision, page: &PageSummary) -> Option<String> {
    match &last.outcome {
        Outcome::Judged(Verdict::Junk(JunkReason::SoftNotFound)) => {
            Some("it reads like an error page, though the server sent it as a page".into())
        }
        Outcome::Judged(Verdict::Junk(JunkReason::NoIndex)) => {
            Some("it asks not to be indexed (noindex)".into())
        }
        Outcome::Judged(Verdict::Junk(JunkReason::Listing)) => Some(format!(
            "{:.0} % of its characters stand in links",
            100.0 * page.link_density
        )),
        Outcome::Judged(Verdict::Junk(JunkReason::OffTopic)) if page.page_type.is_link_list() => {
            Some("it is a list of links, which counts little whatever they are about".into())
        }
        Outcome::Judged(_)
        | Outcome::Redirected
        | Outcome::NotModified
        | Outcome::Refused(_)
        | Outcome::Failed(_)
        | Outcome::Unknown(_) => None,
    }
}

/// The page as it was read.
fn page(last: &Decision, tongue: Tongue) -> Option<String> {
    let page: &PageSummary = last.measured.as_ref()?;
    let count = words::plural(u64::from(page.words), "word", "words");
    let relevance = page.relevance;
    let relevance = relevance.map(|relevance| tongue.say(&format!("relevance {relevance:.2}")));
    let mut parts = vec![quoted(&page.title), tongue.say(&count)];
    parts.extend(Some(page.lang.clone()).filter(|lang| !lang.is_empty()));
    parts.extend(relevance);
    let read = parts.join(tongue.comma());
    Some(match limits_hit(page, tongue) {
        Some(limits) => read + tongue.semicolon() + &limits,
        None => read,
    })
}

/// The limits that the reading of a page met: it is judged by what was read of it.
fn limits_hit(page: &PageSummary, tongue: Tongue) -> Option<String> {
    let limits = page.limits_hit.iter().map(|limit| tongue.say(limit));
    let limits: Vec<String> = limits.collect();
    let told = || tongue.say("limits hit") + tongue.colon() + &limits.join(tongue.comma());
    (!limits.is_empty()).then(told)
}

/// The source of its cluster, where that is a third page.
fn original(story: &Story, tongue: Tongue) -> Option<String> {
    let original = story.original.as_ref()?;
    let last = story.decisions.last()?;
    let repeated = last.nearest.as_ref().map(|nearest| nearest.url.as_str());
    (original.url != story.url && repeated != Some(original.url.as_str()))
        .then(|| original.url.clone() + &tongue.aside(&tongue.say(&original.because)))
}

/// The pages that repeat it.
fn copies(story: &Story, tongue: Tongue) -> Option<String> {
    let count = story.duplicates_count;
    let shown = story.duplicates.iter().take(COPIES_SHOWN);
    let shown: Vec<&str> = shown.map(|copy| copy.url.as_str()).collect();
    let comma = tongue.comma();
    let more = match count > shown.len() as u64 {
        true => format!("{comma}…"),
        false => String::new(),
    };
    let dropped = words::plural(count, "page was", "pages were");
    let dropped = tongue.say(&format!("{dropped} dropped as its duplicate"));
    (count > 0).then(|| format!("{dropped}{}{}{more}", tongue.colon(), shown.join(comma)))
}

/// Where it was found first.
fn found(story: &Story, tongue: Tongue) -> String {
    let seed = story.seed.as_ref().map(|seed| match seed.example {
        Some(true) => tongue.say("an example page of the topic"),
        Some(false) => tongue.say("a counter-example of the topic"),
        None if seed.sitemap => tongue.say(&format!("a sitemap, given in {}", seed.source)),
        None => tongue.say(&format!("a seed, given in {}", seed.source)),
    });
    let sitemap = story.sitemaps.first();
    let sitemap = sitemap.map(|sitemap| tongue.say(&format!("in the sitemap {sitemap}")));
    let admitted = story.found.iter().find(|link| link.fate == LinkFate::New);
    let link = admitted.or(story.found.first()).map(|link| {
        let anchor = match link.anchor.is_empty() {
            true => String::new(),
            false => format!("  {}", quoted(&link.anchor)),
        };
        tongue.say(&format!("on {}", link.from)) + &anchor
    });
    let links = story.found_count;
    let by_link = seed.is_none() && sitemap.is_none();
    let others = links.saturating_sub(u64::from(by_link));
    let others = match others {
        0 => String::new(),
        n => {
            let more = words::plural(n, "more page", "more pages");
            let more = tongue.say(&format!("and on {more}"));
            // The Chinese words begin with a comma, which stands right behind what it follows.
            let space = if more.starts_with('，') { "" } else { " " };
            format!("{space}{more}")
        }
    };
    match seed.or(sitemap).or(link) {
        Some(first) => first + &others,
        None => tongue.say("nowhere"),
    }
}

/// How far from a seed it is, and when its turn came.
fn turn(last: &Decision, story: &Story, tongue: Tongue) -> String {
    let (count, new) = last.links;
    let links = match (story.state == UrlState::Refused, count) {
        (true, _) | (_, 0) => String::new(),
        _ => format!(
            "; {} on it, {} new",
            words::plural(count, "link", "links"),
            words::count(new)
        ),
    };
    // Why a page leads nowhere.
    let most = last.left_out.iter().max_by_key(|(_, links)| **links);
    let left_out = match (new, most) {
        (0, Some((reason, most))) if !links.is_empty() => {
            format!(
                "; {} left out: {}",
                words::count(*most),
                words::name(reason)
            )
        }
        _ => String::new(),
    };
    let turn = format!("depth {}, priority {:.2}", last.depth, last.priority);
    tongue.say(&turn) + &tongue.say(&links) + &tongue.say(&left_out)
}

/// The host's robots.txt, where it stands in the way.
fn robots(story: &Story, tongue: Tongue) -> Option<String> {
    let robots = story.robots.as_ref()?;
    let closed = match &robots.rules {
        RobotsAnswer::DisallowAll | RobotsAnswer::Outage => true,
        RobotsAnswer::AllowAll | RobotsAnswer::Parsed | RobotsAnswer::Unknown(_) => false,
    };
    closed.then(|| {
        let told = robots_line(robots);
        let label = "robots.txt of the host: ";
        tongue.say(told.strip_prefix(label).unwrap_or(&told))
    })
}

/// The last fetch before the visits, and how many there were.
fn last_fetch(story: &Story, tongue: Tongue) -> Option<String> {
    let fetches = story.fetches.len() as u64;
    let line = fetched(story.fetches.last()?, tongue);
    let earlier = fetches.saturating_sub(1);
    Some(match earlier {
        0 => line,
        n => {
            let before = words::plural(n, "attempt before", "attempts before");
            line + &tongue.aside(&tongue.say(&before))
        }
    })
}

/// The last visit after the first, and how many there were.
fn visits(story: &Story, tongue: Tongue) -> Option<String> {
    let last = visited(story.visits.last()?, tongue);
    let count = words::plural(story.visits.len() as u64, "visit again", "visits again");
    Some(format!("{}{}{last}", tongue.say(&count), tongue.comma()))
}

/// When it was put back into the queue.
fn put_back(story: &Story, tongue: Tongue) -> Option<String> {
    let at = story.put_back.last()?;
    let times = words::plural(story.put_back.len() as u64, "time", "times");
    Some(at.clone() + &tongue.aside(&tongue.say(&times)))
}

/// What the web says, on one line and not without end.
fn quoted(text: &str) -> String {
    let text = flat(text);
    match text.char_indices().nth(QUOTED_MAX) {
        Some((at, _)) => format!("\"{}…\"", &text[..at]),
        None => format!("\"{text}\""),
    }
}
