// CUDA kernels.
#include "cuda.cuh"
typedef __attribute__((address_space(1))) float gfloat;
typedef __attribute__((address_space(1))) int gint;

__global__ void vector_add(gfloat *c, gfloat *a, gfloat *b, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) c[i] = a[i] + b[i];
}

__global__ void grid_stride(gfloat *y, gfloat *x, float a, int n, int stride) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += stride) y[i] = a * x[i];
}

__global__ void nbody(gfloat *force, gfloat *pos, int n) {
  int i = threadIdx.x;
  float p = pos[i], f = 0;
  for (int j = 0; j < n; j++) {
    float d = pos[j] - p;
    f += d / (d * d + 0.01f);
  }
  force[i] = f;
}

__global__ void monte_carlo(gfloat *out, int rounds, unsigned seed) {
  unsigned s = seed + threadIdx.x;
  int inside = 0;
  for (int r = 0; r < rounds; r++) {
    s = s * 1664525u + 1013904223u;
    float x = (s >> 8) * (1.0f / 16777216);
    s = s * 1664525u + 1013904223u;
    float y = (s >> 8) * (1.0f / 16777216);
    if (x * x + y * y < 1) inside++;
  }
  out[threadIdx.x] = 4.0f * inside / rounds;
}

__global__ void life(gint *next, gint *cell, int w, int h, int rounds) {
  int x = threadIdx.x;
  for (int r = 0; r < rounds; r++) {
    for (int y = 1; y < h - 1; y++) {
      if (x > 0 && x < w - 1) {
        int n = 0;
        for (int dy = -1; dy <= 1; dy++)
          for (int dx = -1; dx <= 1; dx++) n += cell[(y + dy) * w + x + dx];
        n -= cell[y * w + x];
        next[y * w + x] = n == 3 || (n == 2 && cell[y * w + x]);
      }
    }
    __syncthreads();
    gint *t = next;
    next = cell;
    cell = t;
  }
}

__global__ void string_match(gint *found, __attribute__((address_space(1))) char *text, __attribute__((address_space(1))) char *word, int n, int m) {
  int i = threadIdx.x, k = 0;
  while (k < m && i + k < n && text[i + k] == word[k]) k++;
  found[i] = k == m;
}

__global__ void early_return(gint *out, int n, int mode) {
  int i = threadIdx.x;
  if (i >= n) return;
  if (mode == 0) {
    out[i] = 1;
    return;
  }
  if (mode == 1) {
    out[i] = n;
    return;
  }
  out[i] = i;
}

__global__ void goto_ladder(gint *out, gint *in, int a, int b) {
  int i = threadIdx.x, r = a;
  if (in[i] < 0) goto fail;
  r += b;
  if (in[i] > 100) goto fail;
  r *= 2;
  if (in[i] == 50) goto done;
  r -= 7;
done:
  out[i] = r;
  return;
fail:
  out[i] = -r;
}

__global__ void two_exits(gint *out, gint *limit, int n) {
  int i = 0, found = -1;
  for (;; i++) {
    if (i == n) break;
    if (limit[threadIdx.x] == i) {
      found = i;
      break;
    }
  }
  out[threadIdx.x] = found;
}

__global__ void outer_uniform(gint *out, gint *in, int n, int m) {
  int total = 0;
  for (int r = 0; r < n; r++) {
    int k = 0;
    while (k < m && in[r * m + k] != (int)threadIdx.x) k++;
    total += k;
  }
  out[threadIdx.x] = total;
  out[n] = m;
}

__global__ void leader(gint *out, gint *in, int n) {
  int sum = 0;
  for (int i = 0; i < n; i++) sum += in[i];
  if (threadIdx.x == 0) out[0] = sum;
  else out[threadIdx.x] = sum - (int)threadIdx.x;
}

__global__ void by_warp(gint *out, gint *job, int n) {
  int warp = threadIdx.x / 32;
  for (int j = warp; j < n; j += 4) {
    int kind = job[j];
    if (kind == 0) out[j * 32 + threadIdx.x % 32] = j;
    else if (kind == 1) out[j * 32 + threadIdx.x % 32] = (int)threadIdx.x;
  }
}

__global__ void same_test(gint *out, gint *in, int n, int key) {
  int x = in[threadIdx.x];
  if (x == key) {
    for (int i = 0; i < x; i++) out[i] = n;
  }
}

__global__ void union_find(gint *parent, int n) {
  int i = threadIdx.x;
  if (i >= n) return;
  int p = i;
  while (parent[p] != p) p = parent[p];
  parent[i] = p;
}

__global__ void horner_pairs(gfloat *out, gfloat *c, int n) {
  float x = threadIdx.x, even = 0, odd = 0;
  for (int i = n - 1; i >= 0; i--) {
    if (i & 1) odd = odd * x + c[i];
    else even = even * x + c[i];
  }
  out[threadIdx.x] = even + odd;
}

__global__ void unrolled_exit(gint *out, gint *a, int n) {
  int i = 0;
  do {
    if (a[i] == 0) break;
    i++;
    if (a[i] == 0) break;
    i++;
  } while (i < n);
  out[threadIdx.x] = i + threadIdx.x;
}

__global__ void warp_queue(gint *out, gint *work, int n) {
  int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
  if (warp == 0) {
    for (int i = 0; i < n; i++) out[i * 32 + lane] = work[i];
  } else if (warp == 1) {
    for (int i = n - 1; i >= 0; i--) out[(n + i) * 32 + lane] = work[i] * 2;
  } else if (threadIdx.x >= 96) {
    out[2 * n * 32 + lane] = n;
  }
}
