//! Surnames in Chinese and Korean: where nothing else tells a name from a word, its first character does.
//!
//! Some hundred surnames are those of nine in ten people, 高 and 金 among them though many words begin so. Of the rarer ones
//! those are left out with which many words begin.

use super::byline::is_han;

const CHINESE: &str = "王李张張刘劉陈陳杨楊黄黃赵趙周吴吳徐孙孫朱马馬胡郭林何高梁郑鄭罗羅宋谢謝唐韩韓曹许許邓鄧\
    萧蕭肖冯馮曾程蔡彭潘袁于董余苏蘇叶葉吕呂魏蒋蔣田杜丁沈姜范江傅付钟鍾卢盧汪戴崔任陆陸廖姚方金邱丘夏谭譚\
    韦韋贾賈邹鄒石熊孟秦阎閻薛侯雷白龙龍段郝孔邵史毛常顾顧赖賴武康贺賀严嚴尹钱錢施牛洪龚龔汤湯陶黎温莫易樊乔喬\
    殷颜顏庄莊章鲁魯倪庞龐邢俞翟蓝聂聶齐齊葛岳欧歐诸諸柳祝骆駱左凌霍詹耿关關柯焦";

const KOREAN: &str = "김이박최정강조윤장임한오서신권황안송전홍유고문양손배백허남심노하곽성차주우구민류나진지엄채원천방공\
    현함변염여추도소석선설마길연위표명기반라왕금옥육인맹탁국은편용예";

const KOREAN_OF_TWO: [&str; 6] = ["남궁", "황보", "제갈", "사공", "선우", "독고"];

/// Nearly all given names are of these syllables, and few words are.
const OF_KOREAN_NAMES: &str = "가강건겸경고관광교구국권규균근금기길나남다단담대덕도동두라란람래려련령로루리린림마만명모무문미민\
    바배백범별병보복봉빈빛산상새서석선설섭성세소솔송수숙순슬승시식신아안애양언여연열영예오옥온완용우욱운웅원월유\
    윤율은을음의이인일임자잔장재전정제조종주준중지진찬창채천철청초춘충치태택표하학한항해향헌혁현형혜호홍화환회효\
    후훈휘흠희힘늘슬람들샘결봄름롱롬보엽익술득갑걸곤군난님랑렬례록부비억업엘요응직탁평필행협흥낙삼칠샘륜생손판돈출";

/// Whether a text is a Chinese name: a surname and a name of one or two characters. 高清大图 is a word.
pub(super) fn is_chinese_name(text: &str) -> bool {
    const OF_TWO: [&str; 12] = [
        "欧阳", "歐陽", "司马", "司馬", "上官", "诸葛", "諸葛", "夏侯", "皇甫", "慕容", "令狐",
        "司徒",
    ];
    let length = text.chars().count();
    let is_of_two = OF_TWO.iter().any(|surname| text.starts_with(surname));
    text.chars().all(is_han)
        && (begins(text) && (2..=3).contains(&length) || is_of_two && (3..=4).contains(&length))
}

/// Whether a text begins with a surname.
pub(super) fn begins(text: &str) -> bool {
    text.starts_with(|c| CHINESE.contains(c) || KOREAN.contains(c))
}

/// Whether a text is a Korean's name: a surname and a name of two syllables, as nearly all are. Of two
/// syllables, and of four, many words are.
pub(super) fn is_korean_name(text: &str) -> bool {
    let syllables = text.chars().count();
    let of_two = KOREAN_OF_TWO
        .iter()
        .find_map(|surname| text.strip_prefix(surname));
    let of_one = text.strip_prefix(|c| KOREAN.contains(c));
    let is_given = |given: &str| given.chars().all(|c| OF_KOREAN_NAMES.contains(c));
    text.chars().all(is_hangul)
        && (syllables == 3 && of_one.is_some_and(is_given)
            || (3..=4).contains(&syllables) && of_two.is_some_and(is_given))
        // 정치부, 기획팀: a department.
        && !text.ends_with(['부', '팀', '사'])
}

/// Whether a Korean's name may be a word of a site's menu as well: the order of a list (최신순, 주제별), texts (이전글), a picture
/// (이미지), what can be done (남기기, 지우기).
pub(super) fn is_korean_word(text: &str) -> bool {
    let mut last = text.chars().rev();
    match (last.next(), last.next()) {
        (Some('순' | '별' | '글'), _) | (Some('지'), Some('미')) => true,
        (Some('기'), Some(before)) => "기우치누이리하내가키히추".contains(before),
        _ => false,
    }
}

pub(super) fn is_hangul(c: char) -> bool {
    matches!(c, '\u{ac00}'..='\u{d7a3}')
}

/// Whether a word can be a name where a sign also parts two words: a surname begins it, or it is no mere word of
/// Chinese or Korean.
pub(super) fn may_be_name(word: &str) -> bool {
    let is_name =
        is_chinese_name(word) || is_korean_name(word) || word.contains(' ') && begins(word);
    is_name || !word.chars().all(|c| is_han(c) || is_hangul(c))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_told_from_names_by_their_first_character() {
        for name in ["김하늘", "남궁민수", "황보영"] {
            assert!(is_korean_name(name), "{name}");
        }
        for word in [
            "담당",
            "취재",
            "정치부",
            "기획팀",
            "스포츠",
            "하늘",
            "김하늘이다",
            "",
        ] {
            assert!(!is_korean_name(word), "{word}");
        }
        assert!(may_be_name("张三") && may_be_name("Tom Lee") && may_be_name("김하늘"));
        assert!(may_be_name("欧阳修文") && may_be_name("王 小明"));
        assert!(!may_be_name("视频") && !may_be_name("图片") && !may_be_name("高清大图"));
    }
}
