//! Language identification.
//!
//! A trigram model takes a Chinese page with English code in it for Italian. So the script is
//! identified first, by counting letters. The trigram model is asked only for scripts that many
//! languages use (Latin, Cyrillic, Arabic, Devanagari, Hebrew), and only its reliable answers count by
//! themselves. The declared language of a page is often its template's default, so it only decides
//! between languages that the text could be in.

use std::fmt;
use std::str::FromStr;

use whatlang::{Info, Lang};

/// The characters of the text that are examined. More take time and change no answer.
const SAMPLE_CHARS: usize = 6_000;

/// The weight of a Han character in Latin letters: a Chinese word has about two characters, an English
/// word five letters, and Latin text on a Chinese page is mostly names and code.
const HAN_WEIGHT: usize = 4;

/// The confidence from which the model's answer counts whatever the page declares (whatlang's own
/// bound).
const CONFIDENCE_RELIABLE: f64 = 0.9;

/// The confidence from which an answer is better than none, if the text has a sentence of letters.
const CONFIDENCE_GUESS: f64 = 0.1;
const GUESS_LETTERS_MIN: usize = 40;

/// The share of letters that stand in words rather than in names from which a text is prose. Of
/// 24,206 texts and pages 52 become unknown by it, 49 of them guessed wrong before; at 0.35 these are
/// 45 and 44, at 0.65 66 and 60. To leave the names out of every text is worse: of 285 answers that
/// changed 75 had been right and 21 became so.
const PROSE_SHARE: f32 = 0.5;

/// A language by its primary subtag: `zh`, `en`, `ja`, `gsw`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Language([u8; 3]);

impl Language {
    /// The tag in lower case; the two-letter code of ISO 639-1 where there is one.
    pub fn as_str(&self) -> &str {
        let length = if self.0[2] == 0 { 2 } else { 3 };
        std::str::from_utf8(&self.0[..length]).expect("a language tag is ASCII")
    }

    /// The language of a BCP 47 tag such as `en-US` or `zh_Hant`; `None` when it is not one.
    pub fn parse(tag: &str) -> Option<Language> {
        let primary = tag.trim().split(['-', '_', ',', ';']).next()?.trim();
        let letters = primary.as_bytes();
        if !(2..=3).contains(&letters.len()) || !letters.iter().all(u8::is_ascii_alphabetic) {
            return None;
        }
        let mut lower = [0; 3];
        for (to, from) in lower.iter_mut().zip(letters) {
            *to = from.to_ascii_lowercase();
        }
        Some(Language(lower).short())
    }

    /// Whether this is an assigned code. Any code of three letters counts, since ISO 639-3 has some
    /// 7,900 of them.
    pub fn is_known(&self) -> bool {
        self.0[2] != 0 || CODES.split(' ').any(|code| code == self.as_str())
    }

    /// The two-letter code of a three-letter one, where there is one.
    fn short(self) -> Language {
        match LONG_CODES
            .iter()
            .find(|(long, _)| long.as_bytes() == self.0)
        {
            Some((_, short)) => Language([short.as_bytes()[0], short.as_bytes()[1], 0]),
            None => self,
        }
    }
}

/// A tag that does not begin with a language.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NotALanguage;

impl fmt::Display for NotALanguage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("not a language tag such as \"en\" or \"zh-Hant\"")
    }
}

impl std::error::Error for NotALanguage {}

impl FromStr for Language {
    type Err = NotALanguage;

    fn from_str(tag: &str) -> Result<Language, NotALanguage> {
        Language::parse(tag).ok_or(NotALanguage)
    }
}

impl fmt::Display for Language {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl fmt::Debug for Language {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Language({})", self.as_str())
    }
}

/// The language of `text`.
///
/// `declared` is the language that the page declares (`html lang` or a header). It decides where the text
/// leaves several languages possible, and for a text with much code, whose Latin letters are in no
/// language. `None` when there are too few letters and no fitting language is declared.
///
/// ```
/// use segment::{Language, language};
/// let found = language("这一页说的是网页去重, see simhash", None);
/// assert_eq!(found, Language::parse("zh-Hans"));
/// assert_eq!(language("OK", Some("fr-CA")), Language::parse("fr"));
/// assert_eq!(language("OK", None), None);
/// ```
pub fn language(text: &str, declared: Option<&str>) -> Option<Language> {
    let declared = declared.and_then(Language::parse);
    let letters = Letters::count(text);
    match letters.main_with(declared)? {
        WritingSystem::Chinese if is_written_in_japan(text, letters.han) => {
            Some(choose(&["ja"], declared))
        }
        WritingSystem::Chinese => Some(choose(&["zh", "yue", "wuu"], declared)),
        WritingSystem::Japanese => Some(choose(&["ja"], declared)),
        WritingSystem::Korean => Some(choose(&["ko"], declared)),
        WritingSystem::Thai => Some(choose(&[of_southeast_asia(text)], None)),
        WritingSystem::Alphabet => guess(text, declared),
    }
}

/// The declared language if the script allows it, else the script's usual one.
fn choose(allowed: &[&str], declared: Option<Language>) -> Language {
    declared
        .filter(|declared| allowed.contains(&declared.as_str()))
        .or_else(|| Language::parse(allowed[0]))
        .expect("the table holds language tags")
}

/// Whether text in Han characters alone is Japanese: headings, tables and notices there do without kana,
/// but have characters that neither simplified nor traditional Chinese writes. Two of them and one in
/// fifty of all tell; a Japanese name in a Chinese text brings fewer.
fn is_written_in_japan(text: &str, han: usize) -> bool {
    const CHARACTERS: &str = "価発総県気検図売読変対応択沢駅訳釈円広庁団囲圧営栄桜歳歴渋済焼獣畳竜経絵続縦聴脳蔵\
                              薬覚観転軽辺込鉄銭関険隠雑霊頼駆験髪鶏黒斎戦単帰拡拝挙撃択舗働";
    let sample = text.chars().take(SAMPLE_CHARS);
    let count = sample
        .filter(|&c| c > '\u{3000}' && CHARACTERS.contains(c))
        .count();
    count >= 2 && count * 50 >= han
}

/// The language of the script that has most of the letters: each of these scripts belongs to one.
fn of_southeast_asia(text: &str) -> &'static str {
    let mut counts = [("th", 0), ("lo", 0), ("km", 0), ("my", 0)];
    for character in text.chars().take(SAMPLE_CHARS) {
        let script = match character as u32 {
            0x0E00..=0x0E7F => 0,
            0x0E80..=0x0EFF => 1,
            0x1780..=0x17FF => 2,
            0x1000..=0x109F | 0xA9E0..=0xA9FF | 0xAA60..=0xAA7F => 3,
            _ => continue,
        };
        counts[script].1 += 1;
    }
    let most = counts.iter().map(|&(_, count)| count).max();
    let found = counts.iter().find(|&&(_, count)| Some(count) == most);
    found.expect("the largest of four counts is one of them").0
}

fn guess(text: &str, declared: Option<Language>) -> Option<Language> {
    let sample: String = text
        .chars()
        .take(SAMPLE_CHARS)
        .filter(|&c| c.is_ascii() || writing_of(c).is_none_or(|w| w == WritingSystem::Alphabet))
        .map(of_usual_width)
        .collect();
    if reads_as_english(&sample) {
        return Some(Language(*b"en\0"));
    }
    let found = detect(&sample);
    let sure = |confidence: f64| {
        found
            .as_ref()
            .filter(|info| info.confidence() >= confidence)
            .map(tag)
    };
    let enough = sample
        .chars()
        .filter(|c| c.is_alphabetic())
        .take(GUESS_LETTERS_MIN)
        .count();
    sure(CONFIDENCE_RELIABLE)
        .or_else(|| declared.filter(|declared| fits(*declared, found.as_ref())))
        .or_else(|| sure(CONFIDENCE_GUESS).filter(|_| enough == GUESS_LETTERS_MIN))
}

/// A full-width Latin letter as the usual one: the model takes these for Korean.
fn of_usual_width(c: char) -> char {
    match c as u32 {
        wide @ (0xFF21..=0xFF3A | 0xFF41..=0xFF5A) => {
            char::from_u32(wide - 0xFEE0).expect("a letter of ASCII")
        }
        _ => c,
    }
}

/// The model's answer. Where most letters stand in names of files, addresses and versions, it counts
/// only if the words beside them say the same: a list of downloads is in no language, but its
/// trigrams are some language's.
fn detect(sample: &str) -> Option<Info> {
    let letters = |text: &str| text.chars().filter(|c| c.is_alphabetic()).count();
    let found = whatlang::detect(sample)?;
    let prose = prose(sample);
    if letters(&prose) as f32 >= PROSE_SHARE * letters(sample) as f32 {
        return Some(found);
    }
    whatlang::detect(&prose)
        .filter(|of_words| of_words.lang() == found.lang())
        .map(|_| found)
}

/// The words of a sample without what has a digit in it, or a dot, slash or @ between letters.
fn prose(sample: &str) -> String {
    let mut prose = String::with_capacity(sample.len());
    for word in sample.split_whitespace() {
        let core = word.trim_matches(|c: char| !c.is_alphanumeric());
        if !core.contains(|c: char| c.is_numeric() || matches!(c, '.' | '/' | '@' | '\\')) {
            prose.push_str(word);
            prose.push(' ');
        }
    }
    prose
}

/// Whether at least six words, and one word in twelve, are frequent words of English only. This
/// identifies half of the pages of a crawl at a hundredth of the model's cost.
fn reads_as_english(sample: &str) -> bool {
    const WORDS: [&str; 14] = [
        "the", "and", "that", "with", "this", "from", "are", "which", "have", "you", "your",
        "they", "their", "been",
    ];
    let (mut all, mut known) = (0, 0);
    for word in sample.split(|c: char| !c.is_alphabetic()) {
        all += usize::from(!word.is_empty());
        let is_known = (3..=5).contains(&word.len())
            && WORDS.iter().any(|known| known.eq_ignore_ascii_case(word));
        known += usize::from(is_known);
    }
    known >= 6 && known * 12 >= all
}

/// Whether a declared language is written in the script that was found.
fn fits(declared: Language, found: Option<&Info>) -> bool {
    let cjk = ["zh", "ja", "ko", "th", "yue", "wuu", "lo", "km", "my"];
    let Some(found) = found else {
        return !cjk.contains(&declared.as_str());
    };
    let written = Lang::all()
        .iter()
        .find(|lang| Language::parse(lang.code()) == Some(declared));
    match written {
        Some(lang) => found.script().langs().contains(lang),
        None => !cjk.contains(&declared.as_str()),
    }
}

fn tag(info: &Info) -> Language {
    Language::parse(info.lang().code()).expect("whatlang's codes are language tags")
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum WritingSystem {
    Chinese,
    Japanese,
    Korean,
    Thai,
    Alphabet,
}

#[derive(Default)]
struct Letters {
    han: usize,
    kana: usize,
    hangul: usize,
    thai: usize,
    alphabet: usize,
}

impl Letters {
    fn count(text: &str) -> Letters {
        let mut letters = Letters::default();
        for character in text.chars().take(SAMPLE_CHARS) {
            match writing_of(character) {
                Some(WritingSystem::Chinese) => letters.han += 1,
                Some(WritingSystem::Japanese) => letters.kana += 1,
                Some(WritingSystem::Korean) => letters.hangul += 1,
                Some(WritingSystem::Thai) => letters.thai += 1,
                Some(WritingSystem::Alphabet) => letters.alphabet += 1,
                None => {}
            }
        }
        letters
    }

    /// The main script, or that of the declared language if it has a quarter of the main one's weight.
    fn main_with(&self, declared: Option<Language>) -> Option<WritingSystem> {
        const SHARE: usize = 4;
        let main = self.main()?;
        let declared = declared.as_ref().map(Language::as_str);
        let (weight, writing) = match declared {
            Some("zh" | "yue" | "wuu") => (self.han * HAN_WEIGHT, WritingSystem::Chinese),
            Some("ja") if self.kana > 0 => {
                ((self.han + self.kana) * HAN_WEIGHT, WritingSystem::Japanese)
            }
            Some("ko") => (self.hangul * 2, WritingSystem::Korean),
            _ => return Some(main),
        };
        let is_declared = main == WritingSystem::Alphabet && weight * SHARE >= self.alphabet;
        Some(if is_declared { writing } else { main })
    }

    fn main(&self) -> Option<WritingSystem> {
        let east = self.han + self.kana;
        let ranks = [
            // Japanese prose is half kana; a Chinese page with one Japanese name is not.
            (
                WritingSystem::Japanese,
                if self.kana * 8 >= east {
                    east * HAN_WEIGHT
                } else {
                    0
                },
            ),
            (WritingSystem::Chinese, east * HAN_WEIGHT),
            (WritingSystem::Korean, self.hangul * 2),
            (WritingSystem::Thai, self.thai),
            (WritingSystem::Alphabet, self.alphabet),
        ];
        let most = ranks
            .iter()
            .map(|&(_, weight)| weight)
            .max()
            .filter(|&most| most > 0)?;
        ranks
            .iter()
            .find(|&&(_, weight)| weight == most)
            .map(|&(writing, _)| writing)
    }
}

fn writing_of(character: char) -> Option<WritingSystem> {
    use crate::script::{Script, script_of};
    if !character.is_alphabetic() {
        return None;
    }
    // Katakana of half width are segmented like any alphabet.
    if matches!(character, '\u{FF66}'..='\u{FF9D}') {
        return Some(WritingSystem::Japanese);
    }
    Some(match script_of(character) {
        Script::Han => WritingSystem::Chinese,
        Script::Kana => WritingSystem::Japanese,
        Script::Hangul => WritingSystem::Korean,
        Script::Thai => WritingSystem::Thai,
        Script::Number | Script::Other => WritingSystem::Alphabet,
    })
}

/// The codes of ISO 639-1.
const CODES: &str = "aa ab ae af ak am an ar as av ay az ba be bg bi bm bn bo br bs ca ce ch co cr \
    cs cu cv cy da de dv dz ee el en eo es et eu fa ff fi fj fo fr fy ga gd gl gn gu gv ha he hi \
    ho hr ht hu hy hz ia id ie ig ii ik io is it iu ja jv ka kg ki kj kk kl km kn ko kr ks ku kv \
    kw ky la lb lg li ln lo lt lu lv mg mh mi mk ml mn mr ms mt my na nb nd ne ng nl nn no nr nv \
    ny oc oj om or os pa pi pl ps pt qu rm rn ro ru rw sa sc sd se sg si sk sl sm sn so sq sr ss \
    st su sv sw ta te tg th ti tk tl tn to tr ts tt tw ty ug uk ur uz ve vi vo wa wo xh yi yo za \
    zh zu";

/// ISO 639-3 codes that whatlang and some pages use, with their ISO 639-1 codes.
const LONG_CODES: [(&str, &str); 77] = [
    ("epo", "eo"),
    ("eng", "en"),
    ("rus", "ru"),
    ("cmn", "zh"),
    ("zho", "zh"),
    ("chi", "zh"),
    ("spa", "es"),
    ("por", "pt"),
    ("ita", "it"),
    ("ben", "bn"),
    ("fra", "fr"),
    ("fre", "fr"),
    ("deu", "de"),
    ("ger", "de"),
    ("ukr", "uk"),
    ("kat", "ka"),
    ("ara", "ar"),
    ("hin", "hi"),
    ("jpn", "ja"),
    ("heb", "he"),
    ("yid", "yi"),
    ("pol", "pl"),
    ("amh", "am"),
    ("jav", "jv"),
    ("kor", "ko"),
    ("nob", "nb"),
    ("dan", "da"),
    ("swe", "sv"),
    ("fin", "fi"),
    ("tur", "tr"),
    ("nld", "nl"),
    ("dut", "nl"),
    ("hun", "hu"),
    ("ces", "cs"),
    ("ell", "el"),
    ("bul", "bg"),
    ("bel", "be"),
    ("mar", "mr"),
    ("kan", "kn"),
    ("ron", "ro"),
    ("slv", "sl"),
    ("hrv", "hr"),
    ("srp", "sr"),
    ("mkd", "mk"),
    ("lit", "lt"),
    ("lav", "lv"),
    ("est", "et"),
    ("tam", "ta"),
    ("vie", "vi"),
    ("urd", "ur"),
    ("tha", "th"),
    ("guj", "gu"),
    ("uzb", "uz"),
    ("pan", "pa"),
    ("aze", "az"),
    ("ind", "id"),
    ("tel", "te"),
    ("pes", "fa"),
    ("fas", "fa"),
    ("mal", "ml"),
    ("ori", "or"),
    ("mya", "my"),
    ("nep", "ne"),
    ("sin", "si"),
    ("khm", "km"),
    ("tuk", "tk"),
    ("aka", "ak"),
    ("zul", "zu"),
    ("sna", "sn"),
    ("afr", "af"),
    ("lat", "la"),
    ("slk", "sk"),
    ("cat", "ca"),
    ("tgl", "tl"),
    ("hye", "hy"),
    ("cym", "cy"),
    ("lao", "lo"),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, declared: Option<&str>, expected: Option<&str>) {
        let found = language(text, declared);
        assert_eq!(found.as_ref().map(Language::as_str), expected, "{text}");
    }

    #[test]
    fn the_script_decides_first() {
        check(
            "网页去重是搜索引擎的基本功能, see https://example.org/simhash",
            None,
            Some("zh"),
        );
        check("これは日本語の文章です。漢字も使います。", None, Some("ja"));
        check("이것은 한국어 문장입니다", None, Some("ko"));
        check("นี่คือประโยคภาษาไทย", None, Some("th"));
        check("これは日本語です", Some("en"), Some("ja"));
    }

    #[test]
    fn a_script_of_one_language_names_it() {
        // All of these were Thai, whatever topic.languages asked for.
        check("ខ្ញុំចង់ទៅផ្សារនៅថ្ងៃស្អែក", None, Some("km"));
        check("ຂ້ອຍຢາກໄປຕະຫຼາດໃນມື້ອື່ນ", None, Some("lo"));
        check("မနက်ဖြန် ဈေးကို သွားချင်တယ်", None, Some("my"));
        check("မနက်ဖြန် ဈေးကို သွားချင်တယ်", Some("th"), Some("my"));
        // Both were Korean, whose block of Unicode has letters of half and full width too.
        check("ｶﾀｶﾅ ﾃﾞ ｶｲﾀ ﾌﾞﾝｼｮｳ ﾃﾞｽ", None, Some("ja"));
        let wide: String =
            "the cat and the dog that you have are with this man and the boy from the hill"
                .chars()
                .map(|c| match c {
                    'a'..='z' => char::from_u32(c as u32 + 0xFEE0).unwrap(),
                    _ => c,
                })
                .collect();
        check(&wide, None, Some("en"));
    }

    #[test]
    fn japanese_without_kana_is_known_by_its_own_characters() {
        check(
            "総務省統計局発表、消費者物価指数、前年同月比上昇。",
            None,
            Some("ja"),
        );
        check("東京駅周辺地図、営業時間変更。", Some("zh"), Some("ja"));
        let chinese = "中国的网页去重和文字处理，数据库的索引与查询，";
        check(&format!("{}桜井総研", chinese.repeat(6)), None, Some("zh"));
        check(
            "總務省統計局發表消費者物價指數，較前年同月上升。",
            None,
            Some("zh"),
        );
    }

    #[test]
    fn the_language_of_an_alphabet_is_found_by_trigrams() {
        let english = "The quick brown fox jumps over the lazy dog, and then it goes home again.";
        check(english, Some("zh-CN"), Some("en"));
        check(
            "Der schnelle braune Fuchs springt über den faulen Hund und geht nach Hause.",
            None,
            Some("de"),
        );
        check(
            "Съешь же ещё этих мягких французских булок да выпей чаю, дорогой друг мой.",
            None,
            Some("ru"),
        );
    }

    #[test]
    fn an_article_full_of_code_is_in_the_language_that_it_declares() {
        let code = "CREATE TABLE measurement (city_id int not null, logdate date not null);";
        let article = format!("分区表的语法比继承简单得多：{code}");
        check(&article, Some("zh-Hans"), Some("zh"));
        // Without kana it is no Japanese article, whatever it declares.
        assert_ne!(language(&article, Some("ja")), Language::parse("ja"));
        check(&code.repeat(3), Some("zh"), Some("en"));
    }

    #[test]
    fn a_list_of_files_is_in_no_language_but_the_declared_one() {
        let files: String = (1..40)
            .map(|n| format!("debian-la-{n}.netinst.iso jigdo/le-{n}.template "))
            .collect();
        // By their trigrams alone these names are French.
        let alone = whatlang::detect(&files).expect("a guess");
        assert_eq!(alone.lang(), Lang::Fra, "{alone:?}");
        check(&files, None, None);
        check(&files, Some("de"), Some("de"));
        let english = "These are the images of the installer for all machines that we know of. ";
        check(&format!("{english}{files}"), None, Some("en"));
    }

    #[test]
    fn a_declared_language_breaks_ties_only() {
        check("OK", Some("fr-CA"), Some("fr"));
        check("OK", Some("zh"), None);
        check("12345 !!!", Some("en"), None);
        check("", None, None);
    }

    #[test]
    fn tags_are_read_in_their_usual_spellings() {
        assert_eq!(
            Language::parse("EN_us").map(|l| l.to_string()).as_deref(),
            Some("en")
        );
        assert_eq!(
            Language::parse("cmn-Hans")
                .map(|l| l.to_string())
                .as_deref(),
            Some("zh")
        );
        assert_eq!(
            Language::parse("gsw").map(|l| l.to_string()).as_deref(),
            Some("gsw")
        );
        assert_eq!(Language::parse("x"), None);
        assert_eq!(Language::parse("中文"), None);
    }
}
