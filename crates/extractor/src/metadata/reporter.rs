//! Reporters of Chinese news: 记者 with a name behind it.
//!
//! The word stands behind the name of a paper or an agency, 澎湃新闻记者 张三, alone in a row or beside the date, or in brackets
//! where a news begins: 新华社北京3月5日电（记者 张三、李四）. It also stands in sentences, 记者从现场了解到, and in names for kinds of
//! texts, 记者手记. So without a blank before it what counts as a name begins with a surname and is as long as names are, and it
//! is the end of what is said.

use super::byline::{is_han, taken};
use super::labelled::is_edge;
use super::surnames::is_chinese_name;

/// Who reports.
const ROLES: [&str; 4] = ["记者", "記者", "通讯员", "通訊員"];

/// What reporters do, behind their names.
const DEEDS: [&str; 6] = ["报道", "報導", "报导", "綜合", "综合", "电"];

/// What is done for a picture; who does it has not written the text.
const OF_PICTURES: [char; 6] = ['摄', '攝', '图', '圖', '绘', '繪'];

fn is_gap(c: char) -> bool {
    c.is_whitespace() || is_edge(c)
}

/// What may stand between the word and the name.
fn is_joint(c: char) -> bool {
    is_gap(c) || matches!(c, ':' | '：' | '|' | '｜' | '丨' | '/' | '／')
}

fn is_closing(c: char) -> bool {
    matches!(c, '）' | ')' | '】' | ']' | '〕')
}

/// The first word for who reports in a text: its place and its end.
fn role(text: &str) -> Option<(usize, usize)> {
    let found = ROLES
        .iter()
        .filter_map(|role| Some((text.find(role)?, role.len())));
    found.min().map(|(at, length)| (at, at + length))
}

/// The names of a short line that says who reported: 澎湃新闻记者 张三. What stands before the word is for whom they do so.
pub(super) fn in_row(line: &str) -> Option<String> {
    const LINE_CHARS_MAX: usize = 60;
    if line.chars().nth(LINE_CHARS_MAX).is_some() {
        return None;
    }
    let (at, end) = role(line)?;
    if !is_agency(&line[..at]) {
        return None;
    }
    let (names, behind) = names(&line[end..], false)?;
    let after = behind.trim_start_matches(is_gap);
    let next = after.chars().next();
    let is_apart = after.len() < behind.len();
    let is_end = match next {
        None => true,
        Some(c) if c.is_ascii_digit() || !c.is_alphanumeric() => !matches!(c, '，' | ',' | '。'),
        Some(_) if ROLES.iter().any(|role| after.starts_with(role)) => true,
        Some(_) => is_apart && !ends_as_sentence(after),
    };
    (is_end && !after.starts_with(OF_PICTURES)).then(|| names.join("、"))
}

/// Whether what stands behind a name goes on to tell something.
fn ends_as_sentence(after: &str) -> bool {
    let word = taken(after, 12, |c| !is_gap(c));
    let is_deed = DEEDS.iter().any(|deed| word.ends_with(deed));
    !is_deed && !after.contains([':', '：'])
}

/// Whether the word for who reports stands behind the name of a paper, or behind nothing.
fn is_agency(before: &str) -> bool {
    const CHARS_MAX: usize = 14;
    const OTHERS: [&str; 18] = [
        "对", "對", "向", "让", "告诉", "告訴", "答", "女", "男", "名", "位", "个", "個", "问",
        "与", "和", "前", "的",
    ];
    let in_name = |c: char| c.is_alphanumeric() || c == '·';
    let head = before.trim_end_matches(is_gap);
    let agency = &head[head.trim_end_matches(in_name).len()..];
    agency.chars().nth(CHARS_MAX).is_none() && !OTHERS.iter().any(|end| agency.ends_with(end))
}

/// The names behind the word for who reports, and what stands behind them. Where the word is in brackets, `is_apart`, two or
/// three characters behind a blank are a name whatever they begin with.
fn names(text: &str, is_apart: bool) -> Option<(Vec<&str>, &str)> {
    const NAMES_MAX: usize = 6;
    const RUN_MAX: usize = 12;
    let rest = text.trim_start_matches(is_joint);
    let is_free = is_apart && rest.len() < text.len();
    let mut names = Vec::new();
    let mut behind = rest;
    while names.len() < NAMES_MAX {
        let next = match names.is_empty() {
            true => rest,
            false => {
                let next =
                    behind.trim_start_matches(|c| is_gap(c) || matches!(c, '、' | '，' | ','));
                if next.len() == behind.len() {
                    break;
                }
                next
            }
        };
        let run = taken(next, RUN_MAX, is_han);
        let is_dated = next[run.len()..].starts_with(|c: char| c.is_ascii_digit());
        let Some(name) = name_of_run(run, is_dated, is_free) else {
            break;
        };
        names.push(name);
        behind = &next[name.len()..];
    }
    (!names.is_empty()).then_some((names, behind))
}

/// The name that a run of characters is or begins with. Behind it may stand what somebody did, and before that or a date
/// where: 張三台北報導, 張三台北5日電. Most places are of two characters, and most names of three.
fn name_of_run(run: &str, is_dated: bool, is_free: bool) -> Option<&str> {
    let is_role = |text: &str| ROLES.iter().any(|role| text.contains(role));
    let mut head = run;
    while let Some(shorter) = DEEDS.iter().find_map(|deed| head.strip_suffix(deed))
        && shorter.chars().nth(1).is_some()
    {
        head = shorter;
    }
    let has_deed = head.len() < run.len();
    let length = head.chars().count();
    let prefix = |count: usize| taken(head, count, is_han);
    let name = match (length, is_dated || has_deed) {
        (0..=3, _) => head,
        (4, _) if is_chinese_name(head) => head,
        (4, true) => prefix(2),
        (5..=6, true) => prefix(3),
        _ => return None,
    };
    let is_word = DEEDS.contains(&name) || name.contains(OF_PICTURES) || is_role(name);
    let is_long = (2..=3).contains(&name.chars().count());
    (!is_word && (is_chinese_name(name) || is_free && is_long)).then_some(name)
}

/// The names where a news begins: in the first bracket with the word for who reports, or without one behind the agency.
pub(super) fn in_lead(text: &str) -> Option<String> {
    const HEAD_CHARS_MAX: usize = 40;
    let is_open = |c: char| matches!(c, '（' | '(' | '【' | '[' | '〔');
    let is_sentence = |c: char| matches!(c, '。' | '，' | '！' | '？' | '；' | ',' | ';');
    let (at, end) = role(text)?;
    let before = &text[..at];
    if before.chars().nth(HEAD_CHARS_MAX).is_some() || before.contains(is_sentence) {
        return None;
    }
    let open = before
        .rfind(is_open)
        .filter(|&open| !before[open..].contains(is_closing));
    if open.is_some() {
        return in_brackets(&text[end..]);
    }
    let is_begin = before
        .chars()
        .all(|c| c.is_alphanumeric() || is_gap(c) || c == '·');
    if !is_begin || !is_agency(before) {
        return None;
    }
    let (names, behind) = names(&text[end..], false)?;
    let after = behind.trim_start_matches(is_gap);
    let is_apart = after.len() < behind.len() && text[end..].starts_with(is_gap);
    let is_report = DEEDS.iter().any(|deed| behind.starts_with(deed));
    ((is_apart || is_report) && !after.starts_with(OF_PICTURES)).then(|| names.join("、"))
}

/// The names from the word for who reports to the end of its bracket, of everybody who does.
fn in_brackets(text: &str) -> Option<String> {
    const CHARS_MAX: usize = 40;
    let end = text.find(is_closing)?;
    let mut rest = &text[..end];
    if rest.chars().nth(CHARS_MAX).is_some() {
        return None;
    }
    let mut all = Vec::new();
    loop {
        let (found, behind) = names(rest, true)?;
        if behind.trim_start_matches(is_gap).starts_with(OF_PICTURES) {
            return None;
        }
        all.extend(found);
        match role(behind) {
            Some((_, end)) => rest = &behind[end..],
            None => return Some(all.join("、")),
        }
    }
}

/// The bytes that stand before the name behind a label: for whom somebody writes, 文 | 某某周刊 张三, and that they report.
pub(super) fn skipped(field: &str) -> usize {
    const AGENCY_CHARS_MIN: usize = 4;
    const AGENCY_CHARS_MAX: usize = 14;
    let name_at = |at: usize| {
        let rest = field[at..].trim_start_matches(is_gap);
        let name = taken(rest, 5, is_han);
        is_chinese_name(name).then(|| field.len() - rest.len())
    };
    let agency = taken(field, AGENCY_CHARS_MAX, |c| c.is_alphanumeric() || c == '·');
    let behind_role = ROLES.iter().find_map(|role| {
        let at = agency.find(role)? + role.len();
        name_at(at)
    });
    let is_apart = || field[agency.len()..].starts_with(' ');
    let is_agency = || agency.chars().all(is_han) && agency.chars().count() >= AGENCY_CHARS_MIN;
    let behind_agency =
        || name_at(agency.len()).filter(|_| is_apart() && is_agency() && !is_chinese_name(agency));
    behind_role.or_else(behind_agency).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reporter_stands_behind_the_name_of_a_paper() {
        for (line, names) in [
            ("记者 张三", Some("张三")),
            ("\u{1}2024-03-05\u{2}\u{1}记者 张三\u{2}", Some("张三")),
            ("2024-03-05 本报记者 张三", Some("张三")),
            ("澎湃新闻记者 张三 李小四", Some("张三、李小四")),
            ("21世纪经济报道记者 张三 北京报道", Some("张三")),
            ("证券时报·e公司记者 张三", Some("张三")),
            (
                "聯合報／ 記者\u{1}張小三\u{2}／台北即時報導",
                Some("張小三"),
            ),
            ("本报记者 张三 通讯员 李四", Some("张三")),
            ("新华社记者 张三 摄", None),
            ("记者从水利局获悉", None),
            ("记者手记", None),
            ("他告诉记者 张三", None),
            ("记者 张三 昨日来到河边", None),
            ("记者", None),
        ] {
            assert_eq!(in_row(line).as_deref(), names, "{line}");
        }
    }

    #[test]
    fn a_news_begins_with_who_reports_it() {
        let text = "昨天夜里河水又涨了，冲走了那座老石桥。";
        for (lead, names) in [
            (
                "新华社北京3月5日电（记者 张三、李小四）",
                Some("张三、李小四"),
            ),
            ("新华社北京3月5日电（记者张三）", Some("张三")),
            ("本报讯（记者 羊羊）", Some("羊羊")),
            ("本报讯（通讯员 张三 记者 李四）", Some("张三、李四")),
            ("【财新网】（记者 张三）", Some("张三")),
            ("〔記者張小三／台北報導〕", Some("張小三")),
            ("（中央社記者張小三台北5日電）", Some("張小三")),
            ("[記者張三／綜合報導]", Some("張三")),
            ("本报记者张三报道：", Some("张三")),
            ("大众报业·齐鲁晚报记者 张三 ", Some("张三")),
            ("本报讯（记者手记）", None),
            ("（本报记者）", None),
            ("图为河边（记者 张三 摄）", None),
            ("记者从水利局获悉，", None),
            ("昨天，市长（他向记者 张三）", None),
            ("", None),
        ] {
            assert_eq!(
                in_lead(&format!("{lead}{text}")).as_deref(),
                names,
                "{lead}"
            );
        }
    }

    #[test]
    fn for_whom_somebody_writes_is_skipped() {
        for (field, name) in [
            ("三联生活周刊 张小三", "张小三"),
            ("記者張小三", "張小三"),
            ("新京报记者 张三", "张三"),
            ("张三 李四", "张三 李四"),
            ("记者之家", "记者之家"),
            ("长江以北的人", "长江以北的人"),
        ] {
            assert_eq!(&field[skipped(field)..], name, "{field}");
        }
    }
}
