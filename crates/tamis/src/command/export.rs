//! `tamis export`: rows for other programs.

use std::collections::BTreeSet;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::str::FromStr;

use ::config::for_shell;
use archive::{BodyRef, Capture, Event, Record};
use flate2::Compression;
use flate2::write::GzEncoder;
use frontier::typed_host;
use outcome::PageType;
use pipeline::CrawlDir;
use report::export::{Reads, instant_of};
use report::{Filter, Format, Request, What, export_folder, export_with};
use segment::Language;

use crate::command::together::AsOne;
use crate::command::{journal, together};
use crate::exit::{Exit, usage};
use crate::out_file;
use crate::output::Output;

/// Write rows about pages, fetches, links, duplicates or hosts, also while the crawl runs
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  \
    tamis export crawls/db indexed > pages.jsonl\n  \
    tamis export crawls/db junk --format csv --out junk.csv\n  \
    tamis export crawls/db pages --format parquet --out pages.parquet\n  \
    tamis export crawls/db indexed --lang zh --type article --relevance 0.8\n  \
    tamis export crawls/db indexed --format markdown --out texts\n  \
    tamis export crawls/db dataset --out dataset\n  \
    tamis export crawls/db broken --host a.example\n  \
    tamis export node-a indexed --with node-b > pages.jsonl")]
pub struct Args {
    /// The crawl's directory, or where its archive was copied to: s3://BUCKET/PREFIX, file:///DIRECTORY
    dir: PathBuf,
    /// fetches, pages, indexed, junk, clusters, links, broken, hosts or changes; or dataset
    #[arg(value_name = "WHAT")]
    rows: Rows,
    /// A further node's directory of the same crawl; several, one --with each
    #[arg(long, value_name = "DIR")]
    with: Vec<PathBuf>,
    /// jsonl, csv, parquet, markdown, wet or cdxj; without it as the name after --out ends, else jsonl
    #[arg(long)]
    format: Option<Format>,
    /// Write to this file, or folder, instead of standard output; a file that is there is replaced when all is written
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    /// Rows of this host; `*.example.org` is that host and all below it
    #[arg(long, value_name = "HOST")]
    host: Vec<String>,
    /// Rows of this page type: article, forum, product, collection, listing, documentation, ...
    #[arg(long = "type", value_name = "TYPE", value_parser = page_type)]
    types: Vec<PageType>,
    /// Rows in this language: zh, en, ...
    #[arg(long, value_name = "LANG", value_parser = language)]
    lang: Vec<String>,
    /// Rows not older than this date or time, such as 2026-05-01 or 2026-05-01T08:00 (UTC where it has no
    /// offset)
    #[arg(long, value_name = "DATE", value_parser = instant_of)]
    since: Option<u64>,
    /// Rows at least this relevant, 0 to 1
    #[arg(long, value_name = "X", value_parser = relevance)]
    relevance: Option<f32>,
    /// Begin CSV with the mark by which spreadsheets know UTF-8
    #[arg(long)]
    bom: bool,
    /// Fill the column `markdown`: each page is read again for it
    #[arg(long)]
    markdown: bool,
}

/// The kept pages as a dataset.
const DATASET: &str = "dataset";

/// What is exported.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Rows {
    Of(What),
    /// Kept pages as a folder that data tools load.
    Dataset,
}

impl FromStr for Rows {
    type Err = String;

    fn from_str(name: &str) -> Result<Rows, String> {
        match name {
            DATASET => Ok(Rows::Dataset),
            dir if CrawlDir::new(dir).holds_crawl() => Err(format!(
                "it is a crawl's directory, which comes first: tamis export {} indexed",
                for_shell(Path::new(dir))
            )),
            name => {
                let what = name.parse().map(Rows::Of);
                what.map_err(|error: report::export::UnknownName| {
                    let names = What::names().chain([DATASET]);
                    let meant = super::meant(name, names);
                    let hint =
                        meant.map_or_else(String::new, |meant| format!("; did you mean {meant}?"));
                    format!("{error}, {DATASET}{hint}")
                })
            }
        }
    }
}

fn page_type(name: &str) -> Result<PageType, String> {
    match PageType::from(name) {
        PageType::Unknown(_) => Err(
            "it is none of article, forum, product, collection, listing, documentation, service, \
             front_page, wall, other"
                .to_owned(),
        ),
        known => Ok(known),
    }
}

/// A language code, with or without a region: `zh`, `pt-BR`.
fn language(text: &str) -> Result<String, String> {
    let mut parts = text.split('-');
    let letters = |part: &str| part.bytes().all(|b| b.is_ascii_alphabetic());
    let is_code = parts
        .next()
        .is_some_and(|code| (2..=3).contains(&code.len()) && letters(code))
        && parts.all(|part| {
            (2..=8).contains(&part.len()) && part.bytes().all(|b| b.is_ascii_alphanumeric())
        });
    match is_code {
        true => Ok(text.to_owned()),
        false => Err("it is no language code: write zh, en, pt-BR".to_owned()),
    }
}

/// How the name of a file ends that is gzipped.
const PACKED: &str = ".gz";

/// Whether a file of this form is gzipped, by its name: texts are, and WARC files are so in themselves.
fn is_packed(path: &Path, format: Format) -> bool {
    let is_text = match format {
        Format::Jsonl | Format::Csv | Format::Cdxj => true,
        Format::Parquet | Format::Wet | Format::Markdown => false,
    };
    is_text && is_named_packed(path)
}

fn is_named_packed(path: &Path) -> bool {
    let name = path.file_name().map(|name| name.to_string_lossy());
    name.is_some_and(|name| name.to_lowercase().ends_with(PACKED))
}

/// Writes a file of rows by `fill`.
fn write_rows(
    path: &Path,
    format: Format,
    output: &Output,
    fill: impl FnOnce(&mut dyn Write) -> std::io::Result<u64>,
) -> anyhow::Result<u64> {
    out_file::write(path, output, |file| {
        if !is_packed(path, format) {
            return fill(file);
        }
        let mut packer = GzEncoder::new(file, Compression::default());
        let rows = fill(&mut packer)?;
        packer.finish()?;
        Ok(rows)
    })
}

/// The form that is asked for, or that the name of the file ends with; and a note where the name ends with
/// what stands for none of the forms.
fn format_of(args: &Args) -> (Format, Option<String>) {
    if let Some(format) = args.format {
        return (format, None);
    }
    let out = args.out.as_deref();
    let name = out.and_then(Path::file_name);
    let name = name.map_or_else(String::new, |name| name.to_string_lossy().to_lowercase());
    let by_name = [
        (".csv", Format::Csv),
        (".parquet", Format::Parquet),
        (".wet.gz", Format::Wet),
        (".cdxj", Format::Cdxj),
        (".md", Format::Markdown),
        (".jsonl", Format::Jsonl),
        (".ndjson", Format::Jsonl),
        (".json", Format::Jsonl),
    ];
    let plain = name.strip_suffix(PACKED).unwrap_or(&name);
    let is_form = |ending: &str| name.ends_with(ending) || plain.ends_with(ending);
    let by_name = by_name.into_iter().find(|(ending, _)| is_form(ending));
    // What is there and no file, such as a pipe, is written to whatever its name is.
    let is_new = out.is_some_and(|path| !path.exists() || path.is_file());
    let ending = Path::new(plain).extension().and_then(|end| end.to_str());
    // `pages.2025-01` ends with a date.
    let ending = ending.filter(|end| end.bytes().all(|b| b.is_ascii_alphanumeric()));
    match (by_name, ending) {
        (Some((_, format)), _) => (format, None),
        (None, Some(ending)) if is_new && ending.starts_with(|c: char| c.is_ascii_alphabetic()) => {
            let note = format!(
                "note: no form of rows ends with .{ending}, so they are JSONL: for another form name the file \
                 .csv, .parquet, .wet.gz or .cdxj, or give --format"
            );
            (Format::Jsonl, Some(note))
        }
        (None, _) => (Format::Jsonl, None),
    }
}

/// Checks that a name that ends with `.gz` tells the truth.
fn check_packed(args: &Args, format: Format) -> anyhow::Result<()> {
    let is_file = matches!(args.rows, Rows::Of(_));
    match (&args.out, format) {
        (Some(path), Format::Parquet | Format::Markdown) if is_file && is_named_packed(path) => {
            Err(usage(format!(
                "{} is not gzipped: leave .gz out of the name",
                format.name()
            )))
        }
        _ => Ok(()),
    }
}

fn relevance(text: &str) -> Result<f32, String> {
    let value = text.parse().ok().filter(|x| (0.0..=1.0).contains(x));
    value.ok_or_else(|| "it is no number from 0 to 1".to_owned())
}

/// What stands in a crawl's archive.
struct Archived {
    texts: journal::Archived,
    markdown: bool,
}

impl Archived {
    fn of(dir: &CrawlDir, markdown: bool) -> Archived {
        Archived {
            texts: journal::archived(dir),
            markdown,
        }
    }
}

impl Reads for Archived {
    fn text(&self, at: &BodyRef) -> Option<String> {
        self.texts.text(at)
    }

    fn markdown(&self, url: &str, at: &BodyRef) -> Option<String> {
        documents::body_markdown(&self.texts, url, at)
    }

    fn capture(&self, at: &BodyRef) -> Option<Capture> {
        self.texts.capture(at)
    }

    fn fills_markdown(&self) -> bool {
        self.markdown
    }
}

/// Writes the rows.
pub fn run(args: &Args, output: &Output) -> anyhow::Result<Exit> {
    let request = request(args)?;
    check_packed(args, request.format)?;
    if let (Rows::Of(_), Some(note)) = (args.rows, format_of(args).1) {
        output.say(note);
    }
    for lang in &args.lang {
        let primary = primary(lang);
        if !primary.eq_ignore_ascii_case(lang) {
            output.say(format!(
                "note: rows have languages without region or script: for {lang}, those in {primary} are written"
            ));
        }
    }
    let dirs = together::open(&args.dir, &args.with, output)?;
    if dirs.len() > 1 {
        return of_all(&dirs, args, &request, output);
    }
    let dir = &dirs[0];
    // Opened once so that an unreadable archive is told before anything is written.
    drop(journal::records(dir)?);
    let records = || journal::records(dir).into_iter().flatten();
    let reads = Archived::of(dir, args.markdown);
    let Some(path) = &args.out else {
        let rows = export_with(&request, records, &reads, &mut *output.stream())?;
        tell_empty(&dirs, &request, rows, output)?;
        return Ok(Exit::Done);
    };
    let unwritten = |error: std::io::Error| out_file::cannot_write(path, &error);
    let rows = match args.rows {
        Rows::Dataset => dataset(&request.filter, records, &reads, path).map_err(unwritten)?,
        Rows::Of(_) if !request.format.is_stream() => {
            export_folder(&request, records, &reads, path).map_err(unwritten)?
        }
        Rows::Of(_) => write_rows(path, request.format, output, |file| {
            export_with(&request, records, &reads, file)
        })?,
    };
    output.say(format!("wrote {rows} rows to {}", path.display()));
    tell_empty(&dirs, &request, rows, output)?;
    Ok(Exit::Done)
}

/// So many hosts are named where the one asked for is none of the crawl's.
const NEAR_HOSTS_MAX: usize = 5;

/// Says why there are no rows, where that can be told.
fn tell_empty(
    dirs: &[CrawlDir],
    request: &Request,
    rows: u64,
    output: &Output,
) -> anyhow::Result<()> {
    if rows == 0 && !request.filter.hosts.is_empty() {
        tell_hosts(dirs, &request.filter.hosts, output)?;
    }
    if rows == 0 {
        tell_unknown(dirs, &request.filter, output)?;
    }
    tell_unvisited(dirs, request, rows, output)
}

/// Says where no page read has what is asked for: a language, or any relevance.
fn tell_unknown(dirs: &[CrawlDir], filter: &Filter, output: &Output) -> anyhow::Result<()> {
    if filter.langs.is_empty() && filter.relevance.is_none() {
        return Ok(());
    }
    let mut langs = BTreeSet::new();
    let mut has_relevance = false;
    for dir in dirs {
        for record in journal::records(dir)? {
            let page = match &record.event {
                Event::Page(page) => page.page.as_ref(),
                Event::Visit(visit) => visit.version().and_then(|page| page.page.as_ref()),
                Event::Start(_)
                | Event::Seed(_)
                | Event::Robots(_)
                | Event::Sitemap(_)
                | Event::Attempt(_)
                | Event::Retry(_)
                | Event::Again(_)
                | Event::Elsewhere(_)
                | Event::Stop(_) => None,
            };
            if let Some(page) = page {
                has_relevance |= page.relevance.is_some();
                langs.insert(primary(&page.lang));
            }
        }
    }
    langs.remove("");
    let asked = filter.langs.iter().map(|lang| lang.to_lowercase());
    for lang in asked.filter(|lang| !langs.contains(lang)) {
        let known: Vec<&str> = langs.iter().map(String::as_str).collect();
        output.say(match known.is_empty() {
            true => format!("no page in {lang} was read; of none the language is known"),
            false => format!(
                "no page in {lang} was read; languages are: {}",
                known.join(", ")
            ),
        });
    }
    if filter.relevance.is_some() && !has_relevance {
        output.say("no page has a relevance: the crawl has no topic, or has read no page by it");
    }
    Ok(())
}

/// Names hosts of the crawl that are like those that were asked for and are none of its hosts: a port was
/// forgotten, or `www.`.
fn tell_hosts(dirs: &[CrawlDir], asked: &[String], output: &Output) -> anyhow::Result<()> {
    let mut hosts = BTreeSet::new();
    for dir in dirs {
        hosts.extend(
            journal::records(dir)?.filter_map(|record| match record.event {
                Event::Page(page) => Some(page.host),
                _ => None,
            }),
        );
    }
    let bare = |host: &str| {
        let host = typed_host(host.trim_start_matches("*."));
        host.split(':').next().unwrap_or_default().to_owned()
    };
    for host in asked {
        let (name, wanted) = (typed_host(host), bare(host));
        let ours = format!(".{wanted}");
        if wanted.is_empty() || hosts.contains(&name) || name.starts_with('[') {
            continue;
        }
        let is_near = |other: &&String| {
            let other = bare(other);
            other == wanted || other.ends_with(&ours) || wanted.ends_with(&format!(".{other}"))
        };
        let near: Vec<&str> = hosts.iter().filter(is_near).map(String::as_str).collect();
        let shown = near[..near.len().min(NEAR_HOSTS_MAX)].join(", ");
        output.say(match near.len() {
            0 => format!(
                "no page of the host {host} was read; which hosts there are: tamis export {} hosts",
                dirs[0].typed()
            ),
            _ => format!("no page of the host {host} was read; hosts with that name are: {shown}"),
        });
    }
    Ok(())
}

/// Says why there are no changes, where that is because no crawl has come back to its pages.
fn tell_unvisited(
    dirs: &[CrawlDir],
    request: &Request,
    rows: u64,
    output: &Output,
) -> anyhow::Result<()> {
    if request.what != What::Changes || rows > 0 {
        return Ok(());
    }
    let is_round = |record: Record| matches!(record.event, Event::Again(_) | Event::Visit(_));
    for dir in dirs {
        if journal::records(dir)?.any(is_round) {
            return Ok(());
        }
    }
    let dir = dirs[0].typed();
    output.say(format!(
        "no rows: changes are what visits find, and there are none yet; to visit the pages once more: \
         tamis crawl --dir {dir} --again"
    ));
    Ok(())
}

/// Writes the rows of several nodes of one crawl, each page once.
fn of_all(
    dirs: &[CrawlDir],
    args: &Args,
    request: &Request,
    output: &Output,
) -> anyhow::Result<Exit> {
    check_together(request, args.rows)?;
    if sums_up(request.what) {
        return summed_up(dirs, args, request, output);
    }
    let ends = together::Ends::of(dirs)?;
    let Some(path) = &args.out else {
        let rows = rows_of_all(dirs, (args, request), &ends, &mut *output.stream())?;
        tell_empty(dirs, request, rows, output)?;
        return Ok(Exit::Done);
    };
    let rows = write_rows(path, request.format, output, |file| {
        rows_of_all(dirs, (args, request), &ends, file)
    })?;
    output.say(format!("wrote {rows} rows to {}", path.display()));
    tell_empty(dirs, request, rows, output)?;
    Ok(Exit::Done)
}

/// Whether rows sum up many records: of several directories they are summed up over all, from the journals
/// as one. Rows that tell of one page or request stand beside each other.
fn sums_up(what: What) -> bool {
    match what {
        What::Clusters | What::Broken | What::Hosts => true,
        What::Fetches | What::Pages | What::Indexed | What::Junk | What::Links | What::Changes => {
            false
        }
    }
}

fn check_together(request: &Request, rows: Rows) -> anyhow::Result<()> {
    let fits = match request.format {
        Format::Jsonl | Format::Csv => rows != Rows::Dataset,
        Format::Parquet => rows != Rows::Dataset && sums_up(request.what),
        Format::Wet | Format::Cdxj | Format::Markdown => false,
    };
    match fits {
        true => Ok(()),
        false => Err(usage(
            "of several directories rows are written as jsonl or csv, and hosts, clusters and broken as parquet, too: \
             export other forms, and datasets, from each directory on its own",
        )),
    }
}

/// Writes rows that sum up the journals of several nodes.
fn summed_up(
    dirs: &[CrawlDir],
    args: &Args,
    request: &Request,
    output: &Output,
) -> anyhow::Result<Exit> {
    let all = AsOne::of(dirs)?;
    // Such rows have no texts of pages.
    let reads = Archived::of(&dirs[0], false);
    let write = |out: &mut dyn Write| export_with(request, || all.records(), &reads, out);
    let Some(path) = &args.out else {
        write(&mut *output.stream())?;
        return Ok(Exit::Done);
    };
    let rows = write_rows(path, request.format, output, write)?;
    output.say(format!("wrote {rows} rows to {}", path.display()));
    Ok(Exit::Done)
}

fn rows_of_all(
    dirs: &[CrawlDir],
    (args, request): (&Args, &Request),
    ends: &together::Ends,
    out: &mut dyn Write,
) -> std::io::Result<u64> {
    let mut rows = 0;
    for (at, dir) in dirs.iter().enumerate() {
        let reads = Archived::of(dir, args.markdown);
        let is_told =
            |record: &Record| request.what == What::Fetches || !ends.is_outdated(record, at);
        let records = || journal::records(dir).into_iter().flatten().filter(is_told);
        let has_head = request.format == Format::Csv && at > 0;
        let mut rest = WithoutHead {
            out: &mut *out,
            in_head: has_head,
        };
        rows += export_with(request, records, &reads, &mut rest)?;
    }
    Ok(rows)
}

/// Leaves the first line out: the names of the columns stand above all rows already.
struct WithoutHead<'o> {
    out: &'o mut dyn Write,
    in_head: bool,
}

impl Write for WithoutHead<'_> {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        if !self.in_head {
            return self.out.write(bytes);
        }
        let end = bytes.iter().position(|byte| *byte == b'\n');
        self.in_head = end.is_none();
        Ok(end.map_or(bytes.len(), |end| end + 1))
    }

    fn flush(&mut self) -> std::io::Result<()> {
        self.out.flush()
    }
}

/// A language as rows have it, without its region or script.
fn primary(lang: &str) -> String {
    Language::parse(lang).map_or(lang.to_owned(), |language| language.to_string())
}

/// What is asked for, where it makes sense.
fn request(args: &Args) -> anyhow::Result<Request> {
    let filter = Filter {
        hosts: args.host.iter().map(|host| typed_host(host)).collect(),
        types: args.types.clone(),
        langs: args.lang.iter().map(|lang| primary(lang)).collect(),
        since_ms: args.since,
        relevance: args.relevance,
    };
    let (what, format) = match args.rows {
        Rows::Of(what) => (what, format_of(args).0),
        Rows::Dataset if matches!(args.format, None | Some(Format::Jsonl | Format::Parquet)) => {
            (What::Indexed, Format::Parquet)
        }
        Rows::Dataset => return Err(usage("a dataset is Parquet: leave out --format".to_owned())),
    };
    let request = Request {
        what,
        format,
        filter,
        bom: args.bom,
    };
    request.check().map_err(|error| usage(error.to_string()))?;
    let is_folder = args.rows == Rows::Dataset || !format.is_stream();
    if is_folder && args.out.is_none() {
        return Err(usage("it is a folder: name it with --out".to_owned()));
    }
    if args.markdown && what != What::Indexed {
        return Err(usage(
            "--markdown is for indexed, which has that column".to_owned(),
        ));
    }
    Ok(request)
}

#[cfg(feature = "parquet")]
fn dataset<I: Iterator<Item = Record>>(
    filter: &Filter,
    records: impl FnMut() -> I,
    reads: &dyn Reads,
    root: &Path,
) -> std::io::Result<u64> {
    report::export::export_dataset(filter, records, reads, root)
}

#[cfg(not(feature = "parquet"))]
fn dataset<I: Iterator<Item = Record>>(
    _: &Filter,
    _: impl FnMut() -> I,
    _: &dyn Reads,
    _: &Path,
) -> std::io::Result<u64> {
    Err(std::io::Error::other(
        "this program was built without Parquet",
    ))
}
