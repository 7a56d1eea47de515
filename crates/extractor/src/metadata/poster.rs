//! Who began a thread.

use std::ops::Range;

use html5ever::local_name;

use crate::dom::Attributes;
use crate::flat_dom::{FlatDom, FlatElement};
use crate::survey::Survey;
use crate::tag::Tag;

use super::author::{NAMES_READ_MAX, is_marked, signed};
use super::byline_zone::BylineZone;
use super::name;

/// Who began a thread: the first element between its title and its text that is named after a user or leads to a
/// user's page, the first that is marked as an author, the first named after a user anywhere.
pub(super) fn find(
    flat: &FlatDom<'_>,
    survey: &Survey,
    zone: &BylineZone<'_, '_>,
) -> Option<String> {
    let first =
        |range, fits: fn(&FlatDom<'_>, usize) -> bool| first_named(flat, survey, zone, range, fits);
    let [title, text] = [zone.range.start, zone.text].map(|run| first_behind(flat, run));
    let end = flat.elements.len();
    first(title..text, is_user)
        .or_else(|| first(title..end, is_marked))
        .or_else(|| first(text..end, is_user))
}

/// The first name between a title and its text that is a user's by its class and leads to the user's page or has a date
/// beside it: what is named after users are also the buttons for them.
pub(super) fn named_below_title(
    flat: &FlatDom<'_>,
    survey: &Survey,
    zone: &BylineZone<'_, '_>,
) -> Option<String> {
    let runs = zone.below_title();
    let below = first_behind(flat, runs.start)..first_behind(flat, runs.end);
    let is_dated = |at: &FlatElement<'_>| {
        const RUNS_BESIDE: usize = 2;
        let from = (at.first_run as usize).saturating_sub(RUNS_BESIDE);
        (from..at.end_run as usize + RUNS_BESIDE).any(|run| survey.has_date(run))
    };
    let is_posters = |flat: &FlatDom<'_>, index: usize| {
        is_named(flat, index)
            && (is_dated(&flat.elements[index]) || is_in_link_to_user(flat, index))
            || is_link_to_account(flat, index) && is_dated(&flat.elements[index])
    };
    first_named(flat, survey, zone, below, is_posters)
}

/// The first element from a run on.
fn first_behind(flat: &FlatDom<'_>, run: usize) -> usize {
    let is_before = |element: &FlatElement<'_>| (element.first_run as usize) < run;
    flat.elements.partition_point(is_before)
}

/// The name in the first element of a range that fits and holds one.
fn first_named(
    flat: &FlatDom<'_>,
    survey: &Survey,
    zone: &BylineZone<'_, '_>,
    range: Range<usize>,
    fits: impl Fn(&FlatDom<'_>, usize) -> bool,
) -> Option<String> {
    range
        .filter(|&index| (2..=60).contains(&flat.elements[index].counts.chars))
        .filter(|&index| fits(flat, index))
        .filter(|&index| zone.may_hold(flat.elements[index].first_run as usize))
        .take(NAMES_READ_MAX)
        .find_map(|index| {
            let lines = signed(flat, survey, index);
            lines.iter().find_map(|line| name::clean(line))
        })
}

/// Whether an element is a user's name by its class.
fn is_named(flat: &FlatDom<'_>, index: usize) -> bool {
    const CLASSES: [&str; 15] = [
        "username",
        "bigusername",
        "user-name",
        "user_name",
        "postuser-name",
        "postauthor",
        "p_author_name",
        "authorname",
        "nickname",
        "nick-name",
        "nick_name",
        "usernick",
        "creator",
        "follow-nickname",
        "up-name",
    ];
    let element = &flat.elements[index].element;
    let classes = element.attribute(&local_name!("class")).unwrap_or("");
    let mut classes = classes.split_ascii_whitespace();
    classes.any(|class| CLASSES.iter().any(|c| class.eq_ignore_ascii_case(c)))
}

/// Whether an element is a user's name by its class, or a link to a user's page, or the term over a user's rank.
fn is_user(flat: &FlatDom<'_>, index: usize) -> bool {
    is_named(flat, index) || is_link_to_user(flat, index) || is_over_rank(flat, index)
}

/// Whether an element is the first term of a list of facts on a user, as some forums have it beside a post:
/// `<dt>Ann</dt><dd class=usertitle>Member</dd>`.
fn is_over_rank(flat: &FlatDom<'_>, index: usize) -> bool {
    let element = &flat.elements[index];
    let next = flat.elements.get(element.end as usize);
    let class = next.and_then(|next| next.element.attribute(&local_name!("class")));
    element.tag == Tag::Dt && class.is_some_and(|class| class.contains("usertitle"))
}

fn is_link_to_user(flat: &FlatDom<'_>, index: usize) -> bool {
    let element = &flat.elements[index];
    let href = element.element.attribute(&local_name!("href"));
    element.tag == Tag::A && href.is_some_and(leads_to_user)
}

/// Whether an element is a link to a user's page and to none of those that let users in.
fn is_link_to_account(flat: &FlatDom<'_>, index: usize) -> bool {
    const DOORS: [&str; 11] = [
        "login", "logout", "register", "signup", "signin", "sign_in", "sign_up", "password",
        "settings", "edit", "new",
    ];
    let element = &flat.elements[index];
    let href = element.element.attribute(&local_name!("href"));
    let is_account = |href: &str| {
        let mut folders = href.split(['/', '?', '#']).skip_while(|folder| {
            !matches!(*folder, "u" | "user" | "users" | "space") && !folder.starts_with("space.")
        });
        folders.next().is_some()
            && folders
                .next()
                .is_some_and(|next| !next.is_empty() && !is_file(next))
            && !href
                .split(['/', '?', '#'])
                .any(|folder| DOORS.contains(&folder))
    };
    element.tag == Tag::A && href.is_some_and(is_account)
}

/// Whether a part of a path is a file's name: an account may have a dot, too.
fn is_file(part: &str) -> bool {
    const ENDS: [&str; 6] = ["html", "htm", "php", "aspx", "asp", "jsp"];
    let end = part.rsplit_once('.').map_or("", |(_, end)| end);
    ENDS.contains(&end)
}

/// Whether an element is a link to a user's page, or holds one, or stands in one.
fn is_in_link_to_user(flat: &FlatDom<'_>, index: usize) -> bool {
    const INSIDE_MAX: usize = 16;
    const AROUND_MAX: usize = 3;
    let inside = (index..flat.elements[index].end as usize).take(INSIDE_MAX);
    let around = flat.ancestors(index as u32).take(AROUND_MAX);
    let mut near = inside.chain(around.map(|at| at as usize));
    near.any(|at| is_link_to_user(flat, at))
}

/// Whether a link leads to a user's page, by the names that the software of forums gives to it.
fn leads_to_user(href: &str) -> bool {
    const FOLDERS: [&str; 11] = [
        "member", "members", "user", "users", "u", "profile", "profiles", "people", "space",
        "author", "authors",
    ];
    const FILES: [&str; 9] = [
        "member.php",
        "memberlist.php",
        "profile.php",
        "user.php",
        "u.php",
        "space.php",
        "home.php",
        "userinfo.php",
        "user",
    ];
    let (path, query) = href.split_once(['?', '#']).unwrap_or((href, ""));
    let mut folders = path.split('/').peekable();
    while let Some(folder) = folders.next() {
        let is_user =
            |next: &&str| !next.is_empty() && !next.ends_with(".htm") && !next.ends_with(".html");
        if FOLDERS.contains(&folder) && folders.peek().is_some_and(is_user) {
            return true;
        }
    }
    let file = path.rsplit('/').next().unwrap_or("");
    let numbered = |prefix: &str| {
        let rest = file.strip_prefix(prefix);
        rest.is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()))
    };
    let names_one = query.split(['&', ';']).any(|pair| {
        let name = pair.trim_start_matches("amp").split('=').next();
        matches!(name, Some("u" | "uid" | "id" | "un" | "username"))
    });
    numbered("user-")
        || numbered("space-uid-")
        || (names_one && (FILES.contains(&file) || query.contains("action=profile")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn forums_lead_to_their_users_in_many_ways() {
        for href in [
            "/members/ann.81409/",
            "./memberlist.php?mode=viewprofile&u=123344&sid=e18",
            "member.php?s=e3c9&u=224387",
            "https://a.example/index.php?action=profile;u=261870",
            "https://a.example/user-126792.html",
            "space-uid-12.html",
            "home.php?mod=space&uid=12",
            "/u/ann",
            "user?id=ann",
        ] {
            assert!(leads_to_user(href), "{href}");
        }
        for href in [
            "/members/",
            "/useful/x",
            "member.php",
            "/t/12?u=3",
            "user-list.html",
            "",
            "?uid=3",
            "/u/Uranium.htm",
        ] {
            assert!(!leads_to_user(href), "{href}");
        }
    }

    #[test]
    fn a_users_name_is_one_beside_a_date_in_any_language() {
        let text = "<p>The river rose again on Thursday night, and took the old stone bridge with it, I hear.</p>";
        let author = |beside: &str| {
            let html = format!(
                "<html lang=en><title>The lock</title><article><h1>The lock</h1><div class=username>nadja</div>\
                 <div>{beside}</div>{}</article>",
                text.repeat(4)
            );
            let url = url::Url::parse("https://canal.example/lock").unwrap();
            crate::extract(&html, &crate::PageContext::new(&url)).author
        };
        for date in [
            "12 марта 2024",
            "ngày 12 tháng 3 năm 2024",
            "2 часа назад",
            "hace 2 horas",
        ] {
            assert_eq!(author(date).as_deref(), Some("nadja"), "{date}");
        }
        assert_eq!(author("Send a message"), None);
    }
}
