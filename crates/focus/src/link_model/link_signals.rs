//! The signals of one link: what its words, its place, the pages that have it and its page itself say.

use smallvec::SmallVec;

use super::{LinkModel, PRIOR_PAGES, PageAhead};
use crate::fetched_pages::FetchedPage;
use crate::link_features::LinkFeatures;
use crate::link_groups::{GroupKeys, Outcomes, sibling_key};
use crate::signals::{SIGNAL_COUNT, Signal, Signals};
use crate::topic::Topic;

impl LinkModel {
    /// The weighted relevance of the known pages among the targets, and their weight.
    pub(super) fn target_relevance(&self, targets: &[u32]) -> (f32, f32) {
        let (mut relevance, mut weight) = (0.0, 0.0);
        for target in targets {
            if let Some(page) = self.pages.of_url(*target) {
                relevance += page.link_weight * page.relevance;
                weight += page.link_weight;
            }
        }
        (relevance, weight)
    }

    /// The relevance of the pages that have a link, summed, and their number.
    pub(super) fn parent_relevance(&self, link: &LinkFeatures) -> (f32, f32) {
        let (mut relevance, mut count) = (0.0, 0.0);
        for page in self.parents(link) {
            relevance += page.relevance;
            count += 1.0;
        }
        (relevance, count)
    }

    /// The least distance of the pages that have a link.
    pub(super) fn distance(&self, link: &LinkFeatures) -> u8 {
        let distances = self.parents(link).map(|page| page.distance);
        distances.min().unwrap_or(0)
    }

    /// The pages that have a link, those in its sample that are known.
    fn parents(&self, link: &LinkFeatures) -> impl Iterator<Item = &FetchedPage> {
        link.parents.iter().filter_map(|&page| self.pages.get(page))
    }

    /// The signals of a link.
    pub(super) fn signals(
        &self,
        topic: &Topic,
        link: &LinkFeatures,
        page: Option<&PageAhead>,
    ) -> Signals {
        let mut signals: Signals = [0.0; SIGNAL_COUNT];
        signals[Signal::Bias as usize] = 1.0;
        self.set_text_signals(&mut signals, topic, link);
        self.set_parent_signals(&mut signals, link, page);
        let average = self.groups.average();
        let compare = |key| self.groups.compare(&average, key);
        let keys = GroupKeys::of(link);
        signals[Signal::Host as usize] = compare(keys.host);
        signals[Signal::UrlForm as usize] = compare(keys.url_form);
        if self.config.use_tag_path {
            signals[Signal::TagPath as usize] = compare(keys.tag_path);
            signals[Signal::InMain as usize] = f32::from(u8::from(link.in_main));
        }
        if self.config.use_anchor {
            signals[Signal::LinkWords as usize] = self.words.score(link);
        }
        signals
    }

    /// Sets what the words of URL, anchor and context say of the topic.
    fn set_text_signals(&self, signals: &mut Signals, topic: &Topic, link: &LinkFeatures) {
        let classifier = &topic.classifier;
        let mut set = |signal: Signal, value| signals[signal as usize] = value;
        let [anchor, url, context] = link.keyword_masks;
        let learnt = |words: &[u32]| classifier.weigh_words(words).learnt.clamp(-3.0, 3.0);
        set(Signal::UrlKeywords, classifier.keyword_mask_score(url));
        set(Signal::UrlLearnt, learnt(&link.url_words));
        if !self.config.use_anchor {
            return;
        }
        let mut words: SmallVec<[u32; 16]> = link.anchor_words.iter().copied().collect();
        let more = link.url_words.iter().copied();
        words.extend(more.filter(|word| !link.anchor_words.contains(word)));
        set(Signal::LinkPlain, classifier.plain_link_score(&words));
        let anchor_words = classifier.weigh_words(&link.anchor_words);
        let context_words = classifier.weigh_words(&link.context_words);
        let likeness = |centroid: f32| (10.0 * centroid).clamp(0.0, 3.0);
        set(
            Signal::AnchorKeywords,
            classifier.keyword_mask_score(anchor),
        );
        set(
            Signal::ContextKeywords,
            classifier.keyword_mask_score(context),
        );
        set(Signal::AnchorLearnt, anchor_words.learnt.clamp(-3.0, 3.0));
        set(Signal::AnchorLikeness, likeness(anchor_words.centroid));
        set(Signal::ContextLearnt, context_words.learnt.clamp(-3.0, 3.0));
        set(Signal::ContextLikeness, likeness(context_words.centroid));
    }

    /// Sets what the pages that have the link say, and how their other links did.
    fn set_parent_signals(
        &self,
        signals: &mut Signals,
        link: &LinkFeatures,
        ahead: Option<&PageAhead>,
    ) {
        let (mut count, mut sum, mut best, mut keywords) = (0.0f32, 0.0f32, 0.0f32, 0.0f32);
        let (mut siblings, mut siblings_at_tag_path) = (Outcomes::default(), Outcomes::default());
        let (mut distance, mut plain) = (u8::MAX, 0.0f32);
        for &parent in &link.parents {
            let ahead = ahead.filter(|ahead| ahead.number == parent);
            let ahead = ahead.map(|ahead| &ahead.page);
            let Some(page) = ahead.or_else(|| self.pages.get(parent)) else {
                continue;
            };
            count += 1.0;
            sum += page.relevance;
            best = best.max(page.relevance);
            keywords = keywords.max(page.keyword_score);
            plain = plain.max(page.plain);
            distance = distance.min(page.distance);
            siblings.add(Outcomes {
                count: page.fetched_links,
                reward: page.fetched_reward,
            });
            // A page none of whose links was fetched has no group of them to look up.
            if self.config.use_tag_path && page.fetched_links > 0.0 {
                siblings_at_tag_path.add(self.groups.of(sibling_key(parent, link)));
            }
        }
        if count == 0.0 {
            return;
        }
        let mean = sum / count;
        let all = link.parent_count.max(1) as f32;
        let base = self.groups.base_rate();
        let ratio = (mean * all + PRIOR_PAGES * base) / (all + PRIOR_PAGES) / base;
        let average = self.groups.average();
        let mut set = |signal: Signal, value| signals[signal as usize] = value;
        set(Signal::ParentMean, mean - 0.5);
        set(Signal::ParentBest, best - 0.5);
        set(Signal::ParentSum, (1.0 + mean * all).ln());
        set(Signal::ParentCount, all.ln());
        set(Signal::ParentRatio, ratio.ln().clamp(-4.0, 4.0));
        set(Signal::ParentKeywords, keywords);
        set(Signal::ParentPlain, plain);
        let first = link.parents.iter().copied().min().unwrap_or(0);
        let newest = self.newest_page.max(first).max(1);
        set(Signal::FoundLate, first as f32 / newest as f32);
        set(Signal::Siblings, average.compare(siblings));
        set(
            Signal::SiblingsAtTagPath,
            average.compare(siblings_at_tag_path),
        );
        set(Signal::Distance, f32::from(distance.min(8)) / 4.0);
    }
}
