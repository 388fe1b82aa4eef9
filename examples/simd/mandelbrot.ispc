// The loop of mandelbrot.c for ISPC, which `cargo xtask bench vectorize` takes if the variable ISPC names it.
export void mandelbrot(uniform float left, uniform float top, uniform float pixel, uniform int width, uniform int height,
                       uniform int limit, uniform int steps[]) {
  for (uniform int row = 0; row < height; row++) {
    foreach (column = 0 ... width) {
      float cx = left + pixel * column, cy = top + pixel * row;
      float x = cx, y = cy;
      int n = 0;
      for (; n < limit; n++) {
        float xx = x * x, yy = y * y;
        if (xx + yy > 4) break;
        y = 2 * x * y + cy;
        x = xx - yy + cx;
      }
      steps[row * width + column] = n;
    }
  }
}
