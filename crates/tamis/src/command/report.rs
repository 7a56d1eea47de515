//! `tamis report`: what a crawl found, dropped and met.

use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};

use clap::ValueEnum;
use pipeline::CrawlDir;
use report::audit::Audit;
use report::compare::PageFates;
use report::export::{BROKEN_ROWS_MAX, BrokenFigures, BrokenUrls};
use report::{Comparison, CrawlReport, Look, Tally, Tongue};

use crate::command::journal;
use crate::command::together::{self, AsOne};
use crate::exit::{Exit, usage};
use crate::out_file;
use crate::output::Output;
use ::report::words::plural;

/// Report what a crawl found, dropped and met; also while it runs
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  \
    tamis report crawls/db\n  \
    tamis report crawls/db --out report.html\n  \
    tamis report crawls/db --lang zh --out report.html\n  \
    tamis report crawls/db --format json | python3 -m json.tool\n  \
    tamis report node-a --with node-b --with node-c\n  \
    tamis report crawls/old --compare crawls/new\n  \
    tamis report crawls/old --compare crawls/new --format html --out changes.html")]
pub struct Args {
    /// The crawl's directory, or where its archive was copied to: s3://BUCKET/PREFIX, file:///DIRECTORY
    dir: PathBuf,
    /// The directory of another node of the same crawl: the report is of both together. May be given several
    /// times
    #[arg(long, value_name = "DIR", conflicts_with = "compare")]
    with: Vec<PathBuf>,
    /// Form of the report; without it as the name after --out ends (.html, .json), else text
    #[arg(long, value_enum)]
    format: Option<Form>,
    /// Language of the report's words, in text and HTML
    #[arg(long, value_enum, default_value_t = Lang::En)]
    lang: Lang,
    /// Write to this file instead of standard output; one that is there is replaced when all is written
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    /// Set another crawl beside this one: what changes from this one to it, figure by figure and page by page
    #[arg(long, value_name = "DIR2")]
    compare: Option<PathBuf>,
    /// Tell what the marks in this file say of the crawl, instead of those that `tamis serve` keeps in its
    /// directory
    #[arg(long, value_name = "FILE", conflicts_with = "compare")]
    audit: Option<PathBuf>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Form {
    Text,
    Json,
    Html,
}

/// A language of what is told.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Lang {
    /// English.
    En,
    /// Chinese, in simplified characters.
    Zh,
}

impl From<Lang> for Tongue {
    fn from(lang: Lang) -> Tongue {
        match lang {
            Lang::En => Tongue::English,
            Lang::Zh => Tongue::Chinese,
        }
    }
}

/// The form that the name of a file ends with; a note where it ends with what stands for none.
fn form_of(out: Option<&Path>, output: &Output) -> Form {
    let ending = out.and_then(Path::extension).unwrap_or_default();
    match ending.to_ascii_lowercase().to_str() {
        Some("html" | "htm") => Form::Html,
        Some("json") => Form::Json,
        Some(other @ ("pdf" | "doc" | "docx" | "xls" | "xlsx" | "csv" | "md" | "xml")) => {
            output.say(format!(
                "note: no form of a report ends with .{other}, so it is text: for another form name the file .html or \
                 .json, or give --format"
            ));
            Form::Text
        }
        Some(_) | None => Form::Text,
    }
}

/// Writes the report.
pub fn run(args: &Args, output: &Output) -> anyhow::Result<Exit> {
    if output.json && args.format.is_some_and(|form| form != Form::Json) {
        return Err(usage(
            "--json and --format ask for two forms of one report: leave one of them out",
        ));
    }
    let dirs = together::open(&args.dir, &args.with, output)?;
    let all = AsOne::of(&dirs)?;
    let dir = dirs[0].clone();
    let mut report = whole(&all);
    // Marks are of the pages of one directory.
    if dirs.len() == 1 || args.audit.is_some() {
        report.audit = audit(&dir, args.audit.as_deref(), output)?;
    }
    if let [alone] = dirs.as_slice() {
        report.copies = pipeline::upload::told(alone).map(|told| told.words());
    }
    let form = match output.json {
        true => Form::Json,
        false => {
            let by_name = || form_of(args.out.as_deref(), output);
            args.format.unwrap_or_else(by_name)
        }
    };
    let to_file = args.out.is_some();
    let look = Look {
        columns: output.width,
        colour: output.color && !to_file,
        tongue: args.lang.into(),
        ..Look::default()
    };
    let text = match &args.compare {
        Some(other) => {
            let other = journal::open(other)?;
            let texts = (journal::archived(&dir), journal::archived(&other));
            let pages = pages_of(&dir)?.compare(
                &pages_of(&other)?,
                (&|at| texts.0.text(at), &|at| texts.1.text(at)),
            );
            let others = [other];
            let comparison =
                Comparison::of(&report, &whole(&AsOne::of(&others)?)).with_pages(pages);
            match form {
                Form::Json => comparison.to_json(),
                Form::Text => comparison.render(look),
                Form::Html => report::html::render_comparison(look.tongue, &comparison),
            }
        }
        None => match form {
            Form::Text => report::text::render(&report, look),
            Form::Json => report.to_json(),
            Form::Html => html(&all, &report, args.lang.into())?,
        },
    };
    match &args.out {
        Some(path) => {
            out_file::write(path, output, |file| file.write_all(text.as_bytes()))?;
            output.say(format!("wrote {}", path.display()));
        }
        None => {
            output.stream().write_all(text.as_bytes())?;
            if !text.ends_with('\n') {
                output.line("")?;
            }
        }
    }
    Ok(Exit::Done)
}

/// What marks say of a crawl: those of a file, or of its directory, if anybody has marked anything.
fn audit(dir: &CrawlDir, file: Option<&Path>, output: &Output) -> anyhow::Result<Option<Audit>> {
    let path = file.map_or_else(|| dir.audit(), Path::to_owned);
    match std::fs::read(&path) {
        Ok(marks) => {
            let marks = String::from_utf8_lossy(&marks);
            let others = Audit::lines_without_mark(&marks);
            if others > 0 {
                output.say(format!(
                    "{} of {} {} no mark, and {} passed over: a mark is a line of JSON, as the browser writes them",
                    plural(others, "line", "lines"),
                    path.display(),
                    if others == 1 { "is" } else { "are" },
                    if others == 1 { "is" } else { "are" },
                ));
            }
            Ok(Audit::read(&marks).told())
        }
        Err(error) if error.kind() == ErrorKind::NotFound && file.is_none() => Ok(None),
        Err(error) => Err(usage(format!(
            "cannot read the marks in {}: {error}",
            path.display()
        ))),
    }
}

/// A crawl's report, but for its broken links.
pub fn of(dir: &CrawlDir) -> anyhow::Result<CrawlReport> {
    let mut tally = Tally::new();
    journal::records(dir)?.for_each(|record| tally.add(&record));
    Ok(tally.report(&dir.shown()))
}

/// What became of each URL of a crawl.
fn pages_of(dir: &CrawlDir) -> anyhow::Result<PageFates> {
    let mut pages = PageFates::default();
    journal::records(dir)?.for_each(|record| pages.add(&record));
    Ok(pages)
}

/// A crawl's report. Links to a URL stand before and after the record of its end, so where any URL is
/// broken the journal is read twice.
fn whole(all: &AsOne<'_>) -> CrawlReport {
    let (mut tally, mut urls) = (Tally::new(), BrokenUrls::default());
    for record in all.records() {
        tally.add(&record);
        urls.add(&record);
    }
    let mut report = tally.report(&all.name());
    report.broken = Some(BrokenFigures::of(&urls, || all.records(), BROKEN_ROWS_MAX));
    report
}

fn html(all: &AsOne<'_>, report: &CrawlReport, tongue: Tongue) -> anyhow::Result<String> {
    let texts = all.texts(&report.sample_pages())?;
    let text = |page: u64| texts.get(&page).cloned();
    Ok(report::html::render_in(tongue, report, &text))
}
