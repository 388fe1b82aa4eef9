// What lies on the stack and clang says of it that iterations are independent, although they share it and do more than to update it: no
// compiler vectorizes these loops.
#include <stdio.h>

#define N 100
#define FUNCTION static __attribute__((noinline)) void

static int in[N];

static __attribute__((noinline)) void add(int *sum, int k, int x) { sum[k] += x; }

FUNCTION by_a_function(int n, int *out) {
#pragma omp simd reduction(+ : out[ : 8])
  for (int i = 0; i < n; i++) add(out, in[i] & 7, i);
}

FUNCTION an_element_that_is_used(int n, int *out, int *before) {
#pragma omp simd reduction(+ : out[ : 8])
  for (int i = 0; i < n; i++) {
    before[i] = out[in[i] & 7];
    out[in[i] & 7] += i;
  }
}

FUNCTION last_of_any_length(int n, int m, int *out) {
  int own[m];
#pragma omp simd lastprivate(own)
  for (int i = 0; i < n; i++) {
    for (int k = 0; k < m; k++) own[(k + i) % m] = in[i] + k;
    out[i] = own[0] - own[in[i] % m];
  }
  for (int k = 0; n && k < m; k++) out[k] += own[k];
}

// The promise that accesses are independent is not about a variable that every iteration changes.

static __attribute__((noinline)) void lower(int *least, int x) {
  if (x < *least) *least = x;
}

FUNCTION a_variable_by_its_address(int n, int *out) {
  int least = 1000;
#pragma clang loop vectorize(assume_safety)
  for (int i = 0; i < n; i++) lower(&least, in[i]);
  *out = least;
}

struct sums {
  int even, odd;
};

static __attribute__((noinline)) void add_to(struct sums *s, int x) {
  s->even += x & ~1;
  s->odd ^= x & 1;
}

FUNCTION a_struct_by_its_address(int n, int *out) {
  struct sums s = {0, 0};
#pragma clang loop vectorize(assume_safety)
  for (int i = 0; i < n; i++) add_to(&s, in[i]);
  *out = s.even * 2 + s.odd;
}

// The address of the variable lies in another.
struct holder {
  int *sum;
};

static __attribute__((noinline)) void add_behind(const struct holder *h, int x) {
  if (x & 1) *h->sum += x;
}

FUNCTION a_variable_behind_another(int n, int *out) {
  int sum = 0;
  struct holder holder = {&sum};
#pragma clang loop vectorize(assume_safety)
  for (int i = 0; i < n; i++) add_behind(&holder, in[i]);
  *out = sum;
}

// A struct that is returned, or was passed by value, lies on the stack of the caller.

struct best {
  char padded;
  double cost;
  int id;
};

static struct best records[N];

static __attribute__((noinline)) struct best a_struct_that_is_returned(int n) {
  struct best best = records[0];
#pragma clang loop vectorize(assume_safety)
  for (int i = 1; i < n; i++)
    if (records[i].cost < best.cost) best = records[i];
  return best;
}

static __attribute__((noinline)) int a_struct_that_was_passed(int n, struct best best) {
#pragma clang loop vectorize(assume_safety)
  for (int i = 1; i < n; i++)
    if (records[i].cost < best.cost) best = records[i];
  return best.id;
}

int main(void) {
  for (int i = 0; i < N; i++) in[i] = i * i % 37, records[i] = (struct best){0, (i * 37 + 50) % 101, i};
  for (int n = 0; n <= N; n += 9) {
    int out[N + 8] = {0}, before[N] = {0};
    by_a_function(n, out);
    an_element_that_is_used(n, out, before);
    last_of_any_length(n, 5, out + 8);
    a_variable_by_its_address(n, out + 20);
    a_struct_by_its_address(n, out + 21);
    a_variable_behind_another(n, out + 24);
    out[22] = a_struct_that_is_returned(n).id, out[23] = a_struct_that_was_passed(n, records[0]);
    for (int i = 0; i < N; i++) printf("%d %d ", out[i], before[i]);
    puts("");
  }
}
