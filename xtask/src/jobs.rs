//! Independent pieces of work on as many threads as there are processors.

use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::run::{Failure, Result};

/// Does `work` for every item, in order of the slice as far as threads allow, and returns the results in that order.
/// The first failure keeps further items from being started.
pub(crate) fn each<T: Sync, R: Send>(
    items: &[T],
    work: impl Fn(&T) -> Result<R> + Sync,
) -> Result<Vec<R>> {
    let threads = std::thread::available_parallelism().map_or(2, usize::from).min(items.len());
    let next = AtomicUsize::new(0);
    let done = Mutex::new(Vec::with_capacity(items.len()));
    let failed: Mutex<Option<Failure>> = Mutex::new(None);
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                loop {
                    let index = next.fetch_add(1, Ordering::Relaxed);
                    let Some(item) = items.get(index).filter(|_| lock(&failed).is_none()) else {
                        return;
                    };
                    match work(item) {
                        Ok(result) => lock(&done).push((index, result)),
                        Err(failure) => {
                            lock(&failed).get_or_insert(failure);
                        }
                    }
                }
            });
        }
    });
    if let Some(failure) = lock(&failed).take() {
        return Err(failure);
    }
    let mut done = std::mem::take(&mut *lock(&done));
    done.sort_by_key(|(index, _)| *index);
    Ok(done.into_iter().map(|(_, result)| result).collect())
}

/// A thread that panicked leaves nothing half done behind these locks.
fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::each;
    use crate::run::Failure;

    #[test]
    fn results_keep_the_order_of_the_items() {
        let squares = each(&[3, 1, 2], |n| Ok(n * n));
        assert_eq!(squares.ok(), Some(vec![9, 1, 4]));
        assert!(
            each(&[1, 2], |n| if *n == 2 { Err(Failure::step("two")) } else { Ok(()) }).is_err()
        );
    }
}
