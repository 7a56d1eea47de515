//! Of copies in flight exactly one is kept.

use testweb::TestWeb;

use crate::support::{Bench, page};

#[test]
fn of_sixty_four_copies_fetched_at_once_exactly_one_is_kept() {
    let mut web = TestWeb::new();
    let mut seeds = String::new();
    for number in 0..64 {
        let url = format!("http://copy{number}.test/");
        web = web.page(&url, &page("The same text everywhere", 7, &[]));
        seeds.push_str(&url);
        seeds.push('\n');
    }
    let bench = Bench::serve(web);
    let list = crate::support::file(bench.dir.path(), "seeds.txt", &seeds);
    for round in 0..3 {
        let name = format!("round{round}");
        bench.crawl_to_end(
            &name,
            &["--seeds", &list, "--delay", "0", "--concurrency", "64"],
        );
        let kept = bench
            .pages(&name)
            .iter()
            .filter(|(_, fate)| fate == "indexed")
            .count();
        assert_eq!(kept, 1);
        let junk = bench.rows(&name, "junk");
        assert_eq!(junk.len(), 63);
        assert!(
            junk.iter()
                .all(|row| row["reason"] == "exact_duplicate" && row["dup_of"].is_string())
        );
        bench.check(&name);
    }
}

/// A number in letters: words with digits in them count as numbers, which must agree.
fn letters(number: usize) -> String {
    let digits = number.to_string();
    digits.bytes().map(|digit| char::from(digit + 49)).collect()
}

/// A page of sixty words, of which those from `from` to before `to` are its own.
fn variant(name: &str, from: usize, to: usize, next: &str) -> String {
    let words: Vec<String> = (0..60)
        .map(|at| match (from..to).contains(&at) {
            true => format!("{name}{}", letters(at)),
            false => format!("common{}", letters(at)),
        })
        .collect();
    format!(
        "<!DOCTYPE html><html><head><title>{name}</title></head><body><article><p>{}.</p></article>\
         <a href=\"{next}\">next</a></body></html>",
        words.join(" ")
    )
}

#[test]
fn a_copy_on_another_host_is_found_behind_a_sibling_that_is_none() {
    // The last page shares most with a page of its own host, which is no copy for that; it is a
    // copy of the page on the other host, with which the sibling has less in common.
    let web = TestWeb::new()
        .page(
            "http://a.test/first",
            &variant("first", 0, 7, "http://b.test/"),
        )
        .page(
            "http://b.test/",
            &variant("other", 51, 60, "http://a.test/last"),
        )
        .page("http://a.test/last", &variant("last", 0, 0, "/first"));
    let bench = Bench::serve(web);
    let seeds = ["--seed", "http://a.test/first", "--seed", "http://b.test/"];
    let config = crate::support::file(bench.dir.path(), "any.toml", "[scope]\nmode = \"any\"\n");
    let options = [&[&*config], &seeds[..], &["--delay", "0"]].concat();
    bench.crawl_to_end("walk", &options);
    let junk = bench.rows("walk", "junk");
    assert_eq!(junk.len(), 1, "{:?}", bench.rows("walk", "pages"));
    assert_eq!(junk[0]["url"], "http://a.test/last");
    assert_eq!(junk[0]["dup_of"], "http://b.test/");
    bench.check("walk");
}

#[test]
fn verdicts_follow_again_by_the_settings_that_were_in_force() {
    let mut web = TestWeb::new();
    for number in 0..40 {
        let url = format!("http://h{number}.test/");
        let next = format!("http://h{}.test/", number + 1);
        let from = 5 * (number % 10);
        let name = format!("own{}", letters(number));
        web = web.page(&url, &variant(&name, from, from + 3, &next));
    }
    let bench = Bench::serve(web);
    let settings = [
        ("", 10),
        ("overlap = 0.9\noverlap_same_host = 0.95", 20),
        ("k = 0\nreach = 2\ntables = 16\noverlap = 0.7", 25),
        ("k = 5\nreach = 11\nmemory = \"disk\"", 30),
        ("reach = 8\ntables = 3\noverlap = 0.5", 35),
        ("tables = 10\nreach = 3\nkeep = \"longest\"", 40),
    ];
    let mut kept = Vec::new();
    for (number, (dedup, pages)) in settings.into_iter().enumerate() {
        let text = format!("[scope]\nmode = \"any\"\n\n[dedup]\n{dedup}\n");
        let config = crate::support::file(bench.dir.path(), &format!("{number}.toml"), &text);
        let pages = pages.to_string();
        let options = ["--seed", "http://h0.test/", "--delay", "0", "--max-pages"];
        bench.crawl_to_end("changed", &[&[&*config], &options[..], &[&*pages]].concat());
        bench.check("changed");
        kept.push(bench.rows("changed", "indexed").len());
    }
    // The settings do decide: most is dropped by the first, most is kept by the second.
    assert!(kept[0] <= 4 && kept[1] >= kept[0] + 5, "{kept:?}");
}
