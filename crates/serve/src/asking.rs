//! What pages for people and the API ask of a crawl: read on a thread for that, and answered with a value of
//! [`crate::answers`].

use http::StatusCode;
use report::Tongue;

use crate::answers::{
    ChangeList, ChangesAsked, ClusterPages, Clusters, CompareAsked, Compared, CrawlItem, CrawlList,
    ExplainAsked, Explained, Found, ListAsked, Page, PageText, Pages, PagesAsked, Sample,
    SampleAsked, SearchAsked, SideBySide, TextPiece,
};
use crate::app::{App, Failed};
use crate::crawls::{AGE_MAX, Served};
use crate::live::Status;
use crate::shown::shown;
use crate::{changing, comparing, lists, sampling, searching, story};

/// Characters of a text that are given.
const TEXT_CHARS_MAX: usize = 200_000;

pub(crate) async fn crawl_list(app: &App) -> Result<CrawlList, Failed> {
    let crawls = app.crawls.clone();
    let list = app.jobs.run(move || {
        let item = |crawl: &std::sync::Arc<Served>| {
            let status = match crawl.follower.is_ready() {
                true => crawl.status(),
                false => Status {
                    state: "reading".to_owned(),
                    ..Status::default()
                },
            };
            CrawlItem {
                id: crawl.id.clone(),
                directory: crawl.follower.dir().root().display().to_string(),
                state: status.state,
                kept: status.kept,
                dropped: status.dropped,
                pending: status.pending,
            }
        };
        CrawlList {
            crawls: crawls.all.iter().map(item).collect(),
        }
    });
    Ok(list.await?)
}

pub(crate) async fn found(app: &App, id: &str, asked: SearchAsked) -> Result<Found, Failed> {
    let found = app.of(id, move |crawl| {
        crawl.follower.catch_up(AGE_MAX);
        searching::search(crawl, &asked).map_err(|error| {
            let status = match error {
                searching::NotSearched::BadFilter(_) => StatusCode::BAD_REQUEST,
                searching::NotSearched::Index(_) => StatusCode::SERVICE_UNAVAILABLE,
            };
            Failed(status, error.to_string())
        })
    });
    found.await
}

pub(crate) async fn page_list(app: &App, id: &str, asked: PagesAsked) -> Result<Pages, Failed> {
    let pages = app.of(id, move |crawl| {
        crawl.follower.catch_up(AGE_MAX);
        lists::pages(&crawl.follower.view(), &asked)
            .map_err(|why| Failed(StatusCode::BAD_REQUEST, why))
    });
    pages.await
}

pub(crate) fn no_page() -> Failed {
    let why = "no page of that number is in the list".to_owned();
    Failed(StatusCode::NOT_FOUND, why)
}

pub(crate) async fn page_text(app: &App, id: &str, page: u64) -> Result<PageText, Failed> {
    let text = app.of(id, move |crawl| {
        crawl.follower.catch_up(AGE_MAX);
        let found = {
            let view = crawl.follower.view();
            view.rows.page(page).map(|row| lists::page(&view.rows, row))
        };
        let text = story::text_of(crawl, page);
        let (marks, _) = crawl.audit.read().map_err(cannot_mark)?;
        Ok(PageText {
            page: found.ok_or_else(no_page)?,
            is_cut: text
                .as_ref()
                .is_some_and(|text| text.chars().count() > TEXT_CHARS_MAX),
            text: text.map(|text| shown(&text, TEXT_CHARS_MAX)),
            mark: marks.get(&page).map(|mark| mark.mark.name().to_owned()),
        })
    });
    text.await
}

/// The page of a URL as the lists have it.
pub(crate) fn page_of_url(crawl: &Served, url: &str) -> Option<Page> {
    let view = crawl.follower.view();
    let row = view.rows.url(url)?;
    Some(lists::page(&view.rows, row))
}

pub(crate) async fn explained(
    app: &App,
    id: &str,
    asked: ExplainAsked,
) -> Result<Explained, Failed> {
    let told = app.of(id, move |crawl| {
        let tongue = match asked.lang.as_deref() {
            None | Some("en") => Tongue::English,
            Some("zh") => Tongue::Chinese,
            Some(_) => {
                let why = "lang is en or zh".to_owned();
                return Err(Failed(StatusCode::BAD_REQUEST, why));
            }
        };
        let told = story::tell(crawl, asked.url.as_deref().unwrap_or_default(), tongue);
        told.map_err(|error| match error {
            story::NoStory::NotAUrl(why) => Failed(StatusCode::BAD_REQUEST, why),
            story::NoStory::Unreadable(why) => Failed(StatusCode::INTERNAL_SERVER_ERROR, why),
            story::NoStory::Busy => Failed(StatusCode::SERVICE_UNAVAILABLE, error.to_string()),
        })
    });
    let told = told.await?;
    Ok(Explained {
        url: told.url,
        is_known: told.is_known,
        summary: shown(&told.summary, TEXT_CHARS_MAX),
        story: told.story,
        focus: told.focus,
        short: shown(&told.short, TEXT_CHARS_MAX),
        told: shown(&told.text, TEXT_CHARS_MAX),
    })
}

pub(crate) async fn cluster_list(
    app: &App,
    id: &str,
    asked: ListAsked,
) -> Result<Clusters, Failed> {
    let clusters = app.of(id, move |crawl| {
        crawl.follower.catch_up(AGE_MAX);
        let view = crawl.follower.view();
        Ok(lists::clusters(
            &view,
            asked.offset.unwrap_or(0),
            asked.limit,
        ))
    });
    clusters.await
}

pub(crate) async fn cluster_pages(app: &App, id: &str, page: u64) -> Result<ClusterPages, Failed> {
    let cluster = app.of(id, move |crawl| {
        crawl.follower.catch_up(AGE_MAX);
        lists::cluster(&crawl.follower.view(), page).ok_or_else(no_page)
    });
    cluster.await
}

pub(crate) async fn compared_pages(
    app: &App,
    id: &str,
    page: u64,
    other: u64,
) -> Result<SideBySide, Failed> {
    let pair = app.of(id, move |crawl| {
        let (kept, beside) = {
            let view = crawl.follower.view();
            let shown = |page| view.rows.page(page).map(|row| lists::page(&view.rows, row));
            (
                shown(page).ok_or_else(no_page)?,
                shown(other).ok_or_else(no_page)?,
            )
        };
        let texts = story::text_of(crawl, page).zip(story::text_of(crawl, other));
        let pieces = texts.map(|(first, second)| report::difference::difference(&first, &second));
        Ok(SideBySide {
            kept,
            other: beside,
            likeness: pieces
                .as_deref()
                .map(|pieces| (report::difference::likeness(pieces) * 1_000.0).round() / 1_000.0),
            pieces: pieces.unwrap_or_default().iter().map(piece).collect(),
        })
    });
    pair.await
}

pub(crate) fn piece(piece: &report::difference::Piece) -> TextPiece {
    use report::difference::Piece;
    let (is, text, skipped) = match piece {
        Piece::Same(text) => ("same", text.as_str(), 0),
        Piece::Removed(text) => ("removed", text.as_str(), 0),
        Piece::Added(text) => ("added", text.as_str(), 0),
        Piece::Skipped(characters) => ("skipped", "", *characters as u64),
    };
    TextPiece {
        is: is.to_owned(),
        text: shown(text, TEXT_CHARS_MAX),
        skipped,
    }
}

pub(crate) async fn comparison(
    app: &App,
    id: &str,
    asked: CompareAsked,
) -> Result<Compared, Failed> {
    let with = asked.with.unwrap_or_default();
    if with == id {
        let why = "a crawl is not compared with itself".to_owned();
        return Err(Failed(StatusCode::BAD_REQUEST, why));
    }
    let other = app.crawl(&with)?;
    let compared = app.of(id, move |crawl| comparing::compared(crawl, &other));
    compared.await
}

pub(crate) async fn change_list(
    app: &App,
    id: &str,
    asked: ChangesAsked,
) -> Result<ChangeList, Failed> {
    app.of(id, move |crawl| changing::told(crawl, &asked)).await
}

pub(crate) fn cannot_mark(error: std::io::Error) -> Failed {
    let why = format!("cannot use audit.jsonl: {error}");
    Failed(StatusCode::INTERNAL_SERVER_ERROR, why)
}

pub(crate) async fn drawn(app: &App, id: &str, asked: SampleAsked) -> Result<Sample, Failed> {
    let sample = app.of(id, move |crawl| {
        crawl.follower.catch_up(AGE_MAX);
        let (marks, audit) = crawl.audit.read().map_err(cannot_mark)?;
        let view = crawl.follower.view();
        let pages = sampling::draw(&view.rows, &marks, asked.n.unwrap_or(10).clamp(1, 50));
        crawl.audit.draw(pages.iter().map(|page| page.page));
        Ok(Sample { pages, audit })
    });
    sample.await
}
