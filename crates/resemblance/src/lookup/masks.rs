//! Enumerates the values within k bits of a value, and counts them.

/// Calls `each` with every 64-bit mask of at most `distance` bits, those with fewer first.
pub fn each(distance: u8, each: impl FnMut(u64)) {
    below(64, u32::from(distance), each);
}

/// The same for masks of the lowest `bits` bits.
pub fn below(bits: u32, flips_max: u32, mut each: impl FnMut(u64)) {
    let largest = u64::MAX >> (64 - bits.clamp(1, 64));
    for flips in 0..=flips_max.min(bits) {
        let mut mask = u64::MAX.checked_shl(flips).map_or(u64::MAX, |high| !high);
        loop {
            each(mask);
            match next_with_as_many_bits(mask) {
                Some(next) if next <= largest => mask = next,
                Some(_) | None => break,
            }
        }
    }
}

/// The next larger number with as many bits set (Gosper's hack); `None` after the largest.
fn next_with_as_many_bits(mask: u64) -> Option<u64> {
    if mask == 0 {
        return None;
    }
    let lowest = mask & mask.wrapping_neg();
    let ripple = mask.checked_add(lowest)?;
    Some(ripple | (((mask ^ ripple) >> 2) / lowest))
}

/// How many values are exactly `distance` bits from any one, or with `cumulative` at most.
pub fn count(distance: u32, cumulative: bool) -> u128 {
    let mut exactly = 1u128;
    let mut sum = exactly;
    for n in 1..=distance.min(64) {
        exactly = exactly * u128::from(65 - n) / u128::from(n);
        sum += exactly;
    }
    if cumulative { sum } else { exactly }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_are_binomials_and_the_masks_are_as_many() {
        assert_eq!(count(0, true), 1);
        assert_eq!(count(3, false), 41_664);
        assert_eq!(count(3, true), 43_745);
        assert_eq!(count(64, false), 1);
        assert_eq!(count(64, true), 1 << 64);
        for distance in 0..=3 {
            let mut masks = std::collections::BTreeSet::new();
            each(distance, |mask| {
                assert!(mask.count_ones() <= u32::from(distance));
                masks.insert(mask);
            });
            assert_eq!(masks.len() as u128, count(u32::from(distance), true));
        }
    }
}
