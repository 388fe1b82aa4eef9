// Parameters that are references, of which something grows from lane to lane; and a function that no exception leaves.
extern "C" {
#pragma omp declare simd linear(ref(x)) notinbranch
#pragma omp declare simd linear(ref(x)) inbranch
float by_ref(float &x, float y);
#pragma omp declare simd linear(val(x)) notinbranch
float by_val(const int &x, float y);
#pragma omp declare simd linear(uval(x) : 2) notinbranch
#pragma omp declare simd linear(uval(x) : 2) inbranch
float by_uval(const int &x, float y);
#pragma omp declare simd notinbranch
float ends(float x) noexcept;
float half(float x);
}
