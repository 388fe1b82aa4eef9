// OpenCL-style kernels on images and matrices.
#include "opencl.h"

KERNEL void blur(GLOBAL float *out, GLOBAL const float *in, int w, int h) {
  int x = get_global_id(0), y = get_global_id(1);
  if (x >= w || y >= h) return;
  float sum = 0;
  int n = 0;
  for (int dy = -1; dy <= 1; dy++)
    for (int dx = -1; dx <= 1; dx++) {
      int u = x + dx, v = y + dy;
      if (u >= 0 && u < w && v >= 0 && v < h) {
        sum += in[v * w + u];
        n++;
      }
    }
  out[y * w + x] = sum / n;
}

KERNEL void threshold(GLOBAL unsigned char *out, GLOBAL const unsigned char *in, int w, int h, int level) {
  int x = get_global_id(0), y = get_global_id(1);
  if (x < w && y < h) out[y * w + x] = in[y * w + x] > level ? 255 : 0;
}

KERNEL void mandelbrot(GLOBAL int *out, float x0, float y0, float step, int w, int limit) {
  int px = get_global_id(0), py = get_global_id(1);
  float cx = x0 + px * step, cy = y0 + py * step, x = 0, y = 0;
  int i = 0;
  while (x * x + y * y < 4 && i < limit) {
    float t = x * x - y * y + cx;
    y = 2 * x * y + cy;
    x = t;
    i++;
  }
  out[py * w + px] = i;
}

KERNEL void julia(GLOBAL int *out, float cx, float cy, float step, int w, int limit) {
  float x = get_global_id(0) * step, y = get_global_id(1) * step;
  int i = 0;
  for (; i < limit; i++) {
    if (x * x + y * y > 4) break;
    float t = x * x - y * y + cx;
    y = 2 * x * y + cy;
    x = t;
  }
  out[get_global_id(1) * w + get_global_id(0)] = i;
}

KERNEL void matmul(GLOBAL float *c, GLOBAL const float *a, GLOBAL const float *b, int n) {
  int row = get_global_id(1), col = get_global_id(0);
  float sum = 0;
  for (int k = 0; k < n; k++) sum += a[row * n + k] * b[k * n + col];
  c[row * n + col] = sum;
}

KERNEL void matmul_tiled(GLOBAL float *c, GLOBAL const float *a, GLOBAL const float *b, LOCAL float *ta, LOCAL float *tb, int n) {
  int lx = get_local_id(0), ly = get_local_id(1), row = get_group_id(1) * 16 + ly, col = get_group_id(0) * 16 + lx;
  float sum = 0;
  for (int t = 0; t < n; t += 16) {
    ta[ly * 16 + lx] = a[row * n + t + lx];
    tb[ly * 16 + lx] = b[(t + ly) * n + col];
    barrier();
    for (int k = 0; k < 16; k++) sum += ta[ly * 16 + k] * tb[k * 16 + lx];
    barrier();
  }
  c[row * n + col] = sum;
}

KERNEL void sobel(GLOBAL float *out, GLOBAL const float *in, int w, int h) {
  int x = get_global_id(0), y = get_global_id(1);
  if (x < 1 || y < 1 || x + 1 >= w || y + 1 >= h) return;
  GLOBAL const float *p = in + y * w + x;
  float gx = p[1 - w] + 2 * p[1] + p[1 + w] - p[-1 - w] - 2 * p[-1] - p[-1 + w];
  float gy = p[w - 1] + 2 * p[w] + p[w + 1] - p[-w - 1] - 2 * p[-w] - p[-w + 1];
  out[y * w + x] = gx * gx + gy * gy;
}

KERNEL void flood(GLOBAL int *label, GLOBAL const int *image, int w, int h, int rounds) {
  int x = get_global_id(0), y = get_global_id(1);
  for (int r = 0; r < rounds; r++) {
    int best = label[y * w + x];
    if (x > 0 && image[y * w + x - 1] == image[y * w + x] && label[y * w + x - 1] < best) best = label[y * w + x - 1];
    if (y > 0 && image[(y - 1) * w + x] == image[y * w + x] && label[(y - 1) * w + x] < best) best = label[(y - 1) * w + x];
    barrier();
    label[y * w + x] = best;
    barrier();
  }
}

KERNEL void median(GLOBAL int *out, GLOBAL const int *in, int w, int n) {
  int v[9], x = get_global_id(0), k = 0;
  for (int d = 0; d < 9; d++) v[k++] = in[(x + d) % n];
  for (int i = 0; i < 9; i++)
    for (int j = i + 1; j < 9; j++)
      if (v[j] < v[i]) {
        int t = v[i];
        v[i] = v[j];
        v[j] = t;
      }
  out[x] = v[4];
}

KERNEL void raymarch(GLOBAL float *out, float step, int limit, int w) {
  float x = get_global_id(0) * step, y = get_global_id(1) * step, t = 0;
  for (int i = 0; i < limit; i++) {
    float d = x * x + y * y + t * t - 1;
    if (d < 0.001f) break;
    if (t > 100) {
      t = -1;
      break;
    }
    t += d;
  }
  out[get_global_id(1) * w + get_global_id(0)] = t;
}

KERNEL void palette(GLOBAL int *out, GLOBAL const int *index, GLOBAL const int *colors, int mode) {
  int i = get_global_id(0);
  switch (mode) {
  case 0: out[i] = colors[index[i]]; break;
  case 1: out[i] = colors[0]; break;
  case 2: out[i] = index[i] ? colors[1] : colors[2]; break;
  default: out[i] = i; break;
  }
}

KERNEL void gamma_table(GLOBAL float *table, float gamma, int n) {
  for (int i = get_local_id(0); i < n; i += get_local_size(0)) {
    float x = (float)i / n, r = 1;
    for (int k = 0; k < 8; k++) r = r * x + gamma;
    table[i] = r;
  }
}
