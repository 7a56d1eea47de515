//! Why a page that was read is dropped.

use crate::names::names;

/// What kind of junk a reason speaks of: all that the rest of the crawl asks about a reason.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum JunkKind {
    /// The page repeats a kept page.
    Duplicate,
    /// The page is a good page that this crawl does not want: it speaks neither for nor against
    /// the place where it was found.
    Unwanted,
    /// The page has nothing to read on it.
    Empty,
    /// The server answered with an error.
    Error,
    /// The page has content and asks not to be kept; its links count.
    Withheld,
    /// The page is a list of links.
    LinkList,
    /// The answer is no page at all.
    NoPage,
    /// A wall stood in the page's place: nothing is known of the page itself.
    Wall,
}

/// A row of [`JunkReason`].
#[derive(Debug, Clone, Copy)]
pub(crate) struct Facts {
    kind: JunkKind,
    english: &'static str,
    chinese: &'static str,
}

const fn junk(kind: JunkKind, english: &'static str, chinese: &'static str) -> Facts {
    Facts {
        kind,
        english,
        chinese,
    }
}

/// What is said of a reason that a newer version wrote: nothing can be concluded from it.
const UNKNOWN: Facts = junk(
    JunkKind::Unwanted,
    "was dropped for a reason that this version does not know",
    "被丢弃，原因为本版本所不知",
);

names! {
    /// Why a page that was read is dropped. The rows stand in the order in which the reasons are
    /// asked (see `sieve::judge`); the words complete the sentence "the page …".
    pub enum JunkReason: Facts or UNKNOWN {
        /// A wall stood in its place: a bot wall, a captcha, a request for consent or a login.
        Blocked = "blocked" => junk(
            JunkKind::Wall,
            "is a wall: a bot wall, a captcha, a request for consent or a login, a parked domain \
             (`keep.walls` keeps such pages)",
            "是拦截页：防火墙、人机验证、同意或登录要求、停放的域名（`keep.walls` 可保留）",
        ),
        /// The server said so: a status that is not 2xx.
        ErrorPage = "error_page" => junk(
            JunkKind::Error,
            "was answered with a status that is not 2xx",
            "应答的状态码不是 2xx",
        ),
        /// The answer is no page: an image, an archive, a program.
        UnsupportedType = "unsupported_type" => junk(
            JunkKind::NoPage,
            "is an image, an archive, a program, or data or code that its server calls a page (JSON, a style sheet, a script): nothing that is read",
            "是图片、压缩包、程序，或服务器称为网页的数据和代码（JSON、样式表、脚本）之类不阅读的内容",
        ),
        /// The page asks not to be indexed.
        NoIndex = "noindex" => junk(
            JunkKind::Withheld,
            "asks not to be indexed (`keep.obey_noindex = false` ignores that)",
            "要求不被索引（`keep.obey_noindex = false` 则不理会）",
        ),
        /// The page says "not found", though the server said 200.
        SoftNotFound = "soft_404" => junk(
            JunkKind::Empty,
            "says \"not found\", though the server said 200",
            "状态码是 200，正文却说“找不到”",
        ),
        /// The page has hardly any words.
        Thin = "thin" => junk(
            JunkKind::Empty,
            "has fewer than 20 words of main text (`keep.words_min`)",
            "正文不足 20 个词（`keep.words_min`）",
        ),
        /// The page is a list of links.
        Listing = "listing" => junk(
            JunkKind::LinkList,
            "is a list of links; only where `keep.listings = false`",
            "是链接列表；仅在 `keep.listings = false` 时丢弃",
        ),
        /// The page's words are those of a kept page.
        ExactDuplicate = "exact_duplicate" => junk(
            JunkKind::Duplicate,
            "has the same words as a kept page",
            "与某个保留页面的词完全相同",
        ),
        /// The page's words are nearly those of a kept page.
        NearDuplicate = "near_duplicate" => junk(
            JunkKind::Duplicate,
            "has nearly the same words as a kept page: [how this is decided](docs/near-duplicates.md)",
            "与某个保留页面的词几乎相同：[怎样判定](docs/near-duplicates.md)（英文）",
        ),
        /// The page is in a language that is not wanted.
        Language = "language" => junk(
            JunkKind::Unwanted,
            "is in a language that `topic.languages` does not name",
            "语言不在 `topic.languages` 之中",
        ),
        /// The page is not about the topic.
        OffTopic = "off_topic" => junk(
            JunkKind::Unwanted,
            "is less relevant than `topic.threshold`, or is a list of links about the topic",
            "相关度低于 `topic.threshold`，或者只是与主题有关的链接列表",
        ),
    }
}

impl JunkReason {
    /// What kind of junk the page is.
    pub fn kind(&self) -> JunkKind {
        self.facts().kind
    }

    /// Whether the page repeats a kept page.
    pub fn is_duplicate(&self) -> bool {
        self.kind() == JunkKind::Duplicate
    }

    /// The reason in English, to follow "the page".
    pub fn english(&self) -> &'static str {
        self.facts().english
    }

    /// The reason in Chinese, to follow 这个页面.
    pub fn chinese(&self) -> &'static str {
        self.facts().chinese
    }
}
