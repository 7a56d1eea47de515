//! Indexes two pages and searches them: `cargo run -p index --example search -- 数据库`

use index::{Document, Filters, PageIndex, Searcher};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let dir = std::env::temp_dir().join(format!("tamis-search-{}", std::process::id()));
    let (mut pages, _) = PageIndex::open(&dir)?;
    for (title, text) in [
        ("分布式数据库", "数据库把一张表分成许多片。"),
        ("Planners", "A planner of a database reads its statistics."),
    ] {
        pages.add(&Document {
            url: &format!("http://a.example/{title}"),
            title,
            text,
            ..Document::default()
        })?;
    }
    pages.commit(1)?;

    let query = std::env::args().nth(1).unwrap_or("database".into());
    let searcher = Searcher::open(&dir)?;
    for hit in searcher.find(&query, 10, &Filters::default())?.hits {
        println!("{} {}", hit.url, hit.snippet.marked("[", "]"));
    }
    Ok(std::fs::remove_dir_all(&dir)?)
}
