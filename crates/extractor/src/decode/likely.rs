//! In which encoding the bytes of a text are a text: of two readings of the same bytes the one is right whose letters
//! are those of a language.
//!
//! Encodings of single bytes fail at nothing, and those of East Asia at little of each other's text, so what the bytes
//! read as is the evidence. Each reading has a price in bits, of the language in which it is cheapest: few for a letter
//! that the language has, the more the rarer it is; many for a letter of no use there, for a capital after a small
//! letter, for a sign in the midst of a word (`b¹dŸ`), most for a control character and for U+FFFD. What a reading
//! costs more than another is how much less likely it is, in powers of two; so three letters are told from three
//! others in a sentence, and texts that read alike in both prove nothing.
//!
//! Cost: one pass over the beginning of the body for its text, [`HEAD_BYTES`] or [`TEXT_BYTES_MAX`] of it decoded as they are
//! declared, and in each other encoding where they are no text by that.

use std::sync::LazyLock;

use encoding_rs::{
    BIG5, EUC_JP, EUC_KR, Encoding, GB18030, GBK, IBM866, ISO_8859_2, ISO_8859_5, ISO_8859_6,
    ISO_8859_7, ISO_8859_13, ISO_8859_15, KOI8_R, KOI8_U, SHIFT_JIS, UTF_8, WINDOWS_874,
    WINDOWS_1250, WINDOWS_1251, WINDOWS_1252, WINDOWS_1253, WINDOWS_1254, WINDOWS_1255,
    WINDOWS_1256, WINDOWS_1257,
};
use rustc_hash::{FxHashMap, FxHashSet};

use super::decode_as;
use super::prices::{LANGUAGES, Language, of_sign};

/// What is read of a text.
const TEXT_BYTES_MAX: usize = 16 << 10;

/// What is read first of a text that is declared to be in an encoding of East Asia.
const HEAD_BYTES: usize = 1 << 10;

/// Bits for each character of a text in such an encoding, at most. Of 666 Chinese texts of 60 characters and more, 99 of
/// 100 took 11.5 at most, half of them 9.7; of those in GBK that were read as Big5 all but a few took more than 12, and of those
/// in Big5 read as GBK 19 of 20 took more than 13.8.
const OF_TEXT_MAX: f32 = 11.0;
/// The same of Japanese: its kana are cheap, and so are those that GBK makes when it is read so.
const OF_JAPANESE_MAX: f32 = 8.0;

/// Where it is looked for.
const BYTES_MAX: usize = 1 << 18;

/// Bits by which a reading must be the likelier one. Pages whose word is right are some two hundred times as many as
/// those whose word is wrong, there are some twenty other readings, and the prices are rough.
const SURE_BITS: f32 = 18.0;

/// The same where nothing is declared, so that nobody's word is doubted but a guess. Of 7,547 generated pages in 60 languages, half
/// of them of a few words, so many are garbled: 491 at 2 bits, 482 at 4, 505 at 6, 552 at 9, 625 at 18.
const DETECTED_BITS: f32 = 4.0;

/// What a reading must be besides, to be a text.
struct Least {
    /// Bits for each character by which it must be the likelier one: texts in languages that are not known here read
    /// badly in any encoding, and of these one is always the best.
    bits_each: f32,
    /// Different letters. One that is strewn over a text in English is rather what was garbled before.
    letters: usize,
    /// Bits for each character: numbers and pictures have more in all readings.
    price_max: f32,
}

impl Least {
    fn of(encoding: &'static Encoding) -> Least {
        let (bits_each, letters, price_max) = match encoding {
            _ if encoding.is_single_byte() => (2.0, 2, 9.0),
            _ if encoding == UTF_8 => (1.0, 1, 12.0),
            _ => (1.0, 10, 12.0),
        };
        Least {
            bits_each,
            letters,
            price_max,
        }
    }
}

/// What texts are in. Where two are the same for a text the first is meant.
static READINGS: [&Encoding; 24] = [
    UTF_8,
    WINDOWS_1252,
    WINDOWS_1250,
    WINDOWS_1251,
    GBK,
    BIG5,
    SHIFT_JIS,
    EUC_JP,
    EUC_KR,
    WINDOWS_1254,
    ISO_8859_2,
    KOI8_R,
    KOI8_U,
    WINDOWS_1253,
    WINDOWS_1255,
    WINDOWS_1256,
    WINDOWS_1257,
    WINDOWS_874,
    ISO_8859_5,
    ISO_8859_7,
    ISO_8859_6,
    ISO_8859_13,
    ISO_8859_15,
    IBM866,
];

/// The encoding in which a text is surely written that is declared to be in another one.
pub(super) fn proved(
    declared: &'static Encoding,
    bytes: &[u8],
    is_valid_utf8: bool,
) -> Option<&'static Encoding> {
    likelier(declared, bytes, is_valid_utf8, SURE_BITS)
}

/// The encoding in which a text is written rather than in the one that a detector takes it for.
pub(super) fn corrected(detected: &'static Encoding, bytes: &[u8]) -> Option<&'static Encoding> {
    likelier(detected, bytes, false, DETECTED_BITS)
}

fn likelier(
    declared: &'static Encoding,
    bytes: &[u8],
    is_valid_utf8: bool,
    sure_bits: f32,
) -> Option<&'static Encoding> {
    let is_known = READINGS.contains(&declared) || declared == GB18030;
    if !is_known || bytes.is_ascii() {
        return None;
    }
    let text = text_of(bytes);
    if !declared.is_single_byte() {
        let head = Reading::of(declared, &text[..text.len().min(HEAD_BYTES)]);
        let is_japanese = declared == SHIFT_JIS || declared == EUC_JP;
        let price_max = if is_japanese {
            OF_JAPANESE_MAX
        } else {
            OF_TEXT_MAX
        };
        if head.odd_letters(declared) * 10.0 <= head.characters()
            && head.price() <= price_max * head.characters()
        {
            return None;
        }
    }
    let read = Reading::of(declared, &text);
    // A picture made of signs is a text in no language.
    let is_doubted = !read.letters.is_empty() && read.doubt() >= sure_bits;
    if declared.is_single_byte() && !is_doubted {
        return None;
    }
    let others = READINGS.iter().copied();
    let others = others.filter(|other| *other != declared && (*other != UTF_8 || is_valid_utf8));
    let readings = others.map(|other| (Reading::of(other, &text), other));
    let priced = readings.map(|(reading, other)| (reading.price(), reading, other));
    let (price, reading, best) = priced.min_by(|(one, ..), (other, ..)| one.total_cmp(other))?;
    let evidence = read.price() - price;
    let least = Least::of(best);
    let is_narrow = best == SHIFT_JIS && reading.odd_letters(best) * 3.0 > reading.characters();
    let is_text = reading.letters.len() >= least.letters
        && price <= least.price_max * reading.characters()
        && !is_narrow;
    let differing = match declared.is_single_byte() && best.is_single_byte() {
        true => differing(declared, best, &text),
        false => reading.beside(&read),
    };
    // Those of single bytes are hardly ever whole characters of East Asia throughout.
    let is_whole = !declared.is_single_byte() && best.is_single_byte() && read.malformed == 0;
    let sure = if is_whole { 1.5 * sure_bits } else { sure_bits };
    let is_sure = evidence >= sure && evidence >= least.bits_each * differing;
    (is_text && is_sure).then_some(best)
}

/// A text in one encoding, weighed.
#[derive(Debug, Default)]
struct Reading {
    /// Letters beyond ASCII, small, and how often each stands there.
    letters: FxHashMap<char, u32>,
    /// The price of all that is none, and of capitals and neighbours.
    beside_letters: f32,
    signs: u32,
    /// What is no character.
    malformed: usize,
}

impl Reading {
    fn of(encoding: &'static Encoding, bytes: &[u8]) -> Reading {
        let (text, malformed) = decode_as(encoding, bytes);
        let mut reading = Reading {
            malformed,
            ..Reading::default()
        };
        let mut before = ' ';
        let mut characters = text.chars().peekable();
        while let Some(c) = characters.next() {
            let after = characters.peek().copied().unwrap_or(' ');
            reading.take(before, c, after);
            before = c;
        }
        reading
    }

    fn take(&mut self, before: char, c: char, after: char) {
        if c.is_ascii() {
            return;
        }
        if !is_letter(c) {
            self.signs += 1;
            self.beside_letters += of_sign(before, c, after);
            return;
        }
        // Who laughs or draws out a word says nothing new with each letter.
        if c == before {
            return;
        }
        let small = small(c);
        if small != c {
            self.beside_letters += match before {
                _ if before.is_lowercase() => 12.0,
                _ if before.is_uppercase() => 1.0,
                _ => 2.0,
            };
        }
        let is_of_alphabet = |c: char| ('\u{250}'..'\u{1E00}').contains(&c);
        let is_beside = |is: fn(&char) -> bool| [before, after].iter().any(is);
        let is_odd = is_of_alphabet(c) && is_beside(char::is_ascii_alphabetic);
        if is_odd || c < '\u{1E00}' && is_beside(char::is_ascii_digit) {
            self.beside_letters += 8.0;
        }
        // A letter alone between blanks or points is one of an alphabet or a table, and those are in no language: it is a sign. Han and
        // Hangul have no blanks between them, or are words.
        let is_joined = |beside: &char| !beside.is_ascii() || beside.is_alphabetic();
        match c >= '\u{3400}' || [before, after].iter().any(is_joined) {
            true => *self.letters.entry(small).or_default() += 1,
            false => {
                self.signs += 1;
                self.beside_letters += of_sign(' ', c, ' ');
            }
        }
    }

    /// In the language in which it is cheapest.
    fn price(&self) -> f32 {
        let prices = LANGUAGES.iter().map(|language| self.price_in(language));
        self.beside_letters + prices.min_by(f32::total_cmp).unwrap_or(0.0)
    }

    fn price_in(&self, language: &Language) -> f32 {
        let prices = self.letters.iter();
        prices
            .map(|(&letter, &times)| language.price(letter) * times as f32)
            .sum()
    }

    /// What another reading could save at the most.
    fn doubt(&self) -> f32 {
        const LEAST: f32 = 1.5;
        self.price() - LEAST * self.characters()
    }

    fn count(&self, range: std::ops::RangeInclusive<char>) -> f32 {
        let letters = self.letters.iter();
        let within = letters.filter(|(letter, _)| range.contains(*letter));
        within.map(|(_, times)| times).sum::<u32>() as f32
    }

    /// Letters of which a text in an encoding of East Asia may have some, and another that is read in it has many: every
    /// second character of a Chinese text in Shift_JIS is a narrow one, kana of EUC-JP stand in GBK, too, and are letters alone
    /// in EUC-KR.
    fn odd_letters(&self, encoding: &'static Encoding) -> f32 {
        self.count(match () {
            () if encoding == SHIFT_JIS || encoding == EUC_JP => '\u{FF61}'..='\u{FF9F}',
            () if encoding == EUC_KR => '\u{3131}'..='\u{318E}',
            () => '\u{3041}'..='\u{30FF}',
        })
    }

    /// Letters that another reading does not have.
    fn beside(&self, other: &Reading) -> f32 {
        let letters = self.letters.iter();
        let times = letters.map(|(letter, times)| {
            times.saturating_sub(other.letters.get(letter).copied().unwrap_or(0))
        });
        times.sum::<u32>() as f32
    }

    fn characters(&self) -> f32 {
        (self.letters.values().sum::<u32>() + self.signs) as f32
    }
}

/// The small letter. That of the Turkish "İ" is one of ASCII with a dot, and tells nothing.
fn small(c: char) -> char {
    let small = c.to_lowercase().next().unwrap_or(c);
    if small.is_ascii() { c } else { small }
}

/// Letters and the signs that belong to them in scripts of India and of the Arabs.
fn is_letter(c: char) -> bool {
    let is_mark =
        matches!(c, '\u{610}'..='\u{61A}' | '\u{64B}'..='\u{65F}' | '\u{E31}'..='\u{E4E}');
    (c.is_alphabetic() || is_mark) && !matches!(c, 'ª' | 'º' | '\u{E3F}')
}

/// How many bytes beyond ASCII two encodings of single bytes read differently.
fn differing(one: &'static Encoding, other: &'static Encoding, text: &[u8]) -> f32 {
    let read = |encoding: &'static Encoding, byte| decode_as(encoding, &[byte]).0;
    let differs: Vec<bool> = (0..=u8::MAX)
        .map(|byte| !byte.is_ascii() && read(one, byte) != read(other, byte))
        .collect();
    let bytes = text.iter().filter(|byte| differs[usize::from(**byte)]);
    bytes.count() as f32
}

/// The text of a page as it stands there, without its markup and its scripts, and without runs in plain
/// ASCII or that stood there before, which are no further evidence.
fn text_of(bytes: &[u8]) -> Vec<u8> {
    let mut text = Vec::new();
    let mut seen = FxHashSet::default();
    let mut rest = &bytes[..bytes.len().min(BYTES_MAX)];
    while !rest.is_empty() && text.len() < TEXT_BYTES_MAX {
        let end = memchr::memchr(b'<', rest).unwrap_or(rest.len());
        let run = &rest[..end.min(TEXT_BYTES_MAX - text.len())];
        if !run.is_ascii() && seen.insert(run) {
            text.extend_from_slice(run);
            text.push(b'\n');
        }
        rest = &rest[end..];
        rest = &rest[markup(rest)..];
    }
    text
}

/// The length of a tag at the beginning, with the script in it, or of a comment.
fn markup(rest: &[u8]) -> usize {
    static RAW: LazyLock<[(&[u8], memchr::memmem::Finder<'static>); 2]> = LazyLock::new(|| {
        let finder = memchr::memmem::Finder::new;
        [
            (b"<script", finder("</script")),
            (b"<style", finder("</style")),
        ]
    });
    let starts = |name: &[u8]| {
        rest.get(..name.len())
            .is_some_and(|start| start.eq_ignore_ascii_case(name))
    };
    if let Some((_, end)) = RAW.iter().find(|(name, _)| starts(name)) {
        return end.find(rest).map_or(rest.len(), |at| at + 1);
    }
    match starts(b"<!--") {
        true => memchr::memmem::find(rest, b"-->").map_or(rest.len(), |at| at + 3),
        false => memchr::memchr(b'>', rest).map_or(rest.len(), |at| at + 1),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const CHINESE: &str = "网页去重是爬虫的基本功能之一，相同的文章在许多网站上都有，而读者只想看到其中的一篇。我们要做的是\
        把这些文章找出来，留下最早的那一篇，其他的就不再保存，这样搜索的时候不会出现重复的结果。";
    const TRADITIONAL: &str = "網頁去重是爬蟲的基本功能之一，相同的文章在許多網站上都有，而讀者只想看到其中的一篇。我們要做的是\
        把這些文章找出來，留下最早的那一篇，其他的就不再保存，這樣搜尋的時候不會出現重複的結果。";
    const KOREAN: &str = "중복된 문서를 찾는 것은 수집기의 기본 기능이다. 같은 글이 여러 사이트에 있지만 독자는 그 중에서 하나만 보고 \
        싶어 한다. 우리는 이러한 글을 찾아서 가장 먼저 나온 글을 남기고 다른 글은 저장하지 않는다.";
    const JAPANESE: &str = "重複した文書を見つけることは収集プログラムの基本的な機能である。同じ文章が多くのサイトにあるが、読者は\
        その中の一つだけを読みたいと思っている。";
    const RUSSIAN: &str =
        "Поиск одинаковых страниц нужен любому роботу: один и тот же текст стоит на многих сайтах.";
    const UKRAINIAN: &str =
        "Її сім’я живе в Києві, а їхні діти вчаться в місцевій школі; є й інші.";
    const POLISH: &str =
        "Źródło: książka, którą wręczył mąż siostry, leży w środku, a więc ktoś ją znaleźć musiał.";
    const CZECH: &str =
        "Žluťoučký kůň úpěl ďábelské ódy, a šest šťastných dětí ještě běželo přes náměstí.";
    const HUNGARIAN: &str =
        "Az őszi erdő sűrű köde fölött a nő hűvös szellőt érzett, és tűnődött az időn.";
    const TURKISH: &str =
        "Çocuğun ayağı ağrıyınca işçi sınıfı için şöyle güzel bir şarkı söylenmiş.";
    const LATVIAN: &str =
        "Šķērsielā mācās gudrākie bērni, kuru vārdus zina ikviens ģimenē un ciemā.";
    const FRENCH: &str = "L’élève a déjà été à la fête où l’on chantait ; ça l’a étonné, bien sûr.";
    const GREEK: &str = "Ήταν μια φορά κι έναν καιρό· Άνθρωποι και ζώα ζούσαν μαζί.";
    const ARABIC: &str = "يولد جميع الناس أحرارا متساوين في الكرامة والحقوق، وقد وهبوا عقلا.";

    /// Texts, what they can be written in, and what such pages are called.
    const FAMILIES: [(&[&str], &[&Encoding], &[&Encoding]); 8] = [
        (
            &[POLISH, CZECH, HUNGARIAN],
            &[WINDOWS_1250, ISO_8859_2],
            &[WINDOWS_1250, ISO_8859_2, WINDOWS_1252],
        ),
        (&[TURKISH], &[WINDOWS_1254], &[WINDOWS_1252, ISO_8859_2]),
        (
            &[LATVIAN],
            &[WINDOWS_1257, ISO_8859_13],
            &[WINDOWS_1252, ISO_8859_2, WINDOWS_1257],
        ),
        (
            &[FRENCH],
            &[WINDOWS_1252],
            &[WINDOWS_1250, WINDOWS_1251, ISO_8859_2, WINDOWS_1252],
        ),
        (
            &[RUSSIAN],
            &[WINDOWS_1251, KOI8_R, ISO_8859_5, IBM866],
            &[WINDOWS_1251, KOI8_R, KOI8_U, ISO_8859_5, WINDOWS_1252],
        ),
        (
            &[UKRAINIAN],
            &[WINDOWS_1251],
            &[WINDOWS_1251, KOI8_R, KOI8_U, WINDOWS_1252],
        ),
        (
            &[ARABIC, GREEK],
            &[WINDOWS_1256, ISO_8859_6, WINDOWS_1253, ISO_8859_7],
            &[WINDOWS_1252],
        ),
        (
            &[CHINESE, TRADITIONAL, KOREAN, JAPANESE],
            &[GBK, BIG5, EUC_KR, EUC_JP, SHIFT_JIS],
            &[GBK, BIG5, EUC_KR, EUC_JP, SHIFT_JIS, WINDOWS_1252],
        ),
    ];

    #[test]
    fn a_text_is_read_in_the_encoding_in_which_it_has_the_letters_of_a_language() {
        let mut told = 0;
        for (texts, written_in, called) in FAMILIES {
            for (text, written) in texts
                .iter()
                .flat_map(|text| written_in.iter().map(move |e| (text, e)))
            {
                let (bytes, _, has_none) = written.encode(text);
                // Nobody writes a text in what has no letters for it.
                if has_none {
                    continue;
                }
                for declared in called {
                    let read = decode_as(declared, &bytes).0;
                    let proved = proved(declared, &bytes, false);
                    let reading = proved.map_or(read.clone(), |proved| decode_as(proved, &bytes).0);
                    assert_eq!(
                        reading, *text,
                        "{written:?} called {declared:?}: {proved:?}"
                    );
                    told += usize::from(read != *text);
                }
            }
        }
        assert!(told > 60, "{told}");
    }

    #[test]
    fn siblings_are_told_apart_by_the_letters_in_which_they_differ() {
        // "і" and "ї" are lines of tables in KOI8-R.
        let bytes = KOI8_U.encode("Її діти вчаться в місцевій школі").0;
        assert_eq!(proved(KOI8_R, &bytes, false), Some(KOI8_U));
        // Letters of use in both are none.
        let bytes = WINDOWS_1252
            .encode("Größe, schöne Straße, für, über, möglich")
            .0;
        assert_eq!(proved(WINDOWS_1250, &bytes, false), None);
        // A few characters in UTF-8 are hardly ever a text in another encoding.
        let bytes = "Un café à Besançon".as_bytes();
        for declared in [WINDOWS_1252, ISO_8859_2, WINDOWS_1251, GBK, BIG5] {
            assert_eq!(proved(declared, bytes, true), Some(UTF_8), "{declared:?}");
        }
    }

    #[test]
    fn what_reads_badly_in_any_encoding_stays_as_it_is_called() {
        let names = "鄭瓊馨 龔毓麒 闕麗卿 酈薇薰 嚴曉嵐 ".repeat(9);
        let capitals = RUSSIAN.to_uppercase();
        for (encoding, text) in [
            (BIG5, &*names),
            (GBK, "│ 参数 │ 默认值 │ ★★★☆☆ │ ①②③ │"),
            (SHIFT_JIS, "ｱｲｳｴｵ ｶｷｸｹｺ ｻｼｽｾｿ ﾀﾁﾂﾃﾄ"),
            (WINDOWS_1251, &capitals),
            (KOI8_R, &capitals),
            (KOI8_R, "═══╦═══ ║ ░▒▓█ ║ ═══╩═══"),
            // It was garbled when it was written.
            (
                WINDOWS_1252,
                "Iâ€™m here, youâ€™re there, itâ€™s late. Â• one Â• two Â• three Â• four",
            ),
            (
                WINDOWS_1252,
                "£4 offer, £5 more » next » last, © 2004 ½ price, 20 °C, m², Nº 7, §12",
            ),
            (ISO_8859_2, "ĉiuj homoj estas denaske liberaj, ŝi kaj li"),
            (WINDOWS_1252, ""),
        ] {
            let bytes = encoding.encode(text).0;
            assert_eq!(proved(encoding, &bytes, false), None, "{encoding:?} {text}");
        }
        let short = GBK.encode("这是一个的").0;
        assert_eq!(proved(BIG5, &short, false), None);
    }

    #[test]
    fn chats_and_lists_of_letters_stay_as_they_are_called() {
        for (encoding, text) in [
            (
                EUC_KR,
                "민수: ㅋㅋㅋㅋ 대박\n수진: ㅠㅠ 어떡해\n영호: ㅇㅇ ㄱㄱ\nㅊㅋㅊㅋ!!\nㄳㄳ\n헐 ㅋㅋㅋ 미쳤다 ㅎㅎ",
            ),
            (
                EUC_KR,
                "ㄱ ㄴ ㄷ ㄹ ㅁ ㅂ ㅅ ㅇ ㅈ ㅊ ㅋ ㅌ ㅍ ㅎ\nㅏ ㅑ ㅓ ㅕ ㅗ ㅛ ㅜ ㅠ ㅡ ㅣ\nㄱ: 가, 거, 고, 구",
            ),
            (EUC_KR, "뷁 뛣 쓩\n햏햏 아햏햏\n똠방각하 펲시콜라 쀍"),
            (
                BIG5,
                "ㄅㄆㄇㄈ ㄉㄊㄋㄌ\nㄓㄨㄥ ㄍㄨㄛˊ 中國\nㄒㄩㄝˊ ㄒㄧˊ 學習",
            ),
            (
                BIG5,
                "推 abc: ㄏㄏㄏㄏ\nㄎㄎ 真的假的\nㄉ是ㄅ對ㄉ\n我ㄉ天ㄚ",
            ),
            (
                WINDOWS_1252,
                "Teléfono: 91 123 ª º\n¿Qué?\nTeléfono: 91 124 ª º\n¿Qué?",
            ),
            (WINDOWS_1254, "İstanbul\nÜrünler"),
            (WINDOWS_1256, "ـــــ\nهههههه\nماشي\nههه"),
            (ISO_8859_6, "ـــــ\nهههههه\nماشي\nههه"),
            (SHIFT_JIS, "鬱 薔薇 檸檬"),
            (IBM866, "║ 1 ║ Файл\n╔═══╗ Меню\n║ 1 ║ Файл"),
        ] {
            let bytes = encoding.encode(text).0;
            assert_eq!(proved(encoding, &bytes, false), None, "{encoding:?} {text}");
        }
        // "佢哋喺度食嘢", of Hong Kong.
        let cantonese = b"\xCA\x5C\x92\x5D\x9D\xF6\xAB\xD7\xAD\xB9\x9D\xCF";
        assert_eq!(proved(BIG5, cantonese, false), None);
        // Kana are called letters of Korea.
        let (kana, _, _) = EUC_JP.encode(JAPANESE);
        assert_eq!(proved(EUC_KR, &kana, false), Some(EUC_JP));
    }

    #[test]
    fn a_guess_is_corrected_by_less_than_a_word() {
        let bytes = WINDOWS_1257.encode("Pradžia ir žemėlapis").0;
        assert_eq!(proved(WINDOWS_1252, &bytes, false), None);
        assert_eq!(corrected(WINDOWS_1252, &bytes), Some(WINDOWS_1257));
    }

    #[test]
    fn what_is_said_again_proves_nothing_more() {
        let bytes = WINDOWS_1250.encode("Žerďová řeka, Ústí").0;
        let lines = |times| [&bytes[..], b"<br>"].concat().repeat(times);
        let read = |times| text_of(&lines(times));
        assert_eq!(read(1), read(9));
        let laugh = |text| Reading::of(EUC_KR, &EUC_KR.encode(text).0).price();
        assert_eq!(laugh("ㅋ"), laugh("ㅋㅋㅋㅋㅋㅋㅋㅋ"));
    }

    #[test]
    fn markup_and_scripts_are_no_text() {
        let page = b"<!-- \xb1 --><title>a\xb1</title>plain<script>\xb2<b>\xb3</script ><STYLE>\xb4</style>\
            <p title='\xb5'>b\xb6 &amp; c<p>plain<script>\xb7";
        assert_eq!(text_of(page), b"a\xb1\nb\xb6 &amp; c\n");
        assert_eq!(text_of(b"<"), b"");
        assert!(text_of(&[0xE1; 3 << 18]).len() <= TEXT_BYTES_MAX + 1);
    }

    proptest! {
        #[test]
        fn any_bytes_are_weighed(
            bytes in proptest::collection::vec(any::<u8>(), 0..300),
            declared in 0..READINGS.len(),
        ) {
            proved(READINGS[declared], &bytes, std::str::from_utf8(&bytes).is_ok());
        }
    }
}
