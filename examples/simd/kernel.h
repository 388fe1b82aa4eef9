// What an example tells the driver: which inputs there are, how to make their data, and what to run.
//
// An example is compiled to a shared library by each compiler that is compared. The driver loads all of them, lets the first one
// make the data, runs all of them on it, and compares what they leave in the arrays that `result` gave out.
#ifndef KERNEL_H
#define KERNEL_H

#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#ifdef __cplusplus
extern "C" {
#define restrict __restrict
#endif

struct data;

// The names of the inputs, which `setup` knows by their numbers; null behind the last.
extern const char *const inputs[];
struct data *setup(int input);
void run(struct data *data);

// Of the driver: memory that is filled with zeros, aligned to 64 bytes.
void *array(size_t bytes);
// Memory for results, compared bit by bit after each run.
void *result(size_t bytes);
// Floats that may differ by this much, relative to the larger of them and one.
float *close_result(size_t count, float difference);

#ifdef __cplusplus
}
#endif

#define ARRAY(type, count) ((type *)array((size_t)(count) * sizeof(type)))
#define RESULT(type, count) ((type *)result((size_t)(count) * sizeof(type)))

// Numbers that look random and are the same everywhere.
static inline uint32_t random_bits(void) {
  static uint64_t state = 0x9e3779b97f4a7c15u;
  state = state * 6364136223846793005u + 1442695040888963407u;
  return (uint32_t)(state >> 33) * 2 + (uint32_t)(state >> 63);
}

static inline uint32_t random_below(uint32_t limit) { return (uint32_t)((uint64_t)random_bits() * limit >> 32); }

static inline float random_float(float low, float high) {
  return low + (high - low) * ((float)(random_bits() >> 8) * 0x1p-24f);
}

static inline float *random_floats(size_t count, float low, float high) {
  float *floats = ARRAY(float, count);
  for (size_t i = 0; i < count; i++) floats[i] = random_float(low, high);
  return floats;
}

#endif
