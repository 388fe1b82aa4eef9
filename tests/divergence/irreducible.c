// RUN: lw divergence %s --function apart --shapes varying,uniform | FileCheck-22 %s
// RUN: lw divergence %s --function apart --shapes uniform,uniform | FileCheck-22 %s --check-prefix=SAME
// A cycle with two entries: coming to either begins an iteration, and in each iteration threads that are at the same place have the same
// `i`. Threads that enter apart leave in different iterations.

// CHECK: apart ({{.*}}irreducible.c:[[#]]): 1 of 3 branches divergent, 1 of 1 loops divergent
// CHECK: irreducible.c:[[#]]: depth 1: loop on `start > 0`
// CHECK: irreducible.c:[[#]]: depth 0: branch on `start > 0`: `start` is a parameter that differs between threads

// SAME: apart ({{.*}}irreducible.c:[[#]]): 0 of 3 branches divergent, 0 of 1 loops divergent
int apart(int start, int n) {
  int i = 0;
  if (start > 0)
    goto inside;
again:
  i += 2;
  if (i > n)
    return i;
inside:
  i += 1;
  if (i < n)
    goto again;
  return i;
}
