//! The JSON API, `/api/v1/`: what is asked for, read on a thread for that, and given as declared.

use std::time::Duration;

use axum::Json;
use axum::Router;
use axum::extract::State;
use axum::response::sse::{Event, KeepAlive, Sse};
use axum::routing::{get, post};
use futures_util::stream::Stream;
use http::StatusCode;
use report::audit::{Judgement, Mark};
use utoipa::OpenApi;

use crate::answers::{
    ChangeList, ChangesAsked, ClusterPages, Clusters, CompareAsked, Compared, CrawlList,
    ExplainAsked, Explained, Found, Hosts, ListAsked, MarkAsked, PageText, Pages, PagesAsked,
    Problem, Reloaded, RetryAsked, Sample, SampleAsked, SearchAsked, SeedsAsked, SeedsTold,
    Session, SideBySide, ToldCrawl,
};
use crate::app::{App, Asked, At, Failed};
use crate::asking::{
    cannot_mark, change_list, cluster_list, cluster_pages, compared_pages, comparison, crawl_list,
    drawn, explained, found, no_page, page_list, page_text,
};
use crate::clock::unix_ms;
use crate::crawls::AGE_MAX;
use crate::live::Status;
use crate::rows::Fate;
use crate::{lists, steering};

#[cfg(test)]
mod reference;

/// Between two signs of life of a stream in which nothing happens.
const KEEP_ALIVE: Duration = Duration::from_secs(15);

/// The OpenAPI description, made from the functions and types of this crate.
#[derive(Debug, OpenApi)]
#[openapi(
    info(
        title = "Tamis",
        description = "A crawl, while it runs and afterwards. Each list tells by `record` up to which record of \
                       the journal it holds; answers of equal `record` agree.",
        license(name = "MIT OR Apache-2.0")
    ),
    paths(
        session,
        crawls,
        status,
        events,
        hosts,
        search,
        pages,
        page,
        explain,
        clusters,
        cluster,
        side_by_side,
        report,
        compare,
        changes,
        sample,
        audit,
        mark,
        pause,
        resume,
        stop,
        retry,
        reload,
        add_seeds
    ),
    components(schemas(Problem))
)]
struct Description;

/// The OpenAPI description as JSON.
pub fn openapi() -> String {
    let mut description = Description::openapi();
    description.info.version = env!("CARGO_PKG_VERSION").to_owned();
    declare_refusals(&mut description);
    description
        .to_pretty_json()
        .expect("a description is plain data")
}

/// Adds what any request about a crawl may be refused with: it is none (400), there is no such crawl (404), its
/// journal is being read, or too many ask (503).
fn declare_refusals(description: &mut utoipa::openapi::OpenApi) {
    let paths = &mut description.paths.paths;
    let status = paths.get("/api/v1/crawls/{id}/status");
    let declared = status.and_then(|path| path.get.as_ref()?.responses.responses.get("404"));
    let problem = declared.expect("the status declares its problems").clone();
    let of_a_crawl = paths.iter_mut().filter(|(path, _)| path.contains("{id}"));
    for operation in of_a_crawl
        .flat_map(|(_, path)| [&mut path.get, &mut path.post])
        .flatten()
    {
        for refusal in ["400", "404", "503"] {
            let responses = &mut operation.responses.responses;
            responses
                .entry(refusal.to_owned())
                .or_insert_with(|| problem.clone());
        }
    }
}

/// The routes.
pub(crate) fn routes() -> Router<App> {
    let crawl = "/api/v1/crawls/{id}";
    let at = |rest: &str| format!("{crawl}{rest}");
    Router::new()
        .route("/api/openapi.json", get(described))
        .route("/api/v1/session", get(session))
        .route("/api/v1/crawls", get(crawls))
        .route(&at("/status"), get(status))
        .route(&at("/events"), get(events))
        .route(&at("/hosts"), get(hosts))
        .route(&at("/search"), get(search))
        .route(&at("/pages"), get(pages))
        .route(&at("/pages/{page}"), get(page))
        .route(&at("/explain"), get(explain))
        .route(&at("/clusters"), get(clusters))
        .route(&at("/clusters/{page}"), get(cluster))
        .route(&at("/clusters/{page}/{other}"), get(side_by_side))
        .route(&at("/report"), get(report))
        .route(&at("/compare"), get(compare))
        .route(&at("/changes"), get(changes))
        .route(&at("/audit"), get(audit))
        .route(&at("/audit/sample"), get(sample))
        .route(&at("/audit/marks"), post(mark))
        .route(&at("/pause"), post(pause))
        .route(&at("/resume"), post(resume))
        .route(&at("/stop"), post(stop))
        .route(&at("/retry"), post(retry))
        .route(&at("/reload"), post(reload))
        .route(&at("/seeds"), post(add_seeds))
}

type Answer<T> = Result<Json<T>, Failed>;

async fn described() -> ([(http::HeaderName, &'static str); 1], String) {
    let json = (http::header::CONTENT_TYPE, "application/json");
    ([json], openapi())
}

/// The server, and the secret that POST requests carry.
#[utoipa::path(get, path = "/api/v1/session", responses((status = 200, body = Session)))]
async fn session(State(app): State<App>) -> Json<Session> {
    Json(Session {
        version: env!("CARGO_PKG_VERSION").to_owned(),
        csrf: app.guard.csrf().to_owned(),
    })
}

/// The crawls of this server.
#[utoipa::path(get, path = "/api/v1/crawls", responses((status = 200, body = CrawlList)))]
async fn crawls(State(app): State<App>) -> Answer<CrawlList> {
    Ok(Json(crawl_list(&app).await?))
}

/// What the crawl does now.
#[utoipa::path(get, path = "/api/v1/crawls/{id}/status", params(("id" = String, Path)),
    responses((status = 200, body = Status), (status = 404, body = Problem), (status = 503, body = Problem)))]
async fn status(State(app): State<App>, At(id): At<String>) -> Answer<Status> {
    Ok(Json(app.of(&id, |crawl| Ok(crawl.status())).await?))
}

/// The status again and again, as server-sent events named `status`: when it changes, at most once a second.
#[utoipa::path(get, path = "/api/v1/crawls/{id}/events", params(("id" = String, Path)),
    responses((status = 200, content_type = "text/event-stream", body = String), (status = 503, body = Problem)))]
async fn events(
    State(app): State<App>,
    At(id): At<String>,
) -> Result<Sse<impl Stream<Item = Result<Event, std::convert::Infallible>>>, Failed> {
    let crawl = app.crawl(&id)?;
    let Some(watcher) = app.watcher(&crawl) else {
        let why = "too many watch already: ask again later".to_owned();
        return Err(Failed(StatusCode::SERVICE_UNAVAILABLE, why));
    };
    let mut told = crawl.subscribe();
    // What was told last is news for who comes now.
    if !told.borrow().is_empty() {
        told.mark_changed();
    }
    let begin = (told, app.stop.clone(), watcher);
    let stream = futures_util::stream::unfold(begin, |(mut told, mut stop, watcher)| async move {
        // What is told last of all is told before the end.
        tokio::select! {
            biased;
            changed = told.changed() => changed.ok()?,
            _ = stop.wait_for(|stop| *stop) => return None,
        }
        let status = told.borrow_and_update().to_string();
        let event = Event::default().event("status").data(status);
        Some((Ok(event), (told, stop, watcher)))
    });
    Ok(Sse::new(stream).keep_alive(KeepAlive::new().interval(KEEP_ALIVE)))
}

/// The hosts, with why they wait and when they go on.
#[utoipa::path(get, path = "/api/v1/crawls/{id}/hosts", params(("id" = String, Path), ListAsked),
    responses((status = 200, body = Hosts), (status = 400, body = Problem)))]
async fn hosts(
    State(app): State<App>,
    At(id): At<String>,
    Asked(asked): Asked<ListAsked>,
) -> Answer<Hosts> {
    let hosts = app.of(&id, move |crawl| {
        let status = crawl.status();
        Ok(lists::hosts(
            crawl,
            &status,
            asked.offset.unwrap_or(0),
            asked.limit,
        ))
    });
    Ok(Json(hosts.await?))
}

/// Full-text search over the kept pages.
#[utoipa::path(get, path = "/api/v1/crawls/{id}/search", params(("id" = String, Path), SearchAsked),
    responses((status = 200, body = Found), (status = 400, body = Problem)))]
async fn search(
    State(app): State<App>,
    At(id): At<String>,
    Asked(asked): Asked<SearchAsked>,
) -> Answer<Found> {
    Ok(Json(found(&app, &id, asked).await?))
}

/// Pages that were kept, dropped or could not be had.
#[utoipa::path(get, path = "/api/v1/crawls/{id}/pages", params(("id" = String, Path), PagesAsked),
    responses((status = 200, body = Pages), (status = 400, body = Problem)))]
async fn pages(
    State(app): State<App>,
    At(id): At<String>,
    Asked(asked): Asked<PagesAsked>,
) -> Answer<Pages> {
    Ok(Json(page_list(&app, &id, asked).await?))
}

/// A page with its text.
#[utoipa::path(get, path = "/api/v1/crawls/{id}/pages/{page}",
    params(("id" = String, Path), ("page" = u64, Path)),
    responses((status = 200, body = PageText), (status = 400, body = Problem), (status = 404, body = Problem)))]
async fn page(State(app): State<App>, At((id, page)): At<(String, u64)>) -> Answer<PageText> {
    Ok(Json(page_text(&app, &id, page).await?))
}

/// One URL's whole story. The journal is read from its beginning, so one is told at a time.
#[utoipa::path(get, path = "/api/v1/crawls/{id}/explain", params(("id" = String, Path), ExplainAsked),
    responses((status = 200, body = Explained), (status = 400, body = Problem), (status = 503, body = Problem)))]
async fn explain(
    State(app): State<App>,
    At(id): At<String>,
    Asked(asked): Asked<ExplainAsked>,
) -> Answer<Explained> {
    Ok(Json(explained(&app, &id, asked).await?))
}

/// Clusters of duplicates.
#[utoipa::path(get, path = "/api/v1/crawls/{id}/clusters", params(("id" = String, Path), ListAsked),
    responses((status = 200, body = Clusters)))]
async fn clusters(
    State(app): State<App>,
    At(id): At<String>,
    Asked(asked): Asked<ListAsked>,
) -> Answer<Clusters> {
    Ok(Json(cluster_list(&app, &id, asked).await?))
}

/// One cluster, by the number of any of its pages.
#[utoipa::path(get, path = "/api/v1/crawls/{id}/clusters/{page}",
    params(("id" = String, Path), ("page" = u64, Path)),
    responses((status = 200, body = ClusterPages), (status = 404, body = Problem)))]
async fn cluster(
    State(app): State<App>,
    At((id, page)): At<(String, u64)>,
) -> Answer<ClusterPages> {
    Ok(Json(cluster_pages(&app, &id, page).await?))
}

/// Two pages side by side, with their differences.
#[utoipa::path(get, path = "/api/v1/crawls/{id}/clusters/{page}/{other}",
    params(("id" = String, Path), ("page" = u64, Path), ("other" = u64, Path)),
    responses((status = 200, body = SideBySide), (status = 404, body = Problem)))]
async fn side_by_side(
    State(app): State<App>,
    At((id, page, other)): At<(String, u64, u64)>,
) -> Answer<SideBySide> {
    Ok(Json(compared_pages(&app, &id, page, other).await?))
}

/// The figures of the crawl, exactly as `tamis report --format json` gives them.
#[utoipa::path(get, path = "/api/v1/crawls/{id}/report", params(("id" = String, Path)),
    responses((status = 200, body = Object)))]
async fn report(State(app): State<App>, At(id): At<String>) -> Answer<report::CrawlReport> {
    let report = app.of(&id, |crawl| {
        crawl.follower.catch_up(AGE_MAX);
        Ok(crawl.report())
    });
    Ok(Json(report.await?))
}

/// This crawl and another one: figures, and pages that differ.
#[utoipa::path(get, path = "/api/v1/crawls/{id}/compare", params(("id" = String, Path), CompareAsked),
    responses((status = 200, body = Compared), (status = 400, body = Problem), (status = 404, body = Problem)))]
async fn compare(
    State(app): State<App>,
    At(id): At<String>,
    Asked(asked): Asked<CompareAsked>,
) -> Answer<Compared> {
    Ok(Json(comparison(&app, &id, asked).await?))
}

/// What the crawl found when it came back. The journal is read from its beginning, so one is told at a time.
#[utoipa::path(get, path = "/api/v1/crawls/{id}/changes", params(("id" = String, Path), ChangesAsked),
    responses((status = 200, body = ChangeList)))]
async fn changes(
    State(app): State<App>,
    At(id): At<String>,
    Asked(asked): Asked<ChangesAsked>,
) -> Answer<ChangeList> {
    Ok(Json(change_list(&app, &id, asked).await?))
}

/// What the marks say so far.
#[utoipa::path(get, path = "/api/v1/crawls/{id}/audit", params(("id" = String, Path)),
    responses((status = 200, body = Object)))]
async fn audit(State(app): State<App>, At(id): At<String>) -> Answer<report::audit::Audit> {
    let audit = app.of(&id, |crawl| crawl.audit.read().map_err(cannot_mark));
    Ok(Json(audit.await?.1))
}

/// Pages drawn at random that nobody has marked yet.
#[utoipa::path(get, path = "/api/v1/crawls/{id}/audit/sample", params(("id" = String, Path), SampleAsked),
    responses((status = 200, body = Sample)))]
async fn sample(
    State(app): State<App>,
    At(id): At<String>,
    Asked(asked): Asked<SampleAsked>,
) -> Answer<Sample> {
    Ok(Json(drawn(&app, &id, asked).await?))
}

/// A mark that says more than is so: nothing of it is kept.
fn not_drawn() -> Failed {
    let why = "this page was not drawn by audit/sample since the server started: draw anew, or send the mark without \
               sampled";
    Failed(StatusCode::CONFLICT, why.to_owned())
}

/// Says whether a decision is right; kept in `audit.jsonl`, synced before this is answered. A mark with `sampled` on a
/// page that was not drawn is refused.
#[utoipa::path(post, path = "/api/v1/crawls/{id}/audit/marks", params(("id" = String, Path)),
    request_body = MarkAsked, responses((status = 200, body = Object), (status = 400, body = Problem),
    (status = 404, body = Problem), (status = 409, body = Problem)))]
async fn mark(
    State(app): State<App>,
    At(id): At<String>,
    body: Result<Json<MarkAsked>, axum::extract::rejection::JsonRejection>,
) -> Answer<report::audit::Audit> {
    let Json(asked) = body.map_err(bad_body)?;
    let said = match asked.mark.as_str() {
        "right" => Judgement::Right,
        "wrong" => Judgement::Wrong,
        "skip" => Judgement::Skip,
        _ => {
            let why = "mark is right, wrong or skip".to_owned();
            return Err(Failed(StatusCode::BAD_REQUEST, why));
        }
    };
    let audit = app.of(&id, move |crawl| {
        let mark = {
            let view = crawl.follower.view();
            let row = view.rows.page(asked.page).ok_or_else(no_page)?;
            if row.fate == Fate::Failed {
                return Err(no_page());
            }
            if asked.sampled && !crawl.audit.was_drawn(row.page) {
                return Err(not_drawn());
            }
            Mark {
                at_ms: unix_ms(),
                page: row.page,
                url: row.url.to_string(),
                was: row.fate.name().to_owned(),
                reason: view.rows.names.get(row.reason).to_owned(),
                mark: said,
                sampled: asked.sampled,
            }
        };
        crawl.audit.add(mark).map_err(cannot_mark)?;
        Ok(crawl.audit.read().map_err(cannot_mark)?.1)
    });
    Ok(Json(audit.await?))
}

fn bad_body(rejection: axum::extract::rejection::JsonRejection) -> Failed {
    Failed(StatusCode::BAD_REQUEST, rejection.body_text())
}

/// Lets the crawl begin no new fetch.
#[utoipa::path(post, path = "/api/v1/crawls/{id}/pause", params(("id" = String, Path)),
    responses((status = 200, body = ToldCrawl), (status = 409, body = Problem)))]
async fn pause(State(app): State<App>, At(id): At<String>) -> Answer<ToldCrawl> {
    Ok(Json(app.of(&id, steering::pause).await?))
}

/// Lets a paused crawl go on.
#[utoipa::path(post, path = "/api/v1/crawls/{id}/resume", params(("id" = String, Path)),
    responses((status = 200, body = ToldCrawl), (status = 409, body = Problem)))]
async fn resume(State(app): State<App>, At(id): At<String>) -> Answer<ToldCrawl> {
    Ok(Json(app.of(&id, steering::resume).await?))
}

/// Stops the crawl cleanly.
#[utoipa::path(post, path = "/api/v1/crawls/{id}/stop", params(("id" = String, Path)),
    responses((status = 200, body = ToldCrawl), (status = 409, body = Problem)))]
async fn stop(State(app): State<App>, At(id): At<String>) -> Answer<ToldCrawl> {
    Ok(Json(app.of(&id, steering::stop).await?))
}

/// Puts failed URLs back into the queue, of a running crawl or a stopped one.
#[utoipa::path(post, path = "/api/v1/crawls/{id}/retry", params(("id" = String, Path)),
    request_body = RetryAsked,
    responses((status = 200, body = ToldCrawl), (status = 400, body = Problem), (status = 409, body = Problem)))]
async fn retry(
    State(app): State<App>,
    At(id): At<String>,
    body: Result<Json<RetryAsked>, axum::extract::rejection::JsonRejection>,
) -> Answer<ToldCrawl> {
    let Json(asked) = body.map_err(bad_body)?;
    let told = app.of(&id, move |crawl| steering::retry(crawl, &asked));
    Ok(Json(told.await?))
}

/// Has the crawl read its configuration and seed lists anew. Where they differ it finishes what is under
/// way, and goes on with the new ones; with a mistake in them it goes on as it is, and the answer is 409.
#[utoipa::path(post, path = "/api/v1/crawls/{id}/reload", params(("id" = String, Path)),
    responses((status = 200, body = Reloaded), (status = 409, body = Problem)))]
async fn reload(State(app): State<App>, At(id): At<String>) -> Answer<Reloaded> {
    Ok(Json(app.of(&id, steering::reload).await?))
}

/// Gives a running crawl further seeds, recorded before this is answered. With a bad line, none is taken.
#[utoipa::path(post, path = "/api/v1/crawls/{id}/seeds", params(("id" = String, Path)),
    request_body = SeedsAsked,
    responses((status = 200, body = SeedsTold), (status = 400, body = Problem), (status = 409, body = Problem)))]
async fn add_seeds(
    State(app): State<App>,
    At(id): At<String>,
    body: Result<Json<SeedsAsked>, axum::extract::rejection::JsonRejection>,
) -> Answer<SeedsTold> {
    let Json(asked) = body.map_err(bad_body)?;
    let told = app.of(&id, move |crawl| steering::add_seeds(crawl, &asked));
    Ok(Json(told.await?))
}
