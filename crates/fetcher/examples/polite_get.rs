//! `cargo run -p fetcher --example polite_get -- URL`; without a URL it asks a server on loopback.
use fetcher::{Fetch, FetchLimits, FetchRequest, HttpConfig, HttpFetcher, Purpose, Robots};
use std::{io::Read, io::Write, net::TcpListener};

const HELLO: &[u8] = b"HTTP/1.1 200 OK\r\n\r\nhello";
#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let url: url::Url = std::env::args().nth(1).unwrap_or_else(serve).parse()?;
    let mut config = HttpConfig::with_contact("https://example.org/crawler");
    config.allow_private = url.host_str() == Some("127.0.0.1");
    let fetcher = HttpFetcher::new(config)?;
    let file = FetchRequest::new(url.join("/robots.txt")?, Purpose::Robots);
    let (robots, _) = Robots::of_answer(&fetcher.fetch(file).await, &FetchLimits::default());
    if robots.check("tamis", &url).allowed {
        let page = fetcher.fetch(FetchRequest::page(url)).await?;
        println!("{} {} {:?}", page.status, page.url, page.body);
    }
    Ok(())
}
fn serve() -> String {
    let server = TcpListener::bind("127.0.0.1:0").expect("a free port");
    let url = format!("http://{}/", server.local_addr().expect("an address"));
    std::thread::spawn(move || {
        for mut stream in server.incoming().flatten() {
            let _ = (stream.read(&mut [0; 4096]), stream.write_all(HELLO));
        }
    });
    url
}
