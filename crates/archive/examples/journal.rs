//! Lists the events of a journal: `cargo run -p archive --example journal -- crawls/try/archive`

use archive::{Event, Position, Replayed};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let dir = std::env::args().nth(1).ok_or("usage: journal DIR")?;
    for replayed in archive::replay(dir.as_ref(), Position::START)? {
        let record = match replayed? {
            Replayed::Record { record, .. } => record,
            Replayed::Damage(damage) => {
                eprintln!("{damage}");
                continue;
            }
        };
        let about = match &record.event {
            Event::Page(page) => format!("page {}", page.url),
            Event::Seed(seed) => format!("seed {}", seed.url),
            Event::Sitemap(sitemap) => format!("sitemap {}", sitemap.url),
            Event::Attempt(attempt) => format!("attempt {}", attempt.url),
            Event::Start(_) => "start".to_owned(),
            Event::Robots(robots) => format!("robots.txt of {}", robots.host),
            Event::Retry(_) => "retry".to_owned(),
            Event::Again(again) => format!("round {}", again.round),
            Event::Elsewhere(elsewhere) => format!("kept elsewhere: {}", elsewhere.kept.len()),
            Event::Visit(visit) => format!("visit {}", visit.url),
            Event::Stop(_) => "stop".to_owned(),
        };
        println!("{:>8} {about}", record.seq);
    }
    Ok(())
}
