//! In which order are pages asked for, and when? `cargo run -p frontier --example order`
use std::time::{Duration, Instant};

use frontier::*;

struct EverythingAllowed;
impl Gate for EverythingAllowed {
    fn check(&mut self, _: &HostKey, _: &CanonicalUrl) -> Permission {
        Permission::Allowed
    }
}

pub(crate) fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut now = Instant::now();
    let (start, mut frontier) = (now, Frontier::in_memory(FrontierConfig::default(), now));
    for url in ["http://a.test/1", "http://a.test/2", "http://b.test/1"] {
        frontier.admit(FrontierUrl::seed(CanonicalUrl::parse(url)?, 0))?;
    }
    while frontier.counts().pending > 0 {
        match frontier.next(now, &mut EverythingAllowed)? {
            Next::Lease(lease) => {
                println!("{:?} {}", now - start, lease.url().url);
                frontier.body_done(&lease.url().url.host(), now, &HostAdvice::default());
                frontier.settle(lease.finished())?;
            }
            _ => now += Duration::from_millis(100), // until a host has rested
        }
    }
    Ok(())
}
