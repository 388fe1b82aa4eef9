// Arrays in `reduction` and `lastprivate` clauses. Each loop is vectorized.
#include <complex.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define N 203
#define FUNCTION static __attribute__((noinline)) void

static int key[N], val[N], place[N];
static float fx[N];
static double dx[N];
static unsigned char bytes[N];

// ---- elements that iterations share ----

FUNCTION histogram(int n, int *h) {
#pragma omp simd reduction(+ : h[ : 256])
  for (int i = 0; i < n; i++) h[bytes[i]]++;
}

FUNCTION section_of_any_length(int n, int m, double *out) {
#pragma omp simd reduction(+ : out[ : m])
  for (int i = 0; i < n; i++) out[key[i] % m] += dx[i];
}

FUNCTION two_dimensions(int n, int *out) {
  int m[4][4];
  memset(m, 0, sizeof m);
#pragma omp simd reduction(+ : m)
  for (int i = 0; i < n; i++) m[key[i] & 3][val[i] & 3] += i;
  memcpy(out, m, sizeof m);
}

static int global[16];

FUNCTION of_a_global(int n) {
#pragma omp simd reduction(+ : global)
  for (int i = 0; i < n; i++) global[val[i] & 15] += 2;
}

FUNCTION by_a_pointer(int n, int *out) {
#pragma omp simd reduction(+ : out[ : 9])
  for (int i = 0; i < n; i++) {
    int *p = &out[key[i] & 7];
    *p += val[i];
    p[1] -= i;
  }
}

static inline void add(int *h, int k, int x) { h[k] += x; }

FUNCTION by_a_function(int n, int *h) {
#pragma omp simd reduction(+ : h[ : 8])
  for (int i = 0; i < n; i++) {
    add(h, key[i] & 7, val[i]);
    add(h, val[i] & 7, 1);
  }
}

FUNCTION with_other_reductions(int n, int *h, int *out) {
  int s = 0;
#pragma omp simd reduction(+ : h[ : 8], s)
  for (int i = 0; i < n; i++) {
    h[key[i] & 7] += val[i];
    s += val[i];
    out[i] = val[i] * 2;
  }
  h[0] += s;
}

// ---- under conditions, in inner loops ----

FUNCTION under_conditions(int n, int *h) {
#pragma omp simd reduction(+ : h[ : 8])
  for (int i = 0; i < n; i++) switch (key[i] & 3) {
      case 0: h[1] += i; break;
      case 1: h[val[i] & 7]++; break;
      case 2:
        if (val[i] > 50)
          h[3] += 2;
        else
          h[4]--;
    }
}

FUNCTION in_a_divergent_loop(int n, int *h) {
#pragma omp simd reduction(+ : h[ : 8])
  for (int i = 0; i < n; i++)
    for (unsigned x = val[i]; x; x >>= 1) h[x & 7]++;
}

FUNCTION each_element(int n, float *out, const float *a) {
  float sum[16] = {0};
#pragma omp simd reduction(+ : sum)
  for (int i = 0; i < n; i++)
    for (int k = 0; k < 16; k++) sum[k] += a[k] * fx[i];
  memcpy(out, sum, sizeof sum);
}

FUNCTION each_element_of_any_number(int n, int m, float *out, const float *a) {
#pragma omp simd reduction(- : out[ : m])
  for (int i = 0; i < n; i++)
    for (int k = 0; k < m; k++) out[k] -= a[k] * fx[i];
}

// ---- widths ----

FUNCTION of_widths(int n, int *h) {
#pragma omp simd reduction(+ : h[ : 8]) simdlen(8)
  for (int i = 0; i < n; i++) h[key[i] & 7] += val[i];
#pragma omp simd reduction(+ : h[ : 8]) safelen(4)
  for (int i = 0; i < n; i++) h[key[i] & 7] += val[i];
}

FUNCTION collapsed(int n, int *h) {
#pragma omp simd reduction(+ : h[ : 8]) collapse(2)
  for (int i = 0; i < n; i++)
    for (int j = 0; j < 3; j++) h[(key[i] + j) & 7] += val[i];
}

// ---- operations and types ----

FUNCTION maxima(int n, int *out) {
  int max[8];
  memcpy(max, out, sizeof max);
#pragma omp simd reduction(max : max)
  for (int i = 0; i < n; i++) {
    int t = key[i] & 7;
    max[t] = max[t] > val[i] ? max[t] : val[i];
  }
  memcpy(out, max, sizeof max);
}

FUNCTION minima(int n, float *out) {
#pragma omp simd reduction(min : out[ : 8])
  for (int i = 0; i < n; i++)
    if (fx[i] < out[key[i] & 7]) out[key[i] & 7] = fx[i];
}

FUNCTION maxima_by_a_function(int n, double *out) {
#pragma omp simd reduction(max : out[ : 8])
  for (int i = 0; i < n; i++) out[key[i] & 7] = fmax(out[key[i] & 7], dx[i]);
}

FUNCTION all_and_any(int n, int *a, int *o) {
#pragma omp simd reduction(&& : a[ : 8]) reduction(|| : o[ : 8])
  for (int i = 0; i < n; i++) {
    int t = key[i] & 7;
    a[t] = a[t] && val[i] > 5;
    o[t] = o[t] || val[i] > 90;
  }
}

FUNCTION bits(int n, unsigned *a, unsigned *o, unsigned long long *x, short *m) {
#pragma omp simd reduction(& : a[ : 8]) reduction(| : o[ : 8]) reduction(^ : x[ : 8]) reduction(* : m[ : 8])
  for (int i = 0; i < n; i++) {
    int t = key[i] & 7;
    a[t] &= val[i];
    o[t] |= val[i];
    x[t] ^= (unsigned long long)val[i] << 33;
    m[t] *= val[i] | 1;
  }
}

FUNCTION truths(int n, _Bool *seen) {
#pragma omp simd reduction(| : seen[ : 32])
  for (int i = 0; i < n; i++) seen[val[i] & 31] |= key[i] > 7;
}

FUNCTION complex_numbers(int n, float complex *out) {
#pragma omp simd reduction(+ : out[ : 4])
  for (int i = 0; i < n; i++) out[key[i] & 3] += fx[i] + I * key[i];
}

struct pair {
  float x;
  int y;
};

#pragma omp declare reduction(+ : struct pair : omp_out.x += omp_in.x, omp_out.y += omp_in.y) initializer(omp_priv = (struct pair){0, 0})

FUNCTION structs(int n, struct pair *out) {
#pragma omp simd reduction(+ : out[ : 4])
  for (int i = 0; i < n; i++) {
    out[key[i] & 3].x += fx[i];
    out[key[i] & 3].y += val[i];
  }
}

// ---- what the last iteration leaves ----

FUNCTION last_arrays(int n, int *out) {
  float m[3][2];
  struct pair p[2];
  memset(m, 0, sizeof m);
  memset(p, 0, sizeof p);
#pragma omp simd lastprivate(m, p)
  for (int i = 0; i < n; i++) {
    for (int j = 0; j < 6; j++) m[(j + i) % 3][j / 3] = fx[i] + j;
    p[i & 1] = (struct pair){fx[i], i};
    p[~i & 1] = (struct pair){3, i * 2};
    out[i] = m[val[i] % 3][1] + p[key[i] & 1].y;
  }
  if (n) out[0] += m[0][0] + m[2][1] * 10 + p[0].x + p[1].y;
}

FUNCTION last_of_nothing_before(int n, int *out) {
  int q[4];
#pragma omp simd lastprivate(q)
  for (int i = 0; i < n; i++) {
    for (int j = 0; j < 4; j++) q[(j + i) & 3] = val[i] + j;
    out[i] = q[key[i] & 3];
  }
  if (n)
    for (int j = 0; j < n; j++) out[j] += q[j & 3];
}

static __attribute__((noinline)) void touch(struct pair *p, int i) {
  p->x += i;
  p->y ^= i;
}

FUNCTION last_of_a_struct(int n, int *out) {
  struct pair p = {0, 0};
#pragma omp simd lastprivate(p)
  for (int i = 0; i < n; i++) {
    p.x = fx[i];
    p.y = i;
    touch(&p, i);
    out[i] = p.x + p.y;
  }
  out[0] += p.x - p.y;
}

static int four[4];

FUNCTION last_of_a_global(int n, int *out) {
#pragma omp simd lastprivate(four)
  for (int i = 0; i < n; i++) {
    for (int j = 0; j < 4; j++) four[(j + i) & 3] = val[i] + j;
    out[i] = four[key[i] & 3];
  }
}

// ---- `private` and a sum of floats, which may be reordered ----

FUNCTION private_and_a_sum(int n, float *out) {
  float four[4], s = 0;
#pragma omp simd private(four) reduction(+ : s)
  for (int i = 0; i < n; i++) {
    for (int j = 0; j < 4; j++) four[(j + i) & 3] = val[i] + j;
    if (val[i] > 10) s += four[key[i] & 3];
    for (int j = 0; j < (key[i] & 3); j++) s += 1;
  }
  *out = s;
}

// ---- what iterations do not share though clauses do not name it ----

// A variable that is not set on all ways is undefined in each iteration, not what it was in the one before.
FUNCTION unset(int n, int *out) {
#pragma omp simd
  for (int i = 0; i < n; i++) {
    int x;
    for (int k = 0; k <= key[i]; k++) x = val[i] + k;
    out[i] = x;
  }
}

FUNCTION unset_in_cases(int n, int *out) {
#pragma clang loop vectorize(assume_safety)
  for (int i = 0; i < n; i++) {
    int x;
    switch (key[i] & 3) {
    case 0: x = 1; break;
    case 1: x = i; break;
    case 2: x = 4;
    }
    out[i] = (key[i] & 3) == 3 ? 0 : x;
  }
}

FUNCTION unset_elements(int n, int *out) {
  typedef int four __attribute__((vector_size(16)));
#pragma clang loop vectorize(assume_safety)
  for (int i = 0; i < n; i++) {
    four v;
    v[0] = val[i], v[1] = i, v[2] = 3;
    v[key[i] & 3] = 9;
    out[i] = v[1] + v[0];
  }
}

FUNCTION unset_until_found(int n, int *out) {
#pragma omp simd
  for (int i = 0; i < n; i++) {
    int best, found = 0;
    for (int k = 0; k < key[i] % 7; k++)
      if (!found || k * 3 % 5 > best) best = k * 3 % 5, found = 1;
    out[i] = found ? best : -1;
  }
}

FUNCTION unset_private(int n, int *out) {
  int x;
#pragma omp simd private(x)
  for (int i = 0; i < n; i++) {
    if (val[i] > 20) x = i;
    if (val[i] > 30) out[i] = x;
  }
}

FUNCTION unset_last(int n, int *out) {
  int x;
#pragma omp simd lastprivate(x)
  for (int i = 0; i < n; i++)
    for (int k = 0; k <= key[i]; k++) x = val[i] + k;
  if (n) *out = x;
}

// Arrays that are there before the loop are no arrays of clauses: the user says that iterations use different elements.
FUNCTION other_elements(int n, int *out) {
  int all[N];
  memcpy(all, val, sizeof all);
#pragma omp simd
  for (int i = 0; i < n; i++) all[place[i]] = all[place[i]] * 2 + i;
  memcpy(out, all, sizeof all);
}

FUNCTION column(int n, double *out) {
  double m[8][8];
  for (int i = 0; i < 64; i++) m[i / 8][i % 8] = dx[i] + 20;
  for (int j = 0; j < 8 && j < n; j++)
#pragma omp simd
    for (int i = j + 1; i < 8; i++) {
      double t = m[i][j];
      for (int k = 0; k < j; k++) t -= m[i][k] * m[j][k];
      m[i][j] = t / m[j][j];
    }
  memcpy(out, m, sizeof m);
}

static int order(const void *a, const void *b) { return *(const int *)a - *(const int *)b; }

// A function of another file that gets it is called for one lane after the other.
FUNCTION for_each(int n, int *out) {
  int kept[4] = {1, 2, 3, 4};
#pragma omp simd
  for (int i = 0; i < n; i++) out[i] = bsearch(&key[i], kept, 4, sizeof *kept, order) ? i : -i;
}

static void show(const char *what, const void *data, size_t size) {
  unsigned hash = 7;
  for (size_t i = 0; i < size; i++) hash = hash * 31 + ((const unsigned char *)data)[i];
  printf("%s %08x\n", what, hash);
}

#define SHOW(type, count, call)             \
  do {                                      \
    type *b = calloc(count, sizeof(type));  \
    call;                                   \
    show(#call, b, (count) * sizeof(type)); \
    free(b);                                \
  } while (0)

int main(void) {
  for (int i = 0; i < N; i++) {
    key[i] = i * 7 % 23;
    val[i] = (i * i + 3) % 101;
    fx[i] = val[i] - 50;
    dx[i] = key[i] * 2 - 9;
    bytes[i] = val[i] * 3;
    place[i] = (i * 37 + 5) % N;
  }
  float a[16];
  for (int k = 0; k < 16; k++) a[k] = k - 4;
  for (int n = 0; n <= N; n += 29) {
    SHOW(int, 256, histogram(n, b));
    SHOW(double, 13, section_of_any_length(n, 13, b));
    SHOW(int, 16, two_dimensions(n, b));
    of_a_global(n);
    show("of_a_global", global, sizeof global);
    SHOW(int, 9, by_a_pointer(n, b));
    SHOW(int, 8, by_a_function(n, b));
    SHOW(int, N + 8, with_other_reductions(n, b, b + 8));
    SHOW(int, 8, under_conditions(n, b));
    SHOW(int, 8, in_a_divergent_loop(n, b));
    SHOW(float, 16, each_element(n, b, a));
    SHOW(float, 11, each_element_of_any_number(n, 11, b, a));
    SHOW(int, 8, of_widths(n, b));
    SHOW(int, 8, collapsed(n, b));
    SHOW(int, 8, maxima(n, b));
    SHOW(float, 8, minima(n, b));
    SHOW(double, 8, maxima_by_a_function(n, b));
    SHOW(int, 16, (b[2] = b[3] = b[7] = 1, all_and_any(n, b, b + 8)));
    SHOW(long long, 18, bits(n, (unsigned *)b, (unsigned *)b + 8, (unsigned long long *)b + 8, (short *)b + 64));
    SHOW(_Bool, 32, truths(n, b));
    SHOW(float complex, 4, complex_numbers(n, b));
    SHOW(struct pair, 4, structs(n, b));
    SHOW(int, N, last_arrays(n, b));
    SHOW(int, N, last_of_nothing_before(n, b));
    if (n) SHOW(int, N, last_of_a_struct(n, b));
    SHOW(int, N, (last_of_a_global(n, b), memcpy(b, four, sizeof four)));
    SHOW(float, 1, private_and_a_sum(n, b));
    SHOW(int, N, unset(n, b));
    SHOW(int, N, unset_in_cases(n, b));
    SHOW(int, N, unset_elements(n, b));
    SHOW(int, N, unset_until_found(n, b));
    SHOW(int, N, unset_private(n, b));
    SHOW(int, 1, unset_last(n, b));
    SHOW(int, N, other_elements(n, b));
    SHOW(double, 64, column(n, b));
    SHOW(int, N, for_each(n, b));
  }
}
