//! The last lines of a text that say only what to do with the page, the app or the account: print it, share it, scan
//! the code, read the next one.
//!
//! They stand in the text's own element, often behind a line break in its last paragraph, so no choice of elements or
//! runs can leave them out. What they are is told by the whole line alone, and only at the end of a text: a page about
//! an app may say amid its text what to press.

use std::sync::LazyLock;

use regex::Regex;

use crate::blocks::Block;

/// The most lines that are left out: then it is no closing.
const LINES_MAX: usize = 8;
/// The most bytes of a line that is looked at.
const LINE_BYTES_MAX: usize = 600;

/// Labels of what a page offers, of which nothing but a row makes a line;
const ACTIONS: [&str; 30] = [
    "打印",
    "打印本页",
    "打印此页",
    "打印本文",
    "关闭",
    "关闭窗口",
    "关闭本页",
    "返回顶部",
    "返回首页",
    "返回列表",
    "返回上一页",
    "收藏",
    "收藏本页",
    "加入收藏",
    "分享",
    "分享到",
    "转发",
    "举报",
    "反馈",
    "纠错",
    "点赞",
    "复制链接",
    "查看更多",
    "阅读原文",
    "阅读全文",
    "展开全文",
    "返回搜狐",
    "生成海报",
    "投诉",
    "发表评论",
];
/// and beside one of these the names of where to share it.
const PLACES: [&str; 14] = [
    "微信",
    "微博",
    "新浪微博",
    "腾讯微博",
    "微信好友",
    "朋友圈",
    "qq",
    "qq好友",
    "qq空间",
    "豆瓣",
    "人人网",
    "facebook",
    "twitter",
    "更多",
];

/// Lines of other forms, by the whole of them.
static FORMS: LazyLock<Regex> = LazyLock::new(|| {
    const NEIGHBOURS: &str = r"[【\[（(<《«‹]*\s*(?:上|下)一?(?:篇|章|页|条|则|节|张|回)(?:文章|新闻|内容)?\s*(?:[:：】\]）)>》»›].{0,160}|没有了.{0,20})?";
    const CODE: &str = r"(?:请|您可|可)?(?:扫一扫|扫描|扫码|微信扫|长按|识别|点击|戳)[^。！？]{0,24}(?:二维码|公众号|关注我们|阅读原文|查看原文|查看更多)[^。！？]{0,24}[。！]?";
    const FOLLOW: &str = r"(?:欢迎|请|敬请)?关注[^。！？]{0,12}(?:公众号|微信号|视频号|头条号)[^。！？]{0,30}[。！]?";
    const LIKE: &str = r"(?:如果|若|喜欢|觉得|欢迎|求|请|别忘|记得)[^。！？]{0,20}点赞[^。！？]{0,16}(?:收藏|转发|关注|分享|在看)[^。！？]{0,10}[。！~]?";
    const ADDRESS: &str = r"[^。！？]{0,24}(?:首发域名|首发网址|手机版阅读网址|手机版更新最快网址|最新网址)\s*[:：].{0,80}";
    const PLATFORM: &str =
        r"(?:特别|平台)?声明\s*[:：].{0,120}(?:本平台|平台)仅提供信息(?:存储|发布).{0,30}";
    const END: &str = r"[(（\[【]\s*责任?编辑?\s*[:：]\s*[^()（）\[\]【】。，]{1,16}[)）\]】]";
    let forms = [NEIGHBOURS, CODE, FOLLOW, LIKE, ADDRESS, PLATFORM, END];
    let pattern = format!("^(?:{})$", forms.join("|"));
    Regex::new(&pattern).expect("a constant pattern")
});

/// Leaves out the closing lines of a text that has others.
pub(crate) fn leave_out(blocks: &mut Vec<Block>) {
    let mut at = blocks.len();
    let mut left = LINES_MAX;
    while let Some(block) = at.checked_sub(1).and_then(|last| blocks.get_mut(last)) {
        match block {
            Block::Image { .. } => {}
            Block::Paragraph { text } => {
                let end = end_of_text(text, &mut left);
                if end > 0 {
                    text.truncate(end);
                    return;
                }
                // A page of nothing else is left as it is.
                if at == 1 {
                    return;
                }
                blocks.remove(at - 1);
            }
            Block::List { items, .. } => {
                while left > 0 && items.last().is_some_and(|item| is_closing(&item.text)) {
                    items.pop();
                    left -= 1;
                }
                if !items.is_empty() || at == 1 {
                    return;
                }
                blocks.remove(at - 1);
            }
            Block::Heading { .. }
            | Block::Caption { .. }
            | Block::Table { .. }
            | Block::Code { .. }
            | Block::Quote { .. }
            | Block::Formula { .. } => return,
        }
        at -= 1;
    }
}

/// Where a paragraph ends without its closing lines.
fn end_of_text(text: &str, left: &mut usize) -> usize {
    let mut end = text.trim_end().len();
    while end > 0 {
        let line = text[..end].rfind('\n').map_or(0, |at| at + 1);
        if *left == 0 || !is_closing(&text[line..end]) {
            break;
        }
        *left -= 1;
        end = text[..line].trim_end().len();
    }
    end
}

/// Whether a line says only what to do with the page.
fn is_closing(line: &str) -> bool {
    let line = line.trim();
    (1..=LINE_BYTES_MAX).contains(&line.len()) && (is_row_of_labels(line) || FORMS.is_match(line))
}

fn is_row_of_labels(line: &str) -> bool {
    let is_between = |char: char| !char.is_alphanumeric();
    let lower = line.to_lowercase();
    let labels = || lower.split(is_between).filter(|label| !label.is_empty());
    let is_action = |label: &str| ACTIONS.contains(&label);
    labels().any(is_action) && labels().all(|label| is_action(label) || PLACES.contains(&label))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_that_says_what_to_do_with_the_page_is_a_closing() {
        for line in [
            "【打印】【关闭】",
            "[打印本页] [关闭窗口]",
            "分享到：微信 微博 QQ空间",
            "举报/反馈",
            "返回搜狐，查看更多",
            "上一篇：大棚黄瓜怎么防病害　下一篇：没有了",
            "下一篇",
            "[下一页]",
            "扫一扫，关注我们的微信公众号",
            "长按二维码关注",
            "点击“阅读原文”查看更多",
            "关注公众号：城事周刊，回复“资料”领取",
            "请记住本书首发域名：www.a.example。手机版阅读网址：m.a.example",
            "特别声明：以上内容为自媒体平台用户上传并发布，本平台仅提供信息存储服务。",
            "如果您喜欢本文，请点赞、收藏、转发",
            "(责任编辑：admin)",
        ] {
            assert!(is_closing(line), "{line}");
        }
    }

    #[test]
    fn a_line_of_a_text_is_none() {
        for line in [
            "微信",
            "微信 微博",
            "打印机",
            "最后一步：点击“打印”，再关闭窗口。",
            "点击右上角的按钮，打开设置，然后选择“扫一扫”。",
            "下一篇文章我们会谈谈怎样修剪葡萄。",
            "上一页的表格列出了各省的产量。",
            "他关注的公众号很多，每天都要读上一个小时。那天他什么也没有读。",
            "二维码的发明者是日本人原昌宏。",
            "声明：本店将于五月一日起停业。",
            "责任编辑的工作是核对每一个数字。",
            "如果你赞成，请举手。",
            "",
        ] {
            assert!(!is_closing(line), "{line}");
        }
    }

    fn left(blocks: &[&str]) -> Vec<String> {
        let paragraph = |text: &&str| Block::Paragraph {
            text: (*text).to_owned(),
        };
        let mut blocks: Vec<Block> = blocks.iter().map(paragraph).collect();
        leave_out(&mut blocks);
        let text = crate::blocks::plain(&blocks);
        text.lines().map(str::to_owned).collect()
    }

    #[test]
    fn closings_go_from_the_end_of_a_text_and_from_nowhere_else() {
        assert_eq!(
            left(&["正文。", "【打印】【关闭】", "下一篇：无"]),
            ["正文。"]
        );
        assert_eq!(left(&["正文。\n\n长按二维码关注\n举报/反馈"]), ["正文。"]);
        let amid = ["长按二维码关注", "正文。"];
        assert_eq!(left(&amid), amid);
        assert_eq!(left(&["【打印】【关闭】"]), ["【打印】【关闭】"]);
        assert_eq!(left(&[&"举报\n".repeat(20)]).len(), 20 - LINES_MAX);
        assert_eq!(left(&[]), Vec::<String>::new());
    }
}
