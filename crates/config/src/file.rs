//! Reading a configuration file, and telling where it is wrong.
//!
//! Every problem names the file, the line and the column, shows the line, says what is allowed
//! and, for a misspelt key, what was probably meant.

use std::path::Path;

use crate::crawl_config::CrawlConfig;
use crate::document::Document;
use crate::problem::{ConfigProblem, PROBLEMS_MAX};

/// Largest configuration file that is read.
const CONFIG_BYTES_MAX: u64 = 4 << 20;

/// Reads and checks a configuration file. Relative paths in it are made relative to the working
/// directory.
///
/// # Errors
/// The first problem found.
pub fn read(path: &Path) -> Result<CrawlConfig, ConfigProblem> {
    checked(&open(path)?, path)
}

/// The same of a file that was read.
///
/// # Errors
/// As [`read`].
pub fn checked(document: &Document, path: &Path) -> Result<CrawlConfig, ConfigProblem> {
    match document.problems().into_iter().next() {
        Some(problem) => Err(problem),
        None => Ok(rebased(document.config.clone(), path)),
    }
}

/// Reads the configuration that a crawl's directory keeps. A value that was allowed when the crawl
/// began and is not any more is no reason not to look at the crawl: it is told when the crawl is
/// started again, by [`check_flags`].
///
/// # Errors
/// The first thing that cannot be read.
pub fn kept(path: &Path) -> Result<CrawlConfig, ConfigProblem> {
    let document = open(path)?;
    match document.unreadable().into_iter().next() {
        Some(problem) => Err(problem),
        None => Ok(rebased(document.config, path)),
    }
}

/// Reads and checks a configuration file and the files that it names. Relative paths in it are
/// made relative to the working directory.
///
/// # Errors
/// Every problem, those of the file itself first.
pub fn read_all(path: &Path) -> Result<CrawlConfig, Vec<ConfigProblem>> {
    check(open(path).map_err(|problem| vec![problem])?, path)
}

/// The same of a file that was read.
///
/// # Errors
/// As [`read_all`].
pub fn check(document: Document, path: &Path) -> Result<CrawlConfig, Vec<ConfigProblem>> {
    let mut found = document.problems();
    let name = path.display().to_string();
    found.extend(document.problems_of_files(directory(path)));
    found.sort_by(|a, b| {
        let key = |problem: &ConfigProblem| (problem.file != name, problem.line, problem.column);
        key(a).cmp(&key(b))
    });
    found.truncate(PROBLEMS_MAX);
    match found.is_empty() {
        true => Ok(rebased(document.config, path)),
        false => Err(found),
    }
}

/// Reads a file as far as possible, to ask where its values stand.
///
/// # Errors
/// When there is no such file, or it is no text.
pub fn open(path: &Path) -> Result<Document, ConfigProblem> {
    let cannot = |error: std::io::Error| {
        let message = format!("cannot read the configuration: {error}");
        ConfigProblem::of_file(&path.display().to_string(), message, "check the path")
    };
    let file = std::fs::metadata(path).map_err(cannot)?;
    if file.is_dir() || file.len() > CONFIG_BYTES_MAX {
        return Err(no_configuration(path));
    }
    open_bytes(path, std::fs::read(path).map_err(cannot)?)
}

/// The same of a file's bytes.
///
/// # Errors
/// When they are no text, or too many for a configuration.
pub fn open_bytes(path: &Path, bytes: Vec<u8>) -> Result<Document, ConfigProblem> {
    let name = path.display().to_string();
    if bytes.len() as u64 > CONFIG_BYTES_MAX {
        return Err(no_configuration(path));
    }
    let text = String::from_utf8(bytes).map_err(|_| {
        let message = "cannot read the configuration: it is no UTF-8".to_owned();
        ConfigProblem::of_file(&name, message, "save it as UTF-8 text")
    })?;
    let text = text.strip_prefix('\u{feff}').unwrap_or(&text);
    Ok(Document::new(&name, text))
}

/// Parses and checks a configuration's text; `name` is for messages.
///
/// # Errors
/// The first problem found.
pub fn parse(name: &str, text: &str) -> Result<CrawlConfig, ConfigProblem> {
    let document = Document::new(name, text);
    match document.problems().into_iter().next() {
        Some(problem) => Err(problem),
        None => Ok(document.config),
    }
}

/// Checks a configuration that flags have changed.
///
/// # Errors
/// What is wrong and what to do.
pub fn check_flags(config: &CrawlConfig) -> Result<(), String> {
    match config.faults().into_iter().next() {
        Some(fault) => Err(format!("{}: {}", fault.message, fault.mend)),
        None => Ok(()),
    }
}

fn no_configuration(path: &Path) -> ConfigProblem {
    ConfigProblem::of_file(
        &path.display().to_string(),
        "is no configuration file".into(),
        "name a TOML file, such as those in config/",
    )
}

fn directory(path: &Path) -> &Path {
    path.parent().unwrap_or(Path::new(""))
}

/// The configuration with its relative paths made relative to its file's directory.
fn rebased(mut config: CrawlConfig, path: &Path) -> CrawlConfig {
    for section in config.present_mut() {
        for path_in_it in section.paths() {
            // Joining leaves an absolute path alone.
            *path_in_it = directory(path).join(&*path_in_it).display().to_string();
        }
    }
    config
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn problem(text: &str) -> ConfigProblem {
        parse("x.toml", text).expect_err("is wrong")
    }

    #[test]
    fn an_empty_configuration_is_all_defaults() {
        assert_eq!(parse("x.toml", ""), Ok(CrawlConfig::default()));
    }

    #[test]
    fn a_misspelt_key_is_placed_and_a_near_one_is_suggested() {
        let found = problem("[crawl]\nmax_pages = 5\nconcurency = 3\n");
        assert_eq!((found.line, found.column), (3, 1));
        assert_eq!(found.message, "unknown key \"concurency\"");
        assert!(
            found.mend.starts_with("did you mean \"concurrency\"?"),
            "{}",
            found.mend
        );
        assert!(found.to_string().contains("x.toml:3:1: "), "{found}");
    }

    #[test]
    fn a_misspelt_value_lists_what_is_allowed() {
        let found = problem("[scope]\nmode = \"hosts\"\n");
        assert_eq!((found.line, found.column), (2, 9));
        assert!(
            found.mend.contains("did you mean \"host\"?") && found.mend.contains("domain"),
            "{found}"
        );
    }

    #[test]
    fn a_number_that_its_key_cannot_hold_says_what_to_write() {
        for (text, mend) in [
            (
                "[crawl]\nmax_pages = 1e3\n",
                "write 1000, without an exponent or a fraction",
            ),
            ("[crawl]\nmax_pages = 2.5\n", "such as 5"),
            ("[crawl]\nmax_pages = -1e3\n", "such as 5"),
            (
                "[again]\nbudget = -5\n",
                "choose a number that is not negative",
            ),
            (
                "[again]\nbudget = 99999999999999999999\n",
                "choose a smaller number",
            ),
        ] {
            let found = problem(text);
            assert!(found.mend.contains(mend), "{text}: {found}");
        }
    }

    #[test]
    fn a_bad_duration_says_how_to_write_one() {
        let found = problem("[politeness]\ndelay = \"1 fortnight\"\n");
        assert_eq!(found.line, 2);
        assert!(found.mend.contains("250ms"), "{found}");
    }

    #[test]
    fn flags_are_checked_as_a_file_is() {
        let mut config = CrawlConfig::default();
        assert_eq!(check_flags(&config), Ok(()));
        config.crawl.concurrency = 0;
        let said = check_flags(&config).expect_err("is wrong");
        assert_eq!(said, "crawl.concurrency is 0: choose 1 to 4096");
    }

    #[test]
    fn several_keywords_in_one_text_are_told_and_a_crawl_that_has_such_goes_on() {
        let dir = tempfile::tempdir().expect("a directory");
        let path = dir.path().join("crawl.toml");
        let text = "[topic]\nkeywords = [\"索引\", \"死锁，事务\"]\n";
        std::fs::write(&path, text).expect("written");
        let told = read_all(&path).expect_err("is wrong");
        assert_eq!(told.len(), 1, "{told:?}");
        assert_eq!((told[0].line, told[0].column), (2, 20));
        assert!(told[0].mend.contains("quotes of its own"), "{}", told[0]);
        let config = kept(&path).expect("is read");
        assert_eq!(check_flags(&config), Ok(()));
    }

    #[test]
    fn a_crawl_that_began_under_other_rules_can_be_looked_at() {
        let dir = tempfile::tempdir().expect("a directory");
        let path = dir.path().join("crawl.toml");
        let text = "[agent]\ncontact = \"xx\"\n[crawl]\nthreads = 999999\n";
        std::fs::write(&path, text).expect("written");
        assert!(read(&path).is_err());
        let config = kept(&path).expect("is read");
        assert_eq!(config.crawl.threads, 999_999);
        assert!(check_flags(&config).is_err());
        std::fs::write(&path, "[crawl]\nthreads = \"many\"\n").expect("written");
        assert_eq!(kept(&path).expect_err("cannot be read").line, 2);
    }

    #[test]
    fn paths_are_relative_to_the_file_that_names_them() {
        let dir = tempfile::tempdir().expect("a directory");
        let path = dir.path().join("c.toml");
        let text = "[seeds]\nfiles = [\"s.txt\", \"/abs.txt\"]\n[topic]\n\
                    examples = [\"e.html\", \"https://a.example/\"]\n";
        std::fs::write(&path, text).expect("written");
        let config = read(&path).expect("is read");
        let inside = |name: &str| dir.path().join(name).display().to_string();
        assert_eq!(config.seeds.files, [inside("s.txt"), "/abs.txt".into()]);
        let examples = config.topic.expect("a topic").examples;
        assert_eq!(examples, [inside("e.html"), "https://a.example/".into()]);
    }

    #[test]
    fn what_a_configuration_names_is_looked_at_and_placed() {
        let dir = tempfile::tempdir().expect("a directory");
        let seeds = "https://a.example/\nhttps://b.example/ depht=3\n";
        std::fs::write(dir.path().join("seeds.txt"), seeds).expect("written");
        std::fs::write(dir.path().join("page.html"), "x").expect("written");
        std::fs::write(dir.path().join("logo.png"), b"\x89PNG\r\n\x1a\n\0").expect("written");
        let text = "[seeds]\nfiles = [\"seeds.txt\", \"gone.txt\"]\nurls = [\"a.example\"]\n\n\
            [scope]\nhosts = [\"https://c.example/\"]\n[topic]\nkeywords = [\"x\"]\n\
            examples = [\n  \"page.html\",\n  \"lost.html\",\n  \"ftp://a.example/\",\n  \"logo.png\"]\n\
            languages = [\"en\", \"zh-CN\", \"chinese\", \"xx\"]\n[crawl]\nconcurrency = 0\n";
        let path = dir.path().join("c.toml");
        std::fs::write(&path, text).expect("written");
        let found = read_all(&path).expect_err("is wrong");
        let told: Vec<(usize, usize)> = found.iter().map(|p| (p.line, p.column)).collect();
        let of_config = [
            (2, 24),
            (3, 10),
            (6, 11),
            (11, 4),
            (12, 4),
            (13, 4),
            (14, 21),
            (14, 30),
            (14, 41),
            (16, 15),
        ];
        assert_eq!(told[..10], of_config, "{found:#?}");
        assert_eq!(told[10..], [(2, 20)], "of the seed list: {found:#?}");
        assert!(found[10].file.ends_with("seeds.txt"));
        assert!(found[10].mend.contains("depth"), "{}", found[10]);
        assert!(found[0].message.contains("gone.txt"), "{}", found[0]);
        assert!(found[5].message.contains("image/png"), "{}", found[5]);
        assert_eq!(found[6].mend, "write \"zh\"");
    }
}
