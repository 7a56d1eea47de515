//! Look-ups at distance 3, by method, among 10,000 and 1,000,000 fingerprints: 70 % unrelated, 25 %
//! copies with up to six flipped bits, 5 % that share the blocks of a template.
//!
//! `cargo bench -p resemblance --bench lookup`

use resemblance::lookup::{Lookup, Method, Search};
use simhash::Fingerprint;
use simhash::hash::{GOLDEN, mix};

const METHODS: [(&str, Method); 10] = [
    ("linear", Method::Linear),
    ("probing", Method::Probing),
    ("expanded", Method::Expanded),
    ("tables4", Method::FourTables(Search::Binary)),
    (
        "tables4, guessed",
        Method::FourTables(Search::Interpolation),
    ),
    ("tables10", Method::TenTables(Search::Binary)),
    ("tables16", Method::SixteenTables(Search::Binary)),
    (
        "tables16, guessed",
        Method::SixteenTables(Search::Interpolation),
    ),
    ("tables, fitting", Method::FittingTables(Search::Binary)),
    ("automaton", Method::Automaton),
];

fn main() {
    // A bench asserts its own answer before it times it.
    let list = fingerprints(300);
    for query in fingerprints(20) {
        let linear = Lookup::new(Method::Linear, &list, 3).expect("any distance");
        for (name, method) in METHODS {
            let lookup = Lookup::new(method, &list, 3).expect(name);
            assert_eq!(
                lookup.near(query).matches,
                linear.near(query).matches,
                "{name}"
            );
        }
    }
    divan::main();
}

fn fingerprints(count: u64) -> Vec<Fingerprint> {
    let random = |n: u64| mix(n.wrapping_mul(GOLDEN));
    (0..count)
        .map(|n| {
            Fingerprint(match n % 20 {
                0..14 => random(n),
                14..19 => (0..random(n) % 7).fold(random(n - 14), |bits, flip| {
                    bits ^ 1 << (random(n ^ (flip + 1) << 40) % 64)
                }),
                _ => (0xABCD << 48) | (random(n) >> 16),
            })
        })
        .collect()
}

/// Answers to 64 queries.
#[divan::bench(args = METHODS.map(|(name, _)| name), consts = [10_000, 1_000_000], sample_count = 10)]
fn distance_3<const PAGES: u64>(bencher: divan::Bencher<'_, '_>, name: &str) {
    let (_, method) = METHODS
        .into_iter()
        .find(|(known, _)| *known == name)
        .expect("a method");
    let list = fingerprints(PAGES);
    // The expanded list would be too long: one in thirty is enough to see a look-up's time.
    let list = if method == Method::Expanded {
        &list[..380]
    } else {
        &list[..]
    };
    let lookup = Lookup::new(method, list, 3).expect("in reach");
    let queries = fingerprints(64 + 20).split_off(20);
    bencher
        .counter(divan::counter::ItemsCount::new(queries.len()))
        .bench_local(|| {
            queries
                .iter()
                .map(|query| lookup.near(*query).matches.len())
                .sum::<usize>()
        });
}
