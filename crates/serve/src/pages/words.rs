//! All words of the pages, in English and in Chinese, in one table.

use std::collections::BTreeMap;

use http::header::{ACCEPT_LANGUAGE, HeaderMap};

use super::problems;

macro_rules! words {
    ($($key:ident: $english:literal, $chinese:literal;)*) => {
        /// The words of the pages in one language.
        #[derive(Debug)]
        pub(crate) struct Words {
            $(pub(crate) $key: &'static str,)*
        }

        /// In English.
        static ENGLISH: Words = Words { $($key: $english,)* };

        /// In Chinese.
        static CHINESE: Words = Words { $($key: $chinese,)* };

        #[cfg(test)]
        const ALL_CHINESE: &[&str] = &[$($chinese,)*];
    };
}

words! {
    code: "en", "zh-CN";
    colon: ": ", "：";
    comma: ", ", "，";
    skip: "Skip to content", "跳到正文";
    crawls: "Crawls", "抓取任务";
    overview: "Overview", "概览";
    pages: "Pages", "网页";
    search: "Search", "搜索";
    explain: "Explain", "追溯";
    duplicates: "Duplicates", "重复";
    report: "Report", "报告";
    compare: "Compare", "对比";
    audit: "Audit", "抽查";
    changes: "Changes", "变化";
    changes_about: "What the crawl found when it came back.", "回访时发现的变化。";
    not_back_yet: "The crawl has not come back yet: tamis crawl --dir DIR --again", "此任务还没有回访：tamis crawl --dir DIR --again";
    of_last_round: "Without a day: those of the last round.", "不填日期时只显示最近一轮。";
    seen_from: "Seen from", "发现日期从";
    no_longer_kept: "no longer kept", "不再保留";
    kept_now: "kept now", "现在保留";
    not_kept: "not kept", "没有保留";
    both_changed: "Changed", "内容有变";
    hosts_differ: "Hosts that differ", "有差异的主机";
    more_listed: "more are in: tamis report --compare", "项未列出，见 tamis report --compare";
    alike: "characters alike", "个相同的字符";
    finished: "Finished", "已完成";
    kept: "kept", "保留";
    dropped: "dropped", "丢弃";
    failed: "failed", "失败";
    broken: "broken links", "失效链接";
    refused: "URLs were not asked for: robots.txt, private addresses, traps and other rules", "个网址没有请求：robots.txt、内网地址、陷阱等规则";
    not_seen: "not seen", "未发现";
    nothing_fits: "No page fits.", "没有符合条件的网页。";
    not_in_sample: "not drawn at random, so in no share", "不是随机抽到的，不计入比例";
    waiting: "waiting", "等待";
    duplicates_count: "duplicates", "重复";
    per_second: "pages a second", "页/秒";
    received: "received", "已接收";
    time: "time", "用时";
    kept_of: "pages kept, of", "个网页保留，共读取";
    read: "read", "个";
    found_first: "Best finds", "最相关的发现";
    kept_pages: "Kept pages", "保留的网页";
    found_last: "Kept just now", "刚刚保留";
    nothing_yet: "Nothing yet.", "暂无。";
    hosts: "Hosts that wait", "等待中的主机";
    no_hosts: "No host has URLs that wait.", "没有主机在等待。";
    host: "Host", "主机";
    why: "Why", "原因";
    goes_on: "Goes on", "继续于";
    now: "now", "现在";
    in_time: "in", "还需";
    reasons: "Why pages were dropped", "丢弃原因";
    progress: "Kept as the crawl went on", "抓取过程中的保留数";
    pages_read: "pages read", "已读网页";
    pause: "Pause", "暂停";
    resume: "Resume", "继续";
    stop: "Stop", "停止";
    stop_sure: "Stop the crawl? It can be carried on later.", "停止抓取？之后可以继续。";
    retry: "Retry failed", "重试失败";
    steer: "Seeds and settings", "种子与设置";
    seed_lines: "Further seeds: a URL a line, options such as depth=2 after it", "追加种子：每行一个网址，其后可写 depth=2 等选项";
    add_seeds: "Add to the queue", "加入队列";
    seeds_queued: "new in the queue", "个新种子已入队";
    seeds_seen: "already known as URLs, seeds from now on", "个网址早已发现，现在也是种子";
    seeds_known: "already seeds", "个早已是种子";
    seeds_left_out: "left out by a budget of the crawl", "个因抓取预算而未加入";
    reload: "Read the settings anew", "重新读取设置";
    reload_same: "Nothing has changed in the configuration or the seed lists.", "配置与种子列表没有变化。";
    reload_new: "The crawl goes on with: ", "抓取将按新设置继续：";
    topic_stays: "Pages that were read keep their verdicts.", "读过的网页保持原来的判定。";
    state_starting: "starting", "启动中";
    state_loading: "loading", "载入中";
    state_replaying: "replaying", "回放中";
    state_running: "running", "运行中";
    state_paused: "paused", "已暂停";
    state_stopping: "stopping", "停止中";
    state_stopped: "stopped", "已停止";
    state_lost: "connection lost", "连接中断";
    state_waiting: "waiting for its next round", "等待下一轮";
    state_in_use: "in use", "占用中";
    state_reading: "reading the journal", "正在读取日志";
    why_delay: "delay between requests", "请求间隔";
    why_crawl_delay: "robots.txt asks for a delay", "robots.txt 要求间隔";
    why_retry_after: "the host asked to wait (Retry-After)", "主机要求等待（Retry-After）";
    why_slowed_down: "the host said that it is asked too often (429, 503): asked more slowly for a while", "主机表示访问过于频繁（429、503），暂时放慢";
    why_back_off: "errors, or no answer: backing off", "出错或没有应答，退避中";
    why_in_flight: "a request is under way", "请求进行中";
    why_robots: "waits for robots.txt", "等待 robots.txt";
    why_slow: "it answers slowly, so it is asked less often", "响应慢，降低频率";
    why_retry: "what failed waits to be tried again", "失败的网址等待重试";
    why_ready: "its turn comes next", "即将轮到";
    title: "Title", "标题";
    verdict: "Verdict", "结论";
    reason: "Reason", "原因";
    lang: "Language", "语言";
    kind: "Type", "类型";
    date: "Date", "日期";
    relevance: "Relevance", "相关度";
    word_count: "Words", "词数";
    all: "all", "全部";
    filter: "Filter", "筛选";
    filter_hint: "in title or URL", "标题或网址";
    of: "of", "/";
    pages_fit: "pages", "个网页";
    previous: "Previous", "上一页";
    next: "Next", "下一页";
    left_out: "pages beyond the bound are in the exports only", "个网页超出上限，只在导出中";
    search_hint: "words, \"a phrase\", -word, host:example.org, lang:zh", "词语、\"短语\"、-排除、host:example.org、lang:zh";
    search_do: "Search", "搜索";
    found: "pages found", "个结果";
    relaxed: "No page has all words; these have some.", "没有网页包含全部词语，以下包含部分词语。";
    year: "Year", "年份";
    since: "Published from", "发表日期从";
    until: "to", "到";
    explain_hint: "https://example.org/page", "https://example.org/page";
    explain_do: "Tell its story", "追溯";
    explain_about: "Where a URL was found, each fetch, the verdict and its evidence.", "网址在哪里发现、每次请求、结论及依据。";
    unknown_url: "The crawl knows nothing of this URL.", "此任务没有这个网址的记录。";
    no_text: "The archive holds no text of this page.", "归档中没有此网页的正文。";
    text_cut: "The text is longer than what is shown.", "正文过长，只显示了一部分。";
    its_story: "Its story", "追溯";
    its_text: "Its text", "正文";
    of_the_kept: "The kept page's story", "保留的网页的追溯";
    repeats: "repeats", "重复于";
    clusters_about: "Kept pages and the copies that were dropped for them.", "保留的网页，以及因其而丢弃的副本。";
    copies: "copies", "个副本";
    copy: "copy", "个副本";
    full_layout: "the whole text, in the same layout", "正文全部相同，版式相同";
    full_content: "the whole text, in another layout", "正文全部相同，版式不同";
    partial_layout: "most of the text, in the same layout", "正文大部分相同，版式相同";
    partial_content: "most of the text, in another layout", "正文大部分相同，版式不同";
    gave_way: "gave its place to a better copy", "让位于更好的副本";
    on_hosts: "on hosts: ", "所在主机数：";
    distance: "bits apart", "位差异";
    one_bit: "bit apart", "位差异";
    overlap: "overlap", "重合度";
    likeness: "of the characters in common", "的字符相同";
    only_kept: "only in the kept page", "仅在保留的网页中";
    only_other: "only in the copy", "仅在副本中";
    in_common: "characters in common", "个相同的字符";
    same_text: "The texts are the same.", "两边的正文完全相同。";
    side_by_side: "Side by side", "并排对照";
    the_kept: "Kept", "保留";
    the_copy: "Copy", "副本";
    compare_with: "Compare with", "与之对比";
    compare_do: "Compare", "对比";
    one_crawl: "Name a second directory to compare: tamis serve DIR DIR2", "要对比，请给出第二个目录：tamis serve DIR DIR2";
    gained: "Gained", "新增";
    lost: "Lost", "减少";
    otherwise: "Dropped for another reason", "丢弃原因不同";
    figure: "Figure", "指标";
    change: "Change", "变化";
    audit_about: "A random sample of decisions. Say of each whether it is right; what you say becomes an estimate of how many are.", "随机抽取的判定。逐个判断对错，汇总为正确率的估计。";
    right: "Right", "正确";
    wrong: "Wrong", "错误";
    skip_mark: "Cannot tell", "无法判断";
    was_kept: "This page was kept.", "此网页被保留。";
    was_dropped: "This page was dropped: ", "此网页被丢弃：";
    all_marked: "Everything is marked.", "全部已标记。";
    right_kept: "of kept pages rightly kept", "的保留是正确的";
    right_dropped: "of dropped pages rightly dropped", "的丢弃是正确的";
    confidence: "95 % interval", "95 % 置信区间";
    no_marks: "no marks yet", "尚无标记";
    mark_wrong: "This decision is wrong", "此判定有误";
    mark_right: "This decision is right", "此判定正确";
    marked: "Noted.", "已记录。";
    whole_story: "The whole story", "完整经过（英文）";
    marked_wrong: "Marked wrong", "标记为错误";
    marked_right: "Marked right", "标记为正确";
    in_report: "The report tells the same.", "报告中也有这些数字。";
    lost_connection: "Connection lost; trying again.", "连接中断，正在重试。";
    not_done: "That did not work: ", "操作失败：";
    put_back: "URLs put back into the queue", "个网址放回队列";
    reading: "The journal is being read. This page looks again by itself.", "正在读取日志，本页会自动刷新。";
    problem: "That cannot be shown", "无法显示";
}

/// Why hosts wait, as the frontier names it.
const WAITS: [&str; 10] = [
    "delay",
    "slowed down",
    "crawl-delay",
    "retry-after",
    "back-off",
    "slow",
    "in flight",
    "robots",
    "retry",
    "ready",
];

/// The reader's language: Chinese where the browser prefers it to English.
pub(crate) fn of(headers: &HeaderMap) -> &'static Words {
    let wanted = headers
        .get(ACCEPT_LANGUAGE)
        .and_then(|value| value.to_str().ok());
    let mut best = (0.0_f32, &ENGLISH);
    for part in wanted.unwrap_or_default().split(',').take(20) {
        let mut fields = part.trim().split(';');
        let name = fields.next().unwrap_or_default().to_ascii_lowercase();
        let weight = fields.find_map(|field| field.trim().strip_prefix("q=")?.parse().ok());
        let words = match name.split('-').next() {
            Some("zh") => &CHINESE,
            Some("en") => &ENGLISH,
            Some(_) | None => continue,
        };
        let weight = weight.unwrap_or(1.0_f32);
        if weight > best.0 {
            best = (weight, words);
        }
    }
    best.1
}

impl Words {
    /// Whether this is Chinese.
    pub(crate) fn is_chinese(&self) -> bool {
        self.code.starts_with("zh")
    }

    /// The same language for the report.
    pub(crate) fn tongue(&self) -> report::Tongue {
        match self.is_chinese() {
            true => report::Tongue::Chinese,
            false => report::Tongue::English,
        }
    }

    /// Why a crawl stopped, in a sentence.
    fn stops(&self) -> BTreeMap<&'static str, String> {
        let sentence = |reason| self.tongue().say(&report::why_stopped(reason, None, 0));
        let known = outcome::StopReason::KNOWN.iter();
        known
            .map(|reason| (reason.name(), sentence(reason)))
            .collect()
    }

    /// A crawl's state.
    pub(crate) fn state<'w>(&'w self, state: &'w str) -> &'w str {
        match state {
            "starting" => self.state_starting,
            "loading" => self.state_loading,
            "replaying" => self.state_replaying,
            "running" => self.state_running,
            "paused" => self.state_paused,
            "stopping" => self.state_stopping,
            "stopped" => self.state_stopped,
            "waiting" => self.state_waiting,
            "in_use" => self.state_in_use,
            "reading" => self.state_reading,
            other => other,
        }
    }

    /// What has changed of a page.
    pub(crate) fn change(&self, change: &str) -> String {
        report::changes::kind_in(self.tongue(), change)
    }

    /// Why a host waits.
    pub(crate) fn waits<'w>(&'w self, why: &'w str) -> &'w str {
        match why {
            "delay" => self.why_delay,
            "crawl-delay" => self.why_crawl_delay,
            "slowed down" => self.why_slowed_down,
            "retry-after" => self.why_retry_after,
            "back-off" => self.why_back_off,
            "in flight" => self.why_in_flight,
            "robots" => self.why_robots,
            "slow" => self.why_slow,
            "retry" => self.why_retry,
            "ready" => self.why_ready,
            other => self.state(other),
        }
    }

    /// A number by the way.
    pub(crate) fn aside(&self, text: &str) -> String {
        match self.is_chinese() {
            true => format!("（{text}）"),
            false => format!(" ({text})"),
        }
    }

    /// A verdict.
    pub(crate) fn verdict<'w>(&'w self, verdict: &'w str) -> &'w str {
        match verdict {
            "kept" => self.kept,
            "dropped" => self.dropped,
            "failed" => self.failed,
            other => other,
        }
    }

    /// Why a page was dropped or failed, in two or three words.
    pub(crate) fn reason(&self, reason: &str) -> String {
        use outcome::JunkReason;
        let chinese = match JunkReason::from(reason) {
            JunkReason::Blocked => "被拦截",
            JunkReason::ErrorPage => "错误页",
            JunkReason::UnsupportedType => "类型不支持",
            JunkReason::NoIndex => "要求不收录",
            JunkReason::SoftNotFound => "软 404",
            JunkReason::Thin => "内容太少",
            JunkReason::Listing => "列表页",
            JunkReason::ExactDuplicate => "完全重复",
            JunkReason::NearDuplicate => "近似重复",
            JunkReason::Language => "语言不符",
            JunkReason::OffTopic => "与主题无关",
            JunkReason::Unknown(_) => reason,
        };
        match self.is_chinese() {
            true => chinese.replace('_', " "),
            false => reason.replace('_', " "),
        }
    }

    /// So many bits in which fingerprints differ.
    pub(crate) fn bits_apart(&self, bits: u8) -> &'static str {
        match bits {
            1 => self.one_bit,
            _ => self.distance,
        }
    }

    /// How many copies.
    pub(crate) fn copies_of(&self, copies: u64) -> &'static str {
        match copies {
            1 => self.copy,
            _ => self.copies,
        }
    }

    /// What of a page another one repeats.
    pub(crate) fn duplicate_kind(&self, kind: &str) -> String {
        match kind {
            "full_layout" => self.full_layout.to_owned(),
            "full_content" => self.full_content.to_owned(),
            "partial_layout" => self.partial_layout.to_owned(),
            "partial_content" => self.partial_content.to_owned(),
            "replaced" => self.gave_way.to_owned(),
            other => self.tongue().say(&other.replace('_', " ")),
        }
    }

    /// A type of page.
    pub(crate) fn page_type(&self, page_type: &str) -> String {
        use outcome::PageType;
        let chinese = match PageType::from(page_type) {
            PageType::Article => "文章",
            PageType::Forum => "论坛",
            PageType::Product => "商品",
            PageType::Collection => "商品列表",
            PageType::Listing => "列表页",
            PageType::Documentation => "文档",
            PageType::Service => "服务介绍",
            PageType::FrontPage => "首页",
            PageType::Other => "其他",
            PageType::Wall => "拦截页",
            PageType::Unknown(_) => page_type,
        };
        match self.is_chinese() {
            true => chinese.replace('_', " "),
            false => page_type.replace('_', " "),
        }
    }

    /// Why something cannot be shown or done, as the API says it, in the reader's language.
    pub(crate) fn problem_of(&self, why: &str) -> String {
        match self.is_chinese() {
            true => problems::chinese(why),
            false => why.to_owned(),
        }
    }

    /// The messages of the API that scripts put into the reader's language.
    fn problems(&self) -> &'static [(&'static str, &'static str)] {
        match self.is_chinese() {
            true => problems::TABLE,
            false => &[],
        }
    }

    /// What scripts say.
    pub(crate) fn for_scripts(&self) -> String {
        let reasons: BTreeMap<&str, String> = outcome::JunkReason::KNOWN
            .iter()
            .map(|reason| (reason.name(), self.reason(reason.name())))
            .collect();
        let words = serde_json::json!({
            "reasons": reasons, "stop_sure": self.stop_sure, "lost_connection": self.lost_connection, "not_done": self.not_done,
            "seeds": { "queued": self.seeds_queued, "seen": self.seeds_seen, "known": self.seeds_known, "left_out": self.seeds_left_out },
            "reload_same": self.reload_same, "reload_new": self.reload_new, "topic_stays": self.topic_stays,
            "put_back": self.put_back, "nothing_yet": self.nothing_yet, "no_hosts": self.no_hosts,
            "now": self.now, "in_time": self.in_time, "marked": self.marked, "marked_right": self.marked_right, "marked_wrong": self.marked_wrong, "comma": self.comma, "no_marks": self.no_marks, "not_in_sample": self.not_in_sample,
            "was_kept": self.was_kept, "was_dropped": self.was_dropped,
            "all_marked": self.all_marked, "confidence": self.confidence, "no_text": self.no_text,
            "stops": self.stops(), "kept": self.kept, "colon": self.colon, "problems": self.problems(),
            "states": {
                "starting": self.state_starting, "loading": self.state_loading,
                "replaying": self.state_replaying, "running": self.state_running,
                "paused": self.state_paused, "stopping": self.state_stopping,
                "stopped": self.state_stopped, "in_use": self.state_in_use,
                "waiting": self.state_waiting, "lost": self.state_lost,
            },
            "waits": WAITS.map(|why| (why, self.waits(why))).into_iter().collect::<BTreeMap<_, _>>(),
        });
        words.to_string()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Full-width signs stand close, and between Chinese and Latin letters or numbers stands a space.
    #[test]
    fn chinese_is_set_as_chinese_is_set() {
        let is_han = |c: char| ('\u{4e00}'..='\u{9fff}').contains(&c);
        let problems = problems::TABLE.iter().map(|(_, text)| *text);
        let mut seen = 0;
        for text in ALL_CHINESE.iter().copied().chain(problems) {
            seen += usize::from(text.chars().any(is_han));
            let letters: Vec<char> = text.chars().collect();
            for pair in letters.windows(2) {
                let is_close = |a: char, b: char| {
                    is_han(a) && (b.is_ascii_alphanumeric() || ",:;(".contains(b))
                };
                let is_wrong = is_close(pair[0], pair[1])
                    || (is_han(pair[1])
                        && (pair[0].is_ascii_alphanumeric() || ",:;)".contains(pair[0])))
                    || ("，。：；（）".contains(pair[0]) && pair[1] == ' ');
                assert!(!is_wrong, "{text}");
            }
        }
        assert!(seen > 120, "{seen}");
    }

    #[test]
    fn every_wait_of_a_host_has_words() {
        for why in WAITS {
            assert!(!CHINESE.waits(why).is_ascii(), "{why}");
            assert_ne!(ENGLISH.waits(why), why);
        }
    }

    #[test]
    fn every_type_of_page_has_a_chinese_name() {
        for page_type in outcome::PageType::KNOWN {
            let name = CHINESE.page_type(page_type.name());
            assert!(!name.is_ascii(), "{name}");
        }
        assert_eq!(ENGLISH.page_type("front_page"), "front page");
        assert_eq!(
            CHINESE.page_type("of_another_version"),
            "of another version"
        );
    }

    #[test]
    fn the_browser_says_which_language() {
        for (wanted, code) in [
            ("", "en"),
            ("de", "en"),
            ("zh", "zh-CN"),
            ("zh-TW,zh;q=0.9,en;q=0.8", "zh-CN"),
            ("en-US,en;q=0.9,zh;q=0.8", "en"),
            ("fr, zh;q=0.5, en;q=0.4", "zh-CN"),
            ("zh;q=broken", "zh-CN"),
        ] {
            let mut headers = HeaderMap::new();
            headers.insert(ACCEPT_LANGUAGE, wanted.parse().expect("a value"));
            assert_eq!(of(&headers).code, code, "{wanted}");
        }
    }
}
