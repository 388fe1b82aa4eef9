// RUN: lw divergence %s --function rows --loop 14 | FileCheck-22 %s
// RUN: not --exit 2 lw divergence %s --function rows --loop 99 2>&1 | FileCheck-22 %s --check-prefix=NONE
// The iterations of an outer loop are the threads.

// NONE: rows has no loop at line 99; there are: line 14 (depth 1), line 17 (depth 2), line 20 (depth 2)

// CHECK: The threads are iterations of the loop at line 14
// CHECK: rows ({{.*}}loop.c:[[#]]): 2 of 5 branches divergent, 1 of 3 loops divergent
// CHECK: loop.c:20: depth 2: branch on `v > 1.0`
// CHECK: loop.c:20: depth 2: loop on `v > 1.0`
// CHECK-DAG: load `in[((k * n) + i)]` contiguous
// CHECK-DAG: store `out[i]` contiguous
void rows(float *restrict out, const float *in, int n, int m) {
  for (int i = 0; i < n; i++) {
    float sum = 0;
    int steps = 0;
    for (int k = 0; k < m; k++)
      sum += in[k * n + i];
    // Each thread stays for as long as its own sum takes.
    for (float v = sum; v > 1; v *= 0.5f)
      steps++;
    if (m > 4)
      steps += 2;
    if (sum < 0)
      continue;
    out[i] = steps;
  }
}
