//! What a crawl found when it came back, as `tamis changes` tells it.
//!
//! The journal is read from its beginning, so one story of a crawl is told at a time.

use archive::BodyRef;
use http::StatusCode;
use report::changes::{ChangeRow, Changes};
use report::difference::{difference, shortened};

use crate::answers::{ChangeList, ChangedPage, ChangesAsked};
use crate::app::Failed;
use crate::crawls::{AGE_MAX, Served};
use crate::days::{day, midnight_ms};
use crate::jobs::alone;
use crate::lists::{LIMIT, LIMIT_MAX, filled};
use crate::{asking, rows, story};

/// Characters that are shown beside a difference.
const AROUND: usize = 40;

/// Pieces of a page's differences that are given.
const PIECES_MAX: usize = 60;

/// Changes that are told.
const KINDS: [&str; 7] = [
    "new", "changed", "touched", "moved", "gone", "back", "unclear",
];

/// The changes that were asked for.
pub(crate) fn told(crawl: &Served, asked: &ChangesAsked) -> Result<ChangeList, Failed> {
    let bad = |why: String| Failed(StatusCode::BAD_REQUEST, why);
    let since = day("since", &asked.since).map_err(bad)?;
    let kind = filled(&asked.change);
    if kind.is_some_and(|kind| !KINDS.contains(&kind)) {
        return Err(bad(format!("change is one of {}", KINDS.join(", "))));
    }
    let _alone = alone(&crawl.telling).ok_or_else(|| {
        let why = "the journal is being read for another answer: ask again in a moment";
        Failed(StatusCode::SERVICE_UNAVAILABLE, why.to_owned())
    })?;
    crawl.follower.catch_up(AGE_MAX);
    if crawl.report().totals.finished > rows::ROWS_MAX as u64 {
        let why = "the crawl is too large for this list: tamis changes tells all of it";
        return Err(bad(why.to_owned()));
    }
    let dir = crawl.follower.dir();
    let mut changes = Changes::since(since.as_deref().map(midnight_ms));
    story::records(dir).for_each(|record| changes.add(&record));
    let offset = asked.offset.unwrap_or(0);
    let limit = asked.limit.unwrap_or(LIMIT).min(LIMIT_MAX);
    let texts = dir.texts();
    let part = changes.part(kind, offset, limit, |at: &BodyRef| texts.text(at));
    story::tell_unread(&texts);
    let view = crawl.follower.view();
    let changed = |row: ChangeRow| ChangedPage {
        page: view.rows.url(&row.url).map(|row| row.page),
        title: view
            .rows
            .url(&row.url)
            .map_or_else(String::new, |row| row.title.to_string()),
        ..page(row)
    };
    Ok(ChangeList {
        rounds: part.rounds,
        counts: part.counts,
        total: part.total,
        offset,
        changes: part.rows.into_iter().map(changed).collect(),
    })
}

fn page(row: ChangeRow) -> ChangedPage {
    let texts = row.before.zip(row.after);
    let pieces = texts.map(|(before, after)| shortened(&difference(&before, &after), AROUND));
    let pieces = pieces.iter().flatten().take(PIECES_MAX);
    ChangedPage {
        pieces: pieces.map(asking::piece).collect(),
        url: row.url,
        change: row.change.name().to_string(),
        at: row.at,
        was_kept: row.was_kept,
        is_kept: row.is_kept,
        why: row.why,
        page: None,
        title: String::new(),
    }
}
