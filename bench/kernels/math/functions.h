// The functions of one argument with a range of usual arguments, and those of two.
#define ONE(X) \
  X(sin, -20, 20) \
  X(cos, -20, 20) \
  X(tan, -20, 20) \
  X(exp, -80, 80) \
  X(exp2, -120, 120) \
  X(exp10, -35, 35) \
  X(expm1, -10, 80) \
  X(log, 0, 1000) \
  X(log2, 0, 1000) \
  X(log10, 0, 1000) \
  X(log1p, -1, 1000) \
  X(sinh, -80, 80) \
  X(cosh, -80, 80) \
  X(tanh, -10, 10) \
  X(asin, -1, 1) \
  X(acos, -1, 1) \
  X(atan, -20, 20) \
  X(asinh, -1000, 1000) \
  X(acosh, 1, 1000) \
  X(atanh, -1, 1) \
  X(cbrt, -1000, 1000) \
  X(erf, -6, 6) \
  X(erfc, -6, 9)

#define TWO(X) \
  X(pow, 0, 100) \
  X(atan2, -20, 20) \
  X(hypot, -1000, 1000)
