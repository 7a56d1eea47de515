//! The example programs run.

#[path = "../examples/near_duplicate.rs"]
mod near_duplicate;

#[test]
fn a_page_is_read_printed_and_looked_up() {
    near_duplicate::main().unwrap();
    let lines = include_str!("../examples/near_duplicate.rs").lines();
    assert!(lines.count() <= 40);
}
