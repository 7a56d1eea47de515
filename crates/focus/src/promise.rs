//! A link before it is fetched: what is known of it, small enough to wait in a queue of millions.
//!
//! A priority that was right when a link was found is wrong a thousand pages later. So the queue
//! keeps not only the number but what it was made from: the numbers of some pages that carry the
//! link, hashed words of anchor, URL and surroundings, and the groups it belongs to. From these
//! the model makes a new priority at any time without looking at the pages again.
//!
//! A URL linked from many pages keeps a uniform sample of them (the twelve with the
//! smallest hash, so that the order of discovery does not matter), and their count.

use smallvec::SmallVec;
use url::form_urlencoded;
use xxhash_rust::xxh3::xxh3_64;

use crate::keywords::Keywords;
use crate::lately::{LinkWords, TextWords};
use crate::relevance::mix;
use crate::terms::TERM_COUNT;

/// Pages with the link that are kept by number.
pub(crate) const PARENTS_MAX: usize = 12;
pub(crate) const ANCHOR_WORDS_MAX: usize = 8;
pub(crate) const URL_WORDS_MAX: usize = 6;
pub(crate) const CONTEXT_WORDS_MAX: usize = 8;
/// Numbers in the stored form.
const NUMBERS_MAX: usize = 8 + PARENTS_MAX + ANCHOR_WORDS_MAX + URL_WORDS_MAX + CONTEXT_WORDS_MAX;
/// First byte of the stored form.
const VERSION: u8 = 1;

/// A link as found on a page.
#[derive(Debug, Clone, Copy)]
pub struct LinkContext<'a> {
    /// Number of the page it stands on: the one given to `on_page`; `None` for a seed.
    pub parent: Option<u32>,
    /// Where it points to, canonical.
    pub url: &'a str,
    /// Anchor text.
    pub anchor: &'a str,
    /// Text around it, the anchor included or not.
    pub context: &'a str,
    /// Tag path, as in `html>body>ul.menu>li>a`.
    pub tag_path: &'a str,
    /// Whether it stands in the main content.
    pub in_main: bool,
}

/// What is kept of a pending link: at most some 200 bytes, scored again when the model has changed.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct LinkFeatures {
    /// Hash of the URL, for dice.
    pub(crate) id: u32,
    /// A sample of the pages with this link.
    pub(crate) parents: SmallVec<[u32; PARENTS_MAX]>,
    /// How many pages have this link.
    pub(crate) parent_count: u32,
    pub(crate) anchor: SmallVec<[u32; ANCHOR_WORDS_MAX]>,
    pub(crate) url: SmallVec<[u32; URL_WORDS_MAX]>,
    pub(crate) context: SmallVec<[u32; CONTEXT_WORDS_MAX]>,
    /// Which keywords stand in anchor, URL and context, one bit each.
    pub(crate) keys: [u32; 3],
    /// Host; host and path template; host and tag path.
    pub(crate) groups: [u32; 3],
    pub(crate) in_main: bool,
}

impl LinkFeatures {
    pub(crate) fn of(link: &LinkContext<'_>, keywords: &Keywords) -> LinkFeatures {
        LinkFeatures::put_together(
            link,
            TextWords::of(link.anchor, keywords),
            LinkWords::of(link.url, keywords),
            TextWords::of(link.context, keywords),
        )
    }

    /// The features of a link whose texts and URL have been cut into words.
    pub(crate) fn put_together(
        link: &LinkContext<'_>,
        anchor: TextWords,
        url: LinkWords,
        context: TextWords,
    ) -> LinkFeatures {
        let keys = [anchor.keys, url.text.keys, context.keys];
        let anchor: SmallVec<_> = anchor.words.into_iter().take(ANCHOR_WORDS_MAX).collect();
        let around = context.words.into_iter();
        let around = around.filter(|word| !anchor.contains(word));
        LinkFeatures {
            id: url.id,
            parents: link.parent.into_iter().collect(),
            parent_count: u32::from(link.parent.is_some()),
            context: around.take(CONTEXT_WORDS_MAX).collect(),
            url: url.text.words.into_iter().take(URL_WORDS_MAX).collect(),
            anchor,
            keys,
            groups: [
                url.host as u32,
                url.template,
                mix(url.host ^ xxh3_64(link.tag_path.as_bytes())) as u32,
            ],
            in_main: link.in_main,
        }
    }

    /// Takes in the same URL as linked from another page.
    pub fn merge(&mut self, other: &LinkFeatures) {
        if self.parents.is_empty() {
            // It was named by a sitemap: the first page says where links to it stand.
            self.groups[2] = other.groups[2];
        }
        for &parent in &other.parents {
            if !self.parents.contains(&parent) {
                self.parents.push(parent);
                self.parent_count = self.parent_count.saturating_add(1);
            }
        }
        self.parents.sort_by_key(|&parent| mix(u64::from(parent)));
        self.parents.truncate(PARENTS_MAX);
        join(&mut self.anchor, &other.anchor);
        join(&mut self.context, &other.context);
        for (mine, theirs) in self.keys.iter_mut().zip(other.keys) {
            *mine |= theirs;
        }
        if other.in_main && !self.in_main {
            self.in_main = true;
            self.groups[2] = other.groups[2];
        }
    }

    /// The features as bytes, for the frontier and the journal.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(200);
        bytes.push(VERSION);
        bytes.push(u8::from(self.in_main));
        let lists: [&[u32]; 4] = [&self.parents, &self.anchor, &self.url, &self.context];
        for list in lists {
            bytes.push(list.len() as u8);
        }
        let numbers = [self.id, self.parent_count];
        let all = numbers
            .iter()
            .chain(&self.keys)
            .chain(&self.groups)
            .chain(lists.into_iter().flatten());
        for number in all {
            bytes.extend_from_slice(&number.to_le_bytes());
        }
        bytes
    }

    /// The features from bytes; `None` when the bytes are not of this version or not whole.
    pub fn from_bytes(bytes: &[u8]) -> Option<LinkFeatures> {
        let (head, body) = bytes.split_at_checked(6)?;
        if head[0] != VERSION || !body.len().is_multiple_of(4) {
            return None;
        }
        let lengths = [
            head[2] as usize,
            head[3] as usize,
            head[4] as usize,
            head[5] as usize,
        ];
        let limits = [
            PARENTS_MAX,
            ANCHOR_WORDS_MAX,
            URL_WORDS_MAX,
            CONTEXT_WORDS_MAX,
        ];
        if lengths
            .iter()
            .zip(limits)
            .any(|(length, limit)| *length > limit)
            || body.len() / 4 != 8 + lengths.iter().sum::<usize>()
        {
            return None;
        }
        let mut numbers = [0u32; NUMBERS_MAX];
        for (number, four) in numbers.iter_mut().zip(body.chunks_exact(4)) {
            *number = u32::from_le_bytes([four[0], four[1], four[2], four[3]]);
        }
        let [id, parent_count, a, u, c, host, template, path, lists @ ..] = &mut numbers;
        let (parents, words) = lists.split_at_mut(lengths[0]);
        for word in &mut *words {
            *word &= TERM_COUNT as u32 - 1;
        }
        let (anchor, words) = words.split_at(lengths[1]);
        let (url, words) = words.split_at(lengths[2]);
        Some(LinkFeatures {
            id: *id,
            parent_count: *parent_count,
            keys: [*a, *u, *c],
            groups: [*host, *template, *path],
            in_main: head[1] != 0,
            parents: SmallVec::from_slice(parents),
            anchor: SmallVec::from_slice(anchor),
            url: SmallVec::from_slice(url),
            context: SmallVec::from_slice(&words[..lengths[3]]),
        })
    }
}

fn join<const MAX: usize>(mine: &mut SmallVec<[u32; MAX]>, theirs: &[u32])
where
    [u32; MAX]: smallvec::Array<Item = u32>,
{
    for &word in theirs {
        if mine.len() < MAX && !mine.contains(&word) {
            mine.push(word);
        }
    }
}

/// The number of a URL by which links to it know it.
pub(crate) fn url_id(url: &str) -> u32 {
    xxh3_64(url.as_bytes()) as u32
}

pub(crate) fn clip(text: &str, bytes_max: usize) -> &str {
    let mut end = text.len().min(bytes_max);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    &text[..end]
}

/// Host with port, path and query of a canonical URL.
#[derive(Debug, Clone, Copy)]
pub(crate) struct UrlParts<'a> {
    pub(crate) authority: &'a str,
    pub(crate) path: &'a str,
    pub(crate) query: &'a str,
}

impl<'a> UrlParts<'a> {
    pub(crate) fn of(url: &'a str) -> UrlParts<'a> {
        let url = url.split_once('#').map_or(url, |(url, _)| url);
        let rest = url.split_once("://").map_or(url, |(_, rest)| rest);
        let (rest, query) = rest.split_once('?').unwrap_or((rest, ""));
        let (authority, path) = rest.split_at(rest.find('/').unwrap_or(rest.len()));
        UrlParts {
            authority,
            path,
            query,
        }
    }
}

/// What URLs of one kind on a site have in common: numbers are any number, the last segment is
/// anything, names inside stay. `/2014/12/a-post/` and `/2011/03/another/` are of one kind,
/// `/tags/mysql/` is of another.
pub(crate) fn path_template(url: &UrlParts<'_>) -> u64 {
    let mut hash = 0u64;
    let mut segments = url
        .path
        .split('/')
        .filter(|segment| !segment.is_empty())
        .take(8)
        .peekable();
    let mut depth = 0u64;
    while let Some(segment) = segments.next() {
        depth += 1;
        let last = segments.peek().is_none();
        let digits = segment.bytes().filter(u8::is_ascii_digit).count();
        let part = if digits == segment.len() {
            1
        } else if last {
            let extension = segment
                .rsplit_once('.')
                .map_or("", |(_, extension)| extension);
            2 ^ xxh3_64(clip(extension, 8).as_bytes())
        } else if digits > 0 || segment.len() > 16 {
            3
        } else {
            xxh3_64(segment.as_bytes())
        };
        hash = mix(hash ^ part ^ (depth << 56));
    }
    for (name, _) in form_urlencoded::parse(url.query.as_bytes()).take(8) {
        hash ^= mix(xxh3_64(name.as_bytes()));
    }
    hash
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn link(parent: u32, anchor: &str) -> LinkFeatures {
        LinkFeatures::of(
            &LinkContext {
                parent: Some(parent),
                url: "http://a.example/posts/2014/a_page.html?x=1",
                anchor,
                context: "around the link",
                tag_path: "html>body>a",
                in_main: true,
            },
            &Keywords::default(),
        )
    }

    #[test]
    fn features_fit_in_200_bytes_however_many_pages_have_the_link() {
        let mut features = link(0, "one two three four five six seven eight nine ten eleven");
        for parent in 1..500 {
            features.merge(&link(
                parent,
                "other words for the same page and more of them",
            ));
        }
        assert_eq!(features.parent_count, 500);
        assert!(
            features.to_bytes().len() <= 200,
            "{}",
            features.to_bytes().len()
        );
    }

    #[test]
    fn the_sample_of_pages_does_not_depend_on_the_order_of_discovery() {
        let merged = |order: &mut dyn Iterator<Item = u32>| {
            let mut features = link(order.next().unwrap(), "a");
            order.for_each(|parent| features.merge(&link(parent, "a")));
            features.parents
        };
        assert_eq!(merged(&mut (0..100)), merged(&mut (0..100).rev()));
    }

    #[test]
    fn urls_of_one_form_have_one_template() {
        let template = |url: &str| path_template(&UrlParts::of(url));
        let post = template("http://a.example/2014/12/a-post/");
        assert_eq!(post, template("http://a.example/2011/03/another-one/"));
        assert_ne!(post, template("http://a.example/tags/mysql/"));
        assert_ne!(
            template("http://a.example/x?page=1"),
            template("http://a.example/x")
        );
        assert_eq!(
            template("http://a.example/x?page=1"),
            template("http://a.example/x?page=2")
        );
    }

    proptest! {
        #[test]
        fn features_survive_their_bytes(parents in prop::collection::vec(any::<u32>(), 1..40), anchor in ".{0,60}") {
            let mut features = link(parents[0], &anchor);
            for parent in &parents[1..] {
                features.merge(&link(*parent, &anchor));
            }
            prop_assert_eq!(LinkFeatures::from_bytes(&features.to_bytes()), Some(features));
        }

        #[test]
        fn foreign_bytes_are_refused_or_read_but_never_panic(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
            let _ = LinkFeatures::from_bytes(&bytes);
        }
    }
}
