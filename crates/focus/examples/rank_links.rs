//! Judges a page and scores two links: `cargo run -p focus --example rank_links`

use focus::{Focus, FocusConfig, LinkContext};
use segment::Segmenter;
use url::Url;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut config = FocusConfig::default();
    config.topic.keywords = vec!["railway".into(), "steam locomotive^2".into()];
    let mut focus = Focus::new(&config)?;

    let words = Segmenter::shared().words("The railway bought its last steam locomotive in 1955.");
    let url = Url::parse("http://a.example/history")?;
    let page = focus.topic().relevance("A railway's history", &words, &url);
    println!("page: {:.2}, because of {:?}", page.probability, page.why);

    for (url, anchor) in [("/engines", "steam locomotives"), ("/shop", "gift shop")] {
        let features = focus.features(&LinkContext {
            parent: None,
            url: &format!("http://a.example{url}"),
            anchor,
            context: "",
            tag_path: "html>body>ul>li>a",
            in_main: true,
        });
        println!("link {anchor:?}: {:.2}", focus.score(&features));
    }
    Ok(())
}
