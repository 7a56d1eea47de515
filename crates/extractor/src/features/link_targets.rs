//! Features of a run's links: where they lead.
//!
//! Links in prose lead to parts of their own page and to other sites; teasers lead to other pages of
//! their own site.

use html5ever::local_name;
use url::Url;

use super::PageInputs;
use super::table::{Row, log};
use crate::dom::Attributes;
use crate::flat_dom::{FlatDom, NO_ELEMENT, Run, Traits};
use crate::prefix_sums::share;

/// The links of a run.
#[derive(Default, Clone, Copy)]
struct Links {
    count: u32,
    /// Those to other sites.
    out: u32,
    /// The number of runs inside the link, if the whole run stands in one.
    wrapped: u32,
    first: Option<Target>,
}

/// How many links a run has, where they lead, and whether the run stands in one.
pub(super) fn put_links(row: &mut Row<'_>, page: &PageInputs<'_>, index: usize) {
    let links = links_of(page.flat, &page.flat.runs[index], page.url);
    row.put("link_count", log(links.count));
    row.put("links_out", share(links.out, links.count, 0.0));
    row.put("link_wrap", log(links.wrapped));
    row.put(
        "link_kind",
        links.first.map_or(0.0, |first| f32::from(first as u8)),
    );
}

fn links_of(flat: &FlatDom<'_>, run: &Run, url: &Url) -> Links {
    let mut links = Links::default();
    if run.link_weight == 0 {
        return links;
    }
    let mut last = NO_ELEMENT;
    for piece in &flat.pieces[run.pieces.start as usize..run.pieces.end as usize] {
        let Some(link) = flat
            .ancestors(piece.element)
            .find(|&at| flat.elements[at as usize].traits.has(Traits::LINK))
        else {
            continue;
        };
        if link == last {
            continue;
        }
        last = link;
        let element = &flat.elements[link as usize];
        let target = target_of(
            element
                .element
                .attribute(&local_name!("href"))
                .unwrap_or("")
                .trim(),
            url,
        );
        links.count += 1;
        links.first = links.first.or(Some(target));
        links.out += u32::from(target == Target::OtherSite);
        if link <= run.owner {
            links.wrapped = element.end_run.saturating_sub(element.first_run);
        }
    }
    links
}

/// The kind of a link's target; the numbers are values of a feature.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Target {
    /// A fragment of the page.
    Fragment = 1,
    /// The page itself.
    SamePage = 2,
    /// Another page of the site.
    SameSite = 3,
    /// Another site.
    OtherSite = 4,
    /// No page: `mailto:`, `javascript:`.
    NoPage = 5,
}

/// The target of a link by its text alone: relative paths are not resolved, which would take longer.
fn target_of(href: &str, url: &Url) -> Target {
    if href.is_empty() || href.starts_with('#') {
        return Target::Fragment;
    }
    let scheme = href
        .find(':')
        .filter(|&at| !href[..at].contains(['/', '?', '#']));
    let rest = match scheme {
        Some(at)
            if ["http", "https"]
                .iter()
                .any(|web| href[..at].eq_ignore_ascii_case(web)) =>
        {
            &href[at + 1..]
        }
        Some(_) => return Target::NoPage,
        None => href,
    };
    let path = match rest.strip_prefix("//") {
        Some(rest) => {
            let end = rest.find(['/', '?', '#']).unwrap_or(rest.len());
            let own = url.host_str().unwrap_or("");
            if !without_www(&rest[..end]).eq_ignore_ascii_case(without_www(own)) {
                return Target::OtherSite;
            }
            &rest[end..]
        }
        None => rest,
    };
    let end = path.find(['?', '#']).unwrap_or(path.len());
    if path[..end] == *url.path() {
        Target::SamePage
    } else {
        Target::SameSite
    }
}

fn without_www(host: &str) -> &str {
    host.strip_prefix("www.").unwrap_or(host)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn targets_are_recognised_without_resolving_them() {
        let url = Url::parse("https://www.a.example/news/1?x=2").unwrap();
        for (href, target) in [
            ("#top", Target::Fragment),
            ("/news/1#part", Target::SamePage),
            ("HTTP://a.example/news/1", Target::SamePage),
            ("/news/2", Target::SameSite),
            ("2?from=a:b", Target::SameSite),
            ("//b.example/news/1", Target::OtherSite),
            ("mailto:me@a.example", Target::NoPage),
        ] {
            assert_eq!(target_of(href, &url), target, "{href}");
        }
    }
}
