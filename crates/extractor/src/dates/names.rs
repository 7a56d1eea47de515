//! The names under which pages, their states and their scripts say when a text was published or changed.
//!
//! The same words stand in `<meta>`, in JSON and in programs, with other capitals and marks: `publish-date`,
//! `publishDate`, `PUBLISH_DATE`. So each is said once, in its plain form, with the places where it is trusted: under
//! `created` a program keeps many times.

/// Where a name stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Place {
    Meta,
    State,
    Script,
}

use Place::{Meta, Script, State};

/// The names of the time of publication, the most trusted first.
const PUBLISHED: [(&str, &[Place]); 40] = [
    ("articlepublishedtime", &[Meta]),
    ("datepublished", &[Meta, State]),
    ("articlepublished", &[Meta]),
    ("ogpublishedtime", &[Meta]),
    ("ogarticlepublishedtime", &[Meta]),
    ("publishtime", &[State, Script]),
    ("publishdate", &[Meta, State, Script]),
    ("publishedat", &[State]),
    ("published", &[Meta, State]),
    ("publicationdate", &[State]),
    ("firstpublished", &[State]),
    ("firstpublishedat", &[State]),
    ("pubtime", &[State, Script]),
    ("pubdate", &[Meta, State, Script]),
    ("publishedtime", &[Meta]),
    ("publisheddate", &[Meta]),
    ("dcdateissued", &[Meta]),
    ("dctermsissued", &[Meta]),
    ("dctermscreated", &[Meta]),
    ("datecreated", &[Meta]),
    ("dctermsdate", &[Meta]),
    ("dcdate", &[Meta]),
    ("sailthrudate", &[Meta]),
    ("parselypubdate", &[Meta]),
    ("cxenseparserecspublishtime", &[Meta]),
    ("citationpublicationdate", &[Meta]),
    ("citationdate", &[Meta]),
    ("releasedate", &[Meta]),
    ("releasetime", &[State]),
    ("displaytime", &[State]),
    ("posttime", &[State]),
    ("date", &[Meta, State]),
    ("btpubdate", &[Meta]),
    ("createtime", &[State, Script]),
    ("oricreatetime", &[Script]),
    ("createdtime", &[State]),
    ("createdat", &[State]),
    ("created", &[State]),
    ("ctime", &[State]),
    // WeChat's articles, in seconds since 1970.
    ("varct", &[Script]),
];

/// The names of the time of the last change.
const MODIFIED: [(&str, &[Place]); 11] = [
    ("articlemodifiedtime", &[Meta]),
    ("ogupdatedtime", &[Meta]),
    ("updatetime", &[State]),
    ("updatedtime", &[State]),
    ("updatedat", &[State]),
    ("updated", &[Meta, State]),
    ("datemodified", &[Meta, State]),
    ("dctermsmodified", &[Meta]),
    ("modified", &[State]),
    ("lastmodified", &[Meta, State]),
    ("lastmod", &[Meta]),
];

/// How far a name is trusted to be that of the time of publication, where it is one: the least is trusted most.
pub(crate) fn published(name: &str, place: Place) -> Option<usize> {
    rank(name, place, &PUBLISHED)
}

/// Whether a name of a rank says in so many words that something was published.
pub(crate) fn says_published(rank: usize) -> bool {
    let (name, _) = PUBLISHED[rank];
    name.contains("pub")
}

/// The same of the time of the last change.
pub(crate) fn modified(name: &str, place: Place) -> Option<usize> {
    rank(name, place, &MODIFIED)
}

fn rank(name: &str, place: Place, names: &[(&str, &[Place])]) -> Option<usize> {
    let whole = plain(name);
    let of_place = |name: &str| {
        let fits = |(known, places): &(&str, &[Place])| *known == name && places.contains(&place);
        names.iter().position(fits)
    };
    // "w-published-date", "acme:publish_date": a site's own mark stands before the name.
    let behind_mark = || {
        let (_, rest) = name.split_once(['-', ':', '.', '_'])?;
        let rank = of_place(&plain(rest))?;
        let (known, _) = names[rank];
        (place == Place::Meta && known.contains("publi") && known.len() > "published".len())
            .then_some(rank)
    };
    of_place(&whole).or_else(behind_mark)
}

/// The letters of a name in lower case.
pub(crate) fn plain(name: &str) -> String {
    const CHARS_MAX: usize = 40;
    let letters = name
        .chars()
        .filter(|char| !matches!(char, '_' | '-' | '.' | ':'));
    letters
        .take(CHARS_MAX)
        .flat_map(char::to_lowercase)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_known_in_its_places_however_it_is_written() {
        for name in ["publish_date", "Publish-Date", "publishDate"] {
            for place in [Meta, State, Script] {
                assert!(published(name, place).is_some(), "{name} {place:?}");
                assert_eq!(modified(name, place), None, "{name} {place:?}");
            }
        }
        assert!(published("DC.date.issued", Meta) < published("date", Meta));
        assert!(published("w-published-date", Meta).is_some());
        assert!(published("acme:publish_date", Meta).is_some());
        assert_eq!(published("next-date", Meta), None);
        assert_eq!(published("created", Script), None);
        assert_eq!(published("articles", Meta), None);
        assert_eq!(modified("last-modified", State), Some(9));
    }

    #[test]
    fn each_name_stands_once_and_is_plain() {
        for names in [PUBLISHED.as_slice(), MODIFIED.as_slice()] {
            for (at, (name, _)) in names.iter().enumerate() {
                assert_eq!(plain(name), *name);
                assert!(names[..at].iter().all(|(before, _)| before != name));
            }
        }
    }
}
