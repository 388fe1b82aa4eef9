// The transfer functions, one for each form (004 §5 and §6). They decide what flows where; rows are united by `flow`.
#pragma once
#include "rows.h"

// The threads that share an operation.
struct Team {
    u32 index, size;
};

// Calls `each(id, team)` for the entries of a list. Where there are more threads than entries, many share one.
template <class F> DEVICE void walk(const u32 *list, const u32 *count, u32 all, u32 lanes, F each) {
    u32 group = thread_index() / lanes, lane = thread_index() % lanes;
    u32 shard = group % SHARDS, rank = group / SHARDS, ranks = thread_count() / lanes / SHARDS;
    u32 n = count[shard * PAD];
    if (n == 0) return;
    u32 share = ranks > n ? ranks / n : 1, teams = ranks / share;
    if (rank / share >= teams) return;
    for (u32 i = rank / share; i < n; i += teams) {
        each(list[(u64)shard * shard_size(all) + i], Team{rank % share * lanes + lane, share * lanes});
    }
}

// The operations of a form that are active in a round.
template <class F> DEVICE void active(const State &s, Round round, u32 form, u32 lanes, F each) {
    u32 start = s.form_start[form], all = s.form_start[form + 1] - start, parity = round.phase & 1;
    // Before those of this form there are those of others, each with a little room to spare.
    const u32 *list = s.active[parity] + start + (u64)form * SHARDS;
    walk(list, s.active_count[parity] + form * SHARDS * PAD, all, lanes, each);
}

DEVICE bool is_value(u32 node) { return node & FLAG; }
DEVICE bool is_new(const State &s, Round round, u32 node) { return !is_value(node) && !delta_range(s, round, node).empty(); }

// Threads that share an operation spread what they list.
DEVICE u32 item_shard() { return thread_index() / (32 * SHARDS) % SHARDS; }

RARE void unite_alone(const State &s, Round round, u32 dst, u32 source) { unite(s, round, dst, source, 0, 1); }

// One entry for `flow`; without room for it this thread does the work.
DEVICE void item(const State &s, Round round, u32 at, u32 dst, u32 source) {
    u32 shard = item_shard();
    if (at < s.item_cap) s.items[(u64)shard * s.item_cap + at] = Item{dst, source};
    else unite_alone(s, round, dst, source);
}
DEVICE u32 reserve(const State &s, u32 count) {
    u32 shard = item_shard();
    return fetch_add(s.item_count + shard * PAD, count);
}

// 𝛔(dst) ⊇ 𝒜(node): all of it for a value that is new to the operation, else what is new.
DEVICE void emit(const State &s, Round round, u32 dst, u32 node, bool all) {
    if (is_value(node)) {
        if (all) put(s, round, dst, node & ~FLAG);
    } else if (all ? !sigma_range(s, node).empty() : is_new(s, round, node)) {
        item(s, round, reserve(s, 1), dst, all ? node : node | FLAG);
    }
}

// Reads the row of a key, eight values at a time: `each(first, fresh, old)` with the bits of those that are new to the operation
// and, if wanted, the others.
template <class F> DEVICE void scan(const State &s, Round round, u32 op, u32 key, bool want_old, Team team, F each) {
    bool fresh = s.started[op] == round.number;
    Range delta = s.same ? delta_range(s, round, key) : Range{0, 0};
    Range range = delta;
    if (fresh || want_old) range = s.same ? sigma_range(s, key) : Range{0, s.key_words / 4};
    const u8 *all = (const u8 *)(s.keys + (u64)key * s.key_words), *some = (const u8 *)(s.delta + (u64)key * s.words);
    for (u32 at = 16 * range.lo + team.index; at < 16 * range.hi; at += team.size) {
        u32 bits = all[at], now = 0;
        if (fresh) now = bits;
        else if (at >= 16 * delta.lo && at < 16 * delta.hi) now = some[at];
        u32 old = want_old ? bits & ~now : 0;
        if (now | old) each(s.key_first + 8 * at, now, old);
    }
}

#define BITS(bits, first, value) \
    for (u32 rest_ = (bits), value = 0; rest_ && (value = (first) + __builtin_ctz(rest_), true); rest_ &= rest_ - 1)

// Eight bits of a row over all values.
DEVICE u32 mask(const u32 *row, u32 first) { return ((const u8 *)row)[first / 8]; }

// What a call gives to a lambda expression that takes more arguments than it has parameters, or a call by a list of
// arguments to any lambda expression.
RARE void bind(const State &s, Round round, u32 op, u32 lambda, bool all) {
    const u32 *args = s.args + s.b[op], *params = s.params + s.param_start[lambda];
    u32 given = s.c[op], wanted = s.param_start[lambda + 1] - s.param_start[lambda], spread = args[given];
    bool restful = mask(s.restful, lambda) >> lambda % 8 & 1;
    if (spread == NONE ? given != wanted && !(given > wanted && restful) : given > wanted && !restful) return;
    if (all) reach(s, round, s.body[lambda]);
    for (u32 i = 0; i < given && i < wanted; i++) emit(s, round, params[i], args[i], all);
    for (u32 i = given; i < wanted; i++) emit(s, round, params[i], spread, all);
    u32 rest = s.rest_var[lambda], car = s.rest_car[lambda];
    if (rest == NONE) return;
    if (car != NONE) {
        for (u32 i = wanted; i < given; i++) emit(s, round, car, args[i], all);
        if (spread != NONE) emit(s, round, car, spread, all);
    }
    if (!all) return;
    if (given > wanted || spread != NONE) put(s, round, rest, s.rest_pair[lambda]);
    if (given <= wanted) put(s, round, rest, s.null);
}

// A call of the unknown value: code outside of the program sees the arguments.
DEVICE void escape(const State &s, Round round, u32 op, u32 first, u32 fresh, u32 old) {
    u32 bit = s.unknown - first;
    if (s.escape == NONE || bit >= 8 || !((fresh | old) >> bit & 1)) return;
    const u32 *args = s.args + s.b[op];
    bool all = fresh >> bit & 1;
    for (u32 i = 0; i < s.c[op]; i++) emit(s, round, s.escape, args[i], all);
    if (args[s.c[op]] != NONE) emit(s, round, s.escape, args[s.c[op]], all);
}

// A call with `count` arguments. The lambda expressions with just as many parameters are those to be fast for.
DEVICE void call(const State &s, Round round, u32 op, u32 count, Team team) {
    const u32 *args = s.args + s.b[op], *plain = s.plain + (u64)count * ((s.values + 127) / 128 * 4);
    bool more = false;
    for (u32 i = 0; i < count; i++) more |= is_new(s, round, args[i]);
    scan(s, round, op, s.a[op], more, team, [&](u32 first, u32 fresh, u32 old) {
        u32 others = (fresh | old) & mask(s.restful, first);
        BITS(others, first, value) bind(s, round, op, value, fresh >> (value - first) & 1);
        escape(s, round, op, first, fresh, old);
        u32 fits = mask(plain, first);
        fresh &= fits, old &= fits;
        BITS(fresh, first, value) reach(s, round, s.body[value]);
        for (u32 i = 0; i < count && (fresh | old); i++) {
            u32 arg = args[i];
            if (is_value(arg)) {
                BITS(fresh, first, value) put(s, round, i < DENSE ? s.var[i][value] : s.params[s.param_start[value] + i], arg & ~FLAG);
                continue;
            }
            u32 all = sigma_range(s, arg).empty() ? 0 : fresh, some = is_new(s, round, arg) ? old : 0;
            if (!(all | some)) continue;
            u32 at = reserve(s, __builtin_popcount(all | some));
            BITS(all | some, first, value) {
                u32 var = i < DENSE ? s.var[i][value] : s.params[s.param_start[value] + i];
                item(s, round, at++, var, all >> (value - first) & 1 ? arg : arg | FLAG);
            }
        }
    });
}

// A call whose last arguments are the elements of a list.
DEVICE void call_spread(const State &s, Round round, u32 op, Team team) {
    const u32 *args = s.args + s.b[op];
    u32 given = s.c[op];
    bool more = is_new(s, round, args[given]);
    for (u32 i = 0; i < given; i++) more |= is_new(s, round, args[i]);
    scan(s, round, op, s.a[op], more, team, [&](u32 first, u32 fresh, u32 old) {
        BITS((fresh | old) & mask(s.lambdas, first), first, value) bind(s, round, op, value, fresh >> (value - first) & 1);
        escape(s, round, op, first, fresh, old);
    });
}

DEVICE void conditional(const State &s, Round round, u32 op, Team team) {
    scan(s, round, op, s.a[op], false, team, [&](u32 first, u32 fresh, u32) {
        u32 falsy = s.falsy - first < 8 ? 1u << (s.falsy - first) : 0;
        u32 unknown = s.unknown - first < 8 ? 1u << (s.unknown - first) : 0;
        if (fresh & ~falsy) reach(s, round, s.b[op]);
        if (fresh & (falsy | unknown)) reach(s, round, s.c[op]);
    });
}

DEVICE void map(const State &s, Round round, u32 op, Team team) {
    const u32 *table = s.tables + (u64)s.c[op] * s.table_size;
    scan(s, round, op, s.a[op], false, team, [&](u32 first, u32 fresh, u32) {
        u32 image = 0;
        BITS(fresh, first, value) {
            u32 record = s.value_record[value];
            bool other = table[s.classes] != NONE && record != NONE && record != table[s.classes];
            image |= table[other ? s.classes + 1 : s.value_class[value]];
        }
        BITS(image, 0, klass) if (klass < s.classes) put(s, round, s.b[op], s.basic[klass]);
    });
}

// Objects of one kind may have different numbers of fields.
DEVICE bool has_field(const State &s, u32 value, u32 kind, u32 index) {
    return s.object_kind[value] == kind && index < s.object_fields[value];
}

DEVICE void load_field(const State &s, Round round, u32 op, Team team) {
    u32 kind = s.field_of_kind[s.c[op]], index = s.field_index[s.c[op]], dst = s.b[op];
    scan(s, round, op, s.a[op], true, team, [&](u32 first, u32 fresh, u32 old) {
        BITS(fresh | old, first, value) {
            bool all = fresh >> (value - first) & 1;
            if (has_field(s, value, kind, index)) emit(s, round, dst, s.object_field[value] + index, all);
            else if (value == s.unknown) put(s, round, dst, value);
        }
    });
}

DEVICE void store_field(const State &s, Round round, u32 op, Team team) {
    u32 kind = s.field_of_kind[s.c[op]], index = s.field_index[s.c[op]], src = s.b[op];
    scan(s, round, op, s.a[op], is_new(s, round, src), team, [&](u32 first, u32 fresh, u32 old) {
        BITS(fresh | old, first, value) {
            bool all = fresh >> (value - first) & 1;
            if (has_field(s, value, kind, index)) emit(s, round, s.object_field[value] + index, src, all);
            else if (value == s.unknown && s.escape != NONE) emit(s, round, s.escape, src, all);
        }
    });
}

// What code outside of the program does with what it sees.
DEVICE void expose(const State &s, Round round, u32 op, Team team) {
    scan(s, round, op, s.a[op], true, team, [&](u32 first, u32 fresh, u32 old) {
        u32 lambdas = mask(s.lambdas, first);
        BITS(fresh & lambdas, first, value) {
            for (u32 i = s.param_start[value]; i < s.param_start[value + 1]; i++) put(s, round, s.params[i], s.unknown);
            if (s.rest_var[value] != NONE) put(s, round, s.rest_var[value], s.unknown);
            reach(s, round, s.body[value]);
        }
        BITS((fresh | old) & ~lambdas, first, value) {
            bool all = fresh >> (value - first) & 1;
            for (u32 i = 0; i < s.object_fields[value]; i++) {
                if (all) put(s, round, s.object_field[value] + i, s.unknown);
                emit(s, round, s.escape, s.object_field[value] + i, all);
            }
        }
    });
}

// 𝛔(dst) ⊇ 𝛔(src), for `flow`.
DEVICE void copy(const State &s, Round round, u32 op, Team team) {
    u32 src = s.b[op];
    unite(s, round, s.a[op], s.started[op] == round.number ? src : src | FLAG, team.index, team.size);
}
