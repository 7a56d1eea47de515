//! Messages to columns, and rows to messages.

mod questions;

use std::error::Error;
use std::net::IpAddr;
use std::time::Duration;

use tokio_postgres::Row;
use tokio_postgres::types::private::BytesMut;
use tokio_postgres::types::{FromSql, IsNull, ToSql, Type, accepts, to_sql_checked};

use crate::bounds::ANSWER_MAX;
use crate::keys::{Fence, Part, UrlKey};
use crate::ledger::{LedgerError, Refused};
use crate::messages::{
    Admitted, Closing, EndedOfHost, Fact, Joined, KeptOp, KeptRow, Manners, Marks, News, NodePulse,
    NodeState, Offer, Overview, Pulse, SeedBudget, Tidings, Told, WaitingUrl,
};

pub(super) use questions::*;

/// An answer without the row that it must have.
pub(super) fn nothing() -> LedgerError {
    LedgerError::Broken("the answer has no row".into())
}

/// A key as the store's sixteen bytes.
#[derive(Debug, Clone, Copy)]
pub(super) struct Key(pub(super) UrlKey);

impl ToSql for Key {
    fn to_sql(&self, _: &Type, out: &mut BytesMut) -> Result<IsNull, Box<dyn Error + Sync + Send>> {
        out.extend_from_slice(&self.0.0);
        Ok(IsNull::No)
    }

    accepts!(UUID);
    to_sql_checked!();
}

impl<'a> FromSql<'a> for Key {
    fn from_sql(_: &Type, raw: &'a [u8]) -> Result<Key, Box<dyn Error + Sync + Send>> {
        Ok(Key(UrlKey(raw.try_into()?)))
    }

    accepts!(UUID);
}

/// The values of a statement.
type Values<'a> = Vec<&'a (dyn ToSql + Sync)>;

/// Offers by column.
pub(super) struct OfferColumns<'a> {
    part: Vec<i16>,
    key: Vec<Key>,
    page: Vec<i64>,
    depth: Vec<i64>,
    seed: Vec<i64>,
    kind: Vec<i16>,
    priority: Vec<f32>,
    url: Vec<&'a str>,
    context: Vec<&'a [u8]>,
}

impl<'a> OfferColumns<'a> {
    pub(super) fn of(offers: &'a [Offer]) -> OfferColumns<'a> {
        OfferColumns {
            part: offers.iter().map(|offer| part_number(offer.part)).collect(),
            key: offers.iter().map(|offer| Key(offer.key)).collect(),
            page: offers.iter().map(|offer| offer.url.page as i64).collect(),
            depth: offers.iter().map(|offer| offer.url.depth.into()).collect(),
            seed: offers.iter().map(|offer| offer.url.seed.into()).collect(),
            kind: offers.iter().map(|offer| offer.url.kind.into()).collect(),
            priority: offers.iter().map(|offer| offer.url.priority).collect(),
            url: offers.iter().map(|offer| offer.url.url.as_str()).collect(),
            context: offers
                .iter()
                .map(|offer| offer.url.context.as_slice())
                .collect(),
        }
    }

    /// The statement that offers them, and its values.
    pub(super) fn opening<'b>(
        &'b self,
        node: &'b i16,
        epoch: &'b i64,
        budgets: &'b BudgetColumns,
    ) -> (&'static str, Values<'b>) {
        let mut values = self.values(node, epoch);
        if budgets.seed.is_empty() {
            return (OPEN, values);
        }
        values.extend([&budgets.seed as &(dyn ToSql + Sync), &budgets.urls_max]);
        (OPEN_WITHIN, values)
    }

    pub(super) fn values<'b>(&'b self, node: &'b i16, epoch: &'b i64) -> Values<'b> {
        vec![
            node,
            epoch,
            &self.part,
            &self.key,
            &self.page,
            &self.depth,
            &self.seed,
            &self.kind,
            &self.priority,
            &self.url,
            &self.context,
        ]
    }
}

/// Budgets by column.
pub(super) struct BudgetColumns {
    pub(super) seed: Vec<i64>,
    pub(super) urls_max: Vec<i64>,
}

impl BudgetColumns {
    pub(super) fn of(budgets: &[SeedBudget]) -> BudgetColumns {
        let most = |budget: &SeedBudget| i64::try_from(budget.urls_max).unwrap_or(i64::MAX);
        BudgetColumns {
            seed: budgets.iter().map(|budget| budget.seed.into()).collect(),
            urls_max: budgets.iter().map(most).collect(),
        }
    }
}

/// How many URLs of a host ended.
pub(super) fn ended(row: &Row) -> EndedOfHost {
    EndedOfHost {
        host: row.get::<_, i64>(0) as u32,
        urls: row.get::<_, i64>(1) as u64,
    }
}

/// The same with its part.
pub(super) fn ended_in(row: &Row) -> Result<(Part, EndedOfHost), LedgerError> {
    Ok((part(row.get(2))?, ended(row)))
}

/// What the hosts of a part are owed.
pub(super) fn manners(row: &Row) -> Result<Manners, LedgerError> {
    Ok(Manners {
        part: part(row.get(0))?,
        number: number(row, 1),
        node: row.get::<_, i16>(2) as u16,
        age: Duration::from_millis(number(row, 3)),
        data: row.get(4),
    })
}

/// A closing by column.
pub(super) struct ClosingColumns<'a> {
    me: (i16, i64),
    numbers: [i64; 4],
    radius: i16,
    asked: Vec<i64>,
    asked_bands: Vec<i32>,
    cites: Vec<i64>,
    finish_part: Vec<i16>,
    finish_key: Vec<Key>,
    finish_small: [Vec<i16>; 2],
    finish_page: Vec<i64>,
    finish_duplicate: Vec<Option<i64>>,
    op: Vec<i16>,
    page: Vec<i64>,
    replaces: Vec<Option<i64>>,
    fingerprint: Vec<i64>,
    bands: Vec<i32>,
    band_at: Vec<i32>,
    band_count: Vec<i32>,
    print: Vec<&'a [u8]>,
    layout: Vec<i64>,
    url: Vec<&'a str>,
    published: Vec<Option<&'a [u8]>>,
    canonical: Vec<Option<&'a [u8]>>,
}

impl<'a> ClosingColumns<'a> {
    pub(super) fn of(closing: &'a Closing, admitted: u64) -> ClosingColumns<'a> {
        let (finished, kept) = (&closing.finished, &closing.kept);
        let counts = kept.iter().map(|row| row.bands.len() as i32);
        let starts = counts.clone().scan(1, |at, count| {
            let start = *at;
            *at += count;
            Some(start)
        });
        let bytes = |text: &'a Option<String>| text.as_deref().map(str::as_bytes);
        ClosingColumns {
            me: (closing.me.node as i16, closing.me.epoch as i64),
            numbers: [
                closing.seen as i64,
                admitted as i64,
                closing.pages.into(),
                closing.journal as i64,
            ],
            radius: closing.radius.into(),
            asked: closing.asked.iter().map(|&print| print as i64).collect(),
            asked_bands: closing
                .asked_bands
                .iter()
                .map(|&band| band as i32)
                .collect(),
            cites: closing.cites.iter().map(|&page| page as i64).collect(),
            finish_part: finished.iter().map(|end| part_number(end.part)).collect(),
            finish_key: finished.iter().map(|end| Key(end.key)).collect(),
            finish_small: [
                finished.iter().map(|end| end.generation as i16).collect(),
                finished.iter().map(|end| end.outcome.into()).collect(),
            ],
            finish_page: finished.iter().map(|end| end.page as i64).collect(),
            finish_duplicate: finished
                .iter()
                .map(|end| end.duplicate_of.map(|page| page as i64))
                .collect(),
            op: kept.iter().map(|row| op_number(row.op)).collect(),
            page: kept.iter().map(|row| row.page as i64).collect(),
            replaces: kept
                .iter()
                .map(|row| row.replaces.map(|page| page as i64))
                .collect(),
            fingerprint: kept.iter().map(|row| row.fingerprint as i64).collect(),
            bands: kept
                .iter()
                .flat_map(|row| row.bands.iter().map(|&band| band as i32))
                .collect(),
            band_at: starts.collect(),
            band_count: counts.collect(),
            print: kept.iter().map(|row| row.print.as_slice()).collect(),
            layout: kept.iter().map(|row| row.layout as i64).collect(),
            url: kept.iter().map(|row| row.url.as_str()).collect(),
            published: kept.iter().map(|row| bytes(&row.published)).collect(),
            canonical: kept.iter().map(|row| bytes(&row.canonical)).collect(),
        }
    }

    pub(super) fn values(&self) -> Values<'_> {
        let [seen, admitted, pages, journal] = &self.numbers;
        let [generation, outcome] = &self.finish_small;
        vec![
            &self.me.0,
            &self.me.1,
            seen,
            &self.radius,
            &self.asked,
            &self.asked_bands,
            &self.cites,
            admitted,
            pages,
            journal,
            &self.finish_part,
            &self.finish_key,
            generation,
            &self.finish_page,
            &self.finish_duplicate,
            outcome,
            &self.op,
            &self.page,
            &self.replaces,
            &self.fingerprint,
            &self.bands,
            &self.band_at,
            &self.band_count,
            &self.print,
            &self.layout,
            &self.url,
            &self.published,
            &self.canonical,
        ]
    }
}

impl ClosingColumns<'_> {
    /// The ends alone.
    pub(super) fn finished(&self) -> Values<'_> {
        let [generation, outcome] = &self.finish_small;
        vec![
            &self.finish_part,
            &self.finish_key,
            generation,
            &self.finish_page,
            &self.finish_duplicate,
            outcome,
        ]
    }

    /// The kept texts alone, but for bands, which the order needs only where it is not locked.
    pub(super) fn kept(&self) -> Values<'_> {
        vec![
            &self.op,
            &self.page,
            &self.replaces,
            &self.fingerprint,
            &self.print,
            &self.layout,
            &self.url,
            &self.published,
            &self.canonical,
        ]
    }
}

/// A pulse by column.
pub(super) struct PulseColumns<'a> {
    pulse: &'a Pulse,
    me: (i16, i64),
    seen: i64,
    release: Vec<i16>,
    pages: i64,
    address: Vec<IpAddr>,
    slots: Vec<i16>,
    slots_max: Vec<i16>,
    silent_node: Vec<i16>,
    silent_epoch: Vec<i64>,
    silent_beat: Vec<i64>,
}

impl<'a> PulseColumns<'a> {
    pub(super) fn of(pulse: &'a Pulse) -> PulseColumns<'a> {
        let small = |count: u16| i16::try_from(count).unwrap_or(i16::MAX);
        let (wishes, silent) = (&pulse.addresses, &pulse.silent);
        PulseColumns {
            pulse,
            me: (pulse.me.node as i16, pulse.me.epoch as i64),
            seen: pulse.seen as i64,
            release: pulse.release.iter().copied().map(part_number).collect(),
            pages: i64::from(pulse.pages) - i64::from(pulse.unused),
            address: wishes.iter().map(|wish| wish.address).collect(),
            slots: wishes.iter().map(|wish| small(wish.slots)).collect(),
            slots_max: wishes.iter().map(|wish| small(wish.slots_max)).collect(),
            silent_node: silent.iter().map(|other| other.fence.node as i16).collect(),
            silent_epoch: silent
                .iter()
                .map(|other| other.fence.epoch as i64)
                .collect(),
            silent_beat: silent.iter().map(|other| other.beat as i64).collect(),
        }
    }

    pub(super) fn values(&self) -> Values<'_> {
        vec![
            &self.me.0,
            &self.me.1,
            &self.seen,
            &self.pulse.note,
            &self.pulse.wants_parts,
            &self.release,
            &self.pages,
            &self.address,
            &self.slots,
            &self.slots_max,
            &self.silent_node,
            &self.silent_epoch,
            &self.silent_beat,
            &self.pulse.leaves,
        ]
    }
}

pub(super) fn part_number(part: Part) -> i16 {
    part.number() as i16
}

fn op_number(op: KeptOp) -> i16 {
    match op {
        KeptOp::Keep => 0,
        KeptOp::Withdraw => 1,
    }
}

fn number(row: &Row, at: usize) -> u64 {
    row.get::<_, i64>(at) as u64
}

fn part(number: i16) -> Result<Part, LedgerError> {
    let part = u16::try_from(number).ok().and_then(Part::new);
    part.ok_or_else(|| LedgerError::Broken(format!("there is no part {number}")))
}

fn parts(row: &Row, at: usize) -> Result<Vec<Part>, LedgerError> {
    row.get::<_, Vec<i16>>(at).into_iter().map(part).collect()
}

/// Text of a page as it was written: our own bytes, so nothing is lost.
fn text(row: &Row, at: usize) -> Option<String> {
    let bytes: Option<&[u8]> = row.get(at);
    bytes.map(|bytes| String::from_utf8_lossy(bytes).into_owned())
}

pub(super) fn joined(row: &Row) -> Result<Joined, LedgerError> {
    match row.get::<_, i16>(0) {
        0 => {}
        1 => {
            let theirs = row.get(8);
            return Err(Refused::OtherConfig { theirs }.into());
        }
        2 => {
            let theirs = row.get(7);
            return Err(Refused::OtherScheme { theirs }.into());
        }
        _ => return Err(Refused::Full.into()),
    }
    Ok(Joined {
        fence: Fence {
            node: row.get::<_, i16>(1) as u16,
            epoch: number(row, 2),
        },
        journal: number(row, 3),
        parts: parts(row, 4)?,
        crawl: row.get::<_, Key>(5).0.0,
        admitted: number(row, 6),
        ttl: Duration::ZERO,
        pages_max: (None, None),
    })
}

/// What was agreed on with a node that has joined.
pub(super) fn agreed(row: &Row, joined: &mut Joined) {
    joined.ttl = Duration::from_millis(number(row, 0));
    joined.pages_max = (pages(row, 1), pages(row, 2));
}

/// A number of pages, if there is one.
pub(super) fn pages(row: &Row, at: usize) -> Option<u64> {
    row.get::<_, Option<i64>>(at).map(|pages| pages as u64)
}

/// An admission whose columns begin at `at`.
pub(super) fn admitted(row: &Row, at: usize) -> Result<Admitted, LedgerError> {
    Ok(Admitted {
        part: part(row.get(at))?,
        key: row.get::<_, Key>(at + 1).0,
        url: WaitingUrl {
            page: number(row, at + 2),
            depth: number(row, at + 3) as u32,
            seed: number(row, at + 4) as u32,
            kind: row.get::<_, i16>(at + 5) as u8,
            priority: row.get(at + 6),
            url: row.get(at + 7),
            context: row.get(at + 8),
        },
        put_back: row.get(at + 9),
    })
}

/// An entry of the kept log whose columns begin at `at`.
pub(super) fn kept(row: &Row, at: usize) -> Result<KeptRow, LedgerError> {
    let bands: Option<Vec<i32>> = row.get(at + 5);
    Ok(KeptRow {
        position: number(row, at),
        op: match row.get::<_, i16>(at + 1) {
            0 => KeptOp::Keep,
            1 => KeptOp::Withdraw,
            other => {
                return Err(LedgerError::Broken(format!(
                    "a kept text has the op {other}"
                )));
            }
        },
        page: number(row, at + 2),
        replaces: row.get::<_, Option<i64>>(at + 3).map(|page| page as u64),
        fingerprint: number(row, at + 4),
        bands: bands
            .unwrap_or_default()
            .into_iter()
            .map(|band| band as u32)
            .collect(),
        print: row.get(at + 6),
        layout: number(row, at + 7),
        url: row.get(at + 8),
        published: text(row, at + 9),
        canonical: text(row, at + 10),
    })
}

/// News, with the marks to read on from.
pub(super) fn news(
    marks: &Marks,
    facts: &[Row],
    texts: &[Row],
    admissions: &[Row],
) -> Result<News, LedgerError> {
    let told = |row: &Row| Told {
        number: number(row, 0),
        node: row.get::<_, i16>(1) as u16,
        fact: Fact {
            kind: row.get(2),
            data: row.get(3),
        },
    };
    let facts: Vec<Told> = facts.iter().map(told).collect();
    let texts: Vec<KeptRow> = texts
        .iter()
        .map(|row| kept(row, 0))
        .collect::<Result<_, _>>()?;
    let horizon = number(admissions.first().ok_or_else(nothing)?, 0);
    let there = |row: &&Row| row.get::<_, Option<i64>>(1).is_some();
    let rows: Vec<&Row> = admissions.iter().filter(there).collect();
    let mark = match rows.last() {
        Some(last) if rows.len() >= ANSWER_MAX => number(last, 1) + 1,
        Some(_) | None => horizon,
    };
    Ok(News {
        marks: Marks {
            facts: facts.last().map_or(marks.facts, |told| told.number),
            kept: texts.last().map_or(marks.kept, |row| row.position),
            admitted: mark.max(marks.admitted),
        },
        facts,
        admitted: rows
            .into_iter()
            .map(|row| admitted(row, 2))
            .collect::<Result<_, _>>()?,
        kept: texts,
    })
}

pub(super) fn tidings(row: &Row, nodes: &[Row]) -> Result<Tidings, LedgerError> {
    let addresses: Vec<IpAddr> = row.get(4);
    let slots: Vec<i16> = row.get(5);
    Ok(Tidings {
        journal: number(row, 0),
        parts: parts(row, 1)?,
        wanted: parts(row, 2)?,
        granted: pages(row, 3),
        slots: addresses
            .into_iter()
            .zip(slots)
            .map(|(address, slots)| (address, slots as u16))
            .collect(),
        nodes: nodes.iter().map(node).collect::<Result<_, _>>()?,
    })
}

fn node(row: &Row) -> Result<NodePulse, LedgerError> {
    let state: &str = row.get(4);
    Ok(NodePulse {
        fence: Fence {
            node: row.get::<_, i16>(0) as u16,
            epoch: number(row, 1),
        },
        name: row.get(2),
        beat: number(row, 3),
        state: NodeState::of(state)
            .ok_or_else(|| LedgerError::Broken(format!("a node is {state:?}")))?,
        admitted: number(row, 5),
        finished: number(row, 6),
        pages: number(row, 7),
        kept: number(row, 8),
        seen: number(row, 9),
        journal: number(row, 10),
        note: row.get(11),
        parts: number(row, 12) as u16,
    })
}

pub(super) fn overview(row: &Row, nodes: &[Row]) -> Result<Overview, LedgerError> {
    Ok(Overview {
        nodes: nodes.iter().map(node).collect::<Result<_, _>>()?,
        parts_free: number(row, 0) as u16,
        position: number(row, 1),
        facts: number(row, 2),
        pages_max: pages(row, 3),
        granted: number(row, 4),
        ttl: pages(row, 5).map(Duration::from_millis),
    })
}
