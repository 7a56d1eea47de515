//! `tamis completions`: completions for a shell, man pages, and the page of all commands.

mod markdown;

use std::io::Write;
use std::path::PathBuf;

use clap::CommandFactory;

use crate::args::Cli;
use crate::exit::{Exit, usage};
use crate::output::Output;

/// Print shell completions, write man pages, or print all commands as Markdown
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Example:\n  tamis completions zsh > ~/.zfunc/_tamis\n  tamis completions --man DIR"
)]
pub struct Args {
    /// The shell
    #[arg(value_enum, required_unless_present_any = ["man", "markdown"])]
    shell: Option<clap_complete::Shell>,
    /// Write man pages of all commands into this directory instead
    #[arg(long, value_name = "DIR")]
    man: Option<PathBuf>,
    /// Print all commands as a page of Markdown instead
    #[arg(long, conflicts_with_all = ["shell", "man"])]
    markdown: bool,
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
    if args.markdown {
        let page = markdown::page(&command);
        output.stream().write_all(page.as_bytes())?;
        return Ok(Exit::Done);
    }
    if let Some(shell) = args.shell {
        let mut text = Vec::new();
        clap_complete::generate(shell, &mut command, "tamis", &mut text);
        output.stream().write_all(&text)?;
    }
    Ok(Exit::Done)
}
