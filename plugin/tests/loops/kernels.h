// What kernels read and write.
struct in {
  _Alignas(64) float f[64], g[64], w[64];
  int i[64];
  double d[64];
  unsigned char b[64];
  short s[64];
  long long l[64];
  int p[64]; // a permutation
};

struct out {
  _Alignas(64) float f[128];
  int i[128];
  double d[128];
  unsigned char b[128];
  short s[128];
  long long l[128];
  _Bool t[128];
};
