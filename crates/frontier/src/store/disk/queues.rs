//! Spilled slots: the worse parts of queues that memory has no room for.
//!
//! A *run* is what was spilled at once: of each queue some slots, in order. A queue reads its part
//! of a run from the best slot on, some at a time, and nothing is written for that. Where several
//! runs have slots of one queue the one with the best next slot is read. A slot that must not come
//! back, since its URL was finished or moved, is forgotten in memory, and left out when it is read.
//!
//! ```text
//! 00000009.slots = chunks: checksum (8 bytes), slots of one queue (32 bytes each, at most 127)
//! ```

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{BufWriter, Write};
use std::os::unix::fs::FileExt;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::files::{Dir, Kind, SLOT_BYTES, checksum, read_slot, write_slot};
use crate::store::{QueueSlot, Returned, StoreError};

/// Slots read at once.
const CHUNK_SLOTS: u64 = 127;
/// So many runs are merged when they are of about one size.
const RUNS_MERGED: usize = 4;

/// The spilled slots of all queues.
#[derive(Debug)]
pub(super) struct Queues {
    dir: Arc<Dir>,
    runs: BTreeMap<u32, Run>,
    /// Where each queue goes on in each run that has slots of it.
    parts: BTreeMap<u32, Vec<Part>>,
    /// Slots that are left out, and how often.
    forgotten: hashbrown::HashMap<SlotKey, u32>,
    /// Runs without slots. The next start may need them.
    replaced: Vec<u32>,
    next_file: u32,
}

#[derive(Debug)]
struct Run {
    file: Arc<File>,
    /// Slots that were not read yet.
    left: u64,
}

/// The slots of one queue in one run, as far as they were not read yet.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub(super) struct Part {
    run: u32,
    at: u64,
    left: u64,
    /// None of the slots is better than this one.
    from: SlotKey,
}

/// A slot by its bits, so that it can be looked up and stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub(super) struct SlotKey {
    priority: u32,
    depth: u32,
    order: u64,
    key: u128,
}

impl From<&QueueSlot> for SlotKey {
    fn from(slot: &QueueSlot) -> SlotKey {
        SlotKey {
            priority: slot.priority.to_bits(),
            depth: slot.depth,
            order: slot.order,
            key: slot.key,
        }
    }
}

impl SlotKey {
    pub(super) fn slot(self) -> QueueSlot {
        QueueSlot {
            priority: f32::from_bits(self.priority),
            depth: self.depth,
            order: self.order,
            key: self.key,
        }
    }
}

impl Queues {
    /// The queues of these runs. Other runs are removed.
    pub(super) fn open(dir: &Arc<Dir>, noted: &[u32]) -> Result<Queues, StoreError> {
        let mut next_file = noted.iter().max().map_or(1, |number| number + 1);
        for (kind, number) in dir.all_numbered()? {
            if kind == Kind::Slots && !noted.contains(&number) {
                dir.remove(kind, number);
                next_file = next_file.max(number + 1);
            }
        }
        let mut runs = BTreeMap::new();
        for &number in noted {
            let file = dir.open(Kind::Slots, number)?;
            let file = Arc::new(file);
            runs.insert(number, Run { file, left: 0 });
        }
        Ok(Queues {
            dir: Arc::clone(dir),
            runs,
            parts: BTreeMap::new(),
            forgotten: hashbrown::HashMap::new(),
            replaced: Vec::new(),
            next_file,
        })
    }

    /// Takes in where a queue goes on, as saved.
    pub(super) fn add_parts(&mut self, host: u32, parts: Vec<Part>) -> Result<(), StoreError> {
        for part in &parts {
            let Some(run) = self.runs.get_mut(&part.run) else {
                return Err(self.dir.damaged("a run of its queues is not there"));
            };
            run.left += part.left;
        }
        if !parts.is_empty() {
            self.parts.insert(host, parts);
        }
        Ok(())
    }

    /// Where a queue goes on.
    pub(super) fn parts(&self, host: u32) -> Vec<Part> {
        self.parts.get(&host).cloned().unwrap_or_default()
    }

    pub(super) fn forgotten(&self) -> Vec<(SlotKey, u32)> {
        let forgotten = self.forgotten.iter();
        forgotten.map(|(slot, times)| (*slot, *times)).collect()
    }

    pub(super) fn set_forgotten(&mut self, forgotten: Vec<(SlotKey, u32)>) {
        self.forgotten = forgotten.into_iter().collect();
    }

    /// Writes slots of queues to a new run.
    pub(super) fn spill(
        &mut self,
        queues: &mut dyn Iterator<Item = (u32, Vec<QueueSlot>)>,
    ) -> Result<(), StoreError> {
        let mut writer = RunWriter::create(&self.dir, self.next_file)?;
        self.next_file += 1;
        for (host, slots) in queues {
            for slot in slots {
                writer.push(host, slot)?;
            }
        }
        self.add_run(writer)?;
        while let Some(group) = self.to_merge() {
            self.merge(&group)?;
        }
        Ok(())
    }

    fn add_run(&mut self, writer: RunWriter) -> Result<(), StoreError> {
        let written = writer.finish()?;
        if written.run.left == 0 {
            self.replaced.push(written.number);
            return Ok(());
        }
        self.runs.insert(written.number, written.run);
        for (host, part) in written.parts {
            self.parts.entry(host).or_default().push(part);
        }
        Ok(())
    }

    /// The next slots of a queue.
    pub(super) fn take(&mut self, host: u32) -> Result<Returned, StoreError> {
        let mut slots: Vec<QueueSlot> = Vec::new();
        // Of a part that was read from before only a bound is known: its next slot may be worse than
        // another part's.
        while self.may_be_better(host, slots.first()) {
            slots.extend(self.take_chunk(host)?.unwrap_or_default());
            slots.sort_unstable();
        }
        let rest_from = self.best_of(host);
        Ok(Returned { slots, rest_from })
    }

    /// Whether what is left of a queue may hold a slot that is better than this one.
    fn may_be_better(&self, host: u32, than: Option<&QueueSlot>) -> bool {
        let best = self.best_of(host);
        best.is_some_and(|best| than.is_none_or(|than| best < *than))
    }

    /// None of what is left of a queue is better than this.
    fn best_of(&self, host: u32) -> Option<QueueSlot> {
        let parts = self.parts.get(&host)?;
        parts.iter().map(|part| part.from.slot()).min()
    }

    /// The next chunk of the part with the best next slot, less what is forgotten; none when
    /// nothing is left.
    fn take_chunk(&mut self, host: u32) -> Result<Option<Vec<QueueSlot>>, StoreError> {
        let Some(parts) = self.parts.get_mut(&host) else {
            return Ok(None);
        };
        let best = (0..parts.len()).min_by_key(|&at| parts[at].from.slot());
        let Some(at) = best else {
            self.parts.remove(&host);
            return Ok(None);
        };
        let part = &mut parts[at];
        let number = part.run;
        let Some(run) = self.runs.get_mut(&number) else {
            return Err(self.dir.damaged("a run of its queues is not there"));
        };
        let mut slots = part.read_chunk(run, &self.dir)?;
        if part.left == 0 {
            parts.swap_remove(at);
        }
        if run.left == 0 {
            self.runs.remove(&number);
            self.replaced.push(number);
        }
        if !self.forgotten.is_empty() {
            slots.retain(|slot| !self.is_forgotten(slot));
        }
        Ok(Some(slots))
    }

    /// Whether a slot that was read is to be left out.
    fn is_forgotten(&mut self, slot: &QueueSlot) -> bool {
        let key = SlotKey::from(slot);
        let Some(times) = self.forgotten.get_mut(&key) else {
            return false;
        };
        *times -= 1;
        if *times == 0 {
            self.forgotten.remove(&key);
        }
        true
    }

    /// Forgets a slot; false when none that is left can be it.
    pub(super) fn forget(&mut self, host: u32, slot: &QueueSlot) -> bool {
        let may_be = self.best_of(host).is_some_and(|best| best <= *slot);
        if may_be {
            *self.forgotten.entry(SlotKey::from(slot)).or_default() += 1;
        }
        may_be
    }

    /// The runs, and their files.
    pub(super) fn runs(&self) -> impl Iterator<Item = (u32, Arc<File>)> + '_ {
        let runs = self.runs.iter();
        runs.map(|(number, run)| (*number, Arc::clone(&run.file)))
    }

    /// Runs that have become of no use. The next start may need their files.
    pub(super) fn take_replaced(&mut self) -> Vec<u32> {
        std::mem::take(&mut self.replaced)
    }

    /// The newest runs, when there are enough of about one size.
    fn to_merge(&self) -> Option<Vec<u32>> {
        let newest: Vec<(u32, u64)> = self
            .runs
            .iter()
            .rev()
            .take(RUNS_MERGED)
            .map(|(&number, run)| (number, run.left))
            .collect();
        let (oldest, others) = newest.split_last()?;
        let sum: u64 = others.iter().map(|(_, left)| left).sum();
        (newest.len() == RUNS_MERGED && oldest.1 <= sum)
            .then(|| newest.iter().map(|(number, _)| *number).collect())
    }

    fn merge(&mut self, group: &[u32]) -> Result<(), StoreError> {
        let mut writer = RunWriter::create(&self.dir, self.next_file)?;
        self.next_file += 1;
        let hosts: Vec<u32> = self.parts.keys().copied().collect();
        for host in hosts {
            let Some(parts) = self.parts.remove(&host) else {
                continue;
            };
            let (merged, others): (Vec<Part>, Vec<Part>) = parts
                .into_iter()
                .partition(|part| group.contains(&part.run));
            if !others.is_empty() {
                self.parts.insert(host, others);
            }
            self.merge_parts(host, merged, &mut writer)?;
        }
        for number in group {
            self.runs.remove(number);
            self.replaced.push(*number);
        }
        self.add_run(writer)
    }

    fn merge_parts(
        &mut self,
        host: u32,
        parts: Vec<Part>,
        writer: &mut RunWriter,
    ) -> Result<(), StoreError> {
        let mut sources: Vec<(Part, std::vec::IntoIter<QueueSlot>)> = parts
            .into_iter()
            .map(|part| (part, Vec::new().into_iter()))
            .collect();
        loop {
            for (part, slots) in &mut sources {
                if slots.as_slice().is_empty()
                    && part.left > 0
                    && let Some(run) = self.runs.get_mut(&part.run)
                {
                    *slots = part.read_chunk(run, &self.dir)?.into_iter();
                }
            }
            let best = sources
                .iter_mut()
                .filter(|(_, slots)| !slots.as_slice().is_empty())
                .min_by_key(|(_, slots)| slots.as_slice()[0]);
            let Some(slot) = best.and_then(|(_, slots)| slots.next()) else {
                return Ok(());
            };
            if self.forgotten.is_empty() || !self.is_forgotten(&slot) {
                writer.push(host, slot)?;
            }
        }
    }
}

impl Part {
    fn read_chunk(&mut self, run: &mut Run, dir: &Dir) -> Result<Vec<QueueSlot>, StoreError> {
        let count = self.left.min(CHUNK_SLOTS);
        let mut bytes = vec![0; 8 + count as usize * SLOT_BYTES];
        let read = run.file.read_exact_at(&mut bytes, self.at);
        read.map_err(|error| dir.error("read from", &error))?;
        if checksum(&bytes[8..]) != bytes[..8] {
            return Err(dir.damaged("queue slots cannot be read"));
        }
        let slots = bytes[8..].as_chunks().0.iter().map(read_slot);
        let slots: Vec<QueueSlot> = slots.collect();
        self.at += bytes.len() as u64;
        self.left -= count;
        run.left = run.left.saturating_sub(count);
        if let Some(last) = slots.last() {
            self.from = last.into();
        }
        Ok(slots)
    }
}

/// A run that is being written.
struct RunWriter {
    dir: Arc<Dir>,
    number: u32,
    to: BufWriter<File>,
    written: u64,
    slots: u64,
    chunk: Vec<u8>,
    chunk_slots: u64,
    parts: Vec<(u32, Part)>,
}

/// A run that was written.
struct Written {
    number: u32,
    run: Run,
    /// Where each queue begins in it.
    parts: Vec<(u32, Part)>,
}

impl RunWriter {
    fn create(dir: &Arc<Dir>, number: u32) -> Result<RunWriter, StoreError> {
        let file = dir.create(Kind::Slots, number)?;
        Ok(RunWriter {
            dir: Arc::clone(dir),
            number,
            to: BufWriter::with_capacity(1 << 18, file),
            written: 0,
            slots: 0,
            chunk: Vec::new(),
            chunk_slots: 0,
            parts: Vec::new(),
        })
    }

    /// The next slot of a queue; all of one queue come one after the other.
    fn push(&mut self, host: u32, slot: QueueSlot) -> Result<(), StoreError> {
        let is_same = self.parts.last().is_some_and(|(last, _)| *last == host);
        if !is_same || self.chunk_slots == CHUNK_SLOTS {
            self.write_chunk()?;
        }
        if !is_same {
            let part = Part {
                run: self.number,
                at: self.written,
                left: 0,
                from: (&slot).into(),
            };
            self.parts.push((host, part));
        }
        if let Some((_, part)) = self.parts.last_mut() {
            part.left += 1;
        }
        write_slot(&mut self.chunk, &slot);
        self.chunk_slots += 1;
        self.slots += 1;
        Ok(())
    }

    fn write_chunk(&mut self) -> Result<(), StoreError> {
        if self.chunk_slots == 0 {
            return Ok(());
        }
        let sum = checksum(&self.chunk);
        let written = self.to.write_all(&sum);
        let written = written.and_then(|()| self.to.write_all(&self.chunk));
        written.map_err(|error| self.dir.error("write to", &error))?;
        self.written += 8 + self.chunk.len() as u64;
        self.chunk.clear();
        self.chunk_slots = 0;
        Ok(())
    }

    fn finish(mut self) -> Result<Written, StoreError> {
        self.write_chunk()?;
        let file = self.to.into_inner();
        let file = file.map_err(|error| self.dir.error("write to", error.error()))?;
        let (file, left) = (Arc::new(file), self.slots);
        Ok(Written {
            number: self.number,
            run: Run { file, left },
            parts: self.parts,
        })
    }
}
