// Ambient occlusion: how much of the sky does a point see past three spheres and a floor? Directions are drawn as in aobench, by a radius
// and an angle around the normal. With -DREJECTION they are points of a ball, drawn until one is in it, so that lanes wait for each other.
#include <math.h>
#include <stdint.h>

static const float spheres[3][4] = {{-2, 0, -3.5f, 0.5f}, {-0.5f, 0, -3, 0.5f}, {1, 0, -2.2f, 0.5f}};

static inline float draw(uint32_t *state) {
  *state ^= *state << 13;
  *state ^= *state >> 17;
  *state ^= *state << 5;
  return (float)(int32_t)*state * 0x1p-31f;
}

// How far it is to the first thing in this direction, and which way that faces.
static inline float first_hit(float ox, float oy, float oz, float dx, float dy, float dz, float *nx, float *ny, float *nz) {
  float nearest = 1e17f;
  for (int s = 0; s < 3; s++) {
    float x = ox - spheres[s][0], y = oy - spheres[s][1], z = oz - spheres[s][2], r = spheres[s][3];
    float b = x * dx + y * dy + z * dz, under = b * b - (x * x + y * y + z * z - r * r);
    if (under > 0) {
      float t = -b - sqrtf(under);
      if (t > 0 && t < nearest) {
        nearest = t;
        *nx = (x + t * dx) / r;
        *ny = (y + t * dy) / r;
        *nz = (z + t * dz) / r;
      }
    }
  }
  if (dy < -1e-6f || dy > 1e-6f) {
    float t = -(oy + 0.5f) / dy;
    if (t > 0 && t < nearest) {
      nearest = t;
      *nx = 0;
      *ny = 1;
      *nz = 0;
    }
  }
  return nearest;
}

#ifdef REJECTION
static inline void direction(uint32_t *state, float nx, float ny, float nz, float *x, float *y, float *z) {
  float square;
  do {
    *x = draw(state);
    *y = draw(state);
    *z = draw(state);
    square = *x * *x + *y * *y + *z * *z;
  } while (square > 1 || square < 0.01f);
  float turn = (*x * nx + *y * ny + *z * nz < 0 ? -1 : 1) / sqrtf(square);
  *x *= turn;
  *y *= turn;
  *z *= turn;
}
#else
// The sine of a number of half turns from -1 to 1, good enough for a picture.
static inline float sine(float turns) {
  float t = turns * (1 - fabsf(turns)), rough = 4 * t;
  return 0.225f * (rough * fabsf(rough) - rough) + rough;
}

static inline void direction(uint32_t *state, float nx, float ny, float nz, float *x, float *y, float *z) {
  float square = 0.5f * draw(state) + 0.5f, angle = draw(state), radius = sqrtf(square);
  float quarter = angle + 0.5f, u = radius * sine(quarter > 1 ? quarter - 2 : quarter), v = radius * sine(angle), w = sqrtf(1 - square);
  // Two directions at right angles to the normal and to each other.
  float side = nz < 0 ? -1.0f : 1.0f, a = -1 / (side + nz), b = nx * ny * a;
  *x = u * (1 + side * nx * nx * a) + v * b + w * nx;
  *y = u * side * b + v * (side + ny * ny * a) + w * ny;
  *z = -u * side * nx - v * ny + w * nz;
}
#endif

void occlusion(int width, int height, int samples, float *restrict sky) {
  for (int row = 0; row < height; row++) {
#pragma omp simd
    for (int column = 0; column < width; column++) {
      uint32_t state = ((uint32_t)(row * width + column) + 1) * 2654435761u;
      float px = ((float)column - (float)width / 2) / ((float)width / 2);
      float py = -((float)row - (float)height / 2) / ((float)height / 2);
      float length = sqrtf(px * px + py * py + 1), dx = px / length, dy = py / length, dz = -1 / length;
      float nx = 0, ny = 0, nz = 0, seen = 0;
      float t = first_hit(0, 0, 0, dx, dy, dz, &nx, &ny, &nz);
      if (t < 1e17f) {
        float x = t * dx + 1e-3f * nx, y = t * dy + 1e-3f * ny, z = t * dz + 1e-3f * nz;
        for (int s = 0; s < samples; s++) {
          float rx, ry, rz, ax, ay, az;
          direction(&state, nx, ny, nz, &rx, &ry, &rz);
          if (first_hit(x, y, z, rx, ry, rz, &ax, &ay, &az) >= 1e17f) seen += 1;
        }
        seen /= (float)samples;
      }
      sky[row * width + column] = seen;
    }
  }
}

// ----
// flags: -fno-math-errno
// variant rejection: -DREJECTION
#include "kernel.h"

enum { WIDTH = 96, HEIGHT = 64 };

struct data { float *sky; int samples; };

const char *const inputs[] = {"96x64, 16 samples", 0};

struct data *setup(int input) {
  (void)input;
  struct data *it = ARRAY(struct data, 1);
  it->sky = RESULT(float, WIDTH * HEIGHT);
  it->samples = 16;
  return it;
}

void run(struct data *it) { occlusion(WIDTH, HEIGHT, it->samples, it->sky); }
