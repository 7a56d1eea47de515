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

/// The sort key of a URL: the host's labels from the last to the first, then the path; in small
/// letters, without `www`, and with the parameters of the query in order.
fn surt(url: &str) -> String {
    let Ok(parsed) = Url::parse(url) else {
        return url.to_ascii_lowercase();
    };
    let host = parsed.host_str().unwrap_or_default().to_ascii_lowercase();
    let host = without_www(&host);
    let is_name = matches!(parsed.host(), Some(url::Host::Domain(_)));
    let mut key = match is_name {
        true => host.rsplit('.').collect::<Vec<_>>().join(","),
        false => host.to_owned(),
    };
    if let Some(port) = parsed.port() {
        key += &format!(":{port}");
    }
    key.push(')');
    let path = parsed.path().to_ascii_lowercase();
    key += match path.trim_end_matches('/') {
        "" => "/",
        path => path,
    };
    if let Some(query) = parsed.query().filter(|query| !query.is_empty()) {
        let query = query.to_ascii_lowercase();
        let mut parameters: Vec<&str> = query.split('&').collect();
        parameters.sort_unstable();
        key.push('?');
        key += &parameters.join("&");
    }
    key
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
            ("http://192.168.0.1/x", "192.168.0.1)/x"),
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
