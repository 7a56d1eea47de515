//! What the frontier keeps in memory; its other laws are in `laws.rs`.

use super::*;

fn url(page: usize) -> FrontierUrl {
    FrontierUrl {
        url: CanonicalUrl::parse(&format!("http://a.example/{page}")).expect("a URL"),
        depth: 0,
        seed: 0,
        via: None,
        priority: 0.5,
        context: Vec::new(),
    }
}

#[test]
fn as_many_urls_stay_in_memory_as_the_bound_says_and_the_rest_waits_on_disk() {
    const BOUND: usize = 100;
    let config = FrontierConfig {
        pending_in_memory: BOUND,
        ..FrontierConfig::default()
    };
    let dir = tempfile::tempdir().expect("a directory");
    let open = || Frontier::open(dir.path(), config.clone(), Instant::now());
    let (mut frontier, _) = open().expect("opens");
    for page in 0..BOUND {
        frontier.admit(url(page));
    }
    frontier.apply(1).expect("written");
    assert_eq!(frontier.bodies.len(), BOUND);
    frontier.admit(url(BOUND));
    frontier.apply(2).expect("written");
    assert_eq!(frontier.bodies.len(), BOUND);
    for page in BOUND..2_000 {
        frontier.admit(url(page));
        assert!(frontier.places <= BOUND * PLACES_PER_BODY);
    }
    frontier.apply(3).expect("written");
    assert_eq!(frontier.bodies.len(), BOUND);
    assert_eq!(frontier.counts().pending, 2_000);
    drop(frontier);
    let (frontier, _) = open().expect("opens again");
    assert_eq!(frontier.bodies.len(), BOUND);
    assert!(frontier.places <= BOUND * PLACES_PER_BODY);
    assert_eq!(frontier.counts().pending, 2_000);
}
