//! A site that is on another host now: which redirects say so.
//!
//! The redirect for good of a seed, or of the front page of a seed's host, is a sign, but no proof: a domain that
//! was sold points to its buyer's front page or to a parking page, and a host that is down to a notice. So it is
//! believed:
//!
//! - at once where the host is of the same registered domain and the path is the same
//!   (`example.org/` to `www.example.org/`);
//! - at the second visit that finds it, where the domain is the same and the path another one;
//! - with another domain once another page of its host has moved to that host under its own name
//!   (`old.example/p/7` to `new.example/p/7`), at the visits that follow. A parking page, a login and a notice
//!   take all pages to one place.
//!
//! A host that has a name for users, files or checks (`login.`, `cdn.`, `captcha.`) is never the place of a site.

use archive::DueRecord;
use frontier::{CanonicalUrl, HostKey};
use xxhash_rust::xxh3::xxh3_64;

/// First labels of hosts to which no site moves.
const NO_SITES: [&str; 26] = [
    "account",
    "accounts",
    "adfs",
    "assets",
    "auth",
    "captcha",
    "cas",
    "cdn",
    "challenge",
    "consent",
    "error",
    "errors",
    "files",
    "id",
    "identity",
    "idp",
    "images",
    "img",
    "login",
    "media",
    "oauth",
    "passport",
    "signin",
    "sso",
    "static",
    "verify",
];

/// Whether the redirect for good of a page that speaks for its site says that this has moved.
pub(crate) fn is_move(from: &CanonicalUrl, to: &CanonicalUrl, due: &DueRecord) -> bool {
    let host = to.host();
    if is_no_site(&host) {
        return false;
    }
    let is_same_owner = owner(&from.host()) == owner(&host);
    let keeps_path = from.path_and_query() == to.path_and_query();
    let did_before = due.points_to == xxh3_64(to.as_str().as_bytes());
    is_same_owner && (keeps_path || did_before) || due.site_at == hash_of_host(&host)
}

/// The host to which a page has moved under its own name, as a hash; none where it has another name there, or
/// none at all.
pub fn moved_with_its_name(from: &str, to: &str) -> Option<u64> {
    let (from, to) = (
        CanonicalUrl::parse(from).ok()?,
        CanonicalUrl::parse(to).ok()?,
    );
    let host = to.host();
    let moves = from.host() != host && !name(&from).is_empty() && name(&from) == name(&to);
    moves.then(|| hash_of_host(&host))
}

/// Whether a page has the same name elsewhere: the last part of its path.
pub fn has_its_name(from: &str, to: &str) -> bool {
    match (CanonicalUrl::parse(from), CanonicalUrl::parse(to)) {
        (Ok(from), Ok(to)) => !name(&from).is_empty() && name(&from) == name(&to),
        (Ok(_) | Err(_), Ok(_) | Err(_)) => false,
    }
}

/// Whether a redirect leads by way of a login, a check or a consent, from which it goes back to the page: its
/// target has a name for that, or the page's own path in its query.
pub fn is_detour(from: &str, to: &str) -> bool {
    let (Ok(from), Ok(to)) = (CanonicalUrl::parse(from), CanonicalUrl::parse(to)) else {
        return true;
    };
    let mut parts = to.path().split('/');
    let has_name = parts.any(|part| NO_SITES.contains(&part.split('.').next().unwrap_or("")));
    let url = to.to_url();
    let path = from.path();
    let names_page = url
        .query_pairs()
        .any(|(_, value)| path.len() > 1 && value.contains(path));
    is_no_site(&to.host()) || has_name || names_page
}

fn name(url: &CanonicalUrl) -> &str {
    let path = url.path().trim_end_matches('/');
    path.rsplit('/').next().unwrap_or("")
}

fn hash_of_host(host: &HostKey) -> u64 {
    xxh3_64(host.as_str().as_bytes())
}

fn owner(host: &HostKey) -> &str {
    host.registrable().unwrap_or(host.name())
}

fn is_no_site(host: &HostKey) -> bool {
    let first = host.name().split('.').next().unwrap_or("");
    let first = first.trim_end_matches(|letter: char| letter.is_ascii_digit() || letter == '-');
    NO_SITES.contains(&first)
}

#[cfg(test)]
mod tests {
    use super::*;

    const FRONT: &str = "http://example.org/";

    fn url(text: &str) -> CanonicalUrl {
        CanonicalUrl::parse(text).expect("a URL")
    }

    #[track_caller]
    fn check(from: &str, to: &str, due: &DueRecord, moves: bool) {
        assert_eq!(is_move(&url(from), &url(to), due), moves, "{from} {to}");
    }

    #[test]
    fn a_site_moves_within_its_domain_at_once_and_to_another_path_there_at_the_second_visit() {
        let first = DueRecord::default();
        check(FRONT, "http://www.example.org/", &first, true);
        check(FRONT, "http://www.example.org/en/", &first, false);
        let again = DueRecord {
            points_to: xxh3_64(b"http://www.example.org/en/"),
            ..first
        };
        check(FRONT, "http://www.example.org/en/", &again, true);
        check(FRONT, "http://www.example.org/zh/", &again, false);
    }

    #[test]
    fn a_site_moves_to_another_domain_where_another_page_went_there_under_its_name() {
        let to = "http://new.example.com/";
        let mut due = DueRecord {
            points_to: xxh3_64(to.as_bytes()),
            ..DueRecord::default()
        };
        check(FRONT, to, &due, false);
        let host = moved_with_its_name("http://example.org/p/7", "http://new.example.com/a/7/");
        due.site_at = host.expect("it has");
        check(FRONT, to, &due, true);
        check(FRONT, "http://parked.example.net/", &due, false);
    }

    #[test]
    fn what_leads_all_pages_to_one_place_is_no_move() {
        let of = |to| moved_with_its_name("http://example.org/p/7", to);
        assert_eq!(of("http://parked.example.net/"), None);
        assert_eq!(of("http://parked.example.net/?from=/p/7"), None);
        assert_eq!(of("http://example.org/q/7"), None);
        assert_eq!(moved_with_its_name(FRONT, "http://new.example.com/"), None);
    }

    #[test]
    fn no_site_moves_to_a_login_or_to_a_place_for_files() {
        let first = DueRecord::default();
        for host in ["login", "sso", "cdn2", "captcha"] {
            check(FRONT, &format!("http://{host}.example.org/"), &first, false);
        }
    }
}
