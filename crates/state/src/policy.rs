//! What the user wants, as far as decisions depend on it.

use std::time::Duration;

use focus::FocusConfig;
use frontier::ScopeConfig;
use sieve::{Keep, Rules};

/// What becomes of the links of duplicates.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum DuplicateLinks {
    /// They are followed like any.
    Follow,
    /// They are followed, after all others.
    #[default]
    FollowNew,
    /// They are not followed.
    Ignore,
}

/// What a learnt rule decides about URLs that were not fetched.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Learnt {
    /// Nothing.
    Off,
    /// They are fetched after all others; a few are refused where that costs less than a page.
    HoldBack,
    /// They are refused, but for probes.
    Refuse,
    /// They are fetched after all others, but for probes, which go in their turn.
    Last,
    /// They are fetched after all others; once enough of them were to tell, the rest is refused but for
    /// probes.
    Sample,
}

/// The same for each kind of rule.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LearntPolicy {
    /// Parameters that change nothing.
    pub parameters: Learnt,
    /// Mirrors, print versions and the like.
    pub duplicates: Learnt,
    /// Hosts that yield next to nothing for the topic, and forms of URLs that yield next to nothing.
    pub low_yield: Learnt,
    /// Links to files, by what such links led to.
    pub files: Learnt,
}

impl LearntPolicy {
    /// No rule decides anything.
    pub(crate) fn none() -> Self {
        Self {
            parameters: Learnt::Off,
            duplicates: Learnt::Off,
            low_yield: Learnt::Off,
            files: Learnt::Off,
        }
    }

    /// As a crawl with or without a topic has it unless it is told otherwise. Without a topic every
    /// page is wanted, so nothing is refused that may be a page of its own. That links to files lead to none
    /// is known in either case.
    pub fn usual(has_topic: bool) -> Self {
        let of_duplicates = match has_topic {
            true => Learnt::Refuse,
            false => Learnt::HoldBack,
        };
        Self {
            parameters: of_duplicates,
            duplicates: of_duplicates,
            low_yield: match has_topic {
                true => Learnt::Refuse,
                false => Learnt::Last,
            },
            files: Learnt::Sample,
        }
    }
}

/// The part of the configuration that decisions follow from. It never changes while a crawl runs.
#[derive(Debug, Clone)]
pub struct Policy {
    /// The rules of the verdict.
    pub rules: Rules,
    /// Which page of a cluster of duplicates is kept.
    pub keep: Keep,
    /// What becomes of the links of duplicates.
    pub links_of_duplicates: DuplicateLinks,
    /// What learnt rules decide about URLs that were not fetched.
    pub learnt: LearntPolicy,
    /// Whether what hosts repeat on their pages is cut.
    pub host_templates: bool,
    /// Where to go.
    pub scope: ScopeConfig,
    /// Whether links are followed that ask not to be.
    pub follow_nofollow: bool,
    /// Whether the sitemaps are read that robots.txt names.
    pub sitemaps: bool,
    /// Sitemaps read of one host, at most.
    pub sitemaps_per_host: usize,
    /// Redirects followed from one URL, at most.
    pub redirects_max: u32,
    /// Tries of a URL, at most.
    pub attempts_max: u32,
    /// Between the first two tries; doubled after each.
    pub retry_delay: Duration,
    /// The longest wait that a server may ask for.
    pub retry_after_max: Duration,
    /// The first rest of a host that answers with walls; zero for none.
    pub wall_rest: Duration,
    /// Whether cookies are kept, so that a redirect that sets one may lead back.
    pub cookies: bool,
    /// Whether robots.txt is obeyed.
    pub obey_robots: bool,
    /// The outage of a robots.txt after which its host counts as closed.
    pub robots_outage_max: Duration,
    /// Our product token in robots.txt.
    pub agent: String,
    /// When a page that was read is gone.
    pub gone: again::GoneRule,
    /// The crawl comes back: validators of first answers are recorded, to be sent then.
    pub comes_back: bool,
    /// The topic, if there is one.
    pub focus: Option<FocusConfig>,
    /// The topic's example pages that are URLs, canonical, and `false` for counter-examples. They may have been
    /// read before anybody gave them as such: a journal that is applied afresh teaches what they say.
    pub examples: Vec<(String, bool)>,
    /// Seed of all pseudo-random choices.
    pub random_seed: u64,
}

impl Policy {
    /// What a record does to the state depends on these settings, and on no others.
    pub(crate) fn shaping(&self) -> impl std::fmt::Debug + '_ {
        let Self {
            rules: _,
            keep: _,
            links_of_duplicates: _,
            learnt,
            host_templates,
            scope,
            follow_nofollow: _,
            sitemaps,
            sitemaps_per_host,
            redirects_max: _,
            attempts_max: _,
            retry_delay: _,
            retry_after_max: _,
            wall_rest: _,
            cookies: _,
            obey_robots: _,
            robots_outage_max: _,
            agent: _,
            gone: _,
            comes_back: _,
            focus,
            examples,
            random_seed,
        } = self;
        (
            (learnt, host_templates, focus, examples, random_seed),
            // Which sitemaps a record of an earlier version has queued follows from these.
            (scope, sitemaps, sitemaps_per_host),
        )
    }
}
