//! HTTP messages as archives hold them: a head of lines, an empty line, a body.
//!
//! Archives of other writers may end lines without a carriage return, and may keep a body in the
//! chunks it was sent in.

use std::borrow::Cow;

/// Bytes of a head line from which a message is taken for none.
pub(crate) const LINE_BYTES_MAX: usize = 64 << 10;
/// Lines of a head from which a message or record is taken for none.
pub(crate) const LINES_MAX: usize = 1_000;

/// Where the body begins, behind the empty line that ends the head; `None` without such a line.
pub(crate) fn head_bytes(message: &[u8]) -> Option<usize> {
    let mut end = 0;
    message
        .split_inclusive(|&byte| byte == b'\n')
        .find_map(|line| {
            end += line.len();
            (line.ends_with(b"\n") && line.trim_ascii().is_empty()).then_some(end)
        })
}

/// The fields of a head in order, without its first line.
pub(crate) fn fields(head: &[u8]) -> impl Iterator<Item = (&str, &[u8])> {
    let lines = head.split(|&byte| byte == b'\n').skip(1);
    lines.filter_map(|line| {
        let colon = line.iter().position(|&byte| byte == b':')?;
        let name = std::str::from_utf8(&line[..colon]).ok()?;
        Some((name.trim(), line[colon + 1..].trim_ascii()))
    })
}

/// An HTTP answer taken apart: what the block of a `response` record holds.
///
/// ```
/// let block = b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n\r\ntwo words";
/// let answer = archive::HttpAnswer::parse(block).expect("it is an answer");
/// assert_eq!((answer.status, answer.body), (200, &b"two words"[..]));
/// assert_eq!(answer.fields().next(), Some(("Content-Type", &b"text/plain"[..])));
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct HttpAnswer<'m> {
    /// Status code.
    pub status: u16,
    head: &'m [u8],
    /// The body as archived: perhaps in chunks, perhaps content-encoded.
    pub body: &'m [u8],
}

impl<'m> HttpAnswer<'m> {
    /// Takes an answer apart; `None` where there is no status, or the head does not end within
    /// its limits (1,000 lines of 64 KiB).
    pub fn parse(block: &'m [u8]) -> Option<HttpAnswer<'m>> {
        let (head, body) = block.split_at(head_bytes(block)?);
        let mut lines = head.split_inclusive(|&byte| byte == b'\n');
        // The reason phrase may be in any encoding.
        let status_line = String::from_utf8_lossy(lines.next()?);
        let mut parts = status_line.strip_prefix("HTTP/")?.split_ascii_whitespace();
        let status = parts.nth(1)?.parse().ok()?;
        let is_bounded = status_line.len() < LINE_BYTES_MAX
            && lines
                .by_ref()
                .take(LINES_MAX)
                .all(|line| line.len() < LINE_BYTES_MAX)
            && lines.next().is_none();
        is_bounded.then_some(HttpAnswer { status, head, body })
    }

    /// The fields of the head in order, as they are spelt.
    pub fn fields(&self) -> impl Iterator<Item = (&'m str, &'m [u8])> + use<'m> {
        fields(self.head)
    }

    /// The body out of its chunks (RFC 9112, section 7.1), where the head says that it is chunked
    /// and it is. Many archives hold the body without its chunks and leave the field.
    pub fn unchunked(&self) -> Cow<'m, [u8]> {
        let is_chunked = self.fields().any(|(name, value)| {
            name.eq_ignore_ascii_case("transfer-encoding")
                && value.to_ascii_lowercase().ends_with(b"chunked")
        });
        let whole = is_chunked.then(|| unchunked(self.body)).flatten();
        whole.map_or(Cow::Borrowed(self.body), Cow::Owned)
    }
}

/// A body without its chunks; `None` where it is not chunked.
fn unchunked(mut body: &[u8]) -> Option<Vec<u8>> {
    let mut whole = Vec::with_capacity(body.len());
    loop {
        let end = body.iter().take(64).position(|&byte| byte == b'\n')?;
        let size = std::str::from_utf8(&body[..end]).ok()?;
        let size = size.split(';').next().unwrap_or("").trim();
        let size = usize::from_str_radix(size, 16).ok()?;
        body = &body[end + 1..];
        if size == 0 {
            return Some(whole);
        }
        let chunk = body.get(..size)?;
        whole.extend_from_slice(chunk);
        let after = &body[size..];
        body = after.strip_prefix(b"\r\n").or(after.strip_prefix(b"\n"))?;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn chunks_are_joined_where_there_are_any() {
        assert_eq!(
            unchunked(b"3\r\nabc\r\n2;x=y\r\nde\r\n0\r\n\r\n").unwrap(),
            b"abcde"
        );
        for not_chunked in [&b"<html>\n"[..], b"", b"5\r\nab", b"2\r\nabc\r\n"] {
            assert_eq!(unchunked(not_chunked), None);
        }
    }

    #[test]
    fn a_body_that_is_not_in_chunks_stays_as_it_is_whatever_its_head_says() {
        let body = |block: &'static str| {
            let answer = HttpAnswer::parse(block.as_bytes()).unwrap();
            String::from_utf8(answer.unchunked().into_owned()).unwrap()
        };
        let chunked = "HTTP/1.1 200 OK\nTransfer-Encoding: gzip, Chunked\n\n2\r\nab\r\n0\r\n\r\n";
        assert_eq!(body(chunked), "ab");
        assert_eq!(
            body("HTTP/1.1 200 OK\nTransfer-Encoding: chunked\n\n<p>"),
            "<p>"
        );
        assert_eq!(
            body("HTTP/1.1 200 OK\n\n2\r\nab\r\n0\r\n\r\n"),
            "2\r\nab\r\n0\r\n\r\n"
        );
    }

    #[test]
    fn what_has_no_status_or_no_end_is_no_answer() {
        for block in [
            "",
            "HTTP/1.1 200 OK\r\n",
            "HTTP/1.1\r\n\r\n",
            "GET / HTTP/1.1\r\n\r\n",
        ] {
            assert_eq!(HttpAnswer::parse(block.as_bytes()), None, "{block}");
        }
        let many = format!("HTTP/1.1 200 OK\r\n{}\r\n", "a: b\r\n".repeat(LINES_MAX));
        assert_eq!(HttpAnswer::parse(many.as_bytes()), None);
        let long = format!(
            "HTTP/1.1 200 OK\r\na: {}\r\n\r\n",
            "b".repeat(LINE_BYTES_MAX)
        );
        assert_eq!(HttpAnswer::parse(long.as_bytes()), None);
    }

    proptest! {
        #[test]
        fn no_bytes_make_the_parser_panic(tail: Vec<u8>) {
            let mut block = b"HTTP/1.1 200 OK\nTransfer-Encoding: chunked\n".to_vec();
            block.extend_from_slice(&tail);
            if let Some(answer) = HttpAnswer::parse(&block) {
                answer.fields().count();
                prop_assert!(answer.unchunked().len() <= block.len());
            }
        }
    }
}
