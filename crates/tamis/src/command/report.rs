//! `tamis report`: what a crawl found, dropped and met.

use std::io::Write;
use std::path::{Path, PathBuf};

use clap::ValueEnum;
use pipeline::CrawlDir;
use report::audit::Audit;
use report::export::{BrokenFigures, BrokenUrls};
use report::{Comparison, CrawlReport, Look, Tally, Tongue};

use crate::command::journal;
use crate::exit::{Exit, resource, usage};
use crate::output::Output;

/// Report what a crawl found, dropped and met; also while it runs
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  \
    tamis report crawls/db\n  \
    tamis report crawls/db --format html --out report.html\n  \
    tamis report crawls/db --format html --lang zh --out report.html\n  \
    tamis report crawls/db --format json | python3 -m json.tool\n  \
    tamis report crawls/old --compare crawls/new\n  \
    tamis report crawls/old --compare crawls/new --format html --out changes.html")]
pub struct Args {
    /// The crawl's directory
    dir: PathBuf,
    /// Form of the report
    #[arg(long, value_enum, default_value_t = Form::Text)]
    format: Form,
    /// Language of the report's words, in text and HTML
    #[arg(long, value_enum, default_value_t = Lang::En)]
    lang: Lang,
    /// Write to this file instead of standard output
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    /// Set another crawl beside this one: what changes from this one to it
    #[arg(long, value_name = "DIR2")]
    compare: Option<PathBuf>,
    /// Tell below the report what the marks in this file say of it, as `tamis serve` keeps them
    #[arg(long, value_name = "FILE", conflicts_with = "compare")]
    audit: Option<PathBuf>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Form {
    Text,
    Json,
    Html,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Lang {
    En,
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

/// Writes the report.
pub fn run(args: &Args, output: &Output) -> anyhow::Result<Exit> {
    let dir = journal::open(&args.dir)?;
    let report = of(&dir)?;
    let form = if output.json { Form::Json } else { args.format };
    let to_file = args.out.is_some();
    let look = Look {
        columns: output.width,
        colour: output.color && !to_file,
        tongue: args.lang.into(),
        ..Look::default()
    };
    let text = match &args.compare {
        Some(other) => {
            let comparison = Comparison::of(&report, &of(&journal::open(other)?)?);
            match form {
                Form::Json => comparison.to_json(),
                Form::Text => comparison.render(look),
                Form::Html => report::html::render_comparison(&comparison),
            }
        }
        None => match form {
            Form::Text => report::text::render(&report, look) + &audited(args.audit.as_deref())?,
            Form::Json => report.to_json(),
            Form::Html => html(&dir, report, args.lang.into())?,
        },
    };
    match &args.out {
        Some(path) => {
            std::fs::write(path, text)
                .map_err(|error| resource(format!("cannot write {}: {error}", path.display())))?;
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

/// What marks say of a crawl.
fn audited(file: Option<&Path>) -> anyhow::Result<String> {
    let Some(file) = file else {
        return Ok(String::new());
    };
    let lines = std::fs::read_to_string(file).map_err(|error| {
        usage(format!(
            "cannot read the marks in {}: {error}",
            file.display()
        ))
    })?;
    let told = Audit::read(&lines).lines();
    Ok(format!("\nAudit\n\n{}\n", told.join("\n")))
}

/// A crawl's report.
pub fn of(dir: &CrawlDir) -> anyhow::Result<CrawlReport> {
    let mut tally = Tally::new();
    for record in journal::records(dir)? {
        tally.add(&record);
    }
    Ok(tally.report(&dir.root().display().to_string()))
}

/// Broken links that the HTML form lists.
const BROKEN_ROWS_MAX: usize = 200;

/// The links of a crawl that lead nowhere.
fn broken(dir: &CrawlDir) -> anyhow::Result<BrokenFigures> {
    let mut urls = BrokenUrls::default();
    journal::records(dir)?.for_each(|record| urls.add(&record));
    let mut figures = BrokenFigures::default();
    if urls.urls() > 0 {
        for record in journal::records(dir)? {
            urls.each(&record, |links| figures.add(links, BROKEN_ROWS_MAX));
        }
    }
    Ok(figures)
}

fn html(dir: &CrawlDir, mut report: CrawlReport, tongue: Tongue) -> anyhow::Result<String> {
    report.broken = broken(dir)?;
    let report = &report;
    let texts = journal::texts(dir, &report.sample_pages())?;
    let text = |page: u64| texts.get(&page).cloned();
    Ok(report::html::render_in(tongue, report, &text))
}
