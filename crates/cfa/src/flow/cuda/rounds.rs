//! Rounds until nothing changes, on any machine; column by column where the memory does not suffice.
//!
//! An operation reads the columns of its key (an operator, a test, an object) and adds to the columns of others. So a
//! *visit* needs two tiles: one with the columns of keys, one with the columns that grow; both are the same tile where one holds
//! all columns. Visits go on until no pair of tiles has changed since it was last visited. Then every operation is
//! satisfied for each of its keys and each column: the same least fixed point.

use super::machine::{Kernel, Machine};
use super::state::{Layout, PAD, SHARDS, State, Tiling};
use super::{Error, Options, Progress, Stats};
use crate::flow::image::{Form, Image, row_words};
use crate::flow::{Program, Set, Solution};
use std::time::Instant;

pub(super) struct Solver<'a, M: Machine> {
    machine: &'a mut M,
    image: Image,
    options: &'a Options,
    layout: Layout,
    tiling: Tiling,
    kernels: Vec<Kernel>,
    pub(super) stats: Stats,
}

/// What is known of the store between visits, where it is tiled: rows of all words, and which expressions are reached.
struct Host {
    words: usize,
    rows: Vec<u32>,
    reached: Vec<u32>,
    /// How often each tile, and what is reached, has changed.
    versions: Vec<u64>,
    reach_version: u64,
}

impl<'a, M: Machine> Solver<'a, M> {
    pub(super) fn new(
        machine: &'a mut M,
        program: &Program,
        options: &'a Options,
    ) -> Result<Self, Error> {
        let start = Instant::now();
        let image = Image::new(program);
        let kernels = kernels(&image, options);
        let memory = options.memory.map_or_else(|| machine.memory(), Ok)?;
        let tiling = tiling(&image, options.items, memory)?;
        let bytes = Layout::new(&image, tiling, options.items, 0).bytes;
        let layout = Layout::new(&image, tiling, options.items, machine.allocate(bytes)?);
        machine.write(layout.state.expr_ops[0], &layout.constants)?;
        let stats =
            Stats { bytes, tiles: tiling.tiles, upload: start.elapsed(), ..Stats::default() };
        Ok(Solver { machine, image, options, layout, tiling, kernels, stats })
    }

    pub(super) fn solve(&mut self, progress: &mut dyn FnMut(&Progress)) -> Result<Solution, Error> {
        if self.tiling.tiles == 1 { self.whole(progress) } else { self.tiled(progress) }
    }

    /// The state for a pair of tiles.
    fn state(&self, key: u32, tile: u32) -> State {
        let columns = self.tiling.words * 32;
        let layout = &self.layout.state;
        State {
            first: tile * columns,
            columns,
            key_first: key * columns,
            keys: if key == tile { layout.sigma } else { layout.keys },
            same: (key == tile) as u32,
            lanes: self.options.lanes.max(1),
            unpartitioned: self.options.unpartitioned as u32,
            traffic: if self.options.measure { layout.traffic } else { 0 },
            ..*layout
        }
    }

    /// The machine starts with some expressions reached and their operations to be applied to everything.
    fn begin(&mut self, state: &State, reached: &[u32]) -> Result<(), Error> {
        let (from, to) = self.layout.zero;
        self.machine.zero(from, to - from)?;
        self.machine.write(state.reached, reached)?;
        self.machine.write(state.round, &[1])?;
        let size = state.exprs / SHARDS + 1;
        let mut lists = vec![0; (size * SHARDS) as usize];
        let mut counts = vec![0; (SHARDS * PAD) as usize];
        for expr in (0..state.exprs).filter(|expr| reached[*expr as usize] != 0) {
            let shard = expr % SHARDS;
            let count = &mut counts[(shard * PAD) as usize];
            lists[(shard * size + *count) as usize] = expr;
            *count += 1;
        }
        self.machine.write(state.fresh[1], &lists)?;
        self.machine.write(state.fresh_count[1], &counts)
    }

    /// Rounds until nothing changes.
    fn run(&mut self, state: &State, progress: &mut dyn FnMut(&Progress)) -> Result<(), Error> {
        let before = self.stats.rounds;
        loop {
            // Lists take turns by twos and threes.
            let batch = self.options.batch.max(1).next_multiple_of(6);
            self.machine.rounds(state, &self.kernels, batch)?;
            let mut status = [0; 3];
            self.machine.read(state.round, &mut status)?;
            let [round, done, found] = status;
            self.stats.rounds = before + round as u64 - 1;
            progress(&Progress {
                rounds: self.stats.rounds,
                visits: self.stats.visits,
                reached: found,
                expressions: state.exprs,
            });
            if done != 0 {
                break;
            }
        }
        if self.options.measure {
            let mut traffic = vec![0; (SHARDS * PAD * 2) as usize];
            self.machine.read(state.traffic, &mut traffic)?;
            let counters = traffic.chunks(PAD as usize * 2);
            self.stats.traffic +=
                counters.map(|word| word[0] as u64 | (word[1] as u64) << 32).sum::<u64>();
        }
        Ok(())
    }

    /// Only what holds from the start is reached: the last expression.
    fn nothing_reached(&self) -> Vec<u32> {
        let mut reached = vec![0; self.image.exprs as usize];
        reached[self.image.exprs as usize - 1] = 1;
        reached
    }

    fn whole(&mut self, progress: &mut dyn FnMut(&Progress)) -> Result<Solution, Error> {
        let start = Instant::now();
        let state = self.state(0, 0);
        let reached = self.nothing_reached();
        self.begin(&state, &reached)?;
        self.run(&state, progress)?;
        self.stats.solve = start.elapsed();
        let start = Instant::now();
        // Rows arrive in pieces, lest there be two copies of the store.
        let words = self.tiling.words as usize;
        let at_once = (PIECE / words).max(1);
        let mut store = Vec::with_capacity(state.vars as usize);
        let mut piece = vec![0; at_once * words];
        while store.len() < state.vars as usize {
            let rows = at_once.min(state.vars as usize - store.len());
            let piece = &mut piece[..rows * words];
            self.machine.read(state.sigma + (store.len() * words * 4) as u64, piece)?;
            store.extend(sets(piece, words));
        }
        let mut reached = reached;
        self.machine.read(state.reached, &mut reached)?;
        let solution = Solution { reached: expressions(&reached), store };
        self.stats.download = start.elapsed();
        Ok(solution)
    }

    fn tiled(&mut self, progress: &mut dyn FnMut(&Progress)) -> Result<Solution, Error> {
        let start = Instant::now();
        let tiles = self.tiling.tiles as usize;
        let words = self.tiling.words as usize * tiles;
        let mut host = Host {
            words,
            rows: vec![0; words * self.image.vars as usize],
            reached: self.nothing_reached(),
            versions: vec![1; tiles],
            reach_version: 1,
        };
        let mut seen = vec![(0, 0, 0); tiles * tiles];
        loop {
            let mut rest = false;
            for (pair, seen) in seen.iter_mut().enumerate() {
                let (key, tile) = (pair / tiles, pair % tiles);
                let now =
                    |host: &Host| (host.versions[key], host.versions[tile], host.reach_version);
                if *seen != now(&host) {
                    rest = true;
                    self.visit(key as u32, tile as u32, &mut host, progress)?;
                    *seen = now(&host);
                }
            }
            if !rest {
                break;
            }
        }
        self.stats.solve = start.elapsed();
        let start = Instant::now();
        let store = sets(&host.rows, words);
        let solution = Solution { reached: expressions(&host.reached), store };
        self.stats.download = start.elapsed();
        Ok(solution)
    }

    /// Satisfies all operations for the keys of one tile and the columns of another.
    fn visit(
        &mut self,
        key: u32,
        tile: u32,
        host: &mut Host,
        progress: &mut dyn FnMut(&Progress),
    ) -> Result<(), Error> {
        self.stats.visits += 1;
        let state = self.state(key, tile);
        let (width, vars) = (self.tiling.words as usize, state.vars as usize);
        self.begin(&state, &host.reached)?;
        let columns = |host: &Host, tile: u32| -> Vec<u32> {
            let rows = host.rows.chunks(host.words);
            rows.flat_map(|row| row[tile as usize * width..][..width].iter().copied()).collect()
        };
        let mut grown = columns(host, tile);
        self.machine.write(state.sigma, &grown)?;
        // All of a row that is not empty counts.
        let some = |row: &[u32]| row.iter().any(|word| *word != 0);
        let lows: Vec<u32> =
            grown.chunks(width).map(|row| if some(row) { u32::MAX } else { 0 }).collect();
        let highs: Vec<u32> =
            lows.iter().map(|low| if *low != 0 { width as u32 / 4 } else { 0 }).collect();
        self.machine.write(state.sigma_lo, &lows)?;
        self.machine.write(state.sigma_hi, &highs)?;
        if key != tile {
            self.machine.write(state.keys, &columns(host, key))?;
        }
        self.run(&state, progress)?;
        let before = grown.clone();
        self.machine.read(state.sigma, &mut grown)?;
        if grown != before {
            host.versions[tile as usize] += 1;
            for (var, row) in grown.chunks(width).enumerate().take(vars) {
                host.rows[var * host.words + tile as usize * width..][..width].copy_from_slice(row);
            }
        }
        let before = host.reached.clone();
        self.machine.read(state.reached, &mut host.reached)?;
        if host.reached != before {
            host.reach_version += 1;
        }
        Ok(())
    }
}

/// How many words of the store are fetched at a time.
const PIECE: usize = 1 << 24;

/// The sets of some rows, made by several threads where there is much to do.
fn sets(rows: &[u32], words: usize) -> Vec<Set> {
    let cores = std::thread::available_parallelism().map_or(1, |cores| cores.get());
    let threads = cores.min(8).min(rows.len() >> 16).max(1);
    let share = (rows.len() / words).div_ceil(threads).max(1) * words;
    let some = |rows: &[u32]| rows.chunks(words).map(set).collect::<Vec<Set>>();
    if threads == 1 {
        return some(rows);
    }
    std::thread::scope(|scope| {
        let handles: Vec<_> =
            rows.chunks(share).map(|rows| scope.spawn(move || some(rows))).collect();
        let join = |handle: std::thread::ScopedJoinHandle<Vec<Set>>| {
            handle.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
        };
        handles.into_iter().flat_map(join).collect()
    })
}

fn set(row: &[u32]) -> Set {
    let used = row.iter().rposition(|word| *word != 0).map_or(0, |at| at + 1);
    let pairs = row[..used.next_multiple_of(2)].chunks(2);
    Set::from_words(
        &pairs.map(|pair| pair[0] as u64 | (pair[1] as u64) << 32).collect::<Vec<u64>>(),
    )
}

/// The last expression is not one of the program.
fn expressions(reached: &[u32]) -> Set {
    let all = reached[..reached.len() - 1].iter().enumerate();
    all.filter(|(_, reached)| **reached != 0).map(|(expr, _)| expr as u32).collect()
}

/// The widest tiles that fit.
fn tiling(image: &Image, items: u32, memory: u64) -> Result<Tiling, Error> {
    let bytes = |words| Layout::new(image, Tiling::new(image.values, words), items, 0).bytes;
    let all = row_words(image.values).max(4);
    if bytes(all) <= memory {
        return Ok(Tiling::new(image.values, all));
    }
    // Tiled there are four rows for each variable, and what does not depend on their width. Pieces are rounded up, so the
    // first guess may be a little too wide.
    let vars = image.vars.max(1) as u64;
    let fixed = bytes(4).saturating_sub(vars * 4 * 4 * 4);
    let guess = memory.saturating_sub(fixed) / (vars * 4 * 4) / 4 * 4;
    let mut words = guess.clamp(4, all as u64) as u32;
    while words > 4 && bytes(words) > memory {
        words -= 4;
    }
    if bytes(words) > memory {
        return Err(Error::Memory { needed: bytes(words), free: memory });
    }
    Ok(Tiling::new(image.values, words))
}

/// The kernels for the forms that a program has.
fn kernels(image: &Image, options: &Options) -> Vec<Kernel> {
    if options.unpartitioned {
        return vec![Kernel::Unpartitioned];
    }
    let some = |form: Form, kernel| (image.count(form as usize) > 0).then_some(kernel);
    let call =
        |count: usize, kernel| (image.count(Form::Call as usize + count) > 0).then_some(kernel);
    let outside = image.has_outside().then_some(Form::Expose);
    [
        call(0, Kernel::Calls0),
        call(1, Kernel::Calls1),
        call(2, Kernel::Calls2),
        call(3, Kernel::Calls3),
        call(4, Kernel::Calls4),
        some(Form::CallMany, Kernel::CallsMany),
        some(Form::CallSpread, Kernel::CallsSpread),
        some(Form::If, Kernel::Conditionals),
        some(Form::Map, Kernel::Maps),
        some(Form::Load, Kernel::Loads),
        some(Form::Store, Kernel::Stores),
        outside.and_then(|form| some(form, Kernel::Outside)),
    ]
    .into_iter()
    .flatten()
    .collect()
}
