//! Pages, parts and addresses are shared out exactly.

use ledger::{AddressWish, Closed, Ledger, LedgerError, PostgresLedger, Pulse, Silent};

use crate::cards::{closing, join};
use crate::server::Cluster;

/// A node that spends pages as they are granted.
struct Spender {
    ledger: PostgresLedger,
    pulse: Pulse,
    journal: u64,
    used: u64,
}

impl Spender {
    fn join(mut ledger: PostgresLedger, name: &str) -> Spender {
        let mut pulse = Pulse::of(join(&mut ledger, name));
        pulse.pages = 50;
        Spender {
            ledger,
            pulse,
            journal: 0,
            used: 0,
        }
    }

    /// Pages that were granted and not used.
    fn ask(&mut self) -> u64 {
        let granted = self.ledger.beat(&self.pulse).unwrap().granted.unwrap();
        granted - self.used
    }

    fn spend(&mut self, pages: u64) -> Result<Closed, LedgerError> {
        self.journal += 1;
        let mut group = closing(self.pulse.me, self.journal);
        group.pages = pages as u32;
        self.ledger.open(self.pulse.me, &[], &[]).unwrap();
        let closed = self.ledger.close(&group)?;
        self.used += pages;
        Ok(closed)
    }

    fn spend_all(&mut self) {
        loop {
            let pages = self.ask();
            if pages == 0 {
                return;
            }
            self.spend(pages).unwrap();
        }
    }
}

#[test]
fn a_budget_over_five_nodes_is_spent_exactly_though_one_of_them_dies() {
    let Some(cluster) = Cluster::shared() else {
        return;
    };
    let crawl = cluster.crawl(Some(1_000));
    let spender = &|name: &str| Spender::join(cluster.connect(&crawl), name);
    // The first node dies with half of a grant in its hand.
    let mut dying = spender("dying");
    let granted = dying.ask();
    assert_eq!(granted, 50);
    dying.spend(granted / 2).unwrap();
    let spent: u64 = std::thread::scope(|scope| {
        let nodes: Vec<_> = ["a", "b", "c", "d"]
            .map(|name| {
                scope.spawn(move || {
                    let mut node = spender(name);
                    node.spend_all();
                    node.used
                })
            })
            .into_iter()
            .collect();
        nodes.into_iter().map(|node| node.join().unwrap()).sum()
    });
    assert_eq!(spent, 950);
    // A node that comes later takes the first for dead and spends what it left.
    let mut heir = spender("heir");
    assert_eq!(heir.ask(), 0);
    let nodes = heir.ledger.overview().unwrap().nodes;
    let dead = nodes.iter().find(|node| node.name == "dying").unwrap();
    heir.pulse.silent = vec![Silent {
        fence: dead.fence,
        beat: dead.beat,
    }];
    heir.spend_all();
    assert_eq!(heir.used, 25);
    assert!(matches!(heir.spend(1), Err(LedgerError::NotGranted)));
    let nodes = heir.ledger.overview().unwrap().nodes;
    assert_eq!(nodes.iter().map(|node| node.pages).sum::<u64>(), 1_000);
    let late = dying.ledger.open(dying.pulse.me, &[], &[]);
    assert!(matches!(late, Err(LedgerError::Fenced)));
}

#[test]
fn parts_are_spread_evenly_and_belong_to_one_node_each() {
    let Some(cluster) = Cluster::shared() else {
        return;
    };
    let crawl = cluster.crawl(None);
    let mut nodes: Vec<_> = (0..3).map(|_| cluster.connect(&crawl)).collect();
    let mut fences = Vec::new();
    let mut owned = vec![Vec::new(); 3];
    let mut wanted = vec![Vec::new(); 3];
    for round in 0..8 {
        // They come one after the other.
        if round < 3 {
            fences.push(join(&mut nodes[round], &format!("n{round}")));
        }
        for node in 0..fences.len() {
            let mut pulse = Pulse::of(fences[node]);
            pulse.wants_parts = true;
            pulse.release = std::mem::take(&mut wanted[node]);
            let tidings = nodes[node].beat(&pulse).unwrap();
            (owned[node], wanted[node]) = (tidings.parts, tidings.wanted);
        }
    }
    let mut sizes: Vec<usize> = owned.iter().map(Vec::len).collect();
    sizes.sort_unstable();
    assert!(sizes[0] >= 340 && sizes[2] <= 342, "{sizes:?}");
    let mut all = owned.concat();
    all.sort();
    all.dedup();
    assert_eq!(all.len(), 1_024);
}

#[test]
fn connections_to_an_address_never_exceed_their_sum() {
    let Some(cluster) = Cluster::shared() else {
        return;
    };
    let crawl = cluster.crawl(None);
    let address = "192.0.2.7".parse().unwrap();
    std::thread::scope(|scope| {
        for node in 0..4u16 {
            let crawl = &crawl;
            scope.spawn(move || {
                let mut ledger = cluster.connect(crawl);
                let me = join(&mut ledger, &format!("n{node}"));
                for round in 0..10u16 {
                    let mut pulse = Pulse::of(me);
                    let slots = (round * 7 + node * 3) % 6;
                    pulse.addresses = vec![AddressWish {
                        address,
                        slots,
                        slots_max: 8,
                    }];
                    let mine = ledger.beat(&pulse).unwrap().slots;
                    assert!(mine.iter().all(|(_, given)| *given <= slots));
                    let sum = format!(
                        "select coalesce(sum(slots), 0) <= 8 from {}.address",
                        crawl.schema()
                    );
                    assert_eq!(cluster.primary.sql("postgres", &sum), "t");
                }
            });
        }
    });
}
