//! The state that kernels work on, and where its arrays are in the memory of a machine. `state.h` says what they are.

use crate::flow::image::{DENSE, FORMS, Image, Lists, row_words};

pub(super) const SHARDS: u32 = 8;
pub(super) const PAD: u32 = 8;

/// Addresses and sizes; the same as in `state.h`.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct State {
    pub(super) sigma: u64,
    pub(super) delta: u64,
    pub(super) next: u64,
    pub(super) keys: u64,
    pub(super) sigma_lo: u64,
    pub(super) sigma_hi: u64,
    pub(super) lo: [u64; 2],
    pub(super) hi: [u64; 2],
    pub(super) dirty_stamp: u64,
    pub(super) ops: [u64; 3],
    pub(super) stamp: u64,
    pub(super) started: u64,
    pub(super) expr_ops: [u64; 2],
    pub(super) gotos: [u64; 2],
    pub(super) reached: u64,
    pub(super) readers: [u64; 2],
    pub(super) field_kind: u64,
    pub(super) kind_readers: [u64; 2],
    pub(super) args: u64,
    pub(super) body: u64,
    pub(super) var: [u64; DENSE],
    pub(super) params: [u64; 2],
    pub(super) rest: [u64; 3],
    pub(super) object: [u64; 3],
    pub(super) value_class: u64,
    pub(super) value_record: u64,
    pub(super) field_of_kind: u64,
    pub(super) field_index: u64,
    pub(super) plain: u64,
    pub(super) restful: u64,
    pub(super) lambdas: u64,
    pub(super) tables: u64,
    pub(super) basic: u64,
    pub(super) dirty: [u64; 3],
    pub(super) dirty_count: [u64; 3],
    pub(super) fresh: [u64; 3],
    pub(super) fresh_count: [u64; 3],
    pub(super) active: [u64; 2],
    pub(super) active_count: [u64; 2],
    pub(super) items: u64,
    pub(super) item_count: u64,
    pub(super) round: u64,
    pub(super) done: u64,
    pub(super) found: u64,
    pub(super) traffic: u64,
    pub(super) words: u32,
    pub(super) key_words: u32,
    pub(super) first: u32,
    pub(super) columns: u32,
    pub(super) key_first: u32,
    pub(super) same: u32,
    pub(super) vars: u32,
    pub(super) values: u32,
    pub(super) exprs: u32,
    pub(super) op_count: u32,
    pub(super) item_cap: u32,
    pub(super) classes: u32,
    pub(super) table_size: u32,
    pub(super) unknown: u32,
    pub(super) falsy: u32,
    pub(super) null: u32,
    pub(super) escape: u32,
    pub(super) lanes: u32,
    pub(super) unpartitioned: u32,
    pub(super) form_start: [u32; FORMS + 1],
}

/// Which columns of the store are in memory.
#[derive(Clone, Copy, Debug)]
pub(super) struct Tiling {
    /// How many words of a row a tile has.
    pub(super) words: u32,
    /// How many tiles there are.
    pub(super) tiles: u32,
}

impl Tiling {
    /// Tiles of at most so many words.
    pub(super) fn new(values: u32, words: u32) -> Tiling {
        let all = row_words(values).max(4);
        let tiles = all.div_ceil(words);
        // Tiles of equal size, in quads.
        let words = (all / 4).div_ceil(tiles) * 4;
        Tiling { words, tiles: all.div_ceil(words) }
    }
}

/// Where everything is in memory.
pub(super) struct Layout {
    /// The state when no column is in memory yet.
    pub(super) state: State,
    /// What the program's arrays hold, from the start of the memory on.
    pub(super) constants: Vec<u32>,
    /// What must be zero when rounds start: from one address to another.
    pub(super) zero: (u64, u64),
    /// All bytes.
    pub(super) bytes: u64,
}

/// Hands out memory in pieces of 256 bytes.
struct Room(u64);

impl Room {
    fn words(&mut self, count: u64) -> u64 {
        let at = self.0;
        self.0 += (count.max(1) * 4).next_multiple_of(256);
        at
    }
}

impl Layout {
    /// The memory for a program from an address on, with room for `items` entries in each part of the list of what flows.
    pub(super) fn new(image: &Image, tiling: Tiling, items: u32, base: u64) -> Layout {
        let (mut room, mut constants) = (Room(base), Vec::new());
        let mut array = |data: &[u32]| {
            let at = room.words(data.len() as u64);
            constants.resize((at - base) as usize / 4, 0);
            constants.extend(data);
            at
        };
        let mut lists = |lists: &Lists| [array(&lists.starts), array(&lists.all)];
        let mut state = State {
            expr_ops: lists(&image.expr_ops),
            gotos: lists(&image.gotos),
            readers: lists(&image.readers),
            kind_readers: lists(&image.kind_readers),
            params: lists(&image.params),
            ops: [0, 1, 2].map(|i| array(&image.ops[i])),
            form_start: std::array::from_fn(|i| image.form_start[i]),
            field_kind: array(&image.field_kind),
            args: array(&image.args),
            body: array(&image.body),
            var: std::array::from_fn(|i| array(&image.var[i])),
            rest: [0, 1, 2].map(|i| array(&image.rest[i])),
            object: [0, 1, 2].map(|i| array(&image.object[i])),
            value_class: array(&image.value_class),
            value_record: array(&image.value_record),
            field_of_kind: array(&image.field_of_kind),
            field_index: array(&image.field_index),
            plain: array(&image.plain),
            restful: array(&image.restful),
            lambdas: array(&image.lambdas),
            tables: array(&image.tables),
            basic: array(&image.basic),
            ..State::default()
        };
        let (vars, ops, exprs) = (image.vars as u64, image.ops[0].len() as u64, image.exprs as u64);
        let rows = vars * tiling.words as u64;
        state.keys = if tiling.tiles > 1 { room.words(rows) } else { 0 };
        state.delta = room.words(rows);
        state.items = room.words(2 * SHARDS as u64 * items as u64);
        let shards = SHARDS as u64;
        state.dirty = [0; 3].map(|_| room.words(vars + shards));
        state.fresh = [0; 3].map(|_| room.words(exprs + shards));
        state.active = [0; 2].map(|_| room.words(ops + (FORMS as u64 + 1) * shards));
        let from = room.0;
        let counters = (SHARDS * PAD) as u64;
        state.next = room.words(rows);
        state.sigma = room.words(rows);
        [state.sigma_lo, state.sigma_hi] = [0; 2].map(|_| room.words(vars));
        [state.lo, state.hi] = [0; 2].map(|_| [0; 2].map(|_| room.words(vars)));
        state.dirty_stamp = room.words(vars);
        [state.stamp, state.started] = [0; 2].map(|_| room.words(ops));
        state.reached = room.words(exprs);
        state.dirty_count = [0; 3].map(|_| room.words(counters));
        state.fresh_count = [0; 3].map(|_| room.words(counters));
        state.active_count = [0; 2].map(|_| room.words(counters * FORMS as u64));
        state.item_count = room.words(counters);
        state.traffic = room.words(2 * counters);
        state.round = room.words(3);
        state.done = state.round + 4;
        state.found = state.round + 8;
        if tiling.tiles == 1 {
            state.keys = state.sigma;
        }
        state.words = tiling.words;
        state.key_words = tiling.words;
        state.item_cap = items;
        (state.vars, state.values, state.exprs) = (image.vars, image.values, image.exprs);
        state.op_count = ops as u32;
        state.classes = image.basic.len() as u32;
        state.table_size = state.classes + 2;
        (state.unknown, state.falsy) = (image.unknown, image.falsy);
        (state.null, state.escape) = (image.null, image.escape);
        Layout { state, constants, zero: (from, room.0), bytes: room.0 - base }
    }
}
