//! `tamis cluster`: the ledger that the nodes of one crawl share.

mod bench;
mod check;
mod drain;
mod rebuild;
mod status;

use std::path::{Path, PathBuf};
use std::time::Duration;

use config::{CrawlConfig, file};
use ledger::postgres::{Forgotten, InitPlan, PATIENCE, forget, init, set_budget};
use ledger::{
    CrawlName, Ledger, LedgerError, Meter, Metered, Password, PostgresLedger, Settings, StoreUrl,
};
use pipeline::CrawlError;
use serde_json::json;

use crate::command::crawl_error;
use crate::exit::{Exit, resource, usage};
use crate::output::Output;
use bench::bench;
use check::check;
use status::status;

/// Make, look at and measure the ledger that the nodes of one crawl share
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  \
    tamis cluster init crawl.toml --store postgres://postgres@localhost/crawls\n  \
    tamis cluster status crawl.toml\n  \
    tamis cluster check --dir node-a --dir node-b\n  \
    tamis cluster rebuild --store postgres://postgres@localhost/crawls node-a node-b\n  \
    tamis cluster bench --store postgres://postgres@localhost/crawls")]
pub struct Args {
    /// What to do
    #[command(subcommand)]
    action: Action,
}

#[derive(Debug, clap::Subcommand)]
enum Action {
    /// Make the ledger's tables and roles, or bring the tables up to date
    #[command(
        after_help = "Example:\n  tamis cluster init crawl.toml --store postgres://postgres@localhost/crawls"
    )]
    Init(Place),
    /// Show nodes, parts, totals and what a commit waits for
    #[command(after_help = "Example:\n  tamis cluster status crawl.toml --json")]
    Status(Place),
    /// Compare the journals of nodes that do not run with the ledger
    #[command(
        after_help = "Example:\n  tamis cluster check --dir node-a --dir node-b",
        long_about = "Compare the journals of nodes that do not run with the ledger: URLs finished twice, what was \
                      acknowledged and is missing from a journal, what stands in a journal and not in the ledger, \
                      and counters that are not the number of their rows. Exit code 1 when something differs"
    )]
    Check {
        /// Where; without a configuration or a store as the first directory has it
        #[command(flatten)]
        place: Place,
        /// A node's directory; each as one more --dir
        #[arg(long = "dir", value_name = "DIR", required = true)]
        dirs: Vec<PathBuf>,
    },
    /// Give up a node whose disk is lost: what it kept is withdrawn, what it did is done anew by the
    /// others. Needs the owner's role
    #[command(
        after_help = "Example:\n  tamis cluster forget crawl.toml --node worker-7 --store postgres://postgres@localhost/crawls"
    )]
    Forget {
        /// Where
        #[command(flatten)]
        place: Place,
        /// The node's name, as `tamis cluster status` shows it
        #[arg(long)]
        node: String,
    },
    /// Ask a node to hand over what it has and end; waits until it has left
    #[command(
        after_help = "Example:\n  tamis cluster drain worker-7 crawl.toml",
        long_about = "Ask a node to hand over what it has and end, and wait until it has left. It begins no further \
                      request, records what is under way, and gives back its parts; the others have them with their \
                      next sign of life, and need not wait for the end of its lease. Its process ends with the \
                      reason handed_over and exit code 0; started again in its directory it takes part again"
    )]
    Drain(drain::Args),
    /// Make the ledger anew from the nodes' directories, after the database was lost or went back to an
    /// older state. Needs the owner's role
    #[command(
        after_help = "Example:\n  tamis cluster rebuild --store postgres://postgres@localhost/crawls node-a node-b node-c",
        long_about = "Make the ledger anew from the nodes' directories, after the database was lost or went back to \
                      an older state. All directories are given, and no node runs. The store must not hold the \
                      crawl: an older state of it is dropped first. Needs the owner's role"
    )]
    Rebuild(rebuild::Args),
    /// Measure what a ledger costs here, on tables made for it and taken away again
    #[command(
        after_help = "Example:\n  tamis cluster bench --store postgres://postgres@localhost/crawls --clients 1,8,32"
    )]
    Bench {
        /// Where
        #[command(flatten)]
        place: Place,
        /// Clients at once; several, one run each
        #[arg(long, value_delimiter = ',', default_value = "1,8,32",
              value_parser = clap::value_parser!(u16).range(1..=256))]
        clients: Vec<u16>,
        /// Groups of 32 pages in a run, over all clients
        #[arg(long, default_value_t = 256, value_parser = clap::value_parser!(u64).range(1..=100_000))]
        groups: u64,
    },
}

/// Which ledger, and as whom.
#[derive(Debug, clap::Args)]
struct Place {
    /// Configuration file with a [cluster] section
    config: Option<PathBuf>,
    /// The store, instead of the configuration's: another role, say
    #[arg(long)]
    store: Option<String>,
    /// The crawl's name in the store, instead of the configuration's
    #[arg(long)]
    crawl: Option<String>,
    /// A file with the store's password, instead of the configuration's
    #[arg(long)]
    password_file: Option<PathBuf>,
}

/// Runs the chosen action.
pub fn run(args: &Args, output: &Output) -> anyhow::Result<Exit> {
    match &args.action {
        Action::Init(place) => make(place, output),
        Action::Status(place) => status(place, output),
        Action::Check { place, dirs } => check(place, dirs, output),
        Action::Forget { place, node } => forget_node(place, node, output),
        Action::Drain(args) => drain::run(args, output),
        Action::Rebuild(args) => rebuild::run(args, output),
        Action::Bench {
            place,
            clients,
            groups,
        } => bench(place, clients, *groups, output),
    }
}

impl Place {
    fn read(&self) -> anyhow::Result<CrawlConfig> {
        match &self.config {
            Some(path) => file::read(path).map_err(|problem| usage(problem.to_string())),
            None => Ok(CrawlConfig::default()),
        }
    }

    fn settings(&self, config: &CrawlConfig) -> anyhow::Result<Settings> {
        let cluster = config.cluster.clone().unwrap_or_default();
        let store = self.store.as_ref().unwrap_or(&cluster.store);
        if store.is_empty() {
            return Err(usage(
                "no store is named: give --store, or a configuration with a [cluster] section",
            ));
        }
        let url = StoreUrl::parse(store).map_err(|error| usage(error.to_string()))?;
        let own = Some(PathBuf::from(&cluster.password_file));
        let own = own.filter(|path| !path.as_os_str().is_empty());
        let password_file = self.password_file.clone().or(own);
        let variable = |name: &str| std::env::var(name).ok();
        let password = Password::find(&url, password_file.as_deref(), variable)
            .map_err(|error| usage(error.to_string()))?;
        Ok(Settings {
            url,
            crawl: self.name(&cluster.crawl)?,
            password,
            node: "command".into(),
            patience: PATIENCE,
        })
    }

    /// The crawl's name: as said, as configured, or that of the configuration file.
    fn name(&self, configured: &str) -> anyhow::Result<CrawlName> {
        let configured = Some(configured).filter(|name| !name.is_empty());
        let stem = self.config.as_ref().and_then(|path| path.file_stem());
        let name = (self.crawl.as_deref().or(configured).map(str::to_owned))
            .or_else(|| stem.map(|stem| stem.to_string_lossy().into_owned()));
        name.as_deref().and_then(CrawlName::of).ok_or_else(|| {
            usage(
                "the crawl has no name: give --crawl, in letters and digits, or set cluster.crawl",
            )
        })
    }
}

/// Names what a configuration leaves open of its place among many machines: the crawl after the
/// configuration file, the node after the host and the directory.
pub fn complete(config: &mut CrawlConfig, file: Option<&Path>, dir: &Path) {
    let Some(cluster) = config
        .cluster
        .as_mut()
        .filter(|cluster| !cluster.store.is_empty())
    else {
        return;
    };
    if cluster.crawl.is_empty()
        && let Some(stem) = file.and_then(Path::file_stem)
        && let Some(name) = CrawlName::of(&stem.to_string_lossy())
    {
        name.as_str().clone_into(&mut cluster.crawl);
    }
    if cluster.node.is_empty() {
        let host = std::fs::read_to_string("/proc/sys/kernel/hostname");
        let host = host.map_or_else(|_| "node".to_owned(), |host| host.trim().to_owned());
        let dir = std::path::absolute(dir).unwrap_or_else(|_| dir.to_owned());
        let plain = |byte: char| if byte.is_ascii_graphic() { byte } else { '_' };
        let name = format!("{host}:{}", dir.display());
        cluster.node = name.chars().map(plain).take(128).collect();
    }
}

/// How a node reaches the others, if the configuration names a ledger.
///
/// # Errors
/// When the configuration does not say enough.
pub fn reached(config: &CrawlConfig) -> anyhow::Result<Option<pipeline::Cluster>> {
    let Some(cluster) = (config.cluster.as_ref()).filter(|cluster| !cluster.store.is_empty())
    else {
        return Ok(None);
    };
    let place = Place {
        config: None,
        store: None,
        crawl: None,
        password_file: None,
    };
    let settings = Settings {
        node: cluster.node.clone(),
        patience: PATIENCE.min(cluster.ttl.0),
        ..place.settings(config)?
    };
    let store = settings.url.hosts().join(", ");
    let meter = Meter::default();
    let counted = meter.clone();
    let connect = move || -> Result<Box<dyn Ledger>, LedgerError> {
        let ledger = PostgresLedger::connect(settings.clone())?;
        Ok(Box::new(Metered::new(Box::new(ledger), counted.clone())))
    };
    Ok(Some(pipeline::Cluster {
        connect: std::sync::Arc::new(connect),
        name: cluster.node.clone(),
        store,
        ttl: cluster.ttl.0,
        meter,
    }))
}

/// A ledger's error with the exit code it stands for.
fn failed(error: LedgerError, settings: &Settings) -> anyhow::Error {
    let hosts = settings.url.hosts().join(", ");
    let mend = match &error {
        LedgerError::NoRight(_) => lacking(settings),
        _ => String::new(),
    };
    resource(format!("the ledger at {hosts}: {error}{mend}"))
}

/// The same for what a crawl's parts say.
fn crawl_failed(error: CrawlError, settings: &Settings) -> anyhow::Error {
    match error {
        CrawlError::Ledger(error) => failed(error, settings),
        other => crawl_error(other),
    }
}

/// An answer that reads whole tables may take so long.
const CHECK_PATIENCE: Duration = Duration::from_secs(600);

/// What a role that has not the right can do about it.
fn lacking(settings: &Settings) -> String {
    let asked = settings.url.role().unwrap_or("the current user");
    let database = sql_name(settings.url.database().unwrap_or(asked));
    let role = sql_name(asked);
    format!(
        "; it was asked for as {asked}. Name a role that may with --store, such as the database's owner for init, \
         forget and rebuild; or let {role}: `grant tamis_owner to {role}` for init, forget, rebuild and bench, `grant tamis_node \
         to {role}` for drain, `grant tamis_reader to {role}` for status and check; where init has never run in this database, `alter role {role} \
         createrole` and `grant create on database {database} to {role}`"
    )
}

/// A name as SQL has it: in quotes, unless it is plain.
fn sql_name(name: &str) -> String {
    let is_plain = |at: usize, byte: u8| {
        byte.is_ascii_lowercase() || byte == b'_' || at > 0 && byte.is_ascii_digit()
    };
    match name
        .bytes()
        .enumerate()
        .all(|(at, byte)| is_plain(at, byte))
        && !name.is_empty()
    {
        true => name.to_owned(),
        false => format!("\"{}\"", name.replace('"', "\"\"")),
    }
}

fn forget_node(place: &Place, node: &str, output: &Output) -> anyhow::Result<Exit> {
    let config = place.read()?;
    let settings = place.settings(&config)?;
    let put_back = forget(&settings, node).map_err(|error| match error {
        LedgerError::NoSuchNode | LedgerError::Alive => usage(format!("{node}: {error}")),
        other => failed(other, &settings),
    })?;
    let Forgotten {
        node: number,
        texts,
        urls,
        copies,
    } = put_back;
    let words = match output.json {
        true => json!({
            "node": number,
            "texts_withdrawn": texts,
            "urls_put_back": urls,
            "copies_among_them": copies,
        })
        .to_string(),
        false => format!(
            "node {number} is forgotten: {texts} texts withdrawn, {urls} URLs wait again, {copies} of them \
             pages that others had dropped as its duplicates"
        ),
    };
    output.line(&words)?;
    Ok(Exit::Done)
}

fn make(place: &Place, output: &Output) -> anyhow::Result<Exit> {
    let config = place.read()?;
    let settings = place.settings(&config)?;
    let pages_max = Some(config.crawl.max_pages).filter(|&pages| pages > 0);
    let (before, after) =
        init(&settings, InitPlan { pages_max }).map_err(|error| failed(error, &settings))?;
    // A crawl that is there is given the budget that the configuration has now.
    let budget = match before {
        0 => (pages_max, pages_max),
        _ => set_budget(&settings, pages_max).map_err(|error| failed(error, &settings))?,
    };
    let schema = settings.crawl.schema();
    if output.json {
        let told = json!({
            "schema": schema, "before": before, "after": after,
            "pages_max_before": budget.0, "pages_max": budget.1,
        });
        output.value(&told)?;
        return Ok(Exit::Done);
    }
    output.line(match before {
        0 => format!("{schema}: tables of version {after} made"),
        before if before == after => format!("{schema}: tables of version {after} are there"),
        before => format!("{schema}: tables brought from version {before} to {after}"),
    })?;
    let pages = |pages: Option<u64>| pages.map_or("no limit".to_owned(), |pages| pages.to_string());
    if budget.0 != budget.1 {
        let (was, is) = (pages(budget.0), pages(budget.1));
        output.line(format!(
            "max_pages: {was} before, {is} now, for all nodes together"
        ))?;
    }
    if budget.1 != pages_max {
        output.line("max_pages: so many were granted to nodes already; fewer there cannot be")?;
    }
    if before == 0 {
        output.line("roles: tamis_owner, tamis_node, tamis_reader; give tamis_node a password, or a line in pg_hba.conf")?;
    }
    Ok(Exit::Done)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_that_is_not_plain_stands_in_quotes() {
        for (name, shown) in [
            ("tamis_node", "tamis_node"),
            ("node2", "node2"),
            ("2nodes", "\"2nodes\""),
            ("my-role", "\"my-role\""),
            ("Ann \"A\"", "\"Ann \"\"A\"\"\""),
            ("", "\"\""),
        ] {
            assert_eq!(sql_name(name), shown);
        }
    }
}
