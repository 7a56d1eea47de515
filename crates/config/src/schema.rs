//! The configuration's JSON Schema, for editors that check and complete.

use serde_json::{Map, Value, json};

use crate::crawl_config::CrawlConfig;
use crate::key::KeyFacts;
use crate::section::{SectionFacts, Shape};

/// The JSON Schema of a configuration file.
pub fn schema() -> Value {
    let sections = CrawlConfig::facts().into_iter();
    let properties: Map<String, Value> = sections
        .map(|(name, facts)| (name.to_owned(), of_section(&facts)))
        .collect();
    json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "CrawlConfig",
        "description": "The configuration of a crawl.",
        "type": "object",
        "additionalProperties": false,
        "properties": properties,
    })
}

fn of_section(facts: &SectionFacts) -> Value {
    let keys = facts.keys.iter();
    let properties: Map<String, Value> =
        keys.map(|key| (key.name.to_owned(), of_key(key))).collect();
    let section = json!({
        "type": "object",
        "description": facts.about,
        "additionalProperties": false,
        "properties": properties,
    });
    match facts.shape {
        Shape::Single | Shape::Optional => section,
        Shape::Named => json!({
            "type": "object",
            "description": facts.about,
            "additionalProperties": section,
        }),
    }
}

fn of_key(key: &KeyFacts) -> Value {
    let mut schema = key.schema.clone();
    schema["description"] = key.sentence().into();
    if !key.default.is_null() {
        schema["default"] = key.default.clone();
    }
    schema
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::file::parse;
    use crate::journal::toml_of;

    /// A value that the schema of a key allows.
    fn allowed(key: &KeyFacts) -> Value {
        match (&key.default, key.kind.as_str()) {
            (Value::Null, "a duration") => json!("1s"),
            (Value::Null, "a whole number") => json!(1),
            (Value::Null, "true or false") => json!(true),
            (Value::Null, kind) => panic!("{}: an example of {kind}", key.name),
            (default, _) => default.clone(),
        }
    }

    #[test]
    fn every_key_of_the_schema_is_accepted() {
        let schema = schema();
        let mut keys = 0;
        for (section, facts) in CrawlConfig::facts() {
            let (header, properties) = match facts.shape {
                Shape::Single | Shape::Optional => (
                    section.to_owned(),
                    &schema["properties"][section]["properties"],
                ),
                Shape::Named => (
                    format!("{section}.\"a.example\""),
                    &schema["properties"][section]["additionalProperties"]["properties"],
                ),
            };
            let named = properties.as_object().expect("has properties");
            assert_eq!(named.len(), facts.keys.len(), "{section}");
            for key in &facts.keys {
                assert!(named.contains_key(key.name), "{section}.{}", key.name);
                let value = toml_of(&allowed(key)).expect("a value");
                let extra = match (section, key.name) {
                    ("topic", "keywords") => "examples = [\"a.html\"]",
                    ("topic", _) => "keywords = [\"a\"]",
                    _ => "",
                };
                let text = format!("[{header}]\n{} = {value}\n{extra}\n", key.name);
                if let Err(problem) = parse("x.toml", &text) {
                    panic!("{problem}");
                }
                keys += 1;
            }
        }
        assert!(keys > 80, "{keys}");
    }

    #[test]
    fn bounds_and_names_stand_in_the_schema() {
        let schema = schema();
        let key =
            |section: &str, key: &str| schema["properties"][section]["properties"][key].clone();
        assert_eq!(key("crawl", "concurrency")["minimum"], 1);
        assert_eq!(key("crawl", "concurrency")["maximum"], 4_096);
        assert_eq!(key("dedup", "overlap")["default"], 0.635);
        assert_eq!(key("scope", "mode")["enum"][1], "domain");
        assert_eq!(key("seeds", "urls")["items"]["type"], "string");
        let host = &schema["properties"]["host"]["additionalProperties"];
        assert_eq!(host["properties"]["max_pages"]["type"], "integer");
    }
}
