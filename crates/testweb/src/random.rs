//! Webs made at random of what sites do to crawlers, with the truth beside them.
//!
//! Each site is a mixture, drawn from a seed: articles in one of four forms of URL (one of them a pool
//! of pages below a common parameter), a mirror on another host that has a few pages of its own, a
//! translation that exists for a part of the articles only, session ids in all links, print versions,
//! dead links among good ones, a calendar without an end, a pool of small hosts. Half of the sites are
//! Chinese.
//!
//! Which texts there are is known: [`RandomWeb::text_at`] names the text behind a URL, and
//! [`RandomWeb::texts`] all texts that can be reached from the seeds, by plain breadth-first search
//! outside the calendars (a test holds it to that). A crawl that was asked for everything has lost
//! each text of which it has fetched no copy: [`RandomWeb::lost`].

use std::collections::{BTreeMap, BTreeSet};

use crate::message::{Request, Response};
use crate::web::TestWeb;

/// Articles on one list page.
const LIST_ITEMS: usize = 25;
/// Words of an article.
const ARTICLE_WORDS: usize = 180;
/// Pages of a host in a pool of hosts.
const POOL_PAGES: usize = 3;
/// The folder of the translation.
const TRANSLATION: &str = "/zh-cn";

/// A random web.
pub struct RandomWeb {
    /// The web, to be fetched from or served.
    pub web: TestWeb,
    /// Where a crawl begins: the front page of each host.
    pub seeds: Vec<String>,
    sites: Vec<Site>,
}

/// How an article's address looks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Form {
    /// `/a/NAME.html`
    Path,
    /// `/item?id=NAME`, a pool of pages below one parameter
    Id,
    /// `/?p=NUMBER`
    Number,
    /// `/2024/05/NAME/`
    Date,
}

/// One article of a site.
#[derive(Debug, Clone)]
struct Article {
    name: String,
    number: usize,
    /// The address answers 404.
    is_dead: bool,
    /// The mirror has a text of its own here.
    differs_on_mirror: bool,
    /// The translation has a text of its own here.
    is_translated: bool,
}

/// One site with all its hosts.
#[derive(Debug, Clone)]
struct Site {
    host: String,
    form: Form,
    articles: Vec<Article>,
    parts: BTreeSet<Part>,
    /// Hosts of the pool.
    pool: usize,
    seed: u64,
}

/// What a site has beside its articles.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Part {
    Chinese,
    Mirror,
    Translation,
    Sessions,
    Print,
    Calendar,
}

/// A number from a number: SplitMix64.
pub(crate) fn mix(seed: u64) -> u64 {
    let mut x = seed.wrapping_add(0x9e37_79b9_7f4a_7c15);
    x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    x ^ (x >> 31)
}

fn mix_text(text: &str) -> u64 {
    text.bytes()
        .fold(7, |seed, byte| mix(seed ^ u64::from(byte)))
}

/// A small generator, so that a failing case is its seed.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: usize) -> usize {
        self.0 = mix(self.0);
        (self.0 % sides.max(1) as u64) as usize
    }

    fn one_in(&mut self, sides: usize) -> bool {
        self.roll(sides) == 0
    }
}

/// The random web of a seed; the same seed gives the same web.
pub fn random(seed: u64, sites: usize) -> RandomWeb {
    let sites: Vec<Site> = (0..sites).map(|number| Site::new(seed, number)).collect();
    let mut web = TestWeb::new();
    let mut seeds = Vec::new();
    for site in &sites {
        for host in site.hosts() {
            seeds.push(format!("http://{host}/"));
            let site = site.clone();
            web = web.host(&host, move |request| site.answer(request));
        }
    }
    RandomWeb { web, seeds, sites }
}

impl RandomWeb {
    /// The name of the text that a URL answers with; none for lists, calendars and dead links.
    pub fn text_at(&self, host: &str, target: &str) -> Option<String> {
        let site = self.sites.iter().find(|site| site.has_host(host))?;
        site.text_at(host, target)
    }

    /// The names of all texts that can be reached from the seeds.
    pub fn texts(&self) -> BTreeSet<String> {
        self.sites.iter().flat_map(Site::texts).collect()
    }

    /// The texts of which no copy was answered so far.
    pub fn lost(&self) -> BTreeSet<String> {
        let mut lost = self.texts();
        for entry in self.web.log().iter().filter(|entry| entry.status == 200) {
            if let Some(text) = self.text_at(&entry.host, &entry.target) {
                lost.remove(&text);
            }
        }
        lost
    }

    /// What each site is made of, for the message of a failing test.
    pub fn describe(&self) -> BTreeMap<&str, String> {
        let words = |site: &Site| {
            let (count, form, parts) = (site.articles.len(), site.form, &site.parts);
            format!(
                "{count} articles {form:?}, {parts:?}, pool of {}",
                site.pool
            )
        };
        let sites = self.sites.iter();
        sites
            .map(|site| (site.host.as_str(), words(site)))
            .collect()
    }
}

impl Site {
    fn new(seed: u64, number: usize) -> Site {
        let mut dice = Dice(mix(seed) ^ mix(number as u64 + 1));
        let count = 40 + dice.roll(160);
        let dead_in = [usize::MAX, 4, 8, 20][dice.roll(4)];
        let differs_in = [usize::MAX, 12, 20, 40][dice.roll(4)];
        let translated_in = [2, 10, 20, 40][dice.roll(4)];
        let own_seed = dice.0;
        let articles = (0..count).map(|number| Article {
            name: format!("{:010x}", mix(own_seed ^ number as u64) >> 24),
            number,
            is_dead: dice.one_in(dead_in),
            differs_on_mirror: dice.one_in(differs_in),
            is_translated: dice.one_in(translated_in),
        });
        let articles = articles.collect();
        let parts = [
            (Part::Chinese, 2),
            (Part::Mirror, 2),
            (Part::Translation, 2),
            (Part::Sessions, 3),
            (Part::Print, 3),
            (Part::Calendar, 3),
        ];
        Site {
            host: format!("site{number}.test"),
            form: [Form::Path, Form::Id, Form::Number, Form::Date][dice.roll(4)],
            articles,
            parts: parts
                .into_iter()
                .filter_map(|(part, sides)| dice.one_in(sides).then_some(part))
                .collect(),
            pool: if dice.one_in(4) { 5 + dice.roll(20) } else { 0 },
            seed: own_seed,
        }
    }

    fn has(&self, part: Part) -> bool {
        self.parts.contains(&part)
    }

    fn pool_host(&self, member: usize) -> String {
        format!("n{member}.pool-{}", self.host)
    }

    /// The site's own host, its mirror, and its pool.
    fn hosts(&self) -> Vec<String> {
        let mut hosts = vec![self.host.clone()];
        hosts.extend(
            self.has(Part::Mirror)
                .then(|| format!("mirror.{}", self.host)),
        );
        hosts.extend((0..self.pool).map(|member| self.pool_host(member)));
        hosts
    }

    fn has_host(&self, host: &str) -> bool {
        self.hosts().iter().any(|own| own == host)
    }

    fn pool_member(&self, host: &str) -> Option<usize> {
        (0..self.pool).find(|member| self.pool_host(*member) == host)
    }

    /// The address of an article below `folder`: empty, or that of the translation.
    fn address(&self, folder: &str, article: &Article) -> String {
        let name = &article.name;
        match self.form {
            Form::Path => format!("{folder}/a/{name}.html"),
            Form::Id => format!("{folder}/item?id={name}"),
            Form::Number => format!("{folder}/?p={}", article.number + 1),
            Form::Date => format!("{folder}/2024/{:02}/{name}/", article.number % 12 + 1),
        }
    }

    /// The folder and the rest of a target, without session id and print parameter.
    fn without_extras(&self, target: &str) -> (&'static str, String) {
        let (path, query) = target.split_once('?').unwrap_or((target, ""));
        let (folder, path) = match path.strip_prefix(TRANSLATION) {
            Some(rest) if self.has(Part::Translation) => (TRANSLATION, rest),
            Some(_) | None => ("", path),
        };
        let pairs = query.split('&').filter(|pair| {
            let name = pair.split('=').next().unwrap_or_default();
            let is_extra = (name == "sid" && self.has(Part::Sessions))
                || (name == "print" && self.has(Part::Print));
            !pair.is_empty() && !is_extra
        });
        let query: Vec<&str> = pairs.collect();
        match query.is_empty() {
            true => (folder, path.to_owned()),
            false => (folder, format!("{path}?{}", query.join("&"))),
        }
    }

    fn article_at(&self, target: &str) -> Option<(&'static str, &Article)> {
        let (folder, address) = self.without_extras(target);
        let mut articles = self.articles.iter();
        let found = articles.find(|article| self.address("", article) == address)?;
        Some((folder, found))
    }

    /// The name of the text of an article in a folder on a host.
    fn text_of(&self, host: &str, folder: &str, article: &Article) -> Option<String> {
        let kind = if !folder.is_empty() && article.is_translated {
            "translated"
        } else if host != self.host && article.differs_on_mirror {
            "mirror"
        } else {
            "original"
        };
        let name = || format!("{}/{}/{kind}", self.host, article.number);
        (!article.is_dead).then(name)
    }

    fn text_at(&self, host: &str, target: &str) -> Option<String> {
        if let Some(member) = self.pool_member(host) {
            let page = target.strip_prefix("/p")?.parse::<usize>().ok()?;
            return (page < POOL_PAGES).then(|| format!("{}/pool{member}/{page}", self.host));
        }
        let (folder, article) = self.article_at(target)?;
        self.text_of(host, folder, article)
    }

    fn texts(&self) -> BTreeSet<String> {
        let mut texts = BTreeSet::new();
        let folders: &[&str] = match self.has(Part::Translation) {
            true => &["", TRANSLATION],
            false => &[""],
        };
        for host in self.hosts() {
            if self.pool_member(&host).is_some() {
                let pages = (0..POOL_PAGES).map(|page| format!("/p{page}"));
                texts.extend(pages.filter_map(|page| self.text_at(&host, &page)));
                continue;
            }
            for folder in folders {
                let articles = self.articles.iter();
                texts.extend(articles.filter_map(|article| self.text_of(&host, folder, article)));
            }
        }
        texts
    }

    fn answer(&self, request: &Request) -> Response {
        let target = request.target();
        if let Some(member) = self.pool_member(&request.host) {
            return self.pool_page(&target, member);
        }
        if let Some((folder, article)) = self.article_at(&target) {
            return self.article(request, folder, article);
        }
        let (folder, address) = self.without_extras(&target);
        match address.split('?').next().unwrap_or_default() {
            "/" | "/list" => self.list(request, folder),
            path if self.has(Part::Calendar) && path.starts_with("/calendar/") => calendar(path),
            _ => Response::not_found(),
        }
    }

    /// A link, with the session id of whoever asked where the site has them.
    fn link(&self, request: &Request, address: &str) -> String {
        let shown = address.trim_start_matches('/');
        let address = match self.has(Part::Sessions) {
            false => address.to_owned(),
            true => {
                let new = || format!("{:016x}", self.seed ^ mix_text(&request.target()));
                let session = request.parameter("sid").map_or_else(new, str::to_owned);
                with_parameter(address, "sid", &session)
            }
        };
        format!("<a href=\"{}\">{shown}</a>", address.replace('&', "&amp;"))
    }

    fn list(&self, request: &Request, folder: &str) -> Response {
        let page = request.parameter("page");
        let page: usize = page.and_then(|page| page.parse().ok()).unwrap_or(0);
        let chunk = self.articles.chunks(LIST_ITEMS).nth(page);
        let articles = chunk.unwrap_or_default().iter();
        let links = articles.map(|article| self.link(request, &self.address(folder, article)));
        let mut links: Vec<String> = links.collect();
        if (page + 1) * LIST_ITEMS < self.articles.len() {
            links.push(self.link(request, &format!("{folder}/list?page={}", page + 1)));
        }
        if page == 0 && folder.is_empty() {
            let translation = self.has(Part::Translation);
            links.extend(translation.then(|| self.link(request, &format!("{TRANSLATION}/"))));
            let calendar = self.has(Part::Calendar);
            links.extend(calendar.then(|| self.link(request, "/calendar/2024/1/")));
        }
        html(&format!("{}{folder} list {page}", self.host), "", &links)
    }

    fn article(&self, request: &Request, folder: &str, article: &Article) -> Response {
        let Some(text) = self.text_of(&request.host, folder, article) else {
            return Response::not_found();
        };
        let next = self.articles.get(article.number + 1);
        let next = next.map(|next| self.link(request, &self.address(folder, next)));
        let mut links: Vec<String> = next.into_iter().collect();
        if self.has(Part::Print) && request.parameter("print").is_none() {
            let print = with_parameter(&self.address(folder, article), "print", "1");
            links.push(self.link(request, &print));
        }
        let is_chinese =
            self.has(Part::Chinese) != (folder == TRANSLATION && article.is_translated);
        html(&text.replace('/', " "), &prose(&text, is_chinese), &links)
    }

    fn pool_page(&self, target: &str, member: usize) -> Response {
        let links = (0..POOL_PAGES).map(|page| format!("<a href=\"/p{page}\">page {page}</a>"));
        let links: Vec<String> = links.collect();
        match self.text_at(&self.pool_host(member), target) {
            Some(text) => {
                let prose = prose(&text, self.has(Part::Chinese));
                html(&text.replace('/', " "), &prose, &links)
            }
            None if target == "/" => html("pool", "", &links),
            None => Response::not_found(),
        }
    }
}

/// A month without events, or one of its days, with links to the month's days and to the next
/// month, without an end.
fn calendar(path: &str) -> Response {
    let mut parts = path.trim_start_matches("/calendar/").split('/');
    let mut number = || parts.next().and_then(|part| part.parse::<u32>().ok());
    let (Some(year), Some(month)) = (number(), number()) else {
        return Response::not_found();
    };
    let next = (year + month / 12, month % 12 + 1);
    let next = format!("<a href=\"/calendar/{}/{}/\">next</a>", next.0, next.1);
    let day = |day| format!("<a href=\"/calendar/{year}/{month}/{day}/\">{day}</a>");
    let links: Vec<String> = std::iter::once(next).chain((1..=28).map(day)).collect();
    html(&format!("{year}-{month}"), "No events.", &links)
}

fn with_parameter(address: &str, name: &str, value: &str) -> String {
    let joint = if address.contains('?') { '&' } else { '?' };
    format!("{address}{joint}{name}={value}")
}

/// Sentences that follow from a text's name and are like no other's.
fn prose(name: &str, is_chinese: bool) -> String {
    const SYLLABLES: [&str; 16] = [
        "ba", "len", "mor", "ti", "dra", "ves", "kol", "nu", "pa", "rin", "so", "gal", "fe", "chu",
        "wim", "yor",
    ];
    const WORDS: [&str; 64] = [
        "天空", "河流", "山谷", "城市", "图书", "音乐", "历史", "科学", "技术", "语言", "文化",
        "经济", "社会", "教育", "环境", "植物", "动物", "海洋", "沙漠", "森林", "建筑", "桥梁",
        "道路", "火车", "飞机", "船只", "市场", "商店", "学校", "医院", "公园", "花园", "厨房",
        "茶叶", "水果", "蔬菜", "面包", "牛奶", "鱼类", "大米", "春天", "夏天", "秋天", "冬天",
        "早晨", "夜晚", "月亮", "太阳", "星星", "雨水", "雪花", "微风", "朋友", "家庭", "孩子",
        "老师", "学生", "工人", "农民", "作家", "画家", "歌手", "记者", "医生",
    ];
    let mut seed = mix_text(name);
    let mut roll = |sides: usize| {
        seed = mix(seed);
        (seed % sides as u64) as usize
    };
    let mut text = String::new();
    for word in 0..ARTICLE_WORDS {
        if is_chinese {
            text.push_str(WORDS[roll(WORDS.len())]);
        } else {
            (0..3).for_each(|_| text.push_str(SYLLABLES[roll(SYLLABLES.len())]));
        }
        let ends = word % 14 == 13;
        text.push_str(match (ends, is_chinese) {
            (true, true) => "。 ",
            (true, false) => ". ",
            (false, true) => "",
            (false, false) => " ",
        });
    }
    text
}

fn html(title: &str, text: &str, links: &[String]) -> Response {
    let sentences = text.split_inclusive(['.', '。']);
    let paragraphs: String = sentences.map(|part| format!("<p>{part}</p>")).collect();
    let links: String = links
        .iter()
        .map(|link| format!("<li>{link}</li>"))
        .collect();
    Response::html(format!(
        "<!doctype html><html><head><meta charset=utf-8><title>{title}</title></head><body>\
         <h1>{title}</h1><article>{paragraphs}</article><ul>{links}</ul></body></html>"
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// All texts that breadth-first search finds outside the calendars, each page under one session.
    fn walk(random: &RandomWeb) -> BTreeSet<String> {
        let (mut seen, mut found) = (BTreeSet::new(), BTreeSet::new());
        let mut queue: std::collections::VecDeque<String> = random.seeds.clone().into();
        while let Some(url) = queue.pop_front() {
            let url = url::Url::parse(&url).unwrap();
            let request = Request::get(&url);
            let target = request.target();
            let plain = target.split("sid=").next().unwrap_or_default();
            let plain = plain.trim_end_matches(['?', '&']);
            if !seen.insert((request.host.clone(), plain.to_owned())) {
                continue;
            }
            let response = random.web.answer(&request).unwrap();
            if request.path.contains("/calendar/") || response.status != 200 {
                continue;
            }
            found.extend(random.text_at(&request.host, &target));
            let body = String::from_utf8_lossy(&response.body).into_owned();
            let links = body.split("href=\"").skip(1);
            let links = links.filter_map(|rest| rest.split('"').next());
            let links = links.filter_map(|link| url.join(&link.replace("&amp;", "&")).ok());
            queue.extend(links.map(String::from));
        }
        found
    }

    #[test]
    fn every_text_that_is_named_can_be_reached_and_no_other() {
        for seed in 0..10 {
            let random = random(seed, 4);
            assert_eq!(
                walk(&random),
                random.texts(),
                "{seed}: {:?}",
                random.describe()
            );
            assert_eq!(random.lost(), random.texts());
        }
    }

    #[test]
    fn one_seed_gives_one_web_and_another_seed_another() {
        let texts = |seed| random(seed, 3).texts();
        assert_eq!(texts(5), texts(5));
        assert_ne!(texts(5), texts(6));
    }
}
