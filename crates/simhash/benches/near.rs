//! Lookup and insert among kept pages, hot blocks included.
//!
//! `cargo bench -p simhash --bench near`; with `SIMHASH_PAGES=10000000` also at that number. For
//! percentiles, bytes a page and reopening see `examples/index_at_scale.rs`.

mod generated;

use divan::counter::ItemsCount;
use simhash::{IndexConfig, LinearIndex, SketchSize, TableIndex, Tables};

fn main() {
    check();
    divan::main();
}

fn config(tables: Tables, reach: u8) -> IndexConfig {
    IndexConfig {
        k: 3,
        reach,
        tables,
        sketch: SketchSize::Bytes64,
        ..IndexConfig::default()
    }
}

/// A bench asserts its own answer before it times it.
fn check() {
    let texts = generated::texts();
    for (tables, reach) in [
        (Tables::Four, 3),
        (Tables::Four, 7),
        (Tables::Three, 8),
        (Tables::Ten, 3),
        (Tables::Sixteen, 3),
    ] {
        let config = config(tables, reach);
        let mut index = TableIndex::in_memory(&config).expect("the reach fits the tables");
        let mut model = LinearIndex::new(&config);
        for (page, bits) in generated::fingerprints(3_000, 1).into_iter().enumerate() {
            let print = generated::print(&texts, bits);
            let (near, expected) = (
                index.nearest(&print).expect("in RAM"),
                model.nearest(&print),
            );
            assert_eq!(
                near.map(|n| (n.page, n.distance)),
                expected.map(|n| (n.page, n.distance))
            );
            index.insert(page as u64, &print).expect("in RAM");
            model.insert(page as u64, &print);
        }
    }
}

fn counts() -> Vec<usize> {
    let more = std::env::var("SIMHASH_PAGES")
        .ok()
        .and_then(|pages| pages.parse().ok());
    [100_000, 1_000_000].into_iter().chain(more).collect()
}

fn lookup_and_insert(bencher: divan::Bencher<'_, '_>, pages: usize, tables: Tables, reach: u8) {
    let texts = generated::texts();
    let mut index =
        TableIndex::in_memory(&config(tables, reach)).expect("the reach fits the tables");
    for (page, bits) in generated::fingerprints(pages, 1).into_iter().enumerate() {
        index
            .insert(page as u64, &generated::print(&texts, bits))
            .expect("in RAM");
    }
    let fresh = generated::fingerprints(1_000_000, 99);
    let mut page = pages;
    bencher.counter(ItemsCount::new(1u32)).bench_local(|| {
        let print = generated::print(&texts, fresh[page % fresh.len()]);
        divan::black_box(index.nearest(&print).expect("in RAM"));
        index.insert(page as u64, &print).expect("in RAM");
        page += 1;
    });
}

#[divan::bench(args = counts(), sample_count = 50, sample_size = 200)]
fn four_tables_distance_3(bencher: divan::Bencher<'_, '_>, pages: usize) {
    lookup_and_insert(bencher, pages, Tables::Four, 3);
}

#[divan::bench(args = counts(), sample_count = 50, sample_size = 200)]
fn four_tables_distance_7(bencher: divan::Bencher<'_, '_>, pages: usize) {
    lookup_and_insert(bencher, pages, Tables::Four, 7);
}

#[divan::bench(args = counts(), sample_count = 50, sample_size = 200)]
fn four_tables_distance_8(bencher: divan::Bencher<'_, '_>, pages: usize) {
    lookup_and_insert(bencher, pages, Tables::Four, 8);
}

#[divan::bench(args = counts(), sample_count = 50, sample_size = 200)]
fn three_tables_distance_8(bencher: divan::Bencher<'_, '_>, pages: usize) {
    lookup_and_insert(bencher, pages, Tables::Three, 8);
}

#[divan::bench(args = counts(), sample_count = 50, sample_size = 200)]
fn four_tables_distance_9(bencher: divan::Bencher<'_, '_>, pages: usize) {
    lookup_and_insert(bencher, pages, Tables::Four, 9);
}

#[divan::bench(args = counts(), sample_count = 50, sample_size = 200)]
fn ten_tables_distance_3(bencher: divan::Bencher<'_, '_>, pages: usize) {
    lookup_and_insert(bencher, pages, Tables::Ten, 3);
}

#[divan::bench(args = counts(), sample_count = 50, sample_size = 200)]
fn sixteen_tables_distance_3(bencher: divan::Bencher<'_, '_>, pages: usize) {
    lookup_and_insert(bencher, pages, Tables::Sixteen, 3);
}
