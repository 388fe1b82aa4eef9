// A grey picture made smoother where neighbours are alike: a bilateral filter of 5 times 5 pixels, in bytes.
#include <stdint.h>

void smooth(int width, int height, const uint8_t *restrict in, uint8_t *restrict out) {
  for (int y = 2; y < height - 2; y++) {
#pragma omp simd
    for (int x = 2; x < width - 2; x++) {
      int middle = in[y * width + x], sum = 0, weight = 0;
      for (int dy = -2; dy <= 2; dy++)
        for (int dx = -2; dx <= 2; dx++) {
          int pixel = in[(y + dy) * width + x + dx];
          int difference = pixel > middle ? pixel - middle : middle - pixel;
          if (difference > 24) continue;
          sum += pixel * (32 - difference);
          weight += 32 - difference;
        }
      out[y * width + x] = (uint8_t)(sum / weight);
    }
  }
}

// ----
#include "kernel.h"

enum { WIDTH = 512, HEIGHT = 256 };

struct data { uint8_t *in, *out; };

const char *const inputs[] = {"512x256", 0};

struct data *setup(int input) {
  (void)input;
  struct data *it = ARRAY(struct data, 1);
  it->in = ARRAY(uint8_t, WIDTH * HEIGHT);
  for (int i = 0; i < WIDTH * HEIGHT; i++) {
    int x = i % WIDTH, y = i / WIDTH;
    it->in[i] = (uint8_t)(((x / 64 + y / 64) % 2 ? 160 : 60) + (int)random_below(40));
  }
  it->out = RESULT(uint8_t, WIDTH * HEIGHT);
  return it;
}

void run(struct data *it) { smooth(WIDTH, HEIGHT, it->in, it->out); }
