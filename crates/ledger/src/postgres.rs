//! The ledger on PostgreSQL, 15 or newer: one primary with a synchronous standby.
//!
//! Everything is done by functions of the database (`postgres/migrations/`), called with
//! parameters; a node's role has no other right to write. A group is one transaction in three
//! flights: begin and offers, closing, commit.
//!
//! **An acknowledged group is on the standby too.** If the answer to a commit is lost, or the
//! server warns that it gave up waiting for the standby, the group's end is asked for on a new
//! connection, by a question that itself writes: its own acknowledgement says that all before it
//! is there as well.

pub mod audit;
mod connection;
mod migrate;
pub mod rebuild;
mod rows;

use std::collections::HashMap;
use std::time::Duration;

use tokio_postgres::types::ToSql;
use tokio_postgres::{Row, SimpleQueryMessage};

use crate::bounds;
use crate::keys::{Fence, Part, UrlKey};
use crate::ledger::{Ledger, LedgerError, Refused};
use crate::messages::{
    Admitted, Begun, Closed, Closing, EndedOfHost, Fact, Joined, Manners, Marks, News, NodeCard,
    Offer, Overview, Pulse, SeedBudget, Standing, Tidings,
};
use crate::password::Password;
use crate::postgres::connection::{Connection, away};
use crate::store_url::{CrawlName, StoreUrl};

pub use crate::postgres::migrate::{Forgotten, InitPlan, drop_crawl, forget, init, set_budget};

/// The version of the tables that this program knows.
pub const TABLES: u32 = migrate::VERSION;

/// How to reach a ledger.
#[derive(Debug, Clone)]
pub struct Settings {
    /// Where it is.
    pub url: StoreUrl,
    /// Which crawl.
    pub crawl: CrawlName,
    /// The password, if the server asks for one.
    pub password: Option<Password>,
    /// This node's name, seen in the server's list of connections.
    pub node: String,
    /// How long an answer may take. A group that stands open for so long is ended by the server.
    pub patience: Duration,
}

/// The usual patience.
pub const PATIENCE: Duration = Duration::from_secs(10);

/// A connection to a ledger, made anew when it is lost.
pub struct PostgresLedger {
    settings: Settings,
    connection: Option<Connection>,
    /// URLs that the open group admits; none when no group is open.
    group: Option<u64>,
}

impl PostgresLedger {
    /// Connects, and checks that the tables fit.
    ///
    /// # Errors
    /// [`LedgerError::Away`] when there is no answer, [`LedgerError::Refused`] when the tables are
    /// of another version.
    pub fn connect(settings: Settings) -> Result<PostgresLedger, LedgerError> {
        let mut ledger = PostgresLedger {
            settings,
            connection: None,
            group: None,
        };
        ledger.connected()?;
        Ok(ledger)
    }

    /// The address and port that the connection goes to, for tests and messages.
    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    fn connected(&mut self) -> Result<&mut Connection, LedgerError> {
        if self.connection.as_ref().is_none_or(Connection::is_closed) {
            self.group = None;
            self.connection = None;
            let mut connection = Connection::new(&self.settings)?;
            connection.enter(&self.settings.crawl)?;
            self.connection = Some(connection);
        }
        Ok(self.connection.as_mut().expect("it was just made"))
    }

    /// One statement outside of a group.
    fn ask(&mut self, text: &str, values: &[&(dyn ToSql + Sync)]) -> Result<Vec<Row>, LedgerError> {
        let answer = self.connected()?.query(text, values);
        self.lost_if_away(answer)
    }

    /// A connection on which something went wrong is not used again: what it still holds open is
    /// ended by its end.
    fn lost_if_away<T>(&mut self, answer: Result<T, LedgerError>) -> Result<T, LedgerError> {
        if answer.is_err() {
            self.connection = None;
            self.group = None;
        }
        answer
    }

    /// Asks whether a group was committed whose answer was lost.
    fn committed(&mut self, closing: &Closing) -> Result<Option<bool>, LedgerError> {
        self.connection = None;
        let me = (closing.me.node as i16, closing.me.epoch as i64);
        let Ok(connection) = self.connected() else {
            return Ok(None);
        };
        let answer = connection.query("select journal_of($1, $2)", &[&me.0, &me.1]);
        if connection.warned() {
            return Ok(None);
        }
        let Ok(rows) = answer else {
            self.connection = None;
            return Ok(None);
        };
        let journal: Option<i64> = rows.first().and_then(|row| row.get(0));
        match journal {
            Some(journal) => Ok(Some(journal as u64 == closing.journal)),
            None => Err(LedgerError::Fenced),
        }
    }
}

impl Ledger for PostgresLedger {
    fn join(&mut self, card: &NodeCard) -> Result<Joined, LedgerError> {
        bounds::card(card)?;
        self.abandon();
        let rows = self.ask(
            "select * from join_crawl($1, $2, $3)",
            &[&card.name, &card.scheme, &card.config],
        )?;
        let row = rows.first().ok_or_else(rows::nothing)?;
        let mut joined = rows::joined(row)?;
        let ttl_ms = i64::try_from(card.ttl.as_millis()).unwrap_or(i64::MAX);
        let pages_max = card.pages_max.and_then(|pages| i64::try_from(pages).ok());
        let me = (joined.fence.node as i16, joined.fence.epoch as i64);
        let rows = self.ask(rows::AGREE, &[&me.0, &me.1, &ttl_ms, &pages_max])?;
        rows::agreed(rows.first().ok_or_else(rows::nothing)?, &mut joined);
        Ok(joined)
    }

    fn follow(&mut self, marks: &Marks, parts: &[Part]) -> Result<News, LedgerError> {
        self.abandon();
        let facts = self.ask(rows::FACTS, &[&(marks.facts as i64)])?;
        let kept = self.ask(rows::KEPT, &[&(marks.kept as i64)])?;
        let parts: Vec<i16> = parts.iter().map(|part| part.number() as i16).collect();
        let admitted = self.ask(rows::ADMITTED, &[&(marks.admitted as i64), &parts])?;
        rows::news(marks, &facts, &kept, &admitted)
    }

    fn standing(&mut self, parts: &[Part]) -> Result<Option<Standing>, LedgerError> {
        self.abandon();
        let parts: Vec<i16> = parts.iter().map(|part| part.number() as i16).collect();
        let roots = self.ask(rows::ROOTS_IN, &[&parts])?;
        let waiting = self.ask(rows::WAITING_IN, &[&parts])?;
        if roots.len().max(waiting.len()) >= bounds::ANSWER_MAX {
            return Ok(None);
        }
        let ended = self.ask(rows::ENDED_IN, &[&parts])?;
        let manners = self.ask(rows::MANNERS_IN, &[&parts])?;
        let all = |rows: &[Row]| -> Result<Vec<Admitted>, LedgerError> {
            rows.iter().map(|row| rows::admitted(row, 0)).collect()
        };
        let mut waiting = all(&waiting)?;
        waiting.sort_by_key(|url| (url.part, url.key));
        Ok(Some(Standing {
            roots: all(&roots)?,
            waiting,
            ended: ended.iter().map(rows::ended_in).collect::<Result<_, _>>()?,
            manners: manners
                .iter()
                .map(rows::manners)
                .collect::<Result<_, _>>()?,
        }))
    }

    fn pending(&mut self, part: Part, after: Option<UrlKey>) -> Result<Vec<Admitted>, LedgerError> {
        self.abandon();
        let after = after.map(rows::Key);
        let rows = self.ask(rows::PENDING, &[&(part.number() as i16), &after])?;
        rows.iter().map(|row| rows::admitted(row, 0)).collect()
    }

    fn roots(&mut self, part: Part) -> Result<Vec<Admitted>, LedgerError> {
        self.abandon();
        let rows = self.ask(rows::ROOTS, &[&(part.number() as i16)])?;
        rows.iter().map(|row| rows::admitted(row, 0)).collect()
    }

    fn ended(&mut self, part: Part) -> Result<Vec<EndedOfHost>, LedgerError> {
        self.abandon();
        let rows = self.ask(rows::ENDED, &[&(part.number() as i16)])?;
        Ok(rows.iter().map(rows::ended).collect())
    }

    fn manners(&mut self, part: Part) -> Result<Option<Manners>, LedgerError> {
        self.abandon();
        let rows = self.ask(rows::MANNERS_IN, &[&vec![part.number() as i16]])?;
        rows.first().map(rows::manners).transpose()
    }

    fn hand_over(&mut self, me: Fence, owed: &[(Part, Vec<u8>)]) -> Result<(), LedgerError> {
        bounds::owed(owed)?;
        self.abandon();
        let parts: Vec<i16> = owed.iter().map(|of| of.0.number() as i16).collect();
        let data: Vec<&[u8]> = owed.iter().map(|of| of.1.as_slice()).collect();
        let (node, epoch) = (me.node as i16, me.epoch as i64);
        self.ask(rows::HAND_OVER, &[&node, &epoch, &parts, &data])
            .map(drop)
    }

    fn abandon(&mut self) {
        if self.group.take().is_some() {
            self.connection = None;
        }
    }

    fn begin(
        &mut self,
        me: Fence,
        seen: u64,
        urls: &[(Part, UrlKey)],
        seeds: &[u32],
    ) -> Result<Begun, LedgerError> {
        bounds::urls(urls.len())?;
        bounds::seeds(seeds.len())?;
        self.abandon();
        let begun = self.connected()?.begin_group(me, seen, urls, seeds);
        let begun = self.lost_if_away(begun).map_err(|error| match error {
            LedgerError::Ahead { position, .. } => LedgerError::Ahead { position, seen },
            other => other,
        })?;
        self.group = Some(0);
        Ok(begun)
    }

    fn open(
        &mut self,
        me: Fence,
        offers: &[Offer],
        budgets: &[SeedBudget],
    ) -> Result<Vec<bool>, LedgerError> {
        bounds::offers(offers)?;
        bounds::seeds(budgets.len())?;
        let begun = self.group.filter(|_| self.connection.is_some());
        let connection = match begun {
            Some(_) => self.connection.as_mut().ok_or(LedgerError::NoGroup)?,
            None => self.connected()?,
        };
        let opened = match begun {
            Some(_) => connection.offer(me, offers, budgets),
            None => connection.begin_and_offer(me, offers, budgets),
        };
        let opened = self.lost_if_away(opened)?;
        let news = opened.iter().filter(|is_new| **is_new).count() as u64;
        self.group = Some(begun.unwrap_or(0) + news);
        Ok(opened)
    }

    fn reopen(&mut self, me: Fence, urls: &[Offer]) -> Result<(), LedgerError> {
        bounds::offers(urls)?;
        let (Some(_), Some(connection)) = (self.group, self.connection.as_mut()) else {
            return Err(LedgerError::NoGroup);
        };
        let answer = connection.reopen(me, urls);
        self.lost_if_away(answer)
    }

    fn close(&mut self, closing: &Closing) -> Result<Closed, LedgerError> {
        let (Some(admitted), Some(connection)) = (self.group, self.connection.as_mut()) else {
            return Err(LedgerError::NoGroup);
        };
        let answer = bounds::closing(closing)
            .and_then(|()| connection.close_group(closing, admitted))
            .map_err(|error| match error {
                LedgerError::Ahead { position, .. } => LedgerError::Ahead {
                    position,
                    seen: closing.seen,
                },
                other => other,
            });
        let closed = self.lost_if_away(answer)?;
        let Closed::Committed { .. } = closed else {
            return Ok(closed);
        };
        self.group = None;
        let connection = self.connection.as_mut().ok_or(LedgerError::NoGroup)?;
        match connection.commit() {
            Ok(()) => Ok(closed),
            Err(error) => match self.committed(closing)? {
                Some(true) => Ok(closed),
                Some(false) => Err(error),
                None => Ok(Closed::Unknown),
            },
        }
    }

    fn beat(&mut self, pulse: &Pulse) -> Result<Tidings, LedgerError> {
        bounds::pulse(pulse)?;
        self.abandon();
        let beat = self.connected()?.beat(pulse);
        let (rows, nodes) = self.lost_if_away(beat)?;
        rows::tidings(rows.first().ok_or_else(rows::nothing)?, &nodes)
    }

    fn tell(&mut self, me: Fence, fact: &Fact) -> Result<u64, LedgerError> {
        bounds::fact(fact)?;
        self.abandon();
        let rows = self.ask(
            "select tell($1, $2, $3, $4)",
            &[
                &(me.node as i16),
                &(me.epoch as i64),
                &fact.kind,
                &fact.data,
            ],
        )?;
        let number: i64 = rows.first().ok_or_else(rows::nothing)?.get(0);
        Ok(number as u64)
    }

    fn overview(&mut self) -> Result<Overview, LedgerError> {
        self.abandon();
        let crawl = self.ask(rows::CRAWL, &[])?;
        let nodes = self.ask(rows::NODES, &[])?;
        rows::overview(crawl.first().ok_or_else(rows::nothing)?, &nodes)
    }
}

/// The server behind a ledger, for people.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Server {
    /// Its version.
    pub version: String,
    /// Which standbys a commit waits for; empty if for none.
    pub standbys: String,
    /// The log's position, in bytes.
    pub log_bytes: u64,
}

impl PostgresLedger {
    /// For how long each live node's counter has stood still, by the store's clock.
    ///
    /// # Errors
    /// [`LedgerError::Away`] when the store does not answer.
    pub fn stillness(&mut self) -> Result<HashMap<u16, Duration>, LedgerError> {
        self.abandon();
        let text = "select id, extract(epoch from clock_timestamp() - beaten)::float8 from node \
                    where state = 'live'";
        let rows = self.ask(text, &[])?;
        let stood = |row: &Row| {
            let seconds = row.get::<_, f64>(1).max(0.0);
            let number = row.get::<_, i16>(0) as u16;
            (number, Duration::from_secs_f64(seconds))
        };
        Ok(rows.iter().map(stood).collect())
    }

    /// What there is to say of the server.
    ///
    /// # Errors
    /// [`LedgerError::Away`] when the store does not answer.
    pub fn server(&mut self) -> Result<Server, LedgerError> {
        self.abandon();
        let messages = self.connected()?.simple(
            "select current_setting('server_version'), \
             current_setting('synchronous_standby_names'), \
             pg_wal_lsn_diff(pg_current_wal_lsn(), '0/0')::bigint",
        );
        let messages = self.lost_if_away(messages)?;
        let row = messages.iter().find_map(|message| match message {
            SimpleQueryMessage::Row(row) => Some(row),
            SimpleQueryMessage::CommandComplete(_) | SimpleQueryMessage::RowDescription(_) => None,
            _ => None,
        });
        let row = row.ok_or_else(rows::nothing)?;
        let text = |at| row.get(at).unwrap_or_default().to_owned();
        let log_bytes = text(2)
            .parse()
            .map_err(|_| away("the log has no position"))?;
        Ok(Server {
            version: text(0),
            standbys: text(1),
            log_bytes,
        })
    }
}

/// Tables that do not fit.
fn other_tables(theirs: u32) -> LedgerError {
    let ours = TABLES;
    Refused::OtherTables { theirs, ours }.into()
}
