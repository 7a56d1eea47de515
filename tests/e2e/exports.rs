//! Exports of a whole crawl: broken links as planted, filters, and every form as other programs read it.

use std::collections::BTreeSet;
use std::path::Path;
use std::process::Command;

use testweb::TestWeb;
use testweb::message::Response;

use crate::support::{Bench, page, run, says, stderr, stdout, tamis};

const PAGES: u64 = 24;

/// What each page links to beside the next page: `n % 4`.
const TARGETS: [&str; 4] = [
    "http://b.test/gone",
    "http://b.test/broken",
    "http://a.test/moved",
    "http://a.test/p0.html",
];

/// Pages of one host with links to pages that are there, and to some that are not, on two hosts.
fn web() -> TestWeb {
    let mut web = TestWeb::new()
        .respond("http://b.test/gone", Response::error(410))
        .respond("http://b.test/broken", Response::error(500))
        .respond(
            "http://a.test/moved",
            Response::redirect(301, "http://a.test/nowhere"),
        )
        .respond("http://a.test/nowhere", Response::not_found())
        .page(
            "http://b.test/",
            &page("Another host", 77, &["/gone".into()]),
        );
    for n in 0..PAGES {
        let links = [
            format!("/p{}.html", (n + 1) % PAGES),
            TARGETS[n as usize % 4].to_owned(),
            "http://b.test/".to_owned(),
        ];
        let html = page(&format!("Page {n} | \"quoted\" 数据库"), n + 1, &links);
        let response = Response::html(html.replace(
            "</head>",
            "<link rel=license href='https://creativecommons.org/licenses/by/4.0/'></head>",
        ));
        let response = response.with_header("Content-Usage", "train-ai=n");
        web = web.respond(&format!("http://a.test/p{n}.html"), response);
    }
    web
}

pub fn crawled() -> Bench {
    let bench = Bench::serve(web());
    let config = bench.dir.path().join("crawl.toml");
    let quick =
        "[politeness]\nretry_delay = \"10ms\"\ndelay = \"0\"\n[scope]\nhosts = [\"b.test\"]\n";
    std::fs::write(&config, quick).expect("written");
    let config = config.display().to_string();
    bench.crawl_to_end("crawl", &[&config, "--seed", "http://a.test/p0.html"]);
    bench
}

pub fn export(bench: &Bench, arguments: &[&str]) -> Command {
    let mut command = tamis(&["export"]);
    command.arg(bench.crawl_dir("crawl")).args(arguments);
    command.current_dir(bench.dir.path());
    command
}

/// Whether a program runs here; else it is said that a check is left out.
fn is_there(program: &str, arguments: &[&str]) -> bool {
    let found = Command::new(program).args(arguments).output();
    let there = found.is_ok_and(|output| output.status.success());
    if !there {
        eprintln!(
            "left out, for there is no `{program} {}` here",
            arguments.join(" ")
        );
    }
    there
}

#[test]
fn exports_hold_what_was_planted_and_load_elsewhere() {
    let bench = crawled();
    broken_links_are_those_that_were_planted(&bench);
    filters_leave_out_rows_or_say_why_not(&bench);
    rows_say_where_the_record_stands(&bench);
    forms_are_what_their_names_say(&bench);
    one_liners_of_the_documentation_run(&bench);
    numbers_agree(&bench);
}

fn broken_links_are_those_that_were_planted(bench: &Bench) {
    let mut planted = BTreeSet::new();
    for n in 0..PAGES {
        let status = match n % 4 {
            0 => 410,
            1 => 500,
            _ => continue,
        };
        let (from, to) = (format!("http://a.test/p{n}.html"), TARGETS[n as usize % 4]);
        planted.insert((from, to.to_owned(), status));
    }
    planted.insert(("http://b.test/".into(), "http://b.test/gone".into(), 410));
    planted.insert((
        "http://a.test/moved".into(),
        "http://a.test/nowhere".into(),
        404,
    ));
    let rows = bench.rows("crawl", "broken");
    let found: BTreeSet<_> = rows
        .iter()
        .map(|row| {
            let text = |name: &str| row[name].as_str().expect("a text").to_owned();
            (
                text("page"),
                text("link"),
                row["status"].as_i64().expect("a number"),
            )
        })
        .collect();
    assert_eq!(found, planted);
    assert_eq!(rows.len(), planted.len(), "none is told twice");
    assert!(rows.iter().all(|row| {
        row["first_seen"]
            .as_str()
            .is_some_and(|at| at.ends_with('Z'))
    }));
}

fn filters_leave_out_rows_or_say_why_not(bench: &Bench) {
    let lines = |arguments: &[&str]| stdout(&run(&mut export(bench, arguments))).lines().count();
    let all = lines(&["pages"]);
    assert_eq!(lines(&["pages", "--host", "b.test"]), 3);
    assert_eq!(lines(&["pages", "--host", "*.test"]), all);
    assert_eq!(lines(&["indexed", "--lang", "xx"]), 0);
    assert_eq!(lines(&["pages", "--since", "2100-01-01"]), 0);
    assert_eq!(lines(&["pages", "--since", "2000-01-01T00:00:00Z"]), all);
    assert_eq!(lines(&["pages", "--relevance", "0"]), 0, "it has no topic");
    assert_eq!(lines(&["broken", "--host", "b.test"]), 1);
    for (arguments, words) in [
        (
            &["hosts", "--lang", "zh"][..],
            "--lang says nothing about rows of hosts",
        ),
        (&["pages", "--type", "essay"], "it is none of article"),
        (&["pages", "--since", "yesterday"], "write 2026-11-21"),
        (&["pages", "--relevance", "2"], "no number from 0 to 1"),
        (
            &["hosts", "--format", "wet"],
            "wet is made of indexed, not of hosts",
        ),
        (&["pages", "--bom"], "--bom is for csv"),
        (&["indexed", "--format", "markdown"], "name it with --out"),
        (&["dataset"], "name it with --out"),
    ] {
        says(
            &export(bench, arguments).output().expect("runs"),
            2,
            &[words],
        );
    }
    let csv = run(&mut export(bench, &["indexed", "--format", "csv", "--bom"])).stdout;
    assert!(csv.starts_with(b"\xef\xbb\xbfurl,title,text,"));
}

fn rows_say_where_the_record_stands(bench: &Bench) {
    use std::io::{Read, Seek, SeekFrom};
    let row = &bench.rows("crawl", "indexed")[0];
    assert_eq!(
        row["licence"],
        "https://creativecommons.org/licenses/by/4.0/"
    );
    assert_eq!(row["usage"][0], "content-usage: train-ai=n");
    let archive = bench.crawl_dir("crawl").join("archive");
    let name = row["warc_file"].as_str().expect("a name");
    let mut file = std::fs::File::open(archive.join(name)).expect("it is there");
    let number = |name: &str| row[name].as_u64().expect("a number");
    file.seek(SeekFrom::Start(number("warc_offset")))
        .expect("within it");
    let mut record = String::new();
    let member = file.take(number("warc_length"));
    flate2::read::GzDecoder::new(member)
        .read_to_string(&mut record)
        .expect("a member");
    let url = row["url"].as_str().expect("a text");
    assert!(
        record.contains(&format!("WARC-Target-URI: {url}\r\n")),
        "{record}"
    );
    let marked = stdout(&run(&mut export(bench, &["indexed", "--markdown"])));
    let row: serde_json::Value =
        serde_json::from_str(marked.lines().next().expect("a row")).expect("JSON");
    assert!(
        row["markdown"]
            .as_str()
            .is_some_and(|text| text.len() > 500),
        "{row}"
    );
}

fn forms_are_what_their_names_say(bench: &Bench) {
    let root = bench.dir.path();
    let kept = bench.rows("crawl", "indexed").len();
    run(&mut export(
        bench,
        &["indexed", "--format", "markdown", "--out", "texts"],
    ));
    let files: Vec<_> = std::fs::read_dir(root.join("texts/a.test"))
        .expect("a folder for the host")
        .map(|entry| entry.expect("an entry").path())
        .collect();
    assert_eq!(files.len(), PAGES as usize);
    let text = std::fs::read_to_string(&files[0]).expect("a file");
    assert!(text.starts_with("---\nurl: \"http://a.test/p"), "{text}");
    assert!(
        text.contains(r#"| \"quoted\" 数据库""#) && text.contains("\n---\n\n"),
        "{text}"
    );

    let wet = run(&mut export(bench, &["indexed", "--format", "wet"])).stdout;
    let unpacked = std::io::BufReader::new(flate2::read::MultiGzDecoder::new(&wet[..]));
    let mut reader = archive::WarcReader::new(unpacked);
    let mut texts = 0;
    while let Some(record) = reader.record(|_| true).expect("a WARC file") {
        texts += usize::from(record.head.warc_type() == "conversion");
    }
    assert_eq!(texts, kept);

    let cdxj = stdout(&run(&mut export(bench, &["indexed", "--format", "cdxj"])));
    let lines: Vec<&str> = cdxj.lines().collect();
    assert!(lines.len() == kept && lines.is_sorted());
    assert!(lines[0].starts_with("test,a)/p0.html 20"), "{}", lines[0]);

    run(&mut export(bench, &["dataset", "--out", "set"]));
    let card = std::fs::read_to_string(root.join("set/README.md")).expect("a card");
    for said in [
        "path: data/*.parquet",
        "| `https://creativecommons.org/licenses/by/4.0/` | 24 |",
        "| `content-usage: train-ai=n` | 24 |",
        "## Settings: `dedup`",
    ] {
        assert!(card.contains(said), "{said}: {card}");
    }
}

/// The commands in `docs/exports.md`, each where the programs that it names are there.
fn one_liners_of_the_documentation_run(bench: &Bench) {
    let text = include_str!("../../docs/exports.md");
    let binary = Path::new(env!("CARGO_BIN_EXE_tamis"))
        .parent()
        .expect("a directory");
    let path = std::env::var("PATH").unwrap_or_default();
    let blocks: Vec<&str> = text.split("```sh").skip(1).collect();
    assert!(blocks.len() >= 6);
    for block in blocks {
        let (needs, rest) = block.split_once('\n').expect("a block has lines");
        let commands = rest.split("```").next().expect("it ends");
        let mut needs = needs.split_whitespace();
        let program = needs.next().unwrap_or("sh");
        let modules = needs.next().unwrap_or_default();
        let check = match (program, modules) {
            ("sh", _) => vec!["-c".to_owned(), "true".to_owned()],
            (_, "") => vec!["--version".to_owned()],
            (_, modules) => vec!["-c".to_owned(), format!("import {modules}")],
        };
        let check: Vec<&str> = check.iter().map(String::as_str).collect();
        if !is_there(program, &check) {
            continue;
        }
        let commands = commands.replace("tamis export DIR", "tamis export crawl");
        let output = Command::new("sh")
            .args(["-e", "-c", &commands])
            .env("PATH", format!("{}:{path}", binary.display()))
            .current_dir(bench.dir.path())
            .output()
            .expect("sh runs");
        assert!(output.status.success(), "{commands}{}", stderr(&output));
    }
}

/// The numbers of the report are those of the rows.
fn numbers_agree(bench: &Bench) {
    let report = run(tamis(&["report", "--json"]).arg(bench.crawl_dir("crawl")));
    let report: serde_json::Value = serde_json::from_slice(&report.stdout).expect("JSON");
    let totals = &report["totals"];
    for (what, total) in [
        ("pages", &totals["finished"]),
        ("indexed", &totals["indexed"]),
        ("junk", &totals["junk"]),
        ("fetches", &report["fetches"]["pages"]),
        ("links", &report["links"]["found"]),
    ] {
        assert_eq!(
            bench.rows("crawl", what).len() as u64,
            total.as_u64().expect("a number"),
            "{what}"
        );
    }
    // Attempts that were answered with 500 had no error.
    let fetches = bench.rows("crawl", "fetches");
    let errors = fetches.iter().filter(|row| !row["error"].is_null());
    let hosts = bench.rows("crawl", "hosts");
    let of_hosts = hosts.iter().filter_map(|row| row["errors"].as_u64());
    assert_eq!(errors.count() as u64, of_hosts.sum::<u64>());
    assert!(fetches.iter().any(|row| row["error"] == "http_500"));
    let targets: BTreeSet<String> = bench
        .rows("crawl", "broken")
        .iter()
        .map(|row| row["link"].to_string())
        .collect();
    assert_eq!(targets.len(), 3);
}

#[test]
fn the_name_of_a_file_says_its_form_unless_it_is_told() {
    let bench = crawled();
    let written = |name: &str, options: &[&str]| {
        let path = bench.dir.path().join(name);
        let mut command = tamis(&["export"]);
        command.arg(bench.crawl_dir("crawl")).arg("pages");
        run(command.args(options).arg("--out").arg(&path));
        std::fs::read(path).expect("written")
    };
    assert!(written("pages.csv", &[]).starts_with(b"url,outcome,"));
    assert!(written("PAGES.CSV", &[]).starts_with(b"url,outcome,"));
    assert!(written("pages.jsonl", &[]).starts_with(b"{\""));
    assert!(written("pages.dat", &[]).starts_with(b"{\""));
    assert!(written("told.csv", &["--format", "jsonl"]).starts_with(b"{\""));
    // They were JSON lines as they are.
    for name in ["pages.csv.gz", "pages.jsonl.gz", "pages.gz"] {
        assert!(written(name, &[]).starts_with(&[0x1f, 0x8b]), "{name}");
    }
    let packed = bench.dir.path().join("pages.parquet.gz");
    let mut command = tamis(&["export"]);
    command.arg(bench.crawl_dir("crawl")).arg("pages");
    let output = command.arg("--out").arg(packed).output().expect("runs");
    says(&output, 2, &["leave .gz out of the name"]);
    #[cfg(feature = "parquet")]
    assert!(written("pages.parquet", &[]).starts_with(b"PAR1"));
    for wrong in ["english", "z", "zh_CN", "", "zh-"] {
        let mut command = tamis(&["export", "--lang", wrong]);
        let output = command.arg(bench.crawl_dir("crawl")).arg("pages").output();
        says(&output.expect("runs"), 2, &["language code"]);
    }
}

/// Crawls one page, and gives the bench with a folder for files.
fn a_crawl_of_one_page() -> (Bench, std::path::PathBuf) {
    let bench = Bench::serve(TestWeb::new().page("http://a.test/", &page("Lantern", 5, &[])));
    bench.crawl_to_end("crawl", &["--seed", "http://a.test/", "--delay", "0"]);
    let folder = bench.dir.path().join("files");
    std::fs::create_dir(&folder).expect("a folder");
    (bench, folder)
}

fn files(folder: &std::path::Path) -> Vec<String> {
    let entries = std::fs::read_dir(folder).expect("a folder");
    let names = entries.map(|entry| entry.expect("an entry").file_name());
    let mut names: Vec<String> = names.map(|name| name.to_string_lossy().into()).collect();
    names.sort();
    names
}

#[test]
fn a_file_that_is_replaced_is_named_and_nothing_else_is_left_beside_it() {
    let (bench, folder) = a_crawl_of_one_page();
    let file = folder.join("rows.jsonl");
    let crawl = bench.crawl_dir("crawl");
    let write = || {
        run(tamis(&["export"])
            .arg(&crawl)
            .args(["pages", "--out"])
            .arg(&file))
    };
    assert!(!stderr(&write()).contains("replaced"));
    std::fs::write(&file, "mine").expect("written");
    let said = stderr(&write());
    assert!(
        said.contains("replaced") && said.contains("rows.jsonl"),
        "{said}"
    );
    let rows = std::fs::read_to_string(&file).expect("rows");
    assert!(rows.contains("http://a.test/"), "{rows}");
    let report = folder.join("report.html");
    for replaced in [false, true] {
        let mut command = tamis(&["report", "--format", "html", "--out"]);
        let said = stderr(&run(command.arg(&report).arg(&crawl)));
        assert_eq!(said.contains("replaced"), replaced, "{said}");
    }
    assert_eq!(files(&folder), ["report.html", "rows.jsonl"]);
}

#[cfg(unix)]
#[test]
fn an_export_that_fails_leaves_the_file_that_was_there() {
    let (bench, folder) = a_crawl_of_one_page();
    for (command, name) in [("export", "rows.jsonl"), ("report", "report.html")] {
        let file = folder.join(name);
        std::fs::write(&file, "mine").expect("written");
        let mut tamis = std::process::Command::new("sh");
        // No file may grow beyond a block: the write fails as on a full disk.
        tamis.args(["-c", "trap '' XFSZ; ulimit -f 0; exec \"$@\"", "sh"]);
        tamis.arg(env!("CARGO_BIN_EXE_tamis")).arg(command);
        tamis.arg(bench.crawl_dir("crawl"));
        let what: &[&str] = match command {
            "export" => &["pages"],
            _ => &["--format", "html"],
        };
        let output = tamis.args(what).arg("--out").arg(&file).output();
        says(&output.expect("runs"), 3, &["cannot write", name]);
        assert_eq!(std::fs::read_to_string(&file).expect("it is there"), "mine");
    }
    assert_eq!(files(&folder), ["report.html", "rows.jsonl"]);
}

#[cfg(unix)]
#[test]
fn a_link_and_a_device_stay_what_they_are() {
    let (bench, folder) = a_crawl_of_one_page();
    let (target, link) = (folder.join("target.jsonl"), folder.join("link.jsonl"));
    std::fs::write(&target, "mine").expect("written");
    std::os::unix::fs::symlink(&target, &link).expect("a link");
    let write = |out: &std::path::Path| {
        let mut command = tamis(&["export"]);
        command
            .arg(bench.crawl_dir("crawl"))
            .args(["pages", "--out"]);
        run(command.arg(out))
    };
    write(&link);
    assert!(link.is_symlink());
    let rows = std::fs::read_to_string(&target).expect("rows");
    assert!(rows.contains("http://a.test/"), "{rows}");
    let shown = stdout(&write(std::path::Path::new("/dev/stdout")));
    assert!(shown.contains("http://a.test/"), "{shown}");
}
