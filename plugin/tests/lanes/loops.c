// The functions that see other lanes, called from loops: for targets without an ABI of vector functions.
#include "across.c"

typedef int ints __attribute__((vector_size(16)));
typedef float floats __attribute__((vector_size(16)));
typedef double doubles __attribute__((vector_size(16)));
typedef long longs __attribute__((vector_size(16)));

// LLVM has no counter for a loop that it knows to have two iterations.
static volatile int some = 2;

ints loopN4v_across(ints in) {
  int x[4], r[4];
  __builtin_memcpy(x, &in, sizeof in);
#pragma omp simd simdlen(4)
  for (int t = 0; t < 4; ++t) r[t] = across(x[t]);
  __builtin_memcpy(&in, r, sizeof in);
  return in;
}

ints loopN4v_bits(ints in) {
  int x[4], r[4];
  __builtin_memcpy(x, &in, sizeof in);
#pragma omp simd simdlen(4)
  for (int t = 0; t < 4; ++t) r[t] = bits(x[t]);
  __builtin_memcpy(&in, r, sizeof in);
  return in;
}

floats loopN4vv_moves(floats in, ints chosen) {
  float x[4], r[4];
  int k[4];
  __builtin_memcpy(x, &in, sizeof in);
  __builtin_memcpy(k, &chosen, sizeof chosen);
#pragma omp simd simdlen(4)
  for (int t = 0; t < 4; ++t) r[t] = moves(x[t], k[t]);
  __builtin_memcpy(&in, r, sizeof in);
  return in;
}

doubles loopN2vv_wide(doubles in, longs with) {
  double x[2], r[2];
  int two = some;
  long k[2];
  __builtin_memcpy(x, &in, sizeof in);
  __builtin_memcpy(k, &with, sizeof with);
#pragma omp simd simdlen(2)
  for (int t = 0; t < two; ++t) r[t] = wide(x[t], (unsigned long)k[t]);
  __builtin_memcpy(&in, r, sizeof in);
  return in;
}

longs loopN2vv_combined(longs in, longs with) {
  unsigned long x[2];
  long y[2], r[2];
  int two = some;
  __builtin_memcpy(x, &in, sizeof in);
  __builtin_memcpy(y, &with, sizeof with);
#pragma omp simd simdlen(2)
  for (int t = 0; t < two; ++t) r[t] = combined(x[t], y[t]);
  __builtin_memcpy(&in, r, sizeof in);
  return in;
}
