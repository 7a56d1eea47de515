//! Numbers in names and beside them: 老张2015 is a name, 张三 2019-03-05 a name and a date, 张三 阅读88 a name and a count.
//!
//! A number that touches a letter of Chinese, Japanese or Korean is part of the word, and so of the name; so is one
//! in an account, a name of one word: "ann81". It stands for itself where a date begins, behind a word for what is
//! counted (阅读88) and before a unit that ends its word (33次浏览, but 12月的雪).

use crate::char_counts::is_cjk;
use crate::dates;

/// What is counted, and what a date tells: they stand before their number.
const COUNTED: [&str; 34] = [
    "阅读",
    "閱讀",
    "浏览",
    "瀏覽",
    "点击",
    "點擊",
    "评论",
    "評論",
    "回复",
    "回覆",
    "访问",
    "人气",
    "人氣",
    "粉丝",
    "粉絲",
    "关注",
    "收藏",
    "点赞",
    "转发",
    "字数",
    "发布于",
    "發布於",
    "发表于",
    "發表於",
    "更新于",
    "编辑于",
    "发布",
    "发表",
    "更新",
    "时间",
    "日期",
    "조회",
    "댓글",
    "추천",
];

/// What may stand between such a word and its number.
const MEASURES: [&str; 5] = ["次数", "次數", "量", "数", "數"];

/// What stands behind a number and says what it counts.
const UNITS: [&str; 41] = [
    "评论", "評論", "粉丝", "粉絲", "阅读", "閱讀", "浏览", "瀏覽", "点击", "點擊", "回复", "回覆",
    "关注", "收藏", "点赞", "分钟", "分鐘", "小时", "小時", "天前", "次", "条", "條", "篇", "人",
    "赞", "楼", "年", "月", "日", "时", "時", "点", "个", "個", "件", "년", "월", "일", "개", "회",
];

/// Where the first number stands that is no part of a name.
pub(super) fn first(text: &str) -> Option<usize> {
    all(text).next().map(|(at, _)| at)
}

/// Where the last such number ends.
pub(super) fn last_end(text: &str) -> Option<usize> {
    all(text).last().map(|(_, end)| end)
}

/// Where the numbers of a text that are no part of a name begin and end.
fn all(text: &str) -> impl Iterator<Item = (usize, usize)> {
    let is_account = is_account(text);
    let mut from = 0;
    let runs = std::iter::from_fn(move || {
        let at = from + text[from..].find(|c: char| c.is_ascii_digit())?;
        let rest = text[at..].trim_start_matches(|c: char| c.is_ascii_digit());
        from = text.len() - rest.len();
        Some((at, from))
    });
    runs.filter(move |&(at, end)| !is_of_name(text, at, end, is_account))
}

/// Whether a text is one word with a letter in it, as accounts are. A date is none.
fn is_account(text: &str) -> bool {
    let is_part = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '.' | '-');
    text.chars().all(is_part)
        && text.contains(char::is_alphabetic)
        && dates::written(text, true).is_none()
}

fn is_of_name(text: &str, at: usize, end: usize, is_account: bool) -> bool {
    let (before, behind) = (&text[..at], &text[end..]);
    let is_part = |c: char| c.is_alphanumeric() || c == '_';
    let word = before.len() - before.trim_end_matches(is_part).len();
    let rest = behind.len() - behind.trim_start_matches(is_part).len();
    let word = &text[at - word..end + rest];
    is_account
        || word.contains(is_cjk)
            && !dates::begins(&text[at..])
            && without_counted(before).len() == before.len()
            && behind_units(behind).is_none()
}

/// A text before a number without the words for what is counted.
pub(super) fn without_counted(mut text: &str) -> &str {
    loop {
        let measured = MEASURES.iter().find_map(|word| text.strip_suffix(word));
        let ends = |text: &'_ str| {
            COUNTED
                .iter()
                .find(|word| text.ends_with(**word))
                .map(|word| word.len())
        };
        let kept = measured
            .and_then(|head| Some((head, ends(head)?)))
            .or_else(|| Some((text, ends(text)?)));
        let Some((head, word)) = kept else {
            return text;
        };
        text = head[..head.len() - word].trim_end_matches(super::name::is_mark);
    }
}

/// A text behind a number without its units; `None` where it begins with none, or the word goes on.
pub(super) fn behind_units(text: &str) -> Option<&str> {
    let mut rest = text;
    while let Some(shorter) = UNITS.iter().find_map(|unit| rest.strip_prefix(unit)) {
        rest = shorter;
    }
    (rest.len() < text.len() && !rest.starts_with(char::is_alphabetic)).then_some(rest)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_in_a_word_of_letters_is_of_the_name() {
        for name in [
            "老张2015",
            "旅行者2号",
            "90后妈妈",
            "7号仓库",
            "Tom猫01",
            "用户8821",
            "大刘_2020",
            "第7天",
            "12月的雪",
            "A座502",
            "ann81",
            "4zap",
            "user_12",
            "三分钟热度3",
            "김3호",
        ] {
            assert_eq!(first(name), None, "{name}");
        }
    }

    #[test]
    fn a_date_and_a_count_are_no_part_of_a_name() {
        for (text, head) in [
            ("张三2019-03-05", "张三"),
            ("张三2019年3月5日", "张三"),
            ("张三阅读88", "张三阅读"),
            ("张三浏览量88", "张三浏览量"),
            ("张三3评论", "张三"),
            ("老张2015 33次浏览", "老张2015 "),
            ("老张2015 2019-03-05", "老张2015 "),
            ("Ann Lane1", "Ann Lane"),
            ("Ann Lane 10am", "Ann Lane "),
        ] {
            assert_eq!(first(text).map(|at| &text[..at]), Some(head), "{text}");
        }
        assert_eq!(without_counted("张三 浏览量"), "张三");
        let text = "2021年3月5日 老张2015";
        assert_eq!(last_end(text).map(|end| &text[end..]), Some("日 老张2015"));
    }
}
