//! Sets of small numbers: a sorted list while small, bits from then on. Which of the two depends on the content only, so
//! equal sets compare equal.

/// A set of numbers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Set {
    repr: Repr,
    len: usize,
}

#[derive(Clone, Debug)]
enum Repr {
    Few(Vec<u32>),
    Bits(Vec<u64>),
}

/// The largest sorted list.
const FEW: usize = 16;

impl PartialEq for Repr {
    fn eq(&self, other: &Repr) -> bool {
        match (self, other) {
            (Repr::Few(a), Repr::Few(b)) => a == b,
            (Repr::Bits(a), Repr::Bits(b)) => {
                let shared = a.len().min(b.len());
                let zero = |words: &[u64]| words.iter().all(|word| *word == 0);
                a[..shared] == b[..shared] && zero(&a[shared..]) && zero(&b[shared..])
            }
            _ => false,
        }
    }
}

impl Eq for Repr {}

impl Default for Set {
    fn default() -> Set {
        Set { repr: Repr::Few(Vec::new()), len: 0 }
    }
}

impl FromIterator<u32> for Set {
    fn from_iter<I: IntoIterator<Item = u32>>(all: I) -> Set {
        let mut set = Set::default();
        for value in all {
            set.insert(value);
        }
        set
    }
}

impl Set {
    /// How many numbers there are.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// The set whose bits these are.
    pub fn from_words(words: &[u64]) -> Set {
        let len = words.iter().map(|word| word.count_ones() as usize).sum();
        if len > FEW {
            return Set { repr: Repr::Bits(words.to_vec()), len };
        }
        let all = words
            .iter()
            .enumerate()
            .flat_map(|(at, word)| bits(*word).map(move |bit| at as u32 * 64 + bit));
        Set { repr: Repr::Few(all.collect()), len }
    }

    /// Whether a number is in it.
    pub fn contains(&self, value: u32) -> bool {
        match &self.repr {
            Repr::Few(all) => all.binary_search(&value).is_ok(),
            Repr::Bits(words) => {
                words.get(value as usize / 64).is_some_and(|word| word >> (value % 64) & 1 == 1)
            }
        }
    }

    /// Adds a number; whether it is new.
    pub fn insert(&mut self, value: u32) -> bool {
        match &mut self.repr {
            Repr::Few(all) => {
                let Err(at) = all.binary_search(&value) else { return false };
                if all.len() < FEW {
                    all.insert(at, value);
                } else {
                    let mut words = Vec::new();
                    for value in all.iter().chain([&value]) {
                        set_bit(&mut words, *value);
                    }
                    self.repr = Repr::Bits(words);
                }
            }
            Repr::Bits(words) => {
                if !set_bit(words, value) {
                    return false;
                }
            }
        }
        self.len += 1;
        true
    }

    /// Adds another set, and what is new of it to a third. Whether anything is new.
    pub fn absorb(&mut self, other: &Set, new: &mut Set) -> bool {
        let before = self.len;
        match &other.repr {
            Repr::Few(all) => all.iter().for_each(|value| {
                if self.insert(*value) {
                    new.insert(*value);
                }
            }),
            Repr::Bits(theirs) => {
                let mine = self.spread(theirs.len());
                if !any_new(mine, theirs) {
                    return false;
                }
                let added = new.spread(theirs.len());
                let (mut count, mut gained) = (0, 0);
                for ((mine, theirs), added) in mine.iter_mut().zip(theirs).zip(added) {
                    let fresh = theirs & !*mine;
                    count += fresh.count_ones() as usize;
                    gained += (fresh & !*added).count_ones() as usize;
                    *mine |= fresh;
                    *added |= fresh;
                }
                self.len += count;
                new.len += gained;
                new.shrink();
            }
        }
        self.len > before
    }

    /// Adds another set.
    pub fn unite(&mut self, other: &Set) {
        match &other.repr {
            Repr::Few(all) => all.iter().for_each(|value| {
                self.insert(*value);
            }),
            Repr::Bits(theirs) => {
                let mine = self.spread(theirs.len());
                if !any_new(mine, theirs) {
                    return;
                }
                let mut gained = 0;
                for (mine, theirs) in mine.iter_mut().zip(theirs) {
                    gained += (theirs & !*mine).count_ones() as usize;
                    *mine |= theirs;
                }
                self.len += gained;
            }
        }
    }

    /// Becomes bits, at least so many words of them, since many are added.
    fn spread(&mut self, words: usize) -> &mut [u64] {
        if let Repr::Few(all) = &self.repr {
            let mut bits = vec![0; words];
            all.iter().for_each(|value| {
                set_bit(&mut bits, *value);
            });
            self.repr = Repr::Bits(bits);
        }
        match &mut self.repr {
            Repr::Bits(bits) => {
                if bits.len() < words {
                    bits.resize(words, 0);
                }
                bits
            }
            Repr::Few(_) => &mut [],
        }
    }

    fn shrink(&mut self) {
        if self.len <= FEW
            && let Repr::Bits(words) = &self.repr
        {
            *self = Set::from_words(words);
        }
    }

    /// Does something with each number, in order.
    pub(super) fn each(&self, mut f: impl FnMut(u32)) {
        match &self.repr {
            Repr::Few(all) => all.iter().copied().for_each(f),
            Repr::Bits(words) => {
                for (at, word) in words.iter().enumerate() {
                    bits(*word).for_each(|bit| f(at as u32 * 64 + bit));
                }
            }
        }
    }

    /// The numbers, in order.
    pub fn iter(&self) -> Box<dyn Iterator<Item = u32> + '_> {
        match &self.repr {
            Repr::Few(all) => Box::new(all.iter().copied()),
            Repr::Bits(words) => Box::new(
                words
                    .iter()
                    .enumerate()
                    .flat_map(|(at, word)| bits(*word).map(move |bit| at as u32 * 64 + bit)),
            ),
        }
    }
}

/// Whether the second has bits that the first has not. Mostly it has none; looking at all words without stopping early runs on whole
/// vectors.
fn any_new(mine: &[u64], theirs: &[u64]) -> bool {
    mine.iter().zip(theirs).fold(0, |all, (mine, theirs)| all | theirs & !mine) != 0
}

fn set_bit(words: &mut Vec<u64>, value: u32) -> bool {
    let at = value as usize / 64;
    if words.len() <= at {
        words.resize(at + 1, 0);
    }
    let bit = 1 << (value % 64);
    let new = words[at] & bit == 0;
    words[at] |= bit;
    new
}

/// The numbers of the bits of a word.
pub(super) fn bits(mut word: u64) -> impl Iterator<Item = u32> {
    std::iter::from_fn(move || {
        let bit = word.trailing_zeros();
        if word == 0 {
            return None;
        }
        word &= word - 1;
        Some(bit)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn small_and_large_sets() {
        for count in [0, 1, FEW, FEW + 1, 200] {
            let set: Set = (0..count as u32).map(|i| i * 3).collect();
            assert_eq!(set.len(), count);
            assert!((0..count as u32).all(|i| set.contains(i * 3) && !set.contains(i * 3 + 1)));
            let mut each = Vec::new();
            set.each(|value| each.push(value));
            assert_eq!(each, set.iter().collect::<Vec<_>>());
            let mut words = vec![0; 20];
            for value in set.iter() {
                set_bit(&mut words, value);
            }
            assert_eq!(Set::from_words(&words), set);
            for more in [1, FEW, 300] {
                let other: Set = (0..more as u32).map(|i| i * 2).collect();
                let (mut both, mut new) = (set.clone(), Set::default());
                both.absorb(&other, &mut new);
                assert_eq!(both, set.iter().chain(other.iter()).collect());
                let mut united = set.clone();
                united.unite(&other);
                assert_eq!(united, both);
                assert_eq!(new, other.iter().filter(|v| !set.contains(*v)).collect());
            }
        }
    }
}
