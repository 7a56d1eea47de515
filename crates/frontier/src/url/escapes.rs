//! Escapes of URLs: those of unreserved characters are decoded, the others written in upper case (RFC 3986 §6.2.2).

use url::Url;

/// Decodes escapes of unreserved characters and writes the others in upper case. Where decoding forms an
/// escape anew, that is decoded, too. One walk does it: an escape is looked for where it ends, behind each
/// byte that comes and behind each that was decoded.
pub(super) fn fold_escapes(text: &str) -> String {
    if !text.contains('%') {
        return text.to_owned();
    }
    let mut out: Vec<u8> = Vec::with_capacity(text.len());
    let mut has_new_dot = false;
    for byte in text.bytes() {
        out.push(byte);
        while let [.., b'%', high, low] = out[..]
            && let Some((high, low)) = hex(high).zip(hex(low))
        {
            let start = out.len() - 3;
            let byte = high << 4 | low;
            if !(byte.is_ascii_alphanumeric() || b"-._~".contains(&byte)) {
                out[start..].make_ascii_uppercase();
                break;
            }
            out.truncate(start);
            out.push(byte);
            has_new_dot |= byte == b'.';
        }
    }
    let folded = String::from_utf8(out).expect("ASCII takes the place of ASCII");
    // The dots may make a dot segment.
    match has_new_dot {
        true => Url::parse(&folded).map_or(folded, String::from),
        false => folded,
    }
}

fn hex(byte: u8) -> Option<u8> {
    char::from(byte).to_digit(16).map(|digit| digit as u8)
}
