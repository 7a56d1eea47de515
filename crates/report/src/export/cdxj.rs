//! An index of the archive's captures in the form of CDXJ, which replay tools such as pywb read.
//!
//! A line is the URL as a sort key (SURT), the time in 14 digits, and JSON that says where the record
//! stands. Lines are in the order of their bytes, as binary search in the file needs.

use archive::{BodyRef, Capture};
use serde_json::json;
use url::Url;

/// The line of a capture.
pub(super) fn line(url: &str, capture: &Capture, at: &BodyRef) -> String {
    let mime = match (capture.is_revisit, capture.content_type.as_str()) {
        (true, _) => "warc/revisit",
        (false, "") => "unk",
        (false, mime) => mime,
    };
    let fields = json!({
        "url": url,
        "mime": mime,
        "status": capture.status.to_string(),
        "digest": capture.digest,
        "length": at.len.to_string(),
        "offset": at.offset.to_string(),
        "filename": at.file_name(),
    });
    format!("{} {} {fields}", surt(url), timestamp(&capture.date))
}

/// `20261121102503` of `2026-11-21T10:25:03.120Z`.
fn timestamp(date: &str) -> String {
    let digits = date.split('.').next().unwrap_or_default();
    digits
        .chars()
        .filter(char::is_ascii_digit)
        .take(14)
        .collect()
}

/// The sort key of a URL as the `surt` of replay tools makes it: the host's labels from the last to the first,
/// then the path; in small letters, without `www`, escapes undone where a URL can do without, and the parameters
/// of the query in order.
fn surt(url: &str) -> String {
    let Ok(parsed) = Url::parse(url) else {
        return url.to_ascii_lowercase();
    };
    let host = parsed.host_str().unwrap_or_default().to_ascii_lowercase();
    let host = without_www(&host).trim_matches(['[', ']']);
    let mut key = host.rsplit('.').collect::<Vec<_>>().join(",");
    if let Some(port) = parsed.port() {
        key += &format!(":{port}");
    }
    key += ")/";
    let path = least_escaped(parsed.path());
    let mut folders: Vec<&str> = Vec::new();
    for folder in path
        .split('/')
        .filter(|folder| !matches!(*folder, "" | "."))
    {
        match folder {
            ".." => drop(folders.pop()),
            _ => folders.push(folder),
        }
    }
    key += &folders.join("/");
    if let Some(query) = parsed.query().filter(|query| !query.is_empty()) {
        let query = least_escaped(query);
        let mut parameters: Vec<&str> = query.split('&').collect();
        parameters.sort_by_key(|parameter| match parameter.split_once('=') {
            Some((name, value)) => (name, Some(value)),
            None => (*parameter, None),
        });
        key.push('?');
        key += &parameters.join("&");
    }
    key
}

/// A part of a URL in small letters, with no more escapes than it needs: those of `%41` and of `%2541` are undone.
fn least_escaped(part: &str) -> String {
    let mut bytes = part.as_bytes().to_vec();
    loop {
        let undone = unescaped(&bytes);
        if undone.len() == bytes.len() {
            break;
        }
        bytes = undone;
    }
    let mut text = String::with_capacity(bytes.len());
    for byte in bytes {
        match byte {
            b'%' | b'#' | 0..=b' ' | 0x7f.. => text += &format!("%{byte:02x}"),
            _ => text.push(char::from(byte.to_ascii_lowercase())),
        }
    }
    text
}

fn unescaped(bytes: &[u8]) -> Vec<u8> {
    let digit = |at: usize| {
        bytes
            .get(at)
            .and_then(|&byte| char::from(byte).to_digit(16))
    };
    let mut undone = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while let Some(&byte) = bytes.get(at) {
        match (byte, digit(at + 1), digit(at + 2)) {
            (b'%', Some(high), Some(low)) => {
                undone.push((high * 16 + low) as u8);
                at += 3;
            }
            _ => {
                undone.push(byte);
                at += 1;
            }
        }
    }
    undone
}

/// The host without `www.`, `www2.` and the like.
fn without_www(host: &str) -> &str {
    let rest = host.strip_prefix("www");
    let rest = rest.map(|rest| rest.trim_start_matches(|c: char| c.is_ascii_digit()));
    rest.and_then(|rest| rest.strip_prefix('.')).unwrap_or(host)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_those_of_replay_tools() {
        for (url, key) in [
            ("http://www.Example.com/", "com,example)/"),
            (
                "https://a.b.example.com/Path/X.html",
                "com,example,b,a)/path/x.html",
            ),
            ("http://www2.example.com:8080/dir/", "com,example:8080)/dir"),
            ("http://example.com/?b=2&A=1", "com,example)/?a=1&b=2"),
            ("http://192.168.0.1:81/x", "1,0,168,192:81)/x"),
            ("http://[::1]:81/x", "::1:81)/x"),
            ("http://a.example/brace%7B1%7D", "example,a)/brace{1}"),
            ("http://a.example/per%25cent", "example,a)/per%cent"),
            ("http://a.example/100%25", "example,a)/100%25"),
            ("http://a.example/%23x%20y", "example,a)/%23x%20y"),
            ("http://a.example/a%2f..%2fb//", "example,a)/b"),
            ("http://a.example/路", "example,a)/%e8%b7%af"),
            ("http://a.example/?x=1&y=a%26b", "example,a)/?b&x=1&y=a"),
            (
                "http://a.example/?b&a&b=&a=2&a-b=1",
                "example,a)/?a&a=2&a-b=1&b&b=",
            ),
            ("http://www.com/", "com)/"),
        ] {
            assert_eq!(surt(url), key);
        }
        assert_eq!(timestamp("2026-11-21T10:25:03.120Z"), "20261121102503");
    }

    #[test]
    fn a_line_has_key_time_and_place() {
        let capture = Capture {
            record_id: String::new(),
            date: "2026-11-21T10:25:03Z".into(),
            is_revisit: false,
            digest: "ABC".into(),
            content_type: "text/html".into(),
            status: 200,
        };
        let at = BodyRef {
            file: 1,
            offset: 7,
            len: 9,
        };
        let line = line("http://a.example/x", &capture, &at);
        let (head, json) = line.split_at(line.find('{').unwrap());
        assert_eq!(head, "example,a)/x 20261121102503 ");
        let fields: serde_json::Value = serde_json::from_str(json).unwrap();
        assert_eq!(
            (&fields["offset"], &fields["filename"]),
            (&"7".into(), &"00001.warc.gz".into())
        );
    }
}
