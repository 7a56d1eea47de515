//! How URLs are made canonical: what is the same by the standards, and what somebody chose to drop besides.
//!
//! Nothing is dropped by default, since each option joins pages that differ on some site.

use url::Url;
use weburl::URL_BYTES_MAX;

use super::escapes::fold_escapes;
use super::{CanonicalUrl, UrlError, shorten};
use crate::path_ids::{self, PathId};

/// Parameters that tell the site where a visitor came from.
const TRACKING: &[&str] = &[
    "utm_*",
    "gclid",
    "gclsrc",
    "dclid",
    "gbraid",
    "wbraid",
    "fbclid",
    "msclkid",
    "twclid",
    "yclid",
    "igshid",
    "mc_cid",
    "mc_eid",
    "_hsenc",
    "_hsmi",
    "mkt_tok",
    "oly_anon_id",
    "oly_enc_id",
    "vero_id",
    "spm",
    "_openstat",
];

/// Parameters that tell the site which visitor asks. Compared without case.
const SESSION: &[&str] = &[
    "phpsessid",
    "jsessionid",
    "aspsessionid*",
    "asp.net_sessionid",
    "sessionid",
    "session_id",
    "sid",
    "cfid",
    "cftoken",
    "zenid",
    "oscsid",
];

/// File names that servers answer for their folder.
const INDEX_PAGES: &[&str] = &[
    "index.html",
    "index.htm",
    "index.shtml",
    "index.xhtml",
    "index.php",
    "index.asp",
    "index.aspx",
    "index.jsp",
    "default.html",
    "default.htm",
    "default.asp",
    "default.aspx",
];

/// How URLs are made canonical. The default keeps all that can tell two pages apart.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Canonicaliser {
    /// Sort the parameters of queries by bytes and drop empty ones.
    pub sort_query: bool,
    /// Names of parameters to drop; a `*` at the end stands for any rest.
    pub drop_params: Vec<String>,
    /// Drop well-known tracking parameters, such as `utm_source`.
    pub drop_tracking: bool,
    /// Drop well-known session ids: in the query, as `;jsessionid=` or `;sid=` in the path, and ASP.NET's
    /// segment `(S(…))`.
    pub drop_sessions: bool,
    /// Drop `index.html` and its like from the end of the path.
    pub drop_index_pages: bool,
}

impl Canonicaliser {
    /// The canonical form of a URL that is to be crawled.
    ///
    /// # Errors
    /// When it cannot be crawled.
    pub fn canonical(&self, url: &Url) -> Result<CanonicalUrl, UrlError> {
        let shown = || shorten(url.as_str());
        if !matches!(url.scheme(), "http" | "https") {
            return Err(UrlError::Scheme(shown()));
        }
        if !url.username().is_empty() || url.password().is_some() {
            let shown = shown();
            return Err(UrlError::UserInfo(
                weburl::without_password(&shown).into_owned(),
            ));
        }
        if url.host_str().is_none_or(str::is_empty) {
            return Err(UrlError::Host(shown()));
        }
        let text = self.normalise(url);
        if text.len() > URL_BYTES_MAX {
            return Err(UrlError::Length(text.len()));
        }
        Ok(CanonicalUrl { text: text.into() })
    }

    /// The normal form of any URL, whatever its scheme. One with user and password keeps them.
    pub fn normalise(&self, url: &Url) -> String {
        let mut url = url.clone();
        url.set_fragment(None);
        let folded = fold_escapes(url.as_str());
        if !self.changes_queries() && !self.drop_index_pages || url.cannot_be_a_base() {
            return folded;
        }
        // The options look at the folded form: `%69ndex.html` is an index page too.
        let Ok(mut url) = Url::parse(&folded) else {
            return folded;
        };
        if let Some(query) = url.query().map(str::to_owned) {
            let query = self.query(&query);
            url.set_query(query.as_deref());
        }
        let path = self.path(url.path());
        if path != url.path() {
            url.set_path(&path);
        }
        url.into()
    }

    fn changes_queries(&self) -> bool {
        self.sort_query || self.drop_tracking || self.drop_sessions || !self.drop_params.is_empty()
    }

    /// The query that is left; `None` when nothing is.
    fn query(&self, query: &str) -> Option<String> {
        let is_kept = |piece: &&str| !self.is_dropped(piece.split('=').next().unwrap_or(piece));
        let mut pieces: Vec<&str> = query.split('&').filter(is_kept).collect();
        if self.sort_query {
            pieces.retain(|piece| !piece.is_empty());
            pieces.sort_unstable();
        }
        let left = pieces.join("&");
        (!left.is_empty() || left == query && !self.sort_query).then_some(left)
    }

    fn is_dropped(&self, name: &str) -> bool {
        let lower = || name.to_ascii_lowercase();
        self.drop_params
            .iter()
            .any(|pattern| matches(pattern, name))
            || self.drop_tracking && TRACKING.iter().any(|pattern| matches(pattern, &lower()))
            || self.drop_sessions && names_session(name)
    }

    fn path(&self, path: &str) -> String {
        let is_dropped = |id: &PathId<'_>| self.drop_sessions && names_session(id.name);
        let mut path = path_ids::without(path, is_dropped);
        if self.drop_index_pages {
            let name_at = path.rfind('/').map_or(0, |at| at + 1);
            if INDEX_PAGES.contains(&path[name_at..].to_ascii_lowercase().as_str()) {
                path.truncate(name_at);
            }
        }
        path
    }
}

/// Whether a variable of this name tells which visitor asks.
pub(crate) fn names_session(name: &str) -> bool {
    let lower = name.trim_start_matches(';').to_ascii_lowercase();
    name == path_ids::COOKIELESS || SESSION.iter().any(|pattern| matches(pattern, &lower))
}

/// Whether a name is meant by a pattern that may end with `*`.
fn matches(pattern: &str, name: &str) -> bool {
    match pattern.strip_suffix('*') {
        Some(start) => name.starts_with(start),
        None => name == pattern,
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn options_drop_what_they_name_and_nothing_else() {
        let all = Canonicaliser {
            sort_query: true,
            drop_params: vec!["ref".into(), "x_*".into()],
            drop_tracking: true,
            drop_sessions: true,
            drop_index_pages: true,
        };
        let check = |input: &str, expected: &str| {
            assert_eq!(all.normalise(&Url::parse(input).expect(input)), expected);
        };
        check(
            "http://a.example/?b=2&ref=x&a=1&x_1=&refs=1",
            "http://a.example/?a=1&b=2&refs=1",
        );
        check(
            "http://a.example/?utm_source=x&PHPSESSID=1",
            "http://a.example/",
        );
        check("http://a.example/d/Index.html?q", "http://a.example/d/?q");
        check("http://a.example/d;jsessionid=1A?q", "http://a.example/d?q");
        check(
            "http://a.example/d;JSESSIONID=1A/b;v=1",
            "http://a.example/d/b;v=1",
        );
        check("http://a.example/(S(1a))/d", "http://a.example/d");
        check(
            "http://a.example/myindex.html",
            "http://a.example/myindex.html",
        );
    }

    fn any_options() -> impl Strategy<Value = Canonicaliser> {
        any::<[bool; 4]>().prop_map(
            |[sort_query, drop_tracking, drop_sessions, drop_index_pages]| Canonicaliser {
                sort_query,
                drop_tracking,
                drop_sessions,
                drop_index_pages,
                drop_params: vec!["a*".into()],
            },
        )
    }

    proptest! {
        #[test]
        fn options_keep_that_law_and_nothing_panics(
            text in "(http://)?\\PC{0,40}",
            base in "http://[a-z.]{1,8}/\\PC{0,10}",
            options in any_options(),
        ) {
            let base = Url::parse(&base).ok();
            if let Some(url) = base.as_ref().and_then(|base| weburl::resolve(base, &text))
                && let Ok(once) = options.canonical(&url) {
                    let twice = options.canonical(&once.to_url());
                    prop_assert_eq!(twice.as_ref(), Ok(&once));
                    let _ = (once.host().registrable(), once.key());
                }
            let _ = CanonicalUrl::parse(&text);
        }
    }
}
