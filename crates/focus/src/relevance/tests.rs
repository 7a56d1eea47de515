use super::*;

/// A judge that has kept pages: what the user's words say of each, and its log-odds.
fn judge(examples: usize, pages: &[(f32, f32)]) -> Judge {
    let mut judge = Judge::new(Keywords::default(), 0, true);
    judge.example_count = examples;
    judge.kept = pages
        .iter()
        .map(|&(said, odds)| Kept {
            turn: 0,
            counts: true,
            page: 0,
            kind: Kind::Seen,
            terms: Vec::new(),
            keywords: PageTerms::default(),
            probability: probability(odds),
            label: 0.0,
            said,
        })
        .collect();
    judge.set_labels();
    judge
}

fn count_on_topic(judge: &Judge) -> usize {
    judge.kept.iter().filter(|kept| kept.label > 0.0).count()
}

#[test]
fn more_pages_count_as_on_topic_where_the_users_words_say_nothing_against_them() {
    assert_eq!(count_on_topic(&judge(1, &[(0.0, 0.0); 195])), 49);
    // Two for the example, three to begin with, and 15 %.
    assert_eq!(count_on_topic(&judge(1, &[(-1.0, 0.0); 195])), 35);
}

#[test]
fn what_the_users_words_say_clearly_counts_whatever_the_share() {
    assert_eq!(count_on_topic(&judge(1, &[(1.2, 0.0); 200])), 200);
}

#[test]
fn a_model_in_doubt_of_all_pages_still_learns_from_the_best_of_them() {
    assert!(count_on_topic(&judge(1, &[(0.0, -1.4); 50])) > 0);
    assert_eq!(count_on_topic(&judge(1, &[(0.0, -1.6); 50])), 0);
    // Keywords alone are too little to go by.
    assert_eq!(count_on_topic(&judge(0, &[(0.0, -1.4); 50])), 0);
}

#[test]
fn pages_are_appraised_as_they_are_judged_now() {
    let mut judge = judge(1, &[(0.0, 2.0); 10]);
    for (at, kept) in judge.kept.iter_mut().enumerate() {
        kept.turn = at as u64 + 1;
    }
    judge.seen = 10;
    judge.kept[0].counts = false;
    judge.kept[1].keywords.listing = true;
    judge.kept[9].probability = 0.1;
    let appraisal = judge.appraise(0.5, 0.3);
    assert_eq!((appraisal.pages, appraisal.window), (10, 3));
    assert_eq!((appraisal.found, appraisal.lately), (7.0, 2.0));
    // A sample stands for all.
    judge.seen = 20;
    assert_eq!(judge.appraise(0.5, 0.3).found, 14.0);
}
