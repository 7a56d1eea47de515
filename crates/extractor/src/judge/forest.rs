//! The trees of the judge, read once from the table beside this file.
//!
//! The table is text: a line of feature names, then a line for each tree with its splits as
//! `feature threshold left right`. A child of 0 or more is a split of the same tree; a negative
//! one is a leaf, `!value` in the list after the bar. See `train/README.md` for how it is made.

use std::sync::LazyLock;

/// The shared forest.
pub(super) fn shared() -> &'static Forest {
    static FOREST: LazyLock<Forest> = LazyLock::new(|| {
        Forest::parse(include_str!("forest.txt")).expect("the table is a constant and tested")
    });
    &FOREST
}

/// A sum of decision trees.
pub(super) struct Forest {
    /// The features it was trained on, in order.
    pub names: Vec<&'static str>,
    splits: Vec<Split>,
    leaves: Vec<f32>,
    /// The first split of each tree.
    roots: Vec<u32>,
}

#[derive(Debug, Clone, Copy)]
struct Split {
    threshold: f32,
    feature: u16,
    /// Splits are numbered over all trees; a leaf is `!index`.
    left: i32,
    right: i32,
}

impl Forest {
    fn parse(table: &'static str) -> Option<Forest> {
        let mut lines = table.lines().filter(|line| !line.starts_with('#'));
        let names: Vec<&str> = lines.next()?.split(' ').collect();
        let mut forest = Forest {
            names,
            splits: Vec::new(),
            leaves: Vec::new(),
            roots: Vec::new(),
        };
        for line in lines {
            let (splits, leaves) = line.split_once('|')?;
            let (split_base, leaf_base) = (forest.splits.len(), forest.leaves.len());
            forest.roots.push(u32::try_from(split_base).ok()?);
            let place = |child: i32| -> Option<i32> {
                Some(if child >= 0 {
                    child + i32::try_from(split_base).ok()?
                } else {
                    !(!child + i32::try_from(leaf_base).ok()?)
                })
            };
            for split in splits.split_terminator(';') {
                let mut parts = split.split_ascii_whitespace();
                let feature: u16 = parts.next()?.parse().ok()?;
                forest.names.get(usize::from(feature))?;
                forest.splits.push(Split {
                    feature,
                    threshold: parts.next()?.parse().ok()?,
                    left: place(parts.next()?.parse().ok()?)?,
                    right: place(parts.next()?.parse().ok()?)?,
                });
            }
            for leaf in leaves.split_ascii_whitespace() {
                forest.leaves.push(leaf.parse().ok()?);
            }
        }
        Some(forest)
    }

    /// The logarithm of the odds that a run with these features is content.
    pub(super) fn log_odds(&self, row: &[f32]) -> f32 {
        let mut sum = 0.0;
        for &root in &self.roots {
            let mut at = root as i32;
            while at >= 0 {
                let split = &self.splits[at as usize];
                at = if row[usize::from(split.feature)] <= split.threshold {
                    split.left
                } else {
                    split.right
                };
            }
            sum += self.leaves[!at as usize];
        }
        sum
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tree_is_walked_to_its_leaf() {
        let forest = Forest::parse("a b\n0 0.5 -1 1;1 2 -2 -3;|-4 0 4\n").unwrap();
        assert_eq!(forest.log_odds(&[0.5, 9.0]), -4.0);
        assert_eq!(forest.log_odds(&[1.0, 2.0]), 0.0);
        assert_eq!(forest.log_odds(&[1.0, 3.0]), 4.0);
    }

    #[test]
    fn every_split_of_the_table_leads_forward_to_a_leaf() {
        let forest = shared();
        for (index, split) in forest.splits.iter().enumerate() {
            for child in [split.left, split.right] {
                if child >= 0 {
                    assert!(child as usize > index && (child as usize) < forest.splits.len());
                } else {
                    assert!((!child as usize) < forest.leaves.len());
                }
            }
        }
    }
}
