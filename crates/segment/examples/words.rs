//! Prints the words of a line with their scripts and their ranges in the line.
//!
//! `cargo run -p segment --example words -- "Linux 內核 6.1"`; without a line, reads standard input.

use segment::{Segmenter, language};

fn main() -> std::io::Result<()> {
    let mut line = std::env::args().skip(1).collect::<Vec<_>>().join(" ");
    if line.is_empty() {
        std::io::stdin().read_line(&mut line)?;
    }
    for word in Segmenter::shared().words(&line).iter() {
        let (text, script) = (word.text, word.script);
        println!("{text}\t{script:?}\t{}..{}", word.start, word.end);
    }
    match language(&line, None) {
        Some(language) => println!("language: {language}"),
        None => println!("language: unknown"),
    }
    Ok(())
}
