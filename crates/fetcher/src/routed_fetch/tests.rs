//! Which fetcher is asked, and what the router checks.

use std::sync::Mutex;

use super::*;

/// A fetcher in memory that remembers what it was asked for and answers with its name.
struct Named {
    name: &'static str,
    asked: Mutex<Vec<String>>,
    /// Answers for this URL instead of the one asked for.
    answers_for: Option<&'static str>,
}

impl Named {
    fn new(name: &'static str) -> Arc<Self> {
        Arc::new(Self {
            name,
            asked: Mutex::default(),
            answers_for: None,
        })
    }

    fn asked(&self) -> Vec<String> {
        self.asked.lock().unwrap().clone()
    }
}

impl Fetch for Named {
    fn fetch<'a>(&'a self, request: FetchRequest) -> FetchFuture<'a> {
        self.asked.lock().unwrap().push(request.url.to_string());
        let url = match self.answers_for {
            Some(other) => Url::parse(other).unwrap(),
            None => request.url,
        };
        let fetched = Fetched::new(url, 200, Vec::new(), self.name);
        Box::pin(async move { Ok(fetched) })
    }
}

fn rule(text: &str) -> HostRule {
    text.parse().expect(text)
}

fn router(default: Arc<dyn Fetch>) -> RoutedFetch {
    RoutedFetch::new(default, AddressGuard::public_only(), FetchLimits::default())
}

fn run(fetcher: &dyn Fetch, url: &str, purpose: Purpose) -> Result<Fetched, FetchError> {
    let request = FetchRequest::new(Url::parse(url).expect(url), purpose);
    let runtime = tokio::runtime::Builder::new_current_thread().build();
    runtime.unwrap().block_on(fetcher.fetch(request))
}

#[track_caller]
fn check(fetcher: &dyn Fetch, url: &str, name: &str) {
    let fetched = run(fetcher, url, Purpose::Page).expect(url);
    assert_eq!(fetched.body, name.as_bytes(), "{url}");
}

#[test]
fn the_most_specific_rule_chooses_and_else_the_default() {
    let router = router(Named::new("default"))
        .route(rule("a.example"), Named::new("one host"))
        .route(rule(".b.example"), Named::new("suffix"))
        .route(rule(".c.b.example"), Named::new("longer suffix"))
        .route(rule("x.c.b.example"), Named::new("host under suffix"))
        .route(rule("93.184.216.34"), Named::new("address"));
    for (url, name) in [
        ("http://a.example/", "one host"),
        ("https://A.example.:8080/x", "one host"),
        ("http://www.a.example/", "default"),
        ("http://b.example/", "suffix"),
        ("http://www.b.example/", "suffix"),
        ("http://notb.example/", "default"),
        ("http://c.b.example/", "longer suffix"),
        ("http://d.c.b.example/", "longer suffix"),
        ("http://x.c.b.example/", "host under suffix"),
        ("http://93.184.216.34/", "address"),
        ("http://example/", "default"),
    ] {
        check(&router, url, name);
    }
}

#[test]
fn a_later_rule_for_the_same_hosts_replaces_the_earlier() {
    let router = router(Named::new("default"))
        .route(rule("a.example"), Named::new("first"))
        .route(rule("A.EXAMPLE."), Named::new("second"));
    check(&router, "http://a.example/", "second");
}

#[test]
fn robots_and_sitemaps_stay_with_the_default_where_only_pages_are_routed() {
    let (default, browser, proxy) = (Named::new("d"), Named::new("b"), Named::new("p"));
    let router = router(default.clone())
        .route_pages(rule("a.example"), browser.clone())
        .route(rule("b.example"), proxy.clone());
    for host in ["a.example", "b.example"] {
        for (path, purpose) in [
            ("robots.txt", Purpose::Robots),
            ("sitemap.xml", Purpose::Sitemap),
            ("page", Purpose::Page),
        ] {
            run(&router, &format!("http://{host}/{path}"), purpose).unwrap();
        }
    }
    assert_eq!(
        default.asked(),
        [
            "http://a.example/robots.txt",
            "http://a.example/sitemap.xml"
        ]
    );
    assert_eq!(browser.asked(), ["http://a.example/page"]);
    assert_eq!(proxy.asked().len(), 3);
}

#[test]
fn a_routed_fetcher_is_not_asked_for_a_private_address_or_a_bad_url() {
    let routed = Named::new("routed");
    let limits = FetchLimits {
        url_bytes_max: 100,
        ..FetchLimits::default()
    };
    let router = RoutedFetch::new(Named::new("d"), AddressGuard::public_only(), limits)
        .route(rule("127.0.0.1"), routed.clone())
        .route(rule(".example"), routed.clone());
    for (url, name) in [
        ("http://0x7f.1/", "guard"),
        ("http://user:secret@a.example/", "bad_url"),
        ("ftp://a.example/", "bad_url"),
        (&*format!("http://a.example/{}", "x".repeat(100)), "bad_url"),
    ] {
        let error = run(&router, url, Purpose::Page).unwrap_err();
        assert_eq!(error.name(), name, "{url}");
    }
    assert!(routed.asked().is_empty());
}

#[test]
fn a_body_over_the_limit_is_cut_and_marked_so() {
    let limits = FetchLimits {
        body_bytes_max: 4,
        ..FetchLimits::default()
    };
    let router = RoutedFetch::new(Named::new("d"), AddressGuard::public_only(), limits)
        .route(rule("a.example"), Named::new("too long"));
    let fetched = run(&router, "http://a.example/", Purpose::Page).unwrap();
    assert_eq!(&fetched.body[..], b"too ");
    assert_eq!(fetched.truncated, Some(Truncated::Bytes));
}

#[test]
fn an_answer_for_another_url_is_an_error_and_a_fragment_makes_no_other_url() {
    let answering = |url| {
        Arc::new(Named {
            name: "n",
            asked: Mutex::default(),
            answers_for: Some(url),
        })
    };
    let router = router(Named::new("d"))
        .route(rule("a.example"), answering("http://b.example/"))
        .route(rule("c.example"), answering("http://c.example/x"));
    let error = run(&router, "http://a.example/", Purpose::Page).unwrap_err();
    assert_eq!(error.name(), "protocol");
    run(&router, "http://c.example/x#y", Purpose::Page).unwrap();
}

#[test]
fn host_rules_are_written_as_hosts_and_suffixes() {
    for (text, written) in [
        ("A.example", "a.example"),
        (".A.Example.", ".a.example"),
        ("bücher.example", "xn--bcher-kva.example"),
        ("[::1]", "[::1]"),
        ("0x7f.1", "127.0.0.1"),
    ] {
        assert_eq!(rule(text).to_string(), written);
        assert_eq!(rule(written), rule(text));
    }
    for text in [
        "",
        ".",
        "a b",
        "http://a.example",
        "a.example:80",
        ".127.0.0.1",
    ] {
        let error = text.parse::<HostRule>().unwrap_err();
        assert!(error.to_string().contains(&format!("{text:?}")), "{error}");
    }
}
