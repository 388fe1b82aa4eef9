//! [`lw_ir::Function`] as a program: SSA values are variables, constants are not.
//!
//! The node of a block and the number of an instruction are the indices of the entities. The branch on a comparison tests
//! what is compared, also through `and`, `or` and `not`; SSA makes sure that both still have the compared values at the
//! branch.

use crate::meaning::{Arg, Args, Compared, Expr, Fact, Link, Meaning, Simple, Term};
use crate::program::{Instr, Operand, Program, Reader, Test, Var};
use crate::registers::{negate, swap};
use crate::sizes::Sizes;
use cranelift_entity::EntityRef;
use lw_graph::{Graph, Node};
use lw_ir::attrs::Attr;
use lw_ir::constant::ConstantKind;
use lw_ir::ops::{BinOp, CastOp, IntPred};
use lw_ir::symbols::SymbolKind;
use lw_ir::types::{Scalar, Type};
use lw_ir::{Block, Function, Inst, InstData, Op, Value};
use rustc_hash::FxHashSet;
use smallvec::SmallVec;

/// The variable of a value that is a parameter or the result of an instruction.
#[inline]
pub fn var(value: Value) -> Var {
    Var::new(value.index())
}

/// The value of a variable.
#[inline]
pub fn value(var: Var) -> Value {
    Value::new(var.index())
}

/// The node of a block.
#[inline]
pub fn node(block: Block) -> Node {
    Node::new(block.index())
}

/// The block of a node.
#[inline]
pub fn block(node: Node) -> Block {
    Block::new(node.index())
}

/// The instruction of a number.
#[inline]
pub fn inst(instr: Instr) -> Inst {
    Inst::new(instr.index())
}

/// The number of an instruction.
#[inline]
pub fn instr(inst: Inst) -> Instr {
    Instr::new(inst.index())
}

/// How many `and`s, `or`s and `not`s a condition is followed through.
const CONDITION_DEPTH: u32 = 4;

#[inline]
fn is_variable(function: &Function, value: Value) -> bool {
    !function.is_constant(value)
}

/// From how many entries of a φ on it takes long to look through those before each.
const WIDE: usize = 16;

/// Calls `visit` with the entries of a φ that has these incoming blocks, by index. Parallel edges come with the same value
/// each: the first entry stands for all.
#[inline]
fn entries(incoming: &[Block], mut visit: impl FnMut(usize, Block)) {
    let wide = incoming.len() >= WIDE;
    // Mostly they are in the order of the blocks.
    let distinct = incoming.is_sorted_by(|a, b| a < b);
    let mut seen = FxHashSet::default();
    for (i, &from) in incoming.iter().enumerate() {
        let mut first = || if wide { seen.insert(from) } else { !incoming[..i].contains(&from) };
        if distinct || first() {
            visit(i, from);
        }
    }
}

/// A φ reads its shadow on each edge.
#[cold]
fn shadow_operands(function: &Function, phi: &InstData, visit: &mut dyn FnMut(Var, Node)) {
    if let Some(shadow) = phi.shadow().filter(|&s| is_variable(function, s)) {
        entries(&phi.targets, |_, from| visit(var(shadow), node(from)));
    }
}

/// Calls a function with each operand that is a variable.
struct Visitor<F>(F);

impl<F: FnMut(Operand)> Reader for Visitor<F> {
    fn uses(&mut self, var: Var, is_variable: bool) {
        if is_variable {
            (self.0)(Operand::Use(var));
        }
    }

    fn uses_from(&mut self, var: Var, from: Node) {
        (self.0)(Operand::UseFrom(var, from));
    }

    fn defines(&mut self, var: Var) {
        (self.0)(Operand::Def(var));
    }
}

impl Program for Function {
    fn graph(&self) -> Graph {
        let mut graph = Graph::from_edges(1, Node::new(0), []);
        self.graph_again(&mut graph);
        graph
    }

    fn graph_again(&self, graph: &mut Graph) {
        let Some(entry) = self.entry() else {
            *graph = Graph::from_edges(1, Node::new(0), []);
            return;
        };
        let n = self.block_count();
        if !self.blocks().is_sorted() {
            let edges = self.blocks().iter().flat_map(|&from| {
                self.successors(from).iter().map(move |&to| (node(from), node(to)))
            });
            *graph = Graph::from_edges(n, node(entry), edges);
            return;
        }
        graph.refill(node(entry), |rows| {
            rows.begin(n, n + n / 2);
            let mut blocks = self.blocks().iter().peekable();
            for number in 0..n {
                // A block that was removed has no successors.
                if let Some(&from) = blocks.next_if(|block| block.index() == number) {
                    self.successors(from).iter().for_each(|&to| rows.push(node(to)));
                }
                rows.end_row();
            }
        });
    }

    fn variable_count(&self) -> usize {
        self.value_count()
    }

    fn size(&self) -> usize {
        self.inst_count()
    }

    fn is_ssa(&self) -> bool {
        true
    }

    fn parameters(&self, visit: impl FnMut(Var)) {
        // They are the first values.
        (0..self.params().len()).map(Var::new).for_each(visit);
    }

    #[inline]
    fn instructions(&self, node: Node) -> impl Iterator<Item = Instr> + '_ {
        let insts = if self.block_count() == 0 { &[] } else { self.insts(block(node)) };
        insts.iter().map(|&inst| instr(inst))
    }

    #[inline]
    fn is_phi(&self, instr: Instr) -> bool {
        matches!(self[inst(instr)].op, Op::Phi)
    }

    #[inline]
    fn operands(&self, instr: Instr, visit: impl FnMut(Operand)) {
        self.read(instr, &mut Visitor(visit));
    }

    #[inline]
    fn read(&self, instr: Instr, reader: &mut impl Reader) {
        let inst = inst(instr);
        let data = &self[inst];
        if matches!(data.op, Op::Phi) {
            entries(&data.targets, |i, from| {
                if is_variable(self, data.args[i]) {
                    reader.uses_from(var(data.args[i]), node(from));
                }
            });
            if data.shadow().is_some() {
                shadow_operands(self, data, &mut |shadow, from| reader.uses_from(shadow, from));
            }
        } else {
            for &arg in &data.args {
                reader.uses(var(arg), is_variable(self, arg));
            }
            // The predicate of a block is read by its terminator, as far as live ranges go.
            if data.op.is_terminator()
                && let Some(predicate) = self.block_of(inst).and_then(|b| self.predicate(b))
            {
                reader.uses(var(predicate), is_variable(self, predicate));
            }
        }
        if let Some(result) = data.result.expand() {
            reader.defines(var(result));
        }
    }

    fn computed_from(&self, instr: Instr) -> Option<Var> {
        let data = &self[inst(instr)];
        let simple = match data.op {
            Op::Binary(op) => !op.is_float(),
            Op::Cast(CastOp::Trunc | CastOp::ZExt | CastOp::SExt) => true,
            _ => false,
        };
        if !simple || int_bits(data.ty).is_none_or(|bits| bits > 64) {
            return None;
        }
        let mut variables = data.args.iter().filter(|&&a| is_variable(self, a));
        let only = *variables.next()?;
        variables.next().is_none().then_some(var(only))
    }

    fn tests(&self, node: Node, mut visit: impl FnMut(Var, Test)) {
        if self.block_count() == 0 {
            return;
        }
        let Some(terminator) = self.terminator(block(node)) else { return };
        let data = &self[terminator];
        match data.op {
            Op::CondBr if data.targets[0] != data.targets[1] => {
                let mut variable = |value: Value, test: Test| {
                    if is_variable(self, value) {
                        visit(var(value), test);
                    }
                };
                tested(self, data.args[0], CONDITION_DEPTH, &mut variable);
            }
            Op::Switch if is_variable(self, data.args[0]) => {
                visit(var(data.args[0]), Test::Equality);
            }
            _ => {}
        }
    }
}

/// The comparison that decides where control goes from a block, with the condition that is its result.
#[inline]
fn comparison(function: &Function, node: Node) -> Option<(Value, Inst, IntPred)> {
    let data = &function[function.terminator(block(node))?];
    if !matches!(data.op, Op::CondBr) || data.targets[0] == data.targets[1] {
        return None;
    }
    let inst = function.def_inst(data.args[0])?;
    match function[inst].op {
        Op::ICmp(pred) if function[inst].ty == Type::I1 => Some((data.args[0], inst, pred)),
        _ => None,
    }
}

/// Calls `visit` with all values a condition says something about.
fn tested(function: &Function, condition: Value, depth: u32, visit: &mut impl FnMut(Value, Test)) {
    visit(condition, Test::Equality);
    let Some(inst) = function.def_inst(condition) else { return };
    let data = &function[inst];
    match data.op {
        Op::ICmp(pred) if data.ty == Type::I1 => {
            let equality = matches!(pred, IntPred::Eq | IntPred::Ne);
            let test = if equality { Test::Equality } else { Test::Other };
            data.args.iter().for_each(|&arg| visit(arg, test));
            for &compared in &data.args {
                links(function, compared, &mut |_, from| visit(from, Test::Through));
            }
        }
        Op::Binary(BinOp::And | BinOp::Or | BinOp::Xor) | Op::Select
            if depth > 0 && data.ty == Type::I1 =>
        {
            for &arg in &data.args {
                tested(function, arg, depth - 1, visit);
            }
        }
        Op::Cast(CastOp::Trunc) => {
            links(function, condition, &mut |_, from| visit(from, Test::Through));
        }
        Op::Call(_) if data.ty == Type::I1 && data.args.len() == 2 => {
            visit(data.args[1], Test::Other);
        }
        _ => {}
    }
}

/// Calls `visit` with what follows from a condition being `truth`.
fn follow<'p>(
    function: &'p Function,
    condition: Value,
    truth: bool,
    depth: u32,
    visit: &mut dyn FnMut(Fact<'p>),
) {
    let known = Arg::Int(truth.into());
    visit(Fact::Compare(IntPred::Eq, 1, [arg(function, condition), known]));
    let Some(inst) = function.def_inst(condition) else { return };
    let data = &function[inst];
    match data.op {
        Op::ICmp(pred) if data.ty == Type::I1 => {
            let bits = match int_width(function, data.args[0]) {
                Some(bits) => bits,
                None if is_pointer(function, data.args[0]) => 0,
                None => return,
            };
            let pred = if truth { pred } else { negate(pred) };
            let args = [arg(function, data.args[0]), arg(function, data.args[1])];
            visit(Fact::Compare(pred, bits, args));
        }
        // `a && b` and `a || b` of C.
        Op::Select if depth > 0 && data.ty == Type::I1 => {
            let constant = |i: usize| function.as_small_int(data.args[i]);
            let other = match (truth, constant(1), constant(2)) {
                (true, _, Some(0)) => 1,
                (false, Some(1), _) => 2,
                _ => return,
            };
            follow(function, data.args[0], truth, depth - 1, visit);
            follow(function, data.args[other], truth, depth - 1, visit);
        }
        // One false operand, or none, and one true operand, or none, say nothing about which.
        Op::Binary(BinOp::And) if depth > 0 && truth && data.ty == Type::I1 => {
            data.args.iter().for_each(|&a| follow(function, a, truth, depth - 1, visit));
        }
        Op::Binary(BinOp::Or) if depth > 0 && !truth && data.ty == Type::I1 => {
            data.args.iter().for_each(|&a| follow(function, a, truth, depth - 1, visit));
        }
        Op::Binary(BinOp::Xor)
            if depth > 0
                && data.ty == Type::I1
                && function.as_small_int(data.args[1]) == Some(1) =>
        {
            follow(function, data.args[0], !truth, depth - 1, visit);
        }
        Op::Call(_) if data.ty == Type::I1 && data.args.len() == 2 => {
            if let Some(name) = callee(function, inst) {
                visit(Fact::Checked(name, arg(function, data.args[1]), truth));
            }
        }
        _ => {}
    }
}

/// What a fact says of a variable from which its operands were computed.
fn through<'p>(
    function: &'p Function,
    fact: &Fact<'p>,
    about: Var,
    visit: &mut dyn FnMut(Fact<'p>),
) {
    let Fact::Compare(pred, bits, args) = fact else { return };
    for (side, compared) in args.iter().enumerate() {
        let &Arg::Var(compared) = compared else { continue };
        links(function, value(compared), &mut |link, from| {
            if var(from) == about {
                let pred = if side == 0 { *pred } else { swap(*pred) };
                let args = [Arg::Var(about), args[1 - side]];
                visit(Fact::Through(pred, *bits, link, args));
            }
        });
    }
}

/// Calls `visit` with the variables from which a value was computed in one step, and how.
#[inline]
fn links(function: &Function, value: Value, visit: &mut impl FnMut(Link, Value)) {
    let Some(inst) = function.def_inst(value) else { return };
    let data = &function[inst];
    let Some(bits) = int_bits(data.ty).filter(|&bits| bits <= 64) else { return };
    let mut give = |link: Link, from: Value| {
        if is_variable(function, from) {
            visit(link, from);
        }
    };
    match data.op {
        Op::Binary(op) => {
            let (a, b) = (data.args[0], data.args[1]);
            let constant = |v: Value| function.as_small_int(v).map(u128::from);
            let disjoint = data.flags.contains(lw_ir::Flags::DISJOINT);
            match (op, constant(a), constant(b)) {
                (BinOp::Add, _, Some(c)) => give(Link::Plus(c), a),
                (BinOp::Or, _, Some(c)) if disjoint => give(Link::Plus(c), a),
                (BinOp::Sub, Some(c), _) => give(Link::From(c), b),
                (BinOp::And, _, Some(c)) => give(Link::Mask(c), a),
                (BinOp::LShr, _, Some(c)) if c < u128::from(bits) => give(Link::Right(c as u32), a),
                (BinOp::And, None, None) => {
                    give(Link::Above, a);
                    give(Link::Above, b);
                }
                (BinOp::URem | BinOp::UDiv | BinOp::LShr, ..) => give(Link::Above, a),
                (BinOp::Or, ..) => {
                    give(Link::Below, a);
                    give(Link::Below, b);
                }
                _ => {}
            }
        }
        Op::Cast(op @ (CastOp::Trunc | CastOp::ZExt | CastOp::SExt)) => {
            if let Some(from) = int_width(function, data.args[0]).filter(|&bits| bits <= 64) {
                give(Link::Cast(op, data.flags, from), data.args[0]);
            }
        }
        // Names lie far apart.
        Op::Call(_)
            if function
                .as_symbol(data.args[0])
                .is_some_and(|s| function.symbols.is_intrinsic(s))
                && callee(function, inst).is_some_and(|n| n.starts_with("llvm.ctpop.")) =>
        {
            give(Link::Ones, data.args[1]);
        }
        _ => {}
    }
}

/// The intervals of a `range` attribute.
fn promises(attrs: &[Attr]) -> SmallVec<[(u128, u128); 1]> {
    let ranges = attrs.iter().find_map(|attr| match attr {
        Attr::Ranges(name, _, ranges) if &**name == "range" => Some(ranges),
        _ => None,
    });
    let number = |bits: &lw_ir::bits::Bits| bits.to_u128();
    let all = ranges.into_iter().flatten().map(|(lo, hi)| number(lo).zip(number(hi)));
    all.collect::<Option<_>>().unwrap_or_default()
}

fn callee(function: &Function, inst: Inst) -> Option<&str> {
    let symbol = function.as_symbol(*function[inst].args.first()?)?;
    function.symbols.get(symbol).name.as_str()
}

/// An operand in the shared vocabulary.
#[inline]
pub fn arg(function: &Function, value: Value) -> Arg {
    if let Some(small) = function.as_small_int(value) {
        return int_width(function, value).map_or(Arg::Other, |_| Arg::Int(small.into()));
    }
    let Some(constant) = function.as_constant(value) else { return Arg::Var(var(value)) };
    match (&constant.kind, constant.ty) {
        (ConstantKind::Int(_), Type::Scalar(Scalar::Int(bits))) if bits <= 128 => {
            constant.as_u128().map_or(Arg::Other, Arg::Int)
        }
        (ConstantKind::Zero, Type::Scalar(Scalar::Ptr(0))) => Arg::Null,
        (ConstantKind::Symbol(symbol), Type::Scalar(Scalar::Ptr(0))) => {
            Arg::Global(symbol.index() as u32)
        }
        _ => Arg::Other,
    }
}

/// An operand of a [`Simple`] expression.
#[inline]
fn term(function: &Function, value: Value) -> Term {
    match function.as_small_int(value) {
        Some(word) => Term::Int(word),
        None if function.is_constant(value) => Term::Other,
        None => Term::Var(var(value)),
    }
}

#[inline]
fn is_pointer(function: &Function, value: Value) -> bool {
    matches!(function.ty(value), Type::Scalar(Scalar::Ptr(_)))
}

/// The width of a value that is an integer of which something can be known.
#[inline]
pub(crate) fn int_width(function: &Function, value: Value) -> Option<u32> {
    function.int_bits(value).filter(|&bits| bits <= 128)
}

#[inline]
pub(crate) fn int_bits(ty: Type) -> Option<u32> {
    match ty {
        Type::Scalar(Scalar::Int(bits)) if bits <= 128 => Some(bits),
        _ => None,
    }
}

impl Meaning for Function {
    #[inline]
    fn width(&self, var: Var) -> Option<u32> {
        int_width(self, value(var))
    }

    fn is_pointer(&self, var: Var) -> bool {
        is_pointer(self, value(var))
    }

    #[inline]
    fn is_object(&self, var: Var) -> bool {
        self.def_inst(value(var)).is_some_and(|inst| matches!(self[inst].op, Op::Alloca(_)))
    }

    fn expr(&self, instr: Instr) -> Expr<'_> {
        expr(Sizes { function: self, layout: None }, instr)
    }

    // Who asks looks at the parts right away.
    #[inline(always)]
    fn simple(&self, instr: Instr) -> Simple {
        let data = &self[inst(instr)];
        match data.op {
            Op::Binary(op) if !op.is_float() => match int_bits(data.ty) {
                Some(bits) => {
                    let args = [term(self, data.args[0]), term(self, data.args[1])];
                    Simple::Binary(op, data.flags, bits, args)
                }
                None => Simple::Other,
            },
            Op::Cast(op @ (CastOp::Trunc | CastOp::ZExt | CastOp::SExt)) => {
                match (int_width(self, data.args[0]), int_bits(data.ty)) {
                    (Some(from), Some(to)) => {
                        Simple::Cast(op, data.flags, [from, to], term(self, data.args[0]))
                    }
                    _ => Simple::Other,
                }
            }
            Op::ICmp(pred) if data.ty == Type::I1 => match int_width(self, data.args[0]) {
                Some(bits) => {
                    let args = [term(self, data.args[0]), term(self, data.args[1])];
                    Simple::Compare(pred, bits, args)
                }
                None => Simple::Other,
            },
            _ => Simple::Other,
        }
    }

    fn dereferenced(&self, instr: Instr) -> Option<Arg> {
        let data = &self[inst(instr)];
        let pointer = match data.op {
            Op::Load(_) => data.args[0],
            Op::Store(_) => data.args[1],
            _ => return None,
        };
        (self.ty(pointer) == Type::PTR).then(|| arg(self, pointer))
    }

    #[inline]
    fn computes(&self, instr: Instr) -> bool {
        let data = &self[inst(instr)];
        match data.op {
            Op::Binary(_) | Op::Cast(_) | Op::Select | Op::Phi => true,
            Op::ICmp(_) => self.int_bits(data.args[0]).is_some(),
            Op::Call(_) => {
                self.as_symbol(data.args[0]).is_some_and(|s| self.symbols.is_intrinsic(s))
            }
            _ => false,
        }
    }

    #[inline]
    fn phi_arg(&self, phi: Instr, from: Node) -> Arg {
        let data = &self[inst(phi)];
        if data.shadow().is_some() {
            return Arg::Other;
        }
        let found = data.targets.iter().position(|&b| node(b) == from);
        found.map_or(Arg::Other, |i| arg(self, data.args[i]))
    }

    #[inline]
    fn chooses(&self, phi: Instr) -> bool {
        self[inst(phi)].shadow().is_none()
    }

    fn facts<'p>(&'p self, node: Node, position: usize, visit: &mut dyn FnMut(Fact<'p>)) {
        let Some(terminator) = self.terminator(block(node)) else { return };
        let data = &self[terminator];
        match data.op {
            Op::CondBr if data.targets[0] != data.targets[1] => {
                follow(self, data.args[0], position == 0, CONDITION_DEPTH, visit);
            }
            Op::Switch => {
                let Some(bits) = int_width(self, data.args[0]) else { return };
                let value = arg(self, data.args[0]);
                if position > 0 {
                    let case = arg(self, data.args[position]);
                    visit(Fact::Compare(IntPred::Eq, bits, [value, case]));
                } else {
                    for &case in &data.args[1..] {
                        visit(Fact::Compare(IntPred::Ne, bits, [value, arg(self, case)]));
                    }
                }
            }
            _ => {}
        }
    }

    fn compared(&self, node: Node) -> Option<Compared> {
        let (condition, inst, pred) = comparison(self, node)?;
        let args = &self[inst].args;
        let (bits, args) = match int_width(self, args[0]) {
            Some(bits) => (bits, [term(self, args[0]), term(self, args[1])]),
            None if is_pointer(self, args[0]) => (0, [Term::Other; 2]),
            None => return None,
        };
        Some(Compared { cond: var(condition), pred, bits, args })
    }

    fn compared_here(&self, node: Node) -> Option<Var> {
        let (condition, inst, _) = comparison(self, node)?;
        let compared = self[inst].args[0];
        let known = int_width(self, compared).is_some() || is_pointer(self, compared);
        (known && self.block_of(inst) == Some(block(node))).then(|| var(condition))
    }

    fn through<'p>(&'p self, fact: &Fact<'p>, about: Var, visit: &mut dyn FnMut(Fact<'p>)) {
        through(self, fact, about, visit);
    }

    fn follows<'p>(&'p self, cond: Var, truth: bool, visit: &mut dyn FnMut(Fact<'p>)) {
        follow(self, value(cond), truth, CONDITION_DEPTH, visit);
    }

    fn promised(&self, var: Var) -> SmallVec<[(u128, u128); 1]> {
        let Some(inst) = self.def_inst(value(var)) else {
            if !self.attrs.params.have_ranges() {
                return SmallVec::new();
            }
            return promises(self.attrs.param(var.index()));
        };
        let (Op::Call(info) | Op::Invoke(info)) = &self[inst].op else { return SmallVec::new() };
        let here = promises(&self.call_attrs(info.attrs).ret);
        if !here.is_empty() {
            return here;
        }
        match self.as_symbol(self[inst].args[0]).map(|s| &self.symbols.get(s).kind) {
            Some(SymbolKind::Function { attrs, .. }) => promises(&attrs.ret),
            _ => SmallVec::new(),
        }
    }

    #[inline]
    fn promises(&self, instr: Instr) -> bool {
        let data = &self[inst(instr)];
        let (Op::Call(info) | Op::Invoke(info)) = &data.op else { return false };
        // Mostly nothing does, and what has to be looked at lies somewhere else for each call.
        let (lists, symbols) = (&self.attr_lists, &self.symbols);
        lists.any_returns_range() && lists.returns_range(info.attrs)
            || symbols.any_returns_range()
                && self.as_symbol(data.args[0]).is_some_and(|s| symbols.returns_range(s))
    }

    fn global_size(&self, global: u32) -> Option<u64> {
        Sizes { function: self, layout: None }.global(global)
    }
}

/// What an instruction computes, given the sizes of types.
pub(crate) fn expr(sizes: Sizes<'_>, instr: Instr) -> Expr<'_> {
    let function = sizes.function;
    let inst = inst(instr);
    let data = &function[inst];
    let of = |i: usize| arg(function, data.args[i]);
    let bits = int_bits(data.ty);
    // A `total` instruction computes the same, for more threads.
    match &data.op {
        Op::Binary(op) if bits.is_some() && !op.is_float() => Expr::Binary {
            op: *op,
            flags: data.flags,
            bits: bits.unwrap_or(0),
            args: [of(0), of(1)],
        },
        Op::Cast(op @ (CastOp::Trunc | CastOp::ZExt | CastOp::SExt)) => {
            match (int_width(function, data.args[0]), bits) {
                (Some(from), Some(to)) => {
                    Expr::Cast { op: *op, flags: data.flags, from, to, arg: of(0) }
                }
                _ => Expr::Other,
            }
        }
        Op::ICmp(pred) if data.ty == Type::I1 => match function.ty(data.args[0]) {
            Type::Scalar(Scalar::Int(bits)) if bits <= 128 => {
                Expr::Compare { pred: *pred, bits, args: [of(0), of(1)] }
            }
            Type::Scalar(Scalar::Ptr(_)) => {
                Expr::Compare { pred: *pred, bits: 0, args: [of(0), of(1)] }
            }
            _ => Expr::Other,
        },
        Op::Select if function.ty(data.args[0]) == Type::I1 => {
            Expr::Select { cond: of(0), args: [of(1), of(2)] }
        }
        Op::Phi if data.shadow().is_none() => Expr::Phi,
        Op::Call(_) | Op::Invoke(_) => {
            let args: Args = data.args[1..].iter().map(|&a| arg(function, a)).collect();
            let callee = callee(function, inst);
            let target = callee.is_none().then(|| of(0));
            Expr::Call { callee, target, args }
        }
        Op::Alloca(info) => Expr::Alloc(sizes.extent(info.ty, data.args[0])),
        Op::Gep(elem) => sizes.address(*elem, inst).unwrap_or(Expr::Other),
        Op::Load(_) if function.ty(data.args[0]) == Type::PTR => {
            Expr::Load { pointer: of(0), bytes: sizes.stored(data.ty) }
        }
        Op::Store(_) if function.ty(data.args[1]) == Type::PTR => Expr::Store {
            pointer: of(1),
            value: of(0),
            bytes: sizes.stored(function.ty(data.args[0])),
        },
        _ => Expr::Other,
    }
}
