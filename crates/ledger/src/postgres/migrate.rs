//! The tables, made and brought up to date: numbered steps, each applied once, under a lock.
//!
//! A step only adds. So a program works with tables of its own version and of one version more,
//! and nodes can be brought up to date one by one.

use crate::ledger::LedgerError;
use crate::postgres::connection::Connection;
use crate::postgres::{Settings, other_tables, rows};
use crate::store_url::CrawlName;

/// The steps so far, numbered from 1.
const STEPS: [&str; 7] = [
    include_str!("migrations/001_tables.sql"),
    include_str!("migrations/002_functions.sql"),
    include_str!("migrations/003_order_first.sql"),
    include_str!("migrations/004_last_beat.sql"),
    include_str!("migrations/005_seed_budgets.sql"),
    include_str!("migrations/006_pages_alone.sql"),
    include_str!("migrations/007_manners_and_terms.sql"),
];

/// The version that the steps lead to.
pub(super) const VERSION: u32 = STEPS.len() as u32;

/// Any number that no other program locks: "tamis" in ASCII.
const LOCK: i64 = 0x74_61_6d_69_73;

/// What is said once, when the tables are made.
#[derive(Debug, Clone, Copy, Default)]
pub struct InitPlan {
    /// Pages that the crawl may fetch; none for no such bound.
    pub pages_max: Option<u64>,
}

/// Whether this program works with tables of a version.
pub(super) fn accepts(version: u32) -> bool {
    version == VERSION || version == VERSION + 1
}

/// The version of a crawl's tables; none if there are no tables.
pub(super) fn version_of(
    connection: &mut Connection,
    schema: &str,
) -> Result<Option<u32>, LedgerError> {
    let there = connection.query(
        "select to_regclass($1) is not null",
        &[&format!("{schema}.migration")],
    )?;
    if !there.first().ok_or_else(rows::nothing)?.get::<_, bool>(0) {
        return Ok(None);
    }
    let text = format!("select coalesce(max(n), 0) from {schema}.migration");
    let version: i32 = connection
        .query(&text, &[])?
        .first()
        .ok_or_else(rows::nothing)?
        .get(0);
    Ok(u32::try_from(version).ok().filter(|&version| version > 0))
}

/// Makes the three roles and the crawl's tables, or brings the tables up to date. Gives the
/// version before and after.
///
/// The caller's role must be allowed to make roles, or they must be there and it a member of
/// `tamis_owner`; and it must be allowed to make a schema in the database.
///
/// # Errors
/// When a step fails: nothing of it is left behind.
pub fn init(settings: &Settings, plan: InitPlan) -> Result<(u32, u32), LedgerError> {
    let mut connection = Connection::new(settings)?;
    connection.simple("begin")?;
    connection.query("select pg_advisory_xact_lock($1)", &[&LOCK])?;
    roles(&mut connection)?;
    let before = tables(&mut connection, &settings.crawl)?;
    if before == 0 {
        let pages_max = plan.pages_max.map(|pages| pages as i64);
        connection.query("update shares set pages_max = $1", &[&pages_max])?;
    }
    connection.commit()?;
    Ok((before, VERSION.max(before)))
}

/// Sets how many pages a crawl may fetch over all nodes, but no fewer than were granted. Gives what that was
/// before and is now.
///
/// # Errors
/// When the role is not the owner's, or the store does not answer.
pub fn set_budget(
    settings: &Settings,
    pages_max: Option<u64>,
) -> Result<(Option<u64>, Option<u64>), LedgerError> {
    let mut connection = Connection::new(settings)?;
    connection.enter(&settings.crawl)?;
    let pages_max = pages_max.map(|pages| i64::try_from(pages).unwrap_or(i64::MAX));
    let rows = connection.query("select * from set_budget($1)", &[&pages_max])?;
    let row = rows.first().ok_or_else(rows::nothing)?;
    Ok((rows::pages(row, 0), rows::pages(row, 1)))
}

/// Takes a crawl's tables away, with all that they hold.
///
/// # Errors
/// When the role may not, or the store does not answer.
pub fn drop_crawl(settings: &Settings) -> Result<(), LedgerError> {
    let mut connection = Connection::new(settings)?;
    let schema = settings.crawl.schema();
    connection
        .simple(&format!("drop schema {schema} cascade"))
        .map(drop)
}

/// What was put back when a node was forgotten.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Forgotten {
    /// The node's number.
    pub node: u16,
    /// Texts of it that are kept no more.
    pub texts: u64,
    /// URLs that wait again.
    pub urls: u64,
    /// Those of them that other nodes had dropped for repeating its pages.
    pub copies: u64,
}

/// Forgets a node whose disk is lost: what it kept is withdrawn, and what it finished waits again,
/// with what was dropped for repeating its pages. Its name is free then.
///
/// # Errors
/// [`LedgerError::Alive`] when the node takes part, [`LedgerError::NoSuchNode`] when there is none;
/// when the role is not the owner's, or the store does not answer.
pub fn forget(settings: &Settings, node: &str) -> Result<Forgotten, LedgerError> {
    let mut connection = Connection::new(settings)?;
    connection.enter(&settings.crawl)?;
    let rows = connection.query("select * from forget_node($1)", &[&node])?;
    let row = rows.first().ok_or_else(rows::nothing)?;
    let count = |at: usize| row.get::<_, i64>(at) as u64;
    Ok(Forgotten {
        node: row.get::<_, i16>(0) as u16,
        texts: count(1),
        urls: count(2),
        copies: count(3),
    })
}

/// The owner makes tables and logs in nowhere; node and reader log in once they have a password.
fn roles(connection: &mut Connection) -> Result<(), LedgerError> {
    for (role, login) in [
        ("tamis_owner", "nologin"),
        ("tamis_node", "login"),
        ("tamis_reader", "login"),
    ] {
        let there = connection.query("select 1 from pg_roles where rolname = $1", &[&role])?;
        if there.is_empty() {
            connection.simple(&format!("create role {role} {login}"))?;
        }
    }
    let member = connection.query("select pg_has_role('tamis_owner', 'member')", &[])?;
    if !member.first().ok_or_else(rows::nothing)?.get::<_, bool>(0) {
        connection.simple("grant tamis_owner to current_user")?;
    }
    Ok(())
}

/// Applies the steps that are missing; gives the version before.
fn tables(connection: &mut Connection, crawl: &CrawlName) -> Result<u32, LedgerError> {
    let schema = crawl.schema();
    let before = version_of(connection, &schema)?.unwrap_or(0);
    if before > VERSION + 1 {
        return Err(other_tables(before));
    }
    if before == 0 {
        connection.simple(&format!("create schema {schema} authorization tamis_owner"))?;
    }
    connection.simple(&format!(
        "set local role tamis_owner; set local search_path = {schema}, pg_temp"
    ))?;
    if before == 0 {
        connection.simple(
            "create table migration (n int primary key, at timestamptz not null default now())",
        )?;
    }
    for (number, step) in (1..).zip(STEPS).skip(before as usize) {
        connection.simple(&step.replace("@schema@", &schema))?;
        connection.query("insert into migration (n) values ($1)", &[&number])?;
    }
    // Somebody may have taken that back.
    connection.simple(&format!(
        "grant usage on schema {schema} to tamis_node, tamis_reader"
    ))?;
    Ok(before)
}
