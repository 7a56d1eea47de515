//! What the words before a date say that it is the date of: the text's publishing, a change, or something else.

use crate::char_counts::is_cjk;

/// What a line says of its date.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Role {
    /// The text was published then, in so many words.
    Published,
    /// The text was changed then.
    Modified,
    /// Something else was then: a copy was made, a term ends, a member joined.
    Other,
    /// Nothing: the date stands for itself.
    Unsaid,
}

/// Words for publishing, in lower case.
const OF_PUBLISHING: [&str; 94] = [
    "публикация",
    "published",
    "posted",
    "publication",
    "released",
    "issued",
    "written",
    "created",
    "submitted",
    "reprinted",
    "发布",
    "发表",
    "發布",
    "發表",
    "刊登",
    "刊发",
    "发文",
    "成文",
    "印发",
    "发稿",
    "登载",
    "首发",
    "创建于",
    "公開",
    "掲載",
    "投稿",
    "作成",
    "配信",
    "입력",
    "등록",
    "작성",
    "게시",
    "게재",
    "승인",
    "발행",
    "veröffentlicht",
    "publié",
    "publicado",
    "pubblicato",
    "опубликовано",
    "opublikowano",
    "printed in",
    "publiée",
    "publicada",
    "pubblicata",
    "publicación",
    "publicação",
    "gepostet",
    "geplaatst",
    "gepubliceerd",
    "publicerad",
    "publisert",
    "udgivet",
    "julkaistu",
    "publicat",
    "опубликована",
    "дата публикации",
    "опубліковано",
    "публікація",
    "publikacja",
    "opublikowana",
    "data publikacji",
    "publikováno",
    "vydáno",
    "zveřejněno",
    "δημοσιεύτηκε",
    "δημοσιεύθηκε",
    "δημοσίευση",
    "αναρτήθηκε",
    "yayınlanma",
    "yayınlandı",
    "yayımlanma",
    "yayımlandı",
    "yayın tarihi",
    "نُشر",
    "نشر",
    "تاريخ النشر",
    "تم النشر",
    "انتشار",
    "منتشر شده",
    "פורסם",
    "תאריך פרסום",
    "प्रकाशित",
    "เผยแพร",
    "โพสต์",
    "ចេញផ្សាយ",
    "đăng",
    "xuất bản",
    "ngày đăng",
    "diterbitkan",
    "dipublikasikan",
    "diposting",
    "terbit",
    "النشر",
];

/// Words for a change of the text.
const OF_CHANGES: [&str; 100] = [
    "updated",
    "modified",
    "edited",
    "revised",
    "更新",
    "修改",
    "修订",
    "修訂",
    "最后编辑",
    "最後編輯",
    "编辑于",
    "編輯於",
    "编辑时间",
    "編輯時間",
    "本帖最后由",
    "本帖最後由",
    "最終編集",
    "編集日",
    "수정",
    "업데이트",
    "갱신",
    "aktualisiert",
    "mis à jour",
    "modifié",
    "actualizado",
    "aggiornato",
    "обновлено",
    "updatet",
    "zuletzt geändert",
    "geändert",
    "mise à jour",
    "modifiée",
    "actualizada",
    "actualización",
    "atualizado",
    "atualizada",
    "atualização",
    "modificado",
    "aggiornata",
    "aggiornamento",
    "modificato",
    "bijgewerkt",
    "gewijzigd",
    "uppdaterad",
    "ändrad",
    "oppdatert",
    "opdateret",
    "ændret",
    "päivitetty",
    "muokattu",
    "actualizat",
    "обновлена",
    "обновление",
    "изменено",
    "редактировалось",
    "оновлено",
    "оновлення",
    "змінено",
    "aktualizacja",
    "zaktualizowano",
    "edytowano",
    "modyfikacja",
    "aktualizováno",
    "aktualizace",
    "upraveno",
    "změněno",
    "ενημερώθηκε",
    "ενημέρωση",
    "τροποποιήθηκε",
    "güncelleme",
    "güncellendi",
    "güncellenme",
    "düzenleme",
    "تحديث",
    "تم التحديث",
    "تعديل",
    "به‌روزرسانی",
    "بروزرسانی",
    "به روز رسانی",
    "ویرایش",
    "עודכן",
    "עדכון",
    "अपडेट",
    "अद्यतन",
    "संशोधित",
    "อัปเดต",
    "อัพเดท",
    "อัพเดต",
    "แก้ไข",
    "ปรับปรุง",
    "កែប្រែ",
    "ធ្វើបច្ចុប្បន្នភាព",
    "cập nhật",
    "sửa đổi",
    "diperbarui",
    "pembaruan",
    "diubah",
    "التحديث",
    "ажурирано",
    "ενημερωθηκε",
];

/// Words for the making of a copy: when it was printed, fetched or looked up; for terms; for the lives of
/// people; for what a text announces; and for the present, as forums show it.
const OF_OTHERS: [&str; 115] = [
    "currently",
    "now is",
    "aktuelle zeit",
    "nous sommes le",
    "fecha actual",
    "сейчас",
    "сегодня",
    "printed",
    "print date",
    "retrieved",
    "accessed",
    "downloaded",
    "mirrored",
    "crawled",
    "fetched",
    "archived",
    "打印",
    "列印",
    "印刷",
    "下载",
    "下載",
    "抓取",
    "访问",
    "訪問",
    "镜像",
    "引用",
    "检索",
    "檢索",
    "查阅",
    "查閱",
    "閲覧",
    "推荐文章",
    "推薦文章",
    "마감",
    "until",
    "till",
    "through",
    "deadline",
    "deadline is",
    "valid",
    "valid from",
    "expires",
    "expiry",
    "expiration",
    "due",
    "ends",
    "closes",
    "closing",
    "starts",
    "begins",
    "opens",
    "effective",
    "event",
    "by",
    "since",
    "joined",
    "registered",
    "born",
    "截止",
    "截至",
    "至",
    "有效期",
    "到期",
    "自",
    "从",
    "施行",
    "实施",
    "注册",
    "加入",
    "入会",
    "出生",
    "生于",
    "报名时间",
    "考试时间",
    "举办时间",
    "举行时间",
    "活动时间",
    "会议时间",
    "开始时间",
    "结束时间",
    "bis",
    "bis zum",
    "jusqu'au",
    "jusqu’au",
    "hasta",
    "hasta el",
    "até",
    "fino al",
    "tot",
    "do dnia",
    "ważne do",
    "do",
    "до",
    "έως",
    "μέχρι",
    "kadar",
    "حتى",
    "تا",
    "עד",
    "ถึง",
    "đến",
    "hingga",
    "sampai",
    "geboren",
    "né le",
    "née le",
    "nacido",
    "nacida",
    "nato il",
    "nata il",
    "родился",
    "родилась",
    "народився",
    "народилася",
    "doğum tarihi",
];

/// What may stand between such a word and its date.
const JOINTS: [&str; 46] = [
    "on",
    "at",
    "date",
    "time",
    "于",
    "於",
    "时间",
    "時間",
    "日期",
    "日",
    "时",
    "为",
    "일시",
    "일자",
    "일",
    "시간",
    "날짜",
    "am",
    "le",
    "el",
    "em",
    "il",
    "dne",
    "op",
    "den",
    "в",
    "о",
    "от",
    "στις",
    "tarihi",
    "في",
    "بتاريخ",
    "در",
    "ב",
    "किया गया",
    "को",
    "เมื่อ",
    "ล่าสุด",
    "នៅ",
    "ngày",
    "lúc",
    "pada",
    "tanggal",
    "data",
    "dátum",
    "дата",
];

/// The days of the week.
pub(super) const WEEKDAYS: [&str; 14] = [
    "monday",
    "tuesday",
    "wednesday",
    "thursday",
    "friday",
    "saturday",
    "sunday",
    "mon",
    "tue",
    "wed",
    "thu",
    "fri",
    "sat",
    "sun",
];

/// What may stand before the first word of a line that announces its date.
const BEGINNINGS: [&str; 29] = [
    "last",
    "first",
    "originally",
    "this article was",
    "this post was",
    "this page was",
    "this entry was",
    "本文",
    "本页",
    "最后",
    "最近",
    "zuletzt",
    "dernière",
    "última",
    "último",
    "ultimo",
    "ultima",
    "ostatnia",
    "poslední",
    "последнее",
    "последняя",
    "останнє",
    "τελευταία",
    "son",
    "آخر",
    "آخرین",
    "अंतिम",
    "lần cuối",
    "terakhir",
];

/// What stands before a date, in lower case, says of it. In a sentence a word of publishing counts only
/// where it begins the line: "Version 2 was released on" tells of something else.
pub(crate) fn role_of(before: &str, in_sentence: bool) -> Role {
    let part = part_of(before);
    let end = without_joints(part);
    if ends_with_one(end, &OF_OTHERS) {
        return Role::Other;
    }
    let beginning = without_beginnings(part);
    let begins = |words: &[&str]| words.iter().any(|word| begins_with(beginning, word));
    if ends_with_one(end, &OF_CHANGES) || begins(&OF_CHANGES) {
        return Role::Modified;
    }
    if begins(&OF_PUBLISHING) || !in_sentence && ends_with_one(end, &OF_PUBLISHING) {
        return Role::Published;
    }
    Role::Unsaid
}

/// Whether a text, in lower case, ends with a word for publishing or change in Chinese, Japanese or Korean, in which a date has the
/// year first. Behind dots, as in numbers of versions, that word has to be a label of dates: it begins its part of the line, or a word
/// for time stands between ("发布时间", "작성일").
pub(super) fn announces_year(before: &str, is_dotted: bool) -> bool {
    let end = without_joints(before);
    let is_told = ends_with_one(end, &OF_PUBLISHING) || ends_with_one(end, &OF_CHANGES);
    is_told && end.ends_with(is_cjk) && (!is_dotted || is_label(before, end))
}

/// Whether a text that ends with such a word, and behind it with what joins it to a date, is a label of dates.
fn is_label(before: &str, end: &str) -> bool {
    let part = without_beginnings(part_of(end));
    let begins = |words: &[&str]| words.contains(&part);
    let joint = before[end.len()..].trim_matches(|c: char| !c.is_alphanumeric());
    !joint.is_empty() || begins(&OF_PUBLISHING) || begins(&OF_CHANGES)
}

/// The part of a line that a text ends with.
fn part_of(before: &str) -> &str {
    let from = before.rfind(['|', '·', '•', '\n', '；', ';', '\u{3000}', '/']);
    from.map_or(before, |at| {
        before[at..].trim_start_matches(|c: char| !c.is_alphanumeric())
    })
}

/// A text without the joints at its end that stand behind another word.
fn without_joints(mut before: &str) -> &str {
    loop {
        before = before.trim_end_matches(|c: char| !c.is_alphanumeric());
        let is_known = |text: &str| {
            [&OF_OTHERS[..], &OF_CHANGES, &OF_PUBLISHING]
                .iter()
                .any(|words| ends_with_one(text, words))
        };
        let joint = JOINTS.iter().chain(&WEEKDAYS).find_map(|joint| {
            before
                .strip_suffix(joint)
                .filter(|rest| !has_bounds(joint) || !rest.ends_with(char::is_alphanumeric))
        });
        match joint {
            Some(shorter) if !is_known(before) => before = shorter,
            Some(_) | None => return before,
        }
    }
}

fn without_beginnings(part: &str) -> &str {
    let mut part = part.trim_start_matches(|c: char| !c.is_alphanumeric());
    while let Some(rest) = BEGINNINGS.iter().find_map(|word| part.strip_prefix(word)) {
        part = rest.trim_start();
    }
    part
}

fn begins_with(text: &str, word: &str) -> bool {
    let rest = text.strip_prefix(word);
    rest.is_some_and(|rest| !has_bounds(word) || !rest.starts_with(char::is_alphabetic))
}

/// Whether a word is of a script that has spaces between words.
fn has_bounds(word: &str) -> bool {
    const THAI: char = '\u{e00}';
    const KHMER: std::ops::RangeInclusive<char> = '\u{1780}'..='\u{17ff}';
    let bounded = |c: char| c < THAI || !(c < '\u{1000}' || KHMER.contains(&c) || is_cjk(c));
    word.chars().next().is_some_and(bounded)
}

/// Whether a text ends with one of some words. "Reprinted" does not end with "printed".
fn ends_with_one(text: &str, words: &[&str]) -> bool {
    words.iter().any(|word| {
        let rest = text.strip_suffix(word);
        rest.is_some_and(|rest| !has_bounds(word) || !rest.ends_with(char::is_alphabetic))
    })
}
