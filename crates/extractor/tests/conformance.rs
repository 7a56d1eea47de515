//! Public test suites of charset sniffing and link extraction, as vectors.
//!
//! The vectors are not part of this repository; without them the tests print a message and pass. A
//! vector on which its sources contradict each other does not count.

use std::path::PathBuf;

use base64_lite::decode as base64;
use extractor::{EncodingSource, LinkKind, PageContext, PageLinks, decode, page_links};
use serde_json::Value;
use url::Url;

/// The share of counted vectors that must pass.
const SHARE_MIN: f64 = 0.99;

fn vectors(area: &str) -> Option<Vec<Value>> {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR"))
        .join("../../../shared/data/conformance")
        .join(format!("{area}.jsonl"));
    let Ok(lines) = std::fs::read_to_string(&path) else {
        eprintln!("skipped: no conformance vectors at {}", path.display());
        return None;
    };
    let vectors = lines
        .lines()
        .map(|line| serde_json::from_str(line).expect("a JSON line"));
    Some(vectors.collect())
}

/// Runs an area; prints each failed vector.
#[track_caller]
fn run(area: &str, passes: fn(&Value) -> bool) {
    let Some(vectors) = vectors(area) else {
        return;
    };
    let counted = vectors
        .iter()
        .filter(|vector| vector.get("dispute").is_none() && vector.get("optional").is_none());
    let (mut passed, mut total) = (0, 0);
    for vector in counted {
        total += 1;
        if passes(vector) {
            passed += 1;
        } else {
            eprintln!("failed: {vector}");
        }
    }
    eprintln!("{area}: {passed} of {total} counted vectors pass");
    assert!(f64::from(passed) >= f64::from(total) * SHARE_MIN);
}

#[test]
fn charsets_are_sniffed_as_browsers_sniff_them() {
    run("charset", charset);
}

#[test]
fn links_are_found_as_browsers_and_crawlers_find_them() {
    run("links", links);
}

fn charset(vector: &Value) -> bool {
    let expected = &vector["expected"];
    let content_type = vector["content_type"].as_str();
    let encoding = expected["encoding"].as_str().map(whatwg);
    if vector["kind"] == "content_type" {
        let decoded = decode(b"<p>x", content_type, None);
        let named = (decoded.source == EncodingSource::Http).then_some(decoded.encoding);
        return named.map(str::to_lowercase) == encoding;
    }
    let decoded = decode(&bytes(vector, "body"), content_type, None);
    let found = decoded.encoding.to_lowercase();
    if vector.get("fallback").is_some() {
        let undeclared = matches!(
            decoded.source,
            EncodingSource::Detected | EncodingSource::Default
        );
        return undeclared || found == "windows-1252" || Some(found) == encoding;
    }
    let contains = expected["text_contains"].as_str().is_none_or(|text| {
        let squeeze = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
        squeeze(&decoded.text).contains(&squeeze(text))
    });
    contains && encoding.is_none_or(|encoding| encoding == found)
}

/// The name that WHATWG has for a label of the vectors.
fn whatwg(label: &str) -> String {
    let name = match label.to_lowercase().as_str() {
        "cp1252" | "iso-8859-1" | "latin1" | "us-ascii" => "windows-1252",
        "gb2312" => "gbk",
        "shift-jis" | "sjis" => "shift_jis",
        "ks_c_5601-1987" => "euc-kr",
        "utf8" => "utf-8",
        "tis-620" => "windows-874",
        other => return other.to_owned(),
    };
    name.to_owned()
}

fn links(vector: &Value) -> bool {
    let page = read(vector);
    let expected = &vector["expected"];
    match vector["kind"].as_str().expect("a kind") {
        "base" => page.base.as_str() == href(&expected["base"]),
        "canonical" => page.canonical.as_ref().map(Url::as_str) == expected["canonical"].as_str(),
        "refresh" => match (&page.refresh, &expected["refresh"]) {
            (None, wanted) => wanted.is_null(),
            (Some(_), Value::Null) => false,
            (Some(refresh), wanted) => {
                let delay = wanted["delay"].as_f64().expect("a delay");
                (refresh.delay - delay).abs() < 1.01 && refresh.url.as_str() == href(&wanted["url"])
            }
        },
        "robots_meta" => {
            Some(page.directives.index) == expected["index"].as_bool()
                && Some(page.directives.follow) == expected["follow"].as_bool()
        }
        "resources" => list(expected, "resources")
            .iter()
            .all(|url| page.resources.iter().any(|found| found.as_str() == url)),
        "links" => links_match(&page, expected),
        other => panic!("unknown kind {other}"),
    }
}

fn links_match(page: &PageLinks, expected: &Value) -> bool {
    let without_fragment = |url: &str| url.split('#').next().unwrap_or("").to_owned();
    let followable = page.links.iter().filter(|link| {
        matches!(
            link.kind,
            LinkKind::A | LinkKind::Area | LinkKind::Frame | LinkKind::Iframe
        )
    });
    let found: Vec<(String, bool)> = followable
        .map(|link| (without_fragment(link.url.as_str()), link.nofollow))
        .collect();
    let nofollow = |url: &String| {
        found
            .iter()
            .find(|(found, _)| found == url)
            .map(|(_, no)| *no)
    };
    let exact = expected.get("exact").is_none() || {
        let wanted = list(expected, "exact");
        wanted.iter().all(|url| nofollow(url).is_some())
            && found.iter().all(|(url, _)| wanted.contains(url))
    };
    exact
        && list(expected, "contain")
            .iter()
            .all(|url| nofollow(url).is_some())
        && list(expected, "absent")
            .iter()
            .all(|url| nofollow(url).is_none())
        && list(expected, "nofollow")
            .iter()
            .all(|url| nofollow(url) == Some(true))
        && list(expected, "follow")
            .iter()
            .all(|url| nofollow(url) == Some(false))
}

fn list(expected: &Value, key: &str) -> Vec<String> {
    let urls = expected[key].as_array().into_iter().flatten();
    urls.map(href).collect()
}

/// A URL as WHATWG writes it: the vectors leave out the slash of a bare host.
fn href(url: &Value) -> String {
    let url = url.as_str().expect("a URL");
    Url::parse(url).map_or_else(|_| url.to_owned(), String::from)
}

fn read(vector: &Value) -> PageLinks {
    let url = Url::parse(vector["base"].as_str().expect("a base")).expect("an absolute base");
    let content_type = vector["charset"]
        .as_str()
        .map(|charset| format!("text/html; charset={charset}"));
    let decoded = decode(&bytes(vector, "html"), content_type.as_deref(), None);
    let headers: Vec<(String, Vec<u8>)> = vector["headers"]
        .as_array()
        .into_iter()
        .flatten()
        .map(|header| {
            let part = |index: usize| header[index].as_str().expect("a header").to_owned();
            (part(0).to_lowercase(), part(1).into_bytes())
        })
        .collect();
    let context = PageContext {
        encoding: decoded.encoding,
        headers: &headers,
        agent: vector["agent"].as_str().unwrap_or("tamis"),
        ..PageContext::new(&url)
    };
    page_links(&decoded.text, &context)
}

/// A vector's bytes, given as text or as base64.
fn bytes(vector: &Value, key: &str) -> Vec<u8> {
    match vector[key].as_str() {
        Some(text) => text.as_bytes().to_vec(),
        None => base64(vector[format!("{key}_b64")].as_str().expect("base64")),
    }
}

/// Enough of base64 to read the vectors.
mod base64_lite {
    const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

    pub fn decode(text: &str) -> Vec<u8> {
        let mut bytes = Vec::new();
        let (mut bits, mut bit_count) = (0u32, 0);
        for char in text.bytes().filter(|&char| char != b'=') {
            let value = ALPHABET.iter().position(|&letter| letter == char);
            bits = bits << 6 | u32::try_from(value.expect("base64")).expect("below 64");
            bit_count += 6;
            if bit_count >= 8 {
                bit_count -= 8;
                bytes.push((bits >> bit_count) as u8);
            }
        }
        bytes
    }
}
