//! Where the ledger is: `postgres://USER@HOST[:PORT]/DATABASE`, and how it may be reached.
//!
//! What is asked of the connection does not depend on what the URL forgot to say. Over a network
//! it is TLS with the server's name checked (`verify-full`), unless the URL says `sslmode=disable`
//! in so many words; on this machine (loopback, a Unix socket) it is plain. A password is never in
//! the URL, since that is kept in the crawl's configuration.

use std::fmt;
use std::net::IpAddr;
use std::path::PathBuf;
use std::str::FromStr;

use tokio_postgres::config::Host;

/// A checked URL. It holds no password, so it may be printed.
#[derive(Clone, PartialEq, Eq)]
pub struct StoreUrl {
    text: String,
    config: tokio_postgres::Config,
    tls: bool,
    root: Option<PathBuf>,
}

/// Why a URL is none of a ledger. The URL itself is not in the words: it may hold a password.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum StoreUrlError {
    /// Not of the form.
    #[error("the store is no URL of the form postgres://USER@HOST/DATABASE")]
    Form,
    /// No user, host or database.
    #[error("the store's URL names no {0}")]
    Missing(&'static str),
    /// A password.
    #[error(
        "the store's URL holds a password: take it out, and set cluster.password_file, PGPASSWORD or PGPASSFILE"
    )]
    Password,
    /// A mode of TLS that does not check whom it talks to.
    #[error(
        "the store's URL asks for a connection that is not checked: sslmode is verify-full or disable"
    )]
    Mode,
}

impl StoreUrl {
    /// Reads a URL.
    ///
    /// # Errors
    /// When it is none, holds a password, or asks for TLS that checks nothing.
    pub fn parse(text: &str) -> Result<StoreUrl, StoreUrlError> {
        let scheme = ["postgres://", "postgresql://"];
        if !scheme.iter().any(|scheme| text.starts_with(scheme)) {
            return Err(StoreUrlError::Form);
        }
        let (plain, mode, root) = without_tls(text);
        let config = tokio_postgres::Config::from_str(&plain).map_err(|_| StoreUrlError::Form)?;
        if config.get_password().is_some() {
            return Err(StoreUrlError::Password);
        }
        for (what, there) in [
            ("user", config.get_user().is_some()),
            ("host", !config.get_hosts().is_empty()),
            ("database", config.get_dbname().is_some()),
        ] {
            if !there {
                return Err(StoreUrlError::Missing(what));
            }
        }
        let near = is_near(&config);
        let tls = match mode.as_deref() {
            None => !near,
            Some("verify-full") => true,
            Some("disable") => false,
            Some(_) => return Err(StoreUrlError::Mode),
        };
        Ok(StoreUrl {
            text: text.to_owned(),
            config,
            tls,
            root,
        })
    }

    /// The URL as it was given.
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// The role that is logged in as; none if the URL names none.
    pub fn role(&self) -> Option<&str> {
        self.config().get_user()
    }

    /// The database.
    pub fn database(&self) -> Option<&str> {
        self.config().get_dbname()
    }

    /// Hosts, ports, database and user.
    pub(crate) fn config(&self) -> &tokio_postgres::Config {
        &self.config
    }

    /// Whether the connection is TLS with the server's name checked.
    pub fn is_tls(&self) -> bool {
        self.tls
    }

    /// Whether all hosts are this machine.
    pub fn is_here(&self) -> bool {
        is_near(&self.config)
    }

    /// A file with the certificate authority to trust, instead of the system's.
    pub(crate) fn root(&self) -> Option<&PathBuf> {
        self.root.as_ref()
    }

    /// The hosts, for messages.
    pub fn hosts(&self) -> Vec<String> {
        self.config.get_hosts().iter().map(host_name).collect()
    }

    /// The hosts with their ports. One port is that of all hosts.
    pub(crate) fn places(&self) -> Vec<(String, u16)> {
        let ports = self.config.get_ports();
        let port = |at: usize| ports.get(at).or(ports.first()).copied().unwrap_or(5432);
        let hosts = self.hosts().into_iter().enumerate();
        hosts.map(|(at, host)| (host, port(at))).collect()
    }
}

impl fmt::Debug for StoreUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("StoreUrl").field(&self.text).finish()
    }
}

pub(crate) fn host_name(host: &Host) -> String {
    match host {
        Host::Tcp(name) => name.clone(),
        #[cfg(unix)]
        Host::Unix(path) => path.display().to_string(),
    }
}

/// Whether every place that the connection may go to is this machine: addresses that are given
/// beside the names count, since it goes there.
fn is_near(config: &tokio_postgres::Config) -> bool {
    let is_here = |host: &Host| match host {
        Host::Tcp(name) => {
            name == "localhost" || name.parse::<IpAddr>().is_ok_and(|ip| ip.is_loopback())
        }
        #[cfg(unix)]
        Host::Unix(_) => true,
    };
    config.get_hosts().iter().all(is_here) && config.get_hostaddrs().iter().all(IpAddr::is_loopback)
}

/// The URL without what is said of TLS: the client knows other words for it.
fn without_tls(text: &str) -> (String, Option<String>, Option<PathBuf>) {
    let Some((before, query)) = text.split_once('?') else {
        return (text.to_owned(), None, None);
    };
    let (mut mode, mut root, mut rest) = (None, None, Vec::new());
    for pair in query.split('&') {
        match pair.split_once('=') {
            Some(("sslmode", value)) => mode = Some(value.to_owned()),
            Some(("sslrootcert", value)) => root = Some(PathBuf::from(value)),
            Some(_) | None => rest.push(pair),
        }
    }
    let plain = match rest.is_empty() {
        true => before.to_owned(),
        false => format!("{before}?{}", rest.join("&")),
    };
    (plain, mode, root)
}

/// A crawl's name in the store: its tables stand in the schema `tamis_NAME`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CrawlName(String);

impl CrawlName {
    /// Letters, digits and `_`, at most 40; others become `_`, capitals small. None if nothing
    /// is left.
    pub fn of(name: &str) -> Option<CrawlName> {
        let plain: String = name
            .chars()
            .take(40)
            .map(|c| match c.is_ascii_alphanumeric() {
                true => c.to_ascii_lowercase(),
                false => '_',
            })
            .collect();
        let has_word = plain.bytes().any(|byte| byte.is_ascii_alphanumeric());
        has_word.then_some(CrawlName(plain))
    }

    /// The schema.
    pub fn schema(&self) -> String {
        format!("tamis_{}", self.0)
    }

    /// The name.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(url: &str, tls: bool) {
        assert_eq!(StoreUrl::parse(url).unwrap().is_tls(), tls, "{url}");
    }

    #[test]
    fn a_network_is_crossed_with_tls_and_this_machine_without() {
        check("postgres://node@db.example/crawls", true);
        check("postgres://node@192.0.2.7:5433/crawls", true);
        check("postgres://node@127.0.0.1/crawls", false);
        check("postgres://node@localhost/crawls", false);
        check("postgres://node@[::1]/crawls", false);
        check("postgres://node@%2Frun%2Fpg/crawls", false);
        check("postgres://node@127.0.0.1,db.example/crawls", true);
        check("postgres://node@127.0.0.1/crawls?sslmode=verify-full", true);
        check("postgres://node@db.example/crawls?sslmode=disable", false);
        check("postgres://node@localhost/crawls?hostaddr=192.0.2.7", true);
        check("postgres://node@db.example/crawls?hostaddr=127.0.0.1", true);
    }

    #[test]
    fn tls_that_checks_nothing_is_refused() {
        for mode in ["allow", "prefer", "require", "verify-ca", ""] {
            let url = format!("postgres://node@db.example/crawls?sslmode={mode}");
            assert_eq!(StoreUrl::parse(&url), Err(StoreUrlError::Mode), "{mode}");
        }
    }

    #[test]
    fn a_password_is_refused_and_not_repeated() {
        for url in [
            "postgres://node:sesame@db.example/crawls",
            "postgres://node@db.example/crawls?password=sesame",
        ] {
            let error = StoreUrl::parse(url).unwrap_err();
            assert_eq!(error, StoreUrlError::Password);
            assert!(!format!("{error} {error:?}").contains("sesame"));
        }
        let broken = StoreUrl::parse("postgres://node:sesame@db example:x/").unwrap_err();
        assert!(!format!("{broken} {broken:?}").contains("sesame"));
    }

    #[test]
    fn what_is_missing_is_named() {
        let missing = |url| StoreUrl::parse(url).unwrap_err();
        assert_eq!(
            missing("postgres://db.example/x"),
            StoreUrlError::Missing("user")
        );
        assert_eq!(
            missing("postgres://a@db.example"),
            StoreUrlError::Missing("database")
        );
        assert_eq!(missing("mysql://a@db.example/x"), StoreUrlError::Form);
    }

    #[test]
    fn a_crawl_has_a_schema_that_needs_no_quotes() {
        let schema = |name| CrawlName::of(name).map(|name| name.schema());
        assert_eq!(
            schema("Chinese databases; drop").as_deref(),
            Some("tamis_chinese_databases__drop")
        );
        assert_eq!(schema("数据"), None);
    }
}
