//! What has room, and what has not.

use super::*;
use crate::units::Size;

fn room(change: impl FnOnce(&mut CrawlConfig)) -> Room {
    let mut config = CrawlConfig::default();
    config.crawl.concurrency = 4;
    change(&mut config);
    let pages_max = config.crawl.max_pages;
    Room::new(&config, (0, pages_max), false)
}

#[test]
fn a_fetch_begins_while_a_byte_is_left_and_not_after() {
    let mut room = room(|config| config.limits.bytes_in_flight = Size(100));
    room.bytes = 99;
    assert!(room.has_room());
    room.bytes = 100;
    assert!(!room.has_room());
}

#[test]
fn leases_under_way_count_against_the_page_budget() {
    let mut room = room(|config| config.crawl.max_pages = 10);
    room.pages = 8;
    room.leases = 1;
    assert!(room.has_room() && !room.is_used_up());
    room.leases = 2;
    assert!(!room.has_room());
    room.pages = 10;
    assert!(room.is_used_up());
}

#[test]
fn one_connection_has_one_lease_and_many_may_run_ahead_of_their_records() {
    let one = room(|config| config.crawl.concurrency = 1);
    assert_eq!(one.leases_max, 1);
    let mut four = room(|_| {});
    four.leases = 4;
    assert!(four.has_room());
    four.visits = 4;
    assert!(!four.has_room());
}

#[test]
fn one_connection_asks_nothing_until_an_answer_to_robots_txt_is_recorded() {
    let mut one = room(|config| config.crawl.concurrency = 1);
    one.robots = 1;
    assert!(!one.has_room());
    // It is asked for elsewhere, and that takes the connection.
    one.robots_moved = 1;
    assert!(one.has_room());
    let mut four = room(|_| {});
    four.robots = 1;
    assert!(four.has_room());
}
