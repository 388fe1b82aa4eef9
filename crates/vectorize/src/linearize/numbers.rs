//! Sets of numbers that share memory: a copy costs nothing, and the union of two sets only looks at where they differ.
//!
//! Big-endian Patricia trees: Okasaki and Gill, *Fast Mergeable Integer Maps* (ML 1998).

use std::rc::Rc;

/// A set of numbers below 2³¹.
#[derive(Clone, Default)]
pub(super) struct Numbers(Option<Rc<Tree>>);

enum Tree {
    One(u32),
    /// Numbers that agree above a bit, which is set in the higher ones.
    Two {
        /// What they agree in; the bit and those below it are zero.
        prefix: u32,
        bit: u32,
        low: Rc<Tree>,
        high: Rc<Tree>,
    },
}

impl Tree {
    /// A number that agrees with all of them above the bit in which they differ.
    fn key(&self) -> u32 {
        match *self {
            Tree::One(number) => number,
            Tree::Two { prefix, .. } => prefix,
        }
    }
}

impl Numbers {
    pub(super) fn insert(&mut self, number: usize) {
        assert!(number < 1 << 31, "number out of range");
        self.extend(&Numbers(Some(Rc::new(Tree::One(number as u32)))));
    }

    /// Adds the numbers of another set.
    pub(super) fn extend(&mut self, other: &Numbers) {
        self.0 = match (&self.0, &other.0) {
            (Some(a), Some(b)) => Some(union(a, b)),
            (one, None) | (None, one) => one.clone(),
        };
    }

    /// Takes out the smallest.
    pub(super) fn pop_first(&mut self) -> Option<usize> {
        let (first, rest) = pop_first(self.0.as_ref()?);
        self.0 = rest;
        Some(first as usize)
    }
}

fn above(bit: u32) -> u32 {
    !((bit << 1) - 1)
}

fn union(a: &Rc<Tree>, b: &Rc<Tree>) -> Rc<Tree> {
    if Rc::ptr_eq(a, b) {
        return a.clone();
    }
    match (&**a, &**b) {
        (Tree::One(x), Tree::One(y)) if x == y => a.clone(),
        (
            Tree::Two { prefix, bit, low, high },
            Tree::Two { prefix: p, bit: q, low: l, high: h },
        ) if (prefix, bit) == (p, q) => {
            let (new_low, new_high) = (union(low, l), union(high, h));
            if Rc::ptr_eq(&new_low, l) && Rc::ptr_eq(&new_high, h) {
                return b.clone();
            }
            with_parts(a, new_low, new_high)
        }
        (&Tree::Two { prefix, bit, .. }, _) if is_part(b, prefix, bit) => add(a, b),
        (_, &Tree::Two { prefix, bit, .. }) if is_part(a, prefix, bit) => add(b, a),
        _ => {
            let (x, y) = (a.key(), b.key());
            let bit = 1 << (31 - (x ^ y).leading_zeros());
            let (low, high) = if x < y { (a, b) } else { (b, a) };
            Rc::new(Tree::Two { prefix: x & above(bit), bit, low: low.clone(), high: high.clone() })
        }
    }
}

/// Whether the numbers of a tree agree with a prefix, and with each other in the bit below it.
fn is_part(tree: &Tree, prefix: u32, bit: u32) -> bool {
    let smaller = match *tree {
        Tree::One(_) => true,
        Tree::Two { bit: own, .. } => own < bit,
    };
    smaller && tree.key() & above(bit) == prefix
}

/// Adds a tree that belongs into one of the halves.
fn add(whole: &Rc<Tree>, part: &Rc<Tree>) -> Rc<Tree> {
    let Tree::Two { bit, low, high, .. } = &**whole else { unreachable!("it has halves") };
    match part.key() & bit == 0 {
        true => with_parts(whole, union(low, part), high.clone()),
        false => with_parts(whole, low.clone(), union(high, part)),
    }
}

/// The tree with other halves; the same tree if they are the same.
fn with_parts(tree: &Rc<Tree>, new_low: Rc<Tree>, new_high: Rc<Tree>) -> Rc<Tree> {
    let Tree::Two { prefix, bit, low, high } = &**tree else { unreachable!("it has halves") };
    if Rc::ptr_eq(low, &new_low) && Rc::ptr_eq(high, &new_high) {
        return tree.clone();
    }
    Rc::new(Tree::Two { prefix: *prefix, bit: *bit, low: new_low, high: new_high })
}

fn pop_first(tree: &Rc<Tree>) -> (u32, Option<Rc<Tree>>) {
    match &**tree {
        Tree::One(number) => (*number, None),
        Tree::Two { low, high, .. } => {
            let (first, rest) = pop_first(low);
            let rest = rest.map_or_else(|| high.clone(), |low| with_parts(tree, low, high.clone()));
            (first, Some(rest))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Numbers;
    use std::collections::BTreeSet;

    #[test]
    fn sets_are_those_of_the_library() {
        let mut state = 1u32;
        let mut random = |below: u32| {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (state >> 8) % below
        };
        let mut pairs = vec![(Numbers::default(), BTreeSet::new()); 8];
        for _ in 0..20_000 {
            let [from, to] = [0; 2].map(|_| random(8) as usize);
            match random(6) {
                0 | 1 => {
                    let below = if random(9) == 0 { 1 << 23 } else { 50 };
                    let number = random(below) as usize;
                    pairs[to].0.insert(number);
                    pairs[to].1.insert(number);
                }
                2 => pairs[to] = pairs[from].clone(),
                3 => {
                    let (numbers, set) = pairs[from].clone();
                    pairs[to].0.extend(&numbers);
                    pairs[to].1.extend(set);
                }
                _ => assert_eq!(pairs[to].0.pop_first(), pairs[to].1.pop_first()),
            }
        }
        for (mut numbers, set) in pairs {
            let all: Vec<usize> = std::iter::from_fn(|| numbers.pop_first()).collect();
            assert_eq!(all, set.into_iter().collect::<Vec<_>>());
        }
    }
}
