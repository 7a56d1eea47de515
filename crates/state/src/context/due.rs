//! The visit before as bytes: what the journal has in JSON, which a pending URL is read from each time it
//! is asked for and decided about, so without names of fields.

use archive::{AbsenceRecord, BodyRef, DueRecord};
use outcome::{Outcome, Verdict};
use serde::{Deserialize, Serialize};

/// Its fields; texts are borrowed when they are written.
#[derive(Serialize, Deserialize)]
struct Fields<T> {
    url: T,
    round: u32,
    of: u64,
    /// As JSON, empty for a kept page.
    was: T,
    depth: u32,
    seed: u32,
    hops: u8,
    via: Option<u64>,
    priority: f32,
    context: Option<T>,
    digest: T,
    whole: Option<T>,
    fingerprint: T,
    text: Option<BodyRef>,
    etag: Option<T>,
    last_modified: Option<T>,
    unconditional: bool,
    absence: (u32, u64, bool),
    rejudge: bool,
    source: bool,
    seen_ms: u64,
    body: Option<BodyRef>,
}

const KEPT: Outcome = Outcome::Judged(Verdict::Index);

/// As bytes.
pub(crate) fn to_bytes(due: &DueRecord) -> Option<Vec<u8>> {
    let was = match due.was == KEPT {
        true => String::new(),
        false => serde_json::to_string(&due.was).ok()?,
    };
    let absence = &due.absence;
    let fields = Fields::<&str> {
        url: &due.url,
        round: due.round,
        of: due.of,
        was: &was,
        depth: due.depth,
        seed: due.seed,
        hops: due.hops,
        via: due.via,
        priority: due.priority,
        context: due.context.as_deref(),
        digest: &due.digest,
        whole: due.whole.as_deref(),
        fingerprint: &due.fingerprint,
        text: due.text.clone(),
        etag: due.etag.as_deref(),
        last_modified: due.last_modified.as_deref(),
        unconditional: due.unconditional,
        absence: (absence.answers, absence.last_ms, absence.gone),
        rejudge: due.rejudge,
        source: due.source,
        seen_ms: due.seen_ms,
        body: due.body.clone(),
    };
    postcard::to_allocvec(&fields).ok()
}

/// From bytes; `None` for damaged ones.
pub(crate) fn from_bytes(bytes: &[u8]) -> Option<DueRecord> {
    let fields: Fields<String> = postcard::from_bytes(bytes).ok()?;
    let was = match fields.was.is_empty() {
        true => KEPT,
        false => serde_json::from_str(&fields.was).ok()?,
    };
    let (answers, last_ms, gone) = fields.absence;
    Some(DueRecord {
        url: fields.url,
        round: fields.round,
        of: fields.of,
        was,
        depth: fields.depth,
        seed: fields.seed,
        hops: fields.hops,
        via: fields.via,
        priority: fields.priority,
        context: fields.context,
        digest: fields.digest,
        whole: fields.whole,
        fingerprint: fields.fingerprint,
        text: fields.text,
        etag: fields.etag,
        last_modified: fields.last_modified,
        unconditional: fields.unconditional,
        absence: AbsenceRecord {
            answers,
            last_ms,
            gone,
        },
        rejudge: fields.rejudge,
        source: fields.source,
        seen_ms: fields.seen_ms,
        body: fields.body,
    })
}
