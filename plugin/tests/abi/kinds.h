// Functions with parameters and results of each kind.
#pragma omp declare simd aligned(p : 32) uniform(p) linear(i)
double aligned_table(const double *p, int i);
#pragma omp declare simd linear(p) aligned(p : 8)
void add_to(double *p, double x);
#pragma omp declare simd linear(p : 2)
float of_two(const float *p);
#pragma omp declare simd linear(i : -3)
int backwards(int i, int x);
#pragma omp declare simd linear(i : step) uniform(step)
int by_steps(int i, int step, int x);
#pragma omp declare simd linear(p : step) uniform(step)
float by_steps_of_a_pointer(const float *p, long step);
#pragma omp declare simd linear(p : step) uniform(step)
int by_steps_of_bytes(const unsigned char *p, long step);
#pragma omp declare simd linear(i : step) uniform(step)
long by_short_steps(long i, int step);
#pragma omp declare simd
_Bool odd(int x);
#pragma omp declare simd
int turned(_Bool turn, int x);
#pragma omp declare simd
const float *one_of(const float *p, const float *q, int which);
#pragma omp declare simd
unsigned char narrow(unsigned char a, unsigned char b);
#pragma omp declare simd
unsigned long wide(unsigned long a, unsigned b);
#pragma omp declare simd
double mixed(float a, int b, double c);
#pragma omp declare simd simdlen(2)
float two_lanes(float a);
#pragma omp declare simd simdlen(32)
signed char many_lanes(signed char a);
#pragma omp declare simd inbranch
int only_masked(int a, int b);
#pragma omp declare simd notinbranch
int only_unmasked(int a, int b);
#pragma omp declare simd uniform(a, b)
float all_uniform(float a, int b);
#pragma omp declare simd
int any_control_flow(int x);
#pragma omp declare simd uniform(t, n)
int search(const int *t, int n, int k);
#pragma omp declare simd simdlen(4)
#pragma omp declare simd simdlen(8) uniform(b)
float two_variants(float a, float b);
#pragma omp declare simd
double on_the_stack(double a, double b, double c, double d, double e, double f, double g, double h, int i, float j, short k);
#pragma omp declare simd uniform(u) linear(l)
int by_narrow(int x, short u, unsigned char l);
#pragma omp declare simd
_Bool opposite(_Bool x);
#pragma omp declare simd linear(x : -1)
int down_by_one(unsigned char x, int y);
#pragma omp declare simd linear(x : -2) linear(y : -3)
int both_down(unsigned x, unsigned short y, int z);
#pragma omp declare simd linear(x : 300)
int far_beyond(unsigned char x, int y);
