//! Endless parts of hosts: URLs that are refused by their shape and by what the like of them gave.

use crate::host::HostKey;
use crate::url::CanonicalUrl;

/// Path segments in a URL at most.
const SEGMENTS_MAX: usize = 40;
/// Times one segment may follow in a path.
const REPEATS_MAX: usize = 3;
/// Parameters in a query at most.
const PARAMETERS_MAX: usize = 20;
/// Useless pages of one numbered part of a host after which its further pages are refused.
const USELESS_MIN: u32 = 35;
/// A part of a host is endless only if not even one page in so many was useful.
const USELESS_PER_USEFUL: u32 = 50;
/// Numbered parts remembered at most; beyond it no further part can be found endless.
const PARTS_MAX: usize = 100_000;

/// What pages of one numbered part gave.
#[derive(Debug, Clone, Copy, Default)]
struct Yield {
    admitted: u32,
    useful: u32,
    useless: u32,
}

/// The trap rules and what they have seen.
#[derive(Debug, Default)]
pub(crate) struct Traps {
    parts: hashbrown::HashMap<u64, Yield>,
}

impl Traps {
    /// Refuses a URL that belongs to a trap, by the trap's name.
    pub(crate) fn check(&self, host: &HostKey, url: &CanonicalUrl) -> Result<(), &'static str> {
        let (path, query) = split(url);
        let segments: Vec<&str> = path
            .split('/')
            .filter(|segment| !segment.is_empty())
            .collect();
        if segments.len() > SEGMENTS_MAX {
            return Err("trap_deep_path");
        }
        let repeats = |name: &&str| segments.iter().filter(|segment| segment == &name).count();
        if segments.iter().any(|name| repeats(name) > REPEATS_MAX) {
            return Err("trap_repeated_segment");
        }
        if query.split('&').count() > PARAMETERS_MAX {
            return Err("trap_long_query");
        }
        let seen = numbered_part(host, path, query).and_then(|part| self.parts.get(&part));
        if seen.is_some_and(Yield::is_endless) {
            return Err("trap_calendar");
        }
        Ok(())
    }

    /// Notes that a URL was admitted.
    pub(crate) fn admitted(&mut self, host: &HostKey, url: &CanonicalUrl) {
        if let Some(seen) = self.entry(host, url) {
            seen.admitted = seen.admitted.saturating_add(1);
        }
    }

    /// Notes what a URL gave.
    pub(crate) fn observe(&mut self, host: &HostKey, url: &CanonicalUrl, useful: bool) {
        if let Some(seen) = self.entry(host, url) {
            if useful {
                seen.useful = seen.useful.saturating_add(1);
            } else {
                seen.useless = seen.useless.saturating_add(1);
            }
        }
    }

    fn entry(&mut self, host: &HostKey, url: &CanonicalUrl) -> Option<&mut Yield> {
        let (path, query) = split(url);
        let part = numbered_part(host, path, query)?;
        if self.parts.len() >= PARTS_MAX && !self.parts.contains_key(&part) {
            return None;
        }
        Some(self.parts.entry(part).or_default())
    }
}

impl Yield {
    /// Whether the part has given next to nothing for long enough. What was admitted and not
    /// read yet counts too once the part looks bad: it is likely to be like the rest.
    fn is_endless(&self) -> bool {
        let open = self.admitted.saturating_sub(self.useful + self.useless);
        let bad = self.useful.saturating_mul(USELESS_PER_USEFUL) <= self.useless;
        bad && (self.useless >= USELESS_MIN || (self.useless >= 5 && open >= USELESS_MIN))
    }
}

fn split(url: &CanonicalUrl) -> (&str, &str) {
    let path = url.path_and_query();
    path.split_once('?').unwrap_or((path, ""))
}

/// The part of a host that a numbered URL belongs to, hashed: the host, the path down to its first
/// number, and the names of the query's parameters. `None` for a URL with fewer than two numbers:
/// counting pages needs one, a calendar two.
fn numbered_part(host: &HostKey, path: &str, query: &str) -> Option<u64> {
    let is_digit = |c: char| c.is_ascii_digit();
    let in_path = path
        .split(|c| !is_digit(c))
        .filter(|run| !run.is_empty())
        .count();
    let mut part = format!(
        "{host}{}",
        &path[..path.find(is_digit).unwrap_or(path.len())]
    );
    let mut numbers = in_path;
    for parameter in query.split('&').filter(|parameter| !parameter.is_empty()) {
        let (name, value) = parameter.split_once('=').unwrap_or((parameter, ""));
        part.push('&');
        part.push_str(name);
        numbers += usize::from(value.contains(is_digit));
    }
    (numbers >= 2).then(|| xxhash_rust::xxh3::xxh3_64(part.as_bytes()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn url(text: &str) -> CanonicalUrl {
        CanonicalUrl::parse(text).expect(text)
    }

    fn see(traps: &mut Traps, text: &str, useful: bool) {
        let url = url(text);
        traps.admitted(&url.host(), &url);
        traps.observe(&url.host(), &url, useful);
    }

    #[track_caller]
    fn check(traps: &Traps, text: &str, trap: Option<&str>) {
        let url = url(text);
        assert_eq!(traps.check(&url.host(), &url).err(), trap, "{text}");
    }

    #[test]
    fn an_empty_calendar_is_left_after_a_few_dozen_pages() {
        let mut traps = Traps::default();
        for day in 1..=USELESS_MIN {
            check(&traps, "http://a.example/calendar/2026/11/30", None);
            see(
                &mut traps,
                &format!("http://a.example/calendar/2026/11/{day}"),
                false,
            );
        }
        check(
            &traps,
            "http://a.example/calendar/2026/12/1",
            Some("trap_calendar"),
        );
        check(&traps, "http://a.example/calendar/2027/", None);
        check(&traps, "http://a.example/post/7", None);
        check(&traps, "http://b.example/calendar/2026/12/1", None);
    }

    #[test]
    fn an_archive_by_date_with_pages_in_it_is_no_trap() {
        let mut traps = Traps::default();
        for day in 1..=28 {
            for month in 1..=12 {
                let useful = day % 7 == 0;
                see(
                    &mut traps,
                    &format!("http://a.example/2025/{month}/{day}/"),
                    useful,
                );
            }
        }
        check(&traps, "http://a.example/2026/1/1/", None);
    }

    #[test]
    fn paths_that_grow_by_themselves_are_refused() {
        let traps = Traps::default();
        check(
            &traps,
            "http://a.example/a/b/a/b/a/b/a/b/",
            Some("trap_repeated_segment"),
        );
        check(
            &traps,
            &format!("http://a.example/{}", "x/y/".repeat(25)),
            Some("trap_deep_path"),
        );
        check(&traps, "http://a.example/docs/a/a/index.html", None);
        let query = (0..30)
            .map(|n| format!("p{n}=1"))
            .collect::<Vec<_>>()
            .join("&");
        check(
            &traps,
            &format!("http://a.example/?{query}"),
            Some("trap_long_query"),
        );
    }
}
