//! Two crawls page by page: what is new, changed, gone, moved, and kept in one of them alone.
//!
//! A page is told by its URL. It is gone where the second crawl was answered 404 or 410, moved where it
//! was sent on; where the second crawl did not come to it, or was not answered, nothing is known of it and
//! that is said. Of pages that both keep the main texts are compared as a visit compares them, where they
//! are archived; what differs is marked.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use archive::{BodyRef, Event, PageRecord, Record};
use outcome::{Change, Outcome};
use serde::{Deserialize, Serialize};

use crate::changes::why_dropped;
use crate::difference::{Piece, difference, shortened};
use crate::words;

/// Pages listed of each kind; all are counted.
const LISTED_MAX: usize = 500;

/// Characters of common text kept beside a difference.
const AROUND: usize = 40;

/// Pieces kept of one page's differences.
const PIECES_MAX: usize = 60;

/// Reads an archived text.
pub type TextReader<'r> = &'r dyn Fn(&BodyRef) -> Option<String>;

/// What became of the URLs of a crawl: a fold over its records.
#[derive(Debug, Default)]
pub struct PageFates(BTreeMap<String, PageFate>);

#[derive(Debug)]
struct PageFate {
    state: State,
    digest: String,
    text: Option<BodyRef>,
}

#[derive(Debug, PartialEq)]
enum State {
    Kept,
    /// Read and not kept, with why.
    Dropped(String),
    /// 404 or 410.
    Missing(u16),
    /// It points elsewhere.
    Moved(String),
    /// No answer that says anything, or never asked.
    Unread(String),
}

/// Pages that differ between two crawls.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct PageComparison {
    /// Pages that both keep, with the same text.
    pub unchanged: u64,
    /// Pages that both keep, with another date, counter or word.
    pub touched: u64,
    /// Pages that both keep, where a text is not archived, or whose turn did not come in time.
    pub not_compared: u64,
    /// Kept by the second, unknown to the first.
    pub new: PageList,
    /// Kept by both, with another text.
    pub changed: PageList,
    /// Kept by the first; the second was answered 404 or 410.
    pub gone: PageList,
    /// Kept by the first; it points elsewhere now.
    pub moved: PageList,
    /// Kept by the first, read and dropped by the second.
    pub dropped_now: PageList,
    /// Known to the first and not kept, kept by the second.
    pub kept_now: PageList,
    /// Kept by the first; the second did not come to it, or was not answered. Nothing is known of it.
    pub not_read: PageList,
}

/// Pages of one kind.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct PageList {
    /// All of them.
    pub total: u64,
    /// The first 500 by URL.
    pub pages: Vec<PageDifference>,
}

/// One page in both crawls.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct PageDifference {
    /// Its URL.
    pub url: String,
    /// What became of it in the first, or what it is told for, in words; empty where that is clear.
    pub before: String,
    /// What became of it in the second.
    pub after: String,
    /// Where its texts differ.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub difference: Vec<Piece>,
}

impl PageFates {
    /// Reads the next record.
    pub fn add(&mut self, record: &Record) {
        match &record.event {
            Event::Page(page) => self.page(page),
            Event::Visit(visit) if !visit.source => {
                let missing = visit.fetch.as_ref().map_or(404, |fetch| fetch.status);
                if visit.is_gone() {
                    let fate = PageFate::of(State::Missing(missing));
                    self.0.insert(visit.url.clone(), fate);
                } else if let Some(page) = visit.as_page() {
                    self.page(&page);
                }
            }
            Event::Retry(retry) => {
                for url in &retry.urls {
                    self.0.remove(url);
                }
            }
            Event::Start(_)
            | Event::Stop(_)
            | Event::Seed(_)
            | Event::Robots(_)
            | Event::Sitemap(_)
            | Event::Elsewhere(_)
            | Event::Attempt(_)
            | Event::Again(_)
            | Event::Visit(_) => {}
        }
    }

    fn page(&mut self, page: &PageRecord) {
        let summary = page.page.as_ref();
        let fate = PageFate {
            state: state_of(page),
            digest: summary.map_or_else(String::new, |summary| summary.digest.clone()),
            text: page.text.clone(),
        };
        self.0.insert(page.url.clone(), fate);
    }

    /// Sets a second crawl beside this one; `texts` reads archived texts of the first and the second.
    pub fn compare(
        &self,
        second: &PageFates,
        texts: (TextReader<'_>, TextReader<'_>),
    ) -> PageComparison {
        self.compare_within(second, texts, None)
    }

    /// The same; once so much time has passed texts are compared no more, and their pages counted as not
    /// compared.
    pub fn compare_within(
        &self,
        second: &PageFates,
        texts: (TextReader<'_>, TextReader<'_>),
        time_max: Option<Duration>,
    ) -> PageComparison {
        let began = Instant::now();
        let mut found = PageComparison::default();
        for (url, before) in &self.0 {
            let Some(after) = second.0.get(url) else {
                if before.state == State::Kept {
                    let never = "the second crawl did not come to it".to_owned();
                    found.not_read.add(url, String::new(), never);
                }
                continue;
            };
            match (&before.state, &after.state) {
                (State::Kept, State::Kept) => {
                    let has_time = time_max.is_none_or(|max| began.elapsed() < max);
                    found.both_keep(url, (before, after), texts, has_time);
                }
                (State::Kept, State::Dropped(why)) => {
                    found.dropped_now.add(url, String::new(), why.clone());
                }
                (State::Kept, State::Missing(status)) => {
                    found
                        .gone
                        .add(url, String::new(), format!("answered {status}"));
                }
                (State::Kept, State::Moved(to)) => {
                    found.moved.add(url, String::new(), format!("to {to}"));
                }
                (State::Kept, State::Unread(why)) => {
                    found.not_read.add(url, String::new(), why.clone());
                }
                (was, State::Kept) => found.kept_now.add(url, was.words(), String::new()),
                (_, _) => {}
            }
        }
        let is_new = |(url, fate): &(&String, &PageFate)| {
            fate.state == State::Kept && !self.0.contains_key(*url)
        };
        for (url, _) in second.0.iter().filter(is_new) {
            found.new.add(url, String::new(), String::new());
        }
        found
    }
}

impl PageFate {
    fn of(state: State) -> Self {
        Self {
            state,
            digest: String::new(),
            text: None,
        }
    }
}

impl State {
    fn words(&self) -> String {
        match self {
            State::Kept => "kept".to_owned(),
            State::Dropped(why) => format!("dropped: {why}"),
            State::Missing(status) => format!("answered {status}"),
            State::Moved(to) => format!("moved to {to}"),
            State::Unread(why) => why.clone(),
        }
    }
}

fn state_of(page: &PageRecord) -> State {
    let status = page.status();
    match &page.outcome {
        Outcome::Judged(_) if page.outcome.is_indexed() => State::Kept,
        Outcome::Judged(_) if matches!(status, 404 | 410) => State::Missing(status),
        Outcome::Judged(_) => State::Dropped(why_dropped(page).unwrap_or_default()),
        Outcome::Redirected => {
            let to = page
                .fetch
                .as_ref()
                .and_then(|fetch| fetch.redirect_to.clone());
            State::Moved(to.unwrap_or_default())
        }
        Outcome::NotModified => State::Unread("not modified".to_owned()),
        Outcome::Refused(_) | Outcome::Failed(_) | Outcome::Unknown(_) => {
            let reason = page.outcome.reason().unwrap_or_default();
            let reason = words::name(&reason);
            State::Unread(match &page.detail {
                Some(detail) => format!("{reason}: {detail}"),
                None => reason,
            })
        }
    }
}

impl PageComparison {
    fn both_keep(
        &mut self,
        url: &str,
        (before, after): (&PageFate, &PageFate),
        (first, second): (TextReader<'_>, TextReader<'_>),
        has_time: bool,
    ) {
        if !before.digest.is_empty() && before.digest == after.digest {
            self.unchanged += 1;
            return;
        }
        let texts = before.text.as_ref().filter(|_| has_time).and_then(first);
        let Some((old, new)) = texts.zip(after.text.as_ref().and_then(second)) else {
            self.not_compared += 1;
            return;
        };
        let compared = again::compare(&old, &new);
        match compared.change {
            Change::Unchanged => self.unchanged += 1,
            Change::Touched => self.touched += 1,
            Change::New
            | Change::Changed
            | Change::Moved
            | Change::Gone
            | Change::Back
            | Change::Unclear
            | Change::Unknown(_) => {
                self.changed.add(url, String::new(), String::new());
                // A page beyond those that are listed is only counted.
                if let Some(page) = self.changed.pages.last_mut().filter(|page| page.url == url) {
                    page.difference = pieces(&compared.passages);
                }
            }
        }
    }

    /// The lists, each with what it is called.
    pub fn lists(&self) -> [(&'static str, &PageList); 7] {
        [
            ("New", &self.new),
            ("Changed", &self.changed),
            ("Gone", &self.gone),
            ("Moved", &self.moved),
            ("Kept before, dropped now", &self.dropped_now),
            ("Not kept before, kept now", &self.kept_now),
            ("Kept before, not read now", &self.not_read),
        ]
    }

    /// All of it in a sentence.
    pub fn line(&self) -> String {
        let lists = self.lists();
        let counts = lists.iter().map(|(name, list)| {
            let name = name[..1].to_lowercase() + &name[1..];
            format!("{} {name}", words::count(list.total))
        });
        let counts: Vec<String> = counts.collect();
        let mut line = format!(
            "{}; {} unchanged, {} touched",
            counts.join("; "),
            words::count(self.unchanged),
            words::count(self.touched)
        );
        if self.not_compared > 0 {
            line += &format!(
                ", {} not compared since a text is not archived",
                words::count(self.not_compared)
            );
        }
        line
    }
}

/// The passages that differ, marked.
fn pieces(passages: &[again::Passage]) -> Vec<Piece> {
    let side = |of: fn(&again::Passage) -> &String| {
        let lines = passages.iter().map(of).filter(|lines| !lines.is_empty());
        lines.map(String::as_str).collect::<Vec<_>>().join("\n")
    };
    let (before, after) = (
        side(|passage| &passage.before),
        side(|passage| &passage.after),
    );
    let mut pieces = shortened(&difference(&before, &after), AROUND);
    pieces.truncate(PIECES_MAX);
    pieces
}

impl PageList {
    fn add(&mut self, url: &str, before: String, after: String) {
        self.total += 1;
        if self.pages.len() < LISTED_MAX {
            self.pages.push(PageDifference {
                url: url.to_owned(),
                before,
                after,
                difference: Vec::new(),
            });
        }
    }
}

#[cfg(test)]
mod tests {
    use archive::{FetchRecord, PageSummary, VisitRecord};
    use outcome::{FailureKind, JunkReason, Verdict};

    use super::*;

    fn page(name: &str, outcome: Outcome, status: u16, text: u64) -> Event {
        Event::Page(Box::new(PageRecord {
            url: format!("http://a.example/{name}"),
            outcome,
            fetch: Some(FetchRecord {
                status,
                redirect_to: (status == 301).then(|| "http://a.example/there".to_owned()),
                ..FetchRecord::default()
            }),
            page: Some(PageSummary {
                digest: text.to_string(),
                ..PageSummary::default()
            }),
            text: Some(BodyRef {
                offset: text,
                ..BodyRef::default()
            }),
            ..PageRecord::default()
        }))
    }

    fn fates(events: Vec<Event>) -> PageFates {
        let mut fates = PageFates::default();
        for (event, seq) in events.into_iter().zip(1..) {
            let at_ms = seq;
            fates.add(&Record { seq, at_ms, event });
        }
        fates
    }

    const KEPT: Outcome = Outcome::Judged(Verdict::Index);
    const COPY: Outcome = Outcome::Judged(Verdict::Junk(JunkReason::NearDuplicate));
    const MISSING: Outcome = Outcome::Judged(Verdict::Junk(JunkReason::ErrorPage));

    fn text(at: &BodyRef) -> Option<String> {
        Some(match at.offset {
            1 => "Dead rows stay in the table until vacuum takes them out.".into(),
            2 => {
                "Dead rows stay in the table. A freeze sets old rows to be visible for ever.".into()
            }
            3 => {
                "Dead rows stay in the table until vacuum takes them out.\nLast updated: 2024-05-01"
                    .into()
            }
            _ => return None,
        })
    }

    #[test]
    fn each_page_is_told_by_what_became_of_it_in_both() {
        let failed = Outcome::Failed(FailureKind::Timeout);
        let names = [
            "same", "other", "dated", "gone", "moved", "copy", "slow", "never", "lost",
        ];
        let mut first: Vec<Event> = names.iter().map(|name| page(name, KEPT, 200, 1)).collect();
        first.push(page("was_copy", COPY, 200, 1));
        let second = vec![
            page("same", KEPT, 200, 1),
            page("other", KEPT, 200, 2),
            page("dated", KEPT, 200, 3),
            page("gone", MISSING, 404, 0),
            page("moved", Outcome::Redirected, 301, 0),
            page("copy", COPY, 200, 1),
            page("slow", failed, 0, 0),
            page("lost", KEPT, 200, 9),
            page("was_copy", KEPT, 200, 2),
            page("new", KEPT, 200, 1),
        ];
        let found = fates(first).compare(&fates(second), (&text, &text));
        assert_eq!(
            (found.unchanged, found.touched, found.not_compared),
            (1, 1, 1)
        );
        let told = |list: &PageList| -> Vec<String> {
            assert_eq!(list.total, list.pages.len() as u64);
            let pages = list.pages.iter();
            pages
                .map(|page| {
                    let name = page.url.rsplit('/').next().unwrap_or_default();
                    format!("{name}|{}|{}", page.before, page.after)
                })
                .collect()
        };
        assert_eq!(told(&found.new), ["new||"]);
        assert_eq!(told(&found.changed), ["other||"]);
        assert_eq!(told(&found.gone), ["gone||answered 404"]);
        assert_eq!(told(&found.moved), ["moved||to http://a.example/there"]);
        assert_eq!(told(&found.dropped_now), ["copy||near duplicate"]);
        assert_eq!(told(&found.kept_now), ["was_copy|dropped: near duplicate|"]);
        assert_eq!(
            told(&found.not_read),
            [
                "never||the second crawl did not come to it",
                "slow||timeout"
            ]
        );
        let pieces = &found.changed.pages[0].difference;
        let added = |piece: &Piece| matches!(piece, Piece::Added(text) if text.contains("freeze"));
        assert!(pieces.iter().any(added), "{pieces:?}");
    }

    #[test]
    fn a_crawl_that_came_back_is_compared_as_it_is_now() {
        let visit = |change: Change, name: &str, version: Option<Event>| {
            let page = version.map(|version| match version {
                Event::Page(page) => page,
                other => panic!("{other:?}"),
            });
            Event::Visit(Box::new(VisitRecord {
                url: format!("http://a.example/{name}"),
                change,
                page,
                fetch: Some(FetchRecord {
                    status: 410,
                    ..FetchRecord::default()
                }),
                ..VisitRecord::default()
            }))
        };
        let read = || ["a", "b"].map(|name| page(name, KEPT, 200, 1)).to_vec();
        let mut later = read();
        later.push(visit(Change::Changed, "a", Some(page("a", KEPT, 200, 2))));
        later.push(visit(Change::Gone, "b", None));
        let found = fates(read()).compare(&fates(later), (&text, &text));
        assert_eq!(
            (found.changed.total, found.gone.total, found.unchanged),
            (1, 1, 0)
        );
        assert!(
            found.line().starts_with("0 new; 1 changed; 1 gone; "),
            "{}",
            found.line()
        );
    }
}
