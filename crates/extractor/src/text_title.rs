//! What a text without markup is called by: its first line that says something.

/// Characters of a title.
const TITLE_CHARS_MAX: usize = 120;

/// The title of a plain text: its first line that is not empty. Lines may end in a carriage return alone, and
/// pages in a form feed.
pub fn title_of_text(text: &str) -> Option<String> {
    lines(text).next().map(cut)
}

/// The title of a text in reStructuredText, AsciiDoc or Org: its first line that has a letter or a digit and is
/// none for machines (`.. name:`, `:name: value`, `// note`, `#+NAME:`), without its marks.
///
/// ```
/// let text = "====\nEels\n====\n\nThey swim.";
/// assert_eq!(extractor::title_of_marked_text(text).as_deref(), Some("Eels"));
/// ```
pub fn title_of_marked_text(text: &str) -> Option<String> {
    let named = lines(text).find_map(|line| {
        let name = line.get(.."#+title:".len())?;
        let is_title = name.eq_ignore_ascii_case("#+title:");
        is_title.then(|| line[name.len()..].trim())
    });
    let said = lines(text).find(|line| {
        let is_for_machines = ["..", ":", "//", "#+", "# "];
        line.contains(char::is_alphanumeric)
            && !is_for_machines.iter().any(|mark| line.starts_with(mark))
    });
    let title = named.filter(|title| !title.is_empty()).or(said)?;
    Some(cut(title.trim_start_matches(['=', '*']).trim()))
}

/// The lines of a text that are not empty.
fn lines(text: &str) -> impl Iterator<Item = &str> {
    let lines = text.split(['\n', '\r', '\x0c']).map(str::trim);
    lines.filter(|line| !line.is_empty())
}

fn cut(line: &str) -> String {
    line.chars().take(TITLE_CHARS_MAX).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_called_by_its_first_line() {
        // Of a text with the line ends of old Macs the title was its first 500 characters.
        for end in ["\n", "\r\n", "\r", "\x0c"] {
            let text = format!("{end} A report {end}{end}Its text.{end}");
            assert_eq!(title_of_text(&text).as_deref(), Some("A report"), "{end:?}");
        }
        assert_eq!(title_of_text(" \n"), None);
    }

    #[test]
    fn a_marked_text_is_called_by_its_first_line_for_people() {
        for (text, title) in [
            (".. _eels:\n\nEels\n----\n", Some("Eels")),
            ("// a note\n= Eels & more\n:toc:\n", Some("Eels & more")),
            ("# -*- mode: org -*-\n* Top\n#+TITLE: Eels\n", Some("Eels")),
            ("#+title:\n* Top\n", Some("Top")),
            ("====\n", None),
        ] {
            assert_eq!(title_of_marked_text(text).as_deref(), title, "{text:?}");
        }
    }
}
