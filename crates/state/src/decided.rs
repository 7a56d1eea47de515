//! What a decision is: a record, and what comes with it.

use archive::{BodyRef, Event, Record};
use focus::PageTerms;
use frontier::{Admission, Lease, Settled};
use outcome::{Change, LinkFate};
use segment::Words;

use crate::finding::Answer;
use crate::focus_view::Lent;

/// A record, and what comes with it.
#[derive(Debug)]
pub struct Decided {
    /// What happened.
    pub record: Record,
    /// The answer it follows from, for the archive.
    pub answer: Option<Answer>,
    /// The lease that ends with the record.
    pub lease: Option<Lease>,
    /// What was read, for a page.
    pub page: Option<ReadText>,
    /// The archived response of the visit before, for a URL that was visited again.
    pub(crate) before: Option<BodyRef>,
}

/// A page's text, and what was computed of it.
#[derive(Debug)]
pub struct ReadText {
    /// Main text, without the host's template.
    pub text: String,
    /// Its words.
    pub words: Words,
    /// The page as the focus model sees it.
    pub terms: Option<PageTerms>,
    /// Whether the text belongs into the archive: that of a kept page, and in a crawl with a topic
    /// any, since the model learns from it again at each start.
    pub is_archived: bool,
}

impl Decided {
    pub(crate) fn of(record: Record) -> Self {
        Self {
            record,
            answer: None,
            lease: None,
            page: None,
            before: None,
        }
    }

    /// Whether the record is that of a finished URL, whose answer is archived with it.
    pub fn is_page(&self) -> bool {
        match &self.record.event {
            Event::Page(_) => true,
            Event::Visit(visit) => visit.page.is_some() && !visit.source,
            Event::Start(_)
            | Event::Seed(_)
            | Event::Robots(_)
            | Event::Sitemap(_)
            | Event::Attempt(_)
            | Event::Retry(_)
            | Event::Again(_)
            | Event::Elsewhere(_)
            | Event::Stop(_) => false,
        }
    }

    /// The text to be archived with the record.
    pub fn archived_text(&self) -> Option<&str> {
        let page = self.page.as_ref().filter(|page| page.is_archived)?;
        Some(&page.text)
    }

    /// The archived response of a page that was visited again and is as it was.
    pub fn revisit_of(&self) -> Option<BodyRef> {
        let Event::Visit(visit) = &self.record.event else {
            return None;
        };
        let is_as_it_was = visit.change == Change::Unchanged && visit.page.is_none();
        self.before.clone().filter(|_| is_as_it_was)
    }

    /// What [`State::apply`](crate::State::apply) need not compute again.
    pub fn lent(&self) -> Lent<'_> {
        let page = self.page.as_ref();
        Lent {
            text: page.map(|page| page.text.as_str()),
            terms: page.and_then(|page| page.terms.as_ref()),
        }
    }

    /// How the lease ends, once the record is synced.
    pub fn settled(lease: Lease, record: &Record) -> Settled {
        match &record.event {
            Event::Attempt(attempt) => lease.retry_at(attempt.retry_at_ms),
            Event::Start(_)
            | Event::Seed(_)
            | Event::Robots(_)
            | Event::Sitemap(_)
            | Event::Page(_)
            | Event::Retry(_)
            | Event::Again(_)
            | Event::Elsewhere(_)
            | Event::Visit(_)
            | Event::Stop(_) => lease.finished(),
        }
    }
}

/// The fate of a link whose URL was offered.
pub(crate) fn fate_of(admission: Admission) -> LinkFate {
    match admission {
        Admission::New => LinkFate::New,
        Admission::Seen => LinkFate::Seen,
        Admission::Refused(fate) => fate,
    }
}
