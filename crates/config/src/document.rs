//! A configuration's text, read: its values, every mistake in it, and where each value stands.

use std::path::Path;

use crate::crawl_config::CrawlConfig;
use crate::key::Fault;
use crate::node;
use crate::problem::{ConfigProblem, Mistake, PROBLEMS_MAX};
use crate::reading::{Place, Reading};

/// A configuration's text and what it says.
pub struct Document {
    name: String,
    text: String,
    reading: Reading,
    /// What the text says; a value that cannot be read has its default.
    pub(crate) config: CrawlConfig,
}

impl Document {
    /// Reads a text; `name` is for messages.
    pub fn new(name: &str, text: &str) -> Self {
        let parsed = node::from_toml(text);
        let mut reading = Reading::default();
        let mut config = CrawlConfig::default();
        config.read(&parsed.root, &mut reading);
        let mut document = Self {
            name: name.into(),
            text: text.into(),
            reading,
            config,
        };
        document.check(parsed.sound_to < usize::MAX);
        let reading = &mut document.reading;
        reading.unreadable.retain(|one| one.at < parsed.sound_to);
        reading.refused.retain(|one| one.at < parsed.sound_to);
        reading.unreadable.extend(parsed.mistakes);
        document
    }

    /// Checks what was read. Of a section that was read in part only the keys themselves count.
    fn check(&mut self, is_torn: bool) {
        let mut faults = Vec::new();
        for (path, section) in self.config.present() {
            let own = section.key_faults(&path);
            if own.is_empty() && !is_torn && !self.reading.incomplete.contains(&path) {
                faults.extend(section.contradictions(&path));
            }
            faults.extend(own);
        }
        for fault in faults {
            let mistake = self.placed(&fault);
            self.reading.refused.push(mistake);
        }
    }

    /// A fault with its place: that of the first of its keys that the text sets.
    fn placed(&self, fault: &Fault) -> Mistake {
        let places = &self.reading.places;
        let place = fault.keys.iter().find_map(|key| places.get(key));
        let at = |place: &Place| match fault.entry.and_then(|entry| place.entries.get(entry)) {
            Some(entry) => entry.start,
            None => place.whole.start,
        };
        Mistake::new(
            place.map_or(0, at),
            fault.message.clone(),
            fault.mend.clone(),
        )
    }

    fn problem(&self, mistake: &Mistake) -> ConfigProblem {
        let opens = |quote: char| {
            let rest = &self.text[self.text.floor_char_boundary(mistake.at)..];
            let mut quotes = rest.chars().take(2);
            quotes.next() == Some(quote) && quotes.next().is_some_and(|next| next != quote)
        };
        // The caret stands under the first letter of a text, not under its quote.
        let at = mistake.at + usize::from(opens('"') || opens('\''));
        let (message, mend) = (mistake.message.clone(), mistake.mend.clone());
        ConfigProblem::at(&self.name, &self.text, at, message, mend)
    }

    /// What cannot be read, in the order of the text.
    pub(crate) fn unreadable(&self) -> Vec<ConfigProblem> {
        self.told(self.reading.unreadable.iter().collect())
    }

    /// The first mistakes in the text, in its order.
    pub(crate) fn problems(&self) -> Vec<ConfigProblem> {
        let Reading {
            unreadable,
            refused,
            ..
        } = &self.reading;
        self.told(unreadable.iter().chain(refused).collect())
    }

    /// The first of these mistakes, in the order of the text. Of all others nobody asks for the line, for which
    /// the text is counted from its beginning.
    fn told(&self, mut mistakes: Vec<&Mistake>) -> Vec<ConfigProblem> {
        mistakes.sort_by_key(|mistake| mistake.at);
        mistakes.dedup();
        let first = mistakes.into_iter().take(PROBLEMS_MAX);
        in_order(first.map(|one| self.problem(one)).collect())
    }

    /// What is wrong with the files that the configuration names; paths are relative to `base`.
    pub(crate) fn problems_of_files(&self, base: &Path) -> Vec<ConfigProblem> {
        let mut mistakes = Vec::new();
        let mut problems = Vec::new();
        for (path, section) in self.config.present() {
            let looked = section.look(&path, base);
            mistakes.extend(looked.faults.iter().map(|fault| self.placed(fault)));
            problems.extend(looked.problems);
        }
        let mut told = self.told(mistakes.iter().collect());
        told.extend(problems);
        told
    }

    /// The line, from 1, at which a key such as `crawl.max_pages` is set.
    pub fn line_of(&self, key: &str) -> Option<usize> {
        let place = self.reading.places.get(key)?;
        let before = self.text.get(..place.whole.start)?;
        Some(before.matches('\n').count() + 1)
    }
}

fn in_order(mut problems: Vec<ConfigProblem>) -> Vec<ConfigProblem> {
    problems.sort_by_key(|problem| (problem.line, problem.column));
    problems.dedup();
    problems
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::section::Shape;

    /// The lines of all problems.
    #[track_caller]
    fn lines(text: &str) -> Vec<usize> {
        let problems = Document::new("x.toml", text).problems();
        for problem in &problems {
            assert!(!problem.mend.is_empty(), "{problem}");
        }
        problems.iter().map(|problem| problem.line).collect()
    }

    #[track_caller]
    fn only(text: &str) -> ConfigProblem {
        let mut problems = Document::new("x.toml", text).problems();
        assert_eq!(problems.len(), 1, "{problems:#?}");
        problems.remove(0)
    }

    #[test]
    fn every_mistake_is_found_at_once() {
        let text = "[crawl]\nmax_pagse = 5\nconcurrency = 0\n\n[politeness]\ndelay = \"soon\"\n\
                    [scope]\nmode = \"hots\"\n[dedup]\nreach = 2\n[topic]\nthreshold = 1.5\n\
                    keywords = [\"a\"]\n[network]\nbandwidth = \"fast\"\n";
        assert_eq!(lines(text), [2, 3, 6, 8, 10, 12, 15]);
        assert_eq!(lines("[crawl]\nmax_pages = 5\n"), [0; 0]);
    }

    #[test]
    fn what_could_do_nothing_is_refused() {
        for (text, line) in [
            ("[limits]\nbytes_in_flight = \"0 B\"\n", 2),
            ("[host.\"a.example:443\"]\ndelay = \"1s\"\n", 1),
            ("[network]\nresolve = [\"a.example:0:192.0.2.1\"]\n", 2),
            ("[scope]\nhosts = [\"*.*.example\"]\n", 2),
            ("[url]\ndrop_params = [\"ref\", \"\"]\n", 2),
            ("[network]\nproxy = \"ftp://a.example\"\n", 2),
        ] {
            assert_eq!(lines(text), [line], "{text}");
        }
    }

    #[test]
    fn what_new_users_write_is_told_with_its_line_and_mend() {
        let told = |text: &str| {
            let problem = only(text);
            (problem.line, problem.message, problem.mend)
        };
        let (line, message, mend) = told("[dedup]\nk = 70\n");
        assert_eq!((line, message.as_str()), (2, "dedup.k is 70"));
        assert_eq!(mend, "choose 0 to 11");
        assert_eq!(told("[dedup]\nk = 700\n").2, "choose 0 to 11");
        assert_eq!(told("[dedup]\nk = 9\n").0, 2, "above the default reach");
        let (line, message, mend) = told("[crawl]\n\nmax_time = 3\n");
        assert_eq!((line, mend.contains("\"3s\"")), (3, true), "{message}");
        let (_, message, mend) = told("[topic]\nkeywords = \"word\"\n");
        assert!(message.contains("not a list"), "{message}");
        assert_eq!(mend, "write it as a list: [\"word\"]");
        assert_eq!(told("[agent]\ncontact = \"xx\"\n").0, 2);
        let (_, message, mend) = told("[crawl]\nthreads = 999999\n");
        assert_eq!(message, "crawl.threads is 999999");
        assert_eq!(mend, "choose 0 to 1024");
        let (_, message, mend) = told("[limits]\nbody = \"10\"\n");
        assert_eq!(message, "limits.body is 10 B");
        assert_eq!(mend, "choose at least 1 KB");
        let (line, _, mend) = told("[crawl]\n[host.\"https://a.example/\"]\ndelay = \"1s\"\n");
        assert_eq!(
            (line, mend.as_str()),
            (2, "write the host alone: \"a.example\"")
        );
        let (_, message, _) = told("[host.\"*.a.example\"]\ndelay = \"1s\"\n");
        assert!(message.contains("more than one host"), "{message}");
        let (_, _, mend) = told("max_pages = 5\n");
        assert_eq!(mend, "it belongs below [crawl]");
        let (_, _, mend) = told("[crawl]\ndelay = \"1s\"\n");
        assert_eq!(mend, "it belongs below [politeness]");
        let (_, _, mend) = told("[[host]]\ndelay = \"1s\"\n");
        assert!(
            mend.starts_with("write [host.\"NAME\"] on a line"),
            "{mend}"
        );
        let (_, _, mend) = told("[politeness]\ndelay = 1s\n");
        assert_eq!(mend, "write \"1s\", in quotes");
        let twice = "[crawl]\nthreads = 1\nthreads = 2\nmax_depth = -1\n";
        assert_eq!(lines(twice), [3, 4]);
        let (_, _, mend) = told("[scope]\nmode = host\n");
        assert_eq!(mend, "write \"host\", in quotes");
        let (_, _, mend) = told("[crawl]\nmax_time = “3s”\n");
        assert_eq!(mend, "these quotes are no plain ones: write \"3s\"");
        for (line, place, meant) in [
            (
                "[seeds]\nurls = [“http://a.test/”]",
                (2, 9),
                "these quotes are no plain ones: write \"http://a.test/\"",
            ),
            (
                "[crawl]\nmax_pages ＝ 5 # 五＝5",
                (2, 11),
                "write max_pages = 5 # 五＝5",
            ),
            (
                "[topic]\nkeywords = 【\"，\"，“b”】",
                (2, 12),
                "write keywords = [\"，\",\"b\"]",
            ),
        ] {
            let problem = only(line);
            assert_eq!((problem.line, problem.column), place, "{problem}");
            assert_eq!(problem.mend, meant);
        }
    }

    #[test]
    fn an_entry_of_a_list_is_pointed_at_wherever_it_stands() {
        let text = "[scope]\nexclude = [\n  'a',\n  '(',\n]\n";
        let problem = only(text);
        assert_eq!((problem.line, problem.column), (4, 4));
        assert_eq!(problem.text, "  '(',");
        let problem = only("topic = { keywords = [\"a\"], threshold = 7 }\n");
        assert_eq!((problem.line, problem.column), (1, 41));
    }

    #[test]
    fn of_many_mistakes_the_first_are_told_in_order() {
        let numbered = |line: fn(usize) -> String| (0..200).map(line).collect::<String>();
        let urls = numbered(|_| "\"a.example\",\n".to_owned());
        for (text, first) in [
            ("[crawl]\n".repeat(200), 2),
            ("[crawl]\nthreads = 1\n".repeat(100), 3),
            (numbered(|at| format!("key{at} = 1\n")), 1),
            (numbered(|at| format!("[crawl.key{at}]\n")), 1),
            (numbered(|at| format!("key{at} = a b\n")), 1),
        ] {
            let lines = lines(&text);
            assert!(lines.len() <= PROBLEMS_MAX, "{lines:?}");
            assert!(lines.is_sorted() && lines[0] == first, "{lines:?}");
        }
        let document = Document::new("x.toml", &format!("[seeds]\nurls = [\n{urls}]\n"));
        let problems = document.problems();
        assert_eq!(problems.len(), PROBLEMS_MAX);
        assert_eq!((problems[0].line, problems[49].line), (3, 52));
    }

    #[test]
    fn a_file_that_is_no_toml_is_told_once() {
        assert_eq!(lines("[crawl\nmax_pages = = 5\n]]]"), [1]);
        // What stands before the place is mistake, too; what stands behind it is its consequence.
        let text = "[crawl]\nmax_pagse = 1\n[scope]\nhosts = [\"a\"\nmode = \"hots\"\n";
        assert_eq!(lines(text)[0], 2);
        assert_eq!(lines(text).len(), 2);
    }

    #[test]
    fn an_unknown_section_or_a_long_value_hides_no_other_mistake() {
        let text = "[crawl]\nmax_pages = 0\nmax_detph = 3\n[topci]\nkeywords = [\n  [\"a\"],\n]\n\
                    threshold = 2\n[topci.more]\na = 1\n[seeds]\nfile = [\n  \"a\",\n]\nurls = [\n1\n]\n\
                    [scope]\nmode = \"hots\"\n";
        let problems = Document::new("x.toml", text).problems();
        assert_eq!(lines(text), [3, 4, 12, 16, 19]);
        assert_eq!(problems[1].message, "unknown key \"topci\"");
        assert!(
            problems[1].mend.contains("did you mean \"topic\"?"),
            "{problems:#?}"
        );
    }

    #[test]
    fn a_problem_is_placed_in_its_own_section() {
        let problem =
            only("[host.\"a.example\"]\nconnections = 1\n[scope]\n[network]\nproxy = \"::\"\n");
        assert_eq!(problem.line, 5, "{problem}");
        assert!(!problem.message.contains("::"), "a proxy is not shown");
    }

    #[test]
    fn entries_that_mean_nothing_or_everything_are_refused() {
        for (text, said) in [
            ("[scope]\nexclude = [\"\"]\n", "found in every URL"),
            ("[scope]\nhosts = [\"*\"]\n", "is no host"),
            ("[seeds]\nurls = [\" # none\"]\n", "no URL in it"),
        ] {
            let problem = only(text);
            assert!(problem.message.contains(said), "{problem}");
        }
    }

    #[test]
    fn values_that_do_not_go_together_are_found() {
        let message = |text: &str| only(text).message;
        assert!(message("[dedup]\nk = 5\nreach = 4\n").contains("below"));
        let fewer = Document::new("x.toml", "[dedup]\ntables = 16\n").problems();
        assert!(fewer.is_empty(), "{fewer:?}");
        assert!(message("[dedup]\ntables = 3\nreach = 9\n").contains("up to 8"));
        assert!(message("[dedup]\ntables = 10\nreach = 5\n").contains("up to 3"));
        assert!(message("[dedup]\ntables = 10\nk = 5\n").contains("dedup.k is 5"));
        let seldom = message("[again]\nmin = \"2d\"\nmax = \"1d\"\n");
        assert!(seldom.contains("again.max (1d) is below"), "{seldom}");
        let none = Document::new("x.toml", "[again]\nmax = \"1m\"\n").problems();
        assert_eq!(none, [], "only min as usual is longer");
        let little = message("[limits]\nmemory = \"20 MB\"\n");
        assert!(little.contains("less than program"), "{little}");
        let both = "[scope]\ninclude = [\"a\"]\nexclude = [\"a\"]\n";
        assert!(message(both).contains("nothing"));
        let topic = |line: &str| message(&format!("[topic]\n{line}\n"));
        assert!(topic("threshold = 0.4").contains("neither"));
        assert!(topic("keywords = [\"-stock index\"]").contains("neither"));
        assert!(topic("keywords = [\"railway^x\"]").contains("railway^x"));
        assert!(topic("keywords = [\"a\", \"\"]").contains("no word"));
        assert!(topic("keywords = [\"a\"]\nstop_harvest = 2").contains("stop_harvest is 2"));
    }

    #[test]
    fn the_line_of_a_key_is_known() {
        let text = "[crawl]\nmax_pages = 3\n[host.\"a.example\"]\n\ndelay = \"1s\"\n";
        let document = Document::new("x.toml", text);
        assert_eq!(document.line_of("crawl.max_pages"), Some(2));
        assert_eq!(document.line_of("host.a.example.delay"), Some(5));
        assert_eq!(document.line_of("crawl.threads"), None);
    }

    /// A text that sets one key, and the line where it stands.
    fn setting(section: &str, shape: Shape, key: &str, value: &str) -> String {
        match shape {
            Shape::Single | Shape::Optional => format!("[{section}]\n{key} = {value}\n"),
            Shape::Named => format!("[{section}.\"a.example\"]\n{key} = {value}\n"),
        }
    }

    #[test]
    fn a_value_of_another_kind_is_told_for_every_key_with_line_and_mend() {
        for (section, facts) in CrawlConfig::facts() {
            for key in &facts.keys {
                for value in ["2026-11-21", "{ a = 1 }", "-1", "[[1]]"] {
                    let text = setting(section, facts.shape, key.name, value);
                    if lines(&text).contains(&2) {
                        continue;
                    }
                    let takes_negative = value == "-1" && key.kind == "a number";
                    assert!(takes_negative && key.allowed == "any", "{text}");
                }
            }
        }
    }

    #[test]
    fn a_number_out_of_its_range_is_told_for_every_key() {
        let mut tried = 0;
        for (section, facts) in CrawlConfig::facts() {
            for key in &facts.keys {
                let bound = |name: &str| key.schema[name].as_f64();
                let is_whole = key.schema["type"] == "integer";
                let below = bound("minimum").map(|least| least - 1.0);
                let above = bound("maximum").map(|greatest| greatest + 1.0);
                for value in [below, above].into_iter().flatten() {
                    let value = match is_whole {
                        true => format!("{value:.0}"),
                        false => format!("{value:?}"),
                    };
                    let text = setting(section, facts.shape, key.name, &value);
                    assert!(lines(&text).contains(&2), "{text}");
                    tried += 1;
                }
            }
        }
        assert!(tried > 20, "{tried}");
    }
}
