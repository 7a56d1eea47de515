//! The rows that Next.js' app router streams into a page: `self.__next_f.push([1,"…"])`, again and again.
//!
//! The strings of all parts make one text. Each of its rows has a number and JSON, or a text with its length in bytes:
//!
//! ```text
//!   5:["$","article",null,{"title":"…","body":"$6"}]     ← refers to row 6
//!   6:T1f4,the text …7:{"a":1}                           ← 0x1f4 bytes, and the next row behind them
//! ```

use std::collections::BTreeMap;

use serde_json::Value;

use crate::bounded::byte_prefix;
use crate::json;

/// Lists and objects of a part that are read: it has its string in the first.
const PART_VALUES_MAX: usize = 16;
/// The digits of the length of a text.
const LENGTH_DIGITS_MAX: usize = 8;

/// What a script begins with that is a part, behind the name of its list.
const PUSH: &str = "__next_f.push(";

/// The string of a part.
pub(super) fn part(script: &str) -> Option<String> {
    let (before, list) = script.trim_start().split_once(PUSH)?;
    if before.len() > 40 {
        return None;
    }
    match json::value(list, &mut PART_VALUES_MAX.clone()).ok()?.0 {
        Value::Array(items) => items.into_iter().find_map(|item| match item {
            Value::String(text) => Some(text),
            _ => None,
        }),
        _ => None,
    }
}

/// The rows of a stream.
#[derive(Default)]
pub(super) struct Rows<'s> {
    pub values: Vec<Value>,
    /// The texts by how values refer to them: the page chooses these names.
    texts: BTreeMap<&'s str, &'s str>,
}

impl<'s> Rows<'s> {
    /// Reads the rows; of `left` lists and objects those that they have are taken off.
    pub(super) fn of(stream: &'s str, left: &mut usize) -> Rows<'s> {
        let mut rows = Rows::default();
        let mut rest = stream;
        while let Some((number, row)) = rest.split_once(':') {
            let number = number.trim_start();
            match text(row) {
                Some((text, after)) => {
                    rows.texts.insert(number, text);
                    rest = after;
                }
                None => {
                    let (row, after) = row.split_once('\n').unwrap_or((row, ""));
                    let json = row.trim_start_matches(|char: char| char.is_ascii_uppercase());
                    if json.starts_with(['{', '[']) && *left > 0 {
                        rows.values.extend(json::whole(json, left));
                    }
                    rest = after;
                }
            }
        }
        rows
    }

    /// The text that a string stands for.
    pub(super) fn said<'t>(&self, string: &'t str) -> &'t str
    where
        's: 't,
    {
        let number = string.strip_prefix('$');
        let text = number.and_then(|number| self.texts.get(number));
        text.copied().unwrap_or(string)
    }
}

/// The text of a row, and what follows it.
fn text(row: &str) -> Option<(&str, &str)> {
    let row = row.strip_prefix('T')?;
    let length = byte_prefix(row, LENGTH_DIGITS_MAX + 1);
    let (length, _) = length.split_once(',')?;
    let text = &row[length.len() + 1..];
    let length = usize::from_str_radix(length, 16).ok()?;
    text.split_at_checked(length)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_have_values_and_texts_that_they_refer_to() {
        let parts = [
            r#"self.__next_f.push([1,"1:I[2,[]]\n5:[\"$\",{\"body\":\"$6\"}]\n6:T7,é one"])"#,
            r#"(self.__next_f=self.__next_f||[]).push([0])"#,
            r#"self.__next_f.push([1,"\n7:{\"a\":1}\n8:Tff,too short"])"#,
        ];
        let stream: String = parts.iter().filter_map(|script| part(script)).collect();
        let rows = Rows::of(&stream, &mut 100);
        assert_eq!(rows.values[1][1]["body"], "$6");
        assert_eq!(rows.values[2]["a"], 1);
        assert_eq!(rows.said("$6"), "é one\n");
        assert_eq!(rows.said("$9"), "$9");
        assert_eq!(rows.said("6"), "6");
    }

    #[test]
    fn a_length_has_some_digits_and_is_not_searched_beyond_them() {
        // The comma was searched to the end of the stream, for each row.
        assert_eq!(text("T5,hello2:x"), Some(("hello", "2:x")));
        assert_eq!(text("T00000005,hello"), Some(("hello", "")));
        assert_eq!(text("T000000005,hello"), None);
        assert_eq!(text("T文5,hello"), None);
        let stream = format!("{}2:{{\"a\":1}}", "1:T\n".repeat(100));
        assert_eq!(Rows::of(&stream, &mut 9).values.len(), 1);
    }

    #[test]
    fn no_more_lists_and_objects_of_rows_are_read_than_are_left() {
        let mut left = 4;
        let stream = "1:[[]]\n".repeat(100);
        let rows = Rows::of(&stream, &mut left);
        assert_eq!((rows.values.len(), left), (2, 0));
        let part = part(&format!(
            "self.__next_f.push([{}\"x\"])",
            "[],".repeat(1_000)
        ));
        assert_eq!(part.as_deref(), Some("x"));
    }
}
