//! What the order of parameters does not change.

use super::*;

const RULE: &str = "the order of parameters changes nothing on a.example";

/// The filters of a list in the order in which somebody chose them.
fn spelt(set: u32, order: &str) -> String {
    let filters = order.chars().map(|name| format!("{name}={set}"));
    let filters: Vec<String> = filters.collect();
    format!("http://a.example/shop?{}", filters.join("&"))
}

struct Crawl {
    frontier: frontier::Frontier,
    gate: FetchGate,
}

impl Crawl {
    /// Has read twelve sets of filters in two orders, which were the same.
    fn new(gate: FetchGate) -> Self {
        let frontier = frontier();
        let mut crawl = Self { frontier, gate };
        for set in 0..12 {
            crawl.read(&spelt(set, "cba"), None);
            crawl.read(&spelt(set, "bca"), Some(&spelt(set, "cba")));
        }
        crawl
    }

    fn read(&mut self, url: &str, original: Option<&str>) {
        let mut record = page(url, original);
        let url = CanonicalUrl::parse(url).unwrap();
        let normalizer = self.frontier.url_normalizer();
        let foreseen = self.gate.foreseen_by(&url, &normalizer);
        record.foreseen = foreseen.original;
        record.foreseen_by = foreseen.rules;
        record.foreseen_compared = foreseen.compared;
        record.foreseen_nothing = foreseen.nothing;
        let worth = crate::recorded::page_worth(&record).unwrap();
        let original = original_of(&record);
        self.frontier.observe(&url, 0, worth, original.as_ref());
        self.gate.on_page(0, &record, &normalizer);
    }

    fn check(&self, url: &str) -> Permission {
        let url = CanonicalUrl::parse(url).unwrap();
        let normalizer = self.frontier.url_normalizer();
        self.gate.check(&url.host(), &url, &normalizer)
    }
}

fn is_refused(permission: &Permission) -> bool {
    matches!(permission, Permission::Refused(_))
}

#[test]
fn a_set_of_filters_is_compared_in_two_orders_and_not_asked_for_in_others() {
    let mut crawl = Crawl::new(holding());
    let waits = Permission::HoldBack(HeldBack::UntilOthersAreDone);
    for set in 20..60 {
        assert_eq!(crawl.check(&spelt(set, "bac")), Permission::Allowed);
        crawl.read(&spelt(set, "bac"), None);
        assert_eq!(crawl.check(&spelt(set, "acb")), waits);
        crawl.read(&spelt(set, "acb"), Some(&spelt(set, "bac")));
    }
    let further = (20..60).flat_map(|set| ["abc", "bca", "cab", "cba"].map(|o| spelt(set, o)));
    let refused = further.filter(|url| is_refused(&crawl.check(url))).count();
    assert!(refused >= 140, "{refused}");
    // Another set of filters has another page.
    assert_eq!(crawl.check(&spelt(60, "cab")), Permission::Allowed);
}

#[test]
fn pages_that_were_read_before_order_was_found_out_count_as_read_and_wait_to_be_compared() {
    let waits = Permission::HoldBack(HeldBack::UntilOthersAreDone);
    for gate in [holding(), refusing()] {
        let crawl = Crawl::new(gate);
        for set in 0..12 {
            for order in ["abc", "acb", "bac", "cab"] {
                assert_eq!(crawl.check(&spelt(set, order)), waits);
            }
        }
    }
}

#[test]
fn the_order_of_values_of_one_name_stays_a_page_of_its_own() {
    let mut crawl = Crawl::new(refusing());
    for number in 0..40 {
        let url = |one: u32, other: u32| {
            format!("http://a.example/compare?a[]={one}&with=prices&a[]={other}")
        };
        crawl.read(&url(number, 100), None);
        assert_eq!(crawl.check(&url(100, number)), Permission::Allowed);
    }
}

#[test]
fn a_page_of_its_own_in_another_order_brings_back_all_that_was_refused() {
    let mut crawl = Crawl::new(refusing());
    let normalizer = crawl.frontier.url_normalizer();
    let mut refused = Vec::new();
    for set in 0..12 {
        crawl.read(&spelt(set, "acb"), Some(&spelt(set, "cba")));
        let url = spelt(set, "abc");
        if let Permission::Refused(Refused::Refusal(refusal)) = crawl.check(&url) {
            assert_eq!(refusal.rules(), [outcome::of_compared(RULE)]);
            let record = PageRecord {
                url: url.clone(),
                outcome: Outcome::Refused(refusal),
                ..PageRecord::default()
            };
            crawl.gate.on_page(0, &record, &normalizer);
            refused.push(url);
        }
    }
    assert!(refused.len() >= 8 && wrong(&crawl.gate).is_empty());
    crawl.read("http://a.example/way?from=b&to=a", None);
    crawl.read("http://a.example/way?to=a&from=b", None);
    let expected = (outcome::of_compared(RULE), refused.clone());
    assert_eq!(wrong(&crawl.gate), [expected]);
    assert!(refused.iter().all(|url| !is_refused(&crawl.check(url))));
}
