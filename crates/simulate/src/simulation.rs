//! Strategies side by side over one crawl.

use focus::simulate::{Strategy, prequential_relevance, simulate};
use focus::{FocusConfig, TopicError};

use crate::curve::{Curve, Found, Measure};
use crate::graph::CrawlGraph;

/// What strategies found among the pages of a crawl.
#[derive(Debug, Clone)]
pub struct Simulation {
    /// Pages of the crawl.
    pub pages: usize,
    /// What there is to find.
    pub all: Found,
    /// What each strategy found, in the order asked for.
    pub curves: Vec<Curve>,
    /// What one would find that knows all beforehand.
    pub oracle: Curve,
}

impl Simulation {
    /// Lets each strategy fetch at most `pages_max` pages.
    ///
    /// # Errors
    /// When the topic cannot be used.
    pub fn run(
        graph: &CrawlGraph,
        config: &FocusConfig,
        strategies: &[Strategy],
        pages_max: usize,
    ) -> Result<Simulation, TopicError> {
        let (pages, roots) = (&graph.pages, &graph.roots);
        let relevance = prequential_relevance(config, pages, roots)?;
        let measure = Measure::new(&graph.clusters, &relevance, config.topic.threshold);
        let curve = |strategy: Strategy| {
            let order = simulate(strategy, config, pages, roots, &relevance, pages_max)?;
            Ok(measure.curve(name(strategy), &order))
        };
        let curves = strategies.iter().map(|&strategy| curve(strategy));
        Ok(Simulation {
            pages: pages.len(),
            all: measure.all(),
            curves: curves.collect::<Result<_, TopicError>>()?,
            oracle: curve(Strategy::Oracle)?,
        })
    }
}

/// The name of a strategy in answers.
pub fn name(strategy: Strategy) -> &'static str {
    match strategy {
        Strategy::BreadthFirst => "bfs",
        Strategy::BestFirst => "best-first",
        Strategy::Tamis => "tamis",
        Strategy::Oracle => "oracle",
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use focus::simulate::{Roots, SimulatedLink, SimulatedPage};
    use focus::{Focus, PageFate, PageView, TopicConfig};
    use url::Url;

    use super::*;

    fn config() -> FocusConfig {
        FocusConfig {
            topic: TopicConfig {
                keywords: vec!["railway".into()],
                ..TopicConfig::default()
            },
            ..FocusConfig::default()
        }
    }

    /// A first page that links to forty others, of which every fourth is about railways.
    fn graph() -> CrawlGraph {
        let focus = Focus::new(&config()).unwrap();
        let page = |at: usize| {
            let is_wanted = at % 4 == 3;
            let url = Url::parse(&format!("http://a.example/{at}")).unwrap();
            let text = match is_wanted {
                true => "steam locomotive track station signal railway line and train",
                false => "flour sugar butter oven recipe dough yeast bread and the cook",
            };
            let anchor: Arc<str> = "more".into();
            let link = |to| SimulatedLink {
                to,
                anchor: Arc::clone(&anchor),
            };
            SimulatedPage {
                terms: Some(focus.topic().read(&PageView {
                    title: if is_wanted { "railway" } else { "bread" },
                    words: &segment::Segmenter::shared().words(text),
                    url: &url,
                    lang: None,
                    links: &[],
                    labels: &[],
                    listing: false,
                })),
                url,
                fate: PageFate::New,
                links: if at == 0 {
                    (1..41).map(link).collect()
                } else {
                    Vec::new()
                },
                example: None,
            }
        };
        CrawlGraph {
            pages: (0..41).map(page).collect(),
            roots: Roots {
                seeds: vec![0],
                listed: Vec::new(),
            },
            clusters: (0..41).collect(),
            ..CrawlGraph::default()
        }
    }

    #[test]
    fn no_strategy_is_better_than_the_oracle_and_all_find_all_in_the_end() {
        let strategies = [Strategy::BreadthFirst, Strategy::BestFirst, Strategy::Tamis];
        let run = Simulation::run(&graph(), &config(), &strategies, usize::MAX).unwrap();
        assert_eq!((run.pages, run.all.relevant), (41, 10));
        for curve in &run.curves {
            assert_eq!(curve.found.last().copied(), Some(run.all));
            assert!(curve.of_oracle(&run.oracle) <= 1.0, "{}", curve.name);
        }
        let names: Vec<&str> = run.curves.iter().map(|curve| curve.name).collect();
        assert_eq!(names, ["bfs", "best-first", "tamis"]);
    }

    #[test]
    fn no_more_pages_are_fetched_than_asked_for() {
        let run = Simulation::run(&graph(), &config(), &[Strategy::Tamis], 7).unwrap();
        assert_eq!((run.curves[0].found.len(), run.oracle.found.len()), (7, 7));
    }
}
