// Loops that call NEON variants which take and return several registers or memory.
#include <stdio.h>

#pragma omp declare simd simdlen(16)
double memory(double, float);
#pragma omp declare simd simdlen(4)
short mixed(long, int, signed char);
#pragma omp declare simd
float narrowed(double);
#pragma omp declare simd
double widened(float);

enum { N = 103 };
static double d[N], rd[N], rw[N];
static float f[N], rf[N];
static long x[N];
static int y[N];
static signed char z[N];
static short rs[N];

int main(void) {
  for (int i = 0; i < N; ++i)
    d[i] = i * 0.75 - 30, f[i] = 20.5f - i, x[i] = i * 99 - 5000, y[i] = i % 9 - 4, z[i] = i;
#pragma omp simd simdlen(16)
  for (int i = 0; i < N; ++i)
    if (i % 5) rd[i] = memory(d[i], f[i]);
#pragma omp simd simdlen(4)
  for (int i = 0; i < N; ++i) rs[i] = mixed(x[i], y[i], z[i]);
#pragma omp simd simdlen(4)
  for (int i = 0; i < N; ++i) rf[i] = narrowed(d[i]), rw[i] = widened(f[i]);
  int failures = 0;
  for (volatile int i = 0; i < N; ++i) {
    failures += rd[i] != (i % 5 ? memory(d[i], f[i]) : 0);
    failures += rs[i] != mixed(x[i], y[i], z[i]);
    failures += rf[i] != narrowed(d[i]) || rw[i] != widened(f[i]);
  }
  printf("%d failures\n", failures);
  return failures != 0;
}
