//! A forest of decision trees, read once from the table in this folder.
//!
//! A table is text: a line of feature names, then a line for each tree. The line has the tree's splits
//! as `feature threshold left right`, and after the bar its leaves. A child of 0 or more is the number
//! of a split of the same tree; a negative child `c` is the leaf number `!c`. `train/README.md` tells
//! how the tables are made.
//!
//! Most splits go the same way for all runs of a page: the page's own features are one number, and no
//! run of an article stands in a form. Such splits are decided once for the page ([`Pruned`]); a run is
//! asked only the rest, a third or so of all.
//!
//! Source: leaves as bits of a word, as in Lucchese et al., *QuickScorer*, SIGIR 2015.

use std::sync::LazyLock;

/// The forest that classifies the runs of a page.
pub(super) fn trained() -> &'static Forest {
    static FOREST: LazyLock<Forest> = LazyLock::new(|| {
        Forest::parse(include_str!("forest.txt")).expect("the table is a constant and tested")
    });
    &FOREST
}

/// A sum of decision trees.
pub(super) struct Forest {
    /// The features it was trained on, in order.
    pub names: Vec<&'static str>,
    /// Splits of all trees.
    splits: Vec<Split>,
    /// Leaves of all trees, each tree's from left to right; then as many zeros as a tree may have leaves, so
    /// that each tree's can be taken as an array.
    leaves: Vec<f32>,
    trees: Vec<Tree>,
}

/// A split: a row whose feature is at most the threshold goes left, any other (NaN, too) right.
#[derive(Debug, Clone, Copy, Default)]
struct Split {
    threshold: f32,
    feature: u16,
    /// The leaves that a row can reach if it goes right, one bit each: all but those on the left.
    right: u32,
    /// The leaves below it.
    below: u32,
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
        forest.leaves.extend([0.0; LEAVES_MAX]);
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
                below: 0,
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
            let bits = |count: usize| (((1u64 << count) - 1) << start) as u32;
            self.splits[own + index].right = !bits(on_left);
            self.splits[own + index].below = bits(counts[index]);
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
        let pruned = Pruned::of(self, rows);
        let mut columns = vec![[0.0; LANES]; self.names.len()];
        for rows in rows.chunks(LANES) {
            for &feature in &pruned.features {
                let column = &mut columns[usize::from(feature)];
                for (value, row) in column.iter_mut().zip(rows) {
                    *value = row[usize::from(feature)];
                }
            }
            let sums = pruned.sums(&self.leaves, &columns);
            odds.extend_from_slice(&sums[..rows.len()]);
        }
        odds
    }
}

/// A forest without what is the same for all rows of a page.
struct Pruned {
    /// The splits that some rows go left at and others right, and that a row can reach.
    splits: Vec<Split>,
    trees: Vec<PrunedTree>,
    /// The features of these splits.
    features: Vec<u16>,
}

/// A tree of a [`Pruned`] forest.
#[derive(Clone, Copy)]
struct PrunedTree {
    /// The number of its splits that are left.
    splits: u32,
    /// Where its leaves begin among those of all trees.
    leaves: u32,
    /// The leaves that some row may reach.
    reached: u32,
}

impl Pruned {
    fn of(forest: &Forest, rows: &[&[f32]]) -> Pruned {
        let ranges = ranges(forest.names.len(), rows);
        let mut splits = vec![Split::default(); forest.splits.len()];
        let mut trees = Vec::with_capacity(forest.trees.len());
        let (mut kept, mut rest, mut leaves) = (0, forest.splits.as_slice(), 0);
        for tree in &forest.trees {
            let (own, later) = rest.split_at(tree.splits);
            rest = later;
            // Without branches: which way a split goes is as good as random to the processor.
            let mut reached = u32::MAX;
            let before = kept;
            for split in own {
                let (low, high) = ranges[usize::from(split.feature)];
                let (all_left, all_right) = (high <= split.threshold, low > split.threshold);
                let unless = |side: bool, leaves: u32| leaves | u32::from(side).wrapping_sub(1);
                reached &= unless(all_left, !(split.below & split.right));
                reached &= unless(all_right, split.right);
                splits[kept] = *split;
                kept += usize::from(!all_left & !all_right);
            }
            let undecided = before..kept;
            kept = before;
            for at in undecided {
                let split = splits[at];
                splits[kept] = split;
                kept += usize::from(split.below & reached != 0);
            }
            trees.push(PrunedTree {
                splits: (kept - before) as u32,
                leaves,
                reached,
            });
            leaves += tree.leaves as u32;
        }
        splits.truncate(kept);
        let mut used = vec![false; forest.names.len()];
        for split in &splits {
            used[usize::from(split.feature)] = true;
        }
        let features = (0..used.len() as u16).filter(|&feature| used[usize::from(feature)]);
        Pruned {
            features: features.collect(),
            splits,
            trees,
        }
    }

    fn sums(&self, leaves: &[f32], columns: &[[f32; LANES]]) -> [f32; LANES] {
        let mut sums = [0.0; LANES];
        let mut splits = self.splits.as_slice();
        for tree in &self.trees {
            let (own, rest) = splits.split_at(tree.splits as usize);
            splits = rest;
            let Some(values) = leaves[tree.leaves as usize..].first_chunk::<LEAVES_MAX>() else {
                continue;
            };
            if own.is_empty() {
                let value = values[first_leaf(tree.reached)];
                sums.iter_mut().for_each(|sum| *sum += value);
                continue;
            }
            let left = leaves_left(own, tree.reached, columns);
            let reached = left.map(|left| values[first_leaf(left)]);
            for (sum, value) in sums.iter_mut().zip(reached) {
                *sum += value;
            }
        }
        sums
    }
}

/// The first of some leaves. There always is one; that the last bit passes for set tells the compiler so.
fn first_leaf(leaves: u32) -> usize {
    (leaves | 1 << (LEAVES_MAX - 1)).trailing_zeros() as usize
}

/// The least and the largest value of each feature on a page; all numbers where one is missing.
fn ranges(features: usize, rows: &[&[f32]]) -> Vec<(f32, f32)> {
    let is_missing = |missing, value: &f32| missing | value.is_nan();
    if rows.iter().any(|row| row.iter().fold(false, is_missing)) {
        return vec![(f32::NEG_INFINITY, f32::INFINITY); features];
    }
    let mut low = vec![f32::INFINITY; features];
    let mut high = vec![f32::NEG_INFINITY; features];
    for row in rows {
        for ((low, high), &value) in low.iter_mut().zip(&mut high).zip(*row) {
            *low = if value < *low { value } else { *low };
            *high = if value > *high { value } else { *high };
        }
    }
    low.into_iter().zip(high).collect()
}

/// For each row, the leaves of a tree that no split excludes, of those that are `reached`, one bit
/// each. The function has no branch and is kept apart from the code that then treats each row alone,
/// so that the compiler can vectorize it.
#[inline(never)]
fn leaves_left(splits: &[Split], reached: u32, columns: &[[f32; LANES]]) -> [u32; LANES] {
    let mut left = [reached; LANES];
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

    /// The log odds of a row by walking each tree from its root, as the table has it.
    fn walked(table: &str, row: &[f32]) -> f32 {
        let lines = table.lines().filter(|line| !line.starts_with('#')).skip(1);
        let of_tree = |line: &str| {
            let (splits, leaves) = line.split_once('|').unwrap();
            let splits: Vec<Vec<&str>> = splits
                .split_terminator(';')
                .map(|split| split.split_ascii_whitespace().collect())
                .collect();
            let leaves: Vec<f32> = leaves
                .split_ascii_whitespace()
                .map(|leaf| leaf.parse().unwrap())
                .collect();
            let mut at: i32 = if splits.is_empty() { -1 } else { 0 };
            while at >= 0 {
                let split = &splits[at as usize];
                let value = row[split[0].parse::<usize>().unwrap()];
                let is_left = value <= split[1].parse::<f32>().unwrap();
                at = split[if is_left { 2 } else { 3 }].parse().unwrap();
            }
            leaves[!at as usize]
        };
        lines.map(of_tree).fold(0.0, |sum, leaf| sum + leaf)
    }

    #[test]
    fn a_pruned_forest_gives_what_walking_its_trees_gives() {
        let table = include_str!("forest.txt");
        let forest = trained();
        let thresholds: Vec<Vec<f32>> = (0..forest.names.len())
            .map(|feature| {
                let own = forest
                    .splits
                    .iter()
                    .filter(|split| usize::from(split.feature) == feature);
                own.map(|split| split.threshold).collect()
            })
            .collect();
        let mut state = 7_u64;
        let mut draw = |below: usize| {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1);
            (state >> 33) as usize % below
        };
        for count in [1, 2, 5, 16, 17, 40] {
            // Some features are the same for all rows, as on a page, and some are missing.
            let same: Vec<bool> = thresholds.iter().map(|_| draw(3) > 0).collect();
            let mut rows: Vec<Vec<f32>> = Vec::new();
            for row in 0..count {
                let values = thresholds.iter().enumerate().map(|(feature, own)| {
                    if row > 0 && same[feature] {
                        return rows[0][feature];
                    }
                    match draw(20) {
                        0 if count == 5 => f32::NAN,
                        1 => 1e9,
                        _ if own.is_empty() => 0.0,
                        _ => own[draw(own.len())] + [0.0, 1e-3, -1e-3][draw(3)],
                    }
                });
                let values = values.collect();
                rows.push(values);
            }
            let slices: Vec<&[f32]> = rows.iter().map(Vec::as_slice).collect();
            let expected: Vec<f32> = rows.iter().map(|row| walked(table, row)).collect();
            assert_eq!(forest.log_odds(&slices), expected, "{count} rows");
        }
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
    fn the_table_can_be_read() {
        assert!(trained().trees.len() > 1);
    }
}
