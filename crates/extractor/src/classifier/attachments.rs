//! Files that a page attaches to its text: forms to fill in, lists, the notice itself.
//!
//! A line that is a link is to the forests one of a list of other pages. But one that leads to a document, or whose
//! words are the name of one, is content where it stands with the text: in its own element, or right behind it with
//! nothing but lines that lead there between. Those under a heading belong to the text where that speaks of files, or
//! ends in a colon; under another one they are a list of their own.

use crate::flat_dom::{ElementIndex, FlatDom, Traits};
use crate::page::PageType;
use crate::survey::Survey;

use super::endings::is_named_otherwise;
use super::last_lines::own_element;
use super::listings::{LEADING_MAX, NO_LEAD, is_running_text};

/// Endings of documents, and of archives of them.
const ENDINGS: [&str; 20] = [
    "pdf", "doc", "docx", "xls", "xlsx", "ppt", "pptx", "wps", "et", "dps", "ofd", "ceb", "rtf",
    "odt", "ods", "odp", "zip", "rar", "7z", "csv",
];
/// Words for files and fetching them, as headings above them have.
const FILES: [&str; 40] = [
    "附件",
    "附录",
    "附表",
    "文件",
    "下载",
    "下載",
    "檔案",
    "attach",
    "download",
    "file",
    "document",
    "form",
    "annex",
    "appendi",
    "anhang",
    "anhäng",
    "anlage",
    "datei",
    "dokument",
    "formular",
    "pièce",
    "piece",
    "fichier",
    "télécharg",
    "annexe",
    "allegat",
    "scaric",
    "anexo",
    "adjunt",
    "descarga",
    "bijlage",
    "załącz",
    "pobier",
    "příloh",
    "вложен",
    "файл",
    "скача",
    "приложен",
    "첨부",
    "添付",
];
/// Levels from the text's element to the one in which files stand behind it.
const LEVELS: usize = 2;
/// The most weight of a line that is a label.
const LABEL_WEIGHT_MAX: u32 = 60;
/// The most weight of a line that names files.
const LINE_WEIGHT_MAX: u32 = 1_500;

/// Keeps the files of a text. Runs that a rule has dropped stay so.
pub(super) fn keep(
    flat: &FlatDom<'_>,
    survey: &Survey,
    page_type: &PageType,
    probability: &[f32],
    main: &mut [bool],
) {
    if !is_running_text(page_type) {
        return;
    }
    let Some(text) = own_element(flat, main) else {
        return;
    };
    let is_own = |run: usize, around: ElementIndex| {
        let owner = flat.runs[run].owner;
        let mut between = flat.ancestors(owner).take_while(|&at| at != around);
        probability[run] > 0.0
            && !has_mark(survey, run)
            && !between.any(|at| is_named_otherwise(&flat.elements[at as usize]))
    };
    let element = &flat.elements[text as usize];
    let end = (element.end_run as usize).min(main.len());
    let first = (element.first_run as usize..end).find(|&run| main[run]);
    let mut is_listed = true;
    let runs = main.iter_mut().enumerate().take(end);
    for (run, is_kept) in runs.skip(first.unwrap_or(end)) {
        if !is_of_files(flat, run) {
            is_listed = !is_heading(flat, run) || leads_to_files(survey, run);
        } else if is_listed && is_own(run, text) {
            *is_kept = true;
        }
    }
    let around = flat.ancestors(text).take(LEVELS + 1).last();
    let Some(around) = around.filter(|&around| around != text) else {
        return;
    };
    let mut from = (0..end)
        .rfind(|&run| main[run])
        .map_or(end, |last| last + 1);
    let all = (flat.elements[around as usize].end_run as usize).min(main.len());
    let mut run = from;
    while run < all && run - from <= LEADING_MAX {
        if is_of_files(flat, run) && is_own(run, around) {
            main[from..=run].fill(true);
            from = run + 1;
        } else if !(is_own(run, around) && is_label(flat, run))
            || is_heading(flat, run) && !leads_to_files(survey, run)
        {
            return;
        }
        run += 1;
    }
}

fn is_label(flat: &FlatDom<'_>, run: usize) -> bool {
    let line = &flat.runs[run];
    line.link_weight == 0 && line.counts.weight <= LABEL_WEIGHT_MAX
}

fn is_heading(flat: &FlatDom<'_>, run: usize) -> bool {
    let owner = &flat.elements[flat.runs[run].owner as usize];
    owner.tag.heading_level().is_some()
}

/// Whether a heading says that files follow.
fn leads_to_files(survey: &Survey, run: usize) -> bool {
    let text = survey.texts[run].trim_end();
    let lower = text.to_lowercase();
    text.ends_with([':', '：']) || FILES.iter().any(|word| lower.contains(word))
}

fn has_mark(survey: &Survey, run: usize) -> bool {
    let markers = survey.markers[run];
    NO_LEAD.iter().any(|&mark| markers.has(mark))
}

/// Whether a line is made of links, all of them to documents.
pub(super) fn is_of_files(flat: &FlatDom<'_>, run: usize) -> bool {
    let line = &flat.runs[run];
    if line.link_weight * 2 < line.counts.weight || line.counts.weight > LINE_WEIGHT_MAX {
        return false;
    }
    let pieces = &flat.pieces[line.pieces.start as usize..line.pieces.end as usize];
    let links = pieces.iter().filter_map(|piece| {
        let mut around = flat.ancestors(piece.element);
        let link = around.find(|&at| flat.elements[at as usize].traits.has(Traits::LINK))?;
        Some((piece.text, link))
    });
    let (mut count, mut files) = (0, 0);
    for (text, link) in links {
        let href = flat.elements[link as usize].element.attr("href");
        count += 1;
        files += usize::from(is_file(text) || href.is_some_and(is_file));
    }
    count > 0 && files == count
}

/// Whether an address or a name ends as that of a document does.
fn is_file(name: &str) -> bool {
    let path = name.split(['?', '#']).next().unwrap_or("");
    let ending = |name: &str| {
        let name = name.trim_end_matches(|char: char| !char.is_alphanumeric());
        let (_, ending) = name.rsplit_once('.')?;
        ENDINGS
            .iter()
            .find(|known| ending.eq_ignore_ascii_case(known))
            .copied()
    };
    ending(path).or_else(|| ending(name)).is_some()
}

#[cfg(test)]
mod tests {
    use super::super::kept_texts::kept_texts;
    use super::*;

    /// The texts that are kept where those with a comma were chosen.
    #[track_caller]
    fn check(page: &str, expected: &[&str]) {
        let is_chosen =
            |_: &FlatDom<'_>, survey: &Survey, run: usize| survey.texts[run].contains(',');
        let kept = kept_texts(page, is_chosen, |flat, survey, probability, main| {
            keep(flat, survey, &PageType::Article, probability, main);
        });
        assert_eq!(kept, expected, "{page}");
    }

    const TEXT: &str = "The mill, which stood at the harbour, was taken down and built again by its owners, who grind rye in it.";

    #[test]
    fn files_in_and_right_behind_a_text_belong_to_it() {
        let file = "<a href=/files/7.docx?v=2>The form</a>";
        let named = "<a href='/get.jsp?id=7'>form.xls</a>";
        check(
            &format!("<div><p>{TEXT}</p><p>{file}</p><p>{TEXT}</p></div>"),
            &[TEXT, "The form", TEXT],
        );
        check(
            &format!(
                "<div><div><p>{TEXT}</p></div><h4>附件：</h4><ul><li>{named}<li>{file}</ul></div>"
            ),
            &[TEXT, "附件：", "form.xls", "The form"],
        );
    }

    #[test]
    fn files_under_a_heading_in_the_text_belong_to_it_where_that_speaks_of_files() {
        let file = "<p><a href=/files/7.pdf>The form</a></p>";
        for (heading, is_kept) in [("Downloads", true), ("往期杂志", false)] {
            let expected: &[&str] = if is_kept {
                &[TEXT, "The form"]
            } else {
                &[TEXT]
            };
            check(
                &format!("<div><p>{TEXT}</p><h3>{heading}</h3>{file}</div>"),
                expected,
            );
        }
    }

    #[test]
    fn other_links_and_files_elsewhere_do_not() {
        let file = "<p><a href=/files/7.pdf>The form</a></p>";
        for behind in [
            "<p><a href=/files/7.html>The form</a></p>".to_owned(),
            "<p><a href=/files/7>Version 2.0</a></p>".to_owned(),
            format!("<nav>{file}</nav>"),
            format!("<h3>Related</h3>{file}"),
            format!("<h3>Our catalogues</h3>{file}"),
            format!("<p><a href=/x>Another page of it</a></p>{file}"),
        ] {
            check(
                &format!("<div><div><p>{TEXT}</p></div>{behind}</div>"),
                &[TEXT],
            );
        }
    }
}
