// Kernels for `lw divergence examples/tiles.cu --block 16,16`: how threads part, and how they access memory together.

// The transposed matrix, tile by tile: rows are read and written, columns are only touched in shared memory.
__global__ void transpose(float *out, const float *in, int n) {
  __shared__ float tile[16][17];
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  int y = blockIdx.y * blockDim.y + threadIdx.y;
  tile[threadIdx.y][threadIdx.x] = in[y * n + x];
  __syncthreads();
  int column = blockIdx.y * blockDim.y + threadIdx.x;
  int row = blockIdx.x * blockDim.x + threadIdx.y;
  out[row * n + column] = tile[threadIdx.x][threadIdx.y];
}

// The same without a tile: neighbouring threads write places that are n floats apart.
__global__ void transpose_slowly(float *out, const float *in, int n) {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  int y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < n && y < n)
    out[x * n + y] = in[y * n + x];
}

// The sum of each block. The last barrier is wrong: threads that do not work do not come to it.
__global__ void sum(float *out, const float *in) {
  __shared__ float part[256];
  int t = threadIdx.x;
  part[t] = in[blockIdx.x * blockDim.x + t];
  for (int s = 128; s > 0; s /= 2) {
    __syncthreads();
    if (t < s) {
      part[t] += part[t + s];
      __syncthreads();
    }
  }
  if (t == 0)
    out[blockIdx.x] = part[0];
}

// How many neighbours each vertex of a graph has that are marked: lists have different lengths.
__global__ void count(int *counts, const int *first, const int *next, const int *marked, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int half = blockDim.x / 64;
  if (i >= n)
    return;
  int found = 0;
  for (int e = first[i]; e < first[i + 1]; e++)
    if (marked[next[e]])
      found++;
  for (int k = 0; k < half; k++)
    found += k;
  counts[i] = found;
}
