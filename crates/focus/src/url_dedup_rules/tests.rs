use super::*;
use proptest::prelude::*;

fn no_rules() -> UrlDedupRules {
    UrlDedupRules::new(&UrlDedupConfig {
        probe_share: 0.0,
        ..UrlDedupConfig::default()
    })
}

fn pair(rules: &mut UrlDedupRules, dup: &str, kept: &str) {
    rules.observe_pair(dup, kept, std::iter::empty());
}

fn learnt_from(dup: impl Fn(u32) -> String, kept: impl Fn(u32) -> String) -> UrlDedupRules {
    let mut rules = no_rules();
    rules.note_host("http://a.example/");
    for number in 0..12 {
        pair(&mut rules, &dup(number), &kept(number));
    }
    rules
}

fn original(rules: &UrlDedupRules, url: &str) -> Option<String> {
    rules.predict(url).map(|prediction| prediction.kept_url)
}

#[test]
fn a_mirror_is_learnt_whichever_copy_was_read_first() {
    let (mirror, site) = (
        |n| format!("http://m.example/p/{n}"),
        |n| format!("http://a.example/p/{n}"),
    );
    for rules in [learnt_from(mirror, site), learnt_from(site, mirror)] {
        assert_eq!(
            original(&rules, "http://m.example/q?z=1").as_deref(),
            Some("http://a.example/q?z=1")
        );
        assert_eq!(original(&rules, "http://a.example/q"), None);
    }
}

#[test]
fn print_versions_and_index_pages_are_learnt_from_pairs() {
    let rules = learnt_from(
        |n| format!("http://a.example/print/p{n}.html"),
        |n| format!("http://a.example/p{n}.html"),
    );
    assert_eq!(
        original(&rules, "http://a.example/print/x.html").as_deref(),
        Some("http://a.example/x.html")
    );
    let rules = learnt_from(
        |n| format!("http://a.example/d{n}/"),
        |n| format!("http://a.example/d{n}/index.html"),
    );
    assert_eq!(
        original(&rules, "http://a.example/e/index.html").as_deref(),
        Some("http://a.example/e/")
    );
}

#[test]
fn rules_follow_each_other() {
    let mut rules = learnt_from(
        |n| format!("http://m.example/p/{n}"),
        |n| format!("http://a.example/p/{n}"),
    );
    for number in 0..12 {
        pair(
            &mut rules,
            &format!("http://a.example/print/{number}"),
            &format!("http://a.example/{number}"),
        );
    }
    let prediction = rules.predict("http://m.example/print/9").unwrap();
    assert_eq!(prediction.kept_url, "http://a.example/9");
    let rules = prediction.rules.join("; ");
    assert!(rules.contains("mirrors") && rules.contains("print"));
}

#[test]
fn a_rule_that_skips_unique_pages_is_no_longer_believed() {
    let mut rules = learnt_from(
        |n| format!("http://a.example/print/{n}"),
        |n| format!("http://a.example/{n}"),
    );
    let other = "http://a.example/print/x";
    assert!(rules.predict(other).is_some());
    // A copy that is read before its original says nothing against the rule.
    rules.observe_unique("http://a.example/print/30", |_| false);
    assert!(rules.predict(other).is_some());
    for number in 40..44 {
        rules.observe_unique(&format!("http://a.example/print/{number}"), |_| true);
    }
    assert_eq!(rules.predict(other), None);
}

#[test]
fn a_copy_that_leads_to_pages_of_its_own_makes_no_rule() {
    let mut rules = no_rules();
    for number in 0..12 {
        rules.observe_pair(
            &format!("http://a.example/print/{number}"),
            &format!("http://a.example/{number}"),
            [format!("http://a.example/post/{number}").as_str()].into_iter(),
        );
    }
    assert!(rules.rules().is_empty());
}

#[test]
fn a_mirror_may_link_to_its_original() {
    let mut rules = no_rules();
    rules.note_host("http://a.example/");
    for number in 0..12 {
        rules.observe_pair(
            &format!("http://m.example/{number}"),
            &format!("http://a.example/{number}"),
            [format!("http://a.example/{number}?sid=7").as_str()].into_iter(),
        );
    }
    assert_eq!(
        original(&rules, "http://m.example/x").as_deref(),
        Some("http://a.example/x")
    );
}

#[test]
fn of_two_hosts_that_are_no_seeds_the_one_that_was_kept_is_the_original() {
    let mut rules = no_rules();
    for number in 0..40 {
        rules.observe_pair(
            &format!("http://m.example/{number}"),
            &format!("http://a.example/{number}"),
            std::iter::empty(),
        );
    }
    let copy = original(&rules, "http://m.example/x");
    assert_eq!(copy.as_deref(), Some("http://a.example/x"));
    assert_eq!(original(&rules, "http://a.example/x"), None);
}

#[test]
fn a_rule_that_is_no_longer_believed_is_told_once_and_after_three_times_never_believed_again() {
    let mut rules = no_rules();
    let mut number = 0;
    let mut show = |rules: &mut UrlDedupRules, pairs: usize| {
        for _ in 0..pairs {
            number += 1;
            let copy = format!("http://m.example/{number}");
            pair(rules, &copy, &format!("http://a.example/{number}"));
        }
    };
    let other = "http://m.example/x";
    for time in 0..3u32 {
        show(&mut rules, 400);
        assert!(rules.predict(other).is_some());
        assert!(rules.take_lifted().is_empty());
        while rules.predict(other).is_some() {
            rules.observe_unique("http://m.example/own", |_| true);
        }
        assert_eq!(
            rules.take_lifted(),
            ["m.example mirrors a.example"],
            "{time}"
        );
        rules.observe_unique("http://m.example/more", |_| true);
        assert!(rules.take_lifted().is_empty());
    }
    show(&mut rules, 4_000);
    assert_eq!(rules.predict(other), None);
}

#[test]
fn a_page_that_names_itself_as_canonical_speaks_against_a_rule() {
    let mut rules = no_rules();
    for number in 0..20 {
        let copy = format!("http://a.example/garden/item-{number}");
        let original = format!("http://a.example/products/item-{number}");
        pair(&mut rules, &copy, &original);
        rules.observe_canonical_pair(&copy, &original, std::iter::empty());
    }
    let own = "http://a.example/garden/own";
    for _ in 0..4 {
        assert!(rules.predict(own).is_some());
        rules.observe_declared_canonical(own, own);
        if rules.predict(own).is_none() {
            break;
        }
    }
    assert_eq!(
        rules.take_lifted(),
        [
            "\"/garden\" is the same as \"/products\" on a.example",
            "http://a.example/garden/… names http://a.example/products/… as canonical"
        ]
    );
}

/// A site that repeats its pages under a language for as long as they are not translated.
#[test]
fn a_language_is_no_form_of_a_page() {
    for language in ["zh-cn", "fr-ca", "english"] {
        let rules = learnt_from(
            |n| format!("http://a.example/{language}/p{n}.html"),
            |n| format!("http://a.example/p{n}.html"),
        );
        assert_eq!(rules.rules(), [], "{language}");
    }
    for (copy, original) in [
        ("http://zh.a.example", "http://a.example"),
        ("http://fr.a.example", "http://de.a.example"),
    ] {
        let rules = learnt_from(|n| format!("{copy}/{n}"), |n| format!("{original}/{n}"));
        assert_eq!(rules.rules(), [], "{copy}");
    }
    for (copy, original) in [("/de/", "/en/"), ("/item?lang=de&n=", "/item?n=")] {
        let rules = learnt_from_canonicals(|n| {
            let url = |form| format!("http://a.example{form}page-{n}");
            (url(copy), url(original))
        });
        assert_eq!(rules.rules(), [], "{copy}");
    }
}

#[test]
fn parameter_names_in_a_description_are_percent_encoded() {
    let rules = learnt_from_canonicals(|number| {
        let original = format!("http://a.example/item-{number}");
        (format!("{original}?x%3B%20y=1"), original)
    });
    let rules = rules.rules();
    assert!(rules[0].0.contains(" without x%3B+y as"), "{rules:?}");
}

#[test]
fn two_names_of_one_page_make_no_rule() {
    let rules = learnt_from(
        |n| format!("http://a.example/old-name-{n}"),
        |n| format!("http://a.example/new-title-{n}"),
    );
    assert!(rules.rules().is_empty());
}

#[track_caller]
fn check_names(copy: &str, of: &str, other: &str, expected: Option<&str>) {
    let at = |form: &str, name: &str| format!("http://a.example{}", form.replace('N', name));
    let rules = learnt_from(|n| at(copy, &n.to_string()), |n| at(of, &n.to_string()));
    let found = original(&rules, &at(other, "x-9"));
    assert_eq!(found, expected.map(|form| at(form, "x-9")), "{copy} {of}");
}

#[test]
fn one_name_in_the_place_of_another_is_a_form_where_the_rest_names_the_page() {
    for (copy, original) in [
        ("/print/N", "/article/N"),
        ("/print/N", "/a/N"),
        ("/news/print/N.html", "/news/view/N.html"),
        ("/print.php?id=N", "/show.php?id=N"),
        ("/print?id=N", "/show?id=N"),
        ("/m/a/N", "/a/N"),
        ("/a/N/amp", "/a/N"),
        ("/a/N/print", "/a/N"),
    ] {
        check_names(copy, original, copy, Some(original));
        check_names(copy, original, original, None);
    }
    // Two names of one page, a number that may count, and a word that only begins like the name.
    check_names("/old/print", "/old/article", "/old/print", None);
    check_names("/2/N", "/3/N", "/2/N", None);
    check_names("/print/N", "/article/N", "/printing/N", None);
    check_names("/de/N", "/en/N", "/de/N", None);
}

#[test]
fn of_two_names_that_of_the_pages_that_are_mostly_read_first_is_the_originals() {
    let mut rules = no_rules();
    let url = |form: &str, n: u32| format!("http://a.example/{form}/{n}");
    for n in 0..50 {
        let (copy, kept) = match n % 3 {
            0 => ("a", "print"),
            _ => ("print", "a"),
        };
        pair(&mut rules, &url(copy, n), &url(kept, n));
    }
    let prediction = rules.predict(&url("print", 99)).expect("a rule");
    assert!(prediction.is_by_name);
    assert_eq!(prediction.kept_url, url("a", 99));
    assert_eq!(rules.predict(&url("a", 99)), None);
}

#[test]
fn a_few_pairs_are_no_rule() {
    let mut rules = no_rules();
    for number in 0..5 {
        pair(
            &mut rules,
            &format!("http://m.example/{number}"),
            &format!("http://a.example/{number}"),
        );
    }
    assert!(rules.rules().is_empty());
}

#[test]
fn draws_are_even_and_always_the_same() {
    let mut rules = UrlDedupRules::new(&UrlDedupConfig::default());
    rules.note_host("http://a.example/");
    for number in 0..12 {
        pair(
            &mut rules,
            &format!("http://m.example/{number}"),
            &format!("http://a.example/{number}"),
        );
    }
    let probes = (0..10_000)
        .filter_map(|number| rules.predict(&format!("http://m.example/page/{number}")))
        .filter(|prediction| prediction.draw < 0.05)
        .count();
    assert!((400..600).contains(&probes), "{probes}");
}

#[test]
fn a_group_that_yields_nothing_sinks_then_stops_and_is_probed() {
    let mut rules = UrlDedupRules::new(&UrlDedupConfig::default());
    assert_eq!(rules.yield_of("http://a.example/calendar/2020/01/"), 1.0);
    for day in 0..10 {
        rules.observe_yield(&format!("http://a.example/calendar/2020/{day}/"), false);
    }
    let sunk = rules.yield_of("http://a.example/calendar/2021/7/");
    assert!(sunk > 0.0 && sunk < 0.3, "{sunk}");
    for day in 0..200 {
        rules.observe_yield(&format!("http://a.example/calendar/2020/{day}/"), false);
    }
    let fetched = (0..2_000)
        .filter(|day| rules.yield_of(&format!("http://a.example/calendar/2022/{day}/")) > 0.0)
        .count();
    assert!((50..160).contains(&fetched), "{fetched}");
    assert_eq!(rules.yield_of("http://a.example/posts/2020/a-post/"), 1.0);
}

fn learnt_from_canonicals(form: impl Fn(u32) -> (String, String)) -> UrlDedupRules {
    let mut rules = no_rules();
    for number in 0..12 {
        let (copy, original) = form(number);
        pair(&mut rules, &copy, &original);
        assert_eq!(rules.rules(), [], "a pair alone does not show such a rule");
    }
    for number in 0..12 {
        let (copy, original) = form(number);
        rules.observe_canonical_pair(&copy, &original, std::iter::empty());
    }
    rules
}

#[track_caller]
fn check_named(form: fn(u32) -> (String, String), url: &str, expected: Option<&str>) {
    assert_eq!(
        original(&learnt_from_canonicals(form), url).as_deref(),
        expected
    );
}

#[test]
fn rewrites_are_learnt_from_what_copies_name_as_canonical() {
    let category = |n| {
        let item = format!("item-{n}.html");
        (
            format!("http://a.example/garden/tools/{item}"),
            format!("http://a.example/products/{item}"),
        )
    };
    check_named(
        category,
        "http://a.example/garden/tools/spade",
        Some("http://a.example/products/spade"),
    );
    check_named(category, "http://a.example/garden/spade", None);
    check_named(category, "http://b.example/garden/tools/spade", None);
    let mobile = |n| {
        (
            format!("https://m.example/amp/{n}.amp"),
            format!("http://a.example/amp/{n}.html"),
        )
    };
    check_named(
        mobile,
        "https://m.example/amp/x.amp",
        Some("http://a.example/amp/x.html"),
    );
    check_named(mobile, "http://m.example/amp/x.amp", None);
    let moved = |n| {
        (
            format!("http://a.example/old/{n}/x"),
            format!("http://a.example/docs/new/{n}/x"),
        )
    };
    check_named(
        moved,
        "http://a.example/old/9",
        Some("http://a.example/docs/new/9"),
    );
    check_named(moved, "http://a.example/docs/new/9", None);
    let tracked = |n| {
        (
            format!("http://a.example/p?utm=1&id={n}&ref=x"),
            format!("http://a.example/p?id={n}"),
        )
    };
    check_named(
        tracked,
        "http://a.example/q?ref=1&id=7&utm=2",
        Some("http://a.example/q?id=7"),
    );
    check_named(tracked, "http://a.example/q?ref=1&id=7", None);
    let scheme = |n| {
        (
            format!("http://a.example/{n}"),
            format!("https://a.example/{n}"),
        )
    };
    check_named(scheme, "http://a.example/x", Some("https://a.example/x"));
}

#[test]
fn a_page_that_names_another_canonical_speaks_against_the_rule() {
    let mut rules = learnt_from_canonicals(|n| {
        (
            format!("http://a.example/old/{n}"),
            format!("http://a.example/docs/new/{n}"),
        )
    });
    rules.observe_declared_canonical("http://a.example/old/20", "http://a.example/docs/new/20");
    assert!(rules.predict("http://a.example/old/x").is_some());
    for number in 30..34 {
        let url = format!("http://a.example/old/{number}");
        rules.observe_declared_canonical(&url, &url);
    }
    assert_eq!(rules.predict("http://a.example/old/x"), None);
}

#[test]
fn a_copy_with_links_of_its_own_makes_no_rule_whatever_it_names() {
    let mut rules = no_rules();
    for number in 0..20 {
        rules.observe_canonical_pair(
            &format!("http://a.example/list/{number}"),
            &format!("http://a.example/all/{number}"),
            [format!("http://a.example/post/{number}").as_str()].into_iter(),
        );
    }
    assert!(rules.rules().is_empty());
}

#[test]
fn rules_that_one_pair_has_shown_make_room_for_others() {
    let mut rules = no_rules();
    let pairs = RULES_MAX as u32 + 5_000;
    for number in 0..pairs {
        // Half of them on one host, which asks all of its own for each page.
        let host = match number % 2 {
            0 => "a.example".to_owned(),
            _ => format!("h{}.example", number % 97),
        };
        let (copy, original) = (
            format!("http://{host}/p/alias-{number}"),
            format!("http://{host}/p/title.{number}"),
        );
        rules.observe_canonical_pair(&copy, &original, std::iter::empty());
        // A form that shows itself every 500 pairs of the host.
        if number % 1_000 == 0 {
            let copy = format!("http://a.example/print/{number}");
            pair(&mut rules, &copy, &format!("http://a.example/{number}"));
        }
    }
    assert!(rules.rules.len() <= RULES_MAX);
    assert!(
        rules
            .by_host
            .values()
            .all(|keys| keys.len() <= RULES_OF_HOST_MAX)
    );
    let keys: usize = rules.by_host.values().map(Vec::len).sum();
    assert_eq!(keys, rules.rules.len());
    assert!(rules.predict("http://a.example/print/x").is_some());
}

proptest! {
    #[test]
    fn a_rewrite_leads_from_copies_to_originals_and_nowhere_else(
        copy in "(http|https)://[ab]\\.example(/[a-c._;-]{0,4}){0,4}(\\?[ab]=[0-9](&[cd]=[0-9])?)?",
        original in "(http|https)://[ab]\\.example(/[a-c._;-]{0,4}){0,4}(\\?[ab]=[0-9])?",
        others in prop::collection::vec("(http|https)://[ab]\\.example(/[a-c._;-]{0,4}){0,4}(\\?[a-d]=[0-9])?", 0..8),
    ) {
        let (copy, original) = (Url::parse(&copy).unwrap(), Url::parse(&original).unwrap());
        if let Some(rewrite) = Rewrite::of(&copy, &original) {
            let rule = Rule::Canonical(rewrite);
            prop_assert_eq!(rule.apply(&copy), Some(original.clone()));
            for other in &others {
                let other = Url::parse(other).unwrap();
                if let Some(found) = rule.apply(&other) {
                    prop_assert!(found != other);
                    prop_assert_eq!(url_host(&found), url_host(&original));
                    prop_assert_eq!(found.scheme(), original.scheme());
                }
            }
        }
    }

    #[test]
    fn no_pair_makes_it_panic_and_no_url_is_predicted_to_repeat_itself(
        pairs in prop::collection::vec(("[a-c]{1,2}", "[a-z/._;-]{0,12}", "[a-z=&]{0,8}", "[a-z/._;-]{0,12}"), 0..40),
    ) {
        let mut rules = no_rules();
        for (host, path, query, kept) in &pairs {
            pair(
                &mut rules,
                &format!("http://{host}.example/{path}?{query}"),
                &format!("http://a.example/{kept}"),
            );
            rules.observe_canonical_pair(
                &format!("http://{host}.example/{path}?{query}"),
                &format!("http://a.example/{kept}"),
                std::iter::empty(),
            );
        }
        for (host, path, query, _) in &pairs {
            let url = format!("http://{host}.example/{path}?{query}");
            if let Some(prediction) = rules.predict(&url) {
                prop_assert!(prediction.kept_url != url);
                prop_assert!((0.0..=1.0).contains(&prediction.confidence));
            }
            prop_assert!((0.0..=1.0).contains(&rules.yield_of(&url)));
        }
    }
}

#[test]
fn at_the_bound_the_rules_shown_by_the_fewest_pairs_make_room() {
    let mut rules = UrlDedupRules::new(&UrlDedupConfig::default());
    (rules.rules_max, rules.rules_of_host_max) = (12, 4);
    let show = |rules: &mut UrlDedupRules, host: u32, form: u32, pairs: std::ops::Range<u32>| {
        for page in pairs {
            let original = format!("http://h{host}.example/{page}");
            let copy = format!("http://h{host}.example/print{form}/{page}");
            rules.observe_pair(&copy, &original, std::iter::empty());
        }
    };
    let is_known = |rules: &UrlDedupRules, host: u32, form: u32| {
        let url = format!("http://h{host}.example/print{form}/about");
        rules.predict(&url).is_some()
    };
    // Each rule is shown by more pairs than one, the first by most.
    show(&mut rules, 0, 0, 0..40);
    for form in 1..30 {
        show(&mut rules, 0, form, 0..12);
        assert!(is_known(&rules, 0, form), "{form}");
    }
    assert!(is_known(&rules, 0, 0));
    for host in 1..30 {
        show(&mut rules, host, 0, 0..12);
        assert!(is_known(&rules, host, 0), "{host}");
    }
    assert!(is_known(&rules, 0, 0) && rules.rules.len() <= 12);
}
