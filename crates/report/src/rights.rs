//! What pages say of the use of their texts: robots directives, preferences, licences.

use std::collections::BTreeMap;

use archive::PageSummary;
use serde::{Deserialize, Serialize};

/// Names that are counted apart.
const NAMES_MAX: usize = 100;

/// What pages say of the use of their texts; of each page as often as it was judged.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Rights {
    /// Pages that ask not to be indexed.
    pub noindex: u64,
    /// Pages that ask not to follow their links.
    pub nofollow: u64,
    /// Pages that say what their text may be used for.
    pub with_usage: u64,
    /// What they say, in their own words.
    pub usage: BTreeMap<String, u64>,
    /// Pages that link to a licence.
    pub with_licence: u64,
    /// The licences.
    pub licences: BTreeMap<String, u64>,
}

impl Rights {
    pub(crate) fn add(&mut self, page: &PageSummary) {
        self.noindex += u64::from(!page.may_index);
        self.nofollow += u64::from(!page.may_follow);
        self.with_usage += u64::from(!page.usage.is_empty());
        self.with_licence += u64::from(page.licence.is_some());
        page.usage
            .iter()
            .for_each(|said| count(&mut self.usage, said));
        page.licence
            .iter()
            .for_each(|url| count(&mut self.licences, url));
    }

    /// Whether no page said anything.
    pub fn is_silent(&self) -> bool {
        *self == Rights::default()
    }
}

fn count(counts: &mut BTreeMap<String, u64>, name: &str) {
    let is_known = counts.contains_key(name) || counts.len() < NAMES_MAX;
    *counts
        .entry(if is_known { name } else { "(others)" }.to_owned())
        .or_default() += 1;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_pages_say_is_counted_and_bounded() {
        let mut rights = Rights::default();
        assert!(rights.is_silent());
        for n in 0..300 {
            rights.add(&PageSummary {
                may_index: n % 2 == 0,
                may_follow: true,
                usage: vec!["noai".into(), format!("content-usage: x{n}")],
                licence: (n < 5).then(|| "https://creativecommons.org/licenses/by/4.0/".into()),
                ..PageSummary::default()
            });
        }
        assert_eq!(
            (rights.noindex, rights.nofollow, rights.with_usage),
            (150, 0, 300)
        );
        assert_eq!((rights.with_licence, rights.licences.len()), (5, 1));
        assert_eq!(rights.usage["noai"], 300);
        assert!(rights.usage.len() <= NAMES_MAX + 1 && rights.usage.values().sum::<u64>() == 600);
    }
}
