//! `docs/api.md`, made from the OpenAPI description: every path with what it asks and gives, every type with its
//! fields.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use serde_json::Value;

const HEAD: &str = "# The JSON API\n\n\
    Made from the code (`WRITE_DOCS=1 cargo test -p serve reference`); the server gives the same as OpenAPI at \
    `/api/openapi.json`. How to begin, who may ask and what a POST needs is in [serve.md](serve.md).\n\n\
    Every path about a crawl may answer 400 (it is no such request), 404 (there is no such crawl, page or pair) and \
    503 (the journal is being read, or too many ask; `Retry-After` says when to ask again), each with a \
    [`Problem`](#problem).\n";

/// The page.
fn documentation(api: &Value) -> String {
    let mut out = HEAD.to_owned();
    out.push_str("\n## Paths\n");
    for (path, methods) in api["paths"].as_object().expect("paths") {
        for (method, operation) in methods.as_object().expect("methods") {
            let _ = write!(out, "\n### {} {path}\n\n", method.to_uppercase());
            let (summary, more) = (&operation["summary"], &operation["description"]);
            let words = [summary, more].map(|words| words.as_str().unwrap_or_default().trim());
            let words = words.map(|words| words.replace('\n', " ")).join(" ");
            let _ = writeln!(out, "{}", words.trim());
            parameters(&mut out, operation);
            bodies(&mut out, operation);
        }
    }
    out.push_str("\n## Types\n");
    for (name, schema) in api["components"]["schemas"].as_object().expect("schemas") {
        let _ = write!(out, "\n### {name}\n\n{}\n", line(&schema["description"]));
        let fields = schema["properties"].as_object().into_iter().flatten();
        let fields: BTreeMap<_, _> = fields.collect();
        if fields.is_empty() {
            continue;
        }
        out.push_str("\n| field | type | what it holds |\n|---|---|---|\n");
        for (field, of) in fields {
            let _ = writeln!(
                out,
                "| `{field}` | {} | {} |",
                kind(of),
                line(&of["description"])
            );
        }
    }
    out
}

fn parameters(out: &mut String, operation: &Value) {
    let parameters = operation["parameters"].as_array().into_iter().flatten();
    let asked: Vec<&Value> = parameters
        .filter(|parameter| parameter["in"] == "query")
        .collect();
    if asked.is_empty() {
        return;
    }
    out.push_str("\n| parameter | type | what it asks for |\n|---|---|---|\n");
    for parameter in asked {
        let name = parameter["name"].as_str().unwrap_or_default();
        let (kind, words) = (kind(&parameter["schema"]), line(&parameter["description"]));
        let _ = writeln!(out, "| `{name}` | {kind} | {words} |");
    }
}

fn bodies(out: &mut String, operation: &Value) {
    let of = |about: &Value| kind(&about["content"]["application/json"]["schema"]);
    if operation["requestBody"].is_object() {
        let _ = write!(out, "\nTakes {}.\n", of(&operation["requestBody"]));
    }
    let gives = &operation["responses"]["200"];
    match gives["content"]["application/json"].is_object() {
        true => {
            let _ = write!(out, "\nGives {}.\n", of(gives));
        }
        false => out.push_str("\nGives a stream of server-sent events.\n"),
    }
}

/// The words of a description on one line of a table.
fn line(words: &Value) -> String {
    let words = words.as_str().unwrap_or_default().replace('\n', " ");
    words.replace('|', "\\|")
}

/// A type in words.
fn kind(schema: &Value) -> String {
    if let Some(name) = schema["$ref"].as_str() {
        let name = name.rsplit('/').next().unwrap_or_default();
        return format!("[`{name}`](#{})", name.to_lowercase());
    }
    if let Some(some) = schema["oneOf"].as_array().or(schema["anyOf"].as_array()) {
        let kinds: Vec<String> = some.iter().map(kind).collect();
        return kinds.join(" or ");
    }
    let names = match &schema["type"] {
        Value::String(one) => vec![one.as_str()],
        Value::Array(several) => several.iter().filter_map(Value::as_str).collect(),
        _ => vec!["any"],
    };
    let kinds: Vec<String> = names
        .into_iter()
        .map(|name| match name {
            "array" => format!("list of {}", kind(&schema["items"])),
            "object" if schema["additionalProperties"].is_object() => {
                format!("{} by name", kind(&schema["additionalProperties"]))
            }
            name => name.to_owned(),
        })
        .collect();
    kinds.join(" or ")
}

/// Run with `WRITE_DOCS=1` to write the file anew.
#[test]
fn the_reference_is_that_of_the_description() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/api.md");
    let api: Value = serde_json::from_str(&super::openapi()).expect("JSON");
    let made = documentation(&api);
    if std::env::var_os("WRITE_DOCS").is_some() {
        std::fs::write(path, &made).expect("written");
    }
    let written = std::fs::read_to_string(path).unwrap_or_default();
    assert_eq!(
        written, made,
        "write it with: WRITE_DOCS=1 cargo test -p serve reference"
    );
}
