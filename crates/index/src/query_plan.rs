//! From a parsed query to queries of the search engine.
//!
//! A word is looked for in the title, the text and the author's name, and a Chinese word also as a
//! phrase of its characters. Words that stand side by side as in the query raise the score.

use std::collections::HashSet;

use segment::Script;
use tantivy::Term;
use tantivy::query::{
    AllQuery, BooleanQuery, BoostQuery, ConstScoreQuery, DisjunctionMaxQuery, EmptyQuery, Occur,
    PhraseQuery, Query as EngineQuery, TermQuery,
};
use tantivy::schema::{Field, IndexRecordOption};

use crate::error::IndexError;
use crate::exclusion::Exclusion;
use crate::query::{Query, QueryWord};
use crate::schema::Fields;
use crate::snippet::Needle;

/// A word in the title counts so much more than in the text.
const TITLE_BOOST: f32 = 2.5;

/// A Chinese word counts so much where its characters stand side by side but were cut otherwise.
const CHARACTERS_BOOST: f32 = 0.4;

/// Words that stand side by side as in the query count so much beside their own scores.
const ADJACENT_BOOST: f32 = 0.5;

/// How far apart such words may stand.
const ADJACENT_SLOP: u32 = 2;

/// A word in the other number, singular or plural, counts so much as the one that was typed.
const OTHER_NUMBER_BOOST: f32 = 0.8;

/// Bytes of a word that has another number.
const NUMBER_BYTES_MIN: usize = 3;

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
    pub(crate) needles: Vec<Needle>,
    /// Something was asked for, but it has no word in it, as `"!!!"`.
    wordless: bool,
}

impl QueryPlan {
    pub(crate) fn new(query: &Query, fields: &Fields) -> QueryPlan {
        let mut plan = QueryPlan {
            wanted: Vec::new(),
            bonuses: Vec::new(),
            conditions: Vec::new(),
            needles: Vec::new(),
            wordless: false,
        };
        let mut single_words = Vec::new();
        for part in &query.wanted {
            let words = part.words();
            plan.needles.extend(words.iter().cloned().map(Needle::new));
            if part.phrase {
                plan.wanted.extend(phrase_query(&words, fields));
            } else {
                let others = words.iter().flat_map(other_number);
                plan.needles.extend(others.map(Needle::new));
                single_words.extend(words);
            }
        }
        plan.add_single_words(&single_words, fields);
        plan.wordless = plan.wanted.is_empty() && !query.wanted.is_empty();
        for part in &query.unwanted {
            if let Some(unwanted) = phrase_query(&part.words(), fields) {
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

    /// Adds the words outside quotes, each once, and a bonus for pages that have them side by side.
    fn add_single_words(&mut self, words: &[QueryWord], fields: &Fields) {
        let mut seen = HashSet::new();
        for word in words {
            if seen.insert(&word.text) {
                self.wanted.push(word_query(word, fields));
            }
        }
        if words.len() > 1
            && let Some(terms) = placed_terms(fields.text_words, words)
        {
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

/// A word in any field, in the singular and in the plural. The best way counts, so a page is not ranked
/// higher because one word matches in several ways.
pub(crate) fn word_query(word: &QueryWord, fields: &Fields) -> Box<dyn EngineQuery> {
    let as_typed = exact_word_query(word, fields);
    let others = other_number(word);
    if others.is_empty() {
        return as_typed;
    }
    let others = others
        .iter()
        .map(|other| boosted(exact_word_query(other, fields), OTHER_NUMBER_BOOST));
    let ways = std::iter::once(as_typed).chain(others).collect();
    Box::new(DisjunctionMaxQuery::with_tie_breaker(ways, 0.1))
}

/// The plural of an English word, or what it may be the plural of; nothing for other words.
fn other_number(word: &QueryWord) -> Vec<QueryWord> {
    let text = word.text.as_str();
    let is_english =
        text.len() >= NUMBER_BYTES_MIN && text.bytes().all(|byte| byte.is_ascii_lowercase());
    if word.script != Script::Other || !is_english {
        return Vec::new();
    }
    let ends = |text: &str, all: &[&str]| all.iter().any(|end| text.ends_with(end));
    let hisses = |stem: &str| ends(stem, &["s", "x", "z", "ch", "sh"]);
    let without = |bytes: usize| &text[..text.len() - bytes];
    let others = match text {
        _ if ends(text, &["ss", "us", "is"]) => vec![format!("{text}es")],
        // Of queries or of cookies.
        _ if text.ends_with("ies") => vec![format!("{}y", without(3)), without(1).to_owned()],
        // Of boxes or of databases.
        _ if text.ends_with("es") && (hisses(without(2)) || text.ends_with("oes")) => {
            vec![without(2).to_owned(), without(1).to_owned()]
        }
        _ if text.ends_with('s') => vec![without(1).to_owned()],
        _ if text.ends_with('y') && !ends(without(1), &["a", "e", "o", "u"]) => {
            vec![format!("{}ies", without(1))]
        }
        _ if hisses(text) => vec![format!("{text}es")],
        _ if text.ends_with('o') => vec![format!("{text}s"), format!("{text}es")],
        _ => vec![format!("{text}s")],
    };
    let others = others.into_iter();
    others
        .map(|text| QueryWord {
            text,
            ..word.clone()
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
        ways.push(boosted(character_phrase(&[word], fields), CHARACTERS_BOOST));
    }
    Box::new(DisjunctionMaxQuery::with_tie_breaker(ways, 0.1))
}

/// Words side by side in one field. Chinese words may be cut otherwise in the text: so each stretch of
/// Chinese is also looked for character by character, and each stretch of other words as a phrase.
fn phrase_query(words: &[QueryWord], fields: &Fields) -> Option<Box<dyn EngineQuery>> {
    match words {
        [] => return None,
        [word] => return Some(exact_word_query(word, fields)),
        _ => {}
    }
    let mut ways = vec![
        boosted(word_phrase(fields.title_words, words), TITLE_BOOST),
        word_phrase(fields.text_words, words),
        word_phrase(fields.author_words, words),
    ];
    if words.iter().any(|word| word.script == Script::Han) {
        let stretches = words.chunk_by(|before, word| {
            let han = |word: &QueryWord| word.script == Script::Han;
            han(before) == han(word) && (!han(word) || word.joined)
        });
        let all = stretches.map(|stretch| match stretch[0].script {
            Script::Han => character_phrase(&stretch.iter().collect::<Vec<_>>(), fields),
            Script::Kana | Script::Hangul | Script::Thai | Script::Number | Script::Other => {
                let ways = [fields.title_words, fields.text_words]
                    .map(|field| word_phrase(field, stretch));
                Box::new(BooleanQuery::union(ways.into())) as Box<dyn EngineQuery>
            }
        });
        let all = BooleanQuery::intersection(all.collect());
        ways.push(boosted(Box::new(all), CHARACTERS_BOOST));
    }
    Some(Box::new(DisjunctionMaxQuery::with_tie_breaker(ways, 0.1)))
}

/// Chinese words as a phrase of their characters.
fn character_phrase(words: &[&QueryWord], fields: &Fields) -> Box<dyn EngineQuery> {
    let mut buffer = [0; 4];
    let characters = words.iter().flat_map(|word| word.text.chars());
    let mut terms: Vec<Term> = characters
        .map(|character| {
            Term::from_field_text(fields.characters, character.encode_utf8(&mut buffer))
        })
        .collect();
    match terms.len() {
        0 => Box::new(EmptyQuery),
        1 => Box::new(TermQuery::new(
            terms.remove(0),
            IndexRecordOption::WithFreqs,
        )),
        _ => Box::new(PhraseQuery::new(terms)),
    }
}

/// Words as a phrase in one field.
fn word_phrase(field: Field, words: &[QueryWord]) -> Box<dyn EngineQuery> {
    match placed_terms(field, words) {
        Some(terms) => Box::new(PhraseQuery::new_with_offset(terms)),
        None => term_query(field, words.first().map_or("", |word| &word.text)),
    }
}

/// Words as terms of a field with their places in a phrase; `None` for fewer than two.
fn placed_terms(field: Field, words: &[QueryWord]) -> Option<Vec<(usize, Term)>> {
    let terms: Vec<(usize, Term)> = words
        .iter()
        .enumerate()
        .map(|(place, word)| (place, Term::from_field_text(field, &word.text)))
        .collect();
    (terms.len() > 1).then_some(terms)
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn english_words_have_another_number_and_no_others() {
        let others = |text: &str, script| -> Vec<String> {
            let word = QueryWord {
                text: text.to_owned(),
                script,
                joined: false,
            };
            let others = other_number(&word).into_iter();
            others.map(|word| word.text).collect()
        };
        for (one, many) in [
            ("fingerprint", "fingerprints"),
            ("query", "queries"),
            ("index", "indexes"),
            ("branch", "branches"),
            ("key", "keys"),
            ("class", "classes"),
            ("cache", "caches"),
            ("database", "databases"),
            ("cookie", "cookies"),
            ("hero", "heroes"),
        ] {
            let plural = others(one, Script::Other);
            assert!(plural == [many] || one == "hero", "{plural:?}");
            assert!(
                others(many, Script::Other).iter().any(|other| other == one),
                "{many}"
            );
        }
        for text in ["数据库", "42", "go", "größe", "x86"] {
            let script = match text {
                "数据库" => Script::Han,
                _ => Script::Other,
            };
            assert_eq!(others(text, script), [""; 0], "{text}");
        }
    }
}
