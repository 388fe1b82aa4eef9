//! What was found in a function, in words: no longer of any lattice.

use super::access::{Addresses, Class};
use super::callees::Callees;
use super::given::Setting;
use super::words::{Reason, Words};
use crate::failure::Failure;
use crate::subject::Subject;
use lw_divergence::targets::Target;
use lw_divergence::{Divergence, Program, Scope};
use lw_graph::Node;
use lw_ir::{Block, Function, Inst, Op, Type, Value};
use lw_report::Place;
use lw_sparse::function::{block, node, var};

/// How the values of threads relate, for colours.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum Tone {
    Uniform,
    Strided,
    Varying,
}

impl Tone {
    pub(super) fn class(self) -> &'static str {
        match self {
            Tone::Uniform => "uniform",
            Tone::Strided => "strided",
            Tone::Varying => "varying",
        }
    }
}

/// A branch at which threads part, or a loop they leave in different iterations.
pub(super) struct Fork {
    /// The block that decides; of a loop, its header.
    pub(super) block: Block,
    /// The blocks where threads meet again.
    pub(super) joins: Vec<Block>,
    pub(super) is_loop: bool,
    pub(super) place: Place,
    pub(super) depth: usize,
    /// What it decides by.
    pub(super) condition: String,
    pub(super) why: Vec<Reason>,
}

/// A barrier.
pub(super) struct Barrier {
    pub(super) inst: Inst,
    pub(super) place: Place,
    /// The branch because of which some threads of a block may not come to it, and why.
    pub(super) divergent: Option<(Place, Vec<Reason>)>,
}

/// A load, a store or an atomic operation.
pub(super) struct Access {
    pub(super) inst: Inst,
    pub(super) place: Place,
    pub(super) what: &'static str,
    pub(super) target: String,
    pub(super) class: Class,
    pub(super) bytes: u64,
    pub(super) depth: usize,
    pub(super) why: Vec<Reason>,
}

/// A value.
pub(super) struct Valued {
    pub(super) value: Value,
    pub(super) place: Place,
    pub(super) shape: String,
    pub(super) tone: Tone,
    pub(super) why: Vec<Reason>,
}

/// What was found in a function.
pub(super) struct Study<'u> {
    pub(super) subject: Subject<'u>,
    pub(super) about: String,
    /// Deepest first.
    pub(super) forks: Vec<Fork>,
    pub(super) barriers: Vec<Barrier>,
    pub(super) accesses: Vec<Access>,
    pub(super) values: Vec<Valued>,
    pub(super) branches: usize,
    pub(super) loops: usize,
    /// The blocks that were looked at.
    pub(super) blocks: Vec<Block>,
}

/// Looks at a function.
pub(super) fn study<'u, L: Addresses>(
    setting: &Setting<'_, 'u>,
    subject: Subject<'u>,
    callees: &Callees<'u>,
) -> Result<Study<'u>, Failure> {
    let function = subject.function;
    let functions = || setting.all.iter().map(|unit| &unit.function);
    let analyze = |scope: Scope| -> Result<(Program<'u, L>, Divergence<L>), Failure> {
        let sources = setting.sources::<L>(&subject, scope)?;
        let program = Program::new(functions(), sources.clone(), setting.options(&subject, scope));
        let found = program.analyze(function, &sources);
        Ok((program, found))
    };
    let (program, found) = analyze(Scope::Warp)?;
    let blocks = setting.region(&subject)?;
    let words = Words::new(&subject, setting.args.line.is_some());
    let study = Studied {
        subject: &subject,
        program: &program,
        found: &found,
        words: &words,
        callees,
        blocks: &blocks,
    };
    let barriers: Vec<Inst> = study.insts().filter(|&inst| is_barrier(function, inst)).collect();
    let barriers = if barriers.is_empty() || setting.gpu.is_none() {
        Vec::new()
    } else {
        // Barriers are for blocks.
        let (program, found) = analyze(Scope::Block)?;
        let block = Studied { program: &program, found: &found, ..study };
        barriers.into_iter().map(|inst| block.barrier(inst)).collect()
    };
    let mut forks = study.forks();
    forks.sort_by_key(|fork| (std::cmp::Reverse(fork.depth), fork.place, fork.is_loop));
    let (accesses, values) = (study.accesses(), study.values());
    let graph = subject.code.graph();
    let is_branch = |b: &&Block| {
        let to = graph.successors(node(**b));
        to.windows(2).any(|pair| pair[0] != pair[1])
    };
    let branches = blocks.iter().filter(is_branch).count();
    let loops = subject.code.loops();
    let loops = loops.loops().filter(|&l| blocks.contains(&block(loops.header(l)))).count();
    let about = setting.about(L::NAME);
    Ok(Study { forks, barriers, accesses, values, branches, loops, blocks, about, subject })
}

fn is_barrier(function: &Function, inst: Inst) -> bool {
    let data = &function[inst];
    let callee = data.args.first().filter(|_| matches!(data.op, Op::Call(_) | Op::Invoke(_)));
    let symbol = callee.and_then(|&callee| function.as_symbol(callee));
    let name = symbol.and_then(|symbol| function.symbols.get(symbol).name.as_str());
    name.is_some_and(Target::is_barrier)
}

/// A function with what an analysis found.
struct Studied<'a, 'u, L> {
    subject: &'a Subject<'u>,
    program: &'a Program<'u, L>,
    found: &'a Divergence<L>,
    words: &'a Words<'a, 'u>,
    callees: &'a Callees<'u>,
    blocks: &'a [Block],
}

impl<L> Clone for Studied<'_, '_, L> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<L> Copy for Studied<'_, '_, L> {}

impl<L: Addresses> Studied<'_, '_, L> {
    fn insts(&self) -> impl Iterator<Item = Inst> + '_ {
        self.blocks.iter().flat_map(|&block| self.subject.function.insts(block).iter().copied())
    }

    fn depth(&self, at: Block) -> usize {
        self.subject.code.loops().depth(node(at))
    }

    fn condition(&self, at: Block) -> String {
        let function = self.subject.function;
        let decides = function.terminator(at).and_then(|t| function[t].args.first().copied());
        decides.map_or_else(String::new, |value| self.words.value(value))
    }

    fn why_branch(&self, at: Block) -> Vec<Reason> {
        let steps = self.program.explain_branch(self.subject.function, self.found, at);
        self.words.chain(&steps, self.callees)
    }

    fn why(&self, value: Value) -> Vec<Reason> {
        let steps = self.program.explain(self.subject.function, self.found, value);
        self.words.chain(&steps, self.callees)
    }

    fn forks(&self) -> Vec<Fork> {
        let mut forks = Vec::new();
        let here = |b: &Block| self.blocks.contains(b);
        for at in self.found.divergent_branches().filter(here) {
            let joins = self.blocks.iter().copied().filter(|&b| self.found.join(b) == Some(at));
            forks.push(Fork {
                block: at,
                joins: joins.collect(),
                is_loop: false,
                place: self.subject.fork_place(node(at)),
                depth: self.depth(at),
                condition: self.condition(at),
                why: self.why_branch(at),
            });
        }
        for (header, branch) in self.found.divergent_loops().filter(|(header, _)| here(header)) {
            let loops = self.subject.code.loops();
            let exits = loops.headed_by(node(header)).map(|l| loops.exits(l)).unwrap_or_default();
            forks.push(Fork {
                block: header,
                joins: exits.into_iter().map(block).filter(here).collect(),
                is_loop: true,
                place: self.subject.fork_place(node(header)),
                depth: self.depth(header),
                condition: self.condition(branch),
                why: self.why_branch(branch),
            });
        }
        forks
    }

    fn barrier(&self, inst: Inst) -> Barrier {
        let at = self.subject.function.block_of(inst);
        let branch = at.and_then(|at| self.found.activation_branch(at));
        let divergent =
            branch.map(|branch| (self.subject.fork_place(node(branch)), self.why_branch(branch)));
        Barrier { inst, place: self.subject.place_of(inst), divergent }
    }

    fn accesses(&self) -> Vec<Access> {
        let function = self.subject.function;
        let layout = &self.subject.unit.module.layout;
        let mut all = Vec::new();
        for inst in self.insts() {
            let data = &function[inst];
            let (what, pointer, ty): (_, Value, Type) = match &data.op {
                Op::Load(_) => ("load", data.args[0], data.ty),
                Op::Store(_) => ("store", data.args[1], function.ty(data.args[0])),
                Op::AtomicRmw(..) => ("atomic", data.args[0], function.ty(data.args[1])),
                Op::CmpXchg(_) => ("atomic", data.args[0], function.ty(data.args[1])),
                _ => continue,
            };
            let fact = self.found.fact_at_use(function, inst, pointer);
            // The thread's own objects are as good as registers, and in unreachable code there is nothing to see.
            let shape = match &fact {
                Some(fact) if !fact.own.is_empty() || fact.is_bottom() => continue,
                Some(fact) => Some(&fact.shape),
                None => None,
            };
            let bytes = layout.store_size(&function.types, ty).unwrap_or(0);
            let class = shape.map_or(Class::UNIFORM, |shape| shape.class(bytes));
            let reached = self
                .subject
                .code
                .is_reachable(node(function.block_of(inst).unwrap_or(self.blocks[0])));
            if !reached {
                continue;
            }
            all.push(Access {
                inst,
                place: self.subject.place_of(inst),
                what,
                target: self.words.target(pointer),
                class,
                bytes,
                depth: function.block_of(inst).map_or(0, |at| self.depth(at)),
                why: self.why(pointer),
            });
        }
        all
    }

    fn values(&self) -> Vec<Valued> {
        let function = self.subject.function;
        let params = function.params().iter().copied();
        let results = self.insts().filter_map(|inst| function[inst].result.expand());
        let mut all = Vec::new();
        for value in params.chain(results) {
            let fact = self.found.fact(value);
            if fact.is_bottom() {
                continue;
            }
            let tone = match &fact {
                fact if fact.is_uniform() => Tone::Uniform,
                fact if !fact.own.is_empty() && fact.shape.is_uniform() => Tone::Uniform,
                fact if fact.own.is_empty() && fact.shape.has_stride() => Tone::Strided,
                _ => Tone::Varying,
            };
            let inst = function.def_inst(value);
            let place = inst.map_or(self.subject.start, |inst| self.subject.place_of(inst));
            let why = self.why(value);
            let shape = fact.to_string();
            all.push(Valued { value, place, shape, tone, why });
        }
        debug_assert!(all.iter().all(|v| var(v.value).index() < function.value_count()));
        all
    }
}

impl Setting<'_, '_> {
    /// The blocks that are looked at: all that can be reached, or those of the loop.
    fn region(&self, subject: &Subject<'_>) -> Result<Vec<Block>, Failure> {
        let loops = subject.code.loops();
        let the_loop = match self.args.line {
            Some(line) => Some(super::given::the_loop(subject, line)?),
            None => None,
        };
        let inside = |n: Node| the_loop.is_none_or(|l| loops.contains(l, n));
        let blocks = subject.function.blocks().iter().copied();
        Ok(blocks.filter(|&b| inside(node(b)) && subject.code.is_reachable(node(b))).collect())
    }
}
