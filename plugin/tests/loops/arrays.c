// Arrays on the stack that iterations share, and arrays of which OpenMP gives each iteration its own, which clang does not tell apart.
#include <stdio.h>
#include <string.h>

#define N 100

static int in[N];

// ---- shared ----

static __attribute__((noinline)) void shared(int n, int *out) {
  int table[N], twice[N][2];
  for (int i = 0; i < N; i++) table[i] = i * 3;
#pragma omp simd
  for (int i = 0; i < n; i++) {
    table[i] += in[i];
    twice[i][0] = table[i];
    for (int k = 1; k < 2; k++) twice[i][k] = twice[i][k - 1] * 2;
  }
  for (int i = 0; i < n; i++) out[i] = table[i] + twice[i][1];
}

// ---- each iteration has its own, also if LLVM makes two loops of it ----

static __attribute__((noinline)) void own(int n, int *out, int which) {
  int four[4];
#pragma omp simd private(four)
  for (int i = 0; i < n; i++) {
    for (int k = 0; k < 4; k++) four[(k + i) & 3] = in[i] + k;
    if (which)
      out[i] = four[in[i] & 3];
    else
      out[i] = four[1] * four[in[i] & 1] + i;
  }
}

// ---- each iteration has its own, and the last is kept ----

static __attribute__((noinline)) void last(int n, int *out) {
  int pair[2] = {0, 0};
#pragma omp simd lastprivate(pair)
  for (int i = 0; i < n; i++) {
    pair[i & 1] = in[i];
    pair[~i & 1] = i;
    out[i] = pair[0] * 2 + pair[1];
  }
  if (n) out[0] += pair[0] - pair[1];
}

// ---- each iteration has its own, and they are combined ----

static __attribute__((noinline)) void sums(int n, int *out) {
  int sum[8] = {0};
#pragma omp simd reduction(+ : sum)
  for (int i = 0; i < n; i++) sum[in[i] & 7] += in[i];
  memcpy(out, sum, sizeof sum);
}

static __attribute__((noinline)) void sums_of_a_section(int n, int *out) {
#pragma omp simd reduction(+ : out[ : 8])
  for (int i = 0; i < n; i++) out[in[i] & 7] += in[i] * 3;
}

static __attribute__((noinline)) void all_of_the_last(int n, int *out) {
  int four[4] = {0};
#pragma omp simd lastprivate(four)
  for (int i = 0; i < n; i++) {
    for (int k = 0; k < 4; k++) four[(k + i) & 3] = in[i] + k;
    out[i] = four[0] + four[3];
  }
  for (int i = 0; i < n; i++) out[i] += four[(i + in[i]) & 3];
}

int main(void) {
  for (int i = 0; i < N; i++) in[i] = i * i % 37;
  for (int n = 0; n <= N; n += 9) {
    int out[N] = {0};
    shared(n, out);
    for (int i = 0; i < N; i++) printf("%d ", out[i]);
    memset(out, 0, sizeof out);
    sums(n, out);
    sums_of_a_section(n, out + 8);
    for (int i = 0; i < N; i++) printf("%d ", out[i]);
    last(n, out);
    for (int i = 0; i < N; i++) printf("%d ", out[i]);
    own(n, out, n % 2);
    for (int i = 0; i < N; i++) printf("%d ", out[i]);
    all_of_the_last(n, out);
    for (int i = 0; i < N; i++) printf("%d ", out[i]);
    puts("");
  }
}
