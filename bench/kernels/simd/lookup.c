// Cross sections of materials at random energies, as XSBench does it: search in a grid, then interpolate for each nuclide.
enum { SECTIONS = 5 };

void lookup(int n, const float *restrict energies, const int *restrict materials, int size, const float *restrict grid,
            const float *restrict table, int nuclides, const int *restrict counts, const int *restrict contents,
            float *restrict sums) {
#pragma omp simd
  for (int i = 0; i < n; i++) {
    float energy = energies[i], total = 0;
    int low = 0, high = size - 1;
    while (high - low > 1) {
      int middle = (low + high) / 2;
      if (grid[middle] > energy) high = middle;
      else low = middle;
    }
    float part = (energy - grid[low]) / (grid[low + 1] - grid[low]);
    for (int j = 0; j < counts[materials[i]]; j++) {
      int nuclide = contents[materials[i] * nuclides + j];
      for (int s = 0; s < SECTIONS; s++) {
        const float *row = table + (nuclide * size + low) * SECTIONS + s;
        total += row[0] + part * (row[SECTIONS] - row[0]);
      }
    }
    sums[i] = total;
  }
}

// ----
#include "kernel.h"

enum { COUNT = 1 << 13, SIZE = 2048, NUCLIDES = 32, MATERIALS = 12 };

struct data { float *energies, *grid, *table, *sums; int *materials, *counts, *contents; };

const char *const inputs[] = {"12 materials", "one material", 0};

struct data *setup(int input) {
  struct data *it = ARRAY(struct data, 1);
  it->energies = random_floats(COUNT, 0.001f, 0.999f);
  it->grid = ARRAY(float, SIZE);
  for (int i = 0; i < SIZE; i++) it->grid[i] = (float)i / (SIZE - 1);
  it->table = random_floats(NUCLIDES * SIZE * SECTIONS, 0, 1);
  it->materials = ARRAY(int, COUNT);
  for (int i = 0; i < COUNT; i++) it->materials[i] = input ? 0 : (int)random_below(MATERIALS);
  it->counts = ARRAY(int, MATERIALS);
  it->contents = ARRAY(int, MATERIALS * NUCLIDES);
  for (int m = 0; m < MATERIALS; m++) {
    it->counts[m] = m == 0 ? 12 : 2 + (int)random_below(20);
    for (int j = 0; j < NUCLIDES; j++) it->contents[m * NUCLIDES + j] = (int)random_below(NUCLIDES);
  }
  it->sums = RESULT(float, COUNT);
  return it;
}

void run(struct data *it) {
  lookup(COUNT, it->energies, it->materials, SIZE, it->grid, it->table, NUCLIDES, it->counts, it->contents, it->sums);
}
