// A loop calls a function that is not vectorized and one that is. How wide registers are is up to each function.
#include <stdio.h>

#define NOINLINE __attribute__((noinline))

NOINLINE static float odd(float x, float y) {
  __asm__ volatile("" ::: "memory");
  return x * 2 + y;
}

NOINLINE static float halved(float x, float least) {
  while (x > least) x *= 0.5f;
  return x;
}

static float in[100], out[100];

#ifdef __AVX512F__
__attribute__((min_vector_width(512)))
#endif
NOINLINE static void all(int n) {
#pragma omp simd simdlen(16)
  for (int i = 0; i < n; ++i)
    if (in[i] > 3) out[i] = odd(in[i], in[99 - i]) + halved(in[i], in[99 - i] + 1);
}

NOINLINE static void others(int n) {
#pragma omp simd simdlen(16)
  for (int i = 0; i < n; ++i) out[i] = odd(in[99 - i], in[i]) + halved(in[i], in[99 - i] + 2);
}

int main(void) {
  int failures = 0;
  for (int i = 0; i < 100; ++i) in[i] = (float)i * 0.7f;
  all(100);
  for (volatile int i = 0; i < 100; ++i) {
    float wanted = in[i] > 3 ? odd(in[i], in[99 - i]) + halved(in[i], in[99 - i] + 1) : 0;
    failures += out[i] != wanted;
  }
  others(100);
  for (volatile int i = 0; i < 100; ++i)
    failures += out[i] != odd(in[99 - i], in[i]) + halved(in[i], in[99 - i] + 2);
  printf("%d failures\n", failures);
  return failures != 0;
}
