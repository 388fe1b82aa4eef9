// What C++ puts between a loop and its numbers: classes, references, lambdas, templates, the standard library. Each loop is vectorized.
#include <algorithm>
#include <array>
#include <atomic>
#include <bitset>
#include <cmath>
#include <complex>
#include <cstdio>
#include <cstring>
#include <cwchar>
#include <numeric>
#include <optional>
#include <tuple>
#include <variant>
#include <vector>

#define FUNCTION __attribute__((noinline)) static void
constexpr int N = 100;

static int in[N], place[N], to[2 * N];
static float f[N];

struct Point {
  float x, y, z;
  Point operator+(const Point &p) const { return {x + p.x, y + p.y, z + p.z}; }
  Point operator*(float by) const { return {x * by, y * by, z * by}; }
  Point &operator+=(const Point &p) { return *this = *this + p; }
  float dot(const Point &p) const { return x * p.x + y * p.y + z * p.z; }
  float length() const { return std::sqrt(dot(*this)); }
};

static Point points[N];

static void put(int i, float x) { std::memcpy(&to[i], &x, sizeof x); }

FUNCTION operators(int n) {
#pragma omp simd
  for (int i = 0; i < n; i++) {
    Point p = points[i] * 2 + points[n - 1 - i];
    if (p.length() > 10) p = p * (1 / p.length());
    p += points[place[i]];
    put(i, p.dot(points[i]));
  }
}

struct Sphere {
  Point center;
  float radius;
  std::optional<float> hit(const Point &d) const {
    float b = d.dot(center), q = b * b - center.dot(center) + radius * radius;
    if (q < 0) return std::nullopt;
    return b - std::sqrt(q);
  }
};

FUNCTION optional_results(int n) {
  Sphere sphere{{1, 2, 3}, 3};
#pragma omp simd
  for (int i = 0; i < n; i++) {
    auto hit = sphere.hit(points[i]);
    put(i, hit ? *hit : -1);
  }
}

template <class T, class F> FUNCTION applied(T *out, const T *from, int n, F change) {
#pragma omp simd
  for (int i = 0; i < n; i++) out[i] = change(from[i]);
}

FUNCTION lambdas(int n) {
  applied(to, in, n, [n](int x) {
    while (x > 1) x -= n % 3 + 1;
    return x;
  });
}

FUNCTION tuples(int n) {
#pragma omp simd
  for (int i = 0; i < n; i++) {
    auto [a, b] = std::pair{in[i], f[i]};
    auto t = std::tuple{a, b, i};
    to[i] = std::get<0>(t) * 3 + std::get<2>(t);
    put(N + i, std::get<1>(t));
  }
}

FUNCTION arrays(int n) {
#pragma omp simd
  for (int i = 0; i < n; i++) {
    std::array<int, 4> t{in[i], 1, 2, 3};
    t[in[i] & 3] += 5;
    to[i] = std::accumulate(t.begin(), t.end(), i);
  }
}

FUNCTION sorted(int n) {
#pragma omp simd
  for (int i = 0; i < n; i++) {
    int a[5] = {in[i], in[n - 1 - i], in[place[i]], i, 3};
    for (int x = 1; x < 5; x++) {
      int v = a[x], y = x;
      for (; y > 0 && a[y - 1] > v; y--) a[y] = a[y - 1];
      a[y] = v;
    }
    to[i] = a[2] * 100 + a[4];
  }
}

FUNCTION complex_numbers(int n) {
#pragma omp simd
  for (int i = 0; i < n; i++) {
    std::complex<float> z(f[i], 1), c(0.3f, f[n - 1 - i] / 100);
    int k = 0;
    for (; std::norm(z) < 4e3f && k < 20; k++) z = {z.real() * z.real() - z.imag() * z.imag() + c.real(), 2 * z.real() * z.imag()};
    to[i] = k;
  }
}

struct Shape {
  virtual int area(int x) const { return x + 1; }
};

struct Square : Shape {
  int area(int x) const override { return x * x; }
};

static Shape shape;
static Square square;

FUNCTION virtual_functions(int n) {
  const Shape *shapes[N];
  for (int i = 0; i < n; i++) shapes[i] = in[i] & 1 ? &shape : &square;
#pragma omp simd
  for (int i = 0; i < n; i++) to[i] = shapes[i]->area(in[i]);
}

FUNCTION variants(int n) {
#pragma omp simd
  for (int i = 0; i < n; i++) {
    std::variant<int, float> v;
    if (in[i] > 3) v = in[i];
    else v = f[i];
    if (auto *number = std::get_if<int>(&v)) to[i] = *number;
    else put(i, *std::get_if<float>(&v));
  }
}

FUNCTION bit_sets(int n) {
#pragma omp simd
  for (int i = 0; i < n; i++) {
    std::bitset<32> b(in[i]);
    b.flip(3);
    to[i] = static_cast<int>(b.count()) + (b.test(1) ? 100 : 0);
  }
}

FUNCTION cases(int n) {
  enum class Kind : unsigned char { A, B, C };
#pragma omp simd
  for (int i = 0; i < n; i++) {
    switch (static_cast<Kind>(in[i] % 3)) {
    case Kind::A: to[i] = 1; break;
    case Kind::B: to[i] = in[i]; break;
    case Kind::C: to[i] = -in[i]; break;
    }
  }
}

FUNCTION lookups(int n) {
  static const int steps[] = {-5, 0, 1, 4, 6};
#pragma omp simd
  for (int i = 0; i < n; i++) to[i] = static_cast<int>(std::lower_bound(std::begin(steps), std::end(steps), in[i]) - steps);
}

class Stack {
  int items[16];
  int top = 0;

public:
  void push(int x) { items[top++] = x; }
  int pop() { return items[--top]; }
  bool empty() const { return top == 0; }
};

FUNCTION stacks(int n) {
#pragma omp simd
  for (int i = 0; i < n; i++) {
    Stack s;
    for (int x = in[i] * 37; x; x >>= 2) s.push(x & 7);
    int r = 0;
    while (!s.empty()) r = r * 3 + s.pop();
    to[i] = r;
  }
}

FUNCTION references(int n, int &sum, const int &by) {
#pragma omp simd reduction(+ : sum)
  for (int i = 0; i < n; i++) sum += in[i] * by;
}

FUNCTION vectors(std::vector<int> &v, const std::vector<int> &w) {
#pragma omp simd
  for (std::size_t i = 0; i < v.size(); i++) v[i] = w[i] * 2 + 1;
}

// Where `v` keeps its elements is read again behind the call.
FUNCTION elements_behind_calls(std::vector<int> &v, int n) {
#pragma omp simd
  for (int i = 0; i < n; i++) v[i] = wctob(v[i]) + 1;
#pragma clang loop vectorize(assume_safety)
  for (int i = 0; i < n; i++)
    if (v[i] > 3) v[i] = wctob(v[i]) * 3;
}

FUNCTION counted(int n) {
  std::atomic<int> count{0};
#pragma omp simd
  for (int i = 0; i < n; i++) count.fetch_add(in[i], std::memory_order_relaxed);
  to[0] = count;
}

static void with_elements(int n) {
  std::vector<int> v(in, in + n);
  elements_behind_calls(v, n);
  std::copy(v.begin(), v.end(), to);
}

static void with_references(int n) { references(n, to[0], in[3]); }

static void with_vectors(int n) {
  std::vector<int> v(n), w(in, in + n);
  vectors(v, w);
  std::copy(v.begin(), v.end(), to);
}

static void (*const all[])(int) = {operators, optional_results, lambdas, tuples, arrays, sorted, complex_numbers, virtual_functions,
                                   variants, bit_sets, cases, lookups, stacks, with_references, with_vectors, with_elements, counted};

int main() {
  for (int i = 0; i < N; i++) {
    in[i] = i * 5 % 7;
    f[i] = in[i] - 2.5f;
  }
  for (int n = 1; n <= N; n += n < 20 ? 1 : 13) {
    for (int i = 0; i < N; i++) {
      place[i] = (i + 3) % n;
      points[i] = {f[i], f[N - 1 - i], f[place[i]]};
    }
    for (auto run : all) {
      std::memset(to, 0, sizeof to);
      run(n);
      unsigned hash = 7;
      for (int x : to) hash = hash * 31 + x;
      std::printf("%d %08x\n", n, hash);
    }
  }
}
