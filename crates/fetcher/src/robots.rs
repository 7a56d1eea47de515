//! RFC 9309.
use std::time::Duration;
use url::Url;
/// A robots.txt.
#[derive(Debug, Clone, PartialEq)]
pub struct Robots {
    all: bool,
}
/// An answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RobotsAnswer {
    /// Whether the URL may be fetched.
    pub allowed: bool,
    /// The rule that decided, as written.
    pub rule: Option<String>,
    /// Its line, from 1.
    pub line: Option<u32>,
}
/// A group.
#[derive(Debug, Clone, PartialEq)]
pub struct RobotsGroup {
    /// Name.
    pub name: String,
    /// Rules.
    pub rules: Vec<RobotsRule>,
    /// Delay.
    pub crawl_delay: Option<Duration>,
}
/// A rule.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RobotsRule {
    /// Allow or disallow.
    pub allow: bool,
    /// The pattern as written.
    pub pattern: String,
    /// Line.
    pub line: u32,
}
impl Robots {
    /// Parses.
    pub fn parse(_bytes: &[u8]) -> Self {
        Self { all: true }
    }
    /// By status.
    pub fn for_status(status: u16) -> Option<Self> {
        match status {
            200..=299 => None,
            500.. => Some(Self::disallow_all()),
            _ => Some(Self::allow_all()),
        }
    }
    /// All allowed.
    pub fn allow_all() -> Self {
        Self { all: true }
    }
    /// All disallowed.
    pub fn disallow_all() -> Self {
        Self { all: false }
    }
    /// Checks.
    pub fn check(&self, _agent: &str, _url: &Url) -> RobotsAnswer {
        RobotsAnswer {
            allowed: self.all,
            rule: None,
            line: None,
        }
    }
    /// Delay.
    pub fn crawl_delay(&self, _agent: &str) -> Option<Duration> {
        None
    }
    /// Sitemaps.
    pub fn sitemaps(&self) -> &[String] {
        &[]
    }
    /// Group.
    pub fn group(&self, _agent: &str) -> Option<RobotsGroup> {
        None
    }
}
