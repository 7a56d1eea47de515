//! Whose site a page is on, where the page names nobody: "张三的博客", "Ann Lane's blog", and a site that is called as a person.
//!
//! Companies and papers are called as people are ("Howell Chase", "Harbour Times"). A site is taken for a person's where
//! its host is named so too and the text is told by one who says "I" and not "we".

use crate::classifier::Classified;
use crate::line_markers::Marker;

use super::name;
use super::publisher::Called;
use super::title::letters;
use super::unlabelled::is_full_name;
use super::without_site::last_part;

/// The name of the one whose site it is.
pub(super) fn find(page: &Classified<'_, '_>, called: &Called<'_>, host: &str) -> Option<String> {
    let declared = called.site.into_iter();
    let title = called.title.map(letters).unwrap_or_default();
    let last = last_part(called.whole).filter(|last| letters(last) != title);
    let mut sites = declared.chain(last);
    let owned = sites.clone().find_map(owner);
    owned.and_then(name::clean).or_else(|| {
        let holder = holder(page);
        let is_person = |site: &str| is_full_name(site) && is_of_host(site, host);
        let person = sites.find(|site| is_person(site)).map(str::to_owned);
        let person = person.or_else(|| holder.filter(|holder| is_person(holder)));
        person.filter(|_| is_told_by_one(page))
    })
}

/// Whom a site's name says that it belongs to.
fn owner(site: &str) -> Option<&str> {
    const BEHIND: [&str; 12] = [
        "的个人博客",
        "的技术博客",
        "的博客",
        "的专栏",
        "的小站",
        "的部落格",
        "的網誌",
        "のブログ",
        "의 블로그",
        "'s blog",
        "’s blog",
        "'s Blog",
    ];
    const BEFORE: [&str; 3] = ["Blog von ", "Blog de ", "Blog of "];
    let behind = BEHIND.iter().find_map(|end| site.strip_suffix(end));
    let before = || BEFORE.iter().find_map(|begin| site.strip_prefix(begin));
    behind.or_else(before).map(str::trim)
}

/// Whether a word of a name stands in the name of the host.
fn is_of_host(name: &str, host: &str) -> bool {
    const LETTERS_MIN: usize = 4;
    let host = letters(host);
    let mut words = name.split(' ').map(letters);
    words.any(|word| word.chars().count() >= LETTERS_MIN && host.contains(&word))
}

/// The name behind the year in the page's line of copyright.
fn holder(page: &Classified<'_, '_>) -> Option<String> {
    const LINE_BYTES_MAX: usize = 200;
    let lines = page.survey.texts.iter().zip(&page.survey.markers);
    let mut lines = lines.filter(|(line, markers)| {
        markers.has(Marker::Copyright) && line.len() <= LINE_BYTES_MAX && line.contains('©')
    });
    lines.find_map(|(line, _)| {
        let (_, behind) = line.split_once('©')?;
        let behind = behind.trim_start_matches(|c: char| !c.is_alphabetic());
        let end = behind.find(|c: char| !c.is_alphabetic() && c != ' ');
        let name = behind[..end.unwrap_or(behind.len())].trim();
        let name = name.split(" All ").next().unwrap_or(name);
        is_full_name(name).then(|| name.to_owned())
    })
}

/// Whether the text is told in English by one person.
fn is_told_by_one(page: &Classified<'_, '_>) -> bool {
    const TEXT_BYTES_MAX: usize = 20_000;
    const TIMES_MIN: usize = 3;
    let (mut one, mut many, mut bytes) = (0, 0, 0);
    let kept = page.survey.texts.iter().zip(page.main);
    for (text, _) in kept.filter(|(_, kept)| **kept) {
        bytes += text.len();
        if bytes > TEXT_BYTES_MAX {
            break;
        }
        for word in text.split(|c: char| !c.is_alphanumeric()) {
            match word {
                "I" | "my" | "My" => one += 1,
                "we" | "We" | "our" | "Our" => many += 1,
                _ => {}
            }
        }
    }
    one >= TIMES_MIN && one > 2 * many
}

#[cfg(test)]
mod tests {
    fn author(host: &str, site: &str, text: &str) -> Option<String> {
        let text = format!("<p>{text}</p>").repeat(4);
        let html = format!(
            "<html lang=en><title>The lock | {site}</title><main><article><h1>The lock</h1><p>5 May 2021</p>{text}\
             </article></main>"
        );
        let url = url::Url::parse(&format!("https://{host}/lock")).unwrap();
        crate::extract(&html, &crate::PageContext::new(&url)).author
    }

    #[test]
    fn a_site_that_is_called_as_a_person_and_told_by_one_is_that_persons() {
        let mine = "The river rose again on Thursday night, and I saw how it took my old stone bridge with it, which had stood there.";
        let ours = mine.replace(" I ", " we ").replace("my", "our");
        assert_eq!(author("al.example", "Ann Lane", mine), None);
        let found = author("pollybarks.example", "Polly Barks", mine);
        assert_eq!(found.as_deref(), Some("Polly Barks"));
        assert_eq!(author("pollybarks.example", "Polly Barks", &ours), None);
        assert_eq!(author("canal.example", "Polly Barks", mine), None);
    }

    #[test]
    fn a_site_may_say_whose_it_is() {
        let text =
            "昨天夜里河水又涨了，冲走了那座有两百年历史的老石桥，镇上的人都到岸边来看，直到天亮。";
        let found = author("a.example", "张小三的博客", text);
        assert_eq!(found.as_deref(), Some("张小三"));
    }
}
