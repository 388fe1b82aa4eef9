// RUN: lw analyze %s --analysis bits | FileCheck-22 %s
// RUN: lw analyze %s --analysis bits --format json | FileCheck-22 %s --check-prefix=JSON
// RUN: lw analyze %s --analysis bits --format html | FileCheck-22 %s --check-prefix=HTML
// Which bits are known, how many are needed, and which of them matter.

// CHECK: {{[0-9]+}} | unsigned char pack(unsigned a) {
// CHECK-NEXT: · a only bits 0-4 matter
// CHECK: {{[0-9]+}} |   unsigned low = a & 31;
// CHECK-NEXT: · 20: low is 0…xxxxx, fits in 5 of 32 bits
// CHECK: {{[0-9]+}} |   unsigned odd = low << 1 | 1;
// CHECK-NEXT: · 27: odd is 0…xxxxx1, fits in 6 of 32 bits, only bits 0-7 matter

// JSON: "ones": "0x1"

// HTML: <b>low</b> is 0…xxxxx
unsigned char pack(unsigned a) {
  unsigned low = a & 31;
  unsigned odd = low << 1 | 1;
  return odd;
}
