//! The prescan: a search for `<meta charset>` in the bytes before anything is parsed.
//!
//! It is deliberately no HTML parser. Every browser runs this same rough scan, so where it is wrong
//! browsers are wrong in the same way. It knows comments, tags with quoted attributes and `<meta>`,
//! but not scripts: a `<meta>` in a script within the first 1,024 bytes counts.
//!
//! Source: HTML standard, "prescan a byte stream to determine its encoding", with the fallback
//! to "get an XML encoding".

use encoding_rs::{Encoding, UTF_8, UTF_16BE, UTF_16LE, WINDOWS_1252, X_USER_DEFINED};

/// Which part of the page a scan reads, and by which rules.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Reach {
    /// The first 1,024 bytes, exactly by the standard.
    Head,
    /// The bytes after these. The standard's tree builder would find a `<meta>` there, so scripts
    /// and style sheets are skipped, as the tree builder skips them.
    Later,
}

/// The encoding declared in these bytes.
pub(super) fn prescan(bytes: &[u8], reach: Reach) -> Option<&'static Encoding> {
    match bytes {
        [b'<', 0, b'?', 0, b'x', 0, ..] => return Some(UTF_16LE),
        [0, b'<', 0, b'?', 0, b'x', ..] => return Some(UTF_16BE),
        _ => {}
    }
    let mut scanner = Scanner { bytes, at: 0 };
    scanner.meta(reach).or_else(|| xml_encoding(bytes))
}

struct Scanner<'b> {
    bytes: &'b [u8],
    at: usize,
}

/// One attribute: name and value, both in lower case.
struct Attribute {
    name: Vec<u8>,
    value: Vec<u8>,
}

impl Scanner<'_> {
    fn meta(&mut self, reach: Reach) -> Option<&'static Encoding> {
        loop {
            self.at += self.rest().iter().position(|&byte| byte == b'<')?;
            let rest = self.rest();
            if rest.starts_with(b"<!--") {
                // "<!-->" is a whole comment: the two dashes may be the same.
                let end = find(&rest[2..], b"-->")?;
                self.at += 2 + end + 3;
            } else if starts_tag(rest, b"meta", |byte| is_space(byte) || byte == b'/') {
                self.at += 5;
                if let Some(encoding) = self.meta_encoding()? {
                    return Some(encoding);
                }
            } else if is_tag_start(rest) {
                self.skip_tag(reach)?;
            } else if rest.len() > 1 && matches!(rest[1], b'!' | b'/' | b'?') {
                self.at += rest.iter().position(|&byte| byte == b'>')? + 1;
            } else {
                self.at += 1;
            }
        }
    }

    /// The attributes of a `<meta>`: `None` at the end of the bytes, `Some(None)` when it
    /// declares nothing.
    fn meta_encoding(&mut self) -> Option<Option<&'static Encoding>> {
        let mut seen: Vec<Vec<u8>> = Vec::new();
        let mut got_pragma = false;
        let mut need_pragma = None;
        let mut charset = None;
        while let Some(attribute) = self.attribute()? {
            if seen.contains(&attribute.name) {
                continue;
            }
            match attribute.name.as_slice() {
                b"http-equiv" => got_pragma |= attribute.value == b"content-type",
                b"content" if charset.is_none() => {
                    if let Some(encoding) = encoding_in_content(&attribute.value) {
                        charset = Some(Some(encoding));
                        need_pragma = Some(true);
                    }
                }
                b"charset" => {
                    charset = Some(Encoding::for_label(&attribute.value));
                    need_pragma = Some(false);
                }
                _ => {}
            }
            // Only duplicates of these three matter, so the list of seen names stays small.
            if matches!(
                attribute.name.as_slice(),
                b"http-equiv" | b"content" | b"charset"
            ) {
                seen.push(attribute.name);
            }
        }
        let declared = match need_pragma {
            None => None,
            Some(true) if !got_pragma => None,
            Some(_) => charset.flatten(),
        };
        Some(declared.map(as_declared_by_meta))
    }

    /// Skips a tag and its attributes; beyond the first bytes also the content of a script or style
    /// sheet.
    fn skip_tag(&mut self, reach: Reach) -> Option<()> {
        let rest = self.rest();
        let raw: Option<&[u8]> = [b"script".as_slice(), b"style"].into_iter().find(|name| {
            starts_tag(rest, name, |byte| {
                is_space(byte) || byte == b'/' || byte == b'>'
            })
        });
        self.at += rest
            .iter()
            .position(|&byte| is_space(byte) || byte == b'>')?;
        while self.attribute()?.is_some() {}
        if let (Reach::Later, Some(name)) = (reach, raw) {
            let closing = [b"</".as_slice(), name].concat();
            self.at += find_ignoring_case(self.rest(), &closing)?;
        }
        Some(())
    }

    /// "Get an attribute": `None` at the end of the bytes, `Some(None)` at the end of the tag.
    fn attribute(&mut self) -> Option<Option<Attribute>> {
        while is_space(self.peek()?) || self.peek()? == b'/' {
            self.at += 1;
        }
        if self.peek()? == b'>' {
            return Some(None);
        }
        let mut name = Vec::new();
        loop {
            match self.peek()? {
                b'=' if !name.is_empty() => {
                    self.at += 1;
                    break;
                }
                byte if is_space(byte) => {
                    while is_space(self.peek()?) {
                        self.at += 1;
                    }
                    if self.peek()? != b'=' {
                        return Some(Some(Attribute {
                            name,
                            value: Vec::new(),
                        }));
                    }
                    self.at += 1;
                    break;
                }
                b'/' | b'>' => {
                    return Some(Some(Attribute {
                        name,
                        value: Vec::new(),
                    }));
                }
                byte => name.push(byte.to_ascii_lowercase()),
            }
            self.at += 1;
        }
        while is_space(self.peek()?) {
            self.at += 1;
        }
        let value = self.attribute_value()?;
        Some(Some(Attribute { name, value }))
    }

    fn attribute_value(&mut self) -> Option<Vec<u8>> {
        let first = self.peek()?;
        if matches!(first, b'"' | b'\'') {
            let content = &self.rest()[1..];
            let length = content.iter().position(|&byte| byte == first)?;
            let value = content[..length].to_ascii_lowercase();
            self.at += length + 2;
            return Some(value);
        }
        let rest = self.rest();
        let length = rest
            .iter()
            .position(|&byte| is_space(byte) || byte == b'>')?;
        let value = rest[..length].to_ascii_lowercase();
        self.at += length;
        Some(value)
    }

    fn rest(&self) -> &[u8] {
        self.bytes.get(self.at..).unwrap_or(&[])
    }

    fn peek(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }
}

/// "Extract a character encoding from a meta element", on the value of `content`.
fn encoding_in_content(content: &[u8]) -> Option<&'static Encoding> {
    let mut rest = content;
    loop {
        rest = &rest[find_ignoring_case(rest, b"charset")? + b"charset".len()..];
        let after = skip_spaces(rest);
        if let Some(value) = after.strip_prefix(b"=") {
            return Encoding::for_label(label_in_content(skip_spaces(value))?);
        }
        rest = after;
    }
}

fn label_in_content(value: &[u8]) -> Option<&[u8]> {
    match value.first()? {
        &quote @ (b'"' | b'\'') => {
            let length = value[1..].iter().position(|&byte| byte == quote)?;
            Some(&value[1..1 + length])
        }
        _ => {
            let length = value
                .iter()
                .position(|&byte| is_space(byte) || byte == b';');
            Some(&value[..length.unwrap_or(value.len())])
        }
    }
}

/// "Get an XML encoding": the declaration of an XHTML page, where no `<meta>` says anything.
fn xml_encoding(bytes: &[u8]) -> Option<&'static Encoding> {
    let declaration = bytes.strip_prefix(b"<?xml")?;
    let declaration = &declaration[..declaration.iter().position(|&byte| byte == b'>')?];
    let after_name = &declaration[find(declaration, b"encoding")? + b"encoding".len()..];
    let value = skip_controls(skip_controls(after_name).strip_prefix(b"=")?);
    let quote = *value
        .first()
        .filter(|&&byte| byte == b'"' || byte == b'\'')?;
    let length = value[1..].iter().position(|&byte| byte == quote)?;
    let label = &value[1..1 + length];
    if label.iter().any(|&byte| byte <= 0x20) {
        return None;
    }
    Encoding::for_label(label).map(|encoding| if is_utf_16(encoding) { UTF_8 } else { encoding })
}

/// The encoding meant by a `<meta>`. A page whose `<meta>` can be read as ASCII is not UTF-16,
/// whatever it declares.
fn as_declared_by_meta(encoding: &'static Encoding) -> &'static Encoding {
    if is_utf_16(encoding) {
        UTF_8
    } else if encoding == X_USER_DEFINED {
        WINDOWS_1252
    } else {
        encoding
    }
}

fn is_utf_16(encoding: &'static Encoding) -> bool {
    encoding == UTF_16LE || encoding == UTF_16BE
}

/// `<name` and then a byte that may follow it.
fn starts_tag(rest: &[u8], name: &[u8], may_follow: impl Fn(u8) -> bool) -> bool {
    rest.len() > name.len() + 1
        && rest[1..=name.len()].eq_ignore_ascii_case(name)
        && may_follow(rest[name.len() + 1])
}

fn is_tag_start(rest: &[u8]) -> bool {
    match rest {
        [_, b'/', letter, ..] | [_, letter, ..] => letter.is_ascii_alphabetic(),
        _ => false,
    }
}

fn is_space(byte: u8) -> bool {
    matches!(byte, b'\t' | b'\n' | 0x0C | b'\r' | b' ')
}

fn skip_spaces(bytes: &[u8]) -> &[u8] {
    let length = bytes.iter().position(|&byte| !is_space(byte));
    &bytes[length.unwrap_or(bytes.len())..]
}

fn skip_controls(bytes: &[u8]) -> &[u8] {
    let length = bytes.iter().position(|&byte| byte > 0x20);
    &bytes[length.unwrap_or(bytes.len())..]
}

fn find(haystack: &[u8], needle: &[u8]) -> Option<usize> {
    haystack
        .windows(needle.len())
        .position(|window| window == needle)
}

fn find_ignoring_case(haystack: &[u8], needle: &[u8]) -> Option<usize> {
    haystack
        .windows(needle.len())
        .position(|window| window.eq_ignore_ascii_case(needle))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(markup: &str, expected: Option<&str>) {
        let found = prescan(markup.as_bytes(), Reach::Head).map(Encoding::name);
        assert_eq!(found, expected, "{markup:?}");
    }

    #[test]
    fn charset_attributes_are_read_however_they_are_quoted() {
        check("<meta charset=gbk>", Some("GBK"));
        check("<META\nCharSet = 'gbk'/>", Some("GBK"));
        check("<meta \" charset=\"gbk\">", Some("GBK"));
        check("<meta <meta charset='euc-jp'>", Some("EUC-JP"));
        check("<meta/charset=gbk>", Some("GBK"));
    }

    #[test]
    fn a_pragma_needs_both_of_its_attributes() {
        check(
            "<meta http-equiv=Content-Type content='text/html; charset=gbk'>",
            Some("GBK"),
        );
        check(
            "<meta content='text/html; charset=gbk' http-equiv=content-type>",
            Some("GBK"),
        );
        check("<meta content='text/html; charset=gbk'>", None);
        check(
            "<meta http-equiv='content-type ' content='x;charset=gbk'>",
            None,
        );
        check(
            "<meta http-equiv=content-type content=\"charset charset = 'gbk'\">",
            Some("GBK"),
        );
        check(
            "<meta http-equiv=content-type content=\"charset='gbk\">",
            None,
        );
    }

    #[test]
    fn a_charset_attribute_beats_a_pragma_in_the_same_tag() {
        check(
            "<meta http-equiv=content-type content='x;charset=gbk' charset=big5>",
            Some("Big5"),
        );
    }

    #[test]
    fn the_first_of_two_equal_attributes_counts() {
        check("<meta charset=gbk charset=big5>", Some("GBK"));
    }

    #[test]
    fn an_unknown_label_is_passed_over() {
        check("<meta charset=klingon><meta charset=gbk>", Some("GBK"));
    }

    #[test]
    fn utf_16_means_utf_8_and_x_user_defined_means_windows_1252() {
        check("<meta charset=utf-16le>", Some("UTF-8"));
        check("<meta charset=x-user-defined>", Some("windows-1252"));
    }

    #[test]
    fn comments_and_quoted_attributes_hide_a_meta() {
        check("<!-- <meta charset=gbk> -->", None);
        check("<!--><meta charset=gbk>", Some("GBK"));
        check("<p title='<meta charset=gbk>'>", None);
        check("</p x='<meta charset=gbk>'>", None);
        check("<! <meta charset=gbk>", None);
        check("<? <meta charset=big5><meta charset=gbk>", Some("GBK"));
    }

    #[test]
    fn a_tag_that_never_ends_declares_nothing() {
        check("<meta charset=gbk", None);
        check("<meta charset='gbk>", None);
        check("<meta", None);
        check("<", None);
    }

    #[test]
    fn an_xml_declaration_counts_where_no_meta_does() {
        check("<?xml version=\"1.0\" encoding = 'gbk'?><p>", Some("GBK"));
        check("<?xml encoding='gbk'?><meta charset=big5>", Some("Big5"));
        check("<?xml encoding='utf-16'?>", Some("UTF-8"));
        check(" <?xml encoding='gbk'?>", None);
        check("<\0?\0x\0", Some("UTF-16LE"));
    }
}
