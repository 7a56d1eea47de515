//! Endless parts of hosts: URLs that are refused by their shape and by what the like of them gave.

use crate::host::HostKey;
use crate::url::CanonicalUrl;

/// Path segments in a URL at most.
const SEGMENTS_MAX: usize = 40;
/// Times one segment may follow in a path.
const REPEATS_MAX: usize = 3;
/// Parameters in a query at most.
const PARAMETERS_MAX: usize = 20;
/// Useless pages of one numbered template after which its further pages are refused, as long as
/// none was useful.
const USELESS_MAX: u32 = 30;
/// Distinct queries of one path, none of which gave anything.
const TEMPLATES_MAX: usize = 100_000;

/// What pages of one template gave.
#[derive(Debug, Clone, Copy, Default)]
struct Yield {
    admitted: u32,
    useful: u32,
    useless: u32,
}

/// The trap rules and what they have seen.
#[derive(Debug, Default)]
pub(crate) struct Traps {
    templates: hashbrown::HashMap<u64, Yield>,
}

impl Traps {
    /// Refuses a URL that belongs to a trap, by the trap's name.
    pub(crate) fn check(&self, host: &HostKey, url: &CanonicalUrl) -> Result<(), &'static str> {
        let (path, query) = url
            .path_and_query()
            .split_once('?')
            .unwrap_or((url.path_and_query(), ""));
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
        if let Some(template) = numbered_template(host, path, query) {
            if let Some(seen) = self.templates.get(&template) {
                // What is on its way counts half: it is likely to be like the rest.
                let open = seen.admitted.saturating_sub(seen.useful + seen.useless);
                if seen.useful == 0
                    && (seen.useless >= USELESS_MAX || seen.useless >= 5 && open >= USELESS_MAX)
                {
                    return Err("trap_calendar");
                }
            }
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
        let (path, query) = url
            .path_and_query()
            .split_once('?')
            .unwrap_or((url.path_and_query(), ""));
        let template = numbered_template(host, path, query)?;
        if self.templates.len() >= TEMPLATES_MAX && !self.templates.contains_key(&template) {
            return None;
        }
        Some(self.templates.entry(template).or_default())
    }
}

/// The shape of a URL with numbers in it, hashed: its host and path with each run of digits made
/// one sign, down to the last number, and the names of its query's parameters. `None` for a URL
/// without two numbers: counting needs one, a calendar two.
fn numbered_template(host: &HostKey, path: &str, query: &str) -> Option<u64> {
    let mut shape = String::with_capacity(host.as_str().len() + path.len());
    shape.push_str(host.as_str());
    let mut numbers = 0;
    let mut in_number = false;
    for c in path.chars() {
        if c.is_ascii_digit() {
            if !in_number {
                shape.push('#');
                numbers += 1;
            }
            in_number = true;
        } else {
            in_number = false;
            shape.push(c);
        }
    }
    for parameter in query.split('&').filter(|parameter| !parameter.is_empty()) {
        let (name, value) = parameter.split_once('=').unwrap_or((parameter, ""));
        shape.push('&');
        shape.push_str(name);
        numbers += usize::from(value.contains(|c: char| c.is_ascii_digit()));
    }
    (numbers >= 2).then(|| xxhash_rust::xxh3::xxh3_64(shape.as_bytes()))
}
