//! `tamis extract`: pages to main content, one JSON line each, on all cores and in order.

use std::io::{self, BufReader, IsTerminal, Read, Write};
use std::path::{Path, PathBuf};

use documents::Workers;
use documents::extraction::{BATCH_MAX, Extracted, ExtractionError, extract, next_requests};
use report::words::plural;
use serde_json::json;

use crate::command::text::type_by_name;
use crate::command::typed_url;
use crate::exit::{Exit, usage};
use crate::output::Output;

/// Read pages: main content, title, author, date, links
#[derive(Debug, clap::Args)]
#[command(
    after_help = "With --json or --jsonl a page is a JSON line {id, url, title, author, published, lang, \
        text, blocks, links, page_type, …}; a page that fails is {id, error}, and the exit code is \
        then 1. Otherwise the main content is printed as text, or with --format as Markdown or HTML with \
        its tables, lists, code and formulas.\n\nExamples:\n  \
        tamis extract --url https://example.org/a.html a.html\n  \
        curl -s https://example.org/ | tamis extract --json --url https://example.org/ -\n  \
        tamis extract --format markdown a.html > a.md\n  \
        tamis extract --jsonl pages.jsonl > texts.jsonl"
)]
pub struct Args {
    /// The URL the page is from, for its links and its reading; for one FILE only. Without it the
    /// page's own word counts: its canonical link, og:url or <base>
    #[arg(long, value_name = "URL")]
    url: Option<String>,
    /// The Content-Type header the pages came with
    #[arg(long, value_name = "TYPE")]
    content_type: Option<String>,
    /// The form of the main content; json is the same as --json
    #[arg(long, value_name = "FORM", value_enum, default_value_t = Form::Text)]
    format: Form,
    /// Read lines {"id", "path" or "html", "url"?, "content_type"?, "format"?} from a file; - is
    /// standard input
    #[arg(long, value_name = "FILE", conflicts_with_all = ["url", "content_type", "files", "format"])]
    jsonl: Option<PathBuf>,
    /// Pages; - is standard input
    #[arg(value_name = "FILE")]
    files: Vec<PathBuf>,
}

/// The form of the main content.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum Form {
    /// Headings, lists, tables, code and formulas marked up
    Markdown,
    /// The same as elements
    Html,
    /// A line for each paragraph, item and row
    Text,
    /// All that is known of the page, on a line
    Json,
}

impl Form {
    fn name(self) -> &'static str {
        match self {
            Self::Markdown => "markdown",
            Self::Html => "html",
            Self::Text => "text",
            Self::Json => "json",
        }
    }
}

/// Reads the pages.
pub fn run(args: &Args, output: &Output) -> anyhow::Result<Exit> {
    let workers = Workers::new()?;
    let failed = match &args.jsonl {
        Some(list) => lines(list, &workers, output)?,
        None => files(args, &workers, output)?,
    };
    Ok(if failed == 0 {
        Exit::Done
    } else {
        let pages = plural(failed as u64, "page", "pages");
        output.say(format!("{pages} failed; in JSON such a page has \"error\""));
        Exit::Problem
    })
}

/// Answers for the files of the command line; gives how many failed.
fn files(args: &Args, workers: &Workers, output: &Output) -> anyhow::Result<usize> {
    let files = match args.files.as_slice() {
        [] if io::stdin().is_terminal() => {
            return Err(usage(
                "no pages: name a file, pipe a page in, or give --jsonl FILE",
            ));
        }
        [] => vec![PathBuf::from("-")],
        files => files.to_vec(),
    };
    if args.url.is_some() && files.len() > 1 {
        return Err(usage(
            "--url with more than one FILE: give each its own in --jsonl lines {\"id\", \"path\", \"url\"}",
        ));
    }
    if let Some(url) = &args.url {
        typed_url(url).map_err(|error| usage(format!("--url \"{url}\": {error}")))?;
    }
    for file in files.iter().filter(|file| *file != Path::new("-")) {
        if super::is_web_url(file) {
            let url = file.display();
            return Err(usage(format!(
                "{url} is a URL, and extract reads files: tamis fetch {url} asks for it; a page at hand is read \
                 with: tamis extract --url {url} FILE"
            )));
        }
        let mut first = [0];
        let tried = std::fs::File::open(file).and_then(|mut file| file.read(&mut first));
        tried.map_err(|error| {
            usage(format!(
                "cannot read {}: {error}; check the path",
                file.display()
            ))
        })?;
    }
    let requests: Vec<String> = files
        .iter()
        .map(|file| {
            let name = file.display().to_string();
            json!({
                "id": name,
                "path": name,
                "url": args.url,
                "content_type": args.content_type.as_deref().or(type_by_name(file)),
                "format": args.format.name(),
            })
            .to_string()
        })
        .collect();
    let mut failed = 0;
    for batch in requests.chunks(BATCH_MAX) {
        let form = if output.json { Form::Json } else { args.format };
        failed += answer(batch, workers, output, form)?;
    }
    Ok(failed)
}

/// Answers the lines of a list; gives how many failed.
fn lines(list: &Path, workers: &Workers, output: &Output) -> anyhow::Result<usize> {
    let told = |error: io::Error| usage(format!("cannot read {}: {error}", list.display()));
    let file: Box<dyn Read> = if list == Path::new("-") {
        Box::new(io::stdin())
    } else {
        Box::new(std::fs::File::open(list).map_err(told)?)
    };
    let mut reader = BufReader::with_capacity(256 << 10, file);
    let mut failed = 0;
    loop {
        let batch = next_requests(&mut reader).map_err(told)?;
        if batch.is_empty() {
            return Ok(failed);
        }
        failed += answer(&batch, workers, output, Form::Json)?;
        output.flush()?;
    }
}

/// Answers a batch of requests in one form; gives how many failed.
fn answer(
    requests: &[String],
    workers: &Workers,
    output: &Output,
    form: Form,
) -> anyhow::Result<usize> {
    let mut failed = 0;
    for answer in extract(workers, requests) {
        failed += usize::from(answer.page.is_err());
        match answer.page {
            Ok(page) if form != Form::Json => print(&page, form, output)?,
            Err(ExtractionError::Failed(error)) if form != Form::Json => output.error(&error),
            Ok(_) | Err(_) => output.line(&answer.line)?,
        }
    }
    Ok(failed)
}

fn print(page: &Extracted, form: Form, output: &Output) -> anyhow::Result<()> {
    if let Some(title) = &page.title {
        let heading = match form {
            Form::Markdown => format!("# {title}"),
            Form::Html => format!("<h1>{}</h1>", escaped(title)),
            Form::Text | Form::Json => title.clone(),
        };
        // The content may begin with its title.
        if form == Form::Text || !page.text.starts_with(&heading) {
            output.line(&heading)?;
            output.line("")?;
        }
    }
    output.stream().write_all(page.text.as_bytes())?;
    output.line("")?;
    Ok(())
}

fn escaped(text: &str) -> String {
    let text = text.replace('&', "&amp;");
    text.replace('<', "&lt;").replace('>', "&gt;")
}
