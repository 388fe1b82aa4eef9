// Binary search: where would each key stand in a sorted table?
void search(int n, const float *restrict keys, int size, const float *restrict table, int *restrict places) {
#pragma omp simd
  for (int i = 0; i < n; i++) {
    int low = 0, high = size;
    while (low < high) {
      int middle = (low + high) / 2;
      if (table[middle] < keys[i]) low = middle + 1;
      else high = middle;
    }
    places[i] = low;
  }
}

// ----
#include "kernel.h"

enum { COUNT = 1 << 16 };

struct data { float *keys, *table; int size; int *places; };

const char *const inputs[] = {"table of 4 KB", "table of 64 KB", "table of 1 MB", "table of 16 MB", 0};

struct data *setup(int input) {
  struct data *it = ARRAY(struct data, 1);
  it->size = 1 << (10 + 4 * input);
  it->keys = random_floats(COUNT, 0, 1);
  it->table = ARRAY(float, it->size);
  for (int i = 0; i < it->size; i++) it->table[i] = ((float)i + random_float(0, 0.9f)) / (float)it->size;
  it->places = RESULT(int, COUNT);
  return it;
}

void run(struct data *it) { search(COUNT, it->keys, it->size, it->table, it->places); }
