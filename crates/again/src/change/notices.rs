//! What a site says of a page, and not on it: when it was updated, how often it was read, who owns it, that
//! it keeps cookies, what is sold beside it, and where else to go.
//!
//! Such notices come and go, or change, while the page is the same. They are told by standing phrases, in
//! sentences that say little else; a menu by its items. All phrases are general: none is of a site.

use super::words::{COPYRIGHT, Gap, Word, is_han, is_number};

/// Words beside the phrases of a notice; with more it says something of its own. A Chinese character is half
/// a word.
const OTHER_WORDS_MAX: f64 = 9.0;

/// The same beside the copyright sign, which names an owner and a year at length.
const OWNER_WORDS_MAX: f64 = 20.0;

/// Words of a line that says who wrote what follows, `by` included.
const BYLINE_WORDS_MAX: usize = 4;

/// A menu has so many items at least.
const ITEMS_MIN: usize = 3;

/// And an item no more words than this.
const ITEM_WORDS_MAX: usize = 4;

/// Whether a sentence is a notice.
pub(super) fn is_notice(words: &[Word]) -> bool {
    let (told, others) = told(words, NOTICES);
    // Who says more of the kind may have more to say.
    let others_max = match words.iter().any(|word| word.text == COPYRIGHT) {
        true => OWNER_WORDS_MAX,
        false => OTHER_WORDS_MAX.max(2.0 * told),
    };
    told > 0.0 && others <= others_max || is_byline(words)
}

/// Whether a line names an author and nothing else.
fn is_byline(words: &[Word]) -> bool {
    let begins = words
        .first()
        .is_some_and(|word| word.text == "by" && word.gap == Gap::Stop);
    begins && (2..=BYLINE_WORDS_MAX).contains(&words.len())
}

/// Whether words that stand inside a line of other words are a menu: short items with bars between them, or
/// standing items alone.
pub(super) fn is_menu(words: &[Word], is_inside: bool) -> bool {
    let bars = words
        .iter()
        .skip(1)
        .filter(|word| word.gap == Gap::Bar)
        .count();
    let has_bars = bars + 1 >= ITEMS_MIN;
    let is_short = words.len() <= (bars + 1) * ITEM_WORDS_MAX;
    (is_inside && has_bars && is_short) || is_of_languages(words) || is_of_items(words)
}

/// Whether standing items make up most of some words.
fn is_of_items(words: &[Word]) -> bool {
    let (told, others) = told(words, ITEMS);
    told > 0.0 && others * 2.0 <= told
}

/// Whether nearly all that stands there is languages to read the page in: codes, or their names.
fn is_of_languages(words: &[Word]) -> bool {
    let bars = words.iter().filter(|word| word.gap == Gap::Bar).count();
    let languages = words
        .iter()
        .filter(|word| LANGUAGES.contains(&word.text.as_str()));
    let languages = languages.count();
    languages >= 2 && words.len() <= languages + 3 && (bars > 0 || languages > 3)
}

/// How many of some words stand in phrases of a list, and how many do not.
fn told(words: &[Word], phrases: &[&str]) -> (f64, f64) {
    let weigh = |word: &Word| match word.text.chars().next() {
        _ if is_number(&word.text) => 0.0,
        Some(c) if is_han(c) => 0.5,
        _ => 1.0,
    };
    let (mut told, mut others) = (0.0, 0.0);
    let mut rest = words;
    while let Some(first) = rest.first() {
        let phrase = phrases
            .iter()
            .filter_map(|phrase| begins(rest, phrase))
            .max();
        let (own, after) = rest.split_at(phrase.unwrap_or(1));
        match phrase {
            Some(_) => told += own.iter().map(weigh).sum::<f64>(),
            None => others += weigh(first),
        }
        rest = after;
    }
    (told, others)
}

/// The number of words that a phrase has, where they begin with it.
fn begins(words: &[Word], phrase: &str) -> Option<usize> {
    let mut rest = phrase;
    for (count, word) in words.iter().enumerate() {
        rest = rest.strip_prefix(word.text.as_str())?;
        if rest.is_empty() {
            return Some(count + 1);
        }
        rest = match rest.strip_prefix(' ') {
            Some(rest) => rest,
            // Chinese has no spaces.
            None if word.text.chars().next().is_some_and(is_han) => rest,
            None => return None,
        };
    }
    None
}

/// What notices say, in lower case and without punctuation.
const NOTICES: &[&str] = &[
    // When.
    "last updated",
    "last modified",
    "last edited",
    "last change",
    "last changed",
    "updated on",
    "updated at",
    "page updated",
    "date modified",
    "posted on",
    "posted by",
    "written by",
    "edited by",
    "published on",
    "published at",
    "date published",
    "first published",
    "最后更新",
    "最近更新",
    "更新于",
    "更新时间",
    "最后修改",
    "修改时间",
    "最后编辑",
    "最近一次修改",
    "最近一次更新",
    "本文由",
    "编辑部",
    "编辑于",
    "发布于",
    "发表于",
    "发布时间",
    "发表时间",
    "最後更新",
    "更新日期",
    "發表於",
    "發佈於",
    // How often.
    "page views",
    "total views",
    "view count",
    "people are reading",
    "people have read",
    "阅读量",
    "阅读次数",
    "浏览量",
    "浏览次数",
    "访问量",
    "点击量",
    "点击次数",
    "人阅读",
    "人浏览",
    "次阅读",
    "次浏览",
    "閱讀次數",
    "瀏覽次數",
    // Whose.
    COPYRIGHT,
    "copyright",
    "all rights reserved",
    "all rights are reserved",
    "版权所有",
    "版权归",
    "保留所有权利",
    "转载请注明",
    "未经允许不得转载",
    "未经许可不得转载",
    "未经授权不得转载",
    "如需转载",
    "转载请联系",
    "转载请保留",
    "禁止转载",
    "版權所有",
    "轉載請註明",
    // Cookies.
    "we use cookies",
    "uses cookies",
    "accept all",
    "accept cookies",
    "cookie policy",
    "cookie settings",
    "使用cookie",
    "使用 cookie",
    "使用cookies",
    "使用 cookies",
    // Adverts.
    "sponsored",
    "advertisement",
    "advertisements",
    "sign up now",
    "subscribe now",
    "subscribe to our newsletter",
    "sign up for our newsletter",
    "limited time offer",
    "advertise with us",
    "advertising inquiries",
    "advertising enquiries",
    "по вопросам рекламы",
    "广告合作",
    "商务合作",
    "buy now",
    "限时优惠",
    "立即抢购",
    "立即购买",
    "点击领取",
    "广告",
    // Upkeep.
    "scheduled maintenance",
    "undergoing maintenance",
    "系统维护",
    "停机维护",
];

/// Items of menus, in lower case and without punctuation.
const ITEMS: &[&str] = &[
    "privacy policy",
    "privacy notice",
    "privacy",
    "terms and conditions",
    "terms conditions",
    "terms of use",
    "terms of service",
    "terms",
    "legal notice",
    "imprint",
    "contact us",
    "about us",
    "site map",
    "sitemap",
    "skip to content",
    "skip to main content",
    "back to top",
    "print this page",
    "share this",
    "facebook",
    "twitter",
    "linkedin",
    "pinterest",
    "instagram",
    "youtube",
    "whatsapp",
    "google",
    "share on facebook",
    "share on twitter",
    "read more",
    "learn more",
    "show more",
    "load more",
    "log in",
    "sign in",
    "sign up",
    "register",
    "subscribe",
    "available languages",
    "related articles",
    "related posts",
    "recent posts",
    "previous",
    "next",
    "home",
    "隐私政策",
    "隐私声明",
    "服务条款",
    "用户协议",
    "使用条款",
    "联系我们",
    "关于我们",
    "网站地图",
    "返回顶部",
    "阅读全文",
    "阅读更多",
    "查看更多",
    "加载更多",
    "登录",
    "注册",
    "分享到",
    "相关文章",
    "最新文章",
    "上一篇",
    "下一篇",
    "首页",
    "隱私權政策",
    "聯絡我們",
    "關於我們",
    "回到頂部",
];

/// Languages by code, and as they call themselves.
const LANGUAGES: &[&str] = &[
    "en",
    "de",
    "fr",
    "es",
    "it",
    "pt",
    "br",
    "nl",
    "pl",
    "ru",
    "uk",
    "cs",
    "da",
    "sv",
    "fi",
    "nb",
    "no",
    "tr",
    "ar",
    "he",
    "hi",
    "id",
    "vi",
    "th",
    "ja",
    "ko",
    "zh",
    "cn",
    "tw",
    "hk",
    "el",
    "hu",
    "ro",
    "bg",
    "english",
    "deutsch",
    "français",
    "español",
    "italiano",
    "português",
    "nederlands",
    "polski",
    "русский",
    "українська",
    "čeština",
    "dansk",
    "svenska",
    "suomi",
    "norsk",
    "türkçe",
    "bahasa",
    "indonesia",
    "العربية",
    "עברית",
    "한국어",
    "ελληνικά",
    "magyar",
    "română",
];

#[cfg(test)]
mod tests {
    use super::super::words::words;
    use super::*;

    #[test]
    fn what_a_site_says_of_a_page_is_a_notice_and_what_it_says_on_it_is_none() {
        for notice in [
            "Last updated: 12 May 2024",
            "Posted on 2024-05-12 by the editors of this site",
            "Copyright © 2025 The Example Foundation. All rights reserved",
            "We use cookies to improve your experience. Accept all",
            "Sponsored: save 40% on hosting today. Sign up now!",
            "最后更新：2024-05-12",
            "本文为原创文章，未经允许不得转载",
            "限时优惠：云服务器 3 折起，立即抢购！",
        ] {
            assert!(is_notice(&words(notice)), "{notice}");
        }
        for text in [
            "The table is updated on each insert, and the index is not, so that a later scan finds old rows.",
            "Copyright protects a work from the moment at which it is made, in most countries without any notice.",
            "Dead rows stay in the table.",
            "广告投放系统根据用户的浏览历史和页面内容来决定展示哪些素材，并在每次展示后更新预算和出价策略。",
            "",
        ] {
            assert!(!is_notice(&words(text)), "{text}");
        }
    }

    #[test]
    fn a_menu_is_told_by_its_items_or_by_its_bars_inside_other_text() {
        let menu = |text: &str, is_inside| is_menu(&words(text), is_inside);
        for text in [
            "Available Languages: en | fr",
            "Mevcut Diller: en | fr | ja | ko | tr",
            "Privacy Policy | Terms & Conditions",
            "Privacy Policy | Trade In Terms & Conditions",
            "首页 | 联系我们",
            "Read more",
            "Twitter | Facebook | Google+",
        ] {
            assert!(menu(text, false), "{text}");
        }
        let items = "Modules | Directives | Frequent Questions | Glossary";
        assert!(menu(items, true));
        // A line of its own may be a row of a table.
        assert!(!menu(items, false));
        for text in [
            "The planner reads statistics | and then it chooses a plan for the query that was asked",
            "Paris | France",
            "en route to the coast",
            "He signed up for the course in spring",
        ] {
            assert!(!menu(text, true), "{text}");
        }
    }

    #[test]
    fn the_phrases_are_as_words_are_cut() {
        for phrase in NOTICES.iter().chain(ITEMS) {
            assert_eq!(
                begins(&words(phrase), phrase),
                Some(words(phrase).len()),
                "{phrase}"
            );
        }
    }
}
