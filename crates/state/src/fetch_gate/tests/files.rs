//! Links to files.

use super::*;

/// An answer that is no page.
fn image(url: &str) -> PageRecord {
    PageRecord {
        url: url.into(),
        outcome: Outcome::Judged(Verdict::Junk(JunkReason::UnsupportedType)),
        fetch: Some(FetchRecord {
            status: 200,
            ..FetchRecord::default()
        }),
        ..PageRecord::default()
    }
}

#[test]
fn links_to_files_wait_behind_pages_and_one_in_twenty_is_asked_for_once_it_is_sure() {
    // A gallery's 1,200 images, PDFs and archives were asked for in turn with its 100 pages.
    let mut gate = holding();
    let next = |number: u32| format!("http://a.example/f/{number}.jpg");
    assert_eq!(check(&gate, &next(0)), Permission::Allowed);
    for number in 0..3 {
        take_in(&mut gate, &image(&next(number)));
    }
    let waits = Permission::HoldBack(HeldBack::UntilOthersAreDone);
    assert!((3..1_000).all(|number| check(&gate, &next(number)) == waits));
    assert_eq!(check(&gate, "http://a.example/f/"), Permission::Allowed);
    assert!((3..1_000).all(|number| check_at_last(&gate, &next(number)) == Permission::Allowed));
    for number in 3..59 {
        take_in(&mut gate, &image(&next(number)));
    }
    let asked = (1_000..2_000).filter(|&number| {
        let permission = check_at_last(&gate, &next(number));
        permission == Permission::Allowed
    });
    let asked = asked.count();
    assert!((30..70).contains(&asked), "{asked}");
}

#[test]
fn links_to_files_are_files_first_and_of_a_barren_form_second() {
    // With a topic their form has no yield either, and that rule may say to ask for all of them at last.
    let learnt = LearntPolicy {
        low_yield: Learnt::HoldBack,
        ..LearntPolicy::usual(true)
    };
    let mut gate = FetchGate::new(0, learnt);
    for number in 0..100 {
        take_in(
            &mut gate,
            &image(&format!("http://a.example/f/{number}.jpg")),
        );
    }
    let refused = (100..1_100).filter(|number| {
        let permission = check_at_last(&gate, &format!("http://a.example/f/{number}.jpg"));
        matches!(permission, Permission::Refused(_))
    });
    let refused = refused.count();
    assert!((930..970).contains(&refused), "{refused}");
}

#[test]
fn refused_links_to_files_are_put_back_once_one_of_them_is_a_page() {
    let mut gate = holding();
    for number in 0..59 {
        take_in(
            &mut gate,
            &image(&format!("http://a.example/f/{number}.jpg")),
        );
    }
    let refused_at = |gate: &FetchGate| {
        let mut urls = (59..999).map(|number| format!("http://a.example/f/{number}.jpg"));
        urls.find_map(|url| match check_at_last(gate, &url) {
            Permission::Refused(Refused::Refusal(refusal)) => Some((url, refusal)),
            _ => None,
        })
    };
    let (url, refusal) = refused_at(&gate).unwrap();
    let refused = PageRecord {
        url: url.clone(),
        outcome: Outcome::Refused(refusal.clone()),
        ..PageRecord::default()
    };
    take_in(&mut gate, &refused);
    let probe = PageRecord {
        foreseen_by: refusal.rules(),
        ..page("http://a.example/f/a-page.jpg", None)
    };
    take_in(&mut gate, &probe);
    assert_eq!(wrong(&gate), [(refusal.rules().remove(0), vec![url])]);
    assert_eq!(refused_at(&gate), None);
}

#[test]
fn pages_whose_urls_end_like_files_are_asked_for_like_any() {
    let mut gate = holding();
    for number in 0..3 {
        observe(
            &mut gate,
            &format!("http://w.example/wiki/File:{number}.jpg"),
            None,
        );
    }
    let pages = (3..500).map(|number| format!("http://w.example/wiki/File:{number}.png"));
    assert!(
        pages
            .into_iter()
            .all(|url| check(&gate, &url) == Permission::Allowed)
    );
}
