//! The loops that `#pragma omp simd` and `#pragma clang loop vectorize` mark.

use crate::Settings;
use crate::costs::{Choice, Costs, LaneCosts, most_lanes, register_width};
use crate::variants::{census, make_callees, words};
use lw_ir::{Block, Function, Inst, Value};
use lw_llvm::{
    ApartTest, Bridge, CostTables, Dependences, Fate, FunctionId, Imported, MarkedLoop, Module,
    Origins, RemarkKind, Result,
};
use lw_vectorize::calls::{Calls, Math};
use lw_vectorize::loops::trial::{self, Trial};
use lw_vectorize::loops::{FoundLoop, LoopOptions, LoopPipeline, Remainder};
use lw_vectorize::target::has_masks;
use lw_vectorize::{Declined, Likelihoods, Statistics};
use std::collections::{HashMap, HashSet};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

/// What became of a loop.
struct Outcome {
    /// Its place among the loops of the function.
    index: usize,
    mark: MarkedLoop,
    width: u32,
    /// Whether its iterations are only done together if memory is found to be apart.
    tested: bool,
    /// Whether they share what each should have for itself.
    shares: bool,
    /// What was found out about its costs.
    costs: Option<Costs>,
    /// How many lanes the second vectorized loop has, in which each goes its own way.
    alone: Option<u32>,
    done: std::result::Result<Statistics, Declined>,
}

/// Vectorizes all marked loops of a module; `math` says which mathematical functions may be those of libmvec. Whether there were any: then the module was changed.
///
/// # Errors
/// If the module cannot be read.
pub fn vectorize_loops(
    module: &mut Module<'_>,
    tables: &CostTables<'_>,
    settings: &Settings,
    math: Math,
) -> Result<bool> {
    if !settings.all_legal && !module.has_marked_loops() {
        return Ok(false);
    }
    let bodies = module.bodies().into_iter().collect();
    let calls = Arc::new(Calls { bodies, math, isa: None });
    let tries = !settings.force && !settings.all_legal;
    let clock = if tries { clock(&module.triple()) } else { None };
    let wishes = Wishes { settings, tables, calls, clock };
    let mut bridge = module.bridge()?;
    let functions = match settings.all_legal {
        true => bridge.functions(),
        false => bridge.functions_with_marked_loops(),
    };
    for id in functions {
        // One function that cannot be written is no reason to leave the others as they are.
        if let Err(error) = one_function(&mut bridge, id, &wishes) {
            eprintln!("laneweaver: {error}");
        }
        bridge.restore_loops(id);
    }
    Ok(true)
}

/// What holds for all loops of a module.
struct Wishes<'a> {
    settings: &'a Settings,
    tables: &'a CostTables<'a>,
    calls: Arc<Calls>,
    /// The intrinsic that reads a clock, if loops are tried.
    clock: Option<&'static str>,
}

fn one_function(bridge: &mut Bridge<'_, '_>, id: FunctionId, wishes: &Wishes<'_>) -> Result<()> {
    let mut attempt = Attempt::make(bridge, id, wishes, None)?;
    let tested = |outcome: &&Outcome| outcome.tested && outcome.done.is_ok();
    if attempt.outcomes.iter().any(|outcome| tested(&outcome)) {
        let mut tests = HashMap::new();
        for outcome in attempt.outcomes.iter().filter(tested) {
            let origins = &attempt.imported.origins;
            let test = bridge.test_apart(origins, outcome.mark.latch, outcome.width)?;
            tests.extend(test.map(|test| (outcome.index, test)));
        }
        let earlier = Earlier { tests, outcomes: attempt.outcomes };
        attempt = Attempt::make(bridge, id, wishes, Some(&earlier))?;
    }
    let Attempt { imported, function, outcomes } = attempt;
    let origins = &imported.origins;
    let tried = |outcome: &&Outcome| outcome.done.as_ref().is_ok_and(|done| done.tried);
    for outcome in outcomes.iter().filter(tried) {
        bridge.add_variable(&trial_name(&function, outcome.index), trial::STATE_BYTES);
        if outcome.alone.is_some() {
            bridge.add_variable(&own_ways(&function, outcome.index), trial::STATE_BYTES);
        }
    }
    for outcome in &outcomes {
        report(bridge, origins, outcome)?;
        let fate = match outcome.done {
            Ok(statistics) if statistics.tried => Fate::Alternative,
            Ok(_) => Fate::Rest,
            // LLVM would vectorize what is marked whatever it costs.
            Err(_) if outcome.costs.as_ref().is_some_and(Costs::against) => Fate::Slower,
            Err(_) if outcome.shares => Fate::Doubted,
            Err(_) => Fate::Unchanged,
        };
        bridge.settle_loop(origins, outcome.mark.latch, fate)?;
    }
    if outcomes.iter().any(|outcome| outcome.done.is_ok()) {
        bridge.replace_body(&function, origins)?;
        make_callees(bridge, &function, &wishes.calls)?;
    }
    if outcomes.iter().any(|outcome| tried(&outcome)) {
        add_trials(bridge, id)?;
    }
    Ok(())
}

/// The clock that a program may read, if there is one.
fn clock(triple: &str) -> Option<&'static str> {
    match triple.split('-').next()? {
        "x86_64" | "i386" | "i486" | "i586" | "i686" => Some("llvm.readcyclecounter"),
        "aarch64" | "riscv64" => Some("llvm.readsteadycounter"),
        _ => None,
    }
}

/// The variable of a trial. No other function has this name.
fn trial_name(function: &Function, index: usize) -> String {
    let name = function.name.to_string();
    format!("laneweaver.trial.{}.{index}", name.trim_start_matches('@'))
}

/// The variable of the trial in which lanes go their own ways.
fn own_ways(function: &Function, index: usize) -> String {
    format!("{}.alone", trial_name(function, index))
}

/// A function tries loops: what that needs.
fn add_trials(bridge: &mut Bridge<'_, '_>, id: FunctionId) -> Result<()> {
    for function in trial::functions() {
        let name = function.name.as_str().expect("it has one");
        if bridge.find(name).is_err() {
            let new = bridge.add_function(&function, None)?;
            bridge.hide(new);
        }
    }
    bridge.forget_effects(id);
    Ok(())
}

/// What an attempt without tests left.
struct Earlier {
    /// The tests that were made for loops, by their places among the loops of the function.
    tests: HashMap<usize, ApartTest>,
    outcomes: Vec<Outcome>,
}

impl Earlier {
    /// What was decided by the costs of a loop: how many iterations are done together, or why none.
    fn decision(&self, index: usize) -> Option<(std::result::Result<u32, Declined>, Costs)> {
        let outcome = self.outcomes.iter().find(|outcome| outcome.index == index)?;
        let decided = outcome.done.as_ref().map(|_| outcome.width).map_err(Declined::clone);
        Some((decided, outcome.costs.clone()?))
    }
}

/// A function with its loops vectorized.
struct Attempt {
    imported: Imported,
    function: Function,
    outcomes: Vec<Outcome>,
}

impl Attempt {
    /// Vectorizes the loops of a function as it is now. Before tests are made, memory is taken to be apart where one can be made;
    /// then only behind one.
    fn make(
        bridge: &mut Bridge<'_, '_>,
        id: FunctionId,
        wishes: &Wishes<'_>,
        earlier: Option<&Earlier>,
    ) -> Result<Attempt> {
        let settings = wishes.settings;
        let imported = bridge.import(id);
        let origins = &imported.origins;
        let mut function = imported.function.clone();
        let mut outcomes: Vec<Outcome> = Vec::new();
        let mut taken: Vec<Block> = Vec::new();
        let likelihoods: Likelihoods = Arc::new(bridge.likelihoods(origins)?.into_iter().collect());
        let truths = Arc::new(values_from(&function, &bridge.truths(origins)?));
        let scalar = match settings.all_legal {
            true => Vec::new(),
            false => bridge.costs(wishes.tables, origins)?,
        };
        let mut times = LaneCosts::new(wishes.tables, origins);
        for (index, mark) in bridge.loops(origins, settings.all_legal)?.into_iter().enumerate() {
            let Some(here) = FoundLoop::by_latch(&function, mark.latch) else { continue };
            if taken.contains(&here.latch) {
                continue;
            }
            let decided = earlier.and_then(|earlier| earlier.decision(index));
            let named = mark.width.or(settings.width());
            let remainder = settings.remainder().unwrap_or_else(|| default_remainder(&function));
            let most = most_lanes(mark.iterations, remainder);
            let width = match &decided {
                Some((Ok(width), _)) => *width,
                _ => named.unwrap_or_else(|| register_width(&function, &here).min(most)),
            };
            let mut options = LoopOptions::new(width, bridge.layout().clone());
            options.reorder = mark.openmp;
            options.apart = mark.openmp && mark.may_have_clauses;
            options.parallel = mark.parallel;
            options.remainder = remainder;
            options.boscc = settings.boscc();
            options.likelihoods = likelihoods.clone();
            options.truths = truths.clone();
            if !settings.all_legal {
                options.times = times.of(bridge, width);
            }
            options.calls = wishes.calls.clone();
            let name = trial_name(&function, index);
            options.trial =
                wishes.clock.map(|clock| Trial { state: name.clone(), clock, within: None });
            options.only_if = earlier
                .and_then(|earlier| earlier.tests.get(&index))
                .and_then(|&test| bridge.origin_of(origins, test))
                .and_then(|origin| value_from(&function, origin));
            let ready = ready(bridge, origins, &mark, &here, width)?;
            let tested = ready == Ok(Ready::IfApart);
            let shares = matches!(ready, Ok(Ready::Shares(_) | Ready::InTurn(_)));
            if let Ok(Ready::InTurn(objects)) = &ready {
                let object = |&origin| value_from(&function, origin).expect("it was imported");
                options.in_turn = objects.iter().map(object).collect();
            }
            let same = |other: Ready| ready.as_ref() == Ok(&other);
            let (done, costs) = match (ready.clone(), decided) {
                (Err(declined) | Ok(Ready::Shares(declined)), _) => (Err(declined), None),
                (Ok(Ready::IfApart), _) if earlier.is_some() && options.only_if.is_none() => {
                    (Err(may_overlap(&mark, "what it reads and writes may overlap")), None)
                }
                (_, Some((Err(declined), costs))) => (Err(declined), Some(costs)),
                (_, Some((Ok(_), costs))) => {
                    (vectorized(&function, &here, &options).map(|it| (width, it)), Some(costs))
                }
                (Ok(_), None) if named.is_some() || settings.all_legal => {
                    (vectorized(&function, &here, &options).map(|it| (width, it)), None)
                }
                (Ok(_), None) => {
                    let choice = Choice {
                        function: &function,
                        here: &here,
                        options: &options,
                        iterations: mark.iterations,
                        most,
                        tables: wishes.tables,
                        scalar: &scalar,
                        force: settings.force,
                        called: mark.called,
                    };
                    choice.make(bridge, &mut times, |bridge, wider| {
                        let then = self::ready(bridge, origins, &mark, &here, wider);
                        then.is_ok_and(|then| then.is_ok_and(same))
                    })
                }
            };
            let (width, done) = match done {
                Ok((width, it)) => {
                    let asks = it.asks_where_to_go();
                    (width, guarded(|| Ok((it.finish(), asks))))
                }
                Err(declined) => (width, Err(declined)),
            };
            let mut alone = None;
            let done = match done {
                Ok(((vector, statistics), asks)) => {
                    function = vector;
                    taken.extend(&here.blocks);
                    if statistics.tried && asks {
                        options.width = width;
                        options.alone = true;
                        let state = own_ways(&function, index);
                        options.trial =
                            wishes.clock.map(|clock| Trial { state, clock, within: Some(name) });
                        // What is the scalar loop for this trial is what lanes that go along are compared with.
                        if let Ok(it) = vectorized(&function, &here, &options)
                            && let Ok((vector, _)) = guarded(|| Ok(it.finish()))
                        {
                            function = vector;
                            alone = Some(width);
                        }
                    }
                    Ok(statistics)
                }
                Err(declined) => Err(declined),
            };
            outcomes.push(Outcome { index, mark, width, tested, shares, costs, alone, done });
        }
        Ok(Attempt { imported, function, outcomes })
    }
}

/// Vectorizes a loop, up to putting it in its place.
pub(crate) fn vectorized(
    function: &Function,
    here: &FoundLoop,
    options: &LoopOptions,
) -> std::result::Result<LoopPipeline, Declined> {
    guarded(|| {
        let mut it = LoopPipeline::new(function, here.header, options)?;
        it.run()?;
        Ok(it)
    })
}

/// What goes wrong must not end the compiler.
fn guarded<T>(
    it: impl FnOnce() -> std::result::Result<T, Declined>,
) -> std::result::Result<T, Declined> {
    catch_unwind(AssertUnwindSafe(it))
        .unwrap_or_else(|_| Err(Declined::region("an error in the vectorizer", "please report it")))
}

/// The value of the instruction of this origin itself, not of one that was made from it.
fn value_from(function: &Function, origin: u32) -> Option<Value> {
    let is_it = |&(_, inst): &(Block, Inst)| {
        let data = &function[inst];
        !data.derived && data.origin.expand().is_some_and(|o| o.as_u32() == origin)
    };
    let (_, inst) = function.all_insts().find(is_it)?;
    function[inst].result.expand()
}

/// The same for many origins.
fn values_from(function: &Function, origins: &[u32]) -> HashSet<Value> {
    let origins: HashSet<u32> = origins.iter().copied().collect();
    let is_one = |inst: Inst| {
        let data = &function[inst];
        !data.derived && data.origin.expand().is_some_and(|o| origins.contains(&o.as_u32()))
    };
    let found = function.all_insts().filter(|&(_, inst)| is_one(inst));
    found.filter_map(|(_, inst)| function[inst].result.expand()).collect()
}

/// Whether iterations of a loop can be done together.
#[derive(Clone, PartialEq, Eq, Debug)]
enum Ready {
    Yes,
    IfApart,
    /// If they only update these objects, by their origins, and do so one after the other.
    InTurn(Vec<u32>),
    /// Not if they share what each should have for itself.
    Shares(Declined),
}

fn ready(
    bridge: &Bridge<'_, '_>,
    origins: &Origins,
    mark: &MarkedLoop,
    here: &FoundLoop,
    width: u32,
) -> Result<std::result::Result<Ready, Declined>> {
    if width < 2 {
        return Ok(Err(Declined::region("a width of one was asked for", "ask for more")));
    }
    if mark.may_panic {
        let help = "use iterators or `get`, or slices of the same length, so that no bounds are checked; do not leave the loop early";
        return Ok(Err(Declined::region("an iteration may panic or end the loop", help)));
    }
    if mark.may_end {
        let help = "throw no exceptions in it; end the program by a function that is `_Noreturn` and `nothrow`; in a pipeline of `opt` begin with `laneweaver-start`";
        return Ok(Err(Declined::region("an iteration may end the program", help)));
    }
    if mark.may_throw {
        return Ok(Err(match mark.called {
            true => Declined::region("what it calls may panic", "let it be inlined"),
            false => {
                let help = "mark what is called `noexcept`, or the function";
                Declined::region("an exception may leave the loop", help)
            }
        }));
    }
    if mark.counted {
        let help = "count for profiles by `-fprofile-generate`";
        return Ok(Err(Declined::region("clang counts in it how often control comes where", help)));
    }
    if mark.parallel {
        // What is promised of other loops than those of OpenMP is about elements, not about a variable that all iterations use.
        let fixed = !mark.may_have_clauses;
        let mut shared = Vec::new();
        while let Some(conflict) =
            bridge.conflict_on_stack(origins, mark.latch, width, fixed, &shared)?
        {
            match conflict.object {
                Some(object) if !shared.contains(&object) => shared.push(object),
                _ => {
                    let help = "write to memory that is not on the stack";
                    let declined = Declined::region(conflict.reason, help);
                    return Ok(Ok(Ready::Shares(declined)));
                }
            }
        }
        return Ok(Ok(match shared.is_empty() {
            true => Ready::Yes,
            false => Ready::InTurn(shared),
        }));
    }
    if !here.reducible {
        return Ok(Ok(Ready::Yes));
    }
    Ok(match bridge.dependences(origins, mark.latch, width)? {
        Dependences::None => Ok(Ready::Yes),
        Dependences::NoneIfApart => Ok(Ready::IfApart),
        Dependences::Conflict(conflict) => Err(may_overlap(mark, conflict)),
    })
}

fn may_overlap(mark: &MarkedLoop, conflict: impl Into<String>) -> Declined {
    let conflict: String = conflict.into();
    let help = match (conflict.starts_with("a call"), mark.called) {
        (true, true) => {
            "if it does nothing that other iterations notice, say so: `#[laneweaver::loops(independent)]`"
        }
        (false, true) => "if they do not, say so: `#[laneweaver::loops(independent)]`",
        (true, false) => {
            "if it does nothing that other iterations notice, say so: `__attribute__((const))`, -fno-math-errno, `#pragma clang loop vectorize(assume_safety)` or `#pragma omp simd`"
        }
        (false, false) => {
            "if they do not, say so: `restrict`, `#pragma clang loop vectorize(assume_safety)` or `#pragma omp simd`"
        }
    };
    Declined::region(conflict, help)
}

fn report(
    bridge: &Bridge<'_, '_>,
    origins: &Origins,
    Outcome { mark, width, tested, costs, alone, done, .. }: &Outcome,
) -> Result<()> {
    if let Some(costs) = costs {
        let kind = RemarkKind::Analysis;
        bridge.remark_at(origins, mark.latch, true, kind, "Costs", &costs.to_string())?;
    }
    if mark.nontemporal {
        let text = "`nontemporal` has no effect: clang does not say which accesses it is about; use `__builtin_nontemporal_store`";
        let kind = RemarkKind::Missed;
        bridge.remark_at(origins, mark.latch, true, kind, "Nontemporal", text)?;
    }
    match done {
        Ok(statistics) => {
            let test = if *tested { " if what it reads and writes does not overlap" } else { "" };
            let trial = match (statistics.tried, alone) {
                (false, _) => "",
                (true, None) => " where trials find that faster",
                (true, Some(_)) => {
                    " where trials find that faster, with lanes that go along or each on its own"
                }
            };
            let words = words(statistics);
            let text =
                format!("vectorized loop, {width} iterations at a time{test}{trial}: {words}");
            bridge.remark_at(origins, mark.latch, true, RemarkKind::Passed, "Vectorized", &text)?;
            let text = format!("statistics of {width} lanes: {}", census(statistics));
            bridge.remark_at(origins, mark.latch, true, RemarkKind::Analysis, "Statistics", &text)
        }
        Err(declined) => {
            let text = format!("loop not vectorized: {declined}");
            bridge.remark_at(
                origins,
                mark.latch,
                true,
                RemarkKind::Missed,
                "NotVectorized",
                &text,
            )?;
            match declined.origin {
                Some(origin) => {
                    let text = format!("{}; {}", declined.reason, declined.help);
                    let kind = RemarkKind::Analysis;
                    bridge.remark_at(origins, origin, false, kind, "NotVectorized", &text)
                }
                None => Ok(()),
            }
        }
    }
}

/// Where each instruction may have a mask, a masked vector does the rest of the iterations in less time than the scalar loop does.
fn default_remainder(function: &Function) -> Remainder {
    match has_masks(function) {
        true => Remainder::Masked,
        false => Remainder::Scalar,
    }
}
