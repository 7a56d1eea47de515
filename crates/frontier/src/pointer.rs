//! A line of a file that cannot be used, with a caret under the place that is meant.
//!
//! A Chinese character is two columns wide on screen, a combining accent none: blanks by the
//! number of characters would put the caret elsewhere.

use unicode_width::UnicodeWidthChar;

/// The line with its number, and a caret under a column (in characters, from 1); two lines
/// without an end.
pub fn pointed(line: usize, column: usize, text: &str) -> String {
    let before = text.chars().take(column.saturating_sub(1));
    let blanks: String = before
        .map(|c| match c {
            '\t' => "\t".to_owned(),
            c => " ".repeat(c.width().unwrap_or(0)),
        })
        .collect();
    let margin = " ".repeat(line.to_string().len() + 3);
    let shown: String = text
        .chars()
        .map(|c| if c.is_control() && c != '\t' { ' ' } else { c })
        .collect();
    format!("  {line} | {shown}\n  {margin}{blanks}^")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_caret_stands_under_the_place_whatever_stands_before_it() {
        assert_eq!(pointed(7, 3, "ab c"), "  7 | ab c\n        ^");
        assert_eq!(pointed(12, 3, "数据x"), "  12 | 数据x\n           ^");
        assert_eq!(pointed(1, 3, "e\u{301}x"), "  1 | e\u{301}x\n       ^");
        assert_eq!(pointed(1, 2, "\tx"), "  1 | \tx\n      \t^");
    }
}
