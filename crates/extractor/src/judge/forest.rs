//! The trees of the judge, read once from the tables beside this file.
//!
//! A table is text: a line of feature names, then a line for each tree with its splits as
//! `feature threshold left right`. A child of 0 or more is a split of the same tree; a negative
//! one is a leaf, `!value` in the list after the bar. See `train/README.md` for how it is made.

use std::sync::LazyLock;

/// The forest that sees each run by itself.
pub(super) fn first() -> &'static Forest {
    static FOREST: LazyLock<Forest> = LazyLock::new(|| {
        Forest::parse(include_str!("forest.txt")).expect("the table is a constant and tested")
    });
    &FOREST
}

/// The forest that sees what the first said of the runs around.
pub(super) fn second() -> &'static Forest {
    static FOREST: LazyLock<Forest> = LazyLock::new(|| {
        Forest::parse(include_str!("second.txt")).expect("the table is a constant and tested")
    });
    &FOREST
}

/// A sum of decision trees.
pub(super) struct Forest {
    /// The features it was trained on, in order.
    pub names: Vec<&'static str>,
    /// Splits and leaves of all trees.
    nodes: Vec<Node>,
    trees: Vec<Tree>,
}

/// A split, or a leaf: a split both of whose children are itself.
#[derive(Debug, Clone, Copy)]
struct Node {
    /// A row whose feature is at most this goes left. A leaf's value.
    threshold: f32,
    feature: u16,
    left: u16,
    right: u16,
}

#[derive(Debug, Clone, Copy)]
struct Tree {
    root: u16,
    /// Splits on the longest way to a leaf.
    depth: u16,
}

/// Rows that go down a tree side by side: one row alone waits for each split to be read.
const ABREAST: usize = 8;

impl Forest {
    fn parse(table: &'static str) -> Option<Forest> {
        let mut lines = table.lines().filter(|line| !line.starts_with('#'));
        let names: Vec<&str> = lines.next()?.split(' ').collect();
        let mut forest = Forest {
            names,
            nodes: Vec::new(),
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
        let root = self.nodes.len();
        u16::try_from(root + splits.len() + leaves.len()).ok()?;
        let mut depths = vec![1; splits.len()];
        let mut depth = 0;
        for (index, split) in splits.iter().enumerate() {
            let mut parts = split.split_ascii_whitespace();
            let feature: u16 = parts.next()?.parse().ok()?;
            self.names.get(usize::from(feature))?;
            let threshold = parts.next()?.parse().ok()?;
            let mut child = || -> Option<u16> {
                let child: i32 = parts.next()?.parse().ok()?;
                let place = match usize::try_from(child) {
                    Ok(split) => {
                        (split > index).then_some(())?;
                        *depths.get_mut(split)? = depths[index] + 1;
                        split
                    }
                    Err(_) => {
                        let leaf = usize::try_from(!child).ok()?;
                        leaves.get(leaf)?;
                        splits.len() + leaf
                    }
                };
                u16::try_from(root + place).ok()
            };
            let (left, right) = (child()?, child()?);
            depth = depth.max(depths[index]);
            self.nodes.push(Node {
                threshold,
                feature,
                left,
                right,
            });
        }
        for leaf in leaves {
            let itself = u16::try_from(self.nodes.len()).ok()?;
            self.nodes.push(Node {
                threshold: leaf.parse().ok()?,
                feature: 0,
                left: itself,
                right: itself,
            });
        }
        let root = u16::try_from(root).ok()?;
        self.trees.push(Tree { root, depth });
        Some(())
    }

    /// For each row of features the logarithm of the odds that its run is content.
    pub(super) fn log_odds(&self, rows: &[&[f32]]) -> Vec<f32> {
        let mut odds = Vec::with_capacity(rows.len());
        for rows in rows.chunks(ABREAST) {
            let mut sums = [0.0; ABREAST];
            let abreast: [&[f32]; ABREAST] =
                std::array::from_fn(|at| rows.get(at).copied().unwrap_or(rows[0]));
            for tree in &self.trees {
                let mut nodes = [self.nodes[usize::from(tree.root)]; ABREAST];
                for _ in 0..tree.depth {
                    for (node, row) in nodes.iter_mut().zip(abreast) {
                        let is_left = row[usize::from(node.feature)] <= node.threshold;
                        let next = if is_left { node.left } else { node.right };
                        *node = self.nodes[usize::from(next)];
                    }
                }
                for (sum, node) in sums.iter_mut().zip(nodes) {
                    *sum += node.threshold;
                }
            }
            odds.extend_from_slice(&sums[..rows.len()]);
        }
        odds
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_row_is_walked_to_its_leaf() {
        let forest = Forest::parse("a b\n0 0.5 -1 1;1 2 -2 -3;|-4 0 4\n|1\n").unwrap();
        let rows: [&[f32]; 3] = [&[0.5, 9.0], &[1.0, 2.0], &[1.0, 3.0]];
        assert_eq!(forest.log_odds(&rows), [-3.0, 1.0, 5.0]);
        let many: Vec<&[f32]> = rows.iter().copied().cycle().take(20).collect();
        let expected: Vec<f32> = [-3.0, 1.0, 5.0].into_iter().cycle().take(20).collect();
        assert_eq!(forest.log_odds(&many), expected);
        assert!(forest.log_odds(&[]).is_empty());
    }

    #[test]
    fn a_split_that_leads_back_or_nowhere_is_no_table() {
        for table in [
            "a\n0 1 0 -1;|1",
            "a\n0 1 -1 -3;|1 2",
            "a\n0 1 2 -1;|1",
            "a\n1 1 -1 -2;|1 2",
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
