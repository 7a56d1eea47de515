//! Whether standard output was open when the process began.
//!
//! Before `main` the standard library opens `/dev/null` in the place of each standard stream that is closed, so that no
//! other file gets its number. Whoever started the process so (`>&-`) gets no data, and would get no error. So it is
//! looked at before that, where the C library calls what stands in `.init_array`.

use std::sync::atomic::{AtomicBool, Ordering};

static WAS_CLOSED: AtomicBool = AtomicBool::new(false);

/// Whether standard output was closed when the process began; false where that cannot be known.
pub fn output_was_closed() -> bool {
    WAS_CLOSED.load(Ordering::Relaxed)
}

#[cfg(target_os = "linux")]
extern "C" fn look() {
    // SAFETY: `F_GETFD` asks for the flags of a number, open or not, and changes nothing.
    if unsafe { libc::fcntl(libc::STDOUT_FILENO, libc::F_GETFD) } == -1 {
        WAS_CLOSED.store(true, Ordering::Relaxed);
    }
}

// SAFETY: the C library calls each function of this section once, before `main`; this one needs nothing that is made later.
#[cfg(target_os = "linux")]
#[used]
#[unsafe(link_section = ".init_array")]
static LOOK: extern "C" fn() = look;

#[cfg(test)]
mod tests {
    #[test]
    fn the_output_of_tests_is_open() {
        assert!(!super::output_was_closed());
    }
}
