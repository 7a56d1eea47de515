//! Traditional to simplified Chinese, one character at a time.
//!
//! Jieba's dictionary has simplified words only; it would split traditional text into single
//! characters. Also, a reprint in the other script is the same text to a reader. Folded text is only
//! compared and searched, never displayed, so it does not matter that simplification merges characters
//! (乾, 幹 and 干).

use std::cmp::Ordering;
use std::sync::LazyLock;

use crate::simplified_table::PAIRS;

/// The range of the dense part of the table: from CJK Extension A to the end of the unified ideographs.
const DENSE: std::ops::Range<u32> = 0x3400..0xA000;

/// In which of the two scripts a Chinese text is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ChineseScript {
    /// Characters as on the mainland and in Singapore, `Hans`.
    Simplified,
    /// Characters as in Taiwan, Hong Kong and Macau, `Hant`.
    Traditional,
}

impl ChineseScript {
    /// The tag of Chinese in this script, in lower case.
    pub fn tag(self) -> &'static str {
        match self {
            ChineseScript::Simplified => "zh-hans",
            ChineseScript::Traditional => "zh-hant",
        }
    }

    /// The script that a language tag of Chinese asks for, by itself (`zh-Hant`) or by its region (`zh-TW`).
    pub fn of_tag(tag: &str) -> Option<ChineseScript> {
        let tag = tag.to_ascii_lowercase();
        let mut subtags = tag.split(['-', '_']);
        let is_chinese = subtags.next() == Some("zh");
        let script = subtags.find_map(|subtag| match subtag {
            "hans" | "cn" | "sg" | "my" => Some(ChineseScript::Simplified),
            "hant" | "tw" | "hk" | "mo" => Some(ChineseScript::Traditional),
            _ => None,
        });
        script.filter(|_| is_chinese)
    }
}

/// The script of a Chinese text: which of both has more of the characters that they write otherwise. `None` where
/// it has none of them. A character that both have (后 is queen in one, also 後 in the other) counts as simplified:
/// of a traditional text they are few.
pub fn chinese_script(text: &str) -> Option<ChineseScript> {
    let (mut simplified, mut traditional) = (0_usize, 0_usize);
    for character in text.chars().filter(|&c| c as u32 >= DENSE.start) {
        if simplify(character) != character {
            traditional += 1;
        } else if TABLE.is_simplified(character) {
            simplified += 1;
        }
    }
    match simplified.cmp(&traditional) {
        _ if simplified + traditional == 0 => None,
        Ordering::Greater => Some(ChineseScript::Simplified),
        Ordering::Less | Ordering::Equal => Some(ChineseScript::Traditional),
    }
}

struct Table {
    /// The simplified form by `char - DENSE.start`; 0 for a character that has none.
    dense: Vec<u16>,
    /// The pairs with a character outside the dense part, ordered by the traditional character.
    sparse: Vec<(char, char)>,
    /// Whether a character is the simplified form of another, by `char - DENSE.start`.
    simplified: Vec<bool>,
}

impl Table {
    fn is_simplified(&self, character: char) -> bool {
        let at = (character as u32).checked_sub(DENSE.start);
        at.and_then(|at| self.simplified.get(at as usize)) == Some(&true)
    }
}

static TABLE: LazyLock<Table> = LazyLock::new(|| {
    let mut table = Table {
        dense: vec![0; DENSE.len()],
        sparse: Vec::new(),
        simplified: vec![false; DENSE.len()],
    };
    let mut characters = PAIRS.chars();
    while let (Some(traditional), Some(simplified)) = (characters.next(), characters.next()) {
        if DENSE.contains(&(simplified as u32)) {
            table.simplified[(simplified as u32 - DENSE.start) as usize] = true;
        }
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
    fn the_script_of_a_text_is_that_of_most_characters_that_differ() {
        use ChineseScript::{Simplified, Traditional};
        let check = |text, expected| assert_eq!(chinese_script(text), expected, "{text}");
        check("皇后在后宫里，云很干净，于是干了一杯。", Some(Simplified));
        check(
            "皇后的頭髮乾了，台北在海裡邊，雲在後面。",
            Some(Traditional),
        );
        check("一二三，天地人，no more", None);
        assert_eq!(ChineseScript::of_tag("zh-TW"), Some(Traditional));
        assert_eq!(ChineseScript::of_tag("ZH_hans_HK"), Some(Simplified));
        for tag in ["zh", "zh-x", "en-SG", "hant", ""] {
            assert_eq!(ChineseScript::of_tag(tag), None, "{tag}");
        }
    }

    #[test]
    fn every_simplified_form_in_the_table_stays_as_it_is() {
        for simplified in PAIRS.chars().skip(1).step_by(2) {
            assert_eq!(simplify(simplified), simplified);
        }
    }
}
