//! The writer: takes records with their bodies. After [`Archive::sync`] they survive any crash.
//!
//! ```text
//! append   bodies ──► body buffer ──(1 MB)──► 00001.warc.gz
//!          record ──► journal buffer
//! sync     body buffer ──► 00001.warc.gz ──fdatasync──┐
//!                                                     ▼
//!          journal buffer ──► 00001.meta.warc.gz ──fdatasync──► acknowledged
//! ```
//!
//! No byte of a journal record reaches its file before the bodies it points at are on the disk. So
//! whatever survives a crash, a whole journal record has its bodies. The journal record is the commit.

mod bodies;

use std::path::{Path, PathBuf};

use crate::body::HeadReader;
use crate::layout::{self, Kind};
use crate::member::{Packer, Packing};
use crate::record::{BodyRef, Event, JOURNAL_VERSION, Record};
use crate::record_id::{self, record_id};
use crate::recover::{self, Recovery};
use crate::response::Response;
use crate::revisit::KnownPayloads;
use crate::sync_hint::{HintFile, Synced};
use crate::volume::Volume;
use crate::warc::{END, HeadWriter};
use crate::{ArchiveError, Position, json};

const CONFORMS_TO: &str =
    "http://iipc.github.io/warc-specifications/specifications/warc-format/warc-1.1/";

/// Body bytes kept in memory before they are written to the file.
const BODY_BUFFER_BYTES: usize = 1 << 20;

/// Journal bytes kept in memory before we sync without being asked. The caller's groups are far smaller.
const JOURNAL_BUFFER_BYTES: usize = 8 << 20;

/// Which responses are archived. The main text is archived whenever the caller gives it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Bodies {
    /// Every response.
    #[default]
    All,
    /// Responses of pages whose verdict is `indexed`.
    Kept,
    /// None.
    None,
}

/// How the archive is written.
#[derive(Debug, Clone)]
pub struct ArchiveConfig {
    /// Which responses are archived.
    pub bodies: Bodies,
    /// A file this long is followed by a new one, in bytes. A file may be longer by one record.
    pub file_bytes_max: u64,
    /// Payload digests remembered so that byte-equal payloads are stored once; about 50 bytes of
    /// memory each. The oldest are forgotten first.
    pub payloads_max: usize,
    /// Who writes, for the `software` field of each file.
    pub software: String,
}

impl Default for ArchiveConfig {
    fn default() -> ArchiveConfig {
        ArchiveConfig {
            bodies: Bodies::All,
            file_bytes_max: 1_000_000_000,
            payloads_max: 1_000_000,
            software: concat!("tamis/", env!("CARGO_PKG_VERSION")).to_owned(),
        }
    }
}

/// What is appended at once: a record and the bodies it points at.
#[derive(Debug, Clone, Copy)]
pub struct Entry<'a> {
    /// The record. A page record's `body` and `text` are filled in on disk; leave them `None`.
    pub record: &'a Record,
    /// The response, if there was one. Whether it is archived is up to [`Bodies`].
    pub response: Option<Response<'a>>,
    /// The main text, if it should be archived.
    pub text: Option<&'a str>,
}

impl<'a> Entry<'a> {
    /// An entry of a record alone.
    pub fn of(record: &'a Record) -> Entry<'a> {
        Entry {
            record,
            response: None,
            text: None,
        }
    }
}

/// Where an entry went.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Appended {
    /// The position after the record: what a view that has applied it remembers.
    pub position: Position,
    /// The archived response.
    pub body: Option<BodyRef>,
    /// The archived text.
    pub text: Option<BodyRef>,
}

/// The writer of an archive directory. The caller must see to it that there is only one.
#[derive(Debug)]
pub struct Archive {
    dir: PathBuf,
    config: ArchiveConfig,
    journal: Option<Volume>,
    bodies: Option<Volume>,
    /// The number of the next new file of each kind.
    next_journal: u32,
    next_bodies: u32,
    synced: Synced,
    /// The number of the last record.
    seq: u64,
    hint: HintFile,
    payloads: KnownPayloads,
    packer: Packer,
    /// Reads what revisit records refer to.
    heads: HeadReader,
    head: HeadWriter,
    json: Vec<u8>,
    /// Random bytes of this process, so that no other makes the same record ids.
    nonce: [u8; 16],
    /// A write has failed: nothing more is written.
    failed: bool,
}

impl Archive {
    /// Opens the archive in `dir`, the directory of the archive files themselves, and creates it if
    /// there is none. Cuts what an interrupted write has left.
    ///
    /// Reads only the end of the last file of each kind. Damage elsewhere is found by
    /// [`replay`](crate::replay).
    ///
    /// # Errors
    /// When files cannot be read or written, or a newer Tamis wrote the journal.
    pub fn open(dir: &Path, config: ArchiveConfig) -> Result<(Archive, Recovery), ArchiveError> {
        layout::create_dir(dir).map_err(ArchiveError::write(dir))?;
        let (recovery, end) = recover::recover(dir)?;
        let resume = |kind, number: Option<u32>| match number {
            Some(number) => Volume::resume(dir, kind, number).map(Some),
            None => Ok(None),
        };
        let journal = resume(Kind::Journal, end.journal)?;
        let bodies = resume(Kind::Bodies, end.bodies)?;
        let synced = Synced {
            position: recovery.position,
            seq: recovery.seq,
        };
        let hint = HintFile::open(dir, synced).map_err(ArchiveError::write(dir))?;
        let nonce = record_id::nonce(dir);
        let archive = Archive {
            dir: dir.to_owned(),
            payloads: KnownPayloads::new(config.payloads_max, record_id::half(nonce)),
            config,
            journal,
            bodies,
            next_journal: end.next_journal,
            next_bodies: end.next_bodies,
            synced,
            seq: recovery.seq,
            hint,
            packer: Packer::new(),
            heads: HeadReader::default(),
            head: HeadWriter::default(),
            json: Vec::new(),
            nonce,
            failed: false,
        };
        Ok((archive, recovery))
    }

    /// The end of the journal, including what is not synced yet.
    pub fn position(&self) -> Position {
        match &self.journal {
            Some(journal) => journal.end(),
            None => self.synced.position,
        }
    }

    /// The end of the journal at the last sync.
    pub fn synced(&self) -> Position {
        self.synced.position
    }

    /// The numbers of the files that bodies and journal go to, now or next: those before are closed.
    pub fn open_files(&self) -> (u32, u32) {
        let number = |open: &Option<Volume>, next| open.as_ref().map_or(next, |open| open.number);
        (
            number(&self.bodies, self.next_bodies),
            number(&self.journal, self.next_journal),
        )
    }

    /// The number of the last record, 0 for an empty journal. The next one's is larger.
    pub fn last_seq(&self) -> u64 {
        self.seq
    }

    /// Appends a record with its response and text.
    ///
    /// After `Ok` it has a position, but it is not durable yet: see [`Archive::sync`]. After a
    /// crash before the sync the tail is cut and the URL is still pending.
    ///
    /// # Errors
    /// [`ArchiveError::Write`] when the disk is full or fails. The crawl cannot go on; every
    /// later call fails too.
    pub fn append(&mut self, entry: &Entry<'_>) -> Result<Appended, ArchiveError> {
        self.guarded(|archive| archive.append_unguarded(entry, None))
    }

    /// Appends the record of a visit that found its URL as it was `before`, as the archived response
    /// there has it. Where the answer says so (304), or has the same payload, a revisit record is written
    /// (WARC 1.1 §6.7): it refers to that response, and has no payload.
    ///
    /// # Errors
    /// As [`Archive::append`].
    pub fn append_revisit(
        &mut self,
        record: &Record,
        response: &Response<'_>,
        before: BodyRef,
    ) -> Result<Appended, ArchiveError> {
        let revisit = Some((response, before)).filter(|_| self.config.bodies != Bodies::None);
        self.guarded(|archive| archive.append_unguarded(&Entry::of(record), revisit))
    }

    /// Makes everything appended durable: bodies first, then the journal.
    ///
    /// # Errors
    /// [`ArchiveError::Write`]. A failed sync is final: what is on the disk is unknown until the
    /// next open.
    pub fn sync(&mut self) -> Result<Position, ArchiveError> {
        self.guarded(Archive::sync_unguarded)
    }

    /// Does some writing; after a failure it does nothing more.
    fn guarded<T>(
        &mut self,
        work: impl FnOnce(&mut Archive) -> Result<T, ArchiveError>,
    ) -> Result<T, ArchiveError> {
        if self.failed {
            return Err(ArchiveError::Failed);
        }
        let result = work(self);
        self.failed = result.is_err();
        result
    }

    fn sync_unguarded(&mut self) -> Result<Position, ArchiveError> {
        if let Some(bodies) = &mut self.bodies {
            bodies.sync()?;
        }
        if let Some(journal) = &mut self.journal {
            journal.sync()?;
        }
        let synced = Synced {
            position: self.position(),
            seq: self.seq,
        };
        if synced != self.synced {
            self.hint
                .write(synced)
                .map_err(ArchiveError::write(&self.dir))?;
            self.synced = synced;
        }
        Ok(synced.position)
    }

    fn append_unguarded(
        &mut self,
        entry: &Entry<'_>,
        revisit: Option<(&Response<'_>, BodyRef)>,
    ) -> Result<Appended, ArchiveError> {
        self.roll_over()?;
        let record = entry.record;
        let mut response_id = None;
        let mut body = None;
        if let Some(response) = entry.response.filter(|_| self.wants_body(record)) {
            let (id, place) = self.add_response(&response, record.at_ms)?;
            (response_id, body) = (Some(id), Some(place));
        }
        if let Some((response, before)) = revisit {
            response_id = self.add_revisit(response, before, record.at_ms)?;
        }
        let text = match entry.text {
            Some(text) => Some(self.add_text(record, text, response_id)?),
            None => None,
        };
        if let Some(bodies) = &mut self.bodies
            && bodies.buffered() > BODY_BUFFER_BYTES
        {
            bodies.flush()?;
        }

        json::write(record, body.as_ref(), text.as_ref(), &mut self.json)
            .map_err(ArchiveError::Json)?;
        self.add_journal(record, response_id)?;
        self.seq = self.seq.max(record.seq);
        let position = self.position();
        if self
            .journal
            .as_ref()
            .is_some_and(|journal| journal.buffered() > JOURNAL_BUFFER_BYTES)
        {
            self.sync_unguarded()?;
        }
        Ok(Appended {
            position,
            body,
            text,
        })
    }

    /// Whether the response of this record is archived.
    fn wants_body(&self, record: &Record) -> bool {
        match self.config.bodies {
            Bodies::All => true,
            Bodies::Kept => match &record.event {
                Event::Page(page) => page.outcome.is_indexed(),
                Event::Visit(visit) => {
                    let version = visit.version();
                    version.is_some_and(|page| page.outcome.is_indexed())
                }
                Event::Start(_)
                | Event::Seed(_)
                | Event::Robots(_)
                | Event::Sitemap(_)
                | Event::Attempt(_)
                | Event::Retry(_)
                | Event::Again(_)
                | Event::Elsewhere(_)
                | Event::Stop(_) => false,
            },
            Bodies::None => false,
        }
    }

    /// Begins new files if the present ones are full. These are synced first, so only the last file
    /// of each kind can have a torn tail.
    fn roll_over(&mut self) -> Result<(), ArchiveError> {
        let max = self.config.file_bytes_max;
        if self
            .bodies
            .as_ref()
            .is_some_and(|volume| volume.bytes() >= max)
            && let Some(mut bodies) = self.bodies.take()
        {
            bodies.sync()?;
            self.next_bodies = bodies.number + 1;
        }
        if self
            .journal
            .as_ref()
            .is_some_and(|volume| volume.bytes() >= max)
        {
            self.sync_unguarded()?;
            self.next_journal = self.synced.position.file() + 1;
            self.journal = None;
        }
        Ok(())
    }

    /// Writes the journal record, whose JSON is in `self.json`.
    fn add_journal(&mut self, record: &Record, response: Option<u128>) -> Result<(), ArchiveError> {
        let bodies_end = match &self.bodies {
            Some(bodies) => bodies.end(),
            None => Position::new(self.next_bodies, 0),
        };
        let synced = self.synced.position;
        self.open_volume(Kind::Journal, record.at_ms)?;
        let id = self.next_id(Kind::Journal);
        let head = self.head.begin("metadata", id, record.at_ms);
        if let Some(url) = target(record) {
            head.field("WARC-Target-URI", url);
        }
        if let Some(response) = response {
            head.id("WARC-Concurrent-To", response);
        }
        head.show("Tamis-Synced", synced)
            .show("Tamis-Bodies", bodies_end)
            .field("Content-Type", "application/json");
        let head = head.end(self.json.len());
        let journal = self.journal.as_mut().expect("opened above");
        journal.add(&mut self.packer, Packing::Fast, &[head, &self.json, END]);
        Ok(())
    }

    /// Creates a file of this kind if none is open. It begins with its warcinfo record.
    fn open_volume(&mut self, kind: Kind, at_ms: u64) -> Result<(), ArchiveError> {
        let (slot, number) = match kind {
            Kind::Bodies => (&mut self.bodies, self.next_bodies),
            Kind::Journal => (&mut self.journal, self.next_journal),
        };
        if slot.is_some() {
            return Ok(());
        }
        let mut volume = Volume::create(&self.dir, kind, number)?;
        let info = format!(
            "software: {}\r\nformat: WARC File Format 1.1\r\nconformsTo: {CONFORMS_TO}\r\n\
             {}: {JOURNAL_VERSION}\r\n",
            self.config.software,
            recover::VERSION_KEY,
        );
        let id = record_id(&self.nonce, kind, volume.end());
        let head = self.head.begin("warcinfo", id, at_ms);
        head.field("WARC-Filename", &kind.file_name(number))
            .field("Content-Type", "application/warc-fields");
        let head = head.end(info.len());
        volume.add(
            &mut self.packer,
            Packing::Fast,
            &[head, info.as_bytes(), END],
        );
        *slot = Some(volume);
        Ok(())
    }

    /// The id of the next record of this kind.
    fn next_id(&self, kind: Kind) -> u128 {
        let volume = match kind {
            Kind::Bodies => &self.bodies,
            Kind::Journal => &self.journal,
        };
        record_id(
            &self.nonce,
            kind,
            volume.as_ref().map(Volume::end).unwrap_or_default(),
        )
    }
}

/// The URL that a record is about.
fn target(record: &Record) -> Option<&str> {
    match &record.event {
        Event::Page(page) => Some(&page.url),
        Event::Seed(seed) => Some(&seed.url),
        Event::Sitemap(sitemap) => Some(&sitemap.url),
        Event::Attempt(attempt) => Some(&attempt.url),
        Event::Visit(visit) => Some(&visit.url),
        Event::Start(_)
        | Event::Robots(_)
        | Event::Retry(_)
        | Event::Again(_)
        | Event::Elsewhere(_)
        | Event::Stop(_) => None,
    }
}
