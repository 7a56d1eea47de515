//! Texts that a page carries outside its visible text: used where that lacks them, never twice, and
//! with a word on where they are from.

use extractor::{Page, PageContext, TextSource, extract};
use url::Url;

const PROSE: &str = "The bridge had stood for two hundred years when the river rose for the third time that \
    winter. On Thursday night the water reached the parapet, and by the morning the middle arch was gone. \
    Nobody was hurt, said the mayor, because the road had been closed in the evening.";
const MORE: &str = "An engineer who looked at what is left was not surprised: the piers stand on wooden piles, \
    and the piles had been dry for a summer. The town will build a new bridge, he said, but not this year.";
const CHINESE: &str = "大桥建成二百年后，河水在那个冬天第三次上涨。星期四夜里，水位涨到了栏杆，到早晨中间的桥拱已经消失。\
    市长说，没有人受伤，因为道路在傍晚就已经封闭。工程师查看了残余部分，他并不感到意外：桥墩立在木桩上，而木桩整个夏天都是干的。";

fn read(html: &str) -> Page {
    let url = Url::parse("https://www.example.com/news/bridge").expect("a URL");
    extract(html, &PageContext::new(&url))
}

/// A page that a script fills, with this in it.
fn shell(inside: &str) -> String {
    format!(
        "<html><head><title>The bridge</title></head><body><div id=root></div>\
         <noscript>You need to enable JavaScript to run this app.</noscript>{inside}\
         <script src=/app.js></script></body></html>"
    )
}

fn quoted(text: &str) -> String {
    serde_json::to_string(text).expect("a string")
}

#[test]
fn an_empty_page_has_the_text_of_its_state_and_says_where_it_is_from() {
    let (prose, more) = (quoted(PROSE), quoted(&format!("<p>{MORE}</p>")));
    let menu = "\"menu\":[{\"label\":\"Home, sweet home\"},{\"label\":\"About\"}],\"footer\":{\"text\":\"We use \
        cookies, and so do all of our many partners, whom we thank for that.\"}";
    let cases = [
        (
            TextSource::NextData,
            format!(
                "<script id=__NEXT_DATA__ type=application/json>{{\"props\":{{{menu},\"page\":{{\"blocks\":[{{\"text\":{prose}}},{{\"text\":{more}}}]}}}}}}</script>"
            ),
        ),
        (
            TextSource::InitialState,
            format!(
                "<script>window.__INITIAL_STATE__={{{menu},\"a\":undefined,\"article\":{{\"content\":[{prose},{more}]}}}};(function(){{}})()</script>"
            ),
        ),
        (
            TextSource::NuxtData,
            format!(
                "<script>window.__NUXT__=(function(a,b){{return {{data:[{{title:\"T\",body:{prose}}},{{body:{more}}}]}}}}(1,2))</script>"
            ),
        ),
        (
            TextSource::NuxtData,
            format!(
                "<script id=__NUXT_DATA__ type=application/json>[{{\"post\":1}},{{\"title\":2,\"body\":3}},\"T\",{}]</script>",
                quoted(&format!("<p>{PROSE}</p><p>{MORE}</p>"))
            ),
        ),
        (
            TextSource::JsonLd,
            format!(
                "<script type=application/ld+json>{{\"@type\":\"NewsArticle\",\"articleBody\":{}}}</script>",
                quoted(&format!("{PROSE}\n{MORE}"))
            ),
        ),
        (
            TextSource::Template,
            format!(
                "<template><article><h2>After the flood</h2><p>{PROSE}</p><p>{MORE}</p></article></template>"
            ),
        ),
        (
            TextSource::Microdata,
            format!("<div itemscope><meta itemprop=articleBody content=\"{PROSE} {MORE}\"></div>"),
        ),
    ];
    for (source, inside) in cases {
        let page = read(&shell(&inside));
        assert_eq!(page.source, source, "{}", page.text);
        assert!(
            page.text.contains("Nobody was hurt"),
            "{source:?}: {}",
            page.text
        );
        assert!(
            page.text.contains("wooden piles"),
            "{source:?}: {}",
            page.text
        );
        assert!(
            !page.text.contains("cookies") && !page.text.contains("</p>"),
            "{source:?}: {}",
            page.text
        );
        assert_eq!(page.added.len(), 1);
        assert!(!page.needs_scripts.is_empty(), "{source:?}");
    }
}

#[test]
fn a_chinese_state_is_read_as_well() {
    let state = format!(
        "<script>window.__INITIAL_STATE__={{\"detail\":{{\"content\":{}}}}}</script>",
        quoted(CHINESE)
    );
    let page = read(&shell(&state));
    assert_eq!(page.source, TextSource::InitialState);
    assert!(page.text.contains("木桩"), "{}", page.text);
}

fn percent_encoded(text: &str) -> String {
    text.bytes().map(|byte| format!("%{byte:02X}")).collect()
}

/// The scripts of a page beside its state.
const MESSAGES: &str = "<script>window.messages={\"consent\":{\"text\":\"We use cookies, and so do our many partners, whom we \
    thank for that. You may refuse them, but then you have to say so again, and again, on each of our pages.\"}};\
    (function(a){var b={c:1},d=[a];window.go=a==1?b:d})(1)</script>";

#[test]
fn a_state_is_read_under_any_name_with_what_is_said_of_its_text() {
    let body = format!("<p>{PROSE}</p><p>{MORE}</p>");
    let state = format!(
        "{{\"data\":{{\"title\":\"The bridge\",\"publishTime\":\"2021-06-15 09:20:00\",\"author\":{{\"name\":\"Ann Lee\"}},\
         \"content\":{}}}}}",
        quoted(&body)
    );
    let encoded = percent_encoded(&state);
    let escaped = state.replace('&', "&amp;").replace('<', "&lt;");
    let attribute = escaped.replace('"', "&quot;");
    let row = quoted(&format!("5:{state}\n"));
    let (first, second) = (&row[..200], &row[200..]);
    for inside in [
        format!("<script>window.DATA = {state};</script>"),
        format!("<script>var a=1,articleData={state}</script>"),
        format!("<script id=js-initialData type=text/json>{state}</script>"),
        format!("<script id=RENDER_DATA type=application/json>{encoded}</script>"),
        format!("<script>window.pageData=JSON.parse(decodeURIComponent(\"{encoded}\"))</script>"),
        format!(
            "<script>window.pageData=JSON.parse({})</script>",
            quoted(&state)
        ),
        format!(
            "<script>self.__next_f.push([1,{first}\"])</script><script>self.__next_f.push([1,\"{second}])</script>"
        ),
        format!("<textarea id=data style=display:none>{escaped}</textarea>"),
        format!("<div id=app data-page=\"{attribute}\"></div>"),
    ] {
        let page = read(&shell(&format!("{MESSAGES}{inside}")));
        assert!(page.text.contains("wooden piles"), "{inside} {}", page.text);
        assert!(!page.text.contains("cookies"), "{inside}");
        assert!(page.source.beside_the_page().is_some(), "{inside}");
        let facts = [&page.title, &page.author, &page.published];
        let facts = facts.map(|fact| fact.as_deref());
        let said = [
            Some("The bridge"),
            Some("Ann Lee"),
            Some("2021-06-15T09:20:00"),
        ];
        assert_eq!(facts, said, "{inside}");
        assert_eq!(page.page_type, extractor::PageType::Article, "{inside}");
    }
}

#[test]
fn the_title_of_a_state_is_the_longest_that_the_pages_title_says_at_an_end() {
    let body = quoted(&format!("{PROSE} {MORE}"));
    for (page_title, state, expected) in [
        // What stands around the article was taken for it, since its title stands in `<title>` as well.
        (
            "The lock — built again | News",
            format!(
                "{{\"title\":\"News\",\"article\":{{\"title\":\"The lock - built again\",\"author\":\"Ann Lee\",\"body\":{body}}}}}"
            ),
            "The lock — built again",
        ),
        // So was a section of it, by a word of the title.
        (
            "The Lock is rebuilt | News",
            format!(
                "{{\"title\":\"The Lock is rebuilt\",\"author\":\"Ann Lee\",\"sections\":[{{\"title\":\"Lock\",\"body\":{body}}}]}}"
            ),
            "The Lock is rebuilt",
        ),
        // A site's name alone is no better than the article's.
        (
            "The old lock | News</title><meta property=og:title content=\"The old lock\">",
            format!(
                "{{\"title\":\"News\",\"author\":\"Ann Lee\",\"article\":{{\"body\":{body}}}}}"
            ),
            "The old lock",
        ),
        (
            "The lock | The marsh</title><meta property=og:site_name content=\"The marsh\">",
            format!(
                "{{\"title\":\"The marsh\",\"author\":\"Ann Lee\",\"article\":{{\"body\":{body}}}}}"
            ),
            "The lock",
        ),
        (
            "Strong and dark | The roast coffee</title><meta property=og:title content=\"Strong and dark\">",
            format!("{{\"title\":\"The Roast Coffee\",\"author\":\"Ann Lee\",\"body\":{body}}}"),
            "The Roast Coffee",
        ),
        (
            "News - The lock is built again",
            format!(
                "{{\"title\":\"The lock is built again\",\"author\":\"Ann Lee\",\"body\":{body}}}"
            ),
            "The lock is built again",
        ),
        (
            "",
            format!("{{\"title\":\"The lock\",\"author\":\"Ann Lee\",\"body\":{body}}}"),
            "The lock",
        ),
    ] {
        let page = read(&format!(
            "<title>{page_title}</title><body><div id=root></div><script>window.S={state};</script>"
        ));
        assert!(page.text.contains("wooden piles"), "{page_title}");
        assert_eq!(page.title.as_deref(), Some(expected), "{page_title}");
        assert_eq!(page.author.as_deref(), Some("Ann Lee"), "{page_title}");
    }
}

#[test]
fn a_state_is_read_behind_values_of_programs() {
    let body = quoted(&format!("{PROSE} {MORE}"));
    let state = format!("window.ARTICLE={{\"title\":\"The bridge\",\"body\":{body}}};");
    let of_program =
        "var a={\"a\":f(1)},b={\"b\":f(2)},c={\"c\":g},d={\"d\":h},e={\"e\":i()},f={\"f\":j};";
    for before in [
        "window.A={\"u\":undefined};",
        "window.A={\"u\": undefined, \"v\":!0};",
        of_program,
    ] {
        let page = read(&shell(&format!("<script>{before}{state}</script>")));
        assert!(
            page.text.contains("wooden piles"),
            "{before}: {}",
            page.text
        );
    }
    let text = format!("{PROSE} What is :undefined, is so. {MORE}");
    let state = format!(
        "window.ARTICLE={{\"u\": undefined,\"body\":{}}}",
        quoted(&text)
    );
    let page = read(&shell(&format!("<script>{state}</script>")));
    assert!(page.text.contains(":undefined, is so"), "{}", page.text);
}

#[test]
fn messages_and_settings_are_no_text_of_a_page() {
    let messages: Vec<String> = (0..30)
        .map(|at: u8| {
            format!(
                "\"text{}\":{}",
                char::from(b'a' + at % 26),
                quoted(&format!("{at}: {PROSE}"))
            )
        })
        .collect();
    for inside in [
        MESSAGES.to_owned(),
        format!("<script>window.strings={{{}}}</script>", messages.join(",")),
        format!(
            "<script>window.settings={{\"settings\":{{\"text\":{}}}}}</script>",
            quoted(PROSE)
        ),
        format!(
            "<script>window.chat={{\"greeting\":{}}}</script>",
            quoted(PROSE)
        ),
    ] {
        let page = read(&shell(&inside));
        assert!(page.added.is_empty(), "{inside}: {}", page.text);
    }
}

#[test]
fn what_the_page_shows_is_not_told_twice() {
    let body = quoted(&format!("{PROSE} {MORE}"));
    let page = read(&format!(
        "<title>The bridge</title><script id=__NEXT_DATA__ type=application/json>{{\"body\":{body}}}</script>\
         <script type=application/ld+json>{{\"@type\":\"NewsArticle\",\"articleBody\":{body}}}</script>\
         <article><h1>The bridge</h1><p>{PROSE}</p><p>{MORE}</p></article>"
    ));
    assert_eq!((page.source, page.added.len()), (TextSource::Page, 0));
    assert_eq!(page.text.matches("Nobody was hurt").count(), 1);
    assert_eq!(page.needs_scripts, Vec::<String>::new());
}

#[test]
fn a_products_stated_description_is_added_where_the_page_does_not_show_it() {
    let product = |shown: &str| {
        let json = format!(
            "{{\"@type\":\"Product\",\"name\":\"Kettle\",\"description\":{}}}",
            quoted(PROSE)
        );
        read(&format!(
            "<title>Kettle</title><meta property=og:type content=product>\
             <script type=application/ld+json>{json}</script><h1>Kettle</h1><p>A kettle of steel that boils \
             two litres of water in three minutes, and whistles when it is done. Its handle \
             stays cool, its lid comes off for cleaning, and it stands on gas, on glass and on induction plates. \
             The maker gives it ten years, which is more than we would give any kettle, and repairs it.</p>{shown}<button>Add to \
             cart</button>"
        ))
    };
    let page = product("");
    assert!(
        page.text.contains("Nobody was hurt") && page.text.contains("whistles"),
        "{}",
        page.text
    );
    assert_eq!(
        (page.source, page.added[0].source),
        (TextSource::Page, TextSource::JsonLd)
    );
    let page = product(&format!("<div><p>{PROSE}</p></div>"));
    assert_eq!(page.text.matches("Nobody was hurt").count(), 1);
    assert!(page.added.is_empty());
}

#[test]
fn what_noscript_shows_is_said_to_be_from_there() {
    let page = read(&format!(
        "<title>T</title><body><div id=app></div><noscript><article><p>{PROSE}</p><p>{MORE}</p></article></noscript>"
    ));
    assert_eq!(page.source, TextSource::Noscript);
    assert!(page.text.contains("wooden piles"));
}

#[test]
fn a_page_that_needs_scripts_says_by_what_and_one_with_text_does_not() {
    let page = read(&shell(""));
    let evidence = page.needs_scripts.join("; ");
    assert!(
        evidence.contains("#root is empty") && evidence.contains("enable JavaScript"),
        "{evidence}"
    );
    assert_eq!(page.source, TextSource::Page);
    let page = read(&format!(
        "<div id=root><p>{PROSE}</p><p>{MORE}</p></div><noscript>Please enable JavaScript.</noscript>"
    ));
    assert_eq!(page.needs_scripts, Vec::<String>::new());
    let page = read(
        "<title>T</title><script src=a.js></script><body><div class=x></div><script src=b.js></script>",
    );
    assert_eq!(
        page.needs_scripts,
        ["0 visible characters", "2 scripts are to fill it"]
    );
    assert_eq!(
        read("<p>A short page, and no more.<script src=a.js></script>").needs_scripts,
        Vec::<String>::new()
    );
    let page = read("<p>Hello.</p><script type=' Text/JavaScript; x'>f()</script>");
    assert_eq!(
        page.needs_scripts,
        ["6 visible characters", "1 script is to fill it"]
    );
    // What is said for search engines is no program.
    for kind in ["application/ld+json", "text/x-template", "importmap"] {
        let page = read(&format!("<p>Hello.</p><script type={kind}>{{}}</script>"));
        assert_eq!(page.needs_scripts, Vec::<String>::new(), "{kind}");
    }
}

#[test]
fn a_wall_is_given_no_text_by_its_state() {
    let page = read(&format!(
        "<title>Just a moment...</title><script>window._cf_chl_opt={{}}</script>\
         <script id=__NEXT_DATA__ type=application/json>{{\"body\":{}}}</script>",
        quoted(PROSE)
    ));
    assert!(page.wall.is_some() && !page.text.contains("bridge"));
}

/// Hostile states cost bounded time and memory, and give nothing.
#[test]
fn hostile_states_are_bounded() {
    let deep = format!("{}1{}", "[".repeat(100_000), "]".repeat(100_000));
    let many = format!(
        "[{}]",
        vec!["\"a sentence, long enough to be prose and kept as such.\""; 60_000].join(",")
    );
    let open = format!(
        "window.__NUXT__=(function(){{return \"{}",
        "x\\".repeat(200_000)
    );
    let quotes = format!(
        "window.__NUXT__=(function(){{return {}",
        "\"'".repeat(200_000)
    );
    // Each call was a step of a recursion, which ended the process.
    let calls = "unescape(".repeat(100_000);
    let objects = format!("[{}]", vec!["{\"\":0}"; 100_000].join(","));
    for state in [deep, many, open, quotes, calls, objects] {
        let page = read(&shell(&format!(
            "<script>window.__INITIAL_STATE__={state}</script><script>{state}</script>"
        )));
        assert!(page.text.len() < 1 << 20);
    }
    let templates = "<template><p>x".repeat(20_000);
    assert!(read(&shell(&templates)).text.len() < 1 << 20);
}

#[test]
fn a_page_of_frames_has_what_it_says_without_them() {
    let html = "<html><head><title>Our college</title></head><frameset cols='20%,80%'><frame src=menu.html>\
        <frame src=main.html><noframes><BODY BGCOLOR=white><h1>Our college</h1><p>The college was founded in \
        1861 and teaches agriculture, law and medicine to some two thousand students from all parts of the \
        country.</p><p>Read about <a href=history.html>its history</a>.</p></BODY></noframes></frameset></html>";
    let page = read(html);
    assert!(page.text.contains("founded in 1861"), "{}", page.text);
    assert!(!page.text.contains('<'), "{}", page.text);
    assert_eq!(page.source, TextSource::Noframes);
    let paths: Vec<&str> = page.links.iter().map(|link| link.url.path()).collect();
    for path in ["/news/menu.html", "/news/main.html", "/news/history.html"] {
        assert!(paths.contains(&path), "{path}: {paths:?}");
    }
}
