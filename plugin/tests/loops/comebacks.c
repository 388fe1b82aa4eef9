// Places that come back to where they were some iterations before, because a number wraps around or is cut. LLVM's dependence analysis takes
// such numbers for counters.

#include <stdio.h>
#include <string.h>

enum { N = 200, ROOM = 4 * N };

typedef unsigned char byte;
static byte bytes[ROOM];
static int ints[ROOM];

#define PRAGMA(x) _Pragma(#x)
#define LOOP(name, type, marks, body)                                                                     \
  static __attribute__((noinline)) void name(int n, type *restrict o, const byte *restrict b, unsigned m) { \
    PRAGMA(marks)                                                                                         \
    for (int i = 0; i < n; i++) {                                                                         \
      body;                                                                                               \
    }                                                                                                     \
  }

#define ALL                                                                                              \
  /* Lanes would meet. */                                                                                \
  X(two_bits, bytes, clang loop vectorize(enable), o[i & 3] += b[i])                                     \
  X(four_bits, bytes, clang loop vectorize(enable), o[i & 15] ^= b[i])                                   \
  X(the_next, bytes, clang loop vectorize(enable), o[i & 15] = o[(i + 1) & 15] + b[i])                   \
  X(two_places, bytes, clang loop vectorize(enable), o[(i + 5) & 7] = b[i]; o[i & 7] += 3)               \
  X(remainders, ints, clang loop vectorize(enable), o[i % 4u] += b[i])                                   \
  X(cut, bytes, clang loop vectorize(enable), o[(byte)(i * 3) & 15] += b[i])                             \
  X(large_steps, ints, clang loop vectorize(enable), unsigned short k = i * 0x1000; o[k >> 12] += b[i])  \
  X(larger_steps, ints, clang loop vectorize(enable), o[((unsigned)i * 0x40000000u) >> 28] += b[i])      \
  X(behind_all, ints, clang loop vectorize(enable), o[(byte)(i + 255)] = o[(byte)i] + b[i])              \
  X(in_an_inner_loop, ints, clang loop vectorize(enable), for (int j = 0; j < 6; j++) o[j & 3] += b[i])  \
  X(by_both, ints, clang loop vectorize(enable), for (int j = 0; j < 6; j++) o[(i * 3 + j) & 7] += b[i]) \
  X(unknown_steps, ints, clang loop vectorize(enable), o[(i * m) & 63] += b[i])                          \
  X(reduced, bytes, omp simd reduction(+ : o[:4]) simdlen(8), o[i & 3] += b[i])                          \
  /* They do not. */                                                                                     \
  X(far, bytes, clang loop vectorize(enable) vectorize_width(8), o[i & 127] += b[i])                     \
  X(only_written, bytes, clang loop vectorize(enable), o[i & 7] = b[i])                                  \
  X(even_and_odd, ints, clang loop vectorize(enable), unsigned k = i; o[2 * k] += o[2 * k + 1])          \
  X(short_counter, ints, clang loop vectorize(enable) vectorize_width(8), unsigned short k = i; o[k] += b[i])

// clang-format off
#define X(name, of, marks, body) LOOP(name, __typeof__(of[0]), marks, body)
ALL
#undef X
// clang-format on

// ---- what is apart in one iteration, but not in all ----

static inline void triple(int *restrict to, const int *restrict from, int v) { *to = *from * 3 + v; }

static __attribute__((noinline)) void inlined_restrict(int n, int *o) {
#pragma clang loop vectorize(enable)
  for (int i = 0; i < n; i++) triple(o + i + 1, o + i, i);
}

static __attribute__((noinline)) void by_turns(int n, int *o) {
#pragma clang loop vectorize(enable)
  for (int i = 0; i < n; i++) {
    int *to = i & 1 ? o : ints + 2 * N, *from = i & 1 ? ints + 2 * N : o;
    to[i + 1] = from[i] + 1;
  }
}

// ---- steps that may be zero, or go around all memory ----

static __attribute__((noinline)) void one_place(long n, int *o, long step) {
#pragma clang loop vectorize(enable)
  for (long i = 0; i < n; i++) {
    int x = o[i * step];
    o[0] = x * 3 + i;
  }
}

static __attribute__((noinline)) void to_and_fro(long n, int *o, long step) {
#pragma clang loop vectorize(enable)
  for (long i = 0; i < n; i++) {
    int x = o[i * step];
    o[-i * step] = x * 3 + i;
  }
}

static __attribute__((noinline)) void around(unsigned long n, byte *restrict o) {
#pragma clang loop vectorize(enable)
  for (unsigned long i = 0; i < n; i++)
    if (i % 4 == 0) o[i << 62] = o[i << 62] * 3 + 1;
}

static void print(const char *name, int n) {
  unsigned hash = 7;
  for (int i = 0; i < ROOM; i++) hash = hash * 31 + bytes[i] + ints[i];
  printf("%s %d %08x\n", name, n, hash);
  for (int i = 0; i < ROOM; i++) bytes[i] = i * 7, ints[i] = i;
}

int main(void) {
  byte b[N];
  for (int i = 0; i < N; i++) b[i] = i * 37 % 101;
#define X(name, of, ...)                                             \
  for (int n = 0; n <= N; n++) {                                     \
    for (int i = 0; i < ROOM; i++) bytes[i] = i * 7, ints[i] = i;     \
    name(n, of, b, 48);                                              \
    print(#name, n);                                                 \
  }
  ALL
  for (int n = 0; n < N; n++) {
    inlined_restrict(n, ints), print("inlined_restrict", n);
    by_turns(n, ints), print("by_turns", n);
    one_place(n, ints, 0), print("one_place", n);
    to_and_fro(n, ints + N, 0), print("to_and_fro", n);
    around(n, bytes), print("around", n);
  }
}
