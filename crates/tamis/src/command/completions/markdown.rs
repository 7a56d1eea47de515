//! All commands as a page of Markdown, from their declarations.

use std::fmt::Write as _;

use clap::{Arg, Command};

/// The page.
pub fn page(command: &Command) -> String {
    let mut command = command.clone();
    // Options of every command reach those below it.
    command.build();
    let command = &command;
    let mut out = String::from(
        "# Commands\n\nThis page is made from the code: `tamis completions --markdown`. Each command tells the same with `--help`.\n\n",
    );
    out.push_str("## Options of every command\n\n");
    out.push_str(&arguments(command, true));
    for below in commands(command) {
        section(&mut out, below, "tamis");
    }
    out
}

/// The commands below one, in order.
fn commands(command: &Command) -> impl Iterator<Item = &Command> {
    let below = command.get_subcommands();
    below.filter(|below| !below.is_hide_set() && below.get_name() != "help")
}

fn section(out: &mut String, command: &Command, before: &str) {
    let name = format!("{before} {}", command.get_name());
    let level = if before == "tamis" { "##" } else { "###" };
    let about = command.get_about().map(ToString::to_string);
    let _ = write!(out, "\n{level} {name}\n\n{}.\n", about.unwrap_or_default());
    let usage = command.clone().render_usage().to_string();
    let usage = usage.trim_start_matches("Usage: ").trim();
    let _ = write!(out, "\n```text\n{usage}\n```\n");
    let arguments = arguments(command, false);
    if !arguments.is_empty() {
        let _ = write!(out, "\n{arguments}");
    }
    if let Some(after) = command.get_after_help() {
        examples(out, &after.to_string());
    }
    for below in commands(command) {
        section(out, below, &name);
    }
}

/// The table of arguments: those of every command, or the command's own.
fn arguments(command: &Command, globals: bool) -> String {
    let mut rows = String::new();
    for argument in command.get_arguments() {
        let is_own = argument.is_global_set() == globals && !argument.is_hide_set();
        if !is_own || matches!(argument.get_id().as_str(), "help" | "version") {
            continue;
        }
        let _ = writeln!(rows, "| `{}` | {} |", name(argument), about(argument));
    }
    match rows.is_empty() {
        true => rows,
        false => format!("| option | meaning |\n|---|---|\n{rows}"),
    }
}

/// How an argument is written.
fn name(argument: &Arg) -> String {
    let takes = argument.get_action().takes_values();
    let values = argument.get_value_names().unwrap_or_default();
    let values: Vec<String> = values.iter().map(|value| format!("<{value}>")).collect();
    let values = values.join(" ").replace('|', "\\|");
    let names = match (argument.get_short(), argument.get_long()) {
        (Some(short), Some(long)) => format!("-{short}, --{long}"),
        (Some(short), None) => format!("-{short}"),
        (None, Some(long)) => format!("--{long}"),
        (None, None) => return values,
    };
    match takes {
        true => format!("{names} {values}"),
        false => names,
    }
}

/// What it means, what it may be, and what it is when nobody says.
fn about(argument: &Arg) -> String {
    let help = argument.get_help().map(ToString::to_string);
    let mut about = help.unwrap_or_default();
    let takes = argument.get_action().takes_values();
    let choices = argument.get_possible_values();
    let choices: Vec<&str> = choices
        .iter()
        .filter(|choice| !choice.is_hide_set())
        .map(clap::builder::PossibleValue::get_name)
        .collect();
    if takes && !choices.is_empty() {
        let _ = write!(about, ": `{}`", choices.join("`, `"));
    }
    let defaults = argument.get_default_values();
    if takes && !defaults.is_empty() {
        let defaults: Vec<_> = defaults
            .iter()
            .map(|value| value.to_string_lossy())
            .collect();
        let _ = write!(about, " (default: `{}`)", defaults.join(" "));
    }
    about.replace('|', "\\|").replace('<', "&lt;")
}

/// What stands below the help: commands as a block, other lines as they are.
fn examples(out: &mut String, after: &str) {
    let mut is_block = false;
    for line in after.lines().map(str::trim) {
        let is_command = line.starts_with("tamis ") || line.contains("| tamis ");
        if is_command != is_block {
            out.push_str(if is_command { "\n```sh\n" } else { "```\n" });
            is_block = is_command;
        }
        match line {
            _ if is_command => {
                let _ = writeln!(out, "{line}");
            }
            "" | "Example:" | "Examples:" => {}
            line => {
                let _ = write!(out, "\n{}\n", line.replace('<', "&lt;"));
            }
        }
    }
    if is_block {
        out.push_str("```\n");
    }
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::*;
    use crate::args::Cli;

    #[test]
    #[cfg(feature = "cluster")]
    fn the_page_in_docs_is_made_from_the_code() {
        let written = include_str!("../../../../../docs/commands.md");
        assert!(
            written == page(&Cli::command()),
            "make it anew: cargo run -p tamis -- completions --markdown > docs/commands.md"
        );
    }

    #[test]
    fn every_command_stands_on_the_page_with_what_it_takes() {
        let page = page(&Cli::command());
        for words in [
            "## tamis crawl\n",
            "### tamis fingerprint distance\n",
            "| `--token-file <FILE>` |",
            "(default: `127.0.0.1:7700`)",
            "```sh\ntamis serve crawls/db\n",
        ] {
            assert!(page.contains(words), "{words:?} is not in: {page}");
        }
        assert_eq!(page.matches("```").count() % 2, 0);
    }
}
