// RUN: clang++-22 -O0 -c -emit-llvm %s -o %t.bc
// RUN: lw roundtrip %t.bc --stats
// RUN: clang++-22 -O2 -g -c -emit-llvm %s -o %t.bc
// RUN: lw roundtrip %t.bc --stats
// Virtual tables, exceptions and run-time type information: clang writes `inrange` of 32 bits, not as wide as an index.

struct Base {
  virtual ~Base() {}
  virtual int f(int x) { return x; }
};
struct Derived : Base {
  int f(int x) override {
    if (x < 0)
      throw x;
    return 2 * x;
  }
};

int g(Base *b, int x) {
  try {
    if (auto *d = dynamic_cast<Derived *>(b))
      return d->f(x);
    return b->f(x);
  } catch (int e) {
    return -e;
  }
}

Base *make(bool derived) { return derived ? new Derived : new Base; }
