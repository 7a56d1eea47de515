//! Why a crawl took as long as it did.
//!
//! A polite crawl is bound by its hosts: a host with a thousand pages and a delay of one second
//! takes a thousand seconds, whatever the machine. So the time a host must have taken is its
//! fetches times the larger of delay and response time, and the hosts that come near the
//! crawl's whole duration are the answer.

use serde::{Deserialize, Serialize};

use crate::delays::{Delay, Delays};
use crate::hosts::{HostTally, OTHERS};
use crate::words;

/// Answers at most.
const REASONS_MAX: usize = 5;

/// One thing that the crawl waited for.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Slowness {
    /// The host.
    pub host: String,
    /// `crawl_delay` (robots.txt's), `delay` (ours), `response_time` or `retry_after`.
    pub cause: String,
    /// Seconds that it accounts for.
    pub seconds: f64,
    /// Share of the crawl's duration, 0.0 to 1.0.
    pub share: f64,
    /// The same in words.
    pub text: String,
}

/// What the crawl waited for, the longest first; nothing below a tenth of the duration.
pub(crate) fn why_slow(hosts: &[HostTally], delays: &Delays, duration_s: f64) -> Vec<Slowness> {
    if duration_s <= 0.0 {
        return Vec::new();
    }
    let own = hosts.iter().filter(|host| host.name != OTHERS);
    let mut all: Vec<Slowness> = own.flat_map(|host| host_waits(host, delays)).collect();
    for wait in &mut all {
        wait.share = (wait.seconds / duration_s).min(1.0);
    }
    all.retain(|wait| wait.share >= 0.1);
    all.sort_by(|a, b| {
        b.seconds
            .total_cmp(&a.seconds)
            .then_with(|| a.host.cmp(&b.host))
    });
    all.truncate(REASONS_MAX);
    all
}

fn host_waits(host: &HostTally, delays: &Delays) -> Vec<Slowness> {
    let fetches = host.ms.distribution();
    let times = words::plural(fetches.count, "fetch", "fetches");
    let name = &host.name;
    let Delay {
        seconds: delay,
        is_asked_for,
    } = delays.of(name, host.crawl_delay_s);
    let mean_s = fetches.mean / 1000.0;
    let between = fetches.count.saturating_sub(1) as f64 * delay;
    let mut waits = Vec::new();
    let mut wait = |cause: &str, seconds: f64, text: String| {
        waits.push(Slowness {
            host: name.clone(),
            cause: cause.to_owned(),
            seconds,
            share: 0.0,
            text,
        });
    };
    if between > 0.0 {
        let (cause, whose) = match is_asked_for {
            true => ("crawl_delay", "its robots.txt asks for"),
            false => ("delay", "we keep"),
        };
        let text = format!(
            "{name}: {times}, and {} between two that {whose}: at least {}",
            words::duration(delay),
            words::duration(between)
        );
        wait(cause, between, text);
    }
    if mean_s > delay.max(0.5) {
        let seconds = fetches.count as f64 * mean_s;
        let text = format!(
            "{name}: answers take {} on average, {} for {times}",
            words::duration(mean_s),
            words::duration(seconds)
        );
        wait("response_time", seconds, text);
    }
    if host.retry_after_s > 0.0 {
        let text = format!(
            "{name}: asked us to come back later (Retry-After), {} in all",
            words::duration(host.retry_after_s)
        );
        wait("retry_after", host.retry_after_s, text);
    }
    waits
}
