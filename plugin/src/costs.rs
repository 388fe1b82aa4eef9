//! How many iterations of a loop are done together, and whether any: by LLVM's cost tables of the target.
//!
//! The tables are crude: they know nothing of caches, or of what instructions wait for, nor of branches that are predicted wrong, which are
//! added here. So the number that fits the registers is only left for a clearly better one, and vectors for a scalar loop that is clearly faster.

use crate::loops::vectorized;
use lw_ir::{Function, Inst, Op};
use lw_llvm::{Bridge, CostTables, Origins};
use lw_vectorize::costs::{cost_of_misses, cost_of_round, first_loop};
use lw_vectorize::loops::{FoundLoop, LoopOptions, LoopPipeline, Remainder};
use lw_vectorize::target::register_bits;
use lw_vectorize::{Declined, Likelihoods, Times};
use std::collections::HashMap;
use std::fmt;
use std::sync::Arc;

/// Another number of iterations is taken if it costs less than this share of what the one of the registers costs.
const CLEARLY_BETTER: f64 = 0.9;
/// Half as many iterations are taken if they do not cost more than this, where a value of all takes several registers: the more are done
/// together, the more are left over.
const NOT_WORSE: f64 = 1.15;
/// A loop that is tried is left scalar if an iteration costs less than this share of what it costs among others.
const HOPELESS: f64 = 0.5;
/// A loop is left scalar if an iteration costs less than this share of what it costs among others.
const CLEARLY_FASTER: f64 = 0.7;
/// Loops with more instructions are vectorized for one number of iterations only.
const SMALL: usize = 1000;
/// Of loops with more instructions nobody asks what they cost.
const LARGE: usize = 10_000;

/// What costs more is what a target says by the largest number there is: that it should not be done.
const PROHIBITIVE: f64 = 1e9;

/// What was found out about a loop.
#[derive(Clone, Debug, Default)]
pub(crate) struct Costs {
    /// What an iteration costs alone.
    scalar: f64,
    /// By number of iterations that are done together: what one of them costs.
    together: Vec<(u32, f64)>,
    /// How many are done together.
    taken: Option<u32>,
}

impl Costs {
    /// Whether the loop is left as it is.
    pub(crate) fn against(&self) -> bool {
        self.taken.is_none()
    }
}

impl fmt::Display for Costs {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let shown = |cost: f64| match cost < PROHIBITIVE {
            true => format!("{cost:.1}"),
            false => "too much".into(),
        };
        write!(f, "an iteration costs {} alone", shown(self.scalar))?;
        for &(width, cost) in &self.together {
            write!(f, ", {} as one of {width}", shown(cost))?;
        }
        match self.taken {
            Some(width) => write!(f, ": {width} are done together"),
            None => write!(f, ": they are done alone"),
        }
    }
}

/// A loop whose number of lanes is to be found.
pub(crate) struct Choice<'a> {
    pub(crate) function: &'a Function,
    pub(crate) here: &'a FoundLoop,
    pub(crate) options: &'a LoopOptions,
    /// How many iterations there are, if that is known.
    pub(crate) iterations: Option<u32>,
    /// No more lanes than this have something to do.
    pub(crate) most: u32,
    pub(crate) tables: &'a CostTables<'a>,
    /// What instructions of the function cost, by their origins.
    pub(crate) scalar: &'a [Option<f64>],
    /// Whether it is vectorized whatever it costs.
    pub(crate) force: bool,
    /// Whether the loop is one of Rust.
    pub(crate) called: bool,
}

impl Choice<'_> {
    /// Vectorizes the loop for the number of lanes that the options say or, if another is better and `allowed`, for that.
    ///
    /// # Errors
    /// Why it is not vectorized.
    pub(crate) fn make(
        &self,
        bridge: &mut Bridge<'_, '_>,
        times: &mut LaneCosts<'_>,
        allowed: impl Fn(&Bridge<'_, '_>, u32) -> bool,
    ) -> (Result<(u32, LoopPipeline), Declined>, Option<Costs>) {
        let own = self.options.width;
        let first = match vectorized(self.function, self.here, self.options) {
            Ok(it) => it,
            Err(declined) => return (Err(declined), None),
        };
        let size: usize = self.here.blocks.iter().map(|&b| self.function.insts(b).len()).sum();
        let (scalar, own_cost) = match size {
            ..=LARGE => (self.alone(), self.together(bridge, &first, own)),
            _ => (None, None),
        };
        let (Some(scalar), Some(own_cost)) = (scalar, own_cost) else {
            return (Ok((own, first)), None);
        };
        let mut costs = Costs { scalar, together: vec![(own, own_cost)], taken: Some(own) };
        let (mut best, mut least) = ((own, first), own_cost * CLEARLY_BETTER);
        let parts = best.1.pipeline.statistics.divergent_loops > 0;
        for width in self.others(parts).into_iter().filter(|_| size <= SMALL) {
            let times = times.of(bridge, width);
            let options = LoopOptions { width, times, ..self.options.clone() };
            let Ok(it) = vectorized(self.function, self.here, &options) else { continue };
            let Some(cost) = self.together(bridge, &it, width) else { continue };
            costs.together.push((width, cost));
            let bound = if width < own && self.is_crowded() { own_cost * NOT_WORSE } else { least };
            if cost < bound && allowed(bridge, width) {
                (best, least) = ((width, it), cost.min(least));
                costs.taken = Some(width);
            }
        }
        let least = costs.together.iter().find(|(width, _)| costs.taken == Some(*width));
        let least = least.map_or(own_cost, |&(_, cost)| cost);
        let bound = if best.1.trial().is_some() { HOPELESS } else { CLEARLY_FASTER };
        if !self.force && scalar < least * bound {
            costs.taken = None;
            return (Err(self.too_much(&costs)), Some(costs));
        }
        (Ok(best), Some(costs))
    }

    fn too_much(&self, costs: &Costs) -> Declined {
        let help = match self.called {
            true => "`-C llvm-args=-laneweaver-force` or a named width vectorizes it all the same",
            false => "`--force` or a named width vectorizes it all the same",
        };
        Declined::region(format!("it would be slower: {costs}"), help)
    }

    /// What an iteration costs alone.
    fn alone(&self) -> Option<f64> {
        let f = self.function;
        let known =
            |inst: &Inst| own_origin(f, *inst).and_then(|o| *self.scalar.get(o as usize)?);
        let mut insts = self.here.blocks.iter().flat_map(|&b| f.insts(b));
        if !insts.all(|inst| known(inst).is_some()) {
            return None;
        }
        let likely = |inst| self.options.likelihoods.get(&own_origin(f, inst)?).copied();
        let header = self.here.header;
        let round = cost_of_round(f, header, likely, |inst| known(&inst).unwrap_or(0.0));
        Some(round + cost_of_misses(f, header, likely))
    }

    /// What one of `width` iterations costs that are done together.
    fn together(&self, bridge: &mut Bridge<'_, '_>, it: &LoopPipeline, width: u32) -> Option<f64> {
        let vector = &it.pipeline.function;
        let likely = |inst| likelihood(vector, inst, &self.options.likelihoods, width);
        let costed = bridge.costs_of(self.tables, vector, likely).ok()?;
        let f = &costed.function;
        let header = first_loop(f)?;
        let likely: HashMap<u32, f64> = costed.likelihoods.into_iter().collect();
        let known = |inst| own_origin(f, inst).and_then(|o| *costed.costs.get(o as usize)?);
        if !f.all_insts().all(|(_, inst)| known(inst).is_some()) {
            return None;
        }
        let likely = |inst| likely.get(&own_origin(f, inst)?).copied();
        let round = cost_of_round(f, header, likely, |inst| known(inst).unwrap_or(0.0));
        // Lanes for which there is no iteration are paid for as well.
        let full = self.iterations.filter(|_| self.options.remainder == Remainder::Masked);
        Some(match full {
            Some(all) => round * f64::from(all.div_ceil(width)) / f64::from(all),
            None => round / f64::from(width),
        })
    }

    /// Whether some values of all lanes take several registers: those that are computed in more bits than they are stored in.
    fn is_crowded(&self) -> bool {
        let f = self.function;
        let insts = self.here.blocks.iter().flat_map(|&b| f.insts(b));
        // What is wider than an `int` is mostly an index.
        let computed = insts
            .filter(|&&inst| matches!(f[inst].op, Op::Binary(_)))
            .filter_map(|&inst| f[inst].ty.int_bits().filter(|&bits| bits <= 32));
        computed.max().is_some_and(|bits| self.options.width * bits > register_bits(f))
    }

    /// The numbers of lanes that are looked at beside that of the registers: half as many, and twice as many if some numbers are
    /// narrower than others. Not where lanes part in loops: all wait for the last one, and the more there are the longer, of which no
    /// table knows.
    fn others(&self, parts: bool) -> Vec<u32> {
        let own = self.options.width;
        let narrowest = sizes(self.function, self.here).min().unwrap_or(32);
        let most = (register_bits(self.function) / narrowest).min(64).min(self.most);
        let mut others = Vec::new();
        others.extend((own >= 4).then_some(own / 2));
        others.extend((own * 2 <= most && !parts).then_some(own * 2));
        others
    }
}

/// What the instructions of a function cost so many lanes together, for each number that was asked for.
pub(crate) struct LaneCosts<'a> {
    tables: &'a CostTables<'a>,
    origins: &'a Origins,
    known: HashMap<u32, Times>,
}

impl<'a> LaneCosts<'a> {
    pub(crate) fn new(tables: &'a CostTables<'a>, origins: &'a Origins) -> LaneCosts<'a> {
        LaneCosts { tables, origins, known: HashMap::new() }
    }

    pub(crate) fn of(&mut self, bridge: &Bridge<'_, '_>, width: u32) -> Times {
        let find = || {
            let costs = bridge.costs_of_lanes(self.tables, self.origins, width).unwrap_or_default();
            let known = |(origin, cost): (usize, Option<f64>)| Some((origin as u32, cost?));
            Arc::new(costs.into_iter().enumerate().filter_map(known).collect())
        };
        self.known.entry(width).or_insert_with(find).clone()
    }
}

/// Where an instruction comes from, if it is still that one.
fn own_origin(function: &Function, inst: Inst) -> Option<u32> {
    let data = &function[inst];
    data.origin.expand().filter(|_| !data.derived).map(|origin| origin.as_u32())
}

/// How likely a branch of a vectorized loop goes to its first target, if that is known: those that stayed as before, those around code
/// of no lane if one of all lanes does.
fn likelihood(f: &Function, inst: Inst, known: &Likelihoods, width: u32) -> Option<f64> {
    let data = &f[inst];
    if data.op != Op::CondBr {
        return None;
    }
    let first = *known.get(&data.origin.expand()?.as_u32())?;
    match data.derived {
        false => Some(first),
        // The side that is seldom needed is the one that is skipped.
        true => Some(1.0 - (1.0 - first.min(1.0 - first)).powi(width as i32)),
    }
}

/// The bits of the numbers of a loop: what it reads, writes, and computes with floats.
fn sizes(function: &Function, here: &FoundLoop) -> impl Iterator<Item = u32> {
    let insts = here.blocks.iter().flat_map(|&b| function.insts(b));
    insts.filter_map(|&inst| {
        let data = &function[inst];
        let ty = match data.op {
            Op::Load(_) => data.ty,
            Op::Store(_) => function.ty(data.args[0]),
            _ if data.ty.float_kind().is_some() => data.ty,
            _ => return None,
        };
        let bits = ty.int_bits().or(ty.float_kind().map(|kind| kind.bits()));
        bits.filter(|bits| (8..=64).contains(bits))
    })
}

/// For how many lanes there is something to do in a loop of so many iterations.
pub(crate) fn most_lanes(iterations: Option<u32>, remainder: Remainder) -> u32 {
    let fits = |all: u32| match remainder {
        Remainder::Masked => all.min(64).next_power_of_two(),
        Remainder::Scalar => 1 << all.ilog2(),
    };
    iterations.filter(|&all| all > 0).map_or(u32::MAX, fits).max(2)
}

/// As many iterations as the widest numbers of the loop fit into a register of the target.
pub(crate) fn register_width(function: &Function, here: &FoundLoop) -> u32 {
    let widest = sizes(function, here).max().unwrap_or(32);
    (register_bits(function) / widest.next_power_of_two()).clamp(2, 64)
}
