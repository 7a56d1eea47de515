//! Words of a question that say nothing of what is looked for: "how to backup a database", 如何安装.
//!
//! They stand on nearly every page, and on some in the title, so a page that has them all outranks the one that
//! was meant. Where other words are left, only these are looked for.

use segment::{Script, Word};

const ENGLISH: &str = "a about an and any are as at be been being but by can could did do does doing for from get had has \
    have having he her here him his how i if in into is it its me my of on or our shall she should so than that the their \
    them then there these they this those to was we were what when where which who whom whose why will with would you your";

const CHINESE: &str = "如何 怎么 怎样 怎么样 怎么办 怎 什么 甚么 是什么 为什么 为何 何时 何地 哪 哪个 哪些 哪里 哪儿 多少 几个 请问 是否 能否 \
    可否 吗 呢 吧 啊 么 的 地 得 了 着 是 在 把 被 和 与 及 以及 或 或者 一个 一些 我 我们 你 您 这 那 \
    哪种 一下 可以";

/// Whether a word of a query tells nothing. What is typed in capitals is a name: `IT`, `WHO`.
pub(crate) fn is_stop_word(typed: &str, word: &Word<'_>) -> bool {
    let is_in = |list: &str| list.split_ascii_whitespace().any(|stop| stop == word.text);
    let is_name = word.text != "i" && typed.chars().all(char::is_uppercase);
    match word.script {
        Script::Han => is_in(CHINESE),
        _ => !is_name && is_in(ENGLISH),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use segment::Segmenter;

    #[test]
    fn a_question_is_left_without_its_words() {
        let left = |query: &str| -> String {
            let words = Segmenter::shared().words(query);
            let left = words
                .iter()
                .filter(|word| !is_stop_word(&query[word.start as usize..word.end as usize], word));
            left.map(|word| word.text).collect::<Vec<_>>().join(" ")
        };
        for (query, rest) in [
            ("how to backup a database", "backup database"),
            ("What is the capital of France", "capital france"),
            ("如何安装 debian", "安装 debian"),
            ("什麼是数据库", "数据库"),
            ("WHO and IT, vitamin A", "who it vitamin a"),
            ("how I met the king", "met king"),
            ("not all", "not all"),
        ] {
            assert_eq!(left(query), rest, "{query}");
        }
    }
}
