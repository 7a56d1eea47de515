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
