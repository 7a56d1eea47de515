//! Rows of features for the trainer of the classifier's forest; see `train/README.md`.

use url::Url;

use crate::flat_dom::FlatDom;
use crate::page::PageType;
use crate::parse_limits::DomLimits;
use crate::structured::Structured;
use crate::survey::Survey;
use crate::{assemble, blocks, classifier, dom, features};

/// One page as the trainer sees it.
pub struct TrainingRows {
    /// Names of the features.
    pub names: Vec<&'static str>,
    /// The runs' texts.
    pub texts: Vec<String>,
    /// The runs' features, row after row.
    pub values: Vec<f32>,
    /// The page's main content by the given log odds; none without them.
    pub text: Option<String>,
    /// Which runs it is made of.
    pub main: Option<Vec<bool>>,
    /// What kind of page it is by the given log odds; none without them.
    pub page_type: Option<PageType>,
}

/// The features of a page's runs; with their log odds also the content that these make.
pub fn training_rows(html: &str, url: &Url, log_odds: Option<&[f32]>) -> TrainingRows {
    let dom = dom::parse(html, &DomLimits::default());
    let flat = FlatDom::of(&dom.html);
    let survey = Survey::of(&flat);
    let structured = Structured::read(&flat.json_ld);
    let mut features = features::compute(&flat, &survey, &structured, url);
    let (text, main, page_type) = match log_odds {
        None => (None, None, None),
        Some(odds) => {
            let odds = &odds[..flat.runs.len()];
            let chosen =
                classifier::classify_by_odds(&flat, &survey, &features, &structured, url, odds);
            let blocks = assemble::assemble(&dom.html, &flat, &survey.texts, &chosen.main).blocks;
            let text = blocks::plain(&blocks);
            (Some(text), Some(chosen.main), Some(chosen.page_type))
        }
    };
    TrainingRows {
        names: std::mem::take(&mut features.table.names),
        values: std::mem::take(&mut features.table.values),
        texts: survey.texts,
        text,
        main,
        page_type,
    }
}
