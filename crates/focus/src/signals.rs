//! The signals of a link: the inputs of the two logistic models that score it.
//!
//! Each signal has a prior weight in each model. With no outcome known the priors alone score a
//! link; with every fetched link they are pulled towards what the crawl sees.

/// The number of signals of a link.
pub(crate) const SIGNAL_COUNT: usize = 26;

/// The signals of a link, or a weight for each.
pub(crate) type Signals = [f32; SIGNAL_COUNT];

/// The place of each signal.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Signal {
    Bias = 0,
    AnchorKeywords,
    UrlKeywords,
    ContextKeywords,
    AnchorLearnt,
    AnchorLikeness,
    UrlLearnt,
    ContextLearnt,
    ContextLikeness,
    /// Of the pages that have the link, called parents: the mean of their relevance, the best, the
    /// logarithm of the sum, and the logarithm of their number.
    ParentMean,
    ParentBest,
    ParentSum,
    ParentCount,
    /// How the other links of the parents did.
    Siblings,
    /// How the other links at the same tag path of the parents did.
    SiblingsAtTagPath,
    /// How links to the same host did.
    Host,
    /// How links to URLs of the same form did.
    UrlForm,
    /// How links at the same tag path of the same host did.
    TagPath,
    InMain,
    /// Links since the last page about the topic.
    Distance,
    ParentKeywords,
    /// How links with the same words did.
    LinkWords,
    /// The parents' mean relevance against the average reward of all links.
    ParentRatio,
    /// How like the user's own words the best page with the link is, and the link's words.
    ParentPlain,
    LinkPlain,
    /// How late in the crawl its first page was read: 0.0 for the first page, 1.0 for the last.
    FoundLate,
}

/// What a signal is called in a link score's reasons, and its prior weights.
struct Prior {
    name: &'static str,
    /// In the model of pages that are relevant.
    relevant: f32,
    /// In the model of pages that lead to relevant pages.
    hub: f32,
}

const fn prior(name: &'static str, relevant: f32, hub: f32) -> Prior {
    Prior {
        name,
        relevant,
        hub,
    }
}

/// In the order of [`Signal`].
const PRIORS: [Prior; SIGNAL_COUNT] = [
    prior("any link", -2.2, -1.5),
    prior("keywords in the anchor", 2.5, 1.5),
    prior("keywords in the URL", 0.8, 0.6),
    prior("keywords around it", 0.8, 0.3),
    prior("anchor words learnt", 0.6, 0.3),
    prior("anchor like the examples", 0.6, 0.3),
    prior("URL words learnt", 0.3, 0.2),
    prior("words around it learnt", 0.2, 0.1),
    prior("words around it like the examples", 0.2, 0.1),
    prior("relevance of the pages with it", 1.5, 0.8),
    prior("the most relevant page with it", 0.5, 0.3),
    prior("relevant pages with it", 0.6, 0.3),
    prior("pages with it", -0.3, -0.1),
    prior("other links of these pages", 0.4, 0.2),
    prior("its neighbours in the same place", 0.1, 0.2),
    prior("its host", 0.1, 0.1),
    prior("URLs of its form", 0.4, 0.3),
    prior("links in the same place of the site", 0.1, 0.2),
    prior("in the main text", 0.2, 0.0),
    prior("links since a relevant page", -0.5, -0.3),
    prior("keywords on the page with it", 0.7, 0.4),
    prior("outcomes of links with these words", 0.5, 0.3),
    prior("share of relevant pages with it", 0.3, 0.2),
    prior("pages with it like keywords and examples", 0.0, 0.0),
    prior("its words like keywords and examples", 0.0, 0.0),
    prior("found late", 0.0, 0.0),
];

/// The prior weights in the model of relevant pages.
pub(crate) const RELEVANT_PRIOR: Signals = {
    let mut weights = [0.0; SIGNAL_COUNT];
    let mut at = 0;
    while at < SIGNAL_COUNT {
        weights[at] = PRIORS[at].relevant;
        at += 1;
    }
    weights
};

/// The prior weights in the model of pages that lead to relevant pages.
pub(crate) const HUB_PRIOR: Signals = {
    let mut weights = [0.0; SIGNAL_COUNT];
    let mut at = 0;
    while at < SIGNAL_COUNT {
        weights[at] = PRIORS[at].hub;
        at += 1;
    }
    weights
};

/// The names of the signals, in order.
pub(crate) fn signal_names() -> impl Iterator<Item = &'static str> {
    PRIORS.iter().map(|prior| prior.name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_places_of_the_signals_agree() {
        assert_eq!(
            PRIORS[Signal::Siblings as usize].name,
            "other links of these pages"
        );
        assert_eq!(PRIORS[Signal::InMain as usize].name, "in the main text");
        assert_eq!(Signal::FoundLate as usize, SIGNAL_COUNT - 1);
    }
}
