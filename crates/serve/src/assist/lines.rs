//! Lines of a stream that is not trusted.

use std::io::{self, BufRead};

/// Bytes of a line; what is asked here is far shorter.
pub(super) const LINE_BYTES_MAX: usize = 256 << 10;

/// What the stream gave.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Line {
    /// A line without its end.
    Whole(Vec<u8>),
    /// A line over [`LINE_BYTES_MAX`]; it was passed over.
    TooLong,
    /// No further line.
    End,
}

/// Reads the next line; never holds more of one than [`LINE_BYTES_MAX`].
pub(super) fn next(input: &mut impl BufRead) -> io::Result<Line> {
    let (mut line, mut is_too_long, mut is_begun) = (Vec::new(), false, false);
    loop {
        let part = match input.fill_buf() {
            Ok(part) => part,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) => return Err(error),
        };
        let end = part.iter().position(|byte| *byte == b'\n');
        let taken = end.unwrap_or(part.len());
        is_too_long |= line.len() + taken > LINE_BYTES_MAX;
        if is_too_long {
            line = Vec::new();
        } else {
            line.extend_from_slice(&part[..taken]);
        }
        is_begun |= !part.is_empty();
        let is_over = end.is_some() || part.is_empty();
        input.consume(taken + usize::from(end.is_some()));
        if is_over {
            return Ok(match (is_begun, is_too_long) {
                (false, _) => Line::End,
                (true, true) => Line::TooLong,
                (true, false) => Line::Whole(line),
            });
        }
    }
}

#[cfg(test)]
mod tests {
    use std::io::BufReader;

    use super::*;

    #[test]
    fn lines_are_whole_or_passed_over() {
        let mut bytes = b"a\n\nb".to_vec();
        bytes.extend(vec![b'x'; LINE_BYTES_MAX]);
        bytes.extend(b"\n");
        bytes.extend(vec![b'y'; LINE_BYTES_MAX]);
        bytes.extend(b"\nlast");
        for room in [1, 7, 8_192] {
            let mut input = BufReader::with_capacity(room, bytes.as_slice());
            let mut next = || next(&mut input).expect("read");
            assert_eq!(next(), Line::Whole(b"a".to_vec()));
            assert_eq!(next(), Line::Whole(Vec::new()));
            assert_eq!(next(), Line::TooLong);
            assert_eq!(next(), Line::Whole(vec![b'y'; LINE_BYTES_MAX]));
            assert_eq!(next(), Line::Whole(b"last".to_vec()));
            assert_eq!(next(), Line::End);
        }
    }
}
