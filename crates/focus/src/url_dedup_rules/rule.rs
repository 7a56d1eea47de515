//! A rule from a copy's URL to its original's, how it is read off two paths, and how sure it is.

use url::{Url, form_urlencoded};
use xxhash_rust::xxh3::xxh3_64;

/// A way from a URL to the URL of the original.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) enum Rule {
    /// `host` serves what `of` serves, path by path.
    Mirror { host: String, of: String },
    /// On this host, this piece of the path (a whole segment, or an affix of the last) can be
    /// replaced.
    Path {
        host: String,
        from: String,
        to: String,
    },
    /// Copies name their original as canonical, in this form.
    Named(Rewrite),
}

/// One form of URLs to another, as pages themselves name it: another origin, another beginning or
/// end of the path, parameters left away.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) struct Rewrite {
    /// Scheme and host of the copies, then of the originals.
    origins: [(String, String); 2],
    /// Whole segments that begin the paths of the copies, then of the originals.
    heads: [String; 2],
    /// What ends their paths.
    tails: [String; 2],
    /// Parameters that the originals do not have, in the order of names.
    dropped: Vec<String>,
}

/// Bytes of a path's differing part; longer ones name a page, not a form.
const PIECE_BYTES_MAX: usize = 24;

/// Parameters that a rule leaves away at most.
const DROPPED_MAX: usize = 6;

impl Rewrite {
    /// The form that a copy and its original show.
    pub(super) fn of(copy: &Url, original: &Url) -> Option<Rewrite> {
        let (heads, tails) = differing(copy.path(), original.path())?;
        if heads
            .iter()
            .chain(&tails)
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
            heads,
            tails,
            dropped,
        };
        (rewrite.dropped.len() <= DROPPED_MAX && rewrite.apply(copy).as_ref() == Some(original))
            .then_some(rewrite)
    }

    fn apply(&self, url: &Url) -> Option<Url> {
        let [(scheme, host), (to_scheme, to_host)] = &self.origins;
        let ([head, to_head], [tail, to_tail]) = (&self.heads, &self.tails);
        let middle = url.path().strip_prefix(head.as_str())?;
        let middle = middle.strip_suffix(tail.as_str())?;
        if url.scheme() != scheme || url_host(url) != *host {
            return None;
        }
        // Whole segments, and something of its own between them.
        if !middle.starts_with('/') || middle.len() < 2 {
            return None;
        }
        // What is added is not there yet.
        let has = |piece: &String, there: bool| !piece.is_empty() && there;
        if (head.is_empty() && has(to_head, middle.starts_with(to_head.as_str())))
            || (tail.is_empty() && has(to_tail, middle.ends_with(to_tail.as_str())))
        {
            return None;
        }
        let mut kept = moved_to(url, to_host)?;
        kept.set_scheme(to_scheme).ok()?;
        kept.set_path(&format!("{to_head}{middle}{to_tail}"));
        if !self.dropped.is_empty() {
            let is_dropped = |name: &str| self.dropped.iter().any(|dropped| dropped == name);
            let has = |name: &String| url.query_pairs().any(|(has, _)| has == name.as_str());
            if !self.dropped.iter().all(has) {
                return None;
            }
            let query = url.query().unwrap_or_default();
            let parts = query.split('&').filter(|part| {
                let name = form_urlencoded::parse(part.as_bytes()).next();
                name.is_none_or(|(name, _)| !is_dropped(&name))
            });
            let query = parts.collect::<Vec<_>>().join("&");
            kept.set_query(Some(query.as_str()).filter(|query| !query.is_empty()));
        }
        (kept != *url).then_some(kept)
    }

    fn words(&self) -> String {
        let form = |at: usize| {
            let (scheme, host) = &self.origins[at];
            format!("{scheme}://{host}{}/…{}", self.heads[at], self.tails[at])
        };
        let without = match self.dropped.as_slice() {
            [] => String::new(),
            // As they stand in URLs: a name may hold anything, even what parts one rule from another.
            names => {
                let written = names
                    .iter()
                    .map(|name| form_urlencoded::byte_serialize(name.as_bytes()));
                let written: Vec<String> = written.map(Iterator::collect).collect();
                format!(" without {}", written.join(", "))
            }
        };
        format!("{} names {}{without} as canonical", form(0), form(1))
    }
}

/// Heads and tails in which two paths differ around what they have in common: whole segments at the
/// beginning if their ends agree, else what comes after the last common segment or word.
fn differing(copy: &str, original: &str) -> Option<([String; 2], [String; 2])> {
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
        let cut = |path: &str| path[..path.len() - tail].to_owned();
        return Some(([cut(copy), cut(original)], none()));
    }
    let mut head = a.iter().zip(b).take_while(|(x, y)| x == y).count();
    let is_cut = |path: &[u8], at: usize| {
        path.get(at)
            .is_none_or(|byte| matches!(byte, b'/' | b'.' | b'-' | b'_' | b';'))
    };
    while head > 0 && !(is_cut(a, head) && is_cut(b, head)) {
        head -= 1;
    }
    if head < 2 || copy[..head].ends_with('/') {
        return None;
    }
    let cut = |path: &str| path[head..].to_owned();
    Some((none(), [cut(copy), cut(original)]))
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

impl Rule {
    pub(super) fn key(&self) -> u64 {
        let text = match self {
            Rule::Mirror { host, of } => format!("m\n{host}\n{of}"),
            Rule::Path { host, from, to } => format!("p\n{host}\n{from}\n{to}"),
            Rule::Named(rewrite) => format!("n\n{rewrite:?}"),
        };
        xxh3_64(text.as_bytes())
    }

    pub(super) fn host(&self) -> &str {
        match self {
            Rule::Mirror { host, .. } | Rule::Path { host, .. } => host,
            Rule::Named(rewrite) => &rewrite.origins[0].1,
        }
    }

    /// Whether a copy's link is known without the copy: the original has it too, or leads to it under
    /// its own name.
    pub(super) fn covers(&self, link: &Url) -> bool {
        let host = url_host(link);
        match self {
            Rule::Mirror { of, .. } if host == *of => true,
            Rule::Named(rewrite) if host == rewrite.origins[1].1 && host != *self.host() => true,
            Rule::Mirror { .. } | Rule::Path { .. } | Rule::Named(_) => {
                host == self.host() && self.apply(link).is_some()
            }
        }
    }

    pub(super) fn words(&self) -> String {
        match self {
            Rule::Mirror { host, of } => format!("{host} mirrors {of}"),
            Rule::Path { host, from, to } => format!("{from:?} is the same as {to:?} on {host}"),
            Rule::Named(rewrite) => rewrite.words(),
        }
    }

    /// The original's URL, if the rule speaks of this one.
    pub(super) fn apply(&self, url: &Url) -> Option<Url> {
        let kept = match self {
            Rule::Mirror { of, .. } => moved_to(url, of)?,
            Rule::Path { from, to, .. } => {
                let path = url.path();
                let at = path.rfind(from.as_str())?;
                let mut kept = url.clone();
                kept.set_path(&format!(
                    "{}{}{}",
                    &path[..at],
                    to,
                    &path[at + from.len()..]
                ));
                kept
            }
            Rule::Named(rewrite) => return rewrite.apply(url),
        };
        (kept != *url).then_some(kept)
    }
}

#[derive(Debug, Clone, Default)]
pub(super) struct Record {
    pub(super) rule: Option<Rule>,
    pub(super) right: u32,
    pub(super) wrong: u32,
    /// Times it was believed and no longer.
    pub(super) lifted: u8,
}

impl Record {
    /// The lower end of the 90 % interval for the share of right forecasts (Wilson's bound).
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

pub(super) fn url_host(url: &Url) -> String {
    match (url.host_str(), url.port()) {
        (Some(host), Some(port)) => format!("{host}:{port}"),
        (Some(host), None) => host.to_owned(),
        (None, _) => String::new(),
    }
}

/// The differing piece of two paths, cut at `/`, `.`, `-`, `_` and `;`, with the slash in front of
/// it: `("/print/", "/")`, `("/index.html", "/")`. Pieces that look like page names teach nothing.
pub(super) fn path_difference(dup: &str, kept: &str) -> Option<(String, String)> {
    let boundary = |byte: u8| matches!(byte, b'/' | b'.' | b'-' | b'_' | b';');
    let (a, b) = (dup.as_bytes(), kept.as_bytes());
    let mut head = a.iter().zip(b).take_while(|(x, y)| x == y).count();
    while head > 0 && !boundary(a[head - 1]) {
        head -= 1;
    }
    let head = head.saturating_sub(1);
    let mut tail = a
        .iter()
        .rev()
        .zip(b.iter().rev())
        .take_while(|(x, y)| x == y)
        .count();
    tail = tail.min(a.len() - head).min(b.len() - head);
    while tail > 0 && !boundary(a[a.len() - tail]) {
        tail -= 1;
    }
    let from = std::str::from_utf8(&a[head..a.len() - tail]).ok()?;
    let to = std::str::from_utf8(&b[head..b.len() - tail]).ok()?;
    let named = |piece: &str| piece.trim_matches(|c: char| !c.is_alphanumeric()).len();
    // The original has nothing there, or hardly anything: otherwise the pair shows two names of
    // one page, not a rule.
    (named(from) >= 3 && named(from) <= 24 && named(to) == 0)
        .then(|| (from.to_owned(), to.to_owned()))
}
