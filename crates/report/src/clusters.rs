//! Duplicates: how many, of which kinds, around which pages; and samples to look at.

use std::collections::{BTreeMap, HashMap};

use archive::{NeighbourRecord, PageRecord};
use outcome::{DuplicateKind, NeighbourDecision};
use serde::{Deserialize, Serialize};

/// Samples kept; the HTML report shows them side by side.
const SAMPLES_MAX: usize = 24;

/// Samples of one distance and kind, so that the samples differ.
const SAMPLES_ALIKE_MAX: usize = 2;

/// Clusters listed in the report.
const LARGEST_MAX: usize = 20;

/// All about duplicates.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Duplicates {
    /// Pages dropped as duplicates; `near + exact`.
    pub count: u64,
    /// Near duplicates.
    pub near: u64,
    /// Exact duplicates.
    pub exact: u64,
    /// By `full_layout`, `full_content`, `partial_layout`, `partial_content`; `replaced`
    /// for pages that were kept first and gave their place to a better copy.
    pub by_kind: BTreeMap<String, u64>,
    /// By Hamming distance to the kept page, as judged.
    pub by_distance: BTreeMap<u8, u64>,
    /// Kept pages that have at least one duplicate.
    pub clusters: u64,
    /// Times a better page took the place of a kept one.
    pub replaced: u64,
    /// Near pages that were kept since their texts do not overlap enough.
    pub refuted: u64,
    /// Duplicates foreseen before they were fetched.
    pub foreseen: Foreseen,
    /// The clusters with most duplicates.
    pub largest: Vec<Cluster>,
    /// Some duplicates of every sort.
    pub samples: Vec<Sample>,
}

/// URLs that a rule learnt from confirmed pairs called another name of a page that was read.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Foreseen {
    /// Fetches saved.
    pub saved: u64,
    /// The same by the rule that saved them.
    #[serde(default)]
    pub rules: BTreeMap<String, u64>,
    /// URLs that were put back into the queue when their rule was found wrong; no longer saved.
    #[serde(default)]
    pub put_back: u64,
    /// Those that were fetched all the same and could be judged, to find out whether the rule errs.
    pub probes: u64,
    /// Probes that were kept: no duplicates after all.
    pub probe_errors: u64,
}

/// A kept page and how many duplicates it has.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Cluster {
    /// The kept page.
    pub representative: String,
    /// Its record number.
    pub page: u64,
    /// Its duplicates.
    pub members: u64,
}

/// A duplicate beside the page that it repeats.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Sample {
    /// The page that was dropped.
    pub url: String,
    /// Its record number.
    pub page: u64,
    /// Its title.
    pub title: String,
    /// `near_duplicate` or `exact_duplicate`.
    pub reason: String,
    /// The page that is kept.
    pub dup_of: String,
    /// Its record number.
    pub dup_of_page: u64,
    /// The page that it was measured against: kept then, and in whose place another may stand since. Empty in
    /// reports of earlier versions.
    #[serde(default)]
    pub nearest: String,
    /// Hamming distance of these two fingerprints.
    pub distance: u8,
    /// Estimated overlap of these two texts.
    pub overlap: f32,
    /// The kind of duplicate.
    pub kind: DuplicateKind,
}

impl Sample {
    /// The page to which distance and overlap belong, where another is kept.
    pub fn measured_against(&self) -> Option<&str> {
        let nearest = self.nearest.as_str();
        (!nearest.is_empty() && nearest != self.dup_of).then_some(nearest)
    }
}

/// A page that was dropped as a duplicate, as it was counted.
#[derive(Debug)]
struct Dropped {
    repeats: u64,
    distance: u8,
    kind: DuplicateKind,
}

#[derive(Debug, Default)]
pub(crate) struct Clusters {
    by_kind: BTreeMap<String, u64>,
    by_distance: BTreeMap<u8, u64>,
    members: HashMap<u64, u64>,
    names: HashMap<u64, String>,
    /// Pages that were dropped as duplicates, by their record.
    dropped: HashMap<u64, Dropped>,
    /// Kept pages that gave their place up, by their record, with the record that took it.
    followed: HashMap<u64, u64>,
    samples: Vec<Sample>,
    pub replaced: u64,
    pub refuted: u64,
    pub foreseen: Foreseen,
}

impl Foreseen {
    /// A URL was put back, since this rule was found wrong.
    pub(crate) fn put_back(&mut self, rule: &str) {
        self.put_back += 1;
        self.saved = self.saved.saturating_sub(1);
        // Rules that followed each other were counted as one.
        let is_it = |known: &String| known.split("; ").any(|known| known == rule);
        let counted = self
            .rules
            .iter_mut()
            .find(|(known, n)| is_it(known) && **n > 0);
        if let Some((_, saved)) = counted {
            *saved -= 1;
        }
        self.rules.retain(|_, saved| *saved > 0);
    }
}

impl Clusters {
    /// Counts a page that was dropped as a duplicate.
    pub(crate) fn add(&mut self, seq: u64, page: &PageRecord) {
        let unknown = NeighbourRecord::default();
        let nearest = page.nearest.as_ref().unwrap_or(&unknown);
        let kind = nearest.kind.clone().unwrap_or_default();
        self.dropped.insert(
            seq,
            Dropped {
                repeats: nearest.page,
                distance: nearest.distance,
                kind: kind.clone(),
            },
        );
        *self.by_kind.entry(kind.to_string()).or_default() += 1;
        *self.by_distance.entry(nearest.distance).or_default() += 1;
        let of = self.now(nearest.page);
        let members = self.members.entry(of).or_default();
        *members += 1;
        // Only clusters of some size can be among the largest: spare the other names.
        if *members >= 2 && !self.names.contains_key(&of) {
            self.names.insert(of, nearest.url.clone());
        }
        self.sample(seq, page, nearest, kind);
    }

    fn sample(
        &mut self,
        seq: u64,
        page: &PageRecord,
        nearest: &NeighbourRecord,
        kind: DuplicateKind,
    ) {
        let alike = |s: &&Sample| s.distance == nearest.distance && s.kind == kind;
        if self.samples.len() >= SAMPLES_MAX
            || self.samples.iter().filter(alike).count() >= SAMPLES_ALIKE_MAX
        {
            return;
        }
        self.samples.push(Sample {
            url: page.url.clone(),
            page: seq,
            title: page
                .page
                .as_ref()
                .map(|p| p.title.clone())
                .unwrap_or_default(),
            reason: page.outcome.reason().unwrap_or_default().into_owned(),
            dup_of: nearest.url.clone(),
            dup_of_page: nearest.page,
            nearest: nearest.url.clone(),
            distance: nearest.distance,
            overlap: nearest.overlap,
            kind,
        });
    }

    /// A page that was dropped as a duplicate is one no longer, or will be counted anew: a visit found
    /// another version of it.
    pub(crate) fn drop_member(&mut self, page: u64) {
        let Some(dropped) = self.dropped.remove(&page) else {
            return;
        };
        let less = |count: Option<&mut u64>| {
            if let Some(count) = count {
                *count = count.saturating_sub(1);
            }
        };
        less(self.by_kind.get_mut(&dropped.kind.to_string()));
        self.by_kind.retain(|_, count| *count > 0);
        less(self.by_distance.get_mut(&dropped.distance));
        self.by_distance.retain(|_, count| *count > 0);
        let of = self.now(dropped.repeats);
        less(self.members.get_mut(&of));
        if self.members.get(&of) == Some(&0) {
            self.members.remove(&of);
        }
        self.samples.retain(|sample| sample.page != page);
    }

    /// A kept page is recorded anew as it is now: its duplicates are those of that record.
    pub(crate) fn follow(&mut self, page: u64, by: u64, url: &str) {
        self.followed.insert(page, by);
        if let Some(members) = self.members.remove(&page) {
            *self.members.entry(by).or_default() += members;
            self.names.remove(&page);
            self.names.insert(by, url.to_owned());
        }
    }

    /// The page that stands for a kept one now, where that is another or was recorded anew; with its URL.
    pub(crate) fn stands_for(&self, page: u64) -> Option<(u64, &str)> {
        let now = self.now(page);
        let url = self.names.get(&now).filter(|_| now != page)?;
        Some((now, url))
    }

    /// The record that stands for a kept page now.
    fn now(&self, page: u64) -> u64 {
        let mut page = page;
        // Each step leads to a later record.
        while let Some(by) = self.followed.get(&page).filter(|by| **by > page) {
            page = *by;
        }
        page
    }

    /// A kept page gives its place to a better copy, and becomes one of the copy's duplicates with
    /// its own.
    pub(crate) fn replace(&mut self, page: u64, by: u64, by_url: &str) {
        self.replaced += 1;
        self.followed.insert(page, by);
        let members = self.members.remove(&page).unwrap_or(0);
        *self.members.entry(by).or_default() += members + 1;
        self.names.remove(&page);
        self.names.insert(by, by_url.to_owned());
    }

    /// The figures; `near` and `exact` are how many duplicates there are by the URLs' fates.
    pub(crate) fn report(&self, near: u64, exact: u64) -> Duplicates {
        let mut largest: Vec<(u64, u64)> = self.members.iter().map(|(p, n)| (*n, *p)).collect();
        largest.sort_by_key(|&(members, page)| (std::cmp::Reverse(members), page));
        let named = largest.iter().filter_map(|&(members, page)| {
            let representative = self.names.get(&page)?.clone();
            Some(Cluster {
                representative,
                page,
                members,
            })
        });
        let mut samples = self.samples.clone();
        for sample in &mut samples {
            if let Some((page, url)) = self.stands_for(sample.dup_of_page) {
                (sample.dup_of_page, sample.dup_of) = (page, url.to_owned());
            }
        }
        // Texts that were taken over say more than pages of one template, and of those the ones
        // that differ most.
        let is_layout = |sample: &Sample| sample.kind.has_same_layout();
        samples.sort_by_key(|s| (is_layout(s), std::cmp::Reverse(s.distance), s.page));
        // Replaced pages are duplicates too, but were never judged as such.
        let mut by_kind = self.by_kind.clone();
        let judged: u64 = by_kind.values().sum();
        if near + exact > judged {
            *by_kind
                .entry(NeighbourDecision::Replaced.to_string())
                .or_default() += near + exact - judged;
        }
        Duplicates {
            count: near + exact,
            near,
            exact,
            by_kind,
            by_distance: self.by_distance.clone(),
            clusters: self.members.len() as u64,
            replaced: self.replaced,
            refuted: self.refuted,
            foreseen: self.foreseen.clone(),
            largest: named.take(LARGEST_MAX).collect(),
            samples,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::journal::{duplicate, judged};

    #[test]
    fn samples_name_the_page_that_is_kept_at_the_end_and_the_one_they_were_measured_against() {
        // They named the page that was kept when they were judged, and called it kept.
        let mut clusters = Clusters::default();
        let copy = judged("http://a.test/copy", "t", "en", 0.9, "near_duplicate");
        clusters.add(5, &duplicate(copy, 3, "http://a.test/first", 2, 0.9));
        clusters.replace(3, 7, "http://a.test/better");
        clusters.replace(7, 9, "http://a.test/best");
        clusters.follow(9, 11, "http://a.test/best");
        let report = clusters.report(3, 0);
        let sample = &report.samples[0];
        assert_eq!(
            (sample.dup_of.as_str(), sample.dup_of_page),
            ("http://a.test/best", 11)
        );
        assert_eq!(
            (sample.nearest.as_str(), sample.distance),
            ("http://a.test/first", 2)
        );
        assert_eq!(report.largest[0].representative, sample.dup_of);
    }
}
