// Each operation of a `reduction` clause on numbers of each type, in all iterations and in some; and what LLVM makes other forms of. Numbers
// are such that floats may be summed in any order. Each loop is vectorized.
#include <math.h>
#include <stdio.h>
#include <string.h>

#define N 150

static signed char i8[N];
static unsigned char u8[N];
static short i16[N];
static unsigned short u16[N];
static int i32[N];
static unsigned u32[N];
static long i64[N];
static unsigned long u64[N];
static __int128 i128[N];
static _Float16 f16[N];
static float f32[N];
static double f64[N];
static long double f80[N];
static _Bool t[N], flag[N];

static unsigned hash;

static void add(const void *data, size_t size) {
  for (size_t i = 0; i < size; i++) hash = hash * 31 + ((const unsigned char *)data)[i];
}

#define PRAGMA(text) _Pragma(#text)
#define LENGTH(type) (sizeof(type) == sizeof(long double) && (type)0.5 ? 10 : sizeof(type))
#define LOOP(name, type, op, start, combine)                                \
  static __attribute__((noinline)) void name##_##op##_all(int n) {          \
    type s = start;                                                         \
    PRAGMA(omp simd reduction(OP_##op : s))                                 \
    for (int i = 0; i < n; i++) s = combine(s, name[i]);                    \
    add(&s, LENGTH(type));                                                  \
  }                                                                         \
  static __attribute__((noinline)) void name##_##op##_some(int n) {         \
    type s = start;                                                         \
    PRAGMA(omp simd reduction(OP_##op : s))                                 \
    for (int i = 0; i < n; i++)                                             \
      if (flag[i]) s = combine(s, name[i]);                                 \
    add(&s, LENGTH(type));                                                  \
  }                                                                         \
  static void name##_##op(int n) { name##_##op##_all(n), name##_##op##_some(n); }

#define OP_add +
#define OP_mul *
#define OP_and &
#define OP_or |
#define OP_xor ^
#define OP_min min
#define OP_max max
#define ADD(s, x) s + x
#define MUL(s, x) s *(x | 1)
#define AND(s, x) s &(x | 0x51)
#define OR(s, x) s | (x & 0x2a)
#define XOR(s, x) s ^ x
#define MIN(s, x) x < s ? x : s
#define MAX(s, x) x > s ? x : s
#define DOUBLE(s, x) s *(x > 20 ? 2 : 1)

// clang-format off
LOOP(i8, signed char, add, 3, ADD)
LOOP(i8, signed char, mul, 3, MUL)
LOOP(i8, signed char, and, -1, AND)
LOOP(i8, signed char, or, 1, OR)
LOOP(i8, signed char, xor, 1, XOR)
LOOP(i8, signed char, min, 90, MIN)
LOOP(i8, signed char, max, -90, MAX)
LOOP(u8, unsigned char, add, 3, ADD)
LOOP(u8, unsigned char, mul, 3, MUL)
LOOP(u8, unsigned char, and, -1, AND)
LOOP(u8, unsigned char, or, 1, OR)
LOOP(u8, unsigned char, xor, 1, XOR)
LOOP(u8, unsigned char, min, 90, MIN)
LOOP(u8, unsigned char, max, 90, MAX)
LOOP(i16, short, add, 3, ADD)
LOOP(i16, short, mul, 3, MUL)
LOOP(i16, short, and, -1, AND)
LOOP(i16, short, or, 1, OR)
LOOP(i16, short, xor, 1, XOR)
LOOP(i16, short, min, 90, MIN)
LOOP(i16, short, max, -90, MAX)
LOOP(u16, unsigned short, add, 3, ADD)
LOOP(u16, unsigned short, min, 999, MIN)
LOOP(u16, unsigned short, max, 999, MAX)
LOOP(i32, int, add, 3, ADD)
LOOP(i32, unsigned, mul, 3, MUL)
LOOP(i32, int, and, -1, AND)
LOOP(i32, int, or, 1, OR)
LOOP(i32, int, xor, 1, XOR)
LOOP(i32, int, min, 90, MIN)
LOOP(i32, int, max, -90, MAX)
LOOP(u32, unsigned, min, 999, MIN)
LOOP(u32, unsigned, max, 999, MAX)
LOOP(i64, long, add, 3, ADD)
LOOP(u64, unsigned long, mul, 3, MUL)
LOOP(i64, long, and, -1, AND)
LOOP(i64, long, or, 1, OR)
LOOP(i64, long, xor, 1, XOR)
LOOP(i64, long, min, 90, MIN)
LOOP(i64, long, max, -90, MAX)
LOOP(u64, unsigned long, min, 999, MIN)
LOOP(u64, unsigned long, max, 999, MAX)
LOOP(i128, __int128, add, 3, ADD)
LOOP(i128, __int128, xor, 1, XOR)
LOOP(i128, __int128, min, 90, MIN)
LOOP(i128, __int128, max, -90, MAX)
LOOP(f16, _Float16, add, 3, ADD)
LOOP(f16, _Float16, mul, 1, DOUBLE)
LOOP(f16, _Float16, min, 3, MIN)
LOOP(f16, _Float16, max, -3, MAX)
LOOP(f32, float, add, 3, ADD)
LOOP(f32, float, mul, 3, DOUBLE)
LOOP(f32, float, min, 3, MIN)
LOOP(f32, float, max, -3, MAX)
LOOP(f64, double, add, 3, ADD)
LOOP(f64, double, mul, 3, DOUBLE)
LOOP(f64, double, min, 3, MIN)
LOOP(f64, double, max, -3, MAX)
LOOP(f80, long double, add, 3, ADD)
LOOP(f80, long double, mul, 3, DOUBLE)
LOOP(f80, long double, min, 3, MIN)
LOOP(f80, long double, max, -3, MAX)
// clang-format on

#define FUNCTION static __attribute__((noinline)) void

FUNCTION truths(int n) {
  _Bool every = 1, any = 0;
#pragma omp simd reduction(& : every) reduction(| : any)
  for (int i = 0; i < n; i++) {
    every &= t[i];
    any |= i32[i] > 1 << 24;
  }
  if (every) hash += 5;
  if (any) hash *= 3;
}

FUNCTION some_truths(int n) {
  _Bool every = 1, odd = 0;
#pragma omp simd reduction(& : every) reduction(^ : odd)
  for (int i = 0; i < n; i++)
    if (flag[i]) {
      every &= i32[i] != 7;
      odd ^= i32[i] > 1 << 24;
    }
  if (every) hash += 5;
  if (odd) hash *= 3;
}

// Of what is in memory LLVM knows that it is 0 or 1, and compares it.
FUNCTION odd_truths(int n) {
  _Bool odd = 0, some = 1, alike = 1;
#pragma omp simd reduction(^ : odd, some)
  for (int i = 0; i < n; i++) {
    odd ^= t[i];
    if (t[i]) some ^= flag[i];
  }
#pragma clang loop vectorize(assume_safety)
  for (int i = 0; i < n; i++) alike = alike == t[i];
  if (odd) hash += 5;
  if (some) hash *= 3;
  if (alike) hash += 7;
}

FUNCTION truths_in_numbers(int n) {
  int every = 1, any = 0;
#pragma omp simd
  for (int i = 0; i < n; i++) every = every && t[i];
#pragma omp simd
  for (int i = 0; i < n; i++) any = any || !flag[i];
  hash += 5 * every + 3 * any;
}

// ---- what LLVM has other forms for ----

FUNCTION signs(int n) {
  float s = 3;
  int k = 5;
#pragma omp simd reduction(* : s, k)
  for (int i = 0; i < n; i++) {
    s *= i32[i] > 0 ? 1 : -1;
    k *= flag[i] ? -1 : 1;
  }
  add(&s, sizeof s), add(&k, sizeof k);
}

FUNCTION signs_in_order(int n) {
  double s = 1.5;
  long k = 5;
#pragma clang loop vectorize(assume_safety)
  for (int i = 0; i < n; i++) {
    if (flag[i]) s = -s;
    if (i32[i] > 0) k = -k;
  }
  double found = s;
  add(&found, sizeof found), add(&(long){k}, sizeof k);
}

FUNCTION extremes_by_functions(int n) {
  float least = 1e9f, most = -1e9f;
#pragma omp simd reduction(min : least) reduction(max : most)
  for (int i = 0; i < n; i++) {
    least = fminf(least, f32[i]);
    most = fmaxf(f32[i], most);
  }
  add(&least, sizeof least), add(&most, sizeof most);
}

#define GREATER(a, b) ((a) > (b) ? (a) : (b))
#define LESS(a, b) ((a) < (b) ? (a) : (b))

FUNCTION extremes_by_macros(int n) {
  float least = 1e9f, most = -1e9f, some = 7;
  double other = 3;
#pragma omp simd reduction(min : least) reduction(max : most) reduction(min : some) reduction(max : other)
  for (int i = 0; i < n; i++) {
    float x = fabsf(f32[i]) - 3;
    least = LESS(least, x);
    most = GREATER(most, f32[i]);
    other = GREATER(f64[i], other);
    if (flag[i]) some = LESS(some, f32[i]);
  }
  add(&least, sizeof least), add(&most, sizeof most), add(&some, sizeof some), add(&other, sizeof other);
}

FUNCTION differences(int n) {
  int s = 100;
  float f = 100;
#pragma omp simd reduction(- : s, f)
  for (int i = 0; i < n; i++) {
    s -= i32[i];
    f -= f32[i];
  }
  add(&s, sizeof s), add(&f, sizeof f);
}

FUNCTION half_sums_in_order(int n) {
  _Float16 s = 1;
#pragma clang loop vectorize(assume_safety)
  for (int i = 0; i < n; i++) s += f16[i];
  _Float16 sum = s;
  add(&sum, sizeof sum);
}

// ---- the best of what is read twice ----

#define BEST(name, type, from, op, start)                                  \
  FUNCTION name(int n) {                                                   \
    type best = start;                                                     \
    int at = -1;                                                           \
    PRAGMA(clang loop vectorize(assume_safety))                            \
    for (int i = 0; i < n; i++)                                            \
      if (from[i] op best) {                                               \
        best = from[i];                                                    \
        at = i;                                                            \
      }                                                                    \
    type found = best;                                                     \
    add(&found, LENGTH(type)), add(&(int){at}, sizeof at);                 \
  }

BEST(first_least_byte, signed char, i8, <, 127)
BEST(last_least_byte, signed char, i8, <=, 127)
BEST(first_greatest_byte, unsigned char, u8, >, 0)
BEST(last_greatest_short, short, i16, >=, -32768)
BEST(first_least_int, int, i32, <, 1 << 30)
BEST(last_greatest_long, long, i64, >=, 0)
BEST(first_greatest_float, float, f32, >, -1e30f)
BEST(last_least_double, double, f64, <=, 1e300)
BEST(first_least_extended, long double, f80, <, 1e300L)

FUNCTION best_of_some(int n) {
  float best = -1e30f;
  int at = -1;
#pragma clang loop vectorize(assume_safety)
  for (int i = 0; i < n; i++)
    if (flag[i] && f32[i] > best) {
      best = f32[i];
      at = i;
    }
  float found = best;
  add(&found, sizeof found), add(&(int){at}, sizeof at);
}

FUNCTION last_of_some(int n) {
  int best = 1 << 20, at = -1, with = -1;
#pragma clang loop vectorize(assume_safety)
  for (int i = 0; i < n; i++)
    if (u8[i] > 60 && i8[i] <= best) {
      best = i8[i];
      at = i;
      with = i16[i];
    }
  add(&(int){best}, sizeof best), add(&(int){at}, sizeof at), add(&(int){with}, sizeof with);
}

FUNCTION last_greatest_of_some(int n) {
  float best = -1e30f;
#pragma clang loop vectorize(assume_safety)
  for (int i = 0; i < n; i++)
    if (flag[i] && f32[i] >= best) best = f32[i];
  add(&(float){best}, sizeof best);
}

FUNCTION what_belongs_to_the_best_of_some(const int *with, int n) {
  int best = 1 << 20, found = -1;
#pragma clang loop vectorize(assume_safety)
  for (int i = 0; i < n; i++)
    if (u8[i] > 60 && i8[i] < best) {
      best = i8[i];
      found = with[i];
    }
  add(&(int){best}, sizeof best), add(&(int){found}, sizeof found);
}

FUNCTION least_of_the_valid(int n) {
  int best = 1 << 30, at = -1;
#pragma clang loop vectorize(assume_safety)
  for (int i = 0; i < n; i++)
    if (flag[i] && i32[i] < best) {
      best = i32[i];
      at = i;
    }
  add(&(int){best}, sizeof best), add(&(int){at}, sizeof at);
}

// Sums that stay in order, of several numbers in an iteration.
FUNCTION several_in_order(int n) {
  float up_or_down = 0.1f, product = 1, more = 0, cases = 0;
  double both = 0;
#pragma clang loop vectorize(enable)
  for (int i = 0; i < n; i++)
    if (f32[i] > 0) up_or_down += f32[i] * 0.1f;
    else up_or_down -= i32[i] * 0.3f;
#pragma clang loop vectorize(enable)
  for (int i = 0; i < n; i++) {
    both += f32[i] * 0.1f;
    both += f64[i] * 0.7;
  }
#pragma clang loop vectorize(enable)
  for (int i = 0; i < n; i++) {
    if (flag[i]) {
      product *= 1.1f;
      if (i8[i] > 3) product *= 0.93f;
    }
    product *= 0.99f;
  }
#pragma clang loop vectorize(assume_safety)
  for (int i = 0; i < n; i++) {
    float x = more + f32[i] * 0.1f;
    more = i16[i] > 0 ? x : x + 0.3f;
  }
#pragma clang loop vectorize(enable)
  for (int i = 0; i < n; i++) switch (u8[i] & 3) {
      case 0: cases += f32[i] * 0.1f; break;
      case 1: cases -= i32[i] * 0.3f;
      case 2: cases += 0.7f;
    }
  add(&(float){up_or_down}, 4), add(&(double){both}, 8), add(&(float){product}, 4), add(&(float){more}, 4), add(&(float){cases}, 4);
}

// Narrow numbers that are parts of wider ones.
FUNCTION parts(int n) {
  short most = 65;
#pragma clang loop vectorize(enable)
  for (int i = 0; i < n; i++) {
    short x = i32[i] >> 16;
    if (x > most) most = x;
  }
  unsigned short least = 65535;
#pragma omp simd reduction(min : least)
  for (int i = 0; i < n; i++)
    if ((unsigned short)i32[i] < least) least = i32[i];
  add(&(short){most}, sizeof most), add(&(unsigned short){least}, sizeof least);
}

FUNCTION places_of_parts(int n) {
  unsigned char least = 255;
  signed char most = -128;
  int first = -1, last = -1;
#pragma clang loop vectorize(enable)
  for (int i = 0; i < n; i++)
    if ((unsigned char)i32[i] < least) least = i32[i], first = i;
#pragma clang loop vectorize(enable)
  for (int i = 0; i < n; i++) {
    signed char x = i32[i] >> 3;
    if (x >= most) most = x, last = i;
  }
  add(&(char){least}, 1), add(&(char){most}, 1), add(&(int){first}, sizeof first), add(&(int){last}, sizeof last);
}

FUNCTION two_in_an_iteration(int n) {
  float most = -100, least = 100;
  int at = -1;
#pragma omp simd reduction(max : most)
  for (int i = 0; i < n; i++) {
    if (f32[i] > most) most = f32[i];
    if (f32[N - 1 - i] > most) most = f32[N - 1 - i];
  }
#pragma clang loop vectorize(enable)
  for (int i = 0; i < n; i++) {
    if (f32[i] < least) least = f32[i], at = i;
    if (f32[n - 1 - i] < least) least = f32[n - 1 - i], at = n - 1 - i;
  }
  add(&(float){most}, sizeof most), add(&(float){least}, sizeof least), add(&(int){at}, sizeof at);
}

FUNCTION not_less(int n) {
  float least = 100;
  int at = -1;
#pragma omp simd
  for (int i = 0; i < n; i++)
    if (!(least <= f32[i])) least = f32[i], at = i;
  add(&(float){least}, sizeof least), add(&(int){at}, sizeof at);
}

static void belonging(int n) { what_belongs_to_the_best_of_some(i32, n); }

static void (*const all[])(int) = {
    i8_add, i8_mul, i8_and, i8_or, i8_xor, i8_min, i8_max, u8_add, u8_mul, u8_and, u8_or, u8_xor, u8_min, u8_max, i16_add,
    i16_mul, i16_and, i16_or, i16_xor, i16_min, i16_max, u16_add, u16_min, u16_max, i32_add, i32_mul, i32_and, i32_or, i32_xor,
    i32_min, i32_max, u32_min, u32_max, i64_add, u64_mul, i64_and, i64_or, i64_xor, i64_min, i64_max, u64_min, u64_max, i128_add,
    i128_xor, i128_min, i128_max, f16_add, f16_mul, f16_min, f16_max, f32_add, f32_mul, f32_min, f32_max, f64_add, f64_mul,
    f64_min, f64_max, f80_add, f80_mul, f80_min, f80_max, truths, some_truths, truths_in_numbers, odd_truths, signs, signs_in_order, extremes_by_functions, extremes_by_macros,
    differences, half_sums_in_order, first_least_byte, last_least_byte, first_greatest_byte, last_greatest_short, first_least_int,
    last_greatest_long, first_greatest_float, last_least_double, first_least_extended, best_of_some, last_of_some,
    last_greatest_of_some, belonging, least_of_the_valid, several_in_order, parts, places_of_parts, two_in_an_iteration, not_less};

int main(void) {
  for (int i = 0; i < N; i++) {
    unsigned x = (i + 1) * 2654435761u >> 7;
    i8[i] = u8[i] = i16[i] = u16[i] = i32[i] = u32[i] = i64[i] = x;
    u64[i] = x * 0x9e3779b97f4a7c15ul;
    i128[i] = (__int128)u64[i] * i64[i];
    f16[i] = f32[i] = f64[i] = f80[i] = (int)(x % 43) - 21;
    f16[i] = (int)(x % 7) - 3;
    t[i] = x % 11 != 3;
    flag[i] = x % 3 == 1;
  }
  for (int n = 0; n <= N; n += n < 20 ? 1 : 13)
    for (size_t k = 0; k < sizeof all / sizeof *all; k++) {
      hash = 7;
      all[k](n);
      printf("%d %d %08x\n", n, (int)k, hash);
    }
}
