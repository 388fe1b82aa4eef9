//! What a corpus of random programs covers.

use super::inputs::Observed;
use crate::cfg::Cfg;
use crate::function::Function;
use crate::inst::Op;
use crate::interp::{Next, RunError, Trace};
use crate::module::Module;
use lw_graph::{DominatorTree, LoopForest};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

/// Counts of what was in programs and what happened in their runs. Printed as a table.
#[derive(Clone, Default, Debug)]
pub struct Coverage {
    /// Programs and functions.
    pub programs: u64,
    functions: u64,
    blocks: u64,
    insts: u64,
    unreachable: u64,
    irreducible: u64,
    parallel_edges: u64,
    predicated: u64,
    total: u64,
    loops: u64,
    by_depth: BTreeMap<usize, u64>,
    by_exits: BTreeMap<usize, u64>,
    by_latches: BTreeMap<usize, u64>,
    by_op: BTreeMap<String, u64>,
    by_intrinsic: BTreeMap<String, u64>,
    types: BTreeMap<String, u64>,
    /// Runs by how they ended.
    runs: BTreeMap<String, u64>,
    steps: u64,
    bytes: (u64, u64),
    branches: u64,
    divergent: u64,
    /// What a target counts beside, by name.
    features: BTreeMap<String, u64>,
}

impl Coverage {
    /// Counts a program.
    pub fn add_module(&mut self, module: &Module) {
        self.programs += 1;
        for function in &module.functions {
            self.add_function(function);
        }
    }

    fn add_function(&mut self, function: &Function) {
        let Some(cfg) = Cfg::compute(function) else { return };
        self.functions += 1;
        self.blocks += function.blocks().len() as u64;
        let dominators = DominatorTree::compute(cfg.graph());
        let loops = LoopForest::compute(cfg.graph());
        self.irreducible += u64::from(!loops.is_reducible());
        for l in loops.loops() {
            self.loops += 1;
            *self.by_depth.entry(loops.loop_depth(l)).or_default() += 1;
            *self.by_exits.entry(loops.exiting_edges(l).len().min(9)).or_default() += 1;
            *self.by_latches.entry(loops.latches(l).len().min(9)).or_default() += 1;
        }
        for &block in function.blocks() {
            self.unreachable += u64::from(!dominators.is_reachable(cfg.node(block)));
            self.predicated += u64::from(function.predicate(block).is_some());
            let mut targets = function.successors(block).to_vec();
            let all = targets.len();
            targets.sort();
            targets.dedup();
            self.parallel_edges += u64::from(targets.len() < all);
        }
        for (_, inst) in function.all_insts() {
            let data = &function[inst];
            self.insts += 1;
            self.total += u64::from(data.total);
            let mut name = data.op.mnemonic().to_string();
            match &data.op {
                Op::CondBr => name = "br (conditional)".into(),
                Op::Horizontal(crate::ops::Horizontal::Reduce(op)) => name += op.name(),
                Op::AtomicRmw(op, _) => name = format!("atomicrmw {}", op.name()),
                _ => {}
            }
            *self.by_op.entry(name).or_default() += 1;
            if data.result.is_some() {
                let ty = crate::print::Ty(&function.types, data.ty).to_string();
                if data.ty.scalar().is_some() {
                    *self.types.entry(ty).or_default() += 1;
                }
            }
            let callee = data.op.call().and_then(|_| function.as_symbol(data.args[0]));
            if let Some(symbol) = callee {
                let name = function.symbols.get(symbol).name.as_str().unwrap_or_default();
                if let Some(intrinsic) = name.strip_prefix("llvm.") {
                    // Without the types.
                    let words = intrinsic.split('.').filter(|w| !is_type_suffix(w));
                    let base: Vec<&str> = words.collect();
                    *self.by_intrinsic.entry(base.join(".")).or_default() += 1;
                }
            }
        }
    }

    /// Counts a run of a program in the interpreter.
    pub fn add_run(&mut self, module: &Module, run: &Result<Observed, RunError>) {
        match run {
            Ok(seen) => {
                self.add_end(if seen.open { "open" } else { "defined" });
                self.steps += seen.outcome.steps;
                self.add_bytes(&seen.memory);
                if let Some(trace) = &seen.outcome.trace {
                    self.add_trace(module, trace);
                }
            }
            Err(error) => self.add_error(error),
        }
    }

    /// Counts a run that ended without a result.
    pub fn add_error(&mut self, error: &RunError) {
        self.add_end(if error.kind.is_undefined_behaviour() {
            "undefined behaviour"
        } else if error.kind.is_limit() {
            "limit"
        } else {
            "other error"
        });
    }

    /// Counts a run that showed these bytes.
    pub fn add_result(&mut self, bytes: &[Option<u8>], open: bool, steps: u64) {
        self.add_end(if open { "open" } else { "defined" });
        self.steps += steps;
        self.add_bytes(bytes);
    }

    /// Counts something that a target is about.
    pub fn add_feature(&mut self, name: &str, count: u64) {
        *self.features.entry(name.into()).or_default() += count;
    }

    fn add_end(&mut self, how: &str) {
        *self.runs.entry(how.into()).or_default() += 1;
    }

    fn add_bytes(&mut self, bytes: &[Option<u8>]) {
        self.bytes.0 += bytes.iter().filter(|b| b.is_some()).count() as u64;
        self.bytes.1 += bytes.len() as u64;
    }

    /// Counts the branches of a run, and those at which threads parted.
    fn add_trace(&mut self, module: &Module, trace: &Trace) {
        let (mut seen, mut parted) = (BTreeSet::new(), BTreeSet::new());
        for step in &trace.steps {
            let next = |t: usize| match &step.after[t].next {
                Next::Block(block) if step.active[t] => Some(*block),
                _ => None,
            };
            let targets: BTreeSet<_> = (0..step.after.len()).filter_map(next).collect();
            let successors = module.functions[step.function].successors(step.block);
            if successors.iter().any(|block| *block != successors[0]) {
                seen.insert((step.function, step.block));
            }
            if targets.len() > 1 {
                parted.insert((step.function, step.block));
            }
        }
        self.branches += seen.len() as u64;
        self.divergent += parted.len() as u64;
    }

    /// Every count by name, to be sent to another process.
    pub fn counts(&self) -> BTreeMap<String, u64> {
        let mut all = BTreeMap::new();
        let mut copy = self.clone();
        copy.each(&mut |name, count| {
            all.insert(name.to_string(), *count);
        });
        all
    }

    /// Adds counts by name, as [`Coverage::counts`] lists them.
    pub fn add_counts(&mut self, counts: &BTreeMap<String, u64>) {
        for (name, n) in counts {
            let (group, key) = name.split_once('\t').unwrap_or((name, ""));
            let number = key.parse().unwrap_or(0);
            let to = match group {
                "depth" => Some(self.by_depth.entry(number).or_default()),
                "exits" => Some(self.by_exits.entry(number).or_default()),
                "latches" => Some(self.by_latches.entry(number).or_default()),
                "op" => Some(self.by_op.entry(key.into()).or_default()),
                "intrinsic" => Some(self.by_intrinsic.entry(key.into()).or_default()),
                "type" => Some(self.types.entry(key.into()).or_default()),
                "run" => Some(self.runs.entry(key.into()).or_default()),
                "feature" => Some(self.features.entry(key.into()).or_default()),
                _ => None,
            };
            match to {
                Some(to) => *to += n,
                None => self.each(&mut |known, count| {
                    if known == name {
                        *count += n;
                    }
                }),
            }
        }
    }

    /// Visits every count with its name.
    fn each(&mut self, visit: &mut dyn FnMut(&str, &mut u64)) {
        let plain: [(&str, &mut u64); 15] = [
            ("programs", &mut self.programs),
            ("functions", &mut self.functions),
            ("blocks", &mut self.blocks),
            ("insts", &mut self.insts),
            ("unreachable", &mut self.unreachable),
            ("irreducible", &mut self.irreducible),
            ("parallel", &mut self.parallel_edges),
            ("predicated", &mut self.predicated),
            ("total", &mut self.total),
            ("loops", &mut self.loops),
            ("steps", &mut self.steps),
            ("defined", &mut self.bytes.0),
            ("bytes", &mut self.bytes.1),
            ("branches", &mut self.branches),
            ("divergent", &mut self.divergent),
        ];
        for (name, count) in plain {
            visit(name, count);
        }
        let numbered = [
            ("depth", &mut self.by_depth),
            ("exits", &mut self.by_exits),
            ("latches", &mut self.by_latches),
        ];
        for (group, map) in numbered {
            map.iter_mut().for_each(|(key, n)| visit(&format!("{group}\t{key}"), n));
        }
        let named = [
            ("op", &mut self.by_op),
            ("intrinsic", &mut self.by_intrinsic),
            ("type", &mut self.types),
            ("run", &mut self.runs),
            ("feature", &mut self.features),
        ];
        for (group, map) in named {
            map.iter_mut().for_each(|(key, n)| visit(&format!("{group}\t{key}"), n));
        }
    }

    /// The share of runs that ended in undefined behaviour.
    pub fn undefined_share(&self) -> f64 {
        let all: u64 = self.runs.values().sum();
        share(self.runs.get("undefined behaviour").copied().unwrap_or(0), all)
    }

    /// How often each operation occurs, by its keyword.
    pub fn operations(&self) -> &BTreeMap<String, u64> {
        &self.by_op
    }

    /// How many loops have so many exits; 9 stands for more.
    pub fn loops_by_exits(&self) -> &BTreeMap<usize, u64> {
        &self.by_exits
    }

    /// The branches at which threads parted, and all that were executed, each counted once for a run.
    pub fn divergent_branches(&self) -> (u64, u64) {
        (self.divergent, self.branches)
    }
}

fn share(part: u64, all: u64) -> f64 {
    if all == 0 { 0.0 } else { part as f64 / all as f64 }
}

/// Whether a word of an intrinsic's name is a type: `i32`, `v4f32`, `p0`, `bf16`.
fn is_type_suffix(word: &str) -> bool {
    let rest =
        word.strip_prefix('v').map_or(word, |r| r.trim_start_matches(|c: char| c.is_ascii_digit()));
    ["i", "f", "p", "bf"].iter().any(|kind| {
        rest.strip_prefix(kind)
            .is_some_and(|n| !n.is_empty() && n.bytes().all(|b| b.is_ascii_digit()))
    })
}

impl fmt::Display for Coverage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let row = |f: &mut fmt::Formatter<'_>, name: &str, text: String| {
            writeln!(f, "  {name:<24} {text}")
        };
        let histogram = |map: &BTreeMap<usize, u64>| {
            let cells: Vec<String> = map
                .iter()
                .map(|(k, n)| format!("{k}{}: {n}", if *k == 9 { "+" } else { "" }))
                .collect();
            cells.join("  ")
        };
        let list = |map: &BTreeMap<String, u64>| {
            let cells: Vec<String> = map.iter().map(|(k, n)| format!("{k} {n}")).collect();
            cells.join(", ")
        };
        writeln!(f, "covered:")?;
        row(f, "programs", format!("{} with {} functions", self.programs, self.functions))?;
        row(f, "blocks, instructions", format!("{}, {}", self.blocks, self.insts))?;
        row(f, "unreachable blocks", self.unreachable.to_string())?;
        row(f, "parallel edges", self.parallel_edges.to_string())?;
        row(f, "irreducible functions", self.irreducible.to_string())?;
        row(f, "predicates, total", format!("{}, {}", self.predicated, self.total))?;
        row(f, "loops", self.loops.to_string())?;
        row(f, "loops by depth", histogram(&self.by_depth))?;
        row(f, "loops by exits", histogram(&self.by_exits))?;
        row(f, "loops by latches", histogram(&self.by_latches))?;
        let all: u64 = self.runs.values().sum();
        let ends: Vec<String> = self
            .runs
            .iter()
            .map(|(how, n)| format!("{how} {n} ({:.1} %)", 100.0 * share(*n, all)))
            .collect();
        row(f, "runs", format!("{all}: {}", ends.join(", ")))?;
        row(f, "steps", self.steps.to_string())?;
        let defined = 100.0 * share(self.bytes.0, self.bytes.1);
        row(f, "defined bytes", format!("{defined:.1} % of {}", self.bytes.1))?;
        if self.branches > 0 {
            let text = format!("{} of {} executed", self.divergent, self.branches);
            row(f, "divergent branches", text)?;
        }
        row(f, "operations", list(&self.by_op))?;
        row(f, "intrinsics", list(&self.by_intrinsic))?;
        row(f, "types of results", list(&self.types))?;
        for (name, count) in &self.features {
            row(f, name, count.to_string())?;
        }
        Ok(())
    }
}
