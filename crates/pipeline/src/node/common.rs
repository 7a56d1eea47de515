//! The configuration that all nodes of a crawl have in common: as it stands in the ledger, and how a node that has
//! another is refused.

use std::time::Duration;

use config::Span;
use frontier::SeedUrl;
use ledger::{Joined, LedgerError, Refused};

use crate::config::CrawlConfig;
use crate::error::CrawlError;
use crate::setup;

/// What is compared between nodes: fingerprints, words.
pub(super) fn scheme() -> String {
    format!(
        "prints {}, words {}",
        simhash::FINGERPRINT_SCHEME,
        segment::SEGMENT_SCHEME
    )
}

/// The configuration that all nodes have in common, as text: without what is a machine's own.
pub(super) fn common_config(config: &CrawlConfig, seeds: &str) -> Vec<u8> {
    common_of(setup::public_config(config), seeds)
}

/// The same of a configuration as the journal has it.
pub(super) fn common_of(mut public: serde_json::Value, seeds: &str) -> Vec<u8> {
    public["seeds given"] = seeds.into();
    // Where the seeds stand may differ, what they are may not.
    let own: [(&str, &[&str]); 6] = [
        ("cluster", &[]),
        ("seeds", &[]),
        ("serve", &[]),
        ("archive", &[]),
        (
            "crawl",
            &["threads", "concurrency", "max_pages", "max_time"],
        ),
        ("network", &["proxy", "resolve"]),
    ];
    if let Some(sections) = public.as_object_mut() {
        for (section, keys) in own {
            match (sections.get_mut(section), keys) {
                (_, []) => {
                    sections.remove(section);
                }
                (Some(section), keys) => {
                    if let Some(section) = section.as_object_mut() {
                        keys.iter().for_each(|key| {
                            section.remove(*key);
                        });
                    }
                }
                (None, _) => {}
            }
        }
    }
    public.to_string().into_bytes()
}

/// Why a node may not take part, with the keys that differ.
pub(super) fn refusal(error: LedgerError, ours: &[u8]) -> CrawlError {
    let LedgerError::Refused(Refused::OtherConfig { theirs }) = &error else {
        return error.into();
    };
    let parse = |bytes: &[u8]| serde_json::from_slice(bytes).unwrap_or_default();
    let mut keys = Vec::new();
    differences(&parse(ours), &parse(theirs), "", &mut keys);
    CrawlError::Setup(format!(
        "the crawl runs under another configuration than this node's: {} differ; give all nodes the \
         same configuration",
        keys.join(", ")
    ))
}

fn differences(
    ours: &serde_json::Value,
    theirs: &serde_json::Value,
    path: &str,
    keys: &mut Vec<String>,
) {
    match (ours.as_object(), theirs.as_object()) {
        (Some(ours), Some(theirs)) => {
            let all = ours
                .keys()
                .chain(theirs.keys().filter(|key| !ours.contains_key(*key)));
            for key in all {
                let path = match path {
                    "" => key.clone(),
                    path => format!("{path}.{key}"),
                };
                let of = |map: &serde_json::Map<_, _>| map.get(key).cloned().unwrap_or_default();
                let (ours, theirs): (serde_json::Value, serde_json::Value) = (of(ours), of(theirs));
                differences(&ours, &theirs, &path, keys);
            }
        }
        _ if ours != theirs => keys.push(format!("{path} (here {ours}, there {theirs})")),
        _ => {}
    }
}

/// What the user is to know where lease or budget of the crawl are others than this node's configuration has them, or
/// are others from now on.
pub(super) fn other_terms(ttl: Duration, max_pages: u64, joined: &Joined) -> Vec<String> {
    let mut notes = Vec::new();
    if joined.ttl != ttl {
        notes.push(format!(
            "cluster.ttl: this node goes by {} as those that run do, and not by the {} of its configuration; give all \
             nodes the same, and stop all of them to change it",
            Span(joined.ttl),
            Span(ttl)
        ));
    }
    let pages = |pages: Option<u64>| pages.map_or("no limit".to_owned(), |pages| pages.to_string());
    let (before, now) = joined.pages_max;
    if before != now {
        notes.push(format!(
            "crawl.max_pages: raised from {} to {}, for all nodes together",
            pages(before),
            pages(now)
        ));
    } else if max_pages > 0 && now != Some(max_pages) {
        notes.push(format!(
            "crawl.max_pages: {} for all nodes together, and not the {max_pages} of this node's configuration; `tamis \
             cluster init` sets it to what its configuration says",
            pages(now)
        ));
    }
    notes
}

/// The seeds, as a hash.
pub(super) fn hash_of(given: &[SeedUrl]) -> String {
    let mut hash = xxhash_rust::xxh3::Xxh3::new();
    for seed in given {
        let said = format!(
            "{} {} {:?} {:?} {:?} {} {:?}\n",
            seed.url, seed.sitemap, seed.depth, seed.pages, seed.scope, seed.priority, seed.since
        );
        hash.update(said.as_bytes());
    }
    format!("{} with hash {:016x}", given.len(), hash.digest())
}
