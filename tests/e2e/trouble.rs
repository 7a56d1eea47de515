//! What goes wrong around a crawl (disk, network, other versions) is told with its cause and its
//! mend, and what was there stays.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use archive::{Archive, ArchiveConfig, Entry, Event, Record, StartRecord};
use testweb::{Response, TestWeb};

use crate::support::{Bench, begin_in, file, has, page, run, says, stderr, stdout, tamis};

/// Crawls one seed without a web, with a quick end of repeated tries.
fn crawl(dir: &Path, seed: &str, options: &[&str]) -> Output {
    let config = dir.join("quick.toml");
    std::fs::write(&config, "[politeness]\nattempts = 1\nretry_delay = \"10ms\"\ndelay = \"0\"\n[agent]\ncontact = \"me@a.example\"\n")
        .expect("written");
    let mut command = tamis(&[
        "crawl",
        "--progress",
        "none",
        "--allow-private",
        "--max-time",
        "60s",
    ]);
    command
        .arg(&config)
        .args(["--seed", seed])
        .arg("--dir")
        .arg(dir.join("crawl"))
        .args(options);
    command.output().expect("runs")
}

fn sites(pages: u64) -> TestWeb {
    let mut web = TestWeb::new();
    for number in 0..pages {
        let links = [format!("/p{}.html", number + 1)];
        web = web.page(
            &format!("http://a.test/p{number}.html"),
            &page(&format!("Page {number}"), number, &links),
        );
    }
    web
}

const SEED: [&str; 4] = ["--seed", "http://a.test/p0.html", "--delay", "0"];

/// Every file below a directory with its bytes, the lock apart.
fn contents(dir: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let (mut found, mut open) = (BTreeMap::new(), vec![dir.to_path_buf()]);
    while let Some(dir) = open.pop() {
        for entry in std::fs::read_dir(dir).expect("a directory") {
            let path = entry.expect("an entry").path();
            match path.is_dir() {
                true => open.push(path),
                false if path.ends_with("lock") => {}
                false => drop(found.insert(path.clone(), std::fs::read(path).expect("read"))),
            }
        }
    }
    found
}

#[test]
fn a_host_that_does_not_resolve_is_told() {
    let dir = tempfile::tempdir().expect("a directory");
    let output = crawl(dir.path(), "http://no-such-host.invalid/", &[]);
    says(
        &output,
        1,
        &[
            "dns (1 URL)",
            "does not resolve",
            "whether there is a network",
            "tamis retry",
        ],
    );
}

#[test]
fn a_network_where_nobody_answers_is_told() {
    let dir = tempfile::tempdir().expect("a directory");
    let output = crawl(dir.path(), "http://127.0.0.1:1/", &[]);
    says(
        &output,
        1,
        &["connect (1 URL)", "nobody answers there", "tamis retry"],
    );
}

#[test]
fn a_proxy_that_is_down_is_told() {
    let dir = tempfile::tempdir().expect("a directory");
    let output = crawl(
        dir.path(),
        "http://a.test/",
        &["--proxy", "http://127.0.0.1:1"],
    );
    says(&output, 1, &["proxy", "check --proxy", "tamis retry"]);
}

#[test]
fn an_expired_certificate_is_told() {
    let root = concat!(env!("CARGO_MANIFEST_DIR"), "/../fetcher/tests/loopback/tls");
    let port = tls_server(&std::fs::read(format!("{root}/expired.pem")).expect("read"));
    let dir = tempfile::tempdir().expect("a directory");
    let output = crawl(dir.path(), &format!("https://localhost:{port}/"), &[]);
    says(&output, 1, &["tls (1 URL)", "certificate"]);
}

/// A server that ends after the handshake.
fn tls_server(identity: &[u8]) -> u16 {
    use rustls::pki_types::pem::PemObject;
    use rustls::pki_types::{CertificateDer, PrivateKeyDer};
    fetcher::init();
    let certificate = CertificateDer::from_pem_slice(identity).expect("a certificate");
    let key = PrivateKeyDer::from_pem_slice(identity).expect("a key");
    let config = rustls::ServerConfig::builder()
        .with_no_client_auth()
        .with_single_cert(vec![certificate], key)
        .expect("a pair");
    let config = std::sync::Arc::new(config);
    let listener = std::net::TcpListener::bind("127.0.0.1:0").expect("bound");
    let port = listener.local_addr().expect("an address").port();
    std::thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            let mut stream = stream;
            let mut connection =
                rustls::ServerConnection::new(config.clone()).expect("a connection");
            while connection.is_handshaking() && connection.complete_io(&mut stream).is_ok() {}
        }
    });
    port
}

#[test]
fn seeds_that_robots_refuses_are_told_with_the_rule() {
    let bench = Bench::serve(sites(2).robots("a.test", "User-agent: *\nDisallow: /\n"));
    let output = bench.crawl("crawl", &SEED).output().expect("runs");
    says(
        &output,
        1,
        &["robots (1 URL)", "robots.txt forbids it", "tamis explain"],
    );
    assert_eq!(bench.web.log().len(), 1, "robots.txt alone was asked for");
    let output = tamis(&["explain"])
        .arg(bench.crawl_dir("crawl"))
        .arg("http://a.test/p0.html")
        .output()
        .expect("runs");
    assert!(
        stdout(&output).contains("Not fetched: robots, by Disallow: / (robots.txt line 2)"),
        "{}",
        stdout(&output)
    );
}

#[test]
fn a_budget_that_is_used_up_fetches_nothing_and_says_what_to_raise() {
    let bench = Bench::serve(sites(9));
    let options = [&SEED[..], &["--max-pages", "3"]].concat();
    bench.crawl_to_end("crawl", &options);
    bench.web.clear_log();
    let output = bench.crawl("crawl", &options).output().expect("runs");
    says(
        &output,
        0,
        &["the page budget is used up", "raise it above 3"],
    );
    let status = stdout(&run(tamis(&["status"]).arg(bench.crawl_dir("crawl"))));
    assert!(
        status.contains("larger budget") && status.contains("--max-pages 6"),
        "{status}"
    );
    assert!(bench.web.log().is_empty());
    bench.check("crawl");
}

#[test]
fn an_archive_of_a_newer_version_is_left_as_it_is() {
    let temp = tempfile::tempdir().expect("a directory");
    let dir = temp.path().join("crawl");
    std::fs::create_dir(&dir).expect("made");
    std::fs::write(dir.join("crawl.toml"), "").expect("written");
    let (mut archive, _) =
        Archive::open(&dir.join("archive"), ArchiveConfig::default()).expect("opened");
    let event = Event::Start(StartRecord {
        journal: 99,
        ..StartRecord::default()
    });
    archive
        .append(&Entry::of(&Record {
            seq: 1,
            at_ms: 1,
            event,
        }))
        .expect("appended");
    archive.sync().expect("synced");
    drop(archive);
    let before = contents(&dir);
    for command in [
        &["report"][..],
        &["status"],
        &["export", "pages"],
        &["explain", "http://a.test/"],
        &["retry"],
        &["check-dir"],
        &["crawl", "--seed", "http://127.0.0.1/", "--progress", "none"],
    ] {
        let mut tamis = tamis(&command[..1]);
        if command[0] == "crawl" {
            tamis.arg("--dir");
        }
        let output = tamis.arg(&dir).args(&command[1..]).output().expect("runs");
        says(&output, 3, &["version 99", "use the Tamis that wrote it"]);
        assert!(
            stdout(&output).is_empty(),
            "{command:?}: {}",
            stdout(&output)
        );
    }
    let after = contents(&dir);
    for (path, bytes) in before {
        assert_eq!(after.get(&path), Some(&bytes), "{}", path.display());
    }
}

#[test]
fn a_seed_list_that_cannot_be_read_is_told() {
    let dir = tempfile::tempdir().expect("a directory");
    for (path, words) in [
        (dir.path().to_path_buf(), "directory"),
        (dir.path().join("none.txt"), "No such file"),
    ] {
        let output = tamis(&["crawl", "--progress", "none", "--dir"])
            .arg(dir.path().join("crawl"))
            .arg("--seeds")
            .arg(&path)
            .output()
            .expect("runs");
        says(
            &output,
            2,
            &["cannot read seed list", words, "check the path"],
        );
        assert!(!dir.path().join("crawl").exists());
    }
}

#[test]
fn a_directory_that_cannot_be_made_is_told() {
    let dir = tempfile::tempdir().expect("a directory");
    let file = dir.path().join("file");
    std::fs::write(&file, "in the way").expect("written");
    let output = begin_in(&file.join("crawl"));
    says(&output, 3, &["cannot", "file/crawl", "Not a directory"]);
    assert_eq!(std::fs::read_to_string(&file).expect("read"), "in the way");
}

/// Runs the command with files of so many KiB at most, so that a write fails as on a full disk.
fn with_file_limit(command: &Command, kib: u32) -> Command {
    let script = format!("trap '' XFSZ; ulimit -f {}; exec \"$@\"", kib * 2);
    let mut limited = Command::new("sh");
    limited
        .arg("-c")
        .arg(script)
        .arg("sh")
        .arg(command.get_program())
        .args(command.get_args());
    limited.env("NO_COLOR", "1");
    limited
}

/// Sixty pages of some 30 kB that cannot be compressed away.
fn heavy() -> TestWeb {
    let mut web = TestWeb::new();
    let mut state = 1_u64;
    for number in 0..60_u64 {
        let links = [format!("/p{}.html", number + 1)];
        // Comments are archived and not read.
        let noise: String = (0..40_000)
            .map(|_| {
                state ^= state << 13;
                state ^= state >> 7;
                state ^= state << 17;
                char::from(b'0' + (state >> 32) as u8 % 75)
            })
            .filter(|c| *c != '>')
            .collect();
        let html = format!(
            "{}<!-- {noise} -->",
            page(&format!("Page {number}"), number, &links)
        );
        web = web.page(&format!("http://a.test/p{number}.html"), &html);
    }
    web
}

#[test]
fn a_full_disk_ends_the_crawl_and_loses_nothing() {
    let bench = Bench::serve(heavy());
    let output = with_file_limit(&bench.crawl("crawl", &SEED), 1_200)
        .output()
        .expect("runs");
    says(&output, 3, &["safe", "start again"]);
    let before = bench.pages("crawl");
    assert!(!before.is_empty() && before.len() < 60, "{}", before.len());
    bench.crawl_to_end("crawl", &SEED);
    let after = bench.pages("crawl");
    assert!(before.is_subset(&after), "what was recorded is still there");
    assert_eq!(
        after.iter().filter(|(_, fate)| fate == "indexed").count(),
        60
    );
    bench.check("crawl");
}

#[test]
fn an_output_that_cannot_be_written_is_told() {
    let bench = Bench::serve(sites(3));
    bench.crawl_to_end("crawl", &SEED);
    for (command, out) in [
        ("report", "/dev/full"),
        ("report", "/nonexistent/report.html"),
        ("export", "/dev/full"),
    ] {
        let mut tamis = tamis(&[command]);
        tamis.arg(bench.crawl_dir("crawl"));
        if command == "export" {
            tamis.arg("pages");
        }
        let output = tamis.args(["--out", out]).output().expect("runs");
        says(&output, 3, &["cannot write", out]);
        if out.starts_with("/nonexistent") {
            has(
                &stderr(&output),
                &["there is no folder /nonexistent; make it first"],
            );
        }
    }
}

#[test]
fn a_full_disk_behind_standard_output_is_a_resource_that_cannot_go_on() {
    let bench = Bench::serve(sites(3));
    bench.crawl_to_end("crawl", &SEED);
    for command in [&["export"][..], &["report"], &["report", "--json"]] {
        let full = std::fs::OpenOptions::new().write(true).open("/dev/full");
        let mut tamis = tamis(command);
        tamis.arg(bench.crawl_dir("crawl"));
        if command == ["export"] {
            tamis.arg("pages");
        }
        let output = tamis.stdout(full.expect("opened")).output();
        says(&output.expect("runs"), 3, &["No space left"]);
    }
    // Help that nobody could read ended with 0.
    for asked in [&["--help"][..], &["crawl", "--help"], &["--version"]] {
        let full = std::fs::OpenOptions::new().write(true).open("/dev/full");
        let output = tamis(asked).stdout(full.expect("opened")).output();
        says(&output.expect("runs"), 3, &["No space left"]);
    }
}

#[test]
fn standard_output_that_is_closed_is_no_place_for_data() {
    // Nothing was written, and all of these ended with 0.
    let bench = Bench::serve(sites(3));
    bench.crawl_to_end("crawl", &SEED);
    let dir = bench.crawl_dir("crawl").display().to_string();
    let closed = |arguments: &[&str]| {
        let mut shell = Command::new("sh");
        let program = env!("CARGO_BIN_EXE_tamis");
        shell.args(["-c", "exec \"$0\" \"$@\" >&-", program]);
        shell.args(arguments).output().expect("runs")
    };
    for arguments in [
        &["export", &dir, "pages"][..],
        &["report", &dir],
        &["status", &dir, "--json"],
        &["--help"],
        &["--version"],
    ] {
        says(&closed(arguments), 3, &["standard output is closed"]);
    }
    let out = bench.crawl_dir("rows.jsonl").display().to_string();
    let to_file = closed(&["export", &dir, "pages", "--out", &out]);
    assert_eq!(to_file.status.code(), Some(0), "{}", stderr(&to_file));
}

/// A small file system of its own, unmounted with the test; `None` where mounting is not allowed.
struct Mounted(PathBuf);

impl Mounted {
    fn make(at: &Path, options: &str) -> Option<Mounted> {
        std::fs::create_dir_all(at).expect("made");
        let mount = Command::new("mount")
            .args(["-t", "tmpfs", "-o", options, "tmpfs"])
            .arg(at)
            .output();
        match mount {
            Ok(output) if output.status.success() => Some(Mounted(at.to_path_buf())),
            _ => {
                eprintln!("skipped: mounting a tmpfs is not allowed here");
                None
            }
        }
    }
}

impl Drop for Mounted {
    fn drop(&mut self) {
        // It goes with the container otherwise.
        let _ = Command::new("umount").arg(&self.0).status();
    }
}

#[test]
fn a_read_only_disk_is_told_and_its_crawl_can_still_be_read() {
    let bench = Bench::serve(sites(5));
    let at = bench.dir.path().join("disk");
    let Some(mounted) = Mounted::make(&at, "size=64m") else {
        return;
    };
    bench.crawl_to_end("disk/crawl", &SEED);
    let remount = Command::new("mount")
        .args(["-o", "remount,ro"])
        .arg(&mounted.0)
        .status();
    if !remount.is_ok_and(|status| status.success()) {
        eprintln!("skipped: remounting is not allowed here");
        return;
    }
    let output = bench.crawl("disk/crawl", &SEED).output().expect("runs");
    says(&output, 3, &["Read-only file system"]);
    let output = bench.crawl("disk/another", &SEED).output().expect("runs");
    says(&output, 3, &["Read-only file system", "disk/another"]);
    let report = stdout(&run(tamis(&["report"]).arg(at.join("crawl"))));
    assert!(report.contains("indexed"), "{report}");
    let found = stdout(&run(tamis(&["search"])
        .arg(at.join("crawl"))
        .arg("lantern")));
    assert!(found.contains("http://a.test/"), "{found}");
    let status = stdout(&run(tamis(&["status"]).arg(at.join("crawl"))));
    assert!(status.contains("stopped"), "{status}");
    // It was refused: a lock could not be written.
    let checked = run(tamis(&["check-dir", "--rejudge"]).arg(at.join("crawl")));
    has(&stdout(&checked), &["pages kept", "everything agrees"]);
    // What cannot be copied to be checked is named.
    let mut unchecked = tamis(&["check-dir"]);
    let unchecked = unchecked.arg(at.join("crawl")).env("TMPDIR", &at);
    let views = [
        "not checked: the frontier: ",
        "not checked: the search index: ",
    ];
    let said = stdout(&run(unchecked));
    has(&said, &views);
    has(&said, &["everything that was checked agrees"]);
}

#[test]
fn a_crawl_stops_before_its_disk_is_full_and_goes_on_when_there_is_space() {
    let bench = Bench::serve(sites(5));
    let at = bench.dir.path().join("disk");
    let Some(_mounted) = Mounted::make(&at, "size=64m") else {
        return;
    };
    let filler = at.join("filler");
    std::fs::write(&filler, vec![1; 62 << 20]).expect("there is room");
    let output = bench.crawl("disk/crawl", &SEED).output().expect("runs");
    says(
        &output,
        3,
        &["limits.disk_reserve keeps 3.4 MB", "carry on with"],
    );
    let status = stdout(&run(tamis(&["status"]).arg(at.join("crawl"))));
    assert!(status.contains("about to be full"), "{status}");
    std::fs::remove_file(filler).expect("removed");
    bench.crawl_to_end("disk/crawl", &SEED);
    bench.check("disk/crawl");
}

#[test]
fn a_disk_without_space_is_told() {
    let bench = Bench::serve(heavy());
    let at = bench.dir.path().join("disk");
    let Some(_mounted) = Mounted::make(&at, "size=1m") else {
        return;
    };
    let none = file(
        bench.dir.path(),
        "none.toml",
        "[limits]\ndisk_reserve = \"0\"\n",
    );
    let options = [&[none.as_str()], &SEED[..]].concat();
    let output = bench.crawl("disk/crawl", &options).output().expect("runs");
    says(
        &output,
        3,
        &["the disk is full at", "No space left on device"],
    );
}

#[test]
fn an_unreachable_robots_file_is_no_refusal_for_ever() {
    let web = TestWeb::new()
        .respond("http://a.test/robots.txt", Response::error(503))
        .page("http://a.test/p0.html", "x");
    let bench = Bench::serve(web);
    let config = bench.dir.path().join("quick.toml");
    std::fs::write(
        &config,
        "[politeness]\nretry_delay = \"10ms\"\ndelay = \"0\"\nmax_robots_outage = \"0s\"\n",
    )
    .expect("written");
    let config = config.display().to_string();
    let output = bench
        .crawl(
            "crawl",
            &[
                &config,
                "--seed",
                "http://a.test/p0.html",
                "--max-time",
                "60s",
            ],
        )
        .output()
        .expect("runs");
    says(
        &output,
        1,
        &[
            "no page could be read",
            "robots.txt could not be had",
            "tamis retry",
        ],
    );
    let dir = bench.crawl_dir("crawl");
    let report = stdout(&run(tamis(&["report"]).arg(&dir)));
    assert!(
        report.contains("http 503") && report.contains("a.test/robots.txt"),
        "{report}"
    );
    let told = stdout(&run(tamis(&["explain"])
        .arg(&dir)
        .arg("http://a.test/p0.html")));
    assert!(told.contains("the server answered 503"), "{told}");
    let said = stderr(&run(tamis(&["retry"]).arg(bench.crawl_dir("crawl"))));
    assert!(said.contains("1 URL is back"), "{said}");
}

#[test]
fn a_seed_whose_page_is_empty_is_told_and_why_the_crawl_went_no_further() {
    // The crawl ended as if all was well, with nothing kept.
    let empty = "<title>Welcome</title><script>if (old) location.href='/home'</script>";
    let web = TestWeb::new().respond("http://a.test/", Response::html(empty));
    let bench = Bench::serve(web);
    let mut crawl = bench.crawl("crawl", &["--seed", "http://a.test/"]);
    let says_why = [
        "the page of the seed http://a.test/ is empty",
        "a script may lead on",
    ];
    says(&crawl.output().expect("runs"), 0, &says_why);
}

#[test]
fn a_crawl_that_ends_with_its_seed_says_why_no_link_led_on() {
    // The crawl was done after one page, and nobody told that this page asks for it.
    let links: Vec<String> = (0..9).map(|number| format!("/p{number}.html")).collect();
    let away = ["http://b.test/x".to_owned(), "http://c.test/".to_owned()];
    let web = TestWeb::new()
        .respond(
            "http://a.test/",
            Response::html(page("a.test", 1, &links)).with_header("X-Robots-Tag", "nofollow"),
        )
        .page("http://away.test/", &page("away.test", 2, &away));
    let bench = Bench::serve(web);
    let ends = |name: &str, seed: &str| {
        let mut crawl = bench.crawl(name, &["--seed", seed]);
        crawl.output().expect("runs")
    };
    let output = ends("asks", "http://a.test/");
    let words = ["no link led on: 9 links were left out", "follow_nofollow"];
    says(&output, 0, &words);
    let mut explain = tamis(&["explain", "--short"]);
    let explain = explain.arg(bench.crawl_dir("asks")).arg("http://a.test/");
    let told = stdout(&run(explain));
    assert!(told.contains("9 left out: nofollow"), "{told}");
    says(
        &ends("away", "http://away.test/"),
        0,
        &["2 links were left out, since they lead to other hosts"],
    );
}

/// Crawls with a limit on the files that may be open.
#[cfg(target_os = "linux")]
fn crawl_within(files: u64, bench: &Bench, name: &str) -> Output {
    let mut command = Command::new("sh");
    let crawl = bench.crawl(name, &SEED);
    command
        .args(["-c", "ulimit -n \"$0\" && exec \"$@\"", &files.to_string()])
        .arg(crawl.get_program())
        .args(crawl.get_args());
    command.output().expect("runs")
}

#[test]
#[cfg(target_os = "linux")]
fn few_open_files_make_fewer_connections_and_too_few_are_told_at_the_start() {
    // The search index ended the crawl after some pages, and said nothing of the limit.
    let bench = Bench::serve(sites(40));
    let output = crawl_within(144, &bench, "few");
    let words = [
        "only 144 files and sockets may be open at once (ulimit -n)",
        "8 connections instead of 64",
    ];
    says(&output, 0, &words);
    assert_eq!(bench.pages("few").len(), 41);
    let output = crawl_within(100, &bench, "none");
    says(
        &output,
        2,
        &["(ulimit -n)", "a crawl needs 130, with 64 connections 256"],
    );
}
