use super::*;

const DELAY: Duration = Duration::from_secs(1);

fn after(advice: &[HostAdvice]) -> (Politeness, Duration) {
    let now = Instant::now();
    let mut politeness = Politeness::new(DELAY, 1);
    let mut addresses = Addresses::default();
    for (turn, advice) in advice.iter().enumerate() {
        politeness.sent(advice.origin, now, &mut addresses);
        let at = (now, 1_000_000 * turn as u64);
        politeness.received(at, advice, Duration::from_secs(3_600), &mut addresses);
        politeness.rest(now);
    }
    let held = politeness.held(Origin::default()).map(|(at, _)| at);
    let wait = politeness.next_at().max(held).expect("it waits") - now;
    (politeness, wait)
}

#[test]
fn failures_in_a_row_double_the_wait_up_to_a_minute() {
    let failed = HostAdvice {
        failed: true,
        ..HostAdvice::default()
    };
    assert_eq!(after(&vec![failed.clone(); 3]).1, DELAY);
    assert_eq!(after(&vec![failed.clone(); 4]).1, Duration::from_secs(2));
    assert_eq!(after(&vec![failed.clone(); 40]).1, BACK_OFF_MAX);
    let answered = |status| HostAdvice {
        status,
        ..HostAdvice::default()
    };
    // Those by status and those without an answer are of one row.
    let mut unwell = vec![answered(500), failed.clone(), failed.clone()];
    unwell.extend([answered(500), answered(500)]);
    assert_eq!(after(&unwell).0.failures, 5);
    unwell.extend([answered(200), answered(500)]);
    assert_eq!(after(&unwell).0.failures, 1);
}

#[test]
fn retry_after_holds_the_host_within_its_bound() {
    let asked = |seconds| HostAdvice {
        status: 429,
        retry_after: Some(Duration::from_secs(seconds)),
        ..HostAdvice::default()
    };
    assert_eq!(
        after(&[asked(5)]).1,
        Duration::from_secs(5) + RETRY_AFTER_MARGIN
    );
    assert_eq!(
        after(&[asked(86_400)]).1,
        Duration::from_secs(3_600) + RETRY_AFTER_MARGIN
    );
}

#[test]
fn a_host_that_answers_slowly_rests_as_long_again() {
    let slow = HostAdvice {
        status: 200,
        took: Duration::from_secs(30),
        ..HostAdvice::default()
    };
    assert!(after(&vec![slow; 5]).1 > Duration::from_secs(20));
    let quick = HostAdvice {
        status: 200,
        took: Duration::from_secs(2),
        ..HostAdvice::default()
    };
    assert_eq!(after(&vec![quick; 5]).1, DELAY);
}

#[test]
fn the_longer_of_delay_and_crawl_delay_counts() {
    let mut politeness = Politeness::new(DELAY, 1);
    let [http, https] = ["http://a.example/", "https://a.example/"].map(Origin::of);
    politeness.set_crawl_delay(http, Some(Duration::from_millis(100)));
    assert_eq!(politeness.delay(), DELAY);
    politeness.set_crawl_delay(https, Some(Duration::from_secs(7)));
    assert_eq!(politeness.delay(), Duration::from_secs(7));
    // The robots.txt of the other origin took its place.
    politeness.set_crawl_delay(http, None);
    assert_eq!(politeness.delay(), Duration::from_secs(7));
    politeness.set_crawl_delay(https, None);
    assert_eq!(politeness.delay(), DELAY);
}
