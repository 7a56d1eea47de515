//! Rounds of visits to what was read: one, or one after the other for as long as the crawl runs.

use std::time::{Duration, Instant};

use outcome::StopReason;
use pipeline::again::{Planned, Planner, Wanted};
use pipeline::{CrawlError, CrawlSummary};
use report::changes::RoundCounts;

use super::Runner;
use crate::command::crawl_error;
use crate::command::standing::Standing;
use crate::exit::{Exit, resource};

/// How often, and for how long each time, a directory is waited for that another command holds.
const IN_USE_TRIES: u32 = 120;
const IN_USE_PAUSE: Duration = Duration::from_millis(500);

/// One round, from a part of it on: feeds and sitemaps, pages, and at last pages that repeated what has
/// changed.
pub(super) fn round(runner: &Runner<'_>, from: Wanted, mut told: Told) -> anyhow::Result<Exit> {
    let mut wanted = from;
    loop {
        let planned = runner.plan(&mut told, wanted)?;
        let is_empty = planned.urls + planned.retried == 0 && planned.unfinished == 0;
        match wanted {
            Wanted::Sources if is_empty => {
                wanted = Wanted::Round;
                continue;
            }
            Wanted::Orphans if is_empty => return Ok(Exit::Done),
            Wanted::Sources | Wanted::Round | Wanted::Orphans | Wanted::All => {}
        }
        if runner.is_stopping() {
            return Ok(Exit::Interrupted);
        }
        runner.tell(runner.in_words(wanted, &planned));
        let summary = told.run(runner)?;
        let unanswered = tell_round(runner, &summary, &mut told)?;
        match summary.reason {
            StopReason::Drained | StopReason::MaxPages | StopReason::Harvest => {}
            StopReason::Interrupted => return Ok(Exit::Interrupted),
            StopReason::DiskFull => return Err(resource(summary.detail.unwrap_or_default())),
            StopReason::MaxTime
            | StopReason::NoTopic
            | StopReason::HostsUnreachable
            | StopReason::HandedOver
            | StopReason::Reloaded
            | StopReason::Error
            | StopReason::Unknown(_) => return runner.end(&summary),
        }
        wanted = match wanted {
            // What a plan of pages left open is planned once more only after visits that waited.
            Wanted::Sources | Wanted::Orphans | Wanted::All if summary.snapshot.pages_unplanned => {
                Wanted::Round
            }
            Wanted::Round if summary.snapshot.pages_unplanned && planned.unfinished > 0 => {
                Wanted::Round
            }
            Wanted::Sources | Wanted::Round if !unanswered => Wanted::Orphans,
            Wanted::Sources | Wanted::Round => return Ok(Exit::Problem),
            // What was gone by these visits had copies.
            Wanted::Orphans if summary.snapshot.copies_wait => Wanted::Orphans,
            Wanted::Orphans | Wanted::All => return Ok(Exit::Done),
        };
    }
}

/// What a round that was cut short still wants when its visits have been made, if it does.
pub(super) fn rest(summary: &CrawlSummary) -> Option<Wanted> {
    let is_over = match summary.reason {
        StopReason::Drained | StopReason::MaxPages | StopReason::Harvest => true,
        StopReason::Interrupted
        | StopReason::MaxTime
        | StopReason::NoTopic
        | StopReason::HostsUnreachable
        | StopReason::HandedOver
        | StopReason::Reloaded
        | StopReason::DiskFull
        | StopReason::Error
        | StopReason::Unknown(_) => false,
    };
    let shown = &summary.snapshot;
    match (shown.pages_unplanned, shown.copies_wait) {
        (true, _) if is_over => Some(Wanted::Round),
        (false, true) if is_over => Some(Wanted::Orphans),
        (true | false, _) => None,
    }
}

/// First and further visits in one queue, for as long as the crawl runs: again and again a round is
/// planned by what was learnt so far, and what was crawled goes on beside it.
pub(super) fn continuous(runner: &Runner<'_>) -> anyhow::Result<Exit> {
    let started = Instant::now();
    let mut is_drained = false;
    let mut told = Told::default();
    loop {
        runner.adopt();
        let config = runner.settings.now().config.clone();
        let max_time = config.crawl.max_time.0;
        let end = (!max_time.is_zero()).then(|| started + max_time);
        let next = Instant::now() + config.again.unwrap_or_default().replan.0;
        let until = end.map_or(next, |end| end.min(next));
        // A crawl that has just begun has nothing to come back to.
        let planned = match runner.dir.holds_crawl() {
            true => runner.plan(&mut told, Wanted::All)?,
            false => Planned::default(),
        };
        let is_due = planned.urls + planned.retried > 0;
        let is_work = is_due || planned.unfinished > 0 || planned.put_back;
        if !is_drained || is_work {
            if is_due {
                runner.tell(runner.in_words(Wanted::All, &planned));
            }
            runner.stop.set_until(Some(until));
            let summary = told.run(runner)?;
            // A round may take several runs, and be planned anew before it is over.
            tell_round(runner, &summary, &mut told)?;
            is_drained = match summary.reason {
                StopReason::Drained | StopReason::MaxPages | StopReason::Harvest => true,
                // What could not be reached is tried again after the pause.
                StopReason::HostsUnreachable => {
                    runner.tell(format!(
                        "all that is left waits on hosts that give no answer, no page, or no robots.txt: {}; it goes on \
                         in {} s",
                        summary.detail.as_deref().unwrap_or_default(),
                        until.saturating_duration_since(Instant::now()).as_secs()
                    ));
                    runner.stop.wait(until);
                    false
                }
                StopReason::MaxTime => false,
                StopReason::Interrupted
                | StopReason::NoTopic
                | StopReason::HandedOver
                | StopReason::Reloaded
                | StopReason::DiskFull
                | StopReason::Error
                | StopReason::Unknown(_) => return runner.end(&summary),
            };
        }
        if is_drained {
            runner.stop.wait(until);
        }
        if runner.is_stopping() {
            // The last run ended because nothing was left; the journal is to say what ended the crawl.
            let summary = told.run(runner)?;
            return runner.end(&summary);
        }
        if end.is_some_and(|end| Instant::now() >= end) {
            runner.tell(format!(
                "the time is up; what has changed: tamis changes {0} | goes on with: tamis crawl --dir {0}",
                runner.dir.typed()
            ));
            return Ok(Exit::Done);
        }
    }
}

/// What was read of the journal so far, for plans and for what is said of rounds.
#[derive(Default)]
pub(super) struct Told {
    planner: Planner,
    standing: Standing,
    /// What was said last of a round.
    said: Option<RoundCounts>,
}

impl Told {
    /// Runs the crawl and takes its records in meanwhile, if they are not handed to a server.
    pub(super) fn run(&mut self, runner: &Runner<'_>) -> anyhow::Result<CrawlSummary> {
        self.planner.make_room();
        if runner.has_server {
            return runner.run();
        }
        let (onlooker, standing) = (runner.line.onlooker(), &mut self.standing);
        let planner = &mut self.planner;
        planner.follow_while(runner.dir, onlooker, standing, || runner.run())
    }

    /// Keeps what was taken in for the process that plans the next round.
    pub(super) fn keep(&mut self, runner: &Runner<'_>) {
        if let Err(error) = self.planner.save(runner.dir, &self.standing) {
            tracing::info!("the next round reads the journal: {error}");
        }
    }
}

/// Says what the last round found; whether not one of its visits was answered, and then why.
fn tell_round(
    runner: &Runner<'_>,
    summary: &CrawlSummary,
    told: &mut Told,
) -> anyhow::Result<bool> {
    for note in &summary.notes {
        runner.output.say(format!("note: {note}"));
    }
    let Told {
        planner,
        standing,
        said,
    } = told;
    let read = planner.read_on(runner.dir, standing);
    read.map_err(crawl_error)?;
    // That no page was due was told by the plan.
    let visits = &standing.visits;
    let counts = visits.rounds().last().copied();
    let counts = counts.filter(|counts| !counts.was_early() && said.as_ref() != Some(counts));
    if let Some(counts) = counts {
        let so_far = match counts.visited < counts.planned {
            true => "so far, ",
            false => "",
        };
        runner.tell(format!("{so_far}{}", counts.line()));
        *said = Some(counts);
    }
    let unanswered = visits.unanswered();
    unanswered.iter().for_each(|line| runner.output.say(line));
    Ok(!unanswered.is_empty())
}

fn plan_in_words(wanted: Wanted, planned: &Planned, config: &std::path::Display<'_>) -> String {
    let urls = |count: usize| report::words::plural(count as u64, "page", "pages");
    let retried = match planned.retried {
        0 => String::new(),
        count => {
            let urls = report::words::plural(count as u64, "URL that has", "URLs that have");
            format!("; {urls} shown no page yet are asked for once more")
        }
    };
    match (planned.unfinished, planned.urls) {
        (0, 0) if planned.retried > 0 => format!("no page is due{retried}"),
        (0, 0) => format!(
            "no page is due yet{}: each is left alone for {} after it was read (min and every under [again] in \
             {config}; min = \"0s\" comes back at once)",
            match planned.next_ms {
                0 => String::new(),
                at => format!(", the first at {}", report::words::instant_short(at)),
            },
            planned.pause
        ),
        (0, due) if wanted == Wanted::Sources => format!(
            "round {}: {} of feeds and sitemaps first",
            planned.round,
            report::words::plural(due as u64, "visit", "visits")
        ),
        (0, due) => format!(
            "round {}: {} of {} known are visited again{retried}",
            planned.round,
            urls(due),
            planned.known
        ),
        (unfinished, _) => format!(
            "a round is unfinished: {} wait for their visit",
            urls(unfinished)
        ),
    }
}

/// What is to be said of a clock that was ahead, or is behind now.
fn clock_in_words(planned: &Planned) -> Option<String> {
    (planned.ahead > 0).then(|| {
        format!(
            "{} read last at a time that is still to come: the clock was ahead then, or is behind now; by these times \
             nothing is put off",
            report::words::plural(planned.ahead as u64, "page was", "pages were")
        )
    })
}

impl Runner<'_> {
    fn in_words(&self, wanted: Wanted, planned: &Planned) -> String {
        plan_in_words(wanted, planned, &self.config.display())
    }

    fn plan(&self, told: &mut Told, wanted: Wanted) -> anyhow::Result<Planned> {
        let given = self.settings.now();
        let Told {
            planner, standing, ..
        } = told;
        let mut plan = || planner.plan(self.dir, &given.config, wanted, standing);
        // Another command, such as `tamis retry`, may hold the directory for some moments.
        for _ in 0..IN_USE_TRIES {
            match plan() {
                Err(CrawlError::InUse(_)) if !self.is_stopping() => {
                    self.stop.wait(Instant::now() + IN_USE_PAUSE);
                }
                planned => {
                    let planned = planned.map_err(crawl_error)?;
                    if let (Wanted::Sources | Wanted::All, Some(told)) =
                        (wanted, clock_in_words(&planned))
                    {
                        self.tell(told);
                    }
                    return Ok(planned);
                }
            }
        }
        plan().map_err(crawl_error)
    }
}
