//! A ledger made anew from what the journals of its nodes hold.
//!
//! One transaction, as the owner: all of it or nothing. Rows are given as nodes give them, but for
//! the positions of kept texts and the numbers of a URL's ends, which the caller knows.

use tokio_postgres::types::ToSql;

use crate::bounds;
use crate::keys::{Fence, Part, UrlKey};
use crate::ledger::LedgerError;
use crate::messages::{Closing, Fact, Finish, KeptRow, Offer};
use crate::postgres::Settings;
use crate::postgres::connection::Connection;
use crate::postgres::migrate::{InitPlan, init};
use crate::postgres::rows::{self, ClosingColumns, Key, OfferColumns};

const HELD: &str = "select (select count(*) from node), (select count(*) from admitted)";

const META: &str = "update meta set crawl = $1, scheme = $2, config = $3";

const ADMIT: &str = "with added as ( \
         insert into admitted (part, key, page, depth, seed, kind, priority, url, context) \
         select * from unnest($1::smallint[], $2::uuid[], $3::bigint[], $4::bigint[], $5::bigint[], \
             $6::smallint[], $7::real[], $8::text[], $9::bytea[]) \
         on conflict do nothing returning 1) \
     select count(*) from added";

const FINISH: &str = "insert into finished (part, key, gen, page, dup_of, outcome) \
     select * from unnest($1::smallint[], $2::uuid[], $3::smallint[], $4::bigint[], $5::bigint[], \
         $6::smallint[])";

const KEEP: &str = "insert into kept (pos, op, page, replaces, fp, print, layout, url, published, canonical) \
     select * from unnest($1::bigint[], $2::smallint[], $3::bigint[], $4::bigint[], $5::bigint[], \
         $6::bytea[], $7::bigint[], $8::text[], $9::bytea[], $10::bytea[])";

const REOPEN: &str = "with added as ( \
         insert into reopened (part, key, gen, context) \
         select u.part, u.key, u.gen, coalesce(u.context, a.context) \
         from unnest($1::smallint[], $2::uuid[], $3::smallint[], $4::bytea[]) \
             as u (part, key, gen, context) \
         join admitted a using (part, key) returning 1) \
     select count(*) from added";

const NODE: &str = "insert into node (id, name, epoch, state, admitted, finished, pages, kept, granted, seen, \
         journal) \
     values ($1, $2, $3, 'left', $4, $5, $6, $7, $6, $8, $9)";

/// URLs of which the last end repeats a page of a node that is lost wait again.
const COPIES: &str = "with ends as ( \
         select f.part, f.key, f.gen from finished f where f.dup_of >> 40 = $1::bigint \
             and f.gen = (select count(*) from reopened r where r.part = f.part and r.key = f.key) \
     ), added as ( \
         insert into reopened (part, key, gen, context) \
         select e.part, e.key, e.gen + 1, a.context from ends e join admitted a using (part, key) \
         returning 1) \
     select count(*) from added";

const CREDIT: &str = "update node set admitted = admitted + $2 where id = $1";

const TELL: &str = "insert into facts (n, node, kind, data) \
     select coalesce(max(n), 0) + 1, $1, $2, $3 from facts";

const SPENT: &str = "insert into seed_urls select seed, count(*) from admitted \
     where seed = any ($1::bigint[]) and kind = 0 group by seed";

const TOTALS: &str = "with k as (update last_kept set pos = (select count(*) from kept)) \
     update shares set pages_max = greatest(pages_max, (select sum(pages)::bigint from node)), \
         granted = (select coalesce(sum(pages), 0)::bigint from node) where pages_max is not null";

/// A node as its journal tells of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RebuiltNode {
    /// Its number, and an epoch that none of its processes had.
    pub fence: Fence,
    /// Its name.
    pub name: String,
    /// URLs that it admitted or put back.
    pub admitted: u64,
    /// URLs that it finished.
    pub finished: u64,
    /// Pages that count for the budget.
    pub pages: u64,
    /// Texts that it kept.
    pub kept: u64,
    /// The position of the last kept text that it has.
    pub seen: u64,
    /// How far its journal goes.
    pub journal: u64,
}

/// A URL that waits again.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PutBack {
    /// The part of its domain.
    pub part: Part,
    /// Its key.
    pub key: UrlKey,
    /// The number of its next end.
    pub generation: u16,
    /// What its turn needs; none for that of its admission.
    pub context: Option<Vec<u8>>,
}

/// A ledger that is being made.
pub struct Rebuild {
    connection: Connection,
}

impl Rebuild {
    /// Makes the tables where they are missing, and begins.
    ///
    /// # Errors
    /// [`LedgerError::NotEmpty`] when the tables hold a crawl already; when the role is not the
    /// owner's, or the store does not answer.
    pub fn begin(settings: &Settings, plan: InitPlan) -> Result<Rebuild, LedgerError> {
        init(settings, plan)?;
        let mut connection = Connection::new(settings)?;
        connection.enter(&settings.crawl)?;
        connection.simple(
            "begin; set local role tamis_owner; set local idle_in_transaction_session_timeout = 0; \
             lock table node, meta in exclusive mode",
        )?;
        let held = connection.query(HELD, &[])?;
        let held = held.first().ok_or_else(rows::nothing)?;
        match (held.get::<_, i64>(0), held.get::<_, i64>(1)) {
            (0, 0) => Ok(Rebuild { connection }),
            (nodes, urls) => Err(LedgerError::NotEmpty {
                nodes: nodes as u64,
                urls: urls as u64,
            }),
        }
    }

    /// Which crawl it is, and what its nodes have in common.
    ///
    /// # Errors
    /// When the store does not answer.
    pub fn name(
        &mut self,
        crawl: [u8; 16],
        scheme: &str,
        config: &[u8],
    ) -> Result<(), LedgerError> {
        let crawl = Key(UrlKey(crawl));
        self.run(META, &[&crawl, &scheme, &config])
    }

    /// URLs that were admitted; gives how many of them nobody had admitted before.
    ///
    /// # Errors
    /// When the store does not answer.
    pub fn admit(&mut self, offers: &[Offer]) -> Result<u64, LedgerError> {
        let columns = OfferColumns::of(offers);
        let values = columns.values(&0, &0);
        self.count(ADMIT, &values[2..])
    }

    /// URLs that ended, each with the number of its end. Before any is put back.
    ///
    /// # Errors
    /// When one ended twice with one number, or the store does not answer.
    pub fn finish(&mut self, finished: Vec<Finish>) -> Result<(), LedgerError> {
        let closing = closing(finished, Vec::new());
        let columns = ClosingColumns::of(&closing, 0);
        self.run(FINISH, &columns.finished())
    }

    /// Texts that are kept or withdrawn, with their positions.
    ///
    /// # Errors
    /// When a position is taken, or the store does not answer.
    pub fn keep(&mut self, kept: Vec<KeptRow>) -> Result<(), LedgerError> {
        let positions: Vec<i64> = kept.iter().map(|row| row.position as i64).collect();
        let closing = closing(Vec::new(), kept);
        let columns = ClosingColumns::of(&closing, 0);
        let mut values: Vec<&(dyn ToSql + Sync)> = vec![&positions];
        values.extend(columns.kept());
        self.run(KEEP, &values)
    }

    /// URLs that wait again; gives how many of them were ever admitted.
    ///
    /// # Errors
    /// When the store does not answer.
    pub fn put_back(&mut self, urls: &[PutBack]) -> Result<u64, LedgerError> {
        let parts: Vec<i16> = urls.iter().map(|url| rows::part_number(url.part)).collect();
        let keys: Vec<Key> = urls.iter().map(|url| Key(url.key)).collect();
        let ends: Vec<i16> = urls.iter().map(|url| url.generation as i16).collect();
        let contexts: Vec<Option<&[u8]>> = urls.iter().map(|url| url.context.as_deref()).collect();
        self.count(REOPEN, &[&parts, &keys, &ends, &contexts])
    }

    /// What other nodes dropped for repeating a page of this one waits again; gives how many URLs.
    /// After all other ends.
    ///
    /// # Errors
    /// When the store does not answer.
    pub fn put_back_copies(&mut self, lost: u16) -> Result<u64, LedgerError> {
        self.count(COPIES, &[&i64::from(lost)])
    }

    /// A node; it has left.
    ///
    /// # Errors
    /// When the store does not answer.
    pub fn node(&mut self, node: &RebuiltNode) -> Result<(), LedgerError> {
        let number = node.fence.node as i16;
        let counts = [
            node.fence.epoch,
            node.admitted,
            node.finished,
            node.pages,
            node.kept,
            node.seen,
            node.journal,
        ];
        let counts = counts.map(|count| count as i64);
        let mut values: Vec<&(dyn ToSql + Sync)> = vec![&number, &node.name];
        values.extend(counts.iter().map(|count| count as &(dyn ToSql + Sync)));
        self.run(NODE, &values)
    }

    /// URLs that a lost node had admitted, beside those that it was given before.
    ///
    /// # Errors
    /// When the store does not answer.
    pub fn credit(&mut self, lost: u16, admitted: u64) -> Result<(), LedgerError> {
        let (node, admitted) = (lost as i16, admitted as i64);
        self.run(CREDIT, &[&node, &admitted])
    }

    /// What a node told the whole crawl, after all that was told before.
    ///
    /// # Errors
    /// When it is too long, or the store does not answer.
    pub fn tell(&mut self, node: u16, fact: &Fact) -> Result<(), LedgerError> {
        bounds::fact(fact)?;
        self.run(TELL, &[&(node as i16), &fact.kind, &fact.data])
    }

    /// Counts what these seeds have brought in, of the URLs that are there now.
    ///
    /// # Errors
    /// When the store does not answer.
    pub fn count_seeds<'a>(
        &mut self,
        seeds: impl IntoIterator<Item = &'a u32>,
    ) -> Result<(), LedgerError> {
        let seeds: Vec<i64> = seeds.into_iter().map(|&seed| seed.into()).collect();
        self.run(SPENT, &[&seeds])
    }

    /// Closes the sums, and commits.
    ///
    /// # Errors
    /// When the store does not answer: then nothing of it is there.
    pub fn end(mut self) -> Result<(), LedgerError> {
        self.run(TOTALS, &[])?;
        self.connection.commit()
    }

    fn run(&mut self, text: &str, values: &[&(dyn ToSql + Sync)]) -> Result<(), LedgerError> {
        self.connection.query(text, values).map(drop)
    }

    fn count(&mut self, text: &str, values: &[&(dyn ToSql + Sync)]) -> Result<u64, LedgerError> {
        let answer = self.connection.query(text, values)?;
        let count: i64 = answer.first().ok_or_else(rows::nothing)?.get(0);
        Ok(count as u64)
    }
}

/// A group of nobody, for its columns.
fn closing(finished: Vec<Finish>, kept: Vec<KeptRow>) -> Closing {
    Closing {
        me: Fence { node: 0, epoch: 0 },
        finished,
        seen: 0,
        radius: 0,
        asked: Vec::new(),
        asked_bands: Vec::new(),
        kept,
        cites: Vec::new(),
        pages: 0,
        journal: 0,
    }
}
