// A sparse matrix whose rows have a start and a length each, times a vector.
void multiply(int rows, const int *restrict starts, const int *restrict lengths, const int *restrict columns,
              const float *restrict values, const float *restrict x, float *restrict y) {
#pragma omp simd
  for (int row = 0; row < rows; row++) {
    float sum = 0;
    for (int i = 0; i < lengths[row]; i++) {
      int at = starts[row] + i;
      sum += values[at] * x[columns[at]];
    }
    y[row] = sum;
  }
}

// ----
#include "kernel.h"

enum { ROWS = 1 << 13, MOST = 512 };

struct data { int *starts, *lengths, *columns; float *values, *x, *y; };

const char *const inputs[] = {"16 to 31 a row", "power law", 0};

struct data *setup(int input) {
  struct data *it = ARRAY(struct data, 1);
  it->starts = ARRAY(int, ROWS);
  it->lengths = ARRAY(int, ROWS);
  it->columns = ARRAY(int, ROWS * MOST);
  it->values = ARRAY(float, ROWS * MOST);
  it->x = random_floats(ROWS, -1, 1);
  it->y = RESULT(float, ROWS);
  for (int row = 0, end = 0; row < ROWS; row++) {
    it->starts[row] = end;
    it->lengths[row] = input ? (int)(1 / random_float(0.002f, 1)) : 16 + (int)random_below(16);
    for (int i = 0; i < it->lengths[row]; i++, end++) {
      it->columns[end] = (int)random_below(ROWS);
      it->values[end] = random_float(-1, 1);
    }
  }
  return it;
}

void run(struct data *it) { multiply(ROWS, it->starts, it->lengths, it->columns, it->values, it->x, it->y); }
