//! A set of small numbers that yields its least or greatest first.

/// Bits in words, words summarized in words, up to one word: every operation touches one word per level.
#[derive(Clone, Debug, Default)]
pub(crate) struct Worklist {
    levels: Vec<Vec<u64>>,
}

impl Worklist {
    /// An empty set of numbers below `n`.
    pub(crate) fn new(n: usize) -> Worklist {
        let mut levels = Vec::new();
        let mut words = n.max(1);
        loop {
            words = words.div_ceil(64);
            levels.push(vec![0; words]);
            if words == 1 {
                return Worklist { levels };
            }
        }
    }

    #[inline]
    pub(crate) fn insert(&mut self, index: usize) {
        let mut at = index;
        for level in &mut self.levels {
            let word = &mut level[at / 64];
            let was = std::mem::replace(word, *word | 1 << (at % 64));
            if was != 0 {
                return;
            }
            at /= 64;
        }
    }

    #[inline]
    pub(crate) fn pop_first(&mut self) -> Option<usize> {
        self.pop(|word| word.trailing_zeros())
    }

    #[inline]
    pub(crate) fn pop_last(&mut self) -> Option<usize> {
        self.pop(|word| 63 - word.leading_zeros())
    }

    #[inline]
    fn pop(&mut self, choose: impl Fn(u64) -> u32) -> Option<usize> {
        if self.levels.last()?[0] == 0 {
            return None;
        }
        let mut index = 0;
        for level in self.levels.iter().rev() {
            index = index * 64 + choose(level[index]) as usize;
        }
        let mut at = index;
        for level in &mut self.levels {
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
