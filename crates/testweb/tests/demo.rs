//! The demo web is what its table says: every link leads somewhere, and the troubles are there.

use std::collections::{BTreeMap, BTreeSet};

use testweb::{Request, TestWeb, demo};
use url::Url;

/// Follows every link, without looking at robots.txt; the calendar only three months each way.
fn walk(web: &TestWeb) -> BTreeMap<String, (u16, Vec<u8>)> {
    let mut queue: Vec<Url> = demo::seeds()
        .iter()
        .map(|s| Url::parse(s).expect(s))
        .collect();
    let mut seen: BTreeSet<String> = queue.iter().map(Url::to_string).collect();
    let mut pages = BTreeMap::new();
    while let Some(url) = queue.pop() {
        let Some(answer) = web.answer(&Request::get(&url)) else {
            continue;
        };
        let text = String::from_utf8_lossy(&answer.body).into_owned();
        let mut links: Vec<String> = text
            .split("href=\"")
            .skip(1)
            .filter_map(|rest| rest.split('"').next())
            .map(|href| href.replace("&amp;", "&"))
            .collect();
        links.extend(answer.header("location").map(str::to_owned));
        for link in links {
            let target = url.join(&link).expect("links are well formed");
            let month = target.path().strip_prefix("/events/");
            let far = month.is_some_and(|month| !("2026/08".."2027/03").contains(&month));
            if !far && seen.insert(target.to_string()) {
                queue.push(target);
            }
        }
        pages.insert(url.to_string(), (answer.status, answer.body.to_vec()));
    }
    pages
}

#[test]
fn the_demo_has_some_hundred_and_fifty_urls_on_eleven_hosts() {
    let web = demo::demo();
    let pages = walk(&web);
    assert!((120..=220).contains(&pages.len()), "{} URLs", pages.len());
    assert_eq!(web.hosts().len(), 11);
    for host in web.hosts() {
        let count = pages
            .keys()
            .filter(|url| url.starts_with(&format!("http://{host}/")))
            .count();
        assert!(count > 0, "no page of {host} is linked");
    }
    let not_found: Vec<_> = pages
        .iter()
        .filter(|(_, page)| page.0 == 404)
        .map(|p| p.0)
        .collect();
    assert_eq!(
        not_found,
        [
            "http://db.example.test/imprint.html",
            "http://mirror.example.test/imprint.html"
        ]
    );
}

#[test]
fn chinese_pages_are_in_the_charsets_they_name() {
    let web = demo::demo();
    let body = |url: &str| {
        let answer = web.answer(&Request::get(&Url::parse(url).expect(url)));
        answer.expect("a page").body
    };
    let gbk = encoding_rs::GBK
        .decode_without_bom_handling(&body("http://laozhan.test/art/zh-gbk-bianma.html"))
        .0
        .into_owned();
    assert!(gbk.contains("国家标准收了六千七百六十三个汉字") && gbk.contains("gb2312"));
    assert!(!gbk.contains("&#"), "every character is in GBK");
    let repost = body("http://laozhan.test/zhuanzai/20230800.html");
    let repost = encoding_rs::GBK
        .decode_without_bom_handling(&repost)
        .0
        .into_owned();
    assert!(repost.contains("转载自") && repost.contains("http://shuju.test/wenzhang/"));
    let big5 = encoding_rs::BIG5
        .decode_without_bom_handling(&body("http://ziliaoku.test/notes/zht-beifen.html"))
        .0
        .into_owned();
    assert!(
        big5.contains("還原過的備份") && !big5.contains("&#"),
        "every character is in Big5"
    );
}

#[test]
fn the_troubles_are_there() {
    let web = demo::demo();
    let get = |url: &str| {
        let answer = web.answer(&Request::get(&Url::parse(url).expect(url)));
        answer.expect("our host")
    };
    let apex = get("http://example.test/news/?a=b");
    assert_eq!(
        apex.header("location"),
        Some("http://www.example.test/news/?a=b")
    );
    let soft = get("http://www.example.test/no/such/page");
    assert_eq!(soft.status, 200);
    assert!(String::from_utf8_lossy(&soft.body).contains("could not be found"));
    let robots = get("http://recipes.test/robots.txt");
    assert!(String::from_utf8_lossy(&robots.body).contains("Crawl-delay: 1"));
    let december = get("http://www.example.test/events/2026/12/");
    assert!(String::from_utf8_lossy(&december.body).contains("/events/2027/01/"));
    let first = get("http://tea.test/");
    let other = get("http://tea.test/oolong-roast.html");
    let sid = |body: &[u8]| {
        let text = String::from_utf8_lossy(body).into_owned();
        let at = text.find("sid=").expect("links carry an id");
        text[at + 4..at + 16].to_owned()
    };
    assert_ne!(sid(&first.body), sid(&other.body));
    assert_eq!(get("http://gone.test/").status, 410);
    let sitemap = get("http://db.example.test/sitemap.xml");
    assert_eq!(
        String::from_utf8_lossy(&sitemap.body)
            .matches("<loc>")
            .count(),
        11
    );
}
