use super::training::Kind;
use super::*;

/// A classifier that has kept pages: the log-odds of each by the user's words, and by all scores.
fn classifier(examples: usize, pages: &[(f32, f32)]) -> PageClassifier {
    let mut classifier = PageClassifier::new(Keywords::default(), 0, true);
    classifier.example_count = examples;
    classifier.training_pages = pages
        .iter()
        .map(|&(user_log_odds, odds)| TrainingPage {
            seen_at: 0,
            promise: None,
            counts: true,
            page: 0,
            kind: Kind::Crawled,
            terms: Vec::new(),
            shared_terms: Vec::new(),
            rest: PageTerms::default(),
            probability: probability(odds),
            told: 1.0,
            label: 0.0,
            user_log_odds,
        })
        .collect();
    classifier.set_labels();
    classifier
}

fn count_on_topic(classifier: &PageClassifier) -> usize {
    let pages = classifier.training_pages.iter();
    pages.filter(|page| page.label > 0.0).count()
}

#[test]
fn more_pages_count_as_on_topic_where_the_users_words_say_nothing_against_them() {
    assert_eq!(count_on_topic(&classifier(1, &[(0.0, 0.0); 195])), 49);
    // Two for the example, three to begin with, and 15 %.
    assert_eq!(count_on_topic(&classifier(1, &[(-1.0, 0.0); 195])), 35);
}

#[test]
fn a_page_that_the_users_words_clearly_speak_for_counts_whatever_the_share() {
    assert_eq!(count_on_topic(&classifier(1, &[(1.2, 0.0); 200])), 200);
}

#[test]
fn no_more_pages_count_as_on_topic_than_were_told_to_be_so_as_they_came() {
    let mut classifier = classifier(1, &[(1.2, 2.0); 200]);
    let pages = classifier.training_pages.iter_mut();
    pages.for_each(|page| page.told = 0.125);
    classifier.set_labels();
    // Two for the example, three to begin with, and an eighth of all.
    assert_eq!(count_on_topic(&classifier), 30);
}

#[test]
fn a_promise_below_even_odds_speaks_against_a_page_and_no_other_says_anything() {
    let page = Relevance {
        probability: 0.6,
        why: vec![("keywords".to_owned(), 1.0)],
    };
    for promise in [0.5, 0.7, 1.0] {
        assert_eq!(page.clone().of_link(promise), page);
    }
    let doubted = [0.4, 0.1, 0.02, 0.0].map(|promise| page.clone().of_link(promise));
    assert!(doubted[..3].is_sorted_by(|a, b| a.probability > b.probability));
    assert_eq!(doubted[2], doubted[3]);
    for relevance in doubted {
        let against = log_odds(relevance.probability) - log_odds(0.6);
        assert!((relevance.why[1].1 - against).abs() < 1e-3);
    }
}

#[test]
fn a_model_in_doubt_of_all_pages_still_learns_from_the_best_of_them() {
    assert!(count_on_topic(&classifier(1, &[(0.0, -1.4); 50])) > 0);
    assert_eq!(count_on_topic(&classifier(1, &[(0.0, -1.6); 50])), 0);
    // With keywords alone, doubtful pages teach nothing.
    assert_eq!(count_on_topic(&classifier(0, &[(0.0, -1.4); 50])), 0);
}

#[test]
fn the_harvest_is_estimated_from_pages_as_they_are_judged_now() {
    let mut classifier = classifier(1, &[(0.0, 2.0); 10]);
    for (at, page) in classifier.training_pages.iter_mut().enumerate() {
        page.seen_at = at as u64 + 1;
        page.promise = Some(0.25);
    }
    classifier.pages_seen = 10;
    classifier.training_pages[0].counts = false;
    classifier.training_pages[1].rest.listing = true;
    classifier.training_pages[8].promise = None;
    classifier.training_pages[9].probability = 0.1;
    let estimate = classifier.estimate_harvest(0.5, 0.3);
    assert_eq!((estimate.pages, estimate.found), (10, 7.0));
    // The last three pages, without the seed among them.
    assert_eq!((estimate.brought, estimate.promised), (1.0, 0.5));
    // A sample stands for all pages.
    classifier.pages_seen = 20;
    assert_eq!(classifier.estimate_harvest(0.5, 0.3).found, 14.0);
}

#[test]
fn what_was_learnt_counts_as_far_as_it_recognises_the_examples() {
    let mut classifier = classifier(2, &[(0.0, 0.0); 4]);
    classifier.training_pages[0].kind = Kind::Example;
    classifier.training_pages[1].kind = Kind::Example;
    let of_both = |first: f32, second: f32| {
        let mut scores = [[0.0; 7]; 4];
        scores[0][LEARNT_WORDS] = first;
        scores[1][LEARNT_WORDS] = second;
        classifier.recognition_of_examples(&scores)
    };
    let recognition = |learnt: f32| of_both(learnt, learnt);
    // The calibration gives log-odds of twice the score.
    assert_eq!(recognition(1.5), 1.0);
    assert_eq!(recognition(0.5), 0.5);
    // Learnt words that take examples for off topic have hardly a say.
    assert_eq!(recognition(-1.0), 0.1);
    // One that is clearly recognised does not make up for one that is not.
    assert_eq!(of_both(9.0, 0.0), 0.5);
    assert_eq!(of_both(9.0, -9.0), 0.1);
    classifier.example_count = 0;
    assert_eq!(classifier.recognition_of_examples(&[[0.0; 7]; 4]), 1.0);
}
