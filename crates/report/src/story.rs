//! The crawl in some sentences: why it stopped, what it read and kept, and how well it was led.

use outcome::{LinkFate, StopReason};

use crate::figures::CrawlReport;
use crate::harvest::Harvest;
use crate::words::{count, name, plural, share};

/// The name of refusals for want of yield.
const BARREN: &str = outcome::Refusal::LOW_YIELD;

/// What is known where the journal does not end with a stop.
const NOT_STOPPED: &str = "It is running, or it ended without a last word (killed, the power failed, or the disk was full).";

/// What there is to say, each a whole sentence.
pub(crate) fn story(report: &CrawlReport) -> Vec<String> {
    let mut told = vec![stopped(report), left_out(report), found(report)];
    told.extend(led(&report.harvest));
    told.retain(|sentence| !sentence.is_empty());
    told
}

/// Why it stopped.
fn stopped(report: &CrawlReport) -> String {
    let Some(reason) = &report.stop_reason else {
        return match report.starts {
            0 => "It has not started.".to_owned(),
            _ => NOT_STOPPED.to_owned(),
        };
    };
    why_stopped(reason, report.stop_detail.as_deref(), report.totals.pending)
}

/// Why a crawl stopped, as a sentence: the reason, what is known beside it, and URLs that wait now.
pub fn why_stopped(reason: &StopReason, detail: Option<&str>, pending: u64) -> String {
    let why = match reason {
        StopReason::Drained => "nothing was left to fetch",
        StopReason::MaxPages => "the budget of pages was used up",
        StopReason::MaxTime => "the time for this start was used up",
        StopReason::Interrupted => "it was told to; it can go on",
        StopReason::Reloaded => "its settings were to be read anew; it goes on with them",
        StopReason::Harvest => "little more was to be found",
        StopReason::NoTopic => "none of the topic's example pages could be read",
        StopReason::HostsUnreachable => {
            "all that was left waited on hosts that gave no answer, no page, or no robots.txt; it can go on later"
        }
        StopReason::HandedOver => "it was asked to hand over; other nodes go on with its hosts",
        StopReason::DiskFull => "the disk had no room left; it can go on",
        StopReason::Error => "it could not go on",
        StopReason::Unknown(_) => return format!("It stopped: {}.", name(reason.name())),
    };
    // Of this one there is nothing more to say.
    let is_plain = matches!(reason, StopReason::Drained);
    let detail = detail.map(str::trim);
    let detail = detail.filter(|detail| !is_plain && !detail.is_empty());
    let detail = detail.map_or(String::new(), |detail| format!(" ({detail})"));
    // They were put back or given since, or what became of them is lost with a damaged record.
    let by_now = match (reason, pending) {
        (StopReason::Drained, urls @ 1..) => {
            format!(
                "; by now {} in the queue",
                plural(urls, "URL is", "URLs are")
            )
        }
        _ => String::new(),
    };
    format!("It stopped because {why}{detail}{by_now}.")
}

/// Where nothing waits any more: what is known, and was not asked for.
fn left_out(report: &CrawlReport) -> String {
    if report.stop_reason != Some(StopReason::Drained) {
        return String::new();
    }
    let deep = report.links.refused.get(LinkFate::Depth.name());
    let deep = deep.map(|&links| {
        let links = plural(links, "link leads", "links lead");
        format!("{links} deeper than the crawl goes")
    });
    let barren = report.reasons.refused.get(BARREN);
    let barren = barren.map(|&urls| {
        let urls = plural(urls, "URL was", "URLs were");
        format!("{urls} not asked for since hardly any of their kind had been of use")
    });
    let parts: Vec<String> = deep.into_iter().chain(barren).collect();
    match parts.is_empty() {
        true => String::new(),
        false => format!("Left out: {}.", parts.join("; ")),
    }
}

/// What was read, and what of it is kept.
fn found(report: &CrawlReport) -> String {
    let (totals, read) = (&report.totals, report.judged());
    if read == 0 {
        return match totals.admitted {
            0 => String::new(),
            urls => format!(
                "Of {} found, no page was read.",
                plural(urls, "URL", "URLs")
            ),
        };
    }
    let mut parts = vec![format!(
        "{} kept ({})",
        are(totals.indexed),
        share(totals.indexed, read)
    )];
    if report.duplicates.count > 0 {
        let copies = plural(report.duplicates.count, "repeats another", "repeat others");
        parts.push(copies);
    }
    if let Some(n) = report.reasons.junk.get("off_topic").filter(|n| **n > 0) {
        parts.push(format!("{} off the topic", are(*n)));
    }
    let waiting = match totals.pending {
        0 => String::new(),
        urls => format!("; {} still waiting", plural(urls, "URL is", "URLs are")),
    };
    format!(
        "Of {} read, {}{waiting}.",
        plural(read, "page", "pages"),
        parts.join(", ")
    )
}

fn are(n: u64) -> String {
    plural(n, "is", "are")
}

/// What the topic gained: the crawl beside breadth-first after as many pages.
fn led(harvest: &Harvest) -> Option<String> {
    let breadth = harvest
        .breadth_first
        .as_ref()
        .filter(|breadth| breadth.left_out.is_none())?;
    // In the middle: by the end of a small web both have read all of it.
    let half = harvest.relevant_and_new / 2;
    let mark = harvest
        .marks
        .iter()
        .min_by_key(|mark| mark.relevant_and_new.abs_diff(half))?;
    let other = breadth
        .marks
        .iter()
        .find(|other| other.pages == mark.pages)?;
    Some(format!(
        "Led by its topic it had found {} that are relevant and new after {}; breadth-first would have had {}.",
        plural(mark.relevant_and_new, "page", "pages"),
        plural(mark.pages, "page", "pages"),
        count(other.relevant_and_new),
    ))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Tally;
    use crate::journal::{self, Journal};

    fn told(records: &[archive::Record]) -> String {
        let mut tally = Tally::new();
        records.iter().for_each(|record| tally.add(record));
        story(&tally.report("")).join(" ")
    }

    #[test]
    fn the_story_says_why_it_stopped_and_what_is_kept() {
        let said = told(&journal::small());
        assert!(
            said.contains("It stopped because nothing was left to fetch"),
            "{said}"
        );
        assert!(
            said.contains("Of 6 pages read, 3 are kept (50.0 %)"),
            "{said}"
        );
        assert!(!said.contains("  ") && said.ends_with('.'), "{said}");
    }

    #[test]
    fn what_waits_after_the_end_is_told_and_not_how_it_came_there() {
        // After damage it was said that URLs had been put back, which nobody had done.
        assert_eq!(
            why_stopped(&StopReason::Drained, None, 2),
            "It stopped because nothing was left to fetch; by now 2 URLs are in the queue."
        );
        let by_hand = why_stopped(&StopReason::Interrupted, Some("at once"), 2);
        assert_eq!(
            by_hand,
            "It stopped because it was told to; it can go on (at once)."
        );
    }

    #[test]
    fn a_crawl_that_ended_by_its_depth_or_its_rules_says_so() {
        // "Nothing was left to fetch", though 400 of 600 posts lay behind the hundredth page of a list.
        let mut tally = Tally::new();
        journal::small().iter().for_each(|record| tally.add(record));
        let mut report = tally.report("");
        report.links.refused = [("depth".to_owned(), 1)].into();
        report.reasons.refused = [("barren".to_owned(), 36)].into();
        let said = story(&report);
        assert_eq!(
            said[1],
            "Left out: 1 link leads deeper than the crawl goes; 36 URLs were not asked for since hardly any of \
             their kind had been of use."
        );
        report.stop_reason = Some(StopReason::MaxPages);
        assert!(!story(&report).iter().any(|said| said.contains("Left out")));
    }

    #[test]
    fn a_crawl_that_did_nothing_has_a_story_too() {
        assert_eq!(told(&[]), "It has not started.");
        let mut journal = Journal::default();
        journal.start();
        journal.seed(0, "http://a.test/");
        let said = told(&journal.records);
        assert_eq!(
            said,
            "It is running, or it ended without a last word (killed, the power failed, or the disk was full). Of 1 URL found, no page was read."
        );
    }
}
