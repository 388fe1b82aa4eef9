// Functions with vector variants: one compiler writes them, another one calls them.
#pragma omp declare simd notinbranch
#pragma omp declare simd inbranch
float select_float(float x, float y);

#pragma omp declare simd notinbranch
#pragma omp declare simd inbranch
int iterations(float re, float im);

#pragma omp declare simd uniform(table) linear(i) notinbranch
#pragma omp declare simd uniform(table) linear(i) inbranch
double from_table(const double *table, int i, double x);

#pragma omp declare simd linear(i : step) uniform(step) notinbranch
#pragma omp declare simd linear(i : step) uniform(step) inbranch
int stepped(int i, int step, int x);

#pragma omp declare simd simdlen(8) notinbranch
#pragma omp declare simd simdlen(8) inbranch
double wide_double(double x);

#pragma omp declare simd simdlen(16) notinbranch
#pragma omp declare simd simdlen(16) inbranch
float wide_float(float x, int k);

#pragma omp declare simd notinbranch
#pragma omp declare simd inbranch
signed char bytes(signed char x, signed char y);

#pragma omp declare simd notinbranch
#pragma omp declare simd inbranch
short shorts(short x, short y);

#pragma omp declare simd notinbranch
#pragma omp declare simd inbranch
int quotient(int x, int y);

#pragma omp declare simd uniform(by)
float scaled(float x, unsigned char by);

#pragma omp declare simd linear(to) notinbranch
#pragma omp declare simd linear(to) inbranch
void put(float *to, float x);

#pragma omp declare simd notinbranch
#pragma omp declare simd inbranch
long follow(const long *from, long k);
