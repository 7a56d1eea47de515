//! Journal records from and to JSON, without the detour that serde takes by itself.
//!
//! Serde reads a flattened, tagged enum by copying the whole value into a tree first. The three
//! fields that tell which event it is stand first in what we write, so we read them by hand and
//! then read the event's own struct from the same bytes; it ignores the three. Some three times
//! as fast; a record in any other order of fields still reads.

use std::borrow::Cow;
use std::cell::Cell;
use std::fmt;
use std::marker::PhantomData;

use outcome::LinkFate;
use serde::de::{SeqAccess, Visitor};
use serde::{Deserialize, Deserializer};

use crate::record::{BodyRef, Event, LinkRecord, NAMED_RELS, Record};

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

thread_local! {
    /// The record that this thread reads is to have bare links. A derived reader can be told no other way.
    static BARE_LINKS: Cell<bool> = const { Cell::new(false) };
}

/// Until this is dropped.
struct BareLinks;

impl BareLinks {
    fn begin() -> Self {
        BARE_LINKS.set(true);
        Self
    }
}

impl Drop for BareLinks {
    fn drop(&mut self) {
        BARE_LINKS.set(false);
    }
}

/// Links that are reserved at once: a page has some dozens.
const LINKS_RESERVED: usize = 48;

/// The links of a page.
pub(crate) fn links<'de, D: Deserializer<'de>>(from: D) -> Result<Vec<LinkRecord>, D::Error> {
    match BARE_LINKS.get() {
        true => from.deserialize_seq(Links::<BareLink<'de>>(PhantomData)),
        false => from.deserialize_seq(Links::<LinkRecord>(PhantomData)),
    }
}

struct Links<L>(PhantomData<L>);

impl<'de, L: Deserialize<'de> + Into<LinkRecord>> Visitor<'de> for Links<L> {
    type Value = Vec<LinkRecord>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("links")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut from: A) -> Result<Self::Value, A::Error> {
        let mut links = Vec::with_capacity(LINKS_RESERVED);
        while let Some(link) = from.next_element::<L>()? {
            links.push(link.into());
        }
        Ok(links)
    }
}

/// A link without its words.
#[derive(Deserialize)]
struct BareLink<'j> {
    #[serde(rename = "u")]
    url: String,
    #[serde(rename = "r", default, borrow)]
    rel: Cow<'j, str>,
    #[serde(rename = "p", default)]
    promise: f32,
    #[serde(rename = "f", default)]
    fate: LinkFate,
    #[serde(rename = "d", default)]
    told_ms: u64,
}

impl From<BareLink<'_>> for LinkRecord {
    fn from(bare: BareLink<'_>) -> LinkRecord {
        LinkRecord {
            url: bare.url,
            promise: bare.promise,
            rel: match NAMED_RELS.contains(&&*bare.rel) {
                true => bare.rel.into_owned(),
                false => String::new(),
            },
            fate: bare.fate,
            told_ms: bare.told_ms,
            ..LinkRecord::default()
        }
    }
}

impl Record {
    /// As [`Record::from_json`], with links that lack anchor, context and `rel`, but for that of sources and redirects:
    /// most of what takes time to read.
    ///
    /// # Errors
    /// As [`Record::from_json`].
    pub fn from_json_with_bare_links(json: &[u8]) -> Result<Record, serde_json::Error> {
        let _until_read = BareLinks::begin();
        Record::from_json(json)
    }

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
    fn bare_links_lack_their_words_and_a_reading_that_failed_leaves_nothing_behind() {
        let whole = LinkRecord {
            url: "http://a.example/".into(),
            anchor: "a \"word\"".into(),
            rel: "tag".into(),
            promise: 0.5,
            fate: LinkFate::New,
            context: "AAAA".into(),
            told_ms: 7,
        };
        let page = PageRecord {
            links: vec![whole.clone(), LinkRecord::default()],
            ..PageRecord::default()
        };
        let visit = VisitRecord {
            page: Some(Box::new(page.clone())),
            ..VisitRecord::default()
        };
        let links_of = |record: Record| match record.event {
            Event::Page(page) => page.links,
            Event::Visit(visit) => visit.page.expect("a page").links,
            other => panic!("{other:?}"),
        };
        for event in [Event::Page(Box::new(page)), Event::Visit(Box::new(visit))] {
            let (seq, at_ms) = (1, 2);
            let record = Record { seq, at_ms, event };
            let mut json = Vec::new();
            write(&record, None, None, &mut json).unwrap();
            let bare = Record::from_json_with_bare_links(&json).unwrap();
            let expected = LinkRecord {
                anchor: String::new(),
                rel: String::new(),
                context: String::new(),
                ..whole.clone()
            };
            assert_eq!(links_of(bare), [expected, LinkRecord::default()]);
            json.pop();
            assert!(Record::from_json_with_bare_links(&json).is_err());
            json.push(b'}');
            assert_eq!(Record::from_json(&json).unwrap(), record);
        }
    }

    #[test]
    fn bare_links_keep_the_relations_that_are_asked_for() {
        // Where a URL redirects was lost, so whoever read the journal so saw no redirect in a circle.
        let link = |rel: &str| LinkRecord {
            url: "http://a.example/".into(),
            rel: rel.into(),
            ..LinkRecord::default()
        };
        let page = |rel: &str| PageRecord {
            links: vec![link(rel)],
            ..PageRecord::default()
        };
        let bare = |rel: &str| {
            let record = Record {
                seq: 1,
                at_ms: 2,
                event: Event::Page(Box::new(page(rel))),
            };
            let mut json = Vec::new();
            write(&record, None, None, &mut json).unwrap();
            match Record::from_json_with_bare_links(&json).unwrap().event {
                Event::Page(page) => *page,
                other => panic!("{other:?}"),
            }
        };
        for rel in ["redirect", "sitemap"] {
            let (bare, whole) = (bare(rel), page(rel));
            assert_eq!(bare.redirect_target(), whole.redirect_target());
            assert_eq!(
                bare.names_source(&bare.links[0]),
                whole.names_source(&whole.links[0])
            );
        }
        assert!(page("redirect").redirect_target().is_some());
        assert_eq!(bare("nofollow").links[0].rel, "");
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
