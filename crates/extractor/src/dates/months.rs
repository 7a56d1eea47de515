//! The names of months, in the cases that dates have them in.

/// Whether a word in lower case is a month's name or the first letters by which a month is known.
pub fn is_month(word: &str) -> bool {
    const NAMES: &str = " january february march april may june july august september october november december \
        januar februar märz mai juni juli oktober dezember \
        janvier février mars avril juin juillet août septembre octobre novembre décembre \
        enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre \
        janeiro fevereiro março maio junho julho setembro outubro novembro dezembro \
        gennaio febbraio aprile maggio giugno luglio settembre ottobre dicembre sept ";
    let is_short = word.chars().count() == 3 && by_head(word).is_some();
    is_short || (word.len() > 3 && NAMES.split(' ').any(|name| name == word))
}

/// The number of a month by its name in lower case, in any of the languages that dates are read in. Words that
/// begin like a month in a language that bends its names are taken for it.
pub fn month_number(name: &str) -> Option<u64> {
    number(name)?.parse().ok()
}

/// The same, as dates are written with it.
pub(super) fn number(name: &str) -> Option<&'static str> {
    let whole = |name: &str| {
        let months = WHOLE.iter();
        let mut months = months.filter(|(_, names)| names.split(' ').any(|known| known == name));
        months.next().map(|(number, _)| *number)
    };
    // Hebrew has "in" as a letter before the name.
    let in_hebrew = || name.strip_prefix('ב').and_then(whole);
    whole(name).or_else(in_hebrew).or_else(|| by_head(name))
}

/// Names that are known as a whole: their first letters are those of another word, or they have no cases.
const WHOLE: [(&str, &str); 12] = [
    ("1", "يناير جانفي ژانویه ינואר जनवरी មករា tammikuuta"),
    (
        "2",
        "فبراير فيفري شباط فوریه פברואר फरवरी फ़रवरी फ\u{93c}रवरी កុម្ភៈ កុម្ភះ helmikuuta",
    ),
    ("3", "maart مارس آذار מרץ מרס מארס मार्च មីនា maaliskuuta"),
    (
        "4",
        "أبريل ابريل إبريل أفريل نيسان آوریل אפריל अप्रैल មេសា huhtikuuta",
    ),
    ("5", "مايو ماي أيار مه می מאי मई ឧសភា toukokuuta"),
    (
        "6",
        "يونيو يونيه جوان حزيران ژوئن יוני जून មិថុនា června červen kesäkuuta",
    ),
    (
        "7",
        "يوليو يوليه يوليوز جويلية تموز ژوئیه ژوییه جولای יולי जुलाई កក្កដា července červenec heinäkuuta",
    ),
    (
        "8",
        "أغسطس اغسطس غشت أوت آب اوت آگوست אוגוסט अगस्त សីហា elokuuta",
    ),
    (
        "9",
        "سبتمبر شتنبر أيلول سپتامبر ספטמבר सितंबर सितम्बर កញ្ញា syyskuuta",
    ),
    (
        "10",
        "أكتوبر اكتوبر اکتبر אוקטובר अक्टूबर अक्तूबर តុលា lokakuuta",
    ),
    (
        "11",
        "نوفمبر نونبر نوامبر נובמבר नवंबर नवम्बर វិច្ឆិកា marraskuuta",
    ),
    (
        "12",
        "ديسمبر دجنبر دسامبر דצמבר दिसंबर दिसम्बर ធ្នូ desember joulukuuta",
    ),
];

/// The first letters of names, in languages that bend them.
const HEADS: [(&str, &str); 12] = [
    ("1", "jan ene gen янв яну sty led ocak січ ιαν ianu"),
    ("2", "feb fév fev фев lut şub únor люто лютий φεβ"),
    ("3", "mar mär mrt мар břez бере μαρ μάρ"),
    ("4", "apr abr avr апр kwi nis dubn duben квіт απρ"),
    ("5", "may mai mag maj мая май mei květ травн μαΐ μαϊ μάι"),
    (
        "6",
        "jun juin giu июн юни cze haz червн червень ιουν ιούν iuni",
    ),
    ("7", "jul juil lug июл юли lip tem липн ιουλ ιούλ iuli"),
    (
        "8",
        "aug aoû aou ago agust авг sie ağu srpn srpen серпн αυγ αύγ",
    ),
    ("9", "sep set сен септ wrz eyl září вере σεπ"),
    ("10", "oct okt ott out окт paź eki říj жовт οκτ"),
    ("11", "nov ноя ноем lis kas листоп νοε νοέ noie"),
    ("12", "dec dez déc dic дек gru ara prosin груд δεκ"),
];

/// The number of a month by the first letters of its name.
fn by_head(name: &str) -> Option<&'static str> {
    // "juillet" begins like the names of June in other languages.
    if name.starts_with("juil") {
        return Some("7");
    }
    let mut months = HEADS.iter();
    let found = months.find(|(_, heads)| heads.split(' ').any(|head| name.starts_with(head)));
    found.map(|(number, _)| *number)
}

#[cfg(test)]
mod tests {
    use super::super::{place, written};

    #[test]
    fn months_are_read_in_many_languages() {
        for text in [
            "12. března 2024",
            "12 березня 2024 р.",
            "12 Μαρτίου 2024",
            "12 مارس، 2024",
            "١٢ مارس ٢٠٢٤",
            "12 مارس 2024",
            "ב-12 במרץ 2024",
            "१२ मार्च २०२४",
            "12 มีนาคม 2567",
            "៧ ថ្ងៃទី១២ ខែមីនា ឆ្នាំ២០២៤",
            "Thứ ba, ngày 12 tháng 3 năm 2024",
            "12 Maret 2024",
            "12 Mart 2024",
            "12. maaliskuuta 2024",
            "٢٠٢٤/٠٣/١٢",
            "๑๒/๐๓/๒๕๖๗",
        ] {
            assert_eq!(
                written(text, false).as_deref(),
                Some("2024-03-12"),
                "{text}"
            );
        }
        for (text, date) in [
            ("12. června 2024", "2024-06-12"),
            ("12. července 2024", "2024-07-12"),
            ("12 Desember 2024", "2024-12-12"),
            ("12 Agustus 2024", "2024-08-12"),
            ("12 вересня 2024", "2024-09-12"),
            ("12 मई 2024", "2024-05-12"),
            ("12 مه 2024", "2024-05-12"),
            ("12. marraskuuta 2024", "2024-11-12"),
        ] {
            assert_eq!(written(text, false).as_deref(), Some(date), "{text}");
        }
        for text in [
            "12 листа 2024",
            "12 des 2024",
            "12 مهر 2024",
            "12 tháng 2024",
            "12 tháng 13 năm 2024",
        ] {
            assert_eq!(written(text, false), None, "{text}");
        }
    }

    #[test]
    fn a_date_in_other_digits_begins_where_it_stands() {
        let text = "دليل ٧٧ — ١٢ مارس ٢٠٢٤";
        assert_eq!(place(text).map(|at| &text[at..]), Some("١٢ مارس ٢٠٢٤"));
    }
}
