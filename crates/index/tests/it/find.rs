//! What is found, in which order, and how it is shown.

use index::{Document, Filters, Hint, Searcher};
use outcome::PageType;
use proptest::prelude::*;

use crate::{page, search, urls, written};

const DATABASE: &str = "分布式数据库系统把一张表分成许多片，放在不同的机器上。\
    每一片有三个副本，一台机器坏了也不会丢失数据。查询由优化器分给各台机器去做。";
const POETRY: &str = "春天的早晨，他在河边读诗。水很清，石头上有青苔。他想起很多年前的一个朋友。";
const CRAWLER: &str = "A crawler visits pages politely. It keeps what is worth keeping. \
    Near duplicate pages are dropped before they reach the search index.";
const GARDEN: &str = "A garden needs water. Politely ask the neighbour for help. \
    Pages of a book can be kept dry in the shed.";

fn sample() -> tempfile::TempDir {
    let dir = tempfile::tempdir().unwrap();
    written(
        dir.path(),
        &[
            page("http://db.example.cn/a", "分布式数据库入门", DATABASE),
            page("http://poem.example.cn/b", "河边", POETRY),
            page("http://www.crawl.example/c", "How a crawler works", CRAWLER),
            page("http://garden.example/d", "Gardening", GARDEN),
        ],
    );
    dir
}

#[track_caller]
fn finds(query: &str, expected: &[&str]) {
    let dir = sample();
    assert_eq!(urls(&search(dir.path(), query)), expected, "{query}");
}

const DB: &str = "http://db.example.cn/a";
const POEM: &str = "http://poem.example.cn/b";
const CRAWL: &str = "http://www.crawl.example/c";
const GARDENING: &str = "http://garden.example/d";

#[test]
fn words_in_chinese_and_english_are_found() {
    finds("数据库", &[DB]);
    finds("青苔", &[POEM]);
    finds("crawler", &[CRAWL]);
    finds("CRAWLER Politely", &[CRAWL]);
}

#[test]
fn an_english_word_is_found_in_either_number_and_a_quoted_one_as_it_stands() {
    finds("crawlers", &[CRAWL]);
    finds("neighbours", &[GARDENING]);
    finds("\"neighbours\"", &[]);
    finds("-neighbours garden", &[GARDENING]);
    let dir = sample();
    let found = search(dir.path(), "neighbours");
    let snippet = &found[0].snippet;
    assert!(
        snippet.marked("[", "]").contains("[neighbour]"),
        "{snippet:?}"
    );
}

#[test]
fn an_unwanted_phrase_that_no_page_holds_is_left_out_in_peace() {
    let dir = tempfile::tempdir().unwrap();
    // Both characters of the unwanted word, never side by side: it is looked for as a row.
    let apart = "数据库公司招人，聘书已经寄出。";
    let both = "数据库公司招聘工程师。";
    let all = [
        page("http://a.example/", "一", "数据库把一张表分成许多片。"),
        page("http://b.example/", "二", apart),
        page("http://c.example/", "三", "数据库的索引。"),
    ];
    written(dir.path(), &all);
    assert_eq!(urls(&search(dir.path(), "数据库 -招聘")).len(), 3);
    assert_eq!(
        urls(&search(dir.path(), "数据库 -\"招聘 工程师\"")).len(),
        3
    );
    let dir = tempfile::tempdir().unwrap();
    let all = [&all[..], &[page("http://d.example/", "四", both)]].concat();
    written(dir.path(), &all);
    assert_eq!(urls(&search(dir.path(), "数据库 -招聘")).len(), 3);
}

#[test]
fn traditional_characters_find_simplified_text() {
    finds("數據庫", &[DB]);
    finds("「優化器」", &[DB]);
}

#[test]
fn simplified_characters_find_traditional_text() {
    let dir = tempfile::tempdir().unwrap();
    let text = "開放中國的網頁去重算法。";
    written(dir.path(), &[page("http://tw.example/", "網頁", text)]);
    let hits = search(dir.path(), "网页 去重");
    assert_eq!(
        hits[0].snippet.marked("[", "]"),
        "開放中國的[網頁去重]算法。"
    );
    assert_eq!(hits[0].title.marked("[", "]"), "[網頁]");
}

#[test]
fn a_part_of_a_longer_chinese_word_is_found_and_marked() {
    // 数据 also stands alone in the text; 式数 is nowhere a word.
    finds("\"式数据\"", &[DB]);
    let dir = sample();
    let hits = search(dir.path(), "\"库系\"");
    assert_eq!(urls(&hits), [DB]);
    assert!(!hits[0].snippet.highlights.is_empty());
}

#[test]
fn a_phrase_is_found_only_in_its_order() {
    finds("\"near duplicate pages\"", &[CRAWL]);
    finds("\"duplicate near pages\"", &[]);
    finds("\"不会丢失数据\"", &[DB]);
    finds("\"丢失不会数据\"", &[]);
    // Characters on both sides of a comma are no phrase.
    finds("\"片放\"", &[]);
}

#[test]
fn all_words_must_be_there_unless_no_page_has_them_all() {
    finds("politely garden", &[GARDENING]);
    let dir = sample();
    let searcher = Searcher::open(dir.path()).unwrap();
    let found = searcher
        .find("青苔 crawler", 10, &Filters::default())
        .unwrap();
    assert!(found.relaxed);
    assert_eq!(found.total, 2);
}

#[test]
fn exclusions_and_filters_hold() {
    finds("politely -garden", &[CRAWL]);
    finds("politely host:garden.example", &[GARDENING]);
    finds("politely host:crawl.example", &[CRAWL]);
    finds("politely -host:crawl.example", &[GARDENING]);
    finds("机器 lang:zh", &[DB]);
    finds("机器 lang:en", &[]);
    let dir = sample();
    let filters = Filters {
        host: Some("garden.example".into()),
        lang: Some("en".into()),
    };
    let hits = index::search(dir.path(), "politely", 10, &filters).unwrap();
    assert_eq!(urls(&hits), [GARDENING]);
    let hits = index::search(dir.path(), "", 10, &filters).unwrap();
    assert_eq!(urls(&hits), [GARDENING]);
}

#[test]
fn a_word_in_the_title_counts_for_more() {
    let dir = tempfile::tempdir().unwrap();
    written(
        dir.path(),
        &[
            page("http://a.example/", "Other", "rust and other metals"),
            page("http://b.example/", "Rust", "about metals in general"),
        ],
    );
    assert_eq!(
        urls(&search(dir.path(), "rust")),
        ["http://b.example/", "http://a.example/"]
    );
}

#[test]
fn the_snippet_is_the_sentence_that_shows_the_most() {
    let dir = tempfile::tempdir().unwrap();
    let text = format!(
        "{}Then one sentence has the needle and the thread. {}",
        "Nothing is said here about it. ".repeat(20),
        "The needle alone. ".repeat(20)
    );
    written(dir.path(), &[page("http://a.example/", "x", &text)]);
    let hits = search(dir.path(), "needle thread");
    let shown = hits[0].snippet.marked("<", ">");
    assert!(
        shown.contains("Then one sentence has the <needle> and the <thread>."),
        "{shown}"
    );
    assert!(shown.len() < 400, "{shown}");
}

#[test]
fn a_long_text_without_sentences_is_cut_around_the_match() {
    let dir = tempfile::tempdir().unwrap();
    let text = format!("{}青苔{}", "山水".repeat(3000), "石头".repeat(3000));
    written(dir.path(), &[page("http://a.example/", "x", &text)]);
    let shown = search(dir.path(), "青苔")[0].snippet.marked("[", "]");
    assert!(shown.contains("[青苔]"), "{shown}");
    assert!(shown.starts_with('…') && shown.ends_with('…'), "{shown}");
    assert!(shown.chars().count() < 130, "{shown}");
}

#[test]
fn a_page_added_again_takes_the_place_of_the_first() {
    let dir = tempfile::tempdir().unwrap();
    let mut index = written(dir.path(), &[page("http://a.example/", "x", "old words")]);
    index
        .add(&page("http://a.example/", "x", "new words"))
        .unwrap();
    index
        .add(&page("http://a.example/", "x", "newer words"))
        .unwrap();
    index.commit(8).unwrap();
    assert_eq!(index.doc_count().unwrap(), 1);
    assert!(search(dir.path(), "old").is_empty());
    assert_eq!(search(dir.path(), "newer").len(), 1);
    index.delete("http://a.example/");
    index.commit(9).unwrap();
    assert_eq!(index.doc_count().unwrap(), 0);
    assert!(index.urls().unwrap().is_empty());
}

#[test]
fn a_search_sees_the_last_commit_while_the_index_is_written() {
    let dir = tempfile::tempdir().unwrap();
    let mut index = written(dir.path(), &[page("http://a.example/", "x", "one")]);
    let searcher = Searcher::open(dir.path()).unwrap();
    index.add(&page("http://b.example/", "x", "two")).unwrap();
    assert_eq!(searcher.doc_count(), 1);
    index.commit(8).unwrap();
    searcher.reload().unwrap();
    assert_eq!(searcher.doc_count(), 2);
    let mut all: Vec<String> = searcher
        .urls()
        .unwrap()
        .into_iter()
        .map(|(url, _)| url)
        .collect();
    all.sort();
    assert_eq!(all, ["http://a.example/", "http://b.example/"]);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]
    #[test]
    fn no_query_is_an_error(queries in prop::collection::vec("[\\PC\"“”「」:\\- \t]{0,40}", 20)) {
        let dir = sample();
        let searcher = Searcher::open(dir.path()).unwrap();
        for query in queries {
            let found = searcher.find(&query, 3, &Filters::default()).unwrap();
            for hit in found.hits {
                for snippet in [hit.title, hit.snippet] {
                    let mut end = 0;
                    for highlight in &snippet.highlights {
                        prop_assert!(highlight.start >= end);
                        prop_assert!(!snippet.text[highlight.clone()].is_empty());
                        end = highlight.end;
                    }
                }
            }
        }
    }
}

#[test]
fn an_article_ranks_above_a_list_of_the_same_words() {
    let dir = tempfile::tempdir().unwrap();
    let as_type = |url, page_type| Document {
        page_type,
        ..page(url, "Crawler notes", CRAWLER)
    };
    let pages = [
        as_type("http://a.example/", PageType::FrontPage),
        as_type("http://a.example/tag/", PageType::Listing),
        as_type("http://a.example/zz", PageType::Article),
        as_type("http://a.example/shop", PageType::Collection),
    ];
    written(dir.path(), &pages);
    let hits = search(dir.path(), "crawler");
    assert_eq!(urls(&hits)[0], "http://a.example/zz");
    assert!(hits[1].score < hits[0].score, "{hits:?}");
}

#[test]
fn a_tag_page_does_not_outrank_the_articles_about_its_tag() {
    let dir = tempfile::tempdir().unwrap();
    let tag = format!("标签: 分布式 {} {POETRY}", &DATABASE[..60]);
    let pages = [
        Document {
            page_type: PageType::Other,
            ..page("http://a.example/tags/%E5%88%86.html", "标签: 分布式", &tag)
        },
        Document {
            page_type: PageType::Article,
            ..page("http://a.example/db.html", "入门", DATABASE)
        },
        page("http://a.example/river.html", "河边", POETRY),
    ];
    written(dir.path(), &pages);
    let found = search(dir.path(), "分布式");
    let found = urls(&found);
    assert_eq!(
        found,
        [
            "http://a.example/db.html",
            "http://a.example/tags/%E5%88%86.html"
        ]
    );
    assert_eq!(
        search(dir.path(), "标签").len(),
        1,
        "its title is still found"
    );
}

#[test]
fn a_list_that_repeats_a_word_does_not_outrank_an_article_that_has_it_once() {
    // A front page of 0.4 of its score still came first.
    let check = |word: &str, item: &str, before: &str, filler: &str| {
        let dir = tempfile::tempdir().unwrap();
        let list = item.repeat(12);
        let article = format!("{before} {}", filler.repeat(3));
        let mut front = page("http://a.example/", "News", &list);
        front.page_type = PageType::FrontPage;
        let about = page("http://a.example/about", "A story", &article);
        let other = page("http://a.example/other", "Another", filler);
        written(dir.path(), &[front, about, other]);
        let hits = search(dir.path(), word);
        assert_eq!(
            urls(&hits),
            ["http://a.example/about", "http://a.example/"],
            "{word}"
        );
    };
    check("火车", "火车。", "火车。", POETRY);
    check("train", "Train. ", "He took the train home.", GARDEN);
}

#[test]
fn why_a_query_finds_nothing_is_told() {
    let dir = sample();
    let searcher = Searcher::open(dir.path()).unwrap();
    let filters = |host: Option<&str>, lang: Option<&str>| Filters {
        host: host.map(str::to_owned),
        lang: lang.map(str::to_owned),
    };
    let why = |query: &str, filters: Filters| searcher.explain_no_hits(query, &filters).unwrap();
    assert_eq!(
        why("crawler", filters(None, Some("xx"))),
        [Hint::Language {
            wanted: "xx".into(),
            known: vec!["en".into(), "zh".into()],
        }]
    );
    let hints = why("crawler host:crawl.exmaple", Filters::default());
    assert!(
        matches!(&hints[..], [Hint::Host { wanted, known }]
            if wanted == "crawl.exmaple" && known.contains(&"crawl.example".to_owned())),
        "{hints:?}"
    );
    assert_eq!(
        why("crawler zeppelin", Filters::default()),
        [Hint::Word("zeppelin".into())]
    );
    assert_eq!(why("crawler", filters(None, None)), []);
    assert_eq!(why("zeppelin OR crawler", Filters::default()), []);
    assert_eq!(
        why("zeppelin OR airship", Filters::default()),
        ["zeppelin", "airship"].map(|word| Hint::Word(word.into()))
    );
    for (query, problem) in [
        ("", Hint::Empty),
        (" \t", Hint::Empty),
        ("!!! ...", Hint::Wordless),
        ("\"politely", Hint::OpenQuote),
        ("politely OR", Hint::Operator("OR".into())),
    ] {
        assert_eq!(
            Searcher::query_problems(query, &Filters::default()),
            [problem],
            "{query:?}"
        );
    }
    assert_eq!(
        Searcher::query_problems("-spam lang:zh", &Filters::default()),
        []
    );
    assert_eq!(Searcher::query_problems("", &filters(None, Some("zh"))), []);
}

#[test]
fn a_language_is_found_by_any_of_its_tags_and_chinese_by_its_script() {
    let dir = tempfile::tempdir().unwrap();
    let in_chinese = |url, text| Document {
        lang: "zh",
        ..page(url, "x", text)
    };
    let pages = [
        in_chinese("http://a.example/hans", "网页去重与检索"),
        in_chinese("http://a.example/hant", "網頁去重與檢索"),
        in_chinese("http://a.example/both", "天地人"),
    ];
    written(dir.path(), &pages);
    let check = |query: &str, expected: &[&str]| {
        let mut found = Vec::new();
        for hit in search(dir.path(), query) {
            assert_eq!(hit.lang, "zh");
            found.push(hit.url.rsplit('/').next().unwrap_or_default().to_owned());
        }
        found.sort();
        assert_eq!(found, expected, "{query}");
    };
    check("lang:zh", &["both", "hans", "hant"]);
    check("lang:zh-TW", &["hant"]);
    check("lang:zh-Hans 网页", &["hans"]);
    check("lang:zh -lang:zh-HK", &["both", "hans"]);
    let filters = Filters {
        lang: Some("zh-x-any".into()),
        ..Filters::default()
    };
    let region = Hint::Region {
        typed: "zh-x-any".into(),
        primary: "zh".into(),
    };
    assert_eq!(Searcher::query_problems("", &filters), [region]);
    let why = Searcher::open(dir.path())
        .unwrap()
        .explain_no_hits("lang:en", &Filters::default());
    let known = vec!["zh".to_owned()];
    assert_eq!(
        why.unwrap(),
        [Hint::Language {
            wanted: "en".into(),
            known
        }]
    );
}

/// Which of these pages, by the last part of their URLs, a query finds; best first.
#[track_caller]
fn found_of(texts: &[(&str, &str)], query: &str, expected: &str) {
    let dir = tempfile::tempdir().unwrap();
    let named = texts
        .iter()
        .map(|(name, text)| (format!("http://a.example/{name}"), *text));
    let named: Vec<(String, &str)> = named.collect();
    let pages: Vec<Document<'_>> = named
        .iter()
        .map(|(url, text)| page(url, "x", text))
        .collect();
    written(dir.path(), &pages);
    let hits = search(dir.path(), query);
    let names: Vec<&str> = urls(&hits)
        .into_iter()
        .map(|url| url.rsplit('/').next().unwrap_or(url))
        .collect();
    assert_eq!(names.join(" "), expected, "{query}");
}

#[test]
fn a_phrase_of_several_scripts_is_in_its_order_and_side_by_side() {
    let texts = [
        ("has", "我们的PostgreSQL数据库很快。"),
        ("spaced", "用 PostgreSQL 数据库 存。"),
        ("turned", "数据库PostgreSQL也好。"),
        ("apart", "PostgreSQL很好。这是另一种数据库。"),
    ];
    found_of(&texts, "\"PostgreSQL数据库\" -用", "has");
    found_of(&texts, "\"PostgreSQL 数据库\" -用", "has");
    found_of(&texts, "\"数据库PostgreSQL\"", "turned");
    found_of(&texts, "\"数据库 很快\"", "has");
    found_of(&texts, "\"很快 数据库\"", "");
    found_of(&texts, "很好 -\"PostgreSQL数据库\"", "apart");
    found_of(
        &texts,
        "PostgreSQL -\"PostgreSQL数据库\" -\"数据库PostgreSQL\"",
        "apart",
    );
    let texts = [
        ("date", "2023年5月1日开会，讲第3章。"),
        ("parts", "2023年开会。5人在3月来，章程1日之后。第二。"),
    ];
    found_of(&texts, "\"2023年5月1日\"", "date");
    found_of(&texts, "\"第3章\"", "date");
    found_of(&texts, "开会 -\"2023年5月1日\"", "parts");
}

#[test]
fn any_part_of_a_japanese_text_is_found_in_quotes_and_nowhere_else() {
    let has = "医者も果物を食べますが、東京へ行きました。";
    let texts = [
        ("has", has),
        (
            "apart",
            "医者が来た。果物も食べました。東京は大きい。彼も行きます。",
        ),
    ];
    let characters: Vec<char> = has.chars().collect();
    for length in 2..7 {
        for part in characters.windows(length) {
            let part: String = part.iter().collect();
            if part.contains(['、', '。']) {
                continue;
            }
            let apart = texts[1].1.contains(&part);
            let query = format!("\"{part}\"");
            let dir = tempfile::tempdir().unwrap();
            let pages = texts.map(|(name, text)| page(name, "x", text));
            written(dir.path(), &pages);
            let found = search(dir.path(), &query);
            let mut found = urls(&found);
            found.sort_unstable();
            let expected: &[&str] = if apart { &["apart", "has"] } else { &["has"] };
            assert_eq!(found, expected, "{part}");
        }
    }
}

#[test]
fn names_with_signs_are_words_of_their_own() {
    let texts = [
        ("cpp", "Learn C++ here."),
        ("csharp", "Learn C# here."),
        ("c", "Learn C here."),
        ("dotnet", "Learn .NET here."),
        ("net", "Learn the net here."),
    ];
    found_of(&texts, "C++", "cpp");
    found_of(&texts, "\"c#\"", "csharp");
    found_of(&texts, "\"learn C++\"", "cpp");
    found_of(&texts, ".net", "dotnet");
    found_of(&texts, "learn -c++ -c# -net", "c");
    found_of(&texts, "F#", "");
    let dir = tempfile::tempdir().unwrap();
    written(
        dir.path(),
        &[page("http://a.example/", "x", "Learn C++ here.")],
    );
    let shown = search(dir.path(), "c++")[0].snippet.marked("[", "]");
    assert_eq!(shown, "Learn [C++] here.");
}

#[test]
fn a_word_is_found_by_the_parts_between_its_signs() {
    let texts = [
        ("file", "Edit pg_hba.conf by hand."),
        (
            "conf",
            "A conf of its own, of which much is said here and there.",
        ),
        ("other", "Edit pg.conf and hba."),
        ("address", "Ask 192.168.7.1 for l'été."),
        ("number", "About 192.168 of them."),
    ];
    found_of(&texts, "conf", "conf other file");
    found_of(&texts, "pg_hba", "file");
    found_of(&texts, "\"edit pg_hba.conf by hand\"", "file");
    found_of(&texts, "\"edit pg_hba\"", "file");
    found_of(&texts, "\"hba.conf by\"", "file");
    found_of(&texts, "\"conf by\"", "file");
    found_of(&texts, "\"hba by\"", "");
    found_of(&texts, "192.168", "number address");
    found_of(&texts, "\"été\"", "address");
    found_of(&texts, "ete", "address");
    // What is left out stands by itself.
    found_of(&texts, "edit -conf -pg_hba", "other file");
    let dir = tempfile::tempdir().unwrap();
    written(dir.path(), &[page("http://a.example/", "x", texts[0].1)]);
    for (query, marked) in [
        ("hba", "Edit pg_[hba].conf by hand."),
        ("pg_hba", "Edit [pg_hba].conf by hand."),
    ] {
        let shown = search(dir.path(), query)[0].snippet.marked("[", "]");
        assert_eq!(shown, marked);
    }
}

#[test]
fn a_word_is_found_in_every_usual_spelling() {
    for (text, query) in [
        ("Ankara’da yeni müze", "Ankara"),
        ("Konya'ya giden yol", "konya"),
        ("d’Or et d’argent", "or"),
        ("كتب أحمد الكتاب", "احمد"),
        ("كتب احمد الكتاب", "أحمد"),
        ("في المدرسة الجديدة", "مدرسه"),
        ("هذه مدرسة جديدة", "المدرسة"),
        ("بلغت والمدينة القديمة", "المدينة"),
        ("العـــربية لغة", "العربية"),
        ("در کتابخانه ملی", "كتابخانه"),
        ("سنة ٢٠٢٤", "2024"),
        ("год 2024", "२०२४"),
        ("ปี๒๕๖๗", "2567"),
        ("นํ้าตกใหญ่", "น้ำตก"),
        ("חיילי צה״ל", "צה\"ל"),
        ("ג׳ורג׳ אורוול", "ג'ורג'"),
        ("הספרייה הלאומית", "ספרייה"),
        ("हिन्दी भाषा", "हिंदी"),
    ] {
        let texts = [("found", text), ("other", "Nothing of it.")];
        found_of(&texts, query, "found");
    }
    // The endings of English are no words.
    let texts = [
        ("we", "We don't. It's ours, we'll see."),
        ("or", "ve ll don"),
    ];
    found_of(&texts, "don", "or");
    found_of(&texts, "ll", "or");
}

#[test]
fn accents_may_be_left_out() {
    let texts = [
        ("accented", "The café in Zürich and in Łódź."),
        ("plain", "The cafe in Zurich and in Lodz."),
        ("other", "The house in Berlin."),
    ];
    found_of(&texts, "lodz -\"café\"", "plain");
    found_of(&texts, "Zürich", "accented plain");
    found_of(&texts, "\"zurich and\" -\"the café\"", "plain");
    found_of(&texts, "\"Zürich\"", "accented");
    let dir = tempfile::tempdir().unwrap();
    written(dir.path(), &[page("http://a.example/", "x", texts[0].1)]);
    let shown = search(dir.path(), "lodz")[0].snippet.marked("[", "]");
    assert_eq!(shown, "The café in Zürich and in [Łódź].");
}

#[test]
fn operators_in_capitals_choose_and_leave_out() {
    let texts = [
        ("system", "A system of tables."),
        ("chair", "A chair or two."),
        ("both", "A system and a chair."),
    ];
    found_of(&texts, "system AND chair", "both");
    found_of(&texts, "chair NOT system", "chair");
    found_of(&texts, "NOT system", "chair");
    found_of(&texts, "tables OR two", "system chair");
    found_of(&texts, "(tables | \"or two\") -chair", "system");
    found_of(&texts, "chair or", "chair both");
}

#[test]
fn a_possessive_and_an_irregular_plural_are_found() {
    let texts = [
        ("quark", "The quark spins."),
        ("children", "The children sing."),
    ];
    found_of(&texts, "quark's", "quark");
    found_of(&texts, "child", "children");
}

#[test]
fn a_host_is_found_in_its_own_script() {
    let dir = tempfile::tempdir().unwrap();
    written(
        dir.path(),
        &[page("http://xn--fsqu00a.xn--0zwm56d/", "x", "页")],
    );
    for query in ["host:例子.测试", "页 host:*.测试"] {
        assert_eq!(search(dir.path(), query).len(), 1, "{query}");
    }
    assert_eq!(search(dir.path(), "-host:例子.测试").len(), 0);
}
