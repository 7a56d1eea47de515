//! Duplicates foreseen, and groups of URLs that yield nothing new.

/// Settings of the duplicate forecast.
#[derive(Debug, Clone)]
pub struct RedundancyConfig {
    /// A URL is skipped when the forecast is at least this sure.
    pub confidence_min: f32,
    /// Share of the skipped that are fetched all the same, to find out whether the rule errs.
    pub probe_share: f32,
    /// Seed of the probes' choice.
    pub seed: u64,
}

impl Default for RedundancyConfig {
    fn default() -> Self {
        RedundancyConfig {
            confidence_min: 0.9,
            probe_share: 0.05,
            seed: 0,
        }
    }
}

/// A duplicate foreseen.
#[derive(Debug, Clone, PartialEq)]
pub struct Prediction {
    /// The URL that has the same page.
    pub kept_url: String,
    /// The rule that says so, in words.
    pub rule: String,
    /// How sure the rule is, 0.0 to 1.0.
    pub confidence: f32,
    /// Fetch it all the same: this one is a probe of the rule.
    pub probe: bool,
}

/// The memory of duplicates.
#[derive(Debug, Clone, Default)]
pub struct Redundancy {}

impl Redundancy {
    /// A memory that has seen nothing.
    pub fn new(_config: &RedundancyConfig) -> Redundancy {
        Redundancy {}
    }

    /// A confirmed pair: `url_dup` has the page of `url_kept`.
    pub fn observe_pair(&mut self, _url_dup: &str, _url_kept: &str) {}

    /// A page that is no duplicate of anything: evidence against rules that would have skipped it.
    pub fn observe_unique(&mut self, _url: &str) {}

    /// Whether this URL is going to be a duplicate, and of what.
    pub fn predict(&mut self, _url: &str) -> Option<Prediction> {
        None
    }
}
