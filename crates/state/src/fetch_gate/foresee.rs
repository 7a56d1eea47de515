//! What the rules say of a URL that was not fetched yet.

use focus::is_of_language;
use frontier::{CanonicalUrl, HostKey, ORDER, UrlNormalizer};
use outcome::{LowYield, PredictedDuplicate, PredictionCause, Refusal, of_compared};
use xxhash_rust::xxh3::xxh3_64;

use crate::files::FileLink;
use crate::idle_values::Idle;
use crate::policy::Learnt;

use super::{FetchGate, Foreseen, NAMES_CONFIDENCE_MIN, PROBED_SHARE};

impl FetchGate {
    /// What the rules say of a URL, whoever gave it.
    pub(super) fn foresee(
        &self,
        host: &HostKey,
        url: &CanonicalUrl,
        normalizer: &UrlNormalizer,
    ) -> Option<Foreseen> {
        let file = || self.file(host, url);
        let form = || self.barren_form(host, url);
        let duplicate = || self.duplicate(host, url, normalizer);
        let barren = || self.barren_host(host, url);
        match self.learnt.low_yield {
            // What waits for its host or form is fetched in the end; a file or a copy need not be.
            Learnt::HoldBack | Learnt::Last => {
                let known = file().or_else(barren);
                known.or_else(duplicate).or_else(form)
            }
            Learnt::Off | Learnt::Refuse | Learnt::Sample => {
                let known = barren().or_else(file);
                known.or_else(form).or_else(duplicate)
            }
        }
    }

    fn file(&self, host: &HostKey, url: &CanonicalUrl) -> Option<Foreseen> {
        if self.learnt.files == Learnt::Off {
            return None;
        }
        let draw = self.draw(url.as_str());
        let is_sure = match self.files.of(url)? {
            FileLink::Unknown | FileLink::Page => return None,
            // One in twenty is tried in its turn, or a wiki would not be known for one.
            FileLink::File {
                by_others: true, ..
            } if draw < PROBED_SHARE => return None,
            FileLink::File { is_sure, .. } => is_sure,
        };
        Some(Foreseen {
            refusal: Refusal::LowYield(LowYield::Files {
                host: host.to_string(),
            }),
            mode: self.learnt.files,
            draw,
            is_probe: None,
            original_is_read: true,
            is_sure,
        })
    }

    fn barren_host(&self, host: &HostKey, url: &CanonicalUrl) -> Option<Foreseen> {
        let why = self.stopped.get(host.as_str())?;
        self.low_yield(
            url,
            LowYield::Host {
                host: host.to_string(),
                why: why.clone(),
            },
        )
    }

    fn barren_form(&self, host: &HostKey, url: &CanonicalUrl) -> Option<Foreseen> {
        let host = host.to_string();
        let is_low = match self.learnt.low_yield {
            Learnt::Off => false,
            Learnt::Last => {
                self.rules.is_low_yield(url.as_str()) || self.rules.is_below_host(url.as_str())
            }
            Learnt::HoldBack | Learnt::Sample | Learnt::Refuse => {
                self.rules.is_low_yield(url.as_str())
            }
        };
        is_low.then(|| self.low_yield(url, LowYield::UrlForm { host }))?
    }

    fn low_yield(&self, url: &CanonicalUrl, low_yield: LowYield) -> Option<Foreseen> {
        let mode = self.learnt.low_yield;
        let draw = self.draw(url.as_str());
        (mode != Learnt::Off).then_some(Foreseen {
            refusal: Refusal::LowYield(low_yield),
            mode,
            draw,
            is_probe: None,
            original_is_read: true,
            is_sure: true,
        })
    }

    fn duplicate(
        &self,
        host: &HostKey,
        url: &CanonicalUrl,
        normalizer: &UrlNormalizer,
    ) -> Option<Foreseen> {
        let plain = normalizer.normalized(url);
        let mut names = normalizer.ignored_in(url);
        let foreseen = |original: String, cause, mode, draw, original_is_read| {
            let prediction = PredictedDuplicate { original, cause };
            let refusal = Refusal::PredictedDuplicate(Box::new(prediction));
            let is_probe = || self.is_sparse_probe(url, &refusal.rules(), None);
            Some(Foreseen {
                is_probe: refusal.is_compared().then(is_probe),
                refusal,
                mode,
                draw,
                original_is_read,
                is_sure: true,
            })
        };
        let spelt = normalizer.without_opaque(url);
        let spelt = spelt.as_deref().unwrap_or(url.as_str());
        let is_compared = || self.compared.contains(&xxh3_64(spelt.as_bytes()));
        let read = self.read.find(&plain, normalizer);
        if let Some(left_out) = read.or_else(|| is_compared().then(Vec::new))
            && !(names.is_empty() && left_out.is_empty())
        {
            for name in left_out {
                if !names.contains(&name) {
                    names.push(name);
                }
            }
            let is_opaque = |name: &&str| normalizer.is_opaque(host, name);
            let is_chosen = !names.iter().all(is_opaque);
            let compared = names.iter().any(is_opaque) && is_compared();
            if compared {
                names.retain(is_opaque);
            }
            // All spellings of a page are one page, unless a parameter lets the reader choose.
            let draw = self.draw(match (compared, is_chosen) {
                (true, _) => spelt,
                (false, true) => url.as_str(),
                (false, false) => &plain,
            });
            let mode = self.mode_of(url, normalizer, &names, compared);
            let rules = parameter_rules(url, normalizer, &names, compared);
            let cause = PredictionCause::IgnoredParameters { rules, compared };
            return foreseen(plain, cause, mode, draw, true);
        }
        if let Some(idle) = self.idle_values(url, &plain) {
            return Some(idle);
        }
        if self.learnt.duplicates == Learnt::Off {
            return None;
        }
        let prediction = self.rules.predict(&plain)?;
        let mut rules = prediction.rules;
        rules.extend(parameter_rules(url, normalizer, &names, false));
        let is_doubtful = prediction.is_by_name && prediction.confidence < NAMES_CONFIDENCE_MIN;
        let mode_of_parameters = self.mode_of(url, normalizer, &names, false);
        let mode = match (self.learnt.duplicates, mode_of_parameters) {
            (_, Learnt::HoldBack) if !names.is_empty() => Learnt::HoldBack,
            (Learnt::Refuse, _) if is_doubtful => Learnt::HoldBack,
            (of_duplicates, _) => of_duplicates,
        };
        let is_read = self.read.contains(&prediction.kept_url, normalizer);
        let cause = PredictionCause::Rules {
            rules,
            percent: (100.0 * prediction.confidence).round() as u32,
        };
        foreseen(prediction.kept_url, cause, mode, prediction.draw, is_read)
    }

    /// What becomes of a URL in which these change nothing.
    fn mode_of(
        &self,
        url: &CanonicalUrl,
        normalizer: &UrlNormalizer,
        names: &[&str],
        compared: bool,
    ) -> Learnt {
        let mode = self.learnt.parameters;
        if mode != Learnt::Refuse {
            return mode;
        }
        // A page in another order is compared first, or a form in which order matters is lost.
        let is_order = !compared && names.contains(&ORDER);
        // What is not translated yet says nothing of what is.
        let values = || url.variables().filter(|(name, _)| names.contains(name));
        let is_language = || values().any(|(name, value)| is_of_language(name, value));
        let is_doubtful = || names.iter().any(|name| normalizer.is_doubtful(url, name));
        match is_order || is_language() || is_doubtful() {
            true => Learnt::HoldBack,
            false => mode,
        }
    }

    /// A URL with a value that leads nowhere, or a deed that does not; `plain` is it without what changes nothing.
    fn idle_values(&self, url: &CanonicalUrl, plain: &str) -> Option<Foreseen> {
        if self.learnt.parameters == Learnt::Off {
            return None;
        }
        let deed = || self.deeds.find(&CanonicalUrl::parse(plain).ok()?);
        let Idle {
            original,
            rule,
            is_sure,
            probes,
        } = self
            .values
            .find(url)
            .or_else(deed)
            .filter(|idle| idle.original != url.as_str())?;
        let rules = vec![rule];
        let is_probe = is_sure.then(|| self.is_sparse_probe(url, &rules, Some(probes)));
        let cause = PredictionCause::IdleValues { rules };
        let prediction = PredictedDuplicate { original, cause };
        Some(Foreseen {
            refusal: Refusal::PredictedDuplicate(Box::new(prediction)),
            mode: self.learnt.parameters,
            draw: self.draw(url.as_str()),
            is_probe,
            original_is_read: true,
            is_sure: true,
        })
    }

    /// A number from 0.0 to below 1.0 for a text, always the same in one crawl.
    pub(super) fn draw(&self, text: &str) -> f32 {
        let hash = xxh3_64(&[&self.seed.to_le_bytes(), text.as_bytes()].concat());
        (hash >> 40) as f32 / (1u64 << 24) as f32
    }
}

/// The rules of parameters that change nothing, in words.
fn parameter_rules(
    url: &CanonicalUrl,
    normalizer: &UrlNormalizer,
    names: &[&str],
    compared: bool,
) -> Vec<String> {
    let place = |name: &str| normalizer.place(url, name);
    let rules = names
        .iter()
        .map(|name| format!("{name} changes nothing on {}", place(name)));
    match compared {
        true => rules.map(|rule| of_compared(&rule)).collect(),
        false => rules.collect(),
    }
}
