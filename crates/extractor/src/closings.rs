//! The last lines of a text that say only what to do with the page, the app or the account: print it, share it, scan
//! the code, read the next one.
//!
//! They stand in the text's own element, often behind a line break in its last paragraph, so no choice of elements or
//! runs can leave them out. What they are is told by the whole line alone, and only at the end of a text: a page about
//! an app may say amid its text what to press.

use std::sync::LazyLock;

use regex::Regex;

use crate::blocks::Block;

/// The most closing lines at the end of a text. More of them are what the text is about, so none is left out.
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
    // The reader is asked, and what is asked ends the line: "觉得无聊的人才会去点赞" tells of somebody.
    const LIKE: &str = r"(?:(?:如果|若|喜欢|觉得)[^。！？]{0,20}?(?:[，,请就]|欢迎|别忘|记得)|欢迎|求|请|别忘|记得)(?:了|您|你|大家|各位|多多?|帮忙|给我们?|给小编|给个|来个|动动?手|随手|顺手|一定|也)*点赞(?:[、，,和与及并或再加\s+＋·/“”]|一下|支持|评论|留言|投币|打赏)*(?:收藏|转发|关注|分享|在看)(?:[、，,和与及并或再加\s+＋·/“”]|收藏|转发|关注|分享|在看|一下|支持|评论|留言|本文|三连|给朋友|给好友|给更多人?|我们?|小编|本号|[吧哦哟呀啦噢])*[。！!~～]*";
    const ADDRESS: &str = r"[^。！？]{0,24}(?:首发域名|首发网址|手机版阅读网址|手机版更新最快网址|最新网址)\s*[:：].{0,80}";
    const PLATFORM: &str =
        r"(?:特别|平台)?声明\s*[:：].{0,120}(?:本平台|平台)仅提供信息(?:存储|发布).{0,30}";
    const END: &str = r"[(（\[【]\s*责任?编辑?\s*[:：]\s*[^()（）\[\]【】。，]{1,16}[)）\]】]";
    let forms = [NEIGHBOURS, LIKE, ADDRESS, PLATFORM, END];
    let pattern = format!("^(?:{})$", forms.join("|"));
    Regex::new(&pattern).expect("a constant pattern")
});

/// An order to scan or to press: what stands before the code, link or account it is done with, that, and the rest.
static SCAN: LazyLock<Regex> = LazyLock::new(|| {
    const OBJECT: &str = "二维码|小程序码|公众号|订阅号|视频号|头条号|微信号|阅读原文|查看原文|查看更多|蓝字|名片|卡片|图片|链接|按钮";
    let pattern = format!(
        "^(?:请|您可以|您可|可以|可)?(?:微信扫一扫|微信扫描|微信扫码|微信扫|扫一扫|扫描|扫码|长按|识别|点击|戳)\
        (?<between>[^。！？，,；]{{0,24}}?)(?<object>{OBJECT})(?<rest>[^。！？]{{0,64}})[。！]?$"
    );
    Regex::new(&pattern).expect("a constant pattern")
});

/// An order to follow an account, by itself or behind one to scan or to press.
static FOLLOW: LazyLock<Regex> = LazyLock::new(|| {
    const SCAN: &str =
        "(?:微信扫一扫|微信扫描|微信扫码|扫一扫|扫描|扫码|长按|点击|戳)[，,、：:\\s]*";
    const OBJECT: &str = "公众号|微信号|视频号|头条号|订阅号|我们|小编|本[站网报刊号]";
    let pattern = format!(
        "^(?:欢迎|敬请|请)?(?:{SCAN})?(?:欢迎|敬请|请)?(?:关注|订阅)(?<between>[^。！？]{{0,12}})(?<object>{OBJECT})(?<rest>[^。！？]{{0,30}})[。！]?$"
    );
    Regex::new(&pattern).expect("a constant pattern")
});

/// Words that point at a part of the page, and other orders: between an order and its code nothing else stands unless
/// it is somebody's, such as that on a bottle.
static POINTING: LazyLock<Regex> = LazyLock::new(|| {
    const WORDS: &str = "[^\\p{L}\\p{N}]|[左右上下]?[左右上下][方面边侧角图]?|角|图[片案]?|文[末尾中章]?|末尾|底部|顶部|页面|以[下上]|如下|下列|\
        本|此|这[个里儿]|中|里|内|的|一下|并|来|保存|提取|扫描|识别|扫码|微信|手机|关注|添加|官方|我们|本[站报刊号]|小编|公众号|视频号|小程序";
    Regex::new(&format!("^(?:{WORDS})*$")).expect("a constant pattern")
});

/// What the reader is told to do for the site, the account or the writer.
static SERVES: LazyLock<Regex> = LazyLock::new(|| {
    const WHOM: &str = "我们|小编|本[站网报刊号]|本平台";
    let pattern = format!(
        "^[^\\p{{L}}\\p{{N}}]*(?:即可|就可以|就能|便可|可以|可|来|以|并|后|一起|马上|立即|快来|欢迎|或)*\
        (?:关注|订阅|(?:添?加|加入|联系|支持|访问|进入|搜索|查看)[^。！？]{{0,12}}?(?:{WHOM}|公众号|订阅号|视频号|微信|群))"
    );
    Regex::new(&pattern).expect("a constant pattern")
});

/// Words behind an object that make a description of it, or the subject of a sentence.
const TELLS: [&str; 20] = [
    "的", "已", "是", "成为", "让", "使", "会", "也", "都", "了", "者", "率", "量", "数", "时",
    "前", "比", "花", "没", "不",
];

/// After the order something else happens.
const AFTER: [&str; 3] = ["后", "之后", "以后"];

/// What an account or its place is called.
const ACCOUNTS: [&str; 8] = [
    "公众号",
    "订阅号",
    "视频号",
    "头条号",
    "微信号",
    "客户端",
    "小程序",
    "微博",
];

fn tells(rest: &str) -> bool {
    TELLS.iter().any(|word| rest.starts_with(word))
}

/// Whether a line tells to scan or to press what the page or its account has. "扫描二维码的工作由……" and "识别率"
/// tell of something, and the code on a bottle is not the page's.
fn is_scan(line: &str) -> bool {
    let Some(order) = SCAN.captures(line) else {
        return false;
    };
    let (between, object, rest) = (&order["between"], &order["object"], &order["rest"]);
    let of_account = |text: &str| ACCOUNTS.iter().any(|name| text.contains(name));
    let is_of_app = matches!(object, "阅读原文" | "查看原文" | "蓝字");
    let is_after = || AFTER.iter().any(|word| rest.starts_with(word));
    let serves = || {
        rest.split(['，', ',', '；', '、'])
            .any(|part| SERVES.is_match(part))
    };
    let is_pointed = POINTING.is_match(between);
    if tells(rest) {
        return false;
    }
    // With a comma or a full stop it is a sentence, such as the last step of a guide.
    if line.ends_with(['。', '！']) || rest.contains(['，', ',', '；']) {
        return (is_pointed || of_account(between)) && (serves() || is_of_app && !is_after());
    }
    let is_of_all = matches!(object, "名片" | "卡片" | "图片" | "链接" | "按钮");
    is_pointed && (!is_of_all || rest.contains("查看更多"))
        || of_account(between)
        || of_account(object)
        || serves()
}

/// Whether a line tells to follow the page's account, not of who follows one.
fn is_follow(line: &str) -> bool {
    const OTHERS: [&str; 9] = ["的", "该", "这个", "那个", "这些", "那些", "某", "他", "她"];
    const THEN: [&str; 11] = [
        "回复", "发送", "领取", "即可", "可", "私信", "点击", "查看", "加入", "获取", "输入",
    ];
    let Some(order) = FOLLOW.captures(line) else {
        return false;
    };
    let (between, object, rest) = (&order["between"], &order["object"], &order["rest"]);
    let is_others = OTHERS.iter().any(|word| between.starts_with(word));
    let then = AFTER.iter().find_map(|word| rest.strip_prefix(word));
    let is_order = |rest: &str| {
        let rest = rest.trim_start_matches(|c: char| !c.is_alphanumeric());
        THEN.iter().any(|word| rest.starts_with(word))
    };
    let is_account = ACCOUNTS.contains(&object);
    !is_others
        && !tells(rest)
        && then.is_none_or(is_order)
        && (is_account || !rest.contains(char::is_alphanumeric))
}

/// Leaves out the closing lines of a text that has others.
pub(crate) fn leave_out(blocks: &mut Vec<Block>) {
    let Some(closings) = Closings::of(blocks) else {
        return;
    };
    if let Some((at, end)) = closings.cut
        && let Block::Paragraph { text } = &mut blocks[at]
    {
        text.truncate(end);
    }
    // From the last one on.
    for at in closings.whole {
        blocks.remove(at);
    }
}

/// The closing lines of a text.
#[derive(Default)]
struct Closings {
    /// Blocks of nothing else, from the last one on.
    whole: Vec<usize>,
    /// A paragraph that ends with some, and where its text ends.
    cut: Option<(usize, usize)>,
}

impl Closings {
    /// None where there is no text before them, or more of them than a text ends with.
    fn of(blocks: &[Block]) -> Option<Closings> {
        let mut found = Closings::default();
        let mut left = LINES_MAX;
        for (at, block) in blocks.iter().enumerate().rev() {
            match block {
                Block::Image { .. } => {}
                Block::Paragraph { text } => {
                    let end = end_of_text(text, &mut left)?;
                    if end > 0 {
                        found.cut = (end < text.trim_end().len()).then_some((at, end));
                        return Some(found);
                    }
                    found.whole.push(at);
                }
                Block::List { items, .. } if items.iter().all(|item| is_closing(&item.text)) => {
                    left = left.checked_sub(items.len())?;
                    found.whole.push(at);
                }
                Block::List { .. }
                | Block::Heading { .. }
                | Block::Caption { .. }
                | Block::Table { .. }
                | Block::Code { .. }
                | Block::Quote { .. }
                | Block::Formula { .. } => return Some(found),
            }
        }
        None
    }
}

/// Where a paragraph ends without its closing lines; nothing where these are more than are left.
fn end_of_text(text: &str, left: &mut usize) -> Option<usize> {
    let mut end = text.trim_end().len();
    while end > 0 {
        let line = text[..end].rfind('\n').map_or(0, |at| at + 1);
        if !is_closing(&text[line..end]) {
            break;
        }
        *left = left.checked_sub(1)?;
        end = text[..line].trim_end().len();
    }
    Some(end)
}

/// Whether a line says only what to do with the page.
fn is_closing(line: &str) -> bool {
    let line = line.trim();
    (1..=LINE_BYTES_MAX).contains(&line.len())
        && (is_row_of_labels(line) || FORMS.is_match(line) || is_scan(line) || is_follow(line))
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
    use crate::blocks::ListItem;

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
            "觉得有用就点赞、收藏吧！",
            "喜欢的话，记得点赞和转发给更多人哦~",
            "求点赞，收藏",
            "长按识别二维码",
            "扫描二维码查看更多内容",
            "扫描下方二维码，添加小编微信，加入读者群。",
            "点击“阅读原文”即可报名。",
            "长按二维码，关注本站。",
            "扫一扫关注城事周刊公众号",
            "点击上方蓝字关注我们",
            "长按识别下图二维码，关注我们！",
            "微信扫一扫，关注公众号",
            "扫描下方二维码添加小编微信",
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
            // The last step of a guide was left out.
            "扫描商家的二维码，输入金额后完成付款。",
            "扫描商家的二维码，输入金额后完成付款",
            "点击“查看更多”即可看到今年的全部账单。",
            "觉得无聊的人才会去点赞和转发。",
            "觉得无聊，点赞和转发的人越来越少。",
            "喜欢他的人就会点赞，然后分享到别的群里。",
            "如果没有人点赞，我就不会转发。",
            "识别二维码后，仪器会自动显示型号。",
            // Words that begin as these verbs do, and sentences that tell of codes.
            "扫描结果表明，我们的方法优于其他方法。",
            "识别率在我们的测试集上达到百分之九十八。",
            "点击率下降让我们明白，读者并不喜欢弹窗。",
            "长按三秒，设备会重启，然后我们就能登录了。",
            "戳穿谎言需要我们每一个人的努力。",
            "扫描古籍的工作由本报记者全程记录。",
            "扫描二维码的工作由我们完成。",
            "关注该公众号的读者大多是退休的老人。",
            "关注公众号的人越来越少了。",
            "请扫描包装上的二维码查询药品真伪",
            "扫描瓶身二维码输入校验码领取赔付",
            "点击我的订单查看更多物流信息",
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
        // As many as a text ends with, and one more.
        let many = |count: usize| left(&["正文。", &"举报\n".repeat(count)]);
        assert_eq!(many(LINES_MAX), ["正文。"]);
        assert_eq!(many(LINES_MAX + 1).len(), LINES_MAX + 2);
        assert_eq!(left(&["举报", "反馈"]), ["举报", "反馈"]);
        assert_eq!(left(&[]), Vec::<String>::new());
    }

    #[test]
    fn a_list_goes_as_a_whole_or_not_at_all() {
        let left = |items: &[&str]| {
            let item = |text: &&str| ListItem {
                depth: 0,
                ordered: true,
                text: (*text).to_owned(),
            };
            let text = "正文。".to_owned();
            let items = items.iter().map(item).collect();
            let list = Block::List {
                ordered: true,
                items,
            };
            let mut blocks = vec![Block::Paragraph { text }, list];
            leave_out(&mut blocks);
            crate::blocks::plain(&blocks).lines().count() - 1
        };
        assert_eq!(left(&["打开微信，点击右上角的加号。", "扫描二维码"]), 2);
        assert_eq!(left(&["扫描二维码", "分享", "举报/反馈"]), 0);
        assert_eq!(left(&["举报"; LINES_MAX + 1]), LINES_MAX + 1);
    }
}
