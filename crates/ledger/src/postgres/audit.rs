//! What the ledger holds, read for a comparison with the journals of its nodes.

use crate::keys::{Part, UrlKey};
use crate::ledger::LedgerError;
use crate::messages::NodePulse;
use crate::postgres::{PostgresLedger, rows};

/// Ends of one part, with how often each URL was put back.
const ENDS: &str = "select f.key, f.page, f.outcome, f.dup_of, a.url, \
         (select count(*) from reopened r where r.part = f.part and r.key = f.key) \
     from finished f left join admitted a using (part, key) \
     where f.part = $1 order by f.key, f.gen";

/// What the counters say, and what the rows say, of each node.
const COUNTS: &str = "select n.id, n.finished, coalesce(f.count, 0), n.kept, coalesce(k.count, 0) from node n \
     left join (select page >> 40 as node, count(*) from finished group by 1) f on f.node = n.id \
     left join (select page >> 40 as node, count(*) from kept where op = 0 group by 1) k \
         on k.node = n.id \
     order by n.id";

/// The same over all nodes.
const SUMS: &str = "select (select coalesce(sum(admitted), 0)::bigint from node), \
         (select count(*) from admitted) + (select count(*) from reopened), \
         l.pos, (select count(*) from kept), s.granted, \
         case when s.pages_max is null then s.granted \
             else (select coalesce(sum(granted), 0)::bigint from node) end \
     from last_kept l, shares s";

/// A URL's end as the ledger has it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EndRow {
    /// The URL's key within its part.
    pub key: UrlKey,
    /// The page's number over all nodes.
    pub page: u64,
    /// What became of it.
    pub outcome: u8,
    /// The page that it repeats.
    pub duplicate_of: Option<u64>,
    /// The URL; none if it was never admitted.
    pub url: Option<String>,
    /// How often it was put back: it may end once more often.
    pub put_back: u64,
}

/// A counter, and the rows that it counts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Total {
    /// What is counted.
    pub what: String,
    /// By the counter.
    pub counter: u64,
    /// By the rows.
    pub rows: u64,
}

impl Total {
    /// Whether both are the same.
    pub fn closes(&self) -> bool {
        self.counter == self.rows
    }
}

impl PostgresLedger {
    /// The crawl's own number, by which a directory knows it.
    ///
    /// # Errors
    /// [`LedgerError::Away`] when the store does not answer.
    pub fn crawl(&mut self) -> Result<[u8; 16], LedgerError> {
        let rows = self.ask("select crawl from meta", &[])?;
        let row = rows.first().ok_or_else(rows::nothing)?;
        Ok(row.get::<_, rows::Key>(0).0.0)
    }

    /// The URLs of a part that have ended, in the order of their keys.
    ///
    /// # Errors
    /// [`LedgerError::Away`] when the store does not answer.
    pub fn ends(&mut self, part: Part) -> Result<Vec<EndRow>, LedgerError> {
        let rows = self.ask(ENDS, &[&rows::part_number(part)])?;
        let end = |row: &tokio_postgres::Row| EndRow {
            key: row.get::<_, rows::Key>(0).0,
            page: row.get::<_, i64>(1) as u64,
            outcome: row.get::<_, i16>(2) as u8,
            duplicate_of: row.get::<_, Option<i64>>(3).map(|page| page as u64),
            url: row.get(4),
            put_back: row.get::<_, i64>(5) as u64,
        };
        Ok(rows.iter().map(end).collect())
    }

    /// Each counter beside what it counts, by node and over all of them. It reads whole tables.
    ///
    /// # Errors
    /// [`LedgerError::Away`] when the store does not answer.
    pub fn totals(&mut self, nodes: &[NodePulse]) -> Result<Vec<Total>, LedgerError> {
        let by_node = self.ask(COUNTS, &[])?;
        let sums = self.ask(SUMS, &[])?;
        let sums = sums.first().ok_or_else(rows::nothing)?;
        let total = |what: String, row: &tokio_postgres::Row, at: usize| Total {
            what,
            counter: row.get::<_, i64>(at) as u64,
            rows: row.get::<_, i64>(at + 1) as u64,
        };
        let mut totals = vec![
            total("URLs admitted or put back".into(), sums, 0),
            total("entries of the kept texts".into(), sums, 2),
            total("pages granted".into(), sums, 4),
        ];
        for row in &by_node {
            let number = row.get::<_, i16>(0) as u16;
            let node = nodes.iter().find(|node| node.fence.node == number);
            let name = node.map_or_else(|| number.to_string(), |node| format!("{:?}", node.name));
            totals.push(total(format!("URLs finished by node {name}"), row, 1));
            totals.push(total(format!("texts kept by node {name}"), row, 3));
        }
        Ok(totals)
    }
}
