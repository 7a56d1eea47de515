//! A page is judged: its relevance, its nearest kept page, the verdict, the fates of its links.

use archive::{PageRecord, PageSummary};
use focus::{PageAhead, PageTerms};
use frontier::{Lease, UrlNumbers};
use outcome::{JunkReason, Outcome, Verdict, WallKind};
use sieve::duplicate_kind;
use simhash::Decision;

use super::hearing;
use super::links::{self, LinksOf};
use crate::bare_text;
use crate::context::UrlContext;
use crate::decided::ReadText;
use crate::finding::PageReading;
use crate::focus_view::FocusView;
use crate::kept::{self, Judgement, Measured};
use crate::recorded;
use crate::state::{State, StoreError};
use crate::templates;

/// The focus model as a page is to be judged by it.
enum Model<'s> {
    /// The crawl's.
    Whole(&'s mut FocusView),
    /// A copy that has learnt from the page, which is an example.
    Taught(Box<FocusView>),
}

impl Model<'_> {
    fn view(&mut self) -> &mut FocusView {
        match self {
            Self::Whole(view) => view,
            Self::Taught(view) => view,
        }
    }
}

/// What the focus model says of a page.
struct Relevant {
    terms: PageTerms,
    relevance: f32,
}

impl State {
    pub(super) fn decide_page(
        &mut self,
        lease: &Lease,
        mut record: PageRecord,
        mut reading: PageReading,
        now_ms: u64,
    ) -> Result<(PageRecord, ReadText), StoreError> {
        let seq = self.seq + 1;
        let is_blocked = reading.page.wall.is_some() && !self.policy.rules.keep_walls;
        if self.policy.host_templates && !is_blocked {
            self.templates.trim(&record.host, &record.url, &mut reading);
        }
        let context = UrlContext::from_bytes(&lease.url().context);
        let example = self.examples.to_learn(&record.url);
        let mut model = model(self.focus.as_mut(), &record, &reading, example);
        let relevant = model
            .as_mut()
            .map(|model| relevant(model.view(), lease, &reading, &context));
        // What stands in a page's place is neither on the topic nor off it.
        let relevance = relevant.as_ref().filter(|_| !is_blocked);
        let relevance = relevance.map(|found| found.relevance);
        let summary = recorded::page_summary(&reading, relevance, now_ms);
        let judged = self.kept.judge(
            &Measured {
                url: &record.url,
                host: &record.host,
                status: record.status(),
                page: &summary,
                print: &reading.print,
                whole: reading.whole.as_ref().map(|(_, print)| print),
                own: context.due.as_ref().map(|due| due.of),
                succeeds: match &context.due {
                    Some(due) => due.succeeds,
                    None => context.succeeds,
                },
            },
            &self.policy.rules,
            self.policy.keep,
        )?;
        write_verdict(&mut record, &judged, &summary, &self.policy.rules);
        let is_kept = record.outcome.is_indexed();
        let numbers = is_kept.then(|| UrlNumbers::of(&lease.url().url)).flatten();
        record.page = Some(PageSummary {
            bare: numbers.map(|numbers| bare_text::digest(&numbers, &reading.words)),
            ..summary
        });
        let ahead = model.as_mut().zip(relevant.as_ref()).map(|(model, found)| {
            let terms = &found.terms;
            model
                .view()
                .ahead(seq, &record, terms, found.relevance, &context)
        });
        let of = links_of(lease, seq, &record, &reading, &judged);
        let focus = model.as_mut().map(Model::view).zip(ahead.as_ref());
        let focus: Option<(&mut FocusView, &PageAhead)> = focus;
        let knowledge = links::Knowledge {
            policy: &self.policy,
            queue: &self.queue,
            reach: &self.reach,
            examples: &self.examples,
        };
        record.links = links::decide(&of, &reading, &knowledge, focus)?;
        if self.policy.host_templates {
            templates::write_blocks(&mut record, &reading.blocks);
        }
        let is_archived = record.outcome.is_indexed() || self.focus.is_some();
        let read = ReadText {
            text: reading.page.text,
            words: reading.words,
            terms: relevant.map(|found| found.terms),
            is_archived,
        };
        Ok((record, read))
    }
}

/// The model by which a page is judged. The words of an error page or of a wall are no example of
/// anything.
fn model<'s>(
    focus: Option<&'s mut FocusView>,
    record: &PageRecord,
    reading: &PageReading,
    example: Option<bool>,
) -> Option<Model<'s>> {
    let is_wall = reading.page.wall.is_some();
    let is_page = (200..300).contains(&record.status()) && !reading.soft_404 && !is_wall;
    match (focus, example.filter(|_| is_page)) {
        (None, _) => None,
        (Some(focus), None) => Some(Model::Whole(focus)),
        (Some(focus), Some(on_topic)) => {
            let mut taught = focus.clone();
            taught.learn_example(&record.url, reading, on_topic);
            Some(Model::Taught(Box::new(taught)))
        }
    }
}

fn relevant(
    focus: &mut FocusView,
    lease: &Lease,
    reading: &PageReading,
    context: &UrlContext,
) -> Relevant {
    let terms = focus.terms(reading, &lease.url().url.to_url());
    let relevance = focus.relevance(&terms, context);
    Relevant { terms, relevance }
}

/// Writes down what was decided about a page, and what it follows from.
fn write_verdict(
    record: &mut PageRecord,
    judged: &Judgement,
    summary: &PageSummary,
    rules: &sieve::Rules,
) {
    let evidence = &judged.evidence;
    let neighbour = evidence.neighbour.as_ref();
    if let (Some(why), Some(near)) = (judged.takes_place, &judged.near) {
        record.replaces = neighbour.map(|neighbour| neighbour.page);
        record.moved_here = why == kept::MOVED_HERE;
        record.detail = Some(format!("takes the place of {}: {why}", near.url));
    }
    let is_duplicate = match &judged.verdict {
        Verdict::Index => false,
        Verdict::Junk(reason) => reason.is_duplicate(),
    };
    record.nearest = neighbour.map(|neighbour| {
        let url = judged.near.as_ref().map_or("", |near| &near.url);
        let kind = is_duplicate.then(|| duplicate_kind(neighbour, evidence.same_layout));
        recorded::neighbour_record(neighbour, url, kind)
    });
    let is_blocked = judged.verdict == Verdict::Junk(JunkReason::Blocked);
    if let Some(wall) = summary.wall.as_ref().filter(|_| is_blocked) {
        record.detail = Some(wall.to_string());
    }
    if record.detail.is_none() {
        record.detail = recorded::detail(evidence, rules, &judged.verdict, "");
    }
    record.outcome = Outcome::Judged(judged.verdict.clone());
}

/// Whether the links of a wall lead to its vendor, to adverts or back to the wall. Who asks for a login,
/// or is not there yet, may still link to pages that are open.
fn is_not_the_sites(reading: &PageReading) -> bool {
    let kind = reading.page.wall.as_ref().map(|wall| &wall.kind);
    !kind.is_some_and(WallKind::is_of_one_page)
}

fn links_of<'a>(
    lease: &'a Lease,
    seq: u64,
    record: &PageRecord,
    reading: &PageReading,
    judged: &Judgement,
) -> LinksOf<'a> {
    let neighbour = judged.evidence.neighbour.as_ref();
    let repeats = neighbour.is_some_and(|near| near.decision == Decision::Duplicate);
    LinksOf {
        page: lease.url(),
        depth: record.depth_of_links(),
        seq,
        worth: recorded::page_worth(record),
        is_duplicate: repeats && !record.outcome.is_indexed(),
        is_wall: record.is_blocked() && is_not_the_sites(reading),
        is_doubtful: hearing::is_doubtful(&reading.page),
        may_follow: reading.page.directives.follow,
    }
}
