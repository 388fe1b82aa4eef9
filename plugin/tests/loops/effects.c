// Calls, intrinsics, and what must be done by one lane after the other. Each loop is vectorized.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define N 100
#define NOINLINE __attribute__((noinline))
#define FUNCTION static NOINLINE void

static int in[N], to[2 * N];
static unsigned u[N];
static unsigned long ul[N];
static float f[N];
static double d[N];
static char bytes[16 * N];

static void put(int i, double x) { memcpy(&to[2 * i], &x, sizeof x); }

// ---- intrinsics and mathematical functions ----

FUNCTION bits(int n) {
#pragma omp simd
  for (int i = 0; i < n; i++)
    to[i] = __builtin_bswap32(in[i]) ^ __builtin_ctz(in[i] | 256) ^ __builtin_popcountll(ul[i]) ^ __builtin_ffs(in[i]) ^
            __builtin_bitreverse32(in[i]) ^ __builtin_rotateleft32(u[i], in[i] & 31) ^ (int)__builtin_rotateright64(ul[i], i & 63);
}

FUNCTION overflows(int n) {
#pragma omp simd
  for (int i = 0; i < n; i++) {
    int sum, product;
    if (__builtin_add_overflow(in[i], u[i] << 8, &sum)) sum = -1;
    if (__builtin_mul_overflow(in[i] << 16, in[n - 1 - i] * 10000, &product)) product = -2;
    to[i] = sum ^ product ^ (int)__builtin_elementwise_add_sat(u[i], u[0] << 3);
  }
}

FUNCTION rounded(int n) {
#pragma omp simd
  for (int i = 0; i < n; i++) put(i, floor(d[i]) + 2 * ceil(d[i]) + 4 * trunc(d[i]) + 8 * rint(d[i]) + 16 * round(d[i]) + copysign(1, d[i]));
}

FUNCTION mathematical(int n) {
#pragma omp simd
  for (int i = 0; i < n; i++)
    if (in[i] & 1) put(i, pow(fabs(d[i]), 0.3) + atan2(d[i], 2) + fmod(d[i], 0.7) + log(fabs(d[i]) + 1));
    else put(i, tanh(d[i]) + cbrt(d[i]) + fma(d[i], 2, d[0]) + sqrt(fabs(d[i])));
}

FUNCTION several_results(int n) {
#pragma omp simd
  for (int i = 0; i < n; i++) {
    double whole;
    int exponent;
    put(i, modf(d[i], &whole) + 3 * whole + frexp(d[i], &exponent) * exponent);
  }
}

// ---- functions of the module and others ----

static NOINLINE int unknown(int x) {
  __asm__ volatile("" ::: "memory");
  return x * 3;
}

FUNCTION one_after_the_other(int n) {
#pragma omp simd
  for (int i = 0; i < n; i++) to[i] = in[i] > 3 ? unknown(in[i]) : unknown(i) + 1;
}

static NOINLINE int b(int);
static NOINLINE int a(int x) { return x <= 0 ? 1 : b(x - 1) * 3 & 1023; }
static NOINLINE int b(int x) { return x <= 0 ? 2 : a(x - 2) + x; }

FUNCTION each_other(int n) {
#pragma omp simd
  for (int i = 0; i < n; i++) to[i] = a(in[i]);
}

static int one_more(int x) { return x + 1; }
static int twice(int x) { return x * 2; }
static int (*const functions[])(int) = {one_more, twice};

FUNCTION by_pointers(int n) {
  int (*one)(int) = functions[n & 1];
#pragma omp simd
  for (int i = 0; i < n; i++) to[i] = functions[in[i] & 1](i) + one(in[i]);
}

static NOINLINE void two(int x, int *first, float *second) {
  *first = x * 2;
  if (x > 2) *second = x;
}

FUNCTION results_in_memory(int n) {
#pragma omp simd
  for (int i = 0; i < n; i++) {
    int first;
    float second = 0;
    two(in[i], &first, &second);
    to[i] = first + (int)second;
  }
}

// ---- calls in loops of which nothing is promised ----

static NOINLINE __attribute__((const)) int rounds(int x) {
  int k = 0;
  for (; x > 1; k++) x = x & 1 ? 3 * x + 1 : x / 2;
  return k;
}

static NOINLINE __attribute__((const)) int rabbits(int x) { return x < 2 ? x : rabbits(x - 1) + rabbits(x - 2); }

FUNCTION without_memory(int n) {
#pragma clang loop vectorize(enable)
  for (int i = 0; i < n; i++) to[i] = rounds(in[i]) * 100 + rabbits(in[i]);
}

FUNCTION heap(int n) {
#pragma omp simd
  for (int i = 0; i < n; i++) {
    int *p = malloc(4 * (in[i] + 1));
    p[in[i]] = i;
    to[i] = p[in[i]] + 1;
    free(p);
  }
}

// ---- memory by the byte ----

FUNCTION moved(int n) {
#pragma omp simd
  for (int i = 0; i < n; i++) {
    memmove(&bytes[16 * i + 2], &bytes[16 * i], in[i]);
    if (in[i] & 1) memcpy(&to[i], &f[i], sizeof *to);
    else memset(&to[i], in[i], in[i] & 3);
  }
}

FUNCTION own_memory(int n) {
#pragma omp simd
  for (int i = 0; i < n; i++) {
    int t[8], copy[8], s = 0;
    memset(t, 0, sizeof t);
    for (int k = 0; k < in[i]; k++) t[(i + k) & 7] += k;
    memcpy(copy, t, sizeof copy);
    copy[in[i]] = 3;
    for (int k = 0; k < 8; k++) s = s * 3 + t[k] - copy[7 - k];
    to[i] = s;
  }
}

// ---- atomics and volatile ----

FUNCTION atomics(int n) {
#pragma omp simd
  for (int i = 0; i < n; i++) {
    int k = in[i];
    __atomic_fetch_or(&to[k], 1 << (i & 7), __ATOMIC_SEQ_CST);
    __atomic_fetch_xor(&to[8 + k], i, __ATOMIC_ACQ_REL);
    to[40 + i] = __atomic_fetch_sub(&to[16 + k], i, __ATOMIC_RELAXED);
    if (k & 1) __atomic_exchange_n(&to[24 + k], i, __ATOMIC_RELAXED);
  }
}

FUNCTION compared_and_exchanged(int n) {
#pragma omp simd
  for (int i = 0; i < n; i++) {
    int *p = &to[in[i]], seen = __atomic_load_n(p, __ATOMIC_RELAXED);
    while (!__atomic_compare_exchange_n(p, &seen, seen > i ? seen : i, 1, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {}
  }
}

FUNCTION fences(int n) {
#pragma omp simd
  for (int i = 0; i < n; i++) {
    __atomic_store_n(&to[i], in[i], __ATOMIC_RELEASE);
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
  }
}

FUNCTION volatile_memory(int n) {
  volatile int *v = to;
  volatile float one = 1;
#pragma omp simd
  for (int i = 0; i < n; i++)
    if (in[i] & 1) v[i] += in[i] + (int)one;
}

static void (*const all[])(int) = {bits, overflows, rounded, mathematical, several_results, one_after_the_other, each_other, by_pointers,
                                   results_in_memory, without_memory, heap, moved, own_memory, atomics, compared_and_exchanged, fences, volatile_memory};

int main(void) {
  for (int i = 0; i < N; i++) {
    in[i] = i * 5 % 7;
    u[i] = i * 2654435761u;
    ul[i] = u[i] * 0x9e3779b97f4a7c15ul;
    f[i] = d[i] = (in[i] - 2.4) * i / 7;
  }
  for (int n = 1; n <= N; n += n < 20 ? 1 : 13)
    for (size_t k = 0; k < sizeof all / sizeof *all; k++) {
      unsigned hash = 7;
      memset(to, 0, sizeof to);
      for (size_t i = 0; i < sizeof bytes; i++) bytes[i] = i;
      all[k](n);
      for (int i = 0; i < 2 * N; i++) hash = hash * 31 + to[i];
      for (size_t i = 0; i < sizeof bytes; i++) hash = hash * 31 + bytes[i];
      printf("%d %d %08x\n", n, (int)k, hash);
    }
}
