//! The reference of all keys, for `docs/configuration.md`.

use std::fmt::Write;

use crate::crawl_config::CrawlConfig;
use crate::journal::toml_of;
use crate::key::KeyFacts;
use crate::section::{SectionFacts, Shape};

const HEAD: &str = "# Configuration

Every key of a configuration file. This page is made from the code: `tamis config reference` \
prints it. All keys have defaults; a file sets those that differ. `tamis config check FILE` tells \
every mistake in a file, `tamis config show FILE` every value in force and where it was set. \
What is behind a bound, and what happens when it is met, stands in [limits](limits.md).

Durations are written `\"250ms\"`, `\"1s\"`, `\"30m\"`, `\"2h\"` or `\"1h 30m\"`; sizes `\"500 KB\"`, \
`\"10 MB\"` or `\"2 GiB\"`; rates `\"20 MB/s\"`. Relative paths are relative to the file that names \
them.

A crawl may be carried on with other values. The last column says for what they count then; \
nothing that was done is done again.
";

/// The reference as Markdown.
pub fn reference() -> String {
    let mut page = HEAD.to_owned();
    for (name, facts) in CrawlConfig::facts() {
        section(&mut page, name, &facts);
    }
    page
}

/// Writing to a text cannot fail.
fn section(page: &mut String, name: &str, facts: &SectionFacts) {
    let header = match facts.shape {
        Shape::Single | Shape::Optional => format!("[{name}]"),
        Shape::Named => format!("[{name}.\"NAME\"]"),
    };
    let _ = write!(page, "\n## `{header}`\n\n{}\n\n", facts.about);
    let _ = writeln!(
        page,
        "| key | kind | default | range | what it is | a change counts for |\n|---|---|---|---|---|---|"
    );
    for key in &facts.keys {
        let _ = writeln!(
            page,
            "| `{}` | {} | {} | {} | {} | {} |",
            key.name,
            kind(key),
            default(key),
            range(key),
            key.sentence().replace('|', "\\|"),
            key.counts_for.words()
        );
    }
}

fn default(key: &KeyFacts) -> String {
    match toml_of(&key.default) {
        Some(default) => format!("`{default}`"),
        None => "not set".to_owned(),
    }
}

/// What kind of value it is, or what it counts.
fn kind(key: &KeyFacts) -> &str {
    match key.unit {
        "" => key.kind.strip_prefix("a ").unwrap_or(&key.kind),
        unit => unit,
    }
}

/// Which values are allowed.
fn range(key: &KeyFacts) -> String {
    if key.choices.is_empty() {
        return key.allowed.clone();
    }
    let choices = key.choices.iter();
    let names: Vec<String> = choices.map(|(name, _)| format!("`\"{name}\"`")).collect();
    names.join(", ")
}

impl KeyFacts {
    /// All that is to say of the key's meaning, in one line.
    pub(crate) fn sentence(&self) -> String {
        let mut text = self.doc.to_owned();
        if !self.choices.is_empty() {
            let meanings = self.choices.iter();
            let meanings = meanings.map(|(name, doc)| format!("`{name}`: {}", doc.trim()));
            let meanings: Vec<String> = meanings.collect();
            let _ = write!(text, " {}.", meanings.join("; "));
        }
        if !self.zero.is_empty() {
            let nothing = match self.kind.as_str() {
                "a text" | "a rate" => "Empty",
                _ => "0",
            };
            let _ = write!(text, " {nothing}: {}.", self.zero);
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PAGE: &str = include_str!("../../../docs/configuration.md");

    #[test]
    fn the_page_in_docs_is_this_reference() {
        assert!(
            PAGE == reference(),
            "make it anew: cargo run -p tamis -- config reference > docs/configuration.md"
        );
    }

    #[test]
    fn every_key_says_what_it_is_and_what_is_allowed() {
        for (section, facts) in CrawlConfig::facts() {
            assert!(facts.about.ends_with('.'), "[{section}]: {}", facts.about);
            for key in facts.keys {
                let name = format!("{section}.{}", key.name);
                assert!(
                    key.doc.len() > 8 && key.doc.ends_with('.'),
                    "{name}: {}",
                    key.doc
                );
                assert!(!key.allowed.is_empty(), "{name} says nothing of its range");
                assert!(!key.doc.contains("  "), "{name}: {}", key.doc);
            }
        }
    }
}
