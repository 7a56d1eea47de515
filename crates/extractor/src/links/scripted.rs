//! Where a script leads a reader, as far as one statement says it: `location.href = '/x'`,
//! `location.replace("/x")`, `window.open('/x')`. Nothing is run: a place that is put together of parts, or that a
//! condition or a question decides about, is none. What runs as a page is opened is read by [`forwarding`].

use ego_tree::NodeRef;
use html5ever::local_name;
use scraper::Node;
use scraper::node::Element;

use crate::dom::Attributes;
use crate::page::{LinkKind, Refresh};

use super::{Collector, SCRIPT_REL, SCRIPTED_MAX, anchor_text, forwarding, rel_tokens};

/// Bytes of a script that are looked at, in an attribute or alone on a page.
pub(super) const SCRIPT_BYTES_MAX: usize = 2_000;

/// Words before a place that decide whether a click leads there: `if (confirm('Delete?')) location.href = …`.
const DECIDING_WORDS: [&str; 5] = ["if", "confirm", "prompt", "switch", "while"];

/// Signs that decide; `%` since the escapes of a `javascript:` URL may hide any of them.
const DECIDING_SIGNS: [&str; 4] = ["?", "&&", "||", "%"];

/// The methods of `location` that lead elsewhere.
const METHODS: [&str; 2] = [".assign", ".replace"];

impl<'c> Collector<'c> {
    /// Adds a link to where a script of an element leads.
    pub(super) fn add_scripted(&mut self, node: NodeRef<'_, Node>, element: &Element, place: &str) {
        let Some(url) = self.join_page(place) else {
            return;
        };
        if self.scripted >= SCRIPTED_MAX {
            return self.hit("scripted_links");
        }
        self.scripted += 1;
        let id = node.id();
        let name = element.attribute(&local_name!("title"));
        let anchor = anchor_text::squeezed(name.unwrap_or(""));
        let tag_path = self.tag_path(Some(id));
        let is_open = self.open.last().is_some_and(|(_, open)| *open == id);
        // The element's own relations count as for a plain link: it may be `nofollow`.
        let mut rel = rel_tokens(element.attribute(&local_name!("rel")).unwrap_or(""));
        if !rel.is_empty() {
            rel.insert(0, ' ');
        }
        rel.insert_str(0, SCRIPT_REL);
        let added = self.add(LinkKind::A, url, rel, Some(id), tag_path, anchor);
        if let Some(index) = added.filter(|_| !is_open) {
            self.open.push((index, id));
        }
    }

    /// Notes a script that stands on the page by itself.
    pub(super) fn script(&mut self, node: NodeRef<'c, Node>, element: &Element) {
        if element.attribute(&local_name!("src")).is_none()
            && let Some(text) = node.children().find_map(|child| child.value().as_text())
        {
            self.scripts.push((&**text, node.id()));
        }
    }

    /// A page without any link that a script leaves soon is left by a refresh.
    pub(super) fn script_refresh(&mut self) {
        if self.has_refresh || !self.links.is_empty() {
            return;
        }
        // The page's own handler runs when all of it is there.
        let scripts: Vec<_> = self.scripts.drain(..).chain(self.onload).collect();
        let Some(forward) = forwarding::forward(scripts.iter().map(|(script, _)| *script)) else {
            return;
        };
        let id = scripts[forward.script].1;
        let Some(url) = self
            .join_page(&forward.place)
            .filter(|url| url != self.context.url)
        else {
            return;
        };
        self.has_refresh = true;
        self.refresh = Some(Refresh {
            delay: forward.delay,
            url: url.clone(),
        });
        let rel = SCRIPT_REL.to_owned();
        self.add(
            LinkKind::Refresh,
            url,
            rel,
            Some(id),
            String::new(),
            String::new(),
        );
    }
}

/// Where a click on an element leads by its script.
pub(super) fn handled(element: &Element) -> Option<String> {
    let mut attributes = element
        .attrs
        .iter()
        .filter(|(name, _)| name.ns == html5ever::ns!());
    attributes.find_map(|(name, value)| match name.local {
        local_name!("onclick") => target(value),
        local_name!("href") => {
            let scheme = value
                .get(..11)
                .filter(|scheme| scheme.eq_ignore_ascii_case("javascript:"));
            scheme.and_then(|_| target(&value[11..]))
        }
        _ => None,
    })
}

/// The place that a handler (`onclick`, `javascript:`) leads to, whatever else it does.
pub(super) fn target(script: &str) -> Option<String> {
    if script.len() > SCRIPT_BYTES_MAX {
        return None;
    }
    let places = script.match_indices("location").filter_map(|(at, word)| {
        let rest = script[at + word.len()..].trim_start();
        let (place, _) = assigned(rest).or_else(|| called(rest, &METHODS))?;
        (!is_declared(&script[..at])).then_some((at, place))
    });
    let opened = script
        .match_indices("window.open")
        .filter_map(|(at, word)| {
            let (place, _) = called(script[at + word.len()..].trim_start(), &[""])?;
            Some((at, place))
        });
    let begins_a_word = |at: usize| {
        let before = script[..at].chars().next_back();
        before.is_none_or(|letter| !is_of_a_word(letter))
    };
    places
        .chain(opened)
        .find(|(at, _)| begins_a_word(*at) && !decides(&script[..*at]))
        .map(|(_, place)| place)
}

/// Whether the code before a place may keep a click from it. Texts in quotes count, too: to lose a link is better
/// than to delete something.
fn decides(before: &str) -> bool {
    before
        .split(|letter: char| !is_of_a_word(letter))
        .any(|word| DECIDING_WORDS.contains(&word))
        || DECIDING_SIGNS.iter().any(|sign| before.contains(*sign))
}

/// Whether `location` after this code is a new variable, not the page's place.
fn is_declared(before: &str) -> bool {
    let mut words = before
        .trim_end()
        .rsplit(|letter: char| !is_of_a_word(letter));
    matches!(words.next(), Some("var" | "let" | "const"))
}

pub(super) fn is_of_a_word(letter: char) -> bool {
    letter.is_alphanumeric() || matches!(letter, '_' | '$')
}

/// The text after `= ` or `.href = `, and what stands behind it.
fn assigned(rest: &str) -> Option<(String, &str)> {
    let rest = rest.strip_prefix(".href").unwrap_or(rest).trim_start();
    text(rest.strip_prefix('=')?)
}

/// The first argument of a call by one of these names, and what stands behind it.
fn called<'s>(rest: &'s str, names: &[&str]) -> Option<(String, &'s str)> {
    let rest = names.iter().find_map(|name| rest.strip_prefix(*name))?;
    text(rest.trim_start().strip_prefix('(')?)
}

/// A text in quotes that is not joined to another one, and what stands behind it.
fn text(rest: &str) -> Option<(String, &str)> {
    let rest = rest.trim_start();
    let quote = rest
        .chars()
        .next()
        .filter(|c| matches!(c, '"' | '\'' | '`'))?;
    let (text, after) = rest[1..].split_once(quote)?;
    let text = text.replace("\\/", "/");
    let is_plain = !text.is_empty() && !text.contains(['\\', '$', '{', '<']);
    let ends = after.trim_start().chars().next();
    let is_whole =
        ends.is_none_or(|c| matches!(c, ';' | ')' | ',' | '}')) || after.starts_with(['\n', '\r']);
    (is_plain && is_whole).then_some((text, after))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[track_caller]
    fn check(script: &str, place: Option<&str>) {
        assert_eq!(target(script).as_deref(), place, "{script}");
    }

    #[test]
    fn a_place_in_quotes_is_found_and_one_that_is_put_together_is_none() {
        check("location.href='/a'", Some("/a"));
        check("javascript:window.location = \"b.html\";", Some("b.html"));
        check(
            "top.location.replace( 'http:\\/\\/a.test\\/' )",
            Some("http://a.test/"),
        );
        check("document.location.assign(`c`)", Some("c"));
        check("return !window.open('/d', '_blank')", Some("/d"));
        check("location.href='/a?id='+id", None);
        check("if (location.href == '/a') hide()", None);
        check("location.href = next", None);
        check("mylocation='/a'", None);
        check("location.hash='top'", None);
        check("location.reload()", None);
    }

    #[test]
    fn what_is_guarded_or_declared_is_no_place() {
        // `<button onclick="if(confirm('Delete?')) location.href='/delete/5'">` was followed.
        for script in [
            "if(confirm('Delete?')) location.href='/delete/5'",
            "confirm('Delete?') && (location.href='/delete/5')",
            "window.confirm ('Delete?'), location='/delete/5'",
            "var name = prompt('Name'); location.href='/delete/5'",
            "if (old) window.open('/a')",
            "old ? location.href='/a' : 0",
            "old || (location='/a')",
            "old%26%26(location='/a')",
            "var location = 'abc'",
            "let location='abc'",
            "const\nlocation = 'abc';",
        ] {
            check(script, None);
        }
        check("notify(); location.href='/a?b'", Some("/a?b"));
        check("var opened = window.open('/a')", Some("/a"));
        check("location.href='/a'; if (old) hide()", Some("/a"));
        check("window.open('/a'); if (old) location.href='/b'", Some("/a"));
    }

    proptest! {
        #[test]
        fn any_script_has_a_place_or_none(script in ".{0,200}") {
            let _ = target(&format!("location.href={script}"));
        }
    }
}
