//! `[scope]`: where to go.

use frontier::{CanonicalUrl, ScopeConfig, ScopeMode};

use crate::choice::choice;
use crate::crawl_config::CrawlConfig;
use crate::key::Fault;
use crate::rule::{CountsFor, any, each};
use crate::section::{Section, keys};

choice! {
    impl ScopeMode {
        /// the seed's host
        Host = "host",
        /// the seed's registrable domain
        Domain = "domain",
        /// URLs that begin with the seed's URL up to its last slash
        Prefix = "prefix",
        /// every URL
        Any = "any",
    }
}

choice! {
    /// What becomes of links to files.
    pub enum FileLinks {
        /// they are fetched like any
        Follow = "follow",
        /// they are fetched after all others, where the first of a host were no pages
        Last = "last",
        /// the same; once it is sure that hardly any is a page, one in twenty is fetched
        Sample = "sample",
    }
}

keys! {
    /// Where to go.
    pub struct ScopeSection {
        /// Which URLs belong to a seed.
        mode: ScopeMode = ScopeMode::Host, any().counts_for(CountsFor::NewLinks);

        /// Further hosts in scope; `*.example.org` for all hosts under one.
        hosts: Vec<String> = Vec::new(), each("hosts", host).counts_for(CountsFor::NewLinks);

        /// Regular expressions on the canonical URL; where there are any, one must match.
        include: Vec<String> = Vec::new(),
            each("regular expressions", pattern).counts_for(CountsFor::NewLinks);

        /// Regular expressions on the canonical URL; none may match. A seed is fetched whatever it matches.
        exclude: Vec<String> = Vec::new(),
            each("regular expressions", pattern).counts_for(CountsFor::NewLinks);

        /// What becomes of links to what is a file by its ending, such as `.jpg`, `.pdf` or `.zip`.
        files: FileLinks = FileLinks::Sample, any();

        /// Follow links marked rel=nofollow, and those of pages that ask for that (meta robots, X-Robots-Tag).
        follow_nofollow: bool = false, any().counts_for(CountsFor::NewLinks);

        /// Read the sitemaps that robots.txt names; not set means true.
        sitemaps: Option<bool> = None, any();
    }
}

impl Section for ScopeSection {
    fn contradictions(&self) -> Vec<Fault> {
        let both = |(entry, pattern): (usize, &String)| {
            let message = format!(
                "scope.include and scope.exclude both hold {pattern:?}: nothing can be in scope"
            );
            let is_in_both = self.include.contains(pattern);
            let mend = "remove it from one of the two";
            is_in_both.then(|| Fault::of_entry("exclude", entry, message, mend))
        };
        self.exclude.iter().enumerate().filter_map(both).collect()
    }
}

impl CrawlConfig {
    /// Where to go, for the frontier.
    pub fn scope_config(&self) -> ScopeConfig {
        ScopeConfig {
            mode: self.scope.mode,
            hosts: self.scope.hosts.clone(),
            include: self.scope.include.clone(),
            exclude: self.scope.exclude.clone(),
            depth_max: self.crawl.max_depth,
        }
    }
}

fn pattern(pattern: &str) -> Result<(), (String, String)> {
    if pattern.is_empty() {
        return Err((
            "is empty, and an empty pattern is found in every URL".into(),
            "leave it out, or write \".*\" where every URL is meant".into(),
        ));
    }
    let mut builder = regex::RegexBuilder::new(pattern);
    let Err(error) = builder.size_limit(frontier::PATTERN_BYTES_MAX).build() else {
        return Ok(());
    };
    let why = error.to_string();
    let why = why.lines().last().unwrap_or_default().trim().to_owned();
    Err((
        format!("is no regular expression: {why}"),
        "mend the pattern; it is matched against the whole canonical URL".into(),
    ))
}

fn host(host: &str) -> Result<(), (String, String)> {
    if host == "*" {
        return Err((
            "is no host".into(),
            "set scope.mode = \"any\" where all hosts are meant; \"*.example.org\" is all hosts under one".into(),
        ));
    }
    let bare = host.strip_prefix("*.").unwrap_or(host);
    if bare.contains('*') {
        return Err((
            "is no host".into(),
            "write one \"*.\" in front, which stands for all hosts under a name: \"*.example.org\""
                .into(),
        ));
    }
    host_alone(bare)
}

/// A host, perhaps with its port, and nothing else of a URL.
pub(super) fn host_alone(host: &str) -> Result<(), (String, String)> {
    let rest = host.split_once("://").map_or(host, |(_, rest)| rest);
    let bare = rest.split(['/', '?', '#']).next().unwrap_or_default();
    let is_host = CanonicalUrl::parse(&format!("http://{bare}/")).is_ok();
    match (is_host, bare == host) {
        (true, true) => Ok(()),
        (true, false) => Err((
            "is no host".into(),
            format!("write the host alone: {bare:?}"),
        )),
        (false, _) => Err((
            "is no host".into(),
            "write it as in URLs: \"example.org\"".into(),
        )),
    }
}
