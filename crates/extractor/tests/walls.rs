//! Walls are found, and pages that have a wall's words or marks without being one are not.
//!
//! `walls/pages.rs` has walls as vendors write them, each made into several pages: as it is, in a
//! site's own frame, with other names and numbers, and without its scripts where its words remain.

#[path = "walls/pages.rs"]
mod pages;

use extractor::{PageContext, PageType, extract};
use outcome::{Wall, WallKind};
use url::Url;

fn wall_of(url: &str, html: &str) -> Option<Wall> {
    let url = Url::parse(url).expect("a URL");
    let page = extract(html, &PageContext::new(&url));
    assert_eq!(page.wall.is_some(), page.page_type == PageType::Wall);
    page.wall
}

/// Of 200 pages and more at least 98 in 100 are found, with their kind.
#[test]
fn made_up_walls_of_many_vendors_are_found() {
    let made = pages::walls();
    assert!(made.len() >= 200, "{} pages", made.len());
    let vendors: std::collections::HashSet<_> = made.iter().map(|page| page.vendor).collect();
    assert!(vendors.len() >= 12, "{} vendors", vendors.len());
    let chinese = made.iter().filter(|page| page.is_chinese()).count();
    assert!(chinese >= 50, "{chinese} Chinese pages");
    let (mut missed, mut other_kind) = (Vec::new(), Vec::new());
    for page in &made {
        match wall_of("https://www.example.com/news/4711.html", &page.html) {
            None => missed.push(format!("{} {} ({})", page.vendor, page.variant, page.kind)),
            Some(wall) if wall.kind != page.kind => other_kind.push(format!(
                "{} {}: {} for {}",
                page.vendor, page.variant, wall.kind, page.kind
            )),
            Some(wall) => assert!(wall.sureness >= 0.9 && !wall.because.is_empty(), "{wall:?}"),
        }
    }
    println!(
        "{} of {} found; kinds: {other_kind:?}",
        made.len() - missed.len(),
        made.len()
    );
    assert!(missed.len() * 50 <= made.len(), "{missed:#?}");
    // The kinds that turn a visitor away shade into each other.
    assert!(other_kind.len() * 10 <= made.len(), "{other_kind:#?}");
}

/// Pages that speak of walls, or have a wall's script, and are none.
#[test]
fn pages_with_a_walls_words_or_marks_are_no_walls() {
    for (name, html) in pages::no_walls() {
        let wall = wall_of("https://www.example.com/blog/post", &html);
        assert_eq!(wall, None, "{name}");
    }
}

#[test]
fn a_header_tells_of_a_wall_without_a_word() {
    let url = Url::parse("https://www.example.com/").expect("a URL");
    let headers = [("cf-mitigated".to_owned(), b"challenge".to_vec())];
    let context = PageContext {
        headers: &headers,
        ..PageContext::new(&url)
    };
    let wall = extract("<title>x</title>", &context).wall.expect("a wall");
    assert_eq!(
        (wall.kind, wall.vendor.as_deref()),
        (WallKind::Bot, Some("cloudflare"))
    );
}

#[test]
fn the_page_to_sign_in_on_is_no_wall_under_its_own_address() {
    let html = "<title>Log in</title><form><p>Please log in to continue.<input name=user>\
        <input type=password name=password><a href=/lost>Forgot your password?</a></form>";
    assert_eq!(
        wall_of("https://www.example.com/login?next=%2Fa", html),
        None
    );
    // A section for members and the page of an author are no pages to sign in on.
    for path in [
        "a",
        "members/report",
        "author/jane",
        "accounting/2021",
        "member-stories",
    ] {
        let url = format!("https://www.example.com/{path}");
        let wall = wall_of(&url, html).expect("a wall");
        assert_eq!(wall.kind, WallKind::Login, "{path}");
    }
    for path in [
        "wp-login.php",
        "user/sign_in",
        "member.php?mod=logging",
        "Account/",
    ] {
        let url = format!("https://www.example.com/{path}");
        assert_eq!(wall_of(&url, html), None, "{path}");
    }
}

#[test]
fn a_title_is_a_walls_if_nothing_else_is_in_it() {
    for (title, is_walls) in [
        ("Access denied", true),
        ("域名出售", true),
        ("Access denied: a film", false),
        ("The bridge", false),
        ("", false),
    ] {
        assert_eq!(extractor::is_said_by_walls(title), is_walls, "{title}");
    }
}

#[test]
fn a_wall_of_words_may_be_acquitted_and_one_with_its_vendors_mark_may_not() {
    let url = Url::parse("https://www.example.com/a").expect("a URL");
    let read = |html| extract(html, &PageContext::new(&url));
    let words = "<title>Oops</title><h1>Oops</h1><p>Please log in to continue.";
    let mut page = read(words);
    assert_eq!(page.page_type, PageType::Wall);
    page.acquit();
    assert_eq!((page.wall, page.page_type == PageType::Wall), (None, false));
    let mut page = read("<title>Just a moment...</title><script>window._cf_chl_opt={}</script>");
    page.acquit();
    assert!(page.wall.is_some());
}
