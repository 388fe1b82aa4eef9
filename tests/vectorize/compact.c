// What `lw_compact` picks is one instruction where the target has one.
// RUN: lw vectorize %s -f pick -s 'v -> v' -w 8 --emit s -o %t.s -- -march=x86-64-v4 && FileCheck-22 %s < %t.s
int __lw_compact_i32(int x, _Bool chosen);

// CHECK-LABEL: pick_v8:
// CHECK: vpcompressd
// CHECK-NOT: vmovd
// CHECK: ret
int pick(int x) { return __lw_compact_i32(x, x > 3); }
