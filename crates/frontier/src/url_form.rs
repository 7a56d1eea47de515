//! The form of a URL: what kind of page is asked for; and the things that it names.
//!
//! Numbers, titles and names of single things are left out of a form, and what a script is asked for stays in it.
//! A word in small letters is such a wish, `route=product/product` or `action=profile`; where it is a title all the same,
//! it makes a form with few URLs, of which nothing is learnt.
//!
//! ```text
//!                                                      form                                    things
//! /index.php?route=product/product&id=12               /index.php?route=product/product&id     id=12
//! /threads/garden.12/reply                             /threads/*/reply                        /threads/garden.12
//! /goods/12                                            /goods/*                                /goods/12
//! ```
//!
//! For parameters forms are wider. One name is used for many things on a site: `sort` orders a list of goods, and stays in
//! the links to each of them, where it changes nothing. So what a parameter changes is learnt for the form of its URLs,
//! too ([`of_parameter`]): the path, and the first other parameter whose value is a word, as that of a script which
//! does all.

use xxhash_rust::xxh3::xxh3_64;

use crate::url::CanonicalUrl;

/// Bytes of a name in a path or of a value that stand for a kind of page; longer ones are those of one.
const WORD_BYTES: std::ops::RangeInclusive<usize> = 2..=24;
/// Segments of a path that are looked at.
const SEGMENTS_MAX: usize = 8;
/// Parameters of one URL that are looked at.
const PARAMETERS_SEEN_MAX: usize = 8;

/// What a URL says by its text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UrlForm {
    /// Its form, with the host.
    pub text: String,
    /// The things that it names on its host, hashed: first those of the path, then those of the query.
    pub things: Vec<u64>,
    /// How many of them are of the path.
    pub in_path: usize,
}

impl UrlForm {
    /// That of a URL.
    pub fn of(url: &CanonicalUrl) -> Self {
        let host = url.host();
        let mut text = host.to_string();
        let mut things = Vec::new();
        let path = url.path().trim_end_matches('/');
        let mut end = 0;
        for segment in path.split('/').skip(1).take(SEGMENTS_MAX) {
            end += 1 + segment.len();
            let is_last = end == path.len();
            let name = match is_last {
                true => of_last(segment, true),
                false => of_segment(segment),
            };
            text.extend(["/", name]);
            if name != segment {
                things.push(xxh3_64([host.as_str(), &path[..end]].concat().as_bytes()));
            }
        }
        let in_path = things.len();
        for (at, (piece, is_thing)) in query_pieces(url.path_and_query()).enumerate() {
            let (name, value) = piece.split_once('=').unwrap_or((piece, ""));
            text.extend([if at == 0 { "?" } else { "&" }, name]);
            match is_thing {
                true => things.push(Self::thing_in_query(host.as_str(), piece)),
                false if value.is_empty() => {}
                false => text.extend(["=", value]),
            }
        }
        Self {
            text,
            things,
            in_path,
        }
    }

    /// The thing that a piece of a query names on a host.
    pub fn thing_in_query(host: &str, piece: &str) -> u64 {
        xxh3_64([host, "?", piece].concat().as_bytes())
    }
}

/// The pieces of a URL's query, each with whether it names a thing.
pub fn query_pieces(url: &str) -> impl Iterator<Item = (&str, bool)> {
    let query = url.split_once('?').map_or("", |(_, query)| query);
    let pieces = query.split(['&', ';']).filter(|piece| !piece.is_empty());
    pieces.take(PARAMETERS_SEEN_MAX).map(|piece| {
        let value = piece.split_once('=').map_or("", |(_, value)| value);
        (piece, !value.is_empty() && !is_word(value))
    })
}

/// The form of a URL but for one parameter, and those that are to be left out; with the host.
pub(crate) fn of_parameter(
    url: &CanonicalUrl,
    parameter: &str,
    is_left_out: impl Fn(&str) -> bool,
) -> String {
    let mut form = url.host().to_string();
    let path = url.bare_path();
    let mut segments = path.split('/').skip(1).take(SEGMENTS_MAX).peekable();
    while let Some(segment) = segments.next() {
        form.push('/');
        form.push_str(match segments.peek() {
            Some(_) => of_segment(segment),
            None => of_last(segment, false),
        });
    }
    let parameters = url.parameters().take(PARAMETERS_SEEN_MAX);
    let mut words = parameters.filter(|(_, value)| is_word(value));
    let kind = words.find(|(name, _)| *name != parameter && !is_left_out(name));
    if let Some((name, value)) = kind {
        form.extend(["?", name, "=", value]);
    }
    form
}

fn of_segment(segment: &str) -> &str {
    let is_number = !segment.is_empty() && segment.bytes().all(|byte| byte.is_ascii_digit());
    let is_single = segment.len() > *WORD_BYTES.end()
        || segment
            .bytes()
            .any(|byte| byte.is_ascii_digit() || byte == b'%');
    match (is_number, is_single) {
        (true, _) => "#",
        (false, true) => "*",
        (false, false) => segment,
    }
}

/// A script has an extension and the name of what it does, a page has its own name; if it is a single word, that may
/// be what is done to it.
fn of_last(segment: &str, may_be_word: bool) -> &str {
    let is_script = segment.split_once('.').is_some_and(|(name, extension)| {
        let is_plain = extension.bytes().all(|byte| byte.is_ascii_alphanumeric());
        is_word(name)
            && is_plain
            && extension.starts_with(|first: char| first.is_ascii_alphabetic())
    });
    match is_script || segment.is_empty() || may_be_word && is_word(segment) {
        true => segment,
        false => "*",
    }
}

/// Small letters, and what stands between the words of a name that is no title.
fn is_word(value: &str) -> bool {
    let is_of_word = |byte: u8| byte.is_ascii_lowercase() || matches!(byte, b'_' | b'/');
    let escaped = value.split("%2F");
    WORD_BYTES.contains(&value.len()) && { escaped }.all(|part| part.bytes().all(is_of_word))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn url(text: &str) -> CanonicalUrl {
        CanonicalUrl::parse(&format!("http://a.example{text}")).expect(text)
    }

    #[test]
    fn the_form_of_a_parameter_is_the_path_and_what_a_script_is_asked_for() {
        #[track_caller]
        fn check(text: &str, expected: &str) {
            let form = of_parameter(&url(text), "sort", |name| name == "from");
            assert_eq!(form, format!("a.example{expected}"));
        }
        let product = "/index.php?route=product%2Fproduct";
        check(&format!("{product}&id=12&sort=name"), product);
        check(
            "/index.php?from=mail&route=list&sort=name",
            "/index.php?route=list",
        );
        check(
            "/index.php?title=Garden&action=history",
            "/index.php?action=history",
        );
        check("/showthread.php?tid=12&sort=name", "/showthread.php");
        check("/?sort=name", "/");
        check("/goods/12/lamps?sort=name", "/goods/#/*");
        check("/goods/red-lamp-7/view.html?sort=a", "/goods/*/view.html");
        check("/red-lamp.html?sort=name", "/*");
    }

    #[test]
    fn what_is_no_form_is_a_thing_that_other_forms_name_as_well() {
        #[track_caller]
        fn check(text: &str, form: &str, shown_by: &[(&str, bool)]) {
            let own = UrlForm::of(&url(text));
            assert_eq!(own.text, format!("a.example{form}"));
            for (other, is_shown) in shown_by {
                let other = UrlForm::of(&url(other));
                let common = own.things.iter().any(|thing| other.things.contains(thing));
                assert_eq!(common, *is_shown, "{text} {other:?}");
            }
        }
        check(
            "/posting.php?mode=reply&f=2&t=12",
            "/posting.php?mode=reply&f&t",
            &[
                ("/viewtopic.php?t=12", true),
                ("/viewtopic.php?t=13", false),
            ],
        );
        check(
            "/threads/garden.12/reply",
            "/threads/*/reply",
            &[("/threads/garden.12/", true), ("/threads/garden.1", false)],
        );
        check(
            "/index.php?action=quote;topic=12.0",
            "/index.php?action=quote&topic",
            &[
                ("/index.php?topic=12.0", true),
                ("/index.php?board=12.0", false),
            ],
        );
        check("/goods/12", "/goods/*", &[("/goods/12?print=1", true)]);
        check(
            "/wiki/Garden?action=edit",
            "/wiki/*?action=edit",
            &[("/wiki/Garden", true)],
        );
        check("/about/", "/about", &[("/about", false)]);
        check("/", "", &[]);
    }
}
