//! A frontier of millions of waiting URLs: memory, time and bytes written.
//!
//! ```text
//! cargo run --release -p frontier --example scale -- DIR admit URLS HOSTS [FINISHED]
//! cargo run --release -p frontier --example scale -- DIR open
//! cargo run --release -p frontier --example scale -- DIR drain URLS
//! cargo run --release -p frontier --example scale -- DIR dead HOSTS
//! ```
//!
//! `admit` offers URLs of some 70 bytes with 40 bytes of context, then finishes so many of them;
//! `open` opens what is there; `drain` takes so many URLs out; `dead` lets so many hosts give no answer,
//! ends their URLs, and looks at hosts as a crawl does all the time. PENDING_IN_MEMORY in the environment
//! sets that bound. What is measured is printed: seconds, resident memory now and at its peak, the
//! directory's size, and the bytes this process has written.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use frontier::{
    CanonicalUrl, Frontier, FrontierConfig, FrontierUrl, Gate, HostAdvice, HostKey, Next,
    Permission,
};

type Outcome<T> = Result<T, Box<dyn std::error::Error>>;

/// URLs that are stored together, as by a crawl's writer.
const GROUP: u64 = 1_000;

struct Open;

impl Gate for Open {
    fn check(&mut self, _: &HostKey, _: &CanonicalUrl) -> Permission {
        Permission::Allowed
    }
}

fn main() -> Outcome<()> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let [dir, mode, numbers @ ..] = &args[..] else {
        return Err(
            "usage: scale DIR admit URLS HOSTS [FINISHED] | open | drain URLS | dead HOSTS".into(),
        );
    };
    let dir = PathBuf::from(dir);
    let number = |at: usize| numbers.get(at).map_or(Ok(0), |text| text.parse::<u64>());
    let (urls, hosts, finished) = (number(0)?, number(1)?, number(2)?);
    let began = Instant::now();
    let (mut frontier, opened) = Frontier::open(&dir, config()?, began)?;
    tell("opened", began, &dir)?;
    println!("{:?} {opened:?}", frontier.counts());
    match mode.as_str() {
        "admit" => {
            admit(&mut frontier, &dir, urls, hosts.max(1))?;
            drain(&mut frontier, &dir, finished)?;
        }
        "drain" => drain(&mut frontier, &dir, urls)?,
        "dead" => look_at_dead(&mut frontier, urls)?,
        _ => {}
    }
    let began = Instant::now();
    frontier.close()?;
    tell("closed", began, &dir)
}

fn config() -> Outcome<FrontierConfig> {
    let mut config = FrontierConfig {
        delay: Duration::ZERO,
        hosts_max: 10_000_000,
        urls_per_host: 0,
        ..FrontierConfig::default()
    };
    if let Ok(bound) = std::env::var("PENDING_IN_MEMORY") {
        config.pending_in_memory = bound.parse()?;
    }
    Ok(config)
}

fn url(number: u64, hosts: u64) -> Outcome<FrontierUrl> {
    let host = number % hosts;
    let text = format!(
        "https://host{host}.example{host}/section/{}/article-{number}-{}.html",
        number % 17,
        number.wrapping_mul(2_654_435_761) % 1_000_003
    );
    Ok(FrontierUrl {
        url: CanonicalUrl::parse(&text)?,
        depth: 1 + (number % 7) as u32,
        seed: 0,
        via: Some(number),
        priority: ((number * 7_919) % 1_000) as f32 / 1_000.0,
        context: vec![0; 40],
    })
}

fn admit(frontier: &mut Frontier, dir: &Path, urls: u64, hosts: u64) -> Outcome<()> {
    let step = (urls / 10).max(1);
    let mut began = Instant::now();
    let mut longest = Duration::ZERO;
    let before = frontier.counts().admitted;
    for number in before..before + urls {
        frontier.admit(url(number, hosts)?)?;
        if number % GROUP == 0 {
            let asked = Instant::now();
            frontier.apply(number + 1)?;
            longest = longest.max(asked.elapsed());
        }
        if (number + 1) % step == 0 {
            tell(&format!("{:>9} admitted", number + 1), began, dir)?;
            began = Instant::now();
        }
    }
    frontier.apply(before + urls)?;
    let ms = longest.as_millis();
    println!("{ms} ms to store a group, at the longest: whoever wants the queue waits so long");
    Ok(())
}

fn look_at_dead(frontier: &mut Frontier, hosts: u64) -> Outcome<()> {
    let mut now = Instant::now();
    for number in 0..hosts {
        frontier.admit(url(number, hosts)?)?;
    }
    let began = Instant::now();
    while let Next::Lease(lease) = frontier.next(now, &mut Open)? {
        now += Duration::from_millis(1);
        let failed = HostAdvice {
            failed: true,
            origin: lease.url().url.origin(),
            ..HostAdvice::default()
        };
        frontier.body_done(&lease.url().url.host(), now, &failed);
        frontier.settle(lease.finished())?;
    }
    let each = began.elapsed().as_secs_f64() * 1e6 / hosts as f64;
    frontier.admit(url(hosts, hosts + 1)?)?;
    let (looks, began) = (100, Instant::now());
    for _ in 0..looks {
        frontier.give_up_silent_hosts(now);
    }
    let look = began.elapsed().as_secs_f64() * 1e6 / f64::from(looks);
    let began = Instant::now();
    for _ in 0..looks {
        assert!(!frontier.hosts(20, now).is_empty());
    }
    let shown = began.elapsed().as_secs_f64() * 1e6 / f64::from(looks);
    println!(
        "{hosts} dead hosts: {each:.1} us each, {look:.1} us for a look at them, {shown:.1} us to show hosts"
    );
    Ok(())
}

fn drain(frontier: &mut Frontier, dir: &Path, urls: u64) -> Outcome<()> {
    let began = Instant::now();
    let (mut now, mut done) = (began, 0);
    let mut choosing = Duration::ZERO;
    let mut position = frontier.counts().admitted + frontier.counts().finished;
    while done < urls {
        now += Duration::from_secs(1);
        let asked = Instant::now();
        let next = frontier.next(now, &mut Open)?;
        choosing += asked.elapsed();
        match next {
            Next::Lease(lease) => {
                let host = lease.url().url.host();
                frontier.body_done(&host, now, &HostAdvice::default());
                frontier.settle(lease.finished())?;
                done += 1;
                if done % GROUP == 0 {
                    position += GROUP;
                    frontier.apply(position)?;
                }
            }
            Next::Drained => break,
            Next::WaitUntil(_) | Next::InFlight => {}
            other => return Err(format!("{other:?}").into()),
        }
    }
    frontier.apply(position + 1)?;
    if done > 0 {
        tell(&format!("{done:>9} finished"), began, dir)?;
        let each = choosing.as_secs_f64() * 1e6 / done as f64;
        println!("{each:.1} us to choose each of them, the rest to finish and store them");
    }
    Ok(())
}

fn tell(what: &str, began: Instant, dir: &Path) -> Outcome<()> {
    let status = std::fs::read_to_string("/proc/self/status")?;
    let io = std::fs::read_to_string("/proc/self/io")?;
    let of = |text: &str, name: &str| -> u64 {
        let line = text.lines().find_map(|line| line.strip_prefix(name));
        let word = line.and_then(|line| line.split_whitespace().next());
        word.and_then(|word| word.parse().ok()).unwrap_or(0)
    };
    println!(
        "{what}: {:.2} s, {} MB resident, {} MB at its peak, {} MB on disk, {} MB written",
        began.elapsed().as_secs_f64(),
        of(&status, "VmRSS:") >> 10,
        of(&status, "VmHWM:") >> 10,
        size_of(dir)? >> 20,
        of(&io, "wchar:") >> 20,
    );
    Ok(())
}

fn size_of(dir: &Path) -> Outcome<u64> {
    let mut bytes = 0;
    for entry in std::fs::read_dir(dir)? {
        let entry = entry?;
        let metadata = entry.metadata()?;
        bytes += if metadata.is_dir() {
            size_of(&entry.path())?
        } else {
            metadata.len()
        };
    }
    Ok(bytes)
}
