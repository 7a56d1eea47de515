//! The configuration in a crawl's own files: in the journal, where each start records it, and in
//! the crawl's directory.

use std::fmt::Write;

use serde_json::Value;

use crate::crawl_config::CrawlConfig;
use crate::node::{from_json, quoted};
use crate::reading::{Reading, header};

/// A configuration as it was recorded.
#[derive(Debug, Clone, PartialEq)]
pub struct Recorded {
    /// What could be read; the rest has its defaults.
    pub config: CrawlConfig,
    /// What could not be read, in words. Keys that other versions know are no trouble.
    pub unreadable: Vec<String>,
}

impl CrawlConfig {
    /// The configuration for the journal: without what may hold a password.
    pub fn public(&self) -> Value {
        self.without_secrets().json()
    }

    pub(crate) fn without_secrets(&self) -> Self {
        let mut public = self.clone();
        for section in public.present_mut() {
            section.hide();
        }
        public
    }

    /// Reads what [`Self::public`] wrote, in this version or another.
    pub fn recorded(value: &Value) -> Recorded {
        let mut config = Self::default();
        let mut reading = Reading::default();
        config.read(&from_json(value), &mut reading);
        let unreadable = reading.unreadable.into_iter();
        let unreadable = unreadable.filter(|mistake| !mistake.is_unknown_key);
        Recorded {
            config,
            unreadable: unreadable.map(|mistake| mistake.message).collect(),
        }
    }

    /// The configuration with the paths in it made absolute.
    pub fn with_absolute_paths(&self) -> Self {
        let mut config = self.clone();
        let sections = config.present_mut().into_iter();
        for path in sections.flat_map(|section| section.paths()) {
            if let Ok(full) = std::path::absolute(&*path) {
                *path = full.display().to_string();
            }
        }
        config
    }

    /// The configuration as a file, every key with its value.
    pub fn to_toml(&self) -> String {
        let mut text = String::new();
        for (path, section) in self.present() {
            let _ = writeln!(text, "{}", header(&path));
            for (key, value) in section.values("") {
                if let Some(value) = toml_of(&value) {
                    let _ = writeln!(text, "{} = {value}", key.trim_start_matches('.'));
                }
            }
            text.push('\n');
        }
        text
    }
}

/// A value as TOML; none for one that is not set.
pub(crate) fn toml_of(value: &Value) -> Option<String> {
    match value {
        Value::Null => None,
        Value::String(text) => Some(quoted(text)),
        Value::Array(list) => {
            let entries: Vec<String> = list.iter().filter_map(toml_of).collect();
            Some(format!("[{}]", entries.join(", ")))
        }
        other => Some(other.to_string()),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::TopicSection;
    use crate::file::parse;

    fn with_everything() -> CrawlConfig {
        let mut config = CrawlConfig {
            topic: Some(TopicSection {
                keywords: vec!["数据库^2".into(), "say \"x\"".into()],
                ..TopicSection::default()
            }),
            ..CrawlConfig::default()
        };
        config.scope.exclude = vec![r"\.pdf$".into(), "it's".into()];
        config.scope.sitemaps = Some(false);
        config.host.entry("a.example".into()).or_default().max_pages = Some(3);
        config
    }

    #[test]
    fn a_configuration_is_read_again_from_its_file() {
        for config in [CrawlConfig::default(), with_everything()] {
            assert_eq!(parse("x.toml", &config.to_toml()), Ok(config.clone()));
        }
    }

    #[test]
    fn a_configuration_is_read_again_from_the_journal() {
        for config in [CrawlConfig::default(), with_everything()] {
            let recorded = CrawlConfig::recorded(&config.public());
            assert_eq!(recorded.unreadable, Vec::<String>::new());
            assert_eq!(recorded.config, config);
        }
    }

    #[test]
    fn what_another_version_recorded_is_read_as_far_as_it_is_known() {
        let recorded = CrawlConfig::recorded(&json!({
            "crawl": {"max_pages": 5, "patience": "much"},
            "politeness": {"delay": "2s", "attempts": "many"},
            "news": {"a": 1},
            "topic": null,
        }));
        assert_eq!(recorded.config.crawl.max_pages, 5);
        assert_eq!(recorded.config.politeness.delay, crate::Span::seconds(2));
        assert_eq!(recorded.config.topic, None);
        assert_eq!(recorded.unreadable.len(), 1, "{:?}", recorded.unreadable);
        assert!(recorded.unreadable[0].contains("politeness.attempts"));
        let nothing = CrawlConfig::recorded(&Value::Null);
        assert_eq!(nothing.config, CrawlConfig::default());
    }

    #[test]
    fn a_password_is_not_recorded() {
        let mut config = CrawlConfig::default();
        config.network.proxy = "http://u:secret@127.0.0.1:1/".into();
        assert_eq!(config.public()["network"]["proxy"], "http://127.0.0.1:1/");
        assert!(config.to_toml().contains("secret"));
    }
}
