use std::sync::mpsc::sync_channel;

use ledger::{MemoryLedger, NodeCard, NodePulse};

use super::*;

/// Longer than any of these tests takes, so that no regular sign of life falls into one.
const TTL: Duration = Duration::from_secs(600);

fn card(name: &str) -> NodeCard {
    NodeCard {
        name: name.into(),
        scheme: "words 1".into(),
        config: Vec::new(),
        ttl: Duration::from_secs(15),
        pages_max: None,
    }
}

fn promising(promise: f32) -> Vec<u8> {
    let note = NodeNote {
        next: Some(promise),
        ..NodeNote::default()
    };
    note.to_bytes()
}

#[test]
fn who_shares_no_budget_of_pages_gives_way_to_nobody() {
    for (pages_max, elsewhere) in [(Some(1_000), Some(0.9)), (None, None)] {
        let mut ledger = MemoryLedger::new(pages_max);
        let mut join = |name: &str| ledger.join(&card(name)).expect("joins").fence;
        let (me, other) = (join("me"), join("other"));
        let pulse = Pulse {
            note: promising(0.9),
            ..Pulse::of(other)
        };
        ledger.beat(&pulse).expect("beats");
        let shared = Shared::new(TTL, 0);
        let tidings = ledger.beat(&Pulse::of(me)).expect("beats");
        shared.take((me, shared.now()), (0, 0, 1), &tidings);
        assert_eq!(shared.elsewhere(), elsewhere, "{pages_max:?}");
    }
}

/// A node that keeps its lease, with a regular sign of life every two minutes.
struct Kept {
    keeper: Keeper,
    shared: Arc<Shared>,
    ledger: MemoryLedger,
    me: Fence,
    _inbox: Receiver<ToWriter>,
}

impl Kept {
    fn new(pages_max: Option<u64>) -> Kept {
        let mut ledger = MemoryLedger::new(pages_max);
        let me = ledger.join(&card("me")).expect("joins").fence;
        let shared = Arc::new(Shared::new(TTL, 0));
        let (to_writer, inbox) = sync_channel(16);
        let own = (
            Box::new(ledger.connect()) as Box<dyn Ledger>,
            Meter::default(),
        );
        let keeper = Keeper::start(own, me, (TTL, 0), Arc::clone(&shared), to_writer);
        Kept {
            keeper: keeper.expect("a thread"),
            shared,
            ledger,
            me,
            _inbox: inbox,
        }
    }

    fn pulse(&mut self) -> NodePulse {
        let overview = self.ledger.overview().expect("answers");
        let mut nodes = overview.nodes.into_iter();
        (nodes.find(|node| node.fence == self.me)).expect("it has joined")
    }

    /// Waits until it has told this.
    #[track_caller]
    fn tells(&mut self, what: impl Fn(&NodePulse) -> bool) {
        let until = Instant::now() + Duration::from_secs(20);
        while !what(&self.pulse()) {
            assert!(Instant::now() < until, "{:?}", self.pulse());
            std::thread::park_timeout(Duration::from_millis(10));
        }
    }
}

#[test]
fn a_promise_that_moved_is_told_before_the_next_regular_sign_of_life() {
    let mut kept = Kept::new(None);
    kept.tells(|pulse| pulse.beat > 0);
    let told = |pulse: &NodePulse| NodeNote::read(&pulse.note).next;
    assert_eq!(told(&kept.pulse()), None);
    kept.shared.show_turn(Some(0.7), false);
    kept.shared.closed(0, 8);
    kept.tells(|pulse| told(pulse) == Some(0.7));
    // Nothing is news now.
    let beat = kept.pulse().beat;
    std::thread::park_timeout(3 * FOLLOW_EVERY);
    assert_eq!(kept.pulse().beat, beat);
    kept.keeper.end(true);
}

#[test]
fn a_node_that_runs_short_asks_for_pages_before_the_next_regular_sign_of_life() {
    let mut kept = Kept::new(Some(10_000));
    kept.tells(|pulse| pulse.beat > 0);
    let granted = |kept: &Kept| kept.shared.granted().unwrap_or_default();
    let first = granted(&kept);
    // All of it is under way.
    kept.shared.show_work(first.max(1), false);
    let until = Instant::now() + Duration::from_secs(20);
    while granted(&kept) <= first {
        assert!(Instant::now() < until, "{first} are granted still");
        std::thread::park_timeout(Duration::from_millis(10));
    }
    kept.keeper.end(true);
}
