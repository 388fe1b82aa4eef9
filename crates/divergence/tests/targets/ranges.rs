//! The reduced product with constants and ranges.

use super::{analyze, module, value};
use lw_divergence::{Basic, Options, Stride};

const U: Basic = Basic::Uniform;
const V: Basic = Basic::Varying;

fn options(ranges: bool) -> Options {
    Options { ranges, threads: Some(8), ..Options::default() }
}

/// 000 Fig. 3: what is constant is uniform, however threads come to it.
#[test]
fn fig_3_a_phi_of_one_constant_is_uniform() {
    let m = module(
        "func @f(i32 %tid, i32 %n) -> i32 {
entry:
  %c = icmp slt i32 %tid, %n
  br i1 %c, label %then, label %else
then:
  %a = and i32 %tid, 0
  br label %end
else:
  br label %end
end:
  %x = phi i32 [ %a, %then ], [ 0, %else ]
  %y = add i32 %x, %tid
  %z = mul i32 %x, %tid
  ret i32 %x
}",
    );
    let f = m.function("f").unwrap();
    for ranges in [false, true] {
        let found = analyze(&m, &[V, U], &options(ranges));
        let is = |name: &str| found.is_uniform(value(f, name));
        assert_eq!((is("x"), is("y"), is("z")), (ranges, false, ranges));
    }
}

#[test]
fn a_range_decides_a_comparison_of_a_strided_value() {
    let m = module(
        "func @f(i32 %tid, i32 %n) -> i1 {
entry:
  %x = and i32 %tid, 63
  %c = icmp ult i32 %x, 64
  %d = icmp ult i32 %x, 63
  ret i1 %c
}",
    );
    let f = m.function("f").unwrap();
    let found = analyze(&m, &[V, U], &options(true));
    assert!(found.is_uniform(value(f, "c")) && !found.is_uniform(value(f, "d")));
}

/// Lanes wrap or not: the stride of an addition holds modulo 2ⁿ only, and a sign extension needs it in ℤ.
#[test]
fn what_lies_close_together_did_not_wrap() {
    let m = module(
        "func @f(i32 %tid, i32 %n) -> i64 {
entry:
  %x = and i32 %n, 1023
  %t = and i32 %tid, 7
  %i = add i32 %x, %t
  %k = sext i32 %i to i64
  %far = add i32 %n, %t
  %l = sext i32 %far to i64
  ret i64 %k
}",
    );
    let f = m.function("f").unwrap();
    let shapes = [Stride::strided(32, 1, 0, Some(8)), Stride::uniform_aligned(1)];
    let stride = |ranges: bool, name: &str| {
        analyze(&m, &shapes, &options(ranges)).shape(value(f, name)).stride()
    };
    assert_eq!((stride(false, "k"), stride(true, "k")), (None, Some(1)));
    assert_eq!((stride(false, "l"), stride(true, "l")), (None, None));
}
