//! Where foreign bytes come in, one function each; also the bodies of the fuzz targets in `fuzz/`.
//!
//! Each must return, whatever it is given. What is said of its answer holds for every input.

use std::cell::OnceCell;

use extractor::{PageContext, decode, extract, page_links};
use fetcher::{FetchLimits, Robots, Sitemap};
use frontier::{CanonicalUrl, Canonicaliser, parse_seed_list, parse_url};
use url::Url;
use weburl::resolve;

/// A function that takes foreign bytes.
pub type Door = fn(&[u8]);

/// Every entry by name, which is also the name of its folder in `fuzz/corpus`.
#[allow(dead_code, reason = "a fuzz target names its one entry")]
pub const ENTRIES: [(&str, Door); 8] = [
    ("url", url),
    ("robots", robots),
    ("sitemap", sitemap),
    ("page", page),
    ("coding", coding),
    ("warc", warc),
    ("seeds", seeds),
    ("config", config),
];

fn base() -> Url {
    Url::parse("http://a.example/b/c?d=e").expect("a constant URL parses")
}

/// A URL as a user types it and as a page writes it.
pub fn url(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    // Parsed only for its own sake: most inputs are no URL.
    let _ = parse_url(&text);
    if let Some(found) = resolve(&base(), &text) {
        let every_step = Canonicaliser {
            sort_query: true,
            drop_params: vec!["a*".into(), "b".into()],
            drop_tracking: true,
            drop_sessions: true,
            drop_index_pages: true,
        };
        for canonicaliser in [Canonicaliser::default(), every_step] {
            let Ok(once) = canonicaliser.canonical(&found) else {
                continue;
            };
            let twice = canonicaliser.canonical(&once.to_url());
            assert_eq!(
                twice.as_ref(),
                Ok(&once),
                "canonical twice is canonical once"
            );
            assert!(once.as_str().len() <= frontier::URL_BYTES_MAX);
        }
    }
    if let Ok(canonical) = CanonicalUrl::parse(&text) {
        assert_eq!(
            CanonicalUrl::parse(canonical.as_str()).as_ref(),
            Ok(&canonical)
        );
    }
}

/// A robots.txt, and the times that headers name.
pub fn robots(bytes: &[u8]) {
    let robots = Robots::parse(bytes);
    for agent in ["tamis", "Mozilla/5.0 (compatible; tamis/0.1)", ""] {
        robots.check(agent, &base());
        robots.crawl_delay(agent);
        robots.group(agent);
    }
    let text = String::from_utf8_lossy(bytes);
    fetcher::parse_retry_after(&text, std::time::SystemTime::UNIX_EPOCH);
}

/// A sitemap or a feed.
pub fn sitemap(bytes: &[u8]) {
    // A list that is none is an error, and that is an answer.
    let _ = Sitemap::parse(bytes, Some(&base()));
}

/// A page: its encoding, its tree, its main content, its links.
pub fn page(bytes: &[u8]) {
    let decoded = decode(bytes, None, Some("example"));
    let url = base();
    let context = PageContext::new(&url);
    let page = extract(&decoded.text, &context);
    assert_eq!(page.text, extractor::blocks::plain(&page.blocks));
    page_links(&decoded.text, &context);
}

/// A body: the first byte chooses the codings.
pub fn coding(bytes: &[u8]) {
    let Some((&which, body)) = bytes.split_first() else {
        return;
    };
    let names = ["gzip", "deflate", "br", "zstd", "gzip, br", "zstd, gzip"];
    let limits = FetchLimits {
        decoded_bytes_max: 1 << 20,
        ..FetchLimits::default()
    };
    let name = names[usize::from(which) % names.len()];
    let decoded = fetcher::decode_content(body, [name].into_iter(), &limits);
    // What cannot be undone stays as it came.
    assert!(decoded.bytes.len() as u64 <= limits.decoded_bytes_max.max(body.len() as u64));
}

/// A WARC file from elsewhere, and an archive whose journal and bodies are these bytes.
pub fn warc(bytes: &[u8]) {
    let mut reader = archive::WarcReader::new(bytes);
    while let Ok(Some(record)) = reader.record(|_| true) {
        let block = record.block.expect("it was wanted");
        if let Some(answer) = archive::HttpAnswer::parse(&block) {
            assert!(answer.unchunked().len() <= block.len());
        }
    }
    thread_local! {
        static DIR: OnceCell<tempfile::TempDir> = const { OnceCell::new() };
    }
    DIR.with(|dir| {
        let dir = dir
            .get_or_init(|| tempfile::tempdir().expect("a temporary directory"))
            .path();
        for name in ["00001.warc.gz", "00001.meta.warc.gz"] {
            std::fs::write(dir.join(name), bytes).expect("written");
        }
        let Ok(replay) = archive::replay(dir, archive::Position::START) else {
            return;
        };
        // Each step consumes bytes, so there are no more of them than bytes.
        assert!(replay.take(bytes.len() + 2).count() <= bytes.len() + 1);
        for (offset, len) in [(0, bytes.len() as u64), (7, 1 << 40)] {
            let place = archive::BodyRef {
                file: 1,
                offset,
                len,
            };
            let _ = archive::read_body(dir, &place);
            let _ = archive::read_text(dir, &place);
        }
    });
}

/// A seed list.
pub fn seeds(bytes: &[u8]) {
    let list = parse_seed_list("list", bytes);
    let lines = bytes.len() + 1;
    assert!(list.seeds.len() <= lines && list.problems.len() <= lines);
}

/// A configuration.
pub fn config(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    if let Err(problem) = pipeline::config_file::parse("crawl.toml", &text) {
        assert!(!problem.to_string().is_empty());
    }
}
