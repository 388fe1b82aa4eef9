/* Operations across the lanes of vectorized code, for C and C++.
 *
 * Code that Laneweaver vectorizes (`#pragma omp declare simd`, `#pragma omp simd`, `lw vectorize`) is executed by several lanes at
 * once. With these operations lanes see each other. Those that take part are the lanes that execute the call together: under a
 * condition, those on which it holds. Everywhere else, in code that was not vectorized and under any other compiler, there is one
 * lane, and it takes part.
 *
 *   bool     lw_any(bool c)            whether c holds on a lane
 *   bool     lw_all(bool c)            whether c holds on all lanes
 *   bool     lw_most(bool c)           whether c holds on more than half of the lanes that take part
 *   uint64_t lw_ballot(bool c)         bit t is set if c holds on lane t
 *   int      lw_popcount(bool c)       on how many lanes c holds
 *   bool     lw_mask(void)             whether this lane takes part: true, wherever it is asked
 *   int      lw_lane(void)             the number of this lane, from zero
 *   int      lw_lanes(void)            how many lanes there are, taking part or not
 *   T        lw_broadcast(T x)         x of the first lane that takes part
 *   T        lw_extract(T x, int t)    x of lane t, which must take part; t is the same on all lanes
 *   T        lw_shuffle(T x, int t)    x of lane t, which must take part; t may differ
 *   T        lw_insert(T x, int t, T y)  y on lane t, x on the others
 *   T        lw_compact(T x, bool c)   lane k gets x of the k-th lane on which c holds; unspecified past the last
 *   T        lw_reduce_add(T x)        the x of all lanes combined, in the order of lanes; likewise
 *            lw_reduce_mul, lw_reduce_and, lw_reduce_or, lw_reduce_xor, lw_reduce_min, lw_reduce_max
 *
 * T is float, double, or an integer of 32 or 64 bits; smaller integers are taken as int. `and`, `or` and `xor` are for integers. Other
 * types (long double, _Float16, __int128, _BitInt) are errors: convert them.
 * C must be C11 or later.
 *
 * `lw cc` and `lw c++` find this file and define __LANEWEAVER__. With clang and the plug-in, define it yourself. */
#ifndef LANEWEAVER_H
#define LANEWEAVER_H

#include <stdint.h>
#ifndef __cplusplus
#include <stdbool.h>
#endif

#ifdef __LANEWEAVER__
#define LW_ACROSS(type, name, params, one_lane) \
  __attribute__((convergent, nothrow)) type name params;
#else
#define LW_ACROSS(type, name, params, one_lane) \
  static inline type name params { return one_lane; }
#endif

/* Those that move values of a type. */
#define LW_MOVES(T, t) \
  LW_ACROSS(T, __lw_broadcast_##t, (T x), x) \
  LW_ACROSS(T, __lw_extract_##t, (T x, int lane), ((void)lane, x)) \
  LW_ACROSS(T, __lw_shuffle_##t, (T x, int lane), ((void)lane, x)) \
  LW_ACROSS(T, __lw_insert_##t, (T x, int lane, T y), lane == 0 ? y : x) \
  LW_ACROSS(T, __lw_compact_##t, (T x, bool chosen), ((void)chosen, x)) \
  LW_ACROSS(T, __lw_reduce_add_##t, (T x), x) \
  LW_ACROSS(T, __lw_reduce_mul_##t, (T x), x) \
  LW_ACROSS(T, __lw_reduce_min_##t, (T x), x) \
  LW_ACROSS(T, __lw_reduce_max_##t, (T x), x)

/* Those that combine bits. */
#define LW_BITS(T, t) \
  LW_ACROSS(T, __lw_reduce_and_##t, (T x), x) \
  LW_ACROSS(T, __lw_reduce_or_##t, (T x), x) \
  LW_ACROSS(T, __lw_reduce_xor_##t, (T x), x)

#ifdef __cplusplus
extern "C" {
#endif

LW_ACROSS(bool, __lw_any, (bool c), c)
LW_ACROSS(bool, __lw_all, (bool c), c)
LW_ACROSS(bool, __lw_most, (bool c), c)
LW_ACROSS(uint64_t, __lw_ballot, (bool c), c)
LW_ACROSS(int, __lw_popcount, (bool c), c)
LW_ACROSS(bool, __lw_mask, (void), 1)
LW_ACROSS(int, __lw_lane, (void), 0)
LW_ACROSS(int, __lw_lanes, (void), 1)
LW_MOVES(int32_t, i32)
LW_MOVES(uint32_t, u32)
LW_MOVES(int64_t, i64)
LW_MOVES(uint64_t, u64)
LW_MOVES(float, f32)
LW_MOVES(double, f64)
LW_BITS(int32_t, i32)
LW_BITS(uint32_t, u32)
LW_BITS(int64_t, i64)
LW_BITS(uint64_t, u64)

#ifdef __cplusplus
} /* extern "C" */
#endif

#undef LW_ACROSS
#undef LW_MOVES
#undef LW_BITS

#define lw_any(c) __lw_any(c)
#define lw_all(c) __lw_all(c)
#define lw_most(c) __lw_most(c)
#define lw_ballot(c) __lw_ballot(c)
#define lw_popcount(c) __lw_popcount(c)
#define lw_mask() __lw_mask()
#define lw_lane() __lw_lane()
#define lw_lanes() __lw_lanes()

#ifdef __cplusplus

/* Always inlined, so that what is written in terms of these is vectorized without optimization too. */
#define LW_NAME(type, name, t, params, args) \
  __attribute__((always_inline)) inline type name params { return __##name##_##t args; }
#define LW_BITS(T, t) \
  LW_NAME(T, lw_reduce_and, t, (T x), (x)) \
  LW_NAME(T, lw_reduce_or, t, (T x), (x)) \
  LW_NAME(T, lw_reduce_xor, t, (T x), (x))
#define LW_MOVES(T, t) \
  LW_NAME(T, lw_broadcast, t, (T x), (x)) \
  LW_NAME(T, lw_extract, t, (T x, int lane), (x, lane)) \
  LW_NAME(T, lw_shuffle, t, (T x, int lane), (x, lane)) \
  LW_NAME(T, lw_insert, t, (T x, int lane, T y), (x, lane, y)) \
  LW_NAME(T, lw_compact, t, (T x, bool chosen), (x, chosen)) \
  LW_NAME(T, lw_reduce_add, t, (T x), (x)) \
  LW_NAME(T, lw_reduce_mul, t, (T x), (x)) \
  LW_NAME(T, lw_reduce_min, t, (T x), (x)) \
  LW_NAME(T, lw_reduce_max, t, (T x), (x))
LW_MOVES(int, i32)
LW_MOVES(unsigned, u32)
LW_MOVES(long long, i64)
LW_MOVES(unsigned long long, u64)
LW_MOVES(float, f32)
LW_MOVES(double, f64)
LW_BITS(int, i32)
LW_BITS(unsigned, u32)
LW_BITS(long long, i64)
LW_BITS(unsigned long long, u64)
#if __SIZEOF_LONG__ == 8
LW_MOVES(long, i64)
LW_MOVES(unsigned long, u64)
LW_BITS(long, i64)
LW_BITS(unsigned long, u64)
#else
LW_MOVES(long, i32)
LW_MOVES(unsigned long, u32)
LW_BITS(long, i32)
LW_BITS(unsigned long, u32)
#endif
#undef LW_NAME
#undef LW_MOVES
#undef LW_BITS

#else /* C */

#if __SIZEOF_LONG__ == 8
#define LW_LONG(name) long : name##_i64, unsigned long : name##_u64
#else
#define LW_LONG(name) long : name##_i32, unsigned long : name##_u32
#endif
/* `+` makes an `int` of smaller integers and bit fields. What has no line here would lose something, so it is an error. */
#define LW_INTEGER(name) \
  int : name##_i32, unsigned : name##_u32, LW_LONG(name), long long : name##_i64, unsigned long long : name##_u64
#define LW_NUMBER(name) float : name##_f32, double : name##_f64, LW_INTEGER(name)

#define lw_broadcast(x) _Generic(+(x), LW_NUMBER(__lw_broadcast))(x)
#define lw_extract(x, lane) _Generic(+(x), LW_NUMBER(__lw_extract))(x, lane)
#define lw_shuffle(x, lane) _Generic(+(x), LW_NUMBER(__lw_shuffle))(x, lane)
#define lw_insert(x, lane, y) _Generic(+(x), LW_NUMBER(__lw_insert))(x, lane, y)
#define lw_compact(x, chosen) _Generic(+(x), LW_NUMBER(__lw_compact))(x, chosen)
#define lw_reduce_add(x) _Generic(+(x), LW_NUMBER(__lw_reduce_add))(x)
#define lw_reduce_mul(x) _Generic(+(x), LW_NUMBER(__lw_reduce_mul))(x)
#define lw_reduce_min(x) _Generic(+(x), LW_NUMBER(__lw_reduce_min))(x)
#define lw_reduce_max(x) _Generic(+(x), LW_NUMBER(__lw_reduce_max))(x)
#define lw_reduce_and(x) _Generic(+(x), LW_INTEGER(__lw_reduce_and))(x)
#define lw_reduce_or(x) _Generic(+(x), LW_INTEGER(__lw_reduce_or))(x)
#define lw_reduce_xor(x) _Generic(+(x), LW_INTEGER(__lw_reduce_xor))(x)

#endif
#endif
