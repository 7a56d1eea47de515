//! Inputs that are nearly right: bytes of the corpus, cut, doubled, spliced and sprinkled.

/// Pieces that parsers trip over.
const PIECES: [&[u8]; 28] = [
    b"<",
    b">",
    b"\"",
    b"</",
    b"<!--",
    b"<![CDATA[",
    b"&#x110000;",
    b"\0",
    b"\xff\xfe",
    b"\xef\xbb\xbf",
    b"\xed\xa0\x80",
    b"\r\n\r\n",
    b"%",
    b"%00",
    b"://",
    b"@",
    b"[::1",
    b"/../",
    b"*$*",
    b"=",
    b"[",
    b"'''",
    b"-1",
    b"99999999999999999999",
    b"<script>",
    b"<table><svg><p>",
    b"\x1f\x8b\x08",
    b"Content-Length: 18446744073709551615\r\n",
];

/// Longest input.
const BYTES_MAX: usize = 256 << 10;

/// A source of mutations that follows from its seed (SplitMix64).
pub struct Mutator(u64);

impl Mutator {
    /// The mutations of one number of an entry.
    pub fn new(entry: &str, number: u64) -> Self {
        let entry = entry
            .bytes()
            .fold(0_u64, |sum, byte| sum.wrapping_mul(31) + u64::from(byte));
        Self(entry.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ number)
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    fn below(&mut self, bound: usize) -> usize {
        (self.next() % bound.max(1) as u64) as usize
    }

    /// A place, and a length from there: mostly short, sometimes up to the end.
    fn range(&mut self, len: usize) -> (usize, usize) {
        let start = self.below(len + 1);
        let reach = if self.below(4) == 0 { len } else { 40 };
        (start, (start + self.below(reach + 1)).min(len))
    }

    /// One input of the corpus after one to eight changes.
    pub fn mutate(&mut self, corpus: &[Vec<u8>]) -> Vec<u8> {
        let mut bytes = corpus[self.below(corpus.len())].clone();
        for _ in 0..=self.below(8) {
            self.change(&mut bytes, corpus);
            bytes.truncate(BYTES_MAX);
        }
        bytes
    }

    fn change(&mut self, bytes: &mut Vec<u8>, corpus: &[Vec<u8>]) {
        let (start, end) = self.range(bytes.len());
        match self.below(8) {
            0 if !bytes.is_empty() => {
                let at = self.below(bytes.len());
                bytes[at] ^= 1 << self.below(8);
            }
            1 if !bytes.is_empty() => {
                let at = self.below(bytes.len());
                bytes[at] = self.next() as u8;
            }
            2 => drop(bytes.drain(start..end)),
            3 => {
                // A piece of itself, again and again.
                let times = 1 << self.below(11);
                let room = BYTES_MAX.saturating_sub(bytes.len());
                let again = bytes[start..end].repeat(times.min(room / (end - start).max(1)));
                bytes.splice(start..start, again);
            }
            4 => {
                let other = &corpus[self.below(corpus.len())];
                let (from, to) = self.range(other.len());
                bytes.splice(start..end, other[from..to].iter().copied());
            }
            5 => bytes.truncate(start),
            _ => {
                let piece = PIECES[self.below(PIECES.len())];
                let times = 1 << self.below(6);
                bytes.splice(start..start, piece.repeat(times));
            }
        }
    }
}
