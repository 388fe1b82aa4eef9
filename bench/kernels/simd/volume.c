// Rays through a cube of densities, until they have left it or nothing behind can be seen any more.
enum { SIDE = 64 };

static inline float density(const float *restrict cube, float x, float y, float z) {
  int cx = (int)x, cy = (int)y, cz = (int)z;
  float fx = x - (float)cx, fy = y - (float)cy, fz = z - (float)cz;
  const float *at = cube + (cz * SIDE + cy) * SIDE + cx;
  float a = at[0] + fx * (at[1] - at[0]), b = at[SIDE] + fx * (at[SIDE + 1] - at[SIDE]);
  at += SIDE * SIDE;
  float c = at[0] + fx * (at[1] - at[0]), d = at[SIDE] + fx * (at[SIDE + 1] - at[SIDE]);
  float front = a + fy * (b - a), back = c + fy * (d - c);
  return front + fz * (back - front);
}

void render(int size, const float *restrict cube, float *restrict picture) {
  for (int row = 0; row < size; row++) {
#pragma omp simd
    for (int column = 0; column < size; column++) {
      float x = 1 + 40.0f * (float)column / (float)size, y = 1 + 40.0f * (float)row / (float)size, z = 0.5f;
      float light = 0, through = 1;
      while (x < SIDE - 1 && y < SIDE - 1 && z < SIDE - 1 && through > 0.02f) {
        float d = density(cube, x, y, z);
        if (d > 0.25f) {
          light += through * d * 0.3f * (1 - z / SIDE);
          through *= 1 - 0.3f * d;
        }
        x += 0.2f;
        y += 0.15f;
        z += 0.5f;
      }
      picture[row * size + column] = light;
    }
  }
}

// ----
#include "kernel.h"

enum { SIZE = 96 };

struct data { float *cube, *picture; };

const char *const inputs[] = {"96x96", 0};

struct data *setup(int input) {
  (void)input;
  struct data *it = ARRAY(struct data, 1);
  it->cube = ARRAY(float, (SIDE + 1) * (SIDE + 1) * (SIDE + 1));
  for (int z = 0; z < SIDE; z++)
    for (int y = 0; y < SIDE; y++)
      for (int x = 0; x < SIDE; x++) {
        float dx = (float)x - 32, dy = (float)y - 30, dz = (float)z - 34;
        float r = (dx * dx + dy * dy + dz * dz) / 500;
        it->cube[(z * SIDE + y) * SIDE + x] = r < 1 ? (1 - r) * random_float(0.5f, 1) : random_float(0, 0.1f);
      }
  it->picture = RESULT(float, SIZE * SIZE);
  return it;
}

void run(struct data *it) { render(SIZE, it->cube, it->picture); }
