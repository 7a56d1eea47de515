//! Parameters that change nothing: session ids, tracking, print versions.
//!
//! A parameter is found to change nothing on a host when pages with it time and again repeated
//! *their own plain form*: the page of the same path and the same other parameters, without this one
//! or with another value of it. Contents are compared, and nothing else is evidence. A dead link, an
//! error, a thin page, a page that repeats some other page: none of them says that the parameter
//! changes nothing, nor that it changes something. Each plain form counts once, however many of its
//! spellings were read, so a list of goods by `?id=` of which a hundred are sold out proves nothing.
//!
//! ```text
//!   /a?sid=7  repeats  /a          one plain form:  /a
//!   /b?sid=9  repeats  /b?sid=7    another:         /b
//!   /item?id=1, ?id=2, ?id=3 … repeat each other    one plain form only: /item
//! ```
//!
//! A page that differs from its own plain form in several parameters says so of each of them: a link's place and
//! the id of a click go together.
//!
//! Some names change one form of pages and not another: `sort` orders lists, and stays in the links to the pages
//! listed. So the same is counted for the form that the URL has but for the parameter (`url_form`), and the
//! parameter changes nothing where it changes nothing on the host or in the form. Of one that changes other pages of the
//! host that is doubtful until sixty pages of the form say so: of sixty without a page of its own less than one in twenty
//! is one, with a confidence of 95 %.
//!
//! A page that is new though its plain form was read before speaks against the parameter. Parameters
//! that count pages are left alone: of small numbers each list has the same ones, and one that counts clicks
//! has each number once. The pages of a mirror repeat the original's under parameters of
//! their own, which says the same of them.
//!
//! The values of a parameter are *opaque* when they are made for the reader: all of them look like ids, or
//! there are more than a site thinks of (`?_=1`, `?_=2`, ...; `?ref=7f3a`, ...), however short they are. What has
//! few values is a switch, and costs few requests; what has ever new ones would make a site endless.
//! They are none where pages link to two of them beside each other, as a list of goods or a choice of languages
//! does. A choice is offered on other pages, too: pairs of values that are met nowhere else are made for each click.
//! Then what was found for one value of a page holds for its others.
//!
//! What looks like an id in a path counts as a parameter (`path_ids`): else a site that writes the session
//! there never ends. Where the name says that it is a session's, two plain forms are enough.
//!
//! The order of parameters is one more thing that may change nothing, and is found out in the same way: by pages
//! that repeated the page of the same parameters in another order. Only what has another name changes places:
//! the order of `a[]=1&a[]=2` may be the page's own. It counts as opaque, since a set of filters has as
//! many orders as there are ways to choose them one by one, so each page is compared under two.
//!
//! Memory is bounded: what was not met for longest is forgotten, and a parameter that is met again is
//! found out about anew.

use recent::{RecentMap, RecentSet};
use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::xxh3_64;

use crate::trap::PageYield;
use crate::url::{CanonicalUrl, names_session};
use crate::url_normalizer::{ORDER, UrlNormalizer, form_key, has_orders, parameter_key};

/// Plain forms that a parameter left as they were, before it is found to change nothing.
const SAME_MIN: u32 = 12;
/// The same in a form, where the parameter changes other pages of the host, before that is sure.
const SAME_SURE: u32 = 60;
/// The same for one with the name of a session id: a small site has few pages, and endless spellings.
const SAME_MIN_SESSION: u32 = 2;
/// Such a parameter may have made a difference once in so many times.
const SAME_PER_DIFFERENT: u32 = 20;
/// Values on links, from which on a parameter has more than a site would think of: twice the plain forms
/// that are asked for. Of one value an answer the pages of these forms and their copies bring as many.
const VALUES_MIN: u32 = 24;
/// Small numbers of which at most one in so many was on the links of an earlier page count clicks. Those that
/// count pages begin at one on each list; of numbers of three digits by chance, that many are after 450 answers.
const NEW_PER_AGAIN: u32 = 4;
/// Pairs of values that pages linked to beside each other are a choice when one in so many was offered
/// before. Of two hex digits by chance, that many are after some 4,000 pairs.
const OFFERS_PER_AGAIN: u32 = 16;
/// Digits of a number that may count pages.
pub const COUNTER_DIGITS_MAX: usize = 5;
/// Parameters of one URL that are looked at.
const PARAMETERS_SEEN_MAX: usize = 8;
/// Bytes of an id that has digits in it.
const ID_BYTES_MIN: usize = 8;
/// Entries of each table, some 16 to 40 bytes each. Of more, those not met for longest are forgotten.
const ENTRIES_MAX: usize = 400_000;

/// What is known of the parameters of all hosts.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Parameters {
    /// Plain forms of which a page with content was read, by [`PlainForm`].
    read: RecentSet<u64>,
    /// Plain forms that were counted for a parameter.
    counted: RecentSet<u64>,
    seen: RecentMap<u64, Parameter>,
    /// The same by form of URLs, as far as pages tell, with the keys of the host's parameters.
    seen_in_forms: RecentMap<u64, (u64, Parameter)>,
    /// Values that links had.
    met: RecentSet<u64>,
    /// Pairs of values that stood beside each other on a page.
    beside: RecentSet<u64>,
    /// The parameters among them that change nothing.
    #[serde(skip)]
    normalizer: UrlNormalizer,
}

/// What a parameter of a host changed.
#[derive(Debug, Clone, Copy, Default, Serialize, Deserialize)]
struct Parameter {
    /// Plain forms that it left as they were.
    same: u32,
    /// Pages that were new under it.
    different: u32,
    /// Some value is no small number.
    no_counter: bool,
    /// Its first value, and whether there were others.
    value: Option<u64>,
    varies: bool,
    /// Some value does not look like an id.
    no_id: bool,
    /// Values of links, each counted on the first page that had it.
    values: u32,
    /// The same, counted on each further page.
    met_again: u32,
    /// Pairs of values that a page linked to beside each other for the first time.
    offers: u32,
    /// The same, on further pages.
    offered_again: u32,
    /// It has the name of a session id.
    is_session: bool,
}

/// A parameter on a link.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct LinkedValue {
    parameter: u64,
    /// The plain form of the URL, with the parameter.
    form: u64,
    value: u64,
}

/// The keys of a URL less one parameter: as it is read without it, and with it.
struct PlainForm {
    without: u64,
    with: u64,
}

/// The key of a URL less some parameters.
struct Form(u64);

impl Default for Parameters {
    fn default() -> Self {
        Self::with_max(ENTRIES_MAX)
    }
}

impl Parameters {
    fn with_max(entries_max: usize) -> Self {
        Self {
            read: RecentSet::with_max(entries_max),
            counted: RecentSet::with_max(entries_max),
            seen: RecentMap::with_max(entries_max),
            seen_in_forms: RecentMap::with_max(entries_max),
            met: RecentSet::with_max(entries_max),
            beside: RecentSet::with_max(entries_max),
            normalizer: UrlNormalizer::default(),
        }
    }

    /// What has been learnt of parameters that change nothing.
    pub(crate) fn normalizer(&self) -> &UrlNormalizer {
        &self.normalizer
    }

    /// Goes on with what was learnt before. Whoever has the normalizer hears of it.
    pub(crate) fn resume(&mut self, saved: Parameters) {
        let normalizer = std::mem::take(&mut self.normalizer);
        for (key, seen) in saved.seen.iter() {
            normalizer.set(*key, seen.changes_nothing());
        }
        for (key, (parameter, seen)) in saved.seen_in_forms.iter() {
            normalizer.set_in_form(*key, *parameter, seen.changes_nothing_for_sure());
            let matters = saved.seen.get(parameter).is_some_and(Parameter::matters);
            normalizer.set_matters(*parameter, matters);
        }
        *self = Parameters {
            normalizer,
            ..saved
        };
    }

    /// Notes a page that was read: what it was worth, and of which page it is a copy as a whole.
    pub(crate) fn observe(
        &mut self,
        url: &CanonicalUrl,
        page_yield: PageYield,
        original: Option<&CanonicalUrl>,
    ) {
        let host = url.host();
        // A page that takes the place of its copy has content, and repeats it.
        let is_new = page_yield == PageYield::Content && original.is_none();
        let differing = original.map_or(Vec::new(), |other| self.differing(url, other));
        for (name, value) in url.variables().take(PARAMETERS_SEEN_MAX) {
            let form = self.plain_form(url, name);
            let was_read = self.read.contains(&form.without) || self.read.contains(&form.with);
            let repeats_itself = original
                .is_some_and(|other| self.is_of(other, &form, name) && !has_same(url, other, name));
            let counted = match differing.contains(&name) {
                true => Some(self.plain_form_of(url, &differing).with(name)),
                false => repeats_itself.then_some(form.with),
            };
            let is_first = counted.is_some_and(|form| self.counted.insert(form));
            let see = |seen: &mut Parameter| {
                seen.see(name, value);
                seen.same += u32::from(is_first);
                seen.different += u32::from(is_new && was_read);
            };
            let parameter = parameter_key(&host, name);
            self.count(parameter, see);
            let form = form_key(&self.normalizer.form(url, name), name);
            self.count_in_form(form, parameter, see);
        }
        self.observe_order(url, is_new, original);
        if page_yield == PageYield::Content {
            self.note_read(url);
        }
    }

    /// Notes what the order of parameters changed.
    fn observe_order(&mut self, url: &CanonicalUrl, is_new: bool, original: Option<&CanonicalUrl>) {
        if !has_orders(url) {
            return;
        }
        let host = url.host();
        let form = self.plain_form(url, ORDER);
        let was_read = self.read.contains(&form.with);
        let is_other_order = |other: &CanonicalUrl| {
            self.is_of(other, &form, ORDER) && self.names(url) != self.names(other)
        };
        let repeats_itself = original.is_some_and(is_other_order);
        let is_first = repeats_itself && self.counted.insert(form.with);
        self.count(parameter_key(&host, ORDER), |seen| {
            seen.no_counter = true;
            seen.same += u32::from(is_first);
            seen.different += u32::from(is_new && was_read);
        });
    }

    /// The names of a URL's variables but those that change nothing, in their order.
    fn names<'u>(&self, url: &'u CanonicalUrl) -> Vec<&'u str> {
        let names = url.variables().map(|(name, _)| name);
        names
            .filter(|name| !self.normalizer.ignores(url, name))
            .collect()
    }

    /// The parameters in which a page differs from its copy, where it differs in several: none of them changed
    /// it. Without those that are known to change nothing.
    fn differing<'u>(&self, url: &'u CanonicalUrl, other: &CanonicalUrl) -> Vec<&'u str> {
        if other.host() != url.host() || other.bare_path() != url.bare_path() {
            return Vec::new();
        }
        let theirs: Vec<_> = other.variables().take(PARAMETERS_SEEN_MAX).collect();
        let ours: Vec<_> = url.variables().take(PARAMETERS_SEEN_MAX).collect();
        let counts = |name: &str| !self.normalizer.ignores(url, name);
        let differ = |pair: &&(&str, &str), others: &[(&str, &str)]| {
            counts(pair.0) && !others.contains(pair)
        };
        let names = ours.iter().filter(|pair| differ(pair, &theirs));
        let names: Vec<&str> = names.map(|(name, _)| *name).collect();
        let mut lacking = theirs.iter().filter(|pair| differ(pair, &ours));
        match names.len() >= 2 && lacking.all(|(name, _)| names.contains(name)) {
            true => names,
            false => Vec::new(),
        }
    }

    /// Whether a page is of a plain form, under this parameter or without it.
    fn is_of(&self, other: &CanonicalUrl, form: &PlainForm, name: &str) -> bool {
        self.plain_form(other, name).without == form.without
    }

    fn note_read(&mut self, url: &CanonicalUrl) {
        let names = url.variables().map(|(name, _)| name);
        let forms = names.take(PARAMETERS_SEEN_MAX);
        let order = has_orders(url).then_some(ORDER);
        let forms = forms.chain(order);
        let with: Vec<u64> = forms.map(|name| self.plain_form(url, name).with).collect();
        // No parameter has an empty name: this is the URL without those that change nothing.
        let bare = self.plain_form(url, "").without;
        for key in with.into_iter().chain([bare]) {
            self.read.insert(key);
        }
    }

    /// Notes that a page repeats a page of another host, before the page itself is noted. Where the
    /// URLs differ in one parameter alone, it changed nothing on either host once more. Pages of a
    /// mirror are seldom the first of their kind, so its parameters are hardly found otherwise.
    pub(crate) fn observe_copy(&mut self, copy: &CanonicalUrl, original: &CanonicalUrl) {
        if copy.host() == original.host() {
            return;
        }
        if let Some(differing) = copy.differs_in(original) {
            for url in [copy, original] {
                let values = url.variables().filter(|(name, _)| *name == differing);
                for (name, value) in values.take(1) {
                    let form = self.plain_form(url, name);
                    let is_first = self.counted.insert(form.with);
                    self.count(parameter_key(&url.host(), name), |seen| {
                        seen.see(name, value);
                        seen.same += u32::from(is_first);
                    });
                }
            }
            return;
        }
        // A mirror's lists by number: each repeats the one of its own number.
        let host = copy.host();
        for (name, _) in copy.variables().take(PARAMETERS_SEEN_MAX) {
            let form = self.plain_form(copy, name);
            let was_read = self.read.contains(&form.without) || self.read.contains(&form.with);
            let key = parameter_key(&host, name);
            if was_read && self.seen.contains_key(&key) {
                self.count(key, |seen| seen.different += 1);
            }
        }
    }

    /// Notes the links of a page: which values are new, and which of them let the reader choose, as two for one
    /// plain form do. A link to a place on the page itself has the page's own value, and is no choice. Only
    /// parameters count that some page had that was read: of others nothing is asked.
    pub(crate) fn observe_links<'u>(
        &mut self,
        page: &CanonicalUrl,
        links: impl Iterator<Item = &'u CanonicalUrl>,
    ) {
        let mut values: Vec<LinkedValue> = Vec::new();
        for url in links.filter(|url| *url != page) {
            let host = url.host();
            for (name, value) in url.variables().take(PARAMETERS_SEEN_MAX) {
                let parameter = parameter_key(&host, name);
                // A page has links to any host, with as many names as it likes.
                if !self.seen.contains_key(&parameter) {
                    continue;
                }
                values.push(LinkedValue {
                    parameter,
                    form: self.plain_form(url, name).with,
                    value: xxh3_64(value.as_bytes()),
                });
            }
        }
        values.sort_unstable();
        values.dedup();
        for of_one in values.chunk_by(|one, other| one.parameter == other.parameter) {
            self.observe_values(of_one);
        }
    }

    /// Notes the values of one parameter on the links of a page, sorted by plain form and value.
    fn observe_values(&mut self, linked: &[LinkedValue]) {
        let parameter = linked[0].parameter;
        let mut here: Vec<u64> = linked.iter().map(|link| link.value).collect();
        here.sort_unstable();
        here.dedup();
        let beside = linked
            .windows(2)
            .filter(|pair| pair[0].form == pair[1].form);
        let pair_key = |pair: &[LinkedValue]| pair[0].value.rotate_left(1) ^ pair[1].value;
        let mut pairs: Vec<u64> = beside.map(pair_key).collect();
        pairs.sort_unstable();
        pairs.dedup();
        let new = |known: &mut RecentSet<u64>, keys: &[u64]| {
            let inserted = keys.iter().filter(|key| known.insert(parameter ^ **key));
            inserted.count() as u32
        };
        let (values, offers) = (new(&mut self.met, &here), new(&mut self.beside, &pairs));
        self.count(parameter, |seen| {
            seen.values += values;
            seen.met_again += here.len() as u32 - values;
            seen.offers += offers;
            seen.offered_again += pairs.len() as u32 - offers;
        });
    }

    /// Counts what was seen of a parameter, and notes when that decides what it changes.
    fn count(&mut self, key: u64, count: impl FnOnce(&mut Parameter)) {
        let normalizer = &self.normalizer;
        let seen = self.seen.entry(key, |forgotten, was: Parameter| {
            if was.changes_nothing().is_some() {
                normalizer.set(forgotten, None);
            }
            if was.matters() {
                normalizer.set_matters(forgotten, false);
            }
        });
        let (before, mattered) = (seen.changes_nothing(), seen.matters());
        count(seen);
        let after = seen.changes_nothing();
        if after != before {
            normalizer.set(key, after);
        }
        if seen.matters() != mattered {
            normalizer.set_matters(key, true);
        }
    }

    /// The same in a form of URLs.
    fn count_in_form(&mut self, key: u64, parameter: u64, count: impl FnOnce(&mut Parameter)) {
        let normalizer = &self.normalizer;
        let forget = |forgotten, (parameter, was): (u64, Parameter)| {
            if was.changes_nothing().is_some() {
                normalizer.set_in_form(forgotten, parameter, None);
            }
        };
        let (of, seen) = self.seen_in_forms.entry(key, forget);
        *of = parameter;
        let before = seen.changes_nothing_for_sure();
        count(seen);
        let after = seen.changes_nothing_for_sure();
        if after != before {
            normalizer.set_in_form(key, parameter, after);
            let matters = self.seen.get(&parameter).is_some_and(Parameter::matters);
            normalizer.set_matters(parameter, matters);
        }
    }

    /// The keys of a URL less one parameter and those that are known to change nothing.
    fn plain_form(&self, url: &CanonicalUrl, parameter: &str) -> PlainForm {
        let without = self.plain_form_of(url, &[parameter]);
        PlainForm {
            without: without.0,
            with: without.with(parameter),
        }
    }

    /// The key of a URL less some parameters and those that are known to change nothing.
    fn plain_form_of(&self, url: &CanonicalUrl, parameters: &[&str]) -> Form {
        let host = url.host();
        let is_left_out =
            |name: &str| parameters.contains(&name) || self.normalizer.ignores(url, name);
        let variables = url.variables();
        let mut left: Vec<_> = variables.filter(|(name, _)| !is_left_out(name)).collect();
        if is_left_out(ORDER) {
            left.sort_by_key(|(name, _)| *name);
        }
        let mut text = [host.as_str(), &url.bare_path()].concat();
        for (name, value) in left {
            text.extend(["&", name, "=", value]);
        }
        Form(xxh3_64(text.as_bytes()))
    }
}

/// Whether two URLs have the same values of a variable, or both have none.
fn has_same(url: &CanonicalUrl, other: &CanonicalUrl, name: &str) -> bool {
    let of_name = |variable: &(&str, &str)| variable.0 == name;
    let own = url.variables().filter(of_name);
    own.eq(other.variables().filter(of_name))
}

impl Form {
    /// So `list?page=2` does not stand for `list`, but `list?page=1` is compared with it.
    fn with(&self, parameter: &str) -> u64 {
        self.0.wrapping_add(xxh3_64(parameter.as_bytes()) | 1)
    }
}

impl Parameter {
    fn see(&mut self, name: &str, value: &str) {
        self.is_session = names_session(name);
        let has_digit = value.bytes().any(|byte| byte.is_ascii_digit());
        let is_number = value.bytes().all(|byte| byte.is_ascii_digit());
        self.no_counter |= !(is_number && value.len() <= COUNTER_DIGITS_MAX);
        // An id of a session may have no digit in it by chance; a word would.
        self.no_id |= !(has_digit || self.is_session) || value.len() < ID_BYTES_MIN;
        let hash = xxh3_64(value.as_bytes());
        self.varies |= self.value.is_some_and(|first| first != hash);
        self.value.get_or_insert(hash);
    }

    /// None when it may change something, else whether its values are opaque.
    fn changes_nothing(&self) -> Option<bool> {
        let same_min = match self.is_session {
            true => SAME_MIN_SESSION,
            false => SAME_MIN,
        };
        // One value of a small number is a switch (`print=1`), several may count pages.
        let counts_nothing = self.no_counter || !self.varies || self.counts_clicks();
        let changes_nothing = counts_nothing
            && self.same >= same_min
            && self.different.saturating_mul(SAME_PER_DIFFERENT) <= self.same;
        let is_opaque = (!self.no_id || self.values >= VALUES_MIN) && !self.chooses();
        changes_nothing.then_some(is_opaque)
    }

    /// None when it may change something in a form, else whether so many pages say that it does not that it holds whatever it
    /// changes elsewhere.
    fn changes_nothing_for_sure(&self) -> Option<bool> {
        let changes_nothing = self.changes_nothing();
        changes_nothing.map(|_| self.same >= SAME_SURE)
    }

    /// Whether it changed some page.
    fn matters(&self) -> bool {
        self.different > 0
    }

    /// Whether its values are ever new ones.
    fn counts_clicks(&self) -> bool {
        let again = self.met_again.saturating_mul(NEW_PER_AGAIN);
        self.values >= VALUES_MIN && again <= self.values
    }

    /// Whether pages let the reader choose a value.
    fn chooses(&self) -> bool {
        let again = self.offered_again.saturating_mul(OFFERS_PER_AGAIN);
        again > 0 && again >= self.offers
    }
}

#[cfg(test)]
mod tests;
