//! The abstract transformers of instructions (001 §6.5), by lattice where it knows something.

use crate::Scope;
use crate::analysis::State;
use crate::fact::Fact;
use crate::known;
use crate::lattice::{Kind, Lattice, Operand, Operation};
use crate::llvm::Rule;
use crate::sources::CallShape;
use crate::summaries::Summary;
use lw_graph::Node;
use lw_ir::inst::CallInfo;
use lw_ir::ops::{CastOp, Horizontal, IntPred};
use lw_ir::types::Scalar;
use lw_ir::{Flags, Function, Inst, Op, Type, Value};
use lw_sparse::function::{arg, inst, instr, value, var};
use lw_sparse::meaning::{Arg, Expr, Meaning};
use lw_sparse::{Cx, Pos, Var, WithLayout};
use smallvec::SmallVec;

type Facts<L> = SmallVec<[Fact<L>; 4]>;

impl<L: Lattice> State<'_, L> {
    /// The fact about the result of an instruction that is no φ.
    pub(crate) fn define(&self, cx: &Cx<'_, Function, Fact<L>>, pos: Pos, v: Var) -> Fact<L> {
        if let Some(shape) = self.sources.values.get(&value(v)) {
            return Fact::plain(shape.clone());
        }
        let at = cx.code.block(pos);
        let this = inst(cx.code.instr(pos));
        let data = &self.function[this];
        if let Some(gpu) = self.options.llvm {
            return match gpu.rule(self.function, this) {
                Rule::Varying => Fact::plain(L::varying()),
                Rule::Uniform => Fact::plain(L::uniform()),
                Rule::OfOperands => self.of_operands(cx, at, &data.args),
            };
        }
        let mut facts: Facts<L> = SmallVec::new();
        for &operand in &data.args {
            if self.function.as_constant(operand).is_some() {
                facts.push(self.constant(operand));
                continue;
            }
            let mut fact = cx.of(var(operand)).clone();
            if data.total {
                fact.join(&self.own_fact(var(operand)));
            }
            facts.push(fact);
        }
        if facts.iter().any(Fact::is_bottom) {
            return Fact::bottom();
        }
        let mut fact = self.result(this, at, &facts);
        self.reduce(v, &mut fact);
        let horizontal = matches!(data.op, Op::Horizontal(_));
        let everywhere = || data.args.iter().all(|&operand| self.is_everywhere(operand));
        if data.total && !horizontal && !everywhere() {
            return fact.scatter();
        }
        fact
    }

    /// Uniform if all operands are: all that LLVM knows of most instructions.
    fn of_operands(&self, cx: &Cx<'_, Function, Fact<L>>, at: Node, operands: &[Value]) -> Fact<L> {
        let mut uniform = self.control.scrambled(at).is_none();
        for &operand in operands {
            if self.function.as_constant(operand).is_none() {
                let fact = cx.of(var(operand));
                if fact.is_bottom() {
                    return Fact::bottom();
                }
                uniform &= fact.is_uniform();
            }
        }
        Fact::plain(if uniform { L::uniform() } else { L::varying() })
    }

    fn result(&self, this: Inst, at: Node, facts: &[Fact<L>]) -> Fact<L> {
        let data = &self.function[this];
        match &data.op {
            Op::Alloca(_) => match self.objects.of_alloca(this) {
                Some(object) => {
                    let shape = L::constant(self.bits(data.ty).unwrap_or(64), 0);
                    Fact { shape, own: object.into() }
                }
                None => Fact::plain(L::varying()),
            },
            Op::Load(access) => Fact::plain(if access.is_simple() {
                self.load(at, data.args[0], &facts[0])
            } else {
                L::varying()
            }),
            Op::Call(info) | Op::Invoke(info) => Fact::plain(self.call(this, at, info, facts)),
            Op::AtomicRmw(..) | Op::CmpXchg(_) | Op::VaArg | Op::LandingPad(_) | Op::Opaque(_) => {
                Fact::plain(L::varying())
            }
            Op::Mask => {
                let varies = self.activation_varies(at) || self.predicate_varies[at.index()];
                Fact::plain(if varies { L::varying() } else { L::uniform() })
            }
            Op::Horizontal(op) => Fact::plain(self.horizontal(*op, data.ty, at, facts)),
            Op::Gep(_) => self.address(this, facts),
            Op::Select => self.select(this, facts),
            Op::Freeze if !facts[0].own.is_empty() => facts[0].clone(),
            Op::ICmp(pred) => Fact::plain(self.compare(*pred, this, facts)),
            Op::Binary(op) => Fact::plain(self.pure(Kind::Binary(*op), this, facts)),
            Op::Cast(op) => Fact::plain(self.pure(Kind::Cast(*op), this, facts)),
            Op::Freeze => Fact::plain(self.pure(Kind::Freeze, this, facts)),
            _ => Fact::plain(self.pure(Kind::Other, this, facts)),
        }
    }

    fn operands(&self, this: Inst, facts: &[Fact<L>]) -> SmallVec<[Operand<L>; 4]> {
        let args = self.function[this].args.iter();
        args.zip(facts).map(|(&operand, fact)| self.operand(operand, fact.value())).collect()
    }

    fn operand(&self, operand: Value, shape: L) -> Operand<L> {
        let bits = self.bits(self.function.ty(operand));
        let constant = match arg(self.function, operand) {
            Arg::Int(constant) => u64::try_from(constant).ok().filter(|_| bits.is_some()),
            Arg::Null => Some(0),
            _ => None,
        };
        Operand { shape, bits, constant }
    }

    fn pure(&self, kind: Kind<'_>, this: Inst, facts: &[Fact<L>]) -> L {
        let data = &self.function[this];
        let mut flags = data.flags;
        if matches!(kind, Kind::Cast(CastOp::ZExt)) && self.is_nonnegative(data.args[0]) {
            flags |= Flags::NNEG;
        }
        L::transfer(&Operation {
            kind,
            flags,
            bits: self.bits(data.ty),
            args: &self.operands(this, facts),
            threads: self.options.threads,
        })
    }

    /// Offsets into the same object compare like the addresses, for equality.
    fn compare(&self, pred: IntPred, this: Inst, facts: &[Fact<L>]) -> L {
        let same_object = facts[0].own == facts[1].own && facts[0].own.iter().count() == 1;
        if same_object && matches!(pred, IntPred::Eq | IntPred::Ne) {
            let offsets: SmallVec<[Fact<L>; 4]> =
                facts.iter().map(|fact| Fact::plain(fact.shape.clone())).collect();
            return self.pure(Kind::Compare(pred), this, &offsets);
        }
        self.pure(Kind::Compare(pred), this, facts)
    }

    fn select(&self, this: Inst, facts: &[Fact<L>]) -> Fact<L> {
        let data = &self.function[this];
        if data.args[1] == data.args[2] && facts[0].is_uniform() {
            return facts[1].clone();
        }
        if facts[1].own.is_empty() && facts[2].own.is_empty() {
            return Fact::plain(self.pure(Kind::Select, this, facts));
        }
        let mut both = facts[1].clone();
        both.join(&facts[2]);
        let scalar = self.function.ty(data.args[0]) == Type::I1;
        if facts[0].is_uniform() && scalar { both } else { both.scatter() }
    }

    fn address(&self, this: Inst, facts: &[Fact<L>]) -> Fact<L> {
        let data = &self.function[this];
        let own = facts[0].own;
        let computed = match &self.options.layout {
            Some(layout) => {
                let program = WithLayout { function: self.function, layout };
                address_parts(program.expr(instr(this)))
            }
            None => address_parts(self.function.expr(instr(this))),
        };
        let Some((offset, indices)) = computed else {
            let uniform = facts.iter().all(|fact| fact.shape.is_uniform());
            let scalar = data.ty == Type::PTR;
            return if own.is_empty() {
                Fact::plain(self.pure(Kind::Other, this, facts))
            } else if uniform && scalar {
                Fact { shape: L::uniform(), own }
            } else {
                Fact::plain(L::varying())
            };
        };
        let mut args: SmallVec<[Operand<L>; 4]> = SmallVec::new();
        args.push(self.operand(data.args[0], facts[0].shape.clone()));
        let mut scales: SmallVec<[i128; 4]> = SmallVec::new();
        for (&operand, fact) in data.args[1..].iter().zip(&facts[1..]) {
            // The variables among the indices, in the same order.
            if let Some(&(_, _, scale)) = indices.get(scales.len())
                && arg(self.function, operand) == indices[scales.len()].0
                && self.function.as_constant(operand).is_none()
            {
                args.push(self.operand(operand, fact.value()));
                scales.push(scale);
            }
        }
        if scales.len() != indices.len() {
            let uniform = facts.iter().all(|fact| fact.shape.is_uniform());
            let shape = if uniform { L::uniform() } else { L::varying() };
            return Fact { shape, own };
        }
        let shape = L::transfer(&Operation {
            kind: Kind::Address { offset, scales: &scales },
            flags: data.flags,
            bits: self.bits(data.ty),
            args: &args,
            threads: self.options.threads,
        });
        Fact { shape, own }
    }

    /// [DA-LOAD-D] and [DA-LOAD-U].
    fn load(&self, at: Node, pointer: Value, address: &Fact<L>) -> L {
        let lies_in = |spaces: &[u32]| match self.function.ty(pointer) {
            Type::Scalar(Scalar::Ptr(space)) => spaces.contains(&space),
            _ => false,
        };
        let private = lies_in(&self.options.private_spaces);
        let same = if address.own.is_empty() && private {
            false
        } else if address.own.is_empty() {
            // Threads that load at different times may find different values.
            let unwritten = !self.writes_shared || lies_in(&self.options.constant_spaces);
            address.is_uniform() && (unwritten || self.at_once(at))
        } else {
            let mut own = address.own.iter();
            address.shape.is_uniform() && own.all(|object| self.objects.varying(object).is_none())
        };
        if same { L::uniform() } else { L::varying() }
    }

    /// Whether all threads that execute a block in the same iteration do it at the same time.
    fn at_once(&self, at: Node) -> bool {
        self.options.scope == Scope::Warp && self.control.desynchronized(at).is_none()
    }

    fn call(&self, this: Inst, at: Node, info: &CallInfo, facts: &[Fact<L>]) -> L {
        let of_arguments = || {
            let uniform = facts.iter().all(Fact::is_uniform);
            if uniform { L::uniform() } else { L::varying() }
        };
        let name = known::callee(self.function, this).unwrap_or_default();
        match self.sources.calls.get(name) {
            Some(CallShape::Fixed(shape)) => return shape.clone(),
            Some(CallShape::OfArguments) => return of_arguments(),
            Some(CallShape::OfDimension(shapes)) => return self.of_dimension(this, shapes),
            Some(CallShape::OfMask(mask)) => {
                let agreed = mask.is_none_or(|i| facts.get(i + 1).is_some_and(Fact::is_uniform));
                return if agreed && self.at_once(at) { L::uniform() } else { L::varying() };
            }
            None if known::is_of_target(name) => return L::varying(),
            None if known::is_pure(name) => return of_arguments(),
            None => {}
        }
        if let Some(summary) = self.summary(this, name, info, facts) {
            let varies = summary.sees_others && !self.at_once(at);
            return if varies { L::varying() } else { summary.result };
        }
        let mut promises = self.function.call_promises(this);
        let convergent = promises.any(|attrs| attrs.has("convergent"));
        let memory = self.function.call_memory(this);
        let reads_nothing = !memory.reads && !memory.writes;
        if reads_nothing && !convergent { of_arguments() } else { L::varying() }
    }

    /// A register in the dimension that the argument names.
    fn of_dimension(&self, this: Inst, shapes: &[L; 3]) -> L {
        let named = self.function[this].args.get(1).map(|&operand| arg(self.function, operand));
        match named {
            Some(Arg::Int(dimension)) if dimension < 3 => shapes[dimension as usize].clone(),
            _ => L::varying(),
        }
    }

    /// What a function of the module yields for arguments like these.
    fn summary(
        &self,
        this: Inst,
        name: &str,
        info: &CallInfo,
        facts: &[Fact<L>],
    ) -> Option<Summary<L>> {
        let data = &self.function[this];
        let passed = data.args.len() - 1 - info.bundle_operands();
        let args: Vec<L> = facts[1..=passed].iter().map(Fact::value).collect();
        let types: Vec<Type> =
            data.args[1..=passed].iter().map(|&operand| self.function.ty(operand)).collect();
        self.callees?.call(name, &types, data.ty, &args)
    }

    /// Operations across threads: what one thread gets, all that take part get.
    fn horizontal(&self, op: Horizontal, ty: Type, at: Node, facts: &[Fact<L>]) -> L {
        let uniform = match op {
            Horizontal::Lane if self.sources.lane.is_some() => {
                return self.sources.lane.clone().unwrap_or_else(L::varying);
            }
            Horizontal::Lane => {
                return self.bits(ty).map_or_else(L::varying, |b| L::lane(b, self.options.threads));
            }
            Horizontal::Lanes if self.options.scope == Scope::Warp => return L::uniform(),
            Horizontal::Any
            | Horizontal::All
            | Horizontal::Ballot
            | Horizontal::Popcount
            | Horizontal::Broadcast
            | Horizontal::Reduce(_) => true,
            Horizontal::Extract | Horizontal::Shuffle => facts[1].is_uniform(),
            Horizontal::Insert | Horizontal::Compact | Horizontal::Lanes => false,
        };
        // Who takes part depends on when it is executed.
        if uniform && self.at_once(at) { L::uniform() } else { L::varying() }
    }

    /// Whether a value is what its fact says on all threads, also those that execute nothing at the moment.
    fn is_everywhere(&self, operand: Value) -> bool {
        let Some(defined) = self.function.def_inst(operand) else { return true };
        let data = &self.function[defined];
        if data.total || data.op == Op::Mask {
            return true;
        }
        let Some(at) = self.function.block_of(defined).map(lw_sparse::function::node) else {
            return false;
        };
        !self.has_predicates && !self.activation_varies(at)
    }
}

/// The constant part of an address, and the scale of each index that varies.
type Parts = (i128, SmallVec<[(Arg, u32, i128); 2]>);

fn address_parts(expr: Expr<'_>) -> Option<Parts> {
    match expr {
        Expr::Address { offset, indices, .. } => Some((offset, indices)),
        _ => None,
    }
}
