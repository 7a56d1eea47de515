//! What a program writes into `<title>` for want of a title: a word for it, or nothing before the sign and the site's name.

use url::Url;

use crate::flat_dom::FlatDom;
use crate::survey::Survey;

use super::heading::{Heading, has_logo};
use super::title::letters;
use super::without_site::{SEPARATORS, is_quotation, label_of};

/// The sign that a `<title>` begins with and what stands behind it. A program wrote nothing before the sign, unless it
/// is a quotation mark.
pub(super) fn behind_sign(title: &str) -> Option<(&'static str, &str)> {
    let apart = SEPARATORS.iter().filter(|one| one.starts_with(' '));
    let mut signs = apart.map(|one| one.trim_start());
    let sign = signs.find_map(|sign| Some((sign, title.strip_prefix(sign)?)));
    sign.filter(|(sign, _)| !is_quotation(title, 0, sign))
}

/// A `<title>` without a sign at its beginning; nothing where the site's name alone stands behind that, or a word for want of
/// a title.
pub(super) fn without_sign(
    title: String,
    flat: &FlatDom<'_>,
    survey: &Survey,
    headings: &[Heading],
    site_name: Option<&str>,
    url: &Url,
) -> String {
    let Some((sign, rest)) = behind_sign(&title) else {
        return title_or_nothing(title);
    };
    match says_title(flat, survey, (sign, rest), headings, site_name, url) {
        true => rest.to_owned(),
        false => String::new(),
    }
}

fn title_or_nothing(title: String) -> String {
    match is_placeholder(&title) {
        true => String::new(),
        false => title,
    }
}

/// Whether what stands behind a sign at the beginning of `<title>` is the page's title and not the site's name alone. Older
/// WordPress writes » before the title, and a dash is a quotation's; another sign stands before the site's name, unless
/// a heading repeats the rest over which another one stands, or none.
fn says_title(
    flat: &FlatDom<'_>,
    survey: &Survey,
    (sign, rest): (&str, &str),
    headings: &[Heading],
    site_name: Option<&str>,
    url: &Url,
) -> bool {
    let name = letters(rest);
    let count = |text: &str| text.chars().count();
    let known = [site_name.map(letters), Some(label_of(url))];
    let mut known = known.into_iter().flatten().filter(|site| count(site) >= 2);
    let is_site = known.any(|site| {
        site.contains(&name) || name.contains(&site) && count(&site) * 2 >= count(&name)
    }) || headings
        .iter()
        .any(|heading| heading.is_home && heading.letters == name)
        || has_logo(flat, survey, &name, url);
    let is_before_title = matches!(sign.trim_end(), "»" | "—" | "–");
    let repeats = |heading: &Heading| heading.letters == name;
    let is_below =
        headings.iter().skip(1).any(repeats) || headings.len() == 1 && repeats(&headings[0]);
    !is_site && (is_before_title || is_below)
}

/// Whether a `<title>` is the site's name and no more, on a page that is not its front and has a heading of its own: some sites
/// have one `<title>` for all pages.
pub(super) fn is_site_alone(
    title: &str,
    flat: &FlatDom<'_>,
    survey: &Survey,
    headings: &[Heading],
    site_name: Option<&str>,
    url: &Url,
) -> bool {
    let name = letters(title);
    let is_front = url.path() == "/" && url.query().is_none();
    let has_own = |heading: &Heading| {
        !heading.is_home && !heading.is_in_menu && !heading.is_author && heading.letters != name
    };
    let says = |heading: &Heading| heading.letters == name && !heading.is_home;
    !name.is_empty()
        && !is_front
        && headings.iter().any(has_own)
        && !headings.iter().any(says)
        && match site_name.map(letters) {
            Some(site) => site == name,
            None => has_logo(flat, survey, &name, url),
        }
}

/// Whether a `<title>` is what a program writes for want of one.
fn is_placeholder(title: &str) -> bool {
    const PLACEHOLDERS: [&str; 12] = [
        "untitled",
        "untitleddocument",
        "untitledpage",
        "newpage1",
        "notitle",
        "document",
        "index",
        "无标题文档",
        "无标题页",
        "無標題文件",
        "新建网页1",
        "無題ドキュメント",
    ];
    PLACEHOLDERS.contains(&letters(title).as_str())
}

#[cfg(test)]
mod tests {
    use super::super::title::tests::check_page;

    #[test]
    fn nothing_before_the_sites_name_is_no_title() {
        check_page(
            "<title> | Marsh walks</title>",
            "<h1>The eels</h1>",
            "The eels",
        );
        check_page("<title> | Marsh walks</title>", "", "| Marsh walks");
    }

    #[test]
    fn a_sign_before_nothing_may_stand_before_the_title() {
        for sign in ["&raquo;", "—"] {
            let title = format!("<title> {sign} The eel fisher's way</title>");
            let expected = "The eel fisher's way";
            check_page(&title, "<h1>Daily walks</h1>", expected);
            check_page(&title, "<h1>Daily walks</h1><h2>Essays</h2>", expected);
            let post = "<h1>Daily walks</h1><h2 class=entry-title>The eel fisher's way</h2>";
            check_page(&title, post, expected);
            let bar = title.replace(sign, "|");
            check_page(&bar, post, expected);
        }
        check_page(
            "<title> &raquo; 海堤修复工程</title>",
            "<h1>江畔新闻网</h1>",
            "海堤修复工程",
        );
        for sign in ["&raquo;", "|", "-"] {
            let title = format!("<title> {sign} Daily walks</title>");
            let logo = "<div><a href=/>Daily walks</a></div><h1>The eels</h1>";
            check_page(&title, logo, "The eels");
            let site = format!("{title}<meta property=og:site_name content='Daily walks'>");
            check_page(&site, "<h1>The eels</h1>", "The eels");
        }
    }

    #[test]
    fn the_sites_name_alone_is_no_title_of_a_page_with_a_heading() {
        let title = "<title>Daily walks</title>";
        let logo = "<div><a href=/>Daily walks</a></div>";
        check_page(title, &format!("{logo}<h1>The eels</h1>"), "The eels");
        check_page(title, &format!("{logo}<h2>The eels</h2>"), "The eels");
        check_page(title, &format!("{logo}<h1>Daily walks</h1>"), "Daily walks");
        let site = format!("{title}<meta property=og:site_name content='Daily walks'>");
        let shared = format!("{site}<meta property=og:title content='Daily walks'>");
        check_page(&shared, "<h1>The eels</h1>", "The eels");
        check_page(&site, "", "Daily walks");
    }

    #[test]
    fn a_quotation_mark_at_the_beginning_is_no_sign() {
        let title = "<title>« Les Misérables » revient au théâtre de la ville | Le Journal</title>";
        let logo = "<h1><a href=/>Le Journal</a></h1>";
        let expected = "« Les Misérables » revient au théâtre de la ville";
        check_page(title, logo, expected);
    }

    #[test]
    fn what_a_program_writes_for_want_of_a_title_gives_way_to_the_heading() {
        for title in ["无标题文档", "Untitled Document", "Untitled", "New Page 1"] {
            check_page(
                &format!("<title>{title}</title>"),
                "<h2>海堤修复</h2>",
                "海堤修复",
            );
        }
    }
}
