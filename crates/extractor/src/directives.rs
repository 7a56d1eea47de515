//! Robots directives of a page: `<meta name=robots>` and the `X-Robots-Tag` header.
//!
//! The directives for all robots and those for our agent are combined; of two that contradict each
//! other the stricter applies. The time of `unavailable_after` is kept as written, since this crate
//! has no clock.
//!
//! Source: Google's documentation of the robots meta tag and the X-Robots-Tag header; there is no
//! standard.

mod date_time;

use html5ever::local_name;
use scraper::{Html, Node};

use crate::dom::Attributes;
use crate::page::{Directives, PageContext};

/// What stands between rules.
const SEPARATORS: [char; 2] = [',', ';'];
/// Directives with a value after a colon, which must not be taken for the name of an agent.
const VALUED: [&str; 4] = [
    "unavailable_after",
    "max-snippet",
    "max-image-preview",
    "max-video-preview",
];

/// Directives on what the text may be used for, beside indexing and following.
const USES: [&str; 5] = ["noai", "noimageai", "noarchive", "nocache", "nosnippet"];

/// Headers, and metas of the same name, that say what the text may be used for: AIPREF's, the signals
/// that Cloudflare proposed, and the W3C community group's reservation of text and data mining.
const USE_FIELDS: [&str; 4] = [
    "content-usage",
    "content-signal",
    "tdm-reservation",
    "tdm-policy",
];

/// Preferences that are kept of one page, and the characters of one.
const USAGE_MAX: usize = 8;
const USAGE_CHARS_MAX: usize = 200;

impl Directives {
    /// Notes what the page says of the use of its text, once.
    fn prefers(&mut self, said: &str) {
        let clean = said.chars().filter(|c| !c.is_control());
        let said: String = clean.take(USAGE_CHARS_MAX).collect();
        if self.usage.len() < USAGE_MAX && !self.usage.contains(&said) {
            self.usage.push(said);
        }
    }

    /// Notes a field that is about the use of the text.
    fn read_use(&mut self, name: &str, value: &str) {
        if let Some(field) = USE_FIELDS.iter().find(|f| name.eq_ignore_ascii_case(f)) {
            self.prefers(&format!("{field}: {}", value.trim()));
        }
    }

    /// Whether the page may be indexed at a time in seconds since 1970: it permits indexing, and the
    /// time is not after `unavailable_after`. A value that is no date is ignored.
    pub fn may_index_at(&self, unix_seconds: i64) -> bool {
        let until = self
            .unavailable_after
            .as_deref()
            .and_then(date_time::unix_seconds);
        self.index && until.is_none_or(|until| unix_seconds <= until)
    }
}

/// The directives of the page and its headers for our agent.
pub(crate) fn directives(html: &Html, context: &PageContext<'_>) -> Directives {
    let agent = product_token(context.agent);
    let mut directives = Directives::default();
    for (name, value) in context.headers {
        if name.eq_ignore_ascii_case("x-robots-tag") {
            read_header(&String::from_utf8_lossy(value), agent, &mut directives);
        } else {
            directives.read_use(name, &String::from_utf8_lossy(value));
        }
    }
    for node in html.tree.root().descendants() {
        let Node::Element(element) = node.value() else {
            continue;
        };
        // What a template holds is not on the page.
        let is_on_page = || !node.ancestors().any(|above| is_template(above.value()));
        if element.name.local != local_name!("meta") || !is_on_page() {
            continue;
        }
        if let (Some(name), Some(content)) = (
            element
                .attribute(&local_name!("name"))
                .or_else(|| element.attribute(&local_name!("property"))),
            element.attribute(&local_name!("content")),
        ) {
            let mut names = name.split(',').map(product_token);
            if names.any(|name| {
                ["robots", agent]
                    .iter()
                    .any(|us| us.eq_ignore_ascii_case(name))
            }) {
                read_rules(content, &mut directives);
            } else {
                directives.read_use(name, content);
            }
        }
    }
    directives
}

fn is_template(node: &Node) -> bool {
    let element = node.as_element();
    element.is_some_and(|element| element.name.local == local_name!("template"))
}

/// "tamis" of `tamis/0.1 (+https://example.org)`.
fn product_token(agent: &str) -> &str {
    agent
        .trim()
        .split(|char: char| char == '/' || char.is_whitespace())
        .next()
        .unwrap_or("")
}

/// Reads a header. Its rules are for all robots up to the first agent's name and colon, and then for
/// that agent.
fn read_header(value: &str, agent: &str, directives: &mut Directives) {
    let mut rest = value;
    let mut for_us = true;
    while !rest.is_empty() {
        let end = rest.find(SEPARATORS).unwrap_or(rest.len());
        let piece = &rest[..end];
        if let Some((name, after)) = piece.split_once(':')
            && is_agent_name(name.trim())
        {
            for_us = product_token(name).eq_ignore_ascii_case(agent);
            // The rules of "agent: a, b" begin after the colon.
            rest = &rest[end - after.len()..];
            continue;
        }
        let length = rule_length(rest);
        if for_us {
            read_rules(&rest[..length], directives);
        }
        rest = rest[length..].strip_prefix(SEPARATORS).unwrap_or("");
    }
}

fn is_agent_name(name: &str) -> bool {
    !name.is_empty()
        && !name.contains(char::is_whitespace)
        && !VALUED
            .iter()
            .any(|valued| valued.eq_ignore_ascii_case(name))
}

/// Reads rules separated by commas, or by what others write in their place: semicolons, and blanks.
fn read_rules(content: &str, directives: &mut Directives) {
    let mut rest = content;
    while !rest.is_empty() {
        let length = rule_length(rest);
        read_rules_between(&rest[..length], directives);
        rest = rest[length..].strip_prefix(SEPARATORS).unwrap_or("");
    }
}

/// Reads what stands between two separators: words, of which one before a colon has a value. That of
/// `unavailable_after` goes to the end, any other is one word: the "none" of `max-image-preview: none`
/// is no rule.
fn read_rules_between(text: &str, directives: &mut Directives) {
    let mut rest = text;
    while let Some((names, value)) = rest.split_once(':') {
        let name = names.split_whitespace().next_back().unwrap_or("");
        let before = names.trim_end().len() - name.len();
        read_words(&names[..before], directives);
        if name.eq_ignore_ascii_case("unavailable_after") {
            let time = value.trim().chars().take(64).collect();
            directives.unavailable_after.get_or_insert(time);
            return;
        }
        let value = value.trim_start();
        rest = value
            .split_once(char::is_whitespace)
            .map_or("", |(_, rest)| rest);
    }
    read_words(rest, directives);
}

fn read_words(rules: &str, directives: &mut Directives) {
    for rule in rules.split_whitespace() {
        read_rule(rule, directives);
    }
}

fn read_rule(rule: &str, directives: &mut Directives) {
    if rule.eq_ignore_ascii_case("noindex") {
        directives.index = false;
    } else if rule.eq_ignore_ascii_case("nofollow") {
        directives.follow = false;
    } else if rule.eq_ignore_ascii_case("none") {
        directives.index = false;
        directives.follow = false;
    } else if let Some(word) = USES.iter().find(|word| rule.eq_ignore_ascii_case(word)) {
        directives.prefers(word);
    }
}

/// The length of the first rule. A date may contain a comma after its weekday ("Fri, 25 Jun 2027").
fn rule_length(rules: &str) -> usize {
    let end = rules.find(SEPARATORS).unwrap_or(rules.len());
    let Some((names, time)) = rules[..end].rsplit_once(':') else {
        return end;
    };
    let name = names.split_whitespace().next_back().unwrap_or("");
    let is_weekday = time.trim().len() >= 3 && time.trim().chars().all(|c| c.is_ascii_alphabetic());
    let is_cut = is_weekday && rules[end..].starts_with(',');
    if !is_cut || !name.eq_ignore_ascii_case("unavailable_after") {
        return end;
    }
    rules[end + 1..]
        .find(SEPARATORS)
        .map_or(rules.len(), |length| end + 1 + length)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use url::Url;

    use super::*;
    use crate::parse_limits::DomLimits;

    fn read(html: &str, headers: &[&str]) -> Directives {
        let url = Url::parse("http://example.com/").unwrap();
        let headers: Vec<(String, Vec<u8>)> = headers
            .iter()
            .map(|value| ("x-robots-tag".to_owned(), value.as_bytes().to_vec()))
            .collect();
        let context = PageContext {
            headers: &headers,
            agent: "tamis/0.1 (+http://example.com)",
            ..PageContext::new(&url)
        };
        let dom = crate::dom::parse(html, &DomLimits::default());
        directives(&dom.html, &context)
    }

    #[test]
    fn preferences_of_use_are_noted_once_and_bounded() {
        let html = "<meta name=robots content='NOAI, noimageai, noai'>\
            <meta name=tdm-reservation content=1><meta name=description content='noai'>";
        let url = Url::parse("http://example.com/").unwrap();
        let header = |value: &str| ("Content-Usage".to_owned(), value.as_bytes().to_vec());
        let signal = ("Content-Signal".to_owned(), b"ai-train=no".to_vec());
        let headers = [header("train-ai=n"), header("train-ai=n"), signal];
        let context = PageContext {
            headers: &headers,
            ..PageContext::new(&url)
        };
        let dom = crate::dom::parse(html, &DomLimits::default());
        let found = directives(&dom.html, &context);
        assert_eq!(
            found.usage,
            [
                "content-usage: train-ai=n",
                "content-signal: ai-train=no",
                "noai",
                "noimageai",
                "tdm-reservation: 1"
            ]
        );
        assert!(found.index && found.follow);
        let many: String = (0..100)
            .map(|n| format!("<meta name=tdm-policy content='{n}{}'>", "x".repeat(5_000)))
            .collect();
        let found = read(&many, &[]);
        assert_eq!(found.usage.len(), USAGE_MAX);
        assert!(
            found
                .usage
                .iter()
                .all(|said| said.chars().count() <= USAGE_CHARS_MAX)
        );
    }

    #[track_caller]
    fn check(html: &str, headers: &[&str], index: bool, follow: bool) {
        let found = read(html, headers);
        assert_eq!(
            (found.index, found.follow),
            (index, follow),
            "{html} {headers:?}"
        );
    }

    #[test]
    fn a_silent_page_allows_all() {
        check("<p>x", &[], true, true);
        check("<meta name=robots content=all>", &["all"], true, true);
        check("<meta name=robots><meta content=none>", &[""], true, true);
    }

    #[test]
    fn a_meta_says_no_in_any_spelling() {
        check(
            "<META NAME=Robots CONTENT='NoIndex , NOFOLLOW'>",
            &[],
            false,
            false,
        );
        check("<meta name=robots content=none>", &[], false, false);
        check(
            "<body><p><meta name=robots content=noindex>",
            &[],
            false,
            true,
        );
        for content in [
            "noindex nofollow",
            "noindex;nofollow",
            "noindex ; nofollow;",
            "max-snippet:5 noindex max-image-preview: large nofollow",
            "noindex nofollow unavailable_after: 25 Jun 2010",
        ] {
            let meta = format!("<meta name=robots content='{content}'>");
            check(&meta, &[], false, false);
            check("", &[content], false, false);
        }
    }

    #[test]
    fn a_value_is_no_rule_and_what_a_template_holds_is_not_on_the_page() {
        for content in ["max-image-preview: none", "max-image-preview:none"] {
            let meta = format!("<meta name=robots content='{content}'>");
            check(&meta, &[content], true, true);
        }
        for holder in ["template", "template><div><template"] {
            let html = format!("<{holder}><meta name=robots content=none></template>");
            check(&html, &[], true, true);
        }
    }

    #[test]
    fn a_rule_is_read_in_time_however_many_colons_it_has() {
        let content = "a:b ".repeat(200_000) + "noindex";
        let meta = format!("<meta name=robots content='{content}'>");
        check(&meta, &[], false, true);
    }

    #[test]
    fn the_stricter_of_two_holds() {
        check(
            "<meta name=robots content=index><meta name=robots content=noindex>",
            &["index, follow"],
            false,
            true,
        );
    }

    #[test]
    fn our_own_name_counts_and_others_do_not() {
        check("<meta name=TAMIS content=noindex>", &[], false, true);
        check("<meta name=otherbot content=noindex>", &[], true, true);
        check(
            "<meta name='robots, otherbot' content=noindex>",
            &[],
            false,
            true,
        );
        check("<meta property=robots content=nofollow>", &[], true, false);
        check("", &["Tamis/0.1: noindex"], false, true);
        check("", &["otherbot/0.1: noindex"], true, true);
        check("", &["otherbot: noindex, nofollow"], true, true);
        check("", &["Tamis: noindex, nofollow"], false, false);
        check("", &["otherbot: noindex, tamis: nofollow"], true, false);
        check("", &["nofollow, otherbot: noindex"], true, false);
    }

    #[test]
    fn a_time_is_kept_as_written_with_its_comma() {
        let found = read(
            "",
            &["unavailable_after: Fri, 25 Jun 2027 15:00:00 PST, noindex"],
        );
        assert_eq!(
            found.unavailable_after.as_deref(),
            Some("Fri, 25 Jun 2027 15:00:00 PST")
        );
        assert!(!found.index);
        let found = read("", &["otherbot: unavailable_after: 1 Jan 2027"]);
        assert_eq!(found.unavailable_after, None);
        let found = read(
            "<meta name=robots content='max-snippet:5, unavailable_after: 2027-01-01'>",
            &[],
        );
        assert_eq!(found.unavailable_after.as_deref(), Some("2027-01-01"));
    }

    #[test]
    fn a_page_may_be_indexed_until_the_time_it_names() {
        let found = read("", &["unavailable_after: 25 Jun 2010 15:00:00 PST"]);
        assert!(found.may_index_at(1_277_506_800));
        assert!(!found.may_index_at(1_277_506_801));
        assert!(read("", &["unavailable_after: soon"]).may_index_at(i64::MAX));
        assert!(!read("", &["noindex"]).may_index_at(0));
    }

    proptest! {
        #[test]
        fn any_header_is_read(value in "[a-z:, _-]{0,60}") {
            read("", &[&value]);
        }
    }
}
