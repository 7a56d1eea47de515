//! A node that was taken for dead writes nothing any more, wherever it stopped.

use std::time::Duration;

use ledger::{
    Closed, Fence, Ledger, LedgerError, NodeState, PostgresLedger, Pulse, Silent, Tidings,
};

use crate::cards::{closing, finish, join, keep, kept, offer, part};
use crate::relay::{Mode, Relay};
use crate::server::{Cluster, settings};

/// What a node sees of another one.
fn seen(ledger: &mut PostgresLedger, node: u16) -> Silent {
    let nodes = ledger.overview().unwrap().nodes;
    let node = nodes.iter().find(|seen| seen.fence.node == node).unwrap();
    Silent {
        fence: node.fence,
        beat: node.beat,
    }
}

/// One node takes another for dead.
fn bury(ledger: &mut PostgresLedger, me: Fence, silent: Silent) -> Tidings {
    let mut pulse = Pulse::of(me);
    pulse.silent = vec![silent];
    pulse.wants_parts = true;
    ledger.beat(&pulse).unwrap()
}

fn state(tidings: &Tidings, node: Fence) -> NodeState {
    let seen = tidings
        .nodes
        .iter()
        .find(|seen| seen.fence.node == node.node);
    seen.unwrap().state
}

#[test]
fn a_node_that_stopped_before_its_group_is_refused_and_its_parts_go_on() {
    let Some(cluster) = Cluster::shared() else {
        return;
    };
    let crawl = cluster.crawl(None);
    let (mut a, mut b) = (cluster.connect(&crawl), cluster.connect(&crawl));
    let (old, other) = (join(&mut a, "a"), join(&mut b, "b"));
    let mut pulse = Pulse::of(old);
    pulse.wants_parts = true;
    assert_eq!(a.beat(&pulse).unwrap().parts.len(), 512);
    let silent = seen(&mut b, old.node);
    let tidings = bury(&mut b, other, silent);
    assert_eq!(state(&tidings, old), NodeState::Dead);
    assert_eq!(tidings.parts.len(), 1_024);
    let refused = [
        a.open(old, &[offer(1, 1)], &[]).map(drop),
        a.beat(&Pulse::of(old)).map(drop),
        a.tell(
            old,
            &ledger::Fact {
                kind: "stop".into(),
                data: vec![],
            },
        )
        .map(drop),
    ];
    for answer in refused {
        assert!(matches!(answer, Err(LedgerError::Fenced)), "{answer:?}");
    }
    let again = join(&mut a, "a");
    assert_eq!(again.node, old.node);
    assert!(again.epoch > old.epoch);
    assert_eq!(a.open(again, &[offer(1, 1)], &[]).unwrap(), [true]);
}

#[test]
fn a_node_that_beats_is_never_taken_for_dead_by_what_was_seen_before() {
    let Some(cluster) = Cluster::shared() else {
        return;
    };
    let crawl = cluster.crawl(None);
    let (mut a, mut b) = (cluster.connect(&crawl), cluster.connect(&crawl));
    let (one, other) = (join(&mut a, "a"), join(&mut b, "b"));
    let before = seen(&mut b, one.node);
    a.beat(&Pulse::of(one)).unwrap();
    let tidings = bury(&mut b, other, before);
    assert_eq!(state(&tidings, one), NodeState::Live);
}

#[test]
fn a_node_that_stopped_inside_its_group_loses_the_group_as_a_whole() {
    let Some(cluster) = Cluster::shared() else {
        return;
    };
    let crawl = cluster.crawl(None);
    let mut hasty = settings("tamis_node", &[cluster.primary.port], &crawl);
    hasty.patience = Duration::from_secs(2);
    let mut a = PostgresLedger::connect(hasty).unwrap();
    let mut b = cluster.connect(&crawl);
    let (old, other) = (join(&mut a, "a"), join(&mut b, "b"));
    let silent = seen(&mut b, old.node);
    let url = offer(1, 1);
    assert_eq!(
        a.open(old, std::slice::from_ref(&url), &[]).unwrap(),
        [true]
    );
    // Its row is locked: whoever takes it for dead now is not kept waiting.
    let tidings = bury(&mut b, other, silent);
    assert_eq!(state(&tidings, old), NodeState::Live);
    // It stands still until the server ends its transaction.
    cluster.primary.sql("postgres", "select pg_sleep(3)");
    let tidings = bury(&mut b, other, silent);
    assert_eq!(state(&tidings, old), NodeState::Dead);
    let mut late = keep(closing(old, 100), 0, vec![kept(1, 5)]);
    late.finished = vec![finish(&url, 1)];
    let answer = a.close(&late);
    assert!(
        matches!(answer, Err(LedgerError::Away(_) | LedgerError::NoGroup)),
        "{answer:?}"
    );
    assert!(matches!(a.open(old, &[url], &[]), Err(LedgerError::Fenced)));
    let after = b.overview().unwrap();
    assert_eq!((after.position, after.pending()), (0, 0));
    assert!(b.pending(part(1), None).unwrap().is_empty());
}

#[test]
fn a_group_that_ends_before_the_takeover_stands() {
    let Some(cluster) = Cluster::shared() else {
        return;
    };
    let crawl = cluster.crawl(None);
    let (mut a, mut b) = (cluster.connect(&crawl), cluster.connect(&crawl));
    let (old, other) = (join(&mut a, "a"), join(&mut b, "b"));
    let silent = seen(&mut b, old.node);
    a.open(old, &[offer(1, 1), offer(1, 2)], &[]).unwrap();
    assert_eq!(state(&bury(&mut b, other, silent), old), NodeState::Live);
    let mut whole = keep(closing(old, 100), 0, vec![kept(1, 5)]);
    whole.finished = vec![finish(&offer(1, 1), 1)];
    assert_eq!(a.close(&whole).unwrap(), Closed::Committed { first: 1 });
    assert_eq!(state(&bury(&mut b, other, silent), old), NodeState::Dead);
    let after = b.overview().unwrap();
    assert_eq!((after.position, after.pending()), (1, 1));
    assert_eq!(b.pending(part(1), None).unwrap().len(), 1);
}

#[test]
fn whoever_joins_under_the_same_name_fences_the_one_before() {
    let Some(cluster) = Cluster::shared() else {
        return;
    };
    let crawl = cluster.crawl(None);
    let (mut a, mut twin) = (cluster.connect(&crawl), cluster.connect(&crawl));
    let old = join(&mut a, "a");
    let new = join(&mut twin, "a");
    assert_eq!((new.node, new.epoch), (old.node, old.epoch + 1));
    assert!(matches!(a.open(old, &[], &[]), Err(LedgerError::Fenced)));
    assert!(twin.open(new, &[], &[]).is_ok());
}

#[test]
fn a_commit_whose_answer_is_lost_is_found_again() {
    let Some(cluster) = Cluster::shared() else {
        return;
    };
    let crawl = cluster.crawl(None);
    let relay = Relay::to(cluster.primary.port);
    let mut through = settings("tamis_node", &[relay.port], &crawl);
    through.patience = Duration::from_secs(2);
    let mut a = PostgresLedger::connect(through).unwrap();
    let me = join(&mut a, "a");
    // Slow, but it works.
    relay.set(Mode::Delay(Duration::from_millis(50)));
    a.open(me, &[offer(1, 1)], &[]).unwrap();
    assert_eq!(
        a.close(&closing(me, 1)).unwrap(),
        Closed::Committed { first: 1 }
    );
    // Cut before the group ends: nothing of it is there.
    relay.set(Mode::Pass);
    a.open(me, &[offer(1, 2)], &[]).unwrap();
    relay.set(Mode::Cut);
    assert!(matches!(
        a.close(&closing(me, 2)),
        Err(LedgerError::Away(_))
    ));
    assert!(matches!(
        a.open(me, &[offer(1, 2)], &[]),
        Err(LedgerError::Away(_))
    ));
    relay.set(Mode::Pass);
    assert_eq!(a.open(me, &[offer(1, 2)], &[]).unwrap(), [true]);
    // No answer comes, and no new connection: the end is not known, and asked for later.
    let asked = std::thread::scope(|scope| {
        let closing = scope.spawn(|| a.close(&keep(closing(me, 3), 0, vec![kept(1, 5)])));
        relay.set(Mode::FreezeAnswers);
        closing.join().unwrap()
    });
    assert!(
        matches!(
            asked,
            Err(LedgerError::Away(_)) | Ok(Closed::Unknown | Closed::Committed { .. })
        ),
        "{asked:?}"
    );
    relay.set(Mode::Cut);
    relay.set(Mode::Pass);
    let journal = a.beat(&Pulse::of(me)).unwrap().journal;
    let position = a.overview().unwrap().position;
    assert!(
        (journal, position) == (3, 1) || (journal, position) == (1, 0),
        "{journal} {position}"
    );
    if let Ok(Closed::Committed { .. }) = asked {
        assert_eq!(journal, 3);
    }
}
