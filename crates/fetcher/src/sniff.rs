//! What kind of resource this is.
/// The type.
pub fn sniff_content_type(header: Option<&str>, _bytes: &[u8]) -> String {
    header
        .unwrap_or("text/html")
        .split(';')
        .next()
        .unwrap_or_default()
        .trim()
        .to_ascii_lowercase()
}
