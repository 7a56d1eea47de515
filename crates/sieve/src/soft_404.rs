//! Pages that say "not found" with status 200, and other errors that a server tells as a page.
//!
//! Known by a *statement*: a sentence in which what was asked for (this page, the requested URL, 您访问的文章)
//! is said to be missing (cannot be found, has been removed, 不存在). It must stand where an error page has
//! it: as a part of the title, or in the first sentences of a short text. A title such as "404" or
//! "Oops" says so only where there is hardly any text. Long pages are never taken for one: an article
//! about HTTP 404 is an article. So is a short page that says what such a sentence means ("404 Not Found
//! is a client error"), and one that tells of a missing page without a word to the reader, and goes on to
//! tell more.

mod wordings;

use wordings::{BESIDE, DEFINES, FAILURES, HINTS, OUTRIGHT, QUESTIONS, WORDINGS, Wording};

/// Pages with more words are not looked at: error pages are short.
const WORDS_MAX: u32 = 120;
/// The same where the whole title is a statement: below it there may be teasers.
const WORDS_MAX_ENTITLED: u32 = 300;
/// Below a title that hints at an error there are no more words than these.
const WORDS_MAX_HINTED: u32 = 12;
/// The part of a text that is read, in characters.
const TEXT_CHARS_MAX: usize = 400;
/// The sentences that are read.
const SENTENCES_MAX: usize = 2;
/// A longer sentence tells more than that something is missing.
const STATEMENT_CHARS_MAX: usize = 120;
/// A sentence of so few characters, half as many Chinese ones, needs nobody to be sorry, and nobody who asked.
const BARE_CHARS_MAX: usize = 24;
/// So much own text, in characters and half as many Chinese ones, is a page below a statement that is not
/// made to the reader: some twenty words.
const OWN_CHARS_MIN: usize = 120;
/// So many letters of a title, half as many Chinese ones, are more than a statement.
const BEYOND_MIN: usize = 6;

/// Tells whether a page of `words` words reads like an error page.
pub fn is_soft_404(title: &str, text: &str, words: u32) -> bool {
    if words > WORDS_MAX_ENTITLED {
        return false;
    }
    let title = segment::fold(title.trim());
    let end = text.char_indices().nth(TEXT_CHARS_MAX);
    let end = end.map_or(text.len(), |(at, _)| at);
    let text = segment::fold(&text[..end]);
    let text = text.trim_start();
    let (heading, below) = text.split_once('\n').unwrap_or_default();
    if defines(bare(&title), text) || defines(bare(heading), below.trim_start()) {
        return false;
    }
    let is_told = |sentence: &str| {
        is_statement(sentence)
            && (is_to_reader(sentence) || !has_own_text(text, wording_of(sentence)))
    };
    if is_outright(bare(&title)) || is_told(&title) && begins_as_told(&title) {
        return true;
    }
    if words > WORDS_MAX {
        return false;
    }
    // A title may carry the site's name: "Not Found | Example", "示例网_页面不存在".
    let parts = || {
        let parts = title.split(['|', '_', '·', '–', '—']);
        parts.flat_map(|part| part.split(" - "))
    };
    if parts().any(is_told) {
        return true;
    }
    if parts().any(|part| HINTS.contains(&bare(part))) && words <= WORDS_MAX_HINTED {
        return true;
    }
    // A dot within a URL ends no sentence.
    let sentences = text
        .split(|c| ENDS.contains(&c) || matches!(c, '…' | '\n' | '¡'))
        .flat_map(|part| part.split(". "))
        .filter(|sentence| sentence.chars().any(char::is_alphabetic));
    let is_failure = |failure: &&str| text.starts_with(*failure) && !defines(failure, text);
    let mut first = sentences.take(SENTENCES_MAX);
    first.any(is_told) || FAILURES.iter().any(is_failure)
}

/// Whether a page reads like an error page by its title alone, and is none: it was promised to be called so by the
/// link to it, and the title has more than the statement, or the text goes on with something of its own. Links to
/// dead pages bear those pages' names.
pub fn is_but_called_so(title: &str, text: &str, words: u32) -> bool {
    let title = segment::fold(title.trim());
    let (heading, below) = text.split_once('\n').unwrap_or((text, ""));
    let text = match segment::fold(heading.trim()) == title {
        true => below,
        false => text,
    };
    let end = text.char_indices().nth(TEXT_CHARS_MAX);
    let start = segment::fold(&text[..end.map_or(text.len(), |(at, _)| at)]);
    !is_soft_404("", text, words) && (says_more(&title) || has_own_text(&start, None))
}

/// Whether a folded title has words beside those of a statement.
fn says_more(title: &str) -> bool {
    let of_wording =
        |wording: &'static Wording| [wording.missing, wording.told, wording.weak, wording.asked];
    let known = WORDINGS.iter().flat_map(of_wording).flatten();
    let mut rest = title.to_owned();
    for words in OUTRIGHT.iter().chain(known).chain(HINTS) {
        if has_word(&rest, words) {
            rest = rest.replace(words, " ");
        }
    }
    let letters = rest.chars().filter(|c| c.is_alphabetic());
    letters.map(weight).sum::<usize>() >= BEYOND_MIN
}

/// Whether a text begins with these words, and goes on to say what they mean. An error page that says why
/// ("页面不存在是因为……") or what it shows speaks to its reader.
fn defines(words: &str, text: &str) -> bool {
    const TO_READER: [&str; 7] = ["please", "sorry", "our", "you", "请", "您", "抱歉"];
    let rest = text.strip_prefix(words).map(str::trim_start);
    let means = |rest: &str| DEFINES.iter().any(|word| rest.starts_with(word)) && !is_reason(rest);
    !words.is_empty()
        && rest.is_some_and(means)
        && !TO_READER.iter().any(|word| has_word(text, word))
}

/// Whether a statement is made to who asked, or is all that its sentence says. A story may say that a page was
/// removed on request, or that it is a pity.
fn is_to_reader(sentence: &str) -> bool {
    let has = |words: &[&str]| words.iter().any(|word| has_word(sentence, word));
    WORDINGS.iter().any(|wording| has(wording.told))
        || !WORDINGS.iter().any(|wording| has(wording.weak))
}

/// The signs that end a sentence.
const ENDS: [char; 7] = ['!', '?', '。', '।', '؟', '۔', '។'];

/// Whether whole sentences of a text tell more than an error page with a statement of this wording has to say.
fn has_own_text(text: &str, wording: Option<&Wording>) -> bool {
    let known = wording.map(|of| [of.asked, of.told, of.beside]);
    let known = || known.iter().flatten().copied().flatten();
    let is_own = |sentence: &&str| {
        !is_statement(sentence)
            && !BESIDE
                .iter()
                .chain(known())
                .any(|word| has_word(sentence, word))
    };
    let is_end = |c: char| c == '.' || ENDS.contains(&c);
    // In Thai and Lao a blank ends a sentence.
    let is_blank = |c: char| matches!(c, ' ' | '\n');
    let is_thai = |text: &str| text.contains(|c| matches!(c, '\u{e01}'..='\u{eff}'));
    let sentences = text.split_inclusive(is_end).flat_map(|sentence| {
        let parts = is_thai(sentence).then(|| sentence.split(is_blank));
        let whole = parts.is_none().then_some(sentence);
        let whole = whole.filter(|sentence| sentence.ends_with(is_end));
        parts.into_iter().flatten().chain(whole)
    });
    let chars = sentences.filter(is_own).flat_map(str::chars).map(weight);
    chars.sum::<usize>() >= OWN_CHARS_MIN
}

/// What a character says, in letters: one that stands for a syllable or a word says as much as two or more. Those are
/// Hangul's, Ethiopic's, and those of Chinese and Japanese; the scripts of India and its neighbours have letters.
fn weight(c: char) -> usize {
    let is_syllable = matches!(c, '\u{1100}'..='\u{139f}' | '\u{2e80}'..='\u{d7ff}' | '\u{f900}'..='\u{faff}' | '\u{ff00}'..='\u{ffef}' | '\u{20000}'..);
    1 + usize::from(is_syllable)
}

/// A part of a title or a sentence without what it ends with.
fn bare(part: &str) -> &str {
    part.trim()
        .trim_end_matches(['!', '.', '。', '…', ':', ' '])
}

/// Whether a title or sentence begins with one of the usual ones, and goes on with nothing or a sign.
fn is_outright(sentence: &str) -> bool {
    sentence.chars().count() <= BARE_CHARS_MAX * 2
        && OUTRIGHT.iter().any(|words| {
            let rest = sentence.strip_prefix(words);
            let first = rest.map(|rest| rest.trim_start().chars().next());
            first.is_some_and(|first| !first.is_some_and(char::is_alphanumeric))
        })
}

/// Whether a sentence says that what was asked for is missing.
fn is_statement(sentence: &str) -> bool {
    let sentence = bare(sentence);
    let chars = sentence.chars().take(STATEMENT_CHARS_MAX * 2 + 1);
    let weight: usize = chars.map(weight).sum();
    if weight > STATEMENT_CHARS_MAX * 2 || sentence.is_empty() {
        return false;
    }
    if FAILURES.contains(&sentence) || is_outright(sentence) {
        return true;
    }
    wording_of(sentence).is_some()
}

/// The wording in which a sentence says that what was asked for is missing.
fn wording_of(sentence: &str) -> Option<&'static Wording> {
    let sentence = bare(sentence);
    let has = |words: &[&str]| words.iter().any(|word| has_word(sentence, word));
    let is_missing = |word: &&str| {
        let mut found = sentence.match_indices(word);
        has_word(sentence, word) && found.any(|(at, _)| !goes_on(&sentence[at + word.len()..]))
    };
    let is_bare = || sentence.chars().map(weight).sum::<usize>() <= BARE_CHARS_MAX;
    let is_one = |wording: &&Wording| {
        wording.missing.iter().any(is_missing)
            && wording.asked.iter().any(|word| names(sentence, word))
            && (has(wording.told) || has(wording.weak) || is_bare())
    };
    let mut wordings = WORDINGS.iter().filter(|_| !has(QUESTIONS));
    wordings.find(is_one)
}

/// Whether a sentence has the word for what was asked for. In Hebrew an article and prepositions begin that word, and
/// letters behind it make it another: of "pillars of" (עמודי) the beginning is "page".
fn names(sentence: &str, word: &str) -> bool {
    let is_hebrew = |c: char| matches!(c, '\u{5d0}'..='\u{5ea}');
    let mut found = sentence.match_indices(word);
    has_word(sentence, word)
        && found.any(|(at, _)| {
            let is_whole = !sentence[at + word.len()..].starts_with(is_hebrew);
            is_whole || !word.ends_with(is_hebrew)
        })
}

/// Whether a Chinese sentence goes on so that what stands before is part of a name (已删除的内容), or is
/// explained (页面不存在是……).
fn goes_on(rest: &str) -> bool {
    rest.starts_with('的') || rest.starts_with('是') && !is_reason(rest)
}

/// Whether what follows a statement says why it is so.
fn is_reason(rest: &str) -> bool {
    const BECAUSE: [&str; 3] = ["是因为", "是由于", "是否"];
    BECAUSE.iter().any(|word| rest.starts_with(word))
}

/// Whether a statement begins with who is sorry or what was asked for, and so speaks to the reader.
fn begins_as_told(sentence: &str) -> bool {
    let told = WORDINGS
        .iter()
        .flat_map(|wording| [wording.told, wording.weak]);
    told.flatten().any(|word| sentence.starts_with(word))
}

/// Whether a text has these words; Latin letters do not go on before or after them.
fn has_word(text: &str, word: &str) -> bool {
    let is_latin = |c: char| c.is_alphabetic() && c < '\u{250}';
    text.match_indices(word).any(|(at, _)| {
        let before = text[..at].chars().next_back();
        let after = text[at + word.len()..].chars().next();
        let goes_on = |beside: Option<char>, own: Option<char>| {
            beside.is_some_and(is_latin) && own.is_some_and(is_latin)
        };
        !goes_on(before, word.chars().next()) && !goes_on(after, word.chars().next_back())
    })
}

#[cfg(test)]
mod tests {
    use super::{
        BESIDE, DEFINES, FAILURES, HINTS, OUTRIGHT, WORDINGS, is_but_called_so, is_soft_404,
    };

    const HELP: &str = "Please check the address for typing errors, go back to the home page, or use the \
        search box above to find what you need. If you think that this is our mistake, write to us.";

    /// Title, text, and its number of words, a Chinese one's roughly.
    fn is_error(title: &str, text: &str) -> bool {
        let words = match text.is_ascii() {
            true => text.split_whitespace().count(),
            false => text.chars().count() / 2,
        };
        is_soft_404(title, text, words as u32)
    }

    #[test]
    fn error_pages_are_known_in_many_languages() {
        for (title, text) in [
            (
                "Boekhandel",
                "Sorry, de pagina die u zoekt bestaat niet meer.",
            ),
            ("Bokhandel", "Tyvärr, sidan du söker kunde inte hittas."),
            ("Boghandel", "Beklager, siden du leder efter findes ikke."),
            ("Kirjakauppa", "Valitettavasti etsimääsi sivua ei löytynyt."),
            (
                "Księgarnia",
                "Przepraszamy, strona, której szukasz, nie istnieje.",
            ),
            (
                "Knihkupectví",
                "Litujeme, požadovaná stránka nebyla nalezena.",
            ),
            ("Könyvesbolt", "Sajnáljuk, a keresett oldal nem található."),
            (
                "Librărie",
                "Ne pare rău, pagina pe care o căutați nu există.",
            ),
            ("Kitapçı", "Üzgünüz, aradığınız sayfa bulunamadı."),
            ("Hiệu sách", "Rất tiếc, trang bạn yêu cầu không tồn tại."),
            ("Toko buku", "Maaf, halaman yang Anda cari tidak ditemukan."),
            (
                "Книгарня",
                "На жаль, сторінку, яку ви шукаєте, не знайдено.",
            ),
            (
                "Βιβλιοπωλείο",
                "Λυπούμαστε, η σελίδα που ζητήσατε δεν βρέθηκε.",
            ),
            ("مكتبة", "عذراً، الصفحة التي تبحث عنها غير موجودة."),
            ("کتابفروشی", "متاسفانه صفحه مورد نظر شما یافت نشد."),
            ("חנות ספרים", "מצטערים, העמוד שחיפשת לא נמצא."),
            ("किताब घर", "क्षमा करें, आप जो पृष्ठ खोज रहे हैं वह नहीं मिला।"),
            ("ร้านหนังสือ", "ขออภัย ไม่พบหน้าที่คุณต้องการ"),
            ("ហាងសៀវភៅ", "សូមអភ័យទោស ទំព័រដែលអ្នកស្វែងរកមិនមានទេ"),
            ("Страница не найдена - Магазин", "Вернуться на главную"),
            ("Sayfa bulunamadı | Kitapçı", "Ana sayfa"),
            // What such pages go on with is no text of their own.
            (
                "Boekhandel",
                "Helaas, de pagina bestaat niet meer. Controleer het adres in de balk boven in het venster. Ga terug naar \
                    de startpagina van de winkel. Gebruik de zoekfunctie om het boek alsnog te vinden, of bel met ons.",
            ),
            (
                "Książki",
                "Niestety strona nie istnieje. Sprawdź, czy adres wpisano bez błędów i wielkich liter. Możesz wrócić \
                    na stronę główną albo skorzystać z wyszukiwarki. Prosimy o kontakt, gdy to nasz błąd.",
            ),
        ] {
            assert!(is_error(title, text), "{title}: {text}");
        }
    }

    #[test]
    fn pages_about_something_are_none_in_many_languages() {
        for (title, text) in [
            // "The pillars of the temple have not been found, to our regret."
            (
                "המקדש",
                "לצערנו עמודי המקדש לא נמצאו, וגם עמודי הכניסה לא נמצאו.",
            ),
            (
                "Thời trang",
                "Với mẫu trang phục này, bạn không còn phải lo lắng khi ra phố vào mùa đông.",
            ),
            (
                "Resep",
                "Artikel ini ditujukan bagi Anda yang tidak ada waktu untuk memasak di rumah.",
            ),
            (
                "Zaginiona strona",
                "Ostatnia strona rękopisu, której szukali badacze, leży w archiwum miejskim.",
            ),
            (
                "Kayıp defter",
                "Defterin ilk sayfası kayıp, ama yazar onu ezbere biliyordu.",
            ),
            (
                "Втрачений лист",
                "Лист не знайдено у книзі, яку ніхто не читав сто років.",
            ),
            (
                "Το χαμένο βιβλίο",
                "Η πρώτη σελίδα του βιβλίου που αναζητάτε σώζεται στη βιβλιοθήκη.",
            ),
            (
                "الكتاب",
                "هذه صفحة من تاريخ المدينة التي لا توجد لها خريطة قديمة.",
            ),
            ("קמח", "הדף הזה מספר על טחנת קמח ישנה ליד הנהר."),
            ("จดหมาย", "หน้าแรกของสมุดเล่าเรื่องแม่น้ำในฤดูฝน ไม่พบคำว่าเรือเลย"),
            ("नदी", "यह लेख नदी के बारे में है। आप इसे घर पर पढ़ सकते हैं।"),
            // An officer is no page.
            ("ข่าวสะพาน", "เจ้าหน้าที่ไม่พบศพ"),
            (
                "เจ้าหน้าที่ไม่พบผู้รอดชีวิต",
                "แม่น้ำเอ่อล้นในคืนวันพฤหัสบดี ชาวบ้านได้ยินเสียงดัง",
            ),
            // Somebody asked for it, or it is a pity, and there is more to tell.
            (
                "Con đê",
                "Facebook cho biết nội dung đã bị xóa theo yêu cầu của chính quyền tỉnh. Nước dâng cao vào đêm thứ \
                    năm và cuốn trôi cây cầu đá hai trăm năm tuổi. Người dân trong làng nghe một tiếng động lớn lúc nửa \
                    đêm. Sáng hôm sau chỉ còn lại hai trụ đá giữa dòng nước.",
            ),
            (
                "Een stuk over de dijk",
                "Het artikel is helaas verwijderd uit de krant en niet meer beschikbaar. Het ging over de oude dijk \
                    langs de rivier, waar het water in de nacht steeg. De mensen in het dorp hoorden een harde klap.",
            ),
            (
                "नदी का पुल",
                "खेद है कि वह लेख हटा दिया गया। नदी के किनारे का पुराना बाँध रात को टूट गया और पत्थर का पुल बह गया। \
                    गाँव के लोगों ने आधी रात को एक तेज़ आवाज़ सुनी। सुबह धारा के बीच केवल दो खंभे बचे थे। \
                    नया पुल कब बनेगा यह सरकार ने अभी नहीं बताया।",
            ),
        ] {
            assert!(!is_error(title, text), "{title}: {text}");
        }
    }

    #[test]
    fn usual_error_pages_are_known_in_several_languages() {
        for (title, text) in [
            ("404 Not Found", "nginx"),
            ("Page not found | Example", "Try the search."),
            ("示例网站", "抱歉，您访问的页面不存在。"),
            ("お知らせ", "お探しのページは見つかりませんでした。"),
            ("Oops! That page can’t be found.", HELP),
            ("My Shop - Page not found", HELP),
            (
                "Sorry about that",
                &format!("We could not find this page. {HELP}"),
            ),
            (
                "My Shop - 404",
                &format!("Sorry, this page does not exist. {HELP}"),
            ),
            (
                "404.",
                "That's an error. The requested URL /x was not found on this server. That's all we know.",
            ),
            ("This page has been removed", HELP),
            (
                "提示信息 - 论坛",
                "抱歉，指定的主题不存在或已被删除或正在被审核\n您可以使用搜索功能查找本站其他主题，或者联系管理员处理。",
            ),
            (
                "某某网",
                "很抱歉，您要访问的页面已删除、更名或暂时不可用。请检查网址输入是否正确，或者返回首页。",
            ),
            (
                "出错了",
                "对不起，您查看的文章不存在，可能已经被作者删除或者转移到了其他栏目，请返回上一页继续浏览。",
            ),
            (
                "页面找不到了 - 某某",
                "别着急，您可以点击下面的链接返回首页，或者使用搜索框查找您需要的内容。",
            ),
            (
                "Seite nicht gefunden",
                "Bitte prüfen Sie die Adresse oder benutzen Sie die Suche.",
            ),
            (
                "Page introuvable",
                "Veuillez vérifier l'adresse ou utiliser le moteur de recherche du site.",
            ),
            (
                "404",
                "К сожалению, запрашиваемая вами страница не найдена. Проверьте адрес.",
            ),
            (
                "Error establishing a database connection",
                "This either means that the user name and password are incorrect or that the server is down.",
            ),
            (
                "App",
                "You need to enable JavaScript to run this app. Then reload this page.",
            ),
        ] {
            assert!(is_error(title, text), "{title}: {text}");
        }
    }

    #[test]
    fn wordings_are_written_as_texts_are_folded() {
        let wordings = WORDINGS
            .iter()
            .flat_map(|of| [of.asked, of.missing, of.told, of.weak, of.beside]);
        let lists = [HINTS, OUTRIGHT, FAILURES, DEFINES, BESIDE];
        for word in wordings.chain(lists).flatten() {
            assert_eq!(segment::fold(word), *word);
        }
    }

    #[test]
    fn teasers_below_a_title_that_says_it_all_do_not_make_a_page() {
        let teasers =
            "Latest: the river has risen by a metre since May, says the mayor. ".repeat(15);
        assert!(is_error("Oops! That page can't be found.", &teasers));
        assert!(!is_error("The river has risen", &teasers));
    }

    const STORY: &str = "All night the men of the village went along the river with lamps. In the morning \
        a shepherd found him beside a cow that had kept him warm.";

    #[test]
    fn short_pages_that_begin_like_an_error_and_go_on_are_pages() {
        for (title, text) in [
            (
                "404 Not Found",
                "404 Not Found is a client error of HTTP. A proxy may send it as well.",
            ),
            (
                "Error establishing a database connection",
                "Error establishing a database connection is an error of WordPress. Look at wp-config.php.",
            ),
            (
                "404 Not Found - A reference",
                "404 Not Found\n404 Not Found is a client error of HTTP. A proxy may send it as well.",
            ),
            (
                "The boy and the cow",
                &format!("The page boy was not found after the storm. {STORY}"),
            ),
            (
                "A court and a book",
                &format!("The page has been removed from the book by the court. {STORY}"),
            ),
            (
                "页面不存在怎么办",
                "页面不存在是常见的错误。解决办法：检查服务器的设置，看文件是否还在原处。",
            ),
            (
                "内容已删除的法律问题",
                "该内容已被作者删除，法院如何认定证据？律师认为应当看公证书。",
            ),
        ] {
            assert!(!is_error(title, text), "{title}: {text}");
        }
        // With nothing more to tell, or with a word to the reader, they are errors.
        assert!(is_error(
            "A shop",
            "The page has been removed from the catalogue."
        ));
        assert!(is_error(
            "A shop",
            &format!("Sorry, the page has been removed. {STORY}")
        ));
    }

    #[test]
    fn pages_that_speak_of_such_things_are_pages() {
        for (title, text) in [
            ("Lost and found", "A poem about things that were lost."),
            (
                "404",
                "Peugeot 404 is a large family car made from 1960 to 1975. It was designed by Pininfarina.",
            ),
            (
                "Oops",
                "Oops is the second album of the band. It was recorded in a week and sold twelve copies.",
            ),
            (
                "Not found",
                "Not Found is a poem about a key. It was written in 1931, in one night, in Prague.",
            ),
            (
                "Questions",
                "The page you are looking for in the catalogue can be found by its number.",
            ),
            (
                "Shop news",
                "The blue edition is no longer available since we have sold all of them; the green one is back.",
            ),
            (
                "访问指南",
                "您访问的页面右上角有语言选项，点击可以切换中文和英文，也可以放大字体，方便老年读者阅读。",
            ),
            (
                "How servers answer",
                "A server says 404 where it has no such page. Code 500 says that it failed.",
            ),
            (
                "JavaScript guide",
                "To run the examples please enable JavaScript in your browser.",
            ),
            (
                "失物招领",
                "本周在图书馆找到的物品有雨伞两把、书包一个，请失主到服务台领取，逾期将统一处理。",
            ),
        ] {
            assert!(!is_error(title, text), "{title}: {text}");
        }
        assert!(!is_soft_404(
            "How 404 pages work",
            &"A page not found is a message. ".repeat(40),
            240
        ));
        assert!(!is_soft_404(
            "Page not found",
            &"It is the name of our column on lost books. ".repeat(40),
            400
        ));
    }

    #[test]
    fn a_title_that_was_promised_is_no_error_where_more_is_said() {
        let note = |title: &str, text: &str| {
            let text = format!("{title}\n{text}");
            let words = segment::Segmenter::shared().words(&text).len() as u32;
            (
                is_soft_404(title, &text, words),
                is_but_called_so(title, &text, words),
            )
        };
        let libssl =
            "It is part of the old release. Install it from there, or build against the new one.";
        assert_eq!(note("File not found: libssl.so.1.1", libssl), (true, true));
        assert_eq!(
            note(
                "该内容已失效：有效期标注的规定",
                "食品标签上的有效期按国标标注。"
            ),
            (true, true)
        );
        // A thread that is called as an error is, and goes on.
        assert_eq!(note("Page not found", STORY), (true, true));
        for (title, text) in [
            ("Page not found", "Back to the start"),
            (
                "File not found: a.html",
                "Sorry, the page you requested does not exist.",
            ),
            ("页面不存在", "您访问的页面不存在或已被删除！"),
        ] {
            assert_eq!(note(title, text), (true, false), "{title}");
        }
    }
}
