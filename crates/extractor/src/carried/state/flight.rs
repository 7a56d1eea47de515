//! The rows that Next.js' app router streams into a page: `self.__next_f.push([1,"…"])`, again and again.
//!
//! The strings of all parts make one text. Each of its rows has a number and JSON, or a text with its length in bytes:
//!
//! ```text
//!   5:["$","article",null,{"title":"…","body":"$6"}]     ← refers to row 6
//!   6:T1f4,the text …7:{"a":1}                           ← 0x1f4 bytes, and the next row behind them
//! ```

use rustc_hash::FxHashMap;
use serde_json::Value;

/// What a script begins with that is a part, behind the name of its list.
const PUSH: &str = "__next_f.push(";

/// The string of a part.
pub(super) fn part(script: &str) -> Option<String> {
    let (before, list) = script.trim_start().split_once(PUSH)?;
    if before.len() > 40 {
        return None;
    }
    let mut values = serde_json::Deserializer::from_str(list).into_iter::<Value>();
    match values.next()?.ok()? {
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
    /// The texts by how values refer to them.
    texts: FxHashMap<&'s str, &'s str>,
}

impl<'s> Rows<'s> {
    pub(super) fn of(stream: &'s str) -> Rows<'s> {
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
                    if json.starts_with(['{', '[']) {
                        rows.values.extend(serde_json::from_str::<Value>(json));
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
    let (length, text) = row.strip_prefix('T')?.split_once(',')?;
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
        let rows = Rows::of(&stream);
        assert_eq!(rows.values[1][1]["body"], "$6");
        assert_eq!(rows.values[2]["a"], 1);
        assert_eq!(rows.said("$6"), "é one\n");
        assert_eq!(rows.said("$9"), "$9");
        assert_eq!(rows.said("6"), "6");
    }
}
