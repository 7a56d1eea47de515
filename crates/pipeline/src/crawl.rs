//! A whole crawl: opens the truth and its views, brings the views up to it, runs it, and says how it
//! ended.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use fetcher::{Fetch, HttpFetcher};
use frontier::SeedUrl;
use outcome::StopReason;

use crate::config::CrawlConfig;
use crate::control::server::Control;
use crate::dir::CrawlDir;
use crate::error::CrawlError;
use crate::progress::{Progress, Snapshot};
use crate::publish::OnChange;
use crate::run::{Parts, Watch, run};
use crate::setup;
use crate::stop::StopHandle;
use crate::views;

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
        setup::check_alone(&self.config)?;
        let given = self.seeds.iter().map(|seed| seed.url.as_str());
        setup::check_contact(&self.config, given)?;
        let _lock = self.dir.lock()?;
        let config = Arc::new(self.config);
        let control = Control::open(&self.dir, self.stop.clone(), self.progress.clone());
        let opened = catch_unwind(AssertUnwindSafe(|| {
            views::open(&self.dir, &config, &self.progress)
        }));
        let mut opened = opened.map_err(|_| CrawlError::Panicked("reading of the archive"))??;
        let known = opened.state.seeds().iter().map(|seed| seed.url.as_str());
        setup::check_contact(&config, known)?;
        self.progress.show_counts(opened.state.counts(), 0, (0, 0));
        setup::write_config(&self.dir, &config)?;
        let fetch: Arc<dyn Fetch> = match self.fetch {
            Some(fetch) => fetch,
            None => Arc::new(network(&config)?),
        };
        warn_of_doubtful_examples(&config)?;
        let mut notes = std::mem::take(&mut opened.notes);
        let mut new_seeds = setup::new_seeds(&self.seeds, opened.state.seeds());
        setup::new_examples(&config, opened.state.seeds(), &mut new_seeds);
        let control = control
            .inspect_err(|error| notes.push(no_control(&self.dir, error)))
            .ok();
        let watch = Watch {
            stop: &self.stop,
            progress: &self.progress,
            control: control.as_ref(),
        };
        let parts = Parts {
            dir: &self.dir,
            config: &config,
            fetch,
            opened,
            new_seeds,
            on_change: self.on_change,
        };
        let ended = catch_unwind(AssertUnwindSafe(|| run(parts, &watch)));
        let ended = ended.map_err(|_| CrawlError::Panicked("start of the crawl"))??;
        Ok(CrawlSummary {
            reason: ended.reason,
            detail: ended.detail,
            snapshot: self.progress.snapshot(),
            notes,
        })
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
