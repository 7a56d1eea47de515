//! The demo's hosts, one function each.

use bytes::Bytes;
use encoding_rs::{BIG5, Encoding, GBK, UTF_8};

use super::article::{self, Article, read};
use super::template::{Content, Layout, PageLanguage, SiteDesign, links, teasers, text};
use crate::message::{Request, Response};
use crate::web::TestWeb;

/// A host's articles, design and charset.
struct Site {
    design: SiteDesign,
    charset: &'static Encoding,
    /// The charset is named in the `Content-Type` header.
    in_header: bool,
    articles: Vec<Article>,
    /// Folder of the articles: `/posts/`.
    folder: &'static str,
}

impl Site {
    fn path(&self, article: &Article) -> String {
        format!("{}{}.html", self.folder, article.slug)
    }

    fn add(&self, web: TestWeb, path: &str, content: &Content) -> TestWeb {
        let html = self.design.page(path, content);
        let body = Bytes::from(self.charset.encode(&html).0.into_owned());
        let content_type = match self.in_header {
            true => format!("text/html; charset={}", self.charset.name().to_lowercase()),
            false => "text/html".to_owned(),
        };
        let url = format!("http://{}{path}", self.design.host);
        web.respond(&url, Response::new(200, &content_type, body))
    }

    /// Links to the three articles that follow in the list.
    fn aside(&self, article: &Article) -> String {
        let at = self
            .articles
            .iter()
            .position(|other| other.slug == article.slug)
            .unwrap_or(0);
        let next = (1..=3).map(|step| &self.articles[(at + step) % self.articles.len()]);
        links(next.map(|other| (other.title, self.path(other))))
    }

    fn article(&self, article: &Article) -> Content {
        let tags = article.tags.iter().map(|tag| (*tag, tag_path(tag)));
        Content {
            title: article.title.into(),
            byline: self.design.byline(article.date, article.author),
            body: format!(
                "{}<div class=\"tags\">{}</div>\n",
                text(article),
                links(tags)
            ),
            head: format!(
                "<meta name=\"author\" content=\"{}\">\n<meta property=\"article:published_time\" content=\"{}\">\n",
                article.author, article.date
            ),
            aside: self.aside(article),
        }
    }

    /// Articles, a list of them at `/`, and a page per tag.
    fn blog(&self, mut web: TestWeb) -> TestWeb {
        let language = self.design.language;
        let all: Vec<&Article> = self.articles.iter().collect();
        for article in &self.articles {
            web = self.add(web, &self.path(article), &self.article(article));
        }
        let home = Content {
            title: language
                .pick("Latest articles", "最新文章", "最新文章")
                .into(),
            body: teasers(&all, |article| self.path(article)),
            ..Content::default()
        };
        web = self.add(web, "/", &home);
        let mut tags: Vec<&str> = all
            .iter()
            .flat_map(|article| article.tags.clone())
            .collect();
        tags.sort_unstable();
        tags.dedup();
        for tag in tags {
            let tagged: Vec<&Article> = all
                .iter()
                .copied()
                .filter(|article| article.tags.contains(&tag))
                .collect();
            let list = Content {
                title: format!("{}: {tag}", language.pick("Tag", "标签", "標籤")),
                body: teasers(&tagged, |article| self.path(article)),
                ..Content::default()
            };
            web = self.add(web, &tag_path(tag), &list);
        }
        web
    }
}

fn tag_path(tag: &str) -> String {
    let encoded: String = url::form_urlencoded::byte_serialize(tag.as_bytes()).collect();
    format!("/tags/{}.html", encoded.replace('+', "-"))
}

const DB_NAV: &[(&str, &str)] = &[
    ("Home", "/"),
    ("Storage", "/tags/storage.html"),
    ("Search", "/tags/search.html"),
    ("About", "/about.html"),
    ("Find", "/find.html"),
];

/// The English blog and its mirror.
pub(super) fn db(mut web: TestWeb) -> TestWeb {
    for host in ["db.example.test", "mirror.example.test"] {
        let site = Site {
            design: SiteDesign {
                host,
                name: "Pages and Trees",
                motto: "Notes on what happens below the query language",
                language: PageLanguage::English,
                layout: Layout::Modern,
                meta_charset: "utf-8",
                nav: DB_NAV,
            },
            charset: UTF_8,
            in_header: true,
            articles: read(article::ENGLISH),
            folder: "/posts/",
        };
        web = site.blog(web);
        web = site.add(web, "/about.html", &about());
        web = site.add(web, "/find.html", &find());
        if host == "db.example.test" {
            web = print_versions(web, &site);
            web = sitemap(web, &site);
        }
    }
    web
}

fn about() -> Content {
    Content {
        title: "About".into(),
        body: "<p>Four people write here about databases. <a href=\"/imprint.html\">Imprint</a> \
               (moved away), <a href=\"http://www.example.test/\">our portal</a>, \
               <a href=\"http://slow.test/\">the night shift's notebook</a>.</p>\n"
            .into(),
        ..Content::default()
    }
}

fn find() -> Content {
    Content {
        title: "Find".into(),
        head: "<meta name=\"robots\" content=\"noindex, follow\">\n".into(),
        body: "<form action=\"/find.html\"><input name=\"q\"></form>\n<p>Type a word that you \
               remember from an article about databases, indexes or search, and press return. \
               The search looks at titles first and at the text after that. It knows no \
               operators: two words mean both, in any order. Results are sorted by score, and \
               articles of the last year come before older ones when their scores are equal. If \
               nothing is found, try a shorter word or leave off its ending. This page is not \
               meant for the indexes of other search engines, and says so in its head.</p>\n"
            .into(),
        ..Content::default()
    }
}

/// Print versions under `/print/`: the text alone.
fn print_versions(mut web: TestWeb, site: &Site) -> TestWeb {
    for article in &site.articles {
        let path = format!("/print/{}.html", article.slug);
        let html = format!(
            "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>{0} (print)</title></head>\n\
             <body onload=\"print()\"><h1>{0}</h1>\n<p>{1}, {2}</p>\n{3}<p>Printed from {4}</p></body></html>\n",
            article.title,
            article.author,
            article.date,
            text(article),
            site.design.host,
        );
        web = web.page(&format!("http://{}{path}", site.design.host), &html);
        let mut content = site.article(article);
        content
            .body
            .push_str(&format!("<p><a href=\"{path}\">Print version</a></p>\n"));
        web = site.add(web, &site.path(article), &content);
    }
    web
}

fn sitemap(web: TestWeb, site: &Site) -> TestWeb {
    let host = site.design.host;
    let rows = site.articles.iter().map(|article| {
        let path = site.path(article);
        let date = article.date;
        format!("  <url><loc>http://{host}{path}</loc><lastmod>{date}</lastmod></url>\n")
    });
    // One page that no link leads to.
    let hidden = format!("  <url><loc>http://{host}/drafts/only-in-sitemap.html</loc></url>\n");
    let xml = format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<urlset xmlns=\"http://www.sitemaps.org/schemas/sitemap/0.9\">\n{}{hidden}</urlset>\n",
        rows.collect::<String>(),
    );
    let draft = Content {
        title: "Draft: hash indexes".into(),
        body: "<p>A hash index finds a row by one key and nothing else. It knows no order, so it \
               answers no range, and for a long time it was not even written to the log in \
               PostgreSQL. Yet for long keys that are only ever compared for equality, such as \
               URLs, it is smaller than a B-tree, since it stores four bytes instead of the \
               key. Buckets double when the table has grown; an overflow page takes what does \
               not fit. We are collecting measurements for an article: insert rates with \
               random and with sorted keys, the size after a million deletions, and what \
               happens when nearly all rows share one value of the indexed column.</p>\n"
            .into(),
        ..Content::default()
    };
    let web = site.add(web, "/drafts/only-in-sitemap.html", &draft);
    let robots =
        format!("User-agent: *\nDisallow: /admin/\n\nSitemap: http://{host}/sitemap.xml\n");
    web.robots(host, &robots)
        .respond(&format!("http://{host}/sitemap.xml"), Response::xml(xml))
}

const PORTAL_NAV: &[(&str, &str)] = &[
    ("News", "/"),
    ("Wire", "/wire/"),
    ("Directory", "/directory.html"),
    ("Events", "/events/2026/11/"),
    ("Weather", "/weather.html"),
    ("Lottery", "/lottery.html"),
];

/// The portal: news, copies of articles, thin pages, soft 404s and an endless calendar.
pub(super) fn portal(mut web: TestWeb) -> TestWeb {
    let site = Site {
        design: SiteDesign {
            host: "www.example.test",
            name: "The Portal",
            motto: "All the news that compiles",
            language: PageLanguage::English,
            layout: Layout::Portal,
            meta_charset: "utf-8",
            nav: PORTAL_NAV,
        },
        charset: UTF_8,
        in_header: true,
        articles: read(article::NEWS),
        folder: "/news/",
    };
    web = site.blog(web);
    web = wire(web, &site);
    web = site.add(web, "/directory.html", &directory());
    for (path, title, line) in [
        (
            "/weather.html",
            "Weather",
            "Cloudy, 14 degrees, wind from the west.",
        ),
        ("/lottery.html", "Lottery", "4 8 15 16 23 42"),
    ] {
        let thin = Content {
            title: title.into(),
            body: format!("<p>{line}</p>\n"),
            ..Content::default()
        };
        web = site.add(web, path, &thin);
    }
    let design = site.design;
    web.host("www.example.test", move |request| {
        if let Some(page) = calendar(&design, request) {
            return page;
        }
        match request.path.as_str() {
            "/robots.txt" => Response::not_found(),
            _ => soft_404(&design, request),
        }
    })
}

/// Links to all hosts, and to some that do not exist or answer with errors.
fn directory() -> Content {
    Content {
        title: "Directory of sites".into(),
        body: links([
            (
                "Pages and Trees, a database blog",
                "http://db.example.test/".into(),
            ),
            (
                "Pages and Trees, mirror",
                "http://mirror.example.test/".into(),
            ),
            (
                "数据之间, databases in Chinese",
                "http://shuju.test/".into(),
            ),
            ("老站, reprints", "http://laozhan.test/".into()),
            ("資料庫隨筆", "http://ziliaoku.test/".into()),
            ("Leaf and Kettle, tea", "http://tea.test/".into()),
            ("Greta's kitchen", "http://recipes.test/".into()),
            ("The night shift's notebook", "http://slow.test/".into()),
            ("The shop that closed", "http://gone.test/".into()),
            ("A site that never existed", "http://never.test/".into()),
            ("Old price list", "/old/prices-2009.html".into()),
            ("Old opening hours", "/old/hours.html".into()),
            ("Guest book", "/old/guestbook.php?page=2".into()),
        ]),
        ..Content::default()
    }
}

/// Copies of the blog's articles, with another date line and one sentence more or less.
fn wire(mut web: TestWeb, site: &Site) -> TestWeb {
    let originals = read(article::ENGLISH);
    let mut items = Vec::new();
    for (number, original) in originals.iter().take(5).enumerate() {
        let path = format!("/wire/{}-{}.html", 40_100 + 7 * number, original.slug);
        let date = format!("2024-06-{:02}", 3 + 4 * number);
        let opening = match number % 2 {
            0 => "<p><b>From our correspondent.</b></p>\n",
            _ => "",
        };
        let content = Content {
            title: original.title.into(),
            byline: format!(
                "Portal wire service, <time datetime=\"{date}\">{date}</time>, 3 comments, share this story"
            ),
            body: format!("{opening}{}", text(original)),
            aside: site.aside(original),
            ..Content::default()
        };
        items.push((original.title, path.clone()));
        web = site.add(web, &path, &content);
    }
    let list = Content {
        title: "From the wire".into(),
        body: links(items),
        ..Content::default()
    };
    site.add(web, "/wire/", &list)
}

/// A month at `/events/YEAR/MONTH/`, with links to the months before and after, without an end.
fn calendar(design: &SiteDesign, request: &Request) -> Option<Response> {
    let (year, month) = request
        .path
        .strip_prefix("/events/")?
        .strip_suffix('/')?
        .split_once('/')?;
    let year: i32 = year.parse().ok().filter(|year| (0..=9999).contains(year))?;
    let month: i32 = month
        .parse()
        .ok()
        .filter(|month| (1..=12).contains(month))?;
    let at = |months: i32| {
        let months = year * 12 + month - 1 + months;
        format!(
            "/events/{:04}/{:02}/",
            months.div_euclid(12),
            months.rem_euclid(12) + 1
        )
    };
    let days: String = (1..=28)
        .map(|day| {
            format!(
                "<td>{day}</td>{}",
                if day % 7 == 0 { "</tr>\n<tr>" } else { "" }
            )
        })
        .collect();
    let content = Content {
        title: format!("Events in {year}-{month:02}"),
        body: format!(
            "<table><tr>{days}</tr></table>\n<p>No events this month.</p>\n\
             <p><a href=\"{}\">previous month</a> <a href=\"{}\">next month</a></p>\n",
            at(-1),
            at(1),
        ),
        ..Content::default()
    };
    Some(Response::html(design.page(&request.target(), &content)))
}

fn soft_404(design: &SiteDesign, request: &Request) -> Response {
    let content = Content {
        title: "Page not found".into(),
        body: "<p>Sorry, the page you are looking for could not be found. It may have been moved \
               or deleted. Please check the address or go back to the <a href=\"/\">front \
               page</a>.</p>\n"
            .into(),
        ..Content::default()
    };
    Response::html(design.page(&request.target(), &content))
}

/// The three Chinese hosts: UTF-8, GBK with reposts, Big5.
pub(super) fn chinese(mut web: TestWeb) -> TestWeb {
    let blog = Site {
        design: SiteDesign {
            host: "shuju.test",
            name: "数据之间",
            motto: "数据库与检索技术笔记",
            language: PageLanguage::Simplified,
            layout: Layout::Blog,
            meta_charset: "utf-8",
            nav: &[
                ("首页", "/"),
                (
                    "全文检索",
                    "/tags/%E5%85%A8%E6%96%87%E6%A3%80%E7%B4%A2.html",
                ),
                ("老站镜像", "http://laozhan.test/"),
            ],
        },
        charset: UTF_8,
        in_header: true,
        articles: read(article::SIMPLIFIED),
        folder: "/wenzhang/",
    };
    web = blog.blog(web);
    let old = Site {
        design: SiteDesign {
            host: "laozhan.test",
            name: "老站",
            motto: "始于二零零二年,一直在更新",
            language: PageLanguage::Simplified,
            layout: Layout::Table,
            meta_charset: "gb2312",
            nav: &[
                ("首页", "/"),
                ("转载文章", "/zhuanzai/"),
                ("数据之间", "http://shuju.test/"),
            ],
        },
        charset: GBK,
        in_header: false,
        articles: read(article::GBK),
        folder: "/art/",
    };
    web = old.blog(web);
    web = reposts(web, &old, &blog);
    Site {
        design: SiteDesign {
            host: "ziliaoku.test",
            name: "資料庫隨筆",
            motto: "一個圖書館員的技術筆記",
            language: PageLanguage::Traditional,
            layout: Layout::Blog,
            meta_charset: "",
            nav: &[("首頁", "/"), ("數據之間", "http://shuju.test/")],
        },
        charset: BIG5,
        in_header: true,
        articles: read(article::TRADITIONAL),
        folder: "/notes/",
    }
    .blog(web)
}

/// Articles of another host, marked as reposts (转载自).
fn reposts(mut web: TestWeb, old: &Site, from: &Site) -> TestWeb {
    let mut items = Vec::new();
    for (number, original) in from.articles.iter().take(4).enumerate() {
        let path = format!("/zhuanzai/{}.html", 20_230_800 + number);
        let source = format!("http://{}{}", from.design.host, from.path(original));
        let content = Content {
            title: format!("[转载] {}", original.title),
            byline: format!(
                "2024年0{}月18日 点击数:{} 编辑:老站小编",
                number + 2,
                1311 * (number + 3)
            ),
            body: format!(
                "<p>转载自:<a href=\"{source}\">{source}</a> 原作者:{}</p>\n{}\
                 <p>本文为转载文章,版权归原作者所有,如有侵权请与本站联系。</p>\n",
                original.author,
                text(original),
            ),
            ..Content::default()
        };
        items.push((original.title, path.clone()));
        web = old.add(web, &path, &content);
    }
    let list = Content {
        title: "转载文章".into(),
        body: links(items),
        ..Content::default()
    };
    old.add(web, "/zhuanzai/", &list)
}

/// The recipes: off topic, a crawl delay of one second, one folder disallowed.
pub(super) fn recipes(web: TestWeb) -> TestWeb {
    let site = Site {
        design: SiteDesign {
            host: "recipes.test",
            name: "Greta's kitchen",
            motto: "Weeknight cooking",
            language: PageLanguage::English,
            layout: Layout::Blog,
            meta_charset: "utf-8",
            nav: &[("All recipes", "/"), ("Drafts", "/private/drafts.html")],
        },
        charset: UTF_8,
        in_header: true,
        articles: read(article::RECIPES),
        folder: "/r/",
    };
    let drafts = Content {
        title: "Drafts".into(),
        body: "<p>Nothing here is tested yet.</p>\n".into(),
        ..Content::default()
    };
    let web = site.add(site.blog(web), "/private/drafts.html", &drafts);
    web.robots(
        "recipes.test",
        "User-agent: *\nCrawl-delay: 1\nDisallow: /private/\n",
    )
}

/// The slow host.
pub(super) fn slow(web: TestWeb) -> TestWeb {
    Site {
        design: SiteDesign {
            host: "slow.test",
            name: "The night shift's notebook",
            motto: "Served from a shelf in the cellar",
            language: PageLanguage::English,
            layout: Layout::Modern,
            meta_charset: "utf-8",
            nav: &[("Notebook", "/"), ("Friends", "http://db.example.test/")],
        },
        charset: UTF_8,
        in_header: true,
        articles: read(article::SLOW),
        folder: "/",
    }
    .blog(web)
}
