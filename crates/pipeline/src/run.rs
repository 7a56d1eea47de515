//! The crawl's threads: started from the last to the first, ended from the first to the last.
//!
//! ```text
//!                    ┌─ Committed, BodyEnded, RobotsMoved, HarvestEnds ──┐
//!                    ▼                                                   │
//!   frontier ◄─ dispatcher ─► visits (async) ─► readers ─► writer ─► publisher ─► search index
//!                  thread        tokio          threads    thread     thread
//! ```
//!
//! Stopping closes the first channel and lets the line drain (see `messages` for the channels).

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, SyncSender, channel, sync_channel};
use std::thread::{Builder, JoinHandle};
use std::time::{Duration, Instant};

use archive::{SeedRecord, StartRecord, StopRecord};
use fetcher::Fetch;
use tokio::runtime::Runtime;

use crate::config::CrawlConfig;
use crate::control::server::Control;
use crate::cpu::{self, ToPool};
use crate::dir::CrawlDir;
use crate::disk::DiskReserve;
use crate::dispatch::{Dispatcher, Ended, VISITS_AHEAD};
use crate::error::CrawlError;
use crate::held::ReadMemory;
use crate::messages::{EndTold, ToDispatcher, ToPublisher, ToReader, ToWriter};
use crate::node::keeper::Keeper;
use crate::node::{Cluster, Node};
use crate::progress::Progress;
use crate::publish::{self, OnChange};
use crate::read::Reader;
use crate::setup;
use crate::stop::{StartFigures, StopHandle};
use crate::views::Opened;
use crate::visit::Visitor;
use crate::write::{Outboxes, Writer};

/// Findings between the readers and the writer.
pub(crate) const FINDINGS_MAX: usize = 16;

/// Visits between the network and the readers.
const VISITS_MAX: usize = 16;

/// Changes between the writer and the search index.
const PUBLICATIONS_MAX: usize = 64;

/// How long the runtime may take to let go of sockets at the end.
const RUNTIME_SHUTDOWN_MAX: Duration = Duration::from_secs(2);

/// Most readers, where the configuration leaves their number to the machine.
const READERS_MAX: usize = 16;

/// Those outside who watch and steer.
pub(crate) struct Watch<'a> {
    pub(crate) stop: &'a StopHandle,
    pub(crate) progress: &'a Progress,
    pub(crate) control: Option<&'a Control>,
}

/// What the threads need from outside.
pub(crate) struct Parts<'a> {
    pub(crate) dir: &'a CrawlDir,
    pub(crate) config: &'a Arc<CrawlConfig>,
    pub(crate) fetch: Arc<dyn Fetch>,
    pub(crate) opened: Opened,
    pub(crate) new_seeds: Vec<SeedRecord>,
    /// A budget is larger than at the last start.
    pub(crate) is_raised: bool,
    pub(crate) on_change: Option<OnChange>,
    pub(crate) node: Option<(Node, Cluster)>,
    /// Who copies closed archive files.
    pub(crate) uploads: Option<offsite::Handle>,
}

/// The threads behind the dispatcher.
struct Line {
    runtime: Runtime,
    reader: Arc<Reader>,
    readers: Vec<JoinHandle<()>>,
    writer: JoinHandle<Result<(), CrawlError>>,
    publisher: JoinHandle<Result<(), CrawlError>>,
    to_writer: SyncSender<ToWriter>,
    keeper: Option<Keeper>,
}

/// Runs a crawl from its first lease to its last record.
///
/// # Errors
/// When it cannot begin, or cannot go on; what was recorded is safe.
pub(crate) fn run(parts: Parts<'_>, watch: &Watch<'_>) -> Result<Ended, CrawlError> {
    let started = Instant::now();
    let (to_dispatcher, inbox) = channel();
    let (to_readers, visits) = tokio::sync::mpsc::channel(VISITS_MAX);
    let config = Arc::clone(parts.config);
    let fetch = Arc::clone(&parts.fetch);
    let queue = parts.opened.state.queue().clone();
    let counts = parts.opened.state.counts();
    let shared = parts.node.as_ref().map(|(node, _)| node.shared());
    let pages_max = match &shared {
        Some(_) => 0,
        None => counts.requests_max(config.crawl.max_pages),
    };
    let requests = (counts.requests(), pages_max);
    let disk = DiskReserve::new(parts.dir.root().into(), config.limits.disk_reserve);
    let start = start_record(&config, watch.stop.goes_on());
    let earlier = watch.stop.earlier();
    let shown = (watch.progress, earlier);
    let line = Line::start(parts, start, shown, &to_dispatcher, visits)?;
    let is_proxied = !config.network.proxy.is_empty();
    let to_readers = ToPool::new(to_readers).past_it(line.reader.clone(), line.to_writer.clone());
    let visitor = Arc::new(Visitor::new(fetch, to_dispatcher, to_readers, is_proxied));
    let mut dispatcher = Dispatcher::new(
        &config,
        queue,
        line.runtime.handle().clone(),
        visitor,
        (watch.stop.clone(), watch.progress.clone()),
        disk,
        (requests, shared),
    );
    watch
        .progress
        .update(|shown| shown.state = "running".into());
    if let Some(control) = watch.control {
        control.connect(Some(line.to_writer.clone()));
    }
    let (ended, failure) = match catch_unwind(AssertUnwindSafe(|| dispatcher.run(&inbox))) {
        Ok(Ok(ended)) => (ended, None),
        Ok(Err(error)) => (Ended::by_error("frontier"), Some(error)),
        Err(_) => (Ended::by_error("dispatcher"), None),
    };
    if let Some(control) = watch.control {
        control.connect(None);
    }
    drop(dispatcher);
    let patience = match watch.stop.is_at_once() {
        true => Duration::ZERO,
        false => RUNTIME_SHUTDOWN_MAX,
    };
    let drained = line.drain(&ended, started, patience);
    if let Some(failure) = failure {
        return Err(failure.into());
    }
    let ran_ms = drained?;
    watch.progress.update(|shown| {
        shown.state = "stopped".into();
        shown.stop_reason = Some(ended.reason.clone());
        shown.running_ms = earlier.ran_ms.saturating_add(ran_ms);
        shown.in_flight = 0;
        shown.rate = shown.pages_this_start as f64 / (shown.running_ms.max(1) as f64 / 1_000.0);
        watch.stop.note_run(StartFigures {
            pages: shown.pages_this_start,
            visits: shown.visits_this_start,
            guarded: shown.guarded_this_start,
            bytes: shown.bytes,
            ran_ms: shown.running_ms,
        });
    });
    Ok(ended)
}

impl Line {
    fn start(
        parts: Parts<'_>,
        start: StartRecord,
        (progress, earlier): (&Progress, StartFigures),
        to_dispatcher: &Sender<ToDispatcher>,
        to_read: tokio::sync::mpsc::Receiver<ToReader>,
    ) -> Result<Self, CrawlError> {
        let Parts {
            dir,
            config,
            opened,
            new_seeds,
            is_raised,
            on_change,
            node,
            uploads,
            ..
        } = parts;
        let runtime = network_runtime()?;
        let (to_publisher, publisher_inbox) = sync_channel(PUBLICATIONS_MAX);
        let publisher = start_publisher(
            opened.index,
            publisher_inbox,
            on_change,
            to_dispatcher.clone(),
        )?;
        let out = Outboxes {
            dispatcher: to_dispatcher.clone(),
            publisher: to_publisher,
        };
        let state = (opened.archive, opened.state, opened.memory);
        // Answers that need no reading come straight from the network, and none of them waits.
        let visits = match state.1.counts().visits_due {
            0 => 0,
            _ => VISITS_AHEAD,
        };
        let (to_writer, writer_inbox) = sync_channel(FINDINGS_MAX + visits);
        let begun = || -> Result<(Writer, Option<Keeper>), CrawlError> {
            let keeper = match &node {
                Some((node, cluster)) => Some(start_keeper(node, cluster, &to_writer)?),
                None => None,
            };
            let node = node.map(|(node, _)| node);
            let figures = (progress.clone(), earlier);
            let mut writer = Writer::new(dir, config, state, out, figures, (node, uploads));
            let begun = writer.begin(start, new_seeds, is_raised);
            match begun.and_then(|()| setup::write_started(dir, config)) {
                Ok(()) => Ok((writer, keeper)),
                Err(error) => {
                    keeper.into_iter().for_each(|keeper| keeper.end(false));
                    Err(error)
                }
            }
        };
        let (writer, keeper) = match begun() {
            Ok(begun) => begun,
            Err(error) => {
                // Its inbox is closed; who begins again finds the index free.
                let _ = publisher.join();
                return Err(error);
            }
        };
        let writer = start_writer(writer, writer_inbox, to_dispatcher.clone())?;
        let reader = Reader::new(config, dir.texts());
        let readers = start_readers(config, &reader, to_read, &to_writer, to_dispatcher)?;
        Ok(Self {
            runtime,
            reader,
            readers,
            writer,
            publisher,
            to_writer,
            keeper,
        })
    }

    /// Lets the line drain from its head: visits, readers, writer, publisher. Gives the milliseconds
    /// that the crawl ran.
    fn drain(self, ended: &Ended, started: Instant, patience: Duration) -> Result<u64, CrawlError> {
        self.runtime.shutdown_timeout(patience);
        let readers = self.readers.into_iter();
        // Each is waited for, whatever became of the others.
        let readers_panicked = readers.filter_map(|thread| thread.join().err()).count();
        let ran_ms = started.elapsed().as_millis() as u64;
        let mut keeper = self.keeper;
        if let Some(lost) = &ended.lost {
            // What was not acknowledged is dropped.
            keeper
                .take()
                .into_iter()
                .for_each(|keeper| keeper.end(false));
            drop(self.to_writer);
            let written = self.writer.join();
            let published = self.publisher.join();
            written.map_err(|_| CrawlError::Panicked("writer"))?.ok();
            published.map_err(|_| CrawlError::Panicked("search index"))??;
            return Err(CrawlError::Lost(lost.clone()));
        }
        // A failed writer has closed its inbox; its error is told below.
        let _ = self.to_writer.send(ToWriter::Stop(StopRecord {
            reason: ended.reason.clone(),
            detail: ended.detail.clone(),
            ran_ms,
            // The writer's, who has the topic's model.
            outlook: None,
        }));
        drop(self.to_writer);
        let written = self.writer.join();
        let written = written.map_err(|_| CrawlError::Panicked("writer"))?;
        if let Some(keeper) = keeper {
            keeper.end(written.is_ok());
        }
        let published = self.publisher.join();
        let published = published.map_err(|_| CrawlError::Panicked("search index"))?;
        // The writer's error may be a consequence of the publisher's: tell the cause.
        published?;
        written?;
        if let Some(name) = ended
            .failed
            .or((readers_panicked > 0).then_some("CPU pool"))
        {
            return Err(CrawlError::Panicked(name));
        }
        Ok(ran_ms)
    }
}

fn start_keeper(
    node: &Node,
    cluster: &Cluster,
    to_writer: &SyncSender<ToWriter>,
) -> Result<Keeper, CrawlError> {
    let ledger = (cluster.connect)()?;
    let times = (node.ttl, node.admitted);
    let to_writer = to_writer.clone();
    let meter = cluster.meter.clone();
    Keeper::start(
        (ledger, meter),
        node.fence(),
        times,
        node.shared(),
        to_writer,
    )
    .map_err(cannot_start("thread that keeps the lease"))
}

fn start_record(config: &CrawlConfig, goes_on: bool) -> StartRecord {
    StartRecord {
        journal: archive::JOURNAL_VERSION,
        tamis: env!("CARGO_PKG_VERSION").into(),
        segment: segment::SEGMENT_SCHEME,
        fingerprint: simhash::FINGERPRINT_SCHEME,
        config: setup::public_config(config),
        goes_on,
        node: None,
    }
}

fn cannot_start(what: &'static str) -> impl Fn(std::io::Error) -> CrawlError {
    move |source| CrawlError::Directory {
        what: format!("start the {what}"),
        source,
    }
}

fn network_runtime() -> Result<Runtime, CrawlError> {
    tokio::runtime::Builder::new_multi_thread()
        .worker_threads(1)
        .enable_all()
        .thread_name("net")
        .build()
        .map_err(cannot_start("network runtime"))
}

fn start_publisher(
    mut index: index::PageIndex,
    inbox: Receiver<ToPublisher>,
    on_change: Option<OnChange>,
    to_dispatcher: Sender<ToDispatcher>,
) -> Result<JoinHandle<Result<(), CrawlError>>, CrawlError> {
    Builder::new()
        .name("publish".into())
        .spawn(move || {
            let _told = EndTold::always("search index", to_dispatcher);
            publish::run(&mut index, &inbox, on_change, publish::COMMIT_INTERVAL)
        })
        .map_err(cannot_start("search index thread"))
}

fn start_writer(
    mut writer: Writer,
    inbox: Receiver<ToWriter>,
    to_dispatcher: Sender<ToDispatcher>,
) -> Result<JoinHandle<Result<(), CrawlError>>, CrawlError> {
    Builder::new()
        .name("write".into())
        .spawn(move || {
            let _told = EndTold::always("writer", to_dispatcher);
            writer.run(&inbox)
        })
        .map_err(cannot_start("writer"))
}

fn start_readers(
    config: &CrawlConfig,
    reader: &Arc<Reader>,
    visits: tokio::sync::mpsc::Receiver<ToReader>,
    to_writer: &SyncSender<ToWriter>,
    to_dispatcher: &Sender<ToDispatcher>,
) -> Result<Vec<JoinHandle<()>>, CrawlError> {
    let cores = || std::thread::available_parallelism().map_or(2, std::num::NonZero::get);
    let threads = match config.crawl.threads {
        0 => cores().min(READERS_MAX),
        threads => threads,
    };
    let memory = ReadMemory::new(config.memory_shares().bytes_read);
    let started = cpu::start((threads, &memory), reader, visits, to_writer, to_dispatcher);
    started.map_err(cannot_start("CPU pool"))
}
