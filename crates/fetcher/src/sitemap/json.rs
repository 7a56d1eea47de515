//! JSON Feed 1.0 and 1.1 (<https://www.jsonfeed.org/version/1.1/>), read in one pass without a tree.
//!
//! Of a value only what is asked for is kept; one of another kind than the feed's format says is passed over,
//! and its entry stands.

use std::borrow::Cow;
use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};
use url::Url;

use super::{Sitemap, SitemapError, SitemapKind, SitemapUrl, URLS_MAX, clean_loc, short};

/// What the version of each JSON Feed begins with, behind `https` or `http`.
const VERSION: &str = "://jsonfeed.org/version/";

pub(super) fn read(text: &str, base: Option<&Url>) -> Result<Sitemap, SitemapError> {
    // A file of another kind is not gone through.
    if !text.contains("jsonfeed.org") {
        return Err(SitemapError::NotSitemap);
    }
    let mut feed = Feed {
        base,
        version: None,
        urls: Vec::new(),
        more: false,
    };
    let mut json = serde_json::Deserializer::from_str(text);
    let whole = Lenient(&mut feed).deserialize(&mut json);
    let broken = whole.and_then(|()| json.end()).err();
    if !feed.version.is_some_and(|name| name.contains(VERSION)) {
        return Err(SitemapError::NotSitemap);
    }
    let stopped = match feed.more {
        true => Some(format!("more than {URLS_MAX} URLs")),
        false => broken.map(|error| format!("broken JSON: {error}")),
    };
    Ok(Sitemap {
        kind: SitemapKind::Json,
        urls: feed.urls,
        stopped,
    })
}

/// A feed as far as it was read: an error in its middle leaves what stood before.
struct Feed<'b> {
    base: Option<&'b Url>,
    version: Option<String>,
    urls: Vec<SitemapUrl>,
    more: bool,
}

impl<'de> Wanted<'de> for &mut Feed<'_> {
    fn object<A: MapAccess<'de>>(self, mut fields: A) -> Result<(), A::Error> {
        while let Some(name) = fields.next_key::<Cow<'_, str>>()? {
            match &*name {
                "version" => fields.next_value_seed(Lenient(&mut self.version))?,
                "items" => fields.next_value_seed(Lenient(Items(self)))?,
                _ => _ = fields.next_value::<IgnoredAny>()?,
            }
        }
        Ok(())
    }
}

/// The list of a feed's items.
struct Items<'f, 'b>(&'f mut Feed<'b>);

impl<'de> Wanted<'de> for Items<'_, '_> {
    fn list<A: SeqAccess<'de>>(self, mut items: A) -> Result<(), A::Error> {
        let feed = self.0;
        while !feed.more {
            let mut item = Item::default();
            if items.next_element_seed(Lenient(&mut item))?.is_none() {
                return Ok(());
            }
            let entry = item.entry(feed.base);
            feed.more = entry.is_some() && feed.urls.len() >= URLS_MAX;
            feed.urls.extend(entry.filter(|_| !feed.more));
        }
        pass_list(items)
    }
}

#[derive(Default)]
struct Item {
    /// The page; a link blog's own note may have none, and leads to another's page alone.
    url: Option<String>,
    external_url: Option<String>,
    date_modified: Option<String>,
    date_published: Option<String>,
}

impl Item {
    fn entry(self, base: Option<&Url>) -> Option<SitemapUrl> {
        let dated = self.date_modified.or(self.date_published);
        Some(SitemapUrl {
            loc: clean_loc(&self.url.or(self.external_url)?, base)?,
            lastmod: dated.as_deref().and_then(short),
            ..SitemapUrl::default()
        })
    }
}

impl<'de> Wanted<'de> for &mut Item {
    fn object<A: MapAccess<'de>>(self, mut fields: A) -> Result<(), A::Error> {
        while let Some(name) = fields.next_key::<Cow<'_, str>>()? {
            let field = match &*name {
                "url" => &mut self.url,
                "external_url" => &mut self.external_url,
                "date_modified" => &mut self.date_modified,
                "date_published" => &mut self.date_published,
                _ => {
                    fields.next_value::<IgnoredAny>()?;
                    continue;
                }
            };
            fields.next_value_seed(Lenient(field))?;
        }
        Ok(())
    }
}

impl<'de> Wanted<'de> for &mut Option<String> {
    fn text(self, text: &str) {
        *self = Some(text.to_owned());
    }
}

/// What is asked for of a value, by its kind. All of another kind is passed over.
trait Wanted<'de>: Sized {
    fn text(self, _text: &str) {}

    fn list<A: SeqAccess<'de>>(self, items: A) -> Result<(), A::Error> {
        pass_list(items)
    }

    fn object<A: MapAccess<'de>>(self, mut fields: A) -> Result<(), A::Error> {
        while fields.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
        Ok(())
    }
}

fn pass_list<'de, A: SeqAccess<'de>>(mut items: A) -> Result<(), A::Error> {
    while items.next_element::<IgnoredAny>()?.is_some() {}
    Ok(())
}

/// Reads a value of any kind, and gives what is wanted of it.
struct Lenient<W>(W);

impl<'de, W: Wanted<'de>> DeserializeSeed<'de> for Lenient<W> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, from: D) -> Result<(), D::Error> {
        from.deserialize_any(self)
    }
}

impl<'de, W: Wanted<'de>> Visitor<'de> for Lenient<W> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("any value")
    }

    fn visit_str<E>(self, text: &str) -> Result<(), E> {
        self.0.text(text);
        Ok(())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, items: A) -> Result<(), A::Error> {
        self.0.list(items)
    }

    fn visit_map<A: MapAccess<'de>>(self, fields: A) -> Result<(), A::Error> {
        self.0.object(fields)
    }

    fn visit_unit<E>(self) -> Result<(), E> {
        Ok(())
    }

    fn visit_bool<E>(self, _: bool) -> Result<(), E> {
        Ok(())
    }

    fn visit_i64<E>(self, _: i64) -> Result<(), E> {
        Ok(())
    }

    fn visit_u64<E>(self, _: u64) -> Result<(), E> {
        Ok(())
    }

    fn visit_f64<E>(self, _: f64) -> Result<(), E> {
        Ok(())
    }
}
