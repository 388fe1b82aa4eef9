// RUN: lw analyze %s --analysis classes | FileCheck-22 %s
// RUN: lw analyze %s --analysis classes --format json | FileCheck-22 %s --check-prefix=JSON
// RUN: lw analyze %s --analysis classes --format html | FileCheck-22 %s --check-prefix=HTML
// What must lie behind pointer parameters, judging by how they are used.

// CHECK: int get(struct node *n) {
// CHECK-NEXT: · n needs 4 bytes at offset 16
// CHECK: int first(struct node *n) {
// CHECK-NEXT: · n needs 8 bytes at offset 8 if it is not null
// CHECK: int apply(int (*f)(int), int *unused) {
// CHECK-NEXT: · f needs to be callable
// CHECK-NEXT: · unused needs nothing that is seen here

// JSON: "always": [
// JSON-NEXT: {
// JSON-NEXT: "bytes": 4,
// JSON-NEXT: "offset": 16
// HTML: <b>n</b> needs 4 bytes at offset 16
struct node {
  void *key;
  struct node *next;
  int value;
};

int get(struct node *n) {
  return n->value;
}

int first(struct node *n) {
  if (n)
    return n->next != 0;
  return 0;
}

int apply(int (*f)(int), int *unused) {
  return f(3);
}
