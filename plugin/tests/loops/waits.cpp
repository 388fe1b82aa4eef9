// Locks, and variables that the first iteration initializes: lanes that take them one after the other would wait for each other.
#include <cstdio>
#include <mutex>

static std::mutex lock;
static int taken, to[64];

__attribute__((noinline)) static int number(int x) {
  static int made;
  return x + ++made;
}

struct Table {
  int at[8];
  explicit Table(int x) {
    for (int &a : at) a = number(x) * 3;
  }
};

static inline int looked_up(int x) {
  static const Table table(x);
  return table.at[x & 7];
}

static inline int counted(int x) {
  std::lock_guard<std::mutex> held(lock);
  return x + ++taken;
}

__attribute__((noinline)) static int counted_elsewhere(int x) { return counted(x); }
__attribute__((noinline)) static int looked_up_elsewhere(int x) { return looked_up(x + 1); }

int main() {
#pragma omp simd
  for (int i = 0; i < 64; i++) // remark: a lane would wait for another one
    to[i] = looked_up(i);
  for (int x : to) std::printf("%d ", x);
#pragma omp simd
  for (int i = 0; i < 64; i++) // remark: a lane would wait for another one
    to[i] = counted(i) > 3;
  for (int x : to) std::printf("%d ", x);
#pragma omp simd
  for (int i = 0; i < 64; i++) // vectorized
    to[i] = counted_elsewhere(i) > 3;
  for (int x : to) std::printf("%d ", x);
#pragma omp simd
  for (int i = 0; i < 64; i++) // vectorized
    to[i] = looked_up_elsewhere(i);
  for (int x : to) std::printf("%d ", x);
  std::printf("%d\n", taken);
}
