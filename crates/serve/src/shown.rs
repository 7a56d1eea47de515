//! Texts of strangers as they may be shown: short, and without what turns other text around.
//!
//! Markup is escaped where it is made, by `maud` on the server and by `textContent` in the browser.
//! What escaping leaves are characters that act on their neighbours: controls, and the marks that
//! change the direction of writing, by which `txt.exe` is shown as `exe.txt`. They become a sign
//! that can be seen.

use report::words::acts_on_others;

/// What stands for a character that must not act.
const SIGN: char = '\u{fffd}';

/// A text of at most so many characters, without characters that act on others.
pub(crate) fn shown(text: &str, characters_max: usize) -> String {
    let mut out = String::new();
    for (at, character) in text.chars().enumerate() {
        if at == characters_max {
            out.push('…');
            break;
        }
        out.push(match character {
            '\n' | '\t' => character,
            character if acts_on_others(character) => SIGN,
            character => character,
        });
    }
    out
}

/// The same for a text of one line, such as a title.
pub(crate) fn line(text: &str, characters_max: usize) -> String {
    shown(text, characters_max).replace(['\n', '\t'], " ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_turns_text_around_is_seen_and_long_text_is_cut() {
        assert_eq!(line("a\u{202e}gpj.exe", 50), "a\u{fffd}gpj.exe");
        assert_eq!(line("two\nlines\0", 50), "two lines\u{fffd}");
        assert_eq!(line("数据库", 2), "数据…");
        assert_eq!(line("数据", 2), "数据");
        let huge = "x".repeat(1 << 20);
        assert_eq!(line(&huge, 300).chars().count(), 301);
        assert_eq!(shown("a\nb", 9), "a\nb");
    }
}
