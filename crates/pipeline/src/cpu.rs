//! The CPU pool: a fixed number of threads that read visits.
//!
//! Jobs come over one bounded channel and findings leave over another. Threads end when the job
//! channel closes. A panic while reading is caught in the reader, page by page, so no thread is
//! lost to a hostile page.

use std::sync::mpsc::{Sender, SyncSender};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{Builder, JoinHandle};

use tokio::sync::mpsc::Receiver;

use crate::messages::{EndTold, ToDispatcher, ToReader, ToWriter};
use crate::read::Reader;

/// Stack of a pool thread. Our own walks are iterative; this is room for the parser's.
const STACK_BYTES: usize = 4 << 20;

/// Starts `threads` threads that turn jobs into findings.
///
/// # Errors
/// When the system has no thread to give.
pub(crate) fn start(
    threads: usize,
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
                        if to_writer.send(ToWriter::Finding(reader.read(job))).is_err() {
                            break;
                        }
                    }
                })
        })
        .collect()
}
