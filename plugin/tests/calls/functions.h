// Functions with variants: those of `ours` are written by the plug-in, those of `theirs` by gcc.
#pragma omp declare simd notinbranch
#pragma omp declare simd inbranch
float ours(float x, int n);

#pragma omp declare simd notinbranch
#pragma omp declare simd inbranch
int recursive(int n);

#pragma omp declare simd notinbranch
float waves(float x, float y);

#pragma omp declare simd uniform(scale) notinbranch
#pragma omp declare simd uniform(scale) inbranch
float theirs(float x, float scale);

#pragma omp declare simd linear(i) uniform(p) notinbranch
#pragma omp declare simd linear(i) uniform(p) inbranch
float theirs_at(const float *p, int i);

#pragma omp declare simd linear(i) uniform(p, scale) notinbranch
float calls_theirs(const float *p, int i, float scale);
