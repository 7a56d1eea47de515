//! A configuration as a flat list of settings, to show it and to tell what changed.

use serde_json::{Value, json};

use crate::config::CrawlConfig;
use crate::setup;

/// Each setting as `section.key` with its value, in the configuration's order. Passwords are left
/// out.
pub fn settings(config: &CrawlConfig) -> Vec<(String, Value)> {
    flatten(&setup::public_config(config))
}

/// The settings in which a start differs from the last one, as `section.key: was -> is`.
pub fn changes(was: &CrawlConfig, is: &CrawlConfig) -> Vec<String> {
    // The one that is kept has absolute paths.
    let (was, is) = (
        setup::with_absolute_paths(was),
        setup::with_absolute_paths(is),
    );
    let (was, is) = (settings(&was), settings(&is));
    let find = |list: &[(String, Value)], key: &str| {
        let found = list.iter().find(|(known, _)| known == key);
        found.map(|(_, value)| value.clone())
    };
    let gone = was.iter().filter(|(key, _)| find(&is, key).is_none());
    let mut keys: Vec<&String> = is.iter().chain(gone).map(|(key, _)| key).collect();
    keys.dedup();
    let words = |value: Option<Value>| value.map_or("not set".to_owned(), |v| v.to_string());
    keys.into_iter()
        .filter_map(|key| {
            let (was, is) = (find(&was, key), find(&is, key));
            (was != is).then(|| format!("{key}: {} -> {}", words(was), words(is)))
        })
        .collect()
}

/// `section.key` and value, in order.
fn flatten(value: &Value) -> Vec<(String, Value)> {
    let mut found = Vec::new();
    let mut stack = vec![(String::new(), value)];
    while let Some((path, value)) = stack.pop() {
        match value {
            Value::Object(entries) => {
                let mut entries: Vec<_> = entries.iter().collect();
                entries.reverse();
                for (key, value) in entries {
                    let path = if path.is_empty() {
                        key.clone()
                    } else {
                        format!("{path}.{key}")
                    };
                    stack.push((path, value));
                }
            }
            value => found.push((path, as_written(value))),
        }
    }
    found
}

/// A number as people write it: single precision, widened, has digits that nobody meant.
fn as_written(value: &Value) -> Value {
    let Some(wide) = value.as_f64().filter(|_| value.is_f64()) else {
        return value.clone();
    };
    let single = wide as f32;
    match single.to_string().parse::<f64>() {
        Ok(short) if f64::from(single) == wide => json!(short),
        _ => value.clone(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::TopicSection;

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
    }
}
