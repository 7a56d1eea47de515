//! The names of months, in the cases that dates have them in.

use super::Usage;

/// Whether a word in lower case is a month's name or the first letters by which a month is known.
pub fn is_month(word: &str) -> bool {
    const NAMES: &str = " january february march april may june july august september october november december \
        januar februar märz mai juni juli oktober dezember \
        janvier février mars avril juin juillet août septembre octobre novembre décembre \
        enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre \
        janeiro fevereiro março maio junho julho setembro outubro novembro dezembro \
        gennaio febbraio aprile maggio giugno luglio settembre ottobre dicembre sept ";
    let is_short = word.chars().count() == 3 && by_head(word).is_some();
    let is_whole = || {
        WHOLE
            .iter()
            .any(|(_, names)| names.split(' ').any(|name| name == word))
    };
    is_short
        || (word.len() > 3 && NAMES.split(' ').any(|name| name == word))
        || word.chars().count() > 3 && is_whole()
}

/// The number of a month by its name in lower case, in any of the languages that dates are read in. Words that
/// begin like a month in a language that bends its names are taken for it.
pub fn month_number(name: &str) -> Option<u64> {
    number(name)?.parse().ok()
}

/// The same, as dates are written with it.
pub(crate) fn number(name: &str) -> Option<&'static str> {
    let whole = |name: &str| {
        let months = WHOLE.iter();
        let mut months = months.filter(|(_, names)| names.split(' ').any(|known| known == name));
        months.next().map(|(number, _)| *number)
    };
    // Hebrew has "in" as a letter before the name.
    let in_hebrew = || name.strip_prefix('ב').and_then(whole);
    whole(name).or_else(in_hebrew).or_else(|| by_head(name))
}

/// The same on a page whose language may tell.
pub(crate) fn number_in(name: &str, usage: Usage) -> Option<&'static str> {
    let mut words = OF_LANGUAGES.iter();
    let of_language = words.find(|(word, languages, _)| {
        *word == name && usage.is_known_to_be(languages.iter().copied())
    });
    let of_language = of_language.map(|(_, _, number)| *number);
    of_language.or_else(|| number(name))
}

/// Names that are known as a whole: their first letters are those of another word, or they have no cases.
const WHOLE: [(&str, &str); 12] = [
    (
        "1",
        "يناير جانفي ژانویه ינואר जनवरी មករា tammikuuta sausio sausis siječnja siječanj студзеня urtarrilaren urtarrila \
         ionawr eanáir جنوری জানুয়ারি ஜனவரி जानेवारी қаңтар",
    ),
    (
        "2",
        "فبراير فيفري شباط فوریه פברואר फरवरी फ़रवरी फ\u{93c}रवरी កុម្ភៈ កុម្ភះ helmikuuta vasario vasaris veljače veljača \
         лютага otsailaren otsaila chwefror feabhra pebrero shkurt فروری ফেব্রুয়ারি பிப்ரவரி फेब्रुवारी ақпан",
    ),
    (
        "3",
        "maart مارس آذار מרץ מרס מארס मार्च មីនា maaliskuuta kovo kovas ožujka ožujak сакавіка martxoaren martxoa mawrth \
         machi mac مارچ মার্চ மார்ச் наурыз",
    ),
    (
        "4",
        "أبريل ابريل إبريل أفريل نيسان آوریل אפריל अप्रैल មេសា huhtikuuta balandžio balandis travnja travanj красавіка \
         apirilaren apirila ebrill aibreán prill aprel اپریل এপ্রিল ஏப்ரல் एप्रिल сәуір",
    ),
    (
        "5",
        "مايو ماي أيار مه می מאי मई ឧសភា toukokuuta gegužės gegužė svibnja svibanj траўня maiatzaren maiatza bealtaine \
         مئی মে மே मे мамыр",
    ),
    (
        "6",
        "يونيو يونيه جوان حزيران ژوئن יוני जून មិថុនា června červen kesäkuuta birželio birželis lipnja lipanj чэрвеня \
         ekainaren ekaina mehefin meitheamh hunyo qershor iyun جون জুন ஜூன் маусым",
    ),
    (
        "7",
        "يوليو يوليه يوليوز جويلية تموز ژوئیه ژوییه جولای יולי जुलाई កក្កដា července červenec heinäkuuta liepos liepa \
         srpnja srpanj ліпеня uztailaren uztaila gorffennaf iúil hulyo korrik iyul جولائی জুলাই ஜூலை जुलै шілде",
    ),
    (
        "8",
        "أغسطس اغسطس غشت أوت آب اوت آگوست אוגוסט अगस्त សីហា elokuuta rugpjūčio rugpjūtis kolovoza kolovoz жніўня \
         abuztuaren abuztua awst lúnasa gusht avqust ogos اگست আগস্ট ஆகஸ்ட் ऑगस्ट тамыз",
    ),
    (
        "9",
        "سبتمبر شتنبر أيلول سپتامبر ספטמבר सितंबर सितम्बर កញ្ញា syyskuuta rugsėjo rugsėjis rujna rujan верасня irailaren \
         iraila medi shtator ستمبر সেপ্টেম্বর செப்டம்பர் सप्टेंबर қыркүйек",
    ),
    (
        "10",
        "أكتوبر اكتوبر اکتبر אוקטובר अक्टूबर अक्तूबर តុលា lokakuuta spalio spalis кастрычніка urriaren urria hydref tetor \
         اکتوبر অক্টোবর அக்டோபர் ऑक्टोबर қазан",
    ),
    (
        "11",
        "نوفمبر نونبر نوامبر נובמבר नवंबर नवम्बर វិច្ឆិកា marraskuuta lapkričio lapkritis studenoga studenog studeni \
         лістапада azaroaren azaroa tachwedd nëntor نومبر নভেম্বর நவம்பர் नोव्हेंबर қараша",
    ),
    (
        "12",
        "ديسمبر دجنبر دسامبر דצמבר दिसंबर दिसम्बर ធ្នូ desember joulukuuta gruodžio gruodis desembre снежня abenduaren \
         abendua rhagfyr disyembre dhjetor disember desemba دسمبر ডিসেম্বর டிசம்பர் डिसेंबर желтоқсан",
    ),
];

/// Words that are another month or none in other languages, with those in which they are this one: "listopada" is October
/// in Croatian and November in Polish, "des" an article in French.
const OF_LANGUAGES: [(&str, &[&str], &str); 5] = [
    ("listopada", &["hr", "bs", "sh"], "10"),
    ("listopad", &["hr", "bs", "sh"], "10"),
    (
        "des",
        &["no", "nb", "nn", "is", "id", "ms", "ca", "af"],
        "12",
    ),
    ("vas", &["lt"], "2"),
    ("lie", &["lt"], "7"),
];

/// The first letters of names, in languages that bend them.
const HEADS: [(&str, &str); 12] = [
    (
        "1",
        "jan jaan ene gen xan yan янв яну јан sty led ocak oca січ ιαν ianu იანვ հունվ",
    ),
    (
        "2",
        "feb veeb fév fev фев феб lut şub únor люто лютий φεβ თებერვ փետր",
    ),
    ("3", "mar mär már mrt мар břez бере μαρ μάρ მარტ մարտ"),
    (
        "4",
        "apr abr avr ápr апр kwi nis dubn duben квіт απρ აპრ ապր",
    ),
    (
        "5",
        "may mai maí mag maj máj мая мај май mei květ травн μαΐ μαϊ μάι მაის մայիս",
    ),
    (
        "6",
        "jun jún jūn juun juin giu xuñ июн юни јун cze haz червн червень ιουν ιούν iun ივნ հունիս",
    ),
    (
        "7",
        "jul júl jūl juul juil lug xul июл юли јул lip tem липн ιουλ ιούλ iul ივლ հուլիս",
    ),
    (
        "8",
        "aug ágú aoû aou ago avg agust авг sie ağu srpn srpen серпн αυγ αύγ აგვ օգոստ",
    ),
    (
        "9",
        "sep szept set сен септ wrz eyl září вере σεπ სექტ սեպտ",
    ),
    ("10", "oct okt ott out окт paź eki říj жовт οκτ ოქტ հոկտ"),
    (
        "11",
        "nov nóv ноя ноем новем lis kas листоп νοε νοέ noie ნოემ նոյեմ",
    ),
    (
        "12",
        "dec dez déc dic дек дец gru ara prosin detse груд δεκ დეკ դեկտ",
    ),
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
    fn dates_with_the_year_first_are_read_with_the_names_of_months() {
        for text in [
            "2024. május 3.",
            "2024. május 3-án",
            "Megjelent: 2024. máj. 3., péntek",
            "2024 m. gegužės 3 d.",
            "2024. gada 3. maijs",
            "2024.gada 3.maijs",
            "2024ko maiatzaren 3a",
            "2024 жылғы 3 мамыр",
            "2024-yil 3-may",
            "2024 May 3",
            "2024-May-03",
            "3. mai 2024",
            "3. maí 2024",
            "3. maja 2024",
            "3.Mai 2024",
            "3. svibnja 2024.",
            "3. мај 2024.",
            "3 травня 2024",
            "3 мая 2024",
            "3 de maig de 2024",
            "3 মে 2024",
            "3 მაისი 2024",
            "3 Bealtaine 2024",
        ] {
            assert_eq!(
                written(text, false).as_deref(),
                Some("2024-05-03"),
                "{text}"
            );
        }
        for text in ["2024 version 3", "2024 3 May", "2024 May 34", "12024 May 3"] {
            assert_eq!(written(text, false), None, "{text}");
        }
    }

    #[test]
    fn a_name_is_the_month_that_it_is_in_the_language_of_the_page() {
        let usage = |lang: &str| super::Usage::on_page(false.into(), Some(lang));
        for (text, lang, date) in [
            ("12. listopada 2024", "hr", "2024-10-12"),
            ("12 listopada 2024", "pl", "2024-11-12"),
            ("12. des. 2024", "no", "2024-12-12"),
            ("12. srpnja 2024", "hr", "2024-07-12"),
            ("12. srpna 2024", "cs", "2024-08-12"),
        ] {
            assert_eq!(written(text, usage(lang)).as_deref(), Some(date), "{text}");
        }
    }

    #[test]
    fn a_date_in_other_digits_begins_where_it_stands() {
        let text = "دليل ٧٧ — ١٢ مارس ٢٠٢٤";
        assert_eq!(place(text).map(|at| &text[at..]), Some("١٢ مارس ٢٠٢٤"));
    }
}
