use super::*;

fn url(text: &str) -> CanonicalUrl {
    CanonicalUrl::parse(&format!("http://{text}")).expect(text)
}

fn new(parameters: &mut Parameters, page: &str) {
    parameters.observe(&url(page), PageYield::Content, None);
}

/// A page that repeats another one.
fn repeat(parameters: &mut Parameters, page: &str, original: &str) {
    let (page, original) = (url(page), url(original));
    parameters.observe_copy(&page, &original);
    parameters.observe(&page, PageYield::Nothing, Some(&original));
}

/// A page that gave nothing and repeats nothing: a dead link, an error, a thin page.
fn nothing(parameters: &mut Parameters, page: &str) {
    parameters.observe(&url(page), PageYield::Nothing, None);
}

#[track_caller]
fn check(parameters: &Parameters, host: &str, name: &str, changes_nothing: Option<bool>) {
    let host = url(&format!("{host}/")).host();
    assert_eq!(parameters.normalizer.opaque(&host, name), changes_nothing);
}

/// Finds out that `sid` changes nothing on a host.
fn with_sessions() -> Parameters {
    let mut parameters = Parameters::default();
    for page in 0..SAME_MIN {
        new(&mut parameters, &format!("a.example/p{page}"));
        repeat(
            &mut parameters,
            &format!("a.example/p{page}?sid=f0f0{page:04}"),
            &format!("a.example/p{page}"),
        );
    }
    parameters
}

#[test]
fn a_session_id_is_found_by_pages_that_repeat_their_own_plain_form() {
    check(&with_sessions(), "a.example", "sid", Some(true));
    check(&with_sessions(), "b.example", "sid", None);
}

#[test]
fn a_session_id_is_found_though_no_page_is_ever_read_without_one() {
    let mut parameters = Parameters::default();
    for page in 0..SAME_MIN {
        let first = format!("a.example/p{page}?sid=0000000a");
        new(&mut parameters, &first);
        repeat(
            &mut parameters,
            &format!("a.example/p{page}?sid=0000000b"),
            &first,
        );
    }
    check(&parameters, "a.example", "sid", Some(true));
}

#[test]
fn dead_links_errors_and_thin_pages_are_no_evidence_at_all() {
    let mut parameters = Parameters::default();
    new(&mut parameters, "a.example/item");
    new(&mut parameters, "a.example/item?id=good0000");
    for number in 0..200 {
        nothing(&mut parameters, &format!("a.example/item?id={number:08x}"));
        new(&mut parameters, &format!("a.example/p{number}"));
        nothing(
            &mut parameters,
            &format!("a.example/p{number}?id={number:08x}"),
        );
    }
    check(&parameters, "a.example", "id", None);
    // Nor do they speak for a parameter that is known to change nothing, or against it.
    let mut parameters = with_sessions();
    for number in 0..200 {
        nothing(&mut parameters, &format!("a.example/p1?sid={number:08x}"));
    }
    check(&parameters, "a.example", "sid", Some(true));
}

#[test]
fn each_plain_form_counts_once_however_many_of_its_spellings_repeat_each_other() {
    let mut parameters = Parameters::default();
    new(&mut parameters, "a.example/item?id=00000000");
    for number in 1..200 {
        repeat(
            &mut parameters,
            &format!("a.example/item?id={number:08x}"),
            "a.example/item?id=00000000",
        );
    }
    check(&parameters, "a.example", "id", None);
}

#[test]
fn pages_that_repeat_another_page_say_nothing_of_their_parameters() {
    let mut parameters = Parameters::default();
    new(&mut parameters, "a.example/sold-out");
    for number in 0..200 {
        new(&mut parameters, &format!("a.example/p{number}"));
        repeat(
            &mut parameters,
            &format!("a.example/p{number}?id={number:08x}"),
            "a.example/sold-out",
        );
    }
    check(&parameters, "a.example", "id", None);
}

#[test]
fn a_page_that_is_new_under_a_parameter_speaks_against_it() {
    let mut parameters = with_sessions();
    new(&mut parameters, "a.example/p1?sid=own00000");
    check(&parameters, "a.example", "sid", None);
}

#[test]
fn a_parameter_that_counts_pages_is_left_alone() {
    let mut parameters = Parameters::default();
    for list in 0..40 {
        new(&mut parameters, &format!("a.example/l{list}"));
        for page in 1..4 {
            let page = format!("a.example/l{list}?page={page}");
            repeat(&mut parameters, &page, &format!("a.example/l{list}"));
        }
    }
    check(&parameters, "a.example", "page", None);
}

#[test]
fn a_print_version_is_found_and_its_value_is_no_id() {
    let mut parameters = Parameters::default();
    for page in 0..SAME_MIN {
        new(&mut parameters, &format!("a.example/p{page}"));
        let print = format!("a.example/p{page}?print=1");
        repeat(&mut parameters, &print, &format!("a.example/p{page}"));
    }
    check(&parameters, "a.example", "print", Some(false));
}

#[test]
fn values_that_stand_beside_each_other_on_a_page_are_a_choice() {
    let mut parameters = with_sessions();
    let page = |sid: &str| url(&format!("a.example/p1?sid={sid}"));
    let here = url("a.example/p0?sid=f0000001");
    let links = [page("f0000001"), url("a.example/p2?sid=f0000001")];
    parameters.observe_links(&here, links.iter());
    check(&parameters, "a.example", "sid", Some(true));
    let links = [page("f0000001"), page("f0000002")];
    // To the top of the page itself, and to the page as the answer spells it.
    parameters.observe_links(&page("f0000001"), links.iter());
    check(&parameters, "a.example", "sid", Some(true));
    // Values made for each click are met nowhere else; a choice is offered again.
    for click in 0..4 {
        let links = [
            page(&format!("c000000{click}")),
            page(&format!("d000000{click}")),
        ];
        parameters.observe_links(&here, links.iter());
        check(&parameters, "a.example", "sid", Some(true));
    }
    parameters.observe_links(&here, links.iter());
    check(&parameters, "a.example", "sid", Some(true));
    parameters.observe_links(&here, links.iter());
    check(&parameters, "a.example", "sid", Some(false));
}

/// Reads a mirror under one session, with its copies on another host under another.
fn mirror_in_sessions(copy: impl Fn(u32) -> String) -> Parameters {
    let mut parameters = Parameters::default();
    for page in 0..30 {
        let original = format!("a.example/v?p={page}&sid=f0000000");
        new(&mut parameters, &original);
        repeat(&mut parameters, &copy(page), &original);
    }
    parameters
}

#[test]
fn a_session_id_is_found_by_the_pairs_of_a_mirror() {
    let copy = |page| format!("m.example/v?p={page}&sid=f0000001");
    check(&mirror_in_sessions(copy), "m.example", "sid", Some(true));
}

#[test]
fn pairs_that_differ_in_more_than_one_parameter_or_in_none_find_nothing() {
    let other = |page| format!("m.example/v?p={}&sid=f0000001", page + 1);
    check(&mirror_in_sessions(other), "m.example", "sid", None);
    let same = |page| format!("m.example/v?p={page}&sid=f0000000");
    check(&mirror_in_sessions(same), "m.example", "sid", None);
}

#[test]
fn at_the_bound_parameters_not_met_for_longest_are_forgotten_and_new_ones_are_learnt() {
    let mut parameters = Parameters::with_max(60);
    let host = |number: u32| format!("h{number}.example");
    let learn = |parameters: &mut Parameters, number: u32| {
        for page in 0..=SAME_MIN {
            let at = |text: &str| CanonicalUrl::parse(text).unwrap();
            let plain = at(&format!("http://{}/{page}", host(number)));
            let copy = at(&format!(
                "http://{}/{page}?sid=a1b2c3d4{page}",
                host(number)
            ));
            parameters.observe(&plain, PageYield::Content, None);
            parameters.observe(&copy, PageYield::Nothing, Some(&plain));
        }
    };
    let is_known = |parameters: &Parameters, number: u32| {
        let host = crate::HostKey::from_record(&host(number));
        parameters.normalizer().ignores_on(&host, "sid")
    };
    learn(&mut parameters, 0);
    assert!(is_known(&parameters, 0));
    for number in 1..100 {
        learn(&mut parameters, number);
        // The newest is learnt, however many came before.
        assert!(is_known(&parameters, number), "{number}");
    }
    // Whoever has the normalizer hears that the first is forgotten.
    assert!(!is_known(&parameters, 0));
    let bounds = [
        parameters.read.len(),
        parameters.counted.len(),
        parameters.seen.len(),
    ];
    assert!(bounds.iter().all(|entries| *entries <= 60), "{bounds:?}");
}

#[test]
fn ids_in_paths_are_found_like_those_of_queries() {
    for form in ["(S(f0f0N))/p", "p;v=f0f0f0N/", "s/4f9c2e77b01d9aN/p"] {
        let mut parameters = Parameters::default();
        for page in 0..SAME_MIN {
            let spelt = |id: u32| {
                let path = form.replace('N', &format!("{id:02x}"));
                format!("a.example/{path}{page}")
            };
            new(&mut parameters, &spelt(page));
            repeat(&mut parameters, &spelt(page + 99), &spelt(page));
        }
        let unread = url(&format!("a.example/{}x", form.replace('N', "ff")));
        assert_eq!(parameters.normalizer.ignored_in(&unread).len(), 1, "{form}");
    }
}

#[test]
fn ids_in_paths_that_name_pages_are_left_alone() {
    let mut parameters = Parameters::default();
    for page in 0..10 * SAME_MIN {
        let item = format!("a.example/item/4f9c2e77b01d{page:04x}");
        new(&mut parameters, &item);
        repeat(&mut parameters, &format!("{item}?sid=f0f0f0f0"), &item);
    }
    check(&parameters, "a.example", "/item/", None);
}

#[test]
fn the_name_of_a_session_id_is_found_out_by_two_pages() {
    let mut parameters = Parameters::default();
    for page in 0..SAME_MIN_SESSION {
        check(&parameters, "a.example", ";jsessionid", None);
        let first = format!("a.example/p{page};jsessionid=ABCDEFGH");
        new(&mut parameters, &first);
        let second = format!("a.example/p{page};jsessionid=0000000B");
        repeat(&mut parameters, &second, &first);
    }
    check(&parameters, "a.example", ";jsessionid", Some(true));
}

#[test]
fn parameters_that_go_together_are_found_together() {
    let mut parameters = Parameters::default();
    for page in 0..SAME_MIN {
        let original = format!("a.example/p{page}?lid=f00000{page:02}&place=list");
        new(&mut parameters, &original);
        let copy = format!("a.example/p{page}?lid=e00000{page:02}&place=beside");
        repeat(&mut parameters, &copy, &original);
    }
    check(&parameters, "a.example", "lid", Some(true));
    check(&parameters, "a.example", "place", Some(false));
    // Things that are sold out say nothing of their numbers.
    let mut parameters = Parameters::default();
    new(&mut parameters, "a.example/item?id=a0000000&lid=f0000000");
    for page in 1..2 * SAME_MIN {
        let sold_out = format!("a.example/item?id=a00000{page:02}&lid=f00000{page:02}");
        repeat(
            &mut parameters,
            &sold_out,
            "a.example/item?id=a0000000&lid=f0000000",
        );
    }
    check(&parameters, "a.example", "id", None);
    check(&parameters, "a.example", "lid", None);
}

/// Two orders of one set of parameters.
fn orders(set: u32) -> [String; 2] {
    [
        format!("a.example/shop?color={set}&size=s"),
        format!("a.example/shop?size=s&color={set}"),
    ]
}

/// Finds out that the order of parameters changes nothing on a host.
fn without_order() -> Parameters {
    let mut parameters = Parameters::default();
    for set in 0..SAME_MIN {
        let [first, second] = orders(set);
        new(&mut parameters, &first);
        repeat(&mut parameters, &second, &first);
    }
    parameters
}

#[test]
fn the_order_of_parameters_is_found_by_pages_that_repeat_themselves_in_another() {
    let parameters = without_order();
    check(&parameters, "a.example", ORDER, Some(true));
    check(&parameters, "b.example", ORDER, None);
    // What has the same value in both orders was not shown to change nothing.
    for name in ["color", "size"] {
        check(&parameters, "a.example", name, None);
    }
}

#[test]
fn each_set_of_parameters_counts_once_for_their_order() {
    let mut parameters = Parameters::default();
    new(&mut parameters, "a.example/shop?a=1&b=1&c=1&d=1");
    for order in ["abdc", "acbd", "acdb", "adbc", "adcb", "bacd", "badc"] {
        for order in [order.to_owned(), order.chars().rev().collect()] {
            let pieces: Vec<String> = order.chars().map(|name| format!("{name}=1")).collect();
            let page = format!("a.example/shop?{}", pieces.join("&"));
            repeat(&mut parameters, &page, "a.example/shop?a=1&b=1&c=1&d=1");
        }
    }
    check(&parameters, "a.example", ORDER, None);
}

#[test]
fn a_page_that_is_new_in_another_order_speaks_against_it() {
    let mut parameters = without_order();
    let [first, second] = orders(100);
    new(&mut parameters, &first);
    check(&parameters, "a.example", ORDER, Some(true));
    new(&mut parameters, &second);
    check(&parameters, "a.example", ORDER, None);
}

#[test]
fn where_each_order_is_a_page_of_its_own_nothing_is_found() {
    let mut parameters = Parameters::default();
    for set in 0..100 {
        for page in orders(set) {
            new(&mut parameters, &page);
        }
    }
    check(&parameters, "a.example", ORDER, None);
}

#[test]
fn the_order_of_values_of_one_name_says_nothing_and_is_left_alone() {
    let mut parameters = Parameters::default();
    for set in 0..100 {
        let first = format!("a.example/shop?f[]={set}&f[]=s");
        new(&mut parameters, &first);
        let second = format!("a.example/shop?f[]=s&f[]={set}");
        repeat(&mut parameters, &second, &first);
    }
    check(&parameters, "a.example", ORDER, None);
}

#[test]
fn pages_that_differ_in_a_session_id_alone_say_nothing_of_order_nor_of_what_they_share() {
    let mut parameters = with_sessions();
    for page in 0..100 {
        let first = format!("a.example/show?view=full&id={page}&sid=0000000a");
        new(&mut parameters, &first);
        let second = format!("a.example/show?view=full&id={page}&sid=0000000b");
        repeat(&mut parameters, &second, &first);
    }
    check(&parameters, "a.example", ORDER, None);
    check(&parameters, "a.example", "view", None);
}

#[test]
fn once_order_is_nothing_other_parameters_are_found_in_any_order() {
    let mut parameters = without_order();
    for set in 0..SAME_MIN {
        let first = format!("a.example/shop?size=m&color={set}");
        new(&mut parameters, &first);
        let sorted = format!("a.example/shop?color={set}&sort=price&size=m");
        repeat(&mut parameters, &sorted, &first);
    }
    check(&parameters, "a.example", "sort", Some(false));
}

/// Reads pages twice, each time under the value that an earlier answer gave its links. `values` are those of
/// the links of one answer.
fn with_answers<V: Fn(u32) -> Vec<String>>(values: V) -> Parameters {
    let mut parameters = Parameters::default();
    let answer = |parameters: &mut Parameters, page: &str, number: u32| {
        let links = values(number);
        let links: Vec<_> = (0..10u32)
            .zip(links.iter().cycle())
            .map(|(to, value)| url(&format!("a.example/p{to}?n={value}")))
            .collect();
        parameters.observe_links(&url(page), links.iter());
    };
    for page in 0..VALUES_MIN {
        let spelt = |number| format!("a.example/p{page}?n={}", values(number)[0]);
        let (first, second) = (spelt(2 * page), spelt(2 * page + 1));
        new(&mut parameters, &first);
        answer(&mut parameters, &first, 2 * page);
        repeat(&mut parameters, &second, &first);
        answer(&mut parameters, &second, 2 * page + 1);
    }
    parameters
}

#[test]
fn values_that_are_ever_new_are_made_for_the_reader_however_short_they_are() {
    // What did not look like an id was a choice, of which each spelling was fetched; and what might count pages was left alone.
    let id = |number: u32| format!("{:04x}", xxh3_64(&number.to_le_bytes()) as u16);
    let letters = |number: u32| id(number).replace(|digit: char| digit.is_ascii_digit(), "k");
    let of_answers = |value: fn(u32) -> String| with_answers(move |answer| vec![value(answer)]);
    for parameters in [
        with_answers(|answer| vec![id(answer)]),
        with_answers(|answer| (0..10).map(|link| id(10 * answer + link)).collect()),
        with_answers(|answer| vec![letters(answer)]),
        of_answers(|answer| format!("{answer}")),
        of_answers(|answer| format!("{}", 70_000 + answer)),
    ] {
        check(&parameters, "a.example", "n", Some(true));
    }
}

#[test]
fn what_has_few_values_is_a_switch_and_small_numbers_that_come_again_count_pages() {
    let switch = with_answers(|answer| vec![format!("v{}", answer % 5)]);
    check(&switch, "a.example", "n", Some(false));
    let counter = with_answers(|answer| vec![format!("{}", answer % 30)]);
    check(&counter, "a.example", "n", None);
}

#[test]
fn short_values_that_stand_beside_each_other_by_chance_are_no_choice() {
    let mut parameters = with_answers(|answer| vec![format!("{answer:02x}x")]);
    let here = url("a.example/p0");
    for answer in 0..200u32 {
        // Two links to one page: its picture and its title.
        let value = |salt: u8| xxh3_64(&[answer as u8, salt]) as u8;
        let links = [0, 1].map(|salt| url(&format!("a.example/p1?n={:02x}x", value(salt))));
        parameters.observe_links(&here, links.iter());
    }
    check(&parameters, "a.example", "n", Some(true));
}

#[test]
fn links_with_random_names_forget_no_rule_of_another_host() {
    // Each took one of the places that all hosts share, and the rule was gone.
    let mut parameters = Parameters::with_max(64);
    for page in 0..SAME_MIN {
        new(&mut parameters, &format!("a.example/p{page}"));
        repeat(
            &mut parameters,
            &format!("a.example/p{page}?sid=f0f0{page:04}"),
            &format!("a.example/p{page}"),
        );
    }
    check(&parameters, "a.example", "sid", Some(true));
    for page in 0..100 {
        let links = (0..20).map(|link| url(&format!("b.example/?r{page}x{link}=1")));
        let links: Vec<CanonicalUrl> = links.collect();
        let here = url(&format!("b.example/{page}"));
        parameters.observe_links(&here, links.iter());
    }
    check(&parameters, "a.example", "sid", Some(true));
    assert!(parameters.met.is_empty());
}

/// Lists of goods that are ordered by `sort`, which stays in the links to the goods.
fn with_lists_and_goods(goods: u32) -> Parameters {
    let mut parameters = Parameters::default();
    for number in 0..goods {
        let list = format!("a.example/index.php?route=list&of=c{number}");
        let goods = format!("a.example/index.php?route=goods&of=g{number}");
        new(&mut parameters, &list);
        new(&mut parameters, &format!("{list}&sort=price"));
        new(&mut parameters, &goods);
        repeat(&mut parameters, &format!("{goods}&sort=price"), &goods);
    }
    parameters
}

#[test]
fn a_parameter_that_changes_lists_changes_nothing_in_the_form_that_repeats_itself() {
    let left = |parameters: &Parameters, text: &str| parameters.normalizer.normalized(&url(text));
    let of = |route: &str| format!("a.example/index.php?route={route}&of=x&sort=name");
    for (goods, is_known) in [(SAME_MIN - 1, false), (SAME_MIN, true)] {
        let parameters = with_lists_and_goods(goods);
        check(&parameters, "a.example", "sort", None);
        assert_eq!(left(&parameters, &of("list")), url(&of("list")).as_str());
        let plain = left(&parameters, &of("goods"));
        assert_eq!(!plain.contains("sort"), is_known);
        let known = left(&parameters, &of("goods").replace("a.", "b."));
        assert!(known.contains("sort"));
    }
    let mut parameters = with_lists_and_goods(SAME_MIN);
    let place = |parameters: &Parameters| parameters.normalizer.place(&url(&of("goods")), "sort");
    assert_eq!(place(&parameters), "a.example/index.php?route=goods");
    // What was saved is gone on with, and one page that differs ends it.
    let saved = std::mem::take(&mut parameters);
    parameters.resume(saved);
    assert!(!left(&parameters, &of("goods")).contains("sort"));
    new(
        &mut parameters,
        "a.example/index.php?route=goods&of=g1&sort=price&page=a",
    );
    new(
        &mut parameters,
        "a.example/index.php?route=goods&of=g1&sort=size",
    );
    assert!(left(&parameters, &of("goods")).contains("sort"));
}

/// Whether a parameter is ignored in a URL, and whether that is doubtful.
#[track_caller]
fn check_in(parameters: &Parameters, at: &str, ignored: bool, doubtful: bool) {
    let url = url(at);
    let normalizer = &parameters.normalizer;
    let name = url.variables().next().unwrap().0;
    assert_eq!(normalizer.ignores(&url, name), ignored, "{at}");
    assert_eq!(normalizer.is_doubtful(&url, name), doubtful, "{at}");
}

#[test]
fn what_changes_other_pages_of_the_host_is_doubtful_in_a_form_before_sixty() {
    let mut parameters = Parameters::default();
    let post = |number: u32| format!("a.example/blog/post-{number}");
    let translated = |parameters: &mut Parameters, number: u32| {
        new(parameters, &format!("a.example/manual/part-{number}"));
        new(
            parameters,
            &format!("a.example/manual/part-{number}?tone=b"),
        );
    };
    let repeated = |parameters: &mut Parameters, numbers: std::ops::Range<u32>| {
        for number in numbers {
            new(parameters, &post(number));
            repeat(
                parameters,
                &format!("{}?tone=b", post(number)),
                &post(number),
            );
        }
    };
    let unread = "a.example/blog/post-900?tone=b";
    for number in 0..4 {
        translated(&mut parameters, number);
    }
    for (numbers, ignored, doubtful) in [
        (0..11, false, false),
        (11..12, true, true),
        (12..59, true, true),
        (59..60, true, false),
    ] {
        repeated(&mut parameters, numbers);
        check_in(&parameters, unread, ignored, doubtful);
        let saved = serde_json::to_string(&parameters).expect("it is saved");
        let mut resumed = Parameters::default();
        resumed.resume(serde_json::from_str(&saved).expect("it is read"));
        check_in(&resumed, unread, ignored, doubtful);
    }
    check_in(
        &parameters,
        "a.example/manual/part-900?tone=b",
        false,
        false,
    );
    // It may have been found out in the form first.
    let mut parameters = Parameters::default();
    repeated(&mut parameters, 0..15);
    check_in(&parameters, unread, true, false);
    translated(&mut parameters, 0);
    check_in(&parameters, unread, true, true);
}
