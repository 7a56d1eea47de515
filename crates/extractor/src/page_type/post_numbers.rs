//! Numbers of posts, as programs of forums write them.

/// The number in "3楼", or before a wide colon at the beginning of a line.
pub(super) fn number_of_post(line: &str) -> Option<u32> {
    let is_digit = |char: char| char.is_ascii_digit();
    let behind = line.trim_start_matches(is_digit);
    let number = &line[..line.len() - behind.len()];
    if let Some(rest) = behind.trim_start().strip_prefix('：')
        && !number.is_empty()
    {
        let is_time = rest.trim_start().starts_with(is_digit);
        return number.parse().ok().filter(|_| !is_time);
    }
    let (before, behind) = line.split_once(['楼', '樓'])?;
    let goes_on = |rest: &str| rest.starts_with(char::is_alphabetic);
    let is_word = !goes_on(behind) || SAID_OF_POST.iter().any(|word| behind.starts_with(word));
    let digits = before.trim_end();
    let digits = &digits[digits.trim_end_matches(is_digit).len()..];
    digits.parse().ok().filter(|_| is_word)
}

/// What may stand right behind the number of a post.
const SAID_OF_POST: [&str; 6] = ["发表", "發表", "回复", "回覆", "发布", "楼主"];
