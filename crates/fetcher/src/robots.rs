//! Parsing robots.txt by RFC 9309: whether a URL may be fetched, and which line decides it.
//!
//! ```text
//! User-agent: a     ┐ names          A group is one or more names and the rules after them.
//! User-agent: b     ┘      ┐ group   All groups of one name are merged; a crawler obeys the
//! Disallow: /x             ┘         groups of its own name, else those of `*`, else nothing.
//! Crawl-delay: 5                     Of the rules that match, the longest decides; of two
//! Sitemap: https://…                 equally long ones, Allow.
//! ```
//!
//! Where crawlers differ, the RFC is followed. A name ends before the first character that is not a
//! letter, digit, `_` or `-`, and is compared as a whole, without case. (The RFC's grammar has no digits,
//! but names in use have them.) Rules before the first name and lines without a colon are ignored.
//! `Crawl-delay` is not in the RFC; it is read as Bing and Yandex document it. What an answer says that is no
//! file stands in `robots/answer.rs`.
//!
//! The file may be hostile: at most [`BYTES_MAX`] are read, parsing takes no more than sorting them, and
//! the work of a check is bounded whatever the rules and the URL (see `robots/rules.rs`).

mod answer;
mod pattern;
mod rules;

use std::collections::HashMap;
use std::time::Duration;

use url::Url;

pub use self::answer::RobotsRuling;
use self::pattern::{Pattern, normalize_path};
use self::rules::{Asked, Rules};

/// The bytes of a file that are read: RFC 9309 §2.5 asks for at least 500 KiB. The line that is cut there
/// is ignored, since half an `Allow` could permit what the whole line does not.
pub const BYTES_MAX: usize = 500 * 1024;

/// The most Sitemap lines that are kept.
const SITEMAPS_MAX: usize = 1_000;

/// Preferences of use that are kept of one group, and the bytes of one.
const USAGE_MAX: usize = 8;
const USAGE_BYTES_MAX: usize = 200;

/// The rules of one origin.
///
/// ```
/// use fetcher::Robots;
/// let robots = Robots::parse(b"User-agent: *\nDisallow: /private\nCrawl-delay: 5\n");
/// let url = url::Url::parse("https://example.org/private/x").unwrap();
/// let answer = robots.check("tamis", &url);
/// assert!(!answer.allowed);
/// assert_eq!((answer.rule.as_deref(), answer.line), (Some("Disallow: /private"), Some(2)));
/// assert_eq!(robots.crawl_delay("tamis").unwrap().as_secs(), 5);
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Robots {
    /// Set if there is no file: everything is allowed, or nothing.
    blanket: Option<bool>,
    /// Each with its rules.
    groups: Vec<Rules>,
    delays: Vec<Option<Duration>>,
    /// What the texts may be used for, by the same numbers as the delays.
    usages: Vec<Vec<String>>,
    /// Names in lower case, and `*`.
    agents: HashMap<Box<str>, AgentGroups>,
    sitemaps: Vec<String>,
}

/// The groups that bear one name.
#[derive(Debug, Clone, PartialEq, Default)]
struct AgentGroups {
    rules: Vec<u32>,
    delays: Vec<u32>,
}

#[derive(Debug, Clone, PartialEq)]
struct Rule {
    pattern: Pattern,
    allow: bool,
    line: u32,
    raw: Box<[u8]>,
}

/// Whether a URL may be fetched, and why.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RobotsAnswer {
    /// Whether it may be fetched.
    pub allowed: bool,
    /// The rule that decided, e.g. `Disallow: /private`; `None` when no rule matched.
    pub rule: Option<String>,
    /// That rule's line in the file, from 1.
    pub line: Option<u32>,
}

/// The rules for one crawler: its groups, merged.
#[derive(Debug, Clone, PartialEq)]
pub struct RobotsGroup {
    /// The name that matched, in lower case, or `*`.
    pub name: String,
    /// The rules, in the order of the file.
    pub rules: Vec<RobotsRule>,
    /// The time between requests that the file asks for, as written; the caller must bound it.
    pub crawl_delay: Option<Duration>,
}

/// One rule.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RobotsRule {
    /// Whether it allows or disallows.
    pub allow: bool,
    /// The pattern as written; bytes that are not UTF-8 are replaced.
    pub pattern: String,
    /// Its line in the file, from 1.
    pub line: u32,
}

impl Robots {
    /// Parses a file. Never fails: lines that are not understood are ignored.
    /// One in UTF-16 with a byte order mark, as some editors save it, is read as what it says.
    pub fn parse(bytes: &[u8]) -> Self {
        match utf16(bytes) {
            Some(text) => Parser::default().run(text.as_bytes()),
            None => Parser::default().run(bytes),
        }
    }

    /// Parses the beginning of a file of which the rest is missing. Its last line may be incomplete and
    /// is ignored: half an `Allow` could permit what the whole line does not.
    pub fn parse_beginning(bytes: &[u8]) -> Self {
        match utf16(bytes) {
            Some(text) => Parser::default().run(whole_lines(text.as_bytes())),
            None => Self::parse(whole_lines(bytes)),
        }
    }

    /// The rules of one crawler as lines, each with its number in the file: `3 Disallow: /x`. They are
    /// a small part of most files, and say the same of every URL.
    ///
    /// ```
    /// use fetcher::Robots;
    /// let robots = Robots::parse(b"User-agent: a\nDisallow: /\nUser-agent: *\nDisallow: /x\n");
    /// let lines = robots.lines_for("tamis");
    /// assert_eq!(lines, ["4 Disallow: /x"]);
    /// let url = url::Url::parse("http://a.example/x").unwrap();
    /// assert_eq!(Robots::of_lines(&lines).check("tamis", &url), robots.check("tamis", &url));
    /// ```
    pub fn lines_for(&self, agent: &str) -> Vec<String> {
        let mut rules = self.rules_for(agent);
        rules.sort_by_key(|rule| rule.line);
        rules.dedup();
        let lines = rules.into_iter().map(|rule| {
            let word = if rule.allow { "Allow" } else { "Disallow" };
            // Escaped or not, a byte beyond ASCII means the same in a pattern (RFC 9309 §2.2.2).
            let pattern = match std::str::from_utf8(&rule.raw) {
                Ok(pattern) => pattern.to_owned(),
                Err(_) => crate::fetch::escape_high(&rule.raw),
            };
            format!("{} {word}: {pattern}", rule.line)
        });
        lines.collect()
    }

    /// The rules that [`Robots::lines_for`] wrote down, for every crawler. Other lines are ignored.
    pub fn of_lines(lines: &[String]) -> Self {
        let mut parser = Parser::default();
        parser.name(b"*");
        for line in lines {
            let (number, line) = line.split_once(' ').unwrap_or_default();
            let number = number.parse().unwrap_or(0);
            // What is no rule was not written by us.
            if !line.starts_with("User-agent") {
                parser.line(number, line.as_bytes());
            }
        }
        parser.end()
    }

    /// Everything is allowed: there is no file.
    pub fn allow_all() -> Self {
        Self::blanket(true)
    }

    /// Nothing is allowed: the file is unreachable (RFC 9309 §2.3.1.4).
    pub fn disallow_all() -> Self {
        Self::blanket(false)
    }

    fn blanket(allowed: bool) -> Self {
        Self {
            blanket: Some(allowed),
            groups: Vec::new(),
            delays: Vec::new(),
            usages: Vec::new(),
            agents: HashMap::new(),
            sitemaps: Vec::new(),
        }
    }

    /// Whether `agent` (a product token such as `tamis`, or a whole User-Agent) may fetch the URL.
    /// `/robots.txt` itself may always be fetched.
    pub fn check(&self, agent: &str, url: &Url) -> RobotsAnswer {
        let silent = |allowed| RobotsAnswer {
            allowed,
            rule: None,
            line: None,
        };
        if url.path() == "/robots.txt" {
            return silent(true);
        }
        if let Some(allowed) = self.blanket {
            return silent(allowed);
        }
        let Some((_, groups)) = self.agent_groups(agent) else {
            return silent(true);
        };
        let path = match url.query() {
            Some(query) => normalize_path(&format!("{}?{query}", url.path())),
            None => normalize_path(url.path()),
        };
        let mut asked = Asked::new(&path);
        let best = groups
            .iter()
            .flat_map(|g| &g.rules)
            .fold(None, |best, group| {
                self.groups[*group as usize].decide(&mut asked, best)
            });
        match best {
            Some(rule) => RobotsAnswer {
                allowed: rule.allow,
                rule: Some(rule.text()),
                line: Some(rule.line),
            },
            None => silent(true),
        }
    }

    /// The Crawl-delay for `agent`, as written; the longest if there are several.
    pub fn crawl_delay(&self, agent: &str) -> Option<Duration> {
        let (_, groups) = self.agent_groups(agent)?;
        self.longest_delay(&groups)
    }

    /// What the texts may be used for, as the groups of `agent` say: `content-usage: train-ai=n` (the
    /// IETF's AIPREF), `content-signal: search=yes` (Cloudflare). At most 8 for a group, each once.
    ///
    /// ```
    /// use fetcher::Robots;
    /// let robots = Robots::parse(b"User-agent: *\nContent-Signal: search=yes, ai-train=no\nAllow: /\n");
    /// assert_eq!(robots.usage("tamis"), ["content-signal: search=yes, ai-train=no"]);
    /// ```
    pub fn usage(&self, agent: &str) -> Vec<String> {
        let groups = self.agent_groups(agent).map(|(_, groups)| groups);
        let groups = groups.into_iter().flatten().flat_map(|group| &group.delays);
        let mut said: Vec<String> = Vec::new();
        for usage in groups.flat_map(|group| &self.usages[*group as usize]) {
            if !said.contains(usage) {
                said.push(usage.clone());
            }
        }
        said.truncate(USAGE_MAX);
        said
    }

    /// With sitemaps that are named without their host, `Sitemap: /s.xml`, as URLs of the place where the file is.
    /// RFC 9309 §2.2.4 leaves the line to others, and sitemaps.org asks for whole URLs; crawlers read both.
    ///
    /// ```
    /// use fetcher::Robots;
    /// let url = url::Url::parse("https://a.example/robots.txt").unwrap();
    /// let robots = Robots::parse(b"Sitemap: /s.xml").at(&url);
    /// assert_eq!(robots.sitemaps(), ["https://a.example/s.xml"]);
    /// ```
    #[must_use]
    pub fn at(mut self, url: &Url) -> Self {
        for sitemap in &mut self.sitemaps {
            // A host without a scheme before it would be taken for a path.
            let is_path = sitemap.starts_with('/') || !sitemap.contains('/');
            let is_relative = Url::parse(sitemap) == Err(url::ParseError::RelativeUrlWithoutBase);
            if is_path
                && is_relative
                && let Some(whole) = weburl::resolve(url, sitemap)
            {
                *sitemap = whole.into();
            }
        }
        self
    }

    /// The Sitemap lines, in order, without repetitions: as written, or as [`Robots::at`] made them.
    pub fn sitemaps(&self) -> &[String] {
        &self.sitemaps
    }

    /// The rules for `agent`, merged from all its groups; `None` if no group is for it.
    pub fn group(&self, agent: &str) -> Option<RobotsGroup> {
        let (name, groups) = self.agent_groups(agent)?;
        let mut rules: Vec<RobotsRule> = self
            .rules_for(agent)
            .into_iter()
            .map(|rule| RobotsRule {
                allow: rule.allow,
                pattern: String::from_utf8_lossy(&rule.raw).into_owned(),
                line: rule.line,
            })
            .collect();
        rules.sort_by_key(|rule| rule.line);
        rules.dedup();
        Some(RobotsGroup {
            name,
            rules,
            crawl_delay: self.longest_delay(&groups),
        })
    }

    /// The rules for an agent, in no order.
    fn rules_for(&self, agent: &str) -> Vec<&Rule> {
        let groups = self.agent_groups(agent).map(|(_, groups)| groups);
        let groups = groups.into_iter().flatten().flat_map(|g| &g.rules);
        groups
            .flat_map(|group| self.groups[*group as usize].iter())
            .collect()
    }

    fn longest_delay(&self, groups: &[&AgentGroups]) -> Option<Duration> {
        groups
            .iter()
            .flat_map(|g| &g.delays)
            .filter_map(|delay| self.delays[*delay as usize])
            .max()
    }

    /// The groups for an agent: those of its product tokens, else those of `*`.
    fn agent_groups(&self, agent: &str) -> Option<(String, Vec<&AgentGroups>)> {
        let mut found = Vec::new();
        let mut name = String::new();
        // A whole User-Agent may contain several products; a group may be for any of them.
        for word in agent.split([' ', ';', '(', ')', ',']).take(32) {
            let token = product_token(word.as_bytes());
            if let Some((key, groups)) = self.agents.get_key_value(token.as_str()) {
                if name.is_empty() {
                    name = key.to_string();
                }
                found.push(groups);
            }
        }
        if found.is_empty() {
            name = "*".to_owned();
            found.extend(self.agents.get("*"));
        }
        (!found.is_empty()).then_some((name, found))
    }
}

impl Rule {
    /// The precedence of the rule: more octets first, and of equally many the Allow.
    fn rank(&self) -> (u32, bool) {
        (self.pattern.octets(), self.allow)
    }

    fn text(&self) -> String {
        let word = if self.allow { "Allow" } else { "Disallow" };
        format!("{word}: {}", String::from_utf8_lossy(&self.raw))
    }
}

/// The name that a value begins with, in lower case.
fn product_token(value: &[u8]) -> String {
    value
        .iter()
        .take_while(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-'))
        .map(|b| char::from(b.to_ascii_lowercase()))
        .collect()
}

#[derive(Default)]
struct Parser {
    groups: Vec<Vec<Rule>>,
    delays: Vec<Option<Duration>>,
    usages: Vec<Vec<String>>,
    agents: HashMap<Box<str>, AgentGroups>,
    sitemaps: Vec<String>,
    /// Whether a name that comes next belongs to the same group as the last name.
    names_open: bool,
    /// The same for delays and preferences of use: such a line ends the list of its names, but it is no rule
    /// and must not split a group of rules (RFC 9309 §2.2.4).
    delay_names_open: bool,
}

impl Parser {
    fn run(mut self, bytes: &[u8]) -> Robots {
        for (number, line) in lines(bytes) {
            self.line(number, line);
        }
        self.end()
    }

    fn end(mut self) -> Robots {
        self.merge();
        Robots {
            blanket: None,
            groups: self.groups.into_iter().map(Rules::new).collect(),
            delays: self.delays,
            usages: self.usages,
            agents: self.agents,
            sitemaps: self.sitemaps,
        }
    }

    /// Makes one of the groups that have the same names (RFC 9309 §2.2.1). Those that share only some
    /// of them stay apart: to merge these for each name would copy the rules as often as there are names.
    fn merge(&mut self) {
        let mut names: Vec<Vec<usize>> = vec![Vec::new(); self.groups.len()];
        for (name, groups) in self.agents.values().enumerate() {
            for group in &groups.rules {
                names[*group as usize].push(name);
            }
        }
        let mut merged: Vec<Vec<Rule>> = Vec::new();
        let mut first: HashMap<Vec<usize>, usize> = HashMap::new();
        let mut places = Vec::new();
        for (rules, names) in std::mem::take(&mut self.groups).into_iter().zip(names) {
            let place = *first.entry(names).or_insert(merged.len());
            match merged.get_mut(place) {
                Some(before) => before.extend(rules),
                None => merged.push(rules),
            }
            places.push(u32::try_from(place).unwrap_or(u32::MAX));
        }
        self.groups = merged;
        for groups in self.agents.values_mut() {
            for group in &mut groups.rules {
                *group = places[*group as usize];
            }
            groups.rules.sort_unstable();
            groups.rules.dedup();
        }
    }

    fn line(&mut self, number: u32, line: &[u8]) {
        let line = line.split(|b| *b == b'#').next().unwrap_or_default();
        let Some(colon) = line.iter().position(|b| *b == b':') else {
            return;
        };
        let key = line[..colon].trim_ascii();
        let value = line[colon + 1..].trim_ascii();
        if key.eq_ignore_ascii_case(b"user-agent") {
            self.name(value);
        } else if key.eq_ignore_ascii_case(b"allow") {
            self.rule(true, number, value);
        } else if key.eq_ignore_ascii_case(b"disallow") {
            self.rule(false, number, value);
        } else if key.eq_ignore_ascii_case(b"crawl-delay") {
            self.delay(value);
        } else if key.eq_ignore_ascii_case(b"content-usage") {
            self.usage("content-usage", value);
        } else if key.eq_ignore_ascii_case(b"content-signal") {
            self.usage("content-signal", value);
        } else if key.eq_ignore_ascii_case(b"sitemap") {
            self.sitemap(value);
        } else if (key.eq_ignore_ascii_case(b"http") || key.eq_ignore_ascii_case(b"https"))
            && value.windows(7).any(|w| w.eq_ignore_ascii_case(b"sitemap"))
        {
            // A URL alone on its line: the author forgot "Sitemap:".
            self.sitemap(line.trim_ascii());
        }
    }

    fn name(&mut self, value: &[u8]) {
        if !self.names_open {
            self.groups.push(Vec::new());
        }
        if !self.delay_names_open {
            self.delays.push(None);
            self.usages.push(Vec::new());
        }
        self.names_open = true;
        self.delay_names_open = true;
        let is_star = value.first() == Some(&b'*')
            && value.get(1).is_none_or(|next| next.is_ascii_whitespace());
        let token = if is_star {
            "*".to_owned()
        } else {
            product_token(value)
        };
        if token.is_empty() {
            return;
        }
        let groups = self.agents.entry(token.into()).or_default();
        push_once(&mut groups.rules, self.groups.len() - 1);
        push_once(&mut groups.delays, self.delays.len() - 1);
    }

    fn rule(&mut self, allow: bool, line: u32, value: &[u8]) {
        self.names_open = false;
        self.delay_names_open = false;
        // An empty pattern matches nothing (RFC 9309 §2.2.2): `Disallow:` allows everything.
        let Some(group) = self.groups.last_mut().filter(|_| !value.is_empty()) else {
            return;
        };
        group.push(Rule {
            pattern: Pattern::parse(value),
            allow,
            line,
            raw: value.into(),
        });
    }

    fn delay(&mut self, value: &[u8]) {
        let seconds = std::str::from_utf8(value)
            .ok()
            .and_then(|text| text.parse::<f64>().ok());
        let Some(delay) = seconds.and_then(|s| Duration::try_from_secs_f64(s).ok()) else {
            return;
        };
        self.delay_names_open = false;
        if let Some(last) = self.delays.last_mut() {
            *last = Some(last.map_or(delay, |before| before.max(delay)));
        }
    }

    fn usage(&mut self, field: &str, value: &[u8]) {
        let value = String::from_utf8_lossy(&value[..value.len().min(USAGE_BYTES_MAX)]);
        let value: String = value.chars().filter(|c| !c.is_control()).collect();
        let Some(last) = self.usages.last_mut().filter(|_| !value.is_empty()) else {
            return;
        };
        self.delay_names_open = false;
        let said = format!("{field}: {value}");
        if last.len() < USAGE_MAX && !last.contains(&said) {
            last.push(said);
        }
    }

    fn sitemap(&mut self, value: &[u8]) {
        let Ok(text) = std::str::from_utf8(value) else {
            return;
        };
        let known = self.sitemaps.iter().any(|s| s == text);
        if !text.is_empty() && !known && self.sitemaps.len() < SITEMAPS_MAX {
            self.sitemaps.push(text.to_owned());
        }
    }
}

/// Appends an index unless it is there already. Indexes come in rising order, so only the last can be
/// equal.
fn push_once(indexes: &mut Vec<u32>, index: usize) {
    let index = u32::try_from(index).unwrap_or(u32::MAX);
    if indexes.last() != Some(&index) {
        indexes.push(index);
    }
}

/// The text of a file that begins with a byte order mark of UTF-16.
fn utf16(bytes: &[u8]) -> Option<String> {
    let unit: fn([u8; 2]) -> u16 = match bytes {
        [0xff, 0xfe, ..] => u16::from_le_bytes,
        [0xfe, 0xff, ..] => u16::from_be_bytes,
        _ => return None,
    };
    let units = bytes[2..]
        .chunks_exact(2)
        .map(|pair| unit([pair[0], pair[1]]));
    let text = char::decode_utf16(units).map(|c| c.unwrap_or(char::REPLACEMENT_CHARACTER));
    Some(text.collect())
}

/// A text without its last line, if that has no line end.
fn whole_lines(text: &[u8]) -> &[u8] {
    let end = text.iter().rposition(|b| matches!(b, b'\r' | b'\n'));
    &text[..end.unwrap_or(0)]
}

/// The lines with their numbers; CR, LF and CRLF end a line. A byte order mark is skipped, even an
/// incomplete one.
fn lines(bytes: &[u8]) -> impl Iterator<Item = (u32, &[u8])> {
    let mut text = bytes;
    for mark in [0xEF, 0xBB, 0xBF] {
        match text.strip_prefix(&[mark]) {
            Some(rest) => text = rest,
            None => break,
        }
    }
    if text.len() > BYTES_MAX {
        text = whole_lines(&text[..BYTES_MAX]);
    }
    let mut number = 0;
    let mut rest = Some(text);
    std::iter::from_fn(move || {
        let current = rest?;
        number += 1;
        match current.iter().position(|b| matches!(b, b'\r' | b'\n')) {
            Some(end) => {
                let ending = if current[end..].starts_with(b"\r\n") {
                    2
                } else {
                    1
                };
                rest = Some(&current[end + ending..]);
                Some((number, &current[..end]))
            }
            None => {
                rest = None;
                Some((number, current))
            }
        }
    })
}

#[cfg(test)]
mod tests;
