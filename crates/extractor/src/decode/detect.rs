//! Encoding detection from the bytes alone, for pages that declare none.

use chardetng::{EncodingDetector, Iso2022JpDetection, Utf8Detection};
use encoding_rs::Encoding;

/// The most bytes that the detector reads, beginning at the first that is not ASCII. It needs a few
/// hundred. It runs some twenty decoders in parallel, so a body of 10 MB would take seconds.
const DETECTION_BYTES_MAX: usize = 1 << 18;

/// Bytes before the first that is not ASCII that the detector reads as context.
const CONTEXT_BYTES: usize = 16;

/// The most likely encoding. UTF-8 is never the answer: the caller has ruled it out.
pub(super) fn detect(bytes: &[u8], tld: Option<&str>) -> &'static Encoding {
    let start = bytes
        .iter()
        .position(|&byte| !byte.is_ascii() || byte == 0x1B)
        .unwrap_or(0)
        .saturating_sub(CONTEXT_BYTES);
    let end = bytes.len().min(start + DETECTION_BYTES_MAX);
    // Browsers do not detect ISO-2022-JP because it can hide scripts; no scripts are run here.
    let mut detector = EncodingDetector::new(Iso2022JpDetection::Allow);
    detector.feed(&bytes[start..end], end == bytes.len());
    detector.guess(tld.and_then(label).as_deref(), Utf8Detection::Deny)
}

/// The hint in the form that the detector accepts: lower-case ASCII without a dot. It panics on
/// anything else.
fn label(tld: &str) -> Option<Vec<u8>> {
    let usable = !tld.is_empty() && tld.is_ascii() && !tld.contains('.');
    usable.then(|| tld.to_ascii_lowercase().into_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ascii_ahead_of_the_text_does_not_use_up_the_window() {
        let mut bytes = vec![b' '; DETECTION_BYTES_MAX * 2];
        let (text, _, _) =
            encoding_rs::SHIFT_JIS.encode("これは文字コードの試験のためのページです。");
        bytes.extend_from_slice(&text);
        assert_eq!(detect(&bytes, None), encoding_rs::SHIFT_JIS);
    }

    #[test]
    fn the_top_level_domain_decides_between_close_guesses() {
        // One Cyrillic-looking byte pair: too little to tell by itself.
        let bytes = b"<p>\xd1\xe5</p>";
        assert_ne!(detect(bytes, Some("ru")), detect(bytes, Some("gr")));
    }
}
