//! An answer to robots.txt on its way to the readers, who make rules of it: a body is decoded and parsed on the
//! CPU pool, within the crawl's limits, and once, however many hosts were led to it.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, OnceLock};

use fetcher::{FetchLimits, Robots, RobotsRuling};
use frontier::HostKey;
use outcome::RobotsAnswer;
use state::Answer;
use state::finding::RobotsFinding;

use crate::messages::RobotsOwner;

/// What an answer says, once somebody has read it.
type Said = Arc<OnceLock<(Arc<Robots>, RobotsAnswer)>>;

/// Who answered those whose robots.txt it is.
#[derive(Debug)]
pub(crate) struct RobotsAnswered {
    host: HostKey,
    origin: String,
    said: Said,
}

/// The answer to one of them.
#[derive(Debug)]
pub(crate) struct RobotsVisit {
    owner: RobotsOwner,
    answered_by: HostKey,
    answered_at: String,
    answer: Answer,
    said: Said,
}

impl RobotsAnswered {
    /// An answer of this host, at this scheme and authority.
    pub(crate) fn new(host: HostKey, origin: String) -> Self {
        Self {
            host,
            origin,
            said: Said::default(),
        }
    }

    /// The answer to one whose robots.txt it is.
    pub(crate) fn visit(&self, owner: RobotsOwner, answer: Answer) -> RobotsVisit {
        RobotsVisit {
            owner,
            answered_by: self.host.clone(),
            answered_at: self.origin.clone(),
            answer,
            said: Arc::clone(&self.said),
        }
    }
}

impl RobotsVisit {
    /// Reads the answer, unless that was done for another of those whose robots.txt it is.
    pub(crate) fn read(self, limits: &FetchLimits) -> RobotsFinding {
        let read = || read(&self.answer, limits);
        let (robots, rules) = self.said.get_or_init(read).clone();
        RobotsFinding {
            host: self.owner.host,
            origin: self.owner.origin,
            answered_by: self.answered_by,
            answered_at: self.answered_at,
            answer: self.answer,
            robots,
            rules,
        }
    }
}

fn read(answer: &Answer, limits: &FetchLimits) -> (Arc<Robots>, RobotsAnswer) {
    // One file costs one host, even if it finds a fault in a parser.
    let read = AssertUnwindSafe(|| Robots::of_answer(&answer.fetched, limits));
    let (robots, ruling) =
        catch_unwind(read).unwrap_or_else(|_| (Robots::disallow_all(), RobotsRuling::DisallowAll));
    let rules = match ruling {
        RobotsRuling::Parsed => RobotsAnswer::Parsed,
        RobotsRuling::AllowAll => RobotsAnswer::AllowAll,
        RobotsRuling::DisallowAll => RobotsAnswer::DisallowAll,
        RobotsRuling::Outage => RobotsAnswer::Outage,
    };
    (Arc::new(robots), rules)
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use fetcher::Fetched;

    use super::*;

    #[test]
    fn an_answer_is_read_once_for_all_whose_robots_txt_it_is() {
        let url = url::Url::parse("http://a.example/robots.txt").expect("a URL");
        let file = "User-agent: *\nDisallow: /x\n";
        let host = || HostKey::from_record("a.example");
        let answered = RobotsAnswered::new(host(), "http://a.example".into());
        let answer = Answer {
            fetched: Ok(Fetched::new(url.clone(), 200, Vec::new(), file)),
            started_ms: 0,
            took: Duration::ZERO,
        };
        let visit = || {
            let owner = RobotsOwner {
                host: host(),
                origin: "http://a.example".into(),
                hops: 0,
            };
            answered.visit(owner, answer.clone())
        };
        let limits = FetchLimits::default();
        let (first, second) = (visit().read(&limits), visit().read(&limits));
        let x = url.join("/x").expect("a URL");
        assert!(!first.robots.check("tamis", &x).allowed);
        assert!(Arc::ptr_eq(&first.robots, &second.robots));
        assert_eq!(first.rules, RobotsAnswer::Parsed);
    }
}
