//! Budgets that are larger than at the last start: what they left out may come in.
//!
//! A URL that a budget leaves out is not in the queue, and nothing in memory knows of it: the journal has
//! it, as a link with its fate. So a start with a larger budget reads the journal once, and offers again
//! what was left out.

use std::collections::HashMap;

use archive::{Position, Replayed, SeedRecord};
use state::State;
use state::retry::{Candidate, Candidates, LeftOutLinks, way_of_budgets};

use crate::config::CrawlConfig;
use crate::dir::CrawlDir;
use crate::error::CrawlError;

/// Whether any budget leaves more room than before: one of the configuration, or of a seed, of which `new`
/// has what is said of it now.
pub(crate) fn are_raised(
    (was, is): (&CrawlConfig, &CrawlConfig),
    (known, new): (&[SeedRecord], &[SeedRecord]),
) -> bool {
    let or_none = |max: u64| if max == 0 { u64::MAX } else { max };
    let (was_all, is_all) = (
        or_none(was.limits.urls_per_host),
        or_none(is.limits.urls_per_host),
    );
    let of_host =
        |config: &CrawlConfig, host: &str, all: u64| config.max_pages_of(host).unwrap_or(all);
    let names = |config: &CrawlConfig| -> Vec<String> { config.named_hosts().collect() };
    let (was_named, is_named) = (names(was), names(is));
    let mut hosts = was_named.iter().chain(&is_named);
    let depth =
        |config: &CrawlConfig, seed: &SeedRecord| seed.depth.unwrap_or(config.crawl.max_depth);
    let known: HashMap<u32, &SeedRecord> = known.iter().map(|known| (known.seed, known)).collect();
    let mut seeds = new
        .iter()
        .filter_map(|seed| Some((*known.get(&seed.seed)?, seed)));
    is.crawl.max_depth > was.crawl.max_depth
        || is_all > was_all
        || is.limits.hosts > was.limits.hosts
        || is.limits.hosts_per_domain > was.limits.hosts_per_domain
        || hosts.any(|host| of_host(is, host, is_all) > of_host(was, host, was_all))
        || seeds.any(|(before, now)| {
            now.pages.unwrap_or(u64::MAX) > before.pages.unwrap_or(u64::MAX)
                || depth(is, now) > depth(was, before)
        })
}

/// What budgets left out so far: URLs that were refused at their turn, and links that were never admitted.
///
/// # Errors
/// When the archive or the frontier's store cannot be read.
pub(crate) fn left_out(
    dir: &CrawlDir,
    state: &State,
) -> Result<(Vec<Candidate>, Vec<Candidate>), CrawlError> {
    let (mut refused, mut links) = (Candidates::new(way_of_budgets), LeftOutLinks::default());
    for replayed in archive::replay(&dir.archive(), Position::START)? {
        if let Replayed::Record { record, .. } = replayed? {
            links.add(&record, |url| state.queue().lock().frontier.is_unknown(url))?;
            refused.add(record);
        }
    }
    Ok((refused.finish(1).remove(0), links.finish()))
}

#[cfg(test)]
mod tests {
    use std::slice::from_ref;

    use config::HostSection;

    use super::*;

    fn with(change: impl FnOnce(&mut CrawlConfig)) -> CrawlConfig {
        let mut config = CrawlConfig::default();
        config.limits.urls_per_host = 100;
        change(&mut config);
        config
    }

    fn of_host(pages: Option<u64>) -> CrawlConfig {
        with(|config| {
            let own = HostSection {
                max_pages: pages,
                ..HostSection::default()
            };
            config.host.insert("a.example".into(), own);
        })
    }

    #[track_caller]
    fn check(small: &CrawlConfig, large: &CrawlConfig) {
        assert!(are_raised((small, large), (&[], &[])));
        assert!(!are_raised((large, small), (&[], &[])));
        assert!(!are_raised((small, small), (&[], &[])));
    }

    #[test]
    fn a_larger_budget_of_the_configuration_is_found_and_a_smaller_one_is_none() {
        let usual = with(|_| {});
        check(&usual, &with(|config| config.crawl.max_depth += 1));
        check(&usual, &with(|config| config.limits.urls_per_host = 0));
        check(&usual, &with(|config| config.limits.hosts += 1));
        check(&usual, &with(|config| config.limits.hosts_per_domain += 1));
        check(&of_host(Some(5)), &of_host(Some(6)));
        check(&of_host(Some(5)), &usual);
        check(&of_host(Some(5)), &of_host(None));
        check(&usual, &of_host(Some(101)));
    }

    #[test]
    fn a_larger_budget_of_a_seed_is_found() {
        let usual = with(|_| {});
        let seed = |pages, depth| SeedRecord {
            pages,
            depth,
            ..SeedRecord::default()
        };
        for (was, is, raised) in [
            (seed(Some(3), None), seed(Some(8), None), true),
            (seed(Some(3), None), seed(None, None), true),
            (seed(Some(8), None), seed(Some(3), None), false),
            (seed(None, Some(1)), seed(None, Some(2)), true),
            (seed(None, Some(1)), seed(None, None), true),
            (seed(None, None), seed(None, Some(1)), false),
        ] {
            let found = are_raised((&usual, &usual), (from_ref(&was), from_ref(&is)));
            assert_eq!(found, raised, "{was:?} {is:?}");
        }
        // Of many seeds the one that is raised is found, wherever it stands in either list.
        let many = |raised: u32| {
            let seeds = (0..100_000).map(|number| SeedRecord {
                seed: number,
                ..seed(Some(3 + u64::from(number == raised)), None)
            });
            seeds.collect::<Vec<_>>()
        };
        let (was, mut is) = (many(u32::MAX), many(77_777));
        is.reverse();
        assert!(are_raised((&usual, &usual), (&was, &is)));
        assert!(!are_raised((&usual, &usual), (&is, &was)));
        // A seed that is new takes nothing that was left out.
        let new = SeedRecord {
            seed: 1,
            ..seed(None, None)
        };
        assert!(!are_raised(
            (&usual, &usual),
            (&[seed(Some(3), None)], &[new])
        ));
    }
}
