// Static member functions, and alignments without a number: the functions, and with CALLER loops that call them.
struct C {
#pragma omp declare simd notinbranch
  static int twice(int x);
#pragma omp declare simd notinbranch uniform(u) linear(i : u)
  static int stepped(int i, int u, int x);
#pragma omp declare simd notinbranch
  static void put(int x, int *to);
};
#pragma omp declare simd notinbranch aligned(p)
int read(int *p);
#pragma omp declare simd notinbranch uniform(p) linear(i) aligned(p)
int at(int *p, int i);

#ifdef CALLER
#include <cstdio>

alignas(64) static int in[64], out[64], to[64];
static int *where[64];

int main() {
  int failures = 0;
  for (int i = 0; i < 64; i++) in[i] = i * 7 % 32, where[i] = &in[i];
#pragma omp simd
  for (int i = 0; i < 64; i++) out[i] = C::twice(in[i]);
  for (int i = 0; i < 64; i++) failures += out[i] != 2 * in[i];
#pragma omp simd
  for (int i = 0; i < 64; i++) out[i] = at(in, i);
  for (int i = 0; i < 64; i++) failures += out[i] != in[i];
#pragma omp simd
  for (int i = 0; i < 64; i++) C::put(in[i], &to[i]);
  for (int i = 0; i < 64; i++) failures += to[i] != in[i] + 1;
#pragma omp simd
  for (int i = 0; i < 64; i++) out[i] = read(where[i]);
  for (int i = 0; i < 64; i++) failures += out[i] != in[i];
  std::printf("%d failures\n", failures);
}
#else
#pragma omp declare simd notinbranch
int C::twice(int x) { return 2 * x; }
#pragma omp declare simd notinbranch uniform(u) linear(i : u)
int C::stepped(int i, int u, int x) { return i + u + x; }
#pragma omp declare simd notinbranch
void C::put(int x, int *to) { *to = x + 1; }
#pragma omp declare simd notinbranch aligned(p)
int read(int *p) { return *p; }
#pragma omp declare simd notinbranch uniform(p) linear(i) aligned(p)
int at(int *p, int i) { return p[i]; }
#endif
