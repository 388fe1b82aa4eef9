//! The promises an instruction makes about its operands and result, as one bit set.

use std::fmt;
use std::ops::{BitAnd, BitOr, BitOrAssign};

/// A set of instruction flags. Which of them make sense depends on the opcode; the verifier checks.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Flags(u16);

macro_rules! flags {
    ($($(#[$doc:meta])* $name:ident = $bit:literal $text:literal,)*) => {
        impl Flags {
            $($(#[$doc])* pub const $name: Flags = Flags(1 << $bit);)*

            /// Every flag with its keyword, in the order the text form writes them.
            pub const ALL: &'static [(Flags, &'static str)] = &[$((Flags::$name, $text),)*];
        }
    };
}

flags! {
    /// No unsigned wrap.
    NUW = 0 "nuw",
    /// No signed wrap.
    NSW = 1 "nsw",
    /// The division or shift leaves no rest.
    EXACT = 2 "exact",
    /// The operands of the `or` share no set bit.
    DISJOINT = 3 "disjoint",
    /// The operand of the conversion is not negative.
    NNEG = 4 "nneg",
    /// Both operands of the comparison have the same sign.
    SAMESIGN = 5 "samesign",
    /// The address stays within the object.
    INBOUNDS = 6 "inbounds",
    /// The offset does not wrap, signed on the unsigned address.
    NUSW = 7 "nusw",
    /// May be reassociated.
    REASSOC = 8 "reassoc",
    /// No NaN.
    NNAN = 9 "nnan",
    /// No infinity.
    NINF = 10 "ninf",
    /// The sign of zero does not matter.
    NSZ = 11 "nsz",
    /// May use a reciprocal.
    ARCP = 12 "arcp",
    /// May be fused.
    CONTRACT = 13 "contract",
    /// May be approximated.
    AFN = 14 "afn",
}

impl Flags {
    /// No flag.
    pub const NONE: Flags = Flags(0);
    /// All seven fast-math flags.
    pub const FAST: Flags = Flags(0x7f00);

    /// The set as bits, in the order of [`Flags::ALL`].
    pub const fn bits(self) -> u16 {
        self.0
    }

    /// The set with these bits; unknown bits are dropped.
    pub const fn from_bits(bits: u16) -> Flags {
        Flags(bits & 0x7fff)
    }

    /// Whether all flags of `other` are set.
    pub const fn contains(self, other: Flags) -> bool {
        self.0 & other.0 == other.0
    }

    /// Whether no flag is set.
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// The flag with this keyword; `fast` is all fast-math flags.
    pub fn from_name(text: &str) -> Option<Flags> {
        if text == "fast" {
            return Some(Flags::FAST);
        }
        Flags::ALL.iter().find(|(_, name)| *name == text).map(|&(flag, _)| flag)
    }

    /// This set without the flags of `other`.
    pub const fn without(self, other: Flags) -> Flags {
        Flags(self.0 & !other.0)
    }
}

impl BitOr for Flags {
    type Output = Flags;
    fn bitor(self, rhs: Flags) -> Flags {
        Flags(self.0 | rhs.0)
    }
}

impl BitOrAssign for Flags {
    fn bitor_assign(&mut self, rhs: Flags) {
        self.0 |= rhs.0;
    }
}

impl BitAnd for Flags {
    type Output = Flags;
    fn bitand(self, rhs: Flags) -> Flags {
        Flags(self.0 & rhs.0)
    }
}

/// The keywords, each followed by a space.
impl fmt::Display for Flags {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut rest = *self;
        if rest.contains(Flags::FAST) {
            f.write_str("fast ")?;
            rest = rest.without(Flags::FAST);
        }
        for &(flag, name) in Flags::ALL {
            if rest.contains(flag) {
                write!(f, "{name} ")?;
            }
        }
        Ok(())
    }
}

impl fmt::Debug for Flags {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{self}")
    }
}
