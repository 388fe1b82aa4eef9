// RUN: lw analyze %s --analysis ranges | FileCheck-22 %s
// RUN: lw analyze %s --analysis ranges --all --format json | FileCheck-22 %s --check-prefix=JSON
// RUN: lw analyze %s --analysis ranges --format html | FileCheck-22 %s --check-prefix=HTML
// Ranges of variables, where they are computed and behind branches. --all speaks of intermediate values too.

// CHECK: ranges of {{.*}}ranges.c: ranges of values: 3, ranges behind branches: 4
// CHECK-NOT: (i & 15)
// CHECK: {{[0-9]+}} |   for (int i = 0; i < 10; i++)
// CHECK-NEXT: · i in [0, 10]
// CHECK: · 21: i in [0, 9] if i < 10 is true
// CHECK: · {{[0-9]+}}: i in [1, 10]
// CHECK: {{[0-9]+}} |   switch (c) {
// CHECK-NEXT: · 3: c in [-2147483648, 2] or [4, 2147483647] in the default case
// CHECK-NEXT: · 3: c in [3, 3] in case 3
// CHECK: {{[0-9]+}} |   unsigned low = x & 240;
// CHECK-NEXT: · 20: low in [0, 240]

// JSON: "bits": 32,
// JSON: "branch": "if i < 10 is true"
// JSON-NEXT: "signed": [
// JSON-NEXT: "0",
// JSON-NEXT: "9"
// JSON: "subject": "(i & 15)"

// HTML: <b>i</b> in [0, 9] if i &lt; 10 is true
extern void use(int);



void loop(void) {
  for (int i = 0; i < 10; i++)
    use(i & 15);
}



int cases(int c) {
  switch (c) {
  case 3:
    return c;
  }
  return c == 7 ? c : 0; }
unsigned masked(unsigned x) {
  unsigned low = x & 240;
  return low;
}
