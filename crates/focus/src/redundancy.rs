//! Duplicates foreseen: which URLs are another spelling of a page we have?
//!
//! Every confirmed duplicate is a pair of URLs, and most pairs are an instance of something the
//! site does all over: a session id in the query, a print version, an `index.html`, a mirror under
//! another name. From each pair a few candidate rules are read off. A rule is a function from a
//! URL to the URL of the original; it gains with each pair it explains and loses with each page
//! that it would have skipped but that turned out to be unique, or to be a copy of something else.
//!
//! ```text
//! http://m.a.example/x/7?sid=9f2   →   http://a.example/x/7
//!        └─ host ─┘      └ param ┘
//! ```
//!
//! A rule is believed when the lower end of what its record allows (a Wilson bound) is above a
//! stated confidence, and when it has more than a few pairs from different pages. A believed
//! rule still lets [`RedundancyConfig::probe_share`] of its URLs be fetched; when these probes turn
//! out unique the rule falls below the bar and its host is fetched again.
//!
//! Groups of URLs that yield duplicates, thin pages or traps without any rewrite have a prior of
//! their own: see [`Redundancy::yield_of`].

use std::hash::BuildHasherDefault;

use hashbrown::HashMap;
use url::Url;
use xxhash_rust::xxh3::xxh3_64;

use crate::learn::Mix;
use crate::promise::path_template;
use crate::relevance::mix;

/// Rules that are remembered.
const RULES_MAX: usize = 10_000;
/// Groups that are remembered.
const GROUPS_MAX: usize = 1 << 17;
/// URLs longer than this are not looked at.
const URL_BYTES_MAX: usize = 2_048;

/// Settings of the duplicate forecast.
#[derive(Debug, Clone)]
pub struct RedundancyConfig {
    /// A URL is skipped when the forecast is at least this sure.
    pub confidence_min: f32,
    /// Share of the skipped that are fetched all the same, to find out whether the rule errs.
    pub probe_share: f32,
    /// A group of URLs sinks in proportion to what it yields, and stops when that is sure to be
    /// below this.
    pub yield_min: f32,
    /// Seed of the probes' choice.
    pub seed: u64,
}

impl Default for RedundancyConfig {
    fn default() -> Self {
        RedundancyConfig {
            confidence_min: 0.7,
            probe_share: 0.05,
            yield_min: 0.03,
            seed: 0,
        }
    }
}

/// A duplicate foreseen.
#[derive(Debug, Clone, PartialEq)]
pub struct Prediction {
    /// The URL that has the same page. Skip only when it is known or itself pending: admit it in
    /// the place of the skipped one otherwise.
    pub kept_url: String,
    /// The rule that says so, in words.
    pub rule: String,
    /// How sure the rule is at least, 0.0 to 1.0.
    pub confidence: f32,
    /// Fetch it all the same: this one is a probe of the rule.
    pub probe: bool,
}

/// What the forecast has done so far.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct ForecastCounts {
    /// Fetches saved: URLs that were foreseen and not probed.
    pub saved: u64,
    /// URLs foreseen and fetched all the same.
    pub probes: u64,
    /// Probes that turned out not to be duplicates.
    pub probe_errors: u64,
}

/// A way from a URL to the URL of the original.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
enum Rule {
    /// `host` serves what `of` serves, path by path.
    Mirror { host: String, of: String },
    /// A query parameter of this host says nothing about the page.
    Parameter { host: String, name: String },
    /// On this host, this piece of the path (a whole segment, or an affix of the last) can be
    /// replaced.
    Path {
        host: String,
        from: String,
        to: String,
    },
}

impl Rule {
    fn key(&self) -> u64 {
        let text = match self {
            Rule::Mirror { host, of } => format!("m\n{host}\n{of}"),
            Rule::Parameter { host, name } => format!("q\n{host}\n{name}"),
            Rule::Path { host, from, to } => format!("p\n{host}\n{from}\n{to}"),
        };
        xxh3_64(text.as_bytes())
    }

    fn host(&self) -> &str {
        match self {
            Rule::Mirror { host, .. } | Rule::Parameter { host, .. } | Rule::Path { host, .. } => {
                host
            }
        }
    }

    fn words(&self) -> String {
        match self {
            Rule::Mirror { host, of } => format!("{host} mirrors {of}"),
            Rule::Parameter { host, name } => {
                format!("the parameter {name:?} changes nothing on {host}")
            }
            Rule::Path { host, from, to } => format!("{from:?} is the same as {to:?} on {host}"),
        }
    }

    /// The original's URL, if the rule speaks of this one.
    fn apply(&self, url: &Url) -> Option<Url> {
        let mut kept = url.clone();
        match self {
            Rule::Mirror { of, .. } => {
                let (name, port) = of
                    .rsplit_once(':')
                    .map_or((of.as_str(), None), |(name, port)| {
                        (name, port.parse().ok())
                    });
                kept.set_host(Some(name)).ok()?;
                kept.set_port(port).ok()?;
            }
            Rule::Parameter { name, .. } => {
                let query = url.query()?;
                let left: Vec<&str> = query
                    .split('&')
                    .filter(|part| part.split('=').next() != Some(name.as_str()))
                    .collect();
                if left.len() == query.split('&').count() {
                    return None;
                }
                kept.set_query((!left.is_empty()).then(|| left.join("&")).as_deref());
            }
            Rule::Path { from, to, .. } => {
                let path = url.path();
                let at = path.rfind(from.as_str())?;
                let whole = format!("{}{}{}", &path[..at], to, &path[at + from.len()..]);
                kept.set_path(&whole);
            }
        }
        (kept != *url).then_some(kept)
    }
}

#[derive(Debug, Clone, Default)]
struct Record {
    rule: Option<Rule>,
    right: u32,
    wrong: u32,
}

impl Record {
    /// The lower end of the 90 % interval for the share of right forecasts (Wilson's bound).
    fn confidence(&self) -> f32 {
        let (right, all) = (self.right as f32, (self.right + self.wrong) as f32);
        if all < 1.0 {
            return 0.0;
        }
        let z = 1.28f32;
        let share = right / all;
        let spread = z * (share * (1.0 - share) / all + z * z / (4.0 * all * all)).sqrt();
        ((share + z * z / (2.0 * all) - spread) / (1.0 + z * z / all)).clamp(0.0, 1.0)
    }
}

#[derive(Debug, Clone, Copy, Default)]
struct Yield {
    pages: u32,
    barren: u32,
}

/// The memory of duplicates.
#[derive(Debug, Clone)]
pub struct Redundancy {
    config: RedundancyConfig,
    rules: HashMap<u64, Record, BuildHasherDefault<Mix>>,
    /// Rules by host, in the order in which they were first seen.
    by_host: HashMap<u64, Vec<u64>, BuildHasherDefault<Mix>>,
    groups: HashMap<u64, Yield, BuildHasherDefault<Mix>>,
    counts: ForecastCounts,
}

impl Redundancy {
    /// A memory that has seen nothing.
    pub fn new(config: &RedundancyConfig) -> Redundancy {
        Redundancy {
            config: config.clone(),
            rules: HashMap::default(),
            by_host: HashMap::default(),
            groups: HashMap::default(),
            counts: ForecastCounts::default(),
        }
    }

    /// A confirmed pair: `url_dup` has the page of `url_kept`. Call it for confirmed duplicates
    /// only (equal text or confirmed by the sketch), in journal order.
    pub fn observe_pair(&mut self, url_dup: &str, url_kept: &str) {
        let (Some(dup), Some(kept)) = (parse(url_dup), parse(url_kept)) else {
            return;
        };
        if dup == kept {
            return;
        }
        // What would have been foreseen otherwise is contradicted, unless it leads to the same.
        self.score(&dup, Some(&kept));
        for rule in read_off(&dup, &kept) {
            let key = rule.key();
            if self.rules.contains_key(&key) || self.rules.len() >= RULES_MAX {
                continue;
            }
            let host = xxh3_64(rule.host().as_bytes());
            self.by_host.entry(host).or_default().push(key);
            self.rules.insert(
                key,
                Record {
                    rule: Some(rule),
                    right: 1,
                    wrong: 0,
                },
            );
        }
        self.note(&dup, true);
    }

    /// A page that is no duplicate of anything: evidence against rules that would have skipped it.
    pub fn observe_unique(&mut self, url: &str) {
        if let Some(url) = parse(url) {
            self.score(&url, None);
            self.note(&url, false);
        }
    }

    /// A page with nothing on it, or a trap: its group yields less.
    pub fn observe_barren(&mut self, url: &str) {
        if let Some(url) = parse(url) {
            self.note(&url, true);
        }
    }

    /// A URL that was foreseen as a probe has been fetched: was it a duplicate?
    pub fn probe_done(&mut self, was_duplicate: bool) {
        self.counts.probe_errors += u64::from(!was_duplicate);
    }

    /// Whether this URL is going to be a duplicate, and of what. Counts as saved or as a probe.
    pub fn predict(&mut self, url: &str) -> Option<Prediction> {
        let prediction = self.foresee(url)?;
        if prediction.probe {
            self.counts.probes += 1;
        } else {
            self.counts.saved += 1;
        }
        Some(prediction)
    }

    /// As [`Redundancy::predict`], without counting.
    pub fn foresee(&self, url: &str) -> Option<Prediction> {
        let original = parse(url)?;
        let mut at = original.clone();
        let mut best: Option<(f32, String)> = None;
        // Rules follow each other: a session id on a mirror takes two.
        for _ in 0..4 {
            let mut step: Option<(f32, &Rule, Url)> = None;
            for record in self.rules_of(&at) {
                let Some(rule) = &record.rule else { continue };
                let confidence = record.confidence();
                if confidence < self.config.confidence_min
                    || step.as_ref().is_some_and(|step| step.0 >= confidence)
                {
                    continue;
                }
                if let Some(next) = rule.apply(&at) {
                    step = Some((confidence, rule, next));
                }
            }
            let Some((confidence, rule, next)) = step else {
                break;
            };
            let (sure, words) = best.take().unwrap_or((1.0, String::new()));
            let words = if words.is_empty() {
                rule.words()
            } else {
                format!("{words}; {}", rule.words())
            };
            best = Some((sure.min(confidence), words));
            at = next;
        }
        let (confidence, rule) = best?;
        if at == original {
            return None;
        }
        let die = mix(self.config.seed ^ xxh3_64(original.as_str().as_bytes()));
        Some(Prediction {
            kept_url: at.into(),
            rule,
            confidence,
            probe: die_is_below(die, self.config.probe_share),
        })
    }

    /// The share of a URL's group (host and path template) that was worth the fetch, 0.0 to 1.0,
    /// seen with hope: multiply it into the priority. 0.0 means the group has stopped and this
    /// URL is none of its probes.
    pub fn yield_of(&self, url: &str) -> f32 {
        let Some(url) = parse(url) else {
            return 1.0;
        };
        let Some(group) = self.groups.get(&group_key(&url)) else {
            return 1.0;
        };
        let (pages, good) = (group.pages as f32, (group.pages - group.barren) as f32);
        // The upper end of what the record allows: a group sinks only as fast as it is known.
        let hopeful = ((good + 1.5) / (pages + 1.5)).min(1.0);
        if hopeful >= self.config.yield_min {
            return hopeful;
        }
        let die = mix(self.config.seed ^ 1 ^ xxh3_64(url.as_str().as_bytes()));
        if die_is_below(die, self.config.probe_share) {
            self.config.yield_min
        } else {
            0.0
        }
    }

    /// What the forecast has done so far.
    pub fn counts(&self) -> ForecastCounts {
        self.counts
    }

    /// The rules that are believed now, in words, with their confidence, surest first.
    pub fn rules(&self) -> Vec<(String, f32)> {
        let mut rules: Vec<(String, f32)> = self
            .rules
            .values()
            .filter_map(|record| Some((record.rule.as_ref()?.words(), record.confidence())))
            .filter(|(_, confidence)| *confidence >= self.config.confidence_min)
            .collect();
        rules.sort_by(|a, b| b.1.total_cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
        rules
    }

    fn rules_of(&self, url: &Url) -> impl Iterator<Item = &Record> {
        self.by_host
            .get(&xxh3_64(url_host(url).as_bytes()))
            .into_iter()
            .flatten()
            .filter_map(|key| self.rules.get(key))
    }

    /// Each rule that speaks of `url` was right if it leads to `kept`, wrong otherwise.
    fn score(&mut self, url: &Url, kept: Option<&Url>) {
        let host = xxh3_64(url_host(url).as_bytes());
        let Some(keys) = self.by_host.get(&host) else {
            return;
        };
        for key in keys {
            let Some(record) = self.rules.get_mut(key) else {
                continue;
            };
            let Some(original) = record.rule.as_ref().and_then(|rule| rule.apply(url)) else {
                continue;
            };
            match kept {
                Some(kept) if original == *kept => record.right = record.right.saturating_add(1),
                // A duplicate all the same: the rule may be one step of several.
                Some(_) => {}
                None => record.wrong = record.wrong.saturating_add(1),
            }
        }
    }

    fn note(&mut self, url: &Url, barren: bool) {
        let key = group_key(url);
        if self.groups.len() < GROUPS_MAX || self.groups.contains_key(&key) {
            let group = self.groups.entry(key).or_default();
            if group.pages >= 10_000 {
                group.pages /= 2;
                group.barren /= 2;
            }
            group.pages += 1;
            group.barren += u32::from(barren);
        }
    }
}

fn die_is_below(die: u64, share: f32) -> bool {
    ((die >> 40) as f32) < share * (1u64 << 24) as f32
}

fn parse(url: &str) -> Option<Url> {
    (url.len() <= URL_BYTES_MAX)
        .then(|| Url::parse(url).ok())?
        .filter(|url| url.has_host())
}

fn url_host(url: &Url) -> String {
    match (url.host_str(), url.port()) {
        (Some(host), Some(port)) => format!("{host}:{port}"),
        (Some(host), None) => host.to_owned(),
        (None, _) => String::new(),
    }
}

fn group_key(url: &Url) -> u64 {
    mix(xxh3_64(url_host(url).as_bytes()) ^ path_template(url))
}

/// The rules that would explain a pair, at most a few: one difference each, so that a pair that
/// differs in host, path and query at once teaches nothing wrong.
fn read_off(dup: &Url, kept: &Url) -> Vec<Rule> {
    let (host, kept_host) = (url_host(dup), url_host(kept));
    let same_path = dup.path() == kept.path();
    let same_query = dup.query() == kept.query();
    match (host == kept_host, same_path, same_query) {
        (false, true, true) => vec![Rule::Mirror {
            host,
            of: kept_host,
        }],
        (true, true, false) => extra_parameter(dup, kept)
            .map(|name| Rule::Parameter { host, name })
            .into_iter()
            .collect(),
        (true, false, true) => path_difference(dup.path(), kept.path())
            .map(|(from, to)| Rule::Path { host, from, to })
            .into_iter()
            .collect(),
        _ => Vec::new(),
    }
}

/// The one parameter that the first URL has and the second lacks, all others being the same; or
/// the one whose value alone differs (then no original is without it, and nothing is learnt).
fn extra_parameter(dup: &Url, kept: &Url) -> Option<String> {
    let parts = |url: &Url| -> Vec<String> {
        url.query()
            .unwrap_or_default()
            .split('&')
            .filter(|part| !part.is_empty())
            .map(str::to_owned)
            .collect()
    };
    let mut more = parts(dup);
    for part in parts(kept) {
        let at = more.iter().position(|other| *other == part)?;
        more.remove(at);
    }
    let name = |part: &String| part.split('=').next().unwrap_or_default().to_owned();
    let first = name(more.first()?);
    more.iter().all(|part| name(part) == first).then_some(first)
}

/// The differing piece of two paths, cut at `/`, `.`, `-`, `_` and `;`, with the slash in front of
/// it: `("/print/", "/")`, `("/index.html", "/")`. Pieces that look like page names teach nothing.
fn path_difference(dup: &str, kept: &str) -> Option<(String, String)> {
    let boundary = |byte: u8| matches!(byte, b'/' | b'.' | b'-' | b'_' | b';');
    let (a, b) = (dup.as_bytes(), kept.as_bytes());
    let mut head = a.iter().zip(b).take_while(|(x, y)| x == y).count();
    while head > 0 && !boundary(a[head - 1]) {
        head -= 1;
    }
    let head = head.saturating_sub(1);
    let mut tail = a
        .iter()
        .rev()
        .zip(b.iter().rev())
        .take_while(|(x, y)| x == y)
        .count();
    tail = tail.min(a.len() - head).min(b.len() - head);
    while tail > 0 && !boundary(a[a.len() - tail]) {
        tail -= 1;
    }
    let from = std::str::from_utf8(&a[head..a.len() - tail]).ok()?;
    let to = std::str::from_utf8(&b[head..b.len() - tail]).ok()?;
    let named = |piece: &str| piece.trim_matches(|c: char| !c.is_alphanumeric()).len();
    // The original has nothing there, or hardly anything: otherwise the pair shows two names of
    // one page, not a rule.
    (named(from) >= 3 && named(from) <= 24 && named(to) == 0)
        .then(|| (from.to_owned(), to.to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn memory() -> Redundancy {
        Redundancy::new(&RedundancyConfig {
            probe_share: 0.0,
            ..RedundancyConfig::default()
        })
    }

    #[track_caller]
    fn learns(pairs: [(&str, &str); 6], next: &str, original: &str) {
        let mut memory = memory();
        assert_eq!(memory.predict(next), None);
        for (dup, kept) in pairs {
            memory.observe_pair(dup, kept);
        }
        let prediction = memory.predict(next).expect("a forecast");
        assert_eq!(prediction.kept_url, original);
        assert!(prediction.confidence >= 0.7);
        assert_eq!(memory.counts().saved, 1);
    }

    fn numbered(dup: impl Fn(u32) -> String, kept: impl Fn(u32) -> String) -> Redundancy {
        let mut memory = memory();
        for number in 0..6 {
            memory.observe_pair(&dup(number), &kept(number));
        }
        memory
    }

    #[test]
    fn a_session_id_is_learnt_from_pairs() {
        learns(
            [
                ("http://a.example/1?sid=aa", "http://a.example/1"),
                ("http://a.example/2?sid=ab", "http://a.example/2"),
                ("http://a.example/3?x=1&sid=ac", "http://a.example/3?x=1"),
                ("http://a.example/4?sid=ad", "http://a.example/4"),
                ("http://a.example/5?sid=ae", "http://a.example/5"),
                ("http://a.example/6?sid=af", "http://a.example/6"),
            ],
            "http://a.example/7?sid=zz&page=2",
            "http://a.example/7?page=2",
        );
    }

    #[test]
    fn a_mirror_is_learnt_from_pairs() {
        let memory = numbered(
            |n| format!("http://m.example/p/{n}"),
            |n| format!("http://a.example/p/{n}"),
        );
        assert_eq!(
            memory.foresee("http://m.example/q?z=1").unwrap().kept_url,
            "http://a.example/q?z=1"
        );
        assert_eq!(memory.foresee("http://a.example/q"), None);
    }

    #[test]
    fn print_versions_and_index_pages_are_learnt_from_pairs() {
        let memory = numbered(
            |n| format!("http://a.example/print/p{n}.html"),
            |n| format!("http://a.example/p{n}.html"),
        );
        assert_eq!(
            memory
                .foresee("http://a.example/print/x.html")
                .unwrap()
                .kept_url,
            "http://a.example/x.html"
        );
        let memory = numbered(
            |n| format!("http://a.example/d{n}/index.html"),
            |n| format!("http://a.example/d{n}/"),
        );
        assert_eq!(
            memory
                .foresee("http://a.example/e/index.html")
                .unwrap()
                .kept_url,
            "http://a.example/e/"
        );
    }

    #[test]
    fn rules_follow_each_other() {
        let mut memory = numbered(
            |n| format!("http://m.example/p/{n}"),
            |n| format!("http://a.example/p/{n}"),
        );
        for number in 0..6 {
            memory.observe_pair(
                &format!("http://a.example/p/{number}?utm=3"),
                &format!("http://a.example/p/{number}"),
            );
        }
        let prediction = memory.foresee("http://m.example/p/9?utm=1").unwrap();
        assert_eq!(prediction.kept_url, "http://a.example/p/9");
        assert!(prediction.rule.contains("mirrors") && prediction.rule.contains("utm"));
    }

    #[test]
    fn a_rule_that_skips_unique_pages_is_no_longer_believed() {
        let mut memory = numbered(
            |n| format!("http://a.example/{n}?page=1"),
            |n| format!("http://a.example/{n}"),
        );
        assert!(memory.foresee("http://a.example/9?page=2").is_some());
        for number in 0..4 {
            memory.observe_unique(&format!("http://a.example/9?page={}", number + 2));
        }
        assert_eq!(memory.foresee("http://a.example/9?page=2"), None);
    }

    #[test]
    fn two_names_of_one_page_make_no_rule() {
        let memory = numbered(
            |n| format!("http://a.example/old-name-{n}"),
            |n| format!("http://a.example/new-title-{n}"),
        );
        assert!(memory.rules().is_empty());
    }

    #[test]
    fn one_pair_is_no_rule() {
        let mut memory = memory();
        memory.observe_pair("http://m.example/1", "http://a.example/1");
        assert_eq!(memory.foresee("http://m.example/2"), None);
    }

    #[test]
    fn one_in_twenty_is_probed() {
        let mut memory = Redundancy::new(&RedundancyConfig::default());
        for number in 0..6 {
            memory.observe_pair(
                &format!("http://m.example/{number}"),
                &format!("http://a.example/{number}"),
            );
        }
        for number in 0..10_000 {
            memory.predict(&format!("http://m.example/page/{number}"));
        }
        let counts = memory.counts();
        assert_eq!(counts.saved + counts.probes, 10_000);
        assert!((400..600).contains(&counts.probes), "{counts:?}");
    }

    #[test]
    fn a_barren_group_sinks_then_stops_and_is_probed() {
        let mut memory = Redundancy::new(&RedundancyConfig::default());
        assert_eq!(memory.yield_of("http://a.example/calendar/2020/01/"), 1.0);
        for day in 0..10 {
            memory.observe_barren(&format!("http://a.example/calendar/2020/{day}/"));
        }
        let sunk = memory.yield_of("http://a.example/calendar/2021/7/");
        assert!(sunk > 0.0 && sunk < 0.3, "{sunk}");
        for day in 0..200 {
            memory.observe_barren(&format!("http://a.example/calendar/2020/{day}/"));
        }
        let fetched = (0..2_000)
            .filter(|day| memory.yield_of(&format!("http://a.example/calendar/2022/{day}/")) > 0.0)
            .count();
        assert!((50..160).contains(&fetched), "{fetched}");
        assert_eq!(memory.yield_of("http://a.example/posts/2020/a-post/"), 1.0);
    }

    proptest! {
        #[test]
        fn no_pair_makes_it_panic_and_no_forecast_names_itself(
            pairs in prop::collection::vec(("[a-c]{1,2}", "[a-z/._;-]{0,12}", "[a-z=&]{0,8}", "[a-z/._;-]{0,12}"), 0..40),
        ) {
            let mut memory = memory();
            for (host, path, query, kept) in &pairs {
                memory.observe_pair(&format!("http://{host}.example/{path}?{query}"), &format!("http://a.example/{kept}"));
            }
            for (host, path, query, _) in &pairs {
                let url = format!("http://{host}.example/{path}?{query}");
                if let Some(prediction) = memory.predict(&url) {
                    prop_assert!(prediction.kept_url != url);
                    prop_assert!((0.0..=1.0).contains(&prediction.confidence));
                }
                prop_assert!((0.0..=1.0).contains(&memory.yield_of(&url)));
            }
        }
    }
}
