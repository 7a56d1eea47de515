//! From records to the ledger's rows, and back.

use archive::{ElsewherePage, ElsewhereRecord, Event, PageRecord, Record};
use frontier::{CanonicalUrl, FrontierUrl};
use ledger::{
    Admitted, CONTEXT_MAX, Finish, KeptOp, KeptRow, LedgerError, Offer, PUBLISHED_MAX, Part,
    URL_MAX, UrlKey, WaitingUrl, global_page, own_page,
};
use outcome::{Outcome, Verdict};
use state::context::UrlContext;
use state::recorded;

/// Part and key of a URL.
pub(super) fn name_of(url: &CanonicalUrl) -> (Part, UrlKey) {
    let host = url.host();
    let part = Part::of_domain(host.registrable().unwrap_or(host.name()));
    (part, UrlKey::of(host.as_str(), url.as_str()))
}

/// A page's number over all nodes, by its number in this node's journal.
fn over_all(page: u64, node: u16) -> u64 {
    match own_page(page) {
        (0, own) => global_page(node, own),
        (_, _) => page,
    }
}

/// The other way round.
fn in_journal(page: u64, node: u16) -> u64 {
    match own_page(page) {
        (of, own) if of == node => own,
        (_, _) => page,
    }
}

/// A URL that was admitted or put back.
pub(super) fn offer(url: &FrontierUrl, node: u16) -> Offer {
    let (part, key) = name_of(&url.url);
    let mut context = url.context.clone();
    if context.len() > CONTEXT_MAX {
        let plain = UrlContext {
            features: Vec::new(),
            ..UrlContext::from_bytes(&context)
        };
        context = plain.to_bytes();
        context.truncate(CONTEXT_MAX);
    }
    Offer {
        part,
        key,
        url: WaitingUrl {
            page: url.via.map_or(0, |via| over_all(via, node)),
            depth: url.depth,
            seed: url.seed,
            kind: u8::from(!url.is_page()),
            priority: url.priority,
            url: url.url.as_str().into(),
            context,
        },
    }
}

/// A URL that waits in one of this node's parts, and whether it was finished before; none if it is
/// no URL.
pub(super) fn waiting(row: Admitted, node: u16) -> Option<(FrontierUrl, bool)> {
    let (url, put_back) = (row.url, row.put_back);
    let url = FrontierUrl {
        url: CanonicalUrl::parse(&url.url).ok()?,
        depth: url.depth,
        seed: url.seed,
        // A page of another node is nobody's parent here.
        via: (url.page > 0 && own_page(url.page).0 == node).then(|| own_page(url.page).1),
        priority: url.priority,
        context: url.context,
    };
    Some((url, put_back))
}

/// The same of all that others admitted.
pub(crate) fn all_waiting(rows: Vec<Admitted>, node: u16) -> Vec<(FrontierUrl, bool)> {
    let rows = rows.into_iter();
    rows.filter_map(|row| waiting(row, node)).collect()
}

/// The end of a URL, if a record is one.
pub(super) fn finish(record: &Record, node: u16) -> Option<Finish> {
    let (url, outcome, duplicate_of) = match &record.event {
        Event::Page(page) => (&page.url, outcome_of(page), repeats(page)),
        Event::Sitemap(sitemap) => (&sitemap.url, SITEMAP, None),
        Event::Start(_)
        | Event::Seed(_)
        | Event::Robots(_)
        | Event::Attempt(_)
        | Event::Retry(_)
        | Event::Again(_)
        | Event::Elsewhere(_)
        | Event::Visit(_)
        | Event::Stop(_) => return None,
    };
    let (part, key) = name_of(&CanonicalUrl::parse(url).ok()?);
    Some(Finish {
        part,
        key,
        generation: 0,
        page: global_page(node, record.seq),
        duplicate_of: duplicate_of.map(|page| over_all(page, node)),
        outcome,
    })
}

/// Outcomes by number.
const SITEMAP: u8 = 0;

fn outcome_of(page: &PageRecord) -> u8 {
    match &page.outcome {
        Outcome::Judged(Verdict::Index) => 1,
        Outcome::Judged(Verdict::Junk(_)) => 2,
        Outcome::Redirected => 3,
        Outcome::Refused(_) => 4,
        Outcome::NotModified => 5,
        Outcome::Failed(_) | Outcome::Unknown(_) => 6,
    }
}

/// The page that a dropped one repeats.
fn repeats(page: &PageRecord) -> Option<u64> {
    let is_duplicate = page.junk().is_some_and(outcome::JunkReason::is_duplicate);
    let near = page.nearest.as_ref().filter(|_| is_duplicate)?;
    Some(near.page)
}

/// Requests for pages that a record counts for: what the crawl's budget is of.
pub(super) fn requests(record: &Record) -> u64 {
    let Event::Page(page) = &record.event else {
        return 0;
    };
    u64::from(page.fetch.is_some())
}

/// The kept text, if a record has one.
pub(super) fn kept(record: &Record, node: u16) -> Option<KeptRow> {
    let Event::Page(page) = &record.event else {
        return None;
    };
    let summary = page.page.as_ref().filter(|_| page.outcome.is_indexed())?;
    let print = recorded::print_of(summary)?;
    let mut bytes = print.digest.to_le_bytes().to_vec();
    bytes.extend(print.word_count.to_le_bytes());
    bytes.extend(summary.sketch.as_bytes());
    let fits = |text: &Option<String>, max| text.clone().filter(|text| text.len() <= max);
    Some(KeptRow {
        position: 0,
        op: KeptOp::Keep,
        page: global_page(node, record.seq),
        replaces: page.replaces.map(|page| over_all(page, node)),
        fingerprint: print.fingerprint.0,
        bands: Vec::new(),
        print: bytes,
        layout: u64::from_str_radix(&summary.layout, 16).unwrap_or(0),
        url: page.url.clone(),
        published: fits(&summary.published, PUBLISHED_MAX),
        canonical: fits(&summary.canonical, URL_MAX).filter(|url| *url != page.url),
    })
}

/// What others kept, as a record for this node's journal.
pub(super) fn elsewhere(rows: &[KeptRow], node: u16) -> Result<ElsewhereRecord, LedgerError> {
    let mut record = ElsewhereRecord {
        seen: rows.last().map_or(0, |row| row.position),
        ..ElsewhereRecord::default()
    };
    for row in rows {
        let is_own = own_page(row.page).0 == node;
        match row.op {
            KeptOp::Keep if is_own => {}
            KeptOp::Keep => record.kept.push(page(row, node)?),
            KeptOp::Withdraw => record.withdrawn.push(in_journal(row.page, node)),
        }
    }
    Ok(record)
}

fn page(row: &KeptRow, node: u16) -> Result<ElsewherePage, LedgerError> {
    let wrong = || LedgerError::Broken(format!("the print of page {} cannot be read", row.page));
    let (digest, rest) = row.print.split_first_chunk::<8>().ok_or_else(wrong)?;
    let (words, sketch) = rest.split_first_chunk::<4>().ok_or_else(wrong)?;
    let sketch = std::str::from_utf8(sketch).map_err(|_| wrong())?;
    Ok(ElsewherePage {
        page: row.page,
        url: row.url.clone(),
        fingerprint: format!("{:016x}", row.fingerprint),
        sketch: sketch.to_owned(),
        digest: format!("{:016x}", u64::from_le_bytes(*digest)),
        words: u32::from_le_bytes(*words),
        layout: format!("{:016x}", row.layout),
        published: row.published.clone(),
        canonical: row.canonical.clone(),
        replaces: row.replaces.map(|page| in_journal(page, node)),
        replaced: None,
    })
}

#[cfg(test)]
mod tests {
    use archive::PageSummary;

    use super::*;

    fn record() -> Record {
        let words = segment::Segmenter::shared().words("one text of some words that stands here");
        let mut page = PageSummary {
            layout: format!("{:016x}", 77),
            published: Some("2024-05-01".into()),
            ..PageSummary::default()
        };
        recorded::write_print(&mut page, &simhash::print(&words));
        let page = PageRecord {
            url: "http://a.example/x".into(),
            host: "a.example".into(),
            outcome: Outcome::Judged(Verdict::Index),
            page: Some(page),
            ..PageRecord::default()
        };
        Record {
            seq: 9,
            at_ms: 0,
            event: Event::Page(Box::new(page)),
        }
    }

    #[test]
    fn a_kept_text_comes_to_others_as_it_was_and_not_to_its_own_node() {
        let row = kept(&record(), 3).expect("it is kept");
        let Event::Page(page) = record().event else {
            panic!("a page");
        };
        let print = recorded::print_of(page.page.as_ref().expect("read"));
        let there = elsewhere(std::slice::from_ref(&row), 4).expect("read");
        assert_eq!(there.kept.len(), 1);
        assert_eq!(there.kept[0].page, global_page(3, 9));
        assert_eq!(recorded::print_of_elsewhere(&there.kept[0]), print);
        let here = elsewhere(&[row], 3).expect("read");
        assert_eq!(here.kept, []);
    }

    #[test]
    fn pages_have_their_own_numbers_in_their_own_journal() {
        for (page, node) in [(9, 3), (global_page(4, 9), 3)] {
            assert_eq!(in_journal(over_all(page, node), node), page);
        }
        assert_eq!(over_all(9, 3), global_page(3, 9));
    }

    #[test]
    fn a_waiting_url_comes_back_as_it_was_offered() {
        let url = FrontierUrl {
            url: CanonicalUrl::parse("http://a.example/x?y=1").expect("a URL"),
            depth: 3,
            seed: 2,
            via: Some(7),
            priority: 0.25,
            context: vec![0, 0, 1, 2, 3],
        };
        let Offer {
            part,
            key,
            url: row,
        } = offer(&url, 5);
        let admitted = Admitted {
            part,
            key,
            url: row,
            put_back: true,
        };
        assert_eq!(waiting(admitted.clone(), 5), Some((url.clone(), true)));
        let elsewhere = FrontierUrl { via: None, ..url };
        assert_eq!(waiting(admitted, 6), Some((elsewhere, true)));
    }
}
