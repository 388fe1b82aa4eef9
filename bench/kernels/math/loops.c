// Each function in a loop, for floats and for doubles.
#define _GNU_SOURCE
#include "functions.h"
#include <math.h>

#define LOOP1(name, low, high) \
  void floats_##name(int n, const float *restrict x, const float *restrict y, float *restrict to) { \
    (void)y; \
    _Pragma("omp simd") for (int i = 0; i < n; i++) to[i] = name##f(x[i]); \
  } \
  void doubles_##name(int n, const double *restrict x, const double *restrict y, double *restrict to) { \
    (void)y; \
    _Pragma("omp simd") for (int i = 0; i < n; i++) to[i] = name(x[i]); \
  }
#define LOOP2(name, low, high) \
  void floats_##name(int n, const float *restrict x, const float *restrict y, float *restrict to) { \
    _Pragma("omp simd") for (int i = 0; i < n; i++) to[i] = name##f(x[i], y[i]); \
  } \
  void doubles_##name(int n, const double *restrict x, const double *restrict y, double *restrict to) { \
    _Pragma("omp simd") for (int i = 0; i < n; i++) to[i] = name(x[i], y[i]); \
  }
ONE(LOOP1)
TWO(LOOP2)
