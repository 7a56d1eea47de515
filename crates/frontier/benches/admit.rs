//! URLs per second through the frontier: offered, stored with a position, leased, settled, stored
//! again. The bar is 50,000 admitted and stored per second.

use std::time::{Duration, Instant};

use frontier::{
    Admission, CanonicalUrl, Frontier, FrontierConfig, FrontierUrl, Gate, HostAdvice, HostKey,
    Next, Permission,
};

fn main() {
    divan::main();
}

const URLS: u64 = 100_000;
/// Links of some five pages: what the writer stores at once.
const GROUP: usize = 250;

struct Open;

impl Gate for Open {
    fn check(&mut self, _: &HostKey, _: &CanonicalUrl) -> Permission {
        Permission::Allowed
    }
}

fn urls() -> Vec<FrontierUrl> {
    (0..URLS)
        .map(|n| FrontierUrl {
            url: CanonicalUrl::parse(&format!(
                "https://host{}.example/some/path/{n}.html",
                n % 500
            ))
            .expect("a URL"),
            depth: 1,
            seed: 0,
            via: Some(n),
            priority: 0.5,
            context: vec![0; 24],
        })
        .collect()
}

fn empty() -> (tempfile::TempDir, Frontier) {
    let dir = tempfile::tempdir().expect("a directory");
    let config = FrontierConfig {
        delay: Duration::ZERO,
        ..FrontierConfig::default()
    };
    let (frontier, _) = Frontier::open(dir.path(), config, Instant::now()).expect("opens");
    (dir, frontier)
}

fn admit_all(frontier: &mut Frontier, urls: Vec<FrontierUrl>) {
    for (n, url) in urls.into_iter().enumerate() {
        assert_eq!(frontier.admit(url).expect("admits"), Admission::New);
        if n % GROUP == 0 {
            frontier.apply(n as u64).expect("applies");
        }
    }
    frontier.apply(URLS).expect("applies");
}

#[divan::bench(sample_count = 5, sample_size = 1)]
fn admit_and_store(bencher: divan::Bencher<'_, '_>) {
    bencher
        .counter(divan::counter::ItemsCount::new(URLS))
        .with_inputs(|| (urls(), empty()))
        .bench_local_values(|(urls, (dir, mut frontier))| {
            admit_all(&mut frontier, urls);
            assert_eq!(frontier.counts().pending, URLS);
            (dir, frontier)
        });
}

#[divan::bench(sample_count = 5, sample_size = 1)]
fn lease_settle_and_store(bencher: divan::Bencher<'_, '_>) {
    bencher
        .counter(divan::counter::ItemsCount::new(URLS))
        .with_inputs(|| {
            let (dir, mut frontier) = empty();
            admit_all(&mut frontier, urls());
            (dir, frontier)
        })
        .bench_local_values(|(dir, mut frontier)| {
            let now = Instant::now();
            for n in 0..URLS {
                let Next::Lease(lease) = frontier.next(now, &mut Open).expect("reads") else {
                    panic!("a host without delay is always due");
                };
                let host = lease.url().url.host();
                frontier.body_done(&host, now, &HostAdvice::default());
                frontier.settle(lease.finished()).expect("settles");
                if n % GROUP as u64 == 0 {
                    frontier.apply(URLS + n).expect("applies");
                }
            }
            frontier.apply(2 * URLS).expect("applies");
            assert_eq!(frontier.counts().finished, URLS);
            (dir, frontier)
        });
}

#[divan::bench(sample_count = 5, sample_size = 1)]
fn offer_what_was_seen(bencher: divan::Bencher<'_, '_>) {
    bencher
        .counter(divan::counter::ItemsCount::new(URLS))
        .with_inputs(|| {
            let (dir, mut frontier) = empty();
            admit_all(&mut frontier, urls());
            (urls(), dir, frontier)
        })
        .bench_local_values(|(urls, dir, mut frontier)| {
            for url in urls {
                assert_eq!(frontier.admit(url).expect("admits"), Admission::Seen);
            }
            (dir, frontier)
        });
}
