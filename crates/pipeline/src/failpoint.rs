//! Named places at which a crash test ends the process; nothing in a build without the feature
//! `failpoints`.
//!
//! Names are `stage:moment`, in the order of a group: `commit:before-append`, `commit:after-append`,
//! `apply:after`, `commit:before-sync`, `commit:after-sync`, `settle:before`, `store:after`,
//! `publish:between`. Outside of a group: `visit:before`, `replay:before`, `publish:before` in the
//! publisher, and `memory:before-sync`, `memory:before-rename` and `memory:after-rename` where the
//! state's memory is saved.

/// A named place at which a test may end the process.
macro_rules! fail_point {
    ($name:literal) => {
        #[cfg(feature = "failpoints")]
        fail::fail_point!($name);
    };
}

pub(crate) use fail_point;
