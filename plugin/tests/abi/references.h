// Parameters that are references, of which something grows from lane to lane.
extern "C" {
#pragma omp declare simd linear(ref(x)) notinbranch
#pragma omp declare simd linear(ref(x)) inbranch
float by_ref(float &x, float y);
#pragma omp declare simd linear(val(x)) notinbranch
float by_val(const int &x, float y);
#pragma omp declare simd linear(uval(x) : 2) notinbranch
#pragma omp declare simd linear(uval(x) : 2) inbranch
float by_uval(const int &x, float y);
}
