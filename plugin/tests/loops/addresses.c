// Addresses in arrays of the body, compared, subtracted, chosen and rounded. What LLVM computes of them before the loop, lanes compute of their own.

#include <stdint.h>
#include <stdio.h>
#include <string.h>

#define N 60
#define FUNCTION static __attribute__((noinline)) void

static int in[N], out[N];

static inline int *find(int *from, int *to, int x) {
  while (from != to && *from != x) from++;
  return from;
}

static inline void fill(int *a, int from) {
  for (int k = 0; k < 8; k++) a[k] = from + k;
}

FUNCTION place_of(int n) {
#pragma omp simd
  for (int i = 0; i < n; i++) {
    int a[8];
    fill(a, i);
    out[i] = find(a, a + 8, 12) - a;
  }
}

FUNCTION place_of_the_greatest(int n) {
#pragma clang loop vectorize(assume_safety)
  for (int i = 0; i < n; i++) {
    int a[8], *most = a;
    for (int k = 0; k < 8; k++) a[k] = i * k % 12;
    for (int *p = a; p < a + 8; p++)
      if (*p > *most) most = p;
    out[i] = most - a;
  }
}

FUNCTION depth_of_a_stack(int n) {
#pragma omp simd
  for (int i = 0; i < n; i++) {
    int stack[16], *top = stack, sum = 0;
    *top++ = i;
    while (top > stack) {
      int x = *--top;
      sum += x;
      if (x > 2) *top++ = x / 2, *top++ = x / 3;
      if (top - stack > 12) break;
    }
    out[i] = sum;
  }
}

FUNCTION one_of_two(int n) {
  int which = in[3] & 1;
#pragma omp simd
  for (int i = 0; i < n; i++) {
    int x[8], y[8];
    fill(x, i), fill(y, -i);
    int *p = which ? x : y;
    p[in[i] & 7] += 100;
    out[i] = x[1] + y[in[i] & 7] + *p;
  }
}

FUNCTION one_of_two_in_an_iteration(int n) {
#pragma omp simd
  for (int i = 0; i < n; i++) {
    int x[8], y[8], *p = i & 1 ? x : y, *q = p;
    fill(x, i), fill(y, -i);
    while (q < p + 8 && *q != 12) q += 2;
    out[i] = q - p + (p == x ? 100 : 200);
  }
}

FUNCTION rounded(int n) {
#pragma omp simd
  for (int i = 0; i < n; i++) {
    char room[192];
    int *p = (int *)(((uintptr_t)room + 63) & ~(uintptr_t)63);
    for (int k = 0; k < 16; k++) p[k] = i ^ k;
    out[i] = p[in[i] & 15] + ((char *)p >= room);
  }
}

// The array is declared before the loop, and only the loop uses it.
FUNCTION digits(int n) {
  char text[16];
#pragma clang loop vectorize(assume_safety)
  for (int i = 0; i < n; i++) {
    char *p = text;
    int x = in[i] * 7919, sum = 0;
    do *p++ = x % 10;
    while (x /= 10);
    int length = p - text;
    while (p > text) sum = sum * 3 + *--p;
    out[i] = sum + length;
  }
}

FUNCTION swapped(int n) {
  int rounds = in[5] % 4;
#pragma omp simd
  for (int i = 0; i < n; i++) {
    int x[8], y[8], *from = x, *to = y;
    fill(x, i);
    for (int r = 0; r < rounds; r++) {
      for (int k = 0; k < 8; k++) to[k] = from[k] * 3 - from[k ^ 1];
      int *other = from;
      from = to, to = other;
    }
    out[i] = from[in[i] & 7] + (from == x);
  }
}

static void (*const all[])(int) = {place_of, place_of_the_greatest, depth_of_a_stack, one_of_two, one_of_two_in_an_iteration, rounded, digits, swapped};

int main(void) {
  for (int round = 0; round < 3; round++)
    for (int n = 1; n <= N; n += n < 20 ? 1 : 13) {
      for (int i = 0; i < N; i++) in[i] = i * (5 + round) % 17 + round;
      for (size_t k = 0; k < sizeof all / sizeof *all; k++) {
        memset(out, 0, sizeof out);
        all[k](n);
        unsigned hash = 7;
        for (int i = 0; i < N; i++) hash = hash * 31 + out[i];
        printf("%d %d %x\n", n, (int)k, hash);
      }
    }
}
