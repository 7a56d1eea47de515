//! Bytes to text.

/// Text decoded from bytes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Decoded {
    /// The text.
    pub text: String,
    /// The WHATWG name of the encoding.
    pub encoding: &'static str,
    /// Where the encoding's name is from.
    pub source: EncodingSource,
    /// How many malformed sequences were replaced.
    pub replaced: usize,
}

/// Where an encoding's name is from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EncodingSource {
    /// A byte order mark.
    Bom,
    /// The Content-Type header.
    Http,
    /// A meta element.
    Meta,
    /// Detected from the bytes.
    Detected,
    /// Nothing told.
    Default,
}

/// Decodes a page's bytes.
pub fn decode(bytes: &[u8], content_type: Option<&str>, tld: Option<&str>) -> Decoded {
    let _ = (content_type, tld);
    Decoded {
        text: String::from_utf8_lossy(bytes).into_owned(),
        encoding: "UTF-8",
        source: EncodingSource::Default,
        replaced: 0,
    }
}
