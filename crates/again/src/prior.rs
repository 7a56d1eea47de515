//! What the pages of its like turned out to do: the prior of a page's change rate.
//!
//! Pages of one host change alike, those with one form of URL more so, and lists otherwise than
//! articles. For each such group the expected rates of its pages are added up; a page's prior is the
//! web's, then drawn towards its crawl's, its type's, its host's and its form's pages, each by as much
//! as it has pages. Adding up is repeated with the priors found, which is the EM algorithm for the
//! distribution of rates in a group.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::evidence::{Evidence, logs_of};
use crate::rates::{RATES, Rates};

/// As many pages as the wider group weighs in a narrower one.
const WIDER_PAGES: f64 = 6.0;

/// Forms of URLs that have a group of their own: further ones are known by their host.
const FORMS_MAX: usize = 65_536;

/// Passes over the pages.
const PASSES: usize = 3;

/// Places whose prior is held in a pass, some 350 bytes each: pages of a place come again and again.
const HELD_MAX: usize = 4_096;

/// Which pages a page is like: numbers that the caller gives, the same for what is alike.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default, Serialize, Deserialize)]
pub struct Place {
    /// The form of its URL, such as `/blog/#/*`.
    pub form: u64,
    /// Its host.
    pub host: u32,
    /// What it is: an article, a list, a feed.
    pub page_type: u8,
}

/// Expected rates of groups of pages.
#[derive(Debug, Clone, Default)]
pub struct Priors {
    all: Group,
    types: BTreeMap<u8, Group>,
    hosts: BTreeMap<u32, Group>,
    forms: BTreeMap<(u32, u64), Group>,
}

/// The expected rates of some pages.
#[derive(Debug, Clone)]
struct Group {
    pages: f64,
    rates: [f64; RATES],
}

impl Default for Group {
    fn default() -> Self {
        Self {
            pages: 0.0,
            rates: [0.0; RATES],
        }
    }
}

impl Priors {
    /// What these pages do, as far as their visits show.
    pub fn learn<'a>(pages: impl Iterator<Item = (&'a Place, &'a Evidence)> + Clone) -> Self {
        let mut known = Self::default();
        for _ in 0..PASSES {
            let mut next = Self::default();
            let mut held: BTreeMap<Place, [f64; RATES]> = BTreeMap::new();
            for (place, evidence) in pages.clone().filter(|(_, evidence)| !evidence.is_empty()) {
                if held.len() == HELD_MAX && !held.contains_key(place) {
                    held.clear();
                }
                let prior = held
                    .entry(*place)
                    .or_insert_with(|| logs_of(&known.of(place)));
                next.add(place, &evidence.rates_by(prior));
            }
            known = next;
        }
        known
    }

    /// What a page at this place is expected to do before it was visited twice.
    pub fn of(&self, place: &Place) -> Rates {
        let mut shares = [0.0; RATES];
        for (slot, share) in shares.iter_mut().zip(Rates::of_the_web().shares()) {
            *slot = share;
        }
        let form = (place.host, place.form);
        let groups = [
            Some(&self.all),
            self.types.get(&place.page_type),
            self.hosts.get(&place.host),
            self.forms.get(&form),
        ];
        for group in groups.into_iter().flatten() {
            group.draw(&mut shares);
        }
        Rates::normal(shares.into_iter())
    }

    fn add(&mut self, place: &Place, rates: &Rates) {
        let form = (place.host, place.form);
        self.all.add(rates);
        self.types.entry(place.page_type).or_default().add(rates);
        self.hosts.entry(place.host).or_default().add(rates);
        if self.forms.len() < FORMS_MAX || self.forms.contains_key(&form) {
            self.forms.entry(form).or_default().add(rates);
        }
    }
}

impl Group {
    fn add(&mut self, rates: &Rates) {
        self.pages += 1.0;
        for (sum, share) in self.rates.iter_mut().zip(rates.shares()) {
            *sum += share;
        }
    }

    /// Draws shares towards the group's.
    fn draw(&self, shares: &mut [f64]) {
        let whole = WIDER_PAGES + self.pages;
        for (share, sum) in shares.iter_mut().zip(self.rates) {
            *share = (WIDER_PAGES * *share + sum) / whole;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn place(host: u32, form: u64) -> Place {
        Place {
            form,
            host,
            page_type: 1,
        }
    }

    #[test]
    fn a_new_page_is_expected_to_do_what_the_pages_of_its_form_do() {
        let mut fast = Evidence::default();
        let mut slow = Evidence::default();
        for _ in 0..10 {
            fast.changed(1.0);
            slow.unchanged(10.0);
        }
        let (news, about) = (place(1, 10), place(1, 11));
        let pages: Vec<(&Place, &Evidence)> = (0..30)
            .flat_map(|_| [(&news, &fast), (&about, &slow)])
            .collect();
        let priors = Priors::learn(pages.iter().copied());
        let (news, about) = (priors.of(&news).mean(), priors.of(&about).mean());
        let elsewhere = priors.of(&place(2, 12)).mean();
        assert!(news > 5.0 * about, "{news} {about}");
        assert!(
            about < elsewhere && elsewhere < news,
            "{about} {elsewhere} {news}"
        );
    }

    #[test]
    fn without_visits_it_is_the_webs() {
        let priors = Priors::learn(std::iter::empty());
        let (own, web) = (priors.of(&Place::default()), Rates::of_the_web());
        for (own, web) in own.shares().zip(web.shares()) {
            assert!((own - web).abs() < 1e-6);
        }
    }
}
