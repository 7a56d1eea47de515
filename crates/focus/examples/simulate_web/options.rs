//! What is asked for on the command line.

use focus::{LinkModelConfig, StopConfig};

use crate::web::Task;

pub(crate) struct Options {
    pub(crate) pages: usize,
    pub(crate) out: Option<String>,
    /// Where the figures of all topics go, as JSON.
    pub(crate) json: Option<String>,
    /// Crawls at once.
    pub(crate) jobs: usize,
    pub(crate) topics: Option<Vec<String>>,
    pub(crate) examples: bool,
    /// Whether the examples are known before the crawl, as from files, and not read as it goes.
    pub(crate) examples_ahead: bool,
    pub(crate) links: LinkModelConfig,
    pub(crate) adapt: bool,
    pub(crate) seed: u64,
    pub(crate) lag: usize,
    /// The stop rule by what is left: see `StopConfig::left_min`.
    pub(crate) left_min: f32,
    pub(crate) verbose: bool,
    /// Dead links for each link.
    pub(crate) dead: f64,
}

impl Options {
    pub(crate) fn read(arguments: &[String]) -> Options {
        let flag = |name: &str| arguments.iter().any(|argument| argument == name);
        let value = |name: &str| {
            let at = arguments.iter().position(|argument| argument == name)?;
            arguments.get(at + 1).cloned()
        };
        let number = |name: &str, default: f64| {
            let given = value(name).and_then(|text| text.parse().ok());
            given.unwrap_or(default)
        };
        let usual = LinkModelConfig::default();
        let seed = number("--seed", 0.0) as u64;
        let adapt = !flag("--no-learning");
        Options {
            pages: number("--pages", 1000.0) as usize,
            out: value("--out"),
            json: value("--json"),
            jobs: number("--jobs", 1.0) as usize,
            topics: value("--topics").map(|list| list.split(',').map(str::to_owned).collect()),
            examples: !flag("--no-examples"),
            examples_ahead: flag("--examples-ahead"),
            links: LinkModelConfig {
                adapt,
                use_anchor: !flag("--no-anchor"),
                use_tag_path: !flag("--no-tag-path"),
                hub_worth: number("--hub", f64::from(usual.hub_worth)) as f32,
                exploration: number("--explore", f64::from(usual.exploration)) as f32,
                seed,
            },
            adapt,
            seed,
            lag: number("--lag", 4.0) as usize,
            left_min: number("--left", f64::from(StopConfig::default().left_min)) as f32,
            verbose: flag("--verbose"),
            dead: number("--dead", 0.0),
        }
    }

    pub(crate) fn wants(&self, task: &Task) -> bool {
        let topics = self.topics.as_ref();
        topics.is_none_or(|topics| topics.contains(&task.id))
    }
}
