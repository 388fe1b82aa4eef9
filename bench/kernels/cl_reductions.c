// OpenCL-style reductions, scans, sorts.
#include "opencl.h"

KERNEL void reduce(GLOBAL float *out, GLOBAL const float *in, LOCAL float *tmp, int n) {
  int l = get_local_id(0), i = get_global_id(0);
  tmp[l] = i < n ? in[i] : 0;
  barrier();
  for (int s = get_local_size(0) / 2; s > 0; s /= 2) {
    if (l < s) tmp[l] += tmp[l + s];
    barrier();
  }
  if (l == 0) out[get_group_id(0)] = tmp[0];
}

KERNEL void scan(GLOBAL int *data, LOCAL int *tmp, int n) {
  int l = get_local_id(0);
  tmp[l] = data[l];
  barrier();
  for (int d = 1; d < n; d *= 2) {
    int v = l >= d ? tmp[l - d] : 0;
    barrier();
    tmp[l] += v;
    barrier();
  }
  data[l] = tmp[l];
}

KERNEL void bitonic(GLOBAL int *data, int n) {
  int i = get_local_id(0);
  for (int k = 2; k <= n; k *= 2)
    for (int j = k / 2; j > 0; j /= 2) {
      int p = i ^ j;
      if (p > i) {
        int up = (i & k) == 0;
        if ((data[i] > data[p]) == up) {
          int t = data[i];
          data[i] = data[p];
          data[p] = t;
        }
      }
      barrier();
    }
}

KERNEL void odd_even(GLOBAL int *data, int n) {
  int i = get_local_id(0);
  for (int r = 0; r < n; r++) {
    int a = 2 * i + (r & 1);
    if (a + 1 < n && data[a] > data[a + 1]) {
      int t = data[a];
      data[a] = data[a + 1];
      data[a + 1] = t;
    }
    barrier();
  }
}

KERNEL void dot_product(GLOBAL float *out, GLOBAL const float *a, GLOBAL const float *b, int n) {
  float s = 0;
  int step = get_local_size(0);
  for (int i = get_local_id(0); i < n; i += step) s += a[i] * b[i];
  out[get_local_id(0)] = s;
}

KERNEL void spmv(GLOBAL float *y, GLOBAL const int *start, GLOBAL const int *col, GLOBAL const float *val, GLOBAL const float *x, int rows) {
  int r = get_global_id(0);
  if (r >= rows) return;
  float s = 0;
  for (int k = start[r]; k < start[r + 1]; k++) s += val[k] * x[col[k]];
  y[r] = s;
}

KERNEL void spmv_by_block(GLOBAL float *y, GLOBAL const int *start, GLOBAL const int *col, GLOBAL const float *val, GLOBAL const float *x) {
  int r = get_group_id(0), l = get_local_id(0);
  float s = 0;
  for (int k = start[r]; k < start[r + 1]; k++) s += val[k * 32 + l] * x[col[k]];
  y[r * 32 + l] = s;
}

KERNEL void maximum(GLOBAL int *out, GLOBAL const int *in, int n) {
  int best = in[0], at = 0;
  for (int i = 1; i < n; i++)
    if (in[i] > best) {
      best = in[i];
      at = i;
    }
  out[get_global_id(0)] = at + get_local_id(0);
}

KERNEL void jacobi(GLOBAL float *next, GLOBAL const float *a, GLOBAL const float *b, GLOBAL float *x, int n, int rounds) {
  int i = get_local_id(0);
  for (int r = 0; r < rounds; r++) {
    float s = b[i];
    for (int j = 0; j < n; j++)
      if (j != i) s -= a[i * n + j] * x[j];
    next[i] = s / a[i * n + i];
    barrier();
    x[i] = next[i];
    barrier();
  }
}

KERNEL void bfs_level(GLOBAL int *dist, GLOBAL const int *start, GLOBAL const int *edge, int level, int n) {
  int v = get_global_id(0);
  if (v < n && dist[v] == level)
    for (int e = start[v]; e < start[v + 1]; e++)
      if (dist[edge[e]] < 0) dist[edge[e]] = level + 1;
}

KERNEL void floyd(GLOBAL int *d, int n) {
  int j = get_local_id(0);
  for (int k = 0; k < n; k++) {
    for (int i = 0; i < n; i++) {
      int via = d[i * n + k] + d[k * n + j];
      if (via < d[i * n + j]) d[i * n + j] = via;
    }
    barrier();
  }
}

KERNEL void lu_step(GLOBAL float *a, int n) {
  int j = get_local_id(0);
  for (int k = 0; k < n; k++) {
    if (j > k)
      for (int i = k + 1; i < n; i++) a[i * n + j] -= a[i * n + k] / a[k * n + k] * a[k * n + j];
    barrier();
  }
}

KERNEL void knapsack(GLOBAL int *best, GLOBAL const int *weight, GLOBAL const int *value, int items, int capacity) {
  int c = get_local_id(0);
  for (int i = 0; i < items; i++) {
    int without = best[i * capacity + c], with = without;
    if (c >= weight[i]) with = best[i * capacity + c - weight[i]] + value[i];
    best[(i + 1) * capacity + c] = with > without ? with : without;
    barrier();
  }
}

KERNEL void edit_distance(GLOBAL int *d, GLOBAL const char *a, GLOBAL const char *b, int n) {
  int j = get_local_id(0);
  for (int diag = 0; diag < 2 * n; diag++) {
    int i = diag - j;
    if (i > 0 && i < n && j > 0) {
      int best = d[(i - 1) * n + j - 1] + (a[i] != b[j]);
      if (d[(i - 1) * n + j] + 1 < best) best = d[(i - 1) * n + j] + 1;
      if (d[i * n + j - 1] + 1 < best) best = d[i * n + j - 1] + 1;
      d[i * n + j] = best;
    }
    barrier();
  }
}
