//! The matrix of features: one row for each run, one named column for each feature.

use std::cell::RefCell;
use std::sync::LazyLock;

/// Rows of named numbers, one for each run.
pub(crate) struct Table {
    pub names: Vec<&'static str>,
    pub values: Vec<f32>,
}

/// The largest buffer that a thread keeps between pages, in numbers: 4 MB, enough for two or three
/// thousand runs.
const KEPT_VALUES: usize = 1 << 20;

thread_local! {
    /// Buffers of dropped tables. They are the largest allocations of a page; allocated anew for
    /// each page they would fragment the heap, since what outlives the page is allocated between
    /// them.
    static BUFFERS: RefCell<Vec<Vec<f32>>> = const { RefCell::new(Vec::new()) };
}

impl Drop for Table {
    fn drop(&mut self) {
        let mut values = std::mem::take(&mut self.values);
        values.clear();
        BUFFERS.with_borrow_mut(|buffers| {
            if buffers.len() < 2 && values.capacity() <= KEPT_VALUES {
                buffers.push(values);
            }
        });
    }
}

impl Table {
    /// An empty table with capacity for so many numbers.
    pub(crate) fn with_capacity(numbers: usize) -> Table {
        let kept = BUFFERS.with_borrow_mut(Vec::pop);
        let mut values = kept.unwrap_or_default();
        values.reserve_exact(numbers);
        Table {
            names: Vec::new(),
            values,
        }
    }

    /// Begins the row of the run `index`. The first row also names the columns.
    pub(crate) fn begin_row(&mut self, index: usize) -> Row<'_> {
        Row {
            table: self,
            first: index == 0,
        }
    }

    pub(crate) fn row(&self, run: usize) -> &[f32] {
        let width = self.names.len();
        &self.values[run * width..(run + 1) * width]
    }
}

/// The row being filled.
pub(crate) struct Row<'t> {
    pub table: &'t mut Table,
    /// Whether the features' names are recorded, too.
    pub first: bool,
}

impl Row<'_> {
    #[inline]
    pub(crate) fn put(&mut self, name: &'static str, value: f32) {
        if self.first {
            self.table.names.push(name);
        }
        self.table.values.push(value);
    }

    #[inline]
    pub(super) fn flag(&mut self, name: &'static str, value: bool) {
        self.put(name, if value { 1.0 } else { 0.0 });
    }
}

/// The natural logarithm of one more than a length or count.
#[inline]
pub(super) fn log(weight: u32) -> f32 {
    /// Precomputed: a row has sixty logarithms, and most lengths and counts are small.
    static SMALL: LazyLock<Vec<f32>> = LazyLock::new(|| (0..2048).map(log_of).collect());
    match SMALL.get(weight as usize) {
        Some(&log) => log,
        None => log_of(weight),
    }
}

fn log_of(weight: u32) -> f32 {
    (1.0 + weight as f32).ln()
}

/// The logarithm of the distance from `other` to `index`, negative for a run before it; 20 where
/// there is no such run.
pub(super) fn signed_log_distance(index: usize, other: Option<usize>) -> f32 {
    match other {
        Some(other) => {
            let distance = index as f32 - other as f32;
            distance.signum() * (1.0 + distance.abs()).ln()
        }
        None => 20.0,
    }
}
