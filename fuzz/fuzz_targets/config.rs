#![no_main]

#[path = "../../tests/mutate/entries.rs"]
mod entries;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| entries::config(bytes));
