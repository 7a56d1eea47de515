//! What is taken for the title of a page.

use super::*;

#[test]
fn a_heading_agrees_by_whole_words() {
    assert!(shares_words("What the river took", "The River took it all"));
    assert!(!shares_words(
        "Space to figure things out",
        "Talkspace - therapy"
    ));
    assert!(!shares_words(
        "Family plans for health care",
        "Health insurance"
    ));
}

#[track_caller]
pub(in crate::metadata) fn check_page(head: &str, body: &str, expected: &str) {
    check_page_at("2012/03/eel.html", head, body, expected);
}

#[track_caller]
fn check_page_at(path: &str, head: &str, body: &str, expected: &str) {
    let text =
        "<p>The river rose again on Thursday night, and took the old stone bridge with it.</p>"
            .repeat(3);
    let page = format!("<head>{head}</head><body>{body}{text}");
    let url = Url::parse(&format!("https://www.marsh.example/{path}")).unwrap();
    let page = crate::extract(&page, &crate::PageContext::new(&url));
    assert_eq!(page.title.as_deref(), Some(expected), "{head} {body}");
}

#[test]
fn what_both_declared_titles_begin_with_is_the_title() {
    let titles = |shared: &str, whole: &str| {
        format!("<title>{whole}</title><meta property=og:title content='{shared}'>")
    };
    let head = titles("The lock • r/canals", "The lock : canals");
    check_page(&head, "<h1><a href=/r/canals>canals</a></h1>", "The lock");
    assert_eq!(
        of_both("The lock - part 1", "The lock - part 1 | News"),
        None
    );
    assert_eq!(
        of_both("The lock - part 1", "The lock – Part 1 | News"),
        None
    );
    assert_eq!(of_both("The lock | News", "The lock-keeper | News"), None);
}

#[test]
fn the_name_before_a_bracket_may_be_the_end_of_the_heading() {
    let head = "<title>RiverLock (Canal 21 API)</title>";
    check_page(head, "<h1>Class RiverLock</h1>", "Class RiverLock");
}

#[test]
fn a_heading_that_leads_to_the_front_page_is_the_sites_name() {
    let logo = "<h1 class=title><a href=/>Marsh walks</a></h1>";
    let title = "<title>Marsh walks: The eel fisher</title>";
    check_page(
        title,
        &format!("{logo}<h3 class=entry-title>The eel fisher</h3>"),
        "The eel fisher",
    );
    check_page(title, logo, "The eel fisher");
    check_page(
        title,
        "<h1>Marsh walks: The eel fisher</h1>",
        "Marsh walks: The eel fisher",
    );
}

#[test]
fn of_two_headings_that_the_title_repeats_that_nearer_to_the_content_is_the_title() {
    let text = "<p>The eels come up with the tide of spring, while the days are short and the wind \
        is still cold, and go down again with the last tide of autumn, when nobody sees them leave.";
    let page = format!("<h2>The eel fisher</h2>{}", text.repeat(5));
    let bar =
        "<nav><ul><li>Search<li>Print</ul><h1>Marsh walks, the book</h1><a href=/a>Next</a></nav>";
    let footer = "<footer><p>Imprint<p>Contact<h1>Marsh walks, the book</h1></footer>";
    for title in [
        "The eel fisher - Marsh walks, the book",
        "Marsh walks, the book - The eel fisher",
    ] {
        let title = format!("<title>{title}</title>");
        check_page(&title, &format!("{bar}{page}"), "The eel fisher");
        check_page(&title, &format!("{page}{footer}"), "The eel fisher");
    }
    // A section over the text is named behind the title.
    let meta = "<p>By the marsh<p>Read by many";
    for above in [
        format!("<div class=hero><h1>The eel fisher</h1></div>{meta}"),
        format!("<main><h1>The eel fisher</h1>{meta}"),
    ] {
        let page = format!("{above}<h2>Reviews</h2>{}", text.repeat(5));
        check_page(
            "<title>The eel fisher - Reviews</title>",
            &page,
            "The eel fisher",
        );
    }
}

#[test]
fn what_stands_over_a_menu_or_a_page_is_no_title_beside_the_heading() {
    let menu = "<nav><h2>In marsh::eels</h2><ul><li><a href=a>catch</a></ul></nav>";
    check_page(
        "<title>catch_all in marsh::eels - Walks</title>",
        &format!("{menu}<h1>Function marsh::eels::catch_all</h1>"),
        "catch_all in marsh::eels - Walks",
    );
    check_page(
        "<title>catch_all - The Marsh Server Version 2.4</title>",
        "<p>The Marsh Server Version 2.4</p><h1>Module catch_all</h1>",
        "Module catch_all",
    );
}

#[test]
fn a_heading_in_an_answer_is_no_title_though_the_title_begins_with_its_word() {
    let head = "<title>eels - How do I catch them all? - Marsh walks</title>\
        <meta property=og:title content='How do I catch them all?'>";
    let text = "<p>They come up with the tide of spring, and go down with that of autumn.</p>";
    let body = format!("<h1>How do I catch them all?</h1>{text}<h1>Eels</h1>");
    check_page(head, &body, "How do I catch them all?");
}

#[test]
fn a_title_in_two_headings_that_name_no_author_is_both_together() {
    for (first, second) in [
        ("<h2>Summer in</h2>", "<h1>Barcelona</h1>"),
        ("<h1>The Great</h1>", "<h2>Gatsby</h2>"),
        ("<h1>Getting started</h1>", "<h2>Installation guide</h2>"),
        (
            "<h1>春天里的江南水乡之行</h1>",
            "<h2>第一场雨落在老石桥上</h2>",
        ),
    ] {
        let body = format!("{first}{second}");
        let text = |heading: &str| heading[4..heading.len() - 5].to_owned();
        let title = format!("{} {}", text(first), text(second));
        check_page(&format!("<title>{title}</title>"), &body, &title);
        let head = format!("<title>{title} | Daily walks</title>");
        check_page(&head, &body, &title);
    }
    // Nothing but its form tells that it is a person's name.
    for (first, second) in [
        ("Ann Lane", "The eel fisher"),
        ("The eel fisher", "Ann Lane"),
    ] {
        let title = format!("<title>{first} {second}</title>");
        check_page(
            &title,
            "<h1>The eel fisher</h1><h2>Ann Lane</h2>",
            "The eel fisher",
        );
    }
    let author = "<h1>The eel fisher</h1><h2 class=author>Ann Lane</h2>";
    check_page(
        "<title>Ann Lane The eel fisher</title>",
        author,
        "The eel fisher",
    );
}

#[test]
fn a_work_over_its_parts_is_not_the_title_of_all() {
    for title in ["我在乡下开书店的故事-第三章", "The long way home - Part 2"] {
        let work = title.split('-').next().unwrap().trim();
        let head = format!("<title>{title}</title>");
        check_page(&head, &format!("<h1>{work}</h1>"), title);
        let shared = format!("{head}<meta property=og:title content='{work}'>");
        check_page(&shared, "", title);
        check_page(&shared, &format!("<h1>{work}</h1>"), title);
        // A bare number, a channel and three letters are the site's.
        for site in ["24", "TV 2", "III"] {
            let head =
                format!("<title>{work} - {site}</title><meta property=og:title content='{work}'>");
            check_page(&head, &format!("<h1>{work}</h1>"), work);
        }
    }
}

#[test]
fn a_linked_heading_in_brackets_at_the_end_of_the_title_is_the_sites_name() {
    let logo = "<h1 class=logo><a href=/doku.php?id=start>Marsh walks</a></h1>";
    for title in [
        "howto:eel_fisher [Marsh walks]",
        "The eel fisher [Marsh walks]",
    ] {
        check_page_at(
            "doku.php?id=howto:eel_fisher",
            &format!("<title>{title}</title>"),
            &format!("{logo}<h1>The eel fisher</h1>"),
            "The eel fisher",
        );
    }
    let title = "<title>The eel fisher [Marsh walks]</title>";
    check_page(title, logo, "The eel fisher");
}

#[test]
fn the_title_that_authorities_declare_is_the_title() {
    let head =
        "<title>某市人民政府 政策文件 海堤修复</title><meta name=SiteName content=某市人民政府>";
    let named = |title: &str| format!("{head}<meta name=ArticleTitle content={title}>");
    check_page(&named("海堤修复"), "<h1>某市人民政府</h1>", "海堤修复");
    check_page(&named("某市人民政府"), "", "某市人民政府 政策文件 海堤修复");
}

#[test]
fn a_short_name_over_the_text_that_the_title_begins_with_is_the_title() {
    let title = "<title>陈涛-某某大学计算机学院</title>";
    check_page(title, "<div><h2>陈涛</h2><p>职称：教授</p></div>", "陈涛");
    // A section's name was taken for a person's.
    for title in ["公司新闻-海堤修复工程启动", "通知公告_关于海堤修复的通知"]
    {
        let (section, expected) = title.split_once(['-', '_']).unwrap();
        let body = format!("<h2>{section}</h2><div>{expected}</div>");
        check_page(&format!("<title>{title}</title>"), &body, expected);
    }
    let title = "<title>学院-海堤修复工程</title>";
    check_page(title, "<h2>学院</h2><h2>海堤修复工程</h2>", "海堤修复工程");
}

#[test]
fn of_the_author_and_the_title_in_two_headings_the_title_is_chosen() {
    let title = "<title>北村透 川辺の家</title>";
    check_page(title, "<h1>川辺の家</h1><h2>北村透</h2>", "川辺の家");
    check_page(title, "<h2>川辺の家</h2><h2>北村透</h2>", "川辺の家");
    check_page(
        title,
        "<h1 class=author>北村透</h1><h2 class=title>川辺の家</h2>",
        "川辺の家",
    );
    let declared = format!(
        "{title}<meta name=DC.Title content=川辺の家><meta name=DC.Creator content=北村透>"
    );
    check_page(
        &declared,
        "<h2>北村透</h2><p>小説</p><h1>川辺の家</h1>",
        "川辺の家",
    );
    check_page(
        "<title>北村透 - 川辺の家</title>",
        "<h1>川辺の家</h1><h2 class=author>北村透</h2>",
        "川辺の家",
    );
    // The page of an author has the name as its title.
    check_page(
        "<title>北村透 作品一覧</title>",
        "<h1 class=author>北村透</h1>",
        "北村透",
    );
}

#[test]
fn what_the_title_for_sharing_says_and_the_title_begins_with_is_the_title() {
    let title = "观察｜小城书店如何活下来";
    for site in [" - 某红书", "｜さとう", "_某某新闻", " | 某站"] {
        let head =
            format!("<title>{title}{site}</title><meta property=og:title content='{title}'>");
        check_page(&head, "", title);
    }
    let head = "<title>小城书店如何活下来 | 江畔周报 - 新闻</title><meta property=og:site_name content=江畔周报>\
        <meta property=og:title content='小城书店如何活下来 | 江畔周报'>";
    check_page(head, "", "小城书店如何活下来");
}

#[test]
fn of_two_lines_that_are_the_ends_of_the_title_it_is_that_below() {
    for (title, site) in [
        ("Trip report", "Friends of the Old Railway Society"),
        ("学院概况", "某某大学计算机学院"),
    ] {
        let head = format!("<title>{title} - {site}</title>");
        check_page(
            &head,
            &format!("<div>{site}</div><p><b>{title}</b></p>"),
            title,
        );
    }
}

#[test]
fn a_word_with_marks_is_a_things_own_name_unless_the_url_has_it() {
    for title in ["pthread_create", "AC/DC", "std::sort"] {
        let head = format!("<title>{title}</title>");
        check_page(&head, "<h1>The manual of all things</h1>", title);
    }
}

#[test]
fn a_line_that_is_the_longer_end_of_the_title_is_the_title() {
    for (title, line) in [
        (
            "某某学院>>通知公告>>海堤修复工程方案发布",
            "海堤修复工程方案发布",
        ),
        ("某某学院-海堤修复工程", "海堤修复工程"),
        (
            "Marsh :: View topic - What the eel fisher took",
            "What the eel fisher took",
        ),
    ] {
        let head = format!("<title>{title}</title>");
        check_page(&head, &format!("<div>{line}</div>"), line);
    }
}
