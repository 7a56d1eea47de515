//! The commands. Each module has its `Args` and a `run`.

pub mod completions;

use crate::args::{Cli, Command};
use crate::exit::Exit;
use crate::output::Output;

/// Runs the chosen command.
pub fn run(cli: &Cli, output: &Output) -> anyhow::Result<Exit> {
    match &cli.command {
        Command::Completions(args) => completions::run(args, output),
    }
}
