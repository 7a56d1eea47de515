//! Work that reads files, away from the threads that talk to the network.
//!
//! A few threads and a short queue: a request that finds the queue full is told to come back, so
//! readers can neither pile up in memory nor take the machine from the crawl.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, TryLockError};

use tokio::sync::oneshot;

/// Threads that read.
const THREADS: usize = 2;

/// Requests that wait for one.
const QUEUE_MAX: usize = 64;

type Job = Box<dyn FnOnce() + Send>;

/// The threads; they end when this is dropped.
#[derive(Debug, Clone)]
pub(crate) struct Jobs {
    queue: SyncSender<Job>,
}

/// Why a job gave nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum NotDone {
    /// Too many wait already.
    Busy,
    /// It panicked: a mistake of ours.
    Failed,
}

impl Jobs {
    /// Starts the threads.
    ///
    /// # Errors
    /// When the system gives no thread.
    pub(crate) fn start() -> std::io::Result<Self> {
        let (queue, jobs) = sync_channel::<Job>(QUEUE_MAX);
        let jobs = Arc::new(Mutex::new(jobs));
        for _ in 0..THREADS {
            let jobs = Arc::clone(&jobs);
            std::thread::Builder::new()
                .name("serve-read".into())
                .spawn(move || work(&jobs))?;
        }
        Ok(Self { queue })
    }

    /// Does a piece of work and gives what came of it.
    pub(crate) async fn run<T: Send + 'static>(
        &self,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> Result<T, NotDone> {
        let (answer, answered) = oneshot::channel();
        let job: Job = Box::new(move || {
            // Whoever asked may have gone.
            let _ = answer.send(work());
        });
        self.queue.try_send(job).map_err(|_| NotDone::Busy)?;
        answered.await.map_err(|_| NotDone::Failed)
    }
}

/// The lock of work of which one is done at a time; none while another one is at it.
pub(crate) fn alone(lock: &Mutex<()>) -> Option<MutexGuard<'_, ()>> {
    match lock.try_lock() {
        Ok(alone) => Some(alone),
        Err(TryLockError::Poisoned(poisoned)) => Some(PoisonError::into_inner(poisoned)),
        Err(TryLockError::WouldBlock) => None,
    }
}

fn work(jobs: &Mutex<Receiver<Job>>) {
    loop {
        let next = jobs.lock().unwrap_or_else(PoisonError::into_inner).recv();
        let Ok(job) = next else {
            return;
        };
        // A panic costs one answer: its sender is dropped.
        if catch_unwind(AssertUnwindSafe(job)).is_err() {
            tracing::error!("a request could not be answered: a mistake in this program");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn runtime() -> tokio::runtime::Runtime {
        tokio::runtime::Builder::new_current_thread()
            .build()
            .expect("a runtime")
    }

    #[test]
    fn a_panic_costs_one_answer_and_a_full_queue_is_told() {
        runtime().block_on(async {
            let jobs = Jobs::start().expect("threads");
            let failed = jobs.run(|| -> u32 { panic!("as it is tested") }).await;
            assert_eq!(failed, Err(NotDone::Failed));
            assert_eq!(jobs.run(|| 7).await, Ok(7));

            let (hold, held) = std::sync::mpsc::channel::<()>();
            let held = Arc::new(Mutex::new(held));
            let mut waiting = Vec::new();
            for _ in 0..THREADS + QUEUE_MAX + 1 {
                let held = Arc::clone(&held);
                let mut work = Box::pin(jobs.run(move || {
                    let _ = held.lock().map(|held| held.recv());
                }));
                let first = futures_util::future::poll_immediate(&mut work).await;
                match first {
                    Some(done) => assert_eq!(done, Err(NotDone::Busy)),
                    None => waiting.push(work),
                }
            }
            assert!(waiting.len() >= QUEUE_MAX && waiting.len() <= QUEUE_MAX + THREADS);
            drop(hold);
            for work in waiting {
                assert_eq!(work.await, Ok(()));
            }
        });
    }
}
