//! Ids of WARC records: different for every record of every process.

use std::path::Path;

use xxhash_rust::xxh3::xxh3_128;

use crate::Position;
use crate::layout::Kind;

/// The id of the record that stands at a place of the files of this kind.
pub(crate) fn record_id(nonce: &[u8; 16], kind: Kind, place: Position) -> u128 {
    let mut name = [0; 25];
    name[..16].copy_from_slice(nonce);
    name[16] = kind as u8;
    name[17..].copy_from_slice(&place.0.to_le_bytes());
    xxh3_128(&name)
}

/// Bytes that no other process has: from the system's random numbers, or without them from what
/// differs between processes.
pub(crate) fn nonce(dir: &Path) -> [u8; 16] {
    let mut seed = std::fs::read("/proc/sys/kernel/random/uuid").unwrap_or_default();
    seed.extend_from_slice(dir.as_os_str().as_encoded_bytes());
    seed.extend_from_slice(&std::process::id().to_le_bytes());
    let made = std::fs::metadata(dir).and_then(|metadata| metadata.modified());
    if let Ok(Ok(age)) = made.map(|at| at.duration_since(std::time::UNIX_EPOCH)) {
        seed.extend_from_slice(&age.as_nanos().to_le_bytes());
    }
    xxh3_128(&seed).to_le_bytes()
}

/// Half of a nonce as a number.
pub(crate) fn half(nonce: [u8; 16]) -> u64 {
    u64::from_le_bytes(*nonce.first_chunk().expect("16 bytes hold 8"))
}
