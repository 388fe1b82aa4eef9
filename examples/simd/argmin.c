// The smallest of many numbers and where it stands: the first of them if there are several.
int argmin(int n, const float *restrict x, float *restrict smallest) {
  float best = x[0];
  int at = 0;
#pragma omp simd
  for (int i = 1; i < n; i++)
    if (x[i] < best) {
      best = x[i];
      at = i;
    }
  *smallest = best;
  return at;
}

// ----
#include "kernel.h"

enum { COUNT = 1 << 15, TIMES = 16 };

struct data { float *x, *smallest; int *places; };

const char *const inputs[] = {"32768 numbers", 0};

struct data *setup(int input) {
  (void)input;
  struct data *it = ARRAY(struct data, 1);
  it->x = random_floats(COUNT, -1, 1);
  it->smallest = RESULT(float, TIMES);
  it->places = RESULT(int, TIMES);
  return it;
}

void run(struct data *it) {
#pragma nounroll
  for (int t = 0; t < TIMES; t++)
    it->places[t] = argmin(COUNT - 5 * t, it->x + 2 * t, &it->smallest[t]);
}
