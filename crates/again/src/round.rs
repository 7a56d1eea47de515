//! Which URLs a round visits: those worth most, within the crawl's requests and each host's.

use std::collections::BTreeMap;

/// A URL that a round could visit.
#[derive(Debug, Clone, PartialEq)]
pub struct Candidate<'a> {
    /// Its host.
    pub host: &'a str,
    /// What a visit is worth, by whatever measure; only the order counts.
    pub value: f64,
}

/// How many requests a round may make.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RoundLimits {
    /// Over all hosts.
    pub requests: usize,
    /// To one host.
    pub per_host: usize,
}

/// The places of the URLs to visit among the candidates, most valuable first; equal values in the order
/// given. What is worth nothing is not visited.
pub fn choose(candidates: &[Candidate<'_>], limits: RoundLimits) -> Vec<usize> {
    let mut order: Vec<usize> = (0..candidates.len())
        .filter(|at| candidates[*at].value > 0.0)
        .collect();
    order.sort_by(|a, b| {
        candidates[*b]
            .value
            .total_cmp(&candidates[*a].value)
            .then(a.cmp(b))
    });
    let mut asked: BTreeMap<&str, usize> = BTreeMap::new();
    order.retain(|at| {
        let count = asked.entry(candidates[*at].host).or_default();
        *count += 1;
        *count <= limits.per_host
    });
    order.truncate(limits.requests);
    order
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_most_valuable_are_chosen_within_the_limits() {
        let of = |host, value| Candidate { host, value };
        let all = [
            of("a", 1.0),
            of("a", 5.0),
            of("b", 2.0),
            of("a", 4.0),
            of("b", 0.0),
            of("b", f64::NAN),
            of("c", 0.5),
        ];
        let limits = |requests, per_host| RoundLimits { requests, per_host };
        assert_eq!(choose(&all, limits(9, 9)), [1, 3, 2, 0, 6]);
        assert_eq!(choose(&all, limits(3, 9)), [1, 3, 2]);
        assert_eq!(choose(&all, limits(9, 1)), [1, 2, 6]);
        assert_eq!(choose(&all, limits(0, 1)), [] as [usize; 0]);
    }
}
