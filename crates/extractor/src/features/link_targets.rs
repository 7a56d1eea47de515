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
    /// Runs in the element that is the link, if the run stands in one.
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
        links.out += u32::from(target == Target::Elsewhere);
        if link <= run.owner {
            links.wrapped = element.end_run.saturating_sub(element.first_run);
        }
    }
    links
}

/// What a link leads to.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Target {
    /// A place on the page.
    Here = 1,
    /// The page itself.
    Page = 2,
    /// Another page of the site.
    Site = 3,
    /// Another site.
    Elsewhere = 4,
    /// No page: `mailto:`, `javascript:`.
    Nowhere = 5,
}

/// Tells a link's target by its looks; relative paths are not resolved.
fn target_of(href: &str, url: &Url) -> Target {
    if href.is_empty() || href.starts_with('#') {
        return Target::Here;
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
        Some(_) => return Target::Nowhere,
        None => href,
    };
    let path = match rest.strip_prefix("//") {
        Some(rest) => {
            let end = rest.find(['/', '?', '#']).unwrap_or(rest.len());
            let own = url.host_str().unwrap_or("");
            if !bare(&rest[..end]).eq_ignore_ascii_case(bare(own)) {
                return Target::Elsewhere;
            }
            &rest[end..]
        }
        None => rest,
    };
    let end = path.find(['?', '#']).unwrap_or(path.len());
    if path[..end] == *url.path() {
        Target::Page
    } else {
        Target::Site
    }
}

fn bare(host: &str) -> &str {
    host.strip_prefix("www.").unwrap_or(host)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn targets_are_told_by_their_looks() {
        let url = Url::parse("https://www.a.example/news/1?x=2").unwrap();
        for (href, target) in [
            ("#top", Target::Here),
            ("/news/1#part", Target::Page),
            ("HTTP://a.example/news/1", Target::Page),
            ("/news/2", Target::Site),
            ("2?from=a:b", Target::Site),
            ("//b.example/news/1", Target::Elsewhere),
            ("mailto:me@a.example", Target::Nowhere),
        ] {
            assert_eq!(target_of(href, &url), target, "{href}");
        }
    }
}
