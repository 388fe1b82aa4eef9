// Functions whose NEON variants need several registers, memory, or a part of a register for a value.
#pragma omp declare simd simdlen(16)
double memory(double x, float y) { return x > y ? x - y : x * 2; }

#pragma omp declare simd simdlen(4)
#pragma omp declare simd simdlen(2)
short mixed(long x, int y, signed char z) { return x > y ? (short)(x - z) : (short)(y * z); }

#pragma omp declare simd
float narrowed(double x) { return x < 0 ? (float)(x * 0.5) : (float)x; }

#pragma omp declare simd
double widened(float x) { return x < 0 ? x * 0.1 : x + 1.0; }
