//! Short ways to say what most tests say.

use std::time::Duration;

use ledger::{
    Closing, Fence, Finish, KeptOp, KeptRow, Ledger, NodeCard, Offer, Part, UrlKey, WaitingUrl,
};

pub fn card(name: &str) -> NodeCard {
    NodeCard {
        name: name.into(),
        scheme: "prints 1".into(),
        config: b"[crawl]".to_vec(),
        ttl: Duration::from_secs(15),
        pages_max: None,
    }
}

pub fn join(ledger: &mut impl Ledger, name: &str) -> Fence {
    ledger.join(&card(name)).unwrap().fence
}

pub fn part(number: u16) -> Part {
    Part::new(number % ledger::PART_COUNT).unwrap()
}

pub fn offer(in_part: u16, number: u64) -> Offer {
    let url = format!("http://h{in_part}.example/{number}");
    Offer {
        part: part(in_part),
        key: UrlKey::of(&format!("h{in_part}.example"), &url),
        url: WaitingUrl {
            page: 7,
            depth: number as u32 % 3,
            seed: number as u32 % 2,
            // Every fifth is no page.
            kind: if number % 5 == 4 { 3 } else { 0 },
            priority: 0.5,
            context: vec![0, 255, number as u8],
            url,
        },
    }
}

pub fn finish(offer: &Offer, page: u64) -> Finish {
    Finish {
        part: offer.part,
        key: offer.key,
        generation: 0,
        page,
        duplicate_of: None,
        outcome: u8::from(offer.url.kind == 0),
    }
}

pub fn kept(page: u64, fingerprint: u64) -> KeptRow {
    KeptRow {
        position: 0,
        op: KeptOp::Keep,
        page,
        replaces: None,
        fingerprint,
        bands: Vec::new(),
        print: fingerprint.to_be_bytes().repeat(16),
        layout: !fingerprint,
        url: format!("http://h.example/{page}"),
        published: Some("2024-05-01 \u{0}\u{4e2d}".into()),
        canonical: None,
    }
}

/// A closing that only moves the journal.
pub fn closing(me: Fence, journal: u64) -> Closing {
    Closing {
        me,
        finished: Vec::new(),
        seen: 0,
        radius: 8,
        asked: Vec::new(),
        asked_bands: Vec::new(),
        kept: Vec::new(),
        cites: Vec::new(),
        pages: 0,
        journal,
    }
}

/// Puts kept texts into a closing, and what they were judged by.
pub fn keep(mut closing: Closing, seen: u64, kept: Vec<KeptRow>) -> Closing {
    closing.seen = seen;
    closing.asked = kept.iter().map(|row| row.fingerprint).collect();
    closing.asked_bands = kept.iter().flat_map(|row| row.bands.clone()).collect();
    closing.kept = kept;
    closing
}
