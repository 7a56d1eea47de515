//! Rows on disk: 256 pages to a block, packed, with a checksum.
//!
//! ```text
//! checksum u32 │ rows u16 │ row │ row │ …
//! row: flags u8 │ page, zigzag varint from the page before │ fingerprint u64 │ words varint
//!      │ digest u64 │ pairs 56 or 120 bytes │ [numbers u64, their count u8] │ [bands 8 x u32]
//! ```
//!
//! A key for each page would cost the store twelve times the bytes; a block costs a tenth more
//! than its rows. A free slot is one zero byte. Nothing that is read is trusted: a block that is
//! cut, changed or of another sketch size decodes to none.

use xxhash_rust::xxh3::xxh3_64;

use crate::sketch::BANDS;
use crate::{Fingerprint, Sketch, SketchSize, TextPrint};

/// Pages in a block: 22 KB with 64 bytes of sketch. Smaller blocks cost the store more beside their
/// rows (64 pages: 94 % more; 256 pages: 37 %); larger ones do not cost less.
pub(crate) const BLOCK_ROWS: usize = 256;

const LIVE: u8 = 1;
const NUMBERS: u8 = 2;
const SHORT: u8 = 4;

/// Packs up to [`BLOCK_ROWS`] slots; none is a free one.
pub(crate) fn encode(rows: &[Option<(u64, TextPrint)>]) -> Vec<u8> {
    let mut bytes = vec![0; 4];
    bytes.extend((rows.len() as u16).to_le_bytes());
    let mut before = 0;
    for row in rows {
        match row {
            None => bytes.push(0),
            Some((page, print)) => {
                encode_row(&mut bytes, *page, before, print);
                before = *page;
            }
        }
    }
    let sum = checksum(&bytes[4..]);
    bytes[..4].copy_from_slice(&sum);
    bytes
}

/// The slots of a block; none when the bytes are not one, or its sketches are of another size.
pub(crate) fn decode(bytes: &[u8], size: SketchSize) -> Option<Vec<Option<(u64, TextPrint)>>> {
    let (sum, rest) = bytes.split_first_chunk::<4>()?;
    if *sum != checksum(rest) {
        return None;
    }
    let mut reader = Reader(rest);
    let count = usize::from(reader.two()?);
    let mut rows = Vec::with_capacity(count.min(BLOCK_ROWS));
    let mut before = 0;
    for _ in 0..count {
        let row = decode_row(&mut reader, before, size)?;
        if let Some((page, _)) = row {
            before = page;
        }
        rows.push(row);
    }
    reader.0.is_empty().then_some(rows)
}

fn checksum(bytes: &[u8]) -> [u8; 4] {
    (xxh3_64(bytes) as u32).to_le_bytes()
}

fn encode_row(bytes: &mut Vec<u8>, page: u64, before: u64, print: &TextPrint) {
    let sketch = &print.sketch;
    let numbers = if sketch.number_count() > 0 {
        NUMBERS
    } else {
        0
    };
    let short = if sketch.bands().is_some() { SHORT } else { 0 };
    bytes.push(LIVE | numbers | short);
    let step = page.wrapping_sub(before) as i64;
    push_varint(bytes, ((step << 1) ^ (step >> 63)) as u64);
    bytes.extend(print.fingerprint.0.to_le_bytes());
    push_varint(bytes, u64::from(print.word_count));
    bytes.extend(print.digest.to_le_bytes());
    for lane in sketch.lanes() {
        bytes.extend(lane.to_le_bytes());
    }
    if numbers != 0 {
        bytes.extend(sketch.numbers().to_le_bytes());
        bytes.push(sketch.number_count());
    }
    for band in sketch.bands().into_iter().flatten() {
        bytes.extend(band.to_le_bytes());
    }
}

/// The outer option is none for broken bytes, the inner one for a free slot.
#[expect(clippy::option_option, reason = "broken and free are different things")]
fn decode_row(
    reader: &mut Reader<'_>,
    before: u64,
    size: SketchSize,
) -> Option<Option<(u64, TextPrint)>> {
    let flags = reader.byte()?;
    if flags == 0 {
        return Some(None);
    }
    let zigzag = reader.varint()?;
    let step = (zigzag >> 1) ^ (zigzag & 1).wrapping_neg();
    let fingerprint = Fingerprint(reader.eight()?);
    let word_count = u32::try_from(reader.varint()?).ok()?;
    let digest = reader.eight()?;
    let mut lanes = [0; 15];
    let lanes = &mut lanes[..size.lanes()];
    for lane in lanes.iter_mut() {
        *lane = reader.eight()?;
    }
    let (numbers, number_count) = if flags & NUMBERS != 0 {
        (reader.eight()?, reader.byte()?)
    } else {
        (0, 0)
    };
    let mut bands = [0; BANDS];
    if flags & SHORT != 0 {
        for band in &mut bands {
            *band = reader.four()?;
        }
    }
    let bands = (flags & SHORT != 0).then_some(bands);
    let sketch = Sketch::from_parts(lanes, numbers, number_count, bands);
    Some(Some((
        before.wrapping_add(step),
        TextPrint {
            fingerprint,
            sketch,
            word_count,
            digest,
        },
    )))
}

fn push_varint(bytes: &mut Vec<u8>, mut value: u64) {
    while value >= 0x80 {
        bytes.push(value as u8 | 0x80);
        value >>= 7;
    }
    bytes.push(value as u8);
}

struct Reader<'b>(&'b [u8]);

impl Reader<'_> {
    fn byte(&mut self) -> Option<u8> {
        let (&byte, rest) = self.0.split_first()?;
        self.0 = rest;
        Some(byte)
    }

    fn two(&mut self) -> Option<u16> {
        let (two, rest) = self.0.split_first_chunk()?;
        self.0 = rest;
        Some(u16::from_le_bytes(*two))
    }

    fn four(&mut self) -> Option<u32> {
        let (four, rest) = self.0.split_first_chunk()?;
        self.0 = rest;
        Some(u32::from_le_bytes(*four))
    }

    fn eight(&mut self) -> Option<u64> {
        let (eight, rest) = self.0.split_first_chunk()?;
        self.0 = rest;
        Some(u64::from_le_bytes(*eight))
    }

    fn varint(&mut self) -> Option<u64> {
        let mut value = 0;
        for shift in (0..64).step_by(7) {
            let byte = self.byte()?;
            value |= u64::from(byte & 0x7F) << shift;
            if byte & 0x80 == 0 {
                return Some(value);
            }
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hash::mix;
    use crate::print_hashes;
    use proptest::prelude::*;

    fn print(seed: u64, words: u64, numbers: u64) -> TextPrint {
        let hashes: Vec<u64> = (0..words).map(|word| mix(seed + word)).collect();
        print_hashes(&hashes, &hashes[..numbers.min(words) as usize])
    }

    #[test]
    fn a_row_costs_four_bytes_beside_fingerprint_digest_and_sketch() {
        let mut page = print(1, 500, 0);
        page.sketch = page.sketch.truncated(SketchSize::Bytes64);
        let rows: Vec<_> = (0..64).map(|at| Some((1_000 + at, page))).collect();
        assert!(encode(&rows).len() <= 64 * (8 + 8 + 56 + 4) + 8);
    }

    proptest! {
        #[test]
        fn rows_go_there_and_back(
            rows in prop::collection::vec(prop::option::of((any::<u64>(), 0u64..100, 0u64..5)), 0..=20),
            small: bool,
        ) {
            let size = if small { SketchSize::Bytes64 } else { SketchSize::Bytes128 };
            let rows: Vec<_> = rows
                .into_iter()
                .map(|row| row.map(|(page, words, numbers)| {
                    let mut print = print(page % 1_000, words, numbers);
                    print.sketch = print.sketch.truncated(size);
                    (page, print)
                }))
                .collect();
            prop_assert_eq!(decode(&encode(&rows), size), Some(rows));
        }

        #[test]
        fn damaged_bytes_are_no_block(at in 0usize..2_000, flip in 1u8..) {
            let rows: Vec<_> = (0..8).map(|n| Some((n, print(n, 90, 2)))).collect();
            let mut bytes = encode(&rows);
            let at = at % bytes.len();
            bytes[at] ^= flip;
            prop_assert_eq!(decode(&bytes, SketchSize::Bytes128), None);
            bytes[at] ^= flip;
            prop_assert_eq!(decode(&bytes[..at], SketchSize::Bytes128), None);
        }
    }
}
