//! Segmentation: text is split into runs of one script, and each run into words by the rule of its
//! script.
//!
//! * **Han**: jieba with its dictionary, but without its hidden Markov model. The model finds words
//!   that depend on the text around them, so that one inserted character would change several words.
//! * **Kana, hangul, thai**: overlapping bigrams of characters, since there is no word list. Bigrams are
//!   good enough for search and comparison.
//! * **Other scripts**: UAX 29, with a fast path for ASCII that gives the same words (a property test
//!   checks this).
//!
//! Cost: about 15 MB/s of Chinese on one core. Loading the dictionary takes 0.2 s and 31 MB; it is
//! loaded when the first Chinese character is met.

use std::sync::{LazyLock, OnceLock};

use jieba_rs::Jieba;
use unicode_segmentation::UnicodeSegmentation;
use xxhash_rust::xxh3::xxh3_64;

use crate::fold::Folded;
use crate::script::{Script, script_of};
use crate::words::{Span, Words};

/// The version of the definition of a word. It changes with everything that could change the words of
/// any text: folding, segmentation, the dictionary or the hash. Data derived from words of another
/// scheme must not be compared with data of this one.
pub const SEGMENT_SCHEME: u32 = 2;

/// The most bytes of Han text that jieba segments at once. Its tables grow with the text, and a page
/// may be one run of megabytes. That a word may be split every 48 KB does not matter.
const HAN_RUN_BYTES_MAX: usize = 48 << 10;

/// Finds the words of texts.
///
/// Use the one instance of the process, [`Segmenter::shared`], since each instance loads its own
/// dictionary.
///
/// ```
/// use segment::Segmenter;
/// let words = Segmenter::shared().words("Don’t panic");
/// let first = words.get(0).unwrap();
/// assert_eq!(first.text, "don't");
/// assert_eq!(&"Don’t panic"[first.start as usize..first.end as usize], "Don’t");
/// ```
#[derive(Debug, Default)]
pub struct Segmenter {
    jieba: OnceLock<Jieba>,
}

impl Segmenter {
    /// The one segmenter of the process.
    pub fn shared() -> &'static Segmenter {
        static SHARED: LazyLock<Segmenter> = LazyLock::new(Segmenter::default);
        &SHARED
    }

    /// The words of `text`, in order. Punctuation, symbols and whitespace are no words.
    pub fn words(&self, text: &str) -> Words {
        let folded = Folded::new(text);
        let mut segmentation = Segmentation {
            segmenter: self,
            source: text,
            has_capitals: false,
            folded: &folded,
            piece: 0,
            spans: Vec::with_capacity(folded.text.len() / 6 + 4),
        };
        if folded.text.is_ascii() {
            segmentation.ascii(0, &folded.text);
        } else {
            segmentation.all();
        }
        let has_capitals = segmentation.has_capitals;
        let spans = segmentation.spans;
        let bytes = folded.text.as_bytes();
        let hashes = spans
            .iter()
            .map(|span| xxh3_64(&bytes[span.folded as usize..span.folded_end as usize]))
            .collect();
        Words {
            folded: folded.text,
            spans,
            hashes,
            has_capitals,
        }
    }

    /// Whether the dictionary has a Chinese word, given in its folded form.
    pub fn is_word(&self, word: &str) -> bool {
        self.jieba().has_word(word)
    }

    /// How often a Chinese word, in its folded form, stands in the texts that the dictionary was made from: 16,000
    /// times a common one, 3 times a rare one.
    pub fn frequency(&self, word: &str) -> usize {
        match self.is_word(word) {
            true => self.jieba().suggest_freq(word),
            false => 0,
        }
    }

    /// The part of speech of a Chinese word in its folded form, as the dictionary has it: `n` for nouns, `nr` for
    /// names, `q` for units; `x` where it has none.
    pub fn part_of_speech<'w>(&'w self, word: &'w str) -> &'w str {
        let tags = self.jieba().tag(word, false);
        tags.first().map_or("x", |first| first.tag)
    }

    fn jieba(&self) -> &Jieba {
        self.jieba.get_or_init(Jieba::new)
    }
}

/// The segmentation of one folded text.
struct Segmentation<'c> {
    segmenter: &'c Segmenter,
    source: &'c str,
    /// Whether a word begins with a capital letter.
    has_capitals: bool,
    folded: &'c Folded,
    /// The piece of the folded text in which the last word began.
    piece: usize,
    spans: Vec<Span>,
}

impl Segmentation<'_> {
    fn all(&mut self) {
        let text = self.folded.text.as_str();
        let mut start = 0;
        let mut script = Script::Other;
        for (at, character) in text.char_indices() {
            let next = if character.is_ascii() {
                Script::Other
            } else {
                script_of(character)
            };
            if next != script {
                self.run(script, start, at);
                (start, script) = (at, next);
            }
        }
        self.run(script, start, text.len());
    }

    fn run(&mut self, script: Script, start: usize, end: usize) {
        let run = &self.folded.text[start..end];
        match script {
            Script::Han => self.han(start, run),
            Script::Kana | Script::Hangul | Script::Thai => self.bigrams(script, start, run),
            Script::Number | Script::Other if run.is_ascii() => self.ascii(start, run),
            Script::Number | Script::Other => self.mixed(start, run),
        }
    }

    fn han(&mut self, start: usize, run: &str) {
        let jieba = self.segmenter.jieba();
        let mut at = 0;
        while at < run.len() {
            let end = run.floor_char_boundary(at + HAN_RUN_BYTES_MAX);
            for token in jieba.cut(&run[at..end], false) {
                self.push(
                    start + at + token.byte_start,
                    start + at + token.byte_end,
                    Script::Han,
                    false,
                );
            }
            at = end;
        }
    }

    fn bigrams(&mut self, script: Script, start: usize, run: &str) {
        let mut before: Option<usize> = None;
        let mut pairs = 0;
        for (at, character) in run.char_indices() {
            if let Some(first) = before {
                self.push(
                    start + first,
                    start + at + character.len_utf8(),
                    script,
                    false,
                );
                pairs += 1;
            }
            before = Some(at);
        }
        if pairs == 0 && run.chars().any(char::is_alphanumeric) {
            self.push(start, start + run.len(), script, false);
        }
    }

    /// UAX 29 for text that is not all ASCII. UAX 29 always breaks at a blank before an ASCII character,
    /// so ASCII text between two such blanks can take the fast path.
    fn mixed(&mut self, start: usize, run: &str) {
        let bytes = run.as_bytes();
        let mut begin = 0;
        while begin < bytes.len() {
            let mut end = begin;
            let mut ascii = true;
            while end < bytes.len() && !(bytes[end] == b' ' && ends_or_is_ascii_at(bytes, end + 1))
            {
                ascii &= bytes[end].is_ascii();
                end += 1;
            }
            if ascii {
                self.ascii(start + begin, &run[begin..end]);
            } else {
                self.uax29(start + begin, &run[begin..end]);
            }
            begin = end + 1;
        }
    }

    fn uax29(&mut self, start: usize, run: &str) {
        for (at, word) in run.unicode_word_indices() {
            let has_digit = word.bytes().any(|byte| byte.is_ascii_digit());
            let (at, script) = (start + at, number_or_other(word));
            self.push(at, at + word.len(), script, has_digit);
        }
    }

    /// UAX 29 for ASCII: letters, digits and `_` form words; `:`, `.` and `'` join two letters; `,`, `;`,
    /// `.` and `'` join two digits.
    fn ascii(&mut self, start: usize, run: &str) {
        let bytes = run.as_bytes();
        let mut at = 0;
        while at < bytes.len() {
            if !is_word_byte(bytes[at]) {
                at += 1;
                continue;
            }
            let first = at;
            let (mut letters, mut digits) = (0, 0);
            while at < bytes.len() {
                match bytes[at] {
                    b'0'..=b'9' => digits += 1,
                    b'_' => {}
                    byte if byte.is_ascii_alphabetic() => letters += 1,
                    byte if at + 1 < bytes.len() && joins(bytes[at - 1], byte, bytes[at + 1]) => {}
                    _ => break,
                }
                at += 1;
            }
            if letters + digits > 0 {
                let script = if letters == 0 {
                    Script::Number
                } else {
                    Script::Other
                };
                self.push(start + first, start + at, script, digits > 0);
            }
        }
    }

    fn push(&mut self, folded: usize, folded_end: usize, script: Script, has_digit: bool) {
        let (start, end) = self.folded.source(&mut self.piece, folded, folded_end);
        let (folded, folded_end) = (folded as u32, folded_end as u32);
        let first = self.source.as_bytes().get(start as usize);
        let first = first.copied().unwrap_or_default();
        let may_be = first.is_ascii_uppercase() || (!first.is_ascii() && script == Script::Other);
        let in_capitals = may_be && self.is_in_capitals(start, end);
        self.spans.push(Span {
            in_capitals,
            folded,
            folded_end,
            start,
            end,
            script,
            has_digit,
        });
    }

    /// Whether a word is in capital letters, but for an s behind two of them: `US`, `PCs`; not `Is`. Notes that a word
    /// begins with one.
    fn is_in_capitals(&mut self, start: u32, end: u32) -> bool {
        let word = self.source.get(start as usize..end as usize);
        let Some(word) = word.filter(|word| word.starts_with(char::is_uppercase)) else {
            return false;
        };
        self.has_capitals = true;
        if word.as_bytes().get(1).is_some_and(u8::is_ascii_lowercase) {
            return false;
        }
        let singular = word.strip_suffix('s').filter(|rest| rest.len() > 1);
        !singular.unwrap_or(word).contains(char::is_lowercase)
    }
}

/// Whether the text ends at `at`, or continues with an ASCII character other than a blank.
fn ends_or_is_ascii_at(bytes: &[u8], at: usize) -> bool {
    bytes
        .get(at)
        .is_none_or(|byte| byte.is_ascii() && *byte != b' ')
}

/// Whether a byte is part of a word wherever it stands.
fn is_word_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}

/// Whether `byte` joins the characters before and after it into one word.
fn joins(before: u8, byte: u8, after: u8) -> bool {
    match byte {
        b'.' | b'\'' => {
            (before.is_ascii_alphabetic() && after.is_ascii_alphabetic())
                || (before.is_ascii_digit() && after.is_ascii_digit())
        }
        b':' => before.is_ascii_alphabetic() && after.is_ascii_alphabetic(),
        b',' | b';' => before.is_ascii_digit() && after.is_ascii_digit(),
        _ => false,
    }
}

fn number_or_other(word: &str) -> Script {
    if word.chars().any(char::is_alphabetic) {
        Script::Other
    } else {
        Script::Number
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fold::fold;
    use proptest::prelude::*;

    fn texts(text: &str) -> Vec<String> {
        let words = Segmenter::shared().words(text);
        words.iter().map(|word| word.text.to_owned()).collect()
    }

    #[track_caller]
    fn check(text: &str, words: &str) {
        assert_eq!(texts(text).join("|"), words);
    }

    #[test]
    fn each_script_is_segmented_by_its_own_rule() {
        check(
            "The Quick (brown) fox can’t jump 32.3 feet, right?",
            "the|quick|brown|fox|can't|jump|32.3|feet|right",
        );
        check("我们中出了一个叛徒。", "我们|中|出|了|一个|叛徒");
        check("개발자가 한", "개발|발자|자가|한");
        check("ひらがな", "ひら|らが|がな");
        check("ประเทศ", "ปร|ระ|ะเ|เท|ทศ");
        check("ปี๒๕๖๗ถึง2570", "ปี|2567|ถึ|ึง|2570");
        check("Linux內核6.1版", "linux|内核|6.1|版");
        check("", "");
        check("— … !!! 。", "");
    }

    #[test]
    fn traditional_and_simplified_text_have_the_same_words() {
        check("開放中國的網頁", &texts("开放中国的网页").join("|"));
        check("開放中國的網頁", "开放|中国|的|网页");
    }

    #[test]
    fn the_range_of_a_word_is_its_place_in_the_source() {
        let source = "Ｌｉｎｕｘ 內核：Don’t e\u{301}dit v6.1";
        let words = Segmenter::shared().words(source);
        let found: Vec<&str> = words
            .iter()
            .map(|word| &source[word.start as usize..word.end as usize])
            .collect();
        assert_eq!(
            found,
            ["Ｌｉｎｕｘ", "內核", "Don’t", "e\u{301}dit", "v6.1"]
        );
    }

    #[test]
    fn numbers_are_told_from_words() {
        let words = Segmenter::shared().words("v6 6.1 1,000 ６ 六 x1");
        let scripts: Vec<Script> = words.iter().map(|word| word.script).collect();
        use Script::{Han, Number, Other};
        assert_eq!(scripts, [Other, Number, Number, Number, Han, Other]);
        let words = Segmenter::shared().words("٢٠٢٤ २०२४ ๒๕๖๗ ២០២៤ ၂၀၂၄");
        assert!(words.iter().all(|word| word.script == Number));
        assert_eq!(words.hashes_with_digits().count(), 5);
    }

    #[test]
    fn words_in_capitals_are_known() {
        let words = Segmenter::shared()
            .words("The U.S. and US let us buy PCs. Is IT ＡＩ, É or Ça? 中A B2 x");
        let capitals = (0..words.len()).filter(|&at| words.is_in_capitals(at));
        let found: Vec<&str> = capitals.map(|at| words.get(at).unwrap().text).collect();
        assert_eq!(found, ["u.s", "us", "pcs", "it", "ai", "é", "a", "b2"]);
        assert!(words.has_capitals() && !Segmenter::shared().words("the us, 中").has_capitals());
        assert_eq!(words.text_behind(0).get(..5), Some(" u.s."));
        assert_eq!(
            (words.text_from(words.len() - 1), words.text_from(99)),
            ("x", "")
        );
    }

    #[test]
    fn words_with_digits_are_known_by_their_text() {
        let words = Segmenter::shared().words("v6 6.1 一 ６ ٣ five é2 é x-1 日本 ひら2 _ a_1");
        let expected: Vec<u64> = words
            .iter()
            .filter(|word| {
                word.script == Script::Number || word.text.bytes().any(|byte| byte.is_ascii_digit())
            })
            .map(|word| word.hash)
            .collect();
        assert_eq!(words.hashes_with_digits().collect::<Vec<_>>(), expected);
        assert_eq!(expected.len(), 8);
    }

    #[test]
    fn the_hash_is_xxh3_with_its_published_vectors() {
        assert_eq!(xxh3_64(b""), 0x2d06_8005_38d3_94c2);
        assert_eq!(
            Segmenter::shared().words("Tamis").hashes(),
            [0x059d_e48c_2aa7_e0bc]
        );
    }

    #[test]
    fn a_megabyte_without_a_space_is_segmented_too() {
        assert_eq!(texts(&"网页".repeat(200_000)).len(), 200_000);
        assert_eq!(texts(&"a".repeat(1 << 20)).len(), 1);
    }

    proptest! {
        #[test]
        fn the_fast_path_for_ascii_gives_the_words_of_uax_29(text in "[ -~\\n]{0,60}|[a1_.,:;' ]{0,30}") {
            let folded = text.to_ascii_lowercase();
            let expected: Vec<String> = folded.unicode_words().map(str::to_owned).collect();
            prop_assert_eq!(texts(&text), expected);
        }

        #[test]
        fn ascii_between_blanks_is_segmented_as_uax_29_does(
            text in "[a1 é\u{301}\u{345}\u{200d}’—.,:'_\n а\u{93e}]{0,30}"
        ) {
            let folded = fold(&text);
            let expected: Vec<String> = folded.unicode_words().map(str::to_owned).collect();
            prop_assert_eq!(texts(&text), expected);
        }

        #[test]
        fn words_lie_inside_the_source_in_order(text in "\\PC{0,60}") {
            let words = Segmenter::shared().words(&text);
            let mut before = 0;
            for word in words.iter() {
                prop_assert!(word.start >= before && word.start < word.end);
                prop_assert!(text.get(word.start as usize..word.end as usize).is_some());
                prop_assert!(!word.text.is_empty());
                before = word.start;
            }
        }
    }
}
