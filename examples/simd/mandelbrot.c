// The Mandelbrot set: after how many steps does z*z + c leave the circle?
// Neighbours leave the inner loop at different times.
void mandelbrot(float left, float top, float pixel, int width, int height, int limit, int *restrict steps) {
  for (int row = 0; row < height; row++) {
#pragma omp simd
    for (int column = 0; column < width; column++) {
      float cx = left + pixel * column, cy = top + pixel * row;
      float x = cx, y = cy;
      int n = 0;
      for (; n < limit; n++) {
        float xx = x * x, yy = y * y;
        if (xx + yy > 4) break;
        y = 2 * x * y + cy;
        x = xx - yy + cx;
      }
      steps[row * width + column] = n;
    }
  }
}

// ----
#include "kernel.h"

enum { WIDTH = 768, HEIGHT = 512, LIMIT = 256 };

struct data { int *steps; };

const char *const inputs[] = {"768x512", 0};

struct data *setup(int input) {
  (void)input;
  struct data *it = ARRAY(struct data, 1);
  it->steps = RESULT(int, WIDTH * HEIGHT);
  return it;
}

void run(struct data *it) { mandelbrot(-2.1f, -1.0f, 3.0f / WIDTH, WIDTH, HEIGHT, LIMIT, it->steps); }
