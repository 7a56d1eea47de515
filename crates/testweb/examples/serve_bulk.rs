//! Serves a web of many pages of real size on loopback, for measurements:
//! `cargo run --release -p testweb --example serve_bulk -- PORT HOSTS PAGES`.
//!
//! Each host has an address of its own, 127.0.1.1, 127.0.1.2 and so on, so that any crawler reaches it
//! without a proxy. First a JSON line with the seeds is printed. For each line on standard input a
//! JSON line says what was fetched since the line before: distinct pages, pages fetched again, answers
//! that were no page.

use std::collections::HashSet;
use std::io::Write as _;
use std::net::{Ipv4Addr, SocketAddr};

use testweb::bulk::Bulk;

fn main() -> std::io::Result<()> {
    let mut numbers = std::env::args()
        .skip(1)
        .map(|number| number.parse::<usize>());
    let mut number = |default| numbers.next().and_then(Result::ok).unwrap_or(default);
    let (port, hosts, pages) = (number(8700), number(20).clamp(1, 250), number(100).max(1));
    let address =
        |host: usize| SocketAddr::from((Ipv4Addr::new(127, 0, 1, host as u8 + 1), port as u16));
    let names: Vec<String> = (0..hosts).map(|host| address(host).to_string()).collect();
    let bulk = Bulk::new(&names, pages);
    let web = bulk.web();
    let runtime = tokio::runtime::Runtime::new()?;
    let mut served = Vec::new();
    for host in 0..hosts {
        served.push(runtime.block_on(web.serve(address(host)))?);
    }
    let seeds: Vec<String> = names
        .iter()
        .map(|name| format!("\"http://{name}/\""))
        .collect();
    say(&format!(
        "{{\"pages\":{},\"seeds\":[{}]}}",
        bulk.len(),
        seeds.join(",")
    ))?;
    for line in std::io::stdin().lines() {
        line?;
        let (mut fetched, mut again, mut other) = (HashSet::new(), 0, 0);
        let log = web.log();
        web.clear_log();
        let is_page = |entry: &testweb::LogEntry| entry.target != "/robots.txt";
        for entry in log.into_iter().filter(is_page) {
            match entry.status {
                200 if !fetched.insert(entry.url) => again += 1,
                200 => {}
                _ => other += 1,
            }
        }
        let pages = fetched.len();
        say(&format!(
            "{{\"pages\":{pages},\"again\":{again},\"other\":{other}}}"
        ))?;
    }
    Ok(())
}

fn say(line: &str) -> std::io::Result<()> {
    let mut out = std::io::stdout().lock();
    writeln!(out, "{line}")?;
    out.flush()
}
