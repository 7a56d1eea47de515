//! A few kept pages, and what is judged of others beside them.

use outcome::{Outcome, Verdict};
use segment::Segmenter;
use sieve::{Keep, Rules};
use simhash::{IndexConfig, TextPrint};

use super::*;
use crate::recorded::write_print;

const TEXT: &str = "A planner chooses between an index scan and a sequential scan by what it \
    knows of the table: how many rows it has, how they are spread, and which of them the query \
    wants. Where its numbers are old it chooses badly, and a vacuum mends that for a while.";

fn page(words: &str) -> (PageSummary, TextPrint) {
    let print = simhash::print(&Segmenter::shared().words(words));
    let mut page = PageSummary {
        words: print.word_count,
        lang: "en".into(),
        may_index: true,
        ..PageSummary::default()
    };
    write_print(&mut page, &print);
    (page, print)
}

fn judge(kept: &mut KeptPages, url: &str, text: &str, keep: Keep) -> Judgement {
    let (page, print) = page(text);
    let rules = Rules {
        words_min: 5,
        ..Rules::default()
    };
    let measured = Measured {
        url,
        host: "a.example",
        status: 200,
        page: &page,
        print: &print,
        whole: None,
        own: None,
        succeeds: None,
    };
    kept.judge(&measured, &rules, keep).unwrap()
}

fn record(url: &str, text: &str, replaces: Option<u64>) -> PageRecord {
    PageRecord {
        url: url.into(),
        host: "a.example".into(),
        outcome: Outcome::Judged(Verdict::Index),
        replaces,
        page: Some(page(text).0),
        ..PageRecord::default()
    }
}

#[test]
fn judging_keeps_nothing_and_applying_does() {
    let mut kept = KeptPages::new(TableIndex::in_memory(&IndexConfig::default()).unwrap());
    let (one, two) = ("http://a.example/1", "http://a.example/2");
    for _ in 0..2 {
        let judged = judge(&mut kept, one, TEXT, Keep::First);
        assert_eq!(judged.verdict, Verdict::Index);
    }
    assert!(
        kept.apply(1, &record(one, TEXT, None), Stored::default())
            .unwrap()
            .added
    );
    let judged = judge(&mut kept, two, TEXT, Keep::First);
    assert!(matches!(judged.verdict, Verdict::Junk(reason) if reason.is_duplicate()));
    assert_eq!(judged.near.map(|near| near.url), Some(one.into()));
}

#[test]
fn a_better_representative_takes_the_place_of_a_page_and_its_print() {
    let mut kept = KeptPages::new(TableIndex::in_memory(&IndexConfig::default()).unwrap());
    let (one, two) = ("http://a.example/1", "http://a.example/2");
    let words = |from: usize, to: usize| -> String {
        let words = (from..to).map(|word| format!("word{} ", word * word % 9_973));
        words.collect()
    };
    let text = words(0, 400);
    kept.apply(1, &record(one, &text, None), Stored::default())
        .unwrap();
    let longer = text + &words(400, 445);
    let judged = judge(&mut kept, two, &longer, Keep::Longest);
    assert_eq!(
        (judged.verdict, judged.takes_place),
        (Verdict::Index, Some("longer"))
    );
    let change = kept.apply(2, &record(two, &longer, Some(1)), Stored::default());
    let change = change.unwrap();
    assert_eq!(change.removed, [one.into()]);
    assert!(kept.get(1).is_none() && kept.prints().get(1).unwrap().is_none());
    assert!(kept.prints().get(2).unwrap().is_some());
}

#[test]
fn a_text_whose_template_was_cut_is_known_again_with_and_without_it() {
    let mut kept = KeptPages::new(TableIndex::in_memory(&IndexConfig::default()).unwrap());
    let template = "Read more about planners every week in our letter, or write to us.";
    let whole = format!("{TEXT} {template}");
    let cut = |words: &str, whole: &str| {
        let (mut page, print) = page(words);
        let whole = self::page(whole).1;
        page.whole = Some(archive::WholeText {
            blocks_cut: 1,
            words: whole.word_count,
            fingerprint: whole.fingerprint.to_string(),
            digest: format!("{:016x}", whole.digest),
        });
        (page, print, whole)
    };
    let first = PageRecord {
        page: Some(cut(TEXT, &whole).0),
        ..record("http://a.example/1", TEXT, None)
    };
    kept.apply(1, &first, Stored::default()).unwrap();
    let nearest = |kept: &mut KeptPages, text: &str, whole: Option<&str>, own| {
        let (page, print, whole) = match whole {
            Some(whole) => {
                let (page, print, whole) = cut(text, whole);
                (page, print, Some(whole))
            }
            None => {
                let (page, print) = page(text);
                (page, print, None)
            }
        };
        let measured = Measured {
            url: "http://b.example/1",
            host: "b.example",
            status: 200,
            page: &page,
            print: &print,
            whole: whole.as_ref(),
            own,
            succeeds: None,
        };
        let near = kept.nearest(&measured, &Rules::default()).unwrap();
        near.is_some_and(|near| near.exact && near.page == 1)
    };
    // Elsewhere, where no template is known; and where more of the page is taken for one.
    assert!(nearest(&mut kept, &whole, None, None));
    let less = &TEXT[..TEXT.len() / 2];
    assert!(nearest(&mut kept, less, Some(&whole), None));
    assert!(!nearest(&mut kept, less, Some(less), None));
    assert!(
        !nearest(&mut kept, &whole, None, Some(1)),
        "its own version"
    );
    // It is known after a restart, and no longer when the page has left.
    let pages = kept.pages.clone();
    kept.resume(pages);
    assert!(nearest(&mut kept, &whole, None, None));
    kept.let_go(1);
    assert!(!nearest(&mut kept, less, Some(&whole), None));
}

#[test]
fn a_page_is_thin_by_its_whole_main_text() {
    let mut kept = KeptPages::new(TableIndex::in_memory(&IndexConfig::default()).unwrap());
    let rules = Rules {
        words_min: 20,
        ..Rules::default()
    };
    let rates = "March 3 euro 7.8512 dollar 7.2410 yen 0.0481";
    let standing =
        "Middle rates of the day as fixed by the clearing banks at nine, for information alone.";
    for (whole, expected) in [
        (format!("{rates} {standing}"), Verdict::Index),
        (rates.to_owned(), Verdict::Junk(outcome::JunkReason::Thin)),
    ] {
        let (mut page, print) = page(rates);
        let whole = self::page(&whole).1;
        page.whole = Some(archive::WholeText {
            words: whole.word_count,
            ..archive::WholeText::default()
        });
        let measured = Measured {
            url: "http://a.example/1",
            host: "a.example",
            status: 200,
            page: &page,
            print: &print,
            whole: Some(&whole),
            own: None,
            succeeds: None,
        };
        let judged = kept.judge(&measured, &rules, Keep::First).unwrap();
        assert_eq!(judged.verdict, expected);
    }
}

#[test]
fn a_page_is_on_its_host_and_on_no_longer_one() {
    let page = KeptPage::of("http://a.example/x", &PageSummary::default());
    assert!(page.is_on("a.example"));
    assert!(!page.is_on("a.exam") && !page.is_on("a.example:81"));
}

#[test]
fn of_pages_that_had_one_text_the_next_is_found_when_the_first_leaves_as_after_a_restart() {
    // Until a restart none was found any more.
    let empty = || KeptPages::new(TableIndex::in_memory(&IndexConfig::default()).unwrap());
    let page = |number: u64, whole: u64| KeptPage {
        url: format!("http://a.example/{number}").into(),
        layout: 0,
        words: 9,
        published: None,
        canonical: None,
        whole,
    };
    let mut kept = empty();
    let elsewhere = 1 << 40;
    for (seq, whole) in [(elsewhere, 7), (3, 7), (1, 0), (5, 7), (6, 8)] {
        kept.hold(seq, page(seq, whole));
    }
    for (leaves, first) in [
        (1, Some(3)),
        (3, Some(5)),
        (6, Some(5)),
        (5, Some(elsewhere)),
        (elsewhere, None),
    ] {
        kept.let_go(leaves);
        let mut resumed = empty();
        resumed.resume(kept.pages.clone());
        assert_eq!(kept.first_of_whole(7), first);
        assert_eq!(resumed.wholes, kept.wholes);
    }
}
