//! What people said of a crawl's decisions, as an estimate of how many are right.
//!
//! Marks of a random sample stand for the whole; marks of pages that somebody came upon do not, and
//! are counted apart. Kept and dropped pages are two questions. The interval is Wilson's for a
//! confidence of 95 %: it stays within 0 and 1 and holds for small samples, where the plain one fails.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::words::{name, plural};

/// Decisions marked wrong that a report lists.
const WRONG_MAX: usize = 100;

/// Standard deviations of a confidence of 95 %.
const Z: f64 = 1.959_963_984_540_054;

/// What somebody said of a decision.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Judgement {
    /// It is right.
    Right,
    /// It is wrong.
    Wrong,
    /// Cannot be told.
    #[default]
    Skip,
}

impl Judgement {
    /// As it is written.
    pub fn name(self) -> &'static str {
        match self {
            Self::Right => "right",
            Self::Wrong => "wrong",
            Self::Skip => "skip",
        }
    }
}

/// A mark: one line of `audit.jsonl`.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Mark {
    /// When, milliseconds since the Unix epoch.
    pub at_ms: u64,
    /// The number of the page's record.
    pub page: u64,
    /// Its URL.
    pub url: String,
    /// What was decided: `kept` or `dropped`.
    pub was: String,
    /// The reason of a dropped page.
    pub reason: String,
    /// What the person said.
    pub mark: Judgement,
    /// The page was drawn at random; only such marks count in the estimate.
    pub sampled: bool,
}

/// The estimate of one question.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
pub struct Estimate {
    /// Marks `right` of pages drawn at random.
    pub right: u64,
    /// Marks `wrong` of pages drawn at random.
    pub wrong: u64,
    /// Pages drawn at random of which nobody could tell.
    pub skipped: u64,
    /// The share of right decisions; none without a mark.
    pub precision: Option<f64>,
    /// The interval's lower end, with a confidence of 95 %.
    pub low: Option<f64>,
    /// Its upper end.
    pub high: Option<f64>,
}

/// A decision that somebody calls wrong.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Wrong {
    /// The number of the page's record.
    pub page: u64,
    /// Its URL.
    pub url: String,
    /// What was decided: `kept` or `dropped`.
    pub was: String,
    /// The reason of a dropped page.
    pub reason: String,
    /// Whether it was drawn at random: others count in no share.
    pub sampled: bool,
}

impl Wrong {
    /// The decision in words.
    pub fn decision(&self) -> String {
        match self.reason.as_str() {
            "" => self.was.clone(),
            reason => name(reason),
        }
    }
}

/// What the marks say of a crawl.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Audit {
    /// Of pages that were kept.
    pub kept: Estimate,
    /// Of pages that were dropped.
    pub dropped: Estimate,
    /// Marks of pages that were not drawn at random.
    pub unsampled: u64,
    /// Those of them that call the decision wrong.
    pub unsampled_wrong: u64,
    /// Decisions that were marked wrong, drawn at random or not, by page: the first hundred.
    pub wrong: Vec<Wrong>,
}

impl Audit {
    /// Folds the lines of `audit.jsonl`; the last mark of a page counts, what is no mark is passed over.
    pub fn read(lines: &str) -> Audit {
        let marks = lines
            .lines()
            .filter_map(|line| serde_json::from_str::<Mark>(line).ok());
        let by_page: BTreeMap<u64, Mark> = marks.map(|mark| (mark.page, mark)).collect();
        Audit::of(by_page.values())
    }

    /// How many lines of a text are no marks, empty ones aside.
    pub fn lines_without_mark(lines: &str) -> u64 {
        let said = lines.lines().filter(|line| !line.trim().is_empty());
        let other = said.filter(|line| serde_json::from_str::<Mark>(line).is_err());
        other.count() as u64
    }

    /// The estimate in sentences.
    pub fn lines(&self) -> Vec<String> {
        let sides = [("kept", &self.kept), ("dropped", &self.dropped)].into_iter();
        let mut lines: Vec<String> = sides.map(|(was, side)| side.line(was)).collect();
        if self.unsampled > 0 {
            lines.push(format!(
                "{} besides that nobody drew at random, and that count in neither share: {} wrong.",
                plural(self.unsampled, "page was marked", "pages were marked"),
                self.unsampled_wrong
            ));
        }
        lines
    }

    /// None, where nobody has marked anything.
    pub fn told(self) -> Option<Audit> {
        (self != Audit::default()).then_some(self)
    }

    /// Folds marks, of which each page has one.
    pub fn of<'m>(marks: impl IntoIterator<Item = &'m Mark>) -> Audit {
        let mut audit = Audit::default();
        for mark in marks {
            let is_wrong = mark.mark == Judgement::Wrong;
            if is_wrong {
                audit.wrong.push(Wrong {
                    page: mark.page,
                    url: mark.url.clone(),
                    was: mark.was.clone(),
                    reason: mark.reason.clone(),
                    sampled: mark.sampled,
                });
            }
            if !mark.sampled {
                audit.unsampled += 1;
                audit.unsampled_wrong += u64::from(is_wrong);
                continue;
            }
            let side = match mark.was == "kept" {
                true => &mut audit.kept,
                false => &mut audit.dropped,
            };
            match mark.mark {
                Judgement::Right => side.right += 1,
                Judgement::Wrong => side.wrong += 1,
                Judgement::Skip => side.skipped += 1,
            }
        }
        audit.wrong.sort_by_key(|wrong| wrong.page);
        audit.wrong.truncate(WRONG_MAX);
        audit.kept.estimate();
        audit.dropped.estimate();
        audit
    }
}

impl Estimate {
    fn line(&self, was: &str) -> String {
        let marked = self.right + self.wrong;
        let (Some(precision), Some(low), Some(high)) = (self.precision, self.low, self.high) else {
            return format!("No {was} page was drawn at random and marked.");
        };
        let percent = |share: f64| 100.0 * share;
        format!(
            "Of {} drawn at random {} rightly {was}: {:.1} %, with a confidence of 95 % between {:.1} and {:.1} %.",
            plural(marked, &format!("{was} page"), &format!("{was} pages")),
            plural(self.right, "was", "were"),
            percent(precision),
            percent(low),
            percent(high)
        )
    }

    fn estimate(&mut self) {
        let marked = (self.right + self.wrong) as f64;
        if marked == 0.0 {
            return;
        }
        let (low, high) = wilson(self.right as f64 / marked, marked);
        self.precision = Some(self.right as f64 / marked);
        (self.low, self.high) = (Some(low), Some(high));
    }
}

/// Wilson's interval for a share of `n`.
fn wilson(share: f64, n: f64) -> (f64, f64) {
    let z2 = Z * Z;
    let middle = share + z2 / (2.0 * n);
    let half = Z * (share * (1.0 - share) / n + z2 / (4.0 * n * n)).sqrt();
    let whole = 1.0 + z2 / n;
    (
        ((middle - half) / whole).max(0.0),
        ((middle + half) / whole).min(1.0),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn marks(right: u64, wrong: u64, sampled: bool) -> Vec<Mark> {
        let one = |mark| Mark {
            was: "dropped".into(),
            mark,
            sampled,
            ..Mark::default()
        };
        let right = (0..right).map(|_| one(Judgement::Right));
        right
            .chain((0..wrong).map(|_| one(Judgement::Wrong)))
            .collect()
    }

    #[test]
    fn the_interval_is_wilsons() {
        // 81 of 263, a worked example of Newcombe, 1998: 0.2553 to 0.3662.
        let audit = Audit::of(&marks(81, 182, true));
        let dropped = audit.dropped;
        assert!((dropped.precision.unwrap() - 0.308).abs() < 0.0005);
        assert!(
            (dropped.low.unwrap() - 0.2553).abs() < 0.00005,
            "{dropped:?}"
        );
        assert!((dropped.high.unwrap() - 0.3662).abs() < 0.00005);
        assert_eq!(audit.kept, Estimate::default());
        // 0 of 20: 0 to 0.1611.
        let none = Audit::of(&marks(0, 20, true)).dropped;
        assert!(none.low.unwrap().abs() < 1e-12);
        assert!((none.high.unwrap() - 0.1611).abs() < 0.00005);
    }

    #[test]
    fn the_file_is_told_in_sentences() {
        let file = "{\"page\":1,\"was\":\"kept\",\"mark\":\"wrong\",\"sampled\":true}\n\
                    {\"page\":1,\"was\":\"kept\",\"mark\":\"right\",\"sampled\":true}\n{\"page\":2";
        let lines = Audit::read(file).lines();
        let kept = "Of 1 kept page drawn at random 1 was rightly kept: 100.0 %";
        assert!(lines[0].starts_with(kept), "{lines:?}");
        assert_eq!(lines[1], "No dropped page was drawn at random and marked.");
    }

    #[test]
    fn what_was_not_drawn_at_random_says_nothing_of_the_whole() {
        let audit = Audit::of(&marks(1, 7, false));
        assert_eq!((&audit.dropped, audit.unsampled), (&Estimate::default(), 8));
        assert_eq!((audit.unsampled_wrong, audit.wrong.len()), (7, 7));
        let line = "8 pages were marked besides that nobody drew at random, and that count in neither share: 7 wrong.";
        assert_eq!(audit.lines()[2], line);
    }
}
