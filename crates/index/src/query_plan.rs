//! From a parsed query to queries of the search engine.
//!
//! A word is looked for in the title, the text and the author's name, and a Chinese word also as a
//! row of its characters. Words that stand side by side as in the query raise the score.

use std::collections::HashSet;

use segment::{Script, english_forms, without_accents, without_article};
use tantivy::Term;
use tantivy::query::{
    AllQuery, BooleanQuery, BoostQuery, ConstScoreQuery, DisjunctionMaxQuery, EmptyQuery, Occur,
    PhraseQuery, Query as EngineQuery, TermQuery,
};
use tantivy::schema::{Field, IndexRecordOption};

use crate::error::IndexError;
use crate::exclusion::Exclusion;
use crate::forms::{PART, parts_in_query, place_count};
use crate::query::{Part, Query, QueryWord};
use crate::schema::Fields;
use crate::snippet::{Needle, Needles};

/// A word in the title counts so much more than in the text.
const TITLE_BOOST: f32 = 2.5;

/// A Chinese word counts so much where its characters stand side by side but were cut otherwise.
const CHARACTERS_BOOST: f32 = 0.4;

/// Words that stand side by side as in the query count so much beside their own scores.
const ADJACENT_BOOST: f32 = 0.5;

/// How far apart such words may stand.
const ADJACENT_SLOP: u32 = 2;

/// A word in another form (number, possessive, without accents) counts so much as the one that was typed.
const OTHER_FORM_BOOST: f32 = 0.8;

/// A word that is part of a longer one (`conf` in `pg_hba.conf`) counts so much as one by itself.
const PART_BOOST: f32 = 0.5;

type Clause = (Occur, Box<dyn EngineQuery>);

/// A query as queries of the engine.
#[derive(Debug)]
pub(crate) struct QueryPlan {
    /// One for each wanted word or phrase.
    wanted: Vec<Box<dyn EngineQuery>>,
    /// They raise the score of pages that match, and exclude no page.
    bonuses: Vec<Box<dyn EngineQuery>>,
    /// Conditions and exclusions.
    conditions: Vec<Clause>,
    /// What snippets highlight.
    pub(crate) needles: Needles,
    /// Something was asked for, but it has no word in it, as `"!!!"`.
    wordless: bool,
}

impl QueryPlan {
    pub(crate) fn new(query: &Query, fields: &Fields) -> QueryPlan {
        let mut plan = QueryPlan {
            wanted: Vec::new(),
            bonuses: Vec::new(),
            conditions: Vec::new(),
            needles: Needles::default(),
            wordless: false,
        };
        let mut single_words = Vec::new();
        let all_parts = || query.wanted.iter().flatten();
        let says_more = all_parts().any(|part| part.words().iter().any(|word| !word.is_stop));
        for choice in &query.wanted {
            for part in choice {
                let mut words = part.words();
                if part.phrase {
                    plan.needles.add_phrase(part, words);
                    continue;
                }
                words.retain(|word| !(says_more && word.is_stop));
                let others = words.iter().flat_map(other_forms);
                plan.needles.words.extend(others.map(Needle::new));
                plan.needles
                    .words
                    .extend(words.into_iter().map(Needle::new));
            }
            match &choice[..] {
                [part] if !part.phrase => single_words.extend(part.words()),
                parts => plan.wanted.extend(any_part(parts, fields)),
            }
        }
        plan.add_single_words(&single_words, says_more, fields);
        plan.wordless = plan.wanted.is_empty() && !query.wanted.is_empty();
        for part in &query.unwanted {
            if let Some(unwanted) = phrase_query(part, Ends::Whole, fields) {
                let unwanted = Box::new(Exclusion(unwanted));
                plan.conditions.push((Occur::MustNot, unwanted));
            }
        }
        plan.add_filter(Occur::Must, fields.host, &query.hosts);
        plan.add_filter(Occur::Must, fields.lang, &query.langs);
        plan.add_filter(Occur::MustNot, fields.host, &query.not_hosts);
        plan.add_filter(Occur::MustNot, fields.lang, &query.not_langs);
        plan
    }

    /// Adds the words outside quotes, each once, and a bonus for pages that have them side by side. Where the
    /// query `says_more`, stop words count for the bonus alone.
    fn add_single_words(&mut self, words: &[QueryWord], says_more: bool, fields: &Fields) {
        let mut seen = HashSet::new();
        for word in words {
            if !(says_more && word.is_stop) && seen.insert(&word.text) {
                self.wanted.push(word_query(word, fields));
            }
        }
        if words.len() > 1 {
            let terms = placed_terms(fields.text_words, words, (false, false));
            let side_by_side = PhraseQuery::new_with_offset_and_slop(terms, ADJACENT_SLOP);
            self.bonuses
                .push(boosted(Box::new(side_by_side), ADJACENT_BOOST));
        }
    }

    /// Adds a condition that a field has one of the values, or none of them.
    fn add_filter(&mut self, occur: Occur, field: Field, values: &[String]) {
        if values.is_empty() {
            return;
        }
        let any = values
            .iter()
            .map(|value| term_query(field, value))
            .collect();
        let any = ConstScoreQuery::new(Box::new(BooleanQuery::union(any)), 0.0);
        self.conditions.push((occur, Box::new(any)));
    }

    /// Whether nothing can be looked for.
    pub(crate) fn is_empty(&self) -> bool {
        self.wanted.is_empty() && (self.conditions.is_empty() || self.wordless)
    }

    /// Whether pages with some of the words can be found where none has all.
    pub(crate) fn has_several_words(&self) -> bool {
        self.wanted.len() > 1
    }

    /// Pages with all wanted words and phrases.
    pub(crate) fn all_words(&self) -> Box<dyn EngineQuery> {
        let wanted = self
            .wanted
            .iter()
            .map(|word| (Occur::Must, word.box_clone()));
        self.with_conditions(wanted.collect())
    }

    /// Pages with half of the wanted words and phrases, those left aside that `is_common` says tell
    /// nothing of a page; `None` when nothing is left.
    pub(crate) fn some_words(
        &self,
        is_common: impl Fn(&dyn EngineQuery) -> Result<bool, IndexError>,
    ) -> Result<Option<Box<dyn EngineQuery>>, IndexError> {
        let mut telling: Vec<Clause> = Vec::new();
        for word in &self.wanted {
            if !is_common(&**word)? {
                telling.push((Occur::Should, word.box_clone()));
            }
        }
        if telling.is_empty() {
            return Ok(None);
        }
        let half = telling.len().div_ceil(2);
        let some = BooleanQuery::with_minimum_required_clauses(telling, half);
        Ok(Some(
            self.with_conditions(vec![(Occur::Must, Box::new(some))]),
        ))
    }

    fn with_conditions(&self, mut clauses: Vec<Clause>) -> Box<dyn EngineQuery> {
        if clauses.is_empty() {
            let all = ConstScoreQuery::new(Box::new(AllQuery), 1.0);
            clauses.push((Occur::Must, Box::new(all)));
        }
        clauses.extend(
            self.bonuses
                .iter()
                .map(|bonus| (Occur::Should, bonus.box_clone())),
        );
        clauses.extend(
            self.conditions
                .iter()
                .map(|(occur, condition)| (*occur, condition.box_clone())),
        );
        Box::new(BooleanQuery::new(clauses))
    }
}

/// Pages with one of the parts; `None` when they have no words.
fn any_part(parts: &[Part], fields: &Fields) -> Option<Box<dyn EngineQuery>> {
    let part_query = |part: &Part| match part.phrase {
        true => phrase_query(part, Ends::Parts, fields),
        false => {
            let words = part.words();
            let all: Vec<_> = words.iter().map(|word| word_query(word, fields)).collect();
            (!all.is_empty()).then(|| Box::new(BooleanQuery::intersection(all)) as _)
        }
    };
    let mut ways: Vec<Box<dyn EngineQuery>> = parts.iter().filter_map(part_query).collect();
    match ways.len() {
        0 | 1 => ways.pop(),
        _ => Some(Box::new(BooleanQuery::union(ways))),
    }
}

/// A word in any field, in all its forms and as part of longer words. The best way counts, so a page is not
/// ranked higher because one word matches in several ways.
pub(crate) fn word_query(word: &QueryWord, fields: &Fields) -> Box<dyn EngineQuery> {
    let as_typed = exact_word_query(word, fields);
    if !matches!(word.script, Script::Other | Script::Number) {
        return as_typed;
    }
    let others = other_forms(word);
    let others = others
        .iter()
        .map(|other| boosted(exact_word_query(other, fields), OTHER_FORM_BOOST));
    let mut ways: Vec<_> = std::iter::once(as_typed).chain(others).collect();
    let word = std::slice::from_ref(word);
    let in_longer = words_side_by_side(word, &[(true, true)], fields);
    ways.extend(in_longer.map(|way| boosted(way, PART_BOOST)));
    Box::new(DisjunctionMaxQuery::with_tie_breaker(ways, 0.1))
}

/// An English word in the other number and as a possessive, and a word without its accents or its article.
fn other_forms(word: &QueryWord) -> Vec<QueryWord> {
    if word.script != Script::Other {
        return Vec::new();
    }
    let forms = english_forms(&word.text).into_iter();
    forms
        .chain(without_accents(&word.text))
        .chain(without_article(&word.text))
        .map(|text| QueryWord {
            text,
            script: word.script,
            is_stop: word.is_stop,
        })
        .collect()
}

/// A word in any field, as it was typed.
fn exact_word_query(word: &QueryWord, fields: &Fields) -> Box<dyn EngineQuery> {
    let mut ways = vec![
        boosted(term_query(fields.title_words, &word.text), TITLE_BOOST),
        term_query(fields.text_words, &word.text),
        term_query(fields.author_words, &word.text),
    ];
    if word.script == Script::Han {
        let mut buffer = [0; 4];
        let characters = word.text.chars().enumerate().map(|(place, character)| {
            let character = character.encode_utf8(&mut buffer);
            (place, Term::from_field_text(fields.characters, character))
        });
        ways.push(boosted(
            placed_phrase(characters.collect()),
            CHARACTERS_BOOST,
        ));
    }
    Box::new(DisjunctionMaxQuery::with_tie_breaker(ways, 0.1))
}

/// What the first and the last word of a phrase may be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Ends {
    /// Words by themselves.
    Whole,
    /// Also the end and the beginning of longer words: `"hba.conf file"` in `pg_hba.conf file`.
    Parts,
}

/// The words of a part side by side in one field. Chinese and Japanese may be cut otherwise in the text, so a part
/// with such characters is also looked for as a row of them and of what stands between them.
pub(crate) fn phrase_query(
    part: &Part,
    ends: Ends,
    fields: &Fields,
) -> Option<Box<dyn EngineQuery>> {
    let words = part.words();
    if words.is_empty() {
        return None;
    }
    let mut ways: Vec<_> = words_side_by_side(&words, &[(false, false)], fields).collect();
    let in_longer: &[(bool, bool)] = match (ends, words.len()) {
        (Ends::Whole, _) => &[],
        (Ends::Parts, 1) => &[(true, true)],
        (Ends::Parts, _) => &[(true, false), (false, true), (true, true)],
    };
    let in_longer = words_side_by_side(&words, in_longer, fields);
    ways.extend(in_longer.map(|way| boosted(way, PART_BOOST)));
    for row in part.rows() {
        let terms = row
            .iter()
            .map(|(place, text)| (*place, Term::from_field_text(fields.characters, text)));
        ways.push(boosted(placed_phrase(terms.collect()), CHARACTERS_BOOST));
    }
    Some(Box::new(DisjunctionMaxQuery::with_tie_breaker(ways, 0.1)))
}

/// Words side by side in each field; `in_parts` says for the first and the last word whether it is part of a longer
/// one.
fn words_side_by_side<'q>(
    words: &'q [QueryWord],
    in_parts: &'q [(bool, bool)],
    fields: &'q Fields,
) -> impl Iterator<Item = Box<dyn EngineQuery>> + 'q {
    in_parts.iter().flat_map(move |ends| {
        let in_field = |field| placed_phrase(placed_terms(field, words, *ends));
        [
            boosted(in_field(fields.title_words), TITLE_BOOST),
            in_field(fields.text_words),
            in_field(fields.author_words),
        ]
    })
}

/// Terms of one field at their places.
fn placed_phrase(mut terms: Vec<(usize, Term)>) -> Box<dyn EngineQuery> {
    match terms.len() {
        0 => Box::new(EmptyQuery),
        1 => Box::new(TermQuery::new(
            terms.remove(0).1,
            IndexRecordOption::WithFreqs,
        )),
        _ => Box::new(PhraseQuery::new_with_offset(terms)),
    }
}

/// Words as terms of a field with their places in a phrase, the first or the last in parts. Nothing where a word
/// that has no parts is wanted in parts.
fn placed_terms(
    field: Field,
    words: &[QueryWord],
    (is_first_in_parts, is_last_in_parts): (bool, bool),
) -> Vec<(usize, Term)> {
    let mut terms = Vec::new();
    let mut place = 0;
    for (number, word) in words.iter().enumerate() {
        let in_parts =
            (is_first_in_parts && number == 0) || (is_last_in_parts && number + 1 == words.len());
        if !in_parts {
            terms.push((place, Term::from_field_text(field, &word.text)));
            place += place_count(&word.text);
            continue;
        }
        let before = terms.len();
        for part in parts_in_query(&word.text) {
            let part = Term::from_field_text(field, &format!("{PART}{part}"));
            terms.push((place, part));
            place += 1;
        }
        if terms.len() == before {
            return Vec::new();
        }
    }
    terms
}

/// A term of a field that is searched whole.
pub(crate) fn term_query(field: Field, text: &str) -> Box<dyn EngineQuery> {
    Box::new(TermQuery::new(
        Term::from_field_text(field, text),
        IndexRecordOption::WithFreqs,
    ))
}

fn boosted(query: Box<dyn EngineQuery>, boost: f32) -> Box<dyn EngineQuery> {
    Box::new(BoostQuery::new(query, boost))
}
