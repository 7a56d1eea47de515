//! How a node's findings become groups, and how long each has the order of kept texts.
//!
//! ```text
//!  first finding      the pace has passed,     the order is       committed
//!                     or 64 are there          this node's
//!      │◄──── pace ────────►│◄──── wait ──────────►│◄──── held ──────►│◄ idle ►│ first finding
//! ```

use super::plan::Costs;

/// Pages of a group at most, as in the crawl.
pub(super) const GROUP_MAX: f64 = 64.0;

/// The least time that findings are gathered for, and more of it for each node, seconds.
const PACE_S: f64 = 0.1;
const PACE_PER_NODE_S: f64 = 0.008;

/// Steps in which the size of a group is found.
const ROUNDS: usize = 30;

/// A node's groups at one moment.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Groups {
    /// Groups a second.
    pub(super) per_s: f64,
    /// How long each has the order, seconds.
    pub(super) held_s: f64,
}

/// How long findings are gathered for, with so many nodes.
pub(super) fn pace_s(nodes: f64) -> f64 {
    PACE_S.max(PACE_PER_NODE_S * nodes)
}

/// How long a group of so many pages has the order.
pub(super) fn held_s(costs: &Costs, pages: f64) -> f64 {
    (costs.group_ms + costs.group_page_ms * pages) / 1_000.0
}

/// The most findings a second that one order lets through, over all nodes.
pub(super) fn order_max(costs: &Costs) -> f64 {
    GROUP_MAX / held_s(costs, GROUP_MAX).max(1e-9)
}

/// How long a group waits for the order, by the share of time that others have it for so long each: what
/// queueing theory says of one server and even service.
pub(super) fn wait_s(used: f64, held_s: f64) -> f64 {
    let used = used.clamp(0.0, 0.98);
    used * held_s / (2.0 * (1.0 - used))
}

/// The groups of a node with so many findings a second, where each waits so long for the order.
pub(super) fn groups(findings_per_s: f64, pace_s: f64, wait_s: f64, costs: &Costs) -> Groups {
    if findings_per_s <= 0.0 {
        return Groups {
            per_s: 0.0,
            held_s: 0.0,
        };
    }
    let mut size: f64 = 1.0;
    let mut cycle_s = pace_s;
    for _ in 0..ROUNDS {
        let held_s = held_s(costs, size);
        // What comes while a group is closed waits; only with nothing there the next begins later.
        let idle_s = (-findings_per_s * (wait_s + held_s)).exp() / findings_per_s;
        cycle_s = idle_s + pace_s + wait_s + held_s;
        size = (size + (findings_per_s * cycle_s).clamp(1.0, GROUP_MAX)) / 2.0;
    }
    Groups {
        // A group that is full does not wait for its pace to pass.
        per_s: (1.0 / cycle_s).max(findings_per_s / GROUP_MAX),
        held_s: held_s(costs, size),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn few_findings_make_a_group_each_and_many_make_full_ones() {
        let costs = Costs::default();
        let few = groups(0.1, 0.1, 0.0, &costs);
        assert!((few.per_s / 0.1 - 1.0).abs() < 0.03, "{few:?}");
        let many = groups(10_000.0, 0.1, 0.0, &costs);
        assert!((many.per_s * GROUP_MAX / 10_000.0 - 1.0).abs() < 1e-6);
        let some = groups(50.0, 0.1, 0.0, &costs);
        assert!(some.per_s > few.per_s && some.per_s < 10.0, "{some:?}");
        assert!(groups(0.0, 0.1, 0.0, &costs).per_s.abs() < 1e-12);
    }

    #[test]
    fn the_nearer_the_order_is_to_being_full_the_longer_a_group_waits() {
        let waits: Vec<f64> = [0.0, 0.2, 0.5, 0.9, 1.5]
            .into_iter()
            .map(|used| wait_s(used, 0.05))
            .collect();
        assert!(waits.windows(2).all(|two| two[0] < two[1]), "{waits:?}");
        assert!(waits[4].is_finite());
    }
}
