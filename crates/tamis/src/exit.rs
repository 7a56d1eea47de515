//! How a command ends: the exit codes, and the errors that choose one.
//!
//! 0 done; 1 the work ran but something was refused or wrong; 2 wrong use, nothing was touched;
//! 3 a resource cannot go on; 130 interrupted and stopped cleanly, ready to resume.

use std::io::ErrorKind;
use std::process::ExitCode;

use crate::output::Output;

/// How a command ended when it ended in order.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Exit {
    /// Done.
    Done,
    /// The work ran, but something was refused or wrong; a check found a problem.
    Problem,
    /// Interrupted and stopped cleanly.
    Interrupted,
}

/// Wrong use: arguments, configuration, seed list. Nothing was touched.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct Usage(pub String);

/// A resource cannot go on: disk full, directory in use, damaged state.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct Resource(pub String);

/// What is written to standard output is lost.
#[derive(Debug, thiserror::Error)]
#[error(
    "standard output is closed, and what would be written there is lost: send it to a file or a pipe"
)]
struct Closed;

/// Checks that standard output was open when the process began.
///
/// # Errors
/// When it was closed: what takes its place swallows all that is written.
pub fn check_stdout() -> std::io::Result<()> {
    match heap::standard::output_was_closed() {
        true => Err(std::io::Error::other(Closed)),
        false => Ok(()),
    }
}

/// An error for wrong use.
pub fn usage(message: impl Into<String>) -> anyhow::Error {
    anyhow::Error::new(Usage(message.into()))
}

/// An error for a resource that cannot go on.
pub fn resource(message: impl Into<String>) -> anyhow::Error {
    anyhow::Error::new(Resource(message.into()))
}

/// Prints an error, if there is one, and gives the process's exit code.
pub fn finish(result: anyhow::Result<Exit>, output: &Output) -> ExitCode {
    let result = result.and_then(|exit| output.flush().map(|()| exit).map_err(Into::into));
    match result {
        Ok(Exit::Done) => ExitCode::SUCCESS,
        Ok(Exit::Problem) => ExitCode::from(1),
        Ok(Exit::Interrupted) => ExitCode::from(130),
        // A closed pipe (`tamis … | head`) is the reader's choice, not an error.
        Err(error) if is_broken_pipe(&error) => ExitCode::SUCCESS,
        Err(error) => {
            output.error(&format!("{error:#}"));
            ExitCode::from(code_of(&error))
        }
    }
}

/// The exit code where what was asked for cannot be written, which is told.
pub fn unwritten(error: std::io::Error) -> i32 {
    let error = anyhow::Error::from(error);
    if is_broken_pipe(&error) {
        return 0;
    }
    eprintln!("error: {error:#}");
    i32::from(code_of(&error))
}

fn code_of(error: &anyhow::Error) -> u8 {
    if error.chain().any(|cause| cause.is::<Usage>()) {
        2
    } else if error.chain().any(|cause| cause.is::<Resource>())
        || is_disk_full(error)
        || is_closed(error)
    {
        3
    } else {
        1
    }
}

fn is_broken_pipe(error: &anyhow::Error) -> bool {
    is_of(error, &[ErrorKind::BrokenPipe])
}

fn is_disk_full(error: &anyhow::Error) -> bool {
    is_of(error, &[ErrorKind::StorageFull, ErrorKind::QuotaExceeded])
}

fn is_closed(error: &anyhow::Error) -> bool {
    let mut causes = error.chain().filter_map(|cause| cause.downcast_ref());
    causes.any(|io: &std::io::Error| io.get_ref().is_some_and(|inner| inner.is::<Closed>()))
}

/// Whether an error comes from the system, and is of one of these kinds.
fn is_of(error: &anyhow::Error, kinds: &[ErrorKind]) -> bool {
    let mut causes = error.chain().filter_map(|cause| cause.downcast_ref());
    causes.any(|io: &std::io::Error| kinds.contains(&io.kind()))
}

/// Problems, each as it tells itself, one for each paragraph.
pub fn several(what: &str, problems: &[impl std::fmt::Display]) -> anyhow::Error {
    let told: Vec<String> = problems.iter().map(ToString::to_string).collect();
    match told.len() {
        1 => usage(told.join("")),
        more => usage(format!("{what}: {more} problems\n{}", told.join("\n"))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wrong_use_is_2_a_resource_3_and_the_rest_1() {
        assert_eq!(code_of(&usage("no such option")), 2);
        assert_eq!(
            code_of(&resource("disk full").context("write the archive")),
            3
        );
        for kind in [ErrorKind::StorageFull, ErrorKind::QuotaExceeded] {
            let error = anyhow::Error::new(std::io::Error::from(kind));
            assert_eq!(code_of(&error.context("write the rows")), 3);
        }
        assert_eq!(unwritten(ErrorKind::StorageFull.into()), 3);
        assert_eq!(unwritten(ErrorKind::BrokenPipe.into()), 0);
        assert_eq!(code_of(&std::io::Error::other(Closed).into()), 3);
        let denied = std::io::Error::from(ErrorKind::PermissionDenied);
        assert_eq!(code_of(&denied.into()), 1);
        assert_eq!(code_of(&anyhow::anyhow!("something else")), 1);
    }
}
