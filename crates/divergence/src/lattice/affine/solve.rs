//! Linear equations modulo powers of two, for γ: are there coefficients that explain what was seen?

/// Whether a system of linear equations has a solution modulo 2ᵏ: pivots with the fewest twos first.
pub(super) fn solvable(mut rows: Vec<(Vec<u128>, u128)>, k: u32) -> bool {
    let mask = (1u128 << k) - 1;
    let twos = |value: u128| (value & mask).trailing_zeros().min(k);
    let mut free: Vec<usize> = (0..rows.first().map_or(0, |(row, _)| row.len())).collect();
    loop {
        let entries = rows.iter().enumerate();
        let entries = entries.flat_map(|(r, row)| free.iter().map(move |&c| (r, c, row.0[c])));
        let best = entries.filter(|e| twos(e.2) < k).min_by_key(|e| twos(e.2));
        let Some((r, c, pivot)) = best else {
            return rows.iter().all(|(_, rest)| rest & mask == 0);
        };
        let (row, rest) = rows.swap_remove(r);
        let shift = twos(pivot);
        if twos(rest) < shift {
            return false;
        }
        // Newton's iteration for the inverse of the odd part.
        let odd = pivot >> shift;
        let mut inverse = odd;
        for _ in 0..7 {
            inverse = inverse.wrapping_mul(2u128.wrapping_sub(odd.wrapping_mul(inverse)));
        }
        for (other, value) in &mut rows {
            let factor = ((other[c] & mask) >> shift).wrapping_mul(inverse);
            for (entry, &own) in other.iter_mut().zip(&row) {
                *entry = entry.wrapping_sub(factor.wrapping_mul(own));
            }
            *value = value.wrapping_sub(factor.wrapping_mul(rest));
        }
        free.retain(|&column| column != c);
    }
}
