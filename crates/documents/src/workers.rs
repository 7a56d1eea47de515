//! A batch of work over all cores, the results in the batch's order.

use std::panic::{AssertUnwindSafe, catch_unwind};

use rayon::prelude::*;
use rayon::{ThreadPool, ThreadPoolBuildError, ThreadPoolBuilder};

/// Stack of a worker: room for the parser's own recursion, as in a crawl.
const STACK_BYTES: usize = 4 << 20;

/// The system has no threads to give.
#[derive(Debug, thiserror::Error)]
#[error("start a thread for each core")]
pub struct NoThreads(#[source] ThreadPoolBuildError);

/// As many threads as there are cores.
#[derive(Debug)]
pub struct Workers(ThreadPool);

impl Workers {
    /// Starts the threads, which wait for work.
    ///
    /// # Errors
    /// When the system has none to give.
    pub fn new() -> Result<Workers, NoThreads> {
        let pool = ThreadPoolBuilder::new().stack_size(STACK_BYTES).build();
        pool.map(Workers).map_err(NoThreads)
    }

    /// Does `work` for each item. An item whose work panics has `None`: one page costs one page.
    pub fn map<I: Sync, O: Send>(
        &self,
        items: &[I],
        work: impl Fn(&I) -> O + Sync,
    ) -> Vec<Option<O>> {
        let work = |item| catch_unwind(AssertUnwindSafe(|| work(item))).ok();
        // One item at a time: a long document must not hold up a short one that waits behind it.
        let items = items.par_iter().with_max_len(1);
        self.0.install(|| items.map(work).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_stand_in_the_order_of_the_items() {
        let workers = Workers::new().unwrap();
        let items: Vec<u64> = (0..500).collect();
        let squares = workers.map(&items, |item| item * item);
        assert!(squares.iter().zip(&items).all(|(s, i)| *s == Some(i * i)));
        assert!(workers.map(&[] as &[u64], |item| *item).is_empty());
    }

    #[test]
    fn a_panic_costs_one_item() {
        let workers = Workers::new().unwrap();
        let done = workers.map(&[1, 0, 2], |item| 10 / item);
        assert_eq!(done, [Some(10), None, Some(5)]);
    }
}
