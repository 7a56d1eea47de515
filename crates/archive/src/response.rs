//! A response as it goes into the archive: head and body as received, with one change.
//!
//! The HTTP library has joined the chunks of a chunked body. A `Transfer-Encoding` field would be wrong
//! then, and tools that replay archives would fail on it. It is kept under the name
//! `X-Archive-Orig-Transfer-Encoding`, as other archivers do.

use std::net::IpAddr;

use sha1::{Digest, Sha1};

/// A response to archive.
#[derive(Debug, Clone, Copy, Default)]
pub struct Response<'a> {
    /// The URL that was asked for.
    pub url: &'a str,
    /// HTTP status.
    pub status: u16,
    /// `HTTP/1.1`, `HTTP/1.0` or `HTTP/2`.
    pub http_version: &'a str,
    /// The head's fields in order.
    pub headers: &'a [(String, Vec<u8>)],
    /// The body, still content-encoded.
    pub body: &'a [u8],
    /// The peer's address.
    pub ip: Option<IpAddr>,
    /// Why the body is not whole: `bytes`, `time` or `disconnect`.
    pub truncated: Option<&'a str>,
    /// When the request was sent, milliseconds since the Unix epoch; 0 for the record's time.
    pub started_ms: u64,
    /// The fields of the request as sent, without `Host`; empty to write no request record.
    pub request: &'a [(String, String)],
}

/// The response's head in the form of HTTP/1.1. HTTP/2 has no textual head, but readers of archives
/// expect one; `WARC-Protocol` names the protocol that was spoken.
pub(crate) fn http_head(response: &Response<'_>) -> Vec<u8> {
    let mut head = Vec::with_capacity(64 + response.headers.len() * 48);
    let version = match response.http_version {
        "HTTP/1.0" => "HTTP/1.0",
        _ => "HTTP/1.1",
    };
    head.extend_from_slice(version.as_bytes());
    head.extend_from_slice(format!(" {:03}", response.status).as_bytes());
    let reason = reason(response.status);
    head.push(b' ');
    head.extend_from_slice(reason.as_bytes());
    head.extend_from_slice(b"\r\n");
    for (name, value) in response.headers {
        if name.eq_ignore_ascii_case("transfer-encoding") {
            head.extend_from_slice(b"X-Archive-Orig-");
        }
        push_clean(&mut head, name.as_bytes());
        head.extend_from_slice(b": ");
        push_clean(&mut head, value);
        head.extend_from_slice(b"\r\n");
    }
    head.extend_from_slice(b"\r\n");
    head
}

/// The request's head. Only GET requests are made.
pub(crate) fn request_head(response: &Response<'_>) -> Vec<u8> {
    let after_scheme = response
        .url
        .split_once("://")
        .map_or(response.url, |(_, rest)| rest);
    let host_bytes = after_scheme
        .find(['/', '?', '#'])
        .unwrap_or(after_scheme.len());
    let (host, path) = after_scheme.split_at(host_bytes);
    let path = path.split('#').next().unwrap_or_default();
    let host = host.rsplit('@').next().unwrap_or_default();
    let mut head = b"GET ".to_vec();
    if !path.starts_with('/') {
        head.push(b'/');
    }
    push_clean(&mut head, path.as_bytes());
    head.extend_from_slice(b" HTTP/1.1\r\nHost: ");
    push_clean(&mut head, host.as_bytes());
    head.extend_from_slice(b"\r\n");
    for (name, value) in response.request {
        push_clean(&mut head, name.as_bytes());
        head.extend_from_slice(b": ");
        push_clean(&mut head, value.as_bytes());
        head.extend_from_slice(b"\r\n");
    }
    head.extend_from_slice(b"\r\n");
    head
}

/// Appends a name or value without line breaks, which would begin another field.
fn push_clean(head: &mut Vec<u8>, text: &[u8]) {
    head.extend(text.iter().map(|&byte| match byte {
        b'\r' | b'\n' | 0 => b' ',
        other => other,
    }));
}

/// Whether the body is compressed already: it is content-encoded, or of a format that compresses by
/// itself. Compressing it again would gain nothing.
pub(crate) fn is_compressed(response: &Response<'_>) -> bool {
    let value = |name: &str| {
        response
            .headers
            .iter()
            .find(|(field, _)| field.eq_ignore_ascii_case(name))
            .map(|(_, value)| String::from_utf8_lossy(value).to_ascii_lowercase())
            .unwrap_or_default()
    };
    let encoding = value("content-encoding");
    if !matches!(encoding.trim(), "" | "identity") {
        return true;
    }
    let content_type = value("content-type");
    [
        "image/",
        "video/",
        "audio/",
        "application/zip",
        "application/gzip",
        "font/woff",
    ]
    .iter()
    .any(|packed| content_type.starts_with(packed))
        && !content_type.starts_with("image/svg")
}

pub(crate) fn payload_sha1(body: &[u8]) -> [u8; 20] {
    Sha1::digest(body).into()
}

/// RFC 4648 base32 of a SHA-1, the form that WARC tools compare; 20 bytes need no padding.
pub(crate) fn base32(digest: &[u8; 20]) -> String {
    const ALPHABET: &[u8; 32] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";
    let mut text = String::with_capacity(32);
    for five in digest.chunks(5) {
        let bits = five
            .iter()
            .fold(0u64, |bits, &byte| bits << 8 | u64::from(byte));
        for at in (0..8).rev() {
            text.push(char::from(ALPHABET[(bits >> (at * 5) & 31) as usize]));
        }
    }
    text
}

/// The usual reason phrase of a status. HTTP libraries do not keep what the server wrote there.
fn reason(status: u16) -> &'static str {
    match status {
        200 => "OK",
        204 => "No Content",
        206 => "Partial Content",
        301 => "Moved Permanently",
        302 => "Found",
        303 => "See Other",
        304 => "Not Modified",
        307 => "Temporary Redirect",
        308 => "Permanent Redirect",
        400 => "Bad Request",
        401 => "Unauthorized",
        403 => "Forbidden",
        404 => "Not Found",
        405 => "Method Not Allowed",
        406 => "Not Acceptable",
        408 => "Request Timeout",
        410 => "Gone",
        429 => "Too Many Requests",
        451 => "Unavailable For Legal Reasons",
        500 => "Internal Server Error",
        502 => "Bad Gateway",
        503 => "Service Unavailable",
        504 => "Gateway Timeout",
        _ => "Status",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_digest_is_written_as_other_tools_write_it() {
        assert_eq!(
            base32(&payload_sha1(b"")),
            "3I42H3S6NNFQ2MSVX7XZKYAYSCX5QBYJ"
        );
    }

    #[test]
    fn a_head_holds_no_injected_line_and_no_chunking() {
        let headers = [
            ("transfer-encoding".to_owned(), b"chunked".to_vec()),
            ("x".to_owned(), b"a\r\nb: c".to_vec()),
        ];
        let head = http_head(&Response {
            status: 200,
            http_version: "HTTP/2",
            headers: &headers,
            ..Response::default()
        });
        assert_eq!(
            String::from_utf8(head).unwrap(),
            "HTTP/1.1 200 OK\r\nX-Archive-Orig-transfer-encoding: chunked\r\nx: a  b: c\r\n\r\n"
        );
    }

    #[test]
    fn a_request_names_path_and_host() {
        let request = [("User-Agent".to_owned(), "tamis".to_owned())];
        let head = |url| {
            let head = request_head(&Response {
                url,
                request: &request,
                ..Response::default()
            });
            String::from_utf8(head).unwrap()
        };
        assert_eq!(
            head("http://a.example:81/b?c=d"),
            "GET /b?c=d HTTP/1.1\r\nHost: a.example:81\r\nUser-Agent: tamis\r\n\r\n"
        );
        assert!(head("http://a.example?x").starts_with("GET /?x HTTP/1.1\r\nHost: a.example\r\n"));
    }
}
