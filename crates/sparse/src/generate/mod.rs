//! Random register programs, for tests and fuzz targets. The same seed yields the same program.

mod functions;

pub use functions::function;

use crate::meaning::Arg;
use crate::program::Var;
use crate::registers::{RegOp, Registers};
use lw_graph::generate::Rng;
use lw_graph::{Graph, Node};
use lw_ir::ops::{BinOp, IntPred};

/// What random programs are made of.
#[derive(Clone, Debug)]
pub struct Options {
    /// The width of registers.
    pub bits: u32,
    /// How many registers there are.
    pub registers: usize,
    /// The largest number of random instructions in a block.
    pub insts: usize,
    /// Calls, methods, `new` and null beside arithmetic.
    pub objects: bool,
}

impl Default for Options {
    fn default() -> Self {
        Options { bits: 4, registers: 5, insts: 4, objects: true }
    }
}

/// The operations on integers.
pub(crate) const OPS: [BinOp; 13] = [
    BinOp::Add,
    BinOp::Sub,
    BinOp::Mul,
    BinOp::UDiv,
    BinOp::SDiv,
    BinOp::URem,
    BinOp::SRem,
    BinOp::Shl,
    BinOp::LShr,
    BinOp::AShr,
    BinOp::And,
    BinOp::Or,
    BinOp::Xor,
];

/// The random program of a seed, of up to ten blocks; most of them are reducible.
pub fn random(seed: u64, options: &Options) -> Registers {
    let mut rng = Rng::new(seed);
    let n = 1 + rng.below(10);
    let graph = if rng.one_in(3) {
        lw_graph::generate::random(&mut rng, n)
    } else {
        lw_graph::generate::random_reducible(&mut rng, n)
    };
    registers(&mut rng, &graph, options)
}

/// Operations that are about bits.
const BITS: [BinOp; 4] = [BinOp::And, BinOp::Shl, BinOp::LShr, BinOp::AShr];

/// A random program over the blocks of a graph, with an empty block before its entry.
pub fn registers(rng: &mut Rng, graph: &Graph, options: &Options) -> Registers {
    let mut program = Registers::new(options.bits);
    let vars: Vec<Var> =
        (0..options.registers).map(|i| program.register(&format!("r{i}"))).collect();
    for &var in &vars {
        if rng.one_in(2) {
            program.add_param(var);
        }
    }
    let start = program.block();
    let blocks: Vec<Node> = graph.nodes().map(|_| program.block()).collect();
    program.jump(start, blocks[graph.entry().index()]);
    for node in graph.nodes() {
        let block = blocks[node.index()];
        for _ in 0..rng.below(options.insts + 1) {
            instruction(rng, &mut program, block, &vars, options);
        }
        let to: Vec<Node> = graph.successors(node).iter().map(|s| blocks[s.index()]).collect();
        terminator(rng, &mut program, block, &vars, options, &to);
    }
    program
}

/// A row of random reducible regions of about `blocks` blocks. Each has its own registers, beside two that all share: how
/// long programs look, whose live ranges are mostly short.
pub fn regions(rng: &mut Rng, count: usize, blocks: usize, options: &Options) -> Registers {
    let mut program = Registers::new(options.bits);
    let shared: Vec<Var> = (0..2).map(|i| program.register(&format!("s{i}"))).collect();
    shared.iter().for_each(|&var| program.add_param(var));
    let graphs: Vec<Graph> =
        (0..count).map(|_| lw_graph::generate::random_reducible(rng, blocks)).collect();
    let start = program.block();
    let first: Vec<usize> = graphs
        .iter()
        .scan(1, |next, graph| {
            let first = *next;
            *next += graph.node_count() + 1;
            Some(first)
        })
        .collect();
    for graph in &graphs {
        // One block before each region keeps back edges inside.
        for _ in 0..graph.node_count() + 1 {
            program.block();
        }
    }
    let end = program.block();
    program.jump(start, Node::new(first.first().copied().unwrap_or(end.index())));
    for (r, graph) in graphs.iter().enumerate() {
        let before = Node::new(first[r]);
        let block = |node: Node| Node::new(first[r] + 1 + node.index());
        let next = first.get(r + 1).map_or(end, |&f| Node::new(f));
        let mut vars: Vec<Var> =
            (0..options.registers).map(|i| program.register(&format!("r{r}.{i}"))).collect();
        for &var in &vars {
            program.set(before, var, RegOp::Call("f".into()), &[]);
        }
        vars.extend(&shared);
        program.jump(before, block(graph.entry()));
        for node in graph.nodes() {
            for _ in 0..rng.below(options.insts + 1) {
                instruction(rng, &mut program, block(node), &vars, options);
            }
            let mut to: Vec<Node> = graph.successors(node).iter().map(|&s| block(s)).collect();
            // The last block always leads on: regions may not end by themselves.
            if to.is_empty() || node.index() + 1 == graph.node_count() {
                to.push(next);
            }
            terminator(rng, &mut program, block(node), &vars, options, &to);
        }
    }
    program.exit(end, &[Arg::Var(shared[0])]);
    program
}

fn constant(rng: &mut Rng, options: &Options) -> u128 {
    u128::from(rng.next_u64()) & crate::analyses::arith::mask(options.bits)
}

fn operand(rng: &mut Rng, vars: &[Var], options: &Options) -> Arg {
    if rng.one_in(4) {
        let small = rng.one_in(2);
        let value = constant(rng, options);
        return Arg::Int(if small { value % 4 } else { value });
    }
    Arg::Var(vars[rng.below(vars.len())])
}

fn instruction(
    rng: &mut Rng,
    program: &mut Registers,
    block: Node,
    vars: &[Var],
    options: &Options,
) {
    let arg = |rng: &mut Rng| operand(rng, vars, options);
    let (a, b) = (arg(rng), arg(rng));
    let to = vars[rng.below(vars.len())];
    let kind = rng.below(if options.objects { 14 } else { 9 });
    match kind {
        0 | 1 => {
            let value = constant(rng, options);
            program.set(block, to, RegOp::Copy, &[Arg::Int(value)]);
        }
        2 => drop(program.set(block, to, RegOp::Copy, &[a])),
        3 => {
            let pred = IntPred::ALL[rng.below(IntPred::ALL.len())];
            program.set(block, to, RegOp::Compare(pred), &[a, b]);
        }
        4..=7 => {
            let bits = rng.one_in(2);
            let op = if bits { BITS[rng.below(BITS.len())] } else { OPS[rng.below(OPS.len())] };
            // Masks and shifts are mostly by constants, also by some that follow other operations at once.
            let b = if bits && rng.one_in(2) { Arg::Int(constant(rng, options)) } else { b };
            program.set(block, to, RegOp::Binary(op), &[a, b]);
            if rng.one_in(if bits { 2 } else { 4 }) {
                let one = 1 << rng.below(options.bits.min(64) as usize);
                let mask = Arg::Int(if rng.one_in(2) { one } else { constant(rng, options) });
                program.set(block, to, RegOp::Binary(BinOp::And), &[Arg::Var(to), mask]);
            }
        }
        8 => drop(program.push(block, RegOp::Other, &[], &[a])),
        9 => drop(program.set(block, to, RegOp::New, &[])),
        10 => drop(program.set(block, to, RegOp::Copy, &[Arg::Null])),
        11 | 12 => {
            let object = vars[rng.below(vars.len())];
            let name = format!("m{}", rng.below(4));
            program.push(block, RegOp::Method(name), &[], &[Arg::Var(object)]);
        }
        _ => {
            let name = ["source", "sink", "clean", "f"][rng.below(4)];
            program.set(block, to, RegOp::Call(name.into()), &[a]);
        }
    }
}

fn terminator(
    rng: &mut Rng,
    program: &mut Registers,
    block: Node,
    vars: &[Var],
    options: &Options,
    to: &[Node],
) {
    let (a, b) = (operand(rng, vars, options), operand(rng, vars, options));
    match to.len() {
        0 => drop(program.exit(block, &[a])),
        1 => drop(program.jump(block, to[0])),
        2 if rng.one_in(6) => drop(program.end(block, RegOp::Choose, &[], to)),
        2 if options.objects && rng.one_in(5) => {
            program.end(block, RegOp::IfCall("is_clean".into()), &[a], to);
        }
        2 if options.objects && rng.one_in(5) => {
            let pred = if rng.one_in(2) { IntPred::Eq } else { IntPred::Ne };
            program.branch(block, pred, [a, Arg::Null], to[0], to[1]);
        }
        2 => {
            let pred = IntPred::ALL[rng.below(IntPred::ALL.len())];
            program.branch(block, pred, [a, b], to[0], to[1]);
        }
        n => {
            let all = (1u128 << options.bits.min(127)) - 1;
            if n as u128 > all {
                program.end(block, RegOp::Choose, &[], to);
            } else {
                program.end(block, RegOp::Switch((0..n as u128 - 1).collect()), &[a], to);
            }
        }
    }
}
