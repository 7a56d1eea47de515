//! How groups of links did: links to one host, to URLs of one form, at one tag path.
//!
//! A group's rate of reward is mixed with some average outcomes, because the first few outcomes of a
//! group say little.

use recent::RecentMap;
use serde::{Deserialize, Serialize};

use crate::hashing::split_mix;
use crate::link_features::LinkFeatures;
use crate::logistic::log_odds;

/// Groups whose outcomes are remembered. Of more, those without an outcome for longest are forgotten.
const GROUPS_MAX: usize = 1 << 18;
/// Average outcomes that a group's own are mixed with.
const PRIOR_OUTCOMES: f32 = 5.0;

/// The outcomes of some fetched links: their number and the sum of their rewards.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Outcomes {
    pub(crate) count: f32,
    pub(crate) reward: f32,
}

impl Outcomes {
    pub(crate) fn add(&mut self, other: Outcomes) {
        self.count += other.count;
        self.reward += other.reward;
    }
}

/// The outcomes of all links and of each group.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct LinkGroups {
    groups: RecentMap<u64, Outcomes>,
    all: Outcomes,
    /// Hosts with outcomes, those forgotten left out.
    hosts: u32,
}

impl LinkGroups {
    pub(crate) fn new() -> LinkGroups {
        LinkGroups::with_max(GROUPS_MAX)
    }

    fn with_max(groups_max: usize) -> LinkGroups {
        LinkGroups {
            groups: RecentMap::with_max(groups_max),
            // A prior: one link in four is worth its fetch.
            all: Outcomes {
                count: 4.0,
                reward: 1.0,
            },
            hosts: 0,
        }
    }

    /// Counts the outcome of a fetched link in all its groups.
    pub(crate) fn observe(&mut self, link: &LinkFeatures, reward: f32) {
        let outcome = Outcomes { count: 1.0, reward };
        self.all.add(outcome);
        let keys = GroupKeys::of(link);
        self.hosts += u32::from(!self.groups.contains_key(&keys.host));
        let siblings = link.parents.iter().map(|&parent| sibling_key(parent, link));
        let keys = [keys.host, keys.url_form, keys.tag_path];
        for key in keys.into_iter().chain(siblings) {
            let hosts = &mut self.hosts;
            let group = self.groups.entry(key, |forgotten, _| {
                *hosts = hosts.saturating_sub(u32::from(is_host(forgotten)));
            });
            group.add(outcome);
        }
    }

    /// The outcomes of a group; none for one that is not known.
    pub(crate) fn of(&self, key: u64) -> Outcomes {
        self.groups.get(&key).copied().unwrap_or_default()
    }

    /// The outcomes of all links.
    pub(crate) fn all(&self) -> Outcomes {
        self.all
    }

    /// Whether a host has fewer outcomes than the average one.
    pub(crate) fn is_below_average(&self, host_key: u64) -> bool {
        self.of(host_key).count * (self.hosts as f32) < self.all.count
    }

    /// The average reward, kept away from 0 and 1.
    pub(crate) fn base_rate(&self) -> f32 {
        (self.all.reward / self.all.count).clamp(0.02, 0.9)
    }

    /// How much better or worse than `average` a group did; 0.0 for one without outcomes.
    pub(crate) fn compare(&self, average: &Average, key: u64) -> f32 {
        let group = self.groups.get(&key);
        group.map_or(0.0, |group| average.compare(*group))
    }

    /// What groups are compared with.
    pub(crate) fn average(&self) -> Average {
        let rate = (self.all.reward / self.all.count).clamp(0.01, 0.99);
        Average {
            rate,
            log_odds: log_odds(rate),
        }
    }
}

/// How all links together did.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Average {
    rate: f32,
    log_odds: f32,
}

impl Average {
    /// How much better or worse than all links a group did, in log-odds.
    pub(crate) fn compare(&self, group: Outcomes) -> f32 {
        let reward = group.reward + PRIOR_OUTCOMES * self.rate;
        let rate = (reward / (group.count + PRIOR_OUTCOMES)).clamp(0.01, 0.99);
        (log_odds(rate) - self.log_odds).clamp(-4.0, 4.0)
    }
}

/// The groups that a link belongs to, whichever pages have it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct GroupKeys {
    pub(crate) host: u64,
    pub(crate) url_form: u64,
    pub(crate) tag_path: u64,
}

impl GroupKeys {
    pub(crate) fn of(link: &LinkFeatures) -> GroupKeys {
        let [host, url_form, tag_path] = link.groups.map(u64::from);
        GroupKeys {
            host: host | HOST_MARK,
            url_form: url_form | 2 << 40,
            tag_path: tag_path | 3 << 40,
        }
    }
}

/// Marks the keys of hosts.
const HOST_MARK: u64 = 1 << 40;

fn is_host(key: u64) -> bool {
    key >> 32 == HOST_MARK >> 32
}

/// The group of the links that stand on one page at the tag path of `link`.
pub(crate) fn sibling_key(parent: u32, link: &LinkFeatures) -> u64 {
    split_mix(u64::from(parent) << 32 | u64::from(link.groups[2]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn at_the_bound_groups_without_an_outcome_for_longest_are_forgotten() {
        let mut groups = LinkGroups::with_max(16);
        let link = |host| LinkFeatures {
            groups: [host, host, host],
            ..LinkFeatures::default()
        };
        for host in 0..100 {
            groups.observe(&link(host), 1.0);
            groups.observe(&link(7), 1.0);
            assert!(groups.of(GroupKeys::of(&link(host)).host).count >= 1.0);
        }
        assert_eq!(groups.of(GroupKeys::of(&link(7)).host).count, 101.0);
        assert_eq!(groups.of(GroupKeys::of(&link(8)).host).count, 0.0);
        let hosts = groups.groups.iter().filter(|(key, _)| is_host(**key));
        assert_eq!(groups.hosts as usize, hosts.count());
    }

    #[test]
    fn the_first_outcome_of_a_group_says_little_and_twenty_say_much() {
        let average = LinkGroups::new().average();
        let compare = |count, reward| average.compare(Outcomes { count, reward });
        assert!(compare(1.0, 1.0) < 0.7);
        assert!(compare(20.0, 20.0) > 2.0);
        assert_eq!(compare(0.0, 0.0), 0.0);
    }
}
