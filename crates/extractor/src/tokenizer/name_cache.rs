//! Names of tags and attributes as atoms.
//!
//! Finding the atom of a name takes a strong hash; a page has a few dozen names and uses each a
//! thousand times, so the last ones are kept at hand.

use html5ever::LocalName;

/// Places for names.
const PLACES: usize = 256;

/// The names met last.
pub(super) struct NameCache {
    places: Vec<LocalName>,
    lower: String,
}

impl NameCache {
    pub(super) fn new() -> NameCache {
        NameCache {
            places: vec![LocalName::from(""); PLACES],
            lower: String::new(),
        }
    }

    /// The atom of a name as written: in lower case, a NUL as U+FFFD.
    pub(super) fn atom(&mut self, written: &str) -> LocalName {
        if !written
            .bytes()
            .any(|byte| byte.is_ascii_uppercase() || byte == 0)
        {
            return atom(&mut self.places, written);
        }
        self.lower.clear();
        let characters = written.chars().map(|c| match c {
            '\0' => '\u{fffd}',
            c => c.to_ascii_lowercase(),
        });
        self.lower.extend(characters);
        atom(&mut self.places, &self.lower)
    }
}

fn atom(places: &mut [LocalName], name: &str) -> LocalName {
    let bytes = name.as_bytes();
    let (Some(&first), Some(&last)) = (bytes.first(), bytes.last()) else {
        return LocalName::from(name);
    };
    let middle = bytes[bytes.len() / 2];
    let key =
        usize::from(first) * 7 + usize::from(middle) * 31 + usize::from(last) * 13 + bytes.len();
    let place = &mut places[key % PLACES];
    if **place != *name {
        *place = LocalName::from(name);
    }
    place.clone()
}
