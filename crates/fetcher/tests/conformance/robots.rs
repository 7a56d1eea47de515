//! robots.txt vectors.

use fetcher::{Robots, RobotsRuling};
use serde_json::Value;
use url::Url;

use crate::bytes;

#[test]
fn robots_vectors_hold() {
    crate::run("robots", judge);
}

fn judge(vector: &Value) -> bool {
    let expected = &vector["expected"];
    let agent = vector["agent"].as_str().unwrap_or("tamis");
    if vector["kind"] == "status" {
        let status = vector["status"].as_u64().expect("status");
        let status = u16::try_from(status).expect("a status");
        let robots = RobotsRuling::of_status(status).rules();
        return Some(allowed(&robots, agent, vector)) == expected["allowed"].as_bool();
    }
    let mut file = bytes(vector, "robots");
    if let Some(times) = vector["repeat_last_line"].as_u64() {
        let trimmed = file.trim_ascii_end();
        let start = trimmed
            .iter()
            .rposition(|b| *b == b'\n')
            .map_or(0, |n| n + 1);
        let mut line = trimmed[start..].to_vec();
        line.push(b'\n');
        for _ in 0..times {
            file.extend_from_slice(&line);
        }
    }
    let robots = Robots::parse(&file);
    let sitemaps = robots.sitemaps();
    match vector["kind"].as_str().expect("kind") {
        "allow" => Some(allowed(&robots, agent, vector)) == expected["allowed"].as_bool(),
        "crawl_delay" => {
            let seconds = robots.crawl_delay(agent).map(|d| d.as_secs_f64());
            match (seconds, expected["crawl_delay"].as_f64()) {
                (Some(got), Some(wanted)) => (got - wanted).abs() < 1e-3,
                (got, wanted) => got == wanted,
            }
        }
        "sitemaps" => {
            let mut got: Vec<&str> = sitemaps.iter().map(String::as_str).collect();
            let list = expected["sitemaps"].as_array().expect("list");
            let mut wanted: Vec<&str> = list.iter().filter_map(Value::as_str).collect();
            got.sort_unstable();
            wanted.sort_unstable();
            got == wanted
        }
        "sitemap_count" => Some(sitemaps.len() as u64) == expected["sitemap_count"].as_u64(),
        "sitemap_contains" => sitemaps
            .iter()
            .any(|s| Some(s.as_str()) == expected["sitemap_contains"].as_str()),
        other => panic!("kind {other}"),
    }
}

fn allowed(robots: &Robots, agent: &str, vector: &Value) -> bool {
    let text = vector["url"].as_str().expect("url");
    let url = Url::parse(text)
        .or_else(|_| Url::parse("http://a.example/").and_then(|base| base.join(text)))
        .expect("a URL");
    robots.check(agent, &url).allowed
}
