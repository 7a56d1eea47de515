//! Traditional to simplified Chinese, one character at a time.
//!
//! Jieba's dictionary has simplified words only; it would split traditional text into single
//! characters. Also, a reprint in the other script is the same text to a reader. Folded text is only
//! compared and searched, never displayed, so it does not matter that simplification merges characters
//! (乾, 幹 and 干).

use std::sync::LazyLock;

use crate::simplified_table::PAIRS;

/// The range of the dense part of the table: from CJK Extension A to the end of the unified ideographs.
const DENSE: std::ops::Range<u32> = 0x3400..0xA000;

struct Table {
    /// The simplified form by `char - DENSE.start`; 0 for a character that has none.
    dense: Vec<u16>,
    /// The pairs with a character outside the dense part, ordered by the traditional character.
    sparse: Vec<(char, char)>,
}

static TABLE: LazyLock<Table> = LazyLock::new(|| {
    let mut table = Table {
        dense: vec![0; DENSE.len()],
        sparse: Vec::new(),
    };
    let mut characters = PAIRS.chars();
    while let (Some(traditional), Some(simplified)) = (characters.next(), characters.next()) {
        if DENSE.contains(&(traditional as u32)) && DENSE.contains(&(simplified as u32)) {
            table.dense[(traditional as u32 - DENSE.start) as usize] = simplified as u32 as u16;
        } else {
            table.sparse.push((traditional, simplified));
        }
    }
    table.sparse.sort_unstable();
    table
});

/// The simplified form of `character`, or itself.
pub(crate) fn simplify(character: char) -> char {
    let code = character as u32;
    if code < DENSE.start {
        return character;
    }
    let table = &*TABLE;
    if DENSE.contains(&code) {
        let simplified = table.dense[(code - DENSE.start) as usize];
        if simplified != 0 {
            return char::from_u32(u32::from(simplified)).unwrap_or(character);
        }
    }
    match table
        .sparse
        .binary_search_by_key(&character, |&(from, _)| from)
    {
        Ok(at) => table.sparse[at].1,
        Err(_) => character,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn traditional_characters_become_simplified_and_others_stay() {
        let folded: String = "開放中國的網頁去重算法, abc あ"
            .chars()
            .map(simplify)
            .collect();
        assert_eq!(folded, "开放中国的网页去重算法, abc あ");
    }

    #[test]
    fn every_simplified_form_in_the_table_stays_as_it_is() {
        for simplified in PAIRS.chars().skip(1).step_by(2) {
            assert_eq!(simplify(simplified), simplified);
        }
    }
}
