// RUN: lw analyze %s --analysis bounds | FileCheck-22 %s
// RUN: lw analyze %s --analysis bounds --format json | FileCheck-22 %s --check-prefix=JSON
// RUN: lw analyze %s --analysis bounds --format html -o %t.html
// RUN: FileCheck-22 %s --check-prefix=HTML < %t.html
// What is proved to stay in bounds, what is not, what cannot, and why.

// CHECK: bounds of {{.*}}bounds.c: 6 accesses: 1 out of bounds, 2 not proved, 3 proved in bounds
// CHECK: {{[0-9]+}} |   return table[i & 7];
// CHECK-NEXT: ✓ 10: table[(i & 7)] (load) is in bounds
// CHECK-NEXT: 4 bytes at offset 0 to 28 of table, which has 32 bytes
// CHECK: {{[0-9]+}} |   return table[i];
// CHECK-NEXT: ? 10: table[i] (load) may be out of bounds
// CHECK-NEXT: of table, which has 32 bytes
// CHECK-NEXT: the index i is in [-2147483648, 2147483647] (line {{[0-9]+}})
// CHECK: {{[0-9]+}} |   local[3] = 1;
// CHECK-NEXT: ✓ 12: local[3] (store) is in bounds
// CHECK: {{[0-9]+}} |   return local[4];
// CHECK-NEXT: ✗ 10: local[4] (load) is out of bounds
// CHECK-NEXT: 4 bytes at offset 16 of local, which has 16 bytes (line [[#@LINE+31]])
// CHECK: {{[0-9]+}} |     a[i] = i;
// CHECK-NEXT: ✓ 10: a[i] (store) is in bounds
// CHECK: i is always less than n
// CHECK: {{[0-9]+}} |   return *p;
// CHECK: p is a parameter: the object behind it is not known (line {{[0-9]+}})

// JSON: "analysis": "bounds"
// JSON: "access": "load"
// JSON: "bytes": 4
// JSON: "object": "table"
// JSON: "reason": "offsets"
// JSON: "function": "masked"
// JSON-NEXT: "level": "proved"
// JSON-NEXT: "line": {{[0-9]+}}

// HTML: <!doctype html>
// HTML: 6 accesses: 1 out of bounds, 2 not proved, 3 proved in bounds
// HTML: <details class="findings wrong" open>
// HTML: id="f0l[[#@LINE+14]]"
// HTML-SAME: <u class="wrong">local</u>[4];
int table[8];
int masked(int i) {
  return table[i & 7];
}

int unknown(int i) {
  return table[i];
}

int past_the_end(void) {
  int local[4];
  local[3] = 1;
  return local[4];
}

void *counted(int n) {
  int *a = __builtin_malloc(n * sizeof(int));
  for (int i = 0; i < n; i++)
    a[i] = i;
  return a;
}

int parameter(int *p) {
  return *p;
}
