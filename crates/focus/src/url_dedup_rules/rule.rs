//! One rule: from the URL of a copy to the URL of its original. How a rule is read off a pair of
//! paths, and how sure it is.

use serde::{Deserialize, Serialize};
use url::{Url, form_urlencoded};
use xxhash_rust::xxh3::xxh3_64;

/// Bytes of the piece in which two paths differ; a longer one is the name of a page, not a form.
const PIECE_BYTES_MAX: usize = 24;
/// Letters and digits of that piece; fewer say too little.
const PIECE_LETTERS_MIN: usize = 3;
/// Parameters that one rule leaves out.
const DROPPED_MAX: usize = 6;

/// From the URL of a copy to the URL of its original.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub(super) enum Rule {
    /// `host` serves what `of` serves, path by path.
    Mirror { host: String, of: String },
    /// On this host, this piece of a path (a whole segment, or an affix of the last one) can be
    /// replaced by nothing, or by another name: `/print` by `/article`.
    Path {
        host: String,
        from: String,
        to: String,
    },
    /// Copies of this form name their original as canonical.
    Canonical(Rewrite),
}

/// From one form of URLs to another, as pages themselves name it: another origin, another beginning
/// or end of the path, fewer parameters. Each pair of fields is that of the copies, then that of the
/// originals.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub(super) struct Rewrite {
    /// Scheme and host.
    pub(super) origins: [(String, String); 2],
    /// The whole segments that begin the paths.
    pub(super) prefixes: [String; 2],
    /// What ends the paths.
    pub(super) suffixes: [String; 2],
    /// Parameters that the originals do not have, sorted by name.
    pub(super) dropped: Vec<String>,
}

impl Rule {
    /// A number that tells this rule from others.
    pub(super) fn key(&self) -> u64 {
        let text = match self {
            Rule::Mirror { host, of } => format!("m\n{host}\n{of}"),
            Rule::Path { host, from, to } => format!("p\n{host}\n{from}\n{to}"),
            Rule::Canonical(rewrite) => format!("c\n{rewrite:?}"),
        };
        xxh3_64(text.as_bytes())
    }

    /// The host of the copies.
    pub(super) fn host(&self) -> &str {
        match self {
            Rule::Mirror { host, .. } | Rule::Path { host, .. } => host,
            Rule::Canonical(rewrite) => &rewrite.origins[0].1,
        }
    }

    /// Whether the target of a copy's link is known without the copy: the original has the same
    /// link, or one to the target's own original.
    pub(super) fn covers(&self, link: &Url) -> bool {
        let host = url_host(link);
        match self {
            Rule::Mirror { of, .. } if host == *of => true,
            Rule::Canonical(rewrite) if host == rewrite.origins[1].1 && host != *self.host() => {
                true
            }
            Rule::Mirror { .. } | Rule::Path { .. } | Rule::Canonical(_) => {
                host == self.host() && self.apply(link).is_some()
            }
        }
    }

    /// The rule that leads the other way; of one piece of a path in the place of another.
    pub(super) fn reversed(&self) -> Option<Rule> {
        match self {
            Rule::Path { host, from, to } if is_name_of_form(to) => Some(Rule::Path {
                host: host.clone(),
                from: to.clone(),
                to: from.clone(),
            }),
            Rule::Mirror { .. } | Rule::Path { .. } | Rule::Canonical(_) => None,
        }
    }

    /// The rule in words, as the journal has it.
    pub(super) fn description(&self) -> String {
        match self {
            Rule::Mirror { host, of } => format!("{host} mirrors {of}"),
            Rule::Path { host, from, to } => format!("{from:?} is the same as {to:?} on {host}"),
            Rule::Canonical(rewrite) => rewrite.description(),
        }
    }

    /// The URL of the original; `None` when the rule does not apply to this URL.
    pub(super) fn apply(&self, url: &Url) -> Option<Url> {
        let kept = match self {
            Rule::Mirror { of, .. } => moved_to(url, of)?,
            Rule::Path { from, to, .. } => {
                let path = url.path();
                let is_whole = |end: usize| {
                    let after = path.as_bytes().get(end);
                    after.is_none_or(|&byte| is_separator(byte))
                };
                let mut places = path.rmatch_indices(from.as_str());
                let (at, _) = places.find(|(at, _)| is_whole(at + from.len()))?;
                let (before, after) = (&path[..at], &path[at + from.len()..]);
                let mut kept = url.clone();
                kept.set_path(&format!("{before}{to}{after}"));
                kept
            }
            Rule::Canonical(rewrite) => return rewrite.apply(url),
        };
        (kept != *url).then_some(kept)
    }
}

impl Rewrite {
    /// The rewrite that a copy and its original show.
    pub(super) fn of(copy: &Url, original: &Url) -> Option<Rewrite> {
        let (prefixes, suffixes) = differing_ends(copy.path(), original.path())?;
        if prefixes
            .iter()
            .chain(&suffixes)
            .any(|piece| piece.len() > PIECE_BYTES_MAX)
        {
            return None;
        }
        let mut kept = original.query_pairs().peekable();
        let mut dropped: Vec<String> = Vec::new();
        for pair in copy.query_pairs() {
            if kept.next_if_eq(&pair).is_none() {
                dropped.push(pair.0.into_owned());
            }
        }
        dropped.sort_unstable();
        dropped.dedup();
        let rewrite = Rewrite {
            origins: [copy, original].map(|url| (url.scheme().to_owned(), url_host(url))),
            prefixes,
            suffixes,
            dropped,
        };
        (rewrite.dropped.len() <= DROPPED_MAX && rewrite.apply(copy).as_ref() == Some(original))
            .then_some(rewrite)
    }

    fn apply(&self, url: &Url) -> Option<Url> {
        let [(scheme, host), (to_scheme, to_host)] = &self.origins;
        if url.scheme() != scheme || url_host(url) != *host {
            return None;
        }
        let path = self.apply_to_path(url.path())?;
        let query = self.apply_to_query(url)?;
        let mut kept = moved_to(url, to_host)?;
        kept.set_scheme(to_scheme).ok()?;
        kept.set_path(&path);
        if let Some(query) = query {
            kept.set_query(Some(query.as_str()).filter(|query| !query.is_empty()));
        }
        (kept != *url).then_some(kept)
    }

    fn apply_to_path(&self, path: &str) -> Option<String> {
        let ([prefix, to_prefix], [suffix, to_suffix]) = (&self.prefixes, &self.suffixes);
        let middle = path.strip_prefix(prefix.as_str())?;
        let middle = middle.strip_suffix(suffix.as_str())?;
        // Whole segments, and something of the page's own between them.
        if !middle.starts_with('/') || middle.len() < 2 {
            return None;
        }
        // What the rewrite adds must not be there yet.
        let has_prefix = !to_prefix.is_empty() && middle.starts_with(to_prefix.as_str());
        let has_suffix = !to_suffix.is_empty() && middle.ends_with(to_suffix.as_str());
        if (prefix.is_empty() && has_prefix) || (suffix.is_empty() && has_suffix) {
            return None;
        }
        Some(format!("{to_prefix}{middle}{to_suffix}"))
    }

    /// The query without the dropped parameters, `Some(None)` when nothing is dropped; `None` when a
    /// parameter to drop is not there.
    fn apply_to_query(&self, url: &Url) -> Option<Option<String>> {
        if self.dropped.is_empty() {
            return Some(None);
        }
        let is_dropped = |name: &str| self.dropped.iter().any(|dropped| dropped == name);
        let is_there = |name: &String| url.query_pairs().any(|(there, _)| there == name.as_str());
        if !self.dropped.iter().all(is_there) {
            return None;
        }
        let query = url.query().unwrap_or_default();
        let parts = query.split('&').filter(|part| {
            let name = form_urlencoded::parse(part.as_bytes()).next();
            name.is_none_or(|(name, _)| !is_dropped(&name))
        });
        Some(Some(parts.collect::<Vec<_>>().join("&")))
    }

    fn description(&self) -> String {
        let form = |at: usize| {
            let (scheme, host) = &self.origins[at];
            let (prefix, suffix) = (&self.prefixes[at], &self.suffixes[at]);
            format!("{scheme}://{host}{prefix}/…{suffix}")
        };
        let without = match self.dropped.as_slice() {
            [] => String::new(),
            // Percent-encoded as in URLs: a name may hold anything, even what separates two rules.
            names => {
                let encoded = names
                    .iter()
                    .map(|name| form_urlencoded::byte_serialize(name.as_bytes()));
                let encoded: Vec<String> = encoded.map(Iterator::collect).collect();
                format!(" without {}", encoded.join(", "))
            }
        };
        format!("{} names {}{without} as canonical", form(0), form(1))
    }
}

/// The prefixes and suffixes in which two paths differ around what they have in common. If the paths
/// end alike, whole segments at the beginning; else what comes after the last common segment or word.
fn differing_ends(copy: &str, original: &str) -> Option<([String; 2], [String; 2])> {
    let none = || [String::new(), String::new()];
    if copy == original {
        return Some((none(), none()));
    }
    let (a, b) = (copy.as_bytes(), original.as_bytes());
    let alike = a.iter().rev().zip(b.iter().rev());
    let mut tail = alike.take_while(|(x, y)| x == y).count();
    while tail > 0 && a[a.len() - tail] != b'/' {
        tail -= 1;
    }
    if tail >= 2 {
        let prefix = |path: &str| path[..path.len() - tail].to_owned();
        return Some(([prefix(copy), prefix(original)], none()));
    }
    let mut head = a.iter().zip(b).take_while(|(x, y)| x == y).count();
    let ends_word = |path: &[u8], at: usize| path.get(at).is_none_or(|&byte| is_separator(byte));
    while head > 0 && !(ends_word(a, head) && ends_word(b, head)) {
        head -= 1;
    }
    if head < 2 || copy[..head].ends_with('/') {
        return None;
    }
    let suffix = |path: &str| path[head..].to_owned();
    Some((none(), [suffix(copy), suffix(original)]))
}

/// The piece in which the path of a copy differs from that of its original, cut at separators and
/// with the one in front of it, and what the original has there: `("/print", "")`,
/// `("/index.html", "/")`, `("/print", "/article")`. `None` when the piece looks like the name of a page;
/// `has_query` says whether their queries, which are the same, name it.
pub(super) fn path_difference(dup: &str, kept: &str, has_query: bool) -> Option<(String, String)> {
    let (a, b) = (dup.as_bytes(), kept.as_bytes());
    let mut head = a.iter().zip(b).take_while(|(x, y)| x == y).count();
    if head < b.len() || !a.get(head).copied().is_some_and(is_separator) {
        while head > 0 && !is_separator(a[head - 1]) {
            head -= 1;
        }
        head = head.saturating_sub(1);
    }
    let alike = a.iter().rev().zip(b.iter().rev());
    let mut tail = alike.take_while(|(x, y)| x == y).count();
    tail = tail.min(a.len() - head).min(b.len() - head);
    while tail > 0 && !is_separator(a[a.len() - tail]) {
        tail -= 1;
    }
    let from = std::str::from_utf8(&a[head..a.len() - tail]).ok()?;
    let to = std::str::from_utf8(&b[head..b.len() - tail]).ok()?;
    let letters = |piece: &str| piece.trim_matches(|c: char| !c.is_alphanumeric()).len();
    let is_form = match letters(to) {
        0 => {
            let is_named = (PIECE_LETTERS_MIN..=PIECE_BYTES_MAX).contains(&letters(from));
            is_named || is_name_of_form(from)
        }
        // Where the original has letters too, the pair shows two names of one page, unless what they
        // have in common names it.
        _ => {
            let own = &dup[dup.len() - tail..];
            let is_page_named = match own.strip_prefix('/') {
                Some(own) => !own.is_empty(),
                None => has_query && (own.is_empty() || own.starts_with('.')),
            };
            is_page_named && is_name_of_form(from) && is_name_of_form(to)
        }
    };
    is_form.then(|| (from.to_owned(), to.to_owned()))
}

/// Whether a piece of a path may name a form of pages: one segment, short and without a digit.
fn is_name_of_form(piece: &str) -> bool {
    piece.strip_prefix('/').is_some_and(|name| {
        (1..=PIECE_BYTES_MAX).contains(&name.len())
            && name
                .bytes()
                .all(|byte| byte.is_ascii_alphabetic() || matches!(byte, b'-' | b'_'))
    })
}

fn is_separator(byte: u8) -> bool {
    matches!(byte, b'/' | b'.' | b'-' | b'_' | b';')
}

fn moved_to(url: &Url, host: &str) -> Option<Url> {
    let (name, port) = host
        .rsplit_once(':')
        .map_or((host, None), |(name, port)| (name, port.parse().ok()));
    let mut moved = url.clone();
    moved.set_host(Some(name)).ok()?;
    moved.set_port(port).ok()?;
    Some(moved)
}

/// The host of a URL, with its port unless that is the scheme's own.
pub(super) fn url_host(url: &Url) -> String {
    match (url.host_str(), url.port()) {
        (Some(host), Some(port)) => format!("{host}:{port}"),
        (Some(host), None) => host.to_owned(),
        (None, _) => String::new(),
    }
}

/// A rule and its record.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub(super) struct RuleRecord {
    pub(super) rule: Option<Rule>,
    /// Pairs that it explains.
    pub(super) right: u32,
    /// Pages for which it was wrong.
    pub(super) wrong: u32,
    /// How often it was lifted: believed, and then no longer.
    pub(super) lifts: u8,
}

impl RuleRecord {
    /// The lower bound of the success rate: the lower end of its 80 % interval by Wilson's score, so
    /// that the rate is higher with a confidence of 90 %.
    pub(super) fn confidence(&self) -> f32 {
        let (right, all) = (self.right as f32, (self.right + self.wrong) as f32);
        if all < 1.0 {
            return 0.0;
        }
        let z = 1.28f32;
        let share = right / all;
        let spread = z * (share * (1.0 - share) / all + z * z / (4.0 * all * all)).sqrt();
        ((share + z * z / (2.0 * all) - spread) / (1.0 + z * z / all)).clamp(0.0, 1.0)
    }
}
