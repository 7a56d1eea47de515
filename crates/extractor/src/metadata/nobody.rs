//! What stands where a name could and names nobody: accounts of no person, what programs write for want of a name,
//! labels of buttons.

/// Whole texts in lower case.
const NO_NAMES: [&str; 70] = [
    "admin",
    "administrator",
    "editor",
    "author",
    "authors",
    "user",
    "guest",
    "root",
    "webmaster",
    "null",
    "undefined",
    "unknown",
    "none",
    "anonymous",
    "name",
    "your name",
    "author name",
    "full name",
    "username",
    "follow",
    "publiziert",
    "published",
    "posted",
    "updated",
    "share",
    "rss",
    "read more",
    "learn more",
    "more",
    "link",
    "copy link",
    "posts",
    "articles",
    "bio",
    "full bio",
    "profile",
    "view profile",
    "about the author",
    "topic author",
    "thread starter",
    "original poster",
    "member",
    "moderator",
    "new member",
    "newbie",
    "your profile",
    "gast",
    "contact",
    "email",
    "by",
    "written by",
    "名無し",
    "名無しさん",
    "visitor",
    "welcome",
    "hello",
    "sign in",
    "sign up",
    "log in",
    "login",
    "register",
    "my account",
    "willkommen",
    "hallo",
    "anmelden",
    "registrieren",
    "einloggen",
    "bienvenue",
    "invité",
    "connexion",
];

/// Words of which no name is made: who has no name, where something is from, what was done for it.
const NO_WORDS: [&str; 73] = [
    "佚名",
    "匿名",
    "未知",
    "不详",
    "不詳",
    "未署名",
    "暂无",
    "楼主",
    "作者名",
    "作者",
    "发布者",
    "编辑部",
    "编辑",
    "編輯部",
    "編輯",
    "小编",
    "关注",
    "關注",
    "私信",
    "订阅",
    "訂閱",
    "举报",
    "小編",
    "系统",
    "网站",
    "管理员",
    "管理員",
    "用户",
    "网友",
    "網友",
    "游客",
    "登录",
    "注册",
    "本站",
    "本网",
    "互联网",
    "網路",
    "网络",
    "原创",
    "原創",
    "转载",
    "轉載",
    "转自",
    "来自",
    "来源",
    "整理",
    "收集",
    "投稿",
    "익명",
    "관리자",
    "운영자",
    "글쓴이",
    "작성자",
    "編集部",
    "您好",
    "你好",
    "欢迎",
    "请",
    "未",
    "立即",
    "我的",
    "帐户",
    "账号",
    "ログイン",
    "会員登録",
    "ゲスト",
    "さん",
    "로그인",
    "회원가입",
    "손님",
    "게스트",
    "비회원",
    "이메일",
];

/// Those of them that sign for a paper.
const DESKS: [&str; 4] = ["编辑部", "編輯部", "編集部", "편집부"];

/// Whether a name in lower case is nobody's, with a number behind it or not: 游客12.
pub(super) fn is(name: &str) -> bool {
    let named = name.trim_end_matches(|c: char| c.is_ascii_digit());
    let named = match named.is_empty() {
        true => name,
        false => named.trim_end_matches(is_apart),
    };
    let mut words = named.split(is_apart).filter(|word| !word.is_empty());
    // A desk signs as others do: "Staff", "Redaktion", 编辑部.
    if DESKS.contains(&named) {
        return false;
    }
    NO_NAMES.contains(&named)
        || words.all(|word| NO_NAMES.contains(&word))
        || is_made_of_no_words(named)
}

fn is_apart(c: char) -> bool {
    matches!(c, '，' | '！' | '!' | '_') || super::name::is_mark(c)
}

fn is_made_of_no_words(name: &str) -> bool {
    let mut rest = name;
    while let Some(shorter) = NO_WORDS.iter().find_map(|word| rest.strip_prefix(word)) {
        rest = shorter.trim_start_matches(is_apart);
    }
    rest.is_empty()
}

#[cfg(test)]
mod tests {
    #[test]
    fn what_is_made_of_words_for_nobody_is_nobody() {
        for name in [
            "未知",
            "网络",
            "网络整理",
            "本站",
            "本站原创",
            "转载",
            "互联网",
            "原创",
            "佚名",
            "管理员",
            "系统管理员",
            "本网编辑",
            "来源：网络",
            "关注",
            "admin",
            "your name",
            "",
            "游客12",
            "网友8821",
            "guest_12",
            "welcome, guest",
            "游客，您好",
            "请登录",
            "ゲストさん",
            "로그인",
        ] {
            assert!(super::is(name), "{name}");
        }
        for name in [
            "网易",
            "原野",
            "网络蜘蛛侠",
            "编辑部",
            "staff",
            "编辑老王",
            "小编辑",
            "未知数",
            "陈佚名",
            "老张2015",
            "christopher guest",
            "2015",
        ] {
            assert!(!super::is(name), "{name}");
        }
    }
}
