//! Seed lists: one URL per line, with what is said of it.
//!
//! Nothing is skipped in silence: every bad line is a problem with its line, its column and how
//! to mend it.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::fmt;

use crate::pointer::pointed;
use crate::scope::ScopeMode;
use crate::url::{CanonicalUrl, UrlError};

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

/// Quotes and brackets in which URLs are copied.
const QUOTES: &str = "\"'`<>“”‘’「」『』《》〈〉";

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

/// How to mend an address that is no URL to crawl.
fn mend_of(address: &str, error: &UrlError) -> String {
    if address.is_empty() {
        return "write the URL right after the colon".to_owned();
    }
    match error {
        UrlError::UserInfo(_) => "remove user name and password".to_owned(),
        UrlError::Length(_) => "a URL this long is not crawled".to_owned(),
        UrlError::Typed(_) => {
            let (scheme, rest) = address.split_once(':').unwrap_or(("https", address));
            let rest = rest.trim_start_matches(['/', '\\']);
            format!(
                "write the host: {scheme}://HOST/{rest}; or {scheme}://{rest} if that begins with it"
            )
        }
        UrlError::Scheme(_) | UrlError::Parse(..) | UrlError::Host(_) => {
            let absolute = "write an absolute http or https URL";
            if let Some((scheme, "")) = address.split_once("://") {
                let scheme = nearest(scheme, &["http", "https"]).unwrap_or("https");
                return format!("the host is missing: write {scheme}://HOST/");
            }
            if let Some(unquoted) = usable(address.trim_matches(|c| QUOTES.contains(c))) {
                return format!("take the quotes away: write {unquoted}");
            }
            if let Some(meant) = meant(address).and_then(|meant| usable(&meant)) {
                return format!("did you mean {meant}? {absolute}");
            }
            if let Some(whole) = with_scheme(address).and_then(|whole| usable(&whole)) {
                return format!("write it with its scheme: {whole}");
            }
            match error {
                UrlError::Parse(_, error) => mend_of_part(*error).unwrap_or(absolute).to_owned(),
                _ => absolute.to_owned(),
            }
        }
    }
}

/// An address that may be crawled: no other one is worth a hint.
fn usable(address: &str) -> Option<String> {
    let is_usable = CanonicalUrl::parse_typed(address).is_ok();
    is_usable.then(|| address.to_owned())
}

/// An address that has no scheme, with one.
fn with_scheme(address: &str) -> Option<String> {
    if address.contains("://") {
        return None;
    }
    let rest = address.trim_start_matches('/');
    // A server of one's own seldom has a certificate.
    let is_own =
        rest.starts_with("localhost") || rest.starts_with(|c: char| c.is_ascii_digit() || c == '[');
    let scheme = if is_own { "http" } else { "https" };
    Some(format!("{scheme}://{rest}"))
}

/// How to mend the part of a URL that does not parse.
fn mend_of_part(error: url::ParseError) -> Option<&'static str> {
    match error {
        url::ParseError::InvalidPort => Some("a port is a number up to 65535"),
        url::ParseError::InvalidIpv4Address => {
            Some("an address is four numbers up to 255, such as 192.0.2.1")
        }
        url::ParseError::InvalidIpv6Address => {
            Some("an address of eight parts stands in brackets, such as [2001:db8::1]")
        }
        url::ParseError::IdnaError | url::ParseError::InvalidDomainCharacter => {
            Some("check how the host is spelt")
        }
        _ => None,
    }
}

/// A full-width sign that joins a URL with the next one or with an option, which the URL standard would
/// take for a part of the path: where it stands, what is wrong, and how to mend it.
fn joined(address: &str) -> Option<(usize, String, String)> {
    let signs = address.char_indices();
    let mut signs = signs.filter(|(_, sign)| FULL_WIDTH_ENDS.contains(*sign));
    signs.find_map(|(at, sign)| {
        let (before, rest) = (&address[..at], &address[at + sign.len_utf8()..]);
        let lower = rest.to_ascii_lowercase();
        if lower.starts_with("http://") || lower.starts_with("https://") {
            let message = format!("the full-width sign {sign} joins two URLs");
            return Some((at, message, "write one URL a line".to_owned()));
        }
        let (key, value) = rest.split_once(['=', '＝'])?;
        let message = || format!("the full-width sign {sign} joins the URL and {key}");
        let mend = || format!("write a blank between them: {before} {key}={value}");
        KEYS.contains(&key).then(|| (at, message(), mend()))
    })
}

/// The URL that was meant where the signs behind the scheme are full-width, or one is missing.
fn meant(address: &str) -> Option<String> {
    let plain = address.replace('：', ":").replace('／', "/");
    let end = plain.find(|c: char| !c.is_ascii_alphabetic())?;
    let (scheme, rest) = plain.split_at(end);
    let scheme = nearest(scheme, &["http", "https"])?;
    let host = rest.trim_start_matches([':', '/', '\\']);
    let is_sign = rest.starts_with(':') || rest.starts_with("//");
    let written = format!("{scheme}://{host}");
    (is_sign && !host.is_empty() && written != address).then_some(written)
}

/// What a line says beside its URL.
#[derive(Default)]
struct Options {
    depth: Option<u32>,
    pages: Option<u64>,
    scope: Option<ScopeMode>,
    priority: Option<f32>,
    since: Option<String>,
}

impl Options {
    /// Sets `key=value`; an error is what is wrong and how to mend it.
    fn set(&mut self, part: &str) -> Result<(), (String, String)> {
        let keys = || format!("keys: {}", KEYS.join(", "));
        if part.contains('＝') {
            let mend = format!("write {}", part.replace('＝', "="));
            return Err((format!("{part:?} has a full-width ＝"), mend));
        }
        let Some((key, value)) = part.split_once('=') else {
            return Err((format!("{part:?} is no key=value"), keys()));
        };
        let wrong = |mend: &str| (format!("{key} cannot be {value:?}"), mend.to_owned());
        match key {
            "depth" => {
                let depth = value.parse();
                self.depth = Some(depth.map_err(|_| wrong("write a number, such as depth=3"))?);
            }
            "pages" => {
                let pages = value.parse().ok().filter(|&pages: &u64| pages > 0);
                let mend = "write a number above 0, such as pages=500";
                self.pages = Some(pages.ok_or_else(|| wrong(mend))?);
            }
            "scope" => {
                let modes = ["host", "domain", "prefix", "any"];
                let hint = hint(nearest(value, &modes));
                let mend = format!("{hint}choose host, domain, prefix or any");
                self.scope = Some(ScopeMode::from_name(value).ok_or_else(|| wrong(&mend))?);
            }
            "priority" => {
                let priority = value
                    .parse()
                    .ok()
                    .filter(|priority| (0.0..=1.0).contains(priority));
                self.priority =
                    Some(priority.ok_or_else(|| wrong("write a number from 0.0 to 1.0"))?);
            }
            "since" => {
                if !is_date(value) {
                    return Err(wrong(
                        "write a date of the calendar, such as since=2025-01-01",
                    ));
                }
                self.since = Some(value.to_owned());
            }
            _ => {
                let mend = hint(nearest(key, &KEYS)) + &keys();
                return Err((format!("unknown key {key:?}"), mend));
            }
        }
        Ok(())
    }
}

/// An option that is written with blanks around its sign: its key, its value, and how many further words
/// it takes.
fn spaced<'l>(part: &'l str, rest: &[(usize, &'l str)]) -> Option<(&'l str, &'l str, usize)> {
    let word = |at: usize| rest.get(at).map(|(_, word)| *word);
    let is_value = |word: &&str| !word.contains('=');
    let (key, value, taken) = match (part.strip_suffix('='), word(0)?) {
        (Some(key), value) => (key, Some(value), 1),
        (None, "=") => (part, word(1), 2),
        (None, next) => (part, next.strip_prefix('='), 1),
    };
    let value = value.filter(is_value).filter(|value| !value.is_empty())?;
    KEYS.contains(&key).then_some((key, value, taken))
}

/// The name that was probably meant.
fn nearest<'n>(name: &str, names: &[&'n str]) -> Option<&'n str> {
    if name.len() > 32 {
        return None;
    }
    let lower = name.to_lowercase();
    let distance = |other: &&&str| strsim::osa_distance(&lower, other);
    let nearest = names.iter().min_by_key(|other| distance(other))?;
    (distance(&nearest) <= 2).then_some(*nearest)
}

fn hint(name: Option<&str>) -> String {
    name.map_or(String::new(), |name| format!("did you mean {name}? "))
}

/// A year, a month or a day of the calendar.
fn is_date(text: &str) -> bool {
    let shape: String = text
        .chars()
        .map(|c| if c.is_ascii_digit() { '9' } else { c })
        .collect();
    let part =
        |range: std::ops::Range<usize>| text.get(range).and_then(|part| part.parse::<u8>().ok());
    if !matches!(shape.as_str(), "9999" | "9999-99" | "9999-99-99") {
        return false;
    }
    let year: u32 = text[..4].parse().expect("four digits");
    let month = part(5..7).unwrap_or(1);
    let day = part(8..10).unwrap_or(1);
    (1..=days_of(year, month)).contains(&day)
}

/// The days of a month; none of one that there is not.
fn days_of(year: u32, month: u8) -> u8 {
    let is_leap = year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400));
    match month {
        1 | 3 | 5 | 7 | 8 | 10 | 12 => 31,
        4 | 6 | 9 | 11 => 30,
        2 => 28 + u8::from(is_leap),
        _ => 0,
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
        problem(
            "https://a.example/数据库，",
            22,
            "take it away, or write %EF%BC%8C",
        );
        problem("https://a.example/ depth＝2", 20, "write depth=2");
    }

    #[test]
    fn the_same_url_twice_is_one_seed() {
        let (seeds, problems) =
            parse_seeds("s.txt", b"http://A.example:80/#x\nhttp://a.example/\n");
        assert_eq!((seeds.len(), problems.len()), (1, 0));
    }

    #[test]
    fn a_duplicate_is_told_with_the_line_that_counts() {
        let list = parse_seed_list(
            "s.txt",
            b"http://a.example/\n\nHTTP://A.example:80 depth=2\n",
        );
        assert_eq!((list.seeds.len(), list.problems.len()), (1, 0));
        assert_eq!(
            (list.duplicates[0].line, list.duplicates[0].first_line),
            (3, 1)
        );
    }

    #[test]
    fn every_problem_of_a_line_is_told_at_once() {
        let (_, problems) = parse_seeds(
            "s.txt",
            "例子.中国 depth=x depth=1 since=2025-13".as_bytes(),
        );
        let columns: Vec<usize> = problems.iter().map(|problem| problem.column).collect();
        assert_eq!(columns, [1, 7, 15, 23]);
    }

    #[test]
    fn blanks_around_the_sign_are_told_once_and_a_missing_host_as_that() {
        for line in ["scope = host", "scope =host", "scope= host"] {
            let list = format!("https://a.example/ {line} depth=2\n");
            let (_, problems) = parse_seeds("s.txt", list.as_bytes());
            assert_eq!(problems.len(), 1, "{line}: {problems:?}");
            assert_eq!(
                (problems[0].column, problems[0].mend.as_str()),
                (20, "write scope=host")
            );
        }
        problem("https://a.example/ scope", 20, "keys:");
        problem("http://", 1, "the host is missing: write http://HOST/");
        problem("htps://", 1, "the host is missing: write https://HOST/");
        problem("http//x.org/", 1, "did you mean http://x.org/?");
        problem("http：／／x.org/", 1, "did you mean http://x.org/?");
        problem(
            "127.0.0.1:80",
            1,
            "write it with its scheme: http://127.0.0.1:80",
        );
    }

    #[test]
    fn what_was_meant_is_guessed() {
        problem("htp://a.example/x", 1, "did you mean http://a.example/x?");
        problem("https://a.example/ Scope=host", 20, "did you mean scope?");
        problem("https://user:word@a.example/", 1, "remove user name");
        problem("sitemap: ", 9, "right after the colon");
        problem("https://a.example/\u{3000}depth=1", 19, "U+3000");
        problem("https://a.example/ https://b.example/", 20, "key");
    }

    #[test]
    fn a_hint_never_repeats_the_mistake() {
        for (line, mend) in [
            ("http://localhost:99999/", "a port is a number up to 65535"),
            ("http://a.example:80x/", "a port is a number up to 65535"),
            ("http://256.1.1.1/", "four numbers up to 255"),
            ("http://[::1/", "stands in brackets"),
            ("mailto:a@b", "write an absolute http or https URL"),
            ("javascript:void(0)", "write an absolute http or https URL"),
            (
                "\"https://a.example/\"",
                "take the quotes away: write https://a.example/",
            ),
            (
                "“https://a.example/”",
                "take the quotes away: write https://a.example/",
            ),
            (
                "<https://a.example/x>",
                "take the quotes away: write https://a.example/x",
            ),
            (
                "localhost:8080/x",
                "write it with its scheme: http://localhost:8080/x",
            ),
        ] {
            problem(line, 1, mend);
            let (_, problems) = parse_seeds("s.txt", line.as_bytes());
            assert!(
                !problems[0].mend.contains(line) || line.starts_with("localhost"),
                "{}",
                problems[0]
            );
        }
    }

    #[test]
    fn full_width_signs_that_join_are_told() {
        // Each was one URL with a long path.
        problem(
            "http://a.example/，http://b.example/",
            18,
            "write one URL a line",
        );
        problem(
            "https://a.example/q、HTTPS://b.example/",
            20,
            "joins two URLs",
        );
        problem(
            "https://a.example/q，depth=2",
            20,
            "write a blank between them: https://a.example/q depth=2",
        );
        problem(
            "https://a.example/q；since＝2025",
            20,
            "https://a.example/q since=2025",
        );
        let (seeds, problems) = parse_seeds("s.txt", "https://a.example/你好，世界=1".as_bytes());
        assert_eq!((seeds.len(), problems), (1, Vec::new()));
    }

    #[test]
    fn days_are_those_of_the_calendar() {
        for day in [
            "2025",
            "2025-02",
            "2025-02-28",
            "2024-02-29",
            "2000-02-29",
            "2025-12-31",
        ] {
            assert!(is_date(day), "{day}");
        }
        for day in [
            "2025-02-30",
            "2025-02-29",
            "1900-02-29",
            "2025-04-31",
            "2025-13",
            "2025-00",
            "2025-1-01",
            "2025-01-00",
        ] {
            assert!(!is_date(day), "{day}");
        }
        problem(
            "https://a.example/ since=2025-02-30",
            20,
            "a date of the calendar",
        );
    }

    #[test]
    fn lists_that_are_no_lists_cost_little() {
        assert_eq!(parse_seeds("s.txt", b"\xff\xfeh\0t\0").1.len(), 1);
        assert_eq!(
            parse_seeds("s.txt", &b"\xff\n".repeat(5_000)).1.len(),
            PROBLEMS_MAX + 1
        );
        assert_eq!(parse_seeds("s.txt", &[b'a'; 100_000]).1.len(), 1);
    }

    #[test]
    fn internationalised_hosts_are_read() {
        let (seeds, _) = parse_seeds("s.txt", "https://例子.中国/数据库#top # 中文".as_bytes());
        assert_eq!(seeds[0].url.host().as_str(), "xn--fsqu00a.xn--fiqs8s");
    }

    proptest::proptest! {
        #[test]
        fn no_list_panics_and_no_line_is_lost(lines in proptest::collection::vec("(https?://a.example/\\PC{0,3}|#)?\\PC{0,12}( depth=\\PC?)?", 0..6)) {
            let text = lines.join("\n");
            let list = parse_seed_list("s.txt", text.as_bytes());
            let used = text.lines().filter(|line| words(without_comment(line)).next().is_some()).count();
            let mut told: Vec<usize> = list.problems.iter().map(|problem| problem.line).collect();
            told.dedup();
            proptest::prop_assert_eq!(used, list.seeds.len() + list.duplicates.len() + told.len());
            for problem in &list.problems {
                let _ = problem.to_string();
            }
        }
    }

    #[test]
    fn bytes_that_are_not_utf8_are_told() {
        let (_, problems) = parse_seeds("s.txt", b"http://a.example/\xff\n");
        assert_eq!((problems[0].line, problems[0].column), (1, 18));
    }
}
