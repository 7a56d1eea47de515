//! Bounds on everything that is written to the ledger. What a page says is hostile; a row that
//! is too long is refused here, before it is sent, and again by the store.

use crate::keys::Part;
use crate::ledger::LedgerError;
use crate::messages::{Closing, Fact, KeptRow, NodeCard, Offer, Pulse};

/// Parts of the web. Fixed for good: which part a domain is in follows from it.
pub const PART_COUNT: u16 = 1_024;
/// Rows of one kind in one group: 64 pages with 4,000 links each, rounded.
pub const GROUP_MAX: usize = 262_144;
/// Pages granted at once. More would lie idle with slow nodes when the last pages are shared out.
pub const GRANT_MAX: u32 = 64;
/// Kept texts that a node may be behind when it closes a group; beyond that it follows first.
pub const KEPT_BEHIND_MAX: u64 = 10_000;
/// Rows of one kind in one answer, but for admissions of one transaction, which come together: an answer of fewer
/// is the last.
pub const ANSWER_MAX: usize = 4_096;
/// Bytes of a URL; the frontier admits none of more than a quarter of it.
pub const URL_MAX: usize = 8_192;
/// Bytes of what a URL carries with it.
pub const CONTEXT_MAX: usize = 16_384;
/// Bytes of a print: fingerprint, sketch and lengths are some 200.
pub(crate) const PRINT_MAX: usize = 1_024;
/// Bands of a short text.
pub(crate) const BANDS_MAX: usize = 16;
/// Bytes of a date as a page gives it.
pub const PUBLISHED_MAX: usize = 256;
/// Bytes of a fact.
pub(crate) const FACT_MAX: usize = 65_536;
/// Bytes of a fact's kind, of a node's name and of a scheme's.
pub(crate) const NAME_MAX: usize = 128;
/// Bytes of what the hosts of one part are owed.
pub const MANNERS_MAX: usize = 262_144;
/// Bytes of a configuration.
pub(crate) const CONFIG_MAX: usize = 4 << 20;
/// Bytes of what a node says of itself with a beat.
pub(crate) const NOTE_MAX: usize = 4_096;
/// Addresses asked for with one beat.
pub(crate) const ADDRESSES_MAX: usize = 4_096;
/// The highest number of a node.
pub(crate) const NODE_MAX: u16 = 8_191;

fn within(what: &'static str, size: usize, max: usize) -> Result<(), LedgerError> {
    match size <= max {
        true => Ok(()),
        false => Err(LedgerError::Bound { what, size, max }),
    }
}

fn name(what: &'static str, name: &str) -> Result<(), LedgerError> {
    within(what, name.len(), NAME_MAX)?;
    let plain = !name.is_empty() && name.bytes().all(|byte| (0x20..0x7f).contains(&byte));
    match plain {
        true => Ok(()),
        false => Err(LedgerError::NotPlain { what }),
    }
}

/// A URL in the ledger is ASCII without control characters.
fn url(url: &str) -> Result<(), LedgerError> {
    within("a URL", url.len(), URL_MAX)?;
    match url.bytes().all(|byte| (0x20..0x7f).contains(&byte)) {
        true => Ok(()),
        false => Err(LedgerError::NotPlain { what: "a URL" }),
    }
}

pub(crate) fn card(card: &NodeCard) -> Result<(), LedgerError> {
    name("a node's name", &card.name)?;
    name("a scheme's name", &card.scheme)?;
    within("a configuration", card.config.len(), CONFIG_MAX)
}

pub(crate) fn offers(offers: &[Offer]) -> Result<(), LedgerError> {
    within("a group's offers", offers.len(), GROUP_MAX)?;
    for offer in offers {
        url(&offer.url.url)?;
        within("a URL's context", offer.url.context.len(), CONTEXT_MAX)?;
    }
    Ok(())
}

pub(crate) fn seeds(count: usize) -> Result<(), LedgerError> {
    within("a group's seeds", count, GROUP_MAX)
}

pub(crate) fn urls(count: usize) -> Result<(), LedgerError> {
    within("a group's questions", count, GROUP_MAX)
}

pub(crate) fn closing(closing: &Closing) -> Result<(), LedgerError> {
    within("a group's ends", closing.finished.len(), GROUP_MAX)?;
    within("a group's kept texts", closing.kept.len(), GROUP_MAX)?;
    within("a group's citations", closing.cites.len(), GROUP_MAX)?;
    within("a group's fingerprints", closing.asked.len(), GROUP_MAX)?;
    within("a group's bands", closing.asked_bands.len(), GROUP_MAX)?;
    closing.kept.iter().try_for_each(kept)
}

fn kept(row: &KeptRow) -> Result<(), LedgerError> {
    url(&row.url)?;
    within("a print", row.print.len(), PRINT_MAX)?;
    within("a text's bands", row.bands.len(), BANDS_MAX)?;
    let published = row.published.as_deref().unwrap_or_default();
    within("a date", published.len(), PUBLISHED_MAX)?;
    within(
        "a URL",
        row.canonical.as_deref().unwrap_or_default().len(),
        URL_MAX,
    )
}

pub(crate) fn fact(fact: &Fact) -> Result<(), LedgerError> {
    name("a fact's kind", &fact.kind)?;
    within("a fact", fact.data.len(), FACT_MAX)
}

pub(crate) fn owed(owed: &[(Part, Vec<u8>)]) -> Result<(), LedgerError> {
    within("the parts handed over", owed.len(), PART_COUNT.into())?;
    let mut all = owed.iter();
    all.try_for_each(|(_, data)| within("what a part's hosts are owed", data.len(), MANNERS_MAX))
}

pub(crate) fn pulse(pulse: &Pulse) -> Result<(), LedgerError> {
    within("a node's note", pulse.note.len(), NOTE_MAX)?;
    within(
        "the parts given back",
        pulse.release.len(),
        PART_COUNT.into(),
    )?;
    within(
        "the nodes taken for dead",
        pulse.silent.len(),
        NODE_MAX.into(),
    )?;
    within(
        "the addresses asked for",
        pulse.addresses.len(),
        ADDRESSES_MAX,
    )
}
