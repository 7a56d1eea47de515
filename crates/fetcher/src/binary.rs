//! Recognising binary files: bytes that are text in no encoding, such as an image, a PDF, a program.
//!
//! The MIME Sniffing Standard is for browsers; to it one control character in 1,445 bytes makes a file
//! binary. That is too strict for a crawler: old pages contain a stray control character, a text may
//! begin with the letters of a format (`BMW`), and UTF-16 is full of zero bytes. Here a file is binary if
//! it begins with the signature of a format, or if it has more control characters than any text.
//!
//! A script that sends a file may have sent something before it by mistake: a byte order mark, an empty line, a warning.
//! Its server then says `text/html`. So the signature may follow blanks, and the controls are counted whatever a file begins with.

use crate::sniff::{is_binary, sniff_content_type};

/// The bytes that are examined.
const HEAD_BYTES: usize = 4096;

/// One byte in so many of a text may be a control character. Compressed or random bytes have one in
/// ten.
const CONTROLS_IN: usize = 50;

/// The content type of bytes that are text in no encoding; `None` for markup and text.
///
/// ```
/// use fetcher::binary_type;
/// assert_eq!(binary_type(b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR"), Some("image/png".to_owned()));
/// assert_eq!(binary_type(b"BMW builds cars."), None);
/// ```
pub fn binary_type(bytes: &[u8]) -> Option<String> {
    let head = &bytes[..bytes.len().min(HEAD_BYTES)];
    if is_late_pdf(head) {
        return Some("application/pdf".to_owned());
    }
    if is_postscript(head) {
        return Some("application/postscript".to_owned());
    }
    let found = match behind_blanks(bytes) {
        Some(behind) => sniff_content_type(None, behind),
        None => sniff_content_type(None, bytes),
    };
    let controls = controls_of(head);
    let is_text = match found.as_str() {
        "text/html" | "text/xml" | "text/plain" if has_many_controls(head) => {
            return Some("application/octet-stream".to_owned());
        }
        "text/html" | "text/xml" | "text/plain" => true,
        "application/pdf" | "application/postscript" => false,
        "application/octet-stream" => {
            let is_stray = controls * CONTROLS_IN <= head.len().max(2 * CONTROLS_IN);
            is_stray || is_like_utf16(head)
        }
        // The signatures of some formats are letters, and a text may begin with them.
        _ => controls == 0,
    };
    (!is_text).then_some(found)
}

/// How many controls stand in it. Those of printers and chats, with which bold and coloured letters are written, do not
/// count in what is UTF-8 otherwise: of a manual page every second byte may be one.
fn controls_of(head: &[u8]) -> usize {
    let is_utf8 = is_utf8(head);
    let is_style =
        |byte: u8| is_utf8 && matches!(byte, 0x02 | 0x03 | 0x08 | 0x0f | 0x16 | 0x1d | 0x1f);
    let controls = head
        .iter()
        .filter(|byte| is_binary(**byte) && !is_style(**byte));
    controls.count()
}

/// Whether a beginning is UTF-8; the last letter may be cut.
fn is_utf8(head: &[u8]) -> bool {
    let valid = match std::str::from_utf8(head) {
        Ok(_) => head.len(),
        Err(error) => error.valid_up_to(),
    };
    valid + 4 > head.len()
}

/// What follows the mark of UTF-8 or blanks, where the signature of a format that no text begins with does.
fn behind_blanks(bytes: &[u8]) -> Option<&[u8]> {
    const SIGNATURES: [&[u8]; 7] = [
        b"%PDF-",
        b"\x89PNG\r\n\x1a\n",
        b"\xff\xd8\xff",
        b"PK\x03\x04",
        b"\x1f\x8b\x08",
        b"GIF89a",
        b"Rar!\x1a\x07",
    ];
    let behind = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    let behind = behind.trim_ascii_start();
    let begins = |signature: &&[u8]| behind.starts_with(signature);
    SIGNATURES.iter().any(begins).then_some(behind)
}

/// Whether a PDF begins behind other lines: its first line, and then a comment of bytes that are no letters, which tells
/// programs that it is not text (ISO 32000-1, 7.5.2). Readers look for it in the first 1,024 bytes.
fn is_late_pdf(head: &[u8]) -> bool {
    // A text about the format shows the comment in the letters that its bytes are.
    if is_utf8(head) {
        return false;
    }
    let head = &head[..head.len().min(1024)];
    let mut lines = head.split(|byte| matches!(byte, b'\r' | b'\n'));
    let mut lines = lines.by_ref().filter(|line| !line.is_empty());
    lines.any(|line| line.starts_with(b"%PDF-"))
        && lines.next().is_some_and(|comment| {
            let high = comment.iter().skip(1).take(4);
            comment.starts_with(b"%") && high.filter(|byte| **byte >= 0x80).count() == 4
        })
}

/// Whether it is a program in PostScript: its mark alone on the first line, behind the end of another job, and of a mark
/// without a name what only a program says.
fn is_postscript(head: &[u8]) -> bool {
    const SAID: [&[u8]; 6] = [
        b" def\n",
        b" def\r",
        b"\nshowpage",
        b" moveto",
        b"findfont",
        b"%%BoundingBox:",
    ];
    let behind = head.trim_ascii_start();
    let Some(mark) = behind
        .strip_prefix(b"\x04")
        .unwrap_or(behind)
        .strip_prefix(b"%!")
    else {
        return false;
    };
    let line = mark.split(|byte| matches!(byte, b'\r' | b'\n')).next();
    let says = |said: &&[u8]| memchr::memmem::find(mark, said).is_some();
    match line.unwrap_or_default().trim_ascii_end() {
        b"" => SAID.iter().filter(|said| says(said)).count() > 1,
        b"PS" => true,
        line => line.starts_with(b"PS-Adobe-"),
    }
}

/// Whether so many controls stand in it as in no page and no text. Zeros do not count: they fill up files, and what is in
/// UTF-16 or UTF-32 is full of them.
fn has_many_controls(head: &[u8]) -> bool {
    const MANY: usize = 16;
    let is_utf16 = head.starts_with(&[0xfe, 0xff]) || head.starts_with(&[0xff, 0xfe]);
    let zeros = head.iter().filter(|byte| **byte == 0).count();
    let controls = controls_of(head) - zeros;
    !is_utf16 && controls >= MANY && controls * CONTROLS_IN > head.len()
}

/// Whether the bytes look like UTF-16 without a byte order mark: nearly every second byte is the high
/// byte of a code unit of a living script.
fn is_like_utf16(head: &[u8]) -> bool {
    [0, 1].into_iter().any(|parity| {
        let (high, low): (Vec<usize>, Vec<usize>) =
            (0..head.len()).partition(|at| at % 2 == parity);
        let script = main_script(high.iter().map(|&at| head[at]));
        let leads = |byte: u8| leads_a_script(byte) || script.contains(&byte);
        let scripts = high.iter().filter(|&&at| leads(head[at])).count();
        let zeros = low.iter().filter(|&&at| head[at] == 0).count();
        scripts * 20 >= high.len() * 19 && zeros * 10 < low.len()
    })
}

/// The high bytes of the one further script that a text is written in, from Syriac to Greek with breathings: most scripts have one,
/// some two that follow each other (Ethiopic). A text has many letters of one script, other bytes have some of each.
fn main_script(high: impl Iterator<Item = u8>) -> std::ops::RangeInclusive<u8> {
    const FIRST: u8 = 0x07;
    let mut counts = [0_usize; 0x20 - FIRST as usize];
    for byte in high {
        let count = byte
            .checked_sub(FIRST)
            .and_then(|at| counts.get_mut(usize::from(at)));
        if let Some(count) = count {
            *count += 1;
        }
    }
    let pair = |at: usize| counts[at] + counts.get(at + 1).unwrap_or(&0);
    let most = (0..counts.len())
        .rev()
        .max_by_key(|&at| (pair(at), counts[at]));
    let first = FIRST + most.unwrap_or_default() as u8;
    first..=first + 1
}

/// Latin, Greek, Cyrillic, Hebrew, Arabic; punctuation, kana, Han, Hangul and full-width forms.
fn leads_a_script(byte: u8) -> bool {
    matches!(byte, 0x00..=0x06 | 0x20 | 0x30 | 0x4E..=0x9F | 0xAC..=0xD7 | 0xFF)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const CHINESE: &str =
        "一个好的索引使查询变快。数据库的每一页都有它自己的锁，而全文检索要先把文章切成词。";

    fn utf16(text: &str, little: bool) -> Vec<u8> {
        let bytes = |unit: u16| match little {
            true => unit.to_le_bytes(),
            false => unit.to_be_bytes(),
        };
        text.encode_utf16().flat_map(bytes).collect()
    }

    #[test]
    fn formats_are_told_by_their_name() {
        for (bytes, expected) in [
            (&b"%PDF-1.4\n%text all the same"[..], "application/pdf"),
            (b"GIF89a\x01\0\x01\0", "image/gif"),
            (b"\xff\xd8\xff\xe0\0\x10JFIF\0", "image/jpeg"),
            (b"\x1f\x8b\x08\0\0\0\0\0\0\x03", "application/x-gzip"),
            (b"PK\x03\x04\x14\0\0\0", "application/zip"),
            (
                b"\x7fELF\x02\x01\x01\0\0\0\0\0\0\0\0\0",
                "application/octet-stream",
            ),
        ] {
            assert_eq!(binary_type(bytes).as_deref(), Some(expected));
        }
        let noise: Vec<u8> = (0..9000u32)
            .map(|n| (n.wrapping_mul(2_654_435_761) >> 13) as u8)
            .collect();
        assert!(binary_type(&noise).is_some());
        assert!(binary_type(&[0; 600]).is_some());
        let numbers = |most: u16| -> Vec<u8> {
            let number = move |n: u32| (n.wrapping_mul(2_654_435_761) >> 16) as u16 % most;
            (0..900).flat_map(|n| number(n).to_le_bytes()).collect()
        };
        for most in [0x1000, 0x1800, 0x2000] {
            assert!(binary_type(&numbers(most)).is_some(), "{most:x}");
        }
    }

    #[test]
    fn texts_with_strange_beginnings_and_stray_controls_stay_texts() {
        for text in ["BMW builds cars.", "ID3 is a tag of music files.", "", "x"] {
            assert_eq!(binary_type(text.as_bytes()), None, "{text}");
        }
        let stray = format!(
            "Page one.\u{c}{}\0 \u{1}",
            "Page two says more. ".repeat(20)
        );
        assert_eq!(binary_type(stray.as_bytes()), None);
        assert_eq!(binary_type(b"<!doctype html>\0\0\0\x01\x02"), None);
    }

    #[test]
    fn a_file_behind_what_a_script_sent_by_mistake_is_that_file() {
        let noise = |n: usize| -> Vec<u8> {
            (0..n as u32)
                .map(|n| (n.wrapping_mul(2_654_435_761) >> 13) as u8)
                .collect()
        };
        let warning = "<br />\n<b>Warning</b>:  Undefined variable in <b>/get.php</b> on line <b>3</b><br />\n";
        let pdf = b"%PDF-1.5\n%\xe2\xe3\xcf\xd3\n1 0 obj\n<< /Type /Catalog >>\nendobj\n";
        let png = [&b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR"[..], &noise(900)].concat();
        for before in [
            &b"\xef\xbb\xbf"[..],
            b"\n",
            b" \r\n\r\n",
            warning.as_bytes(),
        ] {
            let found = binary_type(&[before, pdf].concat());
            assert_eq!(found.as_deref(), Some("application/pdf"), "{before:?}");
            assert!(
                binary_type(&[before, &png].concat()).is_some(),
                "{before:?}"
            );
        }
        assert!(binary_type(&[warning.as_bytes(), &noise(3000)].concat()).is_some());
        // A page about the format, and one that is filled up with zeros.
        let about = b"<p>Each file begins with its version:\n<pre>\n%PDF-1.4\n1 0 obj\n</pre>";
        assert_eq!(binary_type(about), None);
        let shown = b"The first lines:\n%PDF-1.4\n%\xc3\xa2\xc3\xa3\xc3\x8f\xc3\x93\nA reader sees these letters.";
        assert_eq!(binary_type(shown), None);
        let bold = "<!doctype html><pre>N\u{8}NA\u{8}AM\u{8}ME\u{8}E \u{2}one\u{2}\n".repeat(20);
        assert_eq!(binary_type(bold.as_bytes()), None);
        let filled = [&b"<!doctype html><p>A short page."[..], &[0; 4000]].concat();
        assert_eq!(binary_type(&filled), None);
    }

    #[test]
    fn every_encoding_of_the_web_stays_a_text() {
        let english = "A sentence in English, with an \u{e9} or two. ".repeat(9);
        let russian = "Индекс делает запросы быстрее, а блокировка медленнее. ".repeat(5);
        let further = [
            "มนุษย์ทั้งหลายเกิดมามีอิสระและเสมอภาคกัน ในปี ๒๕๖๗",
            "सभी मनुष्यों को गौरव और अधिकारों के मामले में जन्मजात स्वतन्त्रता",
            "មនុស្សទាំងអស់ កើតមកមានសេរីភាព និងសមភាព",
            "የሰው ልጅ ሁሉ ሲወለድ ነጻና በክብርና በመብትም እኩልነት ያለው ነው።",
            "ყველა ადამიანი იბადება თავისუფალი",
        ];
        let others = [CHINESE, &english, &russian, &format!("<p>{CHINESE}</p>")];
        for text in others.into_iter().chain(further) {
            for little in [true, false] {
                assert_eq!(binary_type(&utf16(text, little)), None, "{text}");
                let marked = format!("\u{feff}{text}");
                assert_eq!(binary_type(&utf16(&marked, little)), None, "{text}");
            }
        }
        // 目录 and the like in GBK; ISO-2022-JP with its escapes; Latin-1.
        assert_eq!(
            binary_type(&b"\xc4\xbf\xc2\xbc\xcb\xd1\xcb\xf7".repeat(9)),
            None
        );
        assert_eq!(binary_type(&b"\x1b$B%F%9%H\x1b(B. ".repeat(9)), None);
        assert_eq!(binary_type(&b"na\xefve caf\xe9 ".repeat(9)), None);
    }

    proptest! {
        #[test]
        fn no_text_is_binary_and_no_bytes_panic(
            text in "[\\PC\n\t]{0,80}",
            bytes in proptest::collection::vec(any::<u8>(), 0..64),
        ) {
            prop_assume!(!text.starts_with("%PDF-") && !text.starts_with("%!PS-Adobe-"));
            prop_assert_eq!(binary_type(text.as_bytes()), None);
            binary_type(&bytes);
        }
    }
}
