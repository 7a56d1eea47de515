//! README and handbook, in both languages, show what this version understands.

use std::collections::BTreeSet;
use std::ffi::OsString;

use clap::{CommandFactory, Parser};

use crate::args::Cli;

const READMES: [(&str, &str); 2] = [
    ("README.md", include_str!("../../../README.md")),
    ("README.zh-CN.md", include_str!("../../../README.zh-CN.md")),
];

const HANDBOOKS: [(&str, &str); 2] = [
    (
        "docs/handbook.md",
        include_str!("../../../docs/handbook.md"),
    ),
    (
        "docs/zh/handbook.md",
        include_str!("../../../docs/zh/handbook.md"),
    ),
];

/// The fenced blocks of a language.
fn blocks(text: &'static str, language: &str) -> Vec<&'static str> {
    let fence = format!("```{language}\n");
    let parts = text.split(fence.as_str()).skip(1);
    parts
        .map(|rest| rest.split("```").next().unwrap_or_default())
        .collect()
}

/// A line's words as a shell cuts them: quotes, comments, redirections and pipes.
pub(crate) fn words(line: &str) -> Vec<String> {
    let (mut words, mut word, mut quote) = (Vec::new(), None::<String>, None);
    for c in line.chars() {
        match (quote, c) {
            (Some(open), c) if c == open => quote = None,
            (None, '\'' | '"') => {
                quote = Some(c);
                word.get_or_insert_default();
            }
            (None, '#') if word.is_none() => break,
            (None, c) if c.is_whitespace() => words.extend(word.take()),
            (_, c) => word.get_or_insert_default().push(c),
        }
    }
    words.extend(word);
    words
}

/// The `tamis` commands of the shell blocks and of the code in the text.
fn commands(text: &'static str) -> Vec<Vec<String>> {
    let in_blocks = blocks(text, "sh").into_iter().flat_map(str::lines);
    let in_text = text.split('`').filter(|code| code.starts_with("tamis "));
    let lines = in_blocks.chain(in_text);
    let commands = lines.filter_map(|line| {
        let words = words(line);
        let begin = words.iter().position(|word| word == "tamis")?;
        let command = words[begin..].iter();
        let ends = |word: &&String| !matches!(word.as_str(), ">" | "|" | "&&");
        Some(command.take_while(ends).cloned().collect())
    });
    commands.collect()
}

#[test]
fn every_command_in_readmes_and_handbooks_is_understood() {
    let least = [(READMES, 5), (HANDBOOKS, 30)];
    let pages = least
        .into_iter()
        .flat_map(|(pages, least)| pages.map(|(file, text)| (file, text, least)));
    for (file, text, least) in pages {
        let commands = commands(text);
        assert!(commands.len() > least, "{file}: {}", commands.len());
        for command in commands {
            let asks_for_words = command.len() == 2 || command[1..] == ["crawl", "--dir"];
            if let Err(error) = Cli::try_parse_from(&command)
                && !asks_for_words
            {
                panic!("{file}: {command:?}: {error}");
            }
            let names = Cli::command();
            assert!(
                names.find_subcommand(&command[1]).is_some(),
                "{file}: {command:?}"
            );
        }
    }
}

/// All pages below `docs`, with their texts.
fn pages() -> Vec<(std::path::PathBuf, &'static str)> {
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs");
    let (mut folders, mut found) = (vec![root], Vec::new());
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).expect("a folder") {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|ending| ending == "md") {
                let text = std::fs::read_to_string(&path).expect("UTF-8");
                found.push((path, &*text.leak()));
            }
        }
    }
    found
}

#[test]
fn every_command_and_configuration_in_the_docs_is_understood() {
    let pages = pages();
    assert!(pages.len() > 25, "{}", pages.len());
    let mut wrong = Vec::new();
    for (path, text) in pages {
        let shown = path.display();
        for command in commands(text) {
            // A command that is named in a sentence may lack its arguments, or stand for many.
            let is_pattern =
                |word: &String| matches!(word.as_str(), "NAME" | "…") || word.starts_with('[');
            let ends_open = command.last().is_some_and(|word| word.starts_with("--"));
            let is_named = |kind| {
                kind == clap::error::ErrorKind::MissingRequiredArgument
                    || kind == clap::error::ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand
                    || command.iter().any(is_pattern)
                    || ends_open
            };
            let typed = command.iter().map(OsString::from);
            let typed = crate::args::with_excluded_words(typed);
            if let Err(error) = Cli::try_parse_from(typed)
                && !is_named(error.kind())
            {
                wrong.push(format!("{shown}: {command:?}: {error}"));
            }
        }
        let is_howto = path.components().any(|part| part.as_os_str() == "howto");
        let is_tutorial = path.file_name().is_some_and(|name| name == "tutorial.md");
        for config in blocks(text, "toml")
            .iter()
            .filter(|_| is_howto || is_tutorial)
        {
            if let Err(problem) = pipeline::config_file::parse(&shown.to_string(), config) {
                wrong.push(problem.to_string());
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn every_link_in_the_docs_leads_to_a_file_and_every_page_stands_in_the_book() {
    let pages = pages();
    let (summary, _) = pages
        .iter()
        .find(|(path, _)| path.ends_with("SUMMARY.md"))
        .expect("the book's contents");
    let mut listed = BTreeSet::new();
    for (path, text) in &pages {
        // What stands in code is no link.
        let prose: String = text.split("```").step_by(2).collect();
        for target in prose.split("](").skip(1) {
            let target = target.split(')').next().unwrap_or_default();
            let file = target.split('#').next().unwrap_or_default();
            if target.contains("://") || file.is_empty() {
                continue;
            }
            let to = path.parent().expect("a folder").join(file);
            let to = to.canonicalize();
            let to = to.unwrap_or_else(|_| panic!("{}: {target}", path.display()));
            if path == summary {
                listed.insert(to);
            }
        }
    }
    let whole = |path: &std::path::PathBuf| path.canonicalize().expect("a file");
    let left_out: Vec<_> = pages.iter().map(|(path, _)| whole(path)).collect();
    let left_out: Vec<_> = left_out
        .iter()
        .filter(|path| !listed.contains(*path) && !path.ends_with("SUMMARY.md"))
        .filter(|path| !path.to_string_lossy().contains("-sample"))
        .collect();
    assert!(left_out.is_empty(), "SUMMARY.md lacks {left_out:?}");
}

#[test]
fn both_languages_show_the_same_commands() {
    let shown = |text: &'static str| -> BTreeSet<String> {
        let blocks = blocks(text, "sh").into_iter();
        let lines = blocks
            .flat_map(str::lines)
            .map(|line| words(line).join(" "));
        lines.filter(|line| !line.is_empty()).collect()
    };
    for pages in [READMES, HANDBOOKS] {
        assert_eq!(shown(pages[0].1), shown(pages[1].1));
    }
}

#[test]
fn every_configuration_and_seed_list_in_readmes_and_handbooks_is_in_order() {
    for (file, text) in READMES.into_iter().chain(HANDBOOKS) {
        let configs = blocks(text, "toml");
        assert!(!configs.is_empty(), "{file}");
        for config in configs {
            if let Err(problem) = pipeline::config_file::parse(file, config) {
                panic!("{problem}");
            }
        }
    }
    for (file, text) in HANDBOOKS {
        let lists = blocks(text, "text");
        let seeds = lists.iter().find(|block| block.contains("scope=prefix"));
        let (seeds, problems) = frontier::parse_seeds(file, seeds.expect(file).as_bytes());
        assert_eq!(
            (seeds.len(), problems.len()),
            (3, 0),
            "{file}: {problems:?}"
        );
    }
}

#[test]
fn figures_that_follow_from_the_code_agree_with_it() {
    let defaults = pipeline::CrawlConfig::default();
    let hosts = testweb::demo::demo().hosts().len();
    let rust = env!("CARGO_PKG_RUST_VERSION");
    let wanted = [
        (
            format!("It serves {hosts} small hosts"),
            format!("{hosts} 个小站点"),
        ),
        (
            format!("fewer than {} words", defaults.keep.words_min),
            format!("不足 {} 个词", defaults.keep.words_min),
        ),
        (
            format!("the default reach is {}", defaults.dedup.reach),
            format!("默认的 reach 是 {}", defaults.dedup.reach),
        ),
        (
            format!(
                "({} by default",
                pipeline::config::TopicSection::default().stop_harvest
            ),
            format!(
                "（默认 {}",
                pipeline::config::TopicSection::default().stop_harvest
            ),
        ),
    ];
    for (english, chinese) in wanted {
        assert!(HANDBOOKS[0].1.contains(&english), "{english}");
        assert!(HANDBOOKS[1].1.contains(&chinese), "{chinese}");
    }
    assert!(READMES[0].1.contains(&format!("({rust} or newer)")));
    assert!(READMES[1].1.contains(&format!("（{rust} 或更新）")));
    for (file, text) in HANDBOOKS {
        for what in report::What::names() {
            assert!(text.contains(&format!("| `{what}` |")), "{file}: {what}");
        }
    }
}

#[test]
fn measured_figures_are_the_same_in_both_languages() {
    let figures = |text: &'static str, heading: &str| -> Vec<String> {
        let section = text.split(heading).nth(1).expect(heading);
        let table = section
            .split("\n\n")
            .find(|part| part.trim_start().starts_with('|'));
        let is_number = |c: char| c.is_ascii_digit() || matches!(c, '.' | ',' | '/');
        let rows = table.expect(heading).trim().lines();
        let cells = rows.filter_map(|row| row.rsplit('|').nth(1));
        let parts = cells.flat_map(|cell| cell.split(|c| !is_number(c)));
        let found = parts.map(|part| part.trim_matches([',', '.', '/']).to_string());
        found
            .filter(|part| part.contains(|c: char| c.is_ascii_digit()))
            .collect()
    };
    let english = figures(HANDBOOKS[0].1, "\n## Figures measured here\n");
    let heading = "\n## 实测数据\n";
    assert!(english.len() > 6, "{english:?}");
    assert_eq!(english, figures(HANDBOOKS[1].1, heading));
}
