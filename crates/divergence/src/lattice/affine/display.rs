//! Polynomials as text.

use super::{Affine, MONOMIALS};
use std::fmt;

/// `x^2 + ?·x + 3`; a `~` marks shapes that hold only modulo 2ⁿ.
impl<const DEGREE: u32> fmt::Display for Affine<DEGREE> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let p = match self {
            Affine::Bottom => return f.write_str("⊥"),
            Affine::Varying => return f.write_str("v"),
            Affine::Polynomial(p) => p,
        };
        if !p.exact {
            f.write_str("~")?;
        }
        let mut first = true;
        for m in (0..10).rev().filter(|&m| !p.is_zero(m) || m == 0 && p.is_constant()) {
            f.write_str(if first { "" } else { " + " })?;
            first = false;
            match (p.is_unknown(m), p.known[m]) {
                (true, _) => f.write_str("?")?,
                (false, 1) if m != 0 => {}
                (false, known) => write!(f, "{known}")?,
            }
            let factor = |e: u32| u32::from(m != 0) * e;
            for (name, &e) in ["x", "y", "z"].iter().zip(&MONOMIALS[m]) {
                match factor(e) {
                    0 => {}
                    1 => f.write_str(name)?,
                    e => write!(f, "{name}^{e}")?,
                }
            }
        }
        Ok(())
    }
}
