//! The programs in `examples/` run.

#[path = "../examples/near_duplicates.rs"]
mod near_duplicates;

#[test]
fn near_duplicates_runs() {
    near_duplicates::main().unwrap();
}
