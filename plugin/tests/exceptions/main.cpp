// Runs both versions with and without an exception and compares what they leave, and how they end.
#include <complex>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <functional>
#include <stdexcept>
#include <sys/wait.h>
#include <unistd.h>

// What is thrown at.
int unlucky = -1;

int may_throw(int x) {
  if (x == unlucky) throw std::runtime_error("unlucky");
  return x * x + 1;
}

struct Counter {
  int *at;
  ~Counter();
};

Counter::~Counter() { ++*at; }

struct Shape {
  virtual float area(float x) const = 0;
};

struct Square : Shape {
  float area(float x) const override {
    if (static_cast<int>(x) == unlucky) throw std::runtime_error("unlucky");
    return x * x;
  }
};

[[noreturn]] void fail(int x);
void fail(int x) { throw x; }

#ifdef LIBRARY
#define LOOPS(X) \
  X(elements) \
  X(unfit_elements) \
  X(own) \
  X(values) \
  X(own_elements) \
  X(keys)
#else
#define LOOPS(X) \
  X(call) \
  X(call_under_condition) \
  X(call_in_a_loop) \
  X(call_of_a_vector_function) \
  X(call_of_a_variant)
#endif

#define DECLARE(name) \
  void scalar_##name(int, int *); \
  void vector_##name(int, int *);
LOOPS(DECLARE)

#ifndef LIBRARY
void scalar_virtual_call(int, const Shape &, float *);
void vector_virtual_call(int, const Shape &, float *);
void scalar_destructor(int, int *, int *);
void vector_destructor(int, int *, int *);
void scalar_complex(int, std::complex<float> *);
void vector_complex(int, std::complex<float> *);
#endif

using Loop = std::function<void(int, int *)>;

static const struct {
  const char *name;
  Loop scalar, vector;
} loops[] = {
#define ENTRY(name) {#name, scalar_##name, vector_##name},
    LOOPS(ENTRY)};

static const int most = 50;

// How the process ends in which a loop does so many iterations: 42 by the handler, 0 if nothing is thrown, 1 if the exception got out.
static int end_of(const Loop &loop, int n, int *a) {
  pid_t child = fork();
  if (child == 0) {
    std::set_terminate([] { _exit(42); });
    try {
      loop(n, a);
    } catch (...) {
      _exit(1);
    }
    _exit(0);
  }
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static int failures;

static void expect(bool holds, const char *name, int n) {
  if (!holds) std::fprintf(stderr, "%s of %d\n", name, n);
  failures += !holds;
}

static void compare(const char *name, const Loop &scalar, const Loop &vector) {
  for (int n = 0; n < most; n++) {
    int a[most], b[most];
    for (int i = 0; i < most; i++) a[i] = b[i] = (i * 7 + n) % 101;
    unlucky = -1;
    scalar(n, a);
    vector(n, b);
    expect(!std::memcmp(a, b, sizeof a), name, n);
    if (n % 7) continue;
    for (unlucky = 0; unlucky < 100; unlucky += 11) {
      for (int i = 0; i < most; i++) a[i] = (i * 7 + n) % 101;
      expect(end_of(scalar, n, a) == end_of(vector, n, a), name, n);
    }
  }
}

int main() {
  for (auto &loop : loops) compare(loop.name, loop.scalar, loop.vector);
#ifndef LIBRARY
  static Square square;
  auto on_floats = [](auto run) {
    return [run](int n, int *a) {
      float f[most];
      for (int i = 0; i < n; i++) f[i] = a[i];
      run(n, square, f);
      for (int i = 0; i < n; i++) a[i] = f[i];
    };
  };
  compare("virtual_call", on_floats(scalar_virtual_call), on_floats(vector_virtual_call));
  auto counted = [](auto run) {
    return [run](int n, int *a) {
      int seen[most] = {};
      run(n, a, seen);
      for (int i = 0; i < n; i++) a[i] += 1000 * seen[i];
    };
  };
  compare("destructor", counted(scalar_destructor), counted(vector_destructor));
  auto complex = [](auto run) {
    return [run](int n, int *a) {
      std::complex<float> c[most];
      for (int i = 0; i < n; i++) c[i] = {a[i] / 9.0f, a[n - 1 - i] / 7.0f};
      run(n, c);
      for (int i = 0; i < n; i++) a[i] = 1000 * c[i].real() + c[i].imag();
    };
  };
  compare("complex", complex(scalar_complex), complex(vector_complex));
#endif
  std::fprintf(stderr, "%d failures\n", failures);
  return failures != 0;
}
