//! A batch of work over all cores, the results in the batch's order.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::thread::Builder;

/// Stack of a worker: room for the parser's own recursion, as in a crawl.
const STACK_BYTES: usize = 4 << 20;

/// Does `work` for each item. An item whose work panics has `None`: one page costs one page.
///
/// # Errors
/// When the system has no thread to give.
pub fn map<I: Sync, O: Send>(
    items: &[I],
    work: impl Fn(&I) -> O + Sync,
) -> std::io::Result<Vec<Option<O>>> {
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    let next = AtomicUsize::new(0);
    let results: Vec<Mutex<Option<O>>> = items.iter().map(|_| Mutex::new(None)).collect();
    let worker = || {
        loop {
            let at = next.fetch_add(1, Ordering::Relaxed);
            let (Some(item), Some(slot)) = (items.get(at), results.get(at)) else {
                break;
            };
            let done = catch_unwind(AssertUnwindSafe(|| work(item))).ok();
            *slot.lock().unwrap_or_else(PoisonError::into_inner) = done;
        }
    };
    std::thread::scope(|scope| {
        (0..threads.min(items.len())).try_for_each(|_| {
            let builder = Builder::new().stack_size(STACK_BYTES);
            builder.spawn_scoped(scope, worker).map(drop)
        })
    })?;
    let slots = results.into_iter();
    Ok(slots
        .map(|slot| slot.into_inner().unwrap_or_else(PoisonError::into_inner))
        .collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_stand_in_the_order_of_the_items() {
        let items: Vec<u64> = (0..500).collect();
        let squares = map(&items, |item| item * item).unwrap();
        assert!(squares.iter().zip(&items).all(|(s, i)| *s == Some(i * i)));
        assert!(map(&[] as &[u64], |item| *item).unwrap().is_empty());
    }

    #[test]
    fn a_panic_costs_one_item() {
        let done = map(&[1, 0, 2], |item| 10 / item).unwrap();
        assert_eq!(done, [Some(10), None, Some(5)]);
    }
}
