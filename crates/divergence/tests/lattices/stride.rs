//! The stride-alignment lattice.

use crate::LANES;
use lw_divergence::Stride;
use lw_divergence::lattice::Lattice;

/// Shapes of small integers.
fn shapes() -> Vec<Stride> {
    let mut all = Vec::new();
    for align in [0, 1, 2, 3, 4, 6] {
        for stride in -3..=3 {
            all.push(Stride::strided(crate::BITS, stride, align, Some(LANES as u32)));
            all.push(Stride::strided(crate::BITS, stride, align, None));
            all.push(Stride::exact(crate::BITS, stride, align));
        }
        all.push(Stride::varying_aligned(align));
    }
    let mut distinct: Vec<Stride> = Vec::new();
    all.into_iter().for_each(|s| {
        if !distinct.contains(&s) {
            distinct.push(s);
        }
    });
    distinct
}

#[test]
fn transformers_are_sound() {
    crate::operators_and_comparisons_are_sound(&shapes());
    crate::casts_are_sound(&shapes());
    crate::selects_are_sound(&shapes());
}

#[test]
fn it_is_a_lattice() {
    crate::joins_and_scattering_are_sound(&shapes());
    crate::transformers_are_monotone(&shapes());
}

#[test]
fn figure_10_4_the_shapes_of_integers() {
    let lanes = |v: [i128; 4]| v.map(|v| Some(v as u128 & 0xff));
    let tid = Stride::strided(8, 1, 4, Some(4));
    assert!(tid.holds(Some(8), &lanes([8, 9, 10, 11])));
    assert!(!tid.holds(Some(8), &lanes([9, 10, 11, 12])));
    let i = Stride::strided(8, -2, 8, Some(4));
    assert!(i.holds(Some(8), &lanes([-16, -18, -20, -22])));
    assert!(Stride::uniform_aligned(8).holds(Some(8), &lanes([40; 4])));
    assert!(Stride::varying_aligned(4).holds(Some(8), &lanes([4, 16, -4, 44])));
    assert!(!Stride::varying_aligned(4).holds(Some(8), &lanes([4, 17, -4, 44])));
}
