// The smallest and the largest of many numbers.
void extremes(int n, const float *restrict x, float *restrict smallest, float *restrict largest) {
  float low = x[0], high = x[0];
#pragma omp simd reduction(min : low) reduction(max : high)
  for (int i = 0; i < n; i++) {
    low = x[i] < low ? x[i] : low;
    high = x[i] > high ? x[i] : high;
  }
  *smallest = low;
  *largest = high;
}

// ----
#include "kernel.h"

enum { COUNT = 1 << 14, TIMES = 16 };

struct data { float *x, *smallest, *largest; };

const char *const inputs[] = {"16384 numbers", 0};

struct data *setup(int input) {
  (void)input;
  struct data *it = ARRAY(struct data, 1);
  it->x = random_floats(COUNT, -1, 1);
  it->smallest = RESULT(float, TIMES);
  it->largest = RESULT(float, TIMES);
  return it;
}

void run(struct data *it) {
#pragma nounroll
  for (int t = 0; t < TIMES; t++)
    extremes(COUNT - 5 * t, it->x + 2 * t, &it->smallest[t], &it->largest[t]);
}
