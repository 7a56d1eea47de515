//! Names before a date: "Reuters: March 5, 2021", "London: 5 March 2021".
//!
//! A label before a date says what the date is of, and most that are not known are of something else ("Geburtsdatum:",
//! "Exam:"). The name of an agency or a town says nothing of it. No list knows all of them, so the page has to use the
//! word as a name: as the site's, in brackets, before the dash that a report begins with, or with a capital amid a
//! sentence and never without.

use crate::flat_dom::FlatDom;
use crate::prefix_sums::is_prose;
use crate::survey::Survey;

use super::title::letters;

/// Bytes of the text in which names are looked for.
const TEXT_BYTES_MAX: usize = 20_000;
/// The bytes of the longest name.
const NAME_BYTES_MAX: usize = 40;
/// Languages that write all nouns with capitals.
const OF_CAPITALS: [&str; 3] = ["de", "lb", "gsw"];

/// A line without the colon behind the name that it begins with, if that is one.
pub(super) fn without_label(
    flat: &FlatDom<'_>,
    survey: &Survey,
    line: &str,
    lang: Option<&str>,
) -> Option<String> {
    let (label, rest) = line.split_once(':')?;
    let is_followed = rest.starts_with(char::is_whitespace);
    (is_followed && is_name(flat, survey, label.trim(), lang)).then(|| format!("{label} {rest}"))
}

/// Whether a label is a name on this page.
pub(super) fn is_name(
    flat: &FlatDom<'_>,
    survey: &Survey,
    label: &str,
    lang: Option<&str>,
) -> bool {
    let mut words = label.split(' ');
    let has_capitals = words.all(|word| word.starts_with(char::is_uppercase));
    let is_short = label.len() <= NAME_BYTES_MAX;
    has_capitals && is_short && (is_site(flat, label) || is_used(flat, survey, label, lang))
}

/// Whether a name is the site's, as it is declared or as `<title>` ends with it.
fn is_site(flat: &FlatDom<'_>, label: &str) -> bool {
    let name = letters(label);
    let last = flat.title.rsplit(['|', '–', '—', '-', '·']);
    let last = last.take(1).filter(|part| part.len() < flat.title.len());
    let declared = flat.meta(&["og:site_name", "application-name"]);
    last.chain(declared).any(|known| letters(known) == name)
}

/// Whether the text uses a word as a name, and never as another word.
fn is_used(flat: &FlatDom<'_>, survey: &Survey, label: &str, lang: Option<&str>) -> bool {
    let has_small_nouns = !lang.is_some_and(|lang| OF_CAPITALS.contains(&lang));
    let (small, large) = (label.to_lowercase(), label.to_uppercase());
    let prose = flat.runs.iter().zip(&survey.texts);
    let prose = prose.filter(|(run, _)| is_prose(run));
    let (mut bytes, mut is_found) = (0, false);
    for (_, text) in prose {
        if bytes > TEXT_BYTES_MAX {
            break;
        }
        let text = crate::bounded::byte_prefix(text, TEXT_BYTES_MAX);
        bytes += text.len();
        if whole(text, &small).next().is_some() {
            return false;
        }
        let is_name = |at: usize, name: &str| {
            let (before, behind) = (&text[..at], &text[at + name.len()..]);
            let amid = before
                .strip_suffix(' ')
                .is_some_and(|before| has_small_nouns && before.ends_with(char::is_lowercase));
            let is_dateline = before.is_empty()
                && [" (", " –", " —", " - "]
                    .iter()
                    .any(|dash| behind.starts_with(dash));
            amid || is_dateline || before.ends_with('(') && behind.starts_with(')')
        };
        is_found |= [label, &large]
            .into_iter()
            .any(|name| whole(text, name).any(|at| is_name(at, name)));
    }
    is_found
}

/// Where a text has some words, whole.
fn whole<'t>(text: &'t str, words: &'t str) -> impl Iterator<Item = usize> + use<'t> {
    let is_apart = move |&(at, _): &(usize, &str)| {
        let behind = &text[at + words.len()..];
        !text[..at].ends_with(char::is_alphanumeric) && !behind.starts_with(char::is_alphanumeric)
    };
    let found = text.match_indices(words).filter(is_apart);
    found.map(|(at, _)| at)
}

#[cfg(test)]
mod tests {
    use crate::{PageContext, extract};

    fn published(head: &str, line: &str, lead: &str) -> Option<String> {
        let text = "<p>The river rose again on Thursday night, and took the old stone bridge with it, which had \
            stood there for two hundred years.</p>"
            .repeat(4);
        let page = format!(
            "<html lang=en><title>The lock</title>{head}<article><h1>The lock</h1><p>{line}: 12 March 2024</p>\
             <p>{lead} the council has closed the old lock, and nobody knows when it will be open again.</p>{text}"
        );
        let url = url::Url::parse("https://canal.example/lock").unwrap();
        extract(&page, &PageContext::new(&url)).published
    }

    #[test]
    fn the_name_of_an_agency_or_a_town_says_nothing_of_a_date() {
        for (label, lead) in [
            ("Reuters", "LONDON (Reuters) - On Monday"),
            ("London", "LONDON (Reuters) - On Monday"),
            ("London", "The mayor said in London that"),
            ("The Guardian", "As reported by The Guardian on Monday,"),
        ] {
            let found = published("", label, lead);
            assert_eq!(found.as_deref(), Some("2024-03-12"), "{label} {lead}");
        }
        let site = "<meta property=og:site_name content='Canal Post'>";
        let found = published(site, "Canal Post", "On Monday");
        assert_eq!(found.as_deref(), Some("2024-03-12"));
    }

    #[test]
    fn another_label_is_of_something_else() {
        for (label, lead) in [
            ("Exam", "On Monday"),
            ("Exam", "After the exam of the Exam board"),
            ("Opening night", "On the Opening night of the year"),
            ("Geburtsdatum", "On Monday"),
        ] {
            assert_eq!(published("", label, lead), None, "{label} {lead}");
        }
    }
}
