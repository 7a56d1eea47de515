//! Seed lists: one URL per line, with what is said of it.
//!
//! Nothing is skipped in silence: every bad line is a problem with its line, its column and how
//! to mend it.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::fmt;

use crate::pointer::pointed;
use crate::scope::ScopeMode;
use crate::url::CanonicalUrl;

mod mend;
mod options;

use mend::{joined, mend_of};
use options::{Options, spaced};

/// Largest seed list that is read, in bytes.
const LIST_BYTES_MAX: usize = 256 << 20;
/// Longest line, in bytes: a URL may have 2,048.
const LINE_BYTES_MAX: usize = 8_192;
/// Problems told of one list; a list with more is another kind of file.
const PROBLEMS_MAX: usize = 1_000;
/// Characters of a bad line that are shown.
const SHOWN_MAX: usize = 160;

/// Signs after a URL that was copied out of a Chinese sentence, or between what a line says.
const FULL_WIDTH_ENDS: &str = "，。；、";

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
        let line = pointed(self.line, self.column, &self.text);
        write!(f, "\n{line}\n  {}", self.mend)
    }
}

/// A seed that another line gave already, as its canonical URL shows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SeedDuplicate {
    /// Line, from 1.
    pub line: usize,
    /// The line that counts.
    pub first_line: usize,
    /// The URL.
    pub url: CanonicalUrl,
}

/// What a seed list holds.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct SeedList {
    /// The seeds, in their order, each URL once.
    pub seeds: Vec<SeedUrl>,
    /// Lines that cannot be used.
    pub problems: Vec<SeedProblem>,
    /// Lines that say again what an earlier one said; the earlier one counts.
    pub duplicates: Vec<SeedDuplicate>,
}

/// Reads a seed list; `name` is for messages.
pub fn parse_seeds(name: &str, bytes: &[u8]) -> (Vec<SeedUrl>, Vec<SeedProblem>) {
    let list = parse_seed_list(name, bytes);
    (list.seeds, list.problems)
}

/// Reads a seed list, duplicates told; `name` is for messages.
pub fn parse_seed_list(name: &str, bytes: &[u8]) -> SeedList {
    let mut reader = Reader {
        name,
        list: SeedList::default(),
        lines: HashMap::new(),
    };
    if bytes.len() > LIST_BYTES_MAX {
        reader.problem(
            1,
            1,
            "",
            "the list is larger than 256 MB".into(),
            "split it",
        );
        return reader.list;
    }
    if bytes.starts_with(b"\xFF\xFE") || bytes.starts_with(b"\xFE\xFF") {
        reader.problem(
            1,
            1,
            "",
            "the list is UTF-16".into(),
            "save the list as UTF-8",
        );
        return reader.list;
    }
    if let Some((packed, mend)) = packed(bytes) {
        reader.problem(1, 1, "", format!("the list is {packed}"), mend);
        return reader.list;
    }
    let bytes = bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(bytes);
    for (index, line) in bytes.split(|&byte| byte == b'\n').enumerate() {
        reader.line_of_bytes(index + 1, line.strip_suffix(b"\r").unwrap_or(line));
        if reader.list.problems.len() >= PROBLEMS_MAX {
            let message = format!("more than {PROBLEMS_MAX} bad lines");
            reader.problem(
                index + 1,
                1,
                "",
                message,
                "give a seed list: one URL per line",
            );
            break;
        }
    }
    reader.list
}

/// How a list is packed, by its first bytes, and how to unpack it.
fn packed(bytes: &[u8]) -> Option<(&'static str, &'static str)> {
    let forms: [(&[u8], _, _); 5] = [
        (b"\x1F\x8B", "gzip", "unpack it: gunzip -k FILE"),
        (b"PK\x03\x04", "a zip file", "unpack it: unzip FILE"),
        (b"\x28\xB5\x2F\xFD", "zstd", "unpack it: unzstd FILE"),
        (b"\xFD7zXZ\x00", "xz", "unpack it: unxz -k FILE"),
        (b"BZh", "bzip2", "unpack it: bunzip2 -k FILE"),
    ];
    let form = forms.into_iter().find(|form| bytes.starts_with(form.0));
    // A list may begin with any letters.
    let form = form.filter(|form| form.1 != "bzip2" || bytes.get(4..10) == Some(b"1AY&SY"));
    form.map(|(_, name, mend)| (name, mend))
}

struct Reader<'a> {
    name: &'a str,
    list: SeedList,
    lines: HashMap<(u128, bool), usize>,
}

impl Reader<'_> {
    fn problem(&mut self, line: usize, column: usize, text: &str, message: String, mend: &str) {
        self.list.problems.push(SeedProblem {
            file: self.name.to_owned(),
            line,
            column,
            text: text.chars().take(SHOWN_MAX).collect(),
            message,
            mend: mend.to_owned(),
        });
    }

    fn line_of_bytes(&mut self, number: usize, line: &[u8]) {
        if line.len() > LINE_BYTES_MAX {
            let text = String::from_utf8_lossy(&line[..SHOWN_MAX]).into_owned();
            let message = format!("the line is longer than {LINE_BYTES_MAX} bytes");
            self.problem(number, 1, &text, message, "give one URL per line");
            return;
        }
        match std::str::from_utf8(line) {
            Ok(line) => self.line(number, line),
            Err(error) => {
                let valid = &line[..error.valid_up_to()];
                let column = String::from_utf8_lossy(valid).chars().count() + 1;
                let text = String::from_utf8_lossy(line).into_owned();
                self.problem(
                    number,
                    column,
                    &text,
                    "not UTF-8".into(),
                    "save the list as UTF-8",
                );
            }
        }
    }

    fn line(&mut self, number: usize, line: &str) {
        let mut parts = words(without_comment(line));
        let Some((at, first)) = parts.next() else {
            return;
        };
        let problems_before = self.list.problems.len();
        let (sitemap, address, address_at) = match first.strip_prefix("sitemap:") {
            Some(rest) => (true, rest, at + "sitemap:".len()),
            None => (false, first, at),
        };
        let url = self.address(number, line, address, address_at);
        let mut given: Vec<&str> = Vec::new();
        let mut options = Options::default();
        let parts: Vec<(usize, &str)> = parts.collect();
        let mut left = &parts[..];
        while let Some((&(at, part), rest)) = left.split_first() {
            left = rest;
            if let Some((key, value, taken)) = spaced(part, rest) {
                left = &rest[taken..];
                let mend = format!("write {key}={value}");
                let message = format!("there are blanks around the = of {key}");
                self.problem(number, column(line, at), line, message, &mend);
                continue;
            }
            let key = part.split('=').next().unwrap_or(part);
            let result = match given.contains(&key) {
                true => Err((
                    format!("{key} is given twice"),
                    "remove one of them".to_owned(),
                )),
                false => options.set(part),
            };
            given.push(key);
            if let Err((message, mend)) = result {
                self.problem(number, column(line, at), line, message, &mend);
            }
        }
        let Some(url) = url.filter(|_| self.list.problems.len() == problems_before) else {
            return;
        };
        match self.lines.entry((url.key(), sitemap)) {
            Entry::Occupied(first) => {
                let first_line = *first.get();
                self.list.duplicates.push(SeedDuplicate {
                    line: number,
                    first_line,
                    url,
                });
            }
            Entry::Vacant(entry) => {
                entry.insert(number);
                self.list.seeds.push(SeedUrl {
                    sitemap,
                    depth: options.depth,
                    pages: options.pages,
                    scope: options.scope,
                    priority: options.priority.unwrap_or(1.0),
                    since: options.since,
                    source: format!("{}:{number}", self.name),
                    ..SeedUrl::new(url)
                });
            }
        }
    }

    /// The URL of a line; tells what is wrong with it.
    fn address(
        &mut self,
        number: usize,
        line: &str,
        address: &str,
        at: usize,
    ) -> Option<CanonicalUrl> {
        // The URL standard would take these for a part of the path.
        let odd =
            |c: char| c.is_whitespace() || c.is_control() || matches!(c, '\u{200b}' | '\u{feff}');
        if let Some((offset, c)) = address.char_indices().find(|&(_, c)| odd(c)) {
            let message = format!("an unusual blank, U+{:04X}", u32::from(c));
            self.problem(
                number,
                column(line, at + offset),
                line,
                message,
                "write an ordinary one",
            );
            return None;
        }
        // So would it these, which end a sentence and seldom a URL.
        if let Some((offset, sign)) = address
            .char_indices()
            .next_back()
            .filter(|(_, sign)| FULL_WIDTH_ENDS.contains(*sign))
        {
            let message = format!("the URL ends with the full-width sign {sign}");
            let escaped: String =
                url::form_urlencoded::byte_serialize(sign.to_string().as_bytes()).collect();
            let mend = format!("take it away, or write {escaped} where it belongs to the URL");
            self.problem(number, column(line, at + offset), line, message, &mend);
            return None;
        }
        if let Some((offset, message, mend)) = joined(address) {
            self.problem(number, column(line, at + offset), line, message, &mend);
            return None;
        }
        match CanonicalUrl::parse_typed(address) {
            Ok(url) => Some(url),
            Err(error) => {
                let mend = mend_of(address, &error);
                self.problem(number, column(line, at), line, error.to_string(), &mend);
                None
            }
        }
    }
}

/// A '#' begins a comment at the start of a line or after a blank; inside a URL it is a fragment.
fn without_comment(line: &str) -> &str {
    let mut before = ' ';
    for (at, c) in line.char_indices() {
        if c == '#' && matches!(before, ' ' | '\t') {
            return &line[..at];
        }
        before = c;
    }
    line
}

/// Words of a line with their byte offsets.
fn words(line: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut at = 0;
    line.split([' ', '\t']).filter_map(move |word| {
        let start = at;
        at += word.len() + 1;
        (!word.is_empty()).then_some((start, word))
    })
}

/// A byte offset as a column in characters, from 1.
fn column(line: &str, offset: usize) -> usize {
    line.get(..offset)
        .map_or(1, |before| before.chars().count() + 1)
}

#[cfg(test)]
mod tests;
