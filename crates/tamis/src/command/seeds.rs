//! `tamis seeds check`: each bad line with its mend. `tamis seeds add`: seeds for a crawl that runs.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use fetcher::AddressGuard;
use frontier::{SeedDuplicate, SeedList, SeedProblem, SeedUrl, parse_seed_list};
use pipeline::CrawlDir;
use pipeline::control::{SeedsTaken, requests_for_seeds};
use report::words::plural;
use serde_json::{Value, json};

use crate::command::steer::asked;
use crate::command::{is_configuration, journal};
use crate::exit::{Exit, several, usage};
use crate::output::Output;

/// Check seed lists, or give further seeds to a crawl while it runs
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  tamis seeds check seeds/*.txt\n  \
    tamis seeds add crawls/db more-seeds.txt")]
pub struct Args {
    /// What to do
    #[command(subcommand)]
    action: Action,
}

#[derive(Debug, clap::Subcommand)]
enum Action {
    /// Name each bad line with its column and mend; count hosts and duplicates
    #[command(after_help = "Examples:\n  tamis seeds check seeds/*.txt\n  \
        tamis seeds check my-seeds.txt --json")]
    Check {
        /// Seed lists; - is standard input
        #[arg(required = true)]
        files: Vec<PathBuf>,
    },
    /// Give further seeds to a crawl while it runs, without a stop; a stopped crawl takes them as it
    /// starts, by --seeds and --seed
    #[command(
        after_help = "Examples:\n  tamis seeds add crawls/db more-seeds.txt\n  \
        tamis seeds add crawls/db --seed 'https://www.example.org/ depth=2 pages=100'"
    )]
    Add {
        /// The crawl's directory
        dir: PathBuf,
        /// Seed lists
        files: Vec<PathBuf>,
        /// A seed; its options may follow the URL, as in a seed list
        #[arg(long = "seed", value_name = "URL")]
        seeds: Vec<String>,
    },
}

/// Checks, or adds.
pub fn run(args: &Args, output: &Output) -> anyhow::Result<Exit> {
    match &args.action {
        Action::Check { files } => check(files, output),
        Action::Add { dir, files, seeds } => add(dir, &given(files, seeds)?, output),
    }
}

/// The seeds that are given; a bad line anywhere, and none is added.
fn given(files: &[PathBuf], urls: &[String]) -> anyhow::Result<Vec<SeedUrl>> {
    let (mut seeds, mut problems) = (Vec::new(), Vec::new());
    let mut take = |name: &str, bytes: &[u8]| {
        let list = parse_seed_list(name, bytes);
        seeds.extend(list.seeds);
        problems.extend(list.problems);
    };
    for file in files {
        let name = file.display().to_string();
        let bytes = std::fs::read(file).map_err(|error| unread(&name, &error))?;
        take(&name, &bytes);
    }
    for url in urls {
        take("--seed", url.as_bytes());
    }
    if !problems.is_empty() {
        return Err(several("the seeds", &problems));
    }
    if seeds.is_empty() {
        return Err(usage("no seeds: name a seed list, or give --seed URL"));
    }
    Ok(seeds)
}

/// Gives seeds to a running crawl; exit 1 when none runs, or it has left out some of them.
fn add(dir: &Path, seeds: &[SeedUrl], output: &Output) -> anyhow::Result<Exit> {
    let crawl = journal::open(dir)?;
    let mut taken = seeds.is_empty().then(SeedsTaken::default);
    let ended = take_all(&crawl, seeds, &mut taken);
    // What was taken stands in the journal, whatever came after.
    if let Some(taken) = &taken {
        if output.json {
            output.value(taken)?;
        }
        output.say(told(taken));
    }
    if !ended? {
        output.say(format!(
            "no crawl runs in {0}: it takes the seeds as it starts, with: tamis crawl --dir {0} \
             --seeds FILE, or --seed URL",
            ::config::for_shell(dir)
        ));
        return Ok(Exit::Problem);
    }
    Ok(match taken.map_or(0, |taken| taken.left_out) {
        0 => Exit::Done,
        _ => Exit::Problem,
    })
}

/// Hands over all seeds, and sums up what became of them; whether a crawl ran to the end of it.
fn take_all(
    crawl: &CrawlDir,
    seeds: &[SeedUrl],
    taken: &mut Option<SeedsTaken>,
) -> anyhow::Result<bool> {
    for request in requests_for_seeds(seeds) {
        let Some(reply) = asked(crawl, &request)? else {
            return Ok(false);
        };
        taken.get_or_insert_default().add(reply.seeds);
    }
    Ok(true)
}

/// What became of the seeds, in words.
fn told(taken: &SeedsTaken) -> String {
    let mut parts = vec![format!(
        "{} in the queue of the running crawl",
        plural(taken.queued, "seed is", "seeds are")
    )];
    let mut more = |count: u64, words: &str| {
        if count > 0 {
            parts.push(format!("{} {words}", plural(count, "seed", "seeds")));
        }
    };
    more(
        taken.seen,
        "had been found as links already, and count as seeds now",
    );
    more(taken.known, "it had before");
    more(
        taken.left_out,
        "left out by its budgets: `tamis explain DIR URL` says which",
    );
    parts.join("; ")
}

fn unread(name: &str, error: &std::io::Error) -> anyhow::Error {
    usage(format!(
        "cannot read seed list {name}: {error}; check the path"
    ))
}

/// Checks; exit 1 when a line is bad.
fn check(files: &[PathBuf], output: &Output) -> anyhow::Result<Exit> {
    let mut clean = true;
    let mut unread = Vec::new();
    for file in files {
        let name = file.display().to_string();
        let bytes = match documents::file::read(file) {
            Ok(bytes) => bytes,
            Err(error) => {
                unread.push(format!(
                    "cannot read seed list {name}: {error}; check the path"
                ));
                continue;
            }
        };
        if is_configuration(&String::from_utf8_lossy(&bytes)) {
            unread.push(format!(
                "{name} is a configuration, no seed list: check it with: tamis config check {name}"
            ));
            continue;
        }
        let list = parse_seed_list(&name, &bytes);
        clean &= list.problems.is_empty();
        let mut hosts: BTreeMap<String, u64> = BTreeMap::new();
        for seed in &list.seeds {
            *hosts.entry(seed.url.host().to_string()).or_default() += 1;
        }
        if output.json {
            output.value(&report(&name, &list, &hosts))?;
            continue;
        }
        for problem in &list.problems {
            output.line(problem.to_string())?;
        }
        for duplicate in &list.duplicates {
            output.line(format!(
                "{name}:{}: {} is on line {} already, which counts",
                duplicate.line, duplicate.url, duplicate.first_line
            ))?;
        }
        let count = |n: usize, one: &str, many: &str| plural(n as u64, one, many);
        for (url, why) in guarded(&list) {
            output.line(format!(
                "{name}: note: {url} is on this machine or a private network ({why}); a crawl asks it only with --allow-private"
            ))?;
        }
        output.line(format!(
            "{name}: {} on {}, {} given twice, {}",
            count(list.seeds.len(), "seed", "seeds"),
            count(hosts.len(), "host", "hosts"),
            list.duplicates.len(),
            count(list.problems.len(), "problem", "problems"),
        ))?;
    }
    if !unread.is_empty() {
        return Err(usage(unread.join("\n")));
    }
    Ok(if clean { Exit::Done } else { Exit::Problem })
}

/// Seeds that a crawl refuses to ask without `--allow-private`, as far as their hosts tell: names are
/// not looked up.
fn guarded(list: &SeedList) -> Vec<(&str, &'static str)> {
    let guard = AddressGuard::public_only();
    let refused = |seed: &'_ SeedUrl| guard.check_proxied(&seed.url.to_url()).err();
    let seeds = list.seeds.iter();
    seeds
        .filter_map(|seed| Some((seed.url.as_str(), refused(seed)?.reason)))
        .collect()
}

fn report(name: &str, list: &SeedList, hosts: &BTreeMap<String, u64>) -> Value {
    let problem = |problem: &SeedProblem| {
        json!({
            "file": problem.file, "line": problem.line, "column": problem.column,
            "text": problem.text, "message": problem.message, "mend": problem.mend,
        })
    };
    let duplicate = |duplicate: &SeedDuplicate| {
        json!({
            "line": duplicate.line, "first_line": duplicate.first_line,
            "url": duplicate.url.as_str(),
        })
    };
    json!({
        "file": name,
        "seeds": list.seeds.len(),
        "duplicates": list.duplicates.len(),
        "hosts": hosts,
        "problems": list.problems.iter().map(problem).collect::<Vec<_>>(),
        "private": guarded(list)
            .iter()
            .map(|(url, why)| json!({ "url": url, "why": why }))
            .collect::<Vec<_>>(),
        "repeated": list.duplicates.iter().map(duplicate).collect::<Vec<_>>(),
    })
}
