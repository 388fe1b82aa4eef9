// Calls functions with parameters and results of each kind from loops, some under conditions, and prints what comes of it.
#include "kinds.h"
#include <stdio.h>
#include <string.h>

enum { N = 100 };

static _Alignas(64) double table[N];
static int in[N], to_int[N];
static float f[2 * N], to_float[N];
static double to_double[N];
static unsigned char bytes[N], to_byte[N];
static unsigned long longs[N], to_long[N];
static volatile int three = 3;

#define PRAGMA(text) _Pragma(#text)
#define LOOP(name, body)                                    \
  static __attribute__((noinline)) void call_##name(int n) { \
    PRAGMA(omp simd)                                        \
    for (int i = 0; i < n; i++) {                           \
      body;                                                 \
    }                                                       \
  }

// clang-format off
LOOP(aligned_table, to_double[i] = aligned_table(table, i))
LOOP(aligned_table_masked, if (in[i] > 3) to_double[i] = aligned_table(table, i))
LOOP(add_to, add_to(&to_double[i], table[i]))
LOOP(of_two, to_float[i] = of_two(f + 2 * i))
LOOP(backwards, to_int[i] = backwards(7 - 3 * i, in[i]))
LOOP(down_by_one, to_int[i] = down_by_one(50 - i, in[i]))
LOOP(both_down, to_int[i] = both_down(1000u - 2 * i, 5000 - 3 * i, in[i]))
LOOP(far_beyond, to_int[i] = far_beyond((unsigned char)(i * 300), in[i]))
LOOP(odd, to_int[i] = odd(in[i]))
LOOP(turned, to_int[i] = turned(in[i] > 3, i))
LOOP(one_of, to_float[i] = *one_of(f + i, f + N - i, in[i] - 3))
LOOP(narrow, to_byte[i] = narrow(bytes[i], in[i]))
LOOP(wide, to_long[i] = wide(longs[i], in[i]))
LOOP(mixed, to_double[i] = mixed(f[i], in[i], table[i]))
LOOP(two_lanes, to_float[i] = two_lanes(f[i]))
LOOP(many_lanes, to_byte[i] = many_lanes(bytes[i]))
LOOP(on_the_stack, to_double[i] = on_the_stack(table[i], f[i], i, 4, in[i], 6, f[i], 8, in[i], f[i], i))
LOOP(on_the_stack_masked, if (in[i] > 3) to_double[i] = on_the_stack(table[i], f[i], i, 4, in[i], 6, f[i], 8, in[i], f[i], i))
LOOP(by_narrow, to_int[i] = by_narrow(in[i], (short)(n * 4000), (unsigned char)(i + 3)))
LOOP(opposite, to_byte[i] = opposite(bytes[i] & 1))
LOOP(only_masked, if (in[i]) to_int[i] = only_masked(100, in[i]))
LOOP(only_unmasked, to_int[i] = only_unmasked(in[i], i))
LOOP(any_control_flow, to_int[i] = any_control_flow(in[i] * 8))
LOOP(any_control_flow_masked, if (in[i] & 1) to_int[i] = any_control_flow(in[i] * 9))
LOOP(two_variants, to_float[i] = two_variants(f[i], f[N - i]))
// clang-format on

static __attribute__((noinline)) void call_with_uniform(int n) {
  static const int sorted[] = {-5, 0, 2, 3, 9};
  int step = three;
  float first = f[9];
#pragma omp simd
  for (int i = 0; i < n; i++) to_int[i] = by_steps(i * step, step, in[i]) + search(sorted, 5, in[i]);
#pragma omp simd
  for (int i = 0; i < n / 3; i++) to_float[i] = by_steps_of_a_pointer(f + i * 3, 3) + all_uniform(first, n);
#pragma omp simd simdlen(8)
  for (int i = 0; i < n; i++) to_float[i] += two_variants(f[i], first);
}

// Arguments grow by what is only known now, and so do the steps of the loop.
static __attribute__((noinline)) void call_with_steps(int n) {
  int step = three;
  long bytes_each = three - 1;
#pragma omp simd
  for (int i = 0; i < n; i++)
    if (in[i] > 2) to_int[i] = by_steps(i * step + 5, step, in[i]);
#pragma omp simd
  for (int i = 0; i < n / 2; i++) to_int[i] += by_steps_of_bytes(bytes + i * bytes_each, bytes_each);
#pragma omp simd
  for (int i = 0; i < n; i++)
    if (i % 5) to_long[i] = by_short_steps((long)i * step - 9, step);
#pragma omp simd
  for (int i = 1; i < n; i += step) to_int[i] = by_steps(i, step, in[i]);
#pragma omp simd linear(step)
  for (int i = 0; i < n; i++) {
    to_int[i] -= by_steps(i * step, step, in[i]);
    step += 1;
  }
}

static void (*const all[])(int) = {call_aligned_table, call_aligned_table_masked, call_add_to, call_of_two, call_backwards, call_odd,
                                   call_turned, call_one_of, call_narrow, call_wide, call_mixed, call_two_lanes, call_many_lanes,
                                   call_only_masked, call_only_unmasked, call_any_control_flow, call_any_control_flow_masked,
                                   call_two_variants, call_with_uniform, call_with_steps, call_on_the_stack, call_on_the_stack_masked,
                                   call_opposite, call_by_narrow, call_down_by_one, call_both_down, call_far_beyond};

static unsigned hash;

static void add(const void *data, size_t size) {
  for (size_t i = 0; i < size; i++) hash = hash * 31 + ((const unsigned char *)data)[i];
}

int main(void) {
  for (int i = 0; i < N; i++) {
    in[i] = i * 5 % 7;
    bytes[i] = i * 37;
    longs[i] = i * 0x9e3779b97f4a7c15ul;
    table[i] = in[i] * 2.5 + 3;
    f[i] = in[i] - 2.5f;
    f[N + i] = i;
  }
  for (int n = 0; n < N; n += n < 20 ? 1 : 13)
    for (size_t k = 0; k < sizeof all / sizeof *all; k++) {
      all[k](n);
      hash = 7;
      add(to_int, sizeof to_int), add(to_float, sizeof to_float), add(to_double, sizeof to_double);
      add(to_byte, sizeof to_byte), add(to_long, sizeof to_long);
      printf("%d %d %08x\n", n, (int)k, hash);
    }
}
