//! Whether a body is whole although its announced length says otherwise.
//!
//! Some servers announce a wrong Content-Length, always the same: that of the page before a filter
//! changed it, or in characters. The connection then ends before the announced end, as it does when
//! a body is really cut. The body's own end tells the two apart:
//!
//! - a compressed body that unpacks to its end: gzip, zlib, brotli and zstd mark theirs;
//! - a text whose last tag closes its root: `</html>`, `</urlset>`, `</sitemapindex>`, `</rss>`,
//!   `</feed>`, with nothing but blanks and comments behind it.
//!
//! A body cut by chance ends so only if nothing but blanks or comments was lost. The same goes for a
//! compressed body whose stream has no end: some servers leave out its checksum, on each page.

use crate::decoding::Decoding;
use crate::fetch::Fetched;

/// Root elements whose end tag ends a document.
const ROOTS: [&[u8]; 5] = [b"html", b"urlset", b"sitemapindex", b"rss", b"feed"];

/// Bytes before the end in which the last tag is looked for: comments of caches may follow it.
const TAIL_BYTES: usize = 4 * 1024;

impl Fetched {
    /// Whether the body is whole by its own end, however many bytes were announced; `decoding` is
    /// what it unpacks to.
    pub fn is_whole_by_its_end(&self, decoding: &Decoding) -> bool {
        if decoding.stopped.is_some() {
            return decoding.is_cut && ends_its_root(&decoding.bytes);
        }
        // A coding that is named and was not there leaves the bytes as they came.
        let was_packed =
            self.header("content-encoding").is_some() && decoding.bytes[..] != self.body[..];
        was_packed || ends_its_root(&decoding.bytes)
    }
}

/// Whether a text ends with the end tag of a known root, comments and blanks aside.
fn ends_its_root(text: &[u8]) -> bool {
    let mut rest = &text[text.len().saturating_sub(TAIL_BYTES)..];
    loop {
        rest = rest.trim_ascii_end();
        let Some(open) = rest.strip_suffix(b"-->") else {
            break;
        };
        let Some(at) = open.windows(4).rposition(|four| four == b"<!--") else {
            return false;
        };
        rest = &rest[..at];
    }
    let Some(tag) = rest.strip_suffix(b">") else {
        return false;
    };
    let Some(at) = tag.iter().rposition(|byte| *byte == b'<') else {
        return false;
    };
    let Some(name) = tag[at + 1..].strip_prefix(b"/") else {
        return false;
    };
    let name = name.trim_ascii_end();
    ROOTS.iter().any(|root| name.eq_ignore_ascii_case(root))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_whole_when_its_last_tag_closes_the_root() {
        for text in [
            "<html><p>a</p></html>",
            "<p>a</HTML >\r\n",
            "<p>a</html>\n<!-- cached 0.2 s --> <!-- on b -->\n",
            "<urlset><url><loc>x</loc></url></urlset>",
        ] {
            assert!(ends_its_root(text.as_bytes()), "{text}");
        }
        for text in [
            "",
            ">",
            "-->",
            "<html><p>a</p></body>",
            "<html><p>a</p></html",
            "<p>write </html> at the end",
            "<p>a</p><!-- </html> -->",
            "plain text",
            "<html>",
        ] {
            assert!(!ends_its_root(text.as_bytes()), "{text}");
        }
    }
}
