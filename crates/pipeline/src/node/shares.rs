//! How the nodes share the connections to one address, so that together they never have more than the
//! setting, also while nodes join and go.
//!
//! Each node divides the setting by a number of its own, its *divisor*, which is never smaller than the
//! number of nodes that live as far as it knows. While every node's divisor is at least the number of
//! nodes, the shares add up to the setting at most. So:
//!
//! - A node that sees more nodes than its divisor takes the larger one at once. It says so with its signs of
//!   life once it has no more requests under way to any address than its new share.
//! - A smaller divisor, and the first one of a node that joins, is said before it is used. It is used
//!   after the sign of life that said it was answered, if no more nodes live by that answer, and all of
//!   the others have said divisors that are no smaller than their number.
//!
//! A sign of life is written before the others' are read, and so is a join. Of a node that takes a smaller
//! divisor and one that joins at the same time at least one sees the other, then, and waits.
//!
//! A node that was killed counts until its lease has run out: its requests may be under way so long.

/// One node's part in it.
#[derive(Debug, Clone, Default)]
pub(crate) struct Shares {
    /// The divisor; none before the first, when nothing is asked of anybody.
    in_use: Option<u32>,
    /// No address has more requests under way than the share by this divisor, and none will have.
    fits: u32,
    /// What the last sign of life said.
    told: u32,
    /// Nodes that live, by the last answer.
    live: u32,
}

impl Shares {
    /// The divisor; none while this node may ask nobody.
    pub(crate) fn divisor(&self) -> Option<u32> {
        self.in_use
    }

    /// Requests under way are within the share by this divisor.
    pub(crate) fn note_fit(&mut self, divisor: u32) {
        if self.in_use == Some(divisor) {
            self.fits = divisor;
        }
    }

    /// Whether others, or this node itself, wait for its next sign of life.
    pub(crate) fn is_moving(&self) -> bool {
        self.in_use != Some(self.live) || self.told != self.live
    }

    /// What the next sign of life says: the divisor that others may rely on; 0 for one that asks nobody.
    pub(crate) fn tell(&mut self) -> u32 {
        self.told = match self.in_use {
            None => self.live,
            Some(divisor) if self.live < divisor => self.live,
            Some(divisor) if self.fits >= divisor => divisor,
            // The one before holds until requests have ended.
            Some(divisor) => self.fits.min(divisor),
        };
        self.told
    }

    /// The sign of life that said `told` was answered: so many nodes live, this one among them, and the
    /// others have said these divisors, none if they are of a version that says nothing.
    pub(crate) fn hear(&mut self, told: u32, live: u32, others: impl Iterator<Item = Option<u32>>) {
        self.live = live.max(1);
        let mut others = others.map(|told| told.unwrap_or(self.live));
        let all_fit = others.all(|told| told == 0 || told >= self.live);
        let was_told = told > 0 && told >= self.live && all_fit;
        match self.in_use {
            Some(divisor) if divisor < self.live => self.in_use = Some(self.live),
            Some(divisor) if told < divisor && was_told => self.take(told),
            None if was_told => self.take(told),
            Some(_) | None => {}
        }
    }

    fn take(&mut self, divisor: u32) {
        self.in_use = Some(divisor);
        self.fits = divisor;
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const NODES: usize = 5;
    const SETTING: u32 = 12;

    #[derive(Debug, Clone)]
    struct One {
        shares: Shares,
        is_live: bool,
        /// What stands in the ledger of it; that of an earlier life until it says anew.
        stands: u32,
        /// What it has said and not heard the answer of.
        asked: Option<u32>,
        under_way: u32,
    }

    #[derive(Debug, Clone, Copy)]
    enum Step {
        Join,
        /// The ledger has its sign of life.
        Beat,
        /// It reads how the others stand.
        Hear,
        Ask,
        End,
        Die,
    }

    fn step() -> impl Strategy<Value = (usize, Step)> {
        let step = prop_oneof![
            1 => Just(Step::Join),
            6 => Just(Step::Beat),
            6 => Just(Step::Hear),
            8 => Just(Step::Ask),
            6 => Just(Step::End),
            1 => Just(Step::Die),
        ];
        (0..NODES, step)
    }

    fn take(nodes: &mut [One], node: usize, step: Step) {
        let live = nodes.iter().filter(|node| node.is_live).count() as u32;
        let others = nodes.iter().enumerate();
        let others: Vec<_> = others
            .filter(|(other, one)| *other != node && one.is_live)
            .map(|(_, one)| Some(one.stands))
            .collect();
        let one = &mut nodes[node];
        match step {
            Step::Join if !one.is_live => {
                one.shares = Shares::default();
                (one.is_live, one.asked) = (true, None);
            }
            Step::Beat if one.is_live && one.asked.is_none() => {
                one.stands = one.shares.tell();
                one.asked = Some(one.stands);
            }
            Step::Hear if one.is_live => {
                if let Some(told) = one.asked.take() {
                    one.shares.hear(told, live, others.into_iter());
                }
            }
            Step::Ask if one.is_live => {
                let share = one.shares.divisor().map_or(0, |divisor| SETTING / divisor);
                one.under_way += u32::from(one.under_way < share);
            }
            Step::End => one.under_way = one.under_way.saturating_sub(1),
            // It is taken for dead once its sockets are closed.
            Step::Die => (one.is_live, one.under_way) = (false, 0),
            Step::Join | Step::Beat | Step::Hear | Step::Ask => {}
        }
        let divisor = one.shares.divisor();
        if let Some(divisor) = divisor.filter(|divisor| one.under_way <= SETTING / divisor) {
            one.shares.note_fit(divisor);
        }
    }

    proptest! {
        #[test]
        fn the_requests_to_an_address_are_never_more_than_the_setting(
            steps in prop::collection::vec(step(), 0..400),
        ) {
            let none = One {
                shares: Shares::default(),
                is_live: false,
                stands: 0,
                asked: None,
                under_way: 0,
            };
            let mut nodes = vec![none; NODES];
            for (node, step) in steps {
                take(&mut nodes, node, step);
                let all: u32 = nodes.iter().map(|node| node.under_way).sum();
                prop_assert!(all <= SETTING, "{all}: {nodes:?}");
            }
            // Left alone, each comes to its share of the whole.
            for _ in 0..6 {
                for node in 0..NODES {
                    for _ in 0..SETTING {
                        take(&mut nodes, node, Step::End);
                    }
                    take(&mut nodes, node, Step::Beat);
                    take(&mut nodes, node, Step::Hear);
                }
            }
            let live = nodes.iter().filter(|node| node.is_live).count() as u32;
            for node in nodes.iter().filter(|node| node.is_live) {
                prop_assert_eq!(node.shares.divisor(), Some(live));
            }
        }
    }
}
