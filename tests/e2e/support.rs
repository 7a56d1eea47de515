//! A served web, a crawl directory, and the binary.

use std::collections::BTreeSet;
use std::net::{Ipv4Addr, SocketAddr};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::time::Duration;

use tempfile::TempDir;
use testweb::{Served, TestWeb};
use tokio::runtime::Runtime;

/// A web on loopback and a directory for crawls of it; both end with the test.
pub struct Bench {
    pub web: TestWeb,
    pub dir: TempDir,
    pub proxy: String,
    _served: Served,
    _runtime: Runtime,
}

impl Bench {
    /// Serves a web.
    pub fn serve(web: TestWeb) -> Self {
        Self::serve_at(web, SocketAddr::from((Ipv4Addr::LOCALHOST, 0)))
    }

    /// The same at an address.
    pub fn serve_at(web: TestWeb, address: SocketAddr) -> Self {
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(1)
            .enable_all()
            .build()
            .expect("a runtime");
        let served = runtime
            .block_on(web.serve(address))
            .expect("the web is served");
        let dir = tempfile::tempdir().expect("a temporary directory");
        Self {
            web,
            dir,
            proxy: served.proxy(),
            _served: served,
            _runtime: runtime,
        }
    }

    /// A crawl directory by name.
    pub fn crawl_dir(&self, name: &str) -> PathBuf {
        self.dir.path().join(name)
    }

    /// The command that crawls this web into `name`.
    pub fn crawl(&self, name: &str, options: &[&str]) -> Command {
        self.crawl_showing("none", name, options)
    }

    /// The same with progress of a style.
    pub fn crawl_showing(&self, progress: &str, name: &str, options: &[&str]) -> Command {
        let mut command = tamis(&["crawl", "--allow-private", "--proxy", &self.proxy]);
        command.args(["--progress", progress]);
        command.arg("--dir").arg(self.crawl_dir(name)).args(options);
        command
    }

    /// Crawls to the end.
    #[track_caller]
    pub fn crawl_to_end(&self, name: &str, options: &[&str]) {
        let output = self.crawl(name, options).output().expect("the binary runs");
        assert!(output.status.success(), "{}", stderr(&output));
    }

    /// Starts a crawl again and again and kills each after a moment; `options` are asked for before each
    /// start, and `moment_ms` gives the moments. Gives how many were killed. A test asks for `usual` kills;
    /// the variable `TAMIS_KILLS` for more.
    #[track_caller]
    pub fn kill_often(
        &self,
        name: &str,
        usual: u64,
        moment_ms: impl Fn(u64) -> u64,
        mut options: impl FnMut() -> Vec<String>,
    ) -> u64 {
        let wanted = std::env::var("TAMIS_KILLS").ok();
        let turns = wanted.and_then(|kills| kills.parse().ok()).unwrap_or(usual);
        let mut kills = 0;
        for turn in 0..turns {
            let options = options();
            let options: Vec<&str> = options.iter().map(String::as_str).collect();
            let mut child = self
                .crawl(name, &options)
                .spawn()
                .expect("the binary starts");
            std::thread::sleep(Duration::from_millis(moment_ms(turn)));
            if child.try_wait().expect("the child is known").is_none() {
                child.kill().expect("kill -9");
                kills += 1;
            }
            child.wait().expect("the child ends");
        }
        assert!(
            kills > 0,
            "the crawl was too quick to be killed: give it more pages"
        );
        kills
    }

    /// URLs finished, with their verdict or outcome.
    #[track_caller]
    pub fn pages(&self, name: &str) -> BTreeSet<(String, String)> {
        let rows = self.rows(name, "pages");
        let urls: BTreeSet<(String, String)> = rows
            .iter()
            .map(|row| {
                let fate = row["verdict"]
                    .as_str()
                    .or(row["outcome"].as_str())
                    .unwrap_or("");
                (
                    row["url"].as_str().unwrap_or("").to_string(),
                    fate.to_string(),
                )
            })
            .collect();
        assert_eq!(urls.len(), rows.len(), "no URL is finished twice");
        urls
    }

    /// Exported rows.
    #[track_caller]
    pub fn rows(&self, name: &str, what: &str) -> Vec<serde_json::Value> {
        let output = run(tamis(&["export"]).arg(self.crawl_dir(name)).arg(what));
        String::from_utf8_lossy(&output.stdout)
            .lines()
            .map(|line| serde_json::from_str(line).expect("rows are JSON"))
            .collect()
    }

    /// Every invariant holds and every verdict follows again.
    #[track_caller]
    pub fn check(&self, name: &str) {
        let output = tamis(&["check-dir", "--rejudge"])
            .arg(self.crawl_dir(name))
            .output()
            .expect("runs");
        assert!(
            output.status.success(),
            "{}",
            String::from_utf8_lossy(&output.stdout)
        );
    }
}

/// The binary with arguments, in a directory where it finds nothing.
pub fn tamis(arguments: &[&str]) -> Command {
    // Another build is named where something is measured.
    let other = std::env::var_os("TAMIS_BINARY");
    let binary = other.unwrap_or_else(|| env!("CARGO_BIN_EXE_tamis").into());
    let mut command = Command::new(binary);
    command
        .args(arguments)
        .env_remove("RUST_LOG")
        .env("NO_COLOR", "1")
        .stdin(Stdio::null());
    command
}

/// Runs a command that must succeed.
#[track_caller]
pub fn run(command: &mut Command) -> Output {
    let output = command.output().expect("the binary runs");
    assert!(
        output.status.success(),
        "{}{}",
        stdout(&output),
        stderr(&output)
    );
    output
}

/// Each of the words was said.
#[track_caller]
pub fn has(said: &str, words: &[&str]) {
    for word in words {
        assert!(said.contains(word), "{word:?} is not in: {said}");
    }
}

/// It ended with a code and said each of the words.
#[track_caller]
pub fn says(output: &Output, code: i32, words: &[&str]) {
    let said = stderr(output);
    assert_eq!(output.status.code(), Some(code), "{said}");
    has(&said, words);
}

/// Begins a crawl of a loopback address in a directory.
pub fn begin_in(dir: &Path) -> Output {
    let seed = ["--seed", "http://127.0.0.1/"];
    let mut command = tamis(&["crawl", "--progress", "none", "--dir"]);
    command.arg(dir).args(seed).output().expect("runs")
}

pub fn stdout(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned()
}

pub fn stderr(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// Writes a file below the test's directory and gives its path.
pub fn file(bench: &Path, name: &str, text: &str) -> String {
    let path = bench.join(name);
    std::fs::write(&path, text).expect("the file is written");
    path.display().to_string()
}

/// A page with enough words of its own to be kept, and links.
pub fn page(title: &str, seed: u64, links: &[String]) -> String {
    let words = [
        "river", "stone", "lantern", "harbour", "meadow", "copper", "violin", "thunder", "garden",
        "window", "marble", "feather", "winter", "bridge", "pepper", "saddle", "canvas", "orchard",
        "mirror", "candle", "forest", "anchor", "velvet", "ladder", "silver", "pocket", "island",
        "basket", "hammer", "needle",
    ];
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    let mut next = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        words[(state % words.len() as u64) as usize]
    };
    let paragraphs: String = (0..4)
        .map(|_| {
            let sentence: Vec<&str> = (0..40).map(|_| next()).collect();
            format!("<p>{}.</p>\n", sentence.join(" "))
        })
        .collect();
    let links: String = links
        .iter()
        .map(|link| format!("<li><a href=\"{link}\">{link}</a></li>\n"))
        .collect();
    format!(
        "<!DOCTYPE html><html><head><title>{title}</title></head><body><article><h1>{title}</h1>\n{paragraphs}</article><ul>{links}</ul></body></html>"
    )
}
