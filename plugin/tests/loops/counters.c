// Loops that count with numbers of each width, in each direction, with pointers, several at once; and all forms of clang's pragma. Each is
// vectorized.
#include <stdio.h>
#include <string.h>

#define N 150
#define FUNCTION static __attribute__((noinline)) void

static int in[N], to[N + 8];

// ---- widths, directions, bounds ----

FUNCTION bytes(int n) {
#pragma omp simd
  for (signed char i = 0; i < (n & 127); i++) to[i] = in[i] + i;
}

FUNCTION unsigned_bytes(int n) {
#pragma omp simd
  for (unsigned char i = 0; i < n; i++) to[i] = in[i] * i;
}

FUNCTION shorts(int n) {
#pragma omp simd
  for (short i = 3; i <= n; i += 2) to[i] = in[i] * i;
}

FUNCTION unsigned_shorts(int n) {
#pragma clang loop vectorize(assume_safety)
  for (unsigned short i = 0; i < (unsigned short)n; i++) to[i] = in[i] * i;
}

FUNCTION down(int n) {
#pragma omp simd
  for (unsigned long i = n; i > 0; i--) to[i] = in[i - 1] * (int)i;
}

FUNCTION until_equal(int n) {
  n -= n % 3;
#pragma clang loop vectorize(assume_safety)
  for (int i = 0; i != n; i += 3) to[i] = in[i];
}

FUNCTION below_zero(int n) {
#pragma omp simd
  for (int i = n; i >= -3; i -= 2) to[i + 3] = i;
}

FUNCTION always_as_many(int n) {
#pragma omp simd
  for (int i = 0; i < 7; i++) to[i + n / 2] = in[i] * 2;
}

// One iteration is left over, of numbers that become narrower. Nothing is written behind them.
FUNCTION one_left_over(int n) {
  static short shorts[N];
  static unsigned char bytes[N];
  memset(shorts, 7, sizeof shorts);
  memset(bytes, 7, sizeof bytes);
#pragma omp simd simdlen(16)
  for (int i = 0; i < 17; i++) shorts[i + n / 2] = in[i];
#pragma omp simd simdlen(32)
  for (int i = 0; i < 33; i++) bytes[i + n / 2] = in[i];
  for (int i = 0; i < N; i++) to[i] = shorts[i] * 256 + bytes[i];
}

// ---- pointers ----

FUNCTION pointers_down(int n) {
#pragma omp simd
  for (int *p = to + n - 1; p >= to; p -= 2) *p = p - to;
}

FUNCTION pointers_to_structs(int n) {
  struct three {
    int a, b, c;
  } *end = (struct three *)to + n / 3;
#pragma omp simd
  for (struct three *p = (struct three *)to; p < end; p++) {
    p->a = p->b + 1;
    p->c = 3;
  }
}

FUNCTION pointers_of_a_while(int n) {
  int *p = to;
  const int *q = in;
#pragma clang loop vectorize(assume_safety)
  while (p < to + n) *p++ = *q++ * 2;
}

// ---- several at once ----

FUNCTION several(int n) {
  int j = 5;
  long k = 7;
  unsigned char c = 250;
  short s = -3;
  unsigned u = ~0u;
#pragma clang loop vectorize(assume_safety)
  for (int i = 0; i < n; i++) {
    to[i] = (int)(j * k + c + s + u);
    j -= 3;
    k += 1000000007;
    c += 3;
    s -= 7;
    u += 5;
  }
  to[N] = (int)(j + k + c + s + u);
}

FUNCTION linear_pointer(int n) {
  int *p = to;
#pragma omp simd linear(p : 2)
  for (int i = 0; i < n / 2; i++) {
    *p = in[i];
    p += 2;
  }
  to[N] = p - to;
}

FUNCTION linear_by_a_variable(int n, int step) {
  int j = 1;
#pragma omp simd linear(j : step)
  for (int i = 0; i < n; i++) {
    to[i] = in[j & 63];
    j += step;
  }
  to[N] = j;
}

FUNCTION counter_behind_the_loop(int n) {
  int i;
#pragma omp simd
  for (i = 0; i < n; i++) to[i] = in[i] ^ 3;
  to[N] = i;
}

// ---- counters that are compared as something else than they are ----

FUNCTION unsigned_down(unsigned n) {
#pragma clang loop vectorize(assume_safety)
  for (unsigned i = n; i > 0; i--) to[i] = in[i] + (int)i;
}

FUNCTION until_zero(unsigned n) {
#pragma clang loop vectorize(assume_safety)
  while (n) {
    to[n] = in[n] * 5;
    n--;
  }
}

FUNCTION at_least_once(unsigned n) {
#pragma clang loop vectorize(assume_safety)
  do {
    to[n] = in[n] ^ (int)n;
    n -= 1;
  } while (n);
}

FUNCTION pairs(int n) {
#pragma clang loop vectorize(assume_safety)
  for (int i = 0; i + 1 < n; i += 2) to[i] = in[i] + in[i + 1] * 3;
}

FUNCTION fours(unsigned n) {
#pragma clang loop vectorize(enable)
  for (unsigned long i = 0; i + 3 < n; i += 4) to[i + 1] = in[i] - in[i + 3];
}

FUNCTION behind_the_counter(unsigned n) {
#pragma clang loop vectorize(assume_safety)
  for (unsigned i = 5; i - 3 < n; i++) to[i - 3] = in[i - 5] * 9;
}

// ---- two counters that meet ----

FUNCTION reversed(int n) {
  memcpy(to, in, sizeof in);
#pragma clang loop vectorize(assume_safety)
  for (int i = 0, j = n - 1; i < j; i++, j--) {
    int x = to[i];
    to[i] = to[j];
    to[j] = x;
  }
}

FUNCTION reversed_by_pointers(int n) {
  memcpy(to, in, sizeof in);
#pragma clang loop vectorize(assume_safety)
  for (int *p = to, *q = to + n - 1; p < q; p++, q--) {
    int x = *p;
    *p = *q;
    *q = x;
  }
}

FUNCTION meeting(int n) {
  long i = 0, j = n;
#pragma clang loop vectorize(assume_safety)
  while (j >= i) {
    to[j] = in[i] + in[j];
    i += 2;
    j -= 1;
  }
  to[N] = i * 1000 + j;
}

// ---- widths that are named, and forms of clang's pragma ----

FUNCTION widths(int n) {
#pragma omp simd simdlen(3)
  for (int i = 0; i < n; i++) to[i] += in[i];
#pragma omp simd simdlen(64)
  for (int i = 0; i < n; i++) to[i] *= 3;
#pragma omp simd simdlen(4) safelen(8)
  for (int i = 8; i < n; i++) to[i] = to[i - 8] + 1;
#pragma omp simd if (simd : n > 20) simdlen(8)
  for (int i = 0; i < n; i++) to[i] ^= i;
}

FUNCTION enabled(int n) {
#pragma clang loop vectorize(enable)
  for (int i = 0; i < n; i++) to[i] = in[i] + i;
}

FUNCTION of_a_width(int n) {
#pragma clang loop vectorize_width(16)
  for (int i = 0; i < n; i++) to[i] = in[i] - i;
}

FUNCTION interleaved(int n) {
#pragma clang loop vectorize(assume_safety) vectorize_width(4) interleave_count(2)
  for (int i = 0; i < n; i++) to[i] = in[i] * i;
}

FUNCTION do_while(int n) {
  int i = 0;
#pragma clang loop vectorize(assume_safety)
  do {
    to[i] = in[i] * 2;
    i++;
  } while (i < n);
}

FUNCTION three_loops(int n) {
#pragma omp simd collapse(3)
  for (int i = 0; i < n / 32; i++)
    for (int j = 0; j < 4; j++)
      for (int k = 7; k >= 0; k--) to[i * 32 + j * 8 + k] = in[i + j + k];
}

FUNCTION one_ahead(int n, int step) {
#pragma clang loop vectorize(enable)
  for (int i = 0; i + 1 < n; i += step) to[i] = in[i] + in[i + 1];
}

FUNCTION two_behind(int n, int step) {
#pragma clang loop vectorize(assume_safety)
  for (int i = n; i - 2 > 0; i -= step) to[i - 1] = in[i];
}

// LLVM computes the next number in two ways.
FUNCTION computed_twice(int n) {
#pragma clang loop vectorize(assume_safety)
  for (int i = 0; i < n; i++) {
    if (i & 1) to[i] = in[i] / (i + 1);
    else to[i] = in[i];
  }
}

FUNCTION computed_on_two_ways(int n) {
#pragma omp simd
  for (int i = 0; i < n; i++) {
    if (i % 4 == 2) to[i] = 0;
    else to[i] = in[(i + 1) & 63] - in[i];
  }
}

#define AS_INT(name) \
  static void name##_of_int(int n) { name(n); }
AS_INT(unsigned_down)
AS_INT(until_zero)
AS_INT(at_least_once)
AS_INT(fours)
AS_INT(behind_the_counter)

static void with_steps(int n) { linear_by_a_variable(n, n % 5); }
static void with_steps_ahead(int n) { one_ahead(n, n % 4 + 1); }
static void with_steps_back(int n) { two_behind(n, n % 3 + 1); }

static void (*const all[])(int) = {bytes, unsigned_bytes, shorts, unsigned_shorts, down, until_equal, below_zero, always_as_many,
                                   one_left_over, pointers_down, pointers_to_structs, pointers_of_a_while, several, linear_pointer, with_steps,
                                   counter_behind_the_loop, widths, enabled, of_a_width, interleaved, do_while, three_loops,
                                   unsigned_down_of_int, until_zero_of_int, at_least_once_of_int, pairs, fours_of_int,
                                   behind_the_counter_of_int, reversed, reversed_by_pointers, meeting, with_steps_ahead, with_steps_back,
                                   computed_twice, computed_on_two_ways};

int main(void) {
  for (int i = 0; i < N; i++) in[i] = i * i % 37;
  for (int n = 1; n < 130; n += n < 20 ? 1 : 13)
    for (size_t k = 0; k < sizeof all / sizeof *all; k++) {
      unsigned hash = 7;
      memset(to, 0, sizeof to);
      all[k](n);
      for (int i = 0; i < N + 8; i++) hash = hash * 31 + to[i];
      printf("%d %d %08x\n", n, (int)k, hash);
    }
}
