//! How the threads of a warp access memory together.

use lw_divergence::{Affine, Basic, Lattice, Stride};
use std::fmt;

/// What the addresses of an access have to do with each other.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum Pattern {
    /// All threads access the same place.
    Uniform,
    /// Neighbours access neighbouring places.
    Contiguous,
    /// Neighbours are so many bytes apart.
    Strided(i64),
    /// Each thread goes somewhere.
    Gather,
}

/// A pattern, and for whom it holds.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) struct Class {
    pub(super) pattern: Pattern,
    /// Only for threads of the same row of a block (the same y and z).
    pub(super) in_rows: bool,
}

impl Class {
    pub(super) const UNIFORM: Class = Class { pattern: Pattern::Uniform, in_rows: false };
    const GATHER: Class = Class { pattern: Pattern::Gather, in_rows: false };

    fn of_stride(stride: i64, bytes: u64, in_rows: bool) -> Class {
        let pattern = match stride {
            0 => Pattern::Uniform,
            s if s.unsigned_abs() == bytes => Pattern::Contiguous,
            s => Pattern::Strided(s),
        };
        Class { pattern, in_rows }
    }

    /// One word, for counting and for programs.
    pub(super) fn word(self) -> &'static str {
        match self.pattern {
            Pattern::Uniform => "uniform",
            Pattern::Contiguous => "contiguous",
            Pattern::Strided(_) => "strided",
            Pattern::Gather => "gather",
        }
    }
}

impl fmt::Display for Class {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.pattern {
            Pattern::Strided(bytes) => write!(f, "strided by {bytes} bytes")?,
            _ => f.write_str(self.word())?,
        }
        if self.in_rows { f.write_str(" along x") } else { Ok(()) }
    }
}

/// Lattices whose shapes of addresses say something about accesses.
pub(super) trait Addresses: Lattice {
    /// The class of an access of so many bytes at addresses of this shape.
    fn class(&self, bytes: u64) -> Class;

    /// Whether neighbouring threads are a known distance apart.
    fn has_stride(&self) -> bool;
}

impl Addresses for Basic {
    fn class(&self, _bytes: u64) -> Class {
        if self.is_uniform() { Class::UNIFORM } else { Class::GATHER }
    }

    fn has_stride(&self) -> bool {
        false
    }
}

impl Addresses for Stride {
    fn class(&self, bytes: u64) -> Class {
        match self.stride() {
            _ if self.is_uniform() => Class::UNIFORM,
            Some(stride) => Class::of_stride(stride, bytes, false),
            None => Class::GATHER,
        }
    }

    fn has_stride(&self) -> bool {
        self.stride().is_some()
    }
}

impl<const DEGREE: u32> Addresses for Affine<DEGREE> {
    fn class(&self, bytes: u64) -> Class {
        let [x, y, z] = [0, 1, 2].map(|dimension| self.slope(dimension));
        let in_rows = y != Some(0) || z != Some(0);
        match x {
            _ if self.is_uniform() => Class::UNIFORM,
            Some(stride) => Class::of_stride(stride, bytes, in_rows),
            None => Class::GATHER,
        }
    }

    fn has_stride(&self) -> bool {
        self.slope(0).is_some()
    }
}

#[cfg(test)]
mod tests {
    use super::{Addresses, Class, Pattern};
    use lw_divergence::{Affine, Lattice, Stride};

    #[test]
    fn classes() {
        let of = |stride, bytes| Stride::exact(64, stride, 4).class(bytes).pattern;
        assert_eq!(of(0, 4), Pattern::Uniform);
        assert_eq!(of(4, 4), Pattern::Contiguous);
        assert_eq!(of(-8, 8), Pattern::Contiguous);
        assert_eq!(of(12, 4), Pattern::Strided(12));
        assert_eq!(Stride::varying().class(4), Class::GATHER);
        let row = Affine::<2>::strided(64, 4, 1, false, None);
        assert_eq!(row.class(4).to_string(), "contiguous");
        let y = Affine::<2>::thread(1);
        assert_eq!(y.class(4).to_string(), "uniform along x");
        assert_eq!(Affine::<2>::varying().class(4).to_string(), "gather");
    }
}
