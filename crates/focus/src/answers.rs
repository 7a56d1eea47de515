//! How likely is an answer with a page? What is learnt from links that led to none.
//!
//! A link that ends at an error says that the page is gone. It does not say that the pages of its
//! kind, its host or its neighbourhood are off topic, so nothing of it reaches the models of
//! relevance. What it does say is that links like it may be dead too: those to URLs of the same form,
//! to the same host, and those on the same page (old lists are full of them). So the chance of an
//! answer is estimated apart. Where it is less than half of the crawl's average, the promise of the link
//! falls in proportion. Above that nothing falls: a dead link costs a request and no page, so where good
//! pages are, some dead links beside them are worth their cost, and multiplying every promise by its
//! chance led crawls away from their topic (`CONSTANTS.md` has the figures).
//!
//! ```text
//! all answers ──mixed into──► its host's ──mixed into──► its URL form's ──mixed into──► its page's links
//! ```
//!
//! Each rate is mixed with a few answers at the rate of the wider group. Outcomes fade: of those that
//! are [`HALF_LIFE`] fetches of the crawl old, half counts. So a form that was dead is tried again
//! after a while, and rises as soon as its pages answer.

use serde::{Deserialize, Serialize};

use crate::hashing::NumberMap;
use crate::link_features::LinkFeatures;
use crate::link_groups::GroupKeys;
use crate::saved::pairs;

/// Groups whose answers are remembered.
const GROUPS_MAX: usize = 1 << 18;
/// Answers at the wider group's rate that a group's own are mixed with.
const PRIOR_ANSWERS: f32 = 2.0;
/// Answers with a page that a crawl is taken to have had before it began.
const FIRST_ANSWERS: f32 = 4.0;
/// Fetches after which an outcome counts half.
const HALF_LIFE: f32 = 500.0;
/// A link sinks where its chance is below this share of the average.
const MUCH_BELOW: f32 = 0.5;
/// Outcomes of the pages that have a link count, of at most so many pages.
const PARENTS: usize = 4;

/// The answers of a group of links.
#[derive(Debug, Clone, Copy, Default, Serialize, Deserialize)]
struct Answers {
    pages: f32,
    errors: f32,
    /// The number of the fetch up to which the two have faded.
    at: u32,
}

impl Answers {
    /// What is left of the counts at a fetch.
    fn faded(self, now: u32) -> Answers {
        let age = now.saturating_sub(self.at) as f32;
        let left = (-age / HALF_LIFE).exp2();
        Answers {
            pages: self.pages * left,
            errors: self.errors * left,
            at: now,
        }
    }

    /// The share of answers with a page, mixed with some at `rate`.
    fn mixed_with(self, rate: f32) -> f32 {
        (self.pages + PRIOR_ANSWERS * rate) / (self.pages + self.errors + PRIOR_ANSWERS)
    }
}

/// The answers of all links and of each group.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub(crate) struct AnswerModel {
    #[serde(with = "pairs")]
    groups: NumberMap<u64, Answers>,
    all: Answers,
    fetches: u32,
}

impl AnswerModel {
    /// Counts a link that was followed: it led to a page, or to none.
    pub(crate) fn observe(&mut self, link: &LinkFeatures, is_page: bool) {
        self.fetches = self.fetches.saturating_add(1);
        let now = self.fetches;
        let add = |answers: &mut Answers| {
            *answers = answers.faded(now);
            answers.pages += f32::from(u8::from(is_page));
            answers.errors += f32::from(u8::from(!is_page));
        };
        add(&mut self.all);
        for key in keys(link) {
            if self.groups.len() < GROUPS_MAX || self.groups.contains_key(&key) {
                add(self.groups.entry(key).or_default());
            }
        }
    }

    /// The share of its promise that a link keeps, less than 1.0 where its chance is less than half of
    /// the average; and the chance.
    pub(crate) fn share_kept(&self, link: &LinkFeatures) -> (f32, f32) {
        let overall = self.overall();
        let chance = self.chance(link, overall);
        ((chance / (MUCH_BELOW * overall)).min(1.0), chance)
    }

    /// The chance that any link leads to a page.
    fn overall(&self) -> f32 {
        let all = self.all.faded(self.fetches);
        (all.pages + FIRST_ANSWERS) / (all.pages + all.errors + FIRST_ANSWERS)
    }

    /// The chance that a link leads to a page.
    fn chance(&self, link: &LinkFeatures, overall: f32) -> f32 {
        let keys = GroupKeys::of(link);
        let host = self.of(keys.host).mixed_with(overall);
        let form = self.of(keys.url_form).mixed_with(host);
        let mut siblings = Answers::default();
        for &parent in link.parents.iter().take(PARENTS) {
            let of_page = self.of(page_key(parent));
            siblings.pages += of_page.pages;
            siblings.errors += of_page.errors;
        }
        siblings.mixed_with(form)
    }

    fn of(&self, key: u64) -> Answers {
        let answers = self.groups.get(&key).copied().unwrap_or_default();
        answers.faded(self.fetches)
    }
}

/// The groups of a link: its host, its URL form, the pages that have it.
fn keys(link: &LinkFeatures) -> impl Iterator<Item = u64> + '_ {
    let keys = GroupKeys::of(link);
    let pages = link
        .parents
        .iter()
        .take(PARENTS)
        .map(|&page| page_key(page));
    [keys.host, keys.url_form].into_iter().chain(pages)
}

fn page_key(page: u32) -> u64 {
    u64::from(page) | 4 << 40
}

#[cfg(test)]
mod tests {
    use super::*;

    fn link(form: u32, parent: u32) -> LinkFeatures {
        LinkFeatures {
            groups: [1, form, 0],
            parents: [parent].into_iter().collect(),
            parent_count: 1,
            ..LinkFeatures::default()
        }
    }

    #[test]
    fn a_form_that_is_mostly_dead_sinks_others_hardly_and_it_recovers() {
        let mut model = AnswerModel::default();
        let chance = |model: &AnswerModel, link: &LinkFeatures| model.share_kept(link).1;
        assert_eq!(model.share_kept(&link(7, 0)), (1.0, 1.0));
        for page in 0..30 {
            model.observe(&link(7, page), false);
            model.observe(&link(8, page + 100), true);
            model.observe(&link(9, page + 200), true);
        }
        let (dead, alive) = (chance(&model, &link(7, 999)), chance(&model, &link(8, 999)));
        assert!(model.share_kept(&link(7, 999)).0 < 0.3);
        assert_eq!(model.share_kept(&link(8, 999)).0, 1.0);
        assert!(dead < 0.1, "{dead}");
        assert!(alive > 0.9, "{alive}");
        for page in 0..2_000 {
            model.observe(&link(8, 1_000 + page), true);
        }
        let forgotten = chance(&model, &link(7, 999));
        assert!(forgotten > 0.4, "{forgotten}");
        for page in 0..5 {
            model.observe(&link(7, 9_000 + page), true);
        }
        assert!(chance(&model, &link(7, 999)) > 0.7);
    }

    #[test]
    fn one_old_list_of_dead_links_speaks_against_its_other_links() {
        let mut model = AnswerModel::default();
        for form in 0..40 {
            model.observe(&link(form, form), true);
        }
        for form in 100..108 {
            model.observe(&link(form, 50), false);
        }
        let [on_list, elsewhere] = [50, 51].map(|page| model.share_kept(&link(200, page)).1);
        assert!(on_list < 0.4 && elsewhere > 0.7, "{on_list} {elsewhere}");
    }
}
