//! For the tests of rules that keep further runs of a page.

use crate::flat_dom::FlatDom;
use crate::survey::Survey;

/// The texts of a page that are kept after a rule, where those were chosen before that `is_chosen` names. The forests gave each
/// run little.
pub(super) fn kept_texts(
    page: &str,
    is_chosen: impl Fn(&FlatDom<'_>, &Survey, usize) -> bool,
    rule: impl FnOnce(&FlatDom<'_>, &Survey, &[f32], &mut [bool]),
) -> Vec<String> {
    let html = scraper::Html::parse_document(page);
    let flat = FlatDom::of(&html);
    let survey = Survey::of(&flat);
    let runs = 0..survey.texts.len();
    let mut main: Vec<bool> = runs.map(|run| is_chosen(&flat, &survey, run)).collect();
    let probability = vec![0.1; main.len()];
    rule(&flat, &survey, &probability, &mut main);
    let texts = survey.texts.into_iter().zip(&main);
    texts
        .filter_map(|(text, &kept)| kept.then_some(text))
        .collect()
}
