//! What a journal record points at: the response with its request, and the main text.

use super::{Archive, target};
use crate::layout::Kind;
use crate::member::Packing;
use crate::record::{BodyRef, Record};
use crate::response::{Response, base32, http_head, is_compressed, payload_sha1, request_head};
use crate::warc::{END, HeadWriter, Parsed};
use crate::{ArchiveError, body};

/// Payloads shorter than this are written again: a reference to the first copy would not be shorter.
const REVISIT_BYTES_MIN: usize = 512;

const IDENTICAL_PAYLOAD: &str = "http://netpreserve.org/warc/1.1/revisit/identical-payload-digest";

const NOT_MODIFIED: &str = "http://netpreserve.org/warc/1.1/revisit/server-not-modified";

/// The record that holds a payload, as a revisit record refers to it.
#[derive(Debug)]
struct Original {
    id: String,
    url: String,
    date: String,
    digest: String,
    /// Where the payload is, for a revisit record that stands for it.
    place: Option<BodyRef>,
    profile: &'static str,
}

impl Archive {
    /// Writes a response, as a revisit record if its payload is in the archive already, and its
    /// request; gives the id and place of the response.
    pub(super) fn add_response(
        &mut self,
        response: &Response<'_>,
        at_ms: u64,
    ) -> Result<(u128, BodyRef), ArchiveError> {
        self.open_volume(Kind::Bodies, at_ms)?;
        let at_ms = match response.started_ms {
            0 => at_ms,
            started_ms => started_ms,
        };
        // Two files may begin alike: a part of a body stands for no other.
        let may_stand_for_others =
            response.body.len() >= REVISIT_BYTES_MIN && response.truncated.is_none();
        let payload_key = self.payloads.key(response.body);
        let original = match self
            .payloads
            .get(payload_key)
            .filter(|_| may_stand_for_others)
        {
            Some(place) => self.original(place)?,
            None => None,
        };
        let http = http_head(response);
        let payload = match original {
            Some(_) => &b""[..],
            None => response.body,
        };
        let packing = match original.is_none() && is_compressed(response) {
            true => Packing::Stored,
            false => Packing::Fast,
        };
        let id = self.next_id(Kind::Bodies);
        let head = begin_response(&mut self.head, id, at_ms, response, original.as_ref());
        let head = head.end(http.len() + payload.len());
        let bodies = self.bodies.as_mut().expect("opened above");
        let (offset, len) = bodies.add(&mut self.packer, packing, &[head, &http, payload, END]);
        let place = BodyRef {
            file: bodies.number,
            offset,
            len,
        };
        if original.is_none() && may_stand_for_others {
            self.payloads.insert(payload_key, &place);
        }
        if !response.request.is_empty() {
            self.add_request(response, id, at_ms);
        }
        Ok((id, place))
    }

    /// Writes a revisit record of an answer that says, or shows, that the payload is the one that was
    /// archived before; gives its id. None where that cannot be read, or is another one.
    pub(super) fn add_revisit(
        &mut self,
        response: &Response<'_>,
        before: BodyRef,
        at_ms: u64,
    ) -> Result<Option<u128>, ArchiveError> {
        let Some(mut original) = self.original(before)? else {
            return Ok(None);
        };
        if response.status == 304 {
            original.profile = NOT_MODIFIED;
        } else if base32(&payload_sha1(response.body)) != original.digest {
            return Ok(None);
        }
        original.place = None;
        self.open_volume(Kind::Bodies, at_ms)?;
        let at_ms = match response.started_ms {
            0 => at_ms,
            started_ms => started_ms,
        };
        let http = http_head(response);
        let id = self.next_id(Kind::Bodies);
        let head = begin_response(&mut self.head, id, at_ms, response, Some(&original));
        let head = head.end(http.len());
        let bodies = self.bodies.as_mut().expect("opened above");
        bodies.add(&mut self.packer, Packing::Fast, &[head, &http, END]);
        if !response.request.is_empty() {
            self.add_request(response, id, at_ms);
        }
        Ok(Some(id))
    }

    fn add_request(&mut self, response: &Response<'_>, answer: u128, at_ms: u64) {
        let http = request_head(response);
        let id = self.next_id(Kind::Bodies);
        let head = self.head.begin("request", id, at_ms);
        head.field("WARC-Target-URI", response.url)
            .id("WARC-Concurrent-To", answer)
            .field("Content-Type", "application/http; msgtype=request");
        let head = head.end(http.len());
        let bodies = self.bodies.as_mut().expect("a response was written before");
        bodies.add(&mut self.packer, Packing::Fast, &[head, &http, END]);
    }

    /// Writes the main text of a page; gives its place.
    pub(super) fn add_text(
        &mut self,
        record: &Record,
        text: &str,
        response: Option<u128>,
    ) -> Result<BodyRef, ArchiveError> {
        self.open_volume(Kind::Bodies, record.at_ms)?;
        let id = self.next_id(Kind::Bodies);
        let head = self.head.begin("conversion", id, record.at_ms);
        if let Some(url) = target(record) {
            head.field("WARC-Target-URI", url);
        }
        if let Some(response) = response {
            head.id("WARC-Refers-To", response);
        }
        head.field("Content-Type", "text/plain; charset=utf-8");
        let head = head.end(text.len());
        let bodies = self.bodies.as_mut().expect("opened above");
        let parts = [head, text.as_bytes(), END];
        let (offset, len) = bodies.add(&mut self.packer, Packing::Fast, &parts);
        Ok(BodyRef {
            file: bodies.number,
            offset,
            len,
        })
    }

    /// The record that holds a payload. `None` when it cannot be read; then the payload is written
    /// once more.
    fn original(&mut self, place: BodyRef) -> Result<Option<Original>, ArchiveError> {
        if let Some(bodies) = &mut self.bodies {
            bodies.flush_to(place.file, place.offset + place.len)?;
        }
        let Ok(record) = self.heads.read(&self.dir, &place) else {
            return Ok(None);
        };
        Ok(Parsed::head(&record).and_then(|parsed| {
            let field = |name| parsed.field(name).map(str::to_owned);
            Some(Original {
                id: field("WARC-Record-ID")?,
                url: field("WARC-Target-URI")?,
                date: field("WARC-Date")?,
                digest: field("WARC-Payload-Digest")?
                    .strip_prefix("sha1:")?
                    .to_owned(),
                place: Some(place),
                profile: IDENTICAL_PAYLOAD,
            })
        }))
    }
}

/// Writes the head of a response record, or of a revisit record that refers to the original; all but
/// its end.
fn begin_response<'h>(
    head: &'h mut HeadWriter,
    id: u128,
    at_ms: u64,
    response: &Response<'_>,
    original: Option<&Original>,
) -> &'h mut HeadWriter {
    let (warc_type, digest) = match original {
        Some(original) => ("revisit", original.digest.clone()),
        None => ("response", base32(&payload_sha1(response.body))),
    };
    let head = head.begin(warc_type, id, at_ms);
    head.field("WARC-Target-URI", response.url)
        .field("Content-Type", "application/http; msgtype=response")
        .show("WARC-Payload-Digest", format_args!("sha1:{digest}"));
    if let Some(ip) = response.ip {
        head.show("WARC-IP-Address", ip);
    }
    if response.http_version == "HTTP/2" {
        head.field("WARC-Protocol", "h2");
    }
    if let Some(truncated) = response.truncated {
        head.field("WARC-Truncated", warc_truncated(truncated));
    }
    if let Some(original) = original {
        head.field("WARC-Profile", original.profile)
            .field("WARC-Refers-To", &original.id)
            .field("WARC-Refers-To-Target-URI", &original.url)
            .field("WARC-Refers-To-Date", &original.date);
        if let Some(place) = &original.place {
            head.show(
                body::PAYLOAD_FIELD,
                format_args!("{}:{}:{}", place.file, place.offset, place.len),
            );
        }
    }
    head
}

/// The value of `WARC-Truncated`. WARC 1.1 §5.13 defines some reasons and allows others.
fn warc_truncated(reason: &str) -> &str {
    match reason {
        "bytes" => "length",
        other => other,
    }
}
