//! Which of these texts repeat an earlier one? `cargo run -p simhash --example near_duplicates`

use segment::Segmenter;
use simhash::{Decision, IndexConfig, IndexError, TableIndex};

const TEXTS: [&str; 4] = [
    "A tamis is a drum sieve: what is fine falls through, and what is coarse stays in it.",
    "The harvest of a crawl is the share of its pages that are worth keeping.",
    "a tamis is a drum sieve; what is fine falls through and what is coarse stays in it",
    "Rivers carry stones, and the longer they carry them, the rounder the stones become.",
];

pub(crate) fn main() -> Result<(), IndexError> {
    let segmenter = Segmenter::shared();
    let mut index = TableIndex::in_memory(&IndexConfig::default())?;
    for (number, text) in (0u64..).zip(TEXTS) {
        let print = simhash::print(&segmenter.words(text));
        match index.nearest(&print)? {
            Some(near) if near.decision == Decision::Duplicate => {
                let (page, reason) = (near.page, near.reason.name());
                println!("text {number} repeats text {page} ({reason})");
            }
            Some(_) | None => {
                println!("text {number} is new");
                index.insert(number, &print)?;
            }
        }
    }
    Ok(())
}
