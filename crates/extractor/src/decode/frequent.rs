//! Which of several legacy encodings a text is in, by the share of its most frequent characters.
//!
//! The bytes of GBK are hardly ever malformed as Big5 or EUC-KR, and those of KOI8-R never as windows-1251, so
//! only what they read as tells. A hundred characters are half of any Chinese text, and ten letters are six
//! tenths of a Russian one. Read in another encoding its letters are others: of a Chinese text up to one in eight is then
//! frequent, of a Russian one up to two fifths are, since some letters stand for each other. Japanese in EUC-JP is not
//! told from GBK, in which hiragana stand at the same places.

use encoding_rs::{
    BIG5, EUC_JP, EUC_KR, Encoding, GB18030, GBK, ISO_8859_5, KOI8_R, KOI8_U, SHIFT_JIS,
    WINDOWS_1251,
};

use super::decode_as;

/// Encodings whose texts are taken for each other.
struct Family {
    declared: &'static [&'static Encoding],
    /// What a text may be instead.
    others: &'static [&'static Encoding],
    frequent: fn(char) -> bool,
    /// Letters below which a text proves nothing.
    letters_min: usize,
    /// The most of its letters that are frequent in a text that is read wrongly, in hundredths, and the
    /// least in one that is read rightly.
    wrong_max: usize,
    right_min: usize,
}

const FAMILIES: [Family; 2] = [
    Family {
        declared: &[BIG5, EUC_JP, EUC_KR, GB18030, GBK, SHIFT_JIS],
        others: &[GBK, BIG5, EUC_KR, EUC_JP, SHIFT_JIS],
        frequent: is_frequent_in_east_asia,
        letters_min: 50,
        wrong_max: 15,
        right_min: 30,
    },
    Family {
        declared: &[WINDOWS_1251, KOI8_R, KOI8_U, ISO_8859_5],
        others: &[WINDOWS_1251, KOI8_R],
        frequent: is_frequent_in_cyrillic,
        letters_min: 100,
        wrong_max: 45,
        right_min: 55,
    },
];

/// The encoding in which a text is surely written that is declared in another one and was read in that, with so
/// many malformed sequences.
pub(super) fn proved(
    declared: &str,
    text: &str,
    malformed: usize,
    bytes: &[u8],
) -> Option<&'static Encoding> {
    let is_declared = |encoding: &&'static Encoding| encoding.name() == declared;
    let mut families = FAMILIES.iter();
    let family = families.find(|family| family.declared.iter().any(is_declared))?;
    let (letters, share) = frequent_share(text, family.frequent);
    if letters < family.letters_min || share > family.wrong_max {
        return None;
    }
    let others = family.others.iter().filter(|other| !is_declared(other));
    let bytes = beginning(bytes);
    let readings = others.filter_map(|other| {
        let (text, replaced) = decode_as(other, bytes);
        let (_, share) = frequent_share(&text, family.frequent);
        (share >= family.right_min && replaced <= malformed).then_some((share, *other))
    });
    let best = readings.max_by_key(|(share, _)| *share);
    best.map(|(_, encoding)| encoding)
}

/// What is read of a text in other encodings: whole lines, in which there is no half of a character.
fn beginning(bytes: &[u8]) -> &[u8] {
    const BYTES_MAX: usize = 64 << 10;
    match bytes.get(..BYTES_MAX) {
        None => bytes,
        Some(head) => {
            let end = head.iter().rposition(|&byte| byte == b'\n');
            &head[..end.unwrap_or(head.len())]
        }
    }
}

/// The letters beyond ASCII of a text, and how many of a hundred of them are frequent.
fn frequent_share(text: &str, is_frequent: fn(char) -> bool) -> (usize, usize) {
    const LETTERS_MAX: usize = 4_096;
    let letters = text.chars().filter(|c| !c.is_ascii() && c.is_alphabetic());
    let (mut all, mut frequent) = (0, 0);
    for letter in letters.take(LETTERS_MAX) {
        all += 1;
        frequent += usize::from(is_frequent(letter));
    }
    (all, frequent * 100 / all.max(1))
}

fn is_frequent_in_cyrillic(letter: char) -> bool {
    letter
        .to_lowercase()
        .all(|letter| "оеаинтсрвл".contains(letter))
}

/// The hundred most frequent characters of Chinese, in both scripts, the most frequent letters of Korean, and hiragana.
fn is_frequent_in_east_asia(letter: char) -> bool {
    const CHINESE: &str = "的一是不了在人有我他这个们中来上大为和国地到以说时要就出会可也你对生能而子那得于着下自\
        之年过发后作里用道行所然家种事成方多经么去法学如都同现当没动面起看定天分还进好小部其些主样理心她本前开但因\
        只从想实這個們來為國說時會對過發後裡經麼學現當沒動還進樣開從實與於著種";
    const KOREAN: &str =
        "이다의에는을가고하지로서한기도시사자과인일대어나정리해부그수보전스아들라구은를니있";
    matches!(letter, 'ぁ'..='ん') || CHINESE.contains(letter) || KOREAN.contains(letter)
}

#[cfg(test)]
mod tests {
    use super::*;

    const CHINESE: &str = "网页去重是爬虫的基本功能之一，相同的文章在许多网站上都有，而读者只想看到其中的一篇。我们要做的是\
        把这些文章找出来，留下最早的那一篇，其他的就不再保存，这样搜索的时候不会出现重复的结果。";
    const TRADITIONAL: &str = "網頁去重是爬蟲的基本功能之一，相同的文章在許多網站上都有，而讀者只想看到其中的一篇。我們要做的是\
        把這些文章找出來，留下最早的那一篇，其他的就不再保存，這樣搜尋的時候不會出現重複的結果。";
    const KOREAN: &str = "중복된 문서를 찾는 것은 수집기의 기본 기능이다. 같은 글이 여러 사이트에 있지만 독자는 그 중에서 하나만 보고 \
        싶어 한다. 우리는 이러한 글을 찾아서 가장 먼저 나온 글을 남기고 다른 글은 저장하지 않는다.";
    const JAPANESE: &str = "重複した文書を見つけることは収集プログラムの基本的な機能である。同じ文章が多くのサイトにあるが、読者は\
        その中の一つだけを読みたいと思っている。";
    const RUSSIAN: &str = "Поиск одинаковых страниц нужен любому роботу: один и тот же текст стоит на многих сайтах, а читатель \
        хочет увидеть его только один раз. Мы оставляем самую раннюю копию, а остальные не храним.";

    #[test]
    fn a_text_is_read_as_what_its_frequent_characters_prove() {
        let texts = [
            (GBK, CHINESE),
            (BIG5, TRADITIONAL),
            (EUC_KR, KOREAN),
            (EUC_JP, JAPANESE),
            (SHIFT_JIS, JAPANESE),
            (WINDOWS_1251, RUSSIAN),
            (KOI8_R, RUSSIAN),
        ];
        for (written, text) in texts {
            let text = &text.repeat(2);
            let bytes = written.encode(text).0;
            let family = FAMILIES
                .iter()
                .find(|family| family.others.contains(&written));
            for declared in family.unwrap().others {
                let (read, malformed) = decode_as(declared, &bytes);
                let proved = proved(declared.name(), &read, malformed, &bytes);
                // What fails at much of its text is told apart by that, and hiragana are the same in both.
                let is_told =
                    malformed * 10 > text.chars().count() || (written, *declared) == (EUC_JP, GBK);
                let expected = (*declared != written).then_some(written);
                assert!(
                    proved == expected || (is_told && proved.is_none()),
                    "{written:?} read as {declared:?}: {proved:?}"
                );
            }
        }
    }

    #[test]
    fn a_short_text_or_a_list_of_names_proves_nothing() {
        let names = "鄭瓊馨 龔毓麒 闕麗卿 酈薇薰 嚴曉嵐 ".repeat(9);
        let bytes = BIG5.encode(&names).0;
        assert_eq!(proved("Big5", &names, 0, &bytes), None);
        let short = GBK.encode("这是一个的").0;
        let (read, malformed) = decode_as(BIG5, &short);
        assert_eq!(proved("Big5", &read, malformed, &short), None);
        let capitals = RUSSIAN.to_uppercase();
        let bytes = WINDOWS_1251.encode(&capitals).0;
        assert_eq!(proved("windows-1251", &capitals, 0, &bytes), None);
    }
}
