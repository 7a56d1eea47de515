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
    words: u32,
    text: Option<BodyRef>,
    etag: Option<T>,
    last_modified: Option<T>,
    unconditional: bool,
    absence: (u32, u64, bool, u64),
    rejudge: bool,
    source: bool,
    seen_ms: u64,
    body: Option<BodyRef>,
    body_is_older: bool,
    title: T,
    touched: Option<T>,
    parts: Vec<[u32; 6]>,
    succeeds: Option<u64>,
    moved_to: u64,
    points_to: u64,
    site_at: u64,
}

/// The form of the bytes that follow: to be raised with every change of the fields.
const FORM: u8 = 6;

const KEPT: Outcome = Outcome::Judged(Verdict::Index);

/// As bytes.
pub fn to_bytes(due: &DueRecord) -> Option<Vec<u8>> {
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
        words: due.words,
        text: due.text.clone(),
        etag: due.etag.as_deref(),
        last_modified: due.last_modified.as_deref(),
        unconditional: due.unconditional,
        absence: (absence.answers, absence.last_ms, absence.gone, absence.at),
        rejudge: due.rejudge,
        source: due.source,
        seen_ms: due.seen_ms,
        body: due.body.clone(),
        body_is_older: due.body_is_older,
        title: &due.title,
        touched: due.touched.as_deref(),
        parts: due.parts.clone(),
        succeeds: due.succeeds,
        moved_to: due.moved_to,
        points_to: due.points_to,
        site_at: due.site_at,
    };
    postcard::to_extend(&fields, vec![FORM]).ok()
}

/// From bytes; `None` for damaged ones, and those of another form.
pub fn from_bytes(bytes: &[u8]) -> Option<DueRecord> {
    let (form, bytes) = bytes.split_first()?;
    if *form != FORM {
        return None;
    }
    let fields: Fields<String> = postcard::from_bytes(bytes).ok()?;
    let was = match fields.was.is_empty() {
        true => KEPT,
        false => serde_json::from_str(&fields.was).ok()?,
    };
    let (answers, last_ms, gone, at) = fields.absence;
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
        words: fields.words,
        text: fields.text,
        etag: fields.etag,
        last_modified: fields.last_modified,
        unconditional: fields.unconditional,
        absence: AbsenceRecord {
            answers,
            last_ms,
            gone,
            at,
        },
        rejudge: fields.rejudge,
        source: fields.source,
        seen_ms: fields.seen_ms,
        body: fields.body,
        body_is_older: fields.body_is_older,
        title: fields.title,
        touched: fields.touched,
        parts: fields.parts,
        succeeds: fields.succeeds,
        moved_to: fields.moved_to,
        points_to: fields.points_to,
        site_at: fields.site_at,
    })
}

#[cfg(test)]
mod tests {
    use outcome::JunkReason;
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn every_field_is_read_as_it_was_written_and_another_form_is_none() {
        let place = |offset| BodyRef {
            file: 3,
            offset,
            len: 9,
        };
        let due = DueRecord {
            url: "http://a.example/数据".into(),
            round: 2,
            of: 77,
            was: Outcome::Judged(Verdict::Junk(JunkReason::Thin)),
            depth: 4,
            seed: 5,
            hops: 6,
            via: Some(70),
            priority: 0.25,
            context: Some("c".into()),
            digest: "d".into(),
            whole: Some("w".into()),
            fingerprint: "f".into(),
            words: 14,
            text: Some(place(1)),
            etag: Some("e".into()),
            last_modified: Some("l".into()),
            unconditional: true,
            absence: AbsenceRecord {
                answers: 1,
                last_ms: 8,
                gone: true,
                at: 13,
            },
            rejudge: true,
            source: true,
            seen_ms: 9,
            body: Some(place(2)),
            body_is_older: true,
            title: "数据".into(),
            touched: Some("t".into()),
            parts: vec![[1, u32::MAX, 3, 4, 5, 6]],
            succeeds: Some(76),
            moved_to: 10,
            points_to: 11,
            site_at: 12,
        };
        let mut bytes = to_bytes(&due).expect("bytes");
        assert_eq!(from_bytes(&bytes), Some(due));
        let kept = DueRecord::default();
        let of_kept = to_bytes(&kept).and_then(|bytes| from_bytes(&bytes));
        assert_eq!(of_kept.map(|due| due.url), Some(String::new()));
        bytes[0] += 1;
        assert_eq!(from_bytes(&bytes), None);
        assert_eq!(from_bytes(&[]), None);
    }

    proptest! {
        #[test]
        fn any_bytes_are_read_or_none(bytes: Vec<u8>) {
            let _ = from_bytes(&bytes);
        }
    }
}
