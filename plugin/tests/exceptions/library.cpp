// Loops of OpenMP whose bodies call what throws: nobody catches it, so it ends the program. Compiled twice, as `exceptions.cpp`.
#include <map>
#include <optional>
#include <stdexcept>
#include <variant>
#include <vector>

#ifdef SCALAR
#define NAME(name) scalar_##name
#else
#define NAME(name) vector_##name
#endif

int may_throw(int x);

// What is thrown at.
extern int unlucky;

void NAME(elements)(int n, int *a) {
  std::vector<int> v(a, a + n), w(n);
#pragma omp simd
  for (int i = 0; i < n; i++) w.at(i) = v.at(may_throw(a[i]) % 1000 < 800 ? i : n - 1 - i) * 2;
  for (int i = 0; i < n; i++) a[i] = w[i];
}

void NAME(unfit_elements)(int n, int *a) {
  std::vector<int> v(a, a + n), w(n);
#pragma omp simd
  for (int i = 0; i < n; i++) w[i] = v.at(a[i] == unlucky ? n : i) + v.at(n - 1);
  for (int i = 0; i < n; i++) a[i] = w[i];
}

[[noreturn]] void fail(int x);

static inline int checked(int x) {
  if (x == unlucky) throw x;
  return x + 1;
}

void NAME(own)(int n, int *a) {
#pragma omp simd
  for (int i = 0; i < n; i++) {
    if (a[i] == unlucky - 1) fail(a[i]);
    a[i] = checked(a[i]) * 3;
  }
}

// What gives back a reference, or throws.
void NAME(values)(int n, int *a) {
  std::vector<std::optional<int>> v(n);
  std::vector<std::variant<float, int>> w(n);
  for (int i = 0; i < n; i++)
    if (a[i] != unlucky) v[i] = a[i], w[i] = a[i];
#pragma omp simd
  for (int i = 0; i < n; i++) a[i] = v[i].value() * 2 + std::get<int>(w[i]);
}

struct Elements {
  int *a;
  int &at(int i) const {
    if (a[i] != unlucky) return a[i];
    throw std::out_of_range("unlucky");
  }
};

void NAME(own_elements)(int n, int *a) {
  const Elements elements{a};
#pragma omp simd
  for (int i = 0; i < n; i++) elements.at(i) += 3 * elements.at(i);
}

void NAME(keys)(int n, int *a) {
  std::map<int, int> m;
  for (int i = 0; i < n; i++)
    if (a[i] != unlucky) m[a[i]] = i;
#pragma omp simd
  for (int i = 0; i < n; i++) a[i] = m.at(a[i]) - 1;
}
