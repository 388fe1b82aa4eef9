//! How blocks begin and end: stack memory and limits of loops in the entry, predicates, terminators.

use super::body::{Body, Cell, Class};
use super::palette::OUT_BYTES;
use super::skeleton::Role;
use crate::constant::{Constant, ConstantKind};
use crate::entities::{Block, Value};
use crate::flags::Flags;
use crate::inst::{Access, InstData, Op};
use crate::ops::{BinOp, CastOp, IntPred};
use crate::types::Type;
use std::cmp::Ordering;

impl Body<'_> {
    /// What all of the function needs.
    pub(super) fn prologue(&mut self) {
        let params = self.f.params().to_vec();
        if self.this.is_some() {
            self.own = Some(params[1]);
            self.table = Some(params[2]);
        } else {
            self.table = Some(params[1]);
            let args = [params[0], params[2]];
            let own = self.palette.own;
            let flags = if self.rng.one_in(2) { Flags::INBOUNDS } else { Flags::NONE };
            let inst = self.push(InstData::new(Op::Gep(own), Type::PTR, &args).with_flags(flags));
            self.own = Some(self.f.result(inst));
        }
        if self.skeleton.loops.iter().any(|l| l.in_memory) {
            let fuel = self.stack_slot(Type::I32, 1, 4);
            let amount = 3 + self.rng.below(12) as i128;
            let amount = self.int(Type::I32, amount);
            let data = InstData::new(Op::Store(Access::aligned(4)), Type::Void, &[amount, fuel]);
            self.push(data);
            self.fuel = Some(fuel);
        }
        for _ in 0..self.skeleton.loops.len() {
            let limit = self.limit();
            self.limits.push(limit);
        }
        if self.options.memory {
            for _ in 0..self.rng.below(3) {
                self.stack_memory();
            }
            if self.options.records && self.rng.one_in(2) {
                self.address_inst();
            }
        }
        if self.options.shared_atomic && self.this.is_none() && self.rng.one_in(2) {
            self.shared_atomic();
        }
    }

    /// How often a loop may go round: a constant, or a number that differs from thread to thread.
    fn limit(&mut self) -> Value {
        let ty = Type::I32;
        if self.rng.one_in(2) {
            let limit = 1 + self.rng.below(4) as i128;
            return self.int(ty, limit);
        }
        let number = self.pick_safe(ty);
        let mask = self.int(ty, 3);
        let low = self.emit(Op::Binary(BinOp::And), ty, &[number, mask], Flags::NONE, false);
        let one = self.int(ty, 1);
        self.emit(Op::Binary(BinOp::Add), ty, &[low, one], Flags::NUW | Flags::NSW, false)
    }

    /// Gives some blocks with one successor a predicate, defined before or in the block itself.
    pub(super) fn begin_predicate(&mut self) {
        let counts = self.skeleton.loops.iter().any(|l| l.header == self.node);
        let single = self.skeleton.nodes[self.node].edges.len() == 1 && !counts;
        if !self.options.predicates || !single || self.is_entry() || !self.rng.one_in(3) {
            return;
        }
        let predicate = if self.rng.one_in(2) {
            self.pick_plain(Type::I1, true)
        } else {
            // The instructions up to the predicate are total.
            let numbers = self.scope_of(|k| k.ty == Type::I32 && k.cell.is_none());
            let safe: Vec<Value> =
                numbers.iter().map(|k| k.value).filter(|&v| !self.is_tainted(v)).collect();
            if safe.is_empty() {
                return;
            }
            let (a, b) = (safe[self.rng.below(safe.len())], safe[self.rng.below(safe.len())]);
            self.total = true;
            let pred = IntPred::ALL[self.rng.below(10)];
            let value = self.emit(Op::ICmp(pred), Type::I1, &[a, b], Flags::NONE, false);
            self.total = false;
            value
        };
        self.f.set_predicate(self.block, Some(predicate));
        self.predicated = true;
    }

    /// `value` where the thread is active, which it is.
    pub(super) fn mask_or(&mut self, value: Value, ty: Type) -> Value {
        let inst = self.push(InstData::new(Op::Mask, Type::I1, &[]));
        let mask = self.f.result(inst);
        let other = self.constant(ty, true);
        self.emit(Op::Select, ty, &[mask, value, other], Flags::NONE, false)
    }

    fn end(&mut self, op: Op, args: &[Value], targets: &[Block]) {
        self.push(InstData::new(op, Type::Void, args).with_targets(targets));
    }

    pub(super) fn terminator(&mut self, role: Role) {
        match role {
            Role::Plain => self.leave(),
            Role::Test(number) => self.test(number),
            Role::Trap => self.end(Op::Unreachable, &[], &[]),
            Role::Return => match self.f.signature.ret {
                Type::Void => self.end(Op::Ret, &[], &[]),
                ty => {
                    let value = self.pick(ty);
                    self.end(Op::Ret, &[value], &[]);
                }
            },
        }
    }

    /// Goes on with a loop, or leaves it.
    fn test(&mut self, number: usize) {
        let ty = Type::I32;
        let shape = self.skeleton.loops[number].clone();
        let condition = match (shape.in_memory, self.counters[number]) {
            (false, Some((count, next))) => {
                let counted = if shape.tested_first { count } else { next };
                let limit = self.limits[number];
                let (pred, a, b) = match self.rng.below(3) {
                    0 => (IntPred::Ult, counted, limit),
                    1 => (IntPred::Slt, counted, limit),
                    _ => (IntPred::Ugt, limit, counted),
                };
                self.emit(Op::ICmp(pred), Type::I1, &[a, b], Flags::NONE, false)
            }
            _ => {
                let Some(fuel) = self.fuel else {
                    return self.end(Op::Unreachable, &[], &[]);
                };
                let access = Access::aligned(4);
                let left = self.emit(Op::Load(access), ty, &[fuel], Flags::NONE, false);
                let minus = self.int(ty, -1);
                let args = [left, minus];
                let less = self.emit(Op::Binary(BinOp::Add), ty, &args, Flags::NONE, false);
                self.push(InstData::new(Op::Store(access), Type::Void, &[less, fuel]));
                let zero = self.int(ty, 0);
                self.emit(Op::ICmp(IntPred::Sgt), Type::I1, &[less, zero], Flags::NONE, false)
            }
        };
        let edges = self.skeleton.nodes[self.node].edges.clone();
        let (stay, go) = (self.blocks[edges[0]], self.blocks[edges[1]]);
        if self.rng.one_in(4) {
            let yes = self.int(Type::I1, -1);
            let args = [condition, yes];
            let inverse = self.emit(Op::Binary(BinOp::Xor), Type::I1, &args, Flags::NONE, false);
            return self.end(Op::CondBr, &[inverse], &[go, stay]);
        }
        self.end(Op::CondBr, &[condition], &[stay, go]);
    }

    /// A condition that is never undefined.
    fn condition(&mut self) -> Value {
        if self.rng.one_in(3) {
            return self.pick_plain(Type::I1, true);
        }
        let ty = if self.rng.one_in(2) { Type::I32 } else { self.palette.ints[0] };
        let (a, b) = if self.rng.one_in(2) {
            let number = self.small(2);
            let limit = self.rng.below(4) as i128;
            let ty = self.ty_of(number);
            (number, self.int(ty, limit))
        } else {
            (self.pick_safe(ty), self.pick_safe(ty))
        };
        let pred = IntPred::ALL[self.rng.below(10)];
        self.emit(Op::ICmp(pred), Type::I1, &[a, b], Flags::NONE, false)
    }

    /// A number that differs from thread to thread: this one plus that of the thread.
    fn by_thread(&mut self, value: Value) -> Value {
        let ty = self.ty_of(value);
        let width = ty.int_bits().unwrap_or(64);
        if self.this.is_some() {
            return value;
        }
        let thread = self.f.params()[2];
        let thread = match width.cmp(&64) {
            Ordering::Less => {
                let op = Op::Cast(CastOp::Trunc);
                self.emit(op, ty, &[thread], Flags::NONE, false)
            }
            Ordering::Equal => thread,
            Ordering::Greater => {
                let op = Op::Cast(CastOp::ZExt);
                self.emit(op, ty, &[thread], Flags::NONE, false)
            }
        };
        self.emit(Op::Binary(BinOp::Add), ty, &[value, thread], Flags::NONE, false)
    }

    /// A number below `2^bits` of some type.
    pub(super) fn small(&mut self, bits: u32) -> Value {
        let wide: Vec<Type> = (self.palette.ints.iter().copied())
            .filter(|ty| ty.int_bits().is_some_and(|b| b > bits))
            .collect();
        let ty = wide[self.rng.below(wide.len())];
        let value = self.pick_safe(ty);
        let value = if self.rng.one_in(3) { self.by_thread(value) } else { value };
        let mask = self.int(ty, (1 << bits) - 1);
        self.emit(Op::Binary(BinOp::And), ty, &[value, mask], Flags::NONE, false)
    }

    /// Chooses among the edges of a plain block.
    fn leave(&mut self) {
        let edges = self.skeleton.nodes[self.node].edges.clone();
        let is_trap = |&edge: &usize| self.skeleton.nodes[edge].role == Role::Trap;
        let traps: Vec<Block> =
            edges.iter().copied().filter(is_trap).map(|edge| self.blocks[edge]).collect();
        let targets: Vec<Block> = (edges.iter().copied())
            .filter(|edge| !is_trap(edge))
            .map(|edge| self.blocks[edge])
            .collect();
        if self.this.is_some() && self.is_entry() {
            // No more calls than there is fuel.
            let (fuel, zero) = (self.f.params()[0], self.int(Type::I32, 0));
            let args = [fuel, zero];
            let go = self.emit(Op::ICmp(IntPred::Sgt), Type::I1, &args, Flags::NONE, false);
            return self.end(
                Op::CondBr,
                &[go],
                &[targets[0], *targets.last().unwrap_or(&targets[0])],
            );
        }
        match (targets.as_slice(), traps.as_slice()) {
            ([], _) => self.end(Op::Unreachable, &[], &[]),
            ([only], []) => {
                // A jump may be written as a branch or a switch.
                if self.predicated || !self.rng.one_in(12) || self.is_phi_target(*only) {
                    return self.end(Op::Br, &[], &[*only]);
                }
                self.end(Op::Br, &[], &[*only]);
            }
            ([only], [trap, ..]) => {
                let number = self.small(3);
                let ty = self.ty_of(number);
                let limit = self.int(ty, 7);
                let args = [number, limit];
                let fine = self.emit(Op::ICmp(IntPred::Ule), Type::I1, &args, Flags::NONE, false);
                self.end(Op::CondBr, &[fine], &[*only, *trap]);
            }
            ([a, b], []) if !self.options.switches || !self.rng.one_in(4) => {
                let (a, b) = (*a, *b);
                if self.options.indirect_branches && self.rng.one_in(8) {
                    return self.indirect(&[a, b]);
                }
                let condition = self.condition();
                self.end(Op::CondBr, &[condition], &[a, b]);
            }
            _ => self.switch(&targets, &traps),
        }
    }

    fn is_phi_target(&self, block: Block) -> bool {
        self.f.phis(block).next().is_some()
    }

    fn switch(&mut self, targets: &[Block], traps: &[Block]) {
        let bits = if targets.len() > 4 { 4 } else { 3 };
        let value = self.small(bits);
        let ty = self.ty_of(value);
        let mut numbers: Vec<i128> = (0..1 << bits).collect();
        for i in (1..numbers.len()).rev() {
            numbers.swap(i, self.rng.below(i + 1));
        }
        let (mut args, mut to) = (vec![value], vec![targets[0]]);
        // Every edge once; for a single default the switch has no case.
        for (i, &target) in targets.iter().enumerate().skip(1) {
            args.push(self.int(ty, numbers[i]));
            to.push(target);
        }
        for (i, &trap) in traps.iter().enumerate() {
            // Never equal to the masked value.
            let number = match ty.int_bits() {
                Some(width) if width > bits + 3 => (1 << bits) + i as i128,
                _ => -1 - i as i128,
            };
            args.push(self.int(ty, number));
            to.push(trap);
        }
        self.end(Op::Switch, &args, &to);
    }

    /// A jump to the address of one of these blocks.
    fn indirect(&mut self, targets: &[Block]) {
        let addresses: Vec<Value> = (targets.iter())
            .map(|&block| {
                let kind = ConstantKind::BlockAddress(block);
                self.f.constant(Constant { ty: Type::PTR, kind })
            })
            .collect();
        let condition = self.condition();
        let args = [condition, addresses[0], addresses[1]];
        let inst = self.push(InstData::new(Op::Select, Type::PTR, &args));
        let address = self.f.result(inst);
        self.end(Op::IndirectBr, &[address], targets);
    }

    /// Writes some of what is known where it is seen after the run.
    pub(super) fn observe(&mut self) {
        let Some(own) = self.own else { return };
        // The last values more often than not where the function ends, else some.
        let last = self.skeleton.nodes[self.node].role == Role::Return;
        let (count, often) = if last { (16, 2) } else { (8, 5) };
        let first = self.scope.len().saturating_sub(count);
        for i in first..self.scope.len() {
            let known = self.scope[i];
            if known.cell.is_some() || known.ty.is_ptr() || !self.rng.one_in(often) {
                continue;
            }
            let Some(size) = self.module.layout.store_size(&self.f.types, known.ty) else {
                continue;
            };
            if size > OUT_BYTES {
                continue;
            }
            let room = OUT_BYTES - size;
            let at = self.rng.below(room as usize + 1) as i128;
            let field = self.palette.fields.len() as i128 + 1;
            let indices =
                [self.int(Type::I64, 0), self.int(Type::I32, field), self.int(Type::I64, at)];
            let args = [own, indices[0], indices[1], indices[2]];
            let gep = InstData::new(Op::Gep(self.palette.own), Type::PTR, &args)
                .with_flags(Flags::INBOUNDS);
            let inst = self.push(gep);
            let place = self.f.result(inst);
            let store = Op::Store(Access::aligned(1));
            self.push(InstData::new(store, Type::Void, &[known.value, place]));
        }
    }

    /// Stack memory for `len` values of a type. Where a function gets it on its way, it is aligned as a vector register: LLVM 22 passes
    /// large vectors on the stack by aligned stores, and forgets that such memory moves the end of the stack.
    pub(super) fn stack_slot(&mut self, ty: Type, len: i128, align: u64) -> Value {
        let on_its_way = self.f.entry() != Some(self.block);
        let align = if on_its_way { align.max(64) } else { align };
        let count = self.int(Type::I32, len);
        let info = crate::inst::AllocaInfo {
            ty,
            align_log2: align.trailing_zeros() as u8,
            inalloca: false,
            swifterror: false,
        };
        let inst = self.push(InstData::new(Op::Alloca(Box::new(info)), Type::PTR, &[count]));
        self.f.result(inst)
    }

    /// The cell behind a pointer into memory of a class.
    pub(super) fn cell(&self, ty: Type, class: Class, packed: bool) -> Cell {
        Cell { ty, class, packed, followed: false }
    }
}
