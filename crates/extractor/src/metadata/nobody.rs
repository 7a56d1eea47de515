//! What stands where a name could and names nobody: accounts of no person, what programs write for want of a name,
//! labels of buttons.

/// Whole texts in lower case.
const NO_NAMES: [&str; 54] = [
    "admin",
    "administrator",
    "editor",
    "staff",
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
];

/// Words of which no name is made: who has no name, where something is from, what was done for it.
const NO_WORDS: [&str; 48] = [
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
];

/// Whether a name in lower case is nobody's.
pub(super) fn is(name: &str) -> bool {
    NO_NAMES.contains(&name) || is_made_of_no_words(name)
}

fn is_made_of_no_words(name: &str) -> bool {
    let mut rest = name;
    while let Some(shorter) = NO_WORDS.iter().find_map(|word| rest.strip_prefix(word)) {
        rest = shorter.trim_start_matches(super::name::is_mark);
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
            "编辑部",
            "转载",
            "互联网",
            "原创",
            "佚名",
            "管理员",
            "系统管理员",
            "本网编辑",
            "来源：网络",
            "admin",
            "your name",
            "",
        ] {
            assert!(super::is(name), "{name}");
        }
        for name in [
            "网易",
            "原野",
            "网络蜘蛛侠",
            "编辑老王",
            "小编辑",
            "未知数",
            "陈佚名",
        ] {
            assert!(!super::is(name), "{name}");
        }
    }
}
