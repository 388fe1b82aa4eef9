//! The basic divergence lattice: ⊥ ⊏ uniform ⊏ varying (001 Fig. 6.1).

use super::Lattice;
use std::fmt;

/// A shape of the basic lattice.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Basic {
    /// ⊥: no value was seen.
    Bottom,
    /// u: the same on all threads.
    Uniform,
    /// v: anything.
    Varying,
}

impl Lattice for Basic {
    const NAME: &'static str = "basic";

    fn bottom() -> Self {
        Basic::Bottom
    }

    fn uniform() -> Self {
        Basic::Uniform
    }

    fn varying() -> Self {
        Basic::Varying
    }

    fn is_bottom(&self) -> bool {
        *self == Basic::Bottom
    }

    fn is_uniform(&self) -> bool {
        *self != Basic::Varying
    }

    fn join(&mut self, other: &Self) {
        *self = (*self).max(*other);
    }

    fn scatter(&self) -> Self {
        if self.is_bottom() { Basic::Bottom } else { Basic::Varying }
    }

    fn holds(&self, _bits: Option<u32>, lanes: &[Option<u128>]) -> bool {
        let mut seen = lanes.iter().flatten();
        match self {
            Basic::Bottom => seen.next().is_none(),
            Basic::Uniform => seen.next().is_none_or(|first| seen.all(|value| value == first)),
            Basic::Varying => true,
        }
    }
}

impl fmt::Display for Basic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Basic::Bottom => "⊥",
            Basic::Uniform => "u",
            Basic::Varying => "v",
        })
    }
}
