//! Keywords of one Chinese character: in which longer words do they mean themselves?
//!
//! 红茶 and 茶叶 are of tea, but 现象 is no elephant and 厘米 no rice. A dictionary tells neither, but what it
//! tells helps: a word that is as common as 现象 has a meaning of its own, and units are not what they are
//! written with. So a longer word in which the character stands last, or first of two, counts where it is
//! rare; where it is common it counts on pages that say the character alone or in a rare word as well.

use segment::Segmenter;

/// Words that are as common as this, or commoner, have a meaning of their own where the character is their end: 印象 2,079,
/// 气象 1,512; below are 天象 224, 油画 671, 红茶 119.
const COMMON_ENDING: usize = 700;
/// The same where it is the first of two characters: nouns of this kind are of the character more often (茶叶 1,496,
/// 药物 3,727; but 金融 6,455, 水平 13,880).
const COMMON_BEGINNING: usize = 4_000;

/// How a word stands for a keyword.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Stands {
    /// It has the keyword.
    Surely,
    /// It has the keyword's character, and most often another meaning.
    Perhaps,
    /// It has not.
    Not,
}

/// How a word in Han characters stands for a keyword of one.
pub(crate) fn stands_for(character: &str, word: &str) -> Stands {
    if word == character {
        return Stands::Surely;
    }
    let segmenter = Segmenter::shared();
    let part_of_speech = || segmenter.part_of_speech(word);
    let common = if word.ends_with(character) && !matches!(part_of_speech(), "q" | "m") {
        COMMON_ENDING
    } else if word.starts_with(character) && word.chars().count() == 2 && part_of_speech() == "n" {
        COMMON_BEGINNING
    } else {
        return Stands::Not;
    };
    // 面向对象 is rare, but its 对象 is not.
    let ends = word
        .char_indices()
        .rev()
        .nth(1)
        .map_or(word, |(at, _)| &word[at..]);
    let frequency = segmenter.frequency(word).max(segmenter.frequency(ends));
    match frequency < common {
        true => Stands::Surely,
        false => Stands::Perhaps,
    }
}
