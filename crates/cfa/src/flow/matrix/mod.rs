//! The linear encoding of 004 §6, bit-parallel.
//!
//! The transfer functions are partitioned by form: calls by the number of their arguments, conditionals, copies, loads, stores, maps. A
//! round has three steps. The functions of the active operations find what flows where, 𝐚ᵢ = 𝐯_f × 𝐕𝐚𝐫ᵢ ([`forms`]); then rows of
//! bits are united, 𝛔 + 𝐚ᵢ ⊗ 𝐯ᵢ; then what was found activates the operations that read it. Rounds go on until nothing is active.
//!
//! The columns of 𝛔 are cut into tiles ([`tile`]) which have nothing to do with one another when rows are united. So each thread has
//! tiles of its own, and nothing is locked. Rounds with little to do stay with one thread.

mod crew;
mod forms;
mod tile;

use super::image::{FLAG, FORMS, Image};
use super::{Program, Set, Solution, Var};
use crew::Crew;
use std::sync::Arc;
use tile::Tile;

/// What a round finds.
#[derive(Default)]
struct Found {
    /// What flows: to a variable, from one, all of it or with `FLAG` only what is new.
    items: Vec<(u32, u32)>,
    /// Values for variables.
    puts: Vec<(u32, u32)>,
    /// Expressions that are reached now.
    fresh: Vec<u32>,
}

struct Solver<'a> {
    image: &'a Image,
    tiles: Vec<Tile>,
    threads: usize,
    crew: Crew,
    /// Words of a row.
    words: usize,
    reached: Vec<bool>,
    round: u32,
    /// The last round in which each variable had news; whether it has values at all.
    news: Vec<u32>,
    some: Vec<bool>,
    /// For which round each operation was put on its list, and in which it is applied for the first time.
    stamp: Vec<u32>,
    started: Vec<u32>,
    active: [Vec<u32>; FORMS],
    found: Found,
}

/// From so many words on, threads share the work of a round.
const MUCH: usize = 1 << 18;
/// Rows of fewer words are not cut: they would take longer.
const LONG: usize = 256;
/// The words of a row that a tile has at least, and at most: rows of it should fit the first cache.
const NARROW: usize = 64;
const WIDE: usize = 2048;

pub(super) fn solve(program: &Program, threads: usize) -> Solution {
    solve_sharing(program, threads, MUCH)
}

fn solve_sharing(program: &Program, threads: usize, much: usize) -> Solution {
    let image = Image::new(program);
    let (vars, ops) = (image.vars as usize, image.ops[0].len());
    let words = (image.values as usize).div_ceil(64).max(1);
    let wanted = if threads > 1 && words >= LONG { 2 * threads } else { 1 };
    let width = words.div_ceil(wanted).clamp(NARROW, WIDE);
    let starts = (0..words).step_by(width);
    let mut solver = Solver {
        image: &image,
        tiles: starts.map(|first| Tile::new(vars, first, width.min(words - first))).collect(),
        threads,
        crew: Crew::default(),
        words,
        reached: vec![false; image.exprs as usize],
        round: 0,
        news: vec![0; vars],
        some: vec![false; vars],
        stamp: vec![0; ops],
        started: vec![0; ops],
        active: Default::default(),
        found: Found::default(),
    };
    // What holds from the start is the last expression.
    solver.reached[image.exprs as usize - 1] = true;
    solver.found.fresh.push(image.exprs - 1);
    solver.start();
    while solver.active.iter().any(|list| !list.is_empty()) {
        solver.round += 1;
        solver.apply();
        solver.flow(much);
        solver.activate_readers();
        solver.start();
    }
    let exprs = (0..program.exprs()).filter(|expr| solver.reached[*expr as usize]);
    let set = |var: usize| solver.set(var);
    Solution { reached: exprs.collect(), store: (0..vars).map(set).collect() }
}

impl Solver<'_> {
    fn activate(&mut self, op: u32) {
        let next = self.round + 1;
        if std::mem::replace(&mut self.stamp[op as usize], next) != next {
            let form = self.image.form_start.partition_point(|start| *start <= op) - 1;
            self.active[form].push(op);
        }
    }

    /// Expressions that are new start, and those they go on with.
    fn start(&mut self) {
        let image = self.image;
        while let Some(expr) = self.found.fresh.pop() {
            for op in image.expr_ops.of(expr) {
                self.started[*op as usize] = self.round + 1;
                self.activate(*op);
            }
            for to in image.gotos.of(expr) {
                if !std::mem::replace(&mut self.reached[*to as usize], true) {
                    self.found.fresh.push(*to);
                }
            }
        }
    }

    /// Rows are united, and what is found becomes part of the store.
    fn flow(&mut self, much: usize) {
        // What is new is little as a rule.
        let whole = self.found.items.iter().filter(|(_, src)| src & FLAG == 0).count();
        if self.threads > 1 && self.tiles.len() > 1 && whole * self.words >= much {
            let found = Arc::new(std::mem::take(&mut self.found));
            let threads = self.threads.min(self.tiles.len());
            self.crew.flow(&mut self.tiles, &found, threads);
            // All threads are done with it, so its memory is used again.
            self.found = Arc::try_unwrap(found)
                .unwrap_or_else(|found| Found { fresh: found.fresh.clone(), ..Found::default() });
        } else {
            self.tiles.iter_mut().for_each(|tile| tile.flow(&self.found));
        }
        self.found.items.clear();
        self.found.puts.clear();
    }

    /// What reads a variable that changed is active in the next round; loads if a field of theirs did.
    fn activate_readers(&mut self) {
        let image = self.image;
        let next = self.round + 1;
        for tile in 0..self.tiles.len() {
            for at in 0..self.tiles[tile].dirty.len() {
                let var = self.tiles[tile].dirty[at];
                if std::mem::replace(&mut self.news[var as usize], next) == next {
                    continue;
                }
                self.some[var as usize] = true;
                let kind = image.field_kind[var as usize];
                let loads = image.kind_readers.starts.get(kind as usize).map(|_| kind);
                let loads = loads.map_or(&[][..], |kind| image.kind_readers.of(kind));
                for op in image.readers.of(var).iter().chain(loads) {
                    // Those that start now see everything anyway.
                    if self.started[*op as usize] != 0 {
                        self.activate(*op);
                    }
                }
            }
        }
    }

    /// The values of a variable.
    fn set(&self, var: usize) -> Set {
        if !self.some[var] {
            return Set::default();
        }
        let mut row = vec![0; self.tiles.iter().map(|tile| tile.end(var)).max().unwrap_or(0)];
        self.tiles.iter().for_each(|tile| tile.copy_to(var, &mut row));
        Set::from_words(&row)
    }

    fn is_new(&self, var: Var) -> bool {
        self.news[var as usize] == self.round
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::flow::{Engine, solve};
    use crate::generate;

    /// However small the work, threads share it.
    #[test]
    fn threads_that_share_every_round() {
        for seed in 0..200 {
            let program = generate::spaced(generate::flow(seed), 400);
            let expected = solve(&program, Engine::Reference);
            assert_eq!(solve_sharing(&program, 3, 1), expected, "seed {seed}");
        }
    }
}
