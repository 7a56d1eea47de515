//! Full-text search, with filters that the index does not know.

use std::collections::{BTreeMap, HashMap};

use archive::Position;
use index::{Filters, Hint, IndexError, Searcher, Snippet};
use outcome::PageType;
use report::words::plural;

use crate::answers::{Found, Hit, Page, Part, SearchAsked};
use crate::crawls::Served;
use crate::days::Days;
use crate::follow::View;
use crate::lists::{filled, most, page};
use crate::live::two_places;
use crate::shown::line;

/// Of so many best pages the facets are counted.
const BEST_MAX: usize = 300;

/// Hits of one answer.
const LIMIT: usize = 20;

/// Hits of one answer at most.
const LIMIT_MAX: usize = 100;

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
    let query = filled(&asked.q).unwrap_or_default();
    let filters = Filters {
        host: filled(&asked.host).map(str::to_owned),
        lang: filled(&asked.lang).map(str::to_owned),
    };
    let searcher = crawl.searcher()?;
    let found = searcher.find(query, BEST_MAX, &filters)?;
    let lacking = lacking(&crawl.follower.view(), &searcher);
    let mut hints = Vec::new();
    if lacking > 0 {
        hints.push(when_searchable(lacking, crawl.is_running()));
    }
    let problems = Searcher::query_problems(query, &filters);
    hints.extend(problems.iter().map(in_words));
    // Of an index that is empty nothing is found or not found.
    if (found.total == 0 || found.relaxed) && searcher.doc_count() > 0 {
        let why = searcher.explain_no_hits(query, &filters)?;
        hints.extend(
            why.iter()
                .map(|hint| as_far_as_known(in_words(hint), lacking)),
        );
    }
    let spellings = searcher.misspelt(query, &filters)?;
    hints.extend(spellings.iter().map(in_words));
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
        not_searchable_yet: lacking,
        hints,
        hits: fitting,
        facets,
    })
}

/// How many kept pages the index does not have yet.
fn lacking(view: &View, searcher: &Searcher) -> u64 {
    // An empty index has nothing, wherever it says that it is.
    let position = match searcher.doc_count() {
        0 => Some(Position::START),
        _ => searcher.position().map(Position),
    };
    let Some(position) = position else {
        return 0;
    };
    match view.rows.left_out {
        0 => view.rows.kept_since(position),
        // What has no row has no place.
        _ => (view.tally.totals().indexed).saturating_sub(searcher.doc_count()),
    }
}

fn when_searchable(count: u64, is_running: bool) -> String {
    let pages = plural(count, "page", "pages");
    match is_running {
        true => format!("{pages} kept just now can be searched in some seconds"),
        false => format!(
            "{pages} kept last {} not in the index yet: the next start makes {} searchable",
            if count == 1 { "is" } else { "are" },
            if count == 1 { "it" } else { "them" }
        ),
    }
}

/// What no page of the index has a page may have that is not in it yet.
fn as_far_as_known(hint: String, lacking: u64) -> String {
    match hint.strip_prefix("no kept page ") {
        Some(has) if lacking > 0 => format!("no page that can be searched yet {has}"),
        Some(_) | None => hint,
    }
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

/// What is to be known of a query or its answer.
pub(crate) fn in_words(hint: &Hint) -> String {
    match hint {
        Hint::Empty => {
            "the query is empty: give words, \"a phrase\", host:example.org or lang:zh".into()
        }
        Hint::Wordless => "the query has signs and no words".into(),
        Hint::Cut(word) => format!(
            "the query is too long: behind {} not all is looked for",
            line(word, 60)
        ),
        Hint::OpenQuote => {
            "the quote is not closed: all after it is looked for as one phrase".into()
        }
        Hint::OtherSyntax(part) => format!(
            "{} is looked for as the words in it: ~, ^ and * mean nothing here",
            line(part, 60)
        ),
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

#[cfg(test)]
mod tests {
    use index::{Document, PageIndex};
    use pipeline::CrawlDir;

    use super::*;
    use crate::crawls::Crawls;
    use crate::follow::tests::{write, written};

    fn found(dir: &CrawlDir, query: &str) -> Found {
        let crawls = Crawls::new(vec![dir.clone()], None);
        let crawl = &crawls.all[0];
        crawl.follower.catch_up(std::time::Duration::ZERO);
        let asked = SearchAsked {
            q: Some(query.to_owned()),
            ..SearchAsked::default()
        };
        search(crawl, &asked).expect("searched")
    }

    #[test]
    fn what_the_index_lacks_is_said_and_nothing_is_said_of_pages_that_it_lacks() {
        // A search of the first seconds said that no kept page has the word, which all had.
        let temp = tempfile::tempdir().expect("a directory");
        let dir = CrawlDir::new(temp.path());
        std::fs::create_dir_all(dir.archive()).expect("made");
        write(&dir, &["http://a.test/1", "http://a.test/2"]);
        let (mut index, _) = PageIndex::open(&dir.index()).expect("opened");
        let early = found(&dir, "river host:a.test");
        assert_eq!((early.total, early.not_searchable_yet), (0, 2));
        let waiting =
            "2 pages kept last are not in the index yet: the next start makes them searchable";
        assert_eq!(early.hints, [waiting]);

        let written = written(&dir);
        let add = |index: &mut PageIndex, at: usize| {
            let url = format!("http://a.test/{}", at + 1);
            let document = Document {
                seq: written[at].record.seq,
                url: &url,
                host: "a.test",
                text: "The river.",
                ..Document::default()
            };
            index.add(&document).expect("added");
            index.commit(written[at].end.0).expect("committed");
        };
        add(&mut index, 0);
        let part = found(&dir, "bridge");
        assert_eq!(part.not_searchable_yet, 1);
        let no_word = "no page that can be searched yet has the word bridge";
        assert!(
            part.hints.iter().any(|hint| hint == no_word),
            "{:?}",
            part.hints
        );
        assert_eq!(found(&dir, "river").total, 1);
        add(&mut index, 1);
        let whole = found(&dir, "bridge");
        assert_eq!(whole.not_searchable_yet, 0);
        assert_eq!(whole.hints, ["no kept page has the word bridge"]);
    }

    #[test]
    fn a_long_query_is_searched_for_as_the_command_does() {
        // It was cut at 500 characters, amid a word or a quote, and nothing was said.
        let temp = tempfile::tempdir().expect("a directory");
        let dir = CrawlDir::new(temp.path());
        std::fs::create_dir_all(dir.archive()).expect("made");
        write(&dir, &["http://a.test/1"]);
        let (mut index, _) = PageIndex::open(&dir.index()).expect("opened");
        let words: Vec<String> = (0..60).map(|n| format!("longish{n}")).collect();
        let text = words.join(" ");
        let page = Document {
            seq: 1,
            url: "http://a.test/1",
            host: "a.test",
            text: &text,
            ..Document::default()
        };
        index.add(&page).expect("added");
        index.commit(written(&dir)[0].end.0).expect("committed");
        let phrase = found(&dir, &format!("\"{text}\""));
        assert_eq!(
            (phrase.total, phrase.hints.len()),
            (1, 0),
            "{:?}",
            phrase.hints
        );
        let long = found(&dir, &format!("{text} {text}"));
        let cut = "the query is too long: behind longish3 not all is looked for";
        assert_eq!((long.total, long.hints), (1, vec![cut.to_owned()]));
    }
}
