// Functions of C++ are named as in the source; where several have a name they are listed.
// RUN: lw vectorize %s -f ns::T::member -w 4 | FileCheck-22 --check-prefix=MEMBER %s
// RUN: lw vectorize %s -f member -w 4 | FileCheck-22 --check-prefix=MEMBER %s
// RUN: lw vectorize %s -f 'over(double)' -w 4 | FileCheck-22 --check-prefix=DOUBLE %s
// RUN: lw vectorize %s -f 'ns::twice<int>' -w 4 | FileCheck-22 --check-prefix=TEMPLATE %s
// RUN: not --exit 2 lw vectorize %s -f ns::over -w 4 2>&1 | FileCheck-22 --check-prefix=SEVERAL %s
// RUN: not --exit 2 lw vectorize %s -f other -w 4 2>&1 | FileCheck-22 --check-prefix=OTHER %s
namespace ns {
struct T {
  static int member(int x);
};
int T::member(int x) { return x * 3; }
int over(int x) { return x + 1; }
double over(double x) { return x + 1; }
template <class N> N twice(N x) { return x + x; }
template int twice<int>(int);
} // namespace ns
// MEMBER: @_ZN2ns1T6memberEi_v4(<4 x i32>
// DOUBLE: @_ZN2ns4overEd_v4(<4 x double>
// TEMPLATE: @_ZN2ns5twiceIiEET_S1__v4(<4 x i32>
// SEVERAL: several functions are called `ns::over`: ns::over(int), ns::over(double)
// OTHER: there is no function `other`; there are: {{.*}}int ns::twice<int>(int){{.*}}ns::T::member(int), ns::over(int), ns::over(double)
