//! A priority queue of small integers.
//!
//! A bit per index, a bit per word of those, and so on up to a single word. Four levels are enough
//! for sixteen million indices, so each operation is a handful of word operations. An index is in
//! the queue at most once.

/// A set of indices from which the least or the greatest can be taken.
#[derive(Clone, Debug, Default)]
pub struct IndexQueue {
    /// `levels[k + 1]` has a bit for each word of `levels[k]` that is not zero.
    levels: Vec<Vec<u64>>,
    /// How many of them the indices need. Only the first word of the last one is in use.
    depth: usize,
}

impl IndexQueue {
    /// An empty queue for indices below `n`.
    pub fn new(n: usize) -> IndexQueue {
        let mut queue = IndexQueue::default();
        queue.reserve(n);
        queue
    }

    /// Makes room for indices below `n`. The queue must be empty.
    pub fn reserve(&mut self, n: usize) {
        let mut words = n.div_ceil(64).max(1);
        self.depth = 1;
        let room = self.levels.first().is_some_and(|level| words <= level.len());
        if !room {
            self.levels.clear();
            self.levels.push(vec![0; words]);
        }
        while words > 1 {
            words = words.div_ceil(64);
            self.depth += 1;
            if !room {
                self.levels.push(vec![0; words]);
            }
        }
    }

    /// The levels that are in use.
    #[inline]
    fn levels(&self) -> &[Vec<u64>] {
        &self.levels[..self.depth]
    }

    /// Whether no index is in it.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.levels().last().is_none_or(|words| words[0] == 0)
    }

    /// Puts an index in, if it is not there yet.
    #[inline]
    pub fn insert(&mut self, index: usize) {
        let mut at = index;
        for level in &mut self.levels[..self.depth] {
            let word = &mut level[at / 64];
            let was = std::mem::replace(word, *word | 1 << (at % 64));
            if was != 0 {
                return;
            }
            at /= 64;
        }
    }

    /// The least index.
    #[inline]
    pub fn first(&self) -> Option<usize> {
        if self.is_empty() {
            return None;
        }
        let below =
            |index: usize, level: &Vec<u64>| index * 64 + level[index].trailing_zeros() as usize;
        Some(self.levels().iter().rev().fold(0, below))
    }

    /// Takes the least index out.
    #[inline]
    pub fn pop_first(&mut self) -> Option<usize> {
        self.pop(|word| word.trailing_zeros())
    }

    /// Takes the greatest index out.
    #[inline]
    pub fn pop_last(&mut self) -> Option<usize> {
        self.pop(|word| 63 - word.leading_zeros())
    }

    #[inline]
    fn pop(&mut self, choose: impl Fn(u64) -> u32) -> Option<usize> {
        if self.levels().last()?[0] == 0 {
            return None;
        }
        let mut index = 0;
        for level in self.levels().iter().rev() {
            index = index * 64 + choose(level[index]) as usize;
        }
        let mut at = index;
        for level in &mut self.levels[..self.depth] {
            let word = &mut level[at / 64];
            *word &= !(1 << (at % 64));
            if *word != 0 {
                break;
            }
            at /= 64;
        }
        Some(index)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::generate::Rng;
    use std::collections::BTreeSet;

    #[test]
    fn behaves_like_an_ordered_set() {
        let mut rng = Rng::new(11);
        let mut queue = IndexQueue::default();
        assert_eq!(queue.pop_first(), None);
        for n in [1, 64, 65, 4097, 300_000] {
            queue.reserve(n);
            let mut set = BTreeSet::new();
            for _ in 0..2000 {
                assert_eq!(queue.first(), set.first().copied());
                match rng.below(4) {
                    0 => assert_eq!(queue.pop_first(), set.pop_first()),
                    1 => assert_eq!(queue.pop_last(), set.pop_last()),
                    _ => {
                        let index = rng.below(n);
                        queue.insert(index);
                        set.insert(index);
                    }
                }
            }
            while let Some(index) = queue.pop_last() {
                assert_eq!(Some(index), set.pop_last());
            }
            assert!(set.is_empty() && queue.is_empty());
        }
    }
}
