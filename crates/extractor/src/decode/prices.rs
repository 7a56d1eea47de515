//! What the characters of a text cost, in bits: the rarer in its language, the more.
//!
//! For languages that are written with few letters these stand here in the order of how frequent they are in the
//! Declaration of Human Rights; of that and of Zipf's law the prices are made. For those of East Asia there are the
//! most frequent characters, and the order in which their standards put them: a first part of those in common use.

use std::sync::LazyLock;

use encoding_rs::{BIG5, EUC_JP, EUC_KR, Encoding, GBK};
use rustc_hash::FxHashMap;

/// A letter that the language does not have, in its script and in another.
const FOREIGN: f32 = 11.0;
const OF_OTHER_SCRIPT: f32 = 14.0;

/// What no text has: control characters, U+FFFD, what is not assigned.
const NO_TEXT: f32 = 18.0;

/// Letters of a language beyond ASCII, the most frequent first.
static ALPHABETS: [&str; 43] = [
    "éàèêçôîâùûïëœü",
    "üäößé",
    "óíáéñúü",
    "ãçáéíóêõàúâôü",
    "àèùòìéî",
    "äöåé",
    "æøåé",
    "ëéïöèüêóç",
    "éïèñçóôêä",
    "ðþáíéóöæúýø",
    "óàéèíçòïúü",
    "áíéúó",
    "ëçéêôäöüà",
    "łążęóśćńź",
    "íáéěýřžščúůťňďó",
    "áíéčžýšťúľôňďäóŕĺ",
    "éáöőüóíűú",
    "čšžćđ",
    "ăîțșâţş",
    "ıüşğöçâîİ",
    "ėšųžąįčūęĖ",
    "āīēšūžņļčģķ",
    "õäüöšž",
    "ħżġàċèòù",
    "êîşçû",
    "ıäüşöçêţ",
    "éàòæçùñëïöôêâ",
    "ýäşöüçňž",
    "ñùêûôâéü",
    "łćžěóźčšńř",
    "оеаинтсрвлкмдпуяыьгзбчйхжшюцщэфъё",
    "онаівитердслкупмязьбгйчжїхцшєющфґ",
    "аніыеорстялвдкмпуцзбьўгчхьжйюэшёф",
    "аоиентврсдлпкмъзяубгчщжцйхшюфь",
    "аоиенвртсудпкмјлбзгњгшчцљжхђћфџ",
    "аоиентвсрдплкумјбзгчцшњжќѓфљџѕ",
    "αοιετνσηρπςκυμλίόάέδωήγθύχώξφβζψϊ",
    "יוהלאתבשרמנדחעםפקכגסזןטצךףץ",
    "اليموتنرعةقأدحهفبسكجإشخضصىذزطءغًئظثآؤـ",
    "ایدرومنهتبکقلشسحعزخجآگفصضطئچذظپغثژيكـ",
    "ایورکےمہنستدلقںبحعجئشصخپفزگآھچذظضطغثٹڑڈ",
    "ารนก่มิองทะัดสเลค้ยีวตแหจปบใุชืธไพข็ำศโูถภึ์ษผญๆฏฐณซฉฟฝฎฬฮ",
    "аоентріывсдлькжзмұғуқәңүөһйпшбяхчцюфщ",
];

/// A way to write a language.
pub(super) enum Language {
    Alphabet(FxHashMap<char, f32>, Script),
    /// The encoding whose first part has what is in common use, and which script it is.
    EastAsia(&'static Encoding),
}

pub(super) static LANGUAGES: LazyLock<Vec<Language>> = LazyLock::new(|| {
    let alphabets = ALPHABETS.iter().map(|letters| alphabet(letters));
    let east_asia = [GBK, BIG5, EUC_JP, EUC_KR].map(Language::EastAsia);
    alphabets.chain(east_asia).collect()
});

/// By Zipf's law, without the letters that are so frequent that they stand out.
fn alphabet(letters: &str) -> Language {
    let count = letters.chars().count();
    let weight = |rank: usize| (-4.0 * rank as f32 / count as f32).exp();
    let all: f32 = (0..count).map(weight).sum();
    let mut prices = FxHashMap::default();
    for (rank, letter) in letters.chars().enumerate() {
        prices.entry(letter).or_insert((all / weight(rank)).log2());
    }
    Language::Alphabet(
        prices,
        letters.chars().next().map_or(Script::Signs, Script::of),
    )
}

impl Language {
    pub(super) fn price(&self, letter: char) -> f32 {
        match self {
            Language::Alphabet(prices, script) => match prices.get(&letter) {
                Some(price) => *price,
                None if Script::of(letter) == *script => FOREIGN,
                None => OF_OTHER_SCRIPT,
            },
            Language::EastAsia(encoding) => in_east_asia(encoding, letter),
        }
    }
}

/// Scripts, as far as they are told apart here.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Script {
    Latin,
    Greek,
    Cyrillic,
    Hebrew,
    Arabic,
    Thai,
    Signs,
}

impl Script {
    fn of(c: char) -> Script {
        match c {
            '\u{C0}'..='\u{24F}' | '\u{1E00}'..='\u{1EFF}' => Script::Latin,
            '\u{370}'..='\u{3FF}' | '\u{1F00}'..='\u{1FFF}' => Script::Greek,
            '\u{400}'..='\u{52F}' => Script::Cyrillic,
            '\u{590}'..='\u{5FF}' => Script::Hebrew,
            '\u{600}'..='\u{77F}' => Script::Arabic,
            '\u{E00}'..='\u{E7F}' => Script::Thai,
            _ => Script::Signs,
        }
    }
}

/// The hundred most frequent characters of Chinese in both scripts, of Japanese, and the most frequent syllables of Korean.
const CHINESE: &str = "的一是不了在人有我他这个们中来上大为和国地到以说时要就出会可也你对生能而子那得于着下自\
    之年过发后作里用道行所然家种事成方多经么去法学如都同现当没动面起看定天分还进好小部其些主样理心她本前开但因\
    只从想实";
const TRADITIONAL: &str = "的一是不了在人有我他這個們中來上大為和國地到以說時要就出會可也你對生能而子那得於著下自\
    之年過發後作裡用道行所然家種事成方多經麼去法學如都同現當沒動面起看定天分還進好小部其些主樣理心她本前開但因\
    只從想實與";
const JAPANESE: &str = "日一国会人年大十二本中長出三同時政事自行社見月分議後前民生連五発間対上部東者党地合市業内相方\
    四定今回新場金員九入選立開手力学問高代明実関決子動全目表戦経通外言気理体化田当八六約主題下意法用有家作思取所";
const KOREAN: &str =
    "이다의에는을가고하지로서한기도시사자과인일대어나정리해부그수보전스아들라구은를니있";
/// Letters that stand alone in Korean: of laughter and tears, for words, of its alphabet.
const JAMO: &str = "ㅋㅎㅠㅜㅇㄱㄴㄷㅅㅂㅈㄹㅁㅊㅌㅍㅏㅓㅗㅡㅣㅐㅔㅑㅕㅛㄲㄸㅃㅆㅉ";

/// Of Hong Kong, most of them beyond the standard of Taiwan.
const CANTONESE: &str = "嘅喺咗唔佢哋冇咁嗰啲嚟俾睇嘢攞瞓咩㗎噉乜邊嗱啱嘥嗌喎啩嘞揾搵";

fn in_east_asia(encoding: &'static Encoding, letter: char) -> f32 {
    let is_japanese = encoding == EUC_JP;
    let is_korean = encoding == EUC_KR;
    let is_traditional = encoding == BIG5;
    let frequent = match () {
        () if encoding == GBK => CHINESE,
        () if encoding == BIG5 => TRADITIONAL,
        () if is_japanese => JAPANESE,
        () => KOREAN,
    };
    match letter {
        'ぁ'..='ん' if is_japanese => 6.0,
        'ァ'..='ヾ' if is_japanese => 8.0,
        '\u{FF66}'..='\u{FF9F}' if is_japanese => 7.0,
        '々' if is_japanese => 10.0,
        // Their letters alone: of a chat, a list, a dictionary.
        _ if is_korean && JAMO.contains(letter) => 8.0,
        'ㄱ'..='ㅣ' if is_korean => 11.0,
        'ㄅ'..='ㄩ' if is_traditional => 10.0,
        _ if is_traditional && CANTONESE.contains(letter) => 9.0,
        '\u{FF00}'..='\u{FF65}' => 10.0,
        'ぁ'..='ヾ' => 16.0,
        '\u{3400}'..='\u{9FFF}' | '\u{AC00}'..='\u{D7A3}' => {
            let is_of_korean = letter >= '\u{AC00}';
            match part_of_standard(encoding, letter) {
                _ if is_of_korean != is_korean => 18.0,
                _ if frequent.contains(letter) => 7.0,
                Some(1) => 11.5,
                Some(2) => 15.0,
                // Syllables that the standard of Korea left out have no part of their own.
                _ if is_of_korean => 15.0,
                _ => 18.0,
            }
        }
        _ => OF_OTHER_SCRIPT,
    }
}

/// In which part of its standard a character is: what is in common use, what is rare, or none.
fn part_of_standard(encoding: &'static Encoding, letter: char) -> Option<u8> {
    let mut text = [0; 4];
    let (bytes, _, is_none) = encoding.encode(letter.encode_utf8(&mut text));
    let [lead, trail] = <[u8; 2]>::try_from(&*bytes).ok().filter(|_| !is_none)?;
    let (common, all) = match () {
        () if encoding == GBK => (0xB0..=0xD7, 0xB0..=0xF7),
        () if encoding == BIG5 => (0xA4..=0xC6, 0xA4..=0xF9),
        () if encoding == EUC_JP => (0xB0..=0xCF, 0xB0..=0xF4),
        () => (0xB0..=0xC8, 0xB0..=0xC8),
    };
    let is_in_standard = trail >= 0xA1 || encoding == BIG5;
    match is_in_standard {
        true if common.contains(&lead) => Some(1),
        true if all.contains(&lead) => Some(2),
        _ => None,
    }
}

/// What a sign costs between its neighbours: in the midst of a word it is none.
pub(super) fn of_sign(before: char, c: char, after: char) -> f32 {
    let beside = [before, after].map(|c| c.is_alphabetic() && !matches!(c, 'ª' | 'º'));
    let is_within = beside == [true, true];
    match c {
        '\u{A0}' | '\u{AD}' if !is_within => 3.0,
        '\u{A0}' | '\u{AD}' => 9.0,
        '\u{200B}'..='\u{200F}' | '\u{FEFF}' => 4.0,
        '\u{80}'..='\u{9F}' | '\u{E000}'..='\u{F8FF}' | '\u{FFFD}'..='\u{FFFF}' => NO_TEXT,
        '’' if beside == [false, true] => 9.0,
        '’' | '·' | '‘' => 5.0,
        '«' | '»' | '“' | '”' | '„' | '‚' | '‹' | '›' | '–' | '—' | '…' | '•' if is_within => {
            12.0
        }
        '«' | '»' | '“' | '”' | '„' | '‚' | '‹' | '›' | '–' | '—' | '…' | '•' => {
            5.0
        }
        '،' | '؛' | '؟' | '۔' | '¿' | '¡' | '№' if !is_within => 5.0,
        '\u{3000}'..='\u{303F}' | '\u{FF00}'..='\u{FF65}' => 6.0,
        'º' | 'ª' | '°' if !is_within => 7.0,
        _ if is_within => 15.0,
        _ if beside[0] || beside[1] => 12.0,
        _ => 8.0,
    }
}
