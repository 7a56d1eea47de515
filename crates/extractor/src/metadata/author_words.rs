//! How elements and folders are named after who wrote a text, in the languages in which sites are made.

/// Words of class names in lower case. English has names of its own in other places, as they are also hints.
const CLASSES: [&str; 38] = [
    "autor",
    "autora",
    "autore",
    "autores",
    "autori",
    "autoren",
    "autorin",
    "autors",
    "autorius",
    "avtor",
    "auteur",
    "auteurs",
    "verfasser",
    "verfasserin",
    "redakteur",
    "redacteur",
    "redacteurs",
    "redactor",
    "redattore",
    "redator",
    "redaktor",
    "szerzo",
    "forfatter",
    "forfattare",
    "skribent",
    "journaliste",
    "kirjoittaja",
    "toimittaja",
    "yazar",
    "yazarlar",
    "muallif",
    "penulis",
    "hofundur",
    "syntaktis",
    "schrijver",
    "zuozhe",
    "bianji",
    "katib",
];

/// Folders in which sites have a page of each writer. Licences are by somebody as well: `/by/3.0/`.
const FOLDERS: [&str; 44] = [
    "author",
    "authors",
    "writer",
    "writers",
    "contributor",
    "contributors",
    "columnist",
    "columnists",
    "people",
    "by",
    "autor",
    "autora",
    "autore",
    "autores",
    "autori",
    "autoren",
    "autorzy",
    "autors",
    "autorius",
    "autoriai",
    "avtor",
    "avtory",
    "avtorji",
    "auteur",
    "auteurs",
    "verfasser",
    "redakteur",
    "redactor",
    "redakcja",
    "szerzo",
    "szerzok",
    "forfatter",
    "forfattare",
    "skribent",
    "kirjoittaja",
    "kirjoittajat",
    "yazar",
    "yazarlar",
    "penulis",
    "hofundur",
    "syntaktis",
    "tac-gia",
    "zuozhe",
    "lekhak",
];

/// Whether a class attribute names an element after the author in a language other than English.
pub(super) fn is_class(class: &str) -> bool {
    let mut classes = class.split_ascii_whitespace();
    classes.any(|class| class.eq_ignore_ascii_case("tac-gia"))
        || words(class).any(|word| CLASSES.iter().any(|known| word.eq_ignore_ascii_case(known)))
}

/// The words of class names: parted by signs, and by capitals.
fn words(class: &str) -> impl Iterator<Item = &str> {
    let parts = class.split(|c: char| !c.is_alphabetic());
    parts.flat_map(|part| {
        let capital = part
            .char_indices()
            .skip(1)
            .find(|(_, c)| c.is_uppercase())
            .map_or(part.len(), |(at, _)| at);
        [&part[..capital], &part[capital..]]
    })
}

/// Whether a folder of a path is named after authors.
pub(super) fn is_folder(folder: &str) -> bool {
    FOLDERS
        .iter()
        .any(|known| folder.eq_ignore_ascii_case(known))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn elements_and_folders_are_named_after_authors_in_many_languages() {
        for class in [
            "autor",
            "post-autor",
            "postAutor",
            "entry__verfasser big",
            "Szerzo",
            "tac-gia",
        ] {
            assert!(is_class(class), "{class}");
        }
        for class in ["autoresponder", "actor", "", "redaktion"] {
            assert!(!is_class(class), "{class}");
        }
        assert!(is_folder("auteurs") && is_folder("Szerzo") && !is_folder("autoteile"));
    }
}
