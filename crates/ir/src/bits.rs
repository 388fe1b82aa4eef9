//! Integers of any width as little-endian words.

use smallvec::{SmallVec, smallvec};

/// The bits of an integer or floating-point constant. The width is that of its type; bits above it are zero.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Bits(SmallVec<[u64; 2]>);

impl Bits {
    /// `value` cut to `width` bits.
    pub fn new(width: u32, value: u128) -> Bits {
        Bits::from_words(width, &[value as u64, (value >> 64) as u64])
    }

    /// `value` sign-extended or cut to `width` bits.
    pub fn from_signed(width: u32, value: i128) -> Bits {
        let fill = if value < 0 { u64::MAX } else { 0 };
        let mut words: SmallVec<[u64; 2]> = smallvec![fill; words_for(width).max(2)];
        words[0] = value as u64;
        words[1] = (value >> 64) as u64;
        Bits::from_words(width, &words)
    }

    /// The words (least significant first) cut or zero-extended to `width` bits.
    pub fn from_words(width: u32, words: &[u64]) -> Bits {
        let count = words_for(width);
        let mut all: SmallVec<[u64; 2]> =
            (0..count).map(|i| words.get(i).copied().unwrap_or(0)).collect();
        let spare = count as u32 * 64 - width;
        if let Some(last) = all.last_mut() {
            *last &= u64::MAX >> spare;
        }
        Bits(all)
    }

    /// The words, least significant first: as many as the width needs.
    pub fn words(&self) -> &[u64] {
        &self.0
    }

    /// The value as an unsigned number if it fits.
    pub fn to_u128(&self) -> Option<u128> {
        if self.0.iter().skip(2).any(|&w| w != 0) {
            return None;
        }
        let word = |i: usize| u128::from(self.0.get(i).copied().unwrap_or(0));
        Some(word(0) | word(1) << 64)
    }

    /// The value as an unsigned number if it fits.
    pub fn to_u64(&self) -> Option<u64> {
        self.to_u128()?.try_into().ok()
    }

    /// The value as a signed number of `width` bits if it fits.
    pub fn to_i128(&self, width: u32) -> Option<i128> {
        let bit = |i: u32| self.0[i as usize / 64] >> (i % 64) & 1 == 1;
        if width == 0 {
            return Some(0);
        }
        if width <= 128 {
            let shift = 128 - width;
            return Some((self.to_u128()? << shift) as i128 >> shift);
        }
        let negative = bit(width - 1);
        let spilled = (127..width).any(|i| bit(i) != negative);
        let low = u128::from(self.0[0]) | u128::from(self.0[1]) << 64;
        (!spilled).then_some(low as i128)
    }

    /// Whether all bits are zero.
    pub fn is_zero(&self) -> bool {
        self.0.iter().all(|&w| w == 0)
    }
}

fn words_for(width: u32) -> usize {
    width.div_ceil(64) as usize
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn signed_values_survive_any_width() {
        for width in [1, 7, 8, 63, 64, 65, 127, 128, 129, 200] {
            for v in [0i128, -1] {
                assert_eq!(Bits::from_signed(width, v).to_i128(width), Some(v), "i{width} {v}");
            }
        }
        assert_eq!(Bits::from_signed(200, i128::MIN).to_i128(200), Some(i128::MIN));
        assert_eq!(Bits::from_words(200, &[0, 0, 1]).to_i128(200), None);
        assert_eq!(Bits::new(4, 0xfff).to_u64(), Some(15));
    }
}
