//! What robots.txt says, by host: fetched once a day, and for as many hosts as memory may hold.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

use fetcher::Robots;
use frontier::{CanonicalUrl, HostKey, Permission, Refused};
use outcome::{FailureKind, Refusal, RobotsRefusal};
use state::RobotsGate;

use crate::messages::RobotsAnswered;

/// robots.txt is asked for again after this time (RFC 9309 §2.4).
const ROBOTS_AGE_MAX: Duration = Duration::from_secs(24 * 3_600);

/// robots.txt of so many hosts are kept in memory; the oldest go first.
const ROBOTS_HOSTS_MAX: usize = 20_000;

/// Tries of an unreachable robots.txt before its host counts as closed.
const ROBOTS_TRIES_MAX: u32 = 4;

/// A host's robots.txt.
#[derive(Debug)]
struct Known {
    robots: Arc<Robots>,
    at: Instant,
    error: Option<(FailureKind, String)>,
    /// What came instead of rules, in words.
    answered: String,
}

/// What robots.txt says, by host.
#[derive(Debug)]
pub(crate) struct RobotsCache {
    agent: String,
    obey: bool,
    known: HashMap<HostKey, Known>,
    tries: HashMap<HostKey, u32>,
}

impl RobotsCache {
    /// An empty cache for our product token; with `obey` false everything is allowed.
    pub(crate) fn new(agent: &str, obey: bool) -> Self {
        Self {
            agent: agent.into(),
            obey,
            known: HashMap::new(),
            tries: HashMap::new(),
        }
    }

    /// Takes an answer in; gives the Crawl-delay it asks for. An unreachable robots.txt is tried
    /// again, since it closes the whole host.
    pub(crate) fn take(&mut self, answered: RobotsAnswered) -> Option<Duration> {
        let RobotsAnswered {
            host,
            robots,
            error,
            at,
            advice,
        } = answered;
        let unreachable = advice.status == 0 || advice.status >= 500 || advice.status == 429;
        if unreachable {
            let tries = self.tries.entry(host.clone()).or_default();
            *tries += 1;
            if *tries < ROBOTS_TRIES_MAX {
                return None;
            }
        }
        self.tries.remove(&host);
        self.make_room();
        let delay = robots.crawl_delay(&self.agent);
        let answered = match advice.status {
            status @ 200..300 => format!("the answer ({status}) broke off"),
            status => format!("the server answered {status}"),
        };
        let known = Known {
            robots,
            at,
            error,
            answered,
        };
        self.known.insert(host, known);
        delay
    }

    /// Forgets what is known of a host: it is asked again.
    pub(crate) fn forget(&mut self, host: &HostKey) {
        self.known.remove(host);
    }

    fn make_room(&mut self) {
        if self.known.len() >= ROBOTS_HOSTS_MAX {
            let mut ages: Vec<Instant> = self.known.values().map(|known| known.at).collect();
            let middle = ages.len() / 2;
            let (_, &mut median, _) = ages.select_nth_unstable(middle);
            self.known.retain(|_, known| known.at > median);
        }
    }
}

impl RobotsGate for RobotsCache {
    fn check(&mut self, host: &HostKey, url: &CanonicalUrl) -> Permission {
        if !self.obey {
            return Permission::Allowed;
        }
        self.check_at(host, url, Instant::now())
    }
}

impl RobotsCache {
    /// What robots.txt says of a URL at this time; unknown once it is too old.
    fn check_at(&self, host: &HostKey, url: &CanonicalUrl, now: Instant) -> Permission {
        let Some(known) = self.known.get(host) else {
            return Permission::Unknown;
        };
        if now.saturating_duration_since(known.at) > ROBOTS_AGE_MAX {
            return Permission::Unknown;
        }
        if let Some((failure, words)) = &known.error {
            return Permission::Refused(unreachable(failure, words));
        }
        let answer = known.robots.check(&self.agent, &url.to_url());
        let refusal = match (answer.allowed, answer.rule) {
            (true, _) => return Permission::Allowed,
            (false, Some(rule)) => RobotsRefusal::Rule {
                rule: rule.to_string(),
                line: answer.line.unwrap_or(0),
            },
            (false, None) => RobotsRefusal::Unavailable {
                answered: known.answered.clone(),
            },
        };
        Permission::Refused(Refused::Refusal(Refusal::Robots(refusal)))
    }
}

/// How a URL ends whose host could not be reached when robots.txt was asked for.
fn unreachable(failure: &FailureKind, words: &str) -> Refused {
    match failure {
        FailureKind::Guard => Refused::Refusal(Refusal::Guard(words.to_owned())),
        failure => Refused::Unreachable {
            failure: failure.clone(),
            detail: words.to_owned(),
        },
    }
}

#[cfg(test)]
mod tests {
    use frontier::HostAdvice;

    use super::*;

    /// A cache that was told at `at` what robots.txt of `a.example` says.
    fn tell(cache: &mut RobotsCache, text: &str, status: u16, at: Instant) {
        let advice = HostAdvice {
            status,
            ..HostAdvice::default()
        };
        cache.take(RobotsAnswered {
            host: url().host(),
            robots: Arc::new(Robots::parse(text.as_bytes())),
            error: None,
            at,
            advice,
        });
    }

    fn url() -> CanonicalUrl {
        CanonicalUrl::parse("http://a.example/news").expect("a URL")
    }

    fn cache() -> RobotsCache {
        RobotsCache::new("tamis", true)
    }

    #[test]
    fn a_robots_txt_holds_for_a_day_and_is_then_asked_for_again() {
        let mut cache = cache();
        let told = Instant::now();
        tell(&mut cache, "User-agent: *\nDisallow: /other\n", 200, told);
        let check = |cache: &RobotsCache, at| cache.check_at(&url().host(), &url(), at);
        assert_eq!(check(&cache, told + ROBOTS_AGE_MAX), Permission::Allowed);
        let later = told + ROBOTS_AGE_MAX + Duration::from_secs(1);
        assert_eq!(check(&cache, later), Permission::Unknown);
        // The host has changed its mind: what counts is the new file.
        tell(&mut cache, "User-agent: *\nDisallow: /news\n", 200, later);
        let Permission::Refused(Refused::Refusal(refused)) = check(&cache, later) else {
            panic!("it is disallowed");
        };
        let words = "Disallow: /news (robots.txt line 2)";
        assert_eq!(refused.detail().as_deref(), Some(words));
    }

    #[test]
    fn an_unreachable_robots_txt_is_tried_four_times_before_it_closes_its_host() {
        let mut cache = cache();
        let now = Instant::now();
        for _ in 1..ROBOTS_TRIES_MAX {
            tell(&mut cache, "", 503, now);
            assert_eq!(
                cache.check_at(&url().host(), &url(), now),
                Permission::Unknown
            );
        }
        tell(&mut cache, "", 503, now);
        assert_ne!(
            cache.check_at(&url().host(), &url(), now),
            Permission::Unknown
        );
    }

    #[test]
    fn beyond_the_bound_of_hosts_the_older_half_is_forgotten() {
        let mut cache = cache();
        let began = Instant::now();
        let host = |n: usize| HostKey::from_record(&format!("http://h{n}.example"));
        let robots = Arc::new(Robots::parse(b""));
        for n in 0..=ROBOTS_HOSTS_MAX {
            let advice = HostAdvice {
                status: 200,
                ..HostAdvice::default()
            };
            let at = began + Duration::from_millis(n as u64);
            cache.take(RobotsAnswered {
                host: host(n),
                robots: Arc::clone(&robots),
                error: None,
                at,
                advice,
            });
            assert!(cache.known.len() <= ROBOTS_HOSTS_MAX);
        }
        assert!(!cache.known.contains_key(&host(0)));
        assert!(cache.known.contains_key(&host(ROBOTS_HOSTS_MAX)));
    }
}
