//! The beginning of a text, within a bound that never splits a character.

/// The longest beginning of `text` that has at most so many bytes.
pub(crate) fn byte_prefix(text: &str, bytes_max: usize) -> &str {
    let mut end = bytes_max.min(text.len());
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    &text[..end]
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
        assert_eq!(char_prefix("a网页", 2), "a网");
        assert_eq!(char_prefix("a网页", 3), "a网页");
    }
}
