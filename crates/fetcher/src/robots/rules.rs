//! The rules of one group, ready to be asked.
//!
//! A file may have 40,000 rules, a URL two thousand bytes, and every URL of a host is asked about. So what a
//! decision costs is bounded by how the rules are held:
//!
//! - Rules without a wildcard stand in the order of their texts. All that a path begins with are beginnings of
//!   the last text that is not after the path, so one binary search finds them, and each text knows
//!   the longest other one that it begins with.
//! - Rules with a wildcard are tried from the most specific on, until one matches. A filter of 128 bits passes
//!   over those that have two bytes side by side which the path has nowhere: of ordinary URLs it leaves a
//!   few in a hundred. What is left is matched, until [`WORK_MAX`] bytes were compared for this URL.
//!   Beyond that a `Disallow` counts as one that matches, an `Allow` as one that does not: who
//!   writes so many rules is obeyed rather than read to the end.
//!
//! A file may also be 24,000 groups. Those of the same names are one by the time they come here; of others each
//! costs a search in its own texts, which all together are no longer than the file. What is
//! known of the path is found once for all of them, see [`Asked`].

use std::cell::OnceCell;

use super::Rule;

/// The bytes of path and patterns that are compared for one decision, in rules that the filter left: for a URL
/// of 100 bytes some 2,000 rules with a wildcard that share all their pairs of bytes with it, for one of
/// 2,000 bytes some 120. That takes less than recording the refusal does.
pub(super) const WORK_MAX: usize = 256 << 10;

/// No rule: after all others.
const NONE: u32 = u32::MAX;

/// A normalised path that is asked about, and what is known of it for all groups.
#[derive(Debug)]
pub(super) struct Asked<'p> {
    path: &'p str,
    /// Its pairs of bytes, once a rule with a wildcard asks for them.
    pairs: OnceCell<u128>,
    /// The bytes that may be compared yet, of [`WORK_MAX`].
    work: usize,
}

impl<'p> Asked<'p> {
    pub(super) fn new(path: &'p str) -> Self {
        Self {
            path,
            pairs: OnceCell::new(),
            work: WORK_MAX,
        }
    }

    /// Whether it has all these pairs of bytes.
    fn has(&self, all: u128) -> bool {
        all & !self.pairs.get_or_init(|| pairs(self.path)) == 0
    }
}

/// The rules of one group.
#[derive(Debug, Clone, PartialEq, Default)]
pub(super) struct Rules {
    /// All, most specific first. A rule's place here is its precedence.
    all: Vec<Rule>,
    /// The texts of those without a wildcard, in order.
    literals: Vec<Literal>,
    /// Those with one, most specific first.
    wild: Vec<Wild>,
}

/// A text that rules without a wildcard have: one that allows or disallows what begins with it, one for it
/// alone.
#[derive(Debug, Clone, PartialEq)]
struct Literal {
    /// A rule with this text.
    text: u32,
    /// The first rule for what is this text and no longer.
    whole: u32,
    /// The first rule for what begins with this text.
    start: u32,
    /// The longest other text that this one begins with.
    shorter: u32,
}

/// A rule with a wildcard.
#[derive(Debug, Clone, PartialEq)]
struct Wild {
    /// What a path must have for it to match.
    pairs: u128,
    rank: (u32, bool),
    rule: u32,
}

impl Rules {
    /// Rules in the order of the file.
    pub(super) fn new(mut all: Vec<Rule>) -> Self {
        all.sort_by(|a, b| {
            b.rank()
                .cmp(&a.rank())
                .then_with(|| a.pattern.cmp(&b.pattern))
        });
        all.dedup_by(|a, b| a.allow == b.allow && a.pattern == b.pattern);
        let number = |at: usize| u32::try_from(at).unwrap_or(NONE);
        let mut literals: Vec<u32> = Vec::new();
        let mut wild = Vec::new();
        for (at, rule) in all.iter().enumerate() {
            match rule.pattern.has_wildcard() {
                true => wild.push(Wild {
                    pairs: rule
                        .pattern
                        .pieces()
                        .map(pairs)
                        .fold(0, |all, one| all | one),
                    rank: rule.rank(),
                    rule: number(at),
                }),
                false => literals.push(number(at)),
            }
        }
        literals.sort_by_key(|at| (all[*at as usize].pattern.text(), *at));
        Self {
            literals: in_order(&all, literals),
            all,
            wild,
        }
    }

    /// All rules, in no order that the file has.
    pub(super) fn iter(&self) -> impl Iterator<Item = &Rule> {
        self.all.iter()
    }

    /// The rule that decides about a path, if one does that is more specific than `best`; else `best`.
    pub(super) fn decide<'r>(
        &'r self,
        asked: &mut Asked<'_>,
        best: Option<&'r Rule>,
    ) -> Option<&'r Rule> {
        let path = asked.path;
        let mut first = self.literal(path);
        for wild in &self.wild {
            if wild.rule > first || best.is_some_and(|best| wild.rank <= best.rank()) {
                break;
            }
            if !asked.has(wild.pairs) {
                continue;
            }
            let rule = &self.all[wild.rule as usize];
            let matches = match asked.work {
                0 => !rule.allow,
                _ => rule.pattern.matches(path),
            };
            let compared = path.len() + rule.pattern.text().len();
            asked.work = asked.work.saturating_sub(compared);
            if matches {
                first = wild.rule;
                break;
            }
        }
        let found = self.all.get(first as usize);
        let is_better = |found: &&Rule| best.is_none_or(|best| found.rank() > best.rank());
        found.filter(is_better).or(best)
    }

    /// The place of the first rule without a wildcard that matches.
    fn literal(&self, path: &str) -> u32 {
        let text = |literal: &Literal| self.all[literal.text as usize].pattern.text();
        let after = self.literals.partition_point(|l| text(l) <= path);
        let Some(last) = after.checked_sub(1).map(|at| &self.literals[at]) else {
            return NONE;
        };
        let same = text(last).bytes().zip(path.bytes());
        let common = same.take_while(|(a, b)| a == b).count();
        if common == path.len() && text(last).len() == common && last.whole != NONE {
            return last.whole;
        }
        let mut literal = Some(last);
        while let Some(one) = literal {
            if one.start != NONE && text(one).len() <= common {
                return one.start;
            }
            literal = self.literals.get(one.shorter as usize);
        }
        NONE
    }
}

/// The texts of rules without a wildcard, which come in the order of their texts.
fn in_order(all: &[Rule], sorted: Vec<u32>) -> Vec<Literal> {
    let text = |at: u32| all[at as usize].pattern.text();
    let mut literals: Vec<Literal> = Vec::new();
    // The texts that the next one may begin with: each begins with the one before.
    let mut open: Vec<u32> = Vec::new();
    for at in sorted {
        if literals
            .last()
            .is_none_or(|last| text(last.text) != text(at))
        {
            while open
                .last()
                .is_some_and(|last| !text(at).starts_with(text(literals[*last as usize].text)))
            {
                open.pop();
            }
            literals.push(Literal {
                text: at,
                whole: NONE,
                start: NONE,
                shorter: open.last().copied().unwrap_or(NONE),
            });
            open.push(u32::try_from(literals.len() - 1).unwrap_or(NONE));
        }
        let last = literals.len() - 1;
        let place = match all[at as usize].pattern.is_anchored() {
            true => &mut literals[last].whole,
            false => &mut literals[last].start,
        };
        *place = (*place).min(at);
    }
    literals
}

/// The pairs of bytes side by side in a text, each as one of 128 bits.
fn pairs(text: &str) -> u128 {
    let bytes = text.as_bytes();
    let pairs = bytes.iter().zip(bytes.iter().skip(1));
    let bits = pairs.map(|(a, b)| 1 << ((u32::from(*a) * 37 + u32::from(*b)) % 128));
    bits.fold(0, |all: u128, bit: u128| all | bit)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::pattern::{Pattern, normalize_path};
    use super::*;

    fn rule(pattern: &str, allow: bool, line: usize) -> Rule {
        Rule {
            pattern: Pattern::parse(pattern.as_bytes()),
            allow,
            line: u32::try_from(line).unwrap(),
            raw: pattern.as_bytes().into(),
        }
    }

    fn rules(patterns: impl IntoIterator<Item = (String, bool)>) -> Rules {
        let patterns = patterns.into_iter().enumerate();
        Rules::new(
            patterns
                .map(|(line, (pattern, allow))| rule(&pattern, allow, line))
                .collect(),
        )
    }

    fn decided<'r>(rules: &'r Rules, path: &str) -> Option<&'r Rule> {
        rules.decide(&mut Asked::new(path), None)
    }

    /// Rules that all must be tried: they are of the same pairs of bytes as the path.
    fn alike(count: usize, allow: bool) -> impl Iterator<Item = (String, bool)> {
        (0..count).map(move |n| (format!("/*~{n:05}"), allow))
    }

    /// A path with every pair of digits, that none of [`alike`] matches.
    fn of_all_pairs(bytes: usize) -> String {
        let pairs: String = (0..100).map(|n| format!("{n:02}~")).collect();
        let one = format!("/{pairs}{}", pairs.chars().rev().collect::<String>());
        one.chars().cycle().take(bytes).collect()
    }

    #[test]
    fn a_decision_costs_no_more_than_its_bound_whatever_the_file() {
        // 26,000 such rules were all tried for each URL, on the one thread that gives hosts their turn.
        let rules = rules(alike(26_000, false).chain([("/".to_owned(), false)]));
        let path = of_all_pairs(1_400);
        let tried = rules
            .wild
            .iter()
            .filter(|wild| wild.pairs & !pairs(&path) == 0);
        assert!(tried.count() * path.len() > 10 * WORK_MAX);
        let mut asked = Asked::new(&path);
        let found = rules.decide(&mut asked, None);
        assert!(asked.work == 0 && found.is_some_and(|rule| !rule.allow && rule.line < 20_000));
    }

    #[test]
    fn beyond_the_bound_a_disallow_matches_and_an_allow_does_not() {
        let path = of_all_pairs(1_400);
        let last = |allow| [("/*0".to_owned(), allow)];
        let refusing = rules(alike(20_000, false).chain(last(true)));
        assert!(decided(&refusing, &path).is_some_and(|rule| !rule.allow));
        let allowing = rules(alike(20_000, true).chain(last(false)));
        assert!(decided(&allowing, &path).is_some_and(|rule| !rule.allow));
        let allowing = rules(alike(20_000, true).chain([("/*".to_owned(), true)]));
        assert!(decided(&allowing, &path).is_none());
    }

    #[test]
    fn ten_thousand_wildcards_cost_an_ordinary_url_a_fraction_of_the_bound() {
        let words = (0..10_000).map(|n| (format!("/*/{n:04}/*?sort=x{n}"), false));
        let rules = rules(words);
        let path = "/news/2024/05/17/a-title-of-a-page-with-words.html?page=3";
        let mut asked = Asked::new(path);
        assert!(rules.decide(&mut asked, None).is_none());
        assert!(asked.work > WORK_MAX / 2, "{}", asked.work);
    }

    #[test]
    fn the_pairs_of_a_path_are_found_once_and_only_for_wildcards() {
        let path = of_all_pairs(2_000);
        let mut asked = Asked::new(&path);
        let literal = rules([("/a".to_owned(), true)]);
        literal.decide(&mut asked, None);
        assert_eq!(asked.pairs.get(), None);
        let wild = rules([("/*a".to_owned(), true)]);
        wild.decide(&mut asked, None);
        assert_eq!(asked.pairs.get(), Some(&pairs(&path)));
    }

    proptest! {
        #[test]
        fn the_first_rule_that_matches_decides(
            patterns in prop::collection::vec(("/[ab*]{0,6}\\$?", any::<bool>()), 0..12),
            path in "/[ab]{0,8}",
        ) {
            let path = normalize_path(&path);
            let rules = rules(patterns);
            let plain = rules.iter().find(|rule| rule.pattern.matches(&path));
            prop_assert_eq!(decided(&rules, &path), plain);
        }
    }
}
