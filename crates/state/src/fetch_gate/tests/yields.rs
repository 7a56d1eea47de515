//! Hosts and forms that yield next to nothing.

use super::*;

#[test]
fn at_the_bound_hosts_stopped_longest_ago_are_forgotten_and_new_ones_are_stopped() {
    let mut gate = refusing();
    gate.stopped = RecentMap::with_max(4);
    for number in 0..10 {
        gate.set_stopped(&format!("h{number}.example"), Some("nothing there".into()));
    }
    let is_stopped = |number| gate.stopped.contains_key(&format!("h{number}.example"));
    assert!(is_stopped(9) && is_stopped(8) && !is_stopped(0));
    assert!(gate.stopped.len() <= 4);
}

#[test]
fn a_stopped_host_is_refused_in_a_crawl_with_a_topic_but_for_probes() {
    for has_topic in [true, false] {
        let mut gate = FetchGate::new(0, LearntPolicy::usual(has_topic));
        gate.set_stopped("a.example", Some("nothing there".into()));
        let checked: Vec<Permission> = (0..1_000)
            .map(|number| check(&gate, &format!("http://a.example/{number}")))
            .collect();
        let waits = Permission::HoldBack(HeldBack::UntilOthersAreDone);
        if has_topic {
            let allowed = checked.iter().filter(|&is| *is == Permission::Allowed);
            assert!((10..100).contains(&allowed.count()));
            assert!(!checked.contains(&waits));
        } else {
            let wait = checked.iter().filter(|&is| *is == waits).count();
            let allowed = checked.iter().filter(|&is| *is == Permission::Allowed);
            assert_eq!(wait + allowed.count(), checked.len());
            assert!((900..990).contains(&wait), "{wait}");
        }
        gate.set_stopped("a.example", None);
        assert_eq!(check(&gate, "http://a.example/x"), Permission::Allowed);
    }
}

#[test]
fn what_is_barren_is_fetched_at_last_where_a_crawl_never_stops_for_want_of_harvest() {
    // Of a crawl's only host 36 URLs were refused, lists among them, and 440 pages were never found.
    let learnt = LearntPolicy {
        low_yield: Learnt::Last,
        ..LearntPolicy::usual(true)
    };
    let mut gate = FetchGate::new(0, learnt);
    gate.set_stopped("a.example", Some("nothing there".into()));
    let url = |number: &u32| format!("http://a.example/{number}");
    let waits = Permission::HoldBack(HeldBack::UntilOthersAreDone);
    let waiting = (0..1_000).filter(|number| check(&gate, &url(number)) == waits);
    let waiting = waiting.count();
    assert!((900..990).contains(&waiting), "{waiting}");
    assert!((0..1_000).all(|number| check_at_last(&gate, &url(&number)) == Permission::Allowed));
}

#[test]
fn pages_that_ask_not_to_be_indexed_yield_what_they_lead_to() {
    let mut gate = refusing();
    let withheld = |url: String| PageRecord {
        outcome: Outcome::Judged(Verdict::Junk(JunkReason::NoIndex)),
        ..page(&url, None)
    };
    let is_low = |gate: &FetchGate, url: &str| gate.rules.is_low_yield(url);
    for number in 0..80 {
        take_in(
            &mut gate,
            &withheld(format!("http://a.example/do/edit?id={number}")),
        );
        let mut list = withheld(format!("http://a.example/by/tags?id={number}"));
        let post = format!("http://a.example/post/{number}");
        list.links = vec![LinkRecord {
            url: post.clone(),
            fate: LinkFate::New,
            ..LinkRecord::default()
        }];
        take_in(&mut gate, &list);
        let found = PageRecord {
            via: Some(xxh3_64(list.url.as_bytes())),
            ..page(&post, None)
        };
        take_in(&mut gate, &found);
    }
    assert!(is_low(&gate, "http://a.example/do/edit?id=81"));
    assert!(!is_low(&gate, "http://a.example/by/tags?id=81"));
}

#[test]
fn a_form_that_only_redirects_to_what_is_known_yields_nothing() {
    for (fate, is_held) in [(LinkFate::Seen, true), (LinkFate::New, false)] {
        let mut gate = holding();
        for number in 0..80 {
            let redirect = LinkRecord {
                url: format!("http://a.example/a/{number}"),
                rel: "redirect".into(),
                fate: fate.clone(),
                ..LinkRecord::default()
            };
            let record = PageRecord {
                outcome: Outcome::Redirected,
                links: vec![redirect],
                page: None,
                ..page(&format!("http://a.example/goto/{number}"), None)
            };
            take_in(&mut gate, &record);
        }
        let held = (100..200).filter(|number| {
            let url = format!("http://a.example/goto/{number}");
            matches!(check(&gate, &url), Permission::HoldBack(_))
        });
        assert_eq!(held.count() > 80, is_held, "{fate:?}");
    }
}

#[test]
fn what_was_refused_for_its_form_comes_back_once_pages_of_it_led_to_some_that_are_kept() {
    let mut gate = refusing();
    let list = |number: u32| format!("http://a.example/by/tags?id={number}");
    let post = "http://a.example/post/1".to_owned();
    for number in 0..60 {
        let mut thin = thin(&list(number));
        thin.links = vec![LinkRecord {
            url: post.clone(),
            fate: LinkFate::New,
            ..LinkRecord::default()
        }];
        take_in(&mut gate, &thin);
    }
    let refused = (100..).find_map(|number| match check(&gate, &list(number)) {
        Permission::Refused(Refused::Refusal(refusal)) => Some((list(number), refusal)),
        _ => None,
    });
    let (url, refusal) = refused.expect("the form is barren");
    let record = PageRecord {
        url: url.clone(),
        outcome: Outcome::Refused(refusal),
        ..PageRecord::default()
    };
    take_in(&mut gate, &record);
    assert_eq!(wrong(&gate), []);
    for number in 0..2 {
        let found = PageRecord {
            via: Some(xxh3_64(list(number).as_bytes())),
            ..page(&format!("http://a.example/post/{number}"), None)
        };
        take_in(&mut gate, &found);
    }
    let put_back: Vec<String> = wrong(&gate)
        .into_iter()
        .flat_map(|(_, urls)| urls)
        .collect();
    assert_eq!(put_back, [url]);
}
