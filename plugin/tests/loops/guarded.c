// Loops over arrays that lie against memory that must not be touched. The file is compiled twice, as kernels.c is.
#include "guarded.h"

#ifdef SCALAR
#define KERNEL(name) int scalar_##name(int n, int *a, const int *b, const int *c)
#define SIMD
#else
#define KERNEL(name) int vector_##name(int n, int *a, const int *b, const int *c)
#define SIMD _Pragma("omp simd")
#endif

KERNEL(straight) {
  SIMD
  for (int i = 0; i < n; i++) a[i] = b[i] * 2 + c[i];
  return 0;
}

KERNEL(some) {
  SIMD
  for (int i = 0; i < n; i++)
    if (c[i] & 1) a[i] = b[i];
  return 0;
}

KERNEL(divides) {
  SIMD
  for (int i = 0; i < n; i++)
    if (c[i] > 0) a[i] = b[i] % c[i] + 1000 / c[i];
  return 0;
}

KERNEL(backwards) {
  SIMD
  for (int i = n - 1; i >= 0; i--) a[i] = b[n - 1 - i] + c[i];
  return 0;
}

// Only half of `b` is read, and only half of `a` written; neither the first nor the last element.
KERNEL(strided) {
  SIMD
  for (int i = 0; i < n / 2; i++) a[2 * i + 1] = b[2 * i] - c[i];
  return 0;
}

// Where `c` is negative there is nothing.
KERNEL(gathers) {
  SIMD
  for (int i = 0; i < n; i++) {
    int at = c[i] > 0 ? c[i] % n : c[i] * 100000;
    if (at >= 0) a[i] = b[at];
  }
  return 0;
}

// Each lane runs to the end of the array.
KERNEL(scans) {
  SIMD
  for (int i = 0; i < n; i++) {
    int j = i;
    while (j < n && b[j] != 3) j++;
    a[i] = j;
  }
  return 0;
}

KERNEL(sums) {
  int s = 0;
  SIMD
  for (int i = 0; i < n; i++)
    if (b[i] != c[i]) s += b[i];
  return s;
}

KERNEL(invariant) {
  SIMD
  for (int i = 0; i < n; i++)
    if (c[i] > 1000000) a[i] = b[-5000000];
  return 0;
}
