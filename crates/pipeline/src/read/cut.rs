//! Bodies that ended before their end: which are asked for again, and which are kept and noted as cut.

use fetcher::{Decoding, Fetched, Truncated};
use outcome::FailureKind;
use state::finding::Reading;

/// How a body ended before its end.
#[derive(Debug, Clone, Copy)]
pub(super) enum Cut {
    /// While it was received.
    Received(Truncated),
    /// The server sent a part of it.
    Part,
    /// Its compressed stream has no end, though as many bytes came as were announced.
    Stream,
}

impl Cut {
    pub(super) fn of(fetched: &Fetched, decoding: &Decoding) -> Option<Self> {
        match fetched.truncated {
            Some(truncated) => Some(Self::Received(truncated)),
            None if fetched.is_part() => Some(Self::Part),
            None => decoding.is_cut.then_some(Self::Stream),
        }
    }

    /// Whether it may come whole when it is asked for again.
    fn is_mishap(self) -> bool {
        match self {
            Self::Received(Truncated::Bytes) => false,
            Self::Received(Truncated::Time | Truncated::Disconnect) | Self::Part | Self::Stream => {
                true
            }
        }
    }

    pub(super) fn words(self) -> &'static str {
        match self {
            Self::Received(Truncated::Bytes) => "the body is longer than what is read of one",
            Self::Received(Truncated::Time | Truncated::Disconnect) => {
                "the body ended before its announced end"
            }
            Self::Part => "the server sent a part of the body unasked",
            Self::Stream => "the body's compressed stream ended before its end",
        }
    }

    /// What is noted of a page that is kept all the same; of a stream its decoding says it.
    pub(super) fn noted(self) -> Option<&'static str> {
        match self {
            Self::Received(truncated) => Some(truncated.name()),
            Self::Part => Some("part"),
            Self::Stream => None,
        }
    }
}

/// Why a body cannot be used as it came, if it cannot.
pub(super) fn unusable(
    fetched: &Fetched,
    decoding: &Decoding,
    cut: Option<Cut>,
    last_try: bool,
) -> Option<Reading> {
    if let Some(cut) = cut.filter(|cut| cut.is_mishap() && !last_try) {
        return Some(Reading::Failed {
            kind: FailureKind::Truncated,
            detail: cut.words().into(),
            transient: true,
        });
    }
    let why = decoding.stopped.as_ref()?;
    let is_lost = decoding.bytes.is_empty() && fetched.status == 200 && !fetched.body.is_empty();
    is_lost.then(|| Reading::Failed {
        kind: FailureKind::Encoding,
        detail: why.clone(),
        transient: !last_try,
    })
}
