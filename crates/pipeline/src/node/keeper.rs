//! The thread that keeps a node's lease, and brings what others leave to it: parts, pages, URLs.
//!
//! It has a connection of its own, so that a group that waits does not keep it from beating. Time is
//! measured by this machine's own steady clock alone.

mod shared;

#[cfg(test)]
mod tests;

use std::collections::HashSet;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, SyncSender, TrySendError, channel};
use std::thread::{Builder, JoinHandle};
use std::time::{Duration, Instant};

use ledger::{Fact, Fence, Ledger, LedgerError, Marks, Meter, Part, Pulse, Silent, Watch};

use crate::messages::{Mail, PartsMove, ToWriter};
use crate::node::lessons::Lessons;
use crate::node::note::NodeNote;
use crate::node::rows;
pub(crate) use shared::Shared;

/// Between two looks at what others admitted.
const FOLLOW_EVERY: Duration = Duration::from_millis(250);

/// The fact that asks a node to hand over what it has; one that has joined again since is not meant.
pub fn drain_of(node: Fence) -> Fact {
    Fact {
        kind: "drain".into(),
        data: format!("node {} in epoch {}", node.node, node.epoch).into_bytes(),
    }
}

/// The keeper, from outside.
pub(crate) struct Keeper {
    thread: JoinHandle<()>,
    end: Sender<End>,
}

/// How the keeper ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum End {
    /// The lease runs out by itself, or goes on with the next join.
    Stops,
    /// All that the node has is given back.
    Leaves,
}

impl Keeper {
    /// Starts to beat.
    ///
    /// # Errors
    /// When there can be no further thread.
    pub(crate) fn start(
        (ledger, meter): (Box<dyn Ledger>, Meter),
        me: Fence,
        (ttl, admitted): (Duration, u64),
        shared: Arc<Shared>,
        to_writer: SyncSender<ToWriter>,
    ) -> std::io::Result<Keeper> {
        let (end, ends) = channel();
        let mut beats = Beats {
            ledger,
            meter,
            me,
            ttl,
            shared,
            to_writer,
            watch: Watch::new(ttl),
            silent: Vec::new(),
            admitted,
            facts: 0,
            told: HashSet::new(),
            has_news: false,
        };
        let thread = Builder::new()
            .name("lease".into())
            .spawn(move || beats.run(&ends))?;
        Ok(Keeper { thread, end })
    }

    /// Ends it; `leaves`: all that the node has is given back, so that others need not wait for the
    /// end of its lease.
    pub(crate) fn end(self, leaves: bool) {
        let how = if leaves { End::Leaves } else { End::Stops };
        // It has ended by itself when the lease was lost.
        let _ = self.end.send(how);
        // A keeper that panicked has lost its lease, and that was told.
        let _ = self.thread.join();
    }
}

struct Beats {
    ledger: Box<dyn Ledger>,
    /// What all of the node's threads said to the ledger.
    meter: Meter,
    me: Fence,
    ttl: Duration,
    shared: Arc<Shared>,
    to_writer: SyncSender<ToWriter>,
    watch: Watch,
    silent: Vec<Silent>,
    /// Admissions by others are followed from here on.
    admitted: u64,
    /// The last fact that was read.
    facts: u64,
    /// Parts that the writer was told to take.
    told: HashSet<Part>,
    /// The writer may not know yet of what came.
    has_news: bool,
}

impl Beats {
    fn run(&mut self, ends: &Receiver<End>) {
        let mut due = Instant::now();
        let mut soonest = due;
        loop {
            let now = Instant::now();
            // A node that runs short, or whose next page promises something else, says so between.
            if now >= due || (now >= soonest && self.shared.is_short()) {
                match self.beat() {
                    Ok(()) => due = Instant::now() + self.ttl / 5,
                    Err(LedgerError::Away(why)) => self.shared.note_away(&why),
                    Err(error) => {
                        self.shared.lose(error.to_string());
                        return;
                    }
                }
                if self.shared.lost().is_some() {
                    return;
                }
                soonest = Instant::now() + FOLLOW_EVERY;
            }
            // What cannot be had now is asked for again.
            let _ = self.follow();
            self.wake_the_writer();
            let now = Instant::now();
            let until = due.min(now + FOLLOW_EVERY).max(now + FOLLOW_EVERY / 5);
            match ends.recv_timeout(until - now) {
                Err(RecvTimeoutError::Timeout) => {}
                Ok(End::Leaves) => return self.leave(),
                Ok(End::Stops) | Err(RecvTimeoutError::Disconnected) => return,
            }
        }
    }

    /// Gives back all that the node has. What cannot be said now the others find out by its silence.
    fn leave(&mut self) {
        let seen = self.shared.lock().seen;
        let pulse = Pulse {
            seen,
            leaves: true,
            note: self.note(None),
            ..Pulse::of(self.me)
        };
        if let Err(error) = self.ledger.beat(&pulse) {
            tracing::info!("the others find out by its silence that this node has left: {error}");
        }
    }

    /// What this node says of itself.
    fn note(&self, divides_by: Option<u32>) -> Vec<u8> {
        let elapsed = self.shared.elapsed().as_secs_f64();
        let mut inner = self.shared.lock();
        let pages = inner.pages;
        let next = inner.turns.tell(pages);
        let note = NodeNote {
            elapsed_s: (elapsed * 10.0).round() / 10.0,
            harvest: inner.together.harvest,
            ends: inner.together.ends.clone(),
            divides_by,
            next: divides_by.and(next),
            ..NodeNote::of(&self.meter.figures(), self.meter.age())
        };
        note.to_bytes()
    }

    fn beat(&mut self) -> Result<(), LedgerError> {
        let (pages, unused) = self.shared.wishes();
        let (release, seen, closings) = {
            let inner = self.shared.lock();
            (inner.given_back.clone(), inner.seen, inner.closings)
        };
        let divides_by = self.shared.lock().shares.tell();
        let sent = self.shared.now();
        let tidings = self.ledger.beat(&Pulse {
            seen,
            wants_parts: !self.shared.is_sent_away(),
            release: release.clone(),
            pages,
            unused,
            silent: std::mem::take(&mut self.silent),
            note: self.note(Some(divides_by)),
            ..Pulse::of(self.me)
        })?;
        self.shared.note_answer();
        self.shared
            .take((self.me, sent), (closings, unused, divides_by), &tidings);
        self.silent = self
            .watch
            .look(self.shared.now(), self.me.node, &tidings.nodes);
        self.shared
            .lock()
            .given_back
            .retain(|part| !release.contains(part));
        for part in &release {
            self.told.remove(part);
        }
        let budget = self.ledger.overview()?;
        let pages: u64 = budget.nodes.iter().map(|node| node.pages).sum();
        self.shared.set_budget(budget.pages_max, pages);
        // Before parts are noted as told: if this fails, they come with the next sign of life.
        let is_asked_to_leave = budget.facts > self.facts && self.reads_facts()?;
        let take: Vec<Part> = (tidings.parts.iter().copied())
            .filter(|part| !self.told.contains(part))
            .collect();
        self.told.extend(&take);
        let mut release: Vec<Part> = tidings.wanted.clone();
        if is_asked_to_leave {
            tracing::info!("asked to hand over: others get this node's parts");
            release = self.told.iter().copied().collect();
        }
        if !take.is_empty() || !release.is_empty() {
            self.bring(Mail::Parts(PartsMove { take, release }));
        }
        Ok(())
    }

    /// Reads what was told to the whole crawl; whether this node is asked to leave, and was not before.
    fn reads_facts(&mut self) -> Result<bool, LedgerError> {
        let marks = Marks {
            facts: self.facts,
            kept: i64::MAX as u64,
            admitted: self.admitted,
        };
        let news = self.ledger.follow(&marks, &[])?;
        self.facts = news.marks.facts;
        let lessons = Lessons::among(&news.facts, self.me.node);
        if !lessons.is_empty() {
            self.bring(Mail::Lessons(lessons));
        }
        let is_asked = (news.facts.iter()).any(|told| told.fact == drain_of(self.me));
        if is_asked {
            let was_asked = std::mem::replace(&mut self.shared.lock().is_sent_away, true);
            return Ok(!was_asked);
        }
        Ok(false)
    }

    fn follow(&mut self) -> Result<(), LedgerError> {
        let marks = Marks {
            facts: i64::MAX as u64,
            kept: i64::MAX as u64,
            admitted: self.admitted,
        };
        let parts: Vec<Part> = self.told.iter().copied().collect();
        if parts.is_empty() {
            return Ok(());
        }
        let news = self.ledger.follow(&marks, &parts)?;
        self.admitted = news.marks.admitted;
        let urls = rows::all_waiting(news.admitted, self.me.node);
        if !urls.is_empty() {
            self.bring(Mail::Admitted(urls));
        }
        Ok(())
    }

    fn bring(&mut self, mail: Mail) {
        self.shared.lock().mail.push(mail);
        self.has_news = true;
    }

    /// Wakes a writer that waits; one that has no room for a message has work, and looks by itself.
    fn wake_the_writer(&mut self) {
        if std::mem::take(&mut self.has_news) {
            match self.to_writer.try_send(ToWriter::Mail) {
                Ok(()) | Err(TrySendError::Full(_) | TrySendError::Disconnected(_)) => {}
            }
        }
    }
}
