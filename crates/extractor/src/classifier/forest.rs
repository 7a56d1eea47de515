//! The trees of the judge, read once from the tables beside this file.
//!
//! A table is text: a line of feature names, then a line for each tree with its splits as
//! `feature threshold left right`. A child of 0 or more is a split of the same tree; a negative
//! one is a leaf, `!value` in the list after the bar. See `train/README.md` for how it is made.
//!
//! Source: bits for leaves as in Lucchese et al., *QuickScorer*, SIGIR 2015.

use std::sync::LazyLock;

/// The forest that sees each run by itself.
pub(super) fn first() -> &'static Forest {
    static FOREST: LazyLock<Forest> = LazyLock::new(|| {
        Forest::parse(include_str!("first_forest.txt")).expect("the table is a constant and tested")
    });
    &FOREST
}

/// The forest that sees what the first said of the runs around.
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

/// A row whose feature is at most the threshold goes left, another (or no number) right.
#[derive(Debug, Clone, Copy)]
struct Split {
    threshold: f32,
    feature: u16,
    /// The leaves that are left to a row that goes right: all of the tree but those on the left.
    right: u32,
}

/// How many splits and leaves of the forest belong to a tree; they stand one tree after another.
#[derive(Debug, Clone, Copy)]
struct Tree {
    splits: usize,
    leaves: usize,
}

/// Rows looked at side by side.
const LANES: usize = 16;

/// Leaves of a tree, a bit each.
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

    /// Reads a tree whose splits lead forward: to later splits of it, or to its leaves.
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
        // How many leaves are under each split, and then which is the first.
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

    /// For each row of features the logarithm of the odds that its run is content.
    ///
    /// No row walks down a tree. Every split is put to many rows at once, and strikes out the
    /// leaves on its left for those that go right; the first leaf that is left is the row's.
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

/// For each row the leaves that a tree's splits leave to it. Without a branch, and apart from what
/// then looks at each row alone, so that the compiler takes several rows in one instruction.
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

/// Where a split leads.
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
    fn each_row_is_walked_to_its_leaf() {
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
