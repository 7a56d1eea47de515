//! What a node says of itself with each sign of life: what it asked of the ledger, how long it waited, and
//! what all nodes need for the rules that end the crawl.
//!
//! The ledger keeps the last note of each node, those that have ended among them, so `tamis cluster
//! status` tells of all nodes without asking any. A note is JSON of at most 4 KB.

use std::collections::BTreeMap;
use std::time::Duration;

use focus::HarvestShare;
use ledger::Figures;
use ledger::meter::HELD;
use serde::{Deserialize, Serialize};

/// Bytes of a reason to end, which is ASCII, at most.
pub(crate) const ENDS_MAX: usize = 400;

/// Bytes of a note.
const NOTE_MAX: usize = 4_096;

/// Messages of one kind.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Messages {
    /// How many.
    pub calls: u64,
    /// How many of them failed.
    pub errors: u64,
    /// Rows sent.
    pub rows_out: u64,
    /// Rows that came back.
    pub rows_in: u64,
    /// Bytes of the rows sent.
    pub bytes_out: u64,
    /// Bytes of the rows that came back.
    pub bytes_in: u64,
    /// Time until the answers in all, milliseconds.
    pub ms: u64,
    /// The longest of them.
    pub ms_max: u64,
}

impl From<&Figures> for Messages {
    fn from(figures: &Figures) -> Messages {
        let ms = |time: Duration| u64::try_from(time.as_millis()).unwrap_or(u64::MAX);
        Messages {
            calls: figures.calls,
            errors: figures.errors,
            rows_out: figures.rows_out,
            rows_in: figures.rows_in,
            bytes_out: figures.bytes_out,
            bytes_in: figures.bytes_in,
            ms: ms(figures.time),
            ms_max: ms(figures.time_max),
        }
    }
}

/// What a node says of itself.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct NodeNote {
    /// Seconds since its process began.
    pub running_s: f64,
    /// Seconds that the crawl has gone on, as far as it knows: since the first of its nodes began.
    pub elapsed_s: f64,
    /// With a topic, what the stop rules ask of it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub harvest: Option<HarvestShare>,
    /// With a topic, what its next page promises, 0 to 1; nothing while it asks for none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next: Option<f32>,
    /// By how much it divides the connections to one address, or is about to; 0 while it has none, and
    /// nothing where it is of a version that does not say so.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub divides_by: Option<u32>,
    /// It has found that the crawl is to end, for this reason.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ends: Option<String>,
    /// What it asked of the ledger since its process began, by the kind of message.
    pub messages: BTreeMap<String, Messages>,
}

impl NodeNote {
    /// The note of these figures.
    pub(crate) fn of(figures: &BTreeMap<&'static str, Figures>, running: Duration) -> NodeNote {
        let messages = figures.iter();
        NodeNote {
            running_s: (running.as_secs_f64() * 10.0).round() / 10.0,
            messages: messages
                .map(|(kind, figures)| ((*kind).to_owned(), figures.into()))
                .collect(),
            ..NodeNote::default()
        }
    }

    /// What the ledger takes: figures of messages are left out where they are too many.
    pub(crate) fn to_bytes(&self) -> Vec<u8> {
        let bytes = serde_json::to_vec(self).unwrap_or_default();
        if bytes.len() <= NOTE_MAX {
            return bytes;
        }
        let brief = NodeNote {
            messages: BTreeMap::new(),
            ..self.clone()
        };
        serde_json::to_vec(&brief).unwrap_or_default()
    }

    /// What a note says; nothing where it is none, or of another version.
    pub fn read(bytes: &[u8]) -> NodeNote {
        serde_json::from_slice(bytes).unwrap_or_default()
    }

    /// Messages of all kinds together.
    pub fn all(&self) -> Messages {
        let mut all = Messages::default();
        let messages = self.messages.iter().filter(|(kind, _)| *kind != HELD);
        for (_, one) in messages {
            all.calls = all.calls.saturating_add(one.calls);
            all.errors = all.errors.saturating_add(one.errors);
            all.rows_out = all.rows_out.saturating_add(one.rows_out);
            all.rows_in = all.rows_in.saturating_add(one.rows_in);
            all.bytes_out = all.bytes_out.saturating_add(one.bytes_out);
            all.bytes_in = all.bytes_in.saturating_add(one.bytes_in);
            all.ms = all.ms.saturating_add(one.ms);
            all.ms_max = all.ms_max.max(one.ms_max);
        }
        all
    }

    /// The share of its time that the node's writer waited for the order of kept texts, 0 to 1.
    pub fn order_share(&self) -> f64 {
        let begin = self.messages.get("begin").map_or(0, |begin| begin.ms);
        match self.running_s > 0.0 {
            true => (begin as f64 / 1_000.0 / self.running_s).clamp(0.0, 1.0),
            false => 0.0,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_note_of_all_kinds_of_messages_fits_its_row_and_is_read_back() {
        let figures = Figures {
            calls: u64::MAX / 3,
            errors: u64::MAX / 3,
            rows_out: u64::MAX / 3,
            rows_in: u64::MAX / 3,
            bytes_out: u64::MAX / 3,
            bytes_in: u64::MAX / 3,
            time: Duration::from_secs(9_999_999_999),
            time_max: Duration::from_secs(9_999_999_999),
        };
        let kinds = [
            "join", "follow", "pending", "roots", "begin", "open", "reopen", "close", "beat",
            "tell", "overview", "held",
        ];
        let all = kinds.into_iter().map(|kind| (kind, figures)).collect();
        let many = u64::MAX / 3;
        let note = NodeNote {
            elapsed_s: 9_999_999_999.1,
            harvest: Some(HarvestShare {
                pages: many,
                last: many,
                last_found: many,
                found: f32::MAX,
                brought: f32::MAX,
                waiting: many,
                ahead_fetches: many,
                ahead: f32::MAX,
                ahead_low: f32::MAX,
                ahead_high: f32::MAX,
                plain_ahead: f32::MAX,
                left: [f32::MAX; 3],
                soon: [f32::MAX; 3],
                soon_fetches: many,
            }),
            ends: Some("x".repeat(ENDS_MAX)),
            next: Some(f32::MAX),
            ..NodeNote::of(&all, Duration::from_millis(1_234))
        };
        let bytes = note.to_bytes();
        assert!(bytes.len() < NOTE_MAX, "{}", bytes.len());
        assert_eq!(NodeNote::read(&bytes), note);
        let more = ["standing", "ended", "manners", "hand_over", "another"];
        let more = more.map(|kind| (kind, figures)).into_iter().collect();
        let mut long = NodeNote::of(&more, Duration::ZERO).messages;
        long.extend(note.messages.clone());
        let long = NodeNote {
            messages: long,
            ..note
        };
        let brief = NodeNote::read(&long.to_bytes());
        assert!(long.to_bytes().len() < NOTE_MAX && brief.messages.is_empty());
        assert_eq!((brief.harvest, brief.ends), (long.harvest, long.ends));
        assert_eq!(NodeNote::read(b"of another program"), NodeNote::default());
    }

    #[test]
    fn waiting_for_the_order_is_a_share_of_the_time_that_the_process_runs() {
        let mut note = NodeNote {
            running_s: 10.0,
            ..NodeNote::default()
        };
        assert!(note.order_share().abs() < 1e-9);
        let begin = Messages {
            ms: 2_500,
            ..Messages::default()
        };
        note.messages.insert("begin".into(), begin);
        assert!((note.order_share() - 0.25).abs() < 1e-9);
    }
}
