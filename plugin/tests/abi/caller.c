// Calls each function from a loop that the compiler vectorizes, with and without a condition, and compares with calls of the scalar
// function one by one.
#include "functions.h"
#include <stdio.h>
#include <string.h>

enum { N = 256 };

static float fx[N], fy[N], fout[N + 1];
static double dx[N], dout[N], table[N];
static int ix[N], iy[N], iout[N];
static signed char cx[N], cy[N], cout[N];
static short sx[N], sy[N], sout[N];
static long lx[N], lout[N];
static const long *lp[N];
static int failures;

static void check(const char *name, int i, const void *got, const void *wanted, size_t size) {
  if (memcmp(got, wanted, size) != 0 && failures++ < 20)
    printf("%s differs at %d\n", name, i);
}

// The scalar function through a pointer that the compiler knows nothing of, for each i at which `active` holds, else `otherwise`.
#define CHECK(name, type, out, otherwise, active, ...)                                                                 \
  do {                                                                                                                 \
    __typeof__(name) *volatile scalar = name;                                                                          \
    for (int i = 0; i < N; ++i) {                                                                                      \
      type wanted = (active) ? scalar(__VA_ARGS__) : (otherwise);                                                      \
      check(#name, i, &out[i], &wanted, sizeof wanted);                                                                \
    }                                                                                                                  \
  } while (0)

// All lanes, then only some.
#define BOTH(name, type, out, active, ...)                                                                             \
  do {                                                                                                                 \
    _Pragma("omp simd") for (int i = 0; i < N; ++i) out[i] = name(__VA_ARGS__);                                        \
    CHECK(name, type, out, 0, 1, __VA_ARGS__);                                                                         \
    _Pragma("omp simd") for (int i = 0; i < N; ++i) {                                                                  \
      type result = 7;                                                                                                 \
      if (active)                                                                                                      \
        result = name(__VA_ARGS__);                                                                                    \
      out[i] = result;                                                                                                 \
    }                                                                                                                  \
    CHECK(name, type, out, 7, active, __VA_ARGS__);                                                                    \
  } while (0)

__attribute__((noinline)) static void run(int step) {
  BOTH(select_float, float, fout, fx[i] > -1, fx[i], fy[i]);
  BOTH(iterations, int, iout, fx[i] > -1, fx[i], fy[i]);
  BOTH(from_table, double, dout, dx[i] > 0.5, table, i, dx[i]);
  BOTH(stepped, int, iout, ix[i] > 3, i * step, step, ix[i]);
  BOTH(wide_double, double, dout, dx[i] > 0.5, dx[i]);
  BOTH(wide_float, float, fout, fx[i] > -1, fx[i], ix[i]);
  BOTH(bytes, signed char, cout, cx[i] > 2, cx[i], cy[i]);
  BOTH(shorts, short, sout, sx[i] > 2, sx[i], sy[i]);
#pragma omp simd
  for (int i = 0; i < N; ++i) {
    int result = 7;
    if (iy[i] != 0)
      result = quotient(ix[i], iy[i]);
    iout[i] = result;
  }
  CHECK(quotient, int, iout, 7, iy[i] != 0, ix[i], iy[i]);
  BOTH(follow, long, lout, lx[i] > 5, lp[i], lx[i]);

#pragma omp simd
  for (int i = 0; i < N; ++i)
    put(&fout[i], fx[i]);
  for (int i = 0; i < N; ++i)
    check("put", i, &fout[i], &(float){fx[i] + 1}, sizeof(float));
  memset(fout, 0, sizeof fout);
#pragma omp simd
  for (int i = 0; i < N; ++i)
    if (fx[i] > 0)
      put(&fout[i], fx[i]);
  for (int i = 0; i < N; ++i)
    check("put", i, &fout[i], &(float){fx[i] > 0 ? fx[i] + 1 : 0}, sizeof(float));
}

int main(void) {
  static const long places[4] = {11, -22, 33, -44};
  unsigned state = 12345;
  for (int i = 0; i < N; ++i) {
    state = state * 1664525 + 1013904223;
    fx[i] = (int)(state >> 20) / 1024.0f - 2;
    fy[i] = (int)(state >> 10 & 1023) / 512.0f - 1;
    dx[i] = (state >> 8 & 4095) / 2048.0;
    table[i] = i * 1.5;
    ix[i] = (int)(state >> 5) % 100;
    iy[i] = (int)(state >> 9) % 7 - 3;
    cx[i] = (signed char)(state >> 12);
    cy[i] = (signed char)(state >> 18);
    sx[i] = (short)(state >> 11);
    sy[i] = (short)(state >> 7);
    lx[i] = state >> 24;
    lp[i] = places;
  }
  run(3);
  printf("%d failures\n", failures);
  return failures != 0;
}
