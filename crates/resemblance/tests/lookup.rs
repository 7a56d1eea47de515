//! Every method finds what the linear scan finds.

use proptest::prelude::*;
use resemblance::lookup::{Lookup, LookupError, Method, Search};
use simhash::Fingerprint;

const BOTH: [Search; 2] = [Search::Binary, Search::Interpolation];

/// A few centres, and fingerprints up to 13 bits from them: near pairs at every distance, and many
/// that share a block.
fn any_list() -> impl Strategy<Value = Vec<Fingerprint>> {
    let one = (0u64..3, prop::collection::vec(0u32..64, 0..13));
    prop::collection::vec(one, 0..120).prop_map(|list| {
        let flipped = |(centre, flips): (u64, Vec<u32>)| {
            let centre = simhash::hash::mix(centre);
            Fingerprint(flips.iter().fold(centre, |bits, flip| bits ^ 1 << flip))
        };
        list.into_iter().map(flipped).collect()
    })
}

fn near(
    method: Method,
    list: &[Fingerprint],
    distance: u8,
    query: Fingerprint,
) -> Vec<Fingerprint> {
    Lookup::new(method, list, distance)
        .expect("the distance is in reach")
        .near(query)
        .matches
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 12, ..ProptestConfig::default() })]

    #[test]
    fn tables_of_every_layout_find_what_the_linear_scan_finds(list in any_list(), at: prop::sample::Index) {
        let query = list.get(at.index(list.len().max(1))).copied().unwrap_or_default();
        for distance in (0..=12).chain([20, 33, 47, 63, 64]) {
            let expected = near(Method::Linear, &list, distance, query);
            for search in BOTH {
                prop_assert_eq!(&near(Method::FittingTables(search), &list, distance, query), &expected);
                if distance <= 11 {
                    prop_assert_eq!(&near(Method::FourTables(search), &list, distance, query), &expected);
                }
                if distance <= 3 {
                    prop_assert_eq!(&near(Method::TenTables(search), &list, distance, query), &expected);
                    prop_assert_eq!(&near(Method::SixteenTables(search), &list, distance, query), &expected);
                }
            }
            prop_assert_eq!(&near(Method::Automaton, &list, distance, query), &expected);
        }
    }

    #[test]
    fn probing_and_the_expanded_set_find_what_the_linear_scan_finds(list in any_list(), at: prop::sample::Index) {
        let query = list.get(at.index(list.len().max(1))).copied().unwrap_or_default();
        for distance in 0..=2 {
            let expected = near(Method::Linear, &list, distance, query);
            prop_assert_eq!(&near(Method::Probing, &list, distance, query), &expected);
            prop_assert_eq!(&near(Method::Expanded, &list, distance, query), &expected);
        }
    }
}

#[test]
fn at_three_bits_probing_asks_for_43_745_values_and_the_expanded_set_for_one() {
    let list: Vec<_> = (0..20)
        .map(|n| Fingerprint(simhash::hash::mix(n % 7) ^ (n & 7)))
        .collect();
    let expected = near(Method::Linear, &list, 3, list[0]);
    let found = |method| Lookup::new(method, &list, 3).unwrap().near(list[0]);
    let (probing, expanded) = (found(Method::Probing), found(Method::Expanded));
    assert_eq!(
        (probing.matches, probing.looked_at),
        (expected.clone(), 43_745)
    );
    assert_eq!((expanded.matches, expanded.looked_at), (expected, 1));
}

#[test]
fn what_a_method_cannot_answer_is_told() {
    let list = vec![Fingerprint(1); 1_000];
    let told = |method, distance| {
        let error: LookupError = Lookup::new(method, &list, distance).err().expect("too far");
        error.to_string()
    };
    let search = Search::Binary;
    assert!(told(Method::TenTables(search), 4).contains("complete to 3"));
    assert!(told(Method::SixteenTables(search), 4).contains("complete to 3"));
    assert!(told(Method::FourTables(search), 12).contains("complete to 11"));
    assert!(told(Method::Probing, 6).contains("83278001 values"));
    assert!(told(Method::Expanded, 3).contains("43745000 values"));
}

#[test]
fn an_empty_list_has_nothing_near() {
    let search = Search::Interpolation;
    for method in [
        Method::Linear,
        Method::Probing,
        Method::Expanded,
        Method::FourTables(search),
        Method::FittingTables(search),
        Method::Automaton,
    ] {
        assert_eq!(near(method, &[], 2, Fingerprint(7)), []);
    }
}
