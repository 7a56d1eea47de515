//! What a configuration names: seed lists, seed URLs, example pages, hosts, languages. Each must
//! be there and readable, or the crawl would fail, or find nothing, much later.

use std::fs::File;
use std::io::Read;
use std::path::Path;

use frontier::{CanonicalUrl, SeedProblem, parse_seeds};
use segment::Language;

use crate::config::CrawlConfig;
use crate::config_file::{ConfigProblem, at_value, rebased};

/// Bytes of an example page that are looked at.
const HEAD_BYTES: u64 = 64 << 10;

/// Problems of the names in a configuration's text; relative paths are relative to `base`.
pub(crate) fn problems(
    name: &str,
    text: &str,
    base: &Path,
    config: &CrawlConfig,
) -> Vec<ConfigProblem> {
    let mut found = Found {
        source: (name, text),
        problems: Vec::new(),
    };
    for file in &config.seeds.files {
        found.seed_list(base, file);
    }
    for url in &config.seeds.urls {
        let (_, wrong) = parse_seeds(name, url.as_bytes());
        for problem in wrong {
            found.at("seeds.urls", url, problem.message, &problem.mend);
        }
    }
    for host in &config.scope.hosts {
        found.host("scope.hosts", host);
    }
    if let Some(topic) = &config.topic {
        for example in &topic.examples {
            found.example(base, "topic.examples", example);
        }
        for example in &topic.counter_examples {
            found.example(base, "topic.counter_examples", example);
        }
        for code in &topic.languages {
            found.language(code);
        }
    }
    found.problems
}

struct Found<'a> {
    source: (&'a str, &'a str),
    problems: Vec<ConfigProblem>,
}

impl Found<'_> {
    fn at(&mut self, key: &str, value: &str, message: String, mend: &str) {
        let problem = at_value(self.source, key, value, message, mend);
        self.problems.push(problem);
    }

    fn seed_list(&mut self, base: &Path, file: &str) {
        let path = rebased(base, file);
        match std::fs::read(&path) {
            Ok(bytes) => {
                let (_, wrong) = parse_seeds(&path, &bytes);
                self.problems.extend(wrong.into_iter().map(in_a_list));
            }
            Err(error) => {
                let message = format!("cannot read seed list {path}: {error}");
                self.at("seeds.files", file, message, RELATIVE);
            }
        }
    }

    fn example(&mut self, base: &Path, key: &str, example: &str) {
        if example.contains("://") {
            if let Err(error) = CanonicalUrl::parse(example) {
                let mend = "write an absolute http or https URL, or the path of a file";
                self.at(key, example, error.to_string(), mend);
            }
            return;
        }
        let path = rebased(base, example);
        let problem = match look(&path) {
            Ok(None) => return,
            Ok(Some(problem)) => problem,
            Err(error) => error.to_string(),
        };
        let message = format!("cannot read the example page {path}: {problem}");
        self.at(key, example, message, RELATIVE);
    }

    fn host(&mut self, key: &str, host: &str) {
        let bare = host.split_once("://").map_or(host, |(_, rest)| rest);
        let bare = bare.split('/').next().unwrap_or_default();
        if bare != host {
            let mend = format!("write the host alone: {bare:?}");
            self.at(key, host, format!("{host:?} is no host"), &mend);
        }
    }

    fn language(&mut self, code: &str) {
        let usual = Language::parse(code).filter(Language::is_known);
        let mend = match usual {
            Some(language) if code.eq_ignore_ascii_case(language.as_str()) => return,
            Some(language) => format!("write {:?}", language.as_str()),
            None => match code.to_ascii_lowercase().as_str() {
                "cn" | "chinese" => "did you mean \"zh\"?".to_owned(),
                "jp" | "japanese" => "did you mean \"ja\"?".to_owned(),
                "english" => "did you mean \"en\"?".to_owned(),
                _ => "write ISO 639 codes, such as \"en\" or \"zh\"".to_owned(),
            },
        };
        let message = format!("{code:?} is no language code that a page could have");
        self.at("topic.languages", code, message, &mend);
    }
}

/// What is wrong with an example page that is there.
fn look(path: &str) -> std::io::Result<Option<String>> {
    let file = File::open(path)?;
    if file.metadata()?.is_dir() {
        return Ok(Some("it is a directory".to_owned()));
    }
    let mut head = Vec::new();
    file.take(HEAD_BYTES).read_to_end(&mut head)?;
    let binary = fetcher::binary_type(&head);
    Ok(binary.map(|found| format!("it is no page and no text, but {found}")))
}

const RELATIVE: &str = "check the path; it is relative to the configuration's directory";

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

#[cfg(test)]
mod tests {
    use crate::config_file;

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
        let found = config_file::problems(&path);
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
            (16, 1),
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
