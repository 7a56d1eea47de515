//! Answers made by hand, and what they are read as.

use std::path::Path;
use std::time::{Duration, Instant};

use fetcher::Truncated;
use frontier::{
    CanonicalUrl, Frontier, FrontierConfig, FrontierUrl, Gate, HostKey, Next, Permission,
};
use outcome::{LowYield, SitemapKind};
use state::Answer;
use state::context::UrlContext;
use state::finding::FoundLink;

use super::*;

struct Open;

impl Gate for Open {
    fn check(&mut self, _: &HostKey, _: &CanonicalUrl) -> Permission {
        Permission::Allowed
    }
}

fn lease() -> Lease {
    lease_of(|_| {})
}

/// A lease of a seed that is changed before it comes in.
fn lease_of(change: impl FnOnce(&mut FrontierUrl)) -> Lease {
    let now = Instant::now();
    let mut frontier = Frontier::in_memory(FrontierConfig::default(), now);
    let url = CanonicalUrl::parse("http://a.example/x").expect("a URL");
    let mut seed = FrontierUrl::seed(url, 0);
    change(&mut seed);
    frontier.admit(seed).expect("admits");
    match frontier.next(now, &mut Open).expect("a turn") {
        Next::Lease(lease) => lease,
        other => panic!("{other:?}"),
    }
}

fn read(status: u16, content_type: &str, body: &str, purpose: Purpose) -> Reading {
    read_cut(status, content_type, body, purpose, None)
}

fn read_cut(
    status: u16,
    content_type: &str,
    body: &str,
    purpose: Purpose,
    truncated: Option<Truncated>,
) -> Reading {
    read_fetched(fetched(status, content_type, body, truncated), purpose)
}

fn fetched(status: u16, content_type: &str, body: &str, truncated: Option<Truncated>) -> Fetched {
    let headers = vec![
        ("content-type".into(), content_type.as_bytes().to_vec()),
        ("location".into(), b"/y".to_vec()),
    ];
    let url = url::Url::parse("http://a.example/x").expect("a URL");
    Fetched {
        truncated,
        ..Fetched::new(url, status, headers, body.to_owned())
    }
}

fn read_fetched(fetched: Fetched, purpose: Purpose) -> Reading {
    read_by(&CrawlConfig::default(), fetched, purpose)
}

fn read_by(config: &CrawlConfig, fetched: Fetched, purpose: Purpose) -> Reading {
    let visit = Visit {
        lease: lease(),
        purpose,
        answer: Answer {
            fetched: Ok(fetched),
            started_ms: 0,
            took: Duration::ZERO,
        },
    };
    let reader = Reader::new(config, Texts::of(Path::new("")));
    match reader.read_at_once(ToReader::Visit(Box::new(visit))) {
        Finding::Url(found) => found.reading,
        Finding::Robots(_) => panic!("a page was asked for"),
    }
}

#[test]
fn an_answer_is_what_its_status_says_before_its_type_is_looked_at() {
    let page = |status| read(status, "text/html", "<p>words", Purpose::Page);
    assert!(matches!(page(200), Reading::Page(_)));
    assert!(matches!(page(404), Reading::Page(_)));
    assert!(matches!(page(301), Reading::Redirect(Ok(to)) if to.as_str().ends_with("/y")));
    let kind = |status| match page(status) {
        Reading::Failed {
            kind, transient, ..
        } => (kind, transient),
        other => panic!("{other:?}"),
    };
    assert_eq!(kind(503), (FailureKind::Http(503), true));
    assert_eq!(kind(501), (FailureKind::Http(501), false));
    // Nothing was known of it, so it cannot be as it was: the URL was finished with that, unread.
    assert_eq!(kind(304), (FailureKind::Http(304), true));
}

#[test]
fn a_feed_that_is_sent_as_a_text_or_as_data_is_a_feed_where_feeds_are_followed() {
    // Its XML was kept as a page.
    let rss = "<?xml version=\"1.0\"?><rss><channel><item><link>http://a.example/1</link></item></channel></rss>";
    let json = r#"{"version": "https://jsonfeed.org/version/1.1", "items": [{"url": "/1"}]}"#;
    let mut config = CrawlConfig::default();
    for (content_type, feed) in [
        ("text/plain", rss),
        ("application/feed+json", json),
        ("application/json", json),
    ] {
        let fetched = || fetched(200, content_type, feed, None);
        config.again = None;
        let without = read_by(&config, fetched(), Purpose::Page);
        assert!(matches!(without, Reading::NoPage { .. }), "{without:?}");
        config.again = Some(Default::default());
        let with = read_by(&config, fetched(), Purpose::Page);
        let Reading::Sitemap(with) = with else {
            panic!("{with:?}");
        };
        assert_eq!(with.urls[0].0.as_str(), "http://a.example/1");
    }
}

#[test]
fn a_seed_that_only_forwards_its_readers_redirects() {
    // Its target was out of scope, and the crawl was empty.
    let read_seed = |body: &str| read(200, "text/html", body, Purpose::Page);
    let to =
        |delay: u32| format!("<meta http-equiv=refresh content='{delay};url=//www.b.example/'>");
    let forwarded = read_seed(&format!("{}<p>One moment.", to(3)));
    assert!(
        matches!(forwarded, Reading::Redirect(Ok(to)) if to.as_str() == "http://www.b.example/")
    );
    let script = "<script>location.replace('//www.b.example/')</script>";
    let by_script = read_seed(&format!("{script}<p>One moment."));
    assert!(
        matches!(by_script, Reading::Redirect(Ok(to)) if to.as_str() == "http://www.b.example/")
    );
    let handler = "<body onload=\"setTimeout('location=\\'//www.b.example/\\'', 3000)\">";
    let by_handler = read_seed(&format!("{handler}<p>One moment."));
    assert!(
        matches!(by_handler, Reading::Redirect(Ok(to)) if to.as_str() == "http://www.b.example/")
    );
    for page in [
        format!("{script}<p>{}", "A page of its own. ".repeat(20)),
        to(30),
        format!("{}<p>{}", to(0), "A page of its own. ".repeat(20)),
        "<meta http-equiv=refresh content=0>".to_owned(),
        "<meta http-equiv=refresh content='0;url=/x'>".to_owned(),
        format!("{}<meta name=robots content=nofollow>", to(0)),
    ] {
        assert!(matches!(read_seed(&page), Reading::Page(_)), "{page}");
    }
}

#[test]
fn a_page_that_is_in_another_encoding_than_declared_says_so() {
    let page = format!("<meta charset=gb2312><p>{}", "汉字".repeat(200));
    let Reading::Page(page) = read(200, "text/html", &page, Purpose::Page) else {
        panic!("a page");
    };
    assert_eq!(page.charset, "UTF-8");
    assert_eq!(page.limits_hit, ["charset: GBK declared, UTF-8 found"]);
}

#[test]
fn the_next_of_a_series_and_other_languages_are_links_and_print_forms_are_none() {
    let page = "<link rel=next href=/2><link rel=alternate hreflang=de href=/de>\
                <link rel=alternate media=print href=/print><p>words";
    let Reading::Page(page) = read(200, "text/html", page, Purpose::Page) else {
        panic!("a page");
    };
    let target = |link: &FoundLink| link.target.as_ref().unwrap().path().to_owned();
    let links: Vec<_> = page
        .links
        .iter()
        .map(|link| (target(link), link.rel.as_str()))
        .collect();
    assert_eq!(
        links,
        [("/2".to_owned(), "next"), ("/de".to_owned(), "alternate")]
    );
}

#[test]
fn a_body_shorter_than_announced_is_read_at_once_if_it_is_whole_by_its_own_end() {
    // Each page of a server that announces a wrong length was fetched four times.
    let cut = |body| {
        let cut = Some(Truncated::Disconnect);
        read_cut(200, "text/html", body, Purpose::Page, cut)
    };
    let Reading::Page(page) = cut("<html><p>words</p></html>\n") else {
        panic!("a page");
    };
    assert_eq!(page.limits_hit, [WHOLE_BY_ITS_END]);
    let Reading::Failed {
        kind, transient, ..
    } = cut("<html><p>words")
    else {
        panic!("it is cut");
    };
    assert_eq!((kind, transient), (FailureKind::Truncated, true));
    let map = "<urlset><url><loc>http://a.example/1</loc></url></urlset>";
    let late = Some(Truncated::Time);
    let read = read_cut(200, "text/xml", map, Purpose::Sitemap, late);
    assert!(matches!(read, Reading::Sitemap(map) if map.problem.is_none()));
}

/// A page that came with these headers.
fn read_with(status: u16, headers: &[(&str, &str)], body: &[u8]) -> Reading {
    let headers = headers.iter();
    let headers = headers
        .map(|(name, value)| ((*name).into(), value.as_bytes().to_vec()))
        .collect();
    let url = url::Url::parse("http://a.example/x").expect("a URL");
    let fetched = Fetched::new(url, status, headers, body.to_vec());
    read_fetched(fetched, Purpose::Page)
}

#[track_caller]
fn is_asked_again(reading: &Reading, because: &str) {
    let Reading::Failed {
        kind: FailureKind::Truncated,
        detail,
        transient: true,
    } = reading
    else {
        panic!("{reading:?}");
    };
    assert!(detail.contains(because), "{detail}");
}

#[test]
fn a_compressed_stream_without_its_end_is_asked_for_again_whatever_its_coding() {
    // Half of a page was kept of gzip and deflate, and zstd was asked for again.
    const HALF_GZIP: &[u8] = b"\x1f\x8b\x08\0\0\0\0\0\0\x03\xb3)\xb0\xcbH\xcd\xc9\xc9";
    const HALF_ZLIB: &[u8] = b"x\x9c\xb3)\xb0\xcbH\xcd\xc9\xc9";
    for (coding, half) in [("gzip", HALF_GZIP), ("deflate", HALF_ZLIB)] {
        let read = read_with(200, &[("content-encoding", coding)], half);
        is_asked_again(&read, "compressed stream");
    }
    // A page that is there to its last tag lacks a checksum alone.
    let whole = b"\x1f\x8b\x08\0\0\0\0\0\0\x03\0\x15\0\xea\xff<html><p>words</html>";
    let read = read_with(200, &[("content-encoding", "gzip")], whole);
    let Reading::Page(page) = read else {
        panic!("{read:?}");
    };
    assert_eq!(page.page.text, "words");
    assert!(page.cut.is_none());
}

#[test]
fn a_part_that_nobody_asked_for_is_no_page() {
    let html = [("content-type", "text/html")];
    for part in [&b"<p>words"[..], b"words</p></html>"] {
        let part_of = [html[0], ("content-range", "bytes 0-7/80")];
        is_asked_again(&read_with(206, &part_of, part), "a part of the body");
    }
    // Nobody asked for a part, and this one does not say that it is one.
    let read = read_with(206, &html, b"<p>words");
    assert!(matches!(read, Reading::Page(page) if page.cut.is_none()));
    let all = [html[0], ("content-range", "bytes 0-7/8")];
    let read = read_with(206, &all, b"<p>words");
    assert!(matches!(read, Reading::Page(page) if page.cut.is_none()));
}

#[test]
fn a_binary_file_is_no_page_and_named_by_what_it_is() {
    // It was read as a page in windows-1252, and kept.
    for content_type in ["text/html", "text/plain; charset=utf-8"] {
        let read = read(200, content_type, "%PDF-1.4\n1 0 obj", Purpose::Page);
        assert!(matches!(read, Reading::NoPage { .. }), "{read:?}");
    }
    let page = "\u{feff}<p>words".encode_utf16();
    let page: Vec<u8> = page.flat_map(u16::to_le_bytes).collect();
    let read = read_with(200, &[("content-type", "text/html")], &page);
    assert!(matches!(read, Reading::Page(page) if page.page.text == "words"));
}

#[test]
fn what_is_no_text_is_no_page_and_a_sitemap_is_read_as_one() {
    let binary = read(200, "image/png", "\u{89}PNG", Purpose::Page);
    assert!(matches!(binary, Reading::NoPage { .. }));
    let map = "<urlset><url><loc>http://a.example/1</loc></url></urlset>";
    let Reading::Sitemap(map) = read(200, "text/xml", map, Purpose::Sitemap) else {
        panic!("a sitemap");
    };
    assert_eq!((map.kind, map.urls.len()), (SitemapKind::Urlset, 1));
    let Reading::Sitemap(map) = read(200, "text/html", "<p>no", Purpose::Sitemap) else {
        panic!("a sitemap was asked for");
    };
    assert!(map.problem.is_some());
}

#[test]
fn what_a_sitemap_named_is_read_as_what_it_is() {
    // A list of sitemaps as pages brought nothing, and of an index of pages each was fetched and thrown away.
    let config = CrawlConfig::default();
    let read = |lease: Lease, purpose, body: &str| {
        let fetched = fetched(200, "text/html", body, None);
        let reader = Reader::new(&config, Texts::of(Path::new("")));
        reader.read_answer(
            (&lease, purpose, false),
            &fetched,
            &mut String::new(),
            &mut None,
        )
    };
    let map = "<urlset><url><loc>http://a.example/1</loc></url></urlset>";
    let page = "<p>words<script>location='/home'</script>";
    let as_page = || lease_of(|url| url.depth = 1);
    let as_sitemap = || lease_of(|url| url.context = UrlContext::of_index().to_bytes());
    let by_robots = || lease_of(|url| url.context = UrlContext::sitemap().to_bytes());
    let linked = || {
        lease_of(|url| {
            url.depth = 1;
            url.via = Some(1);
        })
    };
    let found = read(as_page(), Purpose::Page, map);
    assert!(matches!(found, Reading::Sitemap(map) if map.kind == SitemapKind::Urlset));
    assert!(matches!(
        read(as_page(), Purpose::Page, page),
        Reading::Page(_)
    ));
    assert!(matches!(
        read(linked(), Purpose::Page, map),
        Reading::Page(_)
    ));
    let found = read(as_sitemap(), Purpose::Sitemap, page);
    assert!(
        matches!(found, Reading::Page(_)),
        "no seed, and left by no script: {found:?}"
    );
    for (lease, body) in [
        (as_sitemap(), map),
        (as_sitemap(), "%PDF-1.4\n1 0 obj"),
        (by_robots(), page),
    ] {
        assert!(matches!(
            read(lease, Purpose::Sitemap, body),
            Reading::Sitemap(_)
        ));
    }
}

#[test]
fn a_url_that_is_not_asked_for_is_refused_or_failed_as_its_host_was() {
    let refusal = Refusal::LowYield(LowYield::UrlForm {
        host: "a.test".into(),
    });
    let reading = refused(Refused::Refusal(refusal.clone()));
    assert!(matches!(reading, Reading::Refused(why) if why == refusal));
    let reading = refused(Refused::Unreachable {
        failure: FailureKind::Dns,
        detail: "no such host".into(),
    });
    assert!(matches!(
        reading,
        Reading::Failed {
            kind: FailureKind::Dns,
            transient: false,
            ..
        }
    ));
}

#[test]
fn a_link_that_stands_twice_is_one_link_with_two_places() {
    let html = "<a href='/a#top'><img src=x></a> <a href='/a'>again</a> <a href='/b'>b</a>";
    let Reading::Page(page) = read(200, "text/html", html, Purpose::Page) else {
        panic!("a page");
    };
    assert_eq!(page.links.len(), 2);
    assert_eq!(
        (page.links[0].places.len(), page.links[0].anchor()),
        (2, "again")
    );
    assert_eq!(page.links[1].places.len(), 1);
}

#[test]
fn a_text_in_markdown_is_a_page_with_its_title_and_links() {
    let text = "# A report\n\nSee [more](/more.md).\n";
    for content_type in ["text/markdown; charset=utf-8", "text/x-markdown"] {
        let Reading::Page(page) = read(200, content_type, text, Purpose::Page) else {
            panic!("a page");
        };
        assert_eq!(page.page.title.as_deref(), Some("A report"));
        assert_eq!(page.page.text, "A report\nSee more.");
        assert_eq!(page.links[0].target.as_ref().unwrap().path(), "/more.md");
    }
    let read = read(404, "text/markdown", text, Purpose::Page);
    assert!(matches!(read, Reading::NoPage { .. }), "{read:?}");
}

#[test]
fn a_text_is_called_by_its_first_line_and_a_marked_one_by_its_title() {
    for (content_type, text) in [
        ("text/plain", " A report \n\nIts text.\n"),
        (
            "text/x-rst",
            ".. _a:\n\n====\nA report\n====\n\nIts text.\n",
        ),
        ("text/asciidoc", "= A report\n\nIts text.\n"),
    ] {
        let Reading::Page(page) = read(200, content_type, text, Purpose::Page) else {
            panic!("a page");
        };
        assert_eq!(page.page.title.as_deref(), Some("A report"), "{text:?}");
        assert_eq!(page.page.text, text);
    }
}

#[test]
fn a_text_that_holds_another_form_is_read_as_what_is_in_it() {
    // All of them were kept as they stand: codes of mail, commands, and the letters of files.
    let text = |body: &str| match read(200, "text/plain", body, Purpose::Page) {
        Reading::Page(page) => Some(page.page.text.clone()),
        Reading::NoPage { .. } => None,
        other => panic!("{other:?}"),
    };
    let says = "The eels of the lake swim down the river each autumn, and come back as glass eels.";
    let saved = format!(
        "MIME-Version: 1.0\nContent-Type: multipart/related; boundary=b\n\n--b\n\
         Content-Type: text/html\nContent-Transfer-Encoding: quoted-printable\n\n\
         <title>Eels=20swim</title><p>{says}</p>\n--b\n\
         Content-Type: image/png\nContent-Transfer-Encoding: base64\n\niVBORw0KGgo=\n--b--\n"
    );
    assert_eq!(text(&saved).as_deref().map(str::trim), Some(says));
    let rich = format!("{{\\rtf1\\ansi{{\\fonttbl{{\\f0 Arial;}}}}\\f0 {says}\\par}}");
    assert_eq!(text(&rich).as_deref().map(str::trim), Some(says));
    let line = "M(#$%&'()*+,-./0123456789:;<=>?@ABCDEFGHIJKLMNOPQRSTUVWXYZ[]_";
    let file = format!(
        "begin 644 eel.gif\n{}`\nend\n",
        format!("{line}\n").repeat(9)
    );
    let post = format!("{says}\n\n{file}");
    assert_eq!(text(&post).as_deref().map(str::trim), Some(says));
    assert_eq!(text(&file), None);
    assert_eq!(
        text("%!PS\n/Arial findfont 12 scalefont setfont\n(Eels) show\n"),
        None
    );
    let about = format!("begin 644 eel.gif\nis how such a file begins. {says}");
    assert_eq!(text(&about).as_deref(), Some(about.as_str()));
}
