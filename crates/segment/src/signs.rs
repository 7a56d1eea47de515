//! Signs that make a name with the word they stand at: `C++`, `C#`, `.NET`.
//!
//! A sign is no word, so `C`, `C++` and `C#` are one word `c`. Whoever tells them apart asks for the signs.

/// Signs behind a word that make a name with it, and how they are written usually.
const BEHIND: [(&str, &str); 4] = [("++", "++"), ("＋＋", "++"), ("#", "#"), ("＃", "#")];

/// The signs at a word; empty where they make no name.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Signs {
    /// Before it: a point or nothing.
    pub before: &'static str,
    /// Behind it, in its usual form.
    pub behind: &'static str,
    /// Bytes that the sign behind it takes in the text.
    pub behind_bytes: usize,
}

impl Signs {
    /// The signs of a word that stands between two texts.
    ///
    /// ```
    /// use segment::Signs;
    /// assert_eq!(Signs::between("in C, ", "＋＋.").behind, "++");
    /// assert!(Signs::between("ASP.", "").is_empty() && Signs::between("a ", "#top").is_empty());
    /// ```
    pub fn between(before: &str, behind: &str) -> Signs {
        let mut signs = Signs::default();
        if let Some(before) = before.strip_suffix('.')
            && !before.ends_with(|c: char| c.is_ascii_alphanumeric() || c == '.')
        {
            signs.before = ".";
        }
        if let Some((sign, usual)) = BEHIND.iter().find(|(sign, _)| behind.starts_with(sign)) {
            // `page#top` is a place in a page.
            let rest = &behind[sign.len()..];
            if *usual != "#" || !rest.starts_with(|c: char| c.is_ascii_alphabetic()) {
                signs.behind = usual;
                signs.behind_bytes = sign.len();
            }
        }
        signs
    }

    /// Whether the word has none.
    pub fn is_empty(&self) -> bool {
        self.before.is_empty() && self.behind.is_empty()
    }
}
