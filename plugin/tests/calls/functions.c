#include "functions.h"
#include <math.h>

__attribute__((noinline)) static float halved(float x, float least) {
  while (x > least)
    x *= 0.5f;
  return x;
}

#pragma omp declare simd notinbranch
#pragma omp declare simd inbranch
float ours(float x, int n) {
  if (n > 3)
    return halved(x, 2.0f) + 1.0f;
  return halved(x, 8.0f);
}

#pragma omp declare simd notinbranch
#pragma omp declare simd inbranch
__attribute__((noinline)) int recursive(int n) {
  if (n < 2)
    return n;
  return recursive(n - 1) + recursive(n - 2);
}

#pragma omp declare simd notinbranch
float waves(float x, float y) { return x > 0 ? sinf(x) * powf(x, y) : expf(y); }

#pragma omp declare simd linear(i) uniform(p, scale) notinbranch
float calls_theirs(const float *p, int i, float scale) {
  float x = p[i] > 1 ? theirs(p[i], scale) : 0;
  return x + theirs_at(p, i);
}
