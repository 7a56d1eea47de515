//! `tamis changes`: what the crawl found when it came back.

use std::collections::BTreeMap;
use std::path::PathBuf;

use report::Tongue;
use report::changes::{ChangeRow, Changes, kind_in};
use report::difference::{Piece, difference, shortened};
use report::export::instant_of;

use crate::command::journal;
use crate::command::report::Lang;
use crate::exit::{Exit, usage};
use crate::output::Output;

/// Characters of the differences of a page that are shown.
const SHOWN_CHARS: usize = 600;

/// Characters shown beside a difference.
const AROUND: usize = 30;

/// Tell what is new, changed, moved, gone or back since the crawl came back
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  \
    tamis crawl --dir crawls/db --again\n  \
    tamis changes crawls/db\n  \
    tamis changes crawls/db --lang zh\n  \
    tamis changes crawls/db --since 2026-05-01 --json")]
pub struct Args {
    /// The crawl's directory
    dir: PathBuf,
    /// Changes seen since this day or time, such as 2026-05-01 or 2026-05-01T08:00 (UTC where it has no
    /// offset); without it those of the last round
    #[arg(long, value_name = "DATE")]
    since: Option<String>,
    /// Language of the words; JSON has the same names in each
    #[arg(long, value_enum, default_value_t = Lang::En)]
    lang: Lang,
}

/// Tells the changes.
pub fn run(args: &Args, output: &Output) -> anyhow::Result<Exit> {
    let since = args.since.as_deref().map(parse_time).transpose()?;
    let tongue: Tongue = args.lang.into();
    let dir = journal::open(&args.dir)?;
    let mut changes = Changes::since(since);
    for record in journal::records(&dir)? {
        changes.add(&record);
    }
    let rounds: Vec<_> = changes.rounds().copied().collect();
    let texts = journal::archived(&dir);
    let rows = changes.rows(|place| texts.text(place));
    let mut counts: BTreeMap<String, u64> = BTreeMap::new();
    for row in rows {
        *counts.entry(row.change.name().to_string()).or_default() += 1;
        if output.json {
            output.value(&serde_json::to_value(&row)?)?;
            continue;
        }
        for line in in_words(&row, tongue).lines() {
            output.line(line)?;
        }
    }
    if !output.json {
        let told = match (rounds.last(), &args.since) {
            (None, _) => format!(
                "the crawl has not come back yet: tamis crawl --dir {} --again",
                ::config::for_shell(&args.dir)
            ),
            (Some(_), Some(since)) => since_in_words(since, &counts, tongue),
            (Some(round), None) => round.line(),
        };
        output.say(tongue.say(&told));
    }
    Ok(Exit::Done)
}

/// What was told, counted.
fn since_in_words(since: &str, counts: &BTreeMap<String, u64>, tongue: Tongue) -> String {
    if counts.is_empty() {
        return format!("no page has changed since {since}, as far as it was visited");
    }
    let counts = counts.iter();
    let parts: Vec<String> = counts
        .map(|(name, n)| match tongue {
            Tongue::English => format!("{n} {name}"),
            Tongue::Chinese => format!("{} {n}", kind_in(tongue, name)),
        })
        .collect();
    let comma = match tongue {
        Tongue::English => ", ",
        Tongue::Chinese => "，",
    };
    format!("since {since}: {}", parts.join(comma))
}

fn in_words(row: &ChangeRow, tongue: Tongue) -> String {
    let kept = match (row.was_kept, row.is_kept) {
        (true, false) => "no longer kept",
        (false, true) if row.change != outcome::Change::New => "kept now",
        (false, false) if row.change == outcome::Change::New => "not kept",
        (true, true) | (false, true | false) => "",
    };
    let (comma, colon) = match tongue {
        Tongue::English => (", ", ": "),
        Tongue::Chinese => ("，", "："),
    };
    let aside = |mark: &str, words: &str| match words {
        "" => String::new(),
        words => [mark, &tongue.say(words)].concat(),
    };
    let kept = aside(comma, kept);
    let why = aside(colon, row.why.as_deref().unwrap_or_default());
    let kind = kind_in(tongue, row.change.name());
    let mut words = match tongue {
        Tongue::English => format!("{kind:<9} {}{kept}{why}\n", row.url),
        // A Chinese letter is two columns wide.
        Tongue::Chinese => format!(
            "{kind}{:blanks$} {}{kept}{why}\n",
            "",
            row.url,
            blanks = 6usize.saturating_sub(2 * kind.chars().count())
        ),
    };
    let (Some(before), Some(after)) = (&row.before, &row.after) else {
        return words;
    };
    let pieces = shortened(&difference(before, after), AROUND);
    let mut shown = String::new();
    for piece in pieces {
        match piece {
            Piece::Same(text) => shown.push_str(&text),
            Piece::Removed(text) => shown.push_str(&format!("[-{text}-]")),
            Piece::Added(text) => shown.push_str(&format!("[+{text}+]")),
            Piece::Skipped(_) => shown.push_str(" … "),
        }
    }
    let count = shown.chars().count();
    let mut cut: String = shown.chars().take(SHOWN_CHARS).collect();
    if count > SHOWN_CHARS {
        cut.push_str(" …");
    }
    for line in cut.lines() {
        words.push_str(&format!("          {line}\n"));
    }
    words
}

/// Milliseconds since the Unix epoch.
fn parse_time(text: &str) -> anyhow::Result<u64> {
    instant_of(text).map_err(|why| usage(format!("--since: {why}")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_day_or_a_time_is_read_and_anything_else_is_refused_with_its_mend() {
        assert_eq!(parse_time("1970-01-02").unwrap(), 86_400_000);
        assert_eq!(parse_time("1970-01-01T00:00:01Z").unwrap(), 1_000);
        assert_eq!(parse_time("1970-01-01T01:00").unwrap(), 3_600_000);
        let error = parse_time("yesterday").unwrap_err().to_string();
        assert!(error.contains("write 2026-11-21"), "{error}");
    }
}
