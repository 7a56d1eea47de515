//! Two texts of one page: the same, nearly the same, or another?
//!
//! The texts are main texts, without menus and margins. Their lines are compared first, then the words of
//! lines that took each other's place; Chinese by character. What differs is weighed in words. Numbers
//! weigh nothing, but for a figure of a sentence; nor do the words of dates and counters in a line with a
//! number: "3 minutes ago", "阅读 128 次". Words that are spelt anew weigh nothing, and a web address is one
//! word. Lines that only changed places weigh nothing either, nor do notices and menus. A page has changed
//! when what is left comes to a phrase; below that it was touched. Some things are a phrase by themselves: an
//! item more or less in a list, another figure in a sentence, another value of a setting, another command.
//!
//! Some parts are other lines each time: a quote of the day, teasers below an article, a counter. Once that is known
//! of a part, what stands in it weighs nothing, unless it stays: see [`parts`].
//!
//! Where main content begins and ends is found anew at each visit, and may be found elsewhere in a page that
//! has not changed. So where whole pages are at hand, a line counts for nothing that stands on the page as
//! often as it did.
//!
//! `words` cuts texts into words, `notices` knows what a site says of a page, `figures` when a number tells,
//! `turns` which words turn what is said round, `parts` what is made anew each time, `lists` what an item is, `shown` what stands on a page.

mod figures;
mod lists;
mod notices;
pub mod parts;
mod shown;
mod tells;
mod turns;
mod words;

#[cfg(test)]
mod tests;

use std::borrow::Borrow;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use outcome::Change;
use similar::{Algorithm, DiffOp, DiffTag, capture_diff_slices};

pub use parts::Part;
use parts::Watched;
pub use shown::Shown;
use tells::{
    is_another_address, is_aside, is_of_counters, is_respelt, is_slip, sentences, tells_alone,
};
use words::{Line, Word, is_number, lines, weight};

/// A phrase: so many words, taken out and put in together. One word in the place of another is two.
const PHRASE_WORDS: f64 = 4.0;

/// A line more or less is a phrase from so many words on: an entry of a list is often no longer.
const LINE_WORDS: f64 = 3.0;

/// What another address of a link weighs.
const ADDRESS_WORDS: f64 = 0.5;

/// Words of a link's name at most, where it stands in the place of its address.
const LINK_WORDS_MAX: usize = 5;

/// In a short text less is a phrase: this share of its words.
const PHRASE_SHARE: f64 = 0.2;

/// Words on each side of two lines that are compared word by word.
const LINE_WORDS_MAX: usize = 1_500;

/// Passages that are told.
const PASSAGES_MAX: usize = 50;

/// Lines that are looked for in whole pages; further ones are taken for what the main texts have.
const LINES_SOUGHT_MAX: usize = 400;

/// What two texts of one page have of each other.
#[derive(Debug, Clone, PartialEq)]
pub struct Comparison {
    /// `unchanged`, `touched` or `changed`.
    pub change: Change,
    /// The share of words that both have, 0.0 to 1.0.
    pub similarity: f64,
    /// Where they differ, in order; 50 at most.
    pub passages: Vec<Passage>,
    /// Parts that are other ones than at the visit before, or were at one before that; 16 at most.
    pub parts: Vec<Part>,
}

/// What is known of a page beside its two texts.
#[derive(Debug, Clone, Copy, Default)]
pub struct Known<'k> {
    /// All that stood and stands on it.
    pub shown: Option<&'k Shown>,
    /// [`Comparison::parts`] of the visit before.
    pub parts: &'k [Part],
}

/// A place where two texts differ.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Passage {
    /// The lines of the first text; empty where they are new.
    pub before: String,
    /// The lines of the second text; empty where they are gone.
    pub after: String,
    /// Nothing but numbers, dates and counters differs, or a part that is another one each time.
    pub is_small: bool,
}

/// Compares a page's text with its text at the visit before.
pub fn compare(before: &str, after: &str) -> Comparison {
    compare_by(before, after, Known::default())
}

/// The same where all text of the page is at hand as well, as it was and as it is. What has not changed by its
/// main texts has not by these either: of two lines in each other's place one may stand elsewhere, too.
pub fn compare_on_pages(before: &str, after: &str, shown: &Shown) -> Comparison {
    let known = Known {
        shown: Some(shown),
        parts: &[],
    };
    compare_knowing(before, after, known)
}

/// The same with all that is known of the page.
pub fn compare_knowing(before: &str, after: &str, known: Known<'_>) -> Comparison {
    let texts_alone = Known {
        shown: None,
        ..known
    };
    let by_texts = compare_by(before, after, texts_alone);
    match by_texts.change {
        Change::Changed if known.shown.is_some() => compare_by(before, after, known),
        _ => by_texts,
    }
}

fn compare_by(before: &str, after: &str, known: Known<'_>) -> Comparison {
    let (old, new) = (lines(before), lines(after));
    let similarity = similarity(&old, &new);
    let keys = |lines: &[Line]| lines.iter().map(Line::key).collect::<Vec<_>>();
    let (old_keys, new_keys) = (keys(&old), keys(&new));
    if old_keys == new_keys {
        return Comparison {
            change: Change::Unchanged,
            similarity: 1.0,
            passages: Vec::new(),
            parts: Watched::new(known.parts).end(),
        };
    }
    let mut slips = BTreeSet::new();
    let differences = differences((&old, &old_keys), (&new, &new_keys), known.shown);
    let all_words = weigh(&old).max(weigh(&new));
    let mut own: Vec<f64> = differences
        .iter()
        .map(|one| weight_of(one, &mut slips, (&old, &new)))
        .collect();
    let mut watched = Watched::new(known.parts);
    for region in parts::regions(&differences, &old) {
        let (differences, own) = (&differences[region.clone()], &mut own[region]);
        silence(
            differences,
            own,
            &mut watched,
            all_words,
            (&old_keys, &new_keys),
        );
    }
    let weight: f64 = own.iter().sum();
    let phrase = PHRASE_WORDS.min(PHRASE_SHARE * all_words);
    let change = match weight > 0.0 && weight >= phrase {
        true => Change::Changed,
        false => Change::Touched,
    };
    let passage = |(one, own): (&Difference, &f64)| Passage {
        before: joined(&one.removed),
        after: joined(&one.added),
        is_small: *own == 0.0,
    };
    let passages = differences.iter().zip(&own).take(PASSAGES_MAX);
    let mut parts = watched.end();
    if change == Change::Changed {
        parts.iter_mut().for_each(Part::settle);
    }
    Comparison {
        change,
        similarity,
        passages: passages.map(passage).collect(),
        parts,
    }
}

/// Lines that stand in the place of others.
#[derive(Debug)]
struct Difference<'l, 't> {
    /// Which lines of the first text, and of the second, those that only changed places included.
    was: Range<usize>,
    is: Range<usize>,
    /// Those of them that the other text lacks.
    removed: Vec<&'l Line<'t>>,
    added: Vec<&'l Line<'t>>,
}

/// Where two texts differ, in order.
fn differences<'l, 't>(
    (old, old_keys): (&'l [Line<'t>], &[String]),
    (new, new_keys): (&'l [Line<'t>], &[String]),
    shown: Option<&Shown>,
) -> Vec<Difference<'l, 't>> {
    let mut moved = moved_lines(old_keys, new_keys);
    let (mut out, mut sought) = (Vec::new(), 0);
    for op in capture_diff_slices(Algorithm::Patience, old_keys, new_keys) {
        if op.tag() == DiffTag::Equal {
            continue;
        }
        let (was, is) = (op.old_range(), op.new_range());
        let mut removed = left_over(&old[was.clone()], &old_keys[was.clone()], &mut moved.0);
        let mut added = left_over(&new[is.clone()], &new_keys[is.clone()], &mut moved.1);
        if let Some(shown) = shown
            && sought + removed.len() + added.len() <= LINES_SOUGHT_MAX
        {
            sought += removed.len() + added.len();
            removed.retain(|line| !shown.is_still_there(line));
            added.retain(|line| !shown.was_there(line));
        }
        if !removed.is_empty() || !added.is_empty() {
            out.push(Difference {
                was,
                is,
                removed,
                added,
            });
        }
    }
    out
}

/// Differences in a row weigh nothing where they are in parts that are made anew each time.
fn silence(
    differences: &[Difference<'_, '_>],
    own: &mut [f64],
    watched: &mut Watched,
    all_words: f64,
    keys: (&[String], &[String]),
) {
    if own.iter().all(|own| *own == 0.0) {
        return;
    }
    if let Some(part) = parts::of_lines(differences, all_words, keys) {
        if !watched.tells(part) {
            own.fill(0.0);
        }
        return;
    }
    for (one, own) in differences.iter().zip(own).filter(|(_, own)| **own > 0.0) {
        if let Some(part) = parts::of_figures(one)
            && !watched.tells(part)
        {
            *own = 0.0;
        }
    }
}

/// What a difference weighs, in words.
fn weight_of(
    one: &Difference<'_, '_>,
    slips: &mut BTreeSet<(String, String)>,
    texts: (&[Line<'_>], &[Line<'_>]),
) -> f64 {
    let own = difference(&one.removed, &one.added, slips);
    own.max(lines_by_themselves(one, own, texts))
}

fn weigh(lines: &[Line<'_>]) -> f64 {
    lines.iter().map(Line::weight).sum()
}

/// What lines weigh as such: one more or less, and not another one in its place; or a cell of a table, which is a
/// line of its own. `own` is what their words weigh.
fn lines_by_themselves(
    one: &Difference<'_, '_>,
    own: f64,
    (old, new): (&[Line<'_>], &[Line<'_>]),
) -> f64 {
    let (removed, added) = (&one.removed[..], &one.added[..]);
    let are_phrases = || {
        own >= LINE_WORDS
            || match removed.is_empty() {
                true => lists::are_items(new, one.is.clone()),
                false => lists::are_items(old, one.was.clone()),
            }
    };
    let is_phrase = match (removed, added) {
        ([was], [is]) => own == 0.0 && figures::are_cells(was, is, old, one.was.clone()),
        _ => own > 0.0 && removed.is_empty() != added.is_empty() && are_phrases(),
    };
    if is_phrase { PHRASE_WORDS } else { 0.0 }
}

/// The share of words that both texts have, each counted as often as it stands.
fn similarity<'l, L: Borrow<Line<'l>>>(old: &'l [L], new: &'l [L]) -> f64 {
    let mut counts: BTreeMap<&str, i64> = BTreeMap::new();
    let (mut all, mut differ) = (0.0, 0.0);
    let words = |lines: &'l [L]| lines.iter().flat_map(|line| &line.borrow().words);
    for word in words(old) {
        *counts.entry(&word.text).or_default() += 1;
        all += 1.0;
    }
    for word in words(new) {
        *counts.entry(&word.text).or_default() -= 1;
        all += 1.0;
    }
    for count in counts.values() {
        differ += count.unsigned_abs() as f64;
    }
    if all == 0.0 { 1.0 } else { 1.0 - differ / all }
}

type Counts<'a> = BTreeMap<&'a str, usize>;

/// How often each line that both texts have in different places may be left out on either side.
fn moved_lines<'a>(old: &'a [String], new: &'a [String]) -> (Counts<'a>, Counts<'a>) {
    let mut out = Vec::new();
    for op in capture_diff_slices(Algorithm::Patience, old, new) {
        if op.tag() != DiffTag::Equal {
            out.push(op);
        }
    }
    let count = |lines: &'a [String], range: fn(&DiffOp) -> Range<usize>| {
        let mut counts = Counts::new();
        for line in out.iter().flat_map(|op| &lines[range(op)]) {
            *counts.entry(line.as_str()).or_default() += 1;
        }
        counts
    };
    let (mut gone, mut come) = (count(old, DiffOp::old_range), count(new, DiffOp::new_range));
    gone.retain(|line, count| match come.get_mut(line) {
        Some(other) => {
            *count = (*count).min(*other);
            *other = *count;
            true
        }
        None => false,
    });
    come.retain(|line, _| gone.contains_key(line));
    (gone, come)
}

/// The lines that did not only change places.
fn left_over<'a, 'b>(
    lines: &'b [Line<'a>],
    keys: &[String],
    moved: &mut Counts<'_>,
) -> Vec<&'b Line<'a>> {
    let stays = |(_, key): &(&Line, &String)| match moved.get_mut(key.as_str()) {
        Some(count) if *count > 0 => {
            *count -= 1;
            false
        }
        _ => true,
    };
    lines
        .iter()
        .zip(keys)
        .filter(stays)
        .map(|(line, _)| line)
        .collect()
}

/// What differs between lines that took each other's place, in words.
fn difference(
    removed: &[&Line<'_>],
    added: &[&Line<'_>],
    slips: &mut BTreeSet<(String, String)>,
) -> f64 {
    let all = |lines: &[&Line<'_>]| -> Vec<Word> {
        let lines = lines.iter().filter(|line| !is_aside(&line.words, false));
        lines.flat_map(|line| line.words.iter().cloned()).collect()
    };
    let (old, new) = (all(removed), all(added));
    let texts = |words: &[Word]| {
        words
            .iter()
            .map(|word| word.text.clone())
            .collect::<Vec<_>>()
    };
    let (old_texts, new_texts) = (texts(&old), texts(&new));
    let has_number = old_texts
        .iter()
        .chain(&new_texts)
        .any(|word| is_number(word));
    let weigh = |words: &[Word], is_inside: bool| {
        let told = sentences(words).filter(|words| !is_aside(words, is_inside));
        told.flatten()
            .map(|word| match has_number && is_of_counters(&word.text) {
                true => 0.0,
                false => weight(&word.text),
            })
            .sum::<f64>()
    };
    if old.len() > LINE_WORDS_MAX || new.len() > LINE_WORDS_MAX {
        return weigh(&old, false) + weigh(&new, false);
    }
    let ops = capture_diff_slices(Algorithm::Myers, &old_texts, &new_texts);
    let is_inside = ops.iter().any(|op| op.tag() == DiffTag::Equal);
    let mut sum = 0.0;
    for op in ops.iter().filter(|op| op.tag() != DiffTag::Equal) {
        let (was, is) = (&old_texts[op.old_range()], &new_texts[op.new_range()]);
        if is_respelt(was, is) || is_slip(was, is) && !slips.insert((was[0].clone(), is[0].clone()))
        {
            continue;
        }
        if is_another_address(was, is) {
            sum += ADDRESS_WORDS;
            continue;
        }
        sum += weigh(&old[op.old_range()], is_inside) + weigh(&new[op.new_range()], is_inside);
        if tells_alone(&old, &new, op) {
            sum += PHRASE_WORDS;
        }
    }
    sum
}

fn joined(lines: &[&Line<'_>]) -> String {
    lines
        .iter()
        .map(|line| line.source)
        .collect::<Vec<_>>()
        .join("\n")
}
