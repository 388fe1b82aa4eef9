// Rows of bits, and lists.
#pragma once
#include "state.h"

struct Range {
    u32 lo, hi;
    MEMBER bool empty() const { return lo >= hi; }
};

DEVICE Range delta_range(const State &s, Round round, u32 var) {
    u32 parity = (round.phase + 1) & 1;
    return Range{~s.lo[parity][var], s.hi[parity][var]};
}
DEVICE Range sigma_range(const State &s, u32 var) { return Range{~s.sigma_lo[var], s.sigma_hi[var]}; }

// Appends to one of the lists whose shards hold up to 1 / SHARDS of all numbers below `all`.
DEVICE u32 shard_size(u32 all) { return all / SHARDS + 1; }
DEVICE void append(u32 *list, u32 *count, u32 all, u32 number, u32 id) {
    u32 shard = number % SHARDS;
    u32 at = fetch_add(count + shard * PAD, 1);
    list[(u64)shard * shard_size(all) + at] = id;
}

DEVICE void reach(const State &s, Round round, u32 expr) {
    if (!load(s.reached + expr) && !exchange(s.reached + expr, 1)) {
        append(s.fresh[round.phase % 3], s.fresh_count[round.phase % 3], s.exprs, expr, expr);
    }
}

// A row gets bits, of which none is in 𝛔.
DEVICE void grow(const State &s, Round round, u32 var, u32 quad, u64 low, u64 high) {
    u64 *next = (u64 *)(s.next + (u64)var * s.words) + 2 * quad;
    bool more = false;
    if (low & ~load(next)) fetch_or(next, low), more = true;
    if (high & ~load(next + 1)) fetch_or(next + 1, high), more = true;
    if (!more) return;
    u32 *lo = s.lo[round.phase & 1] + var, *hi = s.hi[round.phase & 1] + var;
    if (load(lo) < ~quad) fetch_max(lo, ~quad);
    if (load(hi) < quad + 1) fetch_max(hi, quad + 1);
    if (first_to_stamp(s.dirty_stamp + var, round.number)) {
        append(s.dirty[round.phase % 3], s.dirty_count[round.phase % 3], s.vars, var, var);
    }
}

// 𝛔(var) ∋ value
DEVICE void put(const State &s, Round round, u32 var, u32 value) {
    if (value == NONE || value - s.first >= s.columns) return;
    u32 column = value - s.first;
    if (s.sigma[(u64)var * s.words + column / 32] >> column % 32 & 1) return;
    u64 bit = 1ull << column % 64;
    bool high = column / 64 % 2;
    grow(s, round, var, column / 128, high ? 0 : bit, high ? bit : 0);
}

DEVICE bool any(Quad q) { return (q.x | q.y | q.z | q.w) != 0; }
DEVICE void grow(const State &s, Round round, u32 var, u32 quad, Quad q) {
    grow(s, round, var, quad, q.x | (u64)q.y << 32, q.z | (u64)q.w << 32);
}

DEVICE void count_traffic(const State &s, u32 lane, Range range) {
    if (s.traffic && lane == 0 && !range.empty()) add(s.traffic + thread_index() / 32 % SHARDS * PAD, 32ull * (range.hi - range.lo));
}

// The outer product 𝐚 ⊗ 𝐯 for one entry of 𝐚: 𝛔(dst) ⊇ 𝛔(src), or Δ(src). One of `lanes` threads.
DEVICE void unite(const State &s, Round round, u32 dst, u32 source, u32 lane, u32 lanes) {
    u32 src = source & ~FLAG;
    if (src == dst) return;
    bool only_new = source & FLAG;
    Range range = only_new ? delta_range(s, round, src) : sigma_range(s, src);
    const Quad *from = (const Quad *)((only_new ? s.delta : s.sigma) + (u64)src * s.words);
    const Quad *old = (const Quad *)(s.sigma + (u64)dst * s.words);
    count_traffic(s, lane, range);
    // Four at a time, so that loads do not wait for one another.
    for (u32 at = range.lo + lane; at < range.hi; at += 4 * lanes) {
        Quad more[4];
#pragma clang loop unroll(full)
        for (u32 i = 0; i < 4; i++) {
            u32 quad = at + i * lanes;
            more[i] = quad < range.hi ? from[quad] & ~old[quad] : (Quad)(0);
        }
#pragma clang loop unroll(full)
        for (u32 i = 0; i < 4; i++) {
            if (any(more[i])) grow(s, round, dst, at + i * lanes, more[i]);
        }
    }
}
