//! How long splitting and solving take, beside their peers.

use crate::subject::Subject;
use lw_ir::Function;
use lw_sparse::analyses::{Constants, KnownBits, NullPointers, Ranges, ReachingDefinitions, Taint};
use lw_sparse::dense_fast::solve_blocks;
use lw_sparse::meaning::Meaning;
use lw_sparse::{
    Analysis, Chains, Code, Options, Ssify, Strategy, View, function, singer, solve_on, solve_with,
};
use std::hint::black_box;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// The strategies that are timed, by name.
pub(crate) const STRATEGIES: [(&str, Strategy); 6] = [
    ("ccp", Strategy::CCP),
    ("abcd", Strategy::ABCD),
    ("ssi", Strategy::SSI),
    ("mahlke", Strategy::MAHLKE),
    ("stephenson", Strategy::STEPHENSON),
    ("null-pointers", Strategy::NULL_POINTERS),
];

/// The fastest of a few runs, and what the last one yielded.
pub(crate) fn fastest<T>(runs: u32, mut f: impl FnMut() -> T) -> (Duration, T) {
    let mut once = || {
        let start = Instant::now();
        let value = f();
        (start.elapsed(), value)
    };
    let (mut best, mut value) = once();
    for _ in 1..runs {
        let (took, new) = once();
        best = best.min(took);
        value = new;
    }
    (best, value)
}

/// The sum over a list of the fastest of a few runs for each: other work on the machine then hardly shows.
pub(crate) fn fastest_each<T, R>(
    runs: u32,
    list: &[T],
    mut f: impl FnMut(&T) -> R,
) -> (Duration, Vec<R>) {
    let mut sum = Duration::ZERO;
    let mut values = Vec::new();
    for item in list {
        let (took, value) = fastest(runs, || f(item));
        sum += took;
        values.push(value);
    }
    (sum, values)
}

/// What was measured of a module.
#[derive(Clone, Default, Debug)]
pub(crate) struct Times {
    pub(crate) instructions: u64,
    /// The tables of all functions: graphs, dominators, loops, operands.
    pub(crate) tables: Duration,
    /// By strategy of [`STRATEGIES`]: splitting, tables not included, and the instructions it adds.
    pub(crate) strategies: Vec<(Duration, u64)>,
    /// Singer's iteration for SSI.
    pub(crate) singer: Duration,
    /// Ranges of the whole module, from the functions to the range at every use.
    pub(crate) ranges: Duration,
    pub(crate) lazy: Duration,
    pub(crate) predicate_info: Duration,
    pub(crate) dominators: Duration,
    /// What PredicateInfo adds.
    pub(crate) copies: u64,
    pub(crate) opt: Duration,
}

impl Times {
    /// Measures our side, and PredicateInfo.
    pub(crate) fn of(subject: &Subject<'_>, repeat: u32) -> Times {
        let functions = &subject.functions;
        let (tables, codes) = fastest_each(repeat, functions, |f| Arc::new(Code::new(f)));
        // As a client would do it that goes through a module: memory is used again.
        let mut ssify = Ssify::new(Arc::new(Code::new(&functions[0])));
        let mut split = |split: &dyn Fn(&mut Ssify) -> View| {
            let one = |code: &Arc<Code>| {
                ssify.turn_to(code.clone());
                split(&mut ssify).inserted() as u64
            };
            let (took, inserted) = fastest_each(repeat, &codes, one);
            (took, inserted.iter().sum())
        };
        let strategies = STRATEGIES.map(|(_, strategy)| split(&move |s| s.view(strategy))).to_vec();
        let (iterated, _) = split(&|s| singer(s));
        let (ranges, _) = fastest_each(repeat, functions, |f| ranges_at_uses(f, &mut ssify));
        let mut costs = subject.module.predicate_info_costs();
        for _ in 1..repeat {
            for (best, again) in costs.iter_mut().zip(subject.module.predicate_info_costs()) {
                best.took = best.took.min(again.took);
                best.dominators = best.dominators.min(again.dominators);
            }
        }
        Times {
            instructions: subject.instructions() as u64,
            tables,
            strategies,
            singer: iterated,
            ranges,
            predicate_info: costs.iter().map(|c| c.took).sum(),
            dominators: costs.iter().map(|c| c.dominators).sum(),
            copies: costs.iter().map(|c| c.copies).sum(),
            ..Times::default()
        }
    }

    pub(crate) fn add(&mut self, other: &Times) {
        self.instructions += other.instructions;
        self.tables += other.tables;
        if self.strategies.is_empty() {
            self.strategies = vec![(Duration::ZERO, 0); other.strategies.len()];
        }
        for (into, from) in self.strategies.iter_mut().zip(&other.strategies) {
            into.0 += from.0;
            into.1 += from.1;
        }
        self.singer += other.singer;
        self.ranges += other.ranges;
        self.lazy += other.lazy;
        self.predicate_info += other.predicate_info;
        self.dominators += other.dominators;
        self.copies += other.copies;
        self.opt += other.opt;
    }

    /// The time of a strategy.
    pub(crate) fn strategy(&self, name: &str) -> Duration {
        let at = STRATEGIES.iter().position(|&(n, _)| n == name);
        at.and_then(|i| self.strategies.get(i)).map_or(Duration::ZERO, |s| s.0)
    }
}

/// Solves the ranges of a function and asks for the range of each integer at each use, as the comparison with LazyValueInfo
/// does.
fn ranges_at_uses(f: &Function, ssify: &mut Ssify) -> u64 {
    ssify.turn_to(Arc::new(Code::new(f)));
    let view = ssify.view_each(|var| Analysis::<Function>::strategy(&Ranges, f, var));
    let ranges = solve_on(f, &view, &mut Ranges, Options::WIDENING);
    let mut uses = 0;
    let code = view.code();
    for &block in code.block_index().order() {
        for pos in code.positions(block) {
            let args = &f[function::inst(code.instr(pos))].args;
            for (index, &arg) in args.iter().enumerate() {
                if f.as_constant(arg).is_none() && f.width(function::var(arg)).is_some() {
                    black_box(Ranges::at_use(f, &view, &ranges, pos, index));
                    uses += 1;
                }
            }
        }
    }
    uses
}

/// One function of the growth plot: nanoseconds by size.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Growth {
    pub(crate) instructions: u64,
    pub(crate) inserted: u64,
    /// What the instructions of the result read and write: a φ of a large join has many operands.
    pub(crate) operands: u64,
    pub(crate) abcd: Duration,
    pub(crate) ssi: Duration,
    pub(crate) singer: Duration,
}

/// How many variables the instructions of a split program read and write.
fn operands(view: &View) -> u64 {
    let code = view.code();
    let blocks = code.block_index().order().iter();
    let all = blocks.flat_map(|&block| code.positions(block));
    let own: usize = all.map(|pos| code.uses(pos).len() + code.defs(pos).len()).sum();
    let phis: usize = (0..view.phis().len() as u32).map(|i| view.phi_args(i).len() + 1).sum();
    let sigmas = (0..view.sigmas().len() as u32).map(|i| view.sigma_results(i).len() + 1);
    (own + phis + sigmas.sum::<usize>() + 2 * view.copies().len()) as u64
}

/// Splits each function of at least so many instructions alone.
pub(crate) fn growth(subject: &Subject<'_>, least: usize, repeat: u32) -> Vec<Growth> {
    let large = subject.functions.iter().filter(|f| f.inst_count() >= least);
    let one = |f: &Function| {
        let code = Arc::new(Code::new(f));
        let (abcd, _) = fastest(repeat, || Ssify::new(code.clone()).view(Strategy::ABCD));
        let (ssi, view) = fastest(repeat, || Ssify::new(code.clone()).view(Strategy::SSI));
        let (singer, _) = fastest(repeat, || singer(&mut Ssify::new(code.clone())));
        let inserted = view.inserted() as u64;
        let operands = operands(&view);
        Growth { instructions: code.len() as u64, inserted, operands, abcd, ssi, singer }
    };
    large.map(one).collect()
}

/// Sparse and dense solving of one analysis on functions over 1,000 instructions.
#[derive(Clone, Debug, Default)]
pub(crate) struct Versus {
    pub(crate) name: &'static str,
    pub(crate) functions: u64,
    pub(crate) sparse: Duration,
    pub(crate) dense: Duration,
    /// The least and the greatest dense : sparse.
    pub(crate) least: f64,
    pub(crate) greatest: f64,
}

impl Versus {
    pub(crate) fn ratio(&self) -> f64 {
        self.dense.as_secs_f64() / self.sparse.as_secs_f64()
    }

    fn of<A: Analysis<Function> + Clone>(
        list: &[(&Function, Arc<Code>)],
        repeat: u32,
        analysis: &A,
    ) -> Versus {
        let options = Options { widen_after: Some(3), narrow_rounds: 0 };
        let mut all = Versus { name: A::NAME, least: f64::INFINITY, ..Versus::default() };
        for (f, code) in list {
            let (sparse, _) = fastest(repeat, || {
                let view = Ssify::new(code.clone()).view_each(|var| analysis.strategy(f, var));
                let chains = Chains::new(&view);
                solve_with(*f, &view, &chains, &mut analysis.clone(), options)
            });
            let (dense, _) = fastest(repeat, || solve_blocks(*f, code, analysis, options));
            let ratio = dense.as_secs_f64() / sparse.as_secs_f64();
            all.functions += 1;
            all.sparse += sparse;
            all.dense += dense;
            all.least = all.least.min(ratio);
            all.greatest = all.greatest.max(ratio);
        }
        all
    }

    /// Adds the same analysis on another module.
    pub(crate) fn add(&mut self, other: &Versus) {
        self.functions += other.functions;
        self.sparse += other.sparse;
        self.dense += other.dense;
        self.least = self.least.min(other.least);
        self.greatest = self.greatest.max(other.greatest);
    }
}

/// Compares sparse with dense solving, analysis by analysis. Both start from the tables of the program; the sparse side
/// includes splitting and chains.
pub(crate) fn versus(subject: &Subject<'_>, repeat: u32) -> Vec<Versus> {
    let large = subject.functions.iter().filter(|f| f.inst_count() > 1000);
    let list: Vec<_> = large.map(|f| (f, Arc::new(Code::new(f)))).collect();
    let taint = Taint { sources: vec!["fgetc".into(), "read".into()], ..Taint::default() };
    vec![
        Versus::of(&list, repeat, &Constants),
        Versus::of(&list, repeat, &Ranges),
        Versus::of(&list, repeat, &KnownBits),
        Versus::of(&list, repeat, &NullPointers),
        Versus::of(&list, repeat, &ReachingDefinitions),
        Versus::of(&list, repeat, &taint),
    ]
}

/// Does one thing many times: for a profiler.
pub(crate) fn spin(subject: &Subject<'_>, what: &str, repeat: u32) -> Duration {
    let functions = &subject.functions;
    let mut ssify = Ssify::new(Arc::new(Code::new(&functions[0])));
    let tables = || fastest_each(repeat, functions, |f| Arc::new(Code::new(f)));
    let ranges = |f: &Function, code: &Arc<Code>| {
        let strategy = |var| Analysis::<Function>::strategy(&Ranges, f, var);
        Ssify::new(code.clone()).view_each(strategy)
    };
    match what {
        "tables" => tables().0,
        "ranges" => fastest_each(repeat, functions, |f| ranges_at_uses(f, &mut ssify)).0,
        "split" => {
            let list: Vec<_> = functions.iter().zip(tables().1).collect();
            fastest_each(repeat, &list, |(f, code)| ranges(f, code)).0
        }
        "solve" | "chains" => {
            let view = |(f, code): (_, Arc<Code>)| {
                let view = ranges(f, &code);
                let chains = Chains::new(&view);
                (f, view, chains)
            };
            let list: Vec<_> = functions.iter().zip(tables().1).map(view).collect();
            if what == "chains" {
                return fastest_each(repeat, &list, |(_, view, _)| Chains::new(view)).0;
            }
            fastest_each(repeat, &list, |(f, view, chains)| {
                solve_with(*f, view, chains, &mut Ranges, Options::WIDENING).evaluations
            })
            .0
        }
        strategy => {
            let strategy = Strategy::from_name(strategy).unwrap_or(Strategy::ABCD);
            let one = |code: &Arc<Code>| {
                ssify.turn_to(code.clone());
                ssify.view(strategy).inserted()
            };
            fastest_each(repeat, &tables().1, one).0
        }
    }
}
