//! `[seeds]`: where to begin.

use std::path::Path;

use frontier::{SeedProblem, parse_seeds};

use crate::key::Fault;
use crate::problem::ConfigProblem;
use crate::rule::{any, each};
use crate::section::{Looked, Section, keys};

/// What to do about a file that is not where it was named.
pub(super) const RELATIVE: &str = "check the path; it is relative to the configuration's directory";

keys! {
    /// Where to begin.
    pub struct SeedsSection {
        /// Seed lists, relative to the configuration file.
        files: Vec<String> = Vec::new(), any();

        /// Seed URLs.
        urls: Vec<String> = Vec::new(), each("lines of a seed list", seed);
    }
}

impl Section for SeedsSection {
    fn paths(&mut self) -> Vec<&mut String> {
        self.files.iter_mut().collect()
    }

    fn look(&self, base: &Path) -> Looked {
        let mut looked = Looked::default();
        for (entry, file) in self.files.iter().enumerate() {
            let path = base.join(file).display().to_string();
            match std::fs::read(&path) {
                Ok(bytes) => {
                    let (_, wrong) = parse_seeds(&path, &bytes);
                    looked.problems.extend(wrong.into_iter().map(in_a_list));
                }
                Err(error) => {
                    let message = format!("cannot read seed list {path}: {error}");
                    let fault = Fault::of_entry("files", entry, message, RELATIVE);
                    looked.faults.push(fault);
                }
            }
        }
        looked
    }
}

fn seed(line: &str) -> Result<(), (String, String)> {
    let (found, wrong) = parse_seeds("", line.as_bytes());
    match wrong.into_iter().next() {
        Some(problem) => Err((format!("is no seed: {}", problem.message), problem.mend)),
        None if found.is_empty() => Err((
            "is no seed: there is no URL in it".into(),
            "write a URL, or leave it out".into(),
        )),
        None => Ok(()),
    }
}

fn in_a_list(problem: SeedProblem) -> ConfigProblem {
    ConfigProblem {
        file: problem.file,
        line: problem.line,
        column: problem.column,
        text: problem.text,
        message: problem.message,
        mend: problem.mend,
    }
}
