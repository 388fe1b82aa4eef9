// Marked loops that cannot be vectorized. The reason stands at the line where the remark is expected.

void shifted(float *a, int n) {
#pragma clang loop vectorize(enable) vectorize_width(8)
  for (int i = 1; i < n; i++) // remark: touch the same memory in different iterations
    a[i] = a[i - 1] * 2;
}

void may_overlap(int *a, int *b, const int *at, int n) {
#pragma clang loop vectorize(enable)
  for (int i = 0; i < n; i++) // remark: may touch the same memory
    a[i] = b[at[i]] + 1;
}

void twice(int *a, const unsigned char *at, int n) {
#pragma clang loop vectorize(enable)
  for (int i = 0; i < n; i++) { // remark: touch the same memory
    a[at[i]] = i;
    a[at[i + 1]] = -i;
  }
}

void overlapping_elements(int *a, int n) {
#pragma clang loop vectorize(enable) vectorize_width(8)
  for (int i = 0; i < n; i++) { // remark: touch the same memory
    a[i + 1] = i;
    a[i] = 3;
    a[i + 2] = a[i + 1] + 1;
  }
}

int search(const int *a, int n) {
#pragma clang loop vectorize(assume_safety)
  for (int i = 0; i < n; i++) // remark: several places
    if (a[i] == 7) return i;
  return -1;
}

int chain(const int *a, int n) {
  int s = 1;
#pragma clang loop vectorize(assume_safety)
  for (int i = 0; i < n; i++) // remark: an iteration needs what the one before it computed
    s = s * 31 + a[i];
  return s;
}

void sum_in_memory(float *sum, const float *a, const float *b, int n) {
#pragma clang loop vectorize(enable)
  for (int i = 0; i < n; i++) // remark: each iteration writes it to memory
    *sum += a[i] * b[i];
}

int longest_run(const int *a, int n) {
  int run = 0;
#pragma clang loop vectorize(enable)
  for (int i = 0; i < n; i++) // remark: do not set anew what is summed up
    run = a[i] ? run + 1 : 0;
  return run;
}

int compared_with_the_row_before(const int *a, int n) {
  int least = 1000;
#pragma clang loop vectorize(enable)
  for (int i = 0; i < n; i++) { // remark: compare each value once with the best so far
    int before = least;
    for (int j = 0; j < 3; j++)
      if (a[3 * i + j] < before) least = a[3 * i + j];
  }
  return least;
}

int first(const int *a, int n) {
  int at = -1;
#pragma clang loop vectorize(assume_safety)
  for (int i = 0; i < n; i++) // remark: read in each iteration what is only read until something is found
    if (at < 0 && a[i] > 80) at = i;
  return at;
}

int list(const int *next, int *out, int at) {
  int n = 0;
#pragma clang loop vectorize(assume_safety)
  while (at) { // remark: not vectorized
    out[n++] = at;
    at = next[at];
  }
  return n;
}

void unknown(int);

void calls(int n) {
#pragma clang loop vectorize(enable)
  for (int i = 0; i < n; i++) // remark: may do anything
    unknown(i);
}

double in_order(const double *a, int n) {
  double s = 0;
#pragma clang loop vectorize(assume_safety)
  for (int i = 0; i < n; i++) // remark: an iteration needs what the one before it computed
    for (int j = 0; j < n; j++) s += a[n * i + j];
  return s;
}

void private_of_unknown_size(int n, const int *restrict a, int *restrict out) {
  int m = n % 7 + 1;
  int w[m];
#pragma omp simd private(w) // remark: stack memory of unknown size
  for (int i = 0; i < n; i++) {
    for (int k = 0; k < m; k++) w[k] = a[i * 3 + k];
    out[i] = w[out[i] % m];
  }
}

void prefix_sums(int *restrict o, const int *restrict a, int n) {
  int s = 0;
#pragma clang loop vectorize(enable)
  for (int i = 0; i < n; i++) { // remark: all before it: compute that in a loop of its own
    s += a[i];
    o[i] = s;
  }
}

static inline void triple(int *restrict to, const int *restrict from, int v) { *to = *from * 3 + v; }

// The inner loop goes away, and where the scopes of `restrict` begin goes with it.
void inlined_again_and_again(long n, int *o, long step) {
#pragma clang loop vectorize(enable)
  for (long i = 0; i < n; i++) // remark: may touch the same memory
    for (int z = 0; z < 3; z++) triple(o + i * step + 1, o + i * step, i);
}
