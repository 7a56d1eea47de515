//! Forests of decision trees, read once from the tables in this folder.
//!
//! A table is text: a line of feature names, then a line for each tree. The line has the tree's splits
//! as `feature threshold left right`, and after the bar its leaves. A child of 0 or more is the number
//! of a split of the same tree; a negative child `c` is the leaf number `!c`. `train/README.md` tells
//! how the tables are made.
//!
//! Source: leaves as bits of a word, as in Lucchese et al., *QuickScorer*, SIGIR 2015.

use std::sync::LazyLock;

/// The forest that classifies each run by its own features.
pub(super) fn first() -> &'static Forest {
    static FOREST: LazyLock<Forest> = LazyLock::new(|| {
        Forest::parse(include_str!("first_forest.txt")).expect("the table is a constant and tested")
    });
    &FOREST
}

/// The forest that classifies each run by the first forest's answers for the runs around it.
pub(super) fn second() -> &'static Forest {
    static FOREST: LazyLock<Forest> = LazyLock::new(|| {
        Forest::parse(include_str!("second_forest.txt"))
            .expect("the table is a constant and tested")
    });
    &FOREST
}

/// A sum of decision trees.
pub(super) struct Forest {
    /// The features it was trained on, in order.
    pub names: Vec<&'static str>,
    /// Splits of all trees.
    splits: Vec<Split>,
    /// Leaves of all trees, each tree's from left to right.
    leaves: Vec<f32>,
    trees: Vec<Tree>,
}

/// A split: a row whose feature is at most the threshold goes left, any other (NaN, too) right.
#[derive(Debug, Clone, Copy)]
struct Split {
    threshold: f32,
    feature: u16,
    /// The leaves that a row can reach if it goes right, one bit each: all but those on the left.
    right: u32,
}

/// The number of a tree's splits and leaves. Those of all trees are stored one tree after another.
#[derive(Debug, Clone, Copy)]
struct Tree {
    splits: usize,
    leaves: usize,
}

/// Rows that are evaluated at a time, in the lanes of vector instructions.
const LANES: usize = 16;

/// The most leaves of a tree: one bit each.
const LEAVES_MAX: usize = u32::BITS as usize;

impl Forest {
    fn parse(table: &'static str) -> Option<Forest> {
        let mut lines = table.lines().filter(|line| !line.starts_with('#'));
        let names: Vec<&str> = lines.next()?.split(' ').collect();
        let mut forest = Forest {
            names,
            splits: Vec::new(),
            leaves: Vec::new(),
            trees: Vec::new(),
        };
        for line in lines {
            forest.parse_tree(line)?;
        }
        Some(forest)
    }

    /// Reads a tree. The children of a split must be later splits of the tree, or leaves.
    fn parse_tree(&mut self, line: &str) -> Option<()> {
        let (splits, leaves) = line.split_once('|')?;
        let splits: Vec<&str> = splits.split_terminator(';').collect();
        let leaves: Vec<&str> = leaves.split_ascii_whitespace().collect();
        if leaves.len() > LEAVES_MAX || leaves.len() != splits.len() + 1 {
            return None;
        }
        let mut children = Vec::with_capacity(splits.len());
        for (index, split) in splits.iter().enumerate() {
            let mut parts = split.split_ascii_whitespace();
            let feature: u16 = parts.next()?.parse().ok()?;
            self.names.get(usize::from(feature))?;
            let threshold = parts.next()?.parse().ok()?;
            let mut child = || Child::parse(parts.next()?, index, splits.len(), leaves.len());
            children.push((child()?, child()?));
            self.splits.push(Split {
                threshold,
                feature,
                right: 0,
            });
        }
        // First the number of leaves below each split, then the first leaf below each.
        let mut counts = vec![0; splits.len()];
        for (index, (left, right)) in children.iter().enumerate().rev() {
            counts[index] = left.leaves(&counts) + right.leaves(&counts);
        }
        let mut starts = vec![0; splits.len()];
        let mut places = vec![0; leaves.len()];
        let own = self.splits.len() - splits.len();
        for (index, (left, right)) in children.iter().enumerate() {
            let (start, on_left) = (starts[index], left.leaves(&counts));
            if start + counts[index] > leaves.len() {
                return None;
            }
            for (child, start) in [(left, start), (right, start + on_left)] {
                match *child {
                    Child::Split(at) => starts[at] = start,
                    Child::Leaf(at) => places[start] = at,
                }
            }
            let bits = ((1u64 << on_left) - 1) << start;
            self.splits[own + index].right = !(bits as u32);
        }
        for &leaf in &places {
            self.leaves.push(leaves[leaf].parse().ok()?);
        }
        self.trees.push(Tree {
            splits: splits.len(),
            leaves: leaves.len(),
        });
        Some(())
    }

    /// For each row of features, the log odds that its run is content.
    ///
    /// Trees are not walked from the root. Each split is evaluated for several rows at once; for the
    /// rows that go right, the leaves on its left are excluded. The first leaf that is not excluded is
    /// the row's.
    pub(super) fn log_odds(&self, rows: &[&[f32]]) -> Vec<f32> {
        let mut odds = Vec::with_capacity(rows.len());
        let mut columns = vec![[0.0; LANES]; self.names.len()];
        for rows in rows.chunks(LANES) {
            for (lane, row) in rows.iter().enumerate() {
                for (column, &value) in columns.iter_mut().zip(*row) {
                    column[lane] = value;
                }
            }
            let sums = self.sums(&columns);
            odds.extend_from_slice(&sums[..rows.len()]);
        }
        odds
    }

    fn sums(&self, columns: &[[f32; LANES]]) -> [f32; LANES] {
        let mut sums = [0.0; LANES];
        let (mut splits, mut leaves) = (self.splits.as_slice(), self.leaves.as_slice());
        for tree in &self.trees {
            let (own, rest) = splits.split_at(tree.splits);
            let (values, other) = leaves.split_at(tree.leaves);
            (splits, leaves) = (rest, other);
            let left = leaves_left(own, columns);
            for (sum, left) in sums.iter_mut().zip(left) {
                *sum += values[left.trailing_zeros() as usize];
            }
        }
        sums
    }
}

/// For each row, the leaves of a tree that no split excludes, one bit each. The function has no branch
/// and is kept apart from the code that then treats each row alone, so that the compiler can
/// vectorize it.
#[inline(never)]
fn leaves_left(splits: &[Split], columns: &[[f32; LANES]]) -> [u32; LANES] {
    let mut left = [u32::MAX; LANES];
    for split in splits {
        let column = &columns[usize::from(split.feature)];
        for (left, &value) in left.iter_mut().zip(column) {
            let goes_left = u32::from(value <= split.threshold);
            *left &= goes_left.wrapping_neg() | split.right;
        }
    }
    left
}

/// A child of a split.
#[derive(Debug, Clone, Copy)]
enum Child {
    Split(usize),
    Leaf(usize),
}

impl Child {
    fn parse(number: &str, parent: usize, splits: usize, leaves: usize) -> Option<Child> {
        let number: i32 = number.parse().ok()?;
        match usize::try_from(number) {
            Ok(split) => (parent < split && split < splits).then_some(Child::Split(split)),
            Err(_) => {
                let leaf = usize::try_from(!number).ok()?;
                (leaf < leaves).then_some(Child::Leaf(leaf))
            }
        }
    }

    fn leaves(self, counts: &[usize]) -> usize {
        match self {
            Child::Split(at) => counts[at],
            Child::Leaf(_) => 1,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_row_reaches_its_leaf() {
        let forest = Forest::parse("a b\n0 0.5 -1 1;1 2 -2 -3;|-4 0 4\n|1\n").unwrap();
        let rows: [&[f32]; 4] = [&[0.5, 9.0], &[1.0, 2.0], &[1.0, 3.0], &[f32::NAN, 2.0]];
        assert_eq!(forest.log_odds(&rows), [-3.0, 1.0, 5.0, 1.0]);
        let many: Vec<&[f32]> = rows.iter().copied().cycle().take(39).collect();
        let expected: Vec<f32> = [-3.0, 1.0, 5.0, 1.0].into_iter().cycle().take(39).collect();
        assert_eq!(forest.log_odds(&many), expected);
        assert!(forest.log_odds(&[]).is_empty());
    }

    #[test]
    fn leaves_are_found_in_whatever_order_they_are_written() {
        // The left half is the later split, and its leaves are the later ones.
        let forest = Forest::parse("a b\n0 0 2 1;1 5 -1 -2;1 -5 -4 -3|1 2 3 4\n").unwrap();
        let rows: [&[f32]; 4] = [&[0.0, -9.0], &[0.0, 0.0], &[1.0, 0.0], &[1.0, 9.0]];
        assert_eq!(forest.log_odds(&rows), [4.0, 3.0, 1.0, 2.0]);
    }

    #[test]
    fn a_split_that_leads_back_or_nowhere_is_no_table() {
        for table in [
            "a\n0 1 0 -1;|1",
            "a\n0 1 -1 -3;|1 2",
            "a\n0 1 2 -1;|1",
            "a\n1 1 -1 -2;|1 2",
            "a\n0 1 1 1;0 1 -1 -2|1 2 3",
            "a\n0 1 -1 -2;|1",
        ] {
            assert!(Forest::parse(table).is_none(), "{table}");
        }
    }

    #[test]
    fn the_tables_can_be_read() {
        assert!(first().trees.len() > 1);
        assert!(second().trees.len() > 1);
    }
}
