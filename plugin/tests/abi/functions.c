#include "functions.h"

#pragma omp declare simd notinbranch
#pragma omp declare simd inbranch
float select_float(float x, float y) { return x > 0 ? x * y : y - x; }

#pragma omp declare simd notinbranch
#pragma omp declare simd inbranch
int iterations(float re, float im) {
  float x = re, y = im;
  int n = 0;
  while (x * x + y * y < 4 && n < 50) {
    float t = x * x - y * y + re;
    y = 2 * x * y + im;
    x = t;
    ++n;
  }
  return n;
}

#pragma omp declare simd uniform(table) linear(i) notinbranch
#pragma omp declare simd uniform(table) linear(i) inbranch
double from_table(const double *table, int i, double x) { return table[i] + x; }

#pragma omp declare simd linear(i : step) uniform(step) notinbranch
#pragma omp declare simd linear(i : step) uniform(step) inbranch
int stepped(int i, int step, int x) { return x < i ? i * 3 : x + step; }

#pragma omp declare simd simdlen(8) notinbranch
#pragma omp declare simd simdlen(8) inbranch
double wide_double(double x) { return x < 1 ? x + 1 : x * x; }

#pragma omp declare simd simdlen(16) notinbranch
#pragma omp declare simd simdlen(16) inbranch
float wide_float(float x, int k) { return k & 1 ? x * k : x - k; }

#pragma omp declare simd notinbranch
#pragma omp declare simd inbranch
signed char bytes(signed char x, signed char y) { return x > y ? x - y : y + 3; }

#pragma omp declare simd notinbranch
#pragma omp declare simd inbranch
short shorts(short x, short y) { return x > y ? x * y : y ^ x; }

#pragma omp declare simd notinbranch
#pragma omp declare simd inbranch
int quotient(int x, int y) { return x / y; }

#pragma omp declare simd uniform(by)
float scaled(float x, unsigned char by) { return x < 0 ? x : x * by; }

#pragma omp declare simd linear(to) notinbranch
#pragma omp declare simd linear(to) inbranch
void put(float *to, float x) { *to = x + 1; }

#pragma omp declare simd notinbranch
#pragma omp declare simd inbranch
long follow(const long *from, long k) { return from[k & 3] + k; }
