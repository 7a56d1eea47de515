//! A whole crawl: opens the truth and its views, brings the views up to it, starts the owners,
//! waits for the end, and stops them in order.
//!
//! ```text
//!                    ┌──────────── Committed, BodyEnded, Robots ───────────┐
//!                    ▼                                                     │
//!   frontier ◄─ dispatcher ─► visits (async) ─► CPU pool ─► writer ─► publisher ─► search index
//!                  thread        tokio           threads     thread     thread
//! ```
//!
//! The way down is bounded channels; the way back up is not, but holds no more messages than there
//! are leases, which are bounded. So nobody ever waits in a circle. Stopping closes the first
//! channel and lets the line drain.

use std::sync::atomic::AtomicU64;
use std::sync::mpsc::{channel, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::Builder;
use std::time::{Duration, Instant};

use archive::{Event, SeedRecord, StartRecord, StopRecord};
use fetcher::{Fetch, HttpFetcher};
use frontier::SeedUrl;

use crate::config::CrawlConfig;
use crate::control::server::Control;
use crate::cpu;
use crate::dir::CrawlDir;
use crate::dispatch::{Dispatcher, Ended, RobotsCache, ToDispatcher};
use crate::error::CrawlError;
use crate::progress::{Progress, Snapshot};
use crate::publish;
use crate::read::Reader;
use crate::setup;
use crate::stop::StopHandle;
use crate::views::Views;
use crate::visit::Visitor;
use crate::write::{ToWriter, Writer};

/// Findings between the CPU pool and the writer.
const FINDINGS_MAX: usize = 16;

/// Visits between the network and the CPU pool.
const JOBS_MAX: usize = 16;

/// Changes between the writer and the search index.
const PUBLICATIONS_MAX: usize = 64;

/// How long the runtime may take to let go of sockets at the end.
const RUNTIME_SHUTDOWN_MAX: Duration = Duration::from_secs(2);

/// A crawl to be run.
pub struct Crawl {
    /// Where it lives.
    pub dir: CrawlDir,
    /// How it is run.
    pub config: CrawlConfig,
    /// Where it begins; seeds known from earlier starts are left out.
    pub seeds: Vec<SeedUrl>,
    /// What fetches; `None` for the network.
    pub fetch: Option<Arc<dyn Fetch>>,
    /// How it is asked to stop.
    pub stop: StopHandle,
    /// Where it shows what it does.
    pub progress: Progress,
}

/// How a crawl ended.
#[derive(Debug, Clone, PartialEq)]
pub struct CrawlSummary {
    /// `drained`, `max_pages`, `max_time`, `interrupted` or `harvest`.
    pub reason: String,
    /// More about the reason.
    pub detail: Option<String>,
    /// The counters at the end.
    pub snapshot: Snapshot,
    /// What the user should know: views rebuilt, tails cut, seeds that led nowhere.
    pub notes: Vec<String>,
}

impl CrawlSummary {
    /// The reason as people say it.
    pub fn reason_in_words(&self) -> &str {
        reason_in_words(&self.reason)
    }
}

/// Why a crawl stopped, as people say it.
pub fn reason_in_words(reason: &str) -> &str {
    match reason {
        "drained" => "done, nothing is left in the queue",
        "max_pages" => "done, the page budget is used up",
        "max_time" => "done, the time budget is used up",
        "interrupted" => "interrupted",
        "harvest" => "done, little more was to be found",
        other => other,
    }
}

impl Crawl {
    /// Runs the crawl to its end.
    ///
    /// # Errors
    /// When it cannot begin, or cannot go on; what was recorded is safe.
    pub fn run(self) -> Result<CrawlSummary, CrawlError> {
        let given = self.seeds.iter().map(|seed| seed.url.as_str());
        setup::check_contact(&self.config, given)?;
        let _lock = self.dir.lock()?;
        self.progress
            .update(|shown| shown.state = "replaying".into());
        let config = Arc::new(self.config);
        let control = Control::open(&self.dir, self.stop.clone(), self.progress.clone());
        let mut views = Views::open(&self.dir, &config)?;
        let known = views.seeds.iter().map(|seed| seed.url.as_str());
        setup::check_contact(&config, known)?;
        views.counts.show(&self.progress);
        setup::write_config(&self.dir, &config)?;
        let fetch: Arc<dyn Fetch> =
            match self.fetch {
                Some(fetch) => fetch,
                None => Arc::new(HttpFetcher::new(setup::http_config(&config)?).map_err(
                    |error| CrawlError::Setup(format!("cannot set up the network: {error}")),
                )?),
            };
        if let Some(focus) = setup::focus_config(&config)? {
            for (file, why) in setup::doubtful_examples(&config, &focus) {
                tracing::warn!("the example {file} teaches the topic little: {why}");
            }
        }
        let mut notes = std::mem::take(&mut views.notes);
        let mut new_seeds = setup::new_seeds(&self.seeds, &views.seeds);
        setup::new_examples(&config, &views.seeds, &mut new_seeds);
        let control = control
            .inspect_err(|error| {
                let path = self.dir.control();
                notes.push(format!(
                    "no control socket at {}: {error}; `tamis status` shows what is recorded, \
                     pause and retry need a stop",
                    path.display()
                ));
            })
            .ok();
        let watch = Watch {
            stop: &self.stop,
            progress: &self.progress,
            control: control.as_ref(),
        };
        let (ended, detail) = run_threads(&self.dir, &config, views, new_seeds, fetch, &watch)?;
        let snapshot = self.progress.snapshot();
        Ok(CrawlSummary {
            reason: ended.name().into(),
            detail,
            snapshot,
            notes,
        })
    }
}

/// Those outside who watch and steer.
struct Watch<'a> {
    stop: &'a StopHandle,
    progress: &'a Progress,
    control: Option<&'a Control>,
}

fn run_threads(
    dir: &CrawlDir,
    config: &Arc<CrawlConfig>,
    views: Views,
    new_seeds: Vec<SeedRecord>,
    fetch: Arc<dyn Fetch>,
    watch: &Watch,
) -> Result<(Ended, Option<String>), CrawlError> {
    let &Watch {
        stop,
        progress,
        control,
    } = watch;
    let started = Instant::now();
    let system = |what: &'static str| {
        move |source| CrawlError::Directory {
            what: format!("start the {what}"),
            source,
        }
    };
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(1)
        .enable_all()
        .thread_name("net")
        .build()
        .map_err(system("network runtime"))?;
    let (to_dispatcher, dispatcher_inbox) = channel();
    let (to_pool, jobs) = tokio::sync::mpsc::channel(JOBS_MAX);
    let (to_writer, writer_inbox) = sync_channel(FINDINGS_MAX);
    let (to_publisher, publisher_inbox) = sync_channel(PUBLICATIONS_MAX);
    let bytes_in_flight = Arc::new(AtomicU64::new(0));
    let harvest_stop = Arc::new(Mutex::new(None));

    let Views {
        mut index,
        archive,
        frontier,
        fingerprints,
        scope,
        kept,
        templates,
        focus,
        foresight,
        counts,
        seq,
        seeds,
        examples,
        ..
    } = views;
    let foresight = Arc::new(Mutex::new(foresight));
    let frontier = Arc::new(Mutex::new(frontier));
    let publisher = Builder::new()
        .name("publish".into())
        .spawn(move || publish::run(&mut index, &publisher_inbox))
        .map_err(system("search index thread"))?;

    let mut writer = Writer {
        config: Arc::clone(config),
        rules: setup::rules(config),
        archive,
        frontier: Arc::clone(&frontier),
        scope,
        fingerprints,
        kept,
        templates,
        focus,
        counts,
        seq,
        seeds,
        to_dispatcher: to_dispatcher.clone(),
        to_publisher,
        progress: progress.clone(),
        bytes_in_flight: Arc::clone(&bytes_in_flight),
        publications: Vec::new(),
        examples,
        request: setup::request_fields(config),
        harvest_stop: Arc::clone(&harvest_stop),
        foresight: Arc::clone(&foresight),
        dir: dir.clone(),
    };
    writer.append(Event::Start(StartRecord {
        journal: archive::JOURNAL_VERSION,
        tamis: env!("CARGO_PKG_VERSION").into(),
        segment: segment::SEGMENT_SCHEME,
        fingerprint: simhash::FINGERPRINT_SCHEME,
        config: setup::public_config(config),
    }))?;
    for seed in new_seeds {
        writer.admit_seed(seed)?;
    }
    writer.sync_setup()?;
    let writer_ended = to_dispatcher.clone();
    let writer = Builder::new()
        .name("write".into())
        .spawn(move || {
            let result = writer.run(&writer_inbox);
            if result.is_err() {
                // Nobody listens any more when the dispatcher has ended: the crawl is stopping.
                let _ = writer_ended.send(ToDispatcher::WriterEnded);
            }
            result
        })
        .map_err(system("writer"))?;

    let limits = setup::fetch_limits(config);
    let reader = Reader::new(
        limits,
        setup::canonicaliser(config),
        &config.agent.name,
        config,
    );
    let threads = match config.crawl.threads {
        0 => std::thread::available_parallelism().map_or(2, |cores| cores.get().min(16)),
        threads => threads,
    };
    let pool = cpu::start(threads, &reader, jobs, &to_writer).map_err(system("CPU pool"))?;
    let visitor = Arc::new(Visitor::new(
        fetch,
        to_dispatcher,
        to_pool.clone(),
        Arc::clone(&bytes_in_flight),
        !config.network.proxy.is_empty(),
    ));
    let mut dispatcher = Dispatcher {
        config: Arc::clone(config),
        frontier,
        runtime: runtime.handle().clone(),
        visitor,
        to_pool,
        stop: stop.clone(),
        progress: progress.clone(),
        bytes_in_flight,
        harvest_stop: Arc::clone(&harvest_stop),
        robots: RobotsCache::new(&config.agent.name, config.politeness.obey_robots, foresight),
        leases: 0,
        visits: 0,
    };
    progress.update(|shown| shown.state = "running".into());
    if let Some(control) = control {
        control.connect(Some(to_writer.clone()));
    }
    let ended = dispatcher.run(&dispatcher_inbox);
    if let Some(control) = control {
        control.connect(None);
    }

    // The line drains from its head: visits, pool, writer, publisher.
    drop(dispatcher);
    runtime.shutdown_timeout(RUNTIME_SHUTDOWN_MAX);
    let pool_ended = pool.into_iter().all(|thread| thread.join().is_ok());
    let ran_ms = started.elapsed().as_millis() as u64;
    let detail = match ended {
        Ended::Harvest => harvest_stop
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clone(),
        _ => None,
    };
    let stop_record = StopRecord {
        reason: ended.name().into(),
        detail: detail.clone(),
        ran_ms,
    };
    // A failed writer has closed its inbox; its error is told below.
    let _ = to_writer.send(ToWriter::Stop(stop_record));
    drop(to_writer);
    let written = writer.join().map_err(|_| CrawlError::Panicked("writer"))?;
    let published = publisher
        .join()
        .map_err(|_| CrawlError::Panicked("search index"))?;
    // The writer's error may be a consequence of the publisher's: tell the cause.
    published?;
    written?;
    if !pool_ended {
        return Err(CrawlError::Panicked("CPU pool"));
    }
    progress.update(|shown| {
        shown.state = "stopped".into();
        shown.stop_reason = Some(ended.name().into());
        shown.running_ms = ran_ms;
        shown.in_flight = 0;
        shown.rate = shown.pages_this_start as f64 / (ran_ms.max(1) as f64 / 1_000.0);
    });
    Ok((ended, detail))
}
