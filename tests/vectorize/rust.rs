// Functions of Rust: `match`, early returns, checked arithmetic, and the panic of a bounds check.
// RUN: rustc -O -C panic=abort --emit=llvm-bc %s -o %t.bc
// RUN: lw vectorize %t.bc -f steps -s 'v, u -> v' -w 8 | FileCheck-22 %s
// RUN: lw vectorize %t.bc -f sum -s 'u, v -> v' -w 8 | FileCheck-22 --check-prefix=SUM %s
#![crate_type = "lib"]

// CHECK: define {{.*}}<8 x i32> @steps_v8(<8 x i32> {{.*}}, i32
// CHECK: llvm.umul.with.overflow.v8i32
#[unsafe(no_mangle)]
pub fn steps(start: u32, limit: u32) -> u32 {
    let mut n = start;
    for step in 0..limit {
        n = match n {
            0 => return u32::MAX,
            1 => return step,
            _ if n % 2 == 0 => n / 2,
            _ => match n.checked_mul(3).and_then(|n| n.checked_add(1)) {
                Some(next) => next,
                None => break,
            },
        };
    }
    limit
}

// SUM: define {{.*}}<8 x i32> @sum_v8(ptr {{.*}}, <8 x i64>
// SUM: llvm.masked.gather.v8i32
// SUM: call void @{{.*}}panic_bounds_check
#[unsafe(no_mangle)]
pub fn sum(table: &[u32; 64], at: usize) -> u32 {
    let mut sum = 0u32;
    let mut i = at;
    while i < 80 {
        sum = sum.wrapping_add(table[i % 70]);
        i += 7;
    }
    sum
}
