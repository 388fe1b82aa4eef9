// Loops of OpenMP, however they count. Each has a sum of floats in an inner loop and an array in its clauses, which only loops of OpenMP
// may reorder, and is vectorized.
#include <cstddef>
#include <cstdio>
#include <vector>

#define FUNCTION __attribute__((noinline)) static float

static float a[300];
static int key[300];

#define CLAUSES reduction(+ : s) reduction(+ : h[ : 8])
#define BODY(x, k)                                \
  for (int t = 0; t < ((k) & 3); t++) s += (x);   \
  h[(k) & 7] += 1;

FUNCTION down(int n, int *h) {
  float s = 0;
#pragma omp simd CLAUSES
  for (int i = n - 1; i >= 0; i--) { BODY(a[i], key[i]) }
  return s;
}

FUNCTION from(int b, int n, int *h) {
  float s = 0;
#pragma omp simd CLAUSES
  for (int i = b; i < n; i++) { BODY(a[i], key[i]) }
  return s;
}

FUNCTION by_steps(int b, int n, int step, int *h) {
  float s = 0;
#pragma omp simd CLAUSES
  for (int i = b; i < n; i += step) { BODY(a[i], key[i]) }
  return s;
}

FUNCTION down_by_steps(int n, int step, int *h) {
  float s = 0;
#pragma omp simd CLAUSES
  for (long i = n; i > 0; i -= step) { BODY(a[i], key[i]) }
  return s;
}

FUNCTION narrow(unsigned char n, int *h) {
  float s = 0;
#pragma omp simd CLAUSES
  for (unsigned char i = 1; i <= n; i++) { BODY(a[i], key[i]) }
  return s;
}

FUNCTION wide(std::size_t b, std::size_t n, int *h) {
  float s = 0;
#pragma omp simd CLAUSES
  for (std::size_t i = b; i != n; ++i) { BODY(a[i], key[i]) }
  return s;
}

FUNCTION pointers(const float *p, const float *e, int *h) {
  float s = 0;
#pragma omp simd CLAUSES
  for (const float *q = p; q < e; q += 2) { BODY(*q, (int)(q - p)) }
  return s;
}

FUNCTION two_loops(int n, int m, int *h) {
  float s = 0;
#pragma omp simd CLAUSES collapse(2)
  for (int i = 0; i < n; i++)
    for (int j = 1; j < m; j++) { BODY(a[i * m + j], key[i + j]) }
  return s;
}

FUNCTION three_loops(int n, int b, int *h) {
  float s = 0;
#pragma omp simd CLAUSES collapse(3)
  for (int i = b; i < n; i++)
    for (long j = 3; j >= 0; j--)
      for (unsigned k = 0; k < 3; k++) { BODY(a[i + k], key[i + j]) }
  return s;
}

FUNCTION iterators(const std::vector<float> &v, int *h) {
  float s = 0;
#pragma omp simd CLAUSES
  for (auto it = v.begin(); it < v.end(); ++it) { BODY(*it, (int)*it) }
  return s;
}

FUNCTION ranges(const std::vector<float> &v, int *h) {
  float s = 0;
#pragma omp simd CLAUSES
  for (float x : v) { BODY(x, (int)x) }
  return s;
}

template <class F> FUNCTION lambdas(int n, F f, int *h) {
  float s = 0;
#pragma omp simd CLAUSES
  for (int i = 0; i < n; i++) { BODY(f(a[i]), key[i]) }
  return s;
}

struct Sums {
  int h[8] = {};
  float s = 0;
  __attribute__((noinline)) void add(int n) {
    auto &h = this->h;
    float s = 0;
#pragma omp simd CLAUSES
    for (int i = 0; i < n; i++) { BODY(a[i], key[i]) }
    this->s += s;
  }
};

FUNCTION only_if(int n, int *h) {
  float s = 0;
#pragma omp simd CLAUSES if (n > 40)
  for (int i = 0; i < n; i++) { BODY(a[i], key[i]) }
  return s;
}

FUNCTION own_arrays(int n, int *h) {
  float s = 0, own[4], last[4];
#pragma omp simd CLAUSES private(own) lastprivate(last)
  for (int i = n - 1; i >= 0; i--) {
    for (int k = 0; k < 4; k++) own[(k + i) & 3] = a[i] + k, last[(k + key[i]) & 3] = a[i] - k;
    BODY(own[key[i] & 3], key[i])
  }
  return n ? s + last[key[n] & 3] : s;
}

static void show(const char *what, float s, int *h) {
  std::printf("%s %g", what, s);
  for (int k = 0; k < 8; k++) std::printf(" %d", h[k]), h[k] = 0;
  std::puts("");
}

int main() {
  for (int i = 0; i < 300; i++) a[i] = i * 37 % 64, key[i] = i * 7 % 23;
  int h[8] = {};
  for (int n = 0; n < 120; n += 37) {
    std::vector<float> v(a, a + n);
    show("down", down(n, h), h);
    show("from", from(3, n + 3, h), h);
    show("by_steps", by_steps(3, n + 3, 3, h), h);
    show("down_by_steps", down_by_steps(n, 2, h), h);
    show("narrow", narrow(n, h), h);
    show("wide", wide(2, n + 2, h), h);
    show("pointers", pointers(a + 1, a + n + 1, h), h);
    show("two_loops", two_loops(n / 9, 7, h), h);
    show("three_loops", three_loops(n / 4, 1, h), h);
    show("iterators", iterators(v, h), h);
    show("ranges", ranges(v, h), h);
    show("lambdas", lambdas(n, [&](float x) { return x * 2 + n; }, h), h);
    show("only_if", only_if(n, h), h);
    show("own_arrays", own_arrays(n, h), h);
    Sums sums;
    sums.add(n);
    sums.add(n);
    show("sums", sums.s, sums.h);
  }
}
