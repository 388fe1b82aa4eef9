// RUN: lw analyze %s -a bounds -f _Z4readi -- -DCOUNT=4 | FileCheck-22 %s
// RUN: not --exit 2 lw analyze %s -a bounds 2>&1 | FileCheck-22 %s --check-prefix=ERROR
// RUN: not --exit 2 lw analyze %s -a bounds -f read -- -DCOUNT=4 2>&1 | FileCheck-22 %s --check-prefix=NEAR
// C++ goes through clang; flags behind `--` are for clang, and its errors are shown.

// CHECK: return values[i & 3];
// CHECK-NEXT: ✓ {{[0-9]+}}: values[(i & 3)] (load) is in bounds
// ERROR: lw: clang-22 failed on {{.*}}flags_for_clang.cpp:
// ERROR: error: {{.*}}COUNT
// NEAR: there is no function `read`; there are: {{.*}}_Z4readi
int values[COUNT];
int read(int i) {
  return values[i & 3];
}
void write(int i, int v) { values[i] = v; }
