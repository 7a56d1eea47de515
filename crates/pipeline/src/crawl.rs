//! A whole crawl: opens the truth and its views, brings the views up to it, runs it, and says how it
//! ended.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use fetcher::{Fetch, HttpFetcher};
use focus::Focus;
use frontier::SeedUrl;
use offsite::Uploads;
use outcome::StopReason;

use crate::config::CrawlConfig;
use crate::control::Line;
use crate::control::server::Control;
use crate::dir::CrawlDir;
use crate::dispatch::Ended;
use crate::error::CrawlError;
use crate::handles;
use crate::node::{self, Cluster, Node};
use crate::progress::{Progress, Snapshot};
use crate::publish::OnChange;
use crate::run::{Parts, Watch, run};
use crate::setup;
use crate::stop::StopHandle;
use crate::{budgets, upload, views};

/// So often a node joins again without having got anywhere.
const REJOINS_IN_VAIN_MAX: u32 = 20;

/// Groups that a start commits with nothing read yet.
const STARTS_GROUPS: u64 = 2;

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
    /// Who is told of kept pages, if anyone is.
    pub on_change: Option<OnChange>,
    /// On many machines, how the others are reached.
    pub cluster: Option<Cluster>,
}

/// How a crawl ended.
#[derive(Debug, Clone, PartialEq)]
pub struct CrawlSummary {
    /// Why.
    pub reason: StopReason,
    /// More about the reason.
    pub detail: Option<String>,
    /// The counters at the end.
    pub snapshot: Snapshot,
    /// What the user should know: views rebuilt, tails cut, seeds that led nowhere.
    pub notes: Vec<String>,
}

impl Crawl {
    /// Runs the crawl to its end.
    ///
    /// # Errors
    /// When it cannot begin, or cannot go on; what was recorded is safe.
    pub fn run(self) -> Result<CrawlSummary, CrawlError> {
        self.run_reached_by(&mut None)
    }

    /// Runs it to its end as one of several runs: between them it is reached by the line as well.
    ///
    /// # Errors
    /// As [`Crawl::run`].
    pub fn run_on(self, line: &Line) -> Result<CrawlSummary, CrawlError> {
        let mut control = line.hold();
        let ended = self.run_reached_by(&mut control);
        if let (Some(control), Ok(summary)) = (&*control, &ended) {
            control.rest(summary.snapshot.clone());
        }
        ended
    }

    fn run_reached_by(self, kept: &mut Option<Control>) -> Result<CrawlSummary, CrawlError> {
        let is_node = node::is_node(&self.dir);
        setup::check_cluster(&self.config, self.cluster.is_some(), is_node)?;
        let given = self.seeds.iter().map(|seed| seed.url.as_str());
        setup::check_contact(&self.config, given)?;
        let _lock = self.dir.lock()?;
        let config = Arc::new(self.config);
        let mut notes = Vec::from_iter(handles::check(&config)?);
        match kept.take_if(|control| control.is_reached()) {
            Some(control) => {
                control.go_on(self.progress.clone());
                *kept = Some(control);
            }
            None => {
                let opened = Control::open(&self.dir, self.stop.clone(), self.progress.clone());
                let opened = opened.inspect_err(|error| notes.push(no_control(&self.dir, error)));
                *kept = opened.ok();
            }
        }
        let mut crew = Crew {
            dir: &self.dir,
            config: &config,
            seeds: &self.seeds,
            fetch: self.fetch,
            watch: Watch {
                stop: &self.stop,
                progress: &self.progress,
                control: kept.as_ref(),
            },
            on_change: self.on_change.map(shared_change),
            notes,
            uploads: None,
        };
        let ended = match &self.cluster {
            None => crew.run(None),
            Some(cluster) => crew.run_as_node(cluster),
        };
        if let Some(uploads) = crew.uploads.take() {
            let reason = ended.as_ref().ok().map(|ended| &ended.reason);
            crew.notes.extend(upload::end(uploads, &config, reason));
        }
        let ended = ended?;
        Ok(CrawlSummary {
            reason: ended.reason,
            detail: ended.detail,
            snapshot: self.progress.snapshot(),
            notes: crew.notes,
        })
    }
}

/// Refuses what a start without a ledger would refuse, as far as it can be told beforehand.
///
/// # Errors
/// [`CrawlError::Setup`] and the like, with what to do.
pub fn check_start(config: &CrawlConfig, seeds: &[SeedUrl]) -> Result<(), CrawlError> {
    setup::check_cluster(config, false, false)?;
    check_setup(config, seeds)
}

/// Refuses what any start would refuse, as far as it can be told by configuration and seeds alone, before the
/// directory is touched.
///
/// # Errors
/// [`CrawlError::Setup`] and the like, with what to do.
pub fn check_setup(config: &CrawlConfig, seeds: &[SeedUrl]) -> Result<(), CrawlError> {
    setup::check_contact(config, seeds.iter().map(|seed| seed.url.as_str()))?;
    network(config)?;
    upload::check(config)?;
    if let Some(focus) = setup::focus_config(config)? {
        Focus::new(&focus).map_err(|error| CrawlError::Setup(format!("[topic] {error}")))?;
    }
    Ok(())
}

/// Who is told of changes, for each of several runs.
type SharedChange = Arc<Mutex<OnChange>>;

fn shared_change(on_change: OnChange) -> SharedChange {
    Arc::new(Mutex::new(on_change))
}

/// What every run of a crawl's threads needs.
struct Crew<'a> {
    dir: &'a CrawlDir,
    config: &'a Arc<CrawlConfig>,
    seeds: &'a [SeedUrl],
    /// What fetches, once it is known.
    fetch: Option<Arc<dyn Fetch>>,
    watch: Watch<'a>,
    on_change: Option<SharedChange>,
    notes: Vec<String>,
    /// The copies of closed archive files, over several runs.
    uploads: Option<Uploads>,
}

impl Crew<'_> {
    /// Opens the directory and runs the threads to their end.
    fn run(&mut self, node: Option<(Node, Cluster)>) -> Result<Ended, CrawlError> {
        let (dir, config, progress) = (self.dir, self.config, self.watch.progress);
        let opened = catch_unwind(AssertUnwindSafe(|| {
            views::open(dir, config, progress, node.is_some())
        }));
        let mut opened = opened.map_err(|_| CrawlError::Panicked("reading of the archive"))??;
        let known = opened.state.seeds().iter().map(|seed| seed.url.as_str());
        setup::check_contact(config, known)?;
        progress.show_counts(opened.state.counts(), 0, (0, 0));
        let was = setup::started(dir);
        setup::write_config(dir, config)?;
        let fetch = match &self.fetch {
            Some(fetch) => Arc::clone(fetch),
            None => Arc::new(network(config)?),
        };
        self.fetch = Some(Arc::clone(&fetch));
        warn_of_doubtful_examples(config)?;
        self.notes.append(&mut opened.notes);
        let mut new_seeds = setup::new_seeds(self.seeds, opened.state.seeds());
        setup::new_examples(config, opened.state.seeds(), &mut new_seeds);
        if node.as_ref().is_some_and(|(node, _)| !node.takes_seeds) && !new_seeds.is_empty() {
            new_seeds.clear();
            let words =
                "seeds: the node goes on with those that it was begun with, as all nodes do";
            self.notes.push(words.to_owned());
        }
        // Many machines have their budgets together, in the ledger.
        let was = was.filter(|_| node.is_none());
        let is_raised = was.is_some_and(|was| {
            budgets::are_raised((&was, config), (opened.state.seeds(), &new_seeds))
        });
        if self.uploads.is_none() {
            let number = node.as_ref().map(|(node, _)| node.fence().node);
            self.uploads = upload::start(config, dir, number)?;
        }
        let on_change = self.on_change.clone().map(|shared| -> OnChange {
            Box::new(move |change| {
                let mut tell = shared.lock().unwrap_or_else(PoisonError::into_inner);
                tell(change);
            })
        });
        let parts = Parts {
            dir,
            config,
            fetch,
            opened,
            new_seeds,
            is_raised,
            on_change,
            node,
            uploads: self.uploads.as_ref().map(Uploads::handle),
        };
        let ended = catch_unwind(AssertUnwindSafe(|| run(parts, &self.watch)));
        ended.map_err(|_| CrawlError::Panicked("start of the crawl"))?
    }

    /// Takes part in a crawl on many machines. A node that has lost touch drops what was not
    /// acknowledged, joins again and goes on.
    fn run_as_node(&mut self, cluster: &Cluster) -> Result<Ended, CrawlError> {
        let mut node = Some(self.join(cluster)?);
        let mut in_vain = 0;
        loop {
            let Some(joined) = node.take() else {
                return Ok(Ended::interrupted());
            };
            let shared = joined.shared();
            let why = match self.run(Some((joined, cluster.clone()))) {
                Err(CrawlError::Lost(why)) => why,
                Err(CrawlError::Ledger(error)) if node::may_join_again(&error) => error.to_string(),
                other => return other,
            };
            if shared.is_sent_away() {
                // It was to leave, and is out.
                return Ok(Ended::by(StopReason::HandedOver));
            }
            tracing::warn!(
                "joining the crawl again, and dropping what was not acknowledged: {why}"
            );
            // A fault that comes back each time, with nothing done in between but the start, does not
            // mend itself.
            in_vain = if shared.closings() > STARTS_GROUPS {
                0
            } else {
                in_vain + 1
            };
            if in_vain >= REJOINS_IN_VAIN_MAX {
                return Err(CrawlError::Lost(why));
            }
            let pause = Duration::from_millis(100) * 2_u32.pow(in_vain.min(6));
            std::thread::park_timeout(pause);
            self.watch
                .progress
                .update(|shown| shown.state = "paused".into());
            let is_stopped = || self.watch.stop.is_stopping();
            node = node::joined_again(cluster, is_stopped, || {
                Node::join(
                    cluster,
                    self.dir,
                    (self.config, self.seeds),
                    &mut Vec::new(),
                )
            })?;
            if let Some(again) = &node {
                again.shared().go_on_from(&shared);
            }
        }
    }

    fn join(&mut self, cluster: &Cluster) -> Result<Node, CrawlError> {
        let crawl = (&**self.config, self.seeds);
        let node = Node::join(cluster, self.dir, crawl, &mut self.notes)?;
        tracing::info!(
            store = cluster.store,
            name = cluster.name,
            "joined the crawl"
        );
        Ok(node)
    }
}

fn network(config: &CrawlConfig) -> Result<HttpFetcher, CrawlError> {
    HttpFetcher::new(setup::http_config(config)?)
        .map_err(|error| CrawlError::Setup(format!("cannot set up the network: {error}")))
}

fn warn_of_doubtful_examples(config: &CrawlConfig) -> Result<(), CrawlError> {
    if let Some(focus) = setup::focus_config(config)? {
        for (file, why) in setup::doubtful_examples(config, &focus) {
            tracing::warn!("the example {file} teaches the topic little: {why}");
        }
    }
    Ok(())
}

fn no_control(dir: &CrawlDir, error: &std::io::Error) -> String {
    format!(
        "no control socket at {}: {error}; `tamis status` shows what is recorded, pause and retry \
         need a stop",
        dir.control().display()
    )
}
