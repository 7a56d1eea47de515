//! Sentences that walls say, with points for how few other pages say them.
//!
//! Three points: it is said outright, by walls alone. Two: by walls and few others. One: it adds to
//! others. Phrases are compared folded (lower case, simplified characters, plain apostrophes), as
//! parts of a line; of two that overlap the longer one counts. A title that begins with one counts
//! once more.

use std::sync::LazyLock;

use aho_corasick::{AhoCorasick, MatchKind};
use outcome::WallKind;

struct Phrase {
    kind: WallKind,
    points: u32,
    text: &'static str,
}

/// Phrases found on a page.
#[derive(Debug, Default)]
pub(super) struct Points {
    /// Numbers of phrases, each once, in the order in which they were found.
    found: Vec<usize>,
    /// Numbers of phrases that the title is, beside the site's name.
    in_title: Vec<usize>,
    /// Numbers of phrases that stand in links: they count beside what the page says itself.
    in_links: Vec<usize>,
}

/// What a line says.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Said {
    /// It has a phrase of some wall.
    pub any: bool,
    /// It speaks of cookies, consent or privacy.
    pub consent: bool,
    /// The share of its bytes in phrases.
    pub share: f32,
}

impl Points {
    /// Takes in a folded line.
    pub(super) fn add_text(&mut self, line: &str) -> Said {
        say(line, &mut self.found)
    }

    /// Takes in a folded line that is, for the most part, links. What leads elsewhere is called so tells of
    /// another page, if of any.
    pub(super) fn add_link(&mut self, line: &str) -> Said {
        say(line, &mut self.in_links)
    }

    /// Counts the phrases in links of the kinds that the page speaks of itself. Call it once, after all lines.
    pub(super) fn count_links(&mut self) {
        for number in std::mem::take(&mut self.in_links) {
            let kind = PHRASES.get(number).map(|phrase| &phrase.kind);
            if kind.is_some_and(|kind| self.speaks_of(kind)) && !self.found.contains(&number) {
                self.found.push(number);
            }
        }
    }

    /// Whether a phrase of this kind was found that more than adds to others.
    fn speaks_of(&self, kind: &WallKind) -> bool {
        let mut found = self.found.iter().filter_map(|&number| PHRASES.get(number));
        found.any(|phrase| phrase.points > 1 && phrase.kind == *kind)
    }

    /// Takes in the folded title.
    pub(super) fn add_title(&mut self, title: &str) {
        self.add_text(title);
        let first = FINDER.find(title).filter(|first| first.start() == 0);
        if let Some(first) = first.filter(|first| ends_there(&title[first.end()..])) {
            let number = first.pattern().as_usize();
            let counts = PHRASES.get(number).is_some_and(|phrase| phrase.points > 1);
            self.in_title.extend(counts.then_some(number));
        }
    }

    /// Whether a phrase was found that more than adds to others.
    pub(super) fn say_something(&self) -> bool {
        let mut found = self.found.iter().filter_map(|&number| PHRASES.get(number));
        found.any(|phrase| phrase.points > 1)
    }

    pub(super) fn of(&self, kind: &WallKind) -> u32 {
        let found = self.found.iter().chain(&self.in_title);
        let of_kind = found.filter_map(|&number| {
            let phrase = PHRASES.get(number)?;
            (phrase.kind == *kind).then_some(phrase.points)
        });
        of_kind.sum()
    }

    /// Whether a phrase says this outright, or the title begins with one.
    pub(super) fn outright(&self, kind: &WallKind) -> bool {
        let of_kind = |number: &usize| PHRASES.get(*number).filter(|phrase| phrase.kind == *kind);
        let mut found = self.found.iter().filter_map(of_kind);
        found.any(|phrase| phrase.points >= 3) || self.in_title(kind)
    }

    /// Whether the title begins with a phrase of this kind.
    pub(super) fn in_title(&self, kind: &WallKind) -> bool {
        let mut phrases = self
            .in_title
            .iter()
            .filter_map(|&number| PHRASES.get(number));
        phrases.any(|phrase| phrase.kind == *kind)
    }

    /// Whose wall it is, where a phrase names the vendor.
    pub(super) fn vendor(&self) -> Option<&'static str> {
        self.found.iter().find_map(|&number| {
            let text = PHRASES.get(number)?.text;
            let named = VENDORS.iter().find(|(words, _)| text.contains(words));
            named.map(|(_, vendor)| *vendor)
        })
    }

    /// The phrases that were found, those with most points first.
    pub(super) fn words(&self) -> impl Iterator<Item = (&'static WallKind, &'static str)> {
        let mut found: Vec<&Phrase> = self.found.iter().filter_map(|&n| PHRASES.get(n)).collect();
        found.sort_by_key(|phrase| std::cmp::Reverse(phrase.points));
        found.into_iter().map(|phrase| (&phrase.kind, phrase.text))
    }
}

/// What a line says; the numbers of its phrases are added to those found before.
fn say(line: &str, found: &mut Vec<usize>) -> Said {
    let mut said = Said::default();
    let mut covered = 0;
    let mut asks_to_take_part = None;
    for at in FINDER.find_iter(line) {
        let number = at.pattern().as_usize();
        let Some(phrase) = PHRASES.get(number) else {
            said.consent = true;
            continue;
        };
        covered += at.len();
        if phrase.kind == WallKind::Login
            && *asks_to_take_part.get_or_insert_with(|| is_to_take_part(line))
        {
            continue;
        }
        said.any |= phrase.points > 1;
        said.consent |= phrase.kind == WallKind::Consent;
        if !found.contains(&number) {
            found.push(number);
        }
    }
    said.share = covered as f32 / line.len().max(1) as f32;
    said
}

/// Whether a title ends with what comes after a phrase, or goes on with the site's name, a number, or by whom and to
/// what: "Access denied (403)", "Access denied by security policy". "Access denied (song)" is the title of something else.
fn ends_there(rest: &str) -> bool {
    const BY_WHOM: [&str; 6] = ["by ", "to ", "for ", "on ", "this ", "due "];
    let rest = rest.trim_start_matches([' ', '.', '!', '?', '。', '…']);
    let in_brackets = rest.strip_prefix(['(', '（', '[', '【']);
    let is_number = |rest: &str| rest.starts_with(|c: char| c.is_ascii_digit() || c == '#');
    let names_site = |c| matches!(c, '|' | '-' | '_' | '·' | '–' | '—' | ':' | ',');
    rest.chars().next().is_none_or(names_site)
        || in_brackets.is_some_and(is_number)
        || BY_WHOM.iter().any(|word| rest.starts_with(word))
}

/// Whether a folded line has a phrase of some wall, and no letter beside those.
pub(super) fn is_all_said(line: &str) -> bool {
    let mut rest = line.to_owned();
    let found: Vec<_> = FINDER
        .find_iter(line)
        .filter(|at| at.pattern().as_usize() < PHRASES.len())
        .collect();
    for at in found.iter().rev() {
        rest.replace_range(at.range(), "");
    }
    !found.is_empty() && !rest.contains(char::is_alphabetic)
}

/// Whether a sentence has a phrase of some wall, or speaks to the reader or of the site, as walls do.
pub(super) fn is_of_wall(sentence: &str) -> bool {
    const TO_READER: [&str; 30] = [
        "you",
        "please",
        "we ",
        "our ",
        " us ",
        "site",
        "page",
        "server",
        "browser",
        "security",
        "access",
        "request",
        "error",
        "admin",
        "block",
        "account",
        "domain",
        "log in",
        "sign in",
        "您",
        "你",
        "请",
        "我们",
        "本站",
        "网站",
        "页面",
        "浏览器",
        "服务器",
        "登录",
        "系统",
    ];
    TO_READER.iter().any(|word| sentence.contains(word)) || FINDER.find(sentence).is_some()
}

impl Phrase {
    fn folded(&self) -> String {
        segment::fold(self.text)
    }
}

/// What people do on a page that is there to be read, and what they do with what it has.
const TAKE_PART: [&str; 73] = [
    "回帖",
    "回复",
    "评论",
    "留言",
    "发帖",
    "发表",
    "跟帖",
    "点评",
    "投票",
    "点赞",
    "收藏",
    "下载",
    "提问",
    "コメント",
    "댓글",
    " comment",
    " reply",
    " respond",
    " post ",
    " vote",
    " rate ",
    " participate",
    " join the ",
    " download",
    "kommentieren",
    " kommentar",
    " antworten",
    " abstimmen",
    " bewerten",
    " herunterladen",
    " répondre",
    " réagir",
    " voter",
    " télécharger",
    " participer",
    " comentar",
    " responder",
    " votar",
    " valorar",
    " descargar",
    " participar",
    " avaliar",
    " baixar",
    " commentare",
    " rispondere",
    " votare",
    " scaricare",
    " reageren",
    " reactie",
    " skomentować",
    " komentar",
    " komentář",
    " komentować",
    " odpowie",
    " głosować",
    " hodnotit",
    "комменти",
    "комментар",
    "комента",
    " ответ",
    " отправлять ",
    " оставить ",
    "голосовать",
    "скачать",
    " yorum",
    " bình luận",
    " trả lời",
    "تعليق",
    "دیدگاه",
    "תגובה",
    "टिप्पणी",
    "แสดงความคิดเห็น",
    "投稿する",
];
const READ: [&str; 32] = [
    "查看",
    "阅读",
    "浏览",
    "访问",
    "继续",
    "全文",
    " view",
    " see ",
    " read",
    " access",
    " continue",
    "보기",
    "читать",
    " lire ",
    " voir ",
    " accéder",
    " lesen",
    " anzeigen",
    " sehen",
    " leer ",
    " ver ",
    " acceder",
    " ler ",
    " acessar",
    " leggere",
    " visualizza",
    " zobaczyć",
    " czytać",
    "просм",
    "閲覧",
    "görüntülemek",
    " xem ",
];

/// Whether a line that asks to sign in is about taking part (replies, comments, votes, attachments), so that
/// the page itself is there to be read.
fn is_to_take_part(line: &str) -> bool {
    let has = |words: &[&str]| words.iter().any(|word| line.contains(word));
    line.contains("下载或查看") || has(&TAKE_PART) && !has(&READ)
}

/// Whether a path, in lower case, is that of a page to sign in on: one of its segments is, without what
/// joins its words and without its extension. A section for members or the page of an author is none.
pub(super) fn is_login_path(path: &str) -> bool {
    const NAMES: [&str; 22] = [
        "login",
        "loginform",
        "userlogin",
        "memberlogin",
        "wplogin",
        "logon",
        "logging",
        "signin",
        "signup",
        "register",
        "registration",
        "createaccount",
        "auth",
        "oauth",
        "oauth2",
        "authorize",
        "sso",
        "passport",
        "account",
        "accounts",
        "lostpassword",
        "resetpassword",
    ];
    path.split('/').any(|segment| {
        // Forums sign their members in at `member.php`.
        let (name, extension) = segment.split_once('.').unwrap_or((segment, ""));
        let name: String = name.chars().filter(|c| !matches!(c, '-' | '_')).collect();
        NAMES.contains(&name.as_str()) || name == "member" && !extension.is_empty()
    })
}

/// Whether the folded title or the path says that a page is a policy.
pub(super) fn is_policy(title: &str, path: &str) -> bool {
    const WORDS: [&str; 16] = [
        "policy",
        "policies",
        "privacy notice",
        "privacy statement",
        "datenschutzerkl",
        "impressum",
        "terms of",
        "confidentialit",
        "política de",
        "cookies-",
        "cookie-",
        "gdpr",
        "隐私政策",
        "隐私权",
        "隐私声明",
        "服务条款",
    ];
    WORDS
        .iter()
        .any(|word| title.contains(word) || path.contains(word))
}

/// A finder of nothing, where the lists cannot be compiled.
pub(super) fn nothing() -> AhoCorasick {
    static NOTHING: LazyLock<AhoCorasick> = LazyLock::new(|| {
        let empty: [&str; 0] = [];
        match AhoCorasick::new(empty) {
            Ok(finder) => finder,
            Err(error) => unreachable!("an empty list is compiled: {error}"),
        }
    });
    NOTHING.clone()
}

/// The phrases, and after them words of consent that give no points.
static FINDER: LazyLock<AhoCorasick> = LazyLock::new(|| {
    let phrases = PHRASES.iter().map(Phrase::folded);
    let about = CONSENT_WORDS.iter().map(|word| segment::fold(word));
    let built = AhoCorasick::builder()
        .match_kind(MatchKind::LeftmostLongest)
        .build(phrases.chain(about));
    built.unwrap_or_else(|_| nothing())
});

/// Parts of phrases that name a vendor.
const VENDORS: [(&str, &str); 22] = [
    ("cloudflare", "cloudflare"),
    ("incapsula", "imperva"),
    ("pardon our interruption", "imperva"),
    ("sucuri", "sucuri"),
    ("wordfence", "wordfence"),
    ("cloudfront", "aws"),
    ("amazon", "aws"),
    ("your support id is", "f5"),
    ("ddos-guard", "ddos-guard"),
    ("anubis", "anubis"),
    ("not a bot!", "anubis"),
    ("雷池", "safeline"),
    ("safeline", "safeline"),
    ("宝塔", "baota"),
    ("堡塔", "baota"),
    ("百度", "baidu"),
    ("阿里云", "aliyun"),
    ("创宇", "jiasule"),
    ("安全狗", "safedog"),
    ("云锁", "yunsuo"),
    ("sedo", "sedo"),
    ("godaddy", "godaddy"),
];

/// Words of texts about consent: lines with them are part of a consent wall.
const CONSENT_WORDS: [&str; 24] = [
    "cookie",
    "consent",
    "privacy",
    "personal data",
    "personalis",
    "personaliz",
    "our partners",
    "vendors",
    "legitimate interest",
    "advertis",
    "accept",
    "reject",
    "zustimm",
    "datenschutz",
    "einwillig",
    "partenaires",
    "données",
    "acept",
    "隐私",
    "同意",
    "个人信息",
    "个性化",
    "広告",
    "プライバシー",
];

macro_rules! phrases {
    ($( $kind:ident $points:literal: [$($text:literal),* $(,)?] )*) => {
        static PHRASES: LazyLock<Vec<Phrase>> = LazyLock::new(|| vec![$(
            $( Phrase { kind: WallKind::$kind, points: $points, text: $text }, )*
        )*]);
    };
}

phrases! {
    Bot 3: [
        "checking your browser before accessing",
        "checking if the site connection is secure",
        "needs to review the security of your connection before proceeding",
        "enable javascript and cookies to continue",
        "please turn javascript on and reload the page",
        "enable javascript before you are allowed to see this page",
        "you have been blocked",
        "this website is using a security service to protect itself from",
        "the action you just performed triggered the security solution",
        "attention required! | cloudflare",
        "ddos protection by",
        "just a moment...",
        "access to this page has been denied",
        "access to this site has been denied",
        "access to this website has been denied",
        "because we believe you are using automation tools",
        "errors.edgesuite.net",
        "pardon our interruption",
        "made us think you were a bot",
        "made us think you might be a bot",
        "request unsuccessful. incapsula",
        "incapsula incident id",
        "the requested url was rejected. please consult with your administrator",
        "detected unusual traffic from",
        "unusual activity from your",
        "unusual traffic from your computer network",
        "to discuss automated access to",
        "generated by cloudfront",
        "access denied - sucuri website firewall",
        "sucuri website firewall",
        "your access to this site has been limited",
        "generated by wordfence",
        "making sure you're not a bot",
        "protected by anubis",
        "ddos-guard",
        "vercel security checkpoint",
        "we're verifying your browser",
        "verifying your browser",
        "your browser is being verified",
        "please wait while your request is being verified",
        "please wait while we verify your browser",
        "please wait while we check your browser",
        "we are checking your browser",
        "checking your browser",
        "verifying that you are not a robot",
        "robot challenge screen",
        "this process is automatic. your browser will redirect",
        "you will be redirected once the validation is complete",
        "automated requests from your network",
        "suspicious activity from your ip",
        "your ip address has been blocked",
        "your ip has been blocked",
        "your request has been blocked",
        "your access has been blocked",
        "we've detected bot-like",
        "malicious bots",
        "protected by 雷池",
        "雷池waf",
        "safeline waf",
        "safeline",
        "正在检查您的浏览器",
        "正在检测您的浏览器",
        "正在检测浏览器",
        "浏览器安全检查",
        "浏览器安全检测",
        "正在进行人机识别",
        "人机识别检测",
        "请开启javascript并刷新",
        "访问被阻断",
        "访问已被阻断",
        "访问被拦截",
        "访问已被拦截",
        "请求已被拦截",
        "请求被拦截",
        "请求已被阻断",
        "被网站管理员设置拦截",
        "您的请求带有不合法参数",
        "可能对网站造成安全威胁",
        "疑似攻击行为",
        "疑似黑客攻击",
        "访问行为异常",
        "检测到异常访问",
        "检测到可疑访问",
        "宝塔网站防火墙",
        "堡塔云waf",
        "网站防火墙",
        "云锁",
        "创宇盾",
        "知道创宇云",
        "当前访问疑似",
        "您的访问存在异常",
        "您的访问出现异常",
        "访问异常",
        "触发了安全策略",
        "触发安全策略",
        "安全风控策略",
        "由于您访问的url",
        "您的ip已被",
        "ip地址已被",
        "アクセスが拒否されました",
        "ブラウザを確認しています",
        "접근이 차단",
        "überprüfung ihres browsers",
        "ihr browser wird überprüft",
        "wurde aus sicherheitsgründen blockiert",
        "vérification de votre navigateur",
        "votre accès a été bloqué",
        "comprobando su navegador",
        "verificando su navegador",
        "has sido bloqueado",
        "проверка вашего браузера",
        "проверяем ваш браузер",
        "доступ к сайту заблокирован",
        "verificando seu navegador",
    ]
    Bot 2: [
        "access denied",
        "you don't have permission to access",
        "the request could not be satisfied",
        "request blocked",
        "your support id is",
        "reference #",
        "cloudflare ray id",
        "performance & security by cloudflare",
        "performance and security by cloudflare",
        "security by cloudflare",
        "one moment, please",
        "bot detected",
        "bot protection",
        "bot detection",
        "client challenge",
        "javascript is disabled in your browser",
        "web application firewall",
        "blocked by the security",
        "security policy of this site",
        "incident id",
        "please enable cookies",
        "enable javascript and then reload",
        "安全拦截",
        "拦截提示",
        "访问受限",
        "访问被拒绝",
        "拒绝访问",
        "禁止访问",
        "安全防护",
        "防火墙",
        "如有疑问请联系网站管理员",
        "误报反馈",
        "请稍候, 正在",
        "访问验证",
        "不合法参数",
        "请启用javascript",
        "请启用 javascript",
        "事件id",
        "请求id",
        "acceso denegado",
        "accès refusé",
        "zugriff verweigert",
        "доступ запрещен",
        "einen moment, bitte",
        "un instant",
        "un momento",
        "один момент",
        "请稍候...",
        "少々お待ちください",
        "잠시만 기다리",
    ]
    Bot 1: [
        "ray id",
        "please wait",
        "blocked",
        "javascript",
        "if you are the site owner",
        "if you are the owner of this site",
        "contact the site owner",
        "suspicious",
        "automated",
        "event id",
        "request id",
        "error code",
        "your ip",
        "reference id",
        "拦截",
        "阻断",
        "您的ip",
        "攻击",
        "请稍候",
        "管理员",
    ]
    Human 3: [
        "verify you are human",
        "verify you are a human",
        "verify that you are human",
        "verify that you are a human",
        "verify that you're human",
        "verify you're human",
        "verifying you are human",
        "verify your identity to continue",
        "verify that you are not a robot",
        "verify you are not a robot",
        "verify that you're not a robot",
        "confirm you're not a robot",
        "confirm that you're not a robot",
        "confirm you're human",
        "let us know you're not a robot",
        "verify you're not a robot",
        "confirm you are human",
        "confirm that you are human",
        "confirm you are not a robot",
        "confirm that you are not a robot",
        "make sure you are not a robot",
        "make sure you're not a robot",
        "to make sure you're a human",
        "prove you are human",
        "prove you're human",
        "prove that you are human",
        "prove you are not a robot",
        "are you a human?",
        "are you a robot?",
        "are you human?",
        "press & hold",
        "press and hold",
        "complete the security check",
        "complete a security check",
        "solve this captcha",
        "solve the captcha",
        "complete the captcha below",
        "complete this captcha",
        "complete the following captcha",
        "enter the characters you see below",
        "type the characters you see in this image",
        "slide to complete the puzzle",
        "slide right to secure your access",
        "slide to verify",
        "drag the slider",
        "to continue, please click the box below",
        "human verification required",
        "needed to confirm that you are a human",
        "needed to confirm you are a human",
        "请完成安全验证",
        "完成安全验证后",
        "请完成下方验证",
        "请完成以下验证",
        "请完成下列验证",
        "请完成人机验证",
        "请先完成验证",
        "请进行安全验证",
        "需要进行安全验证",
        "需要进行人机验证",
        "进行人机身份验证",
        "确认您是真人",
        "验证您是真人",
        "确认你是真人",
        "证明您不是机器人",
        "确认您不是机器人",
        "确认你不是机器人",
        "我不是机器人",
        "请按住滑块",
        "拖动到最右边",
        "拖动下方滑块",
        "拖动滑块",
        "拖动左边滑块",
        "向右滑动完成",
        "滑动完成验证",
        "滑块验证",
        "滑动验证",
        "点击按钮进行验证",
        "点击按钮开始验证",
        "百度安全验证",
        "验证码中间页",
        "完成验证后即可继续",
        "验证后继续访问",
        "通过验证后继续访问",
        "依次点击",
        "请输入验证码以继续",
        "请输入图中的验证码",
        "当前环境异常",
        "環境異常",
        "網路流量異常",
        "系统检测到您的",
        "あなたが人間であることを確認",
        "ロボットではないことを確認",
        "로봇이 아님을 확인",
        "사람인지 확인",
        "bestätigen sie, dass sie ein mensch sind",
        "bestätigen sie, dass sie kein roboter sind",
        "vérifiez que vous êtes humain",
        "confirmez que vous êtes humain",
        "confirme que você é humano",
        "verifique que es un ser humano",
        "verifica que eres humano",
        "confirma que eres humano",
        "подтвердите, что вы человек",
        "подтвердите, что запросы отправляли вы",
        "подтвердите, что вы не робот",
        "verifica di essere umano",
    ]
    Human 2: [
        "one more step",
        "security check",
        "security verification",
        "human verification",
        "robot check",
        "captcha",
        "i'm not a robot",
        "i am human",
        "not a robot",
        "you're a human",
        "安全验证",
        "人机验证",
        "身份验证",
        "人机校验",
        "安全检测",
        "验证您的身份",
        "请完成验证",
        "真人",
        "机器人",
        "滑块",
        "认证图片",
    ]
    Human 1: [
        "before you can access",
        "before you continue",
        "to continue",
        "verification",
        "verifying",
        "robot",
        "验证",
        "继续访问",
    ]
    RateLimit 3: [
        "you have sent too many requests",
        "you've sent too many requests",
        "sent us too many requests",
        "received too many requests",
        "too many requests from",
        "due to too many requests",
        "making too many requests",
        "made too many requests",
        "429 too many requests",
        "error 429",
        "you have been rate limited",
        "you are being rate limited",
        "you've been rate limited",
        "rate limit exceeded",
        "exceeded the rate limit",
        "exceeded the allowed number of requests",
        "request limit exceeded",
        "temporarily rate limited",
        "you are requesting too fast",
        "you are accessing this site too quickly",
        "you're going too fast",
        "请求过于频繁",
        "访问过于频繁",
        "访问太频繁",
        "访问频率过高",
        "访问频率过快",
        "请求太频繁",
        "请求频率过高",
        "操作过于频繁",
        "操作太频繁",
        "您的访问过快",
        "访问次数过多",
        "请求次数过多",
        "超出访问频率",
        "请求速度过快",
        "アクセスが集中して",
        "リクエストが多すぎます",
        "요청이 너무 많습니다",
        "zu viele anfragen",
        "trop de requêtes",
        "demasiadas solicitudes",
        "demasiadas peticiones",
        "слишком много запросов",
        "muitas solicitações",
        "troppe richieste",
    ]
    RateLimit 2: [
        "too many requests",
        "rate limited",
        "rate limit",
        "slow down",
        "try again in a few minutes",
        "过于频繁",
        "请稍后再试",
        "稍后重试",
        "频率",
    ]
    RateLimit 1: [
        "try again later",
        "wait a moment and try again",
        "休息一下",
    ]
    Consent 3: [
        "before you continue to",
        "we value your privacy",
        "we care about your privacy",
        "your privacy choices",
        "your privacy is important to us",
        "we and our partners",
        "we, and our partners",
        "together with our partners",
        "our partners and we",
        "part of the yahoo family of brands",
        "accept all cookies to continue",
        "accept cookies to continue",
        "you need to accept cookies",
        "please accept cookies",
        "wir und unsere partner",
        "mit werbung weiterlesen",
        "mit werbung und tracking",
        "weiter mit werbung",
        "ihre zustimmung",
        "nous et nos partenaires",
        "continuer sans accepter",
        "votre vie privée",
        "valoramos tu privacidad",
        "nosotros y nuestros socios",
        "tu privacidad es importante",
        "noi e i nostri partner",
        "wij en onze partners",
        "您的隐私对我们很重要",
        "我们重视您的隐私",
        "在您继续之前",
        "继续前请先同意",
        "请先同意",
        "同意后方可继续",
        "同意隐私政策后继续",
        "同意して続ける",
        "プライバシーを尊重",
        "wir respektieren ihre privatsphäre",
        "wir schätzen ihre privatsphäre",
        "ihre privatsphäre ist uns wichtig",
        "bevor sie fortfahren",
        "avant de continuer",
        "avant d'accéder à",
        "nous respectons votre vie privée",
        "antes de continuar",
        "antes de ir a ",
        "valoramos su privacidad",
        "respetamos tu privacidad",
        "valorizamos a sua privacidade",
        "respeitamos a sua privacidade",
        "a sua privacidade é importante",
        "nós e os nossos parceiros",
        "nós e nossos parceiros",
        "prima di continuare",
        "rispettiamo la tua privacy",
        "la tua privacy è importante",
        "wij waarderen uw privacy",
        "we respecteren je privacy",
        "voordat je verdergaat",
        "cenimy twoją prywatność",
        "cenimy państwa prywatność",
        "szanujemy twoją prywatność",
        "my i nasi partnerzy",
        "my a naši partneři",
        "vážíme si vašeho soukromí",
        "мы ценим вашу конфиденциальность",
        "мы и наши партнеры",
        "прежде чем продолжить",
        "ми цінуємо вашу конфіденційність",
        "gizliliğinize önem veriyoruz",
        "gizliliğinize değer veriyoruz",
        "biz ve iş ortaklarımız",
        "devam etmeden önce",
        "続行する前に",
        "お客様のプライバシーを",
        "プライバシーを大切",
        "계속하기 전에",
        "개인정보를 소중히",
        "개인 정보를 소중히",
        "trước khi tiếp tục",
        "نحن نقدر خصوصيتك",
    ]
    Consent 2: [
        "we use cookies and",
        "store and/or access information on a device",
        "process personal data",
        "use cookies and data to",
        "accept all",
        "reject all",
        "manage options",
        "manage settings",
        "manage preferences",
        "alle akzeptieren",
        "alle ablehnen",
        "tout accepter",
        "tout refuser",
        "aceptar todo",
        "rechazar todo",
        "accetta tutto",
        "alles accepteren",
        "akkoord",
        "agree and continue",
        "i agree to the use of cookies",
        "全部接受",
        "全部拒绝",
        "接受所有 cookie",
        "接受所有cookie",
        "使用 cookie",
        "使用cookie",
        "个人信息保护",
        "すべて同意",
        "すべて拒否",
        "同意并继续",
        "alle cookies akzeptieren",
        "cookies akzeptieren",
        "einwilligen und weiter",
        "accepter et continuer",
        "accepter et fermer",
        "accepter les cookies",
        "refuser tout",
        "aceptar y continuar",
        "aceptar todas",
        "aceptar cookies",
        "rechazar todas",
        "aceitar tudo",
        "aceitar todos",
        "aceitar e continuar",
        "rejeitar tudo",
        "rejeitar todos",
        "accetta e continua",
        "accetta e chiudi",
        "rifiuta tutto",
        "rifiuta tutti",
        "accetta tutti",
        "alles weigeren",
        "alles afwijzen",
        "akceptuję wszystkie",
        "zaakceptuj wszystko",
        "zaakceptuj wszystkie",
        "odrzuć wszystko",
        "odrzuć wszystkie",
        "přijmout vše",
        "odmítnout vše",
        "принять все",
        "отклонить все",
        "прийняти все",
        "відхилити все",
        "tümünü kabul et",
        "tümünü reddet",
        "すべて受け入れる",
        "すべて許可",
        "同意して続行",
        "모두 동의",
        "모두 수락",
        "모두 거부",
        "동의하고 계속",
        "chấp nhận tất cả",
        "từ chối tất cả",
        "قبول الكل",
        "رفض الكل",
    ]
    Consent 1: [
        "learn more about our partners",
        "withdraw your consent",
        "more options",
        "legitimate interest",
        "personalised ads",
        "personalized ads",
        "隐私政策",
        "用户协议",
    ]
    Login 3: [
        "you must be logged in to view",
        "you must be logged in to see",
        "you must be logged in to access",
        "you must log in to view",
        "you must log in to continue",
        "you must log in or register to",
        "you must sign in to",
        "you need to be logged in to",
        "you need to log in to",
        "you need to sign in to",
        "please log in to continue",
        "please login to continue",
        "please log in to view",
        "please login to view",
        "please sign in to continue",
        "please sign in to view",
        "please log in to see",
        "log in to continue reading",
        "sign in to continue reading",
        "log in or sign up to view",
        "log in or sign up to continue",
        "login or register to continue",
        "login required",
        "authentication required",
        "sign in required",
        "this content is for members only",
        "this page is for members only",
        "this content is available to members only",
        "only registered users can",
        "only logged in users can",
        "only registered members can",
        "you are not logged in or you do not have permission",
        "you are not logged in",
        "log in to facebook",
        "join linkedin",
        "您需要登录后才可以",
        "您需要登录才可以",
        "您需要登录后才能",
        "您需要先登录",
        "你需要登录后才能",
        "你需要登录才能",
        "需要登录才能查看",
        "需要登录后查看",
        "登录后才能查看",
        "登录后才可以查看",
        "登录后才可查看",
        "登录后可查看",
        "登录后查看更多",
        "登录后查看",
        "登录后继续",
        "登录后才能继续",
        "请登录后继续",
        "请登录后查看",
        "请登录后再",
        "请先登录",
        "您尚未登录",
        "您还没有登录",
        "您还未登录",
        "没有登录, 无法",
        "没有权限访问该版块",
        "会员专享内容",
        "仅限会员",
        "仅会员可见",
        "注册会员才能",
        "本帖要求阅读权限",
        "关注公众号登录",
        "sina visitor system",
        "ログインしてください",
        "ログインが必要です",
        "会員限定",
        "로그인이 필요합니다",
        "로그인 후 이용",
        "bitte melden sie sich an",
        "sie müssen sich anmelden",
        "sie müssen angemeldet sein",
        "vous devez être connecté",
        "vous devez vous connecter",
        "veuillez vous connecter",
        "debes iniciar sesión",
        "inicia sesión para continuar",
        "необходимо войти",
        "войдите, чтобы",
        "faça login para continuar",
        "accedi per continuare",
        "um diesen inhalt zu sehen, melden",
        "melden sie sich an, um",
        "bitte loggen sie sich ein",
        "bitte einloggen, um",
        "du musst angemeldet sein",
        "du musst eingeloggt sein",
        "sie müssen eingeloggt sein",
        "sie sind nicht angemeldet",
        "nur für angemeldete",
        "nur für registrierte",
        "connectez-vous pour",
        "identifiez-vous pour",
        "veuillez vous identifier",
        "merci de vous connecter",
        "vous n'êtes pas connecté",
        "contenu réservé aux membres",
        "contenu réservé aux abonnés",
        "réservé aux utilisateurs connectés",
        "debe iniciar sesión",
        "debes estar registrado",
        "debe estar registrado",
        "tienes que iniciar sesión",
        "tiene que iniciar sesión",
        "necesitas iniciar sesión",
        "inicia sesión para ver",
        "inicie sesión para",
        "por favor, inicia sesión",
        "por favor inicie sesión",
        "no has iniciado sesión",
        "solo para usuarios registrados",
        "contenido exclusivo para",
        "você precisa estar logado",
        "você precisa fazer login",
        "você deve estar logado",
        "você precisa iniciar sessão",
        "deve iniciar sessão",
        "tem de iniciar sessão",
        "precisa de iniciar sessão",
        "faça login para",
        "inicie sessão para",
        "conteúdo exclusivo para",
        "devi effettuare l'accesso",
        "devi effettuare il login",
        "devi essere registrato",
        "è necessario effettuare l'accesso",
        "è necessario effettuare il login",
        "è necessario accedere",
        "effettua il login per",
        "effettua l'accesso per",
        "accedi per visualizzare",
        "contenuto riservato agli",
        "je moet ingelogd zijn",
        "u moet ingelogd zijn",
        "je moet inloggen om",
        "log in om verder",
        "musisz być zalogowany",
        "musisz się zalogować",
        "zaloguj się, aby",
        "aby zobaczyć tę treść, zaloguj",
        "tylko dla zalogowanych",
        "pro zobrazení obsahu se přihlaste",
        "musíte být přihlášen",
        "pro pokračování se přihlaste",
        "чтобы просмотреть этот материал, войдите",
        "вы должны войти",
        "вы должны быть авторизованы",
        "вам необходимо войти",
        "вам необходимо авторизоваться",
        "необходимо авторизоваться",
        "требуется авторизация",
        "войдите или зарегистрируйтесь, чтобы",
        "авторизуйтесь, чтобы",
        "только для зарегистрированных",
        "только зарегистрированным пользователям",
        "только авторизованным пользователям",
        "ви повинні увійти",
        "вам потрібно увійти",
        "необхідно увійти",
        "необхідно авторизуватися",
        "увійдіть, щоб",
        "лише для зареєстрованих",
        "bu içeriği görmek için giriş",
        "görüntülemek için giriş yap",
        "devam etmek için giriş yap",
        "giriş yapmalısınız",
        "giriş yapmanız gerek",
        "oturum açmanız gerek",
        "oturum açmalısınız",
        "πρέπει να συνδεθείτε",
        "παρακαλώ συνδεθείτε",
        "συνδεθείτε για να",
        "bạn cần đăng nhập để",
        "bạn phải đăng nhập để",
        "vui lòng đăng nhập để",
        "anda harus masuk",
        "anda harus login",
        "silakan masuk untuk",
        "silakan login untuk",
        "يجب تسجيل الدخول",
        "يجب عليك تسجيل الدخول",
        "يرجى تسجيل الدخول",
        "الرجاء تسجيل الدخول",
        "باید وارد شوید",
        "لطفا وارد شوید",
        "برای مشاهده این محتوا وارد",
        "עליך להתחבר",
        "יש להתחבר כדי",
        "עליכם להתחבר",
        "आपको लॉग इन करना",
        "कृपया लॉग इन करें",
        "กรุณาเข้าสู่ระบบ",
        "คุณต้องเข้าสู่ระบบ",
        "โปรดเข้าสู่ระบบ",
        "ログインすると閲覧",
        "ログインする必要があります",
        "ご覧になるにはログイン",
        "閲覧するにはログイン",
        "続きを読むにはログイン",
        "ログインして続き",
        "会員登録が必要です",
        "로그인이 필요한",
        "로그인 후 확인",
        "로그인해야",
        "로그인하셔야",
        "로그인해 주세요",
        "로그인해주세요",
        "회원만 볼 수",
    ]
    Login 2: [
        "log in to continue",
        "login to continue",
        "sign in to continue",
        "sign in to your account",
        "members only",
        "not logged in",
        "subscribe to continue",
        "create a free account to",
        "create an account to continue",
        "forgot password",
        "forgot your password",
        "don't have an account",
        "无权限",
        "没有权限访问",
        "没有权限查看",
        "没有账号",
        "忘记密码",
        "找回密码",
        "扫码登录",
        "账号登录",
        "密码登录",
        "登录注册",
        "立即注册",
        "passwort vergessen",
        "noch kein konto",
        "mot de passe oublié",
        "pas encore de compte",
        "olvidaste tu contraseña",
        "olvidó su contraseña",
        "has olvidado tu contraseña",
        "no tienes una cuenta",
        "esqueceu a senha",
        "esqueceu sua senha",
        "esqueceu-se da palavra-passe",
        "não tem uma conta",
        "password dimenticata",
        "non hai un account",
        "wachtwoord vergeten",
        "nie pamiętasz hasła",
        "zapomněli jste heslo",
        "забыли пароль",
        "нет аккаунта",
        "забули пароль",
        "şifremi unuttum",
        "quên mật khẩu",
        "lupa kata sandi",
        "نسيت كلمة المرور",
        "فراموشی رمز عبور",
        "שכחתי סיסמה",
        "ลืมรหัสผ่าน",
        "パスワードを忘れ",
        "비밀번호 찾기",
        "비밀번호를 잊",
    ]
    Login 1: [
        "log in",
        "login",
        "sign in",
        "password",
        "register",
        "登录",
        "密码",
        "anmelden",
        "einloggen",
        "passwort",
        "se connecter",
        "mot de passe",
        "iniciar sesión",
        "contraseña",
        "iniciar sessão",
        "fazer login",
        "accedi",
        "inloggen",
        "wachtwoord",
        "zaloguj",
        "hasło",
        "войти",
        "пароль",
        "увійти",
        "giriş yap",
        "şifre",
        "đăng nhập",
        "mật khẩu",
        "تسجيل الدخول",
        "كلمة المرور",
        "ログイン",
        "パスワード",
        "로그인",
        "비밀번호",
        "เข้าสู่ระบบ",
    ]
    Parked 3: [
        "this domain is for sale",
        "this domain may be for sale",
        "this domain name is for sale",
        "this domain name may be for sale",
        "domain name is for sale",
        "the domain is for sale",
        "domain may be for sale",
        "is for sale!",
        "buy this domain",
        "get this domain",
        "make an offer on this domain",
        "inquire about this domain",
        "interested in this domain",
        "domain is parked",
        "is parked free, courtesy of",
        "parked free",
        "domain parking",
        "parked domain",
        "this domain has been registered",
        "this domain is registered",
        "this domain has expired",
        "this domain name has expired",
        "this domain was recently registered",
        "this domain is pending renewal",
        "has been suspended",
        "the sponsored listings displayed above are served automatically by a third party",
        "this webpage was generated by the domain owner using sedo",
        "the owner of this domain",
        "the domain owner",
        "future home of",
        "此域名正在出售",
        "此域名可出售",
        "该域名正在出售",
        "域名正在出售",
        "域名出售",
        "域名可出售",
        "域名转让",
        "域名可以转让",
        "可能正在出售",
        "您访问的域名",
        "您正在访问的域名",
        "该域名已被注册",
        "该域名已过期",
        "域名已过期",
        "域名已到期",
        "域名停放",
        "域名停靠",
        "购买此域名",
        "购买该域名",
        "本域名出售",
        "本域名可以",
        "此域名已被",
        "このドメインは",
        "ドメインパーキング",
        "이 도메인은",
        "diese domain steht zum verkauf",
        "diese domain kaufen",
        "domain steht zum verkauf",
        "ce domaine est à vendre",
        "ce nom de domaine est à vendre",
        "este dominio está en venta",
        "este domínio está à venda",
        "questo dominio è in vendita",
        "dit domein is te koop",
        "домен продаётся",
        "домен продается",
        "домен припаркован",
    ]
    Parked 2: [
        "domain for sale",
        "domain names for sale",
        "premium domain",
        "domain broker",
        "related searches",
        "related links",
        "sponsored listings",
        "make an offer",
        "whois",
        "域名交易",
        "域名经纪",
        "域名中介",
        "优质域名",
        "相关搜索",
        "联系域名所有者",
        "报价",
    ]
    Parked 1: [
        "buy now",
        "domain",
        "registrar",
        "域名",
        "联系",
    ]
    ComingSoon 3: [
        "our website is coming soon",
        "our new website is coming soon",
        "our site is coming soon",
        "our new site is coming soon",
        "website coming soon",
        "site coming soon",
        "new site coming soon",
        "new website coming soon",
        "this site is coming soon",
        "is coming soon",
        "we're coming soon",
        "we are coming soon",
        "we're launching soon",
        "we are launching soon",
        "launching soon",
        "opening soon",
        "site is under construction",
        "website is under construction",
        "website under construction",
        "site under construction",
        "site is under maintenance",
        "website is under maintenance",
        "under scheduled maintenance",
        "site is undergoing maintenance",
        "briefly unavailable for scheduled maintenance",
        "down for maintenance",
        "maintenance mode",
        "we'll be back soon",
        "we will be back soon",
        "we'll be right back",
        "be back shortly",
        "welcome to nginx!",
        "apache2 ubuntu default page",
        "apache2 debian default page",
        "iis windows server",
        "网站建设中",
        "网站正在建设",
        "网站正在建设中",
        "站点正在建设",
        "正在建设中",
        "页面建设中",
        "本站正在建设",
        "网站维护中",
        "网站正在维护",
        "系统维护中",
        "系统升级中",
        "站点维护中",
        "网站升级中",
        "即将上线",
        "即将开放",
        "即将推出",
        "敬请期待",
        "没有找到站点",
        "恭喜, 站点创建成功",
        "站点创建成功",
        "该网站暂未开放",
        "网站暂时关闭",
        "网站暂未开通",
        "准备中です",
        "ただいま準備中",
        "近日公開",
        "メンテナンス中",
        "공사중",
        "준비 중입니다",
        "hier entsteht",
        "im aufbau",
        "demnächst verfügbar",
        "site en construction",
        "en construction",
        "bientôt disponible",
        "próximamente",
        "en construcción",
        "em construção",
        "in costruzione",
        "сайт в разработке",
        "скоро открытие",
        "сайт находится в разработке",
    ]
    ComingSoon 2: [
        "coming soon",
        "under construction",
        "under maintenance",
        "stay tuned",
        "notify me when",
        "be the first to know",
        "we're working on something",
        "we are working on something",
        "something awesome is",
        "something new is",
        "check back soon",
        "please check back",
        "enter using password",
        "enter store using password",
        "建设中",
        "维护中",
        "升级中",
        "期待",
        "稍后再来",
    ]
    ComingSoon 1: [
        "launch",
        "subscribe",
        "countdown",
        "follow us",
        "days",
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_phrase_stands_once_and_is_found_in_its_own_words() {
        let mut seen = std::collections::HashSet::new();
        for phrase in PHRASES.iter() {
            assert!(seen.insert(phrase.folded()), "{}", phrase.text);
            let mut points = Points::default();
            points.add_text(&phrase.folded());
            assert!(points.of(&phrase.kind) >= phrase.points, "{}", phrase.text);
        }
    }

    #[test]
    fn a_traditional_text_and_typographic_signs_are_the_same_words() {
        for line in [
            "我們重視您的隱私",
            "請完成安全驗證",
            "Just a moment…",
            "You’ve sent too many requests",
        ] {
            let mut points = Points::default();
            assert!(points.add_text(&segment::fold(line)).any, "{line}");
        }
    }

    #[test]
    fn who_asks_to_sign_in_says_so_in_any_language() {
        let points = |line: &str| {
            let mut points = Points::default();
            points.add_text(&segment::fold(line));
            points.of(&WallKind::Login)
        };
        for (to_read, to_reply) in [
            (
                "Debes iniciar sesión para ver este contenido.",
                "Debes iniciar sesión para responder.",
            ),
            (
                "Vous devez être connecté pour voir ce contenu.",
                "Connectez-vous pour répondre.",
            ),
            (
                "Sie müssen angemeldet sein, um diesen Inhalt zu sehen.",
                "Du musst angemeldet sein, um einen Kommentar abzugeben.",
            ),
            (
                "Você precisa estar logado para ver este conteúdo.",
                "Você precisa fazer login para comentar.",
            ),
            (
                "Вам необходимо авторизоваться, чтобы увидеть эту страницу.",
                "Войдите, чтобы оставить комментарий.",
            ),
            (
                "このコンテンツを閲覧するにはログインしてください。",
                "ログインしてコメントする",
            ),
            (
                "이 페이지를 보려면 로그인해 주세요.",
                "댓글을 쓰려면 로그인해 주세요.",
            ),
            (
                "Musisz być zalogowany, aby zobaczyć tę stronę.",
                "Musisz się zalogować, aby skomentować ten wpis.",
            ),
        ] {
            assert!(points(to_read) >= 3, "{to_read}");
            assert_eq!(points(to_reply), 0, "{to_reply}");
        }
    }

    #[test]
    fn a_title_counts_where_it_begins_with_a_phrase() {
        let points = |title: &str| {
            let mut points = Points::default();
            points.add_title(&segment::fold(title));
            points.of(&WallKind::Bot)
        };
        assert!(points("Just a moment...") > points("Wait just a moment..."));
        assert_eq!(points("A quiet day"), 0);
    }
}
