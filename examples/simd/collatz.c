// How long do numbers below n take to reach one, halved if even, else tripled plus one? And which takes longest?
int collatz(int n, int *restrict longest) {
  int most = 0, which = 0;
#pragma omp simd
  for (int i = 1; i < n; i++) {
    unsigned x = (unsigned)i;
    int steps = 0;
    while (x != 1) {
      x = x % 2 ? 3 * x + 1 : x / 2;
      steps++;
    }
    if (steps > most) {
      most = steps;
      which = i;
    }
  }
  *longest = most;
  return which;
}

// ----
#include "kernel.h"

struct data { int *results; };

const char *const inputs[] = {"numbers below 50000", 0};

struct data *setup(int input) {
  (void)input;
  struct data *it = ARRAY(struct data, 1);
  it->results = RESULT(int, 2);
  return it;
}

void run(struct data *it) { it->results[0] = collatz(50000, &it->results[1]); }
