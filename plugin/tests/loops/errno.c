// A function that does nothing but to set `errno` now and then is no conflict with what a loop touches. Each loop is vectorized.
#include <math.h>
#include <stdio.h>

static __attribute__((noinline)) void sines(double *restrict to, const double *restrict from, int n) {
#pragma clang loop vectorize(enable)
  for (int i = 0; i < n; i++) to[i] = sin(from[i]);
}

int main(void) {
  double from[50], to[50];
  for (int i = 0; i < 50; i++) from[i] = i * 0.37;
  sines(to, from, 50);
  for (int i = 0; i < 50; i++) printf("%a\n", to[i]);
}
