//! Two texts of a page beside each other.

use super::words::LINES_MAX;
use super::*;
use proptest::prelude::*;

const TEXT: &str = "Vacuum in PostgreSQL\nPosted 12 May 2024, 312 views\n\
    Dead rows stay in the table until vacuum takes them out, and the table grows while they stay.\n\
    A freeze sets old rows to be visible for ever, before their numbers wrap around.\n\
    索引膨胀会让查询变慢，定期重建索引可以解决这个问题。\n阅读 128 次，3 分钟前更新";

#[track_caller]
fn check(from: &str, to: &str, change: Change) {
    let after = TEXT.replace(from, to);
    assert_ne!(after, TEXT);
    let comparison = compare(TEXT, &after);
    assert_eq!(comparison.change, change, "{from} -> {to}: {comparison:#?}");
}

#[test]
fn words_spelt_anew_and_another_address_are_no_change() {
    let before = "The expection is that their indicies are pluged in at runtime.\nThe lisense is at \
        https://old.example.org/a/b/c?d=e for all of you.";
    let after = "The expectation is that their indices are plugged in at runtime.\nThe license is at \
        http://new.example.com/x/y/z#top for all of you.";
    assert_eq!(compare(before, after).change, Change::Touched);
    let other = before.replace(
        "that their indicies are pluged",
        "where our arrays were put",
    );
    assert_eq!(compare(before, &other).change, Change::Changed);
}

#[test]
fn notices_and_menus_that_come_or_go_are_no_change() {
    for notice in [
        "Last updated: 12 May 2024",
        "Copyright 2026 The Example Foundation. All rights reserved.",
        "We use cookies to improve your experience. Accept all",
        "Available Languages: en | fr | de",
        "本站原创文章，未经允许不得转载",
    ] {
        let line = format!("{TEXT}\n{notice}");
        assert_eq!(compare(TEXT, &line).change, Change::Touched, "{notice}");
        let inside = TEXT.replace("they stay.", &format!("they stay. {notice}"));
        assert_eq!(compare(TEXT, &inside).change, Change::Touched, "{notice}");
    }
    let inside = TEXT.replace(
        "they stay.",
        "they stay. Módulos | Diretivas | Perguntas | Mapa do Site",
    );
    assert_eq!(compare(TEXT, &inside).change, Change::Touched);
    // A row of a table is none.
    let row = format!("{TEXT}\nautovacuum | on | launches the workers");
    assert_eq!(compare(TEXT, &row).change, Change::Changed);
}

#[test]
fn another_figure_in_a_sentence_changes_a_page() {
    let sentence = |years| {
        format!(
            "{TEXT}\nThe eruption lowered the temperatures of the whole earth by {years} degrees for years."
        )
    };
    assert_eq!(
        compare(&sentence("3.5"), &sentence("8")).change,
        Change::Changed
    );
    assert_eq!(
        compare(&sentence("3.5"), &sentence("3.5")).change,
        Change::Unchanged
    );
    let number = |number| {
        format!("{TEXT}\n{number} The eruption and what it did to the temperatures of the earth")
    };
    assert_eq!(
        compare(&number("4.6"), &number("4.7")).change,
        Change::Touched
    );
}

#[test]
fn what_matters_in_few_words_is_a_change() {
    // Prices, doses, dates of events and the like were `touched`: their sentences are short.
    for (before, after) in [
        ("The price is 148 euros.", "The price is 63 euros."),
        ("Price: $148.00", "Price: $63.00"),
        ("价格为148元。", "价格为63元。"),
        ("售价：¥148.00", "售价：¥63.00"),
        ("Availability: in stock.", "Availability: sold out."),
        ("库存状态：有货。", "库存状态：已售罄。"),
        (
            "The meeting takes place on 3 May 2026 at 18:00 in the town hall.",
            "The meeting takes place on 9 June 2026 at 19:30 in the town hall.",
        ),
        (
            "会议时间：2026年5月3日18点，地点：市政厅。",
            "会议时间：2026年6月9日19点，地点：市政厅。",
        ),
        (
            "Applications are open until 1 March.",
            "Applications are closed.",
        ),
        ("Call us: 030 1234567.", "Call us: 040 7654321."),
        ("Take 5 mg once a day.", "Take 50 mg once a day."),
        ("The plant is safe.", "The plant is not safe."),
        ("这种植物可以食用。", "这种植物不可以食用。"),
        (
            "Final score: Lions 2, Tigers 1.",
            "Final score: Lions 2, Tigers 4.",
        ),
        (
            "The interest rate is 3.25 per cent.",
            "The interest rate is 4.75 per cent.",
        ),
        ("利率为百分之3.25。", "利率为百分之4.75。"),
        ("Rooms | 148", "Rooms | 63"),
        (
            "The number of dead has risen to 14.",
            "The number of dead has risen to 231.",
        ),
    ] {
        for (from, to) in [(before, after), (after, before)] {
            let own = [from, to].map(|line| format!("{TEXT}\n{line}"));
            let inside =
                [from, to].map(|line| TEXT.replace("they stay.", &format!("they stay. {line}")));
            for [was, is] in [own, inside] {
                assert_eq!(compare(&was, &is).change, Change::Changed, "{to}");
            }
        }
    }
    let rooms = [148, 63].map(|rooms| format!("{TEXT}\nRooms\n{rooms}\nBeds"));
    assert_eq!(compare(&rooms[0], &rooms[1]).change, Change::Changed);
    for (before, after) in [
        ("Comments: 12", "Comments: 15"),
        ("312 reviews", "313 reviews"),
        ("Posted: 12 May 2026", "Posted: 3 June 2026"),
        ("发布时间：2026年5月3日", "发布时间：2026年6月9日"),
        ("人气：12837", "人气：12902"),
        ("Views\n12837", "Views\n12902"),
        ("A topic\n12\n128", "A topic\n13\n129"),
        ("A topic\n12\n128", "A topic\n13\n128"),
        ("This is a good index.", "This is a fine index."),
    ] {
        let texts = [before, after].map(|line| format!("{TEXT}\n{line}"));
        assert_eq!(
            compare(&texts[0], &texts[1]).change,
            Change::Touched,
            "{after}"
        );
    }
}

#[test]
fn a_part_that_is_another_each_time_touches_a_page_from_the_second_time_on() {
    // A quote of the day made all pages of a site `changed` in every round.
    let with = |quote: &str| {
        TEXT.replace(
            "before their numbers wrap around.",
            &format!("before their numbers wrap around.\n{quote}"),
        )
    };
    let quotes = [
        "Whoever walks slowly sees more of the garden than a horse does.",
        "No letter was ever lost that a friend had written in anger.",
        "Between two rivers there is always a bridge that nobody uses.",
    ];
    let first = compare(&with(quotes[0]), &with(quotes[1]));
    assert_eq!((first.change, first.parts.len()), (Change::Changed, 1));
    let known = Known {
        shown: None,
        parts: &first.parts,
    };
    let again = |after: &str| compare_knowing(&with(quotes[1]), after, known);
    let second = again(&with(quotes[2]));
    assert_eq!(second.change, Change::Touched);
    assert_eq!(second.parts.len(), 1);
    // Another part of the page is a change all the same, and so is a part that goes.
    let other = with(quotes[2]).replace(
        "Dead rows stay in the table",
        "Nobody looks for old pages in there",
    );
    assert_eq!(again(&other).change, Change::Changed);
    assert_eq!(again(TEXT).change, Change::Changed);
    // The same line with other words is no other line.
    let priced = |price: u32| {
        with(&format!(
            "A ticket for one day in the garden costs {price} euros now."
        ))
    };
    let priced = [148, 63].map(priced);
    let knowing = compare_knowing(&priced[0], &priced[1], known);
    assert_eq!(knowing.change, Change::Changed);
}

/// What visits say of these texts in turn, each compared with the last that was told.
fn visits(texts: &[String]) -> Vec<Change> {
    let (mut version, mut parts) = (texts[0].clone(), Vec::new());
    let mut changes = Vec::new();
    for text in &texts[1..] {
        let known = Known {
            shown: None,
            parts: &parts,
        };
        let compared = compare_knowing(&version, text, known);
        if compared.change == Change::Changed {
            version.clone_from(text);
        }
        parts = compared.parts;
        changes.push(compared.change);
    }
    changes
}

#[test]
fn a_part_that_is_edited_twice_and_then_left_is_a_change_again() {
    // It was `touched` from the second edit on, and the index had the text of the first for ever.
    let states = [
        "The ferry goes on all days but Sundays, from the old pier.",
        "Because of the flood nothing crosses until further notice.",
        "Boats start at noon now, and bicycles may be taken along.",
        "Boats start at noon now, and bicycles may be taken along.",
        "Boats start at noon now, and bicycles may be taken along.",
    ];
    let texts = states.map(|state| TEXT.replacen('\n', &format!("\n{state}\n"), 1));
    assert_eq!(
        visits(&texts),
        [
            Change::Changed,
            Change::Touched,
            Change::Changed,
            Change::Unchanged
        ]
    );
}

#[test]
fn figures_that_are_others_each_time_touch_a_page() {
    // A line of counters made all pages of a site `changed` in every round.
    let told = |count: usize, line: &dyn Fn(usize) -> String| {
        let texts: Vec<String> = (0..=count)
            .map(|at| format!("{TEXT}\n{}", line(at)))
            .collect();
        visits(&texts)
            .iter()
            .filter(|change| **change == Change::Changed)
            .count()
    };
    let counters = |at: usize| {
        let at = at * 37 + 5;
        format!(
            "Users online: {at}, of them members {}, guests {}.",
            at + 3,
            at * 2
        )
    };
    assert_eq!(told(20, &counters), 4);
    // A price that is another one now and then is told each time.
    let price = |at: usize| format!("The price is {} euros.", 148 - at / 3);
    assert_eq!(told(20, &price), 6);
}

#[test]
fn teasers_of_which_some_stay_are_one_part() {
    // Words of their own, each spelt by the teaser's number.
    let word = |at: usize| {
        let syllables = ["ka", "lo", "mi", "nu", "re", "sta", "vo"];
        let of = |at: usize| syllables[at % syllables.len()];
        format!("{}{}{}", of(at), of(at / 7), of(at / 49))
    };
    let teaser = |at: usize| format!("{} {} {}", word(3 * at), word(3 * at + 1), word(3 * at + 2));
    let page = |visit: usize| {
        let teasers: Vec<String> = (2 * visit..2 * visit + 5).map(teaser).collect();
        format!("{TEXT}\n{}\nAll of the archive", teasers.join("\n"))
    };
    let texts: Vec<String> = (0..=10).map(page).collect();
    let told = visits(&texts);
    let at = told.iter().enumerate();
    let at = at.filter(|(_, change)| **change == Change::Changed);
    let at: Vec<usize> = at.map(|(visit, _)| visit + 1).collect();
    assert_eq!(at, [1, 4, 8]);
}

#[test]
fn most_of_a_page_is_no_part_that_is_made_anew() {
    let menu = |dishes: &str| format!("Today in our kitchen\n{dishes}");
    let days = [
        menu("Potato soup with bread, a fish from the river, plums in wine."),
        menu("Beans and bacon, noodles in tomato sauce, cheese with walnuts."),
    ];
    let compared = compare(&days[0], &days[1]);
    assert_eq!(
        (compared.change, compared.parts),
        (Change::Changed, Vec::new())
    );
}

#[test]
fn an_item_a_value_a_command_or_a_line_is_a_change_by_itself() {
    for (before, after) in [
        (
            "下列指令可以展开：ADD、COPY、ENV、FROM、LABEL。",
            "下列指令可以展开：ADD、COPY、ENV、LABEL。",
        ),
        (
            "Use TOMOYO, AppArmor, Seccomp and SELinux.",
            "Use TOMOYO, AppArmor and SELinux.",
        ),
        (
            "Run make checkstack and make namespacecheck.",
            "Run make checkstack.",
        ),
        (
            "Put hashbrown = \"0.15\" into your manifest.",
            "Put hashbrown = \"0.16\" into your manifest.",
        ),
        (
            "--secret source=password,mode=0400",
            "--secret source=password,mode=0444",
        ),
        ("$ docker ps -a", "$ docker container ls -a"),
        (
            "The memory's number is 2: it is made anew.",
            "The memory's number is 3: it is made anew.",
        ),
        ("Entries", "Entries\nWeek seventeen picks"),
    ] {
        let texts = [before, after].map(|line| format!("{TEXT}\n{line}"));
        assert_eq!(
            compare(&texts[0], &texts[1]).change,
            Change::Changed,
            "{after}"
        );
    }
    for (before, after) in [
        (
            "The planner reads statistics of the table before it chooses.",
            "The planner reads statistics of the table, however, before it chooses.",
        ),
        ("if (version >= (4 << 16))", "if (version >= (4U << 16))"),
        (
            "Write to one@a.example for help.",
            "Write to other@b.example for help.",
        ),
        ("by Some Author", "by Another Writer"),
        ("Entries", "Entries\nHome"),
        (
            "Entries.",
            "Entries. The contents of this site are © 2019 Some Publishing Corp.",
        ),
    ] {
        let texts = [before, after].map(|line| format!("{TEXT}\n{line}"));
        assert_eq!(
            compare(&texts[0], &texts[1]).change,
            Change::Touched,
            "{after}"
        );
    }
}

#[test]
fn a_name_in_the_place_of_an_address_and_one_slip_in_many_places_are_no_change() {
    let before = format!(
        "{TEXT}\nSee Documentation/admin-guide/mm/concepts.rst and http://a.example/x for more."
    );
    let after = format!("{TEXT}\nSee Concepts overview and http://b.example/y for more.");
    assert_eq!(compare(&before, &after).change, Change::Touched);
    let before = format!("{TEXT}\n{}", "应用程序可以运行\n".repeat(6));
    let after = before.replace('应', "运");
    assert_eq!(compare(&before, &after).change, Change::Touched);
}

#[test]
fn words_without_end_are_other_words() {
    let run = |c: char| format!("one two three {}", c.to_string().repeat(1_000_000));
    let texts = (run('a') + " four five six", run('b') + " seven eight nine");
    assert_eq!(compare(&texts.0, &texts.1).change, Change::Changed);
}

#[test]
fn what_changes_far_down_a_long_text_is_seen() {
    let text = |last: &str| {
        let lines: Vec<String> = (0..LINES_MAX + 500).map(|at| format!("row {at}")).collect();
        format!("{}\n{last}\nthe end", lines.join("\n"))
    };
    let before = text("A freeze sets old rows to be visible for ever.");
    let after = text("Old rows are thrown away once nobody has read them for a year.");
    assert_eq!(compare(&before, &before).change, Change::Unchanged);
    assert_eq!(compare(&before, &after).change, Change::Changed);
}

#[test]
fn another_date_or_counter_touches_a_page() {
    check(
        "12 May 2024, 312 views",
        "3 June 2025, 410 views",
        Change::Touched,
    );
    check(
        "阅读 128 次，3 分钟前更新",
        "阅读 2091 次，2 天前更新",
        Change::Touched,
    );
    check("312", "313", Change::Touched);
}

#[test]
fn a_corrected_word_touches_a_page() {
    check("grows while", "bloats while", Change::Touched);
    check("变慢", "变得很慢", Change::Touched);
}

#[test]
fn a_sentence_more_less_or_other_changes_it() {
    check(
        "ever, before",
        "ever. This costs many writes, before",
        Change::Changed,
    );
    check(
        "A freeze sets old rows to be visible for ever, before their numbers wrap around.\n",
        "",
        Change::Changed,
    );
    check(
        "索引膨胀会让查询变慢",
        "表没有统计信息时计划会很差",
        Change::Changed,
    );
    check(
        "\n阅读",
        "\n新增一节：自动清理的参数如何设置才合适。\n阅读",
        Change::Changed,
    );
}

#[test]
fn spaces_case_and_punctuation_are_no_change() {
    check("table until", "table   until", Change::Unchanged);
    check("Dead rows", "dead rows,", Change::Unchanged);
}

#[test]
fn lines_in_another_order_touch_a_page() {
    let mut lines: Vec<&str> = TEXT.lines().collect();
    lines.swap(2, 3);
    let comparison = compare(TEXT, &lines.join("\n"));
    assert_eq!(comparison.change, Change::Touched, "{comparison:#?}");
    assert_eq!(comparison.similarity, 1.0);
}

#[test]
fn a_passage_has_its_lines_before_and_after() {
    let comparison = compare(
        "one\ntwo words\nthree",
        "one\nfour other words of five\nthree",
    );
    let [passage] = comparison.passages.as_slice() else {
        panic!("{comparison:?}")
    };
    assert_eq!(
        (passage.before.as_str(), passage.after.as_str()),
        ("two words", "four other words of five")
    );
    assert!(!passage.is_small);
}

#[test]
fn a_short_text_needs_less_to_change() {
    assert_eq!(
        compare("opening hours nine to five", "opening hours closed").change,
        Change::Changed
    );
    assert_eq!(compare("", "something").change, Change::Changed);
    assert_eq!(compare("", "").change, Change::Unchanged);
}

#[test]
fn what_stands_on_the_page_as_often_as_before_was_not_put_in_or_taken_out() {
    let aside = "Read what the planner knows of your tables, and how to tell it more.";
    let page = format!("Home\nDocs\n{TEXT}\n{aside}\nImprint");
    let more = format!("{TEXT}\n{aside}");
    let on_pages = |before: &str, after: &str, (then, now): (&str, &str)| {
        let change = compare_on_pages(before, after, &Shown::of(then, now)).change;
        assert_eq!(compare(before, after).change, Change::Changed);
        change
    };
    // The main text was taken to end later, or earlier.
    let same = (page.as_str(), page.as_str());
    assert_eq!(on_pages(TEXT, &more, same), Change::Touched);
    assert_eq!(on_pages(&more, TEXT, same), Change::Touched);
    // It is new on the page, or stands there once more; or it is not where a reader sees it.
    let without = page.replace(aside, "");
    let twice = format!("{page}\n{aside}");
    for pages in [
        (without.as_str(), page.as_str()),
        (page.as_str(), twice.as_str()),
        ("", ""),
        (without.as_str(), without.as_str()),
    ] {
        assert_eq!(on_pages(TEXT, &more, pages), Change::Changed);
        let back = (pages.1, pages.0);
        assert_eq!(on_pages(&more, TEXT, back), Change::Changed);
    }
    // Other words of a line are new whatever else stands on the page.
    let other = TEXT.replace("visible for ever", "hidden from every reader of theirs");
    let both = format!("{page}\nhidden from every reader of theirs");
    assert_eq!(on_pages(TEXT, &other, (&page, &both)), Change::Changed);
}

#[test]
fn so_many_lines_are_looked_for_on_pages() {
    let text = |from: usize, count: usize| -> String {
        let lines = (from..from + count).map(|n| format!("line number{n} of a long list\n"));
        lines.collect()
    };
    let page = text(0, 4 * LINES_SOUGHT_MAX);
    let shown = Shown::of(&page, &page);
    // All of them stand on the page then and now.
    for (count, change) in [
        (LINES_SOUGHT_MAX, Change::Touched),
        (LINES_SOUGHT_MAX + 1, Change::Changed),
    ] {
        let after = text(0, 2 + count);
        assert_eq!(compare_on_pages(&text(0, 2), &after, &shown).change, change);
    }
}

proptest! {
    #[test]
    fn pages_only_make_a_change_less(before in "[a-c \n]{0,40}", after in "[a-c \n]{0,40}", then in "[a-c \n]{0,40}", now in "[a-c \n]{0,40}") {
        let by_texts = compare(&before, &after);
        let on_pages = compare_on_pages(&before, &after, &Shown::of(&then, &now));
        prop_assert_eq!(on_pages.similarity, by_texts.similarity);
        match by_texts.change {
            Change::Changed => prop_assert!(on_pages.change != Change::Unchanged),
            other => prop_assert_eq!(on_pages.change, other),
        }
    }

    #[test]
    fn a_text_is_unchanged_beside_itself_alone(before in "[a-c 1-2\u{4e00}-\u{4e05}\n]{0,60}", after in "[a-c 1-2\u{4e00}-\u{4e05}\n]{0,60}") {
        prop_assert_eq!(compare(&before, &before).change, Change::Unchanged);
        let (there, back) = (compare(&before, &after), compare(&after, &before));
        prop_assert_eq!(there.similarity, back.similarity);
        prop_assert_eq!(there.change == Change::Unchanged, back.change == Change::Unchanged);
        prop_assert!((0.0..=1.0).contains(&there.similarity));
    }
}
