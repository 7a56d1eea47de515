//! Weighted features from a file, exact for decimal weights.

/// Decimal places of a weight. Weights are summed as whole numbers, so that a sum of 0 is 0.
const PLACES: usize = 9;

/// Parses lines `HASH<TAB>WEIGHT`; an error comes with its line.
pub fn parse(bytes: &[u8]) -> Result<Vec<(u64, i128)>, (usize, String)> {
    let text = std::str::from_utf8(bytes).map_err(|_| (1, "the file is not UTF-8".to_owned()))?;
    let mut features = Vec::new();
    for (at, line) in text.lines().enumerate() {
        if line.trim().is_empty() {
            continue;
        }
        features.push(feature(line).map_err(|told| (at + 1, told))?);
    }
    Ok(features)
}

fn feature(line: &str) -> Result<(u64, i128), String> {
    let (hash, weight) = line
        .trim()
        .split_once(['\t', ' '])
        .ok_or("no weight; write HASH<TAB>WEIGHT")?;
    let is_hash = (1..=16).contains(&hash.len()) && hash.bytes().all(|b| b.is_ascii_hexdigit());
    let bits = match u64::from_str_radix(hash, 16) {
        Ok(bits) if is_hash => bits,
        Ok(_) | Err(_) => return Err(format!("{hash:?} is no hash of up to 16 hex digits")),
    };
    let weight = weight.trim();
    let scaled = scaled(weight).ok_or_else(|| {
        format!("{weight:?} is no weight; write a number like 3, -1 or 0.57, at most {PLACES} decimal places")
    })?;
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
    use resemblance::features::combine;
    use simhash::Fingerprint;

    #[test]
    fn a_sum_of_nothing_is_no_bit() {
        let features = parse(b"1\t0.1\n1\t0.2\n0\t0.3\n").unwrap();
        assert_eq!(combine(features), Fingerprint(0));
        assert_eq!(combine([]), Fingerprint(0));
        let features = parse(b"1\t0.1\n1\t0.2\n0\t0.299999999\n").unwrap();
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
            let (at, said) = parse(text.as_bytes()).unwrap_err();
            assert_eq!(at, line, "{text}");
            assert!(said.contains(told), "{text}: {said}");
        }
    }
}
