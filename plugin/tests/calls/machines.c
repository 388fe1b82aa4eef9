// One function that is called from functions for several machines.
#include <stdio.h>

static __attribute__((noinline)) int steps(int x) {
  int n = 0;
  while (x != 1 && n < 100) {
    x = x & 1 ? 3 * x + 1 : x / 2;
    n++;
  }
  return n;
}

#define LOOP(name, machine)                                                     \
  machine void name(int *out, const int *in, int n) { \
    _Pragma("omp simd") for (int i = 0; i < n; i++) out[i] = steps(in[i]);      \
  }
LOOP(base, )
LOOP(avx2, __attribute__((target("avx2"))))
LOOP(fused, __attribute__((target("avx2,fma"))))
LOOP(clones, __attribute__((target_clones("default", "arch=x86-64-v4"))))

int main(void) {
  int in[100], out[100], failures = 0;
  for (int i = 0; i < 100; i++) in[i] = i + 1;
  for (int which = 0; which < 4; which++) {
    if (which == 0) base(out, in, 100);
    if (which == 1 && __builtin_cpu_supports("avx2")) avx2(out, in, 100);
    if (which == 2 && __builtin_cpu_supports("fma")) fused(out, in, 100);
    if (which == 3) clones(out, in, 100);
    for (int i = 0; i < 100; i++) failures += out[i] != steps(in[i]);
  }
  printf("%d failures\n", failures);
}
