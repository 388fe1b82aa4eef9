#include "functions.h"

// clang forgets what was said of the declarations.
#pragma omp declare simd uniform(scale) notinbranch
#pragma omp declare simd uniform(scale) inbranch
float theirs(float x, float scale) { return x * scale + 1; }

#pragma omp declare simd linear(i) uniform(p) notinbranch
#pragma omp declare simd linear(i) uniform(p) inbranch
float theirs_at(const float *p, int i) { return p[i] * 3; }
