//! Journal records from and to JSON, without the detour that serde takes by itself.
//!
//! Serde reads a flattened, tagged enum by copying the whole value into a tree first. The three
//! fields that tell which event it is stand first in what we write, so we read them by hand and
//! then read the event's own struct from the same bytes; it ignores the three. Some three times
//! as fast; a record in any other order of fields still reads.

use std::borrow::Cow;

use serde::Deserialize;

use crate::record::{BodyRef, Event, Record};

/// A record's first fields: enough to decide whether to read the rest.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct Head<'j> {
    /// The record's number.
    pub seq: u64,
    /// When it was written, milliseconds since the Unix epoch.
    pub at_ms: u64,
    /// The event's name: `page`, `seed`, ...
    #[serde(rename = "type", borrow)]
    pub event: Cow<'j, str>,
}

impl<'j> Head<'j> {
    /// Reads the first fields of a record's JSON.
    ///
    /// # Errors
    /// When the bytes are no record.
    pub fn read(json: &'j [u8]) -> Result<Head<'j>, serde_json::Error> {
        match Head::at_front(json) {
            Some(head) => Ok(head),
            None => serde_json::from_slice(json),
        }
    }

    fn at_front(json: &'j [u8]) -> Option<Head<'j>> {
        let (seq, rest) = number(json.strip_prefix(br#"{"seq":"#)?)?;
        let (at_ms, rest) = number(rest.strip_prefix(br#","at_ms":"#)?)?;
        let rest = rest.strip_prefix(br#","type":""#)?;
        let end = rest.iter().position(|&byte| byte == b'"')?;
        let event = std::str::from_utf8(&rest[..end]).ok()?;
        (!event.contains('\\')).then_some(Head {
            seq,
            at_ms,
            event: Cow::Borrowed(event),
        })
    }
}

fn number(text: &[u8]) -> Option<(u64, &[u8])> {
    let digits = text.iter().take_while(|byte| byte.is_ascii_digit()).count();
    let number = std::str::from_utf8(&text[..digits]).ok()?.parse().ok()?;
    Some((number, &text[digits..]))
}

impl Record {
    /// Reads a record's JSON as it stands in the journal.
    ///
    /// # Errors
    /// When the bytes are no record that this version knows.
    pub fn from_json(json: &[u8]) -> Result<Record, serde_json::Error> {
        let head = Head::read(json)?;
        let event = match &*head.event {
            "start" => Event::Start(serde_json::from_slice(json)?),
            "seed" => Event::Seed(serde_json::from_slice(json)?),
            "robots" => Event::Robots(serde_json::from_slice(json)?),
            "sitemap" => Event::Sitemap(serde_json::from_slice(json)?),
            "attempt" => Event::Attempt(serde_json::from_slice(json)?),
            "page" => Event::Page(serde_json::from_slice(json)?),
            "retry" => Event::Retry(serde_json::from_slice(json)?),
            "again" => Event::Again(serde_json::from_slice(json)?),
            "elsewhere" => Event::Elsewhere(serde_json::from_slice(json)?),
            "visit" => Event::Visit(serde_json::from_slice(json)?),
            "stop" => Event::Stop(serde_json::from_slice(json)?),
            // An event that serde knows and this table does not: the slow way is always right.
            _ => return serde_json::from_slice(json),
        };
        Ok(Record {
            seq: head.seq,
            at_ms: head.at_ms,
            event,
        })
    }
}

/// Puts the record's JSON into `json`, with the places of its body and text in it.
///
/// They are known only now, and the caller's record stays as it is: the two fields are added at
/// the end of the object.
pub(crate) fn write(
    record: &Record,
    body: Option<&BodyRef>,
    text: Option<&BodyRef>,
    json: &mut Vec<u8>,
) -> Result<(), serde_json::Error> {
    json.clear();
    serde_json::to_writer(&mut *json, record)?;
    let page = match &record.event {
        Event::Page(page) => page,
        Event::Visit(visit) => match &visit.page {
            Some(page) => page,
            None => return Ok(()),
        },
        Event::Start(_)
        | Event::Seed(_)
        | Event::Robots(_)
        | Event::Sitemap(_)
        | Event::Attempt(_)
        | Event::Retry(_)
        | Event::Again(_)
        | Event::Elsewhere(_)
        | Event::Stop(_) => return Ok(()),
    };
    let added = [
        ("body", body.filter(|_| page.body.is_none())),
        ("text", text.filter(|_| page.text.is_none())),
    ];
    for (name, place) in added {
        let Some(place) = place else { continue };
        assert_eq!(json.pop(), Some(b'}'), "a record is a JSON object");
        json.extend_from_slice(b",\"");
        json.extend_from_slice(name.as_bytes());
        json.extend_from_slice(b"\":");
        serde_json::to_writer(&mut *json, place)?;
        json.push(b'}');
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::*;

    fn events() -> Vec<Event> {
        vec![
            Event::Start(StartRecord::default()),
            Event::Seed(SeedRecord::default()),
            Event::Robots(RobotsRecord::default()),
            Event::Sitemap(SitemapRecord::default()),
            Event::Attempt(AttemptRecord::default()),
            Event::Page(Box::default()),
            Event::Retry(RetryRecord::default()),
            Event::Again(AgainRecord::default()),
            Event::Visit(Box::default()),
            Event::Elsewhere(ElsewhereRecord::default()),
            Event::Stop(StopRecord::default()),
        ]
    }

    #[test]
    fn every_event_reads_back_and_serde_agrees() {
        for (at, event) in events().into_iter().enumerate() {
            let record = Record {
                seq: at as u64,
                at_ms: 5,
                event,
            };
            let mut json = Vec::new();
            write(&record, None, None, &mut json).unwrap();
            assert!(Head::at_front(&json).is_some());
            assert_eq!(Record::from_json(&json).unwrap(), record);
            assert_eq!(serde_json::from_slice::<Record>(&json).unwrap(), record);
        }
    }

    #[test]
    fn fields_may_stand_in_any_order() {
        let json = br#"{"reason":"drained","ran_ms":5,"type":"stop","at_ms":2,"seq":1}"#;
        let record = Record::from_json(json).unwrap();
        assert_eq!((record.seq, record.at_ms), (1, 2));
        assert!(matches!(record.event, Event::Stop(_)));
    }

    #[test]
    fn body_and_text_are_added_to_a_page() {
        let place = |offset| BodyRef {
            file: 1,
            offset,
            len: 9,
        };
        let mut record = Record {
            seq: 1,
            at_ms: 2,
            event: Event::Page(Box::default()),
        };
        let mut json = Vec::new();
        write(&record, Some(&place(5)), Some(&place(6)), &mut json).unwrap();
        if let Event::Page(page) = &mut record.event {
            page.body = Some(place(5));
            page.text = Some(place(6));
        }
        assert_eq!(Record::from_json(&json).unwrap(), record);
    }

    #[test]
    fn other_json_is_an_error() {
        for json in [
            &b""[..],
            b"{}",
            b"[1]",
            b"{\"seq\":1,\"at_ms\":2,\"type\":\"comet\"}",
        ] {
            assert!(Record::from_json(json).is_err());
        }
    }
}
