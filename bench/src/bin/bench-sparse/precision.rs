//! Our ranges beside LazyValueInfo's, use by use.

use crate::arcs::{Arcs, Order};
use crate::subject::Subject;
use lw_ir::{Function, Op};
use lw_llvm::{LazyRanges, UseRange};
use lw_sparse::analyses::{Intervals, Ranges};
use lw_sparse::{Options, Solution, View, function, solve};
use serde_json::json;
use std::collections::BTreeMap;

/// How many uses of each kind.
#[derive(Clone, Copy, Default, Debug)]
pub(crate) struct Tally {
    pub(crate) equal: u64,
    pub(crate) tighter: u64,
    pub(crate) weaker: u64,
    /// Counted as weaker too.
    pub(crate) incomparable: u64,
}

impl Tally {
    fn add(&mut self, order: Order) {
        match order {
            Order::Equal => self.equal += 1,
            Order::Tighter => self.tighter += 1,
            Order::Weaker => self.weaker += 1,
            Order::Incomparable => {
                self.weaker += 1;
                self.incomparable += 1;
            }
        }
    }

    pub(crate) fn all(&self) -> u64 {
        self.equal + self.tighter + self.weaker
    }

    /// The share of uses at which we know at least as much.
    pub(crate) fn never_weaker(&self) -> f64 {
        1.0 - self.weaker as f64 / self.all().max(1) as f64
    }

    fn json(&self) -> serde_json::Value {
        json!({
            "uses": self.all(), "equal": self.equal, "tighter": self.tighter, "weaker": self.weaker,
            "of_these_incomparable": self.incomparable,
        })
    }
}

/// A kind of difference: who is better, what defines the value, what LazyValueInfo's range looks like.
type Cause = (&'static str, String, &'static str);

/// The comparison of a module, or of all.
#[derive(Clone, Default, Debug)]
pub(crate) struct Precision {
    /// All uses.
    pub(crate) all: Tally,
    /// Those where LazyValueInfo knows anything.
    pub(crate) known: Tally,
    pub(crate) causes: BTreeMap<Cause, u64>,
    pub(crate) examples: BTreeMap<Cause, Vec<String>>,
}

impl Precision {
    /// Compares a module with what LazyValueInfo says of it.
    pub(crate) fn of(subject: &Subject<'_>, lazy: &[LazyRanges], examples: usize) -> Precision {
        let mut result = Precision::default();
        for (f, lazy) in subject.functions.iter().zip(lazy) {
            let (view, ranges) = solve(f, &mut Ranges, Options::WIDENING);
            for theirs in &lazy.uses {
                let Some(order) = result.compare(f, &view, &ranges, theirs, examples) else {
                    continue;
                };
                result.all.add(order);
                if !theirs.is_full() {
                    result.known.add(order);
                }
            }
        }
        result
    }

    /// Adds another comparison.
    pub(crate) fn add(&mut self, other: &Precision) {
        for (into, from) in [(&mut self.all, other.all), (&mut self.known, other.known)] {
            into.equal += from.equal;
            into.tighter += from.tighter;
            into.weaker += from.weaker;
            into.incomparable += from.incomparable;
        }
        for (cause, count) in &other.causes {
            *self.causes.entry(cause.clone()).or_default() += count;
        }
    }

    fn compare(
        &mut self,
        f: &Function,
        view: &View,
        ranges: &Solution<Option<Intervals>>,
        theirs: &UseRange,
        examples: usize,
    ) -> Option<Order> {
        let block = f.blocks()[theirs.block as usize];
        let inst = f.insts(block)[theirs.inst as usize];
        let value = f[inst].args[theirs.arg as usize];
        if !view.code().is_reachable(function::node(block)) {
            return None;
        }
        let code = view.code();
        let mut here = code.positions(function::node(block));
        let pos = here.find(|&pos| function::inst(code.instr(pos)) == inst)?;
        let range = Ranges::at_use(f, view, ranges, pos, theirs.arg as usize);
        let (ours, lazy) = (Arcs::of_ours(range.as_ref()), Arcs::of_llvm(theirs));
        let order = ours.compare(&lazy);
        if order != Order::Equal {
            let who = match order {
                Order::Tighter => "tighter",
                Order::Weaker => "weaker",
                _ => "incomparable",
            };
            let of = f.def_inst(value).map(|d| defined_by(f, d));
            let shape = if order == Order::Tighter {
                ours.shape(theirs.bits)
            } else {
                lazy.shape(theirs.bits)
            };
            let cause = (who, of.unwrap_or_else(|| "parameter".into()), shape);
            *self.causes.entry(cause.clone()).or_default() += 1;
            let list = self.examples.entry(cause).or_default();
            if list.len() < examples {
                let name = f.name.as_str().unwrap_or("?");
                list.push(format!(
                    "@{name}: {} in `{}` of {}: ours {ours}, LazyValueInfo {lazy}",
                    f.display_value(value),
                    f.display_inst(inst).trim(),
                    f.display_block(block),
                ));
            }
        }
        Some(order)
    }

    /// The causes of one kind, the most frequent first.
    pub(crate) fn causes(&self, kinds: &[&str]) -> Vec<(&Cause, u64)> {
        let mut list: Vec<_> = self
            .causes
            .iter()
            .filter(|(cause, _)| kinds.contains(&cause.0))
            .map(|(cause, &count)| (cause, count))
            .collect();
        list.sort_by_key(|&(_, count)| std::cmp::Reverse(count));
        list
    }

    pub(crate) fn json(&self) -> serde_json::Value {
        let causes: Vec<_> = self
            .causes(&["tighter", "weaker", "incomparable"])
            .into_iter()
            .map(|((who, of, shape), count)| {
                json!({"we_are": who, "defined_by": of, "range": shape, "uses": count})
            })
            .collect();
        json!({"all_uses": self.all.json(), "where_lvi_knows": self.known.json(), "causes": causes})
    }
}

fn defined_by(f: &Function, inst: lw_ir::Inst) -> String {
    let data = &f[inst];
    if let Op::Call(_) = data.op
        && let Some(symbol) = f.as_symbol(data.args[0])
        && let Some(name) = f.symbols.get(symbol).name.as_str()
        && let Some(intrinsic) = name.strip_prefix("llvm.")
    {
        return intrinsic.split('.').next().unwrap_or(intrinsic).into();
    }
    match data.op {
        Op::Binary(op) => op.name().into(),
        Op::Cast(op) => op.name().into(),
        _ => data.op.mnemonic().into(),
    }
}
