//! The divergent loop transform (001 §9.1): loops that threads leave in different iterations become uniform loops.
//!
//! ```text
//! P → H … L → H, exits B → X            P → NewH
//!                                       NewH:  live = φ [true, P] [live.upd, NewL] shadow(false)
//!                                              br any(live), Guard, Disp
//!                                       Guard: br live, H, NewL
//!                                       H … L → NewL, exits B → E → NewL
//!                                       NewL:  live.upd = φ [true, L] [false, Guard] [false, E]  → NewH
//!                                       Disp:  → X, by exit masks if there are several
//! ```
//!
//! A thread that leaves goes around with a false `live`, past the body, and takes along which exit it left by and what lived
//! out: a φ in NewH and one in NewL for each. All of them are executed actively by all threads that entered the loop, so
//! that the program is right under the freezing and under the oblivious interpretation. Exits that live threads take
//! together stay uniform branches: they skip what is left of the body, and the loop ends as nobody is live.
//!
//! The φs of H move to NewH and keep their names. For threads that have left they are poison; for live threads they have the shape
//! they had before, which an analysis of the result would not find.

use crate::edit::{self, Shape};
use lw_divergence::{Divergence, Stride};
use lw_graph::Loop;
use lw_ir::constant::Constant;
use lw_ir::ops::{Horizontal, IntPred};
use lw_ir::{Block, Function, InsertAt, Inst, InstData, Op, Type, Value};
use lw_sparse::function::{block, node};
use rustc_hash::FxHashMap;

/// What the transform did.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct DivergentLoops {
    /// How many loops were transformed.
    pub loops: usize,
    /// How many of them have several exits.
    pub several_exits: usize,
}

/// Makes all divergent loops of a canonical function uniform. Divergent branches are `br`s with two targets
/// ([`lower_switches`]).
pub fn transform_divergent_loops(
    function: &mut Function,
    divergence: &Divergence<Stride>,
) -> DivergentLoops {
    let shape = Shape::of(function);
    let loops = &shape.loops;
    let mut divergent: Vec<Loop> = divergence
        .divergent_loops()
        .filter_map(|(header, _)| loops.headed_by(node(header)))
        .collect();
    divergent.sort_by_key(|&l| std::cmp::Reverse(loops.loop_depth(l)));
    let mut transform = Transform::new(function, &shape);
    let mut done = DivergentLoops::default();
    for &l in &divergent {
        let exits = transform.apply(l);
        done.loops += 1;
        done.several_exits += usize::from(exits > 1);
    }
    edit::order_blocks(function);
    done
}

struct Transform<'a> {
    f: &'a mut Function,
    shape: &'a Shape,
    innermost: FxHashMap<Block, Option<Loop>>,
    /// By loop: its blocks, those of inner loops included.
    members: Vec<Vec<Block>>,
    /// By header of a loop that was there before: its predecessors.
    entered_from: FxHashMap<Block, Vec<Block>>,
}

/// An edge out of the loop: a block on it, where it leads, and what the φs there get.
struct Exit {
    on_edge: Block,
    to: usize,
    values: Vec<Value>,
}

impl<'a> Transform<'a> {
    fn new(f: &'a mut Function, shape: &'a Shape) -> Transform<'a> {
        let loops = &shape.loops;
        let innermost = f.blocks().iter().map(|&b| (b, loops.innermost(node(b)))).collect();
        let of = |l: Loop| loops.blocks(l).iter().map(|&n| block(n)).collect();
        let members = loops.loops().map(of).collect();
        let mut entered_from: FxHashMap<Block, Vec<Block>> =
            loops.loops().map(|l| (block(loops.header(l)), Vec::new())).collect();
        for &b in f.blocks() {
            for to in f.successors(b) {
                entered_from.entry(*to).and_modify(|from| from.push(b));
            }
        }
        Transform { f, shape, innermost, members, entered_from }
    }

    fn add_block(&mut self, beside: Block, suffix: &str, home: Option<Loop>) -> Block {
        let b = edit::block_beside(self.f, beside, suffix);
        self.innermost.insert(b, home);
        let loops = &self.shape.loops;
        for l in std::iter::successors(home, |&l| loops.parent(l)) {
            self.members[l.index()].push(b);
        }
        b
    }

    fn is_inside(&self, l: Loop, b: Block) -> bool {
        self.innermost[&b].is_some_and(|inner| self.shape.loops.encloses(l, inner))
    }

    fn retarget(&mut self, from: Block, old: Block, new: Block) {
        let terminator = self.f.terminator(from).expect("a block with successors has a terminator");
        for target in &mut self.f[terminator].targets {
            if *target == old {
                *target = new;
            }
        }
        self.entered_from.entry(old).and_modify(|all| all.retain(|&b| b != from));
        self.entered_from.entry(new).and_modify(|all| all.push(from));
    }

    fn phi(&mut self, at: Block, ty: Type, incoming: &[(Value, Block)]) -> Inst {
        let (args, blocks): (Vec<Value>, Vec<Block>) = incoming.iter().copied().unzip();
        let data = InstData::new(Op::Phi, ty, &args).with_targets(&blocks);
        self.f.insert(InsertAt::Start(at), data)
    }

    /// Transforms one loop; the number of its exits.
    fn apply(&mut self, l: Loop) -> usize {
        let loops = &self.shape.loops;
        let header = block(loops.header(l));
        let (inside, outside): (Vec<Block>, Vec<Block>) =
            self.entered_from[&header].iter().partition(|&&b| self.is_inside(l, b));
        let ([latch], [preheader]) = (&inside[..], &outside[..]) else {
            unreachable!("loops are in simplified form")
        };
        let (latch, preheader) = (*latch, *preheader);
        let new_header = self.add_block(header, "live", Some(l));
        let guard = self.add_block(header, "guard", Some(l));
        let new_latch = self.add_block(header, "next", Some(l));
        let (targets, exits) = self.rebound_exits(l, new_latch);
        self.retarget(preheader, header, new_header);
        self.retarget(latch, header, new_latch);

        let on = self.f.constant(Constant::bool(true));
        let off = self.f.constant(Constant::bool(false));
        self.move_header_phis(header, latch, new_header, new_latch, guard, &exits);
        let mut updates = vec![(on, latch), (off, guard)];
        updates.extend(exits.iter().map(|e| (off, e.on_edge)));
        let live_update = self.phi(new_latch, Type::I1, &updates);
        let live_update = self.f.result(live_update);
        let live = self.phi(new_header, Type::I1, &[(on, preheader), (live_update, new_latch)]);
        self.f[live].args.push(off);
        let live = self.f.result(live);

        // Which exit a thread took; the last is what is left.
        let mut masks = Vec::new();
        for to in 0..targets.len() - 1 {
            let of = |exit: &Exit| if exit.to == to { on } else { off };
            let leaving = exits.iter().map(|e| (of(e), e.on_edge)).collect();
            masks.push(self.track(new_header, new_latch, [preheader, latch, guard], off, leaving));
        }
        // What lived out. Threads take one exit each, so the φs of different exits share trackers by type.
        let slots = self.slots(&targets);
        let mut trackers = Vec::new();
        for (number, &ty) in slots.types.iter().enumerate() {
            let poison = self.f.constant(Constant::poison(ty));
            let of = |exit: &Exit| {
                let position = slots.of_phi[exit.to].iter().position(|&s| s == number);
                (position.map_or(poison, |i| exit.values[i]), exit.on_edge)
            };
            let leaving = exits.iter().map(of).collect();
            trackers.push(self.track(
                new_header,
                new_latch,
                [preheader, latch, guard],
                poison,
                leaving,
            ));
        }
        let first = self.dispatch(l, [header, new_header], &targets, &masks, &slots, &trackers);

        let stay = InstData::new(Op::Horizontal(Horizontal::Any), Type::I1, &[live]);
        let test = self.f.insert(InsertAt::End(new_header), stay);
        self.f[test].total = true;
        let stay = self.f.result(test);
        let leave = edit::branch(self.f, new_header, stay, [guard, first]);
        let skip = edit::branch(self.f, guard, live, [header, new_latch]);
        let back = edit::jump(self.f, new_latch, new_header);
        let latch = self.f.terminator(latch).expect("a latch has a terminator");
        for new in [test, leave, skip, back] {
            self.f[new] = self.f[new].clone().made_from(&self.f[latch]);
        }
        targets.len()
    }

    /// Redirects all edges out of the loop to the new latch, over a block each.
    fn rebound_exits(&mut self, l: Loop, new_latch: Block) -> (Vec<Block>, Vec<Exit>) {
        let mut edges: Vec<(Block, Block)> = Vec::new();
        for &b in &self.members[l.index()] {
            let outside = self.f.successors(b).iter().filter(|&&to| !self.is_inside(l, to));
            edges.extend(outside.map(|&to| (b, to)));
        }
        let mut targets: Vec<Block> = edges.iter().map(|&(_, to)| to).collect();
        targets.sort();
        targets.dedup();
        // The last is in the loop around this one, if there is one; so all of the dispatch is.
        let depth =
            |b: &Block| self.innermost[b].map_or(0, |inner| self.shape.loops.loop_depth(inner));
        targets.sort_by_key(depth);
        let numbers: FxHashMap<Block, usize> =
            targets.iter().enumerate().map(|(number, &to)| (to, number)).collect();
        let mut exits = Vec::new();
        let mut exits_to: Vec<Vec<usize>> = vec![Vec::new(); targets.len()];
        for (number, &(from, to)) in edges.iter().enumerate() {
            let on_edge = self.add_block(from, "leave", Some(l));
            self.retarget(from, to, on_edge);
            edit::jump(self.f, on_edge, new_latch);
            exits_to[numbers[&to]].push(number);
            exits.push(Exit { on_edge, to: numbers[&to], values: Vec::new() });
        }
        for (here, &to) in exits_to.iter().zip(&targets) {
            let from: Vec<Block> = here.iter().map(|&number| edges[number].0).collect();
            for phi in self.f.phis(to).collect::<Vec<_>>() {
                let values = edit::remove_all_incoming(self.f, phi, &from);
                here.iter().zip(values).for_each(|(&number, v)| exits[number].values.push(v));
            }
        }
        (targets, exits)
    }

    fn move_header_phis(
        &mut self,
        header: Block,
        latch: Block,
        new_header: Block,
        new_latch: Block,
        guard: Block,
        exits: &[Exit],
    ) {
        for phi in self.f.phis(header).collect::<Vec<_>>() {
            let next = edit::remove_incoming(self.f, phi, latch);
            let ty = self.f[phi].ty;
            let update = if self.f.as_constant(next).is_some() {
                next
            } else {
                let poison = self.f.constant(Constant::poison(ty));
                let mut updates = vec![(next, latch), (poison, guard)];
                updates.extend(exits.iter().map(|e| (poison, e.on_edge)));
                let update = self.phi(new_latch, ty, &updates);
                self.f.result(update)
            };
            edit::add_incoming(self.f, phi, update, new_latch);
            self.f.move_inst(phi, InsertAt::End(new_header));
        }
    }

    /// A pair of φs that keep what a thread left with: `[start, P]`, what `leaving` says at exits, and `start` while it is live.
    fn track(
        &mut self,
        new_header: Block,
        new_latch: Block,
        [preheader, latch, guard]: [Block; 3],
        start: Value,
        leaving: Vec<(Value, Block)>,
    ) -> Value {
        let ty = self.f.ty(start);
        let track = self.phi(new_header, ty, &[(start, preheader)]);
        let kept = self.f.result(track);
        let mut updates = vec![(start, latch), (kept, guard)];
        updates.extend(leaving);
        let update = self.phi(new_latch, ty, &updates);
        let update = self.f.result(update);
        edit::add_incoming(self.f, track, update, new_latch);
        kept
    }

    /// Which tracker each φ at an exit uses.
    fn slots(&self, targets: &[Block]) -> Slots {
        let mut slots = Slots { types: Vec::new(), of_phi: Vec::new() };
        for &to in targets {
            let mut used = vec![false; slots.types.len()];
            let mut mine = Vec::new();
            for phi in self.f.phis(to) {
                let ty = self.f[phi].ty;
                let free = (0..slots.types.len()).find(|&s| slots.types[s] == ty && !used[s]);
                let slot = free.unwrap_or_else(|| {
                    slots.types.push(ty);
                    used.push(false);
                    slots.types.len() - 1
                });
                used[slot] = true;
                mine.push(slot);
            }
            slots.of_phi.push(mine);
        }
        slots
    }

    /// The blocks behind the loop that send threads where they left to; the first of them.
    fn dispatch(
        &mut self,
        l: Loop,
        [header, new_header]: [Block; 2],
        targets: &[Block],
        masks: &[Value],
        slots: &Slots,
        trackers: &[Value],
    ) -> Block {
        let home = self.shape.loops.parent(l);
        let chain: Vec<Block> =
            targets.iter().map(|_| self.add_block(header, "dispatch", home)).collect();
        let count = targets.len();
        // What leaves the loop passes a φ right behind it.
        let first = chain[0];
        let close = |this: &mut Self, value: Value| {
            let ty = this.f.ty(value);
            let phi = this.phi(first, ty, &[(value, new_header)]);
            this.f.result(phi)
        };
        let masks: Vec<Value> = masks.iter().map(|&m| close(self, m)).collect();
        let trackers: Vec<Value> = trackers.iter().map(|&t| close(self, t)).collect();
        for (k, (&from, &to)) in chain.iter().zip(targets).enumerate() {
            for (phi, &slot) in
                self.f.phis(to).collect::<Vec<_>>().into_iter().zip(&slots.of_phi[k])
            {
                edit::add_incoming(self.f, phi, trackers[slot], from);
            }
            if k + 1 < count {
                edit::branch(self.f, from, masks[k], [to, chain[k + 1]]);
            } else {
                edit::jump(self.f, from, to);
            }
            self.entered_from.entry(to).and_modify(|all| all.push(from));
        }
        first
    }
}

struct Slots {
    types: Vec<Type>,
    /// By exit, by φ.
    of_phi: Vec<Vec<usize>>,
}

/// Turns divergent switches into chains of branches. Whether there were some.
pub fn lower_switches(function: &mut Function, divergence: &Divergence<Stride>) -> bool {
    let mut found = false;
    for b in function.blocks().to_vec() {
        let Some(terminator) = function.terminator(b) else { continue };
        if function[terminator].op == Op::Switch && divergence.is_divergent(b) {
            found = true;
            lower_switch(function, b, terminator);
        }
    }
    found
}

fn lower_switch(function: &mut Function, b: Block, switch: Inst) {
    let data = function[switch].clone();
    function.erase(switch);
    let (value, default) = (data.args[0], data.targets[0]);
    let mut at = b;
    for (&case, &to) in data.args[1..].iter().zip(&data.targets[1..]) {
        let next = edit::block_beside(function, b, "case");
        let compare = InstData::new(Op::ICmp(IntPred::Eq), Type::I1, &[value, case]);
        let compare = function.insert(InsertAt::End(at), compare.made_from(&data));
        let compare = function.result(compare);
        let branch = edit::branch(function, at, compare, [to, next]);
        function[branch] = function[branch].clone().made_from(&data);
        comes_from(function, to, b, at);
        at = next;
    }
    edit::jump(function, at, default);
    comes_from(function, default, b, at);
}

/// The edge into `to` that came from `old` now comes from `new`.
fn comes_from(function: &mut Function, to: Block, old: Block, new: Block) {
    for phi in function.phis(to).collect::<Vec<_>>() {
        let found = function[phi].targets.iter().position(|&t| t == old);
        if let Some(found) = found {
            function[phi].targets[found] = new;
        }
    }
}
