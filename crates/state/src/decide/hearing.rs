//! What speaks for a page that looks like none: its host, and the link that led to it.
//!
//! A reader of one page finds the words of a wall or of an error and little else. A crawl knows more:
//!
//! - what stands on most pages of a host (its menu, its footer, the line below each article) is no statement of this
//!   page;
//! - a domain that is for sale has no pages, so a host that has shown some is not parked;
//! - a page with the very title that its link promised, and that is not the title of all pages there, is the page that
//!   was asked for, where one phrase alone says otherwise. A page that asks for a login or
//!   for consent may well bear the title of what is behind it, so of those this says nothing.
//!
//! And it knows which of a short page's lines stand in the margins of its siblings: what is left without them may
//! read like an error page that did not before.

use archive::DueRecord;
use extractor::Page;
use frontier::Lease;
use outcome::WallKind;
use sieve::soft_404;

use crate::context::UrlContext;
use crate::finding::{PageReading, Reading};
use crate::promised;
use crate::state::State;

/// Pages of its own that a host has shown that is not parked. One may be its notice.
const PAGES_MIN: u64 = 2;

/// A wall of words is sure from here on that says it twice, or has a mark beside one phrase.
const SURE: f32 = 0.95;

impl State {
    /// Judges once more whether a page is a wall or reads like an error page, by what is known of its host and of the
    /// link that led to it.
    pub(super) fn hear(&self, lease: &Lease, due: Option<&DueRecord>, reading: &mut Reading) {
        let Reading::Page(reading) = reading else {
            return;
        };
        let url = &lease.url().url;
        let (host, url) = (url.host(), url.as_str());
        // A page that was kept is promised to be what it was.
        let promised = match due {
            Some(due) if due.was.is_indexed() => promised::digest(&due.title),
            Some(_) => None,
            None => UrlContext::from_bytes(&lease.url().context).promised,
        };
        if self.is_no_wall(host.as_str(), url, (promised, due.is_none()), reading) {
            reading.page.acquit();
        }
        reading.own = match self.policy.host_templates && reading.page.wall.is_none() {
            true => self.templates.own_text(host.as_str(), url, &reading.page),
            false => None,
        };
        reading.soft_404 = reads_like_error(promised, reading);
    }

    fn is_no_wall(
        &self,
        host: &str,
        url: &str,
        (promised, is_first): (Option<u32>, bool),
        reading: &PageReading,
    ) -> bool {
        let page = &reading.page;
        let (Some(wall), Some(doubt)) = (&page.wall, &page.doubt) else {
            return false;
        };
        if self.policy.host_templates && self.templates.say_of_most(host, url, doubt) {
            return true;
        }
        // What a kept page was called says nothing of what stands in its place now.
        let may_be_called = is_first && is_doubtful(page) && !is_front_page(url);
        let title = promised::title_kept(promised, page).filter(|_| may_be_called);
        let is_called_so = title.is_some_and(|title| {
            !extractor::is_said_by_walls(title)
                && !names(title, host)
                && !self.templates.is_title_of_most(host, url, title)
        });
        match &wall.kind {
            // A domain may be sold between two visits, and whoever sells it says so at length.
            WallKind::Parked if is_first && is_doubtful(page) => {
                is_called_so || self.templates.pages_of(host) >= PAGES_MIN
            }
            WallKind::Parked => is_called_so,
            WallKind::Bot | WallKind::Human | WallKind::RateLimit | WallKind::ComingSoon => {
                is_called_so
            }
            WallKind::Login | WallKind::Consent | WallKind::Unknown(_) => false,
        }
    }
}

/// Whether a page was taken for a wall by one phrase alone.
pub(super) fn is_doubtful(page: &Page) -> bool {
    let sureness = page.wall.as_ref().map(|wall| wall.sureness);
    page.doubt.is_some() && sureness.is_some_and(|sureness| sureness < SURE)
}

/// Whether a URL is its host's front page, which links elsewhere name as its site calls itself.
fn is_front_page(url: &str) -> bool {
    let (_, rest) = url.split_once("://").unwrap_or(("", url));
    rest.split_once('/').is_none_or(|(_, path)| path.is_empty())
}

/// Whether a title has its host's name in it, as those of parked domains do.
fn names(title: &str, host: &str) -> bool {
    let host = host.strip_prefix("www.").unwrap_or(host);
    let host = host.split(':').next().unwrap_or(host);
    segment::fold(title).contains(host)
}

/// Whether a page reads like an error page, as its link and its host's margins let it be read.
fn reads_like_error(promised: Option<u32>, reading: &PageReading) -> bool {
    let page = &reading.page;
    let title = page.title.as_deref().unwrap_or("");
    let own = reading.own.as_deref();
    let words = match own {
        Some(own) => segment::Segmenter::shared().words(own).len(),
        None => reading.words.len(),
    };
    let text = own.unwrap_or(&page.text);
    let reads_so =
        reading.soft_404 || own.is_some() && soft_404::is_soft_404(title, text, words as u32);
    let kept = promised::title_kept(promised, page);
    reads_so && !kept.is_some_and(|title| soft_404::is_but_called_so(title, text, words as u32))
}

#[cfg(test)]
mod tests {
    use archive::{Event, PageRecord};
    use frontier::FrontierConfig;
    use outcome::{JunkReason, LinkFate};

    use super::*;
    use crate::testing::{NOW_MS, apply, found, lease, policy, read, state};

    const SEED: &str = "http://a.example/";

    /// What comes of pages that are read one after the other: their records.
    fn crawl(pages: &[&str]) -> Vec<PageRecord> {
        let mut state = state(policy(), FrontierConfig::default(), SEED);
        let pages = pages.iter().zip(0..);
        let records = pages.map(|(html, turn)| {
            let lease = lease(&state, turn);
            let reading = read(html, &lease.url().url.to_url());
            let reading = Reading::Page(Box::new(reading));
            let decided = state.decide(found(lease, reading, 200), NOW_MS).unwrap();
            apply(&mut state, &decided.record);
            let settled = crate::Decided::settled(decided.lease.unwrap(), &decided.record);
            state.queue().lock().frontier.settle(settled).unwrap();
            match decided.record.event {
                Event::Page(page) => *page,
                other => panic!("{other:?}"),
            }
        });
        records.collect()
    }

    fn is_blocked(page: &PageRecord) -> bool {
        page.junk() == Some(&JunkReason::Blocked)
    }

    const SALE: &str = "<title>Names</title><p>This domain is for sale.";

    #[test]
    fn a_host_that_has_shown_pages_is_not_parked() {
        let story = |number: &str, link: &str| {
            let text = format!(
                "The {number} ship came late, and left with the tide of the {number} day. "
            );
            format!(
                "<title>{number}</title><p>{}<a href=/{link}>on</a>",
                text.repeat(4)
            )
        };
        let pages = [story("first", "2"), story("second", "3"), SALE.to_owned()];
        let pages: Vec<&str> = pages.iter().map(String::as_str).collect();
        assert!(!is_blocked(&crawl(&pages)[2]));
        assert!(is_blocked(&crawl(&[SALE])[0]));
    }

    #[test]
    fn a_page_called_as_its_link_promised_is_no_wall_unless_it_asks_for_a_login() {
        let seed = |anchor: &str| format!("<title>List</title><a href=/x>{anchor}</a>");
        let blocked = |anchor: &str, title: &str, text: &str| {
            let page = format!("<title>{title}</title><h1>{title}</h1><p>{text}");
            is_blocked(&crawl(&[&seed(anchor), &page])[1])
        };
        let sale = "This domain is for sale.";
        assert!(!blocked("Ticket 8812", "Ticket 8812", sale));
        assert!(blocked("More", "Ticket 8812", sale));
        assert!(blocked("Domain for sale", "This domain is for sale", sale));
        // More than one phrase says so.
        let many = "Too many requests. You have exceeded the rate limit. Please slow down and try again later.";
        assert!(blocked("Ticket 8812", "Ticket 8812", many));
        // The name of a domain promises nothing.
        assert!(blocked(
            "a.example",
            "a.example",
            "This domain is for sale."
        ));
        assert!(blocked(
            "Ticket 8812",
            "Ticket 8812",
            "Please log in to continue."
        ));
    }

    #[test]
    fn links_of_a_wall_by_one_phrase_to_its_own_host_are_followed() {
        let page = format!("{SALE}<a href=/y>y</a>");
        let records = crawl(&[&page]);
        assert!(is_blocked(&records[0]));
        assert_eq!(records[0].links[0].fate, LinkFate::New);
    }
}
