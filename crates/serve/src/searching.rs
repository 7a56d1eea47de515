//! Full-text search, with filters that the index does not know.

use std::collections::{BTreeMap, HashMap};

use index::{Filters, Hint, IndexError, Searcher, Snippet};
use outcome::PageType;

use crate::answers::{Found, Hit, Page, Part, SearchAsked};
use crate::crawls::Served;
use crate::days::Days;
use crate::lists::{filled, most, page};
use crate::live::two_places;
use crate::shown::line;

/// Of so many best pages the facets are counted.
const BEST_MAX: usize = 300;

/// Hits of one answer.
const LIMIT: usize = 20;

/// Hits of one answer at most.
const LIMIT_MAX: usize = 100;

/// Characters of a query.
const QUERY_CHARS_MAX: usize = 500;

/// Why nothing was searched.
#[derive(Debug, thiserror::Error)]
pub(crate) enum NotSearched {
    /// A filter is none.
    #[error("{0}")]
    BadFilter(String),
    /// There is no index yet, or it cannot be read.
    #[error(transparent)]
    Index(#[from] IndexError),
}

/// Searches the kept pages of a crawl.
///
/// # Errors
/// When a filter is none, there is no index yet, or it cannot be read.
pub(crate) fn search(crawl: &Served, asked: &SearchAsked) -> Result<Found, NotSearched> {
    let days = Days::read(&asked.since, &asked.until).map_err(NotSearched::BadFilter)?;
    let page_type = known_type(&asked.page_type).map_err(NotSearched::BadFilter)?;
    let query: String = filled(&asked.q)
        .unwrap_or_default()
        .chars()
        .take(QUERY_CHARS_MAX)
        .collect();
    let filters = Filters {
        host: filled(&asked.host).map(str::to_owned),
        lang: filled(&asked.lang).map(str::to_owned),
    };
    let searcher = crawl.searcher()?;
    let found = searcher.find(&query, BEST_MAX, &filters)?;
    let mut hints = Searcher::query_problems(&query, &filters);
    if found.total == 0 || found.relaxed {
        hints.extend(searcher.explain_no_hits(&query, &filters)?);
    }
    hints.extend(searcher.misspelt(&query, &filters)?);
    let hits: Vec<Hit> = found.hits.iter().map(|hit| shown(crawl, hit)).collect();
    let facets = facets(&hits);
    let mut fitting: Vec<Hit> = hits
        .into_iter()
        .filter(|hit| fits(hit, page_type, &days))
        .collect();
    let count = fitting.len() as u64;
    let limit = asked.limit.unwrap_or(LIMIT).min(LIMIT_MAX);
    fitting.drain(..asked.offset.unwrap_or(0).min(fitting.len()));
    fitting.truncate(limit);
    Ok(Found {
        total: found.total,
        fitting: count,
        is_relaxed: found.relaxed,
        hints: hints.iter().map(in_words).collect(),
        hits: fitting,
        facets,
    })
}

fn fits(hit: &Hit, page_type: Option<&str>, days: &Days) -> bool {
    page_type.is_none_or(|wanted| hit.page.page_type == wanted) && days.hold(&hit.page.published)
}

/// The type of page that is asked for, if it is one.
fn known_type(asked: &Option<String>) -> Result<Option<&str>, String> {
    let Some(asked) = filled(asked) else {
        return Ok(None);
    };
    let known: Vec<&str> = PageType::KNOWN.iter().map(PageType::name).collect();
    match known.contains(&asked) {
        true => Ok(Some(asked)),
        false => Err(format!("type is one of {}", known.join(", "))),
    }
}

fn shown(crawl: &Served, hit: &index::Hit) -> Hit {
    let view = crawl.follower.view();
    let row = view.rows.page(hit.seq).or_else(|| view.rows.url(&hit.url));
    // The index may be ahead of the rows, or hold pages that have none.
    let page = match row {
        Some(row) => page(&view.rows, row),
        None => Page {
            page: hit.seq,
            url: hit.url.clone(),
            host: hit.host.clone(),
            title: line(&hit.title.text, 200),
            verdict: "kept".to_owned(),
            lang: hit.lang.clone(),
            published: hit.published.clone().unwrap_or_default(),
            fetched_at: report::words::instant(hit.fetched_at_ms),
            relevance: hit.relevance.map(two_places),
            ..Page::default()
        },
    };
    Hit {
        page,
        title: parts(&hit.title),
        snippet: parts(&hit.snippet),
        score: hit.score,
    }
}

/// A text with its matches, in parts.
fn parts(snippet: &Snippet) -> Vec<Part> {
    let mut parts = Vec::new();
    let mut add = |text: &str, is_match| {
        if !text.is_empty() {
            parts.push(Part {
                text: line(text, 400),
                is_match,
            });
        }
    };
    let mut at = 0;
    for highlight in snippet.highlights.iter().take(200) {
        add(&snippet.text[at..highlight.start], false);
        add(&snippet.text[highlight.clone()], true);
        at = highlight.end;
    }
    add(&snippet.text[at..], false);
    parts
}

fn facets(hits: &[Hit]) -> BTreeMap<String, Vec<crate::answers::Facet>> {
    let by = |of: fn(&Page) -> &str| {
        let mut counts: HashMap<&str, u64> = HashMap::new();
        for hit in hits {
            *counts.entry(of(&hit.page)).or_default() += 1;
        }
        let counts = counts.into_iter().filter(|(value, _)| !value.is_empty());
        most(counts.map(|(value, count)| (value.to_owned(), count)))
    };
    BTreeMap::from([
        ("host".to_owned(), by(|page| &page.host)),
        ("lang".to_owned(), by(|page| &page.lang)),
        ("type".to_owned(), by(|page| &page.page_type)),
        (
            "year".to_owned(),
            by(|page| page.published.get(..4).unwrap_or_default()),
        ),
    ])
}

fn in_words(hint: &Hint) -> String {
    match hint {
        Hint::Empty => {
            "the query is empty: give words, \"a phrase\", host:example.org or lang:zh".into()
        }
        Hint::Wordless => "the query has signs and no words".into(),
        Hint::OpenQuote => {
            "the quote is not closed: all after it is looked for as one phrase".into()
        }
        Hint::Operator(word) => {
            format!("{word} stands where it joins no two words: it is looked for as a word")
        }
        Hint::Region { typed, primary } => format!(
            "languages are known without their regions: of {}, all pages in {primary} are looked through",
            line(typed, 20)
        ),
        Hint::Word(word) => format!("no kept page has the word {}", line(word, 60)),
        Hint::Spelling { typed, meant } => format!(
            "few kept pages have the word {}; did you mean {}?",
            line(typed, 60),
            line(meant, 60)
        ),
        Hint::Language { wanted, known } => format!(
            "no kept page is in the language {}; there are: {}",
            line(wanted, 20),
            known.join(", ")
        ),
        Hint::Host { wanted, known: _ } => {
            format!("no kept page is on the host {}", line(wanted, 80))
        }
    }
}
