//! What a page that was read teaches the rules, and tells of those that had spoken of it.

use archive::{LinkRecord, PageRecord};
use frontier::{CanonicalUrl, ORDER, UrlNormalizer};
use outcome::{JunkKind, JunkReason, LinkFate, LowYield, Outcome, of_compared};
use xxhash_rust::xxh3::xxh3_64;

use crate::files::FileLink;
use crate::recorded::original_of;
use crate::retry;

use super::{FetchGate, LED_MAX, NEW_SEEN_MAX, Way};

impl FetchGate {
    /// Learns from a finished URL, the record of that number.
    pub fn on_page(&mut self, seq: u64, record: &PageRecord, normalizer: &UrlNormalizer) {
        let Ok(url) = CanonicalUrl::parse(&record.url) else {
            return;
        };
        self.note_refusal(record, &url, normalizer);
        self.note_probe(record, &url, normalizer);
        self.note_nothing(record, &url, normalizer);
        let guessed = self.files.of(&url);
        self.files.observe(&url, record);
        if let Some(FileLink::File {
            by_others: true, ..
        }) = guessed
            && record.page.is_some()
            && (200..300).contains(&record.status())
        {
            // Such a one goes in its turn, by no rule: but it bears out or refutes the one for others.
            let host = url.host().to_string();
            self.find_wrong(&LowYield::Files { host }.rule());
        }
        let is_whole = record.page.is_some() && (200..300).contains(&record.status());
        if is_whole && record.junk() != Some(&JunkReason::SoftNotFound) && !record.is_blocked() {
            self.read.note(&url, normalizer);
            if self.leads_to_others(record, &url, normalizer) {
                self.leading.note(&url, normalizer);
            }
        }
        for rule in self.values.observe(&url, record) {
            self.find_wrong(&rule);
        }
        self.note_deed(record, &url, normalizer);
        let canonical = canonical_of(record).map(|canonical| normalizer.normalized(&canonical));
        if let Some(canonical) = &canonical {
            let plain = normalizer.normalized(&url);
            self.rules.observe_declared_canonical(&plain, canonical);
        }
        let was_low = self.rules.is_low_yield(url.as_str());
        match original_of(record) {
            Some(original) => {
                self.on_copy(record, &url, &original, canonical, normalizer);
                self.note_copy(seq, record, normalizer);
            }
            None => self.on_no_copy(seq, record, &url, is_whole, normalizer),
        }
        if was_low && !self.rules.is_low_yield(url.as_str()) {
            let host = url.host().to_string();
            self.find_wrong(&LowYield::UrlForm { host }.rule());
        }
        for rule in self.rules.take_lifted() {
            self.find_wrong(&rule);
        }
    }

    /// Notes whether a URL was worth its fetch: a page that is not kept is, if one is that it led to. Where it led to URLs of
    /// good forms they are waited for.
    fn note_yield(
        &mut self,
        seq: u64,
        record: &PageRecord,
        is_kept: bool,
        normalizer: &UrlNormalizer,
    ) {
        self.note_found(record, is_kept, normalizer);
        if is_kept {
            self.rules.observe_yield(&record.url, true);
            return;
        }
        let is_new = |link: &&LinkRecord| link.fate == LinkFate::New;
        let new = record.links.iter().filter(is_new).take(NEW_SEEN_MAX);
        let good = new.filter(|link| self.rules.is_good(&link.url));
        let open = good.take(LED_MAX).count();
        if open == 0 {
            self.rules.observe_yield(&record.url, false);
        }
        self.note_way(seq, record, open);
    }

    fn note_way(&mut self, seq: u64, record: &PageRecord, open: usize) {
        if record.links.iter().any(|link| link.fate == LinkFate::New) {
            *self.ways.entry(seq, |_, _| {}) = Way {
                url: record.url.as_str().into(),
                open: open as u8,
            };
        }
    }

    /// The same of a copy, whose yield its pair has told.
    fn note_copy(&mut self, seq: u64, record: &PageRecord, normalizer: &UrlNormalizer) {
        self.note_found(record, false, normalizer);
        self.note_way(seq, record, 0);
    }

    /// Notes what became of a URL that a page led to, where that one is not kept itself.
    fn note_found(&mut self, record: &PageRecord, is_kept: bool, normalizer: &UrlNormalizer) {
        let Some(via) = record.via else {
            return;
        };
        let Some(way) = self.ways.get_mut(&via) else {
            return;
        };
        let was_open = way.open > 0;
        way.open = way.open.saturating_sub(1);
        if !is_kept {
            if was_open && way.open == 0 {
                self.rules.observe_yield(&way.url, false);
            }
            return;
        }
        let Some(Way { url, .. }) = self.ways.remove(&via) else {
            return;
        };
        let was_low = self.rules.is_low_yield(&url);
        match was_open {
            true => self.rules.observe_yield(&url, true),
            false => self.rules.redeem(&url),
        }
        let Ok(led) = CanonicalUrl::parse(&url) else {
            return;
        };
        // What was refused for its form comes back, as after a page of the form itself.
        if was_low && !self.rules.is_low_yield(&url) {
            let host = led.host().to_string();
            self.find_wrong(&LowYield::UrlForm { host }.rule());
        }
        let plain = |url: &CanonicalUrl| without_idle(url, normalizer);
        if let Some(rule) = self.deeds.redeem(&led, record, &plain) {
            self.find_wrong(&rule);
        }
    }

    /// Notes what a URL gave as a deed, and what the one gave at which redirects began that ended here.
    fn note_deed(&mut self, record: &PageRecord, url: &CanonicalUrl, normalizer: &UrlNormalizer) {
        let plain = |url: &CanonicalUrl| without_idle(url, normalizer);
        let mut wrong: Vec<String> = Vec::new();
        wrong.extend(self.deeds.observe(url, record, &plain));
        if let Some(began) = &record.began
            && let Ok(began) = CanonicalUrl::parse(began)
        {
            wrong.extend(self.deeds.observe_end(&began, record, &plain));
        }
        for rule in wrong {
            self.find_wrong(&rule);
        }
    }

    /// Whether a page led to new URLs beside those that are foreseen to be copies of it: each article leads to
    /// its print version.
    fn leads_to_others(
        &self,
        record: &PageRecord,
        url: &CanonicalUrl,
        normalizer: &UrlNormalizer,
    ) -> bool {
        let mut new = record
            .links
            .iter()
            .filter(|link| link.fate == LinkFate::New);
        new.any(|link| {
            let copied = self.rules.predict(&link.url);
            copied.is_none_or(|copied| copied.kept_url != normalizer.normalized(url))
        })
    }

    /// Notes that a rule was wrong. What is refused once a rule is believed again is refused for
    /// good reason, though nobody has asked by then, as on a replay: so a rule that has refused
    /// nothing is not noted.
    pub(super) fn find_wrong(&mut self, rule: &str) {
        if self.refused.has(rule) && !self.wrong.iter().any(|wrong| wrong == rule) {
            self.wrong.push(rule.to_owned());
        }
    }

    fn note_refusal(
        &mut self,
        record: &PageRecord,
        url: &CanonicalUrl,
        normalizer: &UrlNormalizer,
    ) {
        let Some(refusal) = record.outcome.refusal() else {
            return;
        };
        let rules = refusal.rules();
        self.losses.refused(&rules, refusal.is_compared());
        for rule in &rules {
            let candidate = || (record.url.clone(), retry::origin(record));
            self.refused.note(rule, candidate);
        }
        // The rule may have been found wrong while the refusal was on its way here.
        let is_foreseen = self.foresee(&url.host(), url, normalizer).is_some();
        for rule in &rules {
            if !is_foreseen || self.losses.of(rule).unique > 0 {
                self.find_wrong(rule);
            }
        }
    }

    /// Notes what became of a page that was fetched though rules would have refused it.
    fn note_probe(&mut self, record: &PageRecord, url: &CanonicalUrl, normalizer: &UrlNormalizer) {
        let Some(is_unique) = record.is_probe_unique() else {
            return;
        };
        let compared = record.foreseen_compared;
        self.losses.probed(&record.foreseen_by, compared, is_unique);
        let host = url.host().to_string();
        let of_files = LowYield::Files { host }.rule();
        if is_unique && record.foreseen_by.contains(&of_files) {
            self.find_wrong(&of_files);
        }
        let Some(original) = &record.foreseen else {
            // That a host yields a page now and then is no news: it is stopped for yielding few.
            return;
        };
        if is_unique {
            for rule in &record.foreseen_by {
                self.find_wrong(rule);
                if rule.starts_with(ORDER) {
                    self.find_wrong(&of_compared(rule));
                }
            }
        } else if record.page.is_some()
            && normalizer.normalized(url) == *original
            && let Some(spelt) = normalizer.without_opaque(url)
        {
            self.compared.insert(xxh3_64(spelt.as_bytes()));
        }
    }

    fn on_copy(
        &mut self,
        record: &PageRecord,
        url: &CanonicalUrl,
        original: &CanonicalUrl,
        canonical: Option<String>,
        normalizer: &UrlNormalizer,
    ) {
        let Some((copy, original)) = pair(url, original, normalizer) else {
            return;
        };
        let led_to = || {
            let new = record
                .links
                .iter()
                .filter(|link| link.fate == LinkFate::New);
            new.map(|link| link.url.as_str())
        };
        self.rules.observe_pair(&copy, &original, led_to());
        if canonical.as_deref() == Some(original.as_str()) {
            self.rules
                .observe_canonical_pair(&copy, &original, led_to());
        }
    }

    fn on_no_copy(
        &mut self,
        seq: u64,
        record: &PageRecord,
        url: &CanonicalUrl,
        is_whole: bool,
        normalizer: &UrlNormalizer,
    ) {
        let kind = record.junk().map(JunkReason::kind);
        let is_unique = match kind {
            Some(JunkKind::Empty | JunkKind::Error | JunkKind::Wall) => false,
            // A copy of a part only, or of a page that cannot be named.
            Some(JunkKind::Duplicate)
            | Some(
                JunkKind::Unwanted | JunkKind::Withheld | JunkKind::LinkList | JunkKind::NoPage,
            )
            | None => true,
        };
        if is_whole && is_unique {
            let read = &self.read;
            let was_read = |url: &str| read.contains(url, normalizer);
            self.rules
                .observe_unique(&normalizer.normalized(url), was_read);
            let was_worth_it = kind != Some(JunkKind::Withheld);
            self.note_yield(seq, record, was_worth_it, normalizer);
        } else if matches!(
            kind,
            Some(JunkKind::Duplicate | JunkKind::Empty | JunkKind::Error | JunkKind::NoPage)
        ) {
            self.note_yield(seq, record, false, normalizer);
        } else if record.outcome == Outcome::Redirected {
            // Where it leads may be known already, or not belong to the crawl.
            let is_new = |link: &LinkRecord| link.fate == LinkFate::New;
            let was_worth_it = record.links.iter().any(is_new);
            self.rules.observe_yield(&record.url, was_worth_it);
        }
    }

    /// Whether a page brought in the URL of a page that was not read under another spelling.
    fn leads_elsewhere(&self, record: &PageRecord, normalizer: &UrlNormalizer) -> bool {
        let is_new = |url: &str| !self.read.contains(url, normalizer);
        record.new_elsewhere().any(is_new)
    }

    /// Notes a URL that gave nothing under an opaque value: no page that is kept, and no way to another.
    /// Under two values it is the same, as a page with content is that repeats itself.
    fn note_nothing(
        &mut self,
        record: &PageRecord,
        url: &CanonicalUrl,
        normalizer: &UrlNormalizer,
    ) {
        let kind = record.junk().map(JunkReason::kind);
        let is_nothing = record.outcome == Outcome::Redirected
            || matches!(
                kind,
                Some(JunkKind::Empty | JunkKind::Error | JunkKind::NoPage | JunkKind::Wall)
            );
        if !is_nothing || self.leads_elsewhere(record, normalizer) {
            return;
        }
        if let Some(plain) = normalizer.without_opaque(url) {
            let plain = xxh3_64(plain.as_bytes());
            let spelt = xxh3_64(record.url.as_bytes());
            match self.nothing.get(&plain) {
                Some(other) if *other != spelt => {
                    self.compared.insert(plain);
                }
                // The same URL, asked for once more.
                Some(_) => {}
                None => *self.nothing.entry(plain, |_, _| {}) = spelt,
            }
        }
    }
}

/// The URL that a page names as canonical.
fn canonical_of(record: &PageRecord) -> Option<CanonicalUrl> {
    CanonicalUrl::parse(record.page.as_ref()?.canonical.as_deref()?).ok()
}

/// The plain URLs of a copy and its original. What changes nothing on one of two hosts changes
/// nothing on the other, which may not have been found out yet: then that one's normalized form counts. So
/// it is with a parameter that alone keeps them apart.
fn pair(
    copy: &CanonicalUrl,
    original: &CanonicalUrl,
    normalizer: &UrlNormalizer,
) -> Option<(String, String)> {
    let (mut plain_copy, mut plain_original) =
        (normalizer.normalized(copy), normalizer.normalized(original));
    if copy.host() != original.host() {
        let twin = |url, other, plain: &str| {
            on_host_of(url, other).is_some_and(|twin| normalizer.normalized(&twin) == plain)
        };
        if twin(copy, original, &plain_original) || copy.differs_in(original).is_some() {
            plain_copy = rehosted(&plain_original, copy)?;
        } else if twin(original, copy, &plain_copy) {
            plain_original = rehosted(&plain_copy, original)?;
        }
    }
    Some((plain_copy, plain_original))
}

/// The URL without what changes nothing.
fn without_idle(url: &CanonicalUrl, normalizer: &UrlNormalizer) -> Option<CanonicalUrl> {
    let plain = normalizer.normalized(url);
    match plain == url.as_str() {
        true => Some(url.clone()),
        false => CanonicalUrl::parse(&plain).ok(),
    }
}

/// The URL as it would be on the other one's host.
fn on_host_of(url: &CanonicalUrl, other: &CanonicalUrl) -> Option<CanonicalUrl> {
    CanonicalUrl::parse(&rehosted(url.as_str(), other)?).ok()
}

fn rehosted(url: &str, other: &CanonicalUrl) -> Option<String> {
    let mut url = url::Url::parse(url).ok()?;
    let other = other.to_url();
    url.set_host(other.host_str()).ok()?;
    url.set_port(other.port()).ok()?;
    Some(url.into())
}
