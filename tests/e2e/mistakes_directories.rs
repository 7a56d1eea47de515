//! Directories that are no crawl, another crawl, in use, or in the way.

use testweb::TestWeb;

use crate::mistakes::refusal;
use crate::support::{Bench, begin_in, file, has, page, says, stderr, stdout, tamis};

#[test]
fn a_crawls_directory_at_a_later_place_is_pointed_at() {
    let bench = Bench::serve(TestWeb::new().page("http://a.test/", &page("x", 1, &[])));
    bench.crawl_to_end("crawl", &["--seed", "http://a.test/"]);
    let dir = bench.crawl_dir("crawl");
    let dir = dir.to_str().expect("UTF-8");
    let first = format!("{dir} does, and a crawl's directory comes before other words");
    for command in ["search", "explain"] {
        let said = tamis(&[command, "http://a.test/", dir]).output();
        says(
            &said.expect("runs"),
            2,
            &["http://a.test/ holds no crawl", &first],
        );
    }
    let said = tamis(&["export", "index", dir]).output().expect("runs");
    says(&said, 2, &["which comes first"]);
    let said = tamis(&["export", dir, "index"]).output().expect("runs");
    says(&said, 2, &["did you mean indexed?"]);
    let said = tamis(&["export", dir, "everything"]).output();
    let said = stderr(&said.expect("runs"));
    assert!(!said.contains("did you mean"), "{said}");
}

#[test]
fn a_directory_that_is_no_crawl_is_left_alone() {
    let dir = tempfile::tempdir().expect("a directory");
    file(dir.path(), "thesis.tex", "years of work");
    says(
        &begin_in(dir.path()),
        2,
        &["holds no crawl, but other things"],
    );
    assert_eq!(std::fs::read_dir(dir.path()).expect("read").count(), 1);
    for command in ["report", "search", "explain", "export", "check-dir"] {
        let mut tamis = tamis(&[command]);
        tamis.arg(dir.path());
        match command {
            "search" | "explain" => drop(tamis.arg("http://a.test/")),
            "export" => drop(tamis.arg("pages")),
            _ => {}
        }
        let output = tamis.output().expect("runs");
        says(&output, 2, &["holds no crawl"]);
    }
}

#[test]
fn an_archive_without_its_configuration_is_told_as_that_and_goes_on_with_one() {
    // It was said to hold no crawl.
    let web = TestWeb::new().page("http://a.test/", &page("x", 1, &[]));
    let bench = Bench::serve(web);
    let seed = ["--seed", "http://a.test/", "--delay", "0"];
    bench.crawl_to_end("one", &seed);
    let dir = bench.crawl_dir("one");
    let config = dir.join("crawl.toml");
    let aside = bench.dir.path().join("aside.toml");
    std::fs::rename(&config, &aside).expect("moved");
    let told = ["its crawl.toml is not", "give the configuration"];
    let crawl = |words: &[&str]| bench.crawl("one", words).output().expect("runs");
    says(&crawl(&[]), 2, &told);
    says(&crawl(&seed), 2, &told);
    let report = tamis(&["report"]).arg(&dir).output().expect("runs");
    says(&report, 2, &told);
    assert!(!config.exists());
    let aside = aside.display().to_string();
    says(&crawl(&[&aside]), 0, &["nothing was fetched"]);
    bench.check("one");
}

#[test]
fn two_crawls_do_not_share_a_directory() {
    let mut web = TestWeb::new();
    for number in 0..200_u64 {
        web = web.page(
            &format!("http://a.test/p{number}.html"),
            &page("x", number, &[format!("/p{}.html", number + 1)]),
        );
    }
    let bench = Bench::serve(web);
    let mut first = bench
        .crawl(
            "one",
            &["--seed", "http://a.test/p0.html", "--delay", "50ms"],
        )
        .spawn()
        .expect("starts");
    while !bench.crawl_dir("one").join("crawl.toml").exists() {
        std::thread::sleep(std::time::Duration::from_millis(10));
    }
    let second = bench
        .crawl(
            "one",
            &["--seed", "http://a.test/p0.html", "--max-pages", "7"],
        )
        .output()
        .expect("runs");
    first.kill().expect("killed");
    first.wait().expect("ended");
    says(&second, 3, &["in use"]);
    let told = stderr(&second);
    assert!(!told.contains("changed since"), "{told}");
}

#[test]
fn a_configuration_of_other_seeds_does_not_take_over_a_crawl() {
    let mut web = TestWeb::new();
    for host in ["a", "b", "c"] {
        web = web.page(&format!("http://{host}.test/"), &page("x", 1, &[]));
    }
    let bench = Bench::serve(web);
    let config = |seeds: &str| {
        let text = format!("[seeds]\nurls = [{seeds}]\n");
        file(&bench.crawl_dir(""), "own.toml", &text)
    };
    let first = config("\"http://a.test/\", \"http://b.test/\"");
    bench.crawl_to_end("one", &[&first]);
    let before = bench.rows("one", "pages").len();
    let dir = bench.crawl_dir("one").display().to_string();
    let foreign = config("\"http://c.test/\"");
    says(
        &refusal(bench.crawl("one", &[&foreign])),
        2,
        &[
            "holds another crawl, of http://a.test/, http://b.test/",
            &format!("tamis crawl --dir {dir}"),
            "--seed URL",
        ],
    );
    assert_eq!(
        bench.rows("one", "pages").len(),
        before,
        "nothing was touched"
    );
    // One that shares a seed is the same crawl, edited.
    let edited = config("\"http://c.test/\", \"http://b.test/\"");
    bench.crawl_to_end("one", &[&edited]);
    assert_eq!(bench.rows("one", "pages").len(), before + 1);
    // A topic that has nothing in common with the old one has to be meant.
    let of_topic = |keyword: &str| {
        let text =
            format!("[seeds]\nurls = [\"http://a.test/\"]\n[topic]\nkeywords = [\"{keyword}\"]\n");
        file(&bench.crawl_dir(""), "topic.toml", &text)
    };
    bench
        .crawl("two", &[&of_topic("lantern")])
        .output()
        .expect("runs");
    let other = of_topic("harbour");
    says(
        &refusal(bench.crawl("two", &[&other])),
        2,
        &["another topic", "lantern", "add --yes"],
    );
    let meant = bench.crawl("two", &[&other, "--yes"]).output();
    assert_ne!(meant.expect("runs").status.code(), Some(2));
}

#[test]
fn a_place_that_is_another_is_answered_with_the_command_that_was_meant() {
    let bench = Bench::serve(TestWeb::new().page("http://a.test/", &page("x", 1, &[])));
    bench.crawl_to_end("one", &["--seed", "http://a.test/"]);
    let dir = bench.crawl_dir("one").display().to_string();
    for arguments in [vec!["crawl", &dir], vec!["crawl", &dir, "--again"]] {
        says(
            &refusal(tamis(&arguments)),
            2,
            &[
                "is a crawl's directory",
                &format!("tamis crawl --dir {dir}"),
            ],
        );
    }
    let above = bench.crawl_dir("").display().to_string();
    says(
        &refusal(tamis(&["crawl", &above])),
        2,
        &["is a folder", &dir],
    );
    says(
        &refusal(bench.crawl("one/two", &["--seed", "http://c.test/"])),
        2,
        &["lies inside the crawl in"],
    );
    says(
        &refusal(tamis(&["crawl"])),
        2,
        &["tamis crawl FILE.toml", "tamis crawl --dir DIR"],
    );
    says(
        &refusal(tamis(&["crawl", "--config", "x.toml"])),
        2,
        &["there is no --config", "tamis crawl x.toml"],
    );
}

#[test]
fn a_crawl_is_moved_aside_for_a_new_one_only_when_that_one_can_begin() {
    let bench = Bench::serve(TestWeb::new().page("http://a.test/", &page("x", 1, &[])));
    bench.crawl_to_end("one", &["--seed", "http://a.test/"]);
    let old = bench.crawl_dir("one.old-1");
    let at = |name: &str, text: &str| file(&bench.crawl_dir(""), name, text);
    let bad = at("bad.toml", "[crawl]\nmax_pages = \"x\"\n");
    let nowhere = at("nowhere.toml", "[archive]\nupload = \"ftp://x\"\n");
    let seed = ["--seed", "http://a.test/"];
    let not_meant = [&["--fresh"][..], &seed].concat();
    let fresh = ["--fresh", "--yes"];
    for (arguments, said) in [
        (not_meant, "add --yes"),
        (fresh.to_vec(), "has none for a new crawl"),
        ([&fresh[..], &[&bad]].concat(), "max_pages"),
        ([&fresh[..], &[&nowhere], &seed].concat(), "ftp://x"),
        ([&fresh[..], &["--seeds", "none.txt"]].concat(), "none.txt"),
    ] {
        says(&refusal(bench.crawl("one", &arguments)), 2, &[said]);
        assert!(!old.exists(), "{said}");
    }
    bench.crawl_to_end("one", &[&fresh[..], &seed].concat());
    assert!(old.join("crawl.toml").is_file());
    assert_eq!(bench.rows("one", "pages").len(), 1);
}

#[test]
fn what_the_configuration_names_and_is_not_to_be_had_leaves_a_crawl_as_it_was() {
    let bench = Bench::serve(TestWeb::new().page("http://a.test/", &page("x", 1, &[])));
    bench.crawl_to_end("one", &["--seed", "http://a.test/"]);
    let kept = bench.crawl_dir("one").join("crawl.toml");
    let before = std::fs::read_to_string(&kept).expect("read");
    let config = |text: &str| {
        let text = format!("[seeds]\nurls = [\"http://a.test/\"]\n{text}\n");
        file(&bench.crawl_dir(""), "named.toml", &text)
    };
    let store = "[cluster]\nstore = \"postgres://u@127.0.0.1/x\"";
    for (text, said) in [
        ("[archive]\nupload = \"ftp://x\"".to_owned(), "ftp://x"),
        (
            "[archive]\nupload = \"s3://id:secret@x/y\"".to_owned(),
            "names a user",
        ),
        (
            format!("{store}\npassword_file = \"no-such-file\""),
            "no-such-file",
        ),
    ] {
        let named = config(&text);
        let checked = tamis(&["config", "check", &named]).output();
        let checked = checked.expect("runs");
        assert_eq!(checked.status.code(), Some(1), "{text}");
        has(&stdout(&checked), &[said]);
        let refused = refusal(bench.crawl("one", &[&named]));
        says(&refused, 2, &[said]);
        assert!(!stdout(&checked).contains("secret") && !stderr(&refused).contains("secret"));
        assert_eq!(std::fs::read_to_string(&kept).expect("read"), before);
        refusal(bench.crawl("two", &[&named]));
        assert!(!bench.crawl_dir("two").exists(), "{text}");
    }
}
