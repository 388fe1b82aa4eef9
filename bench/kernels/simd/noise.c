// Fractal noise: octaves of values on a grid, joined smoothly.
#include <stdint.h>

static inline float corner(int x, int y) {
  uint32_t h = (uint32_t)x * 0x9e3779b1u ^ (uint32_t)y * 0x85ebca77u;
  h = (h ^ h >> 15) * 0x2c1b3c6du;
  h = (h ^ h >> 12) * 0x297a2d39u;
  return (float)(int32_t)(h ^ h >> 15) * 0x1p-31f;
}

static inline float value(float x, float y) {
  int cx = (int)x - (x < 0), cy = (int)y - (y < 0);
  float fx = x - (float)cx, fy = y - (float)cy;
  float sx = fx * fx * (3 - 2 * fx), sy = fy * fy * (3 - 2 * fy);
  float top = corner(cx, cy) + sx * (corner(cx + 1, cy) - corner(cx, cy));
  float bottom = corner(cx, cy + 1) + sx * (corner(cx + 1, cy + 1) - corner(cx, cy + 1));
  return top + sy * (bottom - top);
}

void noise(int width, int height, int octaves, float *restrict out) {
  for (int row = 0; row < height; row++) {
#pragma omp simd
    for (int column = 0; column < width; column++) {
      float x = 0.01f * (float)column - 1.7f, y = 0.01f * (float)row - 0.9f, sum = 0, part = 0.5f;
      for (int octave = 0; octave < octaves; octave++) {
        sum += part * value(x, y);
        x = 2 * x + 17.3f;
        y = 2 * y - 5.1f;
        part *= 0.5f;
      }
      out[row * width + column] = sum;
    }
  }
}

// ----
#include "kernel.h"

enum { WIDTH = 256, HEIGHT = 128 };

struct data { float *out; int octaves; };

const char *const inputs[] = {"8 octaves", 0};

struct data *setup(int input) {
  (void)input;
  struct data *it = ARRAY(struct data, 1);
  it->out = RESULT(float, WIDTH * HEIGHT);
  it->octaves = 8;
  return it;
}

void run(struct data *it) { noise(WIDTH, HEIGHT, it->octaves, it->out); }
