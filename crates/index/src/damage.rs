//! A damaged file of the index: where the search engine trusts what it reads, noise in a list of postings is a
//! place beyond its end, and it panics. That is an error as any other one, and names the file.

use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind, set_hook, take_hook};
use std::path::Path;
use std::sync::Once;

use tantivy::Index;

use crate::error::IndexError;

thread_local! {
    /// A panic here is caught, and told as what it means.
    static IS_GUARDED: Cell<bool> = const { Cell::new(false) };
}

/// Does what reads files of the index in `dir`.
///
/// # Errors
/// Those of the work; and where that panics, which files are damaged.
pub(crate) fn guarded<T>(
    (dir, index): (&Path, &Index),
    what: &'static str,
    work: impl FnOnce() -> Result<T, IndexError>,
) -> Result<T, IndexError> {
    if let Some(done) = without_panic(work) {
        return done;
    }
    let damaged = without_panic(|| index.validate_checksum()).and_then(Result::ok);
    let mut files: Vec<String> = damaged
        .into_iter()
        .flatten()
        .map(|file| dir.join(file).display().to_string())
        .collect();
    files.sort();
    let why = match files.is_empty() {
        true => format!("files in {} are damaged", dir.display()),
        false => format!("damaged: {}", files.join(", ")),
    };
    Err(IndexError::Engine {
        what,
        why,
        kind: None,
    })
}

/// None where the work panics, of which nothing is printed.
fn without_panic<T>(work: impl FnOnce() -> T) -> Option<T> {
    static HOOK: Once = Once::new();
    HOOK.call_once(|| {
        let before = take_hook();
        set_hook(Box::new(move |panic| {
            if !IS_GUARDED.get() {
                before(panic);
            }
        }));
    });
    let was_guarded = IS_GUARDED.replace(true);
    let done = catch_unwind(AssertUnwindSafe(work));
    IS_GUARDED.set(was_guarded);
    done.ok()
}
