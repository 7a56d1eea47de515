//! Pages of one form are kept by the ten thousand: alike in their words, each with numbers or a name of its own. A
//! lookup among them costs no more than among some hundreds, and finds the copy of any.

use simhash::hash::mix;
use simhash::{Decision, IndexConfig, Memory, Neighbour, TableIndex, TextPrint, print_hashes};

/// What one lookup may judge, whatever is kept: what the tables give, the most of it more than once, and the bands.
const JUDGED_MAX: usize = 3_000;

/// A form: words that all of its pages have, numbers and words that each has for itself.
struct Form {
    words: u64,
    numbers: u64,
    names: u64,
}

const NUMBER: Form = Form {
    words: 15,
    numbers: 1,
    names: 0,
};
const NAME: Form = Form {
    words: 20,
    numbers: 0,
    names: 2,
};
const LONG: Form = Form {
    words: 285,
    numbers: 15,
    names: 0,
};

impl Form {
    /// Page number `page`, with `more` words at its end that no other page has.
    fn page(&self, page: u64, more: u64) -> TextPrint {
        let own = |at: u64| mix(1 << 40 | page << 8 | at);
        let numbers: Vec<u64> = (0..self.numbers).map(own).collect();
        let names = (self.numbers..self.numbers + self.names).map(own);
        let mut own_words: Vec<u64> = numbers.iter().copied().chain(names).collect();
        let every = self.words / own_words.len() as u64;
        let mut hashes = Vec::new();
        for word in 0..self.words {
            // Words come again, as they do.
            hashes.push(mix(mix(word) % 40));
            if word % every == 0 {
                hashes.extend(own_words.pop());
            }
        }
        hashes.extend((0..more).map(|word| mix(1 << 50 | page << 8 | word)));
        print_hashes(&hashes, &numbers)
    }

    fn keep(&self, pages: u64, config: &IndexConfig) -> TableIndex {
        let mut index = TableIndex::in_memory(config).unwrap();
        for page in 0..pages {
            index.insert(page, &self.page(page, 0)).unwrap();
        }
        index
    }

    /// How many of a hundred pages, the oldest first, are found by a copy.
    fn copies_found(&self, index: &mut TableIndex, pages: u64, more: u64) -> u64 {
        let found = (0..pages).step_by(pages as usize / 100).filter(|&page| {
            let near = index.nearest(&self.page(page, more)).unwrap().unwrap();
            (near.page, near.decision) == (page, Decision::Duplicate)
        });
        found.count() as u64
    }
}

fn judged(index: &mut TableIndex, print: &TextPrint) -> usize {
    let mut count = 0;
    let seen = |near: Neighbour| {
        count += 1;
        near
    };
    index.nearest_by(print, seen).unwrap();
    count
}

#[test]
fn a_lookup_among_thousands_of_siblings_judges_a_bounded_number() {
    for (form, pages) in [(NUMBER, 20_000), (NAME, 3_000), (LONG, 3_000)] {
        let mut index = form.keep(pages, &IndexConfig::default());
        let count = judged(&mut index, &form.page(pages, 0));
        assert!((100..JUDGED_MAX).contains(&count), "{count}");
        // Where the newest are removed those before them come up.
        for page in pages / 2..pages {
            assert!(index.remove(page).unwrap());
        }
        let after = judged(&mut index, &form.page(pages, 0));
        assert!((100..JUDGED_MAX).contains(&after), "{after} of {count}");
    }
}

#[test]
fn the_copy_of_any_sibling_is_found() {
    let pages = 3_000;
    for (form, edited) in [(NUMBER, 100), (NAME, 97), (LONG, 100)] {
        let mut index = form.keep(pages, &IndexConfig::default());
        assert_eq!(form.copies_found(&mut index, pages, 0), 100);
        // With the same numbers, or else with word pairs that few have.
        let found = form.copies_found(&mut index, pages, 1);
        assert!(found >= edited, "{found}");
    }
}

#[test]
fn on_disk_the_copies_of_siblings_are_found_as_in_ram() {
    let pages = 3_000;
    let config = IndexConfig {
        memory: Memory::Disk,
        pages_in_ram: 256,
        ..IndexConfig::default()
    };
    let dir = tempfile::tempdir().unwrap();
    let open = || TableIndex::open(dir.path(), &config).unwrap().0;
    let mut index = open();
    for page in 0..pages {
        index.insert(page, &NUMBER.page(page, 0)).unwrap();
        if page % 500 == 0 {
            index.apply(page).unwrap();
        }
    }
    index.apply(pages).unwrap();
    drop(index);
    let mut index = open();
    assert_eq!(index.len() as u64, pages);
    assert_eq!(NUMBER.copies_found(&mut index, pages, 0), 100);
    assert_eq!(NUMBER.copies_found(&mut index, pages, 1), 100);
    assert!(judged(&mut index, &NUMBER.page(pages, 0)) < 2 * JUDGED_MAX);
}
