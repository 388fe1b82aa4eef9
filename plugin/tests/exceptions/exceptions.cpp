// Loops and functions from which no exception goes any further. The file is compiled twice: by clang alone and with the plug-in, which
// calls what it compiles by other names.
#include <complex>
#include <stdexcept>

#ifdef SCALAR
#define NAME(name) scalar_##name
#else
#define NAME(name) vector_##name
#endif

int may_throw(int x);

struct Counter {
  int *at;
  ~Counter();
};

struct Shape {
  virtual float area(float x) const = 0;
};

void NAME(call)(int n, int *a) {
#pragma omp simd
  for (int i = 0; i < n; i++) a[i] = may_throw(a[i]) + 1;
}

void NAME(call_under_condition)(int n, int *a) {
#pragma omp simd
  for (int i = 0; i < n; i++)
    if (a[i] % 3) a[i] += may_throw(2 * a[i]);
}

void NAME(call_in_a_loop)(int n, int *a) {
#pragma omp simd
  for (int i = 0; i < n; i++) {
    int sum = 0;
    for (int k = a[i] & 7; k > 0; k--) sum += may_throw(k);
    a[i] = sum;
  }
}

static __attribute__((noinline)) int twice(int x) { return 2 * may_throw(x); }

void NAME(call_of_a_vector_function)(int n, int *a) {
#pragma omp simd
  for (int i = 0; i < n; i++) a[i] = twice(a[i]) - i;
}

void NAME(virtual_call)(int n, const Shape &shape, float *a) {
#pragma omp simd
  for (int i = 0; i < n; i++) a[i] = shape.area(a[i]);
}

void NAME(destructor)(int n, int *a, int *seen) {
#pragma omp simd
  for (int i = 0; i < n; i++) {
    Counter counter{seen + i};
    a[i] = may_throw(a[i]);
  }
}

#pragma omp declare simd
int NAME(variant)(int x) noexcept {
  return may_throw(x) * 3;
}

void NAME(call_of_a_variant)(int n, int *a) {
#pragma omp simd
  for (int i = 0; i < n; i++) a[i] = NAME(variant)(a[i]);
}

// LLVM's passes forget that some of the accesses of independent iterations are.
void NAME(complex)(int n, std::complex<float> *a) {
#pragma omp simd
  for (int i = 0; i < n; i++) a[i] = a[i] * a[i] + std::conj(a[i]);
}
