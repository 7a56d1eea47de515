//! The beginning or end of a text, within a bound that never splits a character.

/// The longest beginning of `text` that has at most so many bytes.
pub(crate) fn byte_prefix(text: &str, bytes_max: usize) -> &str {
    &text[..text.floor_char_boundary(bytes_max)]
}

/// The longest end of `text` that has at most so many bytes.
pub(crate) fn byte_suffix(text: &str, bytes_max: usize) -> &str {
    &text[text.ceil_char_boundary(text.len().saturating_sub(bytes_max))..]
}

/// The first characters of `text`, at most so many.
pub(crate) fn char_prefix(text: &str, chars_max: usize) -> &str {
    match text.char_indices().nth(chars_max) {
        Some((end, _)) => &text[..end],
        None => text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_bound_splits_a_character() {
        assert_eq!(byte_prefix("a网页", 3), "a");
        assert_eq!(byte_prefix("a网页", 4), "a网");
        assert_eq!(byte_prefix("a网页", 99), "a网页");
        assert_eq!(byte_suffix("a网页", 4), "页");
        assert_eq!(byte_suffix("a网页", 99), "a网页");
        assert_eq!(char_prefix("a网页", 2), "a网");
        assert_eq!(char_prefix("a网页", 3), "a网页");
    }
}
