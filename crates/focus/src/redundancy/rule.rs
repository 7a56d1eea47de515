//! A rule from a copy's URL to its original's, how it is read off two paths, and how sure it is.

use url::Url;
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
}

impl Rule {
    pub(super) fn key(&self) -> u64 {
        let text = match self {
            Rule::Mirror { host, of } => format!("m\n{host}\n{of}"),
            Rule::Path { host, from, to } => format!("p\n{host}\n{from}\n{to}"),
        };
        xxh3_64(text.as_bytes())
    }

    pub(super) fn host(&self) -> &str {
        match self {
            Rule::Mirror { host, .. } | Rule::Path { host, .. } => host,
        }
    }

    /// Whether a copy's link is known without the copy: the original has it too, or leads to it under
    /// its own name.
    pub(super) fn covers(&self, link: &Url) -> bool {
        let host = url_host(link);
        match self {
            Rule::Mirror { of, .. } if host == *of => true,
            _ => host == self.host() && self.apply(link).is_some(),
        }
    }

    pub(super) fn words(&self) -> String {
        match self {
            Rule::Mirror { host, of } => format!("{host} mirrors {of}"),
            Rule::Path { host, from, to } => format!("{from:?} is the same as {to:?} on {host}"),
        }
    }

    /// The original's URL, if the rule speaks of this one.
    pub(super) fn apply(&self, url: &Url) -> Option<Url> {
        let mut kept = url.clone();
        match self {
            Rule::Mirror { of, .. } => {
                let (name, port) = of
                    .rsplit_once(':')
                    .map_or((of.as_str(), None), |(name, port)| {
                        (name, port.parse().ok())
                    });
                kept.set_host(Some(name)).ok()?;
                kept.set_port(port).ok()?;
            }
            Rule::Path { from, to, .. } => {
                let path = url.path();
                let at = path.rfind(from.as_str())?;
                let whole = format!("{}{}{}", &path[..at], to, &path[at + from.len()..]);
                kept.set_path(&whole);
            }
        }
        (kept != *url).then_some(kept)
    }
}

#[derive(Debug, Clone, Default)]
pub(super) struct Record {
    pub(super) rule: Option<Rule>,
    pub(super) right: u32,
    pub(super) wrong: u32,
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
