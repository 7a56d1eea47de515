//! A poem under its title, above what is told of it.
//!
//! Four lines of five characters are a label by their length, and where a translation or an appreciation stands below
//! them the forests keep that alone. But what stands under the title in clauses that are all equally long is verse:
//!
//! ```text
//!   空山初过雨，   five     ┐
//!   落叶满柴扉。   five     │ four clauses or more of one length
//!   灯下思君远，   five     │
//!   寒蛩伴月归。   five     ┘
//! ```

use std::ops::Range;

use crate::char_counts::is_cjk;
use crate::flat_dom::FlatDom;
use crate::survey::Survey;

use super::data_tables::is_in_other_part;

/// The fewest clauses of a poem, and the characters that each may have.
const CLAUSES_MIN: usize = 4;
const CLAUSE_CHARS: Range<usize> = 4..9;

/// Keeps verse between the title and the kept text.
pub(super) fn keep(
    flat: &FlatDom<'_>,
    survey: &Survey,
    paths: &[u64],
    below_title: Range<usize>,
    probability: &[f32],
    main: &mut [bool],
) {
    let mut run = 0;
    for from in below_title.clone() {
        if from < run {
            continue;
        }
        // The lines may be elements of one kind, in one element.
        let parent = |run: usize| flat.elements[flat.runs[run].owner as usize].parent;
        let is_alike = |&run: &usize| paths[run] == paths[from] && parent(run) == parent(from);
        run = (from..below_title.end)
            .take_while(is_alike)
            .last()
            .unwrap_or(from)
            + 1;
        let lines = &survey.texts[from..run];
        if is_verse(lines) && !is_in_other_part(flat, flat.runs[from].owner) {
            for line in from..run {
                main[line] |= probability[line] > 0.0;
            }
        }
    }
}

/// Whether lines are verse: clauses of Chinese characters of one length, and nothing else.
fn is_verse(lines: &[String]) -> bool {
    let (mut count, mut length, mut chars) = (0, None, 0);
    let mut ends = |chars: &mut usize| {
        let clause = std::mem::take(chars);
        count += usize::from(clause > 0);
        clause == 0 || CLAUSE_CHARS.contains(&clause) && *length.get_or_insert(clause) == clause
    };
    let mut marks = 0;
    for line in lines {
        for char in line.chars() {
            match char {
                '，' | '。' | '；' | '！' | '？' | '、' => {
                    marks += 1;
                    if !ends(&mut chars) {
                        return false;
                    }
                }
                char if char.is_whitespace() => {}
                char if is_cjk(char) => chars += 1,
                _ => return false,
            }
        }
        if !ends(&mut chars) {
            return false;
        }
    }
    count >= CLAUSES_MIN && marks * 2 >= count
}

#[cfg(test)]
mod tests {
    use super::super::attributes::below_title;
    use super::*;

    #[track_caller]
    fn check(lines: &[&str], expected: bool) {
        let lines: Vec<String> = lines.iter().map(|&line| line.to_owned()).collect();
        assert_eq!(is_verse(&lines), expected, "{lines:?}");
    }

    #[test]
    fn clauses_of_one_length_are_verse() {
        check(
            &["空山初过雨，落叶满柴扉。\n灯下思君远，寒蛩伴月归。"],
            true,
        );
        check(
            &[
                "空山初过雨，",
                "落叶满柴扉。",
                "灯下思君远，",
                "寒蛩伴月归。",
            ],
            true,
        );
        check(&["空山初过雨，落叶满柴扉。"], false);
        check(&["首页频道", "新闻中心", "视频直播", "图片精选"], false);
        check(&["空山初过雨，落叶满柴扉。灯下思君，寒蛩伴月归。"], false);
        check(
            &["2021 空山初过雨，落叶满柴扉。灯下思君远，寒蛩伴月归。"],
            false,
        );
        check(&[], false);
    }

    #[test]
    fn a_poem_under_the_title_goes_with_the_text_below() {
        let text = "<p>雨后的空山格外安静，落叶铺满了柴门前的小路。灯下想起远方的友人，只有寒夜的蟋蟀伴着月亮一同归去，直到天明。</p>";
        for (poem, is_kept) in [
            (
                "<div>空山初过雨，<br>落叶满柴扉。<br>灯下思君远，<br>寒蛩伴月归。</div>",
                true,
            ),
            (
                "<div><p>空山初过雨，<p>落叶满柴扉。<p>灯下思君远，<p>寒蛩伴月归。</div>",
                true,
            ),
            (
                "<nav>空山初过雨，<br>落叶满柴扉。<br>灯下思君远，<br>寒蛩伴月归。</nav>",
                false,
            ),
            ("<div><p>空山初过雨，<p>落叶满柴扉。</div>", false),
        ] {
            let page = format!("<title>秋夜_诗</title><h1>秋夜</h1>{poem}<h2>译文</h2>{text}");
            let html = scraper::Html::parse_document(&page);
            let flat = FlatDom::of(&html);
            let survey = Survey::of(&flat);
            let paths: Vec<u64> = flat
                .runs
                .iter()
                .map(|run| u64::from(flat.elements[run.owner as usize].shape))
                .collect();
            let mut main: Vec<bool> = flat.runs.iter().map(crate::prefix_sums::is_prose).collect();
            let before = main.iter().filter(|&&kept| kept).count();
            let title = Some(flat.title.as_str());
            let probability = vec![0.1; main.len()];
            let below = below_title(&flat, &survey, title, &main);
            keep(&flat, &survey, &paths, below, &probability, &mut main);
            assert_eq!(
                main.iter().filter(|&&kept| kept).count() > before,
                is_kept,
                "{page} {main:?}"
            );
            assert!(!main[0], "the title");
        }
    }
}
