//! Declared authors that are the program which made the page.
//!
//! Some software declares those who wrote it as the author of all pages: Discuz, which a `generator` names as "Discuz! X3.4",
//! has "Discuz! Team and Comsenz UI Team". Programs are also called as people are (Hugo, Ghost, Nikola), so the first word
//! alone tells only where it has the marks or the capitals that no name has, or where a word for makers follows.

use crate::flat_dom::FlatDom;

/// Whether a declared author is the program that the page names as its generator.
pub(super) fn is_generator(flat: &FlatDom<'_>, author: &str) -> bool {
    flat.meta(&["generator"])
        .is_some_and(|generator| is_program(generator, author))
}

fn is_program(generator: &str, author: &str) -> bool {
    const MAKERS: [&str; 12] = [
        "team",
        "group",
        "project",
        "developers",
        "contributors",
        "solutions",
        "software",
        "inc",
        "ltd",
        "foundation",
        "cms",
        "官方",
    ];
    let first = |text: &str| text.split_whitespace().next().unwrap_or("").to_owned();
    let (program, name) = (first(generator), first(author));
    let is_letter = |c: char| c.is_alphanumeric();
    let plain = |word: &str| word.chars().filter(|&c| is_letter(c)).collect::<String>();
    let is_same = !plain(&program).is_empty()
        && plain(&program).to_lowercase() == plain(&name).to_lowercase();
    // "Discuz!", "phpBB", "WordPress".
    let is_marked = program.ends_with('!')
        || program.chars().skip(1).any(char::is_uppercase)
            && program.chars().any(char::is_lowercase);
    let mut words = author.split(|c: char| !c.is_alphanumeric());
    let is_of_makers = words.any(|word| MAKERS.contains(&word.to_lowercase().as_str()));
    is_same && (is_marked || is_of_makers)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_is_told_by_its_name() {
        for (generator, author, expected) in [
            ("Discuz! X3.4", "Discuz! Team and Comsenz UI Team", true),
            ("Discuz X5", "Discuz Team", true),
            ("WordPress 6.4", "WordPress", true),
            ("phpBB", "phpBB Group", true),
            ("Hugo 0.120", "Hugo Weaving", false),
            ("Nikola (site)", "Nikola Lane", false),
            ("Discuz! X3.4", "Ann Lane", false),
            ("", "", false),
        ] {
            assert_eq!(is_program(generator, author), expected, "{author}");
        }
    }

    #[test]
    fn who_began_a_thread_is_its_author_and_not_the_program() {
        let post = |name: &str| {
            format!(
                "<div id=post_1><a class=username href=/u/1>{name}</a><em>发表于 2024-3-5 10:11</em><p>{}</p></div>",
                "昨天夜里河水又涨了，冲走了那座有两百年历史的老石桥。".repeat(3)
            )
        };
        let html = format!(
            "<meta name=generator content='Discuz! X3.4'><meta name=author content='Discuz! Team and Comsenz UI Team'>\
             <title>老石桥没有了 - 河边论坛 - Powered by Discuz!</title><h1>老石桥没有了</h1>{}{}{}",
            post("河边人"),
            post("山里人"),
            post("城里人")
        );
        let url = url::Url::parse("https://bbs.example/thread-12-1-1.html").unwrap();
        let page = crate::extract(&html, &crate::PageContext::new(&url));
        assert_eq!(page.author.as_deref(), Some("河边人"));
    }
}
