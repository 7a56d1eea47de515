//! What a host repeats on its pages makes them neither alike nor different.

use testweb::TestWeb;

use crate::support::Bench;

/// Paragraphs that every page of the host has inside its article.
const SHARED: [&str; 3] = [
    "Our workshop opens on weekdays from nine to five, and visitors are asked to leave umbrellas, \
     dogs and large parcels with the porter at the gate before they come upstairs to the benches.",
    "Readers who want to hear of new instruments by letter may leave an address at the counter; the \
     letter comes four times a year, costs nothing, and can be cancelled with a single line to us.",
    "All drawings may be copied for lessons and for private work as long as the name of the maker \
     stays on them; whoever prints them in a book is asked to send one copy to our small library.",
];

/// A chain of pages, each with few words of its own between the shared ones; the last one leads to
/// a copy of an early one.
fn web() -> TestWeb {
    let mut web = TestWeb::new();
    for number in 0..40_u32 {
        web = web.page(
            &format!("http://a.test/p{number}.html"),
            &instrument(number),
        );
    }
    web.page("http://a.test/copy.html", &instrument(2))
}

fn instrument(number: u32) -> String {
    let own: String = (0..45)
        .map(|word| format!("own{}x{} ", number, (word * 7 + number) % 31))
        .collect();
    let next = match number {
        39 => "copy".to_string(),
        _ => format!("p{}", number + 1),
    };
    format!(
        "<!DOCTYPE html><html><head><title>Instrument {number}</title></head><body><article>\
         <h1>Instrument {number}</h1><p>{}</p><p>{own}.</p><p>{}</p><p>{}</p></article>\
         <a href=\"/{next}.html\">next</a></body></html>",
        SHARED[0], SHARED[1], SHARED[2],
    )
}

const SEEDS: [&str; 4] = ["--seed", "http://a.test/p0.html", "--delay", "0ms"];

#[test]
fn pages_of_a_heavy_template_are_kept_once_it_is_known() {
    let bench = Bench::serve(web());
    bench.crawl_to_end("whole", &SEEDS);
    let kept = bench.rows("whole", "indexed");
    let late: Vec<_> = kept
        .iter()
        .filter(|row| {
            let url = row["url"].as_str().unwrap_or("");
            let number = url
                .trim_start_matches("http://a.test/p")
                .trim_end_matches(".html");
            number.parse::<u32>().is_ok_and(|number| number >= 10)
        })
        .collect();
    assert_eq!(late.len(), 30, "every page after the tenth is kept");
    for row in late {
        let text = row["text"].as_str().unwrap_or("");
        assert!(text.contains("own"), "{row}");
        assert!(
            !text.contains("umbrellas") && !text.contains("cancelled"),
            "{row}"
        );
    }
    let copy = ("http://a.test/copy.html".to_string(), "junk".to_string());
    assert!(
        bench.pages("whole").contains(&copy),
        "equal bytes are equal before any cut"
    );
    bench.check("whole");
}

#[test]
fn a_resumed_crawl_knows_the_same_templates() {
    let bench = Bench::serve(web());
    bench.crawl_to_end("whole", &SEEDS);
    for pages in ["6", "0"] {
        let options: Vec<&str> = SEEDS.into_iter().chain(["--max-pages", pages]).collect();
        bench.crawl_to_end("parts", &options);
    }
    let texts = |name| -> Vec<(String, String)> {
        let rows = bench.rows(name, "indexed");
        let field =
            |row: &serde_json::Value, key: &str| row[key].as_str().unwrap_or("").to_string();
        rows.iter()
            .map(|row| (field(row, "url"), field(row, "text")))
            .collect()
    };
    assert!(
        texts("parts") == texts("whole"),
        "the same pages with the same texts"
    );
}
