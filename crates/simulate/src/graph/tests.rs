use archive::{FetchRecord, LinkRecord, NeighbourRecord, PageSummary, SeedRecord, SitemapRecord};
use focus::{Focus, FocusConfig, TopicConfig};
use outcome::{JunkReason, LinkFate, Outcome, Verdict};
use proptest::prelude::*;

use super::*;

fn url(number: u64) -> String {
    format!("http://a.example/{number}")
}

fn link(to: u64, fate: LinkFate) -> LinkRecord {
    LinkRecord {
        url: url(to),
        anchor: "more".into(),
        fate,
        ..LinkRecord::default()
    }
}

/// A page that was read, with links to others.
fn page(number: u64, links: &[u64]) -> PageRecord {
    PageRecord {
        url: url(number),
        outcome: Outcome::Judged(Verdict::Index),
        fetch: Some(FetchRecord {
            status: 200,
            ..FetchRecord::default()
        }),
        page: Some(PageSummary {
            title: "A railway".into(),
            words: 3,
            ..PageSummary::default()
        }),
        links: links.iter().map(|&to| link(to, LinkFate::New)).collect(),
        ..PageRecord::default()
    }
}

fn copy(number: u64, of_record: u64) -> PageRecord {
    PageRecord {
        outcome: Outcome::Judged(Verdict::Junk(JunkReason::NearDuplicate)),
        nearest: Some(NeighbourRecord {
            page: of_record,
            decision: NeighbourDecision::Duplicate,
            ..NeighbourRecord::default()
        }),
        ..page(number, &[])
    }
}

fn seed(number: u64) -> Event {
    Event::Seed(SeedRecord {
        url: url(number),
        ..SeedRecord::default()
    })
}

fn event(page: PageRecord) -> Event {
    Event::Page(Box::new(page))
}

/// The graph of a journal with these events, numbered from 1; pages have a text.
fn graph(events: Vec<Event>, examples: &Examples) -> CrawlGraph {
    let config = FocusConfig {
        topic: TopicConfig {
            keywords: vec!["railway".into()],
            ..TopicConfig::default()
        },
        ..FocusConfig::default()
    };
    let focus = Focus::new(&config).unwrap();
    let records = (1..).zip(events).map(|(seq, event)| Record {
        seq,
        at_ms: seq,
        event,
    });
    let text =
        |page: &PageRecord| Some("a railway line".to_owned()).filter(|_| page.page.is_some());
    CrawlGraph::read(records, focus.topic(), examples, &text)
}

fn targets(graph: &CrawlGraph, at: usize) -> Vec<usize> {
    graph.pages[at].links.iter().map(|link| link.to).collect()
}

#[test]
fn links_lead_to_pages_and_the_others_are_counted() {
    let mut first = page(0, &[1, 2, 2, 7]);
    first.links.push(link(8, LinkFate::Scope));
    let events = vec![
        seed(0),
        event(first),
        event(page(1, &[0])),
        event(page(2, &[])),
    ];
    let graph = graph(events, &Examples::default());
    assert_eq!(graph.roots.seeds, [0]);
    assert_eq!(targets(&graph, 0), [1, 2, 2]);
    assert_eq!(targets(&graph, 1), [0]);
    // Of 7 and 8 the crawl may follow but one.
    assert_eq!((graph.not_archived, graph.without_text), (1, 0));
}

#[test]
fn copies_are_one_cluster_under_the_first() {
    let events = vec![
        event(page(0, &[])),
        event(copy(1, 1)),
        event(page(2, &[])),
        event(copy(3, 2)),
    ];
    assert_eq!(graph(events, &Examples::default()).clusters, [0, 0, 2, 0]);
}

#[test]
fn a_page_that_failed_first_counts_as_it_was_read_at_last() {
    let failed = PageRecord {
        outcome: Outcome::Failed(outcome::FailureKind::Timeout),
        page: None,
        ..page(0, &[])
    };
    let events = vec![event(failed), event(page(1, &[0])), event(page(0, &[1]))];
    let graph = graph(events, &Examples::default());
    assert_eq!(graph.pages.len(), 2);
    assert!(graph.pages[0].terms.is_some());
    assert_eq!((targets(&graph, 0), targets(&graph, 1)), (vec![1], vec![0]));
}

#[test]
fn examples_come_first_and_one_that_is_no_page_is_told() {
    let mut examples = Examples::default();
    for number in [2, 3, 4] {
        examples.add(&url(number), true);
    }
    let gone = PageRecord {
        fetch: Some(FetchRecord {
            status: 404,
            ..FetchRecord::default()
        }),
        ..page(3, &[])
    };
    let sitemap = Event::Sitemap(SitemapRecord {
        urls: vec![url(1), url(9)],
        ..SitemapRecord::default()
    });
    let events = vec![
        seed(0),
        sitemap,
        event(page(0, &[])),
        event(page(1, &[])),
        event(page(2, &[])),
        event(gone),
    ];
    let graph = graph(events, &examples);
    assert_eq!(
        (&graph.roots.seeds[..], &graph.roots.listed[..]),
        (&[2, 3, 0][..], &[1][..])
    );
    assert!(graph.pages[2].example.is_some() && graph.pages[3].example.is_none());
    let lost: Vec<&str> = graph
        .examples_lost
        .iter()
        .map(|lost| lost.url.as_str())
        .collect();
    assert_eq!(lost, [url(3), url(4)]);
    assert!(graph.examples_lost[0].why.contains("404"));
}

proptest! {
    /// Whatever a journal says, places are places of pages, and a page's cluster begins with a page
    /// that is no later than it.
    #[test]
    fn places_are_places_of_pages(
        pages in prop::collection::vec((0u64..12, prop::collection::vec(0u64..15, 0..4), 0u64..20), 0..20),
    ) {
        let events = pages.into_iter().map(|(number, links, copied)| {
            let record = PageRecord { links: page(number, &links).links, ..copy(number, copied) };
            event(record)
        });
        let graph = graph(events.collect(), &Examples::default());
        prop_assert_eq!(graph.pages.len(), graph.clusters.len());
        for (at, page) in graph.pages.iter().enumerate() {
            prop_assert!(graph.clusters[at] <= at);
            prop_assert_eq!(graph.clusters[graph.clusters[at]], graph.clusters[at]);
            prop_assert!(page.links.iter().all(|link| link.to < graph.pages.len()));
        }
    }
}
