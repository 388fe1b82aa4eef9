//! Integers of more than 128 bits: little-endian words, all of the same number.

use crate::bits::Bits;
use std::cmp::Ordering;

/// An integer of `width` bits; bits above it are zero.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Wide {
    pub(crate) width: u32,
    pub(crate) words: Vec<u64>,
}

impl Wide {
    pub(crate) fn new(width: u32, words: &[u64]) -> Wide {
        Wide { width, words: Bits::from_words(width, words).words().to_vec() }
    }

    pub(crate) fn from_u128(width: u32, value: u128) -> Wide {
        Wide::new(width, &[value as u64, (value >> 64) as u64])
    }

    pub(crate) fn bits(&self) -> Bits {
        Bits::from_words(self.width, &self.words)
    }

    pub(crate) fn to_u128(&self) -> Option<u128> {
        self.bits().to_u128()
    }

    pub(crate) fn bit(&self, index: u32) -> bool {
        self.words.get(index as usize / 64).is_some_and(|word| word >> (index % 64) & 1 == 1)
    }

    pub(crate) fn is_negative(&self) -> bool {
        self.width > 0 && self.bit(self.width - 1)
    }

    pub(crate) fn is_zero(&self) -> bool {
        self.words.iter().all(|&word| word == 0)
    }

    /// How many bits are needed to write it without leading zeros.
    pub(crate) fn length(&self) -> u32 {
        (0..self.width).rev().find(|&i| self.bit(i)).map_or(0, |i| i + 1)
    }

    pub(crate) fn not(&self) -> Wide {
        Wide::new(self.width, &self.words.iter().map(|word| !word).collect::<Vec<_>>())
    }

    pub(crate) fn zip(&self, other: &Wide, f: impl Fn(u64, u64) -> u64) -> Wide {
        let words: Vec<u64> = self.words.iter().zip(&other.words).map(|(&a, &b)| f(a, b)).collect();
        Wide::new(self.width, &words)
    }

    pub(crate) fn add(&self, other: &Wide) -> Wide {
        let mut carry = 0;
        let sum = |(&a, &b): (&u64, &u64)| {
            let total = u128::from(a) + u128::from(b) + carry;
            carry = total >> 64;
            total as u64
        };
        let words: Vec<u64> = self.words.iter().zip(&other.words).map(sum).collect();
        Wide::new(self.width, &words)
    }

    pub(crate) fn neg(&self) -> Wide {
        self.not().add(&Wide::from_u128(self.width, 1))
    }

    pub(crate) fn sub(&self, other: &Wide) -> Wide {
        self.add(&other.neg())
    }

    pub(crate) fn abs(&self) -> Wide {
        if self.is_negative() { self.neg() } else { self.clone() }
    }

    pub(crate) fn mul(&self, other: &Wide) -> Wide {
        let n = self.words.len();
        let mut out = vec![0u64; n];
        for (i, &a) in self.words.iter().enumerate() {
            let mut carry = 0u128;
            for (j, &b) in other.words.iter().enumerate().take(n - i) {
                let total = u128::from(a) * u128::from(b) + u128::from(out[i + j]) + carry;
                out[i + j] = total as u64;
                carry = total >> 64;
            }
        }
        Wide::new(self.width, &out)
    }

    /// Quotient and rest, unsigned. The divisor is not zero.
    pub(crate) fn div_rem(&self, other: &Wide) -> (Wide, Wide) {
        let mut quotient = Wide::from_u128(self.width, 0);
        // One more bit than the operands, since the rest is doubled before it is compared.
        let divisor = other.resize(self.width + 1, false);
        let mut rest = Wide::from_u128(self.width + 1, 0);
        for i in (0..self.length()).rev() {
            rest = rest.shl(1);
            rest.words[0] |= u64::from(self.bit(i));
            if rest.cmp_unsigned(&divisor) != Ordering::Less {
                rest = rest.sub(&divisor);
                quotient.words[i as usize / 64] |= 1 << (i % 64);
            }
        }
        (quotient, rest.resize(self.width, false))
    }

    pub(crate) fn shl(&self, by: u32) -> Wide {
        let (skip, bits) = (by as usize / 64, by % 64);
        let word = |i: usize| if i < skip { 0 } else { self.words[i - skip] };
        let words: Vec<u64> = (0..self.words.len())
            .map(|i| {
                let low = if bits == 0 || i == 0 { 0 } else { word(i - 1) >> (64 - bits) };
                word(i) << bits | low
            })
            .collect();
        Wide::new(self.width, &words)
    }

    pub(crate) fn lshr(&self, by: u32) -> Wide {
        let (skip, bits) = (by as usize / 64, by % 64);
        let word = |i: usize| self.words.get(i + skip).copied().unwrap_or(0);
        let words: Vec<u64> = (0..self.words.len())
            .map(|i| {
                let high = if bits == 0 { 0 } else { word(i + 1) << (64 - bits) };
                word(i) >> bits | high
            })
            .collect();
        Wide::new(self.width, &words)
    }

    pub(crate) fn ashr(&self, by: u32) -> Wide {
        if self.is_negative() { self.not().lshr(by).not() } else { self.lshr(by) }
    }

    pub(crate) fn cmp_unsigned(&self, other: &Wide) -> Ordering {
        self.words.iter().rev().cmp(other.words.iter().rev())
    }

    pub(crate) fn cmp_signed(&self, other: &Wide) -> Ordering {
        other.is_negative().cmp(&self.is_negative()).then_with(|| self.cmp_unsigned(other))
    }

    /// The same number with another width: cut, or extended by zeros or the sign.
    pub(crate) fn resize(&self, width: u32, signed: bool) -> Wide {
        let fill = if signed && self.is_negative() { u64::MAX } else { 0 };
        let mut words = self.words.clone();
        if let (u64::MAX, Some(last)) = (fill, words.last_mut()) {
            let used = self.width % 64;
            if used != 0 {
                *last |= u64::MAX << used;
            }
        }
        words.resize((width.div_ceil(64) as usize).max(words.len()), fill);
        Wide::new(width, &words)
    }

    /// The largest number whose square is not larger.
    pub(crate) fn sqrt(&self) -> Wide {
        let mut root = Wide::from_u128(self.width, 0);
        for i in (0..self.length().div_ceil(2)).rev() {
            let mut trial = root.clone();
            trial.words[i as usize / 64] |= 1 << (i % 64);
            if trial.mul(&trial).cmp_unsigned(self) != Ordering::Greater {
                root = trial;
            }
        }
        root
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn wide(value: i128) -> Wide {
        Wide::from_u128(128, value as u128).resize(200, true)
    }

    #[test]
    fn agrees_with_native_arithmetic() {
        let samples =
            [0i128, 1, -1, 7, -7, 1 << 70, -(1 << 70), 0x1234_5678_9abc_def0, i64::MIN.into()];
        for &a in &samples {
            for &b in &samples {
                assert_eq!(wide(a).add(&wide(b)), wide(a + b));
                assert_eq!(wide(a).sub(&wide(b)), wide(a - b));
                assert_eq!(wide(a).cmp_signed(&wide(b)), a.cmp(&b));
                if let Some(product) = a.checked_mul(b) {
                    assert_eq!(wide(a).mul(&wide(b)), wide(product));
                }
                if a >= 0 && b > 0 {
                    let (quotient, rest) = wide(a).div_rem(&wide(b));
                    assert_eq!((quotient, rest), (wide(a / b), wide(a % b)));
                }
            }
            assert_eq!(wide(a).ashr(67), wide(a >> 67));
            assert_eq!(wide(a).shl(3), wide(a << 3));
            if a >= 0 {
                assert_eq!(wide(a).sqrt(), wide((a as u128).isqrt() as i128));
            }
        }
    }

    #[test]
    fn division_of_the_widest() {
        let all = Wide::from_u128(192, 0).not();
        let (quotient, rest) = all.div_rem(&all);
        assert_eq!((quotient.to_u128(), rest.is_zero()), (Some(1), true));
        let (quotient, rest) = all.div_rem(&Wide::from_u128(192, 10));
        assert_eq!(quotient.mul(&Wide::from_u128(192, 10)).add(&rest), all);
    }
}
