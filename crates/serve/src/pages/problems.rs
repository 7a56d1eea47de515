//! What the API says of a request that it cannot answer, in Chinese, for those who read it on a page.
//!
//! The API itself answers in English. A row is a message, with holes, `{}`, for what differs; what stands
//! in them is looked up in turn. Scripts read the same table. A message without a row stays English.

/// English and Chinese, with their holes in the same order.
#[rustfmt::skip]
pub(super) const TABLE: &[(&str, &str)] = &[
    ("there is nothing here", "没有这个页面。"),
    ("no crawl of that name is served here", "这里没有叫这个名字的抓取任务。"),
    ("no page of that number is in the list", "列表里没有这个编号的网页。"),
    ("the journal is being read: ask again in a moment", "正在读取日志，请稍后再试。"),
    ("too many requests wait: ask again in a moment", "等待的请求太多，请稍后再试。"),
    ("too many watch already: ask again later", "同时查看的人太多，请稍后再试。"),
    ("a mistake in this program; the log has more", "程序出错，详情见日志。"),
    ("the answer took too long", "应答用时太长。"),
    ("the body is too long, or broke off", "提交的内容太长，或者中断了。"),
    ("since is a day of the calendar, as in 2026-05-31", "起始日期要写成日历上的一天，例如 2026-05-31。"),
    ("until is a day of the calendar, as in 2026-05-31", "截止日期要写成日历上的一天，例如 2026-05-31。"),
    ("since is {} and until is {}: no day lies between them", "起始日期是 {}，截止日期是 {}，中间没有任何一天。"),
    ("change is one of {}", "变化只能是：{}。"),
    ("the crawl is too large for this list: tamis changes tells all of it", "任务太大，这里列不下：请用 tamis changes 查看。"),
    ("the journal is being read for another answer: ask again in a moment", "正在为另一个请求读取日志，请稍后再试。"),
    ("two crawls are being compared: ask again in a moment", "正在对比两个任务，请稍后再试。"),
    ("type is one of {}", "网页类型只能是：{}。"),
    ("the body is too long", "提交的内容太长。"),
    ("the body took too long", "提交的内容传得太慢。"),
    ("the URL is too long", "网址太长。"),
    ("X-Tamis-Csrf is missing or of another start; GET /api/v1/session tells it", "服务器重新启动过，请刷新本页。"),
    ("a token is needed: open this server's URL with ?token=... once, or send it as a bearer", "需要令牌：先用 ?token=… 打开一次本服务器的网址。"),
    ("the request comes from another site", "请求来自其他网站。"),
    ("Failed to deserialize query string: {}", "网址中的参数有误：{}"),
    ("verdict is kept, dropped or failed", "verdict 只能是 kept、dropped 或 failed。"),
    ("order is asc or desc", "order 只能是 asc 或 desc。"),
    ("sort is time, relevance, words, title, host or published", "sort 只能是 time、relevance、words、title、host 或 published。"),
    ("lang is en or zh", "lang 只能是 en 或 zh。"),
    ("this is no absolute URL: {}", "这不是完整的网址：{}"),
    ("neither http nor https: {}: such a URL is never crawled", "既不是 http 也不是 https，不会抓取这样的网址：{}"),
    ("a URL with a user name in it is not crawled: {}: such a URL is never crawled", "网址里带有用户名，不会抓取这样的网址：{}"),
    ("no host: {}: such a URL is never crawled", "没有主机名，不会抓取这样的网址：{}"),
    // What may be wrong with a line of seeds: where, what, the line with a caret below it, the mend.
    ("the added seeds:{}:{}: {}\n  {}^\n  {}", "追加的种子，第 {} 行第 {} 个字符：{}\n  {}^\n  {}"),
    ("not an absolute URL: {}: {}", "不是完整的网址：{}：{}"),
    ("relative URL without a base", "缺少 http:// 或 https://"),
    ("neither http nor https: {}", "既不是 http 也不是 https：{}"),
    ("a URL with a user name in it is not crawled: {}", "不抓取带有用户名的网址：{}"),
    ("no host between // and /: {}", "// 与 / 之间没有主机名：{}"),
    ("no host has such a name, with a dot too many: {}", "主机名里多了一个点：{}"),
    ("no host has such a name, with more than 63 letters in one part: {}", "主机名里两点之间不能超过 63 个字母：{}"),
    ("no host has such a name, with more than 253 letters: {}", "主机名不能超过 253 个字母：{}"),
    ("no host: {}", "没有主机名：{}"),
    ("the URL ends with the full-width sign {}", "网址末尾有全角符号 {}"),
    ("{} has a full-width ＝", "{} 里有全角的 ＝"),
    ("an unusual blank, U+{}", "有特殊的空白字符 U+{}"),
    ("write an ordinary one", "请写普通的空格"),
    ("there are blanks around the = of {}", "{} 的等号两边有空格"),
    ("{} is given twice", "{} 写了两次"),
    ("{} is no key=value", "{} 不是 选项=值 的形式"),
    ("{} cannot be {}", "{} 的值不能是 {}"),
    ("unknown key {}", "没有这个选项：{}"),
    ("keys: {}", "可用的选项：{}"),
    ("take it away, or write {} where it belongs to the URL", "请删去；如果它属于网址，请写成 {}"),
    ("take the quotes away: write {}", "请去掉引号：写成 {}"),
    ("a port is a number up to 65535", "端口是不超过 65535 的数字"),
    ("an address is four numbers up to 255, such as {}", "地址是四个不超过 255 的数字，例如 {}"),
    ("an address of eight parts stands in brackets, such as {}", "八段的地址要写在方括号里，例如 {}"),
    ("check how the host is spelt", "请检查主机名的写法"),
    ("the full-width sign {} joins two URLs", "全角符号 {} 把两个网址连在了一起"),
    ("write one URL a line", "请每行写一个网址"),
    ("the full-width sign {} joins the URL and {}", "全角符号 {} 把网址与 {} 连在了一起"),
    ("write a blank between them: {}", "请用空格隔开：{}"),
    ("invalid port number", "端口无效"), ("invalid IPv4 address", "IPv4 地址无效"), ("invalid IPv6 address", "IPv6 地址无效"),
    ("invalid international domain name", "国际化域名无效"), ("invalid domain character", "域名里有不允许的字符"), ("empty host", "缺少主机名"),
    ("did you mean {}? write an absolute http or https URL", "是不是 {}？请写以 http 或 https 开头的完整网址"),
    ("did you mean {}?", "是不是 {}？"),
    ("write it with its scheme: {}", "请写出开头：{}"),
    ("write an absolute http or https URL", "请写以 http 或 https 开头的完整网址"),
    ("write a number, such as {}", "请写一个数字，例如 {}"),
    ("write a number above {}, such as {}", "请写大于 {} 的数字，例如 {}"),
    ("write a number from {} to {}", "请写 {} 到 {} 之间的数字"),
    ("write a date of the calendar, such as {}", "请写日历上有的日期，例如 {}"),
    ("choose host, domain, prefix or any", "请从 host、domain、prefix、any 中选一个"),
    ("the host is missing: write {}", "缺少主机名：请写 {}"),
    ("remove user name and password", "请去掉用户名和密码"),
    ("remove one of them", "请去掉其中一个"),
    ("write {}", "请写 {}"),
    ("another URL is being explained: ask again in a moment", "正在追溯另一个网址，请稍后再试。"),
    ("a crawl is not compared with itself", "抓取任务不能与自己对比。"),
    ("cannot use audit.jsonl: {}", "无法使用 audit.jsonl：{}"),
    ("mark is right, wrong or skip", "mark 只能是 right、wrong 或 skip。"),
    ("this page was not drawn by audit/sample since the server started: draw anew, or send the mark without sampled", "服务器启动以来没有抽到过这个网页，请刷新本页重新抽取。"),
    ("cannot read the search index: {}", "无法读取搜索索引：{}"),
    ("cannot talk to the running crawl: {}", "无法与正在运行的抓取通信：{}"),
    ("no crawl runs in that directory", "这个目录里没有正在运行的抓取。"),
    ("no seeds: give a URL a line", "没有种子：请每行写一个网址。"),
    // What may be wrong with a search.
    ("the query is empty: give words, \"a phrase\", host:example.org or lang:zh", "查询是空的：请写词语、\"短语\"、host:example.org 或 lang:zh。"),
    ("the query has signs and no words", "查询里只有符号，没有词语。"),
    ("the quote is not closed: all after it is looked for as one phrase", "引号没有配对：其后的全部文字当作一个短语来找。"),
    ("{} is looked for as the words in it: ~, ^ and * mean nothing here", "“{}”按其中的词语查找：这里不支持 ~、^ 和 *。"),
    ("{} stands where it joins no two words: it is looked for as a word", "{} 的前后没有可连接的词语：它被当作普通词语来找。"),
    ("languages are known without their regions: of {}, all pages in {} are looked through", "语言不分地区：要找 {}，实际查找所有 {} 语言的网页。"),
    ("the query is too long: behind {} not all is looked for", "查询太长：“{}”之后的内容没有全部用来查找。"),
    ("{} page kept just now can be searched in some seconds", "刚刚保留的 {} 个网页过几秒钟就能搜到。"),
    ("{} pages kept just now can be searched in some seconds", "刚刚保留的 {} 个网页过几秒钟就能搜到。"),
    ("{} page kept last is not in the index yet: the next start makes it searchable", "最后保留的 {} 个网页还搜不到：下次启动抓取后就能搜到。"),
    ("{} pages kept last are not in the index yet: the next start makes them searchable", "最后保留的 {} 个网页还搜不到：下次启动抓取后就能搜到。"),
    ("no page that can be searched yet has the word {}", "目前能搜到的网页都不含“{}”。"),
    ("no page that can be searched yet is in the language {}; there are: {}", "目前能搜到的网页都不是 {} 语言的；现有语言：{}"),
    ("no page that can be searched yet is on the host {}", "目前能搜到的网页都不在主机 {} 上。"),
    ("the journal was in {} and is not there any more: what is shown was read before", "日志原在 {}，现在已经不在了：显示的是之前读到的内容。"),
    ("no kept page has the word {}", "没有保留的网页含有“{}”。"),
    ("few kept pages have the word {}; did you mean {}?", "含有“{}”的网页很少；您要找的是“{}”吗？"),
    ("no kept page is in the language {}; there are: {}", "没有保留的网页是 {} 语言的；现有语言：{}"),
    ("no kept page is on the host {}", "没有保留的网页在主机 {} 上。"),
];

/// How deep messages stand in holes of others.
const DEPTH_MAX: usize = 2;

/// A message in Chinese.
pub(super) fn chinese(why: &str) -> String {
    within(why, 0)
}

fn within(why: &str, depth: usize) -> String {
    let rows = TABLE.iter();
    let mut found = rows.filter_map(|(english, chinese)| filled(english, chinese, why, depth));
    match depth <= DEPTH_MAX {
        true => found.next().unwrap_or_else(|| why.to_owned()),
        false => why.to_owned(),
    }
}

/// The Chinese sentence, where the message is the English one.
fn filled(english: &str, chinese: &str, why: &str, depth: usize) -> Option<String> {
    let mut parts = english.split("{}").peekable();
    let mut rest = why.strip_prefix(parts.next()?)?;
    let mut out = chinese.to_owned();
    while let Some(part) = parts.next() {
        let at = match parts.peek() {
            None => rest.len().checked_sub(part.len())?,
            Some(_) => rest.find(part)?,
        };
        let (hole, after) = rest.split_at_checked(at)?;
        rest = after.strip_prefix(part)?;
        out = out.replacen("{}", &within(hole, depth + 1).replace("{}", "{ }"), 1);
    }
    rest.is_empty().then_some(out)
}

#[cfg(test)]
mod tests {
    use index::Hint;

    use super::*;

    #[test]
    fn messages_are_found_with_what_stands_in_them() {
        assert_eq!(chinese("there is nothing here"), "没有这个页面。");
        assert_eq!(
            chinese("no kept page is in the language tlh; there are: en, zh"),
            "没有保留的网页是 tlh 语言的；现有语言：en, zh"
        );
        assert_eq!(
            chinese("neither http nor https: \"ftp://a.test/\": such a URL is never crawled"),
            "既不是 http 也不是 https，不会抓取这样的网址：\"ftp://a.test/\""
        );
        assert_eq!(
            chinese("1,200 pages kept just now can be searched in some seconds"),
            "刚刚保留的 1,200 个网页过几秒钟就能搜到。"
        );
        assert_eq!(chinese("list:1: no URL"), "list:1: no URL");
        assert_eq!(
            chinese(
                "the added seeds:2:1: neither http nor https: \"ftp://a.test/\"\n  2 | ftp://a.test/\n      ^\n  \
                 write an absolute http or https URL"
            ),
            "追加的种子，第 2 行第 1 个字符：既不是 http 也不是 https：\"ftp://a.test/\"\n  2 | ftp://a.test/\n      ^\n  \
             请写以 http 或 https 开头的完整网址"
        );
        assert_eq!(
            chinese("no kept page has the word {}"),
            "没有保留的网页含有“{ }”。"
        );
    }

    #[test]
    fn whatever_a_search_says_is_said_in_chinese() {
        // Of operators and regions it was said in English alone.
        let word = || "x".to_owned();
        for hint in [
            Hint::Empty,
            Hint::Wordless,
            Hint::Cut(word()),
            Hint::OpenQuote,
            Hint::OtherSyntax("x~2".to_owned()),
            Hint::Operator("OR".to_owned()),
            Hint::Region {
                typed: "en-GB".to_owned(),
                primary: "en".to_owned(),
            },
            Hint::Language {
                wanted: word(),
                known: vec!["en".to_owned()],
            },
            Hint::Word(word()),
            Hint::Spelling {
                typed: word(),
                meant: word(),
            },
            Hint::Host {
                wanted: word(),
                known: Vec::new(),
            },
        ] {
            let told = crate::searching::in_words(&hint);
            assert_ne!(chinese(&told), told);
        }
    }

    #[test]
    fn every_row_has_the_same_holes_and_none_hides_a_later_one() {
        for (at, (english, translated)) in TABLE.iter().enumerate() {
            assert_eq!(
                english.matches("{}").count(),
                translated.matches("{}").count(),
                "{english}"
            );
            assert!(!translated.is_ascii(), "{english}");
            let hidden = TABLE[..at]
                .iter()
                .find(|(earlier, other)| filled(earlier, other, english, 0).is_some());
            assert!(hidden.is_none(), "{english}: {hidden:?}");
        }
    }
}
