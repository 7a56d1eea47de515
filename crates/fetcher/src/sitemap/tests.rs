//! Sitemaps whole and broken.

use std::io::Write;

use proptest::prelude::*;

use super::*;

fn parse(text: &str) -> Sitemap {
    Sitemap::parse(text.as_bytes(), None).unwrap()
}

fn locs(sitemap: &Sitemap) -> Vec<&str> {
    sitemap.urls.iter().map(|u| u.loc.as_str()).collect()
}

#[test]
fn a_urlset_gives_its_pages_with_their_fields() {
    let sitemap = parse(
        "\u{feff}<?xml version='1.0' encoding='UTF-8'?>\n\
         <sm:urlset xmlns:sm='http://www.sitemaps.org/schemas/sitemap/0.9'>\
         <sm:url><sm:loc> http://a.example/?a=1&amp;b=&#50; </sm:loc>\
         <sm:lastmod>2024-01-01</sm:lastmod><sm:priority>0.8</sm:priority>\
         <sm:changefreq>daily</sm:changefreq></sm:url>\
         <sm:url><sm:loc><![CDATA[http://a.example/x?y&z]]></sm:loc></sm:url></sm:urlset>",
    );
    assert_eq!(sitemap.kind, SitemapKind::Urlset);
    assert_eq!(
        locs(&sitemap),
        ["http://a.example/?a=1&b=2", "http://a.example/x?y&z"]
    );
    assert_eq!(sitemap.urls[0].lastmod.as_deref(), Some("2024-01-01"));
    assert_eq!(sitemap.urls[0].priority, Some(0.8));
    assert_eq!(sitemap.stopped, None);
}

#[test]
fn an_images_loc_is_not_a_page() {
    let sitemap = parse(
        "<urlset xmlns:image='i'><url><image:loc>http://a.example/0.jpg</image:loc>\
         <loc>http://a.example/1</loc><image:image><image:loc>http://a.example/1.jpg</image:loc>\
         </image:image></url></urlset>",
    );
    assert_eq!(locs(&sitemap), ["http://a.example/1"]);
}

#[test]
fn an_entrys_pages_in_other_languages_come_once_behind_the_pages_of_all_entries() {
    // Where one entry speaks for all languages the others were lost.
    let link = |of: &str| {
        format!("<xhtml:link rel='Alternate' hreflang='{of}' href='http://a.example/{of}'/>")
    };
    let links = ["en", "fr", "de"].map(link).concat();
    let file = format!(
        "<urlset xmlns:xhtml='x'><url><loc>http://a.example/en</loc>{links}<lastmod>2026-01-02</lastmod></url>\
         <url><loc>http://a.example/de</loc>{links}\
         <xhtml:link rel='alternate' media='handheld' href='http://m.a.example/'/>\
         <xhtml:link rel='canonical' hreflang='it' href='http://a.example/it'/></url></urlset>"
    );
    let sitemap = Sitemap::parse(file.as_bytes(), None).unwrap();
    let expected = [
        "http://a.example/en",
        "http://a.example/de",
        "http://a.example/fr",
    ];
    assert_eq!(locs(&sitemap), expected);
    assert_eq!(sitemap.urls[2].lastmod.as_deref(), Some("2026-01-02"));
    // They take no room from the pages of later entries.
    let entry = |n: usize| {
        format!(
            "<url><loc>http://a.example/{n}</loc><link rel='alternate' hreflang='x' href='http://a.example/x{n}'/></url>"
        )
    };
    let file: String = (0..URLS_MAX).map(entry).collect();
    let sitemap = Sitemap::parse(format!("<urlset>{file}</urlset>").as_bytes(), None).unwrap();
    assert!(!locs(&sitemap).iter().any(|loc| loc.contains("/x")));
    assert_eq!(sitemap.urls.len(), URLS_MAX);
    assert!(sitemap.stopped.is_some());
}

#[test]
fn an_entry_with_two_locs_gives_two_urls_with_its_fields() {
    // The second was dropped.
    let sitemap = parse(
        "<urlset><url><loc>http://a.example/1</loc><loc>http://a.example/2</loc>\
         <lastmod>2024-01-01</lastmod></url><url><loc>http://a.example/3</loc></url></urlset>",
    );
    let expected = [
        "http://a.example/1",
        "http://a.example/2",
        "http://a.example/3",
    ];
    assert_eq!(locs(&sitemap), expected);
    assert_eq!(sitemap.urls[1].lastmod.as_deref(), Some("2024-01-01"));
    assert_eq!(sitemap.urls[2].lastmod, None);
    let index = parse(
        "<sitemapindex><sitemap><loc>http://a.example/1.xml</loc><loc>http://a.example/2.xml</loc>\
         </sitemap></sitemapindex>",
    );
    assert_eq!(index.urls.len(), 2);
    let feed = parse(
        "<rss><channel><item><link>http://a.example/1</link><link>http://a.example/1#c</link>\
         </item></channel></rss>",
    );
    assert_eq!(locs(&feed), ["http://a.example/1"]);
}

#[test]
fn an_index_gives_sitemaps() {
    let sitemap =
        parse("<sitemapindex><sitemap><loc>http://a.example/1.xml</loc></sitemap></sitemapindex>");
    assert_eq!(sitemap.kind, SitemapKind::Index);
    assert_eq!(locs(&sitemap), ["http://a.example/1.xml"]);
}

#[test]
fn feeds_give_their_entries() {
    let rss = parse(
        "<rss><channel><link>http://a.example/</link><item><link>http://a.example/1</link>\
         <pubDate>Sun, 06 Nov 1994 08:49:37 GMT</pubDate></item>\
         <item><guid>http://a.example/2</guid></item>\
         <item><guid isPermaLink='false'>http://a.example/3</guid></item></channel></rss>",
    );
    assert_eq!(rss.kind, SitemapKind::Rss);
    assert_eq!(locs(&rss), ["http://a.example/1", "http://a.example/2"]);
    let atom = parse(
        "<feed><link href='http://a.example/'/><entry><link rel='edit' href='http://a.example/e'/>\
         <link href='http://a.example/1?a=1&amp;b=2'/><updated>2024-01-01T00:00:00Z</updated>\
         </entry></feed>",
    );
    assert_eq!(atom.kind, SitemapKind::Atom);
    assert_eq!(locs(&atom), ["http://a.example/1?a=1&b=2"]);
    assert_eq!(
        atom.urls[0].lastmod.as_deref(),
        Some("2024-01-01T00:00:00Z")
    );
}

#[test]
fn what_a_script_says_before_the_xml_is_passed_over() {
    // It was taken for the root element, and the feed for none.
    let feed = "<?xml version=\"1.0\" encoding=\"gb2312\"?><rss><channel><item>\
                <link>http://a.example/1</link></item></channel></rss>";
    for warning in [
        "<br />\n<b>Warning</b>: no such file in <b>/x.php</b> on line <b>3</b><br />\n",
        "Notice: undefined index in /x.php\n",
    ] {
        assert_eq!(
            locs(&parse(&format!("{warning}{feed}"))),
            ["http://a.example/1"]
        );
    }
    assert!(Sitemap::parse(b"<br />\n<b>Warning</b>: none", None).is_err());
}

#[test]
fn a_declaration_that_an_entry_shows_is_none() {
    // All before it was lost, and the feed was none.
    let shown = "<?xml version='1.0' encoding='gb2312'?>";
    let json = parse(&format!(
        r#" {{"version": "https://jsonfeed.org/version/1.1", "items": [
            {{"url": "http://a.example/\u00e9", "content_html": "Begin with {shown}."}}]}}"#
    ));
    assert_eq!(json.kind, SitemapKind::Json);
    assert_eq!(json.urls.len(), 1);
    for (open, close) in [
        ("<rss><channel>", "</channel></rss>"),
        ("<rdf:RDF>", "</rdf:RDF>"),
    ] {
        let rss = parse(&format!(
            "{open}<item><description><![CDATA[Begin with {shown}]]></description>\
             <link>http://a.example/1</link></item>{close}"
        ));
        assert_eq!(locs(&rss), ["http://a.example/1"], "{open}");
    }
}

#[test]
fn a_feed_names_the_page_and_not_the_counter_of_clicks() {
    let rss = parse(
        "<rss><channel><item><feedburner:origLink>http://a.example/1</feedburner:origLink>\
         <link>http://feeds.example/~r/1</link></item>\
         <item><link>http://feeds.example/~r/2</link></item></channel></rss>",
    );
    assert_eq!(
        locs(&rss),
        ["http://a.example/1", "http://feeds.example/~r/2"]
    );
    let atom = parse(
        "<feed><entry><link href='http://feeds.example/~r/1'/>\
         <feedburner:origLink>http://a.example/1</feedburner:origLink></entry></feed>",
    );
    assert_eq!(locs(&atom), ["http://a.example/1"]);
}

#[test]
fn a_json_feed_gives_its_items() {
    let json = parse(
        r#"{"version": "https://jsonfeed.org/version/1.1", "title": "t", "items": [
            {"id": "1", "url": "http://a.example/1", "date_published": "2024-01-01T00:00:00Z",
             "tags": ["x"], "attachments": [{"url": "http://a.example/1.mp3"}]},
            {"id": "2", "external_url": "http://b.example/2"}, {"id": "3"}]}"#,
    );
    assert_eq!(json.kind, SitemapKind::Json);
    assert_eq!(locs(&json), ["http://a.example/1", "http://b.example/2"]);
    assert_eq!(
        json.urls[0].lastmod.as_deref(),
        Some("2024-01-01T00:00:00Z")
    );
    let other = br#"{"version": "1.1", "items": [{"url": "http://a.example/jsonfeed.org"}]}"#;
    assert_eq!(Sitemap::parse(other, None), Err(SitemapError::NotSitemap));
}

#[test]
fn an_odd_value_in_a_json_feed_costs_itself_alone() {
    // One date as a number, or one item that is none, and no entry was read.
    let json = parse(
        r#"{"icon": 1.5, "version": "https://jsonfeed.org/version/1.1", "authors": {"name": [null]}, "items": [
            {"url": "http://a.example/1", "date_published": 1700000000},
            {"url": ["http://a.example/x"], "external_url": "http://b.example/2", "date_modified": {"at": [1]}},
            null, "http://a.example/x", -3, [{"url": "http://a.example/x"}],
            {"url": "http://a.example/4", "date_modified": null, "date_published": "2024-01-01"}]}"#,
    );
    let expected = [
        "http://a.example/1",
        "http://b.example/2",
        "http://a.example/4",
    ];
    assert_eq!(locs(&json), expected);
    assert_eq!(json.urls[0].lastmod, None);
    assert_eq!(json.urls[2].lastmod.as_deref(), Some("2024-01-01"));
    assert_eq!(json.stopped, None);
}

#[test]
fn broken_json_keeps_what_was_read_and_says_so() {
    // All of it was lost.
    let feed = r#"{"version": "https://jsonfeed.org/version/1.1", "items": [
        {"url": "http://a.example/1"}, {"url": "http://a.example/2"}, {"url": "http://a.exa"#;
    let cut = parse(feed);
    assert_eq!(locs(&cut), ["http://a.example/1", "http://a.example/2"]);
    assert!(cut.stopped.unwrap().starts_with("broken JSON"));
    for end in (0..feed.len()).filter(|end| feed.is_char_boundary(*end)) {
        let _ = Sitemap::parse(&feed.as_bytes()[..end], None);
    }
    let of_another = br#"{"docs": "https://jsonfeed.org/version/1.1", "items": [{"url": "http://a"#;
    assert_eq!(
        Sitemap::parse(of_another, None),
        Err(SitemapError::NotSitemap)
    );
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::best());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

#[test]
fn a_gzipped_sitemap_gives_no_more_than_the_usual_ratio() {
    // 50 KB gave 50 MiB, and its items, all made before one was looked at, 1.7 GB.
    let mut feed = br#"{"version": "https://jsonfeed.org/version/1.1", "items": [{"url": "http://a.example/1"},"#.to_vec();
    feed.extend(b"{},".repeat(4 << 20));
    let bomb = Sitemap::parse(&gzip(&feed), None).unwrap();
    assert_eq!(locs(&bomb), ["http://a.example/1"]);
    let stopped = bomb.stopped.unwrap();
    assert!(stopped.contains("compression ratio"), "{stopped}");
    // The most regular list there is, as large as the protocol allows, is far from it.
    let mut regular = String::from("<urlset>");
    for number in 0..URLS_MAX {
        regular.push_str(&format!(
            "<url>\n  <loc>http://a.example/item/{number:05}</loc>\n  <lastmod>2024-01-01</lastmod>\n  \
             <changefreq>daily</changefreq>\n  <priority>0.5</priority>\n</url>\n"
        ));
    }
    regular.push_str("</urlset>");
    let whole = Sitemap::parse(&gzip(regular.as_bytes()), None).unwrap();
    assert_eq!((whole.urls.len(), whole.stopped), (URLS_MAX, None));
}

#[test]
fn a_list_of_urls_is_text_and_other_lines_are_passed_over() {
    let sitemap = parse("http://a.example/1\r\n\r\nnot a URL\rHTTPS://a.example/2\n");
    assert_eq!(sitemap.kind, SitemapKind::Text);
    assert_eq!(
        locs(&sitemap),
        ["http://a.example/1", "HTTPS://a.example/2"]
    );
    assert!(Sitemap::parse(b"just words", None).is_err());
    assert!(parse(" \n").urls.is_empty());
}

#[test]
fn a_relative_loc_needs_a_base() {
    let text = b"<urlset><url><loc>/1</loc></url></urlset>";
    let base = Url::parse("http://a.example/sitemap.xml").unwrap();
    let with = Sitemap::parse(text, Some(&base)).unwrap();
    assert_eq!(locs(&with), ["http://a.example/1"]);
    assert!(Sitemap::parse(text, None).unwrap().urls.is_empty());
}

#[test]
fn broken_xml_keeps_what_was_read_and_says_so() {
    let cut = parse("<urlset><url><loc>http://a.example/1</loc></url><url><loc>http://a.exa");
    assert_eq!(locs(&cut), ["http://a.example/1"]);
    assert!(cut.stopped.is_some());
    let ampersand = parse("<urlset><url><loc>http://a.example/?a=1&b=2</loc></url></urlset>");
    assert_eq!(locs(&ampersand), ["http://a.example/?a=1&b=2"]);
    let unclosed = parse(
        "<urlset><url><loc>http://a.example/1</loc><url><loc>http://a.example/2</loc></urlset>",
    );
    assert_eq!(
        locs(&unclosed),
        ["http://a.example/1", "http://a.example/2"]
    );
}

#[test]
fn an_entity_of_the_files_own_is_never_expanded() {
    let sitemap = parse(
        "<!DOCTYPE urlset [<!ENTITY x SYSTEM 'file:///etc/passwd'><!ENTITY y 'http://b.example/'>]>\
         <urlset><url><loc>http://a.example/1</loc></url><url><loc>&x;</loc></url>\
         <url><loc>&y;</loc></url></urlset>",
    );
    assert_eq!(locs(&sitemap), ["http://a.example/1"]);
}

#[test]
fn an_html_page_is_an_error() {
    let error = Sitemap::parse(b"<!DOCTYPE html><html><p>not found</p></html>", None).unwrap_err();
    assert_eq!(
        error,
        SitemapError::Root {
            root: "html".to_owned()
        }
    );
}

#[test]
fn gzip_is_unzipped_and_a_cut_one_keeps_its_beginning() {
    let mut text = String::from("<urlset>");
    for n in 0..2_000 {
        text.push_str(&format!("<url><loc>http://a.example/{n}</loc></url>"));
    }
    text.push_str("</urlset>");
    let zipped = gzip(text.as_bytes());
    assert_eq!(Sitemap::parse(&zipped, None).unwrap().urls.len(), 2_000);
    let cut = Sitemap::parse(&zipped[..zipped.len() / 2], None).unwrap();
    assert!(cut.urls.len() > 100);
    assert!(cut.stopped.unwrap().starts_with("truncated"));
}

#[test]
fn the_protocols_bound_on_urls_holds() {
    let list = "http://a.example/\n".repeat(URLS_MAX + 1);
    let text = parse(&list);
    assert_eq!(text.urls.len(), URLS_MAX);
    assert!(text.stopped.is_some());
    let mut xml = String::from("<urlset>");
    for _ in 0..=URLS_MAX {
        xml.push_str("<url><loc>http://a.example/</loc></url>");
    }
    let items = r#"{"url": "http://a.example/"},"#.repeat(URLS_MAX + 1);
    let version = r#""version": "https://jsonfeed.org/version/1.1""#;
    let json = format!(r#"{{"items": [{items}7], {version}}}"#);
    for list in [xml, json] {
        let sitemap = parse(&list);
        assert_eq!(sitemap.urls.len(), URLS_MAX);
        assert_eq!(sitemap.stopped.as_deref(), Some("more than 50000 URLs"));
    }
}

#[test]
fn the_last_line_of_a_cut_list_may_be_half_a_url_and_is_left_out() {
    let mut list = parse("http://a.example/one\nhttp://a.example/tw");
    list.was_cut("body: bytes".into());
    assert_eq!(locs(&list), ["http://a.example/one"]);
    assert_eq!(list.stopped.as_deref(), Some("body: bytes"));
    // An element that is not closed is none, so of XML nothing is lost.
    let mut urlset = parse("<urlset><url><loc>http://a.example/one</loc></url><url><loc>http://a");
    urlset.was_cut("body: bytes".into());
    assert_eq!(locs(&urlset), ["http://a.example/one"]);
}

#[test]
fn a_declared_encoding_is_used() {
    let mut bytes = b"<?xml version=\"1.0\" encoding=\"iso-8859-1\"?><urlset><url><loc>".to_vec();
    bytes.extend(b"http://a.example/\xe9</loc></url></urlset>");
    assert_eq!(
        locs(&Sitemap::parse(&bytes, None).unwrap()),
        ["http://a.example/é"]
    );
}

#[test]
fn deep_nesting_costs_nothing() {
    let text = format!(
        "<urlset>{}<url><loc>http://a.example/1</loc></url>",
        "<a>".repeat(200_000)
    );
    assert!(parse(&text).urls.is_empty());
}

proptest! {
    #[test]
    fn no_input_panics(
        text in "(<urlset>|<feed>|<rss>)?([<>/&;!\\[\\]a-c \"'=]|<url>|<loc>|</loc>|</url>|<item>){0,60}",
    ) {
        let _ = Sitemap::parse(text.as_bytes(), None);
    }
}
