//! The markup around the articles: each host has its own, as on the real web.
//!
//! One article on two hosts shares its text alone. Tags, navigation, advertisements, the date line and
//! the footer differ. Extraction must remove all that, and near-duplicate detection must not be misled
//! by it.

use super::article::{Article, Block};
use crate::faults::hash;

/// The language of a host's pages, buttons and date lines.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum PageLanguage {
    English,
    Simplified,
    Traditional,
}

/// How a host arranges a page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Layout {
    /// HTML5 with `main`, `article`, `aside`.
    Modern,
    /// Divs with ids, the sidebar before the text.
    Blog,
    /// A table, as pages were made around 2002.
    Table,
    /// Divs with classes that say nothing, many links around the text.
    Portal,
}

/// How a host's pages look.
#[derive(Debug, Clone)]
pub(super) struct SiteDesign {
    pub host: &'static str,
    pub name: &'static str,
    pub motto: &'static str,
    pub language: PageLanguage,
    pub layout: Layout,
    /// Charset named in a `meta` element; empty for none.
    pub meta_charset: &'static str,
    /// Label and path.
    pub nav: &'static [(&'static str, &'static str)],
}

/// What a page has of its own.
#[derive(Debug, Clone, Default)]
pub(super) struct Content {
    pub title: String,
    /// Date, author, source: the line under the title.
    pub byline: String,
    /// HTML.
    pub body: String,
    /// Further elements of the head, HTML.
    pub head: String,
    /// HTML beside the text.
    pub aside: String,
}

const ADS_EN: &[&str] = &[
    "Half price this week: ergonomic chairs for people who wait for queries. Free delivery.",
    "Learn to sail in seven days on the Aegean. Small groups, patient teachers, no seasickness.",
    "Our hosting has not been down since Tuesday. Try it for thirty days and pay later.",
    "Wool socks, knitted on the island of Foula. Three pairs for the price of two until Sunday.",
    "Do you talk to your plants? Now they answer. The new sensor for pots and balconies.",
];

const ADS_ZH: &[&str] = &[
    "限时优惠:全场键盘八折起,满三百元包邮,仅限本周末下单的新老客户。",
    "学游泳,选碧波!小班教学,名额有限,暑期班火热报名中,电话预约送泳镜一副。",
    "云主机新用户首月一元,三年不涨价,七天无理由退款,点击领取代金券。",
    "秋季新茶上市,产地直发,顺丰冷链,好评返现十元,买二送一。",
];

const ADS_ZHT: &[&str] = &[
    "週年慶全館八折,加入會員再送購物金一百元,活動只到月底為止。",
    "花東單車三日遊,含住宿與保險,兩人成行,早鳥報名另有優惠。",
    "中古相機高價收購,免費到府估價,現金交易,口碑二十年。",
];

impl PageLanguage {
    pub(super) fn code(self) -> &'static str {
        match self {
            PageLanguage::English => "en",
            PageLanguage::Simplified => "zh-CN",
            PageLanguage::Traditional => "zh-TW",
        }
    }

    /// The one of three texts that is in this language.
    pub(super) fn pick<T>(self, english: T, simplified: T, traditional: T) -> T {
        match self {
            PageLanguage::English => english,
            PageLanguage::Simplified => simplified,
            PageLanguage::Traditional => traditional,
        }
    }

    fn ad(self, key: &str) -> &'static str {
        let ads = self.pick(ADS_EN, ADS_ZH, ADS_ZHT);
        ads[(hash(key.as_bytes()) >> 7) as usize % ads.len()]
    }

    fn date(self, iso: &str) -> String {
        let mut parts = iso.split('-');
        let mut part = || parts.next().unwrap_or_default();
        let (year, month, day) = (part(), part(), part());
        match self {
            PageLanguage::English => format!("{year}-{month}-{day}"),
            PageLanguage::Simplified | PageLanguage::Traditional => {
                format!("{year}年{month}月{day}日")
            }
        }
    }
}

impl SiteDesign {
    /// A whole page.
    pub(super) fn page(&self, path: &str, content: &Content) -> String {
        let language = self.language;
        let charset = match self.meta_charset {
            "" => String::new(),
            name => format!("<meta charset=\"{name}\">\n"),
        };
        let title = escape(&content.title);
        let head = format!(
            "<!DOCTYPE html>\n<html lang=\"{}\">\n<head>\n{charset}<title>{title} - {}</title>\n{}</head>\n",
            language.code(),
            self.name,
            content.head,
        );
        let body = match self.layout {
            Layout::Modern => self.modern(path, content),
            Layout::Blog => self.blog(path, content),
            Layout::Table => self.table(path, content),
            Layout::Portal => self.portal(path, content),
        };
        format!("{head}<body>\n{body}</body>\n</html>\n")
    }

    fn nav(&self, between: &str) -> String {
        let links = self
            .nav
            .iter()
            .map(|(label, path)| format!("<a href=\"{path}\">{label}</a>"));
        links.collect::<Vec<_>>().join(between)
    }

    fn ad(&self, path: &str) -> &'static str {
        self.language.ad(&format!("{}{path}", self.host))
    }

    fn footer(&self) -> String {
        let words = self.language.pick(
            "All rights reserved. We use no cookies. Contact the editors by letter.",
            "版权所有,未经许可不得转载。本站不使用任何跟踪技术。",
            "版權所有,歡迎註明出處轉貼。本站不使用任何追蹤技術。",
        );
        format!("&copy; 2026 {}. {words}", self.name)
    }

    fn modern(&self, path: &str, content: &Content) -> String {
        format!(
            "<header><p class=\"brand\"><a href=\"/\">{}</a></p><p>{}</p><nav>{}</nav></header>\n\
             <main>\n<article>\n<h1>{}</h1>\n<p class=\"byline\">{}</p>\n{}</article>\n</main>\n\
             <aside><h2>{}</h2>{}<p class=\"ad\">{}</p></aside>\n<footer><p>{}</p></footer>\n",
            self.name,
            self.motto,
            self.nav(" "),
            escape(&content.title),
            content.byline,
            content.body,
            self.language.pick("Read on", "继续阅读", "延伸閱讀"),
            content.aside,
            self.ad(path),
            self.footer(),
        )
    }

    fn blog(&self, path: &str, content: &Content) -> String {
        format!(
            "<div id=\"wrap\">\n<div id=\"banner\"><h2><a href=\"/\">{}</a></h2><div>{}</div></div>\n\
             <ul id=\"menu\"><li>{}</li></ul>\n\
             <div id=\"left\"><div class=\"box\"><h3>{}</h3>{}</div><div class=\"box\">{}</div></div>\n\
             <div id=\"content\"><div class=\"post\"><h1>{}</h1><div class=\"info\">{}</div>\n\
             <div class=\"entry\">\n{}</div></div></div>\n<div id=\"foot\">{}</div>\n</div>\n",
            self.name,
            self.motto,
            self.nav("</li><li>"),
            self.language.pick("Recent posts", "最新文章", "最新文章"),
            content.aside,
            self.ad(path),
            escape(&content.title),
            content.byline,
            content.body,
            self.footer(),
        )
    }

    fn table(&self, path: &str, content: &Content) -> String {
        format!(
            "<table width=\"960\" align=\"center\"><tr><td colspan=\"2\" bgcolor=\"#cceecc\"><font size=\"6\">{}</font><br>{}</td></tr>\n\
             <tr><td width=\"180\" valign=\"top\">{}<hr>{}<hr><font color=\"red\">{}</font></td>\n\
             <td valign=\"top\"><font size=\"5\"><b>{}</b></font><br><font size=\"2\">{}</font><br><br>\n{}</td></tr>\n\
             <tr><td colspan=\"2\" align=\"center\">{}</td></tr></table>\n",
            self.name,
            self.motto,
            self.nav("<br>"),
            content.aside,
            self.ad(path),
            escape(&content.title),
            content.byline,
            content.body,
            self.footer(),
        )
    }

    fn portal(&self, path: &str, content: &Content) -> String {
        format!(
            "<div class=\"top\"><b>{}</b> <i>{}</i></div>\n<div class=\"bar\">{}</div>\n\
             <div class=\"promo\">{} {}</div>\n<div class=\"c1\"><div class=\"c2\"><h1>{}</h1>\n\
             <div class=\"c3\">{}</div>\n{}<div class=\"promo\">{}</div></div>\n\
             <div class=\"c4\"><h4>Most read</h4>{}</div></div>\n<div class=\"bottom\">{} | {}</div>\n",
            self.name,
            self.motto,
            self.nav(" | "),
            self.language.pick("Advertisement:", "广告:", "廣告:"),
            self.ad(path),
            escape(&content.title),
            content.byline,
            content.body,
            self.ad(&format!("second {path}")),
            content.aside,
            self.nav(" · "),
            self.footer(),
        )
    }

    /// Date and author as this host writes them.
    pub(super) fn byline(&self, date: &str, author: &str) -> String {
        let date_words = self.language.date(date);
        let time = format!("<time datetime=\"{date}\">{date_words}</time>");
        match self.language {
            PageLanguage::English => format!("By <span class=\"author\">{author}</span>, {time}"),
            PageLanguage::Simplified => {
                format!("发布时间:{time} 作者:<span class=\"author\">{author}</span>")
            }
            PageLanguage::Traditional => {
                format!("發表於 {time} 作者 <span class=\"author\">{author}</span>")
            }
        }
    }
}

/// The article's text as HTML.
pub(super) fn text(article: &Article) -> String {
    let blocks = article.blocks.iter().map(|block| match block {
        Block::Heading(text) => format!("<h2>{}</h2>\n", escape(text)),
        Block::Paragraph(text) => format!("<p>{}</p>\n", escape(text)),
    });
    blocks.collect()
}

/// A list of links.
pub(super) fn links<'a>(items: impl IntoIterator<Item = (&'a str, String)>) -> String {
    let items = items.into_iter().map(|(label, path)| {
        let label = escape(label);
        format!("<li><a href=\"{}\">{label}</a></li>\n", escape(&path))
    });
    format!("<ul>\n{}</ul>\n", items.collect::<String>())
}

/// A list of articles with their first sentences.
pub(super) fn teasers(articles: &[&Article], path: impl Fn(&Article) -> String) -> String {
    let items = articles.iter().map(|article| {
        format!(
            "<div class=\"teaser\"><h3><a href=\"{}\">{}</a></h3><p>{}</p></div>\n",
            escape(&path(article)),
            escape(article.title),
            escape(article.teaser()),
        )
    });
    items.collect()
}

/// Escapes a text for HTML.
pub(super) fn escape(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('"', "&quot;")
}
