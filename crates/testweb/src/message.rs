//! Requests as handlers see them, and the responses they give.

use std::time::Duration;

use bytes::Bytes;

/// A request.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Request {
    /// `GET`, `HEAD`, ...
    pub method: String,
    /// `http` or `https`.
    pub scheme: String,
    /// Host name in lower case, with its port unless that is the scheme's own.
    pub host: String,
    /// Path as sent, percent-encoded, at least `/`.
    pub path: String,
    /// Query as sent, without the question mark.
    pub query: Option<String>,
    /// Header fields, names in lower case, in order.
    pub headers: Vec<(String, String)>,
}

impl Request {
    /// A plain GET for a URL, without headers.
    pub fn get(url: &url::Url) -> Request {
        Request {
            method: "GET".into(),
            scheme: url.scheme().to_owned(),
            host: host_of(url),
            path: url.path().to_owned(),
            query: url.query().map(str::to_owned),
            headers: Vec::new(),
        }
    }

    /// The first value of a header field; the name in lower case.
    pub fn header(&self, name: &str) -> Option<&str> {
        let field = self.headers.iter().find(|(key, _)| key == name);
        field.map(|(_, value)| value.as_str())
    }

    /// The first value of a query parameter, as sent.
    pub fn parameter(&self, name: &str) -> Option<&str> {
        let pairs = self.query.as_deref()?.split('&');
        pairs
            .filter_map(|pair| pair.split_once('='))
            .find(|(key, _)| *key == name)
            .map(|(_, value)| value)
    }

    /// Path and query as in a request line.
    pub fn target(&self) -> String {
        match &self.query {
            Some(query) => format!("{}?{query}", self.path),
            None => self.path.clone(),
        }
    }

    /// The whole URL.
    pub fn url(&self) -> String {
        format!("{}://{}{}", self.scheme, self.host, self.target())
    }
}

/// Host and port of a URL, the port left out where it is the scheme's own.
pub(crate) fn host_of(url: &url::Url) -> String {
    let host = url.host_str().unwrap_or_default().to_ascii_lowercase();
    match url.port() {
        Some(port) => format!("{host}:{port}"),
        None => host,
    }
}

/// A response.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Response {
    /// HTTP status.
    pub status: u16,
    /// Header fields, names in lower case. `Content-Length` and `Date` are the server's own.
    pub headers: Vec<(String, Vec<u8>)>,
    /// The body, sent as it is.
    pub body: Bytes,
    /// Time to the first byte, beside what the host takes for each.
    pub wait: Duration,
}

impl Response {
    /// A response with a status, a content type and a body.
    pub fn new(status: u16, content_type: &str, body: impl Into<Bytes>) -> Response {
        Response {
            status,
            headers: vec![("content-type".into(), content_type.as_bytes().to_vec())],
            body: body.into(),
            wait: Duration::ZERO,
        }
    }

    /// The same, so much later.
    pub fn after(mut self, wait: Duration) -> Response {
        self.wait = wait;
        self
    }

    /// A page, 200, UTF-8.
    pub fn html(body: impl Into<String>) -> Response {
        Response::new(200, "text/html; charset=utf-8", body.into())
    }

    /// Plain text, 200, UTF-8.
    pub fn text(body: impl Into<String>) -> Response {
        Response::new(200, "text/plain; charset=utf-8", body.into())
    }

    /// An XML file, 200.
    pub fn xml(body: impl Into<String>) -> Response {
        Response::new(200, "application/xml", body.into())
    }

    /// A redirect; `to` goes into `Location` as it is.
    pub fn redirect(status: u16, to: &str) -> Response {
        let body = format!("<!doctype html><title>Moved</title><a href=\"{to}\">moved</a>\n");
        Response::new(status, "text/html; charset=utf-8", body).with_header("location", to)
    }

    /// A short page for an error status.
    pub fn error(status: u16) -> Response {
        let word = reason(status);
        let body = format!(
            "<!doctype html><title>{status} {word}</title><h1>{status}</h1><p>{word}.</p>\n"
        );
        Response::new(status, "text/html; charset=utf-8", body)
    }

    /// 404.
    pub fn not_found() -> Response {
        Response::error(404)
    }

    /// Adds a header field.
    pub fn with_header(mut self, name: &str, value: &str) -> Response {
        let field = (name.to_ascii_lowercase(), value.as_bytes().to_vec());
        self.headers.push(field);
        self
    }

    /// The first value of a header field as text; the name in lower case.
    pub fn header(&self, name: &str) -> Option<&str> {
        let field = self.headers.iter().find(|(key, _)| key == name);
        field.and_then(|(_, value)| std::str::from_utf8(value).ok())
    }
}

/// The reason phrase of a status line.
pub(crate) fn reason(status: u16) -> &'static str {
    match status {
        200 => "OK",
        301 => "Moved Permanently",
        302 => "Found",
        303 => "See Other",
        304 => "Not Modified",
        307 => "Temporary Redirect",
        308 => "Permanent Redirect",
        400 => "Bad Request",
        403 => "Forbidden",
        404 => "Not Found",
        405 => "Method Not Allowed",
        410 => "Gone",
        429 => "Too Many Requests",
        500 => "Internal Server Error",
        502 => "Bad Gateway",
        503 => "Service Unavailable",
        _ => "Status",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_request_knows_its_url_and_its_parameters() {
        let url = url::Url::parse("http://A.test:8080/x?sid=7&q=b").unwrap();
        let request = Request::get(&url);
        assert_eq!(request.host, "a.test:8080");
        assert_eq!(request.parameter("sid"), Some("7"));
        assert_eq!(request.parameter("none"), None);
        assert_eq!(request.url(), "http://a.test:8080/x?sid=7&q=b");
    }
}
