// A sparse matrix in compressed rows times a vector: the end of a row is the start of the next one.
void multiply(int rows, const int *restrict starts, const int *restrict columns, const float *restrict values,
              const float *restrict x, float *restrict y) {
#pragma omp simd
  for (int row = 0; row < rows; row++) {
    float sum = 0;
    for (int at = starts[row]; at < starts[row + 1]; at++) sum += values[at] * x[columns[at]];
    y[row] = sum;
  }
}

// ----
#include "kernel.h"

enum { ROWS = 1 << 13, MOST = 512 };

struct data { int *starts, *columns; float *values, *x, *y; };

const char *const inputs[] = {"16 to 31 a row", "power law", 0};

struct data *setup(int input) {
  struct data *it = ARRAY(struct data, 1);
  it->starts = ARRAY(int, ROWS + 1);
  it->columns = ARRAY(int, ROWS * MOST);
  it->values = ARRAY(float, ROWS * MOST);
  it->x = random_floats(ROWS, -1, 1);
  it->y = RESULT(float, ROWS);
  int end = 0;
  for (int row = 0; row < ROWS; row++) {
    it->starts[row] = end;
    int length = input ? (int)(1 / random_float(0.002f, 1)) : 16 + (int)random_below(16);
    for (; length > 0; length--, end++) {
      it->columns[end] = (int)random_below(ROWS);
      it->values[end] = random_float(-1, 1);
    }
  }
  it->starts[ROWS] = end;
  return it;
}

void run(struct data *it) { multiply(ROWS, it->starts, it->columns, it->values, it->x, it->y); }
