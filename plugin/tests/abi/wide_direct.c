// Calls NEON variants that take and return several registers, as the ABI of AArch64 passes them: structs of vectors, up to four of them
// in registers. Masks have elements of the size of the narrowest value.
#include <arm_neon.h>
#include "check.h"

#define PCS __attribute__((aarch64_vector_pcs))

typedef struct { float64x2_t val[8]; } float64x16;

double memory(double, float);
short mixed(long, int, signed char);
float narrowed(double);
double widened(float);
double from_table(const double *, int, double);
double wide_double(double);
float wide_float(float, int);

PCS float64x16 _ZGVnN16vv_memory(float64x16, float32x4x4_t);
PCS float64x16 _ZGVnM16vv_memory(float64x16, float32x4x4_t, uint32x4x4_t);
PCS int16x4_t _ZGVnN4vvv_mixed(int64x2x2_t, int32x4_t, int8x8_t);
PCS int16x4_t _ZGVnM4vvv_mixed(int64x2x2_t, int32x4_t, int8x8_t, uint8x8_t);
PCS int16x4_t _ZGVnN2vvv_mixed(int64x2_t, int32x2_t, int8x8_t);
PCS int16x4_t _ZGVnM2vvv_mixed(int64x2_t, int32x2_t, int8x8_t, uint8x8_t);
PCS float32x2_t _ZGVnN2v_narrowed(float64x2_t);
PCS float32x4_t _ZGVnN4v_narrowed(float64x2x2_t);
PCS float32x4_t _ZGVnM4v_narrowed(float64x2x2_t, uint32x4_t);
PCS float64x2_t _ZGVnN2v_widened(float32x2_t);
PCS float64x2x2_t _ZGVnN4v_widened(float32x4_t);
PCS float64x2x2_t _ZGVnM4v_widened(float32x4_t, uint32x4_t);
PCS float64x2x2_t _ZGVnN4ulv_from_table(const double *, int, float64x2x2_t);
PCS float64x2x4_t _ZGVnN8v_wide_double(float64x2x4_t);
PCS float64x2x4_t _ZGVnM8v_wide_double(float64x2x4_t, uint64x2x4_t);
PCS float32x4x4_t _ZGVnN16vv_wide_float(float32x4x4_t, int32x4x4_t);
PCS float32x4x4_t _ZGVnM16vv_wide_float(float32x4x4_t, int32x4x4_t, uint32x4x4_t);

// The elements of a vector, or of a struct of vectors.
#define AT(type, value, i) (((const type *)&(value))[i])

int main(void) {
  double d[16], table[32];
  float f[16];
  int k[16];
  unsigned on32[16];
  unsigned long on64[8];
  for (int i = 0; i < 32; ++i) table[i] = i * 1.5 - 3;
  for (int i = 0; i < 16; ++i) {
    d[i] = i * 0.75 - 5;
    f[i] = 3.5f - i;
    k[i] = i * 7 - 40;
    on32[i] = i % 3 ? -1u : 0;
    if (i < 8) on64[i] = i % 3 ? -1ul : 0;
  }
  float64x16 d16 = *(float64x16 *)d;
  float32x4x4_t f16 = *(float32x4x4_t *)f;
  int32x4x4_t k16 = *(int32x4x4_t *)k;
  uint32x4x4_t m16 = *(uint32x4x4_t *)on32;
  float64x16 a = _ZGVnN16vv_memory(d16, f16), b = _ZGVnM16vv_memory(d16, f16, m16);
  float32x4x4_t w = _ZGVnN16vv_wide_float(f16, k16), wm = _ZGVnM16vv_wide_float(f16, k16, m16);
  for (int i = 0; i < 16; ++i) {
    CHECK("memory", AT(double, a, i), memory(d[i], f[i]));
    CHECK("wide_float", AT(float, w, i), wide_float(f[i], k[i]));
    if (on32[i]) {
      CHECK("masked memory", AT(double, b, i), memory(d[i], f[i]));
      CHECK("masked wide_float", AT(float, wm, i), wide_float(f[i], k[i]));
    }
  }
  float64x2x4_t d8 = *(float64x2x4_t *)d;
  float64x2x4_t e = _ZGVnN8v_wide_double(d8), em = _ZGVnM8v_wide_double(d8, *(uint64x2x4_t *)on64);
  for (int i = 0; i < 8; ++i) {
    CHECK("wide_double", AT(double, e, i), wide_double(d[i]));
    if (on64[i]) CHECK("masked wide_double", AT(double, em, i), wide_double(d[i]));
  }
  long x[4] = {5, -70000, 3, 900};
  int y[4] = {9, 4, -12, 70000};
  signed char z[8] = {3, -4, 100, -1, 55, 55, 55, 55};
  unsigned char on8[8] = {255, 0, 255, 255, 0, 0, 0, 0};
  int64x2x2_t x4 = *(int64x2x2_t *)x;
  int8x8_t z8 = vld1_s8(z);
  int16x4_t p = _ZGVnN4vvv_mixed(x4, vld1q_s32(y), z8);
  int16x4_t pm = _ZGVnM4vvv_mixed(x4, vld1q_s32(y), z8, vld1_u8(on8));
  int16x4_t q = _ZGVnN2vvv_mixed(x4.val[0], vld1_s32(y), z8);
  int16x4_t qm = _ZGVnM2vvv_mixed(x4.val[0], vld1_s32(y), z8, vld1_u8(on8));
  float64x2x2_t d4 = *(float64x2x2_t *)d;
  float32x4_t f4 = vld1q_f32(f);
  uint32x4_t m4 = vld1q_u32(on32);
  float32x4_t n = _ZGVnN4v_narrowed(d4), nm = _ZGVnM4v_narrowed(d4, m4);
  float64x2x2_t v = _ZGVnN4v_widened(f4), vm = _ZGVnM4v_widened(f4, m4);
  float64x2x2_t t = _ZGVnN4ulv_from_table(table, 7, d4);
  for (int i = 0; i < 4; ++i) {
    CHECK("mixed", AT(short, p, i), mixed(x[i], y[i], z[i]));
    if (on8[i]) CHECK("masked mixed", AT(short, pm, i), mixed(x[i], y[i], z[i]));
    if (i < 2) CHECK("half of mixed", AT(short, q, i), mixed(x[i], y[i], z[i]));
    if (i < 2 && on8[i]) CHECK("masked half of mixed", AT(short, qm, i), mixed(x[i], y[i], z[i]));
    CHECK("narrowed", AT(float, n, i), narrowed(d[i]));
    if (on32[i]) CHECK("masked narrowed", AT(float, nm, i), narrowed(d[i]));
    CHECK("widened", AT(double, v, i), widened(f[i]));
    if (on32[i]) CHECK("masked widened", AT(double, vm, i), widened(f[i]));
    CHECK("from_table", AT(double, t, i), from_table(table, 7 + i, d[i]));
  }
  float32x2_t n2 = _ZGVnN2v_narrowed(d4.val[0]);
  float64x2_t v2 = _ZGVnN2v_widened(vld1_f32(f));
  for (int i = 0; i < 2; ++i) {
    CHECK("half of narrowed", AT(float, n2, i), narrowed(d[i]));
    CHECK("half of widened", AT(double, v2, i), widened(f[i]));
  }
  printf("%d checks, %d failures\n", checks, failures);
  return failures != 0;
}
