//! Fates are values: no code compares their names or reads the words written for people, and the
//! tables of the handbook say, in both languages, what the enums say.

use std::fs;
use std::path::{Path, PathBuf};

use outcome::{DuplicateKind, FailureKind, JunkReason, LinkFate, NeighbourDecision, OutcomeKind};
use outcome::{PageType, Refusal, RobotsAnswer, StopReason, Trap};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// Files that hold tests alone.
const TEST_FILES: [&str; 3] = ["tests.rs", "laws.rs", "testing.rs"];

/// Source files of all crates but the one that defines the names, with their text up to the first
/// test module. Files of tests alone are left out: they may write records as older versions did.
fn sources() -> Vec<(PathBuf, String)> {
    let mut found = Vec::new();
    let mut folders: Vec<PathBuf> = fs::read_dir(root().join("crates"))
        .expect("the crates")
        .map(|entry| entry.expect("an entry").path().join("src"))
        .filter(|path| !path.ends_with("outcome/src") && path.is_dir())
        .collect();
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).expect("a folder") {
            let path = entry.expect("an entry").path();
            let name = path
                .file_name()
                .unwrap_or_default()
                .to_string_lossy()
                .into_owned();
            // The tables of `chinese` name what they put into Chinese.
            if path.is_dir() && !["tests", "laws", "chinese"].contains(&name.as_str()) {
                folders.push(path);
            } else if name.ends_with(".rs") && !TEST_FILES.contains(&name.as_str()) {
                let text = fs::read_to_string(&path).expect("a source file");
                let code = text
                    .split("#[cfg(test)]")
                    .next()
                    .unwrap_or_default()
                    .to_owned();
                found.push((path, code));
            }
        }
    }
    found
}

/// Names that mean nothing else, so that a literal of one in the code is a fate compared or made
/// by hand.
fn telling_names() -> Vec<String> {
    fn of<T: ToString>(known: &[T]) -> impl Iterator<Item = String> {
        known.iter().map(T::to_string)
    }
    let names = of(JunkReason::KNOWN)
        .chain(of(LinkFate::KNOWN))
        .chain(of(Trap::KNOWN))
        .chain(of(FailureKind::KNOWN))
        .chain(of(PageType::KNOWN))
        .chain(of(DuplicateKind::KNOWN))
        .chain(of(NeighbourDecision::KNOWN))
        .chain(of(OutcomeKind::KNOWN))
        .chain(of(RobotsAnswer::KNOWN))
        .chain(of(StopReason::KNOWN))
        .chain(Refusal::NAMES.map(str::to_owned));
    let telling = |name: &String| {
        name.contains('_') || matches!(name.as_str(), "judged" | "barren" | "drained")
    };
    // Words with a life of their own: error names of the fetcher, configuration keys, a directive
    // of robots meta tags, and keys of the report's totals and host rows.
    let elsewhere = [
        "bad_url",
        "too_large",
        "max_pages",
        "max_time",
        "noindex",
        "not_modified",
        "off_topic",
    ];
    names
        .filter(telling)
        .filter(|name| !elsewhere.contains(&name.as_str()))
        .collect()
}

#[test]
fn no_code_names_a_fate_by_its_string() {
    let names = telling_names();
    let mut wrong = Vec::new();
    for (path, code) in sources() {
        for (number, line) in code.lines().enumerate() {
            let is_comment = line.trim_start().starts_with("//");
            let named = |name: &&String| line.contains(&format!("\"{name}\""));
            if !is_comment && names.iter().any(|name| named(&name)) {
                wrong.push(format!(
                    "{}:{}: {}",
                    path.display(),
                    number + 1,
                    line.trim()
                ));
            }
        }
    }
    assert!(
        wrong.is_empty(),
        "fates named by strings:\n{}",
        wrong.join("\n")
    );
}

#[test]
fn no_code_reads_the_words_written_for_people() {
    let reads = [
        ".split",
        ".strip_",
        ".starts_with",
        ".ends_with",
        ".parse",
        ".contains",
        " == \"",
    ];
    let mut wrong = Vec::new();
    for (path, code) in sources() {
        for (number, line) in code.lines().enumerate() {
            let about_detail = line.contains("detail.") || line.contains("detail)");
            if about_detail && reads.iter().any(|read| line.contains(read)) {
                wrong.push(format!(
                    "{}:{}: {}",
                    path.display(),
                    number + 1,
                    line.trim()
                ));
            }
        }
    }
    assert!(
        wrong.is_empty(),
        "words that are read:\n{}",
        wrong.join("\n")
    );
}

#[track_caller]
fn check_table((page, to_docs): (&str, &str), words: impl Fn(&JunkReason) -> &'static str) {
    let text = fs::read_to_string(root().join(page)).expect(page);
    let rows: Vec<String> = JunkReason::KNOWN
        .iter()
        .map(|reason| {
            // The words name pages as from the root of the repository.
            let words = words(reason).replace("](docs/", &format!("]({to_docs}"));
            format!("| `{reason}` | {words} |")
        })
        .collect();
    assert!(
        text.contains(&rows.join("\n")),
        "{page} should have these rows, in this order:\n{}",
        rows.join("\n")
    );
    for name in Refusal::NAMES {
        assert!(
            text.contains(&format!("`{name}`")),
            "{page} does not explain `{name}`"
        );
    }
}

#[test]
fn the_tables_of_reasons_say_what_the_enum_says() {
    check_table(("docs/handbook.md", ""), JunkReason::english);
    check_table(("docs/zh/handbook.md", "../"), JunkReason::chinese);
}
