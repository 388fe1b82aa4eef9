// The kernels of a round: those of the forms, in any order or at once, then `flow`, then `commit`.
#include "forms.h"

KERNEL(conditionals, s, round) {
    active(s, round, IF, s.lanes, [&](u32 op, Team team) { conditional(s, round, op, team); });
}
KERNEL(maps, s, round) {
    active(s, round, MAP, s.lanes, [&](u32 op, Team team) { map(s, round, op, team); });
}
KERNEL(loads, s, round) {
    active(s, round, LOAD, s.lanes, [&](u32 op, Team team) { load_field(s, round, op, team); });
}
KERNEL(stores, s, round) {
    active(s, round, STORE, s.lanes, [&](u32 op, Team team) { store_field(s, round, op, team); });
}
KERNEL(outside, s, round) {
    active(s, round, EXPOSE, s.lanes, [&](u32 op, Team team) { expose(s, round, op, team); });
}

// Calls by their number of arguments, which is then a constant to the compiler.
#define CALLS(count)                                                                                                      \
    KERNEL(calls_##count, s, round) {                                                                                     \
        active(s, round, CALL + count, s.lanes, [&](u32 op, Team team) { call(s, round, op, count, team); });             \
    }
CALLS(0)
CALLS(1)
CALLS(2)
CALLS(3)
CALLS(4)
KERNEL(calls_many, s, round) {
    active(s, round, CALL_MANY, s.lanes, [&](u32 op, Team team) { call(s, round, op, s.c[op], team); });
}
KERNEL(calls_spread, s, round) {
    active(s, round, CALL_SPREAD, s.lanes, [&](u32 op, Team team) { call_spread(s, round, op, team); });
}

// What 004 sets out to avoid: one kernel with all forms.
KERNEL(unpartitioned, s, round) {
    u32 parity = round.phase & 1;
    walk(s.active[parity], s.active_count[parity], s.ops, s.lanes, [&](u32 op, Team team) {
        u32 form = 0;
        while (op >= s.form_start[form + 1]) form++;
        switch (form) {
        case COPY:
            if (team.index == 0) emit(s, round, s.a[op], s.b[op], s.started[op] == round.number);
            break;
        case PUT:
            if (team.index == 0) put(s, round, s.a[op], s.b[op]);
            break;
        case IF: conditional(s, round, op, team); break;
        case MAP: map(s, round, op, team); break;
        case LOAD: load_field(s, round, op, team); break;
        case STORE: store_field(s, round, op, team); break;
        case EXPOSE: expose(s, round, op, team); break;
        case CALL_SPREAD: call_spread(s, round, op, team); break;
        default: call(s, round, op, s.c[op], team);
        }
    });
}

enum {
    // So many entries that follow one another are done together.
    CHUNK = 8,
};

// Some entries of the list of what flows, by 32 threads. Where all go to one row their rows are united first, lest all write
// there; otherwise each has four threads.
DEVICE void flow_chunk(const State &s, Round round, const Item *items, u32 count, u32 lane) {
    u32 dst = items[0].dst;
    bool one = count > 1;
    for (u32 i = 1; i < count; i++) one &= items[i].dst == dst;
    if (!one) {
        u32 lanes = count > 4 ? 4 : count > 2 ? 8 : count > 1 ? 16 : 32;
        if (lane / lanes < count) unite(s, round, items[lane / lanes].dst, items[lane / lanes].src, lane % lanes, lanes);
        return;
    }
    const Quad *from[CHUNK], *old = (const Quad *)(s.sigma + (u64)dst * s.words);
    Range ranges[CHUNK], all = {NONE, 0};
#pragma clang loop unroll(full)
    for (u32 i = 0; i < CHUNK; i++) {
        ranges[i] = Range{0, 0};
        from[i] = old;
        if (i < count) {
            u32 src = items[i].src & ~FLAG;
            bool only_new = items[i].src & FLAG;
            ranges[i] = only_new ? delta_range(s, round, src) : sigma_range(s, src);
            from[i] = (const Quad *)((only_new ? s.delta : s.sigma) + (u64)src * s.words);
            count_traffic(s, lane, ranges[i]);
        }
        if (!ranges[i].empty()) {
            all.lo = ranges[i].lo < all.lo ? ranges[i].lo : all.lo;
            all.hi = ranges[i].hi > all.hi ? ranges[i].hi : all.hi;
        }
    }
    for (u32 quad = all.lo + lane; quad < all.hi; quad += 32) {
        Quad more = (Quad)(0);
#pragma clang loop unroll(full)
        for (u32 i = 0; i < CHUNK; i++) {
            if (quad >= ranges[i].lo && quad < ranges[i].hi) more |= from[i][quad];
        }
        more &= ~old[quad];
        if (any(more)) grow(s, round, dst, quad, more);
    }
}

// Copies and constants, and all that the forms decided: rows are united.
KERNEL(flow, s, round) {
    if (!s.unpartitioned) {
        active(s, round, PUT, 1, [&](u32 op, Team team) {
            if (team.index == 0) put(s, round, s.a[op], s.b[op]);
        });
        active(s, round, COPY, 8, [&](u32 op, Team team) { copy(s, round, op, team); });
    }
    u32 group = thread_index() / 32, shard = group % SHARDS, rank = group / SHARDS, ranks = thread_count() / 32 / SHARDS;
    u32 count = s.item_count[shard * PAD] < s.item_cap ? s.item_count[shard * PAD] : s.item_cap;
    // With few entries every 32 threads have one.
    u32 chunk = count * 4 / ranks;
    chunk = chunk < 1 ? 1 : chunk > CHUNK ? CHUNK : chunk;
    const Item *items = s.items + (u64)shard * s.item_cap;
    for (u32 i = rank * chunk; i < count; i += ranks * chunk) {
        flow_chunk(s, round, items + i, count - i < chunk ? count - i : chunk, thread_index() % 32);
    }
}

DEVICE Round next_round(Round round) { return Round{round.number + 1, round.phase + 1}; }

DEVICE void activate(const State &s, Round round, u32 op) {
    if (!first_to_stamp(s.stamp + op, round.number)) return;
    u32 parity = round.phase & 1;
    if (s.unpartitioned) return append(s.active[parity], s.active_count[parity], s.ops, op, op);
    u32 form = 0;
    while (op >= s.form_start[form + 1]) form++;
    u32 start = s.form_start[form], all = s.form_start[form + 1] - start;
    append(s.active[parity] + start + (u64)form * SHARDS, s.active_count[parity] + form * SHARDS * PAD, all, op - start, op);
}

// What was found becomes part of 𝛔 and the Δ of the next round, and activates those that read it.
DEVICE void commit_row(const State &s, Round round, u32 var, Team team) {
    Range range = {~s.lo[round.phase & 1][var], s.hi[round.phase & 1][var]};
    u64 row = (u64)var * s.words;
    Quad *next = (Quad *)(s.next + row), *delta = (Quad *)(s.delta + row), *sigma = (Quad *)(s.sigma + row);
    for (u32 quad = range.lo + team.index; quad < range.hi; quad += team.size) {
        Quad now = next[quad];
        delta[quad] = now;
        sigma[quad] |= now;
        // Old news would be looked at again, to no effect: all of it is in 𝛔, and `grow` never gets what is.
        next[quad] = (Quad)(0);
    }
    if (team.index == 0) {
        if (s.sigma_lo[var] < ~range.lo) s.sigma_lo[var] = ~range.lo;
        if (s.sigma_hi[var] < range.hi) s.sigma_hi[var] = range.hi;
    }
    // Operations that start in this very commit see all of 𝛔 anyway.
    for (u32 i = s.reader_start[var] + team.index; i < s.reader_start[var + 1]; i += team.size) {
        if (load(s.started + s.readers[i])) activate(s, next_round(round), s.readers[i]);
    }
    u32 kind = s.field_kind[var];
    if (kind == NONE) return;
    for (u32 i = s.kind_start[kind] + team.index; i < s.kind_start[kind + 1]; i += team.size) {
        if (load(s.started + s.kind_readers[i])) activate(s, next_round(round), s.kind_readers[i]);
    }
}

// The operations of an expression start, and those of the expressions it goes on with.
DEVICE void start(const State &s, Round round, u32 expr) {
    for (;;) {
        for (u32 i = s.op_start[expr]; i < s.op_start[expr + 1]; i++) {
            exchange(s.started + s.op_list[i], round.number + 1);
            activate(s, next_round(round), s.op_list[i]);
        }
        fetch_add(s.found, 1);
        u32 from = s.goto_start[expr], to = s.goto_start[expr + 1];
        for (u32 i = from + 1; i < to; i++) reach(s, next_round(round), s.goto_list[i]);
        if (from == to || load(s.reached + s.goto_list[from]) || exchange(s.reached + s.goto_list[from], 1)) return;
        expr = s.goto_list[from];
    }
}

KERNEL(commit, s, round) {
    u32 now = round.phase % 3, before = (round.phase + 2) % 3, after = (round.phase + 1) % 3;
    walk(s.dirty[now], s.dirty_count[now], s.vars, 32, [&](u32 var, Team team) { commit_row(s, round, var, team); });
    walk(s.fresh[now], s.fresh_count[now], s.exprs, 1, [&](u32 expr, Team team) {
        if (team.index == 0) start(s, round, expr);
    });
    // The Δ of this round is over.
    walk(s.dirty[before], s.dirty_count[before], s.vars, 1, [&](u32 var, Team team) {
        if (team.index == 0) s.lo[(round.phase + 1) & 1][var] = s.hi[(round.phase + 1) & 1][var] = 0;
    });
    // Lists that nothing reads or writes any more are emptied.
    u32 thread = thread_index();
    if (thread < SHARDS) {
        s.dirty_count[after][thread * PAD] = s.fresh_count[before][thread * PAD] = s.item_count[thread * PAD] = 0;
    }
    for (u32 i = thread; i < FORMS * SHARDS; i += thread_count()) s.active_count[round.phase & 1][i * PAD] = 0;
}

// After some rounds: how many there were, and whether the last one changed anything. One thread does it.
KERNEL(tick, s, round) {
    if (thread_index() != 0) return;
    u32 last = round.phase - 1, more = 0;
    for (u32 shard = 0; shard < SHARDS; shard++) {
        more |= s.dirty_count[last % 3][shard * PAD] | s.fresh_count[last % 3][shard * PAD] | s.fresh_count[round.phase % 3][shard * PAD];
    }
    *s.round = round.number;
    *s.done = !more;
}

#ifndef __CUDA__
extern "C" u32 lw_cfa_state_size() { return sizeof(State); }
#endif
