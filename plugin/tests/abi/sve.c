// Calls variants for scalable vectors as the ABI of AArch64 passes them, for any size of the registers.
#include <arm_sve.h>
#include "check.h"
#include <string.h>

float select_float(float, float);
int iterations(float, float);
double from_table(const double *, int, double);
int stepped(int, int, int);
signed char bytes(signed char, signed char);
int quotient(int, int);
void put(float *, float);
long follow(const long *, long);
float narrowed(double);
double widened(float);
short mixed(long, int, signed char);

svfloat32_t _ZGVsMxvv_select_float(svfloat32_t, svfloat32_t, svbool_t);
svint32_t _ZGVsMxvv_iterations(svfloat32_t, svfloat32_t, svbool_t);
svfloat64_t _ZGVsMxulv_from_table(const double *, int, svfloat64_t, svbool_t);
svint32_t _ZGVsMxls1uv_stepped(int, int, svint32_t, svbool_t);
svint8_t _ZGVsMxvv_bytes(svint8_t, svint8_t, svbool_t);
svint32_t _ZGVsMxvv_quotient(svint32_t, svint32_t, svbool_t);
void _ZGVsMxl4v_put(float *, svfloat32_t, svbool_t);
svint64_t _ZGVsMxvv_follow(svint64_t, svint64_t, svbool_t);
svfloat32_t _ZGVsMxv_narrowed(svfloat64_t, svbool_t);
svfloat64_t _ZGVsMxv_widened(svfloat32_t, svbool_t);
svint16_t _ZGVsM4vvv_mixed(svint64_t, svint32_t, svint8_t, svbool_t);

enum { MOST = 256 };

int main(void) {
  static float f[MOST], g[MOST], to[MOST], want[MOST], rf[MOST];
  static double d[MOST], table[2 * MOST], rd[MOST];
  static int a[MOST], b[MOST], ri[MOST];
  static long l[MOST], rl[MOST], rows[MOST][4];
  static signed char c[MOST], e[MOST], rc[MOST];
  static short rs[MOST];
  for (int i = 0; i < MOST; ++i) {
    f[i] = i % 7 * 0.3f - 1, g[i] = i % 5 * 0.25f - 0.5f, d[i] = i * 0.75 - 5;
    a[i] = i * 37 - 90, b[i] = i % 4 == 3 ? 0 : i + 1, l[i] = i * 1000 - 1500;
    c[i] = i * 3, e[i] = 40 - i;
    for (int j = 0; j < 4; ++j) rows[i][j] = i * 10 + j;
  }
  for (int i = 0; i < 2 * MOST; ++i) table[i] = i * 1.5;
  int words = svcntw(), doubles = svcntd(), all = svcntb();
  // All lanes, and all but every fourth: on those, a divisor is zero.
  for (int masked = 0; masked < 2; ++masked) {
    svint32_t number = svindex_s32(0, 1);
    svint64_t long_number = svindex_s64(0, 1);
    svbool_t pw = svptrue_b32(), pd = svptrue_b64();
    if (masked) {
      pw = svcmpne(pw, svand_x(pw, number, 3), 3);
      pd = svcmpne(pd, svand_x(pd, long_number, 3), 3);
    }
    svfloat32_t vf = svld1(svptrue_b32(), f), vg = svld1(svptrue_b32(), g);
    svint32_t va = svld1(svptrue_b32(), a), vb = svld1(svptrue_b32(), b);
    svst1(pw, rf, _ZGVsMxvv_select_float(vf, vg, pw));
    for (int i = 0; i < words; ++i)
      if (!masked || i % 4 != 3) CHECK("select_float", rf[i], select_float(f[i], g[i]));
    svst1(pw, ri, _ZGVsMxvv_iterations(vf, vg, pw));
    for (int i = 0; i < words; ++i)
      if (!masked || i % 4 != 3) CHECK("iterations", ri[i], iterations(f[i], g[i]));
    svst1(pw, ri, _ZGVsMxls1uv_stepped(5, 3, va, pw));
    for (int i = 0; i < words; ++i)
      if (!masked || i % 4 != 3) CHECK("stepped", ri[i], stepped(5 + 3 * i, 3, a[i]));
    if (masked) {
      svst1(pw, ri, _ZGVsMxvv_quotient(va, vb, pw));
      for (int i = 0; i < words; ++i)
        if (i % 4 != 3) CHECK("quotient", ri[i], quotient(a[i], b[i]));
    }
    memset(to, 0, sizeof to), memset(want, 0, sizeof want);
    _ZGVsMxl4v_put(to, vf, pw);
    for (int i = 0; i < words; ++i)
      if (!masked || i % 4 != 3) put(&want[i], f[i]);
    for (int i = 0; i < MOST; ++i) CHECK("put", to[i], want[i]);
    svfloat64_t vd = svld1(svptrue_b64(), d);
    svst1(pd, rd, _ZGVsMxulv_from_table(table, 7, vd, pd));
    for (int i = 0; i < doubles; ++i)
      if (!masked || i % 4 != 3) CHECK("from_table", rd[i], from_table(table, 7 + i, d[i]));
    for (int i = 0; i < doubles; ++i) rl[i] = (long)rows[i];
    svint64_t from = svld1(svptrue_b64(), rl), vl = svld1(svptrue_b64(), l);
    svst1(pd, rl, _ZGVsMxvv_follow(from, vl, pd));
    for (int i = 0; i < doubles; ++i)
      if (!masked || i % 4 != 3) CHECK("follow", rl[i], follow(rows[i], l[i]));
    // Narrow values lie in lanes of 64 bits.
    svfloat32_t unpacked = svreinterpret_f32(svld1uw_u64(svptrue_b64(), (unsigned *)f));
    svst1(pd, rd, _ZGVsMxv_widened(unpacked, pd));
    for (int i = 0; i < doubles; ++i)
      if (!masked || i % 4 != 3) CHECK("widened", rd[i], widened(f[i]));
    svst1w(pd, (int *)rf, svreinterpret_s64(_ZGVsMxv_narrowed(vd, pd)));
    for (int i = 0; i < doubles; ++i)
      if (!masked || i % 4 != 3) CHECK("narrowed", rf[i], narrowed(d[i]));
    svint32_t ua = svreinterpret_s32(svld1sw_s64(svptrue_b64(), a));
    svint8_t uc = svreinterpret_s8(svld1sb_s64(svptrue_b64(), c));
    svst1h(pd, rs, svreinterpret_s64(_ZGVsM4vvv_mixed(vl, ua, uc, pd)));
    for (int i = 0; i < doubles; ++i)
      if (!masked || i % 4 != 3) CHECK("mixed", rs[i], mixed(l[i], a[i], c[i]));
  }
  svbool_t every = svptrue_b8();
  svst1(every, rc, _ZGVsMxvv_bytes(svld1(every, c), svld1(every, e), every));
  for (int i = 0; i < all; ++i) CHECK("bytes", rc[i], bytes(c[i], e[i]));
  printf("%d lanes, %d failures\n", words, failures);
  return failures != 0 || checks < 100;
}
