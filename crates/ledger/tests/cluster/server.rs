//! A PostgreSQL primary and its synchronous standby, in a temporary folder.
//!
//! The server refuses to run as root, so as root everything of it runs as `postgres` or `nobody`.

use std::net::TcpListener;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Mutex, OnceLock, PoisonError};
use std::time::Duration;

use ledger::postgres::{InitPlan, init};
use ledger::{CrawlName, PostgresLedger, Settings, StoreUrl};
use tempfile::TempDir;

/// One server of a pair.
pub struct Server {
    bin: PathBuf,
    data: PathBuf,
    user: Option<(u32, u32)>,
    /// Its port on loopback.
    pub port: u16,
}

/// A primary and, where one was asked for, its synchronous standby.
pub struct Cluster {
    /// Where commits go.
    pub primary: Server,
    /// Where they are waited for.
    pub standby: Option<Server>,
    _folder: TempDir,
}

/// Where PostgreSQL's programs are; none if it is not installed.
fn programs() -> Option<PathBuf> {
    let asked = Command::new("pg_config").arg("--bindir").output();
    let told = asked.ok().filter(|output| output.status.success());
    let told = told.map(|output| PathBuf::from(String::from_utf8_lossy(&output.stdout).trim()));
    let versions = std::fs::read_dir("/usr/lib/postgresql")
        .into_iter()
        .flatten();
    let mut installed: Vec<PathBuf> = versions
        .filter_map(|entry| Some(entry.ok()?.path().join("bin")))
        .collect();
    installed.sort();
    let mut all = told.into_iter().chain(installed.into_iter().rev());
    all.find(|bin| bin.join("initdb").exists())
}

/// The user that the server runs as, if we are root.
fn server_user() -> Option<(u32, u32)> {
    use std::os::unix::fs::MetadataExt;
    if std::fs::metadata("/proc/self").ok()?.uid() != 0 {
        return None;
    }
    let accounts = std::fs::read_to_string("/etc/passwd").ok()?;
    ["postgres:", "nobody:"].iter().find_map(|name| {
        let line = accounts.lines().find(|line| line.starts_with(name))?;
        let mut fields = line.split(':').skip(2);
        Some((fields.next()?.parse().ok()?, fields.next()?.parse().ok()?))
    })
}

/// A port below those that systems give to connections and to listeners that name none: so nobody takes it
/// before the server does.
fn free_port() -> u16 {
    static NEXT: AtomicU32 = AtomicU32::new(0);
    let first = std::process::id().wrapping_mul(97);
    let ports = std::iter::repeat_with(|| {
        let next = first.wrapping_add(NEXT.fetch_add(1, Ordering::Relaxed));
        10_000 + (next % 20_000) as u16
    });
    let is_free = |port: &u16| TcpListener::bind(("127.0.0.1", *port)).is_ok();
    let free = ports.take(20_000).find(is_free);
    free.expect("a free port")
}

impl Cluster {
    /// The cluster that most tests share; none, with a message, where PostgreSQL is missing.
    ///
    /// # Panics
    /// Where it is missing under CI.
    pub fn shared() -> Option<&'static Cluster> {
        static SHARED: OnceLock<Option<Cluster>> = OnceLock::new();
        SHARED.get_or_init(|| Cluster::lasting(true)).as_ref()
    }

    /// A primary without a standby, for one test alone: nobody else's transactions are on it.
    ///
    /// # Panics
    /// Where PostgreSQL is missing under CI.
    pub fn alone() -> Option<&'static Cluster> {
        static ALONE: OnceLock<Option<Cluster>> = OnceLock::new();
        ALONE.get_or_init(|| Cluster::lasting(false)).as_ref()
    }

    fn lasting(with_standby: bool) -> Option<Cluster> {
        let cluster = Cluster::start(with_standby)?;
        cluster.ends_with_this_process();
        Some(cluster)
    }

    /// A cluster of one's own.
    pub fn start(with_standby: bool) -> Option<Cluster> {
        let Some(bin) = programs() else {
            let ci = std::env::var_os("CI").is_some();
            assert!(!ci, "PostgreSQL's server is missing: install `postgresql`");
            eprintln!("skipped: PostgreSQL's server is not installed");
            return None;
        };
        let user = server_user();
        let folder = tempfile::Builder::new()
            .prefix("tamis-pg")
            .tempdir()
            .unwrap();
        if let Some((user, group)) = user {
            std::os::unix::fs::chown(folder.path(), Some(user), Some(group)).unwrap();
        }
        let primary = Server {
            data: folder.path().join("primary"),
            port: free_port(),
            bin,
            user,
        };
        primary.make();
        primary.run();
        let standby = with_standby.then(|| primary.copy(&folder.path().join("standby")));
        Some(Cluster {
            primary,
            standby,
            _folder: folder,
        })
    }

    /// Lets the primary answer over TLS, with a certificate and its key in one file.
    pub fn use_tls(&self, pem: &str) {
        use std::os::unix::fs::PermissionsExt;
        let path = self.primary.data.join("tls.pem");
        std::fs::write(&path, pem).unwrap();
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o600)).unwrap();
        if let Some((user, group)) = self.primary.user {
            std::os::unix::fs::chown(&path, Some(user), Some(group)).unwrap();
        }
        for setting in [
            "ssl_cert_file = 'tls.pem'",
            "ssl_key_file = 'tls.pem'",
            "ssl = on",
        ] {
            let text = format!("alter system set {setting}");
            self.primary.sql("postgres", &text);
        }
        self.primary.control(&["reload"]);
        for _ in 0..100 {
            // Each look is a new connection, so it sees what the first process has read.
            if self.primary.sql("postgres", "show ssl") == "on" {
                return;
            }
            self.primary.sql("postgres", "select pg_sleep(0.1)");
        }
        panic!("no TLS: {}", self.primary.log());
    }

    /// The servers end when this process does, however it does.
    fn ends_with_this_process(&self) {
        let servers = [Some(&self.primary), self.standby.as_ref()];
        let kill: Vec<String> = (servers.into_iter().flatten())
            .map(|server| server.process().to_string())
            .collect();
        // The shell's input ends with us.
        let script = format!(
            "cat >/dev/null; kill -QUIT {}; rm -rf '{}'",
            kill.join(" "),
            self._folder.path().display()
        );
        let child = Command::new("sh")
            .args(["-c", &script])
            .stdin(Stdio::piped())
            .spawn()
            .unwrap();
        std::mem::forget(child);
    }
}

impl Drop for Cluster {
    fn drop(&mut self) {
        for server in [Some(&self.primary), self.standby.as_ref()]
            .into_iter()
            .flatten()
        {
            server.control(&["stop", "-m", "immediate"]);
        }
    }
}

impl Server {
    /// A program of PostgreSQL, as the server's user.
    fn program(&self, name: &str) -> Command {
        let mut command = Command::new(self.bin.join(name));
        if let Some((user, group)) = self.user {
            command.uid(user).gid(group);
        }
        command
            .current_dir("/")
            .env("LC_ALL", "C")
            .stdin(Stdio::null());
        command
    }

    fn done(&self, mut command: Command) -> String {
        let Output {
            status,
            stdout,
            stderr,
        } = command.output().unwrap();
        let errors = String::from_utf8_lossy(&stderr);
        assert!(status.success(), "{command:?}: {errors}\n{}", self.log());
        String::from_utf8_lossy(&stdout).trim().to_owned()
    }

    fn log(&self) -> String {
        std::fs::read_to_string(self.data.join("server.log")).unwrap_or_default()
    }

    fn make(&self) {
        let mut command = self.program("initdb");
        command
            .args([
                "-A",
                "trust",
                "-U",
                "postgres",
                "-E",
                "UTF8",
                "--no-locale",
                "--no-sync",
                "-D",
            ])
            .arg(&self.data);
        self.done(command);
        self.configure(
            "shared_buffers = 64MB\nmax_connections = 80\nwal_level = replica\nautovacuum = off\n",
        );
    }

    fn configure(&self, more: &str) {
        let folder = self.data.parent().unwrap().display();
        let text = format!(
            "\nlisten_addresses = '127.0.0.1'\nport = {}\nunix_socket_directories = '{folder}'\n{more}",
            self.port
        );
        let path = self.data.join("postgresql.conf");
        let before = std::fs::read_to_string(&path).unwrap();
        std::fs::write(&path, before + &text).unwrap();
    }

    /// Starts it.
    pub fn run(&self) {
        self.control(&["start", "-w", "-t", "60"]);
    }

    /// Stops it in order.
    #[allow(dead_code, reason = "crawls' tests use it, the ledger's do not")]
    pub fn stop(&self) {
        self.control(&["stop", "-w", "-m", "fast"]);
    }

    /// `pg_ctl`; its failures are seen by what comes after.
    fn control(&self, args: &[&str]) {
        let mut command = self.program("pg_ctl");
        command
            .arg("-D")
            .arg(&self.data)
            .arg("-l")
            .arg(self.data.join("server.log"));
        command
            .args(args)
            .stdout(Stdio::null())
            .stderr(Stdio::null());
        command.status().unwrap();
    }

    /// A synchronous standby of this server.
    fn copy(&self, data: &Path) -> Server {
        let standby = Server {
            bin: self.bin.clone(),
            data: data.to_owned(),
            user: self.user,
            port: free_port(),
        };
        let mut command = self.program("pg_basebackup");
        let port = self.port.to_string();
        command.args([
            "-h",
            "127.0.0.1",
            "-U",
            "postgres",
            "-c",
            "fast",
            "-R",
            "-C",
            "-S",
            "standby",
        ]);
        command.args(["-p", &port, "-D"]).arg(data);
        self.done(command);
        standby.configure("");
        standby.run();
        self.sql(
            "postgres",
            "alter system set synchronous_standby_names = 'ANY 1 (*)'",
        );
        self.sql("postgres", "select pg_reload_conf()");
        for _ in 0..100 {
            let state = self.sql("postgres", "select sync_state from pg_stat_replication");
            if state == "quorum" {
                return standby;
            }
            self.sql("postgres", "select pg_sleep(0.1)");
        }
        panic!("the standby does not follow: {}", standby.log());
    }

    /// Statements by `psql`.
    pub fn sql(&self, database: &str, text: &str) -> String {
        let mut command = self.program("psql");
        command
            .args([
                "-X",
                "-q",
                "-A",
                "-t",
                "-v",
                "ON_ERROR_STOP=1",
                "-h",
                "127.0.0.1",
            ])
            .args([
                "-U",
                "postgres",
                "-p",
                &self.port.to_string(),
                "-d",
                database,
                "-c",
                text,
            ]);
        self.done(command)
    }

    /// The number of its first process.
    pub fn process(&self) -> u32 {
        let text = std::fs::read_to_string(self.data.join("postmaster.pid")).unwrap();
        text.lines().next().unwrap().trim().parse().unwrap()
    }

    /// Ends all its processes at once, as a machine does that loses its power.
    pub fn kill(&self) {
        let first = self.process();
        let children = std::fs::read_dir("/proc").unwrap().filter_map(|entry| {
            let number: u32 = entry.ok()?.file_name().to_str()?.parse().ok()?;
            let stat = std::fs::read_to_string(format!("/proc/{number}/stat")).ok()?;
            let parent: u32 = stat
                .rsplit_once(')')?
                .1
                .split_whitespace()
                .nth(1)?
                .parse()
                .ok()?;
            (parent == first).then_some(number.to_string())
        });
        let all: Vec<String> = std::iter::once(first.to_string()).chain(children).collect();
        let script = format!("kill -9 {} 2>/dev/null", all.join(" "));
        Command::new("sh").args(["-c", &script]).status().unwrap();
    }

    /// Makes a standby the primary.
    pub fn promote(&self) {
        self.sql(
            "postgres",
            "alter system set synchronous_standby_names = ''",
        );
        self.control(&["promote", "-w", "-t", "60"]);
    }
}

/// A name that no other test has.
pub fn new_crawl() -> CrawlName {
    static COUNT: AtomicU32 = AtomicU32::new(0);
    let count = COUNT.fetch_add(1, Ordering::Relaxed);
    CrawlName::of(&format!("t{}_{count}", std::process::id())).unwrap()
}

/// How a role reaches a server's database.
pub fn settings(role: &str, ports: &[u16], crawl: &CrawlName) -> Settings {
    let hosts: Vec<String> = ports
        .iter()
        .map(|port| format!("127.0.0.1:{port}"))
        .collect();
    Settings {
        url: StoreUrl::parse(&format!("postgres://{role}@{}/postgres", hosts.join(","))).unwrap(),
        crawl: crawl.clone(),
        password: None,
        node: "test".into(),
        patience: Duration::from_secs(10),
    }
}

impl Cluster {
    /// The tables of a new crawl.
    pub fn crawl(&self, pages_max: Option<u64>) -> CrawlName {
        static ONE_AT_A_TIME: Mutex<()> = Mutex::new(());
        let _one = ONE_AT_A_TIME.lock().unwrap_or_else(PoisonError::into_inner);
        let crawl = new_crawl();
        let settings = settings("postgres", &[self.primary.port], &crawl);
        init(&settings, InitPlan { pages_max }).unwrap();
        crawl
    }

    /// A node's connection to a crawl.
    pub fn connect(&self, crawl: &CrawlName) -> PostgresLedger {
        PostgresLedger::connect(settings("tamis_node", &[self.primary.port], crawl)).unwrap()
    }
}
