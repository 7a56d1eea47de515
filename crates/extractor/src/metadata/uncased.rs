//! By-lines in scripts without capitals, and those that only a whole line makes sure.
//!
//! In Arabic, Hebrew or Thai nothing in a name tells it from other words, and in some languages the word that announces
//! a name begins many other lines, too. So a by-line is such a word with one to four words behind it, and then the line
//! ends, or a mark follows; a noun announces a name only with a colon.

use super::byline::{Named, in_word, without_prefix, words_of_name};
use super::{labelled, name};

/// Words for writing that a name follows.
const OF_WRITING: [&str; 19] = [
    "بقلم",
    "به قلم",
    "توسط",
    "نوشته",
    "נכתב על ידי",
    "פורסם על ידי",
    "מאת",
    "द्वारा लिखित",
    "द्वारा",
    "เขียนโดย",
    "เรื่องโดย",
    "โดย",
    "សរសេរដោយ",
    "ដោយ",
    "από τον",
    "από την",
    "από",
    "bởi",
    "của tác giả",
];

/// Nouns and verbs, which a colon must follow.
const WITH_COLON: [&str; 24] = [
    "الكاتب",
    "الكاتبة",
    "كاتب المقال",
    "المؤلف",
    "كتب",
    "كتبت",
    "كتبه",
    "إعداد",
    "تحرير",
    "نویسنده",
    "گزارشگر",
    "خبرنگار",
    "تحریر",
    "כתב",
    "כתבה",
    "כותב",
    "המחבר",
    "लेखक",
    "लेखिका",
    "রচনা",
    "লেখক",
    "ผู้เขียน",
    "អ្នកនិពន្ធ",
    "haber",
];

/// Those of them that are labels of other things, too: of recipes, of news agencies, of books.
const OF_OTHER_WORDS: [&str; 4] = ["إعداد", "تحرير", "كتب", "haber"];

/// The name in such a by-line. An element that ends ends the name, but what announces it may stand in one of its own.
pub(super) fn name_in(line: &str) -> Option<String> {
    let parts = line.split(labelled::CLOSE);
    let parts = parts.map(|part| part.replace(labelled::is_edge, "").trim().to_owned());
    let parts: Vec<String> = parts.filter(|part| !part.is_empty()).collect();
    (0..parts.len()).find_map(|at| {
        let text = match is_label(&parts[at]) {
            true => parts[at..]
                .iter()
                .take(2)
                .cloned()
                .collect::<Vec<_>>()
                .join(" "),
            false => parts[at].clone(),
        };
        named(&text).map(|named| named.name.trim().to_owned())
    })
}

/// Whether a text only announces a name.
fn is_label(text: &str) -> bool {
    let behind = behind_any(text, &OF_WRITING).or_else(|| behind_any(text, &WITH_COLON));
    behind.is_some_and(|rest| rest.trim_matches([' ', ':', '：']).is_empty())
}

fn named(line: &str) -> Option<Named<'_>> {
    let label = behind_label(line);
    let rest = label.or_else(|| behind_any(line, &OF_WRITING)?.strip_prefix(' '))?;
    let rest = rest.trim_start();
    // What tells less than a label needs a name of two words: "By train", "Prepared: Jerusalem".
    let is_weak = label.is_none() || behind_any(line, &OF_OTHER_WORDS).is_some();
    let length = match rest.starts_with(char::is_uppercase) {
        true => words_of_name(rest)?,
        false => words_without_capitals(rest)?,
    };
    if is_weak && !rest[..length].trim().contains(' ') {
        return None;
    }
    let named = Named::first(rest, length);
    let behind = named.behind.trim_start_matches(' ');
    let ends = behind.is_empty() || behind.starts_with('\n') || behind.starts_with(name::is_mark);
    ends.then_some(named)
}

/// What stands behind a word for writing, if it is a name.
pub(super) fn behind_writing(text: &str) -> Option<&str> {
    named(text).and_then(|_| behind_any(text, &OF_WRITING))
}

/// What stands behind a label with its colon.
pub(super) fn behind_label(text: &str) -> Option<&str> {
    let rest = behind_any(text, &OF_WRITING).or_else(|| behind_any(text, &WITH_COLON))?;
    rest.trim_start_matches(' ').strip_prefix([':', '：'])
}

/// What stands behind the longest of these words that begins a text, and ends there.
fn behind_any<'t>(text: &'t str, words: &[&str]) -> Option<&'t str> {
    let found = words.iter().filter_map(|word| without_prefix(text, word));
    let whole = found.filter(|rest| !rest.starts_with(|c| in_word(c) || is_joined(c)));
    whole.min_by_key(|rest| rest.len())
}

/// The length of one to four words of small letters' scripts that a text begins with.
fn words_without_capitals(text: &str) -> Option<usize> {
    const WORDS_MAX: usize = 4;
    const WORD_CHARS_MAX: usize = 24;
    let mut end = 0;
    for count in 0.. {
        let rest = text[end..].trim_start_matches(' ');
        let word = rest.find(|c| !is_of_name(c)).unwrap_or(rest.len());
        if word == 0 {
            return (count > 0).then_some(end);
        }
        if count == WORDS_MAX || rest[..word].chars().count() > WORD_CHARS_MAX {
            return None;
        }
        end = text.len() - rest.len() + word;
    }
    None
}

fn is_of_name(c: char) -> bool {
    let has_no_case = c.is_alphabetic() && !c.is_lowercase() && !c.is_uppercase();
    has_no_case && !crate::char_counts::is_cjk(c)
        || is_joined(c)
        || matches!(c, '\'' | '’' | '״' | '׳' | '.')
}

/// Signs over, under and between letters, which are no letters themselves.
fn is_joined(c: char) -> bool {
    matches!(c,
        '\u{591}'..='\u{5C7}' | '\u{610}'..='\u{61A}' | '\u{64B}'..='\u{65F}' | '\u{93C}'..='\u{94D}'
        | '\u{9BC}'..='\u{9CD}' | '\u{E31}'..='\u{E3A}' | '\u{E47}'..='\u{E4E}' | '\u{17B4}'..='\u{17D3}'
        | '\u{200C}' | '\u{200D}')
}

#[cfg(test)]
mod tests {
    use super::super::byline::name_in;

    #[test]
    fn names_without_capitals_are_read_behind_their_word() {
        for (line, name) in [
            ("بقلم أحمد الخطيب", "أحمد الخطيب"),
            ("الكاتب: أحمد الخطيب", "أحمد الخطيب"),
            ("نویسنده : مریم احمدی", "مریم احمدی"),
            ("به قلم علی‌رضا احمدی, 12 فروردین 1403", "علی‌رضا احمدی"),
            ("מאת דוד כהן", "דוד כהן"),
            ("נכתב על ידי ד\"ר", ""),
            ("लेखक: राजेश शर्मा", "राजेश शर्मा"),
            ("द्वारा राजेश शर्मा | 5 मार्च 2024", "राजेश शर्मा"),
            ("เขียนโดย สมชาย ใจดี", "สมชาย ใจดี"),
            ("โดย: สมชาย ใจดี, 5 มีนาคม 2567", "สมชาย ใจดี"),
            ("ដោយ សុខ វណ្ណា", "សុខ វណ្ណា"),
            ("Από Μαρία Παπαδοπούλου", "Μαρία Παπαδοπούλου"),
            ("Haber: Ayşe Yılmaz", "Ayşe Yılmaz"),
            ("Bởi Nguyễn Văn An", "Nguyễn Văn An"),
            (
                "\u{1}بقلم فاطمة الزهراء\u{2} \u{1}نُشر في 5 مارس 2024\u{2}",
                "فاطمة الزهراء",
            ),
            (
                "\u{1}מאת:\u{2} \u{1}רונית לוי\u{2} פורסם ביום 5.3.2024",
                "רונית לוי",
            ),
            (
                "\u{1}5 مارس 2024\u{2} \u{1}بقلم فاطمة الزهراء\u{2}",
                "فاطمة الزهراء",
            ),
        ] {
            let found = name_in(line, None);
            assert_eq!(
                found.as_deref(),
                Some(name).filter(|name| !name.is_empty()),
                "{line}"
            );
        }
    }

    #[test]
    fn sentences_and_headings_that_begin_so_name_nobody() {
        for line in [
            "كتب الأطفال الجديدة",
            "توسط شرکت ملی نفت ایران در سال گذشته ساخته شد",
            "โดยเฉพาะอย่างยิ่ง",
            "โดยทั่วไปแล้วการทำงานของระบบนี้",
            "लेखक संघ की बैठक",
            "כתבה חדשה על העיר",
            "द्वारा जारी किए गए सभी आदेश रद्द हो गए हैं।",
            "Από την Αθήνα στη Θεσσαλονίκη",
            "Haber Merkezi Ankara",
            "بقلم",
            "",
        ] {
            assert_eq!(name_in(line, None), None, "{line}");
        }
    }
}
