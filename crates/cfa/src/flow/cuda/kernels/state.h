// The state of the solver on the GPU. `state.rs` has the same structure; a test compares their sizes.
//
// Rounds are numbered from 1. In a round the store 𝛔 and what was new in it (Δ) are only read, and what is found goes to
// `next`; `commit` then makes that the Δ of the next round. So no kernel reads what it writes, and any order will do.
#pragma once
#include "device.h"

enum {
    // Lists are split, lest all threads count in one place.
    SHARDS = 8,
    // Each counter has 32 bytes to itself.
    PAD = 8,
    NONE = 0xffffffff,
    // In an atomic expression: it is a value. In the source of an item: only what is new.
    FLAG = 0x80000000,
    // Up to so many parameters are in tables of their own, the matrices Var_i of 004.
    DENSE = 5,
};

// The forms, by which operations are partitioned.
enum Form { COPY, PUT, IF, MAP, LOAD, STORE, EXPOSE, CALL, CALL_MANY = CALL + DENSE, CALL_SPREAD, FORMS };

struct Item {
    u32 dst, src;
};

struct State {
    // The rows of 𝛔, Δ, and what is next, each `words` words, for the columns from `first` on. `keys` are the rows of 𝛔 for the
    // columns from `key_first` on, of `key_words` words: 𝛔 itself, unless the store is tiled.
    u32 *sigma, *delta, *next, *keys;
    // The quads of each row that are not zero: of 𝛔, and by parity of the round of Δ and `next`. The lower ends are
    // complements, so that zeros mean none.
    u32 *sigma_lo, *sigma_hi, *lo[2], *hi[2];
    // The last round for which each variable was put on the list of those that change.
    u32 *dirty_stamp;
    // Operations, sorted by form: three operands each.
    u32 *a, *b, *c;
    // The round for which each operation was put on its list, and the one in which it was the first time.
    u32 *stamp, *started;
    // What expressions consist of, and where they go on anyway.
    u32 *op_start, *op_list, *goto_start, *goto_list;
    u32 *reached;
    // Which operations read a variable, and which read the fields of a kind.
    u32 *reader_start, *readers, *field_kind, *kind_start, *kind_readers;
    // Arguments of calls.
    u32 *args;
    // Of each value: the body and parameters of a lambda expression, what becomes of further arguments.
    u32 *body, *var[DENSE], *param_start, *params, *rest_var, *rest_pair, *rest_car;
    // Of each value: kind and fields of an object; class and record type for the tables of `map`.
    u32 *object_kind, *object_field, *object_fields, *value_class, *value_record;
    // Kind and index of the fields that loads and stores are about.
    u32 *field_of_kind, *field_index;
    // Rows of bits: the lambda expressions with exactly so many parameters, those that take more, all of them.
    u32 *plain, *restful, *lambdas;
    // Tables of `map`: images by class, then the record type that is not another, and the image of others.
    u32 *tables, *basic;
    // Lists with their counters, by round: variables that change, expressions that are new, active operations.
    u32 *dirty[3], *dirty_count[3], *fresh[3], *fresh_count[3], *active[2], *active_count[2];
    Item *items;
    u32 *item_count;
    // The number of the round that is next, whether nothing changed in the last one, how many expressions are reached.
    u32 *round, *done, *found;
    // How many bytes of rows were read to unite them; none if it is not counted.
    u64 *traffic;

    u32 words, key_words, first, columns, key_first, same;
    u32 vars, values, exprs, ops, item_cap;
    u32 classes, table_size, unknown, falsy, null, escape;
    // How many threads share an operation, and whether operations of all forms are on one list.
    u32 lanes, unpartitioned;
    // Where the operations of each form start.
    u32 form_start[FORMS + 1];
};
