//! A cache from the names of tags and attributes to their interned atoms.
//!
//! Interning a name computes a strong hash. A page has a few dozen names and uses each a thousand
//! times, so the latest ones are cached.

use html5ever::LocalName;

/// Entries of the cache.
const SLOTS: usize = 256;

/// A direct-mapped cache: each name has one slot, and the latest name with that slot is kept.
pub(super) struct NameCache {
    slots: Vec<LocalName>,
    lower: String,
}

impl NameCache {
    pub(super) fn new() -> NameCache {
        NameCache {
            slots: vec![LocalName::from(""); SLOTS],
            lower: String::new(),
        }
    }

    /// The atom of a name as written: in lower case, a NUL as U+FFFD.
    pub(super) fn atom(&mut self, written: &str) -> LocalName {
        if !written
            .bytes()
            .any(|byte| byte.is_ascii_uppercase() || byte == 0)
        {
            return atom(&mut self.slots, written);
        }
        self.lower.clear();
        let characters = written.chars().map(|c| match c {
            '\0' => '\u{fffd}',
            c => c.to_ascii_lowercase(),
        });
        self.lower.extend(characters);
        atom(&mut self.slots, &self.lower)
    }
}

fn atom(slots: &mut [LocalName], name: &str) -> LocalName {
    let bytes = name.as_bytes();
    let (Some(&first), Some(&last)) = (bytes.first(), bytes.last()) else {
        return LocalName::from(name);
    };
    let middle = bytes[bytes.len() / 2];
    let key =
        usize::from(first) * 7 + usize::from(middle) * 31 + usize::from(last) * 13 + bytes.len();
    let slot = &mut slots[key % SLOTS];
    if **slot != *name {
        *slot = LocalName::from(name);
    }
    slot.clone()
}
