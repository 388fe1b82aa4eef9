// Runs each kernel both ways and compares what it leaves, bit by bit.
#include "kernels.h"
#include <stdio.h>
#include <string.h>

#define KERNELS(X) \
  X(straight) \
  X(condition) \
  X(divergent_loop) \
  X(nested_divergent_loops) \
  X(several_exits) \
  X(breaks_two_loops) \
  X(continues) \
  X(continues_of_the_loop_itself) \
  X(continues_with_a_pointer) \
  X(early_return) \
  X(jumps) \
  X(divergent_switch) \
  X(uniform_switch) \
  X(cannot_happen) \
  X(endless_with_break) \
  X(irreducible) \
  X(irreducible_switch) \
  X(assertion) \
  X(sum) \
  X(product) \
  X(bits) \
  X(extremes) \
  X(float_sum) \
  X(float_sum_in_order) \
  X(conditional_sum) \
  X(sum_of_inner_loops) \
  X(by_turns) \
  X(moving_bits) \
  X(ring) \
  X(triangle) \
  X(perhaps_overlapping_parts) \
  X(perhaps_overlapping_but_for_a_table) \
  X(place_of_minimum) \
  X(place_of_last_maximum) \
  X(steps) \
  X(long_counter) \
  X(unsigned_counter) \
  X(pointers) \
  X(several_inductions) \
  X(linear_clause) \
  X(variable_step) \
  X(simdlen) \
  X(safelen) \
  X(private_and_lastprivate) \
  X(aligned_clause) \
  X(if_clause) \
  X(nontemporal_clause) \
  X(collapsed) \
  X(checked) \
  X(bound_in_memory) \
  X(perhaps_overlapping) \
  X(perhaps_overlapping_rows) \
  X(perhaps_overlapping_backwards) \
  X(perhaps_overlapping_twice) \
  X(read_before_it_is_written) \
  X(written_again_and_again) \
  X(fields_of_elements) \
  X(prefetched) \
  X(filled) \
  X(behind_a_computed_goto) \
  X(reversed) \
  X(strided) \
  X(gather_scatter) \
  X(uniform_address) \
  X(bytes) \
  X(shorts) \
  X(longs) \
  X(wide) \
  X(flags) \
  X(addresses) \
  X(short_vectors) \
  X(structs) \
  X(stack_of_each_lane) \
  X(stack_of_all_lanes) \
  X(addresses_before_the_loop) \
  X(private_array) \
  X(volatile_accesses) \
  X(atomics) \
  X(intrinsics) \
  X(math) \
  X(calls) \
  X(recursion) \
  X(restrict_helper) \
  X(fields_of_records) \
  X(bytes_of_pixels) \
  X(complex_numbers) \
  X(all_of) \
  X(place_if_there_is_one) \
  X(any_of) \
  X(all_of_what_is_read) \
  X(counted_down) \
  X(steps_up) \
  X(steps_down) \
  X(steps_of_pointers) \
  X(stencil) \
  X(neighbours_in_an_array) \
  X(differences) \
  X(row_starts) \
  X(neighbours_under_conditions) \
  X(any_number_of_arguments) \
  X(copies)

#define DECLARE(name) \
  void scalar_##name(int, const struct in *, struct out *); \
  void vector_##name(int, const struct in *, struct out *);
KERNELS(DECLARE)

typedef void kernel(int, const struct in *, struct out *);

static const struct {
  const char *name;
  kernel *scalar, *vector;
} kernels[] = {
#define ENTRY(name) {#name, scalar_##name, vector_##name},
    KERNELS(ENTRY)};

_Noreturn void failed(int i) {
  printf("assertion failed in iteration %d\n", i);
  __builtin_trap();
}

static unsigned state = 1;

static unsigned next(void) {
  state = state * 1664525u + 1013904223u;
  return state >> 8;
}

static struct in in;
static struct out a, b;

static void fill(void) {
  for (int i = 0; i < 64; i++) {
    in.f[i] = (float)(int)(next() % 2001) / 100 - 10;
    in.g[i] = (float)(int)(next() % 2001) / 1000 - 0.5f;
    in.w[i] = (float)(next() % 30);
    in.i[i] = next() % 120;
    in.d[i] = (double)(next() % 4000) / 77 - 20;
    in.b[i] = next() % 20;
    in.s[i] = (short)next();
    in.l[i] = (long long)next() << 20 ^ next();
    in.p[i] = (i * 37 + 11) % 64;
  }
}

int main(void) {
  int failures = 0;
  for (unsigned k = 0; k < sizeof kernels / sizeof *kernels; k++) {
    int wrong = 0;
    for (int n = 0; n <= 64; n++) {
      state = n * 7919 + 1;
      fill();
      memset(&a, 7, sizeof a);
      memset(a.t, 1, sizeof a.t);
      b = a;
      kernels[k].scalar(n, &in, &a);
      kernels[k].vector(n, &in, &b);
      wrong += memcmp(&a, &b, sizeof a) != 0;
    }
    if (wrong) printf("%s: %d of 65 runs differ\n", kernels[k].name, wrong);
    failures += wrong != 0;
  }
  printf("%d kernels, %d failures\n", (int)(sizeof kernels / sizeof *kernels), failures);
  return failures != 0;
}
