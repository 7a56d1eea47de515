//! Numbered parts of a work, as they stand behind its name in `<title>`: "Part 2", "3. Teil", "第三章", "3화", "（下）".
//!
//! A site's name looks like them where it has a number: "9to5Eels", "58桥城", "20 Minuten", "Channel 4", "III". In a
//! part's name the number is all, in brackets where it is long or Roman, or stands beside 第 or a word for what works are
//! counted in. The pages of one text, and days, are no parts of a work.

use crate::char_counts::is_cjk;
/// How the part of a work is told.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Told {
    /// By what it counts, or in brackets: no site is called so.
    Counted,
    /// By a bare number.
    Bare,
}

/// How a part of a title names a part of a work; nothing where it names none.
pub(super) fn told(text: &str) -> Option<Told> {
    let is_marked = text.contains(['(', '（', '[', '［', '【', '#', '＃', '№']);
    let text = text.trim_matches(|c: char| !c.is_alphanumeric());
    let mut chars = text.chars();
    let is_counted = match (chars.next(), chars.next()) {
        (None, _) => false,
        // 上, 下, 三: no site has one character for a name.
        (Some(only), None) => is_cjk(only) || is_marked && is_number(text),
        _ if text.contains(is_cjk) => is_counted(text) || is_named(text) || is_numbered(text),
        _ => is_numbered(text) || is_marked && is_number(text),
    };
    if is_counted {
        return Some(Told::Counted);
    }
    let is_bare = matches!(text.len(), 1..=2) && text.bytes().all(|b| b.is_ascii_digit());
    is_bare.then_some(Told::Bare)
}

fn is_numeral(c: char) -> bool {
    c.is_ascii_digit() || "一二三四五六七八九十百零〇两".contains(c)
}

/// What works in Chinese, Japanese and Korean are counted in.
const COUNTERS: &str = "章节節回天集话話部卷巻篇編编幕季期日夜장화부편회일권강";

/// 第三章 and 제3장 with whatever behind; 之三, その3, 3日目, 12회, 二 with nothing.
fn is_counted(text: &str) -> bool {
    let ordinal = ["第", "제", "之", "其", "その"]
        .iter()
        .find_map(|mark| text.strip_prefix(mark));
    let behind = ordinal.unwrap_or(text).trim_start();
    let rest = behind.trim_start_matches(is_numeral);
    if rest.len() == behind.len() {
        return false;
    }
    let unit = rest.trim_start();
    let is_of_page = ["页", "頁", "ページ", "쪽", "페이지"]
        .iter()
        .any(|page| unit.starts_with(page));
    let counted = unit.strip_prefix(|c| COUNTERS.contains(c)).unwrap_or(unit);
    let behind = counted.trim_start_matches(['目', '차']);
    let is_named = ordinal.is_some() && counted.len() < unit.len();
    !is_of_page && (is_named || !behind.starts_with(char::is_alphanumeric))
}

/// 下篇, 前編, 最終回: a place in a work, and what works are counted in.
fn is_named(text: &str) -> bool {
    const PLACES: [&str; 20] = [
        "上", "中", "下", "前", "后", "後", "终", "終", "最终", "最終", "番外", "完结", "完結",
        "序", "尾", "상", "중", "하", "전", "후",
    ];
    let place = text.strip_suffix(|c| "章節节回话話集篇編编巻卷部편".contains(c));
    place.is_some_and(|place| PLACES.contains(&place))
}

/// Words for what works are counted in. Of channels, versions and models there are many others.
const KINDS: &str = "part pt teil partie parte deel del osa część cz část díl časť rész часть частина част μέρος partea \
    bölüm kısım phần tập chương bagian bab hari vol volume volumen band bd tome tomo tom том chapter ch \
    kapitel chapitre capítulo capitolo capitol hoofdstuk luku rozdział kapitola fejezet глава розділ \
    κεφάλαιο book buch livre libro boek kniha книга day tag jour día giorno dag päivä dzień den день gün \
    ngày week woche semaine episode episodio épisode episódio ep folge aflevering afsnit avsnitt odcinek \
    выпуск серия серія season staffel saison lesson lektion leçon lección lezione lição les урок act akt \
    scene section unit issue nr round stage etappe étape etapa tappa step schritt series serie \
    installment lecture no phase session module level exercise lab homework problem appendix game numéro numero número \
    fase temporada ausgabe heft version الجزء الفصل الحلقة قسمت פרק חלק भाग 시리즈 파트 시즌 에피소드 パート シーズン エピソード";

fn is_kind(word: &str) -> bool {
    let word = word.trim_end_matches('.').to_lowercase();
    KINDS.split(' ').any(|kind| kind == word)
}

/// "Part 2", "Day 4: Rain", "Part 2 of 5", "Vol.3", "2. Teil", "2e partie".
fn is_numbered(text: &str) -> bool {
    let mut words = text.split([' ', '\u{a0}']);
    let first = words.next().unwrap_or("");
    let (second, third) = (words.next(), words.next());
    let Some(second) = second else {
        let parts = first.split_once('.');
        return parts.is_some_and(|(word, number)| is_kind(word) && is_number(number));
    };
    let number = second.trim_end_matches([':', ',', '.']);
    let ends = number.len() < second.len()
        || third.is_none_or(|third| {
            matches!(
                third,
                "of" | "von" | "de" | "sur" | "van" | "av" | "di" | "z" | "из"
            ) || !third.contains(char::is_alphanumeric)
        });
    let suffix = first.trim_start_matches(|c: char| c.is_ascii_digit());
    let is_ordinal = suffix.len() < first.len()
        && (suffix == "." || suffix.chars().all(char::is_lowercase) && !suffix.is_empty())
        && suffix.chars().count() <= 3;
    is_kind(first) && is_number(number) && ends || is_ordinal && third.is_none() && is_kind(second)
}

/// Whether a word is a number of a part, in figures or Roman: one of four figures is a year.
fn is_number(word: &str) -> bool {
    const DIGITS_MAX: usize = 3;
    !word.is_empty()
        && (word.len() <= DIGITS_MAX && word.bytes().all(|b| b.is_ascii_digit())
            || word.bytes().all(|b| matches!(b, b'I' | b'V' | b'X')))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is_one(text: &str) -> bool {
        told(text).is_some()
    }

    #[test]
    fn a_part_of_a_work_is_told_by_its_number() {
        for part in [
            "Part 2",
            "Part II",
            "Chapter 3",
            "Day 4: Rain",
            "Part 2 of 5",
            "Vol. 3",
            "Vol.3",
            "(2)",
            "#12",
            "2. Teil",
            "2e partie",
            "第三章",
            "第12回 出发",
            "第 3 部分",
            "（二）",
            "下",
            "下篇",
            "之三",
            "その3",
            "3日目",
            "最終回",
            "제3장",
            "3화",
            "시리즈 3",
            "Folge 12",
            "(III)",
            "(V)",
            "[127]",
            "- 3",
        ] {
            assert!(is_one(part), "{part}");
        }
        for name in [
            "9to5Eels",
            "Harbour Times",
            "20 Minuten",
            "66minutes",
            "1st Source Bank",
            "Python 3 documentation",
            "Page 2",
            "Aug. 9, 2004",
            "November 19",
            "2025",
            "Updated 2025",
            "X",
            "",
            "58桥城",
            "1905水利网",
            "一点资讯",
            "第一财经",
            "三日月書店",
            "第2页",
            "24시뉴스",
            // Channels and a product were taken for parts.
            "TV 2",
            "NDR 2",
            "Channel 4",
            "Canal 13",
            "163",
            "360",
            "III",
            "Java 8",
            "1st Source",
            "编辑部",
            "文章",
            "사회",
            "江畔网",
        ] {
            assert!(!is_one(name), "{name}");
        }
    }
}
