//! Two crawls set beside each other: figures and pages, as `tamis report --compare` tells them.
//!
//! What became of each page is read from both journals; a crawl of more pages than have rows is compared
//! by its figures alone.

use std::sync::Mutex;
use std::time::Duration;

use http::StatusCode;
use report::Comparison;
use report::compare::PageFates;

use crate::answers::Compared;
use crate::app::Failed;
use crate::crawls::{AGE_MAX, Served};
use crate::jobs::alone;
use crate::lists;
use crate::rows::ROWS_MAX;
use crate::story::{records, tell_unread};

/// Texts are compared for so long; what comes after is counted as not compared.
const COMPARING_MAX: Duration = Duration::from_secs(5);

/// One comparison at a time: each holds two crawls' pages in memory.
static ALONE: Mutex<()> = Mutex::new(());

/// Compares a crawl with another one.
pub(crate) fn compared(first: &Served, second: &Served) -> Result<Compared, Failed> {
    let _alone = alone(&ALONE).ok_or_else(|| {
        let why = "two crawls are being compared: ask again in a moment".to_owned();
        Failed(StatusCode::SERVICE_UNAVAILABLE, why)
    })?;
    let both = [first, second];
    for crawl in both {
        crawl.follower.catch_up(AGE_MAX);
    }
    let reports = both.map(Served::report);
    let figures = Comparison::of(&reports[0], &reports[1]);
    let has_rows = |report: &report::CrawlReport| report.totals.finished <= ROWS_MAX as u64;
    let figures = match reports.iter().all(has_rows) {
        true => figures.with_pages(pages(first, second)),
        false => figures,
    };
    // Always in one order, so that two comparisons never wait for each other.
    let compared = if first.id < second.id {
        let views = (first.follower.view(), second.follower.view());
        lists::compared((&views.0, &views.1), figures)
    } else {
        let views = (second.follower.view(), first.follower.view());
        lists::compared((&views.1, &views.0), figures)
    };
    Ok(compared)
}

fn pages(first: &Served, second: &Served) -> report::compare::PageComparison {
    let fates = |crawl: &Served| {
        let mut fates = PageFates::default();
        records(crawl.follower.dir()).for_each(|record| fates.add(&record));
        fates
    };
    let texts = [first, second].map(|crawl| crawl.follower.dir().texts());
    let compared = fates(first).compare_within(
        &fates(second),
        (&|at| texts[0].text(at), &|at| texts[1].text(at)),
        Some(COMPARING_MAX),
    );
    texts.iter().for_each(tell_unread);
    compared
}
