//! How long splitting and solving take, beside their peers.

use crate::subject::Subject;
use lw_ir::Function;
use lw_ir::types::Type;
use lw_sparse::analyses::{
    Classes, Constants, DemandedBits, Intervals, KnownBits, NullPointers, Ranges,
    ReachingDefinitions, Taint,
};
use lw_sparse::dense_fast::solve_blocks;
use lw_sparse::{
    Analysis, Chains, Code, Options, Pruning, Solution, Solver, Ssify, Strategy, Var, View,
    all_cores, singer, solve_each, solve_with,
};
use std::hint::black_box;
use std::num::NonZeroUsize;
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

/// The sum over a list of the fastest of a few runs for each: other work on the machine then hardly shows. A run goes
/// through the whole list, as the peers are run, so that what one item leaves in the caches does not help it.
pub(crate) fn fastest_each<T, R>(
    runs: u32,
    list: &[T],
    mut f: impl FnMut(&T) -> R,
) -> (Duration, Vec<R>) {
    let mut best = vec![Duration::MAX; list.len()];
    let mut values = Vec::new();
    for _ in 0..runs.max(1) {
        values.clear();
        for (item, best) in list.iter().zip(&mut best) {
            let start = Instant::now();
            values.push(f(item));
            *best = start.elapsed().min(*best);
        }
    }
    (best.iter().sum(), values)
}

/// What was measured of a module.
#[derive(Clone, Default, Debug)]
pub(crate) struct Times {
    pub(crate) instructions: u64,
    /// The tables of all functions: graphs, dominators, loops, operands.
    pub(crate) tables: Duration,
    /// By strategy of [`STRATEGIES`]: splitting, tables not included, and the instructions it adds.
    pub(crate) strategies: Vec<(Duration, u64)>,
    /// Singer's iteration for SSI. As SSIfy, it places nothing where the variable is dead.
    pub(crate) singer: Duration,
    /// SSIfy and Singer's iteration as they were published: what is dead goes when all is placed.
    pub(crate) published: [Duration; 2],
    /// Ranges of each function, from its instructions to the range at every use.
    pub(crate) ranges: Duration,
    /// The questions to LazyValueInfo.
    pub(crate) lazy: Duration,
    /// The whole module in one go.
    pub(crate) whole: Whole,
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
        let (tables, strategies, singer) = splitting(functions, repeat);
        let published = published(functions, repeat);
        let ranges = ranges_of_each(functions, repeat);
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
            singer,
            published,
            ranges,
            whole: Whole::of(subject, repeat),
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
        for (into, from) in self.published.iter_mut().zip(other.published) {
            *into += from;
        }
        self.ranges += other.ranges;
        self.lazy += other.lazy;
        self.whole.add(&other.whole);
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

/// The ranges of a module at every use in one go, from its functions on: nothing is read before, and what is freed between
/// functions counts.
#[derive(Clone, Default, Debug)]
pub(crate) struct Whole {
    pub(crate) one_core: Duration,
    pub(crate) all_cores: Duration,
    pub(crate) lazy: Duration,
}

impl Whole {
    /// Both sides by turns, since what else the machine does changes; the middle one of some runs.
    fn of(subject: &Subject<'_>, repeat: u32) -> Whole {
        let runs = 2 * repeat as usize + 1;
        let (mut one, mut all, mut lazy) = (Vec::new(), Vec::new(), Vec::new());
        for _ in 0..runs {
            one.push(whole_module(&subject.functions, NonZeroUsize::MIN));
            lazy.push(subject.module.lazy_value_time().0);
            all.push(whole_module(&subject.functions, all_cores()));
        }
        let middle = |mut times: Vec<Duration>| *times.select_nth_unstable(runs / 2).1;
        Whole { one_core: middle(one), all_cores: middle(all), lazy: middle(lazy) }
    }

    fn add(&mut self, other: &Whole) {
        self.one_core += other.one_core;
        self.all_cores += other.all_cores;
        self.lazy += other.lazy;
    }
}

fn whole_module(functions: &[Function], threads: NonZeroUsize) -> Duration {
    fastest(1, || solve_each(functions, threads, Options::WIDENING, |_| Ranges, at_uses)).0
}

/// Reads a function, as the drivers of the peers read theirs before they look at the clock.
fn touch(f: &Function) {
    let insts = f.blocks().iter().flat_map(|&block| f.insts(block));
    let args = insts.flat_map(|&inst| &f[inst].args);
    black_box(args.filter(|&&arg| f.as_constant(arg).is_none() && f.ty(arg) == Type::I1).count());
}

/// The tables that splitting starts from, dominators and loops among them.
fn tables(f: &Function) -> Arc<Code> {
    Arc::new(complete(Code::new(f)))
}

/// Makes the tables that are only made when they are asked for.
fn complete(code: Code) -> Code {
    code.dominators();
    code.loops();
    code
}

/// The time of the tables, of each strategy with what it adds, and of Singer's iteration. They are run as a client would
/// who goes through a module: a function is split right after its tables were made, and memory is used again.
fn splitting(functions: &[Function], repeat: u32) -> (Duration, Vec<(Duration, u64)>, Duration) {
    let mut best = vec![[Duration::MAX; STRATEGIES.len() + 2]; functions.len()];
    let mut inserted = [0; STRATEGIES.len()];
    let mut kept = None;
    for _ in 0..repeat.max(1) {
        inserted = [0; STRATEGIES.len()];
        for (f, best) in functions.iter().zip(&mut best) {
            touch(f);
            let (took, code) = fastest(1, || tables(f));
            best[0] = best[0].min(took);
            for (i, &(_, strategy)) in STRATEGIES.iter().enumerate() {
                let ssify = Ssify::again(&mut kept, code.clone());
                let (took, view) = fastest(1, || ssify.view(strategy));
                best[i + 1] = best[i + 1].min(took);
                inserted[i] += view.inserted() as u64;
            }
            let ssify = Ssify::again(&mut kept, code);
            let (took, _) = fastest(1, || singer(ssify));
            best[STRATEGIES.len() + 1] = best[STRATEGIES.len() + 1].min(took);
        }
    }
    let sum = |i: usize| best.iter().map(|times| times[i]).sum::<Duration>();
    let strategies = inserted.iter().enumerate().map(|(i, &added)| (sum(i + 1), added)).collect();
    (sum(0), strategies, sum(STRATEGIES.len() + 1))
}

/// The time of SSIfy for SSI, and of Singer's iteration, both without live ranges.
fn published(functions: &[Function], repeat: u32) -> [Duration; 2] {
    let late = |f: &Function| Ssify::new(tables(f)).pruning(Pruning::Late);
    let mut sums = [Duration::ZERO; 2];
    for f in functions {
        let mut ssify = late(f);
        sums[0] += fastest(repeat, || ssify.view(Strategy::SSI)).0;
        let mut ssify = late(f);
        sums[1] += fastest(repeat, || singer(&mut ssify)).0;
    }
    sums
}

/// Asks for the range of each integer at each use, as the comparison with LazyValueInfo does.
fn at_uses(f: &Function, view: &View, ranges: &Solution<Option<Intervals>>) -> u64 {
    let mut uses = 0;
    Ranges::at_uses(f, view, ranges, |_, _, range| {
        black_box(range);
        uses += 1;
    });
    uses
}

/// The ranges of a function, from its instructions to each use. What was made for the function before lies in the same memory.
#[inline(never)]
fn ranges_at_uses(f: &Function, solver: &mut Solver<Option<Intervals>>) -> u64 {
    let (view, ranges) = solver.solve(f, &mut Ranges, Options::WIDENING);
    at_uses(f, view, ranges)
}

/// The ranges of all functions one after the other: the sum of the fastest runs.
fn ranges_of_each(functions: &[Function], repeat: u32) -> Duration {
    let mut best = vec![Duration::MAX; functions.len()];
    let mut solver = Solver::default();
    for _ in 0..repeat.max(1) {
        for (f, best) in functions.iter().zip(&mut best) {
            touch(f);
            let (took, _) = fastest(1, || ranges_at_uses(f, &mut solver));
            *best = took.min(*best);
        }
    }
    best.iter().sum()
}

/// One function of the growth plot: nanoseconds by size.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Growth {
    pub(crate) instructions: u64,
    pub(crate) inserted: u64,
    /// What the instructions of the program read and write, and those of the result: a φ of a large join has many operands.
    pub(crate) read: u64,
    pub(crate) operands: u64,
    /// At the starts of how many blocks variables are live, all variables together: how long live ranges are.
    pub(crate) live: u64,
    pub(crate) abcd: Duration,
    pub(crate) ssi: Duration,
    pub(crate) singer: Duration,
}

impl Growth {
    /// What splitting reads and writes: the operands of the program and of the result.
    pub(crate) fn handled(&self) -> u64 {
        self.read + self.operands
    }

    /// What a variable that is live costs even where nothing is split, too: a step through each block.
    pub(crate) fn handled_and_live(&self) -> u64 {
        self.handled() + self.live
    }
}

type Side = fn(&Growth) -> Duration;

/// What is compared as functions grow.
pub(crate) const SIDES: [(&str, Side); 3] =
    [("e-SSA", |g| g.abcd), ("SSI", |g| g.ssi), ("Singer", |g| g.singer)];

/// The power of the size with which the time grows: the slope of the line through the logarithms that has the least squares.
pub(crate) fn exponent(
    growth: &[Growth],
    size: impl Fn(&Growth) -> u64,
    time: impl Fn(&Growth) -> Duration,
) -> f64 {
    let points =
        growth.iter().map(|g| ((size(g).max(1) as f64).ln(), time(g).as_secs_f64().max(1e-9).ln()));
    let n = growth.len().max(1) as f64;
    let (sum_x, sum_y) = points.clone().fold((0.0, 0.0), |(a, b), (x, y)| (a + x, b + y));
    let (mean_x, mean_y) = (sum_x / n, sum_y / n);
    let (over, under) = points.fold((0.0, 0.0), |(over, under), (x, y)| {
        (over + (x - mean_x) * (y - mean_y), under + (x - mean_x).powi(2))
    });
    over / under.max(1e-12)
}

/// How many variables the instructions of a program read and write.
fn operands_read(code: &Code) -> u64 {
    let blocks = code.order().iter();
    let all = blocks.flat_map(|&block| code.positions(block));
    all.map(|pos| code.uses(pos).len() + code.defs(pos).len()).sum::<usize>() as u64
}

/// How many variables the instructions of a split program read and write.
fn operands(view: &View) -> u64 {
    let own = operands_read(view.code()) as usize;
    let phis: usize = (0..view.phis().len() as u32).map(|i| view.phi_args(i).len() + 1).sum();
    let sigmas = (0..view.sigmas().len() as u32).map(|i| view.sigma_results(i).len() + 1);
    (own + phis + sigmas.sum::<usize>() + 2 * view.copies().len()) as u64
}

/// At the starts of how many blocks the variables of an SSA program are live, all together.
fn live_at_starts(code: &Code) -> u64 {
    let mut needed = vec![Vec::new(); code.variable_count()];
    for pos in code.order().iter().flat_map(|&block| code.positions(block)) {
        if code.is_phi(pos) {
            for (var, edge) in code.phi_uses(pos) {
                needed[var.index()].push(code.graph().source(edge));
            }
        } else {
            for var in code.uses(pos) {
                needed[var.index()].push(code.block(pos));
            }
        }
    }
    // By block: the last variable that was found live there, or defined.
    let mut seen = vec![usize::MAX; code.graph().node_count()];
    let mut count = 0;
    for (var, mut list) in needed.into_iter().enumerate() {
        let def = code.definition(Var::new(var));
        seen[def.map_or(code.graph().entry(), |pos| code.block(pos)).index()] = var;
        while let Some(block) = list.pop() {
            if seen[block.index()] != var && code.is_reachable(block) {
                seen[block.index()] = var;
                count += 1;
                list.extend(code.graph().predecessors(block));
            }
        }
    }
    count
}

/// Splits a program, with nothing kept from another.
#[inline(never)]
fn split_alone(code: &Arc<Code>, strategy: Strategy) -> View {
    Ssify::new(code.clone()).view(strategy)
}

/// Splits each function of at least so many instructions alone.
pub(crate) fn growth(subject: &Subject<'_>, least: usize, repeat: u32) -> Vec<Growth> {
    let large = subject.functions.iter().filter(|f| f.inst_count() >= least);
    let one = |f: &Function| {
        let code = tables(f);
        let (abcd, _) = fastest(repeat, || split_alone(&code, Strategy::ABCD));
        let (ssi, view) = fastest(repeat, || split_alone(&code, Strategy::SSI));
        let (singer, _) = fastest(repeat, || singer(&mut Ssify::new(code.clone())));
        let inserted = view.inserted() as u64;
        let (read, operands) = (operands_read(&code), operands(&view));
        let (instructions, live) = (code.len() as u64, live_at_starts(&code));
        Growth { instructions, inserted, read, operands, live, abcd, ssi, singer }
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
        functions: &[&Function],
        repeat: u32,
        analysis: &A,
    ) -> Versus {
        let options = Options { widen_after: Some(3), narrow_rounds: 0 };
        let mut all = Versus { name: A::NAME, least: f64::INFINITY, ..Versus::default() };
        let mut solver = Solver::default();
        for f in functions {
            let code = Arc::new(complete(Code::of(*f, analysis)));
            let (sparse, _) = fastest(repeat, || {
                let (_, solution) = solver.solve_tables(*f, &code, &mut analysis.clone(), options);
                black_box(solution);
            });
            let (dense, _) = fastest(repeat, || solve_blocks(*f, &code, analysis, options));
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

/// Compares sparse with dense solving, analysis by analysis. Both start from the tables of the variables that the analysis
/// follows; the sparse side includes splitting and chains.
pub(crate) fn versus(subject: &Subject<'_>, repeat: u32) -> Vec<Versus> {
    let large = subject.functions.iter().filter(|f| f.inst_count() > 1000);
    let list: Vec<_> = large.collect();
    let taint = Taint { sources: vec!["fgetc".into(), "read".into()], ..Taint::default() };
    vec![
        Versus::of(&list, repeat, &Constants),
        Versus::of(&list, repeat, &Ranges),
        Versus::of(&list, repeat, &KnownBits),
        Versus::of(&list, repeat, &NullPointers),
        Versus::of(&list, repeat, &ReachingDefinitions),
        Versus::of(&list, repeat, &taint),
        Versus::of(&list, repeat, &DemandedBits),
        Versus::of(&list, repeat, &Classes { occurrences: false }),
    ]
}

/// The sparse side of a comparison, for a profiler.
fn sparse_each<A>(functions: &[Function], repeat: u32, analysis: &A) -> Duration
where
    A: Analysis<Function> + Clone,
{
    let large: Vec<_> = functions.iter().filter(|f| f.inst_count() > 1000).collect();
    let codes = large.iter().map(|f| Arc::new(complete(Code::of(*f, analysis))));
    let list: Vec<_> = large.iter().zip(codes).collect();
    let mut solver = Solver::default();
    fastest_each(repeat, &list, |(f, code)| sparse_one(&mut solver, f, code, analysis)).0
}

#[inline(never)]
fn sparse_one<A: Analysis<Function> + Clone>(
    solver: &mut Solver<A::Domain>,
    f: &Function,
    code: &Arc<Code>,
    analysis: &A,
) {
    black_box(solver.solve_tables(f, code, &mut analysis.clone(), Options::default()));
}

/// Does one thing many times: for a profiler.
pub(crate) fn spin(subject: &Subject<'_>, what: &str, repeat: u32) -> Duration {
    let functions = &subject.functions;
    let mut ssify = Ssify::new(Arc::new(Code::new(&functions[0])));
    let tables = || fastest_each(repeat, functions, tables);
    let ranges = |f: &Function, code: &Arc<Code>| {
        let strategy = |var| Analysis::<Function>::strategy(&Ranges, f, var);
        Ssify::new(code.clone()).view_each(strategy)
    };
    match what {
        "versus-demanded" => {
            let large: Vec<_> = functions.iter().filter(|f| f.inst_count() > 1000).collect();
            let v = Versus::of(&large, repeat, &DemandedBits);
            println!("{} {:?} {:?} {:.2}", v.name, v.sparse, v.dense, v.ratio());
            Duration::ZERO
        }
        "versus" => {
            for v in versus(subject, repeat) {
                println!("{} {:?} {:?} {:.2}", v.name, v.sparse, v.dense, v.ratio());
            }
            Duration::ZERO
        }
        "tables" => tables().0,
        "demanded" => sparse_each(functions, repeat, &DemandedBits),
        "null" => sparse_each(functions, repeat, &NullPointers),
        "ranges" => ranges_of_each(functions, repeat),
        "cores" => {
            (0..repeat).map(|_| whole_module(functions, all_cores())).min().unwrap_or_default()
        }
        // The sizes by which growth is measured; what is executed for each can be counted by a profiler.
        "growth" => {
            for f in functions.iter().filter(|f| f.inst_count() >= 100) {
                let code = Arc::new(Code::new(f));
                let view = split_alone(&code, Strategy::SSI);
                let read = operands_read(&code);
                println!("size {} {} {}", code.len(), view.inserted(), read + operands(&view));
            }
            Duration::ZERO
        }
        "singer" => {
            let one = |code: &Arc<Code>| {
                ssify.turn_to(code.clone());
                singer(&mut ssify).inserted()
            };
            fastest_each(repeat, &tables().1, one).0
        }
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
