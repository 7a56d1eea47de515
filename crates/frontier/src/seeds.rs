//! Seed lists: one URL per line, with what is said of it.
//!
//! Nothing is skipped in silence: every bad line is a problem with its line, its column and how
//! to mend it.

use std::collections::HashMap;
use std::fmt;

use crate::scope::ScopeMode;
use crate::url::CanonicalUrl;

/// Largest seed list that is read, in bytes.
const LIST_BYTES_MAX: usize = 256 << 20;

/// Keys that a line may have.
const KEYS: [&str; 5] = ["depth", "pages", "scope", "priority", "since"];

/// A seed.
#[derive(Debug, Clone, PartialEq)]
pub struct SeedUrl {
    /// Its URL.
    pub url: CanonicalUrl,
    /// It is a sitemap to be read, not a page.
    pub sitemap: bool,
    /// Links from this seed.
    pub depth: Option<u32>,
    /// URLs of this seed.
    pub pages: Option<u64>,
    /// Which URLs belong to it.
    pub scope: Option<ScopeMode>,
    /// 0.0 to 1.0, larger first.
    pub priority: f32,
    /// Sitemap entries older than this date are left out.
    pub since: Option<String>,
    /// Where it was given, `file:line`.
    pub source: String,
}

impl SeedUrl {
    /// A seed of which nothing is said.
    pub fn new(url: CanonicalUrl) -> Self {
        Self {
            url,
            sitemap: false,
            depth: None,
            pages: None,
            scope: None,
            priority: 1.0,
            since: None,
            source: String::new(),
        }
    }
}

/// A line that cannot be used.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SeedProblem {
    /// The list's name.
    pub file: String,
    /// Line, from 1.
    pub line: usize,
    /// Column in characters, from 1.
    pub column: usize,
    /// The line.
    pub text: String,
    /// What is wrong.
    pub message: String,
    /// What to do.
    pub mend: String,
}

impl fmt::Display for SeedProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{}:{}:{}: {}",
            self.file, self.line, self.column, self.message
        )?;
        write!(f, "\n  {} | {}", self.line, self.text)?;
        let pad = self.line.to_string().len() + 3 + self.column;
        write!(
            f,
            "\n  {}^\n  {}",
            " ".repeat(pad.saturating_sub(1)),
            self.mend
        )
    }
}

/// Reads a seed list; `name` is for messages.
pub fn parse_seeds(name: &str, bytes: &[u8]) -> (Vec<SeedUrl>, Vec<SeedProblem>) {
    let mut list = List {
        name,
        seeds: Vec::new(),
        problems: Vec::new(),
        lines: HashMap::new(),
    };
    if bytes.len() > LIST_BYTES_MAX {
        list.problem(
            1,
            1,
            "",
            "the list is larger than 256 MB".into(),
            "split it",
        );
        return (list.seeds, list.problems);
    }
    let bytes = bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(bytes);
    for (number, line) in bytes.split(|&byte| byte == b'\n').enumerate() {
        let line = line.strip_suffix(b"\r").unwrap_or(line);
        match std::str::from_utf8(line) {
            Ok(line) => list.line(number + 1, line),
            Err(error) => {
                let text = String::from_utf8_lossy(line)
                    .chars()
                    .take(160)
                    .collect::<String>();
                let column = String::from_utf8_lossy(&line[..error.valid_up_to()])
                    .chars()
                    .count()
                    + 1;
                list.problem(
                    number + 1,
                    column,
                    &text,
                    "not UTF-8".into(),
                    "save the list as UTF-8",
                );
            }
        }
    }
    (list.seeds, list.problems)
}

struct List<'a> {
    name: &'a str,
    seeds: Vec<SeedUrl>,
    problems: Vec<SeedProblem>,
    lines: HashMap<(u128, bool), usize>,
}

impl List<'_> {
    fn problem(&mut self, line: usize, column: usize, text: &str, message: String, mend: &str) {
        self.problems.push(SeedProblem {
            file: self.name.to_owned(),
            line,
            column,
            text: text.chars().take(160).collect(),
            message,
            mend: mend.to_owned(),
        });
    }

    fn line(&mut self, number: usize, line: &str) {
        // A '#' begins a comment at the start of a line or after a blank; inside a URL it is a
        // fragment.
        let content = match line.trim_start().starts_with('#') {
            true => "",
            false => line
                .find(" #")
                .or_else(|| line.find("\t#"))
                .map_or(line, |at| &line[..at]),
        };
        let mut parts = words(content);
        let Some((at, first)) = parts.next() else {
            return;
        };
        let (sitemap, address, address_at) = match first.strip_prefix("sitemap:") {
            Some(rest) => (true, rest, at + "sitemap:".len()),
            None => (false, first, at),
        };
        let mut seed = match CanonicalUrl::parse(address) {
            Ok(url) => SeedUrl {
                sitemap,
                source: format!("{}:{number}", self.name),
                ..SeedUrl::new(url)
            },
            Err(error) => {
                let mend = if address.contains("://") {
                    "write an absolute http or https URL".to_owned()
                } else {
                    format!(
                        "write it with its scheme: https://{}",
                        address.trim_start_matches('/')
                    )
                };
                self.problem(
                    number,
                    column(line, address_at),
                    line,
                    error.to_string(),
                    &mend,
                );
                return;
            }
        };
        for (at, part) in parts {
            if let Err((message, mend)) = set(&mut seed, part) {
                self.problem(number, column(line, at), line, message, &mend);
                return;
            }
        }
        if self
            .lines
            .insert((seed.url.key(), sitemap), number)
            .is_none()
        {
            self.seeds.push(seed);
        }
    }
}

/// Sets `key=value`; an error is what is wrong and how to mend it.
fn set(seed: &mut SeedUrl, part: &str) -> Result<(), (String, String)> {
    let Some((key, value)) = part.split_once('=') else {
        return Err((
            format!("{part:?} is no key=value"),
            format!("keys: {}", KEYS.join(", ")),
        ));
    };
    let wrong = |mend: &str| (format!("{key} cannot be {value:?}"), mend.to_owned());
    match key {
        "depth" => {
            seed.depth = Some(
                value
                    .parse()
                    .map_err(|_| wrong("write a number, such as depth=3"))?,
            )
        }
        "pages" => {
            let pages = value.parse().ok().filter(|&pages: &u64| pages > 0);
            seed.pages =
                Some(pages.ok_or_else(|| wrong("write a number above 0, such as pages=500"))?);
        }
        "scope" => {
            seed.scope = Some(
                ScopeMode::from_name(value)
                    .ok_or_else(|| wrong("choose host, domain, prefix or any"))?,
            );
        }
        "priority" => {
            let priority = value
                .parse()
                .ok()
                .filter(|priority| (0.0..=1.0).contains(priority));
            seed.priority = priority.ok_or_else(|| wrong("write a number from 0.0 to 1.0"))?;
        }
        "since" => {
            let shape: String = value
                .chars()
                .map(|c| if c.is_ascii_digit() { '9' } else { c })
                .collect();
            if !matches!(shape.as_str(), "9999" | "9999-99" | "9999-99-99") {
                return Err(wrong("write a date, such as since=2025-01-01"));
            }
            seed.since = Some(value.to_owned());
        }
        _ => {
            let near = KEYS
                .iter()
                .find(|known| known.starts_with(&key[..key.len().min(2)]));
            let hint = near.map_or(String::new(), |known| format!("did you mean {known}? "));
            return Err((
                format!("unknown key {key:?}"),
                format!("{hint}keys: {}", KEYS.join(", ")),
            ));
        }
    }
    Ok(())
}

/// Words of a line with their byte offsets.
fn words(line: &str) -> impl Iterator<Item = (usize, &str)> {
    line.split([' ', '\t'])
        .filter(|word| !word.is_empty())
        .map(move |word| (word.as_ptr() as usize - line.as_ptr() as usize, word))
}

fn column(line: &str, offset: usize) -> usize {
    line.get(..offset)
        .map_or(1, |before| before.chars().count() + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_with_comments_options_and_crlf_is_read() {
        let list = "\u{feff}# seeds\r\nhttps://postgres.fun/\r\n\r\nhttps://b.example/x   depth=3 pages=500 # why\r\nsitemap:https://c.example/s.xml since=2025-01-01\r\n";
        let (seeds, problems) = parse_seeds("s.txt", list.as_bytes());
        assert_eq!(problems, []);
        assert_eq!(seeds.len(), 3);
        assert_eq!((seeds[1].depth, seeds[1].pages), (Some(3), Some(500)));
        assert!(seeds[2].sitemap && seeds[2].since.is_some());
        assert_eq!(seeds[2].source, "s.txt:5");
    }

    #[track_caller]
    fn problem(line: &str, column: usize, words: &str) {
        let (seeds, problems) = parse_seeds("s.txt", line.as_bytes());
        assert_eq!((seeds.len(), problems.len()), (0, 1), "{line}");
        assert_eq!(problems[0].column, column, "{line}");
        assert!(problems[0].to_string().contains(words), "{}", problems[0]);
    }

    #[test]
    fn every_bad_line_is_told_with_its_column_and_mend() {
        problem("example.org", 1, "https://example.org");
        problem("https://a.example/ dept=3", 20, "did you mean depth?");
        problem("https://a.example/ depth=x", 20, "such as depth=3");
        problem(
            "https://a.example/ scope=hots",
            20,
            "host, domain, prefix or any",
        );
        problem("https://a.example/ priority=7", 20, "0.0 to 1.0");
        problem("ftp://a.example/", 1, "neither http nor https");
    }

    #[test]
    fn the_same_url_twice_is_one_seed() {
        let (seeds, problems) =
            parse_seeds("s.txt", b"http://A.example:80/#x\nhttp://a.example/\n");
        assert_eq!((seeds.len(), problems.len()), (1, 0));
    }

    #[test]
    fn bytes_that_are_not_utf8_are_told() {
        let (_, problems) = parse_seeds("s.txt", b"http://a.example/\xff\n");
        assert_eq!((problems[0].line, problems[0].column), (1, 18));
    }
}
