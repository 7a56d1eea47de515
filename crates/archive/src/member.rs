//! One gzip member: the unit of writing, of recovery and of damage.
//!
//! Each record stands in a gzip member of its own. So a reader can begin at any record, and the
//! member's CRC tells whether the record is whole. The member's header has the lengths of member and
//! record in an extra field `sl`, as WARC 1.1 annex D.2 describes, so a reader knows how much to read
//! and how much memory to reserve. Readers that do not know the field skip it.
//!
//! ```text
//!  1f 8b 08 04 | mtime | xfl os | xlen=12 | 's' 'l' 8 0 | member bytes | record bytes | deflate … | crc32 | isize
//!       4          4       2        2          4              4               4                       4       4
//! ```

use crc32fast::Hasher;
use flate2::{Compress, Compression, Decompress, FlushCompress, FlushDecompress, Status};

/// The first bytes of every gzip member with a deflate stream.
pub(crate) const MAGIC: [u8; 3] = [0x1f, 0x8b, 0x08];

/// Bytes of our gzip header, extra field included.
const HEADER_BYTES: usize = 24;

/// Bytes of compressed output that are taken from deflate at once.
const BUFFER_BYTES: usize = 32 << 10;

/// No record is larger than this, compressed or not. The fetch limits keep bodies far below it; this
/// bound keeps a damaged length from reserving all memory.
pub(crate) const MEMBER_BYTES_MAX: usize = 256 << 20;

/// How hard to compress a record.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Packing {
    /// Deflate level 1: for text. Level 2 costs half again as much for a fifth of the size; figures are in
    /// `benches/README.md`.
    Fast,
    /// Stored: for what is compressed already.
    Stored,
}

/// Records shorter than this are stored, whatever they hold. They would lose a sixth of their
/// length, and emptying the compressor's tables before them costs more than compressing them.
const FAST_BYTES_MIN: usize = 1024;

/// The most bytes of a stored block (RFC 1951 §3.2.4).
const STORED_BYTES_MAX: usize = u16::MAX as usize;

/// Writes gzip members. Its compressor is large, so it is kept between records.
#[derive(Debug)]
pub(crate) struct Packer {
    fast: Compress,
    /// Deflate writes here first. Writing into the output would mean to zero room in it for each call.
    buffer: Box<[u8; BUFFER_BYTES]>,
}

impl Packer {
    pub(crate) fn new() -> Packer {
        Packer {
            fast: Compress::new(Compression::fast(), false),
            buffer: Box::new([0; BUFFER_BYTES]),
        }
    }

    /// Appends one member to `out`, whose record is `parts` one after the other; gives the member's
    /// length.
    pub(crate) fn pack(&mut self, packing: Packing, parts: &[&[u8]], out: &mut Vec<u8>) -> usize {
        let begin = out.len();
        let record_bytes: usize = parts.iter().map(|part| part.len()).sum();
        out.reserve(HEADER_BYTES + 8 + record_bytes / 2 + 256);
        out.extend_from_slice(&MAGIC);
        out.extend_from_slice(&[4, 0, 0, 0, 0, 0, 255, 12, 0, b's', b'l', 8, 0]);
        out.extend_from_slice(&[0; 8]);

        let mut crc = Hasher::new();
        parts.iter().for_each(|part| crc.update(part));
        match packing {
            Packing::Fast if record_bytes >= FAST_BYTES_MIN => self.deflate(parts, out),
            Packing::Fast | Packing::Stored => store(parts, record_bytes, out),
        }

        out.extend_from_slice(&crc.finalize().to_le_bytes());
        out.extend_from_slice(&(record_bytes as u32).to_le_bytes());
        let member_bytes = out.len() - begin;
        out[begin + 16..begin + 20].copy_from_slice(&(member_bytes as u32).to_le_bytes());
        out[begin + 20..begin + 24].copy_from_slice(&(record_bytes as u32).to_le_bytes());
        member_bytes
    }

    fn deflate(&mut self, parts: &[&[u8]], out: &mut Vec<u8>) {
        let Packer { fast, buffer } = self;
        fast.reset();
        for part in parts {
            deflate(fast, part, FlushCompress::None, &mut buffer[..], out);
        }
        deflate(fast, &[], FlushCompress::Finish, &mut buffer[..], out);
    }
}

/// Appends a deflate stream of stored blocks. Their borders may lie within a part.
fn store(parts: &[&[u8]], record_bytes: usize, out: &mut Vec<u8>) {
    let (mut rest, mut room) = (record_bytes, 0);
    let mut begin_block = |out: &mut Vec<u8>| {
        let length = rest.min(STORED_BYTES_MAX);
        rest -= length;
        out.push(u8::from(rest == 0));
        out.extend_from_slice(&(length as u16).to_le_bytes());
        out.extend_from_slice(&(!(length as u16)).to_le_bytes());
        length
    };
    if record_bytes == 0 {
        begin_block(out);
    }
    for part in parts {
        let mut part = *part;
        while !part.is_empty() {
            if room == 0 {
                room = begin_block(out);
            }
            let (now, later) = part.split_at(part.len().min(room));
            out.extend_from_slice(now);
            (part, room) = (later, room - now.len());
        }
    }
}

fn deflate(
    compress: &mut Compress,
    part: &[u8],
    flush: FlushCompress,
    buffer: &mut [u8],
    out: &mut Vec<u8>,
) {
    let finish = matches!(flush, FlushCompress::Finish);
    let mut rest = part;
    loop {
        let (before_in, before_out) = (compress.total_in(), compress.total_out());
        let status = compress
            .compress(rest, buffer, flush)
            .expect("deflate of a reset stream does not fail");
        rest = &rest[(compress.total_in() - before_in) as usize..];
        out.extend_from_slice(&buffer[..(compress.total_out() - before_out) as usize]);
        let done = match status {
            Status::StreamEnd => true,
            Status::Ok | Status::BufError => !finish && rest.is_empty(),
        };
        if done {
            return;
        }
    }
}

/// Why bytes are not a whole member.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Broken {
    /// The bytes end before the member does.
    Incomplete,
    /// These bytes are no member.
    Corrupt(&'static str),
}

/// A gzip header.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Head {
    /// Bytes of the gzip header.
    pub(crate) bytes: usize,
    /// Bytes of the member and of the record in it, if the `sl` field is there.
    pub(crate) lengths: Option<(usize, usize)>,
}

/// Reads a gzip header.
pub(crate) fn head(data: &[u8]) -> Result<Head, Broken> {
    const NOT_GZIP: Broken = Broken::Corrupt("no gzip member begins here");
    let fixed = match data.get(..10) {
        Some(fixed) => fixed,
        None if MAGIC.starts_with(&data[..data.len().min(3)]) || data.starts_with(&MAGIC) => {
            return Err(Broken::Incomplete);
        }
        None => return Err(NOT_GZIP),
    };
    if !fixed.starts_with(&MAGIC) {
        return Err(NOT_GZIP);
    }
    let flags = fixed[3];
    if flags & 0xe0 != 0 {
        return Err(Broken::Corrupt("reserved gzip flags are set"));
    }
    let mut bytes = 10;
    let mut lengths = None;
    if flags & 4 != 0 {
        let size = data.get(10..12).ok_or(Broken::Incomplete)?;
        let size = usize::from(u16::from_le_bytes([size[0], size[1]]));
        let extra = data.get(12..12 + size).ok_or(Broken::Incomplete)?;
        lengths = member_lengths(extra);
        bytes = 12 + size;
    }
    for flag in [8, 16] {
        if flags & flag != 0 {
            let rest = data.get(bytes..).ok_or(Broken::Incomplete)?;
            let name = rest
                .iter()
                .position(|&byte| byte == 0)
                .ok_or(Broken::Incomplete)?;
            bytes += name + 1;
        }
    }
    if flags & 2 != 0 {
        bytes += 2;
    }
    Ok(Head { bytes, lengths })
}

/// The lengths in the `sl` field of a header's extra fields.
fn member_lengths(mut extra: &[u8]) -> Option<(usize, usize)> {
    while let [first, second, low, high, rest @ ..] = extra {
        let size = usize::from(u16::from_le_bytes([*low, *high]));
        let field = rest.get(..size)?;
        if let (b's', b'l', [a, b, c, d, e, f, g, h]) = (*first, *second, field) {
            let member = u32::from_le_bytes([*a, *b, *c, *d]) as usize;
            let record = u32::from_le_bytes([*e, *f, *g, *h]) as usize;
            return (member <= MEMBER_BYTES_MAX && record <= MEMBER_BYTES_MAX)
                .then_some((member, record));
        }
        extra = &rest[size..];
    }
    None
}

/// Reads gzip members. Its tables are kept between records.
#[derive(Debug)]
pub(crate) struct Unpacker {
    inflate: Decompress,
}

impl Unpacker {
    pub(crate) fn new() -> Unpacker {
        Unpacker {
            inflate: Decompress::new(false),
        }
    }

    /// Puts the beginning of a record into `out`, which is emptied first: some `wanted` bytes of it, or as
    /// many as follow from `data`, the beginning of its member. Nothing tells whether they are whole.
    pub(crate) fn unpack_beginning(
        &mut self,
        data: &[u8],
        wanted: usize,
        out: &mut Vec<u8>,
    ) -> Result<(), Broken> {
        let head = head(data)?;
        let rest = data.get(head.bytes..).ok_or(Broken::Incomplete)?;
        out.clear();
        out.reserve(wanted);
        self.inflate.reset(false);
        let unpacked = self
            .inflate
            .decompress_vec(rest, out, FlushDecompress::None);
        match unpacked {
            Ok(_) => Ok(()),
            Err(_) => Err(Broken::Corrupt("the deflate stream is broken")),
        }
    }

    /// Reads the member at the start of `data` and puts its record into `out`, which is emptied first;
    /// gives the member's length. After `Ok` length and CRC agree.
    pub(crate) fn unpack(&mut self, data: &[u8], out: &mut Vec<u8>) -> Result<usize, Broken> {
        let head = head(data)?;
        if head.lengths.is_some_and(|(member, _)| head.bytes > member) {
            // The stream of a later member may stand where it ends: that would hide all before it.
            return Err(Broken::Corrupt("the header is longer than its member"));
        }
        let mut rest = data.get(head.bytes..).ok_or(Broken::Incomplete)?;
        out.clear();
        self.inflate.reset(false);
        // One byte more than the header says, so that the end of the stream is met in the first call. No
        // more than that: all of it is cleared, which for what `out` has held before may be much.
        let mut room = head
            .lengths
            .map_or(rest.len().min(1 << 20) * 2, |(member, record)| {
                // A header may lie: room for more comes as it is filled.
                record.min(member.saturating_mul(64).max(1 << 20))
            })
            + 1;
        let mut used = head.bytes;
        loop {
            let (before_in, before_out) = (self.inflate.total_in(), out.len());
            let status = self.append(rest, room, out)?;
            let taken = (self.inflate.total_in() - before_in) as usize;
            room -= out.len() - before_out;
            rest = &rest[taken..];
            used += taken;
            match status {
                Status::StreamEnd => break,
                Status::Ok | Status::BufError if rest.is_empty() && room > 0 => {
                    return Err(Broken::Incomplete);
                }
                Status::Ok | Status::BufError
                    if taken == 0 && out.len() == before_out && room > 0 =>
                {
                    return Err(Broken::Corrupt("the deflate stream does not go on"));
                }
                Status::Ok | Status::BufError => {}
            }
            if room == 0 {
                if out.len() >= MEMBER_BYTES_MAX {
                    return Err(Broken::Corrupt("the record is larger than any we write"));
                }
                room = out.len().clamp(4096, 16 << 20);
            }
        }
        let Some([a, b, c, d, e, f, g, h]) = rest.first_chunk::<8>() else {
            return Err(Broken::Incomplete);
        };
        if u32::from_le_bytes([*e, *f, *g, *h]) != out.len() as u32 {
            return Err(Broken::Corrupt("the length of the record is wrong"));
        }
        if u32::from_le_bytes([*a, *b, *c, *d]) != crc32fast::hash(out) {
            return Err(Broken::Corrupt("the checksum of the record is wrong"));
        }
        Ok(used + 8)
    }

    /// Appends what follows from `data` to `out`, as much as there is room for.
    fn append(&mut self, data: &[u8], room: usize, out: &mut Vec<u8>) -> Result<Status, Broken> {
        let before = out.len();
        let unpacked = self.inflate.total_out();
        out.resize(before + room, 0);
        let status = self
            .inflate
            .decompress(data, &mut out[before..], FlushDecompress::None);
        out.truncate(before + (self.inflate.total_out() - unpacked) as usize);
        status.map_err(|_| Broken::Corrupt("the deflate stream is broken"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn packed(packing: Packing, parts: &[&[u8]]) -> Vec<u8> {
        let mut out = Vec::new();
        let bytes = Packer::new().pack(packing, parts, &mut out);
        assert_eq!(bytes, out.len());
        out
    }

    #[test]
    fn other_gzip_readers_read_our_members() {
        use std::io::Read;
        for packing in [Packing::Fast, Packing::Stored] {
            let member = packed(packing, &[b"WARC/1.1\r\n", b"body"]);
            let mut text = String::new();
            flate2::read::GzDecoder::new(&member[..])
                .read_to_string(&mut text)
                .unwrap();
            assert_eq!(text, "WARC/1.1\r\nbody");
            let head = head(&member).unwrap();
            assert_eq!(head.lengths, Some((member.len(), 14)));
        }
    }

    #[test]
    fn members_of_other_gzip_writers_are_read() {
        use std::io::Write;
        let mut other = flate2::GzBuilder::new()
            .filename("a name")
            .comment("a comment")
            .write(Vec::new(), Compression::best());
        other.write_all(&[b'x'; 100_000]).unwrap();
        let mut bytes = other.finish().unwrap();
        let member_bytes = bytes.len();
        bytes.extend_from_slice(b"what follows");
        let mut out = Vec::new();
        assert_eq!(Unpacker::new().unpack(&bytes, &mut out), Ok(member_bytes));
        assert_eq!(out, vec![b'x'; 100_000]);
    }

    #[test]
    fn a_long_record_is_stored_in_blocks_whose_borders_lie_anywhere() {
        use std::io::Read;
        for bytes in [0, 1, STORED_BYTES_MAX, STORED_BYTES_MAX + 1, 200_000] {
            let record: Vec<u8> = (0..bytes).map(|at| (at * at % 251) as u8).collect();
            let (one, two) = record.split_at(bytes / 3);
            let member = packed(Packing::Stored, &[one, b"", two]);
            let mut text = Vec::new();
            flate2::read::GzDecoder::new(&member[..])
                .read_to_end(&mut text)
                .unwrap();
            assert!(text == record, "{bytes} bytes");
        }
    }

    proptest! {
        #[test]
        fn what_is_packed_is_unpacked(
            record in prop::collection::vec(any::<u8>(), 0..2 * FAST_BYTES_MIN),
            stored: bool,
            after: Vec<u8>,
        ) {
            let packing = if stored { Packing::Stored } else { Packing::Fast };
            let mut bytes = packed(packing, &[&record]);
            let member_bytes = bytes.len();
            bytes.extend_from_slice(&after);
            let mut out = vec![1, 2, 3];
            prop_assert_eq!(Unpacker::new().unpack(&bytes, &mut out), Ok(member_bytes));
            prop_assert_eq!(out, record);
        }

        #[test]
        fn a_member_cut_anywhere_is_incomplete(
            record in prop::collection::vec(any::<u8>(), 0..2 * FAST_BYTES_MIN),
            at: prop::sample::Index,
        ) {
            let bytes = packed(Packing::Fast, &[&record]);
            let cut = at.index(bytes.len());
            prop_assert_eq!(
                Unpacker::new().unpack(&bytes[..cut], &mut Vec::new()),
                Err(Broken::Incomplete)
            );
        }

        #[test]
        fn no_bytes_make_the_reader_panic(bytes: Vec<u8>) {
            let _ = Unpacker::new().unpack(&bytes, &mut Vec::new());
            let mut framed = MAGIC.to_vec();
            framed.extend_from_slice(&bytes);
            let _ = Unpacker::new().unpack(&framed, &mut Vec::new());
        }
    }
}
