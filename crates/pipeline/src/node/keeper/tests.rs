use ledger::{MemoryLedger, NodeCard};

use super::*;

/// Longer than any of these tests takes, so that no regular sign of life falls into one.
const TTL: Duration = Duration::from_secs(600);

fn card(name: &str) -> NodeCard {
    NodeCard {
        name: name.into(),
        scheme: "words 1".into(),
        config: Vec::new(),
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
