//! `tamis links`: where a page leads, what it is called and what it asks of robots.

use std::path::PathBuf;

use extractor::{Link, LinkKind, PageContext, PageLinks};
use serde_json::{Value, json};

use super::text::read;
use crate::clock;
use crate::command::typed_url;
use crate::exit::{Exit, usage};
use crate::output::Output;

/// List a page's links, resources, canonical URL and robots directives
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  \
    tamis links --base https://example.org/page.html page.html\n  \
    tamis links --json --base https://example.org/ --header 'X-Robots-Tag: nofollow' -")]
pub struct Args {
    /// The page's own URL
    #[arg(long, value_name = "URL")]
    base: String,
    /// The Content-Type header the page came with
    #[arg(long, value_name = "TYPE")]
    content_type: Option<String>,
    /// A header the page came with, "Name: value"; may be repeated
    #[arg(long = "header", value_name = "HEADER")]
    headers: Vec<String>,
    /// The product token that robots directives may address
    #[arg(long, value_name = "AGENT", default_value = "tamis")]
    agent: String,
    /// The page; - is standard input
    file: PathBuf,
}

/// Reads the page and prints what it says about others.
pub fn run(args: &Args, output: &Output) -> anyhow::Result<Exit> {
    let url = typed_url(&args.base)
        .map_err(|error| usage(format!("--base \"{}\": {error}", args.base)))?;
    let headers = headers(&args.headers)?;
    let bytes = read(&args.file)?;
    let header_type = headers
        .iter()
        .find(|(name, _)| name == "content-type")
        .map(|(_, value)| String::from_utf8_lossy(value));
    let content_type = args.content_type.as_deref().or(header_type.as_deref());
    let tld = url.domain().and_then(|host| host.rsplit('.').next());
    let decoded = extractor::decode(&bytes, content_type, tld);
    let context = PageContext {
        encoding: decoded.encoding,
        headers: &headers,
        agent: &args.agent,
        ..PageContext::new(&url)
    };
    let page = extractor::page_links(&decoded.text, &context);
    let now = clock::unix_seconds();
    if output.json {
        output.value(&json(&page, now))?;
    } else {
        print(&page, now, output)?;
    }
    Ok(Exit::Done)
}

/// Names in lower case, values as given.
fn headers(lines: &[String]) -> anyhow::Result<Vec<(String, Vec<u8>)>> {
    let headers = lines.iter().map(|line| {
        let (name, value) = line.split_once(':').ok_or_else(|| {
            usage(format!(
                "--header \"{line}\": no colon; write \"Name: value\""
            ))
        })?;
        Ok((
            name.trim().to_ascii_lowercase(),
            value.trim().as_bytes().to_vec(),
        ))
    });
    headers.collect()
}

/// A link that a reader could follow, rather than another form of the page.
fn is_followable(link: &Link) -> bool {
    match link.kind {
        LinkKind::A | LinkKind::Area | LinkKind::Frame | LinkKind::Iframe => true,
        LinkKind::Refresh | LinkKind::Canonical => false,
        LinkKind::Series | LinkKind::Language | LinkKind::Alternate | LinkKind::Feed => false,
    }
}

fn json(page: &PageLinks, now: i64) -> Value {
    let followable = page.links.iter().filter(|link| is_followable(link));
    let links: Vec<Value> = followable
        .map(|link| {
            json!({
                "url": link.url,
                "anchor": link.anchor,
                "rel": link.rel,
                "nofollow": link.nofollow,
                "tag_path": link.tag_path,
                "context": link.context,
                "kind": link.kind,
            })
        })
        .collect();
    let alternates: Vec<Value> = page
        .links
        .iter()
        .filter(|link| {
            matches!(
                link.kind,
                LinkKind::Series | LinkKind::Language | LinkKind::Alternate | LinkKind::Feed
            )
        })
        .map(|link| json!({ "url": link.url, "rel": link.rel, "title": link.anchor }))
        .collect();
    json!({
        "base": page.base,
        "canonical": page.canonical,
        "refresh": page.refresh,
        "robots": {
            "index": page.directives.may_index_at(now),
            "follow": page.directives.follow,
            "unavailable_after": page.directives.unavailable_after,
        },
        "links": links,
        "alternates": alternates,
        "resources": page.resources,
        "limits_hit": page.limits_hit,
    })
}

fn print(page: &PageLinks, now: i64, output: &Output) -> anyhow::Result<()> {
    for link in page.links.iter().filter(|link| is_followable(link)) {
        let mark = if link.nofollow { "  (nofollow)" } else { "" };
        output.line(format!("{}  {}{mark}", link.url, link.anchor))?;
    }
    output.say(format!("base: {}", page.base));
    if let Some(canonical) = &page.canonical {
        output.say(format!("canonical: {canonical}"));
    }
    if let Some(refresh) = &page.refresh {
        output.say(format!(
            "refresh: {} after {} s",
            refresh.url, refresh.delay
        ));
    }
    let allowed = |yes: bool| if yes { "yes" } else { "no" };
    output.say(format!(
        "index: {}, follow: {}, resources: {}",
        allowed(page.directives.may_index_at(now)),
        allowed(page.directives.follow),
        page.resources.len()
    ));
    for limit in &page.limits_hit {
        output.say(format!(
            "limit met: {limit}; the page is not read to its end"
        ));
    }
    Ok(())
}
