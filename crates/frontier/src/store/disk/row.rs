//! The rows of the log.

use serde::{Deserialize, Serialize};

use crate::host::HostKey;
use crate::lease::FrontierUrl;
use crate::store::{Change, Waiting};
use crate::url::CanonicalUrl;

/// Stands for no seed; no list of seeds is so long.
const NO_SEED: u32 = u32::MAX;

/// A row.
#[derive(Debug, PartialEq, Serialize, Deserialize)]
pub(super) enum Row<'a> {
    /// A URL waits from now on.
    Pending(#[serde(borrow)] PendingRow<'a>),
    /// A URL met its fate; its seed is [`NO_SEED`] for no page.
    Finished { key: u128, seed: u32, host: &'a str },
    /// The journal position that all rows before follow from.
    Position(u64),
}

/// A URL that waits.
#[derive(Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct PendingRow<'a> {
    url: &'a str,
    depth: u32,
    seed: u32,
    via: Option<u64>,
    priority: f32,
    context: &'a [u8],
    attempt: u32,
    not_before_ms: u64,
    order: u64,
}

impl<'a> PendingRow<'a> {
    pub(super) fn of(waiting: &'a Waiting) -> PendingRow<'a> {
        let url = &waiting.url;
        PendingRow {
            url: url.url.as_str(),
            depth: url.depth,
            seed: url.seed,
            via: url.via,
            priority: url.priority,
            context: &url.context,
            attempt: waiting.attempt,
            not_before_ms: waiting.not_before_ms,
            order: waiting.order,
        }
    }

    /// None when its URL is none.
    pub(super) fn waiting(&self) -> Option<Waiting> {
        let url = FrontierUrl {
            url: CanonicalUrl::trusted(self.url)?,
            depth: self.depth,
            seed: self.seed,
            via: self.via,
            priority: self.priority,
            context: self.context.to_vec(),
        };
        Some(Waiting {
            url,
            attempt: self.attempt,
            not_before_ms: self.not_before_ms,
            order: self.order,
        })
    }
}

impl<'a> Row<'a> {
    pub(super) fn of(key: u128, change: &'a Change) -> Row<'a> {
        match change {
            Change::Pending(waiting) => Row::Pending(PendingRow::of(waiting)),
            Change::Finished { seed, host } => Row::Finished {
                key,
                seed: seed.unwrap_or(NO_SEED),
                host: host.as_str(),
            },
        }
    }

    /// None when the bytes are no row.
    pub(super) fn read(bytes: &'a [u8]) -> Option<Row<'a>> {
        postcard::from_bytes(bytes).ok()
    }

    pub(super) fn write(&self, to: Vec<u8>) -> Vec<u8> {
        postcard::to_extend(self, to).expect("plain data of known length serialises")
    }

    /// What the row says of a URL; none for a position, or a URL that is none.
    pub(super) fn change(&self) -> Option<(u128, Change)> {
        match self {
            Row::Pending(row) => {
                let waiting = row.waiting()?;
                Some((waiting.url.url.key(), Change::Pending(waiting)))
            }
            Row::Finished { key, seed, host } => {
                let host = HostKey::from_record(host);
                let seed = Some(*seed).filter(|seed| *seed != NO_SEED);
                Some((*key, Change::Finished { seed, host }))
            }
            Row::Position(_) => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_bytes_of_a_row_never_change() {
        // A change here means a new mark of the checkpoint.
        let url = FrontierUrl {
            url: CanonicalUrl::parse("http://a.example/x").expect("a URL"),
            depth: 3,
            seed: 1,
            via: Some(7),
            priority: 0.25,
            context: vec![1, 2],
        };
        let key = url.url.key();
        let pending = Change::Pending(Waiting {
            url,
            attempt: 2,
            not_before_ms: 5,
            order: 9,
        });
        let bytes = Row::of(key, &pending).write(Vec::new());
        let expected =
            b"\0\x12http://a.example/x\x03\x01\x01\x07\0\0\x80\x3e\x02\x01\x02\x02\x05\x09";
        assert_eq!(bytes, expected);
        let read = Row::read(&bytes).expect("a row");
        assert_eq!(read.change(), Some((key, pending)));
        let finished = Change::Finished {
            seed: Some(4),
            host: HostKey::from_record("a.example"),
        };
        let bytes = Row::of(7, &finished).write(Vec::new());
        assert_eq!(bytes, b"\x01\x07\x04\x09a.example");
        let read = Row::read(&bytes).expect("a row");
        assert_eq!(read.change(), Some((7, finished)));
        let sitemap = Change::Finished {
            seed: None,
            host: HostKey::from_record("a.example"),
        };
        let bytes = Row::of(7, &sitemap).write(Vec::new());
        let read = Row::read(&bytes).expect("a row");
        assert_eq!(read.change(), Some((7, sitemap)));
        let position = Row::Position(3).write(Vec::new());
        assert_eq!(position, b"\x02\x03");
        assert_eq!(Row::read(&[9, 9, 9]), None);
    }
}
