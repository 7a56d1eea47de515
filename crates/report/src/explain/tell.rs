//! The story in words, for a terminal.

use std::fmt::Write as _;

use archive::{NeighbourRecord, PageSummary};
use outcome::{
    Change, FailureKind, JunkReason, LinkFate, NeighbourDecision, Outcome, Refusal, RobotsAnswer,
    UrlState, Verdict,
};

use super::{Decision, FetchMade, Led, LedTo, RobotsAnswered, Story, VisitTold};
use crate::changes::kind_in;
use crate::difference::{Piece, difference, likeness, shortened};
use crate::look::{BOLD, DIM, GREEN, Look, RED, Tongue};
use crate::words::{self, flat};

/// Characters shown on both sides of a difference.
const AROUND: usize = 40;

/// Pages named that link to a URL: a menu's link stands on every page of its site. `--json` has
/// more.
const FOUND_SHOWN: usize = 6;

/// Differences shown at most.
const PIECES_MAX: usize = 120;

/// The story as text, oldest first. `texts` gives the archived text of a page by its record
/// number; with it the passages that differ from the nearest page are shown.
pub fn render(story: &Story, look: Look, texts: &dyn Fn(u64) -> Option<String>) -> String {
    let url = look.paint(BOLD, &words::readable(&story.url));
    let mut out = format!("{url}\n{}\n", story.summary);
    let mut part = |title: &str, lines: Vec<String>| {
        if lines.is_empty() {
            return;
        }
        let _ = write!(out, "\n{}\n", look.paint(BOLD, title));
        for line in lines {
            let _ = writeln!(out, "  {line}");
        }
    };
    part("Found", found(story));
    part("Fetched", in_english(&story.fetches, fetched));
    for decision in &story.decisions {
        part(
            "Decided",
            decided(decision, story.focused && story.seed.is_none()),
        );
        if let Some(summary) = &decision.measured {
            part("Measured", measured(summary));
        }
        if let Some(nearest) = &decision.nearest {
            part("Nearest kept page", near(nearest));
        }
    }
    part("Visited again", in_english(&story.visits, visited));
    part("Afterwards", afterwards(story));
    let own = story.led.as_ref().map(|led| led_to(led, story.focused));
    part("What came of its links", own.unwrap_or_default());
    let siblings = story.siblings.as_ref();
    let siblings = siblings.map(|led| beside(led, story.focused, &story.url));
    part("Beside it", siblings.unwrap_or_default());
    let last = story.decisions.last();
    let pair = last.and_then(|last| Some((last.page, last.nearest.as_ref()?)));
    if let Some((page, nearest)) = pair
        && let (Some(own), Some(other)) = (texts(page), texts(nearest.page))
    {
        let mut lines = compare_texts(&other, &own, look);
        // Of two texts that are not alike, everything differs.
        if nearest.decision == NeighbourDecision::Unconfirmed {
            lines.truncate(1);
        }
        part("What differs (- the kept page, + this one)", lines);
    }
    out
}

/// A line for each; the whole story is told in English alone.
fn in_english<T>(all: &[T], line: fn(&T, Tongue) -> String) -> Vec<String> {
    let lines = all.iter().map(|one| line(one, Tongue::English));
    lines.collect()
}

/// The differences of two texts as lines for a terminal.
pub fn compare_texts(first: &str, second: &str, look: Look) -> Vec<String> {
    let pieces = difference(first, second);
    let like = likeness(&pieces);
    let mut lines = vec![format!(
        "{:.1} % of the characters are in both",
        100.0 * like
    )];
    if !pieces
        .iter()
        .any(|piece| matches!(piece, Piece::Removed(_) | Piece::Added(_)))
    {
        lines.push("the texts are equal".to_owned());
        return lines;
    }
    let short = shortened(&pieces, AROUND);
    let mut line = String::new();
    for piece in short.iter().take(PIECES_MAX) {
        match piece {
            Piece::Same(text) => line.push_str(&flat(text)),
            Piece::Removed(text) if look.colour => line.push_str(&look.paint(RED, &flat(text))),
            Piece::Added(text) if look.colour => line.push_str(&look.paint(GREEN, &flat(text))),
            Piece::Removed(text) => {
                let _ = write!(line, "[-{}-]", flat(text));
            }
            Piece::Added(text) => {
                let _ = write!(line, "[+{}+]", flat(text));
            }
            Piece::Skipped(length) => {
                lines.push(std::mem::take(&mut line));
                let note = format!("… {} characters alike …", words::count(*length as u64));
                lines.push(look.paint(DIM, &note));
            }
        }
    }
    lines.push(line);
    if short.len() > PIECES_MAX {
        lines.push(look.paint(DIM, "… and more"));
    }
    lines.retain(|line| !line.trim().is_empty());
    lines
}

/// What an answer without a page says, in plain words; none for a status that may bring one.
fn no_page(status: u16) -> Option<String> {
    Some(match status {
        404 => "Not found: the server answered 404 (Not Found), so there is no page to keep".into(),
        410 => "Gone: the server answered 410 (Gone), so there is no page any more".into(),
        401 | 403 | 451 => format!("Not shown to us: the server answered {status} (forbidden)"),
        400..=599 => format!("No page: the server answered with an error, status {status}"),
        _ => return None,
    })
}

/// The same of a URL whose last decision followed from such an answer.
fn without_a_page(story: &Story) -> Option<String> {
    let last = story.decisions.last()?;
    let judged_by_status = match &last.outcome {
        Outcome::Judged(Verdict::Junk(JunkReason::ErrorPage)) => true,
        Outcome::Failed(FailureKind::Http(status)) => matches!(status, 404 | 410),
        Outcome::Judged(_)
        | Outcome::Failed(_)
        | Outcome::Redirected
        | Outcome::NotModified
        | Outcome::Refused(_)
        | Outcome::Unknown(_) => false,
    };
    let visit = story.visits.iter().rev().find(|visit| visit.now.is_some());
    let fetch = story.fetches.last().map(|fetch| fetch.status);
    let status = visit.map(|visit| visit.status).or(fetch)?;
    let said = no_page(status).filter(|_| judged_by_status)?;
    let before = story.decisions.iter().rev().nth(1);
    Some(match before.filter(|_| visit.is_some()) {
        Some(before) if before.outcome.is_indexed() => format!("{said}. It was kept before."),
        Some(_) | None => format!("{said}."),
    })
}

/// What stands behind a decision, in words.
fn behind(decision: &Decision) -> Option<String> {
    match decision.outcome.refusal() {
        Some(Refusal::LeftOut(fate)) => Some(words::name(fate.name())),
        Some(_) | None => decision.detail.clone(),
    }
}

/// Which page a dropped one repeats, and which is kept in place of that one.
fn repeats(dropped: &str, nearest: &NeighbourRecord, story: &Story) -> String {
    let repeated = words::readable(&nearest.url);
    match &story.kept_instead {
        None => format!("{dropped} of {repeated}."),
        Some((_, kept)) => {
            let kept = words::readable(kept);
            format!("{dropped} of {repeated}. In place of that {kept} is kept now.")
        }
    }
}

/// The story in a sentence.
pub(super) fn summary(story: &Story) -> String {
    if let (UrlState::Junk | UrlState::Failed, None, Some(said)) =
        (&story.state, &story.replaced_by, without_a_page(story))
    {
        return said;
    }
    let last = story.decisions.last();
    let reason = last.and_then(|last| last.outcome.reason());
    let reason = reason.map(|reason| words::name(&reason));
    let because = |what: &str| match &reason {
        Some(reason) => format!("{what}: {reason}"),
        None => what.to_owned(),
    };
    match &story.state {
        UrlState::Indexed => "Kept: it is in the search index.".to_owned(),
        UrlState::Junk => match &story.replaced_by {
            Some((page, why)) => format!("Left the index for page {page}: {why}."),
            None => {
                let nearest = last.and_then(|last| last.nearest.as_ref());
                let duplicate = last.is_some_and(|last| last.outcome.is_duplicate());
                match nearest.filter(|_| duplicate) {
                    Some(nearest) => repeats(&because("Dropped"), nearest, story),
                    None => format!("{}.", because("Dropped")),
                }
            }
        },
        UrlState::Redirected => match story.fetches.last().and_then(|f| f.redirect_to.as_ref()) {
            Some(to) => format!("It redirects to {}.", weburl::without_password(to)),
            None => "It redirects.".to_owned(),
        },
        UrlState::NotModified => "Unchanged since an earlier crawl.".to_owned(),
        UrlState::Sitemap => as_sitemap(story),
        UrlState::Refused => match last.and_then(behind) {
            Some(detail) => format!("{}, by {detail}.", because("Not fetched")),
            None => format!("{}.", because("Not fetched")),
        },
        UrlState::Failed => format!(
            "{}, after {}.",
            because("Failed"),
            words::plural(story.fetches.len() as u64, "attempt", "attempts")
        ),
        UrlState::Pending => match last {
            Some(last) => format!(
                "Put back into the queue, and waiting for its turn; before, it was {}.",
                because(&words::name(last.outcome.name()))
            ),
            None => "Admitted, and waiting for its turn.".to_owned(),
        },
        UrlState::LeftOut => {
            let mut fates: Vec<String> = story
                .found
                .iter()
                .map(|found| words::name(found.fate.name()))
                .collect();
            fates.dedup();
            format!("Found but never admitted: {}.", fates.join(", "))
        }
        UrlState::NeverSeen => {
            "This crawl never saw a link to it, nor was it a seed. Is it spelt as in the \
                      crawl (scheme, www, slash at the end)?"
                .to_owned()
        }
        UrlState::Unknown(other) => format!("{other}."),
    }
}

/// What a sitemap brought in, or why nothing.
fn as_sitemap(story: &Story) -> String {
    let read = story.as_sitemap.clone().unwrap_or_default();
    let urls = words::plural(read.urls, "URL", "URLs");
    match read.problem {
        Some(problem) => format!("A sitemap, which brought in {urls}; {problem}."),
        None => format!("A sitemap, which brought in {urls}."),
    }
}

fn found(story: &Story) -> Vec<String> {
    let mut lines = Vec::new();
    if let Some(seed) = &story.seed {
        lines.push(match seed.example {
            Some(true) => "an example page of the topic".to_owned(),
            Some(false) => "a counter-example of the topic".to_owned(),
            None if seed.sitemap => format!("a sitemap, given in {}", seed.source),
            None => format!("a seed, given in {}", seed.source),
        });
    }
    for sitemap in &story.sitemaps {
        lines.push(format!("in the sitemap {}", words::readable(sitemap)));
    }
    // The link that brought the URL in is told wherever it stands.
    let told = story.found.iter().enumerate();
    let told = told.filter(|(at, found)| *at < FOUND_SHOWN || found.fate == LinkFate::New);
    let mut shown = 0;
    for (_, found) in told {
        shown += 1;
        let mut line = format!("{}  on {}", found.at, words::readable(&found.from));
        if !found.anchor.is_empty() {
            let _ = write!(line, "  as \"{}\"", flat(&found.anchor));
        }
        if !found.rel.is_empty() {
            let _ = write!(line, "  rel={}", flat(&found.rel));
        }
        let fate = match &found.fate {
            LinkFate::New if story.focused => {
                format!("admitted; the link promised {:.2}", found.promise)
            }
            LinkFate::New => "admitted".to_owned(),
            LinkFate::Seen if story.focused && found.promise > 0.0 && found.from != story.url => {
                format!(
                    "known already; promised {:.2} with this link",
                    found.promise
                )
            }
            LinkFate::Seen => "known already".to_owned(),
            fate => format!("left out: {}", words::name(fate.name())),
        };
        let _ = write!(line, "  ({fate})");
        lines.push(line);
    }
    let more = story.found_count.saturating_sub(shown);
    if more > 0 {
        lines.push(format!(
            "… and on {}",
            words::plural(more, "more page", "more pages")
        ));
    }
    lines.extend(story.robots.as_ref().map(robots_line));
    lines
}

/// How the host's robots.txt was answered.
pub(super) fn robots_line(robots: &RobotsAnswered) -> String {
    let answer = match (robots.status, &robots.error_text) {
        (0, Some(error)) => format!("there was no answer: {error}"),
        (0, None) => "there was no answer".to_owned(),
        (status, _) => format!("status {status}"),
    };
    let rules = match &robots.rules {
        RobotsAnswer::DisallowAll => "it could not be had, which closes the host for now",
        RobotsAnswer::Outage if robots.has_copy => {
            "it could not be had for now: it is asked for again, and an earlier copy holds until then"
        }
        RobotsAnswer::Outage => {
            "it could not be had for now: it is asked for again, and the host waits until then"
        }
        RobotsAnswer::AllowAll => "there is none, so all is allowed",
        RobotsAnswer::Parsed => "read",
        RobotsAnswer::Unknown(other) => other,
    };
    let mut line = format!("robots.txt of the host: {rules} ({answer})");
    if let Some(delay) = robots.crawl_delay_s {
        let _ = write!(
            line,
            ", asks for {} between requests",
            words::duration(delay)
        );
    }
    line
}

pub(super) fn fetched(fetch: &FetchMade, tongue: Tongue) -> String {
    let answer = match fetch.status {
        0 => "no answer".to_owned(),
        status => format!("status {status}"),
    };
    let mut parts = vec![tongue.say(&answer)];
    if !fetch.content_type.is_empty() {
        parts.push(fetch.content_type.clone());
    }
    let (bytes, ms) = (words::bytes(fetch.bytes), words::count(fetch.ms));
    parts.push(tongue.say(&format!("{bytes} in {ms} ms")));
    if let Some(to) = &fetch.redirect_to {
        let to = weburl::without_password(to);
        parts.push(tongue.say(&format!("redirects to {to}")));
    }
    if let Some(error) = &fetch.error {
        let name = tongue.say(&words::name(&error.name()));
        let text = tongue.say(fetch.error_text.as_deref().unwrap_or_default());
        parts.push(name + tongue.colon() + &text);
    }
    let attempt = tongue.say(&format!("attempt {}", fetch.attempt));
    let told = parts.join(tongue.comma());
    let mut line = format!("{}  {attempt}{}{told}", fetch.at, tongue.colon());
    if let Some(again) = &fetch.retry_at {
        line.push_str(tongue.semicolon());
        line.push_str(&tongue.say(&format!("again at {again}")));
    }
    line
}

fn decided(decision: &Decision, promised: bool) -> Vec<String> {
    let outcome = &decision.outcome;
    let mut what = words::name(UrlState::of(outcome).name());
    if let Some(reason) = outcome.reason() {
        let _ = write!(what, ": {}", words::name(&reason));
    }
    let mut lines = vec![format!("{}  {what}  (page {})", decision.at, decision.page)];
    if let Some(detail) = behind(decision) {
        lines.push(detail);
    }
    if let Some(original) = &decision.foreseen {
        lines.push(format!(
            "foreseen to repeat {original}, and fetched all the same: to see whether that is so, or \
             it was under way already"
        ));
    }
    let priority = match promised {
        true => " (the promise of its links, as judged when its turn came)",
        false => "",
    };
    lines.push(format!(
        "depth {}, priority {:.2}{priority}; {} on it, {} new",
        decision.depth,
        decision.priority,
        words::plural(decision.links.0, "link", "links"),
        words::count(decision.links.1),
    ));
    lines
}

fn measured(page: &PageSummary) -> Vec<String> {
    let mut lines = vec![
        format!("title        {}", flat(&page.title)),
        format!("words        {}", words::count(u64::from(page.words))),
        format!(
            "language     {} ({})",
            if page.lang.is_empty() {
                "unknown"
            } else {
                &page.lang
            },
            page.charset
        ),
        format!("fingerprint  {}", page.fingerprint),
        format!(
            "in links     {:.0} % of the characters",
            100.0 * page.link_density
        ),
    ];
    let mut more = |name: &str, value: Option<String>| {
        if let Some(value) = value {
            lines.push(format!("{name:<11}  {}", flat(&value)));
        }
    };
    more("relevance", page.relevance.map(|r| format!("{r:.2}")));
    more("author", page.author.clone());
    more("published", page.published.clone());
    more("canonical", page.canonical.clone());
    more(
        "limits hit",
        (!page.limits_hit.is_empty()).then(|| page.limits_hit.join(", ")),
    );
    if !page.may_index {
        lines.push("it asks not to be indexed (noindex)".to_owned());
    }
    if let Some(source) = &page.text_source {
        lines.push(format!(
            "its text is not on the visible page, but in its {source}"
        ));
    }
    if !page.needs_scripts.is_empty() {
        lines.push(format!(
            "it is empty without its scripts: {}",
            page.needs_scripts.join("; ")
        ));
    }
    if let Some(wall) = &page.wall {
        lines.push(format!("it is {wall}; {}", wall.kind.mend()));
    }
    if page.soft_404 {
        lines.push("it looks like an error page served as a page".to_owned());
    }
    lines
}

fn near(nearest: &NeighbourRecord) -> Vec<String> {
    let table = match nearest.table {
        255 => "the look-up for equal and for short texts".to_owned(),
        table => format!("table {}", u16::from(table) + 1),
    };
    let mut lines = vec![
        format!("{}  (page {})", words::readable(&nearest.url), nearest.page),
        format!(
            "distance {} of 64 bits, overlap {:.2}, found by {table}: {}",
            nearest.distance,
            nearest.overlap,
            words::name(nearest.decision.name()),
        ),
    ];
    lines.extend(
        nearest
            .kind
            .as_ref()
            .map(|kind| format!("kind: {}", words::name(kind.name()))),
    );
    lines
}

/// What came of a page's links.
fn led_to(led: &Led, focused: bool) -> Vec<String> {
    let mut lines = vec![led_in_short(led, focused)];
    lines.extend(
        led.best
            .iter()
            .map(|link| format!("  {}", led_link(link, focused))),
    );
    let more = led.links - led.best.len() as u64;
    if more > 0 {
        lines.push(format!(
            "  … and {}",
            words::plural(more, "more link", "more links")
        ));
    }
    lines
}

/// What came of the other links of the page that brought a URL in.
fn beside(led: &Led, focused: bool, url: &str) -> Vec<String> {
    let mut lines = vec![format!("on {}: {}", led.from, led_in_short(led, focused))];
    let others = led.best.iter().filter(|link| link.url != url);
    lines.extend(others.map(|link| format!("  {}", led_link(link, focused))));
    lines
}

fn led_in_short(led: &Led, focused: bool) -> String {
    let wanted = match focused {
        true => format!("{} relevant and new", words::count(led.relevant_and_new)),
        false => format!("{} kept", words::count(led.indexed)),
    };
    format!(
        "{} to other pages, {} of them new; {} so far, {wanted}",
        words::plural(led.links, "link", "links"),
        words::count(led.new),
        words::plural(led.read, "page was read", "pages were read"),
    )
}

fn led_link(link: &LedTo, focused: bool) -> String {
    let mut line = String::new();
    if focused && link.promise > 0.0 {
        let _ = write!(line, "promised {:.2}  ", link.promise);
    }
    line.push_str(&words::name(link.state.name()));
    if let Some(reason) = &link.reason {
        let _ = write!(line, ": {}", words::name(reason));
    }
    if let Some(relevance) = link.relevance {
        let _ = write!(line, ", relevance {relevance:.2}");
    }
    let _ = write!(line, "  {}", words::readable(&link.url));
    if !link.anchor.is_empty() {
        let _ = write!(line, "  \"{}\"", flat(&link.anchor));
    }
    line
}

pub(super) fn visited(visit: &VisitTold, tongue: Tongue) -> String {
    let round = tongue.say(&format!("round {}", visit.round));
    let change = kind_in(tongue, visit.change.name());
    let mut line = format!("{}  {round}{}{change}", visit.at, tongue.colon());
    let similarity = visit.similarity;
    if let Some(similarity) = similarity.filter(|_| visit.change != Change::Unchanged) {
        let same = format!("{:.0} % of the words as before", 100.0 * similarity);
        line.push_str(tongue.comma());
        line.push_str(&tongue.say(&same));
    }
    let mut answer = vec![tongue.say(&format!("status {}", visit.status))];
    if visit.conditional {
        answer.push(tongue.say("asked with validators"));
    }
    line.push_str(&tongue.aside(&answer.join(tongue.comma())));
    if let Some(now) = &visit.now {
        let now = tongue.say(&words::name(now.name()));
        line.push_str(tongue.semicolon());
        line.push_str(&match tongue {
            Tongue::English => format!("{now} now"),
            Tongue::Chinese => format!("现在{now}"),
        });
    }
    if let Some(why) = &visit.why {
        line.push_str(tongue.colon());
        line.push_str(&tongue.say(why));
    }
    line
}

fn afterwards(story: &Story) -> Vec<String> {
    let back = story.put_back.iter().enumerate().map(|(number, at)| {
        let why = story.put_back_for.get(number).map_or("", String::as_str);
        match story.put_back_by_rule.get(number).copied().unwrap_or(false) {
            true => format!("{at}  put back into the queue: {why}"),
            false => format!("{at}  put back into the queue by hand"),
        }
    });
    let mut lines: Vec<String> = back.collect();
    if let Some((by, why)) = &story.replaced_by {
        lines.push(format!("left the index for page {by}: {why}"));
    }
    if let Some(original) = &story.original {
        let which = match original.url == story.url {
            true => "this one".into(),
            false => words::readable(&original.url),
        };
        let because = &original.because;
        lines.push(format!(
            "the original of all its copies seems to be {which}: {because}"
        ));
    }
    if story.duplicates_count > 0 {
        let dropped = words::plural(story.duplicates_count, "page was", "pages were");
        lines.push(format!("{dropped} dropped as its duplicate:"));
        lines.extend(story.duplicates.iter().map(|duplicate| {
            let (distance, overlap) = (duplicate.distance, duplicate.overlap);
            format!(
                "  {}  (distance {distance}, overlap {overlap:.2})",
                words::readable(&duplicate.url)
            )
        }));
    }
    lines
}
