// RUN: lw analyze %s --analysis constants | FileCheck-22 %s
// RUN: lw analyze %s --analysis constants --format json | FileCheck-22 %s --check-prefix=JSON
// RUN: lw analyze %s --analysis constants --format html | FileCheck-22 %s --check-prefix=HTML
// Values that are always the same, branches that always go one way, and code that is never executed.

// CHECK: {{[0-9]+}} |   int limit = 10;
// CHECK-NEXT: · limit is always 10
// CHECK: {{[0-9]+}} |   int twice = limit * 2;
// CHECK-NEXT: · 21: twice is always 20
// CHECK: {{[0-9]+}} |   if (twice > 30)
// CHECK-NEXT: · 13: twice > 30 is always false
// CHECK: {{[0-9]+}} |     return use(twice);
// CHECK-NEXT: · {{[0-9]+}}: this is never executed
// CHECK: {{[0-9]+}} |   if (x == 5)
// CHECK-NEXT: · 9: x is 5 if x == 5 is true
// CHECK: {{[0-9]+}} |     return use(x + limit);

// JSON: "branch": "if twice > 30 is false"
// JSON: "reachable": false

// HTML: <b>twice</b> is always 20
extern int use(int);
int decided(int x) {
  int limit = 10;
  int twice = limit * 2;
  if (twice > 30)
    return use(twice);
  if (x == 5)
    return use(x + limit);
  return limit;
}
