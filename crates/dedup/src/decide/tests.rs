use std::path::Path;

use documents::{BatchLimits, Documents, Form, PageFacts};
use proptest::prelude::*;
use sieve::Keep;

use super::*;

/// A hundred words of its own for each number, spelt in letters: what has a digit in it counts as
/// a number.
fn text(number: u64) -> String {
    let words = (0..100).map(|at| {
        let digits = (number * 100 + at + 1) * 7_919;
        let digits = digits.to_string();
        digits.bytes().map(|digit| char::from(digit + 50)).collect()
    });
    words.collect::<Vec<String>>().join(" ")
}

/// The same with a stop word before every fifth word.
fn with_stop_words(number: u64) -> String {
    let words = text(number);
    let words = words.split(' ').enumerate().map(|(at, word)| {
        let stop = ["the", "of", "is", "a", "and"][(number as usize + at * at / 25) % 5];
        match at % 5 {
            0 => format!("{stop} {word}"),
            _ => word.to_owned(),
        }
    });
    words.collect::<Vec<String>>().join(" ")
}

/// The text of that number with a few words changed, or as it is.
fn edited(number: u64, edit: usize) -> String {
    match edit {
        0 => text(number),
        edit => text(number).replacen(' ', &format!(" {} ", "x".repeat(edit)), 1),
    }
}

fn document(id: u64, text: String) -> Document {
    Document {
        id: id.into(),
        url: None,
        form: Form::Text(text),
        facts: PageFacts::default(),
    }
}

fn dedup(settings: &Settings) -> Deduplicator {
    let kept = KeptDocuments::in_memory(&settings.index()).unwrap();
    Deduplicator::new(settings, kept, &[]).unwrap()
}

/// Which kept document each document stands for: itself where it is kept.
fn stands_for(decision: &Decision) -> Value {
    match (&decision.near, decision.verdict.is_kept()) {
        (Some(near), false) => near.id.clone(),
        (_, true) | (None, _) => decision.id.clone(),
    }
}

#[test]
fn a_copy_an_edited_copy_and_a_new_text_are_told_apart() {
    let mut dedup = dedup(&Settings::default());
    let mut decide = |id, text| dedup.decide(document(id, text)).unwrap();
    assert_eq!(decide(1, text(1)).verdict, Verdict::Kept);
    assert_eq!(decide(2, text(2)).verdict, Verdict::Kept);
    let copy = decide(3, text(1));
    assert_eq!(copy.verdict, Verdict::ExactDuplicate);
    assert_eq!(copy.kind, Some(DuplicateKind::FullLayout));
    assert_eq!(
        copy.near.as_ref().map(|near| near.reason),
        Some(Some(Reason::SameText))
    );
    let near = decide(4, edited(2, 3));
    assert_eq!(
        (near.verdict, stands_for(&near)),
        (Verdict::NearDuplicate, 2.into())
    );
    assert_eq!(near.original.unwrap().url, "2");
}

#[test]
fn a_better_document_takes_the_place_and_is_what_later_ones_repeat() {
    let settings = Settings {
        keep: Keep::Oldest,
        ..Settings::default()
    };
    let mut dedup = dedup(&settings);
    let mut decide = |id, published: &str| {
        let mut document = document(id, text(1));
        document.facts.published = Some(published.into());
        dedup.decide(document).unwrap()
    };
    decide(1, "2024-05-02");
    let older = decide(2, "2024-05-01");
    assert!(matches!(
        older.verdict,
        Verdict::Replaces {
            because: "published earlier"
        }
    ));
    assert_eq!(older.near.unwrap().id, 1);
    assert!(older.kind.is_some());
    let last = decide(3, "2024-05-03");
    assert_eq!(
        (last.verdict, stands_for(&last)),
        (Verdict::ExactDuplicate, 2.into())
    );
    assert_eq!(dedup.kept().len(), 1);
}

#[test]
fn every_method_finds_the_copy() {
    for method in [
        Method::Combined,
        Method::Simhash,
        Method::Exact,
        Method::IMatch,
        Method::Shingles,
        Method::SpotSigs,
    ] {
        let settings = Settings {
            method,
            ..Settings::default()
        };
        // Fingerprints alone take texts with the same frequent word for copies.
        let text = |n| match method {
            Method::Simhash => text(n),
            _ => with_stop_words(n),
        };
        let sample: Vec<Document> = (0..20).map(|n| document(n, text(n))).collect();
        let kept = KeptDocuments::in_memory(&settings.index()).unwrap();
        let sampled: Vec<&Document> = sample.iter().collect();
        let mut dedup = Deduplicator::new(&settings, kept, &sampled).unwrap();
        for document in sample.clone() {
            dedup.decide(document).unwrap();
        }
        let copy = dedup.decide(document(100, text(7))).unwrap();
        assert_eq!(
            (copy.verdict, stands_for(&copy)),
            (Verdict::ExactDuplicate, 7.into()),
            "{method:?}"
        );
        let is_crawls = method == Method::Combined;
        assert_eq!(copy.near.unwrap().reason.is_some(), is_crawls, "{method:?}");
    }
}

#[test]
fn answers_are_counted_and_a_bad_line_does_not_end_the_run() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("docs.jsonl");
    let line = |id: u64| format!("{{\"id\":{id},\"text\":\"{}\"}}\n", text(1));
    std::fs::write(&file, line(1) + "no document\n" + &line(2)).unwrap();
    let mut documents = Documents::open([file.clone()]);
    let mut dedup = dedup(&Settings::default());
    let mut counts = Counts::default();
    while let Some(batch) = documents.next_batch().unwrap() {
        for answer in dedup.answers(batch) {
            let answer = answer.unwrap();
            if let Answer::Failed(failure) = &answer {
                let place = format!("{}:2: no document", file.display());
                assert!(failure.to_string().starts_with(&place), "{failure}");
            }
            counts.add(&answer);
        }
    }
    assert_eq!((counts.documents(), counts.failed), (2, 1));
    assert_eq!(counts.verdicts["exact_duplicate"], 1);
}

/// A stream: which text each document has, and how it is edited.
fn streams() -> impl Strategy<Value = Vec<(u64, usize)>> {
    prop::collection::vec((0u64..8, 0usize..3), 1..40)
}

fn write(dir: &Path, stream: &[(u64, usize)]) -> std::path::PathBuf {
    let lines = stream.iter().enumerate().map(|(id, &(number, edit))| {
        format!("{{\"id\":{id},\"text\":\"{}\"}}\n", edited(number, edit))
    });
    let file = dir.join("docs.jsonl");
    std::fs::write(&file, lines.collect::<String>()).unwrap();
    file
}

/// Decides about the first `count` documents of a stream.
fn run(dedup: &mut Deduplicator, stream: &[(u64, usize)], count: usize) -> Vec<Decision> {
    let stream = stream.iter().take(count).enumerate();
    let decisions = stream.map(|(id, &(number, edit))| {
        let document = document(id as u64, edited(number, edit));
        dedup.decide(document).unwrap()
    });
    decisions.collect()
}

/// Copies a directory as it stands, as a crash would leave it.
fn snapshot(from: &Path, to: &Path) {
    std::fs::create_dir_all(to).unwrap();
    for entry in std::fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let target = to.join(entry.file_name());
        match entry.file_type().unwrap().is_dir() {
            true => snapshot(&entry.path(), &target),
            false => drop(std::fs::copy(entry.path(), target).unwrap()),
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(12))]

    /// One at a time, and in batches of any size on all cores: the same decisions.
    #[test]
    fn decisions_do_not_depend_on_the_batches(stream in streams(), size in 1usize..50) {
        let dir = tempfile::tempdir().unwrap();
        let settings = Settings::default();
        let expected = run(&mut dedup(&settings), &stream, stream.len());
        let limits = BatchLimits { documents: size, ..BatchLimits::default() };
        let mut documents = Documents::open([write(dir.path(), &stream)]).with_limits(limits);
        let mut dedup = dedup(&settings);
        let mut decisions = Vec::new();
        while let Some(batch) = documents.next_batch().unwrap() {
            for answer in dedup.answers(batch) {
                match answer.unwrap() {
                    Answer::Decided(decision) => decisions.push(*decision),
                    other => prop_assert!(false, "{other:?}"),
                }
            }
        }
        prop_assert_eq!(decisions, expected);
    }

    /// What a crash leaves is as if the run had ended where it was last stored, so a second run
    /// over all documents decides as an uninterrupted one.
    #[test]
    fn a_killed_run_that_is_run_again_decides_as_one_that_was_not(
        stream in streams(),
        killed_after in 0usize..40,
        stored_every in 1usize..6,
    ) {
        let settings = Settings::default();
        let mut uninterrupted = dedup(&settings);
        let expected = run(&mut uninterrupted, &stream, stream.len());
        let dir = tempfile::tempdir().unwrap();
        let (living, left) = (dir.path().join("living"), dir.path().join("left"));
        let open = |dir: &Path| {
            let kept = KeptDocuments::open(dir, &settings.index()).unwrap();
            Deduplicator::new(&settings, kept.storing_every(stored_every), &[]).unwrap()
        };
        let mut killed = open(&living);
        run(&mut killed, &stream, killed_after);
        snapshot(&living, &left);
        drop(killed);
        let mut again = open(&left);
        let known = again.kept().len();
        let decisions = run(&mut again, &stream, stream.len());
        prop_assert_eq!(again.kept().len(), uninterrupted.kept().len());
        let expected_kept = expected.iter().filter(|decision| decision.verdict.is_kept());
        let known: Vec<&Value> = expected_kept.take(known).map(|kept| &kept.id).collect();
        for (decision, expected) in decisions.iter().zip(&expected) {
            prop_assert_eq!(stands_for(decision), stands_for(expected));
            if known.contains(&&decision.id) {
                prop_assert_eq!(decision.verdict, Verdict::ExactDuplicate);
            } else {
                prop_assert_eq!(decision.verdict, expected.verdict);
            }
        }
    }
}
