//! Reading a configuration file, and telling where it is wrong.
//!
//! Every problem names the file, the line and the column, shows the line, says what is allowed
//! and, for a misspelt key, what was probably meant.

use std::fmt;
use std::path::Path;

use crate::config::CrawlConfig;
use crate::config_names;
use crate::units::Size;

/// Largest configuration file that is read.
const CONFIG_BYTES_MAX: u64 = 4 << 20;

/// Problems of one file that are told.
const PROBLEMS_MAX: usize = 50;

/// Lines at which a value or a section that is wrong may end.
const VALUE_LINES_MAX: usize = 200;

/// Least value of `limits.dom_depth`.
const DOM_DEPTH_LEAST: usize = 32;

/// A configuration that cannot be used.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ConfigProblem {
    /// File name as given.
    pub file: String,
    /// Line, from 1; 0 where the problem has no place in the file.
    pub line: usize,
    /// Column in characters, from 1.
    pub column: usize,
    /// The line's text.
    pub text: String,
    /// What is wrong.
    pub message: String,
    /// What to do.
    pub mend: String,
}

impl fmt::Display for ConfigProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.line {
            0 => write!(f, "{}: {}", self.file, self.message)?,
            line => {
                write!(f, "{}:{line}:{}: {}", self.file, self.column, self.message)?;
                if !self.text.is_empty() {
                    let pointed = frontier::pointed(line, self.column, &self.text);
                    write!(f, "\n{pointed}")?;
                }
            }
        }
        match self.mend.as_str() {
            "" => Ok(()),
            mend => write!(f, "\n  {mend}"),
        }
    }
}

impl std::error::Error for ConfigProblem {}

/// Reads and checks a configuration file. Relative paths in it are made relative to the working
/// directory.
///
/// # Errors
/// The first problem found.
pub fn read(path: &Path) -> Result<CrawlConfig, ConfigProblem> {
    let (name, text) = read_text(path)?;
    let mut config = parse(&name, &text)?;
    let base = path.parent().unwrap_or(Path::new(""));
    rebase(&mut config, base);
    Ok(config)
}

/// Every problem of a configuration file that can be told without mending another one first: its
/// own, and those of the seed lists and example pages that it names.
pub fn problems(path: &Path) -> Vec<ConfigProblem> {
    let (name, text) = match read_text(path) {
        Ok(read) => read,
        Err(problem) => return vec![problem],
    };
    let (mut found, rest) = problems_of(&name, text.clone());
    if let Ok(config) = toml::from_str(&rest) {
        let base = path.parent().unwrap_or(Path::new(""));
        found.extend(config_names::problems(&name, &text, base, &config));
    }
    found.sort_by(|a, b| {
        let key = |problem: &ConfigProblem| (problem.file != name, problem.line, problem.column);
        key(a).cmp(&key(b))
    });
    found.truncate(PROBLEMS_MAX);
    found
}

/// The file's name and its text.
fn read_text(path: &Path) -> Result<(String, String), ConfigProblem> {
    let name = path.display().to_string();
    let fail = |message: String, mend: &str| ConfigProblem {
        file: name.clone(),
        line: 0,
        column: 0,
        text: String::new(),
        message,
        mend: mend.into(),
    };
    let size = std::fs::metadata(path).map_err(|error| {
        fail(
            format!("cannot read the configuration: {error}"),
            "check the path",
        )
    })?;
    if size.is_dir() || size.len() > CONFIG_BYTES_MAX {
        return Err(fail(
            "is no configuration file".into(),
            "name a TOML file, such as those in config/",
        ));
    }
    let text = std::fs::read_to_string(path).map_err(|error| {
        fail(
            format!("cannot read the configuration: {error}"),
            "save it as UTF-8 text",
        )
    })?;
    let text = text.strip_prefix('\u{feff}').unwrap_or(&text).to_string();
    Ok((name, text))
}

/// Parses and checks a configuration's text; `name` is for messages.
///
/// # Errors
/// The first problem found.
pub fn parse(name: &str, text: &str) -> Result<CrawlConfig, ConfigProblem> {
    let config: CrawlConfig =
        toml::from_str(text).map_err(|error| from_toml(name, text, &error))?;
    check(&config).map_err(|(key, message, mend)| at_key(name, text, key, message, mend))?;
    Ok(config)
}

/// The reader stops at the first mistake. So the lines of each are blanked and the rest read
/// again, as long as what is left is still TOML. Gives the problems and what is left.
fn problems_of(name: &str, mut text: String) -> (Vec<ConfigProblem>, String) {
    let mut found: Vec<ConfigProblem> = Vec::new();
    while let Err(problem) = parse(name, &text) {
        let line = problem.line;
        let known = found.iter().any(|known| known.line == line);
        if !known {
            found.push(problem);
        }
        if known || found.len() >= PROBLEMS_MAX {
            break;
        }
        let Some(rest) = line.checked_sub(1).and_then(|line| without(&text, line)) else {
            break;
        };
        text = rest;
    }
    found.sort_by_key(|problem| (problem.line, problem.column));
    (found, text)
}

/// The text with a line blanked, counted from 0: a header with all that stands under it, a key
/// with all lines of its value. `None` when what would be left is no TOML.
fn without(text: &str, line: usize) -> Option<String> {
    let start = line_start(text, line)?;
    let (before, from) = text.split_at(start);
    let is_header = |line: &str| line.trim_start().starts_with('[');
    let is_section = is_header(from);
    let mut end = 0;
    let mut ends = Vec::new();
    for line in from.split_inclusive('\n') {
        // A line of a list may begin with a bracket, too: then what is left is no TOML.
        if end > 0 && (!is_section || is_header(line)) {
            ends.push(end);
        }
        end += line.len();
    }
    ends.push(end);
    ends.into_iter().take(VALUE_LINES_MAX).find_map(|end| {
        let lines = from[..end].matches('\n').count();
        let left = format!("{before}{}{}", "\n".repeat(lines), &from[end..]);
        left.parse::<toml::Table>().is_ok().then_some(left)
    })
}

/// Where a line begins, counted from 0.
fn line_start(text: &str, line: usize) -> Option<usize> {
    match line {
        0 => Some(0),
        line => text.match_indices('\n').nth(line - 1).map(|(at, _)| at + 1),
    }
}

/// Makes relative paths relative to `base`.
fn rebase(config: &mut CrawlConfig, base: &Path) {
    for file in &mut config.seeds.files {
        *file = rebased(base, file);
    }
    if let Some(topic) = &mut config.topic {
        for example in topic.examples.iter_mut().chain(&mut topic.counter_examples) {
            if !example.contains("://") {
                *example = rebased(base, example);
            }
        }
    }
}

/// A path that stands in a configuration file in `base`; joining leaves an absolute one alone.
pub(crate) fn rebased(base: &Path, path: &str) -> String {
    base.join(path).display().to_string()
}

/// Checks a configuration that flags have changed.
///
/// # Errors
/// What is wrong and what to do.
pub fn check_flags(config: &CrawlConfig) -> Result<(), String> {
    check(config).map_err(|(_, message, mend)| format!("{message}: {mend}"))
}

type Wrong = (&'static str, String, &'static str);

/// Checks what types cannot: ranges, patterns, contradictions. Gives the key, what is wrong, and
/// what to do.
pub(crate) fn check(config: &CrawlConfig) -> Result<(), Wrong> {
    let wrong = |key, message: String, mend| Err((key, message, mend));
    let agent = &config.agent.name;
    if agent.is_empty()
        || !agent
            .bytes()
            .all(|b| b.is_ascii_alphanumeric() || b == b'-' || b == b'_')
    {
        return wrong(
            "agent.name",
            format!("agent.name {agent:?} is no product token"),
            "use letters, digits, '-' and '_' only: robots.txt files address crawlers by it",
        );
    }
    if config.crawl.concurrency == 0 || config.crawl.concurrency > 4_096 {
        return wrong(
            "crawl.concurrency",
            format!("crawl.concurrency is {}", config.crawl.concurrency),
            "choose 1 to 4096",
        );
    }
    if config.politeness.connections_per_host == 0 {
        return wrong(
            "politeness.connections_per_host",
            "politeness.connections_per_host is 0".into(),
            "choose at least 1",
        );
    }
    if config.politeness.connections_per_address == 0 {
        return wrong(
            "politeness.connections_per_address",
            "politeness.connections_per_address is 0".into(),
            "choose at least 1",
        );
    }
    if config.politeness.attempts == 0 {
        return wrong(
            "politeness.attempts",
            "politeness.attempts is 0".into(),
            "choose at least 1: the first try counts",
        );
    }
    for (key, patterns) in [
        ("include", &config.scope.include),
        ("exclude", &config.scope.exclude),
    ] {
        for pattern in patterns {
            if let Err(error) = regex::RegexBuilder::new(pattern)
                .size_limit(1 << 20)
                .build()
            {
                let first = error
                    .to_string()
                    .lines()
                    .last()
                    .unwrap_or_default()
                    .trim()
                    .to_string();
                return Err((
                    if key == "include" {
                        "scope.include"
                    } else {
                        "scope.exclude"
                    },
                    format!("scope.{key} pattern {pattern:?} is no regular expression: {first}"),
                    "mend the pattern; it is matched against the whole canonical URL",
                ));
            }
        }
    }
    for pattern in &config.scope.include {
        if config.scope.exclude.contains(pattern) {
            return wrong(
                "scope.exclude",
                format!(
                    "scope.include and scope.exclude both hold {pattern:?}: nothing can be in scope"
                ),
                "remove it from one of the two",
            );
        }
    }
    if config.limits.dom_depth < DOM_DEPTH_LEAST {
        return wrong(
            "limits.dom_depth",
            format!("limits.dom_depth is {}", config.limits.dom_depth),
            "choose at least 32: sound pages are that deep",
        );
    }
    let dedup = &config.dedup;
    if dedup.k > dedup.reach {
        return wrong(
            "dedup.reach",
            format!(
                "dedup.reach ({}) is below dedup.k ({})",
                dedup.reach, dedup.k
            ),
            "reach is the wider distance: choose reach >= k",
        );
    }
    let reach_max = if dedup.tables == 4 { 11 } else { 3 };
    if !matches!(dedup.tables, 4 | 10 | 16) {
        return wrong(
            "dedup.tables",
            format!("dedup.tables is {}", dedup.tables),
            "choose 4, 10 or 16",
        );
    }
    if dedup.reach > reach_max {
        return wrong(
            "dedup.reach",
            format!(
                "dedup.reach is {}, but {} tables find every neighbour up to {reach_max} only",
                dedup.reach, dedup.tables
            ),
            "lower reach, or use 4 tables (up to 11)",
        );
    }
    if !(0.0..=1.0).contains(&dedup.overlap) {
        return wrong(
            "dedup.overlap",
            format!("dedup.overlap is {}", dedup.overlap),
            "choose a share from 0.0 to 1.0",
        );
    }
    if let Some(topic) = &config.topic {
        if !(0.0..=1.0).contains(&topic.threshold) {
            return wrong(
                "topic.threshold",
                format!("topic.threshold is {}", topic.threshold),
                "choose a probability from 0.0 to 1.0",
            );
        }
        for (key, share) in [
            ("topic.exploration", topic.exploration),
            ("topic.stop_harvest", topic.stop_harvest),
        ] {
            if !(0.0..=1.0).contains(&share) {
                return wrong(
                    key,
                    format!("{key} is {share}"),
                    "choose a share from 0.0 to 1.0",
                );
            }
        }
        match focus::count_keywords(&topic.keywords) {
            Err(error) => {
                return wrong(
                    "topic.keywords",
                    error.to_string(),
                    "write each as a word or a phrase, with ^2 behind it to weigh twice, or with - in \
                     front to rule pages out",
                );
            }
            Ok(0) if topic.examples.is_empty() => {
                return wrong(
                    "topic",
                    "[topic] has neither keywords nor examples (words with - only rule pages out)"
                        .into(),
                    "give at least one keyword, or leave [topic] out for a crawl without focus",
                );
            }
            Ok(_) => {}
        }
    }
    let network = &config.network;
    if !network.bandwidth.is_empty()
        && let Err(message) = Size::parse_rate(&network.bandwidth)
    {
        return wrong(
            "network.bandwidth",
            message,
            "write \"20 MB/s\", or leave it empty for no limit",
        );
    }
    if !network.proxy.is_empty() && url::Url::parse(&network.proxy).is_err() {
        return wrong(
            "network.proxy",
            "network.proxy is no URL".into(),
            "write it as http://host:port or socks5://host:port",
        );
    }
    for rule in &network.resolve {
        if parse_resolve(rule).is_none() {
            return wrong(
                "network.resolve",
                format!("network.resolve {rule:?} is not HOST:PORT:ADDR"),
                "write it as example.org:443:192.0.2.1 (an IPv6 address in brackets)",
            );
        }
    }
    Ok(())
}

/// Reads `HOST:PORT:ADDR`; the address may be in brackets.
pub fn parse_resolve(rule: &str) -> Option<(String, u16, std::net::IpAddr)> {
    let (host, rest) = rule.split_once(':')?;
    let (port, address) = rest.split_once(':')?;
    let address = address.trim_start_matches('[').trim_end_matches(']');
    (!host.is_empty()).then_some(())?;
    Some((
        host.to_ascii_lowercase(),
        port.parse().ok()?,
        address.parse().ok()?,
    ))
}

/// A problem found by the TOML reader, with a suggestion for a misspelt key or value.
fn from_toml(name: &str, text: &str, error: &toml::de::Error) -> ConfigProblem {
    let message = error.message().trim().to_string();
    let (message, mend) = explain(&message);
    let offset = error.span().map(|span| span.start);
    at_offset(name, text, offset, message, &mend)
}

/// Turns serde's "unknown field" and "unknown variant" into words with a suggestion.
fn explain(message: &str) -> (String, String) {
    for (lead, noun) in [("unknown field `", "key"), ("unknown variant `", "value")] {
        let Some(rest) = message.strip_prefix(lead) else {
            continue;
        };
        let Some((found, expected)) = rest.split_once('`') else {
            continue;
        };
        let allowed: Vec<&str> = expected.split('`').skip(1).step_by(2).collect();
        let near = allowed
            .iter()
            .map(|&known| (strsim::damerau_levenshtein(found, known), known))
            .filter(|&(distance, known)| distance <= 1 + known.len() / 4)
            .min();
        let list = format!("allowed here: {}", allowed.join(", "));
        let mend = match near {
            Some((_, known)) => format!("did you mean \"{known}\"? {list}"),
            None => list,
        };
        return (format!("unknown {noun} \"{found}\""), mend);
    }
    (
        message.lines().next().unwrap_or_default().to_string(),
        String::new(),
    )
}

/// Line, column and text of a byte offset.
fn place(text: &str, offset: usize) -> (usize, usize, String) {
    let offset = (0..=offset.min(text.len()))
        .rev()
        .find(|&at| text.is_char_boundary(at))
        .unwrap_or(0);
    let before = &text[..offset];
    let start = before.rfind('\n').map_or(0, |at| at + 1);
    let line = before.matches('\n').count() + 1;
    let column = text[start..offset].chars().count() + 1;
    let shown: String = text[start..]
        .lines()
        .next()
        .unwrap_or_default()
        .chars()
        .take(160)
        .collect();
    (line, column, shown)
}

/// A problem of a key's value, placed at the line that sets `section.key`, or begins `[key]`.
fn at_key(name: &str, text: &str, key: &str, message: String, mend: &str) -> ConfigProblem {
    at_offset(name, text, key_offset(text, key), message, mend)
}

/// A problem of one string among a key's values, placed at the string.
pub(crate) fn at_value(
    (name, text): (&str, &str),
    key: &str,
    value: &str,
    message: String,
    mend: &str,
) -> ConfigProblem {
    let key_at = key_offset(text, key);
    // A string that is written with escapes is not found: the key is near enough.
    let value_at = key_at.and_then(|start| {
        let quoted = [format!("\"{value}\""), format!("'{value}'")];
        let found = quoted
            .iter()
            .filter_map(|text_of| text[start..].find(text_of.as_str()));
        found.min().map(|at| start + at + 1)
    });
    at_offset(name, text, value_at.or(key_at), message, mend)
}

fn at_offset(
    name: &str,
    text: &str,
    offset: Option<usize>,
    message: String,
    mend: &str,
) -> ConfigProblem {
    let (line, column, shown) = offset.map_or((0, 0, String::new()), |at| place(text, at));
    ConfigProblem {
        file: name.into(),
        line,
        column,
        text: shown,
        message,
        mend: mend.into(),
    }
}

/// Where `section.key` is set, or where `[key]` begins.
fn key_offset(text: &str, key: &str) -> Option<usize> {
    let (wanted, key) = key.split_once('.').unwrap_or((key, ""));
    let (mut section, mut at) = ("", 0);
    for whole in text.split_inclusive('\n') {
        let line = whole.trim_start();
        let start = at + whole.len() - line.len();
        at += whole.len();
        if let Some(header) = line.strip_prefix('[') {
            section = header.split(']').next().unwrap_or_default().trim();
            if key.is_empty() && section == wanted {
                return Some(start);
            }
        }
        let sets = |key: &str| {
            line.strip_prefix(key)
                .is_some_and(|rest| rest.trim_start().starts_with('='))
        };
        if !key.is_empty() && section == wanted && sets(key) {
            return Some(start);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn problem(text: &str) -> ConfigProblem {
        parse("x.toml", text).expect_err("is wrong")
    }

    #[test]
    fn an_empty_configuration_is_all_defaults() {
        assert_eq!(parse("x.toml", ""), Ok(CrawlConfig::default()));
    }

    #[test]
    fn a_misspelt_key_is_placed_and_a_near_one_is_suggested() {
        let found = problem("[crawl]\nmax_pages = 5\nconcurency = 3\n");
        assert_eq!((found.line, found.column), (3, 1));
        assert_eq!(found.message, "unknown key \"concurency\"");
        assert!(
            found.mend.starts_with("did you mean \"concurrency\"?"),
            "{}",
            found.mend
        );
        assert!(found.to_string().contains("x.toml:3:1: "), "{found}");
    }

    #[test]
    fn a_misspelt_value_lists_what_is_allowed() {
        let found = problem("[scope]\nmode = \"hosts\"\n");
        assert_eq!(found.line, 2);
        assert!(
            found.mend.contains("did you mean \"host\"?") && found.mend.contains("domain"),
            "{found}"
        );
    }

    #[test]
    fn a_bad_duration_says_how_to_write_one() {
        let found = problem("[politeness]\ndelay = \"1 fortnight\"\n");
        assert_eq!(found.line, 2);
        assert!(found.message.contains("250ms"), "{found}");
    }

    #[test]
    fn a_bad_pattern_is_shown_with_its_line() {
        let found = problem("[scope]\nmode = \"any\"\nexclude = [\"(\"]\n");
        assert_eq!(found.line, 3);
        assert!(found.message.contains("regular expression"), "{found}");
    }

    #[test]
    fn every_mistake_is_found_at_once() {
        let text = "[crawl]\nmax_pagse = 5\nconcurrency = 0\n\n[politeness]\ndelay = \"soon\"\n\
                    [scope]\nmode = \"hots\"\n[dedup]\nreach = 2\n";
        let (found, _) = problems_of("x.toml", text.into());
        let lines: Vec<usize> = found.iter().map(|problem| problem.line).collect();
        assert_eq!(lines, [2, 3, 6, 8, 10], "{found:#?}");
        assert_eq!(
            problems_of("x.toml", "[crawl]\nmax_pages = 5\n".into()).0,
            []
        );
    }

    #[test]
    fn a_file_that_is_no_toml_is_told_once() {
        assert_eq!(
            problems_of("x.toml", "[crawl\nmax_pages = = 5\n]]]".into())
                .0
                .len(),
            1
        );
    }

    #[test]
    fn an_unknown_section_or_a_long_value_hides_no_other_mistake() {
        let text = "[crawl]\nmax_pages = 0\nmax_detph = 3\n[topci]\nkeywords = [\n  [\"a\"],\n]\n\
                    threshold = 2\n[topci.more]\na = 1\n[seeds]\nfile = [\n  \"a\",\n]\nurls = [\n1\n]\n\
                    [scope]\nmode = \"hots\"\n";
        let (found, rest) = problems_of("x.toml", text.into());
        let lines: Vec<usize> = found.iter().map(|problem| problem.line).collect();
        assert_eq!(lines, [3, 4, 9, 12, 16, 19], "{found:#?}");
        assert_eq!(found[1].message, "unknown key \"topci\"");
        assert!(
            found[1].mend.contains("did you mean \"topic\"?"),
            "{found:#?}"
        );
        assert_eq!(rest.matches('\n').count(), text.matches('\n').count());
        assert!(parse("x.toml", &rest).is_ok(), "{rest}");
    }

    #[test]
    fn a_problem_is_placed_in_its_own_section() {
        let found =
            problem("[host.\"a.example\"]\nconnections = 1\n[scope]\n[network]\nproxy = \"::\"\n");
        assert_eq!(found.line, 5, "{found}");
    }

    #[test]
    fn contradictions_are_found() {
        assert!(
            problem("[dedup]\nk = 5\nreach = 4\n")
                .message
                .contains("below")
        );
        assert!(
            problem("[dedup]\ntables = 16\n")
                .message
                .contains("up to 3")
        );
        assert!(
            problem("[scope]\ninclude = [\"a\"]\nexclude = [\"a\"]\n")
                .message
                .contains("nothing")
        );
        assert!(
            problem("[topic]\nthreshold = 0.4\n")
                .message
                .contains("neither")
        );
        let topic = |line: &str| problem(&format!("[topic]\n{line}\n")).message;
        assert!(topic("keywords = [\"-stock index\"]").contains("neither"));
        assert!(topic("keywords = [\"railway^x\"]").contains("railway^x"));
        assert!(topic("keywords = [\"a\", \"\"]").contains("no word"));
        assert!(topic("keywords = [\"a\"]\nstop_harvest = 2").contains("stop_harvest is 2"));
    }

    #[test]
    fn resolve_rules_take_both_kinds_of_addresses() {
        assert_eq!(
            parse_resolve("A.example:80:192.0.2.1"),
            Some(("a.example".into(), 80, [192, 0, 2, 1].into()))
        );
        assert!(parse_resolve("a.example:80:[::1]").is_some_and(|(_, _, ip)| ip.is_ipv6()));
        assert_eq!(parse_resolve("a.example:80"), None);
    }
}
