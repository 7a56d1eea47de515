//! What a canonical URL says by its text alone: its parts, its form and its words.

use url::form_urlencoded;
use xxhash_rust::xxh3::xxh3_64;

use crate::hashing::split_mix;

/// Bytes of a segment that may say what is done to a page rather than which one it is.
const ENDING_BYTES_MAX: usize = 16;

/// The number of a URL in the models: 32 bits of its hash.
pub(crate) fn url_id(url: &str) -> u32 {
    xxh3_64(url.as_bytes()) as u32
}

/// The beginning of a text, cut at a character, in at most `bytes_max` bytes.
pub(crate) fn clip(text: &str, bytes_max: usize) -> &str {
    &text[..text.floor_char_boundary(bytes_max)]
}

/// Host with port, path and query of a canonical URL.
#[derive(Debug, Clone, Copy)]
pub(crate) struct UrlParts<'a> {
    pub(crate) authority: &'a str,
    pub(crate) path: &'a str,
    pub(crate) query: &'a str,
}

impl<'a> UrlParts<'a> {
    pub(crate) fn of(url: &'a str) -> UrlParts<'a> {
        let url = url.split_once('#').map_or(url, |(url, _)| url);
        let rest = url.split_once("://").map_or(url, |(_, rest)| rest);
        let (rest, query) = rest.split_once('?').unwrap_or((rest, ""));
        let (authority, path) = rest.split_at(rest.find('/').unwrap_or(rest.len()));
        UrlParts {
            authority,
            path,
            query,
        }
    }
}

/// The form of a URL, as a hash without the host: a site's URLs of one form tend to be pages of one
/// kind. Any number stands for all numbers, the last segment of a path for all with its extension,
/// and other segments for themselves. So `/2014/12/a-post/` and `/2011/03/another/` have one form,
/// and `/tags/mysql/` has another. Of the query only the names of parameters count.
pub(crate) fn url_form(url: &UrlParts<'_>) -> u64 {
    parameter_names(url.query).fold(path_form(url), |form, name| form ^ name)
}

/// The forms of the URLs that share the form of the path, and one of the parameters.
pub(crate) fn parameter_forms(url: UrlParts<'_>) -> impl Iterator<Item = u64> {
    let path = path_form(&url);
    parameter_names(url.query).map(move |name| split_mix(path ^ name))
}

/// The form of the URLs that end in the same word, below any page: `/wiki/a/edit` and `/wiki/b/edit`, or in the
/// same with a number: `page-2`. None where the last segment is long, as titles are, or the only one.
pub(crate) fn ending_form(url: &UrlParts<'_>) -> Option<u64> {
    let mut segments = url.path.split('/').filter(|segment| !segment.is_empty());
    let (first, last) = (segments.next()?, segments.next_back()?);
    if last.len() > ENDING_BYTES_MAX || !last.contains(|c: char| c.is_alphabetic()) {
        return None;
    }
    let text = last.trim_end_matches(|c: char| c.is_ascii_digit());
    let depth = 2 + segments.count() as u64;
    let form = split_mix(xxh3_64(first.as_bytes()) ^ (depth << 56));
    Some(split_mix(form ^ xxh3_64(text.as_bytes())))
}

fn path_form(url: &UrlParts<'_>) -> u64 {
    let mut hash = 0u64;
    let mut segments = url
        .path
        .split('/')
        .filter(|segment| !segment.is_empty())
        .take(8)
        .peekable();
    let mut depth = 0u64;
    while let Some(segment) = segments.next() {
        depth += 1;
        let last = segments.peek().is_none();
        let digits = segment.bytes().filter(u8::is_ascii_digit).count();
        let part = if digits == segment.len() {
            1 // a number
        } else if last {
            let extension = segment
                .rsplit_once('.')
                .map_or("", |(_, extension)| extension);
            2 ^ xxh3_64(clip(extension, 8).as_bytes())
        } else if digits > 0 || segment.len() > 16 {
            3 // the name of a single thing
        } else {
            xxh3_64(segment.as_bytes())
        };
        hash = split_mix(hash ^ part ^ (depth << 56));
    }
    hash
}

/// The parameters of a query, as hashes of their names.
fn parameter_names(query: &str) -> impl Iterator<Item = u64> {
    let names = form_urlencoded::parse(query.as_bytes()).take(8);
    names.map(|(name, value)| match value.is_empty() && is_value(&name) {
        true => split_mix(xxh3_64(b"")),
        false => split_mix(xxh3_64(name.as_bytes())),
    })
}

/// Whether what has no value is rather a value without a name: `/frames.html?org/x/List.html`, `/page?1732640000`.
fn is_value(name: &str) -> bool {
    name.starts_with(|first: char| first.is_ascii_digit()) || name.contains(['/', '.'])
}

/// Path and query as a text to be cut into words: percent-decoded, separators as spaces.
pub(crate) fn url_text(url: &UrlParts<'_>) -> String {
    let path = url.path.as_bytes();
    let query = url.query.as_bytes();
    let mut bytes = Vec::with_capacity(path.len() + query.len() + 1);
    for part in [path, b"?", query] {
        let mut at = 0;
        while at < part.len().min(512) {
            let hex = |byte: u8| (byte as char).to_digit(16);
            if part[at] == b'%'
                && at + 2 < part.len()
                && let (Some(high), Some(low)) = (hex(part[at + 1]), hex(part[at + 2]))
            {
                bytes.push((high * 16 + low) as u8);
                at += 3;
            } else {
                let byte = part[at];
                // UAX 29 would keep these separators inside a word.
                bytes.push(if matches!(byte, b'_' | b'.' | b'+' | b'\'') {
                    b' '
                } else {
                    byte
                });
                at += 1;
            }
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_or_a_last_segment_stands_for_all() {
        let form = |url: &str| url_form(&UrlParts::of(url));
        let post = form("http://a.example/2014/12/a-post/");
        assert_eq!(post, form("http://a.example/2011/03/another-one/"));
        assert_ne!(post, form("http://a.example/tags/mysql/"));
        assert_ne!(
            form("http://a.example/x?page=1"),
            form("http://a.example/x")
        );
        assert_eq!(
            form("http://a.example/x?page=1"),
            form("http://a.example/x?page=2")
        );
        let frames = form("http://a.example/frames?org/x/List.html");
        assert_eq!(frames, form("http://a.example/frames?org/x/Map.html"));
        assert_eq!(frames, form("http://a.example/frames?1732640000"));
        assert_ne!(frames, form("http://a.example/frames?print"));
    }
}
