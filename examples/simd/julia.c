// A Julia set by a function with `declare simd`: the loop calls the variant that takes a vector of points.
#pragma omp declare simd uniform(cx, cy, limit) notinbranch
__attribute__((noinline)) int julia(float x, float y, float cx, float cy, int limit) {
  int n = 0;
  while (n < limit && x * x + y * y <= 4) {
    float t = x * x - y * y + cx;
    y = 2 * x * y + cy;
    x = t;
    n++;
  }
  return n;
}

void julia_set(float left, float top, float pixel, int width, int height, int *restrict steps) {
  for (int row = 0; row < height; row++) {
#pragma omp simd
    for (int column = 0; column < width; column++)
      steps[row * width + column] = julia(left + pixel * column, top + pixel * row, -0.8f, 0.156f, 300);
  }
}

// ----
#include "kernel.h"

enum { WIDTH = 768, HEIGHT = 512 };

struct data { int *steps; };

const char *const inputs[] = {"768x512", 0};

struct data *setup(int input) {
  (void)input;
  struct data *it = ARRAY(struct data, 1);
  it->steps = RESULT(int, WIDTH * HEIGHT);
  return it;
}

void run(struct data *it) { julia_set(-1.5f, -1.0f, 3.0f / WIDTH, WIDTH, HEIGHT, it->steps); }
