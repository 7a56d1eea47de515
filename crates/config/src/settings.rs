//! A configuration as a flat list of settings, to show it and to tell what changed.

use std::collections::BTreeMap;

use serde_json::Value;

use crate::crawl_config::CrawlConfig;
use crate::section::Shape;

/// Each setting as `section.key` with its value, in the order of [`CrawlConfig`]; a section that
/// is not there as one that is null. Passwords are left out.
pub fn settings(config: &CrawlConfig) -> Vec<(String, Value)> {
    let mut settings = values(config);
    for (name, facts) in CrawlConfig::facts() {
        let is_of_it = |(key, _): &(String, Value)| key.starts_with(&format!("{name}."));
        if facts.shape == Shape::Optional && !settings.iter().any(is_of_it) {
            settings.push((name.to_owned(), Value::Null));
        }
    }
    settings
}

/// The settings in which a start differs from the last one, as `section.key: was -> is`. Of a section that
/// was added or taken out, the keys that are not as they are usually.
pub fn changes(was: &CrawlConfig, is: &CrawlConfig) -> Vec<String> {
    // The one that is kept has absolute paths.
    let was = values(&was.with_absolute_paths());
    let is = values(&is.with_absolute_paths());
    // A key of a section that was there, and that nobody set, is null.
    let find = |list: &[(String, Value)], key: &str| {
        let found = list.iter().find(|(known, _)| known == key);
        let found = found.map(|(_, value)| value.clone());
        found.filter(|value| !value.is_null())
    };
    let gone = was.iter().filter(|(key, _)| find(&is, key).is_none());
    let keys = is.iter().chain(gone).map(|(key, _)| key);
    let words = |value: Option<Value>| value.map_or("not set".to_owned(), |v| v.to_string());
    let usual = usual_of_optional();
    let differing = keys.filter_map(|key| {
        let (was, is) = (find(&was, key), find(&is, key));
        let is_usual = match (&was, &is) {
            (None, Some(value)) | (Some(value), None) => usual.get(key) == Some(value),
            (None, None) | (Some(_), Some(_)) => false,
        };
        (was != is && !is_usual).then(|| format!("{key}: {} -> {}", words(was), words(is)))
    });
    let is_there = |list: &[(String, Value)], section: &str| {
        list.iter()
            .any(|(key, _)| key.split('.').next() == Some(section))
    };
    let sections = CrawlConfig::facts().into_iter();
    let sections = sections.filter(|(_, facts)| facts.shape == Shape::Optional);
    let moved =
        sections.filter_map(
            |(name, _)| match (is_there(&was, name), is_there(&is, name)) {
                (false, true) => Some(format!("[{name}]: added")),
                (true, false) => Some(format!("[{name}]: taken out")),
                (false, false) | (true, true) => None,
            },
        );
    moved.chain(differing).collect()
}

/// What a start or a reload with these changes has to say besides: that verdicts which were made stay.
pub fn note_on(changes: &[String], dir: &str) -> Option<String> {
    let is_topic = |change: &String| change.starts_with("topic.") || change.starts_with("[topic]");
    changes.iter().any(is_topic).then(|| {
        format!(
            "the topic is another one from here on: pages that were read keep their verdicts until a visit finds another \
             text; what it would find among them: tamis replay {dir} --strategy tamis --topic CONFIG; to judge all anew, crawl anew: --fresh --yes"
        )
    })
}

/// What the keys of sections are that need not be there, where they are and nobody says.
fn usual_of_optional() -> BTreeMap<String, Value> {
    let sections = CrawlConfig::facts().into_iter();
    let sections = sections.filter(|(_, facts)| facts.shape == Shape::Optional);
    sections
        .flat_map(|(name, facts)| {
            let keys = facts.keys.into_iter();
            keys.map(move |key| (format!("{name}.{}", key.name), key.default))
        })
        .collect()
}

fn values(config: &CrawlConfig) -> Vec<(String, Value)> {
    let public = config.without_secrets();
    let sections = public.present().into_iter();
    sections
        .flat_map(|(path, section)| section.values(&path))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::TopicSection;

    #[test]
    fn what_changed_is_told_with_what_it_was_and_is() {
        let mut was = CrawlConfig::default();
        was.network.proxy = "http://u:secret@127.0.0.1:1/".into();
        was.seeds.files = vec!["seeds.txt".into()];
        was.topic = Some(TopicSection {
            threshold: 0.7,
            ..TopicSection::default()
        });
        let mut is = was.clone();
        is.network.proxy = String::new();
        is.crawl.max_pages = 5;
        is.topic = None;
        is.seeds.files = vec![
            std::path::absolute("seeds.txt")
                .expect("a path")
                .display()
                .to_string(),
        ];
        let found = changes(&was, &is);
        for line in [
            "network.proxy: \"http://127.0.0.1:1/\" -> \"\"",
            "crawl.max_pages: 0 -> 5",
            "topic.threshold: 0.7 -> not set",
        ] {
            assert!(
                found.iter().any(|f| f == line),
                "{line} is not in {found:#?}"
            );
        }
        let told = |key: &str| found.iter().filter(|line| line.starts_with(key)).count();
        assert_eq!((told("network"), told("crawl"), told("seeds")), (1, 1, 0));
        assert_eq!(changes(&was, &was), Vec::<String>::new());
        assert_eq!(told("[topic]: taken out"), 1);
    }

    #[test]
    fn of_a_host_only_what_somebody_set_is_told() {
        // It said "host.a.example.delay: not set -> null" of keys that nobody had written.
        let was = CrawlConfig::default();
        let mut is = was.clone();
        let own = crate::HostSection {
            max_pages: Some(7),
            ..crate::HostSection::default()
        };
        is.host.insert("a.example".into(), own);
        let found = changes(&was, &is);
        assert_eq!(found, ["host.a.example.max_pages: not set -> 7"]);
        let found = changes(&is, &was);
        assert_eq!(found, ["host.a.example.max_pages: 7 -> not set"]);
    }

    #[test]
    fn a_changed_topic_is_told_to_leave_verdicts_as_they_are() {
        let mut was = CrawlConfig {
            topic: Some(TopicSection::default()),
            ..CrawlConfig::default()
        };
        was.again = Some(crate::AgainSection::default());
        let note = |is: &CrawlConfig| note_on(&changes(&was, is), "crawls/db");
        let mut is = was.clone();
        is.crawl.max_pages = 5;
        is.again = None;
        assert_eq!(note(&is), None);
        is.topic.as_mut().expect("a topic").threshold = 0.9;
        let told = note(&is).expect("a note");
        assert!(told.contains("keep their verdicts"), "{told}");
        assert!(told.contains("tamis replay crawls/db "), "{told}");
        is.topic = None;
        assert!(note(&is).is_some());
    }

    #[test]
    fn of_a_section_that_was_added_only_what_somebody_wrote_is_told() {
        // Eight lines of usual values hid the one that was typed.
        let was = CrawlConfig::default();
        let mut is = was.clone();
        is.again = Some(crate::AgainSection {
            budget: 7,
            ..crate::AgainSection::default()
        });
        assert_eq!(
            changes(&was, &is),
            ["[again]: added", "again.budget: not set -> 7"]
        );
        is.again = Some(crate::AgainSection::default());
        assert_eq!(changes(&was, &is), ["[again]: added"]);
    }
}
