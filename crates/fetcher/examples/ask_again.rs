//! What requests cost by themselves: asks for each URL of a list, then for each once more with the
//! validator that it was answered with, and prints what the second pass took.
//!
//! `cargo run --release -p fetcher --example ask_again -- URLS [AT_ONCE]`; see `bench/unchanged.py`.

use std::error::Error;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use fetcher::{Fetch, FetchRequest, HttpConfig, HttpFetcher, Purpose};
use tokio::task::JoinSet;

/// CPU time of this process in seconds: of all its threads, in the kernel and outside.
fn cpu_seconds() -> Result<f64, Box<dyn Error>> {
    let stat = std::fs::read_to_string("/proc/self/stat")?;
    let fields = stat.rsplit(')').next().unwrap_or_default();
    let mut fields = fields.split_whitespace().skip(11);
    let mut ticks = || -> Result<f64, Box<dyn Error>> {
        Ok(fields
            .next()
            .ok_or("no times in /proc/self/stat")?
            .parse()?)
    };
    Ok((ticks()? + ticks()?) / 100.0)
}

async fn pass(
    fetcher: &Arc<HttpFetcher>,
    urls: &Arc<Vec<(url::Url, Option<String>)>>,
    at_once: usize,
) -> Vec<(usize, u16, Option<String>)> {
    let next = Arc::new(AtomicUsize::new(0));
    let mut tasks = JoinSet::new();
    for _ in 0..at_once {
        let (fetcher, urls, next) = (Arc::clone(fetcher), Arc::clone(urls), Arc::clone(&next));
        tasks.spawn(async move {
            let mut answers = Vec::new();
            loop {
                let at = next.fetch_add(1, Ordering::Relaxed);
                let Some((url, etag)) = urls.get(at) else {
                    return answers;
                };
                let mut request = FetchRequest::new(url.clone(), Purpose::Page);
                request.if_none_match.clone_from(etag);
                let (status, etag) = match fetcher.fetch(request).await {
                    Ok(fetched) => {
                        let etag = fetched.header("etag").map(str::to_owned);
                        (fetched.status, etag)
                    }
                    Err(_) => (0, None),
                };
                answers.push((at, status, etag));
            }
        });
    }
    tasks.join_all().await.into_iter().flatten().collect()
}

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let list = arguments.next().ok_or("usage: ask_again URLS [AT_ONCE]")?;
    let at_once = arguments.next().map_or(Ok(8), |count| count.parse())?;
    let urls: Result<Vec<url::Url>, _> = std::fs::read_to_string(list)?
        .lines()
        .map(url::Url::parse)
        .collect();
    let mut urls: Vec<(url::Url, Option<String>)> =
        urls?.into_iter().map(|url| (url, None)).collect();
    let fetcher = Arc::new(HttpFetcher::new(HttpConfig {
        allow_private: true,
        ..HttpConfig::default()
    })?);
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()?;
    let first = runtime.block_on(pass(&fetcher, &Arc::new(urls.clone()), at_once));
    for (at, _, etag) in first {
        urls[at].1 = etag;
    }
    let began = cpu_seconds()?;
    let second = runtime.block_on(pass(&fetcher, &Arc::new(urls), at_once));
    let took = cpu_seconds()? - began;
    let unchanged = second
        .iter()
        .filter(|(_, status, _)| *status == 304)
        .count();
    println!("{} {unchanged} {took:.3}", second.len());
    Ok(())
}
