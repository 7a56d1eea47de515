//! Rich Text Format to text: its words, without fonts, styles and pictures.
//!
//! A document is groups in braces, commands (`\par`, `\'e9`, `\u8212`) and letters. What a group is begins it: a font
//! table, a picture, a header. Letters are bytes in the code page of the document, or in that of the font they are set
//! in, by which documents of East Asia tell theirs; `\u` is a unit of UTF-16, followed by as many letters for readers
//! that do not know it as `\uc` said.
//!
//! Bounds: one pass; groups deeper than [`DEPTH_MAX`] are not read.
//!
//! Source: Microsoft, *Rich Text Format (RTF) Specification*, version 1.9.1.

use std::collections::HashMap;

use encoding_rs::{Encoding, MACINTOSH, WINDOWS_1252};

use super::{Decoded, EncodingSource};

/// Groups in groups.
const DEPTH_MAX: usize = 1_000;

/// Fonts of a document.
const FONTS_MAX: usize = 10_000;

/// Groups that hold nothing to read.
const UNREAD: [&str; 30] = [
    "fonttbl",
    "colortbl",
    "stylesheet",
    "info",
    "pict",
    "objdata",
    "header",
    "headerl",
    "headerr",
    "headerf",
    "footer",
    "footerl",
    "footerr",
    "footerf",
    "fldinst",
    "filetbl",
    "listtable",
    "listoverridetable",
    "revtbl",
    "rsidtbl",
    "generator",
    "themedata",
    "colorschememapping",
    "latentstyles",
    "datastore",
    "xmlnstbl",
    "nonshppict",
    "bkmkstart",
    "bkmkend",
    "mmathPr",
];

/// What a group has set, until it ends.
#[derive(Clone, Copy)]
struct Group {
    is_unread: bool,
    is_fonts: bool,
    encoding: &'static Encoding,
    /// Letters that stand for a `\u`.
    stand_ins: usize,
}

/// A document as far as it was read.
struct Reading {
    group: Group,
    outer: Vec<Group>,
    /// Groups beyond the deepest that is read.
    deeper: usize,
    code_page: &'static Encoding,
    /// The font that the table tells of, and what fonts are in.
    font: i32,
    fonts: HashMap<i32, &'static Encoding>,
    /// Bytes that are not decoded yet, and half a character.
    bytes: Vec<u8>,
    half: Option<u16>,
    /// Letters to come that stand for a `\u`.
    passed_over: usize,
    text: String,
    replaced: usize,
}

/// The text of a document in Rich Text Format. Whatever is none in it is left out.
///
/// ```
/// let read = extractor::decode_rich(b"{\\rtf1\\ansi{\\fonttbl{\\f0 Arial;}}Caf\\'e9 \\u8212- eels\\par}");
/// assert_eq!(read.text, "Caf\u{e9} \u{2014} eels\n");
/// ```
pub fn decode_rich(bytes: &[u8]) -> Decoded {
    let mut reading = Reading {
        group: Group {
            is_unread: false,
            is_fonts: false,
            encoding: WINDOWS_1252,
            stand_ins: 1,
        },
        outer: Vec::new(),
        deeper: 0,
        code_page: WINDOWS_1252,
        font: 0,
        fonts: HashMap::new(),
        bytes: Vec::new(),
        half: None,
        passed_over: 0,
        text: String::new(),
        replaced: 0,
    };
    let mut rest = bytes;
    while let Some((&byte, behind)) = rest.split_first() {
        rest = match byte {
            b'{' => reading.begin(behind),
            b'}' => reading.end(behind),
            b'\\' => reading.command(behind),
            b'\r' | b'\n' | 0 => behind,
            letter => {
                reading.letter(letter);
                behind
            }
        };
    }
    reading.flush();
    Decoded {
        text: reading.text,
        encoding: reading.code_page.name(),
        source: EncodingSource::Detected,
        replaced: reading.replaced,
        overruled: None,
    }
}

impl Reading {
    fn begin<'b>(&mut self, behind: &'b [u8]) -> &'b [u8] {
        self.passed_over = 0;
        if self.outer.len() >= DEPTH_MAX {
            self.deeper += 1;
        } else {
            self.outer.push(self.group);
        }
        behind
    }

    fn end<'b>(&mut self, behind: &'b [u8]) -> &'b [u8] {
        self.passed_over = 0;
        if self.deeper > 0 {
            self.deeper -= 1;
        } else if let Some(outer) = self.outer.pop() {
            self.flush();
            self.group = outer;
        }
        behind
    }

    fn is_read(&self) -> bool {
        !self.group.is_unread && self.deeper == 0
    }

    fn letter(&mut self, byte: u8) {
        if self.passed_over > 0 {
            self.passed_over -= 1;
        } else if self.is_read() {
            self.half = None;
            self.bytes.push(byte);
        }
    }

    fn say(&mut self, said: &str) {
        if self.is_read() {
            self.flush();
            self.text.push_str(said);
        }
    }

    /// Decodes the bytes that came in one encoding.
    fn flush(&mut self) {
        self.half = None;
        if self.bytes.is_empty() {
            return;
        }
        match std::str::from_utf8(&self.bytes) {
            // All these encodings have it.
            Ok(ascii) if ascii.is_ascii() => self.text.push_str(ascii),
            _ => {
                let (text, replaced) = super::decode_as(self.group.encoding, &self.bytes);
                self.text.push_str(&text);
                self.replaced += replaced;
            }
        }
        self.bytes.clear();
    }

    fn set_encoding(&mut self, encoding: &'static Encoding) {
        if self.group.encoding != encoding {
            self.flush();
            self.group.encoding = encoding;
        }
    }

    /// Follows a command, and gives what stands behind it.
    fn command<'b>(&mut self, behind: &'b [u8]) -> &'b [u8] {
        let Some(&first) = behind.first() else {
            return behind;
        };
        if !first.is_ascii_alphabetic() {
            return self.sign(first, &behind[1..]);
        }
        let letters = behind.iter().take_while(|byte| byte.is_ascii_alphabetic());
        let (name, mut rest) = behind.split_at(letters.count());
        let signed = usize::from(rest.first() == Some(&b'-'));
        let digits = rest[signed..]
            .iter()
            .take_while(|byte| byte.is_ascii_digit())
            .count();
        let mut number = None;
        if digits > 0 {
            let (written, behind) = rest.split_at(signed + digits);
            number = std::str::from_utf8(written)
                .ok()
                .and_then(|written| written.parse::<i32>().ok());
            rest = behind;
        }
        rest = rest.strip_prefix(b" ").unwrap_or(rest);
        let name = std::str::from_utf8(name).unwrap_or_default();
        if self.passed_over > 0 && name != "u" && name != "bin" {
            self.passed_over -= 1;
            return rest;
        }
        match (name, number) {
            ("bin", Some(length)) => {
                let length = usize::try_from(length).unwrap_or_default();
                &rest[length.min(rest.len())..]
            }
            _ => {
                self.word(name, number);
                rest
            }
        }
    }

    fn sign<'b>(&mut self, sign: u8, behind: &'b [u8]) -> &'b [u8] {
        match sign {
            b'\'' => {
                let digits = behind
                    .get(..2)
                    .and_then(|two| std::str::from_utf8(two).ok());
                let byte = digits.and_then(|two| u8::from_str_radix(two, 16).ok());
                if let Some(byte) = byte {
                    self.letter(byte);
                    return &behind[2..];
                }
            }
            b'*' => {
                self.flush();
                self.group.is_unread = true;
            }
            b'~' => self.say(" "),
            b'_' => self.say("-"),
            b'\r' | b'\n' => self.say("\n"),
            b'\\' | b'{' | b'}' => self.letter(sign),
            // A place where a word may be parted, and what else says nothing.
            _ => {}
        }
        behind
    }

    fn word(&mut self, name: &str, number: Option<i32>) {
        if UNREAD.contains(&name) {
            self.flush();
            self.group.is_unread = true;
            self.group.is_fonts |= name == "fonttbl";
            return;
        }
        match (name, number) {
            ("par" | "line" | "row" | "sect" | "page" | "column", None) => self.say("\n"),
            ("tab" | "cell" | "nestcell", None) => self.say("\t"),
            ("emdash", None) => self.say("\u{2014}"),
            ("endash", None) => self.say("\u{2013}"),
            ("bullet", None) => self.say("\u{2022}"),
            ("lquote", None) => self.say("\u{2018}"),
            ("rquote", None) => self.say("\u{2019}"),
            ("ldblquote", None) => self.say("\u{201c}"),
            ("rdblquote", None) => self.say("\u{201d}"),
            ("u", Some(unit)) => self.unit(unit as u16),
            ("uc", Some(count)) => {
                self.group.stand_ins = usize::try_from(count).unwrap_or_default().min(16);
            }
            ("mac", None) => self.set_code_page(MACINTOSH),
            ("ansicpg", Some(page)) => {
                if let Some(encoding) = of_code_page(page) {
                    self.set_code_page(encoding);
                }
            }
            ("f", Some(font)) if self.group.is_fonts => self.font = font,
            ("f", Some(font)) => {
                let encoding = self.fonts.get(&font).copied();
                self.set_encoding(encoding.unwrap_or(self.code_page));
            }
            ("plain", None) => self.set_encoding(self.code_page),
            ("fcharset", Some(charset)) if self.group.is_fonts => {
                if let Some(encoding) = of_charset(charset)
                    && self.fonts.len() < FONTS_MAX
                {
                    self.fonts.insert(self.font, encoding);
                }
            }
            _ => {}
        }
    }

    fn set_code_page(&mut self, encoding: &'static Encoding) {
        self.code_page = encoding;
        self.set_encoding(encoding);
    }

    /// A unit of UTF-16.
    fn unit(&mut self, unit: u16) {
        self.passed_over = self.group.stand_ins;
        if !self.is_read() {
            return;
        }
        let half = self.half;
        self.flush();
        match (half, char::from_u32(u32::from(unit))) {
            (_, Some(character)) => self.text.push(character),
            (Some(high), None) => {
                let pair = char::decode_utf16([high, unit]).next();
                self.text.extend(pair.and_then(Result::ok));
            }
            (None, None) => self.half = Some(unit),
        }
    }
}

/// The encoding of a code page of Windows.
fn of_code_page(page: i32) -> Option<&'static Encoding> {
    let label = match page {
        932 => "shift_jis".to_owned(),
        936 => "gbk".to_owned(),
        949 => "euc-kr".to_owned(),
        950 => "big5".to_owned(),
        10_000 => "macintosh".to_owned(),
        65_001 => "utf-8".to_owned(),
        page => format!("windows-{page}"),
    };
    Encoding::for_label(label.as_bytes())
}

/// The encoding of a font's charset; `None` for that of the document.
fn of_charset(charset: i32) -> Option<&'static Encoding> {
    let page = match charset {
        0 => 1252,
        77 => 10_000,
        128 => 932,
        129 => 949,
        134 => 936,
        136 => 950,
        161 => 1253,
        162 => 1254,
        163 => 1258,
        177 => 1255,
        178 => 1256,
        186 => 1257,
        204 => 1251,
        222 => 874,
        238 => 1250,
        _ => return None,
    };
    of_code_page(page)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[track_caller]
    fn check(document: &str, text: &str) {
        assert_eq!(decode_rich(document.as_bytes()).text, text, "{document}");
    }

    #[test]
    fn words_are_read_and_what_sets_them_is_not() {
        check(
            "{\\rtf1\\ansi\\ansicpg1252\\deff0{\\fonttbl{\\f0\\froman Times;}}{\\colortbl;\\red0\\green0\\blue255;}\n\
             {\\info{\\title T}}{\\*\\generator Word;}{\\header Page 1\\par}\\pard\\f0\\fs24 Eels {\\b swim}\\tab far,\n \
             {\\pict\\wmetafile8 0100090000}and {\\field{\\*\\fldinst HYPERLINK \"x\"}{\\fldrslt back}}.\\par\\par \\{so\\}\\~it is}",
            "Eels swim\tfar, and back.\n\n{so} it is",
        );
        check("{\\rtf1 a\\bin5 }{}\\{b\\bin99 c}", "ab");
        check("{\\rtf1 a\\bin3 }{}b}", "ab");
    }

    #[test]
    fn letters_are_in_the_encoding_of_the_document_or_of_their_font() {
        check("{\\rtf1\\ansi\\ansicpg1251 \\'cf\\'f0}", "\u{41f}\u{440}");
        check(
            "{\\rtf1\\ansi\\ansicpg1252{\\fonttbl{\\f0 A;}{\\f1\\fcharset134 B;}}\\f1 \\'cb\\'f7\\'d2\\'fd{\\f0 \\'e9}\\'d2\\'b3}",
            "\u{7d22}\u{5f15}\u{e9}\u{9875}",
        );
        // The second byte of a character may be a letter of ASCII.
        check(
            "{\\rtf1\\ansi\\ansicpg932 \\'83A\\'83\\'43}",
            "\u{30a2}\u{30a4}",
        );
        check("{\\rtf1\\mac \\'8e}", "\u{e9}");
        check("{\\rtf1\\ansi\\ansicpg99999 \\'e9}", "\u{e9}");
    }

    #[test]
    fn units_of_utf_16_are_read_and_what_stands_for_them_is_not() {
        check("{\\rtf1 \\u8212\\'97x}", "\u{2014}x");
        check("{\\rtf1\\uc0 \\u32034 \\u24341 x}", "\u{7d22}\u{5f15}x");
        check(
            "{\\rtf1{\\uc2 \\u-10179 ab\\u-8704 cd}\\u233 ex}",
            "\u{1f600}\u{e9}x",
        );
        check("{\\rtf1 \\u-10179 ?x\\u-8704 ?y}", "xy");
        check("{\\rtf1 \\u8212{}x\\u8212}", "\u{2014}x\u{2014}");
    }

    #[test]
    fn deep_groups_cost_no_more_than_their_length() {
        let deep = format!(
            "{{\\rtf1 a{}b{}c}}",
            "{".repeat(300_000),
            "}".repeat(300_000)
        );
        check(&deep, "ac");
        check(&"}".repeat(9), "");
        check("{\\rtf1 a", "a");
        check("\\", "");
        check("\\'", "");
        check("\\'e", "e");
    }

    proptest! {
        #[test]
        fn any_bytes_are_read(bytes in proptest::collection::vec(any::<u8>(), 0..300), parts in proptest::collection::vec(0..9_usize, 0..40)) {
            decode_rich(&bytes);
            let words = ["{", "}", "\\u-10179 ", "\\'e9", "\\uc9 ", "\\fonttbl", "\\f1\\fcharset134 ", "\\bin7 ", "a"];
            let document: String = parts.iter().map(|&part| words[part]).collect();
            decode_rich(document.as_bytes());
        }
    }
}
