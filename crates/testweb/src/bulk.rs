//! A web of many pages of real size, for measurements.
//!
//! Each page has some 30 KB of HTML: styles and scripts, a hundred links, and an article of some 900
//! words. Of ten hosts three are Chinese. Of the texts 35 in 100 are those of an earlier page, word for
//! word, and 25 in 100 differ from one in a few words. Everything follows from the numbers given, so
//! that two servers of one web answer alike; every page can be reached from its host's front page.

use std::fmt::Write as _;
use std::sync::{Arc, OnceLock};

use crate::message::Response;
use crate::random;
use crate::web::TestWeb;

/// Words of an article.
const WORDS: usize = 900;
/// Words of a language.
const VOCABULARY: u64 = 20_000;
/// Of a hundred pages, those whose text is an earlier page's.
const COPIES: u64 = 35;
/// Of a hundred pages, those whose text differs from an earlier page's in a few words.
const NEAR_COPIES: u64 = 25;
/// Words in which a near copy differs.
const CHANGED_WORDS: usize = 3;
/// Links of a page to the sections of its host, within the host, and to other hosts.
const LINKS: [usize; 3] = [20, 60, 20];

/// Of Chinese words, the characters of the first and of the second half.
const HAN: [&str; 2] = [
    "数据网络系统信息技术语言时间社会经济历史文化教育科学研究生活自然环境工程设计管理市场产品服务",
    "库表程序结构方法模型理论问题关系分析变化过程发展影响条件原因结果能力规则制度标准方向内容形式",
];
/// Chinese words that stand between others.
const HAN_SMALL: [&str; 12] = [
    "的", "是", "在", "和", "了", "有", "对", "也", "与", "从", "而", "被",
];
const SYLLABLES: [&str; 24] = [
    "ba", "con", "de", "er", "fi", "gra", "ho", "in", "ke", "lo", "men", "no", "or", "pre", "qui",
    "ra", "sta", "ter", "u", "ver", "wi", "xe", "yo", "zen",
];
const SMALL: [&str; 12] = [
    "the", "of", "and", "to", "in", "is", "that", "for", "with", "as", "on", "by",
];

/// A web of hosts with as many pages each.
#[derive(Debug, Clone)]
pub struct Bulk {
    hosts: Arc<[String]>,
    pages: usize,
}

/// A number from two.
fn mix(seed: u64, number: u64) -> u64 {
    random::mix(seed ^ number.rotate_left(32))
}

/// A word by its number; small numbers are common ones.
fn word(number: u64, is_chinese: bool) -> String {
    let part =
        |of: &[&str], shift: u64| of[(mix(number, shift) % of.len() as u64) as usize].to_owned();
    let small = number < 12;
    match (is_chinese, small) {
        (true, true) => HAN_SMALL[number as usize].into(),
        (false, true) => SMALL[number as usize].into(),
        (true, false) => {
            let half = |at: usize| {
                let characters = HAN[at].chars().count() as u64 / 2;
                let nth = mix(number, at as u64) % characters;
                HAN[at]
                    .chars()
                    .skip(2 * nth as usize)
                    .take(2)
                    .collect::<String>()
            };
            format!("{}{}", half(0), half(1))
        }
        (false, false) => (0..2 + number % 3).map(|at| part(&SYLLABLES, at)).collect(),
    }
}

impl Bulk {
    /// The web of these hosts, each with so many pages.
    pub fn new(hosts: &[String], pages: usize) -> Bulk {
        Bulk {
            hosts: hosts.into(),
            pages,
        }
    }

    /// How many pages there are.
    pub fn len(&self) -> usize {
        self.hosts.len() * self.pages
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The path of a page of its host; the first is the front page.
    pub fn path(page: usize) -> String {
        match page {
            0 => "/".into(),
            _ => format!("/{}/{}.html", SYLLABLES[page % SYLLABLES.len()], page),
        }
    }

    /// Whether a host is Chinese, by its number.
    fn is_chinese(host: usize) -> bool {
        host % 10 % 3 == 2
    }

    /// The page whose text a page has, and the page that changed some of its words, if any.
    fn text_of(&self, mut host: usize, mut page: usize) -> (usize, usize, Option<u64>) {
        let mut changed = None;
        loop {
            let number = (host * self.pages + page) as u64;
            let roll = mix(number, 1) % 100;
            if page == 0 || roll >= COPIES + NEAR_COPIES {
                return (host, page, changed);
            }
            if roll >= COPIES && changed.is_none() {
                changed = Some(number);
            }
            // An earlier page of a host of the same language, most often of the same host.
            page = (mix(number, 2) % page as u64) as usize;
            if mix(number, 3).is_multiple_of(4) && host >= 10 {
                host -= 10;
            }
        }
    }

    /// The words of a page's article.
    fn words(&self, host: usize, page: usize) -> Vec<String> {
        let (text_host, text_page, changed) = self.text_of(host, page);
        let seed = mix((text_host * self.pages + text_page) as u64, 4);
        let is_chinese = Self::is_chinese(host);
        let numbers = (0..WORDS as u64).map(|at| {
            // As in languages, a word's rank and its frequency are inverse to each other.
            let chance = (mix(seed, at) >> 11) as f64 / (1_u64 << 53) as f64;
            ((VOCABULARY as f64).powf(chance)) as u64 - 1
        });
        let mut words: Vec<String> = numbers.map(|number| word(number, is_chinese)).collect();
        if let Some(changed) = changed {
            for at in 0..CHANGED_WORDS as u64 {
                let place = mix(changed, 5 + at) as usize % words.len();
                words[place] = word(mix(changed, 50 + at) % VOCABULARY, is_chinese);
            }
        }
        words
    }

    /// The URLs that a page links to: sections, pages of its host, pages of others.
    fn links(&self, host: usize, page: usize) -> Vec<String> {
        let number = (host * self.pages + page) as u64;
        let draw =
            |at: usize, of: usize| (mix(number, 100 + at as u64) % of.max(1) as u64) as usize;
        let sections = (0..LINKS[0]).map(|at| (host, at % self.pages));
        // A page's children in a tree, so that each page can be reached, and others by chance.
        let children = (1..=3).map(|child| 3 * page + child);
        let children = children
            .filter(|child| *child < self.pages)
            .map(|child| (host, child));
        let others = (0..LINKS[1] - 3).map(|at| (host, draw(at, self.pages)));
        let far = (0..LINKS[2]).map(|at| {
            let at = LINKS[1] + 2 * at;
            (draw(at, self.hosts.len()), draw(at + 1, self.pages))
        });
        let all = sections.chain(children).chain(others).chain(far);
        all.map(|(to, page)| match to == host {
            true => Self::path(page),
            false => format!("http://{}{}", self.hosts[to], Self::path(page)),
        })
        .collect()
    }

    /// A page as its server would send it.
    pub fn html(&self, host: usize, page: usize) -> String {
        let is_chinese = Self::is_chinese(host);
        let words = self.words(host, page);
        let (gap, stop, lang) = match is_chinese {
            true => ("", "。", "zh-CN"),
            false => (" ", ". ", "en"),
        };
        let title = words[20..26].join(gap);
        let links = self.links(host, page);
        let mut html = String::with_capacity(32_000);
        let _ = write!(
            html,
            "<!doctype html><html lang=\"{lang}\"><head><meta charset=\"utf-8\"><title>{title}</title>\
             <meta name=\"description\" content=\"{}\"><style>",
            words[..16].join(gap)
        );
        for rule in 0..60 {
            let _ = writeln!(
                html,
                ".part-{rule} > .item{{margin:0 {rule}px;padding:{rule}px 1rem}}"
            );
        }
        html.push_str(
            "</style></head><body><header><a class=\"logo\" href=\"/\">Home</a></header><nav><ul>",
        );
        list(&mut html, &links[..LINKS[0]], &words, gap);
        let _ = write!(
            html,
            "</ul></nav><main><article class=\"post\"><h1>{title}</h1>"
        );
        for (number, paragraph) in words.chunks(75).enumerate() {
            if number % 4 == 3 {
                let _ = write!(
                    html,
                    "<h2 id=\"part-{number}\">{}</h2>",
                    paragraph[..4].join(gap)
                );
            }
            html.push_str("<p>");
            for sentence in paragraph.chunks(15) {
                html.push_str(&sentence.join(gap));
                html.push_str(stop);
            }
            html.push_str("</p>\n");
        }
        html.push_str("</article></main><aside class=\"related\"><h3>Related</h3><ul>");
        list(&mut html, &links[LINKS[0]..], &words, gap);
        html.push_str("</ul></aside><footer class=\"foot\"><p>All texts were made by a program.</p></footer><script>");
        for number in 0..60 {
            let _ = writeln!(
                html,
                "window.items=(window.items||[]).concat({{id:{number},kind:'tracker'}});"
            );
        }
        html.push_str("</script></body></html>\n");
        html
    }

    /// The web. A page is made when it is asked for first, and kept.
    pub fn web(&self) -> TestWeb {
        let mut web = TestWeb::new();
        for (number, host) in self.hosts.iter().enumerate() {
            let bulk = self.clone();
            let made: Vec<OnceLock<Response>> = (0..self.pages).map(|_| OnceLock::new()).collect();
            web = web.host(host, move |request| {
                let name = request.path.rsplit('/').next().unwrap_or_default();
                let page = match request.path.as_str() {
                    "/" => Some(0),
                    _ => name
                        .strip_suffix(".html")
                        .and_then(|name| name.parse().ok()),
                };
                let page =
                    page.filter(|page| *page < bulk.pages && Self::path(*page) == request.path);
                match page {
                    Some(page) => {
                        let make = || Response::html(bulk.html(number, page));
                        made[page].get_or_init(make).clone()
                    }
                    None => Response::not_found(),
                }
            });
        }
        web
    }
}

fn list(html: &mut String, links: &[String], words: &[String], gap: &str) {
    for (at, link) in links.iter().enumerate() {
        let from = at * 7 % (words.len() - 3);
        let _ = write!(
            html,
            "<li class=\"item item-{at}\"><a href=\"{link}\">{}</a></li>",
            words[from..from + 3].join(gap)
        );
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    fn bulk() -> Bulk {
        let hosts: Vec<String> = (0..12).map(|host| format!("h{host}.test")).collect();
        Bulk::new(&hosts, 60)
    }

    #[test]
    fn every_page_of_a_host_is_reached_from_its_front_page() {
        let bulk = bulk();
        let (mut reached, mut queue) = (BTreeSet::from([0]), vec![0]);
        let paths: Vec<String> = (0..60).map(Bulk::path).collect();
        while let Some(page) = queue.pop() {
            for link in bulk.links(3, page) {
                let Some(to) = paths.iter().position(|path| *path == link) else {
                    continue;
                };
                if reached.insert(to) {
                    queue.push(to);
                }
            }
        }
        assert_eq!(reached.len(), 60);
    }

    #[test]
    fn pages_are_of_real_size_with_a_hundred_links_and_shares_of_copies() {
        let bulk = bulk();
        let html = bulk.html(0, 7);
        assert!((20_000..45_000).contains(&html.len()), "{}", html.len());
        assert!(html.matches("<a ").count() >= 99);
        assert!(bulk.html(2, 7).contains("lang=\"zh-CN\""));
        let all: Vec<(usize, usize)> = (0..12)
            .flat_map(|host| (0..60).map(move |page| (host, page)))
            .collect();
        let share = |count: usize| 100 * count / all.len();
        let texts: Vec<_> = all
            .iter()
            .map(|page| bulk.text_of(page.0, page.1))
            .collect();
        let of = texts.iter().zip(&all);
        let own = share(of.filter(|(text, page)| (text.0, text.1) == **page).count());
        let near = share(texts.iter().filter(|text| text.2.is_some()).count());
        assert!((35..48).contains(&own), "{own}");
        assert!((20..40).contains(&near), "{near}");
        assert_eq!(bulk.html(4, 9), bulk.html(4, 9));
    }
}
