//! A small program that is not in SSA form: registers, blocks, and instructions that write registers.
//!
//! Tests, the figures of 003 and machine-like front ends build these.
//!
//! ```
//! use lw_sparse::meaning::Arg;
//! use lw_sparse::registers::{RegOp, Registers};
//! use lw_ir::ops::{BinOp, IntPred};
//!
//! let mut p = Registers::new(32); // 003 Fig. 2
//! let [a, b, c] = ["a", "b", "c"].map(|name| p.register(name));
//! let [start, head, body, end] = p.blocks();
//! p.set(start, a, RegOp::Copy, &[Arg::Int(1)]);
//! p.set(start, b, RegOp::Copy, &[Arg::Int(9)]);
//! p.jump(start, head);
//! p.branch(head, IntPred::Sgt, [Arg::Var(b), Arg::Int(0)], body, end);
//! p.set(body, c, RegOp::Binary(BinOp::Mul), &[Arg::Int(4), Arg::Var(a)]);
//! p.set(body, b, RegOp::Binary(BinOp::Sub), &[Arg::Var(b), Arg::Var(c)]);
//! p.jump(body, head);
//! p.exit(end, &[Arg::Var(b)]);
//! assert!(p.to_string().contains("b = sub b, c"));
//! ```

use crate::meaning::{Arg, Expr, Extent, Fact, Meaning};
use crate::program::{Instr, Operand, Program, Test, Var};
use lw_graph::{Graph, Node};
use lw_ir::Flags;
use lw_ir::ops::{BinOp, IntPred};
use smallvec::SmallVec;
use std::fmt;

/// What an instruction does.
#[derive(Clone, PartialEq, Debug)]
pub enum RegOp {
    /// Yields its operand.
    Copy,
    /// An operation on two integers.
    Binary(BinOp),
    /// A comparison of two integers; yields 0 or 1.
    Compare(IntPred),
    /// A call of a function.
    Call(String),
    /// A call of a method of the first operand.
    Method(String),
    /// Yields the address of new memory.
    New,
    /// Anything else: its results can be anything.
    Other,
    /// To the only successor.
    Jump,
    /// To the first successor if the comparison holds, else to the second.
    If(IntPred),
    /// To the first successor if a function says yes to the operand, else to the second.
    IfCall(String),
    /// To any successor.
    Choose,
    /// To successor *i* + 1 if the operand is case *i*, else to the first.
    Switch(Vec<u128>),
    /// Ends.
    Return,
}

#[derive(Clone, Debug)]
struct RegInst {
    op: RegOp,
    defs: SmallVec<[Var; 1]>,
    args: SmallVec<[Arg; 2]>,
}

/// A program over registers, all integers of one width (or pointers, as the operations see them).
#[derive(Clone, Debug)]
pub struct Registers {
    bits: u32,
    names: Vec<String>,
    params: Vec<Var>,
    insts: Vec<RegInst>,
    blocks: Vec<Vec<Instr>>,
    successors: Vec<Vec<Node>>,
}

impl Registers {
    /// A program without blocks whose integers have so many bits.
    pub fn new(bits: u32) -> Registers {
        Registers {
            bits,
            names: Vec::new(),
            params: Vec::new(),
            insts: Vec::new(),
            blocks: Vec::new(),
            successors: Vec::new(),
        }
    }

    /// A new register.
    pub fn register(&mut self, name: &str) -> Var {
        self.names.push(name.into());
        Var::new(self.names.len() - 1)
    }

    /// Gives a register a value on entry.
    pub fn add_param(&mut self, var: Var) {
        self.params.push(var);
    }

    /// A new block; the first is the entry.
    pub fn block(&mut self) -> Node {
        self.blocks.push(Vec::new());
        self.successors.push(Vec::new());
        Node::new(self.blocks.len() - 1)
    }

    /// New blocks.
    pub fn blocks<const N: usize>(&mut self) -> [Node; N] {
        std::array::from_fn(|_| self.block())
    }

    /// Appends an instruction.
    pub fn push(&mut self, block: Node, op: RegOp, defs: &[Var], args: &[Arg]) -> Instr {
        self.insts.push(RegInst { op, defs: defs.into(), args: args.into() });
        let instr = Instr::new(self.insts.len() - 1);
        self.blocks[block.index()].push(instr);
        instr
    }

    /// Appends `var = op args`.
    pub fn set(&mut self, block: Node, var: Var, op: RegOp, args: &[Arg]) -> Instr {
        self.push(block, op, &[var], args)
    }

    /// Ends a block with an instruction that goes to one of `to`.
    pub fn end(&mut self, block: Node, op: RegOp, args: &[Arg], to: &[Node]) -> Instr {
        self.successors[block.index()] = to.to_vec();
        self.push(block, op, &[], args)
    }

    /// Ends a block with a jump.
    pub fn jump(&mut self, block: Node, to: Node) -> Instr {
        self.end(block, RegOp::Jump, &[], &[to])
    }

    /// Ends a block with a comparison.
    pub fn branch(
        &mut self,
        block: Node,
        pred: IntPred,
        args: [Arg; 2],
        then: Node,
        otherwise: Node,
    ) -> Instr {
        self.end(block, RegOp::If(pred), &args, &[then, otherwise])
    }

    /// Ends the program.
    pub fn exit(&mut self, block: Node, args: &[Arg]) -> Instr {
        self.end(block, RegOp::Return, args, &[])
    }

    /// The name of a register.
    pub fn name(&self, var: Var) -> &str {
        &self.names[var.index()]
    }

    fn terminator(&self, block: Node) -> Option<&RegInst> {
        self.blocks[block.index()].last().map(|i| &self.insts[i.index()])
    }
}

impl Program for Registers {
    fn graph(&self) -> Graph {
        let edges = self.successors.iter().enumerate();
        let edges = edges.flat_map(|(from, to)| to.iter().map(move |&to| (Node::new(from), to)));
        Graph::from_edges(self.blocks.len(), Node::new(0), edges)
    }

    fn variable_count(&self) -> usize {
        self.names.len()
    }

    fn parameters(&self, visit: impl FnMut(Var)) {
        self.params.iter().copied().for_each(visit);
    }

    fn instructions(&self, block: Node) -> impl Iterator<Item = Instr> + '_ {
        self.blocks[block.index()].iter().copied()
    }

    fn operands(&self, instr: Instr, mut visit: impl FnMut(Operand)) {
        let inst = &self.insts[instr.index()];
        for &arg in &inst.args {
            if let Arg::Var(var) = arg {
                visit(Operand::Use(var));
            }
        }
        inst.defs.iter().for_each(|&var| visit(Operand::Def(var)));
    }

    fn tests(&self, block: Node, mut visit: impl FnMut(Var, Test)) {
        let Some(inst) = self.terminator(block) else { return };
        let test = match &inst.op {
            RegOp::If(IntPred::Eq | IntPred::Ne) | RegOp::Switch(_) => Test::Equality,
            RegOp::If(_) | RegOp::IfCall(_) => Test::Other,
            _ => return,
        };
        for (i, &arg) in inst.args.iter().enumerate() {
            if let Arg::Var(var) = arg
                && !inst.args[..i].contains(&arg)
            {
                visit(var, test);
            }
        }
    }
}

impl Meaning for Registers {
    fn width(&self, _: Var) -> Option<u32> {
        Some(self.bits)
    }

    fn expr(&self, instr: Instr) -> Expr<'_> {
        let inst = &self.insts[instr.index()];
        let bits = self.bits;
        match (&inst.op, inst.args.as_slice()) {
            (RegOp::Copy, &[arg]) => Expr::Copy(arg),
            (RegOp::Binary(op), &[a, b]) => {
                Expr::Binary { op: *op, flags: Flags::NONE, bits, args: [a, b] }
            }
            (RegOp::Compare(pred), &[a, b]) => Expr::Compare { pred: *pred, bits, args: [a, b] },
            (RegOp::Call(name), args) => {
                Expr::Call { callee: Some(name), target: None, args: args.into() }
            }
            (RegOp::Method(name), &[object, ..]) => Expr::Method { object, name },
            (RegOp::New, _) => Expr::Alloc(Extent::Unknown),
            _ => Expr::Other,
        }
    }

    fn phi_arg(&self, _: Instr, _: Node) -> Arg {
        Arg::Other
    }

    fn facts<'p>(&'p self, block: Node, position: usize, visit: &mut dyn FnMut(Fact<'p>)) {
        let Some(inst) = self.terminator(block) else { return };
        match (&inst.op, inst.args.as_slice()) {
            (RegOp::If(pred), &[a, b]) => {
                let pred = if position == 0 { *pred } else { negate(*pred) };
                visit(Fact::Compare(pred, self.bits, [a, b]));
            }
            (RegOp::IfCall(name), &[arg]) => visit(Fact::Checked(name, arg, position == 0)),
            (RegOp::Switch(cases), &[arg]) => match position.checked_sub(1) {
                Some(case) => {
                    visit(Fact::Compare(IntPred::Eq, self.bits, [arg, Arg::Int(cases[case])]));
                }
                None => cases.iter().for_each(|&case| {
                    visit(Fact::Compare(IntPred::Ne, self.bits, [arg, Arg::Int(case)]));
                }),
            },
            _ => {}
        }
    }
}

/// The predicate that holds exactly where this one does not.
pub fn negate(pred: IntPred) -> IntPred {
    match pred {
        IntPred::Eq => IntPred::Ne,
        IntPred::Ne => IntPred::Eq,
        IntPred::Ugt => IntPred::Ule,
        IntPred::Uge => IntPred::Ult,
        IntPred::Ult => IntPred::Uge,
        IntPred::Ule => IntPred::Ugt,
        IntPred::Sgt => IntPred::Sle,
        IntPred::Sge => IntPred::Slt,
        IntPred::Slt => IntPred::Sge,
        IntPred::Sle => IntPred::Sgt,
    }
}

/// The predicate that holds for `(b, a)` exactly where this one holds for `(a, b)`.
pub fn swap(pred: IntPred) -> IntPred {
    match pred {
        IntPred::Eq | IntPred::Ne => pred,
        IntPred::Ugt => IntPred::Ult,
        IntPred::Uge => IntPred::Ule,
        IntPred::Ult => IntPred::Ugt,
        IntPred::Ule => IntPred::Uge,
        IntPred::Sgt => IntPred::Slt,
        IntPred::Sge => IntPred::Sle,
        IntPred::Slt => IntPred::Sgt,
        IntPred::Sle => IntPred::Sge,
    }
}

impl fmt::Display for Registers {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (b, block) in self.blocks.iter().enumerate() {
            writeln!(f, "{}:", Node::new(b))?;
            for instr in block {
                let inst = &self.insts[instr.index()];
                let defs: Vec<&str> = inst.defs.iter().map(|&v| self.name(v)).collect();
                let args: Vec<String> = inst
                    .args
                    .iter()
                    .map(|arg| match arg {
                        Arg::Var(var) => self.name(*var).into(),
                        Arg::Int(value) => value.to_string(),
                        other => format!("{other:?}").to_lowercase(),
                    })
                    .collect();
                let op = match &inst.op {
                    RegOp::Binary(op) => op.name().into(),
                    RegOp::Compare(pred) => pred.name().into(),
                    RegOp::If(pred) => format!("if {}", pred.name()),
                    RegOp::Call(name) => format!("call {name}"),
                    RegOp::Method(name) => format!("method {name}"),
                    RegOp::IfCall(name) => format!("if {name}"),
                    RegOp::Switch(cases) => format!("switch {cases:?}"),
                    other => format!("{other:?}").to_lowercase(),
                };
                write!(f, "  ")?;
                if !defs.is_empty() {
                    write!(f, "{} = ", defs.join(", "))?;
                }
                write!(f, "{op} {}", args.join(", "))?;
                if self.blocks[b].last() == Some(instr) && !self.successors[b].is_empty() {
                    write!(f, " → {:?}", self.successors[b])?;
                }
                writeln!(f)?;
            }
        }
        Ok(())
    }
}
