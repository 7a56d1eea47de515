use super::*;

/// How often a keyword stands in a text.
#[track_caller]
fn count(keyword: &str, text: &str) -> u16 {
    let config = TopicConfig {
        keywords: vec![keyword.into()],
        ..TopicConfig::default()
    };
    let keywords = Keywords::parse(&config).unwrap();
    let words = Segmenter::shared().words(text);
    let mut counts = keywords.no_counts();
    keywords.count(&words, words.len(), Field::Text, None, &mut counts);
    assert_eq!(
        keywords.mask_with_more(0, text) == 1,
        counts[0][1] > 0,
        "{keyword} in {text}"
    );
    counts[0][1]
}

#[test]
fn a_keyword_in_han_is_found_however_the_dictionary_cuts_the_text() {
    for (keyword, text, times) in [
        ("电池", "锂电池、蓄电池和固态电池，也叫电池。", 4),
        ("電池", "锂电池很好", 1),
        ("大学", "他在北京大学学习", 1),
        ("大学", "这是重大学术问题", 0),
        ("机器学习", "机器学习很有用", 1),
        ("机器学习", "机器会学习", 0),
        ("量子计算", "量子计算机，量子计算", 2),
        ("C++", "Ｃ＋＋程序和C++语言，C语言，C#", 2),
        ("c#", "C# and C++ and C, in C#-like F#", 2),
        (".NET", "Use .NET, ASP.NET or the net.", 1),
        ("C", "C, C++ and C#", 3),
        ("learn C++", "Learn C. Learn C++ now.", 1),
        ("café", "A cafe, two cafés and a coffee", 2),
        ("cafe", "A café in the cafes", 2),
        ("Łódź", "Lodz", 1),
        ("año", "ano, año, anno", 2),
        ("固态电池", "全固态电池和半固态电池", 2),
        ("新能源汽车", "新能源汽车销量", 1),
        ("会计", "社会计划", 0),
        ("3D打印", "用3D打印机，也叫3D 打印", 2),
        ("维生素C", "复合维生素C", 1),
        ("C语言", "C语言学，C 语言", 2),
    ] {
        assert_eq!(count(keyword, text), times, "{keyword} in {text}");
    }
}

#[test]
fn one_character_is_found_in_words_that_are_of_it() {
    for (keyword, text, times) in [
        ("茶", "红茶和绿茶都在茶馆", 3),
        ("茶", "茶叶", 1),
        ("水", "他的水平很高", 0),
        ("水", "水平很高，水很深", 2),
        ("象", "对象和现象给人的印象", 0),
        ("象", "大象", 1),
        ("米", "三厘米", 0),
        ("鸟", "鸟类的迁徙", 1),
        ("药", "药物", 1),
    ] {
        assert_eq!(count(keyword, text), times, "{keyword} in {text}");
    }
}

#[test]
fn a_keyword_is_found_however_it_is_written() {
    for (keyword, text, times) in [
        (
            "email",
            "E-mail, e-mails, an e\u{2010}mail, emails; e mail",
            4,
        ),
        ("e-mail", "Email, emails, e-mails", 3),
        ("fulltext", "full text, full-text, full texts, FullText", 4),
        ("full-text search", "Fulltext search, full text searches", 2),
        ("full text search", "a fulltext-search", 1),
        ("website", "web site, Web sites", 2),
        ("today", "to day", 0),
        ("nowhere", "now here", 0),
        ("wifi", "Wi-Fi, WiFi", 2),
        ("wi-fi", "wifi", 1),
        ("b-tree", "Btree, B-trees, btrees", 3),
        ("btree", "a B-tree", 1),
        ("x86-64", "x86_64, x86-64, x86 64", 3),
        ("x86_64", "x86-64", 1),
        ("Node.js", "NodeJS, node.js, Node JS", 3),
        ("nodejs", "Node.js, node-js", 2),
        ("v2.0", "v20, v2.0", 1),
        ("3.14", "314 or 3.14", 1),
        ("mouse", "Mice, mouse's, mousse", 2),
        ("city", "cities, city's, cite", 2),
    ] {
        assert_eq!(count(keyword, text), times, "{keyword} in {text}");
    }
}

#[test]
fn an_abbreviation_that_would_be_a_common_word_is_asked_for_in_capitals() {
    for (keyword, text, times) in [
        (
            "US",
            "Let us go. The US and the U.S. Senate. LET US GO. uss",
            3,
        ),
        ("U.S.", "Let us go to the US", 1),
        ("IT", "It is it, and its ITs. IT jobs", 2),
        ("us", "Let us go to the US", 2),
        ("AI", "J’ai, ai; Ai. AI, A.I.", 2),
        ("AI", "the ai", 1),
        ("A.I.", "Of AI", 1),
        ("PC", "Two PCs, a PC, a pc", 2),
        ("SQL", "Sql, sql, SQL", 3),
        ("UNIX", "Unix", 1),
        ("HOW TO COOK FISH", "how to cook fish", 1),
        ("IT jobs", "it jobs, IT jobs", 1),
    ] {
        assert_eq!(count(keyword, text), times, "{keyword} in {text}");
    }
}

#[test]
fn keywords_that_most_pages_have_are_in_doubt() {
    let doubt = |keyword: &str| Keyword::parse(keyword).unwrap().doubt();
    for keyword in ["it", "IT", "US^2", "-the", "我们", "茶", "U.S."] {
        assert!(doubt(keyword).is_some(), "{keyword}");
    }
    for keyword in ["AI", "SQL", "car", "the law", "红茶", "R"] {
        assert_eq!(doubt(keyword), None, "{keyword}");
    }
}

#[test]
fn a_keyword_has_the_forms_of_the_pages_language() {
    for (keyword, text, lang, times) in [
        ("banca", "Le banche e la bancarella", Some("it"), 1),
        ("banca", "Le banche e la banca", None, 1),
        ("ev", "Evler, ev, evren", Some("tr"), 2),
        ("dům", "Domy a dům u domu", Some("cs"), 3),
        ("Wald", "Die Wälder, des Waldes, Waldemar", Some("de-AT"), 2),
        ("software", "Softwares und Software", Some("de"), 2),
        ("вода", "Воды и водка в воде", None, 2),
        ("متحف", "المتحف، والمتاحف، بالمتحف", None, 2),
        ("בנק ישראל", "הבנק, בנק ישראל, ובנק ישראל", Some("he"), 2),
        ("museum", "museumnya", Some("id"), 1),
    ] {
        let config = TopicConfig {
            keywords: vec![keyword.into()],
            ..TopicConfig::default()
        };
        let keywords = Keywords::parse(&config).unwrap();
        let words = Segmenter::shared().words(text);
        let mut counts = keywords.no_counts();
        let page = lang.and_then(Tongue::of_tag);
        keywords.count(&words, words.len(), Field::Text, page, &mut counts);
        assert_eq!(counts[0][1], times, "{keyword} in {text}");
    }
}

#[test]
fn weights_and_exclusions_are_read_from_the_keyword() {
    let keyword = Keyword::parse("query planner^2.5").unwrap();
    assert_eq!(
        (keyword.words.len(), keyword.weight, keyword.excluded),
        (2, 2.5, false)
    );
    assert!(Keyword::parse("-java").unwrap().excluded);
    let keyword = Keyword::parse("－死锁＾３").unwrap_err();
    assert_eq!(keyword, TopicError::Weight("－死锁＾３".into()));
    let keyword = Keyword::parse("－死锁＾3").unwrap();
    assert_eq!((keyword.excluded, keyword.weight), (true, 3.0));
    assert_eq!(
        Keyword::parse("sql^0").unwrap_err(),
        TopicError::Weight("sql^0".into())
    );
    assert_eq!(
        Keyword::parse(" - ").unwrap_err(),
        TopicError::NoWord(" - ".into())
    );
}
