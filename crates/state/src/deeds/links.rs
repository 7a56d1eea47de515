//! Which URLs the pages of a thing link to.
//!
//! A number in a query says not what it counts: `/gallery.php?id=12` and `/news.php?id=12` have nothing in common. So a URL
//! that names a thing in its query is a deed to it only if a page that shows the thing links to such a URL, as a topic does to its
//! reply, or if the two stood beside each other on some page, as a list of goods has a link to buy each.

use std::cell::OnceCell;
use std::collections::VecDeque;

use archive::PageRecord;
use frontier::{CanonicalUrl, UrlForm, query_pieces};

use super::{Deeds, Named, Plain, Thing};

/// Links of a page that are looked at.
const LINKS_MAX: usize = 2_000;
/// So many links before one stand beside it.
const BESIDE: usize = 3;

/// A link, taken apart if that is asked for.
struct Link<'u> {
    url: &'u str,
    /// The pieces of its query that name things.
    pieces: Vec<&'u str>,
    named: OnceCell<Option<Named>>,
}

impl<'u> Link<'u> {
    fn new(url: &'u str) -> Self {
        let things = query_pieces(url).filter(|(_, is_thing)| *is_thing);
        Self {
            url,
            pieces: things.map(|(piece, _)| piece).collect(),
            named: OnceCell::new(),
        }
    }

    fn named(&self, plain: &impl Plain) -> Option<&Named> {
        let named = || Some(Named::of(&plain(&CanonicalUrl::parse(self.url).ok()?)?));
        self.named.get_or_init(named).as_ref()
    }
}

impl Deeds {
    /// Notes the links of a page, by its normalized URL, and whether it shows what that names.
    pub(super) fn note_links(
        &mut self,
        url: &CanonicalUrl,
        shows: bool,
        record: &PageRecord,
        plain: &impl Plain,
    ) {
        if record.page.is_none() {
            return;
        }
        let host = url.host();
        let own = shows.then(|| Link::new(url.as_str()));
        let (origin, _) = url
            .as_str()
            .split_at(url.as_str().len() - url.path_and_query().len());
        let links = record.links.iter().map(|link| &*link.url);
        let has_query = |url: &&str| {
            url.strip_prefix(origin)
                .is_some_and(|rest| rest.contains('?'))
        };
        let mut beside: VecDeque<Link<'_>> = VecDeque::with_capacity(BESIDE);
        for url in links.take(LINKS_MAX).filter(has_query) {
            let link = Link::new(url);
            for other in own.iter().chain(&beside) {
                if self.name_same(host.as_str(), other, &link)
                    && let Some(other) = other.named(plain)
                    && let Some(link) = link.named(plain)
                {
                    self.note_pair(other, link);
                }
            }
            if beside.len() == BESIDE {
                beside.pop_front();
            }
            beside.push_back(link);
        }
    }

    /// Whether two links of a host name one thing in their queries, and no place.
    fn name_same(&self, host: &str, one: &Link<'_>, other: &Link<'_>) -> bool {
        let is_place = |piece: &str| {
            let thing = self.things.get(&UrlForm::thing_in_query(host, piece));
            thing.is_some_and(Thing::is_place)
        };
        let mut pieces = one.pieces.iter();
        pieces.any(|piece| other.pieces.contains(piece) && !is_place(piece))
    }

    fn note_pair(&mut self, one: &Named, other: &Named) {
        if one.form == other.form {
            return;
        }
        for thing in &one.things[one.in_path..] {
            if other.things[other.in_path..].contains(thing) {
                let thing = self.things.entry(*thing, |_, _| {});
                thing.linked |= bits(one.form) | bits(other.form);
            }
        }
    }
}

impl Thing {
    /// Whether a URL of the form that names it was linked on one of its pages, or beside a link to one.
    pub(super) fn is_linked(&self, form: u64) -> bool {
        self.linked & bits(form) == bits(form)
    }
}

/// The two bits of a form.
fn bits(form: u64) -> u64 {
    1 << (form & 63) | 1 << (form >> 6 & 63)
}
