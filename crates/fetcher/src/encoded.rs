//! Files that stand in a text, written in its letters: uuencode and yEnc, as news and mail carried them.
//!
//! What else the text says is worth reading; the letters of the file are no words. Both forms can be told for sure by
//! what they say of their lines: a full line of uuencode begins with its length (`M`, 45 bytes) and has as many letters
//! as that asks for, and yEnc says how long its lines are. An example of a few lines in an article about these stays.
//!
//! Cost: one pass over the lines. What was looked through in vain is not looked through again from its next line on.

use std::borrow::Cow;

/// Fewer full lines are an example that somebody shows.
const LINES_MIN: usize = 8;

/// A full line of uuencode: `M`, and four letters for each three of 45 bytes.
const FULL_LINE: usize = 61;

/// Letters that lines without a `begin` have together. A file has nearly all of 64; a table of numbers, or a text in
/// capital letters, of the same width, has fewer.
const LETTERS_MIN: u32 = 44;

/// The text without the files that stand in it.
pub fn without_encoded_files(text: &[u8]) -> Cow<'_, [u8]> {
    let mut kept: Option<Vec<u8>> = None;
    let mut done = 0;
    let mut rest = text;
    while !rest.is_empty() {
        let at = text.len() - rest.len();
        let length = match file_at(rest) {
            Found::File(length) => {
                let kept = kept.get_or_insert_default();
                kept.extend_from_slice(&text[done..at]);
                done = at + length;
                length
            }
            Found::Text(length) => length.max(line_of(rest).1),
        };
        rest = &rest[length..];
    }
    match kept {
        Some(mut kept) => {
            kept.extend_from_slice(&text[done..]);
            Cow::Owned(kept)
        }
        None => Cow::Borrowed(text),
    }
}

/// What stands at the beginning of a text.
enum Found {
    /// A file, or part of one, of so many bytes.
    File(usize),
    /// No file begins in so many bytes, nor in the first line.
    Text(usize),
}

fn file_at(text: &[u8]) -> Found {
    match text.first() {
        Some(b'b' | b'M') => uuencoded(text),
        Some(b'=') => yencoded(text).map_or(Found::Text(0), Found::File),
        Some(_) | None => Found::Text(0),
    }
}

/// The type of a body that is called a text and is nothing but such files.
pub(crate) fn encoded_file_type(bytes: &[u8]) -> Option<&'static str> {
    let begin = bytes.trim_ascii_start();
    let found = match () {
        () if begin.starts_with(b"begin ") || begin.starts_with(b"M") => "text/x-uuencode",
        () if begin.starts_with(b"=ybegin ") => "application/x-yenc",
        () => return None,
    };
    let rest = without_encoded_files(bytes);
    rest.trim_ascii().is_empty().then_some(found)
}

/// The first line, without its end, and where the next one begins.
fn line_of(text: &[u8]) -> (&[u8], usize) {
    match memchr::memchr(b'\n', text) {
        Some(end) => (text[..end].trim_ascii_end(), end + 1),
        None => (text.trim_ascii_end(), text.len()),
    }
}

/// Whether a line says that a file follows, and by which right it may be read.
fn begins_file(line: &[u8]) -> bool {
    let Some(about) = line.strip_prefix(b"begin ") else {
        return false;
    };
    let mode = about.split(|byte| *byte == b' ').next().unwrap_or_default();
    matches!(mode.len(), 3 | 4) && mode.iter().all(u8::is_ascii_digit)
}

/// The uuencoded file, or part of one, that stands at the beginning.
fn uuencoded(text: &[u8]) -> Found {
    let (first, next) = line_of(text);
    let is_begun = begins_file(first);
    let mut length = if is_begun { next } else { 0 };
    let (mut full, mut letters) = (0, 0_u64);
    loop {
        let (line, next) = line_of(&text[length..]);
        if !is_full(&text[length..], line) {
            break;
        }
        // From blank to `_`, and the accent that stands for a blank.
        letters = line[1..]
            .iter()
            .fold(letters, |letters, byte| letters | 1 << ((byte - 0x20) & 63));
        full += 1;
        length += next;
    }
    if full < LINES_MIN || !is_begun && letters.count_ones() < LETTERS_MIN {
        // From the next line on there are fewer lines, and no more letters.
        return Found::Text(length);
    }
    // The last line of the file, the empty one, and `end`.
    for is_last in [is_shorter, is_empty, is_end] {
        let (line, next) = line_of(&text[length..]);
        if next > 0 && is_last(line) {
            length += next;
        }
    }
    Found::File(length)
}

/// Whether a line of 45 bytes begins the text. Blanks at its end may be lost, and some programs add a letter.
fn is_full(text: &[u8], line: &[u8]) -> bool {
    let may_be = line.first() == Some(&b'M') && line.len() <= FULL_LINE + 1;
    may_be && line.len() + 8 > FULL_LINE && text.len() >= FULL_LINE && line.iter().all(is_letter)
}

fn is_letter(byte: &u8) -> bool {
    matches!(byte, 0x20..=0x60)
}

/// A line of fewer bytes.
fn is_shorter(line: &[u8]) -> bool {
    let Some((length, letters)) = line.split_first() else {
        return false;
    };
    let bytes = usize::from(length.saturating_sub(0x20));
    let expected = bytes.div_ceil(3) * 4;
    (1..=45).contains(&bytes)
        && letters.iter().all(is_letter)
        && letters.len() <= expected + 1
        && letters.len() + 4 > expected
}

fn is_empty(line: &[u8]) -> bool {
    matches!(line, b"" | b"`")
}

fn is_end(line: &[u8]) -> bool {
    line == b"end"
}

/// The length of the file in yEnc that stands at the beginning.
fn yencoded(text: &[u8]) -> Option<usize> {
    if !text.starts_with(b"=ybegin ") {
        return None;
    }
    let (head, mut begin) = line_of(text);
    let head = String::from_utf8_lossy(head);
    let width = head
        .split(' ')
        .find_map(|part| part.strip_prefix("line="))?;
    let width: usize = width.parse().ok()?;
    if !head.contains(" size=") || !head.contains(" name=") {
        return None;
    }
    if text[begin..].starts_with(b"=ypart ") {
        begin += line_of(&text[begin..]).1;
    }
    let data = &text[begin..];
    // An escape is never one of `y`, so the first line that begins so ends the file: behind another one there is none.
    let end = memchr::memmem::find(data, b"\n=y")?;
    let is_end = data[end..].starts_with(b"\n=yend ");
    let data = Some(&data[..end]).filter(|_| is_end)?;
    let first = memchr::memchr(b'\n', data).map_or(data, |end| &data[..end]);
    let first = first.strip_suffix(b"\r").unwrap_or(first);
    // The last letter of a line may be escaped, and a file of one line is shorter.
    let is_wide = first.len() == width || first.len().checked_sub(1) == Some(width);
    let strange = data.iter().filter(|byte| !matches!(byte, 0x20..=0x7e));
    let is_file = is_wide && strange.count() * 3 > data.len();
    let is_text = std::str::from_utf8(data).is_ok();
    let end = begin + end + 1;
    (is_file && !is_text).then(|| end + line_of(&text[end..]).1)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Bytes of a file that looks like chance.
    fn file(count: u32) -> Vec<u8> {
        (0..count)
            .map(|n| (n.wrapping_add(7).wrapping_mul(2_654_435_761) >> 11) as u8)
            .collect()
    }

    fn uu(bytes: &[u8]) -> String {
        let letter = |bits: u8| match bits & 63 {
            0 => '`',
            bits => char::from(bits + 0x20),
        };
        let mut out = String::new();
        for line in bytes.chunks(45) {
            out.push(letter(line.len() as u8));
            for group in line.chunks(3) {
                let [a, b, c] = [0, 1, 2].map(|at| group.get(at).copied().unwrap_or(0));
                out.extend([a >> 2, a << 4 | b >> 4, b << 2 | c >> 6, c].map(letter));
            }
            out.push('\n');
        }
        out
    }

    fn yenc(bytes: &[u8]) -> Vec<u8> {
        let mut out = format!("=ybegin line=128 size={} name=a.jpg\r\n", bytes.len()).into_bytes();
        let mut width = 0;
        for byte in bytes {
            let byte = byte.wrapping_add(42);
            if matches!(byte, 0 | b'\n' | b'\r' | b'=') {
                out.extend([b'=', byte.wrapping_add(64)]);
                width += 1;
            } else {
                out.push(byte);
            }
            width += 1;
            if width >= 128 {
                out.extend(b"\r\n");
                width = 0;
            }
        }
        out.extend(format!("\r\n=yend size={}\r\n", bytes.len()).into_bytes());
        out
    }

    #[test]
    fn a_text_that_only_begins_as_files_do_is_looked_through_once() {
        // Each of 100,000 lines was followed to the end of all: two minutes for 6 MB, and hours for 10 MB of the second.
        let lines = |line: &str, count: usize| format!("{line}\n").repeat(count);
        let same = lines(&format!("M{}", "A".repeat(60)), 150_000);
        let begun = lines("=ybegin line=1 size=1 name=a", 300_000);
        let ended = format!("{begun}=yend size=1\n");
        let wide = format!(
            "=ybegin line={} size=1 name=a\n\u{e9}\n=yend size=1\n",
            usize::MAX
        );
        for text in [&same, &begun, &ended, &wide] {
            let began = std::time::Instant::now();
            check(text.as_bytes(), text.as_bytes());
            assert_eq!(encoded_file_type(text.as_bytes()), None);
            assert!(began.elapsed().as_secs() < 20);
        }
    }

    #[track_caller]
    fn check(text: &[u8], rest: &[u8]) {
        let found = without_encoded_files(text);
        assert_eq!(
            String::from_utf8_lossy(&found),
            String::from_utf8_lossy(rest)
        );
    }

    #[test]
    fn what_a_post_says_is_kept_and_its_file_is_not() {
        for count in [360, 900, 4_001] {
            let file = file(count);
            let post = format!(
                "Here it is.\n\nbegin 644 a.gif\n{}`\nend\nBye.\n",
                uu(&file)
            );
            check(post.as_bytes(), b"Here it is.\n\nBye.\n");
            check(
                post.replace('\n', "\r\n").as_bytes(),
                b"Here it is.\r\n\r\nBye.\r\n",
            );
            // A later part of a large file has no `begin`.
            let part = format!("Part 2.\n{}Bye.\n", uu(&file));
            check(part.as_bytes(), b"Part 2.\nBye.\n");
            let post = [&b"Caf\xe9:\r\n"[..], &yenc(&file), b"Bye.\r\n"].concat();
            check(&post, b"Caf\xe9:\r\nBye.\r\n");
        }
    }

    #[test]
    fn a_body_that_is_a_file_alone_is_no_text() {
        let post = format!("begin 644 a.gif\n{}`\nend\n", uu(&file(2_000)));
        assert_eq!(encoded_file_type(post.as_bytes()), Some("text/x-uuencode"));
        assert_eq!(
            encoded_file_type(&yenc(&file(2_000))),
            Some("application/x-yenc")
        );
        let more = format!("{post}And that was the cat.\n");
        assert_eq!(encoded_file_type(more.as_bytes()), None);
    }

    #[test]
    fn a_text_about_such_files_and_a_table_stay_whole() {
        let prose = "begin 644 is how it begins: the mode, then the name.\n".repeat(20);
        let example = format!("begin 644 cat.txt\n{}`\nend\n", uu(&file(100)));
        let row = "M  1.25  0.75  12.50  118.00  3.75  MALE    2.25  0.50  9.00\n";
        assert!(row.len() == 61 && is_letter(&b' '));
        let capitals = "MANY SHIPS WENT OUT THAT YEAR AND FEW CAME HOME, SAYS THE OLD\n".repeat(12);
        let table = row.replace("\n", "0\n").repeat(40);
        let spec = "=ybegin line=128 size=123456 name=mybinary.dat\n.... data\n=yend size=123456\n";
        let japanese = format!(
            "=ybegin line=4 size=9 name=a\n{}\n=yend size=9\n",
            "文字の表".repeat(40)
        );
        for text in [
            prose.as_str(),
            &example,
            &capitals,
            &table,
            spec,
            &japanese,
            "",
            "M",
            "begin ",
            "begin 644",
            "=ybegin line= size= name=",
        ] {
            check(text.as_bytes(), text.as_bytes());
            assert_eq!(encoded_file_type(text.as_bytes()), None, "{text}");
        }
    }
}
