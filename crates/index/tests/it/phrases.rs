//! How a phrase in quotes is shown.

use crate::{page, search, written};

#[test]
fn a_phrase_is_shown_and_marked_where_it_stands() {
    // The first stretch with the most of its words was shown, and each of them was marked wherever it stood.
    let filler =
        "Nothing of note is said in this sentence, which is as long as others are. ".repeat(4);
    let english = format!(
        "Near it the river was. The bridge near the water. {filler}We met at the\nriver near the old mill. {filler}"
    );
    let chinese = format!(
        "索引和数据库，数据库和索引。{}数据库的索引要先建好。",
        "这一句说的是别的事情，而且说得很长。".repeat(20)
    );
    let dir = tempfile::tempdir().unwrap();
    written(
        dir.path(),
        &[
            page("http://a.example/en", "The river", &english),
            page("http://a.example/zh", "x", &chinese),
            page("http://a.example/title", "Old river mill", "A mill of old."),
        ],
    );
    let shown = |query: &str| {
        let hit = search(dir.path(), query).remove(0);
        (hit.title.marked("[", "]"), hit.snippet.marked("[", "]"))
    };
    let (title, snippet) = shown("\"the river near\"");
    assert_eq!(title, "The river");
    assert!(
        snippet.contains("We met at [the river near] the old mill."),
        "{snippet}"
    );
    assert_eq!(snippet.matches('[').count(), 1, "{snippet}");
    // What is asked for beside it is marked as well, and does not win over it.
    let (title, snippet) = shown("\"the river near\" river bridge water");
    assert_eq!(title, "The [river]");
    assert!(
        snippet.contains("[the river near] the old mill"),
        "{snippet}"
    );
    let (_, snippet) = shown("\"数据库的索引\"");
    assert!(snippet.contains("[数据库的索引]要先建好"), "{snippet}");
    assert_eq!(snippet.matches('[').count(), 1, "{snippet}");
    // Where the phrase stands in the title alone, its words are what the text can show.
    let (title, snippet) = shown("\"old river mill\"");
    assert_eq!(
        (&*title, &*snippet),
        ("[Old river mill]", "A [mill] of [old].")
    );
}

#[test]
fn a_phrase_across_two_sentences_is_shown_whole() {
    let long = "a sentence that goes on and on without an end to it, ".repeat(3);
    let text = format!("It is {long} and then there was light. Water came after it, {long} too.");
    let dir = tempfile::tempdir().unwrap();
    written(dir.path(), &[page("http://a.example/", "x", &text)]);
    let hits = search(dir.path(), "\"was light water came\"");
    let shown = hits[0].snippet.marked("[", "]");
    assert!(shown.contains("[was light. Water came]"), "{shown}");
}
