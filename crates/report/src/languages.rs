//! Pages by language, each as it was read last.

use std::collections::BTreeMap;

use crate::fates::SlotId;
use crate::figures::LanguageCount;

/// Languages that are counted apart; what comes later is `(others)`.
const NAMES_MAX: usize = 200;

/// No page was judged at a URL.
const NONE: u16 = u16::MAX;

/// What was judged, by language.
#[derive(Debug, Default)]
pub(crate) struct Languages {
    names: Vec<String>,
    counts: Vec<LanguageCount>,
    /// By URL: twice the number of the language, and one more for a kept page.
    of: Vec<u16>,
}

impl Languages {
    /// A page was judged: it counts in the place of what was read there before.
    pub(crate) fn judged(&mut self, slot: SlotId, lang: &str, is_indexed: bool) {
        self.forget(slot);
        let lang = if lang.is_empty() { "unknown" } else { lang };
        let at = self.number(lang);
        let count = &mut self.counts[at];
        count.pages += 1;
        count.indexed += u64::from(is_indexed);
        let slot = slot as usize;
        if self.of.len() <= slot {
            self.of.resize(slot + 1, NONE);
        }
        self.of[slot] = u16::try_from(at * 2 + usize::from(is_indexed)).unwrap_or(NONE);
    }

    /// A page that was kept is gone: it was read all the same.
    pub(crate) fn gone(&mut self, slot: SlotId) {
        let Some(of) = self.of.get_mut(slot as usize) else {
            return;
        };
        if *of != NONE && *of % 2 == 1 {
            self.counts[usize::from(*of / 2)].indexed -= 1;
            *of -= 1;
        }
    }

    /// A page that was read has moved: it is none any more.
    pub(crate) fn moved(&mut self, slot: SlotId) {
        self.forget(slot);
        if let Some(of) = self.of.get_mut(slot as usize) {
            *of = NONE;
        }
    }

    fn forget(&mut self, slot: SlotId) {
        let of = self.of.get(slot as usize).copied().unwrap_or(NONE);
        if of != NONE {
            let count = &mut self.counts[usize::from(of / 2)];
            count.pages -= 1;
            count.indexed -= u64::from(of % 2);
        }
    }

    fn number(&mut self, lang: &str) -> usize {
        let find = |names: &[String], name: &str| names.iter().position(|known| known == name);
        if let Some(at) = find(&self.names, lang) {
            return at;
        }
        let name = match self.names.len() < NAMES_MAX {
            true => lang,
            false => "(others)",
        };
        find(&self.names, name).unwrap_or_else(|| {
            self.names.push(name.to_owned());
            self.counts.push(LanguageCount::default());
            self.names.len() - 1
        })
    }

    /// The counts by name.
    pub(crate) fn report(&self) -> BTreeMap<String, LanguageCount> {
        let names = self.names.iter().cloned();
        let all = names.zip(self.counts.iter().cloned());
        all.filter(|(_, count)| count.pages > 0).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_counts_once_as_it_was_read_last() {
        let mut languages = Languages::default();
        languages.judged(0, "en", true);
        languages.judged(3, "", false);
        languages.judged(0, "zh", true);
        let counted = |languages: &Languages| -> Vec<(String, u64, u64)> {
            let counts = languages.report().into_iter();
            counts.map(|(name, n)| (name, n.pages, n.indexed)).collect()
        };
        let zh = |indexed| ("zh".to_owned(), 1, indexed);
        let unknown = ("unknown".to_owned(), 1, 0);
        assert_eq!(counted(&languages), [unknown.clone(), zh(1)]);
        languages.gone(0);
        languages.gone(0);
        languages.gone(1);
        assert_eq!(counted(&languages), [unknown, zh(0)]);
    }

    #[test]
    fn languages_beyond_the_bound_are_counted_together() {
        let mut languages = Languages::default();
        for slot in 0..500 {
            languages.judged(slot, &format!("l{slot}"), true);
        }
        let counts = languages.report();
        assert_eq!(counts.len(), NAMES_MAX + 1);
        assert_eq!(counts["(others)"].pages, 300);
    }
}
