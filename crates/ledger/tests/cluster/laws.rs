//! Every store does what the plain model does, in any sequence of operations.

use std::collections::BTreeMap;
use std::time::Duration;

use ledger::{
    AddressWish, Closed, Closing, Fact, Fence, KeptOp, KeptRow, Ledger, LedgerError, Marks,
    MemoryLedger, News, NodeCard, Part, Pulse, SeedBudget, Silent, Standing, UrlKey,
};
use proptest::prelude::*;

use crate::cards::{card, closing, finish, join, keep, kept, offer, part};
use crate::server::Cluster;

const NODES: usize = 3;

/// What one of three nodes does.
#[derive(Debug, Clone)]
enum Step {
    Join {
        other_config: bool,
        other_scheme: bool,
        ttl_s: u64,
        pages_max: Option<u64>,
    },
    Group(Group),
    /// Offers that are never closed.
    Abandon(Vec<(u16, u64)>),
    Follow(Vec<u16>),
    Pending(u16),
    Beat(Beat),
    Tell(u8),
    /// What hosts of parts are owed; nothing where the number is even.
    HandOver(Vec<(u16, u8)>),
    Overview,
}

#[derive(Debug, Clone)]
struct Group {
    offers: Vec<(u16, u64)>,
    finishes: Vec<(u16, u64)>,
    /// Family and bits of each kept text; a family's texts are near each other.
    texts: Vec<(u8, u8, bool)>,
    replaces: Option<u64>,
    withdraws: Option<u64>,
    cites: Vec<u64>,
    /// Judged by what was in sight so many texts ago.
    behind: u64,
    pages: u32,
    moves: bool,
    /// The order is taken before the group is judged.
    order_first: bool,
    reopens: Vec<(u16, u64)>,
    /// Seeds with a budget, each at most once.
    budgets: Vec<(u32, u64)>,
}

#[derive(Debug, Clone)]
struct Beat {
    wants: bool,
    release: Vec<u16>,
    pages: u32,
    unused: bool,
    addresses: Vec<(u8, u16)>,
    silent: Option<usize>,
    leaves: bool,
}

fn urls(count: usize) -> impl Strategy<Value = Vec<(u16, u64)>> {
    prop::collection::vec((0u16..6, 0u64..8), 0..count)
}

fn group() -> impl Strategy<Value = Group> {
    let texts = prop::collection::vec((0u8..6, 0u8..16, any::<bool>()), 0..4);
    let page = || prop::option::weighted(0.2, 1u64..40);
    let all = (
        (urls(8), urls(4), texts, page(), page()),
        (
            prop::collection::vec(1u64..40, 0..3),
            0u64..6,
            0u32..4,
            prop::bool::weighted(0.95),
            any::<bool>(),
            urls(3),
            budgets(),
        ),
    );
    all.prop_map(
        |(
            (offers, finishes, texts, replaces, withdraws),
            (cites, behind, pages, moves, order_first, reopens, budgets),
        )| Group {
            offers,
            finishes,
            texts,
            replaces,
            withdraws,
            cites,
            behind,
            pages,
            moves,
            order_first,
            reopens,
            budgets,
        },
    )
}

/// Seeds of the offers, and one that has none.
const SEEDS: [u32; 3] = [0, 1, 7];

fn budgets() -> impl Strategy<Value = Vec<(u32, u64)>> {
    let most = || prop::option::weighted(0.6, 0u64..12);
    (most(), most()).prop_map(|(zero, one)| {
        let both = [zero.map(|most| (0, most)), one.map(|most| (1, most))];
        both.into_iter().flatten().collect()
    })
}

fn beat() -> impl Strategy<Value = Beat> {
    let addresses = prop::collection::vec((0u8..3, 0u16..6), 0..4);
    let all = (
        prop::bool::weighted(0.8),
        prop::collection::vec(0u16..1_024, 0..6),
        0u32..100,
        prop::bool::weighted(0.2),
        addresses,
        prop::option::weighted(0.2, 0..NODES),
        prop::bool::weighted(0.05),
    );
    all.prop_map(
        |(wants, release, pages, unused, addresses, silent, leaves)| Beat {
            wants,
            release,
            pages,
            unused,
            addresses,
            silent,
            leaves,
        },
    )
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        2 => (
            prop::bool::weighted(0.1),
            prop::bool::weighted(0.1),
            5_u64..8,
            prop::option::of(0_u64..300),
        )
            .prop_map(|(other_config, other_scheme, ttl_s, pages_max)| Step::Join {
                other_config,
                other_scheme,
                ttl_s,
                pages_max,
            }),
        6 => group().prop_map(Step::Group),
        1 => urls(5).prop_map(Step::Abandon),
        3 => prop::collection::vec(0u16..6, 0..6).prop_map(Step::Follow),
        1 => (0u16..6).prop_map(Step::Pending),
        4 => beat().prop_map(Step::Beat),
        1 => any::<u8>().prop_map(Step::Tell),
        1 => prop::collection::vec((0u16..1_024, any::<u8>()), 0..8).prop_map(Step::HandOver),
        1 => Just(Step::Overview),
    ]
}

/// A ledger under test, with what its nodes remember.
struct Side<L> {
    ledgers: Vec<L>,
    fences: [Fence; NODES],
    marks: [Marks; NODES],
    journals: [u64; NODES],
    position: u64,
    next_page: u64,
}

impl<L: Ledger> Side<L> {
    fn new(ledgers: Vec<L>) -> Side<L> {
        Side {
            ledgers,
            fences: [Fence { node: 1, epoch: 0 }; NODES],
            marks: [Marks::default(); NODES],
            journals: [0; NODES],
            position: 0,
            next_page: 0,
        }
    }

    /// Takes a step; says in words what came of it.
    fn take(&mut self, node: usize, step: &Step) -> String {
        match step {
            Step::Join {
                other_config,
                other_scheme,
                ttl_s,
                pages_max,
            } => {
                let card = NodeCard {
                    ttl: Duration::from_secs(*ttl_s),
                    pages_max: *pages_max,
                    ..card(&format!("n{node}"))
                };
                self.join(node, card, *other_config, *other_scheme)
            }
            Step::Group(group) => self.group(node, group),
            Step::Abandon(urls) => {
                let offers: Vec<_> = urls.iter().map(|&(part, url)| offer(part, url)).collect();
                words(self.ledgers[node].open(self.fences[node], &offers, &[]))
            }
            Step::Follow(parts) => self.follow(node, parts),
            Step::Pending(number) => {
                let first = self.ledgers[node].pending(part(*number), None);
                let after = first
                    .as_ref()
                    .ok()
                    .and_then(|rows| rows.first())
                    .map(|row| row.key);
                let rest = self.ledgers[node].pending(part(*number), after);
                let roots = self.ledgers[node].roots(part(*number));
                let ended = self.ledgers[node].ended(part(*number));
                let parts = [*number, 0, number + 1].map(part);
                let standing = self.standing(node, &parts);
                words(first) + &words(rest) + &words(roots) + &words(ended) + &words(standing)
            }
            Step::Beat(beat) => self.beat(node, beat),
            Step::Tell(byte) => {
                let fact = Fact {
                    kind: format!("kind {byte}"),
                    data: vec![0, *byte],
                };
                words(self.ledgers[node].tell(self.fences[node], &fact))
            }
            Step::HandOver(owed) => self.hand_over(node, owed),
            Step::Overview => words(self.ledgers[node].overview()),
        }
    }

    fn standing(&mut self, node: usize, parts: &[Part]) -> Result<Option<Standing>, LedgerError> {
        let mut standing = self.ledgers[node].standing(parts)?;
        for said in standing
            .iter_mut()
            .flat_map(|standing| &mut standing.manners)
        {
            said.age = Duration::ZERO;
        }
        Ok(standing)
    }

    fn hand_over(&mut self, node: usize, owed: &[(u16, u8)]) -> String {
        let owed: BTreeMap<Part, Vec<u8>> = (owed.iter())
            .map(|&(number, byte)| (part(number), vec![byte; usize::from(byte % 2)]))
            .collect();
        let parts: Vec<Part> = owed.keys().copied().collect();
        let owed: Vec<_> = owed.into_iter().collect();
        let me = self.fences[node];
        let mut said = words(self.ledgers[node].hand_over(me, &owed));
        said += &words(self.standing(node, &parts));
        for part in parts {
            let manners = self.ledgers[node].manners(part);
            let without_age =
                manners.map(|said| said.map(|said| (said.number, said.node, said.data)));
            said += &words(without_age);
        }
        said
    }

    fn join(
        &mut self,
        node: usize,
        mut card: NodeCard,
        other_config: bool,
        other_scheme: bool,
    ) -> String {
        if other_config {
            card.config.push(b'x');
        }
        if other_scheme {
            card.scheme.push('x');
        }
        let joined = self.ledgers[node].join(&card).map(|mut joined| {
            self.fences[node] = joined.fence;
            self.journals[node] = joined.journal;
            joined.crawl = [0; 16];
            joined.admitted = 0;
            joined
        });
        words(joined)
    }

    fn group(&mut self, node: usize, group: &Group) -> String {
        let offers: Vec<_> = group
            .offers
            .iter()
            .map(|&(part, url)| offer(part, url))
            .collect();
        let me = self.fences[node];
        let mut said = String::new();
        let mut closing = self.closing(node, group);
        if group.order_first {
            let asked: Vec<_> = offers.iter().map(|offer| (offer.part, offer.key)).collect();
            let begun = self.ledgers[node].begin(me, closing.seen, &asked, &SEEDS);
            if let Ok(begun) = &begun {
                closing.seen += begun.kept.len() as u64;
            }
            said += &words(begun);
        }
        let budgets: Vec<SeedBudget> = (group.budgets.iter())
            .map(|&(seed, urls_max)| SeedBudget { seed, urls_max })
            .collect();
        said += &words(self.ledgers[node].open(me, &offers, &budgets));
        let mut back: Vec<_> = (group.reopens.iter())
            .map(|&(part, url)| offer(part, url))
            .collect();
        back.sort_by_key(|offer| offer.key);
        back.dedup();
        said += &words(self.ledgers[node].reopen(me, &back));
        for _ in 0..2 {
            let closed = self.ledgers[node].close(&closing);
            let near = match &closed {
                Ok(Closed::Near(rows)) => rows.last().map(|row| row.position),
                Ok(Closed::Committed { first }) => {
                    self.journals[node] = closing.journal;
                    self.position = first - 1 + closing.kept.len() as u64;
                    None
                }
                Ok(Closed::Unknown) | Err(_) => None,
            };
            said += &words(closed);
            match near {
                Some(position) => closing.seen = position,
                None => break,
            }
        }
        // A server tells of an error before it lets go of what the group had locked, and a beat that
        // comes in between passes over the node as one at work. A new connection takes longer.
        said + &words(self.ledgers[node].overview())
    }

    fn closing(&mut self, node: usize, group: &Group) -> Closing {
        let mut rows: Vec<KeptRow> = Vec::new();
        for &(family, bits, short) in &group.texts {
            self.next_page += 1;
            let mut row = kept(
                self.next_page,
                (u64::from(family).wrapping_mul(0x9e37_79b9_7f4a_7c15)) ^ u64::from(bits),
            );
            if short {
                row.bands = vec![u32::from(family), u32::MAX - u32::from(bits)];
            }
            rows.push(row);
        }
        if let (Some(row), Some(page)) = (rows.first_mut(), group.replaces) {
            row.replaces = Some(page);
        }
        if let Some(page) = group.withdraws {
            let mut row = kept(page, 0);
            row.op = KeptOp::Withdraw;
            rows.push(row);
        }
        let journal = self.journals[node] + u64::from(group.moves);
        let seen = self.position.saturating_sub(group.behind);
        let mut closing = keep(closing(self.fences[node], journal), seen, rows);
        let urls = group.finishes.iter();
        closing.finished = urls
            .map(|&(part, url)| finish(&offer(part, url), 9))
            .collect();
        closing.cites.clone_from(&group.cites);
        closing.pages = group.pages;
        closing
    }

    fn follow(&mut self, node: usize, parts: &[u16]) -> String {
        let mut parts: Vec<Part> = parts.iter().map(|&number| part(number)).collect();
        parts.sort();
        parts.dedup();
        let news = self.ledgers[node].follow(&self.marks[node], &parts);
        words(news.map(|mut news: News| {
            self.marks[node] = news.marks;
            news.marks.admitted = 0;
            news.admitted.sort_by_key(|row| (row.part, row.key));
            news
        }))
    }

    fn beat(&mut self, node: usize, beat: &Beat) -> String {
        let mut pulse = Pulse::of(self.fences[node]);
        pulse.wants_parts = beat.wants;
        pulse.release = beat.release.iter().map(|&number| part(number)).collect();
        match beat.unused {
            true => pulse.unused = beat.pages,
            false => pulse.pages = beat.pages,
        }
        pulse.leaves = beat.leaves;
        pulse.note = vec![beat.pages as u8];
        let wish = |&(address, slots): &(u8, u16)| AddressWish {
            address: [127, 0, 0, address].into(),
            slots,
            slots_max: 6,
        };
        pulse.addresses = beat.addresses.iter().map(wish).collect();
        if let Some(other) = beat.silent {
            let nodes = self.ledgers[node].overview().unwrap().nodes;
            let seen = nodes
                .into_iter()
                .find(|seen| seen.fence.node == self.fences[other].node);
            pulse.silent = seen
                .map(|seen| Silent {
                    fence: seen.fence,
                    beat: seen.beat,
                })
                .into_iter()
                .collect();
        }
        words(self.ledgers[node].beat(&pulse))
    }
}

/// What came of a step. Where a store's words may differ, the kind of error counts.
fn words<T: std::fmt::Debug>(answer: Result<T, LedgerError>) -> String {
    match answer {
        Ok(answer) => format!("{answer:?}\n"),
        Err(LedgerError::Away(_)) => "away\n".into(),
        Err(LedgerError::Broken(words)) => panic!("broken: {words}"),
        Err(error) => format!("{error}\n"),
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn postgresql_does_what_the_plain_model_does(
        pages_max in prop::option::of(0u64..200),
        steps in prop::collection::vec((0..NODES, step()), 1..40),
    ) {
        let Some(cluster) = Cluster::alone() else {
            return Ok(());
        };
        let memory = MemoryLedger::new(pages_max);
        let mut model = Side::new((0..NODES).map(|_| memory.connect()).collect());
        let crawl = cluster.crawl(pages_max);
        let mut store = Side::new((0..NODES).map(|_| cluster.connect(&crawl)).collect());
        for node in 0..NODES {
            let join = Step::Join {
                other_config: false,
                other_scheme: false,
                ttl_s: 5,
                pages_max: None,
            };
            prop_assert_eq!(store.take(node, &join), model.take(node, &join));
        }
        for (node, step) in &steps {
            let (there, here) = (store.take(*node, step), model.take(*node, step));
            prop_assert_eq!(there, here, "node {}: {:?}", node, step);
            if matches!(step, Step::Abandon(_)) {
                // Its connection is lost.
                model.ledgers[*node] = memory.connect();
                store.ledgers[*node] = cluster.connect(&crawl);
            }
        }
    }
}

#[test]
fn keys_of_one_group_are_new_once() {
    let memory = MemoryLedger::new(None);
    let mut ledger = memory.connect();
    let me = join(&mut ledger, "a");
    let twice = [offer(1, 1), offer(1, 1), offer(1, 2)];
    assert_eq!(ledger.open(me, &twice, &[]).unwrap(), [true, false, true]);
    assert_ne!(twice[0].key, UrlKey([0; 16]));
}

#[test]
fn all_nodes_go_by_the_lease_of_those_that_live_and_by_the_largest_budget() {
    fn check(one: &mut impl Ledger, other: &mut impl Ledger) {
        let with = |name: &str, ttl_s: u64, pages_max| NodeCard {
            ttl: Duration::from_secs(ttl_s),
            pages_max,
            ..card(name)
        };
        let said = |joined: ledger::Joined| (joined.ttl.as_secs(), joined.pages_max);
        assert_eq!(one.overview().unwrap().ttl, None);
        let joined = one.join(&with("a", 5, None)).unwrap();
        let me = joined.fence;
        assert_eq!(said(joined), (5, (Some(60), Some(60))));
        // They took each other for dead: one beat every twelve seconds, the other waited for six.
        let joined = other.join(&with("b", 60, Some(250))).unwrap();
        let next = joined.fence;
        assert_eq!(said(joined), (5, (Some(60), Some(250))));
        let joined = other.join(&with("b", 60, Some(100))).unwrap();
        assert_eq!(said(joined.clone()), (5, (Some(250), Some(250))));
        assert!(joined.fence.epoch > next.epoch);
        let seen = one.overview().unwrap();
        assert_eq!(
            (seen.ttl, seen.pages_max),
            (Some(Duration::from_secs(5)), Some(250))
        );
        // What was raised is granted at once.
        let mut pulse = Pulse::of(me);
        for granted in [64, 128, 192, 250, 250] {
            pulse.pages = 64;
            assert_eq!(one.beat(&pulse).unwrap().granted, Some(granted));
        }
        for (ledger, me) in [(&mut *one as &mut dyn Ledger, me), (other, joined.fence)] {
            let mut pulse = Pulse::of(me);
            pulse.leaves = true;
            ledger.beat(&pulse).unwrap();
        }
        // Where all have left, whoever comes first says it anew.
        let joined = other.join(&with("b", 60, None)).unwrap();
        assert_eq!(said(joined), (60, (Some(250), Some(250))));
        let joined = one.join(&with("a", 5, None)).unwrap();
        assert_eq!(said(joined), (60, (Some(250), Some(250))));
    }
    let memory = MemoryLedger::new(Some(60));
    check(&mut memory.connect(), &mut memory.connect());
    if let Some(cluster) = Cluster::alone() {
        let crawl = cluster.crawl(Some(60));
        check(&mut cluster.connect(&crawl), &mut cluster.connect(&crawl));
    }
}

#[test]
fn what_hosts_are_owed_is_said_by_who_has_their_part_and_heard_by_who_has_it_next() {
    fn check(one: &mut impl Ledger, other: &mut impl Ledger) {
        let (me, next) = (join(one, "a"), join(other, "b"));
        let mut pulse = Pulse::of(me);
        pulse.wants_parts = true;
        one.beat(&pulse).unwrap();
        let said = |words: &str| vec![(part(7), words.as_bytes().to_vec())];
        assert_eq!(one.manners(part(7)).unwrap(), None);
        other.hand_over(next, &said("of another's")).unwrap();
        one.hand_over(me, &said("")).unwrap();
        assert_eq!(other.manners(part(7)).unwrap(), None);
        one.hand_over(me, &said("wait")).unwrap();
        one.hand_over(me, &said("wait longer")).unwrap();
        pulse.leaves = true;
        one.beat(&pulse).unwrap();
        let heard = other.manners(part(7)).unwrap().expect("it was said");
        assert_eq!((heard.number, heard.node), (2, me.node));
        assert_eq!(heard.data, b"wait longer");
        assert!(heard.age < Duration::from_secs(60));
        let late = one.hand_over(me, &said("late"));
        assert!(matches!(late, Err(LedgerError::Fenced)));
        let long = vec![(part(7), vec![0; ledger::MANNERS_MAX + 1])];
        let refused = other.hand_over(next, &long);
        assert!(matches!(refused, Err(LedgerError::Bound { .. })));
        let mut pulse = Pulse::of(next);
        pulse.wants_parts = true;
        other.beat(&pulse).unwrap();
        let most = vec![(part(7), vec![b' '; ledger::MANNERS_MAX])];
        other.hand_over(next, &most).unwrap();
        other.hand_over(next, &said("")).unwrap();
        let heard = other.standing(&[part(7)]).unwrap().expect("one answer");
        assert_eq!(heard.manners[0].number, 4);
        assert!(heard.manners[0].data.is_empty());
    }
    let memory = MemoryLedger::new(None);
    check(&mut memory.connect(), &mut memory.connect());
    if let Some(cluster) = Cluster::alone() {
        let crawl = cluster.crawl(None);
        check(&mut cluster.connect(&crawl), &mut cluster.connect(&crawl));
    }
}

#[test]
fn more_urls_than_one_answer_holds_are_told_of_fewer_parts() {
    fn check(ledger: &mut impl Ledger) {
        let me = join(ledger, "a");
        let offers: Vec<_> = (0..4_200)
            .map(|number| offer(1 + (number % 2) as u16, number))
            .collect();
        for (group, journal) in offers.chunks(1_000).zip(1..) {
            ledger.open(me, group, &[]).unwrap();
            ledger.close(&closing(me, journal)).unwrap();
        }
        let parts = [1, 2].map(part);
        assert_eq!(ledger.standing(&parts).unwrap(), None);
        let of_one = ledger.standing(&parts[..1]).unwrap();
        let of_one = of_one.expect("one answer holds it");
        assert_eq!(of_one.waiting, ledger.pending(parts[0], None).unwrap());
        assert_eq!(of_one.waiting.len(), 2_100);
        assert_eq!(of_one.roots, ledger.roots(parts[0]).unwrap());
    }
    check(&mut MemoryLedger::new(None).connect());
    if let Some(cluster) = Cluster::alone() {
        let crawl = cluster.crawl(None);
        check(&mut cluster.connect(&crawl));
    }
}
