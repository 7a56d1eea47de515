//! Questions to the rows: which pages, how they divide, which of them repeat each other.

use std::cmp::Ordering;
use std::collections::{BTreeMap, HashMap, HashSet};

use frontier::typed_host;
use report::Comparison;

use crate::answers::{
    Cluster, ClusterPages, Clusters, Compared, Differing, DifferingPage, Facet, Host, Hosts, Page,
    Pages, PagesAsked, Repeats,
};
use crate::crawls::Served;
use crate::days::Days;
use crate::follow::View;
use crate::live::{Status, two_places};
use crate::rows::{Fate, NameId, Near, Row, Rows};

/// Values of a facet.
const FACET_MAX: usize = 30;

/// Items of a list that nobody asked for a number of.
pub(crate) const LIMIT: usize = 50;

/// Items of a list at most.
pub(crate) const LIMIT_MAX: usize = 200;

/// A row as it is answered.
pub(crate) fn page(rows: &Rows, row: &Row) -> Page {
    let name = |id| rows.names.get(id).to_owned();
    Page {
        page: row.page,
        url: row.url.to_string(),
        host: name(row.host),
        title: row.title.to_string(),
        verdict: row.fate.name().to_owned(),
        reason: name(row.reason),
        lang: name(row.lang),
        page_type: name(row.page_type),
        published: rows.times.get(row.published).to_owned(),
        fetched_at: report::words::instant(row.at_ms),
        relevance: row.relevance.map(two_places),
        words: row.words,
        repeats: row.near.as_ref().map(|near| repeats(rows, near)),
    }
}

/// The page that is kept in a duplicate's place; with what was measured, where that was against this one.
fn repeats(rows: &Rows, near: &Near) -> Repeats {
    let page = rows.representative(near.page);
    let distance = near.distance.filter(|_| page == near.page);
    let kept = rows.page(page);
    Repeats {
        page,
        url: kept.map_or_else(String::new, |row| row.url.to_string()),
        distance,
        overlap: distance.map(|_| two_places(near.overlap)),
        kind: rows.names.get(near.kind).to_owned(),
    }
}

/// The pages that fit.
///
/// # Errors
/// With the reason, where what is asked for is not known.
pub(crate) fn pages(view: &View, asked: &PagesAsked) -> Result<Pages, String> {
    let rows = &view.rows;
    let fate = match filled(&asked.verdict) {
        Some(name) => Some(Fate::of_name(name).ok_or("verdict is kept, dropped or failed")?),
        None => None,
    };
    // A name that no row has fits none.
    let id = |name: &Option<String>| filled(name).map(|name| rows.names.find(name));
    let reason = id(&asked.reason);
    let host = filled(&asked.host).map(|host| rows.names.find(&typed_host(host)));
    let (lang, page_type) = (id(&asked.lang), id(&asked.page_type));
    let days = Days::read(&asked.since, &asked.until)?;
    let wanted = filled(&asked.q).map(str::to_lowercase);
    let fits = |row: &&Row| {
        let is = |wanted: &Option<Option<NameId>>, id: NameId| wanted.is_none_or(|w| w == Some(id));
        fate.is_none_or(|fate| fate == row.fate)
            && is(&reason, row.reason)
            && is(&host, row.host)
            && is(&lang, row.lang)
            && is(&page_type, row.page_type)
            && days.hold(rows.times.get(row.published))
            && wanted.as_ref().is_none_or(|wanted| {
                row.title.to_lowercase().contains(wanted) || row.url.to_lowercase().contains(wanted)
            })
    };
    let mut fitting: Vec<&Row> = rows.iter().filter(fits).collect();
    sort(rows, &mut fitting, asked)?;
    let offset = asked.offset.unwrap_or(0);
    let limit = asked.limit.unwrap_or(LIMIT).min(LIMIT_MAX);
    Ok(Pages {
        record: view.last_seq,
        total: fitting.len() as u64,
        left_out: rows.left_out,
        offset,
        facets: facets(rows, &fitting),
        pages: fitting
            .iter()
            .skip(offset)
            .take(limit)
            .map(|row| page(rows, row))
            .collect(),
    })
}

/// A filter that holds something.
pub(crate) fn filled(text: &Option<String>) -> Option<&str> {
    text.as_deref()
        .map(str::trim)
        .filter(|text| !text.is_empty())
}

/// Which of two rows comes first.
type Order<'r> = Box<dyn Fn(&Row, &Row) -> Ordering + 'r>;

fn sort(rows: &Rows, fitting: &mut [&Row], asked: &PagesAsked) -> Result<(), String> {
    let is_topical = fitting.iter().any(|row| row.relevance.is_some());
    let default = if is_topical { "relevance" } else { "time" };
    let by = filled(&asked.sort).unwrap_or(default);
    let is_down = match filled(&asked.order) {
        Some("asc") => false,
        Some("desc") => true,
        Some(_) => return Err("order is asc or desc".to_owned()),
        None => matches!(by, "relevance" | "time" | "words" | "published"),
    };
    let name = |id| rows.names.get(id);
    let order: Order<'_> = match by {
        "time" => Box::new(|a, b| a.page.cmp(&b.page)),
        "relevance" => Box::new(|a, b| {
            let value = |row: &Row| row.relevance.unwrap_or(-1.0);
            value(a).total_cmp(&value(b))
        }),
        "words" => Box::new(|a, b| a.words.cmp(&b.words)),
        "title" => Box::new(|a, b| a.title.cmp(&b.title)),
        "host" => Box::new(move |a, b| name(a.host).cmp(name(b.host))),
        "published" => {
            let time = |row: &Row| rows.times.get(row.published);
            Box::new(move |a, b| time(a).cmp(time(b)))
        }
        _ => return Err("sort is time, relevance, words, title, host or published".to_owned()),
    };
    // What was kept comes first, unless somebody asked for another order.
    let is_asked = filled(&asked.sort).is_some();
    fitting.sort_by(|a, b| {
        if !is_asked && a.fate != b.fate {
            return a.fate.cmp(&b.fate);
        }
        let order = order(a, b);
        let order = if is_down { order.reverse() } else { order };
        order.then(a.page.cmp(&b.page))
    });
    Ok(())
}

/// How pages divide.
pub(crate) fn facets(rows: &Rows, fitting: &[&Row]) -> BTreeMap<String, Vec<Facet>> {
    let by = |of: fn(&Row) -> NameId| {
        let mut counts: HashMap<NameId, u64> = HashMap::new();
        for row in fitting {
            *counts.entry(of(row)).or_default() += 1;
        }
        let counts = counts.into_iter().filter(|(id, _)| *id != 0);
        most(counts.map(|(id, count)| (rows.names.get(id).to_owned(), count)))
    };
    let mut years: HashMap<&str, u64> = HashMap::new();
    for row in fitting {
        if let Some(year) = rows.times.get(row.published).get(..4) {
            *years.entry(year).or_default() += 1;
        }
    }
    let years = years
        .into_iter()
        .map(|(year, count)| (year.to_owned(), count));
    BTreeMap::from([
        ("year".to_owned(), most(years)),
        ("host".to_owned(), by(|row| row.host)),
        ("lang".to_owned(), by(|row| row.lang)),
        ("type".to_owned(), by(|row| row.page_type)),
        ("reason".to_owned(), by(|row| row.reason)),
    ])
}

/// The most frequent values.
pub(crate) fn most(counts: impl Iterator<Item = (String, u64)>) -> Vec<Facet> {
    let mut facets: Vec<Facet> = counts
        .map(|(value, count)| Facet { value, count })
        .collect();
    facets.sort_by(|a, b| b.count.cmp(&a.count).then_with(|| a.value.cmp(&b.value)));
    facets.truncate(FACET_MAX);
    facets
}

/// The hosts, with why they wait.
pub(crate) fn hosts(crawl: &Served, status: &Status, offset: usize, limit: Option<usize>) -> Hosts {
    let (_, report) = crawl.follower.report_now();
    let waiting: HashMap<&str, _> = status
        .hosts
        .iter()
        .map(|host| (host.host.as_str(), host))
        .collect();
    let limit = limit.unwrap_or(LIMIT).min(LIMIT_MAX);
    let rows = report.hosts.iter().skip(offset).take(limit);
    let hosts = rows.map(|row| {
        let waits = waiting.get(row.host.as_str());
        Host {
            host: row.host.clone(),
            admitted: row.counts.admitted,
            pending: row.counts.pending,
            finished: row.counts.finished,
            kept: row.counts.indexed,
            dropped: row.counts.junk,
            failed: row.counts.failed,
            duplicates: row.duplicates,
            fetches: row.fetches,
            errors: row.errors,
            received_bytes: row.bytes,
            robots: row.robots.to_string(),
            delay_seconds: row.delay_s,
            state: row.state.clone(),
            why: waits.map(|host| host.why.clone()),
            next_in_seconds: waits.map(|host| host.next_in_seconds),
        }
    });
    Hosts {
        record: status.record,
        total: report.hosts.len() as u64,
        hosts: hosts.collect(),
    }
}

/// Duplicates by the page that stands for them.
fn members(rows: &Rows) -> HashMap<u64, Vec<&Row>> {
    let mut clusters: HashMap<u64, Vec<&Row>> = HashMap::new();
    for row in rows.iter().filter(|row| row.near.is_some()) {
        let kept = rows.representative(row.page);
        if kept != row.page && rows.page(kept).is_some() {
            clusters.entry(kept).or_default().push(row);
        }
    }
    clusters
}

/// The clusters, those with most duplicates first.
pub(crate) fn clusters(view: &View, offset: usize, limit: Option<usize>) -> Clusters {
    let rows = &view.rows;
    let mut clusters: Vec<(u64, Vec<&Row>)> = members(rows).into_iter().collect();
    clusters.sort_by(|a, b| b.1.len().cmp(&a.1.len()).then(a.0.cmp(&b.0)));
    let limit = limit.unwrap_or(LIMIT).min(LIMIT_MAX);
    Clusters {
        record: view.last_seq,
        total: clusters.len() as u64,
        clusters: clusters
            .iter()
            .skip(offset)
            .take(limit)
            .filter_map(|(kept, members)| {
                let kept = rows.page(*kept)?;
                let all = members.iter().copied().chain([kept]);
                let hosts: HashSet<NameId> = all.map(|row| row.host).collect();
                Some(Cluster {
                    kept: page(rows, kept),
                    members: members.len() as u64,
                    hosts: hosts.len() as u64,
                })
            })
            .collect(),
    }
}

/// One cluster, by any of its pages.
pub(crate) fn cluster(view: &View, of: u64) -> Option<ClusterPages> {
    let rows = &view.rows;
    let kept = rows.page(rows.representative(of))?;
    let mut found = members(rows).remove(&kept.page)?;
    found.sort_by_key(|row| row.page);
    Some(ClusterPages {
        kept: page(rows, kept),
        members: found
            .iter()
            .take(LIMIT_MAX)
            .map(|row| page(rows, row))
            .collect(),
    })
}

/// Two crawls, page by page; `views` are those of the first and the second.
pub(crate) fn compared(views: (&View, &View), comparison: Comparison) -> Compared {
    let (first, second) = (&views.0.rows, &views.1.rows);
    let figures = serde_json::to_value(&comparison).expect("a comparison is plain data");
    let mut compared = Compared {
        figures,
        gained: Differing::default(),
        lost: Differing::default(),
        judged_otherwise: Differing::default(),
    };
    let told = |rows: &Rows, row: &Row| match row.reason {
        0 => row.fate.name().to_owned(),
        reason => format!("{}: {}", row.fate.name(), rows.names.get(reason)),
    };
    let mut add = |to: fn(&mut Compared) -> &mut Differing, row: &Row, sides: [String; 2]| {
        let list = to(&mut compared);
        list.total += 1;
        if list.pages.len() < LIMIT_MAX {
            let [first, second] = sides;
            list.pages.push(DifferingPage {
                url: row.url.to_string(),
                title: row.title.to_string(),
                first,
                second,
            });
        }
    };
    for row in first.iter() {
        let other = second.url(&row.url);
        let sides = [
            told(first, row),
            other.map_or_else(String::new, |other| told(second, other)),
        ];
        let is_kept = |row: &Row| row.fate == Fate::Kept;
        match (is_kept(row), other.is_some_and(is_kept)) {
            (true, true) => {}
            (true, false) => add(|compared| &mut compared.lost, row, sides),
            (false, true) => add(|compared| &mut compared.gained, row, sides),
            (false, false) if other.is_some() && sides[0] != sides[1] => {
                add(|compared| &mut compared.judged_otherwise, row, sides);
            }
            (false, false) => {}
        }
    }
    let is_new = |row: &&Row| row.fate == Fate::Kept && first.url(&row.url).is_none();
    for row in second.iter().filter(is_new) {
        let sides = [String::new(), told(second, row)];
        add(|compared| &mut compared.gained, row, sides);
    }
    compared
}
