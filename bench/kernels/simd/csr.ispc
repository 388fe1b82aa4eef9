// The loop of csr.c for ISPC.
export void multiply(uniform int rows, const uniform int starts[], const uniform int columns[],
                     const uniform float values[], const uniform float x[], uniform float y[]) {
  foreach (row = 0 ... rows) {
    float sum = 0;
    for (int at = starts[row]; at < starts[row + 1]; at++) sum += values[at] * x[columns[at]];
    y[row] = sum;
  }
}
