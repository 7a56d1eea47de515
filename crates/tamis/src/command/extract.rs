//! `tamis extract`: pages to main content, one JSON line each, on all cores and in order.

use std::io::{self, BufRead, BufReader, IsTerminal, Read, Write};
use std::path::{Path, PathBuf};

use report::words::plural;
use serde::Deserialize;
use serde_json::json;
use url::Url;

use super::document::no_text;
use super::in_order;
use crate::exit::{Exit, usage};
use crate::output::Output;

/// How a gzip file begins; such a page is unpacked first.
const GZIP_MAGIC: &[u8] = &[0x1f, 0x8b];

/// Bytes of a page or line that are read.
const BYTES_MAX: u64 = 64 << 20;
/// Lines in a batch at most.
const BATCH_MAX: usize = 256;
/// Bytes of lines in a batch from which it is full.
const BATCH_BYTES: usize = 8 << 20;

/// Read pages: main content, title, author, date, links
#[derive(Debug, clap::Args)]
#[command(
    after_help = "With --json or --jsonl a page is a JSON line {id, url, title, author, published, lang, \
        text, blocks, links, page_type, …}; a page that fails is {id, error}, and the exit code is \
        then 1. Otherwise the main content is printed as text.\n\nExamples:\n  \
        tamis extract --url https://example.org/a.html a.html\n  \
        curl -s https://example.org/ | tamis extract --json --url https://example.org/ -\n  \
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
    /// Read lines {"id", "path" or "html", "url"?, "content_type"?} from a file; - is standard input
    #[arg(long, value_name = "FILE", conflicts_with_all = ["url", "content_type", "files"])]
    jsonl: Option<PathBuf>,
    /// Pages; - is standard input
    #[arg(value_name = "FILE")]
    files: Vec<PathBuf>,
}

/// The keys of an answer that are looked at here.
#[derive(Deserialize)]
struct Answer {
    error: Option<String>,
    title: Option<String>,
    #[serde(default)]
    text: String,
}

/// Reads the pages.
pub fn run(args: &Args, output: &Output) -> anyhow::Result<Exit> {
    let failed = match &args.jsonl {
        Some(list) => lines(list, output)?,
        None => files(args, output)?,
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
fn files(args: &Args, output: &Output) -> anyhow::Result<usize> {
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
        Url::parse(url).map_err(|error| usage(format!("--url \"{url}\": {error}")))?;
    }
    for file in files.iter().filter(|file| *file != Path::new("-")) {
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
                "content_type": args.content_type,
            })
            .to_string()
        })
        .collect();
    let mut failed = 0;
    for batch in requests.chunks(BATCH_MAX) {
        failed += batch_of(batch, output, output.json)?;
    }
    Ok(failed)
}

/// Answers the lines of a list; gives how many failed.
fn lines(list: &Path, output: &Output) -> anyhow::Result<usize> {
    let told = |error: io::Error| usage(format!("cannot read {}: {error}", list.display()));
    let file: Box<dyn Read> = if list == Path::new("-") {
        Box::new(io::stdin())
    } else {
        Box::new(std::fs::File::open(list).map_err(told)?)
    };
    let mut reader = BufReader::with_capacity(256 << 10, file);
    let mut failed = 0;
    loop {
        let batch = batch(&mut reader).map_err(told)?;
        if batch.is_empty() {
            return Ok(failed);
        }
        failed += batch_of(&batch, output, true)?;
        output.flush()?;
    }
}

/// The next lines, as many as a batch holds; empty at the end.
fn batch(reader: &mut impl BufRead) -> io::Result<Vec<String>> {
    let mut lines = Vec::new();
    let mut bytes = 0;
    while lines.len() < BATCH_MAX && bytes < BATCH_BYTES {
        let mut line = Vec::new();
        reader
            .by_ref()
            .take(BYTES_MAX)
            .read_until(b'\n', &mut line)?;
        if line.is_empty() {
            break;
        }
        if line.len() as u64 == BYTES_MAX && !line.ends_with(b"\n") {
            let told = format!("a line is longer than {} MB", BYTES_MAX >> 20);
            return Err(io::Error::other(told));
        }
        bytes += line.len();
        // Malformed UTF-8 inside a JSON string is text like other text.
        let line = String::from_utf8_lossy(line.trim_ascii());
        if !line.is_empty() {
            lines.push(line.into_owned());
        }
    }
    Ok(lines)
}

/// Answers a batch of requests, as JSON or as text; gives how many failed.
fn batch_of(requests: &[String], output: &Output, as_json: bool) -> anyhow::Result<usize> {
    let answers = in_order::map(requests, |line| {
        let answer = extractor::extract_json_line(line, &read);
        let keys = serde_json::from_str::<Answer>(&answer);
        (answer, keys)
    })?;
    let mut failed = 0;
    for (request, answer) in requests.iter().zip(answers) {
        let Some((answer, keys)) = answer else {
            failed += 1;
            let id = serde_json::from_str::<serde_json::Value>(request)
                .ok()
                .and_then(|request| request.get("id").cloned());
            let error = "reading the page failed in an unexpected way";
            output.value(&json!({ "id": id, "error": error }))?;
            continue;
        };
        let keys = keys?;
        failed += usize::from(keys.error.is_some());
        if as_json {
            output.line(&answer)?;
        } else if let Some(error) = keys.error {
            output.error(&error);
        } else {
            print(&keys, output)?;
        }
    }
    Ok(failed)
}

fn print(page: &Answer, output: &Output) -> anyhow::Result<()> {
    if let Some(title) = &page.title {
        output.line(title)?;
        output.line("")?;
    }
    output.stream().write_all(page.text.as_bytes())?;
    output.line("")?;
    Ok(())
}

/// The bytes behind a path.
fn read(path: &str) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    if path == "-" {
        io::stdin().take(BYTES_MAX + 1).read_to_end(&mut bytes)?;
    } else {
        let file = std::fs::File::open(path)?;
        file.take(BYTES_MAX + 1).read_to_end(&mut bytes)?;
    }
    if bytes.starts_with(GZIP_MAGIC) {
        let mut plain = Vec::new();
        flate2::bufread::MultiGzDecoder::new(bytes.as_slice())
            .take(BYTES_MAX + 1)
            .read_to_end(&mut plain)?;
        bytes = plain;
    }
    if bytes.len() as u64 > BYTES_MAX {
        let told = format!("more than {} MB", BYTES_MAX >> 20);
        return Err(io::Error::other(told));
    }
    match fetcher::binary_type(&bytes) {
        Some(found) => Err(io::Error::other(no_text(&found))),
        None => Ok(bytes),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_batch_is_bounded_and_empty_lines_are_none() {
        let text = "{\"id\":1}\n\n".repeat(BATCH_MAX + 3);
        let mut reader = text.as_bytes();
        assert_eq!(batch(&mut reader).unwrap().len(), BATCH_MAX);
        assert_eq!(batch(&mut reader).unwrap().len(), 3);
        assert!(batch(&mut reader).unwrap().is_empty());
    }

    #[test]
    fn a_file_that_is_no_text_is_told_by_its_name_and_format() {
        let dir = tempfile::tempdir().unwrap();
        let path = |name: &str, bytes: &[u8]| {
            let path = dir.path().join(name);
            std::fs::write(&path, bytes).unwrap();
            path.display().to_string()
        };
        let packed = |bytes: &[u8]| {
            let mut packer = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
            packer.write_all(bytes).unwrap();
            packer.finish().unwrap()
        };
        let png = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR";
        for (name, bytes) in [("a.png", png.to_vec()), ("a.png.gz", packed(png))] {
            let path = path(name, &bytes);
            let line = json!({"id": 1, "path": path}).to_string();
            let answer = extractor::extract_json_line(&line, &read);
            let error = serde_json::from_str::<Answer>(&answer)
                .unwrap()
                .error
                .unwrap();
            assert!(
                error.contains(name) && error.contains("image/png"),
                "{error}"
            );
        }
        let html = path("a.html.gz", &packed(b"<title>T</title>"));
        assert_eq!(read(&html).unwrap(), b"<title>T</title>");
    }

    #[test]
    fn an_error_is_seen_in_an_answer_and_a_page_is_not_one() {
        let answer = |line: &str| {
            let answer = extractor::extract_json_line(line, &read);
            serde_json::from_str::<Answer>(&answer).unwrap()
        };
        assert!(answer("{\"id\":1}").error.is_some());
        assert!(
            answer("{\"id\":1,\"path\":\"/nonexistent\"}")
                .error
                .is_some()
        );
        let page = answer("{\"id\":1,\"html\":\"<title>T</title>\"}");
        assert_eq!((page.error, page.title.as_deref()), (None, Some("T")));
    }
}
