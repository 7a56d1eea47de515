//! What all requests share: the crawls, the door, the bounds; and how a request is refused.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use axum::Router;
use axum::body::Body;
use axum::extract::{FromRequestParts, Request, State};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use http::header::{self, HeaderName, HeaderValue};
use http::request::Parts;
use http::{Method, StatusCode};
use serde::de::DeserializeOwned;

use crate::answers::Problem;
use crate::crawls::{Crawls, Served};
use crate::guard::{BODY_BYTES_MAX, Guard, Pass};
use crate::jobs::{Jobs, NotDone};

/// How long the body of a request may take.
const BODY_TIME_MAX: Duration = Duration::from_secs(5);

/// How long an answer may take to begin.
const ANSWER_TIME_MAX: Duration = Duration::from_secs(150);

/// Watchers at once, over all crawls.
pub(crate) const WATCHERS_MAX: usize = 128;

/// What all requests share.
#[derive(Debug, Clone)]
pub(crate) struct App {
    pub(crate) crawls: Arc<Crawls>,
    pub(crate) guard: Arc<Guard>,
    pub(crate) jobs: Jobs,
    pub(crate) watchers: Arc<AtomicUsize>,
    pub(crate) stop: tokio::sync::watch::Receiver<bool>,
    pub(crate) waker: std::thread::Thread,
}

/// A request that cannot be answered, as JSON.
#[derive(Debug)]
pub(crate) struct Failed(pub(crate) StatusCode, pub(crate) String);

impl IntoResponse for Failed {
    fn into_response(self) -> Response {
        let problem = axum::Json(Problem { error: self.1 });
        let mut response = (self.0, problem).into_response();
        if self.0 == StatusCode::SERVICE_UNAVAILABLE {
            let later = HeaderValue::from_static("2");
            response.headers_mut().insert(header::RETRY_AFTER, later);
        }
        response
    }
}

impl From<NotDone> for Failed {
    fn from(not_done: NotDone) -> Self {
        match not_done {
            NotDone::Busy => Failed(
                StatusCode::SERVICE_UNAVAILABLE,
                "too many requests wait: ask again in a moment".to_owned(),
            ),
            NotDone::Failed => Failed(
                StatusCode::INTERNAL_SERVER_ERROR,
                "a mistake in this program; the log has more".to_owned(),
            ),
        }
    }
}

impl App {
    /// A crawl by its name, once its journal was read.
    pub(crate) fn crawl(&self, id: &str) -> Result<Arc<Served>, Failed> {
        let Some(crawl) = self.crawls.get(id) else {
            let why = "no crawl of that name is served here".to_owned();
            return Err(Failed(StatusCode::NOT_FOUND, why));
        };
        if !crawl.follower.is_ready() {
            let why = "the journal is being read: ask again in a moment".to_owned();
            return Err(Failed(StatusCode::SERVICE_UNAVAILABLE, why));
        }
        Ok(Arc::clone(crawl))
    }

    /// Answers from a crawl, on a thread that may read files.
    pub(crate) async fn of<T: Send + 'static>(
        &self,
        id: &str,
        work: impl FnOnce(&Served) -> Result<T, Failed> + Send + 'static,
    ) -> Result<T, Failed> {
        let crawl = self.crawl(id)?;
        self.jobs.run(move || work(&crawl)).await?
    }

    /// A place among the watchers, if there is one.
    pub(crate) fn watcher(&self, of: &Served) -> Option<Watcher> {
        let room = |count: usize| (count < WATCHERS_MAX).then_some(count + 1);
        let all = &self.watchers;
        all.fetch_update(Ordering::SeqCst, Ordering::SeqCst, room)
            .ok()?;
        of.watchers.fetch_add(1, Ordering::SeqCst);
        of.is_awaited.store(true, Ordering::SeqCst);
        self.waker.unpark();
        Some(Watcher([Arc::clone(all), Arc::clone(&of.watchers)]))
    }
}

/// A place among the watchers; given back when dropped.
#[derive(Debug)]
pub(crate) struct Watcher([Arc<AtomicUsize>; 2]);

impl Drop for Watcher {
    fn drop(&mut self) {
        for count in &self.0 {
            count.fetch_sub(1, Ordering::SeqCst);
        }
    }
}

/// The query of a request; what is not known is told.
pub(crate) struct Asked<T>(pub(crate) T);

impl<T: DeserializeOwned, S: Send + Sync> FromRequestParts<S> for Asked<T> {
    type Rejection = Failed;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Failed> {
        let query = axum::extract::Query::<T>::from_request_parts(parts, state).await;
        match query {
            Ok(axum::extract::Query(asked)) => Ok(Self(asked)),
            Err(error) => Err(Failed(StatusCode::BAD_REQUEST, error.body_text())),
        }
    }
}

/// What the path of a request names; what is no number is told.
pub(crate) struct At<T>(pub(crate) T);

impl<T: DeserializeOwned + Send, S: Send + Sync> FromRequestParts<S> for At<T> {
    type Rejection = Failed;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Failed> {
        let path = axum::extract::Path::<T>::from_request_parts(parts, state).await;
        match path {
            Ok(axum::extract::Path(at)) => Ok(Self(at)),
            Err(error) => Err(Failed(error.status(), error.body_text())),
        }
    }
}

/// The policy of all answers: nothing from elsewhere, no inline script or style, no frame.
pub(crate) const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; \
     img-src 'self' data:; frame-ancestors 'none'; base-uri 'none'; form-action 'self'";

/// Puts the door and the bounds before all routes.
pub(crate) fn guarded(router: Router<App>, app: &App) -> Router {
    let layer = axum::middleware::from_fn_with_state(app.clone(), door);
    router.layer(layer).with_state(app.clone())
}

async fn door(State(app): State<App>, request: Request, next: Next) -> Response {
    let mut response = pass(&app, request, next).await;
    let headers = response.headers_mut();
    let fixed = [
        (header::CONTENT_SECURITY_POLICY, POLICY),
        (header::CACHE_CONTROL, "no-store"),
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (header::X_FRAME_OPTIONS, "DENY"),
        (header::REFERRER_POLICY, "no-referrer"),
        (
            HeaderName::from_static("cross-origin-opener-policy"),
            "same-origin",
        ),
        (
            HeaderName::from_static("cross-origin-resource-policy"),
            "same-origin",
        ),
        (
            HeaderName::from_static("permissions-policy"),
            "camera=(), geolocation=(), microphone=()",
        ),
    ];
    for (name, value) in fixed {
        headers
            .entry(name)
            .or_insert(HeaderValue::from_static(value));
    }
    response
}

async fn pass(app: &App, request: Request, next: Next) -> Response {
    let (parts, body) = request.into_parts();
    match app.guard.check(&parts) {
        Ok(Pass::In) => {}
        Ok(Pass::Admit { to, cookie }) => {
            let headers = [(header::LOCATION, to), (header::SET_COOKIE, cookie)];
            return (StatusCode::SEE_OTHER, headers).into_response();
        }
        Err(refused) => {
            let mut response = Failed(refused.status, refused.why.to_owned()).into_response();
            if refused.status == StatusCode::METHOD_NOT_ALLOWED {
                let known = HeaderValue::from_static("GET, HEAD, POST");
                response.headers_mut().insert(header::ALLOW, known);
            }
            if refused.status == StatusCode::UNAUTHORIZED {
                let bearer = HeaderValue::from_static("Bearer");
                response
                    .headers_mut()
                    .insert(header::WWW_AUTHENTICATE, bearer);
            }
            return response;
        }
    }
    // The body is short and comes soon, or the request is given up.
    let body = match parts.method == Method::POST {
        false => Body::empty(),
        true => {
            let whole = axum::body::to_bytes(body, BODY_BYTES_MAX);
            match tokio::time::timeout(BODY_TIME_MAX, whole).await {
                Ok(Ok(bytes)) => Body::from(bytes),
                Ok(Err(_)) => {
                    let why = "the body is too long, or broke off".to_owned();
                    return Failed(StatusCode::PAYLOAD_TOO_LARGE, why).into_response();
                }
                Err(_) => {
                    let why = "the body took too long".to_owned();
                    return Failed(StatusCode::REQUEST_TIMEOUT, why).into_response();
                }
            }
        }
    };
    let answer = next.run(Request::from_parts(parts, body));
    match tokio::time::timeout(ANSWER_TIME_MAX, answer).await {
        Ok(response) => response,
        Err(_) => {
            let why = "the answer took too long".to_owned();
            Failed(StatusCode::GATEWAY_TIMEOUT, why).into_response()
        }
    }
}
