// Plain C: each function is executed by all threads; `thread()` tells them apart.
#include "opencl.h"
static inline int thread(void) { return __nvvm_read_ptx_sreg_tid_x(); }

KERNEL void saxpy(GLOBAL float *y, GLOBAL const float *x, float a, int n) {
  for (int i = thread(); i < n; i += 32) y[i] += a * x[i];
}

KERNEL void scale_rows(GLOBAL float *m, GLOBAL const float *s, int rows, int cols) {
  for (int r = 0; r < rows; r++)
    for (int c = thread(); c < cols; c += 32) m[r * cols + c] *= s[r];
}

KERNEL void histogram_private(GLOBAL int *bins, GLOBAL const int *data, int n, int buckets) {
  int t = thread();
  for (int i = 0; i < n; i++) {
    int b = data[i] % buckets;
    if (b == t) bins[b]++;
  }
}

KERNEL void polynomial(GLOBAL float *out, GLOBAL const float *coeff, int degree) {
  float x = thread() * 0.5f, r = 0;
  for (int i = degree; i >= 0; i--) r = r * x + coeff[i];
  out[thread()] = r;
}

KERNEL void newton(GLOBAL float *out, float eps, int limit) {
  float x = thread() + 1, g = x;
  for (int i = 0; i < limit; i++) {
    float next = 0.5f * (g + x / g);
    if (next - g < eps && g - next < eps) break;
    g = next;
  }
  out[thread()] = g;
}

KERNEL void collatz(GLOBAL int *steps, int limit) {
  unsigned n = thread() + 1;
  int s = 0;
  while (n != 1 && s < limit) {
    n = n & 1 ? 3 * n + 1 : n / 2;
    s++;
  }
  steps[thread()] = s;
}

KERNEL void gcd_pairs(GLOBAL int *out, int k) {
  int a = thread() + k, b = k;
  while (b) {
    int r = a % b;
    a = b;
    b = r;
  }
  out[thread()] = a;
}

KERNEL void sieve(GLOBAL char *composite, int n) {
  for (int p = 2; p * p < n; p++)
    if (!composite[p])
      for (int k = p * p + thread() * p; k < n; k += 32 * p) composite[k] = 1;
}

KERNEL void binary_search(GLOBAL int *out, GLOBAL const int *keys, GLOBAL const int *sorted, int n) {
  int key = keys[thread()], lo = 0, hi = n;
  while (lo < hi) {
    int mid = (lo + hi) / 2;
    if (sorted[mid] < key) lo = mid + 1;
    else hi = mid;
  }
  out[thread()] = lo;
}

KERNEL void first_match(GLOBAL int *out, GLOBAL const int *text, int n, int wanted) {
  int i = 0;
  for (; i < n; i++)
    if (text[i] == wanted + thread()) break;
  out[thread()] = i;
}

KERNEL void prefix_serial(GLOBAL int *data, int n) {
  if (thread() == 0)
    for (int i = 1; i < n; i++) data[i] += data[i - 1];
}

KERNEL void transpose(GLOBAL float *out, GLOBAL const float *in, int n) {
  for (int r = 0; r < n; r++) {
    int c = thread();
    if (c < n) out[c * n + r] = in[r * n + c];
  }
}

KERNEL void convolve(GLOBAL float *out, GLOBAL const float *in, GLOBAL const float *k, int n, int radius) {
  int i = thread();
  float sum = 0;
  for (int j = -radius; j <= radius; j++) {
    int at = i + j;
    if (at < 0) at = 0;
    if (at >= n) at = n - 1;
    sum += in[at] * k[j + radius];
  }
  out[i] = sum;
}

KERNEL void count_bits(GLOBAL int *out, GLOBAL const unsigned *in) {
  unsigned x = in[thread()];
  int n = 0;
  while (x) {
    x &= x - 1;
    n++;
  }
  out[thread()] = n;
}

KERNEL void parity_branch(GLOBAL float *out, float a, float b) {
  int t = thread();
  float r = t & 1 ? a : b;
  out[t] = r;
}

KERNEL void warp_rows(GLOBAL float *out, GLOBAL const float *in, int cols) {
  int row = thread() / 32, lane = thread() % 32;
  float sum = 0;
  for (int c = 0; c < cols; c++) sum += in[row * cols + c];
  out[thread()] = sum + lane;
}

KERNEL void fixed_state(GLOBAL int *out, GLOBAL const int *ops, int n) {
  int a = 0, b = 1, t = thread();
  for (int i = 0; i < n; i++) switch (ops[i]) {
      case 0: a += b; break;
      case 1: b -= a; break;
      case 2: a = a * 3; break;
      default: b = a ^ i; break;
    }
  out[t] = a + b * t;
}

KERNEL void thread_machine(GLOBAL int *out, GLOBAL const int *ops, int n) {
  int t = thread(), a = 0, i = t;
  while (i < n) switch (ops[i]) {
      case 0: a++; i++; break;
      case 1: a--; i += 2; break;
      case 2: i += a; break;
      default: i = n; break;
    }
  out[t] = a;
}

// Each thread has a piece of its own, all of the same length.
KERNEL void own_piece(GLOBAL float *out, GLOBAL const float *in, int length) {
  int first = thread() * length, end = first + length;
  float sum = 0;
  for (int i = first; i != end; i++) sum += in[i];
  out[thread()] = sum;
}

KERNEL void walk_pointer(GLOBAL float *out, GLOBAL const float *in, int rows, int pitch) {
  GLOBAL const float *p = in + thread(), *end = p + rows * pitch;
  float best = *p;
  for (; p != end; p += pitch)
    if (*p > best) best = *p;
  out[thread()] = best;
}
