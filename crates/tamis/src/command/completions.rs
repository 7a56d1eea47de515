//! `tamis completions`: completions for a shell, and man pages.

use std::io::Write;
use std::path::PathBuf;

use clap::CommandFactory;

use crate::args::Cli;
use crate::exit::{Exit, usage};
use crate::output::Output;

/// Print shell completions, or write man pages
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Example:\n  tamis completions zsh > ~/.zfunc/_tamis\n  tamis completions --man DIR"
)]
pub struct Args {
    /// The shell
    #[arg(value_enum, required_unless_present = "man")]
    shell: Option<clap_complete::Shell>,
    /// Write man pages of all commands into this directory instead
    #[arg(long, value_name = "DIR")]
    man: Option<PathBuf>,
}

/// Writes the completions to stdout, or the man pages to a directory.
pub fn run(args: &Args, output: &Output) -> anyhow::Result<Exit> {
    let mut command = Cli::command();
    if let Some(dir) = &args.man {
        std::fs::create_dir_all(dir)
            .and_then(|()| clap_mangen::generate_to(command, dir))
            .map_err(|error| {
                usage(format!(
                    "cannot write man pages to {}: {error}",
                    dir.display()
                ))
            })?;
        return Ok(Exit::Done);
    }
    if let Some(shell) = args.shell {
        let mut text = Vec::new();
        clap_complete::generate(shell, &mut command, "tamis", &mut text);
        output.stream().write_all(&text)?;
    }
    Ok(Exit::Done)
}
