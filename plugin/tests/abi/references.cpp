#include "references.h"

extern "C" {
#pragma omp declare simd linear(ref(x)) notinbranch
#pragma omp declare simd linear(ref(x)) inbranch
float by_ref(float &x, float y) {
  x += 1;
  return x * y;
}
#pragma omp declare simd linear(val(x)) notinbranch
float by_val(const int &x, float y) { return x > 3 ? x * y : y; }
#pragma omp declare simd linear(uval(x) : 2) notinbranch
#pragma omp declare simd linear(uval(x) : 2) inbranch
float by_uval(const int &x, float y) { return x > 3 ? x * y : y; }
#pragma omp declare simd notinbranch
float ends(float x) noexcept { return half(x) + 1; }
}
