//! What a crawl tells in Chinese is Chinese, whatever came of its URLs.
//!
//! All pages of the web are Chinese, so that English words are the program's own.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use testweb::{Request, Response, TestWeb};

use crate::serve_support::Serving;
use crate::support::{Bench, file, stderr, stdout, tamis};

const CONFIG: &str = "[scope]\nmode = \"any\"\n[topic]\nkeywords = [\"索引\", \"查询\", \"事务\"]\nlanguages = [\"zh\"]\n\
    [politeness]\nattempts = 2\n[again]\nmin = \"0s\"\ngone_answers = 1\ngone_apart = \"0s\"\n";

/// Sentences of a text, some by a number.
const SENTENCES: [&str; 12] = [
    "倒排索引把每个词对应到出现过它的文档。",
    "查询优化器按代价选择索引和连接的次序。",
    "事务看到的是开始时的快照，互不干扰。",
    "缓冲池里放着最近用过的数据页。",
    "日志先于数据写盘，崩溃之后可以恢复。",
    "清理进程回收不再可见的旧版本。",
    "分区表让查询只读需要的那一部分。",
    "统计信息过时会让计划变差。",
    "锁的粒度越细，并发越高，开销也越大。",
    "复制把日志送到备机，备机重放它。",
    "唯一索引在插入时检查是否重复。",
    "物化视图把查询的结果存下来。",
];

fn page(title: &str, number: usize, links: &[&str]) -> String {
    let sentences: String = (0..30)
        .map(|at| SENTENCES[(number * 7 + at * at * (number + 3) + at) % SENTENCES.len()])
        .collect();
    let links = links
        .iter()
        .map(|to| format!("<p><a href=\"{to}\">见这里</a></p>"));
    let links: String = links.collect();
    format!(
        "<!doctype html><html lang=\"zh\"><head><title>{title}</title></head><body><main><h1>{title}</h1>\
         <p>第 {number} 篇。{sentences}</p>{links}</main></body></html>"
    )
}

/// Paths of the front page's links.
const PATHS: [&str; 23] = [
    "/1",
    "/2",
    "/3",
    "/missing",
    "/forbidden",
    "/error",
    "/private/x",
    "/circle",
    "/moved",
    "/moves",
    "/goes",
    "/changes",
    "/renamed",
    "/breaks",
    "/walled-later",
    "/wall",
    "/person",
    "/thin",
    "/soft",
    "/copy",
    "/feed",
    "/soup",
    "/file",
];

fn answer(request: &Request, is_later: bool) -> Response {
    let wall = || {
        Response::new(
            403,
            "text/html",
            "<title>Just a moment...</title><div class=\"cf-browser-verification\">Checking your browser before accessing</div>",
        )
        .with_header("cf-ray", "1")
    };
    match request.path.as_str() {
        "/robots.txt" => Response::text("User-agent: *\nDisallow: /private\n"),
        "/" => Response::html(page("数据库", 0, &PATHS)),
        "/missing" => Response::not_found(),
        "/forbidden" => Response::error(403),
        "/error" => Response::error(500),
        "/circle" => Response::redirect(302, "/circle2"),
        "/circle2" => Response::redirect(302, "/circle"),
        "/moved" => Response::redirect(301, "/1"),
        "/moves" if is_later => Response::redirect(301, "/2"),
        "/goes" if is_later => Response::not_found(),
        "/changes" if is_later => Response::html(page("会变的", 15, &[])),
        "/renamed" if is_later => Response::html(page("另一个完全不同的题目", 16, &[])),
        "/breaks" if is_later => Response::error(503),
        "/walled-later" if is_later => wall(),
        "/wall" => wall(),
        "/person" => Response::html(
            "<title>安全验证</title><p>请完成验证码</p><div class=\"g-recaptcha\"></div>\
             <script src=\"https://www.google.com/recaptcha/api.js\"></script>",
        ),
        "/thin" => Response::html("<title>短</title><p>好</p>"),
        "/soft" => Response::html("<title>404 页面不存在</title><h1>404</h1><p>抱歉，您访问的页面不存在或已被删除。</p>"),
        "/copy" => Response::html(page("转载", 1, &[])),
        "/feed" => Response::new(
            200,
            "application/rss+xml",
            "<rss version=\"2.0\"><channel><title>订阅</title><item><link>http://a.test/3</link></item></channel></rss>",
        ),
        "/soup" => Response::html(format!(
            "<html lang=\"zh\"><title>汤</title><p>{}</p>",
            "胡萝卜切块，和洋葱一起放进锅里，加水，小火炖一个小时，最后放盐。番茄去皮，牛肉焯水，慢慢煮软。".repeat(8)
        )),
        "/file" => Response::new(200, "application/octet-stream", "0123456789"),
        path => match path.trim_start_matches('/') {
            "1" => Response::html(page("原文", 1, &[])),
            other => {
                let number = other.bytes().map(usize::from).sum::<usize>();
                Response::html(page(&format!("第 {number} 篇"), number, &[]))
            }
        },
    }
}

/// Pages of the server that are read.
const PAGES: [&str; 8] = [
    "",
    "/pages",
    "/pages?verdict=dropped",
    "/pages?verdict=failed",
    "/clusters",
    "/changes",
    "/report",
    "/audit",
];

/// English of the program in a text: three words or more that stand together. What stands in quotes is the
/// web's; URLs, commands, and names of keys are the same in each language.
fn english(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    for line in text.lines() {
        let own: String = line.split('"').step_by(2).collect::<Vec<_>>().join("\n");
        let own = own.split("tamis ").next().unwrap_or_default();
        let words =
            own.split(' ')
                .map(|word| match word.contains("://") || word.starts_with('/') {
                    true => "\n",
                    false => word,
                });
        let words = words.collect::<Vec<_>>().join(" ");
        let phrases = words.split(|c: char| !c.is_ascii_alphabetic() && c != ' ' && c != '\'');
        let phrases = phrases.filter(|phrase| phrase.split_whitespace().count() > 2);
        found.extend(phrases.map(|phrase| format!("{}: {line}", phrase.trim())));
    }
    found
}

/// The texts of a page of HTML, one a line, without those that are not the program's.
fn texts(html: &str) -> String {
    const FOREIGN: [&str; 9] = [
        "a", "bdi", "code", "pre", "style", "script", "del", "ins", "option",
    ];
    let mut out = String::new();
    let mut foreign: Option<String> = None;
    for piece in html.split('<').skip(1) {
        let (tag, text) = piece.split_once('>').unwrap_or((piece, ""));
        let is_end = tag.starts_with('/');
        let name = tag
            .trim_start_matches('/')
            .split([' ', '/'])
            .next()
            .unwrap_or_default();
        match &foreign {
            Some(inside) if is_end && inside == name => foreign = None,
            None if !is_end && FOREIGN.contains(&name) => foreign = Some(name.to_owned()),
            Some(_) | None => {}
        }
        if foreign.is_none() {
            out.push_str(&text.replace("&quot;", "\""));
            out.push('\n');
        }
    }
    out
}

#[track_caller]
fn is_chinese(what: &str, text: &str) {
    let has_chinese = text.chars().any(|c| ('\u{4e00}'..='\u{9fff}').contains(&c));
    assert!(has_chinese, "{what}: {text}");
    assert_eq!(english(text), Vec::<String>::new(), "{what}");
}

/// A crawl of the web, and what it says of itself.
struct Site {
    bench: Bench,
    later: Arc<AtomicBool>,
    options: Vec<String>,
}

impl Site {
    fn new() -> Self {
        let later = Arc::new(AtomicBool::new(false));
        let is_later = Arc::clone(&later);
        let web = TestWeb::new()
            .host("a.test", move |request: &Request| {
                answer(request, is_later.load(Ordering::SeqCst))
            })
            .host("shut.test", |_: &Request| Response::error(503));
        let bench = Bench::serve(web);
        let config = file(bench.dir.path(), "tongues.toml", CONFIG);
        let options = [&config, "--seed", "http://a.test/", "--delay", "1ms"];
        Self {
            bench,
            later,
            options: options.map(str::to_owned).into(),
        }
    }

    #[track_caller]
    fn crawl(&self, name: &str, more: &[&str]) {
        let options = self.options.iter().map(String::as_str);
        let options: Vec<&str> = options.chain(more.iter().copied()).collect();
        self.bench.crawl_to_end(name, &options);
    }

    /// What a command says of a crawl, in Chinese.
    fn tell(&self, command: &str, name: &str, more: &[&str]) -> String {
        let mut command = tamis(&[command]);
        let command = command.arg(self.bench.crawl_dir(name)).args(more);
        let output = command.args(["--lang", "zh"]).output();
        let output = output.expect("the binary runs");
        stdout(&output) + &stderr(&output)
    }

    /// All that is said of the first crawl, but for its changes; gives the report.
    #[track_caller]
    fn all_is_chinese(&self, when: &str) -> String {
        let rows = self.bench.rows("one", "pages");
        let urls = rows.iter().map(|row| row["url"].as_str().expect("a URL"));
        let urls: Vec<&str> = urls.chain(["http://a.test/never"]).collect();
        assert!(urls.len() > 20, "{urls:?}");
        for url in urls {
            let told = self.tell("explain", "one", &[url, "--short"]);
            is_chinese(&format!("{when}: {url}"), &told);
        }
        let report = self.tell("report", "one", &[]);
        is_chinese(&format!("{when}: the report"), &report);
        let status = self.tell("status", "one", &[]);
        is_chinese(&format!("{when}: the status"), &status);
        let html = self.tell("report", "one", &["--format", "html"]);
        is_chinese(&format!("{when}: the page"), &texts(&html));
        report
    }
}

#[test]
fn all_that_a_crawl_tells_in_chinese_is_chinese() {
    let site = Site::new();
    site.crawl("one", &[]);
    let report = site.all_is_chinese("before");
    assert!(report.contains("循环重定向"), "{report}");

    site.later.store(true, Ordering::SeqCst);
    site.crawl("one", &["--again"]);
    site.all_is_chinese("after");
    let changes = site.tell("changes", "one", &[]);
    for kind in ["已变", "已消失", "已搬走", "不明"] {
        assert!(changes.contains(kind), "{kind}: {changes}");
    }
    is_chinese("the changes", &changes);

    let shut = ["--seed", "http://shut.test/x", "--max-time", "2s"];
    let shut = site.bench.crawl("shut", &shut).output();
    assert!(shut.is_ok(), "{shut:?}");
    let told = site.tell("status", "shut", &[]);
    is_chinese("the status of what waits", &told);
    assert!(
        told.contains("主机") && told.contains("shut.test"),
        "{told}"
    );
    let told = site.tell("explain", "shut", &["http://shut.test/x"]);
    is_chinese("a host without robots.txt", &told);
    assert!(told.contains("此前不访问该主机"), "{told}");

    site.crawl("two", &[]);
    let two = site.bench.crawl_dir("two").display().to_string();
    let compared = site.tell("report", "one", &["--compare", &two]);
    is_chinese("the comparison", &compared);

    let server = Serving::start(&[&site.bench.crawl_dir("one").display().to_string()]);
    server.ready();
    let explained = ["missing", "wall", "moves", "circle", "private/x"];
    let explained = explained.map(|path| format!("/explain?url=http://a.test/{path}"));
    let explained = explained.iter().map(String::as_str);
    for path in PAGES.into_iter().chain(explained) {
        let asked = format!("GET /c/one{path}");
        let page = server.ask(&asked, &["Accept-Language: zh-CN"], "");
        assert_eq!(page.status, 200, "{path}: {}", page.text());
        is_chinese(path, &texts(&page.text()));
    }
}
