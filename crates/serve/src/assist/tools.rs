//! The tools: what they take, what they give.

use std::fmt::Write as _;
use std::sync::Arc;

use report::Tongue;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value, json};

use crate::answers::{Page, SearchAsked};
use crate::asking::page_of_url;
use crate::assist::framed::Told;
use crate::assist::message::Fault;
use crate::crawls::{AGE_MAX, Crawls, Served};
use crate::searching::search;
use crate::shown::{line, shown};
use crate::{lists, story};

/// Hits of one search at most.
const HITS_MAX: usize = 50;

/// Characters of a page's text that one answer gives unless told otherwise.
const TEXT_CHARS: usize = 20_000;

/// Characters of a page's text that one answer gives at most.
const TEXT_CHARS_MAX: usize = 100_000;

/// Characters of a story.
const STORY_CHARS_MAX: usize = 40_000;

/// Characters of a URL or a title.
const LINE_CHARS_MAX: usize = 2_000;

/// Characters of a snippet's part, and of an error that quotes what was typed.
const PART_CHARS_MAX: usize = 400;

/// A tool.
struct Tool {
    name: &'static str,
    title: &'static str,
    about: &'static str,
    fields: fn() -> Value,
    required: &'static [&'static str],
    call: fn(&Crawls, Value) -> Result<Told, String>,
}

const TOOLS: [Tool; 4] = [
    Tool {
        name: "search",
        title: "Search the kept pages",
        about: "Full-text search over the pages that a crawl kept, in Chinese and other languages. Gives the \
                best pages with title, URL, a snippet, and the number by which `page` reads the whole text.",
        fields: || {
            json!({
                "crawl": crawl_field(),
                "query": { "type": "string", "description": "Words; \"a phrase\", -word, host:example.org and lang:zh are understood" },
                "host": { "type": "string", "description": "Only this host and those below it" },
                "lang": { "type": "string", "description": "Only this language, such as zh" },
                "type": { "type": "string", "description": "Only this type of page, such as article, forum or documentation" },
                "since": { "type": "string", "description": "Only pages published on this day or later, YYYY-MM-DD" },
                "until": { "type": "string", "description": "Only pages published on this day or before, YYYY-MM-DD" },
                "offset": { "type": "integer", "minimum": 0, "description": "Hits to pass over" },
                "limit": { "type": "integer", "minimum": 1, "maximum": HITS_MAX, "description": "Hits at most; 10 without it" },
            })
        },
        required: &["query"],
        call: |crawls, fields| searched(crawls, read(fields)?),
    },
    Tool {
        name: "page",
        title: "Read a page",
        about: "The main text of a page that a crawl read, whether it was kept or dropped, with its date, \
                language, verdict and what it repeats. Long texts are given in parts.",
        fields: || {
            json!({
                "crawl": crawl_field(),
                "url": { "type": "string", "description": "The page's URL" },
                "page": { "type": "integer", "minimum": 1, "description": "The page's number instead of its URL, as `search` gives it" },
                "offset": { "type": "integer", "minimum": 0, "description": "Characters of the text to pass over" },
                "limit": { "type": "integer", "minimum": 1, "maximum": TEXT_CHARS_MAX, "description": "Characters at most; 20,000 without it" },
            })
        },
        required: &[],
        call: |crawls, fields| read_page(crawls, read(fields)?),
    },
    Tool {
        name: "explain",
        title: "Explain a URL",
        about: "One URL's whole story: where it was found, each fetch, why it was kept, dropped or never \
                fetched, what it repeats and where the texts differ. Reads the crawl's journal from its \
                beginning, which takes a while in a large crawl.",
        fields: || {
            json!({
                "crawl": crawl_field(),
                "url": { "type": "string", "description": "The URL, absolute" },
            })
        },
        required: &["url"],
        call: |crawls, fields| explained(crawls, read(fields)?),
    },
    Tool {
        name: "status",
        title: "How a crawl stands",
        about: "What a crawl does now or why it stopped: pages kept, dropped by reason, failed and waiting, \
                its rate, and the hosts that wait with the reason. Without `crawl`, of every crawl.",
        fields: || json!({ "crawl": crawl_field() }),
        required: &[],
        call: |crawls, fields| stands(crawls, &read(fields)?),
    },
];

fn crawl_field() -> Value {
    json!({ "type": "string", "description": "The crawl's name, as `status` gives it; not needed where there is one" })
}

/// The tools as a client lists them.
pub(super) fn declared() -> Vec<Value> {
    let declared = TOOLS.iter().map(|tool| {
        json!({
            "name": tool.name,
            "title": tool.title,
            "description": tool.about,
            "inputSchema": {
                "type": "object",
                "properties": (tool.fields)(),
                "required": tool.required,
                "additionalProperties": false,
            },
            "annotations": {
                "title": tool.title,
                "readOnlyHint": true,
                "destructiveHint": false,
                "idempotentHint": true,
                "openWorldHint": false,
            },
        })
    });
    declared.collect()
}

/// Calls a tool. What a tool cannot do is a result that says so, for the assistant to mend.
///
/// # Errors
/// When there is no such tool.
pub(super) fn call(crawls: &Crawls, params: &Map<String, Value>) -> Result<Value, Fault> {
    let name = params.get("name").and_then(Value::as_str);
    let Some(tool) = TOOLS.iter().find(|tool| name == Some(tool.name)) else {
        let known: Vec<&str> = TOOLS.iter().map(|tool| tool.name).collect();
        return Err(Fault::params(format!("the tools are {}", known.join(", "))));
    };
    let fields = match params.get("arguments") {
        None | Some(Value::Null) => json!({}),
        Some(fields) => fields.clone(),
    };
    let (text, is_error) = match (tool.call)(crawls, fields) {
        Ok(told) => (told.text().map_err(|_| Fault::internal())?, false),
        Err(why) => (shown(&why, LINE_CHARS_MAX), true),
    };
    let content = [json!({ "type": "text", "text": text })];
    Ok(json!({ "content": content, "isError": is_error }))
}

fn read<T: DeserializeOwned>(fields: Value) -> Result<T, String> {
    if !fields.is_object() {
        return Err("`arguments` is a JSON object".to_owned());
    }
    serde_json::from_value(fields).map_err(|error| line(&error.to_string(), PART_CHARS_MAX))
}

/// The crawl that is meant, read to its journal's end.
fn crawl<'c>(crawls: &'c Crawls, name: Option<&String>) -> Result<&'c Arc<Served>, String> {
    let known = || {
        let names: Vec<&str> = crawls.all.iter().map(|crawl| crawl.id.as_str()).collect();
        names.join(", ")
    };
    let crawl = match (name, crawls.all.as_slice()) {
        (Some(name), _) => crawls.get(name).ok_or_else(|| {
            let name = line(name, 100);
            format!("there is no crawl {name:?}; there are: {}", known())
        })?,
        (None, [only]) => only,
        (None, _) => return Err(format!("say which crawl: {}", known())),
    };
    crawl.follower.catch_up(AGE_MAX);
    match crawl.follower.problem() {
        Some(problem) => Err(format!("cannot read the crawl's journal: {problem}")),
        None => Ok(crawl),
    }
}

#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct SearchCall {
    crawl: Option<String>,
    query: String,
    host: Option<String>,
    lang: Option<String>,
    #[serde(rename = "type")]
    page_type: Option<String>,
    since: Option<String>,
    until: Option<String>,
    offset: usize,
    limit: Option<usize>,
}

fn searched(crawls: &Crawls, call: SearchCall) -> Result<Told, String> {
    if call.query.trim().is_empty() {
        return Err("`query` is empty: give words to look for".to_owned());
    }
    let crawl = crawl(crawls, call.crawl.as_ref())?;
    let asked = SearchAsked {
        q: Some(call.query),
        host: call.host,
        lang: call.lang,
        page_type: call.page_type,
        since: call.since,
        until: call.until,
        offset: Some(call.offset),
        limit: Some(call.limit.unwrap_or(10).clamp(1, HITS_MAX)),
    };
    let found = search(crawl, &asked).map_err(|error| error.to_string())?;
    let mut ours = format!(
        "{} kept pages of crawl {} match; {} of the best fit the filters; {} are shown, from {}.\n",
        found.total,
        crawl.id,
        found.fitting,
        found.hits.len(),
        call.offset
    );
    if found.is_relaxed {
        ours.push_str("No page has all words; these have some.\n");
    }
    for hint in &found.hints {
        let _ = writeln!(ours, "Hint: {}", line(hint, PART_CHARS_MAX));
    }
    let mut web = String::new();
    for (number, hit) in found.hits.iter().enumerate() {
        let joined = |parts: &[crate::answers::Part]| -> String {
            parts.iter().map(|part| part.text.as_str()).collect()
        };
        let title = joined(&hit.title);
        let _ = writeln!(
            web,
            "{}. {}",
            call.offset + number + 1,
            line(&title, PART_CHARS_MAX)
        );
        let _ = writeln!(web, "   {}", about(&hit.page));
        let _ = writeln!(
            web,
            "   {}",
            line(&joined(&hit.snippet), 2 * PART_CHARS_MAX)
        );
    }
    Ok(Told { ours, web })
}

/// A page in a line.
fn about(page: &Page) -> String {
    let mut words = vec![
        format!("page {}", page.page),
        line(&page.url, LINE_CHARS_MAX),
    ];
    let mut add = |name: &str, value: &str| {
        if !value.is_empty() {
            words.push(format!("{name} {}", line(value, PART_CHARS_MAX)));
        }
    };
    add("language", &page.lang);
    add("type", &page.page_type);
    add("published", &page.published);
    add("fetched", &page.fetched_at);
    if let Some(relevance) = page.relevance {
        add("relevance", &relevance.to_string());
    }
    words.join(" · ")
}

#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct PageCall {
    crawl: Option<String>,
    url: Option<String>,
    page: Option<u64>,
    offset: usize,
    limit: Option<usize>,
}

fn read_page(crawls: &Crawls, call: PageCall) -> Result<Told, String> {
    let crawl = crawl(crawls, call.crawl.as_ref())?;
    let page = match (&call.url, call.page) {
        (Some(_), Some(_)) | (None, None) => return Err("give `url` or `page`".to_owned()),
        (None, Some(page)) => page_numbered(crawl, page)
            .ok_or_else(|| format!("crawl {} has no page {page}", crawl.id))?,
        (Some(url), None) => {
            let canonical = story::canonical(crawl, url).map_err(|error| error.to_string())?;
            page_of_url(crawl, &canonical).ok_or_else(|| {
                format!(
                    "crawl {} read no page at that URL; `explain` says why",
                    crawl.id
                )
            })?
        }
    };
    let mut web = format!("{}\n{}\n", line(&page.title, PART_CHARS_MAX), about(&page));
    if let Some(repeats) = page
        .repeats
        .as_ref()
        .filter(|repeats| !repeats.url.is_empty())
    {
        let url = line(&repeats.url, LINE_CHARS_MAX);
        let _ = writeln!(web, "repeats page {} · {url}", repeats.page);
    }
    let reason = if page.reason.is_empty() { "" } else { ": " };
    let ours = format!(
        "Page {} of crawl {} was {}{reason}{}.",
        page.page, crawl.id, page.verdict, page.reason
    );
    let Some(text) = story::text_of(crawl, page.page) else {
        let ours = format!("{ours} The archive holds neither its text nor its body.");
        return Ok(Told { ours, web });
    };
    let whole = text.chars().count();
    let most = call.limit.unwrap_or(TEXT_CHARS).clamp(1, TEXT_CHARS_MAX);
    let from = call.offset.min(whole);
    let part: String = text.chars().skip(from).take(most).collect();
    let until = (from + most).min(whole);
    web.push('\n');
    web.push_str(&shown(&part, most));
    let more = match until < whole {
        true => format!(" The next part begins at offset {until}."),
        false => String::new(),
    };
    let ours = format!("{ours} Its text has {whole} characters; here are {from} to {until}.{more}");
    Ok(Told { ours, web })
}

fn page_numbered(crawl: &Served, page: u64) -> Option<Page> {
    let view = crawl.follower.view();
    let row = view.rows.page(page)?;
    Some(lists::page(&view.rows, row))
}

#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct ExplainCall {
    crawl: Option<String>,
    url: String,
}

fn explained(crawls: &Crawls, call: ExplainCall) -> Result<Told, String> {
    if call.url.trim().is_empty() {
        return Err("`url` is missing: give an absolute URL".to_owned());
    }
    let crawl = crawl(crawls, call.crawl.as_ref())?;
    let told = story::tell(crawl, &call.url, Tongue::English).map_err(|error| error.to_string())?;
    let ours = match told.is_known {
        true => format!("Crawl {} knows this URL.", crawl.id),
        false => format!("Crawl {} does not know this URL.", crawl.id),
    };
    let web = format!("{}\n{}\n\n{}", told.url, told.summary, told.text);
    let web = shown(&web, STORY_CHARS_MAX);
    Ok(Told { ours, web })
}

#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct StatusCall {
    crawl: Option<String>,
}

fn stands(crawls: &Crawls, call: &StatusCall) -> Result<Told, String> {
    if let (None, true) = (&call.crawl, crawls.all.len() != 1) {
        let all = crawls.all.iter().map(|crawl| {
            let status = crawl.status();
            format!(
                "{}: {}, {} kept, {} dropped, {} waiting",
                crawl.id, status.state, status.kept, status.dropped, status.pending
            )
        });
        let ours = all.collect::<Vec<String>>().join("\n");
        return Ok(Told {
            ours,
            web: String::new(),
        });
    }
    let crawl = crawl(crawls, call.crawl.as_ref())?;
    let status = crawl.status();
    let mut hosts = String::new();
    for host in &status.hosts {
        let _ = writeln!(
            hosts,
            "{}: {} waiting, next in {} s, {}",
            line(&host.host, PART_CHARS_MAX),
            host.pending,
            host.next_in_seconds,
            host.why
        );
    }
    let mut figures = serde_json::to_value(&status).map_err(|error| error.to_string())?;
    if let Some(figures) = figures.as_object_mut() {
        // What strangers wrote stands in the frame, and a curve is for eyes.
        for field in ["hosts", "latest", "curve"] {
            figures.remove(field);
        }
    }
    let figures = serde_json::to_string_pretty(&figures).map_err(|error| error.to_string())?;
    let ours = format!("Crawl {}:\n{figures}", crawl.id);
    let web = match hosts.is_empty() {
        true => hosts,
        false => format!("Hosts that wait:\n{hosts}"),
    };
    Ok(Told { ours, web })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_tool_only_reads_and_declares_what_it_takes() {
        for tool in declared() {
            assert_eq!(tool["annotations"]["readOnlyHint"], true);
            let schema = &tool["inputSchema"];
            let fields = schema["properties"].as_object().expect("fields");
            for required in schema["required"].as_array().expect("a list") {
                assert!(fields.contains_key(required.as_str().expect("a name")));
            }
            let name = tool["name"].as_str().expect("a name");
            let tool = TOOLS.iter().find(|tool| tool.name == name).expect(name);
            let crawls = Crawls::new(Vec::new(), None);
            // Each declared field is known, and no other.
            for (field, about) in fields {
                let value = match about["type"].as_str() {
                    Some("integer") => json!(1),
                    _ => json!("x"),
                };
                let why = (tool.call)(&crawls, json!({ field: value })).err();
                let is_known = why.is_none_or(|why| !why.contains("unknown field"));
                assert!(is_known, "{name}: {field}");
            }
            let why = (tool.call)(&crawls, json!({ "other": 1 })).expect_err("unknown");
            assert!(why.contains("unknown field `other`"), "{name}: {why}");
            for wrong in [json!([]), json!("x"), json!({ "crawl": 7 })] {
                assert!((tool.call)(&crawls, wrong).is_err(), "{name}");
            }
        }
    }
}
