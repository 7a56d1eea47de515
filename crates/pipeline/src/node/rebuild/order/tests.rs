//! Small journals that contradict each other, and what becomes of them.

use ledger::global_page;

use super::*;

const KEY: UrlKey = UrlKey([7; 16]);

fn outline(tail: &[(u64, u64)]) -> Outline {
    let records = tail.iter().map(|(page, begins)| (*page, Position(*begins)));
    Outline {
        tail: Tail {
            records: records.collect(),
        },
        ..Outline::default()
    }
}

fn ended(order: &mut Order, ends: &[(u64, u64)]) {
    let ends = ends.iter().map(|&(at_ms, page)| End { at_ms, page });
    let mut ends = ends.collect::<Vec<End>>().into_iter();
    order.ends.extend(ends.next().map(|end| (KEY, end)));
    order.more_ends.insert(KEY, ends.collect());
}

fn back(at_ms: u64, context: Option<Vec<u8>>) -> Back {
    Back {
        at_ms,
        node: 1,
        context,
    }
}

#[test]
fn of_two_texts_in_one_place_the_earlier_was_never_acknowledged() {
    let (dead, next) = (global_page(1, 9), global_page(2, 4));
    let mut order = Order::default();
    order.places.insert(5, vec![(dead, 100), (next, 200)]);
    let outlines = [
        outline(&[(dead, 77), (global_page(1, 8), 60)]),
        outline(&[]),
    ];
    let cuts = order.settle(&outlines).expect("it is settled");
    assert_eq!(cuts, [(1, Position(77))].into());
    assert_eq!(order.places[&5], [(next, 200)]);
}

#[test]
fn what_was_acknowledged_stands_whatever_the_clock_of_the_dead_said() {
    let (dead, next) = (global_page(1, 9), global_page(2, 4));
    let mut order = Order::default();
    order.places.insert(5, vec![(dead, 900), (next, 200)]);
    let outlines = [outline(&[(dead, 77)]), outline(&[])];
    let cuts = order.settle(&outlines).expect("it is settled");
    assert_eq!(cuts, [(1, Position(77))].into());
    assert_eq!(order.places[&5], [(next, 200)]);
}

#[test]
fn a_text_that_others_have_seen_was_acknowledged() {
    let (seen, other) = (global_page(1, 9), global_page(2, 4));
    let mut order = Order::default();
    order.places.insert(5, vec![(seen, 100), (other, 200)]);
    order.witnessed.insert(seen);
    let outlines = [outline(&[(seen, 77)]), outline(&[(other, 30)])];
    let cuts = order.settle(&outlines).expect("it is settled");
    assert_eq!(cuts, [(2, Position(30))].into());
    assert_eq!(order.places[&5], [(seen, 100)]);
}

#[test]
fn what_stands_before_a_look_at_the_others_gives_way_to_nobody() {
    let (one, other) = (global_page(1, 9), global_page(2, 4));
    let mut order = Order::default();
    order.places.insert(5, vec![(one, 100), (other, 200)]);
    let refused = order.settle(&[outline(&[]), outline(&[])]);
    let said = refused.expect_err("a contradiction").to_string();
    assert!(said.contains("place 5"), "{said}");
}

#[test]
fn a_url_that_two_nodes_finished_ended_with_the_later() {
    let (dead, next) = (global_page(1, 9), global_page(2, 4));
    let mut order = Order::default();
    ended(&mut order, &[(100, dead), (200, next)]);
    order.places.insert(1, vec![(global_page(1, 10), 110)]);
    let tail = [(dead, 77), (global_page(1, 10), 90)];
    let cuts = order.settle(&[outline(&tail), outline(&[])]);
    assert_eq!(cuts.expect("it is settled"), [(1, Position(77))].into());
    let ends: Vec<u64> = order.ends_of(&KEY).iter().map(|end| end.page).collect();
    assert_eq!(ends, [next]);
    assert_eq!(order.last(), 0, "what stands behind the cut claims nothing");
}

#[test]
fn a_url_that_was_put_back_may_end_again() {
    let (first, again) = (global_page(1, 9), global_page(2, 4));
    let mut order = Order::default();
    ended(&mut order, &[(100, first), (200, again)]);
    let part = Part::new(3).expect("a part");
    let backs = vec![back(150, Some(vec![1]))];
    order.put_back.insert(KEY, (part, backs.clone()));
    let cuts = order.settle(&[outline(&[(first, 5)]), outline(&[(again, 5)])]);
    assert_eq!(cuts.expect("it is settled"), HashMap::new());
    assert_eq!(order.puts(&KEY, &backs), [&backs[0]]);
}

#[test]
fn that_a_node_was_lost_may_be_told_often_and_puts_back_once() {
    let mut order = Order::default();
    ended(&mut order, &[(100, global_page(1, 9))]);
    let told = [back(150, None), back(160, None), back(170, None)];
    assert_eq!(order.puts(&KEY, &told).len(), 1, "it waits");
    let early = [back(50, None), back(60, None)];
    assert_eq!(order.puts(&KEY, &early).len(), 0, "it ended since");
}

#[test]
fn a_place_that_nobody_claims_belongs_to_a_lost_node() {
    let mut order = Order::default();
    order.places.insert(1, vec![(global_page(1, 3), 10)]);
    order.places.insert(3, vec![(global_page(1, 7), 30)]);
    order.witnessed.insert(global_page(2, 8));
    let said = order.withdrawals(&[]).expect_err("a gap").to_string();
    assert!(said.contains("place 2"), "{said}");
    let entries = order.withdrawals(&[2]).expect("entries");
    let entries: Vec<(u64, u64)> = (entries.iter())
        .map(|row| (row.position, row.page))
        .collect();
    assert_eq!(entries, [(2, global_page(2, 0)), (4, global_page(2, 8))]);
}
