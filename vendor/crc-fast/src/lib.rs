//! The checksum of `crc-fast` that `object_store` names, and no other.
//!
//! `object_store` depends on `crc-fast` for CRC-64/NVME alone, which a bucket is sent where
//! `AWS_CHECKSUM_ALGORITHM` asks for it. The whole crate brings the tables of all checksums that it knows,
//! 0.7 MB of a program. This one has the same names for that one, with a table of 2 KB made at compile time.

/// The polynomial 0xad93d23594c93659, its bits in reverse.
const POLYNOMIAL: u64 = 0x9a6c_9329_ac4b_c9b5;

const TABLE: [u64; 256] = table();

const fn table() -> [u64; 256] {
    let mut table = [0; 256];
    let mut byte = 0;
    while byte < 256 {
        let mut rest = byte as u64;
        let mut bit = 0;
        while bit < 8 {
            let carry = rest & 1;
            rest >>= 1;
            if carry == 1 {
                rest ^= POLYNOMIAL;
            }
            bit += 1;
        }
        table[byte] = rest;
        byte += 1;
    }
    table
}

/// Checksums that are known here.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CrcAlgorithm {
    /// CRC-64/NVME.
    Crc64Nvme,
}

/// A checksum under way.
#[derive(Debug, Clone)]
pub struct Digest {
    rest: u64,
}

impl Digest {
    /// The checksum of nothing.
    #[must_use]
    pub fn new(_: CrcAlgorithm) -> Digest {
        Digest { rest: u64::MAX }
    }

    /// Takes more bytes in.
    pub fn update(&mut self, bytes: &[u8]) {
        for byte in bytes {
            let place = (self.rest ^ u64::from(*byte)) & 0xff;
            self.rest = TABLE[place as usize] ^ (self.rest >> 8);
        }
    }

    /// The checksum of all bytes.
    #[must_use]
    pub fn finalize(&self) -> u64 {
        !self.rest
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_checksum_of_the_digits_is_that_of_the_catalogue() {
        let mut digest = Digest::new(CrcAlgorithm::Crc64Nvme);
        digest.update(b"1234");
        digest.update(b"56789");
        assert_eq!(digest.finalize(), 0xae8b_1486_0a79_9888);
    }
}
