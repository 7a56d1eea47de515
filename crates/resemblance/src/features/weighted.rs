//! Weighted features from a text, exact for decimal weights.

/// Decimal places of a weight. Weights are summed as whole numbers, so that a sum of 0 is 0.
const PLACES: usize = 9;

/// A line that is no weighted feature.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{problem}")]
pub struct WeightedError {
    /// The line, counted from 1.
    pub line: usize,
    /// What is wrong with it.
    pub problem: WeightedProblem,
}

/// What is wrong with a line of weighted features.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum WeightedProblem {
    /// The text is in another encoding, or no text.
    #[error("the file is not UTF-8")]
    Encoding,
    /// There is but one column.
    #[error("no weight; write HASH<TAB>WEIGHT")]
    NoWeight,
    /// The first column is not 1 to 16 hex digits.
    #[error("{0:?} is no hash of up to 16 hex digits")]
    Hash(String),
    /// The second column is no decimal number, or too long a one.
    #[error(
        "{0:?} is no weight; write a number like 3, -1 or 0.57, at most {places} decimal places",
        places = PLACES
    )]
    Weight(String),
}

/// Parses lines `HASH<TAB>WEIGHT`, for [`combine`](super::combine).
///
/// # Errors
/// The first line that is none.
pub fn parse_weighted(text: &[u8]) -> Result<Vec<(u64, i128)>, WeightedError> {
    let at = |line| move |problem| WeightedError { line, problem };
    let text = std::str::from_utf8(text).map_err(|_| at(1)(WeightedProblem::Encoding))?;
    let lines = (1..)
        .zip(text.lines())
        .filter(|(_, text)| !text.trim().is_empty());
    lines
        .map(|(line, text)| feature(text).map_err(at(line)))
        .collect()
}

fn feature(line: &str) -> Result<(u64, i128), WeightedProblem> {
    let (hash, weight) = line
        .trim()
        .split_once(['\t', ' '])
        .ok_or(WeightedProblem::NoWeight)?;
    let is_hash = (1..=16).contains(&hash.len()) && hash.bytes().all(|b| b.is_ascii_hexdigit());
    let bits = match u64::from_str_radix(hash, 16) {
        Ok(bits) if is_hash => bits,
        Ok(_) | Err(_) => return Err(WeightedProblem::Hash(hash.to_owned())),
    };
    let weight = weight.trim();
    let scaled = scaled(weight).ok_or_else(|| WeightedProblem::Weight(weight.to_owned()))?;
    Ok((bits, scaled))
}

/// The number times 10^9.
fn scaled(number: &str) -> Option<i128> {
    let digits = number.strip_prefix(['-', '+']).unwrap_or(number);
    let (whole, places) = digits.split_once('.').unwrap_or((digits, ""));
    let is_number = !whole.is_empty()
        && whole.len() <= 18
        && places.len() <= PLACES
        && whole
            .bytes()
            .chain(places.bytes())
            .all(|b| b.is_ascii_digit());
    if !is_number {
        return None;
    }
    let value: i128 = format!("{whole}{places:0<PLACES$}").parse().ok()?;
    Some(if number.starts_with('-') {
        -value
    } else {
        value
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::features::combine;
    use simhash::Fingerprint;

    #[test]
    fn a_sum_of_nothing_is_no_bit() {
        let features = parse_weighted(b"1\t0.1\n1\t0.2\n0\t0.3\n").unwrap();
        assert_eq!(combine(features), Fingerprint(0));
        assert_eq!(combine([]), Fingerprint(0));
        let features = parse_weighted(b"1\t0.1\n1\t0.2\n0\t0.299999999\n").unwrap();
        assert_eq!(combine(features), Fingerprint(1));
    }

    #[test]
    fn a_bad_line_is_told_with_its_number() {
        for (text, line, told) in [
            ("00ff\t1\nxyz\t1\n", 2, "no hash"),
            ("00ff\n", 1, "no weight"),
            ("00ff\t1e5\n", 1, "no weight"),
            ("00ff\t0.0000000001\n", 1, "decimal places"),
            ("+0ff\t1\n", 1, "no hash"),
        ] {
            let error = parse_weighted(text.as_bytes()).unwrap_err();
            assert_eq!(error.line, line, "{text}");
            assert!(error.to_string().contains(told), "{text}: {error}");
        }
    }
}
