//! The CPU pool: a fixed number of threads that read visits.
//!
//! Jobs come over one bounded channel and findings leave over another. Threads end when the job
//! channel closes. A panic while reading is caught in the reader, page by page, so no thread is
//! lost to a hostile page. What was read waits for room before it is handed on: see [`held`](crate::held).

use std::sync::mpsc::{Sender, SyncSender, TrySendError};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{Builder, JoinHandle};

use tokio::sync::mpsc::{self, Receiver};

use crate::held::{Held, ReadMemory};
use crate::messages::{EndTold, ToDispatcher, ToReader, ToWriter};
use crate::read::Reader;

/// The way into the pool.
#[derive(Clone)]
pub(crate) struct ToPool {
    jobs: mpsc::Sender<ToReader>,
    past_it: Option<(Arc<Reader>, SyncSender<ToWriter>)>,
}

impl ToPool {
    /// Hands all to the pool.
    pub(crate) fn new(jobs: mpsc::Sender<ToReader>) -> ToPool {
        ToPool {
            jobs,
            past_it: None,
        }
    }

    /// Hands what needs no reading to the writer at once, if that has room: threads that are woken for
    /// nothing are most of what an unchanged page costs.
    pub(crate) fn past_it(self, reader: Arc<Reader>, to_writer: SyncSender<ToWriter>) -> ToPool {
        ToPool {
            past_it: Some((reader, to_writer)),
            ..self
        }
    }

    /// Hands a job over; waits while the pool has no room.
    pub(crate) async fn hand_over(&self, mut job: ToReader) {
        if let Some((reader, to_writer)) = self.past_it.as_ref()
            && job.needs_no_reading()
        {
            // It has no body, so it takes no memory worth counting.
            let finding = reader.read_at_once(job);
            match to_writer.try_send(ToWriter::Finding(finding, Held::default())) {
                Err(TrySendError::Full(ToWriter::Finding(finding, _))) => {
                    job = ToReader::Finding(finding);
                }
                Ok(()) | Err(_) => return,
            }
        }
        // The readers end only after the last visit: an error here means that the crawl is being
        // torn down, and the URL stays pending.
        let _ = self.jobs.send(job).await;
    }
}

/// Stack of a pool thread. Our own walks are iterative; this is room for the parser's.
const STACK_BYTES: usize = 4 << 20;

/// Starts `threads` threads that turn jobs into findings.
///
/// # Errors
/// When the system has no thread to give.
pub(crate) fn start(
    (threads, memory): (usize, &ReadMemory),
    reader: &Arc<Reader>,
    jobs: Receiver<ToReader>,
    to_writer: &SyncSender<ToWriter>,
    to_dispatcher: &Sender<ToDispatcher>,
) -> std::io::Result<Vec<JoinHandle<()>>> {
    let jobs = Arc::new(Mutex::new(jobs));
    (0..threads)
        .map(|number| {
            let (reader, jobs, to_writer) =
                (Arc::clone(reader), Arc::clone(&jobs), to_writer.clone());
            let memory = memory.clone();
            let told = EndTold::on_panic("CPU pool", to_dispatcher.clone());
            Builder::new()
                .name(format!("read-{number}"))
                .stack_size(STACK_BYTES)
                .spawn(move || {
                    let _told = told;
                    loop {
                        let job = jobs
                            .lock()
                            .unwrap_or_else(PoisonError::into_inner)
                            .blocking_recv();
                        let Some(job) = job else { break };
                        // The writer ends only on an error, and then the crawl ends too.
                        let (finding, held) = reader.read(job, &memory);
                        if to_writer.send(ToWriter::Finding(finding, held)).is_err() {
                            break;
                        }
                    }
                })
        })
        .collect()
}
