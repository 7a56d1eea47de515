//! When a request has its connection: the wait for the first byte of the answer begins there.
//!
//! The client makes connections inside a request, and says of none when it was made. A layer around its
//! connector notes it with the request for which it makes one. A request that takes a connection of
//! before makes none, and waits from its start.

use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll};
use std::time::Duration;

use futures_util::future::BoxFuture;
use tokio::sync::Notify;
use tokio::time::Instant;
use tower_layer::Layer;
use tower_service::Service;

tokio::task_local! {
    static REQUEST: Connecting;
}

/// How far a request has come with its connection.
#[derive(Clone, Default)]
pub(crate) struct Connecting {
    inner: Arc<Inner>,
}

#[derive(Default)]
struct Inner {
    stands: Mutex<Stands>,
    changed: Notify,
}

#[derive(Clone, Copy, Default)]
enum Stands {
    /// No connection is made, or none yet.
    #[default]
    None,
    Begun,
    Made(Instant),
}

impl Connecting {
    /// Sends a request. `None` when no answer has begun `first_byte` after the connection stood; to make
    /// one takes `connect` at most, which the client sees to.
    pub(crate) async fn wait<T>(
        self,
        sent: impl Future<Output = T>,
        (connect, first_byte, whole): (Duration, Duration, Duration),
    ) -> Option<T> {
        let started = Instant::now();
        let until = || {
            let until = match self.stands() {
                Stands::None => started + first_byte,
                Stands::Begun => started + connect + first_byte,
                Stands::Made(at) => at + first_byte,
            };
            until.min(started + whole)
        };
        let mut sent = std::pin::pin!(REQUEST.scope(self.clone(), sent));
        loop {
            tokio::select! {
                biased;
                answer = &mut sent => return Some(answer),
                () = tokio::time::sleep_until(until()) => {
                    if Instant::now() >= until() {
                        return None;
                    }
                }
                () = self.inner.changed.notified() => {}
            }
        }
    }

    /// Whether a connection was made for the request, or begun to be: otherwise it took one of before.
    pub(crate) fn has_begun(&self) -> bool {
        !matches!(self.stands(), Stands::None)
    }

    fn stands(&self) -> Stands {
        *self
            .inner
            .stands
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }

    fn note(&self, stands: Stands) {
        *self
            .inner
            .stands
            .lock()
            .unwrap_or_else(PoisonError::into_inner) = stands;
        self.inner.changed.notify_one();
    }
}

/// Notes the connections that a client makes.
#[derive(Clone)]
pub(crate) struct NoteConnections;

impl<C> Layer<C> for NoteConnections {
    type Service = Noted<C>;

    fn layer(&self, connector: C) -> Noted<C> {
        Noted { connector }
    }
}

/// A connector whose connections are noted.
#[derive(Clone)]
pub(crate) struct Noted<C> {
    connector: C,
}

impl<C, T> Service<T> for Noted<C>
where
    C: Service<T>,
    C::Future: Send + 'static,
{
    type Response = C::Response;
    type Error = C::Error;
    type Future = BoxFuture<'static, Result<C::Response, C::Error>>;

    fn poll_ready(&mut self, context: &mut Context<'_>) -> Poll<Result<(), C::Error>> {
        self.connector.poll_ready(context)
    }

    fn call(&mut self, target: T) -> Self::Future {
        let connection = self.connector.call(target);
        // Made ahead of a request, it is none's.
        let request = REQUEST.try_with(Connecting::clone).ok();
        Box::pin(async move {
            if let Some(request) = &request {
                request.note(Stands::Begun);
            }
            let connection = connection.await;
            if let Some(request) = &request {
                request.note(Stands::Made(Instant::now()));
            }
            connection
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// How long a request waits whose connection takes so many seconds, with 10 s to connect, 2 s for the
    /// first byte and 60 s for all.
    fn waited(connecting: Option<u64>) -> Duration {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_time()
            .start_paused(true)
            .build()
            .unwrap();
        runtime.block_on(async {
            let started = Instant::now();
            let sent = async {
                if let Some(seconds) = connecting {
                    let connector = |()| async move {
                        tokio::time::sleep(Duration::from_secs(seconds)).await;
                        Ok::<(), ()>(())
                    };
                    let mut connector = NoteConnections.layer(ServiceFn(connector));
                    connector.call(()).await.unwrap();
                }
                std::future::pending::<()>().await;
            };
            let seconds = Duration::from_secs;
            let bounds = (seconds(10), seconds(2), seconds(60));
            assert_eq!(Connecting::default().wait(sent, bounds).await, None);
            started.elapsed()
        })
    }

    struct ServiceFn<F>(F);

    impl<F, R> Service<()> for ServiceFn<F>
    where
        F: FnMut(()) -> R,
        R: Future<Output = Result<(), ()>> + Send + 'static,
    {
        type Response = ();
        type Error = ();
        type Future = R;

        fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), ()>> {
            Poll::Ready(Ok(()))
        }

        fn call(&mut self, target: ()) -> R {
            (self.0)(target)
        }
    }

    #[test]
    fn the_wait_for_the_first_byte_begins_when_the_connection_stands() {
        let seconds = |waited: Duration| waited.as_secs_f64().round() as u64;
        assert_eq!(seconds(waited(None)), 2);
        assert_eq!(seconds(waited(Some(0))), 2);
        assert_eq!(seconds(waited(Some(1))), 3);
        assert_eq!(seconds(waited(Some(9))), 11);
        // The client ends it before; this is the last stop.
        assert_eq!(seconds(waited(Some(100))), 12);
    }
}
