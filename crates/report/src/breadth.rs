//! Breadth-first over the same web: what a crawl without a topic would have found as it went on.
//!
//! The links that a crawl has seen are replayed first found, first fetched, from the same seeds and
//! by the same scope; each page counts as the crawl has judged it. What the crawl left in the queue
//! is the difficulty: breadth-first would have fetched it, and nobody knows what is there. So there
//! are two curves. One leaves such URLs out, which flatters breadth-first: the topic has picked the
//! pages that are left. In the other each is a page without use that leads nowhere, which is harsh.
//! Where the crawl has read all that breadth-first asks for, the two are one.
//!
//! Links are kept as runs of URLs that were found one after the other, since a menu names the same
//! ones on every page: one or two bytes for most links, and 64 MB for all at most.

use std::collections::{HashMap, VecDeque};

use serde::{Deserialize, Serialize};

use crate::fates::SlotId;
use crate::harvest::{Harvester, Point};

/// Bytes of links at most; a crawl with more has no curve.
const LINK_BYTES_MAX: usize = 64 << 20;

/// URLs of sitemaps that are remembered for the start.
const LISTED_MAX: usize = 1 << 20;

/// Breadth-first beside a focused crawl.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct BreadthFirst {
    /// Why there is nothing to show, in words; all else is empty then.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub left_out: Option<String>,
    /// Pages that the crawl has read and that links it saw lead to.
    pub pages: u64,
    /// Of as many URLs as the crawl has read pages, those that breadth-first would have fetched
    /// and the crawl did not.
    pub unread: u64,
    /// The counts as breadth-first goes on, without what the crawl did not read.
    pub curve: Vec<Point>,
    /// The same at round numbers, and where the crawl ended.
    pub marks: Vec<Point>,
    /// The counts when what the crawl did not read counts as pages without use.
    pub harsh_curve: Vec<Point>,
    /// The same at round numbers, and where the crawl ended.
    pub harsh_marks: Vec<Point>,
}

/// What a page is to a topic.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Worth {
    pub relevant: bool,
    pub indexed: bool,
    /// The page that this one repeats, by its record number.
    pub repeats: Option<SlotId>,
}

/// A URL whose links are known.
#[derive(Debug, Clone, Copy)]
struct Node {
    slot: SlotId,
    /// The first page of those that repeat each other.
    cluster: SlotId,
    /// Where its links begin.
    links: u32,
    /// It was read, not redirected.
    is_page: bool,
    relevant: bool,
    indexed: bool,
}

/// What a breadth-first crawl could follow.
#[derive(Debug, Default)]
pub(crate) struct Links {
    seeds: Vec<SlotId>,
    listed: Vec<SlotId>,
    nodes: Vec<Node>,
    /// Pages that took another one's place, with the first page of those they repeat.
    joined: HashMap<SlotId, SlotId>,
    bytes: Vec<u8>,
    run: Option<Run>,
    /// Where the last run ended, plus one.
    last: i64,
    left_out: Option<&'static str>,
}

/// URLs found one after the other.
#[derive(Debug, Clone, Copy)]
struct Run {
    first: SlotId,
    length: u64,
}

impl Links {
    /// There is nothing to show, for this reason.
    pub(crate) fn give_up(&mut self, why: &'static str) {
        *self = Links {
            left_out: Some(why),
            ..Links::default()
        };
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.nodes.is_empty() && self.left_out.is_none()
    }

    pub(crate) fn seed(&mut self, slot: SlotId) {
        if self.left_out.is_none() {
            self.seeds.push(slot);
        }
    }

    pub(crate) fn listed(&mut self, slot: SlotId) {
        if self.left_out.is_none() && self.listed.len() < LISTED_MAX {
            self.listed.push(slot);
        }
    }

    /// A page whose links come next.
    pub(crate) fn page(&mut self, slot: SlotId, worth: Worth) {
        let cluster = worth.repeats.map_or(slot, |kept| self.first_of(kept));
        if cluster != slot && worth.indexed {
            self.joined.insert(slot, cluster);
        }
        self.node(slot, cluster, Some(worth));
    }

    /// A URL that leads to another one, which comes next.
    pub(crate) fn redirect(&mut self, slot: SlotId) {
        self.node(slot, slot, None);
    }

    /// A link of the page that came last.
    pub(crate) fn link(&mut self, to: SlotId) {
        match &mut self.run {
            Some(run) if u64::from(to) == u64::from(run.first) + run.length => run.length += 1,
            _ if self.left_out.is_some() => {}
            _ => {
                self.end_run();
                self.run = Some(Run {
                    first: to,
                    length: 1,
                });
            }
        }
    }

    fn first_of(&self, kept: SlotId) -> SlotId {
        self.joined.get(&kept).copied().unwrap_or(kept)
    }

    fn node(&mut self, slot: SlotId, cluster: SlotId, worth: Option<Worth>) {
        self.end_run();
        self.last = 0;
        if self.left_out.is_some() {
            return;
        }
        if self.bytes.len() > LINK_BYTES_MAX {
            return self.give_up("the crawl has too many links for it");
        }
        self.nodes.push(Node {
            slot,
            cluster,
            links: self.bytes.len() as u32,
            is_page: worth.is_some(),
            relevant: worth.is_some_and(|worth| worth.relevant),
            indexed: worth.is_some_and(|worth| worth.indexed),
        });
    }

    fn end_run(&mut self) {
        if let Some(run) = self.run.take() {
            put_run(&mut self.bytes, &mut self.last, run);
        }
    }

    /// Follows the links; `slots` URLs are known, `is_unread` says which of them would be fetched
    /// and were not, and `crawled` is how many pages the crawl has read.
    pub(crate) fn walk(
        &self,
        slots: usize,
        is_unread: impl Fn(SlotId) -> bool,
        crawled: u64,
    ) -> BreadthFirst {
        if let Some(why) = self.left_out {
            return BreadthFirst {
                left_out: Some(why.to_owned()),
                ..BreadthFirst::default()
            };
        }
        // What is fetched again has its last links.
        let mut node_of = vec![u32::MAX; slots];
        for (at, node) in self.nodes.iter().enumerate() {
            node_of[node.slot as usize] = at as u32;
        }
        let mut walk = Walk::new(slots, crawled);
        self.seeds.iter().for_each(|&slot| walk.find(slot));
        self.listed.iter().for_each(|&slot| walk.find(slot));
        while let Some(slot) = walk.queue.pop_front() {
            match node_of[slot as usize] {
                u32::MAX if is_unread(slot) => walk.unread(),
                u32::MAX => {}
                at => {
                    walk.fetch(&self.nodes[at as usize]);
                    self.links_of(at as usize, |to| walk.find(to));
                }
            }
        }
        walk.end()
    }

    fn links_of(&self, at: usize, mut found: impl FnMut(SlotId)) {
        let from = self.nodes[at].links as usize;
        let to = self.nodes.get(at + 1);
        let to = to.map_or(self.bytes.len(), |node| node.links as usize);
        let (mut bytes, mut last) = (&self.bytes[from..to], 0);
        while let Some(run) = take_run(&mut bytes, &mut last) {
            (run.first..run.first + run.length as SlotId).for_each(&mut found);
        }
        let is_last = at + 1 == self.nodes.len();
        if let Some(run) = self.run.filter(|_| is_last) {
            (run.first..run.first + run.length as SlotId).for_each(found);
        }
    }
}

/// A breadth-first crawl under way.
struct Walk {
    queue: VecDeque<SlotId>,
    found: Vec<bool>,
    clusters: Vec<bool>,
    crawled: u64,
    mild: Harvester,
    harsh: Harvester,
    unread: u64,
}

impl Walk {
    fn new(slots: usize, crawled: u64) -> Walk {
        Walk {
            queue: VecDeque::new(),
            found: vec![false; slots],
            clusters: vec![false; slots],
            crawled,
            mild: Harvester::ending_at(crawled),
            harsh: Harvester::ending_at(crawled),
            unread: 0,
        }
    }

    fn find(&mut self, slot: SlotId) {
        if !std::mem::replace(&mut self.found[slot as usize], true) {
            self.queue.push_back(slot);
        }
    }

    fn fetch(&mut self, node: &Node) {
        if !node.is_page {
            return;
        }
        // Whichever copy comes first is the new one.
        let cluster = &mut self.clusters[node.cluster as usize];
        let new = node.relevant && !std::mem::replace(cluster, true);
        self.mild.add(node.relevant, new, node.indexed);
        if self.harsh.pages() < self.crawled {
            self.harsh.add(node.relevant, new, node.indexed);
        }
    }

    fn unread(&mut self) {
        if self.harsh.pages() < self.crawled {
            self.harsh.add(false, false, false);
            self.unread += 1;
        }
    }

    fn end(self) -> BreadthFirst {
        let (mild, harsh) = (self.mild.harvest(None), self.harsh.harvest(None));
        BreadthFirst {
            left_out: None,
            pages: mild.pages,
            unread: self.unread,
            curve: mild.curve,
            marks: mild.marks,
            harsh_curve: harsh.curve,
            harsh_marks: harsh.marks,
        }
    }
}

/// A run as two numbers, each in groups of seven bits: how far it begins from the end of the last
/// one, forward or back, and how many follow its first.
fn put_run(bytes: &mut Vec<u8>, last: &mut i64, run: Run) {
    let step = i64::from(run.first) - *last;
    put(bytes, ((step << 1) ^ (step >> 63)) as u64);
    put(bytes, run.length - 1);
    *last = i64::from(run.first) + run.length as i64;
}

fn take_run(bytes: &mut &[u8], last: &mut i64) -> Option<Run> {
    let step = take(bytes)?;
    let step = (step >> 1) as i64 ^ -((step & 1) as i64);
    let first = *last + step;
    let length = take(bytes)? + 1;
    *last = first + length as i64;
    let first = SlotId::try_from(first).ok()?;
    Some(Run { first, length })
}

fn put(bytes: &mut Vec<u8>, mut number: u64) {
    while number >= 0x80 {
        bytes.push(number as u8 | 0x80);
        number >>= 7;
    }
    bytes.push(number as u8);
}

fn take(bytes: &mut &[u8]) -> Option<u64> {
    let mut number = 0;
    for shift in (0..64).step_by(7) {
        let (&byte, rest) = bytes.split_first()?;
        *bytes = rest;
        number |= u64::from(byte & 0x7f) << shift;
        if byte < 0x80 {
            return Some(number);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn page(relevant: bool) -> Worth {
        Worth {
            relevant,
            indexed: relevant,
            repeats: None,
        }
    }

    fn end(curve: &[Point]) -> (u64, u64, u64) {
        let last = curve.last().unwrap();
        (last.pages, last.relevant, last.relevant_and_new)
    }

    #[test]
    fn pages_come_level_by_level_and_what_was_not_read_counts_in_one_curve_only() {
        // 0 leads to 1, 2 and 3, of which 2 was not read; 1 leads to 4, which is relevant.
        let mut links = Links::default();
        links.seed(0);
        links.page(0, page(false));
        [1, 2, 3].into_iter().for_each(|to| links.link(to));
        links.page(1, page(false));
        links.link(4);
        links.page(4, page(true));
        links.page(3, page(true));
        let breadth = links.walk(5, |slot| slot == 2, 4);
        assert_eq!((breadth.pages, breadth.unread), (4, 1));
        let relevant = |curve: &[Point]| curve.iter().map(|p| p.relevant).collect::<Vec<_>>();
        assert_eq!(relevant(&breadth.curve), [0, 0, 0, 1, 2]);
        assert_eq!(relevant(&breadth.harsh_curve), [0, 0, 0, 0, 1]);
    }

    #[test]
    fn whichever_copy_comes_first_is_the_new_one() {
        let mut links = Links::default();
        links.seed(0);
        links.page(1, page(true));
        let better = Worth {
            repeats: Some(1),
            ..page(true)
        };
        links.page(2, better);
        let copy = Worth {
            relevant: true,
            indexed: false,
            repeats: Some(2),
        };
        links.page(0, copy);
        [1, 2].into_iter().for_each(|to| links.link(to));
        let breadth = links.walk(3, |_| false, 3);
        assert_eq!(end(&breadth.curve), (3, 3, 1));
        assert_eq!(breadth.curve[1].relevant_and_new, 1);
        assert_eq!(breadth.curve, breadth.harsh_curve);
    }

    #[test]
    fn a_redirect_leads_on_and_is_no_page() {
        let mut links = Links::default();
        links.seed(0);
        links.redirect(0);
        links.link(1);
        links.page(1, page(true));
        assert_eq!(end(&links.walk(2, |_| true, 1).curve), (1, 1, 1));
    }

    #[test]
    fn why_it_was_left_out_is_told() {
        let mut links = Links::default();
        links.seed(0);
        links.give_up("too large");
        links.page(0, page(true));
        links.link(0);
        let breadth = links.walk(1, |_| false, 1);
        assert_eq!(breadth.left_out.as_deref(), Some("too large"));
        assert!(breadth.curve.is_empty());
    }

    proptest! {
        #[test]
        fn links_come_back_as_they_were(
            pages in prop::collection::vec(prop::collection::vec(0u32..2_000_000, 0..40), 0..20),
        ) {
            let mut links = Links::default();
            for (slot, to) in pages.iter().enumerate() {
                links.page(slot as u32, page(false));
                to.iter().for_each(|&to| links.link(to));
            }
            for (at, to) in pages.iter().enumerate() {
                let mut back = Vec::new();
                links.links_of(at, |to| back.push(to));
                prop_assert_eq!(&back, to);
            }
        }

        #[test]
        fn the_harsh_curve_never_runs_above_the_other(
            web in prop::collection::vec(
                (prop::collection::vec(0u32..40, 0..6), any::<bool>(), 0u8..4),
                1..40,
            ),
        ) {
            let slots = web.len() as u32;
            let mut links = Links::default();
            links.seed(0);
            let mut crawled = 0;
            for (slot, (to, relevant, kind)) in web.iter().enumerate() {
                if *kind > 0 {
                    crawled += 1;
                    links.page(slot as u32, page(*relevant));
                    to.iter().filter(|&&to| to < slots).for_each(|&to| links.link(to));
                }
            }
            let breadth = links.walk(web.len(), |_| true, crawled);
            prop_assert!(breadth.pages <= crawled && breadth.unread <= crawled);
            for (mild, harsh) in breadth.curve.iter().zip(&breadth.harsh_curve) {
                prop_assert_eq!(mild.pages, harsh.pages);
                prop_assert!(harsh.relevant <= mild.relevant);
            }
        }
    }
}
