#include "kinds.h"

// Clang heeds what is said of definitions.
#pragma omp declare simd aligned(p : 32) uniform(p) linear(i)
double aligned_table(const double *p, int i) { return p[i] * 2; }
#pragma omp declare simd linear(p) aligned(p : 8)
void add_to(double *p, double x) { *p = x + *p; }
#pragma omp declare simd linear(p : 2)
float of_two(const float *p) { return p[0] - p[1]; }
#pragma omp declare simd linear(i : -3)
int backwards(int i, int x) { return i * 2 + x; }
#pragma omp declare simd linear(i : step) uniform(step)
int by_steps(int i, int step, int x) { return i * step + x; }
#pragma omp declare simd linear(p : step) uniform(step)
float by_steps_of_a_pointer(const float *p, long step) { return *p + step; }
#pragma omp declare simd linear(p : step) uniform(step)
int by_steps_of_bytes(const unsigned char *p, long step) { return *p - step; }
#pragma omp declare simd linear(i : step) uniform(step)
long by_short_steps(long i, int step) { return i ^ step; }
#pragma omp declare simd
_Bool odd(int x) { return x & 1; }
#pragma omp declare simd
int turned(_Bool turn, int x) { return turn ? -x : x; }
#pragma omp declare simd
const float *one_of(const float *p, const float *q, int which) { return which > 0 ? p : q; }
#pragma omp declare simd
unsigned char narrow(unsigned char a, unsigned char b) { return a > b ? a - b : a / (b | 1); }
#pragma omp declare simd
unsigned long wide(unsigned long a, unsigned b) { return a % (b | 1); }
#pragma omp declare simd
double mixed(float a, int b, double c) {
  while (c > b) c -= a * a + 1;
  return c;
}
#pragma omp declare simd simdlen(2)
float two_lanes(float a) { return a + 1; }
#pragma omp declare simd simdlen(32)
signed char many_lanes(signed char a) { return a * 3; }
#pragma omp declare simd inbranch
int only_masked(int a, int b) { return a / b; }
#pragma omp declare simd notinbranch
int only_unmasked(int a, int b) { return a - b; }
#pragma omp declare simd uniform(a, b)
float all_uniform(float a, int b) { return a * b; }
#pragma omp declare simd
int any_control_flow(int x) {
  int s = 0;
  for (int i = 0; i < x; i++) {
    if (i == 7) continue;
    for (int j = i; j < x; j += 3) {
      if (s > 500) return s;
      s += j;
    }
    switch (s & 3) {
    case 0: s++; break;
    case 1: goto out;
    default: s += 2;
    }
  }
out:
  return -s;
}
#pragma omp declare simd uniform(t, n)
int search(const int *t, int n, int k) {
  for (int i = 0; i < n; i++)
    if (t[i] > k) return i;
  return n;
}
#pragma omp declare simd
double on_the_stack(double a, double b, double c, double d, double e, double f, double g, double h, int i, float j, short k) {
  return a + 2 * b + 3 * c + 5 * d + 7 * e + 11 * f + 13 * g + 17 * h + i * 10 + j * 1000 + k;
}
#pragma omp declare simd uniform(u) linear(l)
int by_narrow(int x, short u, unsigned char l) { return x + u * 3 + l; }
#pragma omp declare simd
_Bool opposite(_Bool x) { return !x; }
#pragma omp declare simd simdlen(4)
#pragma omp declare simd simdlen(8) uniform(b)
float two_variants(float a, float b) { return a * b; }
#pragma omp declare simd linear(x : -1)
int down_by_one(unsigned char x, int y) { return x * 2 + y; }
#pragma omp declare simd linear(x : -2) linear(y : -3)
int both_down(unsigned x, unsigned short y, int z) { return x / 2 + y * 3 + z; }
#pragma omp declare simd linear(x : 300)
int far_beyond(unsigned char x, int y) { return x + y / 3; }
