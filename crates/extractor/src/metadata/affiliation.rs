//! What stands behind a writer's name and a comma: for whom somebody writes, and as what.
//!
//! "By Ann Lane, Staff Writer", "Ann Lane, The Harbour Times". Degrees and professions say who somebody is and stay; the
//! offices of newspapers, and the page's own site, are no part of a name.

/// A name without the offices and the site's name behind its commas.
pub(super) fn without(name: String, is_site: impl Fn(&str) -> bool) -> String {
    let mut parts = name.split(", ");
    let first = parts.next().unwrap_or("");
    // "Lane, Ann": one word before a comma is half of a name.
    if !first.trim().contains(' ') {
        return name;
    }
    let kept = parts.filter(|part| !is_office(part) && !is_site(part));
    kept.fold(first.to_owned(), |all, part| format!("{all}, {part}"))
}

/// Whether a part is an office of those who write for a paper: "Staff Writer", "Senior Science Reporter".
pub(super) fn is_office(part: &str) -> bool {
    const OFFICES: [&str; 12] = [
        "writer",
        "reporter",
        "correspondent",
        "columnist",
        "contributor",
        "editor",
        "journalist",
        "staff",
        "redakteur",
        "redakteurin",
        "journaliste",
        "redactor",
    ];
    const WORDS_MAX: usize = 4;
    let words = part.split_whitespace();
    let last = words.clone().next_back().unwrap_or("").to_lowercase();
    words.count() <= WORDS_MAX && OFFICES.contains(&last.as_str())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_office_of_a_paper_and_the_site_are_no_part_of_a_name() {
        for (name, expected) in [
            ("Ann Lane, Staff Writer", "Ann Lane"),
            ("Ann Lane, Senior Science Reporter", "Ann Lane"),
            ("Ann Lane, Harbour Times", "Ann Lane"),
            ("Ann Lane, Staff Writer, Bo Reed", "Ann Lane, Bo Reed"),
            ("Ann Lane, MD, PhD", "Ann Lane, MD, PhD"),
            ("Ann Lane, Dietitian", "Ann Lane, Dietitian"),
            ("Ann Lane, Bo Reed", "Ann Lane, Bo Reed"),
            ("Lane, Ann", "Lane, Ann"),
            ("Staff", "Staff"),
        ] {
            let is_site = |part: &str| part == "Harbour Times";
            assert_eq!(without(name.to_owned(), is_site), expected);
        }
    }
}
