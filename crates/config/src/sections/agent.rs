//! `[agent]`: who asks.

use crate::rule::tested;
use crate::section::{Section, keys};

keys! {
    /// Who asks.
    pub struct AgentSection {
        /// The product token of robots.txt and of the User-Agent header.
        name: String = "tamis".into(), tested("letters, digits, - and _", product_token);

        /// A URL or mail address that tells whom to ask about this crawl. A crawl beyond loopback
        /// needs one.
        contact: String = String::new(), tested("a URL or a mail address", contact);
    }
}

impl Section for AgentSection {}

fn product_token(name: &str) -> Result<(), (String, String)> {
    let is_part = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'_';
    if !name.is_empty() && name.bytes().all(is_part) {
        return Ok(());
    }
    Err((
        "is no product token".into(),
        "use letters, digits, '-' and '_' only: robots.txt files address crawlers by it".into(),
    ))
}

/// Some word of it must be a URL or an address; `A. Person <a@b.example>` is fine.
fn contact(text: &str) -> Result<(), (String, String)> {
    // It stands in header fields (RFC 9110 §5.5).
    if !text
        .bytes()
        .all(|byte| byte == b' ' || byte.is_ascii_graphic())
    {
        return Err((
            "holds a character that no header can have".into(),
            "write it in one line, in ASCII: a name in other letters can stand on the page that it names".into(),
        ));
    }
    let words = || text.split(|c: char| c.is_whitespace() || "<>(),;".contains(c));
    let is_url = |word: &str| {
        ["http://", "https://", "mailto:"]
            .iter()
            .any(|scheme| word.starts_with(scheme) && url::Url::parse(word).is_ok())
    };
    let is_address = |word: &str| {
        let parts = word.split_once('@');
        parts.is_some_and(|(local, domain)| !local.is_empty() && !domain.is_empty())
    };
    if text.is_empty() || words().any(|word| is_url(word) || is_address(word)) {
        return Ok(());
    }
    let host = words().find(|word| {
        let url = url::Url::parse(&format!("https://{word}"));
        word.contains('.') && url.is_ok()
    });
    let mend = match host {
        Some(host) => format!("write \"https://{host}\""),
        None => "write a page, \"https://example.org/crawler\", or an address, \"me@example.org\""
            .to_owned(),
    };
    Err(("is no URL and no mail address".into(), mend))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_contact_is_somewhere_to_write_to() {
        for good in [
            "",
            "me@example.org",
            "https://example.org/bot",
            "mailto:me@example.org",
            "The Library <me@example.org>",
            "see https://example.org/bot",
        ] {
            assert_eq!(contact(good), Ok(()), "{good}");
        }
        for bad in [
            "xx",
            "@",
            "ftp://example.org/",
            "me at example",
            "https://a.example/\r\nX: y",
            "图书馆 <me@example.org>",
        ] {
            assert!(contact(bad).is_err(), "{bad}");
        }
        let (_, mend) = contact("example.org/bot").expect_err("has no scheme");
        assert_eq!(mend, "write \"https://example.org/bot\"");
    }
}
