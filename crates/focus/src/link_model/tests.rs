//! A model that a few fetches have taught.

use super::*;

fn link(url_id: u32, host: u32) -> LinkFeatures {
    LinkFeatures {
        url_id,
        groups: [host, host, 0],
        ..LinkFeatures::default()
    }
}

fn topic() -> Topic {
    let config = crate::topic_config::TopicConfig {
        keywords: vec!["bird".to_owned()],
        ..Default::default()
    };
    Topic::new(&config).unwrap()
}

fn model(exploration: f32) -> LinkModel {
    LinkModel::new(&LinkModelConfig {
        exploration,
        ..LinkModelConfig::default()
    })
}

#[test]
fn a_crawl_that_has_found_nothing_asks_all_hosts_in_turn() {
    let mut model = model(0.02);
    for id in 0..30 {
        model.count_outcome(&link(id, 1), 0.0);
    }
    model.count_outcome(&link(30, 2), 0.0);
    let explored = |model: &LinkModel| [1, 2, 3].map(|host| model.is_explored(&link(99, host)));
    assert_eq!(explored(&model), [false, true, true]);
    model.config.exploration = 0.0;
    assert_eq!(explored(&model), [false; 3]);
}

#[test]
fn a_crawl_that_has_found_something_explores_within_its_share() {
    let explored = |exploration: f32| {
        let mut model = model(exploration);
        model.has_found = true;
        for id in 0..96 {
            model.count_outcome(&link(id, 2), 0.0);
        }
        model.explored = 10;
        (0..100)
            .filter(|&id| model.is_explored(&link(id, 1)))
            .count()
    };
    assert!((5..25).contains(&explored(0.2)));
    // Ten of a hundred fetches are more than its share.
    assert_eq!(explored(0.02), 0);
}

#[test]
fn a_link_to_an_example_speaks_for_its_place_until_many_pages_have_it() {
    let topic = topic();
    let mut model = model(0.02);
    let links_that_count = |model: &mut LinkModel, url_id: u32| {
        let before = model.groups.of(GroupKeys::of(&link(url_id, 7)).host);
        for page in 100..100 + 3 * PARENTS_MAX as u32 {
            model.on_example_link(&topic, &link(url_id, 7));
            model.pages.insert(page, page, FetchedPage::default());
            model.on_known_link(page, url_id);
        }
        let after = model.groups.of(GroupKeys::of(&link(url_id, 7)).host);
        assert_eq!(after.count - before.count, after.reward - before.reward);
        after.count - before.count
    };
    // Nothing was read there.
    assert_eq!(links_that_count(&mut model, 1), 0.0);
    model.pages.insert(200, 2, FetchedPage::default());
    assert_eq!(links_that_count(&mut model, 2), PARENTS_MAX as f32);
}

#[test]
fn a_page_is_beside_an_example_where_one_list_links_to_both() {
    let topic = topic();
    let mut model = model(0.02);
    let on_list = |url_id: u32, list: u32| LinkFeatures {
        parents: [list].into_iter().collect(),
        ..link(url_id, 7)
    };
    let is_beside = |linked: Linked| linked.beside_example;
    model.pages.insert(1, 1, FetchedPage::default());
    model.on_example_link(&topic, &on_list(1, 100));
    let (beside, elsewhere) = (on_list(2, 100), on_list(2, 101));
    assert!(is_beside(model.linked_of_new(&[], Some(&beside))));
    assert!(!is_beside(model.linked_of_new(&[], Some(&elsewhere))));
    assert!(!is_beside(model.linked_of_new(&[], None)));
    for (page, link) in [(5, &beside), (6, &elsewhere)] {
        let outcome = FetchOutcome {
            page,
            url_id: page,
            link: Some(link),
            relevance: 0.1,
            keyword_score: 0.0,
            plain: 0.0,
            reward: 0.1,
        };
        model.on_page(&topic, &outcome);
    }
    // So it stays once they are read. An example is beside another, not beside itself.
    let known = [5, 6].map(|page| is_beside(model.linked(page, page, &[])));
    assert_eq!(known, [true, false]);
    assert!(!is_beside(model.linked(u32::MAX, 1, &[])));
    model.pages.insert(3, 3, FetchedPage::default());
    model.on_example_link(&topic, &on_list(3, 100));
    assert!(is_beside(model.linked(u32::MAX, 1, &[])));
}

#[test]
fn how_good_a_hub_a_page_was_is_noted_however_many_came_before() {
    let topic = topic();
    let mut model = model(0.02);
    for page in 0..2 * ROWS_MAX as u32 {
        let link = link(page, 1);
        model.on_page(
            &topic,
            &FetchOutcome {
                page,
                url_id: page,
                link: Some(&link),
                relevance: 0.1,
                keyword_score: 0.0,
                plain: 0.0,
                reward: 0.1,
            },
        );
        model.on_new_links(page, &[0.9; 8]);
    }
    assert!(model.rows.iter().all(|row| row.hub > 0.8));
}
