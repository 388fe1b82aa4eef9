//! One analysis on many programs, on several threads.
//!
//! Functions are analysed apart from each other, so a module is done in as many parts as there are cores. Each thread takes
//! the next program when it is done with one, large ones first, and uses its memory again. The results do not depend on
//! how many threads there are.

use crate::analysis::Analysis;
use crate::engine::{Options, Solution};
use crate::program::Program;
use crate::solver::Solver;
use crate::view::View;
use std::cmp::Reverse;
use std::num::NonZeroUsize;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, OnceLock, PoisonError};

/// Solves an analysis on each of some programs and hands the solutions to `finish`, on so many threads. The results are in
/// the order of the programs.
///
/// ```
/// use lw_sparse::{Options, Program, analyses::Ranges, solve_each};
/// use std::num::NonZeroUsize;
///
/// let text = "func @f(i8 %x) -> i8 { entry:  %y = lshr i8 %x, 4  ret i8 %y }";
/// let functions = [lw_ir::parse_function(text).unwrap()];
/// let two = NonZeroUsize::new(2).unwrap();
/// let versions = solve_each(&functions, two, Options::WIDENING, |_| Ranges, |_, view, ranges| {
///     view.versions().map(|version| ranges.of(version).clone()).collect::<Vec<_>>()
/// });
/// assert_eq!(versions[0][0].as_ref().unwrap().uhi(), 15);
/// ```
pub fn solve_each<P, A, R>(
    programs: &[P],
    threads: NonZeroUsize,
    options: Options,
    analysis: impl Fn(&P) -> A + Sync,
    finish: impl Fn(&P, &View, &Solution<A::Domain>) -> R + Sync,
) -> Vec<R>
where
    P: Program + Sync,
    A: Analysis<P>,
    R: Send,
{
    let one = |solver: &mut Solver<A::Domain>, program: &P| {
        let (view, solution) = solver.solve(program, &mut analysis(program), options);
        finish(program, view, solution)
    };
    // Of this, unlike of instructions, nothing has to be counted.
    for_each(programs, threads, P::variable_count, one)
}

/// As many threads as this machine runs at once.
pub fn all_cores() -> NonZeroUsize {
    std::thread::available_parallelism().unwrap_or(NonZeroUsize::MIN)
}

/// Does something with each item of a list, on so many threads: those of the greatest `size` first. What a thread keeps, such as
/// memory to be used again, starts as its default. The results are in the order of the list.
///
/// ```
/// use lw_sparse::{all_cores, for_each};
///
/// let words = ["one", "three", "two"];
/// let lengths = for_each(&words, all_cores(), |word| word.len(), |_: &mut (), word| word.len());
/// assert_eq!(lengths, [3, 5, 3]);
/// ```
pub fn for_each<T, S, R>(
    items: &[T],
    threads: NonZeroUsize,
    size: impl Fn(&T) -> usize,
    one: impl Fn(&mut S, &T) -> R + Sync,
) -> Vec<R>
where
    T: Sync,
    S: Default,
    R: Send,
{
    let threads = threads.get().min(items.len());
    if threads <= 1 {
        let mut kept = S::default();
        return items.iter().map(|item| one(&mut kept, item)).collect();
    }
    // A thread takes its time to begin. Until then the order is found.
    let order = OnceLock::new();
    let next = AtomicUsize::new(0);
    let results = Mutex::new(Vec::with_capacity(threads));
    let work = || {
        let mut kept = S::default();
        let mut done = Vec::new();
        let order: &Vec<u32> = order.wait();
        while let Some(&i) = order.get(next.fetch_add(1, Ordering::Relaxed)) {
            done.push((i, one(&mut kept, &items[i as usize])));
        }
        results.lock().unwrap_or_else(PoisonError::into_inner).push(done);
    };
    std::thread::scope(|scope| {
        for _ in 1..threads {
            scope.spawn(work);
        }
        order.get_or_init(|| largest_first(items, size));
        work();
    });
    let mut slots: Vec<Option<R>> = Vec::new();
    slots.resize_with(items.len(), || None);
    for (i, result) in
        results.into_inner().unwrap_or_else(PoisonError::into_inner).into_iter().flatten()
    {
        slots[i as usize] = Some(result);
    }
    slots.into_iter().flatten().collect()
}

/// The indices of a list, those of the greatest items first.
fn largest_first<T>(items: &[T], size: impl Fn(&T) -> usize) -> Vec<u32> {
    let mut order: Vec<_> = (0..).zip(items).map(|(i, item)| (Reverse(size(item)), i)).collect();
    order.sort_unstable();
    order.into_iter().map(|(_, i)| i).collect()
}
