//! How the allocator of the C library keeps memory.
//!
//! glibc gives threads heaps of their own (arenas, eight for each core), and raises the size from which on a
//! block is mapped for itself to that of the largest block that it has seen freed. A crawl reads pages of all
//! sizes on all its threads, so each arena grows to what the largest page took, and keeps it. Two arenas, and
//! blocks from 256 KiB on mapped and unmapped each for itself, hold a sixth less for the same CPU time;
//! `docs/limits.md` has the figures.
//!
//! With another C library nothing is done, nor where the environment says already how it is to be.
//!
//! Two other things are asked of the C library: how many files may be open ([`files`]), and whether standard output is
//! ([`standard`]).

pub mod files;
pub mod standard;

/// Arenas for all threads together.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
const ARENAS_MAX: libc::c_int = 2;

/// Bytes from which on a block is mapped for itself.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
const MAPPED_BYTES_MIN: libc::c_int = 256 << 10;

/// Free bytes at the top of a heap from which on they are given back.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
const FREE_BYTES_MAX: libc::c_int = 2 << 20;

/// Settles how memory is kept. To be called first of all, while there is one thread.
///
/// What `GLIBC_TUNABLES` or a `MALLOC_…` variable says of the allocator counts, and then nothing is changed.
/// True when all was settled as it should be.
pub fn settle() -> bool {
    let set_outside = std::env::vars_os().any(|(name, value)| {
        let (name, value) = (name.to_string_lossy(), value.to_string_lossy());
        name.starts_with("MALLOC_") || name == "GLIBC_TUNABLES" && value.contains("glibc.malloc.")
    });
    !set_outside && set_options()
}

#[cfg(all(target_os = "linux", target_env = "gnu"))]
fn set_options() -> bool {
    let options = [
        (libc::M_ARENA_MAX, ARENAS_MAX),
        (libc::M_MMAP_THRESHOLD, MAPPED_BYTES_MIN),
        (libc::M_TRIM_THRESHOLD, FREE_BYTES_MAX),
    ];
    options.into_iter().all(|(option, value)| {
        // SAFETY: `mallopt` takes two numbers and changes only how later allocations are served.
        unsafe { libc::mallopt(option, value) == 1 }
    })
}

#[cfg(not(all(target_os = "linux", target_env = "gnu")))]
fn set_options() -> bool {
    false
}

#[cfg(test)]
mod tests {
    #[test]
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    fn the_c_library_takes_all_options() {
        assert!(super::set_options());
        // What is allocated after it is whole.
        let blocks: Vec<Vec<u8>> = (0..64).map(|at| vec![at; 1 << (at % 20)]).collect();
        for (at, block) in blocks.iter().enumerate() {
            assert!(block.iter().all(|&byte| usize::from(byte) == at));
        }
    }
}
