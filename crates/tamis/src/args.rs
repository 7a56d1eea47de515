//! The command line's shape: global options and the list of commands.

use std::ffi::OsString;
use std::io::Write as _;
use std::num::{ParseFloatError, ParseIntError};

use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{Arg, CommandFactory, FromArgMatches, Parser, Subcommand, ValueEnum};

use crate::command;

/// Crawl a topic, keep each text once, and say why the rest was dropped.
#[derive(Debug, Parser)]
#[command(
    name = "tamis",
    version = env!("TAMIS_VERSION"),
    about = "A focused web crawler that knows, page by page and before anything is indexed, \
             whether it has seen this content before.",
    after_help = "Examples:\n  tamis demo\n  tamis crawl config/chinese-databases.toml --dir crawls/db\n  tamis report crawls/db\n  tamis search crawls/db 索引\n\n\
        Exit codes: 0 done; 1 it ran, but something was refused or wrong (for a check: a problem was \
        found); 2 wrong use; 3 a resource cannot go on (disk full, directory in use); 130 interrupted."
)]
pub struct Cli {
    /// Options of every command.
    #[command(flatten)]
    pub global: Global,
    /// What to do.
    #[command(subcommand)]
    pub command: Command,
}

/// The arguments, where a word that a search is to exclude (`-mysql`) is no option: its hyphen
/// becomes the full-width one, which queries know, too.
pub fn with_excluded_words(arguments: impl Iterator<Item = OsString>) -> Vec<OsString> {
    let mut arguments: Vec<OsString> = arguments.collect();
    let mut words = arguments.iter().skip(1).filter(|word| !is_option(word));
    if words.next().is_none_or(|command| command != "search") {
        return arguments;
    }
    let takes_value = options_with_value("search");
    let mut is_value = false;
    for argument in arguments.iter_mut().skip(1) {
        // Behind it nothing is an option, and a query knows the hyphen itself.
        if argument == "--" {
            break;
        }
        let was_value = std::mem::replace(&mut is_value, takes_value(argument));
        let Some(word) = argument.to_str().and_then(|text| text.strip_prefix('-')) else {
            continue;
        };
        let is_short = word.chars().all(|c| SHORT_OPTIONS.contains(c));
        if was_value || word.starts_with('-') || is_short {
            continue;
        }
        let is_filter = QUERY_FILTERS.iter().any(|name| word.starts_with(name));
        // The shell has taken the quotes of -"a phrase" away.
        let is_phrase = word.contains(char::is_whitespace) && !word.starts_with(['"', '“', '「']);
        *argument = match is_phrase && !is_filter {
            true => format!("－\"{word}\"").into(),
            false => format!("－{word}").into(),
        };
    }
    arguments
}

/// What a query's filters begin with.
const QUERY_FILTERS: [&str; 3] = ["host:", "site:", "lang:"];

/// Tells the options of a command whose value is the next argument.
fn options_with_value(command: &str) -> impl Fn(&OsString) -> bool {
    let mut whole = Cli::command();
    whole.build();
    let command = whole.find_subcommand(command);
    let options = command.into_iter().flat_map(clap::Command::get_arguments);
    let with_value = options.filter(|option| option.get_action().takes_values());
    let names = with_value.filter_map(|option| Some(format!("--{}", option.get_long()?)));
    let names: Vec<String> = names.collect();
    move |argument| names.iter().any(|name| argument == name.as_str())
}

/// Reads the arguments; what is wrong ends the process with exit code 2.
pub fn parse(arguments: Vec<OsString>) -> Cli {
    if let Some(error) = odd_dashes(&arguments) {
        error.exit();
    }
    let mut command = with_short_examples(Cli::command());
    let matches = command.try_get_matches_from_mut(&arguments);
    let read = matches.and_then(|matches| Cli::from_arg_matches(&matches));
    read.unwrap_or_else(|error| end(&in_plain_words(error.format(&mut command), &arguments)))
}

/// Prints help, or what is wrong with the arguments, and ends the process; help that cannot be written is an error as
/// data are.
fn end(error: &clap::Error) -> ! {
    let printed = match error.use_stderr() {
        true => error.print(),
        false => crate::exit::check_stdout()
            .and_then(|()| error.print())
            .and_then(|()| std::io::stdout().flush()),
    };
    match printed {
        Err(unwritten) if !error.use_stderr() => {
            std::process::exit(crate::exit::unwritten(unwritten))
        }
        Ok(()) | Err(_) => std::process::exit(error.exit_code()),
    }
}

/// Columns of an example: a narrow terminal has 80.
const EXAMPLE_COLUMNS: usize = 78;

/// A command whose long examples go on in a next line as a shell reads it: where a terminal is narrow, help
/// would be broken anywhere, and could not be pasted.
fn with_short_examples(command: clap::Command) -> clap::Command {
    let after = command.get_after_help().map(ToString::to_string);
    let command = match after {
        Some(after) => command.after_help(short_examples(&after)),
        None => command,
    };
    command.mut_subcommands(with_short_examples)
}

fn short_examples(help: &str) -> String {
    let lines = help.lines().map(|line| match line.starts_with("  tamis ") {
        true => short_example(line),
        false => line.to_owned(),
    });
    lines.collect::<Vec<_>>().join("\n")
}

/// An example, broken before options while it is too long; a comment stays where it is.
fn short_example(line: &str) -> String {
    let room = EXAMPLE_COLUMNS - " \\".len();
    let (mut out, mut rest) = (String::new(), line.to_owned());
    while rest.chars().count() > EXAMPLE_COLUMNS {
        let said = rest.split(" # ").next().unwrap_or_default();
        let breaks = said.match_indices(" --").map(|(at, _)| at);
        let fitting = breaks.filter(|at| rest[..*at].chars().count() <= room);
        let Some(at) = fitting.last().filter(|at| !rest[..*at].trim().is_empty()) else {
            break;
        };
        out.push_str(&rest[..at]);
        out.push_str(" \\\n");
        rest = format!("     {}", &rest[at..]);
    }
    out + &rest
}

/// Dashes that keyboards and word processors write for a hyphen.
const ODD_DASHES: [char; 6] = ['－', '—', '–', '―', '‐', '−'];

/// A message about an option that is written with such dashes, if one is.
fn odd_dashes(arguments: &[OsString]) -> Option<clap::Error> {
    let typed = arguments.iter().skip(1).map_while(|word| word.to_str());
    let typed: Vec<&str> = typed.take_while(|word| *word != "--").collect();
    // What a search looks for may begin with any dash.
    if typed.iter().find(|word| !word.starts_with('-')) == Some(&"search") {
        return None;
    }
    let is_dash = |c: char| c == '-' || ODD_DASHES.contains(&c);
    let is_odd = |word: &&str| {
        let mut dashes = word.chars().take_while(|c| is_dash(*c));
        dashes.any(|c| c != '-')
    };
    let mut odd = typed.into_iter().filter(is_odd).peekable();
    odd.peek()?;
    let mut whole = Cli::command();
    whole.build();
    let is_known = |name: &str| {
        let commands = whole.get_subcommands().chain([&whole]);
        let mut options = commands.flat_map(clap::Command::get_arguments);
        options.any(|option| option.get_long() == Some(name))
    };
    odd.find_map(|word| {
        let rest = word.trim_start_matches(is_dash);
        let name = rest.split('=').next().unwrap_or_default();
        let told = format!("{word:?} is written with other dashes: write --{rest}\n");
        is_known(name).then(|| clap::Error::raw(ErrorKind::UnknownArgument, told))
    })
}

/// A value that begins with a minus sign, after an option that takes one: the parser reads it as an option,
/// and hints at passing it as something else.
fn negative_value(error: &clap::Error, arguments: &[OsString]) -> Option<clap::Error> {
    let Some(ContextValue::String(unknown)) = error.get(ContextKind::InvalidArg) else {
        return None;
    };
    let is_negative = |word: &str| {
        let rest = word.strip_prefix('-');
        rest.is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit() || c == '.'))
    };
    let is_unknown = error.kind() == ErrorKind::UnknownArgument && is_negative(unknown);
    let typed: Vec<&str> = arguments.iter().filter_map(|word| word.to_str()).collect();
    let mut pairs = typed.windows(2).filter(|_| is_unknown);
    let pair = pairs.find(|pair| pair[0].starts_with("--") && is_negative(pair[1]))?;
    let told = format!(
        "invalid value '{}' for '{}': no value below zero is taken\n\nFor more information, try '--help'.\n",
        pair[1], pair[0]
    );
    Some(clap::Error::raw(ErrorKind::InvalidValue, told))
}

/// A message about a number that is none, with what is wanted instead of what the parser met.
fn in_plain_words(error: clap::Error, arguments: &[OsString]) -> clap::Error {
    if let Some(told) = negative_value(&error, arguments) {
        return told;
    }
    let told = |kind| match error.get(kind) {
        Some(ContextValue::String(text)) => Some(text.clone()),
        Some(_) | None => None,
    };
    let cause = std::error::Error::source(&error);
    let wanted = match cause {
        Some(cause) if cause.is::<ParseIntError>() => "a whole number",
        Some(cause) if cause.is::<ParseFloatError>() => "a number",
        Some(_) | None => return error,
    };
    let (Some(argument), Some(value)) = (
        told(ContextKind::InvalidArg),
        told(ContextKind::InvalidValue),
    ) else {
        return error;
    };
    let example = example_of(&argument, arguments);
    let example = example.map_or(String::new(), |example| format!(", such as {example}"));
    clap::Error::raw(
        error.kind(),
        format!(
            "invalid value '{value}' for '{argument}': {wanted} is wanted{example}\n\nFor more information, try '--help'.\n"
        ),
    )
}

/// A value that an argument takes, after the argument as it is typed: its default, or a round number.
fn example_of(argument: &str, arguments: &[OsString]) -> Option<String> {
    let mut whole = Cli::command();
    // An argument can be written out once its command is made.
    whole.build();
    let mut command = &whole;
    let mut words = arguments.iter().skip(1).filter_map(|word| word.to_str());
    while let Some(next) = words.find_map(|word| command.find_subcommand(word)) {
        command = next;
    }
    let mut all = command.get_arguments();
    let argument = all.find(|known| known.to_string() == argument)?;
    let defaults = argument.get_default_values().iter();
    let defaults = defaults.filter_map(|value| value.to_str());
    let mut candidates = defaults.chain(["100", "10", "1"]);
    let value = candidates.find(|value| {
        let alone = Arg::new("value").value_parser(argument.get_value_parser().clone());
        let command = clap::Command::new("value").no_binary_name(true).arg(alone);
        command.try_get_matches_from([value]).is_ok()
    })?;
    Some(match (argument.get_long(), argument.get_short()) {
        (Some(long), _) => format!("--{long} {value}"),
        (None, Some(short)) => format!("-{short} {value}"),
        (None, None) => value.to_owned(),
    })
}

/// Options of one letter.
const SHORT_OPTIONS: &str = "qvhV";

fn is_option(argument: &OsString) -> bool {
    argument.to_str().is_some_and(|text| text.starts_with('-'))
}

/// Options of every command.
#[derive(Debug, Clone, clap::Args)]
pub struct Global {
    /// Print data as JSON, one value per line
    #[arg(long, global = true, help_heading = "Global options")]
    pub json: bool,
    /// Say nothing but errors
    #[arg(short, long, global = true, help_heading = "Global options")]
    pub quiet: bool,
    /// Say more; twice for everything
    #[arg(short, long, global = true, action = clap::ArgAction::Count, help_heading = "Global options")]
    pub verbose: u8,
    /// Form of log lines on stderr
    #[arg(long, global = true, value_enum, default_value_t = LogFormat::Text, help_heading = "Global options")]
    pub log_format: LogFormat,
    /// Colour: auto obeys the terminal, TERM=dumb and NO_COLOR
    #[arg(long, global = true, value_enum, default_value_t = Color::Auto, help_heading = "Global options")]
    pub color: Color,
}

/// Form of log lines.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum LogFormat {
    /// Lines for people.
    Text,
    /// One JSON object per line.
    Json,
}

/// When to colour.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Color {
    /// On a terminal, unless NO_COLOR is set or TERM is dumb.
    Auto,
    /// Always.
    Always,
    /// Never.
    Never,
}

/// The commands, in the order a user meets them.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Run a focused crawl, or carry one on
    Crawl(command::crawl::Args),
    /// Crawl a small bundled web on loopback and show what comes of it
    Demo(command::demo::Args),
    /// Show what a crawl is doing, and why it is slow or stopped
    Status(command::status::Args),
    /// Let a running crawl begin no new fetch until it is resumed
    Pause(command::steer::PauseArgs),
    /// Let a paused crawl go on
    Resume(command::steer::ResumeArgs),
    /// Stop a running crawl cleanly, as Ctrl-C does
    Stop(command::steer::StopArgs),
    /// Let a running crawl go on with what its configuration and seed lists say now
    Reload(command::steer::ReloadArgs),
    /// Put failed URLs back into the queue
    Retry(command::steer::RetryArgs),
    /// Report what a crawl found, dropped and met
    Report(command::report::Args),
    /// Tell what is new, changed, moved, gone or back since the crawl came back
    Changes(command::changes::Args),
    /// Watch, search and judge crawls in a browser
    Serve(command::serve::Args),
    /// Let an assistant search and read crawls (Model Context Protocol)
    Mcp(command::mcp::Args),
    /// Search the kept pages
    Search(command::search::Args),
    /// Tell one URL's whole story
    Explain(command::explain::Args),
    /// Write rows about pages, fetches, links, duplicates or hosts
    Export(command::export::Args),
    /// Check that archive, state and search index agree
    CheckDir(command::check_dir::Args),
    /// Check or show a configuration, or print its schema
    Config(command::config::Args),
    /// Check a topic: its terms, and what it says of pages
    Topic(command::topic::Args),
    /// Replay another order or another topic over a crawl's pages
    Replay(command::replay::Args),
    /// Simulate rules over made-up pages
    Simulate(command::simulate::Args),
    /// Check seed lists
    Seeds(command::seeds::Args),
    /// Normalise or resolve URLs
    Url(command::url::Args),
    /// Ask a robots.txt
    Robots(command::robots::Args),
    /// Read a sitemap
    Sitemap(command::sitemap::Args),
    /// List a page's links and what it says to robots
    Links(command::links::Args),
    /// Decode a page's bytes to text
    Text(command::text::Args),
    /// Read pages: main content, title, author, date, links
    Extract(command::extract::Args),
    /// Print the fingerprint of texts, or compare fingerprints
    Fingerprint(command::fingerprint::Args),
    /// Tell whether two pages are duplicates, why, and where they differ
    Compare(command::compare::Args),
    /// Tell which documents of a stream repeat an earlier one
    Dedup(command::dedup::Args),
    /// Fetch one URL politely
    Fetch(command::fetch::Args),
    /// Make, look at and measure the ledger that the nodes of one crawl share
    #[cfg(feature = "cluster")]
    Cluster(command::cluster::Args),
    /// Print shell completions or write man pages
    Completions(command::completions::Args),
}

#[cfg(test)]
mod tests {
    use clap::{CommandFactory, Parser};

    use super::{Cli, OsString};
    use crate::docs_tests::words;

    #[test]
    fn a_word_to_exclude_is_no_option_of_a_search() {
        let rewritten = |line: &str| -> Vec<String> {
            let words = words(line).into_iter().map(OsString::from);
            let words = super::with_excluded_words(words).into_iter();
            words
                .map(|word| word.into_string().expect("UTF-8"))
                .collect()
        };
        assert_eq!(
            rewritten("tamis -q search dir a -mysql -\"two words\" -v --lang zh - --x"),
            [
                "tamis",
                "-q",
                "search",
                "dir",
                "a",
                "－mysql",
                "－\"two words\"",
                "-v",
                "--lang",
                "zh",
                "-",
                "--x"
            ]
        );
        let other = "tamis export search -o";
        assert_eq!(rewritten(other).join(" "), other);
    }

    #[test]
    fn a_number_that_is_none_is_told_with_what_is_wanted() {
        let said = |line: &str| {
            let arguments: Vec<OsString> = words(line).into_iter().map(OsString::from).collect();
            let error = Cli::try_parse_from(&arguments).expect_err(line);
            super::in_plain_words(error, &arguments).to_string()
        };
        for (line, wanted) in [
            (
                "tamis crawl --dir d --max-pages many",
                "--max-pages <N>': a whole number is wanted, such as --max-pages 100",
            ),
            (
                "tamis crawl --dir d --max-pages 1e99",
                "a whole number is wanted",
            ),
            (
                "tamis -q fingerprint pairs -k x",
                "-k <K>': a whole number is wanted, such as -k 3",
            ),
            ("tamis robots check --status x r", "--status 100"),
            (
                "tamis dedup --overlap much",
                "a number is wanted, such as --overlap 0.",
            ),
        ] {
            let said = said(line);
            assert!(
                said.starts_with("error: invalid value '") && said.contains(wanted),
                "{line}: {said}"
            );
            assert!(
                said.ends_with("try '--help'.\n") && !said.contains("digit"),
                "{line}: {said}"
            );
        }
        // What is out of range is told by its range.
        assert!(
            said("tamis simulate freshness --pages 3").contains("40..=20000"),
            "range"
        );
    }

    #[test]
    fn a_value_below_zero_is_told_as_that() {
        let arguments = words("tamis crawl --dir d --delay -1s").into_iter();
        let arguments: Vec<OsString> = arguments.map(OsString::from).collect();
        let error = Cli::try_parse_from(&arguments).expect_err("a negative time");
        let said = super::in_plain_words(error, &arguments).to_string();
        assert!(
            said.contains("'-1s' for '--delay': no value below zero is taken"),
            "{said}"
        );
        assert!(!said.contains("tip"), "{said}");
    }

    #[test]
    fn the_examples_of_help_fit_and_can_be_pasted() {
        fn look(command: &clap::Command, found: &mut usize) {
            let help = command.get_after_help().map(ToString::to_string);
            let help = super::short_examples(&help.unwrap_or_default());
            for line in help.lines().filter(|line| line.starts_with("  tamis ")) {
                *found += 1;
                let columns = line.chars().count();
                assert!(
                    columns <= super::EXAMPLE_COLUMNS || line.contains(" # "),
                    "{line}"
                );
            }
            // What the shell reads is what was written.
            let joined = help.replace(" \\\n     ", "");
            let whole = command.get_after_help().map(ToString::to_string);
            assert_eq!(joined, whole.unwrap_or_default().trim_end());
            command.get_subcommands().for_each(|next| look(next, found));
        }
        let mut found = 0;
        look(&Cli::command(), &mut found);
        assert!(found > 50, "{found}");
        let long = "  tamis crawl --dir crawls/one --seed https://www.example.org/ --contact me@example.org --max-pages 100";
        assert_eq!(
            super::short_example(long),
            "  tamis crawl --dir crawls/one --seed https://www.example.org/ \\\n      --contact me@example.org --max-pages 100"
        );
    }

    /// No number of any command is told in the words of the parser, and each has an example that it takes.
    #[test]
    fn every_number_of_every_command_has_an_example() {
        fn look(command: &clap::Command, path: &[OsString], found: &mut usize) {
            for argument in command.get_arguments() {
                let alone =
                    clap::Arg::new("value").value_parser(argument.get_value_parser().clone());
                let alone = clap::Command::new("value").no_binary_name(true).arg(alone);
                let Err(error) = alone.try_get_matches_from(["many"]) else {
                    continue;
                };
                let cause = std::error::Error::source(&error);
                let is_number = cause.is_some_and(|cause| {
                    cause.is::<std::num::ParseIntError>() || cause.is::<std::num::ParseFloatError>()
                });
                if is_number {
                    let example = super::example_of(&argument.to_string(), path);
                    assert!(example.is_some(), "{path:?}: {argument}");
                    *found += 1;
                }
            }
            for next in command.get_subcommands() {
                let path: Vec<OsString> = path
                    .iter()
                    .cloned()
                    .chain([next.get_name().into()])
                    .collect();
                look(next, &path, found);
            }
        }
        let mut found = 0;
        let mut whole = Cli::command();
        whole.build();
        look(&whole, &["tamis".into()], &mut found);
        assert!(found > 10, "{found}");
    }
}
