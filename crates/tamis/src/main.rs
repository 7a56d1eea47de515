//! The command line of Tamis: arguments in, data on stdout, talk on stderr, an exit code.
//!
//! Each command is a module of [`command`] with its arguments and a `run`. Nothing here decides
//! anything about a page: the work is in the library crates.

mod args;
mod clock;
mod command;
#[cfg(test)]
mod docs_tests;
mod exit;
mod logging;
mod out_file;
mod output;
mod progress;

fn main() -> std::process::ExitCode {
    heap::settle();
    heap::files::raise();
    let cli = args::parse(args::with_excluded_words(std::env::args_os()));
    logging::start(&cli.global);
    let output = output::Output::new(&cli.global);
    let result = command::run(&cli, &output);
    exit::finish(result, &output)
}
