//! What a state has in memory alone, written and read again: a start takes it up and replays the
//! records after it, not the whole journal.
//!
//! That is all but the frontier's URLs and the prints, which their stores keep, each with a position
//! of its own. It is written between two records. The same records and settings give the same bytes,
//! whether they were applied as they came, replayed, or partly read from an earlier snapshot
//! (`laws.rs`).
//!
//! ```text
//! snapshot = part for each field of State, parts of kept pages, an empty part of kept pages
//! part     = length in four bytes, little-endian; postcard
//! ```
//!
//! Whoever stores it keeps the journal position, [`FORMAT`] and [`State::settings`] with it, and does
//! not give it back to a state that differs in these. What is read may be damaged all the same: it
//! is refused, or gives a state without sense, but no panic and no more memory than some times its own
//! length.

use std::collections::{BTreeMap, HashMap};
use std::io::{self, Read, Write};

use archive::RetryOrigin;
use frontier::Learnt;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::xxh3_128;

use crate::counts::Counts;
use crate::examples::Examples;
use crate::fetch_gate::FetchGate;
use crate::focus_view::FocusView;
use crate::host_pasts::HostPasts;
use crate::host_walls::HostWalls;
use crate::kept::KeptPage;
use crate::reach::{Known, Reach};
use crate::robots_book::All;
use crate::saved::json;
use crate::state::{State, StateError};
use crate::templates::Templates;

/// The form of a snapshot, and what records do to a state. Raise it when either changes: then an older
/// snapshot is not read, and the journal is replayed from its beginning.
pub const FORMAT: u32 = 23;

/// Kept pages in one part: some 300 kB.
const KEPT_PER_PART: usize = 4_096;

/// Bytes of one part.
const PART_MAX: u64 = 1 << 30;

/// Why a snapshot cannot be written or read.
#[derive(Debug, thiserror::Error)]
pub enum SnapshotError {
    /// The system is in the way.
    #[error(transparent)]
    Io(#[from] io::Error),
    /// It is no snapshot, or a damaged one.
    #[error("it is damaged: {0}")]
    Damaged(String),
    /// The state cannot begin anew.
    #[error(transparent)]
    State(#[from] StateError),
}

/// What is small.
#[derive(Default, Serialize, Deserialize)]
struct Small {
    seq: u64,
    counts: Counts,
    #[serde(with = "json")]
    returns: BTreeMap<String, RetryOrigin>,
}

/// All that was read.
struct Snapshot {
    small: Small,
    pasts: HostPasts,
    reach: Known,
    examples: Examples,
    templates: Templates,
    robots: All,
    gate: FetchGate,
    learnt: Learnt,
    walls: HostWalls,
    focus: Option<FocusView>,
    kept: HashMap<u64, KeptPage>,
}

impl State {
    /// Names the settings that a snapshot depends on: one of other settings is of no use.
    pub fn settings(&self) -> u128 {
        let ignores_parameters = self.queue.lock().frontier.ignores_parameters();
        let settings = format!("{ignores_parameters} {:?}", self.policy.shaping());
        xxh3_128(settings.as_bytes())
    }

    /// Writes what is in memory alone.
    ///
    /// The queue is locked for some milliseconds for each million of URLs read.
    ///
    /// # Errors
    /// When `to` cannot be written.
    pub fn write_snapshot(&self, to: &mut impl Write) -> Result<(), SnapshotError> {
        let mut to = Parts::new(to);
        to.write(&Small {
            seq: self.seq,
            counts: self.counts.clone(),
            returns: self.returns.clone(),
        })?;
        to.write(&self.pasts)?;
        to.write(self.reach.known())?;
        to.write(&self.examples)?;
        to.write(&self.templates)?;
        {
            let queue = self.queue.lock();
            to.write(queue.robots.known())?;
            to.write(&queue.gate)?;
            to.write(&queue.frontier.learnt())?;
            to.write(&queue.walls)?;
        }
        to.write(&self.focus)?;
        let numbers = self.kept.numbers();
        for numbers in numbers.chunks(KEPT_PER_PART).chain([&[][..]]) {
            let page = |seq: &u64| Some((*seq, self.kept.get(*seq)?));
            let pages: Vec<(u64, &KeptPage)> = numbers.iter().filter_map(page).collect();
            to.write(&pages)?;
        }
        Ok(())
    }

    /// Takes up what was written. After an error this knows nothing but what its stores hold, as if it
    /// were new.
    ///
    /// # Errors
    /// When `from` cannot be read, or is damaged.
    pub fn read_snapshot(&mut self, from: &mut impl Read) -> Result<(), SnapshotError> {
        let snapshot = Snapshot::read(from)?;
        if self.resume(snapshot) {
            return Ok(());
        }
        self.forget()?;
        Err(SnapshotError::Damaged("its parts disagree".into()))
    }

    /// False where the parts contradict each other: then this is of no more use.
    fn resume(&mut self, snapshot: Snapshot) -> bool {
        let is_sound = match (&mut self.focus, snapshot.focus) {
            (Some(focus), Some(saved)) => focus.resume(saved),
            (None, None) => true,
            (Some(_), None) | (None, Some(_)) => false,
        };
        if !is_sound || self.reach.resume(snapshot.reach).is_err() {
            return false;
        }
        Small {
            seq: self.seq,
            counts: self.counts,
            returns: self.returns,
        } = snapshot.small;
        self.pasts = snapshot.pasts;
        self.examples = snapshot.examples;
        self.templates = snapshot.templates;
        self.kept.resume(snapshot.kept);
        let mut queue = self.queue.lock();
        queue.robots.resume(snapshot.robots);
        queue.gate.resume(snapshot.gate);
        queue.frontier.resume_learnt(snapshot.learnt);
        queue.walls.resume(snapshot.walls);
        true
    }

    /// Knows nothing but what the stores hold. Only what [`State::resume`] changes before it fails is to
    /// be made anew.
    fn forget(&mut self) -> Result<(), StateError> {
        let focus = self.policy.focus.as_ref();
        self.focus = focus.map(FocusView::new).transpose()?;
        let reach = Reach::new(&self.policy.scope)?;
        self.queue.lock().set_scope(reach.scope());
        self.reach = reach;
        Ok(())
    }
}

/// Writes parts.
#[derive(Debug)]
pub struct Parts<'w, W> {
    to: &'w mut W,
    part: Vec<u8>,
}

impl<'w, W: Write> Parts<'w, W> {
    /// Writes them here.
    pub fn new(to: &'w mut W) -> Self {
        Self {
            to,
            part: Vec::new(),
        }
    }

    /// Writes the next one.
    ///
    /// # Errors
    /// When it cannot be written, or is longer than a part may be.
    pub fn write(&mut self, part: &impl Serialize) -> Result<(), SnapshotError> {
        let bytes = postcard::to_extend(part, std::mem::take(&mut self.part));
        let mut bytes = bytes.map_err(io::Error::other)?;
        let length = u32::try_from(bytes.len()).map_err(io::Error::other)?;
        if u64::from(length) > PART_MAX {
            let why = format!("a part of {length} bytes is longer than {PART_MAX}");
            return Err(io::Error::other(why).into());
        }
        self.to.write_all(&length.to_le_bytes())?;
        self.to.write_all(&bytes)?;
        bytes.clear();
        self.part = bytes;
        Ok(())
    }
}

impl Snapshot {
    fn read(from: &mut impl Read) -> Result<Self, SnapshotError> {
        Ok(Self {
            small: read_part(from)?,
            pasts: read_part(from)?,
            reach: read_part(from)?,
            examples: read_part(from)?,
            templates: read_part(from)?,
            robots: read_part(from)?,
            gate: read_part(from)?,
            learnt: read_part(from)?,
            walls: read_part(from)?,
            focus: read_part(from)?,
            kept: read_kept(from)?,
        })
    }
}

fn read_kept(from: &mut impl Read) -> Result<HashMap<u64, KeptPage>, SnapshotError> {
    let mut kept = HashMap::new();
    loop {
        let pages: Vec<(u64, KeptPage)> = read_part(from)?;
        if pages.is_empty() {
            return Ok(kept);
        }
        kept.extend(pages);
    }
}

/// Reads the next part. No more memory is reserved than there are bytes.
///
/// # Errors
/// When `from` cannot be read, or has no such part there.
pub fn read_part<T: DeserializeOwned>(from: &mut impl Read) -> Result<T, SnapshotError> {
    let mut length = [0; 4];
    from.read_exact(&mut length)?;
    let length = u64::from(u32::from_le_bytes(length));
    let mut part = Vec::new();
    // So nothing is reserved for a length that is not there.
    let read = from.take(length.min(PART_MAX)).read_to_end(&mut part)?;
    if read as u64 != length {
        return Err(SnapshotError::Damaged("a part breaks off".into()));
    }
    let part = postcard::take_from_bytes(&part);
    match part.map_err(|error| SnapshotError::Damaged(error.to_string()))? {
        (value, []) => Ok(value),
        (_, _) => Err(SnapshotError::Damaged("a part is too long".into())),
    }
}
