//! One table of policies over simulated pages: see `again::freshness`.
//!
//! ```text
//! cargo run --release -p again --example freshness [PAGES] [SEEDS] [PART OF A POLICY'S NAME] [equal]
//! ```

use again::freshness::{Importance, table};

fn main() {
    let mut args = std::env::args()
        .skip(1)
        .filter_map(|arg| arg.parse::<u64>().ok());
    let pages = args.next().unwrap_or(2_000) as usize;
    let seeds = args.next().unwrap_or(5);
    let wanted = std::env::args().nth(3).unwrap_or_default();
    let importance = match std::env::args().nth(4) {
        Some(_) => Importance::Equal,
        None => Importance::Zipf,
    };
    for line in table((pages, importance), seeds, &wanted).lines() {
        println!("{line}");
    }
}
