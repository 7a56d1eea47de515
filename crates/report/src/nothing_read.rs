//! What to say when a crawl could read no page at all, or no more than its seeds': the causes, and what to do about each.

use std::path::Path;

use config::for_shell;
use outcome::{FailureKind, JunkReason, LinkFate, Refusal};

use crate::figures::CrawlReport;
use crate::hosts::SeedRow;
use crate::words::{name, plural};

/// What it means that a host's robots.txt could not be had.
const CLOSED: &str = "the host's robots.txt could not be had (the report's errors say why), and \
    until it can be, nothing of the host may be fetched; check the host, or try later";

const SEE_ERRORS: &str = "see the report's errors";

/// What to do about redirects that lead nowhere.
const WANTS_COOKIE: &str = "they lead back to what was asked for already; if it is for want of a cookie, \
    [network] cookies = true keeps those";

const ROBOTS: &str = Refusal::ROBOTS;
const HOST_GONE: &str = Refusal::HOST_GONE;
const WALLED: &str = Refusal::WALLED;
const GUARD: &str = Refusal::GUARD;

/// Causes told.
const CAUSES_MAX: usize = 4;

/// The causes with their mends, one a line; empty when a page was read, or nothing was tried.
/// `dir` is the crawl's directory, for the commands that are named.
pub fn causes(report: &CrawlReport, dir: &Path) -> Vec<String> {
    if report.judged() > 0 || report.totals.finished == 0 {
        return Vec::new();
    }
    let shown = for_shell(dir);
    let reasons = &report.reasons;
    let failed = reasons.failed.iter();
    let failed = failed.map(|(reason, n)| (reason, *n, mend(&FailureKind::from(reason.as_str()))));
    let refused = reasons.refused.iter();
    let refused = refused.map(|(reason, n)| (reason, *n, mend_refusal(reason)));
    let mut all: Vec<_> = failed.chain(refused).collect();
    let is_all_redirected = all.is_empty() && report.totals.redirected > 0;
    all.sort_by_key(|(reason, n, _)| (std::cmp::Reverse(*n), (*reason).clone()));
    let closed = report.hosts.iter().filter(|row| row.state == "closed");
    let guarded = reasons.refused.get(GUARD).copied().unwrap_or_default();
    // Whose robots.txt the guard keeps from being asked is no host to be tried again as it is.
    let closed = closed.map(|row| row.counts.refused).sum::<u64>();
    let closed = closed.saturating_sub(guarded);
    let mut lines = vec!["no page could be read:".to_string()];
    for (reason, n, mend) in all.into_iter().take(CAUSES_MAX) {
        let times = plural(n, "URL", "URLs");
        let mend = match reason.as_str() {
            ROBOTS if closed == n => CLOSED,
            _ => mend,
        };
        lines.push(format!("  {} ({times}): {mend}", name(reason)));
        let group = report.errors.iter().find(|group| group.name == *reason);
        lines.extend(group.map(|group| format!("    {}: {}", group.url, group.text)));
    }
    if is_all_redirected {
        let times = plural(report.totals.redirected, "URL", "URLs");
        lines.push(format!(
            "  {} ({times}): {WANTS_COOKIE}",
            name("redirected")
        ));
    }
    if report.totals.failed > 0 || closed > 0 {
        lines.push(format!(
            "  when that is mended: tamis retry {shown}, then tamis crawl --dir {shown}"
        ));
    }
    if guarded > 0 {
        lines.push(format!(
            "  to ask those addresses: tamis retry {shown} --status {GUARD}, then tamis crawl --dir {shown} --allow-private"
        ));
    }
    if report.totals.refused > closed + guarded {
        lines.push(format!("  which rule it was: tamis explain {shown} URL"));
    }
    lines
}

/// Why nothing was kept where the seeds' own pages have nothing on them, or are files, one a line; empty where a page was kept.
pub fn empty_seeds(report: &CrawlReport) -> Vec<String> {
    let of_fate = |fate: JunkReason| -> Vec<&SeedRow> {
        let is_alone = |row: &&SeedRow| {
            row.fate == fate.name() && row.counts.admitted == 1 && row.example.is_none()
        };
        report.seeds.iter().filter(is_alone).collect()
    };
    let (empty, files) = (
        of_fate(JunkReason::Thin),
        of_fate(JunkReason::UnsupportedType),
    );
    if report.totals.indexed > 0 {
        return Vec::new();
    }
    let types: Vec<&str> = report.content_types.keys().map(String::as_str).collect();
    let types = types.join(", ");
    let (why, mend) = match types == "text/plain" {
        true => (
            "of a text no link is followed",
            "  a list of URLs is given as --seeds FILE",
        ),
        false => (
            "a script may lead on from it, and none is run",
            "  seed the page that a browser ends up at",
        ),
    };
    let mut lines = told(&empty, |row| {
        format!(
            "the page of the seed {} is empty: hardly a word, and no link; {why}",
            row.url
        )
    });
    lines.extend((!empty.is_empty()).then(|| mend.to_owned()));
    let is_list = types.contains("xml") || types.contains("json");
    lines.extend(told(&files, |row| {
        format!(
            "the seed {} is no page or text that is read ({types})",
            row.url
        )
    }));
    match files.first() {
        Some(row) if is_list => lines.push(format!(
            "  where it is a feed or a sitemap, seed it as sitemap:{}, and the pages that it lists are crawled",
            row.url
        )),
        Some(_) => lines.push("  seed a page of its site instead: files are not read".to_owned()),
        None => {}
    }
    lines
}

/// What is said of the first of some seeds, and how many there are beside them.
fn told(rows: &[&SeedRow], say: impl Fn(&SeedRow) -> String) -> Vec<String> {
    let mut lines: Vec<String> = rows.iter().take(CAUSES_MAX).map(|row| say(row)).collect();
    let more = rows.len().saturating_sub(CAUSES_MAX) as u64;
    if more > 0 {
        let more = plural(more, "more seed is", "more seeds are");
        lines.push(format!("{more} like it"));
    }
    lines
}

/// Why a crawl ends with the pages of its seeds though there are links on them; none where one led on.
pub fn no_link_led_on(report: &CrawlReport) -> Option<String> {
    let links = &report.links;
    let (reason, most) = links.refused.iter().max_by_key(|(_, links)| **links)?;
    let others = links.found - links.seen;
    if links.new > 0 || most * 10 < others * 9 {
        return None;
    }
    let is = |fate: LinkFate| fate.name() == reason;
    let mend = if is(LinkFate::Nofollow) {
        "the pages ask that they be not followed (rel=nofollow, meta robots or X-Robots-Tag), which [scope] follow_nofollow = true overrules"
    } else if is(LinkFate::Scope) {
        "they lead to other hosts or folders than the seeds'; seed those too, or widen [scope]"
    } else {
        return None;
    };
    let links = plural(*most, "link was", "links were");
    Some(format!("no link led on: {links} left out, since {mend}"))
}

/// What to do about what a reason names, a refusal's or a failure's.
pub(crate) fn mend_of(reason: &str) -> &'static str {
    match Refusal::NAMES.contains(&reason) {
        true => mend_refusal(reason),
        false => mend(&FailureKind::from(reason)),
    }
}

/// What to do about URLs that could not be had.
fn mend(failure: &FailureKind) -> &'static str {
    match failure {
        FailureKind::Dns => {
            "the host's name does not resolve; check how it is spelt, and whether there is a network"
        }
        FailureKind::Connect => {
            "nobody answers there; check the host and its port, and whether there is a network"
        }
        FailureKind::Proxy => {
            "the proxy does not answer, or does not tunnel https; check --proxy or network.proxy"
        }
        FailureKind::Tls => {
            "the host's certificate cannot be trusted (expired, or for another name); tell its owner, or seed another host"
        }
        FailureKind::Timeout => {
            "it took too long; try later, or raise [limits] connect_time or first_byte_time"
        }
        FailureKind::RedirectLoop => WANTS_COOKIE,
        FailureKind::Http(_) => "the server answers with an error; try later",
        FailureKind::Guard
        | FailureKind::Reset
        | FailureKind::TooLarge
        | FailureKind::Protocol
        | FailureKind::BadUrl
        | FailureKind::Truncated
        | FailureKind::Encoding
        | FailureKind::Unreadable
        | FailureKind::BadRedirect
        | FailureKind::TooManyRedirects
        | FailureKind::Unknown(_) => SEE_ERRORS,
    }
}

/// What to do about URLs that were not asked for.
fn mend_refusal(reason: &str) -> &'static str {
    match reason {
        ROBOTS => {
            "robots.txt forbids it, or could not be had (tamis explain DIR URL tells which); seed another part of the site, ask its owner, or try later"
        }
        HOST_GONE => "the host did not answer any more and was given up; try later",
        WALLED => "the host answers with walls; the report's section on walls says what to do",
        GUARD => {
            "it is a private or loopback address; --allow-private lets the crawl ask it, once tamis retry DIR --status guard has put it back"
        }
        _ => SEE_ERRORS,
    }
}
