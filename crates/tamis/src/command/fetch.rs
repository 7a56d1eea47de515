//! `tamis fetch`: one polite fetch, by the code that the crawl uses.
//!
//! robots.txt is asked first, at every origin that a redirect leads to; the address guard, the
//! limits and the identification are the crawl's. Other commands that take a URL ask for it by
//! [`Asker`], too.

use std::collections::{HashMap, HashSet};
use std::time::Duration;

use fetcher::{
    Fetch, FetchError, FetchLimits, FetchRequest, Fetched, HttpConfig, HttpFetcher, Purpose,
    Robots, RobotsRuling, Truncated, body_type, follow,
};
use frontier::FrontierConfig;
use serde_json::json;
use sha2::{Digest, Sha256};
use url::Url;

use crate::clock;
use crate::command::typed_url;
use crate::exit::{Exit, usage};
use crate::output::Output;

/// Redirects of a robots.txt that are followed: RFC 9309 §2.3.1.2 asks for five.
const ROBOTS_REDIRECTS_MAX: u32 = 5;

/// Between two pages of one host at least, as in a crawl that says nothing else.
const DELAY: Duration = Duration::from_secs(1);

/// How what the address guard refuses begins.
const GUARD: &str = "guard: ";

/// Fetch one URL politely and tell what came back
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  \
    tamis fetch https://example.org/\n  \
    tamis fetch --json --max-body 100000 https://example.org/large")]
pub struct Args {
    /// The most bytes of a body, received and decoded; the rest is cut
    #[arg(long, value_name = "BYTES")]
    max_body: Option<u64>,
    #[command(flatten)]
    manner: Manner,
    /// Print the decoded body and nothing else
    #[arg(long, conflicts_with = "json")]
    body: bool,
    /// The absolute URL
    #[arg(value_parser = typed_url)]
    url: Url,
}

/// How the web is asked.
#[derive(Debug, Clone, clap::Args)]
pub(super) struct Manner {
    /// Reach private, loopback and link-local addresses, too
    #[arg(long)]
    allow_private: bool,
    /// An http, https, socks4 or socks5 proxy
    #[arg(long, value_name = "URL")]
    proxy: Option<Url>,
    /// How to reach you, a URL or a mail address, for the User-Agent
    #[arg(long, value_name = "CONTACT")]
    contact: Option<String>,
}

/// Where a fetch ended.
pub(super) struct Outcome {
    pub(super) last: Option<Fetched>,
    pub(super) final_url: Url,
    redirects: Vec<Url>,
    pub(super) error: Option<String>,
}

/// Asks for single URLs as a crawl does, each host at its pace.
pub(super) struct Asker {
    fetcher: HttpFetcher,
    /// What it calls itself, which robots.txt may address.
    agent: String,
    pub(super) limits: FetchLimits,
    runtime: tokio::runtime::Runtime,
    allow_private: bool,
    /// The robots.txt of each origin.
    known: HashMap<String, Robots>,
    /// The hosts that were asked for a page.
    asked: HashSet<String>,
}

/// Fetches the URL.
pub fn run(args: &Args, output: &Output) -> anyhow::Result<Exit> {
    let mut limits = FetchLimits::default();
    if let Some(bytes) = args.max_body {
        limits.body_bytes_max = bytes;
        limits.decoded_bytes_max = bytes;
    }
    let mut asker = Asker::new(&args.manner, limits)?;
    let outcome = asker.ask(&args.url);
    print(args, &outcome, &asker.limits, output)
}

impl Asker {
    /// Whoever asks for one URL wants what is there: a file may be as large as a page.
    pub(super) fn new(manner: &Manner, mut limits: FetchLimits) -> anyhow::Result<Asker> {
        limits.file_bytes_max = limits.body_bytes_max;
        let config = HttpConfig {
            contact: manner.contact.clone(),
            limits: limits.clone(),
            proxy: manner.proxy.clone(),
            allow_private: manner.allow_private,
            ..HttpConfig::default()
        };
        let agent = config.user_agent.clone();
        let fetcher = HttpFetcher::new(config).map_err(|error| usage(format!("cannot {error}")))?;
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()?;
        Ok(Asker {
            fetcher,
            agent,
            limits,
            runtime,
            allow_private: manner.allow_private,
            known: HashMap::new(),
            asked: HashSet::new(),
        })
    }

    /// Fetches a URL hop by hop, each after its host's delay where the host was asked before.
    pub(super) fn ask(&mut self, url: &Url) -> Outcome {
        let mut manners = Manners {
            fetcher: &self.fetcher,
            agent: &self.agent,
            limits: &self.limits,
            known: &mut self.known,
            asked: &mut self.asked,
        };
        let mut outcome = self.runtime.block_on(manners.fetch(url));
        if !self.allow_private
            && let Some(error) = outcome.error.as_mut()
            && error.starts_with(GUARD)
        {
            error.push_str("; to fetch from private and loopback addresses give --allow-private");
        }
        outcome
    }
}

/// What one fetch keeps to.
struct Manners<'a> {
    fetcher: &'a HttpFetcher,
    agent: &'a str,
    limits: &'a FetchLimits,
    known: &'a mut HashMap<String, Robots>,
    asked: &'a mut HashSet<String>,
}

impl Manners<'_> {
    /// Fetches hop by hop, asking each origin's robots.txt first.
    async fn fetch(&mut self, url: &Url) -> Outcome {
        let mut outcome = Outcome {
            last: None,
            final_url: url.clone(),
            redirects: Vec::new(),
            error: None,
        };
        loop {
            let url = outcome.final_url.clone();
            if let Err(refusal) = self.ask_robots(&url).await {
                outcome.error = Some(refusal);
                return outcome;
            }
            self.wait(&url).await;
            let fetched = match self.fetcher.fetch(FetchRequest::page(url.clone())).await {
                Ok(fetched) => fetched,
                Err(error) => {
                    outcome.error = Some(told(&error));
                    return outcome;
                }
            };
            let next = fetched.location();
            outcome.last = Some(fetched);
            let Some(next) = next else { return outcome };
            let redirects_max = self.limits.redirects_max;
            let refusal = if !matches!(next.scheme(), "http" | "https") {
                Some(format!("redirect_refused: to another scheme: {next}"))
            } else if next == url || outcome.redirects.contains(&next) {
                Some(format!("redirect_loop: back to {next}"))
            } else if outcome.redirects.len() >= redirects_max as usize {
                Some(format!("too_many_redirects: more than {redirects_max}"))
            } else {
                None
            };
            if refusal.is_some() {
                outcome.error = refusal;
                return outcome;
            }
            outcome.redirects.push(url);
            outcome.final_url = next;
        }
    }

    /// Waits for a host's delay, where it was asked for a page before; for no longer than a crawl would that
    /// says nothing else.
    async fn wait(&mut self, url: &Url) {
        let host = url.host_str().unwrap_or_default().to_owned();
        if self.asked.insert(host) {
            return;
        }
        let robots = self.known.get(&url.origin().ascii_serialization());
        let asked_for = robots.and_then(|robots| robots.crawl_delay(self.agent));
        let longest = FrontierConfig::default().crawl_delay_max;
        let delay = asked_for.unwrap_or_default().min(longest).max(DELAY);
        tokio::time::sleep(delay).await;
    }

    /// Whether robots.txt of the URL's origin lets us fetch it.
    async fn ask_robots(&mut self, url: &Url) -> Result<(), String> {
        let origin = url.origin().ascii_serialization();
        if !self.known.contains_key(&origin) {
            let robots = match url.join("/robots.txt") {
                Ok(robots_url) => self.read_robots(robots_url).await?,
                // Not a URL with a path; the fetch itself will say what is wrong with it.
                Err(_) => Robots::allow_all(),
            };
            self.known.insert(origin.clone(), robots);
        }
        let answer = self.known[&origin].check(self.agent, url);
        match (answer.allowed, answer.rule, answer.line) {
            (true, _, _) => Ok(()),
            (false, Some(rule), Some(line)) => Err(format!("robots: line {line}: {rule}")),
            (false, _, _) => {
                Err("robots: robots.txt cannot be reached (RFC 9309 2.3.1.4)".to_owned())
            }
        }
    }

    /// The rules that a crawl would obey; an error where it would ask for nothing until it has them.
    async fn read_robots(&self, url: Url) -> Result<Robots, String> {
        let request = FetchRequest::new(url, Purpose::Robots);
        let answer = follow(self.fetcher, request, ROBOTS_REDIRECTS_MAX).await;
        let answer = answer.result;
        let status = match &answer {
            Ok(fetched) => fetched.status,
            // Not reachable at all: the page will not be either, and its error says more.
            Err(error) => return Err(told(error)),
        };
        let (robots, ruling) = Robots::of_answer(&answer, self.limits);
        match ruling {
            RobotsRuling::Parsed | RobotsRuling::AllowAll | RobotsRuling::DisallowAll => Ok(robots),
            RobotsRuling::Outage if (200..300).contains(&status) => {
                Err("robots: robots.txt broke off; its rules are not known".to_owned())
            }
            RobotsRuling::Outage => Err(format!(
                "robots: robots.txt was answered with {status}; its rules are not known"
            )),
        }
    }
}

/// An error behind its name, which some say themselves.
fn told(error: &FetchError) -> String {
    let (name, words) = (error.name(), error.to_string());
    match words.strip_prefix(name) {
        Some(rest) if rest.starts_with(':') => words,
        Some(_) | None => format!("{name}: {words}"),
    }
}

fn print(
    args: &Args,
    outcome: &Outcome,
    limits: &FetchLimits,
    output: &Output,
) -> anyhow::Result<Exit> {
    let exit = match &outcome.error {
        Some(_) => Exit::Problem,
        None => Exit::Done,
    };
    let last = outcome.last.as_ref();
    let decoding = last
        .map(|fetched| fetched.decoded(limits))
        .unwrap_or_default();
    let declared = last.and_then(Fetched::content_type);
    let content_type = last.map(|_| body_type(declared.as_deref(), &decoding.bytes));
    let truncated = last
        .and_then(|fetched| fetched.truncated)
        .map(|t| Truncated::name(t).to_owned())
        .or_else(|| decoding.stopped.clone());
    let retry_after = last
        .and_then(|fetched| fetched.retry_after(clock::now()))
        .map(|wait| wait.as_secs());
    let digest: String = Sha256::digest(&decoding.bytes)
        .iter()
        .map(|byte| format!("{byte:02x}"))
        .collect();
    if output.json {
        output.value(&json!({
            "url": args.url,
            "final_url": outcome.final_url,
            "status": last.map(|fetched| fetched.status),
            "http_version": last.map(|fetched| fetched.http_version),
            "content_type": content_type,
            "body_len": decoding.bytes.len(),
            "body_sha256": digest,
            "truncated": truncated,
            "retry_after": retry_after,
            "redirects": outcome.redirects,
            "error": outcome.error,
        }))?;
        return Ok(exit);
    }
    if args.body {
        std::io::Write::write_all(&mut *output.stream(), &decoding.bytes)?;
    } else if let Some(fetched) = last {
        for hop in &outcome.redirects {
            output.line(format!("redirected by {hop}"))?;
        }
        output.line(format!(
            "{} {} {}",
            fetched.http_version, fetched.status, fetched.url
        ))?;
        output.line(format!(
            "{}, {} bytes received, {} decoded, {} ms",
            content_type.unwrap_or_default(),
            fetched.body.len(),
            decoding.bytes.len(),
            fetched.total.as_millis()
        ))?;
        output.line(format!("sha256 {digest}"))?;
    }
    if let Some(why) = truncated {
        output.say(format!("the body is not whole: {why}"));
    }
    if let Some(seconds) = retry_after {
        output.say(format!("the server asks to come back after {seconds} s"));
    }
    if let Some(error) = &outcome.error {
        output.error(error);
    }
    Ok(exit)
}
