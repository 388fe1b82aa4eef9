// Points in a ball by rejection: draw until one lies inside. How often that takes differs for each.
#include <stdint.h>

static inline float draw(uint32_t *state) {
  *state ^= *state << 13;
  *state ^= *state >> 17;
  *state ^= *state << 5;
  return (float)(int32_t)*state * 0x1p-31f;
}

void rejection(int n, uint32_t *restrict states, float *restrict xs, float *restrict ys, float *restrict zs) {
#pragma omp simd
  for (int i = 0; i < n; i++) {
    uint32_t state = states[i];
    float x, y, z;
    do {
      x = draw(&state);
      y = draw(&state);
      z = draw(&state);
    } while (x * x + y * y + z * z > 1);
    xs[i] = x;
    ys[i] = y;
    zs[i] = z;
  }
}

// ----
#include "kernel.h"

enum { COUNT = 1 << 16 };

struct data { uint32_t *states; float *xs, *ys, *zs; };

const char *const inputs[] = {"65536 points", 0};

struct data *setup(int input) {
  (void)input;
  struct data *it = ARRAY(struct data, 1);
  it->states = ARRAY(uint32_t, COUNT);
  for (int i = 0; i < COUNT; i++) it->states[i] = random_bits() | 1;
  it->xs = RESULT(float, COUNT);
  it->ys = RESULT(float, COUNT);
  it->zs = RESULT(float, COUNT);
  return it;
}

void run(struct data *it) { rejection(COUNT, it->states, it->xs, it->ys, it->zs); }
