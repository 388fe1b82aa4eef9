// Elements of each type in memory, from one bit to 128, reached in each way; short vectors, structs and parts of them. Each loop is vectorized.
#include <stdio.h>
#include <string.h>

#define N 100
#define FUNCTION static __attribute__((noinline)) void

static int key[N], place[N];
static _Alignas(64) unsigned char out[N * 64];
typedef char *address;

// Libraries of gcc before 13 do not have it, and clang calls it to move numbers. None of them is rounded here.
__attribute__((weak)) __bf16 __truncsfbf2(float x) {
  __bf16 upper;
  memcpy(&upper, (char *)&x + 2, sizeof upper);
  return upper;
}

// ---- elements ----

#define PRAGMA(text) _Pragma(#text)
#define LOOP(name, type)                                                                \
  static type name[N], name##_to[2 * N];                                                \
  FUNCTION name##_reversed(int n) {                                                     \
    PRAGMA(omp simd)                                                                    \
    for (int i = 0; i < n; i++) name##_to[n - 1 - i] = key[i] & 1 ? name[n - 1 - i] : name[i]; \
  }                                                                                     \
  FUNCTION name##_strided(int n) {                                                      \
    PRAGMA(omp simd)                                                                    \
    for (int i = 0; i < n / 2; i++) name##_to[3 * i + 1] = name[2 * i + 1];             \
  }                                                                                     \
  FUNCTION name##_anywhere(int n) {                                                     \
    PRAGMA(omp simd)                                                                    \
    for (int i = 0; i < n; i++) name##_to[place[i]] = name[place[n - 1 - i]];           \
  }                                                                                     \
  FUNCTION name##_under_a_condition(int n) {                                            \
    PRAGMA(omp simd)                                                                    \
    for (int i = 0; i < n; i++)                                                         \
      if (key[i] > 3) name##_to[i] = name[i];                                           \
      else if (key[i] < 2) name##_to[N + i] = name[key[i]];                             \
  }                                                                                     \
  FUNCTION name##_uniform(int n) {                                                      \
    PRAGMA(omp simd)                                                                    \
    for (int i = 0; i < n; i++) name##_to[i] = key[i] & 1 ? name[3] : name[n - 1];      \
  }                                                                                     \
  FUNCTION name##_own(int n) {                                                          \
    PRAGMA(omp simd)                                                                    \
    for (int i = 0; i < n; i++) {                                                       \
      type own[3] = {name[i], name[0], name[place[i]]};                                 \
      for (int k = 0; k < (key[i] & 3); k++) own[k % 3] = own[(k + 1) % 3];             \
      name##_to[i] = own[key[i] % 3];                                                   \
    }                                                                                   \
  }                                                                                     \
  static unsigned name##_all(int n) {                                                   \
    for (int i = 0; i < N; i++) FILL(name[i], i);                                       \
    name##_reversed(n), name##_strided(n), name##_anywhere(n);                          \
    name##_under_a_condition(n), name##_uniform(n), name##_own(n);                      \
    unsigned hash = 7;                                                                  \
    for (size_t k = 0; k < sizeof name##_to; k++)                                       \
      if (sizeof(type) != 16 || (k & 15) < 10) hash = hash * 31 + ((unsigned char *)name##_to)[k]; \
    return hash;                                                                        \
  }

#define FILL(to, i) to = key[i] * 77 - 2 * i

// clang-format off
LOOP(i8, signed char)
LOOP(i16, short)
LOOP(i32, int)
LOOP(i64, long)
LOOP(i128, __int128)
LOOP(f16, _Float16)
LOOP(f32, float)
LOOP(f64, double)
LOOP(f80, long double)
LOOP(b17, _BitInt(17))
#undef FILL
#define FILL(to, i) to = key[i] & 1
LOOP(i1, _Bool)
#undef FILL
#define FILL(to, i) memcpy(&to, &(unsigned short){0x3f80 + i}, 2)
LOOP(bf16, __bf16)
#undef FILL
#define FILL(to, i) to = (char *)0 + key[i] * 8
LOOP(pointer, address)
// clang-format on

// ---- arithmetic ----

FUNCTION wide_numbers(int n) {
  __int128 *to = (__int128 *)out;
#pragma omp simd
  for (int i = 0; i < n; i++) {
    __int128 x = i128[i] * i128[n - 1 - i] + (i128[i] >> 3);
    memcpy(to + i, &x, sizeof x);
  }
}

FUNCTION extended_numbers(int n) {
  double *to = (double *)out;
#pragma omp simd
  for (int i = 0; i < n; i++) to[i] = (double)(f80[i] * f80[n - 1 - i] / 3 - key[i]);
}

FUNCTION half_numbers(int n) {
  float *to = (float *)out;
#pragma omp simd
  for (int i = 0; i < n; i++) {
    _Float16 x = f16[i] * f16[n - 1 - i] + (_Float16)key[i];
    to[i] = key[i] & 1 ? (float)x : (float)bf16[i];
  }
}

FUNCTION odd_numbers(int n) {
  int *to = (int *)out;
#pragma omp simd
  for (int i = 0; i < n; i++) to[i] = (_BitInt(17))(b17[i] * (_BitInt(17))3);
}

// ---- short vectors ----

typedef int int4 __attribute__((ext_vector_type(4)));
typedef float float3 __attribute__((ext_vector_type(3)));
typedef unsigned char byte16 __attribute__((ext_vector_type(16)));

FUNCTION short_vectors(int n) {
  int4 *to = (int4 *)out;
#pragma omp simd
  for (int i = 0; i < n; i++) {
    int4 v = {key[i], i, 3, place[i]}, w = v.wzyx;
    int4 x = v > w ? v - w : v * 2;
    if (key[i] & 1) x[key[i] & 3] = 9;
    to[i] = x;
  }
}

FUNCTION short_vectors_of_three(int n) {
  float *to = (float *)out;
#pragma omp simd
  for (int i = 0; i < n; i++) {
    float3 v = {f32[i], f32[0], 2};
    for (int k = 0; k < (key[i] & 3); k++) v = v.yzx * 0.5f + 1;
    to[i] = v.x + v.y * v.z;
  }
}

FUNCTION short_vectors_of_bytes(int n) {
  byte16 *to = (byte16 *)out;
#pragma omp simd
  for (int i = 0; i < n; i++) {
    byte16 v = (unsigned char)key[i];
    to[i] = v * 3 + (byte16){0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
  }
}

// ---- structs ----

struct padded {
  char c;
  double d;
  short s;
  long l;
};

static struct padded padded[N], padded_to[N];

FUNCTION copies_with_padding(int n) {
#pragma omp simd
  for (int i = 0; i < n; i++) {
    struct padded p = padded[place[i]];
    p.d *= 2;
    if (p.s > 3) p = padded[i];
    p.c++;
    padded_to[i].c = p.c, padded_to[i].d = p.d, padded_to[i].s = p.s, padded_to[i].l = p.l;
  }
}

static __attribute__((noinline)) struct padded changed(struct padded p, int by) {
  p.l += by;
  p.d -= p.c;
  return p;
}

FUNCTION by_value(int n) {
#pragma omp simd
  for (int i = 0; i < n; i++) {
    struct padded p = changed(padded[place[i]], i);
    padded_to[i].c = p.c, padded_to[i].d = p.d, padded_to[i].s = p.s, padded_to[i].l = p.l;
  }
}

struct two {
  float x, y;
};

static __attribute__((noinline)) struct two sum_and_difference(float a, float b) { return (struct two){a + b, a - b}; }

FUNCTION two_results(int n) {
  float *to = (float *)out;
#pragma omp simd
  for (int i = 0; i < n; i++) {
    struct two t = sum_and_difference(f32[i], f32[n - 1 - i]);
    to[2 * i] = t.x, to[2 * i + 1] = t.y;
  }
}

struct nested {
  struct two t[2];
  int k[3];
};

FUNCTION structs_in_structs(int n) {
  struct nested *to = (struct nested *)out;
#pragma omp simd
  for (int i = 0; i < n; i++) {
    struct nested x = {{{f32[i], 2}, {3, f32[0]}}, {i, key[i], 7}};
    x.t[key[i] & 1].x += 1;
    x.k[i % 3] ^= 5;
    to[i] = x;
  }
}

struct bits {
  unsigned a : 3, b : 7;
  int c : 11;
};

FUNCTION bit_fields(int n) {
  struct bits *to = (struct bits *)out;
#pragma omp simd
  for (int i = 0; i < n; i++) {
    to[i].a = key[i];
    to[i].c = -i;
    if (key[i] & 1) to[i].b = to[i].a + 4;
  }
}

struct __attribute__((packed)) packed {
  char c;
  int i;
  double d;
};

FUNCTION packed_structs(int n) {
  struct packed *to = (struct packed *)out;
#pragma omp simd
  for (int i = 0; i < n; i++) {
    to[i].i = key[i] * 3;
    if (key[i] & 1) to[i].d = f64[i];
  }
}

FUNCTION unions(int n) {
  union both {
    int i;
    float f;
    unsigned char b[4];
  } *to = (union both *)out;
#pragma omp simd
  for (int i = 0; i < n; i++) {
    union both u;
    u.f = f32[i];
    u.i ^= 1 << 31;
    if (key[i] & 1) u.b[1] = 3;
    to[i] = u;
  }
}

FUNCTION pointers_to_pointers(int n) {
  int *where[N], *to = (int *)out;
#pragma omp simd
  for (int i = 0; i < n; i++) where[i] = key[i] & 1 ? &key[i] : &place[i];
#pragma omp simd
  for (int i = 0; i < n; i++) to[i] = *where[place[i] % n] + (where[i] < where[n - 1 - i]);
}

struct node {
  void *left, *right;
  long value;
};

FUNCTION rows_of_pointers(int n) {
  static struct node nodes[N] __attribute__((aligned(64)));
  static int *row[N] __attribute__((aligned(64)));
  int *to = (int *)out;
#pragma omp simd simdlen(4)
  for (int i = 0; i < n; i++) nodes[i].left = &key[i], nodes[i].right = &place[i];
#pragma omp simd simdlen(4)
  for (int i = 0; i < n; i++)
    if (key[i] & 3) row[i] = &place[i];
#pragma omp simd simdlen(4)
  for (int i = 0; i < n; i++) {
    int *from = key[i] & 3 ? row[i] : nodes[i].left;
    to[i] = *from + (nodes[i].right == row[i]);
  }
}

FUNCTION past_the_cache(int n) {
  int *to = (int *)out;
#pragma omp simd
  for (int i = 0; i < n; i++) __builtin_nontemporal_store(key[i] + 1, &to[i]);
}

static void (*const all[])(int) = {wide_numbers, extended_numbers, half_numbers, odd_numbers, short_vectors, short_vectors_of_three,
                                   short_vectors_of_bytes, copies_with_padding, by_value, two_results, structs_in_structs, bit_fields,
                                   packed_structs, unions, pointers_to_pointers, rows_of_pointers, past_the_cache};

static unsigned hash_of(const void *data, size_t size) {
  unsigned hash = 7;
  for (size_t i = 0; i < size; i++) hash = hash * 31 + ((const unsigned char *)data)[i];
  return hash;
}

int main(void) {
  for (int n = 1; n <= N; n += n < 20 ? 1 : 13) {
    for (int i = 0; i < N; i++) {
      key[i] = i * 5 % 7;
      place[i] = i < n ? (i + 3) % n : i;
      padded[i].c = i, padded[i].d = key[i] / 2.0, padded[i].s = key[i], padded[i].l = i * 1000000007l;
    }
    printf("%x %x %x %x %x %x %x\n", i8_all(n), i16_all(n), i32_all(n), i64_all(n), i128_all(n), f16_all(n), f32_all(n));
    printf("%x %x %x %x %x %x\n", f64_all(n), f80_all(n), b17_all(n), i1_all(n), bf16_all(n), pointer_all(n));
    for (size_t k = 0; k < sizeof all / sizeof *all; k++) {
      all[k](n);
      printf("%d %d %x %x\n", n, (int)k, hash_of(out, sizeof out), hash_of(padded_to, sizeof padded_to));
    }
  }
}
