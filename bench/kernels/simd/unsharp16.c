// A picture of 16 bits made sharper: what differs from its neighbours differs more, within bounds.
#include <stdint.h>

void sharpen(int width, int height, const uint16_t *restrict in, uint16_t *restrict out) {
  for (int y = 1; y < height - 1; y++) {
#pragma omp simd
    for (int x = 1; x < width - 1; x++) {
      const uint16_t *at = in + y * width + x;
      int around = (at[-1] + at[1] + at[-width] + at[width]) / 4, difference = at[0] - around, sharp = at[0];
      if (difference > 300 || difference < -300) sharp += difference;
      out[y * width + x] = (uint16_t)(sharp < 0 ? 0 : sharp > 65535 ? 65535 : sharp);
    }
  }
}

// ----
#include "kernel.h"

enum { WIDTH = 512, HEIGHT = 256 };

struct data { uint16_t *in, *out; };

const char *const inputs[] = {"512x256", 0};

struct data *setup(int input) {
  (void)input;
  struct data *it = ARRAY(struct data, 1);
  it->in = ARRAY(uint16_t, WIDTH * HEIGHT);
  for (int i = 0; i < WIDTH * HEIGHT; i++) it->in[i] = (uint16_t)(20000 + random_below(i % 7 ? 800 : 30000));
  it->out = RESULT(uint16_t, WIDTH * HEIGHT);
  return it;
}

void run(struct data *it) { sharpen(WIDTH, HEIGHT, it->in, it->out); }
