// RUN: lw analyze %s --analysis null | FileCheck-22 %s
// RUN: lw analyze %s --analysis null --format json | FileCheck-22 %s --check-prefix=JSON
// RUN: lw analyze %s --analysis null --format html | FileCheck-22 %s --check-prefix=HTML
// Which pointers can be null where they are followed, and why.

// CHECK: null of {{.*}}null.c: 9 accesses: 1 null, 3 may be null, 5 proved not null
// CHECK: {{[0-9]+}} |   int x = *p;
// CHECK-NEXT: ? 11: *p (load) the pointer may be null
// CHECK-NEXT: p is a parameter and was not tested (line {{[0-9]+}})
// CHECK: {{[0-9]+}} |   return x + *p;
// CHECK-NEXT: ✓ 14: *p (load) the pointer is not null
// CHECK-NEXT: followed before, so it is not null behind that (line {{[0-9]+}})
// CHECK: {{[0-9]+}} |     return *p;
// CHECK-NEXT: ✓ 12: *p (load) the pointer is not null
// CHECK-NEXT: tested: not null if p != null is true (line {{[0-9]+}})
// CHECK: {{[0-9]+}} |   return *p;
// CHECK-NEXT: ✗ 10: *p (load) the pointer is null
// CHECK-NEXT: tested: null if p != null is false (line {{[0-9]+}})
// CHECK: {{[0-9]+}} |   return *cell + global;
// CHECK: ✓ {{[0-9]+}}: global (load) the pointer is not null
// CHECK-NEXT: global is a global
// CHECK: {{[0-9]+}} |   return *q;
// CHECK-NEXT: ? 10: *q (load) the pointer may be null
// CHECK-NEXT: null comes in here
// CHECK: {{[0-9]+}} |   int x = l->value;
// CHECK-NEXT: ? 14: l->value (load) the pointer may be null
// CHECK-NEXT: l is a parameter and was not tested
// CHECK: {{[0-9]+}} |   return l->next ? x : 0;
// CHECK-NEXT: ✓ 13: l->next (load) the pointer is not null
// CHECK-NEXT: followed before, so it is not null behind that (line [[#@LINE+38]])

// JSON: "nullness": "maybe"
// JSON: "function": "followed"
// JSON: "text": "p is a parameter and was not tested"

// HTML: <span class="chip wrong" tabindex="0">✗ <b>*p</b> (load) the pointer is null
int global;

int followed(int *p) {
  int x = *p;
  return x + *p;
}

int tested(int *p) {
  if (p != 0)
    return *p;
  return *p;
}

int local(void) {
  int array[2] = {1, 2};
  int *cell = array + 1;
  return *cell + global;
}

int joined(int c) {
  int x[1] = {1};
  int *q = c ? x : 0;
  return *q;
}

struct list {
  int value;
  struct list *next;
};

int fields(struct list *l) {
  int x = l->value;
  return l->next ? x : 0;
}
