//! `tamis search`: full-text search over the kept pages.

use std::collections::HashSet;
use std::path::PathBuf;

use archive::Position;
use index::{Filters, Found, Hint, Hit, IndexError, Searcher, Snippet};
use pipeline::CrawlDir;
use pipeline::control::{Request, ask};
use report::words::plural;
use serde_json::json;

use crate::command::{copies, journal, together};
use crate::exit::{Exit, resource, usage};
use crate::output::Output;

/// Search the kept pages of a crawl, also while it runs
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  \
    tamis search crawls/db postgresql vacuum\n  \
    tamis search crawls/db '\"全文检索\"' -mysql --lang zh\n  \
    tamis search crawls/db 索引 --json\n  \
    tamis search node-a postgresql --with node-b")]
pub struct Args {
    /// The crawl's directory, or where its archive was copied to: s3://BUCKET/PREFIX, file:///DIRECTORY
    dir: PathBuf,
    /// A further node's directory of the same crawl; several, one --with each
    #[arg(long, value_name = "DIR")]
    with: Vec<PathBuf>,
    /// Words; "a phrase", -word, a OR b, host:example.org and lang:zh are understood; an English word is found in
    /// the singular and in the plural, a word with accents also without them, pg_hba.conf also by pg_hba, and c++,
    /// c# and .net are words
    #[arg(required = true)]
    query: Vec<String>,
    /// Pages shown at most
    #[arg(long, value_name = "N", default_value_t = 10)]
    limit: usize,
    /// Only this host and those below it
    #[arg(long, value_name = "HOST")]
    host: Option<String>,
    /// Only this language, such as zh; zh-TW and zh-CN are its scripts
    #[arg(long, value_name = "CODE")]
    lang: Option<String>,
}

/// Searches; exit 0 also when nothing is found.
pub fn run(args: &Args, output: &Output) -> anyhow::Result<Exit> {
    let dirs = together::open(&args.dir, &args.with, output)?;
    let query = args.query.join(" ");
    let filters = Filters {
        host: args.host.clone(),
        lang: args.lang.clone(),
    };
    for problem in Searcher::query_problems(&query, &filters) {
        match problem {
            Hint::Empty | Hint::Wordless => return Err(usage(in_words(&problem))),
            _ => output.say(in_words(&problem)),
        }
    }
    let mut indexes = Vec::new();
    for dir in &dirs {
        copies::make_views(dir, output)?;
        let searcher = Searcher::open(&dir.index()).map_err(|error| failed(error, dir))?;
        indexes.push((dir, searcher));
    }
    let found = find(&indexes, &query, args.limit, &filters)?;
    let is_empty = indexes.iter().all(|(_, index)| index.doc_count() == 0);
    let later = Later::of(&indexes);
    if is_empty {
        later.check_built(&indexes)?;
    } else {
        tell_why(&found, &indexes, &query, &filters, &later, output)?;
    }
    if output.json {
        for hit in &found.hits {
            output.value(&json!({
                "url": hit.url, "title": hit.title.text, "snippet": hit.snippet.text,
                "highlights": hit.snippet.highlights.iter().map(|range| [range.start, range.end]).collect::<Vec<_>>(),
                "score": hit.score, "lang": hit.lang, "fetched_at": report::words::instant(hit.fetched_at_ms),
                "host": hit.host, "author": hit.author, "published": hit.published, "relevance": hit.relevance,
            }))?;
        }
        later.lines().for_each(|line| output.say(line));
        return Ok(Exit::Done);
    }
    if found.relaxed {
        output.say("no page has all words; these have some");
    }
    for (number, hit) in found.hits.iter().enumerate() {
        let title = if hit.title.text.is_empty() {
            &hit.url
        } else {
            &shown(&hit.title, output)
        };
        output.line(format!("{:>2}. {title}", number + 1))?;
        output.line(format!("    {}", hit.url))?;
        output.line(format!("    {}", shown(&hit.snippet, output)))?;
    }
    for line in in_the_end(found.total, found.hits.len(), (is_empty, &later)) {
        output.say(line);
    }
    if is_empty && later == Later::default() {
        output.say(format!(
            "nothing is kept yet: `tamis status {}` tells what the crawl does",
            indexes[0].0.typed()
        ));
    }
    Ok(Exit::Done)
}

/// Pages that are kept and not in the index yet.
#[derive(Debug, Default, PartialEq, Eq)]
struct Later {
    /// Those of crawls that run.
    running: u64,
    /// Those of crawls that do not: they were ended before they could make them searchable.
    stopped: u64,
}

impl Later {
    fn of(indexes: &[Index<'_>]) -> Later {
        let mut later = Later::default();
        for (dir, index) in indexes {
            // An empty index has nothing, wherever it says that it is.
            let position = match index.doc_count() {
                0 => Some(Position::START),
                _ => index.position().map(Position),
            };
            let pages = position.map_or(0, |position| journal::kept_since(dir, position));
            let is_running = pages > 0 && ask(dir, &Request::Status).is_ok_and(|it| it.is_some());
            match is_running {
                true => later.running += pages,
                false => later.stopped += pages,
            }
        }
        later
    }

    fn lines(&self) -> impl Iterator<Item = String> {
        let running = (self.running > 0).then(|| {
            format!(
                "the crawl runs: {} kept just now can be searched in some seconds",
                plural(self.running, "page", "pages")
            )
        });
        let stopped = (self.stopped > 0).then(|| {
            format!(
                "{} kept last {} not in the index yet: the next start makes {} searchable",
                plural(self.stopped, "page", "pages"),
                if self.stopped == 1 { "is" } else { "are" },
                if self.stopped == 1 { "it" } else { "them" }
            )
        });
        running.into_iter().chain(stopped)
    }

    /// Refuses to search indexes that are empty though pages are kept and no crawl adds them: they were lost, or not
    /// copied.
    fn check_built(&self, indexes: &[Index<'_>]) -> anyhow::Result<()> {
        match self {
            Later {
                running: 0,
                stopped: 1..,
            } => Err(resource(format!(
                "the search index of {0} is not there, or has none of the kept pages: the next start makes it anew, \
                 and so does `tamis check-dir --repair {0}`",
                indexes[0].0.typed()
            ))),
            Later { .. } => Ok(()),
        }
    }

    /// What no page of the index has a page may have that is not in it yet.
    fn as_far_as_known(&self, hint: String) -> String {
        match hint.strip_prefix("no kept page ") {
            Some(has) if *self != Later::default() => {
                format!("no page that can be searched yet {has}")
            }
            Some(_) | None => hint,
        }
    }
}

/// What is said below the hits: how many there are of how many, and how many kept pages cannot be searched yet. Of an
/// index that `is_empty` nothing is found or not found.
fn in_the_end(total: u64, shown: usize, (is_empty, later): (bool, &Later)) -> Vec<String> {
    let count = match total {
        0 if is_empty => None,
        0 => Some("nothing found".to_owned()),
        1 => Some("1 page".to_owned()),
        total => Some(format!("{shown} of {total} pages")),
    };
    later.lines().chain(count).collect()
}

/// Says why no page has all that is asked for.
fn tell_why(
    found: &Found,
    indexes: &[Index<'_>],
    query: &str,
    filters: &Filters,
    later: &Later,
    output: &Output,
) -> anyhow::Result<()> {
    if found.total == 0 || found.relaxed {
        let why = agreed(indexes, |index| index.explain_no_hits(query, filters))?;
        why.iter()
            .for_each(|hint| output.say(later.as_far_as_known(in_words(hint))));
    }
    let spellings = agreed(indexes, |index| index.misspelt(query, filters))?;
    spellings.iter().for_each(|hint| output.say(in_words(hint)));
    if found.total == 0
        && let Some(wider) = wider(indexes, query, filters)?
    {
        output.say(wider);
    }
    Ok(())
}

/// The index of a directory.
type Index<'d> = (&'d CrawlDir, Searcher);

fn failed(error: index::IndexError, dir: &CrawlDir) -> anyhow::Error {
    resource(format!(
        "{error}; `tamis check-dir --repair {}` rebuilds it",
        dir.typed()
    ))
}

/// The hits of all indexes, best first. How rare a word is each index counts for itself.
fn find(
    indexes: &[Index<'_>],
    query: &str,
    limit: usize,
    filters: &Filters,
) -> anyhow::Result<Found> {
    let mut all = Vec::new();
    for (dir, searcher) in indexes {
        let found = searcher.find(query, limit, filters);
        all.push(found.map_err(|error| failed(error, dir))?);
    }
    Ok(merged(all, limit))
}

/// Pages that have some of the words are shown only where none has all; a URL that two nodes have had, one
/// after the other, once.
fn merged(mut all: Vec<Found>, limit: usize) -> Found {
    all.retain(|found| found.total > 0);
    let relaxed = !all.is_empty() && all.iter().all(|found| found.relaxed);
    all.retain(|found| found.relaxed == relaxed);
    let total = all.iter().map(|found| found.total).sum();
    let mut hits: Vec<Hit> = all.into_iter().flat_map(|found| found.hits).collect();
    hits.sort_by(|a, b| b.score.total_cmp(&a.score));
    let mut shown = HashSet::new();
    hits.retain(|hit| shown.insert(hit.url.clone()));
    hits.truncate(limit);
    Found {
        hits,
        total,
        relaxed,
    }
}

/// What the same words find without the options that narrow the search, if that is anything.
fn wider(indexes: &[Index<'_>], query: &str, filters: &Filters) -> anyhow::Result<Option<String>> {
    let options = [("--lang", &filters.lang), ("--host", &filters.host)];
    let given: Vec<&str> = options
        .into_iter()
        .filter_map(|(option, value)| value.as_ref().map(|_| option))
        .collect();
    if given.is_empty() {
        return Ok(None);
    }
    let found = find(indexes, query, 1, &Filters::default())?;
    let has_all_words = found.total > 0 && !found.relaxed;
    Ok(has_all_words.then(|| {
        format!(
            "without {} there are: {}",
            given.join(" and "),
            plural(found.total, "page", "pages")
        )
    }))
}

/// What is said of a query, as far as all indexes say the same.
fn agreed(
    indexes: &[Index<'_>],
    hints: impl Fn(&Searcher) -> Result<Vec<Hint>, IndexError>,
) -> anyhow::Result<Vec<Hint>> {
    let mut all = Vec::new();
    for (dir, searcher) in indexes {
        all.push(hints(searcher).map_err(|error| failed(error, dir))?);
    }
    let mut first = all.swap_remove(0);
    first.retain(|hint| all.iter().all(|hints| hints.contains(hint)));
    Ok(first)
}

/// A hint with its mend.
fn in_words(hint: &Hint) -> String {
    match hint {
        Hint::Empty => {
            "the query is empty: give words, \"a phrase\", host:example.org or lang:zh".into()
        }
        Hint::Wordless => "the query has signs and no words: give words to look for".into(),
        Hint::Cut(word) => {
            format!("the query is too long: behind {word:?} not all is looked for")
        }
        Hint::OpenQuote => {
            "the quote is not closed: everything after it is looked for as one phrase".into()
        }
        Hint::OtherSyntax(part) => {
            format!("{part:?} is looked for as the words in it: ~, ^ and * mean nothing here")
        }
        Hint::Operator(word) => {
            format!("{word} stands where it joins no two words: it is looked for as a word")
        }
        Hint::Region { typed, primary } => format!(
            "languages are known without their regions: of {typed:?}, all pages in {primary:?} are looked through"
        ),
        Hint::Word(word) => format!("no kept page has the word {word:?}"),
        Hint::Spelling { typed, meant } => {
            format!("few kept pages have the word {typed:?}; did you mean {meant:?}?")
        }
        Hint::Language { wanted, known } if known.is_empty() => {
            format!("no kept page is in the language {wanted:?}; of none the language is known")
        }
        Hint::Language { wanted, known } => format!(
            "no kept page is in the language {wanted:?}; there are: {}",
            known.join(", ")
        ),
        Hint::Host { wanted, known } => {
            match super::meant(wanted, known.iter().map(String::as_str)) {
                Some(near) => {
                    format!("no kept page is on the host {wanted:?}; did you mean {near:?}?")
                }
                None => format!(
                    "no kept page is on the host {wanted:?}; `tamis export DIR hosts` lists them"
                ),
            }
        }
    }
}

/// A snippet with its highlights, and without what a page could do to a terminal.
fn shown(snippet: &Snippet, output: &Output) -> String {
    let snippet = Snippet {
        text: harmless(&snippet.text),
        highlights: snippet.highlights.clone(),
    };
    if output.color {
        snippet.marked("\x1b[1;33m", "\x1b[0m")
    } else {
        snippet.marked("[", "]")
    }
}

/// The text with a sign for each character that acts on others, of as many bytes: highlights stay right.
fn harmless(text: &str) -> String {
    let sign = |c: char| match c.len_utf8() {
        1 => " ",
        2 => "\u{b7}",
        3 => "\u{fffd}",
        _ => "\u{b7}\u{b7}",
    };
    let mut shown = String::with_capacity(text.len());
    for c in text.chars() {
        match report::words::acts_on_others(c) {
            true => shown.push_str(sign(c)),
            false => shown.push(c),
        }
    }
    shown
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_acts_on_a_terminal_is_shown_as_a_sign_of_as_many_bytes() {
        for text in ["a\x1b[31m", "a\u{85}b", "a\u{202e}gpj.exe", "a\u{e0041}"] {
            let shown = harmless(text);
            assert_eq!(shown.len(), text.len());
            assert!(!shown.contains(report::words::acts_on_others), "{shown:?}");
        }
        assert_eq!(harmless("数据库"), "数据库");
    }

    #[test]
    fn beside_a_young_crawl_nothing_is_said_of_an_index_that_has_nothing_yet() {
        // "74 pages kept just now" and "nothing is kept yet" stood in one answer.
        let later = |running, stopped| Later { running, stopped };
        let told = in_the_end(0, 0, (true, &later(74, 0)));
        assert_eq!(told.len(), 1);
        assert!(told[0].contains("74 pages kept just now"), "{told:?}");
        assert_eq!(in_the_end(0, 0, (true, &later(0, 0))), [""; 0]);
        assert_eq!(in_the_end(0, 0, (false, &later(2, 0)))[1], "nothing found");
        assert_eq!(
            in_the_end(30, 10, (false, &later(0, 0))),
            ["10 of 30 pages"]
        );
        // Of a crawl that was killed nothing was said.
        let told = in_the_end(30, 10, (false, &later(0, 1)));
        assert_eq!(
            told[0],
            "1 page kept last is not in the index yet: the next start makes it searchable"
        );
    }

    #[test]
    fn beside_pages_that_wait_for_the_index_no_kept_page_is_spoken_of() {
        let hint = || "no kept page has the word \"x\"".to_owned();
        let later = Later {
            running: 0,
            stopped: 3,
        };
        assert!(!later.as_far_as_known(hint()).contains("kept page"));
        assert_eq!(Later::default().as_far_as_known(hint()), hint());
    }

    #[test]
    fn of_several_nodes_the_best_hits_are_shown_and_each_url_once() {
        let found = |relaxed: bool, hits: &[(&str, f32)]| {
            let hit = |&(url, score): &(&str, f32)| Hit {
                url: url.to_owned(),
                score,
                ..Hit::default()
            };
            Found {
                hits: hits.iter().map(hit).collect(),
                total: hits.len() as u64,
                relaxed,
            }
        };
        let all = vec![
            found(false, &[("http://a.test/", 1.0), ("http://b.test/", 3.0)]),
            found(true, &[("http://relaxed.test/", 9.0)]),
            found(false, &[("http://a.test/", 2.0), ("http://c.test/", 0.5)]),
        ];
        let merged = merged(all, 2);
        let urls: Vec<&str> = merged.hits.iter().map(|hit| &*hit.url).collect();
        assert_eq!(urls, ["http://b.test/", "http://a.test/"]);
        assert!(!merged.relaxed);
    }
}
