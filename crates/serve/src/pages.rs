//! Pages for people: made whole on the server, so that they can be read without scripts; a script
//! keeps them up to date and answers keys. Each view is a function from an answer of the API to markup.

mod changes;
mod judge;
mod layout;
mod lists;
mod overview;
mod problems;
mod texts;
pub(crate) mod words;

use std::sync::LazyLock;

use axum::Router;
use axum::extract::{Path, State};
use axum::response::{Html, IntoResponse, Redirect, Response};
use axum::routing::get;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use http::{HeaderMap, HeaderValue, StatusCode, Uri, header};
use maud::Markup;
use sha2::{Digest, Sha256};

use crate::answers::{
    ChangesAsked, CompareAsked, ExplainAsked, ListAsked, PagesAsked, SampleAsked, SearchAsked,
};
use crate::app::{App, Asked, Failed, POLICY};
use crate::asking;
use crate::crawls::AGE_MAX;
use crate::story;
use layout::{Shell, Tab};
use words::Words;

const STYLE: &str = include_str!("pages/style.css");
const ICON: &str = include_str!("pages/icon.svg");
const SCRIPT: &str = include_str!("pages/script.js");

/// Pages in the list of the best.
const FINDS: usize = 8;

/// The routes.
pub(crate) fn routes() -> Router<App> {
    let at = |rest: &str| format!("/c/{{id}}{rest}");
    Router::new()
        .route("/", get(index))
        .route("/favicon.ico", get(icon))
        .route("/assets/style.css", get(style))
        .route("/assets/script.js", get(script))
        .route(&at(""), get(overview_page))
        .route(&at("/pages"), get(pages_page))
        .route(&at("/pages/{page}"), get(text_page))
        .route(&at("/search"), get(search_page))
        .route(&at("/explain"), get(explain_page))
        .route(&at("/clusters"), get(clusters_page))
        .route(&at("/clusters/{page}"), get(cluster_page))
        .route(&at("/clusters/{page}/{other}"), get(pair_page))
        .route(&at("/report"), get(report_page))
        .route(&at("/compare"), get(compare_page))
        .route(&at("/changes"), get(changes_page))
        .route(&at("/audit"), get(audit_page))
}

/// A page, or one that says why there is none.
type Page = Result<Response, Instead>;

/// What is shown instead of a page; boxed, since it is large and seldom.
struct Instead(Box<Response>);

impl IntoResponse for Instead {
    fn into_response(self) -> Response {
        *self.0
    }
}

async fn style() -> impl IntoResponse {
    asset("text/css; charset=utf-8", STYLE)
}

async fn script() -> impl IntoResponse {
    asset("text/javascript; charset=utf-8", SCRIPT)
}

async fn icon() -> impl IntoResponse {
    asset("image/svg+xml", ICON)
}

fn asset(kind: &'static str, body: &'static str) -> impl IntoResponse {
    let headers = [
        (header::CONTENT_TYPE, kind),
        (header::CACHE_CONTROL, "private, max-age=3600"),
    ];
    (headers, body)
}

/// A number that differs where style, script or icon do: pages ask for them with it, so that a browser
/// takes none of another version from its cache.
pub(crate) fn assets_version() -> &'static str {
    static VERSION: LazyLock<String> = LazyLock::new(|| {
        let digest = [STYLE, SCRIPT, ICON]
            .into_iter()
            .fold(Sha256::new(), |digest, asset| digest.chain_update(asset))
            .finalize();
        digest[..6]
            .iter()
            .map(|byte| format!("{byte:02x}"))
            .collect()
    });
    &VERSION
}

/// Only one crawl: its overview; else the list.
async fn index(State(app): State<App>, headers: HeaderMap) -> Page {
    if let [only] = app.crawls.all.as_slice() {
        // A header holds ASCII alone.
        let id: String = url::form_urlencoded::byte_serialize(only.id.as_bytes()).collect();
        return Ok(Redirect::to(&format!("/c/{id}")).into_response());
    }
    let words = words::of(&headers);
    let list = asking::crawl_list(&app).await;
    let list = list.map_err(|failed| problem(&app, words, None, failed))?;
    let shell = Shell::new(&app, words, None, Tab::None);
    Ok(page(
        shell.whole(words.crawls, &overview::crawls(words, &list)),
    ))
}

fn page(markup: Markup) -> Response {
    Html(markup.into_string()).into_response()
}

/// A page that says why there is no other.
fn problem(app: &App, words: &'static Words, id: Option<&str>, failed: Failed) -> Instead {
    let Failed(status, why) = failed;
    let is_reading = status == StatusCode::SERVICE_UNAVAILABLE
        && id
            .and_then(|id| app.crawls.get(id))
            .is_some_and(|crawl| !crawl.follower.is_ready());
    let why = if is_reading {
        words.reading.to_owned()
    } else {
        words.problem_of(&why)
    };
    let shell = Shell::new(app, words, id, Tab::None);
    let mut response = page(shell.whole(words.problem, &layout::problem(words, &why)));
    *response.status_mut() = status;
    if is_reading {
        let again = HeaderValue::from_static("2");
        response.headers_mut().insert(header::REFRESH, again);
    }
    Instead(Box::new(response))
}

/// What is answered where nothing is: a page to a browser that looks for one, else JSON.
pub(crate) async fn unknown(State(app): State<App>, uri: Uri, headers: HeaderMap) -> Response {
    let failed = Failed(StatusCode::NOT_FOUND, "there is nothing here".to_owned());
    let path = uri.path();
    if path == "/api" || path.starts_with("/api/") || !wants_page(&headers) {
        return failed.into_response();
    }
    let id = path
        .strip_prefix("/c/")
        .and_then(|rest| rest.split('/').next());
    let id = id.filter(|id| app.crawls.get(id).is_some());
    problem(&app, words::of(&headers), id, failed).into_response()
}

/// Whether who asks shows pages to people: browsers name HTML, and programs do not.
fn wants_page(headers: &HeaderMap) -> bool {
    let accepted = headers.get(header::ACCEPT);
    let accepted = accepted.and_then(|accepted| accepted.to_str().ok());
    accepted.is_some_and(|accepted| accepted.contains("text/html"))
}

/// The number of a page in an address.
fn numbered(text: &str) -> Result<u64, Failed> {
    text.parse().map_err(|_| asking::no_page())
}

/// One request for a view of a crawl.
struct View<'a> {
    app: &'a App,
    words: &'static Words,
    id: &'a str,
}

impl<'a> View<'a> {
    fn new(app: &'a App, headers: &HeaderMap, id: &'a str) -> Self {
        Self {
            app,
            words: words::of(headers),
            id,
        }
    }

    fn failed(&self) -> impl Fn(Failed) -> Instead + '_ {
        |failed| problem(self.app, self.words, Some(self.id), failed)
    }

    fn shown(&self, tab: Tab, title: &str, body: &Markup) -> Page {
        let shell = Shell::new(self.app, self.words, Some(self.id), tab);
        Ok(page(shell.whole(title, body)))
    }
}

async fn overview_page(State(app): State<App>, Path(id): Path<String>, headers: HeaderMap) -> Page {
    let view = View::new(&app, &headers, &id);
    let status = app.of(&id, |crawl| Ok(crawl.status())).await;
    let status = status.map_err(view.failed())?;
    let best = |page_type: Option<&str>| PagesAsked {
        verdict: Some("kept".to_owned()),
        page_type: page_type.map(str::to_owned),
        limit: Some(FINDS),
        ..PagesAsked::default()
    };
    // Articles are what people look for; a page of links to them is as relevant, and says less.
    let articles = asking::page_list(&app, &id, best(Some("article"))).await;
    let mut best_finds = articles.map_err(view.failed())?;
    if best_finds.pages.len() < FINDS {
        let all = asking::page_list(&app, &id, best(None)).await;
        let all = all.map_err(view.failed())?.pages.into_iter();
        let is_new = |page: &crate::answers::Page| page.page_type != "article";
        best_finds.pages.extend(all.filter(is_new));
        best_finds.pages.truncate(FINDS);
    }
    let body = overview::overview(view.words, &id, &status, &best_finds);
    view.shown(Tab::Overview, view.words.overview, &body)
}

async fn pages_page(
    State(app): State<App>,
    Path(id): Path<String>,
    headers: HeaderMap,
    asked: Result<Asked<PagesAsked>, Failed>,
) -> Page {
    let view = View::new(&app, &headers, &id);
    let Asked(asked) = asked.map_err(view.failed())?;
    let found = asking::page_list(&app, &id, asked.clone()).await;
    let found = found.map_err(view.failed())?;
    view.shown(
        Tab::Pages,
        view.words.pages,
        &lists::pages(view.words, &id, &asked, &found),
    )
}

async fn text_page(
    State(app): State<App>,
    Path((id, number)): Path<(String, String)>,
    headers: HeaderMap,
) -> Page {
    let view = View::new(&app, &headers, &id);
    let number = numbered(&number).map_err(view.failed())?;
    let found = asking::page_text(&app, &id, number).await;
    let found = found.map_err(view.failed())?;
    view.shown(
        Tab::Pages,
        &found.page.title,
        &texts::page(view.words, &id, &found),
    )
}

async fn search_page(
    State(app): State<App>,
    Path(id): Path<String>,
    headers: HeaderMap,
    asked: Result<Asked<SearchAsked>, Failed>,
) -> Page {
    let view = View::new(&app, &headers, &id);
    let Asked(asked) = asked.map_err(view.failed())?;
    let found = match crate::lists::filled(&asked.q) {
        Some(_) => {
            let found = asking::found(&app, &id, asked.clone()).await;
            Some(found.map_err(view.failed())?)
        }
        None => None,
    };
    let body = lists::search(view.words, &id, &asked, found.as_ref());
    view.shown(Tab::Search, view.words.search, &body)
}

async fn explain_page(
    State(app): State<App>,
    Path(id): Path<String>,
    headers: HeaderMap,
    asked: Result<Asked<ExplainAsked>, Failed>,
) -> Page {
    let view = View::new(&app, &headers, &id);
    let Asked(asked) = asked.map_err(view.failed())?;
    let typed = crate::lists::filled(&asked.url)
        .unwrap_or_default()
        .to_owned();
    let asked = ExplainAsked {
        lang: asked
            .lang
            .or_else(|| view.words.is_chinese().then(|| "zh".to_owned())),
        ..asked
    };
    let told = match typed.is_empty() {
        true => None,
        false => Some(asking::explained(&app, &id, asked).await),
    };
    // What was typed stays in the form, so that it can be mended there.
    let (told, problem) = match told {
        Some(Err(Failed(StatusCode::BAD_REQUEST, why))) => (None, Some(why)),
        Some(Err(failed)) => return Err(view.failed()(failed)),
        Some(Ok(told)) => (Some(told), None),
        None => (None, None),
    };
    let known = match &told {
        Some(told) => {
            let url = told.url.clone();
            let page = app.of(&id, move |crawl| Ok(asking::page_of_url(crawl, &url)));
            page.await.map_err(view.failed())?
        }
        None => None,
    };
    let typed = texts::Typed {
        url: &typed,
        problem: problem.as_deref(),
    };
    let body = texts::explain(view.words, &id, &typed, told.as_ref(), known.as_ref());
    let mut shown = view.shown(Tab::Explain, view.words.explain, &body)?;
    if typed.problem.is_some() {
        *shown.status_mut() = StatusCode::BAD_REQUEST;
    }
    Ok(shown)
}

async fn clusters_page(
    State(app): State<App>,
    Path(id): Path<String>,
    headers: HeaderMap,
    asked: Result<Asked<ListAsked>, Failed>,
) -> Page {
    let view = View::new(&app, &headers, &id);
    let Asked(asked) = asked.map_err(view.failed())?;
    let offset = asked.offset.unwrap_or(0);
    let found = asking::cluster_list(&app, &id, asked).await;
    let found = found.map_err(view.failed())?;
    let body = judge::clusters(view.words, &id, offset, &found);
    view.shown(Tab::Duplicates, view.words.duplicates, &body)
}

async fn cluster_page(
    State(app): State<App>,
    Path((id, number)): Path<(String, String)>,
    headers: HeaderMap,
) -> Page {
    let view = View::new(&app, &headers, &id);
    let number = numbered(&number).map_err(view.failed())?;
    let found = asking::cluster_pages(&app, &id, number).await;
    let found = found.map_err(view.failed())?;
    view.shown(
        Tab::Duplicates,
        view.words.duplicates,
        &judge::cluster(view.words, &id, &found),
    )
}

async fn pair_page(
    State(app): State<App>,
    Path((id, number, other)): Path<(String, String, String)>,
    headers: HeaderMap,
) -> Page {
    let view = View::new(&app, &headers, &id);
    let number = numbered(&number).map_err(view.failed())?;
    let other = numbered(&other).map_err(view.failed())?;
    let pair = asking::compared_pages(&app, &id, number, other).await;
    let pair = pair.map_err(view.failed())?;
    view.shown(
        Tab::Duplicates,
        view.words.side_by_side,
        &judge::pair(view.words, &id, &pair),
    )
}

/// The report's one file; its own style and script are allowed by their hashes.
async fn report_page(State(app): State<App>, Path(id): Path<String>, headers: HeaderMap) -> Page {
    let view = View::new(&app, &headers, &id);
    let tongue = view.words.tongue();
    let file = app.of(&id, move |crawl| {
        crawl.follower.catch_up(AGE_MAX);
        let report = crawl.report();
        let texts = |page: u64| story::text_of(crawl, page);
        Ok(report::html::render_in(tongue, &report, &texts))
    });
    let file = file.await.map_err(view.failed())?;
    let policy = POLICY
        .replace(
            "style-src 'self'",
            &format!("style-src 'self'{}", hashes(&file, "style")),
        )
        .replace(
            "script-src 'self'",
            &format!("script-src 'self'{}", hashes(&file, "script")),
        );
    let mut response = Html(file).into_response();
    if let Ok(policy) = HeaderValue::from_str(&policy) {
        response
            .headers_mut()
            .insert(header::CONTENT_SECURITY_POLICY, policy);
    }
    Ok(response)
}

/// The hashes of what stands in elements of this name. Texts of strangers are escaped in the file, so
/// all of them are ours.
fn hashes(file: &str, element: &str) -> String {
    let (open, close) = (format!("<{element}>"), format!("</{element}>"));
    let mut hashes = String::new();
    for part in file.split(&open).skip(1).take(8) {
        let inside = part.split(&close).next().unwrap_or_default();
        let hash = STANDARD.encode(Sha256::digest(inside.as_bytes()));
        hashes.push_str(&format!(" 'sha256-{hash}'"));
    }
    hashes
}

async fn compare_page(
    State(app): State<App>,
    Path(id): Path<String>,
    headers: HeaderMap,
    asked: Result<Asked<CompareAsked>, Failed>,
) -> Page {
    let view = View::new(&app, &headers, &id);
    let Asked(asked) = asked.map_err(view.failed())?;
    let others: Vec<String> = app
        .crawls
        .all
        .iter()
        .filter(|crawl| crawl.id != id)
        .map(|crawl| crawl.id.clone())
        .collect();
    let with = crate::lists::filled(&asked.with).map(str::to_owned);
    let compared = match &with {
        Some(_) => Some(
            asking::comparison(&app, &id, asked)
                .await
                .map_err(view.failed())?,
        ),
        None => None,
    };
    let body = judge::compare(view.words, &id, &others, with.as_deref(), compared.as_ref());
    view.shown(Tab::Compare, view.words.compare, &body)
}

async fn changes_page(
    State(app): State<App>,
    Path(id): Path<String>,
    headers: HeaderMap,
    asked: Result<Asked<ChangesAsked>, Failed>,
) -> Page {
    let view = View::new(&app, &headers, &id);
    let Asked(asked) = asked.map_err(view.failed())?;
    let found = asking::change_list(&app, &id, asked.clone()).await;
    let found = found.map_err(view.failed())?;
    let body = changes::changes(view.words, &id, &asked, &found);
    view.shown(Tab::Changes, view.words.changes, &body)
}

async fn audit_page(State(app): State<App>, Path(id): Path<String>, headers: HeaderMap) -> Page {
    let view = View::new(&app, &headers, &id);
    let drawn = asking::drawn(&app, &id, SampleAsked { n: Some(1) }).await;
    let drawn = drawn.map_err(view.failed())?;
    view.shown(
        Tab::Audit,
        view.words.audit,
        &judge::audit(view.words, &id, &drawn),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_stands_in_the_report_is_allowed_by_its_hash_alone() {
        let file = "<style>a{}</style><p>&lt;style&gt;</p><script>x</script>";
        let hash = |text: &str| STANDARD.encode(Sha256::digest(text.as_bytes()));
        assert_eq!(hashes(file, "style"), format!(" 'sha256-{}'", hash("a{}")));
        assert_eq!(hashes(file, "script"), format!(" 'sha256-{}'", hash("x")));
        assert_eq!(hashes("no such thing", "style"), "");
    }
}
