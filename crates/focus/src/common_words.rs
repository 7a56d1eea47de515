//! The commonest words of some languages, which are on every page and say nothing of a topic.

/// Words of letters that are found on nearly any page in English, German, French, Spanish, Italian or Portuguese,
/// in order.
const IN_LETTERS: [&str; 258] = [
    "a", "about", "add", "after", "ago", "al", "all", "alla", "also", "am", "an", "and", "any",
    "ao", "are", "as", "ask", "at", "au", "auch", "auf", "aus", "aux", "avec", "back", "be",
    "been", "bei", "being", "both", "but", "by", "can", "ce", "cette", "che", "com", "come",
    "como", "con", "could", "da", "dal", "dans", "das", "de", "del", "della", "dem", "den", "der",
    "des", "di", "did", "die", "do", "does", "dos", "down", "e", "each", "ein", "eine", "einen",
    "einer", "el", "elle", "else", "em", "en", "es", "est", "esta", "este", "et", "even", "ever",
    "every", "few", "first", "foi", "for", "from", "für", "get", "gli", "go", "good", "had", "has",
    "have", "he", "her", "here", "him", "his", "how", "i", "if", "il", "im", "in", "into", "is",
    "ist", "it", "its", "je", "just", "know", "la", "las", "last", "le", "les", "less", "let",
    "leur", "like", "lo", "long", "los", "lot", "ma", "made", "mais", "make", "many", "may", "me",
    "mit", "more", "most", "much", "must", "my", "más", "na", "nas", "ne", "need", "nel", "new",
    "next", "nicht", "no", "non", "nos", "not", "nous", "now", "não", "o", "of", "off", "on",
    "one", "only", "or", "os", "other", "ou", "our", "out", "over", "own", "par", "para", "pas",
    "per", "pero", "più", "plus", "por", "pour", "put", "que", "qui", "re", "sa", "same", "say",
    "se", "see", "ses", "she", "should", "si", "sich", "sie", "sin", "sind", "so", "sobre", "some",
    "son", "sono", "su", "sua", "such", "sur", "sus", "take", "than", "that", "the", "their",
    "them", "then", "there", "these", "they", "this", "those", "through", "to", "too", "two", "um",
    "uma", "un", "una", "und", "under", "une", "up", "us", "use", "very", "via", "von", "vous",
    "want", "was", "way", "we", "well", "were", "what", "when", "where", "which", "while", "who",
    "why", "wie", "will", "wird", "with", "would", "y", "yes", "yet", "you", "your", "zu", "zum",
    "zur",
];
/// Chinese words that are found on nearly any page, in order.
const IN_HAN: [&str; 70] = [
    "一个", "不", "不是", "与", "为", "也", "了", "什么", "从", "他", "他们", "以", "以及", "会",
    "但", "但是", "你", "使用", "其", "到", "去", "及", "可以", "后", "和", "因为", "在", "她",
    "如果", "它", "对", "就", "就是", "已经", "并", "很", "我", "我们", "或", "所以", "把", "时",
    "时候", "是", "有", "来", "没有", "现在", "的", "等", "而", "能", "自己", "被", "要", "让",
    "说", "还", "还是", "这", "这个", "这些", "这样", "进行", "通过", "那", "那个", "那些", "都",
    "需要",
];

/// Whether a folded word is among the commonest of its language.
pub(crate) fn is_common(word: &str) -> bool {
    IN_LETTERS.binary_search(&word).is_ok() || IN_HAN.binary_search(&word).is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn common_words_are_in_order_and_found() {
        assert!(IN_LETTERS.is_sorted() && IN_HAN.is_sorted());
        for word in ["us", "it", "go", "which", "und", "les", "可以", "的"] {
            assert!(is_common(word), "{word}");
        }
        for word in ["ai", "sql", "car", "bus", "数据库", "茶"] {
            assert!(!is_common(word), "{word}");
        }
    }
}
