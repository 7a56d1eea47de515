//! One connection, with a runtime of its own that runs while a call waits.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use rustls::pki_types::CertificateDer;
use rustls::pki_types::pem::PemObject;
use rustls_platform_verifier::BuilderVerifierExt;
use tokio::runtime::Runtime;
use tokio_postgres::config::{SslMode, TargetSessionAttrs};
use tokio_postgres::error::SqlState;
use tokio_postgres::tls::{MakeTlsConnect, TlsConnect};
use tokio_postgres::types::ToSql;
use tokio_postgres::{AsyncMessage, Client, NoTls, Row, SimpleQueryMessage, Socket, Statement};
use tokio_postgres_rustls::MakeRustlsConnect;

use crate::keys::{Fence, Part, UrlKey};
use crate::ledger::LedgerError;
use crate::messages::{Begun, Closed, Closing, Offer, Pulse, SeedBudget};
use crate::postgres::{Settings, migrate, other_tables, rows};
use crate::store_url::{CrawlName, StoreUrl};

/// The oldest server whose functions we use.
const SERVER_MIN: i32 = 150_000;

pub(super) struct Connection {
    runtime: Runtime,
    client: Client,
    statements: HashMap<String, Statement>,
    /// The server warned: a commit may not be on the standby.
    warned: Arc<AtomicBool>,
    patience: Duration,
}

/// What can be tried again later.
pub(super) fn away(why: impl std::fmt::Display) -> LedgerError {
    LedgerError::Away(why.to_string())
}

impl Connection {
    pub(super) fn new(settings: &Settings) -> Result<Connection, LedgerError> {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .map_err(away)?;
        let mut config = settings.url.config().clone();
        config
            .application_name(format!(
                "tamis/{}/{}",
                settings.crawl.as_str(),
                settings.node
            ))
            .target_session_attrs(TargetSessionAttrs::ReadWrite)
            .connect_timeout(settings.patience)
            .keepalives_idle(settings.patience)
            .tcp_user_timeout(settings.patience);
        if let Some(password) = &settings.password {
            config.password(password.reveal());
        }
        let warned = Arc::new(AtomicBool::new(false));
        let client = match settings.url.is_tls() {
            true => {
                config.ssl_mode(SslMode::Require);
                let tls = MakeRustlsConnect::new(tls(&settings.url)?);
                dial(&runtime, &config, tls, &warned, settings.patience)
            }
            false => {
                config.ssl_mode(SslMode::Disable);
                dial(&runtime, &config, NoTls, &warned, settings.patience)
            }
        }?;
        let mut connection = Connection {
            runtime,
            client,
            statements: HashMap::new(),
            warned,
            patience: settings.patience,
        };
        connection.set_up()?;
        Ok(connection)
    }

    /// The server ends what a stopped or cut-off node left open. Nothing in a role's own settings
    /// may weaken a commit.
    fn set_up(&mut self) -> Result<(), LedgerError> {
        let patience = self.patience.as_millis();
        self.simple(&format!(
            "set synchronous_commit = on; \
             set idle_in_transaction_session_timeout = {patience}; \
             set tcp_user_timeout = {patience}; \
             set lock_timeout = {patience}; \
             set default_transaction_isolation = 'read committed'; \
             set client_min_messages = warning"
        ))?;
        let rows = self.query("select current_setting('server_version_num')::int", &[])?;
        let version: i32 = rows.first().ok_or_else(rows::nothing)?.get(0);
        match version >= SERVER_MIN {
            true => Ok(()),
            false => Err(LedgerError::Broken(format!(
                "PostgreSQL 15 or newer is needed, the server says {version}"
            ))),
        }
    }

    /// Looks at the tables of one crawl from here on.
    pub(super) fn enter(&mut self, crawl: &CrawlName) -> Result<(), LedgerError> {
        let schema = crawl.schema();
        let usable = self.query(
            "select has_schema_privilege(oid, 'usage') from pg_namespace where nspname = $1",
            &[&schema],
        )?;
        if usable.first().is_some_and(|row| !row.get::<_, bool>(0)) {
            return Err(LedgerError::Unseen(format!(
                "it has lost `usage` on the schema {schema}, which `tamis cluster init` grants again"
            )));
        }
        self.simple(&format!("set search_path = {schema}, pg_temp"))?;
        match migrate::version_of(self, &schema)? {
            Some(version) if migrate::accepts(version) => Ok(()),
            Some(version) => Err(other_tables(version)),
            None => Err(LedgerError::Broken(format!(
                "there are no tables of the crawl {:?}: make them with `tamis cluster init`",
                crawl.as_str()
            ))),
        }
    }

    pub(super) fn is_closed(&self) -> bool {
        self.client.is_closed()
    }

    /// Whether the server warned since it was asked last.
    pub(super) fn warned(&self) -> bool {
        self.warned.swap(false, Ordering::AcqRel)
    }

    /// Statements without values.
    pub(super) fn simple(&mut self, text: &str) -> Result<Vec<SimpleQueryMessage>, LedgerError> {
        let asked = self.client.simple_query(text);
        let answer = waited(&self.runtime, self.patience, asked)?;
        self.unless_warned(answer)
    }

    /// A statement with values, prepared once.
    pub(super) fn query(
        &mut self,
        text: &str,
        values: &[&(dyn ToSql + Sync)],
    ) -> Result<Vec<Row>, LedgerError> {
        let statement = self.prepared(text)?;
        let asked = self.client.query(&statement, values);
        let answer = waited(&self.runtime, self.patience, asked)?;
        self.unless_warned(answer)
    }

    fn prepared(&mut self, text: &str) -> Result<Statement, LedgerError> {
        if let Some(statement) = self.statements.get(text) {
            return Ok(statement.clone());
        }
        let statement = waited(&self.runtime, self.patience, self.client.prepare(text))?;
        self.statements.insert(text.to_owned(), statement.clone());
        Ok(statement)
    }

    fn unless_warned<T>(&self, answer: T) -> Result<T, LedgerError> {
        match self.warned() {
            true => Err(away("a write may not have reached the standby")),
            false => Ok(answer),
        }
    }

    /// Begins a group with the order for itself, and asks which URLs are admitted and what seeds have
    /// spent: four statements in one flight. The last two see all that was committed before the second
    /// had the lock.
    pub(super) fn begin_group(
        &mut self,
        me: Fence,
        seen: u64,
        urls: &[(Part, UrlKey)],
        seeds: &[u32],
    ) -> Result<Begun, LedgerError> {
        let (begin, known) = (self.prepared(rows::BEGIN)?, self.prepared(rows::KNOWN)?);
        // A crawl without such budgets asks for none.
        let spent = match seeds {
            [] => None,
            _ => Some(self.prepared(rows::SPENT)?),
        };
        let seeds: Vec<i64> = seeds.iter().map(|&seed| seed.into()).collect();
        let parts: Vec<i16> = urls.iter().map(|url| rows::part_number(url.0)).collect();
        let keys: Vec<rows::Key> = urls.iter().map(|url| rows::Key(url.1)).collect();
        let me = (me.node as i16, me.epoch as i64, seen as i64);
        let client = &self.client;
        let asked = async {
            let values: [&(dyn ToSql + Sync); 3] = [&me.0, &me.1, &me.2];
            let asked: [&(dyn ToSql + Sync); 2] = [&parts, &keys];
            let asked_of_seeds: [&(dyn ToSql + Sync); 1] = [&seeds];
            let spending = async {
                match &spent {
                    Some(spent) => client.query(spent, &asked_of_seeds).await,
                    None => Ok(Vec::new()),
                }
            };
            let (begun, texts, known, spent) = tokio::join!(
                client.simple_query("begin"),
                client.query(&begin, &values),
                client.query(&known, &asked),
                spending,
            );
            begun?;
            Ok((texts?, known?, spent?))
        };
        let (texts, known, spent) = waited(&self.runtime, self.patience, asked)?;
        let spent: Vec<i64> = spent.first().map_or_else(Vec::new, |row| row.get(0));
        let texts = texts.iter().map(|row| rows::kept(row, 0));
        Ok(Begun {
            kept: texts.collect::<Result<_, _>>()?,
            known: known.first().ok_or_else(rows::nothing)?.get(0),
            spent: spent.into_iter().map(|urls| urls as u64).collect(),
        })
    }

    /// Offers URLs to the group that was begun.
    pub(super) fn offer(
        &mut self,
        me: Fence,
        offers: &[Offer],
        budgets: &[SeedBudget],
    ) -> Result<Vec<bool>, LedgerError> {
        let columns = rows::OfferColumns::of(offers);
        let budgets = rows::BudgetColumns::of(budgets);
        let (node, epoch) = (me.node as i16, me.epoch as i64);
        let (text, values) = columns.opening(&node, &epoch, &budgets);
        let answer = self.query(text, &values)?;
        Ok(answer.first().ok_or_else(rows::nothing)?.get(0))
    }

    /// Puts URLs back within the open group.
    pub(super) fn reopen(&mut self, me: Fence, urls: &[Offer]) -> Result<(), LedgerError> {
        let parts: Vec<i16> = urls.iter().map(|url| rows::part_number(url.part)).collect();
        let keys: Vec<rows::Key> = urls.iter().map(|url| rows::Key(url.key)).collect();
        let contexts: Vec<&[u8]> = urls.iter().map(|url| url.url.context.as_slice()).collect();
        let (node, epoch) = (me.node as i16, me.epoch as i64);
        self.query(rows::REOPEN, &[&node, &epoch, &parts, &keys, &contexts])
            .map(drop)
    }

    /// Begins a group: two statements in one flight.
    pub(super) fn begin_and_offer(
        &mut self,
        me: Fence,
        offers: &[Offer],
        budgets: &[SeedBudget],
    ) -> Result<Vec<bool>, LedgerError> {
        let columns = rows::OfferColumns::of(offers);
        let budgets = rows::BudgetColumns::of(budgets);
        let (node, epoch) = (me.node as i16, me.epoch as i64);
        let (text, values) = columns.opening(&node, &epoch, &budgets);
        let statement = self.prepared(text)?;
        let client = &self.client;
        let both = async {
            let (begun, opened) = tokio::join!(
                client.simple_query("begin"),
                client.query(&statement, &values)
            );
            begun?;
            opened
        };
        let answer = waited(&self.runtime, self.patience, both)?;
        let news = answer.first().ok_or_else(rows::nothing)?.get(0);
        Ok(news)
    }

    pub(super) fn close_group(
        &mut self,
        closing: &Closing,
        admitted: u64,
    ) -> Result<Closed, LedgerError> {
        let columns = rows::ClosingColumns::of(closing, admitted);
        let answer = self.query(rows::CLOSE, &columns.values())?;
        let first = answer.first().ok_or_else(rows::nothing)?;
        let verdict: i16 = first.get(0);
        if verdict == 0 {
            let first: i64 = first.get(1);
            let first = first as u64;
            return Ok(Closed::Committed { first });
        }
        let near = answer.iter().map(|row| rows::kept(row, 1));
        Ok(Closed::Near(near.collect::<Result<_, _>>()?))
    }

    pub(super) fn commit(&mut self) -> Result<(), LedgerError> {
        self.simple("commit").map(drop)
    }

    /// A beat, and all nodes after it: two statements in one flight.
    pub(super) fn beat(&mut self, pulse: &Pulse) -> Result<(Vec<Row>, Vec<Row>), LedgerError> {
        let (beat, nodes) = (self.prepared(rows::BEAT)?, self.prepared(rows::NODES)?);
        let columns = rows::PulseColumns::of(pulse);
        let values = columns.values();
        let client = &self.client;
        let both =
            async { tokio::try_join!(client.query(&beat, &values), client.query(&nodes, &[])) };
        let answer = waited(&self.runtime, self.patience, both)?;
        self.unless_warned(answer)
    }
}

/// Waits for an answer, for a bounded time.
fn waited<T>(
    runtime: &Runtime,
    patience: Duration,
    asked: impl Future<Output = Result<T, tokio_postgres::Error>>,
) -> Result<T, LedgerError> {
    // A little longer than the server's own patience, so that its reason is heard.
    let patience = patience + Duration::from_secs(1);
    let answer = runtime.block_on(async { tokio::time::timeout(patience, asked).await });
    match answer {
        Ok(answer) => answer.map_err(|error| meaning(&error)),
        Err(_) => Err(away(format!("no answer within {} s", patience.as_secs()))),
    }
}

fn dial<T>(
    runtime: &Runtime,
    config: &tokio_postgres::Config,
    tls: T,
    warned: &Arc<AtomicBool>,
    patience: Duration,
) -> Result<Client, LedgerError>
where
    T: MakeTlsConnect<Socket> + 'static,
    T::Stream: Send + 'static,
    T::TlsConnect: Send,
    <T::TlsConnect as TlsConnect<Socket>>::Future: Send,
{
    let (client, mut connection) = waited(runtime, patience, config.connect(tls))?;
    let warned = Arc::clone(warned);
    runtime.spawn(async move {
        while let Some(Ok(message)) = std::future::poll_fn(|cx| connection.poll_message(cx)).await {
            if let AsyncMessage::Notice(notice) = message {
                warned.store(true, Ordering::Release);
                drop(notice);
            }
        }
    });
    Ok(client)
}

/// TLS on which the server's name and certificate are checked.
fn tls(url: &StoreUrl) -> Result<rustls::ClientConfig, LedgerError> {
    let broken = |why: &dyn std::fmt::Display| LedgerError::Broken(why.to_string());
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let builder = rustls::ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .map_err(|error| broken(&error))?;
    let Some(path) = url.root() else {
        let builder = builder
            .with_platform_verifier()
            .map_err(|error| broken(&error))?;
        return Ok(builder.with_no_client_auth());
    };
    let mut roots = rustls::RootCertStore::empty();
    let certificates = CertificateDer::pem_file_iter(path)
        .map_err(|error| broken(&format!("read {path:?}: {error}")))?;
    for certificate in certificates {
        let certificate =
            certificate.map_err(|error| broken(&format!("read {path:?}: {error}")))?;
        roots.add(certificate).map_err(|error| broken(&error))?;
    }
    Ok(builder.with_root_certificates(roots).with_no_client_auth())
}

/// What an error of the client means to the caller.
fn meaning(error: &tokio_postgres::Error) -> LedgerError {
    let Some(database) = error.as_db_error() else {
        return away(in_full(error));
    };
    let detail = database.detail().and_then(|text| text.parse().ok());
    let words = || format!("{} ({})", database.message(), database.code().code());
    match database.code().code() {
        "TM001" => LedgerError::Fenced,
        "TM002" => LedgerError::NotGranted,
        "TM003" => LedgerError::Behind {
            by: detail.unwrap_or_default(),
        },
        "TM004" => LedgerError::Ahead {
            position: detail.unwrap_or_default(),
            seen: 0,
        },
        "TM005" => LedgerError::StaleJournal,
        "TM006" => LedgerError::NoSuchNode,
        "TM007" => LedgerError::Alive,
        "TM008" => LedgerError::OverBudget,
        code if code == SqlState::INSUFFICIENT_PRIVILEGE.code() => LedgerError::NoRight(words()),
        // A schema that the role may not use is passed over in the search path.
        code if [
            SqlState::UNDEFINED_FUNCTION.code(),
            SqlState::UNDEFINED_TABLE.code(),
            SqlState::INVALID_SCHEMA_NAME.code(),
        ]
        .contains(&code) =>
        {
            LedgerError::Unseen(format!(
                "{}: they are gone, or the role has lost `usage` on their schema, which `tamis cluster init` grants \
                 again",
                words()
            ))
        }
        code if code == SqlState::TOO_MANY_CONNECTIONS.code() => away(format!(
            "{}: PostgreSQL has no connection left; a node needs two: end others that are idle, or raise \
             max_connections there",
            words()
        )),
        code if code == SqlState::UNIQUE_VIOLATION.code() => LedgerError::FinishedTwice,
        // Connections, resources, an operator at work, a standby, timeouts, deadlocks.
        code if ["08", "53", "57", "58"].contains(&&code[..2])
            || ["25006", "25P03", "40001", "40P01", "55P03"].contains(&code) =>
        {
            away(words())
        }
        _ => LedgerError::Broken(words()),
    }
}

/// An error with its causes. None of them holds a password: the client keeps it apart.
fn in_full(error: &dyn std::error::Error) -> String {
    let mut words = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        let more = error.to_string();
        if !words.contains(&more) {
            words = format!("{words}: {more}");
        }
        cause = error.source();
    }
    words
}
