// The best so far, where there may be none yet: `if (at < 0 || x < best) { best = x; at = i; }`.

#include <stdio.h>
#include <stdlib.h>

#define N 150
#define FUNCTION static __attribute__((noinline)) void

static signed char i8[N];
static unsigned u32[N];
static int i32[N], c[N];
static unsigned long u64[N];
static float f32[N];
static double f64[N];

static void put(double x) { printf(" %g", x); }

FUNCTION least(int n) {
  int at = -1, best = 0;
#pragma omp simd
  for (int i = 0; i < n; i++)
    if (at < 0 || i32[i] < best) best = i32[i], at = i;
  put(at), put(best);
}

FUNCTION last_greatest_of_some(int n) {
  long at = -1;
  unsigned best = 0;
#pragma clang loop vectorize(assume_safety)
  for (long i = 0; i < n; i++) {
    unsigned x = u32[i];
    if (c[i] % 5 == 2 && (at == -1 || x >= best)) best = x, at = i;
  }
  put(at), put(best);
}

FUNCTION asked_in_the_other_order(int n) {
  int at = -5;
  unsigned long best = 77;
#pragma clang loop vectorize(enable)
  for (int i = 0; i < n; i++)
    if (u64[i] < best || at == -5) best = u64[i], at = i;
  put(at), put(best);
}

FUNCTION nearest(int n) {
  int at = -1;
  float best = 0, with = 5;
#pragma omp simd
  for (int i = 0; i < n; i++) {
    float d = f32[i] * f32[i] - (float)c[i];
    if (at == -1 || d < best) best = d, at = i, with = f32[i];
  }
  put(at), put(best), put(with);
}

FUNCTION the_other_way_round(int n) {
  int at = -1, best = 3;
#pragma omp simd
  for (int i = 0; i < n; i++) {
    if (at >= 0 && i8[i] <= best) continue;
    if (c[i] % 3) best = i8[i], at = i;
  }
  put(at), put(best);
}

// There may be one before the loop, and nothing better.
FUNCTION perhaps_before(int n) {
  int at = n % 3 - 1, best = n % 3 - 90;
#pragma omp simd
  for (int i = 0; i < n; i++)
    if (at < 0 || i32[i] < best) best = i32[i], at = i;
  put(at), put(best);
}

FUNCTION two_of_them(int n) {
  int low = -1, high = -1, least = 0, greatest = 0;
#pragma omp simd
  for (int i = 0; i < n; i++) {
    if (low < 0 || i32[i] < least) least = i32[i], low = i;
    if (c[i] & 1 && (high < 0 || i32[i] > greatest)) greatest = i32[i], high = i;
  }
  put(low), put(high), put(least), put(greatest);
}

FUNCTION by_numbers(int n) {
  int count = 0;
  double best = 0;
#pragma omp simd
  for (int i = 0; i < n; i++)
    if (c[i] & 1 && (count == 0 || f64[i] > best)) best = f64[i], count = 1;
  put(count), put(best);
}

FUNCTION by_truth(int n) {
  _Bool found = 0;
  double best = 0;
#pragma omp simd
  for (int i = 0; i < n; i++)
    if (c[i] > 2 && (!found || f64[i] > best)) best = f64[i], found = 1;
  put(found), put(best);
}

static void (*const all[])(int) = {least, last_greatest_of_some, asked_in_the_other_order, nearest,
    the_other_way_round, perhaps_before, two_of_them, by_numbers, by_truth};

int main(void) {
  for (int round = 0; round < 4; round++) {
    srand(round);
    for (int i = 0; i < N; i++) {
      i8[i] = (signed char)(rand() % 200 - 100);
      u32[i] = rand() % 50;
      i32[i] = rand() % (round == 2 ? 3 : 300) - 150;
      c[i] = round == 3 ? 0 : rand() % 10;
      u64[i] = rand() % 90;
      f32[i] = (float)(rand() % 40) / 4;
      f64[i] = (double)(rand() % 400) / 8 - 30;
    }
    for (unsigned k = 0; k < sizeof all / sizeof *all; k++) {
      printf("%u:", k);
      for (int n = 0; n <= N; n += n < 40 ? 1 : 37) all[k](n);
      printf("\n");
    }
  }
  return 0;
}
