//! Sitemaps are no pages: they are read beside the budgets of pages.

use testweb::{Response, TestWeb};

use crate::support::{Bench, file, page, run, stderr, stdout, tamis};

/// Sitemaps of the host, each with one page that nothing else links to.
const SITEMAPS: usize = 15;

/// A host whose robots.txt names a sitemap of sitemaps.
fn web() -> TestWeb {
    let list = |of: &str, urls: &str| {
        let schema = "http://www.sitemaps.org/schemas/sitemap/0.9";
        Response::xml(format!("<{of} xmlns=\"{schema}\">{urls}</{of}>"))
    };
    let maps: String = (0..SITEMAPS)
        .map(|number| format!("<sitemap><loc>http://a.test/{number}.xml</loc></sitemap>"))
        .collect();
    let mut web = TestWeb::new()
        .page("http://a.test/docs/", &page("Front", 99, &[]))
        .robots("a.test", "Sitemap: http://a.test/all.xml\n")
        .respond("http://a.test/all.xml", list("sitemapindex", &maps));
    for number in 0..SITEMAPS {
        let url = format!("<url><loc>http://a.test/docs/{number}</loc></url>");
        let map = list("urlset", &url);
        web = web.respond(&format!("http://a.test/{number}.xml"), map);
        let text = page("Page", number as u64, &[]);
        web = web.page(&format!("http://a.test/docs/{number}"), &text);
    }
    web
}

/// Pages that are finished, of a crawl with this seed and these lines of its configuration.
fn pages_read(bench: &Bench, name: &str, seed: &str, lines: &str) -> usize {
    let config = format!("[politeness]\ndelay = \"0\"\n{lines}");
    let config = file(bench.dir.path(), &format!("{name}.toml"), &config);
    bench.crawl_to_end(name, &[&config, "--seed", seed]);
    bench.check(name);
    bench.pages(name).len()
}

#[test]
fn sitemaps_use_up_no_budget_of_pages() {
    // A budget of eight pages was used up by nine sitemaps.
    let bench = Bench::serve(web());
    let front = "http://a.test/docs/";
    let read = |name: &str, seed: &str, lines: &str| pages_read(&bench, name, seed, lines);
    assert_eq!(read("all", front, ""), 1 + SITEMAPS);
    assert_eq!(read("seed", &format!("{front} pages=8"), ""), 8);
    assert_eq!(read("host", front, "[host.\"a.test\"]\nmax_pages = 8\n"), 8);
    assert_eq!(read("each", front, "[limits]\nurls_per_host = 8\n"), 8);
    let given = "sitemap:http://a.test/all.xml";
    assert_eq!(read("given", &format!("{given} pages=8"), ""), 8);
}

#[test]
fn what_sitemaps_bring_is_counted_the_same_after_a_start_in_between() {
    let bench = Bench::serve(web());
    let config = "[politeness]\ndelay = \"0\"\n[limits]\nurls_per_host = 8\n";
    let config = file(bench.dir.path(), "rules.toml", config);
    for most in ["1", "2", "5", "0"] {
        let options = ["--seed", "http://a.test/docs/ pages=8", "--max-pages", most];
        bench.crawl_to_end("often", &[&[config.as_str()], options.as_slice()].concat());
        // The frontier is made again from the journal.
        if most == "2" {
            let state = bench.crawl_dir("often").join("state/frontier");
            std::fs::remove_dir_all(state).expect("the frontier is there");
        }
    }
    bench.check("often");
    assert_eq!(bench.pages("often").len(), 8);
}

#[test]
fn a_sitemap_that_robots_txt_names_by_its_path_is_read() {
    let web = web().robots("a.test", "User-agent: *\nDisallow:\nSitemap: /all.xml\n");
    let bench = Bench::serve(web);
    assert_eq!(
        pages_read(&bench, "path", "http://a.test/docs/", ""),
        1 + SITEMAPS
    );
}

#[test]
fn a_sitemap_among_the_seeds_that_brings_nothing_in_is_told() {
    // Only `explain` said so, of those of which somebody asked it.
    let html = Response::html("<title>Page not found</title><p>There is no such page here.");
    let web = web().respond("http://a.test/html.xml", html).respond(
        "http://a.test/empty.xml",
        Response::xml("<urlset></urlset>"),
    );
    let bench = Bench::serve(web);
    let seeds = ["gone.xml", "empty.xml", "html.xml", "0.xml"];
    let seeds = seeds.map(|name| format!("sitemap:http://a.test/{name}"));
    let config = file(
        bench.dir.path(),
        "maps.toml",
        "[politeness]\ndelay = \"0\"\n",
    );
    let mut options = vec![config.as_str()];
    for seed in &seeds {
        options.extend(["--seed", seed]);
    }
    let told = stderr(&run(&mut bench.crawl("maps", &options)));
    let why_empty = "it names no URL that is new and belongs to the crawl";
    for (name, why) in [
        ("gone", "no sitemap: status 404"),
        ("empty", why_empty),
        ("html", ""),
    ] {
        let start = format!(
            "the sitemap http://a.test/{name}.xml, which was given as a seed, brought nothing in: "
        );
        assert!(told.contains(&(start + why)), "{name}: {told}");
    }
    assert!(!told.contains("http://a.test/0.xml"), "{told}");
    let report = stdout(&run(tamis(&["report"]).arg(bench.crawl_dir("maps"))));
    let words = "a sitemap that brought nothing in: ";
    assert_eq!(report.matches(words).count(), 3, "{report}");
    let report = stdout(&run(
        tamis(&["report", "--lang", "zh"]).arg(bench.crawl_dir("maps"))
    ));
    assert!(
        report.contains("站点地图，没有带来网址：其中没有属于本次抓取的新网址"),
        "{report}"
    );
}

#[test]
fn a_seed_of_one_folder_reads_the_sitemaps_of_its_host_for_what_is_in_it() {
    // Neither a folder nor an include pattern ever let a sitemap in, which stands at the root.
    let web = web().page("http://a.test/other/", &page("Other", 77, &[]));
    let bench = Bench::serve(web);
    let seed = "http://a.test/docs/ scope=prefix";
    assert_eq!(pages_read(&bench, "prefix", seed, ""), 1 + SITEMAPS);
    let include = "[scope]\ninclude = [\"/docs/\"]\n";
    let front = "http://a.test/docs/";
    assert_eq!(pages_read(&bench, "include", front, include), 1 + SITEMAPS);
    let exclude = "[scope]\nexclude = [\"[.]xml$\"]\n";
    assert_eq!(pages_read(&bench, "exclude", front, exclude), 1);
}

/// What `explain` says of a URL, and whether it knows it.
fn told(bench: &Bench, name: &str, url: &str) -> (String, bool) {
    let output = tamis(&["explain"])
        .arg(bench.crawl_dir(name))
        .arg(url)
        .output()
        .expect("runs");
    (stdout(&output) + &stderr(&output), output.status.success())
}

#[test]
fn explain_tells_what_a_sitemap_brought_in_and_why_its_urls_may_be_left_out() {
    let bench = Bench::serve(web());
    pages_read(&bench, "one", "sitemap:http://a.test/3.xml", "");
    let (words, is_known) = told(&bench, "one", "http://a.test/3.xml");
    assert!(
        is_known && words.contains("A sitemap, which brought in 1 URL."),
        "{words}"
    );
    assert!(words.contains("a sitemap, given in"), "{words}");
    pages_read(&bench, "dead", "sitemap:http://a.test/none.xml", "");
    let (words, is_known) = told(&bench, "dead", "http://a.test/none.xml");
    assert!(is_known && words.contains("status 404"), "{words}");
    // A folder's seed is named, not only the mode that holds for seeds without one.
    pages_read(&bench, "folder", "http://a.test/docs/ scope=prefix", "");
    let (words, _) = told(&bench, "folder", "http://a.test/other/");
    assert!(
        words.contains("scope=prefix for http://a.test/docs/"),
        "{words}"
    );
    let (words, is_known) = told(&bench, "folder", "http://a.test/docs/unknown");
    assert!(
        !is_known && words.contains("no sitemap brought it in"),
        "{words}"
    );
}

#[test]
fn a_sitemap_of_which_nothing_belongs_to_the_crawl_is_not_said_to_be_finished() {
    let bench = Bench::serve(web());
    let options = [
        "--seed",
        "sitemap:http://a.test/3.xml depth=0",
        "--delay",
        "0",
    ];
    let output = bench.crawl("none", &options).output().expect("runs");
    let words = stdout(&output) + &stderr(&output);
    assert!(!words.contains("start with --again"), "{words}");
    assert!(words.contains("no page belongs to the crawl"), "{words}");
}

#[test]
fn what_a_sitemap_names_is_read_as_what_it_is_and_after_a_start_in_between_too() {
    // Sitemaps in a list of pages, or in a text, were `unsupported_type`; pages in an index were fetched and thrown away.
    let list = |of: &str, urls: &str| Response::xml(format!("<{of}>{urls}</{of}>"));
    let locs = |of: &str, names: &[&str]| -> String {
        let loc = |name: &&str| format!("<{of}><loc>http://a.test/{name}</loc></{of}>");
        names.iter().map(loc).collect()
    };
    let text = "http://a.test/3.xml\nhttp://a.test/4.xml\n";
    let web = web()
        .robots(
            "a.test",
            "Sitemap: /maps.xml\nSitemap: /maps.txt\nSitemap: /pages.xml\n",
        )
        .respond(
            "http://a.test/maps.xml",
            list("urlset", &locs("url", &["0.xml", "more.xml", "docs/2"])),
        )
        .respond(
            "http://a.test/more.xml",
            list("urlset", &locs("url", &["1.xml", "index.xml"])),
        )
        .respond(
            "http://a.test/index.xml",
            list("sitemapindex", &locs("sitemap", &["7.xml"])),
        )
        .respond("http://a.test/maps.txt", Response::text(text))
        .respond(
            "http://a.test/pages.xml",
            list("sitemapindex", &locs("sitemap", &["docs/5", "docs/6"])),
        );
    let bench = Bench::serve(web);
    let kept = |name: &str| {
        bench.check(name);
        let pages = bench.pages(name).into_iter();
        let kept = pages.filter(|(_, fate)| fate == "indexed");
        kept.map(|(url, _)| url).collect::<Vec<_>>()
    };
    let seed = ["--seed", "http://a.test/docs/ depth=1"];
    let config = file(
        bench.dir.path(),
        "named.toml",
        "[politeness]\ndelay = \"0\"\n",
    );
    bench.crawl_to_end("named", &[&[config.as_str()], seed.as_slice()].concat());
    let whole = kept("named");
    assert_eq!(whole.len(), 1 + 8, "{whole:?}");
    for most in ["1", "2", "4", "7", "0"] {
        let options = [&[config.as_str()], seed.as_slice(), &["--max-pages", most]].concat();
        bench.crawl_to_end("often", &options);
        if most == "4" {
            let state = bench.crawl_dir("often").join("state/frontier");
            std::fs::remove_dir_all(state).expect("the frontier is there");
        }
    }
    assert_eq!(kept("often"), whole);
}
